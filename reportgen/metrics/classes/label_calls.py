"""How well the labels that rows are called agree with those that they have."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any, Literal

import numpy as np

from reportgen.kernels.batch import Matrix, Vector
from reportgen.metrics import questions
from reportgen.metrics.classes.averages import averaged, ratio
from reportgen.metrics.classes.of_labels import CALLED, NO_ROW, called, fields_of, one_average
from reportgen.metrics.confusion import POWERS, THRESHOLD, threshold_limits
from reportgen.metrics.limits import outside
from reportgen.metrics.spec import METRICS, Image, Scalar, rowwise
from reportgen.metrics.statistic import Function
from reportgen.metrics.traits import ESTIMANDS
from reportgen.rows.label_sets import Flags

Average = Literal["macro", "weighted", "micro", "samples"]
Undefined = Literal["zero", "skip"]
OfCells = Callable[[Matrix, Matrix, Matrix, float], Matrix]
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
    "In an average, a label or a row that is never called counts 0, or is left out by undefined: "
    "skip."
)


def _limits(
    threshold: float,
    at: str = "",
    of: str | None = None,
    average: str = "macro",
    undefined: str = "zero",
    **_: Scalar,
) -> str | None:
    if of and undefined != "zero":
        return "undefined is for averages, and of names one label"
    return threshold_limits(threshold, at) or one_average(of, average)


def shares_of_rows(
    value: OfCells, had: Flags, said: Flags, undefined: str, beta: float = 1.0
) -> Vector:
    """A share of each row's own labels, (n,); 0, or nan, where its denominator is 0."""
    right, calls, there = (each.sum(axis=1).astype(np.float64) for each in (had & said, said, had))
    found = value(right, calls, there, beta)
    return np.where(np.isnan(found), 0.0, found) if undefined == "zero" else found


def cells_of_labels(had: Flags, said: Flags, average: str) -> Matrix:
    """What a row adds to right calls, calls and labels had: of each label, or of all, (n, 3k)."""
    parts = [had & said, said, had]
    if average == "micro":
        return np.stack([part.sum(axis=1) for part in parts], axis=1).astype(np.float64)
    return np.concatenate(parts, axis=1).astype(np.float64)


@dataclass(frozen=True)
class MeanOfLabels:
    """The mean of a share of each label, from the means of `cells_of_labels`, (b,)."""

    value: OfCells
    average: str = "macro"
    undefined: str = "zero"
    beta: float = 1.0

    def __call__(self, means: Matrix) -> Vector:
        """The values of some rows of means, (b, 3k), or (b, 3) of all cells together."""
        right, said, had = np.split(means, 3, axis=1)
        each = self.value(right, said, had, self.beta)
        if self.average == "micro":
            return np.asarray(each[:, 0])
        return averaged(each, had, self.average, self.undefined)


def of_label_calls(value: OfCells, **about: Any) -> Callable[[Function], Function]:
    """Register f(had, called, **params) -> (n,) shares of rows, or (n, 3k) cells of labels.

    `value` f(right, called, had, beta) is the share that it is of some cells. It is asked for by
    the name of the metric of two classes that it is where a label is named.
    """
    return partial(_register, value, about)


def _register(value: OfCells, about: Mapping[str, Any], function: Function) -> Function:
    own = function.__name__
    two = own.removeprefix("multilabel_")

    def fields(**params: Any) -> Mapping[str, Any]:
        found, average = fields_of(own, two, params), params["average"]
        if params.get("of"):
            return found
        undefined = params.get("undefined", "zero")
        if average == "samples":
            more = {"finish": None, "estimand": ESTIMANDS["mean"]}
            return {**found, **more, "leaves_out": undefined == "skip"}
        beta = params.get("beta", 1.0)
        return {**found, "finish": MeanOfLabels(value, average, undefined, beta)}

    register = partial(
        rowwise, task="multilabel", kind="decision", needs="label", better="higher", unit="share"
    )
    shared = {"asked_as": {"name": two}, "bounds": (0.0, 1.0), "estimand": "share of cells"}
    settled = {"inputs": called, "fields_for": fields, "check": _limits, **about}
    register(**shared, **settled, finish=MeanOfLabels(value))(function)
    return function


def _precision(right: Matrix, said: Matrix, had: Matrix, beta: float) -> Matrix:
    return ratio(right, said)


def _recall(right: Matrix, said: Matrix, had: Matrix, beta: float) -> Matrix:
    return ratio(right, had)


def _f(right: Matrix, said: Matrix, had: Matrix, beta: float) -> Matrix:
    return ratio((1 + beta**2) * right, beta**2 * had + said)


def _jaccard(right: Matrix, said: Matrix, had: Matrix, beta: float) -> Matrix:
    return ratio(right, had + said - right)


@of_label_calls(
    _precision,
    title="Precision",
    cite=f"{POWERS}; {TSOUMAKAS}",
    formula=f"of a label: weight called so that has it / weight called so. {EACH}",
    undefined=f"{NO_ROW}, or nothing is called",
    caveat=NEVER,
    answers=questions.CAUGHT,
    asks="how often a label that is called is there",
    blind=f"the labels that are not called, and {SURE}",
)
def multilabel_precision(
    had: Flags,
    said: Flags,
    *,
    average: Average = "macro",
    undefined: Undefined = "zero",
    of: str | None = None,
    threshold: float = THRESHOLD,
    at: str = "",
) -> Matrix:
    """Share of the calls of a label that are right: of one label, or on average."""
    if average == "samples":
        return shares_of_rows(_precision, had, said, undefined)
    return cells_of_labels(had, said, average)


def _with_all_together(n: int, *, average: str, **params: Any) -> Image | None:
    """Weighted by the rows that have each label it is the share of all that are there."""
    metric = METRICS["multilabel_recall"].use(**{**params, "average": "micro"})
    return Image(metric, (0.0, 1.0)) if average == "weighted" else None


@of_label_calls(
    _recall,
    image=_with_all_together,
    title="Recall",
    cite=f"{POWERS}; {TSOUMAKAS}",
    formula=f"of a label: weight that has it and is called so / weight that has it. {EACH}",
    undefined=f"{NO_ROW}, or no row has a label",
    caveat="Calling every label of every row makes it 1. In the mean of the rows one without "
    "labels counts 0, or is left out by undefined: skip.",
    answers=questions.CAUGHT,
    asks="how many of the labels that are there are called",
    blind=f"the labels that are called and not there, and {SURE}",
)
def multilabel_recall(
    had: Flags,
    said: Flags,
    *,
    average: Average = "macro",
    undefined: Undefined = "zero",
    of: str | None = None,
    threshold: float = THRESHOLD,
    at: str = "",
) -> Matrix:
    """Share of the rows with a label that are called so: of one label, or on average."""
    if average == "samples":
        return shares_of_rows(_recall, had, said, undefined)
    return cells_of_labels(had, said, average)


def _f_limits(beta: float, **params: Any) -> str | None:
    return outside("beta", beta, 1e-3, 1e3) or _limits(**params)


@of_label_calls(
    _f,
    check=_f_limits,
    aliases=("f1", "f_score", "f_measure", "dice"),
    title="F score",
    cite=f"{POWERS}; {TSOUMAKAS}",
    formula=f"of a label: (1 + β²)PR / (β²P + R). {EACH}",
    undefined=f"{NO_ROW}, or no label is called or there",
    caveat=f"{NEVER} A label of few rows counts in the mean of the labels as much as any other.",
    answers=questions.AGREEMENT,
    asks="how well the calls of a label agree with the rows that have it, both errors in one "
    "number",
    blind=f"the rows that neither have a label nor are called so, and {SURE}",
)
def multilabel_f(
    had: Flags,
    said: Flags,
    *,
    beta: float = 1.0,
    average: Average = "macro",
    undefined: Undefined = "zero",
    of: str | None = None,
    threshold: float = THRESHOLD,
    at: str = "",
) -> Matrix:
    """Harmonic mean of precision and recall, recall counting β times: of a label, or on average."""
    if average == "samples":
        return shares_of_rows(_f, had, said, undefined, beta)
    return cells_of_labels(had, said, average)


def _as_f(n: int, *, average: str, **params: Any) -> Image | None:
    """All cells together it rises with F, on no line."""
    metric = METRICS["multilabel_f"].use(average=average, beta=1.0, **params)
    return Image(metric) if average == "micro" else None


@of_label_calls(
    _jaccard,
    aliases=("iou", "threat_score", "critical_success_index"),
    title="Jaccard index",
    cite=f"{POWERS}; {TSOUMAKAS}",
    image=_as_f,
    formula=f"of a label: TP / (TP + FP + FN). {EACH}",
    undefined=f"{NO_ROW}, or no label is called or there",
    caveat=NEVER,
    answers=questions.AGREEMENT,
    asks="how many of the labels that are there or called are both",
    blind=f"the rows that neither have a label nor are called so, and {SURE}",
)
def multilabel_jaccard(
    had: Flags,
    said: Flags,
    *,
    average: Average = "macro",
    undefined: Undefined = "zero",
    of: str | None = None,
    threshold: float = THRESHOLD,
    at: str = "",
) -> Matrix:
    """Of the labels that are there or called, the share that is both: of a label, or on average."""
    if average == "samples":
        return shares_of_rows(_jaccard, had, said, undefined)
    return cells_of_labels(had, said, average)


@rowwise(
    aliases=("exact_match_ratio", "exact_match", "accuracy_score"),
    title="Subset accuracy",
    task="multilabel",
    kind="decision",
    better="higher",
    bounds=(0.0, 1.0),
    unit="share",
    cite=TSOUMAKAS,
    estimand="proportion",
    needs="label",
    inputs=called,
    check=_limits,
    formula=f"Σ w [called = had] / Σ w; {CALLED}",
    undefined=NO_ROW,
    caveat="One wrong label makes a row wrong, so that it falls as labels get many.",
    answers=questions.CALLS,
    asks="how often a row is called exactly the labels that it has",
    blind=f"how many labels of a row are wrong, and {SURE}",
)
def subset_accuracy(
    had: Flags, said: Flags, *, threshold: float = THRESHOLD, at: str = ""
) -> Vector:
    """Share of the rows that are called all labels that they have, and no other."""
    return np.asarray((had == said).all(axis=1), dtype=np.float64)


@rowwise(
    title="Hamming loss",
    task="multilabel",
    kind="decision",
    better="lower",
    bounds=(0.0, 1.0),
    unit="share",
    cite=TSOUMAKAS,
    estimand="mean",
    needs="label",
    inputs=called,
    check=_limits,
    formula=f"Σ w |called Δ had| / (k Σ w), k labels; {CALLED}",
    undefined=NO_ROW,
    caveat="Where most labels are not there, calling none at all is often near 0.",
    answers=questions.CALLS,
    asks="how often a label of a row is wrong, called or not",
    blind=f"whether a label is missed or called in vain, and {SURE}",
)
def hamming_loss(had: Flags, said: Flags, *, threshold: float = THRESHOLD, at: str = "") -> Vector:
    """Share of the labels of all rows that are called and not there, or there and not called."""
    return np.asarray((had != said).mean(axis=1))
