"""Rows that at least one of some bound metrics judges, where each leaves out rows of its own."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from reportgen.analysis.subset import RowSubset
from reportgen.inference.evidence import Evidence
from reportgen.kernels.batch import Vector
from reportgen.metrics.spec import BoundMetric


def judging_either(part: RowSubset, *bound: BoundMetric) -> RowSubset | None:
    """The rows that at least one judges; None where all judge the same, or sums are known alone."""
    seen = [part.judging(each) for each in bound]
    if all(each is seen[0] for each in seen):
        return None
    known = [each.judged for each in seen if each.judged is not None]
    if len(known) < len(seen):
        return part if known else None
    return RowSubset(part.plan, part.segment, np.logical_or.reduce(known))


def on_units_of(either: RowSubset, known: Evidence, own: RowSubset) -> Evidence:
    """What is known of a mean of its own rows, for each unit of the rows that either judges.

    The difference of two such means is no mean over units, but to first order a sum: what the rows
    of either add to its error.
    """
    if known.folds is not None:  # nothing is left of rows but how many there are
        return replace(known, n=either.judges, behind=either.counted)
    return replace(
        known,
        n=either.judges,
        units=either.counted,
        influence=_spread(known.influence, own, either),
        smoothed=_spread(known.smoothed, own, either),
        contributions=None,
        shares=None,
        positives=None,
        rarer=None,
        hits=None,
        unseen=0.0,
        balance=either.balance if either.balance.is_uneven else None,
    )


def _spread(each: Vector | None, own: RowSubset, more: RowSubset) -> Vector | None:
    """Values of the units that weigh anything in `own`, for those in `more`: 0 for the others."""
    if each is None:
        return None
    every = np.zeros(own.units)
    every[own.by_unit(own.weight) > 0] = each
    return more.counting(every)
