"""Whether the smallest detectable difference is shown as often as the report says: 80 %.

    python benchmarks/power.py [runs]

Losses of two models whose paired difference is Normal, over rows or over clusters of 4 rows, from
data to verdict. The first half of the runs has no difference and says what is detectable; by the
root mean square of these sizes the second half differs. `each_by_its_own` lets every sample of the
second half differ by the size that one sample of the first stated: its standard error is estimated
too, so that of very few units this is less. Seeds fixed.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

import numpy as np
from asked import asked

from reportgen.analysis.comparisons import iter_comparisons
from reportgen.analysis.dataset_analysis import draw_replicates
from reportgen.analysis.plan import PlannedMetric
from reportgen.inference.resampling.replicates import limit_blas_threads
from reportgen.kernels.batch import Vector
from reportgen.metrics import METRICS
from reportgen.results.core import Comparison

OUT = Path(__file__).parent / "results" / "power.json"
GROUNDS = (*(("cluster", units) for units in (2, 5, 10, 50)), *(("row", n) for n in (10, 50, 500)))
RUNS, ROWS = 8000, 4
MAE = (PlannedMetric("mae", METRICS["mae"].use(), None, is_primary=True),)


def main(runs: int) -> None:
    with limit_blas_threads():
        found = [ground(kind, units, runs) for kind, units in GROUNDS]
    OUT.write_text(json.dumps(found, indent=1) + "\n")
    for each in found:
        print(each)


def ground(kind: str, units: int, runs: int) -> dict[str, object]:
    """What one kind and number of units states, and how often it is shown."""
    rng = np.random.default_rng([units, kind == "row"])
    stated = np.array([compared(rng, kind, units, 0.0).smallest_detectable for _ in range(runs)])
    typical = float(np.sqrt(np.mean(stated**2)))
    power = np.mean([is_shown(compared(rng, kind, units, typical)) for _ in range(runs)])
    own = np.mean([is_shown(compared(rng, kind, units, size)) for size in stated])
    return {
        "units": f"{units} {kind}s",
        "runs": runs,
        "power": round(float(power), 4),
        "error": round(float(np.sqrt(power * (1 - power) / runs)), 4),
        "each_by_its_own": round(float(own), 4),
    }


def compared(rng: np.random.Generator, kind: str, units: int, gain: float) -> Comparison:
    """The comparison of a candidate that is better by `gain`, on one new sample."""
    rows = ROWS if kind == "cluster" else 1
    unit = np.repeat(np.arange(units), rows)
    loss = 1000 + rng.gamma(2.0, 1.0, len(unit))
    change: Vector = rng.normal(size=units)[unit] + 0.5 * rng.normal(size=len(unit)) - gain
    scores = {"baseline": loss, "candidate": loss + change}
    pairs = (("candidate", "baseline"),)
    of = unit if kind == "cluster" else None
    question = asked(np.zeros(len(unit)), scores, pairs, MAE, replicates=20, seed=1, unit=of)
    (found,) = iter_comparisons(draw_replicates(question))
    return found


def is_shown(found: Comparison) -> bool:
    return found.word in ("better", "clearly better")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else RUNS)
