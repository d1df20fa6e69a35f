"""The answer of page one in at most 18 words, and the sentence with its number."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType

from reportgen.results import Comparison, DatasetInfo, MetricInfo
from reportgen.results.conclusion import Alone, Judged, Total, Word
from reportgen.wording.asymmetries import times_of
from reportgen.wording.designs import plural
from reportgen.wording.findings import under_fewest
from reportgen.wording.kinds import distance, written
from reportgen.wording.names import begun, capital, listed, lowered, name
from reportgen.wording.numbers import Form, count, form_of, level
from reportgen.wording.rows import (
    NO_INTERVAL,
    adjustment_of,
    interval_of,
    is_nothing,
    limits,
    row_form,
)
from reportgen.wording.verdicts import absence, margin_size, two_digits
from reportgen.wording.words import equal_here, side_of

LONGEST_ANSWER = 18  # words
LONGEST_NAME = 40
_SAID: Mapping[Word, tuple[str, str]] = MappingProxyType(
    {
        # With the baseline's name, and without it.
        "Better": ("{m} is better than {b}{on}", "{m} is better{on}"),
        "Better; size unclear": (
            "{m} is better than {b}{on}, size unclear",
            "{m} is better{on}, size unclear",
        ),
        "Better, but negligibly": (
            "{m} is better than {b}{on}, but negligibly",
            "{m} is negligibly better{on}",
        ),
        "Better on this metric only": ("{m} is better than {b}{on} only", "{m} is better{on} only"),
        "Equivalent": ("{m} and {b} are equivalent{on}", "{m} is equivalent{on}"),
        "Non-inferior": ("{m} is non-inferior to {b}{on}", "{m} is non-inferior{on}"),
        "Not enough evidence": (
            "Not enough evidence of a difference between {m} and {b}{on}",
            "Not enough evidence for {m}{on}",
        ),
        "No difference": ("{m} and {b} do not differ{on}", "{m} does not differ{on}"),
        "Equal on these rows": ("{m} and {b} have the same value{on}", "{m} is level{on}"),
        "Worse, but negligibly": (
            "{m} is worse than {b}{on}, but negligibly",
            "{m} is negligibly worse{on}",
        ),
        "Worse; size unclear": (
            "{m} is worse than {b}{on}, size unclear",
            "{m} is worse{on}, size unclear",
        ),
        "Worse": ("{m} is worse than {b}{on}", "{m} is worse{on}"),
        "Undefined": ("No conclusion: {p} is undefined", "No conclusion"),
        "Not applicable": ("No conclusion: {p} does not apply", "No conclusion"),
    }
)
_ACTS: Mapping[Word, tuple[str, tuple[str, ...]]] = MappingProxyType(
    {
        # What to do where the question is whether to replace the baseline, and why.
        "Better": ("Yes, replace {b} with {m}", ("better{on}",)),
        "Better; size unclear": ("Yes, replace {b} with {m}", ("better{on}, size unclear",)),
        "Better, but negligibly": ("No need to replace {b}", ("{m} is negligibly better{on}",)),
        "Better on this metric only": ("", ("{m} is better{on} only",)),
        "Equivalent": ("No need to replace {b}", ("{m} is equivalent{on}",)),
        "Non-inferior": ("No need shown to replace {b}", ("{m} is non-inferior{on}",)),
        "Not enough evidence": ("", ("not enough evidence of a difference from {m}{on}",)),
        "No difference": ("No need to replace {b}", ("{m} does not differ{on}",)),
        "Equal on these rows": ("", ("{m} has the same value{on}",)),
        "Worse, but negligibly": ("No, keep {b}", ("{m} is negligibly worse{on}",)),
        "Worse; size unclear": ("No, keep {b}", ("{m} is worse{on}, size unclear",)),
        "Worse": ("No, keep {b}", ("{m} is worse{on}",)),
    }
)
_WAIT = ("Keep {b} for now", ("{m} is better{on}",))

TOO_GOOD = ("its scores divide the classes without error: rule out a leak", "rule out a leak")
"""What takes a verdict back where a model makes no error at all, the longest first."""


def fitting(options: Iterable[str], most: int = LONGEST_ANSWER) -> str:
    """The first text of few enough words, or the last of all, cut.

    >>> fitting(["one two three", "one two"], 2), fitting(["one two three"], 2)
    ('one two', 'one two…')
    """
    last = ""
    for last in options:
        if len(last.split()) <= most:
            return last
    return " ".join(last.split()[:most]) + "…"


def phrase_of(metric: MetricInfo) -> str:
    """What page one calls a metric inside a sentence."""
    return name(metric.phrase) if metric.phrase else lowered(name(metric.label))


def heading_of(metric: MetricInfo) -> str:
    """What page one calls a metric at the start of a line: a name stays as it is written."""
    return capital(name(metric.phrase)) if metric.phrase else written(metric)


def no_error(label: str) -> str:
    """That one of several models makes no error at all.

    >>> no_error("GBM")
    'GBM makes no error: rule out a leak'
    """
    return f"{name(label, LONGEST_NAME)} makes no error: {TOO_GOOD[-1]}"


def answers(
    row: Judged, metric: MetricInfo, candidate: str, baseline: str, contrary: Sequence[str] = ()
) -> list[str]:
    """The verdict on one candidate in ever fewer words, those that matter most kept longest.

    `contrary` is what takes it back, told in the same way, the longest first.
    """
    m, b = name(candidate, LONGEST_NAME), name(baseline, LONGEST_NAME)
    p = phrase_of(metric)
    leads = [
        begun(template.format(m=m, b=b, on=on, p=p), (m, b))
        for on in (f" on {p}", f" on {lowered(name(metric.label))}", "")
        for template in _SAID.get(row.word, (f"{{m}}{{on}}: {row.word}",))
    ]
    return [f"{lead}{end}." for end in (*(f"; {text}" for text in contrary), "") for lead in leads]


def replacing(
    row: Judged,
    metric: MetricInfo,
    candidate: str,
    baseline: str,
    contrary: Sequence[str] = (),
    *,
    is_taken_back: bool,
) -> list[str]:
    """What to do about replacing the baseline, then why, in ever fewer words.

    An advantage that another row takes back is no reason to replace it yet; whose it is stays
    said, as the sentence begins with the name of the other model. Where no difference is shown
    elsewhere that is said and takes nothing back.
    """
    if row.word not in _ACTS:
        return answers(row, metric, candidate, baseline, contrary)
    m, b = name(candidate, LONGEST_NAME), name(baseline, LONGEST_NAME)
    act, reasons = _WAIT if is_taken_back and side_of(row.word) > 0 else _ACTS[row.word]
    bare = ""
    if row.word == "Better on this metric only":
        reasons, bare = _ACTS[row.word][1], " on the primary metric"
    act = (act or _WAIT[0]).format(m=m, b=b)
    briefly = [text.replace("no difference shown", "not shown") for text in contrary]
    ends = [f"; {text}" for text in contrary] + [f", {text}" for text in briefly]
    on_what = (f" on {phrase_of(metric)}", f" on {lowered(name(metric.label))}", bare)
    tried = [(on, end) for on in on_what for end in ends] + [(on, "") for on in on_what]
    said = [f"{act}: {why.format(m=m, on=on)}{end}." for on, end in tried for why in reasons]
    return [*said, f"{act}."]


def contrary(row: Judged, what: str, shorter: str) -> list[str]:
    """What a row that contradicts the primary metric adds to the answer, the longest first."""
    verb = {1: "better", -1: "worse", 0: "no difference shown"}[side_of(row.word)]
    return [f"{verb} {what}", f"{verb} {shorter}"]


def sentence(
    row: Judged,
    metric: MetricInfo,
    comparison: Comparison,
    names: tuple[str, str],
    cases: str,
    total: Total | None = None,
) -> str:
    """The number that the answer rests on: both values, their difference with its interval."""
    if row.difference is None:
        return absence(metric, row.status, row.reason)
    form = row_form([row], metric.unit)
    what = distance(metric) + lowered(name(metric.label))
    change, said = _change(row, form), _limits_said(row, form)
    m, b = (name(each, LONGEST_NAME) for each in names)
    first = f"In {what} {m} differs from {b} by {change} ({said})."
    if row.value is not None and row.baseline_value is not None:
        at, base = form.amount(row.value), form.amount(row.baseline_value)
        first = f"{what} is {at} for {m} and {base} for {b}, a difference of {change} ({said})."
    first = begun(first, (written(metric),))
    more = (
        _level(row, cases),
        *_judged(row, metric, comparison, cases),
        _total(total, metric, cases),
    )
    return " ".join(filter(None, (first, *more)))


def worse(label: str, places: Sequence[str]) -> str:
    """Where a model is worse; nothing where there is no such place.

    >>> worse("RFM", ["on capture", "for Repeat customers"])
    'RFM is worse on capture and for Repeat customers.'
    """
    return (f"{name(label, LONGEST_NAME)} is worse {listed(places, 4)}.") if places else ""


def times_as_large(row: Judged, metric: MetricInfo) -> str:
    """How large a value is beside the baseline's, in brackets, where it is at least twice that."""
    value, base = row.value, row.baseline_value
    if metric.better == "higher" or value is None or base is None or base <= 0 or value < 2 * base:
        return ""
    form = replace(row_form([row], metric.unit), least=2)
    ends = f"{form.amount(value)} against {form.amount(base)}"
    return f" ({ends}, {times_of(value / base)} times as large)"


def gains_more(row: Judged, form: Form, label: str, baseline: str, worse_on: Sequence[str]) -> str:
    """Another candidate whose difference is larger than that of the one asked about."""
    change = form.amount(row.difference, signed=True)
    m, b = name(label, LONGEST_NAME), name(baseline, LONGEST_NAME)
    said = (
        f"{m}, which is not asked about, gains more by its estimate: {change} "
        f"({interval_of(row)} {limits(row, form)})"
    )
    if worse_on:
        said += f"; it is worse than {b} on {listed(worse_on, 3)}"
    return f"{said}."


def needed(many: int | None, there: int) -> str:
    """How many rows might be enough, as a clause; nothing where it is not known."""
    if many is None or many <= there:
        return ""
    if many > 1000 * there:
        return "not even 1,000 times as many"
    return f"about {count(two_digits(many))} might be"


def best_needs(best: str, metric: MetricInfo, many: int, cases: str, worse_on: str = "") -> str:
    """How many rows would tell the best model from all others, if that would settle the choice.

    `worse_on` is another metric of the same kind on which it is shown worse.
    """
    about, m, p = count(two_digits(many)), name(best, LONGEST_NAME), phrase_of(metric)
    if worse_on:
        return (
            f"More {cases} would narrow this and yet not settle the choice: {m}, the best on {p} "
            f"by value, is worse on {worse_on}."
        )
    return (
        f"If the differences are what they seem, about {about} {cases} would show {m}, the best "
        f"by value, to be better than every other model on {p} (power 80%)."
    )


def bold_in(said: str, row: Judged, metric: MetricInfo) -> tuple[str, str, str]:
    """The sentence before, in and after its difference, which is set in bold, not a value like it.

    Without its difference it is all before.
    """
    bold = _change(row, row_form([row], metric.unit))
    at = said.find(f" {bold} (") + 1
    return (said[:at], bold, said[at + len(bold) :]) if at else (said, "", "")


def _change(row: Judged, form: Form) -> str:
    """The difference with its unit; one that is exactly nothing without decimals."""
    return (replace(form, decimals=0) if is_nothing(row) else form).amount(
        row.difference, signed=True
    )


def _limits_said(row: Judged, form: Form) -> str:
    """The interval with its name, and for how many comparisons it is adjusted."""
    ends = limits(row, form)
    if ends == NO_INTERVAL:
        return ends
    return ", ".join(filter(None, (f"{interval_of(row)} {ends}", adjustment_of(row))))


def _level(row: Judged, cases: str) -> str:
    """That no row tells two models apart, where none does."""
    if row.word != "No difference":
        return ""
    return f"The two do equally well on each of these {count(row.n)} {cases}."


def _judged(row: Judged, metric: MetricInfo, comparison: Comparison, cases: str) -> tuple[str, ...]:
    """What the interval says of the margin, and how many rows would decide; of few rows neither."""
    if comparison.is_few and row.word == "Not enough evidence":
        return (f"{capital(under_fewest(comparison.lacks))}, whatever the interval.",)
    if row.low is None and row.high is None and comparison.reason and not comparison.is_same:
        return (f"{capital(comparison.reason.removeprefix(f'{NO_INTERVAL}: '))}.",)
    if row.word == "Equal on these rows":
        return (equal_here(row.low is not None),)
    if (more := comparison.replicates_to_settle) is not None:
        lacking = (
            f"An interval that allows for all comparisons needs at least {count(more)} resamples."
        )
        return lacking, _settled(row, comparison, cases)
    return _margin(row, metric), _settled(row, comparison, cases)


def _margin(row: Judged, metric: MetricInfo) -> str:
    """What the interval says of the smallest difference that matters."""
    if row.margin is None:
        is_none = row.word == "No difference"
        return "" if is_none else "No smallest difference that matters (margin) was declared."
    size = margin_size(row.margin, metric)
    matters = f"{size}, the smallest difference that matters"
    several = row.adjusted_for > 1
    neither = f"Allowing for all {row.adjusted_for} comparisons, neither" if several else "Neither"
    return {
        "Better": f"The whole interval is beyond {matters}.",
        "Better; size unclear": f"An advantage is shown; one below {matters}, is not ruled out.",
        "Better, but negligibly": f"An advantage is shown, and it is smaller than {matters}.",
        "Better on this metric only": "",
        "Equivalent": f"The two differ by less than {matters}.",
        "Non-inferior": f"A loss of {size} or more is ruled out; an advantage is not shown.",
        "Not enough evidence": f"{neither} a gain nor a loss of more than {size} is ruled out.",
        "No difference": "",
        "Worse, but negligibly": f"A loss is shown, and it is smaller than {matters}.",
        "Worse; size unclear": f"A loss is shown; one below {matters}, is not ruled out.",
        "Worse": f"The whole interval is beyond {matters}, on the wrong side.",
    }.get(row.word, "")


def _settled(row: Judged, comparison: Comparison, cases: str) -> str:
    """How many rows would decide, where the data do not."""
    needed, there = comparison.n_to_settle, comparison.units or comparison.n
    if comparison.counted not in ("row", "query"):
        cases = plural(comparison.counted)
    if row.word != "Not enough evidence" or needed is None or needed <= there:
        return ""
    if needed > 1000 * there:
        return f"More than 1,000 times as many {cases} would be needed to decide."
    return f"About {count(two_digits(needed))} {cases} would decide."


def _total(total: Total | None, metric: MetricInfo, cases: str) -> str:
    """What the difference comes to over all rows."""
    if total is None or total.value is None:
        return ""
    unit = metric.unit.partition(" per ")[0]
    form = form_of(total.value, total.low, total.high, unit)
    interval = form.interval(total.low, total.high, signed=True)
    said = f"Over these {count(total.cases)} {cases} that comes to about"
    return f"{said} {form.amount(total.value, signed=True)} ({interval})."


def order_alone(metric: MetricInfo, case: tuple[str, str]) -> str:
    """What a metric of order leaves open where scores are probabilities."""
    on = capital(phrase_of(metric))
    return f"{on} judges the order of {name(case[1])}, not whether the probabilities are right."


def of_models(labels: Sequence[str], most: int = 3) -> str:
    """Names of models in a list."""
    return listed([name(label, LONGEST_NAME) for label in labels], most)


def value_of(metric: MetricInfo, row: Alone, decimals: int | None = None) -> str:
    """One model's value with its interval, at its own decimals where none are given."""
    form = form_of(row.value, row.low, row.high, metric.unit)
    form = form if decimals is None else replace(form, decimals=decimals)
    if row.low is None and row.high is None:
        return f"{form.amount(row.value)} (no interval)"
    return f"{form.amount(row.value)} ({level(row.level)} CI {form.interval(row.low, row.high)})"


def per_case(metric: MetricInfo, dataset: DatasetInfo) -> MetricInfo:
    """The metric with the noun of the dataset's rows in its unit, where it is one per case."""
    noun = dataset.case[0]
    return replace(metric, unit=metric.unit.replace(" per case", f" per {name(noun)}"))
