"""The banner of a report without a verdict, and the table of what was checked."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import get_args

from reportgen.report import prose
from reportgen.report.conclusion.input_checks import describe_outcome, write_check
from reportgen.report.document import Cell, Phrase, Span, Table, TableColumn, Tone
from reportgen.report.prose.marks import parse_marks
from reportgen.report.sections.index import Index
from reportgen.report.wording.names import capitalize
from reportgen.results.conclusion import Conclusion
from reportgen.results.core import DatasetInfo
from reportgen.results.input_checks import InputFinding, InputOutcome
from reportgen.terms import INPUT_CHECKS, CheckTopic


def iter_stop_points(index: Index, found: Conclusion) -> Iterator[Phrase]:
    """Yield the evidence of each check that stops the report, what is likely, and what to do."""
    labels = {model.name: model.label for model in index.results.models}
    known = {(each.name, each.dataset, each.model): each for each in index.results.checks}
    for place, stop in enumerate(found.recommendation.stops):
        check = known.get((stop.code, stop.dataset, stop.model))
        if check is None:
            continue
        text = write_check(check, index.datasets[stop.dataset], labels)
        if place:
            also = Span(capitalize(f"{stop.text}."), is_strong=True)
            yield (also, Span(" "), *parse_marks(text.fix))
            continue
        yield parse_marks(text.evidence)
        for name in ("likely", "fix", "allow"):
            title = Span(prose.term("advice", name), is_strong=True)
            yield (title, Span(" "), *parse_marks(getattr(text, name)))


def build_checked_table(index: Index, found: Conclusion) -> Table | None:
    """Build a line for each topic of the checks of the input, where one of them stopped a model."""
    stops = {stop.code for stop in found.recommendation.stops} & INPUT_CHECKS.keys()
    dataset = index.datasets[found.recommendation.stops[0].dataset] if stops else index.main
    here = [each for each in index.results.checks if each.dataset == dataset.name]
    labels = {model.name: model.label for model in index.results.models}
    rows = []
    for topic in get_args(CheckTopic) if stops else ():
        mine = [each for each in here if each.check.topic == topic]
        if mine:
            rows.append(_build_checked_row(topic, mine, dataset, labels))
    return (
        Table(
            "checked",
            "",
            (
                TableColumn("", is_numeric=False),
                TableColumn(prose.line("checked.found"), is_numeric=False),
                TableColumn(prose.line("checked.outcome"), is_numeric=False),
            ),
            tuple(rows),
            is_stacked=True,
            title=prose.line("checked.title"),
        )
        if rows
        else None
    )


def _build_checked_row(
    topic: str, found: Sequence[InputFinding], dataset: DatasetInfo, labels: Mapping[str, str]
) -> tuple[Cell, ...]:
    """Build a line of what was checked: what failed, else what was looked at."""
    order: Sequence[InputOutcome] = ("failed", "allowed", "passed", "not looked at")
    outcome = next(each for each in order if any(one.outcome == each for one in found))
    said = [
        describe_outcome(each, dataset, labels)
        for each in found
        if each.outcome == outcome and outcome != "not looked at"
    ] or [prose.line("checked.streamed")]
    what = topic
    if topic == "values":
        what = "classes" if dataset.classes or _has_flags(dataset) else "amounts"
    title = prose.term("topic", what)
    tone: Tone = "bad" if outcome == "failed" else "neutral"
    word = prose.term("outcome", outcome)
    return (
        Cell(title),
        Cell(", ".join(dict.fromkeys(said))),
        Cell(word, tone=tone, is_strong=outcome == "failed"),
    )


def _has_flags(dataset: DatasetInfo) -> bool:
    return any(column.role == "y" and column.is_flag for column in dataset.columns)
