"""When the probabilities of a model are to be doubted: each rule with its limit."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from reportgen.metrics.classes.jointly_calibrated import SURE_P, JointCalibration
from reportgen.metrics.probability import CLIP
from reportgen.results import Scalar
from reportgen.results.raised import RaisedWarning

Limits = tuple[float, float]
SLOPES, NOTABLE_ERROR = (0.8, 1.25), 0.02
SURE_SHARE = 0.01  # of the log loss, from which on a convention counts


def separated(separates: bool) -> RaisedWarning | None:
    """W119: one threshold divides the classes without error, so that no finite slope is best."""
    return RaisedWarning("W119", {}) if separates else None


def faultless(rows: int) -> RaisedWarning | None:
    """W119 of several classes, or of labels: all of so many rows are called rightly; 0 if not."""
    return RaisedWarning("W119", {"rows": rows}) if rows else None


@dataclass(frozen=True)
class Slope:
    """The slope of probabilities with its limits, and those of the rows that are not clipped.

    None where a class has too few rows for them.
    """

    value: float
    limits: Limits | None
    inner: Limits | None

    @property
    def is_far(self) -> bool:
        """Whether all of both lies far from 1."""
        return _is_far(self.limits) and _is_far(self.inner)


@dataclass(frozen=True)
class OnAverage:
    """The share of positives that probabilities say, that which happened, and limits of the ratio.

    `p` tests their being the same, nan where there is no such test.
    """

    said: float
    happened: float
    limits: Limits | None
    p: float

    @property
    def is_off(self) -> bool:
        """Whether they differ by more than is notable, or their whole ratio lies far from 1."""
        is_notable = abs(self.happened - self.said) > NOTABLE_ERROR and self.p < SURE_P
        return is_notable or (_is_far(self.limits) and not self.p >= SURE_P)


def miscalibrated(p: float, error: float, slope: Slope, total: OnAverage) -> RaisedWarning | None:
    """W120: chance hardly makes a right model so wrong by so much, or it is far from right.

    p, nan where there is no test, under 0.01 and a calibration error above 0.02; or the whole
    interval of the slope outside 0.8 to 1.25, which is then told; or on average more or less said
    than happened, by 0.02 or with a ratio wholly outside 0.8 to 1.25, which is told.
    """
    is_tested = p < SURE_P and error > NOTABLE_ERROR
    if not (slope.is_far or is_tested or total.is_off):
        return None
    numbers: dict[str, Scalar] = {"error": error} if np.isfinite(error) else {}
    if total.is_off:
        numbers |= {"expected": total.said, "happened": total.happened}
    if slope.limits is not None and slope.is_far:
        numbers |= {"slope": slope.value, "low": slope.limits[0], "high": slope.limits[1]}
    return RaisedWarning("W120", numbers | ({"p": p} if np.isfinite(p) else {}))


def jointly_miscalibrated(found: JointCalibration, kind: str) -> RaisedWarning | None:
    """W120 of several classes, or of labels, as `kind` says: the same limits, by one test of all.

    Of the parts that are off by more than 0.02 the class that is called is told, else the farthest.
    """
    off = [part for part in found.parts if part.error > NOTABLE_ERROR]
    if not off:
        return None
    told = max(off, key=lambda part: (part.calls is not None, part.error))
    numbers: dict[str, Scalar] = {"error": told.error, "p": found.p}
    if told.calls is not None:
        numbers |= {"said": told.calls.said, "right": told.calls.right}
    elif told.label is not None:
        numbers[kind] = told.label
    if len(off) > 1:
        more = "more_labels" if kind == "label" else "more_classes"
        numbers[more if told.calls is None else "classes"] = len(off) - 1
    return RaisedWarning("W120", numbers)


def _is_far(limits: Limits | None) -> bool:
    return limits is not None and (limits[1] < SLOPES[0] or limits[0] > SLOPES[1])


def sure_mistakes(count: int, share: float, clip: float = CLIP) -> RaisedWarning | None:
    """W123: rows that gave what happened less than `clip` hold 1 % of the log loss, their `share`.

    The clip is told where it is not the usual one, under which there is only 0.
    """
    if not count or share < SURE_SHARE:
        return None
    told = {"clip": clip} if clip > CLIP else {}
    return RaisedWarning("W123", {"count": count, "share": share, **told})
