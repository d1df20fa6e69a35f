"""All sensitivity analyses of one dataset."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from math import ceil, isfinite
from typing import Any

import numpy as np

from reportgen.analysis.bound_statistics import Mapped, precompute_query_values
from reportgen.analysis.dataset_analysis import DatasetAnalysis
from reportgen.analysis.plan import InferencePlan, PlannedMetric
from reportgen.analysis.row_subset import RowSubset
from reportgen.analysis.sensitivity.alternatives import compute_alternatives, compute_bucket_counts
from reportgen.analysis.sensitivity.case_deletion import (
    compute_leave_one_out,
    recompute_without_rows,
    search_case_deletion,
)
from reportgen.analysis.sensitivity.peaks import iter_peaks
from reportgen.analysis.sensitivity.wins import (
    iter_extreme_rows,
    iter_harms,
    iter_row_pairs,
    iter_row_values,
    iter_wins,
)
from reportgen.inference.resampling.replicates import SHARED_FROM, thread_map
from reportgen.inference.sampling_distribution import SamplingDistribution
from reportgen.kernels.batch import Matrix, Vector
from reportgen.kernels.ranked_lists import compute_grade_shares, summarize_pool
from reportgen.metrics.rows import Rows
from reportgen.metrics.traits import NEAREST, Better
from reportgen.results.sensitivity import (
    GradesByRank,
    Influence,
    JudgementCoverage,
    NamedRow,
    RankProbabilities,
    Sensitivity,
    TailShares,
)
from reportgen.results.types import Number, round_number, round_numbers


def iter_rank_probabilities(
    analysis: DatasetAnalysis, use: PlannedMetric
) -> Iterator[RankProbabilities]:
    """Share of the resamples in which a model is 1st, 2nd, … on a metric.

    Models level with one another share their places evenly. Resamples in which a model has no
    value take no part. A bootstrap fraction, no probability that a model is best. None is told of
    few units, of a class or at all, or where nothing varies: it would say what the sample says, and
    no more.
    """
    models = [model for key, model in analysis.parts[0].metrics if key == use.key]
    if len(models) < 2:
        return
    drawn = np.column_stack([analysis.replicates[None, (use.key, model)] for model in models])
    shares = compute_rank_shares(
        orient_higher_better(drawn[np.isfinite(drawn).all(axis=1)], use.metric.better)
    )
    every = [analysis.evidence(analysis.parts[0], use, model) for model in models]
    is_few = any(each.is_few or each.is_of_few_in_a_class for each in every)
    if is_few or not any(each.varies for each in every):
        shares = np.full_like(shares, np.nan)
    for model, row in zip(models, shares, strict=True):
        yield RankProbabilities(analysis.plan.dataset, use.key, model, round_numbers(row))


def orient_higher_better(values: Matrix, better: Better) -> Matrix:
    """Orient the values so that higher is better."""
    if better == "higher":
        return values
    return np.asarray(-np.abs(values - NEAREST[better]) if better in NEAREST else -values)


def compute_rank_shares(merit: Matrix) -> Matrix:
    """Share of the rows of (B, m) in which each column is 1st, 2nd, …: shape (m, m).

    Columns that are equal in a row share the places they take there. nan without rows.

    >>> compute_rank_shares(np.array([[2.0, 1.0], [3.0, 3.0]]))
    array([[0.75, 0.25],
           [0.25, 0.75]])
    """
    draws, models = merit.shape
    shares = np.full((models, models), np.nan)
    for model in range(models if draws else 0):
        ahead = np.sum(merit > merit[:, [model]], axis=1)
        level = np.sum(merit == merit[:, [model]], axis=1)
        for place in range(models):
            takes = (ahead <= place) & (place < ahead + level)
            shares[model, place] = np.mean(takes / level)
    return shares


DEPTH = 10  # ranks looked at where the primary metric has no cut-off
MOST_RANKS = 20  # of which it is drawn what stands there
MOST_GRADES = 10  # for which it is drawn what stands at each rank


def iter_pools(analysis: DatasetAnalysis, mapped: Mapped = map) -> Iterator[JudgementCoverage]:
    """Yield the pool of every model's lists, to the depth of the primary metric."""
    plan, whole = analysis.plan, analysis.parts[0]
    k = choose_depth(plan.statistics.metrics)
    primary = next(
        (use for use in plan.statistics.metrics if use.is_primary), plan.statistics.metrics[0]
    )
    kept = np.flatnonzero(whole.weight > 0)  # a query that weighs nothing is as if it were gone
    for model, rows in whole.data.items():
        found: Mapping[str, float] = {}
        if rows.lists is not None and len(kept):
            lists = rows.lists if len(kept) == len(rows) else rows.lists.take(kept)
            found = summarize_pool(lists, k, whole.weight[kept], mapped)
        if found:
            yield JudgementCoverage(
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
        replace(primary, metric=primary.metric.use(**{**primary.metric.params, "ties": ties}))
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


TOP = 0.01  # share of the rows whose part in the total error is told


def analyze_sensitivity(analysis: DatasetAnalysis, threads: int = 1) -> Sensitivity:
    """Tails, case deletion, numbers of buckets and single rows, as far as there are any."""
    deleted = search_case_deletion(analysis, threads)
    analysis.make_room()
    return Sensitivity(
        tails=compute_error_tails(analysis),
        deletions=(deleted,) if deleted is not None and deleted.sets else (),
        bucket_counts=compute_bucket_counts(analysis, threads),
        choices=compute_alternatives(analysis, threads),
        peaks=tuple(iter_peaks(analysis)),
        **(_analyse_rows(analysis, threads) if analysis.plan.sensitivity.has_wins else {}),
    )


def _analyse_rows(analysis: DatasetAnalysis, threads: int) -> dict[str, Any]:
    """Collect what is reported where each row is an answer of its own."""
    with thread_map(threads if analysis.plan.sampling.design.n >= SHARED_FROM else 1) as mapped:
        return {
            "wins": tuple(iter_wins(analysis, mapped)),
            "harms": tuple(iter_harms(analysis)),
            "pools": tuple(iter_pools(analysis, mapped)),
            "pairs": tuple(iter_row_pairs(analysis)),
            "grades": tuple(iter_grades_by_rank(analysis, mapped)),
            "extremes": tuple(iter_extreme_rows(analysis)),
            "row_values": tuple(iter_row_values(analysis)),
        }


def iter_influences(analysis: DatasetAnalysis, use: PlannedMetric) -> Iterator[Influence]:
    """For every model the row whose absence changes its value of a metric most.

    A change is a share of the value, but none where that may be zero.
    """
    whole = analysis.parts[0]
    for key, model in whole.metrics:
        if key == use.key:
            row = _find_most_influential_row(
                whole, analysis.evidence(whole, use, model), key, model
            )
            yield from () if row is None else (row,)


def _find_most_influential_row(
    part: RowSubset, evidence: SamplingDistribution, key: str, model: str
) -> Influence | None:
    bound, value = part.metrics[key, model], evidence.value
    tried = compute_leave_one_out(bound, part.weight)
    found = tried.farthest(value)
    if found is None or not isfinite(value):
        return None
    row, estimated = found
    # Sums over all rows but one, found for all rows at once, may lose digits where one row rules.
    again = float(recompute_without_rows(bound, part.weight, np.array([row]))[0])
    without = again if isfinite(again) else estimated
    if abs(without - value) <= evidence.rounding:
        without = value
    is_share = not _may_be_zero(part.plan.inference, evidence)
    return Influence(
        dataset=part.plan.dataset,
        key=key,
        model=model,
        value=round_number(value),
        without=round_number(without),
        change=round_number((without - value) / abs(value)) if is_share else None,
        search=tried.search,
        row=_name_row(part, model, row),
    )


def _name_row(part: RowSubset, model: str, row: int) -> NamedRow | None:
    """Describe a row by its id and a model's values for it; None where it may not be named."""
    ids = part.plan.row_names.shown
    if ids is None:
        return None
    shown = part.data[model].describe(row).items()
    return NamedRow(ids[row], {n: round_number(v) if isinstance(v, float) else v for n, v in shown})


def _may_be_zero(inference: InferencePlan, evidence: SamplingDistribution) -> bool:
    """Whether a value of either sign is not told from zero: by its interval or two errors."""
    low, high = evidence.bounds
    if not evidence.value or not low < 0 < high:
        return not evidence.value
    spread = (evidence.bootstrap_se, evidence.influence_se)
    error = max((se for se in spread if isfinite(se)), default=0.0)
    if abs(evidence.value) <= 2 * error:
        return True
    found = inference.compute_interval(evidence)
    return found.low <= 0 <= found.high


def compute_error_tails(analysis: DatasetAnalysis) -> tuple[TailShares, ...]:
    """How much of each model's total error the rows with the largest errors hold."""
    whole = analysis.parts[0]
    most = ceil(TOP * whole.n)
    rows = []
    for model, each in whole.data.items() if analysis.has_rows else ():
        errors = each.errors()
        if errors is not None:
            size = np.abs(errors)
            shares = (
                _compute_share_of_largest(size, whole.weight, most),
                _compute_share_of_largest(size**2, whole.weight, most),
            )
            rows.append(TailShares(analysis.plan.dataset, model, most, *shares))
    return tuple(rows)


def _compute_share_of_largest(amounts: Vector, weight: Vector, most: int) -> Number:
    """Share of the weighted total that the `most` largest weighted amounts hold."""
    each = weight * amounts
    total = float(each.sum())
    largest = np.partition(each, -most)[-most:]
    return round_number(float(np.sort(largest).sum()) / total) if total > 0 else None
