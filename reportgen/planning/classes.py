"""Plan classes: requests, metrics per class, and the second rater."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import field

import numpy as np
from numpy.typing import NDArray

from reportgen.analysis.estimates import SECOND_RATER
from reportgen.analysis.plan import (
    ClassPlan,
    ModelScores,
    PlannedClassMetric,
    PlannedMetric,
    PlannedPoint,
    SecondRater,
    plan_unlisted_metric,
)
from reportgen.config.loading import LoadedConfig
from reportgen.config.schema.config import Config
from reportgen.config.schema.datasets import CutKeys
from reportgen.config.task_shorthand import EACH, OF
from reportgen.data.names import find_match
from reportgen.data.requests import ClassRequest, ColumnRequest, TableRequest
from reportgen.data.sample import ClassTarget, LabelTarget, Sample
from reportgen.data.targets import (
    format_values,
    preview_class_values,
    sort_class_values,
)
from reportgen.errors import ConfigError, ConfigPath, Problem, did_you_mean, suggest_value
from reportgen.kernels.batch import Column
from reportgen.metrics.classification.multiclass_tables import make_cell_share_metric
from reportgen.metrics.lookup import find_metric, first_metric, list_name_parameters
from reportgen.metrics.tasks import TASKS, Predictions
from reportgen.planning.files import find_table_place
from reportgen.planning.flagged_rows import find_evaluated_classes
from reportgen.planning.thresholds import (
    LABEL_THRESHOLD,
    is_weight_dependent,
    list_operating_points,
)
from reportgen.records import record
from reportgen.text import format_yaml_value, mask_value, parse_class_value, simplify_class

ORDER_METRICS = ("multiclass_class_distance", "multiclass_rps", "class_distance", "rps")
REST_CLASS = "other"  # in a matrix of costs: every class that is not named
MOST_CELLS = 12  # classes up to which each cell of the confusion matrices is compared


def has_several_classes(config: Config) -> bool:
    """Whether the target names classes of which a score each is wanted, one a row or any number."""
    return TASKS[config.task].has_several_classes


def has_labels(config: Config) -> bool:
    """Return whether a row may have any number of the classes."""
    return TASKS[config.task].target == "labels"


@record
class FoundClasses:
    """The classes of the data, where the config declares none.

    `misspelt` are values of models' class columns that are classes but for how they are written:
    they are classes without a row.
    """

    names: Mapping[str, str] = field(default_factory=dict)
    misspelt: frozenset[str] = frozenset()

    @property
    def sorted(self) -> Mapping[str, str]:
        """All of them in their usual order, each as its own name."""
        return {text: text for text in sort_class_values([*self.names, *self.misspelt])}


def build_class_request(
    loaded: LoadedConfig, dataset: str, found: FoundClasses
) -> ClassRequest | None:
    """Build the request for what a dataset's target may hold; None where it holds no classes."""
    config = loaded.config
    if not TASKS[config.task].has_classes:
        return None
    is_of_flagged = config.datasets[dataset].labelled == "flagged"
    if has_labels(config):
        return _label_request(loaded, dataset, config.classes or found.names, is_of_flagged)
    if has_several_classes(config):
        return ClassRequest(
            config.classes or found.sorted,
            is_of_flagged=is_of_flagged,
            are_found=not config.classes,
            misspelt=found.misspelt,
        )
    positive, at = config.datasets[dataset].positive, ("datasets", dataset, "positive")
    if isinstance(positive, CutKeys):
        names = config.classes or _collect_sides(positive)
        return ClassRequest(names, True, above=positive.above, quantile=positive.quantile)
    column = None if positive is None else ColumnRequest(positive, at, loaded.get_true_text(at))
    return ClassRequest(config.classes, True, column, is_of_flagged=is_of_flagged)


def _collect_sides(cut: CutKeys) -> dict[str, str]:
    """Return the labels of both sides of a cut, the upper one last."""
    if cut.above is not None:
        return {"0": f"at most {cut.above:g}", "1": f"above {cut.above:g}"}
    top = 100 * (1 - (cut.quantile or 0.0))
    return {"0": f"below the top {top:.3g}%", "1": f"top {top:.3g}%"}


def _label_request(
    loaded: LoadedConfig, dataset: str, names: Mapping[str, str], is_of_flagged: bool
) -> ClassRequest:
    """Labels that a column each says are there, by a pattern, or that one column lists."""
    asked, at = loaded.config.datasets[dataset], ("datasets", dataset, "target")
    columns = {}
    if EACH in asked.target:
        columns = _expand_class_columns(asked.target, loaded.get_true_text(at), at, tuple(names))
    separator = None if asked.separator is None else loaded.get_true_text((*at[:2], "separator"))
    return ClassRequest(
        names,
        are_labels=True,
        columns=columns,
        separator=separator,
        is_of_flagged=is_of_flagged,
        are_found=not loaded.config.classes,
    )


def preview_classes(loaded: LoadedConfig, table: Callable[..., TableRequest]) -> FoundClasses:
    """Read the classes of targets, where the config declares none.

    A value of a model's class column that no target has is refused, unless it is a class but for
    how it is written.
    `table` f(path in the config, its part of the config, ...) is what to open there.
    """
    config = loaded.config
    if config.classes or not has_several_classes(config):
        return FoundClasses()
    asked: list[tuple[TableRequest, ColumnRequest]] = []
    for name, dataset in config.datasets.items():
        at: ConfigPath = ("datasets", name)
        main = table(find_table_place(dataset, at), dataset)
        asked.append((main, _build_column(loaded, dataset.target, (*at, "target"))))
    is_loose = any(dataset.match == "loose" for dataset in config.datasets.values())
    if has_labels(config):
        separators = (each.separator for each in config.datasets.values())
        separator = next(filter(None, separators), ",")
        return FoundClasses(preview_class_values(asked, is_loose, separator))
    found = preview_class_values(asked, is_loose)
    _check_class_order(loaded, found)
    return FoundClasses(found, _preview_misspelt_classes(loaded, table, found, is_loose))


def _preview_misspelt_classes(
    loaded: LoadedConfig,
    table: Callable[..., TableRequest],
    known: Mapping[str, str],
    is_loose: bool,
) -> frozenset[str]:
    """Read the values of models' class columns that are classes but for how they are written.

    None where a model needs a column for each class.
    """
    config = loaded.config
    if any(model.scale != "label" for model in config.models.values()):
        return frozenset()
    columns: list[tuple[TableRequest, ColumnRequest]] = []
    for name, model in config.models.items():
        for key, dataset in config.datasets.items():
            own = model.scores.get(key)
            at: ConfigPath = ("models", name) if own is None else ("models", name, "scores", key)
            if own is not None and own.column:
                file = table((*at, "path"), own, dataset)
                columns.append((file, _build_column(loaded, own.column, (*at, "column"))))
            elif own is None and model.column and not dataset.labels:
                file = table(find_table_place(dataset, ("datasets", key)), dataset)
                columns.append((file, _build_column(loaded, model.column, (*at, "column"))))
    plain = {simplify_class(text) for text in known}
    values = {parse_class_value(text) for text in known}
    return frozenset(
        text
        for text in preview_class_values(columns, False)
        if parse_class_value(text) not in values
        and simplify_class(text) in plain
        and not (is_loose and find_match([text], known))
    )


def _check_class_order(loaded: LoadedConfig, found: Mapping[str, str]) -> None:
    """Refuse metrics that use the order of classes where these are texts, which have none."""
    if all(isinstance(parse_class_value(text), float) for text in found):
        return
    for place, use in enumerate(loaded.config.metrics):
        weights = use.params.get("weights", "none")
        if use.name in ORDER_METRICS or (use.name.endswith("kappa") and weights != "none"):
            at: ConfigPath = ("metrics", place)
            values = mask_value(", ".join(map(format_yaml_value, found)))
            said = (
                f"{use.key} counts how far classes are apart, and nothing says in which order they "
                f"are: write classes: [{values}] in their order"
            )
            raise ConfigError([Problem(said, at, loaded.place(at))])


def request_class_columns(
    loaded: LoadedConfig, columns: Mapping[str, str], at: ConfigPath, classes: Sequence[str]
) -> dict[str, ColumnRequest]:
    """Request the column of each class, in their order: by a pattern, or as a map has them."""
    if EACH in columns:
        place: ConfigPath = (*at, "columns", EACH)
        return _expand_class_columns(columns[EACH], loaded.get_true_text(place), place, classes)
    given = {parse_class_value(key): key for key in columns}
    lacking = [value for value in classes if parse_class_value(value) not in given]
    if lacking:
        place = (*at, "columns")
        what = f"{'es' * (len(lacking) > 1)} {mask_value(format_values(lacking))}"
        way = (
            f"classes: [{', '.join(map(format_yaml_value, columns))}] and leave such rows out "
            "by `filter:`"
        )
        said = f"{'.'.join(map(str, at))}: columns has none for the class{what} in the data"
        said = f"{said}; add it, correct such rows, or write {way}"
        raise ConfigError([Problem(said, place, loaded.place(place))])
    keys = [(value, given[parse_class_value(value)]) for value in classes]
    return {v: _build_column(loaded, columns[k], (*at, "columns", k)) for v, k in keys}


def _expand_class_columns(
    printed: str, true: str, place: ConfigPath, classes: Sequence[str]
) -> dict[str, ColumnRequest]:
    return {
        value: ColumnRequest(
            printed.replace(EACH, value), place, true.replace(EACH, value), printed
        )
        for value in classes
    }


def build_class_costs(config: Config, classes: Sequence[str]) -> NDArray[np.float64] | None:
    """Build the costs of assigning a class (row) to another (column); None where none are given."""
    matrix = config.costs.matrix if config.costs else {}
    if not matrix:
        return None
    named = {*matrix, *(called for row in matrix.values() for called in row)}
    if REST_CLASS in classes and REST_CLASS in named:
        said = (
            f"{REST_CLASS} is a class here, and in a matrix of costs stands for every class "
            "that is not "
            "named: give the class another value by classes:, or name every class in the matrix"
        )
        raise ConfigError([Problem(f"costs.matrix: {said}", ("costs", "matrix"))])
    given = {parse_class_value(actual): row for actual, row in matrix.items()}
    found = np.zeros((len(classes), len(classes)))
    for place, actual in enumerate(classes):
        row = given.get(parse_class_value(actual), given.get(REST_CLASS, {}))
        own = {parse_class_value(called): cost for called, cost in row.items()}
        for at, called in enumerate(classes):
            rest = 0.0 if at == place else own.get(REST_CLASS, 0.0)
            found[place, at] = own.get(parse_class_value(called), rest)
    return found


def _iter_unknown_priced_classes(loaded: LoadedConfig, known: Sequence[str]) -> Iterator[Problem]:
    matrix = loaded.config.costs.matrix if loaded.config.costs else {}
    values = {REST_CLASS, *map(parse_class_value, known)}
    named: list[ConfigPath] = [("costs", "matrix", actual) for actual in matrix]
    named += [("costs", "matrix", actual, c) for actual, row in matrix.items() for c in row]
    for at in named:
        if parse_class_value(str(at[-1])) not in values:
            said = f"costs.matrix: there is no class {str(at[-1])!r}"
            yield Problem(
                f"{said}; {suggest_class(loaded, str(at[-1]), known)}", at, loaded.place(at)
            )


def plan_class_metrics(config: Config, sample: Sample) -> tuple[PlannedClassMetric, ...]:
    """Plan what is reported of each class, of means over them, and of confusions between them."""
    target = sample.target
    if not has_several_classes(config) or not isinstance(target, ClassTarget | LabelTarget):
        return ()
    of_class = dict(zip(target.classes, target.flags.T, strict=True))
    if (evaluated := find_evaluated_classes(config, sample)) is not None:
        of_class = {value: rows for value, rows in of_class.items() if value in evaluated}
    found = [
        PlannedClassMetric(
            value,
            "",
            "",
            first_metric(name, config.task).title,
            _plan_class_metric(name, config, of=value),
            rows,
        )
        for name in config.per_class
        for value, rows in of_class.items()
    ]
    for name in config.per_class if evaluated is None else ():
        known = {p.name: p.choices for p in list_name_parameters(name, config.task)}
        for average in known.get("average", ()):
            title, use = (
                first_metric(name, config.task).title,
                _plan_class_metric(name, config, average=average),
            )
            found.append(PlannedClassMetric("", average, "", title, use))
    is_small = isinstance(target, ClassTarget) and len(target.classes) <= MOST_CELLS
    if is_small and evaluated is None and config.per_class:
        for value, rows in of_class.items():
            for called in target.classes:
                use = plan_unlisted_metric(make_cell_share_metric(value, called))
                found.append(PlannedClassMetric(value, "", called, use.metric.title, use, rows))
    return tuple(found)


def _plan_class_metric(name: str, config: Config, **params: str) -> PlannedMetric:
    """Plan an unrequested metric; a metric of calls is at the first operating point, as all are."""
    is_of_errors = "at" in {p.name for p in list_name_parameters(name, config.task)}
    at = {"at": next(iter(config.thresholds))} if is_of_errors and config.thresholds else {}
    return plan_unlisted_metric(find_metric(name, config.task, **params, **at))


def suggest_class(loaded: LoadedConfig, name: str, known: Sequence[str]) -> str:
    """Suggest a class that is spelt alike; it is a value of the data unless the config names it."""
    return (did_you_mean if loaded.config.classes else suggest_value)(name, known)


def check_class_names(loaded: LoadedConfig, samples: Sequence[Sample]) -> None:
    """Stop at a metric of a class that there is not."""
    known = samples[0].classes if samples else ()
    problems = (
        list(_iter_unknown_classes(loaded, known)) if has_several_classes(loaded.config) else []
    )
    problems += [
        *_iter_unknown_threshold_labels(loaded, known),
        *_iter_unknown_priced_classes(loaded, known),
    ]
    if problems:
        raise ConfigError(problems)


def _iter_unknown_classes(loaded: LoadedConfig, known: Sequence[str]) -> Iterator[Problem]:
    for index, use in enumerate(loaded.config.metrics):
        of = use.params.get(OF)
        if of and of not in known:
            at: ConfigPath = ("metrics", index, "params", OF)
            said = f"of: there is no class {of!r}; {suggest_class(loaded, str(of), known)}"
            yield Problem(said, at, loaded.place(at))


def _iter_unknown_threshold_labels(loaded: LoadedConfig, known: Sequence[str]) -> Iterator[Problem]:
    values = {parse_class_value(label) for label in known}
    for name, point in loaded.config.thresholds.items():
        for label in point.by_class:
            if parse_class_value(label) not in values:
                at: ConfigPath = ("thresholds", name, "by_class", label)
                said = (
                    f"by_class: there is no class {label!r}; {suggest_class(loaded, label, known)}"
                )
                yield Problem(said, at, loaded.place(at))


def _build_column(loaded: LoadedConfig, printed: str, at: ConfigPath) -> ColumnRequest:
    return ColumnRequest(printed, at, loaded.get_true_text(at))


RATER_METRICS = ("kappa", "accuracy")
SINGLE_CLASS_METRICS = "calls"  # the point of a judge beside models that have none


def plan_second_rater(config: Config, sample: Sample) -> SecondRater | None:
    """Plan the second rater of a dataset; None where it has no second target."""
    column, target = config.datasets[sample.dataset].second_target, sample.target
    if column is None or not isinstance(target, ClassTarget) or target.second_rating is None:
        return None
    rating = target.second_rating
    evaluated = np.isfinite(rating)
    code = np.where(evaluated, rating, 0.0)
    named = np.unique(rating[evaluated & (sample.weights > 0)])
    task, points = TASKS[config.task], list_operating_points(config)
    rules = dict.fromkeys(points or (SINGLE_CLASS_METRICS,), LABEL_THRESHOLD)
    said = Predictions(code, "label", rules=rules, classes=target.classes)
    rows = task.rows(Column(sample.y), said)
    is_of_two = task.target == "flag"
    scores = ModelScores(SECOND_RATER, "the second judge", rows)
    return SecondRater(
        column,
        scores,
        evaluated,
        dict(_iter_uses(config, tuple(points) or (SINGLE_CLASS_METRICS,) if is_of_two else ("",))),
        bool(points) or not is_of_two,
        target.classes[int(named[0])] if len(named) == 1 else "",
    )


def _iter_uses(
    config: Config, points: Sequence[str]
) -> Iterator[tuple[tuple[str, str], PlannedMetric]]:
    """Yield the metrics of calls by name and operating point, "" where no calls begin at one."""
    declared = list_operating_points(config)
    for point in points:
        at: dict[str, str | bool] = {"at": point, "moves": is_weight_dependent(declared.get(point))}
        at = at if point else {}
        for name in RATER_METRICS:
            use = PlannedMetric(
                f"{name} {point}", find_metric(name, config.task, **at), None, False
            )
            yield (name, point if point in declared else ""), use


def plan_classes(config: Config, sample: Sample, points: tuple[PlannedPoint, ...]) -> ClassPlan:
    """Plan operating points, metrics of single classes, and the second rater."""
    return ClassPlan(points, plan_class_metrics(config, sample), plan_second_rater(config, sample))
