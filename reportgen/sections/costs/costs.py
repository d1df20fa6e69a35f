"""Costs: what to use at each asymmetry, in words, in tables and in RROC and cost space."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from reportgen import wording
from reportgen.document import (
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
    phrase,
    unfolded,
)
from reportgen.results import CostAnalysis, CostRange, CurveResult, Results
from reportgen.sections.costs import ratios
from reportgen.sections.costs.across import figures_across
from reportgen.sections.costs.cells import axis_of
from reportgen.sections.costs.rroc_tables import mixtures_table, space_table, split_table
from reportgen.sections.costs.shift_methods import shift_blocks
from reportgen.sections.costs.space import space_figure, window
from reportgen.sections.costs.strip import strip_figure
from reportgen.sections.costs.tables import (
    crossing_table,
    decision_table,
    envelope_table,
    is_alone,
    models_table,
    ranges_table,
    terms,
)
from reportgen.sections.curves.drawn import Extra
from reportgen.sections.curves.figures import figures
from reportgen.sections.folding import in_full
from reportgen.sections.index import Index

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


def section(results: Results) -> Section | None:
    """None unless costs were asked for, or curves of costs were drawn."""
    index = Index(results)
    blocks: list[Block] = []
    datasets = [d.name for d in index.tests]
    for place, dataset in enumerate(datasets):
        decided = _decided(index, dataset, f"-{place + 1}" if place else "")
        blocks += _of_dataset(index, dataset, decided)
    blocks += figures(index, ("costs",), _extra(index))
    blocks += figures_across(index)
    for place, dataset in enumerate(datasets):
        tables = _further_tables(index, dataset, f"-{place + 1}" if place else "")
        blocks += _of_dataset(index, dataset, tables)
    if not blocks:
        return None
    blocks = _decisive_first(index, blocks)
    is_of_one = all(_is_of_one(index, dataset) for dataset in datasets)
    lede = _LEDE_OF_ONE if is_of_one else _LEDE
    lede += _ALPHA if _speaks_of_alpha(index) else ""
    return Section("costs", "Costs", tuple(blocks), phrase(lede))


def _speaks_of_alpha(index: Index) -> bool:
    """Whether asymmetries are told as α: not where they are c, or differ by row."""
    models = [costs.model for costs in index.results.costs]
    return any(m.reaches is None and not m.is_by_row for m in models)


def _decisive_first(index: Index, blocks: Sequence[Block]) -> list[Block]:
    """What decides, and what the config names; then the rest, for the full report."""
    rroc = index.curve_infos.get("rroc")
    kept = _DECISIVE if rroc is None or rroc.is_detail else _DECISIVE | _PLANE

    def is_decisive(block: Block) -> bool:
        return not isinstance(block, Table | Figure) or block.id.rstrip("-0123456789") in kept

    plain = [block for block in blocks if not isinstance(block, Fold)]
    further: list[Block] = [block for block in plain if not is_decisive(block)]
    further += unfolded(block for block in blocks if isinstance(block, Fold))
    shown = [block for block in plain if is_decisive(block)]
    return shown + in_full("Further tables and curves of costs", further)


def _of_dataset(index: Index, dataset: str, blocks: Iterable[Block]) -> Iterator[Block]:
    """The same blocks, each naming its dataset where there are several."""
    named = f"{wording.name(dataset, 40)}: "
    for block in blocks:
        if len(index.tests) == 1:
            yield block
        elif isinstance(block, Text):
            yield Text(phrase(named, *block.phrase))
        elif isinstance(block, Bullets):
            yield Bullets(tuple(phrase(named, *item) for item in block.items), block.title)
        elif isinstance(block, Table):
            yield replace(block, caption=f"{named}{block.caption}")
        elif isinstance(block, Figure):
            yield replace(block, title=f"{named}{block.title}")
        else:
            yield block


def _decided(index: Index, dataset: str, suffix: str) -> Iterator[Block]:
    """The answer: sentences, the decision table, RROC space."""
    costs = index.costs.get(dataset)
    if costs is None:
        return
    strip = strip_figure(index, costs, f"costs-strip{suffix}")
    yield from _sentences(index, costs, is_drawn=strip is not None)
    if strip is not None:
        yield strip
    yield decision_table(index, costs, f"costs-decision{suffix}")
    if costs.model.is_by_row:
        yield Text(phrase(_NO_AXIS))
    if costs.crossings:
        yield crossing_table(index, costs, f"costs-crossing{suffix}")
    if costs.ranges:
        yield ranges_table(index, costs, f"costs-cost-ranges{suffix}")
    figure = space_figure(index, dataset, f"rroc-space{suffix}")
    if figure is not None:
        yield figure
    if costs.shifts:
        yield from shift_blocks(index, costs, suffix)


def _sentences(index: Index, costs: CostAnalysis, *, is_drawn: bool) -> Iterator[Block]:
    """One paragraph where there is one asymmetry, else one item each.

    Where the cost ratios are drawn below, an advice does not tell them.
    """
    shared, ranges, envelope = terms(index, costs), costs.ranges, costs.envelope
    items = []
    for alpha in dict.fromkeys(made.asymmetry for made in costs.decisions):
        plain, shifted, *fitted = (made for made in costs.decisions if made.asymmetry == alpha)
        here = [option for option in costs.options if option.asymmetry == alpha]
        advice = wording.advice(here, shared, ranges, shifted, is_drawn)
        if advice and plain.cheapest.cost.value is not None:
            lead = wording.advised(advice, plain, shared)
            rest = wording.beside_advice(here, plain, shifted, shared)
        else:
            lead, *rest = wording.decision(plain, shifted, shared, ranges, envelope)
        known = ((), ()) if advice and is_drawn else (ranges, envelope)
        rest += [wording.deployed(made, shared, *known) for made in fitted]
        rest += [wording.harmful(made.models, shared) for made in fitted]
        items.append(phrase(Span(lead, is_strong=True), " " + " ".join(filter(None, rest))))
    if len(items) == 1:
        yield Text(items[0])
    else:
        yield Bullets(tuple(items))


def _further_tables(index: Index, dataset: str, suffix: str) -> Iterator[Block]:
    """RROC space, mixtures and errors; of several models all of them, and the cheapest."""
    costs = index.costs.get(dataset)
    if costs is None:
        return
    if costs.points:
        yield space_table(index, costs, f"costs-rroc-space{suffix}")
    if costs.mixtures:
        yield mixtures_table(index, costs, f"costs-rroc-hybrids{suffix}")
    if costs.decompositions:
        yield split_table(index, costs, f"costs-error-split{suffix}")
    if is_alone(costs):
        return
    if costs.envelope:
        yield envelope_table(index, costs, f"costs-cost-envelope{suffix}")
    yield models_table(index, costs, f"costs-decision-models{suffix}")


def _is_of_one(index: Index, dataset: str) -> bool:
    """Whether costs are known of one model only, so that nothing is the cheapest."""
    costs = index.costs.get(dataset)
    return costs is not None and is_alone(costs)


def _extra(index: Index) -> Extra:
    """What this section adds to figures over α: a title from the ranges, the α's asked for."""

    def is_decided(curve: CurveResult) -> bool:
        costs = index.costs.get(curve.dataset)
        asked = "linlin" if costs is None else costs.model.loss
        return curve.curve == "cost" and curve.params.get("loss") == asked

    def title(curves: Sequence[CurveResult]) -> str:
        first = curves[0]
        costs = index.costs.get(first.dataset)
        if costs is None or not is_decided(first) or _is_of_one(index, first.dataset):
            return ""
        axis, shift = axis_of(index, first.dataset), first.params.get("shift")
        if first.baseline:
            ranges = [each for each in costs.ranges if each.shift == shift]
            return _ranges_title(index, curves, ranges, axis) if ranges else ""
        envelope = [each for each in costs.envelope if each.shift == shift]
        how = f" (each {_CONSTANTS[str(shift)]})" if shift != "none" else ""
        return wording.envelope_title(envelope, index.labels, axis) + how if envelope else ""

    def references(curves: Sequence[CurveResult]) -> tuple[Reference, ...]:
        if not is_decided(curves[0]):
            return ()
        costs = index.costs.get(curves[0].dataset)
        alphas = dict.fromkeys(made.asymmetry for made in costs.decisions) if costs else ()
        axis = axis_of(index, curves[0].dataset)
        return tuple(
            Reference(wording.ratio(a), x=(ratios.place(a),))
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
        return window(hull) if is_same else None

    def strips(curves: Sequence[CurveResult]) -> tuple[Strip, ...]:
        costs, first = index.costs.get(curves[0].dataset), curves[0]
        if costs is None or not is_decided(first) or not ratios.has_ratio(first):
            return ()
        found = [
            each
            for each in costs.ranges
            if (each.shift, each.baseline) == (first.params.get("shift"), first.baseline)
        ]
        return ratios.open_ranges(index, curves, found)

    def said(curves: Sequence[CurveResult]) -> str:
        costs = index.costs.get(curves[0].dataset)
        scale = wording.scale_of_costs(costs.model) if costs and is_decided(curves[0]) else ""
        return " ".join(filter(None, (undecided(curves), scale)))

    def undecided(curves: Sequence[CurveResult]) -> str:
        if not strips(curves):
            return ""
        about = next((c.model for c in curves if c.model == index.about), curves[0].model)
        who = wording.name(index.label(about), 40)
        return f"On grey ground {who} is shown to be neither cheaper nor more expensive."

    return Extra(
        title,
        references,
        reach,
        said=said,
        strips=strips,
        turned=ratios.over_ratios,
        x_axis=lambda curve: ratios.axis() if ratios.has_ratio(curve) else None,
    )


def _ranges_title(
    index: Index,
    curves: Sequence[CurveResult],
    ranges: Sequence[CostRange],
    axis: wording.Asymmetries,
) -> str:
    baseline = wording.name(index.label(curves[0].baseline or ""), 30)
    ranges = [each for each in ranges if each.baseline == curves[0].baseline]
    said = [
        wording.ranges_title(
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
        f"{wording.capital(how.removeprefix(', '))}: {'; '.join(said)}" if how else "; ".join(said)
    )
