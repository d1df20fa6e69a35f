"""The cache of whoever runs the program: where it is, and how large it may grow."""

from __future__ import annotations

import os

from platformdirs import user_cache_path

from reportgen.errors import UsageError
from reportgen.resampling.cache import MOST_BYTES, Cache
from reportgen.text import quoted

LIMIT = "REPORTGEN_CACHE_MB"


def user_cache() -> Cache:
    """Replicates in the user's cache folder, up to as many megabytes as the environment says."""
    return Cache(user_cache_path("reportgen"), _most_bytes())


def said_in_megabytes(size: int) -> str:
    """A number of bytes as a person reads it.

    >>> said_in_megabytes(458_000_000), said_in_megabytes(0)
    ('458.0 MB', '0.0 MB')
    """
    return f"{size / 1e6:,.1f} MB"


def _most_bytes() -> int:
    written = os.environ.get(LIMIT, "")
    if not written:
        return MOST_BYTES
    if not (written.isascii() and written.isdecimal() and len(written) < 10):
        raise UsageError(f"{LIMIT}: wants a whole number of megabytes, not {quoted(written)}")
    return int(written) * 1_000_000
