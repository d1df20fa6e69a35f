"""The confusion matrix, a table of four cells, and metrics that are functions of it.

A row is called positive where its score is at least the threshold. Each metric makes its value of
the shares of the weight in the cells, so that all metrics of one threshold are found in one pass.

    confusion   f(tp, fp, fn, tn) -> (b,), from the shares of the weight (b,) of true and false
                positives, and of false and true negatives, which add up to 1; infinity or nan
                where its denominator weighs nothing. Asked for by name as keyword arguments it is
                given its own parameters, and the threshold
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, get_type_hints

import numpy as np

from reportgen.kernels.batch import Index, Matrix, Vector
from reportgen.metrics.limits import outside
from reportgen.metrics.parameters import Scalar
from reportgen.metrics.spec import counted
from reportgen.metrics.statistic import Function

CELLS = 4
TN, FP, FN, TP = range(CELLS)
THRESHOLD = 0.5
POWERS = (
    "Powers (2011), Evaluation: from precision, recall and F-measure to ROC, informedness, "
    "markedness and correlation, Journal of Machine Learning Technologies 2; arXiv:2010.16061"
)


def threshold_limits(threshold: float, **_: Scalar) -> str | None:
    """What is wrong with a threshold on a probability, or None."""
    return outside("threshold", threshold, 0, 1)


def confusion(**about: Any) -> Callable[[Function], Function]:
    """Register f(tp, fp, fn, tn, **params) -> (b,); a parameter `threshold` is added."""
    return partial(_register, about)


def _register(about: Mapping[str, Any], function: Function) -> Function:
    also = about.get("fields_for")
    register = partial(counted, task="binary", kind="decision", needs="probability", cells=CELLS)

    def fields(**params: Scalar) -> Mapping[str, Any]:
        depending = {} if also is None else also(**params)
        return {"finish": _finishing(function, params), **depending}

    defaults = {name: each.default for name, each in _own(function).items()}
    about = {"check": threshold_limits, **about, **fields(threshold=THRESHOLD, **defaults)}
    register(**{**about, "fields_for": fields})(_cells_for(function))
    return function


def _finishing(function: Callable[..., Vector], params: Mapping[str, Scalar]) -> Any:
    """The function of a table's shares, (b, 4), with those of its parameters that it asks for."""
    asked: dict[str, Any] = {n: params[n] for n in _keywords(function) if n in params}
    return partial(_finish, function, **asked)


def _finish(function: Callable[..., Vector], table: Matrix, **asked: Any) -> Vector:
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        found = function(table[:, TP], table[:, FP], table[:, FN], table[:, TN], **asked)
    return np.where(np.isfinite(found), found, np.nan)


def _cells_for(function: Callable[..., Any]) -> Callable[..., Index]:
    """The cell of each row, by a function with the name, the text and the parameters of `f`."""

    def cells(y: Vector, score: Vector, *, threshold: float = THRESHOLD, **_: Scalar) -> Index:
        return np.asarray(2 * (y > 0) + (score >= threshold), dtype=np.intp)

    own, hints = _own(function), get_type_hints(function)
    given = list(inspect.signature(cells).parameters.values())[:-1]
    cells.__signature__ = inspect.Signature([*given, *own.values()])  # type: ignore[attr-defined]
    cells.__annotations__ = {"threshold": float, **{name: hints[name] for name in own}}
    cells.__name__, cells.__qualname__ = function.__name__, function.__qualname__
    cells.__doc__, cells.__module__ = function.__doc__, function.__module__
    return cells


def _own(function: Callable[..., Any]) -> dict[str, inspect.Parameter]:
    """The parameters of a function of the cells, less the threshold that all have."""
    return {name: p for name, p in _keywords(function).items() if name != "threshold"}


def _keywords(function: Callable[..., Any]) -> dict[str, inspect.Parameter]:
    known = inspect.signature(function).parameters.items()
    return {name: p for name, p in known if p.kind is inspect.Parameter.KEYWORD_ONLY}
