"""The decision on costs: which model, with what shift, at what cost, and over which asymmetries."""

from __future__ import annotations

from collections.abc import Iterator

from reportgen.inference.joint import Together
from reportgen.inference.question import Joint
from reportgen.joint.choice import decision_tables
from reportgen.joint.hybrids import hybrid_table
from reportgen.joint.prices import Prices
from reportgen.joint.range import range_tables
from reportgen.joint.space import space_curves, space_tables
from reportgen.results import CurveResult, TableResult

__all__ = ["Prices", "costs"]


def costs(prices: Prices) -> Joint:
    """All tables and curves about costs, for the models whose scores are amounts."""

    def find(together: Together) -> Iterator[TableResult | CurveResult]:
        if not together.models:
            return
        yield from decision_tables(together, prices)
        yield from range_tables(together, prices)
        yield from space_tables(together, prices)
        yield hybrid_table(together, prices)
        yield from space_curves(together, prices)

    return Joint(prices.parts, find)
