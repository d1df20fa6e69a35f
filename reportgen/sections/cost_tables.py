"""The tables of the costs section: numbers with their intervals under them."""

from __future__ import annotations

from collections.abc import Mapping

from reportgen import wording
from reportgen.document import Cell, Column, Table
from reportgen.results import Number, Scalar, TableResult
from reportgen.sections.index import Index

Record = Mapping[str, Scalar]
WAYS = {"none": "as they are", "optimal": "with best constant", "fitted": "with fitted constant"}
_MOST = 200


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
    )


def decision_table(index: Index, table: TableResult, id_: str) -> Table:
    """For each asymmetry and each way to act: the cheapest model and what it costs and saves."""
    shared = terms(index, table)
    money, cases = shared.money, wording.count(shared.cases)
    columns = [
        _words("Asymmetry, low : high"), _words("Cheapest"),
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
            _asymmetry(row),
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
    columns = (
        _words("Models"), _words("Scores"), _numbers("Same cost at α"),
        _words("Not told apart"), _words("Cheaper below"), _words("Cheaper above"),
    )  # fmt: skip
    rows = tuple(
        (
            Cell(f"{_label(index, row['first'])} and {_label(index, row['second'])}"),
            Cell(WAYS[str(row["shift"])]),
            _alpha(row["alpha"]),
            Cell(_held(row)),
            Cell(_label(index, row["cheaper_below"])),
            Cell(_label(index, row["cheaper_above"])),
        )
        for row in records(table)
    )
    level = wording.level(index.results.inference.level)
    caption = (
        f"Asymmetries at which two models cost the same. They are not told apart at every α whose "
        f"{level} interval of the paired difference holds zero: this set may be empty, have "
        "several pieces, or be everything. Only α with at least ten rows on either side are judged."
    )
    return Table(id_, caption, columns, rows)


def ranges_table(index: Index, table: TableResult, id_: str) -> Table:
    """Where a candidate is cheaper or dearer than the baseline, all α taken together."""
    columns = (
        _words("Candidate"), _words("Scores"), _words("Against the baseline"),
        _words("Asymmetry α"), _words("Cost ratio, low : high"),
    )  # fmt: skip
    rows = tuple(
        (
            Cell(_label(index, row["candidate"])),
            Cell(WAYS[str(row["shift"])]),
            Cell(str(row["verdict"])),
            Cell(f"{_plain(row['low'])} to {_plain(row['high'])}"),
            Cell(f"{_ratio(row['low'])} to {_ratio(row['high'])}"),
        )
        for row in records(table)
    )
    level = wording.level(index.results.inference.level)
    caption = f"From the {level} band of the paired difference, which holds at all α at once."
    return Table(id_, caption, columns, rows, is_folded=len(rows) > 8)


def envelope_table(index: Index, table: TableResult, id_: str) -> Table:
    """The cheapest model over each stretch of α, by the estimates alone."""
    columns = (_words("Scores"), _words("Cheapest"), _words("Asymmetry α"),
               _words("Cost ratio, low : high"))  # fmt: skip
    rows = tuple(
        (
            Cell(WAYS[str(row["shift"])]),
            Cell(_label(index, row["model"])),
            Cell(f"{_plain(row['low'])} to {_plain(row['high'])}"),
            Cell(f"{_ratio(row['low'])} to {_ratio(row['high'])}"),
        )
        for row in records(table)
    )
    caption = "The lowest cost over α, as estimated; how sure it is stands in the other tables."
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
            _hull_cell(index, row),
        )
        for row in records(table)
    )
    caption = (
        "Means of a row. A model on the hull of the points is the cheapest at some asymmetry, as "
        "the scores are; one below it never is. Constants are what can be said without a model."
    )
    return Table(id_, caption, columns, rows)


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
        Cell(f"α = {_plain(alpha)} ({wording.ratio(alpha)})", note=f"scores {way}", value=alpha),
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
        return "Costs are the Lin-Lin loss, which is the absolute error at α = 0.5."
    amount = wording.plain_form(total).number(total)
    money = amount if not wording.has_unit(shared.money) else f"{amount} {shared.money}"
    return f"Costs are money: at every α, a unit too low and a unit too high cost {money} together."


def _asymmetry(row: Record) -> Cell:
    alpha = _number(row["alpha"]) or 0.0
    return Cell(f"α = {_plain(alpha)}", note=f"low : high = {wording.ratio(alpha)}", value=alpha)


def _with_bounds(row: Record, key: str, unit: str, *, signed: bool = False) -> Cell:
    value, low, high = (_number(row[name]) for name in (key, f"{key}_low", f"{key}_high"))
    if value is None:
        return Cell(wording.MISSING)
    form = wording.form_of(value, low, high, unit, (0.0,))
    interval = form.interval(low, high, signed=signed or (low or 0.0) < 0)
    note = "" if interval == wording.MISSING else interval
    return Cell(form.number(value, signed=signed), note=note, value=value)


def _held(row: Record) -> str:
    low, high = _number(row["low"]), _number(row["high"])
    if low is None or high is None:
        return "nowhere"
    is_everything = (low, high) == (row["judged_low"], row["judged_high"])
    return "at every α judged" if is_everything else f"{_plain(low)} to {_plain(high)}"


def _hull_cell(index: Index, row: Record) -> Cell:
    """The range over which a model is the cheapest, or which other one is never dearer."""
    low, high = _number(row["best_from"]), _number(row["best_to"])
    share = _number(row["share_on_hull"])
    note = "" if share is None else f"in {wording.percent(share)} of the resamples"
    if low is not None and high is not None:
        return Cell(f"for α {_plain(low)} to {_plain(high)}", note=note)
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


def _alpha(alpha: Scalar) -> Cell:
    value = _number(alpha)
    return Cell(wording.MISSING) if value is None else Cell(
        _plain(value), note=wording.ratio(value), value=value
    )  # fmt: skip


def _plain(alpha: Scalar) -> str:
    value = round(_number(alpha) or 0.0, 3)
    return wording.plain_form(value).number(value)


def _ratio(alpha: Scalar) -> str:
    return wording.ratio(_number(alpha) or 0.0)


def _form(value: Scalar, unit: str) -> str:
    return wording.form_of(_number(value), None, None, unit).number(_number(value))


def _number(value: Scalar) -> Number:
    return float(value) if isinstance(value, int | float) else None


def _words(title: str) -> Column:
    return Column(title, is_numeric=False)


def _numbers(title: str, unit: str = "") -> Column:
    return Column(title, note=unit if wording.has_unit(unit) else "")
