"""Plan metrics, curves, the pairs of models to compare, and their intervals."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import combinations

import numpy as np

from reportgen.analysis.costs.cost_model import DEPLOYABLE_SHIFTS, CostModel
from reportgen.analysis.plan import (
    AnytimePlan,
    FamilyPlan,
    InferencePlan,
    LearnedPeak,
    PlannedGap,
    PlannedMetric,
    StatisticPlan,
)
from reportgen.config.schema.config import Config
from reportgen.config.schema.report import GapBelow, GapNoWider, NonInferior, Versus
from reportgen.data.sample import Sample
from reportgen.metrics import METRICS
from reportgen.metrics.curves import CURVES, Curve
from reportgen.metrics.lookup import find_metric, first_metric
from reportgen.metrics.tasks import TASKS
from reportgen.planning.costs import fill_cost_parameters
from reportgen.planning.thresholds import fill_point_parameters
from reportgen.results.recommendation import ReportQuestion, settle_question


def plan_question(config: Config) -> ReportQuestion:
    """Plan the question: as the config declares it, or by its models."""
    report = config.report
    return settle_question(report.decision, report.about, config.baseline, list_candidates(config))


def list_candidates(config: Config) -> list[str]:
    """List the models that may be recommended: neither the baseline nor a benchmark."""
    return [name for name, model in config.models.items() if model.role == "candidate"]


def plan_statistics(
    config: Config,
    dataset: str,
    metrics: tuple[PlannedMetric, ...],
    curves: tuple[Curve, ...],
    peaks: Mapping[tuple[str, str], LearnedPeak],
) -> StatisticPlan:
    """Plan the metrics and curves of one dataset."""
    return StatisticPlan(
        metrics=metrics,
        unit=config.datasets[dataset].unit or "y",
        curves=curves,
        peaks=peaks,
        order_checks=tuple(METRICS[name].use() for name in TASKS[config.task].checks),
    )


def plan_families(config: Config, dataset: str) -> FamilyPlan:
    """Plan which comparisons of a dataset share a level."""
    question = plan_question(config)
    return FamilyPlan(
        decision=question.decision,
        about=question.about,
        baseline=config.baseline,
        benchmarks=frozenset(n for n, each in config.models.items() if each.role == "benchmark"),
        required=frozenset(
            (gate.segment, gate.metric, frozenset((gate.model, gate.against)))
            for gate in config.gates
            if isinstance(gate, Versus | NonInferior) and gate.dataset == dataset
        ),
    )


def plan_inference(config: Config, dataset: str) -> InferencePlan:
    """Plan the pairs of models to compare, and the intervals."""
    return InferencePlan(
        level=config.level,
        interval=config.bootstrap.interval,
        adjust=config.comparisons.adjust,  # type: ignore[arg-type]  # the schema checks the names
        families=plan_families(config, dataset),
        pairs=list_pairs(config),
        baseline=config.baseline,
        is_exact=config.compute.exact,
        gaps=plan_gaps(config, dataset),
    )


def plan_gaps(config: Config, dataset: str) -> tuple[PlannedGap, ...]:
    """Plan the gaps between segments that gates of a dataset are about."""
    return tuple(
        PlannedGap(
            gate.metric,
            gate.model,
            gate.against if isinstance(gate, GapNoWider) else None,
            gate.segment,
            gate.between,
        )
        for gate in config.gates
        if isinstance(gate, GapBelow | GapNoWider) and gate.dataset == dataset
    )


def plan_anytime(config: Config, sample: Sample) -> AnytimePlan | None:
    """Plan limits that hold at every analysis, if the config wants them.

    Rows come in the order of time, and of equal or no times in that of their files.
    """
    if not config.inference.sequential:
        return None
    assert sample.places is not None
    times = sample.sampling.time
    keys = (sample.places,) if times is None else (sample.places, times.code)
    order = np.empty(sample.n, dtype=np.intp)
    order[np.lexsort(keys)] = np.arange(sample.n)
    return AnytimePlan(order, config.inference.largest_difference)


def plan_metrics(config: Config) -> tuple[PlannedMetric, ...]:
    """Plan the metrics with their parameters fixed; the primary one knows its margin."""
    primary = config.deciding
    return tuple(
        PlannedMetric(
            use.key,
            find_metric(
                use.name,
                config.task,
                **fill_point_parameters(config, fill_cost_parameters(config, use)),
            ),
            primary.margin.to_margin() if primary.margin and primary.metric == use.key else None,
            primary.metric == use.key,
            config.comparisons.test_of(use.key),
        )
        for use in config.metrics
    )


def plan_per_class_metrics(config: Config) -> tuple[PlannedMetric, ...]:
    """Plan the metrics that are reported for each class, whatever the class."""
    return tuple(PlannedMetric(name, first_metric(name, config.task)) for name in config.per_class)


def list_pairs(config: Config) -> tuple[tuple[str, str], ...]:
    """List the pairs to compare, each as (candidate, baseline)."""
    baseline = config.baseline
    if config.comparisons.against == "all":
        first = [baseline] if baseline else []
        order = [*first, *(name for name in config.models if name != baseline)]
        return tuple((later, earlier) for earlier, later in combinations(order, 2))
    return tuple((name, baseline) for name in config.models if baseline and name != baseline)


def plan_curves(config: Config, cost_model: CostModel | None) -> tuple[Curve, ...]:
    """Plan the curves that the config names; where costs count, those of costs too."""
    named = [CURVES[use.name].use(**use.params) for use in config.curves]
    named += [CURVES[name].use() for curve in named for name in curve.brings]
    if cost_model is not None:
        named += [cost_model.rroc, CURVES["error_density"]]
        if cost_model.is_by_row:  # a curve over the asymmetry needs one of all rows
            named = [curve for curve in named if curve.name != "cost"]
        else:
            named += [cost_model.over_alpha(shift) for shift in DEPLOYABLE_SHIFTS]
    return tuple({curve.key: curve for curve in named}.values())
