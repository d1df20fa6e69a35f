"""How often intervals hold the truth, and how often tests reject what is true.

    python benchmarks/coverage.py --runs 400 --small

Each cell (statistic, rows, data, one model or a difference) goes to its own JSON file, seeded by
its name, so a study that was stopped goes on where it was. A difference is one of two models that
are equally good, so its truth is zero and the share of p ≤ .05 is the size of the test.
"""

from __future__ import annotations

import argparse
import json
import zlib
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean

import numpy as np

from reportgen.inference import doubts
from reportgen.inference.evidence import Evidence, contrast
from reportgen.inference.intervals import interval
from reportgen.inference.significance import significance
from reportgen.inference.studentize import replicate_errors, unit_products, unit_sums
from reportgen.kernels.batch import LANES, Batch, Column, Rows
from reportgen.metrics import METRICS, BoundMetric

METRIC_NAMES = (
    "mae", "rmse", "r2", "median_ae", "kendall", "regression_auc", "spearman", "pearson"
)  # fmt: skip
DATA = ("normal", "lognormal", "zeros", "heavy")
LEVEL = 0.95


@dataclass(frozen=True)
class Cell:
    """One line of the study."""

    metric: str
    n: int
    data: str
    kind: str
    method: str

    @property
    def name(self) -> str:
        """The cell's file, and the source of its seed."""
        return f"{self.metric}-{self.data}-{self.n}-{self.kind}-{self.method}"


def main() -> None:
    asked = arguments()
    asked.out.mkdir(parents=True, exist_ok=True)
    for cell in cells(asked):
        path = asked.out / f"{cell.name}.json"
        if path.exists() and json.loads(path.read_text())["runs"] >= asked.runs:
            found = json.loads(path.read_text())
        else:
            found = study(cell, asked.runs, asked.replicates)
            # Written whole or not at all: a run that is stopped leaves no half a cell.
            draft = path.with_suffix(".part")
            draft.write_text(json.dumps(found, indent=1))
            draft.replace(path)
        print(line(found), flush=True)


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--runs", type=int, default=4000)
    parser.add_argument("--replicates", type=int, default=999)
    parser.add_argument("--small", action="store_true", help="100 rows, 399 replicates")
    parser.add_argument("--only", default="", help="cells whose name holds this")
    parser.add_argument("--method", default="auto")
    parser.add_argument("--out", type=Path, default=Path("build/coverage"))
    asked = parser.parse_args()
    if asked.small:
        asked.replicates = 399
    return asked


def cells(asked: argparse.Namespace) -> list[Cell]:
    rows = (100,) if asked.small else (100, 500)
    every = [
        Cell(metric, n, data, kind, asked.method)
        for metric in METRIC_NAMES
        if metric in METRICS
        for data in DATA
        for n in rows
        for kind in ("one", "difference")
    ]
    return [cell for cell in every if asked.only in cell.name]


def study(cell: Cell, runs: int, replicates: int) -> dict[str, object]:
    """All runs of a cell, counted."""
    seed = zlib.crc32(cell.name.encode())
    target = truth(cell) if cell.kind == "one" else 0.0
    low = high = undefined = rejected = 0
    methods: Counter[str] = Counter()
    warned: Counter[str] = Counter()
    widths = []
    for run in range(runs):
        evidence = draw(cell, replicates, np.random.default_rng([seed, run]))
        found = interval(evidence, cell.method, LEVEL)
        methods[found.method or found.reason] += 1
        undefined += not found.is_defined
        low, high = low + (target < found.low), high + (target > found.high)
        widths.append(found.width)
        if cell.kind == "difference":
            rejected += significance(evidence).p_value <= 1 - LEVEL
        raised = (doubts.heavy_tail(evidence), doubts.unusable_bca(evidence, LEVEL))
        warned.update(doubt.code for doubt in raised if doubt is not None)
    return {
        **vars(cell),
        "runs": runs,
        "replicates": replicates,
        "truth": target,
        "coverage": 1 - (low + high + undefined) / runs,
        "below": low / runs,
        "above": high / runs,
        "undefined": undefined / runs,
        "size": rejected / runs if cell.kind == "difference" else None,
        "width": fmean(widths),
        "methods": dict(methods),
        "warned": {code: count / runs for code, count in sorted(warned.items())},
    }


def truth(cell: Cell, size: int = 100_000, times: int = 8) -> float:
    """The value on a population: the mean over large samples."""
    metric = METRICS[cell.metric]
    values = []
    for k in range(times):
        y, score, _ = sample(cell.data, size, np.random.default_rng([zlib.crc32(b"truth"), k]))
        values.append(float(metric.bind(Rows(y, score))(Batch.of(np.ones(size)))[0]))
    return fmean(values)


def draw(cell: Cell, replicates: int, rng: np.random.Generator) -> Evidence:
    """One sample with its evidence."""
    y, *scores = sample(cell.data, cell.n, rng)
    count = rng.multinomial(cell.n, np.full(cell.n, 1 / cell.n), size=replicates).T
    shared = Column(y)
    metric = METRICS[cell.metric]
    bound = [metric.bind(Rows(shared, score)) for score in scores]
    first = weighed(bound[0], count)
    if cell.kind == "one":
        return first
    return contrast(first, weighed(bound[1], count), metric.better)


def sample(
    data: str, n: int, rng: np.random.Generator
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """y, and the scores of two models that are equally good."""
    known, noise, first, second = rng.normal(size=(4, n))
    if data == "heavy":
        y = known + rng.standard_t(3, size=n)
        return y, known + first / 2, known + second / 2
    latent = known + noise
    if data == "normal":
        return latent, known + first / 2, known + second / 2
    y = np.exp(latent)
    if data == "zeros":
        y = np.where(latent > 0.7, y, 0.0)
    return y, np.exp(known + first / 2), np.exp(known + second / 2)


def weighed(bound: BoundMetric, count: np.ndarray) -> Evidence:
    """All that is known of a metric of one model, by plain resampling of rows."""
    n = len(bound.rows)
    ones = np.ones(n)
    batches = [Batch(count[:, k : k + LANES]) for k in range(0, count.shape[1], LANES)]
    phi = bound.influence(ones)
    is_mean = bound.columns is not None and bound.columns.shape[1] == 1
    return Evidence(
        value=float(bound(Batch.of(ones))[0]),
        replicates=np.concatenate([bound(batch) for batch in batches]),
        estimand=bound.metric.estimand,
        bounds=bound.metric.bounds,
        n=n,
        units=n,
        influence=None if phi is None else phi / n,
        replicate_se=errors(bound, count),
        contributions=bound.columns[:, 0] / n if is_mean else None,
        is_tied=bound.rows.y.groups < n or bound.rows.score.groups < n,
    )


def errors(bound: BoundMetric, count: np.ndarray) -> np.ndarray | None:
    """The standard error of each replicate, for functions of means."""
    if bound.columns is None:
        return None
    sums = unit_sums(bound.columns, np.ones(len(bound.rows)))
    drawn = count.T.astype(np.float64)
    return replicate_errors(drawn @ sums, drawn @ unit_products(sums), bound.metric.finish)


def line(found: dict[str, object]) -> str:
    size = "" if found["size"] is None else f"  size {found['size']:.3f}"
    return (
        f"{found['metric']:15s}{found['data']:10s}{found['n']:5d}  {found['kind']:11s}"
        f"{found['coverage']:.3f}  below {found['below']:.3f}  above {found['above']:.3f}{size}  "
        f"{found['methods']}  {found['warned'] or ''}"
    )


if __name__ == "__main__":
    main()
