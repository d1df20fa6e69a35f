"""Which task a comparison of arrays is, and what the columns of each model are in it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet
from typing import Any, Literal

import numpy as np

from reportgen.data.arrays import (
    convert_to_arrow,
    convert_to_numbers,
    is_frame,
    list_frame_columns,
    list_matrix_columns,
    list_values,
    name_value,
    name_values,
)
from reportgen.data.number_styles import NumberRules
from reportgen.errors import DataError, UsageError, did_you_mean
from reportgen.metrics.tasks import BINARY, MULTICLASS, MULTILABEL, REGRESSION, TASKS, Task
from reportgen.records import record
from reportgen.terms import Scale

MOST_CLASSES = 20
"""Most whole numbers of y that are classes where predictions hold them, too."""
SUM_APART = 0.02
"""How far the sum of the probabilities of a row may be from 1."""
MAP_HINT = "if its columns are several models, give a map such as {'ridge': p1, 'boost': p2}"
Kind = Literal["single", "matrix", "parts", "labels"]


@record(eq=False)
class Output:
    """What one model predicts, as it was given.

    `columns` are by name; a matrix of k columns without names has the numbers from 0 as names, and
    a single column the empty text. `labels` are probabilities of several labels.
    """

    name: str
    where: str
    kind: Kind
    columns: Mapping[str, Any]


@record(eq=False)
class TaskColumns:
    """The columns of a model in a config: one, or one for each class or part."""

    scale: Scale
    columns: Mapping[str, Any]
    sums: str = "error"


def read_output(name: str, values: Any, where: str) -> Output:
    """Read what a model predicts: a column, a matrix, a map of columns, or a list of matrices."""
    is_list = isinstance(values, list | tuple) and bool(values)
    if is_list and all(hasattr(each, "__len__") and np.ndim(each) == 1 for each in values):
        raise DataError(f"{where} is a list of columns; {MAP_HINT}")
    if is_list and all(isinstance(each, np.ndarray) and each.ndim == 2 for each in values):
        result = [np.asarray(each) for each in values]
        if any(each.shape[1] != 2 for each in result):
            raise DataError(
                f"{where} is a list of arrays, and one does not have two columns; give each label "
                "a column for no and one for yes, as predict_proba does"
            )
        return Output(name, where, "labels", {str(k): each[:, 1] for k, each in enumerate(result)})
    if isinstance(values, Mapping) or is_frame(values):
        columns = list_frame_columns(values, where)
        if len(columns) > 1 or isinstance(values, Mapping):
            return Output(name, where, "parts", columns)
        return Output(name, where, "single", {"": next(iter(columns.values()))})
    if getattr(values, "ndim", 1) == 2 and values.shape[1] > 1:
        names = [str(place) for place in range(values.shape[1])]
        return Output(name, where, "matrix", list_matrix_columns(values, names))
    return Output(name, where, "single", {"": values})


def infer_task(
    y: Mapping[str, Any], outputs: Sequence[Output], classes: Sequence[Any] | None
) -> tuple[Task, str]:
    """Infer the task from y and the predictions, and say from what.

    `y` has one column, or one for each label; `classes` are those of estimators, if known.
    """
    if len(y) > 1:
        return MULTILABEL, f"y has {len(y)} columns"
    values = list_values(convert_to_arrow(next(iter(y.values())), "y"))
    names = {name_value(value) for value in values}
    is_text = any(isinstance(value, str | bytes) for value in values)
    repeated = [each for each in outputs if _repeats(each, names)]
    has_matrix = any(each.kind in ("matrix", "labels") for each in outputs)
    shown = " and ".join(sorted(names))
    if len(names) == 2 and (is_text or names == {"0", "1"} or classes or repeated or has_matrix):
        return BINARY, f"y holds {shown}"
    is_whole = all(name.lstrip("-").isdigit() for name in names)
    if is_text and len(names) > MOST_CLASSES and _are_written_numbers(names):
        raise DataError(
            f"y holds numbers written as text, such as {min(names)!r}; convert them to numbers, or "
            f"give task={MULTICLASS.name!r}"
        )
    if is_text or (is_whole and (has_matrix or (classes and len(classes) > 2))):
        return MULTICLASS, f"y holds {len(names)} classes"
    if is_whole and len(names) <= MOST_CLASSES and repeated:
        return MULTICLASS, f"y holds {len(names)} whole numbers, and predictions repeat them"
    if len(names) == 2:
        raise UsageError(
            f"y holds two numbers, {shown}: give task={BINARY.name!r} or task={REGRESSION.name!r}"
        )
    return REGRESSION, "y holds numbers"


def _are_written_numbers(texts: AbstractSet[str]) -> bool:
    """Tell whether texts are numbers, of which one has decimals: no names of classes."""
    try:
        style = NumberRules().find_style(sorted(texts))
    except DataError:  # numbers that may be read in two ways
        return True
    values = [style.parse(text) for text in texts]
    return None not in values and any(value % 1 for value in values if value is not None)


def find_task(task: str, y: Mapping[str, Any]) -> Task:
    """Find a task by its name; 'classification' is that of the classes of y."""
    if task == "classification":
        if len(y) > 1:
            return MULTILABEL
        values = list_values(convert_to_arrow(next(iter(y.values())), "y"))
        return BINARY if len(values) == 2 else MULTICLASS
    known = [each.name for each in TASKS.values() if each.target != "none"]
    if task not in known:
        near = did_you_mean(task, [*known, "classification"])
        raise UsageError(f"task: no task is called {task!r}; {near}")
    return TASKS[task]


def list_classes(
    classes: Sequence[Any] | None, y: Any, outputs: Sequence[Output]
) -> tuple[str, ...]:
    """List the names of the classes in the order of the columns of predictions."""
    if classes is not None:
        return tuple(map(name_value, classes))
    result = tuple(name_value(value) for value in list_values(convert_to_arrow(y, "y")))
    for each in outputs:
        if each.kind == "matrix" and len(each.columns) != len(result):
            raise DataError(
                f"{each.where} has {len(each.columns)} columns, but y has {len(result)} classes: "
                "give classes= in the order of the columns, as in estimator.classes_"
            )
    return result


def take_amount(output: Output) -> TaskColumns:
    """Take the predicted amount of each row, or a density: a mean and sd, or quantiles."""
    _refuse_matrix(output)
    return TaskColumns("amount", output.columns)


def take_score(output: Output) -> TaskColumns:
    """Take the score of each document."""
    return TaskColumns("score", _single(output))


def take_positive(output: Output, classes: Sequence[str], positive: str) -> TaskColumns:
    """Take the column of the positive class of two, and tell what it holds."""
    if output.kind == "single":
        column = output.columns[""]
        names = {name_value(value) for value in list_values(convert_to_arrow(column, output.where))}
        if names <= set(classes):
            flags = name_values(convert_to_arrow(column, output.where))
            return TaskColumns("label", {"": flags})
    else:
        columns = _order_by_class(output, classes)
        _check_sums(output, columns)
        column = columns[positive]
    scale: Scale = "probability" if _lies_in_unit(column, output.where) else "score"
    return TaskColumns(scale, {"": column})


def take_classes(output: Output, classes: Sequence[str]) -> TaskColumns:
    """Take the column of each class, or the column that names the class."""
    if output.kind == "single":
        column = convert_to_arrow(output.columns[""], output.where)
        names = {name_value(value) for value in list_values(column)}
        if not names <= set(classes):
            raise DataError(
                f"{output.where} is one column that names other classes than y, such as "
                f"{min(names - set(classes))!r}; give a column for each class, as predict_proba "
                "does"
            )
        return TaskColumns("label", {"": name_values(column)})
    columns = _order_by_class(output, classes)
    if not all(_lies_in_unit(each, output.where) for each in columns.values()):
        return TaskColumns("score", columns)
    apart = _check_sums(output, columns)
    return TaskColumns("probability", columns, "normalise" if apart > 1e-9 else "error")


def take_labels(output: Output, labels: Sequence[str]) -> TaskColumns:
    """Take the column of each label."""
    columns = _order_by_class(output, labels)
    arrays = [convert_to_arrow(each, output.where) for each in columns.values()]
    if all({name_value(v) for v in list_values(each)} <= {"0", "1"} for each in arrays):
        return TaskColumns("label", columns)
    is_share = all(_lies_in_unit(each, output.where) for each in columns.values())
    return TaskColumns("probability" if is_share else "score", columns)


def _check_sums(output: Output, columns: Mapping[str, Any]) -> float:
    """Return how far the sum of the probabilities of a row is from 1; refuse rows far from it."""
    total = sum(convert_to_numbers(each, output.where) for each in columns.values())
    apart = float(np.nanmax(np.abs(np.asarray(total) - 1), initial=0.0))
    if apart > SUM_APART:
        raise DataError(
            f"the rows of {output.where} do not sum to 1, so they are no probabilities of the "
            f"classes; divide each row by its sum, or, {MAP_HINT}"
        )
    return apart


def _order_by_class(output: Output, classes: Sequence[str]) -> dict[str, Any]:
    if output.kind == "single":
        raise DataError(f"{output.where} is one column; give one for each of {len(classes)} labels")
    if len(output.columns) != len(classes):
        raise DataError(
            f"{output.where} has {len(output.columns)} columns, but there are {len(classes)} "
            f"classes: {', '.join(classes)}"
        )
    if output.kind != "parts":
        return dict(zip(classes, output.columns.values(), strict=True))
    by_class = {name_value(name): column for name, column in output.columns.items()}
    if set(by_class) != set(classes):
        strange = next(name for name in by_class if name not in classes)
        raise DataError(
            f"{output.where} has a column {strange!r}, which is no class; the classes are "
            f"{', '.join(classes)}"
        )
    return {name: by_class[name] for name in classes}


def _single(output: Output) -> Mapping[str, Any]:
    if output.kind != "single":
        raise DataError(f"{output.where} has {len(output.columns)} columns; give one score a row")
    return output.columns


def _refuse_matrix(output: Output) -> None:
    if output.kind in ("matrix", "labels"):
        raise DataError(
            f"{output.where} has {len(output.columns)} columns, but task {REGRESSION.name} takes "
            f"one number a row; {MAP_HINT}"
        )


def _lies_in_unit(column: Any, where: str) -> bool:
    values = convert_to_numbers(column, where)
    known = values[np.isfinite(values)]
    return bool(len(known)) and bool((known >= 0).all() and (known <= 1).all())


def _repeats(output: Output, names: set[str]) -> bool:
    """Return whether a model gives one of the values of y for every row."""
    if output.kind != "single":
        return False
    values = list_values(convert_to_arrow(output.columns[""], output.where))
    return bool(values) and {name_value(value) for value in values} <= names
