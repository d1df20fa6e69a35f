"""Costs over the ratio of what an error too low and one too high cost, on a logarithmic axis."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from reportgen.document import Axis, Strip
from reportgen.results import CostRange, CurveResult, Number
from reportgen.sections.index import Index

LEAST, MOST = 0.1, 10.0
_TICKS = ((0.1, "1 : 10"), (1 / 3, "1 : 3"), (1.0, "1 : 1"), (3.0, "3 : 1"), (10.0, "10 : 1"))
_LABEL = "cost of an error too low : cost of one too high"


def has_ratio(curve: CurveResult) -> bool:
    """Whether it is a curve of costs over asymmetries that stand for a ratio."""
    return curve.curve == "cost" and curve.params.get("loss") in ("linlin", "pinball", "quadquad")


def axis(label: str = _LABEL) -> Axis:
    """The axis, from 1 : 10 to 10 : 1."""
    return Axis(label, scale="log", low=LEAST, high=MOST, ticks=_TICKS)


def place(alpha: float) -> float:
    """The ratio of an asymmetry, as far as the axis reaches."""
    return MOST if alpha >= 1 else min(max(alpha / (1 - alpha), LEAST), MOST)


def over_ratios(curve: CurveResult) -> CurveResult:
    """The curve over ratios: the points inside the axis, and one at either end of it."""
    if not has_ratio(curve):
        return curve
    known = [x for x in curve.x if x is not None]
    ends = [r / (1 + r) for r in (LEAST, MOST)]
    inside = [x for x in known if ends[0] < x < ends[1]]
    at = [ends[0], *inside, ends[1]]
    return replace(
        curve,
        x=(LEAST, *(x / (1 - x) for x in inside), MOST),
        y=_at(curve.x, curve.y, at),
        low=_at(curve.x, curve.low, at),
        high=_at(curve.x, curve.high, at),
        band_low=_at(curve.x, curve.band_low, at),
        band_high=_at(curve.x, curve.band_high, at),
        x_unit="1",
    )


def open_ranges(
    index: Index, curves: Sequence[CurveResult], ranges: Sequence[CostRange]
) -> tuple[Strip, ...]:
    """Where the model asked about is shown to be neither cheaper nor more expensive."""
    about = index.about if any(c.model == index.about for c in curves) else curves[0].model
    return tuple(
        Strip("not shown", "x", place(each.low), place(each.high))
        for each in ranges
        if each.candidate == about
        and each.verdict == "undetermined"
        and place(each.low) < place(each.high)
    )


def _at(x: Sequence[Number], y: Sequence[Number], places: Sequence[float]) -> tuple[Number, ...]:
    """The values of a curve at these places, straight between its points; nothing of nothing."""
    pairs = [(a, b) for a, b in zip(x, y, strict=False) if a is not None]
    return tuple(_between(pairs, at) for at in places) if pairs and y else ()


def _between(pairs: Sequence[tuple[float, Number]], at: float) -> Number:
    below = [pair for pair in pairs if pair[0] <= at]
    above = [pair for pair in pairs if pair[0] >= at]
    if not below or not above:
        return None
    (x0, y0), (x1, y1) = below[-1], above[0]
    if y0 is None or y1 is None:
        return None
    return y0 if x0 == x1 else y0 + (y1 - y0) * (at - x0) / (x1 - x0)
