"""How often intervals of measures of two classes hold the truth, and tests reject what is true.

    python benchmarks/coverage_classes.py [--runs 400] [--of curves]   goes on where it stopped
    python benchmarks/coverage_classes.py --table         writes the page of what has been run

A cell is a population (how many positives are expected, which share they are, how well scores
tell classes apart, whether probabilities are right, whether rows are weighted or clustered), a
measure, and what is judged: one model, or the difference of two. Of the pairs one is of models
equally good, the other not. Every sample goes the way of a report's data. Blocks of runs are lines
of benchmarks/results/coverage_classes.jsonl; truths are found on a million rows.
"""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any
from zlib import crc32

import numpy as np
from blocks_of_runs import Cells, go_on, read, summed
from class_grounds import COSTS, FRESH, PLAIN, SHAPED, Ground, rows_of
from class_page import table
from plans import make_plan

from reportgen.analysis.calibration import compute_calibrations
from reportgen.analysis.comparisons import iter_comparisons
from reportgen.analysis.curves import BY_CHANCE, iter_curve_results
from reportgen.analysis.dataset_analysis import DatasetAnalysis, draw_replicates
from reportgen.analysis.estimates import iter_estimates
from reportgen.analysis.plan import AnalysisPlan, ModelScores, PlannedMetric
from reportgen.analysis.warnings import iter_warnings
from reportgen.inference.resampling.design import Design
from reportgen.kernels.batch import Batch, Column, Vector
from reportgen.metrics import METRICS
from reportgen.metrics.curves import CURVES, Curve
from reportgen.metrics.rows import Classes
from reportgen.results.curves import CurveResult
from reportgen.results.types import RaisedWarning

RESULTS = Path(__file__).parent / "results" / "coverage_classes.jsonl"
PAGE = Path(__file__).parent / "results" / "coverage_classes.md"
BLOCK, LARGE, REPLICATES = 20, 1_000_000, 499
UNSEEN, OF_CALLS = 500_100, 700_100  # the first runs: nobody had looked at those from there on
OFTEN, OF_OFTEN = 4000, 900_000  # runs of the few cells that are judged more often, and the first
CALLED, TOP = {"threshold": 0.3}, {"share": 0.1}
Asked = tuple[str, dict[str, Any]]
CORE: tuple[Asked, ...] = (
    ("roc_auc", {}),
    ("average_precision", {}),
    ("pr_auc", {}),
    ("partial_auc", {}),
    ("log_loss", {}),
    ("brier", {}),
    ("brier_skill", {}),
    ("calibration_bias", {}),
    ("calibration_slope", {}),
    ("calibration_intercept", {}),
    ("oe_ratio", {}),
)
KS: Asked = ("ks", {})
FITTED: tuple[Asked, ...] = (("miscalibration", {}), ("discrimination", {}), ("h_measure", {}))
AT_CALLS: tuple[Asked, ...] = (
    ("accuracy", CALLED),
    ("recall", CALLED),
    ("precision", CALLED),
    ("f", CALLED),
    ("specificity", CALLED),
    ("npv", CALLED),
    ("f", {"beta": 2, **CALLED}),
    ("jaccard", CALLED),
    ("g_mean", CALLED),
    ("balanced_accuracy", CALLED),
    ("youden", CALLED),
    ("mcc", CALLED),
    ("kappa", CALLED),
    ("lr_positive", CALLED),
    ("lr_negative", CALLED),
    ("odds_ratio", CALLED),
    ("misclassification_cost", {**COSTS, **CALLED}),
    ("net_benefit", CALLED),
    ("capture", TOP),
    ("lift", TOP),
    ("binary_fap", TOP),
)
NEWER: tuple[Asked, ...] = (
    ("binary_recall_at", {"fpr": 0.1}),
    ("fpr_at", {"recall": 0.8}),
    ("binary_precision_at", {"recall": 0.8}),
    ("binary_ranking_last", {}),
    ("binary_ranking_slope", {}),
    ("decayed_auc", {"half_life": 20}),
    ("log_loss_skill", {}),
    ("calibration_error", {}),
)
DRAWN = (
    "roc",
    "det",
    "precision_recall",
    "reliability",
    "reliability_bins",
    "decision_curve",
    "cumulative_gains",
    "cumulative_cost",
    "cost_lines",
    "brier_curve",
)
SHOWS = {
    "W101",
    "W103",
    "W104",
    "W105",
    "W106",
    "W108",
    "W109",
    "W112",
    "W118",
    "W119",
    "W120",
    "W123",
    "W127",
    "W130",
}
Values = Mapping[tuple[str, str], float]
Told = list[tuple[str | None, str | None, str]]


@dataclass(frozen=True)
class Set:
    """Measures and curves that are judged together, under the name that lines of counts have.

    `first` is the number of their first run; `runs` is how many there are, where that is not
    asked. With `is_of_probabilities` warnings of models that have none right count as well.
    """

    name: str
    grounds: tuple[Ground, ...]
    first: int
    measures: tuple[Asked, ...] = ()
    drawn: tuple[str, ...] = ()
    runs: int | None = None
    is_of_probabilities: bool = False

    def blocks(self, runs: int) -> range:
        """The first run of each block, of so many runs unless it has a number of its own."""
        return range(self.first, self.first + (self.runs or runs), BLOCK)

    @property
    def uses(self) -> tuple[PlannedMetric, ...]:
        """The measures as a config asks for them."""
        return uses(self.measures)

    @property
    def curves(self) -> tuple[Curve, ...]:
        """The curves likewise."""
        return tuple(CURVES[name] for name in self.drawn)


EVERY = (*PLAIN, *SHAPED, *FRESH)
HARD = (PLAIN[1], SHAPED[4])
"""Few positives, and clusters: where limits are hardest to get right."""
SETS = {
    each.name: each
    for each in (
        Set("measures", EVERY, UNSEEN, (*CORE, *NEWER, KS, *FITTED), is_of_probabilities=True),
        Set("calls", EVERY, OF_CALLS, AT_CALLS),
        Set("curves", EVERY, UNSEEN, drawn=DRAWN),
        Set(
            "more of measures",
            HARD,
            OF_OFTEN,
            (("roc_auc", {}), ("log_loss", {}), ("brier", {})),
            runs=OFTEN,
            is_of_probabilities=True,
        ),
        Set("more of calls", HARD, OF_OFTEN, AT_CALLS[1:4], runs=OFTEN),
    )
}


def uses(measures: Iterable[Asked]) -> tuple[PlannedMetric, ...]:
    """Measures as a config asks for them, each under a key of its own."""
    found = []
    for name, params in measures:
        metric = METRICS[name].use(**params)
        key = metric.request_name + (f" beta {params['beta']}" if "beta" in params else "")
        found.append(PlannedMetric(key, metric, None, name == "roc_auc"))
    return tuple(found)


class Truth:
    """A curve of many rows, at its own positions or as many others.

    Thresholds are finer where positives are rare, so that samples may have more or fewer of them.
    """

    def __init__(self, curve: Curve, rows: Classes, weight: Vector) -> None:
        bound = curve.bind(rows, weight)
        self._fast, self._rows, self._batch = curve.fast, rows, Batch.from_weights(weight)
        self._known = {len(bound.grid): bound.estimate}

    def at(self, grid: Vector) -> Vector:
        """Its heights there."""
        if len(grid) not in self._known:
            self._known[len(grid)] = self._fast(self._rows, self._batch, grid)[0]
        return self._known[len(grid)]


@cache
def truth(ground: Ground, asked: str) -> tuple[dict[tuple[str, str], float], dict[str, Any]]:
    """Values of every measure and model on many rows, and the curves."""
    drawn = ground.draw(LARGE, np.random.default_rng(crc32(ground.name.encode())))
    weight = np.ones(LARGE) if drawn.weight is None else drawn.weight
    values, curves = {}, {}
    for model, p in drawn.models.items():
        if model == "second":
            continue
        rows = rows_of(drawn.y, p)
        for use in SETS[asked].uses:
            values[use.key, model] = float(use.metric.bind(rows)(Batch.from_weights(weight))[0])
        for curve in SETS[asked].curves:
            curves[curve.name, model] = Truth(curve, rows, weight)
    return values, curves


def block(ground: Ground, asked: str, first: int) -> Cells:
    """Counts of some runs by cell."""
    return summed(one(ground, asked, run) for run in range(first, first + BLOCK))


def one(ground: Ground, asked: str, run: int) -> dict[str, Counter[str]]:
    """One sample, judged."""
    values, curves = truth(ground, asked)
    rng = np.random.default_rng([crc32(ground.name.encode()), run])
    found = draw_replicates(planned(ground, asked, run, rng))
    of_models = compute_calibrations(found)[1] if SETS[asked].is_of_probabilities else ()
    counts = counted(found, values, (*iter_warnings(found), *of_models))
    for each in iter_curve_results(found):
        counts |= judged_curve(each, found, curves, ground)
    return counts


def counted(
    found: DatasetAnalysis, values: Values, raised: Iterable[RaisedWarning]
) -> dict[str, Counter[str]]:
    """How the intervals and tests of a sample fare against the true values by key and model.

    A second model without a value of its own is as good as the first.
    """
    by_key = {use.key: use for use in found.plan.statistics.metrics}
    told = [(w.key, w.model, w.code) for w in raised if w.code in SHOWS]
    counts: dict[str, Counter[str]] = {}
    for e in iter_estimates(found):
        if e.model == "first":
            seen = judged(values[e.key, "first"], e.low, e.high)
            counts[f"{e.key}|one"] = seen + beside(told, e.key, {"first"})
    for c in iter_comparisons(found):
        kind = "equal" if c.candidate == "second" else "unequal"
        seen = judged(distance(values, by_key[c.key], c.candidate), c.low, c.high)
        if c.p_value is not None:
            seen += Counter({"tested": 1, "rejected": int(c.p_value <= 0.05)})
        counts[f"{c.key}|{kind}"] = seen + beside(told, c.key, {c.candidate, "first"})
    return counts


def planned(ground: Ground, asked: str, run: int, rng: np.random.Generator) -> AnalysisPlan:
    """A sample with all that is asked of it."""
    drawn = ground.draw(ground.n, rng)
    outcome = Column(drawn.y)
    return make_plan(
        dataset="sample",
        models=tuple(
            ModelScores(n, n, rows_of(drawn.y, p, outcome)) for n, p in drawn.models.items()
        ),
        pairs=(("second", "first"), ("third", "first")),
        metrics=SETS[asked].uses,
        curves=SETS[asked].curves,
        design=Design("sample", ground.n, REPLICATES, run, drawn.weight, drawn.unit),
        is_ordered=drawn.unit is not None,
    )


def judged_curve(
    c: CurveResult, found: DatasetAnalysis, curves: dict[str, Any], ground: Ground
) -> dict[str, Counter[str]]:
    """Whether the whole true curve lies within the band where it has one; of one model, or 0.

    A band of what right probabilities would show is to hold the curve itself, if they are right.
    """
    limits = [
        np.array([np.nan if v is None else v for v in each], float)
        for each in (c.x, c.y, c.band_low, c.band_high)
    ]
    x, y, low, high = limits
    if not len(low) or c.curve not in {curve.name for curve in found.plan.statistics.curves}:
        return {}
    if c.method == BY_CHANCE:
        is_asked = c.model == "first" and ground.slope == 1 and not ground.clusters
        return {f"{c.curve}|by chance": inside(y, low, high)} if is_asked else {}
    if c.baseline is None and c.model != "first":
        return {}
    own = found.parts[0].curves[_key(found, c.curve), "first"].grid
    at = curves[c.curve, "first"].at(own)
    if len(x) != len(own) or not np.array_equal(x, np.round(own, 12)):
        low, high = (np.interp(own, x, each) for each in (low, high))
    if c.baseline is None:
        return {f"{c.curve}|band": inside(at, low, high)}
    if c.model == "second":
        return {f"{c.curve}|equal bands": inside(np.zeros(len(own)), low, high)}
    return {f"{c.curve}|unequal bands": inside(curves[c.curve, "third"].at(own) - at, low, high)}


def _key(found: DatasetAnalysis, curve: str) -> str:
    return next(each.key for each in found.plan.statistics.curves if each.name == curve)


def inside(at: Vector, low: Vector, high: Vector) -> Counter[str]:
    """Whether a curve lies between limits wherever there are any."""
    known = np.isfinite(low) & np.isfinite(high)
    if not known.any():
        return Counter({"runs": 1, "undefined": 1})
    held = ((at >= low - 1e-9) & (at <= high + 1e-9))[known].all()
    return Counter({"runs": 1, "held": int(held)})


def distance(values: Values, use: PlannedMetric, candidate: str) -> float:
    """The true difference of a model and the first, as the tool compares them."""
    first = values[use.key, "first"]
    own = values.get((use.key, candidate), first)
    best = {"zero": 0.0, "one": 1.0}.get(use.metric.better)
    return own - first if best is None else abs(own - best) - abs(first - best)


def judged(target: float, low: float | None, high: float | None) -> Counter[str]:
    """Where an interval lies against the truth; a missing one holds nothing."""
    if low is None or high is None:
        return Counter({"runs": 1, "undefined": 1})
    side = "above" if target > high else "below" if target < low else "held"
    return Counter({"runs": 1, side: 1})


def beside(told: Told, key: str, models: set[str]) -> Counter[str]:
    """Whether a reader sees a warning beside the number, and which."""
    codes = {code for k, m, code in told if k in (None, key) and (m is None or m in models)}
    return Counter({"warned": int(bool(codes)), **dict.fromkeys(codes, 1)})


def warned(told: Told, key: str, models: set[str]) -> int:
    """Whether a reader sees a warning beside the number."""
    return beside(told, key, models)["warned"]


def main() -> None:
    """Run what is not there yet, or write the page."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--runs", type=int, default=400)
    parser.add_argument("--of", choices=tuple(SETS), nargs="+", default=tuple(SETS))
    parser.add_argument("--rows", type=int, default=10_000, help="of the largest population")
    parser.add_argument("--processes", type=int, default=1)
    parser.add_argument("--table", action="store_true")
    options = parser.parse_args()
    if options.table:
        PAGE.write_text(table(read(RESULTS)), encoding="utf-8")
        return
    jobs = {
        (ground, asked, first): {
            "ground": ground.name,
            "of": asked,
            "first": first,
            "replicates": REPLICATES,
        }
        for asked in options.of
        for first in SETS[asked].blocks(options.runs)
        for ground in SETS[asked].grounds
        if ground.n <= options.rows
    }
    go_on(RESULTS, jobs, block, options.processes)


if __name__ == "__main__":
    main()
