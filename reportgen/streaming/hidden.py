"""What groups of few rows may hide of a metric of calls, from sums over kinds of rows.

The same as of rows in memory: those of a kind add as much to the value, and their squared weights
are summed.
"""

from __future__ import annotations

import numpy as np

from reportgen.inference.within_classes import unseen
from reportgen.kernels.batch import Vector
from reportgen.metrics.classes.label_calls import MeanOfLabels
from reportgen.metrics.classes.label_moves import Kinds, groups_of
from reportgen.metrics.classes.of_calls import BoundTable
from reportgen.streaming.summand import Summand
from reportgen.streaming.tables import TableSummand
from reportgen.streaming.values import Totals


def hidden(totals: Totals, key: str, *models: str) -> float:
    """The variance that few rows hide of one model's value, or of the first minus the second."""
    known = [totals.layout.summands[key, model] for model in models]
    metric = known[0].metric
    if metric.has_losses or not totals.weight > 0 or totals.clusters is not None:
        return 0.0
    tables = [each for each in known if isinstance(each, TableSummand)]
    if len(tables) == len(known):
        return _of_classes(totals, tables, models)
    if isinstance(metric.finish, MeanOfLabels) and metric.finish.average != "micro":
        means = [totals.means(each) for each in known]
        groups = groups_of(metric.finish, means, _kinds(totals, *known), totals.weight)
        return sum(unseen(*each) for each in groups)
    return 0.0


def _of_classes(totals: Totals, known: list[TableSummand], models: tuple[str, ...]) -> float:
    bound = [each.cells for each in known]
    tables = [each for each in bound if isinstance(each, BoundTable)]
    if tables[0].is_of_one and len(models) == 1:
        return 0.0
    k, sums = known[0].classes, totals.called
    squares = sums.joint(*models)
    was, *called = np.indices(squares.shape).reshape(squares.ndim, -1)
    slope = np.zeros(squares.size)
    for sign, each, model, call in zip((1.0, -1.0), known, models, called, strict=False):
        slope += sign * totals.slopes_of_cells(model, each)[was * k + call]
    root = np.sqrt(squares.ravel()) / totals.weight

    def moves(by_call: bool) -> list[Vector]:
        each = zip(tables, models, strict=True)
        return [t.one_row_more(sums.weight(m), sums.squared(m), by_call=by_call) for t, m in each]

    groups = [(was, np.maximum.reduce(moves(False))), *zip(called, moves(True), strict=True)]
    return sum(unseen(group, slope * root, root, each) for group, each in groups)


def _kinds(totals: Totals, *known: Summand) -> Kinds:
    """Sums of w² over the rows of each label by whether they have it and are called it, (k, 2, …).

    Of columns that say 1 or 0: right, called and there, of each label. Those that neither have a
    label nor are called it are in no group, and left at 0.
    """
    k = len(known[0].places) // 3
    rights, calls = ([list(each.places[at : at + k]) for each in known] for at in (0, k))
    there = known[0].places[2 * k :]

    def sums(one: list[int], other: list[int]) -> Vector:
        return np.array(
            [totals.squares_of(known[0], a, b) for a, b in zip(one, other, strict=True)]
        )

    h = sums(list(there), list(there))
    hc, c = (sums(each[0], each[0]) for each in (rights, calls))
    found = np.zeros((k, *(2,) * (1 + len(known))))
    if len(known) == 1:
        found[:, 1, 1], found[:, 1, 0], found[:, 0, 1] = hc, h - hc, c - hc
        return np.maximum(found, 0.0)
    hb, b = (sums(each[1], each[1]) for each in (rights, calls))
    hcb, cb = sums(*rights), sums(*calls)
    found[:, 1, 1, 1], found[:, 1, 1, 0], found[:, 1, 0, 1] = hcb, hc - hcb, hb - hcb
    found[:, 1, 0, 0], found[:, 0, 1, 1] = h - hc - hb + hcb, cb - hcb
    found[:, 0, 1, 0], found[:, 0, 0, 1] = c - hc - cb + hcb, b - hb - cb + hcb
    return np.maximum(found, 0.0)
