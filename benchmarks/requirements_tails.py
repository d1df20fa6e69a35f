"""How often a requirement is met where the truth lies exactly on its bound, by the tail of errors.

python benchmarks/requirements_tails.py --runs 2000       the whole study
"""

from __future__ import annotations

import argparse
import json
import zlib
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import cache
from math import exp, sqrt
from pathlib import Path
from statistics import fmean

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr, ndtri

from reportgen.analysis.plan import PlannedMetric
from reportgen.checks.heavy_tails import UnitTails, describe_heavy_tail, measure_tail_reach
from reportgen.inference.differences import build_contrast
from reportgen.inference.intervals import compute_interval
from reportgen.inference.resampling.studentize import compute_replicate_errors, multiply_unit_sums
from reportgen.inference.sampling_distribution import RootDistribution, SamplingDistribution
from reportgen.kernels.batch import Batch, Column, Vector
from reportgen.metrics import METRICS
from reportgen.metrics.metric import BoundMetric, find_amount_error
from reportgen.metrics.rows import Amounts

Sample = tuple[Vector, dict[str, Vector]]
Draw = Callable[[np.random.Generator, int], Vector]

NOISE = {"first": 0.5, "second": 0.5, "third": 0.8}
LEFT = 0.3  # sd of what no model knows
LOG_SD = sqrt(2)
ZEROS = 0.7
PARAMS: Mapping[str, Mapping[str, float]] = {
    "pinball": {"alpha": 0.9},
    "topk_capture": {"share": 0.1},
}
SIGNED = ("mae", "rmse", "r2", "median_ae", "bias", "pinball", "pearson")
AMOUNTS = (*SIGNED, "mape", "wape", "topk_capture")
PAIRS = (("second", "first"), ("third", "first"))


def _normal(rng: np.random.Generator, n: int) -> Vector:
    return rng.standard_normal(n)


def _laplace(rng: np.random.Generator, n: int) -> Vector:
    return rng.laplace(0, 1, n)


def _t3(rng: np.random.Generator, n: int) -> Vector:
    return rng.standard_t(3, n)


def _signed_lognormal(rng: np.random.Generator, n: int) -> Vector:
    return np.exp(LOG_SD * rng.standard_normal(n)) * rng.choice((-1.0, 1.0), n)


def _pareto(rng: np.random.Generator, n: int) -> Vector:
    return rng.pareto(2.5, n) + 1 - 2.5 / 1.5  # less its mean


@dataclass(frozen=True)
class Population:
    """Errors of one kind: of plain numbers, or on the log scale of amounts."""

    name: str
    words: str
    error: Draw = _normal
    squares: float = 1.0
    scale: float = 1.0
    is_of_amounts: bool = False
    zeros: float = 0.0

    @property
    def metrics(self) -> tuple[str, ...]:
        """The metrics that are studied on it."""
        if not self.is_of_amounts:
            return SIGNED
        return tuple(n for n in AMOUNTS if n != "mape" or not self.zeros)

    def sample(self, n: int, rng: np.random.Generator) -> Sample:
        """What happened, and what each model says of it."""
        if not self.is_of_amounts:
            known, left = rng.standard_normal((2, n))
            said = {name: known + d * self.error(rng, n) for name, d in NOISE.items()}
            return known + LEFT * left, said
        known, left, *own = rng.standard_normal((2 + len(NOISE), n))
        latent = known + left
        y = np.exp(self.scale * latent)
        if self.zeros:
            y = np.where(latent > sqrt(2) * ndtri(self.zeros), y, 0.0)
        said = zip(NOISE.items(), own, strict=True)
        return y, {name: np.exp(self.scale * (known + d * each)) for (name, d), each in said}


POPULATIONS = {
    each.name: each
    for each in (
        Population("normal", "Normal errors", _normal, 1.0),
        Population("laplace", "Laplace errors", _laplace, 2.0),
        Population("t3", "errors of t(3)", _t3, 3.0),
        Population("pareto", "Pareto errors, index 2.5", _pareto, 5 - (2.5 / 1.5) ** 2),
        Population("wild", "lognormal errors", _signed_lognormal, exp(2 * LOG_SD**2)),
        Population("mild", "lognormal amounts, σ 0.7", scale=0.5, is_of_amounts=True),
        Population("lognormal", "lognormal amounts, σ 1.4", is_of_amounts=True),
        Population("zeros", "70 % zeros, others lognormal", is_of_amounts=True, zeros=ZEROS),
    )
}


def _moments(p: Population, d: float) -> tuple[float, float, float, float, float]:
    """E y, E y², E s, E s², E ys where they have a closed form."""
    if not p.is_of_amounts:
        return 0.0, 1 + LEFT**2, 0.0, 1 + d**2 * p.squares, 1.0
    c, v = p.scale, 1 + d**2
    cut = sqrt(2) * ndtri(p.zeros) if p.zeros else -np.inf
    # Over rows above the cut: E exp(c·latent), E exp(2c·latent), E exp(c(latent + known)).
    above = [float(ndtr((m - cut) / sqrt(2))) for m in (2 * c, 4 * c, 3 * c)]
    y1, y2 = exp(c**2) * above[0], exp(4 * c**2) * above[1]
    return y1, y2, exp(c**2 * v / 2), exp(2 * c**2 * v), exp(c**2 * (2.5 + d**2 / 2)) * above[2]


@cache
def truth(name: str) -> dict[str, dict[str, float]]:
    """The value of each metric for each model: by its closed form, or on four million rows."""
    p = POPULATIONS[name]
    rng = np.random.default_rng(zlib.crc32(f"truth of {name}".encode()))
    one = Batch(np.ones((250_000, 1), np.uint8))
    found: dict[str, dict[str, list[float]]] = {m: {k: [] for k in NOISE} for m in p.metrics}
    for _ in range(16):
        y, scores = p.sample(250_000, rng)
        shared = Column(y)
        for model, score in scores.items():
            rows = Amounts(shared, score)
            for use in uses(p):
                found[use.key][model].append(float(use.metric.bind(rows)(one)[0]))
    known = {m: {k: fmean(v) for k, v in each.items()} for m, each in found.items()}
    for model, d in NOISE.items():
        y1, y2, s1, s2, both = _moments(p, d)
        squared, spread = y2 - 2 * both + s2, y2 - y1**2
        known["bias"][model] = s1 - y1
        known["rmse"][model] = sqrt(squared)
        known["r2"][model] = 1 - squared / spread
        known["pearson"][model] = (both - y1 * s1) / sqrt(spread * (s2 - s1**2))
    return known


def uses(p: Population) -> tuple[PlannedMetric, ...]:
    return tuple(PlannedMetric(n, METRICS[n].use(**PARAMS.get(n, {}))) for n in p.metrics)


@dataclass(frozen=True)
class Bound:
    """A metric of each model on one sample, and the resamples that all samples share."""

    rows: Mapping[str, Amounts]
    counts: NDArray[np.float64]
    batch: Batch
    known: dict[tuple[str, str], SamplingDistribution] = field(default_factory=dict)
    metrics: dict[tuple[str, str], BoundMetric] = field(default_factory=dict)

    def bind(self, use: PlannedMetric, model: str) -> BoundMetric:
        """The metric on the rows of a model."""
        if (use.key, model) not in self.metrics:
            self.metrics[use.key, model] = use.metric.bind(self.rows[model])
        return self.metrics[use.key, model]

    def evidence(self, use: PlannedMetric, model: str) -> SamplingDistribution:
        """What an analysis knows of a value, from the same functions."""
        if (use.key, model) not in self.known:
            self.known[use.key, model] = self._evidence(use, model)
        return self.known[use.key, model]

    def _evidence(self, use: PlannedMetric, model: str) -> SamplingDistribution:
        bound = self.bind(use, model)
        n = len(self.rows[model])
        one, influence = np.ones(n), bound.influence(np.ones(n))
        edge = bound.smoothed_influence(one)
        losses = bound.losses
        replicates, errors = self._replicate(bound)
        if use.metric.estimand.scale == "one minus positive":
            errors = None  # its limits read the replicates alone
        return SamplingDistribution(
            value=float(bound(Batch.from_weights(one))[0]),
            replicates=replicates,
            estimand=use.metric.estimand,
            bounds=use.metric.bounds,
            n=n,
            units=n,
            influence=None if influence is None else influence / n,
            smoothed=None if edge is None else edge / n,
            replicate_se=errors,
            contributions=None if losses is None else losses / n,
            shares=None if losses is None else one / n,
            trials=float(n),
        )

    def difference(self, use: PlannedMetric, candidate: str, baseline: str) -> SamplingDistribution:
        """What an analysis knows of a paired difference."""
        errors = None
        if use.metric.estimand.of == "means" and use.key != "r2":  # of a mean by Student's t
            bound = [self.bind(use, model) for model in (candidate, baseline)]
            _, errors = self._replicate(*bound)
        each = (self.evidence(use, model) for model in (candidate, baseline))
        found = build_contrast(*each, use.metric.better, errors)
        if use.key != "r2":
            return found
        root = self.difference(MSE, candidate, baseline)
        slope = -1 / float(np.var(self.rows[candidate].y.values))
        return replace(found, basis=RootDistribution(root, (0.0, slope), -1.0))

    def _replicate(self, *bound: BoundMetric) -> tuple[Vector, Vector | None]:
        """Replicates of a value or a difference, and their standard errors if it is of means."""
        if not all(each.is_of_means for each in bound):
            return bound[0](self.batch), None
        parts = [np.asarray(each.columns, dtype=np.float64) for each in bound]
        ends = np.cumsum([part.shape[1] for part in parts])[:-1]

        def finish(means: NDArray[np.float64]) -> Vector:
            values = [
                one._finish_means(part)
                for one, part in zip(bound, np.split(means, ends, axis=1), strict=True)
            ]
            return values[0] if len(values) == 1 else values[0] - values[1]

        unit = np.column_stack([np.ones(len(parts[0])), *parts])
        sums, products = self.counts @ unit, self.counts @ multiply_unit_sums(unit)
        errors = compute_replicate_errors(sums, products, finish)
        return finish(sums[:, 1:] / sums[:, :1]), errors


MSE = PlannedMetric("mse", METRICS["mse"].use())


@cache
def draw_counts(n: int, replicates: int) -> tuple[NDArray[np.float64], Batch]:
    """Resamples that all samples of a size share."""
    counts = np.random.default_rng(n).multinomial(n, np.full(n, 1 / n), replicates)
    return counts.astype(np.float64), Batch(np.ascontiguousarray(counts.T.astype(np.uint8)))


def bind(p: Population, n: int, run: int, replicates: int, salt: str = "") -> Bound:
    """One sample of a population."""
    seed = zlib.crc32(f"{salt}{p.name}-{n}".encode())
    y, scores = p.sample(n, np.random.default_rng([seed, run]))
    shared = Column(y)
    rows = {name: Amounts(shared, score) for name, score in scores.items()}
    return Bound(rows, *draw_counts(n, replicates))


BLOCK, REPLICATES, ROWS = 250, 199, (100, 150, 50, 400)
RESULTS = Path(__file__).parent / "results" / "requirements_tails.jsonl"
NO_BIAS = 0.02  # under which a bound on a bias can never be met
OF_ONE = ("bias", "pearson", "median_ae", "topk_capture")  # no margin is studied on them
LEVEL = 0.95


def find_tail(bound: Bound, use: PlannedMetric, model: str) -> UnitTails:
    """What single rows hold of a value, as an analysis builds it."""
    evidence, rows = bound.evidence(use, model), bound.rows[model]
    sides = bound.bind(use, model).sides
    error = find_amount_error(use.metric, rows) if sides is None else sides.error
    centred = None if error is None else (error - error.mean()) / len(error)
    y = rows.y.values
    target = None if evidence.influence is not None else y - y.mean()
    return UnitTails(evidence, target, centred, is_one_sided=sides is not None)


def measure(bound: Bound, use: PlannedMetric, rule: str, true: float) -> tuple[float, ...]:
    """How far within its bound a requirement lies before and after, and whether W103 is raised.

    The first two are above zero where it is met; minus infinity where it stays open.
    """
    models = ("third", "first") if rule == "non_inferior" else ("first",)
    warned = any(describe_heavy_tail(find_tail(bound, use, model)) for model in models)
    if rule == "non_inferior":
        found = bound.difference(use, *models)
        decides, slope = found, 1.0
        if found.basis is not None and found.basis.line is not None:
            decides, slope = found.basis.evidence, abs(found.basis.line[1])
        tail = UnitTails(decides, is_of_amounts=True)
    else:
        found = bound.evidence(use, "first")
        decides, slope, tail = found, 1.0, find_tail(bound, use, "first")
    reach = (
        measure_tail_reach(tail, decides.influence_se) if decides.influence is not None else None
    )
    limits = compute_interval(found, "auto", LEVEL)
    if not limits.is_defined:
        return -np.inf, -np.inf, warned
    if use.metric.better == "zero":
        within = abs(true) - max(limits.high, -limits.low)
    elif use.metric.better == "lower":
        within = true - limits.high
    else:
        within = limits.low - true
    return within, within - slope * (reach or 0.0), warned


def count_block(p: Population, n: int, first: int, salt: str) -> dict[str, dict[str, float]]:
    """Count what happens in a block of samples, by metric and rule."""
    found: dict[tuple[str, str], list[tuple[float, ...]]] = {}
    for run in range(first, first + BLOCK):
        bound = bind(p, n, run, REPLICATES, salt)
        for use in uses(p):
            true, better = truth(p.name)[use.key], use.metric.better
            one = "above" if better == "higher" else "below"
            if better != "zero" or abs(true["first"]) > NO_BIAS:
                found.setdefault((use.key, one), []).append(measure(bound, use, one, true["first"]))
            if use.key not in OF_ONE:
                apart = true["third"] - true["first"]
                found.setdefault((use.key, "non_inferior"), []).append(
                    measure(bound, use, "non_inferior", apart)
                )
    return {" ".join(key): _count(np.array(rows)) for key, rows in found.items()}


def _count(rows: NDArray[np.float64]) -> dict[str, float]:
    before, after, warned = rows.T
    # The bound, nearest to what decides, at which most samples are met before and not after.
    at = np.sort(-before[np.isfinite(before)])
    lost = [np.mean(before + x > 0) - np.mean(after + x > 0) for x in at[:: max(len(at) // 50, 1)]]
    return {
        "runs": len(rows),
        "before": int(np.sum(before > 0)),
        "after": int(np.sum(after > 0)),
        "never": int(np.sum(np.isinf(after))),
        "warned": int(warned.sum()),
        "lost": float(max(lost, default=0.0)) * len(rows),
    }


def read_cells(path: Path) -> dict[tuple[str, int, str], Counter[str]]:
    """The counts of all blocks, by population, rows, and metric with its rule."""
    cells: dict[tuple[str, int, str], Counter[str]] = {}
    for line in path.read_text(encoding="utf-8").splitlines() if path.exists() else ():
        block = json.loads(line)
        for key, counts in block["cells"].items():
            cells.setdefault((block["population"], block["n"], key), Counter()).update(counts)
    return cells


HEAD = """# Requirements where the truth lies on the bound

How often a requirement is met although the true value, or difference, lies exactly on its bound:
2.5% are wanted. *Before* is by the interval alone, *after* what `heavy_tail` leaves
([checks](../../docs/reference.md#checks)). *Never* is how often no bound would be met, *W103* how
often the
warning is given. *Lost* is, at the bound where most are, the share of samples that would be met
before and not after: an upper limit of the power that the rule costs.
Made by `python benchmarks/requirements_tails.py`, 199 resamples. All in %; of 250 samples, the
standard error of 5% is 1.4. Bold is what is still met in over 5%.
"""
TABLE = """| metric | rule | before | after | never | W103 | lost |
|---|---|--:|--:|--:|--:|--:|"""
MOST = 5.0


def make_table(path: Path) -> str:
    """Make the page of all cells, with those that are still met too often in bold."""
    cells, parts = read_cells(path), [HEAD]
    for p in POPULATIONS.values():
        for n in sorted(ROWS):
            mine = [
                (key, c) for (name, rows, key), c in cells.items() if (name, rows) == (p.name, n)
            ]
            if not mine:
                continue
            parts.append(f"## {p.words}, {n} rows\n\n{int(mine[0][1]['runs']):,} samples\n")
            parts.append(TABLE)
            for key, c in mine:
                of = {k: 100 * v / c["runs"] for k, v in c.items()}
                metric, rule = key.split()
                after = f"{of['after']:.1f}"
                after = f"**{after}**" if of["after"] > MOST else after
                parts.append(
                    f"| {metric} | {rule} | {of['before']:.1f} | {after} | {of['never']:.0f} "
                    f"| {of['warned']:.0f} | {of['lost']:.0f} |"
                )
            parts.append("")
    return "\n".join(parts)


def main() -> None:
    """Run the blocks that are missing, or write the page."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--runs", type=int, default=2000)
    parser.add_argument("--only", default="", help="populations whose name holds this")
    parser.add_argument("--rows", type=int, nargs="*", default=list(ROWS))
    parser.add_argument("--salt", default="", help="a text that makes other seeds")
    parser.add_argument("--out", type=Path, default=RESULTS)
    parser.add_argument("--table", action="store_true")
    options = parser.parse_args()
    if options.table:
        options.out.with_suffix(".md").write_text(make_table(options.out), encoding="utf-8")
        return
    done = set()
    if options.out.exists():
        lines = map(json.loads, options.out.read_text(encoding="utf-8").splitlines())
        done = {(line["population"], line["n"], line["first"]) for line in lines}
    for first in range(0, options.runs, BLOCK):
        for n in options.rows:
            for p in POPULATIONS.values():
                if options.only in p.name and (p.name, n, first) not in done:
                    block = {"population": p.name, "n": n, "first": first}
                    block["cells"] = count_block(p, n, first, options.salt)
                    with options.out.open("a", encoding="utf-8") as file:
                        file.write(json.dumps(block) + "\n")
                    print(p.name, n, first, flush=True)


if __name__ == "__main__":
    main()
