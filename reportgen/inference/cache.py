"""Replicates kept between runs, so that a new title or gate recomputes nothing.

An entry's name is a digest of all that its numbers depend on: the data, the design, the statistic
with its parameters, and the code's version. A damaged or missing entry is computed again; a
folder that cannot be written is as good as none.
"""

from __future__ import annotations

import hashlib
import os
from contextlib import suppress
from pathlib import Path

import numpy as np

from reportgen.kernels.batch import Matrix

MOST_BYTES = 1_000_000_000


class Cache:
    """Arrays in a folder, by digest; the oldest go when there are more than a gigabyte."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def get(self, digest: str) -> Matrix | None:
        """What was kept under this digest; None if there is nothing, or nothing whole."""
        try:
            found: Matrix = np.load(self._file(digest), allow_pickle=False)
        except (OSError, ValueError, EOFError):
            return None
        with suppress(OSError):
            os.utime(self._file(digest))
        return found

    def put(self, digest: str, values: Matrix) -> None:
        """Keep an array; another run never sees half of it."""
        draft = self.folder / f"{digest}.{os.getpid()}.draft"
        with suppress(OSError):
            self.folder.mkdir(parents=True, exist_ok=True)
            with draft.open("wb") as file:
                np.save(file, values, allow_pickle=False)
            draft.replace(self._file(digest))

    def trim(self) -> None:
        """Drop what was longest unused until the rest fits."""
        with suppress(OSError):
            files = sorted(self.folder.glob("*.npy"), key=lambda f: f.stat().st_mtime, reverse=True)
            held = 0
            for file in files:
                held += file.stat().st_size
                if held > MOST_BYTES:
                    file.unlink(missing_ok=True)

    def _file(self, digest: str) -> Path:
        return self.folder / f"{digest}.npy"


def code_digest() -> str:
    """A name for the code that replicates depend on: the sources of what draws and computes."""
    package = Path(__file__).parents[1]
    folders = ("kernels", "metrics", "curves", "inference")
    sources = (f for folder in folders for f in sorted((package / folder).glob("*.[pch]*")))
    return digest(*(source.read_bytes() for source in sources if source.suffix != ".pyc"))


def digest(*parts: object) -> str:
    """A name for what the parts hold: arrays by their bytes, all else by how it prints.

    >>> digest(np.arange(3), "kendall") == digest(np.arange(3), "kendall")
    True
    >>> digest(1, 23) == digest(12, 3)
    False
    """
    found = hashlib.sha256()
    for part in parts:
        if isinstance(part, np.ndarray):
            head, body = f"{part.dtype}{part.shape}", np.ascontiguousarray(part).tobytes()
        else:
            head, body = type(part).__name__, repr(part).encode()
        found.update(f"{head}:{len(body)}:".encode())
        found.update(body)
    return found.hexdigest()
