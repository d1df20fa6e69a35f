"""The sentences of page one."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType

from reportgen.report.wording.costs import format_times
from reportgen.report.wording.methods import pluralize_unit
from reportgen.report.wording.names import (
    capitalize,
    capitalize_label,
    capitalize_sentence,
    clean_name,
    count_comparisons,
    distance_prefix,
    join_list,
    lower_first_word,
)
from reportgen.report.wording.numbers import (
    NumberFormat,
    choose_declared_format,
    choose_format,
    format_count,
    format_level,
    format_size,
)
from reportgen.report.wording.verdicts import (
    NO_INTERVAL,
    choose_row_format,
    describe_row_adjustment,
    explain_absence,
    format_margin,
    format_row_interval,
    is_exactly_zero,
    round_up_two_digits,
)
from reportgen.results.conclusion import HeadlineComparison, HeadlineValue, TotalDifference
from reportgen.results.core import Comparison, DatasetInfo, GateResult, MetricInfo
from reportgen.results.sensitivity import DifferenceFromBest
from reportgen.results.types import FEWEST, Lacking, Word
from reportgen.results.verdicts import word_side


def describe_too_few(lacks: Lacking) -> str:
    """Say that there are too few of these for a verdict.

    >>> describe_too_few("folds")
    'under 3 folds no verdict is given'
    """
    of: Lacking = lacks or "queries"
    return f"under {FEWEST[of]} {of} no verdict is given"


def describe_gate_numbers(finding: GateResult, unit: str = "") -> str:
    """The number a gate judged, its interval and its bound; for a difference, its margin."""
    if finding.value is None:
        return "the number does not exist"
    is_difference = finding.is_of_difference
    size = finding.bound or 0.0
    apart = (0.0, size, -size) if is_difference else (finding.bound,)
    form = choose_format(finding.value, finding.low, finding.high, unit, apart)
    said = form.amount(finding.value, signed=is_difference)
    said = f"difference {said}" if is_difference else said
    if finding.low is not None or finding.high is not None:
        interval = form.interval(finding.low, finding.high, signed=is_difference)
        said += f" ({format_level(finding.level)} interval {interval})"
    if finding.bound is None:
        return said
    form = choose_declared_format(finding.bound, unit)
    if is_difference:
        return f"{said}, margin {format_size(form, finding.bound)}"
    return f"{said} against a bound of {form.amount(finding.bound)}"


def describe_gate(finding: GateResult, unit: str = "") -> str:
    """A gate's reason: its own, or else the evidence."""
    return finding.reason or describe_gate_numbers(finding, unit)


LONGEST_ANSWER = 18  # words
LONGEST_NAME = 40
_SAID: Mapping[Word, tuple[str, str]] = MappingProxyType(
    {
        # With the baseline's name, and without it.
        "clearly better": ("{m} is clearly better than {b}{on}", "{m} is clearly better{on}"),
        "better": ("{m} is better than {b}{on}", "{m} is better{on}"),
        "equivalent": ("{m} and {b} are equivalent{on}", "{m} is equivalent{on}"),
        "not worse": ("{m} is not worse than {b}{on}", "{m} is not worse{on}"),
        "not better": ("{m} is not better than {b}{on}", "{m} is not better{on}"),
        "cannot tell": (
            "The data cannot tell {m} and {b} apart{on}",
            "The data cannot tell about {m}{on}",
        ),
        "worse": ("{m} is worse than {b}{on}", "{m} is worse{on}"),
        "clearly worse": ("{m} is clearly worse than {b}{on}", "{m} is clearly worse{on}"),
        "no result": ("No conclusion: {p} {why}", "No conclusion"),
    }
)
_CONTRADICTED = "{m} is better than {b}{on} only", "{m} is better{on} only"
_ABSENT = {"undefined": "is undefined", "not applicable": "does not apply"}
_ACTS: Mapping[Word, tuple[str, tuple[str, ...]]] = MappingProxyType(
    {
        # What to do where the question is whether to replace the baseline, and why.
        "clearly better": ("Yes, replace {b} with {m}", ("clearly better{on}",)),
        "better": ("Yes, replace {b} with {m}", ("better{on}",)),
        "equivalent": ("No need to replace {b}", ("{m} is equivalent{on}",)),
        "not worse": ("No need shown to replace {b}", ("{m} is not worse{on}",)),
        "not better": ("No need to replace {b}", ("{m} is not better{on}",)),
        "cannot tell": ("", ("the data cannot tell it and {m} apart{on}",)),
        "worse": ("No, keep {b}", ("{m} is worse{on}",)),
        "clearly worse": ("No, keep {b}", ("{m} is clearly worse{on}",)),
    }
)
_WAIT = ("Keep {b} for now", ("{m} is better{on}",))

TOO_GOOD = ("its scores divide the classes without error: rule out a leak", "rule out a leak")
"""What takes a verdict back where a model makes no error at all, the longest first."""


def choose_fitting(options: Iterable[str], most: int = LONGEST_ANSWER) -> str:
    """The first text of few enough words, or the last of all, cut.

    >>> choose_fitting(["one two three", "one two"], 2), choose_fitting(["one two three"], 2)
    ('one two', 'one two…')
    """
    last = ""
    for last in options:
        if len(last.split()) <= most:
            return last
    return " ".join(last.split()[:most]) + "…"


def metric_phrase(metric: MetricInfo) -> str:
    """Return what page one calls a metric inside a sentence."""
    return (
        clean_name(metric.phrase) if metric.phrase else lower_first_word(clean_name(metric.label))
    )


def metric_heading(metric: MetricInfo) -> str:
    """Return what page one calls a metric at the start of a line: a name stays as it is written."""
    return capitalize(clean_name(metric.phrase)) if metric.phrase else capitalize_label(metric)


def describe_no_error(label: str) -> str:
    """Say that one of several models makes no error at all.

    >>> describe_no_error("GBM")
    'GBM makes no error: rule out a leak'
    """
    return f"{clean_name(label, LONGEST_NAME)} makes no error: {TOO_GOOD[-1]}"


def list_answers(
    row: HeadlineComparison,
    metric: MetricInfo,
    candidate: str,
    baseline: str,
    contrary: Sequence[str] = (),
) -> list[str]:
    """The verdict on one candidate in ever fewer words, those that matter most kept longest.

    `list_contrary_clauses` is what takes it back, said in the same way, the longest first.
    """
    m, b = clean_name(candidate, LONGEST_NAME), clean_name(baseline, LONGEST_NAME)
    p, why = metric_phrase(metric), _ABSENT.get(row.status, "has no interval")
    told = _SAID.get(row.word, (f"{{m}}{{on}}: {row.word}",))
    templates = _CONTRADICTED if row.contradicted_by else told
    leads = [
        capitalize_sentence(template.format(m=m, b=b, on=on, p=p, why=why), (m, b))
        for on in (f" on {p}", f" on {lower_first_word(clean_name(metric.label))}", "")
        for template in templates
    ]
    return [f"{lead}{end}." for end in (*(f"; {text}" for text in contrary), "") for lead in leads]


def list_replacement_answers(
    row: HeadlineComparison,
    metric: MetricInfo,
    candidate: str,
    baseline: str,
    contrary: Sequence[str] = (),
    *,
    is_taken_back: bool,
) -> list[str]:
    """List what to do about replacing the baseline, then why, in ever fewer words.

    An advantage that another row takes back is no reason to replace it yet; whose it is stays
    said, as the sentence begins with the name of the other model. Where no difference is shown
    elsewhere that is said and takes nothing back.
    """
    if row.word not in _ACTS:
        return list_answers(row, metric, candidate, baseline, contrary)
    m, b = clean_name(candidate, LONGEST_NAME), clean_name(baseline, LONGEST_NAME)
    act, reasons = _WAIT if is_taken_back and word_side(row.word) > 0 else _ACTS[row.word]
    bare = ""
    if row.contradicted_by:
        act, reasons, bare = "", ("{m} is better{on} only",), " on the primary metric"
    act = (act or _WAIT[0]).format(m=m, b=b)
    briefly = [text.replace("no difference shown", "not shown") for text in contrary]
    ends = [f"; {text}" for text in contrary] + [f", {text}" for text in briefly]
    on_what = (
        f" on {metric_phrase(metric)}",
        f" on {lower_first_word(clean_name(metric.label))}",
        bare,
    )
    tried = [(on, end) for on in on_what for end in ends] + [(on, "") for on in on_what]
    said = [f"{act}: {why.format(m=m, on=on)}{end}." for on, end in tried for why in reasons]
    return [*said, f"{act}."]


def list_contrary_clauses(row: HeadlineComparison, what: str, shorter: str) -> list[str]:
    """List what a row that contradicts the primary metric adds to the answer, the longest first."""
    verb = {1: "better", -1: "worse", 0: "no difference shown"}[word_side(row.word)]
    return [f"{verb} {what}", f"{verb} {shorter}"]


def describe_number(
    row: HeadlineComparison,
    metric: MetricInfo,
    comparison: Comparison,
    names: tuple[str, str],
    cases: str,
    total: TotalDifference | None = None,
) -> str:
    """The number that the answer rests on: both values, their difference with its interval."""
    if row.difference is None:
        return explain_absence(metric, row.status, row.reason)
    form = choose_row_format(row, metric)
    what = distance_prefix(metric) + lower_first_word(clean_name(metric.label))
    change, said = _change(row, form), _limits_said(row, form)
    m, b = (clean_name(each, LONGEST_NAME) for each in names)
    first = f"In {what} {m} differs from {b} by {change} ({said})."
    if row.value is not None and row.baseline_value is not None:
        values = replace(form, least=2)
        at, base = values.amount(row.value), values.amount(row.baseline_value)
        first = f"{what} is {at} for {m} and {base} for {b}, a difference of {change} ({said})."
    first = capitalize_sentence(first, (capitalize_label(metric),))
    more = (
        _format_level(row, comparison, cases),
        *_describe_margin_evidence(row, metric, comparison, cases),
        _format_total(total, metric, cases),
    )
    return " ".join(filter(None, (first, *more)))


def describe_worse(label: str, places: Sequence[str]) -> str:
    """Describe where a model is worse; nothing where there is no such place.

    >>> describe_worse("RFM", ["on capture", "for Repeat customers"])
    'RFM is worse on capture and for Repeat customers.'
    """
    return (f"{clean_name(label, LONGEST_NAME)} is worse {join_list(places, 4)}.") if places else ""


def describe_multiple(row: HeadlineComparison, metric: MetricInfo) -> str:
    """Describe how many times the baseline's value it is, in brackets, from twice upwards."""
    value, base = row.value, row.baseline_value
    if metric.better == "higher" or value is None or base is None or base <= 0 or value < 2 * base:
        return ""
    form = replace(choose_row_format(row, metric), least=2)
    ends = f"{form.amount(value)} against {form.amount(base)}"
    return f" ({ends}, {format_times(value / base)} times as large)"


def describe_larger_gain(
    row: HeadlineComparison, form: NumberFormat, label: str, baseline: str, worse_on: Sequence[str]
) -> str:
    """Another candidate whose difference is larger than that of the one asked about."""
    change = form.amount(row.difference, signed=True)
    m, b = clean_name(label, LONGEST_NAME), clean_name(baseline, LONGEST_NAME)
    said = (
        f"{m}, which is not asked about, gains more by its estimate: {change} "
        f"({format_level(row.level)} CI {format_row_interval(row, form)})"
    )
    if worse_on:
        said += f"; it is worse than {b} on {join_list(worse_on, 3)}"
    return f"{said}."


def describe_needed_rows(many: int | None, there: int) -> str:
    """Describe how many rows might be enough, as a clause; nothing where it is not known."""
    if many is None or many <= there:
        return ""
    if many > 1000 * there:
        return "not even 1,000 times as many"
    return f"about {format_count(round_up_two_digits(many))} might be"


def describe_rows_for_best(
    best: str, metric: MetricInfo, many: int, cases: str, worse_on: str = ""
) -> str:
    """Describe how many rows would tell the best model from all others.

    Only where that would settle the choice.

    `worse_on` is another metric of the same kind on which it is shown worse.
    """
    about, m, p = (
        format_count(round_up_two_digits(many)),
        clean_name(best, LONGEST_NAME),
        metric_phrase(metric),
    )
    if worse_on:
        return (
            f"More {cases} would narrow this and yet not settle the choice: {m}, the best on {p} "
            f"by value, is worse on {worse_on}."
        )
    return (
        f"If the differences are what they seem, about {about} {cases} would show {m}, the best "
        f"by value, to be better than every other model on {p} (power 80%)."
    )


def split_at_difference(
    said: str, row: HeadlineComparison, metric: MetricInfo
) -> tuple[str, str, str]:
    """The sentence before, in and after its difference, which is set in bold, not a value like it.

    Without its difference it is all before.
    """
    bold = _change(row, choose_row_format(row, metric))
    at = said.find(f" {bold} (") + 1
    return (said[:at], bold, said[at + len(bold) :]) if at else (said, "", "")


def _change(row: HeadlineComparison, form: NumberFormat) -> str:
    """The difference with its unit; one that is exactly nothing without decimals."""
    return (replace(form, decimals=0) if is_exactly_zero(row) else form).amount(
        row.difference, signed=True
    )


def _limits_said(row: HeadlineComparison, form: NumberFormat) -> str:
    """The interval with its name, and for how many comparisons it is adjusted."""
    ends = format_row_interval(row, form)
    if ends == NO_INTERVAL:
        return ends
    parts = (f"{format_level(row.level)} CI {ends}", describe_row_adjustment(row))
    return ", ".join(filter(None, parts))


def _format_level(row: HeadlineComparison, comparison: Comparison, cases: str) -> str:
    """Say that no row tells two models apart, where none does."""
    if not comparison.is_same:
        return ""
    return f"The two do equally well on each of these {format_count(row.n)} {cases}."


def _describe_margin_evidence(
    row: HeadlineComparison, metric: MetricInfo, comparison: Comparison, cases: str
) -> tuple[str, ...]:
    """Describe what the interval says of the margin, and how many rows would decide.

    Neither is said of few rows.
    """
    if comparison.is_few and row.word == "cannot tell":
        return (f"{capitalize(describe_too_few(comparison.lacks))}, whatever the interval.",)
    if row.low is None and row.high is None and comparison.reason and not comparison.is_same:
        return (f"{capitalize(comparison.reason.removeprefix(f'{NO_INTERVAL}: '))}.",)
    if (more := comparison.replicates_to_settle) is not None:
        lacking = (
            f"An interval that allows for all comparisons needs at least {format_count(more)} "
            "resamples."
        )
        return lacking, _describe_rows_to_settle(row, comparison, cases)
    margin = "" if comparison.is_same else _format_margin(row, metric)
    return margin, _describe_rows_to_settle(row, comparison, cases)


def _format_margin(row: HeadlineComparison, metric: MetricInfo) -> str:
    """Return what the interval says of the smallest difference that matters."""
    if row.margin is None:
        return "No smallest difference that matters (margin) was declared."
    size = format_margin(row.margin, metric)
    matters = f"{size}, the smallest difference that matters"
    several = row.adjusted_for > 1
    neither = f"Allowing for all {row.adjusted_for} comparisons, neither" if several else "Neither"
    if row.contradicted_by:
        return ""
    return {
        "clearly better": f"The whole interval is beyond {matters}.",
        "better": f"An advantage is shown; one below {matters}, is not ruled out.",
        "equivalent": f"The two differ by less than {matters}.",
        "not worse": f"A loss of {size} or more is ruled out; an advantage is not shown.",
        "not better": f"A gain of {size} or more is ruled out; a loss is not shown.",
        "cannot tell": f"{neither} a gain nor a loss of more than {size} is ruled out.",
        "worse": f"A loss is shown; one below {matters}, is not ruled out.",
        "clearly worse": f"The whole interval is beyond {matters}, on the wrong side.",
    }.get(row.word, "")


def _describe_rows_to_settle(row: HeadlineComparison, comparison: Comparison, cases: str) -> str:
    """Describe how many rows would decide, where the data do not."""
    needed, there = comparison.n_to_settle, comparison.units or comparison.n
    if comparison.counted not in ("row", "query"):
        cases = pluralize_unit(comparison.counted)
    if row.word != "cannot tell" or needed is None or needed <= there:
        return ""
    if needed > 1000 * there:
        return f"More than 1,000 times as many {cases} would be needed to decide."
    return f"About {format_count(round_up_two_digits(needed))} {cases} would decide."


def _format_total(total: TotalDifference | None, metric: MetricInfo, cases: str) -> str:
    """Return what the difference comes to over all rows."""
    if total is None or total.value is None:
        return ""
    unit = metric.unit.partition(" per ")[0]
    form = choose_format(total.value, total.low, total.high, unit)
    interval = form.interval(total.low, total.high, signed=True)
    said = f"Over these {format_count(total.cases)} {cases} that comes to about"
    return f"{said} {form.amount(total.value, signed=True)} ({interval})."


def describe_order_only(metric: MetricInfo, case: tuple[str, str]) -> str:
    """Describe what a metric of order leaves open where scores are probabilities."""
    on = capitalize(metric_phrase(metric))
    return (
        f"{on} judges the order of {clean_name(case[1])}, not whether the probabilities are right."
    )


def join_labels(labels: Sequence[str], most: int = 3) -> str:
    """Names of models in a list."""
    return join_list([clean_name(label, LONGEST_NAME) for label in labels], most)


def format_metric_value(metric: MetricInfo, row: HeadlineValue, decimals: int | None = None) -> str:
    """One model's value with its interval, at its own decimals where none are given."""
    form = choose_format(row.value, row.low, row.high, metric.unit, bounds=metric.bounds)
    form = form if decimals is None else replace(form, decimals=decimals)
    if row.low is None and row.high is None:
        return f"{form.amount(row.value)} (no interval)"
    return (
        f"{form.amount(row.value)} ({format_level(row.level)} CI "
        f"{form.interval(row.low, row.high)})"
    )


def use_case_unit(metric: MetricInfo, dataset: DatasetInfo) -> MetricInfo:
    """The metric with the noun of the dataset's rows in its unit, where it is one per case."""
    noun = dataset.case[0]
    return replace(metric, unit=metric.unit.replace(" per case", f" per {clean_name(noun)}"))


def describe_best(
    label: str,
    candidates: int,
    following: str,
    found: DifferenceFromBest | None,
    unit: str,
    base: float,
) -> str:
    r"""Say that a candidate has the best value, and how far from it the next model is.

    `base` is the level of the report, which that of the limits is where one model alone is next.

    >>> behind = DifferenceFromBest("d", "rho", "b", "c", -0.05, -0.06, -0.04, 0.975, True)
    >>> print(describe_best("GBM", 2, "RFM", behind, "", 0.95).partition(". ")[2])
    RFM, the next, differs by −0.050 (95% CI −0.060 to −0.040, adjusted for 2 comparisons).
    """
    said = f"{label} has the best value of {candidates} candidates"
    if found is None or found.low is None or found.high is None or found.level is None:
        return f"{said}."
    form = choose_format(found.difference, found.low, found.high, unit)
    limits_of = f"{form.bare(found.low, signed=True)} to {form.bare(found.high, signed=True)}"
    several = count_comparisons(found.level, base)
    adjusted = f", adjusted for {several} comparisons" if several > 1 else ""
    shown = base if several > 1 else found.level
    return (
        f"{said}. {following}, the next, differs by "
        f"{form.amount(found.difference, signed=True)} ({format_level(shown)} CI "
        f"{limits_of}{adjusted})."
    )


def describe_level_best(labels: Sequence[str], candidates: int, metric: MetricInfo) -> str:
    """Say that several candidates have one value, than which none is better.

    >>> rho = MetricInfo("rho", "rho", {}, "Spearman ρ", "higher", "1", (-1, 1), "", "", "")
    >>> describe_level_best(["GBM", "RFM"], 2, rho)
    'GBM and RFM have the same Spearman ρ.'
    >>> describe_level_best(["GBM", "RFM"], 3, rho)
    'GBM and RFM have the same Spearman ρ, the best of 3 candidates.'
    """
    said = (
        f"{join_list(list(labels), 4)} have the same {lower_first_word(clean_name(metric.label))}"
    )
    of = "" if len(labels) == candidates else f", the best of {candidates} candidates"
    return f"{said}{of}."
