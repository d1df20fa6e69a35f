"""How often the interval of the gap between a fitted constant and the best one holds the truth.

Errors are Normal, those of the rows to fit moved by `delta`: the truth is what the best constant of
their population costs over that of the other. Run:  python benchmarks/gap.py [RUNS]
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
from scipy import stats

from reportgen.analysis.costs.cost_model import ShiftStatistics
from reportgen.inference.bands import pointwise_limits
from reportgen.inference.resampling.design import Design
from reportgen.metrics.rows import Amounts, TrainingRows

ALPHA, LEVEL, REPLICATES = 0.8, 0.95, 499
CELLS = ((300, 200, 0.0), (300, 200, 0.1), (300, 200, 0.3), (300, 200, 1.0), (1000, 100, 0.2))
RESULTS = Path(__file__).parent / "results" / "gap.md"


def cost(shift: float) -> float:
    """Expected Lin-Lin loss of standard Normal errors moved by a constant."""
    density = stats.norm.pdf(shift)
    over = density + shift * stats.norm.cdf(shift)
    under = density - shift * stats.norm.cdf(-shift)
    return float(2 * (1 - ALPHA) * over + 2 * ALPHA * under)


def limits(n: int, m: int, delta: float, run: int) -> tuple[float, float]:
    """The interval of one run, made as the report makes it."""
    draw = np.random.default_rng([n, m, run])
    judged, taught = Design("judged", n, REPLICATES, run), Design("taught", m, REPLICATES, run)
    fit = TrainingRows(Amounts(draw.normal(size=m) + delta, np.zeros(m)), np.ones(m), taught.batch)
    rows, own, grid = (
        Amounts(draw.normal(size=n), np.zeros(n), {}, fit),
        ShiftStatistics((ALPHA,)),
        [ALPHA],
    )
    batches = [judged.batch(index) for index in range(judged.batches)]
    gaps, apart = (
        pointwise_limits(np.vstack([find(rows, batch, np.array(grid)) for batch in batches]), LEVEL)
        for find in (own.gap, own.shifts_apart)
    )
    is_apart = apart[0][0] > 0 or apart[1][0] < 0
    return float(gaps[0][0]) if is_apart else 0.0, float(gaps[1][0])


def main(runs: int) -> None:
    """One line a cell."""
    best = float(stats.norm.ppf(ALPHA))
    lines = [
        "# Coverage of the gap between a fitted and the best constant",
        "",
        f"Lin-Lin at α = {ALPHA}, {runs} runs a cell, {REPLICATES} replicates, "
        f"{100 * LEVEL:.0f} % asked.",
        "",
        "| rows judged | rows to fit | moved by | true gap | covered | below | above |",
        "|---|---|---|---|---|---|---|",
    ]
    for n, m, delta in CELLS:
        truth = cost(best + delta) - cost(best)
        found = np.array([limits(n, m, delta, run) for run in range(runs)])
        below, above = (truth < found[:, 0]).mean(), (truth > found[:, 1]).mean()
        lines.append(
            f"| {n} | {m} | {delta} | {truth:.4f} | {1 - below - above:.3f} | {below:.3f} "
            f"| {above:.3f} |"
        )
        print(lines[-1], flush=True)
    RESULTS.write_text("\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 1000)
