"""Curves without a bin or a step of fewer rows than may be told.

A bar joins its neighbours until it holds enough rows. Of curves that run over the rows as many
points stay as have enough rows between them; means of bins that are too small are left out.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from reportgen.data.sample import Sample
from reportgen.results import CurveResult, rounded

SPREAD = ("distribution_y", "distribution_score", "distribution_error")
OF_BINS = (
    "bucket_calibration",
    "error_by_rank",
    "ranking",
    "reliability_bins",
    "positives_by_bucket",
)
BY_SCORE = ("calibration", "decision_curve", "net_benefit_of_all", "precision_by_threshold",
            "recall_by_threshold", "f_by_threshold", "called_by_threshold",
            "cost_by_threshold", "brier_curve")  # fmt: skip
BY_CLASS = ("score_density", "score_density_of_negatives")
BY_RATE = ("roc", "det", "precision_recall", "interpolated_precision_recall")
OF_ROWS = ("row_log_loss", "costliest_rows")  # whose points are single rows
OF_CALLS = ("precision_by_prevalence",)  # which tells both shares of calls, that is their cells
PARTS = ("x", "y", "low", "high", "band_low", "band_high", "x_labels", "base")
TO = " to "
SURE = 1e-6  # of a row, by which shares may be rounded


def told_curves(
    curves: Sequence[CurveResult], fewest: int, samples: Mapping[str, Sample]
) -> Iterator[CurveResult]:
    """The curves with no bin and no step of fewer rows.

    Scores by class are told of a model only if every bar of both classes holds enough rows.
    """
    sparse = {
        (c.dataset, c.model)
        for c in curves
        if c.curve in BY_CLASS and _has_few(c, fewest, samples.get(c.dataset))
    }
    for curve in curves:
        if fewest < 2 or not curve.x:
            yield curve
            continue
        if curve.curve in BY_CLASS:
            if (curve.dataset, curve.model) not in sparse:
                yield curve
            continue
        if curve.curve in (*OF_ROWS, *OF_CALLS):
            continue
        sample = samples.get(curve.dataset)
        rows = rows_worth(curve.n, sample)
        curve = _without_ends(curve, sample)
        if curve.curve in SPREAD:
            yield _joined(curve, rows, fewest)
        elif curve.curve not in OF_BINS:
            yield _picked(curve, _steps(_places(curve, rows, sample), fewest))
        elif rows / len(curve.x) >= fewest:
            yield curve


def _without_ends(curve: CurveResult, sample: Sample | None) -> CurveResult:
    """A curve along scores without the lowest and the highest, which are those of single rows."""
    scores = None if sample is None else sample.scores.get(curve.model)
    if curve.curve not in BY_SCORE or scores is None or not len(scores):
        return curve
    ends = (rounded(float(scores.min())), rounded(float(scores.max())))
    return _picked(curve, [k for k, x in enumerate(curve.x) if x not in ends])


def rows_worth(n: int, sample: Sample | None) -> float:
    """How many rows all weight is at least: each weighs at most the largest weight."""
    if sample is None or sample.weight is None or not len(sample.weight):
        return float(n)
    return float(sample.weight.sum() / sample.weight.max())


def _has_few(curve: CurveResult, fewest: int, sample: Sample | None) -> bool:
    """Whether a bar of one class holds some rows, but too few; True where rows are not known."""
    if sample is None:
        return True
    own = (sample.y > 0) == (curve.curve == BY_CLASS[0])
    weight = np.ones(sample.n) if sample.weight is None else sample.weight
    rows = float(weight[own].sum() / max(weight.max(), 1e-300)) if own.any() else 0.0
    return any(0 < (y or 0.0) * rows < fewest - SURE for y in curve.y)


def _joined(curve: CurveResult, rows: float, fewest: int) -> CurveResult:
    """A distribution whose bars that hold any rows hold enough; joined ones have no limits."""
    groups = joined_bars([(y or 0.0) * rows for y in curve.y], fewest)
    if all(len(group) == 1 for group in groups):
        return curve
    made: dict[str, Any] = {}
    for name in PARTS:
        values = getattr(curve, name)
        made[name] = tuple(_bar(name, [values[k] for k in group]) for group in groups if values)
    marks = dict(curve.marks)
    if "zeros" in marks and "0" not in made["x_labels"]:
        marks["zeros"] = 0.0
    return replace(curve, **made, marks=marks)


def joined_bars(sizes: Sequence[float], fewest: int) -> list[list[int]]:
    """Which bars stand together: from left to right until there are enough rows, or none.

    >>> joined_bars([0, 9, 2, 1, 0, 4, 7, 1], 5)
    [[0], [1], [2, 3, 4, 5], [6, 7]]
    """
    groups: list[list[int]] = []
    open_: list[int] = []
    for k, size in enumerate(sizes):
        if not open_ and size < SURE:
            groups.append([k])
            continue
        open_.append(k)
        if sum(sizes[j] for j in open_) >= fewest - SURE:
            groups.append(open_)
            open_ = []
    while open_ and groups:
        open_ = [*groups.pop(), *open_]
        if sum(sizes[j] for j in open_) >= fewest - SURE:
            break
    return [*groups, open_] if open_ else groups


def _bar(name: str, values: Sequence[Any]) -> Any:
    if len(values) == 1:
        return values[0]
    if name == "x":
        return rounded((values[0] + values[-1]) / 2)
    if name == "y":
        return rounded(sum(each or 0.0 for each in values))
    if name == "x_labels":
        return f"{values[0].split(TO)[0]}{TO}{values[-1].split(TO)[-1]}"
    return None


def _places(curve: CurveResult, rows: float, sample: Sample | None) -> list[float]:
    """How many rows lie before each point, at least as good as can be told from the curve."""
    x, y = (np.array([np.nan if v is None else v for v in part]) for part in (curve.x, curve.y))
    is_of_one = curve.baseline is None and sample is not None
    if curve.curve == "rec" and curve.baseline is None:
        return list(y * rows)
    if is_of_one and sample is not None and curve.curve in BY_RATE:
        upper = float(np.mean(sample.y == sample.y.max())) * rows if sample.n else 0.0
        if curve.curve in ("roc", "det"):
            caught = y if curve.curve == "roc" else 1 - y
            return list(x * (rows - upper) + caught * upper)
        return list(x * upper)
    if is_of_one and sample is not None and curve.curve in BY_SCORE:
        score = sample.scores.get(curve.model)
        if score is not None:
            return list(np.searchsorted(np.sort(score), x).astype(float))
    if curve.x_unit == "share" and np.nanmin(x) >= 0 and np.nanmax(x) <= 1:
        return list(x * rows)
    return list(np.linspace(0, rows, len(x)))


def _steps(places: Sequence[float], fewest: int) -> list[int]:
    """The points that stay: the first, each that is far enough from the one before, the last.

    >>> _steps([0, 2, 5, 6, 11, 12], 5)
    [0, 2, 5]
    """
    kept = [0]
    for k in range(1, len(places)):
        if not abs(places[k] - places[kept[-1]]) < fewest - SURE:
            kept.append(k)
    last = len(places) - 1
    if kept[-1] != last:
        kept = [*(kept[:-1] if len(kept) > 1 else kept), last]
    return kept


def _picked(curve: CurveResult, kept: Sequence[int]) -> CurveResult:
    if len(kept) == len(curve.x):
        return curve
    picked: dict[str, Any] = {
        name: tuple(values[k] for k in kept) if (values := getattr(curve, name)) else values
        for name in PARTS
    }
    marks = dict(curve.marks)
    if (to := marks.get("drawn_to")) is not None:  # a point that is told stands for it
        marks["drawn_to"] = min((x for x in picked["x"] if x is not None and x >= to), default=to)
    return replace(curve, **picked, marks=marks)
