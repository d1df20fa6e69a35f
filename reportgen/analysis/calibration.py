"""Whether each model's probabilities may be right, and the warnings that follow from it."""

from __future__ import annotations

from collections.abc import Iterator
from math import exp, isfinite, log, nan, sqrt

from scipy import special

from reportgen.analysis import checks_of_probabilities as checks
from reportgen.analysis.dataset_analysis import DatasetAnalysis
from reportgen.inference.significance import FEWEST_CLUSTERS
from reportgen.metrics.classes.calibrated import Calibration, calibration_of
from reportgen.metrics.classes.jointly_calibrated import (
    calls_rightly,
    joint_calibration,
    said_of_each,
)
from reportgen.metrics.classes.sure_mistakes import clip_among
from reportgen.metrics.classes.sure_mistakes import sure_mistakes as sure
from reportgen.results import ClassCalibration, ModelCalibration, Number, rounded
from reportgen.results.raised import RaisedWarning
from reportgen.rows import Classes, LabelSets

# Rows of the smaller class from which on a slope is judged: of a right model with five of them its
# limits leave 0.8 to 1.25 in one sample in fifty, with two or three in one of ten to twenty.
FEWEST_FOR_A_SLOPE = 5


Limits = tuple[float, float]


def calibrations(
    analysis: DatasetAnalysis,
) -> tuple[tuple[ModelCalibration, ...], tuple[ClassCalibration, ...], tuple[RaisedWarning, ...]]:
    """Every model that gives probabilities, of two classes or of more, and what is doubted."""
    unit = analysis.plan.design.unit
    found = [(name, calibration_of(rows, analysis.parts[0].weight, unit))
             for name, rows in analysis.parts[0].data.items()
             if isinstance(rows, Classes) and rows.scores.shape[1] == 1
             and not rows.lacks("probability")]  # fmt: skip
    rows = tuple(_row(analysis, name, each) for name, each in found)
    told = [w for name, each in found for w in _warnings(analysis, name, each)]
    of_classes: list[ClassCalibration] = []
    for name, data in analysis.parts[0].data.items():
        is_told = name in dict(found) or data.lacks("probability")
        if isinstance(data, Classes | LabelSets) and not is_told:
            own, warnings = _of_many(analysis, name, data)
            of_classes += own
            told += warnings
    return rows, tuple(of_classes), tuple(told)


def _of_many(
    analysis: DatasetAnalysis, model: str, rows: Classes | LabelSets
) -> tuple[list[ClassCalibration], list[RaisedWarning]]:
    """What is said of each class or label, and W119, W120 and W123 of all of them."""
    part, design = analysis.parts[0], analysis.plan.design
    off, faulty = None, None
    if design.block is None:
        kind = "label" if isinstance(rows, LabelSets) else "class"
        joint = joint_calibration(rows, part.weight, design.unit)
        off = checks.jointly_miscalibrated(joint, kind)
        faulty = {each.label for each in joint.parts} if isfinite(joint.p) else None
    own = [
        ClassCalibration(
            analysis.plan.dataset,
            model,
            label,
            rounded(said),
            rounded(happened),
            None if faulty is None else label in faulty,
        )
        for label, said, happened in said_of_each(rows, part.weight)
    ]
    raised = (checks.faultless(calls_rightly(rows, part.weight)), off, _sure(analysis, rows))
    named = [RaisedWarning(w.code, w.numbers, model=model) for w in raised if w is not None]
    return own, named


def _sure(analysis: DatasetAnalysis, rows: Classes | LabelSets) -> RaisedWarning | None:
    """W123, by the largest clip of a log loss that is asked for."""
    clip = clip_among(use.metric for use in analysis.plan.uses)
    return checks.sure_mistakes(*sure(rows, analysis.parts[0].weight, clip), clip)


def _is_of_rows(analysis: DatasetAnalysis) -> bool:
    """Whether rows are independent, as the tests take them to be."""
    design = analysis.plan.design
    return design.unit is None and design.block is None


def _p_of_test(analysis: DatasetAnalysis, found: Calibration) -> Number:
    """The test of the probabilities: by drawn outcomes, in clusters by theirs; none in blocks."""
    if _is_of_rows(analysis):
        return rounded(found.p_calibrated)
    return None if analysis.plan.design.block is not None else rounded(found.p_in_clusters)


def _limits(analysis: DatasetAnalysis, found: Calibration) -> Limits | None:
    if found.fewer < FEWEST_FOR_A_SLOPE:
        return None
    return _around(analysis, found.slope, found.slope_se)


def _ratio_limits(analysis: DatasetAnalysis, found: Calibration) -> Limits | None:
    """Limits of what happened over what the probabilities say, made on the scale of logarithms."""
    total = found.total
    if found.fewer < FEWEST_FOR_A_SLOPE or not min(total.said, total.happened) > 0:
        return None
    ends = _around(analysis, log(total.happened / total.said), total.se / total.happened)
    return None if ends is None else (exp(ends[0]), exp(ends[1]))


def _around(analysis: DatasetAnalysis, value: float, se: float) -> Limits | None:
    """Limits of a value with a standard error, of few clusters by Student's t.

    None where its standard error is not known, in blocks of time, and of under ten clusters.
    """
    design, tail = analysis.plan.design, 0.5 + analysis.plan.level / 2
    if not isfinite(se) or design.block is not None:
        return None
    n = analysis.parts[0].counted if design.unit is None else design.units
    if design.unit is not None and n < FEWEST_CLUSTERS:
        return None
    quantile = special.ndtri(tail) if design.unit is None else special.stdtrit(n - 1, tail)
    half = float(quantile) * se * sqrt(n / (n - 1))
    return value - half, value + half


def _row(analysis: DatasetAnalysis, model: str, found: Calibration) -> ModelCalibration:
    limits, is_of_rows = _limits(analysis, found), _is_of_rows(analysis)
    ratio = _ratio_limits(analysis, found)
    return ModelCalibration(
        dataset=analysis.plan.dataset,
        model=model,
        n=analysis.parts[0].n,
        miscalibration=rounded(found.miscalibration),
        discrimination=rounded(found.discrimination),
        uncertainty=rounded(found.uncertainty),
        slope=rounded(found.slope),
        slope_low=None if limits is None else rounded(limits[0]),
        slope_high=None if limits is None else rounded(limits[1]),
        level=analysis.plan.level,
        spiegelhalter=rounded(found.spiegelhalter) if is_of_rows else None,
        p_spiegelhalter=rounded(found.p_spiegelhalter) if is_of_rows else None,
        p_calibrated=_p_of_test(analysis, found),
        draws=found.draws if is_of_rows else 0,
        said=rounded(found.total.said),
        happened=rounded(found.total.happened),
        ratio_low=None if ratio is None else rounded(ratio[0]),
        ratio_high=None if ratio is None else rounded(ratio[1]),
        p_total=rounded(found.total.p) if is_of_rows else None,
    )


def _total(analysis: DatasetAnalysis, found: Calibration) -> checks.OnAverage:
    """What is said of all rows together, its test left out where rows hang together."""
    p = found.total.p if _is_of_rows(analysis) else nan
    return checks.OnAverage(
        found.total.said, found.total.happened, _ratio_limits(analysis, found), p
    )


def _warnings(analysis: DatasetAnalysis, model: str, found: Calibration) -> Iterator[RaisedWarning]:
    p = _p_of_test(analysis, found)
    rows = analysis.parts[0].data[model]
    inner = None
    if found.fewer >= FEWEST_FOR_A_SLOPE:
        inner = _around(analysis, found.inner_slope, found.inner_slope_se)
    raised = (
        checks.separated(found.separates),
        checks.miscalibrated(
            nan if p is None else p,
            found.error,
            checks.Slope(found.slope, _limits(analysis, found), inner),
            _total(analysis, found),
        ),
        _sure(analysis, rows) if isinstance(rows, Classes) else None,
    )
    for each in raised:
        if each is not None:
            yield RaisedWarning(each.code, each.numbers, model=model)
