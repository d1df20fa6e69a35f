"""Plan the names of rows in a report."""

from __future__ import annotations

import hmac
import os
from collections.abc import Sequence

from reportgen.analysis.plan import RowNames
from reportgen.config import Config
from reportgen.data.sample import Sample
from reportgen.terms import QUERIES

PSEUDONYM_KEY_VARIABLE = "REPORTGEN_ID_KEY"
PSEUDONYM_LENGTH = 12


def plan_row_names(config: Config, sample: Sample) -> RowNames:
    """Plan the names of single rows, and whether the values of all rows are kept."""
    kept = tuple(sample.ids) if QUERIES in config.outputs else None
    return RowNames(choose_shown_ids(config, sample.ids), kept)


def choose_shown_ids(config: Config, ids: Sequence[str]) -> Sequence[str] | None:
    """Return the row ids to show; None where none may be, as without a key unless all are open."""
    if not config.report.show_ids:
        return None
    key = os.environ.get(PSEUDONYM_KEY_VARIABLE, "")
    if key:
        return [pseudonymize_id(key, each) for each in ids]
    return ids if config.privacy.level == "open" else None


def pseudonymize_id(key: str, text: str) -> str:
    """Return the first characters of the HMAC-SHA256 of an id under a key.

    >>> pseudonymize_id("key", "The quick brown fox jumps over the lazy dog")
    'f7bc83f43053'
    """
    return hmac.new(key.encode(), text.encode("utf-8", "surrogatepass"), "sha256").hexdigest()[
        :PSEUDONYM_LENGTH
    ]
