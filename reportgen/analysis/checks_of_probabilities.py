"""When the probabilities of a model are to be doubted: each rule with its limit."""

from __future__ import annotations

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


def miscalibrated(
    p: float, error: float, slope: float, limits: Limits | None, inner: Limits | None
) -> RaisedWarning | None:
    """W120: chance hardly makes a right model so wrong by so much, or its slope is far from 1.

    p, nan where there is no test, under 0.01 and a calibration error above 0.02, or the whole
    interval of the slope outside 0.8 to 1.25, which is then told, and so that of the rows whose
    probabilities are not clipped: `inner`, None where a class has too few rows for it.
    """
    is_far = _is_far(limits) and _is_far(inner)
    if not (is_far or (p < SURE_P and error > NOTABLE_ERROR)):
        return None
    numbers: dict[str, Scalar] = {"error": error} if np.isfinite(error) else {}
    if limits is not None and is_far:
        numbers |= {"slope": slope, "low": limits[0], "high": limits[1]}
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
