"""How often rows that follow one another in time decide for a model that is no better.

    python benchmarks/time_order.py --runs 2000        the whole study, one process
    python benchmarks/time_order.py --table            the page from the counts

Two models have errors of one law, each autoregressive, with half of their variance in common, and
`time:` orders the rows. A third model, `better`, has smaller errors: how often it is found to be
better shows what the method costs. `warned` counts the data sets in which W152 is raised. Config,
plan, resamples, limits and verdicts are those of a run. Seeds are the numbers of the runs. Counts
are lines of benchmarks/results/time_order.jsonl; what is there is not run again.
"""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass, replace
from math import sqrt
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from zlib import crc32

import numpy as np
import pyarrow as pa
from blocks_of_runs import Cells, by_ground, go_on, read, summed
from pyarrow import feather

from reportgen.analysis.comparisons import iter_pairs, judge_in_families
from reportgen.analysis.dataset_analysis import draw_replicates
from reportgen.analysis.plan import ClassPlan
from reportgen.checks.comparisons import find_few_effective_times
from reportgen.config.sources import ConfigMapping
from reportgen.inference.analytic_intervals import wilson_limits
from reportgen.inference.resampling.replicates import limit_blas_threads
from reportgen.kernels.batch import Vector
from reportgen.planning.loading import load_config
from reportgen.planning.plan import build_analysis_plan
from reportgen.planning.requests import read_data
from reportgen.results.verdicts import word_side

RESULTS = Path(__file__).parent / "results" / "time_order.jsonl"
PAGE = Path(__file__).parent / "results" / "time-order.md"
METRICS = ("mae", "rmse", "kendall", "ranking_last")
MODELS = ("baseline", "equal", "better")
REPLICATES, BLOCK = 399, 100


@dataclass(frozen=True)
class Ground:
    """A law of errors: `kind` of serial dependence, and the number of times."""

    kind: str
    n: int

    @property
    def name(self) -> str:
        """The name of its lines."""
        return f"{self.kind} {self.n}"


KINDS = {
    "independent": "independent",
    "ar 0.5": "autoregressive, .5",
    "ar 0.9": "autoregressive, .9",
    "slow": "three quarters independent, the rest autoregressive, .9",
    "average": "moving average of five",
    "lognormal": "independent, lognormal",
}
GROUNDS = {g.name: g for g in (Ground(kind, n) for kind in KINDS for n in (50, 100, 400))}


def draw_errors(kind: str, n: int, draw: np.random.Generator) -> Vector:
    """Draw a series of variance one."""
    steps = draw.normal(size=n + 4)
    if kind == "slow":
        return sqrt(0.75) * steps[4:] + 0.5 * draw_errors("ar 0.9", n, draw)
    if kind == "average":
        return np.convolve(steps, np.ones(5) / sqrt(5), "valid")
    if not kind.startswith("ar"):
        return steps[4:]
    rho, series = float(kind.split()[1]), steps[4:]
    for t in range(1, n):
        series[t] = rho * series[t - 1] + sqrt(1 - rho**2) * series[t]
    return series


def draw_columns(ground: Ground, run: int) -> dict[str, Vector]:
    """Draw one data set: the times, the target and the score of each model."""
    draw = np.random.default_rng([crc32(ground.name.encode()), run])
    y = draw.normal(size=ground.n)
    shared = draw_errors(ground.kind, ground.n, draw)
    columns = {"t": np.arange(ground.n), "y": 50 + 10 * y}
    for model in MODELS:
        error = sqrt(0.5) * (shared + draw_errors(ground.kind, ground.n, draw))
        if ground.kind == "lognormal":
            error = np.exp(error) - 1
        columns[model] = columns["y"] + (4.5 if model == "better" else 6) * error
    return columns


def run_block(name: str, first: int, runs: int) -> Cells:
    """Run so many data sets of one ground, from a number on."""
    ground, counts = GROUNDS[name], []
    with ExitStack() as stack:
        stack.enter_context(limit_blas_threads())
        folder = Path(stack.enter_context(TemporaryDirectory()))
        write(ground, 0, folder)
        loaded = load_config(ConfigMapping(build_config(), folder), (), False, stack)
        for run in range(first, first + runs):
            write(ground, 1 + run, folder)
            (data,) = read_data(loaded)
            plan = build_analysis_plan(loaded.config, data.sample)
            plan = plan.with_design(replace(plan.sampling.design, seed=run))
            plan = plan.with_metrics_only(plan.statistics.metrics)
            drawn = draw_replicates(replace(plan, classes=ClassPlan()))
            counts.append(dict(count_verdicts(drawn)))
    return summed(counts)


def count_verdicts(drawn: Any) -> Iterator[tuple[str, Counter[str]]]:
    """Count what is said of each model on each metric."""
    whole = drawn.parts[0]
    for use in drawn.plan.statistics.metrics:
        for found in judge_in_families(drawn, list(iter_pairs(drawn, whole, use))):
            evidence, _ = drawn.difference(whole, use, found.candidate, found.baseline)
            is_warned = find_few_effective_times(evidence) is not None
            side = word_side(found.word)
            ends = found.low, found.high
            width = 0.0 if None in ends else 1e6 * (found.high - found.low)
            yield (
                f"{found.candidate}|{use.key}",
                Counter({"runs": 1, "decided": int(side != 0), "right": int(side > 0)})
                + Counter({"width": round(width), "warned": int(is_warned)}),
            )


def write(ground: Ground, run: int, folder: Path) -> None:
    """Write the rows of a run."""
    columns = pa.table(draw_columns(ground, run))
    feather.write_feather(columns, folder / "rows.feather", "uncompressed")


def build_config() -> dict[str, Any]:
    """Build the config of all grounds."""
    return {
        "version": 1,
        "report": {"title": "Times", "decision": "choose"},
        "task": "regression",
        "datasets": {"sample": {"path": "rows.feather", "id": "t", "target": "y", "time": "t"}},
        "models": {
            m: {"column": m, "role": "baseline" if m == MODELS[0] else "candidate"} for m in MODELS
        },
        "metrics": list(METRICS),
        "primary": {"metric": "mae"},
        "comparisons": {"adjust": "none"},
        "bootstrap": {"replicates": REPLICATES, "seed": 1},
        "outputs": ["json"],
    }


HEAD = """# Rows in the order of time: false claims, warnings and power

Made by `python benchmarks/time_order.py --table` from `benchmarks/results/time_order.jsonl`.
Errors of two models follow one law, with half of their variance in common, so neither is better. A
third model has errors of three quarters the size. `time:` orders the rows. Limits are at 95%, of
one comparison; resamples are {replicates}. In %: *false* counts data sets in which the equal model
is said to be better or worse, *warned* those in which W152 is raised for it, *found* those in which
the better model is found to be better. *Width* is the mean width of the interval of the equal
model, as a multiple of that for as many independent rows.

| errors | times | metric | data sets | false | warned | found | width |
| --- | --: | --- | --: | --: | --: | --: | --: |
"""


def write_page() -> str:
    """Write the page, as Markdown."""
    counted = by_ground(read(RESULTS))
    lines = [HEAD.format(replicates=REPLICATES).rstrip()]
    for name, ground in GROUNDS.items():
        plain = counted[Ground("independent", ground.n).name]
        for metric in METRICS:
            equal, better = (counted[name][f"{model}|{metric}"] for model in MODELS[1:])
            runs = equal["runs"]
            low, high = wilson_limits(equal["decided"] / runs, runs, 0.95)
            width = equal["width"] / plain[f"equal|{metric}"]["width"]
            width *= plain[f"equal|{metric}"]["runs"] / runs
            lines.append(
                f"| {KINDS[ground.kind]} | {ground.n} | `{metric}` | {runs:,} | "
                f"{100 * equal['decided'] / runs:.1f} ({100 * low:.1f} to {100 * high:.1f}) | "
                f"{100 * equal['warned'] / runs:.1f} | {100 * better['right'] / runs:.1f} | "
                f"{width:.2f} |"
            )
    return "\n".join(lines) + "\n"


def main() -> None:
    """Run what is not counted yet, or write the page."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--runs", type=int, default=2000)
    parser.add_argument("--table", action="store_true")
    options = parser.parse_args()
    jobs = {
        (name, first, BLOCK): {"ground": name, "first": first}
        for first in range(0, options.runs, BLOCK)
        for name in GROUNDS
    }
    if not options.table:
        go_on(RESULTS, jobs, run_block)
    PAGE.write_text(write_page(), encoding="utf-8")


if __name__ == "__main__":
    main()
