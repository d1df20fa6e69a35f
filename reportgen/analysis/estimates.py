"""Estimates with intervals: on test and training rows, of a second rater, and without a model."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from math import isfinite, nan
from typing import Any

import numpy as np

from reportgen.analysis.comparisons import describe_reach, iter_comparisons
from reportgen.analysis.dataset_analysis import DatasetAnalysis, draw_replicates
from reportgen.analysis.plan import (
    AnalysisPlan,
    InferencePlan,
    ModelScores,
    PlannedMetric,
    PlannedReference,
    SamplingPlan,
    SecondRater,
    StatisticPlan,
    explain_unsuited,
)
from reportgen.analysis.row_subset import RowSubset
from reportgen.inference.differences import mover_limits
from reportgen.inference.intervals import compute_formula_error
from reportgen.inference.sampling_distribution import (
    Interval,
    SamplingDistribution,
    explain_no_interval,
)
from reportgen.kernels.batch import Batch
from reportgen.metrics.folds import bind_metric
from reportgen.metrics.traits import fill_unit
from reportgen.results.across_datasets import TrainTestGap
from reportgen.results.classification import Agreement
from reportgen.results.core import Estimate
from reportgen.results.references import ReferenceDifference, ReferenceValue
from reportgen.results.types import Lacking, Number, RaisedWarning, Status, round_number
from reportgen.terms import LIMITS


def iter_estimates(analysis: DatasetAnalysis) -> Iterator[Estimate]:
    """Every metric of every model on every part, with its interval."""
    for part in analysis.parts:
        for use in analysis.plan.statistics.metrics:
            yield from iter_metric_estimates(analysis, part, use)


def iter_metric_estimates(
    analysis: DatasetAnalysis, part: RowSubset, use: PlannedMetric
) -> Iterator[Estimate]:
    """One metric of every model on one part."""
    for model in analysis.plan.models:
        yield _build_estimate(analysis, part, use, model)


def _build_estimate(
    analysis: DatasetAnalysis, part: RowSubset, use: PlannedMetric, model: ModelScores
) -> Estimate:
    plan, bound = analysis.plan, part.bound.get((use.key, model.name))
    seen = part if bound is None else part.judging(bound)
    status: Status = "ok"
    lacks: Lacking = ""
    value, found = nan, Interval(nan, nan, plan.inference.level, "", nan)
    more: dict[str, Any] = {}
    reason = explain_unsuited(use.metric.needs, model)
    if reason:
        status = "not applicable"
    else:
        evidence = analysis.evidence(part, use, model.name)
        value, found = (evidence.value, plan.inference.compute_interval(evidence))
        if not np.isfinite(value):
            status = "undefined"
            reason = part.bound[use.key, model.name].why_undefined(part.weight)
        else:
            reason, lacks = explain_no_interval(found.reason, evidence), evidence.lacks
            is_own = any(use is each for each in plan.statistics.metrics)  # not of a class
            more = _compare_variances(evidence) if part.name is None and is_own else {}
            more |= describe_reach(analysis.measure_tail_reach(part, use, model.name))
    return Estimate(
        dataset=plan.dataset,
        segment=part.name,
        model=model.name,
        key=use.key,
        metric=use.metric.request_name,
        params=dict(use.metric.request_params),
        unit=fill_unit(use.metric.unit, plan.statistics.unit, plan.costs.currency),
        value=round_number(value),
        low=round_number(found.low),
        high=round_number(found.high),
        level=found.level,
        method=found.method,
        se=round_number(found.se),
        n=seen.judges,
        status=status,
        reason=reason,
        is_few=bool(lacks),
        lacks=lacks,
        **more,
    )


def _compare_variances(evidence: SamplingDistribution) -> dict[str, Any]:
    """Return the variance of a value by resamples and by a formula, where there are both."""
    resampled, (error, name) = evidence.bootstrap_se, compute_formula_error(evidence)
    if evidence.folds is not None or not (resampled > 0 and error > 0):
        return {}
    return {
        "bootstrap_variance": round_number(resampled**2),
        "formula_variance": round_number(error**2),
        "variance_formula": name,
    }


SECOND_RATER = ""  # the name among models that no config can give


def iter_rater_agreements(analysis: DatasetAnalysis) -> Iterator[Agreement]:
    """Each metric of the second judge and the models, at each point where models call.

    Nothing where there is no such judge.
    """
    judge = analysis.plan.classes.second_rater
    if judge is None:
        return
    found = draw_replicates(_plan_judged_rows(analysis.plan, judge))
    values, differences = list(iter_estimates(found)), list(iter_comparisons(found))
    for (metric, point), use in judge.uses.items():
        own = [replace(each, key=metric) for each in values if each.key == use.key]
        apart = (replace(each, key=metric) for each in differences if each.key == use.key)
        yield Agreement(
            dataset=analysis.plan.dataset,
            column=judge.column,
            metric=metric,
            title=use.metric.title,
            point=point,
            n=int(np.count_nonzero(found.plan.sampling.design.weights)),
            of=analysis.plan.sampling.design.n,
            judge=next(each for each in own if each.model == SECOND_RATER),
            estimates=tuple(each for each in own if each.model != SECOND_RATER),
            comparisons=tuple(apart),
            only=judge.only,
        )


def _plan_judged_rows(plan: AnalysisPlan, judge: SecondRater) -> AnalysisPlan:
    """Build the plan of the models and the second rater on the rows that the rater saw."""
    weight = np.where(judge.judged, plan.sampling.design.weights, 0.0)
    models = plan.models if judge.has_models else ()
    return AnalysisPlan(
        dataset=plan.dataset,
        models=(*models, judge.scores),
        sampling=SamplingPlan(
            replace(plan.sampling.design, weight=weight), is_ordered=plan.sampling.is_ordered
        ),
        statistics=StatisticPlan(tuple(judge.uses.values()), plan.statistics.unit),
        inference=InferencePlan(
            plan.inference.level,
            plan.inference.interval,
            pairs=tuple((model.name, SECOND_RATER) for model in models),
            baseline=SECOND_RATER,
        ),
    )


def iter_generalization_gaps(analysis: DatasetAnalysis) -> Iterator[TrainTestGap]:
    """Every metric of every model that has a value on both; nothing without rows to fit on."""
    plan = analysis.plan.training
    if plan is None:
        return
    found = draw_replicates(plan)
    for use in analysis.plan.statistics.metrics:
        both = zip(_estimate_all_rows(found, use), _estimate_all_rows(analysis, use), strict=True)
        for fitted, fresh in both:
            if fitted.value is not None and fresh.value is not None:
                yield _build_gap(fitted, fresh, plan.sampling.design.n)


def warn_overfitting(
    analysis: DatasetAnalysis, gaps: Sequence[TrainTestGap]
) -> Iterator[RaisedWarning]:
    """W144: a model is shown to be far worse on fresh rows, on the first metric where it is.

    By more than the margin, or, where none is declared, than a fifth of what is missing to the best
    value and a hundredth of the range of values.
    """
    order = sorted(analysis.plan.statistics.metrics, key=lambda use: not use.is_primary)
    told: set[str] = set()
    for use in order:
        for gap in gaps:
            if gap.key == use.key and gap.model not in told and _is_large(use, gap):
                told.add(gap.model)
                numbers = {
                    "fit": gap.fit,
                    "on_fresh": gap.fresh.value,
                    "on_fitted": gap.fitted.value,
                }
                yield RaisedWarning("W144", numbers, key=use.key, model=gap.model)


def _is_large(use: PlannedMetric, gap: TrainTestGap) -> bool:
    """Return whether even the limit of the gap nearest to zero is large, on the bad side of it."""
    metric, fresh = use.metric, gap.fresh.value
    sign = {"higher": 1.0, "lower": -1.0}.get(metric.better)
    if sign is None or fresh is None or gap.low is None or gap.high is None:
        return False
    harm = min(-sign * gap.low, -sign * gap.high)
    if use.margin is not None:
        return harm > use.margin.at(fresh)
    low, high = metric.bounds
    best = high if sign > 0 else low
    missing = abs(best - fresh) if isfinite(best) else abs(fresh)
    least = LIMITS["W144"]["range"] * (high - low) if isfinite(high - low) else 0.0
    return harm > 0 and harm >= max(LIMITS["W144"]["lacking"] * missing, least)


def _estimate_all_rows(analysis: DatasetAnalysis, use: PlannedMetric) -> Iterator[Estimate]:
    return iter_metric_estimates(analysis, analysis.parts[0], use)


def _build_gap(fitted: Estimate, fresh: Estimate, n: int) -> TrainTestGap:
    assert fitted.value is not None and fresh.value is not None
    low, high = None, None
    ends = fitted.low, fitted.high, fresh.low, fresh.high
    if None not in ends:
        low, high = mover_limits(
            (fresh.value, fresh.low, fresh.high),  # type: ignore[arg-type]
            (fitted.value, fitted.low, fitted.high),  # type: ignore[arg-type]
        )
    return TrainTestGap(
        dataset=fresh.dataset,
        fit=fitted.dataset,
        n=n,
        model=fresh.model,
        key=fresh.key,
        fitted=fitted,
        fresh=fresh,
        difference=round_number(fresh.value - fitted.value),
        low=round_number(low),
        high=round_number(high),
        level=fresh.level,
    )


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
