"""A question about one dataset, and everything that is answered to it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from reportgen.analysis.by_metric import OfMetric, by_metric
from reportgen.analysis.comparisons import in_families
from reportgen.analysis.curves import curve_results
from reportgen.analysis.joint import joint_results
from reportgen.analysis.plan import Doubt, Question
from reportgen.analysis.sensitivity.robustness import sensitivity
from reportgen.analysis.study import Study, study
from reportgen.analysis.warnings import doubts_of_data, doubts_of_families
from reportgen.resampling.cache import Cache
from reportgen.resampling.replicates import one_thread_of_blas
from reportgen.results import (
    Comparison,
    CostAnalysis,
    CurveResult,
    Estimate,
    Sensitivity,
)


@dataclass(frozen=True)
class Answer:
    """What is found on one dataset, rounded, and what makes one doubt it.

    `design` says what was resampled, `replicates` how often, `block` the mean length of blocks of
    time, if such.
    """

    estimates: tuple[Estimate, ...]
    comparisons: tuple[Comparison, ...]
    curves: tuple[CurveResult, ...]
    costs: tuple[CostAnalysis, ...]
    sensitivity: Sensitivity
    doubts: tuple[Doubt, ...]
    design: str
    replicates: int
    block: float | None


def infer(
    question: Question,
    threads: int = 1,
    tick: Callable[[int], None] | None = None,
    cache: Cache | None = None,
) -> Answer:
    """Answer a question: estimates, comparisons, curves and doubts from one set of resamples."""
    with one_thread_of_blas():
        found = study(question, threads, tick, cache)
        if cache is not None:
            cache.trim()
        return _answered(found, threads)


def _with_joint(
    curves: Iterable[CurveResult], joint: Iterable[CurveResult]
) -> tuple[CurveResult, ...]:
    """All curves; one that a joint statistic has found too is as found there."""

    def name(c: CurveResult) -> tuple[object, ...]:
        return c.curve, *sorted(c.params.items()), c.model, c.baseline

    found = {name(curve): curve for curve in joint}
    return (*(found.pop(name(curve), curve) for curve in curves), *found.values())


def _answered(found: Study, threads: int) -> Answer:
    each = by_metric(found, threads)
    question = found.question
    compared = tuple(in_families(found, [pair for of in each for pair in of.pairs]))
    joint = tuple(joint_results(found))
    return Answer(
        estimates=tuple(row for of in each for row in of.estimates),
        comparisons=compared,
        curves=_with_joint(
            curve_results(found, threads), (c for c in joint if isinstance(c, CurveResult))
        ),
        costs=tuple(c for c in joint if isinstance(c, CostAnalysis)),
        sensitivity=_with_metrics(sensitivity(found, threads), each),
        doubts=(*_doubts(found, each), *doubts_of_families(question, compared)),
        design=question.design.kind,
        replicates=question.design.replicates,
        block=question.design.block,
    )


def _with_metrics(found: Sensitivity, each: Sequence[OfMetric]) -> Sensitivity:
    """What is told of all metrics together, with what is told of each."""
    return replace(
        found,
        ranks=tuple(row for of in each for row in of.ranks),
        from_best=tuple(row for of in each for row in of.from_best),
        influence=tuple(row for of in each for row in of.influence),
    )


def _doubts(study: Study, each: Sequence[OfMetric]) -> Iterator[Doubt]:
    """Every doubt about the rows, the estimates and the comparisons, once each."""
    yield from doubts_of_data(study)
    for of in each:
        yield from of.doubts_of_values
    for of in each:
        yield from of.doubts_of_pairs
