"""The names that a report takes in a folder, and those that its making takes for a moment."""

from __future__ import annotations

import re
import secrets
from hashlib import sha256

from reportgen.outputs import DRAWN, RESULTS, TABLES, VOUCHING

OURS = (RESULTS, *DRAWN.values(), *VOUCHING)
_TABLE = re.compile(rf"{TABLES}/[a-z0-9][a-z0-9-]{{0,99}}\.(csv|yaml|json)")
MARKER = ".reportgen-incomplete"
_STAGING = re.compile(r"\.reportgen-([0-9a-f]{16})-([0-9a-f]{8})")


def is_ours(name: str) -> bool:
    """Whether a report takes this name, relative to its folder.

    >>> is_ours("report.pdf"), is_ours("tables/gain.csv"), is_ours("tables/../gain.csv")
    (True, True, False)
    """
    return name in OURS or _TABLE.fullmatch(name) is not None


def new_staging() -> str:
    """A random name for a staging folder; its last part tells it from a folder of a like name."""
    token = secrets.token_hex(8)
    return f".reportgen-{token}-{_check(token)}"


def is_staging(name: str) -> bool:
    """Whether `new_staging` can have made this name."""
    found = _STAGING.fullmatch(name)
    return found is not None and found[2] == _check(found[1])


def _check(token: str) -> str:
    return sha256(f"reportgen staging {token}".encode()).hexdigest()[:8]
