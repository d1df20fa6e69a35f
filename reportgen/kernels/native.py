"""The compiled kernels: signatures, loading and choice of machine code."""

from __future__ import annotations

import ctypes
import os
import zlib
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from importlib.machinery import EXTENSION_SUFFIXES
from pathlib import Path
from types import MappingProxyType
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

TYPES: Mapping[str, np.dtype[Any]] = MappingProxyType(
    {
        "u8": np.dtype(np.uint8),
        "u16": np.dtype(np.uint16),
        "i16": np.dtype(np.int16),
        "u32": np.dtype(np.uint32),
        "u64": np.dtype(np.uint64),
        "i32": np.dtype(np.int32),
        "i64": np.dtype(np.int64),
        "f32": np.dtype(np.float32),
        "f64": np.dtype(np.float64),
        "columns": np.dtype(np.uintp),
    }
)
WRITTEN: Mapping[str, str] = MappingProxyType(
    {
        "whole_poisson": "u64 int u8",
        "whole_keyed_poisson": "u64 u64 int u8",
        "whole_multinomial": "u64 int u8",
        "whole_power_sums": "u8 i32? u8? int int u64 u64 u64",
        "parting": "i32 i32 int int u8 u8 u8",
        "weight_below": "i32 i32 f64 f64 f64 f64 int int",
        "unit_pairs": "i32 i32 i32 i32 i32 int i32 u64 i32 i32 int i32 columns",
        "short_decimals": "f32 int f64 f64 u8",
        "best_in_ranges": "i32 f64 i64 i64 i64 i64 int i64",
        "group_spread": "i32 f64 int int f64 f64 f64 f64",
        "whole_discordant": "u8 i32 u8 u8 u8 int int int int u8 u8 u64",
        "whole_few_ranks": "u8 int i32 u8 int i16 f64 f64",
        "whole_few_pairs": "u8 int i32 i32 i32 int i16 int i16 int f64 f64 f64",
        "whole_centred_ranks": "u8 i32 u8 int u64 f32",
        "whole_rank_products": "u8 i32 u8 i32 int u64 f32 int i64",
        "whole_weighted_sums": "u8 f64? columns int int int int f64",
        "whole_exact_sums": "u8 columns int int f64",
        "real_weighted_sums": "int f64 columns int int int f64",
        "real_differing": "int f64 i32 u8 int f64",
        "real_discordant": "int f64 i32 u8 int int f64 f64 f64",
        "real_ranks": "int f64 i32 u8 int f64",
        "real_rank_products": "int f64 i32 i32 int f64 f64 f64",
        "whole_quantile": "u8 i32 int u32 u32 i64",
        "whole_upto": "u8 i32 u8 columns int int f64 int f64",
        "whole_cells": "u8 u16 int int int u8 u32",
        "whole_cell_sums": "u32 int int i64 i64",
        "real_quantile": "int f64 i32 int f64 f64 i64",
        "real_upto": "int f64 i32 u8 f64 int f64 int f64",
        "whole_auc": "u8 i32 u8 int int u64",
        "whole_label_ties": "u8 i32 u8 u8 int u64",
        "whole_precision": "u8 i32 u8 u8 int f64",
        "real_auc": "int f64 i32 u8 u8 int f64",
        "real_precision": "int f64 i32 u8 u8 int f64",
        "whole_classes_along": "u8 i32 u8 u8 int f64? f64 int int f64 f64",
        "real_classes_along": "int f64 i32 u8 u8 int f64? f64 int int f64 f64",
        "whole_class_pairs": "u8 i32 u8 i32 int int int f64 f64 f64",
        "real_class_pairs": "int f64 i32 u8 i32 int int int f64 f64 f64",
        "whole_class_window": "u8 i32 u8 u8 int f64? f64 f64",
        "real_class_window": "int f64 i32 u8 u8 int f64? f64 f64",
        "whole_class_gap": "u8 i32 u8 u8 int f64? f64",
        "real_class_gap": "int f64 i32 u8 u8 int f64? f64",
        "whole_hyperbolas": "u8 i32 u8 u8 int f64",
        "real_hyperbolas": "int f64 i32 u8 u8 int f64",
        "whole_logit_lines": "u32 int f64 f64? int f64 f64",
        "real_logit_lines": "int f64 int f64 f64? int f64 f64",
        "whole_logit_shifts": "u32 int f64 f64? int f64 f64",
        "real_logit_shifts": "int f64 int f64 f64? int f64 f64",
        "whole_rising_blocks": "u32 int i64 u32",
        "real_rising_blocks": "int f64 int i64 f64",
        "whole_ranks_along": "u8 i32 u8 i32 i32 u8 int f64 int i32 f64 f64",
        "real_ranks_along": "int f64 i32 u8 i32 i32 u8 int f64 int f64 f64 f64",
        "whole_concordance": "u8 i32 u8 i32 i32 u8 int int f64 int i32 u16 f64 f64",
        "real_concordance": "int f64 i32 u8 i32 i32 u8 int int f64 int f64 f64 f64 f64",
        "whole_cutoff_lengths": "u8 i32 u8 int u64 f64",
        "whole_cutoffs_wide": "int u8 i32 u8 i32 i32 i32 u8 i32 u8? int int int int int f64 f64 "
        "int i32 u16 f64 f64 i64?",
        "whole_cutoffs": "u8 i32 u8 i32 i32 u8 int f64 int i32 f64 f64",
        "real_cutoffs": "int f64 i32 u8 i32 i32 u8 int f64 int f64 f64 f64",
        "whole_overs": "u8 i32 u8 f64 int f64 int int f64 f64",
        "real_overs": "int f64 i32 u8 f64 int f64 int int f64 f64",
        "whole_bins": "u8 i32 f64? int f64",
        "real_bins": "int f64 i32 f64? int f64",
        "whole_between": "u8 i32 f64 int f64 f64",
        "real_between": "int f64 i32 f64 int f64 f64",
    }
)
Argument = NDArray[Any] | int | None


class Signature:
    """The parameters of one function, against which every call is checked."""

    def __init__(self, name: str, written: str) -> None:
        self.name, self._kinds = name, tuple(written.split())
        self._types = tuple(TYPES.get(kind.rstrip("?")) for kind in self._kinds)
        self._may_lack = tuple(kind.endswith("?") for kind in self._kinds)

    @property
    def are_whole(self) -> tuple[bool, ...]:
        """Flags of the arguments that are whole numbers; the others are addresses."""
        return tuple(wanted is None for wanted in self._types)

    def require(self, arguments: tuple[Argument, ...]) -> None:
        """Raise a TypeError for anything but what the function takes."""
        if len(arguments) != len(self._types):
            raise TypeError(
                f"{self.name} takes {len(self._types)} arguments, and was given {len(arguments)}"
            )
        for place, (argument, wanted) in enumerate(zip(arguments, self._types, strict=True)):
            # NumPy takes None for a type, too: a whole number is asked for first.
            if wanted is None:
                is_right = isinstance(argument, int)
            elif isinstance(argument, np.ndarray):
                is_right = argument.dtype == wanted and argument.flags.c_contiguous
            else:
                is_right = argument is None and self._may_lack[place]
            if not is_right:
                raise self._fault(place, argument)

    def _fault(self, place: int, argument: Argument) -> TypeError:
        given: object = type(argument).__name__
        if isinstance(argument, np.ndarray):
            gaps = "" if argument.flags.c_contiguous else " that is not contiguous"
            given = f"an array of {argument.dtype}{gaps}"
        wanted = self._kinds[place]
        return TypeError(f"{self.name} takes {wanted} as argument {place + 1}, not {given}")


SIGNATURES: Mapping[str, Signature] = MappingProxyType(
    {name: Signature(name, written) for name, written in WRITTEN.items()}
)

KINDS = ("plain", "avx2", "avx512")
Kind = Literal["plain", "avx2", "avx512"]
_trim = getattr(ctypes.CDLL(None), "malloc_trim", None) if os.name == "posix" else None


def is_native() -> bool:
    """Return whether kernels run compiled code now."""
    return _state.library is not None and not _state.is_off


def list_kinds() -> tuple[str, ...]:
    """Return the kinds of machine code that this processor runs; none where nothing was built."""
    return KINDS[: _state.best + 1] if _state.library is not None else ()


def is_stale() -> bool:
    """Tell whether there is a library that was built from other C than lies beside it."""
    return _state.library is None and any(_iter_built_libraries(Path(__file__).parent))


def trim_heap() -> None:
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
    if kind not in list_kinds():
        raise ValueError(f"this processor does not run {kind!r} kernels; it runs {list_kinds()}")
    before = _state.kind, _state.is_off
    _state.kind, _state.is_off = KINDS.index(kind), False
    try:
        yield
    finally:
        _state.kind, _state.is_off = before


def call_kernel(name: str, *arguments: Argument) -> None:
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


def get_addresses(
    arrays: Sequence[NDArray[Any]], kind: type[np.generic] = np.float64
) -> NDArray[np.uintp]:
    """Return where arrays start, for a function that takes several; the caller keeps them alive."""
    if any(array.dtype != kind for array in arrays):
        raise TypeError(f"columns are arrays of {kind.__name__}")
    return np.array([_address(array) for array in arrays], dtype=np.uintp)


def _address(array: NDArray[Any]) -> int:
    """Return where an array starts.

    Most may be written to and have no gaps: then their buffer says so in a fifth of the time that
    `array.ctypes` takes, which with few rows is more than the function takes that is called.
    """
    if array.size and array.flags.carray:
        return ctypes.addressof(ctypes.c_char.from_buffer(array.data))
    return int(array.ctypes.data)


class _State:
    """State of compiled code: what was found at import, and what is switched on."""

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
    found = (
        library
        for library, sources in _iter_built_libraries(folder)
        if sources == _compute_checksum(folder)
    )
    return next(found, None)


def _iter_built_libraries(folder: Path) -> Iterator[tuple[ctypes.CDLL, int]]:
    """Yield the libraries in a folder, with the checksums of the C that they were built from."""
    for suffix in EXTENSION_SUFFIXES:
        try:
            library = ctypes.CDLL(str(folder / ("_lanes" + suffix)))
            yield library, int(library.kernels_sources()) & 0xFFFFFFFF
        except (OSError, AttributeError):
            continue


def _compute_checksum(folder: Path) -> int:
    """Compute the checksum of the C in a folder, as setup.py builds it in."""
    files = sorted((folder / "c").glob("*.[ch]"))
    return zlib.crc32(b"".join(file.read_bytes() for file in files))


_state = _State()
