"""Build the analysis plan of a dataset from a config and its sample."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import combinations

from reportgen.analysis.costs import DEPLOYABLE_SHIFTS, CostModel, Methods, cost_statistic
from reportgen.analysis.costs.cost_model import MANY
from reportgen.analysis.plan import AnalysisPlan, LearnedPeak, Margin, ModelScores, PlannedMetric
from reportgen.analysis.sensitivity.peaks import learn_peaks
from reportgen.config import Config, MarginKeys
from reportgen.data.codes import order_by_number
from reportgen.data.sample import Sample
from reportgen.governance.privacy import choose_shown_ids
from reportgen.kernels.batch import Column
from reportgen.kernels.thresholds import OperatingPoints
from reportgen.metrics import METRICS
from reportgen.metrics.curves import CURVES, Curve
from reportgen.metrics.lookup import find_metric, first_metric
from reportgen.metrics.losses.shifts import ALPHA_GRID
from reportgen.metrics.rows import TrainingRows
from reportgen.metrics.tasks import TASKS, Predictions
from reportgen.planning.alternatives import plan_alternatives
from reportgen.planning.classes import build_class_costs, plan_class_metrics, plan_second_rater
from reportgen.planning.costs import (
    build_cost_model,
    build_unit_costs,
    fill_cost_parameters,
    fit_shifts,
    iter_shift_warnings,
)
from reportgen.planning.ranking import build_lists, choose_row_names, plan_conventions, plan_harms
from reportgen.planning.requests import has_external_scores
from reportgen.planning.resampling import (
    assign_folds,
    build_design,
    choose_replicate_count,
    restrict_to_folds,
)
from reportgen.planning.segments import iter_segments
from reportgen.planning.thresholds import (
    PlannedCalls,
    check_shared_ids,
    fill_point_parameters,
    list_label_thresholds,
    plan_calls_on,
    plan_operating_points,
)
from reportgen.results.types import RaisedWarning


def plan_metrics(config: Config) -> tuple[PlannedMetric, ...]:
    """Plan the metrics with their parameters fixed; the primary one knows its margin."""
    primary = config.primary
    return tuple(
        PlannedMetric(
            use.key,
            find_metric(
                use.name,
                config.task,
                **fill_point_parameters(config, fill_cost_parameters(config, use)),
            ),
            _build_margin(primary.margin) if primary and primary.metric == use.key else None,
            primary is not None and primary.metric == use.key,
            config.comparisons.test_of(use.key),
        )
        for use in config.metrics
    )


def plan_per_class_metrics(config: Config) -> tuple[PlannedMetric, ...]:
    """Plan the metrics that are reported for each class, whatever the class."""
    return tuple(PlannedMetric(name, first_metric(name, config.task)) for name in config.per_class)


def _build_margin(written: MarginKeys | None) -> Margin | None:
    return None if written is None else Margin(written.value, written.is_relative)


def build_analysis_plan(config: Config, sample: Sample, fit: Sample | None = None) -> AnalysisPlan:
    """Everything that the config asks of one dataset; shifts are fitted on the rows of `fit`."""
    boot, dataset = config.bootstrap, config.datasets[sample.dataset]
    replicates, asked = _count_replicates(config, sample), plan_metrics(config)
    called = _plan_model_calls(config, sample, fit, replicates)
    models = tuple(_iter_models(config, sample, fit, replicates, called))
    # Cases of one row stand together whatever they are, and data sets have no order.
    has_no_order = dataset.count is not None or has_external_scores(config)
    is_ordered = has_no_order or sample.time is not None or sample.together is not None
    cost_model = build_cost_model(config, sample, fit)
    design = build_design(config, sample, _choose_block_metric(config, models, asked), replicates)
    curves = _list_curves(config, cost_model)
    return AnalysisPlan(
        dataset=sample.dataset,
        unit=dataset.unit or "y",
        models=models,
        pairs=list_pairs(config),
        uses=asked,
        curves=curves,
        segments=tuple(iter_segments(sample)),
        design=design,
        level=config.level,
        interval=boot.interval,
        adjust=config.comparisons.adjust,  # type: ignore[arg-type]
        is_ordered=is_ordered,
        is_used_to_choose=dataset.used_to_choose,
        warnings=(*_warn_of_shifts(config, sample, fit), *called.warnings),
        joints=()
        if cost_model is None
        else (cost_statistic(cost_model, _build_methods(cost_model, fit)),),
        repeats={name: codes.code for name, codes in sample.unnamed.items()},
        sequence=None if is_ordered else order_by_number(sample.ids),
        ids=choose_shown_ids(config, sample.ids),
        currency=config.currency,
        baseline=config.baseline,
        bucket_counts=config.bucket_counts,
        is_exact=config.compute.exact,
        points=called.rules,
        alternatives=(
            *plan_conventions(config, sample, asked),
            *plan_alternatives(config, sample, asked, models, design),
        ),
        is_varied=config.sensitivity.variants == "usual",
        harms=plan_harms(config, sample.dataset),
        has_wins=TASKS[config.task].has_wins,
        checks=tuple(METRICS[name].use() for name in TASKS[config.task].checks),
        row_names=choose_row_names(config, sample),
        class_uses=plan_class_metrics(config, sample),
        folding=assign_folds(config, sample),
        peaks=_collect_peaks(config, curves, fit, replicates),
        second=plan_second_rater(config, sample),
    )


def _warn_of_shifts(
    config: Config, sample: Sample, fit: Sample | None
) -> tuple[RaisedWarning, ...]:
    """Return the warnings about the rows that shifts are fitted on."""
    if fit is None or not TASKS[config.task].has_side_costs:
        return ()
    return tuple(iter_shift_warnings(config, sample, fit))


def _plan_model_calls(
    config: Config, sample: Sample, fit: Sample | None, replicates: int
) -> PlannedCalls:
    """Where the calls of each model begin; thresholds are learnt on the rows of `fit`."""
    if fit is None or TASKS[config.task].has_side_costs:
        return plan_operating_points(config, sample, None, None)
    shared = check_shared_ids(config, sample, fit)
    found = plan_operating_points(
        config, sample, fit, build_design(config, fit, (None, None), replicates)
    )
    return replace(found, warnings=(*shared, *found.warnings))


def list_pairs(config: Config) -> tuple[tuple[str, str], ...]:
    """Who is compared with whom: (candidate, baseline)."""
    baseline = config.baseline
    if config.comparisons.against == "all":
        first = [baseline] if baseline else []
        order = [*first, *(name for name in config.models if name != baseline)]
        return tuple((later, earlier) for earlier, later in combinations(order, 2))
    return tuple((name, baseline) for name in config.models if baseline and name != baseline)


def fit_models(
    config: Config, fit: Sample, replicates: int, calls: Mapping[str, OperatingPoints]
) -> Iterator[ModelScores]:
    """Every model on the rows to fit on, with the shifts that these teach."""
    return _iter_models(config, fit, fit, replicates, PlannedCalls(calls, (), ()))


def build_model_rows(config: Config, sample: Sample) -> Iterator[ModelScores]:
    """Every model on some rows, where nothing is fitted or learnt on others."""
    return _iter_models(config, sample, None, 0, plan_operating_points(config, sample, None, None))


def _iter_models(
    config: Config, sample: Sample, fit: Sample | None, replicates: int, called: PlannedCalls
) -> Iterator[ModelScores]:
    fitted: Mapping[str, TrainingRows] = {}
    if fit is not None and TASKS[config.task].has_side_costs:
        fitted = fit_shifts(
            fit, build_design(config, fit, (None, None), replicates), build_unit_costs(config, fit)
        )
    unit_costs = build_unit_costs(config, sample)
    task, outcome, lists = TASKS[config.task], Column(sample.y), build_lists(config, sample)
    for name, model in config.models.items():
        parts = sample.parts.get(name, {})
        calls = called.calls.get(name, OperatingPoints())
        points = list_label_thresholds(config, name, sample.classes)
        beside = fitted.get(name), unit_costs, lists.get(name)
        said = Predictions(
            sample.scores[name],
            model.scale,
            parts,
            *beside,
            calls,
            sample.classes,
            sample.flags,
            points,
            build_class_costs(config, sample.classes),
        )
        rows = restrict_to_folds(config, sample, task.rows(outcome, said))
        rows.is_of_called = config.datasets[sample.dataset].labelled == "called"
        yield ModelScores(name, model.label or name, rows)


def _list_curves(config: Config, cost_model: CostModel | None) -> tuple[Curve, ...]:
    """List the curves that the config names, if any; where costs count, those of costs too."""
    named = [CURVES[use.name].use(**use.params) for use in config.curves]
    named += [CURVES[name].use() for curve in named for name in curve.brings]
    if cost_model is not None:
        named += [cost_model.rroc, CURVES["error_density"]]
        if cost_model.is_by_row:  # a curve over the asymmetry needs one of all rows
            named = [curve for curve in named if curve.name != "cost"]
        else:
            named += [cost_model.over_alpha(shift) for shift in DEPLOYABLE_SHIFTS]
    return tuple({curve.key: curve for curve in named}.values())


def _collect_peaks(
    config: Config, curves: Sequence[Curve], fit: Sample | None, replicates: int
) -> dict[tuple[str, str], LearnedPeak]:
    """Where curves are highest on rows that are not judged; empty where there are none."""
    if fit is None or not any(curve.has_peak for curve in curves):
        return {}
    called = plan_operating_points(config, fit, None, None)
    models = tuple(_iter_models(config, fit, None, replicates, called))
    return learn_peaks(curves, models, build_design(config, fit, (None, None), replicates))


def _build_methods(cost_model: CostModel, fit: Sample | None) -> Methods | None:
    """Build the methods of choosing a shift; None where there is nothing to choose."""
    if (
        cost_model.is_by_row
        or cost_model.loss != "linlin"
        or not (cost_model.is_fitted or cost_model.has_densities)
    ):
        return None
    alphas = (
        ALPHA_GRID if fit is None or fit.n <= MANY else ALPHA_GRID[::4]
    )  # of many rows each fit is slow
    return Methods(cost_model, alphas)


def _count_replicates(config: Config, sample: Sample) -> int:
    """As many as the config says, or as many as its comparisons on these rows need."""
    boot = config.bootstrap
    return boot.replicates or choose_replicate_count(
        plan_metrics(config),
        len(list_pairs(config)),
        len(list(iter_segments(sample))),
        sample.n,
        adjust=config.comparisons.adjust,  # type: ignore[arg-type]  # the reading knows the names
        interval=boot.interval,
        level=config.level,
    )


def _choose_block_metric(
    config: Config, models: tuple[ModelScores, ...], asked: tuple[PlannedMetric, ...]
) -> tuple[PlannedMetric | None, ModelScores | None]:
    """Return the primary metric and the baseline, which no other model or metric changes."""
    primary = next((use for use in asked if use.is_primary), None)
    first = next((c for c in models if c.name == config.baseline), models[0])
    return primary, first if primary else None


def add_training_metrics(
    config: Config, plan: AnalysisPlan, sample: Sample, fit: Sample
) -> AnalysisPlan:
    """Add to the plan that of its metrics on the rows to fit on.

    As it is where rows have no classes, where rows or units stand in both samples, which are then
    not independent, and where intervals tell of other fits, not of other rows.
    """
    has_classes = TASKS[config.task].has_classes
    if not has_classes or plan.folding is not None or _is_shared(sample, fit):
        return plan
    rows = {model.name: model.rows for model in plan.models}
    models = tuple(
        fit_models(config, fit, plan.design.replicates, plan_calls_on(config, rows, fit))
    )
    asked = AnalysisPlan(
        dataset=fit.dataset,
        unit=plan.unit,
        models=models,
        pairs=(),
        uses=plan.uses,
        curves=(),
        segments=(),
        design=build_design(config, fit, (None, None), plan.design.replicates),
        level=plan.level,
        interval=plan.interval,
        adjust="none",
        currency=plan.currency,
        is_exact=plan.is_exact,
    )
    return replace(plan, fitted=asked)


def _is_shared(sample: Sample, fit: Sample) -> bool:
    """Return whether rows, or the units that rows are drawn in, stand in both."""
    if sample.numbered_in == fit.numbered_in and set(sample.ids) & set(fit.ids):
        return True
    if sample.together is None or fit.together is None:
        return False
    return bool(set(sample.together.codes.labels) & set(fit.together.codes.labels))
