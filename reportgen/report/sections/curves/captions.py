"""Titles, captions and reference lines of figures of curves."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from math import isfinite

from reportgen.report import prose
from reportgen.report.document import Reference, Series
from reportgen.report.sections.curves.drawing import (
    FigureContent,
    find_curve_info,
    is_threshold_curve,
    list_leads,
)
from reportgen.report.sections.curves.findings import describe_curve, describe_curve_estimates
from reportgen.report.sections.index import Index
from reportgen.report.wording import numbers
from reportgen.report.wording.names import capitalize, clean_name, format_segment, join_list
from reportgen.results.classification import OperatingPoint
from reportgen.results.curves import CurveResult
from reportgen.results.types import Number

MOST_LINES = 6  # more lines of points hide the curves
_FEW_PANELS = 2  # next to each other, in which names have room
_Place = tuple[float, ...]


def make_references(drawn: FigureContent, curves: Sequence[CurveResult]) -> tuple[Reference, ...]:
    """Levels, operating points at their scores and the diagonal; of differences the line at 0."""
    curve = curves[0]
    if curve.baseline is not None:
        return (Reference(prose.line("curve_lines.no_difference"), y=(0.0,)),)
    lines = []
    for key, label in drawn.words.marks.items():
        level = curve.marks.get(key)
        if level is not None:
            text = numbers.choose_format(level, None, None, curve.y_unit).amount(level)
            if len({each.marks.get(key) for each in curves}) > 1:
                model = drawn.model(curve, 14)
                label = prose.line("curve_lines.of_model", point=label, model=model)
            lines.append(Reference(f"{label}: {text}", y=(level,)))
    if drawn.words.has_points:
        lines += make_operating_lines(drawn, curves)
    if drawn.words.has_diagonal:
        ends = [v for c in drawn.curves for v in (*c.x, *c.y) if v is not None and isfinite(v)]
        if drawn.words.x_scale == "log":
            ends = [v for v in ends if v > 0] or ends
        reach = (min(ends, default=0.0), max(ends, default=1.0))
        lines.append(Reference(drawn.fill_words(drawn.words.diagonal), x=reach, y=reach))
    return tuple(lines)


def make_operating_lines(drawn: FigureContent, curves: Sequence[CurveResult]) -> list[Reference]:
    """Make a line at each operating point's lowest flagged score, one for points at one score.

    Of several models a point has its name alone where it is at one score of all.
    """
    longest = 24 if len(drawn.curves) <= _FEW_PANELS else 14
    scored = _models_with_scores(drawn, curves)
    own = [p for p in _list_points(drawn, curves[0].dataset) if p.model in scored]
    scores = {
        name: {_find_lowest_flagged_score(p) for p in own if p.name == name}
        for name in (p.name for p in own)
    }
    placed: dict[_Place, dict[str, None]] = {}
    for point in own:
        said = clean_name(point.name, longest)
        if len(scored) > 1 and len(scores[point.name]) > 1:
            model = clean_name(drawn.index.label(point.model), 14)
            said = prose.line("curve_lines.of_model", point=said, model=model)
        if (at := _find_lowest_flagged_score(point)) is not None and _is_seen(at[0], curves[0]):
            placed.setdefault(at, {})[said] = None
    return [Reference(", ".join(said), x=place) for place, said in sorted(placed.items())]


def _is_seen(score: float, curve: CurveResult) -> bool:
    """Tell whether a score lies where bars are drawn.

    Those that are cut do not reach every score.
    """
    known = [x for x in curve.x if x is not None]
    if not curve.marks.get("cut") or len(known) < 2:
        return True
    half = (known[1] - known[0]) / 2
    return known[0] - half <= score <= known[-1] + half


def describe_score_lines(drawn: FigureContent) -> str:
    """Describe the lines at scores, naming their models where others have points as well."""
    shown = _models_with_scores(drawn, drawn.curves)
    if not shown:
        return ""
    whose = _list_point_owners(drawn, shown, [c.model for c in drawn.curves])
    falling = [
        model
        for model in shown
        if drawn.index.models[model].order != "descending"
        and not drawn.index.is_of_other_class(model)
    ]
    return prose.line(
        "curve_lines.scores",
        models=whose,
        is_left=len(falling) == len(shown),
        falling=[drawn.index.short_label(model) for model in falling],
    )


def _models_with_scores(drawn: FigureContent, curves: Sequence[CurveResult]) -> list[str]:
    """Models whose points have a score, as many as have no more lines than there is room for."""
    points = _list_points(drawn, curves[0].dataset)
    scores = {
        c.model: {
            at
            for p in points
            if p.model == c.model and (at := _find_lowest_flagged_score(p)) and _is_seen(at[0], c)
        }
        for c in curves
    }
    found: list[str] = []
    for model in _order_models(drawn, [name for name, each in scores.items() if each]):
        if not found or len(set().union(*(scores[m] for m in [*found, model]))) <= MOST_LINES:
            found.append(model)
    return found


def make_error_lines(drawn: FigureContent) -> list[Series]:
    """Each point as a line from its false positive rate, at 0, to its false negative rate, at 1.

    Points of one model with the same errors share a line.
    """
    lines = []
    models = _models_with_lines(drawn)
    for model in models:
        own = [p for p in _list_points(drawn, drawn.curves[0].dataset) if p.model == model]
        whose = f", {clean_name(drawn.index.label(model), 20)}" if len(models) > 1 else ""
        for rates, points in _group_by_place(
            (p, _build_rates(p)) for p in own[:MOST_LINES]
        ).items():
            said = f"{_list_point_names(points, 14)}{whose}"
            role = drawn.index.role(model)
            lines.append(Series(said, role, (0.0, 1.0), rates, is_thin=True))
    return lines


def describe_error_lines(drawn: FigureContent) -> str:
    """Describe the lines of errors, naming their models where others have points, too."""
    shown = _models_with_lines(drawn)
    if not shown:
        return ""
    whose = _list_point_owners(drawn, shown, _list_models(drawn))
    return prose.line("curve_lines.errors", models=whose)


def _models_with_lines(drawn: FigureContent) -> list[str]:
    """Return the model asked about, the baseline, then others, as many as there is room for."""
    names = {p.name for p in _list_points(drawn, drawn.curves[0].dataset)}
    room = max(1, MOST_LINES // max(len(names), 1))
    return _order_models(drawn, _list_models(drawn))[:room]


def _order_models(drawn: FigureContent, models: Sequence[str]) -> list[str]:
    """Order the models: the one asked about, the baseline, then the others."""
    baseline = drawn.index.baseline.name if drawn.index.baseline else None
    first = [model for model in (drawn.index.about, baseline) if model in models]
    return list(dict.fromkeys([*filter(None, first), *models]))


def _list_point_owners(
    drawn: FigureContent, shown: Sequence[str], every: Sequence[str]
) -> list[str]:
    """List whose points are drawn, where others have some as well."""
    labels = [drawn.index.short_label(model) for model in shown]
    return labels if len(shown) < len(set(every)) else []


def _list_models(drawn: FigureContent) -> list[str]:
    """Return the models of the figure whose points have both rates."""
    known = {
        p.model
        for p in _list_points(drawn, drawn.curves[0].dataset)
        if None not in (p.false_positive_rate, p.false_negative_rate)
    }
    return [curve.model for curve in drawn.curves if curve.model in known]


def _list_points(drawn: FigureContent, dataset: str) -> list[OperatingPoint]:
    return [
        point.turn_scores(1.0) if drawn.index.is_of_other_class(point.model) else point
        for point in drawn.index.results.points
        if point.dataset == dataset
    ]


def _find_lowest_flagged_score(point: OperatingPoint) -> _Place | None:
    at = point.lowest_flagged if point.threshold is None else point.threshold
    return None if at is None else (at,)


def _build_rates(point: OperatingPoint) -> _Place:
    return point.false_positive_rate or 0.0, point.false_negative_rate or 0.0


def _group_by_place(
    placed: Iterable[tuple[OperatingPoint, _Place]],
) -> dict[_Place, list[OperatingPoint]]:
    found: dict[_Place, list[OperatingPoint]] = {}
    for point, place in placed:
        found.setdefault(place, []).append(point)
    return found


def _list_point_names(points: Sequence[OperatingPoint], longest: int) -> str:
    return ", ".join(clean_name(point.name, longest) for point in points)


MOST_BESTS = 4  # more lines of the best possible than models hide the models
MOST_PANELS = 10
MOST_TOLD = 2  # candidates in a title
_SHARES = ("top", "held")  # marks that are shares


def make_figure_title(drawn: FigureContent) -> str:
    """Return the finding where there is one to quote, else a title of what is drawn."""
    plain = capitalize(drawn.fill_words(drawn.words.title))
    if len(drawn.baselines) > 1:
        return make_figure_title(drawn.against(drawn.baselines[0]))
    own = drawn.extra.title(drawn.curves) if drawn.extra else ""
    if own:
        return own
    if drawn.baselines:
        return _difference_title(drawn, plain)
    if finding := describe_curve(drawn.index, drawn.curves):
        return finding
    if drawn.words.drawing == "histogram":
        return _zeros_title(drawn, plain)
    if drawn.words.stretch and any(_is_banded(curve) for curve in drawn.paired):
        return f"{plain.partition(':')[0]}: {_describe_all_stretches(drawn)}"
    if finding := describe_curve_estimates(drawn.index, drawn.curves):
        return finding
    if not drawn.words.finding:
        return plain
    names = drawn.names
    return prose.line(
        "curve_title.last",
        finding=drawn.words.finding,
        statistic=names["statistic"],
        target=names["target"],
        each=[(_format_last_value(c), drawn.label(c, 30)) for c in drawn.curves],
    )


def describe_figure_variant(drawn: FigureContent) -> str:
    """Describe how a figure differs from others of its curve: its buckets or its only model."""
    first = drawn.curves[0]
    models = {c.model for c in drawn.index.results.curves if c.curve == first.curve}
    if is_threshold_curve(drawn.words) and len(drawn.curves) == 1:
        return f": {drawn.label(first)}" if len(models) > 1 else ""
    counts = {c.params.get("buckets") for c in drawn.index.results.curves if c.curve == first.curve}
    if len(counts) < 2:
        return ""
    return " " + prose.line("curve_title.buckets", buckets=drawn.names["buckets"])


def _describe_all_stretches(drawn: FigureContent) -> str:
    """Who is higher or lower and where: models with a colour first, as far as they can be known.

    Of those the one that is asked about leads, then the farthest away. If there are several
    baselines, only differences from the report's own are described.
    """

    def place(curve: CurveResult) -> tuple[bool, bool, float]:
        is_pale = drawn.index.role(curve.model) == "other"
        away = abs(sum(filter(None, curve.y)) / max(len(curve.y), 1))
        return is_pale, curve.model != drawn.index.about, -away

    main = drawn.index.baseline.name if drawn.index.baseline else ""
    of_main = [curve for curve in drawn.paired if curve.baseline == main]
    in_front = sorted(of_main or drawn.paired, key=place)
    apart = {drawn.model(curve, 30): _format_stretches(drawn, curve) for curve in in_front}
    clauses = [
        prose.line("curve_title.stretch", model=who, where=where)
        for who, where in apart.items()
        if where
    ]
    if clauses:
        rest = len(clauses) - MOST_TOLD
        more = [prose.line("curve_title.more", count=rest)] if rest > 0 else []
        return join_list([*clauses[:MOST_TOLD], *more])
    return prose.line("curve_title.nowhere", model="" if len(apart) > 1 else next(iter(apart)))


def _format_stretches(drawn: FigureContent, curve: CurveResult) -> str:
    """Format the stretch where the simultaneous band of a difference leaves out zero, or "".

    Where it does not at every position in between, at how many it does.
    """
    signs = [
        1 if low is not None and low > 0 else -1 if high is not None and high < 0 else 0
        for low, high in zip(curve.band_low, curve.band_high, strict=True)
    ]
    said = []
    for sign in (1, -1):
        at = [x for x, own in zip(curve.x, signs, strict=True) if own == sign and x is not None]
        if at:
            shown = [numbers.format_percent(x) if curve.x_unit == "share" else f"{x:g}" for x in at]
            places, is_higher, ends = drawn.words.stretch, sign == 1, (shown[0], shown[-1])
            if 1 < len(at) <= _find_last_index(signs, sign) - signs.index(sign):
                line = prose.line(
                    "curve_stretch.some",
                    is_higher=is_higher,
                    count=len(at),
                    all=len(signs),
                    places=places,
                    first=ends[0],
                    last=ends[1],
                )
            else:
                is_one = len(at) == 1
                line = prose.line(
                    "curve_stretch.at",
                    is_higher=is_higher,
                    places=re.sub(r"s\b", "", places, count=1) if is_one else places,
                    first=ends[0],
                    last="" if is_one else ends[1],
                )
            said.append(line)
    return join_list(said)


def _find_last_index(signs: Sequence[int], sign: int) -> int:
    """Return the last index of a sign."""
    return len(signs) - 1 - signs[::-1].index(sign)


def _is_banded(curve: CurveResult) -> bool:
    return any(limit is not None for limit in (*curve.band_low, *curve.band_high))


def _difference_title(drawn: FigureContent, plain: str) -> str:
    """Count the points where the simultaneous band of a difference leaves out zero."""
    said = []
    for curve in drawn.curves:
        low, high = curve.band_low or curve.low, curve.band_high or curve.high
        above = sum(v is not None and v > 0 for v in low)
        below = sum(v is not None and v < 0 for v in high)
        who = drawn.label(curve, 30)
        points = len(curve.x)
        sides = [
            prose.line(
                "curve_title.side",
                is_better_below=drawn.words.is_better_below,
                is_above=is_above,
                count=count,
                points=points,
            )
            for is_above, count in ((True, above), (False, below))
            if count
        ]
        said.append(
            prose.line(
                "curve_title.points",
                model=who,
                sides=sides,
                has_all=points in (above, below),
                points=points,
            )
            if sides
            else prose.line("curve_title.nowhere", model=who)
        )
    against = drawn.index.short_label(drawn.curves[0].baseline or "")
    return prose.line("curve_title.against", title=plain, baseline=against, each=said)


def _zeros_title(drawn: FigureContent, plain: str) -> str:
    zeros = [
        prose.line(
            "curve_title.zeros",
            share=numbers.format_percent(c.marks["zeros"]),
            model="" if drawn.words.of_target else drawn.label(c, 30),
        )
        for c in drawn.curves
        if c.marks.get("zeros")
    ]
    return f"{plain}: {join_list(zeros)}" if zeros else plain


def _has_more_pairs(drawn: FigureContent) -> bool:
    """Tell whether models are compared with a baseline that no curve is compared with."""
    shown = {curve.baseline for curve in drawn.index.results.curves}
    return any(found.baseline not in shown for found in drawn.index.results.comparisons)


def _lacks_bands(curves: Sequence[CurveResult]) -> bool:
    """Return whether bands were looked for, and none was found anywhere."""
    return any(c.band_low for c in curves) and all(x is None for c in curves for x in c.band_low)


def make_caption(drawn: FigureContent) -> str:
    """Say how to read the figure, and its numbers."""
    first, words = drawn.curves[0], drawn.words
    reading = (len(drawn.curves) == 1 and words.reading_of_one) or words.reading
    reading = words.difference if first.baseline and words.difference else reading
    said = [drawn.fill_words(reading)] if reading else []
    said += _list_noted_numbers(drawn) if first.baseline is None else describe_leads(drawn)
    if first.baseline is None:
        lines = [describe_score_lines(drawn)] if words.has_points else []
        lines += [describe_error_lines(drawn)] if words.has_error_lines else []
        said += filter(None, lines)
    per_model = [o for o in drawn.onto if not find_curve_info(drawn.index, o.curve).of_target]
    if (
        len(drawn.curves) > MOST_BESTS
        and not words.is_apart
        and any(not find_curve_info(drawn.index, o.curve).is_points for o in per_model)
    ):
        said.append(prose.line("curve_caption.bests", most=MOST_BESTS))
    said += _describe_bands(drawn)
    if drawn.cut_at is not None:
        rows = clean_name(drawn.index.main.case[1])
        to = (
            numbers.format_percent(drawn.cut_at) if first.x_unit == "share" else f"{drawn.cut_at:g}"
        )
        said.append(prose.line("curve_caption.cut", end=to, cases=rows))
    if any(c.marks.get("cut") for c in drawn.curves):
        said.append(prose.line("curve_caption.outer"))
    if any(c.marks.get("zeros") for c in drawn.curves):
        said.append(prose.line("curve_caption.zeros"))
    left = len(drawn.baselines) - len(list_baselines(drawn))
    if left:
        said.append(prose.line("curve_caption.baselines", count=left))
    elif first.baseline is not None and _has_more_pairs(drawn):
        name = drawn.index.short_label(first.baseline)
        said.append(prose.line("curve_caption.first_baseline", baseline=name))
    if drawn.extra and (closing := drawn.extra.said(drawn.curves)):
        said.append(closing)
    if first.segment is not None:
        segment = format_segment(drawn.index.datasets[first.dataset], first.segment)
        rows = numbers.format_count(first.n, *drawn.index.main.case)
        said.append(prose.line("curves.segment", segment=segment, rows=rows))
    elif first.dataset != drawn.index.main.name:
        said.append(prose.line("curves.dataset", dataset=clean_name(first.dataset)))
    return " ".join(said)


def _describe_bands(drawn: FigureContent) -> list[str]:
    """Describe bands that are not those of most figures, or why there are none."""
    first = drawn.curves[0]
    level = numbers.format_level(first.level)
    if first.method == "consistency band":
        return [prose.line("curve_caption.consistency", level=level)]
    if first.baseline is not None and _lacks_bands(drawn.curves):
        return [prose.line("curve_caption.no_band")]
    return []


def describe_bands(index: Index, topics: Sequence[str]) -> str:
    """Describe once what the bands of all figures of some topics hold; empty if none has any."""
    drawn = [
        curve
        for curve in index.results.curves
        if find_curve_info(index, curve.curve).topic in topics
        and curve.method != "consistency band"
        and (curve.low or curve.band_low)
    ]
    if not drawn:
        return ""
    return prose.line(
        "curves.bands",
        level=numbers.format_level(drawn[0].level),
        has_points=any(curve.low for curve in drawn),
        has_whole=any(curve.band_low for curve in drawn),
    )


def describe_leads(drawn: FigureContent) -> list[str]:
    """Describe where each candidate is ahead of the first baseline in nearly all resamples."""
    if len(drawn.baselines) > 1:
        return describe_leads(drawn.against(drawn.baselines[0]))
    against = drawn.index.short_label(drawn.curves[0].baseline or "")
    return list_leads(drawn.beneath, [drawn.label(curve, 30) for curve in drawn.beneath], against)


def _list_noted_numbers(drawn: FigureContent) -> list[str]:
    """Numbers that belong next to the curves, one sentence each kind."""
    lines = []
    for key, label in drawn.words.noted.items():
        known = [(c, c.marks[key]) for c in drawn.curves if c.marks.get(key) is not None]
        unit = drawn.curves[0].y_unit if key in ("over", "under") else ""
        unit = "share" if key in _SHARES else unit
        values = [f"{_format_mark(drawn, v, unit)} for {drawn.label(c, 30)}" for c, v in known]
        if len(known) > 1 and len({v for _, v in known}) == 1:
            value = _format_mark(drawn, known[0][1], unit)
            values = [prose.line("curve_caption.shared", value=value)]
        if values:
            lines.append(f"{capitalize(drawn.fill_words(label))}: {join_list(values)}.")
    return lines


def _format_mark(drawn: FigureContent, value: Number, unit: str) -> str:
    """Format a number next to a curve; a rank is printed as the whole number that it is."""
    if drawn.words.stretch == "ranks" and value is not None and float(value).is_integer():
        return numbers.format_count(int(value))
    return numbers.choose_format(value, None, None, unit).amount(value)


def _format_last_value(curve: CurveResult) -> str:
    """Format the last value of a curve that exists, with its unit."""
    place = max((i for i, y in enumerate(curve.y) if y is not None), default=None)
    if place is None:
        return "undefined"
    low, high = (
        bounds[place] if len(bounds) == len(curve.y) else None for bounds in (curve.low, curve.high)
    )
    return numbers.choose_format(curve.y[place], low, high, curve.y_unit).amount(curve.y[place])


def list_baselines(drawn: FigureContent) -> tuple[str, ...]:
    """Return the baselines that there is room for."""
    return drawn.baselines[: MOST_PANELS // (2 if drawn.beneath else 1)]
