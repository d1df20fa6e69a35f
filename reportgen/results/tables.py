"""Tables of results: one class for each kind of row, read by its attributes.

`key` names a use of a metric, as in the estimates. All rows of `Sensitivity` are of all rows of a
dataset, never of a segment.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, fields
from typing import Literal

from reportgen.results.numbers import Number, Numbers, Params


@dataclass(frozen=True)
class NamedRow:
    """A single row of the data: its id, and what else is shown of it, by name."""

    id: str
    shown: Params


@dataclass(frozen=True)
class Influence:
    """The row whose absence changes a value most.

    `change` is a share of the value, None where that may be zero. `search` says which rows were
    left out in turn; `row` is None where no row may be named.
    """

    dataset: str
    key: str
    model: str
    value: Number
    without: Number
    change: Number
    search: str
    row: NamedRow | None = None


@dataclass(frozen=True)
class Tail:
    """What the `rows` rows with the largest errors hold of all error of a model, as shares."""

    dataset: str
    model: str
    rows: int
    absolute_error: Number
    squared_error: Number


@dataclass(frozen=True)
class RankProbabilities:
    """Share of the resamples in which a model is 1st, 2nd, … of those that a metric judges."""

    dataset: str
    key: str
    model: str
    shares: Numbers


@dataclass(frozen=True)
class DifferenceFromBest:
    """A model's difference from the best by value, with limits that allow for all models.

    It is distinguishable where the limits leave out zero.
    """

    dataset: str
    key: str
    best: str
    model: str
    difference: Number
    low: Number
    high: Number
    level: Number
    is_distinguishable: bool


@dataclass(frozen=True)
class Deletion:
    """A set of `rows` rows, left out in favour of a model, and the comparison without it.

    The verdicts are in words. Without limits there is no verdict, and nothing is known of its
    change; `is_stronger` says that it says more of the same. The favour is turned where the
    difference comes to speak for that model, lost where it speaks for nobody. `ids` are the first
    of the rows, None where none may be named.
    """

    candidate: str
    baseline: str
    rows: int
    in_favour_of: str
    difference: Number
    low: Number
    high: Number
    verdict: str | None
    verdict_before: str
    is_changed: bool | None
    is_stronger: bool | None
    is_turned: bool
    is_lost: bool
    ids: tuple[str, ...] | None = None


@dataclass(frozen=True)
class CaseDeletion:
    """The sets found to change the comparisons of one metric, for `searched` of `pairs` pairs."""

    dataset: str
    key: str
    unit: str
    search: Literal["greedy by influence"]
    pairs: int
    searched: int
    sets: tuple[Deletion, ...]


@dataclass(frozen=True)
class BucketCount:
    """A metric of buckets with another number of buckets: a difference, or a value, with limits.

    `baseline` is None where nothing is compared.
    """

    dataset: str
    key: str
    model: str
    baseline: str | None
    buckets: int
    value: Number
    low: Number
    high: Number


@dataclass(frozen=True)
class Sensitivity:
    """What other resamples, single rows, few rows and other parameters do to the numbers."""

    ranks: tuple[RankProbabilities, ...] = ()
    from_best: tuple[DifferenceFromBest, ...] = ()
    influence: tuple[Influence, ...] = ()
    tails: tuple[Tail, ...] = ()
    deletions: tuple[CaseDeletion, ...] = ()
    bucket_counts: tuple[BucketCount, ...] = ()

    def of(self, dataset: str) -> Sensitivity:
        """What is found of one dataset."""
        return Sensitivity(
            **{
                field.name: tuple(
                    row for row in getattr(self, field.name) if row.dataset == dataset
                )
                for field in fields(self)
            }
        )

    @staticmethod
    def of_all(found: Iterable[Sensitivity]) -> Sensitivity:
        """What is found of several datasets, one after the other."""
        each = tuple(found)
        return Sensitivity(
            **{
                field.name: tuple(row for one in each for row in getattr(one, field.name))
                for field in fields(Sensitivity)
            }
        )
