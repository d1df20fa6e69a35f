"""Lines and regions of RROC space within one window."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import cos, isfinite, log, pi, sin

import numpy as np

from reportgen.analysis.costs.cost_model import POSITION, CostModel, position_statistic
from reportgen.analysis.curves import JointAnalysis
from reportgen.kernels.batch import Vector
from reportgen.kernels.quantiles import weighted_quantile
from reportgen.metrics.losses.rroc_geometry import Point, find_hull, isometric_line
from reportgen.metrics.rows import Amounts
from reportgen.metrics.traits import fill_unit
from reportgen.results.curves import CurveInfo, CurveResult
from reportgen.results.types import Number, Scalar, round_number, round_numbers

RROC_CONSTANT = CurveInfo(
    "rroc_constant", topic="costs", place=20, title="any constant", onto="rroc", of_target=True
)
RROC_HULL = CurveInfo(
    "rroc_hull", topic="costs", place=30, title="hull of all", onto="rroc", of_target=True
)
COST_CONSTANT = CurveInfo(
    "cost_constant", topic="costs", place=50, title="any constant", onto="cost", of_target=True
)
COST_ENVELOPE = CurveInfo("cost_envelope")
RROC_PATH = CurveInfo("rroc_path")
COST_GAP = CurveInfo("cost_gap")
RROC_REGION = CurveInfo("rroc_region")
RROC_ISOMETRIC = CurveInfo("rroc_isometric")
RROC_POINTS_HULL = CurveInfo("rroc_points_hull")

LINES = (
    RROC_CONSTANT,
    RROC_HULL,
    COST_CONSTANT,
    COST_ENVELOPE,
    RROC_PATH,
    COST_GAP,
    RROC_REGION,
    RROC_ISOMETRIC,
    RROC_POINTS_HULL,
)

CORNERS = 48  # of a region's outline
FEWEST_UNITS = 20
ROOM = 1.08  # how far the window reaches past what is in it
NEAR = 1.5  # a reference further out than this many times the models is not in it


def get_amounts(joint: JointAnalysis, model: str) -> Amounts:
    """Return a model's rows as amounts: only these have costs of errors on either side."""
    rows = joint.part.data[model]
    assert isinstance(rows, Amounts)
    return rows


def compute_constant_points(joint: JointAnalysis, power: int = 1) -> dict[str, Point]:
    """Compute the mean of y, its median and zero as points of RROC space, or that of squares."""
    y, weight = joint.part.outcome, joint.part.weight
    total = weight.sum()
    said = {
        "mean": float(weight @ y / total),
        "median": weighted_quantile(y, weight, 0.5),
        "zero": 0.0,
    }
    return {
        name: Point(
            float(weight @ np.maximum(c - y, 0) ** power / total),
            -float(weight @ np.maximum(y - c, 0) ** power / total),
        )
        for name, c in said.items()
    }


def compute_random_order_points(joint: JointAnalysis, power: int = 1) -> dict[str, Point]:
    """Every model with its scores in random order, in RROC space or in that of squares.

    The expected point over all pairings of its scores with y: what their distribution reaches
    while it is not known which row has which score.
    """
    weight = joint.part.weight
    return {
        m: compute_random_order_point(get_amounts(joint, m), weight, power) for m in joint.models
    }


def compute_random_order_point(rows: Amounts, weight: Vector, power: int = 1) -> Point:
    """Σ wᵢ wⱼ (scoreⱼ − yᵢ)₊ᵖ / W², and that of the errors below zero; O(n log n).

    >>> compute_random_order_point(Amounts(np.array([0.0, 4.0]), np.array([1.0, 3.0])), np.ones(2))
    Point(over=1.0, under=-1.0)
    """
    y, score = rows.y.values, rows.score.values
    over = _mean_excess(score, y, weight, power)
    return Point(over, -_mean_excess(y, score, weight, power))


def _mean_excess(one: Vector, other: Vector, weight: Vector, power: int) -> float:
    """Mean of (oneⱼ − otherᵢ)₊ᵖ over all pairs, i = j among them, each with both its weights."""
    centre = float(np.median(np.append(one, other)))  # no digits lost to a level
    order = np.argsort(other)
    low, share = other[order] - centre, weight[order] / weight.sum()
    place = np.searchsorted(low, one - centre)
    sums = [np.append(0.0, np.cumsum(share * low**k))[place] for k in range(power + 1)]
    high = one - centre
    excess = high * sums[0] - sums[1]
    if power == 2:
        excess = high * (excess - sums[1]) + sums[2]
    return float(weight @ np.maximum(excess, 0.0) / weight.sum())


def compute_model_points(joint: JointAnalysis, power: int = 1) -> dict[str, Point]:
    """Every model as it is, in RROC space or in that of squares."""
    over, under = find_coordinate_indices(power)
    found = {m: joint.value(position_statistic(), m) for m in joint.models}
    return {m: Point(float(value[over]), float(value[under])) for m, value in found.items()}


def find_coordinate_indices(power: int) -> list[int]:
    """Return the indexes of both coordinates among the numbers of a position."""
    names = ("over", "under") if power == 1 else ("over squared", "under squared")
    return [POSITION.index(name) for name in names]


def compute_region(joint: JointAnalysis, model: str, power: int = 1) -> CurveResult:
    """Compute the ellipse in which both sides of a model's error lie together, from the replicates.

    Under 20 resampling units, or of one replicate, it would be drawn in vain, and has no points.
    """
    drawn = joint.drawn(position_statistic(), model)[:, find_coordinate_indices(power)]
    point = compute_model_points(joint, power)[model]
    chance = compute_random_order_point(get_amounts(joint, model), joint.part.weight, power)
    marks = {
        "over": round_number(point.over),
        "under": round_number(point.under),
        "over in random order": round_number(chance.over),
        "under in random order": round_number(chance.under),
    }
    if joint.part.units < FEWEST_UNITS or len(drawn) < 2:
        return build_curve_result(
            joint, RROC_REGION, {}, np.empty(0), np.empty(0), marks, model, power
        )
    reach = np.sqrt(-2 * log(1 - joint.plan.inference.level))
    values, vectors = np.linalg.eigh(np.cov(drawn.T))
    axes = vectors * (reach * np.sqrt(np.maximum(values, 0.0)))
    turns = [2 * pi * k / CORNERS for k in range(CORNERS + 1)]
    outline = np.array([[cos(t), sin(t)] for t in turns]) @ axes.T
    x, y = point.over + outline[:, 0], point.under + outline[:, 1]
    return build_curve_result(joint, RROC_REGION, {}, x, y, marks, model, power)


def iter_plane_lines(
    joint: JointAnalysis, cost_model: CostModel, regions: Sequence[CurveResult]
) -> Iterator[CurveResult]:
    """Yield the hull of models and trivial points, and at each α the line of minimum cost."""
    known = compute_model_points(joint, cost_model.power)
    right, down = _compute_window(joint, regions, cost_model.power)
    names = [m for stretch in find_hull(known).stretches for m in stretch.models]
    corners = sorted({(known[m].over, known[m].under) for m in names})
    corners = [(corners[0][0], down), *corners, (right, corners[-1][1])]
    x, y = np.array(corners).T
    marks = {"left": round_number(-right / 8)}  # so that the name of a point at zero has room
    yield build_curve_result(joint, RROC_POINTS_HULL, {}, x, y, marks, power=cost_model.power)
    for alpha in cost_model.alphas if cost_model.has_alpha else ():
        best = min(known.values(), key=lambda point: point.cost(alpha))
        x, y = _clip_isometric(best, alpha, right, down)
        marks = {"cost": round_number(best.cost(alpha))}
        yield build_curve_result(
            joint,
            RROC_ISOMETRIC,
            {"alpha": round_number(alpha)},
            x,
            y,
            marks,
            power=cost_model.power,
        )


def _clip_isometric(best: Point, alpha: float, right: float, down: float) -> tuple[Vector, Vector]:
    """Return the part inside the window of the line on which every cost equals the best one."""
    slope, intercept = isometric_line(alpha, best.cost(alpha))
    if not isfinite(slope):
        return np.array([best.over, best.over]), np.array([down, 0.0])
    ends = [0.0, right]
    if slope > 0:
        ends = [max(0.0, (down - intercept) / slope), min(right, -intercept / slope)]
    x = np.array(ends)
    return x, slope * x + intercept


def _compute_window(
    joint: JointAnalysis, regions: Sequence[CurveResult], power: int
) -> tuple[float, float]:
    """How far right and down the figure reaches: to models, regions and constants near them."""
    found = list(compute_model_points(joint, power).values())
    right = max([p.over for p in found] + [x for r in regions for x in r.x if x is not None])
    down = min([p.under for p in found] + [y for r in regions for y in r.y if y is not None])
    near = [
        point
        for point in (
            *compute_constant_points(joint, power).values(),
            *compute_random_order_points(joint, power).values(),
        )
        if point.over <= NEAR * right and point.under >= NEAR * down
    ]
    right, down = max([right, *(p.over for p in near)]), min([down, *(p.under for p in near)])
    return (ROOM * right or 1.0), (ROOM * down or -1.0)


def build_curve_result(  # noqa: PLR0913
    joint: JointAnalysis,
    line: CurveInfo,
    params: dict[str, Scalar],
    x: Vector,
    y: Vector,
    marks: dict[str, Number] | None = None,
    model: str = "",
    power: int = 1,
) -> CurveResult:
    """Build a curve without a band, rounded; `model` is empty where it belongs to all."""
    unit = fill_unit("y²" if power == 2 else "y", joint.plan.statistics.unit)
    is_plane = line.curve.startswith("rroc")
    return CurveResult(
        dataset=joint.plan.dataset,
        segment=None,
        curve=line.curve,
        params=params,
        model=model,
        baseline=None,
        x=round_numbers(x),
        y=round_numbers(y),
        low=(),
        high=(),
        band_low=(),
        band_high=(),
        level=joint.plan.inference.level,
        method="",
        n=joint.part.n,
        x_unit=unit if is_plane else "share",
        y_unit=unit,
        marks=marks or {},
    )
