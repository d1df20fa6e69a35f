"""What single rows do to the numbers, and what few rows do to the verdict.

Which row it is that matters is told only where the plan brings
the rows' ids; without them nothing is told of a single row but what its absence changes.
"""

from __future__ import annotations

from collections.abc import Iterator
from math import ceil, isfinite
from typing import Any

import numpy as np

from reportgen.analysis.dataset_analysis import DatasetAnalysis
from reportgen.analysis.plan import AnalysisPlan, Use
from reportgen.analysis.sensitivity.bucket_counts import bucket_counts
from reportgen.analysis.sensitivity.choices import choices
from reportgen.analysis.sensitivity.deletion import case_deletion
from reportgen.analysis.sensitivity.leave_one_out import recomputed, without_rows
from reportgen.analysis.sensitivity.peaks import peaks
from reportgen.analysis.sensitivity.pools import grades_by_rank, pools
from reportgen.analysis.sensitivity.wins import extremes, harms, row_pairs, row_values, wins
from reportgen.analysis.subset import RowSubset
from reportgen.inference.evidence import Evidence
from reportgen.inference.intervals import interval
from reportgen.kernels.batch import Vector
from reportgen.resampling.replicates import SHARED_FROM, over_threads
from reportgen.results import Influence, NamedRow, Number, Sensitivity, Tail, rounded

TOP = 0.01  # share of the rows whose part in the total error is told


def sensitivity(analysis: DatasetAnalysis, threads: int = 1) -> Sensitivity:
    """Tails, case deletion, numbers of buckets and single rows, as far as there are any."""
    deleted = case_deletion(analysis, threads)
    analysis.make_room()
    return Sensitivity(
        tails=tails(analysis),
        deletions=(deleted,) if deleted is not None and deleted.sets else (),
        bucket_counts=bucket_counts(analysis, threads),
        choices=choices(analysis, threads),
        peaks=tuple(peaks(analysis)),
        **(_of_rows(analysis, threads) if analysis.plan.has_wins else {}),
    )


def _of_rows(analysis: DatasetAnalysis, threads: int) -> dict[str, Any]:
    """What is told where each row is an answer of its own."""
    with over_threads(threads if analysis.plan.design.n >= SHARED_FROM else 1) as mapped:
        return {
            "wins": tuple(wins(analysis, mapped)),
            "harms": tuple(harms(analysis)),
            "pools": tuple(pools(analysis, mapped)),
            "pairs": tuple(row_pairs(analysis)),
            "grades": tuple(grades_by_rank(analysis, mapped)),
            "extremes": tuple(extremes(analysis)),
            "row_values": tuple(row_values(analysis)),
        }


def influence(analysis: DatasetAnalysis, use: Use) -> Iterator[Influence]:
    """For every model the row whose absence changes its value of a metric most.

    A change is a share of the value, but none where that may be zero.
    """
    whole = analysis.parts[0]
    for key, model in whole.metrics:
        if key == use.key:
            row = _most_influential(whole, analysis.evidence(whole, use, model), key, model)
            yield from () if row is None else (row,)


def _most_influential(
    part: RowSubset, evidence: Evidence, key: str, model: str
) -> Influence | None:
    bound, value = part.metrics[key, model], evidence.value
    tried = without_rows(bound, part.weight)
    found = tried.farthest(value)
    if found is None or not isfinite(value):
        return None
    row, estimated = found
    # Sums over all rows but one, found for all rows at once, may lose digits where one row rules.
    again = float(recomputed(bound, part.weight, np.array([row]))[0])
    without = again if isfinite(again) else estimated
    if abs(without - value) <= evidence.rounding:
        without = value
    is_share = not _may_be_zero(part.plan, evidence)
    return Influence(
        dataset=part.plan.dataset,
        key=key,
        model=model,
        value=rounded(value),
        without=rounded(without),
        change=rounded((without - value) / abs(value)) if is_share else None,
        search=tried.search,
        row=_named(part, model, row),
    )


def _named(part: RowSubset, model: str, row: int) -> NamedRow | None:
    """A row by its id and what a model says of it; None where it may not be named."""
    ids = part.plan.ids
    if ids is None:
        return None
    shown = part.data[model].describe(row).items()
    return NamedRow(ids[row], {n: rounded(v) if isinstance(v, float) else v for n, v in shown})


def _may_be_zero(plan: AnalysisPlan, evidence: Evidence) -> bool:
    """Whether a value of either sign is not told from zero: by its interval or two errors."""
    low, high = evidence.bounds
    if not evidence.value or not low < 0 < high:
        return not evidence.value
    spread = (evidence.bootstrap_se, evidence.influence_se)
    error = max((se for se in spread if isfinite(se)), default=0.0)
    if abs(evidence.value) <= 2 * error:
        return True
    found = interval(evidence, plan.interval, plan.level)
    return found.low <= 0 <= found.high


def tails(analysis: DatasetAnalysis) -> tuple[Tail, ...]:
    """How much of each model's total error the rows with the largest errors hold."""
    whole = analysis.parts[0]
    most = ceil(TOP * whole.n)
    rows = []
    for model, each in whole.data.items():
        errors = each.errors()
        if errors is not None:
            size = np.abs(errors)
            shares = (_held(size, whole.weight, most), _held(size**2, whole.weight, most))
            rows.append(Tail(analysis.plan.dataset, model, most, *shares))
    return tuple(rows)


def _held(amounts: Vector, weight: Vector, most: int) -> Number:
    """Share of the weighted total that the `most` largest weighted amounts hold."""
    each = weight * amounts
    total = float(each.sum())
    largest = np.partition(each, -most)[-most:]
    return rounded(float(np.sort(largest).sum()) / total) if total > 0 else None
