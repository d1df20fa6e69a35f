"""The study's counts as a page: one table a ground, and before them what fell short."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from math import sqrt
from pathlib import Path

GREEN, AMBER, BALANCE = (0.935, 0.97), 0.90, 0.03
SIZE = (0.035, 0.065)
WARNED, FALSE_ALARMS, FAMILY_ERROR, BANDS = 0.95, 0.05, 0.06, 0.93
SHOWN = {
    "normal": "Normal errors",
    "lognormal": "Lognormal amounts",
    "zeros": "70 % zeros, the rest lognormal",
    "biased": "Normal errors, all models biased",
    "heavy": "errors of t(3)",
    "clusters": "40 clusters of 20 rows, correlated at 0.2",
}
KINDS = {"one": "one model", "equal": "equal models", "unequal": "unequal models"}
COUNTED = {"runs", "left", "right", "held", "width", "undefined", "tested", "rejected", "warned"}
HEAD = """# How often the intervals hold the truth

Made by `python benchmarks/coverage.py --table` from the counts in `benchmarks/results/coverage`.
`python benchmarks/coverage.py --runs 400` runs the small form of the study, to ±3 points a figure.

Each run draws rows from a known population and lets them go the way of a report's data: one
question, the same resamples for all metrics and models, the interval `auto` at 95 %. The truth
has a closed form (bias, RMSE, R², Pearson) or comes from 4,000,000 rows. Differences are between
two equally good models, whose truth is zero, or between a worse model and a better one.

- **green** 93.5 to 97 % held, misses on the two sides within 3 points · **amber** 90 to 93.5, above
  97, or lopsided · **red** below 90.
- *below* and *above*: share of the intervals that lie wholly below or above the truth, in %.
- *warned*: share of the runs, in %, in which the report says beside the interval that it may not
  hold: W103 to W106, W108, W109 or W112.
- *size*: share of the runs, in %, in which the test of no difference rejects at 5 % though there
  is none.
- The last columns hold the same samples under methods that `auto` did not choose.
"""

CORNER = """**The size of a bias, where there is none or none to be seen**: {count}. Two biases are
equal in size when they are equal, and when one is minus the other. Near no bias both hold, and a
test may reject only what neither allows, or it would reject too often where one of the two
holds alone: that is where both models are biased alike and clearly, below.
"""


@dataclass(frozen=True)
class Cell:
    """A metric of one ground, of one model or of a difference, by one method."""

    ground: str
    metric: str
    kind: str
    method: str
    counts: Counter[str]

    def share(self, name: str) -> float:
        """Share of the runs in which this was counted."""
        return self.counts[name] / self.counts["runs"]

    @property
    def coverage(self) -> float:
        """Share of the runs whose interval held the truth."""
        return self.share("held")

    @property
    def mark(self) -> str:
        """green, amber or red."""
        if self.coverage < AMBER:
            return "red"
        is_lopsided = abs(self.share("left") - self.share("right")) > BALANCE
        is_green = GREEN[0] <= self.coverage <= GREEN[1] and not is_lopsided
        return "green" if is_green else "amber"

    @property
    def size(self) -> float | None:
        """How often the test rejects what is true; None where there is something to find."""
        if self.kind != "equal" or not self.counts["tested"]:
            return None
        return self.counts["rejected"] / self.counts["tested"]

    @property
    def name(self) -> str:
        """The cell in words."""
        return f"{self.metric}, {KINDS[self.kind]}, {titled(self.ground)}"


def table(folder: Path) -> str:
    """The whole page, as Markdown."""
    cells = [cell for path in sorted(folder.glob("*.jsonl")) for cell in read(path)]
    single = [cell for cell in cells if cell.kind in KINDS and cell.method != "band"]
    auto = [cell for cell in single if cell.method == "auto"]
    grounds = sorted({cell.ground for cell in single}, key=_place)
    parts = [HEAD, *summary(auto), *what_can_be_seen(folder), *together(cells)]
    parts += [ground_table(name, [c for c in single if c.ground == name]) for name in grounds]
    return "\n".join(parts)


def read(path: Path) -> Iterator[Cell]:
    """The cells of a ground, the counts of all its blocks added up."""
    total: dict[str, Counter[str]] = {}
    for line in path.read_text(encoding="utf-8").splitlines():
        for name, counts in json.loads(line)["cells"].items():
            total.setdefault(name, Counter()).update(counts)
    for name, counts in total.items():
        yield Cell(path.stem, *name.split(" "), counts)  # type: ignore[call-arg]


def summary(auto: list[Cell]) -> Iterator[str]:
    """How many cells of each mark, and the ones that fall short."""
    marks = Counter(cell.mark for cell in auto)
    runs = sorted({cell.counts["runs"] for cell in auto})
    shown = f"{runs[0]:,}" if len(runs) == 1 else f"{runs[0]:,} to {runs[-1]:,}"
    yield f"## In short\n\n{len(auto)} cells of `auto`, {shown} runs each, 999 replicates a run: "
    yield ", ".join(f"{marks[mark]} {mark}" for mark in ("green", "amber", "red")) + ".\n"
    silent = [c for c in auto if c.mark == "red" and c.share("warned") < WARNED]
    yield from listed(
        f"Red, and warned of in under {100 * WARNED:.0f} % of the runs",
        [
            f"{c.name}: {100 * c.coverage:.1f} %, warned {100 * c.share('warned'):.0f} %"
            for c in silent
        ],
    )
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
        "False alarms in over 5 % of the runs on Normal data, beyond Monte-Carlo error",
        false_alarms(auto),
    )


def is_cornered(cell: Cell) -> bool:
    """Whether both biases lie near zero, the corner of what a test of sizes calls equal."""
    return cell.metric == "bias" and not cell.ground.startswith("biased")


def false_alarms(auto: list[Cell]) -> list[str]:
    """Codes that fire too often where nothing is wrong, n of at least 100."""
    easy = [c for c in auto if c.ground in ("normal-100", "normal-500") and c.kind == "one"]
    return [
        f"{code} for {cell.name}: {100 * cell.share(code):.0f} %"
        for cell in easy
        for code in sorted(codes(cell))
        if cell.share(code) - slack(cell) > FALSE_ALARMS
    ]


def slack(cell: Cell) -> float:
    """How far a share near 5 % may be off by chance, at 95 %."""
    return 1.96 * sqrt(0.05 * 0.95 / cell.counts["runs"])


def what_can_be_seen(folder: Path) -> Iterator[str]:
    """How often the tail that undoes an interval of squares shows itself to any test."""
    path = folder / "detectable.json"
    if not path.exists():
        return
    yield "## What can be seen\n\nErrors of t(3) undo the interval of an RMSE. The likelihood"
    yield "ratio against Normal errors, at 5 % false alarms, is as good as a test can nearly be;"
    yield "beside it how often W103 is raised, on these errors and on Normal ones, in %. Where even"
    yield "the first falls short of 95, no warning can be asked to reach it. Made by"
    yield "`python benchmarks/detectable.py`.\n"
    head = ("rows", "samples", "any test", "W103", "W103 on Normal errors")
    rows = [
        (str(each["n"]), f"{each['runs']:,}",
         *(percent(each[name]) for name in ("any_test", "w103", "false_alarms")))
        for each in json.loads(path.read_text(encoding="utf-8"))
    ]  # fmt: skip
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
    auto = [cell for cell in cells if cell.method == "auto"]
    by_name = {(c.metric, c.kind, c.method): c for c in cells}
    runs = auto[0].counts["runs"]
    head = (
        "metric", "of", "method", "held", "below", "above", "mark", "warned", "codes", "size",
        "percentile", "bca", "se",
    )  # fmt: skip
    rows = []
    for c in auto:
        beside = [
            percent(by_name[c.metric, c.kind, m].coverage) for m in ("percentile", "bca", "se")
        ]
        # `right` counts truths to the right of the interval, which then lies below them.
        shares = [percent(x) for x in (c.coverage, c.share("right"), c.share("left"))]
        size = "" if c.size is None else percent(c.size)
        fired = " ".join(f"{code} {100 * c.share(code):.0f}" for code in sorted(codes(c)))
        warned = f"{100 * c.share('warned'):.0f}"
        kind = KINDS[c.kind]
        metric = c.metric
        if c.counts["runs"] != runs:
            metric += f" ({c.counts['runs']:,} runs)"
        rows.append((metric, kind, used(c), *shares, c.mark, warned, fired, size, *beside))
    error = 100 * sqrt(0.95 * 0.05 / runs)
    title = (
        f"## {titled(name)}\n\n{runs:,} runs; standard error of a share near 95 %: {error:.1f}.\n"
    )
    return "\n".join((title, *markdown(head, rows)))


def used(cell: Cell) -> str:
    """The method that auto took most often."""
    taken = {
        name: count
        for name, count in cell.counts.items()
        if name not in COUNTED and not is_code(name)
    }
    return max(taken, key=lambda name: taken[name])


def codes(cell: Cell) -> list[str]:
    """The codes that fired in at least 1 % of the runs."""
    return [name for name in cell.counts if is_code(name) and cell.share(name) >= 0.01]


def is_code(name: str) -> bool:
    return name[0] == "W" and name[1:].isdigit()


def titled(ground: str) -> str:
    """A ground in words: `zeros-100` is 70 % zeros, 100 rows."""
    population, rows = ground.split("-")[:2]
    return f"{SHOWN.get(population, population)}, {rows} rows"


def percent(share: float) -> str:
    return f"{100 * share:.1f}"


def listed(title: str, lines: list[str]) -> Iterator[str]:
    yield f"**{title}**: {'none.' if not lines else f'{len(lines)}.'}\n"
    if lines:
        yield "".join(f"- {line}\n" for line in lines)


def markdown(head: tuple[str, ...], rows: list[tuple[str, ...]]) -> Iterator[str]:
    yield f"| {' | '.join(head)} |"
    yield "|" + " --- |" * len(head)
    yield from (f"| {' | '.join(row)} |" for row in rows)
    yield ""


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


def _place(ground: str) -> tuple[int, int]:
    population, rows = ground.split("-")
    return int(rows), list(SHOWN).index(population)
