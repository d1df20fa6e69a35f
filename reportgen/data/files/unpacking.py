"""Compressed files, unpacked piece by piece, so that a limit holds before the memory is full."""

from __future__ import annotations

import gzip
import io
import os
import zlib
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

GB = 10**9
_PIECE = 1 << 20
_PACKED_PIECE = 1 << 10  # zstd can make 128 kB of four bytes: this much makes 32 MB
_CONTAINER = Path("/sys/fs/cgroup/memory.max")
BROKEN = (OSError, EOFError, zlib.error, ValueError)


class TooLarge(Exception):
    """A file that unpacks to more than is allowed."""


def unpacked(data: bytes, suffix: str, most: int) -> bytes:
    """The content of a .gz or .zst file; one of `BROKEN` where it is not whole."""
    pieces = _gzip(data) if suffix == ".gz" else _zstd(data)
    found = bytearray()
    for piece in pieces:
        if len(found) + len(piece) > most:
            raise TooLarge
        found += piece
    return bytes(found)


def half_of_memory() -> int:
    """Half of the memory that this process may have, in bytes; 4 GB where none tells (Windows)."""
    if not hasattr(os, "sysconf"):
        return 4 * GB
    known = [os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")]
    with suppress(OSError, ValueError):  # no container, or one without a limit
        known.append(int(_CONTAINER.read_text(encoding="ascii")))
    return min(known) // 2


def _gzip(data: bytes) -> Iterator[bytes]:
    with gzip.GzipFile(fileobj=io.BytesIO(data)) as file:
        while piece := file.read(_PIECE):
            yield piece


def _zstd(data: bytes) -> Iterator[bytes]:
    """Every frame; unlike the library's one-shot call, notice a frame that is cut short."""
    import zstandard

    at = 0
    while at < len(data):
        frame = zstandard.ZstdDecompressor().decompressobj()
        while not frame.eof:
            if at >= len(data):
                raise ValueError("the data ends inside a frame")
            piece = data[at : at + _PACKED_PIECE]
            at += len(piece)
            try:
                yield frame.decompress(piece)
            except zstandard.ZstdError as fault:
                raise ValueError(str(fault)) from None
        at -= len(frame.unused_data)
