"""Compiled templates, kept where Python keeps compiled modules."""

from __future__ import annotations

import marshal
import os
import sys
from collections.abc import Iterator
from contextlib import suppress
from importlib.util import cache_from_source
from pathlib import Path
from zlib import crc32

import jinja2
from jinja2 import BytecodeCache
from jinja2.bccache import Bucket

from reportgen.paths import find_templates_folder


class CompiledTemplates(BytecodeCache):
    """The program's own templates, compiled; one whose source has changed is not used.

    A template holds what filters make of its constants, so a change anywhere in the program or in
    its messages makes all of them anew.
    """

    def __init__(self) -> None:
        self._path: Path | None = None
        self._code: dict[str, bytes] = {}
        self._is_read = self._is_new = False

    def load_bytecode(self, bucket: Bucket) -> None:
        """Give the bucket its code; Jinja compares the source that it was made of."""
        if not self._is_read:
            self._is_read = True
            with suppress(OSError, EOFError, ValueError, TypeError, NotImplementedError):
                self._path = _find_file()
                self._code = dict(marshal.loads(self._path.read_bytes()))
        if bucket.key in self._code:
            bucket.bytecode_from_string(self._code[bucket.key])

    def dump_bytecode(self, bucket: Bucket) -> None:
        """Keep the code of the bucket."""
        self._code[bucket.key] = bucket.bytecode_to_string()
        self._is_new = True

    def save(self) -> None:
        """Write the file again if templates were compiled; do nothing if it cannot be written."""
        if not self._is_new or self._path is None or sys.dont_write_bytecode:
            return
        self._is_new = False
        draft = self._path.with_name(f"{self._path.name}.{os.getpid()}")
        with suppress(OSError):
            self._path.parent.mkdir(parents=True, exist_ok=True)
            draft.write_bytes(marshal.dumps(self._code))
            draft.replace(self._path)
            for old in self._path.parent.glob(f"templates-*{self._path.suffix}"):
                if old != self._path:  # made from earlier files of the program
                    old.unlink(missing_ok=True)


COMPILED = CompiledTemplates()


def _find_file() -> Path:
    """Return the path of the file.

    Its name has a checksum of Jinja's version and of the dates and sizes of the program's files.
    """
    program = Path(__file__).parents[2]
    files = [*_iter_files(program, ".py"), *_iter_files(find_templates_folder(), ".md")]
    stamp = crc32("\n".join([jinja2.__version__, *sorted(files)]).encode())
    name = f"templates-{stamp:08x}.{sys.implementation.cache_tag}"
    return Path(cache_from_source(__file__)).with_name(name)


def _iter_files(folder: Path | str, ending: str) -> Iterator[str]:
    with os.scandir(folder) as entries:
        for entry in entries:
            if entry.is_dir(follow_symlinks=False):
                yield from _iter_files(entry.path, ending)
            elif entry.name.endswith(ending) and entry.is_file():
                found = entry.stat()
                yield f"{entry.path} {found.st_mtime_ns} {found.st_size}"
