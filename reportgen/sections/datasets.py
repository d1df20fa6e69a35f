"""Several datasets side by side: a row each, the primary one first."""

from __future__ import annotations

from collections.abc import Sequence

from reportgen import wording
from reportgen.document import Cell, Table, TableColumn
from reportgen.results import DatasetInfo, MetricInfo
from reportgen.sections.cells import difference_cell, estimate_cell
from reportgen.sections.index import TONES, Index

_MOST_ACROSS = 3


def overview(index: Index) -> Table | None:
    """The leading metric on each dataset, the primary one first; None where there is but one.

    Nothing is averaged or tested over datasets, unless asked: two or three are no sample of any.
    """
    if len(index.tests) < 2:
        return None
    metric, is_wide = index.leading, len(index.candidates) > _MOST_ACROSS
    make = _values if index.baseline is None else _candidates if is_wide else _differences
    columns, rows = make(index, metric)
    named = wording.name(metric.label)
    of = "" if index.baseline is None else (
        f", candidate minus {wording.name(index.baseline.label, 40)}"
    )  # fmt: skip
    caption = (
        f"{named} on each dataset{of}. The verdict is that of {wording.name(index.main.name, 40)}; "
        "the others stand beside it."
    )
    if not index.results.across:
        caption += " They are no sample of datasets: nothing is averaged or tested over them."
    return Table("datasets-overview", caption, (*_FIRST, *columns), tuple(rows))


_FIRST = (TableColumn("Dataset", is_numeric=False), TableColumn("Rows"))


def _first(index: Index, dataset: DatasetInfo) -> tuple[Cell, ...]:
    is_main = dataset is index.main
    name = Cell(wording.name(dataset.name, 40), note="primary" * is_main, is_strong=is_main)
    return name, Cell(wording.count(dataset.n), value=dataset.n)


Made = tuple[Sequence[TableColumn], Sequence[tuple[Cell, ...]]]


def _values(index: Index, metric: MetricInfo) -> Made:
    """One model alone: its value."""
    model = index.results.models[0]
    rows = [
        (*_first(index, d), estimate_cell(index.estimate(model.name, metric.key, d.name), metric))
        for d in index.tests
    ]
    return [TableColumn(wording.name(model.label, 40))], rows


def _differences(index: Index, metric: MetricInfo) -> Made:
    """Few candidates: the difference and the verdict of each across."""
    columns = [
        column
        for model in index.candidates
        for column in (
            TableColumn(wording.name(model.label, 40)),
            TableColumn("Verdict", is_numeric=False),
        )
    ]
    rows = [
        (*_first(index, d), *(cell for m in index.candidates
                              for cell in _judged(index, metric, m.name, d)))
        for d in index.tests
    ]  # fmt: skip
    return columns, rows


def _candidates(index: Index, metric: MetricInfo) -> Made:
    """Many candidates: one below the other, within each dataset."""
    columns = [TableColumn("Candidate", is_numeric=False), TableColumn("Difference"),
               TableColumn("Verdict", is_numeric=False)]  # fmt: skip
    rows = [
        (*_first(index, d), Cell(wording.name(m.label, 40)), *_judged(index, metric, m.name, d))
        for d in index.tests
        for m in index.candidates
    ]
    return columns, rows


def _judged(
    index: Index, metric: MetricInfo, candidate: str, dataset: DatasetInfo
) -> tuple[Cell, Cell]:
    found = index.comparison(candidate, metric.key, dataset.name)
    if found is None:
        return difference_cell(None, metric), Cell(wording.MISSING)
    note = "beyond the margin" * found.beyond_margin
    return difference_cell(found, metric), Cell(found.verdict, note=note, tone=TONES[found.verdict])
