"""Plan costs: unit costs, the cost model, and shifts fitted on training rows."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import lru_cache
from typing import Any

import numpy as np

from reportgen.analysis.costs.cost_model import MANY, CostModel
from reportgen.analysis.costs.decisions import cost_statistic
from reportgen.analysis.costs.shift_methods import Methods
from reportgen.analysis.plan import CostPlan
from reportgen.config.schema.config import Config, MetricUse
from reportgen.data.sample import Sample
from reportgen.errors import DataError
from reportgen.inference.resampling.design import Design
from reportgen.kernels.batch import UnitCosts
from reportgen.metrics.curves import CURVES
from reportgen.metrics.lookup import list_name_parameters
from reportgen.metrics.losses.loss_functions import LOSSES, LossName, average_unit_costs
from reportgen.metrics.losses.shifts import ALPHA_GRID
from reportgen.metrics.rows import Amounts, TrainingRows, has_density_columns
from reportgen.metrics.tasks import TASKS
from reportgen.metrics.traits import fill_unit
from reportgen.results.types import RaisedWarning
from reportgen.terms import LIMITS
from reportgen.text import quote_first

FEWEST_FIT_ROWS = int(LIMITS["W116"]["refused"])  # rows that a shift may be fitted on
FEW_FIT_ROWS = int(LIMITS["W116"]["fewest"])  # rows under which it is doubted


def find_fit_dataset(config: Config, dataset: str) -> str | None:
    """Return the dataset with `role: fit` that belongs to one with `role: test`.

    None if there is none, or nothing in the config asks for a shift, or learns a threshold or where
    a curve is highest.
    """
    uses = (*config.metrics, *config.curves)
    is_learning = any(each.is_learnt for each in config.thresholds.values())
    is_shifting = any(use.params.get("shift") == "fitted" for use in uses)
    is_learning = is_learning or any(CURVES[use.name].has_peak for use in config.curves)
    if config.costs is None and not is_shifting and not is_learning:
        return None
    return find_training_dataset(config, dataset)


def find_training_dataset(config: Config, dataset: str) -> str | None:
    """Return the dataset with `role: fit` for one that is evaluated; None if there is none."""
    named = config.datasets[dataset].fit
    known = [name for name, each in config.datasets.items() if each.role == "fit"]
    return named or (known[0] if known else None)


def iter_shift_warnings(config: Config, sample: Sample, fit: Sample) -> Iterator[RaisedWarning]:
    """Yield the warnings about shifts fitted on these rows; raise where none can be fitted on them.

    W115  ids that teach are judged as well, which the config says on purpose
    W116  fewer than 30 rows that weigh teach
    W117  the same clusters are in both sets of rows
    """
    shared = sample.find_common_ids(fit)
    if shared and not config.datasets[sample.dataset].used_to_fit:
        many = "1 id" if len(shared) == 1 else f"{len(shared):,} ids"
        raise DataError(
            f"datasets {sample.dataset!r} and {fit.dataset!r} share {many} "
            f"({quote_first(shared[0], 'compare the columns of ids')}); a shift must not be "
            "judged on rows that it was fitted on: set a `filter` on each, or "
            f"`used_to_fit: true` on {sample.dataset!r} to go on with a warning"
        )
    _refuse_too_few(config, fit)
    if shared:
        yield RaisedWarning("W115", {"shared": len(shared), "rows": sample.n, "fit": fit.dataset})
    if (rows := _count_weighted_rows(fit)) < FEW_FIT_ROWS:
        yield RaisedWarning("W116", {"rows": rows, "few": FEW_FIT_ROWS, "fit": fit.dataset})
    column, both = _count_shared_clusters(sample, fit)
    if both and not shared:
        yield RaisedWarning("W117", {"shared": both, "column": column, "fit": fit.dataset})


def fit_shifts(
    fit: Sample, design: Design, unit_costs: UnitCosts | None = None
) -> Mapping[str, TrainingRows]:
    """Each model on the training rows, with resamples of those rows alone."""
    draw = lru_cache(maxsize=4)(design.batch)  # all models ask for the same batches in turn
    return {
        model: TrainingRows(
            Amounts(fit.y, columns.score, columns.parts, unit_costs=unit_costs),
            design.weights,
            draw,
            design.identity,
        )
        for model, columns in fit.models.items()
    }


def are_same_rows(sample: Sample, fit: Sample) -> bool:
    """Whether the rows that teach are those judged, number for number.

    The same ids alone may be other rows, such as last year's of the same customers.
    """
    if fit.ids != sample.ids or fit.models.keys() != sample.models.keys():
        return False
    both = [(fit.y, sample.y), (fit.weights, sample.weights)]
    both += [(fit.models[name].score, model.score) for name, model in sample.models.items()]
    return all(np.array_equal(one, other) for one, other in both)


def have_shared_ids(sample: Sample, fit: Sample) -> bool:
    """Whether some of the rows that teach are judged as well."""
    return not set(sample.ids).isdisjoint(fit.ids)


def _refuse_too_few(config: Config, fit: Sample) -> None:
    """Refuse too few rows: a polynomial needs at least one more than it has coefficients."""
    degree = _find_highest_degree(config)
    fewest = max(FEWEST_FIT_ROWS, degree + 2)
    rows = _count_weighted_rows(fit)
    if rows >= fewest:
        return
    what = f"a polynomial of degree {degree}" if fewest > FEWEST_FIT_ROWS else "a shift"
    raise DataError(
        f"dataset {fit.dataset!r} has {rows} rows{' that weigh' * (rows < fit.n)}; "
        f"{what} is fitted on {fewest} or more: add rows, or remove the dataset"
    )


def _count_weighted_rows(sample: Sample) -> int:
    """How many rows weigh: one of weight 0 teaches nothing."""
    return int(np.count_nonzero(sample.weights > 0))


def _find_highest_degree(config: Config) -> int:
    """Return the highest degree of a polynomial that the config requests."""
    asked = [use.params.get("degree") for use in config.metrics]
    if config.costs is not None and config.costs.loss == "linlin":
        asked.append(config.costs.degree)
    return max((each for each in asked if isinstance(each, int)), default=0)


def _count_shared_clusters(sample: Sample, fit: Sample) -> tuple[str, int]:
    """Return the column of what is resampled together in both sets, and how many are in both."""
    one, other = sample.sampling.units, fit.sampling.units
    if one is None or other is None or one.column != other.column:
        return "", 0
    return one.column, len(set(one.codes.labels) & set(other.codes.labels))


def fill_cost_parameters(config: Config, use: MetricUse) -> Mapping[str, Any]:
    """Return a metric's parameters; a cost at the declared asymmetry gets the unit costs.

    So is one that names none.
    """
    costs, alpha = config.costs, use.params.get("alpha")
    takes = {parameter.name for parameter in list_name_parameters(use.name, config.task)}
    if costs is None or not costs.is_priced or not {"loss", "under", "over"} <= takes:
        return use.params
    pair = costs.pair
    if _uses_declared_costs(use.params, costs.loss):
        own = {"unit_costs": "by row"} if pair is None else {"under": pair[0], "over": pair[1]}
        return {**use.params, **own}
    if pair is None or costs.pair_alpha is None:
        return use.params
    # Half of a loss is, at the same unit costs, the same money.
    losses = {LOSSES[name].plain for name in (use.params.get("loss", "linlin"), costs.loss)}
    if len(losses) > 1 or alpha is None or abs(alpha - costs.pair_alpha) > 1e-12:
        return use.params
    kept = {key: value for key, value in use.params.items() if key != "alpha"}
    return {**kept, "under": pair[0], "over": pair[1]}


def build_unit_costs(config: Config, sample: Sample) -> UnitCosts | None:
    """Build the unit costs of errors by row, where they differ; None where they do not."""
    if config.costs is None or not config.costs.columns:
        return None
    sides = []
    for side in ("under", "over"):
        declared = getattr(config.costs, side)
        same = float(declared) if isinstance(declared, float | int) else 0.0
        sides.append(sample.unit_costs.get(side, np.full(sample.n, same)))
    return UnitCosts(*sides)


def build_cost_model(config: Config, sample: Sample, fit: Sample | None) -> CostModel | None:
    """Build the model of what errors cost, where the config declares it."""
    asked = config.costs
    if asked is None or not TASKS[config.task].has_side_costs:
        return None
    loss: LossName = asked.loss  # type: ignore[assignment]  # the reading knows the names
    pair, alphas, declared = asked.pair, asked.alphas, asked.pair_alpha
    by_row = build_unit_costs(config, sample)
    if by_row is not None:
        pair = average_unit_costs(by_row, sample.weights)
        declared = pair[0] / sum(pair)
        alphas = (declared,)
    total = float(LOSSES[loss].total) if pair is None else sum(pair)
    unit = (asked.currency or "1") if asked.is_priced else _choose_cost_unit(loss, config, sample)
    bias, over = asked.hybrid.bias, asked.hybrid.over
    cost_model = CostModel(
        alphas,
        total,
        unit,
        asked.is_priced,
        loss,
        target=("bias", bias or 0.0) if over is None else ("over", over),
        is_fitted=fit is not None,
        degree=asked.degree * (by_row is None),
        with_alpha=asked.with_alpha,
        is_own=fit is not None and are_same_rows(sample, fit),
        is_flattered=fit is not None and have_shared_ids(sample, fit),
        has_densities=by_row is None
        and any(has_density_columns(model.parts) for model in sample.models.values()),
        declared=declared,
        is_by_row=by_row is not None,
    )
    if cost_model.has_alpha:
        return cost_model
    spread = float(np.std(sample.y)) or 1.0
    places = asked.c or (1 / spread,)
    return replace(cost_model, alphas=places, reaches=2 * max(map(abs, places)))


def _uses_declared_costs(params: Mapping[str, Any], loss: str) -> bool:
    """Return whether an expected cost leaves it to `costs:` what an error costs."""
    is_named = any(params.get(key) is not None for key in ("alpha", "under", "over", "c"))
    return not is_named and params.get("loss", "linlin") == loss


def _choose_cost_unit(loss: LossName, config: Config, sample: Sample) -> str:
    """Unpriced, a cost is in the unit of its loss: an exponential has none."""
    unit = config.datasets[sample.dataset].unit or "y"
    return fill_unit(LOSSES[loss].unit, unit)


def plan_costs(config: Config, cost_model: CostModel | None, fit: Sample | None) -> CostPlan:
    """Plan the statistics of all models jointly that the cost model asks for."""
    if cost_model is None:
        return CostPlan(currency=config.currency)
    return CostPlan((cost_statistic(cost_model, _build_methods(cost_model, fit)),), config.currency)


def plan_shift_warnings(
    config: Config, sample: Sample, fit: Sample | None
) -> tuple[RaisedWarning, ...]:
    """Return the warnings about the rows that shifts are fitted on."""
    if fit is None or not TASKS[config.task].has_side_costs:
        return ()
    return tuple(iter_shift_warnings(config, sample, fit))


def _build_methods(cost_model: CostModel, fit: Sample | None) -> Methods | None:
    """Build the methods of choosing a shift; None where there is nothing to choose."""
    if (
        cost_model.is_by_row
        or cost_model.loss != "linlin"
        or not (cost_model.is_fitted or cost_model.has_densities)
    ):
        return None
    alphas = (
        ALPHA_GRID if fit is None or fit.n <= MANY else ALPHA_GRID[::4]
    )  # of many rows each fit is slow
    return Methods(cost_model, alphas)
