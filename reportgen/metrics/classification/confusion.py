"""The confusion matrix, and shares of its cells: accuracy, precision, recall."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial
from types import MappingProxyType
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from reportgen.kernels.batch import Batch, Index, Matrix, Vector
from reportgen.kernels.thresholds import CELLS, FN, FP, TN, TP, Threshold, compute_confusion_shares
from reportgen.metrics import questions
from reportgen.metrics.classification.roc import positive_mask
from reportgen.metrics.count_tables import (
    CallTable,
    Finish,
    Portions,
    build_call_table,
    build_moving_table,
)
from reportgen.metrics.lookup import check_range
from reportgen.metrics.metric import Metric, cellwise
from reportgen.metrics.monotone import image_of_metric
from reportgen.metrics.rows import Classes
from reportgen.metrics.statistic import Function, Scalar, resolve_types
from reportgen.metrics.traits import ESTIMANDS, TableShare
from reportgen.records import record

THRESHOLD = 0.5
POWERS = (
    "Powers (2011), Evaluation: from precision, recall and F-measure to ROC, informedness, "
    "markedness and correlation, Journal of Machine Learning Technologies 2; arXiv:2010.16061"
)
POINT_PARAMETERS: Mapping[str, tuple[Any, Any]] = MappingProxyType(
    {"threshold": (float, THRESHOLD), "at": (str, ""), "moves": (bool, False)}
)
"""The parameters that say which rows are flagged, with their kinds and defaults."""


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


def derive_flag_metric(
    metric: Metric, finish: Finish, params: Mapping[str, Scalar], **about: Any
) -> Metric:
    """Return a metric of the same flags with another function of their table."""
    calls = partial(build_threshold_table, finish)
    fields = {"finish": finish, "calls": calls, "check": None, "fields_for": None, **about}
    if params.get("moves"):
        fields |= _build_moving_fields(metric.function, finish)
    return replace(metric, parameters=(), params=params, **fields)


def _find_traits(given: Any) -> Any:
    return ESTIMANDS[given] if isinstance(given, str) else given


def _build_fixed_fields(cells: Callable[..., Index]) -> Mapping[str, Any]:
    """Return the fields of a metric whose flags stay fixed: a count of cells."""
    return {
        "shape": "counted",
        "function": cells,
        "cells": CELLS,
        "fast": None,
        "shares": None,
        "portions": (),
    }


def _build_moving_fields(
    cells: Callable[..., Index], finish: Callable[[Matrix], Vector]
) -> Mapping[str, Any]:
    """Return the fields where the flags depend on the weights: a function of all rows at once."""

    def value(rows: Classes, weight: Vector, *, at: str, **_: Scalar) -> float:
        return float(values(rows, Batch.from_weights(weight), at=at)[0])

    def values(rows: Classes, batch: Batch, *, at: str, **_: Scalar) -> Vector:
        return finish(_share_moving_table(rows, batch, at))

    def find_portion(rows: Classes, weight: Vector, *, at: str, **_: Scalar) -> Portions:
        table = None
        if weight.any():
            table = build_threshold_table(finish, rows, weight, at=at, moves=True)
        return () if table is None else table.find_portion(weight)

    value.__doc__ = cells.__doc__
    return {
        "shape": "whole",
        "function": value,
        "fast": values,
        "shares": find_portion,
        "estimand": ESTIMANDS["share of a cut that moves"],
        "portions": (),
        "cells": 0,
    }


def _share_moving_table(rows: Classes, batch: Batch, at: str) -> Matrix:
    """Compute the table at a point under each weighting once for all metrics that read it."""
    known: WeakKeyDictionary[Batch, Matrix] = rows.once(f"tables at {at}", WeakKeyDictionary)
    found = known.get(batch)
    if found is None:
        known[batch] = found = compute_confusion_shares(rows.find_rule(at), rows, batch)
    return found


def _inputs(rows: Classes, *, at: str = "", moves: bool = False, **_: Scalar) -> Any:
    """Y and the score; or y and whether a row is flagged at a point; or all, where that moves."""
    if moves:
        return (rows,)
    if not at:
        return rows.inputs()
    return rows.y.values, flag_at_point(rows, at)


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
    """Return which rows are flagged at a threshold or a point, and the function of the matrix."""
    # A model that gives labels is flagged at one half at every point, whatever moves the others.
    if moves and not isinstance(rule := rows.find_rule(at), Threshold):
        return build_moving_table(rows, weight, rule, finish)
    called = flag_at_point(rows, at) if at else (rows.score.values >= threshold).astype(np.float64)
    return build_call_table(rows, called, finish)


def flag_at_point(rows: Classes, at: str) -> NDArray[np.float64]:
    """Tell whether each row is flagged at an operating point that does not move, (n,), 0 and 1."""
    rule = rows.find_rule(at)
    assert isinstance(rule, Threshold)
    return rule.flag_rows(rows.score.values)


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

    own = _list_own_parameters(function)
    both = list(inspect.signature(cells).parameters.values())[:2]
    added = [
        inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=kind)
        for name, (kind, default) in points.items()
    ]
    cells.__signature__ = inspect.Signature([*both, *added, *own.values()])  # type: ignore[attr-defined]
    kinds = {name: kind for name, (kind, _) in points.items()}
    cells.__annotations__ = kinds | resolve_types(function, own)
    cells.__name__, cells.__qualname__ = function.__name__, function.__qualname__
    cells.__doc__, cells.__module__ = function.__doc__, function.__module__
    return cells


def _list_own_parameters(function: Callable[..., Any]) -> dict[str, inspect.Parameter]:
    """Return the parameters of a function of the cells, except the threshold that all have."""
    return {name: p for name, p in _list_keywords(function).items() if name != "threshold"}


def _list_keywords(function: Callable[..., Any]) -> dict[str, inspect.Parameter]:
    known = inspect.signature(function).parameters.items()
    return {name: p for name, p in known if p.kind is inspect.Parameter.KEYWORD_ONLY}


OTHER = "how many rows of the other class are classified wrongly, and how sure the model was"
SURE = "how sure the model was"


@record
class _Denominator:
    """Two cells that a share is of, their words, and where they hold no weight."""

    cells: tuple[int, int]
    words: str
    undefined: str
    is_of_y: bool = False


_FLAGGED = _Denominator((TP, FP), "flagged rows", "where no row is flagged")
_NOT_FLAGGED = _Denominator((TN, FN), "rows that are not flagged", "where every row is flagged")
_POSITIVE = _Denominator((TP, FN), "the positive rows", "where no row is positive", True)
_NEGATIVE = _Denominator((TN, FP), "the negative rows", "where no row is negative", True)
_CELL_NAMES = {TP: "TP", FP: "FP", FN: "FN", TN: "TN"}


def _register_ratio(
    name: str, says: str, value: Callable[[Mapping[int, Vector]], Vector], **about: Any
) -> None:
    """Register a ratio of cells by its name and its description."""

    def ratio(tp: Vector, fp: Vector, fn: Vector, tn: Vector) -> Vector:
        return value({TP: tp, FP: fp, FN: fn, TN: tn})

    ratio.__name__ = ratio.__qualname__ = name
    ratio.__doc__ = says
    shared = {"cite": POWERS, "bounds": (0.0, 1.0), "unit": "share", "answers": questions.CAUGHT}
    confusion(**{**shared, **about})(ratio)


def _share(
    name: str, says: str, cell: int, among: _Denominator, *, complement: str = "", **about: Any
) -> None:
    """Register the share of one cell among two; `complement` is the share of the other cell."""
    first, second = (_CELL_NAMES[each] for each in among.cells)
    _register_ratio(
        name,
        says,
        lambda cells: cells[cell] / (cells[among.cells[0]] + cells[among.cells[1]]),
        better="higher" if cell in (TP, TN) else "lower",
        estimand="proportion of some rows",
        portions=(TableShare((cell,), among.cells, is_of_y=among.is_of_y),),
        classes=positive_mask,
        formula=f"{_CELL_NAMES[cell]} / ({first} + {second}), weights of {among.words}",
        undefined=among.undefined,
        **({"image": image_of_metric(complement, 1.0, -1.0)} if complement else {}),
        **about,
    )


def _share_of_all(name: str, says: str, *cells: int, **about: Any) -> None:
    """Register the share of two cells among all rows."""
    first, second = cells
    shared = {"estimand": "proportion", "undefined": "where no row has weight"}
    _register_ratio(name, says, lambda of: of[first] + of[second], **shared, **about)


def _count_of_1000(name: str, says: str, cell: int, image: str, **about: Any) -> None:
    """Register how many of 1,000 rows are in a cell; with the classes' shares it is the image."""
    _register_ratio(
        name,
        says,
        lambda cells: 1000 * cells[cell],
        better="higher" if cell in (TP, TN) else "lower",
        bounds=(0.0, 1000.0),
        unit="per 1,000",
        estimand="proportion",
        image=image_of_metric(image),
        formula=f"1,000 · {_CELL_NAMES[cell]} / Σ w",
        undefined="where no row has weight",
        caveat="Of 1,000 rows like these: with another share of positives it is another number.",
        **about,
    )


_calls_of_all = partial(
    _share_of_all,
    caveat="Where one class is rare, predicting the other class for every row is nearly always "
    "right.",
    answers=questions.CALLS,
    blind="which of the two errors is made, and how sure the model was",
)
_calls_of_all(
    "accuracy",
    "Share of the rows that are classified correctly; flagged are those at the threshold and "
    "above.",
    TN,
    TP,
    reference="everyone or nobody",
    title="Accuracy",
    better="higher",
    formula="Σ w [flagged = y] / Σ w, flagged where the probability is at least the threshold",
    asks="how often a row is classified correctly",
)
_calls_of_all(
    "error_rate",
    "Share of the rows that are classified wrongly; flagged are those at the threshold and above.",
    FP,
    FN,
    aliases=("zero_one_loss", "misclassification"),
    reference="everyone or nobody",
    title="Error rate",
    better="lower",
    image=image_of_metric("accuracy", 1.0, -1.0),
    formula="Σ w [flagged ≠ y] / Σ w, flagged where the probability is at least the threshold",
    asks="how often a row is classified wrongly",
)
_share(
    "precision",
    "Share of the flagged rows that are positive.",
    TP,
    _FLAGGED,
    aliases=("ppv", "positive_predictive_value"),
    reference="everyone",
    title="Precision",
    caveat="It falls with the share of positives in the data, whatever the model.",
    asks="how often a flagged row is positive",
    blind="the positives that are missed, and how sure the model was",
)
_share(
    "recall",
    "Share of the positive rows that are found.",
    TP,
    _POSITIVE,
    aliases=("sensitivity", "tpr", "true_positive_rate", "hit_rate", "detection_rate"),
    no_reference="a constant attains the best value",
    title="Recall",
    caveat="Flagging every row makes it 1.",
    asks="how many of the positive rows are found",
    blind=OTHER,
)
_share(
    "specificity",
    "Share of the negative rows that are not flagged.",
    TN,
    _NEGATIVE,
    aliases=("tnr", "true_negative_rate", "selectivity"),
    no_reference="a constant attains the best value",
    title="Specificity",
    caveat="Where negatives are many, a share near 1 may still be many false positives.",
    asks="how many of the negative rows are left alone",
    blind=OTHER,
)
_share(
    "npv",
    "Share of the rows not flagged that are negative.",
    TN,
    _NOT_FLAGGED,
    aliases=("negative_predictive_value",),
    reference="nobody",
    title="Negative predictive value",
    caveat="It rises with the share of negatives in the data, whatever the model.",
    asks="how often a row that is not flagged is negative indeed",
    blind="the negatives that are flagged, and how sure the model was",
)
_share(
    "fpr",
    "Share of the negative rows that are flagged.",
    FP,
    _NEGATIVE,
    complement="specificity",
    aliases=("false_positive_rate", "fall_out"),
    no_reference="a constant attains the best value",
    title="False positive rate",
    caveat="Where negatives are many, a share near 0 may still be many false positives.",
    asks="how many of the negative rows are flagged",
    blind="the positives that are missed, and how sure the model was",
)
_share(
    "fnr",
    "Share of the positive rows that are missed.",
    FN,
    _POSITIVE,
    complement="recall",
    aliases=("false_negative_rate", "miss_rate"),
    no_reference="a constant attains the best value",
    title="False negative rate",
    caveat="Flagging every row makes it 0.",
    asks="how many of the positive rows are missed",
    blind=OTHER,
)
_share(
    "fdr",
    "Share of the flagged rows that are negative.",
    FP,
    _FLAGGED,
    complement="precision",
    aliases=("false_discovery_rate",),
    reference="everyone",
    title="False discovery rate",
    caveat="It rises as positives get rare in the data, whatever the model.",
    asks="how often a flagged row is negative",
    blind="the positives that are missed, and how sure the model was",
)
_share_of_all(
    "flagged",
    "Share of the rows that are flagged.",
    TP,
    FP,
    aliases=("called", "called_share", "alert_rate", "predicted_positive_rate"),
    no_reference="a constant attains the best value",
    title="Share flagged",
    better="lower",
    formula="(TP + FP) / Σ w",
    caveat="Fewer flagged rows are less work; whether the right ones are left out it does not say.",
    asks="how many rows are flagged, and so how much work that makes",
    blind="whether a flagged row is positive",
)
_count_of_1000(
    "found",
    "Positive rows that are found, of 1,000 rows.",
    TP,
    "recall",
    aliases=("caught",),
    no_reference="a constant attains the best value",
    title="Found of 1,000",
    asks="how many of 1,000 rows are positive and found",
    blind=OTHER,
)
_count_of_1000(
    "missed",
    "Positive rows that are missed, of 1,000 rows.",
    FN,
    "recall",
    no_reference="a constant attains the best value",
    title="Missed of 1,000",
    asks="how many of 1,000 rows are positive and missed",
    blind=OTHER,
)
_count_of_1000(
    "false_positives",
    "Negative rows that are flagged, of 1,000 rows.",
    FP,
    "specificity",
    aliases=("false_alarms",),
    no_reference="a constant attains the best value",
    title="False positives of 1,000",
    asks="how many of 1,000 rows are negative and flagged",
    blind=f"the positives that are missed, and {SURE}",
)
