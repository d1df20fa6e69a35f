"""Estimates with their intervals, rounded: what enters the results from an analysis."""

from __future__ import annotations

from collections.abc import Iterator
from math import nan

import numpy as np

from reportgen.analysis.dataset_analysis import DatasetAnalysis
from reportgen.analysis.plan import ModelScores, Use, unsuited
from reportgen.analysis.subset import RowSubset
from reportgen.inference.evidence import Interval, no_interval
from reportgen.inference.intervals import interval
from reportgen.metrics.units import unit_of
from reportgen.results import Estimate, Status, rounded
from reportgen.results.literals import Lacking


def estimates(analysis: DatasetAnalysis) -> Iterator[Estimate]:
    """Every metric of every model on every part, with its interval."""
    for part in analysis.parts:
        for use in analysis.plan.uses:
            yield from estimates_of(analysis, part, use)


def estimates_of(analysis: DatasetAnalysis, part: RowSubset, use: Use) -> Iterator[Estimate]:
    """One metric of every model on one part."""
    for model in analysis.plan.models:
        yield _estimate(analysis, part, use, model)


def _estimate(analysis: DatasetAnalysis, part: RowSubset, use: Use, model: ModelScores) -> Estimate:
    plan, bound = analysis.plan, part.bound.get((use.key, model.name))
    seen = part if bound is None else part.judging(bound)
    status: Status = "ok"
    lacks: Lacking = ""
    value, found = nan, Interval(nan, nan, plan.level, "", nan)
    reason = unsuited(use.metric.needs, model)
    if reason:
        status = "not applicable"
    else:
        evidence = analysis.evidence(part, use, model.name)
        value, found = evidence.value, interval(evidence, plan.interval, plan.level)
        if not np.isfinite(value):
            status = "undefined"
            reason = part.bound[use.key, model.name].why_undefined(part.weight)
        else:
            reason, lacks = no_interval(found.reason, evidence), evidence.lacks
    return Estimate(
        dataset=plan.dataset,
        segment=part.name,
        model=model.name,
        key=use.key,
        metric=use.metric.asked_name,
        params=dict(use.metric.asked_params),
        unit=unit_of(use.metric.unit, plan.unit, plan.currency),
        value=rounded(value),
        low=rounded(found.low),
        high=rounded(found.high),
        level=found.level,
        method=found.method,
        se=rounded(found.se),
        n=seen.judges,
        status=status,
        reason=reason,
        is_few=bool(lacks),
        lacks=lacks,
    )
