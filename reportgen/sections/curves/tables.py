"""What a curve's figure draws, as numbers: its table and the description that is read aloud."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from reportgen import wording
from reportgen.document import Cell, Table, TableColumn
from reportgen.results import CurveResult, Number

_MOST_ACROSS = 5
_MOST_POINTS = 12
_MOST_ROWS = 24
_MOST_LEADS = 3
_NEARLY_ALWAYS = 0.95


def points_table(
    curves: Sequence[CurveResult],
    labels: Sequence[str],
    id_: str,
    axes: tuple[str, str],
    base: str = "",
) -> Table:
    """Models side by side where they share their points, else below one another; long ones thinned.

    Under each value stands the band of the whole curve, or the height called `base` below it.
    """
    is_shared = len(curves) <= _MOST_ACROSS and len({curve.x for curve in curves}) == 1
    most = _MOST_POINTS if is_shared else max(_MOST_ROWS // len(curves), 3)
    longest = max(len(curve.x) for curve in curves)
    step = max(-(-(longest - 1) // (most - 1)), 1)
    chosen = range(0, longest, step)
    x_column = TableColumn(wording.capital(axes[0]))
    thin = f" Every {step}th point." if step > 1 else ""
    beneath = f"the {base} value" if base else "the band of the whole curve"
    caption = f"{wording.capital(axes[1])}, with {beneath}.{thin}"
    if is_shared:
        columns = (x_column, *(TableColumn(label) for label in labels))
        rows = tuple((_x(curves[0], i), *(_y(c, i, base) for c in curves)) for i in chosen)
    else:
        columns = (
            TableColumn("Model", is_numeric=False),
            x_column,
            TableColumn(wording.capital(axes[1])),
        )
        rows = tuple(
            (Cell(label), _x(c, i), _y(c, i, base))
            for c, label in zip(curves, labels, strict=True)
            for i in chosen
            if i < len(c.x)
        )
    return Table(f"{id_}-table", caption, columns, rows, is_folded=True)


def description(curve: CurveResult, label: str) -> str:
    """Where a curve starts, ends, and how far it reaches."""
    ys = [y for y in curve.y if y is not None]
    if not ys:
        return f"{label}: undefined."
    form = wording.form_of(max(ys, key=abs), min(ys), max(ys), curve.y_unit)
    fine = replace(form, decimals=form.decimals + 1)
    return (
        f"{label}: from {fine.number(ys[0])} at the left to {fine.number(ys[-1])} at the right, "
        f"lowest {fine.number(min(ys))}, highest {fine.number(max(ys))}."
    )


def leads(shares: Sequence[CurveResult], labels: Sequence[str], against: str) -> list[str]:
    """At how many points a candidate, or the other, is ahead in nearly all resamples."""
    said = []
    for curve, label in list(zip(shares, labels, strict=True))[:_MOST_LEADS]:
        known = [y for y in curve.y if y is not None]
        up = sum(y >= _NEARLY_ALWAYS for y in known)
        down = sum(y <= 1 - _NEARLY_ALWAYS for y in known)
        said.append(
            f"{label} is ahead in at least {wording.percent(_NEARLY_ALWAYS)} of the resamples at "
            f"{up} of {len(known)} points, {against} at {down}."
        )
    left = len(shares) - _MOST_LEADS
    return [*said, f"The numbers show {wording.count(left, 'other')}."] if left > 0 else said


def without_zeros(curve: CurveResult) -> CurveResult:
    """A distribution without its bar of exact zeros, bars that have names evenly spaced.

    Bars of uneven width, as on a logarithmic axis, are drawn evenly: their names say the width.
    """
    kept = [i for i in range(len(curve.x)) if i >= len(curve.x_labels) or curve.x_labels[i] != "0"]
    names = ("x", "y", "low", "high", "band_low", "band_high", "x_labels", "base")
    cut: dict[str, Any] = {name: _picked(getattr(curve, name), kept) for name in names}
    if len(cut["x_labels"]) == len(kept):
        cut["x"] = tuple(float(i) for i in range(len(kept)))
    return replace(curve, **cut)


def _picked(values: tuple[Any, ...], kept: Sequence[int]) -> tuple[Any, ...]:
    return tuple(values[i] for i in kept if i < len(values))


def _x(curve: CurveResult, place: int) -> Cell:
    x = curve.x[place]
    if place < len(curve.x_labels):
        return Cell(wording.name(curve.x_labels[place]), value=x)
    form = wording.form_of(x, None, None, curve.x_unit)
    if curve.x_unit != "share" and x is not None and x.is_integer():
        form = wording.Form(0)
    return Cell(form.number(x), value=x)


def _y(curve: CurveResult, place: int, base: str = "") -> Cell:
    y = curve.y[place]
    if base and (below := _at(curve.base, place, curve)) is not None:
        form = wording.form_of(y, below, None, curve.y_unit)
        return Cell(form.number(y), note=f"{base} {form.number(below)}", value=y)
    low = _at(curve.band_low or curve.low, place, curve)
    high = _at(curve.band_high or curve.high, place, curve)
    form = wording.form_of(y, low, high, curve.y_unit)
    band = form.interval(low, high)
    return Cell(form.number(y), note="" if band == wording.MISSING else band, value=y)


def _at(bounds: tuple[Number, ...], place: int, curve: CurveResult) -> Number:
    return bounds[place] if len(bounds) == len(curve.x) else None
