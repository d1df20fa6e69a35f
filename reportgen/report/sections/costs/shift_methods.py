"""Methods of shifting scores, side by side."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from reportgen.report import wording
from reportgen.report.document import (
    Axis,
    Block,
    Bullets,
    Cell,
    Figure,
    Panel,
    Reference,
    Role,
    Series,
    Span,
    Table,
    Text,
    make_phrase,
)
from reportgen.report.sections.costs.tables import make_cost_wording, make_limits_cell
from reportgen.report.sections.curves.drawing import build_points_table
from reportgen.report.sections.index import Index, format_money_axis
from reportgen.report.sections.tables import (
    MISSING_CELL,
    ReportColumn,
    build_table,
    model_column,
    number_column,
    word_column,
)
from reportgen.results import CostAnalysis, CurveResult, IntervalEstimate, Number, ShiftCost

_ROLES: dict[str, Role] = {
    "optimal": "baseline",
    "fitted": "candidate2",
    "polynomial": "candidate1",
    "surface": "candidate4",
    "soft": "candidate3",
}
_GAPS = {
    "fitted": " With the fitted constant they are those of each point; both sets of rows are "
    "resampled, and a band begins at 0 where the two constants are not told apart, all α and all "
    "models allowed for.",
    "bent": " With a polynomial, which is given, they hold for all α and all models at once, and "
    "may be too narrow where few far scores carry the saving; below zero it is cheaper than any "
    "constant.",
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
        yield Text(make_phrase(Span(wording.FLATTERED_NOTE, is_strong=True)))
    said = [" ".join(wording.describe_methods(found, terms)) for found in by_alpha]
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
    note = terms.money if wording.has_unit(terms.money) else ""
    methods = {found.method for found in costs.shifts}
    places: dict[tuple[float, str], dict[str, ShiftCost]] = {}
    for found in costs.shifts:
        places.setdefault((found.asymmetry, found.model), {})[found.method] = found

    def make_name_cell(row: dict[str, ShiftCost]) -> Cell:
        plain = row["none"]
        return Cell(terms.label(plain.model), note=wording.ALPHA.place(plain.asymmetry))

    def gap_column(method: str) -> ReportColumn[dict[str, ShiftCost]]:
        def make_cell(row: dict[str, ShiftCost]) -> Cell:
            if method not in row:
                return MISSING_CELL
            return make_limits_cell(row[method].gap, terms.money, signed=True)

        title = wording.capitalize(wording.SHIFT_METHODS[method])
        return number_column(title, make_cell, note=f"{note} over best")

    over = [method for method in ("fitted", "polynomial", "surface", "soft") if method in methods]
    return build_table(
        id_,
        _table_caption(costs.shifts, terms),
        [*places.values()][:_MOST_ROWS],
        word_column("Model", make_name_cell),
        number_column(
            "As it is", lambda row: make_limits_cell(row["none"].cost, terms.money), note=note
        ),
        number_column(
            "Best constant",
            lambda row: make_limits_cell(row["optimal"].cost, terms.money),
            note=note,
        ),
        *map(gap_column, over),
    )


def _table_caption(costs: Sequence[ShiftCost], terms: wording.CostWording) -> str:
    level = wording.format_level(terms.level)
    refits = sorted({each.resamples for each in costs if each.method == "polynomial"})
    times = wording.join_list([wording.format_count(n) for n in refits])
    degree = max((each.degree for each in costs), default=0)
    again = f"are fitted anew in {times} resamples" if any(refits) else "are given"
    bent = f" Polynomials have degree {degree} and {again}."
    has_surface = any(each.method == "surface" for each in costs)
    across = " That with α is one for all asymmetries, and is given." if has_surface else ""
    has_constant = any(each.method == "fitted" for each in costs)
    interval_note = " An interval from 0 up says that a fitted constant is not told from the best."
    counted = wording.capitalize(f"{terms.quantity} {terms.per}")
    return (
        f"Ways to choose a shift. {counted}, {level} intervals under it. The best "
        "constant is found on the rows that it is judged on and cannot be put to use; a fitted "
        "shift was learnt on the rows to fit, which are resampled too. Below zero a way is cheaper "
        "than any constant."
    ) + (interval_note * has_constant + (bent + across if refits else ""))


def _paths_figure(
    by_alpha: Sequence[Sequence[ShiftCost]],
    terms: wording.CostWording,
    paths: Sequence[CurveResult],
    id_: str,
) -> Figure:
    """RROC space with a panel for each model, of the first few; the title is who costs least."""
    models = list(dict.fromkeys(c.model for c in paths))[:_MOST_MODELS]
    shown = [c for c in paths if c.model in models]
    unit = f", {shown[0].y_unit}" if wording.has_unit(shown[0].y_unit) else ""
    labels = (f"over-estimation a row{unit}", f"under-estimation a row{unit}")
    lines = [c for c in shown if c.params["method"] != "none"]
    names = [f"{terms.label(c.model)}, {_format_method_name(c)}" for c in lines]
    return Figure(
        id_,
        "line",
        _paths_title(by_alpha, terms),
        "Where each way to choose a shift puts a model while α goes from 0.05 to 0.95; the square "
        "is the model as it is. The nearer the upper left corner, the better. Constants move a "
        "model along its RROC curve; a polynomial or a density of each row can leave it. "
        f"n = {wording.format_count(shown[0].n)}.",
        " ".join(_describe_line_ends(c, name) for c, name in zip(lines, names, strict=True)),
        _path_panels(models, shown, terms, labels),
        table=build_points_table(lines, names, id_, labels),
        shares_axes=True,
    )


def _paths_title(by_alpha: Sequence[Sequence[ShiftCost]], terms: wording.CostWording) -> str:
    """Name the method that costs least, at the first two asymmetries that decide."""
    is_short = len(by_alpha) > 1
    named = [
        wording.title_of_cheapest_method(found, terms, is_short=is_short) for found in by_alpha
    ]
    titles = [title for title in named if title]
    return wording.capitalize("; ".join(titles[:2])) or "Ways to choose a shift"


def _path_panels(
    models: Sequence[str],
    shown: Sequence[CurveResult],
    terms: wording.CostWording,
    labels: tuple[str, str],
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
    is_alone, level = len(parts) == 1, wording.format_level(gaps[0].level)
    labels = (
        "asymmetry α: the weight of under-estimation" if is_alone else "asymmetry α",
        "cost of a row over that with the best constant" if is_alone else "cost over best constant",
    )
    kinds = [kind for kind in ("fitted", "bent") if kind in _list_kinds(methods)]
    said = f"Bands are {level} intervals.{''.join(_GAPS[kind] for kind in kinds)}"
    if not any(low is not None for c in gaps for low in c.low):
        said = "Too few rows stand on one side of every α for a band."
    return Figure(
        id_,
        "line",
        _gap_title(index, gaps),
        "Expected Lin-Lin loss of a row with the shift that was learnt on the rows to fit, less "
        f"that with the best constant for these rows. {said} "
        f"n = {wording.format_count(gaps[0].n)}.",
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
            wording.capitalize(_format_method_name(part[0])), lambda row: _gap_cell(part, *row)
        )

    return build_table(
        f"{id_}-table",
        "Loss of a row over that with the best constant, with its band.",
        [(model, x) for model in models for x in shortest[::step]],
        model_column(index, lambda row: row[0]),
        number_column("Asymmetry α", lambda row: Cell(f"{row[1]:g}", value=row[1])),
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
    return Cell(wording.MISSING)


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
    y = format_money_axis(Axis(f"{labels[1]}; better ↓", low=low, high=high), gaps[0].y_unit)
    title = wording.capitalize(_format_method_name(gaps[0]))
    return Panel(title, Axis(labels[0]), y, series, (Reference("", y=(0.0,)),))


def _gap_title(index: Index, gaps: Sequence[CurveResult]) -> str:
    """Describe the largest gap of a constant, whether any is shown, which polynomials cost less."""
    constants = [c for c in gaps if c.params["method"] == "fitted"]
    bent = [c for c in gaps if c.params["method"] != "fitted"]
    said = [_constants_title(index, constants)] if constants else []
    ahead = [_format_label(index, c) for c in bent if any(h is not None and h < 0 for h in c.high)]
    if ahead:
        models = wording.join_list(list(dict.fromkeys(ahead)), most=3)
        said.append(f"polynomials of {models} cost less than any constant at some α")
    elif not said:
        said.append("no polynomial is shown to cost less than the best constant")
    return wording.capitalize("; ".join(said))


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
    size = wording.choose_format(most[0], None, None).number(most[0])
    result = (
        f"and is shown to raise it for {wording.join_list(apart)}"
        if apart
        else "but is nowhere shown to raise it"
    )
    return (
        f"Not knowing the best constant raised the Lin-Lin loss of a row by up to {size}, {result}"
    )


def _describe_line_ends(curve: CurveResult, name: str) -> str:
    """Describe the two ends of a line, in numbers."""
    known = [
        (x, y) for x, y in zip(curve.x, curve.y, strict=True) if x is not None and y is not None
    ]
    if not known:
        return f"{name}: undefined."
    ends = [
        f"{wording.choose_format(x, None, None).number(x)}, "
        f"{wording.choose_format(y, None, None).number(y)}"
        for x, y in (known[0], known[-1])
    ]
    return f"{name}: from ({ends[0]}) to ({ends[1]})."


def _format_method_name(curve: CurveResult) -> str:
    return wording.format_shift_method(
        str(curve.params["method"]), int(curve.params.get("degree") or 0)
    )


def _format_label(index: Index, curve: CurveResult) -> str:
    return index.short_label(curve.model)


def _build_terms(index: Index, costs: CostAnalysis) -> wording.CostWording:
    shared = make_cost_wording(index, costs)
    return shared if shared.is_priced else replace(shared, money="1")


def _group_by_asymmetry(costs: Sequence[ShiftCost]) -> list[list[ShiftCost]]:
    alphas = dict.fromkeys(each.asymmetry for each in costs)
    return [[each for each in costs if each.asymmetry == alpha] for alpha in alphas]
