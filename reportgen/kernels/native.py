"""The compiled kernels, where they were built; the only place that knows of C.

The library is optional: without a compiler at installation, with `REPORTGEN_NUMPY=1` in the
environment, or inside `use_numpy()`, every kernel takes its NumPy form, which gives the same
numbers more slowly. Calls release the interpreter's lock, so threads run side by side.
"""

from __future__ import annotations

import ctypes
import os
import zlib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from importlib.machinery import EXTENSION_SUFFIXES
from pathlib import Path
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from reportgen.kernels.signatures import SIGNATURES, Argument

KINDS = ("plain", "avx2", "avx512")
Kind = Literal["plain", "avx2", "avx512"]
_trim = getattr(ctypes.CDLL(None), "malloc_trim", None) if os.name == "posix" else None


def is_native() -> bool:
    """Whether kernels run compiled code now."""
    return _state.library is not None and not _state.is_off


def kinds() -> tuple[str, ...]:
    """The kinds of machine code that this processor runs; none where nothing was built."""
    return KINDS[: _state.best + 1] if _state.library is not None else ()


def is_stale() -> bool:
    """Whether there is a library that was built from other C than lies beside it."""
    return _state.library is None and any(_built(Path(__file__).parent))


def give_back_to_system() -> None:
    """Let the C library return what it keeps of freed memory, where it is one that keeps it."""
    if _trim is not None:
        _trim(0)


@contextmanager
def use_numpy() -> Iterator[None]:
    """Let every kernel, in every thread, take its NumPy form within the block."""
    before, _state.is_off = _state.is_off, True
    try:
        yield
    finally:
        _state.is_off = before


@contextmanager
def use_kind(kind: Kind) -> Iterator[None]:
    """Let every kernel, in every thread, run one kind of machine code within the block."""
    if kind not in kinds():
        raise ValueError(f"this processor does not run {kind!r} kernels; it runs {kinds()}")
    before = _state.kind, _state.is_off
    _state.kind, _state.is_off = KINDS.index(kind), False
    try:
        yield
    finally:
        _state.kind, _state.is_off = before


def run(name: str, *arguments: Argument) -> None:
    """Call one function of the library; arguments that it does not take are a TypeError."""
    assert _state.library is not None
    signature = SIGNATURES[name]
    signature.require(arguments)
    function = getattr(_state.library, name)
    if function.argtypes is None:
        kinds = (ctypes.c_int64 if whole else ctypes.c_void_p for whole in signature.are_whole)
        function.argtypes = (ctypes.c_int32, *kinds)
    sent = (_address(each) if isinstance(each, np.ndarray) else each for each in arguments)
    function(_state.kind, *sent)


def addresses(arrays: Sequence[NDArray[np.float64]]) -> NDArray[np.uintp]:
    """Where arrays start, for a function that takes several; the caller keeps them alive."""
    if any(array.dtype != np.float64 for array in arrays):
        raise TypeError("columns are arrays of float64")
    return np.array([_address(array) for array in arrays], dtype=np.uintp)


def _address(array: NDArray[Any]) -> int:
    """Where an array starts.

    Most may be written to and have no gaps: then their buffer says so in a fifth of the time that
    `array.ctypes` takes, which with few rows is more than the function takes that is called.
    """
    if array.size and array.flags.carray:
        return ctypes.addressof(ctypes.c_char.from_buffer(array.data))
    return int(array.ctypes.data)


class _State:
    """What was found at import, and what is switched on."""

    def __init__(self) -> None:
        self.library = _load(Path(__file__).parent)
        self.best = int(self.library.kernels_best()) if self.library is not None else -1
        self.kind = self.best
        self.is_off = os.environ.get("REPORTGEN_NUMPY", "") not in ("", "0")


def _load(folder: Path) -> ctypes.CDLL | None:
    """Open the library in a folder; None if it was not built, or not from the sources there.

    An editable installation keeps its library when the C changes. Calling it then would be
    calling functions by the wrong arguments, so it is left alone until it is built again; one
    that was built later, under another of the names that Python knows, is taken instead.
    """
    found = (library for library, sources in _built(folder) if sources == _sources(folder))
    return next(found, None)


def _built(folder: Path) -> Iterator[tuple[ctypes.CDLL, int]]:
    """The libraries in a folder, and the checksums of the C that they were built from."""
    for suffix in EXTENSION_SUFFIXES:
        try:
            library = ctypes.CDLL(str(folder / ("_lanes" + suffix)))
            yield library, int(library.kernels_sources()) & 0xFFFFFFFF
        except (OSError, AttributeError):
            continue


def _sources(folder: Path) -> int:
    """The checksum of the C in a folder, as setup.py builds it in."""
    files = sorted((folder / "c").glob("*.[ch]"))
    return zlib.crc32(b"".join(file.read_bytes() for file in files))


_state = _State()
