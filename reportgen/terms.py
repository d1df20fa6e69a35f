"""Closed lists that all layers share: kinds of scores, and outputs with their files."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Literal

# What the score of a model is, and what a statistic may need of one.
Scale = Literal["amount", "probability", "score", "rank", "label"]
Needs = Literal["order", "amount", "density", "probability", "label", "call"]

SECTION_NAMES = ("decision", "basis", "results", "classes", "costs", "segments", "folds", "across",
                 "changes", "robustness", "data", "method", "reference")  # fmt: skip

WARNING_CODES = (
    "W101", "W102", "W103", "W104", "W105", "W106", "W107", "W108", "W109", "W110", "W111", "W112",
    "W113", "W114", "W115", "W116", "W117", "W118", "W119", "W120", "W121", "W122", "W123", "W124",
    "W125", "W126", "W127", "W128", "W129", "W130", "W131", "W132", "W133", "W134", "W135", "W136",
    "W137", "W138", "W139", "W140", "W141", "W142", "W143", "W144", "W151", "W201", "W202", "W203",
    "W204", "W205", "W206", "W207", "W231", "W232", "W233", "W234", "W235", "W236", "W241", "W251",
)  # fmt: skip

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
