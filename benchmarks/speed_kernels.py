"""Replicates a second: the kernels beside a loop of library metrics over resamples, in one run.

    python benchmarks/speed_kernels.py [--rows 500,10000,100000,1000000] [--numpy] [--tied]

Each figure is the median of several runs on one thread: million rows * replicates * models a
second. The loop draws indices, takes the rows, and calls the library's own metric; it is timed on
a few replicates. `times` is kernel over loop, both including the making of their resamples.
"""

from __future__ import annotations

import argparse
import platform
import time
from collections.abc import Callable
from contextlib import nullcontext
from functools import partial
from statistics import median
from typing import NamedTuple

import numpy as np
from scipy import stats
from sklearn import metrics

from reportgen.kernels import native
from reportgen.kernels.auc import compute_auc_sums, compute_average_precision
from reportgen.kernels.batch import BATCH_SIZE, Batch
from reportgen.kernels.pairs import compute_pair_sums, compute_rank_sums
from reportgen.kernels.quantiles import compute_bucket_means, compute_quantiles
from reportgen.kernels.resample_counts import draw_multinomial_counts
from reportgen.kernels.sums import weighted_sums
from reportgen.metrics.rows import Amounts

MODELS = 2


class Case(NamedTuple):
    """A kernel, and the library metrics whose loop does the same work."""

    name: str
    kernel: Callable[[Amounts, Batch], object]
    loop: Callable[[np.ndarray, np.ndarray], object]
    is_binary: bool = False


def sums_of(rows, batch):
    return weighted_sums(batch, rows.once("losses", lambda: losses(rows)))


def losses(rows):
    error = rows.error.values
    return np.stack([np.abs(error), error**2, error, rows.y.values**2], axis=1)


def three_means(y, score):
    return (
        metrics.mean_absolute_error(y, score),
        metrics.mean_squared_error(y, score),
        metrics.r2_score(y, score),
    )


CASES = (
    Case("kendall + regression auc", compute_pair_sums, lambda y, s: stats.kendalltau(s, y)),
    Case("spearman", compute_rank_sums, lambda y, s: stats.spearmanr(s, y)),
    Case("mae, mse, r2 (4 columns)", sums_of, three_means),
    Case(
        "median absolute error",
        lambda rows, batch: compute_quantiles(rows.absolute_error, batch, 0.5),
        metrics.median_absolute_error,
    ),
    Case(
        "bucket means (10)",
        lambda rows, batch: compute_bucket_means(rows, batch, 10),
        lambda y, s: [part.mean() for part in np.array_split(y[np.argsort(s)], 10)],
    ),
    Case("roc auc", compute_auc_sums, metrics.roc_auc_score, True),
    Case("average precision", compute_average_precision, metrics.average_precision_score, True),
)


def models(n, is_binary, is_tied):
    rng = np.random.default_rng(n)
    y = rng.normal(size=n)
    if is_binary:
        y = (y > 1) * 1.0
    elif is_tied:
        y = np.maximum(y, 0.5)
    shared = Amounts(y, y).y
    digits = 2 if is_tied else 12
    return [Amounts(shared, np.round(y + rng.normal(size=n), digits)) for _ in range(MODELS)]


def timed(work, runs):
    """Median seconds of some runs, after one that warms up."""
    work()
    seconds = []
    for _ in range(runs):
        start = time.perf_counter()
        work()
        seconds.append(time.perf_counter() - start)
    return median(seconds)


def kernel_seconds(case, rows, count, runs):
    """Seconds a replicate and model, for resamples that are already drawn."""

    def work():
        batch = Batch(count)
        for model in rows:
            case.kernel(model, batch)

    return timed(work, runs) / (BATCH_SIZE * MODELS)


def loop_seconds(case, rows, runs):
    """Seconds a replicate and model: draw, take, and the library's metric."""
    rng = np.random.default_rng(0)
    y, n = rows[0].y.values, len(rows[0])

    def work():
        drawn = rng.integers(n, size=n)
        for model in rows:
            case.loop(y[drawn], model.score.values[drawn])

    return timed(work, runs) / MODELS


def compare(n, is_tied):
    runs = 7 if n <= 100_000 else 3
    draw = timed(partial(draw_multinomial_counts, n, BATCH_SIZE, 1, 0), runs) / BATCH_SIZE
    print(f"\n{n:>9,} rows  {'kernel M/s':>28}{'loop M/s':>11}{'times':>8}")
    print(f"{'multinomial counts':<26}{n / draw / 1e6:>21,.0f}")
    count = draw_multinomial_counts(n, BATCH_SIZE, 1, 0)
    for case in CASES:
        rows = models(n, case.is_binary, is_tied)
        fast = kernel_seconds(case, rows, count, runs)
        slow = loop_seconds(case, rows, max(2, min(40, 200_000 // n)))
        times = slow / (fast + draw / MODELS)
        print(f"{case.name:<26}{n / fast / 1e6:>21,.0f}{n / slow / 1e6:>11,.2f}{times:>8,.0f}")


def main():
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--rows", default="500,10000,100000,1000000")
    options.add_argument("--numpy", action="store_true", help="time the NumPy forms")
    options.add_argument("--tied", action="store_true", help="y with a mode, scores of two digits")
    chosen = options.parse_args()
    with native.use_numpy() if chosen.numpy else nullcontext():
        kind = native.list_kinds()[-1] if native.is_native() else "NumPy"
        print(f"{platform.processor() or platform.machine()}, {kind} kernels, one thread, ", end="")
        print(f"{MODELS} models, {BATCH_SIZE} replicates a batch")
        for n in map(int, chosen.rows.split(",")):
            compare(n, chosen.tied)


if __name__ == "__main__":
    main()
