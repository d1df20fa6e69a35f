"""How often intervals hold the truth, and how often tests reject what is true.

    python benchmarks/coverage.py --runs 400       the small form: each figure to ±3 points
    python benchmarks/coverage.py --runs 4000      the whole study
    python benchmarks/coverage.py --table          results/coverage.md from what has been run

Some metrics are judged in the first 400 runs alone, each figure to ±3 points: `populations.py` says
which. Where a change touches few metrics, they alone are run again, elsewhere, and then put in the
place of their older counts, unless they come out the same; no metric's counts depend on which
others are studied.

    python benchmarks/coverage.py --runs 4000 --metrics rmse,pearson --out FOLDER
    python benchmarks/coverage.py --merge FOLDER

Every sample goes the way that a report's data go: one question with its design, one study with
the same resamples for all metrics and models, then estimates, comparisons, curves and doubts.
Seeds follow from the names of the grounds and the number of the run. Each block of runs is a line
in the ground's file; what is there is not run again, so a study that was stopped goes on.
"""

from __future__ import annotations

import argparse
import json
import os
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import replace
from functools import cache, partial
from pathlib import Path

import coverage_table
import numpy as np
import simultaneous
from asked import asked
from coverage_cells import OF_ALL
from coverage_files import lines_of, merge, save
from populations import GROUNDS, Ground, quantiles, sample, truth

from reportgen.analysis.comparisons import iter_comparisons
from reportgen.analysis.dataset_analysis import DatasetAnalysis, draw_replicates
from reportgen.analysis.estimates import iter_estimates
from reportgen.analysis.plan import PlannedMetric
from reportgen.analysis.warnings import iter_warnings
from reportgen.inference.intervals import compute_interval
from reportgen.inference.sampling_distribution import SamplingDistribution
from reportgen.metrics import METRICS

RESULTS = Path(__file__).parent / "results" / "coverage"
BLOCK = 100  # runs in a line
LEVEL = 0.95
PAIRS = {"equal": ("second", "first"), "unequal": ("third", "first")}
BESIDE = ("percentile", "bca", "se")  # methods shown beside auto
# What the tool says of an interval; ties and order are said of the data, W113 of a verdict.
OF_INTERVALS = {"W103", "W104", "W105", "W106", "W108", "W109", "W112", "W140"}

Counts = dict[str, Counter[str]]  # by "metric kind method"
Truth = dict[str, dict[str, tuple[float, float]]]


def main() -> None:
    options = arguments()
    if options.merge is not None:
        merge(options.merge, options.out)
    elif not options.table:
        conduct(options)
    page = coverage_table.table(options.out)
    if options.table:
        options.page.write_text(page, encoding="utf-8")
    else:
        print(page)


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--runs", type=int, default=4000)
    parser.add_argument("--replicates", type=int, default=999)
    parser.add_argument("--only", default="", help="grounds whose name holds this")
    parser.add_argument("--processes", type=int, default=os.cpu_count())
    parser.add_argument("--out", type=Path, default=RESULTS)
    parser.add_argument("--metrics", default="", help="these alone, by comma, and no families")
    parser.add_argument("--merge", type=Path, help="take over the counts in this folder")
    parser.add_argument("--table", action="store_true", help="write the page, run nothing")
    parser.add_argument("--page", type=Path, default=Path("benchmarks/results/coverage.md"))
    return parser.parse_args()


def conduct(options: argparse.Namespace) -> None:
    """Run every block that is not there yet: the first of every ground, then the second."""
    options.out.mkdir(parents=True, exist_ok=True)
    wanted = tuple(filter(None, options.metrics.split(",")))
    with ProcessPoolExecutor(options.processes) as pool:
        find_truths(options.out, pool)
        jobs = {
            pool.submit(block, name, first, options.replicates, options.out, wanted): name
            for first in range(0, options.runs, BLOCK)
            for name in blocks(first, wanted)
            if options.only in name
            if first not in done(options.out / f"{name}.jsonl", options.replicates)
        }
        for count, job in enumerate(as_completed(jobs), start=1):
            with (options.out / f"{jobs[job]}.jsonl").open("a") as file:
                file.write(json.dumps(job.result()) + "\n")
            print(f"{count} of {len(jobs)} blocks", end="\r", flush=True)


def find_truths(out: Path, pool: ProcessPoolExecutor) -> None:
    """What is true of each population that no file holds yet."""
    wanted = [ground for ground in map(partial(not_known, out), populations()) if ground.metrics]
    for ground, found in zip(wanted, pool.map(truth, wanted), strict=True):
        path = truth_file(out, ground)
        known = json.loads(path.read_text()) if path.exists() else {}
        save(path, json.dumps(known | found, indent=1))


def populations() -> list[Ground]:
    """One ground for each population, with every metric that is studied on it."""
    found: dict[str, Ground] = {}
    for ground in (ground.at(0) for ground in GROUNDS):
        names = found.get(ground.population, ground).metrics + ground.metrics
        found[ground.population] = replace(ground, metrics=tuple(dict.fromkeys(names)))
    return list(found.values())


def not_known(out: Path, ground: Ground) -> Ground:
    """The ground with the metrics whose truth the population's file does not hold."""
    path = truth_file(out, ground)
    known = json.loads(path.read_text()) if path.exists() else {}
    return ground.only([name for name in ground.metrics if name not in known])


def blocks(
    first: int, metrics: tuple[str, ...] = ()
) -> dict[str, Callable[[int, int, Path], Counts]]:
    """What counts BLOCK runs from `first`, by the name of the ground; no metrics means all."""
    found: dict[str, Callable[[int, int, Path], Counts]] = {}
    for ground in only(first, metrics):
        found[ground.name] = lambda run, replicates, out, ground=ground: counted(
            ground, run, replicates, known_truth(out, ground.population)
        )
    if metrics:
        return found
    for name, one in simultaneous.GROUNDS.items():
        found[name] = lambda run, replicates, out, one=one: one(run, replicates)
    return found


def only(run: int, metrics: tuple[str, ...]) -> Iterator[Ground]:
    """The grounds that judge any of these metrics in a run, with them alone; none given is all."""
    for ground in GROUNDS:
        now = ground.at(run) if not metrics else ground.only(metrics).at(run)
        if now.metrics:
            yield now


def block(
    name: str, first: int, replicates: int, out: Path, metrics: tuple[str, ...] = ()
) -> dict[str, object]:
    """The counts of BLOCK runs, as they go to the file."""
    total: Counts = {}
    one = blocks(first, metrics)[name]
    for run in range(first, first + BLOCK):
        for cell, counts in one(run, replicates, out).items():
            total.setdefault(cell, Counter()).update(counts)
    return {"first": first, "runs": BLOCK, "replicates": replicates, "cells": total}


def done(path: Path, replicates: int) -> set[int]:
    """The first runs of the blocks that a file holds."""
    lines = lines_of(path).values()
    if any(line["replicates"] != replicates for line in lines):
        raise SystemExit(f"{path}: made with other replicates; give another --out")
    return {k for line in lines for k in range(line["first"], line["first"] + line["runs"], BLOCK)}


def counted(ground: Ground, run: int, replicates: int, true: Truth) -> Counts:
    """One sample, judged: a count of 1 under everything that happened."""
    y, scores = sample(ground.population, ground.n, np.random.default_rng([ground.seed, run]))
    pairs = tuple(PAIRS.values())
    parts = {name: quantiles(ground.population, score) for name, score in scores.items()}
    found = draw_replicates(
        asked(y, scores, pairs, ground.uses, replicates, run, ground.unit, parts=parts)
    )
    codes = codes_by_cell(found)
    counts: Counts = {}
    for each in iter_estimates(found):
        if each.model == "first":
            target = true[each.key]["first"][0]
            counts[f"{each.key} one auto"] = judged(target, each.low, each.high, each.method)
    for each in iter_comparisons(found):
        kind = "equal" if each.candidate == "second" else "unequal"
        counts[f"{each.key} {kind} auto"] = judged(
            difference(true, each.key, kind), each.low, each.high, each.method, each.p_value
        )
    for cell, seen in codes.items():
        counts[cell].update(seen)
        counts[cell]["warned"] = int(bool(seen & OF_INTERVALS))
    return counts | beside(found, true)


def judged(
    target: float, low: float | None, high: float | None, method: str, p: float | None = None
) -> Counter[str]:
    """Where an interval lies against the truth; a missing one holds nothing."""
    counts = Counter({"runs": 1, method or "none": 1})
    if low is None or high is None:
        counts["undefined"] = 1
        return counts
    counts["right" if target > high else "left" if target < low else "held"] = 1
    counts["width"] = high - low  # type: ignore[assignment]
    if p is not None:
        counts["tested"], counts["rejected"] = 1, int(p <= 1 - LEVEL)
    return counts


def difference(true: Truth, metric: str, kind: str) -> float:
    """The true difference of a pair, 0 between models that are equally good."""
    if kind == "equal":
        return 0.0
    third, first = (true[metric][model][0] for model in PAIRS[kind])
    return abs(third) - abs(first) if METRICS[metric].better == "zero" else third - first


def beside(found: DatasetAnalysis, true: Truth) -> Counts:
    """The same samples under other methods."""
    counts: Counts = {}
    for use in found.plan.statistics.metrics:
        for kind, evidence in evidences(found, use):
            target = true[use.key]["first"][0] if kind == "one" else difference(true, use.key, kind)
            for method in BESIDE:
                limits = compute_interval(evidence, method, LEVEL)
                cell = judged(target, limits.low, limits.high, limits.method)
                counts[f"{use.key} {kind} {method}"] = cell
    return counts


def evidences(
    found: DatasetAnalysis, use: PlannedMetric
) -> Iterator[tuple[str, SamplingDistribution]]:
    part = found.parts[0]
    yield "one", found.evidence(part, use, "first")
    for kind, (candidate, baseline) in PAIRS.items():
        yield kind, found.difference(part, use, candidate, baseline)[0]


def codes_by_cell(found: DatasetAnalysis) -> dict[str, set[str]]:
    """The codes that a reader sees beside each interval: its models', its metric's, the data's."""
    raised = list(iter_warnings(found))
    cells: dict[str, set[str]] = {}
    for use in found.plan.statistics.metrics:
        for kind, models in (("one", ("first",)), *PAIRS.items()):
            cells[f"{use.key} {kind} auto"] = {
                doubt.code
                for doubt in raised
                if doubt.code not in OF_ALL
                if doubt.key in (None, use.key) and doubt.model in (None, *models)
            }
    return cells


@cache
def known_truth(out: Path, population: str) -> Truth:
    return json.loads((out / f"truth-{population}.json").read_text())


def truth_file(out: Path, ground: Ground) -> Path:
    return out / f"truth-{ground.population}.json"


if __name__ == "__main__":
    main()
