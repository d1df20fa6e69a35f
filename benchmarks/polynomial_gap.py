"""How often the band of a polynomial's gap over α holds what it truly costs over the best constant.

What happened is the score, a bend of it and Normal noise. A polynomial has its own rows and is
given; the truth is of 50,000 rows of the same law. Run:  python benchmarks/polynomial_gap.py [RUNS]
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np

from reportgen.analysis.costs.cost_model import ShiftStatistics
from reportgen.inference.bands import simultaneous_band
from reportgen.inference.resampling.design import Design
from reportgen.kernels.batch import Batch, Matrix, Vector
from reportgen.metrics.losses.loss_functions import linlin
from reportgen.metrics.losses.shifts import ALPHA_GRID, fit_polynomial_shift
from reportgen.metrics.rows import Amounts, TrainingRows

LEVEL, REPLICATES, DEGREE, MANY = 0.95, 499, 2, 50_000
CELLS = (
    ("even", 300, 300, 0.0),
    ("even", 300, 300, 0.3),
    ("even", 300, 300, 1.0),
    ("even", 1000, 300, 1.0),
    ("skewed", 1000, 300, 1.0),
)
RESULTS = Path(__file__).parent / "results" / "polynomial-gap.md"


def law(scores: str, bend: float, n: int, seed: list[int]) -> tuple[Vector, Vector]:
    """What happened and n scores; skewed ones are Gamma, so that few rows bend far."""
    draw = np.random.default_rng(seed)
    score = draw.uniform(0, 20, n) if scores == "even" else draw.gamma(2.0, 5.0, n)
    return score + bend * (score - 10) ** 2 / 10 + draw.normal(0, 3, n), score


def band(rows: Amounts, design: Design) -> tuple[Vector, Vector]:
    """The limits of one run, made as the report makes them."""
    alphas, curve = (
        np.array(ALPHA_GRID),
        ShiftStatistics(ALPHA_GRID, degree=DEGREE).over_best("polynomial"),
    )
    value: Matrix = curve.function(rows, Batch.from_weights(np.ones(len(rows))), alphas)
    drawn = [curve.function(rows, design.batch(index), alphas) for index in range(design.batches)]
    support = len(rows) * np.minimum(alphas, 1 - alphas)
    found = simultaneous_band(value[0], np.vstack(drawn), LEVEL, support)
    return found.low, found.high


def truth(fit: Amounts, y: Vector, score: Vector) -> Vector:
    """What the polynomial of these rows to fit costs over the best constant in very many others."""
    need, one = np.sort(y - score), np.ones(len(fit))
    found = []
    for alpha in ALPHA_GRID:
        moved = score + fit_polynomial_shift(fit, one, alpha, DEGREE).evaluate(score) - y
        best = need[int(alpha * len(need))]
        found.append(np.mean(linlin(moved, alpha)) - np.mean(linlin(best - need, alpha)))
    return np.array(found)


def misses(scores: str, n: int, m: int, bend: float, run: int) -> tuple[bool, bool]:
    """Whether the truth lies below the band somewhere, and above it somewhere."""
    design = Design("judged", n, REPLICATES, run)
    fit = Amounts(*law(scores, bend, m, [run, 1]))
    y, score = law(scores, bend, n, [run, 2])
    low, high = band(Amounts(y, score, {}, TrainingRows(fit, np.ones(m), design.batch)), design)
    true = truth(fit, *law(scores, bend, MANY, [3]))
    return bool(np.any(true < low)), bool(np.any(true > high))


def main(runs: int) -> None:
    """One line a cell."""
    lines = [
        "# Coverage of the band of what a polynomial costs over the best constant",
        "",
        f"{runs} runs a cell, {REPLICATES} replicates, a band of {100 * LEVEL:g} % over α, "
        f"degree {DEGREE}.",
        "",
        "| scores | rows judged | rows to fit | bend | held everywhere | below | above |",
        "| --- | ---: | ---: | ---: | ---: | ---: | ---: |",
    ]
    for scores, n, m, bend in CELLS:
        missed = np.array([misses(scores, n, m, bend, run) for run in range(runs)])
        held, (below, above) = 1 - missed.any(axis=1).mean(), missed.mean(axis=0)
        shares = f"{100 * held:.1f} % | {100 * below:.1f} % | {100 * above:.1f} %"
        lines.append(f"| {scores} | {n} | {m} | {bend} | {shares} |")
        print(lines[-1], flush=True)
    RESULTS.write_text("\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 1000)
