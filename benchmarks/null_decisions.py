"""How often the decision is wrong when no candidate is better than the baseline.

    python benchmarks/null_decisions.py --runs 2000          the whole study, two processes
    python benchmarks/null_decisions.py --table              the page from the counts

Each data set has a baseline and eight candidates. Given the target, all scores follow one law, and
the errors of any two models correlate by about one half; so no model is better than another on any
metric. The first k candidates are judged for k = 1, 2, 5 and 8, by `decision: replace` for one and
`decision: choose` for more, from the same resamples. One more model, `worse`, has larger errors. In
the cells “against a worse model” it is the baseline, so that all candidates are better than it and
equal to one another; there the pairs count, of which the report says which candidate is best.

Config, plan, resamples, families, limits and recommendation are those of a run; curves, segments,
re-analyses and pages are left out. Seeds are the numbers of the runs. Counts are lines of
benchmarks/results/null_decisions.jsonl, one for each block of runs; what is there is not run again.
"""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from functools import cache
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
from reportgen.analysis.dataset_analysis import DatasetAnalysis, draw_replicates
from reportgen.analysis.estimates import iter_metric_estimates
from reportgen.analysis.model_pairs import compute_model_pairs
from reportgen.analysis.plan import ClassPlan, PlannedMetric
from reportgen.config.loading import LoadedConfig
from reportgen.config.sources import ConfigMapping
from reportgen.inference.analytic_intervals import wilson_limits
from reportgen.inference.resampling.replicates import limit_blas_threads
from reportgen.kernels.batch import Vector
from reportgen.planning.loading import load_config
from reportgen.planning.metrics import plan_inference, plan_metrics
from reportgen.planning.plan import build_analysis_plan
from reportgen.planning.requests import read_data
from reportgen.planning.result_assembly import assemble_results
from reportgen.report.conclusion.evidence import recommend
from reportgen.report.selection import Selection
from reportgen.results import Results
from reportgen.results.core import Comparison, Estimate
from reportgen.results.verdicts import word_side

RESULTS = Path(__file__).parent / "results" / "null_decisions.jsonl"
PAGE = Path(__file__).parent / "results" / "null-decisions.md"
ROWS, QUERIES, DOCUMENTS, CLUSTERS = 400, 100, 10, 40
REPLICATES, BLOCK, MOST = 399, 100, 8
SIZES = (1, 2, 5, 8)
CANDIDATES = tuple(f"c{k}" for k in range(1, MOST + 1))
MODELS = ("worse", "baseline", *CANDIDATES)
PAIRS_EVERY = 4  # of so many data sets one is judged against `worse` too
MARGIN = 0.2  # standard errors of a difference
PILOT = 20  # data sets that the margin is chosen on, which are not judged
MOST_WRONG = 0.025
"""A wrong *Yes* lies on one side of a two-sided interval of 95%."""

Columns = dict[str, Vector]


@dataclass(frozen=True)
class Ground:
    """A law that data sets are drawn from: its task and metrics, each of which decides once.

    The errors of `worse` are `larger` than those of the other models by a factor.
    """

    name: str
    title: str
    task: str
    metrics: tuple[str, ...]
    n: int = ROWS
    cluster: str | None = None
    query: str | None = None
    larger: float = 2.5


AMOUNTS = ("mae", "kendall")
GROUNDS = {
    each.name: each
    for each in (
        Ground("normal", "Normal errors", "regression", AMOUNTS),
        Ground("lognormal", "lognormal amounts", "regression", AMOUNTS),
        Ground("zeros", "70% zeros", "regression", AMOUNTS, larger=4),
        Ground("ties", "ties", "regression", AMOUNTS),
        Ground("clusters", "40 clusters", "regression", AMOUNTS, cluster="unit"),
        Ground("rare", "5% positives", "binary", ("roc_auc", "log_loss"), larger=4),
        Ground("ranking", "ranking", "ranking", ("ndcg",), QUERIES * DOCUMENTS, query="unit"),
    )
}


def draw_columns(ground: Ground, run: int) -> Columns:
    """Draw one data set: the target `y`, the unit of each row, and the score of each model."""
    draw = np.random.default_rng([crc32(ground.name.encode()), run])
    n = ground.n
    unit = np.arange(n) // (n // CLUSTERS if ground.cluster else DOCUMENTS)
    latent = draw.normal(size=n)
    if ground.cluster:
        latent = sqrt(0.4) * draw.normal(size=CLUSTERS)[unit] + sqrt(0.6) * latent
    shared = _draw_errors(ground, unit, draw)
    errors = {m: sqrt(0.5) * (shared + _draw_errors(ground, unit, draw)) for m in MODELS}
    errors["worse"] = ground.larger * errors["worse"]
    y, scores = _observe(ground, latent, errors, draw)
    return {"row": np.arange(n), "y": y, "unit": unit, **scores}


def _draw_errors(ground: Ground, unit: Vector, draw: np.random.Generator) -> Vector:
    """Draw errors of variance one; where rows come in clusters, half of it is the cluster's."""
    own = draw.normal(size=len(unit))
    if not ground.cluster:
        return own
    return sqrt(0.5) * (draw.normal(size=CLUSTERS)[unit] + own)


def _observe(
    ground: Ground, latent: Vector, errors: Mapping[str, Vector], draw: np.random.Generator
) -> tuple[Vector, Columns]:
    """Return the target of what is latent, and each model's score of it."""
    if ground.name == "lognormal":
        return np.exp(3 + latent), {m: np.exp(3 + latent + 0.5 * e) for m, e in errors.items()}
    if ground.name == "zeros":
        y = np.where(latent > 0.5244, np.exp(3 + latent), 0.0)
        return y, {m: np.exp(1 + latent + 0.7 * e) for m, e in errors.items()}
    if ground.name == "ties":
        grid = {m: np.clip(np.round(3 + 1.2 * latent + e), 0, 6) for m, e in errors.items()}
        return np.clip(np.round(3 + 1.2 * latent), 0, 6), grid
    if ground.task == "binary":
        y = (draw.random(len(latent)) < _squash(-3.8 + 1.5 * latent)).astype(float)
        return y, {m: _squash(-3.8 + 1.3 * latent + 0.8 * e) for m, e in errors.items()}
    if ground.task == "ranking":
        y = np.digitize(latent, (0.3, 1.0, 1.6)).astype(float)
        return y, {m: latent + e for m, e in errors.items()}
    return 50 + 10 * latent, {m: 50 + 10 * latent + 6 * e for m, e in errors.items()}


def _squash(x: Vector) -> Vector:
    return np.asarray(1 / (1 + np.exp(-x)))


@dataclass(frozen=True)
class Question:
    """What a config asks: which metric decides, of how many candidates, against which baseline."""

    metric: str
    k: int
    baseline: str = "baseline"
    margin: float | None = None

    @property
    def is_null(self) -> bool:
        """Whether the baseline is as good as the candidates."""
        return self.baseline == "baseline"

    @property
    def name(self) -> str:
        """The name of its cell."""
        kind = "margin" if self.margin else "null" if self.is_null else "pairs"
        return f"{kind} {self.metric} {self.k}"


def list_questions(ground: Ground) -> Iterator[Question]:
    """List the questions about a data set: each metric decides once."""
    for metric in ground.metrics:
        yield from (Question(metric, k) for k in SIZES)
        yield Question(metric, 2, margin=find_margin(ground, metric))
        yield from (Question(metric, k, "worse") for k in SIZES[1:])


def build_config(ground: Ground, question: Question | None) -> dict[str, Any]:
    """Build the config of a question; without one, that of all models."""
    asked = question or Question(ground.metrics[0], MOST)
    names = (asked.baseline, *CANDIDATES[: asked.k]) if question else MODELS
    dataset = {"path": "rows.feather", "id": "row", "target": "y"}
    dataset |= {"cluster": ground.cluster} if ground.cluster else {}
    dataset |= {"query": ground.query} if ground.query else {}
    primary: dict[str, Any] = {"metric": asked.metric}
    primary |= {"margin": asked.margin} if asked.margin else {}
    metrics: list[Any] = [{"name": m, "k": 10} if m == "ndcg" else m for m in ground.metrics]
    made: dict[str, Any] = {
        "version": 1,
        "report": {"title": "Null", "decision": "replace" if asked.k == 1 else "choose"},
        "task": ground.task,
        "datasets": {"sample": dataset},
        "models": {
            m: {"column": m, "role": "baseline" if m == asked.baseline else "candidate"}
            for m in names
        },
        "metrics": metrics,
        "primary": primary,
        "bootstrap": {"replicates": REPLICATES, "seed": 1},
        "outputs": ["json"],
    }
    return made


class Asked:
    """A question about data sets of one ground: its plan and the results that its config gives."""

    def __init__(self, ground: Ground, question: Question, folder: Path, stack: ExitStack) -> None:
        self.question = question
        self.loaded = load(build_config(ground, question), folder, stack)
        config = self.loaded.config
        self.inference, self.metrics = plan_inference(config, "sample"), plan_metrics(config)
        self.bare = assemble_results(self.loaded, read_data(self.loaded), [None], {}, (), {})

    def judge(self, drawn: DatasetAnalysis) -> Results:
        """Judge the models asked about, from the resamples of all models.

        The values and the other metrics, each a family of its own, only stand in the way of a
        *Yes*. They are found where a candidate is better.
        """
        names = self.loaded.config.models
        plan = replace(
            drawn.plan,
            models=tuple(m for m in drawn.plan.models if m.name in names),
            statistics=replace(drawn.plan.statistics, metrics=self.metrics),
            inference=self.inference,
        )
        found, whole = replace(drawn, plan=plan), drawn.parts[0]
        primary = [use for use in self.metrics if use.is_primary]
        compared = self._compare(found, primary)
        estimates: tuple[Estimate, ...] = ()
        if self.question.is_null and any(word_side(c.word) > 0 for c in compared):
            compared = self._compare(found, self.metrics)
            each = (iter_metric_estimates(found, whole, use) for use in self.metrics)
            estimates = tuple(e for of_metric in each for e in of_metric)
        pairs = compute_model_pairs(found, compared)
        return replace(self.bare, estimates=estimates, comparisons=compared, pairs=pairs)

    def _compare(
        self, found: DatasetAnalysis, uses: Sequence[PlannedMetric]
    ) -> tuple[Comparison, ...]:
        pairs = [pair for use in uses for pair in iter_pairs(found, found.parts[0], use)]
        return tuple(judge_in_families(found, pairs))


def load(config: dict[str, Any], folder: Path, stack: ExitStack) -> LoadedConfig:
    """Load a config whose rows are in a folder."""
    return load_config(ConfigMapping(config, folder), (), False, stack)


class Laboratory:
    """One ground with its file of rows, which each run writes anew."""

    def __init__(self, ground: Ground, folder: Path, stack: ExitStack) -> None:
        self.ground, self.folder, self.stack = ground, folder, stack
        self.write(0)
        self.every = load(build_config(ground, None), folder, stack)

    def ask(self, question: Question) -> Asked:
        """Prepare a question."""
        return Asked(self.ground, question, self.folder, self.stack)

    def write(self, run: int) -> None:
        """Write the rows of a run."""
        columns = pa.table(draw_columns(self.ground, run))
        feather.write_feather(columns, self.folder / "rows.feather", "uncompressed")

    def draw(self, run: int) -> DatasetAnalysis:
        """Read the rows of a run as a report does, and draw all resamples."""
        self.write(run)
        (data,) = read_data(self.every)
        plan = build_analysis_plan(self.every.config, data.sample)
        plan = plan.with_design(replace(plan.sampling.design, seed=run))
        plan = plan.with_metrics_only(plan.statistics.metrics)
        return draw_replicates(replace(plan, classes=ClassPlan()))


def open_laboratory(ground: Ground, stack: ExitStack) -> Laboratory:
    """Open a ground in a folder that lasts as long as the stack."""
    stack.enter_context(limit_blas_threads())
    return Laboratory(ground, Path(stack.enter_context(TemporaryDirectory())), stack)


@cache
def find_margin(ground: Ground, metric: str) -> float:
    """Find a margin of MARGIN standard errors of a difference, on data sets that are not judged."""
    errors = []
    with ExitStack() as stack:
        place = open_laboratory(ground, stack)
        asked = place.ask(Question(metric, 1))
        for run in range(PILOT):
            results = asked.judge(place.draw(1_000_000 + run))
            errors += [c.se for c in results.comparisons if c.key.startswith(metric) and c.se]
    return float(f"{MARGIN * np.mean(errors):.2g}")


def count_answers(results: Results) -> Counter[str]:
    """Count what a report would say: the answer, whether any is better, what pairs are decided."""
    found = Selection(results)
    made = recommend(found, ())
    words = [c.word for c in results.comparisons if c.key == found.leading.key]
    sides = [word_side(word) for word in words]
    return Counter(
        {
            "runs": 1,
            made.answer: 1,
            "better": int(any(side > 0 for side in sides)),
            "worse": int(any(side < 0 for side in sides)),
            "several better": int(len(made.better) > 1),
            "decided": int(any(word_side(pair.word) for pair in results.pairs)),
            "no result": int("no result" in words),
        }
    )


def run_block(name: str, first: int, runs: int) -> Cells:
    """Run so many data sets of one ground, from a number on."""
    ground, counts = GROUNDS[name], []
    with ExitStack() as stack:
        place = open_laboratory(ground, stack)
        asked = [place.ask(question) for question in list_questions(ground)]
        for run in range(first, first + runs):
            drawn = place.draw(1 + run)
            chosen = [a for a in asked if a.question.is_null or run % PAIRS_EVERY == 0]
            counts.append({a.question.name: count_answers(a.judge(drawn)) for a in chosen})
    return summed(counts)


HEAD = """# How often the decision is wrong when no candidate is better

Made by `python benchmarks/null_decisions.py --table` from the counts in
`benchmarks/results/null_decisions.jsonl`; `--runs 2000` goes on where they end.

Every model follows one law given the target, so no candidate is better than the baseline on any
metric. The errors of any two models correlate by one half, or nearly so. A data set has {rows}
rows, of {clusters} clusters where these are declared, or {queries} queries of {documents}
documents. Resamples are {replicates}, the level is 95%, `adjust` is `bonferroni`, and all intervals
and tests are `auto`. One candidate is judged by `decision: replace`, more by `decision: choose`.
A margin is set in the rows *margin* alone: {margin} standard errors of a difference, chosen on
other data sets. Brackets hold the 95% interval of a share (Wilson). All rows of one law are about
the same data sets, so they are not independent of each other.

Scores that follow one law have differences that lie evenly about zero. Equally good models of
different kinds need not: [coverage](coverage.md) has the intervals of such models.
"""


@dataclass(frozen=True)
class Cell:
    """What was counted of one question on one ground."""

    ground: Ground
    kind: str
    metric: str
    k: int
    counts: Mapping[str, int]

    @property
    def name(self) -> str:
        """What it is, in words."""
        models = "1 candidate" if self.k == 1 else f"{self.k} candidates"
        margin = ", margin" if self.kind == "margin" else ""
        return f"{self.ground.title}, `{self.metric}`, {models}{margin}"

    def share(self, key: str, of: str = "runs") -> str:
        """Write the share of the data sets in which something was counted."""
        found, runs = self.counts.get(key, 0), self.counts.get(of, 0)
        if not runs:
            return "–"
        low, high = wilson_limits(found / runs, runs, 0.95)
        return f"{100 * found / runs:.1f} ({100 * low:.1f} to {100 * high:.1f})"

    def is_above(self, key: str, most: float, of: str = "runs") -> bool:
        """Tell whether a share is above a bound by more than the error of the simulation."""
        runs = self.counts.get(of, 0)
        found = self.counts.get(key, 0)
        return bool(runs) and wilson_limits(found / runs, runs, 0.95)[0] > most


def list_cells(path: Path) -> list[Cell]:
    """List every cell that was counted."""
    found = []
    counted = by_ground(read(path))
    for name in (name for name in GROUNDS if name in counted):
        for cell, counts in counted[name].items():
            kind, metric, k = cell.split()
            found.append(Cell(GROUNDS[name], kind, metric, int(k), counts))
    return found


def write_page(path: Path) -> str:
    """Write the page, as Markdown."""
    every = list_cells(path)
    null = [cell for cell in every if cell.kind != "pairs"]
    head = HEAD.format(
        rows=ROWS,
        clusters=CLUSTERS,
        queries=QUERIES,
        documents=DOCUMENTS,
        replicates=REPLICATES,
        margin=MARGIN,
    )
    pairs = [cell for cell in every if cell.kind == "pairs"]
    return "\n".join([head, *_write_null(null), *_write_pairs(pairs)]) + "\n"


def _write_null(cells: Sequence[Cell]) -> Iterator[str]:
    yield "## A wrong Yes, in %\n"
    for key, what in (("yes", "answer *Yes*"), ("better", "any candidate better")):
        above = [cell for cell in cells if cell.is_above(key, MOST_WRONG)]
        count = f"{len(above)} of {len(cells)} cells"
        yield f"**Above {100 * MOST_WRONG}% beyond simulation error, {what}**: {count}.\n"
        yield from (f"- {cell.name}: {cell.share(key)}" for cell in above)
        yield from [""] if above else []
    yield "| law | metric | candidates | data sets | answer Yes | any better | any worse |"
    yield "| --- | --- | --: | --: | --: | --: | --: |"
    for cell in cells:
        k = f"{cell.k}, margin" if cell.kind == "margin" else cell.k
        shares = " | ".join(map(cell.share, ("yes", "better", "worse")))
        yield (
            f"| {cell.ground.title} | `{cell.metric}` | {k} | {cell.counts['runs']:,} | {shares} |"
        )


def _write_pairs(cells: Sequence[Cell]) -> Iterator[str]:
    of = "several better"
    above = [cell for cell in cells if cell.is_above("decided", 2 * MOST_WRONG, of)]
    yield f"""
## A wrong best one, in %

The baseline is a model with larger errors, so that the candidates are better than it and equal to
one another. Of the data sets with several better candidates, the share in which one of these is
said to be better than another.

Limits allow for as many comparisons as there are other better candidates. Nothing allows for the
choice of the best on the same rows, so with many candidates the share passes 5%.

**Above {100 * 2 * MOST_WRONG:.0f}% beyond simulation error**: {len(above)} of {len(cells)} cells.
"""
    yield from (f"- {cell.name}: {cell.share('decided', of)}" for cell in above)
    yield """
| law | metric | candidates | data sets | with several better | a pair is decided |
| --- | --- | --: | --: | --: | --: |"""
    for cell in cells:
        runs, several = cell.counts["runs"], cell.counts.get(of, 0)
        yield (
            f"| {cell.ground.title} | `{cell.metric}` | {cell.k} | {runs:,} | {several:,} | "
            f"{cell.share('decided', of)} |"
        )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--runs", type=int, default=2000)
    parser.add_argument("--processes", type=int, default=2)
    parser.add_argument("--table", action="store_true")
    parser.add_argument("--check", action="store_true", help="fail where a cell is above its bound")
    options = parser.parse_args()
    jobs = {
        (name, first, BLOCK): {"ground": name, "first": first}
        for first in range(0, options.runs, BLOCK)
        for name in GROUNDS
    }
    if not options.table:
        go_on(RESULTS, jobs, run_block, options.processes)
    PAGE.write_text(write_page(RESULTS), encoding="utf-8")
    null = [cell for cell in list_cells(RESULTS) if cell.kind != "pairs"]
    failed = [cell for cell in null if cell.is_above("better", MOST_WRONG)]
    for cell in failed:
        print(f"{cell.name}: any better in {cell.share('better')} % of data sets")
    if options.check and failed:
        raise SystemExit(1)


if __name__ == "__main__":
    main()
