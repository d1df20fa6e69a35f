"""The study's counts as a page: one table a ground, and before them what fell short."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import numpy as np
from coverage_cells import (
    BANDS,
    FALSE_ALARMS,
    FAMILY_ERROR,
    GREEN,
    KINDS,
    SHOWN,
    SIZE,
    WARNED,
    Cell,
    codes,
    percent,
    read,
    slack,
    titled,
    used,
)
from populations import BRIEF, PARAMS, STUDIED
from scipy.stats import binom

MARKS = ("green", "amber", "red")
OF_SIZES = ("bias", "quantile_coverage")  # best at zero: their differences are of sizes
HEAD = """# How often the intervals hold the truth

Classes, folds and data sets have pages of their own:

- [measures and curves of two classes](coverage_classes.md): plain rows, ten
  positives, uneven weights, clusters;
- [learnt thresholds, several classes, and labels](coverage_calls.md), one of
  them rare;
- [means over classes of 1 to 200 rows](class_averages.md), and differences;
- [ends of rankings, few clusters, flags at a share](ends-of-ranking.md);
- [two classes at another share of positives](coverage_prevalence.md);
- [folds](coverage_folds.md) and
  [several data sets](coverage_across.md).

What to think of them. 35 of 36 cells of two classes with 4,400 samples are green: areas, losses,
recall, precision and F where 20 of 200 rows are positive, and in 30 clusters; the area of one model
of 20 positives holds in 92.7 %. The other cells are of 400 samples. From 50 rows of the rarer class
on, intervals of most measures of two classes hold what they say to a few points, with clusters and
uneven weights too, and so do their differences. With 20 and fewer, functions of counts hold in 72
to 89 %; W101 stands beside each of them, and under 16 rows beside means of losses as well. The
Kolmogorov–Smirnov distance is flattered by its best threshold up to about 200 rows of a class, and
W101 says so that far. Measures at a threshold fall short where few rows are flagged, or few are
not: the geometric mean of recall and specificity of unequal models holds in 79 % where 20 of 200
rows are positive and about four are flagged; differences in capture, lift and `fap` where the top
is nearly all positive, in 83 to 84 %.
Beside 42 of the 44 red cells a warning stands in 95 % of the samples
or more. The others are the Brier score of unequal models with ten positives (89 %, warned in 94 %,
and in 97 % since W101 comes under 16 rows, not 15) and Matthews's coefficient of unequal models
with 50 of 2,500 (88 %, warned in nearly 95 %: elsewhere it had no limits). With 20
or 30 clusters the tests of equal models reject in at most 8 %; without them 17 % in the geometric
mean of 20 of 200 positives, beside W101. Limits of the average precision hold in 90 to 96 % of
samples; at a share of positives far below that of the rows they hold less often, and W127 tells so.
No band of a whole curve is red, and those of what right probabilities would show are all green.
At the end of a ranking the mean of y in a tenth of 50 to 200 Normal rows holds in 95 to 97 % of
samples, with limits of Student's t where under 20 rows are there; its difference between equal
models in 93 to 97 %. Do not trust that mean where amounts are skewed: it holds in 72 to 93 %, too
low where it misses, and W103 stands beside it in 96 to 100 % of samples where under 91 % hold. The
capture of the top tenth of such amounts holds in 90 to 97 %. What is found where a tenth is flagged
holds in 93 to 98 %, F and the average precision of ten clusters in 93 to 96 %. With so few clusters
W106 is always there. The table of the metrics below was counted before: there `ranking_last` of 100
rows still has limits of resamples.
Over data sets limits and tests hold with six of them already; Iman and Davenport's F rejects 6 %
there. The mean of random effects holds in 94 % of samples or more of 3 to 30 data sets with Normal
true differences, and in 91 % with skewed ones; the limits of a data set to come in 92 to 100 %.

Made by `python benchmarks/coverage.py --table` from the counts in `benchmarks/results/coverage`.
`python benchmarks/coverage.py --runs 400` runs the small form of the study, to ±3 points a figure;
`--runs 4000` the whole, in which the metrics that `benchmarks/populations.py` names are judged in
every run and the others in the first 400.

Each run draws rows from a known population and lets them go the way of a report's data: one
question, the same resamples for all metrics and models, the interval `auto` at 95 %. The truth
has a closed form (bias, RMSE, MSE, area over the RROC curve, R², Pearson) or comes from 4,000,000
rows. Differences are between two equally good models, whose truth is zero, or between a worse model
and a better one. Predicted quantiles are those of models that know of Normal errors alone and not
of their own: too narrow. Metrics in percent of y, on a log scale or by deviance are judged where y
is an amount; the MAPE only where no y is 0. Parameters that are not a metric's defaults:

{params}

- **green** 93.5 to 97 % held, misses on the two sides within 3 points · **amber** 90 to 93.5, above
  97, or lopsided · **red** below 90. A run without an interval holds nothing: where that is at
  least 1 %, the codes end in *no interval* and its share.
- Figures of 400 runs are to ±3 points, of 1,000 to ±2, of 4,000 to ±1. Of 100 cells of 400 runs
  that hold exactly 95 %, {chance} fall outside 93.5 to 97 % by chance.
- *below* and *above*: share of the intervals that lie wholly below or above the truth, in %.
- *warned*: share of the runs, in %, in which the report says beside the interval that it may not
  hold: W103 to W106, W108, W109, W112 or W140. W111, on the order of rows, is judged over all
  metrics of a report together, and has [its own counts](autocorrelated.json).
  W140 tells that under 30 rows pay the larger cost of a loss: a fact, true of Normal rows too.
- *size*: share of the runs, in %, in which the test of no difference rejects at 5 % though there
  is none.
- The last columns hold the same samples under methods that `auto` did not choose.
"""

CORNER = """**The size of a bias or of an error in coverage, where there is none or none to be
seen**: {count}. Two biases are equal in size when they are equal, and when one is minus the other.
Near no bias both hold, and a test may reject only what neither allows, or it would reject too often
where one of the two holds alone: that is where both models are biased alike and clearly, below.
"""


def table(folder: Path) -> str:
    """The whole page, as Markdown."""
    cells = [cell for path in sorted(folder.glob("*.jsonl")) for cell in read(path)]
    single = [cell for cell in cells if cell.kind in KINDS and cell.method != "band"]
    auto = [cell for cell in single if cell.method == "auto"]
    grounds = sorted({cell.ground for cell in single}, key=_place)
    head = HEAD.format(params=parameters(), chance=round(100 * by_chance(BRIEF)))
    parts = [head, *summary(auto), *what_can_be_seen(folder), *together(cells)]
    parts += [ground_table(name, [c for c in single if c.ground == name]) for name in grounds]
    return "\n".join(parts)


def summary(auto: list[Cell]) -> Iterator[str]:
    """How many cells of each mark, and the ones that fall short."""
    yield f"## In short\n\n{len(auto)} cells of `auto`, 999 replicates a run.\n"
    yield from markdown(("runs of each", "cells", *MARKS), [*_by_runs(auto)])
    red = [cell for cell in auto if cell.mark == "red"]
    known = [cell for cell in red if cell.share("warned") >= WARNED]
    silent = [cell for cell in red if cell not in known]
    share = f"{100 * WARNED:.0f} % of the runs"
    yield from listed(f"Red, and warned of in under {share}", [_red(c) for c in silent])
    yield from listed(f"Red, and warned of in at least {share}", [_red(c) for c in known])
    sized = [(cell, cell.size) for cell in auto if cell.size is not None]
    liberal = [(c, size) for c, size in sized if size - slack(c) > SIZE[1]]
    few = [(c, size) for c, size in sized if size + slack(c) < SIZE[0]]
    cornered = [(c, size) for c, size in few if is_cornered(c)]
    careful = [(c, size) for c, size in few if not is_cornered(c)]
    yield from listed(
        "Tests that reject more than 6.5 %, beyond Monte-Carlo error",
        [f"{c.name}: {percent(z)} %, warned {100 * c.share('warned'):.0f} %" for c, z in liberal],
    )
    yield from listed(
        "Tests that reject less than 3.5 %, beyond Monte-Carlo error",
        [f"{cell.name}: {percent(size)} %" for cell, size in careful],
    )
    if cornered:
        yield CORNER.format(count=len(cornered))
        yield "".join(f"- {cell.name}: {percent(size)} %\n" for cell, size in cornered)
    yield from listed(
        "False positives in over 5 % of the runs on Normal data, beyond Monte-Carlo error",
        false_alarms(auto),
    )


def is_cornered(cell: Cell) -> bool:
    """Whether both values lie near zero, the corner of what a test of sizes calls equal."""
    return cell.metric in OF_SIZES and not cell.ground.startswith("biased")


def false_alarms(auto: list[Cell]) -> list[str]:
    """Codes that fire too often where nothing is wrong, n of at least 100."""
    easy = [c for c in auto if c.ground in ("normal-100", "normal-500") and c.kind == "one"]
    return [
        f"{code} for {cell.name}: {100 * cell.share(code):.0f} %"
        for cell in easy
        for code in codes(cell)
        if cell.share(code) - slack(cell) > FALSE_ALARMS
    ]


def what_can_be_seen(folder: Path) -> Iterator[str]:
    """How often the tail that undoes an interval of squares shows itself to any test."""
    path = folder / "detectable.json"
    if not path.exists():
        return
    yield "## What can be seen\n\nErrors of t(3) undo the interval of an RMSE. The likelihood"
    yield "ratio against Normal errors, at 5 % false positives, is as good as a test can nearly be;"
    yield "beside it how often W103 is raised, on these errors and on Normal ones, in %. Where even"
    yield "the first falls short of 95, no warning can be asked to reach it. Made by"
    yield "`python benchmarks/detectable.py`.\n"
    head = ("rows", "samples", "any test", "W103", "W103 on Normal errors")
    rows = [
        (
            str(each["n"]),
            f"{each['runs']:,}",
            *(percent(each[name]) for name in ("any_test", "w103", "false_alarms")),
        )
        for each in json.loads(path.read_text(encoding="utf-8"))
    ]
    yield from markdown(head, rows)


def together(cells: list[Cell]) -> Iterator[str]:
    """What holds for many numbers at once: families and bands."""
    yield "## Ten correlated candidates\n\nAny false rejection among them, and any simultaneous"
    yield "limit that leaves out the truth, in % of the runs; 200 rows. Power where some of the"
    yield "ten are better: share of these that is found, in %.\n"
    head = ("population", "better", "metric", "adjusted by", "runs", "false", "limits", "power", "")
    yield from markdown(head, [_family(c) for c in cells if c.kind == "family"])
    yield "## Whole curves\n\nShare of the runs, in %, in which the whole curve lies within its"
    yield "sup-t band; beside it within all pointwise limits at once, which promise less.\n"
    head = ("population", "curve", "of", "runs", "band", "pointwise", "")
    yield from markdown(head, [_band(c) for c in cells if c.method == "band"])


def ground_table(name: str, cells: list[Cell]) -> str:
    """All metrics of a ground under auto, with the other methods beside."""
    auto = sorted((cell for cell in cells if cell.method == "auto"), key=_row)
    by_name = {(c.metric, c.kind, c.method): c for c in cells}
    runs = auto[0].counts["runs"]
    head = (
        "metric",
        "of",
        "method",
        "held",
        "below",
        "above",
        "mark",
        "warned",
        "codes",
        "size",
        "percentile",
        "bca",
        "se",
    )
    rows = []
    for c in auto:
        beside = [
            percent(by_name[c.metric, c.kind, m].coverage) for m in ("percentile", "bca", "se")
        ]
        # `right` counts truths to the right of the interval, which then lies below them.
        shares = [percent(x) for x in (c.coverage, c.share("right"), c.share("left"))]
        size = "" if c.size is None else percent(c.size)
        fired = " ".join(f"{code} {100 * c.share(code):.0f}" for code in codes(c))
        if c.share("undefined") >= 0.01:
            fired = f"{fired} no interval {100 * c.share('undefined'):.0f}".strip()
        warned = f"{100 * c.share('warned'):.0f}"
        kind = KINDS[c.kind]
        metric = c.metric
        if c.counts["runs"] != runs:
            metric += f" ({c.counts['runs']:,} runs)"
        rows.append((metric, kind, used(c), *shares, c.mark, warned, fired, size, *beside))
    title = f"## {titled(name)}\n\n{runs:,} runs"
    if any(cell.counts["runs"] != runs for cell in auto):
        title += " but where a row says otherwise"
    title += f"; standard error of a share near 95 %: {auto[0].error:.1f}.\n"
    return "\n".join((title, *markdown(head, rows)))


def listed(title: str, lines: list[str]) -> Iterator[str]:
    yield f"**{title}**: {'none.' if not lines else f'{len(lines)}.'}\n"
    if lines:
        yield "".join(f"- {line}\n" for line in lines)


def markdown(head: tuple[str, ...], rows: list[tuple[str, ...]]) -> Iterator[str]:
    yield f"| {' | '.join(head)} |"
    yield "|" + " --- |" * len(head)
    yield from (f"| {' | '.join(row)} |" for row in rows)
    yield ""


def _by_runs(auto: list[Cell]) -> Iterator[tuple[str, ...]]:
    for runs in sorted({cell.counts["runs"] for cell in auto}, reverse=True):
        marks = Counter(cell.mark for cell in auto if cell.counts["runs"] == runs)
        yield f"{runs:,}", str(marks.total()), *(str(marks[mark]) for mark in MARKS)


def _red(cell: Cell) -> str:
    held, warned = percent(cell.coverage), 100 * cell.share("warned")
    return f"{cell.name}: {held} %, warned {warned:.0f} %"


def by_chance(runs: int) -> float:
    """How often a cell that holds exactly 95 % is not green for its coverage."""
    held = np.arange(runs + 1)
    is_green = (held >= GREEN[0] * runs) & (held <= GREEN[1] * runs)
    return float(1 - binom.pmf(held[is_green], runs, 0.95).sum())


def parameters() -> str:
    """The parameters that are not the defaults of their metrics."""
    told = (
        f"- `{name}`: {', '.join(f'{key} {value:g}' for key, value in params.items())}"
        for name, params in PARAMS.items()
    )
    return "\n".join(told)


def _family(cell: Cell) -> tuple[str, ...]:
    _, population, better, *_ = cell.ground.split("-")
    counts = cell.counts
    wrong = cell.share("false")
    power = percent(counts["found"] / (counts["runs"] * int(better))) if better != "0" else ""
    shares = (percent(wrong), percent(cell.share("passed")), power)
    mark = "holds" if wrong <= FAMILY_ERROR else "too many"
    if mark != "holds" and wrong - slack(cell) <= FAMILY_ERROR:
        mark = "within chance of the limit"
    about = (SHOWN[population], better, cell.metric, cell.method, f"{counts['runs']:,}")
    return *about, *shares, mark


def _band(cell: Cell) -> tuple[str, ...]:
    _, population, rows = cell.ground.split("-")
    mark = "holds" if cell.coverage >= BANDS else "too few"
    shares = (percent(cell.coverage), percent(cell.share("pointwise")), mark)
    of = "one model" if cell.kind == "one" else "equal models"
    runs = f"{cell.counts['runs']:,}"
    return f"{SHOWN[population]}, {rows} rows", cell.metric, of, runs, *shares


def _row(cell: Cell) -> tuple[bool, bool, int, str]:
    """Cells of few runs last; values before differences; metrics as they are studied."""
    is_brief = cell.counts["runs"] <= BRIEF
    return is_brief, cell.kind != "one", STUDIED.index(cell.metric), cell.kind


def _place(ground: str) -> tuple[int, int]:
    population, rows = ground.split("-")
    return int(rows), list(SHOWN).index(population)
