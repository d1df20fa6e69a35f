"""The decision on costs: which model, with what shift, at what cost, and over which asymmetries."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from reportgen.analysis.joint import Together
from reportgen.analysis.plan import Joint
from reportgen.costs.actions import Actions
from reportgen.costs.choice import action_table, decision_tables
from reportgen.costs.hybrids import hybrid_table
from reportgen.costs.prices import Prices
from reportgen.costs.range import range_curves, range_tables
from reportgen.costs.space import constant_lines, space_curves, space_tables, split_table
from reportgen.results import CurveResult, TableResult

__all__ = ["Prices", "costs"]


def costs(prices: Prices) -> Joint:
    """All tables and curves about costs, for the models whose scores are amounts."""

    def find(asked: Together) -> Iterator[TableResult | CurveResult]:
        together = replace(asked, parts=prices.shared)
        if not together.models:
            return
        actions = Actions(together, prices)
        yield from decision_tables(actions)
        yield action_table(actions)
        if prices.is_by_row:  # no asymmetry is that of all rows, so nothing runs over it
            yield split_table(together)
            yield from constant_lines(together, prices)
            return
        yield from range_tables(actions)
        yield from space_tables(together, prices)
        yield hybrid_table(together, prices)
        yield from space_curves(together, prices)
        yield from range_curves(actions)

    return Joint(prices.parts, find, prices.metrics)
