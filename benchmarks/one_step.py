"""How much power one-step Bonferroni limits cost against Holm's step-down procedure.

    python benchmarks/one_step.py

Each of k candidates differs from the baseline by `effect` standard errors; their errors correlate
by one half, as those of models compared with one baseline do. Prints the share of true differences
that each procedure finds at 95%, and how often it finds any if none differs: better or worse, and
better alone, which is what a choice among candidates rests on. With one model asked about, k is 1.

Last, of k candidates that are equally good and all better than the baseline: the best by value
stands against each other one, with limits that allow for k - 1 comparisons. Prints how often any
of these is decided, and how often a given candidate is set aside so. Then how often any is decided
if limits allow for all k(k - 1)/2 pairs, since the best was chosen on the same rows.
"""

from __future__ import annotations

import numpy as np
from scipy.stats import norm

from reportgen.inference.multiplicity import adjust_p_values

RUNS = 20_000
SEED = 20261128


def measure_power(k: int, effect: float, adjust: str) -> tuple[float, float]:
    """Return the share of comparisons found, and the share of runs with any."""
    draw = np.random.default_rng(SEED)
    noise = (draw.normal(size=(RUNS, 1)) + draw.normal(size=(RUNS, k))) / np.sqrt(2)
    p = 2 * norm.sf(np.abs(noise + effect))
    found = np.array([adjust_p_values(row, k, adjust) <= 0.05 for row in p])  # type: ignore[arg-type]
    return float(found.mean()), float(found.any(axis=1).mean())


def measure_false_better(k: int) -> float:
    """Return the share of runs in which any of k equal candidates is found to be better."""
    draw = np.random.default_rng(SEED)
    noise = (draw.normal(size=(RUNS, 1)) + draw.normal(size=(RUNS, k))) / np.sqrt(2)
    return float((noise > norm.isf(0.025 / k)).any(axis=1).mean())


def measure_false_best(k: int) -> tuple[float, float, float]:
    """Return how often a pair of equal models is decided, a model set aside, a pair of all."""
    value = np.random.default_rng(SEED).normal(size=(RUNS, k))
    gap = (value.max(axis=1, keepdims=True) - value) / np.sqrt(2)
    beaten = gap > norm.isf(0.025 / (k - 1))
    strict = gap > norm.isf(0.025 / (k * (k - 1) / 2))
    return float(beaten.any(axis=1).mean()), float(beaten.mean()), float(strict.any(axis=1).mean())


def main() -> None:
    """Print the table."""
    print("| candidates | effect in standard errors | Bonferroni | Holm | ratio |")
    print("| --: | --: | --: | --: | --: |")
    for k in (1, 2, 5, 8):
        for effect in (2.8, 3.5):
            one, step = (measure_power(k, effect, how)[0] for how in ("bonferroni", "holm"))
            print(f"| {k} | {effect} | {100 * one:.0f}% | {100 * step:.0f}% | {one / step:.2f} |")
    for how in ("bonferroni", "holm"):
        print(how, "any of 5 equal:", f"{100 * measure_power(5, 0.0, how)[1]:.1f}%")
    for k in (1, 2, 5, 8):
        print(f"any of {k} equal better:", f"{100 * measure_false_better(k):.1f}%")
    for k in (2, 5, 8):
        pair, model, strict = (f"{100 * each:.1f}%" for each in measure_false_best(k))
        print(f"best of {k} equal: a pair decided {pair}, a given one set aside {model},", end=" ")
        print(f"a pair decided with limits for all pairs {strict}")


if __name__ == "__main__":
    main()
