"""Whether the row said to move a value most is the one that does, just over 2,000 rows.

    python benchmarks/most_influential.py [sets]

Every row is left out by computing again and held against what the report searches: heavy tails,
many zeros, ties, weights. `gap` is the part of the largest change that the found row misses.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

import numpy as np

from reportgen.analysis.sensitivity.case_deletion import (
    compute_leave_one_out,
    recompute_without_rows,
)
from reportgen.kernels.batch import Batch, Vector
from reportgen.metrics import METRICS
from reportgen.metrics.rows import Amounts

OUT = Path(__file__).parent / "results" / "most-influential.json"
N, SETS, FEW_SETS = 2_050, 50, 8
USES: tuple[tuple[str, dict[str, str | float | int]], ...] = (
    ("ranking_last", {}),
    ("ranking_first", {}),
    ("ranking_difference", {}),
    ("ranking_slope", {}),
    ("ranking_last", {"edges": "integer"}),
    ("topk_capture", {"share": 0.1}),
    ("topk_capture", {"k": 300}),
    ("median_ae", {}),
    ("ranking_last", {"statistic": "median"}),
    ("ranking_slope", {"quantile": 0.9}),
    ("cutoff_auc", {"quantile": 0.9}),
)


def main(sets: int) -> None:
    found = [ground(name, params, sets) for name, params in USES]
    OUT.write_text(json.dumps(found, indent=1) + "\n")
    for each in found:
        print(each)


def ground(name: str, params: dict[str, str | float | int], sets: int) -> dict[str, object]:
    """How often the true row is found, and the worst gap."""
    is_slow = bool({"statistic", "quantile"} & params.keys())
    gaps, searches = [], set()
    for run in range(min(sets, FEW_SETS) if is_slow else sets):
        rows, weight = sample(run)
        bound = METRICS[name].use(**params).bind(rows)
        value = float(bound(Batch.from_weights(weight))[0])
        if np.isfinite(value):
            truth = np.abs(recompute_without_rows(bound, weight, np.arange(N)) - value)
            found = compute_leave_one_out(bound, weight)
            best = found.farthest(value)
            searches.add(found.search if found.search == "every row" else "a short list")
            largest = float(np.nanmax(truth))
            gaps.append(1 - float(truth[best[0]]) / largest if best and largest else 0.0)
    hits = sum(gap < 1e-9 for gap in gaps)
    said = {"metric": name, **params, "tried": ", ".join(sorted(searches))}
    return {**said, "sets": len(gaps), "found": hits, "worst_gap": round(max(gaps), 5)}


def sample(run: int) -> tuple[Amounts, Vector]:
    rng = np.random.default_rng(run)
    y = (
        rng.gamma(1, 5, N),
        np.exp(2 * rng.normal(size=N)),
        rng.pareto(1.2, N) * (rng.random(N) < 0.4),
        np.round(rng.gamma(1, 3, N)),
    )[run % 4]
    score = np.log1p(y) + rng.normal(0, 1.5, N)
    weights = (np.ones(N), np.exp(rng.normal(size=N)), (rng.random(N) < 0.9).astype(float))
    return Amounts(y, np.round(score, 1) if run % 3 == 0 else score), weights[run % 3]


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else SETS)
