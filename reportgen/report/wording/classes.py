"""Classes, calibration and raters in words."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from reportgen.report.wording.names import Case, clean_name, join_list
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

MOST = 6


@dataclass(frozen=True)
class ClassWording:
    """Nouns for the classes of a target: one, several, and means over them."""

    one: str
    many: str
    averages: Mapping[str, str]


AVERAGES: Mapping[str, str] = {
    "macro": "Mean of the classes",
    "weighted": "Weighted by rows",
    "micro": "All rows together",
    "macro_pr": "F of mean precision and recall",
    "ovr": "Mean of the classes",
    "ovr_weighted": "Weighted by rows",
    "ovo": "Mean of pairs",
    "ovo_weighted": "Pairs weighted by rows",
}
"""What a mean over classes is called in a report."""
CLASSES = ClassWording("class", "classes", AVERAGES)
LABELS = ClassWording(
    "label",
    "labels",
    {
        "macro": "Mean of the labels",
        "weighted": "Weighted by rows",
        "micro": "All labels together",
        "samples": "Mean of the rows",
    },
)


def choose_class_wording(dataset: DatasetInfo) -> ClassWording:
    """Classes, of which a row has one, or labels, of which it may have any number."""
    return CLASSES if dataset.labels_per_row is None else LABELS


def describe_shown_classes(
    label: str,
    against: str,
    metric: str,
    by_verdict: Mapping[str, Sequence[str]],
    classes: int,
    words: ClassWording = CLASSES,
    *,
    left_out: int = 0,
) -> str:
    """On which of the classes that could be judged a candidate is shown better or worse.

    `left_out` counts those that could not: they have too few rows, or none.

    >>> describe_shown_classes("B", "A", "F", {"better": ["cat"], "worse": []}, 3)
    'B is better than A in F on cat; the data cannot tell on the other 2 classes.'
    >>> describe_shown_classes("B", "A", "F", {"better": [], "worse": []}, 3)
    'No class of 3 shows a difference in F between B and A.'
    >>> describe_shown_classes("B", "A", "F", {"better": [], "worse": []}, 1, left_out=2)
    'The one class that could be judged shows no difference in F between B and A.'
    >>> describe_shown_classes("B", "A", "F", {"better": ["cat", "dog"], "worse": []}, 2,
    ...     left_out=1)
    'B is better than A in F on each of the 2 classes that could be judged, of 3.'
    >>> describe_shown_classes("B", "A", "F", {"better": ["cat"], "worse": ["dog"]}, 3, left_out=1)
    ... # doctest: +NORMALIZE_WHITESPACE
    'B is better than A in F on cat and worse on dog; the data cannot tell on the other
    class that could be judged.'
    """
    better, worse = by_verdict["better"], by_verdict["worse"]
    judged = f"the {format_count(classes, words.one, words.many)} that could be judged"
    if not better and not worse:
        no = f"No {words.one} of {classes}"
        if left_out:
            is_one = classes == 1
            no = f"The one {words.one} that could be judged" if is_one else f"None of {judged}"
            verb = "shows no" if is_one else "shows a"
            return f"{no} {verb} difference in {metric} between {label} and {against}."
        return f"{no} shows a difference in {metric} between {label} and {against}."
    every = f"every {words.one}"
    if left_out:
        which = f"each of {judged}" if classes > 1 else f"the one {words.one} that could be judged"
        every = f"{which}, of {classes + left_out}"
    said: list[str] = []
    for verb, names in (("better", better), ("worse", worse)):
        if names:
            of = every if len(names) == classes else _some(names)
            whom = "" if said else f" than {against} in {metric}"
            said.append(f"{verb}{whom} on {of}")
    rest = classes - len(better) - len(worse)
    end = ""
    if rest:
        others = words.one if rest == 1 else f"{format_count(rest)} {words.many}"
        end = f"; the data cannot tell on the other {others}"
        end += " that could be judged" if left_out else ""
    return f"{label} is {' and '.join(said)}{end}."


def _some(names: Sequence[str]) -> str:
    more = len(names) - MOST
    return f"{', '.join(names[:MOST])} and {more} more" if more > 0 else join_list(list(names))


def describe_small_classes(names: Sequence[str], case: Case) -> str:
    """Describe which classes are too small to judge."""
    return f"Too few {clean_name(case[1])} to judge: {_some(names)}."


def describe_hidden_counts(names: Sequence[str], words: ClassWording = CLASSES) -> str:
    """Say of which classes the number of rows is hidden.

    >>> describe_hidden_counts(["dodo", "moa"])
    'How many rows are of a class is not told of dodo and moa: too few are of one of them.'
    """
    if words is LABELS:
        return (
            f"How many rows have a label is not told of {_some(names)}: too few have one of them."
        )
    return (
        f"How many rows are of a class is not told of {_some(names)}: too few are of one of them."
    )


def describe_absent_classes(names: Sequence[str], case: Case, words: ClassWording = CLASSES) -> str:
    """Describe which classes have no rows.

    >>> describe_absent_classes(["dodo"], ("row", "rows"), LABELS)
    'No row has the label dodo; macro averages leave it out.'
    """
    if words is LABELS:
        return (
            f"No {clean_name(case[0])} has the label {_some(names)}; macro averages leave it out."
        )
    return f"No {clean_name(case[0])} is of class {_some(names)}; macro averages leave it out."


def describe_label_errors(
    label: str, missed: tuple[str, float] | None, vain: tuple[str, float] | None, case: Case
) -> str:
    """Describe which label a model misses most often, and which it predicts most often in vain.

    >>> describe_label_errors("A", ("cat", 0.906), ("dog", 0.79), ("row", "rows"))
    'A misses cat most often, on 91% of the rows with it, and errs most where it predicts dog: 79%.'
    """
    said: list[str] = []
    if missed is not None:
        of = f"{format_percent(missed[1])} of the {clean_name(case[1])} with it"
        said.append(f"misses {missed[0]} most often, on {of}")
    if vain is not None:
        said.append(f"errs most where it predicts {vain[0]}: {format_percent(vain[1])}")
    return f"{label} {', and '.join(said)}." if said else ""


def describe_label_table(label: str, point: str, is_weighted: bool, case: Case) -> str:
    """Describe what a table of the predictions of labels holds."""
    where = f" at {clean_name(point, 40)}" if point else ""
    what = f"the weight of {clean_name(case[1])}" if is_weighted else clean_name(case[1])
    return (
        f"Predictions of {label}{where}: {what} with each label, predicted to have it, correctly "
        "and not, and missed. Shares are of the predicted, of what is missed of those with the "
        "label."
    )


NOT_TOLD = "not told"
HIDDEN = (
    "A blank cell holds nothing, or is not told: see Privacy under Method. Shares are of what is "
    "told."
)


def describe_matrix(case: Case, counts: str) -> str:
    """Describe how a confusion matrix is read."""
    rows = clean_name(case[1])
    said = f"Rows: true class of the {rows}. Columns: predicted class."
    more = f", {counts}" if counts else ""
    return f"{said} The shade is the share of the row{more}."


def format_weight(weight: float) -> str:
    """Format a count, or a sum of weights that is none.

    >>> format_weight(1200.0), format_weight(0.25)
    ('1,200', '0.3')
    """
    return format_count(weight) if weight == int(weight) else format_decimal(weight, 1)


def name_other_classes(number: int) -> str:
    """Name what the classes that share one row and one column of a matrix are named.

    >>> name_other_classes(21)
    '21 others'
    """
    return f"{number} others"


def describe_joined_classes(title: str) -> str:
    """Describe which classes share a row and a column.

    >>> describe_joined_classes("21 others")
    'The 21 others are the classes of which fewest rows are, taken together.'
    """
    return f"The {title} are the classes of which fewest rows are, taken together."


def describe_top_confusion(
    label: str, cells: Sequence[tuple[str, str, float]], has_hidden: bool = False
) -> str:
    """The most frequent confusion of a model.

    >>> describe_top_confusion("Forest", [("8", "1", 0.052)])
    'Most frequent confusion of Forest: 5.2% of 8 is predicted as 1.'
    """
    if not cells:
        if has_hidden:
            return f"Which classes {label} confuses is hidden."
        return f"{label} predicts no class as another."
    [(is_, called, share)] = cells
    part = f"{format_percent(share)} of {is_} is predicted as {called}"
    return f"Most frequent confusion of {label}: {part}."


def describe_confusion_changes(
    label: str, against: str, cells: Sequence[tuple[str, str, float]], has_hidden: bool = False
) -> str:
    """Describe what is shown to differ between two confusion matrices.

    Some of their cells may be hidden.
    """
    wrong = [(is_, called, d) for is_, called, d in cells if is_ != called]
    if not cells:
        which = "confusion that is told" if has_hidden else "confusion"
        return f"The data cannot tell {label} and {against} apart on any {which}."
    if not wrong:
        names = [is_ for is_, _, _ in cells]
        return (
            f"{label} and {against} differ on how much of {_some(names)} is classified correctly."
        )
    each = [f"{is_} as {called} {'more' if d > 0 else 'less'} often" for is_, called, d in wrong]
    return f"{label} predicts {_some(each)} than {against}."


def describe_matrix_difference(label: str, against: str, level: str) -> str:
    """Describe how the difference of two confusion matrices is read."""
    return (
        f"{label} less {against}, percentage points of each row. In the colour of {label}: better, "
        "more on the diagonal or less beside it; in rust: worse. A dot stands where the "
        f"{level} interval, allowing for all cells, leaves out zero."
    )


def describe_confusion_list(
    shown: int, of: int, case: Case, has_hidden: bool = False, *, is_weighted: bool = False
) -> str:
    """Describe what the list of confusions holds; some may be hidden."""
    rows = f"weight of {clean_name(case[1])}" if is_weighted else clean_name(case[1])
    which = f"The {shown} most frequent of {of} confusions" if of > shown else "All confusions"
    return f"{which}{' that are told' * has_hidden}: share of the class, and {rows} under it."


FIRM = 0.05
_EITHER = "too timid or too extreme"
_SLOPE = "the slope of the probabilities"


def describe_calibration(found: ModelCalibration, label: str) -> str:
    """Tell whether probabilities lean, in all or towards their ends, and whether they may be right.

    >>> print(describe_calibration(ModelCalibration("test", "rf", 500, 0.01, 0.05, 0.2, 1.6, 1.3,
    ...     1.9, 0.95,
    ...                             p_calibrated=0.001, draws=999), "Forest"))
    ... # doctest: +NORMALIZE_WHITESPACE
    Forest: the probabilities are too timid (slope 1.6, 95% CI 1.3 to 1.9); the test of
    calibration rejects them (p = 0.0010).
    >>> print(describe_calibration(ModelCalibration("test", "rf", 500, 0.01, 0.05, 0.2, 1.0, 0.9,
    ...     1.1, 0.95,
    ...                             p_spiegelhalter=0.0004, p_calibrated=0.06, draws=999,
    ...                             said=0.174, happened=0.152, p_total=0.002), "Forest"))
    ... # doctest: +NORMALIZE_WHITESPACE
    Forest: the probabilities are too high on average (17.4% where 15.2% happened, p = 0.0020) and
    not established as too timid or too extreme (slope 1.00, 95% CI 0.90 to 1.10); the test of
    calibration does not reject them (p = 0.060), Spiegelhalter's does (p < 0.001).
    """
    return f"{label}: {_describe_spread(found)}; {_right(found)}."


def describe_untested(found: Iterable[ModelCalibration]) -> str:
    """Say that nobody tested whether probabilities are right, to be added to a sentence.

    It is "" if any was.

    >>> describe_untested([ModelCalibration("test", "rf", 500, 0.01, 0.05, 0.2, 1.1, 0.9, 1.3,
    ...     0.95)])
    '; whether the probabilities are right was not tested, see Probabilities'
    """
    each = list(found)
    if not each or any(c.p_calibrated is not None for c in each):
        return ""
    return "; whether the probabilities are right was not tested, see Probabilities"


def is_called_miscalibrated(found: ModelCalibration) -> bool:
    """Tell whether the text says that the probabilities are not right.

    >>> is_called_miscalibrated(ModelCalibration("test", "rf", 500, 0.01, 0.05, 0.2, 1.1, 0.9, 1.3,
    ...     0.95,
    ...                             p_calibrated=0.02, draws=999))
    True
    """
    tests = (found.p_calibrated, found.p_spiegelhalter)
    is_rejected = any(p is not None and p < FIRM for p in tests)
    return bool(_slope_leans(found) or describe_total_lean(found)) or is_rejected


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
    total = describe_total_lean(found)
    leans = (f"{total} on average" if total else "", _slope_leans(found))
    return " and ".join(each for each in leans if each)


def describe_total_lean(found: ModelCalibration) -> str:
    """Tell whether probabilities are too high or too low on average; "" if neither is shown."""
    said, happened, p = found.said, found.happened, found.p_total
    if said is None or happened is None:
        return ""
    low, high = found.ratio_low, found.ratio_high
    is_off = low is not None and high is not None and not low <= 1 <= high
    if p is not None:
        is_off = p < FIRM
    return ("too high" if said > happened else "too low") if is_off else ""


def _slope_leans(found: ModelCalibration) -> str:
    low, high = found.slope_low, found.slope_high
    if low is None or high is None or low <= 1 <= high:
        return ""
    return "too timid" if low > 1 else "too extreme"


def _describe_spread(found: ModelCalibration) -> str:
    """Describe what the probabilities are, on average and towards their ends."""
    total, slope, limits = describe_total_lean(found), _slope_leans(found), _format_limits(found)
    on_average = f"{total} on average ({_format_total(found)})" if total else ""
    if not limits:
        slope_text = "undefined" if found.slope is None else _build_form(found).number(found.slope)
        head = f"the probabilities are {on_average}, their slope" if total else _SLOPE
        return f"{head} is {slope_text}"
    ends = f"{slope} ({limits})" if slope else f"not established as {_EITHER} ({limits})"
    return f"the probabilities are {f'{on_average} and {ends}' if total else ends}"


def _format_total(found: ModelCalibration) -> str:
    """Return what is said on average, what happened, and how sure it is that they differ."""
    said, happened = (format_fine_percent(x or 0.0) for x in (found.said, found.happened))
    sure = "" if found.p_total is None else f", {format_p_value(found.p_total)}"
    return f"{said} where {happened} happened{sure}"


def _format_limits(found: ModelCalibration) -> str:
    low, high = found.slope_low, found.slope_high
    if found.slope is None or low is None or high is None:
        return ""
    form = _build_form(found)
    return (
        f"slope {form.number(found.slope)}, {format_level(found.level)} CI "
        f"{form.interval(low, high)}"
    )


def _build_form(found: ModelCalibration) -> NumberFormat:
    """Return as many digits as tell a limit from 1."""
    form = choose_format(found.slope, found.slope_low, found.slope_high, "1")
    ends = [x for x in (found.slope_low, found.slope_high) if x is not None]
    while form.decimals < 4 and any(round(x, form.decimals) == 1 != x for x in ends):
        form = replace(form, decimals=form.decimals + 1)
    return form


def _right(found: ModelCalibration) -> str:
    """Return what the two tests of the probabilities say, each with its p-value."""
    p, other = found.p_calibrated, found.p_spiegelhalter
    if p is None:
        return "they are not tested, since rows follow one another, or clusters are few"
    is_off = p < FIRM
    said = f"{'rejects' if is_off else 'does not reject'} them ({format_p_value(p)})"
    if other is None:
        return f"the test of calibration {said}"
    also = f"{format_p_value(p)}; Spiegelhalter's {format_p_value(other)}"
    if is_off == (other < FIRM):
        return f"the tests of calibration {'reject' if is_off else 'do not reject'} them ({also})"
    does = "does" if other < FIRM else "does not"
    return f"the test of calibration {said}, Spiegelhalter's {does} ({format_p_value(other)})"


def describe_rare_class(found: RareClassComparison, labels: tuple[str, str], many: str) -> str:
    """Describe how far both models are apart by either rate.

    `labels` of the candidate and the baseline.

    `many` are the rows.

    >>> print(describe_rare_class(RareClassComparison("d", "b", "a", 1e-4, 0.9,
    ...     (1e-5, 0.00191), (0.9, 0.045)), ("B", "A"), "cases"))  # doctest: +NORMALIZE_WHITESPACE
    Where both find 90% of the positives, the false positive rates of B and A differ by only
    0.0019. Yet of 100 flagged 90 are right with B and 4.5 with A, since 99.99% of the cases are
    negative.
    """
    fpr, precision = found.false_positive_rates, found.precisions
    gap = abs((fpr[0] or 0.0) - (fpr[1] or 0.0))
    right = [_format_digits(100 * (each or 0.0)) for each in precision]
    said = (
        f"Where both find {format_percent(found.recall or 0.0)} of the positives, the false "
        "positive "
        f"rates of {labels[0]} and {labels[1]} differ by only "
        f"{NumberFormat(4, least=2).number(gap)}. "
        f"Yet of 100 flagged {right[0]} are right with {labels[0]} and {right[1]} with "
        f"{labels[1]}, since {_format_share_near_one(1 - (found.positives or 0.0))} of the {many} "
        "are negative."
    )
    if found.low is not None and found.high is not None:
        ends = [_format_signed(100 * end) for end in (found.low, found.high)]
        said += f" That is a difference of {ends[0]} to {ends[1]} of 100 flagged (unadjusted)."
    if found.differ:
        said += " The intervals of the areas under both curves do not agree on whether they differ."
    return said


def _format_signed(value: float) -> str:
    decimals = 0 if abs(value) >= 10 else 1
    return NumberFormat(decimals, least=2).number(value, signed=True)


def _format_digits(value: float) -> str:
    return NumberFormat(0 if value >= 10 else 1, least=2).number(value)


def _format_share_near_one(share: float) -> str:
    """A share near 1 with the digits that tell it from 1."""
    decimals = next((d for d in range(6) if round(100 * share, d) < 100), 6)
    return format_percent(share, decimals)


FEW = 30  # rows under which two judges say little of each other


def describe_raters(
    share: Agreement, kappa: Agreement, dataset: DatasetInfo, points: Sequence[str]
) -> list[str]:
    """On how many rows two judges agree, what that bounds or why it bounds nothing.

    `points` are the operating points at which models are held against it.
    """
    case = dataset.case
    rows = (
        format_count(share.n, *case)
        if share.n == share.of
        else (f"{format_count(share.n)} of {format_count(share.of, *case)}")
    )
    said = [
        f"A second judge named the class of {rows}, in the column {clean_name(share.column, 40)}.",
        f"Both judges agree on {_format_value(share)} of them; Cohen's kappa, which takes "
        "chance out, is "
        f"{_format_value(kappa)}.",
        _describe_agreement_bound(share, dataset),
    ]
    if not share.estimates:
        said.append("Models are not held against that: without an operating point they flag none.")
    elif points:
        said.append(f"Models flag at {join_list([clean_name(each, 40) for each in points])}.")
    return said


def _describe_agreement_bound(share: Agreement, dataset: DatasetInfo) -> str:
    """Describe what the agreement is worth to whoever judges models by it."""
    one, many = map(clean_name, dataset.case)
    if share.only:
        shown = {each.value: each.name for each in dataset.classes}.get(share.only, share.only)
        return (
            f"The second judge gave every {one} the class {clean_name(shown, 40)}: whoever "
            "tells no "
            "classes apart agrees no more than chance does, so this is no ceiling for models."
        )
    if share.n < FEW:
        return (
            f"{format_count(share.n, *dataset.case)} judged twice are too few to say how far "
            "two judges agree: this is no ceiling for models."
        )
    if share.judge.value == 1:
        return (
            f"Two judges who differ on none of the {many} are rare: the column may be a copy of "
            "the target, or have been filled in by somebody who saw it, and then it is no ceiling "
            "for models."
        )
    return (
        "A model that agrees more with the target than the second judge does may have learnt the "
        "habits of whoever made the target."
    )


def _format_value(found: Agreement) -> str:
    """The judge's value with its interval."""
    own = found.judge
    if own.value is None:
        return f"undefined ({own.reason})"
    form = choose_format(own.value, own.low, own.high, own.unit)
    known = own.low is not None and own.high is not None
    limits = f" ({form.interval(own.low, own.high)})" if known else ""
    return f"{form.amount(own.value)}{limits}"
