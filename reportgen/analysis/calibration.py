"""Calibration of the predicted probabilities of each model, with its warnings."""

from __future__ import annotations

from collections.abc import Iterator
from math import exp, isfinite, log, nan, sqrt
from typing import Any, Literal

from scipy import special

from reportgen.analysis.dataset_analysis import DatasetAnalysis
from reportgen.checks.check import iter_raised
from reportgen.checks.models import (
    BinaryCalibration,
    CalibrationSlope,
    ClassesCalibration,
    MeanCalibration,
    ProbabilitySubject,
)
from reportgen.inference.significance import FEWEST_CLUSTERS
from reportgen.metrics.classification.calibration_tests import (
    CalibrationSummary,
    assess_calibration,
    assess_joint_calibration,
    count_if_all_right,
    iter_class_calibration,
)
from reportgen.metrics.classification.probability import (
    CLIPPING,
    count_confident_mistakes,
    largest_clip,
)
from reportgen.metrics.rows import Classes, LabelSets
from reportgen.results.classification import ClassCalibration, ModelCalibration
from reportgen.results.types import Number, RaisedWarning, round_number

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
    calibration, faulty = None, None
    if design.block is None:
        kind: Literal["class", "label"] = "label" if isinstance(rows, LabelSets) else "class"
        joint = assess_joint_calibration(rows, part.weight, design.unit)
        calibration = ClassesCalibration(joint, kind)
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
    subject = ProbabilitySubject(
        model=model,
        faultless_rows=count_if_all_right(rows, part.weight),
        calibration=calibration,
        **_count_mistakes(analysis, rows),
    )
    return own, list(iter_raised(subject))


def _count_mistakes(analysis: DatasetAnalysis, rows: Classes | LabelSets) -> dict[str, Any]:
    """Count confident mistakes, by the largest clip of a log loss that is asked for."""
    uses = analysis.plan.statistics.metrics
    clip = largest_clip(use.metric for use in uses)
    mistakes = count_confident_mistakes(rows, analysis.parts[0].weight, clip)
    is_primary = any(use.is_primary and use.metric.name in CLIPPING for use in uses)
    return {"mistakes": mistakes, "clip": clip, "is_log_loss_primary": is_primary}


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
    calibration = BinaryCalibration(
        nan if p is None else p,
        found.error,
        CalibrationSlope(found.slope, _build_limits(analysis, found), inner),
        _build_total(analysis, found),
    )
    mistakes = _count_mistakes(analysis, rows) if isinstance(rows, Classes) else {"mistakes": None}
    yield from iter_raised(
        ProbabilitySubject(
            model=model, is_separated=found.separates, calibration=calibration, **mistakes
        )
    )
