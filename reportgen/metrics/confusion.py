"""The confusion matrix, a table of four cells, and metrics that are functions of it.

A row is called positive where its score is at least the threshold. Each metric makes its value of
the shares of the weight in the cells, so that all metrics of one threshold are found in one pass.

    confusion   f(tp, fp, fn, tn) -> (b,), from the shares of the weight (b,) of true and false
                positives, and of false and true negatives, which add up to 1; infinity or nan
                where its denominator weighs nothing. Asked for by name as keyword arguments it is
                given its own parameters, and the threshold

Where the threshold is no part of what a metric means, `at` may name an operating point of the model
in its place. If that point `moves` with the weights, the table is found anew under each of them,
and the metric is `whole`.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from functools import partial
from types import MappingProxyType
from typing import Any, get_type_hints

import numpy as np
from numpy.typing import NDArray

from reportgen.kernels.batch import Batch, Index, Matrix, Vector
from reportgen.kernels.cuts import CELLS as CELLS
from reportgen.kernels.cuts import FN as FN
from reportgen.kernels.cuts import FP as FP
from reportgen.kernels.cuts import TN as TN
from reportgen.kernels.cuts import TP as TP
from reportgen.kernels.cuts import table_of
from reportgen.metrics.call_table import CallTable, Finish, call_table, moving_table
from reportgen.metrics.limits import outside
from reportgen.metrics.parameters import Scalar
from reportgen.metrics.spec import counted
from reportgen.metrics.statistic import Function
from reportgen.metrics.traits import ESTIMANDS
from reportgen.rows import Classes

THRESHOLD = 0.5
POWERS = (
    "Powers (2011), Evaluation: from precision, recall and F-measure to ROC, informedness, "
    "markedness and correlation, Journal of Machine Learning Technologies 2; arXiv:2010.16061"
)
OF_A_POINT: Mapping[str, tuple[Any, Any]] = MappingProxyType(
    {"threshold": (float, THRESHOLD), "at": (str, ""), "moves": (bool, False)}
)
"""The parameters that say which rows are called, with their kinds and defaults."""


def threshold_limits(
    threshold: float, at: str = "", moves: bool = False, **_: Scalar
) -> str | None:
    """What is wrong with a threshold on a probability, or None."""
    if moves and not at:
        return "moves is said by the operating point that `at` names; leave it out"
    return outside("threshold", threshold, 0, 1)


def needs_at(at: str) -> str:
    """What a metric of calls needs of a score: a threshold is given on a probability, by default.

    >>> needs_at(""), needs_at("call list")
    ('call', 'label')
    """
    return "label" if at else "call"


def confusion(**about: Any) -> Callable[[Function], Function]:
    """Register f(tp, fp, fn, tn, **params) -> (b,); `threshold`, `at` and `moves` are added.

    A function that asks for the threshold by name means it: only that is added.
    """
    return partial(_register, about)


def _register(about: Mapping[str, Any], function: Function) -> Function:
    also, points = about.get("fields_for"), "threshold" not in _keywords(function)
    register = partial(counted, task="binary", kind="decision", cells=CELLS)
    cells = _cells_for(function, OF_A_POINT if points else {"threshold": OF_A_POINT["threshold"]})

    def fields(**params: Scalar) -> Mapping[str, Any]:
        finish = _finishing(function, params)
        still = {name: about[name] for name in ("estimand", "portions") if name in about}
        depending = {} if also is None else also(**params)
        made = {"finish": finish, **_resting(cells), **still, **depending}
        made["needs"] = needs_at(str(params.get("at", "")))
        made["calls"] = partial(calls_at, finish)
        return {**made, **_moving(cells, finish)} if params.get("moves") else made

    def settled(**params: Scalar) -> Mapping[str, Any]:
        found = dict(fields(**params))
        found["estimand"] = _traits(found["estimand"])
        return found

    defaults = {name: each.default for name, each in _own(function).items()}
    about = {"check": threshold_limits, **about, **fields(threshold=THRESHOLD, **defaults)}
    about = {key: value for key, value in about.items() if key not in ("shape", "function")}
    register(**{**about, "inputs": _inputs, "fields_for": settled})(cells)
    return function


def _traits(given: Any) -> Any:
    return ESTIMANDS[given] if isinstance(given, str) else given


def _resting(cells: Callable[..., Index]) -> Mapping[str, Any]:
    """What a metric is whose calls stay as they are: a count of cells."""
    return {"shape": "counted", "function": cells, "cells": CELLS, "fast": None, "portions": ()}


def _moving(cells: Callable[..., Index], finish: Callable[[Matrix], Vector]) -> Mapping[str, Any]:
    """What it is where the calls move with the weights: a function of all of them."""

    def value(rows: Classes, weight: Vector, *, at: str, **_: Scalar) -> float:
        return float(finish(table_of(rows.calls.cut(at), rows, Batch.of(weight)))[0])

    def values(rows: Classes, batch: Batch, *, at: str, **_: Scalar) -> Vector:
        return finish(table_of(rows.calls.cut(at), rows, batch))

    value.__doc__ = cells.__doc__
    return {
        "shape": "whole",
        "function": value,
        "fast": values,
        "estimand": ESTIMANDS["share of a cut that moves"],
        "portions": (),
        "cells": 0,
    }


def _inputs(rows: Classes, *, at: str = "", moves: bool = False, **_: Scalar) -> Any:
    """Y and the score; or y and whether a row is called at a point; or all, where that moves."""
    if moves:
        return (rows,)
    if not at:
        return rows.inputs()
    return rows.y.values, called_at(rows, at)


def calls_at(
    finish: Finish,
    rows: Classes,
    weight: Vector,
    *,
    threshold: float = THRESHOLD,
    at: str = "",
    moves: bool = False,
    **_: Scalar,
) -> CallTable | None:
    """Which rows are called at a threshold or a point, and the function of the matrix."""
    if moves:
        return moving_table(rows, weight, rows.calls.cut(at), finish)
    called = called_at(rows, at) if at else (rows.score.values >= threshold).astype(np.float64)
    return call_table(rows, called, finish)


def called_at(rows: Classes, at: str) -> NDArray[np.float64]:
    """Whether each row is called at an operating point that does not move, (n,), 0 and 1."""
    return rows.calls.cut(at).called(rows.score.values)


def _finishing(function: Callable[..., Vector], params: Mapping[str, Scalar]) -> Any:
    """The function of a table's shares, (b, 4), with those of its parameters that it asks for."""
    asked: dict[str, Any] = {n: params[n] for n in _keywords(function) if n in params}
    return partial(_finish, function, **asked)


def _finish(function: Callable[..., Vector], table: Matrix, **asked: Any) -> Vector:
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        found = function(table[:, TP], table[:, FP], table[:, FN], table[:, TN], **asked)
    return np.where(np.isfinite(found), found, np.nan)


def _cells_for(
    function: Callable[..., Any], points: Mapping[str, tuple[Any, Any]]
) -> Callable[..., Index]:
    """The cell of each row, by a function with the name, the text and the parameters of `f`."""

    def cells(
        y: Vector, score: Vector, *, threshold: float = THRESHOLD, at: str = "", **_: Scalar
    ) -> Index:
        called = score > 0 if at else score >= threshold
        return np.asarray(2 * (y > 0) + called, dtype=np.intp)

    own, hints = _own(function), get_type_hints(function)
    both = list(inspect.signature(cells).parameters.values())[:2]
    added = [
        inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=kind)
        for name, (kind, default) in points.items()
    ]
    cells.__signature__ = inspect.Signature([*both, *added, *own.values()])  # type: ignore[attr-defined]
    kinds = {name: kind for name, (kind, _) in points.items()}
    cells.__annotations__ = {**kinds, **{name: hints[name] for name in own}}
    cells.__name__, cells.__qualname__ = function.__name__, function.__qualname__
    cells.__doc__, cells.__module__ = function.__doc__, function.__module__
    return cells


def _own(function: Callable[..., Any]) -> dict[str, inspect.Parameter]:
    """The parameters of a function of the cells, less the threshold that all have."""
    return {name: p for name, p in _keywords(function).items() if name != "threshold"}


def _keywords(function: Callable[..., Any]) -> dict[str, inspect.Parameter]:
    known = inspect.signature(function).parameters.items()
    return {name: p for name, p in known if p.kind is inspect.Parameter.KEYWORD_ONLY}
