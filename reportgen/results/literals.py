"""The closed lists of words that results are told in."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal, TypeVar

_Key = TypeVar("_Key")
_Value = TypeVar("_Value")

Verdict = Literal[
    "better", "not worse", "equivalent", "worse", "inconclusive", "undefined", "not applicable"
]
Better = Literal["higher", "lower", "zero", "one"]
NEAREST: Mapping[str, float] = {"zero": 0.0, "one": 1.0}
"""What is best of a metric that neither end of its range is best of."""
FEWEST_QUERIES = 10
"""Queries under which nothing is decided."""
FEWEST_FOLDS = 3
"""Folds under which nothing is decided: the spread of two is one difference."""
Lacking = Literal["", "queries", "folds", "datasets"]
FEWEST_DATASETS = 6
"""Data sets under which nothing is decided: no signed ranks of five have a p-value under 5%."""
FEWEST: Mapping[Lacking, int] = {
    "": 0, "queries": FEWEST_QUERIES, "folds": FEWEST_FOLDS, "datasets": FEWEST_DATASETS,
}  # fmt: skip
Kind = Literal["order", "amount", "cost", "probability", "decision"]
DecisionKind = Literal["replace", "choose", "rank", "shift", "enough"]
Family = Literal["primary", "secondary", "segments", "classes", "confusions"]
Counted = Literal["row", "cluster", "query", "time"]
ChoiceKind = Literal[
    "declared", "formula", "interval", "chance", "rows", "definition", "buckets", "design",
    "costs", "own", "convention",
]  # fmt: skip
GateStatus = Literal["pass", "fail", "inconclusive", "skipped"]


class OpenWords(dict[_Key, _Value]):
    """What words mean; a word that only another version knows means `other`.

    >>> OpenWords({"pass": "good"}, "neutral")["waived"]
    'neutral'
    """

    def __init__(self, known: Mapping[_Key, _Value], other: _Value) -> None:
        super().__init__(known)
        self._other = other

    def __missing__(self, word: object) -> _Value:
        return self._other
