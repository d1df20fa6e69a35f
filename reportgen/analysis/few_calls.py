"""On how many rows a number of calls rests, or the difference of two, and how many changed."""

from __future__ import annotations

import numpy as np

from reportgen.analysis.subset import RowSubset
from reportgen.inference.deciding import rows_that_decide
from reportgen.kernels.batch import Index, Vector
from reportgen.kernels.cuts import CELLS
from reportgen.metrics.call_table import CallTable
from reportgen.metrics.in_folds import FoldMetric

KINDS = np.arange(CELLS)
PAIRS = np.array([(c, b) for c in KINDS for b in KINDS if c // 2 == b // 2]).T
"""Kinds of rows of two models: their cells, of which both are of the row's class."""


def deciding_rows(part: RowSubset, key: str, *models: str) -> float:
    """How many rows a metric of calls rests on, of one model or of the first minus the second.

    The kinds of rows are what happened and what each model calls them. Each is given one row more
    than it has, as one that is missing may be there next time. nan of any other metric.
    """
    tables = [_table_of(part, key, model) for model in models]
    known = [table for table in tables if table is not None]
    if len(known) < len(tables):
        return np.nan
    kinds = KINDS[None, :] if len(known) == 1 else PAIRS
    code = np.ravel_multi_index(tuple(t.cell for t in known), (CELLS,) * len(known))
    places = np.ravel_multi_index(tuple(kinds), (CELLS,) * len(known))
    weight = part.judging(part.bound[key, models[0]]).weight
    sums, rows = _held(part, code, weight, CELLS ** len(known))
    share, rows = sums[places] + sums.sum() / max(rows.sum(), 1.0), rows[places] + 1.0
    share /= share.sum()
    slope = np.zeros(len(places))
    for sign, table, cell in zip((1.0, -1.0), known, kinds, strict=False):
        slope += sign * table.slopes(_sums(cell, share, CELLS))[cell]
    return rows_that_decide(slope, share, rows)


def changed_calls(
    part: RowSubset, key: str, candidate: str, baseline: str
) -> tuple[int, int, int] | None:
    """How many rows only the candidate counts, only the baseline, and of how many in all.

    Of a share of rows by calls of the highest scores, of independent rows of one weight, hardly
    any of those next to the last call being positive: a row that comes in then pushes out a
    negative one. None of anything else.
    """
    design, of = part.plan.design, part.bound[key, candidate].statistic
    if of.shape != "whole" or of.calls is None:
        return None
    if part.is_clustered or design.weight is not None or design.block is not None:
        return None
    tables = [_table_of(part, key, model) for model in (candidate, baseline)]
    known = [each for each in tables if each is not None and each.is_cut_among_negatives]
    counts = known[0].counts() if len(known) == len(tables) else None
    if counts is None:
        return None
    called = [int(np.sum(each.cell % 2)) for each in known]
    if abs(called[0] - called[1]) > 1:  # more than a row is tied at an edge, and called in part
        return None
    change = counts[known[0].cell] - counts[known[1].cell]
    return int(np.sum(change > 0)), int(np.sum(change < 0)), int(np.isfinite(change).sum())


def _table_of(part: RowSubset, key: str, model: str) -> CallTable | None:
    """The table of a metric of calls on one model's rows; None of others, and within folds."""
    bound = part.bound[key, model]
    of, weight = bound.statistic.calls, part.judging(bound).weight
    if of is None or isinstance(bound, FoldMetric) or not weight.any():
        return None
    found: CallTable | None = of(bound.rows, weight, **bound.statistic.params)
    return found


def _held(part: RowSubset, code: Index, weight: Vector, kinds: int) -> tuple[Vector, Vector]:
    """The weight of each kind, and how many equally weighted rows it is worth, (kinds,) each.

    Of clusters it is worth no more than have any row of the kind.
    """
    sums, squares = _sums(code, weight, kinds), _sums(code, weight**2, kinds)
    rows = np.divide(sums**2, squares, out=np.zeros(kinds), where=squares > 0)
    if part.is_clustered:
        has_any = np.zeros((kinds, part.units), dtype=np.bool_)
        has_any[code[weight > 0], part.unit[weight > 0]] = True
        rows = np.minimum(rows, has_any.sum(axis=1))
    return sums, rows


def _sums(code: Index, weight: Vector, kinds: int) -> Vector:
    return np.bincount(code, weight, kinds).astype(np.float64)
