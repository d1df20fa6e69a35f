"""Cells: an estimate, a difference, a verdict, a small whisker; and tables of plain results."""

from __future__ import annotations

import re
from collections.abc import Iterable

from reportgen import wording
from reportgen.document import Cell, Tone, Whisker
from reportgen.results import Comparison, Estimate, MetricInfo, Scalar
from reportgen.sections.index import TONES, Index
from reportgen.wording.rows import decimals_to_add_up

MARK = "†"
MOST_ROWS = 200
BY_BINS = "open by the bins alone"
_OF = {"zero": "size", "one": "distance from 1"}
_NOTHING_SPECIAL = (
    ("raw", False), ("at", ""), ("moves", False), ("tp", 0), ("tn", 0), ("shift", "none"),
    ("unit_costs", "same"), ("degree", 0), ("with_alpha", False), ("loss", "linlin"),
)  # fmt: skip


def metric_cell(index: Index, metric: MetricInfo) -> Cell:
    """A metric's name with its unit and direction under it."""
    return Cell(wording.name(metric.label), note=about(index, metric))


def about(index: Index, metric: MetricInfo, *, is_full: bool = False) -> str:
    """What a metric is that goes by another name, its parameters, unit and direction, in few words.

    Without parameters that its name says or that are as usual, unless `is_full`.
    """
    said = set(re.findall(r"[\d.]+", metric.label))
    params = [
        f"{key} = {shown(value)}"
        for key, value in metric.params.items()
        if value is not None
        and (key, value) not in _NOTHING_SPECIAL
        and (is_full or not (_is_usual(metric, key) or f"{value}" in said))
        and not (key in ("at", "threshold", "moves") and metric.params.get("at"))
    ]
    point = [at] if (at := index.called_at(metric)) else []
    unit = [metric.unit] if wording.has_unit(metric.unit) else []
    named = [wording.lowered(title)] if (title := wording.title_behind(metric)) else []
    return ", ".join([*named, *point, *params, *unit, wording.DIRECTIONS[metric.better]])


def _is_usual(metric: MetricInfo, key: str) -> bool:
    return key in metric.usual and metric.usual[key] == metric.params[key]


def estimate_cell(
    estimate: Estimate | None,
    metric: MetricInfo,
    *,
    is_level: bool = False,
    off_by: float = 0.0,
    fewest: int | None = None,
) -> Cell:
    """A value with its interval under it; `is_level` marks the best and those level with it.

    `off_by` is how far it can be off as it was found from bins, `fewest` the fewest decimals.
    """
    if estimate is None:
        return Cell(wording.MISSING, note="not computed")
    if estimate.status != "ok" or estimate.value is None:
        return Cell(estimate.status, note=estimate.reason, tone="open")
    form = _form(estimate, metric)
    form = form if fewest is None else form.with_decimals(fewest)
    text = form.number(estimate.value)
    interval = form.interval(estimate.low, estimate.high)
    note = "no interval" if interval == wording.MISSING else interval
    return Cell(
        f"{text} {MARK}" if is_level else text,
        note=with_bins(note, off_by, metric),
        value=estimate.value,
        is_strong=is_level,
    )


def fewest_decimals(
    candidate: Estimate | None,
    baseline: Estimate | None,
    found: Comparison | None,
    metric: MetricInfo,
) -> int | None:
    """The fewest decimals with which two values in a row subtract to their printed difference."""
    if candidate is None or baseline is None or found is None:
        return None
    values = [(e.value, _form(e, metric)) for e in (candidate, baseline)]
    difference = found.difference, wording.form_for(found, metric)
    return decimals_to_add_up(values[0], values[1], difference, metric.better)


def _form(estimate: Estimate, metric: MetricInfo) -> wording.Form:
    return wording.form_of(estimate.value, estimate.low, estimate.high, metric.unit)


def with_bins(note: str, off_by: float, metric: MetricInfo) -> str:
    """A note with how far the number can be off as it was found from bins, where it can."""
    return "; ".join(filter(None, (note, wording.by_bins(off_by, metric.unit))))


def difference_cell(
    comparison: Comparison | None,
    metric: MetricInfo,
    *,
    off_by: float = 0.0,
    fewest: int | None = None,
) -> Cell:
    """A signed difference with the interval that decides under it; the rest as of a value."""
    if comparison is None:
        return Cell(wording.MISSING, note="not compared")
    if comparison.status != "ok" or comparison.difference is None:
        return Cell(comparison.verdict, note=comparison.reason, tone="open")
    form = wording.form_for(comparison, metric)
    form = form if fewest is None else form.with_decimals(fewest)
    interval = wording.interval_text(comparison, form)
    if comparison.verdict == "equivalent" and comparison.equivalence_low is not None:
        # Others beside it are at the level that the section names.
        interval += f" ({wording.level(1 - 2 * (1 - comparison.level))})"
    note = "no interval" if interval.startswith(wording.MISSING) else interval
    note = with_bins(note, off_by, metric)
    return Cell(
        form.number(comparison.difference, signed=True),
        note=f"in {_OF[metric.better]}, {note}" if metric.better in _OF else note,
        value=comparison.difference,
    )


def verdict_cell(
    comparison: Comparison | None, tone: Tone | None = None, *, is_open_by_bins: bool = False
) -> Cell:
    """The verdict in words, and what qualifies it, in its own tone unless one is given."""
    if comparison is None:
        return Cell(wording.MISSING)
    notes = []
    if comparison.beyond_margin:
        notes.append("beyond the margin")
    if comparison.is_method_sensitive:
        notes.append("method-sensitive")
    if is_open_by_bins:
        notes.append(BY_BINS)
    tone = tone or TONES[comparison.verdict]
    return Cell(comparison.verdict, note=", ".join(notes), tone=tone)


def whisker_cell(
    comparison: Comparison | None, metric: MetricInfo, others: Iterable[Comparison] = ()
) -> Cell:
    """The interval against zero and margin, on an axis shared with `others` of its metric."""
    mark = whisker(comparison, metric, others)
    return Cell("", whisker=mark)


def whisker(
    comparison: Comparison | None, metric: MetricInfo, others: Iterable[Comparison] = ()
) -> Whisker | None:
    """A whisker whose axis has zero in its middle; None where there is no interval."""
    if comparison is None or comparison.difference is None:
        return None
    low, high = wording.bounds(comparison)
    if low is None or high is None:
        return None
    reach = 1.1 * max(_reach(c) for c in (comparison, *others))
    return Whisker(
        value=comparison.difference,
        low=low,
        high=high,
        axis_low=-reach,
        axis_high=reach,
        description=wording.short(comparison, metric),
        tone=TONES[comparison.verdict],
        margin=comparison.margin,
    )


def cut_note(rows: int, most: int = MOST_ROWS) -> str:
    """What is said under a table that shows only its first rows."""
    if rows <= most:
        return ""
    return f" The first {most} of {wording.count(rows)} rows; the rest is in results.json."


def shown(value: Scalar) -> str:
    """A parameter or setting as text."""
    if isinstance(value, bool) or value is None:
        return {True: "yes", False: "no", None: "none"}[value]
    return (
        wording.name(value) if isinstance(value, str) else wording.plain_form(value).number(value)
    )


def _reach(comparison: Comparison) -> float:
    ends = (*wording.bounds(comparison), comparison.margin, comparison.difference)
    return max((abs(end) for end in ends if end is not None), default=0.0) or 1.0
