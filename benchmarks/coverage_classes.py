"""How often intervals of measures of two classes hold the truth, and tests reject what is true.

    python benchmarks/coverage_classes.py [--runs 400]    goes on where it stopped
    python benchmarks/coverage_classes.py --table         writes the page of what has been run

A cell is a population (how many positives are expected, which share they are, how well scores
tell classes apart, whether probabilities are right), a measure, and what is judged: one model, or
the difference of two. Of the pairs one is of models equally good, the other not. Every sample goes
the way of a report's data. Blocks of runs are lines of benchmarks/results/coverage_classes.jsonl;
truths are found on a million rows.
"""

from __future__ import annotations

import argparse
import json
from collections import Counter
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import dataclass
from functools import cache
from math import sqrt
from pathlib import Path
from zlib import crc32

import numpy as np
from scipy.special import expit, logit

from reportgen.analysis.calibration import calibrations
from reportgen.analysis.comparisons import comparisons
from reportgen.analysis.curves import curve_results
from reportgen.analysis.dataset_analysis import replicated
from reportgen.analysis.estimates import estimates
from reportgen.analysis.plan import AnalysisPlan, ModelScores, Use
from reportgen.analysis.warnings import warnings
from reportgen.curves import CURVES
from reportgen.kernels.batch import Batch, Column, Vector
from reportgen.metrics import METRICS
from reportgen.resampling.design import Design
from reportgen.rows import Classes

RESULTS = Path(__file__).parent / "results" / "coverage_classes.jsonl"
PAGE = Path(__file__).parent / "results" / "coverage_classes.md"
BLOCK, LARGE, REPLICATES = 20, 1_000_000, 499
MEASURES = (
    ("roc_auc", {}), ("average_precision", {}), ("pr_auc", {}), ("partial_auc", {}), ("ks", {}),
    ("log_loss", {}), ("brier", {}), ("brier_skill", {}), ("calibration_bias", {}),
    ("calibration_slope", {}), ("calibration_intercept", {}), ("oe_ratio", {}),
    ("miscalibration", {}), ("discrimination", {}), ("calibration_error", {}),
    ("accuracy", {"threshold": 0.3}), ("recall", {"threshold": 0.3}),
    ("precision", {"threshold": 0.3}), ("f", {"threshold": 0.3}),
)  # fmt: skip
DRAWN = ("roc", "precision_recall")
SHOWS = {"W101", "W103", "W104", "W105", "W108", "W109", "W112", "W118", "W119", "W120", "W123"}
GREEN, AMBER = 0.93, 0.90


@dataclass(frozen=True)
class Ground:
    """Binormal scores: `positives` expected among n rows; `apart` is the distance of the classes.

    Log odds are multiplied by `slope`: below 1 probabilities are too timid.
    """

    positives: int
    share: float
    auc: float
    slope: float = 1.0

    @property
    def n(self) -> int:
        """Rows."""
        return round(self.positives / self.share)

    @property
    def name(self) -> str:
        """It in words."""
        right = "right" if self.slope == 1 else f"log odds times {self.slope:g}"
        return f"{self.positives} of {self.n:,} positive, AUC {self.auc:g}, probabilities {right}"

    def draw(self, n: int, rng: np.random.Generator) -> tuple[Vector, dict[str, Vector]]:
        """What happened, and three models: two equally good, and one worse."""
        from scipy.special import ndtri

        apart = sqrt(2) * float(ndtri(self.auc))
        y = (rng.random(n) < self.share).astype(float)
        noise = rng.normal(size=n) * sqrt(0.5)
        models = {}
        for name, d in (("first", apart), ("second", apart), ("third", 0.7 * apart)):
            x = d * y + noise + sqrt(0.5) * rng.normal(size=n)
            odds = d * (x - d / 2) + logit(self.share)
            models[name] = expit(self.slope * odds)
        return y, models


GROUNDS = tuple(
    Ground(*each)
    for each in ((20, 0.1, 0.7), (20, 0.1, 0.87), (50, 0.5, 0.87), (50, 0.02, 0.87),
                 (200, 0.1, 0.87), (200, 0.5, 0.97), (200, 0.5, 0.7, 0.6))
)  # fmt: skip


def rows_of(y: Vector, p: Vector) -> Classes:
    """What statistics see of a model."""
    return Classes(y.astype(np.intp), p[:, None], ("0", "1"), "probability")


def uses() -> tuple[Use, ...]:
    """The measures as a config asks for them."""
    return tuple(Use(name, METRICS[name].use(**params), None, name == "roc_auc")
                 for name, params in MEASURES)  # fmt: skip


@cache
def truth(ground: Ground) -> tuple[dict[tuple[str, str], float], dict[str, Vector]]:
    """Values of every measure and model on many rows, and the curves of the first."""
    y, models = ground.draw(LARGE, np.random.default_rng(crc32(ground.name.encode())))
    values, curves, weight = {}, {}, np.ones(LARGE)
    for model, p in models.items():
        if model == "second":
            continue
        rows = rows_of(y, p)
        for use in uses():
            values[use.key, model] = float(use.metric.bind(rows)(Batch.of(weight))[0])
        if model == "first":
            for name in DRAWN:
                curves[name] = CURVES[name].bind(rows, weight).estimate
    return values, curves


def block(ground: Ground, first: int, replicates: int) -> dict[str, dict[str, int]]:
    """Counts of some runs by cell."""
    counts: dict[str, Counter[str]] = {}
    for run in range(first, first + BLOCK):
        for cell, seen in one(ground, run, replicates).items():
            counts.setdefault(cell, Counter()).update(seen)
    return {cell: dict(seen) for cell, seen in counts.items()}


def one(ground: Ground, run: int, replicates: int) -> dict[str, Counter[str]]:
    """One sample, judged."""
    values, curves = truth(ground)
    rng = np.random.default_rng([crc32(ground.name.encode()), run])
    y, models = ground.draw(ground.n, rng)
    outcome = Column(y)
    plan = AnalysisPlan(
        dataset="sample", unit="y",
        models=tuple(
            ModelScores(n, n, Classes(y.astype(np.intp), p[:, None], ("0", "1"), "probability",
                                      outcome=outcome))
            for n, p in models.items()
        ),
        pairs=(("second", "first"), ("third", "first")),
        uses=uses(), curves=tuple(CURVES[name] for name in DRAWN), segments=(),
        design=Design("sample", len(y), replicates, run), level=0.95, interval="auto",
        adjust="none",
    )  # fmt: skip
    found = replicated(plan)
    told = [(w.key, w.model, w.code) for w in (*warnings(found), *calibrations(found)[1])
            if w.code in SHOWS]  # fmt: skip
    counts: dict[str, Counter[str]] = {}
    for e in estimates(found):
        if e.model == "first":
            counts[f"{e.key}|one"] = judged(values[e.key, "first"], e.low, e.high)
            counts[f"{e.key}|one"]["warned"] = warned(told, e.key, {"first"})
    for c in comparisons(found):
        kind = "equal" if c.candidate == "second" else "unequal"
        d = 0.0 if kind == "equal" else distance(values, c.key)
        seen = judged(d, c.low, c.high)
        if c.p_value is not None:
            seen |= {"tested": 1, "rejected": int(c.p_value <= 0.05)}
        seen["warned"] = warned(told, c.key, {c.candidate, "first"})
        counts[f"{c.key}|{kind}"] = seen
    for c in curve_results(found):
        if c.model == "first" and c.baseline is None:
            counts[f"{c.curve}|band"] = band(c, found, curves)
    return counts


def band(c, found, curves) -> Counter[str]:
    """Whether the whole true curve lies within the band where it has one."""
    key = CURVES[c.curve].key
    grid = found.parts[0].curves[key, "first"].grid
    x, low, high = (np.array([np.nan if v is None else v for v in each], float)
                    for each in (c.x, c.band_low, c.band_high))  # fmt: skip
    at = curves[c.curve]
    low, high = (np.interp(grid, x, each) for each in (low, high))
    known = np.isfinite(low) & np.isfinite(high)
    inside = ((at >= low - 1e-9) & (at <= high + 1e-9))[known]
    return Counter({"runs": 1, "held": int(inside.all())})


def distance(values: dict[tuple[str, str], float], key: str) -> float:
    """The true difference of the third and the first model, as the tool compares them."""
    third, first = values[key, "third"], values[key, "first"]
    best = {"zero": 0.0, "one": 1.0}.get(METRICS[key].better)
    return third - first if best is None else abs(third - best) - abs(first - best)


def judged(target: float, low: float | None, high: float | None) -> Counter[str]:
    """Where an interval lies against the truth; a missing one holds nothing."""
    if low is None or high is None:
        return Counter({"runs": 1, "undefined": 1})
    side = "above" if target > high else "below" if target < low else "held"
    return Counter({"runs": 1, side: 1})


def warned(told: list[tuple[str | None, str | None, str]], key: str, models: set[str]) -> int:
    """Whether a reader sees a warning beside the number."""
    return int(any(k in (None, key) and (m is None or m in models) for k, m, _ in told))


def main() -> None:
    """Run what is not there yet, or write the page."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--runs", type=int, default=400)
    parser.add_argument("--processes", type=int, default=1)
    parser.add_argument("--table", action="store_true")
    options = parser.parse_args()
    if options.table:
        PAGE.write_text(table(), encoding="utf-8")
        return
    lines = read()
    done = {(line["ground"], line["first"]) for line in lines}
    with ProcessPoolExecutor(options.processes) as pool:
        jobs = {
            pool.submit(block, ground, first, REPLICATES): (ground, first)
            for first in range(0, options.runs, BLOCK)
            for ground in GROUNDS
            if (ground.name, first) not in done
        }
        for job in as_completed(jobs):
            ground, first = jobs[job]
            line = {"ground": ground.name, "first": first, "replicates": REPLICATES,
                    "cells": job.result()}  # fmt: skip
            with RESULTS.open("a", encoding="utf-8") as file:
                file.write(json.dumps(line) + "\n")


def read() -> list[dict]:
    """The lines that are there."""
    if not RESULTS.exists():
        return []
    return [json.loads(line) for line in RESULTS.read_text(encoding="utf-8").splitlines()]


HEAD = """# Coverage of intervals of two classes

Made by `python benchmarks/coverage_classes.py`, then `--table`. Scores are binormal; of each
sample {replicates} resamples. Each row is a population and a measure; "held" is the share of the
95% intervals that hold the truth, "above" and "below" where the truth lay otherwise, "none" how
often there was no interval. "Warned" is the share of samples in which a warning stood beside the
number. "Size" is how often the test of equal models rejects at 5%. A red mark is under
{amber:.0%} held, an amber one under {green:.0%}. The truth is the value on {large:,} rows.
Figures are of few runs: their standard errors stand at the head of each table.

`partial_auc` and `discrimination` were measured again under 2,000 rows when the limits of the
latter came to allow for what the correction of its bias misses, and W101 to tell of few rows in the
window of the former.
"""


def table() -> str:
    """All that has been run, as a page."""
    total: dict[str, dict[str, Counter[str]]] = {}
    for line in read():
        cells = total.setdefault(line["ground"], {})
        for cell, seen in line["cells"].items():
            cells.setdefault(cell, Counter()).update(seen)
    parts = [HEAD.format(replicates=REPLICATES, amber=AMBER, green=GREEN, large=LARGE)]
    for ground, cells in total.items():
        runs = max(seen["runs"] for seen in cells.values())
        error = 100 * sqrt(0.95 * 0.05 / runs)
        parts.append(f"\n## {ground}\n\n{runs} runs; standard error of a share near 95%: ")
        parts.append(f"{error:.1f} points.\n\n")
        parts.append("| measure | of | held | below | above | none | mark | warned | size |\n")
        parts.append("| --- " * 9 + "|\n")
        parts.extend(_line(cell, seen) for cell, seen in cells.items())
    return "".join(parts)


def _line(cell: str, seen: Counter[str]) -> str:
    name, _, kind = cell.partition("|")
    runs = seen["runs"]
    share = {key: seen[key] / runs for key in ("held", "below", "above", "undefined", "warned")}
    mark = "red" if share["held"] < AMBER else "amber" if share["held"] < GREEN else "green"
    size = (
        f"{100 * seen['rejected'] / seen['tested']:.1f}"
        if kind == "equal" and seen["tested"]
        else ""
    )
    shown = [f"{100 * share[key]:.1f}" for key in ("held", "below", "above", "undefined")]
    of = {"one": "one model", "equal": "equal models", "unequal": "unequal models"}.get(kind, kind)
    return (
        f"| {name} | {of} | {' | '.join(shown)} | {mark} | {100 * share['warned']:.0f} | {size} |\n"
    )


if __name__ == "__main__":
    main()
