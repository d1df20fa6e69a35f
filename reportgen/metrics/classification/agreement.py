"""F, Jaccard, MCC, kappa, net benefit: both errors in one number."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from math import inf
from typing import Any

import numpy as np

from reportgen.kernels.batch import Vector
from reportgen.kernels.thresholds import FN, FP, TN, TP
from reportgen.metrics import questions
from reportgen.metrics.classification.confusion import POWERS, check_threshold, confusion
from reportgen.metrics.classification.roc import positive_mask
from reportgen.metrics.metric import METRICS, MonotoneImage
from reportgen.metrics.monotone import image_of_metric
from reportgen.metrics.statistic import Scalar
from reportgen.metrics.traits import ESTIMANDS, TableShare

RIJSBERGEN = "van Rijsbergen (1979), Information Retrieval, 2nd edition, chapter 7"
CHINCHOR = (
    "Chinchor (1992), MUC-4 evaluation metrics, Proceedings of the 4th Message Understanding "
    "Conference; doi:10.3115/1072064.1072067"
)
FOWLKES = (
    "Fowlkes & Mallows (1983), A method for comparing two hierarchical clusterings, Journal of the "
    "American Statistical Association 78; doi:10.1080/01621459.1983.10478008"
)
BRODERSEN = (
    "Brodersen, Ong, Stephan & Buhmann (2010), The balanced accuracy and its posterior "
    "distribution, ICPR; doi:10.1109/ICPR.2010.764"
)
MATTHEWS = (
    "Matthews (1975), Comparison of the predicted and observed secondary structure of T4 phage "
    "lysozyme, Biochimica et Biophysica Acta 405; doi:10.1016/0005-2795(75)90109-9"
)
COHEN = (
    "Cohen (1960), A coefficient of agreement for nominal scales, Educational and Psychological "
    "Measurement 20; doi:10.1177/001316446002000104"
)
VICKERS = (
    "Vickers & Elkin (2006), Decision curve analysis: a novel method for evaluating prediction "
    "models, Medical Decision Making 26; doi:10.1177/0272989X06295361"
)
NEGATIVES = "negatives that are rightly left alone, and how sure the model was"
MARGIN = "where a class has no row, or is never predicted"
BOTH = (TableShare((TP,), (TP, FN)), TableShare((TN,), (TN, FP)))
BOTH_CALLED = (TableShare((TP,), (TP, FP)), TableShare((TN,), (TN, FN)))


def _check_f_parameters(threshold: float, beta: float, **at: Scalar) -> str | None:
    if not beta > 0:
        return f"beta is {beta:g}, but must be above 0"
    return check_threshold(threshold, **at)  # type: ignore[arg-type]


def _f_score_fields(beta: float, **_: Scalar) -> Mapping[str, Any]:
    """F1 rises with the Jaccard index and has its limits; no other beta does."""
    is_f1 = beta == 1
    kind = ESTIMANDS["twice the odds of some rows" if is_f1 else "share of cells"]
    rows = (TableShare((TP,), (TP, FP, FN)),) if is_f1 else ()
    return {"portions": rows, "estimand": kind, "title": f"F{beta:g}"}


_agreement_metric = partial(
    confusion,
    better="higher",
    unit="1",
    answers=questions.AGREEMENT,
    bounds=(0.0, 1.0),
    classes=positive_mask,
    cite=POWERS,
    undefined="where a class has no row",
    blind="how rare a class is, and how sure the model was",
)
_agreement_on_positives = partial(
    _agreement_metric,
    undefined="where no row is positive and none is flagged",
    caveat="It falls with the share of positives in the data, whatever the model.",
    blind=NEGATIVES,
    reference="everyone or nobody",
)


@_agreement_on_positives(
    aliases=("f1", "f1_score", "fbeta", "f_measure", "f_score", "dice"),
    title="F1",
    cite=f"{RIJSBERGEN}; {CHINCHOR}",
    estimand="twice the odds of some rows",
    check=_check_f_parameters,
    fields_for=_f_score_fields,
    formula="(1 + β²) TP / ((1 + β²) TP + β² FN + FP)",
    asks="how well flags find the positive rows and only these, both in one number",
)
def f(tp: Vector, fp: Vector, fn: Vector, tn: Vector, *, beta: float = 1.0) -> Vector:
    """Harmonic mean of precision and recall, of which recall counts as `beta` times as much."""
    square = beta**2
    return (1 + square) * tp / ((1 + square) * tp + square * fn + fp)


@_agreement_on_positives(
    aliases=("csi", "critical_success_index", "iou", "threat_score"),
    title="Jaccard index",
    estimand="proportion of some rows",
    portions=(TableShare((TP,), (TP, FP, FN)),),
    image=image_of_metric("f"),
    formula="TP / (TP + FP + FN)",
    asks="how much the rows that are flagged and the positive rows are the same",
)
def jaccard(tp: Vector, fp: Vector, fn: Vector, tn: Vector) -> Vector:
    """Share of the rows that are positive and flagged among those that are positive or flagged."""
    return tp / (tp + fp + fn)


@_agreement_on_positives(
    title="Fowlkes–Mallows index",
    cite=FOWLKES,
    estimand="share of cells",
    formula="√(precision · recall)",
    undefined="where no row is positive, or none is flagged",
    asks="how well flags find the positive rows and only these, as a geometric mean",
)
def fowlkes_mallows(tp: Vector, fp: Vector, fn: Vector, tn: Vector) -> Vector:
    """Geometric mean of precision and recall."""
    return np.sqrt(tp / (tp + fp) * (tp / (tp + fn)))


@_agreement_metric(
    chance=0.0,
    aliases=("geometric_mean_score", "gmean"),
    title="Geometric mean of the two recalls",
    estimand="share of cells",
    formula="√(recall · specificity)",
    asks="how often rows of both classes are classified correctly, the worse class counting most",
)
def g_mean(tp: Vector, fp: Vector, fn: Vector, tn: Vector) -> Vector:
    """Geometric mean of recall and specificity."""
    return np.sqrt(tp / (tp + fn) * (tn / (tn + fp)))


@_agreement_metric(
    chance=0.5,
    title="Balanced accuracy",
    unit="share",
    cite=BRODERSEN,
    estimand="mean of proportions",
    portions=BOTH,
    formula="(recall + specificity) / 2",
    caveat="Chance has one half. Each class counts half, however rare it is.",
    asks="how often a row is classified correctly, were both classes as frequent",
)
def balanced_accuracy(tp: Vector, fp: Vector, fn: Vector, tn: Vector) -> Vector:
    """Mean of recall and specificity: the accuracy if both classes were as frequent."""
    return (tp / (tp + fn) + tn / (tn + fp)) / 2


@_agreement_metric(
    chance=0.0,
    aliases=("informedness", "youden_j", "bookmaker_informedness"),
    title="Youden's J",
    bounds=(-1.0, 1.0),
    estimand="sum of proportions",
    portions=BOTH,
    image=image_of_metric("balanced_accuracy", -1.0, 2.0),
    formula="recall + specificity − 1",
    asks="how much better than chance rows of both classes are classified",
)
def youden(tp: Vector, fp: Vector, fn: Vector, tn: Vector) -> Vector:
    """Recall less the false positive rate: 0 by chance, 1 where all calls are right."""
    return tp / (tp + fn) - fp / (tn + fp)


@_agreement_metric(
    chance=0.0,
    title="Markedness",
    bounds=(-1.0, 1.0),
    estimand="sum of proportions",
    portions=BOTH_CALLED,
    formula="precision + negative predictive value − 1",
    undefined="where all rows are predicted alike",
    asks="how far a flag, or its absence, can be relied on beyond chance",
    blind="how many of each class are found, and how sure the model was",
)
def markedness(tp: Vector, fp: Vector, fn: Vector, tn: Vector) -> Vector:
    """Precision plus negative predictive value, less 1."""
    return tp / (tp + fp) - fn / (tn + fn)


@_agreement_metric(
    chance=0.0,
    aliases=("matthews", "matthews_corrcoef", "phi"),
    title="Matthews correlation",
    bounds=(-1.0, 1.0),
    cite=MATTHEWS,
    estimand="correlation of cells",
    formula="(TP·TN − FP·FN) / √((TP + FP)(TP + FN)(TN + FP)(TN + FN))",
    undefined=MARGIN,
    asks="how strongly flags and classes go together, as a correlation",
    blind="which of the two errors is made, and how sure the model was",
)
def mcc(tp: Vector, fp: Vector, fn: Vector, tn: Vector) -> Vector:
    """Correlation of calls with classes: 0 by chance, 1 where all calls are right."""
    sizes = np.sqrt(tp + fp) * np.sqrt(tp + fn) * np.sqrt(tn + fp) * np.sqrt(tn + fn)
    return np.asarray(np.clip((tp * tn - fp * fn) / sizes, -1, 1))


@_agreement_metric(
    chance=0.0,
    aliases=("cohen_kappa", "cohens_kappa"),
    title="Cohen's κ",
    bounds=(-1.0, 1.0),
    cite=COHEN,
    estimand="correlation of cells",
    formula="2 (TP·TN − FP·FN) / ((TP + FP)(TN + FP) + (TP + FN)(TN + FN))",
    undefined="where all rows are of one class and all are predicted alike",
    caveat="What counts as chance depends on how many rows the model flags, so that models are set "
    "against different chances.",
    asks="how much more often rows are classified correctly than with as many flags at random",
    blind="which of the two errors is made, and how sure the model was",
)
def kappa(tp: Vector, fp: Vector, fn: Vector, tn: Vector) -> Vector:
    """Share of what calls by chance leave wrong that is right: 0 by chance, 1 at best."""
    chance = (tp + fp) * (tn + fp) + (tp + fn) * (tn + fn)
    return np.asarray(np.clip(2 * (tp * tn - fp * fn) / chance, -1, 1))


@_agreement_metric(
    chance=1.0,
    aliases=("lr_plus", "positive_likelihood_ratio"),
    title="Positive likelihood ratio",
    bounds=(0.0, inf),
    estimand="ratio of cells",
    image=image_of_metric("precision"),
    formula="recall / false positive rate",
    undefined="where a class has no row, or no negative is flagged",
    asks="what a flag multiplies the odds of the positive class by",
    blind="the positives that are missed, and how sure the model was",
)
def lr_positive(tp: Vector, fp: Vector, fn: Vector, tn: Vector) -> Vector:
    """How much likelier a positive row is flagged than a negative one; 1 by chance."""
    return tp / (tp + fn) / (fp / (tn + fp))


@_agreement_metric(
    chance=1.0,
    aliases=("lr_minus", "negative_likelihood_ratio"),
    title="Negative likelihood ratio",
    better="lower",
    bounds=(0.0, inf),
    estimand="ratio of cells",
    image=image_of_metric("npv"),
    formula="false negative rate / specificity",
    undefined="where a class has no row, or every negative is flagged",
    asks="what the absence of a flag multiplies the odds of the positive class by",
    blind="the negatives that are flagged, and how sure the model was",
)
def lr_negative(tp: Vector, fp: Vector, fn: Vector, tn: Vector) -> Vector:
    """How much likelier a positive row is not flagged than a negative one; 1 by chance."""
    return fn / (tp + fn) / (tn / (tn + fp))


@_agreement_metric(
    chance=1.0,
    aliases=("diagnostic_odds_ratio", "dor"),
    title="Odds ratio",
    bounds=(0.0, inf),
    estimand="ratio of cells",
    formula="(TP · TN) / (FP · FN)",
    undefined="where one of the two errors is never made",
    asks="how much larger the odds of a flag are for a positive row than for a negative one",
)
def odds_ratio(tp: Vector, fp: Vector, fn: Vector, tn: Vector) -> Vector:
    """Odds of a call among the positives over those among the negatives; 1 by chance."""
    return tp * tn / (fp * fn)


def _check_benefit_parameters(threshold: float, standardized: bool = False) -> str | None:
    if threshold == 1:
        return "threshold is 1, but must be below it: a false positive would cost without limit"
    return check_threshold(threshold)


def _benefit_fields(threshold: float, standardized: bool = False) -> Mapping[str, Any]:
    """Its range; as a share of the most that it can be it is no mean over rows."""
    if standardized:
        return {"bounds": (-inf, 1.0), "estimand": ESTIMANDS["function of cells"]}
    return {"bounds": (-threshold / (1 - threshold) if threshold < 1 else -inf, 1.0)}


def _image_of_net_benefit(
    n: int, *, threshold: float, standardized: bool = False
) -> MonotoneImage | None:
    """Return the count of errors where both cost alike; all models have one share of y."""
    if standardized:
        return MonotoneImage(METRICS["net_benefit"].use(threshold=threshold))
    return MonotoneImage(METRICS["accuracy"].use(threshold=threshold)) if threshold == 0.5 else None


@_agreement_metric(
    reference="everyone or nobody",
    classes=None,
    title="Net benefit",
    bounds=(-1.0, 1.0),
    cite=VICKERS,
    estimand="mean of prices",
    check=_check_benefit_parameters,
    fields_for=_benefit_fields,
    image=_image_of_net_benefit,
    formula="(TP − FP · t / (1 − t)) / Σ w, flagged where the probability is at least t; "
    "standardized: over the share of positives",
    undefined="where no row has weight, or, standardized, where no row is positive",
    caveat="The threshold t says what errors cost: a false positive costs t / (1 − t) of what a "
    "positive that is flagged gains. At most it is the share of positives.",
    answers=questions.CAUGHT,
    asks="how many positives a row brings net of false positives, at the price that the threshold "
    "sets",
    blind="costs other than those that the threshold sets",
)
def net_benefit(
    tp: Vector, fp: Vector, fn: Vector, tn: Vector, *, threshold: float, standardized: bool = False
) -> Vector:
    """True positives less false ones at the price that the threshold sets, a row.

    `standardized` divides by the most that it can be, the share of positives: 1 is then perfect.
    """  # noqa: D401
    found = tp - fp * (threshold / (1 - threshold))
    return found / (tp + fn) if standardized else found
