"""What comes of each model's calls at each operating point, with intervals, on all rows."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from math import isfinite, nan

import numpy as np

from reportgen.analysis.dataset_analysis import DatasetAnalysis
from reportgen.analysis.plan import LearntThreshold, OperatingRule, Use, unsuited
from reportgen.inference.intervals import interval
from reportgen.kernels.batch import Batch
from reportgen.kernels.cuts import CELLS, Best, Cutoff, TopShare, table_of
from reportgen.metrics.classes.cost_of_calls import are_errors_dearer, by_call, pays_from
from reportgen.metrics.units import unit_of
from reportgen.results import CallOutcome, Number, OperatingPoint, rounded
from reportgen.rows import Classes

Cells = Callable[[DatasetAnalysis, OperatingRule, str], list[float]]


def operating_points(
    analysis: DatasetAnalysis, cells: Cells | None = None
) -> Iterator[OperatingPoint]:
    """Every model at every point that it can be judged at, in the order of the config.

    `cells` says what weighs in each cell of the matrix, where rows are not at hand.
    """
    for rule in analysis.plan.points:
        for model in analysis.plan.models:
            if not any(unsuited(use.metric.needs, model) for use in rule.uses):
                yield _point(analysis, rule, model.name, cells or _cells)


def _point(
    analysis: DatasetAnalysis, rule: OperatingRule, model: str, of_cells: Cells
) -> OperatingPoint:
    taught = rule.taught.get(model)
    threshold = rule.thresholds.get(model, _found_here(analysis, rule, model))
    cells: list[Number] = [rounded(x) for x in of_cells(analysis, rule, model)]
    return OperatingPoint(
        dataset=analysis.plan.dataset,
        name=rule.name,
        rule=rule.rule,
        model=model,
        true_negatives=cells[0],
        false_positives=cells[1],
        false_negatives=cells[2],
        true_positives=cells[3],
        outcomes=tuple(_outcome(analysis, use, model) for use in rule.uses),
        goal={} if _is_said(rule, model) else dict(rule.goal),
        share=rounded(rule.share),
        threshold=rounded(threshold) if threshold is not None and isfinite(threshold) else None,
        threshold_low=None if taught is None else rounded(taught.low),
        threshold_high=None if taught is None else rounded(taught.high),
        aim=rule.aim,
        learnt_on=analysis.plan.dataset if rule.is_on_judged else _taught_on(taught),
        lowest_called=rounded(_lowest_called(analysis, rule, model)),
        false_positive_rate=_share(cells[1], cells[0]),
        false_negative_rate=_share(cells[2], cells[3]),
        **_of_one_call(analysis, model),
    )


def _of_one_call(analysis: DatasetAnalysis, model: str) -> dict[str, Number]:
    """What a row costs if none is called, and if all are, and from where on a call pays."""
    whole = analysis.parts[0]
    rows = whole.data[model]
    if not isinstance(rows, Classes) or rows.calls.costs is None or rows.is_of_called:
        return {}
    costs, of = rows.calls.costs, whole.weight.sum()
    if_called, if_not = by_call(rows.y.values, costs)
    is_one = rows.scale == "probability" and len(costs) > 0 and bool((costs == costs[0]).all())
    pays = pays_from(*map(float, costs[0])) if is_one and are_errors_dearer(*costs[0]) else nan
    return {
        "cost_of_none": rounded(float(whole.weight @ if_not / of)),
        "cost_of_all": rounded(float(whole.weight @ if_called / of)),
        "pays_from": rounded(pays),
    }


def _share(some: Number, rest: Number) -> Number:
    """What some weigh of them and the rest; None where that is not known, or nothing."""
    if some is None or rest is None or some + rest <= 0:
        return None
    return rounded(some / (some + rest))


def _is_said(rule: OperatingRule, model: str) -> bool:
    """Whether a model says its calls itself, so that no threshold leads to them."""
    return rule.share is None and not rule.is_on_judged and model not in rule.thresholds


def _found_here(analysis: DatasetAnalysis, rule: OperatingRule, model: str) -> float | None:
    """The threshold that the rows judged like best, where it is learnt on them."""
    rows, cut = _cut_of(analysis, rule, model)
    if rows is None or not isinstance(cut, Best):
        return None
    return float(cut.thresholds(rows, Batch.of(analysis.parts[0].weight))[0])


def _lowest_called(analysis: DatasetAnalysis, rule: OperatingRule, model: str) -> float | None:
    """The lowest score among those called, where a share of the weight is."""
    rows, cut = _cut_of(analysis, rule, model)
    if rows is None or not isinstance(cut, TopShare):
        return None
    return cut.lowest(rows, Batch.of(analysis.parts[0].weight))


def _cut_of(
    analysis: DatasetAnalysis, rule: OperatingRule, model: str
) -> tuple[Classes | None, Cutoff | None]:
    """The rows judged as a model sees them and where it cuts them; None where it has no classes."""
    rows = analysis.parts[0].data[model]
    return (rows, rows.calls.cut(rule.name)) if isinstance(rows, Classes) else (None, None)


def _taught_on(taught: LearntThreshold | None) -> str | None:
    return None if taught is None else taught.dataset


def _cells(analysis: DatasetAnalysis, rule: OperatingRule, model: str) -> list[float]:
    """The weight in each cell of the matrix."""
    whole = analysis.parts[0]
    rows = whole.data[model]
    if not isinstance(rows, Classes):
        return [np.nan] * CELLS
    shares = table_of(rows.calls.cut(rule.name), rows, Batch.of(whole.weight))[0]
    cells = [float(x) for x in shares * whole.weight.sum()]
    return [np.nan, cells[1], np.nan, cells[3]] if rows.is_of_called else cells


def _outcome(analysis: DatasetAnalysis, use: Use, model: str) -> CallOutcome:
    plan, whole = analysis.plan, analysis.parts[0]
    evidence = analysis.evidence(whole, use, model)
    found = interval(evidence, plan.interval, plan.level)
    beside: dict[str, Number] = {}
    if plan.baseline is not None and plan.baseline != model:
        difference, _ = analysis.difference(whole, use, model, plan.baseline)
        limits = interval(difference, plan.interval, plan.level)
        beside = {
            "difference": rounded(difference.value),
            "difference_low": rounded(limits.low),
            "difference_high": rounded(limits.high),
        }
    return CallOutcome(
        use.metric.name,
        unit_of(use.metric.unit, plan.unit, plan.currency),
        rounded(evidence.value),
        rounded(found.low),
        rounded(found.high),
        found.level,
        **beside,
    )
