"""The study's counts as cells: a metric of one ground, of one model or a difference, one method."""

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
    "clusters": "clusters of 20 rows, correlated at 0.2",
}
KINDS = {"one": "one model", "equal": "equal models", "unequal": "unequal models"}
FULL = 4000  # runs of a cell of the whole study
COUNTED = {"runs", "left", "right", "held", "width", "undefined", "tested", "rejected", "warned"}
# Judged over all metrics of a report together: no count of one metric can hold it.
OF_ALL = {"W111"}


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
        runs = self.counts["runs"]
        size = "" if runs == FULL else f" ({runs:,} runs)"
        return f"{self.metric}, {KINDS[self.kind]}, {titled(self.ground)}{size}"

    @property
    def error(self) -> float:
        """Standard error of a share near 95 %, in points."""
        return 100 * sqrt(0.95 * 0.05 / self.counts["runs"])


def read(path: Path) -> Iterator[Cell]:
    """The cells of a ground, the counts of all its blocks added up."""
    total: dict[str, Counter[str]] = {}
    for line in path.read_text(encoding="utf-8").splitlines():
        for name, counts in json.loads(line)["cells"].items():
            total.setdefault(name, Counter()).update(counts)
    for name, counts in total.items():
        yield Cell(path.stem, *name.split(" "), counts)  # type: ignore[call-arg]


def slack(cell: Cell) -> float:
    """How far a share near 5 % may be off by chance, at 95 %."""
    return 1.96 * cell.error / 100


def used(cell: Cell) -> str:
    """The method that auto took most often."""
    taken = {
        name: count
        for name, count in cell.counts.items()
        if name not in COUNTED and not is_code(name)
    }
    return max(taken, key=lambda name: taken[name])


def codes(cell: Cell) -> list[str]:
    """The codes that fired in at least 1 % of the runs, each by itself."""
    own = (name for name in cell.counts if is_code(name) and name not in OF_ALL)
    return sorted(name for name in own if cell.share(name) >= 0.01)


def is_code(name: str) -> bool:
    return name[0] == "W" and name[1:].isdigit()


def titled(ground: str) -> str:
    """A ground in words: `zeros-100` is 70 % zeros, 100 rows."""
    population, rows = ground.split("-")[:2]
    return f"{SHOWN.get(population, population)}, {rows} rows"


def percent(share: float) -> str:
    return f"{100 * share:.1f}"
