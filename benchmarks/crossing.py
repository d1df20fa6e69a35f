"""How often the interval of a crossing holds the true one: run by hand, not in the tests.

Two models of one skewed target err to different sides, so that their expected costs cross at a
known asymmetry. Each run draws rows, resamples them and asks for the set of asymmetries at which
the models are not told apart. A set covers if the true crossing is in one of its pieces; it may
be empty or everything, and both are counted.

    python benchmarks/crossing.py --runs 2000 --rows 200 500 --replicates 999

One line a cell goes to `benchmarks/results/crossing.jsonl`, from which
benchmarks/results/coverage.md has its table.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from dataclasses import dataclass
from math import sqrt
from multiprocessing import Pool
from pathlib import Path

import numpy as np
from plans import make_plan
from scipy.optimize import brentq

from reportgen.analysis.costs.cost_model import CostModel
from reportgen.analysis.costs.decisions import cost_statistic
from reportgen.analysis.plan import AnalysisPlan, ModelScores
from reportgen.analysis.run import analyze_dataset
from reportgen.inference.resampling.design import Design
from reportgen.kernels.batch import Batch, Vector
from reportgen.metrics.losses.rroc_geometry import minimal_costs
from reportgen.metrics.rows import Amounts
from reportgen.results.costs import Crossing
from reportgen.results.types import Scalar

LEVEL = 0.95
TRUTH_ROWS = 2_000_000
SHIFTS = ("none", "optimal")
RESULTS = Path(__file__).parent / "results" / "crossing.jsonl"


@dataclass(frozen=True)
class Cell:
    """One design: the rows of a run, and how often they are resampled."""

    rows: int
    replicates: int


def main() -> None:
    """Print and save one line a cell: coverage with its error, misses to each side, odd sets."""
    arguments = _arguments()
    truth = {shift: _truth(shift) for shift in SHIFTS}
    print(f"true crossings: {truth['none']:.4f} as they are, {truth['optimal']:.4f} with constants")
    lines = []
    with Pool(arguments.processes) as pool:
        for rows in arguments.rows:
            cell = Cell(rows, arguments.replicates)
            jobs = [(cell, run, truth) for run in range(arguments.runs)]
            said = pool.starmap(one_run, jobs, chunksize=4)
            for shift in SHIFTS:
                lines.append(_line(cell, shift, truth[shift], [each[shift] for each in said]))
                print(lines[-1], flush=True)
    if arguments.save:
        RESULTS.write_text("".join(f"{json.dumps(line)}\n" for line in lines), encoding="utf-8")


def one_run(cell: Cell, run: int, truth: dict[str, float]) -> dict[str, str]:
    """What the set of each way to shift does: see `_said`."""
    y, scores = _rows(cell.rows, np.random.default_rng([20261121, cell.rows, run]))
    answer = analyze_dataset(_question(y, scores, cell, run))
    found = answer.costs[0].crossings
    return {s: _said([each for each in found if each.shift == s], truth[s]) for s in SHIFTS}


def _said(found: Sequence[Crossing], truth: float) -> str:
    """`hit`, `below`, `above` (where the set lies), `empty`, or `everything` (also a hit)."""
    pieces = [(c.low, c.high) for c in found if c.low is not None and c.high is not None]
    if not pieces:
        return "empty"
    if pieces[0] == (found[0].judged_low, found[0].judged_high):
        return "everything"
    if any(low <= truth <= high for low, high in pieces):
        return "hit"
    return "below" if pieces[0][1] < truth else "above"


def _rows(n: int, random: np.random.Generator) -> tuple[Vector, dict[str, Vector]]:
    """A skewed target; one model flattens it, the other says a little too much and is noisy."""
    y = random.gamma(1.0, 30.0, n)
    low = 12 + 0.55 * y + 6 * random.standard_normal(n)
    high = 5 + 0.95 * y + random.gamma(1.0, 12.0, n)
    return y, {"low": low, "high": high}


def _truth(shift: str) -> float:
    """The asymmetry at which both models cost the same, from two million rows."""
    y, scores = _rows(TRUTH_ROWS, np.random.default_rng(1))
    rows = {name: Amounts(y, score) for name, score in scores.items()}
    one = Batch.from_weights(np.ones(TRUTH_ROWS))

    def gap(alpha: float) -> float:
        if shift == "optimal":
            found = [float(minimal_costs(r, one, np.array([alpha]))[0, 0]) for r in rows.values()]
        else:
            found = [_plain(r.error.values, alpha) for r in rows.values()]
        return found[0] - found[1]

    grid = np.linspace(0.05, 0.95, 19)
    gaps = [gap(float(alpha)) for alpha in grid]
    at = next(k for k in range(18) if gaps[k] * gaps[k + 1] < 0)
    return float(brentq(gap, grid[at], grid[at + 1], xtol=1e-5))


def _plain(error: Vector, alpha: float) -> float:
    over, under = np.maximum(error, 0).mean(), np.minimum(error, 0).mean()
    return float(2 * (1 - alpha) * over - 2 * alpha * under)


def _question(y: Vector, scores: dict[str, Vector], cell: Cell, run: int) -> AnalysisPlan:
    return make_plan(
        dataset="run",
        models=tuple(ModelScores(m, m, Amounts(y, score)) for m, score in scores.items()),
        pairs=(("high", "low"),),
        design=Design("run", len(y), cell.replicates, run),
        level=LEVEL,
        cost_statistics=(cost_statistic(CostModel((0.5,))),),
    )


def _line(cell: Cell, shift: str, truth: float, said: Sequence[str]) -> dict[str, Scalar]:
    runs = len(said)
    share = sum(word in ("hit", "everything") for word in said) / runs
    return {
        "rows": cell.rows,
        "shift": shift,
        "truth": round(truth, 4),
        "runs": runs,
        "replicates": cell.replicates,
        "covered": round(share, 4),
        "error": round(sqrt(share * (1 - share) / runs), 4),
        **{word: said.count(word) for word in ("below", "above", "empty", "everything")},
    }


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="How often the interval of a crossing holds.")
    parser.add_argument("--runs", type=int, default=2000)
    parser.add_argument("--rows", type=int, nargs="+", default=[200, 500])
    parser.add_argument("--replicates", type=int, default=999)
    parser.add_argument("--processes", type=int, default=2)
    parser.add_argument("--save", action="store_true", help="write the results file")
    return parser.parse_args()


if __name__ == "__main__":
    main()
