"""What a curve's figure draws, as numbers: its table and the description that is read aloud."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from reportgen import wording
from reportgen.document import Cell, Column, Table
from reportgen.results import CurveResult, Number

_MOST_POINTS = 50


def points_table(
    curves: Sequence[CurveResult], labels: Sequence[str], id_: str, axes: tuple[str, str]
) -> Table:
    """Every point, or every k-th of a long curve, with the band of the whole curve."""
    longest = max(len(curve.x) for curve in curves)
    step = -(-longest // _MOST_POINTS)
    columns = (
        Column("Model", is_numeric=False),
        Column(wording.capital(axes[0])),
        Column(wording.capital(axes[1])),
        Column("Band"),
    )
    rows = tuple(
        row
        for curve, label in zip(curves, labels, strict=True)
        for row in _points(curve, label, step)
    )
    thin = f" Every {step}th point." if step > 1 else ""
    return Table(f"{id_}-table", f"What is drawn.{thin}", columns, rows, is_folded=True)


def description(curve: CurveResult, label: str) -> str:
    """Where a curve starts, ends, and how far it reaches."""
    ys = [y for y in curve.y if y is not None]
    if not ys:
        return f"{label}: undefined."
    form = wording.form_of(max(ys, key=abs), min(ys), max(ys), curve.y_unit)
    fine = wording.Form(form.decimals + 1, form.unit)
    return (
        f"{label}: from {fine.number(ys[0])} at the left to {fine.number(ys[-1])} at the right, "
        f"lowest {fine.number(min(ys))}, highest {fine.number(max(ys))}."
    )


def without_zeros(curve: CurveResult) -> CurveResult:
    """A distribution without its bar of exact zeros, bars that have names evenly spaced.

    Bars of uneven width, as on a logarithmic axis, are drawn evenly: their names say the width.
    """
    kept = [i for i in range(len(curve.x)) if i >= len(curve.x_labels) or curve.x_labels[i] != "0"]
    names = ("x", "y", "low", "high", "band_low", "band_high", "x_labels")
    cut: dict[str, Any] = {name: _picked(getattr(curve, name), kept) for name in names}
    if len(cut["x_labels"]) == len(kept):
        cut["x"] = tuple(float(i) for i in range(len(kept)))
    return replace(curve, **cut)


def _picked(values: tuple[Any, ...], kept: Sequence[int]) -> tuple[Any, ...]:
    return tuple(values[i] for i in kept if i < len(values))


def _points(curve: CurveResult, label: str, step: int) -> list[tuple[Cell, ...]]:
    lows = _padded(curve.band_low or curve.low, curve)
    highs = _padded(curve.band_high or curve.high, curve)
    rows: list[tuple[Cell, ...]] = []
    for place in range(0, len(curve.x), step):
        x, y = curve.x[place], curve.y[place]
        named = curve.x_labels[place] if place < len(curve.x_labels) else ""
        form = wording.form_of(y, lows[place], highs[place], curve.y_unit)
        at = wording.form_of(x, None, None, curve.x_unit).number(x)
        rows.append(
            (
                Cell(label),
                Cell(wording.name(named) if named else at, value=x),
                Cell(form.number(y), value=y),
                Cell(form.interval(lows[place], highs[place])),
            )
        )
    return rows


def _padded(bounds: tuple[Number, ...], curve: CurveResult) -> tuple[Number, ...]:
    return bounds if len(bounds) == len(curve.x) else (None,) * len(curve.x)
