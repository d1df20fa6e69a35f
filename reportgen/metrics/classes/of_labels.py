"""What metrics of rows with any number of labels share: their inputs, and that of one label.

A metric of one label is the metric of two classes of the same name, on rows that have it or not.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from reportgen.metrics.classes.of_calls import place_of
from reportgen.metrics.parameters import Scalar
from reportgen.metrics.spec import METRICS, Metric
from reportgen.rows import Classes, LabelSets
from reportgen.rows.label_sets import Flags

SHARED = (
    "estimand", "shape", "function", "finish", "cells", "portions", "inputs", "classes", "fast",
    "influence", "leave_one_out", "smoothed", "bias", "derive", "image", "undefined", "leaves_out",
    "title",
)  # fmt: skip
"""The fields of a metric that those of two classes replace where a label is named."""
CALLABLE = ("function", "fast", "influence", "leave_one_out", "smoothed", "bias", "classes")
NO_ROW = "where no row has weight"
CALLED = "a row is called every label whose score is at least the threshold"


def called(rows: LabelSets, *, threshold: float, at: str, **_: Scalar) -> tuple[Flags, Flags]:
    """The labels that each row has, and those that it is called, (n, k) each."""
    return rows.flags, rows.called(threshold, at)


def scored(rows: LabelSets, **_: Scalar) -> tuple[Flags, Any]:
    """The labels that each row has, and their scores, (n, k) each."""
    return rows.flags, rows.scores


def one_average(of: str | None = None, average: str = "macro", **_: Scalar) -> str | None:
    """What is wrong with an average beside the name of a label, or None."""
    if of and average != "macro":
        return f"average: {average} is of all labels, and of: {of} names one"
    return None


def of_one_label(name: str, two: str, **params: Any) -> dict[str, Any]:
    """The fields of a metric where `of` names a label: those of the metric of two classes."""
    known = {p.name for p in METRICS[two].parameters}
    used = METRICS[two].use(**{key: value for key, value in params.items() if key in known})
    made: dict[str, Any] = {field: getattr(used, field) for field in SHARED}
    made |= {field: _fixed(used, made[field]) for field in CALLABLE}
    made |= {"derive": _label, "image": None, "title": f"{METRICS[name].title} of {params['of']}"}
    return {**made, "inputs": _inputs(used)}


def of_all_labels(name: str) -> dict[str, Any]:
    """The same fields where no label is named: as they were registered."""
    return {field: getattr(METRICS[name], field) for field in SHARED}


def _label(rows: LabelSets, *, of: str, **_: Scalar) -> Classes:
    place = place_of(rows, of)
    assert place is not None
    return rows.of(place)


def _fixed(used: Metric, function: Callable[..., Any] | None) -> Callable[..., Any] | None:
    """A function of the metric of two classes with that one's parameters, whatever it is given."""
    if function is None:
        return None

    def value(*given: Any, **_: Any) -> Any:
        return function(*given, **used.params)

    value.__module__, value.__doc__ = function.__module__, function.__doc__
    return value


def _inputs(used: Metric) -> Callable[..., tuple[np.ndarray[Any, Any], ...]]:
    def inputs(rows: Classes, **_: Scalar) -> tuple[np.ndarray[Any, Any], ...]:
        return rows.inputs() if used.inputs is None else used.inputs(rows, **used.params)

    return inputs


def fields_of(name: str, two: str, params: Mapping[str, Any]) -> dict[str, Any]:
    """Those of one label if `of` names it, else as registered."""
    return of_one_label(name, two, **params) if params.get("of") else of_all_labels(name)
