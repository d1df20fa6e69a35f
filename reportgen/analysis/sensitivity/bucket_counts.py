"""What metrics of buckets come to with other numbers of buckets: whether a verdict hangs on one."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from reportgen.analysis.comparisons import paired
from reportgen.analysis.dataset_analysis import DatasetAnalysis, replicated
from reportgen.analysis.plan import AnalysisPlan, Use
from reportgen.inference.evidence import Evidence
from reportgen.inference.intervals import interval
from reportgen.results import BucketCount, Number, rounded

BUCKETS = "buckets"


def bucket_counts(whole: DatasetAnalysis, threads: int = 1) -> tuple[BucketCount, ...]:
    """Every metric of buckets with each number of buckets asked for, and with its own.

    Each difference from the baseline (each value, where nothing is compared) has the interval that
    it has alone, from the same resamples as all others. Empty unless several numbers are asked for.
    """
    plan = whole.plan
    uses = [use for use in plan.uses if BUCKETS in use.metric.params]
    if len(plan.bucket_counts) < 2 or not uses:
        return ()
    varied = [_varied(use, count) for use in uses for count in _counts(plan, use)]
    asked = replace(plan, uses=tuple(varied), curves=(), joints=(), segments=())
    found = replicated(asked, threads)
    return tuple(row for use in varied for row in _rows(found, use))


def _counts(plan: AnalysisPlan, use: Use) -> list[int]:
    """The numbers asked for and the metric's own, in their order."""
    own = use.metric.params[BUCKETS]
    return sorted({*plan.bucket_counts, *((own,) if isinstance(own, int) else ())})


def _varied(use: Use, count: int) -> Use:
    """The metric with another number of buckets; whose it is stands before the last space."""
    metric = use.metric.use(**{**use.metric.params, BUCKETS: count})
    return Use(f"{use.key} {count}", metric, test=use.test)


def _rows(found: DatasetAnalysis, use: Use) -> Iterator[BucketCount]:
    part, pairs = found.parts[0], found.plan.pairs
    for candidate, baseline in pairs:
        pair = paired(found, part, use, candidate, baseline)
        if pair.evidence is not None:
            yield _row(found, use, pair.evidence, candidate, baseline)
    alone = () if pairs else [model for of, model in part.metrics if of == use.key]
    for model in alone:
        yield _row(found, use, found.evidence(part, use, model), model, None)


def _row(
    found: DatasetAnalysis, use: Use, evidence: Evidence, model: str, baseline: str | None
) -> BucketCount:
    count = use.metric.params[BUCKETS]
    assert isinstance(count, int)
    key = use.key.rpartition(" ")[0]
    limits = _limits(found, evidence)
    return BucketCount(found.plan.dataset, key, model, baseline, count, *limits)


def _limits(found: DatasetAnalysis, evidence: Evidence) -> tuple[Number, Number, Number]:
    """The value and its own limits; None where there is none."""
    if not np.isfinite(evidence.value):
        return None, None, None
    limits = interval(evidence, found.plan.interval, found.plan.level)
    return rounded(evidence.value), rounded(limits.low), rounded(limits.high)
