"""Metrics of predicted label sets."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial
from typing import Any, Literal

import numpy as np

from reportgen.kernels.batch import Matrix, Vector
from reportgen.kernels.cumulative import divide
from reportgen.metrics import questions
from reportgen.metrics.class_shares import (
    JACCARD,
    PRECISION,
    RECALL,
    Undefined,
    make_f_share,
)
from reportgen.metrics.classification.confusion import POWERS, THRESHOLD, check_threshold
from reportgen.metrics.classification.multiclass_tables import (
    average_over_classes,
    find_class_place,
)
from reportgen.metrics.lookup import check_range
from reportgen.metrics.metric import METRICS, Metric, MonotoneImage, rowwise
from reportgen.metrics.rows import Classes, Flags, LabelSets
from reportgen.metrics.statistic import Function, Scalar, adopt_parameters
from reportgen.metrics.traits import ESTIMANDS
from reportgen.records import record

SHARED = tuple(
    """
    estimand shape function finish cells portions class_share inputs classes fast influence
    leave_one_out smoothed bias derive image undefined leaves_out title
""".split()
)
"""The fields of a metric that those of two classes replace where a label is named."""
CALLABLE = ("function", "fast", "influence", "leave_one_out", "smoothed", "bias", "classes")
NO_ROW = "where no row has weight"
CALLED = "every label is predicted whose score is at least the threshold"


def get_called_labels(
    rows: LabelSets, *, threshold: float, at: str, **_: Scalar
) -> tuple[Flags, Flags]:
    """Return the labels that each row has, and those flagged for it, (n, k) each."""
    return rows.flags, rows.flag_labels(threshold, at)


def get_scored_labels(rows: LabelSets, **_: Scalar) -> tuple[Flags, Any]:
    """Return the labels that each row has, and their scores, (n, k) each."""
    return rows.flags, rows.scores


def check_average(of: str | None = None, average: str = "macro", **_: Scalar) -> str | None:
    """Describe an average that does not go with the name of a label, or return None."""
    if of and average != "macro":
        return f"average: {average} is of all labels, and of: {of} names one"
    return None


def one_label_fields(name: str, two: str, **params: Any) -> dict[str, Any]:
    """Return the fields of a metric where `of` names a label: those of the two-class metric."""
    known = {p.name for p in METRICS[two].parameters}
    used = METRICS[two].use(**{key: value for key, value in params.items() if key in known})
    made: dict[str, Any] = {field: getattr(used, field) for field in SHARED}
    made |= {field: _fix_parameters(used, made[field]) for field in CALLABLE}
    made |= {
        "derive": _select_label,
        "image": None,
        "title": f"{METRICS[name].title} of {params['of']}",
    }
    return {**made, "inputs": _inputs(used)}


def all_label_fields(name: str) -> dict[str, Any]:
    """Return the same fields where no label is named, as they were registered."""
    return {field: getattr(METRICS[name], field) for field in SHARED}


def _select_label(rows: LabelSets, *, of: str, **_: Scalar) -> Classes:
    place = find_class_place(rows, of)
    assert place is not None
    return rows.isolate(place)


def _fix_parameters(used: Metric, function: Callable[..., Any] | None) -> Callable[..., Any] | None:
    """Fix a function's parameters to those of the two-class metric, whatever it is given."""
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


def label_fields(name: str, two: str, params: Mapping[str, Any]) -> dict[str, Any]:
    """Return those of one label if `of` names it, else as registered."""
    return one_label_fields(name, two, **params) if params.get("of") else all_label_fields(name)


Average = Literal["macro", "weighted", "micro", "samples"]
CellFunction = Callable[[Matrix, Matrix, Matrix], Matrix]
TSOUMAKAS = (
    "Tsoumakas, Katakis & Vlahavas (2010), Mining multi-label data, Data Mining and Knowledge "
    "Discovery Handbook; doi:10.1007/978-0-387-09823-4_34"
)
EACH = (
    "macro: the mean of the labels that some row has, each with the same say; weighted: each by "
    "the weight that has it; micro: all cells of rows and labels together; samples: the mean of "
    "the rows, each over its own labels."
)
SURE = "how sure the model was"
NEVER = (
    "In an average, a label or a row without predictions counts 0, or is left out by undefined: "
    "skip."
)


def _check_call_parameters(
    threshold: float,
    at: str = "",
    of: str | None = None,
    average: str = "macro",
    undefined: str = "zero",
    **_: Scalar,
) -> str | None:
    if of and undefined != "zero":
        return "undefined is for averages, and of names one label"
    return check_threshold(threshold, at) or check_average(of, average)


def compute_row_shares(value: CellFunction, had: Flags, said: Flags, undefined: str) -> Vector:
    """Compute a share of each row's own labels, (n,); 0, or nan, where its denominator is 0."""
    right, calls, there = (each.sum(axis=1).astype(np.float64) for each in (had & said, said, had))
    found = value(right, calls, there)
    return np.where(np.isnan(found), 0.0, found) if undefined == "zero" else found


def compute_label_cells(had: Flags, said: Flags, average: str) -> Matrix:
    """Return each row's correct flags, flags and labels present, per label or in all, (n, 3k)."""
    parts = [had & said, said, had]
    if average == "micro":
        return np.stack([part.sum(axis=1) for part in parts], axis=1).astype(np.float64)
    return np.concatenate(parts, axis=1).astype(np.float64)


@record
class LabelMean:
    """The mean of a share of each label, from the means of `compute_label_cells`, (b,)."""

    value: CellFunction
    average: str = "macro"
    undefined: str = "zero"

    def __call__(self, means: Matrix) -> Vector:
        """Compute the values from rows of means, (b, 3k), or (b, 3) of all cells together."""
        right, said, had = np.split(means, 3, axis=1)
        each = self.value(right, said, had)
        if self.average == "micro":
            return np.asarray(each[:, 0])
        return average_over_classes(each, had, self.average, self.undefined)


def multilabel_call_metric(**about: Any) -> Callable[[Function], Function]:
    """Register f(right, called, had, **params), a share of some cells, as a metric of labels.

    `share` is what it is of each label, or f(beta) gives it.
    It is asked for by the name of the metric of two classes that it is where a label is named.
    """
    return partial(_register, about)


def _register(about: Mapping[str, Any], function: Function) -> Function:
    own = function.__name__
    two = own.removeprefix("multilabel_")
    about = dict(about)
    share: Any = about.pop("share")
    names = tuple(inspect.signature(function).parameters)[3:]

    def bind_own(params: Mapping[str, Any]) -> CellFunction:
        return partial(function, **{name: params[name] for name in names})

    def cells(had: Flags, said: Flags, **params: Any) -> Matrix:
        if params["average"] == "samples":
            return compute_row_shares(bind_own(params), had, said, params["undefined"])
        return compute_label_cells(had, said, params["average"])

    def fields(**params: Any) -> Mapping[str, Any]:
        found, average = dict(label_fields(own, two, params)), params["average"]
        if params.get("of"):
            return found
        undefined = params.get("undefined", "zero")
        own_share = share(params["beta"]) if callable(share) else share
        if average == "macro":
            found |= {"class_share": replace(own_share, undefined=undefined)}
        else:
            found |= {"class_share": None, "estimand": ESTIMANDS["share of cells"]}
        if average == "samples":
            more = {"finish": None, "estimand": ESTIMANDS["mean"]}
            return {**found, **more, "leaves_out": undefined == "skip"}
        return {**found, "finish": LabelMean(bind_own(params), average, undefined)}

    def parameters(
        *,
        average: Average = "macro",
        undefined: Undefined = "zero",
        of: str | None = None,
        threshold: float = THRESHOLD,
        at: str = "",
    ) -> None:
        """Declare what all metrics of this family take."""

    adopt_parameters(cells, function, function, parameters)
    register = partial(
        rowwise, task="multilabel", kind="decision", needs="label", better="higher", unit="share"
    )
    shared = {
        "asked_as": {"name": two},
        "bounds": (0.0, 1.0),
        "estimand": "mean over classes",
        "cite": f"{POWERS}; {TSOUMAKAS}",
        "inputs": get_called_labels,
        "fields_for": fields,
        "check": _check_call_parameters,
    }
    register(**{**shared, **about}, finish=LabelMean(function))(cells)
    return function


@multilabel_call_metric(
    share=PRECISION,
    reference="labels",
    title="Precision",
    formula=f"of a label: weight predicted to have it that has it / weight predicted to have it. "
    f"{EACH}",
    undefined=f"{NO_ROW}, or nothing is predicted",
    caveat=NEVER,
    answers=questions.CAUGHT,
    asks="how often a predicted label is there",
    blind=f"the labels that are missed, and {SURE}",
)
def multilabel_precision(right: Matrix, called: Matrix, had: Matrix) -> Matrix:
    """Share of the flags of a label that are right: of one label, or on average."""
    return divide(right, called)


def _image_of_recall(n: int, *, average: str, **params: Any) -> MonotoneImage | None:
    """Weighted by the rows that have each label it is the share of all that are there."""
    metric = METRICS["multilabel_recall"].use(**{**params, "average": "micro"})
    return MonotoneImage(metric, (0.0, 1.0)) if average == "weighted" else None


@multilabel_call_metric(
    share=RECALL,
    no_reference="a constant attains the best value",
    image=_image_of_recall,
    title="Recall",
    formula=f"of a label: weight that has it and is predicted to / weight that has it. {EACH}",
    undefined=f"{NO_ROW}, or no row has a label",
    caveat="Predicting every label for every row makes it 1. In the mean of the rows one without "
    "labels counts 0, or is left out by undefined: skip.",
    answers=questions.CAUGHT,
    asks="how many of the labels that are there are predicted",
    blind=f"the labels that are predicted and not there, and {SURE}",
)
def multilabel_recall(right: Matrix, called: Matrix, had: Matrix) -> Matrix:
    """Share of the rows with a label that are called so: of one label, or on average."""
    return divide(right, had)


def _check_beta(beta: float, **params: Any) -> str | None:
    return check_range("beta", beta, 1e-3, 1e3) or _check_call_parameters(**params)


@multilabel_call_metric(
    share=make_f_share,
    reference="labels",
    check=_check_beta,
    aliases=("f1", "f_score", "f_measure", "dice"),
    title="F score",
    formula=f"of a label: (1 + β²)PR / (β²P + R). {EACH}",
    undefined=f"{NO_ROW}, or no label is predicted or there",
    caveat=f"{NEVER} A label of few rows counts in the mean of the labels as much as any other.",
    answers=questions.AGREEMENT,
    asks="how well the predictions of a label agree with the rows that have it, both errors in one "
    "number",
    blind=f"the rows that neither have a label nor are predicted to, and {SURE}",
)
def multilabel_f(right: Matrix, called: Matrix, had: Matrix, *, beta: float = 1.0) -> Matrix:
    """Harmonic mean of precision and recall, recall counting β times: of a label, or on average."""
    return divide((1 + beta**2) * right, beta**2 * had + called)


def _image_of_f(n: int, *, average: str, **params: Any) -> MonotoneImage | None:
    """Return all cells together it rises with F, on no line."""
    metric = METRICS["multilabel_f"].use(average=average, beta=1.0, **params)
    return MonotoneImage(metric) if average == "micro" else None


@multilabel_call_metric(
    share=JACCARD,
    reference="labels",
    aliases=("iou", "threat_score", "critical_success_index"),
    title="Jaccard index",
    image=_image_of_f,
    formula=f"of a label: TP / (TP + FP + FN). {EACH}",
    undefined=f"{NO_ROW}, or no label is predicted or there",
    caveat=NEVER,
    answers=questions.AGREEMENT,
    asks="how many of the labels that are there or predicted are both",
    blind=f"the rows that neither have a label nor are predicted to, and {SURE}",
)
def multilabel_jaccard(right: Matrix, called: Matrix, had: Matrix) -> Matrix:
    """Of the labels that are there or called, the share that is both: of a label, or on average."""
    return divide(right, had + called - right)


_label_set_metric = partial(
    rowwise,
    task="multilabel",
    kind="decision",
    bounds=(0.0, 1.0),
    unit="share",
    cite=TSOUMAKAS,
    needs="label",
    inputs=get_called_labels,
    check=_check_call_parameters,
    undefined=NO_ROW,
    answers=questions.CALLS,
)


@_label_set_metric(
    reference="label set",
    aliases=("exact_match_ratio", "exact_match", "accuracy_score"),
    title="Subset accuracy",
    better="higher",
    estimand="proportion",
    formula=f"Σ w [predicted = had] / Σ w; {CALLED}",
    caveat="One wrong label makes a row wrong, so that it falls as labels get many.",
    asks="how often exactly the labels of a row are predicted",
    blind=f"how many labels of a row are wrong, and {SURE}",
)
def subset_accuracy(
    had: Flags, said: Flags, *, threshold: float = THRESHOLD, at: str = ""
) -> Vector:
    """Share of the rows that are called all labels that they have, and no other."""
    return np.asarray((had == said).all(axis=1), dtype=np.float64)


@_label_set_metric(
    reference="labels",
    title="Hamming loss",
    better="lower",
    estimand="mean",
    formula=f"Σ w |predicted Δ had| / (k Σ w), k labels; {CALLED}",
    caveat="Where most labels are not there, predicting none at all is often near 0.",
    asks="how often a label of a row is wrong, predicted or not",
    blind=f"whether a label is missed or a false positive, and {SURE}",
)
def hamming_loss(had: Flags, said: Flags, *, threshold: float = THRESHOLD, at: str = "") -> Vector:
    """Share of the labels of all rows that are called and not there, or there and not called."""
    return np.asarray((had != said).mean(axis=1))
