"""Curves with their bands: pointwise limits, and limits that hold for the whole curve at once."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import asdict, replace

import numpy as np

from reportgen.analysis.dataset_analysis import DatasetAnalysis
from reportgen.analysis.plan import ModelScores, unsuited
from reportgen.analysis.subset import RowSubset
from reportgen.curves.spec import BoundCurve, Curve, Trace
from reportgen.curves.support import Unseen
from reportgen.inference.bands import (
    FEWEST_ROWS,
    between,
    is_rising,
    pointwise,
    simultaneous,
    spread,
)
from reportgen.inference.evidence import FEW_UNITS
from reportgen.inference.share_bands import FEWEST_ALONG, few_clusters, share_band
from reportgen.kernels.batch import Matrix, Vector
from reportgen.metrics.units import unit_of
from reportgen.resampling.replicates import over_threads
from reportgen.results import CurveInfo, CurveResult, Numbers, rounded, rounded_all

BY_CHANCE = "consistency band"  # of samples of a right model, around what that would show
DUST = 1e-12  # of a share: what rounding leaves of 0


def curve_results(analysis: DatasetAnalysis, threads: int = 1) -> Iterator[CurveResult]:
    """Every curve of every model, then the differences of each pair on a shared grid."""
    with over_threads(threads) as mapped:
        for found in mapped(lambda curve: list(_of_curve(analysis, curve)), analysis.plan.curves):
            yield from found


def _of_curve(analysis: DatasetAnalysis, curve: Curve) -> Iterator[CurveResult]:
    """One curve of every model, then its differences."""
    whole = analysis.parts[0]
    for model in analysis.plan.models:
        yield _curve(analysis, whole, curve, model)
    if curve.has_band and not curve.is_of_target and not analysis.is_of_procedure:
        yield from _differences(analysis, whole, curve)


def curve_infos(curves: Iterable[Curve]) -> Iterator[CurveInfo]:
    """How each curve is told and drawn, and who is ahead where that is drawn too."""
    for curve in curves:
        yield CurveInfo(curve.name, of_target=curve.is_of_target, **asdict(curve.presentation))
        if curve.lead is not None:
            yield CurveInfo(lead_of(curve), **asdict(curve.lead))


def lead_of(curve: Curve) -> str:
    """The name of the shares in which a candidate is ahead, drawn beneath the differences."""
    return f"{curve.name}_ahead"


def _curve(
    analysis: DatasetAnalysis, part: RowSubset, curve: Curve, model: ModelScores
) -> CurveResult:
    reason = unsuited(curve.needs, model)
    if reason:
        return _absent(analysis, part, curve, model.name, reason)
    bound = part.curves[curve.key, model.name]
    trace = bound.trace(part.weight)
    if curve.by_chance is not None:
        rows, level = part.data[model.name], analysis.plan.level
        right = curve.by_chance(rows, part.weight, trace.x, level, **curve.params)
        limits = np.empty(0), np.empty(0), *right
        return _result(analysis, part, curve, model.name, None, trace, limits)
    if not curve.has_band or analysis.is_of_procedure:
        return _result(analysis, part, curve, model.name, None, trace, (np.empty(0),) * 4)
    lent = curve.lent_band
    source = curve if lent is None else lent.curve
    lender = part.curves[source.key, model.name]
    theta = lender.estimate
    drawn = analysis.replicates[None, (source.key, part.bound_curves.drawn_as(source, model.name))]
    level, thin = analysis.plan.level, lender.rows_beside(part.weight)
    among = lender.rows_among(part.weight)
    if among is not None and thin is not None:
        limits = _share_limits(curve, bound.grid, theta, drawn, part, trace, among, thin)
    elif lent is None:
        is_of_amounts = curve.is_level_of_y and _are_amounts(part.outcome)
        is_of_amounts = is_of_amounts or curve.is_level_of_loss
        limits = _limits(
            curve, bound.grid, theta, drawn, part, trace, thin, is_of_amounts=is_of_amounts,
            unseen=bound.left_open(part.weight),
        )  # fmt: skip
    else:
        # One for the whole curve, none of each point.
        band = simultaneous(theta, drawn, level, thin, source.bounds, clusters=_clusters(part))
        drawn_back = lent.limits(lender.grid, band.low, band.high, trace.x)
        limits = np.empty(0), np.empty(0), *drawn_back
    return _result(analysis, part, curve, model.name, None, trace, limits)


def _share_limits(
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
    level = part.plan.level
    times = np.ones(len(grid)) if curve.multiple is None else curve.multiple(grid)
    points = pointwise(drawn, level, curve.bounds)
    widening = few_clusters(part.counted, level) if part.is_clustered else 1.0
    rising = not curve.is_monotone or is_rising(theta)
    one, other = theta / times, drawn / times
    one, other = (one, other) if rising else (1 - one, 1 - other)
    band = share_band(one, other, level, among, beside, curve.is_monotone, widening)
    low, high = (band.low, band.high) if rising else (1 - band.high, 1 - band.low)
    low, high = times * low, times * high
    inner = between(trace.x, grid, *points, curve.is_monotone, rising)
    return (*inner, *between(trace.x, grid, low, high, curve.is_monotone, rising))


def _differences(analysis: DatasetAnalysis, part: RowSubset, curve: Curve) -> Iterator[CurveResult]:
    """Candidate minus baseline, where both are found at the same positions."""
    for candidate, baseline in analysis.plan.pairs:
        found = difference(analysis, part, curve, candidate, baseline)
        if found is None:
            continue
        yield found
        if curve.lead is not None and not _is_few(part):
            drawn = _drawn(analysis, curve, candidate, baseline)
            grid = part.curves[curve.key, candidate].grid
            yield _lead(analysis, part, curve, candidate, baseline, Trace(grid, ahead(drawn)))


def difference(
    analysis: DatasetAnalysis, part: RowSubset, curve: Curve, candidate: str, baseline: str
) -> CurveResult | None:
    """Candidate minus baseline, with its own band; None where they share no positions."""
    first, second = (part.curves.get((curve.key, name)) for name in (candidate, baseline))
    if first is None or second is None or not np.array_equal(first.grid, second.grid):
        return None
    if curve.lent_band is not None:
        return None  # its points are no function of one axis that models share
    theta = first.estimate - second.estimate
    drawn = _drawn(analysis, curve, candidate, baseline)
    trace = Trace(first.grid, theta, first.trace(part.weight).labels)
    thin = _supporting(part, (first, second), theta, drawn)
    limits = _limits(curve, first.grid, theta, drawn, part, trace, thin, True)
    if curve.among is not None and thin is not None:
        low, high = (np.where(thin < FEWEST_ROWS, np.nan, each) for each in limits[:2])
        limits = low, high, *limits[2:]
    return _result(analysis, part, curve, candidate, baseline, trace, limits)


def _supporting(
    part: RowSubset, each: tuple[BoundCurve, BoundCurve], theta: Vector, drawn: Matrix
) -> Vector | None:
    """How many rows a difference rests on at each position: the fewest that either curve counts.

    Of shares those are the rows that they are shares of, too, and none where no resample moves the
    difference: what varies in no resample of few rows may well vary. Nor are there any where
    neither model has three rows of the rarest kind that heights differ by, as where nearly all
    positives are caught: bands that went on there held in 2 to 30 of 40 samples.
    """
    beside = [bound.rows_beside(part.weight) for bound in each]
    among = [bound.rows_among(part.weight) for bound in each]
    known = [rows for rows in (*beside, *among) if rows is not None]
    if not known:
        return None
    fewest = np.asarray(np.fmin.reduce(known))
    if any(rows is not None for rows in among):
        fewest = np.where(spread(theta, drawn)[0] > 0, fewest, 0.0)
    first, second = (bound.rows_of_the_rarest_kind(part.weight) for bound in each)
    if first is None or second is None:
        return fewest
    return np.where(np.fmax(first, second) >= FEWEST_ALONG, fewest, 0.0)


def _drawn(analysis: DatasetAnalysis, curve: Curve, candidate: str, baseline: str) -> Matrix:
    """The replicates of the difference, shape (B, g)."""
    first, second = (analysis.replicates[None, (curve.key, name)] for name in (candidate, baseline))
    return np.asarray(first - second)


def ahead(differences: Matrix) -> Vector:
    """Share of the replicates above zero at each position, ties one half; (B, g) gives (g,).

    >>> ahead(np.array([[1.0, 0.0], [-1.0, 0.0], [2.0, np.nan], [3.0, 1.0]])).round(3)
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
    return part.counted / max(part.plan.design.block or 1.0, 1.0) < FEW_UNITS


def _lead(
    analysis: DatasetAnalysis,
    part: RowSubset,
    curve: Curve,
    candidate: str,
    baseline: str,
    trace: Trace,
) -> CurveResult:
    """The share of replicates in which the candidate is ahead, as a curve beside the difference."""
    found = _result(analysis, part, curve, candidate, baseline, trace, (np.empty(0),) * 4)
    y = tuple(None if share is None else round(share, 4) for share in found.y)
    return replace(found, curve=lead_of(curve), y=y, y_unit="share", method="replicates")


def _limits(
    curve: Curve,
    grid: Vector,
    theta: Vector,
    drawn: Matrix,
    part: RowSubset,
    trace: Trace,
    thin: Vector | None = None,
    is_difference: bool = False,
    is_of_amounts: bool = False,
    unseen: Unseen | None = None,
) -> tuple[Vector, Vector, Vector, Vector]:
    """Pointwise and simultaneous limits at the positions that are drawn."""
    (low, high), level = curve.bounds, part.plan.level
    bounds = (low - high, high - low) if is_difference else (low, high)
    is_monotone = curve.is_monotone and not is_difference
    points = pointwise(drawn, level, bounds)
    band = simultaneous(
        theta, drawn, level, thin, bounds, is_monotone, is_of_amounts, unseen, _clusters(part)
    )
    if np.array_equal(trace.x, grid):
        return (*points, band.low, band.high)
    rising = is_rising(theta)
    inner = between(trace.x, grid, *points, is_monotone, rising)
    outer = between(trace.x, grid, band.low, band.high, is_monotone, rising)
    return (*inner, *outer)


def _clusters(part: RowSubset) -> float:
    """How many clusters a spread is known from; without end where rows are drawn."""
    return part.counted if part.is_clustered else np.inf


def _are_amounts(y: Vector) -> bool:
    """Whether y is never negative, and no mere yes or no."""
    return bool(np.all(y >= 0) and np.any((y != 0) & (y != 1)))


def _result(
    analysis: DatasetAnalysis,
    part: RowSubset,
    curve: Curve,
    model: str,
    baseline: str | None,
    trace: Trace,
    limits: tuple[Vector, Vector, Vector, Vector],
) -> CurveResult:
    of = _shares if curve.y_unit == "share" else rounded_all
    low, high, band_low, band_high = map(of, limits)
    unit = analysis.plan.unit
    is_nowhere = len(trace.y) > 0 and not np.isfinite(trace.y).any()
    return CurveResult(
        dataset=analysis.plan.dataset,
        segment=part.name,
        curve=curve.name,
        params=dict(curve.params),
        model=model,
        baseline=baseline,
        x=rounded_all(trace.x),
        y=of(trace.y),
        low=low,
        high=high,
        band_low=band_low,
        band_high=band_high,
        level=analysis.plan.level,
        method=_method(part, curve, model),
        n=judged_by(part, curve, model),
        x_unit=unit_of(curve.x_unit, unit),
        y_unit=unit_of(curve.y_unit, unit, analysis.plan.currency),
        x_labels=trace.labels,
        marks={name: rounded(value) for name, value in trace.marks.items()},
        status="undefined" if is_nowhere else "ok",
        reason=(curve.undefined or "it has no value at any position") if is_nowhere else "",
        base=of(trace.base),
    )


def _shares(values: Vector) -> Numbers:
    """Shares, or their differences, as results have them: what rounding leaves of 0 is 0."""
    return rounded_all(np.where(np.abs(values) < DUST, 0.0, values))


def judged_by(part: RowSubset, curve: Curve, model: str) -> int:
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


def _absent(
    analysis: DatasetAnalysis, part: RowSubset, curve: Curve, model: str, reason: str
) -> CurveResult:
    nothing = np.empty(0)
    empty = _result(analysis, part, curve, model, None, Trace(nothing, nothing), (nothing,) * 4)
    return replace(empty, status="not applicable", reason=reason)
