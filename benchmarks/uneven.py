"""Null rejections and warnings where weights are uneven: log-Normal, up to a log spread of 2.5.

    python benchmarks/uneven.py [runs]

Two models of equal skill on rows whose weights have nothing to do with their losses, from data to
verdict. A verdict of better or worse is a false one. Seeds fixed.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

import numpy as np
from asked import asked

from reportgen.analysis.comparisons import iter_comparisons
from reportgen.analysis.dataset_analysis import draw_replicates
from reportgen.analysis.plan import AnalysisPlan, PlannedMetric
from reportgen.inference.resampling.replicates import limit_blas_threads
from reportgen.metrics import METRICS
from reportgen.results.verdicts import word_side

OUT = Path(__file__).parent / "results" / "uneven.json"
SPREADS, SIZES, RUNS = (1.0, 1.5, 2.0, 2.5), (100, 300, 1000), 2000
NAMES = ("mae", "rmse", "kendall")


def main(runs: int) -> None:
    with limit_blas_threads():
        found = [ground(spread, n, runs) for spread in SPREADS for n in SIZES]
    OUT.write_text(json.dumps(found, indent=1) + "\n")
    for each in found:
        print(each)


def ground(spread: float, n: int, runs: int) -> dict[str, object]:
    """How often each metric decides, and how often the weights are warned of."""
    rng = np.random.default_rng([int(10 * spread), n])
    decided, warned = np.zeros(len(NAMES)), 0
    for _ in range(runs):
        made = draw_replicates(sample(rng, spread, n))
        decided += [word_side(c.word) != 0 for c in iter_comparisons(made)]
        warned += made.parts[0].balance.is_uneven
    rates = dict(zip(NAMES, (decided / runs).round(4).tolist(), strict=True))
    return {"spread": spread, "n": n, "runs": runs, "warned": warned / runs, **rates}


def sample(rng: np.random.Generator, spread: float, n: int) -> AnalysisPlan:
    y = rng.gamma(2.0, 5.0, n)
    scores = {name: y + rng.normal(0, 4, n) for name in ("baseline", "candidate")}
    uses = tuple(PlannedMetric(name, METRICS[name].use(), None, False) for name in NAMES)
    weight = np.exp(spread * rng.normal(size=n))
    pairs = (("candidate", "baseline"),)
    return asked(y, scores, pairs, uses, replicates=199, seed=1, weight=weight)


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else RUNS)
