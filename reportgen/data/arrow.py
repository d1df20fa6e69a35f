"""Convert Arrow arrays to NumPy and back; 64-bit keys of texts."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, overload

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from reportgen.data.sample import Vector
from reportgen.kernels.columns import parse_printed_floats

TEXT = pa.large_string()
AT_ONCE = 1 << 16  # texts that are made of an array at a time
Mask = NDArray[np.bool_]
Index = NDArray[np.intp]


def combine_chunks(values: Any, kind: Any) -> Any:
    """One array of some type from a column in pieces; nulls stay."""
    chunks = values.chunks if isinstance(values, pa.ChunkedArray) else [values]
    arrays = [pc.cast(chunk, kind, safe=False) for chunk in chunks if len(chunk)]
    if not arrays:
        return pa.Array.from_buffers(kind, 0, [None] * (3 if kind == TEXT else 2))
    return pa.concat_arrays(arrays)


def convert_floats(values: Any) -> Vector:
    """Return a column of numbers as floats, nan where it is null.

    Each is what its decimals say, as if they stood in a CSV file. Widened, 0.7 in single precision
    would be 0.699999988 and fall below a threshold of 0.7; the cast of decimals may miss the
    nearest float.
    """
    if pa.types.is_float16(values.type) or pa.types.is_float32(values.type):
        array = combine_chunks(values, values.type)
        numbers = parse_printed_floats(_view_numbers(array, values.type.to_pandas_dtype()))
    else:
        if pa.types.is_decimal(values.type):
            values = combine_chunks(values, TEXT)
        array = combine_chunks(values, pa.float64())
        numbers = _view_numbers(array, np.float64).copy()
    if array.null_count:
        numbers[null_mask(array)] = np.nan
    return numbers


def print_short_floats(values: Any) -> Any:
    """Return a column of half or single precision as doubles, with the decimals it prints."""
    is_null = null_mask(combine_chunks(values, values.type))
    return pa.array(convert_floats(values), mask=is_null)


def convert_mask(values: Any) -> Mask:
    """Return a column of booleans as a mask, false where it is null."""
    array = combine_chunks(values, pa.int8())
    is_true: Mask = _view_numbers(array, np.int8) != 0
    return is_true & ~null_mask(array)


def null_mask(values: Any) -> Mask:
    """Return a mask of where a column is null."""
    nulls = combine_chunks(pc.is_null(values), pa.int8())
    found: Mask = _view_numbers(nulls, np.int8) != 0
    return found


def null_if_empty(texts: Any) -> Any:
    """Return an array of text with null for each empty text."""
    if not (convert_positions(pc.binary_length(texts)) == 0).any():
        return texts
    return pc.if_else(pc.equal(texts, ""), pa.scalar(None, TEXT), texts)


def convert_positions(values: Any) -> Index:
    """Return a column of positions, -1 where it is null."""
    array = combine_chunks(values, pa.int64())
    found: Index = _view_numbers(array, np.int64).astype(np.intp)
    if array.null_count:
        found[null_mask(array)] = -1
    return found


def build_texts(texts: Iterable[str]) -> Any:
    """Build an array of texts; `pa.array` would import pandas, which takes a fifth of a second.

    >>> build_texts(["a", "", "né"]).to_pylist()
    ['a', '', 'né']
    """
    encoded = [text.encode() for text in texts]
    ends = np.cumsum([0, *map(len, encoded)], dtype=np.int64)
    buffers = [None, pa.py_buffer(ends), pa.py_buffer(b"".join(encoded))]
    return pa.Array.from_buffers(TEXT, len(encoded), buffers)


def take_rows(values: Any, rows: Index) -> Any:
    """Return some rows of an array, in the order given."""
    at = np.ascontiguousarray(rows, dtype=np.int64)
    return values.take(pa.Array.from_buffers(pa.int64(), len(at), [None, pa.py_buffer(at)]))


class ArrowTexts(Sequence[str]):
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
        if isinstance(other, ArrowTexts):
            return bool(self._values.equals(other._values))
        return isinstance(other, tuple) and tuple(self) == other

    __hash__ = None  # type: ignore[assignment]


def parse_shared_numbers(texts: ArrowTexts, shared: str) -> NDArray[np.int64] | None:
    """Return the integer after the shared prefix of each text, or None if any ends otherwise."""
    rest = pc.utf8_slice_codeunits(texts.values, len(shared))
    begins = pc.starts_with(texts.values, shared)
    is_whole = convert_mask(pc.and_(begins, pc.match_substring_regex(rest, "^[0-9]{1,18}$")))
    if not (len(rest) and is_whole.all()):
        return None
    found: NDArray[np.int64] = _view_numbers(combine_chunks(rest, pa.int64()), np.int64)
    return found


def encode_texts(values: Any) -> tuple[list[str], NDArray[np.int64]]:
    """Return the distinct texts of an array and each row's index into them, -1 for null."""
    dictionary = values.dictionary_encode()
    return dictionary.dictionary.to_pylist(), convert_positions(dictionary.indices).astype(np.int64)


def sort_texts(values: Any) -> Index:
    """Sort the rows of an array of text by the bytes of their texts."""
    return convert_positions(pc.array_sort_indices(values))


def _view_numbers(array: Any, dtype: Any) -> Any:
    """Return a view of the values of a numeric array, arbitrary where it is null."""
    if not len(array):
        return np.empty(0, dtype)
    start = array.offset * np.dtype(dtype).itemsize
    return np.frombuffer(array.buffers()[1], dtype, len(array), start)


Keys = NDArray[np.uint64]
MOST = 1 << 20  # keys that are held to find those that repeat
_STEP = 0x9E3779B97F4A7C15
_WORD = 2**64 - 1


def compute_keys(texts: Sequence[str]) -> Keys:
    """Compute the key of each text, (n,).

    >>> bool(compute_keys(["a", "b"])[1] == compute_keys(["b"])[0])
    True
    """
    values = texts.values if isinstance(texts, ArrowTexts) else build_texts(texts)
    return compute_array_keys(values)


def compute_array_keys(values: Any) -> Keys:
    """Compute the key of each text in an array without nulls."""
    values = combine_chunks(values, TEXT)
    n = len(values)
    if not n:
        return np.empty(0, np.uint64)
    starts = np.frombuffer(values.buffers()[1], np.int64)[values.offset : values.offset + n + 1]
    body = values.buffers()[2]
    held = np.frombuffer(body, np.uint8)[starts[0] : starts[-1]] if body is not None else b""
    first = starts[0]
    padded = np.zeros(int(starts[-1] - first) + 8, np.uint8)
    padded[: len(held)] = held
    # Eight bytes from any place on, as one word.
    words = np.ndarray((len(padded) - 7,), "<u8", padded.data, strides=(1,))
    return _build_keys(words, starts[:-1] - first, starts[1:] - starts[:-1])


def compute_row_number_keys(first: int, count: int, width: int) -> Keys:
    """Compute the keys of row numbers written with `width` digits.

    >>> bool((compute_row_number_keys(9, 2, 3) == compute_keys(["009", "010"])).all())
    True
    """
    digits = np.empty((count, width), np.uint8)
    left = np.arange(first, first + count)
    for place in range(width - 1, -1, -1):
        left, digits[:, place] = np.divmod(left, 10)[0], np.divmod(left, 10)[1] + ord("0")
    padded = np.append(digits.reshape(-1), np.zeros(8, np.uint8))
    words = np.ndarray((len(padded) - 7,), "<u8", padded.data, strides=(1,))
    return _build_keys(words, np.arange(count) * width, np.full(count, width))


def select_held_keys(keys: Keys, rows: int, most: int = MOST) -> Keys:
    """Select the keys kept to find repeats: all, or about `most` where there are more rows.

    It depends on a key alone whether it is held, so one that repeats is held each time.

    >>> len(select_held_keys(compute_keys(["a", "b"]), 2))
    2
    """
    return keys[is_key_held(keys, rows, most)]


def is_key_held(keys: Keys, rows: int, most: int) -> NDArray[np.bool_]:
    """Tell which keys are held, (n,)."""
    if rows <= most:
        return np.ones(len(keys), bool)
    return keys < np.uint64(_WORD // rows * most)


def count_repeated_keys(keys: Sequence[Keys]) -> int:
    """Count the keys that are there more than once.

    >>> count_repeated_keys([compute_keys(["a", "b"]), compute_keys(["b", "c", "b"])])
    1
    """
    _, count = np.unique(np.concatenate(keys), return_counts=True)
    return int(np.count_nonzero(count > 1))


def _build_keys(words: Any, starts: Any, lengths: Any) -> Keys:
    """Build the keys of texts with the given starts and lengths, word by word."""
    found = _mix_bits(lengths.astype(np.uint64) + np.uint64(_STEP))
    for k in range(-(-int(lengths.max(initial=0)) // 8)):
        left = np.clip(lengths - 8 * k, 0, 8)
        rows = np.flatnonzero(left)
        kept = left[rows].astype(np.uint64)
        word = words[starts[rows] + 8 * k].astype(np.uint64)
        unused = np.uint64(64) - np.uint64(8) * kept
        word = (word << unused) >> unused
        found[rows] = _mix_bits(found[rows] ^ (word + np.uint64((k + 1) * _STEP & _WORD)))
    return found


def _mix_bits(word: Keys) -> Keys:
    """SplitMix64's mix of the bits of each word."""
    with np.errstate(over="ignore"):
        word = (word ^ (word >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        word = (word ^ (word >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
        return word ^ (word >> np.uint64(31))
