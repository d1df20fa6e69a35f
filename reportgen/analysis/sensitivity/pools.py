"""What of each model's lists was judged, and what the order of tied documents does at most."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import numpy as np

from reportgen.analysis.dataset_analysis import DatasetAnalysis
from reportgen.analysis.plan import Use
from reportgen.kernels.batch import Vector
from reportgen.results import GradesByRank, Number, Pool, rounded, rounded_all
from reportgen.rows import Queries, Rows

DEPTH = 10  # ranks looked at where the primary metric has no cut-off
MOST_RANKS = 20  # of which it is drawn what stands there
MOST_GRADES = 10  # for which it is drawn what stands at each rank


def pools(analysis: DatasetAnalysis) -> Iterator[Pool]:
    """The lists of every model, to the depth of the primary metric."""
    plan, whole = analysis.plan, analysis.parts[0]
    k = depth_of(plan.uses)
    primary = next((use for use in plan.uses if use.is_primary), plan.uses[0])
    beside = [use for use in plan.uses if use is not primary and use.metric.shows_random_order]
    kept = np.flatnonzero(whole.weight > 0)  # a query that weighs nothing is as if it were gone
    for model, rows in whole.data.items():
        found: Mapping[str, float] = {}
        if rows.lists is not None and len(kept):
            lists = rows.lists if len(kept) == len(rows) else rows.lists.take(kept)
            found = lists.pool(k, whole.weight[kept])
        if found:
            yield Pool(
                plan.dataset, model, k, rounded(found["judged"]), rounded(found["short"]),
                int(found["deepest"]), int(found["documents"]), rounded(found["tied"]),
                int(found["empty"]), _of_ties(primary, rows, whole.weight), int(found["single"]),
                _in_random_order(primary, rows, whole.weight),
                {use.key: _in_random_order(use, rows, whole.weight) for use in beside},
            )  # fmt: skip


def grades_by_rank(analysis: DatasetAnalysis) -> Iterator[GradesByRank]:
    """What stands at each rank of every model's lists, to the depth of the primary metric."""
    plan, whole = analysis.plan, analysis.parts[0]
    k = min(depth_of(plan.uses), MOST_RANKS)
    share = whole.weight / (whole.weight.sum() or 1.0)
    for model, rows in whole.data.items():
        if rows.lists is None or len(rows.lists.judgements.levels) > MOST_GRADES:
            continue
        found = rows.lists.grades_to(k)
        each = tuple(rounded_all(share @ chances) for chances in found.values())
        yield GradesByRank(plan.dataset, model, tuple(found), each)


def depth_of(uses: tuple[Use, ...]) -> int:
    """The cut-off of the primary metric, else of the first that has one, else ten."""
    ordered = sorted(uses, key=lambda use: not use.is_primary)
    cuts = (use.metric.params.get("k") for use in ordered)
    return next((int(k) for k in cuts if isinstance(k, int | float)), DEPTH)


def _spread_of_ties(primary: Use, rows: Rows, weight: Vector) -> float | None:
    """The mean of the best less the worst order of tied documents; None where it cannot differ."""
    params = primary.metric.params
    if "ties" not in params:
        return None
    ends = []
    for ties in ("optimistic", "pessimistic"):
        bound = primary.metric.use(**{**params, "ties": ties}).bind(rows)
        if bound.losses is None:
            return None
        judged = np.ones(len(rows), bool) if bound.judged is None else bound.judged
        own = weight * judged
        ends.append(float(own @ bound.losses / own.sum()) if own.sum() > 0 else 0.0)
    return abs(ends[0] - ends[1])


def _in_random_order(primary: Use, rows: Rows, weight: Vector) -> Number:
    """The mean of the metric over all orders of each list; None where it reads more than order."""
    params = primary.metric.params
    if "ties" not in params or rows.lists is None:
        return None
    shuffled = Queries(rows.lists.unordered())
    return rounded(primary.metric.use(**{**params, "ties": "expected"}).bind(shuffled)
                   .define(weight))  # fmt: skip


def _of_ties(primary: Use, rows: Rows, weight: Vector) -> Number:
    found = _spread_of_ties(primary, rows, weight)
    return None if found is None else rounded(found)
