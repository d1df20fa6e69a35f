"""The one thing that pyproject.toml cannot say: the C kernels are built if they can be."""

import os
import sysconfig
import zlib
from pathlib import Path

from setuptools import Extension, setup

# What a debugger needs, which Python's own flags ask for, would take a fifth of the time to build.
FLAGS = [] if os.name == "nt" else ["-O3", "-g0", "-ffp-contract=off", "-fvisibility=hidden"]
HERE = "reportgen/kernels/c"
# Python's stable interface: one wheel of a platform serves this Python and all later ones. Builds
# without the interpreter's lock do not have it.
IS_STABLE = not sysconfig.get_config_var("Py_GIL_DISABLED")
FILES = sorted(str(path) for path in Path(HERE).glob("*.[ch]"))


def sources() -> int:
    """Compute a checksum of the C, which reportgen/kernels/native.py asks the library for."""
    return zlib.crc32(b"".join(Path(name).read_bytes() for name in FILES))


setup(
    ext_modules=[
        Extension(
            "reportgen.kernels._lanes",
            sources=[f"{HERE}/kernels.c"],
            depends=FILES,
            extra_compile_args=FLAGS,
            define_macros=[("SOURCES", f"{sources()}u")],
            py_limited_api=IS_STABLE,
            optional=True,  # without a compiler the NumPy forms do the work
        )
    ],
    options={"bdist_wheel": {"py_limited_api": "cp311"}} if IS_STABLE else {},
)
