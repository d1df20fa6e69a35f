"""How many rows only one of two models counts, from sums: all that McNemar's test asks for."""

from __future__ import annotations

from math import prod

import numpy as np

from reportgen.kernels.batch import Vector
from reportgen.streaming.summand import Of, Summand
from reportgen.streaming.tables import TableSummand
from reportgen.streaming.values import Totals, finished

WHOLE = 1e-3  # rows by which a sum of whole numbers can be off


def changed(totals: Totals, one: Of, other: Of) -> tuple[int, int, int] | None:
    """How many rows only the one counts, only the other, and of how many; None if unknown.

    Every row weighs one. It is known of shares of rows, and of losses that are all 0 or 1.
    """
    a, b = (totals.layout.summands.get(of) for of in (one, other))
    if a is None or b is None or not a.metric.estimand.is_share_of_rows:
        return None
    is_table = isinstance(a, TableSummand)
    if not is_table and a.metric.shape != "counted":
        return _changed_losses(totals, a, b)
    counts = _counted_cells(a)
    if counts is None:
        return None
    among = counts[0] + counts[1]
    pairs = (counts, counts[::-1], (among, among))
    if is_table:
        ends = [totals.called.covariance(one[1], s, other[1], t) for s, t in pairs]
    else:
        both = np.array([[totals.product(a, i, j) for j in b.places] for i in a.places])
        ends = [float(s @ both @ t) for s, t in pairs]
    return round(ends[0]), round(ends[1]), round(ends[2])


def _changed_losses(totals: Totals, a: Summand, b: Summand) -> tuple[int, int, int] | None:
    """The same of losses of which each is 0 or 1."""
    metric = a.metric
    if not metric.has_losses or metric.bounds != (0.0, 1.0) or metric.leaves_out:
        return None
    if len(a.places) != 1:
        return None
    sums = [_about_zero(totals, each) for each in (a, b)]
    squares = [_about_zero(totals, each, each) for each in (a, b)]
    if any(abs(x - xx) > WHOLE for x, xx in zip(sums, squares, strict=True)):
        return None
    both = _about_zero(totals, a, b)
    return round(sums[0] - both), round(sums[1] - both), round(totals.weight)


def _about_zero(totals: Totals, *summands: Summand) -> float:
    """The sum of a column, or of the product of two, where every row weighs one."""
    sums = [float(totals.own[totals.layout.first(each.places)][0]) for each in summands]
    centres = [float(each.centre[0]) for each in summands]
    if len(summands) == 1:
        return sums[0] + centres[0] * totals.weight
    a, b = summands
    found = totals.product(a, a.at.start, b.at.start)
    return found + centres[0] * sums[1] + centres[1] * sums[0] + prod(centres) * totals.weight


def _counted_cells(summand: Summand) -> tuple[Vector, Vector] | None:
    """Which cells count in a share of rows, and which do not but are among its rows, 0 or 1 each.

    None where models decide which rows are among them, or where a cell counts in part.
    """
    if isinstance(summand, TableSummand):
        cells, portions, losses = summand.classes**2, summand.cells.cells_of, summand.cells.losses
    else:
        cells, portions, losses = len(summand.places), summand.metric.portions, None
        if summand.metric.has_losses:
            losses = finished(summand, np.eye(cells))
    inside, outside = np.zeros(cells), np.zeros(cells)
    if [each.is_of_y for each in portions] == [True]:
        inside[list(portions[0].part)] = 1
        outside[list(portions[0].among)] = 1
        return inside, outside * (1 - inside)
    if losses is None or not np.isin(losses, (0, 1)).all():
        return None
    return losses, 1 - losses
