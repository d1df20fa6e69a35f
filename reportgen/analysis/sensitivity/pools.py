"""What of each model's lists was judged, and what the order of tied documents does at most."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

import numpy as np

from reportgen.analysis.binding import Mapped, find_of_queries
from reportgen.analysis.dataset_analysis import DatasetAnalysis
from reportgen.analysis.plan import Use
from reportgen.kernels.batch import Vector
from reportgen.kernels.pools import grades_to, pool
from reportgen.results import GradesByRank, Number, Pool, rounded, rounded_all
from reportgen.rows import Queries, Rows

DEPTH = 10  # ranks looked at where the primary metric has no cut-off
MOST_RANKS = 20  # of which it is drawn what stands there
MOST_GRADES = 10  # for which it is drawn what stands at each rank


def pools(analysis: DatasetAnalysis, mapped: Mapped = map) -> Iterator[Pool]:
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
            found = pool(lists, k, whole.weight[kept], mapped)
        if found:
            random = _in_random_order([primary, *beside], rows, whole.weight, mapped)
            yield Pool(
                plan.dataset, model, k, rounded(found["judged"]), rounded(found["short"]),
                int(found["deepest"]), int(found["documents"]), rounded(found["tied"]),
                int(found["empty"]), _of_ties(primary, rows, whole.weight, mapped),
                int(found["single"]), random[0],
                {use.key: value for use, value in zip(beside, random[1:], strict=True)},
            )  # fmt: skip


def grades_by_rank(analysis: DatasetAnalysis, mapped: Mapped = map) -> Iterator[GradesByRank]:
    """What stands at each rank of every model's lists, to the depth of the primary metric."""
    plan, whole = analysis.plan, analysis.parts[0]
    k = min(depth_of(plan.uses), MOST_RANKS)
    share = whole.weight / (whole.weight.sum() or 1.0)
    for model, rows in whole.data.items():
        if rows.lists is None or len(rows.lists.judgements.levels) > MOST_GRADES:
            continue
        found = grades_to(rows.lists, k, share, mapped)
        each = tuple(rounded_all(chances) for chances in found.values())
        yield GradesByRank(plan.dataset, model, tuple(found), each)


def depth_of(uses: tuple[Use, ...]) -> int:
    """The cut-off of the primary metric, else of the first that has one, else ten."""
    ordered = sorted(uses, key=lambda use: not use.is_primary)
    cuts = (use.metric.params.get("k") for use in ordered)
    return next((int(k) for k in cuts if isinstance(k, int | float)), DEPTH)


def _of_ties(primary: Use, rows: Rows, weight: Vector, mapped: Mapped) -> Number:
    """The mean of the best less the worst order of tied documents; None where it cannot differ."""
    ends = [
        _with_ties(primary, ties) for ties in ("optimistic", "pessimistic")
        if "ties" in primary.metric.params
    ]  # fmt: skip
    find_of_queries([(rows, [use.metric for use in ends])], mapped)
    means = []
    for use in ends:
        bound = use.metric.bind(rows)
        if bound.losses is None:
            return None
        judged = np.ones(len(rows), bool) if bound.judged is None else bound.judged
        own = weight * judged
        means.append(float(own @ bound.losses / own.sum()) if own.sum() > 0 else 0.0)
    return rounded(abs(means[0] - means[1])) if means else None


def _in_random_order(
    uses: Sequence[Use], rows: Rows, weight: Vector, mapped: Mapped
) -> list[Number]:
    """The mean of each metric over all orders of each list; None where it reads more than order."""
    if rows.lists is None:
        return [None] * len(uses)
    shuffled = Queries(rows.lists.unordered())
    asked = [_with_ties(use, "expected") if "ties" in use.metric.params else None for use in uses]
    find_of_queries([(shuffled, [use.metric for use in asked if use is not None])], mapped)
    return [
        None if use is None else rounded(use.metric.bind(shuffled).define(weight)) for use in asked
    ]


def _with_ties(use: Use, ties: str) -> Use:
    return replace(use, metric=use.metric.use(**{**use.metric.params, "ties": ties}))
