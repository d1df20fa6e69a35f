"""Replicates kept in memory and, between runs, in the user's cache folder."""

from __future__ import annotations

import hashlib
import os
import re
import shutil
import stat
import tempfile
import time
from collections.abc import Callable, Hashable, Iterable, Iterator
from contextlib import suppress
from functools import cache
from importlib.metadata import version
from math import prod
from pathlib import Path
from threading import Lock
from typing import Generic, TypeVar

import numpy as np
from platformdirs import user_cache_path

from reportgen.errors import UsageError
from reportgen.kernels.batch import Matrix
from reportgen.paths import open_regular
from reportgen.records import record
from reportgen.text import quote

MOST = 250_000_000
"""Bytes: what two metrics of three models rest on, on a million rows."""

Made = TypeVar("Made")


class RecentValues(Generic[Made]):
    """Values by key, those asked for last, at most `most` bytes of them by `size`.

    `let_go` f(value) is called for what is kept no longer.

    >>> recent = RecentValues[str](len, most=5)
    >>> [recent.get(key, key.upper) for key in ("abc", "de", "fgh", "de")]
    ['ABC', 'DE', 'FGH', 'DE']
    >>> len(recent)
    2
    """

    def __init__(
        self,
        size: Callable[[Made], int],
        most: int = MOST,
        let_go: Callable[[Made], None] = lambda _: None,
    ) -> None:
        self.size, self.let_go = size, let_go
        self.room = most
        self._kept: dict[Hashable, Made] = {}
        self._lock = Lock()

    def __len__(self) -> int:
        return len(self._kept)

    def get(self, key: Hashable, make: Callable[[], Made]) -> Made:
        """Return the value kept under the key, or a new one; threads make theirs in parallel."""
        with self._lock:
            if key in self._kept:
                self._kept[key] = value = self._kept.pop(key)  # now the last in order
                return value
        value = make()
        with self._lock:
            if key not in self._kept:
                self.room -= self.size(value)
            self._kept[key] = value
            self._trim()
        return value

    def forget(self, keys: Iterable[Hashable]) -> None:
        """Let go of what is kept under these keys."""
        with self._lock:
            for key in keys:
                if key in self._kept:
                    self._drop(key)

    def clear(self) -> None:
        """Let go of all."""
        self.forget(tuple(self._kept))

    def _trim(self) -> None:
        """Forget what was not asked for longest, until the rest fits."""
        while self.room < 0 and self._kept:
            self._drop(next(iter(self._kept)))

    def _drop(self, key: Hashable) -> None:
        value = self._kept.pop(key)
        self.room += self.size(value)
        self.let_go(value)


MOST_BYTES = 500_000_000
SPARE_BYTES = 100_000_000
"""What the disk must have left beyond an entry: the report needs room as well."""
OLD_DRAFT = 3600.0  # seconds after which nobody writes a draft any more
CACHE_PREFIX = re.compile(r"[0-9a-f]{64}\.(replicates|npy|.*draft)")
"""Names of entries, of those of earlier versions, and of drafts."""


@record
class CacheContents:
    """Number and size of the entries that a cache holds, or held."""

    entries: int
    bytes: int


class Cache:
    """Arrays in a folder, by digest; those longest unused go when there are too many bytes."""

    def __init__(self, folder: Path, most_bytes: int = MOST_BYTES) -> None:
        self.folder, self.most_bytes = folder, most_bytes

    def get(self, digest: str, shape: tuple[int, ...]) -> Matrix | None:
        """Return the numbers kept under a digest; None if absent, of another shape or not whole."""
        head, path = _head(digest, shape), self._file(digest)
        size = len(head) + CHECKSUM_LENGTH + 8 * prod(shape)
        try:
            # A link is no entry of ours, wherever it leads.
            if not stat.S_ISREG(path.lstat().st_mode) or path.stat().st_size != size:
                return None
            with open_regular(path) as file:
                found = file.read(size + 1)
        except OSError:
            return None
        body = found[len(head) + CHECKSUM_LENGTH :]
        if len(found) != size or found != head + _compute_checksum(head, body) + body:
            return None
        with suppress(OSError):
            os.utime(path)
        return np.frombuffer(body, "<f8").astype(np.float64).reshape(shape)

    def get_row(self, digest: str) -> Matrix | None:
        """Return one row of numbers of any length; None if absent or damaged."""
        with suppress(OSError, ValueError, IndexError):
            with open_regular(self._file(digest)) as file:
                *_, sides = (file.readline(LONGEST_LINE) for _ in range(HEAD_LINES))
            return self.get(digest, (int(sides.split()[-1]),))
        return None

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
                    file.write(head + _compute_checksum(head, body) + body)
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

    def clear(self) -> CacheContents:
        """Remove every entry, and say what there was; an OSError where one cannot be removed."""
        held = self.measure()
        for file, _ in self._files():
            file.unlink(missing_ok=True)
        return held

    def measure(self) -> CacheContents:
        """Return how much there is."""
        sizes = [status.st_size for _, status in self._files()]
        return CacheContents(len(sizes), sum(sizes))

    def _files(self) -> Iterator[tuple[Path, os.stat_result]]:
        """Every file by a name of ours; others' files in the folder are none of our business."""
        with suppress(OSError):
            for file in self.folder.iterdir():
                with suppress(OSError):
                    status = file.lstat()
                    if CACHE_PREFIX.fullmatch(file.name) and not stat.S_ISDIR(status.st_mode):
                        yield file, status

    def _file(self, digest: str) -> Path:
        return self.folder / f"{digest}.replicates"


CHECKSUM_LENGTH = 65
HEAD_LINES, LONGEST_LINE = 3, 128


def _compute_checksum(head: bytes, body: bytes) -> bytes:
    """Compute the checksum of an entry, as a line of letters."""
    checksum = hashlib.sha256(head)
    checksum.update(body)
    return f"{checksum.hexdigest()}\n".encode()


def _head(digest: str, shape: tuple[int, ...]) -> bytes:
    """Return how an entry begins: what it is, its name, and the type and shape of its numbers."""
    sides = " ".join(map(str, shape))
    return f"reportgen replicates 1\n{digest}\nfloat64, little end first: {sides}\n".encode()


@cache
def digest_code(*others: str) -> str:
    """Return a name for the code that replicates depend on: the sources that draw and compute.

    They are read once, as what was imported is. `others` are further folders and files of the
    package. Built-in statistics alone are kept; nobody knows what a file of the user's depends on.
    """
    package = Path(__file__).parents[2]
    folders = ("kernels", "metrics", "inference/resampling", "analysis")
    files = [f for folder in folders for f in sorted((package / folder).rglob("*.[pch]*"))]
    for name in others:
        files += sorted((package / name).rglob("*.py")) or [package / name]
    texts = (source.read_bytes() for source in files if source.suffix != ".pyc")
    return digest_parts(version("numpy"), version("scipy"), *texts)


def digest_parts(*parts: object) -> str:
    """Return a name for what the parts hold: arrays by their bytes, all else by how it prints.

    >>> digest_parts(np.arange(3), "kendall") == digest_parts(np.arange(3), "kendall")
    True
    >>> digest_parts(1, 23) == digest_parts(12, 3)
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


CACHE_LIMIT_VARIABLE = "REPORTGEN_CACHE_MB"


def open_user_cache() -> Cache:
    """Return the cache in the user's folder, of as many megabytes as the environment allows.

    Raise UsageError where `find_cache_problem` finds one.
    """
    if problem := find_cache_problem():
        raise UsageError(problem)
    return Cache(user_cache_path("reportgen"), _read_size_limit())


def find_cache_problem() -> str:
    """Return why resamples cannot be kept safely between runs; an empty text if they can."""
    try:
        folder = user_cache_path("reportgen")
    except RuntimeError:  # of a user whom the system does not know
        folder = Path()
    if not folder.is_absolute():
        return "no resample is kept, as there is no home folder: set XDG_CACHE_HOME to a folder"
    if os.name != "nt" and folder.exists():
        state = folder.stat()
        if state.st_uid not in (os.geteuid(), 0) or state.st_mode & 0o022:
            return (
                f"no resample is kept, as others may write to {folder}: let only yourself do so, "
                "or set XDG_CACHE_HOME to a folder of your own"
            )
    return ""


def format_megabytes(size: int) -> str:
    """Format a number of bytes as a person reads it.

    >>> format_megabytes(458_000_000), format_megabytes(0)
    ('458.0 MB', '0.0 MB')
    """
    return f"{size / 1e6:,.1f} MB"


def _read_size_limit() -> int:
    written = os.environ.get(CACHE_LIMIT_VARIABLE, "")
    if not written:
        return MOST_BYTES
    if not (written.isascii() and written.isdecimal() and len(written) < 10):
        raise UsageError(
            f"{CACHE_LIMIT_VARIABLE}: needs a whole number of megabytes, not {quote(written)}"
        )
    return int(written) * 1_000_000
