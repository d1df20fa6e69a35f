"""How often the number of units needed for a margin is right, and how often its range holds it.

    python benchmarks/units_needed.py [samples]

Mean differences of independent units of four kinds. The right number is that of the true standard
error. `within_2` is the share of the samples whose one number is at most twice, and at least half,
of it; `range` the share whose range holds it, and `ratio` the median of its upper over its lower
end, both as if every sample had a range. `told` is the share that prints one. Seeds fixed.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np

from reportgen.inference.intervals import compute_interval
from reportgen.inference.power import FEWEST_FOR_A_NUMBER, count_units_to_detect, measure_precision
from reportgen.inference.sampling_distribution import SamplingDistribution
from reportgen.kernels.batch import Vector
from reportgen.metrics import METRICS

OUT = Path(__file__).parent / "results" / "units_needed.md"
Draw = Callable[[np.random.Generator, int], Vector]
KINDS: dict[str, tuple[Draw, float]] = {
    "Normal": (lambda rng, n: rng.normal(size=n), 1.0),
    "gamma(2)": (lambda rng, n: rng.gamma(2.0, 1.0, n), 2.0),
    "t(5)": (lambda rng, n: rng.standard_t(5, n), 5 / 3),
    "lognormal": (lambda rng, n: rng.lognormal(size=n), (np.e - 1) * np.e),
}
UNITS, SAMPLES, GAIN = (5, 8, 15, 30, 50, 100, 300), 1000, 0.1


def main(samples: int) -> None:
    lines = [
        f"{samples} samples each.\n",
        "| units | differences | within 2 | told a range | range | ratio |",
        "|--:|---|--:|--:|--:|--:|",
        *(study(name, units, samples) for name in KINDS for units in UNITS),
    ]
    OUT.write_text("\n".join(lines) + "\n", encoding="utf-8")
    print("\n".join(lines))


def study(name: str, units: int, samples: int) -> str:
    """One line: what so many units of one kind say."""
    draw, variance = KINDS[name]
    rng = np.random.default_rng([units, *map(ord, name)])
    near, told, holds, ratios = 0, 0, 0, []
    for _ in range(samples):
        known = precision(draw(rng, units))
        truth = count_units_to_detect(
            GAIN, replace(known, se=float(np.sqrt(variance / units)), error_df=np.inf), 0.95
        )
        few = replace(known, error_df=min(known.error_df, FEWEST_FOR_A_NUMBER - 1e-6))
        ranged = count_units_to_detect(GAIN, few, 0.95)
        if truth is None or ranged is None or ranged.low is None or ranged.high is None:
            continue
        told += known.error_df < FEWEST_FOR_A_NUMBER
        near += truth.about / 2 <= ranged.about <= 2 * truth.about
        holds += ranged.low <= truth.about <= ranged.high
        ratios.append(ranged.high / ranged.low)
    shares = " | ".join(f"{100 * each / samples:.1f}" for each in (near, told, holds))
    return f"| {units} | {name} | {shares} | {np.median(ratios):.1f} |"


def precision(each: Vector):  # type: ignore[no-untyped-def]
    """What is known of the mean of independent differences."""
    metric, n = METRICS["mae"], len(each)
    evidence = SamplingDistribution(
        float(each.mean()),
        np.empty(0),
        metric.estimand,
        (-np.inf, np.inf),
        n,
        n,
        influence=(each - each.mean()) / n,
        contributions=each / n,
        shares=np.full(n, 1 / n),
        is_clustered=True,
        is_difference=True,
    )
    return measure_precision(evidence, compute_interval(evidence, "t", 0.95))


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else SAMPLES)
