"""The section on costs."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from reportgen.report import wording
from reportgen.report.document import (
    Block,
    Bullets,
    Figure,
    Fold,
    Reference,
    Section,
    Span,
    Strip,
    Table,
    Text,
    iter_unfolded,
    make_phrase,
)
from reportgen.report.sections.costs import figures as ratios
from reportgen.report.sections.costs.figures import (
    build_space_figure,
    build_strip_figure,
    choose_window,
    iter_dataset_figures,
)
from reportgen.report.sections.costs.shift_methods import iter_shift_blocks
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
)
from reportgen.report.sections.curves.drawing import FigureExtra
from reportgen.report.sections.curves.figures import build_curve_figures
from reportgen.report.sections.index import Index, fold_for_full_report
from reportgen.results import CostAnalysis, CostRange, CurveResult, Results

_FEW_ROWS = 100  # whose curves are drawn whole, to both axes
_MOST_SAID = 3  # candidates in a title
_DECISIVE = frozenset(("costs-strip", "costs-decision", "costs-shift-methods", "cost-curve"))
_PLANE = frozenset(("rroc-space", "rroc-curve"))
_CONSTANTS = {"optimal": "with its best constant", "fitted": "with its fitted constant"}
_LEDE = "Which model is cheapest when too high and too low do not cost the same."
_LEDE_OF_ONE = "What errors cost when too high and too low do not cost the same."
_ALPHA = (
    " α is the share that one unit too low has of what one too low and one too high cost together: "
    "4 : 1 is α = 0.8."
)
_NO_AXIS = (
    "Unit costs differ by row, so no asymmetry α is that of all rows. The curve of costs over α, "
    "crossings, mixtures and lines of equal cost need unit costs that are the same on every row, "
    "and are left out."
)


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
    lede = _LEDE_OF_ONE if is_of_one else _LEDE
    lede += _ALPHA if _speaks_of_alpha(index) else ""
    return Section("costs", "Costs", tuple(blocks), make_phrase(lede))


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
    return shown + fold_for_full_report("Further tables and curves of costs", further)


def _iter_dataset_blocks(index: Index, dataset: str, blocks: Iterable[Block]) -> Iterator[Block]:
    """Yield the same blocks, each naming its dataset where there are several."""
    named = f"{wording.clean_name(dataset, 40)}: "
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
        yield Text(make_phrase(_NO_AXIS))
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

    Where the cost ratios are drawn below, an advice does not tell them.
    """
    shared, ranges, envelope = make_cost_wording(index, costs), costs.ranges, costs.envelope
    items = []
    for alpha in dict.fromkeys(made.asymmetry for made in costs.decisions):
        plain, shifted, *fitted = (made for made in costs.decisions if made.asymmetry == alpha)
        here = [option for option in costs.options if option.asymmetry == alpha]
        advice = wording.advise(here, shared, ranges, shifted, is_drawn)
        if advice and plain.cheapest.cost.value is not None:
            lead = wording.format_advice(advice, plain, shared)
            rest = wording.list_advice_details(here, plain, shifted, shared)
        else:
            lead, *rest = wording.describe_decision(plain, shifted, shared, ranges, envelope)
        known = ((), ()) if advice and is_drawn else (ranges, envelope)
        rest += [wording.describe_deployed(made, shared, *known) for made in fitted]
        rest += [wording.describe_harmful(made.models, shared) for made in fitted]
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
        how = f" (each {_CONSTANTS[str(shift)]})" if shift != "none" else ""
        return wording.title_of_envelope(envelope, index.labels, axis) + how if envelope else ""

    def references(curves: Sequence[CurveResult]) -> tuple[Reference, ...]:
        if not is_decided(curves[0]):
            return ()
        costs = index.costs.get(curves[0].dataset)
        alphas = dict.fromkeys(made.asymmetry for made in costs.decisions) if costs else ()
        axis = get_asymmetry_axis(index, curves[0].dataset)
        return tuple(
            Reference(wording.format_ratio(a), x=(ratios.compute_clipped_ratio(a),))
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
        scale = wording.describe_cost_scale(costs.model) if costs and is_decided(curves[0]) else ""
        return " ".join(filter(None, (describe_open_ranges(curves), scale)))

    def describe_open_ranges(curves: Sequence[CurveResult]) -> str:
        if not strips(curves):
            return ""
        about = next((c.model for c in curves if c.model == index.about), curves[0].model)
        who = index.short_label(about)
        return f"On grey ground {who} is shown to be neither cheaper nor more expensive."

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
    index: Index,
    curves: Sequence[CurveResult],
    ranges: Sequence[CostRange],
    axis: wording.AsymmetryWording,
) -> str:
    baseline = index.short_label(curves[0].baseline or "", 30)
    ranges = [each for each in ranges if each.baseline == curves[0].baseline]
    said = [
        wording.title_of_ranges(
            index.label(curve.model),
            [each for each in ranges if each.candidate == curve.model],
            baseline,
            axis,
        )
        for curve in curves
    ]
    if len(said) > _MOST_SAID:
        more = len(said) - _MOST_SAID
        said = [*said[:_MOST_SAID], f"{more} more in the table of ranges"]
    if all(each.verdict == "undetermined" for each in ranges):
        every = "cost ratio" if axis.has_ratio else axis.symbol
        said = [
            f"No candidate is shown to be cheaper or more expensive than {baseline} at any {every}"
        ]
    shift = str(curves[0].params.get("shift"))
    how = f", each {_CONSTANTS[shift]}" if shift != "none" else ""
    return (
        f"{wording.capitalize(how.removeprefix(', '))}: {'; '.join(said)}"
        if how
        else "; ".join(said)
    )
