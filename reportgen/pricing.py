"""What errors cost, as the config declares it: for metrics, for the rows, for the decision."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from reportgen.config import Config, MetricUse
from reportgen.costs import CostModel
from reportgen.data.sample import Sample
from reportgen.fits import are_same, share_ids
from reportgen.kernels.batch import Vector
from reportgen.kernels.unit_costs import UnitCosts
from reportgen.losses.by_row import mean_unit_costs
from reportgen.losses.losses import LossName
from reportgen.metrics.names import parameters_of
from reportgen.metrics.units import unit_of
from reportgen.rows import is_density
from reportgen.tasks import TASKS


def priced(config: Config, use: MetricUse) -> Mapping[str, Any]:
    """The parameters of a metric; a cost at the declared asymmetry is that of the unit costs.

    So is one that names none.
    """
    costs, alpha = config.costs, use.params.get("alpha")
    takes = {parameter.name for parameter in parameters_of(use.name, config.task)}
    if costs is None or not costs.is_priced or not {"loss", "under", "over"} <= takes:
        return use.params
    pair = costs.pair
    if _is_bare(use.params, costs.loss):
        own = {"unit_costs": "by row"} if pair is None else {"under": pair[0], "over": pair[1]}
        return {**use.params, **own}
    if pair is None or costs.declared is None:
        return use.params
    of_pinball = {"pinball": "linlin"}  # half the loss, at the same unit costs the same money
    losses = {of_pinball.get(name, name) for name in (use.params.get("loss", "linlin"), costs.loss)}
    if len(losses) > 1 or alpha is None or abs(alpha - costs.declared) > 1e-12:
        return use.params
    kept = {key: value for key, value in use.params.items() if key != "alpha"}
    return {**kept, "under": pair[0], "over": pair[1]}


def unit_costs_of(config: Config, sample: Sample) -> UnitCosts | None:
    """What errors cost on each row, where that differs; None where it does not."""
    if config.costs is None or not config.costs.columns:
        return None
    sides = []
    for side in ("under", "over"):
        declared = getattr(config.costs, side)
        same = float(declared) if isinstance(declared, float | int) else 0.0
        sides.append(sample.costs.get(side, np.full(sample.n, same)))
    return UnitCosts(*sides)


def cost_model_of(config: Config, sample: Sample, fit: Sample | None) -> CostModel | None:
    """What errors cost, where the config says so."""
    asked = config.costs
    if asked is None or not TASKS[config.task].has_side_costs:
        return None
    loss: LossName = asked.loss  # type: ignore[assignment]  # the reading knows the names
    plain = 1.0 if loss == "pinball" else 2.0
    pair, alphas, declared = asked.pair, asked.alphas, asked.declared
    by_row = unit_costs_of(config, sample)
    if by_row is not None:
        pair = mean_unit_costs(by_row, _weight_of(sample))
        declared = pair[0] / sum(pair)
        alphas = (declared,)
    total = plain if pair is None else sum(pair)
    unit = (asked.currency or "1") if asked.is_priced else _unit_of(loss, config, sample)
    bias, over = asked.hybrid.bias, asked.hybrid.over
    cost_model = CostModel(alphas, total, unit, asked.is_priced, loss,
                    target=("bias", bias or 0.0) if over is None else ("over", over),
                    is_fitted=fit is not None, degree=asked.degree * (by_row is None),
                    with_alpha=asked.with_alpha,
                    is_own=fit is not None and are_same(sample, fit),
                    is_flattered=fit is not None and share_ids(sample, fit),
                    has_densities=by_row is None
                    and any(is_density(parts) for parts in sample.parts.values()),
                    declared=declared, is_by_row=by_row is not None)  # fmt: skip
    if cost_model.has_alpha:
        return cost_model
    spread = float(np.std(sample.y)) or 1.0
    places = asked.c or (1 / spread,)
    return replace(cost_model, alphas=places, reaches=2 * max(map(abs, places)))


def _is_bare(params: Mapping[str, Any], loss: str) -> bool:
    """Whether an expected cost leaves it to `costs:` what an error costs."""
    is_named = any(params.get(key) is not None for key in ("alpha", "under", "over", "c"))
    return not is_named and params.get("loss", "linlin") == loss


def _weight_of(sample: Sample) -> Vector:
    return np.ones(sample.n) if sample.weight is None else sample.weight


def _unit_of(loss: LossName, config: Config, sample: Sample) -> str:
    """Unpriced, a cost is in the unit of its loss: an exponential has none."""
    unit = config.datasets[sample.dataset].unit or "y"
    return {"quadquad": unit_of("y²", unit), "linexp": "1", "quadexp": "1"}.get(loss, unit)
