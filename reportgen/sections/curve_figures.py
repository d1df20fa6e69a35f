"""A figure from the curves of one name: every model in one pair of axes, bands drawn."""

from __future__ import annotations

from collections.abc import Sequence
from math import isfinite

from reportgen import wording
from reportgen.document import Axis, Cell, Column, Figure, Panel, Reference, Series, Table
from reportgen.results import CurveResult, DatasetInfo, Number
from reportgen.sections.cells import shown
from reportgen.sections.curve_words import CurveWords, words_of
from reportgen.sections.index import Index

_MOST_POINTS = 50
_MOST_PANELS = 10


def figures(index: Index, section: str, home: str) -> list[Figure]:
    """The figures of a section, in the order the curves came; `home` takes unknown curves."""
    groups: dict[tuple[object, ...], list[CurveResult]] = {}
    for curve in index.results.curves:
        if words_of(curve.curve, home).section == section and curve.status == "ok":
            params = tuple(sorted(curve.params.items()))
            key = (curve.dataset, curve.segment, curve.curve, params, curve.baseline is None)
            groups.setdefault(key, []).append(curve)
    return [
        _figure(index, curves, words_of(curves[0].curve, home), f"curve-{place}")
        for place, curves in enumerate(groups.values(), 1)
    ]


def _figure(index: Index, curves: Sequence[CurveResult], words: CurveWords, suffix: str) -> Figure:
    first = curves[0]
    names = _names(index, first)
    panels = (
        tuple(_panel(index, [curve], words, names, index.label(curve.model)) for curve in
              curves[:_MOST_PANELS])
        if words.drawing == "histogram"
        else (_panel(index, curves, words, names, ""),)
    )  # fmt: skip
    id_ = f"{first.curve.replace('_', '-')}-{suffix}"
    return Figure(
        id_,
        words.drawing,
        _title(index, curves, words, names),
        _caption(index, curves, words, names),
        " ".join(_described(index, curve) for curve in curves),
        panels,
        width="half" if words.has_equal_axes else "full",
        table=_table(index, curves, id_, words, names),
        shares_axes=words.drawing == "histogram",
        has_equal_axes=words.has_equal_axes,
    )


def _panel(
    index: Index,
    curves: Sequence[CurveResult],
    words: CurveWords,
    names: dict[str, str],
    title: str,
) -> Panel:
    first = curves[0]
    ticks = tuple(
        (x, label) for x, label in zip(first.x, first.x_labels, strict=False) if x is not None
    )
    y_label = words.y_label.format_map(names)
    if first.baseline is not None:
        y_label = f"difference in {y_label}"
    return Panel(
        wording.name(title, 40),
        Axis(words.x_label.format_map(names), ticks=ticks),
        Axis(y_label),
        tuple(_series(index, curve, words) for curve in curves),
        _references(index, first, words),
    )


def _series(index: Index, curve: CurveResult, words: CurveWords) -> Series:
    role = index.role(curve.model) if curve.model else "reference"
    return Series(
        wording.name(index.label(curve.model), 40),
        role,
        curve.x,
        curve.y,
        curve.low,
        curve.high,
        curve.band_low,
        curve.band_high,
        has_markers=words.has_markers,
    )


def _references(index: Index, curve: CurveResult, words: CurveWords) -> tuple[Reference, ...]:
    if curve.baseline is not None:
        return (Reference("no difference", y=(0.0,)),)
    lines = []
    for key, label in words.marks.items():
        level = curve.marks.get(key)
        if level is not None:
            text = wording.form_of(level, None, None, curve.y_unit).amount(level)
            lines.append(Reference(f"{label}: {text}", y=(level,)))
    if words.has_diagonal:
        ends = [v for v in (*curve.x, *curve.y) if v is not None and isfinite(v)]
        reach = (min(ends, default=0.0), max(ends, default=1.0))
        lines.append(Reference("diagonal", x=reach, y=reach))
    return tuple(lines)


def _title(
    index: Index, curves: Sequence[CurveResult], words: CurveWords, names: dict[str, str]
) -> str:
    """The finding where there is one to quote, else what is drawn."""
    plain = wording.capital(words.title.format_map(names))
    if curves[0].baseline is not None:
        return _difference_title(index, curves, plain)
    if words.drawing == "histogram":
        return _zeros_title(index, curves, plain)
    if not words.finding:
        return plain
    ends = [f"{_last(c)} for {wording.name(index.label(c.model), 30)}" for c in curves if c.model]
    return f"{words.finding} the {names['statistic']} {names['target']} is {wording.listed(ends)}"


def _difference_title(index: Index, curves: Sequence[CurveResult], plain: str) -> str:
    """Where the simultaneous band of a difference leaves out zero, a point count and no more."""
    said = []
    for curve in curves:
        low, high = curve.band_low or curve.low, curve.band_high or curve.high
        above = sum(v is not None and v > 0 for v in low)
        below = sum(v is not None and v < 0 for v in high)
        who = wording.name(index.label(curve.model), 30)
        if above or below:
            said.append(f"{who} above at {above} and below at {below} of {len(curve.x)} points")
        else:
            said.append(f"{who} nowhere clearly apart")
    against = wording.name(index.label(curves[0].baseline or ""), 30)
    return f"{plain}, against {against}: {wording.listed(said)}"


def _zeros_title(index: Index, curves: Sequence[CurveResult], plain: str) -> str:
    zeros = [
        f"{wording.percent(c.marks['zeros'])} are zero"
        + (f" ({wording.name(index.label(c.model), 30)})" if c.model else "")
        for c in curves
        if c.marks.get("zeros")
    ]
    return f"{plain}: {wording.listed(zeros)}" if zeros else plain


def _caption(
    index: Index, curves: Sequence[CurveResult], words: CurveWords, names: dict[str, str]
) -> str:
    first = curves[0]
    said = [words.reading.format_map(names)] if words.reading else []
    level = wording.level(first.level)
    if any(c.band_low for c in curves):
        said.append(f"The band holds the whole curve at once with {level} ({first.method}).")
    elif any(c.low for c in curves):
        said.append(f"Bands are {level} intervals of each point ({first.method}).")
    if any(c.marks.get("zeros") for c in curves):
        said.append("Zeros are counted apart and not drawn.")
    where = ""
    if len(index.results.datasets) > 1:
        where = f"; dataset {wording.name(first.dataset)}"
    if first.segment is not None:
        where += f"; only {wording.name(first.segment)}"
    said.append(f"n = {wording.count(first.n)}{where}.")
    return " ".join(said)


def _names(index: Index, curve: CurveResult) -> dict[str, str]:
    dataset: DatasetInfo = index.datasets.get(curve.dataset, index.main)
    unit = dataset.unit if wording.has_unit(dataset.unit) else ""
    buckets = curve.params.get("buckets", curve.params.get("n_buckets", len(curve.x)))
    return {
        "target": wording.name(dataset.target, 40),
        "unit": f", {wording.name(unit, 20)}" if unit else "",
        "statistic": shown(curve.params.get("statistic", "mean")),
        "buckets": shown(buckets),
    }


def _last(curve: CurveResult) -> str:
    known = [
        (y, low, high)
        for y, low, high in zip(curve.y, _padded(curve.low, curve), _padded(curve.high, curve),
                                strict=True)
        if y is not None
    ]  # fmt: skip
    if not known:
        return "undefined"
    y, low, high = known[-1]
    return wording.form_of(y, low, high, curve.y_unit).amount(y)


def _described(index: Index, curve: CurveResult) -> str:
    points = [(x, y) for x, y in zip(curve.x, curve.y, strict=True)
              if x is not None and y is not None]  # fmt: skip
    who = wording.name(index.label(curve.model), 40) if curve.model else "All rows"
    if not points:
        return f"{who}: undefined."
    ys = [y for _, y in points]
    form = wording.form_of(max(ys, key=abs), min(ys), max(ys), curve.y_unit)
    fine = wording.Form(form.decimals + 1, form.unit)
    return (
        f"{who}: from {fine.number(ys[0])} at the left to {fine.number(ys[-1])} at the right, "
        f"lowest {fine.number(min(ys))}, highest {fine.number(max(ys))}."
    )


def _table(
    index: Index, curves: Sequence[CurveResult], id_: str, words: CurveWords, names: dict[str, str]
) -> Table:
    """What is drawn, every k-th point of a long curve."""
    longest = max(len(c.x) for c in curves)
    step = -(-longest // _MOST_POINTS)
    thin = f" Every {step}th point." if step > 1 else ""
    columns = (
        Column("Model", is_numeric=False),
        Column(wording.capital(words.x_label.format_map(names))),
        Column(wording.capital(words.y_label.format_map(names))),
        Column("Interval"),
    )
    rows = tuple(row for curve in curves for row in _points(index, curve, step))
    return Table(f"{id_}-table", f"What is drawn.{thin}", columns, rows, is_folded=True)


def _points(index: Index, curve: CurveResult, step: int) -> list[tuple[Cell, ...]]:
    lows = _padded(curve.band_low or curve.low, curve)
    highs = _padded(curve.band_high or curve.high, curve)
    rows: list[tuple[Cell, ...]] = []
    for place in range(0, len(curve.x), step):
        x, y = curve.x[place], curve.y[place]
        label = curve.x_labels[place] if place < len(curve.x_labels) else ""
        form = wording.form_of(y, lows[place], highs[place], curve.y_unit)
        at = wording.form_of(x, None, None, curve.x_unit).number(x)
        rows.append(
            (
                Cell(wording.name(index.label(curve.model), 40) or "all"),
                Cell(wording.name(label) if label else at, value=x),
                Cell(form.number(y), value=y),
                Cell(form.interval(lows[place], highs[place])),
            )
        )
    return rows


def _padded(bounds: tuple[Number, ...], curve: CurveResult) -> tuple[Number, ...]:
    return bounds if len(bounds) == len(curve.x) else (None,) * len(curve.x)
