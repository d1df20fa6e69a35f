"""The run that a config names as the previous one, and the history that travels on from it."""

from __future__ import annotations

from reportgen.config import Loaded
from reportgen.diff import Run, run_in
from reportgen.errors import ConfigError, Problem
from reportgen.outputs import RESULTS
from reportgen.results import PastRun, Results

MOST_RUNS = 52
"""How many earlier runs a report carries: a year of weeks."""


def previous_run(loaded: Loaded) -> Run | None:
    """The previous run; None on a first run, where there is no file yet and none is required."""
    named = loaded.config.previous
    if named is None:
        return None
    at = ("previous", "path")
    place = loaded.file(at)
    path = place / RESULTS if place.is_dir() else place
    if path.exists():
        return run_in(path)
    if named.required:
        fault = f"no previous run {loaded.written(at)!r}; make one, or leave `required` out"
        raise ConfigError([Problem(fault, at, loaded.place(at))])
    return None


def models_before(loaded: Loaded) -> dict[str, str]:
    """What models of the config were called in the previous run, where that differs."""
    named = loaded.config.previous
    return (
        {}
        if named is None
        else {new: loaded.true(("previous", "models", new)) for new in named.models}
    )


def history_after(before: Run) -> tuple[PastRun, ...]:
    """The history of the previous run with that run at its end, the latest runs of it."""
    return (*before.results.history, as_past(before))[-MOST_RUNS:]


def as_past(run: Run) -> PastRun:
    """A run as later ones remember it."""
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


def is_chained(before: Run, now: Results) -> bool:
    """Whether a run that has a history has the other as its last run."""
    return not now.history or not before.digest or now.history[-1].digest == before.digest
