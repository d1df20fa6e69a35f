"""A forest: comparisons on one metric, one row each, against zero and the margin."""

from __future__ import annotations

from collections.abc import Sequence

from reportgen import wording
from reportgen.document import Axis, Figure, Mark, Panel, Reference, Role, Series, Strip
from reportgen.results import Comparison, MetricInfo
from reportgen.results.literals import NEAREST
from reportgen.sections.axes import in_money
from reportgen.sections.index import Index

Row = tuple[str, Role, Comparison]


def forest(
    index: Index, metric: MetricInfo, rows: Sequence[Row], *, id_: str, title: str, reading: str
) -> Figure:
    """The figure; `reading` is added to what every forest's caption says."""
    against = wording.name(index.baseline.label if index.baseline else "")
    first = rows[0][2]
    strip = " The shaded strip is the margin." if first.margin is not None else ""
    is_open = any(wording.is_open(c, wording.form_for(c, metric)) for _, _, c in rows)
    ending = " A line that ends at zero leaves it out." if is_open else ""
    caption = (
        f"Dots are differences from {against}, lines the "
        f"{wording.interval_names([c for _, _, c in rows])}.{strip}{ending}{_marks(rows)} {reading}"
    )
    said = (f"{name}: {wording.short(c, metric)}, {c.verdict}." for name, _, c in rows)
    return Figure(id_, "forest", title, caption, " ".join(said), (_panel(index, metric, rows),))


def is_drawable(comparison: Comparison | None) -> bool:
    """Whether a comparison has a difference and both ends of its interval."""
    if comparison is None or comparison.difference is None:
        return False
    return None not in wording.bounds(comparison)


def _marks(rows: Sequence[Row]) -> str:
    """What an open mark says, where there is one."""
    is_open = any(mark_of(c) == "open" for _, _, c in rows)
    return " An open dot is a difference that is not shown." if is_open else ""


def better_to_the_right(metric: MetricInfo, label: str) -> Axis:
    """The axis of a difference; it falls where lower is better."""
    if metric.better in NEAREST:
        return in_money(Axis(label), metric.unit)
    axis = Axis(f"{label}; better →", is_reversed=metric.better == "lower")
    return in_money(axis, metric.unit)


def mark_of(comparison: Comparison) -> Mark:
    """Filled where a difference is shown, open where none is."""
    return "filled" if comparison.verdict in ("better", "worse") else "open"


def _panel(index: Index, metric: MetricInfo, rows: Sequence[Row]) -> Panel:
    """Rows from the top down: the first has the lowest number."""
    ticks = tuple((float(i), name) for i, (name, _, _) in enumerate(rows, 1))
    margin = rows[0][2].margin
    unit = f", {metric.unit}" if wording.has_unit(metric.unit) else ""
    label = f"difference in {wording.what_differs(metric, 40)}{unit}"
    return Panel(
        "",
        better_to_the_right(metric, label),
        Axis("", low=0.5, high=len(rows) + 0.5, ticks=ticks),
        _series(index, rows, [place for place, _ in ticks]),
        (Reference("no difference", x=(0.0,)),),
        () if margin is None else (Strip("margin", "x", -margin, margin),),
    )


def _series(index: Index, rows: Sequence[Row], places: Sequence[float]) -> tuple[Series, ...]:
    """One series a role, so that a model keeps its colour."""
    made = []
    for role in dict.fromkeys(role for _, role, _ in rows):
        mine = [(p, c) for p, (_, r, c) in zip(places, rows, strict=True) if r == role]
        bounds = [wording.bounds(c) for _, c in mine]
        made.append(
            Series(
                wording.name(index.label(mine[0][1].candidate), 40),
                role,
                tuple(c.difference for _, c in mine),
                tuple(place for place, _ in mine),
                tuple(low for low, _ in bounds),
                tuple(high for _, high in bounds),
                marks=tuple(mark_of(c) for _, c in mine),
                has_markers=True,
            )
        )
    return tuple(made)
