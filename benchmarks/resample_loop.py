"""Time a thousand resamples of eight metrics against the loop of SciPy and scikit-learn.

    python benchmarks/resample_loop.py [--old PYTHON] [--rows 10000 100000] [--times 5]

Two models; kendall, spearman, regression_auc, mae, rmse, r2, median_ae and pearson. Ours is a whole
`reportgen run` without a cache, curves or re-analyses, that writes results.json: from the start of
Python to the end. The loop draws rows and calls the libraries' functions, a few times, scaled to a
thousand. `--old` is the Python of an environment with another version of reportgen, whose runs take
turns with those of this one. Prints seconds of processors, medians, and the ratios.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from statistics import median

import numpy as np
import pyarrow as pa
from pyarrow import parquet
from scipy import stats

RESAMPLES, DRAWN = 1000, 3
CONFIG = """version: 1
report: {title: Resamples}
task: regression
datasets: {rows: {path: rows.parquet, id: id, target: y}}
models: {a: {column: a, role: baseline}, b: {column: b}}
metrics: [mae, kendall, spearman, {name: regression_auc, ties: half}, rmse, r2, median_ae, pearson]
primary: {metric: mae}
bootstrap: {replicates: 1000, seed: 1}
curves: []
sensitivity: none
outputs: [json]
"""


def make_rows(rows: int) -> dict[str, np.ndarray]:
    """Make amounts with ties and zeros, and two models' scores."""
    draw = np.random.default_rng(3)
    y = np.round(draw.gamma(1.5, 20, rows) * (draw.random(rows) > 0.3), 1)
    scores = {name: share * y + draw.gamma(2, 6, rows) for name, share in (("a", 0.7), ("b", 0.9))}
    return {"id": np.arange(rows), "y": y, **scores}


def measure_loop(table: dict[str, np.ndarray]) -> float:
    """Return the seconds of a thousand resamples by the libraries, scaled from a few."""
    from sklearn import metrics

    draw, rows = np.random.default_rng(4), len(table["y"])
    started = time.process_time()
    for _ in range(DRAWN):
        some = draw.integers(0, rows, rows)
        y = table["y"][some]
        for name in ("a", "b"):
            score = table[name][some]
            stats.kendalltau(y, score)
            stats.spearmanr(y, score)
            stats.kendalltau(y, score)  # for the area: SciPy's own, Somers' d, is quadratic
            metrics.mean_absolute_error(y, score)
            metrics.mean_squared_error(y, score)
            metrics.r2_score(y, score)
            metrics.median_absolute_error(y, score)
            stats.pearsonr(y, score)
    return (time.process_time() - started) * RESAMPLES / DRAWN


def measure_run(python: str, folder: Path) -> float:
    """Return the processor seconds of one whole run."""
    before = os.times()
    command = [python, "-m", "reportgen", "run", "config.yaml", "--no-cache", "--out", "out"]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True)
    if done.returncode not in (0, 1, 3):
        raise SystemExit(done.stderr)
    after = os.times()
    return sum(now - then for now, then in zip(after[2:4], before[2:4], strict=True))


def main() -> None:
    """Print a table."""
    ask = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    ask.add_argument("--old")
    ask.add_argument("--rows", nargs="+", type=int, default=[10_000, 100_000])
    ask.add_argument("--times", type=int, default=5)
    given = ask.parse_args()
    pythons = {"this": sys.executable, **({"old": given.old} if given.old else {})}
    print("| rows | loop, s | version | ours, s | loop over ours |\n|---|---|---|---|---|")
    for rows in given.rows:
        table = make_rows(rows)
        with tempfile.TemporaryDirectory() as folder:
            (Path(folder) / "config.yaml").write_text(CONFIG)
            parquet.write_table(pa.table(table), Path(folder) / "rows.parquet")
            runs: dict[str, list[float]] = {name: [] for name in pythons}
            for _ in range(given.times):
                for name, python in pythons.items():
                    runs[name].append(measure_run(python, Path(folder)))
            loop = measure_loop(table)
        for name, times in runs.items():
            ours = median(times)
            print(
                f"| {rows:,} | {loop:.0f} | {name} | {ours:.2f} | {loop / ours:.0f} |", flush=True
            )


if __name__ == "__main__":
    main()
