"""Replicates kept between runs, so that a new title or gate recomputes nothing.

An entry's name is a digest of all that its numbers depend on: the data, the design, the statistic
with its parameters, the code and its libraries. Its content begins with this name, the type and
shape of the numbers, and a checksum of it all; what is anything else than was asked for, byte by
byte, is computed again. A folder that cannot be written is as good as none.
"""

from __future__ import annotations

import hashlib
import os
import re
import shutil
import stat
import tempfile
import time
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from importlib.metadata import version
from math import prod
from pathlib import Path

import numpy as np

from reportgen.kernels.batch import Matrix
from reportgen.paths import open_regular

MOST_BYTES = 500_000_000
SPARE_BYTES = 100_000_000
"""What the disk must have left beyond an entry: the report needs room as well."""
OLD_DRAFT = 3600.0  # seconds after which nobody writes a draft any more
OURS = re.compile(r"[0-9a-f]{64}\.(replicates|npy|.*draft)")
"""Names of entries, of those of earlier versions, and of drafts."""


@dataclass(frozen=True)
class Held:
    """What a cache holds, or held."""

    entries: int
    bytes: int


class Cache:
    """Arrays in a folder, by digest; those longest unused go when there are too many bytes."""

    def __init__(self, folder: Path, most_bytes: int = MOST_BYTES) -> None:
        self.folder, self.most_bytes = folder, most_bytes

    def get(self, digest: str, shape: tuple[int, ...]) -> Matrix | None:
        """The numbers kept under a digest; None if there are none, or not of this shape, whole."""
        head, path = _head(digest, shape), self._file(digest)
        size = len(head) + _Checksum.LENGTH + 8 * prod(shape)
        try:
            # A link is no entry of ours, wherever it leads.
            if not stat.S_ISREG(path.lstat().st_mode) or path.stat().st_size != size:
                return None
            with open_regular(path) as file:
                found = file.read(size + 1)
        except OSError:
            return None
        body = found[len(head) + _Checksum.LENGTH :]
        if len(found) != size or found != head + _Checksum.of(head, body) + body:
            return None
        with suppress(OSError):
            os.utime(path)
        return np.frombuffer(body, "<f8").astype(np.float64).reshape(shape)

    def put(self, digest: str, values: Matrix) -> None:
        """Keep an array; another run never sees half of it, and no failure leaves a part behind."""
        head, body = _head(digest, values.shape), np.ascontiguousarray(values, "<f8").tobytes()
        with suppress(OSError):
            self.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            if shutil.disk_usage(self.folder).free < SPARE_BYTES + len(body):
                return
            handle, name = tempfile.mkstemp(".draft", f"{digest}.", self.folder)
            draft = Path(name)
            try:
                with os.fdopen(handle, "wb") as file:
                    file.write(head + _Checksum.of(head, body) + body)
                draft.replace(self._file(digest))
            except BaseException:
                draft.unlink(missing_ok=True)
                raise

    def trim(self) -> None:
        """Drop what was longest unused until the rest fits, and drafts of runs that were killed."""
        held = 0
        for file, status in sorted(self._files(), key=lambda each: -each[1].st_mtime):
            is_old = file.suffix == ".draft" and status.st_mtime < time.time() - OLD_DRAFT
            held += status.st_size
            if is_old or held > self.most_bytes:
                with suppress(OSError):
                    file.unlink()

    def clear(self) -> Held:
        """Remove every entry, and say what there was; an OSError where one cannot be removed."""
        held = self.held()
        for file, _ in self._files():
            file.unlink(missing_ok=True)
        return held

    def held(self) -> Held:
        """How much there is."""
        sizes = [status.st_size for _, status in self._files()]
        return Held(len(sizes), sum(sizes))

    def _files(self) -> Iterator[tuple[Path, os.stat_result]]:
        """Every file by a name of ours; others' files in the folder are none of our business."""
        with suppress(OSError):
            for file in self.folder.iterdir():
                with suppress(OSError):
                    status = file.lstat()
                    if OURS.fullmatch(file.name) and not stat.S_ISDIR(status.st_mode):
                        yield file, status

    def _file(self, digest: str) -> Path:
        return self.folder / f"{digest}.replicates"


class _Checksum:
    """The sum of an entry, as a line of letters."""

    LENGTH = 65

    @staticmethod
    def of(head: bytes, body: bytes) -> bytes:
        found = hashlib.sha256(head)
        found.update(body)
        return f"{found.hexdigest()}\n".encode()


def _head(digest: str, shape: tuple[int, ...]) -> bytes:
    """How an entry begins: what it is, its name, and the type and shape of its numbers."""
    sides = " ".join(map(str, shape))
    return f"reportgen replicates 1\n{digest}\nfloat64, little end first: {sides}\n".encode()


@cache
def code_digest(*others: str) -> str:
    """A name for the code that replicates depend on: the sources of what draws and computes.

    They are read once, as what was imported is. `others` are further folders and files of the
    package. Built-in statistics alone are kept; nobody knows what a file of the user's depends on.
    """
    package = Path(__file__).parents[1]
    folders = ("rows", "kernels", "losses", "metrics", "curves", "resampling", "analysis")
    files = [f for folder in folders for f in sorted((package / folder).rglob("*.[pch]*"))]
    for name in others:
        files += sorted((package / name).rglob("*.py")) or [package / name]
    texts = (source.read_bytes() for source in files if source.suffix != ".pyc")
    return digest(version("numpy"), version("scipy"), *texts)


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
