"""Plan operating points: fixed, by cost, by share, learned; with metrics of each of two classes."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import partial
from typing import Any

import numpy as np

from reportgen.analysis.plan import PlannedClassMetric, PlannedPoint, plan_unlisted_metric
from reportgen.config.loading import LoadedConfig
from reportgen.config.schema.config import Config
from reportgen.config.schema.costs import ThresholdKeys
from reportgen.data.sample import ClassTarget, Sample
from reportgen.errors import ConfigError, ConfigPath, DataError, Problem
from reportgen.inference.resampling.design import Design
from reportgen.kernels.batch import Batch, Column, Matrix, Vector
from reportgen.kernels.thresholds import (
    CELLS,
    FN,
    FP,
    TN,
    TP,
    BestThreshold,
    DecisionRule,
    LearnedOn,
    Threshold,
    TopShare,
)
from reportgen.metrics import METRICS
from reportgen.metrics.classification.confusion import derive_flag_metric
from reportgen.metrics.classification.costs import break_even_probability, list_cell_costs
from reportgen.metrics.classification.multiclass_tables import average_over_classes
from reportgen.metrics.count_tables import Finish
from reportgen.metrics.curves import CURVES
from reportgen.metrics.lookup import first_metric
from reportgen.metrics.metric import Metric
from reportgen.metrics.rows import Classes
from reportgen.metrics.tasks import TASKS, Predictions
from reportgen.metrics.traits import ESTIMANDS, TableShare
from reportgen.planning.flagged_rows import check_flagged_rows
from reportgen.planning.resampling import build_design
from reportgen.results.classification import PointRule
from reportgen.results.types import RaisedWarning, Scalar
from reportgen.terms import LIMITS
from reportgen.text import quote_first

CLASS_PLACES = ("0", "1")
"""The lower and the upper of two classes, whatever their values in the data are."""
MEANS = ("macro", "weighted")


def make_class_metric(metric: Metric, of: str) -> Metric:
    """Build the metric of one class: of the upper it is as it was.

    Of the lower class, the rows that are not flagged are those predicted as it.
    """
    params = {**metric.params, "of": of}
    if of == CLASS_PLACES[1]:
        return derive_flag_metric(metric, _get_finish(metric), params)
    portions = tuple(_exchange_cells(each) for each in metric.portions)
    finish = partial(_finish_lower, _get_finish(metric))
    return derive_flag_metric(metric, finish, params, portions=portions)


def make_mean_metric(metric: Metric, average: str) -> Metric:
    """Build the mean over both classes: each alike (`macro`), or by its rows (`weighted`).

    A class without a value counts 0, one without rows does not count.
    """
    about: dict[str, Any] = {"estimand": ESTIMANDS["share of cells"], "portions": (), "image": None}
    if metric.name == "recall" and average == "weighted":  # the share of rows that are right
        about["estimand"] = ESTIMANDS["proportion"]
    elif metric.name in ("precision", "recall") and average == "macro":
        both = (*map(_exchange_cells, metric.portions), *metric.portions)
        about |= {"estimand": ESTIMANDS["mean of proportions"], "portions": both}
    finish = partial(_finish_mean, _get_finish(metric), average)
    return derive_flag_metric(metric, finish, {**metric.params, "average": average}, **about)


def _get_finish(metric: Metric) -> Finish:
    assert metric.finish is not None
    return metric.finish


def _finish_lower(finish: Finish, tables: Matrix) -> Vector:
    """Evaluate a function of tables with the two classes exchanged."""
    return finish(tables[:, ::-1])


def _finish_mean(finish: Finish, average: str, tables: Matrix) -> Vector:
    each = np.stack([_finish_lower(finish, tables), finish(tables)], axis=1)
    rows = np.stack([tables[:, TN] + tables[:, FP], tables[:, FN] + tables[:, TP]], axis=1)
    return average_over_classes(each, rows, average)


def _exchange_cells(share: TableShare) -> TableShare:
    part, among = (tuple(CELLS - 1 - cell for cell in cells) for cells in (share.part, share.among))
    return TableShare(part, among, share.is_of_y)


COUNT_PARAMETERS = {"k", "share", "budget"}
"""The parameters of a metric whose k is a number of rows, whatever else they may be k of."""


def check_top_sizes(loaded: LoadedConfig, sample: Sample) -> None:
    """Stop where the first k rows of fewer are asked for: that is a slip, and the metric is empty.

    A budget that is enough for all rows is one, and a segment may have fewer rows than k.
    """
    dataset = loaded.config.datasets[sample.dataset]
    rows = f"{sample.n:,} {dataset.case.nouns[1] if dataset.case else 'rows'}"
    faults = [
        Problem(
            f"{where} asks for the first {k:,}, and {dataset.file} has {rows}; give a k of at most "
            f"{sample.n:,}, or a share",
            at,
            loaded.place(at),
        )
        for where, k, at in _iter_counts(loaded.config)
        if k > sample.n
    ]
    if faults:
        raise ConfigError(faults)


def _iter_counts(config: Config) -> Iterator[tuple[str, int, ConfigPath]]:
    """Where a config counts rows, and how many."""
    for name, point in config.thresholds.items():
        if point.k is not None:
            yield f"thresholds.{name}.k", point.k, ("thresholds", name, "k")
    for index, use in enumerate(config.metrics):
        k = use.params.get("k")
        own = {parameter.name for parameter in first_metric(use.name, config.task).parameters}
        if isinstance(k, int) and own >= COUNT_PARAMETERS:
            yield f"k of {use.name!r}", k, ("metrics", index, "params", "k")


HALF: Mapping[str, ThresholdKeys] = {"half": ThresholdKeys(fixed=0.5)}
OUTCOMES = ("flagged", "found", "missed", "false_positives", "misclassification_cost")
METRICS_OF_FLAGGED = (
    "flagged",
    "found",
    "false_positives",
)  # what the classes of flagged rows tell
MOST_DRAWN = 999  # resamples of the rows that teach a threshold
DUST = 1e-12
CALLING = ("probability", "label")  # scores that one half divides
LABEL_THRESHOLD = Threshold(0.5)  # where the calls of a model begin that says them itself: 0 or 1


def list_operating_points(config: Config) -> Mapping[str, ThresholdKeys]:
    """List the operating points by name.

    If none is declared and all scores are probabilities, they are the thresholds that metrics name,
    or else one half.
    """
    if TASKS[config.task].target != "flag":
        return {}
    is_plain = all(model.scale in CALLING for model in config.models.values())
    return config.thresholds or ((_list_metric_thresholds(config) or HALF) if is_plain else {})


def _list_metric_thresholds(config: Config) -> Mapping[str, ThresholdKeys]:
    """List the thresholds that metrics name, the primary metric's first."""
    primary = config.deciding.metric
    uses = sorted(config.metrics, key=lambda use: use.key != primary)
    values = dict.fromkeys(use.params.get("threshold") for use in uses)
    numbers = [float(value) for value in values if isinstance(value, int | float)]
    return {f"threshold {value:g}": ThresholdKeys(fixed=value) for value in numbers}


def fill_point_parameters(config: Config, params: Mapping[str, Any]) -> Mapping[str, Any]:
    """Fill in the parameters of a call metric: whether its point moves, and what calls cost."""
    point = config.thresholds.get(params.get("at", ""))
    found = params if point is None else {**params, "moves": is_weight_dependent(point)}
    is_unpriced = {"fp", "fn", "tp", "tn"} <= params.keys() and params["fp"] is None
    return {**found, **_find_common_costs(config)} if is_unpriced else found


def _find_common_costs(config: Config) -> dict[str, float]:
    """Return the cell costs that all rows share; empty where they differ or are not given."""
    cells = config.costs.cells if config.costs else {}
    numbers = {cell: cost for cell, cost in cells.items() if not isinstance(cost, str)}
    return numbers if len(numbers) == len(cells) else {}


def plan_operating_points(
    config: Config, sample: Sample, fit: Sample | None = None, replicates: int = 0
) -> tuple[PlannedPoint, ...]:
    """Plan the operating points of all models; thresholds are learned on the rows of `fit`."""
    is_of_flagged = config.datasets[sample.dataset].labelled == "flagged"
    declared, design, points = list_operating_points(config), None, []
    if fit is not None and declared:
        design = build_design(config, fit, (None, None), replicates)
    for name, point in declared.items():
        rules = {model: _choose_rule(config, point, model, sample.n) for model in config.models}
        if point.is_learnt and point.on == "fit" and fit is not None and design is not None:
            _check_both_classes(config, name, fit, design)
            rules = {
                model: _learn_threshold(config, rule, fit, model, design)
                if isinstance(rule, BestThreshold)
                else rule
                for model, rule in rules.items()
            }
        metrics = map(plan_unlisted_metric, _iter_outcomes(config, name, point, is_of_flagged))
        goals = {"maximize": point.maximize, "minimize": point.minimize, **point.reach}
        points.append(
            PlannedPoint(
                name,
                _name_kind(point),
                rules,
                tuple(metrics),
                {key: goal for key, goal in goals.items() if goal is not None},
                METRICS[point.goal].title if point.is_learnt else "",
                tuple(_plan_class_metrics(config, sample, name, point)),
            )
        )
    if is_of_flagged and TASKS[config.task].target == "flag":
        check_flagged_rows(config, sample, points)
    return tuple(points)


def _name_kind(point: ThresholdKeys) -> PointRule:
    if point.is_learnt:
        return "learnt"
    if is_weight_dependent(point):
        return "share"
    return "cost" if point.cost is True else "fixed"


def is_weight_dependent(point: ThresholdKeys | None) -> bool:
    """Whether the calls move with the weights: a share of them, or a threshold learnt by them."""
    if point is None:
        return False
    is_counted = any(x is not None for x in (point.share, point.k, point.budget))
    return is_counted or (point.is_learnt and point.on == "test")


def _choose_rule(config: Config, point: ThresholdKeys, model: str, n: int) -> DecisionRule:
    """Choose the decision rule of a model on n rows, before anything is learned on other rows."""
    costs = _find_common_costs(config)
    if config.models[model].scale == "label":
        return LABEL_THRESHOLD
    if point.is_learnt:
        return _build_best_threshold(point, list_cell_costs(**costs) if costs else None)
    if is_weight_dependent(point):
        return TopShare(_compute_share(point, n))
    if point.cost is True and costs:
        return Threshold(break_even_probability(**costs))
    return Threshold(float(point.by_model.get(model, point.fixed or 0.0)))


def _compute_share(point: ThresholdKeys, n: int) -> float:
    """Return the share of the weight that is flagged: k of n rows are k/n of it."""
    if point.share is not None:
        return point.share
    k = point.k
    if point.budget is not None and point.cost is not None:
        k = int(point.budget * (1 + DUST) // point.cost)
    return min(1.0, (k or 0) / n)


def _build_best_threshold(point: ThresholdKeys, costs: Vector | None) -> BestThreshold:
    """Build the rule that takes the best threshold by the goal of an operating point."""
    evaluate = _build_table_statistic(point.goal, costs)
    if point.maximize:
        return BestThreshold(("maximize", point.goal), evaluate)
    if point.minimize:
        return BestThreshold(("minimize", point.goal), lambda tables: -evaluate(tables))
    [(metric, level)] = point.reach.items()
    return BestThreshold(
        ("reach", metric, level),
        lambda tables: np.where(evaluate(tables) >= level - DUST, 1.0, np.nan),
        is_lowest=metric in ("precision", "specificity"),
    )


def _build_table_statistic(metric: str, costs: Vector | None) -> Callable[[Matrix], Vector]:
    if metric == "misclassification_cost":
        assert costs is not None
        return lambda tables: np.asarray(tables @ costs)
    finish = METRICS[metric].use().finish
    assert finish is not None
    return finish


def compute_cell_costs(config: Config, sample: Sample) -> Matrix | None:
    """Compute the cost of each cell on each row, (n, 4); None where none are given."""
    cells = config.costs.cells if config.costs else {}
    if not cells:
        return None
    each = {
        cell: sample.unit_costs[cell] if isinstance(cost, str) else np.full(sample.n, cost)
        for cell, cost in cells.items()
    }
    return np.stack([each[cell] for cell in ("tn", "fp", "fn", "tp")], axis=1)


def _check_both_classes(config: Config, name: str, fit: Sample, design: Design) -> None:
    """Rows of one class teach no threshold: whatever is flagged, nothing is told apart."""
    there = np.unique(fit.y[design.weights > 0] > 0)
    if len(there) > 1:
        return
    data = config.datasets[fit.dataset]
    known = f"{data.target!r} is {'positive' if there.all() else 'negative'} on all of its rows"
    raise DataError(
        f"dataset {fit.dataset!r}: thresholds.{name} is learnt on it, and {known}; "
        "add rows of the other class, or give the point a `fixed:` threshold"
    )


def _learn_threshold(
    config: Config, best: BestThreshold, fit: Sample, model: str, design: Design
) -> Threshold:
    """Learn the threshold on the rows to fit on, and where resamples of them put it."""
    said = Predictions(fit.models[model].score, config.models[model].scale)
    rows = TASKS[config.task].rows(Column(fit.y), said)
    assert isinstance(rows, Classes)
    value = float(best.find_thresholds(rows, Batch.from_weights(design.weights))[0])
    drawn: list[float] = []
    for batch in range(design.batches):
        found = best.find_thresholds(rows, design.batch(batch))
        drawn += found[: design.count_replicates(batch)].tolist()
        if len(drawn) >= MOST_DRAWN:
            break
    known = [x for x in drawn[:MOST_DRAWN] if np.isfinite(x)]
    low, high = np.quantile(known, [0.025, 0.975]) if known else (np.nan, np.nan)
    between = (rows.score.values >= low) & (rows.score.values < high)
    spans = float(design.weights[between].sum() / design.weights.sum())
    learned = LearnedOn(fit.dataset, float(low), float(high), spans)
    return Threshold(np.inf if np.isnan(value) else value, learned)


def iter_threshold_warnings(
    points: Iterable[PlannedPoint], fit: Sample | None
) -> Iterator[RaisedWarning]:
    """Yield the warnings about what thresholds were learned on.

    W129  few rows of a class, or rows whose resamples put the threshold far apart
    W121  the evaluated rows themselves
    """
    positives, rows = (0, 0) if fit is None else (int(np.count_nonzero(fit.y > 0)), fit.n)
    fewer = min(positives, rows - positives)
    for point in points:
        for model, rule in point.rules.items():
            if not isinstance(rule, Threshold) or rule.learned is None:
                continue
            on = rule.learned
            numbers: dict[str, Any] = {"point": point.name, "fit": on.dataset, "spans": on.spans}
            if fewer < LIMITS["W129"]["fewest"]:
                yield RaisedWarning("W129", {**numbers, "fewer": fewer}, model=model)
            elif on.spans > LIMITS["W129"]["spans"]:
                yield RaisedWarning("W129", numbers, model=model)
        if any(isinstance(rule, BestThreshold) for rule in point.rules.values()):
            yield RaisedWarning("W121", {"what": point.name})


def _iter_outcomes(
    config: Config, name: str, point: ThresholdKeys, is_of_flagged: bool
) -> Iterator[Metric]:
    """Yield the outcome metrics of the calls at a point: how many of 1,000, and what they cost.

    Where classes are known of flagged rows alone, what is missed and costs is not.
    """
    has_costs = config.costs is not None and config.costs.is_of_errors
    known = METRICS_OF_FLAGGED if is_of_flagged else OUTCOMES if has_costs else OUTCOMES[:-1]
    at: dict[str, Any] = {"at": name, "moves": is_weight_dependent(point)}
    for metric in known:
        if metric != OUTCOMES[-1]:
            yield METRICS[metric].use(**at)
            continue
        for against in ("", "everyone", "nobody"):
            yield METRICS[metric].use(**at, **_find_common_costs(config), against=against)


def _plan_class_metrics(
    config: Config, sample: Sample, name: str, point: ThresholdKeys
) -> Iterator[PlannedClassMetric]:
    """Plan what is reported of both classes at a point, and of the means over them.

    Where classes are known of flagged rows alone, it is how often a flag is right.
    """
    assert isinstance(sample.target, ClassTarget)
    at: dict[str, Any] = {"at": name, "moves": is_weight_dependent(point)}
    of_class = list(zip(CLASS_PLACES, sample.classes, sample.target.flags.T, strict=True))
    has_all = config.datasets[sample.dataset].labelled == "all"
    for name_of_metric in config.per_class:
        metric = METRICS[name_of_metric].use(**at)
        title = METRICS[name_of_metric].title
        for place, value, rows in of_class if has_all else of_class[-1:]:
            use = plan_unlisted_metric(make_class_metric(metric, place))
            yield PlannedClassMetric(value, "", "", title, use, rows)
        for average in MEANS if has_all else ():
            use = plan_unlisted_metric(make_mean_metric(metric, average))
            yield PlannedClassMetric("", average, "", title, use)


def check_shared_ids(
    config: Config, sample: Sample, fit: Sample | None
) -> tuple[RaisedWarning, ...]:
    """Return the warning that a threshold or cut-off is learned on evaluated ids, if declared."""
    learnt: list[dict[str, Scalar]] = [
        {"what": name} for name, each in config.thresholds.items() if each.is_learnt
    ]
    curves = [CURVES[use.name] for use in config.curves]
    learnt += [{"peak": curve.title} for curve in curves if curve.has_peak]
    shared = sample.find_common_ids(fit) if fit is not None and learnt else []
    if fit is None or not shared:
        return ()
    if not config.datasets[sample.dataset].used_to_fit:
        raise DataError(
            f"datasets {sample.dataset!r} and {fit.dataset!r} share {len(shared):,} ids "
            f"({quote_first(shared[0], 'compare the columns of ids')}); "
            f"{_explain_shared_ids('peak' in learnt[0])}, or "
            f"`used_to_fit: true` on {sample.dataset!r}"
        )
    return (RaisedWarning("W121", {**learnt[0], "shared": len(shared)}),)


def _explain_shared_ids(is_cutoff: bool) -> str:
    """Why rows that teach and rows that are judged are to be others, and how."""
    if is_cutoff:
        return (
            "a cut-off must not be tested on the queries that it was learnt on: take "
            "them out of one"
        )
    return (
        "a threshold must not be tested on the rows that it was learnt on: set a `filter` on each"
    )
