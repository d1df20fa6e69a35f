"""Rules about operating points and fitted shifts."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from reportgen.config.checks.metrics import suggest_alias
from reportgen.config.checks.view import ConfigFinding, ConfigFindings, ConfigView, has_keys
from reportgen.config.schema.config import Config
from reportgen.config.schema.costs import CELLS, ThresholdKeys
from reportgen.config.vocabulary import TaskWord
from reportgen.config.yaml.tree import format_key_path
from reportgen.errors import ConfigPath

COST, COST_CURVE = "misclassification_cost", "cumulative_cost"
RULES = ("share", "k", "budget", "cost", "maximize", "minimize", "reach", "on")
REACHED = ("recall", "precision", "specificity", "npv")


def check_points(view: ConfigView) -> ConfigFindings:
    """Points stand where classes are called, and metrics name points that there are."""
    task, points = view.task, view.config.thresholds
    if task is None:
        return
    yield from _check_costs(view, task)
    if points and not (task.is_of_flags or task.is_of_labels):
        tasks = view.words.tasks.items()
        fits = ", ".join(n for n, each in tasks if each.is_of_flags or each.is_of_labels)
        yield ConfigFinding(("thresholds",), f"thresholds are for task: {fits}; remove them")
        return
    for at, point in _iter_parameters(view.config, "at"):
        if point and not isinstance(point, dict | tuple) and point not in points:
            way = view.suggest(at, points) if points else "declare it under thresholds"
            yield ConfigFinding(at, f"there is no operating point {view.quote(*at)}; {way}")
    for name, rule in points.items():
        if view.is_map("thresholds", name):
            yield from _check_rule(view, task, ("thresholds", name), rule)
            yield from _check_names(view, ("thresholds", name), rule)


def _check_costs(view: ConfigView, task: TaskWord) -> ConfigFindings:
    """Check that costs are by side for amounts, and by cell of the confusion matrix for classes."""
    costs, tasks = view.config.costs, view.words.tasks.items()
    if costs is None:
        return
    if costs.matrix:
        if not (task.has_several_classes and not task.is_of_labels):
            fits = [n for n, t in tasks if t.has_several_classes and not t.is_of_labels]
            way = "; write costs: {fp: …, fn: …}" if task.is_of_flags else "; remove it"
            said = f"costs.matrix is for task: {', '.join(fits)}{way}"
            yield ConfigFinding(("costs", "matrix"), said)
        return
    is_of_calls = has_keys(costs, *CELLS)
    fit = "is_of_flags" if is_of_calls else "has_side_costs"
    if not getattr(task, fit):
        named = "{fp, fn}" if is_of_calls else "{under, over}"
        said = f"costs: {named} is for task: {view.list_tasks(fit)}; remove it here"
        way = ", or write costs: {fp: …, fn: …}" if task.is_of_flags else ""
        yield ConfigFinding(("costs",), said + way)


def _iter_parameters(config: Config, key: str) -> Iterator[tuple[ConfigPath, Any]]:
    """Yield each value of a parameter of metrics and curves, with its path."""
    for kind, uses in (("metrics", config.metrics), ("curves", config.curves)):
        for index, use in enumerate(uses):
            if key in use.params:
                yield (kind, index, "params", key), use.params[key]


def _check_rule(
    view: ConfigView, task: TaskWord, at: ConfigPath, point: ThresholdKeys
) -> ConfigFindings:
    """Labels are called from fixed thresholds on, and they alone have thresholds of their own."""
    for key in type(point).model_fields:
        if not has_keys(point, key) or view.is_empty_map((*at, key)):
            continue
        if getattr(point, key) == "fit":
            continue  # a default that is written out says nothing
        said = ""
        if key == "by_class" and not task.is_of_labels:
            said = f"by_class is for task: {view.list_tasks('is_of_labels')}; remove it"
        elif task.is_of_labels and key in RULES:
            said = f"{key} is for two classes; labels take fixed, with by_class"
        if said:
            yield ConfigFinding((*at, key), f"{format_key_path(at)}: {said}", at_key=True)


def _check_names(view: ConfigView, at: ConfigPath, point: ThresholdKeys) -> ConfigFindings:
    """Models and metrics that a point names do exist, and the metrics are of calls."""
    for model in point.by_model:
        if model not in view.config.models:
            said = f"{'.'.join(map(str, at))}.by_model: there is no model {model!r} in this config"
            yield ConfigFinding((*at, "by_model", model), said, at_key=True)
    words = view.words.metrics
    of_calls = [name for name, word in words.items() if "at" in word.parameters]
    for key in ("maximize", "minimize"):
        place = (*at, key)
        if has_keys(point, key) and view.is_scalar(place) and getattr(point, key) not in of_calls:
            own = suggest_alias(str(getattr(point, key)), words, view.config.task)
            way = f"here it is called {own!r}" if own in of_calls else view.suggest(place, of_calls)
            yield ConfigFinding(place, f"{key}: {view.quote(*place)} is no metric of calls; {way}")
    for metric in point.reach:
        if metric not in REACHED:
            own = suggest_alias(metric, words, view.config.task)
            way = f"; here it is called {own!r}" if own in REACHED else ""
            said = f"reach takes {', '.join(REACHED)}, not {metric!r}{way}"
            yield ConfigFinding((*at, "reach", metric), said, at_key=True)


def check_rules(view: ConfigView) -> ConfigFindings:
    """Each rule has what it needs: probabilities, costs, rows to fit on."""
    config = view.config
    for place, said in _check_score_order(config):
        yield ConfigFinding(place, said, at_key=True)
    for name, point in config.thresholds.items():
        for said in _iter_unmet_needs(config, point):
            yield ConfigFinding(("thresholds", name), f"thresholds.{name}: {said}")
    cheap = _list_cheap_errors(config, or_equal=False)
    if len(cheap) == 2:
        said = f"costs: both errors cost less than being right ({' and '.join(cheap)})"
        way = "write a loss as a number above 0, a gain as one below"
        yield ConfigFinding(("costs",), f"{said}: {way}")
    for index, said in _iter_metrics_without_threshold(config):
        yield ConfigFinding(("metrics", index), said)
    for index, curve in enumerate(config.curves):
        if curve.name == COST_CURVE and not _has_costs(config):
            yield ConfigFinding(("curves", index), f"{COST_CURVE} needs costs: {{fp: …, fn: …}}")
    has_matrix = config.costs is not None and bool(config.costs.matrix)
    for index, use in enumerate(config.metrics):
        if use.name == COST and use.params.get("fp") is None and not has_matrix:
            if "calls" in use.params:
                yield ConfigFinding(("metrics", index), f"{COST} needs costs: {{matrix: …}}")
            elif not _has_costs(config):
                yield ConfigFinding(("metrics", index), f"{COST} needs costs: {{fp: …, fn: …}}")


def _iter_metrics_without_threshold(config: Config) -> Iterator[tuple[int, str]]:
    """Metrics of calls that no model has: from where on a score is called nobody has said.

    A number that a metric names is one from 0 to 1, of probabilities.
    """
    if not {model.scale for model in config.models.values()} <= {"score", "rank"}:
        return
    for index, use in enumerate(config.metrics):
        if use.params.get("at") == "":
            said = "needs a threshold: no model here has probabilities; say where calls begin, such"
            yield (
                index,
                f"{use.name} {said} as thresholds: {{calls: {{fixed: …}}}}, or {{share: 0.1}} for "
                "the highest tenth",
            )


def _check_score_order(config: Config) -> Iterator[tuple[ConfigPath, str]]:
    """Yield misuses of low-first scores, which order rows but allow no threshold on the score."""
    for name, model in config.models.items():
        if model.order == "descending":
            continue
        if model.scale in ("probability", "label"):
            said = f"models.{name}.order: a {model.scale} has none; remove it, or say scale: score"
            yield ("models", name, "order"), said
            continue
        for point, rule in config.thresholds.items():
            is_counted = any(x is not None for x in (rule.share, rule.k, rule.budget))
            if not is_counted:
                said = f"thresholds.{point}: the model {name!r} has order: {model.order}, so that "
                yield ("thresholds", point), f"{said}calls are counted: take share, k or budget"


def _iter_unmet_needs(config: Config, point: ThresholdKeys) -> Iterator[str]:
    if point.cost is True:
        yield from _iter_unmet_cost_needs(config)
    yield from _check_one_scale(config, point)
    yield from _check_reachable(config, point)
    labels = [name for name, model in config.models.items() if model.scale == "label"]
    is_counted = any(x is not None for x in (point.share, point.k, point.budget))
    if labels and (is_counted or (point.is_learnt and point.on == "test")):
        what = "a number of calls" if is_counted else "on: test"
        way = f"take another rule, such as fixed:, or leave {labels[0]!r} out"
        yield f"{what} is for scores, and the model {labels[0]!r} says its calls itself; {way}"
    if point.minimize == COST and not _has_costs(config):
        yield f"minimize: {COST} needs costs: {{fp: …, fn: …}}"
    elif point.minimize == COST and not _has_uniform_costs(config):
        yield f"minimize: {COST} needs costs that are the same for all rows"
    has_fit = any(each.role == "fit" for each in config.datasets.values())
    if point.is_learnt and point.on == "fit" and not has_fit:
        is_folded = any(each.fold for each in config.datasets.values())
        way = "on: test" if is_folded else "give a dataset role: fit, or on: test"
        yield f"{point.goal} needs rows to choose on: {way}"


def _check_reachable(config: Config, point: ThresholdKeys) -> Iterator[str]:
    """Yield a problem if a fixed threshold is one that no probability reaches, or that all do."""
    probable = [n for n, m in config.models.items() if m.scale == "probability"]
    for model in probable:
        at = point.by_model.get(model, point.fixed)
        if isinstance(at, int | float) and not 0 <= at <= 1:
            percent = f"; {at:g}% is {at / 100:g}" if 1 < at <= 100 else ""
            way = f"write a number from 0 to 1{percent}, or give the model scale: score"
            yield f"{at:g} is no threshold of the probabilities of {model!r}; {way}"
            return


def _check_one_scale(config: Config, point: ThresholdKeys) -> Iterator[str]:
    """One number cannot be a threshold of probabilities and of other scores."""
    scales = {n: m.scale for n, m in config.models.items() if n not in point.by_model}
    other = next((n for n, scale in scales.items() if scale in ("score", "rank")), None)
    if point.fixed is not None and other is not None and "probability" in scales.values():
        yield (
            f"fixed: {point.fixed:g} is one of probabilities, and {other!r} has scale: "
            f"{scales[other]}; give {other!r} its own under by_model, or call a share of the rows"
        )


def _iter_unmet_cost_needs(config: Config) -> Iterator[str]:
    if config.costs is None or not config.costs.is_of_calls:
        yield "cost: true needs costs: {fp: …, fn: …}"
        return
    if not _has_uniform_costs(config):
        yield "cost: true needs costs that are the same for all rows"
    if low := _list_cheap_errors(config):
        yield (
            "cost: true needs errors that cost more than being right; costs have "
            f"{' and '.join(low)}: write a loss as a number above 0, a gain as one below"
        )
    loose = [name for name, model in config.models.items() if model.scale != "probability"]
    if loose:
        way = f"take another rule, such as fixed:, or leave {loose[0]!r} out"
        yield f"cost: true is for probabilities, and the model {loose[0]!r} has none; {way}"


def _list_cheap_errors(config: Config, *, or_equal: bool = True) -> list[str]:
    """List errors that cost less than being right does, or the same, each with both costs."""
    if config.costs is None:
        return []
    numbers = {cell: cost for cell, cost in config.costs.cells.items() if isinstance(cost, float)}
    return [
        f"{error} {numbers[error]:g} beside {right} {numbers[right]:g}"
        for error, right in (("fp", "tn"), ("fn", "tp"))
        if {error, right} <= numbers.keys()
        and (numbers[error] < numbers[right] or (or_equal and numbers[error] == numbers[right]))
    ]


def _has_uniform_costs(config: Config) -> bool:
    return config.costs is not None and not config.costs.all_columns


def _has_costs(config: Config) -> bool:
    return config.costs is not None and config.costs.is_of_calls


_QUANTILE = re.compile(r"q(\d+(?:\.\d+)?)")


def check_shifts(view: ConfigView) -> ConfigFindings:
    """Every dataset that is judged knows where its shifts are fitted, if any are."""
    config, task, fits = view.config, view.task, view.fit_datasets
    shifts = [at for at, shift in _iter_parameters(config, "shift") if shift == "fitted"]
    is_of_lists = task is not None and task.is_of_lists
    for name, dataset in config.datasets.items():
        at: ConfigPath = ("datasets", name, "fit")
        if dataset.role == "fit":
            continue
        if isinstance(dataset.fit, str):
            if dataset.fit not in fits:
                hint = view.suggest(at, fits) if fits else "add one"
                said = f"there is no dataset {view.quote(*at)} with role: fit in this config"
                yield ConfigFinding(at, f"{format_key_path(at)}: {said}; {hint}")
        elif len(fits) > 1 and (shifts or is_of_lists or config.costs is not None):
            yield ConfigFinding(
                at[:2],
                f"datasets.{name}: {len(fits)} datasets have role: fit; say which one its shifts "
                f"or cut-offs are fitted on: fit: {fits[0]}",
            )
    for at in shifts if not fits and config.datasets else ():
        said = f"shift: {view.quote(*at)} needs rows to fit on; add a dataset with role: fit"
        yield ConfigFinding(at, said)
    for name, model in config.models.items() if task is not None and task.has_densities else ():
        yield from _check_density(("models", name, "columns"), model.columns or {})
        for source, scores in model.scores.items():
            at = ("models", name, "scores", source, "columns")
            yield from _check_density(at, scores.columns or {})


def _check_density(at: ConfigPath, columns: Mapping[str, str]) -> ConfigFindings:
    """Named columns of a score in the unit of y: mean and sd, or quantiles."""
    levels = {name: float(m[1]) for name in columns if (m := _QUANTILE.fullmatch(name))}
    for name, level in levels.items():
        if not 0 < level < 100:
            yield ConfigFinding(
                (*at, name),
                f"{format_key_path((*at, name))}: a quantile lies above 0% and below 100%, as "
                "q10 does",
                at_key=True,
            )
    said = ""
    if "sd" in columns and "mean" not in columns:
        said = "has sd without mean; a Normal density needs both"
    elif "sd" in columns and levels:
        said = "has both sd and quantiles; keep one of the two"
    elif len(levels) == 1:
        said = f"has one quantile, {next(iter(levels))}; a density needs two or more"
    if said:
        yield ConfigFinding(at, f"{format_key_path(at)} {said}")
