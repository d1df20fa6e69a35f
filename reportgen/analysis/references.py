"""Compute what is to be had without a model, and how much better each model is."""

from __future__ import annotations

from collections.abc import Iterator
from math import isfinite, nan

from reportgen.analysis.dataset_analysis import DatasetAnalysis
from reportgen.analysis.plan import ModelScores, PlannedMetric, PlannedReference, explain_unsuited
from reportgen.analysis.row_subset import RowSubset
from reportgen.inference.sampling_distribution import (
    Interval,
    SamplingDistribution,
    explain_no_interval,
)
from reportgen.kernels.batch import Batch
from reportgen.metrics.folds import bind_metric
from reportgen.results.references import ReferenceDifference, ReferenceValue
from reportgen.results.types import Number, round_number


def iter_references(analysis: DatasetAnalysis, use: PlannedMetric) -> Iterator[ReferenceValue]:
    """Yield the reference of a metric on all rows; nothing if it has none or no value."""
    plan = analysis.plan
    planned = next((each for each in plan.references if each.key == use.key), None)
    if planned is None:
        return
    all_rows, *segments = analysis.parts
    value = _compute_value(all_rows, planned)
    if not isfinite(value):
        return
    own = Interval(nan, nan, plan.inference.level, "", nan)
    if planned.is_compared and planned.rows is not None:
        own = plan.inference.compute_interval(analysis.evidence(all_rows, use, planned.name))
    in_segments: dict[str, Number] = {}
    if planned.is_compared:
        in_segments = {str(s.name): round_number(_compute_value(s, planned)) for s in segments}
    yield ReferenceValue(
        dataset=plan.dataset,
        key=use.key,
        kind=planned.kind,
        label=planned.label,
        constant=planned.constant,
        source=planned.source,
        better=use.metric.better,
        value=round_number(value),
        low=round_number(own.low),
        high=round_number(own.high),
        level=plan.inference.level,
        segments=in_segments,
        differences=tuple(
            _compare(analysis, use, planned, model, value)
            for model in plan.models
            if planned.is_compared and not explain_unsuited(use.metric.needs, model)
        ),
    )


def _compute_value(part: RowSubset, planned: PlannedReference) -> float:
    if planned.rows is None:
        return nan if planned.value is None else planned.value
    bound = part.bound.get((planned.key, planned.name))
    bound = bind_metric(planned.metric, part.find_rows(planned.name)) if bound is None else bound
    return float(bound(Batch.from_weights(part.weight))[0])


def _compare(
    analysis: DatasetAnalysis,
    use: PlannedMetric,
    planned: PlannedReference,
    model: ModelScores,
    value: float,
) -> ReferenceDifference:
    """Compare a model with the reference: paired by row, or with a value that does not vary."""
    all_rows, inference = analysis.parts[0], analysis.plan.inference
    if planned.rows is None:
        evidence = analysis.evidence(all_rows, use, model.name)
        own = inference.compute_interval(evidence)
        return _build(model, evidence, own, evidence.value - value, value)
    evidence, _ = analysis.difference(all_rows, use, model.name, planned.name)
    return _build(model, evidence, inference.compute_interval(evidence), evidence.value, 0.0)


def _build(
    model: ModelScores,
    evidence: SamplingDistribution,
    interval: Interval,
    difference: float,
    shift: float,
) -> ReferenceDifference:
    limits = (interval.low - shift, interval.high - shift)
    if evidence.has_one_score:
        limits = 0.0, 0.0
    elif evidence.lacks:
        limits = nan, nan
    return ReferenceDifference(
        model.name,
        round_number(difference),
        round_number(limits[0]),
        round_number(limits[1]),
        interval.method,
        "" if isfinite(limits[0]) else explain_no_interval(interval.reason, evidence),
    )
