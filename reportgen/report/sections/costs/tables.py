"""The tables of costs and of RROC space."""

from __future__ import annotations

from collections.abc import Callable

from reportgen.report.document import Cell, Table
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
from reportgen.report.wording.costs import (
    ALPHA,
    AsymmetryWording,
    CostWording,
    describe_harmful,
    format_ratio,
)
from reportgen.report.wording.names import capitalize, join_list
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


SHIFT_LABELS = {
    "none": "as they are",
    "optimal": "with best constant",
    "fitted": "with fitted constant",
}
_MOST = 200
_LOSSES = {
    "linlin": "Lin-Lin loss, which is the absolute error at α = 0.5",
    "pinball": "pinball loss, which is half of the absolute error at α = 0.5",
    "quadquad": "Quad-Quad loss, which is the squared error at α = 0.5",
    "linexp": "Lin-Exp loss exp(ce) − ce − 1, e being score minus truth",
    "quadexp": "Quad-Exp loss: exp(ce) − ce − 1 where ce is above 0, (ce)²/2 where below, e being "
    "score minus truth",
}


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
        f"At {shared.axis.place(at)}: {text[0].lower()}{text[1:]}" if len(fitted) > 1 else text
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
            return Cell("the model" if shared.is_alone else "every model", note="a one-sided cost")
        is_unknown = made.cheapest.cost.value is None
        return Cell(numbers.MISSING if is_unknown else shared.label(made.best), is_strong=True)

    def make_constant_cell(made: CostDecision) -> Cell:
        if is_free(made):
            return Cell("any that goes far enough")
        if made.shift == "none":
            return Cell("none")
        return make_limits_cell(made.cheapest.constant, shared.unit, signed=True)

    def make_saving_cell(made: CostDecision, saving: IntervalEstimate, is_alike: bool) -> Cell:
        if is_free(made):
            return MISSING_CELL
        if made.best == shared.baseline and (is_alike or made.shift == "none"):
            return Cell(numbers.MISSING, note="it is the baseline")
        return make_limits_cell(saving, money, signed=True)

    def make_often_cell(made: CostDecision) -> Cell:
        if is_free(made):
            return MISSING_CELL
        rivals = join_list([shared.label(model) for model in made.not_distinguishable])
        note = f"the data cannot tell it from {rivals}" if rivals else "cheaper than all others"
        return make_share_cell(made.cheapest.share_best, note)

    return build_table(
        id_,
        f"{_describe_columns(shared)} {_describe_cost_unit(costs.model, shared)}",
        costs.decisions,
        word_column(
            _format_asymmetries(shared, "Asymmetry, low : high"),
            lambda made: _build_line(made.asymmetry, SHIFT_LABELS[made.shift], shared),
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
            f"Saved: {baseline} as it is",
            lambda made: make_saving_cell(made, made.cheapest.saving, False),
            unit=money,
        )
        if shared.baseline
        else None,
        number_column(
            f"Saved: {baseline} alike",
            lambda made: make_saving_cell(made, made.saving_same_shift, True),
            unit=money,
        )
        if shared.baseline
        else None,
        None if shared.is_alone else word_column("Cheapest in", make_often_cell),
    )


def _format_asymmetries(shared: CostWording, of_a_ratio: str) -> str:
    """Return the title of the column that gives the costs of a line."""
    if shared.is_by_row:
        return "Unit costs"
    return of_a_ratio if shared.axis.has_ratio else "Asymmetry"


def _describe_asymmetries(shared: CostWording) -> str:
    return "at each row's own unit costs" if shared.is_by_row else "at each asymmetry"


def _describe_columns(shared: CostWording) -> str:
    level = numbers.format_level(shared.level)
    if shared.is_alone:
        return f"The cost {_describe_asymmetries(shared)}, {level} intervals under the numbers."
    return (
        f"The cheapest model {_describe_asymmetries(shared)}, {level} intervals under the "
        "numbers. Savings are against the baseline as it is, and against the baseline treated "
        "alike. “Cheapest in” is the share of the resamples in which the model is; what "
        "is distinguishable from it allows for all models."
        f"{_describe_multiplicity(shared)}"
    )


def _describe_multiplicity(shared: CostWording) -> str:
    """Describe what the limits of savings allow for; empty where nothing is in use."""
    if shared.baseline is None:
        return ""
    every = "every model and every shift that can be put to use"
    declared = shared.declared
    if shared.is_one_asymmetry:
        where = "."
    elif declared is None:
        where = f", at every {shared.axis.symbol} of the table."
    else:
        where = (
            f": at the declared cost ratio, {format_ratio(declared)}, for those at it "
            "alone; at the others for those at all of the others."
        )
    return (
        f" Limits of savings against the baseline as it is allow for {every}{where} Those of "
        "shifts that cannot, as the best constants, which were found on these rows, allow for all "
        "such shifts; those of savings against the baseline treated alike for all pairs"
        f"{'' if shared.is_by_row else ' at their asymmetry'}."
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
        f"Every model {_describe_asymmetries(shared)}. An interval over the cheapest allows for "
        "all that is compared with it, as in the table of the cheapest models.",
        [(made, each) for made in costs.decisions for each in made.models][:_MOST],
        word_column("Model", lambda row: shared.label(row[1].model)),
        word_column(
            _format_asymmetries(shared, "Asymmetry"),
            lambda row: _build_asymmetry(row[0].asymmetry, shared),
        ),
        word_column("Scores", lambda row: SHIFT_LABELS[row[0].shift]),
        number_column(
            "Constant added",
            lambda row: make_limits_cell(row[1].constant, shared.unit),
            unit=shared.unit,
        ),
        number_column(counted, lambda row: make_limits_cell(row[1].cost, money), unit=money),
        number_column("Over the cheapest", make_excess_cell, unit=money),
        share_column("Cheapest in", lambda row: row[1].share_best),
        is_folded=True,
    )


def build_crossings_table(index: Index, costs: CostAnalysis, id_: str) -> Table:
    """List every α at which two models cost the same and the data do not separate them."""
    axis = get_asymmetry_axis(index, costs.dataset)
    level = numbers.format_level(index.results.inference.level)
    return build_table(
        id_,
        "Asymmetries at which two models cost the same. They are not told apart at every "
        f"{axis.symbol} whose {level} interval of the paired difference holds zero: this set may "
        "be empty, have several pieces, or be everything."
        + " Only α with at least ten rows on either side are judged."
        * axis.has_ratio,
        costs.crossings,
        word_column(
            "Models",
            lambda c: f"{format_model(index, c.first)} and {format_model(index, c.second)}",
        ),
        word_column("Scores", lambda c: SHIFT_LABELS[c.shift]),
        number_column(
            f"Same cost at {axis.symbol}", lambda c: make_asymmetry_cell(c.asymmetry, axis)
        ),
        word_column("Undetermined", lambda c: _describe_crossing_range(c, axis)),
        word_column("Cheaper below", lambda c: format_model(index, c.cheaper_below)),
        word_column("Cheaper above", lambda c: format_model(index, c.cheaper_above)),
    )


def build_ranges_table(index: Index, costs: CostAnalysis, id_: str) -> Table:
    """List where a candidate is cheaper or more expensive than the baseline.

    All α taken together.
    """
    is_of_one = len({found.baseline for found in costs.ranges}) == 1
    axis = get_asymmetry_axis(index, costs.dataset)
    other = "the baseline" if is_of_one else "the other model"
    level = numbers.format_level(index.results.inference.level)
    who = "each candidate" if is_of_one else "one model"

    def format_pair(found: CostRange) -> str:
        against = "" if is_of_one else f" against {format_model(index, found.baseline)}"
        return format_model(index, found.candidate) + against

    return build_table(
        id_,
        f"Where {who} is cheaper or dearer than {other}, by the {level} band of the paired "
        f"difference, which holds at all {axis.symbol} and for all pairs in the table at once.",
        costs.ranges,
        word_column("Candidate" if is_of_one else "Models", format_pair),
        word_column("Scores", lambda found: SHIFT_LABELS[found.shift]),
        word_column(f"Against {other}", lambda found: found.verdict),
        *_make_stretch_columns(axis),
        is_folded=len(costs.ranges) > 8,
    )


def build_envelope_table(index: Index, costs: CostAnalysis, id_: str) -> Table:
    """Tabulate the cheapest model over each stretch of α, by the estimates alone."""
    axis = get_asymmetry_axis(index, costs.dataset)
    return build_table(
        id_,
        f"The lowest cost over {axis.symbol}, as estimated; how sure it is stands in "
        "the other tables.",
        costs.envelope,
        word_column("Scores", lambda found: SHIFT_LABELS[found.shift]),
        word_column("Cheapest", lambda found: format_model(index, found.model)),
        *_make_stretch_columns(axis),
        is_folded=True,
    )


def _build_line(alpha: float, way: str, shared: CostWording) -> Cell:
    """At which costs a line of the decision is, and how scores are shifted."""
    if shared.is_by_row:
        return Cell("each row's own", note=f"scores {way}")
    return Cell(shared.axis.place(alpha), note=f"scores {way}", value=alpha)


def _describe_cost_unit(model: CostModelInfo, shared: CostWording) -> str:
    """Describe what the numbers of the table are counted in."""
    if not model.is_priced or model.total is None:
        return f"Costs are the {_LOSSES[shared.loss]}."
    if shared.is_by_row:
        return (
            "Costs are money: what each row's own unit costs make of its error. The best constant "
            "is the quantile of target less score, each row weighing its two unit costs together, "
            "at the share that the costs of too low have in all."
        )
    amount = numbers.choose_declared_precision(model.total).number(model.total)
    money = amount if not numbers.has_unit(shared.money) else f"{amount} {shared.money}"
    square = " squared" if shared.loss == "quadquad" else ""
    return (
        f"Costs are money: at every α, a unit{square} too low and a unit{square} too high cost "
        f"{money} together."
    )


def _build_asymmetry(alpha: float, shared: CostWording) -> Cell:
    if shared.is_by_row:
        return Cell("each row's own")
    axis = shared.axis
    note = f"low : high = {format_ratio(alpha)}" if axis.has_ratio else ""
    return Cell(f"{axis.symbol} = {axis.number(alpha)}", note=note, value=alpha)


def _describe_crossing_range(found: Crossing, axis: AsymmetryWording) -> str:
    if found.low is None or found.high is None:
        return "nowhere"
    if (found.low, found.high) == (found.judged_low, found.judged_high):
        return f"at every {axis.symbol} judged"
    return f"{axis.number(found.low)} to {axis.number(found.high)}"


def build_space_table(index: Index, costs: CostAnalysis, id_: str) -> Table:
    """List the places of models and constants in RROC space, and which of them the hull keeps."""
    unit, axis = index.datasets[costs.dataset].unit, get_asymmetry_axis(index, costs.dataset)

    def make_name_cell(point: RrocPoint) -> Cell:
        note = "" if point.kind == "model" else point.kind
        return Cell(_format_point_name(index, point), note=note)

    return build_table(
        id_,
        "Means of a row. A model on the hull of the points is the cheapest at some asymmetry, as "
        "the scores are; one below it never is. Constants are what can be said without a model. In "
        "random order a model's scores belong to no row: the mean over all pairs of a score and a "
        "row.",
        costs.points,
        word_column("Model", make_name_cell),
        number_column("Over-estimation", lambda p: make_limits_cell(p.over, unit), unit=unit),
        number_column("Under-estimation", lambda p: make_limits_cell(p.under, unit), unit=unit),
        number_column("Mean error", lambda p: make_limits_cell(p.bias, unit), unit=unit),
        word_column("On the hull", lambda p: _hull_cell(index, p, axis)),
    )


def build_mixtures_table(index: Index, costs: CostAnalysis, id_: str) -> Table:
    """List mixtures of two neighbours on the hull that meet a target."""
    unit, axis = index.datasets[costs.dataset].unit, get_asymmetry_axis(index, costs.dataset)
    first = costs.mixtures[0]
    kind = "mean error" if first.quantity == "bias" else "over-estimation a row"
    target = numbers.choose_format(first.target, None, None, unit).amount(first.target)

    def format_range(low: Number, high: Number) -> str:
        return f"{format_amount(low, unit)} to {format_amount(high, unit)}"

    return build_table(
        id_,
        "Neighbours on the hull, mixed: a coin decides for each row whose score is used. At the "
        f"{axis.symbol} named, both and every mixture cost the same; at any other one of the two "
        "costs less than a mixture. A mixture serves only a target that is no cost.",
        costs.mixtures,
        word_column(
            "Between",
            lambda m: f"{format_model(index, m.first)} and {format_model(index, m.second)}",
        ),
        word_column(f"Level at {axis.symbol}", lambda m: make_asymmetry_cell(m.asymmetry, axis)),
        number_column(
            "Over-estimation", lambda m: format_range(m.first_over, m.second_over), unit=unit
        ),
        number_column("Mean error", lambda m: format_range(m.first_bias, m.second_bias), unit=unit),
        word_column(f"Share of the first for a {kind} of {target}", _build_mixture),
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
        return Cell(format_amount(bias, square), note=f"{share} of it", value=bias)

    return build_table(
        id_,
        "The mean squared error is the squared mean error plus the variance. A constant can take "
        "away the first part only; half of the second is the area over the RROC curve.",
        costs.decompositions,
        model_column(index, lambda found: found.model),
        limits_column("Mean squared error", lambda found: found.mse),
        number_column("Squared mean error", make_bias_cell, unit=square),
        limits_column("Variance of the error", lambda found: found.variance),
        limits_column("Area over the RROC curve", lambda found: found.aoc),
    )


def _build_mixture(found: Mixture) -> Cell:
    share, low = found.share.value, found.share.low
    if share is None:
        return Cell("no mixture meets it")
    ends = f"{numbers.format_percent(low)} to {numbers.format_percent(found.share.high)}"
    note = "" if low is None else ends
    return Cell(f"in {numbers.format_percent(share)} of the rows", note=note, value=share)


def _hull_cell(index: Index, point: RrocPoint, axis: AsymmetryWording) -> Cell:
    """Make a cell of the range where a model is the cheapest, or of the model that dominates it."""
    low, high, share = point.best_from, point.best_to, point.share_on_hull
    note = "" if share is None else f"in {numbers.format_percent(share)} of the resamples"
    if low is not None and high is not None:
        return Cell(f"for {axis.symbol} {axis.number(low)} to {axis.number(high)}", note=note)
    if point.dominated_by is not None:
        return Cell(f"no; {format_model(index, point.dominated_by)} is never dearer", note=note)
    return Cell("no" if point.kind == "model" else numbers.MISSING, note=note)


def _format_point_name(index: Index, point: RrocPoint) -> str:
    if point.kind != "constant":
        return format_model(index, point.name)
    return point.name if point.name == "zero" else f"{point.name} of the target"


def _make_stretch_columns(
    axis: AsymmetryWording,
) -> tuple[ReportColumn[CostRange | CheapestRange] | None, ...]:
    """Make the columns of a stretch of asymmetries."""
    return (
        word_column(
            f"Asymmetry {axis.symbol}", lambda s: f"{axis.number(s.low)} to {axis.number(s.high)}"
        ),
        word_column(
            "Cost ratio, low : high", lambda s: f"{format_ratio(s.low)} to {format_ratio(s.high)}"
        )
        if axis.has_ratio
        else None,
    )
