"""Runs over time: the primary metric of each model, run by run, as small multiples."""

from __future__ import annotations

from collections.abc import Sequence

from reportgen import wording
from reportgen.document import (
    Axis,
    Block,
    Cell,
    Document,
    Figure,
    Header,
    Mark,
    Panel,
    Role,
    Section,
    Series,
    Table,
    TableColumn,
    phrase,
)
from reportgen.results import PastRun
from reportgen.sections.axes import in_money
from reportgen.sections.changes import gates_met

MOST_RUNS = 30  # in a figure, the latest
MOST_MODELS = 4
_ROLES: tuple[Role, ...] = ("baseline", "candidate1", "candidate2", "candidate3")


def document_of(runs: Sequence[PastRun], title: str) -> Document:
    """The runs as a page of their own, the earliest first."""
    header = Header(title, "", "", "", "", "", runs[-1].time[:10])
    blocks: tuple[Block, ...] = (_figure(runs), _table(runs))
    told = phrase(f"{wording.count(len(runs), 'run')} of {wording.name(runs[-1].metric, 60)}.")
    return Document(header, (Section("trend", "Trend", blocks, told),), "Made by reportgen trend.")


def models_of(runs: Sequence[PastRun]) -> list[str]:
    """Every model that a run has a value of, those of the latest run first."""
    return list(dict.fromkeys(name for run in reversed(runs) for name in run.values))


def changed(runs: Sequence[PastRun], place: int) -> list[str]:
    """What a run cannot be compared across: other rows, or another rule, than the run before.

    >>> from dataclasses import replace
    >>> run = PastRun("", "", "", "a", "r", {}, "MAE", "", {})
    >>> changed([run, replace(run, rows="b")], 1)
    ['other rows']
    """
    if place == 0:
        return []
    before, now = runs[place - 1], runs[place]
    found = ["other rows"] * (before.rows != now.rows)
    return found + ["another rule"] * (before.decision != now.decision)


def _figure(runs: Sequence[PastRun]) -> Figure:
    first = max(len(runs) - MOST_RUNS, 0)
    models = models_of(runs)[:MOST_MODELS]
    panels = tuple(
        _panel(runs, first, name, role) for name, role in zip(models, _ROLES, strict=False)
    )
    metric = wording.lowered(wording.name(runs[-1].metric, 60))
    failed = " An open mark is a run in which a requirement was not met." * any(map(_failed, runs))
    left = f" The latest {MOST_RUNS} of {len(runs)} runs." * (first > 0)
    return Figure(
        "trend-values",
        "forest",
        f"{wording.capital(metric)}, run by run",
        f"Each run's value on all rows with the interval it printed, the latest below.{failed}"
        f"{left} Values of other rows differ by chance, too.",
        " ".join(_told(runs, name) for name in models),
        panels,
        shares_axes=True,
        shares_rows=True,
    )


def _told(runs: Sequence[PastRun], name: str) -> str:
    known = [run.values[name][0] for run in runs if name in run.values]
    form = wording.form_of(known[-1], None, None, runs[-1].unit)
    return f"{wording.name(name, 40)}: {', '.join(form.amount(value) for value in known)}."


def _panel(runs: Sequence[PastRun], first: int, name: str, role: Role) -> Panel:
    found = [(float(place - first + 1), run) for place, run in enumerate(runs)
             if place >= first and run.values.get(name, (None,))[0] is not None]  # fmt: skip
    marks: tuple[Mark, ...] = tuple("open" if _failed(run) else "filled" for _, run in found)
    series = Series(
        wording.name(name, 40),
        role,
        tuple(run.values[name][0] for _, run in found),
        tuple(place for place, _ in found),
        tuple(run.values[name][1] for _, run in found),
        tuple(run.values[name][2] for _, run in found),
        marks=marks,
        has_markers=True,
    )
    rows = range(first, len(runs))
    ticks = tuple((float(place - first + 1), _row(runs, place)) for place in rows)
    unit = f", {runs[-1].unit}" if wording.has_unit(runs[-1].unit) else ""
    metric = wording.lowered(wording.name(runs[-1].metric, 40))
    return Panel(
        wording.name(name, 40),
        in_money(Axis(f"{metric}{unit}"), runs[-1].unit),
        Axis("", low=0.5, high=len(rows) + 0.5, ticks=ticks),
        (series,),
    )


def _row(runs: Sequence[PastRun], place: int) -> str:
    """A run by its day, and what changed before it."""
    return ", ".join((runs[place].time[:10] or runs[place].digest[:12], *changed(runs, place)))


def _failed(run: PastRun) -> bool:
    return "fail" in run.gates.values()


def _table(runs: Sequence[PastRun]) -> Table:
    models = models_of(runs)
    columns = (
        TableColumn("Run", is_numeric=False),
        *(TableColumn(wording.name(name, 40)) for name in models),
        TableColumn("Requirements", is_numeric=False),
        TableColumn("Verdict", is_numeric=False),
    )
    rows = tuple(_cells(runs, place, models) for place in reversed(range(len(runs))))
    return Table("trend-runs", "Every run, the latest first.", columns, rows)


def _cells(runs: Sequence[PastRun], place: int, models: Sequence[str]) -> tuple[Cell, ...]:
    run, cells = runs[place], []
    for name in models:
        value, low, high = run.values.get(name, (None, None, None))
        form = wording.form_of(value, low, high, run.unit)
        cells.append(Cell(form.amount(value), form.interval(low, high), value=value))
    head = Cell(run.time[:10], ", ".join((run.digest[:12], *changed(runs, place))))
    return (head, *cells, gates_met(run), Cell(wording.prose(run.verdict, 200)))
