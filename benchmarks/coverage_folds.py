"""How often two equal ways to learn are found to differ, and how often limits over data sets hold.

    python benchmarks/coverage_folds.py

Folds: two classes of equal size, Normal in eight measurements. Each way to learn sees four of
them, as far apart in either four, and is a linear discriminant fitted anew on the rows of the
other folds: in expectation the two are equal, on other rows of this number. Their accuracy, or
their Brier score, is compared by the program's own rules, with Nadeau and Bengio's variance;
beside it by a t test that takes folds for independent, and one that takes rows for independent.
Fitted models: how often the limits of the models that made the scores, from rows within folds,
hold their own mean difference in error rate, which is known of a linear rule. Data sets:
differences of a Normal, of a skewed and of a heavy-tailed kind about zero, of which the
program's exact limits ask.

The counts are written to benchmarks/results/coverage_folds.md.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from math import sqrt
from pathlib import Path

import numpy as np
from scipy import stats

from reportgen.inference.across_datasets import hodges_lehmann_limits
from reportgen.inference.sampling_distribution import FoldValues

PAGE = Path(__file__).parent / "results" / "coverage_folds.md"
RUNS = 2_000
APART, MEASURES = 0.5, 8
SIDES = (slice(0, 4), slice(4, 8))


def sample(draw: np.random.Generator, n: int) -> tuple[np.ndarray, np.ndarray]:
    """Rows of eight measurements, (n, 8), and their class, (n,)."""
    y = draw.permutation(np.arange(n) % 2)
    return draw.normal(size=(n, MEASURES)) + APART * y[:, None], y


Rule = tuple[np.ndarray, np.ndarray]


def fitted(x: np.ndarray, y: np.ndarray, train: np.ndarray) -> Rule:
    """A linear discriminant: its slope and the place between the classes."""
    ones, zeros = x[train][y[train] == 1], x[train][y[train] == 0]
    within = np.cov(np.vstack([ones - ones.mean(0), zeros - zeros.mean(0)]).T)
    slope = np.linalg.solve(within, ones.mean(0) - zeros.mean(0))
    return slope, (ones.mean(0) + zeros.mean(0)) / 2


def scored(rule: Rule, x: np.ndarray) -> np.ndarray:
    """The probability of class 1."""
    return np.asarray(1 / (1 + np.exp(-(x - rule[1]) @ rule[0])))


def error_rate(rule: Rule) -> float:
    """How often the rule is wrong on new rows."""
    slope, middle = rule
    size, at = float(np.linalg.norm(slope)), float(middle @ slope)
    return float(stats.norm.cdf(-at / size) + stats.norm.cdf((at - APART * slope.sum()) / size)) / 2


def losses(y: np.ndarray, p: np.ndarray, measure: str) -> np.ndarray:
    """What each row adds to a mean loss."""
    return (p - y) ** 2 if measure == "Brier" else np.asarray((p >= 0.5) != y, dtype=float)


def differences(
    draw: np.random.Generator, n: int, folds: int, rounds: int, measure: str
) -> tuple[np.ndarray, np.ndarray]:
    """The difference on each fold of each round, and that of each row, the mean over rounds."""
    x, y = sample(draw, n)
    of_folds, of_rows = [], np.zeros(n)
    for _ in range(rounds):
        parts = np.array_split(draw.permutation(n), folds)
        for test in parts:
            train = np.setdiff1d(np.arange(n), test)
            rules = [fitted(x[:, side], y, train) for side in SIDES]
            each = [
                losses(y[test], scored(rule, x[test, side]), measure)
                for rule, side in zip(rules, SIDES, strict=True)
            ]
            of_folds.append(float(np.mean(each[0] - each[1])))
            of_rows[test] += (each[0] - each[1]) / rounds
    return np.array(of_folds), of_rows


def found(of_folds: np.ndarray, of_rows: np.ndarray, folds: int) -> tuple[bool, bool, bool]:
    """Whether a difference is found at 5%: corrected, folds independent, rows independent."""
    values = FoldValues(of_folds, 1 / (folds - 1))
    limit = stats.t.ppf(0.975, values.df)
    mean, plain = of_folds.mean(), of_folds.std(ddof=1) / sqrt(len(of_folds))
    rows = of_rows.std(ddof=1) / sqrt(len(of_rows))
    return (
        bool(abs(mean) > limit * values.se),
        bool(abs(mean) > limit * plain),
        bool(abs(of_rows.mean()) > stats.t.ppf(0.975, len(of_rows) - 1) * rows),
    )


def of_folds() -> Iterator[str]:
    """A row a cell."""
    for measure in ("accuracy", "Brier"):
        for n in (100, 400):
            for folds, rounds in ((5, 1), (10, 1), (10, 3)):
                draw = np.random.default_rng([n, folds, rounds])
                each = [
                    found(*differences(draw, n, folds, rounds, measure), folds)
                    for _ in range(RUNS if rounds == 1 else RUNS // 2)
                ]
                shares = " | ".join(f"{100 * s:.1f}" for s in np.mean(each, axis=0))
                yield f"| {measure} | {n} | {folds} × {rounds} | {len(each):,} | {shares} |"


def held(draw: np.random.Generator, n: int, folds: int) -> bool:
    """Whether the limits of fitted models, from rows within folds, hold what is true of them."""
    x, y = sample(draw, n)
    squares, seen, true = 0.0, 0.0, 0.0
    for test in np.array_split(draw.permutation(n), folds):
        train = np.setdiff1d(np.arange(n), test)
        rules = [fitted(x[:, side], y, train) for side in SIDES]
        wrong = [
            losses(y[test], scored(rule, x[test, side]), "accuracy")
            for rule, side in zip(rules, SIDES, strict=True)
        ]
        each = wrong[0] - wrong[1]
        squares += float(((each - each.mean()) ** 2).sum())
        seen += float(each.sum()) / n
        true += (error_rate(rules[0]) - error_rate(rules[1])) * len(test) / n
    half = stats.t.ppf(0.975, n - folds) * sqrt(squares / (n - folds) / n)
    return bool(abs(seen - true) <= half)


def of_fitted() -> Iterator[str]:
    """A row a cell."""
    for n in (100, 400):
        for folds in (5, 10):
            draw = np.random.default_rng([n, folds])
            share = np.mean([held(draw, n, folds) for _ in range(RUNS)])
            yield f"| {n} | {folds} | {RUNS:,} | {100 * share:.1f} |"


def of_data_sets() -> Iterator[str]:
    """A row a cell; the centre of each kind is that of the means of pairs."""
    kinds = {
        "Normal": lambda draw, n: draw.normal(size=n),
        "Student's t, 3 degrees of freedom": lambda draw, n: draw.standard_t(3, n),
        "exponential, less its centre": lambda draw, n: draw.exponential(size=n) - CENTRE,
    }
    for name, make in kinds.items():
        for n in (6, 16, 30):
            draw = np.random.default_rng(n)
            ends = [hodges_lehmann_limits(make(draw, n), 0.95) for _ in range(2 * RUNS)]
            held = np.mean([low <= 0 <= high for low, high in ends])
            yield f"| {name} | {n} | {2 * RUNS:,} | {100 * held:.1f} |"


CENTRE = float(stats.gamma.median(2) / 2)  # the median of the mean of two exponentials


def main() -> None:
    """Write the page."""
    about = (__doc__ or "").split("\n\n")[2].replace("\n", " ").strip()
    lines = [
        "# Folds and data sets: how often rules that should be wrong 5% of the time are",
        "",
        f"Made by `python benchmarks/coverage_folds.py`. {about}",
        "",
        "Two equal ways to learn, found to differ, in %:",
        "",
        "| measure | rows | folds × rounds | runs | corrected | folds independent | "
        "rows independent |",
        "| --- | ---: | ---: | ---: | ---: | ---: | ---: |",
        *of_folds(),
        "",
        "Limits of fitted models that hold their own difference in error rate, in %, nominally 95:",
        "",
        "| rows | folds | runs | held |",
        "| ---: | ---: | ---: | ---: |",
        *of_fitted(),
        "",
        "Limits over data sets that hold the centre of the differences, in %, nominally 95:",
        "",
        "| differences | data sets | runs | held |",
        "| --- | ---: | ---: | ---: |",
        *of_data_sets(),
        "",
    ]
    PAGE.write_text("\n".join(lines), encoding="utf-8")


if __name__ == "__main__":
    sys.exit(main())
