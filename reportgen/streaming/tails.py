"""Heavy tails from streamed rows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
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
from reportgen.metrics.rows import Rows
from reportgen.streaming.layout import Of, Summand, TableSummand
from reportgen.streaming.sums import State
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
            each = np.zeros(len(weight)) if sides is None else sides.error - self.shift
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

    def __getstate__(self) -> tuple[int, Vector, float, Counts, Counts, Counts]:
        """What another process is sent: the bins that hold anything."""
        filled = np.flatnonzero(self.bins)
        return self.n, self.largest, self.least, filled, self.bins[filled], self.held[filled]

    def __setstate__(self, state: tuple[int, Vector, float, Counts, Counts, Counts]) -> None:
        """The same with all bins."""
        n, largest, least, filled, bins, held = state
        every = np.zeros((2, BINS), np.int64)
        every[:, filled] = bins, held
        for each, value in zip(fields(self), (n, largest, least, *every), strict=True):
            object.__setattr__(self, each.name, value)

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
        self, of: Of, evidence: SamplingDistribution, counted: str
    ) -> UnitTails | ManyTails | None:
        """Return what units add to a measure of a model; None where nothing is known of them."""
        tail, error = self.influence.get(of), self.errors.get(of)
        if tail is None or not tail.n:
            return None
        if tail.is_whole:
            known = replace(evidence, influence=tail.largest)
            return UnitTails(known, None, None if error is None else error.largest, counted)
        units = tail.as_units(squares=1.0)  # they are told in units of the standard error
        others = None if error is None else error.as_units()
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
        summand = totals.summand(each)
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
    """The errors behind such losses as weigh one side more, less their mean once it is known."""
    found = {}
    for each in of:
        summand = totals.summand(each)
        if summand is None or summand.metric.sides is None:
            continue
        n, scale = totals.judged_by(each).units, 1 / (totals.largest or 1.0)
        shift = 0.0
        if tails is not None:
            shift = tails[each].mean * n / (scale * totals.judged_by(each).weight)
        found[each] = TailTerm("error", "squares", np.empty(0), shift, scale, count_kept(n))
    return found


def count_kept(n: int) -> int:
    """How many of so many rows are kept."""
    return max(KEPT, tail_size(n) + 1)


def compute_tail(look: TailTerm, each: Vector) -> ErrorTail:
    """The tail of the numbers of some rows."""
    place = _bin(each)
    held = np.zeros(BINS, np.int64)
    if look.what == "influence":  # in standard errors: all squares add up to one
        whole = np.rint(_transform_shared_values(each, look.shared) / GRAIN)
        held = np.bincount(place, whole, BINS).astype(np.int64)
    counts = np.bincount(place, minlength=BINS).astype(np.int64), held
    least = float(each.min(initial=np.inf))
    return ErrorTail(len(each), _largest(each, look.most), least, *counts)


def merge_tails(one: ErrorTail, other: ErrorTail, most: int) -> ErrorTail:
    """That of the rows of both."""
    largest = _largest(np.append(one.largest, other.largest), most)
    sums = one.bins + other.bins, one.held + other.held
    return ErrorTail(one.n + other.n, largest, min(one.least, other.least), *sums)


class RunningTails:
    """The tails of all row groups so far, by measure and model."""

    def __init__(self, looks: Mapping[Of, TailTerm]) -> None:
        self._looks = looks
        self.all = {of: compute_tail(look, np.empty(0)) for of, look in looks.items()}

    def add(self, part: Tails) -> None:
        """Take in those of a row group."""
        for of, look in self._looks.items():
            self.all[of] = merge_tails(self.all[of], part[of], look.most)

    def state(self) -> State:
        """The same as arrays by name."""
        return [
            ((*of, each.name), np.asarray(getattr(tail, each.name)))
            for of, tail in self.all.items()
            for each in fields(tail)
        ]

    def resume(self, state: State) -> None:
        """Take in a state that was kept."""
        kept = {tuple(name): np.asarray(array) for name, array in state}
        for of in self._looks:
            n, largest, least, bins, held = (kept[*of, each.name] for each in fields(ErrorTail))
            self.all[of] = ErrorTail(int(n), largest, float(least), bins, held)


def _largest(values: Vector, most: int) -> Vector:
    """So many of the largest sizes, with their signs, in order: of two of a size the lower last."""
    if len(values) > most:
        sizes = np.abs(values)
        limit = np.partition(sizes, len(sizes) - most)[len(sizes) - most]
        above = values[sizes > limit]
        level = np.sort(values[sizes == limit])[::-1]
        values = np.append(above, level[: most - len(above)])
    return np.asarray(values[np.lexsort((-values, -np.abs(values)))])


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
