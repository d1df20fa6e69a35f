"""The one thing that pyproject.toml cannot say: the C kernels are built if they can be."""

import os
import zlib
from pathlib import Path

from setuptools import Extension, setup

FLAGS = [] if os.name == "nt" else ["-O3", "-ffp-contract=off", "-fvisibility=hidden"]
HERE = "reportgen/kernels"
FILES = ("kernels.c", "real.h", "whole.h")


def sources() -> int:
    """A checksum of the C, which reportgen/kernels/native.py asks the library for."""
    return zlib.crc32(b"".join(Path(HERE, name).read_bytes() for name in FILES))


setup(
    ext_modules=[
        Extension(
            "reportgen.kernels._lanes",
            sources=[f"{HERE}/kernels.c"],
            depends=[f"{HERE}/whole.h", f"{HERE}/real.h"],
            extra_compile_args=FLAGS,
            define_macros=[("SOURCES", f"{sources()}u")],
            optional=True,  # without a compiler the NumPy forms do the work
        )
    ]
)
