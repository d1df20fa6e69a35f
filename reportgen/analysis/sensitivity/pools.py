"""Judgement pools of ranked lists, and the effect of tied documents."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

import numpy as np

from reportgen.analysis.bound_statistics import Mapped, precompute_query_values
from reportgen.analysis.dataset_analysis import DatasetAnalysis
from reportgen.analysis.plan import PlannedMetric
from reportgen.kernels.batch import Vector
from reportgen.kernels.ranked_lists import compute_grade_shares, summarize_pool
from reportgen.metrics.rows import Queries, Rows
from reportgen.results import GradesByRank, Number, Pool, round_number, round_numbers

DEPTH = 10  # ranks looked at where the primary metric has no cut-off
MOST_RANKS = 20  # of which it is drawn what stands there
MOST_GRADES = 10  # for which it is drawn what stands at each rank


def iter_pools(analysis: DatasetAnalysis, mapped: Mapped = map) -> Iterator[Pool]:
    """Yield the pool of every model's lists, to the depth of the primary metric."""
    plan, whole = analysis.plan, analysis.parts[0]
    k = choose_depth(plan.statistics.metrics)
    primary = next(
        (use for use in plan.statistics.metrics if use.is_primary), plan.statistics.metrics[0]
    )
    beside = [
        use
        for use in plan.statistics.metrics
        if use is not primary and use.metric.shows_random_order
    ]
    kept = np.flatnonzero(whole.weight > 0)  # a query that weighs nothing is as if it were gone
    for model, rows in whole.data.items():
        found: Mapping[str, float] = {}
        if rows.lists is not None and len(kept):
            lists = rows.lists if len(kept) == len(rows) else rows.lists.take(kept)
            found = summarize_pool(lists, k, whole.weight[kept], mapped)
        if found:
            random = _compute_shuffled_values([primary, *beside], rows, whole.weight, mapped)
            yield Pool(
                plan.dataset,
                model,
                k,
                round_number(found["judged"]),
                round_number(found["short"]),
                int(found["deepest"]),
                int(found["documents"]),
                round_number(found["tied"]),
                int(found["empty"]),
                _compute_tie_effect(primary, rows, whole.weight, mapped),
                int(found["single"]),
                random[0],
                {use.key: value for use, value in zip(beside, random[1:], strict=True)},
            )


def iter_grades_by_rank(analysis: DatasetAnalysis, mapped: Mapped = map) -> Iterator[GradesByRank]:
    """Yield the grades at each rank of every model's lists, to the depth of the primary metric."""
    plan, whole = analysis.plan, analysis.parts[0]
    k = min(choose_depth(plan.statistics.metrics), MOST_RANKS)
    share = whole.weight / (whole.weight.sum() or 1.0)
    for model, rows in whole.data.items():
        if rows.lists is None or len(rows.lists.judgements.levels) > MOST_GRADES:
            continue
        found = compute_grade_shares(rows.lists, k, share, mapped)
        each = tuple(round_numbers(chances) for chances in found.values())
        yield GradesByRank(plan.dataset, model, tuple(found), each)


def choose_depth(uses: tuple[PlannedMetric, ...]) -> int:
    """Return the cut-off of the primary metric, else of the first that has one, else ten."""
    ordered = sorted(uses, key=lambda use: not use.is_primary)
    cuts = (use.metric.params.get("k") for use in ordered)
    return next((int(k) for k in cuts if isinstance(k, int | float)), DEPTH)


def _compute_tie_effect(
    primary: PlannedMetric, rows: Rows, weight: Vector, mapped: Mapped
) -> Number:
    """Compute the mean of best less worst order of tied documents; None where it cannot differ."""
    ends = [
        _set_tie_rule(primary, ties)
        for ties in ("optimistic", "pessimistic")
        if "ties" in primary.metric.params
    ]
    precompute_query_values([(rows, [use.metric for use in ends])], mapped)
    means = []
    for use in ends:
        bound = use.metric.bind(rows)
        if bound.losses is None:
            return None
        judged = np.ones(len(rows), bool) if bound.is_counted is None else bound.is_counted
        own = weight * judged
        means.append(float(own @ bound.losses / own.sum()) if own.sum() > 0 else 0.0)
    return round_number(abs(means[0] - means[1])) if means else None


def _compute_shuffled_values(
    uses: Sequence[PlannedMetric], rows: Rows, weight: Vector, mapped: Mapped
) -> list[Number]:
    """Compute each metric's mean over all orders of a list; None where it reads more than order."""
    if rows.lists is None:
        return [None] * len(uses)
    shuffled = Queries(rows.lists.tie_all())
    asked = [
        _set_tie_rule(use, "expected") if "ties" in use.metric.params else None for use in uses
    ]
    precompute_query_values([(shuffled, [use.metric for use in asked if use is not None])], mapped)
    return [
        None if use is None else round_number(use.metric.bind(shuffled).define(weight))
        for use in asked
    ]


def _set_tie_rule(use: PlannedMetric, ties: str) -> PlannedMetric:
    return replace(use, metric=use.metric.use(**{**use.metric.params, "ties": ties}))
