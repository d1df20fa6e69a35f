"""Curves with pointwise and simultaneous bands, and statistics of all models jointly."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import asdict, replace
from functools import cached_property
from math import inf, nan, sqrt
from typing import Literal

import numpy as np

from reportgen.analysis.dataset_analysis import DatasetAnalysis
from reportgen.analysis.plan import AnalysisPlan, ModelScores, explain_unsuited
from reportgen.analysis.row_subset import RowSubset
from reportgen.inference.bands import (
    FEWEST_ALONG,
    FEWEST_ROWS,
    compute_share_band,
    few_cluster_factor,
    interpolate_limits,
    is_rising,
    measure_spread,
    pointwise_limits,
    simultaneous_band,
)
from reportgen.inference.resampled_intervals import critical_value
from reportgen.inference.resampling.replicates import thread_map
from reportgen.inference.sampling_distribution import FEW_UNITS, SamplingDistribution
from reportgen.kernels.batch import Matrix, Vector
from reportgen.metrics.curves.curve import BoundCurve, Curve, Trace, UnseenRowEffects
from reportgen.metrics.statistic import Statistic
from reportgen.metrics.traits import Estimand, fill_unit, find_estimand
from reportgen.records import record
from reportgen.results.costs import CostAnalysis
from reportgen.results.curves import CurveInfo, CurveResult
from reportgen.results.types import Numbers, round_number, round_numbers

BY_CHANCE = "consistency band"  # of samples of a right model, around what that would show
DUST = 1e-12  # of a share: what rounding leaves of 0


def iter_curve_results(analysis: DatasetAnalysis, threads: int = 1) -> Iterator[CurveResult]:
    """Every curve of every model, then the differences of each pair on a shared grid."""
    with thread_map(threads) as mapped:
        for found in mapped(
            lambda curve: list(_iter_curve_results(analysis, curve)),
            analysis.plan.statistics.curves,
        ):
            yield from found


def _iter_curve_results(analysis: DatasetAnalysis, curve: Curve) -> Iterator[CurveResult]:
    """One curve of every model, then its differences."""
    whole = analysis.parts[0]
    for model in analysis.plan.models:
        yield _build_curve(analysis, whole, curve, model)
    if curve.has_band and not curve.is_of_target and not analysis.is_of_procedure:
        yield from _iter_differences(analysis, whole, curve)


def iter_curve_infos(curves: Iterable[Curve]) -> Iterator[CurveInfo]:
    """How each curve is told and drawn, and who is ahead where that is drawn too."""
    for curve in curves:
        yield CurveInfo(curve.name, of_target=curve.is_of_target, **asdict(curve.presentation))
        if curve.lead is not None:
            yield CurveInfo(name_of_lead_curve(curve), **asdict(curve.lead))


def name_of_lead_curve(curve: Curve) -> str:
    """Return the name of the curve of how often a candidate is ahead, drawn below differences."""
    return f"{curve.name}_ahead"


def _build_curve(
    analysis: DatasetAnalysis, part: RowSubset, curve: Curve, model: ModelScores
) -> CurveResult:
    reason = explain_unsuited(curve.needs, model)
    if reason:
        return _build_empty_curve(analysis, part, curve, model.name, reason)
    bound = part.curves[curve.key, model.name]
    trace = bound.trace(part.weight)
    if curve.by_chance is not None:
        rows, level = part.data[model.name], analysis.plan.inference.level
        right = curve.by_chance(rows, part.weight, trace.x, level, **curve.params)
        limits = np.empty(0), np.empty(0), *right
        return _build_result(analysis, part, curve, model.name, None, trace, limits)
    if not curve.has_band or analysis.is_of_procedure:
        return _build_result(analysis, part, curve, model.name, None, trace, (np.empty(0),) * 4)
    lent = curve.band_source
    source = curve if lent is None else lent.curve
    lender = part.curves[source.key, model.name]
    theta = lender.estimate
    drawn = analysis.replicates[None, (source.key, part.bound_curves.drawn_as(source, model.name))]
    level, thin = analysis.plan.inference.level, lender.count_thinner_rows(part.weight)
    among = lender.rows_among(part.weight)
    if among is not None and thin is not None:
        limits = _share_limits(curve, bound.grid, theta, drawn, part, trace, among, thin)
    elif lent is None:
        is_of_amounts = curve.is_level_of_y and _are_amounts(part.outcome)
        is_of_amounts = is_of_amounts or curve.is_level_of_loss
        limits = _compute_limits(
            curve,
            bound.grid,
            theta,
            drawn,
            part,
            trace,
            thin,
            is_of_amounts=is_of_amounts,
            unseen=bound.estimate_unseen_effects(part.weight),
        )
    else:
        # One for the whole curve, none of each point.
        band = simultaneous_band(theta, drawn, level, thin, source.bounds, clusters=_clusters(part))
        drawn_back = lent.limits(lender.grid, band.low, band.high, trace.x)
        limits = np.empty(0), np.empty(0), *drawn_back
    return _build_result(analysis, part, curve, model.name, None, trace, limits)


def _share_limits(  # noqa: PLR0913
    curve: Curve,
    grid: Vector,
    theta: Vector,
    drawn: Matrix,
    part: RowSubset,
    trace: Trace,
    among: Vector,
    beside: Vector,
) -> tuple[Vector, Vector, Vector, Vector]:
    """Limits of each point, and of the whole curve by the logits of its shares.

    A multiple of a share has as many times the limits of that.
    """
    level = part.plan.inference.level
    times = np.ones(len(grid)) if curve.multiple is None else curve.multiple(grid)
    points = pointwise_limits(drawn, level, curve.bounds)
    widening = few_cluster_factor(part.counted, level) if part.is_clustered else 1.0
    rising = not curve.is_monotone or is_rising(theta)
    one, other = theta / times, drawn / times
    one, other = (one, other) if rising else (1 - one, 1 - other)
    band = compute_share_band(one, other, level, among, beside, curve.is_monotone, widening)
    low, high = (band.low, band.high) if rising else (1 - band.high, 1 - band.low)
    low, high = times * low, times * high
    inner = interpolate_limits(trace.x, grid, *points, curve.is_monotone, rising)
    return (*inner, *interpolate_limits(trace.x, grid, low, high, curve.is_monotone, rising))


def _iter_differences(
    analysis: DatasetAnalysis, part: RowSubset, curve: Curve
) -> Iterator[CurveResult]:
    """Candidate minus baseline, where both are found at the same positions."""
    for candidate, baseline in analysis.plan.inference.curve_pairs:
        found = compute_curve_difference(analysis, part, curve, candidate, baseline)
        if found is None:
            continue
        yield found
        if curve.lead is not None and not _is_few(part):
            drawn = _difference_replicates(analysis, curve, candidate, baseline)
            grid = part.curves[curve.key, candidate].grid
            yield _build_lead_curve(
                analysis, part, curve, candidate, baseline, Trace(grid, compute_share_ahead(drawn))
            )


def compute_curve_difference(
    analysis: DatasetAnalysis, part: RowSubset, curve: Curve, candidate: str, baseline: str
) -> CurveResult | None:
    """Candidate minus baseline, with its own band; None where they share no positions."""
    first, second = (part.curves.get((curve.key, name)) for name in (candidate, baseline))
    if first is None or second is None or not np.array_equal(first.grid, second.grid):
        return None
    if curve.band_source is not None:
        return None  # its points are no function of one axis that models share
    theta = first.estimate - second.estimate
    drawn = _difference_replicates(analysis, curve, candidate, baseline)
    trace = Trace(first.grid, theta, first.trace(part.weight).labels)
    thin = _count_supporting_rows(part, (first, second), theta, drawn)
    limits = _compute_limits(curve, first.grid, theta, drawn, part, trace, thin, True)
    if curve.among is not None and thin is not None:
        low, high = (np.where(thin < FEWEST_ROWS, np.nan, each) for each in limits[:2])
        limits = low, high, *limits[2:]
    return _build_result(analysis, part, curve, candidate, baseline, trace, limits)


def _count_supporting_rows(
    part: RowSubset, each: tuple[BoundCurve, BoundCurve], theta: Vector, drawn: Matrix
) -> Vector | None:
    """How many rows a difference rests on at each position: the fewest that either curve counts.

    Of shares those are the rows that they are shares of, too, and none where no resample moves the
    difference: what varies in no resample of few rows may well vary. Nor are there any where
    neither model has three rows of the rarest kind that heights differ by, as where nearly all
    positives are caught: bands that went on there held in 2 to 30 of 40 samples.
    """
    beside = [bound.count_thinner_rows(part.weight) for bound in each]
    among = [bound.rows_among(part.weight) for bound in each]
    known = [rows for rows in (*beside, *among) if rows is not None]
    if not known:
        return None
    fewest = np.asarray(np.fmin.reduce(known))
    if any(rows is not None for rows in among):
        fewest = np.where(measure_spread(theta, drawn)[0] > 0, fewest, 0.0)
    first, second = (bound.rows_of_the_rarest_kind(part.weight) for bound in each)
    if first is None or second is None:
        return fewest
    return np.where(np.fmax(first, second) >= FEWEST_ALONG, fewest, 0.0)


def _difference_replicates(
    analysis: DatasetAnalysis, curve: Curve, candidate: str, baseline: str
) -> Matrix:
    """Return the replicates of the difference, shape (B, g)."""
    first, second = (analysis.replicates[None, (curve.key, name)] for name in (candidate, baseline))
    return np.asarray(first - second)


def compute_share_ahead(differences: Matrix) -> Vector:
    """Share of the replicates above zero at each position, ties one half; (B, g) gives (g,).

    >>> compute_share_ahead(np.array([[1.0, 0.0], [-1.0, 0.0], [2.0, np.nan], [3.0, 1.0]])).round(3)
    array([0.75 , 0.667])
    """
    known = np.isfinite(differences)
    wins = np.where(known, (np.sign(np.where(known, differences, 0.0)) + 1) / 2, 0.0).sum(axis=0)
    count = known.sum(axis=0)
    share = np.full(len(count), np.nan)
    np.divide(wins, count, out=share, where=count > 0)
    return share


def _is_few(part: RowSubset) -> bool:
    """Whether a share of the resamples would tell of a handful of units."""
    return part.counted / max(part.plan.sampling.design.block or 1.0, 1.0) < FEW_UNITS


def _build_lead_curve(
    analysis: DatasetAnalysis,
    part: RowSubset,
    curve: Curve,
    candidate: str,
    baseline: str,
    trace: Trace,
) -> CurveResult:
    """Build the curve of the share of replicates in which the candidate is ahead."""
    found = _build_result(analysis, part, curve, candidate, baseline, trace, (np.empty(0),) * 4)
    y = tuple(None if share is None else round(share, 4) for share in found.y)
    return replace(found, curve=name_of_lead_curve(curve), y=y, y_unit="share", method="replicates")


def _compute_limits(  # noqa: PLR0913
    curve: Curve,
    grid: Vector,
    theta: Vector,
    drawn: Matrix,
    part: RowSubset,
    trace: Trace,
    thin: Vector | None = None,
    is_difference: bool = False,
    is_of_amounts: bool = False,
    unseen: UnseenRowEffects | None = None,
) -> tuple[Vector, Vector, Vector, Vector]:
    """Pointwise and simultaneous limits at the positions that are drawn."""
    (low, high), level = curve.bounds, part.plan.inference.level
    bounds = (low - high, high - low) if is_difference else (low, high)
    is_monotone = curve.is_monotone and not is_difference
    points = pointwise_limits(drawn, level, bounds)
    band = simultaneous_band(
        theta, drawn, level, thin, bounds, is_monotone, is_of_amounts, unseen, _clusters(part)
    )
    if np.array_equal(trace.x, grid):
        return (*points, band.low, band.high)
    rising = is_rising(theta)
    inner = interpolate_limits(trace.x, grid, *points, is_monotone, rising)
    outer = interpolate_limits(trace.x, grid, band.low, band.high, is_monotone, rising)
    return (*inner, *outer)


def _clusters(part: RowSubset) -> float:
    """How many clusters a spread is known from; without end where rows are drawn."""
    return part.counted if part.is_clustered else np.inf


def _are_amounts(y: Vector) -> bool:
    """Return whether y is never negative, and no mere yes or no."""
    return bool(np.all(y >= 0) and np.any((y != 0) & (y != 1)))


def _build_result(
    analysis: DatasetAnalysis,
    part: RowSubset,
    curve: Curve,
    model: str,
    baseline: str | None,
    trace: Trace,
    limits: tuple[Vector, Vector, Vector, Vector],
) -> CurveResult:
    of = _build_shares if curve.y_unit == "share" else round_numbers
    low, high, band_low, band_high = map(of, limits)
    unit = analysis.plan.statistics.unit
    is_nowhere = len(trace.y) > 0 and not np.isfinite(trace.y).any()
    return CurveResult(
        dataset=analysis.plan.dataset,
        segment=part.name,
        curve=curve.name,
        params=dict(curve.params),
        model=model,
        baseline=baseline,
        x=round_numbers(trace.x),
        y=of(trace.y),
        low=low,
        high=high,
        band_low=band_low,
        band_high=band_high,
        level=analysis.plan.inference.level,
        method=_method(part, curve, model),
        n=count_rows_of_curve(part, curve, model),
        x_unit=fill_unit(curve.x_unit, unit),
        y_unit=fill_unit(curve.y_unit, unit, analysis.plan.costs.currency),
        x_labels=trace.labels,
        marks={name: round_number(value) for name, value in trace.marks.items()},
        status="undefined" if is_nowhere else "ok",
        reason=(curve.undefined or "it has no value at any position") if is_nowhere else "",
        base=of(trace.base),
    )


def _build_shares(values: Vector) -> Numbers:
    """Shares, or their differences, as results have them: what rounding leaves of 0 is 0."""
    return round_numbers(np.where(np.abs(values) < DUST, 0.0, values))


def count_rows_of_curve(part: RowSubset, curve: Curve, model: str) -> int:
    """How many rows a curve is of: some may have nothing that it asks for."""
    return part.n if curve.judges is None else curve.judges(part.data[model], **curve.params)


def _method(part: RowSubset, curve: Curve, model: str) -> str:
    """How the band is found."""
    bound = part.curves.get((curve.key, model))
    if curve.by_chance is not None:
        return BY_CHANCE
    if curve.among is not None and part.segment is None:
        return "share band"
    return "sup-t by grid" if bound is not None and bound.is_by_grid else "sup-t"


def _build_empty_curve(
    analysis: DatasetAnalysis, part: RowSubset, curve: Curve, model: str, reason: str
) -> CurveResult:
    nothing = np.empty(0)
    empty = _build_result(
        analysis, part, curve, model, None, Trace(nothing, nothing), (nothing,) * 4
    )
    return replace(empty, status="not applicable", reason=reason)


Sign = Literal[-1, 0, 1]


@record
class SignRange:
    """A stretch of an axis over which limits lie below zero (−1), above it (1), or hold it (0)."""

    low: float
    high: float
    sign: Sign


@record(eq=False)
class JointAnalysis:
    """Input of a joint statistic: all rows of a dataset, and the models that it can evaluate."""

    analysis: DatasetAnalysis
    parts: tuple[Statistic, ...]

    @property
    def plan(self) -> AnalysisPlan:
        """What was asked."""
        return self.analysis.plan

    @property
    def part(self) -> RowSubset:
        """All rows."""
        return self.analysis.parts[0]

    @cached_property
    def models(self) -> tuple[str, ...]:
        """The models of which every part is known, in the order of the plan."""
        return tuple(
            c.name
            for c in self.plan.models
            if all((part.key, c.name) in self.part.joint_parts for part in self.parts)
        )

    @cached_property
    def baseline(self) -> str | None:
        """The model in use, if it is one of `models`."""
        return self.plan.inference.baseline if self.plan.inference.baseline in self.models else None

    @property
    def df(self) -> float:
        """Degrees of freedom of a mean over the resampling units; infinite where none is left.

        Of effective units where weights are uneven.
        """
        balance = self.part.balance
        left = (balance.effective if balance.is_uneven else self.part.counted) - self.part.strata
        return left if left > 0 else inf

    def bound(self, curve: Curve, model: str) -> BoundCurve:
        """Return a curve bound to one model's rows."""
        return self.part.curves[curve.key, model]

    def value(self, part: Statistic, model: str) -> Vector:
        """Return the point estimates of a part, shape (g,)."""
        return self.part.estimate(part, model)

    def drawn(self, part: Statistic, model: str) -> Matrix:
        """Their replicates, shape (B, g)."""
        return self.analysis.replicates[None, (part.key, model)]

    def evidence(
        self,
        value: float,
        drawn: Vector,
        estimand: Estimand | str = "smooth",
        influence: Vector | None = None,
        bounds: tuple[float, float] = (-inf, inf),
    ) -> SamplingDistribution:
        """All that is known of one number; `influence` has one value a row, W·∂θ/∂w."""
        part = self.part
        return SamplingDistribution(
            value=value,
            replicates=drawn,
            estimand=find_estimand(estimand),
            bounds=bounds,
            n=part.n,
            units=part.counted,
            influence=part.counting(None if influence is None else part.influence(influence)),
            block=self.plan.sampling.design.block,
            strata=part.strata,
            is_clustered=part.is_clustered,
            balance=part.balance if part.balance.is_uneven else None,
            is_weighted=self.plan.sampling.design.weight is not None,
        )

    def limits(self, value: Vector, drawn: Matrix) -> tuple[Vector, Vector]:
        """Limits of each number on its own: the spread of its replicates, with t(units − strata).

        The spread of resampled means is too small by (m − 1)/m of its square with m units. One
        replicate has no spread, and so the numbers no limits.
        """
        if len(drawn) < 2:
            return np.full_like(value, nan), np.full_like(value, nan)
        units, strata, balance = self.part.counted, self.part.strata, self.part.balance
        factor = sqrt(units / (units - strata)) if units > strata else 1.0
        df = units - strata if units > strata else inf
        if balance.is_uneven:
            df, factor = balance.effective - strata, factor * sqrt(balance.excess)
        times = critical_value(self.plan.inference.level, df) if df >= 1 else nan
        half = times * factor * np.std(drawn, axis=0, ddof=1)
        return value - half, value + half


def iter_joint_results(analysis: DatasetAnalysis) -> Iterator[CostAnalysis | CurveResult]:
    """Everything that the plan's joint statistics give."""
    for joint in analysis.plan.costs.statistics:
        yield from joint.find(JointAnalysis(analysis, joint.parts))


def compute_win_shares(drawn: Matrix) -> Vector:
    """Share of the replicates in which each model is lowest, ties divided; (m, B) gives (m,).

    >>> compute_win_shares(np.array([[1.0, 2.0, 1.0, 1.0], [2.0, 1.0, 1.0, 2.0]]))
    array([0.625, 0.375])
    """
    known = np.isfinite(drawn).all(axis=0)
    if not known.any():
        return np.full(len(drawn), np.nan)
    lowest = drawn[:, known] == drawn[:, known].min(axis=0)
    shares: Vector = (lowest / lowest.sum(axis=0)).mean(axis=1)
    return shares


def compute_ever_win_shares(drawn: Callable[[int], Matrix], models: int) -> Vector:
    """Share of the replicates in which each model is lowest somewhere; `drawn(k)` is (B, g)."""
    least = drawn(0)
    for k in range(1, models):
        least = np.fmin(least, drawn(k))
    slack = 1e-12 * np.abs(least)
    return np.array([(drawn(k) <= least + slack).any(axis=1).mean() for k in range(models)])


def find_sign_ranges(
    x: Vector, low: Vector, high: Vector, rows: Vector | None = None
) -> list[SignRange]:
    """Split the axis where limits cross zero, with straight lines between points.

    Points without limits, or with fewer than ten `rows` on their thinner side, take no part.

    >>> x = np.array([0.0, 1.0, 2.0])
    >>> [(r.low, r.high, r.sign) for r in find_sign_ranges(x, x - 1.5, x - 0.5)]
    [(0.0, 0.5, -1), (0.5, 1.5, 0), (1.5, 2.0, 1)]
    """
    known = np.isfinite(low) & np.isfinite(high)
    known &= np.ones(len(x), bool) if rows is None else rows >= FEWEST_ROWS
    x, low, high = x[known], low[known], high[known]
    if len(x) < 2:
        return []
    cuts = np.unique(
        np.concatenate([x, _find_zero_crossings(x, low), _find_zero_crossings(x, high)])
    )
    middles = (cuts[1:] + cuts[:-1]) / 2
    above, below = np.interp(middles, x, low) > 0, np.interp(middles, x, high) < 0
    signs = above.astype(int) - below.astype(int)
    starts = np.flatnonzero(np.append(True, signs[1:] != signs[:-1]))
    ends = np.append(starts[1:], len(signs))
    return [
        SignRange(float(cuts[start]), float(cuts[end]), int(signs[start]))  # type: ignore[arg-type]
        for start, end in zip(starts, ends, strict=True)
    ]


def _find_zero_crossings(x: Vector, y: Vector) -> Vector:
    """Where a broken line passes through zero between two points."""
    left, right = y[:-1], y[1:]
    at = np.flatnonzero(left * right < 0)
    share = left[at] / (left[at] - right[at])
    return np.asarray(x[at] + share * (x[at + 1] - x[at]))
