"""Small tables of twenty to sixty rows for the configs of `language_cases.py`, odd in every way."""

from __future__ import annotations

import csv
import io
import json
import math
import random
from dataclasses import dataclass

Draw = random.Random
Cell = str | float | int
TEXTS = (
    "x",
    "Ünïcode τ",
    "a" * 3000,
    "<script>alert(1)</script>",
    "| a | b |",
    "`x` $y$ \\z{}",
    "\u202eright to left",
    "\x1b[31mred",
    "bell\x07",
    "\x85\u2028",
    "two\nlines",
    "tab\there",
    "😀",
    "#{1}",
    "*bold*",
    "@name",
    "-",
    "null",
    "1",
    ".inf",
    "2026-11-21",
    "e\u0301",
    "\ue000",
    "𝔘",
    "   ",
    "Http://x.y",
    "#123",
    "\ufeff",
    "%s %d {0}",
    "()",
    "A & B",
    "'q'",
    '"q"',
    "=1+1",
    "$${x}",
)
NUMBERS = (
    0,
    -0.0,
    1,
    -1,
    0.5,
    1e308,
    -1e308,
    1e-320,
    5e-324,
    1e15,
    1e-15,
    2**53 + 1,
    10**299,
    float("inf"),
    float("-inf"),
    float("nan"),
)

BAD_CELLS: tuple[Cell, ...] = (
    "",
    " ",
    "NA",
    "nan",
    "x",
    "1,5",
    "1e400",
    "-inf",
    "9" * 5000,
    "\x1b[31m",
    "0x10",
    "1_000",
    "-",
    1e60,
    -1e60,
    1e-60,
    5e-324,
    -1,
    0,
    10**30,
    "2026-02-30",
    "true",
    "r001",
)


def text(draw: Draw) -> str:
    """A text that somebody may write as a title or a name; mostly a plain one."""
    return draw.choice(TEXTS) if draw.random() < 0.5 else f"name {draw.randint(1, 9999)}"


def extreme(draw: Draw) -> float:
    """A number at the end of something."""
    return draw.choice(NUMBERS)


@dataclass
class Columns:
    """A table: its columns by name, and the name of the file that it is written to."""

    cells: dict[str, list[Cell]]
    file: str

    def csv(self) -> bytes:
        """The table as CSV."""
        out = io.StringIO()
        writer = csv.writer(out)
        writer.writerow(self.cells)
        writer.writerows(zip(*self.cells.values(), strict=True))
        return out.getvalue().encode()

    def written(self) -> bytes:
        """The table as what its name says it is."""
        if self.file.endswith(".csv"):
            return self.csv()
        rows = zip(*self.cells.values(), strict=True)
        lines = (json.dumps(dict(zip(self.cells, row, strict=True))) for row in rows)
        return ("\n".join(lines) + "\n").encode()


def spoil(draw: Draw, columns: Columns) -> None:
    """One thing about a table changed into what a file should not hold."""
    cells = columns.cells
    name = draw.choice(list(cells))
    if draw.random() < 0.7:
        for _ in range(draw.choice((1, 1, 3, 20))):
            cells[name][draw.randrange(len(cells[name]))] = draw.choice(BAD_CELLS)
    elif draw.random() < 0.3:
        del cells[name]
    elif draw.random() < 0.5:
        cells[draw.choice(TEXTS)] = cells[name]
    else:
        left = draw.choice((0, 1, 2, 3))
        for column in cells:
            cells[column] = cells[column][:left]


def table_of(draw: Draw) -> Columns:
    """A table with every kind of column that a config can name."""
    n = draw.randint(20, 60)
    y = _amounts(draw, n)
    region = draw.choice((["a", "b"], ["a", "τ|b", "<i>", "=x"], ["one"], [text(draw), "z"]))
    width = [abs(draw.gauss(1, 1)) + 1e-9 for _ in range(n)]
    centre = _score(draw, y)
    age = [draw.randint(0, 90) for _ in range(n)]
    cluster = [draw.randint(0, draw.choice((1, 6, n))) for _ in range(n)]
    cells: dict[str, list[Cell]] = {
        "id": [f"r{i:03}" for i in range(n)] if draw.random() < 0.7 else list(range(n)),
        "y": list(y),
        **{f"score {i}": list(_score(draw, y)) for i in range(4)},
        "mean": list(centre),
        "sd": list(width),
        **{
            f"q{level}": [c + w * (level - 50) / 40 for c, w in zip(centre, width, strict=True)]
            for level in (10, 50, 90)
        },
        "weight": _weights(draw, n),
        "cluster": list(cluster),
        "stratum of cluster": [each % 2 for each in cluster],
        "query": [f"q{draw.randint(0, 8)}" for _ in range(n)],
        "flag": [draw.choice(("f", "g")) for _ in range(n)],
        "time": _times(draw, n),
        "region": [draw.choice(region) for _ in range(n)],
        "age": list(age),
    }
    return Columns(cells, "data.csv" if draw.random() < 0.9 else "data.jsonl")


def with_three_classes(draw: Draw, columns: Columns, names: tuple[str, ...]) -> None:
    """The same table where y is one of some names, with a probability of each and calls."""
    cells, n = columns.cells, len(columns.cells["y"])
    share = draw.choice(((5, 3, 1), (1, 1, 1), (9, 1, 0)))
    y = draw.choices(names, share, k=n)
    cells["y"] = list(y)
    cells["second"] = [draw.choice((each, each, each, draw.choice(names), None)) for each in y]
    for model in range(4):
        raw = [[draw.random() + (name == is_) for name in names] for is_ in y]
        cells[f"called {model}"] = [names[row.index(max(row))] for row in raw]
        for k, name in enumerate(names):
            cells[f"m{model} {name}"] = [row[k] / sum(row) for row in raw]


def with_labels(draw: Draw, columns: Columns, names: tuple[str, ...]) -> None:
    """The same table where a row has any of some labels: in columns, in a list, and as calls."""
    cells, n = columns.cells, len(columns.cells["y"])
    share = draw.choice(((0.6, 0.4, 0.2), (0.9, 0.5, 0), (0.3, 0.3, 0.3)))
    had = [[draw.random() < p for p in share] for _ in range(n)]
    cells["tags"] = [
        ";".join(name for name, is_ in zip(names, row, strict=True) if is_) for row in had
    ]
    for k, name in enumerate(names):
        cells[f"y {name}"] = [int(row[k]) for row in had]
        for model in range(4):
            p = [min(1.0, max(0.0, 0.6 * draw.random() + 0.4 * row[k])) for row in had]
            cells[f"m{model} {name}"] = p
            cells[f"called {model} {name}"] = [int(x >= 0.5) for x in p]


def with_two_classes(draw: Draw, columns: Columns) -> None:
    """The same table where y is 0 or 1, and most scores lie between them."""
    cells, n = columns.cells, len(columns.cells["y"])
    shape = draw.choice(("usual",) * 6 + ("none", "all", "one"))
    y = {
        "usual": [draw.choice((0, 0, 1)) for _ in range(n)],
        "none": [0] * n,
        "all": [1] * n,
        "one": [1] + [0] * (n - 1),
    }[shape]
    cells["y"] = list(y)
    cells["second"] = [draw.choice((each, each, each, 1 - each, None)) for each in y]
    for number in range(4):
        cells[f"score {number}"] = list(_probability(draw, y))


def _probability(draw: Draw, y: list[int]) -> list[float]:
    """What a model said of two classes: between 0 and 1 mostly."""
    shape = draw.choice(("near",) * 6 + ("sure", "equal", "ties", "tiny", "outside"))
    near = [min(1.0, max(0.0, draw.gauss(0.3 + 0.4 * each, 0.2))) for each in y]
    return {
        "near": near,
        "sure": [float(each) for each in y],
        "equal": [0.5] * len(y),
        "ties": [round(each, 1) for each in near],
        "tiny": [draw.choice((0.0, 5e-324, 1e-300, 1 - 1e-16, 1.0)) for _ in y],
        "outside": [draw.gauss(0, 3) for _ in y],
    }[shape]


def _amounts(draw: Draw, n: int) -> list[float]:
    """What happened: of a usual shape mostly, else at an end of what numbers can be."""
    shape = draw.choice(("usual",) * 6 + ("ties", "equal", "heavy", "huge", "tiny", "far", "flag"))
    usual = [max(0.0, round(draw.gauss(20, 15), 2)) for _ in range(n)]
    return {
        "usual": usual,
        "ties": [float(int(each) // 10) for each in usual],
        "equal": [3.5] * n,
        "heavy": [math.exp(draw.gauss(0, 4)) for _ in range(n)],
        "huge": [each * 1e40 for each in usual],
        "tiny": [each * 1e-48 for each in usual],
        "far": [each + 1e12 for each in usual],
        "flag": [float(each > 20) for each in usual],
    }[shape]


def _score(draw: Draw, y: list[float]) -> list[float]:
    """What a model said: near y mostly."""
    size = max(map(abs, y)) or 1.0
    shape = draw.choice(("near",) * 6 + ("same", "equal", "ties", "turned", "wild"))
    return {
        "near": [each + draw.gauss(0, 0.2) * size for each in y],
        "same": list(y),
        "equal": [size / 2] * len(y),
        "ties": [float(round(each / size * 3)) * size for each in y],
        "turned": [-each for each in y],
        "wild": [draw.choice((0.0, 1e-320, -1e40, 1e40, size)) for _ in y],
    }[shape]


def _weights(draw: Draw, n: int) -> list[Cell]:
    shape = draw.choice(("usual", "usual", "whole", "zeros", "one", "tiny", "huge"))
    usual = [round(draw.uniform(0.5, 2), 3) for _ in range(n)]
    return {
        "usual": usual,
        "whole": [draw.randint(1, 4) for _ in range(n)],
        "zeros": [draw.choice((0, 1)) for _ in range(n)],
        "one": [1e9, *usual[1:]],
        "tiny": [each * 1e-29 for each in usual],
        "huge": [each * 1e29 for each in usual],
    }[shape]  # type: ignore[return-value]


def _times(draw: Draw, n: int) -> list[Cell]:
    days = [draw.randint(1, 28) for _ in range(n)]
    if draw.random() < 0.5:
        return [f"2026-{1 + i % 12:02}-{day:02}" for i, day in enumerate(days)]
    return [each / draw.choice((1, 3)) for each in range(n)]
