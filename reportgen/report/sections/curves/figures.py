"""Figures from the curves of one name."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import count
from math import floor, log10
from typing import Literal

from reportgen.report import prose
from reportgen.report.document import (
    Axis,
    Block,
    Figure,
    Panel,
    Reference,
    Series,
    Text,
    make_phrase,
)
from reportgen.report.sections.curves.captions import (
    MOST_BESTS,
    MOST_PANELS,
    describe_bands,
    describe_figure_variant,
    describe_leads,
    list_baselines,
    make_caption,
    make_error_lines,
    make_figure_title,
    make_references,
)
from reportgen.report.sections.curves.drawing import (
    FigureContent,
    FigureExtra,
    build_points_table,
    describe_line,
    drop_zero_bar,
    find_curve_info,
    is_threshold_curve,
    list_caption_names,
)
from reportgen.report.sections.curves.findings import describe_small_area
from reportgen.report.sections.index import Index, fold_for_full_report, format_money_axis
from reportgen.report.wording.names import clean_name
from reportgen.report.wording.numbers import format_count
from reportgen.results.curves import CurveResult
from reportgen.results.types import Number

_MOST_TICKS = 7
_RANKS = 8  # steps between ticks at most
_FEW_ROWS = 30  # of which every corner of a curve is marked
_LONG = 10.0  # times the lowest value that the highest is on a logarithmic axis
_Key = tuple[object, ...]
Scale = Literal["linear", "log", "symlog", "probit"]


def build_curve_figures(
    index: Index, topics: Sequence[str], extra: FigureExtra | None = None
) -> list[Block]:
    """Build the figures of some topics, topic by topic in order of their places, details folded."""
    made = _build_figures(index, topics, extra)
    shown: list[Block] = [figure for figure, is_detail in made if not is_detail]
    if shown and (bands := describe_bands(index, topics)):
        shown.append(Text(make_phrase(bands)))
    return shown + fold_for_full_report(
        "Further curves", (figure for figure, is_detail in made if is_detail)
    )


def _build_figures(
    index: Index, topics: Sequence[str], extra: FigureExtra | None
) -> list[tuple[Figure, bool]]:
    """Each figure, and whether it is a detail."""
    groups: dict[_Key, list[CurveResult]] = {}
    onto: dict[_Key, list[CurveResult]] = {}
    beneath: dict[_Key, list[CurveResult]] = {}
    paired: dict[_Key, list[CurveResult]] = {}
    ok = [c for c in index.results.curves if c.status == "ok"]
    present = {_build_key(c, c.curve) for c in ok}
    compared = {_build_key(c, c.curve) for c in ok if c.baseline is not None}
    for curve in index.results.curves:
        words = find_curve_info(index, curve.curve)
        if words.topic not in topics or curve.status != "ok" or not curve.x:
            continue
        if curve.baseline is not None and words.is_paired:
            paired.setdefault(_build_full_key(curve), []).append(curve)
            continue
        if curve.baseline is not None and not words.is_compared:
            continue
        if words.onto and _build_key(curve, words.onto) in present:
            onto.setdefault(_build_key(curve, words.onto), []).append(curve)
        elif words.under and _build_key(curve, words.under) in compared:
            beneath.setdefault(_build_key(curve, words.under), []).append(curve)
        else:
            groups.setdefault((*_build_full_key(curve), *_build_axis_key(index, curve)), []).append(
                curve
            )

    def rank(curves: Sequence[CurveResult]) -> tuple[int, int]:
        words = find_curve_info(index, curves[0].curve)
        return topics.index(words.topic), words.place

    all_drawn = [
        replace(
            _collect_drawn_curves(index, curves, (onto, beneath), place, extra),
            paired=_select_drawn_pairs(curves, paired.get(_build_full_key(curves[0]), ())),
        )
        for place, curves in enumerate(sorted(groups.values(), key=rank), 1)
    ]
    # Of values that are all zero nothing is left to draw.
    return [
        (_build_figure(drawn), drawn.is_detail)
        for drawn in all_drawn
        if any(curve.x for curve in drawn.curves)
    ]


def _build_key(curve: CurveResult, name: str) -> _Key:
    return curve.dataset, curve.segment, name


def _build_full_key(curve: CurveResult) -> _Key:
    return (*_build_key(curve, curve.curve), *sorted(curve.params.items()))


def _build_axis_key(index: Index, curve: CurveResult) -> _Key:
    """Return a key that separates curves: scores in their own unit need an axis of their own."""
    has_own = (
        is_threshold_curve(find_curve_info(index, curve.curve)) and curve.model in index.models
    )
    is_own = has_own and index.models[curve.model].scale not in ("probability", "label")
    return curve.baseline is None, curve.model if is_own else ""


def _select_drawn_pairs(
    curves: Sequence[CurveResult], paired: Sequence[CurveResult]
) -> list[CurveResult]:
    """Return the differences of two models that are both drawn."""
    drawn = {curve.model for curve in curves}
    return [each for each in paired if {each.model, each.baseline} <= drawn]


def _collect_drawn_curves(
    index: Index,
    curves: Sequence[CurveResult],
    others: tuple[dict[_Key, list[CurveResult]], dict[_Key, list[CurveResult]]],
    place: int,
    extra: FigureExtra | None,
) -> FigureContent:
    key, words = _build_key(curves[0], curves[0].curve), find_curve_info(index, curves[0].curve)
    onto, beneath = (
        [o for o in each.get(key, ()) if _is_of(index, curves[0], o)] for each in others
    )
    if words.of_target:
        curves = curves[:1]
    if curves[0].baseline is not None:
        onto = []
    else:
        beneath = []
    if extra:
        curves = [extra.transform(curve) for curve in curves]
    if words.drawing == "histogram":
        curves = [drop_zero_bar(curve) for curve in curves]
    id_ = f"{curves[0].curve.replace('_', '-')}-curve-{place}"
    return FigureContent(
        index, words, list_caption_names(index, curves[0]), curves, onto, beneath, id_, extra
    )


def _is_of(index: Index, curve: CurveResult, other: CurveResult) -> bool:
    """Tell whether a curve belongs to another: it has no parameter that says otherwise.

    Points that are drawn onto a curve have a grid of their own, however fine.
    """
    is_free = {"bins"} if find_curve_info(index, other.curve).is_points else set()
    return all(curve.params.get(k, v) == v for k, v in other.params.items() if k not in is_free)


def _build_figure(drawn: FigureContent) -> Figure:
    words, first = drawn.words, drawn.curves[0]
    is_square = words.has_equal_axes and first.baseline is None
    panels = _list_panels(drawn)
    limits = _find_limits(drawn, drawn.curves)
    caption = make_caption(drawn)
    if any(panel.y.scale == "symlog" for panel in panels):
        caption += f" {prose.line('curves.symlog')}"
    return Figure(
        drawn.id,
        words.drawing,
        f"{make_figure_title(drawn)}{describe_figure_variant(drawn)}",
        caption,
        " ".join(
            [
                *(describe_line(c, drawn.label(c), *limits) for c in drawn.curves),
                *(
                    describe_line(c, f"{drawn.label(c)}, {drawn.title_of(c)}", *limits)
                    for c in drawn.panel_curves
                ),
                *(
                    describe_line(c, f"{drawn.label(c)}, difference", drawn.x_high)
                    for c in drawn.paired
                ),
                *describe_leads(drawn),
            ]
        ),
        panels,
        width="half" if len(panels) == 1 else "full",
        table=build_points_table(
            (*drawn.curves, *drawn.panel_curves, *drawn.paired, *drawn.beneath),
            [
                *(drawn.label(curve) for curve in drawn.curves),
                *(f"{drawn.label(c)}, {drawn.title_of(c)}" for c in drawn.panel_curves),
                *(f"{drawn.label(curve)}, difference" for curve in drawn.paired),
                *(f"{drawn.label(curve)}, share ahead" for curve in drawn.beneath),
            ],
            drawn.id,
            (drawn.x_label, _y_label(drawn)),
            words.base,
        ),
        is_stacked=bool(drawn.beneath) and len(drawn.baselines) == 1,
        has_equal_axes=is_square,
        others=drawn.index.others,
        more_panels=_list_differences(drawn),
    )


def _list_panels(drawn: FigureContent) -> tuple[Panel, ...]:
    """List the panels of a figure.

    One for all models; of a histogram one a model, of differences one a baseline.
    """
    if drawn.words.drawing == "histogram" or drawn.words.is_apart:
        known = [curve for curve in drawn.curves if curve.x][:MOST_PANELS]
        return tuple(_build_panel(drawn, [curve], drawn.label(curve)) for curve in known)
    if len(drawn.baselines) < 2:
        return (_build_panel(drawn, drawn.curves, ""), *_build_lower_panels(drawn))
    each = [
        (drawn.against(name), f"against {clean_name(drawn.index.label(name), 30)}")
        for name in list_baselines(drawn)
    ]
    above = tuple(_build_panel(side, side.curves, said) for side, said in each)
    below = tuple(panel for side, said in each for panel in _build_lower_panels(side, said))
    return (*above, *below)


def _list_differences(drawn: FigureContent) -> tuple[Panel, ...]:
    """Build a panel of the differences of curves from each baseline, with their bands."""
    names = dict.fromkeys(curve.baseline or "" for curve in drawn.paired)
    return tuple(
        _build_panel(
            drawn,
            [curve for curve in drawn.paired if curve.baseline == name],
            f"difference from {clean_name(drawn.index.label(name), 30)}",
        )
        for name in names
    )


def _build_lower_panels(drawn: FigureContent, title: str = "") -> tuple[Panel, ...]:
    """Build the panel under the differences: in how many resamples each candidate is ahead."""
    if not drawn.beneath:
        return ()
    words = find_curve_info(drawn.index, drawn.beneath[0].curve)
    return (
        Panel(
            title,
            Axis(
                drawn.fill_words(words.x_label),
                unit="share" if drawn.beneath[0].x_unit == "share" else "",
            ),
            Axis(drawn.fill_words(words.y_label), low=-0.03, high=1.03, unit="share"),
            tuple(_build_series(drawn, curve) for curve in drawn.beneath),
            tuple(Reference("", y=(level,)) for level in (0.05, 0.5, 0.95)),
        ),
    )


def _build_panel(drawn: FigureContent, curves: Sequence[CurveResult], title: str) -> Panel:
    lines = tuple(_build_series(drawn, curve) for curve in curves)
    right, down = _find_limits(drawn, curves)
    is_apart = curves[0].baseline is not None
    is_above = bool(drawn.beneath)
    x_axis = (drawn.extra.x_axis(curves[0]) if drawn.extra else None) or Axis(
        drawn.x_label,
        scale=_choose_scales(drawn, curves)[0],
        low=None if right is None else 0.0,
        high=right,
        ticks=_list_ticks(curves[0]) or _list_ranks(drawn, curves),
        unit="share" if curves[0].x_unit == "share" else "",
        has_zero=True,
    )
    x_axis = format_money_axis(x_axis, curves[0].x_unit)
    return Panel(
        title,
        replace(x_axis, label="") if is_above else x_axis,
        format_money_axis(_build_y_axis(drawn, curves, down), curves[0].y_unit),
        (
            *(() if is_apart and drawn.paired else _build_overlay_series(drawn, curves)),
            *lines,
            *(make_error_lines(drawn) if drawn.words.has_error_lines and not is_apart else ()),
        ),
        (*make_references(drawn, curves), *(drawn.extra.references(curves) if drawn.extra else ())),
        drawn.extra.strips(curves) if drawn.extra else (),
        end_title=drawn.extra.end_title(curves) if drawn.extra else "",
    )


def _find_limits(drawn: FigureContent, curves: Sequence[CurveResult]) -> tuple[Number, Number]:
    """Find where the axis of x ends and that of y begins; None where it is the curves' own end."""
    right, down = (drawn.extra.window(curves) if drawn.extra else None) or (None, None)
    return (right if drawn.x_high is None else drawn.x_high), down


def _build_y_axis(drawn: FigureContent, curves: Sequence[CurveResult], down: float | None) -> Axis:
    """Build the axis of values; where x is cut, it reaches as far as what is left."""
    label = _y_label(drawn)
    unit: Literal["", "share", "points"] = ""
    is_apart = curves[0].baseline is not None
    if is_apart and drawn.paired:
        against = clean_name(drawn.index.label(curves[0].baseline or ""), 30)
        label = prose.line("curve_axis.difference_from", baseline=against)
    if curves[0].y_unit == "share":
        unit = "points" if is_apart else "share"
        label += f", {prose.line('curve_axis.points')}" * is_apart
    if (added := curves[0].marks.get("added")) is not None and drawn.words.base:
        label += f" ({describe_small_area(added, short=True)})"
    is_reversed = is_apart and drawn.words.is_better_below
    if drawn.words.is_better_below:
        label += "; better ↑" if is_reversed else "; better ↓"
    if down is not None:
        return Axis(label, low=down, high=0.0, unit=unit)
    low, high = _compute_y_range((*curves, *(() if is_apart else drawn.onto)), drawn.x_high)
    values = [v for c in curves for v in c.y]
    scale = "linear" if is_apart else _choose_scales(drawn, curves)[1]
    size = max((abs(v) for v in values if v is not None), default=0.0)
    return Axis(
        label,
        scale=scale,
        low=low,
        high=high,
        unit=unit,
        has_zero=True,
        threshold=10.0 ** floor(log10(size) - 0.5) if size > 0 else 1.0,
        is_reversed=is_reversed,
    )


def _choose_scales(drawn: FigureContent, curves: Sequence[CurveResult]) -> tuple[Scale, Scale]:
    """Choose the scales of both axes: the same where a line of equal values is drawn."""
    words = drawn.words
    x_scale = _build_scale(words.x_scale, [v for c in curves for v in c.x])
    y_scale = _build_scale(words.y_scale, [v for c in curves for v in c.y])
    is_same = x_scale == y_scale or not words.has_equal_axes
    return (x_scale, y_scale) if is_same else ("linear", "linear")


def _build_scale(wanted: Scale, values: Sequence[Number]) -> Scale:
    """Choose the scale of an axis: a logarithmic one needs more than one order of magnitude."""
    known = [v for v in values if v is not None]
    above = [v for v in known if v > 0]
    if wanted == "symlog":
        sizes = sorted(abs(v) for v in known if v) or [0.0]
        return wanted if sizes[-1] > _LONG * sizes[len(sizes) // 2] else "linear"
    if wanted != "log":
        return wanted
    return "log" if above and min(known) >= 0 and max(above) > _LONG * min(above) else "linear"


def _compute_y_range(curves: Sequence[CurveResult], right: float | None) -> tuple[Number, Number]:
    """Return the lowest and highest value drawn up to some x, with a little room; or None twice."""
    if right is None:
        return None, None
    seen = [
        y
        for c in curves
        for column in (c.y, c.low, c.high, c.band_low, c.band_high, c.base)
        for x, y in zip(c.x, column, strict=False)
        if x is not None and y is not None and x <= right
    ]
    low, high = min(seen, default=0.0), max(seen, default=1.0)
    if curves[0].y_unit == "share" and curves[0].baseline is None:
        values = [y for c in curves for y in c.y if y is not None]
        if all(0 <= y <= 1 for y in values):  # a band may reach further, which no value does
            low, high = 0.0, min(high, 1.0)
    room = 0.04 * (high - low)
    return (low - room if low < 0 else 0.0), high + room


def _list_ticks(curve: CurveResult) -> tuple[tuple[float, str], ...]:
    """Names of points where x is a category, as many as there is room for."""
    named = [(x, label) for x, label in zip(curve.x, curve.x_labels, strict=False) if x is not None]
    step = -(-len(named) // _MOST_TICKS) or 1
    return tuple((x, clean_name(label, 30)) for x, label in named[::step])


def _list_ranks(
    drawn: FigureContent, curves: Sequence[CurveResult]
) -> tuple[tuple[float, str], ...]:
    """Whole ranks at even steps, and the first, where x is a rank."""
    places = [x for curve in curves for x in curve.x if x is not None]
    if drawn.words.stretch != "ranks" or not places or drawn.words.x_scale != "linear":
        return ()
    last = int(max(places))
    step = next(s for k in count() for s in (10**k, 2 * 10**k, 5 * 10**k) if last / s <= _RANKS)
    ranks = sorted({1, *range(step, last + 1, step)} - ({1} if step == 2 else set()))
    return tuple((float(rank), format_count(rank)) for rank in ranks)


def _y_label(drawn: FigureContent) -> str:
    words = drawn.words.y_label
    if drawn.curves[0].baseline is None:
        return drawn.fill_words(words)
    short = words.replace(" ({loss})", "")  # the figure of values names it
    return prose.line("curve_axis.difference", axis=drawn.fill_words(short))


def _build_series(drawn: FigureContent, curve: CurveResult) -> Series:
    is_shared = drawn.words.of_target or not curve.model
    return Series(
        drawn.model(curve),
        "reference" if is_shared else drawn.index.role(curve.model),
        curve.x,
        curve.y,
        curve.low,
        curve.high,
        curve.band_low,
        curve.band_high,
        has_markers=drawn.words.has_markers or _has_corners(curve),
        note=drawn.extra.note(curve) if drawn.extra else "",
        is_thin=bool(curve.base),
        base=curve.base,
    )


def _has_corners(curve: CurveResult) -> bool:
    """Return whether a curve is straight between few corners, each of which is marked."""
    is_broken = curve.curve == "rroc" and curve.params.get("loss") == "linlin"
    return is_broken and curve.n <= _FEW_ROWS


def _build_overlay_series(
    drawn: FigureContent, curves: Sequence[CurveResult]
) -> tuple[Series, ...]:
    """Lines such as the best possible curve: one for the target, or one a model; points too.

    A panel of one model has those of that model, which its caption names.
    """
    made: dict[str, Series] = {}
    is_crowded = len({curve.model for curve in drawn.curves}) > MOST_BESTS
    for curve in drawn.onto:
        if curve.baseline is not None:
            continue
        if drawn.words.is_apart and curve.model != curves[0].model:
            continue
        words = find_curve_info(drawn.index, curve.curve)
        if words.is_points:
            role = drawn.index.role(curve.model)
            points = Series("", role, curve.x, curve.y, has_markers=True, has_line=False)
            made[f"{curve.curve} {curve.model}"] = points
            continue
        if drawn.words.is_apart:
            made[curve.curve] = Series("", "reference", curve.x, curve.y)
            continue
        if is_crowded and not words.of_target:
            continue
        of = "" if words.of_target else f" for {drawn.label(curve, 30)}"
        label, key = f"{drawn.fill_words(words.title)}{of}", "" if words.of_target else curve.model
        made.setdefault(f"{label} {key}", Series(label, "reference", curve.x, curve.y))
    return tuple(made.values())
