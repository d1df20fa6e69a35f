"""Arrow's arrays as NumPy's and back.

Arrow can do this itself, but looks for pandas first, and importing that takes longer than
reading most files. Hence the bytes are shared directly.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, overload

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from reportgen.data.sample import Vector

TEXT = pa.large_string()
AT_ONCE = 1 << 16  # texts that are made of an array at a time
Mask = NDArray[np.bool_]
Index = NDArray[np.intp]


def whole(values: Any, kind: Any) -> Any:
    """One array of some type from a column in pieces; nulls stay."""
    chunks = values.chunks if isinstance(values, pa.ChunkedArray) else [values]
    arrays = [pc.cast(chunk, kind, safe=False) for chunk in chunks if len(chunk)]
    if not arrays:
        return pa.Array.from_buffers(kind, 0, [None] * (3 if kind == TEXT else 2))
    return pa.concat_arrays(arrays)


def floats(values: Any) -> Vector:
    """A column of numbers as floats, nan where it is null."""
    array = whole(values, pa.float64())
    found: Vector = _shared(array, np.float64).copy()
    if array.null_count:
        found[is_null(array)] = np.nan
    return found


def mask(values: Any) -> Mask:
    """A column of claims as a mask, false where it is null."""
    array = whole(values, pa.int8())
    is_true: Mask = _shared(array, np.int8) != 0
    return is_true & ~is_null(array)


def is_null(values: Any) -> Mask:
    """Where a column is null."""
    nulls = whole(pc.is_null(values), pa.int8())
    found: Mask = _shared(nulls, np.int8) != 0
    return found


def null_if_empty(texts: Any) -> Any:
    """An array of text, null where it is empty."""
    if not (positions(pc.binary_length(texts)) == 0).any():
        return texts
    return pc.if_else(pc.equal(texts, ""), pa.scalar(None, TEXT), texts)


def positions(values: Any) -> Index:
    """A column of positions, -1 where it is null."""
    array = whole(values, pa.int64())
    found: Index = _shared(array, np.int64).astype(np.intp)
    if array.null_count:
        found[is_null(array)] = -1
    return found


def taken(values: Any, rows: Index) -> Any:
    """Some rows of an array, in the order given."""
    at = np.ascontiguousarray(rows, dtype=np.int64)
    return values.take(pa.Array.from_buffers(pa.int64(), len(at), [None, pa.py_buffer(at)]))


class Texts(Sequence[str]):
    """Texts of an array without nulls, read when they are asked for: a fifth of a tuple's room."""

    def __init__(self, values: Any) -> None:
        self._values = values

    @property
    def values(self) -> Any:
        """The array itself."""
        return self._values

    def __len__(self) -> int:
        return len(self._values)

    @overload
    def __getitem__(self, at: int) -> str: ...
    @overload
    def __getitem__(self, at: slice) -> Sequence[str]: ...
    def __getitem__(self, at: int | slice) -> str | Sequence[str]:
        if isinstance(at, slice):
            return tuple(self._values[at].to_pylist())
        return str(self._values[at].as_py())

    def __iter__(self) -> Iterator[str]:
        for start in range(0, len(self), AT_ONCE):
            yield from self._values.slice(start, AT_ONCE).to_pylist()

    def contents(self) -> Iterator[tuple[NDArray[np.int64], NDArray[np.uint8]]]:
        """Their bytes in UTF-8, one text behind the other, after how many each has; in parts."""
        for start in range(0, len(self), AT_ONCE):
            part = pc.cast(self._values.slice(start, AT_ONCE), TEXT)
            ends = np.frombuffer(part.buffers()[1], np.int64, len(part) + 1, part.offset * 8)
            data = part.buffers()[2]
            content = np.empty(0, np.uint8) if data is None else np.frombuffer(data, np.uint8)
            yield np.diff(ends), content[ends[0] : ends[-1]]

    def __eq__(self, other: object) -> bool:
        if isinstance(other, Texts):
            return bool(self._values.equals(other._values))
        return isinstance(other, tuple) and tuple(self) == other

    __hash__ = None  # type: ignore[assignment]


def whole_numbers(texts: Texts, shared: str) -> NDArray[np.int64] | None:
    """The whole number that follows what all texts begin with; None where one has another end."""
    rest = pc.utf8_slice_codeunits(texts.values, len(shared))
    begins = pc.starts_with(texts.values, shared)
    is_whole = mask(pc.and_(begins, pc.match_substring_regex(rest, "^[0-9]{1,18}$")))
    if not (len(rest) and is_whole.all()):
        return None
    found: NDArray[np.int64] = _shared(whole(rest, pa.int64()), np.int64)
    return found


def encoded(values: Any) -> tuple[list[str], NDArray[np.int64]]:
    """The different texts of an array, and the position of each row's in them, -1 for null."""
    dictionary = values.dictionary_encode()
    return dictionary.dictionary.to_pylist(), positions(dictionary.indices).astype(np.int64)


def order(values: Any) -> Index:
    """The rows of an array of text in the order of their bytes."""
    return positions(pc.array_sort_indices(values))


def _shared(array: Any, dtype: Any) -> Any:
    """The values of an array of numbers, whatever stands where it is null."""
    if not len(array):
        return np.empty(0, dtype)
    start = array.offset * np.dtype(dtype).itemsize
    return np.frombuffer(array.buffers()[1], dtype, len(array), start)
