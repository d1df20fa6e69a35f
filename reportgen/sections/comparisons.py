"""All comparisons, raw and adjusted, as far as a page can hold them."""

from __future__ import annotations

from reportgen import wording
from reportgen.document import Cell, Column, Section, Table
from reportgen.results import Comparison, MetricInfo, Results
from reportgen.sections.cells import MOST_ROWS, cut_note, verdict_cell
from reportgen.sections.index import Index

_COLUMNS = (
    Column("Metric", is_numeric=False),
    Column("Candidate against baseline", is_numeric=False),
    Column("Rows of", is_numeric=False),
    Column("n"),
    Column("Difference"),
    Column("Interval"),
    Column("Adjusted interval"),
    Column("p"),
    Column("Adjusted p"),
    Column("Verdict", is_numeric=False),
)


def section(results: Results) -> Section | None:
    """None where nothing was compared; all rows before segments."""
    if not results.comparisons:
        return None
    index = Index(results)
    metrics = {m.key: m for m in results.metrics}
    ordered = sorted(results.comparisons, key=lambda c: c.segment is not None)
    table = Table(
        "comparisons-table",
        "Every difference, candidate minus the model it is compared with." + cut_note(len(ordered)),
        _COLUMNS,
        tuple(_row(index, c, metrics[c.key]) for c in ordered[:MOST_ROWS]),
        is_folded=len(ordered) > 40,
    )
    return Section("comparisons", "All comparisons", (table,))


def _row(index: Index, found: Comparison, metric: MetricInfo) -> tuple[Cell, ...]:
    form = wording.form_for(found, metric)
    pair = f"{wording.name(index.label(found.candidate), 40)} against " + wording.name(
        index.label(found.baseline), 40
    )
    rows = wording.name(found.segment, 40) if found.segment else "all"
    named = wording.name(found.dataset, 40) if len(index.results.datasets) > 1 else ""
    return (
        Cell(wording.name(metric.label), note=metric.unit if wording.has_unit(metric.unit) else ""),
        Cell(pair),
        Cell(rows, note=named),
        Cell(wording.count(found.n), value=found.n),
        Cell(form.number(found.difference, signed=True), value=found.difference),
        Cell(form.interval(found.low, found.high, signed=True), note=found.method),
        Cell(form.interval(found.adjusted_low, found.adjusted_high, signed=True)),
        Cell(wording.bare_p_value(found.p_value), note=found.test, value=found.p_value),
        Cell(wording.bare_p_value(found.p_adjusted), value=found.p_adjusted),
        verdict_cell(found),
    )
