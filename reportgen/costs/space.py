"""RROC space: where models stand with their regions, the hull, dominance, and constants.

A constant is what can be said without a model: the mean of y, its median, zero. All constants
share one RROC curve, and a model whose curve does not rise above it knows nothing. A model's scores
in random order keep what it knows of the level and spread of y, and nothing of which row is which.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from typing import Literal

import numpy as np

from reportgen.analysis.joint import JointAnalysis, ever_wins
from reportgen.costs.actions import estimated
from reportgen.costs.cost_model import SHIFTS, CostModel
from reportgen.costs.hybrids import best_stretches
from reportgen.costs.lines import COST_CONSTANT, COST_ENVELOPE, RROC_CONSTANT, RROC_HULL
from reportgen.costs.plane import (
    amounts,
    constants,
    curve_result,
    plane_lines,
    points,
    region,
    shuffled,
)
from reportgen.costs.statistics import POSITION, position
from reportgen.inference.evidence import Evidence
from reportgen.kernels.batch import Batch
from reportgen.losses.expected import least
from reportgen.losses.hull import Point, dominates
from reportgen.losses.losses import LossName
from reportgen.losses.rroc import plane_band
from reportgen.metrics.units import unit_of
from reportgen.results import (
    CurveResult,
    ErrorDecomposition,
    IntervalEstimate,
    Number,
    RrocPoint,
    Scalar,
    rounded,
)
from reportgen.rows import Amounts

FINE = np.linspace(0.0, 1.0, 401)
Places = Callable[[JointAnalysis, int], dict[str, Point]]


def rroc_points(joint: JointAnalysis, cost_model: CostModel) -> Iterator[RrocPoint]:
    """Every model, then what can be said without one, and each model's scores in random order."""
    yield from _models(joint, cost_model)
    yield from _references(joint, cost_model)


def decompositions(joint: JointAnalysis) -> Iterator[ErrorDecomposition]:
    """Mean squared error = squared mean error + variance; half the variance is the area."""
    unit = unit_of("y²", joint.plan.unit)
    for model in joint.models:
        bias, mse = (_evidence(joint, model, name).value for name in ("bias", "mse"))
        variance = _estimated(joint, model, "variance")
        yield ErrorDecomposition(
            model=model,
            unit=unit,
            mse=_estimated(joint, model, "mse"),
            squared_bias=rounded(bias**2),
            share_of_bias=rounded(bias**2 / mse) if mse > 0 else None,
            bias=_estimated(joint, model, "bias"),
            variance=variance,
            aoc=IntervalEstimate(*map(_half, (variance.value, variance.low, variance.high))),
        )


def _half(value: Number) -> Number:
    return None if value is None else rounded(value / 2)


def space_curves(joint: JointAnalysis, cost_model: CostModel) -> Iterator[CurveResult]:
    """Regions of the models, the curve of all constants, hulls, isometrics and lowest costs."""
    regions = [region(joint, model, cost_model.power) for model in joint.models]
    yield from regions
    yield from plane_lines(joint, cost_model, regions)
    yield from constant_lines(joint, cost_model)
    for shift in SHIFTS:
        curve = cost_model.over_alpha(shift)
        lowest = np.min([joint.value(curve, m) for m in joint.models], axis=0)
        grid = joint.bound(curve, joint.models[0]).grid
        params: dict[str, Scalar] = {"shift": shift, "loss": cost_model.loss}
        yield curve_result(joint, COST_ENVELOPE, params, grid, lowest, power=_units(cost_model))


def constant_lines(joint: JointAnalysis, cost_model: CostModel) -> Iterator[CurveResult]:
    """What all constants reach, and the hull of all curves; against α too where there is one."""
    for line in (*_constant_curves(joint, cost_model), _hull_curve(joint, cost_model)):
        is_plane = line.curve in (RROC_CONSTANT.curve, RROC_HULL.curve)
        if is_plane or not cost_model.is_by_row:
            yield line
        if _is_drawn_raw(joint) and is_plane:
            yield _raw(line, float(joint.part.weight.sum()))


def _units(cost_model: CostModel) -> int:
    """The power of y that costs have: squares but for the losses that run straight."""
    return 1 if cost_model.loss in ("linlin", "pinball") else 2


def _is_drawn_raw(joint: JointAnalysis) -> bool:
    """Whether the RROC curve of sums was asked for too."""
    return any(c.name == "rroc" and c.params["raw"] for c in joint.plan.curves)


def _raw(line: CurveResult, total: float) -> CurveResult:
    """The same line in sums over all rows."""
    x, y = (tuple(None if v is None else rounded(v * total) for v in side)
            for side in (line.x, line.y))  # fmt: skip
    marks = {k: None if v is None else rounded(v * total) for k, v in line.marks.items()}
    return replace(line, x=x, y=y, marks=marks, params={**line.params, "raw": True})


def _constant_curves(joint: JointAnalysis, cost_model: CostModel) -> Iterator[CurveResult]:
    """What all constants reach, in the plane and against the asymmetry."""
    part = joint.part
    constant, weight = Amounts(part.outcome, np.zeros(part.n)), part.weight
    trace = cost_model.rroc.bind(constant, weight).trace(weight)
    marks = {
        f"{side} of {name}": rounded(value)
        for name, point in constants(joint, cost_model.power).items()
        for side, value in (("over", point.over), ("under", point.under))
    }
    params: dict[str, Scalar] = dict(cost_model.rroc.params)
    yield curve_result(joint, RROC_CONSTANT, params, trace.x, trace.y, marks,
                       power=cost_model.power)  # fmt: skip
    bound = cost_model.over_alpha("optimal").bind(constant, weight)
    params = {"shift": "optimal", "loss": cost_model.loss}
    yield curve_result(joint, COST_CONSTANT, params, bound.grid, bound(Batch.of(weight))[0],
                       power=_units(cost_model))  # fmt: skip


def _models(joint: JointAnalysis, cost_model: CostModel) -> Iterator[RrocPoint]:
    known, names = points(joint, cost_model.power), joint.models
    best = {s.models: s for s in best_stretches(joint, cost_model)}
    curve = cost_model.over_alpha("none")
    shares = ever_wins(lambda k: joint.drawn(curve, names[k]), len(names))
    for model, share in zip(names, shares, strict=True):
        own = [s for models, s in best.items() if model in models]
        yield RrocPoint(
            name=model,
            kind="model",
            over=_estimated(joint, model, "over"),
            under=_estimated(joint, model, "under"),
            bias=_estimated(joint, model, "bias"),
            dominated_by=_dominating(cost_model, known, known[model]),
            is_on_hull=bool(own),
            share_on_hull=rounded(float(share)),
            best_from=rounded(min((s.low for s in own), default=None)),
            best_to=rounded(max((s.high for s in own), default=None)),
        )


def _references(joint: JointAnalysis, cost_model: CostModel) -> Iterator[RrocPoint]:
    known = points(joint, cost_model.power)
    kinds: tuple[tuple[Literal["constant", "random order"], Places], ...] = (
        ("constant", constants), ("random order", shuffled)
    )  # fmt: skip
    for kind, of in kinds:
        squared = of(joint, cost_model.power)
        for name, point in of(joint, 1).items():
            over, under, bias = (
                IntervalEstimate(rounded(v)) for v in (point.over, point.under, point.bias)
            )
            by = _dominating(cost_model, known, squared[name])
            yield RrocPoint(name, kind, over, under, bias, by)


def _dominating(cost_model: CostModel, known: Mapping[str, Point], point: Point) -> str | None:
    """The first model that is better on both sides.

    Where one exponential loss rules, the plane of Lin-Lin proves nothing for all c.
    """
    if not cost_model.has_alpha:
        return None
    return next((model for model, other in known.items() if dominates(other, point)), None)


def _evidence(joint: JointAnalysis, model: str, name: str) -> Evidence:
    place = POSITION.index(name)
    error, weight = amounts(joint, model).error.values, joint.part.weight
    value = float(joint.value(position(), model)[place])
    drawn = joint.drawn(position(), model)[:, place]
    of_row = {
        "over": np.maximum(error, 0.0), "under": np.minimum(error, 0.0), "bias": error,
        "mse": error**2, "variance": (error - weight @ error / weight.sum()) ** 2,
    }[name]  # fmt: skip
    is_mean = name in ("over", "under", "bias")
    return joint.evidence(value, drawn, "mean" if is_mean else "log mean", of_row - value)


def _estimated(joint: JointAnalysis, model: str, name: str) -> IntervalEstimate:
    return estimated(_evidence(joint, model, name), joint.plan.level)


def _hull_curve(joint: JointAnalysis, cost_model: CostModel) -> CurveResult:
    """The hull of all curves: what some model with some constant reaches."""
    weight = joint.part.weight
    data = {model: amounts(joint, model) for model in joint.models}
    alphas = (
        np.union1d(FINE, np.arange(len(weight) + 1) / len(weight)) if len(weight) < 400 else FINE
    )
    one = Batch.of(weight)
    loss: LossName = "quadquad" if cost_model.power == 2 else "linlin"
    costs = np.min([least(loss, data[m], one, alphas)[0] for m in joint.models], axis=0)
    shown = [cost_model.rroc.bind(data[m], weight).trace(weight).x for m in joint.models]
    low, high = min(x.min() for x in shown), max(x.max() for x in shown)
    over = np.unique(np.concatenate([np.linspace(low, high, 200), *shown]))
    return curve_result(
        joint, RROC_HULL, dict(cost_model.rroc.params), over[:: max(len(over) // 300, 1)],
        plane_band(alphas, costs, over)[:: max(len(over) // 300, 1)], power=cost_model.power,
    )  # fmt: skip
