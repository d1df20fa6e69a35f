"""Keys of texts: 64 bits that tell an id or a cluster from others, wherever its row stands.

A key depends on the bytes of the text alone. So rows that are read in pieces, in any order or by
several machines are drawn as they are when all are read at once.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from reportgen.data.arrow import TEXT, Texts, whole

Keys = NDArray[np.uint64]
MOST = 1 << 20  # keys that are held to find those that repeat
_STEP = 0x9E3779B97F4A7C15
_WORD = 2**64 - 1


def keys_of(texts: Sequence[str]) -> Keys:
    """The key of each text, (n,).

    >>> bool(keys_of(["a", "b"])[1] == keys_of(["b"])[0])
    True
    """
    values = texts.values if isinstance(texts, Texts) else pa.array(list(texts), TEXT)
    return keys_of_array(values)


def keys_of_array(values: Any) -> Keys:
    """The same of an array of text without nulls."""
    values = whole(values, TEXT)
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
    return _keys(words, starts[:-1] - first, starts[1:] - starts[:-1])


def keys_of_numbers(first: int, count: int, width: int) -> Keys:
    """The keys of row numbers, written with as many digits as `width`.

    >>> bool((keys_of_numbers(9, 2, 3) == keys_of(["009", "010"])).all())
    True
    """
    digits = np.empty((count, width), np.uint8)
    left = np.arange(first, first + count)
    for place in range(width - 1, -1, -1):
        left, digits[:, place] = np.divmod(left, 10)[0], np.divmod(left, 10)[1] + ord("0")
    padded = np.append(digits.reshape(-1), np.zeros(8, np.uint8))
    words = np.ndarray((len(padded) - 7,), "<u8", padded.data, strides=(1,))
    return _keys(words, np.arange(count) * width, np.full(count, width))


def held(keys: Keys, rows: int, most: int = MOST) -> Keys:
    """The keys that are held to find repeats: all, or of more rows than `most` about as many.

    It depends on a key alone whether it is held, so one that repeats is held each time.

    >>> len(held(keys_of(["a", "b"]), 2))
    2
    """
    return keys[is_held(keys, rows, most)]


def is_held(keys: Keys, rows: int, most: int) -> NDArray[np.bool_]:
    """Which keys are held, (n,)."""
    if rows <= most:
        return np.ones(len(keys), bool)
    return keys < np.uint64(_WORD // rows * most)


def repeated(keys: Sequence[Keys]) -> int:
    """How many keys are there more than once.

    >>> repeated([keys_of(["a", "b"]), keys_of(["b", "c", "b"])])
    1
    """
    _, count = np.unique(np.concatenate(keys), return_counts=True)
    return int(np.count_nonzero(count > 1))


def _keys(words: Any, starts: Any, lengths: Any) -> Keys:
    """The keys of texts that start and are as long as given, word by word."""
    found = _mixed(lengths.astype(np.uint64) + np.uint64(_STEP))
    for k in range(-(-int(lengths.max(initial=0)) // 8)):
        left = np.clip(lengths - 8 * k, 0, 8)
        rows = np.flatnonzero(left)
        kept = left[rows].astype(np.uint64)
        word = words[starts[rows] + 8 * k].astype(np.uint64)
        unused = np.uint64(64) - np.uint64(8) * kept
        word = (word << unused) >> unused
        found[rows] = _mixed(found[rows] ^ (word + np.uint64((k + 1) * _STEP & _WORD)))
    return found


def _mixed(word: Keys) -> Keys:
    """SplitMix64's mix of the bits of each word."""
    with np.errstate(over="ignore"):
        word = (word ^ (word >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        word = (word ^ (word >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
        return word ^ (word >> np.uint64(31))
