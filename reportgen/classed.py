"""From the config to what is read of classes, and what they are called on the page."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from reportgen.analysis.plan import ClassUse, Use, unasked
from reportgen.config import Config, Loaded
from reportgen.config.datasets import CutKeys
from reportgen.config.longhand_classes import EACH, OF
from reportgen.data.labels import peeked_labels
from reportgen.data.request import ClassRequest, ColumnRequest, TableRequest
from reportgen.data.sample import Sample
from reportgen.data.targets import listed, peeked
from reportgen.errors import ConfigError, Path, Problem, did_you_mean
from reportgen.metrics.classes.of_calls import share_called
from reportgen.metrics.names import first, meant, parameters_of
from reportgen.tasks import TASKS
from reportgen.text import class_value, in_yaml

OF_ORDER = ("multiclass_class_distance", "multiclass_rps", "class_distance", "rps")
OTHER = "other"  # in a matrix of costs: every class that is not named
MOST_CELLS = 12  # classes up to which each cell of the confusion matrices is compared


def has_several(config: Config) -> bool:
    """Whether the target names classes of which a score each is wanted, one a row or any number."""
    return TASKS[config.task].has_several_classes


def has_labels(config: Config) -> bool:
    """Whether a row may have any number of the classes."""
    return TASKS[config.task].target == "labels"


def class_request(loaded: Loaded, dataset: str, found: Mapping[str, str]) -> ClassRequest | None:
    """What the target of a dataset may hold; None where it holds no classes.

    `found` are the classes of the data, where the config declares none.
    """
    config = loaded.config
    if not TASKS[config.task].has_classes:
        return None
    if has_labels(config):
        return _label_request(loaded, dataset, config.classes or found)
    if has_several(config):
        return ClassRequest(config.classes or found, are_found=not config.classes)
    positive, at = config.datasets[dataset].positive, ("datasets", dataset, "positive")
    if isinstance(positive, CutKeys):
        names = config.classes or _sides(positive)
        return ClassRequest(names, True, above=positive.above, quantile=positive.quantile)
    column = None if positive is None else ColumnRequest(positive, at, loaded.true(at))
    is_of_called = config.datasets[dataset].labelled == "called"
    return ClassRequest(config.classes, True, column, is_of_called=is_of_called)


def _sides(cut: CutKeys) -> dict[str, str]:
    """What both sides of a cut are called, the upper one last."""
    if cut.above is not None:
        return {"0": f"at most {cut.above:g}", "1": f"above {cut.above:g}"}
    top = 100 * (1 - (cut.quantile or 0.0))
    return {"0": f"below the top {top:.3g}%", "1": f"top {top:.3g}%"}


def _label_request(loaded: Loaded, dataset: str, names: Mapping[str, str]) -> ClassRequest:
    """Labels that a column each says are there, by a pattern, or that one column lists."""
    asked, at = loaded.config.datasets[dataset], ("datasets", dataset, "target")
    columns = {}
    if EACH in asked.target:
        columns = _by_pattern(asked.target, loaded.true(at), at, tuple(names))
    separator = None if asked.separator is None else loaded.true((*at[:2], "separator"))
    return ClassRequest(names, are_labels=True, columns=columns, separator=separator,
                        are_found=not loaded.config.classes)  # fmt: skip


def classes_in(loaded: Loaded, table: Callable[[Path, str], TableRequest]) -> Mapping[str, str]:
    """The classes that targets hold, and columns of classes that models name, where none is said.

    `table` f(path in the config, dataset) is what to open there.
    """
    config = loaded.config
    if config.classes or not has_several(config):
        return {}
    asked: list[tuple[TableRequest, ColumnRequest]] = []
    for name, dataset in config.datasets.items():
        at: Path = ("datasets", name)
        main = table((*at, "labels", "path") if dataset.labels else (*at, "path"), name)
        asked.append((main, _column(loaded, dataset.target, (*at, "target"))))
        for model, each in config.models.items():
            of: Path = ("models", model)
            own = each.scores.get(name)
            if own is not None:
                of = (*of, "scores", name)
            column = own.column if own is not None else each.column
            if column and each.scale == "label":
                where = main if own is None else table((*of, "path"), name)
                asked.append((where, _column(loaded, column, (*of, "column"))))
    if has_labels(config):
        separators = (each.separator for each in config.datasets.values())
        return peeked_labels(asked, next(filter(None, separators), ","))
    found = peeked(asked)
    _refuse_no_order(loaded, found)
    return found


def _refuse_no_order(loaded: Loaded, found: Mapping[str, str]) -> None:
    """A metric that counts how far classes are apart takes their order, which texts do not have."""
    if all(isinstance(class_value(text), float) for text in found):
        return
    for place, use in enumerate(loaded.config.metrics):
        weights = use.params.get("weights", "none")
        if use.name in OF_ORDER or (use.name.endswith("kappa") and weights != "none"):
            at: Path = ("metrics", place)
            values = ", ".join(map(in_yaml, found))
            said = (
                f"{use.key} counts how far classes are apart, and nothing says in which order they "
                f"are: write classes: [{values}] in their order"
            )
            raise ConfigError([Problem(said, at, loaded.place(at))])


def class_columns(
    loaded: Loaded, columns: Mapping[str, str], at: Path, classes: Sequence[str]
) -> dict[str, ColumnRequest]:
    """The column of each class, in their order: by a pattern, or as a map has them."""
    if EACH in columns:
        place: Path = (*at, "columns", EACH)
        return _by_pattern(columns[EACH], loaded.true(place), place, classes)
    given = {class_value(key): key for key in columns}
    lacking = [value for value in classes if class_value(value) not in given]
    if lacking:
        place = (*at, "columns")
        what = f"{'es' * (len(lacking) > 1)} {listed(lacking)}"
        way = f"classes: [{', '.join(map(in_yaml, columns))}] and leave such rows out by `filter:`"
        said = f"{'.'.join(map(str, at))}: columns has none for the class{what} in the data"
        said = f"{said}; add it, mend such rows, or write {way}"
        raise ConfigError([Problem(said, place, loaded.place(place))])
    keys = [(value, given[class_value(value)]) for value in classes]
    return {v: _column(loaded, columns[k], (*at, "columns", k)) for v, k in keys}


def _by_pattern(
    printed: str, true: str, place: Path, classes: Sequence[str]
) -> dict[str, ColumnRequest]:
    return {
        value: ColumnRequest(
            printed.replace(EACH, value), place, true.replace(EACH, value), printed
        )
        for value in classes
    }


def prices_of_classes(config: Config, classes: Sequence[str]) -> NDArray[np.float64] | None:
    """What a class costs, a row, that is called another, a column; None where nothing says so."""
    matrix = config.costs.matrix if config.costs else {}
    if not matrix:
        return None
    named = {*matrix, *(called for row in matrix.values() for called in row)}
    if OTHER in classes and OTHER in named:
        said = (
            f"{OTHER} is a class here, and in a matrix of costs stands for every class that is not "
            "named: give the class another value by classes:, or name every class in the matrix"
        )
        raise ConfigError([Problem(f"costs.matrix: {said}", ("costs", "matrix"))])
    given = {class_value(actual): row for actual, row in matrix.items()}
    found = np.zeros((len(classes), len(classes)))
    for place, actual in enumerate(classes):
        row = given.get(class_value(actual), given.get(OTHER, {}))
        own = {class_value(called): cost for called, cost in row.items()}
        for at, called in enumerate(classes):
            rest = 0.0 if at == place else own.get(OTHER, 0.0)
            found[place, at] = own.get(class_value(called), rest)
    return found


def _unknown_prices(loaded: Loaded, known: Sequence[str]) -> Iterator[Problem]:
    matrix = loaded.config.costs.matrix if loaded.config.costs else {}
    values = {OTHER, *map(class_value, known)}
    named: list[Path] = [("costs", "matrix", actual) for actual in matrix]
    named += [("costs", "matrix", actual, c) for actual, row in matrix.items() for c in row]
    for at in named:
        if class_value(str(at[-1])) not in values:
            said = f"costs.matrix: there is no class {str(at[-1])!r}"
            yield Problem(f"{said}; {did_you_mean(str(at[-1]), known)}", at, loaded.place(at))


def class_uses(config: Config, sample: Sample) -> tuple[ClassUse, ...]:
    """What is told of each class, of means over them, and of what is called in their place."""
    if not has_several(config):
        return ()
    has = (
        np.eye(len(sample.classes), dtype=bool)[sample.y.astype(np.intp)]
        if sample.flags is None
        else sample.flags
    )
    of_class = dict(zip(sample.classes, has.T, strict=True))
    found = [
        ClassUse(value, "", "", first(name, config.task).title, _use(name, config, of=value), rows)
        for name in config.per_class
        for value, rows in of_class.items()
    ]
    for name in config.per_class:
        known = {p.name: p.choices for p in parameters_of(name, config.task)}
        for average in known.get("average", ()):
            title, use = first(name, config.task).title, _use(name, config, average=average)
            found.append(ClassUse("", average, "", title, use))
    if sample.flags is None and len(sample.classes) <= MOST_CELLS and config.per_class:
        for value, rows in of_class.items():
            for called in sample.classes:
                use = unasked(share_called(value, called))
                found.append(ClassUse(value, "", called, use.metric.title, use, rows))
    return tuple(found)


def _use(name: str, config: Config, **params: str) -> Use:
    """A metric that nobody asked for; one of calls at the first operating point, as all are."""
    is_of_calls = "at" in {p.name for p in parameters_of(name, config.task)}
    at = {"at": next(iter(config.thresholds))} if is_of_calls and config.thresholds else {}
    return unasked(meant(name, config.task, **params, **at))


def refuse_unknown_classes(loaded: Loaded, samples: Sequence[Sample]) -> None:
    """Stop at a metric of a class that there is not."""
    known = samples[0].classes if samples else ()
    problems = list(_unknown(loaded, known)) if has_several(loaded.config) else []
    problems += [*_unknown_thresholds(loaded, known), *_unknown_prices(loaded, known)]
    if problems:
        raise ConfigError(problems)


def _unknown(loaded: Loaded, known: Sequence[str]) -> Iterator[Problem]:
    for index, use in enumerate(loaded.config.metrics):
        of = use.params.get(OF)
        if of and of not in known:
            at: Path = ("metrics", index, "params", OF)
            said = f"of: there is no class {of!r}; {did_you_mean(str(of), known)}"
            yield Problem(said, at, loaded.place(at))


def _unknown_thresholds(loaded: Loaded, known: Sequence[str]) -> Iterator[Problem]:
    values = {class_value(label) for label in known}
    for name, point in loaded.config.thresholds.items():
        for label in point.by_class:
            if class_value(label) not in values:
                at: Path = ("thresholds", name, "by_class", label)
                said = f"by_class: there is no class {label!r}; {did_you_mean(label, known)}"
                yield Problem(said, at, loaded.place(at))


def _column(loaded: Loaded, printed: str, at: Path) -> ColumnRequest:
    return ColumnRequest(printed, at, loaded.true(at))
