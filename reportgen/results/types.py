"""Types that all results share: numbers, closed lists of words, raised warnings."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import field, fields
from math import isfinite
from typing import Any, Literal, TypeVar

from reportgen.records import record
from reportgen.terms import LIMITS

Number = float | None
Scalar = str | float | int | bool | None
Numbers = tuple[Number, ...]
Params = dict[str, Scalar]
Plain = dict[str, object]

Status = Literal["ok", "undefined", "not applicable"]


_Made = TypeVar("_Made")


def copy_fields(kind: type[_Made], source: object, **others: Any) -> _Made:
    """Make a dataclass of a kind from the fields that a source has as well, and from others."""
    names = [each.name for each in fields(kind) if hasattr(source, each.name)]  # type: ignore[arg-type]
    return kind(**{name: getattr(source, name) for name in names} | others)


def round_number(value: float | None) -> Number:
    """Round to ten significant digits; what is not finite becomes None.

    >>> round_number(1 / 3)
    0.3333333333
    >>> round_number(float("nan")) is None
    True
    """
    return None if value is None or not isfinite(value) else round_to_ten_digits(value)


def round_to_ten_digits(value: float) -> float:
    """Round a finite number, as `round_number` does."""
    return float(f"{value:.9e}")


def round_numbers(values: Iterable[float]) -> Numbers:
    """Round each as `round_number` does; formatting all at once takes less time."""
    numbers = tuple(map(float, values))
    rounded = map(float, ("%.9e " * len(numbers) % numbers).split())
    return tuple([value if isfinite(value) else None for value in rounded])


_Key = TypeVar("_Key")
_Value = TypeVar("_Value")

Word = Literal[
    "clearly better",
    "better",
    "equivalent",
    "not worse",
    "not better",
    "cannot tell",
    "worse",
    "clearly worse",
    "no result",
]
"""The verdict on a comparison, everywhere."""
Better = Literal["higher", "lower", "zero", "one"]
NEAREST: Mapping[str, float] = {"zero": 0.0, "one": 1.0}
"""What is best of a metric that neither end of its range is best of."""
FEWEST_QUERIES = int(LIMITS["W131"]["verdict"])
"""Queries under which nothing is decided."""
FEWEST_FOLDS = int(LIMITS["W126"]["verdict"])
"""Folds under which nothing is decided: the spread of two is one difference."""
Lacking = Literal["", "queries", "folds", "datasets"]
FEWEST_DATASETS = int(LIMITS["W126"]["datasets"])
"""Data sets under which nothing is decided: no signed ranks of five have a p-value under 5%."""
FEWEST: Mapping[Lacking, int] = {
    "": 0,
    "queries": FEWEST_QUERIES,
    "folds": FEWEST_FOLDS,
    "datasets": FEWEST_DATASETS,
}
Kind = Literal[
    "order", "amount", "cost", "probability", "decision", "answers", "samples", "expense"
]
DecisionKind = Literal["replace", "choose", "rank", "shift", "enough", "meets"]
Needed = Literal["better", "not_worse"]
"""What a candidate must be to take the place of the baseline."""
Family = Literal[
    "asked",
    "others",
    "choice",
    "best",
    "declared",
    "metrics",
    "segments",
    "classes",
    "confusions",
]
"""The comparisons whose intervals allow for one another."""
Counted = Literal["row", "cluster", "query", "time"]
ChoiceKind = Literal[
    "declared",
    "formula",
    "interval",
    "chance",
    "rows",
    "definition",
    "buckets",
    "design",
    "costs",
    "own",
    "convention",
]
GateRule = Literal[
    "below",
    "above",
    "better",
    "non_inferior",
    "no_regression",
    "not_worse_than_previous",
    "few_harmed",
    "gap_below",
    "gap_no_wider",
]
RequirementStatus = Literal[
    "met", "not met", "cannot tell", "not judged", "skipped", "no harm seen"
]
"""How a requirement ends. `no harm seen`: `no_regression` found no loss, and excludes none.
`not judged`: the data do not support a judgement."""
PASSED: tuple[RequirementStatus, ...] = ("met", "no harm seen")


class OpenVocabulary(dict[_Key, _Value]):
    """Meanings of words; a word that only another version knows means `other`.

    >>> OpenVocabulary({"pass": "good"}, "neutral")["waived"]
    'neutral'
    """

    def __init__(self, known: Mapping[_Key, _Value], other: _Value) -> None:
        super().__init__(known)
        self._other = other

    def __missing__(self, word: object) -> _Value:
        return self._other


@record
class RaisedWarning:
    """A code with the numbers that are its evidence, rounded; the words are found elsewhere.

    `segment`, `key` (of a metric) and `model` say what it is about; None where it is about all.
    """

    code: str
    numbers: Mapping[str, Scalar] = field(default_factory=dict)
    segment: str | None = None
    key: str | None = None
    model: str | None = None

    def __post_init__(self) -> None:
        numbers = {
            name: round_to_ten_digits(value)
            if isinstance(value, float) and isfinite(value)
            else value
            for name, value in self.numbers.items()
        }
        object.__setattr__(self, "numbers", numbers)


def name_bin_bound(key: str, model: str) -> str:
    """Return the name, in the numbers of W251, of how far off a value from bins can be."""
    return f"bound of {key}, {model}"
