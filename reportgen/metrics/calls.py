"""Shares of calls: of all rows, of those of one class, of those called one class."""

from __future__ import annotations

from reportgen.kernels.batch import Vector
from reportgen.metrics import questions
from reportgen.metrics.binary import positives
from reportgen.metrics.confusion import FN, FP, POWERS, TN, TP, confusion
from reportgen.metrics.images import as_another
from reportgen.metrics.spec import Portion

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
    image=as_another("accuracy", 1.0, -1.0),
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
    portions=(Portion((TP,), (TP, FP)),),
    classes=positives,
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
    portions=(Portion((TP,), (TP, FN), is_of_y=True),),
    classes=positives,
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
    portions=(Portion((TN,), (TN, FP), is_of_y=True),),
    classes=positives,
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
    portions=(Portion((TN,), (TN, FN)),),
    classes=positives,
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
    portions=(Portion((FP,), (TN, FP), is_of_y=True),),
    image=as_another("specificity", 1.0, -1.0),
    classes=positives,
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
    portions=(Portion((FN,), (TP, FN), is_of_y=True),),
    image=as_another("recall", 1.0, -1.0),
    classes=positives,
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
    portions=(Portion((FP,), (TP, FP)),),
    image=as_another("precision", 1.0, -1.0),
    classes=positives,
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
    image=as_another("recall"),
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
    image=as_another("recall"),
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
    image=as_another("specificity"),
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
