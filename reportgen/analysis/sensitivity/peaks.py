"""Where a curve is highest, and what choosing that point gives."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import product

import numpy as np

from reportgen.analysis.curves import JointAnalysis, count_rows_of_curve
from reportgen.analysis.dataset_analysis import DatasetAnalysis
from reportgen.analysis.plan import LearnedPeak, ModelScores, explain_unsuited
from reportgen.inference.resampling.design import Design
from reportgen.kernels.batch import Batch, Matrix, Vector
from reportgen.metrics.curves.curve import BoundCurve, Curve, find_peaks
from reportgen.results.sensitivity import CurvePeak, Sensitivity
from reportgen.results.types import RaisedWarning, round_number

MIDDLE = (0.025, 0.975)
BATCHES = 16  # of resamples that say where another choice would lie


def iter_peaks(analysis: DatasetAnalysis) -> Iterator[CurvePeak]:
    """Yield the peak of every curve that has one, of every model, and the height there.

    Where it was learnt on other rows, it is given, and the height is that on the rows judged; else
    it is found on these, and anew in every resample.
    """
    plan, part = analysis.plan, analysis.parts[0]
    for curve in (c for c in plan.statistics.curves if c.has_peak and not analysis.is_of_procedure):
        for model in plan.models:
            bound = part.curves.get((curve.key, model.name))
            if bound is not None and np.isfinite(bound.estimate).any():
                learnt_peak = plan.statistics.peaks.get((curve.key, model.name))
                yield _build_peak(analysis, curve, bound, model.name, learnt_peak)


def warn_peak_on_same_rows(
    analysis: DatasetAnalysis, found: Sensitivity
) -> Iterator[RaisedWarning]:
    """W121: a peak is read from the rows that it is judged on."""
    chosen = {peak.curve for peak in found.peaks if peak.learnt_on == peak.dataset}
    for curve in {c.name: c for c in analysis.plan.statistics.curves if c.name in chosen}.values():
        yield RaisedWarning("W121", {"peak": curve.title})


def learn_peaks(
    curves: Iterable[Curve], models: Iterable[ModelScores], design: Design
) -> dict[tuple[str, str], LearnedPeak]:
    """By curve and model where it is highest on rows that are not judged."""
    found = {}
    for curve, model in product(curves, models):
        if not curve.has_peak or explain_unsuited(curve.needs, model):
            continue
        bound = curve.bind(model.rows, design.weights)
        x = float(find_peaks(bound.grid, bound.estimate[None])[0])
        if np.isfinite(x):
            each = [
                find_peaks(bound.grid, bound(design.batch(k)))[: design.count_replicates(k)]
                for k in range(min(design.batches, BATCHES))
            ]
            spread = summarize_peak_spread(np.concatenate(each), x)
            found[curve.key, model.name] = LearnedPeak(x, *spread, design.name)
    return found


def summarize_peak_spread(drawn: Vector, x: float) -> tuple[float, float, float]:
    """Where resamples put a peak: the middle 95 % as positions that occur, the share at x.

    >>> summarize_peak_spread(np.array([5.0, 5.0, 5.0, 9.0]), 5.0)
    (5.0, 9.0, 0.75)
    """
    known = drawn[np.isfinite(drawn)]
    if not len(known):
        return np.nan, np.nan, np.nan
    low, high = np.quantile(known, MIDDLE, method="inverted_cdf")
    return float(low), float(high), float(np.mean(known == x))


def _build_peak(
    analysis: DatasetAnalysis,
    curve: Curve,
    bound: BoundCurve,
    model: str,
    learnt_peak: LearnedPeak | None,
) -> CurvePeak:
    plan = analysis.plan
    height, drawn = bound.estimate, analysis.replicates[None, (curve.key, model)]
    here = float(find_peaks(bound.grid, height[None])[0])
    if learnt_peak is None:
        low, high, share = summarize_peak_spread(find_peaks(bound.grid, drawn), here)
        x, value, each = here, float(np.nanmax(height)), _highest(drawn)
    else:
        x, low, high, share = learnt_peak.x, learnt_peak.low, learnt_peak.high, learnt_peak.share
        value, each = _compute_height_at(analysis, bound, x)
    limits = JointAnalysis(analysis, ()).limits(np.array([value]), each[:, None])
    floor, ceiling = curve.bounds
    value_low, value_high = (float(np.clip(side[0], floor, ceiling)) for side in limits)
    return CurvePeak(
        dataset=plan.dataset,
        curve=curve.name,
        params=dict(curve.params),
        model=model,
        x=round_number(x),
        x_low=round_number(low),
        x_high=round_number(high),
        share=round_number(share),
        value=round_number(value),
        low=round_number(value_low),
        high=round_number(value_high),
        level=plan.inference.level,
        n=count_rows_of_curve(analysis.parts[0], curve, model),
        highest_x=round_number(here),
        highest=round_number(float(np.nanmax(height))),
        learnt_on=plan.dataset if learnt_peak is None else learnt_peak.dataset,
    )


def _highest(drawn: Matrix) -> Vector:
    """Return the maximum of each row that has any number, else nan; (b, g) gives (b,)."""
    known = np.isfinite(drawn)
    best = np.where(known, drawn, -np.inf).max(axis=1)
    return np.where(known.any(axis=1), best, np.nan)


def _compute_height_at(
    analysis: DatasetAnalysis, bound: BoundCurve, x: float
) -> tuple[float, Vector]:
    """Compute the height at one position, on the grid or not, and its replicates, (B,)."""
    curve, design, grid = bound.statistic, analysis.plan.sampling.design, np.array([x])

    def find_peaks(batch: Batch) -> Vector:
        return np.asarray(curve.function(bound.rows, batch, grid, **curve.params)[:, 0])

    drawn = [
        find_peaks(design.batch(k))[: design.count_replicates(k)] for k in range(design.batches)
    ]
    return float(find_peaks(Batch.from_weights(analysis.parts[0].weight))[0]), np.concatenate(drawn)
