"""How often anytime-valid limits of a difference hold at all looks, and how wide they are.

    python benchmarks/sequential.py [SAMPLES] > benchmarks/results/sequential.md

Two models of two classes are judged 50 times while rows come in, up to 1,000 and 10,000 of them. A
sample counts as held if the limits hold the true difference at each look. Beside it stands the same
of the t interval for one analysis, and how often some look finds a difference. Anytime-valid limits
hold a mean unless its e-value is 1/α or more, which takes less time to compute than they do.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass

import numpy as np
from scipy import signal, special

from reportgen.inference.sequential import Arrivals

LEVEL = 0.95
LOOKS = 50
SEED = 20_261_129  # used for no tuning


@dataclass(frozen=True)
class Regime:
    """Models whose logits err by Normal noise of these sizes about a true logit of spread 1.5."""

    name: str
    loss: str
    first: float
    second: float
    shift: float = -1.0

    def draw(self, rng: np.random.Generator, n: int) -> np.ndarray:
        """Draw the differences of n rows."""
        logit = self.shift + 1.5 * rng.standard_normal(n)
        y = rng.random(n) < special.expit(logit)
        losses = []
        for noise in (self.first, self.second):
            p = special.expit(logit + noise * rng.standard_normal(n))
            losses.append((p - y) ** 2 if self.loss == "brier" else ((p > 0.5) != y) * 1.0)
        return losses[0] - losses[1]


REGIMES = (
    Regime("Brier, equal models", "brier", 0.5, 0.5),
    Regime("Brier, one better", "brier", 0.3, 0.9),
    Regime("Brier, equal, rare class", "brier", 0.5, 0.5, shift=-4.0),
    Regime("accuracy, equal models", "accuracy", 0.5, 0.5),
    Regime("accuracy, one better", "accuracy", 0.3, 1.2),
    Regime("accuracy, equal, rare class", "accuracy", 0.5, 0.5, shift=-4.0),
)


def t_limits(values: np.ndarray) -> tuple[float, float]:
    """Return the limits of the paired t interval."""
    n = len(values)
    half = special.stdtrit(n - 1, (1 + LEVEL) / 2) * values.std(ddof=1) / np.sqrt(n)
    return float(values.mean() - half), float(values.mean() + half)


def compute_e_value(values: np.ndarray, mean: float = 0.0) -> float:
    """Return the e-value against a mean."""
    return Arrivals(values - mean, -1.0 - mean, 1.0 - mean).e_value


def simulate(regime: Regime, most: int, samples: int, seed: int) -> list[float]:
    """Return the shares of samples that hold at all looks, anytime and t; and false claims."""
    rng = np.random.default_rng([seed, most])
    truth = 0.0
    if regime.first != regime.second:
        truth = float(np.mean([regime.draw(rng, 10**6).mean() for _ in range(20)]))
    looks = np.unique(np.geomspace(20, most, LOOKS).round().astype(int))
    counts = np.zeros(4)
    for _ in range(samples):
        values = regime.draw(rng, most)
        counts[0] += all(compute_e_value(values[:n], truth) < 1 / (1 - LEVEL) for n in looks)
        counts[2] += any(compute_e_value(values[:n]) >= 1 / (1 - LEVEL) for n in looks)
        low, high = np.array([t_limits(values[:n]) for n in looks]).T
        counts[1] += bool(np.all((low <= truth) & (truth <= high)))
        counts[3] += bool(np.any((low > 0) | (high < 0)))
    return [float(each) for each in counts / samples]


def measure_widths(regime: Regime, n: int, samples: int, seed: int) -> tuple[float, float]:
    """Return the median widths of the anytime and the t interval."""
    rng = np.random.default_rng([seed, n, 1])
    widths = []
    for _ in range(samples):
        values = regime.draw(rng, n)
        pairs = (Arrivals(values, -1.0, 1.0).compute_limits(LEVEL), t_limits(values))
        widths.append([high - low for low, high in pairs])
    first, second = np.median(widths, axis=0)
    return float(first), float(second)


def simulate_dependence(correlation: float, samples: int, seed: int) -> tuple[float, float]:
    """Return the share of samples with a claim at a look, and that of looks without an interval.

    The differences have the mean 0 and follow one another with this correlation.
    """
    rng = np.random.default_rng(seed)
    looks = np.unique(np.geomspace(20, 1_000, LOOKS).round().astype(int))
    claimed = withheld = 0.0
    for _ in range(samples):
        noise = rng.standard_normal(1_000)
        noise[1:] *= np.sqrt(1 - correlation**2)
        values = np.tanh(signal.lfilter([1.0], [1.0, -correlation], noise) / 2)
        found = [Arrivals(values[:n], -1.0, 1.0) for n in looks]
        claimed += any(not each.reason and each.e_value >= 1 / (1 - LEVEL) for each in found)
        withheld += float(np.mean([bool(each.reason) for each in found]))
    return claimed / samples, withheld / samples


def main() -> None:
    """Print the tables."""
    samples = int(sys.argv[1]) if len(sys.argv) > 1 else 1000
    print("# Anytime-valid limits\n")
    print(
        f"By `benchmarks/sequential.py`, seed {SEED}, with {samples:,} samples a row of the first"
    )
    print(f"table and 100 of the second. The level is 95 %, with {LOOKS} looks from 20 rows on.")
    print("*Held* is the share of samples whose limits hold the true difference at all looks,")
    print("*claimed* that where a look finds one; *t* is the interval for one analysis.\n")
    print("| regime | rows | held | held by t | claimed | claimed by t |")
    print("|---|--:|--:|--:|--:|--:|")
    for place, regime in enumerate(REGIMES):
        for most in (1_000, 10_000):
            found = simulate(regime, most, samples, SEED + place)
            shares = " | ".join(f"{100 * each:.1f} %" for each in found)
            print(f"| {regime.name} | {most:,} | {shares} |", flush=True)
    print("\n| regime | rows | median width | of the t interval | times as wide |")
    print("|---|--:|--:|--:|--:|")
    for place, regime in enumerate(REGIMES):
        for n in (100, 1_000, 10_000):
            wide, usual = measure_widths(regime, n, 100, SEED + place)
            ratio = f"{wide / usual:.1f}" if usual else "no row differs"
            print(f"| {regime.name} | {n:,} | {wide:.4f} | {usual:.4f} | {ratio} |", flush=True)
    print(
        "\nRows that depend on the one before, with a mean difference of 0, up to 1,000 of them.\n"
    )
    print("| first correlation of the rows | claimed | looks without an interval |")
    print("|--:|--:|--:|")
    for place, correlation in enumerate((0.0, 0.1, 0.2, 0.3, 0.5, 0.9)):
        claimed, withheld = simulate_dependence(correlation, samples, SEED + 100 + place)
        print(f"| {correlation} | {100 * claimed:.1f} % | {100 * withheld:.1f} % |", flush=True)


if __name__ == "__main__":
    main()
