"""Robustness: what this sample could show, and what would have changed the answer."""

from __future__ import annotations

from reportgen import wording
from reportgen.document import Block, Cell, Column, Section, Table, Text, phrase
from reportgen.results import Comparison, MetricInfo, ModelInfo, Results
from reportgen.sections.cells import cut_note, metric_cell, results_table
from reportgen.sections.index import Index

_MOST = 100
_CAPTIONS = {
    "influence": "The most influential rows: the value without them.",
    "without": "The values without the named rows.",
    "sensitivity": "The same comparison made in other ways.",
    "rank": "Share of the resamples in which each model takes each place.",
    "removal": "Rows whose removal changes the verdict.",
}


def section(results: Results) -> Section | None:
    """None where nothing is compared and no influence was found."""
    index = Index(results)
    blocks: list[Block] = []
    if index.baseline is not None:
        blocks += [_power(index), _agreement(index)]
    blocks += [
        results_table(
            table, f"robustness-{place}", _caption(index, table.name, table.model), index.labels
        )
        for place, table in enumerate(index.tables(*_CAPTIONS), 1)
    ]
    return Section("robustness", "Robustness", tuple(blocks)) if blocks else None


def _power(index: Index) -> Table:
    """The smallest difference that could be shown, beside the one that was found."""
    rows = [
        (model, metric, c)
        for model in index.candidates
        for metric, c in index.compared(model.name)
        if c.status == "ok"
    ]
    columns = (
        Column("Metric", is_numeric=False),
        Column("Candidate", is_numeric=False),
        Column("Difference"),
        Column("Smallest detectable", note="80\u00a0% power"),
        Column("Margin"),
        Column("Rows to settle it", note="where inconclusive"),
        Column("Ahead in", note="share of resamples"),
    )
    caption = (
        "What this sample could show: a true difference of the smallest detectable size is found "
        "four times in five. “Ahead in” is a bootstrap fraction, no probability that the model "
        "is better."
    )
    return Table(
        "robustness-power",
        caption + cut_note(len(rows), _MOST),
        columns,
        tuple(_power_row(*row) for row in rows[:_MOST]),
    )


def _power_row(model: ModelInfo, metric: MetricInfo, found: Comparison) -> tuple[Cell, ...]:
    form = wording.form_for(found, metric)
    least = found.smallest_detectable
    smallest = form.number(least)
    margin = wording.MISSING if found.margin is None else wording.margin_size(found.margin, metric)
    return (
        metric_cell(metric),
        Cell(wording.name(model.label)),
        Cell(form.number(found.difference, signed=True), value=found.difference),
        Cell(smallest, value=least),
        Cell(margin, value=found.margin),
        _needed(found),
        Cell(wording.fraction_ahead(found.probability_better), value=found.probability_better),
    )


def _needed(found: Comparison) -> Cell:
    needed = found.n_to_settle
    if needed is None:
        return Cell(wording.MISSING)
    return Cell(f"about {wording.count(wording.two_digits(needed))}", value=needed)


def _agreement(index: Index) -> Text:
    """Whether a second method gives the same verdicts."""
    compared = [pair for m in index.candidates for pair in index.compared(m.name)]
    differing = [(m, c) for m, c in compared if c.is_method_sensitive]
    if not differing:
        return Text(phrase("No verdict on all rows was found to depend on the method."))
    named = wording.listed(
        [
            f"{wording.lowered(wording.name(m.label, 40))} "
            f"({wording.name(index.label(c.candidate), 40)})"
            for m, c in differing
        ],
        most=8,
    )
    return Text(phrase(f"Method-sensitive, since a second method gives another verdict: {named}."))


def _caption(index: Index, name: str, model: str | None) -> str:
    said = next(text for prefix, text in _CAPTIONS.items() if name.startswith(prefix))
    return f"{said} {wording.name(index.label(model))}." if model else said
