"""The counts of two classes as a page: one table a population, and before them what fell short."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from math import sqrt
from typing import Any

from blocks_of_runs import by_ground
from class_grounds import FRESH, PLAIN, SHAPED

GREEN, AMBER, WARNED = 0.93, 0.90, 0.95
SIZE, CHANCE = 0.065, 0.01
MARKS = ("green", "amber", "red", "none")
LIMITS = ("one", "equal", "unequal")  # of one number
KINDS = {
    "one": "one model",
    "equal": "equal models",
    "unequal": "unequal models",
    "band": "whole curve",
    "equal bands": "whole difference, equal models",
    "unequal bands": "whole difference, unequal models",
    "by chance": "right probabilities",
}
HEAD = """# Coverage of intervals of two classes

Made by `python benchmarks/coverage_classes.py`, then `--table`. Scores are binormal; of each
sample 499 resamples. With uneven weights rows are worth half their number; of clusters, class and
scores correlate at 0.2 within one. Calls begin at 0.3, a tenth of the rows stands at the top, a
missed positive costs five false alarms. The truth is the value on 1,000,000 rows.

- *held*: share of the samples whose 95% interval holds the truth, in %; *below* and *above*: where
  the truth lay otherwise; *none*: how often no interval was given, with the reason on the page.
- *of those*: share of the intervals given that hold the truth, where some are not given.
- *mark*: of the intervals given under 90% hold (red), under 93% (amber), or most are not given.
- *warned*: share of the samples in which a warning stood beside the number, and the codes.
- *size*: how often the test of equal models rejects at 5%, of the samples that have one; empty
  where the test has become another one since.
- Of a whole curve: how often all of it lies within its band, wherever it has one. The band of
  *right probabilities* is what they would show, and is to hold the curve drawn.
- The standard error of a share near 95% is 1.1 points for 400 runs and 0.3 for 4,400, which 36
  cells have: of 100 cells of 400 runs that hold exactly 95%, none is red by chance.
- All measures of calls of a population are judged in the same samples, and all others in the same,
  so that what these happen to be shows in many cells at once.

All of it is of {day}, the commit "{commit}", on runs from 500,100 on (measures and curves), from
700,100 on (calls) and from 900,000 on (cells of 4,400), at which nobody had looked. Since then
calls that are alike on every row of a sample have limits (samples with W109 had none), and areas,
maxima and places in clusters are tested by Student's t: measures and calls with clusters are of
that commit, "Test areas in clusters as their limits are made", and the cost of calls and the net
benefit of "Know what rarely paid prices cost from the shares that pay them", on the same samples.
Limits were chosen on runs 0 to 400 (W101 under 30, 15 and 200 rows of a class, W127, three rows
beside a place of a band), on runs 100,000 to 100,250 (exact limits under ten rows of a kind at an
end of the ranking, as under ten of a proportion elsewhere; two rows more of each kind under the
bands of costs and decisions, as for a proportion elsewhere; degrees of freedom of areas by a
formula with nothing to choose) and on runs 200,000 to 200,120 (W101 where under 10 rows decide what
calls make, or under 15 a difference). {fresh} had been drawn from for none of these but the last.
Beside measures of calls it is not counted that probabilities are not right (W119, W120 and W123).

"""
COMMIT, DAY = "Let the band of right probabilities hold over all of a figure's cells", "2026-11-26"


def table(lines: Iterable[Mapping[str, Any]]) -> str:
    """All that has been run, as a page."""
    total = by_ground(lines)
    grounds = [each.name for each in (*PLAIN, *SHAPED, *FRESH) if each.name in total]
    parts = [
        HEAD.format(
            day=DAY,
            commit=COMMIT,
            fresh=" and ".join(f'"{each.name}"' for each in FRESH),
        ),
        *in_short(total),
    ]
    for ground in grounds:
        parts.append(f"\n## {ground[0].upper()}{ground[1:]}\n\n")
        parts.append(table_of(total[ground]))
    return "".join(parts)


def in_short(total: Mapping[str, Mapping[str, Counter[str]]]) -> Iterator[str]:
    """How many cells have each mark, the red ones, and those that mostly have no interval."""
    cells = [(g, cell, seen) for g, cells in total.items() for cell, seen in cells.items()]
    yield f"## In short\n\n| of | cells | {' | '.join(MARKS)} |\n" + "| --- " * 6 + "|\n"
    for kind, words in KINDS.items():
        marks = Counter(mark(seen) for _, cell, seen in cells if cell.endswith(f"|{kind}"))
        yield f"| {words} | {marks.total()} | {' | '.join(str(marks[m]) for m in MARKS)} |\n"
    red = [each for each in cells if mark(each[2]) == "red"]
    of_curves = [each for each in red if kind_of(each[1]) not in LIMITS]
    rest = [each for each in red if kind_of(each[1]) in LIMITS]
    known = [each for each in rest if share(each[2], "warned") >= WARNED]
    yield from _listed("Red, and warned of in at least 95% of the samples", known)
    yield from _listed("Red, and warned of in fewer", [each for each in rest if each not in known])
    yield from _listed("Red bands of whole curves", of_curves)
    liberal = [each for each in cells if _is_liberal(each[1], each[2])]
    limit = percent(SIZE)
    yield f"\n**Tests that reject over {limit}%, beyond chance**: {len(liberal) or 'none'}.\n\n"
    for ground, cell, seen in liberal:
        size, name = percent(seen["rejected"] / seen["tested"]), cell.partition("|")[0]
        yield f"- {name}, {ground} ({seen['tested']} tests): {size}\n"
    absent: dict[tuple[str, str], list[str]] = {}
    for ground, cell, seen in cells:
        if mark(seen) == "none":
            absent.setdefault((ground, kind_of(cell)), []).append(cell.partition("|")[0])
    yield "\n**No interval, or no band, in over half of the samples**:\n\n"
    for (ground, kind), names in absent.items():
        yield f"- {ground}, {KINDS[kind]}: {', '.join(names)}\n"


def _listed(title: str, cells: list[tuple[str, str, Counter[str]]]) -> Iterator[str]:
    sure = [each for each in cells if not _may_be_chance(each[2])]
    rest = len(cells) - len(sure)
    few = f", and {rest} more of so few runs that chance may be it" if rest else ""
    yield f"\n**{title}**: {len(sure) or 'none'}{few}.\n\n"
    yield from (_red(*each) for each in sure)


def _may_be_chance(seen: Counter[str]) -> bool:
    """Whether one of a hundred cells that hold exactly 95% holds as rarely in so many runs."""
    from scipy.stats import binom

    there = seen["runs"] - seen["undefined"]
    return bool(binom.cdf(seen["held"], there, 0.95) >= CHANCE)


def _red(ground: str, cell: str, seen: Counter[str]) -> str:
    name, kind = cell.partition("|")[0], kind_of(cell)
    codes = " ".join(f"{key} {100 * share(seen, key):.0f}" for key in codes_of(seen)) or "no code"
    warned = f", warned {100 * share(seen, 'warned'):.0f} ({codes})" if kind in LIMITS else ""
    held = percent(seen["held"] / (seen["runs"] - seen["undefined"]))
    return f"- {name}, {KINDS[kind]}, {ground} ({seen['runs']} runs): {held}{warned}\n"


def _is_liberal(cell: str, seen: Counter[str]) -> bool:
    """Whether equal models are found to differ too often, by two standard errors."""
    tested = seen["tested"]
    if kind_of(cell) != "equal" or not tested:
        return False
    return seen["rejected"] / tested - 2 * sqrt(0.05 * 0.95 / tested) > SIZE


def kind_of(cell: str) -> str:
    """Of what a cell is."""
    return cell.partition("|")[2]


def table_of(cells: Mapping[str, Counter[str]]) -> str:
    """The cells of one population."""
    head = (
        "measure",
        "of",
        "runs",
        "held",
        "below",
        "above",
        "none",
        "of those",
        "mark",
        "warned",
        "codes",
        "size",
    )
    lines = [f"| {' | '.join(head)} |\n", "| --- " * len(head) + "|\n"]
    place = {kind: k for k, kind in enumerate(KINDS)}
    for cell in sorted(cells, key=lambda cell: place[cell.partition("|")[2]]):
        lines.append(_line(cell, cells[cell]))
    return "".join(lines)


def _line(cell: str, seen: Counter[str]) -> str:
    name, _, kind = cell.partition("|")
    shown = [percent(share(seen, key)) for key in ("held", "below", "above", "undefined")]
    if kind not in LIMITS:
        shown[1:3] = "", ""
    there = seen["runs"] - seen["undefined"]
    of_those = percent(seen["held"] / there) if seen["undefined"] and there else ""
    size = percent(seen["rejected"] / seen["tested"]) if kind == "equal" and seen["tested"] else ""
    told = " ".join(f"{key} {100 * share(seen, key):.0f}" for key in codes_of(seen))
    warned = f"{100 * share(seen, 'warned'):.0f}" if kind in LIMITS else ""
    each = (name, KINDS[kind], str(seen["runs"]), *shown, of_those, mark(seen), warned, told, size)
    return f"| {' | '.join(each)} |\n"


def codes_of(seen: Counter[str]) -> list[str]:
    """The codes of the warnings that spoke."""
    return sorted(key for key in seen if key[0] == "W" and key[1:].isdigit())


def mark(seen: Counter[str]) -> str:
    """green, amber or red by the intervals that are there; none where most samples have none."""
    there = seen["runs"] - seen["undefined"]
    if there < seen["runs"] / 2:
        return "none"
    held = seen["held"] / there
    return "red" if held < AMBER else "amber" if held < GREEN else "green"


def share(seen: Counter[str], key: str) -> float:
    """Share of the runs in which this was counted."""
    return seen[key] / seen["runs"]


def percent(number: float) -> str:
    """A share in hundredths."""
    return f"{100 * number:.1f}"
