"""The tables of RROC space: where models stand, hybrids of them, and the error split in two."""

from __future__ import annotations

from reportgen import wording
from reportgen.document import Cell, Table
from reportgen.results import TableResult
from reportgen.sections.costs.cells import (
    Record,
    axis_of,
    form,
    label,
    number,
    numbers,
    place,
    records,
    with_bounds,
    words,
)
from reportgen.sections.index import Index


def space_table(index: Index, table: TableResult, id_: str) -> Table:
    """Where models and constants stand in RROC space, and which of them the hull keeps."""
    unit = index.datasets[table.dataset].unit
    columns = (
        words("Model"), numbers("Over-estimation", unit), numbers("Under-estimation", unit),
        numbers("Mean error", unit), words("On the hull"),
    )  # fmt: skip
    rows = tuple(
        (
            Cell(_standing(index, row), note="" if row["kind"] == "model" else str(row["kind"])),
            *(with_bounds(row, key, unit) for key in ("over", "under", "bias")),
            _hull_cell(index, row, axis_of(table)),
        )
        for row in records(table)
    )
    caption = (
        "Means of a row. A model on the hull of the points is the cheapest at some asymmetry, as "
        "the scores are; one below it never is. Constants are what can be said without a model. In "
        "random order a model's scores belong to no row: the mean over all pairs of a score and a "
        "row."
    )
    return Table(id_, caption, columns, rows)


def hybrids_table(index: Index, table: TableResult, id_: str) -> Table:
    """How to mix two neighbours on the hull so that the mixture meets a target."""
    unit, axis = index.datasets[table.dataset].unit, axis_of(table)
    kind = "mean error" if table.params["kind"] == "bias" else "over-estimation a row"
    wanted = wording.form_of(number(table.params["target"]), None, None, unit)
    target = wanted.amount(number(table.params["target"]))
    columns = (
        words("Between"), words(f"Level at {axis.symbol}"), numbers("Over-estimation", unit),
        numbers("Mean error", unit), words(f"Use the first for a {kind} of {target}"),
    )  # fmt: skip
    rows = tuple(
        (
            Cell(f"{label(index, row['first'])} and {label(index, row['second'])}"),
            place(row["alpha"], axis),
            *(
                Cell(" to ".join(form(row[f"{which}_{key}"], unit) for which in
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


def split_table(index: Index, table: TableResult, id_: str) -> Table:
    """Mean squared error = squared mean error + variance; the area is half the variance."""
    unit = table.units[1]
    square = unit if wording.has_unit(unit) else ""
    columns = (
        words("Model"), numbers("Mean squared error", square), numbers("Squared mean error",
        square), numbers("Variance of the error", square), numbers("Area over the RROC curve",
        square),
    )  # fmt: skip
    rows = tuple(
        (
            Cell(label(index, row["model"])),
            with_bounds(row, "mse", square),
            Cell(
                form(row["squared_bias"], square),
                note=f"{wording.percent(number(row['share_of_bias']))} of it",
                value=number(row["squared_bias"]),
            ),
            with_bounds(row, "variance", square),
            with_bounds(row, "aoc", square),
        )
        for row in records(table)
    )
    caption = (
        "The mean squared error is the squared mean error plus the variance. A constant can take "
        "away the first part only; half of the second is the area over the RROC curve."
    )
    return Table(id_, caption, columns, rows)


def _mixture(row: Record) -> Cell:
    share = number(row["share"])
    if share is None:
        return Cell("no mixture meets it")
    low, high = (number(row[f"share_{end}"]) for end in ("low", "high"))
    note = "" if low is None else f"{wording.percent(low)} to {wording.percent(high)}"
    return Cell(f"in {wording.percent(share)} of the rows", note=note, value=share)


def _hull_cell(index: Index, row: Record, axis: wording.Asymmetries) -> Cell:
    """The range over which a model is the cheapest, or which other one is never dearer."""
    low, high = number(row["best_from"]), number(row["best_to"])
    share = number(row["share_on_hull"])
    note = "" if share is None else f"in {wording.percent(share)} of the resamples"
    if low is not None and high is not None:
        return Cell(f"for {axis.symbol} {axis.number(low)} to {axis.number(high)}", note=note)
    if row["dominated_by"]:
        return Cell(f"no; {label(index, row['dominated_by'])} is never dearer", note=note)
    return Cell("no" if row["kind"] == "model" else wording.MISSING, note=note)


def _standing(index: Index, row: Record) -> str:
    if row["kind"] != "constant":
        return label(index, row["model"])
    return {"zero": "zero"}.get(str(row["model"]), f"{row['model']} of the target")
