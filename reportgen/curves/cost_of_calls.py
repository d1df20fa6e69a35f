"""What calls cost: along the share called, and by how much each of the two errors matters.

By declared costs the highest scores are called first. For any costs the threshold is either the
best of these rows, or the one that the costs ask for.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from reportgen.curves.gains import held, rarest_cell, shares_called
from reportgen.curves.presentation import FROM_TOP, Presentation
from reportgen.curves.spec import Trace, curve
from reportgen.curves.support import Unseen, rows_beside, unseen_prices
from reportgen.curves.thresholds import (
    calls_from,
    drawn_to,
    rarer_errors,
    shares_of_calls,
    thresholds,
)
from reportgen.kernels.batch import Batch, Matrix, Vector
from reportgen.kernels.cumulative import at_shares, ratio
from reportgen.kernels.cuts import descending
from reportgen.kernels.effective import effective_rows
from reportgen.kernels.isotonic import rising_blocks
from reportgen.kernels.score_cells import ClassWeights, ScoreCells, over_cells
from reportgen.kernels.sums import weighted_sums
from reportgen.metrics.classes.cost_of_calls import ELKAN, by_call
from reportgen.metrics.probability import brier
from reportgen.rows import Classes

PLACES = 101
DRUMMOND = (
    "Drummond & Holte (2006), Cost curves: an improved method for visualizing classifier "
    "performance, Machine Learning 65; doi:10.1007/s10994-006-8199-5"
)
HERNANDEZ = (
    "Hernández-Orallo, Flach & Ferri (2011), Brier curves: a new cost-based visualisation of "
    "classifier performance, ICML"
)


def _cost_trace(rows: Classes, weight: Vector) -> Trace:
    """The curve, what it costs to call nobody, and where it is lowest."""
    grid = shares_called(rows, weight)
    cost = cumulative_cost(rows, Batch.of(weight), grid)[0]
    if not np.isfinite(cost).all():
        return Trace(grid, cost)
    return Trace(grid, cost, marks={"nobody": float(cost[0]), "everybody": float(cost[-1])})


def _unseen_costs(rows: Classes, weight: Vector, grid: Vector) -> Unseen:
    """What the mean cost leaves open to rows like none of these; nan without costs.

    Prices are the mean ones of each class, called and not; of a class that no row has, what all
    rows would cost if they were of it.
    """
    costs, y = rows.calls.costs, rows.y.values > 0
    if costs is None:
        return Unseen(*np.full((3, len(grid)), np.nan))
    share = ratio(weight[y].sum(keepdims=True), weight.sum(keepdims=True))[0]
    caught = held(rows.score, rows, Batch.of(weight), grid)[0] if share > 0 else 0.0 * grid
    cells, prices = [], []
    for of, size, called in ((y, share, share * caught), (~y, 1 - share, grid - share * caught)):
        by_class = by_call(np.full(len(y), of is y, dtype=np.float64), costs)
        own = np.where(of, weight, 0.0) if weight[of].any() else weight
        cells += [called, size - called]
        prices += [ratio(own @ each, own.sum()) for each in by_class]
    fixed = np.repeat(np.asarray(prices)[:, None], len(grid), axis=1)
    return unseen_prices(np.clip(cells, 0.0, 1.0), fixed, effective_rows(weight))


@curve(
    title="Cumulative cost",
    task="binary",
    needs="order",
    x_label="Share of the rows called, from the highest scores down",
    y_label="Mean cost of a row",
    x_unit="share",
    y_unit="cost",
    bounds=(-np.inf, np.inf),
    is_monotone=False,
    cite=ELKAN,
    grid=shares_called,
    trace=_cost_trace,
    thin=rows_beside,
    rarest=rarest_cell,
    unseen=_unseen_costs,
    is_on_request=True,
    shown=Presentation(
        "Cumulative cost: what so many calls cost",
        FROM_TOP,
        "mean cost of a row",
        reading="What a row costs on average if so large a share is called, by the declared costs. "
        "Left nobody is called, right everybody; the lowest point is the number of calls that "
        "costs least on these rows.",
        place=22,
        marks={"nobody": "nobody is called", "everybody": "everybody is called"},
        is_compared=True,
        difference="A difference below zero is a saving.",
        is_better_below=True,
        is_paired=True,
        stretch="shares",
    ),
)
def cumulative_cost(rows: Classes, batch: Batch, grid: Vector) -> Matrix:
    """Mean cost of a row where the rows with the highest scores are called, at each share of them.

    Rows on the edge of a share are called in part. Undefined where no costs are declared.
    """
    costs = rows.calls.costs
    if costs is None:
        return np.full((batch.size, len(grid)), np.nan)
    if_called, if_not = by_call(rows.y.values, costs)
    changed = at_shares(grid, descending(rows), if_called - if_not, batch)
    return ratio(weighted_sums(batch, if_not[:, None]) + changed, batch.totals[:, None])


def _costs_of_errors(rows: Classes, weight: Vector) -> Vector:
    return np.linspace(0.0, 1.0, PLACES)


_BY_COST: dict[str, Any] = {
    "x_unit": "share",
    "y_unit": "1",
    "is_monotone": False,
    "grid": _costs_of_errors,
}
_LINES: dict[str, Any] = {
    **_BY_COST,
    "needs": "order",
    "x_label": "Share of the cost of all errors that missed positives make",
    "y_label": "Cost over that of every row called wrong",
    "bounds": (0.0, 0.5),
    "cite": DRUMMOND,
}
_OF_MISSES = "share that missed positives have in the cost of calling every row wrong"


def _errors_at_best(rows: Classes, weight: Vector, grid: Vector) -> Vector:
    """How many rows the best threshold has wrong in the rarer way, as equally weighted ones."""
    y = rows.y.values > 0
    of_class = effective_rows(weight[y]), effective_rows(weight[~y])

    def fewest(cells: ScoreCells, weights: ClassWeights) -> Matrix:
        upper, lower = rising_blocks(weights)
        missed = ratio(upper, upper.sum(axis=1, keepdims=True))
        alarms = ratio(lower, lower.sum(axis=1, keepdims=True))
        each = []
        for x in grid:
            is_called = (1 - x) * alarms < x * missed
            each.append(np.minimum(of_class[0] * (missed * ~is_called).sum(axis=1),
                                   of_class[1] * (alarms * is_called).sum(axis=1)))  # fmt: skip
        return np.stack(each, axis=1)

    found = over_cells(rows, Batch.of(weight), f"errors at {len(grid)}", fewest)
    return np.asarray(np.nan_to_num(found[0]))


def _line_trace(rows: Classes, weight: Vector) -> Trace:
    grid = _costs_of_errors(rows, weight)
    cost = cost_lines(rows, Batch.of(weight), grid)[0]
    return Trace(grid, cost, marks={"area": float(np.trapezoid(cost, grid))})


@curve(
    title="Cost lines",
    task="binary",
    trace=_line_trace,
    thin=_errors_at_best,
    is_on_request=True,
    shown=Presentation(
        "Cost lines: the least cost at each ratio of the two errors",
        _OF_MISSES,
        "cost, over that of every row called wrong",
        reading="Each threshold is a straight line from its false positive rate, left, to its "
        "false negative rate, right; drawn is the lowest of them at each place, the best threshold "
        "for these rows. One call for all rows costs the smaller of the share and its rest.",
        place=23,
        noted={"area": "area below the curve"},
        is_compared=True,
        difference="A difference below zero is a saving.",
        is_better_below=True,
        is_paired=True,
        has_error_lines=True,
    ),
    **_LINES,
)
def cost_lines(rows: Classes, batch: Batch, grid: Vector) -> Matrix:
    """Least cost over all thresholds, over that of every row called wrong, by what errors cost.

    At x a missed positive, times the share of positives, makes x of that cost, a false alarm the
    rest. Thresholds are the best of the same rows: what a perfect choice of them could reach.
    """

    def lowest(cells: ScoreCells, weights: ClassWeights) -> Matrix:
        upper, lower = rising_blocks(weights)
        totals = upper.sum(axis=1, keepdims=True), lower.sum(axis=1, keepdims=True)
        missed, alarms = ratio(upper, totals[0]), ratio(lower, totals[1])
        # Each block of the rising fit is called where that costs less than to miss it.
        each = [np.minimum(x * missed, (1 - x) * alarms).sum(axis=1) for x in grid]
        return np.stack(each, axis=1)

    return np.maximum(over_cells(rows, batch, f"cost lines at {len(grid)}", lowest), 0.0)


@curve(
    title="Cost of one call for all rows",
    task="binary",
    is_of_target=True,
    has_band=False,
    is_on_request=True,
    shown=Presentation(
        "one call for all rows",
        _OF_MISSES,
        "cost, over that of every row called wrong",
        place=24,
        onto="cost_lines",
    ),
    **_LINES,
)
def cost_of_one_call(rows: Classes, batch: Batch, grid: Vector) -> Matrix:
    """The same where every row is called, or none is, whichever costs less."""
    is_known = np.isfinite(ratio(rows.y.values @ batch.weights, batch.totals))
    return np.where(is_known[:, None], np.minimum(grid, 1 - grid), np.nan)


def _thresholds(rows: Classes, weight: Vector) -> Vector:
    """Both ends, and the thresholds between them."""
    return np.concatenate([[0.0], thresholds(rows, weight), [1.0]])


def _brier_trace(rows: Classes, weight: Vector) -> Trace:
    """The curve, its exact area, which is the Brier score, and how far there is anything to see."""
    grid = _thresholds(rows, weight)
    batch = Batch.of(weight)
    area = ratio(brier(rows.y.values, rows.score.values) @ batch.weights, batch.totals)
    marks = {"area": float(area[0]), **drawn_to(rows, weight, grid)}
    return Trace(grid, brier_curve(rows, batch, grid)[0], marks=marks)


def _unseen_losses(rows: Classes, weight: Vector, grid: Vector) -> Unseen:
    """What the loss leaves open to rows like none of these."""
    nothing = np.zeros(len(grid))
    prices = np.stack([nothing, 2 * grid, 2 * (1 - grid), nothing])
    return unseen_prices(shares_of_calls(rows, weight, grid), prices, effective_rows(weight))


@curve(
    title="Brier curve",
    aliases=("murphy",),
    task="binary",
    needs="probability",
    x_label="Threshold",
    y_label="Mean loss of a row, false alarms at 2 × the threshold, misses at the rest of 2",
    bounds=(0.0, 2.0),
    cite=HERNANDEZ,
    trace=_brier_trace,
    thin=rarer_errors,
    unseen=_unseen_losses,
    is_on_request=True,
    shown=Presentation(
        "Brier curve: the loss where the threshold is what costs ask for",
        "threshold: share that a false alarm has in the costs of both errors",
        "mean loss of a row",
        reading="Each row is called where its probability is at least the threshold. The area "
        "below is the Brier score. A model that lies below another throughout is better whatever "
        "the two errors cost.",
        place=25,
        noted={"area": "area below the curve, its Brier score"},
        is_compared=True,
        difference="A difference below zero is a smaller loss at that threshold.",
        is_better_below=True,
        is_paired=True,
        stretch="thresholds",
    ),
    **{**_BY_COST, "grid": _thresholds},
)
def brier_curve(rows: Classes, batch: Batch, grid: Vector) -> Matrix:
    """Mean loss where a false alarm costs 2t, a missed positive 2 − 2t, calls from t on.

    The Murphy diagram of probabilities. Its area is the Brier score.
    """
    tp, fp, classes = calls_from(rows, batch, grid)
    missed = classes[:, 1:] - tp
    return ratio(2 * (grid * fp + (1 - grid) * missed), batch.totals[:, None])
