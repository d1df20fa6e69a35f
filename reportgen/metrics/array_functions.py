"""Every metric as a function of arrays, and as a scikit-learn scorer."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from reportgen.kernels.batch import Column, Index, Vector
from reportgen.kernels.columns import parse_printed_floats
from reportgen.kernels.ranked_lists import Judgements, Lists
from reportgen.metrics.lookup import explain_misfit, find_metric, list_name_parameters
from reportgen.metrics.metric import METRICS, Metric
from reportgen.metrics.rows import Amounts, Classes, LabelSets, PastTargets, Queries, Rows
from reportgen.metrics.statistic import Parameter, Scalar, extend_choices
from reportgen.metrics.tasks import TASKS, Predictions
from reportgen.metrics.traits import NEAREST
from reportgen.records import record
from reportgen.terms import Needs, Scale
from reportgen.version import describe_missing_package

SLACK = 1e-6  # by which probabilities of a row may miss 1, for each class


def make_class_rows(y: ArrayLike, score: Any, *, needs: Needs) -> Classes:
    """Build rows from classes and a score per class, (n, k), or from predicted classes, (n,).

    Columns are in the order of the classes: numbers from 0 to k - 1, or else as they are sorted.
    """
    truth, said = np.asarray(y), np.asarray(score)
    if truth.ndim != 1:
        raise ValueError(f"y has {truth.ndim} dimensions, but must name one class a row")
    if len(said) != len(truth):
        raise ValueError(f"score has {len(said)} rows, but y has {len(truth)}")
    if said.ndim == 1:
        names = np.unique(np.concatenate([truth, said]))
        code, called = (np.searchsorted(names, each) for each in (truth, said))
        return _class_rows(code, np.eye(len(names))[called], names, "label", needs)
    if said.ndim != 2:
        raise ValueError(f"score has {said.ndim} dimensions, but must have one or two")
    scores = _check_numbers(said)
    names = _find_class_names(truth, scores.shape[1])
    if needs == "probability":
        _check_probabilities(scores)
    scale: Scale = "probability" if needs == "probability" else "score"
    return _class_rows(np.searchsorted(names, truth), scores, names, scale, needs)


def make_label_rows(y: ArrayLike, score: Any, *, needs: Needs) -> LabelSets:
    """Return which labels each row has, (n, k) of 0 and 1, and their scores, (n, k).

    Labels go by the number of their column.
    """
    had, said = _check_numbers(np.asarray(y), "y"), _check_numbers(np.asarray(score))
    if had.ndim != 2 or said.shape != had.shape:
        raise ValueError(
            f"y has the shape {had.shape} and score {said.shape}, but both must have a row for "
            "each row and a column for each label"
        )
    if not np.isin(had, (0.0, 1.0)).all():
        raise ValueError("y must hold 0 and 1 alone: whether a label is there")
    if needs != "order" and ((said < 0) | (said > 1)).any():
        raise ValueError("score must hold probabilities, between 0 and 1")
    scale: Scale = "score" if needs == "order" else "probability"
    return LabelSets(had > 0, said, tuple(map(str, range(had.shape[1]))), scale)


def _class_rows(
    code: NDArray[Any], scores: NDArray[np.float64], names: NDArray[Any], scale: Scale, needs: Needs
) -> Classes:
    labels = tuple(map(str, names.tolist()))
    rows = Classes(code.astype(np.intp), scores, labels, scale)
    if lack := rows.lacks(needs):
        raise ValueError(f"score {lack}: give a column for each class")
    return rows


def _find_class_names(truth: NDArray[Any], columns: int) -> NDArray[Any]:
    found = np.unique(truth)
    plain = np.arange(columns)
    if found.dtype.kind in "iufb" and np.isin(found, plain).all():
        return plain
    if len(found) != columns:
        raise ValueError(
            f"score has {columns} columns, and y {len(found)} classes; number them from 0 to "
            f"{columns - 1}, or give a column for each"
        )
    return found


def _check_numbers(said: NDArray[Any], name: str = "score") -> NDArray[np.float64]:
    try:
        found = parse_printed_floats(said)
    except (TypeError, ValueError):
        raise TypeError(f"{name} must hold numbers") from None
    if not np.isfinite(found).all():
        raise ValueError(f"{name} has values that are no finite number")
    return found


def _check_probabilities(scores: NDArray[np.float64]) -> None:
    if ((scores < 0) | (scores > 1)).any():
        raise ValueError("score must hold probabilities, between 0 and 1")
    off = np.abs(scores.sum(axis=1) - 1)
    if (off > SLACK * scores.shape[1]).any():
        row = int(np.argmax(off))
        raise ValueError(f"the probabilities of row {row} sum to {scores[row].sum():g}, not to 1")


Fixed = Callable[[dict[str, Scalar]], Metric]


def make_query_function(fixed: Fixed) -> Callable[..., float]:
    """Make a metric function of grades, scores and queries of documents; `fixed` takes params.

    A grade is nan where a document was not judged; one below 0 counts as 0. A query's weight
    stands at each of its documents.
    """

    def value(
        y: ArrayLike,
        score: ArrayLike,
        query: Sequence[Any] | ArrayLike | None = None,
        weight: ArrayLike | None = None,
        **params: Scalar,
    ) -> float:
        used, grade = fixed(params), _check_column("y", y, None, can_be_missing=True)
        said = _check_column("score", score, len(grade))
        code = _encode_queries(query, len(grade))
        own = np.ones(len(grade)) if weight is None else _check_column("weight", weight, len(grade))
        rows = Queries(_lists(grade, said, code))
        return float(used.bind(rows).define(_find_query_weights(own, code)))

    return value


def make_query_signature(arguments: list[inspect.Parameter]) -> inspect.Signature:
    """y, score, query, weight, and a measure's own parameters by name."""
    kind = inspect.Parameter.POSITIONAL_OR_KEYWORD
    first = [inspect.Parameter(name, kind) for name in ("y", "score")]
    rest = [inspect.Parameter(name, kind, default=None) for name in ("query", "weight")]
    return inspect.Signature([*first, *rest, *arguments])


def _lists(grade: Vector, score: Vector, code: Index) -> Lists:
    at = np.argsort(code, kind="stable")
    start = np.append(0, np.cumsum(np.bincount(code))).astype(np.intp)
    grade, score = grade[at], score[at]
    is_judged = ~np.isnan(grade)
    judged = np.append(0, np.cumsum(is_judged))[start]
    name = np.arange(len(grade))[at]
    return Lists(start, grade, score, Judgements.from_grades(judged, grade[is_judged]), name)


def _encode_queries(query: Any, length: int) -> Index:
    """Return the queries as numbers in order of first appearance; one query if none is given."""
    if query is None:
        return np.zeros(length, np.intp)
    labels = list(query)
    if len(labels) != length:
        raise ValueError(f"query has {len(labels)} rows, but y has {length}")
    lacking = next((at for at, label in enumerate(labels) if _is_missing(label)), None)
    if lacking is not None:
        raise ValueError(f"query has no name at row {lacking}; name the query of each document")
    known: dict[Any, int] = {}
    return np.array([known.setdefault(label, len(known)) for label in labels], np.intp)


def _is_missing(label: Any) -> bool:
    return label is None or (isinstance(label, float | np.floating) and bool(np.isnan(label)))


def _find_query_weights(weight: Vector, code: Index) -> Vector:
    """One weight a query; an error where a query has several, or one below 0."""
    if (weight < 0).any():
        raise ValueError(f"weight is below 0 at row {int(np.flatnonzero(weight < 0)[0])}")
    first = np.unique(code, return_index=True)[1]
    wrong = np.flatnonzero(weight != weight[first][code])
    if len(wrong):
        raise ValueError(f"weight differs within a query at row {int(wrong[0])}; a query has one")
    return weight[first]


def _check_column(
    name: str, values: ArrayLike, length: int | None, can_be_missing: bool = False
) -> Vector:
    """One number a document, or an error that says what is there instead."""
    try:
        found = parse_printed_floats(np.asarray(values))
    except (TypeError, ValueError):
        raise TypeError(f"{name} must hold numbers") from None
    if found.ndim != 1 or (length is not None and len(found) != length):
        raise ValueError(f"{name} must hold one number a document, {length or 'as many as scores'}")
    bad = np.flatnonzero(np.isinf(found) if can_be_missing else ~np.isfinite(found))
    if len(bad):
        raise ValueError(f"{name} is no finite number at row {bad[0]}")
    return found


Score = ArrayLike | Mapping[str, ArrayLike]


def make_array_function(name: str) -> Callable[..., float]:
    """Make a metric function of y, score (or its columns by name), weights and parameters.

    >>> make_array_function("mae")([1.0, 2.0], [3.0, 1.0], [1.0, 3.0])
    1.25
    """
    metric = METRICS[name]
    if TASKS[metric.task].target == "grades":
        return _rename_function(metric, make_query_function(partial(_resolve_metric, name)))

    def value(
        y: ArrayLike, score: Score, weight: ArrayLike | None = None, **params: Scalar
    ) -> float:
        _refuse_other_order(y, score, weight)
        used = _resolve_metric(name, params)
        if TASKS[metric.task].has_several_classes:
            is_one = TASKS[metric.task].target == "class"
            rows_of = make_class_rows if is_one else make_label_rows
            classes: Rows = rows_of(y, score, needs=used.needs)
            return float(used.bind(classes).define(_check_weight(weight, len(classes))))
        happened = _check_vector("y", y)
        rows, weights = _rows(used, happened, score), _check_weight(weight, len(happened))
        return float(used.bind(rows).define(weights))

    return _rename_function(metric, value)


def _rename_function(metric: Metric, value: Callable[..., float]) -> Callable[..., float]:
    """Give a function a metric's name, docstring and signature, and return it."""
    undefined = metric.undefined and f"nan {metric.undefined}."
    told = (inspect.getdoc(metric.function), undefined, metric.caveat)
    value.__name__ = value.__qualname__ = metric.name
    value.__doc__ = "\n\n".join(filter(None, told))
    value.__signature__ = _signature(metric)  # type: ignore[attr-defined]
    return value


@record
class _OrientedMetric:
    """A metric turned so that higher is better, as scikit-learn calls it."""

    name: str
    params: tuple[tuple[str, Scalar], ...]

    @property
    def __name__(self) -> str:
        """The name that scikit-learn prints of a scorer."""
        return self.name

    def __call__(
        self, y_true: ArrayLike, y_pred: ArrayLike, sample_weight: ArrayLike | None = None
    ) -> float:
        value = make_array_function(self.name)(y_true, y_pred, sample_weight, **dict(self.params))
        better = METRICS[self.name].better
        if better in NEAREST:
            return -abs(value - NEAREST[better])
        return value if better == "higher" else -value


def scorer(name: str, **params: Scalar) -> Any:
    """Return a metric as a scikit-learn scorer; a metric where lower is better is negated.

    For `scoring=` in `GridSearchCV`, `cross_val_score` and the like; it takes `sample_weight`, and
    can be sent to other processes. scikit-learn has to be installed.

    What has been used to choose is no test set: the rows that a search scored are part of how the
    model was made, and the best of many scores on them is too good. Judge the chosen model on other
    rows; a report on the same ones says `used_to_choose: true` (W110).
    """
    if name not in METRICS:
        raise ValueError(f"no metric is called {name!r}; there are {', '.join(sorted(METRICS))}")
    metric = _resolve_metric(name, params)
    if TASKS[metric.task].target == "grades":
        raise ValueError(f"{name} judges queries, of which scikit-learn tells no scorer")
    if metric.needs == "density":
        raise ValueError(f"{name} judges predicted quantiles, which no `predict` gives")
    if metric.needs == "series":
        raise ValueError(f"{name} judges rows in the order of time, which no scorer is given")
    try:
        from sklearn.metrics import make_scorer
    except ImportError:
        raise ImportError(describe_missing_package("a scorer", "scikit-learn")) from None
    of = "predict" if TASKS[metric.task].target == "amount" else "predict_proba"
    return make_scorer(_OrientedMetric(name, tuple(sorted(params.items()))), response_method=of)


def _resolve_metric(name: str, params: Mapping[str, Scalar]) -> Metric:
    """Return the metric of a name with its parameters fixed, if they fit it and each other."""
    known = {parameter.name: extend_choices(parameter) for parameter in list_name_parameters(name)}
    for key, value in params.items():
        if key not in known:
            listed = ", ".join(known) or "none"
            raise TypeError(f"{name} has no parameter {key!r}; it has {listed}")
        if not _fits(value, known[key]):
            wanted = " or ".join(map(repr, known[key].choices)) or known[key].kind
            raise TypeError(f"{key} of {name} is {value!r}, but must be {wanted}")
    missing = [key for key, each in known.items() if each.is_required and key not in params]
    if missing:
        raise TypeError(f"{name} needs {', '.join(missing)}")
    if said := explain_misfit(name, **params):
        raise ValueError(f"{name}: {said}")
    return find_metric(name, **params)


def _fits(value: object, parameter: Parameter) -> bool:
    if value is None:
        return parameter.default is None and not parameter.is_required
    if parameter.choices:
        return value in parameter.choices
    is_number = isinstance(value, int | float | np.integer | np.floating)
    return {
        "number": is_number and not isinstance(value, bool) and bool(np.isfinite(value)),  # type: ignore[call-overload]
        "integer": isinstance(value, int | np.integer) and not isinstance(value, bool),
        "text": isinstance(value, str),
        "flag": isinstance(value, bool),
    }[parameter.kind]


def _rows(metric: Metric, y: Vector, score: Score) -> Rows:
    if isinstance(score, Mapping):
        parts = {
            name: _check_vector(f"score {name!r}", column, len(y)) for name, column in score.items()
        }
        if not parts:
            raise ValueError("score has no columns")
        centre = next((parts[name] for name in ("mean", "q50") if name in parts), None)
        return Amounts(y, next(iter(parts.values())) if centre is None else centre, parts)
    if metric.needs == "density":
        wanted = '{"q5": low, "q95": high} or {"mean": mean, "sd": sd}'
        raise TypeError(f"{metric.name} judges predicted quantiles: give them by name, {wanted}")
    task, said = TASKS[metric.task], _check_vector("score", score, len(y))
    if task.target == "flag" and not np.isin(y, (0.0, 1.0)).all():
        raise ValueError(f"{metric.name} judges two classes: y must hold 0 and 1 alone")
    if metric.needs in ("probability", "call") and ((said < 0) | (said > 1)).any():
        raise ValueError(f"{metric.name} judges probabilities: score must lie between 0 and 1")
    past = {}
    if metric.needs == "series":  # rows are given in the order of time
        one = np.zeros(len(y), np.intp)
        past[""] = PastTargets(one, np.array([0, len(y)], np.intp), y)
    return task.rows(Column(y), Predictions(said, task.scales[0], past=past))


def _refuse_other_order(y: ArrayLike, score: Score, weight: ArrayLike | None) -> None:
    """Stop if two of them name their rows, as columns of pandas do, and name them differently.

    Rows are paired by position. To pair them by name would be a guess: names may be left over from
    a shuffle, or occur twice.
    """
    columns = score.items() if isinstance(score, Mapping) else [("", score)]
    named = [
        ("y", y),
        *((f"score {name!r}" if name else "score", each) for name, each in columns),
        ("weight", weight),
    ]
    known = [(name, index) for name, each in named if (index := _get_index(each)) is not None]
    for name, index in known[1:]:
        first, other = known[0]
        if len(index) == len(other) and not index.equals(other):
            raise ValueError(
                f"{name} names its rows by another index than {first}: bring both into one order "
                f"with .loc, or pass .to_numpy() if rows belong together by their place"
            )


def _get_index(values: object) -> Any:
    """Return the row labels of a pandas column; None for anything else, such as a list."""
    index = getattr(values, "index", None)
    return index if hasattr(index, "equals") else None


def _check_vector(name: str, values: ArrayLike, length: int | None = None) -> Vector:
    """One finite number a row, or an error that says what is there instead."""
    try:
        found = parse_printed_floats(np.asarray(values))
    except (TypeError, ValueError):
        raise TypeError(f"{name} must hold numbers") from None
    if found.ndim != 1:
        raise ValueError(f"{name} has {found.ndim} dimensions, but must have one number a row")
    if length is not None and len(found) != length:
        raise ValueError(f"{name} has {len(found)} rows, but y has {length}")
    bad = np.flatnonzero(~np.isfinite(found))
    if len(bad):
        raise ValueError(
            f"{name} has {len(bad)} values that are no finite number, first at row {bad[0]}"
        )
    return found


def _check_weight(weight: ArrayLike | None, length: int) -> Vector:
    if weight is None:
        return np.ones(length)
    found = _check_vector("weight", weight, length)
    if (found < 0).any():
        raise ValueError(f"weight is below 0 at row {int(np.flatnonzero(found < 0)[0])}")
    return found


def _signature(metric: Metric) -> inspect.Signature:
    """y, score, weight, and the metric's own parameters by name."""
    if TASKS[metric.task].target == "grades":
        return make_query_signature(list(map(_argument, list_name_parameters(metric.name))))
    kind = inspect.Parameter.POSITIONAL_OR_KEYWORD
    first = [inspect.Parameter(name, kind) for name in ("y", "score")]
    weight = inspect.Parameter("weight", kind, default=None)
    return inspect.Signature([*first, weight, *map(_argument, list_name_parameters(metric.name))])


def _argument(parameter: Parameter) -> inspect.Parameter:
    default = inspect.Parameter.empty if parameter.is_required else parameter.default
    return inspect.Parameter(parameter.name, inspect.Parameter.KEYWORD_ONLY, default=default)
