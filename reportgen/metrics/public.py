"""Each metric as a plain function of arrays, and as a scorer for a search over hyperparameters.

    reportgen.metrics.kendall(y, score)
    reportgen.metrics.deviance(y, score, weight, power=1)
    reportgen.metrics.interval_score(y, {"q5": low, "q95": high}, level=0.9)

They check what they are given, as a report does; a value that does not exist is nan. Rows are
paired by position: columns of pandas whose indexes differ are refused.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from reportgen.kernels.batch import Column, Vector
from reportgen.metrics.bucket_statistics import offered
from reportgen.metrics.names import meant, misfit, parameters_of
from reportgen.metrics.of_classes import rows_of_classes, rows_of_labels
from reportgen.metrics.of_queries import function_of_lists, signature_of_lists
from reportgen.metrics.spec import METRICS, NEAREST, Metric, Parameter, Scalar
from reportgen.rows import Amounts, Rows
from reportgen.tasks import TASKS, Predictions

Score = ArrayLike | Mapping[str, ArrayLike]


def function_of(name: str) -> Callable[..., float]:
    """A metric to be called with y, score (or its columns by name), weights and parameters.

    >>> function_of("mae")([1.0, 2.0], [3.0, 1.0], [1.0, 3.0])
    1.25
    """
    metric = METRICS[name]
    if TASKS[metric.task].target == "grades":
        return _named_as(metric, function_of_lists(partial(_used, name)))

    def value(
        y: ArrayLike, score: Score, weight: ArrayLike | None = None, **params: Scalar
    ) -> float:
        _refuse_other_order(y, score, weight)
        used = _used(name, params)
        if TASKS[metric.task].has_several_classes:
            is_one = TASKS[metric.task].target == "class"
            rows_of = rows_of_classes if is_one else rows_of_labels
            classes: Rows = rows_of(y, score, needs=used.needs)
            return float(used.bind(classes).define(_weight(weight, len(classes))))
        happened = _vector("y", y)
        rows, weights = _rows(used, happened, score), _weight(weight, len(happened))
        return float(used.bind(rows).define(weights))

    return _named_as(metric, value)


def _named_as(metric: Metric, value: Callable[..., float]) -> Callable[..., float]:
    """A function that goes by a metric's name, words and arguments."""
    undefined = metric.undefined and f"nan {metric.undefined}."
    told = (inspect.getdoc(metric.function), undefined, metric.caveat)
    value.__name__ = value.__qualname__ = metric.name
    value.__doc__ = "\n\n".join(filter(None, told))
    value.__signature__ = _signature(metric)  # type: ignore[attr-defined]
    return value


@dataclass(frozen=True)
class _Higher:
    """A metric turned so that higher is better, as scikit-learn calls it."""

    name: str
    params: tuple[tuple[str, Scalar], ...]

    @property
    def __name__(self) -> str:
        """What scikit-learn prints of a scorer."""
        return self.name

    def __call__(
        self, y_true: ArrayLike, y_pred: ArrayLike, sample_weight: ArrayLike | None = None
    ) -> float:
        value = function_of(self.name)(y_true, y_pred, sample_weight, **dict(self.params))
        better = METRICS[self.name].better
        if better in NEAREST:
            return -abs(value - NEAREST[better])
        return value if better == "higher" else -value


def scorer(name: str, **params: Scalar) -> Any:
    """A metric as a scikit-learn scorer: higher is better, so what is lower is negated.

    For `scoring=` in `GridSearchCV`, `cross_val_score` and the like; it takes `sample_weight`, and
    can be sent to other processes. scikit-learn has to be installed.

    What has been used to choose is no test set: the rows that a search scored are part of how the
    model was made, and the best of many scores on them is too good. Judge the chosen model on other
    rows; a report on the same ones says `used_to_choose: true` (W110).
    """
    if name not in METRICS:
        raise ValueError(f"no metric is called {name!r}; there are {', '.join(sorted(METRICS))}")
    metric = _used(name, params)
    if TASKS[metric.task].target == "grades":
        raise ValueError(f"{name} judges queries, of which scikit-learn tells no scorer")
    if metric.needs == "density":
        raise ValueError(f"{name} judges predicted quantiles, which no `predict` gives")
    try:
        from sklearn.metrics import make_scorer
    except ImportError:
        raise ImportError("a scorer needs scikit-learn: pip install scikit-learn") from None
    of = "predict" if TASKS[metric.task].target == "amount" else "predict_proba"
    return make_scorer(_Higher(name, tuple(sorted(params.items()))), response_method=of)


def _used(name: str, params: Mapping[str, Scalar]) -> Metric:
    """The metric that a name means with its parameters fixed, if they fit it and each other."""
    known = {parameter.name: offered(parameter) for parameter in parameters_of(name)}
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
    if said := misfit(name, **params):
        raise ValueError(f"{name}: {said}")
    return meant(name, **params)


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
        parts = {name: _vector(f"score {name!r}", column, len(y)) for name, column in score.items()}
        if not parts:
            raise ValueError("score has no columns")
        centre = next((parts[name] for name in ("mean", "q50") if name in parts), None)
        return Amounts(y, next(iter(parts.values())) if centre is None else centre, parts)
    if metric.needs == "density":
        wanted = '{"q5": low, "q95": high} or {"mean": mean, "sd": sd}'
        raise TypeError(f"{metric.name} judges predicted quantiles: give them by name, {wanted}")
    task, said = TASKS[metric.task], _vector("score", score, len(y))
    if task.target == "flag" and not np.isin(y, (0.0, 1.0)).all():
        raise ValueError(f"{metric.name} judges two classes: y must hold 0 and 1 alone")
    if metric.needs in ("probability", "call") and ((said < 0) | (said > 1)).any():
        raise ValueError(f"{metric.name} judges probabilities: score must lie between 0 and 1")
    return task.rows(Column(y), Predictions(said, task.scales[0]))


def _refuse_other_order(y: ArrayLike, score: Score, weight: ArrayLike | None) -> None:
    """Stop if two of them name their rows, as columns of pandas do, and name them differently.

    Rows are paired by position. To pair them by name would be a guess: names may be left over from
    a shuffle, or stand twice.
    """
    columns = score.items() if isinstance(score, Mapping) else [("", score)]
    named = [("y", y), *((f"score {name!r}" if name else "score", each) for name, each in columns),
             ("weight", weight)]  # fmt: skip
    known = [(name, index) for name, each in named if (index := _index_of(each)) is not None]
    for name, index in known[1:]:
        first, other = known[0]
        if len(index) == len(other) and not index.equals(other):
            raise ValueError(
                f"{name} names its rows by another index than {first}: bring both into one order "
                f"with .loc, or pass .to_numpy() if rows belong together by their place"
            )


def _index_of(values: object) -> Any:
    """The names of the rows of a column of pandas; None of anything else, such as a list."""
    index = getattr(values, "index", None)
    return index if hasattr(index, "equals") else None


def _vector(name: str, values: ArrayLike, length: int | None = None) -> Vector:
    """One finite number a row, or an error that says what is there instead."""
    try:
        found = np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError):
        raise TypeError(f"{name} must hold numbers") from None
    if found.ndim != 1:
        raise ValueError(f"{name} has {found.ndim} dimensions, but must have one number a row")
    if length is not None and len(found) != length:
        raise ValueError(f"{name} has {len(found)} rows, but y has {length}")
    bad = np.flatnonzero(~np.isfinite(found))
    if len(bad):
        raise ValueError(f"{name} has {len(bad)} values that are no finite number, first at row "
                         f"{bad[0]}")  # fmt: skip
    return found


def _weight(weight: ArrayLike | None, length: int) -> Vector:
    if weight is None:
        return np.ones(length)
    found = _vector("weight", weight, length)
    if (found < 0).any():
        raise ValueError(f"weight is below 0 at row {int(np.flatnonzero(found < 0)[0])}")
    return found


def _signature(metric: Metric) -> inspect.Signature:
    """y, score, weight, and the metric's own parameters by name."""
    if TASKS[metric.task].target == "grades":
        return signature_of_lists(list(map(_argument, parameters_of(metric.name))))
    kind = inspect.Parameter.POSITIONAL_OR_KEYWORD
    first = [inspect.Parameter(name, kind) for name in ("y", "score")]
    weight = inspect.Parameter("weight", kind, default=None)
    return inspect.Signature([*first, weight, *map(_argument, parameters_of(metric.name))])


def _argument(parameter: Parameter) -> inspect.Parameter:
    default = inspect.Parameter.empty if parameter.is_required else parameter.default
    return inspect.Parameter(parameter.name, inspect.Parameter.KEYWORD_ONLY, default=default)
