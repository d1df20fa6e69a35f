"""A pool of work buffers for kernels."""

from __future__ import annotations

import weakref
from collections.abc import Iterator
from contextlib import contextmanager
from math import prod
from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray

from reportgen.kernels.native import trim_heap

MOST_KEPT_BYTES = 6  # buffers that may lie idle: those of two threads
LINE = 64  # bytes of a cache line
SMALL = 1 << 16  # bytes; below this the allocator does well by itself

# The C library serves a block from memory that it keeps, rather than from fresh pages, if it has
# seen a larger one come back (up to 32 MB); this one is never touched, so it costs nothing.
np.empty((1 << 25) - (1 << 13), dtype=np.uint8)

# Every step below is one operation on a dict, so threads and the collector may cut in anywhere.
_idle: dict[int, NDArray[np.uint8]] = {}


def allocate_aligned(shape: tuple[int, ...], dtype: DTypeLike) -> NDArray[Any]:
    """Allocate an array with arbitrary content that starts at a cache line.

    A row of 64 one-byte columns is then one line; else it lies across two, and every gather of it
    takes twice as long.
    """
    return _shape_buffer(_take_idle_buffer(_size(shape, dtype)), shape, dtype)


def return_buffer(array: NDArray[Any]) -> None:
    """Let others have the room of an `allocate_aligned` array, which nobody may use from now on."""
    buffer = array.base
    if isinstance(buffer, np.ndarray) and buffer.dtype == np.uint8 and buffer.ndim == 1:
        start = -buffer.ctypes.data % LINE
        _store_idle_buffer(buffer[start : len(buffer) - LINE + 1 + start])


@contextmanager
def borrow_buffer(shape: tuple[int, ...], dtype: DTypeLike) -> Iterator[NDArray[Any]]:
    """Yield an array with arbitrary content, for the time of the block."""
    buffer = _take_idle_buffer(_size(shape, dtype))
    try:
        yield _shape_buffer(buffer, shape, dtype)
    finally:
        _store_idle_buffer(buffer)


def allocate_for_owner(owner: object, shape: tuple[int, ...], dtype: DTypeLike) -> NDArray[Any]:
    """Allocate an array with arbitrary content, which must not be used once `owner` is gone."""
    buffer = _take_idle_buffer(_size(shape, dtype))
    weakref.finalize(owner, _store_idle_buffer, buffer).atexit = False
    return _shape_buffer(buffer, shape, dtype)


def release_idle() -> None:
    """Give what lies idle back to the system: whoever comes next needs other room."""
    _idle.clear()
    trim_heap()


def _size(shape: tuple[int, ...], dtype: DTypeLike) -> int:
    return prod(shape) * np.dtype(dtype).itemsize


def _shape_buffer(
    buffer: NDArray[np.uint8], shape: tuple[int, ...], dtype: DTypeLike
) -> NDArray[Any]:
    return buffer[: _size(shape, dtype)].view(dtype).reshape(shape)


def _take_idle_buffer(size: int) -> NDArray[np.uint8]:
    """Take the smallest idle buffer that is large enough and not far too large, or else a new one.

    A new one takes the place of one that is a little too small, so that buffers grow to what the
    work needs and do not pile up.
    """
    idle = sorted((len(buffer), key) for key, buffer in list(_idle.items()))
    for length, key in idle:
        if SMALL <= size <= length <= 4 * size:
            buffer = _idle.pop(key, None)
            if buffer is not None and len(buffer) >= size:
                return buffer
    for length, key in idle[::-1]:
        if SMALL <= length < size <= 4 * length:
            _idle.pop(key, None)
            break
    return _allocate_bytes(size)


def _allocate_bytes(size: int) -> NDArray[np.uint8]:
    """So many bytes from the start of a cache line."""
    buffer = np.empty(size + LINE - 1, dtype=np.uint8)
    start = -buffer.ctypes.data % LINE
    return buffer[start : start + size]


def _store_idle_buffer(buffer: NDArray[np.uint8]) -> None:
    """Keep the buffer for the next; the longest unused makes place for it."""
    if len(buffer) >= SMALL:
        _idle[id(buffer)] = buffer
        for key in list(_idle)[:-MOST_KEPT_BYTES]:
            _idle.pop(key, None)
