"""How often intervals hold where rows are weighted to another share of positives.

    python benchmarks/coverage_prevalence.py [--runs 400]    goes on where it stopped
    python benchmarks/coverage_prevalence.py --table         writes the page of what has been run

Rows are drawn with one share of positives and weighted to another, as `prevalence: {target: …}`
does, resamples within the classes. Scores are binormal, as in `coverage_classes.py`, and truths
are found on a million rows at the wanted share. Blocks of runs are lines of
benchmarks/results/coverage_prevalence.jsonl.
"""

from __future__ import annotations

import argparse
import json
from collections import Counter
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import dataclass
from functools import cache
from math import sqrt
from pathlib import Path
from zlib import crc32

import numpy as np
from class_grounds import Ground, rows_of
from coverage_classes import BLOCK, LARGE, REPLICATES, judged, warned
from plans import make_plan

from reportgen.analysis.comparisons import iter_comparisons
from reportgen.analysis.dataset_analysis import draw_replicates
from reportgen.analysis.estimates import iter_estimates
from reportgen.analysis.plan import ModelScores, PlannedMetric
from reportgen.analysis.warnings import iter_warnings
from reportgen.inference.resampling.design import Design
from reportgen.kernels.batch import Batch
from reportgen.metrics import METRICS
from reportgen.metrics.rows import Classes

RESULTS = Path(__file__).parent / "results" / "coverage_prevalence.jsonl"
PAGE = Path(__file__).parent / "results" / "coverage_prevalence.md"
MEASURES = (
    ("roc_auc", {}),
    ("average_precision", {}),
    ("pr_auc", {}),
    ("log_loss", {}),
    ("precision", {"threshold": 0.3}),
    ("f", {"threshold": 0.3}),
)
SHOWS = {"W101", "W103", "W104", "W105", "W127"}
GREEN, AMBER = 0.93, 0.90


@dataclass(frozen=True)
class Moved:
    """Rows of a ground weighted to another share of positives."""

    ground: Ground
    target: float

    @property
    def name(self) -> str:
        """It in words."""
        return f"{self.ground.name}, weighted to {self.target:g}"


GROUNDS = tuple(
    Moved(Ground(*each), target)
    for each, target in (
        ((50, 0.5, 0.87), 0.05),
        ((200, 0.5, 0.87), 0.05),
        ((200, 0.5, 0.87), 0.01),
        ((200, 0.5, 0.97), 0.05),
        ((200, 0.5, 0.97), 0.01),
        ((200, 0.2, 0.87), 0.01),
        ((200, 0.1, 0.87), 0.01),
        ((1000, 0.5, 0.87), 0.01),
        ((1000, 0.5, 0.97), 0.01),
        ((200, 0.3, 0.7), 0.02),
        ((200, 0.02, 0.87), 0.3),
    )
)


def uses() -> tuple[PlannedMetric, ...]:
    """The measures as a config asks for them."""
    return tuple(
        PlannedMetric(name, METRICS[name].use(**params), None, name == "roc_auc")
        for name, params in MEASURES
    )


@cache
def truth(moved: Moved) -> dict[tuple[str, str], float]:
    """Values of every measure on many rows of the wanted share, by key and model."""
    drawn = moved.ground.draw(LARGE, np.random.default_rng(crc32(moved.name.encode())))
    y, models = drawn.y, drawn.models
    weight = weights(y, moved.target)
    return {
        (use.key, model): float(use.metric.bind(rows_of(y, p))(Batch.from_weights(weight))[0])
        for model, p in models.items()
        for use in uses()
        if model != "second"
    }


def weights(y: np.ndarray, target: float) -> np.ndarray:
    """What each row weighs for the positives to have the wanted share."""
    share = y.mean()
    return np.where(y > 0, target / share, (1 - target) / (1 - share))


def one(moved: Moved, run: int) -> dict[str, Counter[str]]:
    """One sample, judged."""
    values = truth(moved)
    rng = np.random.default_rng([crc32(moved.name.encode()), run])
    drawn = moved.ground.draw(moved.ground.n, rng)
    y, models = drawn.y, drawn.models
    if not 0 < y.sum() < len(y):
        return {}
    code, weight = y.astype(np.intp), weights(y, moved.target)
    outcome = rows_of(y, y).outcome
    plan = make_plan(
        dataset="sample",
        models=tuple(
            ModelScores(n, n, Classes(code, p[:, None], ("0", "1"), "probability", outcome=outcome))
            for n, p in models.items()
        ),
        pairs=(("second", "first"), ("third", "first")),
        metrics=uses(),
        design=Design("sample", len(y), REPLICATES, run, weight, stratum=code),
    )
    found = draw_replicates(plan)
    told = [(w.key, w.model, w.code) for w in iter_warnings(found) if w.code in SHOWS]
    counts: dict[str, Counter[str]] = {}
    for e in iter_estimates(found):
        if e.model == "first":
            counts[f"{e.key}|one"] = judged(values[e.key, "first"], e.low, e.high)
            counts[f"{e.key}|one"]["warned"] = warned(told, e.key, {"first"})
    for c in iter_comparisons(found):
        kind = "equal" if c.candidate == "second" else "unequal"
        d = 0.0 if kind == "equal" else values[c.key, "third"] - values[c.key, "first"]
        counts[f"{c.key}|{kind}"] = judged(d, c.low, c.high)
        counts[f"{c.key}|{kind}"]["warned"] = warned(told, c.key, {c.candidate, "first"})
    return counts


def block(moved: Moved, first: int) -> dict[str, dict[str, int]]:
    """Counts of some runs by cell."""
    counts: dict[str, Counter[str]] = {}
    for run in range(first, first + BLOCK):
        for cell, seen in one(moved, run).items():
            counts.setdefault(cell, Counter()).update(seen)
    return {cell: dict(seen) for cell, seen in counts.items()}


def main() -> None:
    """Run what is not there yet, or write the page."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--runs", type=int, default=400)
    parser.add_argument("--processes", type=int, default=1)
    parser.add_argument("--table", action="store_true")
    options = parser.parse_args()
    if options.table:
        PAGE.write_text(table(), encoding="utf-8")
        return
    done = {(line["ground"], line["first"]) for line in read()}
    with ProcessPoolExecutor(options.processes) as pool:
        jobs = {
            pool.submit(block, moved, first): (moved, first)
            for first in range(0, options.runs, BLOCK)
            for moved in GROUNDS
            if (moved.name, first) not in done
        }
        for job in as_completed(jobs):
            moved, first = jobs[job]
            line = {"ground": moved.name, "first": first, "cells": job.result()}
            with RESULTS.open("a", encoding="utf-8") as file:
                file.write(json.dumps(line) + "\n")


def read() -> list[dict]:
    """The lines that are there."""
    if not RESULTS.exists():
        return []
    return [json.loads(line) for line in RESULTS.read_text(encoding="utf-8").splitlines()]


HEAD = f"""# Coverage at another share of positives

Made by `python benchmarks/coverage_prevalence.py`, then `--table`. Scores are binormal; each row
weighs the wanted share of its class over the share among the rows, and of each sample {REPLICATES}
resamples are drawn within the classes. "Held" is the share of the 95% intervals that hold the
truth, "above" and "below" where the truth lay otherwise. "Warned" is the share of samples in which
a warning stood beside the number. A red mark is under {AMBER:.0%} held, an amber one under
{GREEN:.0%}. The truth is the value on {LARGE:,} rows.

Precision among the highest scores is found from the few negatives there, each of which weighs as
many as the positives around it together. Average precision and the area under precision and recall
then come out too high, and their limits with them, the more so the further the wanted share lies
below that of the rows: W127 is raised where resamples lean to one side by over an eighth of a
standard error.
"""


def table() -> str:
    """All that has been run, as a page."""
    total: dict[str, dict[str, Counter[str]]] = {}
    for line in read():
        cells = total.setdefault(line["ground"], {})
        for cell, seen in line["cells"].items():
            cells.setdefault(cell, Counter()).update(seen)
    parts = [HEAD]
    for moved in GROUNDS:
        cells = total.get(moved.name, {})
        if not cells:
            continue
        runs = max(seen["runs"] for seen in cells.values())
        error = 100 * sqrt(0.95 * 0.05 / runs)
        parts.append(f"\n## {moved.name}\n\n{runs} runs; standard error of a share near 95%: ")
        parts.append(f"{error:.1f} points.\n\n")
        parts.append("| measure | of | held | below | above | mark | warned |\n")
        parts.append("| --- " * 7 + "|\n")
        parts.extend(_line(cell, seen) for cell, seen in sorted(cells.items()))
    return "".join(parts)


def _line(cell: str, seen: Counter[str]) -> str:
    name, _, kind = cell.partition("|")
    held, below, above, told = (
        seen[key] / seen["runs"] for key in ("held", "below", "above", "warned")
    )
    mark = "red" if held < AMBER else "amber" if held < GREEN else "green"
    of = {"one": "one model", "equal": "equal models", "unequal": "unequal models"}[kind]
    return (
        f"| {name} | {of} | {100 * held:.1f} | {100 * below:.1f} | {100 * above:.1f} | {mark} | "
        f"{100 * told:.0f} |\n"
    )


if __name__ == "__main__":
    main()
