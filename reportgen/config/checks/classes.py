"""Rules about classes, labels, thresholds, prevalence and a second rater."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping
from typing import Any

from reportgen.config.checks.metrics import suggest_alias
from reportgen.config.checks.view import ConfigFinding, ConfigFindings, ConfigView, has_keys
from reportgen.config.schema.config import Config, Dataset, MetricUse
from reportgen.config.schema.costs import CELLS, ThresholdKeys
from reportgen.config.schema.datasets import CutKeys, Model, Scores
from reportgen.config.task_shorthand import EACH, OF
from reportgen.config.vocabulary import TaskWord
from reportgen.config.yaml.tree import Scalar, find_node, format_key_path
from reportgen.errors import ConfigPath, did_you_mean
from reportgen.text import format_yaml_value, parse_class_value

TRUE_WORDS = 1.0


def check_classes(view: ConfigView) -> ConfigFindings:
    """Classes differ, two where two are needed, and the positive one is among them."""
    config, task = view.config, view.task
    if task is None:
        return
    values = list(config.classes)
    yield from _refuse_misplaced_keys(view, task)
    if values and task.has_classes:
        yield from _check_values(task, values)
        yield from _check_class_names(view)
    for at, source in _iter_sources(view):
        if not task.has_classes or task.is_of_flags:
            if EACH in (source.columns or {}):
                tasks = view.list_tasks("has_several_classes")
                said = f"{format_key_path(at)}: a pattern of columns is for task: {tasks}"
                yield ConfigFinding((*at, "columns"), f"{said}; write a map")
        else:
            yield from _check_columns(view, task, at, source)
    for name, dataset in config.datasets.items():
        for key, said in _iter_target_conflicts(view, task, dataset):
            at = ("datasets", name)
            yield ConfigFinding((*at, key), f"{format_key_path(at)}: {said}", at_key=True)
    yield from _check_per_class(view, task)
    for index, _ in enumerate(config.metrics):
        yield from _refuse_null_class(view, ("metrics", index, "params", OF), values)
    for name in config.datasets if task.is_of_flags else ():
        yield from _check_positive(view, name, values)


def _refuse_misplaced_keys(view: ConfigView, task: TaskWord) -> ConfigFindings:
    """Keys of classes where the target has none, and of two classes where it has more."""
    config, tasks = view.config, view.words.tasks.items()
    at: list[tuple[ConfigPath, list[str]]] = []
    if config.classes and not task.has_classes:
        at.append((("classes",), [n for n, each in tasks if each.has_classes]))
    for name, dataset in config.datasets.items():
        if has_keys(dataset, "positive") and not task.is_of_flags:
            flags = [n for n, each in tasks if each.is_of_flags]
            at.append((("datasets", name, "positive"), flags))
    for name, model in config.models.items():
        if model.sums == "normalise" and not _has_exclusive_classes(task):
            exclusive = [n for n, each in tasks if _has_exclusive_classes(each)]
            at.append((("models", name, "sums"), exclusive))
    if config.per_class and not task.per_class:
        at.append((("per_class",), [n for n, each in tasks if each.per_class]))
    for place, fits in at:
        said = f"{place[-1]} is for task: {', '.join(fits)}; remove it, or set that"
        yield ConfigFinding(place, said, at_key=True)


def _has_exclusive_classes(task: TaskWord) -> bool:
    """Tell whether a row is of one of several classes, whose probabilities sum to 1."""
    return task.has_several_classes and not task.is_of_labels


def _iter_target_conflicts(
    view: ConfigView, task: TaskWord, dataset: Dataset
) -> Iterator[tuple[str, str]]:
    """Labels stand in a column each, by a pattern and the names of classes, or in a list."""
    target = dataset.target if isinstance(dataset.target, str) else ""
    has_separator, fits = isinstance(dataset.separator, str), view.list_tasks("is_of_labels")
    if not task.is_of_labels:
        if has_separator:
            yield "separator", f"separator is for task: {fits}; remove it"
        if EACH in target:
            yield "target", f"a pattern of targets is for task: {fits}"
    elif not has_separator and target and EACH not in target:
        ways = 'target: "y_{class}", a column for each, or separator: "|" where it lists them'
        said = f"{target!r} is one column, and a row may have several labels"
        yield "target", f"{said}; write {ways}"
    elif has_separator and EACH in target:
        said = f"separator goes with one column that lists labels, and {target!r} is a pattern"
        yield "target", f"{said}; keep one of both"
    elif EACH in target and not view.config.classes:
        said = f"the pattern {target!r} needs the labels by name; write classes: [a, b, c]"
        yield "target", said


def _iter_sources(view: ConfigView) -> Iterator[tuple[ConfigPath, Model | Scores]]:
    """Yield where columns are named: models, and their scores in files of their own."""
    for name, model in view.config.models.items():
        if has_keys(model, "column", "columns") or not model.scores:
            yield ("models", name), model
        for dataset, scores in model.scores.items():
            yield ("models", name, "scores", dataset), scores


def _check_columns(
    view: ConfigView, task: TaskWord, at: ConfigPath, source: Model | Scores
) -> ConfigFindings:
    """Check that each class has a column of its own, unless the model names the class itself."""
    scale, columns = view.config.models[str(at[1])].scale, source.columns or {}
    place, values = (*at, "columns"), list(view.config.classes)
    is_label = scale == "label"
    if task.is_of_labels and is_label and not columns:
        # One column lists the labels that a model names only where the target is such a list.
        datasets = view.config.datasets.values()
        if any(not isinstance(each.separator, str) for each in datasets):
            said = f"{format_key_path(at)} has one column, and a row may have several labels"
            way = 'columns: "p_{class}", a column for each'
            yield ConfigFinding((*at, "column"), f"{said}; write {way}", at_key=True)
        return
    if not columns or (is_label and not task.is_of_labels):
        if is_label == bool(columns) and view.is_map(*at):
            form = "one column with the class" if columns else "columns, one a class"
            way = "column: NAME" if columns else 'columns: "p_{class}"'
            said = f"{format_key_path(at)} has scale: {scale}, which needs {form}; write {way}"
            yield ConfigFinding((*at, "columns" if columns else "column"), said, at_key=True)
        return
    if EACH in columns:
        if view.is_scalar((*place, EACH)) and EACH not in str(columns[EACH]):
            quoted = view.quote(*place, EACH)
            said = f"{format_key_path(at)}: columns {quoted} has no {EACH}"
            yield ConfigFinding(place, f"{said}, which stands for the value of a class")
        return
    known, given = ({parse_class_value(each): each for each in of} for of in (values, columns))
    for value, text in known.items():
        if value not in given:
            said = f"columns has none for the class {text!r}"
            yield ConfigFinding(place, f"{format_key_path(at)}: {said}")
    for value, text in given.items():
        if values and value not in known:
            said = f"{format_key_path(at)}: columns names {text!r}, which is not among classes"
            yield ConfigFinding(place, f"{said}; {did_you_mean(text, values)}")


def _check_per_class(view: ConfigView, task: TaskWord) -> ConfigFindings:
    """Check that each metric in `per_class` can be computed for one class."""
    words = view.words.metrics.items()
    fits = [n for n, word in words if n in task.per_class or OF in word.parameters]
    for index, name in enumerate(view.config.per_class if task.per_class else ()):
        at = ("per_class", index)
        if view.is_scalar(at) and name not in fits:
            said = f"per_class: {view.quote(*at)} is not a metric of one class"
            yield ConfigFinding(at, f"{said}; {view.suggest(at, fits)}")


def _check_values(task: TaskWord, values: list[str]) -> ConfigFindings:
    count = len(values)
    if count < 2 or (task.is_of_flags and count > 2):
        number = "two" if task.is_of_flags else "two or more"
        has = f"has {count} {'value' if count == 1 else 'values'}"
        way = "; task: multiclass takes more" if count > 2 else "; add the missing one"
        yield ConfigFinding(("classes",), f"classes {has}, and {number} are needed{way}")
    seen: dict[float | str, str] = {}
    for value in values:
        first = seen.setdefault(parse_class_value(value), value)
        if first != value:
            said = f"classes has {first!r} and {value!r}, which are the same value; remove one"
            yield ConfigFinding(("classes", value), said, at_key=True)


def _check_class_names(view: ConfigView) -> ConfigFindings:
    """No two classes have the same name, or nobody could tell them apart on the page."""
    seen: dict[str, str] = {}
    for value, name in view.config.classes.items():
        first = value if name is None else seen.setdefault(name, value)
        if first != value:
            quoted = view.quote("classes", value)
            said = f"classes {first!r} and {value!r} are both called {quoted}"
            yield ConfigFinding(("classes", value), f"{said}; give each its own name")


def _check_positive(view: ConfigView, name: str, values: list[str]) -> ConfigFindings:
    at: ConfigPath = ("datasets", name, "positive")
    positive = view.config.datasets[name].positive
    known = {parse_class_value(value) for value in values}
    if isinstance(positive, CutKeys):
        if values and known != {0.0, 1.0}:
            said = f"{format_key_path(at)} cuts a number into the classes 0 and 1; name those"
            yield ConfigFinding(("classes",), said)
        return
    if isinstance(positive, str):
        if values and parse_class_value(positive) not in known:
            said = f"{format_key_path(at)}: {view.quote(*at)} is not among classes"
            yield ConfigFinding(at, f"{said}; {view.suggest(at, values)}")
        return
    nulls = [*_refuse_null_class(view, at, values)]
    yield from nulls
    if not nulls and len(values) == 2 and TRUE_WORDS not in known:
        ways = " or ".join(f"positive: {format_yaml_value(value)}" for value in values)
        said = f"datasets.{name} does not say which of the classes is the positive one"
        yield ConfigFinding(at[:2], f"{said}; write {ways}")


def _refuse_null_class(view: ConfigView, at: ConfigPath, values: Collection[str]) -> ConfigFindings:
    """Refuse no value where its word is one of the classes: it needs quotes."""
    node, above = find_node(view.tree, at), find_node(view.tree, at[:2])
    if not isinstance(node, Scalar) or node.value is not None or node.written not in values:
        return
    if above is not None and node.mark == above.mark:  # nobody wrote it: it is what is not asked
        return
    place = format_key_path(tuple(part for part in at if part != "params"))
    said = f"{place}: YAML reads {node.written} as no value"
    yield ConfigFinding(at, f'{said}; for the class put it in quotes: "{node.written}"')


FLAGGED_METRICS = ("precision", "fdr", "flagged", "found", "false_positives")


def check_flagged(view: ConfigView) -> ConfigFindings:
    """Refuse what flagged or predicted rows cannot tell, and thresholds that are not fixed."""
    config, task = view.config, view.task
    named = [name for name, each in config.datasets.items() if each.labelled == "flagged"]
    if not named or task is None:
        return
    if not task.has_classes:
        said = f"labelled: flagged is for task: {view.list_tasks('has_classes')}; remove it"
        yield ConfigFinding(("datasets", named[0], "labelled"), said, at_key=True)
        return
    for at, said in (
        *_iter_unknowable_metrics(config, task),
        *_iter_unsteady_points(config),
        *_iter_refused_curves(config),
    ):
        yield ConfigFinding(at, f"{said} (datasets.{named[0]} has labelled: flagged)")
    for name in named:
        if config.datasets[name].role == "fit":
            said = (
                "rows that a threshold is learnt on need a class each; labelled: "
                "flagged leaves some out"
            )
            yield ConfigFinding(("datasets", name, "labelled"), said, at_key=True)
        if isinstance(config.datasets[name].separator, str):
            text = (
                "labelled: flagged needs a column for each label, empty where nobody looked, as a "
                'list has no unknown labels; write target: "y_{class}"'
            )
            yield ConfigFinding(("datasets", name, "separator"), text, at_key=True)


def check_positive_case(view: ConfigView) -> ConfigFindings:
    """Only rows that are positive or negative have a noun for the positive ones."""
    for name, dataset in view.config.datasets.items():
        if dataset.positive_case and view.task is not None and not view.task.is_of_flags:
            text = f"positive_case is for task: {view.list_tasks('is_of_flags')}; remove it"
            yield ConfigFinding(("datasets", name, "positive_case"), text, at_key=True)


def _iter_unknowable_metrics(config: Config, task: TaskWord) -> Iterator[tuple[ConfigPath, str]]:
    known = ", ".join(FLAGGED_METRICS[:-1]) + f" and {FLAGGED_METRICS[-1]}"
    if task.has_several_classes:
        one = "label" if task.is_of_labels else "class"
        known = f"precision of one {one}, {{name: precision, of: {one.upper()}}}"
        known += ", or of all together, {name: precision, average: micro}" * task.is_of_labels
    for index, use in enumerate(config.metrics):
        if not _is_known_of_flagged(use, task):
            said = f"{use.name} needs the class of every row; flagged rows tell {known}"
            yield ("metrics", index), said
    for index, name in enumerate(config.per_class):
        if name != "precision":
            text = f"per_class: {name} needs the class of every row; write per_class: [precision]"
            yield ("per_class", index), text


def _is_known_of_flagged(use: MetricUse, task: TaskWord) -> bool:
    """Tell whether the classes of flagged rows, or of those predicted as a class, tell a metric."""
    if not task.has_several_classes:
        return use.name in FLAGGED_METRICS
    is_of_all = task.is_of_labels and use.params.get("average") == "micro"
    return use.name == "precision" and (bool(use.params.get(OF)) or is_of_all)


def _iter_unsteady_points(config: Config) -> Iterator[tuple[ConfigPath, str]]:
    """Yield operating points that flag other rows, of unknown class, in each resample."""
    for name, point in config.thresholds.items():
        is_counted = any(x is not None for x in (point.share, point.k, point.budget))
        if is_counted or (point.is_learnt and point.on == "test"):
            said = "flags other rows in each resample, and their class is not known; take fixed"
            yield ("thresholds", name), f"thresholds.{name} {said}"


def _iter_refused_curves(config: Config) -> Iterator[tuple[ConfigPath, str]]:
    for index, curve in enumerate(config.curves):
        said = f"the curve {curve.name} needs the class of every row; write curves: []"
        yield ("curves", index), said


def check_second_target(view: ConfigView) -> ConfigFindings:
    """Rows that are judged name one class each, which the same models gave a score."""
    for name, dataset in view.config.datasets.items():
        if dataset.second_target is None or view.task is None:
            continue
        at: ConfigPath = ("datasets", name, "second_target")
        if not _has_one_class(view.task):
            said = f"second_target is for task: {_list_tasks_of_one_class(view)}"
            yield ConfigFinding(at, f"{said}; remove it, or set that", at_key=True)
            continue
        for why in _iter_second_target_conflicts(dataset):
            yield ConfigFinding(at, f"{format_key_path(at)} {why}", at_key=True)


def _has_one_class(task: TaskWord) -> bool:
    return task.is_of_flags or _has_exclusive_classes(task)


def _list_tasks_of_one_class(view: ConfigView) -> str:
    return ", ".join(name for name, task in view.words.tasks.items() if _has_one_class(task))


def _iter_second_target_conflicts(dataset: Dataset) -> Iterator[str]:
    if dataset.second_target == dataset.target:
        yield "is the target itself; name the column of the other judge"
    if dataset.role == "fit":
        yield "belongs to test rows, and these are fitting rows; put it on the test dataset"
    if dataset.fold is not None:
        yield "is compared with the models of one fit, but folds have several; remove it, or fold"
    if dataset.labelled == "flagged":
        yield "needs the target of every row, and labelled: flagged leaves some out; remove it"
    if isinstance(dataset.positive, CutKeys):
        yield "names a class, and positive cuts a number in two; write the class of each row"


DRAWN_TOGETHER = ("cluster", "query", "time")


def check_prevalence(view: ConfigView) -> ConfigFindings:
    """Rows have one class each, are drawn one by one, and have no other weight."""
    config, task = view.config, view.task
    if config.prevalence is None or task is None:
        return
    if not _has_one_class(task):
        said = f"prevalence is for task: {_list_tasks_of_one_class(view)}; remove it"
        yield ConfigFinding(("prevalence",), said)
        return
    for at, said in (
        *_iter_wrong_prevalence_forms(config, task),
        *_iter_resampling_conflicts(config),
        *_iter_unused_prevalence(config),
    ):
        yield ConfigFinding(at, said, at_key=True)


def _iter_wrong_prevalence_forms(
    config: Config, task: TaskWord
) -> Iterator[tuple[ConfigPath, str]]:
    """Two classes need the share of one alone, several need the share of each."""
    asked = config.prevalence
    if asked is None or asked.is_by_class != task.is_of_flags:
        return
    way = "the share of the positive class, such as 0.05"
    if not task.is_of_flags:
        way = "the share of each class, such as {a: 0.2, b: 0.8}"
    yield ("prevalence", "target"), f"prevalence.target: task: {config.task} needs {way}"


def _iter_resampling_conflicts(config: Config) -> Iterator[tuple[ConfigPath, str]]:
    for name, dataset in config.datasets.items():
        for key, why in _iter_prevalence_conflicts(dataset):
            said = f"datasets.{name}.{key}: prevalence {why}; remove one of the two"
            yield ("datasets", name, key), said
    if config.bootstrap.weights == "poisson":
        said = "bootstrap.weights: prevalence holds the rows of each class at their number, and "
        yield ("bootstrap", "weights"), f"{said}poisson does not; write multinomial"


def _iter_prevalence_conflicts(dataset: Dataset) -> Iterator[tuple[str, str]]:
    for key in DRAWN_TOGETHER:
        if getattr(dataset, key) is not None:
            yield key, "draws rows within their class, and a unit of several rows has both"
    if dataset.weight is not None:
        yield "weight", "weights the rows itself"
    if dataset.labelled == "flagged":
        yield "labelled", "needs the class of every row"


def _iter_unused_prevalence(config: Config) -> Iterator[tuple[ConfigPath, str]]:
    asked = config.prevalence
    has_any = any(model.scale == "probability" for model in config.models.values())
    if asked is not None and asked.trained_at is not None and not has_any:
        said = "prevalence.trained_at moves probabilities, and no model has any; remove it"
        yield ("prevalence", "trained_at"), said


COST, COST_CURVE = "misclassification_cost", "cumulative_cost"
RULES = ("share", "k", "budget", "cost", "maximize", "minimize", "reach", "on")
REACHED = ("recall", "precision", "specificity", "npv")


def check_points(view: ConfigView) -> ConfigFindings:
    """Points stand where rows are flagged, and metrics name points that there are."""
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
    is_of_errors = has_keys(costs, *CELLS)
    fit = "is_of_flags" if is_of_errors else "has_side_costs"
    if not getattr(task, fit):
        named = "{fp, fn}" if is_of_errors else "{under, over}"
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
    """Labels have fixed thresholds, and they alone have thresholds of their own."""
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
            yield ConfigFinding(
                place, f"{key}: {view.quote(*place)} is not a metric at a threshold; {way}"
            )
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
    """Metrics of calls that no model has: from which score on rows are flagged nobody has said.

    A number that a metric names is one from 0 to 1, of probabilities.
    """
    if not {model.scale for model in config.models.values()} <= {"score", "rank"}:
        return
    for index, use in enumerate(config.metrics):
        if use.params.get("at") == "":
            said = "needs a threshold: no model here has probabilities; set one, such"
            yield (
                index,
                f"{use.name} {said} as thresholds: {{main: {{fixed: …}}}}, or {{share: 0.1}} for "
                "the highest tenth",
            )


def _check_score_order(config: Config) -> Iterator[tuple[ConfigPath, str]]:
    """Yield misuses of low-first scores, which order rows but allow no threshold on the score."""
    for name, model in config.models.items():
        if model.order == "descending":
            continue
        if model.scale == "probability":
            continue  # those of the other class
        if model.scale == "label":
            said = f"models.{name}.order: a label has none; remove it"
            yield ("models", name, "order"), said
            continue
        for point, rule in config.thresholds.items():
            is_counted = any(x is not None for x in (rule.share, rule.k, rule.budget))
            if not is_counted:
                said = f"thresholds.{point}: the model {name!r} has order: {model.order}, so that "
                yield (
                    ("thresholds", point),
                    f"{said}flagged rows are counted: take share, k or budget",
                )


def _iter_unmet_needs(config: Config, point: ThresholdKeys) -> Iterator[str]:
    if point.cost is True:
        yield from _iter_unmet_cost_needs(config)
    yield from _check_one_scale(config, point)
    yield from _check_reachable(config, point)
    labels = [name for name, model in config.models.items() if model.scale == "label"]
    is_counted = any(x is not None for x in (point.share, point.k, point.budget))
    if labels and (is_counted or (point.is_learnt and point.on == "test")):
        what = "a number of flagged rows" if is_counted else "on: test"
        way = f"take another rule, such as fixed:, or leave {labels[0]!r} out"
        yield f"{what} is for scores, and the model {labels[0]!r} names classes itself; {way}"
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
            yield f"{at:g} is not a threshold for the probabilities of {model!r}; {way}"
            return


def _check_one_scale(config: Config, point: ThresholdKeys) -> Iterator[str]:
    """One number cannot be a threshold of probabilities and of other scores."""
    scales = {n: m.scale for n, m in config.models.items() if n not in point.by_model}
    other = next((n for n, scale in scales.items() if scale in ("score", "rank")), None)
    if point.fixed is not None and other is not None and "probability" in scales.values():
        yield (
            f"fixed: {point.fixed:g} is one of probabilities, and {other!r} has scale: "
            f"{scales[other]}; give {other!r} its own under by_model, or flag a share of the rows"
        )


def _iter_unmet_cost_needs(config: Config) -> Iterator[str]:
    if config.costs is None or not config.costs.is_of_errors:
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
    return config.costs is not None and config.costs.is_of_errors


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
