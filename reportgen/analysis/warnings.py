"""The subjects of checks on the rows, the estimates and the comparisons of a dataset."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import singledispatch

import numpy as np

from reportgen.analysis.comparisons import PRIMARY_FAMILIES
from reportgen.analysis.dataset_analysis import DatasetAnalysis, count_deciding_rows
from reportgen.analysis.plan import AnalysisPlan, InferencePlan, PlannedMetric
from reportgen.analysis.row_subset import RowSubset
from reportgen.checks.check import Subject, iter_raised
from reportgen.checks.comparisons import DecisionSubject, DifferenceSubject, FamilySubject
from reportgen.checks.rows import (
    ClassRows,
    ClassRowsSubject,
    ColumnSubject,
    DecidingRows,
    SegmentSubject,
    UnitColumnSubject,
    find_few_rows_of_class,
)
from reportgen.checks.values import ValueSubject
from reportgen.inference.intervals import compute_interval
from reportgen.inference.methods import ONE_TAIL_METHODS, TWO_TAIL_METHODS
from reportgen.inference.sampling_distribution import Interval, SamplingDistribution
from reportgen.kernels.batch import Vector
from reportgen.kernels.columns import kish_effective_rows
from reportgen.metrics.metric import LossSides, Metric
from reportgen.metrics.rows import Classes, LabelSets
from reportgen.results.core import Comparison
from reportgen.results.types import RaisedWarning


def iter_warnings(analysis: DatasetAnalysis) -> Iterator[RaisedWarning]:
    """Every warning about the rows, the estimates and the comparisons, once each."""
    yield from iter_data_warnings(analysis)
    for of in (iter_value_warnings, iter_pair_warnings, iter_call_warnings):
        for use in analysis.plan.statistics.metrics:
            yield from of(analysis, use)


def iter_data_warnings(analysis: DatasetAnalysis) -> Iterator[RaisedWarning]:
    """Every warning about the design and the rows."""
    if analysis.plan.sampling.is_used_to_choose:
        yield RaisedWarning("W110", {})
    yield from analysis.plan.warnings
    for subject in iter_row_subjects(analysis):
        yield from iter_raised(subject)


def iter_value_warnings(analysis: DatasetAnalysis, use: PlannedMetric) -> Iterator[RaisedWarning]:
    """Every warning about the values of one metric on all rows."""
    for subject in iter_value_subjects(analysis, use):
        yield from iter_raised(subject)


@singledispatch
def iter_value_subjects(analysis: DatasetAnalysis, use: PlannedMetric) -> Iterator[Subject]:
    """Yield what is checked of the values of one metric on all rows."""
    for key, model in analysis.parts[0].metrics:
        if key == use.key:
            yield from _iter_estimate_subjects(analysis, analysis.parts[0], use, model)


def iter_pair_warnings(analysis: DatasetAnalysis, use: PlannedMetric) -> Iterator[RaisedWarning]:
    """Every warning about the comparisons on one metric on all rows."""
    whole = analysis.parts[0]
    for candidate, baseline in analysis.plan.inference.pairs:
        if {(use.key, candidate), (use.key, baseline)} <= whole.metrics.keys():
            difference, _ = analysis.difference(whole, use, candidate, baseline)
            yield from iter_raised(
                DifferenceSubject(
                    key=use.key,
                    model=candidate,
                    difference=difference,
                    interval=_compute_interval(analysis, difference),
                    is_same_score=whole.is_same(candidate, baseline),
                )
            )


def _compute_interval(analysis: DatasetAnalysis, evidence: SamplingDistribution) -> Interval:
    return compute_interval(
        evidence, analysis.plan.inference.interval, analysis.plan.inference.level
    )


def iter_call_warnings(analysis: DatasetAnalysis, use: PlannedMetric) -> Iterator[RaisedWarning]:
    """Every warning that few rows decide a value or a comparison, where a class has enough."""
    whole, plan = analysis.parts[0], analysis.plan
    models = [model for key, model in whole.metrics if key == use.key]
    if (
        not analysis.has_rows
        or use.metric.calls is None
        or any(_has_few(analysis, use, model) for model in models)
    ):
        return
    for model in models:
        found = _compute_interval(analysis, analysis.evidence(whole, use, model))
        deciding = DecidingRows(found, count_deciding_rows(whole, use.key, model))
        yield from iter_raised(ClassRowsSubject(key=use.key, model=model, class_rows=deciding))
    for candidate, baseline in plan.inference.pairs:
        if candidate in models and baseline in models:
            difference, _ = analysis.difference(whole, use, candidate, baseline)
            rows = count_deciding_rows(whole, use.key, candidate, baseline)
            deciding = DecidingRows(_compute_interval(analysis, difference), rows, baseline)
            yield from iter_raised(
                ClassRowsSubject(key=use.key, model=candidate, class_rows=deciding)
            )


def _has_few(analysis: DatasetAnalysis, use: PlannedMetric, model: str) -> bool:
    """Tell whether another warning says already that a class has few rows."""
    whole = analysis.parts[0]
    rows = _count_class_rows(whole, use, model, analysis.evidence(whole, use, model))
    return rows is not None and find_few_rows_of_class(rows) is not None


def iter_limit_warnings(
    analysis: DatasetAnalysis, compared: Sequence[Comparison]
) -> Iterator[RaisedWarning]:
    """Whether chance in the resampling could move a primary limit that decides, adjusted as it is.

    The resamples are counted at the level that each of several comparisons has by Bonferroni.
    """
    plan, uses = (
        analysis.plan,
        {use.key: use for use in analysis.plan.statistics.metrics if use.is_primary},
    )
    mine = [c for c in compared if c.segment is None and c.key in uses and c.status == "ok"]
    for c in mine:
        pair = analysis.parts[0], uses[c.key], c.candidate, c.baseline
        evidence, _ = analysis.difference(*pair)
        found = _compute_interval(analysis, evidence)
        if c.low is not None and c.high is not None:
            level = 1 - (1 - plan.inference.level) / c.family_size
            found = replace(found, low=c.low, high=c.high, level=level)
        lines = (0.0,) if c.margin is None else (0.0, -c.margin, c.margin)
        yield from iter_raised(
            DecisionSubject(
                key=c.key, model=c.candidate, difference=evidence, interval=found, lines=lines
            )
        )


def iter_family_warnings(
    plan: AnalysisPlan, found: Sequence[Comparison]
) -> Iterator[RaisedWarning]:
    """Return whether the resamples can reach the level that many comparisons together ask for."""
    for family in dict.fromkeys(c.family for c in found):
        members = [c for c in found if c.family == family and c.status == "ok"]
        # Max-T reads one level for all members.
        is_joint = plan.inference.adjust == "maxt" and family in PRIMARY_FAMILIES
        size = max((c.family_size for c in members), default=0)
        yield from iter_raised(
            FamilySubject(
                replicates=plan.sampling.design.replicates,
                comparisons=min(size, 1) if is_joint else size,
                level=plan.inference.level,
                tails=_tails_counted(members, plan.inference, is_joint=is_joint and size > 1),
                family=family,
            )
        )


def _tails_counted(
    members: Sequence[Comparison], inference: InferencePlan, *, is_joint: bool
) -> int:
    """In how many tails replicates are counted: two for limits, one for p; none for formulas."""
    if is_joint:
        return 1
    methods = {inference.interval, *(c.method for c in members)}
    if methods & set(TWO_TAIL_METHODS):
        return 2
    is_counted = any(c.test.startswith("null-bootstrap") for c in members)
    return 1 if is_counted or methods & set(ONE_TAIL_METHODS) else 0


@singledispatch
def iter_row_subjects(analysis: DatasetAnalysis) -> Iterator[Subject]:
    """Yield ties of y and of each score, units that repeat, clusters and weights."""
    part = analysis.parts[0]
    for place, (model, rows) in enumerate(part.data.items()):
        ties = rows.ties()
        distinct = None  # counted of classes, which repeat
        if "y" not in ties and "score" in ties:
            distinct = len(np.unique(rows.ranking.values))
        for what, column in ties.items():
            if what != "y":
                values = column.values
                yield ColumnSubject(
                    model=model, what=what, values=values, distinct=distinct, rows=len(values)
                )
            elif place == 0:  # the same for all models
                yield ColumnSubject(what=what, values=column.values, distinct=None)
    for name, code in analysis.plan.sampling.repeats.items():
        times = np.unique(code, return_counts=True)[1]
        yield UnitColumnSubject(what=name, times=times)
    for subset in analysis.parts:
        yield SegmentSubject(
            segment=subset.name,
            cluster_weights=subset.by_unit(subset.weight) if part.is_clustered else None,
            balance=subset.balance,
            unit_kind=analysis.plan.sampling.design.unit_kind,
        )


def _iter_estimate_subjects(
    analysis: DatasetAnalysis, part: RowSubset, use: PlannedMetric, model: str
) -> Iterator[Subject]:
    evidence, kind = analysis.evidence(part, use, model), analysis.plan.sampling.design.unit_kind
    rows = _count_class_rows(part, use, model, evidence)
    yield ClassRowsSubject(key=use.key, class_rows=rows)
    sides = part.metrics[use.key, model].sides if np.isfinite(evidence.value) else None
    payers = None
    if sides is not None:
        pays = _weigh_payers(part, sides)
        payers = int(np.count_nonzero(pays)), len(pays)
    pairs = None if part.bound[use.key, model].classes() is None else evidence
    losses = None
    if evidence.contributions is not None and not analysis.plan.sampling.is_ordered:
        losses = _order_losses(analysis, part.judging(part.bound[use.key, model]), evidence)
    yield ValueSubject(
        key=use.key,
        model=model,
        evidence=evidence,
        interval=_compute_interval(analysis, evidence),
        tail=analysis.tail(part, use, model),
        payers=payers,
        unit_kind=kind,
        pairs=pairs,
        weighted=pairs if evidence.is_weighted else None,
        losses=losses,
        measures=_count_loss_measures(analysis, part),
    )


def _count_class_rows(
    part: RowSubset, use: PlannedMetric, model: str, evidence: SamplingDistribution
) -> ClassRows | None:
    """Count the rows of two classes that have weight, whatever is resampled."""
    bound, rows = part.bound[use.key, model], part.data[model]
    weight, upper = part.judging(bound).weight, bound.classes()
    has_two = isinstance(rows, Classes) and len(rows.labels) == 2
    if upper is None and not has_two:
        return None
    is_upper = rows.outcome.values > 0 if upper is None else upper
    of_class = [np.where(is_in, weight, 0.0) for is_in in (is_upper, ~is_upper)]
    counts = int(np.count_nonzero(of_class[0])), int(np.count_nonzero(of_class[1]))
    worth = round(kish_effective_rows(of_class[0]), 6), round(kish_effective_rows(of_class[1]), 6)
    names, at = None, ""
    if isinstance(rows, Classes | LabelSets):
        names = name_classes(
            use.metric, rows.labels, rows.upper if isinstance(rows, Classes) else 1
        )
        at = str(use.metric.params.get("at") or "")
    if upper is None:
        return ClassRows(*counts, worth, is_of_any=True, names=names, at=at)
    is_maximum, clusters = is_chosen_maximum(evidence), None
    if part.is_clustered and is_maximum:
        held = [int(np.count_nonzero(part.by_unit(each))) for each in of_class]
        clusters = held[0], held[1]
    return ClassRows(
        *counts,
        worth,
        clusters=clusters,
        window=evidence.estimand.window,
        evidence=evidence,
        is_maximum=is_maximum,
        names=names,
        at=at,
    )


def is_chosen_maximum(evidence: SamplingDistribution) -> bool:
    """Return whether it is the best of many places, by more than is known from a fit."""
    return evidence.estimand.interval == "debiased-se" and evidence.bias is None


def name_classes(metric: Metric, labels: Sequence[str], upper: int) -> tuple[str, str]:
    """Name the class that a metric tells from the others, and these.

    `upper` is the place of that of two; a measure of one class of several says itself of which.
    """
    of = str(metric.params.get("of") or "")
    return (of, f"not {of}") if of else (labels[upper], labels[1 - upper])


def _weigh_payers(part: RowSubset, sides: LossSides) -> Vector:
    """Compute for each unit with weight the weight of its rows that pay the larger cost."""
    paid = part.by_unit(np.where(sides.pays, part.weight, 0.0))
    return paid[part.by_unit(part.weight) > 0]


def _order_losses(
    analysis: DatasetAnalysis, part: RowSubset, evidence: SamplingDistribution
) -> Vector:
    """Return the losses of the rows with weight, whatever it is, in the sequence of their ids."""
    assert evidence.contributions is not None and evidence.shares is not None
    losses: Vector = evidence.contributions / evidence.shares
    sequence, has_weight = analysis.plan.sampling.sequence, part.weight > 0
    if sequence is None:
        return losses
    if has_weight.all():
        return losses[sequence]
    place = np.cumsum(has_weight) - 1
    ordered: Vector = losses[place[sequence[has_weight[sequence]]]]
    return ordered


def _count_loss_measures(analysis: DatasetAnalysis, part: RowSubset) -> int:
    """How many measures of losses are looked at, each of which may raise a false alarm."""
    has_losses = {use.key: use.metric.has_losses for use in analysis.plan.statistics.metrics}
    return sum(has_losses[key] for key, _ in part.metrics)
