"""How often the influence intervals of tau-b and of the regression AUC hold the truth.

    python benchmarks/pairs.py [--runs 4000] [--processes 2]

Analytic intervals alone, so each run is cheap: two populations, one without ties and one of which
70 % is zero, at 100 and 500 rows; a good model, a poorer one, the difference of two equal ones and
that of unequal ones. Beside what `auto` takes stand other forms of the same standard error. The
truth is that of the coverage study. Written to benchmarks/results/pairs.md.
"""

from __future__ import annotations

import argparse
import json
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from math import atanh, sqrt, tanh
from multiprocessing import Pool
from pathlib import Path

import numpy as np
from populations import sample

from reportgen.inference.differences import build_contrast
from reportgen.inference.intervals import compute_interval
from reportgen.inference.resampled_intervals import critical_value
from reportgen.inference.sampling_distribution import SamplingDistribution
from reportgen.kernels.batch import Batch, Column
from reportgen.metrics import METRICS
from reportgen.metrics.rows import Amounts

RESULTS = Path(__file__).parent / "results"
METRICS_ASKED = ("kendall", "regression_auc")
CELLS = tuple((population, n) for population in ("normal", "zeros") for n in (100, 500))
TITLES = {"normal": "Normal, no ties", "zeros": "70 % zeros, the rest lognormal"}
DIFFERENCES = {"equal models": ("first", "second"), "unequal models": ("first", "third")}
LEVEL = 0.95
HEAD = """# Coverage of the influence intervals

Made by `python benchmarks/pairs.py`: {runs:,} runs a cell, nominal 95 %, so
±{noise:.1f} points. The goal is 93.5 to 97 %. `left` and `right`: runs in which the interval lies
below and above the truth, in %. `auto` is what a report takes. Other forms of the same standard
error stand beside it: plain, with t(n − 1) and n/(n − 1), and scaled: on atanh, which for a share
is the logit; their misses to the left and right in brackets.

"""
COLUMNS = (
    "population",
    "rows",
    "metric",
    "of",
    "by `auto`",
    "auto",
    "left",
    "right",
    "in the goal",
    "plain",
    "t",
    "scaled",
    "scaled t",
)


def main() -> None:
    """Run every cell and write the page."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--runs", type=int, default=4000)
    parser.add_argument("--processes", type=int, default=2)
    asked = parser.parse_args()
    with Pool(asked.processes) as pool:
        lines = [line for cell in CELLS for line in _lines(cell, asked.runs, pool.imap_unordered)]
    noise = 100 * 1.96 * sqrt(LEVEL * (1 - LEVEL) / asked.runs)
    page = HEAD.format(runs=asked.runs, noise=noise) + "\n".join([*_head(), *lines]) + "\n"
    (RESULTS / "pairs.md").write_text(page, encoding="utf-8")
    print(page)


def _head() -> Iterator[str]:
    yield f"| {' | '.join(COLUMNS)} |"
    yield f"| {' | '.join('---' for _ in COLUMNS)} |"


def _lines(cell: tuple[str, int], runs: int, spread: Callable[..., Iterator]) -> Iterator[str]:
    counts: dict[tuple[str, str], Counter[str]] = {}
    for found in spread(partial(_run, cell, _truth(cell[0])), range(runs), 50):
        for key, seen in found.items():
            counts.setdefault(key, Counter()).update(seen)
    for (metric, of), seen in sorted(counts.items()):
        share = {name: 100 * seen[name] / seen["runs"] for name in seen}
        method = next(name for name in seen if name.startswith("by "))[3:]
        covered = share["auto"]
        within = "yes" if 93.5 <= covered <= 97 else "no"
        yield (
            f"| {TITLES[cell[0]]} | {cell[1]} | {metric} | {of} | {method} | {covered:.1f} "
            f"| {share.get('left', 0):.1f} | {share.get('right', 0):.1f} | {within} "
            f"{_form(share, 'plain')}{_form(share, 't')}{_form(share, 'scaled')}"
            f"{_form(share, 'scaled t')}|"
        )


def _truth(population: str) -> Mapping[str, Mapping[str, list[float]]]:
    path = RESULTS / "coverage" / f"truth-{population}.json"
    found: Mapping[str, Mapping[str, list[float]]] = json.loads(path.read_text(encoding="utf-8"))
    return found


def _run(
    cell: tuple[str, int], truth: Mapping[str, Mapping[str, list[float]]], run: int
) -> dict[tuple[str, str], Counter[str]]:
    """Which intervals of one sample hold the truth."""
    population, n = cell
    rng = np.random.default_rng([sum(map(ord, population)), n, run])
    y, scores = sample(population, n, rng)
    shared, found = Column(y), {}
    for metric in METRICS_ASKED:
        known = {name: value for name, (value, _) in truth[metric].items()}
        # Two models of the same noise are equally good: what was found of both is one truth.
        known["first"] = known["second"] = (known["first"] + known["second"]) / 2
        seen = {name: _evidence(metric, Amounts(shared, score)) for name, score in scores.items()}
        for name in ("first", "third"):
            found[metric, f"the {name}"] = _judged(seen[name], known[name])
        for name, (one, other) in DIFFERENCES.items():
            difference = build_contrast(seen[one], seen[other], "higher")
            found[metric, name] = _judged(difference, known[one] - known[other])
    return found


def _evidence(metric: str, rows: Amounts) -> SamplingDistribution:
    bound, one = METRICS[metric].bind(rows), np.ones(len(rows))
    phi = bound.influence(one)
    assert phi is not None
    return SamplingDistribution(
        value=float(bound(Batch.from_weights(one))[0]),
        replicates=np.empty(0),
        estimand=bound.statistic.estimand,
        bounds=bound.statistic.bounds,
        n=len(rows),
        units=len(rows),
        influence=phi / len(rows),
        is_tied=rows.y.groups < len(rows),
    )


def _judged(evidence: SamplingDistribution, truth: float) -> Counter[str]:
    auto = compute_interval(evidence, "analytic", LEVEL)
    seen = Counter(runs=1, **{f"by {auto.method}": 1})
    seen["auto"] = int(auto.low <= truth <= auto.high)
    seen["left"], seen["right"] = int(auto.high < truth), int(auto.low > truth)
    for name, (low, high) in _forms(evidence).items():
        seen[name] = int(low <= truth <= high)
        seen[f"{name} left"], seen[f"{name} right"] = int(high < truth), int(low > truth)
    return seen


def _forms(evidence: SamplingDistribution) -> dict[str, tuple[float, float]]:
    theta, se, n = evidence.value, evidence.influence_se, evidence.units
    z, t = critical_value(LEVEL) * se, critical_value(LEVEL, n - 1) * se * sqrt(n / (n - 1))
    forms = {"plain": (theta - z, theta + z), "t": (theta - t, theta + t)}
    if evidence.is_difference:
        return forms
    low, high = evidence.bounds
    r = 2 * (theta - low) / (high - low) - 1
    for name, times in (("scaled", z), ("scaled t", t)):
        half = 2 * times / (high - low) / (1 - r**2)
        ends = [tanh(atanh(r) + side * half) for side in (-1, 1)]
        forms[name] = (
            low + (high - low) * (ends[0] + 1) / 2,
            low + (high - low) * (ends[1] + 1) / 2,
        )
    return forms


def _form(share: Mapping[str, float], name: str) -> str:
    if name not in share:
        return "| "
    return f"| {share[name]:.1f} ({share[f'{name} left']:.1f}, {share[f'{name} right']:.1f}) "


if __name__ == "__main__":
    main()
