"""How often W111 is raised for rows that are independent, and for losses that follow each other.

    python benchmarks/autocorrelated.py [runs]

Absolute errors of Normal, wild (log-Normal), mostly zero and unevenly weighted rows; then errors
that follow one another at 0.3 and 0.5. Seeds fixed.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

import numpy as np

from reportgen.checks.values import find_autocorrelation
from reportgen.kernels.batch import Vector

OUT = Path(__file__).parent / "results" / "autocorrelated.json"
SIZES, RUNS = (100, 300, 1000, 3000), 4000
KINDS = ("normal", "skewed", "wild", "zeros", "rare", "follow 0.3", "follow 0.5")


def main(runs: int) -> None:
    found = [ground(kind, n, runs) for kind in KINDS for n in SIZES]
    OUT.write_text(json.dumps(found, indent=1) + "\n")
    for each in found:
        print(each)


def ground(kind: str, n: int, runs: int) -> dict[str, object]:
    """The share of samples of one kind and size for which the warning is raised."""
    rng = np.random.default_rng([KINDS.index(kind), n])
    share = float(
        np.mean([find_autocorrelation(losses(rng, kind, n), 1) is not None for _ in range(runs)])
    )
    error = float(np.sqrt(share * (1 - share) / runs))
    return {"losses": kind, "n": n, "runs": runs, "warned": share, "error": round(error, 5)}


def losses(rng: np.random.Generator, kind: str, n: int) -> Vector:
    steps = rng.normal(size=n)
    if kind.startswith("follow"):
        for i in range(1, n):
            steps[i] += float(kind.split()[1]) * steps[i - 1]
        return np.abs(steps)
    shapes = {
        "normal": np.abs(steps),
        "skewed": steps**2,
        "wild": np.exp(2.5 * steps),
        "zeros": np.exp(steps) * (rng.random(n) < 0.4),
        "rare": np.exp(steps) * (rng.random(n) < 0.05),
    }
    return np.asarray(shapes[kind])


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else RUNS)
