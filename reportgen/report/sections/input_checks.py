"""The banner of a report without a verdict, and the table of what was checked."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import get_args

from reportgen.report import prose
from reportgen.report.conclusion.input_checks import describe_outcome, write_stop
from reportgen.report.document import Cell, Phrase, Span, Table, TableColumn, Tone
from reportgen.report.prose.marks import parse_marks, remove_marks
from reportgen.report.sections.cells import make_reference_cell
from reportgen.report.sections.index import Index
from reportgen.report.wording import names, numbers
from reportgen.report.wording.names import capitalize, clean_prose, use_case_unit
from reportgen.results.conclusion import Conclusion, HeadlineValue
from reportgen.results.core import DatasetInfo, MetricInfo
from reportgen.results.input_checks import InputFinding, InputOutcome
from reportgen.terms import INPUT_CHECKS, CheckTopic


def iter_stop_points(index: Index, found: Conclusion) -> Iterator[Phrase]:
    """Yield for each check that stops a model what is likely and what to do."""
    is_silent = found.recommendation.is_silent
    for place, stop in enumerate(found.recommendation.stops):
        text = write_stop(index, stop)
        if text is not None and (place or not is_silent):
            also = Span(capitalize(f"{remove_marks(text.finding)}."), is_strong=True)
            yield (also, Span(" "), *parse_marks(text.fix))
        elif text is not None:
            for name in ("likely", "fix", "allow"):
                title = Span(prose.term("advice", name), is_strong=True)
                yield (title, Span(" "), *parse_marks(getattr(text, name)))


def build_found_table(index: Index, found: Conclusion) -> Table:
    """Build a row for each model: its values with their intervals, and that nothing is judged."""
    keys = tuple(dict.fromkeys(row.key for row in found.values))
    metrics = [use_case_unit(index.find_metric(key), index.main) for key in keys]
    models = tuple(dict.fromkeys(row.model for row in found.values))
    values = {(row.model, row.key): row for row in found.values}
    level = numbers.format_level(index.results.inference.level)
    verdict = Cell(prose.line("stopped.not_judged"), tone="neutral")
    references = [_build_reference(index, metric) for metric in metrics]
    without = (Cell(prose.line("reference.column")), *references, Cell(""))
    return Table(
        "values",
        prose.line("stopped.values_only"),
        (
            TableColumn("", is_numeric=False),
            *(
                TableColumn(
                    names.metric_heading(metric), note=prose.line("changes.interval", level=level)
                )
                for metric in metrics
            ),
            TableColumn(prose.line("changes.verdict"), is_numeric=False),
        ),
        (
            *(
                (
                    _name_model(index, model),
                    *(_build_value(index, values.get((model, key))) for key in keys),
                    verdict,
                )
                for model in models
            ),
            *([without] if any(cell.text for cell in references) else []),
        ),
        title=prose.line("stopped.found"),
    )


def _name_model(index: Index, model: str) -> Cell:
    baseline = index.baseline
    is_baseline = baseline is not None and baseline.name == model
    return Cell(index.short_label(model), prose.line("stopped.baseline") * is_baseline)


def _build_value(index: Index, row: HeadlineValue | None) -> Cell:
    if row is None:
        return Cell(numbers.MISSING)
    if row.value is None:
        return Cell(numbers.MISSING, clean_prose(row.reason, 80))
    metric = use_case_unit(index.find_metric(row.key), index.main)
    unit = metric.unit.partition(" per ")[0]
    form = numbers.choose_format(row.value, row.low, row.high, unit, bounds=metric.bounds)
    return Cell(form.amount(row.value), form.interval(row.low, row.high), value=row.value)


def _build_reference(index: Index, metric: MetricInfo) -> Cell:
    """Make the cell of what takes no model, with the decimals of a value; empty where none is."""
    each = index.reference(metric.key)
    if each is None or each.value is None:
        return Cell("")
    unit = metric.unit.partition(" per ")[0]
    form = numbers.choose_format(each.value, None, None, unit, bounds=metric.bounds)
    return make_reference_cell(index, each, each.value, form.amount(each.value))


def build_checked_table(index: Index, found: Conclusion) -> Table | None:
    """Build a line for each topic of the checks of the input, where one of them stopped a model."""
    stops = {stop.code for stop in found.recommendation.stops} & INPUT_CHECKS.keys()
    dataset = index.datasets[found.recommendation.stops[0].dataset] if stops else index.main
    here = [each for each in index.results.checks if each.dataset == dataset.name]
    rows = []
    for topic in get_args(CheckTopic) if stops else ():
        mine = [each for each in here if each.check.topic == topic and each.name != "reference"]
        if mine:
            rows.append(_build_checked_row(index, dataset, topic, mine))
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
            title=prose.line("checked.title"),
        )
        if rows
        else None
    )


def _build_checked_row(
    index: Index, dataset: DatasetInfo, topic: str, found: Sequence[InputFinding]
) -> tuple[Cell, ...]:
    """Build a line of what was checked: what failed, else what was looked at."""
    labels = {model.name: model.label for model in index.results.models}
    order: Sequence[InputOutcome] = ("failed", "allowed", "passed", "not looked at")
    outcome = next(each for each in order if any(one.outcome == each for one in found))
    said = [
        describe_outcome(each, dataset, labels)
        for each in found
        if each.outcome == outcome and outcome != "not looked at"
    ] or [prose.line("checked.streamed")]
    what = topic
    if topic == "values":
        known = {each.name for each in index.results.checks}
        what = next((of for name, of in _TOPICS_OF_VALUES.items() if name in known), "classes")
    title = prose.term("topic", what)
    tone: Tone = "bad" if outcome == "failed" else "neutral"
    word = prose.term("outcome", outcome)
    return (
        Cell(title),
        Cell(", ".join(dict.fromkeys(said))),
        Cell(word, tone=tone, is_strong=outcome == "failed"),
    )


_TOPICS_OF_VALUES = {"scale": "amounts", "unmatched": "judgements"}
"""What the values are where a check of them applies; classes elsewhere."""
