"""The figures of costs: RROC space, the strip of cost ratios, across datasets."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import groupby
from operator import itemgetter
from typing import cast

from reportgen.report import prose
from reportgen.report.document import (
    Axis,
    Cell,
    Figure,
    Panel,
    Reference,
    Role,
    Series,
    Strip,
    Table,
)
from reportgen.report.prose.costs import (
    ALPHA,
    AsymmetryWording,
    describe_cheapest_ranges,
)
from reportgen.report.sections.costs.tables import get_asymmetry_axis
from reportgen.report.sections.curves.drawing import build_points_table, describe_line
from reportgen.report.sections.index import Index, format_money_axis
from reportgen.report.sections.tables import ReportColumn, build_table, model_column, number_column
from reportgen.report.wording.names import clean_name, join_list
from reportgen.report.wording.numbers import (
    choose_format,
    format_count,
    format_level,
    format_ratio,
    has_unit,
)
from reportgen.results.costs import CheapestRange, CostAnalysis, CostRange
from reportgen.results.curves import CurveResult
from reportgen.results.types import Number

LEAST, MOST = 0.1, 10.0
_TICKS = ((0.1, "1 : 10"), (1 / 3, "1 : 3"), (1.0, "1 : 1"), (3.0, "3 : 1"), (10.0, "10 : 1"))


def has_ratio(curve: CurveResult) -> bool:
    """Return whether it is a curve of costs over asymmetries that stand for a ratio."""
    return curve.curve == "cost" and curve.params.get("loss") in ("linlin", "pinball", "quadquad")


def make_ratio_axis() -> Axis:
    """Make the axis of the cost ratio, from 1 : 10 to 10 : 1."""
    label = prose.line("ratio_axis.label")
    return Axis(label, scale="log", low=LEAST, high=MOST, ticks=_TICKS)


def compute_clipped_ratio(alpha: float) -> float:
    """Return the cost ratio of an asymmetry, clipped to the limits of the axis."""
    return MOST if alpha >= 1 else min(max(alpha / (1 - alpha), LEAST), MOST)


def convert_to_ratios(curve: CurveResult) -> CurveResult:
    """Convert a curve to ratios: the points inside the axis, and one at either end of it."""
    if not has_ratio(curve):
        return curve
    known = [x for x in curve.x if x is not None]
    ends = [r / (1 + r) for r in (LEAST, MOST)]
    inside = [x for x in known if ends[0] < x < ends[1]]
    at = [ends[0], *inside, ends[1]]
    return replace(
        curve,
        x=(LEAST, *(x / (1 - x) for x in inside), MOST),
        y=_interpolate_at_places(curve.x, curve.y, at),
        low=_interpolate_at_places(curve.x, curve.low, at),
        high=_interpolate_at_places(curve.x, curve.high, at),
        band_low=_interpolate_at_places(curve.x, curve.band_low, at),
        band_high=_interpolate_at_places(curve.x, curve.band_high, at),
        x_unit="1",
    )


def list_open_ranges(
    index: Index, curves: Sequence[CurveResult], ranges: Sequence[CostRange]
) -> tuple[Strip, ...]:
    """List ranges where the model asked about is shown to be neither cheaper nor more expensive."""
    about = index.about if any(c.model == index.about for c in curves) else curves[0].model
    return tuple(
        Strip(
            prose.line("ratio_axis.open"),
            "x",
            compute_clipped_ratio(each.low),
            compute_clipped_ratio(each.high),
        )
        for each in ranges
        if each.candidate == about
        and each.verdict == "undetermined"
        and compute_clipped_ratio(each.low) < compute_clipped_ratio(each.high)
    )


def _interpolate_at_places(
    x: Sequence[Number], y: Sequence[Number], places: Sequence[float]
) -> tuple[Number, ...]:
    """Interpolate a curve linearly at these places; return an empty tuple for an empty curve."""
    pairs = [(a, b) for a, b in zip(x, y, strict=False) if a is not None]
    return tuple(_interpolate(pairs, at) for at in places) if pairs and y else ()


def _interpolate(pairs: Sequence[tuple[float, Number]], at: float) -> Number:
    below = [pair for pair in pairs if pair[0] <= at]
    above = [pair for pair in pairs if pair[0] >= at]
    if not below or not above:
        return None
    (x0, y0), (x1, y1) = below[-1], above[0]
    if y0 is None or y1 is None:
        return None
    return y0 if x0 == x1 else y0 + (y1 - y0) * (at - x0) / (x1 - x0)


_CONSTANTS = ("mean", "median", "zero")
_FEW = 3  # models whose scores in random order are all drawn; of more that of the baseline is
_Places = dict[str, tuple[float, float]]


def build_space_figure(index: Index, dataset: str, id_: str) -> Figure | None:
    """None where no model's place is known."""
    curves = [c for c in index.results.curves if c.dataset == dataset and c.segment is None]
    regions = [c for c in curves if c.curve == "rroc_region"]
    if not regions:
        return None
    lines = [c for c in curves if c.curve == "rroc_isometric"]
    hull = [c for c in curves if c.curve == "rroc_points_hull"]
    constants = next((c for c in curves if c.curve == "rroc_constant"), None)
    is_squared, of = _is_squared(index, regions[0]), regions[0].y_unit
    unit = of if has_unit(of) else ""
    x_name = prose.line("space.over", is_squared=is_squared, unit=unit)
    y_name = prose.line("space.under", is_squared=is_squared, unit=unit)
    references = _build_places(constants) | _place_shuffled_scores(index, regions)
    right, down = choose_window(hull)
    left = hull[0].marks.get("left") if hull else None
    panel = Panel(
        "",
        format_money_axis(Axis(x_name, low=left, high=right), of),
        format_money_axis(Axis(y_name, low=down, high=0.0), of),
        (
            *(Series("", "reference", each.x, each.y) for each in hull),
            *_list_references(references, right, down),
            *_list_models(index, regions),
        ),
        (*_list_isometrics(lines), Reference("", x=(0.0, right), y=(0.0, -right))),
    )
    return Figure(
        id_,
        "line",
        _format_title(index, dataset)
        if len(regions) > 1
        else _describe_only_model(index, regions[0]),
        _format_caption(index, regions, lines, _list_outside_references(references, right, down)),
        " ".join(_describe_position(index, region) for region in regions),
        (panel,),
        table=_build_points(index, regions, id_),
        has_equal_axes=True,
    )


def _list_models(index: Index, regions: Sequence[CurveResult]) -> list[Series]:
    """Each model's point and the outline of its region; its name stands next to the figure."""
    made = []
    for region in regions:
        role, name = index.role(region.model), index.short_label(region.model)
        made.append(Series("", role, *_select_known_points(region)))
        place = (region.marks.get("over"),), (region.marks.get("under"),)
        made.append(Series(name, role, *place, has_markers=True))
    return made


def _list_references(places: _Places, right: float, down: float) -> list[Series]:
    """Grey points; one outside the window on its edge, named by the caption alone."""
    named: dict[tuple[float, float], list[str]] = {}
    for name, (over, under) in places.items():
        inside = [] if over > right or under < down else [name]
        named.setdefault((min(over, right), max(under, down)), []).extend(inside)
    return [
        Series(
            "",
            "reference",
            (x,),
            (y,),
            texts=(join_list(names),) if names else (),
            has_markers=True,
        )
        for (x, y), names in named.items()
    ]


def _list_outside_references(places: _Places, right: float, down: float) -> list[str]:
    """List the references beyond the window, each with its place."""
    said = []
    for name, (over, under) in places.items():
        if over > right or under < down:
            form = choose_format(min(under, -over), None, None)
            place = form.number(over), form.number(under)
            said.append(prose.line("space.outside", name=name, over=place[0], under=place[1]))
    return said


def _build_places(curve: CurveResult | None) -> _Places:
    """Over- and under-estimation of each constant, where both exist."""
    marks = {} if curve is None else curve.marks
    return _drop_incomplete_places(
        {name: (marks.get(f"over of {name}"), marks.get(f"under of {name}")) for name in _CONSTANTS}
    )


def _place_shuffled_scores(index: Index, regions: Sequence[CurveResult]) -> _Places:
    """Return the over- and under-estimation of shuffled scores; of many models, the baseline's."""
    shown = [r for r in regions if len(regions) <= _FEW or index.role(r.model) == "baseline"]
    return _drop_incomplete_places(
        {
            prose.line("space.shuffled", model=index.short_label(each.model)): (
                each.marks.get("over in random order"),
                each.marks.get("under in random order"),
            )
            for each in shown
        }
    )


def _drop_incomplete_places(found: Mapping[str, tuple[Number, Number]]) -> _Places:
    return {
        name: (over, under)
        for name, (over, under) in found.items()
        if over is not None and under is not None
    }


def choose_window(hull: Sequence[CurveResult]) -> tuple[float, float]:
    """Choose the part of RROC space that is drawn: as far as the line of the hull reaches."""
    right = max((x for c in hull for x in c.x if x is not None), default=1.0)
    down = min((y for c in hull for y in c.y if y is not None), default=-1.0)
    return right, down


def _list_isometrics(lines: Sequence[CurveResult]) -> list[Reference]:
    """Each line of equal cost with its asymmetry."""
    alphas = [line.params.get("alpha") for line in lines]
    return [
        Reference(
            ALPHA.place(alpha) if isinstance(alpha, float) else "", *_select_known_points(line)
        )
        for alpha, line in zip(alphas, lines, strict=True)
    ]


def _select_known_points(curve: CurveResult) -> tuple[tuple[float, ...], tuple[float, ...]]:
    pairs = [
        (x, y) for x, y in zip(curve.x, curve.y, strict=True) if x is not None and y is not None
    ]
    return tuple(x for x, _ in pairs), tuple(y for _, y in pairs)


def _format_title(index: Index, dataset: str) -> str:
    """Name the models on the hull, with the range of α of each."""
    costs = index.costs.get(dataset)
    points = () if costs is None else costs.points
    said = [index.mark_label(p.name) for p in points if p.is_on_hull]
    out = [index.short_label(p.name) for p in points if p.is_on_hull is False]
    if not said:
        return prose.line("space.no_cost")
    return prose.line(
        "space.title",
        models=said,
        is_one=len(said) == 1,
        has_ratio=get_asymmetry_axis(index, dataset).has_ratio,
        others=out,
        is_one_other=len(out) == 1,
    )


def _describe_only_model(index: Index, region: CurveResult) -> str:
    """Describe the place of the only model: there is none that it could be cheaper than."""
    said = [
        choose_format(abs(value), None, None, region.y_unit).amount(abs(value))
        for value in (region.marks.get("over"), region.marks.get("under"))
        if value is not None
    ]
    name = index.short_label(region.model)
    if len(said) < 2:
        return prose.line("space.only_unknown", model=name)
    is_squared = _is_squared(index, region)
    return prose.line("space.only", model=name, over=said[0], under=said[1], is_squared=is_squared)


def _is_squared(index: Index, curve: CurveResult) -> bool:
    """Tell whether errors count squared: the plane in which equal Quad-Quad costs lie on lines."""
    return curve.y_unit.endswith("²") and curve.y_unit != index.datasets[curve.dataset].unit


def _format_caption(
    index: Index,
    regions: Sequence[CurveResult],
    lines: Sequence[CurveResult],
    outside: Sequence[str],
) -> str:
    region = regions[0]
    return prose.line(
        "space.figure",
        is_alone=len(regions) == 1,
        is_squared=_is_squared(index, region),
        has_outline=bool(region.x),
        level=format_level(index.results.inference.level),
        has_lines=bool(lines),
        outside=outside,
        rows=format_count(region.n),
    )


def _describe_position(index: Index, region: CurveResult) -> str:
    over, under = region.marks.get("over"), region.marks.get("under")
    form = choose_format(under, None, None, region.y_unit)
    name = index.short_label(region.model)
    place = form.number(over), form.number(under)
    return prose.line("space.position", model=name, over=place[0], under=place[1])


def _build_points(index: Index, regions: Sequence[CurveResult], id_: str) -> Table:
    unit = regions[0].y_unit
    form = choose_format(regions[0].marks.get("under"), None, None, unit)

    def mark_column(title: str, mark: str) -> ReportColumn[CurveResult]:
        def make_cell(region: CurveResult) -> Cell:
            value = region.marks.get(mark)
            return Cell(form.number(value), value=value)

        return number_column(title, make_cell, unit=unit)

    return build_table(
        f"{id_}-table",
        prose.line("space.points"),
        regions,
        model_column(index, lambda region: region.model),
        mark_column("Over-estimation", "over"),
        mark_column("Under-estimation", "under"),
        is_folded=True,
    )


_Span = tuple[str | None, float, float]


def build_strip_figure(index: Index, costs: CostAnalysis, id_: str) -> Figure | None:
    """None where costs have no ratio, or where the same is to be said of every ratio shown."""
    spans = _list_spans(index, costs)
    if len(spans) < 2:
        return None
    asked = dict.fromkeys(made.asymmetry for made in costs.decisions)
    shown = [
        ("" if model is None else index.mark_label(model), low, high) for model, low, high in spans
    ]
    series = tuple(
        Series(
            _format_label(index, model),
            "reference" if model is None else index.role(model),
            (compute_clipped_ratio(low), compute_clipped_ratio(high)),
            (0.0, 0.0),
        )
        for model, low, high in spans
    )
    lines = tuple(Reference(format_ratio(a), x=(compute_clipped_ratio(a),)) for a in asked)
    panel = Panel("", make_ratio_axis(), Axis("", ticks=((0.0, ""),)), series, lines)
    ranges_text = "; ".join(
        f"{name or _format_label(index, None)} {ALPHA.ratios(low, high)}"
        for name, low, high in shown
    )
    return Figure(
        id_,
        "spans",
        describe_cheapest_ranges([each for each in shown if each[0]]),
        prose.line("strip.caption", rows=format_count(index.datasets[costs.dataset].n)),
        f"{ranges_text}.",
        (panel,),
    )


def _format_label(index: Index, model: str | None) -> str:
    return "undecided" if model is None else index.short_label(model)


def _list_spans(index: Index, costs: CostAnalysis) -> list[_Span]:
    """Return the spans from low cost ratios to high ones, None for what is undecided."""
    envelope = sorted((e for e in costs.envelope if e.shift == "none"), key=lambda e: e.low)
    if (
        len(envelope) < 2
        or costs.model.is_by_row
        or not AsymmetryWording.from_reach(costs.model.reaches).has_ratio
    ):
        return []
    parts = groupby(_iter_strip_spans(costs, envelope), key=itemgetter(0))
    spans = [(model, each[0][1], each[-1][2]) for model, (*each,) in parts]
    return [
        span for span in spans if compute_clipped_ratio(span[1]) < compute_clipped_ratio(span[2])
    ]


def _iter_strip_spans(costs: CostAnalysis, envelope: list[CheapestRange]) -> Iterator[_Span]:
    at = envelope[0].low
    for each in envelope:
        for low, high in _find_undecided(costs, each):
            if low > at:
                yield each.model, at, low
            if high > at:
                yield None, max(low, at), high
                at = high
        if each.high > at:
            yield each.model, at, each.high
            at = each.high


def _find_undecided(costs: CostAnalysis, cheapest: CheapestRange) -> list[tuple[float, float]]:
    """Find where the data cannot tell the cheapest model from any other model, in order."""
    found = [
        (each.low, each.high)
        for each in costs.ranges
        if each.shift == "none"
        and each.verdict == "undetermined"
        and cheapest.model in (each.candidate, each.baseline)
    ]
    found += [
        (each.low, each.high)
        for each in costs.crossings
        if each.shift == "none"
        and cheapest.model in (each.first, each.second)
        and each.low is not None
        and each.high is not None
    ]
    return sorted(
        (max(low, cheapest.low), min(high, cheapest.high))
        for low, high in found
        if low < cheapest.high and high > cheapest.low
    )


_MOST = 4  # models, the first of the config
_ROLES = cast("tuple[Role, ...]", ("baseline", *(f"candidate{k}" for k in range(1, 10))))


def iter_dataset_figures(index: Index) -> Iterator[Figure]:
    """Yield a figure for each kind of curve, a panel for each model, a line for each dataset.

    None where there is one dataset to judge on, or where their targets have different units.
    """
    names = [each.name for each in index.tests][: len(_ROLES)]
    if len(names) < 2:
        return
    for kind in ("rroc", "cost"):
        found = [c for c in index.results.curves if c.dataset in names and _is_of(c, kind)]
        of_model = {
            model.name: [
                c for name in names for c in found if (c.model, c.dataset) == (model.name, name)
            ]
            for model in index.results.models
        }
        shown = {m: curves for m, curves in of_model.items() if len(curves) > 1}
        if shown and len({(c.x_unit, c.y_unit) for c in found}) == 1:
            yield _build_figure(index, kind, dict([*shown.items()][:_MOST]), names)


def _is_of(curve: CurveResult, kind: str) -> bool:
    """Tell whether it is the plain curve of a model.

    That is per row, of all rows, against no other model.
    """
    is_whole = curve.segment is None and curve.baseline is None and curve.status == "ok"
    asked = {"raw": False, "loss": "linlin"} | ({"shift": "none"} if kind == "cost" else {})
    return is_whole and curve.curve == kind and asked.items() <= dict(curve.params).items()


def _build_figure(
    index: Index, kind: str, shown: dict[str, list[CurveResult]], names: Sequence[str]
) -> Figure:
    every = [curve for curves in shown.values() for curve in curves]
    labels = [f"{_format_model(index, c.model)}, {clean_name(c.dataset, 30)}" for c in every]
    x_name, y_name = _list_axes(every[0], kind)
    return Figure(
        f"{kind}-across",
        "line",
        prose.line("across.rroc") if kind == "rroc" else prose.line("across.cost"),
        _across_caption(index, kind, names),
        " ".join(describe_line(c, label) for c, label in zip(every, labels, strict=True)),
        tuple(
            Panel(
                _format_model(index, model),
                format_money_axis(Axis(x_name), every[0].x_unit),
                format_money_axis(Axis(y_name), every[0].y_unit),
                tuple(_build_line(curve, names) for curve in curves),
            )
            for model, curves in shown.items()
        ),
        table=build_points_table(every, labels, f"{kind}-across", (x_name, y_name)),
        shares_axes=True,
    )


def _build_line(curve: CurveResult, names: Sequence[str]) -> Series:
    role = _ROLES[names.index(curve.dataset)]
    return Series(clean_name(curve.dataset, 30), role, curve.x, curve.y)


def _list_axes(curve: CurveResult, kind: str) -> tuple[str, str]:
    unit = curve.y_unit if has_unit(curve.y_unit) else ""
    if kind == "rroc":
        return prose.line("costs.over", unit=unit), prose.line("costs.under", unit=unit)
    return prose.line("cost_gap.x", is_alone=False), prose.line("across.expected", unit=unit)


def _across_caption(index: Index, kind: str, names: Sequence[str]) -> str:
    rows = [f"{clean_name(d.name, 30)} {format_count(d.n)}" for d in index.tests if d.name in names]
    return prose.line("across.caption", is_rroc=kind == "rroc", rows=rows)


def _format_model(index: Index, model: str) -> str:
    return index.short_label(model)
