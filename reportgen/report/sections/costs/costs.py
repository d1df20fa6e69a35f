"""The section on costs."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from reportgen.report import prose
from reportgen.report.document import (
    Axis,
    Block,
    Bullets,
    Cell,
    Figure,
    Fold,
    Panel,
    Reference,
    Role,
    Section,
    Series,
    Span,
    Strip,
    Table,
    Text,
    iter_unfolded,
    make_phrase,
)
from reportgen.report.prose import cost_advice
from reportgen.report.prose.costs import (
    ALPHA,
    AsymmetryWording,
    CostWording,
    describe_cost_scale,
    describe_decision,
    describe_deployed,
    describe_harmful,
    title_of_envelope,
    title_of_ranges,
)
from reportgen.report.sections.costs import figures as ratios
from reportgen.report.sections.costs.figures import (
    build_space_figure,
    build_strip_figure,
    choose_window,
    iter_dataset_figures,
)
from reportgen.report.sections.costs.tables import (
    build_crossings_table,
    build_decision_table,
    build_envelope_table,
    build_mixtures_table,
    build_model_costs_table,
    build_ranges_table,
    build_space_table,
    build_split_table,
    get_asymmetry_axis,
    is_single_model,
    make_cost_wording,
    make_limits_cell,
)
from reportgen.report.sections.curves.drawing import FigureExtra, build_points_table
from reportgen.report.sections.curves.figures import build_curve_figures
from reportgen.report.sections.index import Index, fold_for_full_report, format_money_axis
from reportgen.report.sections.tables import (
    MISSING_CELL,
    ReportColumn,
    build_table,
    model_column,
    number_column,
    word_column,
)
from reportgen.report.wording import numbers
from reportgen.report.wording.names import capitalize, clean_name
from reportgen.report.wording.numbers import format_ratio
from reportgen.results import Results
from reportgen.results.costs import CostAnalysis, CostRange, IntervalEstimate, ShiftCost
from reportgen.results.curves import CurveResult
from reportgen.results.types import Number

_ROLES: dict[str, Role] = {
    "optimal": "baseline",
    "fitted": "candidate2",
    "polynomial": "candidate1",
    "surface": "candidate4",
    "soft": "candidate3",
}
_MOST_MODELS = 4
_MOST_ROWS = 60
_MOST_POINTS, _FEWEST_POINTS = 24, 3  # of the gap's table: of all models, and of each


def is_flattered(index: Index, dataset: str) -> bool:
    """Tell whether shifts are judged on ids that they were fitted on."""
    return any((w.code, w.dataset) == ("W115", dataset) for w in index.results.warnings)


def iter_shift_blocks(index: Index, costs: CostAnalysis, suffix: str) -> Iterator[Block]:
    """Yield the blocks on the ways to choose a shift, where there are any."""
    terms, by_alpha = _build_terms(index, costs), _group_by_asymmetry(costs.shifts)
    if is_flattered(index, costs.dataset):
        yield Text(make_phrase(Span(prose.line("way.flattered"), is_strong=True)))
    said = [" ".join(cost_advice.describe_methods(found, terms)) for found in by_alpha]
    yield Bullets(tuple(map(make_phrase, said))) if len(said) > 1 else Text(make_phrase(*said))
    yield build_methods_table(index, costs, f"costs-shift-methods{suffix}")
    curves = [c for c in index.results.curves if c.dataset == costs.dataset]
    paths = [c for c in curves if c.curve == "rroc_path"]
    yield _paths_figure(by_alpha, terms, paths, f"rroc-paths{suffix}")
    gaps = [c for c in curves if c.curve == "cost_gap"]
    if gaps:
        yield _gap_figure(index, gaps, f"cost-gap{suffix}")


def build_methods_table(index: Index, costs: CostAnalysis, id_: str) -> Table:
    """Tabulate models' costs as they are and at best, and each feasible way's excess over best."""
    terms = _build_terms(index, costs)
    note = terms.money if numbers.has_unit(terms.money) else ""
    methods = {found.method for found in costs.shifts}
    places: dict[tuple[float, str], dict[str, ShiftCost]] = {}
    for found in costs.shifts:
        places.setdefault((found.asymmetry, found.model), {})[found.method] = found

    def make_name_cell(row: dict[str, ShiftCost]) -> Cell:
        plain = row["none"]
        return Cell(terms.label(plain.model), note=ALPHA.place(plain.asymmetry))

    def gap_column(method: str) -> ReportColumn[dict[str, ShiftCost]]:
        def make_cell(row: dict[str, ShiftCost]) -> Cell:
            if method not in row:
                return MISSING_CELL
            return make_limits_cell(row[method].gap, terms.money, signed=True)

        title = capitalize(prose.term("shift", method))
        return number_column(title, make_cell, note=prose.line("costs.over_best", unit=note))

    over = [method for method in ("fitted", "polynomial", "surface", "soft") if method in methods]
    return build_table(
        id_,
        _table_caption(costs.shifts, terms),
        [*places.values()][:_MOST_ROWS],
        word_column("Model", make_name_cell),
        number_column(
            prose.line("costs.as_it_is"),
            lambda row: make_limits_cell(row["none"].cost, terms.money),
            note=note,
        ),
        number_column(
            prose.line("costs.best_constant"),
            lambda row: make_limits_cell(row["optimal"].cost, terms.money),
            note=note,
        ),
        *map(gap_column, over),
    )


def _table_caption(costs: Sequence[ShiftCost], terms: CostWording) -> str:
    methods = {each.method for each in costs}
    refits = sorted({each.resamples for each in costs if each.method == "polynomial"})
    return prose.line(
        "costs.ways",
        quantity=terms.quantity,
        per=terms.per,
        level=numbers.format_level(terms.level),
        has_constant="fitted" in methods,
        has_bent=bool(refits),
        degree=max((each.degree for each in costs), default=0),
        refits=[numbers.format_count(n) for n in refits] if any(refits) else [],
        has_surface="surface" in methods,
    )


def _paths_figure(
    by_alpha: Sequence[Sequence[ShiftCost]],
    terms: CostWording,
    paths: Sequence[CurveResult],
    id_: str,
) -> Figure:
    """RROC space with a panel for each model, of the first few; the title is who costs least."""
    models = list(dict.fromkeys(c.model for c in paths))[:_MOST_MODELS]
    shown = [c for c in paths if c.model in models]
    unit = shown[0].y_unit if numbers.has_unit(shown[0].y_unit) else ""
    labels = (prose.line("costs.over", unit=unit), prose.line("costs.under", unit=unit))
    lines = [c for c in shown if c.params["method"] != "none"]
    names = [f"{terms.label(c.model)}, {_format_method_name(c)}" for c in lines]
    return Figure(
        id_,
        "line",
        _paths_title(by_alpha, terms),
        prose.line("costs.paths", rows=numbers.format_count(shown[0].n)),
        " ".join(_describe_line_ends(c, name) for c, name in zip(lines, names, strict=True)),
        _path_panels(models, shown, terms, labels),
        table=build_points_table(lines, names, id_, labels),
        shares_axes=True,
    )


def _paths_title(by_alpha: Sequence[Sequence[ShiftCost]], terms: CostWording) -> str:
    """Name the method that costs least, at the first two asymmetries that decide."""
    named = [cost_advice.title_of_cheapest_method(found, terms) for found in by_alpha]
    titles = [title for title in named if title]
    return capitalize("; ".join(titles[:2])) or prose.line("costs.ways_title")


def _path_panels(
    models: Sequence[str], shown: Sequence[CurveResult], terms: CostWording, labels: tuple[str, str]
) -> tuple[Panel, ...]:
    right, down = _compute_window(shown)
    return tuple(
        Panel(
            terms.label(model) if len(models) > 1 else "",
            format_money_axis(Axis(labels[0], low=0.0, high=right), shown[0].y_unit),
            format_money_axis(Axis(labels[1], low=down, high=0.0), shown[0].y_unit),
            tuple(_build_path(c) for c in shown if c.model == model),
        )
        for model in models
    )


def _compute_window(paths: Sequence[CurveResult]) -> tuple[float, float]:
    """Compute a window around models as they are, constants for α from 0.2 to 0.8, and a margin."""
    ends = [c for c in paths if c.params["method"] in ("none", "optimal")]
    inner = [
        c if c.params["method"] == "none" else replace(c, x=c.x[3:-3], y=c.y[3:-3]) for c in ends
    ]
    right = max((x for c in inner for x in c.x if x is not None), default=1.0)
    down = min((y for c in inner for y in c.y if y is not None), default=-1.0)
    return 1.1 * right or 1.0, 1.1 * down or -1.0


def _build_path(curve: CurveResult) -> Series:
    method = str(curve.params["method"])
    if method == "none":
        return Series("", "reference", curve.x, curve.y, has_markers=True)
    return Series(_format_method_name(curve), _ROLES[method], curve.x, curve.y)


def _gap_figure(index: Index, gaps: Sequence[CurveResult], id_: str) -> Figure:
    methods = list(dict.fromkeys(str(c.params["method"]) for c in gaps))
    parts = [[c for c in gaps if c.params["method"] == method] for method in methods]
    names = [f"{_format_label(index, c)}, {_format_method_name(c)}" for c in gaps]
    is_alone, kinds = len(parts) == 1, _list_kinds(methods)
    labels = (
        prose.line("cost_gap.x", is_alone=is_alone),
        prose.line("cost_gap.y", is_alone=is_alone),
    )
    return Figure(
        id_,
        "line",
        _gap_title(index, gaps),
        prose.line(
            "cost_gap.caption",
            has_bands=any(low is not None for c in gaps for low in c.low),
            level=numbers.format_level(gaps[0].level),
            has_constants="fitted" in kinds,
            has_bent="bent" in kinds,
            rows=numbers.format_count(gaps[0].n),
        ),
        " ".join(_describe_line_ends(c, name) for c, name in zip(gaps, names, strict=True)),
        tuple(_gap_panel(index, part, labels, _compute_gap_range(gaps)) for part in parts),
        table=_gap_table(index, parts, id_),
    )


def _gap_table(index: Index, parts: Sequence[Sequence[CurveResult]], id_: str) -> Table:
    """Each model at some α, the ways side by side; the α are those of the shortest line."""
    models = list(dict.fromkeys(c.model for part in parts for c in part))
    shortest = min((part[0].x for part in parts), key=len)
    most, last = max(_MOST_POINTS // len(models), _FEWEST_POINTS), len(shortest) - 1
    wide = range(-(-last // (most - 1)), last + 1)
    step = next((each for each in wide if each and last % each == 0), 1)  # so that both ends show

    def gap_column(part: Sequence[CurveResult]) -> ReportColumn[tuple[str, Number]]:
        return number_column(
            capitalize(_format_method_name(part[0])), lambda row: _gap_cell(part, *row)
        )

    return build_table(
        f"{id_}-table",
        prose.line("cost_gap.table"),
        [(model, x) for model in models for x in shortest[::step]],
        model_column(index, lambda row: row[0]),
        number_column(
            prose.line("cost_gap.asymmetry"), lambda row: Cell(f"{row[1]:g}", value=row[1])
        ),
        *map(gap_column, parts),
        is_folded=True,
    )


def _gap_cell(gaps: Sequence[CurveResult], model: str, x: Number) -> Cell:
    """Empty where this way has no gap at this α."""
    for gap in gaps:
        if gap.model == model and x in gap.x:
            at = gap.x.index(x)
            low, high = gap.low[at : at + 1] or (None,), gap.high[at : at + 1] or (None,)
            found = IntervalEstimate(gap.y[at], *low, *high)
            return make_limits_cell(found, gap.y_unit, signed=True)
    return Cell(numbers.MISSING)


def _list_kinds(methods: Sequence[str]) -> set[str]:
    return {"fitted" if method == "fitted" else "bent" for method in methods}


def _compute_gap_range(gaps: Sequence[CurveResult]) -> tuple[float, float]:
    """Return the limits of the y axis: the range of the polynomials' gaps, slightly widened."""
    bent = [c for c in gaps if c.params["method"] != "fitted"]
    known = [y for c in bent for line in (c.y, c.low, c.high) for y in line if y is not None]
    low, high = min(known, default=0.0), max([0.0, *known])
    return low - 0.05 * (high - low), high + 0.05 * (high - low)


def _gap_panel(
    index: Index, gaps: Sequence[CurveResult], labels: tuple[str, str], reach: tuple[float, float]
) -> Panel:
    series = tuple(
        Series(_format_label(index, c), index.role(c.model), c.x, c.y, c.low, c.high) for c in gaps
    )
    is_constant = gaps[0].params["method"] == "fitted"
    low, high = (0.0, None) if is_constant else reach
    y = format_money_axis(Axis(labels[1], low=low, high=high), gaps[0].y_unit)
    title = capitalize(_format_method_name(gaps[0]))
    return Panel(title, Axis(labels[0]), y, series, (Reference("", y=(0.0,)),))


def _gap_title(index: Index, gaps: Sequence[CurveResult]) -> str:
    """Describe the largest gap of a constant, whether any is shown, which polynomials cost less."""
    constants = [c for c in gaps if c.params["method"] == "fitted"]
    bent = [c for c in gaps if c.params["method"] != "fitted"]
    said = [_constants_title(index, constants)] if constants else []
    ahead = [_format_label(index, c) for c in bent if any(h is not None and h < 0 for h in c.high)]
    if ahead:
        said.append(prose.line("cost_gap.polynomials", models=list(dict.fromkeys(ahead))))
    elif not said:
        said.append(prose.line("cost_gap.no_polynomial"))
    return capitalize("; ".join(said))


def _constants_title(index: Index, gaps: Sequence[CurveResult]) -> str:
    most = max(
        (
            (y, x, c)
            for c in gaps
            for x, y in zip(c.x, c.y, strict=True)
            if x is not None and y is not None
        ),
        key=lambda each: each[:2],
    )
    apart = [
        _format_label(index, c) for c in gaps if any(low is not None and low > 0 for low in c.low)
    ]
    size = numbers.choose_format(most[0], None, None).number(most[0])
    return prose.line("cost_gap.constants", size=size, models=apart)


def _describe_line_ends(curve: CurveResult, name: str) -> str:
    """Describe the two ends of a line, in numbers."""
    known = [
        (x, y) for x, y in zip(curve.x, curve.y, strict=True) if x is not None and y is not None
    ]
    if not known:
        return prose.line("costs.undefined", name=name)
    ends = [
        f"{numbers.choose_format(x, None, None).number(x)}, "
        f"{numbers.choose_format(y, None, None).number(y)}"
        for x, y in (known[0], known[-1])
    ]
    return prose.line("costs.ends", name=name, first=ends[0], last=ends[1])


def _format_method_name(curve: CurveResult) -> str:
    return cost_advice.format_shift_method(
        str(curve.params["method"]), int(curve.params.get("degree") or 0)
    )


def _format_label(index: Index, curve: CurveResult) -> str:
    return index.short_label(curve.model)


def _build_terms(index: Index, costs: CostAnalysis) -> CostWording:
    shared = make_cost_wording(index, costs)
    return shared if shared.is_priced else replace(shared, money="1")


def _group_by_asymmetry(costs: Sequence[ShiftCost]) -> list[list[ShiftCost]]:
    alphas = dict.fromkeys(each.asymmetry for each in costs)
    return [[each for each in costs if each.asymmetry == alpha] for alpha in alphas]


_FEW_ROWS = 100  # whose curves are drawn whole, to both axes
_MOST_SAID = 3  # candidates in a title
_DECISIVE = frozenset(("costs-strip", "costs-decision", "costs-shift-methods", "cost-curve"))
_PLANE = frozenset(("rroc-space", "rroc-curve"))


def build_costs_section(results: Results) -> Section | None:
    """None unless costs were asked for, or curves of costs were drawn."""
    index = Index(results)
    blocks: list[Block] = []
    datasets = [d.name for d in index.tests]
    for place, dataset in enumerate(datasets):
        decided = _iter_decision_blocks(index, dataset, f"-{place + 1}" if place else "")
        blocks += _iter_dataset_blocks(index, dataset, decided)
    blocks += build_curve_figures(index, ("costs",), _make_cost_extra(index))
    blocks += iter_dataset_figures(index)
    for place, dataset in enumerate(datasets):
        tables = _iter_further_tables(index, dataset, f"-{place + 1}" if place else "")
        blocks += _iter_dataset_blocks(index, dataset, tables)
    if not blocks:
        return None
    blocks = _order_decisive_first(index, blocks)
    is_of_one = all(_is_of_one(index, dataset) for dataset in datasets)
    lede = prose.phrase("costs.lede", is_of_one=is_of_one, has_alpha=_speaks_of_alpha(index))
    return Section("costs", "Costs", tuple(blocks), lede)


def _speaks_of_alpha(index: Index) -> bool:
    """Tell whether asymmetries are printed as α: not where they are c, or differ by row."""
    models = [costs.model for costs in index.results.costs]
    return any(m.reaches is None and not m.is_by_row for m in models)


def _order_decisive_first(index: Index, blocks: Sequence[Block]) -> list[Block]:
    """List what decides and what the config names, then the rest, for the full report."""
    rroc = index.curve_infos.get("rroc")
    kept = _DECISIVE if rroc is None or rroc.is_detail else _DECISIVE | _PLANE

    def is_decisive(block: Block) -> bool:
        return not isinstance(block, Table | Figure) or block.id.rstrip("-0123456789") in kept

    plain = [block for block in blocks if not isinstance(block, Fold)]
    further: list[Block] = [block for block in plain if not is_decisive(block)]
    further += iter_unfolded(block for block in blocks if isinstance(block, Fold))
    shown = [block for block in plain if is_decisive(block)]
    return shown + fold_for_full_report(prose.line("costs.further"), further)


def _iter_dataset_blocks(index: Index, dataset: str, blocks: Iterable[Block]) -> Iterator[Block]:
    """Yield the same blocks, each naming its dataset where there are several."""
    named = f"{clean_name(dataset, 40)}: "
    for block in blocks:
        if len(index.tests) == 1:
            yield block
        elif isinstance(block, Text):
            yield Text(make_phrase(named, *block.phrase))
        elif isinstance(block, Bullets):
            yield Bullets(tuple(make_phrase(named, *item) for item in block.items), block.title)
        elif isinstance(block, Table):
            yield replace(block, caption=f"{named}{block.caption}")
        elif isinstance(block, Figure):
            yield replace(block, title=f"{named}{block.title}")
        else:
            yield block


def _iter_decision_blocks(index: Index, dataset: str, suffix: str) -> Iterator[Block]:
    """Yield the answer: sentences, the decision table, RROC space."""
    costs = index.costs.get(dataset)
    if costs is None:
        return
    strip = build_strip_figure(index, costs, f"costs-strip{suffix}")
    yield from _iter_sentences(index, costs, is_drawn=strip is not None)
    if strip is not None:
        yield strip
    yield build_decision_table(index, costs, f"costs-decision{suffix}")
    if costs.model.is_by_row:
        yield Text(prose.phrase("costs.no_axis"))
    if costs.crossings:
        yield build_crossings_table(index, costs, f"costs-crossing{suffix}")
    if costs.ranges:
        yield build_ranges_table(index, costs, f"costs-cost-ranges{suffix}")
    figure = build_space_figure(index, dataset, f"rroc-space{suffix}")
    if figure is not None:
        yield figure
    if costs.shifts:
        yield from iter_shift_blocks(index, costs, suffix)


def _iter_sentences(index: Index, costs: CostAnalysis, *, is_drawn: bool) -> Iterator[Block]:
    """One paragraph where there is one asymmetry, else one item each.

    Where the cost ratios are drawn below, the cheapest does not repeat them.
    """
    shared, ranges, envelope = make_cost_wording(index, costs), costs.ranges, costs.envelope
    items = []
    for alpha in dict.fromkeys(made.asymmetry for made in costs.decisions):
        plain, shifted, *fitted = (made for made in costs.decisions if made.asymmetry == alpha)
        here = [option for option in costs.options if option.asymmetry == alpha]
        claim = cost_advice.describe_cheapest(here, shared)
        if claim and plain.cheapest.cost.value is not None:
            lead, rest = claim, cost_advice.list_cost_details(here, plain, shifted, shared)
        else:
            lead, *rest = describe_decision(plain, shifted, shared, ranges, envelope)
        known = ((), ()) if claim and is_drawn else (ranges, envelope)
        rest += [describe_deployed(made, shared, *known) for made in fitted]
        rest += [describe_harmful(made.models, shared) for made in fitted]
        items.append(make_phrase(Span(lead, is_strong=True), " " + " ".join(filter(None, rest))))
    if len(items) == 1:
        yield Text(items[0])
    else:
        yield Bullets(tuple(items))


def _iter_further_tables(index: Index, dataset: str, suffix: str) -> Iterator[Block]:
    """RROC space, mixtures and errors; of several models all of them, and the cheapest."""
    costs = index.costs.get(dataset)
    if costs is None:
        return
    if costs.points:
        yield build_space_table(index, costs, f"costs-rroc-space{suffix}")
    if costs.mixtures:
        yield build_mixtures_table(index, costs, f"costs-rroc-hybrids{suffix}")
    if costs.decompositions:
        yield build_split_table(index, costs, f"costs-error-split{suffix}")
    if is_single_model(costs):
        return
    if costs.envelope:
        yield build_envelope_table(index, costs, f"costs-cost-envelope{suffix}")
    yield build_model_costs_table(index, costs, f"costs-decision-models{suffix}")


def _is_of_one(index: Index, dataset: str) -> bool:
    """Return whether costs are known of one model only, so that nothing is the cheapest."""
    costs = index.costs.get(dataset)
    return costs is not None and is_single_model(costs)


def _make_cost_extra(index: Index) -> FigureExtra:
    """Build what this section adds to figures over α: a title from the ranges, the α asked for."""

    def is_decided(curve: CurveResult) -> bool:
        costs = index.costs.get(curve.dataset)
        asked = "linlin" if costs is None else costs.model.loss
        return curve.curve == "cost" and curve.params.get("loss") == asked

    def title(curves: Sequence[CurveResult]) -> str:
        first = curves[0]
        costs = index.costs.get(first.dataset)
        if costs is None or not is_decided(first) or _is_of_one(index, first.dataset):
            return ""
        axis, shift = get_asymmetry_axis(index, first.dataset), first.params.get("shift")
        if first.baseline:
            ranges = [each for each in costs.ranges if each.shift == shift]
            return _ranges_title(index, curves, ranges, axis) if ranges else ""
        envelope = [each for each in costs.envelope if each.shift == shift]
        marked = {each.model: index.mark_label(each.model, 30) for each in envelope}
        how = "" if shift == "none" else str(shift)
        return title_of_envelope(envelope, marked, axis, how) if envelope else ""

    def references(curves: Sequence[CurveResult]) -> tuple[Reference, ...]:
        if not is_decided(curves[0]):
            return ()
        costs = index.costs.get(curves[0].dataset)
        alphas = dict.fromkeys(made.asymmetry for made in costs.decisions) if costs else ()
        axis = get_asymmetry_axis(index, curves[0].dataset)
        return tuple(
            Reference(format_ratio(a), x=(ratios.compute_clipped_ratio(a),))
            if axis.has_ratio
            else Reference(f"c = {axis.number(a)}", x=(a,))
            for a in alphas
        )

    def reach(curves: Sequence[CurveResult]) -> tuple[float, float] | None:
        first = curves[0]
        if first.curve != "rroc":
            return None
        if first.n <= _FEW_ROWS:
            ends = [(x, y) for c in curves for x, y in zip(c.x, c.y, strict=True)]
            return (
                max(1.04 * (x or 0.0) for x, _ in ends),
                min(1.04 * (y or 0.0) for _, y in ends),
            )
        found = (c for c in index.results.curves if c.curve == "rroc_points_hull")
        hull = [c for c in found if c.dataset == first.dataset]
        is_same = bool(hull) and hull[0].y_unit == first.y_unit and not first.params.get("raw")
        return choose_window(hull) if is_same else None

    def strips(curves: Sequence[CurveResult]) -> tuple[Strip, ...]:
        costs, first = index.costs.get(curves[0].dataset), curves[0]
        if costs is None or not is_decided(first) or not ratios.has_ratio(first):
            return ()
        found = [
            each
            for each in costs.ranges
            if (each.shift, each.baseline) == (first.params.get("shift"), first.baseline)
        ]
        return ratios.list_open_ranges(index, curves, found)

    def describe(curves: Sequence[CurveResult]) -> str:
        costs = index.costs.get(curves[0].dataset)
        scale = describe_cost_scale(costs.model) if costs and is_decided(curves[0]) else ""
        return " ".join(filter(None, (describe_open_ranges(curves), scale)))

    def describe_open_ranges(curves: Sequence[CurveResult]) -> str:
        if not strips(curves):
            return ""
        about = next((c.model for c in curves if c.model == index.about), curves[0].model)
        who = index.short_label(about)
        return prose.line("cost.grey", model=who)

    return FigureExtra(
        title,
        references,
        reach,
        said=describe,
        strips=strips,
        transform=ratios.convert_to_ratios,
        x_axis=lambda curve: ratios.make_ratio_axis() if ratios.has_ratio(curve) else None,
    )


def _ranges_title(
    index: Index, curves: Sequence[CurveResult], ranges: Sequence[CostRange], axis: AsymmetryWording
) -> str:
    baseline = index.short_label(curves[0].baseline or "", 30)
    ranges = [each for each in ranges if each.baseline == curves[0].baseline]
    said = [
        title_of_ranges(
            index.label(curve.model),
            [each for each in ranges if each.candidate == curve.model],
            baseline,
            axis,
        )
        for curve in curves
    ]
    if len(said) > _MOST_SAID:
        more = len(said) - _MOST_SAID
        said = [*said[:_MOST_SAID], prose.line("cost_ranges.more", count=more)]
    if all(each.verdict == "undetermined" for each in ranges):
        said = [
            prose.line(
                "cost_ranges.none",
                baseline=baseline,
                has_ratio=axis.has_ratio,
                symbol=axis.symbol,
            )
        ]
    shift, title = str(curves[0].params.get("shift")), ". ".join(said)
    return title if shift == "none" else prose.line("cost_ranges.shifted", shift=shift, title=title)
