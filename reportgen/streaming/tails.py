"""Heavy tails from streamed rows."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import field, replace
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from reportgen.checks.heavy_tails import (
    ErrorShares,
    ManyTails,
    UnitSizes,
    UnitTails,
    can_have_heavy_tail,
    choose_error_shares,
    is_tail_heavy,
    share_of_largest,
    tail_size,
)
from reportgen.inference.sampling_distribution import SamplingDistribution
from reportgen.kernels.batch import Vector
from reportgen.metrics.folds import bind_metric
from reportgen.metrics.metric import Metric, find_amount_error, is_of_amounts
from reportgen.metrics.rows import Rows
from reportgen.metrics.traits import NEAREST
from reportgen.records import record
from reportgen.streaming.layout import Of, Summand, TableSummand, find_cell
from reportgen.streaming.states import State, select_largest
from reportgen.streaming.totals import Totals

Counts = NDArray[np.int64]
Mask = NDArray[np.bool_]
KEPT = 4_096  # rows that are kept of each measure, at least
BINS = 1 << 15  # the sign, the exponent and six binary digits of a number in single precision
_REST = 17  # further digits
GRAIN = 2.0**-40  # of a standard error, of which what a bin holds is a whole multiple
MOST_ROWS = 10_000_000  # of which tails are looked for, as another pass takes half as long again
BYTES = 8 * (2 * BINS + KEPT)  # of a measure of a model
TailKey = Literal["influence", "error"]


OfTail = tuple[str, ...]
"""A metric with a model, or with two models of which the first minus the second is looked at."""


@record(eq=False)
class TailEnd:
    """One model: `slopes` times the columns of its summand about their centres, less `shift`.

    In a table of classes it is the slope of the row's cell, of an error the error less `shift`. It
    counts with its `sign`.
    """

    of: Of
    slopes: Vector
    shift: float
    sign: float = 1.0


@record(eq=False)
class TailTerm:
    """What is looked at of a row: `scale` times its weight times what it adds to one end or two.

    That is an influence on what the tail is `of`, or the error behind a loss that weighs one side
    more. So many are kept at the `most`; `shared` is what a row holds of the measure.
    """

    what: TailKey
    of: OfTail
    shared: ErrorShares
    ends: tuple[TailEnd, ...]
    scale: float
    most: int


@record(eq=False)
class RowsOfTails:
    """Some rows in which tails are looked for; ends that several tails share are found once."""

    known: Mapping[Of, Summand]
    data: Mapping[str, Rows]
    weight: Vector
    _ends: dict[tuple[TailKey, Of], tuple[Vector, Mask]] = field(default_factory=dict)

    def find(self, look: TailTerm) -> Vector:
        """Find what is looked at of each row that weighs anything and is judged, (m,)."""
        if not self.data:
            return np.empty(0)
        total, seen = np.zeros(len(self.weight)), np.zeros(len(self.weight), np.bool_)
        for end in look.ends:
            if (look.what, end.of) not in self._ends:
                self._ends[look.what, end.of] = self._find_end(look.what, end)
            part, judged = self._ends[look.what, end.of]
            seen |= judged
            total = total + part if end.sign > 0 else total - part
        total *= look.scale * self.weight
        return total if seen.all() else total[seen]

    def _find_end(self, what: TailKey, end: TailEnd) -> tuple[Vector, Mask]:
        """Find what an end adds to each row, 0 where it is not judged, and where it is."""
        summand, rows = self.known[end.of], self.data[end.of[1]]
        columns, judged = summand.columns(rows)[0], self.weight > 0
        if summand.metric.leaves_out:
            judged = judged & (columns[-1] > 0)
        if what == "error":
            sides = bind_metric(summand.metric, rows).sides
            error = find_amount_error(summand.metric, rows) if sides is None else sides.error
            each = np.zeros(len(rows)) if error is None else error - end.shift
        elif isinstance(summand, TableSummand):
            each = end.slopes[find_cell(rows)]
        else:
            each = np.full(len(rows), -end.shift)
            for slope, column, centre in zip(end.slopes, columns, summand.centre, strict=True):
                each += slope * (column - centre)
        return np.where(judged, each, 0.0), judged


@record(eq=False)
class ErrorTail:
    """Numbers of `n` rows: the `largest` by size, in order, and the `least` of all.

    `bins` are how many fall into each bin, `held` whole multiples of a grain that they hold in it:
    the numbers, their sizes or their squares, as the measure shares it out.
    """

    n: int
    largest: Vector
    least: float
    bins: Counts
    held: Counts

    @property
    def is_whole(self) -> bool:
        """Whether all are kept."""
        return self.n == len(self.largest)

    def as_units(self, squares: float | None = None) -> UnitSizes:
        """The same as what judges very many units; their squares are of the bins unless known."""
        found = float(self.bins @ _middles() ** 2) if squares is None else squares
        return UnitSizes(self.n, np.abs(self.largest), found, self._top_share)

    @property
    def may_be_told(self) -> bool:
        """Whether it is heavy; or so few rows are known that others say so."""
        return self.n > 0 and (self.is_whole or is_tail_heavy(self.as_units(squares=1.0)))

    @property
    def mean(self) -> float:
        """Their mean, from the bins unless all are kept."""
        total = self.largest.sum() if self.is_whole else self.bins @ _middles()
        return float(total) / max(self.n, 1)

    def _top_share(self, shared: ErrorShares) -> float:
        filled = self.bins > 0
        values, count, held = _middles()[filled], self.bins[filled], self.held[filled] * GRAIN
        if shared == "above the least":
            order, each = np.argsort(-values, kind="stable"), held / count - self.least
        else:
            order, each = np.argsort(-np.abs(values), kind="stable"), held / count
        return share_of_largest(each[order], count[order])


Tails = Mapping[OfTail, ErrorTail]


@record(eq=False)
class TailsOfRows:
    """What rows add to the errors of measures, and of some the errors behind their losses."""

    influence: Tails = field(default_factory=dict)
    errors: Tails = field(default_factory=dict)

    def select(
        self,
        of: OfTail,
        evidence: SamplingDistribution,
        counted: str = "",
        *,
        is_one_sided: bool = False,
        is_of_amounts: bool = False,
    ) -> UnitTails | ManyTails | None:
        """Return what units add to a measure or a difference; None where nothing is known of them.

        It `is_one_sided` where few rows pay it.
        """
        tail, error = self.influence.get(of), self.errors.get(of)
        if tail is None or not tail.n:
            return None
        if tail.is_whole:
            known = replace(evidence, influence=tail.largest)
            each = None if error is None else error.largest
            return UnitTails(
                known,
                None,
                each,
                counted,
                is_one_sided=is_one_sided,
                is_of_amounts=is_of_amounts,
            )
        units = tail.as_units(squares=1.0)  # they are told in units of the standard error
        others = error.as_units() if error is not None and is_one_sided else None
        return ManyTails(evidence.estimand, units, others, counted)


def are_tails_wanted(totals: Totals) -> bool:
    """Whether another pass looks for tails: of clusters all is known, and of very many rows not."""
    return totals.clusters is None and totals.rows <= MOST_ROWS


def plan_tails(totals: Totals, of: Sequence[OfTail]) -> Iterator[TailTerm]:
    """Yield what rows add to the errors of measures and differences whose tails may be heavy."""
    for key, *models in of:
        ends = [(key, model) for model in models]
        known = [each for end in ends if (each := totals.layout.summands.get(end)) is not None]
        if len(known) < len(ends) or any(each.bound for each in known):
            continue
        metric = known[0].metric
        if not can_have_heavy_tail(metric.estimand, metric.bounds):
            continue
        if not np.isfinite([totals.value(end) for end in ends]).all():
            continue
        signs = {model: _sign_of(totals.value((key, model)), metric) for model in models}
        if len(models) > 1:
            signs[models[1]] *= -1
        looks = [TailEnd(end, *totals.linear(end), signs[end[1]]) for end in ends]
        error = totals.weight * totals.measure_spread(key, signs)
        if error > 0 and np.isfinite(error):
            n = max(totals.judged_by(end).units for end in ends)
            shared = choose_error_shares(metric.estimand)
            of_tail = (key, *models)
            yield TailTerm("influence", of_tail, shared, tuple(looks), 1 / error, count_kept(n))


def _sign_of(value: float, metric: Metric) -> float:
    """Return the sign with which a value counts: where what is nearest is best, of its distance."""
    return -1.0 if metric.better in NEAREST and value < NEAREST[metric.better] else 1.0


def plan_error_tails(
    totals: Totals, of: Iterable[OfTail], tails: Tails | None = None
) -> Iterator[TailTerm]:
    """Yield the errors behind losses, less their mean once it is known.

    Behind those that weigh one side more, and behind all of amounts where all rows are kept.
    """
    for each in [(key, models[0]) for key, *models in of if len(models) == 1]:
        if not _has_errors(totals.layout.summands[each], totals.judged_by(each).units):
            continue
        n, scale = totals.judged_by(each).units, 1 / (totals.largest or 1.0)
        shift = 0.0
        if tails is not None:
            shift = tails[each].mean * n / (scale * totals.judged_by(each).weight)
        ends = (TailEnd(each, np.empty(0), shift),)
        yield TailTerm("error", each, "squares", ends, scale, count_kept(n))


def _has_errors(summand: Summand, n: int) -> bool:
    metric = summand.metric
    return metric.sides is not None or (is_of_amounts(metric) and n <= KEPT)


def count_kept(n: int) -> int:
    """How many of so many rows are kept."""
    return max(KEPT, tail_size(n) + 1)


def put_tail(state: State, look: TailTerm, each: Vector) -> None:
    """Put the tail of the numbers of some rows into a state."""
    place, of = _bin(each), (look.what, *look.of)
    whole = np.zeros(len(each))
    if look.what == "influence":  # in standard errors: all squares add up to one
        whole = np.rint(_transform_shared_values(each, look.shared) / GRAIN)
    count = np.bincount(place, minlength=BINS)
    filled = np.flatnonzero(count)
    held = np.bincount(place, whole, BINS)[filled].astype(np.int64)
    state.put("sum", "n", *of, value=len(each))
    state.put(f"largest {look.most}", "tail", *of, value=select_largest(each, look.most))
    state.put("least", "tail", *of, value=each.min(initial=np.inf))
    table = np.column_stack([filled, count[filled], held]).view(np.uint64)
    state.put("keyed sums 1", "bins", *of, value=table)


def build_tails(state: State, looks: Sequence[TailTerm]) -> TailsOfRows:
    """Build the tails of all rows from their state."""
    found: dict[TailKey, dict[OfTail, ErrorTail]] = {"influence": {}, "error": {}}
    for look in looks:
        of = (look.what, *look.of)
        table = state["keyed sums 1", "bins", *of].view(np.int64)
        bins = np.zeros((2, BINS), np.int64)
        bins[:, table[:, 0]] = table[:, 1:].T
        largest = state[f"largest {look.most}", "tail", *of]
        largest = largest[np.lexsort((-largest, -np.abs(largest)))]
        n, least = int(state.number("sum", "n", *of)), state.number("least", "tail", *of)
        found[look.what][look.of] = ErrorTail(n, largest, least, *bins)
    return TailsOfRows(found["influence"], found["error"])


def _transform_shared_values(values: Vector, shared: ErrorShares) -> Vector:
    if shared == "above the least":
        return values
    return np.abs(values) if shared == "sizes" else values**2


def _bin(values: Vector) -> Counts:
    """The bin of each number, (n,)."""
    words = np.ascontiguousarray(values.astype(np.float32)).view(np.uint32)
    return np.asarray(words >> _REST, np.int64)


def _middles() -> Vector:
    """The number in the middle of each bin; 0 of those that hold no number."""
    words = (np.arange(BINS, dtype=np.uint32) << _REST) + np.uint32(1 << _REST - 1)
    with np.errstate(invalid="ignore"):
        found = words.view(np.float32).astype(np.float64)
    return np.where(np.isfinite(found), found, 0.0)
