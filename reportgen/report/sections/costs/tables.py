"""The tables of costs and of RROC space."""

from __future__ import annotations

from dataclasses import replace

from reportgen.report import wording
from reportgen.report.document import Cell, Table, TableColumn
from reportgen.report.sections.index import Index
from reportgen.results import (
    CheapestRange,
    CostAnalysis,
    CostDecision,
    CostModelInfo,
    CostRange,
    Crossing,
    IntervalEstimate,
    Mixture,
    Number,
    RrocPoint,
)


def get_asymmetry_axis(index: Index, dataset: str) -> wording.AsymmetryWording:
    """Return the wording of a dataset's cost asymmetries: α, or c of an exponential loss."""
    costs = index.costs.get(dataset)
    return (
        wording.ALPHA if costs is None else wording.AsymmetryWording.from_reach(costs.model.reaches)
    )


def make_limits_cell(found: IntervalEstimate, unit: str, *, signed: bool = False) -> Cell:
    """Make a cell of a number with its interval under it."""
    value, low, high = found.value, found.low, found.high
    if value is None:
        return Cell(wording.MISSING)
    form = wording.choose_format(value, low, high, unit, (0.0,))
    interval = form.interval(low, high, signed=signed or (low or 0.0) < 0)
    note = "" if interval == wording.MISSING else interval
    return Cell(form.number(value, signed=signed), note=note, value=value)


def format_model(index: Index, model: str | None) -> str:
    """Format the label of a model for a table; a dash for none."""
    return wording.MISSING if model is None else index.short_label(model)


def make_share_cell(share: Number) -> Cell:
    """Make a cell of a share in percent."""
    return Cell(wording.format_percent(share), value=share)


def make_asymmetry_cell(value: Number, axis: wording.AsymmetryWording) -> Cell:
    """Make a cell of an asymmetry, with the cost ratio that it stands for."""
    if value is None:
        return Cell(wording.MISSING)
    note = wording.format_ratio(value) if axis.has_ratio else ""
    return Cell(axis.number(value), note=note, value=value)


def format_amount(value: Number, unit: str) -> str:
    """Format a number with the digits that suit it."""
    return wording.choose_format(value, None, None, unit).number(value)


def word_column(title: str) -> TableColumn:
    """Make a column of words."""
    return TableColumn(title, is_numeric=False)


def number_column(title: str, unit: str = "") -> TableColumn:
    """Make a column of numbers with their unit."""
    return TableColumn(title, note=unit if wording.has_unit(unit) else "")


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


def make_cost_wording(index: Index, costs: CostAnalysis) -> wording.CostWording:
    """Make the wording that all sentences about a decision share."""
    return wording.CostWording(
        money=costs.model.money,
        unit=index.datasets[costs.dataset].unit,
        cases=costs.model.cases,
        level=index.results.inference.level,
        baseline=index.baseline.name if index.baseline else None,
        labels=index.labels,
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
    return len(costs.decisions[0].models) == 1


def describe_harms(index: Index, costs: CostAnalysis) -> list[str]:
    """Describe which models a fitted constant makes more expensive, one sentence per asymmetry."""
    shared = make_cost_wording(index, costs)
    fitted = [made for made in costs.decisions if made.shift == "fitted"]
    said = [(made.asymmetry, wording.describe_harmful(made.models, shared)) for made in fitted]
    return [
        f"At {shared.axis.place(at)}: {text[0].lower()}{text[1:]}" if len(fitted) > 1 else text
        for at, text in said
        if text
    ]


def build_decision_table(index: Index, costs: CostAnalysis, id_: str) -> Table:
    """For each asymmetry and each way to act: the cheapest model and what it costs and saves."""
    shared = make_cost_wording(index, costs)
    money, counted = shared.money, wording.capitalize(f"{shared.quantity} {shared.per}")
    columns = [
        word_column(_format_asymmetries(shared, "Asymmetry, low : high")),
        word_column("Model" if shared.is_alone else "Cheapest"),
        number_column("Constant", shared.unit),
        number_column(counted, money),
    ]
    if shared.baseline:
        baseline = shared.label(shared.baseline)
        columns += [
            number_column(f"Saved: {baseline} as it is", money),
            number_column(f"Saved: {baseline} alike", money),
        ]
    columns += [] if shared.is_alone else [word_column("Cheapest in")]
    rows = tuple(_decision_row(made, shared) for made in costs.decisions)
    caption = f"{_describe_columns(shared)} {_describe_cost_unit(costs.model, shared)}"
    return Table(id_, caption, tuple(columns), rows)


def _format_asymmetries(shared: wording.CostWording, of_a_ratio: str) -> str:
    """Return the title of the column that gives the costs of a line."""
    if shared.is_by_row:
        return "Unit costs"
    return of_a_ratio if shared.axis.has_ratio else "Asymmetry"


def _describe_asymmetries(shared: wording.CostWording) -> str:
    return "at each row's own unit costs" if shared.is_by_row else "at each asymmetry"


def _describe_columns(shared: wording.CostWording) -> str:
    level = wording.format_level(shared.level)
    if shared.is_alone:
        return f"The cost {_describe_asymmetries(shared)}, {level} intervals under the numbers."
    return (
        f"The cheapest model {_describe_asymmetries(shared)}, {level} intervals under the "
        "numbers. Savings are against the baseline as it is, and against the baseline treated "
        "alike. “Cheapest in” is the share of the resamples in which the model is; what "
        "is distinguishable from it allows for all models."
        f"{_describe_multiplicity(shared)}"
    )


def _describe_multiplicity(shared: wording.CostWording) -> str:
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
            f": at the declared cost ratio, {wording.format_ratio(declared)}, for those at it "
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
    every = [(made, each) for made in costs.decisions for each in made.models]
    money, counted = shared.money, wording.capitalize(f"{shared.quantity} {shared.per}")
    columns = [
        word_column("Model"),
        word_column(_format_asymmetries(shared, "Asymmetry")),
        word_column("Scores"),
        number_column("Constant added", shared.unit),
        number_column(counted, money),
        number_column("Over the cheapest", money),
        number_column("Cheapest in"),
    ]
    rows = tuple(
        (
            Cell(shared.label(each.model)),
            _build_asymmetry(made.asymmetry, shared),
            Cell(SHIFT_LABELS[made.shift]),
            make_limits_cell(each.constant, shared.unit),
            make_limits_cell(each.cost, money),
            Cell("cheapest") if each.excess.value == 0 else make_limits_cell(each.excess, money),
            make_share_cell(each.share_best),
        )
        for made, each in every[:_MOST]
    )
    caption = (
        f"Every model {_describe_asymmetries(shared)}. An interval over the cheapest allows for "
        "all that is "
        "compared with it, as in the table of the cheapest models."
    )
    return Table(id_, caption, tuple(columns), rows, is_folded=True)


def build_crossings_table(index: Index, costs: CostAnalysis, id_: str) -> Table:
    """List every α at which two models cost the same and the data do not separate them."""
    axis = get_asymmetry_axis(index, costs.dataset)
    columns = (
        word_column("Models"),
        word_column("Scores"),
        number_column(f"Same cost at {axis.symbol}"),
        word_column("Undetermined"),
        word_column("Cheaper below"),
        word_column("Cheaper above"),
    )
    rows = tuple(
        (
            Cell(f"{format_model(index, found.first)} and {format_model(index, found.second)}"),
            Cell(SHIFT_LABELS[found.shift]),
            make_asymmetry_cell(found.asymmetry, axis),
            Cell(_describe_crossing_range(found, axis)),
            Cell(format_model(index, found.cheaper_below)),
            Cell(format_model(index, found.cheaper_above)),
        )
        for found in costs.crossings
    )
    level = wording.format_level(index.results.inference.level)
    caption = (
        "Asymmetries at which two models cost the same. They are not told apart at every "
        f"{axis.symbol} whose {level} interval of the paired difference holds zero: this set may "
        "be empty, have several pieces, or be everything."
        + " Only α with at least ten rows on either side are judged."
        * axis.has_ratio
    )
    return Table(id_, caption, columns, rows)


def build_ranges_table(index: Index, costs: CostAnalysis, id_: str) -> Table:
    """List where a candidate is cheaper or more expensive than the baseline.

    All α taken together.
    """
    is_of_one = len({found.baseline for found in costs.ranges}) == 1
    axis = get_asymmetry_axis(index, costs.dataset)
    other = "the baseline" if is_of_one else "the other model"
    columns = (
        word_column("Candidate" if is_of_one else "Models"),
        word_column("Scores"),
        word_column(f"Against {other}"),
        *_asymmetry_columns(axis),
    )

    def against(found: CostRange) -> str:
        return "" if is_of_one else f" against {format_model(index, found.baseline)}"

    rows = tuple(
        (
            Cell(format_model(index, found.candidate) + against(found)),
            Cell(SHIFT_LABELS[found.shift]),
            Cell(found.verdict),
            *_build_stretch(found, axis),
        )
        for found in costs.ranges
    )
    level = wording.format_level(index.results.inference.level)
    who = "each candidate" if is_of_one else "one model"
    caption = (
        f"Where {who} is cheaper or dearer than {other}, by the {level} band of the paired "
        f"difference, which holds at all {axis.symbol} and for all pairs in the table at once."
    )
    return Table(id_, caption, columns, rows, is_folded=len(rows) > 8)


def build_envelope_table(index: Index, costs: CostAnalysis, id_: str) -> Table:
    """Tabulate the cheapest model over each stretch of α, by the estimates alone."""
    axis = get_asymmetry_axis(index, costs.dataset)
    columns = (word_column("Scores"), word_column("Cheapest"), *_asymmetry_columns(axis))
    rows = tuple(
        (
            Cell(SHIFT_LABELS[found.shift]),
            Cell(format_model(index, found.model)),
            *_build_stretch(found, axis),
        )
        for found in costs.envelope
    )
    caption = (
        f"The lowest cost over {axis.symbol}, as estimated; how sure it is stands in "
        "the other tables."
    )
    return Table(id_, caption, columns, rows, is_folded=True)


def _decision_row(made: CostDecision, shared: wording.CostWording) -> tuple[Cell, ...]:
    best, alpha, way = made.cheapest, made.asymmetry, SHIFT_LABELS[made.shift]
    rivals = [shared.label(model) for model in made.not_distinguishable]
    note = (
        f"not distinguishable from {wording.join_list(rivals)}"
        if rivals
        else "distinguishable from all others"
    )
    often = replace(make_share_cell(best.share_best), note=note)
    savings = (best.saving, made.saving_same_shift)
    saved = [make_limits_cell(saving, shared.money, signed=True) for saving in savings]
    is_baseline = made.best == shared.baseline
    if is_baseline:
        saved[1] = Cell(wording.MISSING, note="it is the baseline")
    if is_baseline and made.shift == "none":
        saved[0] = saved[1]
    if shared.axis.has_ratio and alpha in (0.0, 1.0) and made.shift == "optimal":
        return _build_free_row(alpha, way, shared)
    return (
        _build_line(alpha, way, shared),
        Cell(
            wording.MISSING if best.cost.value is None else shared.label(made.best), is_strong=True
        ),
        Cell("none")
        if made.shift == "none"
        else make_limits_cell(best.constant, shared.unit, signed=True),
        make_limits_cell(best.cost, shared.money),
        *(saved if shared.baseline else ()),
        *(() if shared.is_alone else (often,)),
    )


def _build_free_row(alpha: float, way: str, shared: wording.CostWording) -> tuple[Cell, ...]:
    """Build the row of a one-sided cost, which some constant makes free for every model."""
    none = Cell(wording.MISSING)
    return (
        _build_line(alpha, way, shared),
        Cell("the model" if shared.is_alone else "every model", note="a one-sided cost"),
        Cell("any that goes far enough"),
        Cell("0", value=0.0),
        *((none, none) if shared.baseline else ()),
        *(() if shared.is_alone else (none,)),
    )


def _build_line(alpha: float, way: str, shared: wording.CostWording) -> Cell:
    """At which costs a line of the decision is, and how scores are shifted."""
    if shared.is_by_row:
        return Cell("each row's own", note=f"scores {way}")
    return Cell(shared.axis.place(alpha), note=f"scores {way}", value=alpha)


def _describe_cost_unit(model: CostModelInfo, shared: wording.CostWording) -> str:
    """Describe what the numbers of the table are counted in."""
    if not model.is_priced or model.total is None:
        return f"Costs are the {_LOSSES[shared.loss]}."
    if shared.is_by_row:
        return (
            "Costs are money: what each row's own unit costs make of its error. The best constant "
            "is the quantile of target less score, each row weighing its two unit costs together, "
            "at the share that the costs of too low have in all."
        )
    amount = wording.choose_declared_precision(model.total).number(model.total)
    money = amount if not wording.has_unit(shared.money) else f"{amount} {shared.money}"
    square = " squared" if shared.loss == "quadquad" else ""
    return (
        f"Costs are money: at every α, a unit{square} too low and a unit{square} too high cost "
        f"{money} together."
    )


def _build_asymmetry(alpha: float, shared: wording.CostWording) -> Cell:
    if shared.is_by_row:
        return Cell("each row's own")
    axis = shared.axis
    note = f"low : high = {wording.format_ratio(alpha)}" if axis.has_ratio else ""
    return Cell(f"{axis.symbol} = {axis.number(alpha)}", note=note, value=alpha)


def _describe_crossing_range(found: Crossing, axis: wording.AsymmetryWording) -> str:
    if found.low is None or found.high is None:
        return "nowhere"
    if (found.low, found.high) == (found.judged_low, found.judged_high):
        return f"at every {axis.symbol} judged"
    return f"{axis.number(found.low)} to {axis.number(found.high)}"


def _asymmetry_columns(axis: wording.AsymmetryWording) -> tuple[TableColumn, ...]:
    """Make the columns of a stretch of asymmetries."""
    plain = word_column(f"Asymmetry {axis.symbol}")
    return (plain, word_column("Cost ratio, low : high")) if axis.has_ratio else (plain,)


def _build_stretch(
    found: CostRange | CheapestRange, axis: wording.AsymmetryWording
) -> tuple[Cell, ...]:
    plain = Cell(f"{axis.number(found.low)} to {axis.number(found.high)}")
    if not axis.has_ratio:
        return (plain,)
    return plain, Cell(f"{wording.format_ratio(found.low)} to {wording.format_ratio(found.high)}")


def build_space_table(index: Index, costs: CostAnalysis, id_: str) -> Table:
    """List the places of models and constants in RROC space, and which of them the hull keeps."""
    unit, axis = index.datasets[costs.dataset].unit, get_asymmetry_axis(index, costs.dataset)
    columns = (
        word_column("Model"),
        number_column("Over-estimation", unit),
        number_column("Under-estimation", unit),
        number_column("Mean error", unit),
        word_column("On the hull"),
    )
    rows = tuple(
        (
            Cell(
                _format_point_name(index, point), note="" if point.kind == "model" else point.kind
            ),
            *(make_limits_cell(found, unit) for found in (point.over, point.under, point.bias)),
            _hull_cell(index, point, axis),
        )
        for point in costs.points
    )
    caption = (
        "Means of a row. A model on the hull of the points is the cheapest at some asymmetry, as "
        "the scores are; one below it never is. Constants are what can be said without a model. In "
        "random order a model's scores belong to no row: the mean over all pairs of a score and a "
        "row."
    )
    return Table(id_, caption, columns, rows)


def build_mixtures_table(index: Index, costs: CostAnalysis, id_: str) -> Table:
    """List mixtures of two neighbours on the hull that meet a target."""
    unit, axis = index.datasets[costs.dataset].unit, get_asymmetry_axis(index, costs.dataset)
    first = costs.mixtures[0]
    kind = "mean error" if first.quantity == "bias" else "over-estimation a row"
    target = wording.choose_format(first.target, None, None, unit).amount(first.target)
    columns = (
        word_column("Between"),
        word_column(f"Level at {axis.symbol}"),
        number_column("Over-estimation", unit),
        number_column("Mean error", unit),
        word_column(f"Use the first for a {kind} of {target}"),
    )
    rows = tuple(
        (
            Cell(f"{format_model(index, each.first)} and {format_model(index, each.second)}"),
            make_asymmetry_cell(each.asymmetry, axis),
            Cell(
                f"{format_amount(each.first_over, unit)} to {format_amount(each.second_over, unit)}"
            ),
            Cell(
                f"{format_amount(each.first_bias, unit)} to {format_amount(each.second_bias, unit)}"
            ),
            _build_mixture(each),
        )
        for each in costs.mixtures
    )
    caption = (
        "Neighbours on the hull, mixed: a coin decides for each row whose score is used. At the "
        f"{axis.symbol} named, both and every mixture cost the same; at any other one of the two "
        "costs less than a mixture. So mix only to meet a target that is no cost."
    )
    return Table(id_, caption, columns, rows)


def build_split_table(index: Index, costs: CostAnalysis, id_: str) -> Table:
    """Mean squared error = squared mean error + variance; the area is half the variance."""
    unit = costs.decompositions[0].unit
    square = unit if wording.has_unit(unit) else ""
    columns = (
        word_column("Model"),
        number_column("Mean squared error", square),
        number_column("Squared mean error", square),
        number_column("Variance of the error", square),
        number_column("Area over the RROC curve", square),
    )
    rows = tuple(
        (
            Cell(format_model(index, each.model)),
            make_limits_cell(each.mse, square),
            Cell(
                format_amount(each.squared_bias, square),
                note=f"{wording.format_percent(each.share_of_bias)} of it",
                value=each.squared_bias,
            ),
            make_limits_cell(each.variance, square),
            make_limits_cell(each.aoc, square),
        )
        for each in costs.decompositions
    )
    caption = (
        "The mean squared error is the squared mean error plus the variance. A constant can take "
        "away the first part only; half of the second is the area over the RROC curve."
    )
    return Table(id_, caption, columns, rows)


def _build_mixture(found: Mixture) -> Cell:
    share, low = found.share.value, found.share.low
    if share is None:
        return Cell("no mixture meets it")
    ends = f"{wording.format_percent(low)} to {wording.format_percent(found.share.high)}"
    note = "" if low is None else ends
    return Cell(f"in {wording.format_percent(share)} of the rows", note=note, value=share)


def _hull_cell(index: Index, point: RrocPoint, axis: wording.AsymmetryWording) -> Cell:
    """Make a cell of the range where a model is the cheapest, or of the model that dominates it."""
    low, high, share = point.best_from, point.best_to, point.share_on_hull
    note = "" if share is None else f"in {wording.format_percent(share)} of the resamples"
    if low is not None and high is not None:
        return Cell(f"for {axis.symbol} {axis.number(low)} to {axis.number(high)}", note=note)
    if point.dominated_by is not None:
        return Cell(f"no; {format_model(index, point.dominated_by)} is never dearer", note=note)
    return Cell("no" if point.kind == "model" else wording.MISSING, note=note)


def _format_point_name(index: Index, point: RrocPoint) -> str:
    if point.kind != "constant":
        return format_model(index, point.name)
    return point.name if point.name == "zero" else f"{point.name} of the target"
