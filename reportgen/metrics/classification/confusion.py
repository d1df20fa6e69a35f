"""The confusion matrix, and shares of its cells: accuracy, precision, recall."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from functools import partial
from types import MappingProxyType
from typing import Any, get_type_hints

import numpy as np
from numpy.typing import NDArray

from reportgen.kernels.batch import Batch, Index, Matrix, Vector
from reportgen.kernels.thresholds import CELLS, FN, FP, TN, TP, compute_confusion_shares
from reportgen.metrics import questions
from reportgen.metrics.classification.roc import positive_mask
from reportgen.metrics.count_tables import CallTable, Finish, build_call_table, build_moving_table
from reportgen.metrics.lookup import check_range
from reportgen.metrics.metric import cellwise
from reportgen.metrics.monotone import image_of_metric
from reportgen.metrics.rows import Classes
from reportgen.metrics.statistic import Function, Scalar
from reportgen.metrics.traits import ESTIMANDS, TableShare

THRESHOLD = 0.5
POWERS = (
    "Powers (2011), Evaluation: from precision, recall and F-measure to ROC, informedness, "
    "markedness and correlation, Journal of Machine Learning Technologies 2; arXiv:2010.16061"
)
POINT_PARAMETERS: Mapping[str, tuple[Any, Any]] = MappingProxyType(
    {"threshold": (float, THRESHOLD), "at": (str, ""), "moves": (bool, False)}
)
"""The parameters that say which rows are called, with their kinds and defaults."""


def check_threshold(threshold: float, at: str = "", moves: bool = False, **_: Scalar) -> str | None:
    """Describe an invalid threshold on a probability, or return None."""
    if moves and not at:
        return "moves is said by the operating point that `at` names; leave it out"
    return check_range("threshold", threshold, 0, 1)


def find_threshold_needs(at: str) -> str:
    """Return what a metric of flags needs of a score: by default, a threshold on a probability.

    >>> find_threshold_needs(""), find_threshold_needs("call list")
    ('call', 'label')
    """
    return "label" if at else "call"


def confusion(**about: Any) -> Callable[[Function], Function]:
    """Register f(tp, fp, fn, tn, **params) -> (b,); `threshold`, `at` and `moves` are added.

    A function that asks for the threshold by name means it: only that is added.
    """
    return partial(_register, about)


def _register(about: Mapping[str, Any], function: Function) -> Function:
    also, points = about.get("fields_for"), "threshold" not in _list_keywords(function)
    register = partial(cellwise, task="binary", kind="decision", cells=CELLS)
    cells = _make_cell_function(
        function, POINT_PARAMETERS if points else {"threshold": POINT_PARAMETERS["threshold"]}
    )

    def fields(**params: Scalar) -> Mapping[str, Any]:
        finish = _bind_finish(function, params)
        still = {name: about[name] for name in ("estimand", "portions") if name in about}
        depending = {} if also is None else also(**params)
        made = {"finish": finish, **_build_fixed_fields(cells), **still, **depending}
        made["needs"] = find_threshold_needs(str(params.get("at", "")))
        made["calls"] = partial(build_threshold_table, finish)
        return {**made, **_build_moving_fields(cells, finish)} if params.get("moves") else made

    def compute_fields(**params: Scalar) -> Mapping[str, Any]:
        found = dict(fields(**params))
        found["estimand"] = _find_traits(found["estimand"])
        return found

    defaults = {name: each.default for name, each in _list_own_parameters(function).items()}
    about = {"check": check_threshold, **about, **fields(threshold=THRESHOLD, **defaults)}
    about = {key: value for key, value in about.items() if key not in ("shape", "function")}
    register(**{**about, "inputs": _inputs, "fields_for": compute_fields})(cells)
    return function


def _find_traits(given: Any) -> Any:
    return ESTIMANDS[given] if isinstance(given, str) else given


def _build_fixed_fields(cells: Callable[..., Index]) -> Mapping[str, Any]:
    """Return the fields of a metric whose flags stay fixed: a count of cells."""
    return {"shape": "counted", "function": cells, "cells": CELLS, "fast": None, "portions": ()}


def _build_moving_fields(
    cells: Callable[..., Index], finish: Callable[[Matrix], Vector]
) -> Mapping[str, Any]:
    """Return the fields where the flags depend on the weights: a function of all rows at once."""

    def value(rows: Classes, weight: Vector, *, at: str, **_: Scalar) -> float:
        return float(
            finish(compute_confusion_shares(rows.calls.cut(at), rows, Batch.from_weights(weight)))[
                0
            ]
        )

    def values(rows: Classes, batch: Batch, *, at: str, **_: Scalar) -> Vector:
        return finish(compute_confusion_shares(rows.calls.cut(at), rows, batch))

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
    return rows.y.values, call_at_point(rows, at)


def build_threshold_table(
    finish: Finish,
    rows: Classes,
    weight: Vector,
    *,
    threshold: float = THRESHOLD,
    at: str = "",
    moves: bool = False,
    **_: Scalar,
) -> CallTable | None:
    """Return which rows are called at a threshold or a point, and the function of the matrix."""
    if moves:
        return build_moving_table(rows, weight, rows.calls.cut(at), finish)
    called = call_at_point(rows, at) if at else (rows.score.values >= threshold).astype(np.float64)
    return build_call_table(rows, called, finish)


def call_at_point(rows: Classes, at: str) -> NDArray[np.float64]:
    """Tell whether each row is called at an operating point that does not move, (n,), 0 and 1."""
    return rows.calls.cut(at).flag_rows(rows.score.values)


def _bind_finish(function: Callable[..., Vector], params: Mapping[str, Scalar]) -> Any:
    """Build the function of a table's shares, (b, 4), with those parameters that it accepts."""
    asked: dict[str, Any] = {n: params[n] for n in _list_keywords(function) if n in params}
    return partial(_finish, function, **asked)


def _finish(function: Callable[..., Vector], table: Matrix, **asked: Any) -> Vector:
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        found = function(table[:, TP], table[:, FP], table[:, FN], table[:, TN], **asked)
    return np.where(np.isfinite(found), found, np.nan)


def _make_cell_function(
    function: Callable[..., Any], points: Mapping[str, tuple[Any, Any]]
) -> Callable[..., Index]:
    """Build a function of each row's cell with the name, docstring and parameters of `function`."""

    def cells(
        y: Vector, score: Vector, *, threshold: float = THRESHOLD, at: str = "", **_: Scalar
    ) -> Index:
        called = score > 0 if at else score >= threshold
        return np.asarray(2 * (y > 0) + called, dtype=np.intp)

    own, hints = _list_own_parameters(function), get_type_hints(function)
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


def _list_own_parameters(function: Callable[..., Any]) -> dict[str, inspect.Parameter]:
    """Return the parameters of a function of the cells, except the threshold that all have."""
    return {name: p for name, p in _list_keywords(function).items() if name != "threshold"}


def _list_keywords(function: Callable[..., Any]) -> dict[str, inspect.Parameter]:
    known = inspect.signature(function).parameters.items()
    return {name: p for name, p in known if p.kind is inspect.Parameter.KEYWORD_ONLY}


RARE = "Where one class is rare, calling every row the other class is nearly always right."
OTHER = "how many rows of the other class are called wrong, and how sure the model was"
SURE = "how sure the model was"


@confusion(
    title="Accuracy",
    better="higher",
    bounds=(0.0, 1.0),
    unit="share",
    cite=POWERS,
    estimand="proportion",
    formula="Σ w [called = y] / Σ w, called where the probability is at least the threshold",
    undefined="where no row has weight",
    caveat=RARE,
    answers=questions.CALLS,
    asks="how often a row is called right",
    blind="which of the two errors is made, and how sure the model was",
)
def accuracy(tp: Vector, fp: Vector, fn: Vector, tn: Vector) -> Vector:
    """Share of the rows that are called right, called positive at the threshold and above."""
    return tn + tp


@confusion(
    aliases=("zero_one_loss", "misclassification"),
    title="Error rate",
    better="lower",
    bounds=(0.0, 1.0),
    unit="share",
    cite=POWERS,
    estimand="proportion",
    image=image_of_metric("accuracy", 1.0, -1.0),
    formula="Σ w [called ≠ y] / Σ w, called where the probability is at least the threshold",
    undefined="where no row has weight",
    caveat=RARE,
    answers=questions.CALLS,
    asks="how often a row is called wrong",
    blind="which of the two errors is made, and how sure the model was",
)
def error_rate(tp: Vector, fp: Vector, fn: Vector, tn: Vector) -> Vector:
    """Share of the rows that are called wrong, called positive at the threshold and above."""
    return fp + fn


@confusion(
    aliases=("ppv", "positive_predictive_value"),
    title="Precision",
    better="higher",
    bounds=(0.0, 1.0),
    unit="share",
    cite=POWERS,
    estimand="proportion of some rows",
    portions=(TableShare((TP,), (TP, FP)),),
    classes=positive_mask,
    formula="TP / (TP + FP), weights of rows called positive",
    undefined="where no row is called positive",
    caveat="It falls with the share of positives in the data, whatever the model.",
    answers=questions.CAUGHT,
    asks="how often a call of the positive class is right",
    blind="the positives that are not called, and how sure the model was",
)
def precision(tp: Vector, fp: Vector, fn: Vector, tn: Vector) -> Vector:
    """Share of the rows called positive that are."""
    return tp / (tp + fp)


@confusion(
    aliases=("sensitivity", "tpr", "true_positive_rate", "hit_rate", "detection_rate"),
    title="Recall",
    better="higher",
    bounds=(0.0, 1.0),
    unit="share",
    cite=POWERS,
    estimand="proportion of some rows",
    portions=(TableShare((TP,), (TP, FN), is_of_y=True),),
    classes=positive_mask,
    formula="TP / (TP + FN), weights of the positive rows",
    undefined="where no row is positive",
    caveat="Calling every row positive makes it 1.",
    answers=questions.CAUGHT,
    asks="how many of the positive rows are called so",
    blind=OTHER,
)
def recall(tp: Vector, fp: Vector, fn: Vector, tn: Vector) -> Vector:
    """Share of the positive rows that are called so."""
    return tp / (tp + fn)


@confusion(
    aliases=("tnr", "true_negative_rate", "selectivity"),
    title="Specificity",
    better="higher",
    bounds=(0.0, 1.0),
    unit="share",
    cite=POWERS,
    estimand="proportion of some rows",
    portions=(TableShare((TN,), (TN, FP), is_of_y=True),),
    classes=positive_mask,
    formula="TN / (TN + FP), weights of the negative rows",
    undefined="where no row is negative",
    caveat="Where negatives are many, a share near 1 may still be many false alarms.",
    answers=questions.CAUGHT,
    asks="how many of the negative rows are left alone",
    blind=OTHER,
)
def specificity(tp: Vector, fp: Vector, fn: Vector, tn: Vector) -> Vector:
    """Share of the negative rows that are called so."""
    return tn / (tn + fp)


@confusion(
    aliases=("negative_predictive_value",),
    title="Negative predictive value",
    better="higher",
    bounds=(0.0, 1.0),
    unit="share",
    cite=POWERS,
    estimand="proportion of some rows",
    portions=(TableShare((TN,), (TN, FN)),),
    classes=positive_mask,
    formula="TN / (TN + FN), weights of rows not called positive",
    undefined="where every row is called positive",
    caveat="It rises with the share of negatives in the data, whatever the model.",
    answers=questions.CAUGHT,
    asks="how often a row that is not called is negative indeed",
    blind="the negatives that are called, and how sure the model was",
)
def npv(tp: Vector, fp: Vector, fn: Vector, tn: Vector) -> Vector:
    """Share of the rows not called positive that are negative."""
    return tn / (tn + fn)


@confusion(
    aliases=("false_positive_rate", "fall_out"),
    title="False positive rate",
    better="lower",
    bounds=(0.0, 1.0),
    unit="share",
    cite=POWERS,
    estimand="proportion of some rows",
    portions=(TableShare((FP,), (TN, FP), is_of_y=True),),
    image=image_of_metric("specificity", 1.0, -1.0),
    classes=positive_mask,
    formula="FP / (TN + FP), weights of the negative rows",
    undefined="where no row is negative",
    caveat="Where negatives are many, a share near 0 may still be many false alarms.",
    answers=questions.CAUGHT,
    asks="how many of the negative rows are called positive",
    blind="the positives that are not called, and how sure the model was",
)
def fpr(tp: Vector, fp: Vector, fn: Vector, tn: Vector) -> Vector:
    """Share of the negative rows that are called positive."""
    return fp / (tn + fp)


@confusion(
    aliases=("false_negative_rate", "miss_rate"),
    title="False negative rate",
    better="lower",
    bounds=(0.0, 1.0),
    unit="share",
    cite=POWERS,
    estimand="proportion of some rows",
    portions=(TableShare((FN,), (TP, FN), is_of_y=True),),
    image=image_of_metric("recall", 1.0, -1.0),
    classes=positive_mask,
    formula="FN / (TP + FN), weights of the positive rows",
    undefined="where no row is positive",
    caveat="Calling every row positive makes it 0.",
    answers=questions.CAUGHT,
    asks="how many of the positive rows are missed",
    blind=OTHER,
)
def fnr(tp: Vector, fp: Vector, fn: Vector, tn: Vector) -> Vector:
    """Share of the positive rows that are not called so."""
    return fn / (tp + fn)


@confusion(
    aliases=("false_discovery_rate",),
    title="False discovery rate",
    better="lower",
    bounds=(0.0, 1.0),
    unit="share",
    cite=POWERS,
    estimand="proportion of some rows",
    portions=(TableShare((FP,), (TP, FP)),),
    image=image_of_metric("precision", 1.0, -1.0),
    classes=positive_mask,
    formula="FP / (TP + FP), weights of rows called positive",
    undefined="where no row is called positive",
    caveat="It rises as positives get rare in the data, whatever the model.",
    answers=questions.CAUGHT,
    asks="how often a call of the positive class is wrong",
    blind="the positives that are not called, and how sure the model was",
)
def fdr(tp: Vector, fp: Vector, fn: Vector, tn: Vector) -> Vector:
    """Share of the rows called positive that are not."""
    return fp / (tp + fp)


@confusion(
    aliases=("called_share", "flagged", "alert_rate", "predicted_positive_rate"),
    title="Share called",
    better="lower",
    bounds=(0.0, 1.0),
    unit="share",
    cite=POWERS,
    estimand="proportion",
    formula="(TP + FP) / Σ w",
    undefined="where no row has weight",
    caveat="Fewer calls are less work; whether the right ones are left out it does not say.",
    answers=questions.CAUGHT,
    asks="how many rows are called positive, and so how much work the calls make",
    blind="whether a call is right",
)
def called(tp: Vector, fp: Vector, fn: Vector, tn: Vector) -> Vector:
    """Share of the rows that are called positive."""
    return tp + fp


@confusion(
    title="Caught of 1,000",
    better="higher",
    bounds=(0.0, 1000.0),
    unit="per 1,000",
    cite=POWERS,
    estimand="proportion",
    image=image_of_metric("recall"),
    formula="1,000 · TP / Σ w",
    undefined="where no row has weight",
    caveat="Of 1,000 rows like these: with another share of positives it is another number.",
    answers=questions.CAUGHT,
    asks="how many of 1,000 rows are positive and called so",
    blind=OTHER,
)
def caught(tp: Vector, fp: Vector, fn: Vector, tn: Vector) -> Vector:
    """Positive rows that are called so, of 1,000 rows."""
    return 1000 * tp


@confusion(
    title="Missed of 1,000",
    better="lower",
    bounds=(0.0, 1000.0),
    unit="per 1,000",
    cite=POWERS,
    estimand="proportion",
    image=image_of_metric("recall"),
    formula="1,000 · FN / Σ w",
    undefined="where no row has weight",
    caveat="Of 1,000 rows like these: with another share of positives it is another number.",
    answers=questions.CAUGHT,
    asks="how many of 1,000 rows are positive and not called so",
    blind=OTHER,
)
def missed(tp: Vector, fp: Vector, fn: Vector, tn: Vector) -> Vector:
    """Positive rows that are not called so, of 1,000 rows."""
    return 1000 * fn


@confusion(
    title="False alarms of 1,000",
    better="lower",
    bounds=(0.0, 1000.0),
    unit="per 1,000",
    cite=POWERS,
    estimand="proportion",
    image=image_of_metric("specificity"),
    formula="1,000 · FP / Σ w",
    undefined="where no row has weight",
    caveat="Of 1,000 rows like these: with another share of positives it is another number.",
    answers=questions.CAUGHT,
    asks="how many of 1,000 rows are negative and called positive",
    blind=f"the positives that are not called, and {SURE}",
)
def false_alarms(tp: Vector, fp: Vector, fn: Vector, tn: Vector) -> Vector:
    """Negative rows that are called positive, of 1,000 rows."""
    return 1000 * fp
