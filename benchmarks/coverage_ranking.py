"""How often intervals of measures of queries hold the truth, and how often tests reject it.

    python benchmarks/coverage_ranking.py --runs 400     each figure to ±3 points
    python benchmarks/coverage_ranking.py --table        the page from the counts

A run draws queries with 20 documents each and three systems. `second` is as good as `first`, so
that any difference between them is truly zero, and `third` is better; each differs from `first` on
a given share of the queries only. Queries are independent, or come in 20 clusters, in each of
which a system is better or worse than usual. Every sample goes the way of a report's data. Each
block of 100 runs is a line in the file of its ground; what is there is not run again.
"""

from __future__ import annotations

import argparse
import json
import zlib
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import dataclass
from itertools import product
from pathlib import Path

import numpy as np
from plans import make_plan

from reportgen.analysis.comparisons import iter_comparisons
from reportgen.analysis.dataset_analysis import DatasetAnalysis, draw_replicates
from reportgen.analysis.estimates import iter_estimates
from reportgen.analysis.plan import AnalysisPlan, ModelScores, PlannedMetric
from reportgen.analysis.sensitivity.wins import iter_harms, iter_wins
from reportgen.analysis.warnings import iter_warnings
from reportgen.checks.comparisons import find_few_differing_rows
from reportgen.inference.resampling.design import Design
from reportgen.kernels.batch import Vector
from reportgen.kernels.ranked_lists import Judgements, Lists
from reportgen.metrics import METRICS
from reportgen.metrics.rows import Queries
from reportgen.terms import FEW_QUERIES

RESULTS = Path(__file__).parent / "results" / "coverage_ranking"
PAGE = Path(__file__).parent / "results" / "coverage-of-ranking.md"
BLOCK, LEVEL, DOCUMENTS, REPLICATES = 100, 0.95, 20, 499
GROUPS = 20  # clusters
DROP = 0.2  # of nDCG@10, beyond which a query counts as harmed
USES = (
    PlannedMetric("AP", METRICS["ap"].use(), None, True),
    PlannedMetric("RR", METRICS["rr"].use(), None),
    PlannedMetric("P@1", METRICS["precision_at"].use(k=1), None),
    PlannedMetric("nDCG@10", METRICS["ndcg"].use(k=10), None),
)
PAIRS = {"equal": ("second", "first"), "unequal": ("third", "first")}
OF_INTERVALS = {"W103", "W104", "W105", "W106", "W108", "W109", "W112", "W131", "W132", "W136"}
TRUTH_OF = 600_000  # queries
Counts = dict[str, Counter[str]]


@dataclass(frozen=True)
class Field:
    """So many queries, of which a share differs between systems, alone or in clusters."""

    n: int
    differing: int  # in percent
    is_clustered: bool

    @property
    def name(self) -> str:
        """As its file is called."""
        return f"{self.n}-{self.differing}-{'clusters' if self.is_clustered else 'alone'}"

    @property
    def seed(self) -> int:
        """What its draws follow from."""
        return zlib.crc32(self.name.encode())


FIELDS = [
    Field(n, share, is_clustered)
    for n, share, is_clustered in product(
        (10, 25, 50, 100, 1000), (1, 3, 10, 30, 100), (False, True)
    )
    if not is_clustered or n >= 50
]


def drawn(field: Field, n: int, draw: np.random.Generator) -> tuple[dict[str, Lists], Vector]:
    """The answers of each system to n queries, and the cluster of each query."""
    relevant = np.minimum(draw.geometric(0.35, n), 8)
    grade = np.zeros((n, DOCUMENTS))
    place = np.argsort(draw.random((n, DOCUMENTS)), axis=1)
    grade[place < relevant[:, None]] = 1 + (draw.random((place < relevant[:, None]).sum()) < 0.3)
    groups = GROUPS if n <= 5000 else n // 50
    unit = draw.integers(0, groups, n)
    hard = draw.normal(0, 0.5, n)[:, None]
    scores: dict[str, np.ndarray] = {}
    is_other = (draw.random(n) < field.differing / 100)[:, None]
    for name, signal in (("first", 0.8), ("second", 0.8), ("third", 1.1)):
        follows = signal + hard + _usual(field, groups, unit, draw)
        own = follows * grade + draw.normal(0, 1, grade.shape)
        scores[name] = np.where(is_other, own, scores.get("first", own))
    start = np.arange(0, DOCUMENTS * n + 1, DOCUMENTS)
    judged = Judgements.from_grades(start, grade.ravel())
    lists = {
        name: Lists(start, grade.ravel(), each.ravel().round(2), judged)
        for name, each in scores.items()
    }
    return lists, unit


def _usual(field: Field, groups: int, unit: Vector, draw: np.random.Generator) -> Vector:
    """How much more than usual a system follows grades in the cluster of each query, (n, 1)."""
    effect = draw.normal(0, 0.4, groups)[unit][:, None]
    return effect if field.is_clustered else np.zeros_like(effect)


def truth(field: Field) -> dict[str, float]:
    """The mean of each measure for each system, and the share harmed, over many queries."""
    draw, sums, parts = np.random.default_rng([field.seed, 0]), Counter[str](), 30
    for _ in range(parts):
        lists, _ = drawn(field, TRUTH_OF // parts, draw)
        values = {name: _values(each) for name, each in lists.items()}
        for name, each in values.items():
            sums.update({f"{key} {name}": float(v.mean()) / parts for key, v in each.items()})
        drop = values["first"]["nDCG@10"] - values["second"]["nDCG@10"]
        sums["harmed"] += float((drop > DROP + 1e-12).mean()) / parts
    return dict(sums)


def _values(lists: Lists) -> dict[str, Vector]:
    return {u.key: u.metric.function(lists, **u.metric.params) for u in USES}


def plan_of(field: Field, run: int) -> AnalysisPlan:
    """What a plain config would ask of one sample."""
    lists, unit = drawn(field, field.n, np.random.default_rng([field.seed, 1 + run]))
    models = tuple(ModelScores(name, name, Queries(each)) for name, each in lists.items())
    groups = np.unique(unit, return_inverse=True)[1].astype(np.intp) if field.is_clustered else None
    design = Design("sample", field.n, REPLICATES, run, None, unit=groups, case="query")
    return make_plan(
        dataset="sample",
        models=models,
        pairs=tuple(PAIRS.values()),
        metrics=USES,
        design=design,
        level=LEVEL,
        has_wins=True,
        harms=(("nDCG@10", "second", "first", DROP, None),),
    )


def counted(field: Field, run: int, true: dict[str, float]) -> Counts:
    """One sample, judged: a count of 1 under everything that happened."""
    found, counts = draw_replicates(plan_of(field, run)), Counts()
    codes = codes_of(found)
    for each in iter_estimates(found):
        if each.model == "first":
            target = true[f"{each.key} first"]
            counts[f"{each.key} one"] = judged(target, each.low, each.high, each.method)
    for each in iter_comparisons(found):
        kind = "equal" if each.candidate == "second" else "unequal"
        target = 0.0 if kind == "equal" else true[f"{each.key} third"] - true[f"{each.key} first"]
        cell = judged(target, each.low, each.high, each.method)
        cell["tested"], cell["rejected"] = (
            int(each.p_value is not None),
            int(each.p_value is not None and each.p_value <= 1 - LEVEL),
        )
        counts[f"{each.key} {kind}"] = cell
    for cell, seen in codes.items():
        counts[cell].update(seen)
        counts[cell]["warned"] = int(bool(seen & OF_INTERVALS))
    counts["harmed share"] = of_harm(field, found, true)
    return counts


def of_harm(field: Field, found: DatasetAnalysis, true: dict[str, float]) -> Counter[str]:
    """How the limits of the share harmed lie, which are those of a count and not resampled."""
    [harm] = iter_harms(found)
    counts = judged(true["harmed"], harm.low, harm.high, "count")
    counts["warned"] = int(field.n < FEW_QUERIES)
    return counts


def judged(target: float, low: float | None, high: float | None, method: str) -> Counter[str]:
    """Where an interval lies against the truth; a missing one holds nothing."""
    counts = Counter({"runs": 1, method or "none": 1})
    if low is None or high is None or low != low:
        counts["undefined"] = 1
        return counts
    counts["above" if target < low else "below" if target > high else "held"] = 1
    return counts


def codes_of(found: DatasetAnalysis) -> dict[str, set[str]]:
    """The codes that a reader sees beside each interval."""
    raised = list(iter_warnings(found))
    level = [
        (w.key, w.candidate, each) for w in iter_wins(found) if (each := find_few_differing_rows(w))
    ]
    cells = {}
    for use in USES:
        for kind, models in (("one", ("first",)), *PAIRS.items()):
            seen = {
                each.code
                for each in raised
                if each.key in (None, use.key) and each.model in (None, *models)
            }
            seen |= {e.code for key, m, e in level if key == use.key and m == models[0]}
            cells[f"{use.key} {kind}"] = seen | (
                {"W131"} if len(found.parts[0].weight) < FEW_QUERIES else set()
            )
    return cells


def block(field: Field, first: int, true: dict[str, float]) -> dict[str, object]:
    """The counts of a block of runs, as they go to the file."""
    total: Counts = {}
    for run in range(first, first + BLOCK):
        for cell, counts in counted(field, run, true).items():
            total.setdefault(cell, Counter()).update(counts)
    return {"first": first, "runs": BLOCK, "replicates": REPLICATES, "cells": total}


def conduct(options: argparse.Namespace) -> None:
    """Run every block that is not there yet: the first of every ground, then the second."""
    RESULTS.mkdir(parents=True, exist_ok=True)
    with ProcessPoolExecutor(options.processes) as pool:
        truths = known_truths(pool)
        jobs = {
            pool.submit(block, field, first, truths[population(field)]): field
            for first in range(0, options.runs, BLOCK)
            for field in FIELDS
            if options.only in field.name and first not in done(field)
        }
        for count, job in enumerate(as_completed(jobs), start=1):
            with path_of(jobs[job]).open("a", encoding="utf-8") as file:
                file.write(json.dumps(job.result()) + "\n")
            print(f"{count} of {len(jobs)} blocks", flush=True)


def population(field: Field) -> str:
    """What the truth depends on."""
    return field.name.partition("-")[2]


def known_truths(pool: ProcessPoolExecutor) -> dict[str, dict[str, float]]:
    """What is true of each population, found once."""
    path = RESULTS / "truth.json"
    known = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
    wanted = {population(field): field for field in FIELDS if population(field) not in known}
    known |= dict(zip(wanted, pool.map(truth, wanted.values()), strict=True))
    path.write_text(json.dumps(known, indent=1), encoding="utf-8")
    return known


def path_of(field: Field) -> Path:
    """The file of a ground's counts."""
    return RESULTS / f"{field.name}.jsonl"


def lines_of(field: Field) -> Iterator[dict[str, object]]:
    """The blocks that the file of a ground holds."""
    path = path_of(field)
    for line in path.read_text(encoding="utf-8").splitlines() if path.exists() else ():
        yield json.loads(line)


def done(field: Field) -> set[object]:
    """The first runs of the blocks that are there."""
    return {line["first"] for line in lines_of(field)}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--runs", type=int, default=400)
    parser.add_argument("--only", default="", help="grounds whose name holds this")
    parser.add_argument("--processes", type=int, default=2)
    parser.add_argument("--table", action="store_true", help="write the page, run nothing")
    options = parser.parse_args()
    if not options.table:
        conduct(options)
    from coverage_ranking_page import page

    PAGE.write_text(page(", ".join(sorted(OF_INTERVALS))), encoding="utf-8")


if __name__ == "__main__":
    main()
