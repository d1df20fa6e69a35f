"""How long a report on many queries takes: 100,000 queries with 20 documents and three runs.

    python benchmarks/speed_ranking.py [QUERIES]             the report, from the file to the pages
    python benchmarks/speed_ranking.py --documents MILLIONS  measures alone, of one run at a time

The first has every measure of a query but those of patterns, with intervals, paired tests, curves
and all pages. Documents have grades 0 to 3 and scores with ties. Prints seconds of wall clock and
of all processors, and the largest memory; the data are drawn and written first.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import subprocess
import sys
import time
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import yaml

from reportgen.kernels.batch import Index, Vector
from reportgen.kernels.ranked_lists import Judgements, Lists
from reportgen.metrics import METRICS

DOCUMENTS, RUNS = 20, 3
PATTERNS = ("fap", "iprec", "eleven_point")
CUTS = {"precision_at": 5, "recall_at": 10, "f_at": 10, "success_at": 3, "dcg": 10}
NAMES = [n for n, m in METRICS.items() if m.task == "ranking" and n not in PATTERNS]


def graded(n: int, seed: int = 1) -> tuple[Vector, list[Vector]]:
    """Grades of so many documents, and the scores of each run, a few of them tied."""
    draw = np.random.default_rng(seed)
    grade = draw.choice([0, 0, 0, 0, 1, 1, 2, 3], n).astype(np.float64)
    noise = [draw.normal(0, 1 + k / 10, n) for k in range(RUNS)]
    return grade, [np.round(grade / 2 + each, 1) for each in noise]


def put_report(folder: Path, queries: int) -> Path:
    """Write the table and the config of the report."""
    n = queries * DOCUMENTS
    grade, scores = graded(n)
    columns = {
        "query": pa.array(np.repeat(np.arange(queries), DOCUMENTS)).cast(pa.string()),
        "document": pa.array(np.tile(np.arange(DOCUMENTS), queries)).cast(pa.string()),
        "grade": pa.array(grade),
        **{f"s{k}": pa.array(each) for k, each in enumerate(scores)},
    }
    pq.write_table(pa.table(columns), folder / "table.parquet")
    metrics = [{"name": "ndcg", "as": "nDCG@10", "k": 10}]
    metrics += [{"name": n, **({"k": CUTS[n]} if n in CUTS else {})} for n in NAMES if n != "ndcg"]
    config = {
        "version": 1,
        "report": {"title": "Speed"},
        "task": "ranking",
        "datasets": {
            "web": {"path": "table.parquet", "query": "query", "id": "document", "target": "grade"}
        },
        "models": {
            f"run{k}": {"column": f"s{k}", **({} if k else {"role": "baseline"})}
            for k in range(RUNS)
        },
        "metrics": metrics,
        "primary": {"metric": "nDCG@10", "margin": 0.01},
    }
    path = folder / "speed.yaml"
    path.write_text(yaml.safe_dump(config, sort_keys=False), encoding="utf-8")
    return path


def report(queries: int) -> None:
    """Make the report in a process of its own, and tell what it took."""
    with TemporaryDirectory() as held:
        config = put_report(Path(held), queries)
        command = [sys.executable, "-m", "reportgen", "run", str(config), "--no-cache", "--quiet"]
        start = time.perf_counter()
        subprocess.run([*command, "--out", f"{held}/out"], check=True, stdout=subprocess.DEVNULL)
        wall = time.perf_counter() - start
        found = json.loads((Path(held) / "out" / "results.json").read_text(encoding="utf-8"))
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    print(
        f"{queries:,} queries x {DOCUMENTS} documents x {RUNS} runs, {len(NAMES)} measures, "
        f"{len(found['comparisons'])} comparisons, {len(found['curves'])} curves"
    )
    print(
        f"{wall:.1f} s, {used.ru_utime + used.ru_stime:.1f} s of {os.cpu_count()} processors, "
        f"{used.ru_maxrss / 2**20:.2f} GB"
    )


def documents(millions: int) -> None:
    """Every measure of one run after another, of lists of 1,000 documents; what it took."""
    n, deep = millions * 1_000_000, 1000
    start: Index = np.arange(0, n + 1, deep)
    begun = time.perf_counter()
    for k in range(RUNS):
        grade, scores = graded(n)
        judged = Judgements.from_grades(start, grade)
        lists = Lists(start, grade, scores[k], judged)
        del scores
        means = {name: np.nanmean(METRICS[name].function(lists, **_params(name))) for name in NAMES}
        print(f"run {k}: nDCG@10 {means['ndcg']:.4f}, {time.perf_counter() - begun:.1f} s")
    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
    print(f"{n:,} documents a run, {RUNS} runs, {len(NAMES)} measures: {most:.2f} GB")


def _params(name: str) -> dict[str, object]:
    cut = {"ndcg": 10, **CUTS}.get(name)
    return dict(METRICS[name].use(**({"k": cut} if cut else {})).params)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("queries", nargs="?", type=int, default=100_000)
    parser.add_argument("--documents", type=int, metavar="MILLIONS")
    options = parser.parse_args()
    if options.documents:
        documents(options.documents)
    else:
        report(options.queries)


if __name__ == "__main__":
    main()
