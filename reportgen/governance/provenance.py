"""Where a report comes from: versions, commit, clock."""

from __future__ import annotations

import os
import platform
import re
import shutil
import subprocess
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from datetime import UTC, datetime
from functools import cache
from hashlib import sha256
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from tempfile import TemporaryDirectory

from reportgen.errors import UsageError
from reportgen.kernels import native
from reportgen.paths import decode_name, open_regular
from reportgen.records import record
from reportgen.text import quote
from reportgen.version import __version__

LONGEST_TEXT = 1_000_000
MOST_STEPS = 5  # from a name of a commit to another name of it, as git allows
PATIENCE = 10  # seconds for each question to git
HASH = re.compile(rb"[0-9a-f]{40}(?:[0-9a-f]{24})?")
_COMPARING = "filemode|symlinks|ignorecase|autocrlf|eol|precomposeunicode"
PASSIVE = rf"^core\.({_COMPARING})$"
"""Settings that say how files are compared, and name no program."""
USER_SETTINGS = rf"^core\.({_COMPARING}|excludesfile)$"
"""Those that count as the user's own: a repository may not name files of this machine."""


@record
class Repository:
    """A working tree at `top`; `own` holds its HEAD and index, `shared` the objects and branches.

    The two are one folder, unless the working tree is one of several of a repository.
    """

    top: Path
    own: Path
    shared: Path

    def commit(self) -> str | None:
        """Return the hash that HEAD leads to; None before the first commit."""
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
                return _PrivateGitFolder(self, Path(made), commit).is_changed(apart)
        except (OSError, subprocess.SubprocessError):
            return None

    def _reference(self, name: bytes) -> bytes:
        """Return what a reference holds: a hash, or `ref: ` and another name; empty if nothing."""
        for folder in (self.own, self.shared):
            with suppress(OSError):
                return _read_bytes(folder / os.fsdecode(name)).strip()
        with suppress(OSError), open_regular(self.shared / "packed-refs") as file:
            for line in file:
                if line.rstrip(b"\r\n").endswith(b" " + name):
                    return line.partition(b" ")[0]
        return b""


def find_repository(here: Path) -> Repository | None:
    """Find the repository whose working tree contains a folder; None if there is none."""
    for top in (here, *here.parents):
        with suppress(OSError):
            own = _find_git_folder(top / ".git")
            shared = own / os.fsdecode(_read_line(own / "commondir", b"."))
            if (own / "HEAD").is_file() and (shared / "objects").is_dir():
                return Repository(top, own, shared)
    return None


def format_repository_path(file: Path) -> str:
    """Return a file's path from the top of its repository, or its name alone outside of one."""
    file = file.resolve()
    found = find_repository(file.parent)
    return decode_name(file.relative_to(found.top).as_posix() if found else file.name)


class _PrivateGitFolder:
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
            _copy_with_time(index, folder / index.name)
        for name in ("exclude", "attributes", "sparse-checkout"):
            _copy_with_time(repository.shared / "info" / name, folder / "info" / name)

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
        """Return whether every one of some files is to pass a filter, which we do not run."""
        told = self._git(["check-attr", "-z", "--stdin", "filter"], [], b"\0".join(paths))
        return not {b"unspecified", b"unset"} & set(told.split(b"\0")[2::3])

    def _settings(self) -> Iterator[str]:
        """How the user and the repository have files compared, the latter later."""
        asked = ["config", "-z", "--get-regexp"]
        with suppress(subprocess.CalledProcessError):
            yield from _iter_git_options(self._git(asked, [USER_SETTINGS], has_user=True))
        _copy_with_time(self.repository.shared / "config", self.folder / "theirs")
        with suppress(subprocess.CalledProcessError):
            theirs = ["config", "-z", "--no-includes", f"--file={self.folder / 'theirs'}"]
            yield from _iter_git_options(self._git(theirs, ["--get-regexp", PASSIVE]))

    def _git(
        self, words: Sequence[str], more: Sequence[str], given: bytes = b"", has_user: bool = False
    ) -> bytes:
        """Run git on the working tree with this folder as its git folder, and return its output."""
        return subprocess.run(
            [_find_git_program(), *words, *more],
            cwd=self.repository.top,
            env=self._environ(has_user),
            input=given,
            capture_output=True,
            timeout=PATIENCE,
            check=True,
        ).stdout

    def _environ(self, has_user: bool) -> Mapping[str, str]:
        """Build a fresh environment in which nothing leads back to the repository's settings."""
        kept = ("HOME", "XDG_CONFIG_HOME", "USERPROFILE", "SYSTEMROOT", "TMPDIR", "TEMP")
        no_settings = {"GIT_CONFIG_NOSYSTEM": "1", "GIT_CONFIG_GLOBAL": os.devnull}
        return {
            **{name: os.environ[name] for name in kept if name in os.environ},
            **({} if has_user else no_settings),
            "PATH": _format_path(),
            "LC_ALL": "C",
            "GIT_DIR": str(self.folder),
            "GIT_WORK_TREE": str(self.repository.top),
            "GIT_OBJECT_DIRECTORY": str((self.repository.shared / "objects").absolute()),
            "GIT_NO_LAZY_FETCH": "1",
            "GIT_NO_REPLACE_OBJECTS": "1",
            "GIT_OPTIONAL_LOCKS": "0",
            "GIT_TERMINAL_PROMPT": "0",
        }


def _iter_git_options(told: bytes) -> Iterator[str]:
    for entry in told.split(b"\0"):
        key, is_given, value = entry.partition(b"\n")
        if key:
            yield "-c"
            yield os.fsdecode(key + b"=" + value if is_given else key)


def _find_git_folder(path: Path) -> Path:
    """Return the folder that `.git` is or that it names."""
    if path.is_dir():
        return path
    return path.parent / os.fsdecode(_read_bytes(path).removeprefix(b"gitdir:").strip())


def _read_line(path: Path, otherwise: bytes) -> bytes:
    return _read_bytes(path).strip() if path.exists() else otherwise


def _read_bytes(path: Path) -> bytes:
    with open_regular(path) as file:
        return file.read(LONGEST_TEXT)


def _copy_with_time(path: Path, copy: Path) -> None:
    """Copy a file with its time, by which git knows what may have changed; if there is one."""
    with suppress(FileNotFoundError, NotADirectoryError), open_regular(path) as file:
        status = os.fstat(file.fileno())
        with copy.open("wb") as made:
            shutil.copyfileobj(file, made)
        os.utime(copy, ns=(status.st_atime_ns, status.st_mtime_ns))


def _format_path() -> str:
    """Where programs are looked for: never in the folder that the program runs in."""
    folders = os.environ.get("PATH", os.defpath).split(os.pathsep)
    return os.pathsep.join(folder for folder in folders if Path(folder).is_absolute())


def _find_git_program() -> str:
    found = shutil.which("git", path=_format_path())
    if found is None:
        raise FileNotFoundError("git")
    return found


LIBRARIES = ("numpy", "scipy", "pandas", "matplotlib", "typst", "jinja2")


def collect_provenance(
    config: Path | None, overrides: tuple[str, ...], folder: Path | None, files: Iterable[Path] = ()
) -> dict[str, object]:
    """Collect the provenance for a report's last section; a config without a file is None.

    `files` are those that the config was read from.
    """
    return {
        "command": _format_command(config, overrides),
        "time": read_clock().isoformat().replace("+00:00", "Z"),
        "git": read_git_state(config.absolute().parent if config else Path.cwd(), folder),
        "python": platform.python_version(),
        "platform": describe_machine(),
        "versions": list_versions(),
        "config_files": [_hash_file(file) for file in files],
    }


def describe_machine() -> str:
    """Describe the machine: its system, its processor, and which compiled code ran."""
    kinds = native.list_kinds()
    code = f"{kinds[-1]} kernels" if kinds else "no compiled kernels"
    return f"{platform.system().lower()} {platform.machine()}, {code}"


def explain_slow_kernels() -> str:
    """Explain why a run that could be fast will not be; empty where there is nothing to explain."""
    if not native.is_stale():
        return ""
    return "the compiled kernels are of other sources, so NumPy does their work: install again"


def _hash_file(file: Path) -> dict[str, str]:
    return {"path": format_repository_path(file), "sha256": sha256(file.read_bytes()).hexdigest()}


def list_versions() -> dict[str, str]:
    """List the versions of this program and of the libraries that numbers and pages depend on."""
    return {"reportgen": __version__, **{name: _version(name) for name in LIBRARIES}}


@cache
def _version(library: str) -> str:
    try:
        return version(library)
    except PackageNotFoundError:
        return "not installed"


def read_clock() -> datetime:
    """Read the one clock: SOURCE_DATE_EPOCH if it is set, else now, to the second, in UTC."""
    epoch = os.environ.get("SOURCE_DATE_EPOCH", "")
    if not epoch:
        return datetime.now(UTC).replace(microsecond=0)
    try:
        if not (epoch.isascii() and epoch.isdecimal()):
            raise ValueError
        return datetime.fromtimestamp(int(epoch), UTC)
    except (ValueError, OverflowError, OSError):  # no number, or no year that a calendar has
        raise UsageError(
            f"SOURCE_DATE_EPOCH is {quote(epoch)}; it needs whole seconds since 1970, such as "
            "1700000000, or to be unset"
        ) from None


def read_git_state(here: Path, folder: Path | None) -> dict[str, object]:
    """Return the commit checked out at `here`, and whether anything but the output differs."""
    here = here.resolve()
    found = find_repository(here)
    commit = found.commit() if found else None
    if found is None or commit is None:
        return {"commit": None, "is_dirty": None}
    out = folder.resolve() if folder else found.top
    is_apart = out != found.top and out.is_relative_to(found.top)
    apart = out.relative_to(found.top) if is_apart else None
    return {"commit": commit, "is_dirty": found.is_changed(commit, apart)}


def _format_command(config: Path | None, overrides: tuple[str, ...]) -> str:
    """Format the command that makes the report again, without paths of this machine.

    Of what was set the keys are named: a value may be a secret, and if it is none it stands in
    the resolved config.
    """
    if config is None:
        return "reportgen.run(config)"
    keys = (decode_name(text.partition("=")[0]) for text in overrides)
    sets = (f"--set {key}=…" for key in keys)
    return " ".join(("reportgen run", decode_name(config.name), *sets))
