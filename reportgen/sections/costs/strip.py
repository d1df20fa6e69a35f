"""The strip of cost ratios: which model is cheapest where, and where the data cannot decide."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

from reportgen import wording
from reportgen.document import Axis, Figure, Panel, Reference, Series
from reportgen.results import CheapestRange, CostAnalysis
from reportgen.sections.costs import ratios
from reportgen.sections.index import Index

_Span = tuple[str | None, float, float]


def strip_figure(index: Index, costs: CostAnalysis, id_: str) -> Figure | None:
    """None where costs have no ratio, or where one model is the cheapest at every ratio shown."""
    spans = _spans(index, costs)
    if len(spans) < 2:
        return None
    asked = dict.fromkeys(made.asymmetry for made in costs.decisions)
    shown = [(_label(index, model), low, high) for model, low, high in spans]
    series = tuple(
        Series(
            _label(index, model),
            "reference" if model is None else index.role(model),
            (ratios.place(low), ratios.place(high)),
            (0.0, 0.0),
        )
        for model, low, high in spans
    )
    lines = tuple(Reference(wording.ratio(a), x=(ratios.place(a),)) for a in asked)
    panel = Panel("", ratios.axis(), Axis("", ticks=((0.0, ""),)), series, lines)
    told = "; ".join(f"{name} {wording.ALPHA.ratios(low, high)}" for name, low, high in shown)
    return Figure(
        id_,
        "spans",
        wording.cheapest_where([each for each in shown if each[0] != wording.UNDECIDED]),
        "Scores as they are. Between two neighbours that are not shown to differ in cost the data "
        f"cannot decide. n = {wording.count(index.datasets[costs.dataset].n)}.",
        f"{told}.",
        (panel,),
    )


def _label(index: Index, model: str | None) -> str:
    return wording.UNDECIDED if model is None else wording.name(index.label(model), 40)


def _spans(index: Index, costs: CostAnalysis) -> list[_Span]:
    """The stretches from low ratios to high ones, None for what is undecided."""
    envelope = sorted((e for e in costs.envelope if e.shift == "none"), key=lambda e: e.low)
    if not envelope or costs.model.is_by_row or not wording.Asymmetries.of(
        costs.model.reaches
    ).has_ratio:  # fmt: skip
        return []
    gaps = [_gap(index, costs, one, next_) for one, next_ in pairwise(envelope)]
    return [span for span in _laid(envelope, gaps) if ratios.place(span[1]) < ratios.place(span[2])]


def _laid(envelope: list[CheapestRange], gaps: list[tuple[float, float]]) -> Iterator[_Span]:
    at, last = envelope[0].low, envelope[-1].high
    ends = [*gaps, (last, last)]
    for each, (low, high) in zip(envelope, ends, strict=True):
        if low > at:
            yield each.model, at, low
        if high > max(low, at):
            yield None, max(low, at), high
        at = max(at, high)


def _gap(
    index: Index, costs: CostAnalysis, one: CheapestRange, other: CheapestRange
) -> tuple[float, float]:
    """Around the point at which two neighbours cost the same: where neither is shown cheaper."""
    pair, at = {one.model, other.model}, one.high
    found = [
        (each.low, each.high)
        for each in costs.ranges
        if each.shift == "none"
        and each.verdict == "undetermined"
        and {each.candidate, each.baseline} == pair
    ]
    found += [
        (each.low, each.high)
        for each in costs.crossings
        if each.shift == "none"
        and {each.first, each.second} == pair
        and each.low is not None
        and each.high is not None
    ]
    return next(((low, high) for low, high in found if low <= at <= high), (at, at))
