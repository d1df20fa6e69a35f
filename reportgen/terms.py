"""Closed lists that all layers share: kinds of scores, and outputs with their files."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Literal

# What the score of a model is, and what a statistic may need of one.
Scale = Literal["amount", "probability", "score", "rank", "label"]
Needs = Literal["order", "amount", "density", "probability", "label", "call"]

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
