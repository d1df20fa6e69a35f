"""Cautions of page one in words."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from reportgen.report.wording.answers import metric_phrase
from reportgen.report.wording.costs import format_ratio
from reportgen.report.wording.names import (
    ROWS,
    Case,
    capitalize,
    clean_name,
    fill_case_nouns,
    join_list,
    lower_first_word,
)
from reportgen.report.wording.numbers import choose_declared_precision, format_count, format_percent
from reportgen.report.wording.verdicts import choose_row_format, format_row_interval
from reportgen.report.wording.warning_texts import WARNING_TEXTS
from reportgen.report.wording.warnings import fill_warning_line, format_code_heading, format_warning
from reportgen.results.conclusion import BestAction, Caveat, HeadlineComparison
from reportgen.results.core import ColumnProfile, MetricInfo, Warning
from reportgen.results.sensitivity import Deletion
from reportgen.results.types import Better, Scalar
from reportgen.results.verdicts import word_side

DIRECTIONS: Mapping[Better, str] = {
    "higher": "higher is better",
    "lower": "lower is better",
    "zero": "nearer zero is better",
    "one": "nearer one is better",
}


def describe_warning_plainly(code: str, numbers: Mapping[str, Scalar], case: Case = ROWS) -> str:
    """A warning in one short line, without what only a statistician reads."""
    for line, parts in WARNING_TEXTS[code].briefs if code in WARNING_TEXTS else ():
        said = fill_warning_line(line, parts, numbers, case)
        if said:
            return said
    return format_warning(code, numbers, case)


def describe_consequence(code: str, case: Case = ROWS) -> str:
    """Describe what a warning means for the reader, in one sentence.

    Empty where the line says it.
    """
    return fill_case_nouns(WARNING_TEXTS[code].consequence, case) if code in WARNING_TEXTS else ""


FEW = 5  # rows on which no verdict should hang


def describe_fragility(
    removals: Sequence[Deletion], candidate: str, labels: Mapping[str, str], case: Case = ROWS
) -> str:
    """Describe what the verdict on a candidate would be without the fewest rows that change it.

    `removals` are the sets left out of one pair, `case` the nouns for rows. "" where more than
    five rows are needed, or no set was found; where no verdict was looked at, whom the difference
    favours.
    """
    mine = [r for r in removals if r.candidate == candidate and r.rows <= FEW]
    changing = _fewest([r for r in mine if r.is_changed])
    turning = _fewest([r for r in mine if r.is_turned and r.word is None])
    if changing:
        verdicts = dict.fromkeys(f"“{r.word}”" for r in changing)
        would_be = " or, by another choice, ".join(verdicts)
        before = changing[0].word_before
        is_alike = any(r.word and word_side(r.word) == word_side(before) for r in changing)
        contrast = f", not “{before}”" if is_alike else ""
        return (
            f"Without {format_count(changing[0].rows, *case)} the verdict would be "
            f"{would_be}{contrast}."
        )
    if turning:
        side = clean_name(labels[turning[0].in_favour_of], 40)
        without = format_count(turning[0].rows, *case)
        return f"Without {without} the difference would be in favour of {side}."
    return ""


def _fewest(sets: Sequence[Deletion]) -> list[Deletion]:
    return [r for r in sets if r.rows == min(each.rows for each in sets)]


Told = tuple[MetricInfo, HeadlineComparison]


def caution_of_contradiction(
    model: tuple[str, str],
    metric: MetricInfo,
    worse: Told,
    tied: ColumnProfile | None,
    acts: Sequence[Told],
) -> Caveat:
    """A model that is better on the primary metric alone: worse on another of its kind."""
    label = clean_name(model[1], 40)
    title = f"Do not pick {label} on {lower_first_word(clean_name(metric.label))} alone."
    lines = []
    if tied is not None:
        lines.append(f"{_describe_ties(tied)}, and {_forgives(metric)}.")
    lead = "With ties counted as half it is worse" if tied is not None else "It is worse"
    lines.append(
        f"{lead} on {lower_first_word(clean_name(worse[0].label))}: {_format_values(worse)}."
    )
    lines += [
        f"It is worse on {metric_phrase(act[0])} too: {_format_difference(act)}."
        for act in acts
        if act[0].key != worse[0].key
    ]
    return Caveat("contradicted", title, (" ".join(lines)), model[0], is_forced=True)


def caution_of_ties(
    label: str, model: str, tied: ColumnProfile, metric: MetricInfo, half: Told | None
) -> Caveat:
    """A score with many tied pairs, next to its value with ties counted as half."""
    title = f"{clean_name(label, 40)} leaves many pairs tied."
    text = f"{_describe_ties(tied)}, and {_forgives(metric)}."
    if half is not None:
        text += (
            f" With ties counted as half: {lower_first_word(clean_name(half[0].label))} "
            f"{_format_values(half)}."
        )
    else:
        text += " No metric of this report counts a tied pair as half; `regression_auc` would."
    return Caveat("W102", title, (text), model, is_forced=True)


def merge_cautions(forced: Sequence[Caveat]) -> Caveat:
    """Many forced points as one."""
    names = join_list(
        [care.title.split(" on ")[0].removeprefix("Do not pick ") for care in forced], 4
    )
    text = (
        f"{format_count(len(forced), 'model')} with a better value on the primary metric are "
        "worse on another metric of the same kind, or leave many pairs tied."
    )
    return Caveat(
        "contradicted",
        f"Contradicted by another metric of its kind: {names}.",
        (text),
        None,
        is_forced=True,
    )


def caution_of_warning(found: Warning, metric: str, model: str, case: Case = ROWS) -> Caveat:
    """A coded warning in one line; `metric` and `model` as they are written."""
    text = (
        describe_warning_plainly(found.code, found.numbers, case)
        if found.numbers
        else (found.text or format_warning(found.code, {}, case))
    )
    subject = " of ".join(filter(None, (metric, model)))
    said = f"{subject}: {text[:1].lower()}{text[1:]}" if subject else text
    more = describe_consequence(found.code, case)
    title = f"{capitalize(format_code_heading(found.code))}."
    return Caveat(found.code, title, (" ".join(filter(None, (said, more)))), found.model)


def describe_other_models(names: Sequence[str], *, has_baseline: bool = False) -> str:
    """Say that more models have the same warning, the baseline's name first; "" where none has.

    >>> describe_other_models(["In use (0.123)"], has_baseline=True), describe_other_models(["a",
    ...     "b", "c"])
    (' In use (0.123) has this warning too.', ' 3 other models have this warning too.')
    """
    if not names:
        return ""
    if len(names) <= 2:
        return f" {join_list(list(names))} {'has' if len(names) == 1 else 'have'} this warning too."
    among = f", {names[0]} among them" if has_baseline else ""
    return f" {format_count(len(names), 'other model')} have this warning too{among}."


def caution_of_one_ratio(advised: BestAction) -> Caveat:
    """Say that the costs of all actions are given at one ratio."""
    text = (
        f"All costs are at {format_ratio(advised.asymmetry)}, too low to too high. At another "
        "ratio another action may be the cheapest."
    )
    return Caveat("one ratio", "One ratio only.", text, advised.model)


def describe_borderline(
    sets: Sequence[Deletion], case: tuple[str, str], measured: Told, label: str
) -> str:
    """Describe the result without very few rows; "" where more than five are needed."""
    few = [d for d in sets if d.rows <= FEW and d.word is not None]
    moved = [d for d in few if d.is_changed or d.is_stronger]
    if not moved:
        return ""
    least = min(moved, key=lambda d: d.rows)
    there = format_count(least.rows, *case)
    metric, row = measured
    return (
        f"Without {there} the verdict on {clean_name(label, 40)}, {metric_phrase(metric)}, "
        f"would be “{least.word}”, not “{row.word}”."
    )


def caution_of_top(text: str, model: str, level: str) -> Caveat:
    """A bias that is shown where the scores are highest."""
    return Caveat("top", "Biased at the top.", f"{text}, {level} CI of this group alone.", model)


def caution_of_method(model: str) -> Caveat:
    """A verdict that another method does not share."""
    text = "Another way of making the interval gives another conclusion."
    return Caveat("method", "The result depends on the interval method.", text, model)


def caution_of_reversal(segments: Sequence[str], model: str) -> Caveat:
    """Segments in which the result is the opposite."""
    where = join_list(list(segments), 3)
    return Caveat("reversed", "The result reverses.", f"The opposite is shown for {where}.", model)


def _describe_ties(tied: ColumnProfile) -> str:
    if tied.mode_share is not None and tied.mode is not None and tied.mode_share > 0.2:
        value = choose_declared_precision(tied.mode).number(tied.mode)
        value = "zero" if tied.mode == 0 else value
        return f"{format_percent(tied.mode_share)} of its scores are {value}"
    return f"{format_percent(tied.tied_pairs)} of the pairs of its scores are tied"


def _forgives(metric: MetricInfo) -> str:
    return (
        f"{lower_first_word(clean_name(metric.label))} forgives the pairs that a score leaves tied"
    )


def _format_values(measured: Told) -> str:
    metric, row = measured
    form = choose_row_format(row, metric)
    return f"{form.amount(row.value)}, the baseline {form.amount(row.baseline_value)}"


def _format_difference(measured: Told) -> str:
    metric, row = measured
    form = choose_row_format(row, metric)
    return f"{form.amount(row.difference, signed=True)} ({format_row_interval(row, form)})"
