"""Checks of one model: of its probabilities of classes and labels, and of its ranked lists."""

from __future__ import annotations

from typing import Literal

import numpy as np

from reportgen.checks.check import UNSEEN, Numbers, Read, Subject, check
from reportgen.metrics.classification.calibration_tests import JointCalibration
from reportgen.metrics.classification.probability import CLIP
from reportgen.records import record
from reportgen.results.types import Scalar
from reportgen.terms import LIMITS

RatioLimits = tuple[float, float]


@record
class CalibrationSlope:
    """The slope of probabilities with its limits, and those of the rows that are not clipped.

    None where a class has too few rows for them.
    """

    value: float
    limits: RatioLimits | None
    inner: RatioLimits | None

    @property
    def is_far(self) -> bool:
        """Whether all of both lies far from 1."""
        return _is_far(self.limits) and _is_far(self.inner)


@record
class MeanCalibration:
    """The share of positives that probabilities say, that which happened, and limits of the ratio.

    `p` tests their being the same, nan where there is no such test.
    """

    predicted: float
    happened: float
    limits: RatioLimits | None
    p: float

    @property
    def is_off(self) -> bool:
        """True if they differ by more than is notable, or their entire ratio lies far from 1."""
        is_unlikely = self.p < LIMITS["W120"]["p"]
        is_notable = abs(self.happened - self.predicted) > LIMITS["W120"]["error"] and is_unlikely
        return is_notable or (_is_far(self.limits) and not self.p >= LIMITS["W120"]["p"])


@record
class BinaryCalibration:
    """The calibration of two classes: the p-value, nan where there is no test, and its errors."""

    p: float
    error: float
    slope: CalibrationSlope
    total: MeanCalibration


@record
class ClassesCalibration:
    """The calibration of several classes or of labels, by one test of all."""

    joint: JointCalibration
    kind: Literal["class", "label"]


class ProbabilitySubject(Subject):
    """A model that gives probabilities.

    Two classes are separated where one threshold divides them without error; `faultless_rows` are
    all rows of several classes or of labels, if all are called rightly. `mistakes` are the rows
    that gave what happened less than `clip`, and their share of the log loss, which may decide.
    """

    is_separated: Read[bool] = False
    faultless_rows: int = 0
    calibration: Read[BinaryCalibration | ClassesCalibration] = UNSEEN
    mistakes: Read[tuple[int, float]] = UNSEEN
    clip: float = CLIP
    is_log_loss_primary: bool = False


class JudgedListsSubject(Subject):
    """Ranked lists of a model: the share of their first `k` documents with a judgement.

    `least` and `most` are the shares of any model, `other` is that of the most.
    """

    covered: Read[float] = UNSEEN
    k: int = 0
    least: float = 0.0
    most: float = 0.0
    other: str = ""


class ListsSubject(Subject):
    """Ranked lists of a model: the share that is short, the depth of the longest, equal scores.

    `equal_scores` count neighbours whose scores differ, but not in single precision.
    """

    short: Read[float] = UNSEEN
    k: int = 0
    deepest: int | None = 0
    equal_scores: Read[int] = UNSEEN


class OrderSubject(Subject):
    """Ranked lists of a model: the share of pairs in the right order, and its upper limit."""

    in_order: Read[tuple[float, float]] = UNSEEN


@check("W119", ProbabilitySubject)
def find_separated_classes(is_separated: bool, faultless_rows: int) -> Numbers | None:
    """Find classes that one threshold divides without error, or rows all called rightly."""
    if is_separated:
        return {}
    return {"rows": faultless_rows} if faultless_rows else None


@check("W120", ProbabilitySubject)
def find_miscalibration(
    calibration: BinaryCalibration | ClassesCalibration, *, p: float, error: float
) -> Numbers | None:
    """Find miscalibration that chance hardly explains, or that is large.

    That is, all limits of the slope, or of the ratio of what happened to what was predicted.
    """
    if isinstance(calibration, ClassesCalibration):
        return _find_joint_miscalibration(calibration, error)
    slope, total = calibration.slope, calibration.total
    is_tested = calibration.p < p and calibration.error > error
    if not (slope.is_far or is_tested or total.is_off):
        return None
    numbers: dict[str, Scalar] = {}
    if np.isfinite(calibration.error):
        numbers["error"] = calibration.error
    if total.is_off:
        numbers |= {"expected": total.predicted, "happened": total.happened}
    if slope.limits is not None and slope.is_far:
        numbers |= {"slope": slope.value, "low": slope.limits[0], "high": slope.limits[1]}
    return numbers | ({"p": calibration.p} if np.isfinite(calibration.p) else {})


def _find_joint_miscalibration(calibration: ClassesCalibration, error: float) -> Numbers | None:
    """Find miscalibrated parts; name the class that is called, else the farthest."""
    off = [part for part in calibration.joint.parts if part.error > error]
    if not off:
        return None
    first = max(off, key=lambda part: (part.calls is not None, part.error))
    numbers: dict[str, Scalar] = {"error": first.error, "p": calibration.joint.p}
    if first.calls is not None:
        numbers |= {"said": first.calls.said, "right": first.calls.right}
    elif first.label is not None:
        numbers[calibration.kind] = first.label
    if len(off) > 1:
        more = "more_labels" if calibration.kind == "label" else "more_classes"
        numbers[more if first.calls is None else "classes"] = len(off) - 1
    return numbers


def _is_far(limits: RatioLimits | None) -> bool:
    low, high = LIMITS["W120"]["low"], LIMITS["W120"]["high"]
    return limits is not None and (limits[1] < low or limits[0] > high)


@check("W123", ProbabilitySubject)
def find_confident_mistakes(
    mistakes: tuple[int, float], clip: float, is_log_loss_primary: bool, *, share: float
) -> Numbers | None:
    """Find rows whose outcome had a probability below `clip` and that hold much of the log loss.

    Any such row counts where the log loss decides. The clip is named where it is not the usual
    one, under which there is only 0.
    """
    count, held = mistakes
    if not count or (held < share and not is_log_loss_primary):
        return None
    return {"count": count, "share": held, **({"clip": clip} if clip > CLIP else {})}


@check("W133", JudgedListsSubject)
def find_unjudged_documents(
    covered: float, k: int, least: float, most: float, other: str, *, fewest: float, apart: float
) -> Numbers | None:
    """Find lists whose first documents have few judgements, or fewer than those of other models."""
    is_apart = most - least > apart
    if covered >= fewest and not (is_apart and covered == least):
        return None
    paired: Numbers = {"most_share": most, "other": other} if is_apart and other else {}
    return {"share": covered, "k": k, **paired}


@check("W134", ListsSubject)
def find_short_lists(short: float, k: int, deepest: int | None, *, share: float) -> Numbers | None:
    """Find many lists that are shorter than the ranks that are evaluated."""
    return {"share": short, "k": k, "deepest": deepest} if short > share else None


@check("W236", ListsSubject)
def find_equal_scores(equal_scores: int) -> Numbers | None:
    """Find scores that differ in double but not in single precision, in which they are compared."""
    return {"documents": equal_scores} if equal_scores else None


@check("W137", OrderSubject)
def find_reversed_order(in_order: tuple[float, float], *, chance: float) -> Numbers | None:
    """Find more pairs of documents in the wrong order than in the right one, beyond chance."""
    auc, most = in_order
    return {"auc": auc, "most_auc": most} if most < chance else None
