"""List and explain everything that a config or a report can name."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Collection, Iterator, Mapping
from functools import partial
from math import inf
from textwrap import wrap
from typing import TYPE_CHECKING, Any

from reportgen.errors import EXIT_CODES, UsageError, did_you_mean, find_nearest, normalize_spelling
from reportgen.metrics import METRICS, Metric
from reportgen.metrics.lookup import config_name, list_name_parameters, name_within_task
from reportgen.metrics.statistic import Parameter, are_built_in, extend_choices
from reportgen.metrics.traits import Question
from reportgen.records import record
from reportgen.text import align_rows

if TYPE_CHECKING:
    from reportgen.metrics.curves.curve import Curve

WIDTH = 100
TERM = 14


@record
class ReferenceEntry:
    """Its row in the list of its kind, and a function that tells all that is known of it.

    `aliases` are names that it has elsewhere, by which it is found.
    """

    row: tuple[str, ...]
    tell: Callable[[], str]
    aliases: tuple[str, ...] = ()


def format_entry(head: str, text: str, facts: Mapping[str, str] | None = None) -> str:
    """Format a heading, a paragraph, and the facts that have a value."""
    paragraph = "\n".join(wrap(text, WIDTH, initial_indent="  ", subsequent_indent="  "))
    lines = [_format_fact(term, value) for term, value in (facts or {}).items() if value]
    return "\n\n".join(filter(None, (head, paragraph, "\n".join(lines))))


def _format_fact(term: str, value: str) -> str:
    start = f"  {term + ':':<{TERM}}"
    return "\n".join(wrap(value, WIDTH, initial_indent=start, subsequent_indent=" " * len(start)))


SCORES = {
    "amount": "an amount in the unit of y",
    "order": "any order",
    "probability": "a probability, from 0 to 1",
    "label": "a class, or scores of which the largest names it",
    "call": "a probability, from 0 to 1, or the class itself",
    "density": "predicted quantiles, or a mean and a standard deviation",
    "series": "an amount, and rows in the order of time",
}
BETTER = {
    "higher": "higher is better",
    "lower": "lower is better",
    "zero": "nearer zero is better",
    "one": "nearer one is better",
}
PLUGIN = "in a plug-in of the config"


def metric_row(metric: Metric) -> tuple[str, ...]:
    """Name, task, direction, title."""
    return metric.name, metric.task, BETTER[metric.better], metric.title


def curve_row(curve: Curve) -> tuple[str, ...]:
    """Name, task, title."""
    return curve.name, curve.task, curve.title


def describe_metric_entry(metric: Metric) -> str:
    """Return all that its definition says."""
    from reportgen.inference.method_names import (
        list_tests,  # here, since a list must not wait for it
    )

    return format_entry(
        f"{metric.name}: {metric.title}",
        metric.description,
        {
            "task": metric.task,
            "also called": ", ".join(metric.aliases),
            "formula": metric.formula,
            "range": _format_range(metric.bounds),
            "direction": BETTER[metric.better],
            "unit": metric.unit,
            "score": SCORES[metric.needs],
            "undefined": metric.undefined,
            "answers": metric.answers.text if metric.answers else "",
            "blind to": metric.blind,
            "caveat": metric.caveat,
            "tests": ", ".join(list_tests(metric)),
            "in a config": _describe_request(metric),
            "parameters": _format_parameters(list_name_parameters(metric.name)),
            "source": metric.cite,
            "defined": "" if are_built_in(metric.function) else PLUGIN,
        },
    )


def _describe_request(metric: Metric) -> str:
    """Return its form in a config, with the task where another task has the name, too."""
    written = config_name(metric)
    return f"{written}, with task: {metric.task}" if written == metric.request_name else written


def describe_curve_entry(curve: Curve) -> str:
    """Return all that its definition says."""
    return format_entry(
        f"{curve.name}: {curve.title}",
        curve.description,
        {
            "task": curve.task,
            "x": curve.x_label,
            "y": curve.y_label,
            "range": _format_range(curve.bounds),
            "drawn": "only where curves: names it" if curve.is_on_request else "",
            "parameters": _format_parameters(curve.parameters),
            "source": curve.cite,
        },
    )


def _format_parameters(parameters: tuple[Parameter, ...]) -> str:
    return "; ".join(
        f"{p.name} ({' | '.join(p.choices) or p.kind}, "
        + ("required)" if p.is_required else f"default {p.default})")
        for p in map(extend_choices, parameters)
    )


def _format_range(bounds: tuple[float, float]) -> str:
    low, high = ("no limit" if abs(b) == inf else f"{b:g}" for b in bounds)
    return f"{low} to {high}"


Entries = Mapping[str, ReferenceEntry]


@record
class ReferenceKind:
    """Name of one of them, their use, and their source."""

    one: str
    entries: Callable[[], Entries]


def _build_metrics() -> Entries:
    from reportgen.metrics import METRICS
    from reportgen.metrics.lookup import list_homonyms

    pass

    # Found by what a config calls it, too, where a metric of another task has that for its name.
    return {
        name: ReferenceEntry(
            metric_row(found),
            partial(describe_metric_entry, found),
            (*found.aliases, *([found.request_name] if list_homonyms(found) else [])),
        )
        for name, found in sorted(METRICS.items())
    }


def _build_curves() -> Entries:
    from reportgen.metrics.curves import CURVES

    pass

    return {
        name: ReferenceEntry(curve_row(found), partial(describe_curve_entry, found))
        for name, found in sorted(CURVES.items())
    }


def _build_warnings() -> Entries:
    from reportgen.checks.check import CHECKS
    from reportgen.report.prose.warnings import describe_code, is_known

    return {
        code: ReferenceEntry(
            (code, title := describe_code(code, "title")),
            partial(
                format_entry,
                f"{code}: {title}",
                describe_code(code, "meaning"),
                {
                    "matters": describe_code(code, "matters"),
                    "what to do": describe_code(code, "remedy"),
                },
            ),
        )
        for code in filter(is_known, sorted(CHECKS))
    }


def _build_input_checks() -> Entries:
    from reportgen.checks.check import CHECKS
    from reportgen.report.conclusion.input_checks import describe_effect, describe_rule
    from reportgen.terms import INPUT_CHECKS

    return {
        name: ReferenceEntry(
            (name, each.code, each.kind),
            partial(
                format_entry,
                f"{name}: {each.code}",
                describe_rule(name),
                {"does": describe_effect(name)},
            ),
            aliases=(each.code,),
        )
        for name, each in INPUT_CHECKS.items()
        if each.code in CHECKS
    }


def _build_rules() -> Entries:
    from reportgen.config.schema.report import GATE_RULES

    return _build_plain_entries(GATE_RULES)


def _build_intervals() -> Entries:
    from reportgen.inference.method_names import CHOOSING_WORDS, INTERVAL_NAMES
    from reportgen.inference.methods import INTERVAL_METHODS

    functions = {name: method.compute for name, method in INTERVAL_METHODS.items()}
    return _list_inference_methods(INTERVAL_NAMES, CHOOSING_WORDS, functions)


def _build_tests() -> Entries:
    from reportgen.inference.method_names import CHOOSING_WORDS, TEST_NAMES
    from reportgen.inference.significance import SIGNIFICANCE_TESTS as FUNCTIONS
    from reportgen.inference.significance import sign_flip_test

    return _list_inference_methods(
        TEST_NAMES, CHOOSING_WORDS, {**FUNCTIONS, "sign-flip": sign_flip_test}
    )


def _build_adjustments() -> Entries:
    from reportgen.inference.method_names import ADJUSTMENT_NAMES
    from reportgen.report.wording.names import capitalize, format_adjustment

    return _build_plain_entries(
        {name: f"{capitalize(format_adjustment(name))}." for name in ADJUSTMENT_NAMES}
    )


def _build_sections() -> Entries:
    from reportgen.report.layout import SECTIONS

    return _build_plain_entries({key: chapter.about for key, chapter in SECTIONS.items()})


def _exit_codes() -> Entries:
    return _build_plain_entries({str(code): text for code, text in EXIT_CODES.items()})


def _build_plain_entries(texts: Mapping[str, str]) -> Entries:
    return {
        name: ReferenceEntry((name, text), partial(format_entry, name, text))
        for name, text in texts.items()
    }


def _list_inference_methods(
    names: tuple[str, ...], chosen: Mapping[str, str], functions: Mapping[str, Any]
) -> Entries:
    """Methods by name: what is chosen in words, the others by what their functions say."""
    from reportgen.report.prose.methods import explain_method

    made = {}
    for name in names:
        text = chosen.get(name) or _list_paragraphs(functions[name])[0]
        more = "" if name in chosen else " ".join(_list_paragraphs(functions[name])[1:])
        reason = "" if name in chosen else explain_method(name)
        facts = {"more": more, "why": reason}
        made[name] = ReferenceEntry((name, text), partial(format_entry, name, text, facts))
    return made


def _list_paragraphs(documented: Any) -> list[str]:
    text = inspect.getdoc(documented) or ""
    return [part.replace("\n", " ") for part in text.split("\n\n") if not part.startswith(">>>")]


KINDS: Mapping[str, ReferenceKind] = {
    "metrics": ReferenceKind("metric", _build_metrics),
    "curves": ReferenceKind("curve", _build_curves),
    "warnings": ReferenceKind("warning", _build_warnings),
    "checks": ReferenceKind("check", _build_input_checks),
    "rules": ReferenceKind("gate rule", _build_rules),
    "intervals": ReferenceKind("interval", _build_intervals),
    "tests": ReferenceKind("test", _build_tests),
    "adjustments": ReferenceKind("adjustment", _build_adjustments),
    "sections": ReferenceKind("section", _build_sections),
    "exit-codes": ReferenceKind("exit code", _exit_codes),
}

ADVICE = (
    "Begin with what is done with a score, not with what is usual. Choose one metric that answers "
    "that question to decide by, and beside it one that sees what it is blind to."
)


def group_metrics_by_question() -> Mapping[str, Mapping[Question, list[Metric]]]:
    """Group the metrics by task and by the question they answer, in the order of questions."""
    found: dict[str, dict[Question, list[Metric]]] = {}
    order = list(_iter_questions())
    for metric in sorted(METRICS.values(), key=lambda m: (_compute_place(m, order), m.name)):
        if metric.answers is not None:
            found.setdefault(metric.task, {}).setdefault(metric.answers, []).append(metric)
    return found


def explain_choosing() -> str:
    """Return which metric answers which question, as a terminal shows it."""
    parts = ["\n".join(wrap(ADVICE, WIDTH))]
    for task, asked in group_metrics_by_question().items():
        parts.append(f"Task {task}")
        parts += [_format_question(question, metrics) for question, metrics in asked.items()]
    return "\n\n".join(parts)


def _format_question(question: Question, metrics: list[Metric]) -> str:
    when = wrap(question.when, WIDTH, initial_indent="  ", subsequent_indent="  ")
    wide = max(len(name_within_task(metric)) for metric in metrics)
    rows = [
        line
        for metric in metrics
        for line in wrap(
            f"blind to {metric.blind}",
            WIDTH,
            initial_indent=f"    {name_within_task(metric):<{wide}}  ",
            subsequent_indent=" " * (wide + 6),
        )
    ]
    return "\n".join((question.text, *when, *rows))


def _iter_questions() -> Iterator[Question]:
    """Every question: those that the package writes down first, then those that plug-ins bring."""
    from reportgen.metrics import questions

    yield from (each for each in vars(questions).values() if isinstance(each, Question))
    yield from (metric.answers for metric in METRICS.values() if metric.answers is not None)


def _compute_place(metric: Metric, order: list[Question]) -> int:
    return order.index(metric.answers) if metric.answers is not None else len(order)


WHICH = "which"


def format_entry_list(kinds: str) -> str:
    """Return one line for each thing of a kind."""
    if kinds not in KINDS:
        raise UsageError(f"there is no list of {kinds!r}; {did_you_mean(kinds, KINDS)}")
    return align_rows(entry.row for entry in KINDS[kinds].entries().values())


def explain_name(name: str) -> str:
    """Return all that is known of what has this name, of any kind; capitals do not count."""
    from reportgen.config.item_shorthand import PASSES
    from reportgen.config.task_shorthand import list_measure_spellings, parse_measure_name

    if normalize_spelling(name) == WHICH:
        return explain_choosing()
    known = {kind.one: kind.entries() for kind in KINDS.values()}
    found = [
        f"{one} {entry.tell()}"
        for one, entries in known.items()
        for each, entry in entries.items()
        if normalize_spelling(name) in map(normalize_spelling, (each, *entry.aliases))
    ]
    if found:
        return "\n\n".join(found)
    for start, metric in PASSES.items():
        if name.startswith(start):
            written = f"{{name: {metric}, k: {name.removeprefix(start)}}}"
            return f"{name}: a short form of {written}\n\n{explain_name(metric)}"
    if short := parse_measure_name(name):
        metric, params = short
        given = ", ".join(f"{key}: {value}" for key, value in params.items())
        written = f"{{name: {metric}{', ' * bool(given)}{given}, as: {name!r}}}"
        return f"{name}: a short form of {written}\n\n{explain_name(metric)}"
    measures = list_measure_spellings(name)
    for each in measures:
        if normalize_spelling(each) == normalize_spelling(name):
            return explain_name(each)
    own = {normalize_spelling(each) for entries in known.values() for each in entries}
    others = [each for each in measures if normalize_spelling(each) not in own]
    hint = _format_hint(name, {**known, "short form": others})
    raise UsageError(f"nothing is called {name!r}; {hint}")


def _format_hint(name: str, known: Mapping[str, Collection[str]]) -> str:
    near = find_nearest(name, {each for entries in known.values() for each in entries})[:3]
    if not near:
        return "`reportgen list` says what there is"
    names = (
        f"{each!r} ({', '.join(one for one, entries in known.items() if each in entries)})"
        for each in near
    )
    return f"did you mean {' or '.join(names)}?"
