"""The page on coverage of ranking, from the counts: how many cells hold, and which do not."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from math import sqrt
from pathlib import Path

RESULTS = Path(__file__).parent / "results" / "coverage_ranking"
KINDS = {"one": "one system", "equal": "equal systems", "unequal": "unequal systems"}
WARNED = 0.95
HEAD = """# How often intervals of ranking by query hold the truth

Made by `python benchmarks/coverage_ranking.py --table` from the counts in
`benchmarks/results/coverage_ranking`; `--runs 4000` goes on where they end.

Each run draws queries with 20 documents of three grades, and three systems; the second is as good
as the first, so that any difference between them is truly zero, and the third is better. Each
differs from the first on a given share of the queries only, so that few differ where there are
few or the share is small. Queries are independent, or lie in 20 clusters in which a system is
better or worse than usual. Samples go the way of a report's data: the interval `auto` at 95%, 499
resamples, no adjustment. The truth is that of 600,000 queries.

- **green** 93.5 to 97% held · **amber** 90 to 93.5% or above 97% · **red** below 90%.
- *none*: share of the runs without an interval, which hold nothing here. Where no query of the
  sample differs there is none, and the report says that the systems do not differ on these
  queries; so it is with most red cells. *given*: the share held of the intervals that there are.
- The share of queries harmed has Wilson's limits, exact ones where fewer than ten queries are
  harmed or are not, and those of t over ten clusters or more. `few_harmed` is met by the upper one.
- Figures of 200 runs are to ±4 points, of 400 to ±3, of 1,000 to ±2, of 4,000 to ±1.
- *warned*: share of the runs in which the report says beside the interval that it may not hold:
  {codes}.
  W131 says that there are under 25 queries, W132 that few of them differ.
- *size*: share of the runs in which the test of no difference rejects at 5% though there is none;
  no test is made of fewer than ten queries that differ where the interval rests on shares.
"""


@dataclass(frozen=True)
class Cell:
    """What was counted of one measure on one ground."""

    n: int
    differing: int
    group: str
    measure: str
    kind: str
    counts: Counter[str]

    @property
    def runs(self) -> int:
        """How many samples there were."""
        return self.counts["runs"]

    @property
    def held(self) -> float:
        """The share of the intervals that hold the truth."""
        return self.counts["held"] / self.runs

    @property
    def warned(self) -> float:
        """The share of the runs with a warning beside the interval."""
        return self.counts["warned"] / self.runs

    @property
    def mark(self) -> str:
        """Green, amber or red."""
        if self.held < 0.9:
            return "red"
        return "green" if 0.935 <= self.held <= 0.97 else "amber"

    @property
    def name(self) -> str:
        """What it is, in words."""
        kind = KINDS.get(self.kind, "share of queries harmed")
        which = f"{self.measure}, {kind}" if self.kind in KINDS else kind
        among = " in 20 clusters" if self.group == "clusters" else ""
        return f"{which}, {self.n:,} queries{among}, {self.differing}% differing"

    @property
    def given(self) -> float:
        """The share held of the intervals that there are."""
        return self.counts["held"] / max(self.runs - self.counts["undefined"], 1)


def cells() -> list[Cell]:
    """Every cell, from the files."""
    found = []
    for path in sorted(RESULTS.glob("*-*.jsonl")):
        n, differing, group = path.stem.split("-")
        total: dict[str, Counter[str]] = {}
        for line in path.read_text(encoding="utf-8").splitlines():
            for name, counts in json.loads(line)["cells"].items():
                total.setdefault(name, Counter()).update(counts)
        for name, counts in total.items():
            measure, _, kind = name.partition(" ")
            found.append(Cell(int(n), int(differing), group, measure, kind, counts))
    return sorted(found, key=lambda c: (c.group, c.n, c.differing, c.measure, c.kind))


def page(codes: str) -> str:
    """The whole page, as Markdown."""
    every = cells()
    return "\n".join([HEAD.format(codes=codes), *_summary(every), *_tables(every)]) + "\n"


def _summary(every: list[Cell]) -> Iterator[str]:
    yield f"## In short\n\n{len(every)} cells.\n"
    yield "| runs of each | cells | green | amber, above 97% | amber, below 93.5% | red |"
    yield "|" + " --- |" * 6
    for runs in sorted({c.runs for c in every}, reverse=True):
        own = [c for c in every if c.runs == runs]
        high = sum(c.held > 0.97 for c in own)
        counts = Counter(c.mark for c in own)
        low = counts["amber"] - high
        yield f"| {runs:,} | {len(own)} | {counts['green']} | {high} | {low} | {counts['red']} |"
    red = [c for c in every if c.mark == "red"]
    silent = [c for c in red if c.warned < WARNED]
    yield from _listed("Red, and warned of in under 95% of the runs", silent)
    yield from _listed("Red, and warned of in at least 95%", [c for c in red if c not in silent])
    liberal = [c for c in every if c.kind == "equal" and _size(c) - 2 * _error(c) > 0.05]
    yield from _listed("Tests that reject too often, beyond two Monte-Carlo errors", liberal)


def _size(cell: Cell) -> float:
    return cell.counts["rejected"] / cell.runs


def _error(cell: Cell) -> float:
    return sqrt(0.05 * 0.95 / cell.runs)


def _listed(title: str, found: list[Cell]) -> Iterator[str]:
    yield f"\n**{title}**: {len(found)}.\n"
    for c in found:
        size = f", size {100 * _size(c):.1f}%" if c.kind == "equal" else ""
        none = c.counts["undefined"] / c.runs
        apart = f", none {100 * none:.0f}%, given {100 * c.given:.1f}%" if none else ""
        yield f"- {c.name}: {100 * c.held:.1f}%{apart}, warned {100 * c.warned:.0f}%{size}"


def _tables(every: list[Cell]) -> Iterator[str]:
    for group, title in (("alone", "Independent queries"), ("clusters", "Queries in 20 clusters")):
        yield f"\n## {title}\n"
        yield "| queries | differing | | held | none | given | mark | warned | size | by | runs |"
        yield "|" + " --- |" * 11
        for c in every:
            if c.group == group:
                yield _row(c)


def _row(c: Cell) -> str:
    known = ("runs", "held", "above", "below", "undefined", "warned", "tested", "rejected", "width")
    methods = {k: v for k, v in c.counts.items() if k not in known and not k.startswith("W")}
    method = " or ".join(sorted(methods, key=lambda k: -methods[k]))
    what = f"{c.measure}, {KINDS[c.kind]}" if c.kind in KINDS else "share harmed"
    size = f"{100 * _size(c):.1f}" if c.kind == "equal" else ""
    return (
        f"| {c.n:,} | {c.differing}% | {what} | {100 * c.held:.1f} | "
        f"{100 * c.counts['undefined'] / c.runs:.0f} | {100 * c.given:.1f} | {c.mark} | "
        f"{100 * c.warned:.0f} | {size} | {method} | {c.runs:,} |"
    )
