"""RROC space: where models stand with their regions, the hull, dominance, and constants.

A constant is what can be said without a model: the mean of y, its median, zero. All constants
share one RROC curve, and a model whose curve does not rise above it knows nothing. A model's scores
in random order keep what it knows of the level and spread of y, and nothing of which row is which.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from reportgen.analysis.joint import Together, ever_wins
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
from reportgen.costs.prices import SHIFTS, Prices
from reportgen.curves.decision import POSITION, position
from reportgen.inference.evidence import Evidence
from reportgen.inference.intervals import interval
from reportgen.kernels.batch import Batch
from reportgen.losses.expected import least
from reportgen.losses.hull import dominates
from reportgen.losses.losses import LossName
from reportgen.losses.rroc import plane_band
from reportgen.metrics.units import unit_of
from reportgen.results import CurveResult, Number, Scalar, TableResult, rounded
from reportgen.rows import Amounts

FINE = np.linspace(0.0, 1.0, 401)
SPACE = (
    "model", "kind", "over", "over_low", "over_high", "under", "under_low", "under_high",
    "bias", "bias_low", "bias_high", "is_on_hull", "share_on_hull", "best_from", "best_to",
    "dominated_by",
)  # fmt: skip
SPLIT = (
    "model", "mse", "mse_low", "mse_high", "squared_bias", "share_of_bias",
    "bias", "bias_low", "bias_high", "variance", "variance_low", "variance_high",
    "aoc", "aoc_low", "aoc_high",
)  # fmt: skip


def space_tables(together: Together, prices: Prices) -> Iterator[TableResult]:
    """`rroc_space` has a line for each model and reference, `error_split` one for each model."""
    dataset, unit = together.question.dataset, together.question.unit
    numbers = {"over", "under", "bias"}
    units = tuple(unit if name.split("_")[0] in numbers else "1" for name in SPACE)
    rows = (*_model_rows(together, prices), *_reference_rows(together, prices))
    params: dict[str, Scalar] = {"loss": prices.loss, **prices.axis}
    yield TableResult("rroc_space", dataset, SPACE, units, rows, params=params)
    yield split_table(together)


def split_table(together: Together) -> TableResult:
    """`error_split`: the mean squared error of each model as bias and variance."""
    dataset, unit = together.question.dataset, together.question.unit
    squared = {"model": "1", "share_of_bias": "share"} | dict.fromkeys(SPLIT[6:9], unit)
    units = tuple(squared.get(name, unit_of("y²", unit)) for name in SPLIT)
    return TableResult(
        "error_split", dataset, SPLIT, units, tuple(_split(together, m) for m in together.models)
    )


def space_curves(together: Together, prices: Prices) -> Iterator[CurveResult]:
    """Regions of the models, the curve of all constants, hulls, isometrics and lowest costs."""
    regions = [region(together, model, prices.power) for model in together.models]
    yield from regions
    yield from plane_lines(together, prices, regions)
    yield from constant_lines(together, prices)
    for shift in SHIFTS:
        curve = prices.over_alpha(shift)
        lowest = np.min([together.value(curve, m) for m in together.models], axis=0)
        grid = together.bound(curve, together.models[0]).grid
        params: dict[str, Scalar] = {"shift": shift, "loss": prices.loss}
        yield curve_result(together, COST_ENVELOPE, params, grid, lowest, power=_units(prices))


def constant_lines(together: Together, prices: Prices) -> Iterator[CurveResult]:
    """What all constants reach, and the hull of all curves; against α too where there is one."""
    for line in (*_constant_curves(together, prices), _hull_curve(together, prices)):
        is_plane = line.curve in (RROC_CONSTANT.curve, RROC_HULL.curve)
        if is_plane or not prices.is_by_row:
            yield line
        if _is_drawn_raw(together) and is_plane:
            yield _raw(line, float(together.part.weight.sum()))


def _units(prices: Prices) -> int:
    """The power of y that costs have: squares but for the losses that run straight."""
    return 1 if prices.loss in ("linlin", "pinball") else 2


def _is_drawn_raw(together: Together) -> bool:
    """Whether the RROC curve of sums was asked for too."""
    return any(c.name == "rroc" and c.params["raw"] for c in together.question.curves)


def _raw(line: CurveResult, total: float) -> CurveResult:
    """The same line in sums over all rows."""
    x, y = (tuple(None if v is None else rounded(v * total) for v in side)
            for side in (line.x, line.y))  # fmt: skip
    marks = {k: None if v is None else rounded(v * total) for k, v in line.marks.items()}
    return replace(line, x=x, y=y, marks=marks, params={**line.params, "raw": True})


def _constant_curves(together: Together, prices: Prices) -> Iterator[CurveResult]:
    """What all constants reach, in the plane and against the asymmetry."""
    part = together.part
    constant, weight = Amounts(part.outcome, np.zeros(part.n)), part.weight
    trace = prices.rroc.bind(constant, weight).trace(weight)
    marks = {
        f"{side} of {name}": rounded(value)
        for name, point in constants(together, prices.power).items()
        for side, value in (("over", point.over), ("under", point.under))
    }
    params: dict[str, Scalar] = dict(prices.rroc.params)
    yield curve_result(together, RROC_CONSTANT, params, trace.x, trace.y, marks,
                       power=prices.power)  # fmt: skip
    bound = prices.over_alpha("optimal").bind(constant, weight)
    params = {"shift": "optimal", "loss": prices.loss}
    yield curve_result(together, COST_CONSTANT, params, bound.grid, bound(Batch.of(weight))[0],
                       power=_units(prices))  # fmt: skip


def _model_rows(together: Together, prices: Prices) -> Iterator[tuple[Scalar, ...]]:
    known, names = points(together, prices.power), together.models
    best = {s.models: s for s in best_stretches(together, prices)}
    curve = prices.over_alpha("none")
    shares = ever_wins(lambda k: together.drawn(curve, names[k]), len(names))
    for model, share in zip(names, shares, strict=True):
        own = [s for models, s in best.items() if model in models]
        # Where one exponential loss rules, the plane of Lin-Lin proves nothing for all c.
        rivals = names if prices.has_alpha else ()
        over = [other for other in rivals if dominates(known[other], known[model])]
        yield (
            model, "model", *_three(together, model, "over"), *_three(together, model, "under"),
            *_three(together, model, "bias"), bool(own), rounded(float(share)),
            rounded(min(s.low for s in own)) if own else None,
            rounded(max(s.high for s in own)) if own else None,
            over[0] if over else "",
        )  # fmt: skip


def _reference_rows(together: Together, prices: Prices) -> Iterator[tuple[Scalar, ...]]:
    """What can be said without a model, and what each model says in random order."""
    known = points(together, prices.power)
    for kind, of in (("constant", constants), ("random order", shuffled)):
        squared = of(together, prices.power)
        for name, point in of(together).items():
            over = [m for m, other in known.items() if dominates(other, squared[name])]
            over = over if prices.has_alpha else []
            yield (
                name, kind, rounded(point.over), None, None, rounded(point.under), None, None,
                rounded(point.bias), None, None, None, None, None, None, over[0] if over else "",
            )  # fmt: skip


def _split(together: Together, model: str) -> tuple[Scalar, ...]:
    """Mean squared error = squared mean error + variance; half the variance is the area."""
    bias, mse = (_evidence(together, model, name).value for name in ("bias", "mse"))
    variance = _three(together, model, "variance")
    half = tuple(None if v is None else rounded(v / 2) for v in variance)
    return (
        model, *_three(together, model, "mse"), rounded(bias**2),
        rounded(bias**2 / mse) if mse > 0 else None,
        *_three(together, model, "bias"), *variance, *half,
    )  # fmt: skip


def _evidence(together: Together, model: str, name: str) -> Evidence:
    place = POSITION.index(name)
    error, weight = amounts(together, model).error.values, together.part.weight
    value = float(together.value(position(), model)[place])
    drawn = together.drawn(position(), model)[:, place]
    of_row = {
        "over": np.maximum(error, 0.0), "under": np.minimum(error, 0.0), "bias": error,
        "mse": error**2, "variance": (error - weight @ error / weight.sum()) ** 2,
    }[name]  # fmt: skip
    is_mean = name in ("over", "under", "bias")
    return together.evidence(value, drawn, "mean" if is_mean else "log mean", of_row - value)


def _three(together: Together, model: str, name: str) -> tuple[Number, Number, Number]:
    """A number with its limits."""
    evidence = _evidence(together, model, name)
    found = interval(evidence, "auto", together.question.level)
    return rounded(evidence.value), rounded(found.low), rounded(found.high)


def _hull_curve(together: Together, prices: Prices) -> CurveResult:
    """The hull of all curves: what some model with some constant reaches."""
    weight = together.part.weight
    data = {model: amounts(together, model) for model in together.models}
    alphas = (
        np.union1d(FINE, np.arange(len(weight) + 1) / len(weight)) if len(weight) < 400 else FINE
    )
    one = Batch.of(weight)
    loss: LossName = "quadquad" if prices.power == 2 else "linlin"
    costs = np.min([least(loss, data[m], one, alphas)[0] for m in together.models], axis=0)
    shown = [prices.rroc.bind(data[m], weight).trace(weight).x for m in together.models]
    low, high = min(x.min() for x in shown), max(x.max() for x in shown)
    over = np.unique(np.concatenate([np.linspace(low, high, 200), *shown]))
    return curve_result(
        together, RROC_HULL, dict(prices.rroc.params), over[:: max(len(over) // 300, 1)],
        plane_band(alphas, costs, over)[:: max(len(over) // 300, 1)], power=prices.power,
    )  # fmt: skip
