"""How long RROC space and cost space of three models take at a million rows, without replicates.

    python benchmarks/cost_space.py --rows 1000000 --repeat 3

Everything that the section on costs draws of the rows themselves: the curve of each model with its
area, the hull of the points and of the curves, the expected cost at 101 asymmetries as the scores
are and with best constants, the lowest cost over each stretch, and best constants at one asymmetry.
The models go over two threads. `--save` writes `benchmarks/results/cost_space.md`.
"""

from __future__ import annotations

import argparse
import os
import platform
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from time import perf_counter

import numpy as np

from reportgen.kernels.batch import Batch, Column
from reportgen.metrics.curves import CURVES, Trace
from reportgen.metrics.losses.rroc_geometry import (
    Point,
    best_linlin_shifts,
    find_hull,
    lower_envelope,
    minimal_cost_line,
    rroc_band,
    rroc_points,
)
from reportgen.metrics.rows import Amounts

RESULTS = Path(__file__).parent / "results" / "cost_space.md"
MODELS = ("low", "high", "wild")
THREADS = 2


def main() -> None:
    """Print the time of each part, and save the best of all repeats."""
    arguments = _arguments()
    found = [timed(arguments.rows, repeat) for repeat in range(arguments.repeat)]
    best = min(found, key=lambda times: sum(times.values()))
    lines = _table(arguments.rows, arguments.repeat, best)
    print(lines)
    if arguments.save:
        RESULTS.write_text(lines, encoding="utf-8")


def timed(n: int, seed: int) -> dict[str, float]:
    """Seconds of each part, from columns in memory on."""
    y, scores = _columns(n, seed)
    weight, times = np.ones(n), {}

    def measure(name: str, work: Callable[[], object]) -> object:
        start = perf_counter()
        result = work()
        times[name] = perf_counter() - start
        return result

    # Sorting the errors is paid by whoever comes first.
    rows = {m: Amounts(Column(y), score) for m, score in scores.items()}
    with ThreadPoolExecutor(THREADS) as pool:
        measure("errors sorted", lambda: list(pool.map(lambda r: r.error.order, rows.values())))
        measure("RROC curve and area", lambda: list(pool.map(_curve, rows.values())))
        lines = measure(
            "lowest cost, exact",
            lambda: list(pool.map(lambda r: minimal_cost_line(r, weight), rows.values())),
        )
        for shift in ("none", "optimal"):
            measure(
                f"cost space, shift {shift}",
                lambda s=shift: list(pool.map(lambda r: _cost(r, s), rows.values())),
            )
        at, one = np.array([0.8]), Batch.from_weights(weight)
        measure(
            "best constants",
            lambda: list(pool.map(lambda r: best_linlin_shifts(r, one, at), rows.values())),
        )
    grid = np.linspace(0, 1, 401)
    assert isinstance(lines, list)
    coarse = {m: (grid, np.interp(grid, *line)) for m, line in zip(MODELS, lines, strict=True)}
    measure("hull of the points", lambda: find_hull({m: _point(r) for m, r in rows.items()}))
    least, over = np.min([c for _, c in coarse.values()], axis=0), np.linspace(0, 50, 300)
    measure("hull of the curves", lambda: rroc_band(grid, least, over))
    measure("envelope", lambda: lower_envelope(coarse))
    return times


def _curve(rows: Amounts) -> Trace:
    weight = np.ones(len(rows))
    return CURVES["rroc"].bind(rows, weight).trace(weight)


def _cost(rows: Amounts, shift: str) -> Trace:
    weight = np.ones(len(rows))
    return CURVES["cost"].use(shift=shift).bind(rows, weight).trace(weight)


def _point(rows: Amounts) -> Point:
    over, under = rroc_points(rows, Batch.from_weights(np.ones(len(rows))))
    return Point(float(over[0]), float(under[0]))


def _columns(n: int, seed: int) -> tuple[np.ndarray, dict[str, np.ndarray]]:
    draw = np.random.default_rng(seed)
    y = draw.gamma(1.0, 30.0, n)
    scores = (
        12 + 0.55 * y + 6 * draw.standard_normal(n),
        5 + 0.95 * y + draw.gamma(1.0, 12.0, n),
        y + 20 * draw.standard_t(3, n),
    )
    return y, dict(zip(MODELS, scores, strict=True))


def _table(rows: int, repeat: int, times: dict[str, float]) -> str:
    about = f"Python {platform.python_version()}, NumPy {np.__version__}, {os.cpu_count()} cores"
    body = "\n".join(f"| {name} | {seconds:.2f} |" for name, seconds in times.items())
    total = sum(times.values())
    return (
        f"# Cost space of three models\n\nMade by `python benchmarks/cost_space.py --save`: "
        f"{rows:,} rows, {THREADS} threads, best of {repeat}; {about}.\n\n"
        f"| part | seconds |\n| --- | --- |\n{body}\n| **all** | **{total:.2f}** |\n"
    )


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Speed of RROC space and cost space.")
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("--save", action="store_true", help="write the results file")
    return parser.parse_args()


if __name__ == "__main__":
    main()
