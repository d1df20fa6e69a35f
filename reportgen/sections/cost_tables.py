"""The tables of the costs section: numbers with their intervals under them."""

from __future__ import annotations

from collections.abc import Mapping

from reportgen import wording
from reportgen.document import Cell, Column, Table
from reportgen.results import Number, Scalar, TableResult
from reportgen.sections.index import Index

Record = Mapping[str, Scalar]
WAYS = {"none": "as they are", "optimal": "with best constant"}
_MOST = 200
_LOSSES = {
    "linlin": "Lin-Lin loss, which is the absolute error at α = 0.5",
    "pinball": "pinball loss, which is half of the absolute error at α = 0.5",
    "quadquad": "Quad-Quad loss, which is the squared error at α = 0.5",
    "linexp": "Lin-Exp loss exp(ce) − ce − 1, e being score minus truth",
    "quadexp": "Quad-Exp loss: exp(ce) − ce − 1 where ce is above 0, (ce)²/2 where below, e being "
    "score minus truth",
}


def records(table: TableResult) -> list[Record]:
    """Rows by the names of their columns."""
    return [dict(zip(table.columns, row, strict=True)) for row in table.rows]


def terms(index: Index, decision: TableResult) -> wording.CostTerms:
    """What all sentences about a decision share."""
    dataset, params = index.datasets[decision.dataset], decision.params
    return wording.CostTerms(
        money=str(params["money"]),
        unit=dataset.unit,
        cases=int(params["cases"] or 0),
        level=index.results.inference.level,
        baseline=index.baseline.name if index.baseline else None,
        labels=index.labels,
        is_priced=bool(params["is_priced"]),
        loss=str(params.get("loss", "linlin")),
        axis=axis_of(decision),
    )


def axis_of(table: TableResult) -> wording.Asymmetries:
    """The asymmetries of a table: α, or c of an exponential loss."""
    return wording.Asymmetries.of(table.params.get("parameter"), table.params.get("reaches"))


def decision_table(index: Index, table: TableResult, id_: str) -> Table:
    """For each asymmetry and each way to act: the cheapest model and what it costs and saves."""
    shared = terms(index, table)
    money, cases = shared.money, wording.count(shared.cases)
    columns = [
        _words("Asymmetry, low : high" if shared.axis.has_ratio else "Asymmetry"),
        _words("Cheapest"),
        _numbers("Constant", shared.unit), _numbers(f"Cost per {cases} cases", money),
    ]  # fmt: skip
    if shared.baseline:
        baseline = shared.label(shared.baseline)
        columns += [
            _numbers(f"Saved: {baseline} as it is", money),
            _numbers(f"Saved: {baseline} alike", money),
        ]
    columns += [_words("Cheapest in")]
    rows = tuple(_decision_row(row, shared) for row in records(table))
    caption = (
        f"The cheapest model at each asymmetry, {wording.level(shared.level)} intervals under the "
        "numbers. Savings are against the baseline as it is, and against the baseline treated "
        "alike. “Cheapest in” is the share of the resamples in which the model is; level with it "
        "are those that are not told from it, all models allowed for. "
        f"{_of_costs(table, shared)}"
    )
    return Table(id_, caption, tuple(columns), rows)


def models_table(index: Index, table: TableResult, id_: str) -> Table:
    """Every model at every asymmetry, as it is and with its best constant."""
    shared = terms(index, table)
    money, cases = shared.money, wording.count(shared.cases)
    columns = [
        _words("Model"), _words("Asymmetry"), _words("Scores"),
        _numbers("Constant added", shared.unit), _numbers(f"Cost per {cases} cases", money),
        _numbers("Over the cheapest", money), _numbers("Cheapest in"),
    ]  # fmt: skip
    rows = tuple(
        (
            Cell(shared.label(row["model"])),
            _asymmetry(row, shared.axis),
            Cell(WAYS[str(row["shift"])]),
            _with_bounds(row, "constant", shared.unit),
            _with_bounds(row, "cost", money),
            Cell("cheapest") if row["excess"] == 0 else _with_bounds(row, "excess", money),
            _share(row["share_best"]),
        )
        for row in records(table)[:_MOST]
    )
    caption = "Every model at every asymmetry; intervals over the cheapest allow for all models."
    return Table(id_, caption, tuple(columns), rows, is_folded=True)


def crossing_table(index: Index, table: TableResult, id_: str) -> Table:
    """Where two models cost the same: every α at which the data do not tell them apart."""
    axis = axis_of(table)
    columns = (
        _words("Models"), _words("Scores"), _numbers(f"Same cost at {axis.symbol}"),
        _words("Not told apart"), _words("Cheaper below"), _words("Cheaper above"),
    )  # fmt: skip
    rows = tuple(
        (
            Cell(f"{_label(index, row['first'])} and {_label(index, row['second'])}"),
            Cell(WAYS[str(row["shift"])]),
            _alpha(row["alpha"], axis),
            Cell(_held(row, axis)),
            Cell(_label(index, row["cheaper_below"])),
            Cell(_label(index, row["cheaper_above"])),
        )
        for row in records(table)
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


def ranges_table(index: Index, table: TableResult, id_: str) -> Table:
    """Where a candidate is cheaper or dearer than the baseline, all α taken together."""
    columns = (
        _words("Candidate"), _words("Scores"), _words("Against the baseline"),
        *_stretched(axis_of(table)),
    )  # fmt: skip
    rows = tuple(
        (
            Cell(_label(index, row["candidate"])),
            Cell(WAYS[str(row["shift"])]),
            Cell(str(row["verdict"])),
            *_stretch(row, axis_of(table)),
        )
        for row in records(table)
    )
    level = wording.level(index.results.inference.level)
    symbol = axis_of(table).symbol
    caption = (
        f"From the {level} band of the paired difference, which holds at all {symbol} at once."
    )
    return Table(id_, caption, columns, rows, is_folded=len(rows) > 8)


def envelope_table(index: Index, table: TableResult, id_: str) -> Table:
    """The cheapest model over each stretch of α, by the estimates alone."""
    columns = (_words("Scores"), _words("Cheapest"), *_stretched(axis_of(table)))
    rows = tuple(
        (
            Cell(WAYS[str(row["shift"])]),
            Cell(_label(index, row["model"])),
            *_stretch(row, axis_of(table)),
        )
        for row in records(table)
    )
    caption = (
        f"The lowest cost over {axis_of(table).symbol}, as estimated; how sure it is stands in "
        "the other tables."
    )
    return Table(id_, caption, columns, rows, is_folded=True)


def space_table(index: Index, table: TableResult, id_: str) -> Table:
    """Where models and constants stand in RROC space, and which of them the hull keeps."""
    unit = index.datasets[table.dataset].unit
    columns = (
        _words("Model"), _numbers("Over-estimation", unit), _numbers("Under-estimation", unit),
        _numbers("Mean error", unit), _words("On the hull"),
    )  # fmt: skip
    rows = tuple(
        (
            Cell(_standing(index, row), note="constant" if row["kind"] == "constant" else ""),
            *(_with_bounds(row, key, unit) for key in ("over", "under", "bias")),
            _hull_cell(index, row, axis_of(table)),
        )
        for row in records(table)
    )
    caption = (
        "Means of a row. A model on the hull of the points is the cheapest at some asymmetry, as "
        "the scores are; one below it never is. Constants are what can be said without a model."
    )
    return Table(id_, caption, columns, rows)


def hybrids_table(index: Index, table: TableResult, id_: str) -> Table:
    """How to mix two neighbours on the hull so that the mixture meets a target."""
    unit, axis = index.datasets[table.dataset].unit, axis_of(table)
    kind = "mean error" if table.params["kind"] == "bias" else "over-estimation a row"
    wanted = wording.form_of(_number(table.params["target"]), None, None, unit)
    target = wanted.amount(_number(table.params["target"]))
    columns = (
        _words("Between"), _words(f"Level at {axis.symbol}"), _numbers("Over-estimation", unit),
        _numbers("Mean error", unit), _words(f"Use the first for a {kind} of {target}"),
    )  # fmt: skip
    rows = tuple(
        (
            Cell(f"{_label(index, row['first'])} and {_label(index, row['second'])}"),
            _alpha(row["alpha"], axis),
            *(
                Cell(" to ".join(_form(row[f"{which}_{key}"], unit) for which in
                                 ("first", "second")))
                for key in ("over", "bias")
            ),
            _mixture(row),
        )
        for row in records(table)
    )  # fmt: skip
    caption = (
        "Neighbours on the hull, mixed: a coin decides for each row whose score is used. At the "
        f"{axis.symbol} named, both and every mixture cost the same; at any other one of the two "
        "costs less than a mixture. So mix only to meet a target that is no cost."
    )
    return Table(id_, caption, columns, rows)


def _mixture(row: Record) -> Cell:
    share = _number(row["share"])
    if share is None:
        return Cell("no mixture meets it")
    low, high = (_number(row[f"share_{end}"]) for end in ("low", "high"))
    note = "" if low is None else f"{wording.percent(low)} to {wording.percent(high)}"
    return Cell(f"in {wording.percent(share)} of the rows", note=note, value=share)


def split_table(index: Index, table: TableResult, id_: str) -> Table:
    """Mean squared error = squared mean error + variance; the area is half the variance."""
    unit = index.datasets[table.dataset].unit
    square = f"{unit}²" if wording.has_unit(unit) else ""
    columns = (
        _words("Model"), _numbers("Mean squared error", square), _numbers("Squared mean error",
        square), _numbers("Variance of the error", square), _numbers("Area over the RROC curve",
        square),
    )  # fmt: skip
    rows = tuple(
        (
            Cell(_label(index, row["model"])),
            _with_bounds(row, "mse", square),
            Cell(
                _form(row["squared_bias"], square),
                note=f"{wording.percent(_number(row['share_of_bias']))} of it",
                value=_number(row["squared_bias"]),
            ),
            _with_bounds(row, "variance", square),
            _with_bounds(row, "aoc", square),
        )
        for row in records(table)
    )
    caption = (
        "The mean squared error is the squared mean error plus the variance. A constant can take "
        "away the first part only; half of the second is the area over the RROC curve."
    )
    return Table(id_, caption, columns, rows)


def _decision_row(row: Record, shared: wording.CostTerms) -> tuple[Cell, ...]:
    rivals = [shared.label(each) for each in str(row["level_with"]).split(", ") if each]
    note = f"level with {wording.listed(rivals)}" if rivals else "told from all others"
    saved = [_with_bounds(row, key, shared.money, signed=True) for key in ("saved", "saved_alike")]
    is_baseline = row["best"] == shared.baseline
    if is_baseline:
        saved[1] = Cell(wording.MISSING, note="it is the baseline")
    if is_baseline and row["shift"] == "none":
        saved[0] = saved[1]
    alpha, way = _number(row["alpha"]) or 0.0, WAYS[str(row["shift"])]
    return (
        Cell(shared.axis.place(alpha), note=f"scores {way}", value=alpha),
        Cell(shared.label(row["best"]), is_strong=True),
        Cell("none") if row["shift"] == "none" else _with_bounds(row, "constant", shared.unit,
                                                                 signed=True),
        _with_bounds(row, "cost", shared.money),
        *(saved if shared.baseline else ()),
        Cell(_share(row["share_best"]).text, note=note, value=_number(row["share_best"])),
    )  # fmt: skip


def _of_costs(table: TableResult, shared: wording.CostTerms) -> str:
    """What the numbers of the table are counted in."""
    total = table.params["total"]
    if not shared.is_priced or not isinstance(total, float):
        return f"Costs are the {_LOSSES[shared.loss]}."
    amount = wording.plain_form(total).number(total)
    money = amount if not wording.has_unit(shared.money) else f"{amount} {shared.money}"
    square = " squared" if shared.loss == "quadquad" else ""
    return (
        f"Costs are money: at every α, a unit{square} too low and a unit{square} too high cost "
        f"{money} together."
    )


def _asymmetry(row: Record, axis: wording.Asymmetries) -> Cell:
    alpha = _number(row["alpha"]) or 0.0
    note = f"low : high = {wording.ratio(alpha)}" if axis.has_ratio else ""
    return Cell(f"{axis.symbol} = {axis.number(alpha)}", note=note, value=alpha)


def _with_bounds(row: Record, key: str, unit: str, *, signed: bool = False) -> Cell:
    value, low, high = (_number(row[name]) for name in (key, f"{key}_low", f"{key}_high"))
    if value is None:
        return Cell(wording.MISSING)
    form = wording.form_of(value, low, high, unit, (0.0,))
    interval = form.interval(low, high, signed=signed or (low or 0.0) < 0)
    note = "" if interval == wording.MISSING else interval
    return Cell(form.number(value, signed=signed), note=note, value=value)


def _held(row: Record, axis: wording.Asymmetries) -> str:
    low, high = _number(row["low"]), _number(row["high"])
    if low is None or high is None:
        return "nowhere"
    is_everything = (low, high) == (row["judged_low"], row["judged_high"])
    if is_everything:
        return f"at every {axis.symbol} judged"
    return f"{axis.number(low)} to {axis.number(high)}"


def _hull_cell(index: Index, row: Record, axis: wording.Asymmetries) -> Cell:
    """The range over which a model is the cheapest, or which other one is never dearer."""
    low, high = _number(row["best_from"]), _number(row["best_to"])
    share = _number(row["share_on_hull"])
    note = "" if share is None else f"in {wording.percent(share)} of the resamples"
    if low is not None and high is not None:
        return Cell(f"for {axis.symbol} {axis.number(low)} to {axis.number(high)}", note=note)
    if row["dominated_by"]:
        return Cell(f"no; {_label(index, row['dominated_by'])} is never dearer", note=note)
    return Cell("no" if row["kind"] == "model" else wording.MISSING, note=note)


def _standing(index: Index, row: Record) -> str:
    if row["kind"] == "model":
        return _label(index, row["model"])
    return {"zero": "zero"}.get(str(row["model"]), f"{row['model']} of the target")


def _label(index: Index, model: Scalar) -> str:
    return wording.name(index.label(str(model)), 40) if model else wording.MISSING


def _share(share: Scalar) -> Cell:
    return Cell(wording.percent(_number(share)), value=_number(share))


def _alpha(alpha: Scalar, axis: wording.Asymmetries) -> Cell:
    value = _number(alpha)
    if value is None:
        return Cell(wording.MISSING)
    note = wording.ratio(value) if axis.has_ratio else ""
    return Cell(axis.number(value), note=note, value=value)


def _stretched(axis: wording.Asymmetries) -> tuple[Column, ...]:
    """The columns of a stretch of asymmetries."""
    plain = _words(f"Asymmetry {axis.symbol}")
    return (plain, _words("Cost ratio, low : high")) if axis.has_ratio else (plain,)


def _stretch(row: Record, axis: wording.Asymmetries) -> tuple[Cell, ...]:
    low, high = _number(row["low"]) or 0.0, _number(row["high"]) or 0.0
    plain = Cell(f"{axis.number(low)} to {axis.number(high)}")
    if not axis.has_ratio:
        return (plain,)
    return plain, Cell(f"{wording.ratio(low)} to {wording.ratio(high)}")


def _form(value: Scalar, unit: str) -> str:
    return wording.form_of(_number(value), None, None, unit).number(_number(value))


def _number(value: Scalar) -> Number:
    return float(value) if isinstance(value, int | float) else None


def _words(title: str) -> Column:
    return Column(title, is_numeric=False)


def _numbers(title: str, unit: str = "") -> Column:
    return Column(title, note=unit if wording.has_unit(unit) else "")
