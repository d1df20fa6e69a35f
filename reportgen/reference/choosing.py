"""From a question to a metric, and to what that is blind to; read from the metrics themselves."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from textwrap import wrap

from reportgen.metrics import METRICS, Metric
from reportgen.metrics.names import within_task
from reportgen.metrics.spec import Question
from reportgen.reference.entries import WIDTH

ADVICE = (
    "Begin with what is done with a score, not with what is usual. Choose one metric that answers "
    "that question to decide by, and beside it one that sees what it is blind to."
)


def choices() -> Mapping[str, Mapping[Question, list[Metric]]]:
    """The metrics by task and by the question that they answer, in the order of the questions."""
    found: dict[str, dict[Question, list[Metric]]] = {}
    order = list(_questions())
    for metric in sorted(METRICS.values(), key=lambda m: (_place(m, order), m.name)):
        if metric.answers is not None:
            found.setdefault(metric.task, {}).setdefault(metric.answers, []).append(metric)
    return found


def which() -> str:
    """Which metric answers which question, as a terminal shows it."""
    parts = ["\n".join(wrap(ADVICE, WIDTH))]
    for task, asked in choices().items():
        parts.append(f"Task {task}")
        parts += [_told(question, metrics) for question, metrics in asked.items()]
    return "\n\n".join(parts)


def _told(question: Question, metrics: list[Metric]) -> str:
    when = wrap(question.when, WIDTH, initial_indent="  ", subsequent_indent="  ")
    wide = max(len(within_task(metric)) for metric in metrics)
    rows = [
        line
        for metric in metrics
        for line in wrap(
            f"blind to {metric.blind}",
            WIDTH,
            initial_indent=f"    {within_task(metric):<{wide}}  ",
            subsequent_indent=" " * (wide + 6),
        )
    ]
    return "\n".join((question.text, *when, *rows))


def _questions() -> Iterator[Question]:
    """Every question: those that the package writes down first, then those that plug-ins bring."""
    from reportgen.metrics import questions

    yield from (each for each in vars(questions).values() if isinstance(each, Question))
    yield from (metric.answers for metric in METRICS.values() if metric.answers is not None)


def _place(metric: Metric, order: list[Question]) -> int:
    return order.index(metric.answers) if metric.answers is not None else len(order)
