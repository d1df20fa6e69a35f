"""Cross-validated scores: inference about the learning procedure and about the fitted models."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from reportgen.analysis.comparisons import Pair, iter_pairs, judge_family
from reportgen.analysis.dataset_analysis import DatasetAnalysis
from reportgen.analysis.plan import FoldAssignment, PlannedMetric
from reportgen.analysis.row_subset import RowSubset
from reportgen.inference.differences import draw_fold_errors, simulate_replicates
from reportgen.inference.resampling.replicates import Replicates
from reportgen.kernels.batch import Batch
from reportgen.metrics.folds import is_metric_within_folds
from reportgen.results.core import FoldComparison, FoldValue
from reportgen.results.types import RaisedWarning, Scalar, copy_fields, round_number
from reportgen.terms import LIMITS


def select_fold_question(found: DatasetAnalysis) -> DatasetAnalysis:
    """Return the analysis for the question asked of folds; unchanged where rows are what varies."""
    folding = found.plan.sampling.folds
    return analyze_procedure(found) if folding is not None and folding.is_of_procedure else found


def analyze_procedure(found: DatasetAnalysis) -> DatasetAnalysis:
    """Return the analysis with folds as what varies, in place of rows."""
    replicates = dict(found.replicates)
    for part in found.parts:
        replicates |= _replicate_fits(found, part)
    return replace(found, replicates=replicates, is_of_procedure=True)


def _replicate_fits(found: DatasetAnalysis, part: RowSubset) -> Replicates:
    """Replicates of every metric of every model, as new fits would give them."""
    design = found.plan.sampling.design
    drawn = draw_fold_errors(len(part.of_folds.members), design.replicates, design.seed)
    own = Batch.from_weights(part.weight)
    return {
        (part.name, (key, model)): simulate_replicates(
            float(bound(own)[0]), part.of_folds.values(bound, model), drawn
        )
        for (key, model), bound in part.bound.items()
    }


def iter_fold_values(found: DatasetAnalysis) -> Iterator[FoldValue]:
    """Every metric of every model on every fold."""
    plan, whole = found.plan, found.parts[0]
    if plan.sampling.folds is None:
        return
    for (key, model), bound in whole.metrics.items():
        values = whole.of_folds.values(bound, model).values
        for (name, fold), n, value in zip(
            plan.sampling.folds.names, whole.of_folds.sizes, values, strict=True
        ):
            yield FoldValue(plan.dataset, name, fold, n, key, model, round_number(float(value)))


def iter_fold_comparisons(
    found: DatasetAnalysis, asked: DatasetAnalysis
) -> Iterator[FoldComparison]:
    """Every comparison on all rows by both questions, the one that is asked first."""
    folding = found.plan.sampling.folds
    if folding is None:
        return
    other = found if asked.is_of_procedure else analyze_procedure(found)
    for use in found.plan.statistics.metrics:
        for analysis in (asked, other):
            yield from _iter_fold_comparisons(analysis, use, analysis is asked)


def _iter_fold_comparisons(
    analysis: DatasetAnalysis, use: PlannedMetric, is_asked: bool
) -> Iterator[FoldComparison]:
    """Each pair on one metric, each interval by itself."""
    plan = replace(analysis.plan, inference=replace(analysis.plan.inference, adjust="none"))
    pairs: list[Pair] = list(iter_pairs(analysis, analysis.parts[0], use))
    alone = replace(analysis, plan=plan)
    for c in judge_family(alone, pairs, "metrics"):
        question = "procedure" if analysis.is_of_procedure else "fitted"
        yield copy_fields(FoldComparison, c, question=question, is_asked=is_asked)


def iter_fold_warnings(asked: DatasetAnalysis) -> Iterator[RaisedWarning]:
    """W125 of units in two folds, W126 of few folds or rows, W128 of folds without a value."""
    folding, whole = asked.plan.sampling.folds, asked.parts[0]
    if folding is None:
        return
    if folding.crossing:
        of_units: dict[str, Scalar] = {
            "count": folding.crossing,
            "units": folding.units,
            "column": folding.unit,
        }
        yield RaisedWarning("W125", of_units)
    yield from _warn_few_folds(asked, folding)
    for (key, model), bound in whole.metrics.items():
        values = whole.of_folds.values(bound, model)
        left = len(values.values) - len(values.finite_values)
        is_mean = not folding.is_pooled and is_metric_within_folds(bound.statistic, folding.is_mean)
        matters = asked.is_of_procedure or is_mean
        if left and matters and np.isfinite(bound(Batch.from_weights(whole.weight))[0]):
            known = "others" if is_mean else "read"
            numbers: dict[str, Scalar] = {
                "count": left,
                "folds": len(values.values),
                known: len(values.finite_values),
            }
            yield RaisedWarning("W128", numbers, key=key, model=model)


def _warn_few_folds(asked: DatasetAnalysis, folding: FoldAssignment) -> Iterator[RaisedWarning]:
    whole = asked.parts[0]
    if asked.is_of_procedure and len(folding.names) < LIMITS["W126"]["folds"]:
        folds = len(folding.names)
        alone: dict[str, Scalar] = {"differences": 1} if folds == 2 else {}
        yield RaisedWarning("W126", {"folds": folds, **alone})
    elif not asked.is_of_procedure and whole.counted < LIMITS["W126"]["rows"]:
        yield RaisedWarning("W126", {"clusters" if whole.is_clustered else "rows": whole.counted})
