"""All comparisons, raw and adjusted, as far as a page can hold them."""

from __future__ import annotations

from reportgen import wording
from reportgen.document import Cell, Section, Table, TableColumn
from reportgen.results import Comparison, MetricInfo, Results
from reportgen.sections.cells import MOST_ROWS, cut_note, verdict_cell
from reportgen.sections.folding import in_full
from reportgen.sections.index import Index

_COLUMNS = (
    TableColumn("Metric", is_numeric=False),
    TableColumn("Candidate against baseline", is_numeric=False, note="segment"),
    TableColumn("n"),
    TableColumn("Difference"),
    TableColumn("SE", note="standard error"),
    TableColumn("Interval", note="adjusted below"),
    TableColumn("p", note="adjusted below"),
    TableColumn("Verdict", is_numeric=False),
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
    )
    return Section("comparisons", "All comparisons", tuple(in_full("All comparisons", [table])))


def _row(index: Index, found: Comparison, metric: MetricInfo) -> tuple[Cell, ...]:
    form = wording.form_for(found, metric)
    pair = f"{wording.name(index.label(found.candidate), 40)} against " + wording.name(
        index.label(found.baseline), 40
    )
    raw = form.interval(found.low, found.high, signed=True)
    error = wording.form_of(found.se, None, None, metric.unit)
    return (
        Cell(wording.name(metric.label), note=metric.unit if wording.has_unit(metric.unit) else ""),
        Cell(pair, note=_where(index, found)),
        Cell(wording.count(found.n), value=found.n),
        Cell(
            form.number(found.difference, signed=True),
            wording.by_bins(index.off_by(found.key, found.candidate, found.baseline), metric.unit),
            value=found.difference,
        ),
        Cell(error.number(found.se), value=found.se),
        Cell(raw, note=_adjusted(found, form)),
        Cell(
            wording.bare_p_value(found.p_value),
            note=wording.bare_p_value(found.p_adjusted),
            value=found.p_value,
        ),
        verdict_cell(
            found,
            index.tone(found),
            is_open_by_bins=index.is_open_by_bins(found.key, found.candidate),
        ),
    )


def _adjusted(found: Comparison, form: wording.Form) -> str:
    """The interval that allows for the family; a dash where the resamples are too few for it."""
    if found.verdict == "equivalent":
        return form.interval(found.adjusted_low, found.adjusted_high, signed=True)
    if wording.is_unadjusted(found):
        return wording.MISSING
    return wording.interval_text(found, form)


def _where(index: Index, found: Comparison) -> str:
    named = wording.name(found.dataset, 40) if len(index.tests) > 1 else ""
    every = f"all {wording.name(index.main.case[1])}"
    rows = wording.segment_name(index.datasets[found.dataset], found.segment)
    rows = rows if found.segment else every
    return ", ".join(filter(None, (named, rows)))
