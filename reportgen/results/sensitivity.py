"""Results of sensitivity analyses."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import fields
from typing import Literal

from reportgen.records import record
from reportgen.results.types import ChoiceKind, Number, Numbers, Params, Word


@record
class NamedRow:
    """A single row of the data: its id, and what else is shown of it, by name."""

    id: str
    shown: Params


@record
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


@record
class TailShares:
    """Shares of a model's total error held by its `rows` rows with the largest errors."""

    dataset: str
    model: str
    rows: int
    absolute_error: Number
    squared_error: Number


@record
class RankProbabilities:
    """Share of the resamples in which a model is 1st, 2nd, … of those that a metric judges."""

    dataset: str
    key: str
    model: str
    shares: Numbers


@record
class Deletion:
    """A set of `rows` rows, left out in favour of a model, and the comparison without it.

    Without limits there is no `word`, and nothing is known of its change; `is_stronger` says that
    it says more of the same. The favour is turned where the difference comes to speak for that
    model, lost where it speaks for nobody. `ids` are the first of the rows, None where none may be
    named.
    """

    candidate: str
    baseline: str
    rows: int
    in_favour_of: str
    difference: Number
    low: Number
    high: Number
    word: Word | None
    word_before: Word
    is_changed: bool | None
    is_stronger: bool | None
    is_turned: bool
    is_lost: bool
    ids: tuple[str, ...] | None = None


@record
class CaseDeletion:
    """The sets found to change the comparisons of one metric, for `searched` of `pairs` pairs."""

    dataset: str
    key: str
    unit: str
    search: Literal["greedy by influence"]
    pairs: int
    searched: int
    sets: tuple[Deletion, ...]


@record
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


@record
class Wins:
    """On how many rows a candidate wins, ties and loses, and by how much.

    `ahead`, `level`, `behind` count rows; `share_ahead` and `share_behind` are shares of the
    weight, with limits at `confidence`. `gain` and `loss` are the mean differences where it is
    ahead and behind, turned so that more is better; `worst` is the mean of the `worst_of` rows that
    lose most. `risk` is the mean difference with losses counted twice. `p_value` is of the sign
    test. `differences` are those of the rows ascending, or as many of their quantiles.
    """

    dataset: str
    key: str
    candidate: str
    baseline: str
    n: int
    ahead: int
    level: int
    behind: int
    share_ahead: Number
    ahead_low: Number
    ahead_high: Number
    share_behind: Number
    behind_low: Number
    behind_high: Number
    gain: Number
    loss: Number
    worst: Number
    worst_of: int
    risk: Number
    risk_low: Number
    risk_high: Number
    p_value: Number
    confidence: float
    differences: Numbers


@record
class Harm:
    """The share of rows that lose more than `drop` on a metric, with its limits."""

    dataset: str
    key: str
    candidate: str
    baseline: str
    drop: float
    share: Number
    low: Number
    high: Number
    level: float
    n: int
    segment: str | None = None


@record
class AlternativeChoice:
    """The primary comparison under another choice; the first of a pair is as declared.

    The pairs under one choice stand in the families of the primary comparisons: the limits allow
    for `family_size` of them. Those of `kind` interval and chance are read from the same resamples.
    All others are made by formulas, as is the first of kind formula, where resamples decide: they
    differ from that one in the choice alone. `is_other`: their verdict is on another side, or less.
    """

    dataset: str
    key: str
    candidate: str
    baseline: str
    choice: str
    value: str
    difference: Number
    low: Number
    high: Number
    level: float
    n: int
    word: Word
    is_other: bool
    margin: Number = None
    family_size: int = 1
    kind: ChoiceKind = "convention"


@record
class JudgementCoverage:
    """Coverage of one model's lists by judgements: of the first `k` ranks, and of all.

    `judged` is the mean share of judged documents among the first k that there are, `short` the
    share of rows whose list is shorter and lacks some that were judged, `deepest` the longest list,
    `tied` the share of documents that are tied.
    `ties` is the mean of the best less the worst order of ties on the primary metric, `single`
    the neighbours whose scores are equal in single precision alone.
    """

    dataset: str
    model: str
    k: int
    judged: Number
    short: Number
    deepest: int
    documents: int
    tied: Number
    empty: int
    ties: Number = None
    single: int = 0


@record
class CurvePeak:
    """Highest point of one model's curve: the choice that the rows of `learnt_on` make.

    From `x_low` to `x_high` lies the middle 95 % of where resamples of these put it, `share` of
    them at `x`. `value` is the height there on the rows judged, `highest` the most that these
    reach, at `highest_x`. Where both sets of rows are the same the interval of the value has the
    choice made anew in every resample, and the value is too high still.
    """

    dataset: str
    curve: str
    params: Params
    model: str
    x: Number
    x_low: Number
    x_high: Number
    share: Number
    value: Number
    low: Number
    high: Number
    level: float
    n: int
    highest_x: Number
    highest: Number
    learnt_on: str


@record
class PairedValues:
    """Values of both models of a pair on each row, and the spread of their differences.

    `x` is the baseline's value and `y` the candidate's: of each row, or of many rows the middles of
    the boxes `width` wide that hold any, each with how many `count` says. The bar k of the
    differences, turned so that more is better, goes from `edges[k]` to `edges[k + 1]` and holds
    `bars[k]` rows; rows that are level are in none.
    """

    dataset: str
    key: str
    candidate: str
    baseline: str
    n: int
    x: Numbers
    y: Numbers
    count: Numbers
    width: float
    edges: Numbers
    bars: Numbers


@record
class GradesByRank:
    """Grades at each rank of one model's lists: shares of the rows, by grade.

    `shares[g][k]` is the share with a document of `grades[g]` at rank k + 1; a grade of None is a
    document that nobody judged. What is left has no document so far down.
    """

    dataset: str
    model: str
    grades: Numbers
    shares: tuple[Numbers, ...]


@record
class RowValues:
    """Values of a model in a metric on each row, by row id; None where a row is left out."""

    dataset: str
    key: str
    model: str
    ids: tuple[str, ...]
    values: Numbers


@record
class ExtremeRow:
    """A row that a candidate wins or loses most on, by its id."""

    dataset: str
    key: str
    candidate: str
    baseline: str
    row: NamedRow
    value: Number
    baseline_value: Number
    difference: Number


@record
class Sensitivity:
    """Effects of other resamples, single rows, few rows and other parameters on the numbers."""

    ranks: tuple[RankProbabilities, ...] = ()
    influence: tuple[Influence, ...] = ()
    tails: tuple[TailShares, ...] = ()
    deletions: tuple[CaseDeletion, ...] = ()
    bucket_counts: tuple[BucketCount, ...] = ()
    wins: tuple[Wins, ...] = ()
    harms: tuple[Harm, ...] = ()
    choices: tuple[AlternativeChoice, ...] = ()
    pools: tuple[JudgementCoverage, ...] = ()
    pairs: tuple[PairedValues, ...] = ()
    grades: tuple[GradesByRank, ...] = ()
    peaks: tuple[CurvePeak, ...] = ()
    extremes: tuple[ExtremeRow, ...] = ()
    row_values: tuple[RowValues, ...] = ()

    def select_dataset(self, dataset: str) -> Sensitivity:
        """Return what was found on one dataset."""
        return Sensitivity(
            **{
                field.name: tuple(
                    row for row in getattr(self, field.name) if row.dataset == dataset
                )
                for field in fields(self)
            }
        )

    @staticmethod
    def join(found: Iterable[Sensitivity]) -> Sensitivity:
        """Join what was found on several datasets, one after the other."""
        each = tuple(found)
        return Sensitivity(
            **{
                field.name: tuple(row for one in each for row in getattr(one, field.name))
                for field in fields(Sensitivity)
            }
        )
