"""Carry out an analysis plan and collect the results of one dataset."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import field, replace

from reportgen.analysis.bound_statistics import precompute_query_values
from reportgen.analysis.calibration import compute_calibrations
from reportgen.analysis.classes import (
    compute_class_values,
    iter_class_warnings,
    iter_confusion_differences,
    iter_confusion_matrices,
    iter_label_confusions,
    iter_operating_points,
    iter_rare_class_results,
)
from reportgen.analysis.comparisons import Pair, iter_pairs, judge_in_families
from reportgen.analysis.curves import iter_curve_results, iter_joint_results
from reportgen.analysis.dataset_analysis import DatasetAnalysis, draw_replicates
from reportgen.analysis.estimates import (
    iter_generalization_gaps,
    iter_metric_estimates,
    iter_rater_agreements,
    iter_references,
    warn_overfitting,
)
from reportgen.analysis.folds import (
    iter_fold_comparisons,
    iter_fold_values,
    iter_fold_warnings,
    select_fold_question,
)
from reportgen.analysis.model_pairs import compute_model_pairs
from reportgen.analysis.plan import AnalysisPlan, FoldAssignment, PlannedMetric
from reportgen.analysis.row_subset import RowSubset
from reportgen.analysis.sensitivity.peaks import warn_peak_on_same_rows
from reportgen.analysis.sensitivity.robustness import (
    analyze_sensitivity,
    iter_influences,
    iter_rank_probabilities,
)
from reportgen.analysis.sensitivity.wins import iter_row_warnings
from reportgen.analysis.stability import iter_group_gaps, iter_stability
from reportgen.analysis.warnings import (
    iter_call_warnings,
    iter_data_warnings,
    iter_family_warnings,
    iter_limit_warnings,
    iter_pair_warnings,
    iter_value_warnings,
)
from reportgen.inference.resampling.cache import Cache
from reportgen.inference.resampling.replicates import limit_blas_threads, thread_map
from reportgen.kernels.buffers import release_idle
from reportgen.metrics.metric import Metric
from reportgen.metrics.rows import Queries
from reportgen.progress import SILENT, Progress
from reportgen.records import record
from reportgen.results.across_datasets import TrainTestGap
from reportgen.results.classification import (
    Agreement,
    ClassCalibration,
    ClassValues,
    ConfusionDifference,
    ConfusionMatrix,
    LabelConfusion,
    ModelCalibration,
    OperatingPoint,
    RareClassComparison,
)
from reportgen.results.core import Comparison, Estimate, FoldComparison, FoldValue, ModelPair
from reportgen.results.costs import CostAnalysis
from reportgen.results.curves import CurveResult
from reportgen.results.references import ReferenceValue
from reportgen.results.segments import GroupGap, Stability
from reportgen.results.sensitivity import (
    Influence,
    RankProbabilities,
    Sensitivity,
)
from reportgen.results.types import RaisedWarning

SMALL = 10_000  # below so many rows, threads wait for each other longer than they work
LARGE = 2_000_000  # from so many rows, metrics run one at a time to save memory


@record(eq=False)
class MetricResults:
    """Results of one metric on one part; for all rows also those reported for them alone."""

    estimates: tuple[Estimate, ...]
    pairs: tuple[Pair, ...]
    ranks: tuple[RankProbabilities, ...] = ()
    influence: tuple[Influence, ...] = ()
    warnings_of_values: tuple[RaisedWarning, ...] = ()
    warnings_of_pairs: tuple[RaisedWarning, ...] = ()
    references: tuple[ReferenceValue, ...] = ()


def compute_metric_results(analysis: DatasetAnalysis, threads: int = 1) -> list[MetricResults]:
    """Every metric on every part, in their order."""
    together = sorted(_iter_metric_groups(analysis), key=_is_quick)
    references = _precompute_references(analysis, threads)
    with thread_map(threads) as mapped:
        found = mapped(lambda group: _compute_group_results(analysis, group), together)
        pairs = zip(together, found, strict=True)
        made = {
            _build_place(*each): of
            for group, all_of in pairs
            for each, of in zip(group, all_of, strict=True)
        }
    for rows in references:
        rows.known_values.clear()
    return [
        made[_build_place(part, use)]
        for part in analysis.parts
        for use in analysis.plan.statistics.metrics
    ]


def _precompute_references(analysis: DatasetAnalysis, threads: int) -> list[Queries]:
    """Find what metrics say of each query in orders that serve as references, and return these."""
    metrics: dict[Queries, list[Metric]] = {}
    for each in analysis.plan.references:
        if isinstance(each.rows, Queries):
            metrics.setdefault(each.rows, []).append(each.metric)
    with thread_map(threads) as mapped:
        precompute_query_values(metrics.items(), mapped)
    return list(metrics)


def _iter_metric_groups(
    analysis: DatasetAnalysis,
) -> Iterator[Sequence[tuple[RowSubset, PlannedMetric]]]:
    """Yield the metrics of each part in groups that rest on the same distributions."""
    for part in analysis.parts:
        groups: dict[str, list[tuple[RowSubset, PlannedMetric]]] = {}
        for use in analysis.plan.statistics.metrics:
            root = part.roots[use.key][0] if use.key in part.roots else use
            groups.setdefault(root.key, []).append((part, use))
        yield from groups.values()


def _is_quick(group: Sequence[tuple[RowSubset, PlannedMetric]]) -> bool:
    """Return whether the metrics of a group are means over rows, which take less than orders do."""
    return all(use.metric.shape != "whole" for _, use in group)


def _compute_group_results(
    analysis: DatasetAnalysis, group: Sequence[tuple[RowSubset, PlannedMetric]]
) -> list[MetricResults]:
    """Compute the metrics of a group; keep what they rest on only if one of them is primary."""
    found = [_compute_results_of_part(analysis, *each) for each in group]
    if any(use.is_primary and part.segment is None for part, use in group):
        return found
    for part, use in group:
        root = part.roots[use.key][0].key if use.key in part.roots else use.key
        analysis.forget(part, (use.key, root))
    release_idle()
    return found


def _compute_results_of_part(
    analysis: DatasetAnalysis, part: RowSubset, use: PlannedMetric
) -> MetricResults:
    estimates = tuple(iter_metric_estimates(analysis, part, use))
    pairs = tuple(iter_pairs(analysis, part, use))
    if part.segment is not None:
        return MetricResults(estimates, pairs)
    return MetricResults(
        estimates,
        pairs,
        ranks=tuple(iter_rank_probabilities(analysis, use)),
        influence=tuple(iter_influences(analysis, use))
        if analysis.plan.sensitivity.has_single_rows
        else (),
        warnings_of_values=tuple(iter_value_warnings(analysis, use)),
        warnings_of_pairs=(*iter_pair_warnings(analysis, use), *iter_call_warnings(analysis, use)),
        references=tuple(iter_references(analysis, use)),
    )


def _build_place(part: RowSubset, use: PlannedMetric) -> tuple[str | None, str]:
    return part.name, use.key


@record
class DatasetResults:
    """Results on one dataset, rounded, and the warnings about it.

    `design` says what was resampled, `replicates` how often, `curve_replicates` how many of these
    curves use, `block` the mean length of blocks of time, if such. `kept` is what the replicates
    of all rows are kept under, by model and metric.
    """

    estimates: tuple[Estimate, ...]
    comparisons: tuple[Comparison, ...]
    curves: tuple[CurveResult, ...]
    costs: tuple[CostAnalysis, ...]
    sensitivity: Sensitivity
    warnings: tuple[RaisedWarning, ...]
    design: str
    replicates: int
    curve_replicates: int
    block: float | None
    pairs: tuple[ModelPair, ...] = ()
    points: tuple[OperatingPoint, ...] = ()
    classes: tuple[ClassValues, ...] = ()
    confusions: tuple[ConfusionMatrix, ...] = ()
    confusion_differences: tuple[ConfusionDifference, ...] = ()
    label_confusions: tuple[LabelConfusion, ...] = ()
    calibrations: tuple[ModelCalibration, ...] = ()
    class_calibrations: tuple[ClassCalibration, ...] = ()
    rare_classes: tuple[RareClassComparison, ...] = ()
    kept: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    fold_values: tuple[FoldValue, ...] = ()
    fold_comparisons: tuple[FoldComparison, ...] = ()
    folding: FoldAssignment | None = None
    agreements: tuple[Agreement, ...] = ()
    fresh_gaps: tuple[TrainTestGap, ...] = ()
    references: tuple[ReferenceValue, ...] = ()
    stability: tuple[Stability, ...] = ()
    group_gaps: tuple[GroupGap, ...] = ()


def analyze_dataset(
    plan: AnalysisPlan,
    threads: int = 1,
    progress: Progress = SILENT,
    cache: Cache | None = None,
) -> DatasetResults:
    """Carry out a plan: estimates, comparisons, curves and warnings from one set of resamples."""
    with limit_blas_threads():
        progress.stage(f"resampling {plan.dataset}", plan.sampling.design.batches)
        release_idle()  # reading leaves much behind
        found = draw_replicates(plan, threads, progress.done, cache)
        progress.stage(f"comparing models on {plan.dataset}")
        if cache is not None:
            cache.trim()
        found.make_room()
        return collect_results(select_fold_question(found), found, threads)


def _replace_joint_curves(
    curves: Iterable[CurveResult], joint: Iterable[CurveResult]
) -> tuple[CurveResult, ...]:
    """All curves; one that a joint statistic has found too is as found there."""

    def name(c: CurveResult) -> tuple[object, ...]:
        return c.curve, *sorted(c.params.items()), c.model, c.baseline

    found = {name(curve): curve for curve in joint}
    return (*(found.pop(name(curve), curve) for curve in curves), *found.values())


def collect_results(
    found: DatasetAnalysis, of_rows: DatasetAnalysis, threads: int = 1
) -> DatasetResults:
    """Collect all results of an analysis and its warnings; those of rows where they are at hand."""
    plan = found.plan
    each_on_rows = threads if SMALL <= plan.sampling.design.n < LARGE else 1
    each = compute_metric_results(found, each_on_rows)
    pairs = [pair for of in each for pair in of.pairs]
    compared = tuple(judge_in_families(found, pairs, each_on_rows))
    model_pairs = compute_model_pairs(found, compared)
    each = [replace(of, pairs=()) for of in each]  # they hold numbers for every unit
    release_idle()
    told = _add_metric_results(analyze_sensitivity(found, threads), each)
    found.recent.clear()
    found.make_room()
    joint = tuple(iter_joint_results(found))
    calibrated, of_classes, doubted = compute_calibrations(found) if found.has_rows else ((),) * 3
    gaps = tuple(iter_generalization_gaps(found))
    estimates = tuple(row for of in each for row in of.estimates)
    return DatasetResults(
        estimates=estimates,
        comparisons=compared,
        pairs=model_pairs,
        curves=_replace_joint_curves(
            iter_curve_results(found, threads), (c for c in joint if isinstance(c, CurveResult))
        ),
        costs=tuple(c for c in joint if isinstance(c, CostAnalysis)),
        sensitivity=told,
        warnings=(
            *_iter_warnings(found, each),
            *iter_class_warnings(found),
            *iter_family_warnings(plan, compared),
            *iter_limit_warnings(found, compared),
            *iter_row_warnings(found, told),
            *warn_peak_on_same_rows(found, told),
            *doubted,
            *iter_fold_warnings(found),
            *warn_overfitting(found, gaps),
        ),
        design=plan.sampling.design.kind,
        replicates=plan.sampling.design.replicates,
        curve_replicates=plan.sampling.design.curve_replicates,
        block=plan.sampling.design.block,
        points=tuple(iter_operating_points(found)),
        classes=compute_class_values(found),
        confusions=tuple(iter_confusion_matrices(found)),
        confusion_differences=tuple(iter_confusion_differences(found)),
        label_confusions=tuple(iter_label_confusions(found)),
        calibrations=calibrated,
        class_calibrations=of_classes,
        rare_classes=tuple(iter_rare_class_results(found, compared)) if found.has_rows else (),
        kept=_name_replicates_by_model(found),
        folding=plan.sampling.folds,
        fold_values=tuple(iter_fold_values(found)),
        fold_comparisons=tuple(iter_fold_comparisons(of_rows, found)),
        agreements=tuple(iter_rater_agreements(found)),
        fresh_gaps=gaps,
        references=tuple(row for of in each for row in of.references),
        stability=tuple(iter_stability(found, compared)),
        group_gaps=tuple(iter_group_gaps(found, estimates, each_on_rows)),
    )


def _name_replicates_by_model(found: DatasetAnalysis) -> dict[str, dict[str, str]]:
    """Return the names of the replicates of each metric on all rows, by model and metric."""
    return {
        model.name: {
            use.key: name
            for use in found.plan.statistics.metrics
            if (name := found.names.get((None, (use.key, model.name)))) is not None
        }
        for model in found.plan.models
    }


def _add_metric_results(found: Sensitivity, each: Sequence[MetricResults]) -> Sensitivity:
    """Add what is reported of each metric to what is reported of all metrics together."""
    return replace(
        found,
        ranks=tuple(row for of in each for row in of.ranks),
        influence=tuple(row for of in each for row in of.influence),
    )


def _iter_warnings(
    analysis: DatasetAnalysis, each: Sequence[MetricResults]
) -> Iterator[RaisedWarning]:
    """Every warning about the rows, the estimates and the comparisons, once each."""
    yield from iter_data_warnings(analysis)
    for of in each:
        yield from of.warnings_of_values
    for of in each:
        yield from of.warnings_of_pairs
