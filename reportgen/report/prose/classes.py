"""Classes, calibration and raters in words."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

from reportgen.report import prose
from reportgen.report.wording.names import Case, clean_name
from reportgen.report.wording.numbers import (
    NumberFormat,
    choose_format,
    format_count,
    format_decimal,
    format_fine_percent,
    format_level,
    format_p_value,
    format_percent,
)
from reportgen.results.classification import Agreement, ModelCalibration, RareClassComparison
from reportgen.results.core import DatasetInfo


class ClassNouns(NamedTuple):
    """The nouns for one class of a target, and for several."""

    one: str
    many: str


CLASSES, LABELS = ClassNouns("class", "classes"), ClassNouns("label", "labels")


def choose_class_nouns(dataset: DatasetInfo) -> ClassNouns:
    """Choose classes, of which a row has one, or labels, of which it may have any number."""
    return CLASSES if dataset.labels_per_row is None else LABELS


def describe_shown_classes(
    label: str,
    against: str,
    metric: str,
    by_verdict: Mapping[str, Sequence[str]],
    classes: int,
    nouns: ClassNouns = CLASSES,
    *,
    left_out: int = 0,
) -> str:
    """Say on which of the classes that could be judged a candidate is better or worse.

    `left_out` counts those that could not: they have too few rows, or none.

    >>> describe_shown_classes("B", "A", "F", {"better": ["cat"], "worse": []}, 3)
    'B is better than A in F on cat; on the other 2 classes, the data cannot tell which is better.'
    >>> describe_shown_classes("B", "A", "F", {"better": [], "worse": []}, 3)
    'The data cannot tell B and A apart on the F of any of the 3 classes.'
    >>> describe_shown_classes("B", "A", "F", {"better": [], "worse": []}, 1, left_out=2)
    'The data cannot tell B and A apart on the F of the one class that could be judged.'
    >>> describe_shown_classes("B", "A", "F", {"better": ["cat", "dog"], "worse": []}, 2,
    ...     left_out=1)
    'B is better than A in F on each of the 2 classes that could be judged, of 3.'
    >>> describe_shown_classes("B", "A", "F", {"better": ["cat"], "worse": ["dog"]}, 3, left_out=1)
    ... # doctest: +NORMALIZE_WHITESPACE
    'B is better than A in F on cat and worse on dog; on the other class that could be judged,
    the data cannot tell which is better.'
    """
    better, worse = by_verdict["better"], by_verdict["worse"]
    if not better and not worse:
        return prose.line(
            "class_verdicts.none",
            one=nouns.one,
            many=nouns.many,
            left_out=left_out,
            classes=classes,
            metric=metric,
            label=label,
            against=against,
        )
    every = [
        prose.line(
            "class_verdicts.every",
            one=nouns.one,
            many=nouns.many,
            left_out=left_out,
            classes=classes,
            all=classes + left_out,
        )
    ]
    return prose.line(
        "class_verdicts.some",
        one=nouns.one,
        many=nouns.many,
        left_out=left_out,
        metric=metric,
        label=label,
        against=against,
        better=every if len(better) == classes else better,
        worse=every if len(worse) == classes else worse,
        rest=classes - len(better) - len(worse),
    )


def describe_label_errors(
    label: str, missed: tuple[str, float] | None, vain: tuple[str, float] | None, case: Case
) -> str:
    """Describe which label a model misses most often, and which it predicts most often in vain.

    >>> print(describe_label_errors("A", ("cat", 0.906), ("dog", 0.79), ("row", "rows")))
    ... # doctest: +NORMALIZE_WHITESPACE
    A misses cat most often: 91% of the rows with this label. Its predictions of dog are the
    least reliable: 79% of them are wrong.
    """
    if missed is None and vain is None:
        return ""
    missed, vain = missed or ("", 0.0), vain or ("", 0.0)
    return prose.line(
        "labels_predicted.errors",
        label=label,
        missed=missed[0],
        missed_share=missed[1],
        cases=clean_name(case[1]),
        vain=vain[0],
        vain_share=vain[1],
    )


def format_weight(weight: float) -> str:
    """Format a count, or a sum of weights that is none.

    >>> format_weight(1200.0), format_weight(0.25)
    ('1,200', '0.3')
    """
    return format_count(weight) if weight == int(weight) else format_decimal(weight, 1)


def describe_top_confusion(
    label: str, cells: Sequence[tuple[str, str, float]], is_hidden: bool = False
) -> str:
    """Describe the most frequent confusion of a model.

    >>> describe_top_confusion("Forest", [("8", "1", 0.052)])
    'Forest most often mistakes class 8 for class 1: it predicts class 1 for 5.2% of class 8.'
    """
    if not cells:
        return prose.line("confusion.none", label=label, is_hidden=is_hidden)
    [(is_, called, share)] = cells
    return prose.line("confusion.most", label=label, share=share, actual=is_, predicted=called)


def describe_confusion_changes(
    label: str, against: str, cells: Sequence[tuple[str, str, float]], is_hidden: bool = False
) -> str:
    """Describe what is shown to differ between two confusion matrices.

    Some of their cells may be hidden.
    """
    if not cells:
        return prose.line("confusion.same", label=label, against=against, is_hidden=is_hidden)
    changes = [
        prose.line("confusion.change", actual=is_, predicted=called, is_more=d > 0)
        for is_, called, d in cells
        if is_ != called
    ]
    if not changes:
        names = [is_ for is_, _, _ in cells]
        return prose.line("confusion.correct", label=label, against=against, classes=names)
    return prose.line("confusion.changed", label=label, against=against, changes=changes)


FIRM = 0.05


def describe_calibration(found: ModelCalibration, label: str) -> str:
    """Tell whether probabilities lean, in all or towards their ends, and whether they may be right.

    >>> print(describe_calibration(ModelCalibration("test", "rf", 500, 0.01, 0.05, 0.2, 1.6, 1.3,
    ...     1.9, 0.95,
    ...                             p_calibrated=0.001, draws=999), "Forest"))
    ... # doctest: +NORMALIZE_WHITESPACE
    Forest: the probabilities are not extreme enough (slope 1.6, 95% CI 1.3 to 1.9); the
    calibration test finds miscalibration (p = 0.001).
    >>> print(describe_calibration(ModelCalibration("test", "rf", 500, 0.01, 0.05, 0.2, 1.0, 0.9,
    ...     1.1, 0.95,
    ...                             p_spiegelhalter=0.0004, p_calibrated=0.06, draws=999,
    ...                             said=0.174, happened=0.152, p_total=0.002), "Forest"))
    ... # doctest: +NORMALIZE_WHITESPACE
    Forest: the probabilities are too high on average (predicted 17.4%, observed 15.2%, p =
    0.002), and the data cannot tell whether they are too extreme or not extreme enough (slope
    1.00, 95% CI 0.90 to 1.10); the calibration test does not find miscalibration (p =
    0.060), but Spiegelhalter's test does (p < 0.001).
    """
    average, tests = _describe_average(found), _describe_tests(found)
    low, high = found.slope_low, found.slope_high
    form = _build_form(found)
    slope = "" if found.slope is None else form.number(found.slope)
    if not slope or low is None or high is None:
        return prose.line(
            "calibration.bare", label=label, average=average, slope=slope, tests=tests
        )
    limits = prose.line(
        "calibration.limits",
        slope=slope,
        level=format_level(found.level),
        limits=form.plain_interval(low, high),
    )
    if lean := _find_slope_lean(found):
        return prose.line(
            "calibration.leans",
            label=label,
            average=average,
            lean=lean,
            limits=limits,
            tests=tests,
        )
    return prose.line("calibration.open", label=label, average=average, limits=limits, tests=tests)


def is_called_miscalibrated(found: ModelCalibration) -> bool:
    """Tell whether the text says that the probabilities are not right.

    >>> is_called_miscalibrated(ModelCalibration("test", "rf", 500, 0.01, 0.05, 0.2, 1.1, 0.9, 1.3,
    ...     0.95,
    ...                             p_calibrated=0.02, draws=999))
    True
    """
    tests = (found.p_calibrated, found.p_spiegelhalter)
    is_rejected = any(p is not None and p < FIRM for p in tests)
    return bool(_find_slope_lean(found) or _find_total_lean(found)) or is_rejected


def describe_lean(found: ModelCalibration) -> str:
    """Describe how probabilities lean where no test of them all says that they are off.

    It is "" if none does.

    >>> describe_lean(ModelCalibration("test", "rf", 500, 0.01, 0.05, 0.2, 0.8, 0.7, 0.9, 0.95,
    ...                          p_calibrated=0.19, draws=999))
    'too extreme'
    """
    p = found.p_calibrated
    if p is not None and p < FIRM:
        return ""
    total, slope = _find_total_lean(found), _find_slope_lean(found)
    return prose.line("calibration.lean", total=total, slope=slope)


def _find_total_lean(found: ModelCalibration) -> str:
    """Find whether probabilities are too high or too low on average; "" if neither is shown."""
    said, happened, p = found.said, found.happened, found.p_total
    if said is None or happened is None:
        return ""
    low, high = found.ratio_low, found.ratio_high
    is_off = low is not None and high is not None and not low <= 1 <= high
    if p is not None:
        is_off = p < FIRM
    return ("high" if said > happened else "low") if is_off else ""


def _find_slope_lean(found: ModelCalibration) -> str:
    low, high = found.slope_low, found.slope_high
    if low is None or high is None or low <= 1 <= high:
        return ""
    return "mild" if low > 1 else "extreme"


def _describe_average(found: ModelCalibration) -> str:
    """Describe what is said on average, what happened, and how sure it is that they differ."""
    total = _find_total_lean(found)
    if not total:
        return ""
    said, happened = (format_fine_percent(x or 0.0) for x in (found.said, found.happened))
    return prose.line(
        "calibration.average",
        total=total,
        said=said,
        happened=happened,
        p="" if found.p_total is None else format_p_value(found.p_total),
    )


def _build_form(found: ModelCalibration) -> NumberFormat:
    """Return as many digits as tell a limit from 1."""
    form = choose_format(found.slope, found.slope_low, found.slope_high, "1")
    ends = [x for x in (found.slope_low, found.slope_high) if x is not None]
    while form.decimals < 4 and any(round(x, form.decimals) == 1 != x for x in ends):
        form = replace(form, decimals=form.decimals + 1)
    return form


def _describe_tests(found: ModelCalibration) -> str:
    """Describe what the two tests of the probabilities say, each with its p-value."""
    p, other = found.p_calibrated, found.p_spiegelhalter
    if p is None:
        return prose.line("calibration.untested")
    said, is_off = format_p_value(p), p < FIRM
    if other is None:
        return prose.line("calibration.tested", is_off=is_off, p=said)
    also = format_p_value(other)
    if is_off == (other < FIRM):
        return prose.line("calibration.agree", is_off=is_off, p=said, other=also)
    return prose.line("calibration.differ", is_off=is_off, p=said, other=also)


def describe_rare_class(found: RareClassComparison, labels: tuple[str, str], many: str) -> str:
    """Describe how far both models are apart by either rate.

    `labels` of the candidate and the baseline.

    `many` are the rows.

    >>> print(describe_rare_class(RareClassComparison("d", "b", "a", 1e-4, 0.9,
    ...     (1e-5, 0.00191), (0.9, 0.045)), ("B", "A"), "cases"))  # doctest: +NORMALIZE_WHITESPACE
    Where both find 90% of the positives, B and A differ by only 0.0019 in false positive rate.
    Yet of 100 cases that B flags, 90 are positive, against 4.5 for A. The reason is that 99.99%
    of all cases are negative.
    """
    fpr, precision = found.false_positive_rates, found.precisions
    gap = abs((fpr[0] or 0.0) - (fpr[1] or 0.0))
    right = [_format_digits(100 * (each or 0.0)) for each in precision]
    is_bounded = found.low is not None and found.high is not None
    return prose.line(
        "rare_class.text",
        recall=found.recall or 0.0,
        candidate=labels[0],
        baseline=labels[1],
        gap=NumberFormat(4, least=2).number(gap),
        right=right[0],
        other_right=right[1],
        negatives=_format_share_near_one(1 - (found.positives or 0.0)),
        cases=many,
        low=_format_signed(100 * (found.low or 0.0)) if is_bounded else "",
        high=_format_signed(100 * (found.high or 0.0)),
        differ=found.differ,
    )


def _format_signed(value: float) -> str:
    decimals = 0 if abs(value) >= 10 else 1
    return NumberFormat(decimals, least=2).number(value, signed=True)


def _format_digits(value: float) -> str:
    return NumberFormat(0 if value >= 10 else 1, least=2).number(value)


def _format_share_near_one(share: float) -> str:
    """Format a share near 1 with the digits that tell it from 1."""
    decimals = next((d for d in range(6) if round(100 * share, d) < 100), 6)
    return format_percent(share, decimals)


FEW = 30  # rows under which two judges say little of each other


def describe_raters(
    share: Agreement, kappa: Agreement, dataset: DatasetInfo, points: Sequence[str]
) -> list[str]:
    """Say on how many rows two judges agree, what that bounds or why it bounds nothing.

    `points` are the operating points at which models are held against it.
    """
    case, cases = map(clean_name, dataset.case)
    said = [
        prose.line(
            "second_judge.rows",
            count=share.n,
            all=0 if share.n == share.of else share.of,
            case=case,
            cases=cases,
            column=clean_name(share.column, 40),
        ),
        prose.line("second_judge.agree", share=_format_value(share), kappa=_format_value(kappa)),
        _describe_agreement_bound(share, dataset),
    ]
    if not share.estimates:
        said.append(prose.line("second_judge.not_flagged"))
    elif points:
        named = [clean_name(each, 40) for each in points]
        said.append(prose.line("second_judge.points", points=named))
    return said


def _describe_agreement_bound(share: Agreement, dataset: DatasetInfo) -> str:
    """Describe what the agreement is worth to whoever judges models by it."""
    case, cases = map(clean_name, dataset.case)
    if share.only:
        shown = {each.value: each.name for each in dataset.classes}.get(share.only, share.only)
        return prose.line("second_judge.one_class", case=case, name=clean_name(shown, 40))
    if share.n < FEW:
        return prose.line("second_judge.few", count=share.n, case=case, cases=cases)
    if share.judge.value == 1:
        return prose.line("second_judge.copy", cases=cases)
    return prose.line("second_judge.habits")


def _format_value(found: Agreement) -> str:
    """Format the judge's value with its interval."""
    own = found.judge
    form = choose_format(own.value, own.low, own.high, own.unit)
    is_bounded = own.low is not None and own.high is not None
    return prose.line(
        "second_judge.value",
        value="" if own.value is None else form.amount(own.value),
        limits=form.plain_interval(own.low, own.high) if is_bounded else "",
        reason=own.reason,
    )
