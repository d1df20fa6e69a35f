"""All sensitivity analyses of one dataset."""

from __future__ import annotations

from collections.abc import Iterator
from math import ceil, isfinite
from typing import Any

import numpy as np

from reportgen.analysis.dataset_analysis import DatasetAnalysis
from reportgen.analysis.plan import AnalysisPlan, PlannedMetric
from reportgen.analysis.row_subset import RowSubset
from reportgen.analysis.sensitivity.alternatives import compute_alternatives, compute_bucket_counts
from reportgen.analysis.sensitivity.case_deletion import (
    compute_leave_one_out,
    recompute_without_rows,
    search_case_deletion,
)
from reportgen.analysis.sensitivity.peaks import iter_peaks
from reportgen.analysis.sensitivity.pools import iter_grades_by_rank, iter_pools
from reportgen.analysis.sensitivity.wins import (
    iter_extreme_rows,
    iter_harms,
    iter_row_pairs,
    iter_row_values,
    iter_wins,
)
from reportgen.inference.intervals import compute_interval
from reportgen.inference.resampling.replicates import SHARED_FROM, thread_map
from reportgen.inference.sampling_distribution import SamplingDistribution
from reportgen.kernels.batch import Vector
from reportgen.results import Influence, NamedRow, Number, Sensitivity, Tail, round_number

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
    is_share = not _may_be_zero(part.plan, evidence)
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


def _may_be_zero(plan: AnalysisPlan, evidence: SamplingDistribution) -> bool:
    """Whether a value of either sign is not told from zero: by its interval or two errors."""
    low, high = evidence.bounds
    if not evidence.value or not low < 0 < high:
        return not evidence.value
    spread = (evidence.bootstrap_se, evidence.influence_se)
    error = max((se for se in spread if isfinite(se)), default=0.0)
    if abs(evidence.value) <= 2 * error:
        return True
    found = compute_interval(evidence, plan.inference.interval, plan.inference.level)
    return found.low <= 0 <= found.high


def compute_error_tails(analysis: DatasetAnalysis) -> tuple[Tail, ...]:
    """How much of each model's total error the rows with the largest errors hold."""
    whole = analysis.parts[0]
    most = ceil(TOP * whole.n)
    rows = []
    for model, each in whole.data.items():
        errors = each.errors()
        if errors is not None:
            size = np.abs(errors)
            shares = (
                _compute_share_of_largest(size, whole.weight, most),
                _compute_share_of_largest(size**2, whole.weight, most),
            )
            rows.append(Tail(analysis.plan.dataset, model, most, *shares))
    return tuple(rows)


def _compute_share_of_largest(amounts: Vector, weight: Vector, most: int) -> Number:
    """Share of the weighted total that the `most` largest weighted amounts hold."""
    each = weight * amounts
    total = float(each.sum())
    largest = np.partition(each, -most)[-most:]
    return round_number(float(np.sort(largest).sum()) / total) if total > 0 else None
