"""How often limits of means over classes hold, where classes have from one row to two hundred.

    python benchmarks/class_averages.py [--runs 300] [--first 0]

Every class has a fixed number of rows, or a label an expected one of 300 rows, and is predicted by
two models whose errors go together. "one" is the interval of one model, "difference" that of two,
and "size" or "power" how often it leaves out zero, where the models are alike, or where one is
better in one class. Beside them: percentiles of 199 resamples of rows. The truth is the value of
the expected table. Seeds from 9,000 on were not used while the method was made. Written to
benchmarks/results/class_averages.md.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from zlib import crc32

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr

from reportgen.inference.class_averages import add_classes, class_average_interval
from reportgen.inference.resampled_intervals import multiplier_interval
from reportgen.inference.sampling_distribution import SamplingDistribution
from reportgen.kernels.batch import Matrix, Vector
from reportgen.metrics.class_shares import (
    PRECISION,
    RECALL,
    ChangedRows,
    ClassKinds,
    ClassShare,
    LabelRows,
    make_f_share,
)
from reportgen.metrics.traits import ESTIMANDS

PAGE = Path(__file__).parent / "results" / "class_averages.md"
SHARES = {"recall": RECALL, "precision": PRECISION, "F": make_f_share(1.0)}
RESAMPLES, TOGETHER, LABEL_ROWS = 199, 0.6, 300
Flags = NDArray[np.bool_]


@dataclass(frozen=True)
class Ground:
    """Classes, or labels, of so many rows; the share of each that the models predict right."""

    name: str
    sizes: tuple[int, ...]
    right: tuple[float, ...]
    better: tuple[float, ...] = ()
    are_labels: bool = False

    @property
    def models(self) -> tuple[Vector, Vector]:
        """The shares of the first model, which may be better, and of the second."""
        return np.array(self.better or self.right), np.array(self.right)

    def table(self, right: Vector) -> Matrix:
        """Where the rows of each class go, (k, k)."""
        away = np.tile(np.sqrt(self.sizes), (len(self.sizes), 1))
        np.fill_diagonal(away, 0.0)
        table = away / away.sum(axis=1, keepdims=True) * (1 - right)[:, None]
        np.fill_diagonal(table, right)
        return table

    def false_rate(self, right: Vector) -> Vector:
        """How often a row without a label is predicted to have it: half as many as are missed."""
        sizes = np.array(self.sizes)
        return np.asarray(0.5 * sizes * (1 - right) / (LABEL_ROWS - sizes))

    def truth(self, share: ClassShare) -> list[float]:
        """The value of each model."""
        sizes, found = np.array(self.sizes, float), []
        for right in self.models:
            if self.are_labels:
                own = right * sizes
                called = own + self.false_rate(right) * (LABEL_ROWS - sizes)
            else:
                table = self.table(right) * sizes[:, None]
                own, called = np.diag(table), table.sum(axis=0)
            found.append(float(share.values(np.stack([own, called, sizes])).mean()))
        return found

    def draw(self, rng: np.random.Generator) -> tuple[Flags, Flags, Flags]:
        """Which rows are of each class, and which each model predicts as it, (n, k)."""
        k = len(self.sizes)
        code = np.repeat(np.arange(k), self.sizes)
        had = np.eye(k, dtype=bool)[code]
        if self.are_labels:
            had = rng.random((LABEL_ROWS, k)) < np.array(self.sizes) / LABEL_ROWS
        shared = rng.normal(size=had.shape if self.are_labels else len(code))
        same = rng.random(len(code))
        called = []
        for right in self.models:
            own = rng.normal(size=shared.shape)
            u = ndtr(np.sqrt(TOGETHER) * shared + np.sqrt(1 - TOGETHER) * own)
            if self.are_labels:
                called.append(u < np.where(had, right, self.false_rate(right)))
                continue
            away = self.table(np.zeros(k)).cumsum(axis=1)[code]
            draw = np.where(rng.random(len(code)) < 0.5, same, rng.random(len(code)))
            other = np.minimum((away < draw[:, None]).sum(axis=1), k - 1)
            called.append(np.eye(k, dtype=bool)[np.where(u < right[code], code, other)])
        return had, called[0], called[1]


FEW = (1, 3, 10, 25, 50)
GROUNDS = (
    Ground("200, 150, 49, 1 rows", (200, 150, 49, 1), (0.95, 0.95, 0.95, 0.8)),
    Ground("1 to 50 rows, 80 % right", FEW, (0.8,) * 5),
    Ground("1 to 50 rows, 50 to 90 % right", FEW, (0.5, 0.6, 0.7, 0.8, 0.9)),
    Ground("1 to 50 rows, 90 to 95 % right", FEW, (0.95, 0.95, 0.9, 0.9, 0.9)),
    Ground("5 classes of 10 rows", (10,) * 5, (0.85,) * 5),
    Ground("20 classes of 3 rows", (3,) * 20, (0.85,) * 20),
    Ground("20 classes of 1 row", (1,) * 20, (0.85,) * 20),
    Ground("labels of 1 to 50 rows", (1, 5, 20, 50), (0.9,) * 4, are_labels=True),
    Ground("labels of 2 to 80 rows", (2, 30, 50, 80), (0.8,) * 4, are_labels=True),
    Ground("the largest of 1, 5, 50, 50 better", (1, 5, 50, 50), (0.8,) * 4, (0.8, 0.8, 0.8, 0.95)),
    Ground("one of 2 to 50 better", (2, 5, 10, 20, 50), (0.7,) * 5, (0.7, 0.7, 0.7, 0.95, 0.7)),
    Ground(
        "the class of 3 rows better", (3, 10, 50, 50), (0.6, 0.8, 0.8, 0.8), (0.9, 0.8, 0.8, 0.8)
    ),
    Ground("one label better", (3, 30, 50, 80), (0.8,) * 4, (0.8, 0.8, 0.8, 0.95), True),
)


def sums(had: Flags, called: Flags, weight: Matrix) -> Matrix:
    """Right, predicted and there under each weighting, (3, b, k)."""
    return np.stack([weight @ each.astype(float) for each in (had & called, called, had)])


def mean_of(share: ClassShare, found: Matrix) -> Vector:
    """The mean over the classes that have rows, (b,)."""
    each = np.stack([share.values(found[:, b]) for b in range(found.shape[1])])
    return np.asarray((np.nan_to_num(each) * (found[2] > 0)).sum(1) / (found[2] > 0).sum(1))


def evidence_of(value: float, n: int, *, is_difference: bool) -> SamplingDistribution:
    """What the interval functions are given."""
    estimand, low = ESTIMANDS["mean over classes"], -1.0 if is_difference else 0.0
    return SamplingDistribution(
        value, np.empty(0), estimand, (low, 1.0), n, n, is_difference=is_difference
    )


def judge(ground: Ground, share: ClassShare, rng: np.random.Generator) -> list[tuple[float, float]]:
    """The limits of one model, of the difference, and of the difference by resamples."""
    had, *called = ground.draw(rng)
    n = len(had)
    one = np.ones((1, n))
    found = [sums(had, each, one)[:, 0] for each in called]
    values = [float(mean_of(share, each[:, None])[0]) for each in found]
    limits = []
    for models in ((0,), (0, 1)):
        value = values[0] - (values[1] if len(models) == 2 else 0.0)
        said = tuple(called[m] for m in models)
        rows: ChangedRows = LabelRows(had, said, np.ones(n))
        if not ground.are_labels:
            code = had.argmax(axis=1)
            calls = tuple(each.argmax(axis=1) for each in said)
            rows = ClassKinds.of_rows(code, calls, np.ones(n), had.shape[1])
        known = add_classes(
            evidence_of(value, n, is_difference=len(models) == 2),
            share,
            rows,
            [found[m] for m in models],
            found[0],
        )
        method = class_average_interval if len(models) == 1 else multiplier_interval
        interval = method(known, 0.95)
        limits.append((value, value) if interval is None else (interval.low, interval.high))
    drawn = rng.multinomial(n, np.full(n, 1 / n), size=RESAMPLES).astype(float)
    apart = np.subtract(*(mean_of(share, sums(had, each, drawn)) for each in called))
    limits.append(tuple(np.quantile(apart, (0.025, 0.975))))
    return limits


def lines(runs: int, first: int) -> Iterator[str]:
    """A line of the table for each ground and measure."""
    for ground in GROUNDS:
        for name, share in SHARES.items():
            true = ground.truth(share)
            rng = np.random.default_rng([crc32(ground.name.encode()), crc32(name.encode()), first])
            found = np.array([judge(ground, share, rng) for _ in range(runs)])
            yield f"| {ground.name} | {name} | {runs} | {' | '.join(cells(found, true))} |\n"


def cells(found: NDArray[np.float64], true: Sequence[float]) -> Iterator[str]:
    """Coverage and width of each interval, and how often that of the difference leaves out zero."""
    apart = true[0] - true[1]
    for place, target in enumerate((true[0], apart, apart)):
        low, high = found[:, place].T
        yield f"{100 * np.mean((low <= target + 1e-9) & (target - 1e-9 <= high)):.1f}"
        if not place:
            yield f"{100 * np.mean(high < target - 1e-9):.1f}"
            yield f"{100 * np.mean(low > target + 1e-9):.1f}"
        yield f"{np.mean(high - low):.3f}"
        if place:
            yield f"{100 * np.mean((low > 0) | (high < 0)):.1f}"


HEAD = """# Means over classes of few rows

Made by `python benchmarks/class_averages.py --runs {runs} --first {first}`, in %.
*Rejects*: the interval leaves out zero, of models that are alike in every class, or of which one is
better in one class. *Resamples*: percentiles of 199 resamples of rows.

| classes | measure | samples | one: held | below | above | width | difference: held | width \
| rejects | resamples: held | width | rejects |
| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |
"""


def main() -> None:
    """Run every ground and write the page."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--runs", type=int, default=300)
    parser.add_argument("--first", type=int, default=0)
    options = parser.parse_args()
    page = HEAD.format(runs=options.runs, first=options.first)
    for line in lines(options.runs, options.first):
        print(line, end="", flush=True)
        page += line
    PAGE.write_text(page, encoding="utf-8")


if __name__ == "__main__":
    main()
