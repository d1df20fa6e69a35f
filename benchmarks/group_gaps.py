"""How often intervals of gaps between segments hold the true gap, and how wide they are.

    python benchmarks/group_gaps.py --runs 500

Segments are drawn with recalls, or mean absolute errors, that are equal, evenly spread, two apart
from the rest, or half of them high and half low; two models err on the same rows in part. Every
sample goes through the analysis of the product. Seeds are the numbers of the runs. With --row only
that row of the table is made, and printed. The page is benchmarks/results/group-gaps.md.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from dataclasses import dataclass
from math import sqrt
from pathlib import Path
from zlib import crc32

import numpy as np
from scipy.special import ndtri

from benchmarks.plans import make_plan
from reportgen.analysis.dataset_analysis import draw_replicates
from reportgen.analysis.estimates import iter_estimates
from reportgen.analysis.group_gaps import iter_group_gaps
from reportgen.analysis.plan import ModelScores, PlannedMetric, Segment
from reportgen.inference.resampling.design import Design
from reportgen.kernels.batch import Column, Vector
from reportgen.metrics import METRICS
from reportgen.metrics.rows import Amounts, Classes
from reportgen.results.group_gaps import GroupGap

PAGE = Path(__file__).parent / "results" / "group-gaps.md"
REPLICATES, TOGETHER = 399, 0.6
POSITIVES, NEGATIVES, ROWS = 100, 20, 100
"""Rows of a segment for recall, and for the mean absolute error."""
MIDDLE = {"recall": 0.75, "mae": 1.0}

HEAD = """# Gaps between segments: coverage and width

Made by `python benchmarks/group_gaps.py`, with {runs:,} samples a row, whose three standard errors
are {error:.1f} points at 95%, and {replicates} resamples of each sample. Recall rests on
{positives} positives in each segment, about 0.75; the mean absolute error on {rows} rows in each
segment, about 1. *Held* is the share of the 95% intervals that hold the true gap, in %. *Too low*
and *too high* are the shares in which the whole interval lies below or above it. *Found* is the
share in which the interval leaves zero out: where the true value is zero these are false. *Width* is
the mean width of the interval, *Tukey* that of the simultaneous limits of all pairs, whose largest
limits are the plain way to an interval of a range; *gap* is the mean value itself.

A true gap of zero lies at the end of the range, so that the interval can miss it on one side
only. With 20 segments of which many are alike, limits that hold for every arrangement of true values
hold more often than they say for some: those that lie halves apart, here.
"""


@dataclass(frozen=True)
class Row:
    """Segments of one kind: `gap` is how far apart the true values are, `after` the candidate's."""

    metric: str
    k: int
    kind: str
    gap: float
    after: float | None = None

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
        for k in (2, 5, 20):
            rows.append(Row(metric, k, "equal", 0.0, 0.0))
            rows.append(Row(metric, k, "evenly", gap, gap))
            rows += [Row(metric, k, "evenly", gap, gap / 2), Row(metric, k, "evenly", gap, 0.0)]
    return rows


def draw_models(row: Row, draw: np.random.Generator) -> tuple[list[ModelScores], list[Segment]]:
    """Draw the rows of all segments with the scores of two models."""
    own = POSITIVES + NEGATIVES if row.metric == "recall" else ROWS
    n = own * row.k
    segment = np.repeat(np.arange(row.k), own)
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
    had = np.arange(n) % own < POSITIVES
    found = []
    for name, gap in gaps.items():
        limit = ndtri(np.where(had, row.find_values(gap)[segment], 0.2))
        p = np.where(noise[name] < limit, 0.9, 0.1)
        classes = Classes(had.astype(np.intp), p[:, None], ("0", "1"), "probability")
        found.append(ModelScores(name, name, classes))
    return found, parts


def measure(row: Row, run: int) -> GroupGap:
    """Measure the gap, or its change, on one sample."""
    draw = np.random.default_rng([crc32(repr(row).encode()), run])
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
    return next(g for g in gaps if (g.against is None) == (row.after is None))


def write_row(row: Row, runs: int) -> str:
    """Measure so many samples; write the row of the table."""
    each = [measure(row, run) for run in range(runs)]
    low, high, value = (
        np.array([getattr(gap, name) for gap in each], dtype=np.float64)
        for name in ("low", "high", "value")
    )
    below, above = (high < row.truth - 1e-12), (low > row.truth + 1e-12)
    shares = (~(below | above), below, above, (low > 0) | (high < 0))
    words = " | ".join(f"{100 * share.mean():.1f}" for share in shares)
    change = "" if row.after is None else f" to {row.after:g}"
    return (
        f"| {row.metric} | {row.k} | {row.kind} | {row.gap:g}{change} | {words} | "
        f"{(high - low).mean():.3f} | {value.mean():.3f} |"
    )


def write_lines(runs: int) -> Iterator[str]:
    """Write the page, line by line."""
    for row in list_rows():
        yield write_row(row, runs)


def main() -> None:
    """Run the study and write its page."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--runs", type=int, default=500)
    parser.add_argument("--row", type=int)
    options = parser.parse_args()
    if options.row is not None:
        print(write_row(list_rows()[options.row], options.runs))
        return


if __name__ == "__main__":
    main()
