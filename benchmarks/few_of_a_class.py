"""How often intervals would hold that compare rows of two classes, where one has few rows.

    python benchmarks/few_of_a_class.py [--runs 200]

Samples of 200 rows with a fixed number of positives, binormal scores, the methods of `auto`, as if
no number of rows were too small. "one" is one model, "unequal" its difference from a worse one,
"equal" that from one as good, and "size" how often the test of the latter rejects. Truths are found
on 400,000 rows. The numbers behind `FEWEST_OF_A_CLASS`: results/few_of_a_class.jsonl.
"""

from __future__ import annotations

import argparse
import json
from collections import Counter
from math import sqrt
from pathlib import Path

import numpy as np
from plans import make_plan
from scipy.special import expit, logit, ndtri

from reportgen.analysis.comparisons import iter_comparisons
from reportgen.analysis.dataset_analysis import draw_replicates
from reportgen.analysis.estimates import iter_estimates
from reportgen.analysis.plan import ModelScores, PlannedMetric
from reportgen.inference import sampling_distribution
from reportgen.inference.resampling.design import Design
from reportgen.kernels.batch import Batch, Column, Vector
from reportgen.metrics import METRICS
from reportgen.metrics.rows import Classes

RESULTS = Path(__file__).parent / "results" / "few_of_a_class.jsonl"
ROWS, LARGE, REPLICATES = 200, 200_000, 499
POSITIVES, AREAS = (1, 3, 5, 8, 10, 15), (0.7, 0.87, 0.97)
MEASURES: dict[str, dict[str, float]] = {"roc_auc": {}, "average_precision": {}}


def drawn(
    positives: int, negatives: int, area: float, rng: np.random.Generator
) -> tuple[Vector, dict[str, Vector]]:
    """What happened, and three models: two equally good, and one worse."""
    y = np.r_[np.ones(positives), np.zeros(negatives)]
    apart, noise = sqrt(2) * float(ndtri(area)), rng.normal(size=len(y)) * sqrt(0.5)
    models = {}
    for name, d in (("first", apart), ("second", apart), ("third", 0.6 * apart)):
        x = d * y + noise + sqrt(0.5) * rng.normal(size=len(y))
        models[name] = expit(d * (x - d / 2) + logit(0.1))
    return y, models


def rows_of(y: Vector, p: Vector) -> Classes:
    """What statistics see of a model."""
    return Classes(y.astype(np.intp), p[:, None], ("0", "1"), "probability", outcome=Column(y))


def uses() -> tuple[PlannedMetric, ...]:
    """The measures as a config asks for them."""
    return tuple(
        PlannedMetric(name, METRICS[name].use(**params), None, name == "roc_auc")
        for name, params in MEASURES.items()
    )


def truths(positives: int, area: float) -> dict[tuple[str, str], float]:
    """Values on many rows, weighted to the share of positives that the samples have."""
    y, models = drawn(LARGE, LARGE, area, np.random.default_rng(7))
    weight = np.where(y > 0, positives / ROWS, 1 - positives / ROWS)
    return {
        (use.key, model): float(
            use.metric.bind(rows_of(y, models[model]))(Batch.from_weights(weight))[0]
        )
        for use in uses()
        for model in ("first", "third")
    }


def judged(target: float, low: float | None, high: float | None) -> Counter[str]:
    """Whether an interval holds the truth, where there is one."""
    if low is None or high is None:
        return Counter({"runs": 1})
    return Counter({"runs": 1, "offered": 1, "held": int(low <= target <= high)})


def cell(positives: int, area: float, runs: int) -> dict[str, Counter[str]]:
    """Counts by measure and by what is judged."""
    true, counts = truths(positives, area), dict[str, Counter[str]]()
    for run in range(runs):
        rng = np.random.default_rng([positives, round(100 * area), run])
        y, models = drawn(positives, ROWS - positives, area, rng)
        found = draw_replicates(
            make_plan(
                dataset="sample",
                models=tuple(ModelScores(m, m, rows_of(y, p)) for m, p in models.items()),
                pairs=(("second", "first"), ("third", "first")),
                metrics=uses(),
                design=Design("sample", ROWS, REPLICATES, run),
            )
        )
        for e in iter_estimates(found):
            if e.model == "first":
                seen = judged(true[e.key, "first"], e.low, e.high)
                counts.setdefault(f"{e.key}|one", Counter()).update(seen)
        for c in iter_comparisons(found):
            is_equal = c.candidate == "second"
            target = 0.0 if is_equal else true[c.key, "third"] - true[c.key, "first"]
            seen = judged(target, c.low, c.high)
            if c.p_value is not None:
                seen |= {"tested": 1, "rejected": int(c.p_value <= 0.05)}
            counts.setdefault(f"{c.key}|{'equal' if is_equal else 'unequal'}", Counter()).update(
                seen
            )
    return counts


def main() -> None:
    """Run every cell, write it, and print the shares."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--runs", type=int, default=200)
    runs = parser.parse_args().runs
    sampling_distribution.FEWEST_OF_A_CLASS = 0
    RESULTS.write_text("", encoding="utf-8")
    for positives in POSITIVES:
        for area in AREAS:
            counts = cell(positives, area, runs)
            line = {"positives": positives, "area": area, "cells": counts}
            with RESULTS.open("a", encoding="utf-8") as file:
                file.write(json.dumps(line) + "\n")
            print(positives, area, *(f"{k} {_held(c)}" for k, c in counts.items()), flush=True)


def _held(seen: Counter[str]) -> str:
    size = f" size {seen['rejected'] / seen['tested']:.1%}" if seen["tested"] else ""
    return f"{seen['held'] / seen['offered']:.1%}{size}" if seen["offered"] else "none"


if __name__ == "__main__":
    main()
