"""How often intervals of gaps between segments hold the true gap, and how wide they are.

    python -m benchmarks.group_gaps --runs 500 [--seconds 400]

Segments are drawn with recalls, or mean absolute errors, that are equal, evenly spread, two apart
from the rest, or half of them high and half low; two models err on the same rows in part. Every
sample goes through the analysis of the product. Seeds are the numbers of the runs. Rows that are
in benchmarks/results/group_gaps.jsonl are not made again; the page is group-gaps.md beside it.
"""

from __future__ import annotations

import argparse
import json
from dataclasses import dataclass
from math import inf, nan, sqrt
from pathlib import Path
from time import time
from typing import Any
from zlib import crc32

import numpy as np
from scipy.special import ndtri

from benchmarks.plans import make_plan
from reportgen.analysis.dataset_analysis import draw_replicates
from reportgen.analysis.estimates import iter_estimates
from reportgen.analysis.plan import ModelScores, PlannedMetric, Segment
from reportgen.analysis.stability import iter_group_gaps
from reportgen.inference import group_gaps
from reportgen.inference.bands import sup_t_quantile
from reportgen.inference.group_gaps import GroupValues
from reportgen.inference.resampling.design import Design
from reportgen.kernels.batch import Column, Index, Vector
from reportgen.metrics import METRICS
from reportgen.metrics.rows import Amounts, Classes
from reportgen.results.segments import GroupGap

PAGE = Path(__file__).parent / "results" / "group-gaps.md"
RESULTS = Path(__file__).parent / "results" / "group_gaps.jsonl"
COLUMNS = (
    "| metric | segments | true values | gap | held | too low | too high | found | width "
    "| all pairs | value |"
)
REPLICATES, TOGETHER = 399, 0.6
POSITIVES, NEGATIVES, ROWS = 100, 20, 100
"""Rows of a segment for recall, and for the mean absolute error."""
MIDDLE = {"recall": 0.75, "mae": 1.0}

HEAD = """# Gaps between segments: coverage and width

Made by `python -m benchmarks.group_gaps`, with {runs:,} samples a row, whose three standard errors
are {error:.1f} points at 95%, and {replicates} resamples of each sample. Recall rests on
{positives} positives in each segment, about 0.75; the mean absolute error on {rows} rows in each
segment, about 1. *Held* is the share of the 95% intervals that hold the true gap, in %. *Too low*
and *too high* are the shares in which the whole interval lies below or above it. *Found* is the
share in which the interval leaves zero out: where the true value is zero, these are false. *Width*
is the mean width of the interval, *all pairs* that from the largest simultaneous lower limit of a
pair of segments to the largest upper one (Tukey's way), *value* the mean gap.

A true gap of zero lies at the end of what a gap can be, so its interval misses it on one side
only. The value lies above the true gap: chance alone drives the ends apart. Limits hold for every
arrangement of true values, those with two segments apart from all others too. With many
segments near both ends (evenly spread, halves) they therefore hold more often than they say. Of the
change of a gap, which two segments have it is not known for either model: with five segments and
more, limits hold in nearly all samples, are wide, and find only large changes. Limits from the
resampled change itself, about values from which the expected noise was removed, are half as wide;
of five equal segments they held in 69% of 200 samples.
"""


@dataclass(frozen=True)
class Row:
    """Segments of one kind: `gap` is how far apart the true values are, `after` the candidate's."""

    metric: str
    k: int
    kind: str
    gap: float
    after: float | None = None
    is_uneven: bool = False

    @property
    def sizes(self) -> tuple[Index, Index]:
        """Rows of each segment, and how many of them are positive: at most 15 times as many."""
        share = np.geomspace(0.2, 3.0, self.k) if self.is_uneven else np.ones(self.k)
        if self.metric == "mae":
            return (share * ROWS).astype(np.intp), np.zeros(self.k, np.intp)
        positives = (share * POSITIVES).astype(np.intp)
        return positives + (share * NEGATIVES).astype(np.intp), positives

    @property
    def truth(self) -> float:
        """The true gap, or its true change."""
        return self.gap if self.after is None else self.after - self.gap

    def find_values(self, gap: float) -> Vector:
        """Find the true values of the segments, (k,)."""
        middle = MIDDLE[self.metric]
        place = np.linspace(-0.5, 0.5, self.k)
        if self.kind == "two apart":
            place[1:-1] = 0.0
        elif self.kind == "halves":
            place = np.where(place < 0, -0.5, 0.5)
        return np.asarray(middle + gap * place)


def list_rows() -> list[Row]:
    """List the rows of the table: gaps of about 0, 2.5 and 5 standard errors of a segment."""
    of = {"recall": (0.1, 0.2), "mae": (0.2, 0.4)}
    rows = []
    for metric, gaps in of.items():
        for k in (2, 5, 20):
            rows.append(Row(metric, k, "equal", 0.0))
            kinds = ("evenly",) if k == 2 else ("evenly", "two apart", "halves")
            rows += [Row(metric, k, kind, gap) for kind in kinds for gap in gaps]
    for metric, (_, gap) in of.items():
        for k in (2, 5, 20) if metric == "recall" else (2, 5):
            rows.append(Row(metric, k, "equal", 0.0, 0.0))
            rows += [Row(metric, k, "evenly", gap, after) for after in (gap, gap / 2, 0.0)]
    for metric, (_, gap) in of.items():
        rows.append(Row(metric, 5, "equal", 0.0, is_uneven=True))
        rows.append(Row(metric, 5, "evenly", gap, is_uneven=True))
    return rows + [Row("recall", 5, "evenly", 0.4, after) for after in (0.4, 0.2, 0.0)]


def draw_models(row: Row, draw: np.random.Generator) -> tuple[list[ModelScores], list[Segment]]:
    """Draw the rows of all segments with the scores of two models."""
    sizes, positives = row.sizes
    n = int(sizes.sum())
    segment = np.repeat(np.arange(row.k), sizes)
    shared = draw.standard_normal(n)
    gaps = {"old": row.gap, "new": row.gap if row.after is None else row.after}
    noise = {
        name: sqrt(TOGETHER) * shared + sqrt(1 - TOGETHER) * draw.standard_normal(n)
        for name in gaps
    }
    parts = [Segment(f"group={g}", np.flatnonzero(segment == g)) for g in range(row.k)]
    if row.metric == "mae":
        y = Column(draw.standard_normal(n))
        size = {name: row.find_values(gap)[segment] / sqrt(2 / np.pi) for name, gap in gaps.items()}
        rows = {name: Amounts(y, y.values + size[name] * noise[name]) for name in gaps}
        return [ModelScores(name, name, each) for name, each in rows.items()], parts
    place = np.arange(n) - (np.cumsum(sizes) - sizes)[segment]
    had = place < positives[segment]
    found = []
    for name, gap in gaps.items():
        limit = ndtri(np.where(had, row.find_values(gap)[segment], 0.2))
        p = np.where(noise[name] < limit, 0.9, 0.1)
        classes = Classes(had.astype(np.intp), p[:, None], ("0", "1"), "probability")
        found.append(ModelScores(name, name, classes))
    return found, parts


def measure(row: Row, run: int) -> tuple[GroupGap, float]:
    """Measure the gap, or its change, on one sample; and how wide limits of all pairs make it."""
    name = repr(row).replace(", is_uneven=False", "")
    draw = np.random.default_rng([crc32(name.encode()), run])
    models, parts = draw_models(row, draw)
    params = {"threshold": 0.5} if row.metric == "recall" else {}
    use = PlannedMetric(row.metric, METRICS[row.metric].use(**params), is_primary=True)
    n = len(models[0].rows)
    plan = make_plan(
        dataset="sample",
        models=tuple(models if row.after is not None else models[:1]),
        pairs=(("new", "old"),) if row.after is not None else (),
        metrics=(use,),
        segments=tuple(parts),
        design=Design("sample", n, REPLICATES, run),
    )
    found = draw_replicates(plan)
    gaps = iter_group_gaps(found, iter_estimates(found))
    gap = next(g for g in gaps if (g.against is None) == (row.after is None))
    if row.after is not None:
        return gap, nan
    members = [found.evidence(part, use, "old") for part in found.parts[1:]]
    return gap, measure_simultaneous_width(GroupValues(members, "auto", 0.95))


def measure_simultaneous_width(groups: GroupValues) -> float:
    """Measure from the largest simultaneous lower limit of a pair to the largest upper one."""
    times = sup_t_quantile(group_gaps._find_largest_deviations(groups), groups.level)
    below, above = groups.find_reach(times)
    between = groups.values[:, None] - groups.values[None, :]
    down = group_gaps._find_pair_reach(below, above, groups.correlation)
    up = group_gaps._find_pair_reach(above, below, groups.correlation)
    return float((between + up).max() - max((between - down).max(), 0.0))


def write_row(row: Row, runs: int) -> str:
    """Measure so many samples; write the row of the table."""
    each = [measure(row, run) for run in range(runs)]
    low, high, value = (
        np.array([getattr(gap, name) for gap, _ in each], dtype=np.float64)
        for name in ("low", "high", "value")
    )
    below, above = (high < row.truth - 1e-12), (low > row.truth + 1e-12)
    shares = (~(below | above), below, above, (low > 0) | (high < 0))
    words = " | ".join(f"{100 * share.mean():.1f}" for share in shares)
    change = "" if row.after is None else f" to {row.after:g}"
    wide = "" if row.after is not None else f"{np.mean([width for _, width in each]):.3f}"
    sizes = ", 20 to 300 rows" if row.is_uneven else ""
    return (
        f"| {row.metric} | {row.k} | {row.kind}{sizes} | {row.gap:g}{change} | {words} | "
        f"{(high - low).mean():.3f} | {wide} | {value.mean():.3f} |"
    )


def read() -> dict[int, dict[str, Any]]:
    """Read the rows that are there, by their number."""
    if not RESULTS.exists():
        return {}
    lines = map(json.loads, RESULTS.read_text(encoding="utf-8").splitlines())
    return {line["row"]: line for line in lines}


def write_page() -> str:
    """Write the page of all rows that are there."""
    known, rows = read(), list_rows()
    runs = min(line["runs"] for line in known.values())
    lines = [
        HEAD.format(
            runs=runs,
            error=300 * sqrt(0.05 * 0.95 / runs),
            replicates=REPLICATES,
            positives=POSITIVES,
            rows=ROWS,
        )
    ]
    for title, is_change in (("## Largest minus smallest", False), ("## Change of the gap", True)):
        lines += [title, "", COLUMNS, "| --- | --: | --- | --- " + "| --: " * 7 + "|"]
        lines += [
            known[place]["line"]
            for place, row in enumerate(rows)
            if place in known and (row.after is not None) == is_change
        ]
        lines.append("")
    return "\n".join(lines)


def main() -> None:
    """Run the rows that are not there yet, for about so many seconds, and write the page."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--runs", type=int, default=500)
    parser.add_argument("--seconds", type=float, default=inf)
    options = parser.parse_args()
    start = time()
    for place, row in enumerate(list_rows()):
        if place in read() or time() - start > options.seconds:
            continue
        line = {"row": place, "runs": options.runs, "line": write_row(row, options.runs)}
        with RESULTS.open("a", encoding="utf-8") as file:
            file.write(json.dumps(line) + "\n")
    PAGE.write_text(write_page(), encoding="utf-8")


if __name__ == "__main__":
    main()
