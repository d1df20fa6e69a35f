"""Accuracy, precision, recall, F, MCC and kappa of several classes."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from math import inf
from typing import Any, Literal

import numpy as np

from reportgen.kernels.batch import Matrix, Vector
from reportgen.kernels.cumulative import divide
from reportgen.metrics import questions
from reportgen.metrics.class_shares import (
    JACCARD,
    PRECISION,
    RECALL,
    ClassShare,
    Undefined,
    make_f_share,
)
from reportgen.metrics.classification.confusion import POWERS
from reportgen.metrics.classification.multiclass_tables import (
    average_over_classes,
    multiclass_call_metric,
)
from reportgen.metrics.count_tables import ClassTables
from reportgen.metrics.lookup import check_range
from reportgen.metrics.metric import MonotoneImage
from reportgen.metrics.monotone import image_of_metric
from reportgen.metrics.statistic import Scalar
from reportgen.metrics.traits import TableShare

Average = Literal["macro", "weighted", "micro"]
AverageOfF = Literal["macro", "weighted", "micro", "macro_pr"]
GORODKIN = (
    "Gorodkin (2004), Comparing two K-category assignments by a K-category correlation "
    "coefficient, Computational Biology and Chemistry 28; doi:10.1016/j.compbiolchem.2004.09.006"
)
COHEN = (
    "Cohen (1968), Weighted kappa: nominal scale agreement with provision for scaled disagreement "
    "or partial credit, Psychological Bulletin 70; doi:10.1037/h0026256"
)
OPITZ = "Opitz & Burst (2019), Macro F1 and macro F1; arXiv:1911.03347"
EACH_CLASS = (
    "macro: the mean of the classes that have rows, each with the same say; weighted: each by its "
    "weight; micro: all rows together."
)
CALLED = "a row is predicted as the class with the largest score"
SURE = "how sure the model was"
NO_ROW = "where no row has weight"
NO_CLASS = "where the class has no row, or, of precision, is never predicted"


def select_or_average(
    each: Callable[[ClassTables], Matrix],
    tables: ClassTables,
    of: Any,
    average: str,
    undefined: str,
) -> Vector:
    """Return the value of the class at an index, or of all classes together."""
    if of is not None:
        return np.asarray(each(tables)[:, of])
    if average == "micro":
        return np.asarray(tables.right.sum(axis=1))
    return average_over_classes(each(tables), tables.truth, average, undefined)


def row_cells(place: int, k: int) -> tuple[int, ...]:
    """Return the cells of the rows of a class."""
    return tuple(range(place * k, place * k + k))


def column_cells(place: int, k: int) -> tuple[int, ...]:
    """Return the cells of the rows predicted as a class."""
    return tuple(range(place, k * k, k))


def _check_average(
    of: str | None = None, average: str = "macro", undefined: str = "zero", **_: Scalar
) -> str | None:
    """Describe why an average does not go with a value of one class, or return None."""
    if of and average != "macro":
        return f"average: {average} is of all classes, and of: {of} names one"
    return (
        "undefined is for averages, and of names one class"
        if of and undefined != "zero"
        else (None)
    )


def _average_share(
    share: ClassShare, *, average: str = "macro", undefined: Undefined = "zero", **_: Any
) -> ClassShare | None:
    """Return the share of each class that a metric averages, each class with the same say."""
    return replace(share, undefined=undefined) if average == "macro" else None


def _average_f(*, beta: float, **params: Any) -> ClassShare | None:
    return _average_share(make_f_share(beta), **params)


def _image_of_accuracy(n: int, *, average: str = "macro", **_: Scalar) -> MonotoneImage | None:
    """Return accuracy: all rows together, or recalls by their classes' weight, are that share."""
    return image_of_metric("multiclass_accuracy", 0.0, 1.0)(n) if average == "micro" else None


def _image_with_accuracy(n: int, *, average: str = "macro", **_: Scalar) -> MonotoneImage | None:
    """Return all rows together it rises with the share of right calls, and on no line."""
    return image_of_metric("multiclass_accuracy")(n) if average == "micro" else None


def _image_of_recall(n: int, *, average: str = "macro", **_: Scalar) -> MonotoneImage | None:
    is_accuracy = average in ("micro", "weighted")
    return image_of_metric("multiclass_accuracy", 0.0, 1.0)(n) if is_accuracy else None


_averaged_call_metric = partial(
    multiclass_call_metric,
    better="higher",
    cite=POWERS,
    undefined=NO_ROW,
    answers=questions.CALLS,
    estimand="share of cells",
    blind=f"which classes are taken for which, and {SURE}",
)


@_averaged_call_metric(
    "accuracy",
    reference="commonest class",
    title="Accuracy",
    estimand="proportion",
    formula=f"Σ w [predicted = y] / Σ w; {CALLED}",
    caveat="Where one class has most rows, predicting that class for every row is often right.",
    asks="how often a row is predicted as the class that it is",
)
def multiclass_accuracy(tables: ClassTables) -> Vector:
    """Share of the rows that are called the class that they are."""
    return np.asarray(tables.right.sum(axis=1))


@_averaged_call_metric(
    "error_rate",
    reference="commonest class",
    title="Error rate",
    better="lower",
    estimand="proportion",
    image=image_of_metric("multiclass_accuracy", 1.0, -1.0),
    formula=f"Σ w [predicted ≠ y] / Σ w; {CALLED}",
    caveat="Where one class has most rows, predicting that class for every row is often right.",
    asks="how often a row is predicted as another class",
)
def multiclass_error_rate(tables: ClassTables) -> Vector:
    """Share of the rows that are called another class than theirs."""
    return np.asarray(1 - tables.right.sum(axis=1))


@_averaged_call_metric(
    "class_distance",
    reference="best class",
    title="Distance of classes",
    better="lower",
    bounds=(0.0, inf),
    unit="classes",
    cite=COHEN,
    estimand="mean",
    formula=f"Σ w |place of the predicted class − place of y| / Σ w; {CALLED}",
    caveat="The order of the classes is that of the config, or of their values; where they have "
    "none the number says nothing.",
    asks="how many classes a prediction is off on average, where classes have an order",
    blind=f"whether predictions are too high or too low, and {SURE}",
)
def class_distance(tables: ClassTables) -> Vector:
    """Mean distance of the class called from the class that is, in places of their order."""
    place = np.arange(tables.classes)
    apart = np.abs(place[:, None] - place[None, :]).astype(np.float64)
    return tables.sum_costs(apart)


@_averaged_call_metric(
    "balanced_accuracy",
    estimand="mean over classes",
    by_class=partial(_average_share, RECALL),
    reference="commonest class",
    title="Balanced accuracy",
    image=image_of_metric("multiclass_recall"),
    formula="mean of the recalls of the classes that have rows",
    caveat="A class of few rows counts as much as any other, and makes it uncertain.",
    asks="how often a row is classified correctly, every class counting alike",
)
def multiclass_balanced_accuracy(tables: ClassTables) -> Vector:
    """Mean over the classes of the share of their rows that is called so."""
    return average_over_classes(divide(tables.right, tables.truth), tables.truth, "macro")


@_averaged_call_metric(
    "precision",
    estimand="mean over classes",
    by_class=partial(_average_share, PRECISION),
    reference="commonest class",
    title="Precision",
    of_one="proportion of some rows",
    share=lambda at, k: (TableShare((at * k + at,), column_cells(at, k)),),
    check=_check_average,
    image=_image_of_accuracy,
    formula=f"of a class: weight predicted as it that is / weight predicted as it. {EACH_CLASS}",
    undefined=NO_CLASS,
    caveat="In an average a class that is never predicted counts 0, or is left out by undefined: "
    "skip.",
    answers=questions.CAUGHT,
    asks="how often a row that is predicted as a class is of it",
    blind=f"the rows of a class that are predicted as another, and {SURE}",
)
def multiclass_precision(
    tables: ClassTables,
    *,
    average: Average = "macro",
    undefined: Undefined = "zero",
    of: str | None = None,
) -> Vector:
    """Share of the rows predicted as a class that are of it: of one class, or on average."""
    return select_or_average(lambda t: divide(t.right, t.calls), tables, of, average, undefined)


@_averaged_call_metric(
    "recall",
    estimand="mean over classes",
    by_class=partial(_average_share, RECALL),
    reference="commonest class",
    title="Recall",
    of_one="proportion of some rows",
    share=lambda at, k: (TableShare((at * k + at,), row_cells(at, k), is_of_y=True),),
    check=_check_average,
    image=_image_of_recall,
    formula=f"of a class: its weight predicted as it / its weight. {EACH_CLASS}",
    undefined="where no row has weight, or the class has no row",
    caveat="Predicting one class for every row makes its recall 1.",
    answers=questions.CAUGHT,
    asks="how often a row of a class is predicted as it",
    blind=f"the rows of other classes that are predicted as it, and {SURE}",
)
def multiclass_recall(
    tables: ClassTables, *, average: Average = "macro", of: str | None = None
) -> Vector:
    """Share of the rows of a class that are called so: of one class, or on average."""
    return select_or_average(lambda t: divide(t.right, t.truth), tables, of, average, "zero")


def class_f_scores(tables: ClassTables, beta: float) -> Matrix:
    """F of each class, (b, k), from its cells: 0 where it has rows and none is called right."""
    square = beta**2
    return divide((1 + square) * tables.right, square * tables.truth + tables.calls)


def harmonic_mean(precision: Vector, recall: Vector, beta: float) -> Vector:
    """Compute the weighted harmonic mean, 0 where both are."""
    square = beta**2
    below = square * precision + recall
    found = np.where(np.isnan(below), np.nan, 0.0)
    np.divide((1 + square) * precision * recall, below, out=found, where=below > 0)
    return found


def _check_f_parameters(
    beta: float, of: str | None = None, average: str = "macro", undefined: str = "zero"
) -> str | None:
    wrong = check_range("beta", beta, 1e-3, 1e3)
    return wrong or _check_average(of, average, undefined)


def _find_f_estimand(beta: float) -> str:
    """With β = 1 its odds are twice those of the Jaccard index."""
    return "twice the odds of some rows" if beta == 1 else "share of cells"


def _cells_of_f(at: int, k: int) -> tuple[TableShare, ...]:
    either = tuple(sorted({*row_cells(at, k), *column_cells(at, k)}))
    return (TableShare((at * k + at,), either),)


@_averaged_call_metric(
    "f",
    estimand="mean over classes",
    by_class=_average_f,
    reference="commonest class",
    aliases=("f1", "f_score", "f_measure", "dice"),
    title="F score",
    cite=f"{POWERS}; {OPITZ}",
    of_one=_find_f_estimand,
    share=_cells_of_f,
    check=_check_f_parameters,
    image=_image_of_accuracy,
    formula=f"of a class: (1 + β²)PR / (β²P + R). {EACH_CLASS} macro_pr: F of the mean precision "
    "and "
    "the mean recall",
    undefined="where no row has weight, or the class has no row and is never predicted",
    caveat="Two means go by the name of macro F: of the classes' F (macro), and F of mean "
    "precision and recall (macro_pr), which is never smaller.",
    answers=questions.AGREEMENT,
    asks="how well the predictions of a class agree with its rows, both errors in one number",
    blind=f"the rows that are neither of a class nor predicted as it, and {SURE}",
)
def multiclass_f(
    tables: ClassTables,
    *,
    beta: float = 1.0,
    average: AverageOfF = "macro",
    undefined: Undefined = "zero",
    of: str | None = None,
) -> Vector:
    """Harmonic mean of precision and recall, recall counting β times: of a class, or on average."""
    if of is None and average == "macro_pr":
        of_calls_, of_rows = (divide(tables.right, part) for part in (tables.calls, tables.truth))
        precision = average_over_classes(of_calls_, tables.truth, "macro", undefined)
        return harmonic_mean(precision, average_over_classes(of_rows, tables.truth, "macro"), beta)
    return select_or_average(lambda t: class_f_scores(t, beta), tables, of, average, undefined)


@_averaged_call_metric(
    "jaccard",
    estimand="mean over classes",
    by_class=partial(_average_share, JACCARD),
    reference="commonest class",
    aliases=("iou", "threat_score", "critical_success_index"),
    title="Jaccard index",
    of_one="proportion of some rows",
    share=_cells_of_f,
    check=_check_average,
    image=_image_with_accuracy,
    formula=f"of a class: TP / (TP + FP + FN). {EACH_CLASS}",
    undefined="where no row has weight, or the class has no row and is never predicted",
    caveat="It orders models as F does for one class, but an average of it need not.",
    answers=questions.AGREEMENT,
    asks="how many of the rows that are of a class or predicted as it are both",
    blind=f"the rows that are neither of a class nor predicted as it, and {SURE}",
)
def multiclass_jaccard(
    tables: ClassTables,
    *,
    average: Average = "macro",
    undefined: Undefined = "zero",
    of: str | None = None,
) -> Vector:
    """Of the rows that are of a class or called so, the share that is both: or on average."""
    if of is None and average == "micro":
        both = tables.right.sum(axis=1)
        return np.asarray(both / (2 - both))
    return select_or_average(
        lambda t: divide(t.right, t.truth + t.calls - t.right),
        tables,
        of,
        average,
        undefined,
    )


@_averaged_call_metric(
    "mcc",
    chance=0.0,
    aliases=("matthews", "matthews_correlation", "phi_coefficient", "r_k"),
    title="Matthews correlation",
    bounds=(-1.0, 1.0),
    unit="1",
    cite=GORODKIN,
    estimand="correlation of cells",
    formula="(Σ right − Σ_k t_k c_k) / √((1 − Σ c_k²)(1 − Σ t_k²)), t the true and c the predicted "
    "shares",
    undefined="where all rows are of one class, or all are predicted as one",
    caveat="Its least value is above −1 where classes are more than two.",
    answers=questions.AGREEMENT,
    asks="how far predicted and true classes go together (0 is chance)",
)
def multiclass_mcc(tables: ClassTables) -> Vector:
    """Correlation of what is called with what is, over all classes: R_K."""
    is_, said = tables.truth, tables.calls
    both = (1 - np.sum(is_**2, axis=1)) * (1 - np.sum(said**2, axis=1))
    varies = ((is_ > 0).sum(axis=1) > 1) & ((said > 0).sum(axis=1) > 1)
    above = tables.right.sum(axis=1) - np.sum(is_ * said, axis=1)
    found = divide(above, np.sqrt(np.where(varies, np.maximum(both, 0.0), 0.0)))
    return np.asarray(np.clip(found, -1.0, 1.0))


def _title_of_kappa(weights: str = "none", **_: Any) -> str:
    """Return the title: a kappa weighted by the distance between classes is not Cohen's."""
    return "Cohen's kappa" if weights == "none" else f"{weights.capitalize()}-weighted kappa"


@_averaged_call_metric(
    "kappa",
    chance=0.0,
    aliases=("cohen_kappa",),
    title="Cohen's kappa",
    titled=_title_of_kappa,
    bounds=(-1.0, 1.0),
    unit="1",
    cite=COHEN,
    estimand="correlation of cells",
    formula="1 − Σ v_jk s_jk / Σ v_jk t_j c_k; v is 1 off the diagonal, |j − k| or (j − k)²",
    undefined="where all rows are of one class and predicted as it",
    caveat="With linear or quadratic weights the order of the classes in the config counts.",
    answers=questions.AGREEMENT,
    asks="how far predicted and true classes agree beyond chance (0 is chance)",
)
def multiclass_kappa(
    tables: ClassTables, *, weights: Literal["none", "linear", "quadratic"] = "none"
) -> Vector:
    """Agreement of calls with classes beyond what both shares alone would give."""
    k = tables.classes
    apart = np.abs(np.arange(k)[:, None] - np.arange(k)[None, :]).astype(np.float64)
    cost = {"none": (apart > 0) * 1.0, "linear": apart, "quadratic": apart**2}[weights]
    seen = tables.sum_costs(cost)
    chance = np.einsum("bj,bk,jk->b", tables.truth, tables.calls, cost)
    return 1 - divide(seen, chance)
