"""Heavy tails from streamed rows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
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
from reportgen.metrics.metric import find_amount_error, is_of_amounts
from reportgen.metrics.rows import Rows
from reportgen.streaming.layout import Of, Summand, TableSummand
from reportgen.streaming.states import State, build_keyed_sums, select_largest
from reportgen.streaming.totals import Totals

Counts = NDArray[np.int64]
KEPT = 4_096  # rows that are kept of each measure, at least
BINS = 1 << 15  # the sign, the exponent and six binary digits of a number in single precision
_REST = 17  # further digits
GRAIN = 2.0**-40  # of a standard error, of which what a bin holds is a whole multiple
MOST_ROWS = 10_000_000  # of which tails are looked for, as another pass takes half as long again
BYTES = 8 * (2 * BINS + KEPT)  # of a measure of a model
TailKey = Literal["influence", "error"]


@dataclass(frozen=True, eq=False)
class TailTerm:
    """What is looked at of a row: `scale` times its weight times what it adds, less `shift`.

    Of an influence that is `slopes` times the columns of a summand about their centres, of an
    error the error behind a loss that weighs one side more. So many are kept at the `most`;
    `shared` is what a row holds of the measure.
    """

    what: TailKey
    shared: ErrorShares
    slopes: Vector
    shift: float
    scale: float
    most: int

    def of(self, summand: Summand, rows: Rows, weight: Vector) -> Vector:
        """What is looked at of each row that weighs anything and is judged, (m,)."""
        columns, _ = summand.columns(rows)
        seen = weight > 0
        if summand.metric.leaves_out:
            seen &= columns[-1] > 0
        if self.what == "error":
            sides = bind_metric(summand.metric, rows).sides
            error = find_amount_error(summand.metric, rows) if sides is None else sides.error
            each = np.zeros(len(weight)) if error is None else error - self.shift
        else:
            each = np.full(len(weight), -self.shift)
            for slope, column, centre in zip(self.slopes, columns, summand.centre, strict=True):
                each += slope * (column - centre)
        return np.asarray((self.scale * weight * each)[seen])


@dataclass(frozen=True, eq=False)
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


Tails = Mapping[Of, ErrorTail]


@dataclass(frozen=True, eq=False)
class TailsOfRows:
    """What rows add to the errors of measures, and of some the errors behind their losses."""

    influence: Tails = field(default_factory=dict)
    errors: Tails = field(default_factory=dict)

    def select(
        self, of: Of, evidence: SamplingDistribution, counted: str, *, is_one_sided: bool
    ) -> UnitTails | ManyTails | None:
        """Return what units add to a measure of a model; None where nothing is known of them.

        It `is_one_sided` where few rows pay it.
        """
        tail, error = self.influence.get(of), self.errors.get(of)
        if tail is None or not tail.n:
            return None
        if tail.is_whole:
            known = replace(evidence, influence=tail.largest)
            each = None if error is None else error.largest
            return UnitTails(known, None, each, counted, is_one_sided=is_one_sided)
        units = tail.as_units(squares=1.0)  # they are told in units of the standard error
        others = error.as_units() if error is not None and is_one_sided else None
        return ManyTails(evidence.estimand, units, others, counted)


def are_tails_wanted(totals: Totals) -> bool:
    """Whether tails are looked for: of rows that are drawn one by one, and not of very many."""
    return totals.clusters is None and totals.rows <= MOST_ROWS


def plan_tails(totals: Totals, of: Sequence[Of]) -> dict[Of, TailTerm]:
    """By measure and model where a tail may be heavy: what its rows add to the error.

    Of rows in clusters nothing is known but of each row by itself; very many would take long.
    """
    found: dict[Of, TailTerm] = {}
    for each in of if are_tails_wanted(totals) else ():
        summand = totals.layout.summands.get(each)
        if summand is None or isinstance(summand, TableSummand) or summand.bound:
            continue
        metric = summand.metric
        if not can_have_heavy_tail(metric.estimand, metric.bounds):
            continue
        if not np.isfinite(totals.value(each)):
            continue
        slopes, shift, error = totals.linear(each)
        if error > 0 and np.isfinite(error):
            n = totals.judged_by(each).units
            shared = choose_error_shares(metric.estimand)
            found[each] = TailTerm("influence", shared, slopes, shift, 1 / error, count_kept(n))
    return found


def plan_error_tails(
    totals: Totals, of: Sequence[Of], tails: Tails | None = None
) -> dict[Of, TailTerm]:
    """The errors behind losses, less their mean once it is known.

    Behind those that weigh one side more, and behind all of amounts where all rows are kept.
    """
    found = {}
    for each in of:
        summand = totals.layout.summands.get(each)
        if summand is None or not _has_errors(summand, totals.judged_by(each).units):
            continue
        n, scale = totals.judged_by(each).units, 1 / (totals.largest or 1.0)
        shift = 0.0
        if tails is not None:
            shift = tails[each].mean * n / (scale * totals.judged_by(each).weight)
        found[each] = TailTerm("error", "squares", np.empty(0), shift, scale, count_kept(n))
    return found


def _has_errors(summand: Summand, n: int) -> bool:
    metric = summand.metric
    return metric.sides is not None or (is_of_amounts(metric) and n <= KEPT)


def count_kept(n: int) -> int:
    """How many of so many rows are kept."""
    return max(KEPT, tail_size(n) + 1)


def put_tail(state: State, of: Of, look: TailTerm, each: Vector) -> None:
    """Put the tail of the numbers of some rows into a state."""
    place = _bin(each)
    whole = np.zeros(len(each))
    if look.what == "influence":  # in standard errors: all squares add up to one
        whole = np.rint(_transform_shared_values(each, look.shared) / GRAIN)
    count = np.bincount(place, minlength=BINS)
    filled = np.flatnonzero(count)
    held = np.bincount(place, whole, BINS)
    table = np.stack([count[filled], held[filled].astype(np.int64)], axis=1)
    state.put("sum", "n", *of, value=len(each))
    state.put(f"largest {look.most}", "tail", *of, value=select_largest(each, look.most))
    state.put("least", "tail", *of, value=each.min(initial=np.inf))
    state.put("keyed sums 1", "bins", *of, value=build_keyed_sums(table, filled))


def build_tails(state: State, looks: Mapping[Of, TailTerm]) -> dict[Of, ErrorTail]:
    """Build the tails of all rows, by measure and model, from their state."""
    found = {}
    for of, look in looks.items():
        table = state["keyed sums 1", "bins", *of].view(np.int64)
        bins = np.zeros((2, BINS), np.int64)
        bins[:, table[:, 0]] = table[:, 1:].T
        largest = state[f"largest {look.most}", "tail", *of]
        n, least = int(state.number("sum", "n", *of)), state.number("least", "tail", *of)
        found[of] = ErrorTail(n, largest, least, *bins)
    return found


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
