"""Which warning rules apply to a dataset analysis."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from reportgen.analysis import warning_rules
from reportgen.analysis.dataset_analysis import DatasetAnalysis, count_deciding_rows
from reportgen.analysis.plan import AnalysisPlan, PlannedMetric
from reportgen.analysis.row_subset import RowSubset
from reportgen.analysis.warning_rules import (
    add_class_and_point,
    compute_fewest_rows_of_class,
    is_chosen_maximum,
    warn_below_chance,
    warn_few_deciding_rows,
    warn_few_rows_at_end,
    warn_few_rows_in_window,
    warn_few_rows_of_any_class,
    warn_few_rows_of_class,
    warn_skewed_by_weights,
)
from reportgen.inference.intervals import compute_interval
from reportgen.inference.methods import ONE_TAIL_METHODS, TWO_TAIL_METHODS
from reportgen.inference.sampling_distribution import SamplingDistribution
from reportgen.kernels.batch import Vector
from reportgen.kernels.columns import kish_effective_rows
from reportgen.metrics.metric import LossSides
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
    yield from _warn_of_rows(analysis, analysis.parts[0])


def iter_value_warnings(analysis: DatasetAnalysis, use: PlannedMetric) -> Iterator[RaisedWarning]:
    """Every warning about the values of one metric on all rows."""
    for key, model in analysis.parts[0].metrics:
        if key == use.key:
            yield from _warn_of_estimate(analysis, analysis.parts[0], use, model)


def iter_pair_warnings(analysis: DatasetAnalysis, use: PlannedMetric) -> Iterator[RaisedWarning]:
    """Every warning about the comparisons on one metric on all rows."""
    whole = analysis.parts[0]
    for candidate, baseline in analysis.plan.inference.pairs:
        if {(use.key, candidate), (use.key, baseline)} <= whole.metrics.keys():
            yield from _warn_of_pair(analysis, whole, use, candidate, baseline)


def iter_call_warnings(analysis: DatasetAnalysis, use: PlannedMetric) -> Iterator[RaisedWarning]:
    """Every warning that few rows decide a value or a comparison, where a class has enough."""
    whole, plan = analysis.parts[0], analysis.plan
    models = [model for key, model in whole.metrics if key == use.key]
    if use.metric.calls is None or any(_has_few(analysis, use, model) for model in models):
        return
    for model in models:
        found = compute_interval(
            analysis.evidence(whole, use, model), plan.inference.interval, plan.inference.level
        )
        yield from attach_subject(
            warn_few_deciding_rows(found, count_deciding_rows(whole, use.key, model)),
            use.key,
            model,
        )
    for candidate, baseline in plan.inference.pairs:
        if candidate in models and baseline in models:
            difference, _ = analysis.difference(whole, use, candidate, baseline)
            found = compute_interval(difference, plan.inference.interval, plan.inference.level)
            rows = count_deciding_rows(whole, use.key, candidate, baseline)
            yield from attach_subject(
                warn_few_deciding_rows(found, rows, baseline), use.key, candidate
            )


def _has_few(analysis: DatasetAnalysis, use: PlannedMetric, model: str) -> bool:
    """Whether it is told already that a class has few rows."""
    whole = analysis.parts[0]
    evidence, upper = analysis.evidence(whole, use, model), whole.bound[use.key, model].classes()
    return _few_of_a_class(whole, use, model, upper, evidence) is not None


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
    level = 1 - (1 - plan.inference.level) / (
        1 if plan.inference.adjust == "none" else max(len(mine), 1)
    )
    for c in mine:
        pair = analysis.parts[0], uses[c.key], c.candidate, c.baseline
        evidence, _ = analysis.difference(*pair)
        found = compute_interval(evidence, plan.inference.interval, plan.inference.level)
        if c.adjusted_low is not None and c.adjusted_high is not None:
            found = replace(found, low=c.adjusted_low, high=c.adjusted_high, level=level)
        yield from attach_subject(
            warning_rules.warn_too_close_to_call(evidence, found, c.margin), c.key, c.candidate
        )


def iter_family_warnings(
    plan: AnalysisPlan, found: Sequence[Comparison]
) -> Iterator[RaisedWarning]:
    """Return whether the resamples can reach the level that many comparisons together ask for."""
    for family in dict.fromkeys(c.family for c in found):
        members = [
            c for c in found if c.family == family and c.low is not None and c.counted_with is None
        ]
        tails = _tails_counted(plan, members)
        # Without adjusting each stands alone; max-T reads one level for all of them.
        sharing = len(members) if plan.inference.adjust in ("holm", "bh") else min(len(members), 1)
        replicates = plan.sampling.design.replicates
        yield from attach_subject(
            warning_rules.warn_few_replicates_for_family(
                replicates, sharing, plan.inference.level, tails, family
            )
        )


def _tails_counted(plan: AnalysisPlan, members: Sequence[Comparison]) -> int:
    """In how many tails replicates are counted: two for limits, one for p; none for formulas."""
    if plan.inference.adjust == "maxt" and len(members) > 1:
        return 1
    methods = {plan.inference.interval, *(c.method for c in members)}
    if methods & set(TWO_TAIL_METHODS):
        return 2
    is_counted = any(c.test.startswith("null-bootstrap") for c in members)
    return 1 if is_counted or methods & set(ONE_TAIL_METHODS) else 0


def _warn_of_rows(analysis: DatasetAnalysis, part: RowSubset) -> Iterator[RaisedWarning]:
    """Ties of y and of each score; units that repeat; clusters; weights."""
    for place, (model, rows) in enumerate(part.data.items()):
        for what, values in rows.ties().items():
            found = warning_rules.warn_ties(values.values)
            if what != "y":
                yield from attach_subject(found, model=model, what=what)
            elif place == 0:  # the same for all models
                yield from attach_subject(found, what=what)
        if "y" not in rows.ties() and "score" in rows.ties():  # of classes, which repeat
            yield from attach_subject(
                warning_rules.warn_few_scores(len(np.unique(rows.ranking.values))), model=model
            )
    for column, code in analysis.plan.sampling.repeats.items():
        yield from attach_subject(warning_rules.warn_repeated_units(code), what=column)
    for slice_ in analysis.parts if part.is_clustered else ():
        found = warning_rules.warn_few_clusters(slice_.by_unit(slice_.weight))
        yield from attach_subject(found, segment=slice_.name)
    for slice_ in analysis.parts:
        uneven = warning_rules.warn_uneven_weights(slice_.balance)
        yield from attach_subject(add_units(analysis, uneven), segment=slice_.name)


def _warn_of_estimate(
    analysis: DatasetAnalysis, part: RowSubset, use: PlannedMetric, model: str
) -> Iterator[RaisedWarning]:
    evidence = analysis.evidence(part, use, model)
    found = compute_interval(
        evidence, analysis.plan.inference.interval, analysis.plan.inference.level
    )
    upper = part.bound[use.key, model].classes()
    few = _few_of_a_class(part, use, model, upper, evidence)
    rows = part.data[model]
    if isinstance(rows, Classes | LabelSets):
        few = add_class_and_point(
            few, use.metric, rows.labels, rows.upper if isinstance(rows, Classes) else 1
        )
    yield from attach_subject(few, use.key)
    sides = part.metrics[use.key, model].sides if np.isfinite(evidence.value) else None
    error = None if sides is None else _compute_unit_deviations(part, sides.error)
    tail = warning_rules.warn_heavy_tail(evidence, _compute_target(part, evidence), error)
    yield from attach_subject(_count_in_units(analysis, evidence, tail), use.key, model)
    if sides is not None:
        pays = _pays(part, sides)
        payers = warning_rules.warn_few_costly_errors(int(np.count_nonzero(pays)), len(pays))
        yield from attach_subject(add_units(analysis, payers), use.key, model)
    lean = warn_skewed_by_weights(evidence, found, evidence.is_weighted, upper is not None)
    yield from attach_subject(lean, use.key, model)
    if upper is not None:
        yield from attach_subject(warn_below_chance(evidence, found), use.key, model)
    for rule in warning_rules.VALUE_RULES:
        yield from attach_subject(rule(evidence, found), use.key, model)
    if _is_in_unknown_order(analysis, evidence):
        losses = _order_losses(analysis, part.judging(part.bound[use.key, model]), evidence)
        yield from attach_subject(
            warning_rules.warn_autocorrelation(losses, _count_loss_measures(analysis, part)),
            use.key,
            model,
        )


def _few_of_a_class(
    part: RowSubset,
    use: PlannedMetric,
    model: str,
    upper: NDArray[np.bool_] | None,
    evidence: SamplingDistribution,
) -> RaisedWarning | None:
    """W101 of the rows that weigh anything, whatever is resampled: in all, or in a window."""
    weight, rows = part.judging(part.bound[use.key, model]).weight, part.data[model]
    has_two = isinstance(rows, Classes) and len(rows.labels) == 2
    if upper is None and not has_two:
        return None
    is_upper = rows.outcome.values > 0 if upper is None else upper
    of_class = [np.where(is_in, weight, 0.0) for is_in in (is_upper, ~is_upper)]
    counts = int(np.count_nonzero(of_class[0])), int(np.count_nonzero(of_class[1]))
    worth = round(kish_effective_rows(of_class[0]), 6), round(kish_effective_rows(of_class[1]), 6)
    if upper is None:
        return warn_few_rows_of_any_class(*counts, worth)
    fewest = compute_fewest_rows_of_class(evidence)
    few = warn_few_rows_of_class(*counts, fewest, worth)
    if few is None and part.is_clustered and is_chosen_maximum(evidence):
        held = [int(np.count_nonzero(part.by_unit(each))) for each in of_class]
        few = warn_few_rows_of_class(*counts, fewest, (held[0], held[1]), "clusters")
    few = warn_few_rows_in_window(*counts, evidence.estimand.window, worth) if few is None else few
    return warn_few_rows_at_end(*counts, evidence) if few is None else few


def _warn_of_pair(
    analysis: DatasetAnalysis, part: RowSubset, use: PlannedMetric, candidate: str, baseline: str
) -> Iterator[RaisedWarning]:
    difference, _ = analysis.difference(part, use, candidate, baseline)
    found = compute_interval(
        difference, analysis.plan.inference.interval, analysis.plan.inference.level
    )
    is_same = part.is_same(candidate, baseline)
    yield from attach_subject(
        warning_rules.warn_no_variance(difference, found, is_same), use.key, candidate
    )


def _compute_target(part: RowSubset, evidence: SamplingDistribution) -> Vector | None:
    """Return the outcome less its mean, for a measure that has groups of rows but no influence."""
    if evidence.grouped is None or evidence.influence is not None:
        return None
    share = part.weight / part.weight.sum()
    return np.asarray(share * (part.outcome - share @ part.outcome))


def _pays(part: RowSubset, sides: LossSides) -> Vector:
    """Of each unit with weight, the weight of its rows that pay the larger cost."""
    paid = part.by_unit(np.where(sides.pays, part.weight, 0.0))
    return paid[part.by_unit(part.weight) > 0]


def _compute_unit_deviations(part: RowSubset, error: Vector) -> Vector:
    """Compute what each unit adds to the mean error."""
    share = part.weight / part.weight.sum()
    return part.counting(part.by_unit(share * (error - share @ error)))


def _is_in_unknown_order(analysis: DatasetAnalysis, evidence: SamplingDistribution) -> bool:
    """Whether losses stand row by row and nothing is declared about how rows hang together."""
    return evidence.contributions is not None and not analysis.plan.sampling.is_ordered


def _order_losses(
    analysis: DatasetAnalysis, part: RowSubset, evidence: SamplingDistribution
) -> Vector:
    """Return the losses of the rows with weight, whatever it is, in the sequence of their ids."""
    assert evidence.contributions is not None and evidence.shares is not None
    losses: Vector = evidence.contributions / evidence.shares
    sequence, has_weight = analysis.plan.sampling.sequence, part.weight > 0
    if sequence is None:
        return losses
    place = np.cumsum(has_weight) - 1
    ordered: Vector = losses[place[sequence[has_weight[sequence]]]]
    return ordered


def _count_loss_measures(analysis: DatasetAnalysis, part: RowSubset) -> int:
    """How many measures of losses are looked at, each of which may raise a false alarm."""
    has_losses = {use.key: use.metric.has_losses for use in analysis.plan.statistics.metrics}
    return sum(has_losses[key] for key, _ in part.metrics)


def _count_in_units(
    analysis: DatasetAnalysis, evidence: SamplingDistribution, found: RaisedWarning | None
) -> RaisedWarning | None:
    """Add to a warning what its numbers count: what was resampled, where influence is known."""
    if found is None or evidence.influence is None:
        return found
    return add_units(analysis, found)


def add_units(analysis: DatasetAnalysis, found: RaisedWarning | None) -> RaisedWarning | None:
    """Add to a warning what its numbers count: what was resampled."""
    if found is None:
        return None
    return RaisedWarning(
        found.code, {**found.numbers, "counted": analysis.plan.sampling.design.unit_kind}
    )


def attach_subject(
    found: RaisedWarning | None,
    key: str | None = None,
    model: str | None = None,
    what: str = "",
    segment: str | None = None,
) -> Iterator[RaisedWarning]:
    """Yield a warning, if there is one, with its subject."""
    if found is not None:
        numbers = {**found.numbers, "what": what} if what else dict(found.numbers)
        yield RaisedWarning(found.code, numbers, segment, key, model)
