"""Segments as small multiples: a panel a candidate, the same rows and the same axis in each."""

from __future__ import annotations

from collections.abc import Sequence

from reportgen import wording
from reportgen.document import Axis, Figure, Mark, Panel, Reference, Series, Strip
from reportgen.results import Comparison, MetricInfo, ModelInfo
from reportgen.sections.index import Index
from reportgen.sections.scores.forests import better_to_the_right, is_drawable, mark_of

_MOST_ROWS = 30
_MOST_PANELS = 4


def small_multiples(index: Index, metric: MetricInfo) -> list[Figure]:
    """The segments in the order of the config, in as many figures as their number takes."""
    models = _shown(index, metric)
    known = {
        c.segment for m in models for c in index.in_segments(m.name, metric.key) if is_drawable(c)
    }
    rows = [s.segment for s in index.main.segments if s.segment in known]
    parts = [rows[i : i + _MOST_ROWS] for i in range(0, len(rows), _MOST_ROWS)]
    return [
        _figure(index, metric, models, part, (number, len(parts)))
        for number, part in enumerate(parts, 1)
    ]


def _shown(index: Index, metric: MetricInfo) -> list[ModelInfo]:
    """The candidates with a colour that are compared in a segment, the one asked about first."""
    return [
        model
        for model in sorted(index.candidates, key=lambda model: model.name != index.about)
        if index.role(model.name) != "other"
        and any(map(is_drawable, index.in_segments(model.name, metric.key)))
    ][:_MOST_PANELS]


def _figure(
    index: Index,
    metric: MetricInfo,
    models: Sequence[ModelInfo],
    rows: Sequence[str],
    part: tuple[int, int],
) -> Figure:
    return Figure(
        f"segments-forest-{part[0]}",
        "forest",
        _title(index, metric, models),
        _caption(index, metric, models, part),
        " ".join(_told(index, metric, model, rows) for model in models),
        tuple(_panel(index, metric, model, rows) for model in models),
        shares_axes=True,
        shares_rows=True,
    )


def _panel(index: Index, metric: MetricInfo, model: ModelInfo, rows: Sequence[str]) -> Panel:
    role = index.role(model.name)
    flips = {c.segment for c in index.flips(model.name, metric.key)}
    by_segment = {c.segment: c for c in index.in_segments(model.name, metric.key)}
    found = [
        (float(place), by_segment[segment])
        for place, segment in enumerate(rows, 1)
        if is_drawable(by_segment.get(segment))
    ]
    bounds = [wording.bounds(c) for _, c in found]
    series = Series(
        wording.name(model.label, 40),
        role,
        tuple(c.difference for _, c in found),
        tuple(place for place, _ in found),
        tuple(low for low, _ in bounds),
        tuple(high for _, high in bounds),
        marks=tuple(_mark(c, flips) for _, c in found),
        has_markers=True,
    )
    overall = index.comparison(model.name, metric.key)
    whole = None if overall is None else overall.difference
    margin = None if overall is None else overall.margin
    unit = f", {metric.unit}" if wording.has_unit(metric.unit) else ""
    ticks = tuple((float(place), _row_name(index, s)) for place, s in enumerate(rows, 1))
    return Panel(
        wording.name(model.label, 40),
        better_to_the_right(metric, f"difference in {wording.what_differs(metric, 40)}{unit}"),
        Axis("", low=0.5, high=len(rows) + 0.5, ticks=ticks),
        (series,),
        (
            Reference("", x=(0.0,)),
            *(() if whole is None else (Reference("", x=(whole,), role=role),)),
        ),
        () if margin is None else (Strip("margin", "x", -margin, margin),),
    )


def _mark(comparison: Comparison, flips: set[str | None]) -> Mark:
    return "crossed" if comparison.segment in flips else mark_of(comparison)


def _row_name(index: Index, segment: str) -> str:
    n = next(s.n for s in index.main.segments if s.segment == segment)
    return f"{wording.segment_name(index.main, segment)} ({wording.count(n)})"


def _title(index: Index, metric: MetricInfo, models: Sequence[ModelInfo]) -> str:
    """What becomes of the model asked about."""
    model = next((m for m in models if m.name == index.about), models[0])
    known = [c for c in index.in_segments(model.name, metric.key) if is_drawable(c)]
    better, worse = (sum(c.verdict == said for c in known) for said in ("better", "worse"))
    flips = len(index.flips(model.name, metric.key))
    against = index.baseline.label if index.baseline else ""
    return wording.in_segments(model.label, against, metric, (better, worse, len(known)), flips)


def _caption(
    index: Index, metric: MetricInfo, models: Sequence[ModelInfo], part: tuple[int, int]
) -> str:
    against = wording.name(index.baseline.label if index.baseline else "", 40)
    rows = wording.name(index.main.case[1], 30)
    drawn = [c for m in models for c in index.in_segments(m.name, metric.key) if is_drawable(c)]
    said = [
        f"Differences from {against} with the {wording.interval_names(drawn)}; the unbroken line "
        f"is the difference of all {rows}, the broken one no difference."
    ]
    if any(c.margin is not None for c in drawn):
        said.append("The shaded strip is the margin.")
    if any(mark_of(c) == "open" for c in drawn):
        said.append("An open mark is a difference that is not shown.")
    if any(index.flips(m.name, metric.key) for m in models):
        said.append(f"A cross is a result that is the reverse of that of all {rows}.")
    if len(models) < len(index.candidates):
        said.append("The other candidates are in the tables.")
    if part[1] > 1:
        said.append(f"Part {part[0]} of {part[1]}.")
    return " ".join(said)


def _told(index: Index, metric: MetricInfo, model: ModelInfo, rows: Sequence[str]) -> str:
    found = {c.segment: c for c in index.in_segments(model.name, metric.key)}
    each = "; ".join(
        f"{wording.segment_name(index.main, s)} {wording.short(found[s], metric)}, "
        f"{found[s].verdict}"
        for s in rows
        if s in found
    )
    return f"{wording.name(model.label, 40)}: {each}."
