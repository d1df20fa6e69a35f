"""The tables of costs and of RROC space."""

from __future__ import annotations

from collections.abc import Callable

from reportgen.report import prose
from reportgen.report.document import Cell, Table
from reportgen.report.prose.costs import (
    ALPHA,
    AsymmetryWording,
    CostWording,
    describe_harmful,
)
from reportgen.report.sections.index import Index
from reportgen.report.sections.tables import (
    MISSING_CELL,
    ReportColumn,
    build_table,
    format_model,
    make_share_cell,
    make_value_cell,
    model_column,
    number_column,
    share_column,
    word_column,
)
from reportgen.report.wording import numbers
from reportgen.report.wording.names import capitalize
from reportgen.report.wording.numbers import format_ratio
from reportgen.results.costs import (
    CheapestRange,
    CostAnalysis,
    CostDecision,
    CostModelInfo,
    CostRange,
    Crossing,
    ErrorDecomposition,
    IntervalEstimate,
    Mixture,
    ModelCost,
    RrocPoint,
)
from reportgen.results.types import Number


def get_asymmetry_axis(index: Index, dataset: str) -> AsymmetryWording:
    """Return the wording of a dataset's cost asymmetries: α, or c of an exponential loss."""
    costs = index.costs.get(dataset)
    return ALPHA if costs is None else AsymmetryWording.from_reach(costs.model.reaches)


def make_limits_cell(found: IntervalEstimate, unit: str, *, signed: bool = False) -> Cell:
    """Make a cell of a number with its interval under it."""
    value, low, high = found.value, found.low, found.high
    if value is None:
        return Cell(numbers.MISSING)
    form = numbers.choose_format(value, low, high, unit, (0.0,))
    interval = form.interval(low, high, signed=signed or (low or 0.0) < 0)
    note = "" if interval == numbers.MISSING else interval
    return make_value_cell(form, value, note, signed=signed)


def make_asymmetry_cell(value: Number, axis: AsymmetryWording) -> Cell:
    """Make a cell of an asymmetry, with the cost ratio that it stands for."""
    if value is None:
        return Cell(numbers.MISSING)
    note = format_ratio(value) if axis.has_ratio else ""
    return Cell(axis.number(value), note=note, value=value)


def format_amount(value: Number, unit: str) -> str:
    """Format a number with the digits that suit it."""
    return numbers.choose_format(value, None, None, unit).number(value)


_MOST = 200


def make_cost_wording(index: Index, costs: CostAnalysis) -> CostWording:
    """Make the wording that all sentences about a decision share."""
    return CostWording(
        money=costs.model.money,
        unit=index.datasets[costs.dataset].unit,
        cases=costs.model.cases,
        level=index.results.inference.level,
        baseline=index.baseline.name if index.baseline else None,
        labels={m: f"{label}{index.mark_of(m)}" for m, label in index.labels.items()},
        is_priced=costs.model.is_priced,
        loss=costs.model.loss,
        axis=get_asymmetry_axis(index, costs.dataset),
        is_alone=is_single_model(costs),
        declared=costs.model.declared,
        is_by_row=costs.model.is_by_row,
        case=index.datasets[costs.dataset].case,
        is_one_asymmetry=len({made.asymmetry for made in costs.decisions}) == 1,
    )


def is_single_model(costs: CostAnalysis) -> bool:
    """Return whether costs are known of one model only."""
    return bool(costs.decisions) and len(costs.decisions[0].models) == 1


def describe_harms(index: Index, costs: CostAnalysis) -> list[str]:
    """Describe which models a fitted constant makes more expensive, one sentence per asymmetry."""
    shared = make_cost_wording(index, costs)
    fitted = [made for made in costs.decisions if made.shift == "fitted"]
    said = [(made.asymmetry, describe_harmful(made.models, shared)) for made in fitted]
    return [
        prose.line(
            "constant.harm_at", at=shared.axis.place(at), harm=f"{text[0].lower()}{text[1:]}"
        )
        if len(fitted) > 1
        else text
        for at, text in said
        if text
    ]


def build_decision_table(index: Index, costs: CostAnalysis, id_: str) -> Table:
    """For each asymmetry and each way to act: the cheapest model and what it costs and saves."""
    shared = make_cost_wording(index, costs)
    money, counted = shared.money, capitalize(f"{shared.quantity} {shared.per}")
    baseline = shared.label(shared.baseline)

    def is_free(made: CostDecision) -> bool:
        """Tell whether a cost is one-sided, which some constant makes free for every model."""
        is_one_sided = shared.axis.has_ratio and made.asymmetry in (0.0, 1.0)
        return is_one_sided and made.shift == "optimal"

    def make_model_cell(made: CostDecision) -> Cell:
        if is_free(made):
            free = prose.line("decision.free", is_alone=shared.is_alone)
            return Cell(free, note=prose.line("decision.one_sided"))
        is_unknown = made.cheapest.cost.value is None
        return Cell(numbers.MISSING if is_unknown else shared.label(made.best), is_strong=True)

    def make_constant_cell(made: CostDecision) -> Cell:
        if is_free(made):
            return Cell(prose.line("decision.any_constant"))
        if made.shift == "none":
            return Cell("none")
        return make_limits_cell(made.cheapest.constant, shared.unit, signed=True)

    def make_saving_cell(made: CostDecision, saving: IntervalEstimate, is_alike: bool) -> Cell:
        if is_free(made):
            return MISSING_CELL
        if made.best == shared.baseline and (is_alike or made.shift == "none"):
            return Cell(numbers.MISSING, note=prose.line("decision.is_baseline"))
        return make_limits_cell(saving, money, signed=True)

    def make_often_cell(made: CostDecision) -> Cell:
        if is_free(made):
            return MISSING_CELL
        rivals = [shared.label(model) for model in made.not_distinguishable]
        note = prose.line("decision.rivals", rivals=rivals)
        return make_share_cell(made.cheapest.share_best, note)

    return build_table(
        id_,
        prose.line(
            "decision.caption",
            is_alone=shared.is_alone,
            is_by_row=shared.is_by_row,
            level=numbers.format_level(shared.level),
            family="" if shared.is_alone else _describe_multiplicity(shared),
            unit=_describe_cost_unit(costs.model, shared),
        ),
        costs.decisions,
        word_column(
            _format_asymmetries(shared, prose.line("decision.asymmetry")),
            lambda made: _build_line(made.asymmetry, made.shift, shared),
        ),
        word_column("Model" if shared.is_alone else "Cheapest", make_model_cell),
        number_column("Constant", make_constant_cell, unit=shared.unit),
        number_column(
            counted,
            lambda made: (
                Cell("0", value=0.0)
                if is_free(made)
                else make_limits_cell(made.cheapest.cost, money)
            ),
            unit=money,
        ),
        number_column(
            prose.line("decision.saved", baseline=baseline),
            lambda made: make_saving_cell(made, made.cheapest.saving, False),
            unit=money,
        )
        if shared.baseline
        else None,
        number_column(
            prose.line("decision.saved_alike", baseline=baseline),
            lambda made: make_saving_cell(made, made.saving_same_shift, True),
            unit=money,
        )
        if shared.baseline
        else None,
        None
        if shared.is_alone
        else word_column(prose.line("decision.cheapest_in"), make_often_cell),
    )


def _format_asymmetries(shared: CostWording, of_a_ratio: str) -> str:
    """Return the title of the column that gives the costs of a line."""
    if shared.is_by_row:
        return prose.line("decision.unit_costs")
    return of_a_ratio if shared.axis.has_ratio else "Asymmetry"


def _describe_multiplicity(shared: CostWording) -> str:
    """Describe what the limits of savings allow for; empty where nothing is in use."""
    if shared.baseline is None:
        return ""
    declared = shared.declared
    return prose.line(
        "decision.family",
        is_one=shared.is_one_asymmetry,
        ratio="" if declared is None else format_ratio(declared),
        symbol=shared.axis.symbol,
        is_by_row=shared.is_by_row,
    )


def build_model_costs_table(index: Index, costs: CostAnalysis, id_: str) -> Table:
    """Every model at every asymmetry, as it is and with its best constant."""
    shared = make_cost_wording(index, costs)
    money, counted = shared.money, capitalize(f"{shared.quantity} {shared.per}")

    def make_excess_cell(row: tuple[CostDecision, ModelCost]) -> Cell:
        excess = row[1].excess
        return Cell("cheapest") if excess.value == 0 else make_limits_cell(excess, money)

    return build_table(
        id_,
        prose.line("model_costs.caption", is_by_row=shared.is_by_row),
        [(made, each) for made in costs.decisions for each in made.models][:_MOST],
        word_column("Model", lambda row: shared.label(row[1].model)),
        word_column(
            _format_asymmetries(shared, "Asymmetry"),
            lambda row: _build_asymmetry(row[0].asymmetry, shared),
        ),
        word_column("Scores", lambda row: prose.term("shifted", row[0].shift)),
        number_column(
            prose.line("model_costs.constant"),
            lambda row: make_limits_cell(row[1].constant, shared.unit),
            unit=shared.unit,
        ),
        number_column(counted, lambda row: make_limits_cell(row[1].cost, money), unit=money),
        number_column(prose.line("model_costs.excess"), make_excess_cell, unit=money),
        share_column(prose.line("decision.cheapest_in"), lambda row: row[1].share_best),
        is_folded=True,
    )


def build_crossings_table(index: Index, costs: CostAnalysis, id_: str) -> Table:
    """List every α at which two models cost the same and the data do not separate them."""
    axis = get_asymmetry_axis(index, costs.dataset)
    level = numbers.format_level(index.results.inference.level)
    return build_table(
        id_,
        prose.line("crossings.caption", symbol=axis.symbol, level=level, has_ratio=axis.has_ratio),
        costs.crossings,
        word_column(
            "Models",
            lambda c: _format_pair(index, c.first, c.second),
        ),
        word_column("Scores", lambda c: prose.term("shifted", c.shift)),
        number_column(
            prose.line("crossings.same", symbol=axis.symbol),
            lambda c: make_asymmetry_cell(c.asymmetry, axis),
        ),
        word_column("Undetermined", lambda c: _describe_crossing_range(c, axis)),
        word_column(prose.line("crossings.below"), lambda c: format_model(index, c.cheaper_below)),
        word_column(prose.line("crossings.above"), lambda c: format_model(index, c.cheaper_above)),
    )


def build_ranges_table(index: Index, costs: CostAnalysis, id_: str) -> Table:
    """List where a candidate is cheaper or more expensive than the baseline.

    All α taken together.
    """
    is_of_one = len({found.baseline for found in costs.ranges}) == 1
    axis = get_asymmetry_axis(index, costs.dataset)
    level = numbers.format_level(index.results.inference.level)

    def format_pair(found: CostRange) -> str:
        candidate, baseline = format_model(index, found.candidate), found.baseline
        if is_of_one:
            return candidate
        other = format_model(index, baseline)
        return prose.line("range_table.pair", candidate=candidate, baseline=other)

    return build_table(
        id_,
        prose.line("range_table.caption", is_of_one=is_of_one, level=level, symbol=axis.symbol),
        costs.ranges,
        word_column("Candidate" if is_of_one else "Models", format_pair),
        word_column("Scores", lambda found: prose.term("shifted", found.shift)),
        word_column(
            prose.line("range_table.against", is_of_one=is_of_one), lambda found: found.verdict
        ),
        *_make_stretch_columns(axis),
        is_folded=len(costs.ranges) > 8,
    )


def build_envelope_table(index: Index, costs: CostAnalysis, id_: str) -> Table:
    """Tabulate the cheapest model over each stretch of α, by the estimates alone."""
    axis = get_asymmetry_axis(index, costs.dataset)
    return build_table(
        id_,
        prose.line("envelope.caption", symbol=axis.symbol),
        costs.envelope,
        word_column("Scores", lambda found: prose.term("shifted", found.shift)),
        word_column("Cheapest", lambda found: format_model(index, found.model)),
        *_make_stretch_columns(axis),
        is_folded=True,
    )


def _build_line(alpha: float, shift: str, shared: CostWording) -> Cell:
    """Show at which costs a line of the decision is, and how scores are shifted."""
    note = prose.line("decision.scores", shift=shift)
    if shared.is_by_row:
        return Cell(prose.line("decision.by_row"), note=note)
    return Cell(shared.axis.place(alpha), note=note, value=alpha)


def _describe_cost_unit(model: CostModelInfo, shared: CostWording) -> str:
    """Describe what the numbers of the table are counted in."""
    if not model.is_priced or model.total is None:
        return prose.term("cost_unit", shared.loss)
    if shared.is_by_row:
        return prose.line("cost_money.by_row")
    total = numbers.choose_declared_precision(model.total, shared.money).amount(model.total)
    return prose.line("cost_money.total", total=total, is_squared=shared.loss == "quadquad")


def _build_asymmetry(alpha: float, shared: CostWording) -> Cell:
    if shared.is_by_row:
        return Cell(prose.line("decision.by_row"))
    axis = shared.axis
    note = prose.line("model_costs.ratio", ratio=format_ratio(alpha)) if axis.has_ratio else ""
    return Cell(f"{axis.symbol} = {axis.number(alpha)}", note=note, value=alpha)


def _describe_crossing_range(found: Crossing, axis: AsymmetryWording) -> str:
    if found.low is None or found.high is None:
        return "nowhere"
    if (found.low, found.high) == (found.judged_low, found.judged_high):
        return prose.line("crossings.judged", symbol=axis.symbol)
    return _format_ends(axis.number(found.low), axis.number(found.high))


def build_space_table(index: Index, costs: CostAnalysis, id_: str) -> Table:
    """List the places of models and constants in RROC space, and which of them the hull keeps."""
    unit, axis = index.datasets[costs.dataset].unit, get_asymmetry_axis(index, costs.dataset)

    def make_name_cell(point: RrocPoint) -> Cell:
        note = "" if point.kind == "model" else point.kind
        return Cell(_format_point_name(index, point), note=note)

    return build_table(
        id_,
        prose.line("space.caption"),
        costs.points,
        word_column("Model", make_name_cell),
        number_column("Over-estimation", lambda p: make_limits_cell(p.over, unit), unit=unit),
        number_column("Under-estimation", lambda p: make_limits_cell(p.under, unit), unit=unit),
        number_column(
            prose.line("space.mean_error"), lambda p: make_limits_cell(p.bias, unit), unit=unit
        ),
        word_column(prose.line("space.on_hull"), lambda p: _hull_cell(index, p, axis)),
    )


def build_mixtures_table(index: Index, costs: CostAnalysis, id_: str) -> Table:
    """List mixtures of two neighbours on the hull that meet a target."""
    unit, axis = index.datasets[costs.dataset].unit, get_asymmetry_axis(index, costs.dataset)
    first = costs.mixtures[0]
    target = numbers.choose_format(first.target, None, None, unit).amount(first.target)

    def format_range(low: Number, high: Number) -> str:
        return _format_ends(format_amount(low, unit), format_amount(high, unit))

    return build_table(
        id_,
        prose.line("mixtures.caption", symbol=axis.symbol),
        costs.mixtures,
        word_column(
            "Between",
            lambda m: _format_pair(index, m.first, m.second),
        ),
        word_column(
            prose.line("mixtures.level", symbol=axis.symbol),
            lambda m: make_asymmetry_cell(m.asymmetry, axis),
        ),
        number_column(
            "Over-estimation", lambda m: format_range(m.first_over, m.second_over), unit=unit
        ),
        number_column(
            prose.line("space.mean_error"),
            lambda m: format_range(m.first_bias, m.second_bias),
            unit=unit,
        ),
        word_column(
            prose.line("mixtures.share", is_bias=first.quantity == "bias", target=target),
            _build_mixture,
        ),
    )


def build_split_table(index: Index, costs: CostAnalysis, id_: str) -> Table:
    """Mean squared error = squared mean error + variance; the area is half the variance."""
    unit = costs.decompositions[0].unit
    square = unit if numbers.has_unit(unit) else ""

    def limits_column(
        title: str, get_estimate: Callable[[ErrorDecomposition], IntervalEstimate]
    ) -> ReportColumn[ErrorDecomposition]:
        return number_column(
            title, lambda d: make_limits_cell(get_estimate(d), square), unit=square
        )

    def make_bias_cell(found: ErrorDecomposition) -> Cell:
        share = numbers.format_percent(found.share_of_bias)
        bias = found.squared_bias
        return Cell(
            format_amount(bias, square), note=prose.line("split.part", share=share), value=bias
        )

    return build_table(
        id_,
        prose.line("split.caption"),
        costs.decompositions,
        model_column(index, lambda found: found.model),
        limits_column(prose.line("split.mse"), lambda found: found.mse),
        number_column(prose.line("split.bias"), make_bias_cell, unit=square),
        limits_column(prose.line("split.variance"), lambda found: found.variance),
        limits_column(prose.line("split.area"), lambda found: found.aoc),
    )


def _build_mixture(found: Mixture) -> Cell:
    share, low = found.share.value, found.share.low
    if share is None:
        return Cell(prose.line("mixtures.none"))
    ends = _format_ends(numbers.format_percent(low), numbers.format_percent(found.share.high))
    note = "" if low is None else ends
    rows = prose.line("mixtures.rows", share=numbers.format_percent(share))
    return Cell(rows, note=note, value=share)


def _hull_cell(index: Index, point: RrocPoint, axis: AsymmetryWording) -> Cell:
    """Make a cell of the range where a model is the cheapest, or of the model that dominates it."""
    low, high, share = point.best_from, point.best_to, point.share_on_hull
    note = ""
    if share is not None:
        note = prose.line("space.share", share=numbers.format_percent(share))
    if low is not None and high is not None:
        ends = axis.number(low), axis.number(high)
        best = prose.line("space.best", symbol=axis.symbol, low=ends[0], high=ends[1])
        return Cell(best, note=note)
    if point.dominated_by is not None:
        model = format_model(index, point.dominated_by)
        return Cell(prose.line("space.dominated", model=model), note=note)
    return Cell("no" if point.kind == "model" else numbers.MISSING, note=note)


def _format_point_name(index: Index, point: RrocPoint) -> str:
    if point.kind != "constant":
        return format_model(index, point.name)
    return point.name if point.name == "zero" else prose.line("space.of_target", name=point.name)


def _make_stretch_columns(
    axis: AsymmetryWording,
) -> tuple[ReportColumn[CostRange | CheapestRange] | None, ...]:
    """Make the columns of a stretch of asymmetries."""
    return (
        word_column(
            prose.line("range_table.asymmetry", symbol=axis.symbol),
            lambda s: _format_ends(axis.number(s.low), axis.number(s.high)),
        ),
        word_column(
            prose.line("range_table.ratio"),
            lambda s: _format_ends(format_ratio(s.low), format_ratio(s.high)),
        )
        if axis.has_ratio
        else None,
    )


def _format_pair(index: Index, first: str, second: str) -> str:
    names = format_model(index, first), format_model(index, second)
    return prose.line("crossings.pair", first=names[0], second=names[1])


def _format_ends(low: str, high: str) -> str:
    return prose.line("stretch.ends", low=low, high=high)
