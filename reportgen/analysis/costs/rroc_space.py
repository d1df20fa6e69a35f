"""RROC space: where models stand, the hull, dominance, and mixtures of models."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from itertools import pairwise
from typing import Literal

import numpy as np

from reportgen.analysis.costs.actions import estimate_with_limits
from reportgen.analysis.costs.cost_model import (
    DEPLOYABLE_SHIFTS,
    POSITION,
    CostModel,
    position_statistic,
)
from reportgen.analysis.costs.rroc_plane import (
    COST_CONSTANT,
    COST_ENVELOPE,
    RROC_CONSTANT,
    RROC_HULL,
    build_curve_result,
    compute_constant_points,
    compute_model_points,
    compute_random_order_points,
    compute_region,
    get_amounts,
    iter_plane_lines,
)
from reportgen.analysis.curves import JointAnalysis, compute_ever_win_shares
from reportgen.inference.intervals import compute_interval
from reportgen.inference.sampling_distribution import SamplingDistribution
from reportgen.kernels.batch import Batch, Vector
from reportgen.metrics.losses.expected_cost import least_expected_loss
from reportgen.metrics.losses.loss_functions import LOSSES, LossName
from reportgen.metrics.losses.rroc_geometry import (
    AlphaRange,
    Point,
    find_hull,
    is_dominating,
    lower_envelope,
    mix_models,
    rroc_band,
)
from reportgen.metrics.rows import Amounts
from reportgen.metrics.traits import fill_unit
from reportgen.results.costs import ErrorDecomposition, IntervalEstimate, Mixture, RrocPoint
from reportgen.results.curves import CurveResult
from reportgen.results.types import Number, Scalar, round_number, round_to_ten_digits


def find_cheapest_stretches(joint: JointAnalysis, cost_model: CostModel) -> tuple[AlphaRange, ...]:
    """Find the models that are cheapest unshifted for some asymmetry, with their ranges of it."""
    if cost_model.has_alpha:
        return find_hull(compute_model_points(joint, cost_model.power)).stretches
    curve = cost_model.over_alpha("none")
    lines = {m: (joint.bound(curve, m).grid, joint.value(curve, m)) for m in joint.models}
    return lower_envelope(lines).stretches


def iter_mixtures(joint: JointAnalysis, cost_model: CostModel) -> Iterator[Mixture]:
    """For each segment of the hull the mixture of its ends that is wanted."""
    known, stretches = compute_model_points(joint), find_cheapest_stretches(joint, cost_model)
    kind, wanted = cost_model.target
    target: dict[str, float] = {kind: wanted}
    for left, right in pairwise(stretches):
        first, second = left.models[0], right.models[0]
        if first == second:
            continue
        one, other = known[first], known[second]
        share = mix_models(one, other, **target)
        yield Mixture(
            first=first,
            second=second,
            asymmetry=round_to_ten_digits(left.high),
            first_over=round_number(one.over),
            second_over=round_number(other.over),
            first_bias=round_number(one.bias),
            second_bias=round_number(other.bias),
            quantity=kind,
            target=round_number(wanted),
            share=_build_share(joint, (first, second), share, target),
            over=round_number(share * one.over + (1 - share) * other.over),
            under=round_number(share * one.under + (1 - share) * other.under),
        )


def _build_share(
    joint: JointAnalysis, pair: tuple[str, str], share: float, target: Mapping[str, float]
) -> IntervalEstimate:
    """Return the first model's share, with percentiles over resamples.

    It is the share that meets the target, from 0 to 1.
    """
    if not np.isfinite(share):
        return IntervalEstimate()
    ((kind, wanted),) = target.items()
    start, end = (_select_position_replicates(joint, m, kind) for m in pair)
    gap = start - end
    with np.errstate(over="ignore"):  # beyond all numbers is beyond 0 or 1
        drawn = np.divide(wanted - end, gap, out=np.full(len(gap), np.nan), where=gap != 0)
    evidence = joint.evidence(share, np.clip(drawn, 0, 1), "quantile", None, (0.0, 1.0))
    found = compute_interval(evidence, "percentile", joint.plan.inference.level)
    return IntervalEstimate.from_limits(share, found.low, found.high)


def _select_position_replicates(joint: JointAnalysis, model: str, kind: str) -> Vector:
    drawn: Vector = joint.drawn(position_statistic(), model)[:, POSITION.index(kind)]
    return drawn


FINE = np.linspace(0.0, 1.0, 401)
Places = Callable[[JointAnalysis, int], dict[str, Point]]


def iter_rroc_points(joint: JointAnalysis, cost_model: CostModel) -> Iterator[RrocPoint]:
    """Every model, then what can be said without one, and each model's scores in random order."""
    yield from _iter_models(joint, cost_model)
    yield from _iter_references(joint, cost_model)


def iter_error_decompositions(joint: JointAnalysis) -> Iterator[ErrorDecomposition]:
    """Mean squared error = squared mean error + variance; half the variance is the area."""
    unit = fill_unit("y²", joint.plan.statistics.unit)
    for model in joint.models:
        bias, mse = (_build_evidence(joint, model, name).value for name in ("bias", "mse"))
        variance = _estimate_position(joint, model, "variance")
        yield ErrorDecomposition(
            model=model,
            unit=unit,
            mse=_estimate_position(joint, model, "mse"),
            squared_bias=round_number(bias**2),
            share_of_bias=round_number(bias**2 / mse) if mse > 0 else None,
            bias=_estimate_position(joint, model, "bias"),
            variance=variance,
            aoc=IntervalEstimate(*map(_half, (variance.value, variance.low, variance.high))),
        )


def _half(value: Number) -> Number:
    return None if value is None else round_number(value / 2)


def iter_space_curves(joint: JointAnalysis, cost_model: CostModel) -> Iterator[CurveResult]:
    """Regions of the models, the curve of all constants, hulls, isometrics and lowest costs."""
    regions = [compute_region(joint, model, cost_model.power) for model in joint.models]
    yield from regions
    yield from iter_plane_lines(joint, cost_model, regions)
    yield from iter_constant_lines(joint, cost_model)
    for shift in DEPLOYABLE_SHIFTS:
        curve = cost_model.over_alpha(shift)
        lowest = np.min([joint.value(curve, m) for m in joint.models], axis=0)
        grid = joint.bound(curve, joint.models[0]).grid
        params: dict[str, Scalar] = {"shift": shift, "loss": cost_model.loss}
        yield build_curve_result(
            joint, COST_ENVELOPE, params, grid, lowest, power=_find_cost_power(cost_model)
        )


def iter_constant_lines(joint: JointAnalysis, cost_model: CostModel) -> Iterator[CurveResult]:
    """Yield what all constants reach and the hull of all curves; against α too where it exists."""
    for line in (*_constant_curves(joint, cost_model), _hull_curve(joint, cost_model)):
        is_plane = line.curve in (RROC_CONSTANT.curve, RROC_HULL.curve)
        if is_plane or not cost_model.is_by_row:
            yield line
        if _is_drawn_raw(joint) and is_plane:
            yield _scale_to_sums(line, float(joint.part.weight.sum()))


def _find_cost_power(cost_model: CostModel) -> int:
    """Return the power of y that costs have: 1 for piecewise linear losses, else 2."""
    return 1 if LOSSES[cost_model.loss].is_linear else 2


def _is_drawn_raw(joint: JointAnalysis) -> bool:
    """Whether the RROC curve of sums was asked for too."""
    return any(c.name == "rroc" and c.params["raw"] for c in joint.plan.statistics.curves)


def _scale_to_sums(line: CurveResult, total: float) -> CurveResult:
    """Return the same line in sums over all rows."""
    x, y = (
        tuple(None if v is None else round_number(v * total) for v in side)
        for side in (line.x, line.y)
    )
    marks = {k: None if v is None else round_number(v * total) for k, v in line.marks.items()}
    return replace(line, x=x, y=y, marks=marks, params={**line.params, "raw": True})


def _constant_curves(joint: JointAnalysis, cost_model: CostModel) -> Iterator[CurveResult]:
    """Yield what all constants reach, in the plane and against the asymmetry."""
    part = joint.part
    constant, weight = Amounts(part.outcome, np.zeros(part.n)), part.weight
    trace = cost_model.rroc.bind(constant, weight).trace(weight)
    marks = {
        f"{side} of {name}": round_number(value)
        for name, point in compute_constant_points(joint, cost_model.power).items()
        for side, value in (("over", point.over), ("under", point.under))
    }
    params: dict[str, Scalar] = dict(cost_model.rroc.params)
    yield build_curve_result(
        joint, RROC_CONSTANT, params, trace.x, trace.y, marks, power=cost_model.power
    )
    bound = cost_model.over_alpha("optimal").bind(constant, weight)
    params = {"shift": "optimal", "loss": cost_model.loss}
    yield build_curve_result(
        joint,
        COST_CONSTANT,
        params,
        bound.grid,
        bound(Batch.from_weights(weight))[0],
        power=_find_cost_power(cost_model),
    )


def _iter_models(joint: JointAnalysis, cost_model: CostModel) -> Iterator[RrocPoint]:
    known, names = compute_model_points(joint, cost_model.power), joint.models
    best = {s.models: s for s in find_cheapest_stretches(joint, cost_model)}
    curve = cost_model.over_alpha("none")
    shares = compute_ever_win_shares(lambda k: joint.drawn(curve, names[k]), len(names))
    for model, share in zip(names, shares, strict=True):
        own = [s for models, s in best.items() if model in models]
        yield RrocPoint(
            name=model,
            kind="model",
            over=_estimate_position(joint, model, "over"),
            under=_estimate_position(joint, model, "under"),
            bias=_estimate_position(joint, model, "bias"),
            dominated_by=_find_dominating_model(cost_model, known, known[model]),
            is_on_hull=bool(own),
            share_on_hull=round_number(float(share)),
            best_from=round_number(min((s.low for s in own), default=None)),
            best_to=round_number(max((s.high for s in own), default=None)),
        )


def _iter_references(joint: JointAnalysis, cost_model: CostModel) -> Iterator[RrocPoint]:
    known = compute_model_points(joint, cost_model.power)
    kinds: tuple[tuple[Literal["constant", "random order"], Places], ...] = (
        ("constant", compute_constant_points),
        ("random order", compute_random_order_points),
    )
    for kind, of in kinds:
        squared = of(joint, cost_model.power)
        for name, point in of(joint, 1).items():
            over, under, bias = (
                IntervalEstimate(round_number(v)) for v in (point.over, point.under, point.bias)
            )
            by = _find_dominating_model(cost_model, known, squared[name])
            yield RrocPoint(name, kind, over, under, bias, by)


def _find_dominating_model(
    cost_model: CostModel, known: Mapping[str, Point], point: Point
) -> str | None:
    """Return the first model that is better on both sides.

    Where one exponential loss rules, the plane of Lin-Lin proves nothing for all c.
    """
    if not cost_model.has_alpha:
        return None
    return next((model for model, other in known.items() if is_dominating(other, point)), None)


def _build_evidence(joint: JointAnalysis, model: str, name: str) -> SamplingDistribution:
    place = POSITION.index(name)
    error, weight = get_amounts(joint, model).error.values, joint.part.weight
    value = float(joint.value(position_statistic(), model)[place])
    drawn = joint.drawn(position_statistic(), model)[:, place]
    of_row = {
        "over": np.maximum(error, 0.0),
        "under": np.minimum(error, 0.0),
        "bias": error,
        "mse": error**2,
        "variance": (error - weight @ error / weight.sum()) ** 2,
    }[name]
    is_mean = name in ("over", "under", "bias")
    return joint.evidence(value, drawn, "mean" if is_mean else "log mean", of_row - value)


def _estimate_position(joint: JointAnalysis, model: str, name: str) -> IntervalEstimate:
    return estimate_with_limits(_build_evidence(joint, model, name), joint.plan.inference.level)


def _hull_curve(joint: JointAnalysis, cost_model: CostModel) -> CurveResult:
    """Build the hull of all curves: what some model with some constant reaches."""
    weight = joint.part.weight
    data = {model: get_amounts(joint, model) for model in joint.models}
    alphas = (
        np.union1d(FINE, np.arange(len(weight) + 1) / len(weight)) if len(weight) < 400 else FINE
    )
    one = Batch.from_weights(weight)
    loss: LossName = "quadquad" if cost_model.power == 2 else "linlin"
    costs = np.min(
        [least_expected_loss(loss, data[m], one, alphas)[0] for m in joint.models], axis=0
    )
    shown = [cost_model.rroc.bind(data[m], weight).trace(weight).x for m in joint.models]
    low, high = min(x.min() for x in shown), max(x.max() for x in shown)
    over = np.unique(np.concatenate([np.linspace(low, high, 200), *shown]))
    return build_curve_result(
        joint,
        RROC_HULL,
        dict(cost_model.rroc.params),
        over[:: max(len(over) // 300, 1)],
        rroc_band(alphas, costs, over)[:: max(len(over) // 300, 1)],
        power=cost_model.power,
    )
