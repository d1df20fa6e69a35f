"""The names that a report takes in a folder, and those that its making takes for a moment."""

from __future__ import annotations

import re
import secrets
from hashlib import sha256

from reportgen.outputs import DRAWN, RESULTS

OURS = (RESULTS, *DRAWN.values())
MARKER = ".reportgen-incomplete"
_STAGING = re.compile(r"\.reportgen-([0-9a-f]{16})-([0-9a-f]{8})")


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
