"""Earlier runs: the previous run of a config, and the trend over a folder of reports."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from reportgen.config.loading import LoadedConfig
from reportgen.errors import ConfigError, DataError, Problem
from reportgen.governance.run_diff import Run, load_run
from reportgen.records import record
from reportgen.report import archive
from reportgen.report.prose.run_changes import (
    describe_breaks,
    describe_rule_change,
    list_trend_models,
)
from reportgen.report.render.theme import Theme
from reportgen.report.wording.numbers import choose_format
from reportgen.results import Results
from reportgen.results.changes import PastRun
from reportgen.terms import RESULTS
from reportgen.text import format_line

MOST_RUNS = 52
"""How many earlier runs a report carries: a year of weeks."""


def load_previous_run(loaded: LoadedConfig) -> Run | None:
    """Load the previous run; None on a first run, where no file exists yet and none is required."""
    named = loaded.config.previous
    if named is None:
        return None
    at = ("previous", "path")
    place = loaded.file(at)
    path = place / RESULTS if place.is_dir() else place
    if path.exists():
        return load_run(path)
    if named.required:
        fault = f"no previous run {loaded.format_value(at)!r}; make one, or leave `required` out"
        raise ConfigError([Problem(fault, at, loaded.place(at))])
    return None


def map_previous_models(loaded: LoadedConfig) -> dict[str, str]:
    """Map models of the config to their names in the previous run, where these differ."""
    named = loaded.config.previous
    return (
        {}
        if named is None
        else {new: loaded.get_true_text(("previous", "models", new)) for new in named.models}
    )


def extend_history(before: Run | None) -> tuple[PastRun, ...]:
    """Return the previous run's history with that run appended, limited to the latest runs."""
    if before is None:
        return ()
    return (*before.results.history, summarize_run(before))[-MOST_RUNS:]


def summarize_run(run: Run) -> PastRun:
    """Summarize a run for the history that later runs keep."""
    results, told = run.results, run.results.digests
    dataset, key = results.inference.primary_dataset, results.inference.primary
    metric = next((m for m in results.metrics if m.key == key), results.metrics[0])
    rows = next((d.rows for d in told.datasets if d.dataset == dataset), "") if told else ""
    return PastRun(
        time=str(results.provenance.get("time", "")),
        digest=run.digest,
        verdict=results.conclusion.answer if results.conclusion else "",
        rows=rows,
        decision=told.decision if told else "",
        gates={gate.name: gate.status for gate in results.gates},
        metric=metric.label,
        unit=metric.unit,
        values={
            e.model: (e.value, e.low, e.high)
            for e in results.estimates
            if (e.dataset, e.segment, e.key) == (dataset, None, metric.key)
        },
    )


def is_successor(before: Run, now: Results) -> bool:
    """Return whether a run that has a history has the other as its last run."""
    return not now.history or not before.digest or now.history[-1].digest == before.digest


SPARKLINE_BARS = "▁▂▃▄▅▆▇█"


@record
class RunHistory:
    """The runs of one primary metric, the earliest first, and what was left out."""

    runs: tuple[PastRun, ...]
    title: str
    notes: tuple[str, ...] = ()


def collect_runs(folder: Path) -> RunHistory:
    """Every run of the results.json in a folder, and of their histories; each run once."""
    files = sorted(folder.rglob(RESULTS)) if folder.is_dir() else [folder]
    if not files:
        raise DataError(f"{folder}: there is no {RESULTS} in it")
    found: dict[str, PastRun] = {}
    titles: dict[str, str] = {}
    for file in files:
        run = load_run(file)
        with archive.explain_unreadable(file):
            now = summarize_run(run)
        titles[run.digest] = run.results.report.title
        for past in (*run.results.history, now):
            found.setdefault(past.digest, past)
    runs = sorted(found.values(), key=lambda past: (past.time, past.digest))
    metric = (runs[-1].metric, runs[-1].unit)
    kept = tuple(past for past in runs if (past.metric, past.unit) == metric)
    left = len(runs) - len(kept)
    notes = (f"left out: {left} of another primary metric",) if left else ()
    return RunHistory(kept, titles.get(kept[-1].digest, ""), notes)


def render_trend_page(pile: RunHistory) -> str:
    """Render the runs as an HTML page."""
    from reportgen.report.render import html  # here, since few runs draw a trend
    from reportgen.report.sections.run_changes import build_trend_document

    return html.render_page(build_trend_document(pile.runs, pile.title), Theme())


def iter_trend_lines(pile: RunHistory) -> Iterator[str]:
    """Yield terminal lines of the runs: a bar per value, then the last value with its interval."""
    yield format_line(f"{pile.runs[-1].metric}, {len(pile.runs)} runs")
    for name in list_trend_models(pile.runs):
        values = [run.values[name][0] for run in pile.runs if name in run.values]
        last = next(run.values[name] for run in reversed(pile.runs) if name in run.values)
        form = choose_format(*last, pile.runs[-1].unit)
        told = f"{form.amount(last[0])} ({form.interval(last[1], last[2])})"
        yield format_line(f"{name}: {draw_sparkline(values)} {told}")
    for place, run in enumerate(pile.runs):
        lone_rule = describe_rule_change(pile.runs, place).rstrip(".")
        why = [lone_rule] if lone_rule else describe_breaks(pile.runs, place)
        failed = [gate for gate, status in run.gates.items() if status == "not met"]
        said = [*why, *(f"gate failed: {gate}" for gate in failed)]
        if said:
            yield format_line(f"{run.time[:10]} {run.digest[:12]}: {'; '.join(said)}")


def draw_sparkline(values: Sequence[float | None]) -> str:
    """Draw a sparkline: the lowest value is the lowest bar, the highest the highest.

    >>> draw_sparkline([1.0, 2.0, None, 3.0])
    '▁▅ █'
    """
    known = [value for value in values if value is not None]
    low, span = (min(known), max(known) - min(known)) if known else (0.0, 0.0)
    return "".join(
        " "
        if value is None
        else SPARKLINE_BARS[
            round((value - low) / span * (len(SPARKLINE_BARS) - 1))
            if span
            else len(SPARKLINE_BARS) // 2
        ]
        for value in values
    )
