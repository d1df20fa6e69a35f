"""What rows are called where they may be named: their ids, or what a secret key makes of them.

A plain hash of a customer's number is no secret: all numbers can be tried. With a key that is not
in the report they cannot, and whoever has the key finds the row again.
"""

from __future__ import annotations

import hmac
import os
from collections.abc import Sequence

from reportgen.config import Config

KEY = "REPORTGEN_ID_KEY"
SIGNS = 12


def shown_ids(config: Config, ids: Sequence[str]) -> Sequence[str] | None:
    """The names of rows; None where none may be named, as without a key unless all is told."""
    if not config.report.show_ids:
        return None
    key = os.environ.get(KEY, "")
    if key:
        return [keyed(key, each) for each in ids]
    return ids if config.privacy.level == "open" else None


def keyed(key: str, text: str) -> str:
    """The first signs of HMAC-SHA256 of an id under a key.

    >>> keyed("key", "The quick brown fox jumps over the lazy dog")
    'f7bc83f43053'
    """
    return hmac.new(key.encode(), text.encode("utf-8", "surrogatepass"), "sha256").hexdigest()[
        :SIGNS
    ]
