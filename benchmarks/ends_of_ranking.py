"""How often limits hold near the end of a ranking, with few clusters, and of flags at a share.

    python benchmarks/ends_of_ranking.py --runs 400 [--only TEXT]    goes on where it stopped
    python benchmarks/ends_of_ranking.py --table                     the page from the counts

Each sample goes the way of a report's data, with resamples that all metrics and models share. The
models `first` and `second` are equally good. Laws, metrics and rows are those of the tables; truths
are values on four million rows, or zero. Seeds are the numbers of the runs: amounts were last
counted with `--first 700000`, the others from 600,000 on, which were not drawn from while limits
and warnings were made. Counts are lines of
benchmarks/results/ends_of_ranking.jsonl.
"""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from zlib import crc32

import class_grounds
import numpy as np
from blocks_of_runs import Cells, by_ground, go_on, read, summed
from plans import make_plan
from populations import sample

from reportgen.analysis.comparisons import iter_comparisons
from reportgen.analysis.dataset_analysis import DatasetAnalysis, draw_replicates
from reportgen.analysis.estimates import iter_estimates
from reportgen.analysis.plan import AnalysisPlan, ModelScores, PlannedMetric
from reportgen.analysis.warnings import iter_warnings
from reportgen.inference.resampling.design import Design
from reportgen.kernels.batch import Batch, Column, Index, Vector
from reportgen.kernels.thresholds import TopShare
from reportgen.metrics import METRICS
from reportgen.metrics.rows import Amounts, Classes, Rows

RESULTS = Path(__file__).parent / "results" / "ends_of_ranking.jsonl"
BEFORE = Path(__file__).parent / "results" / "ends_of_ranking_before.jsonl"
PAGE = Path(__file__).parent / "results" / "ends-of-ranking.md"
REPLICATES, BLOCK, UNSEEN = 499, 100, 600_000
LARGE, TIMES = 250_000, 16
TOP = 0.1
TINY = 1e-9
OF_INTERVALS = {"W101", "W103", "W104", "W105", "W106", "W108", "W109", "W112", "W140"}
PAIR = (("second", "first"),)
Asked = tuple[tuple[str, Mapping[str, float | str]], ...]
ENDS: Asked = (
    ("ranking_last", {}),
    ("ranking_difference", {}),
)
PLAIN: Asked = (("mae", {}), ("kendall", {}))
CAPTURES: Asked = (("topk_capture", {"share": TOP}), *ENDS)
CALLS: Asked = (
    ("f", {"threshold": 0.3}),
    ("precision", {"threshold": 0.3}),
    ("average_precision", {}),
    ("roc_auc", {}),
)
AT_TOP: Asked = (
    ("found", {"at": "top", "moves": True}),
    ("capture", {"share": TOP}),
    ("roc_auc", {}),
)


@dataclass(frozen=True)
class Ground:
    """A law and so many rows of it; rows of two classes have one of their own."""

    law: str
    n: int
    metrics: Asked
    classes: class_grounds.Ground | None = None
    sizes: tuple[int, ...] = ()

    @property
    def name(self) -> str:
        """The name of its lines."""
        return self.law if self.classes is not None else f"{self.law}, {self.n} rows"

    @property
    def unit(self) -> Index | None:
        """The cluster of each row; None where rows stand alone."""
        if self.sizes:
            return np.repeat(np.arange(len(self.sizes)), self.sizes)
        if self.classes is None or not self.classes.clusters:
            return None
        return np.arange(self.n) // (self.n // self.classes.clusters)

    @property
    def uses(self) -> tuple[PlannedMetric, ...]:
        """The metrics as a config asks for them."""
        return tuple(
            PlannedMetric(name, METRICS[name].use(**params)) for name, params in self.metrics
        )

    def draw_rows(self, n: int, rng: np.random.Generator) -> dict[str, Rows]:
        """Draw the rows of each model."""
        if self.classes is None:
            y, scores = draw_amounts(self.law, n, rng)
            shared = Column(y)
            return {model: Amounts(shared, scores[model]) for model in PAIR[0]}
        drawn = self.classes.draw(n, rng)
        kept = np.ones(n, dtype=np.bool_)
        if self.sizes:
            place = np.arange(n) % (n // len(self.sizes))
            kept = place < np.repeat(self.sizes, n // len(self.sizes))
        y = drawn.y[kept]
        outcome = Column(y)
        return {m: build_rows(y, drawn.models[m][kept], outcome) for m in PAIR[0]}

    def plan(self, run: int) -> AnalysisPlan:
        """Plan the analysis of one sample."""
        rng = np.random.default_rng([crc32(self.name.encode()), run])
        drawn = self.n if self.classes is None else self.classes.n
        rows, unit = self.draw_rows(drawn, rng), self.unit
        return make_plan(
            dataset="sample",
            models=tuple(ModelScores(name, name, each) for name, each in rows.items()),
            pairs=PAIR,
            metrics=self.uses,
            design=Design("sample", self.n, REPLICATES, run, unit=unit),
            is_ordered=unit is not None,
        )


def draw_amounts(law: str, n: int, rng: np.random.Generator) -> tuple[Vector, dict[str, Vector]]:
    """Draw amounts and the scores of each model."""
    y, scores = sample(LAWS[law], n, rng)
    return (np.sqrt(y), scores) if law == MILD else (y, scores)


def build_rows(y: Vector, p: Vector, outcome: Column) -> Classes:
    """Build the rows with an operating point that flags the share of the highest scores."""
    return Classes(
        y.astype(np.intp),
        p[:, None],
        ("0", "1"),
        "probability",
        outcome=outcome,
        rules={"top": TopShare(TOP)},
    )


MILD = "lognormal amounts, σ 0.7"
UNEVEN = (5, 10, 15, 20, 30, 30, 40, 50, 80, 120)
ENDS_OF = {
    "Normal errors": "normal",
    MILD: "lognormal",
    "lognormal amounts, σ 1.4": "lognormal",
    "70 % zeros, others lognormal": "zeros",
}
PLAIN_LAW = "Normal errors, measures of all rows"
LAWS = {**ENDS_OF, PLAIN_LAW: "normal"}


CLUSTERED = ((10, 60, 0.1), (10, 200, 0.5), (30, 150, 0.25))


def list_grounds() -> Iterator[Ground]:
    """List the grounds, by law and rows."""
    for law, population in ENDS_OF.items():
        metrics = CAPTURES if population in ("lognormal", "zeros") else ENDS
        for n in (50, 100, 200):
            yield Ground(law, n, metrics)
    yield Ground(PLAIN_LAW, 200, PLAIN)
    for clusters, positives, share in CLUSTERED:
        own = class_grounds.Ground(positives, share, 0.87, clusters=clusters)
        yield Ground(own.name, own.n, CALLS, own)
    own = class_grounds.Ground(360, 0.3, 0.87, clusters=len(UNEVEN))
    yield Ground(f"{sum(UNEVEN)} rows in 10 clusters of 5 to 120", sum(UNEVEN), CALLS, own, UNEVEN)
    for positives, share in ((10, 0.01), (20, 0.01), (40, 0.02), (20, 0.1)):
        own = class_grounds.Ground(positives, share, 0.87)
        yield Ground(own.name, own.n, AT_TOP, own)


GROUNDS = {ground.name: ground for ground in list_grounds()}


@cache
def find_truth(name: str) -> Mapping[str, float]:
    """Find the value of each metric for the first two models on many rows."""
    ground, total = GROUNDS[name], Counter[str]()
    own = ground.classes
    if own is not None and own.clusters:
        many, size = round(LARGE * own.share), own.n // own.clusters
        own = replace(own, positives=many, clusters=LARGE // size)
        ground = replace(ground, classes=own, sizes=())
    rng = np.random.default_rng(crc32(f"truth of {name}".encode()))
    one = Batch.from_weights(np.ones(LARGE))
    for _ in range(TIMES):
        rows = ground.draw_rows(LARGE, rng)
        for use in ground.uses:
            for model in PAIR[0]:
                total[use.key] += float(use.metric.bind(rows[model])(one)[0])
    return {use.key: total[use.key] / TIMES / 2 for use in ground.uses}


def run_block(name: str, first: int, runs: int) -> Cells:
    """Run so many samples of one ground, from a number on."""
    truth = find_truth(name)
    return summed(count_one(GROUNDS[name].plan(run), truth) for run in range(first, first + runs))


def count_one(plan: AnalysisPlan, truth: Mapping[str, float]) -> dict[str, Counter[str]]:
    """Count what becomes of one sample."""
    found = draw_replicates(plan)
    codes = list_codes(found)
    counts: dict[str, Counter[str]] = {}
    for each in iter_estimates(found):
        if each.model == "first":
            seen = judge(truth[each.key], each.low, each.high)
            shown = codes(each.key, {"first"})
            counts[f"{each.key}|one"] = seen + Counter({each.method or "none": 1}) + shown
    for each in iter_comparisons(found):
        seen = judge(0.0, each.low, each.high)
        if each.p_value is not None:
            seen += Counter({"tested": 1, "rejected": int(each.p_value <= 0.05)})
        shown = codes(each.key, set(PAIR[0]))
        counts[f"{each.key}|equal"] = seen + Counter({each.method or "none": 1}) + shown
    return counts


def list_codes(found: DatasetAnalysis) -> Callable[[str, set[str]], Counter[str]]:
    """List the codes that a reader sees beside a number, by metric and models."""
    raised = [(w.key, w.model, w.code) for w in iter_warnings(found) if w.code in OF_INTERVALS]

    def codes(key: str, models: set[str]) -> Counter[str]:
        seen = {
            code
            for k, model, code in raised
            if k in (None, key) and (model is None or model in models)
        }
        return Counter({"warned": int(bool(seen)), **dict.fromkeys(seen, 1)})

    return codes


def judge(target: float, low: float | None, high: float | None) -> Counter[str]:
    """Where an interval lies against the truth; a missing one holds nothing."""
    if low is None or high is None:
        return Counter({"runs": 1, "undefined": 1})
    side = "below" if high < target - TINY else "above" if low > target + TINY else "held"
    return Counter({"runs": 1, side: 1, "width": round(1e6 * (high - low))})


HEAD = """# Near the end of the ranking, few clusters, and flags at a share

Made by `python benchmarks/ends_of_ranking.py`, then `--table`; {replicates} resamples of each
sample, 95% limits of one number. *Held* is the share of the samples whose limits hold the truth, of
those that have limits, *below* and *above* where the limits lay otherwise, in %. *Width* is the
mean width of the limits, in the unit of the metric. *Warned* is the share of the samples in which a
warning stood beside the number, with its codes. *Rejects* is how often the test of equal models
rejects at 5%. *Mark*: green from 93 to 97.5% held, amber from 90, else red or, where it holds more,
wide. Amounts are of runs from 700,000 on, classes of runs from 600,000 on; limits and warnings were
chosen on others. *Before* are held, width and warned of samples of the same seeds under version
0.2.0 as it was on 2026-11-29, when resamples decided all of it. The standard error of a share near
95% is 1.1 points for 400 samples, 1.5 for 200 and 2.2 for the 100 of *before*.
"""
TITLES = (
    "metric of samples held below above width mark warned codes method rejects | held before "
    "| width before | warned before"
)


def write_page() -> str:
    """Write the page, as Markdown."""
    counted, before = by_ground(read(RESULTS)), by_ground(read(BEFORE))
    lines = [HEAD.format(replicates=REPLICATES)]
    titles = [*TITLES.partition(" | ")[0].split(), *TITLES.split(" | ")[1:]]
    for name in filter(counted.__contains__, GROUNDS):
        lines.append(f"\n## {name[0].upper()}{name[1:]}\n\n")
        lines.append(f"| {' | '.join(titles)} |\n| --- | --- {'| --: ' * 5}{'| --- ' * 8}|\n")
        for cell, seen in counted[name].items():
            earlier = before.get(name, {}).get(cell, Counter())
            cells = (*write_cells(cell, seen), *write_earlier(earlier))
            lines.append(f"| {' | '.join(cells)} |\n")
    return "".join(lines)


def write_cells(cell: str, seen: Counter[str]) -> Iterator[str]:
    """Write the cells of a row."""
    key, _, kind = cell.partition("|")
    runs, limits = seen["runs"], max(seen["runs"] - seen["undefined"], 1)
    yield from (f"`{key}`", "one model" if kind == "one" else "equal models", f"{runs:,}")
    yield from (f"{100 * seen[side] / limits:.1f}" for side in ("held", "below", "above"))
    yield f"{seen['width'] / 1e6 / limits:.3g}"
    held = seen["held"] / limits
    yield "wide" if held > 0.975 else "green" if held >= 0.93 else "amber" if held >= 0.9 else "red"
    yield f"{100 * seen['warned'] / runs:.0f}"
    codes = sorted(c for c in seen if c[0] == "W" and c[1:].isdigit())
    yield " ".join(f"{code} {100 * seen[code] / runs:.0f}" for code in codes)
    methods = sorted(name for name in seen if name not in {*COUNTED, *codes})
    yield " ".join(f"{name} {100 * seen[name] / runs:.0f}" for name in methods)
    yield f"{100 * seen['rejected'] / seen['tested']:.1f}" if seen["tested"] else ""


def write_earlier(seen: Counter[str]) -> tuple[str, str, str]:
    """Write the cells of the same under another version; empty where there are none."""
    limits = seen["runs"] - seen["undefined"]
    if not limits:
        return "", "", ""
    held, width = seen["held"] / limits, seen["width"] / 1e6 / limits
    return f"{100 * held:.1f}", f"{width:.3g}", f"{100 * seen['warned'] / seen['runs']:.0f}"


COUNTED = "runs held below above undefined width warned tested rejected".split()


def main() -> None:
    """Run what is not counted yet, or write the page."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--runs", type=int, default=400)
    parser.add_argument("--first", type=int, default=UNSEEN)
    parser.add_argument("--only", default="", help="grounds whose name holds this")
    parser.add_argument("--out", type=Path, default=RESULTS)
    parser.add_argument("--table", action="store_true")
    options = parser.parse_args()
    jobs = {
        (name, first, BLOCK): {"ground": name, "first": first}
        for first in range(options.first, options.first + options.runs, BLOCK)
        for name in GROUNDS
        if options.only in name
    }
    if not options.table:
        go_on(options.out, jobs, run_block)
    PAGE.write_text(write_page(), encoding="utf-8")


if __name__ == "__main__":
    main()
