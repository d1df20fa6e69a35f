"""The decision on costs: which model, with what shift, at what cost, and over which asymmetries."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from reportgen.analysis.joint import JointAnalysis
from reportgen.analysis.plan import JointStatistic
from reportgen.costs.actions import Actions
from reportgen.costs.choice import decisions, options
from reportgen.costs.hybrids import mixtures
from reportgen.costs.methods import Methods, shift_costs, shift_curves
from reportgen.costs.prices import Prices
from reportgen.costs.range import cost_ranges, envelope, model_crossings, range_curves
from reportgen.costs.space import constant_lines, decompositions, rroc_points, space_curves
from reportgen.results import CostAnalysis, CurveResult

__all__ = ["Prices", "costs"]


def costs(prices: Prices, methods: Methods | None = None) -> JointStatistic:
    """All that is found of costs, and of methods to shift, for the models of amounts."""
    beside = () if methods is None else methods.shared

    def find(asked: JointAnalysis) -> Iterator[CostAnalysis | CurveResult]:
        joint = replace(asked, parts=(*prices.shared, *beside))
        if not joint.models:
            return
        actions = Actions(joint, prices)
        yield _analysis(actions, methods)
        yield from _curves(actions)
        if methods is not None:
            yield from shift_curves(actions, methods)

    return JointStatistic((*prices.parts, *beside), find, prices.metrics)


def _analysis(actions: Actions, methods: Methods | None) -> CostAnalysis:
    joint, prices = actions.joint, actions.prices
    plan = joint.plan
    found = CostAnalysis(
        dataset=plan.dataset,
        model=prices.model(plan.unit),
        decisions=tuple(decisions(actions)),
        options=tuple(options(actions)),
        decompositions=tuple(decompositions(joint)),
        shifts=() if methods is None else tuple(shift_costs(actions, methods)),
    )
    if prices.is_by_row:  # no asymmetry is that of all rows, so nothing runs over it
        return found
    return replace(
        found,
        envelope=tuple(envelope(actions)),
        ranges=tuple(cost_ranges(actions)),
        crossings=tuple(model_crossings(actions)),
        points=tuple(rroc_points(joint, prices)),
        mixtures=tuple(mixtures(joint, prices)),
    )


def _curves(actions: Actions) -> Iterator[CurveResult]:
    joint, prices = actions.joint, actions.prices
    if prices.is_by_row:
        yield from constant_lines(joint, prices)
        return
    yield from space_curves(joint, prices)
    yield from range_curves(actions)
