"""How often any test could see the tail that undoes an interval of squared errors.

    python benchmarks/detectable.py

Errors of t(3) plus a Normal part, as in the coverage study, against Normal errors of any size. The
likelihood ratio with the best scale is as good as a test can nearly be; its critical value is what
5 % of Normal samples pass. Beside it the share that W103 sees, and its false alarms. Seeds fixed.
"""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
from scipy import stats

from reportgen.checks.heavy_tails import UnitTails
from reportgen.checks.values import find_heavy_tail
from reportgen.inference.sampling_distribution import SamplingDistribution
from reportgen.kernels.batch import Batch, Matrix, Vector
from reportgen.metrics import METRICS
from reportgen.metrics.rows import Amounts

OUT = Path(__file__).parent / "results" / "coverage" / "detectable.json"
SIZES, RUNS, ALARMS = (50, 100, 200, 500), 4000, 0.05
OWN = 0.5  # of the model's noise, beside the error that nobody knows
SCALES = np.exp(np.linspace(-1.5, 0.5, 60))


def main() -> None:
    found = [row(n) for n in SIZES]
    OUT.write_text(json.dumps(found, indent=1) + "\n")
    for each in found:
        print(each)


def row(n: int) -> dict[str, float]:
    """What is seen at one size."""
    rng = np.random.default_rng(n)
    own = OWN * rng.normal(size=(RUNS, n))
    harmless, wild = rng.normal(size=(RUNS, n)) - own, rng.standard_t(3, size=(RUNS, n)) - own
    limit = np.quantile(likelihood_ratio(harmless), 1 - ALARMS)
    return {
        "n": n,
        "runs": RUNS,
        "any_test": round(float(np.mean(likelihood_ratio(wild) > limit)), 4),
        "w103": round(warned(wild), 4),
        "false_alarms": round(warned(harmless), 4),
    }


def likelihood_ratio(errors: Matrix) -> Vector:
    """Log likelihood of t(3) with its best scale less that of the Normal with its own, (runs,)."""
    z = errors / np.sqrt(np.mean(errors**2, axis=1, keepdims=True))
    by_scale = [stats.t.logpdf(z / s, 3).sum(axis=1) - z.shape[1] * np.log(s) for s in SCALES]
    return np.max(by_scale, axis=0) - stats.norm.logpdf(z).sum(axis=1)


def warned(errors: Matrix) -> float:
    """Share of the samples in which the report doubts the RMSE."""
    return float(
        np.mean([find_heavy_tail(UnitTails(evidence(each))) is not None for each in errors])
    )


def evidence(errors: Vector) -> SamplingDistribution:
    metric, n = METRICS["rmse"], len(errors)
    bound, weight = metric.bind(Amounts(np.zeros(n), errors)), np.ones(n)
    influence = bound.influence(weight)
    assert influence is not None
    value = float(bound(Batch.from_weights(weight))[0])
    return SamplingDistribution(
        value, np.empty(0), metric.estimand, metric.bounds, n, n, influence=influence / n
    )


if __name__ == "__main__":
    main()
