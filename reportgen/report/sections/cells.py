"""Table cells, and forests of comparisons."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import replace

from reportgen.report import prose
from reportgen.report.conclusion.references import label_reference
from reportgen.report.document import (
    Axis,
    Cell,
    Figure,
    Mark,
    Panel,
    Reference,
    Role,
    Series,
    Strip,
    Tone,
)
from reportgen.report.sections.index import Index, format_money_axis
from reportgen.report.wording import numbers, verdicts
from reportgen.report.wording.names import capitalize, clean_name, find_full_title, lower_first_word
from reportgen.report.wording.verdicts import TONES
from reportgen.results import references
from reportgen.results.conclusion import HeadlineComparison
from reportgen.results.core import Comparison, Estimate, MetricInfo
from reportgen.results.types import NEAREST, Scalar, Word
from reportgen.results.verdicts import word_side

_OF = {"zero": "size", "one": "distance from 1"}
_NOTHING_SPECIAL = (
    ("raw", False),
    ("at", ""),
    ("moves", False),
    ("tp", 0),
    ("tn", 0),
    ("shift", "none"),
    ("unit_costs", "same"),
    ("degree", 0),
    ("with_alpha", False),
    ("loss", "linlin"),
)


def make_metric_cell(index: Index, metric: MetricInfo) -> Cell:
    """Make a cell with a metric's name, and its unit and direction under it."""
    return Cell(clean_name(metric.label), note=describe_metric(index, metric))


def describe_metric(index: Index, metric: MetricInfo, *, is_full: bool = False) -> str:
    """Describe a metric briefly: what it is if named otherwise, parameters, unit and direction.

    Without parameters that its name says or that are as usual, unless `is_full`.
    """
    said = set(re.findall(r"[\d.]+", metric.label))
    params = [
        f"{key} = {format_setting(value)}"
        for key, value in metric.params.items()
        if value not in (None, "")
        and (key, value) not in _NOTHING_SPECIAL
        and (is_full or not (_is_usual(metric, key) or f"{value}" in said))
        and not (key in ("at", "threshold", "moves") and metric.params.get("at"))
    ]
    point = [at] if (at := index.describe_operating_point(metric)) else []
    unit = [metric.unit] if numbers.has_unit(metric.unit) else []
    named = [lower_first_word(title)] if (title := find_full_title(metric)) else []
    return ", ".join([*named, *point, *params, *unit, prose.term("direction", metric.better)])


def _is_usual(metric: MetricInfo, key: str) -> bool:
    return key in metric.usual and metric.usual[key] == metric.params[key]


def make_estimate_cell(
    estimate: Estimate | None,
    metric: MetricInfo,
    form: numbers.NumberFormat | None = None,
    *,
    off_by: float = 0.0,
) -> Cell:
    """Make a cell of a value, its interval under it, in the form of its row if that has one.

    `off_by` is how far it can be off as it was found from bins.
    """
    if estimate is None:
        return Cell(numbers.MISSING, note="not computed")
    if estimate.status != "ok" or estimate.value is None:
        return Cell(estimate.status, note=estimate.reason, tone="open")
    form = form or numbers.choose_format(
        estimate.value, estimate.low, estimate.high, metric.unit, bounds=metric.bounds
    )
    text = form.number(estimate.value)
    interval = form.interval(estimate.low, estimate.high)
    note = "no interval" if interval == numbers.MISSING else interval
    return Cell(
        text,
        note=add_bin_bound(note, off_by, metric),
        value=estimate.value,
    )


def add_bin_bound(note: str, off_by: float, metric: MetricInfo) -> str:
    """Add to a note how far the number can be off as it was found from bins, if it can."""
    return "; ".join(filter(None, (note, numbers.format_bin_bound(off_by, metric.unit))))


def make_difference_cell(
    comparison: Comparison | None,
    metric: MetricInfo,
    form: numbers.NumberFormat,
    *,
    off_by: float = 0.0,
) -> Cell:
    """Make a cell of a signed difference, deciding interval under it; the rest as for a value."""
    if comparison is None:
        return Cell(numbers.MISSING, note="not compared")
    if comparison.status != "ok" or comparison.difference is None:
        return Cell(capitalize_verdict(comparison.word), note=comparison.reason)
    interval = verdicts.format_interval(comparison, form)
    note = "no interval" if interval.startswith(numbers.MISSING) else interval
    note = add_bin_bound(note, off_by, metric)
    return Cell(
        form.number(comparison.difference, signed=True),
        note=f"in {_OF[metric.better]}, {note}" if metric.better in _OF else note,
        value=comparison.difference,
    )


def format_row_interval(row: HeadlineComparison, form: numbers.NumberFormat) -> str:
    """Format the interval of a row of page one, or say that there is none."""
    shown = verdicts.format_interval(row, form)
    return prose.line("changes.no_interval") if shown == numbers.MISSING else shown


def name_verdict(word: Word) -> str:
    """Name a verdict inside a sentence."""
    return prose.term("verdict", word)


def capitalize_verdict(word: Word) -> str:
    """Name a verdict at the start of a cell."""
    return capitalize(name_verdict(word))


def make_verdict_cell(
    comparison: Comparison | None, tone: Tone | None = None, *, is_open_by_bins: bool = False
) -> Cell:
    """Make a cell of the verdict and its qualifiers, in its own tone unless one is given."""
    if comparison is None:
        return Cell(numbers.MISSING)
    notes = []
    if comparison.is_method_sensitive:
        notes.append("method-sensitive")
    if is_open_by_bins:
        notes.append(prose.line("changes.open_by_bins"))
    tone = tone or TONES[comparison.word]
    return Cell(capitalize_verdict(comparison.word), note=", ".join(notes), tone=tone)


def format_setting(value: Scalar) -> str:
    """Format a parameter or setting as text."""
    if isinstance(value, bool) or value is None:
        return {True: "yes", False: "no", None: "none"}[value]
    return (
        clean_name(value)
        if isinstance(value, str)
        else numbers.choose_declared_precision(value).number(value)
    )


Row = tuple[str, Role, Comparison]


def build_forest(
    index: Index, metric: MetricInfo, rows: Sequence[Row], *, id_: str, title: str, reading: str
) -> Figure:
    """Build a forest figure; `reading` is added to what every forest's caption says."""
    against = clean_name(index.baseline.label if index.baseline else "", 40)
    first = rows[0][2]
    caption = prose.line(
        "differences.caption",
        baseline=against,
        intervals=verdicts.name_intervals([c for _, _, c in rows]),
        has_margin=first.margin is not None,
        has_open=any(choose_comparison_mark(c) == "open" for _, _, c in rows),
        reading=reading,
    )
    said = (
        f"{name}: {verdicts.format_comparison(c, metric)}, {name_verdict(c.word)}."
        for name, _, c in rows
    )
    return Figure(
        id_, "forest", title, caption, " ".join(said), (_build_panel(index, metric, rows),)
    )


def has_drawable_interval(comparison: Comparison | None) -> bool:
    """Return whether a comparison has a difference and both ends of its interval."""
    if comparison is None or comparison.difference is None:
        return False
    return None not in (comparison.low, comparison.high)


def format_axis_label(metric: MetricInfo) -> str:
    """Format what the axis of a difference shows, with its unit."""
    return prose.line(
        "differences.axis",
        metric=verdicts.describe_difference_kind(metric, 40),
        unit=format_difference_unit(metric),
    )


def format_difference_unit(metric: MetricInfo) -> str:
    """Format the unit of a difference, which is that of the metric, or points between shares."""
    if metric.unit == "share":
        return prose.line("curve_axis.points")
    return metric.unit if numbers.has_unit(metric.unit) else ""


def compute_axis_ends(places: Iterable[float]) -> tuple[float, float]:
    """Compute the ends of an axis that shows zero and all places, with some room."""
    every = (0.0, *places)
    low, high = min(every), max(every)
    room = 0.04 * (high - low) or 1.0
    return low - room, high + room


def make_difference_axis(metric: MetricInfo, label: str) -> Axis:
    """Make the axis of a difference, reversed where lower is better."""
    axis = Axis(label, unit="points" if metric.unit == "share" else "")
    if metric.better not in NEAREST:
        label, is_reversed = f"{label}; better →", metric.better == "lower"
        axis = replace(axis, label=label, is_reversed=is_reversed)
    return format_money_axis(axis, metric.unit)


def choose_comparison_mark(comparison: Comparison) -> Mark:
    """Return the mark of a difference: filled if it is better or worse, else open."""
    return "filled" if word_side(comparison.word) else "open"


def _build_panel(index: Index, metric: MetricInfo, rows: Sequence[Row]) -> Panel:
    """Rows from the top down: the first has the lowest number."""
    ticks = tuple((float(i), name) for i, (name, _, _) in enumerate(rows, 1))
    margin = rows[0][2].margin
    return Panel(
        "",
        make_difference_axis(metric, format_axis_label(metric)),
        Axis("", low=0.5, high=len(rows) + 0.5, ticks=ticks),
        _list_series(index, rows, [place for place, _ in ticks]),
        (Reference("no difference", x=(0.0,)),),
        () if margin is None else (Strip("margin", "x", -margin, margin),),
    )


def _list_series(index: Index, rows: Sequence[Row], places: Sequence[float]) -> tuple[Series, ...]:
    """One series a role, so that a model keeps its colour."""
    made = []
    for role in dict.fromkeys(role for _, role, _ in rows):
        mine = [(p, c) for p, (_, r, c) in zip(places, rows, strict=True) if r == role]
        bounds = [(c.low, c.high) for _, c in mine]
        made.append(
            Series(
                index.short_label(mine[0][1].candidate),
                role,
                tuple(c.difference for _, c in mine),
                tuple(place for place, _ in mine),
                tuple(low for low, _ in bounds),
                tuple(high for _, high in bounds),
                marks=tuple(choose_comparison_mark(c) for _, c in mine),
                has_markers=True,
            )
        )
    return tuple(made)


def make_metric_name_cell(metric: MetricInfo) -> Cell:
    """Make a cell with a metric's name alone, bold where it is the primary one."""
    return Cell(clean_name(metric.label, 40), is_strong=metric.is_primary)


def make_reference_cell(
    index: Index, each: references.ReferenceValue, value: float, shown: str
) -> Cell:
    """Make the cell of a value that takes no model, with what is predicted under it."""
    return Cell(shown, label_reference(index, each), value=value, tone="neutral")
