"""Figures of single queries: both values of each, their differences, and grades by rank."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from reportgen import wording
from reportgen.document import Axis, Figure, Panel, Reference, Series
from reportgen.results import GradesByRank, MetricInfo, Number, PairedValues, Wins
from reportgen.sections.index import Index

_MOST_PAIRS = 4
_MOST_MODELS = 4
_FEWEST = 10  # rows of which the spread is drawn
_TOLD = 0.005  # the smallest share that is written in its cell


def figures(index: Index, wins: Sequence[Wins]) -> Iterator[Figure]:
    """Both values of each row and the spread of differences, then the grades at each rank."""
    mine = [pair for pair in index.sensitivity.pairs if pair.dataset == index.main.name]
    mine.sort(key=lambda pair: index.role(pair.candidate) == "other")
    if mine and mine[0].n >= _FEWEST:
        metric = next(m for m in index.results.metrics if m.key == mine[0].key)
        yield _scatter(index, mine[:_MOST_PAIRS], metric)
        yield _histogram(index, mine[:_MOST_PAIRS], metric, wins)
    grades = [each for each in index.sensitivity.grades if each.dataset == index.main.name]
    if grades:
        yield _grades(index, grades)


def _names(index: Index, pair: PairedValues) -> tuple[str, str]:
    candidate, baseline = (
        wording.name(index.label(each), 30) for each in (pair.candidate, pair.baseline)
    )
    return candidate, baseline


def _scatter(index: Index, pairs: Sequence[PairedValues], metric: MetricInfo) -> Figure:
    one, many = map(wording.name, index.main.case)
    is_boxed = pairs[0].width > 0
    what = f"a box for the {many} with these values, darker where they are more" if is_boxed else (
        f"a dot for each {one}")  # fmt: skip
    label = wording.name(metric.label)
    return Figure(
        "queries-scatter",
        "scatter",
        f"{label} of each {one}, a candidate against its baseline",
        f"{wording.capital(what)}. Above the diagonal the candidate is ahead. "
        f"n = {wording.count(pairs[0].n)}.",
        " ".join(
            f"{label} of {wording.count(pair.n)} {many}, {a} against {b}."
            for pair in pairs
            for a, b in [_names(index, pair)]
        ),
        tuple(_dots(index, pair) for pair in pairs),
        has_equal_axes=True,
    )


def _dots(index: Index, pair: PairedValues) -> Panel:
    candidate, baseline = _names(index, pair)
    half = pair.width / 2
    known = [v for v in (*pair.x, *pair.y) if v is not None]
    low, high = min(0.0, min(known) - half), max(known) + half
    high = high if high > low else low + 1
    size = pair.count if pair.width else ()
    dots = Series(candidate, index.role(pair.candidate), pair.x, pair.y, size=size, has_line=False)
    room = 0.03 * (high - low)
    diagonal = Reference("", x=(low, high), y=(low, high))
    across, up = (Axis(name, low=low - room, high=high + room) for name in (baseline, candidate))
    return Panel("", across, up, (dots,), (diagonal,))


def _histogram(
    index: Index, pairs: Sequence[PairedValues], metric: MetricInfo, wins: Sequence[Wins]
) -> Figure:
    many = wording.name(index.main.case[1])
    level = {(w.candidate, w.baseline): w.level for w in wins if w.key == metric.key}
    said = [
        f"{_names(index, pair)[0]} is level with {_names(index, pair)[1]} on "
        f"{wording.count(level.get((pair.candidate, pair.baseline), 0))} of "
        f"{wording.count(pair.n)} {many}"
        for pair in pairs
    ]
    return Figure(
        "queries-spread",
        "histogram",
        f"Differences in {wording.name(metric.label)}: {said[0]}",
        f"How many {many} differ by how much in {wording.name(metric.label)}; to the right of 0 "
        f"the candidate is ahead. {wording.capital(many)} that are level are not drawn: "
        f"{wording.listed(said)}.",
        ". ".join(said) + ".",
        tuple(_bars(index, pair) for pair in pairs),
        shares_axes=True,
    )


def _bars(index: Index, pair: PairedValues) -> Panel:
    candidate, baseline = _names(index, pair)
    bars = Series(candidate, index.role(pair.candidate), pair.edges, pair.bars)
    rows = wording.name(index.main.case[1])
    return Panel(
        f"{candidate} − {baseline}", Axis("difference"), Axis(rows, low=0.0), (bars,),
        (Reference("", x=(0.0,)),),
    )  # fmt: skip


def _grades(index: Index, found: Sequence[GradesByRank]) -> Figure:
    shown = sorted(found, key=lambda each: index.role(each.model) == "other")[:_MOST_MODELS]
    ranks, many = len(shown[0].shares[0]), wording.name(index.main.case[1])
    more = "" if len(shown) == len(found) else f" {len(shown)} of {len(found)} models."
    first = [
        f"{wording.percent(_first(each))} for {wording.name(index.label(each.model), 30)}"
        for each in shown
    ]
    title = f"At rank 1 stands a document of the highest grade: {wording.listed(first)}"
    return Figure(
        "queries-grades",
        "matrix",
        title,
        f"At each of the first {ranks} ranks the percentage of {many} with a document of each "
        "grade, or one that nobody judged, as a mean over the orders of tied documents. What is "
        f"left to 100 has no document so far down.{more}",
        f"{title}.",
        tuple(_cells(index, each) for each in shown),
    )


def _first(found: GradesByRank) -> Number:
    return found.shares[0][0]


def _cells(index: Index, found: GradesByRank) -> Panel:
    cells = [
        (float(k + 1), float(g), share)
        for g, shares in enumerate(found.shares)
        for k, share in enumerate(shares)
    ]
    names = ["not judged" if grade is None else f"grade {grade:g}" for grade in found.grades]
    ranks = len(found.shares[0])
    step = 1 if ranks <= 10 else 5
    ticks = tuple((float(k), str(k)) for k in range(1, ranks + 1) if k % step == 0 or k == 1)
    series = Series(
        wording.name(index.label(found.model), 40),
        index.role(found.model),
        tuple(x for x, _, _ in cells),
        tuple(y for _, y, _ in cells),
        size=tuple(share for _, _, share in cells),
        texts=tuple(_written(share) for _, _, share in cells) if ranks <= 10 else (),
    )
    return Panel(
        series.label,
        Axis("rank", low=0.5, high=ranks + 0.5, ticks=ticks),
        Axis("", low=-0.5, high=len(names) - 0.5, ticks=tuple(
            (float(g), text) for g, text in enumerate(names))),
        (series,),
    )  # fmt: skip


def _written(share: Number) -> str:
    """The share in percent without its sign; nothing of next to none."""
    return "" if share is None or share < _TOLD else f"{100 * share:.0f}"
