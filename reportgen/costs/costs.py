"""The decision on costs: which model, with what shift, at what cost, and over which asymmetries."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from reportgen.analysis.joint import Together
from reportgen.analysis.plan import Joint
from reportgen.costs.actions import Actions
from reportgen.costs.choice import action_table, decision_tables
from reportgen.costs.hybrids import mixtures
from reportgen.costs.prices import Prices
from reportgen.costs.range import cost_ranges, envelope, model_crossings, range_curves
from reportgen.costs.space import constant_lines, decompositions, rroc_points, space_curves
from reportgen.results import CostAnalysis, CurveResult, TableResult

__all__ = ["Prices", "costs"]


def costs(prices: Prices) -> Joint:
    """All tables and curves about costs, for the models whose scores are amounts."""

    def find(asked: Together) -> Iterator[CostAnalysis | TableResult | CurveResult]:
        together = replace(asked, parts=prices.shared)
        if not together.models:
            return
        actions = Actions(together, prices)
        yield from decision_tables(actions)
        yield action_table(actions)
        yield analysis(actions)
        if prices.is_by_row:  # no asymmetry is that of all rows, so nothing runs over it
            yield from constant_lines(together, prices)
            return
        yield from space_curves(together, prices)
        yield from range_curves(actions)

    return Joint(prices.parts, find, prices.metrics)


def analysis(actions: Actions) -> CostAnalysis:
    """Every table."""
    together, prices = actions.together, actions.prices
    question = together.question
    found = CostAnalysis(
        dataset=question.dataset,
        model=prices.model(question.unit),
        decompositions=tuple(decompositions(together)),
    )
    if prices.is_by_row:
        return found
    return replace(
        found,
        envelope=tuple(envelope(actions)),
        ranges=tuple(cost_ranges(actions)),
        crossings=tuple(model_crossings(actions)),
        points=tuple(rroc_points(together, prices)),
        mixtures=tuple(mixtures(together, prices)),
    )
