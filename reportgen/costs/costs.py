"""The decision on costs: which model, with what shift, at what cost, and over which asymmetries."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from reportgen.analysis.joint import JointAnalysis
from reportgen.analysis.plan import JointStatistic
from reportgen.costs.actions import Actions
from reportgen.costs.choice import decisions, options
from reportgen.costs.cost_model import CostModel
from reportgen.costs.hybrids import mixtures
from reportgen.costs.methods import Methods, shift_costs, shift_curves
from reportgen.costs.range import cost_ranges, envelope, model_crossings, range_curves
from reportgen.costs.space import constant_lines, decompositions, rroc_points, space_curves
from reportgen.results import CostAnalysis, CurveResult

__all__ = ["CostModel", "costs"]


def costs(cost_model: CostModel, methods: Methods | None = None) -> JointStatistic:
    """All that is found of costs, and of methods to shift, for the models of amounts."""
    beside = () if methods is None else methods.shared

    def find(asked: JointAnalysis) -> Iterator[CostAnalysis | CurveResult]:
        joint = replace(asked, parts=(*cost_model.shared, *beside))
        if not joint.models:
            return
        actions = Actions(joint, cost_model)
        yield _analysis(actions, methods)
        yield from _curves(actions)
        if methods is not None:
            yield from shift_curves(actions, methods)

    return JointStatistic((*cost_model.parts, *beside), find, cost_model.metrics)


def _analysis(actions: Actions, methods: Methods | None) -> CostAnalysis:
    joint, cost_model = actions.joint, actions.cost_model
    plan = joint.plan
    found = CostAnalysis(
        dataset=plan.dataset,
        model=cost_model.model(plan.unit),
        decisions=tuple(decisions(actions)),
        options=tuple(options(actions)),
        decompositions=tuple(decompositions(joint)),
        shifts=() if methods is None else tuple(shift_costs(actions, methods)),
    )
    if cost_model.is_by_row:  # no asymmetry is that of all rows, so nothing runs over it
        return found
    return replace(
        found,
        envelope=tuple(envelope(actions)),
        ranges=tuple(cost_ranges(actions)),
        crossings=tuple(model_crossings(actions)),
        points=tuple(rroc_points(joint, cost_model)),
        mixtures=tuple(mixtures(joint, cost_model)),
    )


def _curves(actions: Actions) -> Iterator[CurveResult]:
    joint, cost_model = actions.joint, actions.cost_model
    if cost_model.is_by_row:
        yield from constant_lines(joint, cost_model)
        return
    yield from space_curves(joint, cost_model)
    yield from range_curves(actions)
