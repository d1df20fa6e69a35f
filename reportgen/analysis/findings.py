"""An analysis plan for one dataset, and everything that is found."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from reportgen.analysis.agreement import agreements
from reportgen.analysis.by_class import (
    class_values,
    class_warnings,
    confusion_differences,
    confusions,
    label_calls,
)
from reportgen.analysis.by_metric import OfMetric, by_metric
from reportgen.analysis.calibration import calibrations
from reportgen.analysis.comparisons import in_families
from reportgen.analysis.curves import curve_results
from reportgen.analysis.dataset_analysis import DatasetAnalysis, replicated
from reportgen.analysis.folds import as_asked, fold_comparisons, fold_values, fold_warnings
from reportgen.analysis.fresh import fresh_gaps, worse_on_fresh
from reportgen.analysis.joint import joint_results
from reportgen.analysis.operating_points import operating_points
from reportgen.analysis.plan import AnalysisPlan, Folding
from reportgen.analysis.rare_class import rare_class
from reportgen.analysis.sensitivity.peaks import of_same_rows
from reportgen.analysis.sensitivity.robustness import sensitivity
from reportgen.analysis.sensitivity.row_warnings import row_warnings
from reportgen.analysis.warnings import warnings_of_data, warnings_of_families, warnings_of_limits
from reportgen.kernels.buffers import release
from reportgen.resampling.cache import Cache
from reportgen.resampling.replicates import one_thread_of_blas
from reportgen.results import (
    Agreement,
    ClassCalibration,
    ClassValues,
    Comparison,
    ConfusionDifference,
    ConfusionMatrix,
    CostAnalysis,
    CurveResult,
    Estimate,
    FoldComparison,
    FoldValue,
    FreshGap,
    LabelCalls,
    ModelCalibration,
    OperatingPoint,
    RareClass,
    Sensitivity,
)
from reportgen.results.raised import RaisedWarning


@dataclass(frozen=True)
class DatasetFindings:
    """What is found on one dataset, rounded, and the warnings about it.

    `design` says what was resampled, `replicates` how often, `block` the mean length of blocks of
    time, if such. `kept` is what the replicates of all rows are kept under, by model and metric.
    """

    estimates: tuple[Estimate, ...]
    comparisons: tuple[Comparison, ...]
    curves: tuple[CurveResult, ...]
    costs: tuple[CostAnalysis, ...]
    sensitivity: Sensitivity
    warnings: tuple[RaisedWarning, ...]
    design: str
    replicates: int
    block: float | None
    points: tuple[OperatingPoint, ...] = ()
    classes: tuple[ClassValues, ...] = ()
    confusions: tuple[ConfusionMatrix, ...] = ()
    confusion_differences: tuple[ConfusionDifference, ...] = ()
    label_calls: tuple[LabelCalls, ...] = ()
    calibrations: tuple[ModelCalibration, ...] = ()
    class_calibrations: tuple[ClassCalibration, ...] = ()
    rare_classes: tuple[RareClass, ...] = ()
    kept: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    fold_values: tuple[FoldValue, ...] = ()
    fold_comparisons: tuple[FoldComparison, ...] = ()
    folding: Folding | None = None
    agreements: tuple[Agreement, ...] = ()
    fresh_gaps: tuple[FreshGap, ...] = ()


def infer(
    plan: AnalysisPlan,
    threads: int = 1,
    tick: Callable[[int], None] | None = None,
    cache: Cache | None = None,
) -> DatasetFindings:
    """Carry out a plan: estimates, comparisons, curves and warnings from one set of resamples."""
    with one_thread_of_blas():
        release()  # reading leaves much behind
        found = replicated(plan, threads, tick, cache)
        if cache is not None:
            cache.trim()
        found.make_room()
        return _answered(as_asked(found), found, threads)


def _with_joint(
    curves: Iterable[CurveResult], joint: Iterable[CurveResult]
) -> tuple[CurveResult, ...]:
    """All curves; one that a joint statistic has found too is as found there."""

    def name(c: CurveResult) -> tuple[object, ...]:
        return c.curve, *sorted(c.params.items()), c.model, c.baseline

    found = {name(curve): curve for curve in joint}
    return (*(found.pop(name(curve), curve) for curve in curves), *found.values())


def _answered(found: DatasetAnalysis, of_rows: DatasetAnalysis, threads: int) -> DatasetFindings:
    each = by_metric(found, threads)
    plan = found.plan
    compared = tuple(in_families(found, [pair for of in each for pair in of.pairs]))
    each = [replace(of, pairs=()) for of in each]  # they hold numbers for every unit
    release()
    told = _with_metrics(sensitivity(found, threads), each)
    found.recent.clear()
    found.make_room()
    joint = tuple(joint_results(found))
    calibrated, of_classes, doubted = calibrations(found)
    gaps = tuple(fresh_gaps(found))
    return DatasetFindings(
        estimates=tuple(row for of in each for row in of.estimates),
        comparisons=compared,
        curves=_with_joint(
            curve_results(found, threads), (c for c in joint if isinstance(c, CurveResult))
        ),
        costs=tuple(c for c in joint if isinstance(c, CostAnalysis)),
        sensitivity=told,
        warnings=(
            *_warnings(found, each),
            *class_warnings(found),
            *warnings_of_families(plan, compared),
            *warnings_of_limits(found, compared),
            *row_warnings(found, told),
            *of_same_rows(found, told),
            *doubted,
            *fold_warnings(found),
            *worse_on_fresh(found, gaps),
        ),
        design=plan.design.kind,
        replicates=plan.design.replicates,
        block=plan.design.block,
        points=tuple(operating_points(found)),
        classes=class_values(found),
        confusions=tuple(confusions(found)),
        confusion_differences=tuple(confusion_differences(found)),
        label_calls=tuple(label_calls(found)),
        calibrations=calibrated,
        class_calibrations=of_classes,
        rare_classes=tuple(rare_class(found, compared)),
        kept=_kept(found),
        folding=plan.folding,
        fold_values=tuple(fold_values(found)),
        fold_comparisons=tuple(fold_comparisons(of_rows, found)),
        agreements=tuple(agreements(found)),
        fresh_gaps=gaps,
    )


def _kept(found: DatasetAnalysis) -> dict[str, dict[str, str]]:
    """The names of the replicates of each metric on all rows, by model and metric."""
    return {
        model.name: {
            use.key: name
            for use in found.plan.uses
            if (name := found.names.get((None, (use.key, model.name)))) is not None
        }
        for model in found.plan.models
    }


def _with_metrics(found: Sensitivity, each: Sequence[OfMetric]) -> Sensitivity:
    """What is told of all metrics together, with what is told of each."""
    return replace(
        found,
        ranks=tuple(row for of in each for row in of.ranks),
        from_best=tuple(row for of in each for row in of.from_best),
        influence=tuple(row for of in each for row in of.influence),
    )


def _warnings(analysis: DatasetAnalysis, each: Sequence[OfMetric]) -> Iterator[RaisedWarning]:
    """Every warning about the rows, the estimates and the comparisons, once each."""
    yield from warnings_of_data(analysis)
    for of in each:
        yield from of.warnings_of_values
    for of in each:
        yield from of.warnings_of_pairs
