"""What a run may read from other machines, and what it has read from a database."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory

from reportgen.data.files.opening import ReadFile
from reportgen.errors import ConfigError, ConfigPath, Problem


@dataclass
class _Access:
    """Whether a run may connect to other machines, and what it has read, by what was requested."""

    is_allowed: bool
    copies: ExitStack
    kept: dict[object, ReadFile] = field(default_factory=dict)


_ACCESS: ContextVar[_Access | None] = ContextVar("access", default=None)


@contextmanager
def permit_remote(is_allowed: bool) -> Iterator[None]:
    """Within the block, read a statement once, and connect to other machines if allowed to."""
    with ExitStack() as copies:
        token = _ACCESS.set(_Access(is_allowed, copies))
        try:
            yield
        finally:
            _ACCESS.reset(token)


def require_remote(shown: str, at: ConfigPath) -> None:
    """Refuse to connect to another machine unless the run may do so."""
    access = _ACCESS.get()
    if access is None or not access.is_allowed:
        text = f"{shown} is on a server, and reportgen opens no connection unasked"
        raise ConfigError(
            [
                Problem(
                    f"{text}; if you trust it, add --allow-remote (in Python allow_remote=True)", at
                )
            ]
        )


def make_copies_folder() -> Path:
    """Make a folder of this user alone for copies of remote rows; it goes with the block."""
    access = _ACCESS.get()
    assert access is not None, "rows are copied within a run"
    folder = TemporaryDirectory(prefix="reportgen-", ignore_cleanup_errors=True)
    return Path(access.copies.enter_context(folder))


def read_once(key: object, read: Callable[[], ReadFile]) -> ReadFile:
    """Return what was read for a key within the block, or read it."""
    access = _ACCESS.get()
    if access is None:
        return read()
    if key not in access.kept:
        access.kept[key] = read()
    return access.kept[key]
