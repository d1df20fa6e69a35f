"""The one thing that pyproject.toml cannot say: the C kernels are built if they can be."""

import os
import zlib
from pathlib import Path

from setuptools import Extension, setup

FLAGS = [] if os.name == "nt" else ["-O3", "-ffp-contract=off", "-fvisibility=hidden"]
HERE = "reportgen/kernels/c"
FILES = sorted(str(path) for path in Path(HERE).glob("*.[ch]"))


def sources() -> int:
    """A checksum of the C, which reportgen/kernels/native.py asks the library for."""
    return zlib.crc32(b"".join(Path(name).read_bytes() for name in FILES))


setup(
    ext_modules=[
        Extension(
            "reportgen.kernels._lanes",
            sources=[f"{HERE}/kernels.c"],
            depends=FILES,
            extra_compile_args=FLAGS,
            define_macros=[("SOURCES", f"{sources()}u")],
            optional=True,  # without a compiler the NumPy forms do the work
        )
    ]
)
