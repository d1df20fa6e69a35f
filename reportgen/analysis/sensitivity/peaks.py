"""Where curves are highest, which is a choice to make, and what that choice gives."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import product

import numpy as np

from reportgen.analysis.curves import judged_by
from reportgen.analysis.dataset_analysis import DatasetAnalysis
from reportgen.analysis.joint import JointAnalysis
from reportgen.analysis.plan import LearntPeak, ModelScores, unsuited
from reportgen.curves.spec import BoundCurve, Curve, highest_at
from reportgen.kernels.batch import Batch, Matrix, Vector
from reportgen.resampling.design import Design
from reportgen.results import Peak, Sensitivity, rounded
from reportgen.results.raised import RaisedWarning

MIDDLE = (0.025, 0.975)
BATCHES = 16  # of resamples that say where another choice would lie


def peaks(analysis: DatasetAnalysis) -> Iterator[Peak]:
    """The peak of every such curve of every model, and the height of the curve there.

    Where it was learnt on other rows, it is given, and the height is that on the rows judged; else
    it is found on these, and anew in every resample.
    """
    plan, part = analysis.plan, analysis.parts[0]
    for curve in (c for c in plan.curves if c.has_peak and not analysis.is_of_procedure):
        for model in plan.models:
            bound = part.curves.get((curve.key, model.name))
            if bound is not None and np.isfinite(bound.estimate).any():
                learnt_peak = plan.peaks.get((curve.key, model.name))
                yield _peak(analysis, curve, bound, model.name, learnt_peak)


def of_same_rows(analysis: DatasetAnalysis, found: Sensitivity) -> Iterator[RaisedWarning]:
    """W121: a peak is read from the rows that it is judged on."""
    chosen = {peak.curve for peak in found.peaks if peak.learnt_on == peak.dataset}
    for curve in {c.name: c for c in analysis.plan.curves if c.name in chosen}.values():
        yield RaisedWarning("W121", {"peak": curve.title})


def learnt(
    curves: Iterable[Curve], models: Iterable[ModelScores], design: Design
) -> dict[tuple[str, str], LearntPeak]:
    """By curve and model where it is highest on rows that are not judged."""
    found = {}
    for curve, model in product(curves, models):
        if not curve.has_peak or unsuited(curve.needs, model):
            continue
        bound = curve.bind(model.rows, design.weights)
        x = float(highest_at(bound.grid, bound.estimate[None])[0])
        if np.isfinite(x):
            each = [
                highest_at(bound.grid, bound(design.batch(k)))[: design.lanes(k)]
                for k in range(min(design.batches, BATCHES))
            ]
            spread = spread_of(np.concatenate(each), x)
            found[curve.key, model.name] = LearntPeak(x, *spread, design.name)
    return found


def spread_of(drawn: Vector, x: float) -> tuple[float, float, float]:
    """Where resamples put a peak: the middle 95 % as positions that occur, the share at x.

    >>> spread_of(np.array([5.0, 5.0, 5.0, 9.0]), 5.0)
    (5.0, 9.0, 0.75)
    """
    known = drawn[np.isfinite(drawn)]
    if not len(known):
        return np.nan, np.nan, np.nan
    low, high = np.quantile(known, MIDDLE, method="inverted_cdf")
    return float(low), float(high), float(np.mean(known == x))


def _peak(
    analysis: DatasetAnalysis,
    curve: Curve,
    bound: BoundCurve,
    model: str,
    learnt_peak: LearntPeak | None,
) -> Peak:
    plan = analysis.plan
    height, drawn = bound.estimate, analysis.replicates[None, (curve.key, model)]
    here = float(highest_at(bound.grid, height[None])[0])
    if learnt_peak is None:
        low, high, share = spread_of(highest_at(bound.grid, drawn), here)
        x, value, each = here, float(np.nanmax(height)), _highest(drawn)
    else:
        x, low, high, share = learnt_peak.x, learnt_peak.low, learnt_peak.high, learnt_peak.share
        value, each = _at(analysis, bound, x)
    limits = JointAnalysis(analysis, ()).limits(np.array([value]), each[:, None])
    floor, ceiling = curve.bounds
    value_low, value_high = (float(np.clip(side[0], floor, ceiling)) for side in limits)
    return Peak(
        dataset=plan.dataset,
        curve=curve.name,
        params=dict(curve.params),
        model=model,
        x=rounded(x),
        x_low=rounded(low),
        x_high=rounded(high),
        share=rounded(share),
        value=rounded(value),
        low=rounded(value_low),
        high=rounded(value_high),
        level=plan.level,
        n=judged_by(analysis.parts[0], curve, model),
        highest_x=rounded(here),
        highest=rounded(float(np.nanmax(height))),
        learnt_on=plan.dataset if learnt_peak is None else learnt_peak.dataset,
    )


def _highest(drawn: Matrix) -> Vector:
    """The largest of each row that has any number; (b, g) gives (b,)."""
    known = np.isfinite(drawn)
    best = np.where(known, drawn, -np.inf).max(axis=1)
    return np.where(known.any(axis=1), best, np.nan)


def _at(analysis: DatasetAnalysis, bound: BoundCurve, x: float) -> tuple[float, Vector]:
    """The height at one position, which need not be on the grid, and its replicates, (B,)."""
    curve, design, grid = bound.statistic, analysis.plan.design, np.array([x])

    def found(batch: Batch) -> Vector:
        return np.asarray(curve.function(bound.rows, batch, grid, **curve.params)[:, 0])

    drawn = [found(design.batch(k))[: design.lanes(k)] for k in range(design.batches)]
    return float(found(Batch.of(analysis.parts[0].weight))[0]), np.concatenate(drawn)
