"""Closed lists that all layers share: scales, sections, warning codes, outputs and their files."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Literal

# What the score of a model is, and what a statistic may need of one.
Scale = Literal["amount", "probability", "score", "rank", "label"]
Needs = Literal["order", "amount", "density", "probability", "label", "call"]

SECTION_NAMES = tuple(
    """
    decision basis results classes costs segments folds across changes robustness data method
    reference
""".split()
)

WARNING_CODES = tuple(
    f"W{number}" for number in (*range(101, 145), 151, *range(201, 208), *range(231, 237), 241, 251)
)
"""A code is never used again for another warning."""

# By the output's name in a config, in the order in which outputs are named to people.
FILES: Mapping[str, str] = MappingProxyType(
    {
        "html": "report.html",
        "pdf": "report.pdf",
        "json": "results.json",
        "markdown": "report.md",
        "junit": "junit.xml",
        "queries": "queries.csv",
        "metrics": "metrics.json",
        "curves": "curves.csv",
        "openmetrics": "metrics.txt",
        "statement": "statement.json",
    }
)
TABLES = "tables"  # an output that is a folder: a small file for each figure and table
QUERIES = "queries"  # a file with the value of each query
NAMES = (*FILES, TABLES)
STATEMENT = "statement"  # what the gates say of the models, for signing
ON_REQUEST = (QUERIES, "metrics", "curves", "openmetrics", STATEMENT)  # where they are named
USUAL = tuple(name for name in NAMES if name not in ON_REQUEST)  # where a config names none
RESULTS = FILES["json"]  # written always, whatever is asked for
MANIFEST = "manifest.json"  # the digest of every other file, written always and last
SUMS = "SHA256SUMS"  # the same for `sha256sum -c`, the manifest among them
VOUCHING = (MANIFEST, SUMS)
DRAWN: Mapping[str, str] = MappingProxyType(
    {output: name for output, name in FILES.items() if name != RESULTS}
)


@dataclass(frozen=True)
class Margin:
    """The smallest difference that matters: in the metric's unit, or as a share of a value."""

    size: float
    is_relative: bool = False

    def at(self, value: float) -> float:
        """Return the margin in the metric's unit, given the baseline's value.

        >>> Margin(0.02, is_relative=True).at(50.0)
        1.0
        """
        return self.size * abs(value) if self.is_relative else self.size
