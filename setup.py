"""The one thing that pyproject.toml cannot say: the C kernels are built if they can be."""

import os

from setuptools import Extension, setup

FLAGS = [] if os.name == "nt" else ["-O3", "-ffp-contract=off", "-fvisibility=hidden"]
HERE = "reportgen/kernels"

setup(
    ext_modules=[
        Extension(
            "reportgen.kernels._lanes",
            sources=[f"{HERE}/kernels.c"],
            depends=[f"{HERE}/whole.h", f"{HERE}/real.h", f"{HERE}/walks.h"],
            extra_compile_args=FLAGS,
            optional=True,  # without a compiler the NumPy forms do the work
        )
    ]
)
