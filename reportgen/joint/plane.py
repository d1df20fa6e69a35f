"""Lines of RROC space: regions of models, the hull of points, isometrics, within one window."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import cos, isfinite, log, pi, sin

import numpy as np

from reportgen.curves.decision import position
from reportgen.curves.hull import Point, hull, isometric
from reportgen.inference.joint import Together
from reportgen.joint.prices import Prices
from reportgen.kernels.batch import Vector
from reportgen.metrics.quantile import weighted_quantile
from reportgen.results import CurveResult, Number, Scalar, rounded, rounded_all

CORNERS = 48  # of a region's outline
ROOM = 1.08  # how far the window reaches past what is in it


def constants(together: Together) -> dict[str, Point]:
    """The mean of y, its median and zero as points of RROC space."""
    y, weight = together.part.y.values, together.part.weight
    total = weight.sum()
    said = {
        "mean": float(weight @ y / total),
        "median": weighted_quantile(y, weight, 0.5),
        "zero": 0.0,
    }
    return {
        name: Point(
            float(weight @ np.maximum(c - y, 0) / total),
            float(weight @ np.minimum(c - y, 0) / total),
        )
        for name, c in said.items()
    }


def points(together: Together) -> dict[str, Point]:
    """Every model as it is."""
    found = {m: together.value(position(), m) for m in together.models}
    return {m: Point(float(value[0]), float(value[1])) for m, value in found.items()}


def region(together: Together, model: str) -> CurveResult:
    """The ellipse in which both sides of a model's error lie together, from the replicates."""
    drawn, point = together.drawn(position(), model)[:, :2], points(together)[model]
    reach = np.sqrt(-2 * log(1 - together.question.level))
    values, vectors = np.linalg.eigh(np.cov(drawn.T))
    axes = vectors * (reach * np.sqrt(np.maximum(values, 0.0)))
    turns = [2 * pi * k / CORNERS for k in range(CORNERS + 1)]
    outline = np.array([[cos(t), sin(t)] for t in turns]) @ axes.T
    marks = {"over": rounded(point.over), "under": rounded(point.under)}
    x, y = point.over + outline[:, 0], point.under + outline[:, 1]
    return curve_result(together, "rroc_region", {}, x, y, marks, model)


def plane_lines(
    together: Together, prices: Prices, regions: Sequence[CurveResult]
) -> Iterator[CurveResult]:
    """The hull of the models with the trivial ones, and at each α the line of the least cost."""
    known = points(together)
    right, down = _window(together, regions)
    names = [m for stretch in hull(known).stretches for m in stretch.models]
    corners = sorted({(known[m].over, known[m].under) for m in names})
    corners = [(corners[0][0], down), *corners, (right, corners[-1][1])]
    x, y = np.array(corners).T
    yield curve_result(together, "rroc_points_hull", {}, x, y)
    for alpha in prices.alphas:
        best = min(known.values(), key=lambda point: point.cost(alpha))
        x, y = _isometric(best, alpha, right, down)
        cost = {"cost": rounded(best.cost(alpha))}
        yield curve_result(together, "rroc_isometric", {"alpha": rounded(alpha)}, x, y, cost)


def _isometric(best: Point, alpha: float, right: float, down: float) -> tuple[Vector, Vector]:
    """The part inside the window of the line on which all cost what the best costs."""
    slope, intercept = isometric(alpha, best.cost(alpha))
    if not isfinite(slope):
        return np.array([best.over, best.over]), np.array([down, 0.0])
    ends = [0.0, right]
    if slope > 0:
        ends = [max(0.0, (down - intercept) / slope), min(right, -intercept / slope)]
    x = np.array(ends)
    return x, slope * x + intercept


def _window(together: Together, regions: Sequence[CurveResult]) -> tuple[float, float]:
    """How far right and down the figure reaches: every model, region and constant is inside."""
    found = [*points(together).values(), *constants(together).values()]
    xs = [p.over for p in found] + [x for r in regions for x in r.x if x is not None]
    ys = [p.under for p in found] + [y for r in regions for y in r.y if y is not None]
    return ROOM * max(xs), ROOM * min(ys)


def curve_result(
    together: Together,
    name: str,
    params: dict[str, Scalar],
    x: Vector,
    y: Vector,
    marks: dict[str, Number] | None = None,
    model: str = "",
) -> CurveResult:
    """A curve without a band, rounded; `model` is empty where it belongs to all."""
    unit = together.question.unit
    is_plane = name.startswith("rroc")
    return CurveResult(
        dataset=together.question.dataset,
        segment=None,
        curve=name,
        params=params,
        model=model,
        baseline=None,
        x=rounded_all(x),
        y=rounded_all(y),
        low=(),
        high=(),
        band_low=(),
        band_high=(),
        level=together.question.level,
        method="",
        n=len(together.part.y),
        x_unit=unit if is_plane else "share",
        y_unit=unit,
        marks=marks or {},
    )
