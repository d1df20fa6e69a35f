"""The commit that a folder stands at, found without running anything that a repository names.

Git runs programs that a repository's own settings name: a monitor of the file system, filters,
hooks, a pager. They cannot all be listed beforehand and switched off, so git is never asked
within the user's repository. The commit is read from its files. Whether the working tree differs
is asked of a git folder of our own, made for this one question: it has a copy of the index,
reads the objects where they are, and has no settings, hooks or remotes. Nothing is written in the
repository, and the environment's GIT_… variables count for nothing.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from reportgen.paths import as_text, open_regular

LONGEST_TEXT = 1_000_000
MOST_STEPS = 5  # from a name of a commit to another name of it, as git allows
PATIENCE = 10  # seconds for each question to git
HASH = re.compile(rb"[0-9a-f]{40}(?:[0-9a-f]{24})?")
_COMPARING = "filemode|symlinks|ignorecase|autocrlf|eol|precomposeunicode"
PASSIVE = rf"^core\.({_COMPARING})$"
"""Settings that say how files are compared, and name no program."""
OF_USER = rf"^core\.({_COMPARING}|excludesfile)$"
"""Those that count as the user's own: a repository may not name files of this machine."""


@dataclass(frozen=True)
class Repository:
    """A working tree at `top`; `own` holds its HEAD and index, `shared` the objects and branches.

    The two are one folder, unless the working tree is one of several of a repository.
    """

    top: Path
    own: Path
    shared: Path

    def commit(self) -> str | None:
        """The hash that HEAD leads to; None before the first commit."""
        name = b"HEAD"
        for _ in range(MOST_STEPS):
            said = self._reference(name)
            if HASH.fullmatch(said):
                return said.decode()
            name = said.removeprefix(b"ref:").strip()
            if not name.startswith(b"refs/") or b".." in name.split(b"/") or b"\0" in name:
                return None
        return None

    def is_changed(self, commit: str, apart: Path | None) -> bool | None:
        """Whether any file but those under `apart` differs from the commit.

        None where that cannot be told: without git, or where files differ that the repository
        passes through a filter of its own before it compares them.
        """
        try:
            with TemporaryDirectory(prefix="reportgen-") as made:
                return _Stand(self, Path(made), commit).is_changed(apart)
        except (OSError, subprocess.SubprocessError):
            return None

    def _reference(self, name: bytes) -> bytes:
        """What a reference says: a hash, or `ref: ` and the name of another; empty if nothing."""
        for folder in (self.own, self.shared):
            with suppress(OSError):
                return _content(folder / os.fsdecode(name)).strip()
        with suppress(OSError), open_regular(self.shared / "packed-refs") as file:
            for line in file:
                if line.rstrip(b"\r\n").endswith(b" " + name):
                    return line.partition(b" ")[0]
        return b""


def repository(here: Path) -> Repository | None:
    """The repository whose working tree a folder is in."""
    for top in (here, *here.parents):
        with suppress(OSError):
            own = _git_folder(top / ".git")
            shared = own / os.fsdecode(_line(own / "commondir", b"."))
            if (own / "HEAD").is_file() and (shared / "objects").is_dir():
                return Repository(top, own, shared)
    return None


def name_in_repository(file: Path) -> str:
    """A file's path from the top of its repository, or outside of one its name alone."""
    file = file.resolve()
    found = repository(file.parent)
    return as_text(file.relative_to(found.top).as_posix() if found else file.name)


class _Stand:
    """A git folder of our own that stands at a commit, beside the user's working tree."""

    def __init__(self, repository: Repository, folder: Path, commit: str) -> None:
        self.repository, self.folder = repository, folder
        kind = "\n[extensions]\n\tobjectFormat = sha256" if len(commit) == 64 else ""
        for name in ("refs", "objects", "info"):
            (folder / name).mkdir()
        (folder / "HEAD").write_text(f"{commit}\n")
        (folder / "config").write_text(
            f"[core]\n\trepositoryFormatVersion = {int(bool(kind))}\n\tbare = false{kind}\n"
        )
        indexes = [repository.own / "index", *repository.own.glob("sharedindex.*")]
        for index in indexes:
            _copied(index, folder / index.name)
        for name in ("exclude", "attributes", "sparse-checkout"):
            _copied(repository.shared / "info" / name, folder / "info" / name)

    def is_changed(self, apart: Path | None) -> bool | None:
        """Whether anything differs from the commit; None where only a filter could tell."""
        without = [] if apart is None else [f":(top,exclude,literal){apart.as_posix()}"]
        told = self._git(
            [*self._settings(), "status", "--porcelain", "-z", "--no-renames"],
            ["--untracked-files=normal", "--ignore-submodules=dirty", "--", ":/", *without],
        )
        changes = [entry for entry in told.split(b"\0") if entry]
        if any(change[:2] != b" M" for change in changes):
            return True
        return None if changes and self._are_filtered([c[3:] for c in changes]) else bool(changes)

    def _are_filtered(self, paths: Sequence[bytes]) -> bool:
        """Whether every one of some files is to pass a filter, which we do not run."""
        told = self._git(["check-attr", "-z", "--stdin", "filter"], [], b"\0".join(paths))
        return not {b"unspecified", b"unset"} & set(told.split(b"\0")[2::3])

    def _settings(self) -> Iterator[str]:
        """How the user and the repository have files compared, the latter later."""
        asked = ["config", "-z", "--get-regexp"]
        with suppress(subprocess.CalledProcessError):
            yield from _as_options(self._git(asked, [OF_USER], has_user=True))
        _copied(self.repository.shared / "config", self.folder / "theirs")
        with suppress(subprocess.CalledProcessError):
            theirs = ["config", "-z", "--no-includes", f"--file={self.folder / 'theirs'}"]
            yield from _as_options(self._git(theirs, ["--get-regexp", PASSIVE]))

    def _git(
        self, words: Sequence[str], more: Sequence[str], given: bytes = b"", has_user: bool = False
    ) -> bytes:
        """What git says of the working tree, in this folder's name."""
        return subprocess.run(
            [_program(), *words, *more], cwd=self.repository.top, env=self._environ(has_user),
            input=given, capture_output=True, timeout=PATIENCE, check=True,
        ).stdout  # fmt: skip

    def _environ(self, has_user: bool) -> Mapping[str, str]:
        """An environment made anew, of which nothing leads back to the repository's settings."""
        kept = ("HOME", "XDG_CONFIG_HOME", "USERPROFILE", "SYSTEMROOT", "TMPDIR", "TEMP")
        no_settings = {"GIT_CONFIG_NOSYSTEM": "1", "GIT_CONFIG_GLOBAL": os.devnull}
        return {
            **{name: os.environ[name] for name in kept if name in os.environ},
            **({} if has_user else no_settings),
            "PATH": _path(),
            "LC_ALL": "C",
            "GIT_DIR": str(self.folder),
            "GIT_WORK_TREE": str(self.repository.top),
            "GIT_OBJECT_DIRECTORY": str((self.repository.shared / "objects").absolute()),
            "GIT_NO_LAZY_FETCH": "1",
            "GIT_NO_REPLACE_OBJECTS": "1",
            "GIT_OPTIONAL_LOCKS": "0",
            "GIT_TERMINAL_PROMPT": "0",
        }


def _as_options(told: bytes) -> Iterator[str]:
    for entry in told.split(b"\0"):
        key, is_given, value = entry.partition(b"\n")
        if key:
            yield "-c"
            yield os.fsdecode(key + b"=" + value if is_given else key)


def _git_folder(path: Path) -> Path:
    """The folder that `.git` is, or that it names."""
    if path.is_dir():
        return path
    return path.parent / os.fsdecode(_content(path).removeprefix(b"gitdir:").strip())


def _line(path: Path, otherwise: bytes) -> bytes:
    return _content(path).strip() if path.exists() else otherwise


def _content(path: Path) -> bytes:
    with open_regular(path) as file:
        return file.read(LONGEST_TEXT)


def _copied(path: Path, copy: Path) -> None:
    """Copy a file with its time, by which git knows what may have changed; if there is one."""
    with suppress(FileNotFoundError, NotADirectoryError), open_regular(path) as file:
        status = os.fstat(file.fileno())
        with copy.open("wb") as made:
            shutil.copyfileobj(file, made)
        os.utime(copy, ns=(status.st_atime_ns, status.st_mtime_ns))


def _path() -> str:
    """Where programs are looked for: never in the folder that the program runs in."""
    folders = os.environ.get("PATH", os.defpath).split(os.pathsep)
    return os.pathsep.join(folder for folder in folders if Path(folder).is_absolute())


def _program() -> str:
    found = shutil.which("git", path=_path())
    if found is None:
        raise FileNotFoundError("git")
    return found
