"""A pile of reports as a trend: every run once, by its time, and what is told of it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from reportgen.diff import run_in
from reportgen.errors import DataError
from reportgen.outputs import RESULTS
from reportgen.previous import as_past
from reportgen.render import html
from reportgen.render.theme import Theme
from reportgen.results import PastRun
from reportgen.sections.trend import changed, document_of, models_of
from reportgen.text import clean
from reportgen.wording import form_of

BARS = "▁▂▃▄▅▆▇█"


@dataclass(frozen=True)
class Pile:
    """The runs of one primary metric, the earliest first, and what was left out."""

    runs: tuple[PastRun, ...]
    title: str
    notes: tuple[str, ...] = ()


def pile_in(folder: Path) -> Pile:
    """Every run of the results.json in a folder, and of their histories; each run once."""
    files = sorted(folder.rglob(RESULTS)) if folder.is_dir() else [folder]
    if not files:
        raise DataError(f"{folder}: there is no {RESULTS} in it")
    found: dict[str, PastRun] = {}
    titles: dict[str, str] = {}
    for file in files:
        run = run_in(file)
        now = as_past(run)
        titles[run.digest] = run.results.report.title
        for past in (*run.results.history, now):
            found.setdefault(past.digest, past)
    runs = sorted(found.values(), key=lambda past: (past.time, past.digest))
    metric = (runs[-1].metric, runs[-1].unit)
    kept = tuple(past for past in runs if (past.metric, past.unit) == metric)
    left = len(runs) - len(kept)
    notes = (f"left out: {left} of another primary metric",) if left else ()
    return Pile(kept, titles.get(kept[-1].digest, ""), notes)


def page(pile: Pile) -> str:
    """The runs as an HTML page."""
    return html.page(document_of(pile.runs, pile.title), Theme())


def lines(pile: Pile) -> Iterator[str]:
    """The runs as a terminal prints them: a bar for each value, then the last with its interval."""
    yield clean(f"{pile.runs[-1].metric}, {len(pile.runs)} runs")
    for name in models_of(pile.runs):
        values = [run.values[name][0] for run in pile.runs if name in run.values]
        last = next(run.values[name] for run in reversed(pile.runs) if name in run.values)
        form = form_of(*last, pile.runs[-1].unit)
        told = f"{form.amount(last[0])} ({form.interval(last[1], last[2])})"
        yield clean(f"{name}: {bars(values)} {told}")
    for place, run in enumerate(pile.runs):
        why = changed(pile.runs, place)
        failed = [gate for gate, status in run.gates.items() if status == "fail"]
        said = [*why, *(f"gate failed: {gate}" for gate in failed)]
        if said:
            yield clean(f"{run.time[:10]} {run.digest[:12]}: {'; '.join(said)}")


def bars(values: Sequence[float | None]) -> str:
    """A sparkline: the lowest value is the lowest bar, the highest the highest.

    >>> bars([1.0, 2.0, None, 3.0])
    '▁▅ █'
    """
    known = [value for value in values if value is not None]
    low, span = (min(known), max(known) - min(known)) if known else (0.0, 0.0)
    return "".join(
        " "
        if value is None
        else BARS[round((value - low) / span * (len(BARS) - 1)) if span else len(BARS) // 2]
        for value in values
    )
