"""The tables of the costs section: numbers with their intervals under them."""

from __future__ import annotations

from dataclasses import replace

from reportgen import wording
from reportgen.document import Cell, Table, TableColumn
from reportgen.results import (
    CheapestRange,
    CostAnalysis,
    CostDecision,
    CostModelInfo,
    CostRange,
    Crossing,
)
from reportgen.sections.costs.cells import (
    axis_of,
    label,
    numbers,
    place,
    share,
    with_limits,
    words,
)
from reportgen.sections.index import Index

WAYS = {"none": "as they are", "optimal": "with best constant", "fitted": "with fitted constant"}
_MOST = 200
_LOSSES = {
    "linlin": "Lin-Lin loss, which is the absolute error at α = 0.5",
    "pinball": "pinball loss, which is half of the absolute error at α = 0.5",
    "quadquad": "Quad-Quad loss, which is the squared error at α = 0.5",
    "linexp": "Lin-Exp loss exp(ce) − ce − 1, e being score minus truth",
    "quadexp": "Quad-Exp loss: exp(ce) − ce − 1 where ce is above 0, (ce)²/2 where below, e being "
    "score minus truth",
}


def terms(index: Index, costs: CostAnalysis) -> wording.CostTerms:
    """What all sentences about a decision share."""
    return wording.CostTerms(
        money=costs.model.money,
        unit=index.datasets[costs.dataset].unit,
        cases=costs.model.cases,
        level=index.results.inference.level,
        baseline=index.baseline.name if index.baseline else None,
        labels=index.labels,
        is_priced=costs.model.is_priced,
        loss=costs.model.loss,
        axis=axis_of(index, costs.dataset),
        is_alone=is_alone(costs),
        declared=costs.model.declared,
        is_by_row=costs.model.is_by_row,
        case=index.datasets[costs.dataset].case,
        is_one_asymmetry=len({made.asymmetry for made in costs.decisions}) == 1,
    )


def is_alone(costs: CostAnalysis) -> bool:
    """Whether costs are known of one model only."""
    return len(costs.decisions[0].models) == 1


def harms(index: Index, costs: CostAnalysis) -> list[str]:
    """What fitted constants make dearer than leaving models alone, one sentence an asymmetry."""
    shared = terms(index, costs)
    fitted = [made for made in costs.decisions if made.shift == "fitted"]
    said = [(made.asymmetry, wording.harmful(made.models, shared)) for made in fitted]
    return [
        f"At {shared.axis.place(at)}: {text[0].lower()}{text[1:]}" if len(fitted) > 1 else text
        for at, text in said if text
    ]  # fmt: skip


def decision_table(index: Index, costs: CostAnalysis, id_: str) -> Table:
    """For each asymmetry and each way to act: the cheapest model and what it costs and saves."""
    shared = terms(index, costs)
    money, counted = shared.money, wording.capital(f"{shared.counted} {shared.per}")
    columns = [
        words(_asymmetries(shared, "Asymmetry, low : high")),
        words("Model" if shared.is_alone else "Cheapest"),
        numbers("Constant", shared.unit), numbers(counted, money),
    ]  # fmt: skip
    if shared.baseline:
        baseline = shared.label(shared.baseline)
        columns += [
            numbers(f"Saved: {baseline} as it is", money),
            numbers(f"Saved: {baseline} alike", money),
        ]
    columns += [] if shared.is_alone else [words("Cheapest in")]
    rows = tuple(_decision_row(made, shared) for made in costs.decisions)
    caption = f"{_what_is_best(shared)} {_of_costs(costs.model, shared)}"
    return Table(id_, caption, tuple(columns), rows)


def _asymmetries(shared: wording.CostTerms, of_a_ratio: str) -> str:
    """What the column is called that says at which costs a line is."""
    if shared.is_by_row:
        return "Unit costs"
    return of_a_ratio if shared.axis.has_ratio else "Asymmetry"


def _where(shared: wording.CostTerms) -> str:
    return "at each row's own unit costs" if shared.is_by_row else "at each asymmetry"


def _what_is_best(shared: wording.CostTerms) -> str:
    level = wording.level(shared.level)
    if shared.is_alone:
        return f"The cost {_where(shared)}, {level} intervals under the numbers."
    return (
        f"The cheapest model {_where(shared)}, {level} intervals under the "
        "numbers. Savings are against the baseline as it is, and against the baseline treated "
        "alike. “Cheapest in” is the share of the resamples in which the model is; what "
        "is distinguishable from it allows for all models."
        f"{_what_is_allowed_for(shared)}"
    )


def _what_is_allowed_for(shared: wording.CostTerms) -> str:
    """What the limits of savings allow for; empty where nothing is in use."""
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
            f": at the declared cost ratio, {wording.ratio(declared)}, for those at it alone; at "
            "the others for those at all of the others."
        )
    return (
        f" Limits of savings against the baseline as it is allow for {every}{where} Those of "
        "shifts that cannot, as the best constants, which were found on these rows, allow for all "
        "such shifts; those of savings against the baseline treated alike for all pairs"
        f"{'' if shared.is_by_row else ' at their asymmetry'}."
    )


def models_table(index: Index, costs: CostAnalysis, id_: str) -> Table:
    """Every model at every asymmetry, as it is and with its best constant."""
    shared = terms(index, costs)
    every = [(made, each) for made in costs.decisions for each in made.models]
    money, counted = shared.money, wording.capital(f"{shared.counted} {shared.per}")
    columns = [
        words("Model"), words(_asymmetries(shared, "Asymmetry")), words("Scores"),
        numbers("Constant added", shared.unit), numbers(counted, money),
        numbers("Over the cheapest", money), numbers("Cheapest in"),
    ]  # fmt: skip
    rows = tuple(
        (
            Cell(shared.label(each.model)),
            _asymmetry(made.asymmetry, shared),
            Cell(WAYS[made.shift]),
            with_limits(each.constant, shared.unit),
            with_limits(each.cost, money),
            Cell("cheapest") if each.excess.value == 0 else with_limits(each.excess, money),
            share(each.share_best),
        )
        for made, each in every[:_MOST]
    )
    caption = (
        f"Every model {_where(shared)}. An interval over the cheapest allows for all that is "
        "compared with it, as in the table of the cheapest models."
    )
    return Table(id_, caption, tuple(columns), rows, is_folded=True)


def crossing_table(index: Index, costs: CostAnalysis, id_: str) -> Table:
    """Where two models cost the same: every α at which the data do not tell them apart."""
    axis = axis_of(index, costs.dataset)
    columns = (
        words("Models"), words("Scores"), numbers(f"Same cost at {axis.symbol}"),
        words("Undetermined"), words("Cheaper below"), words("Cheaper above"),
    )  # fmt: skip
    rows = tuple(
        (
            Cell(f"{label(index, found.first)} and {label(index, found.second)}"),
            Cell(WAYS[found.shift]),
            place(found.asymmetry, axis),
            Cell(_held(found, axis)),
            Cell(label(index, found.cheaper_below)),
            Cell(label(index, found.cheaper_above)),
        )
        for found in costs.crossings
    )
    level = wording.level(index.results.inference.level)
    caption = (
        "Asymmetries at which two models cost the same. They are not told apart at every "
        f"{axis.symbol} whose {level} interval of the paired difference holds zero: this set may "
        "be empty, have several pieces, or be everything."
        + " Only α with at least ten rows on either side are judged."
        * axis.has_ratio
    )
    return Table(id_, caption, columns, rows)


def ranges_table(index: Index, costs: CostAnalysis, id_: str) -> Table:
    """Where a candidate is cheaper or dearer than the baseline, all α taken together."""
    is_of_one = len({found.baseline for found in costs.ranges}) == 1
    axis = axis_of(index, costs.dataset)
    other = "the baseline" if is_of_one else "the other model"
    columns = (
        words("Candidate" if is_of_one else "Models"), words("Scores"),
        words(f"Against {other}"), *_stretched(axis),
    )  # fmt: skip

    def against(found: CostRange) -> str:
        return "" if is_of_one else f" against {label(index, found.baseline)}"

    rows = tuple(
        (
            Cell(label(index, found.candidate) + against(found)),
            Cell(WAYS[found.shift]),
            Cell(found.verdict),
            *_stretch(found, axis),
        )
        for found in costs.ranges
    )
    level = wording.level(index.results.inference.level)
    who = "each candidate" if is_of_one else "one model"
    caption = (
        f"Where {who} is cheaper or dearer than {other}, by the {level} band of the paired "
        f"difference, which holds at all {axis.symbol} and for all pairs in the table at once."
    )
    return Table(id_, caption, columns, rows, is_folded=len(rows) > 8)


def envelope_table(index: Index, costs: CostAnalysis, id_: str) -> Table:
    """The cheapest model over each stretch of α, by the estimates alone."""
    axis = axis_of(index, costs.dataset)
    columns = (words("Scores"), words("Cheapest"), *_stretched(axis))
    rows = tuple(
        (Cell(WAYS[found.shift]), Cell(label(index, found.model)), *_stretch(found, axis))
        for found in costs.envelope
    )
    caption = (
        f"The lowest cost over {axis.symbol}, as estimated; how sure it is stands in "
        "the other tables."
    )
    return Table(id_, caption, columns, rows, is_folded=True)


def _decision_row(made: CostDecision, shared: wording.CostTerms) -> tuple[Cell, ...]:
    best, alpha, way = made.cheapest, made.asymmetry, WAYS[made.shift]
    rivals = [shared.label(model) for model in made.not_distinguishable]
    note = (
        f"not distinguishable from {wording.listed(rivals)}"
        if rivals
        else "distinguishable from all others"
    )
    often = replace(share(best.share_best), note=note)
    savings = (best.saving, made.saving_same_shift)
    saved = [with_limits(saving, shared.money, signed=True) for saving in savings]
    is_baseline = made.best == shared.baseline
    if is_baseline:
        saved[1] = Cell(wording.MISSING, note="it is the baseline")
    if is_baseline and made.shift == "none":
        saved[0] = saved[1]
    if shared.axis.has_ratio and alpha in (0.0, 1.0) and made.shift == "optimal":
        return _free(alpha, way, shared)
    return (
        _line(alpha, way, shared),
        Cell(wording.MISSING if best.cost.value is None else shared.label(made.best),
             is_strong=True),
        Cell("none") if made.shift == "none" else with_limits(best.constant, shared.unit,
                                                              signed=True),
        with_limits(best.cost, shared.money),
        *(saved if shared.baseline else ()),
        *(() if shared.is_alone else (often,)),
    )  # fmt: skip


def _free(alpha: float, way: str, shared: wording.CostTerms) -> tuple[Cell, ...]:
    """A one-sided cost, which some constant makes free for every model: nobody wins."""
    none = Cell(wording.MISSING)
    return (
        _line(alpha, way, shared),
        Cell("the model" if shared.is_alone else "every model", note="a one-sided cost"),
        Cell("any that goes far enough"),
        Cell("0", value=0.0),
        *((none, none) if shared.baseline else ()),
        *(() if shared.is_alone else (none,)),
    )


def _line(alpha: float, way: str, shared: wording.CostTerms) -> Cell:
    """At which costs a line of the decision is, and how scores are shifted."""
    if shared.is_by_row:
        return Cell("each row's own", note=f"scores {way}")
    return Cell(shared.axis.place(alpha), note=f"scores {way}", value=alpha)


def _of_costs(model: CostModelInfo, shared: wording.CostTerms) -> str:
    """What the numbers of the table are counted in."""
    if not model.is_priced or model.total is None:
        return f"Costs are the {_LOSSES[shared.loss]}."
    if shared.is_by_row:
        return (
            "Costs are money: what each row's own unit costs make of its error. The best constant "
            "is the quantile of target less score, each row weighing its two unit costs together, "
            "at the share that the costs of too low have in all."
        )
    amount = wording.plain_form(model.total).number(model.total)
    money = amount if not wording.has_unit(shared.money) else f"{amount} {shared.money}"
    square = " squared" if shared.loss == "quadquad" else ""
    return (
        f"Costs are money: at every α, a unit{square} too low and a unit{square} too high cost "
        f"{money} together."
    )


def _asymmetry(alpha: float, shared: wording.CostTerms) -> Cell:
    if shared.is_by_row:
        return Cell("each row's own")
    axis = shared.axis
    note = f"low : high = {wording.ratio(alpha)}" if axis.has_ratio else ""
    return Cell(f"{axis.symbol} = {axis.number(alpha)}", note=note, value=alpha)


def _held(found: Crossing, axis: wording.Asymmetries) -> str:
    if found.low is None or found.high is None:
        return "nowhere"
    if (found.low, found.high) == (found.judged_low, found.judged_high):
        return f"at every {axis.symbol} judged"
    return f"{axis.number(found.low)} to {axis.number(found.high)}"


def _stretched(axis: wording.Asymmetries) -> tuple[TableColumn, ...]:
    """The columns of a stretch of asymmetries."""
    plain = words(f"Asymmetry {axis.symbol}")
    return (plain, words("Cost ratio, low : high")) if axis.has_ratio else (plain,)


def _stretch(found: CostRange | CheapestRange, axis: wording.Asymmetries) -> tuple[Cell, ...]:
    plain = Cell(f"{axis.number(found.low)} to {axis.number(found.high)}")
    if not axis.has_ratio:
        return (plain,)
    return plain, Cell(f"{wording.ratio(found.low)} to {wording.ratio(found.high)}")
