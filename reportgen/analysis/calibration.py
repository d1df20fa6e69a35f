"""Calibration of the predicted probabilities of each model, with its warnings."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from math import exp, isfinite, log, nan, sqrt

import numpy as np
from scipy import special

from reportgen.analysis.dataset_analysis import DatasetAnalysis
from reportgen.inference.significance import FEWEST_CLUSTERS
from reportgen.metrics.classification.calibration_tests import (
    SURE_P,
    CalibrationSummary,
    JointCalibration,
    assess_calibration,
    assess_joint_calibration,
    count_if_all_right,
    iter_class_calibration,
)
from reportgen.metrics.classification.probability import (
    CLIP,
    count_confident_mistakes,
    largest_clip,
)
from reportgen.metrics.rows import Classes, LabelSets
from reportgen.results.classification import ClassCalibration, ModelCalibration
from reportgen.results.types import Number, RaisedWarning, Scalar, round_number

RatioLimits = tuple[float, float]
SLOPES, NOTABLE_ERROR = (0.8, 1.25), 0.02
SURE_SHARE = 0.01  # of the log loss, from which on a convention counts


def warn_separated_classes(separates: bool) -> RaisedWarning | None:
    """W119: one threshold divides the classes without error, so that no finite slope is best."""
    return RaisedWarning("W119", {}) if separates else None


def warn_faultless_calls(rows: int) -> RaisedWarning | None:
    """W119 of several classes, or of labels: all of so many rows are called rightly; 0 if not."""
    return RaisedWarning("W119", {"rows": rows}) if rows else None


@dataclass(frozen=True)
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


@dataclass(frozen=True)
class MeanCalibration:
    """The share of positives that probabilities say, that which happened, and limits of the ratio.

    `p` tests their being the same, nan where there is no such test.
    """

    said: float
    happened: float
    limits: RatioLimits | None
    p: float

    @property
    def is_off(self) -> bool:
        """Whether they differ by more than is notable, or their whole ratio lies far from 1."""
        is_notable = abs(self.happened - self.said) > NOTABLE_ERROR and self.p < SURE_P
        return is_notable or (_is_far(self.limits) and not self.p >= SURE_P)


def warn_miscalibrated(
    p: float, error: float, slope: CalibrationSlope, total: MeanCalibration
) -> RaisedWarning | None:
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


def warn_jointly_miscalibrated(found: JointCalibration, kind: str) -> RaisedWarning | None:
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


def _is_far(limits: RatioLimits | None) -> bool:
    return limits is not None and (limits[1] < SLOPES[0] or limits[0] > SLOPES[1])


def warn_confident_mistakes(count: int, share: float, clip: float = CLIP) -> RaisedWarning | None:
    """W123: rows that gave what happened less than `clip` hold 1 % of the log loss, their `share`.

    The clip is told where it is not the usual one, under which there is only 0.
    """
    if not count or share < SURE_SHARE:
        return None
    told = {"clip": clip} if clip > CLIP else {}
    return RaisedWarning("W123", {"count": count, "share": share, **told})


# Rows of the smaller class from which on a slope is judged: of a right model with five of them its
# limits leave 0.8 to 1.25 in one sample in fifty, with two or three in one of ten to twenty.
FEWEST_FOR_A_SLOPE = 5


CalibrationLimits = tuple[float, float]


def compute_calibrations(
    analysis: DatasetAnalysis,
) -> tuple[tuple[ModelCalibration, ...], tuple[ClassCalibration, ...], tuple[RaisedWarning, ...]]:
    """Every model that gives probabilities, of two classes or of more, and what is doubted."""
    unit = analysis.plan.sampling.design.unit
    found = [
        (name, assess_calibration(rows, analysis.parts[0].weight, unit))
        for name, rows in analysis.parts[0].data.items()
        if isinstance(rows, Classes) and rows.scores.shape[1] == 1 and not rows.lacks("probability")
    ]
    rows = tuple(_build_row(analysis, name, each) for name, each in found)
    told = [w for name, each in found for w in _iter_warnings(analysis, name, each)]
    of_classes: list[ClassCalibration] = []
    for name, data in analysis.parts[0].data.items():
        is_told = name in dict(found) or data.lacks("probability")
        if isinstance(data, Classes | LabelSets) and not is_told:
            own, warnings = _calibrate_classes(analysis, name, data)
            of_classes += own
            told += warnings
    return rows, tuple(of_classes), tuple(told)


def _calibrate_classes(
    analysis: DatasetAnalysis, model: str, rows: Classes | LabelSets
) -> tuple[list[ClassCalibration], list[RaisedWarning]]:
    """Return the calibration of each class or label, and W119, W120 and W123 of all of them."""
    part, design = analysis.parts[0], analysis.plan.sampling.design
    off, faulty = None, None
    if design.block is None:
        kind = "label" if isinstance(rows, LabelSets) else "class"
        joint = assess_joint_calibration(rows, part.weight, design.unit)
        off = warn_jointly_miscalibrated(joint, kind)
        faulty = {each.label for each in joint.parts} if isfinite(joint.p) else None
    own = [
        ClassCalibration(
            analysis.plan.dataset,
            model,
            label,
            round_number(said),
            round_number(happened),
            None if faulty is None else label in faulty,
        )
        for label, said, happened in iter_class_calibration(rows, part.weight)
    ]
    raised = (
        warn_faultless_calls(count_if_all_right(rows, part.weight)),
        off,
        _check_confident_mistakes(analysis, rows),
    )
    named = [RaisedWarning(w.code, w.numbers, model=model) for w in raised if w is not None]
    return own, named


def _check_confident_mistakes(
    analysis: DatasetAnalysis, rows: Classes | LabelSets
) -> RaisedWarning | None:
    """W123, by the largest clip of a log loss that is asked for."""
    clip = largest_clip(use.metric for use in analysis.plan.statistics.metrics)
    return warn_confident_mistakes(
        *count_confident_mistakes(rows, analysis.parts[0].weight, clip), clip
    )


def _is_of_rows(analysis: DatasetAnalysis) -> bool:
    """Return whether rows are independent, as the tests take them to be."""
    design = analysis.plan.sampling.design
    return design.unit is None and design.block is None


def _choose_p_value(analysis: DatasetAnalysis, found: CalibrationSummary) -> Number:
    """Return the calibration p-value: by drawn outcomes, in clusters by theirs; None in blocks."""
    if _is_of_rows(analysis):
        return round_number(found.p_calibrated)
    return (
        None
        if analysis.plan.sampling.design.block is not None
        else round_number(found.p_in_clusters)
    )


def _build_limits(analysis: DatasetAnalysis, found: CalibrationSummary) -> CalibrationLimits | None:
    if found.fewer < FEWEST_FOR_A_SLOPE:
        return None
    return _build_limits_around(analysis, found.slope, found.slope_se)


def _ratio_limits(analysis: DatasetAnalysis, found: CalibrationSummary) -> CalibrationLimits | None:
    """Limits of what happened over what the probabilities say, made on the scale of logarithms."""
    total = found.total
    if found.fewer < FEWEST_FOR_A_SLOPE or not min(total.said, total.happened) > 0:
        return None
    ends = _build_limits_around(
        analysis, log(total.happened / total.said), total.se / total.happened
    )
    return None if ends is None else (exp(ends[0]), exp(ends[1]))


def _build_limits_around(
    analysis: DatasetAnalysis, value: float, se: float
) -> CalibrationLimits | None:
    """Limits of a value with a standard error, of few clusters by Student's t.

    None where its standard error is not known, in blocks of time, and of under ten clusters.
    """
    design, tail = analysis.plan.sampling.design, 0.5 + analysis.plan.inference.level / 2
    if not isfinite(se) or design.block is not None:
        return None
    n = analysis.parts[0].counted if design.unit is None else design.units
    if design.unit is not None and n < FEWEST_CLUSTERS:
        return None
    quantile = special.ndtri(tail) if design.unit is None else special.stdtrit(n - 1, tail)
    half = float(quantile) * se * sqrt(n / (n - 1))
    return value - half, value + half


def _build_row(
    analysis: DatasetAnalysis, model: str, found: CalibrationSummary
) -> ModelCalibration:
    limits, is_of_rows = _build_limits(analysis, found), _is_of_rows(analysis)
    ratio = _ratio_limits(analysis, found)
    return ModelCalibration(
        dataset=analysis.plan.dataset,
        model=model,
        n=analysis.parts[0].n,
        miscalibration=round_number(found.miscalibration),
        discrimination=round_number(found.discrimination),
        uncertainty=round_number(found.uncertainty),
        slope=round_number(found.slope),
        slope_low=None if limits is None else round_number(limits[0]),
        slope_high=None if limits is None else round_number(limits[1]),
        level=analysis.plan.inference.level,
        spiegelhalter=round_number(found.spiegelhalter) if is_of_rows else None,
        p_spiegelhalter=round_number(found.p_spiegelhalter) if is_of_rows else None,
        p_calibrated=_choose_p_value(analysis, found),
        draws=found.draws if is_of_rows else 0,
        said=round_number(found.total.said),
        happened=round_number(found.total.happened),
        ratio_low=None if ratio is None else round_number(ratio[0]),
        ratio_high=None if ratio is None else round_number(ratio[1]),
        p_total=round_number(found.total.p) if is_of_rows else None,
    )


def _build_total(analysis: DatasetAnalysis, found: CalibrationSummary) -> MeanCalibration:
    """Build the mean calibration of all rows, without its test where rows are dependent."""
    p = found.total.p if _is_of_rows(analysis) else nan
    return MeanCalibration(
        found.total.said, found.total.happened, _ratio_limits(analysis, found), p
    )


def _iter_warnings(
    analysis: DatasetAnalysis, model: str, found: CalibrationSummary
) -> Iterator[RaisedWarning]:
    p = _choose_p_value(analysis, found)
    rows = analysis.parts[0].data[model]
    inner = None
    if found.fewer >= FEWEST_FOR_A_SLOPE:
        inner = _build_limits_around(analysis, found.inner_slope, found.inner_slope_se)
    raised = (
        warn_separated_classes(found.separates),
        warn_miscalibrated(
            nan if p is None else p,
            found.error,
            CalibrationSlope(found.slope, _build_limits(analysis, found), inner),
            _build_total(analysis, found),
        ),
        _check_confident_mistakes(analysis, rows) if isinstance(rows, Classes) else None,
    )
    for each in raised:
        if each is not None:
            yield RaisedWarning(each.code, each.numbers, model=model)
