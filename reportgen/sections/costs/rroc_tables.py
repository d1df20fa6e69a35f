"""The tables of RROC space: where models stand, hybrids of them, and the error split in two."""

from __future__ import annotations

from reportgen import wording
from reportgen.document import Cell, Table
from reportgen.results import CostAnalysis, Mixture, RrocPoint
from reportgen.sections.costs.cells import (
    axis_of,
    form,
    label,
    numbers,
    place,
    with_limits,
    words,
)
from reportgen.sections.index import Index


def space_table(index: Index, costs: CostAnalysis, id_: str) -> Table:
    """Where models and constants stand in RROC space, and which of them the hull keeps."""
    unit, axis = index.datasets[costs.dataset].unit, axis_of(index, costs.dataset)
    columns = (
        words("Model"), numbers("Over-estimation", unit), numbers("Under-estimation", unit),
        numbers("Mean error", unit), words("On the hull"),
    )  # fmt: skip
    rows = tuple(
        (
            Cell(_standing(index, point), note="" if point.kind == "model" else point.kind),
            *(with_limits(found, unit) for found in (point.over, point.under, point.bias)),
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


def mixtures_table(index: Index, costs: CostAnalysis, id_: str) -> Table:
    """How to mix two neighbours on the hull so that the mixture meets a target."""
    unit, axis = index.datasets[costs.dataset].unit, axis_of(index, costs.dataset)
    first = costs.mixtures[0]
    kind = "mean error" if first.quantity == "bias" else "over-estimation a row"
    target = wording.form_of(first.target, None, None, unit).amount(first.target)
    columns = (
        words("Between"), words(f"Level at {axis.symbol}"), numbers("Over-estimation", unit),
        numbers("Mean error", unit), words(f"Use the first for a {kind} of {target}"),
    )  # fmt: skip
    rows = tuple(
        (
            Cell(f"{label(index, each.first)} and {label(index, each.second)}"),
            place(each.asymmetry, axis),
            Cell(f"{form(each.first_over, unit)} to {form(each.second_over, unit)}"),
            Cell(f"{form(each.first_bias, unit)} to {form(each.second_bias, unit)}"),
            _mixture(each),
        )
        for each in costs.mixtures
    )
    caption = (
        "Neighbours on the hull, mixed: a coin decides for each row whose score is used. At the "
        f"{axis.symbol} named, both and every mixture cost the same; at any other one of the two "
        "costs less than a mixture. So mix only to meet a target that is no cost."
    )
    return Table(id_, caption, columns, rows)


def split_table(index: Index, costs: CostAnalysis, id_: str) -> Table:
    """Mean squared error = squared mean error + variance; the area is half the variance."""
    unit = costs.decompositions[0].unit
    square = unit if wording.has_unit(unit) else ""
    columns = (
        words("Model"), numbers("Mean squared error", square), numbers("Squared mean error",
        square), numbers("Variance of the error", square), numbers("Area over the RROC curve",
        square),
    )  # fmt: skip
    rows = tuple(
        (
            Cell(label(index, each.model)),
            with_limits(each.mse, square),
            Cell(
                form(each.squared_bias, square),
                note=f"{wording.percent(each.share_of_bias)} of it",
                value=each.squared_bias,
            ),
            with_limits(each.variance, square),
            with_limits(each.aoc, square),
        )
        for each in costs.decompositions
    )
    caption = (
        "The mean squared error is the squared mean error plus the variance. A constant can take "
        "away the first part only; half of the second is the area over the RROC curve."
    )
    return Table(id_, caption, columns, rows)


def _mixture(found: Mixture) -> Cell:
    share, low = found.share.value, found.share.low
    if share is None:
        return Cell("no mixture meets it")
    ends = f"{wording.percent(low)} to {wording.percent(found.share.high)}"
    note = "" if low is None else ends
    return Cell(f"in {wording.percent(share)} of the rows", note=note, value=share)


def _hull_cell(index: Index, point: RrocPoint, axis: wording.Asymmetries) -> Cell:
    """The range over which a model is the cheapest, or which other one is never dearer."""
    low, high, share = point.best_from, point.best_to, point.share_on_hull
    note = "" if share is None else f"in {wording.percent(share)} of the resamples"
    if low is not None and high is not None:
        return Cell(f"for {axis.symbol} {axis.number(low)} to {axis.number(high)}", note=note)
    if point.dominated_by is not None:
        return Cell(f"no; {label(index, point.dominated_by)} is never dearer", note=note)
    return Cell("no" if point.kind == "model" else wording.MISSING, note=note)


def _standing(index: Index, point: RrocPoint) -> str:
    if point.kind != "constant":
        return label(index, point.name)
    return point.name if point.name == "zero" else f"{point.name} of the target"
