"""Cost curves of calls, and precision by prevalence."""

from __future__ import annotations

from functools import partial
from typing import NamedTuple

import numpy as np

from reportgen.kernels.batch import Batch, Matrix, Vector
from reportgen.kernels.calibration_fits import fit_isotonic_blocks
from reportgen.kernels.columns import kish_effective_rows
from reportgen.kernels.cumulative import cumulate_to_shares, divide
from reportgen.kernels.score_cells import ClassWeights, ScoreCells, compute_over_cells
from reportgen.kernels.sums import weighted_sums
from reportgen.kernels.thresholds import (
    FN,
    FP,
    TN,
    TP,
    DecisionRule,
    Threshold,
    compute_confusion_shares,
    sort_descending,
)
from reportgen.metrics.classification.confusion import POWERS, THRESHOLD, find_threshold_needs
from reportgen.metrics.classification.costs import ELKAN, costs_by_flag
from reportgen.metrics.classification.probability import brier
from reportgen.metrics.curves.curve import (
    FROM_TOP,
    Presentation,
    Trace,
    UnseenRowEffects,
    count_thinner_rows,
    curve,
    estimate_unseen_costs,
)
from reportgen.metrics.curves.lift import compute_captured_share, count_rarest_cell, share_grid
from reportgen.metrics.curves.thresholds import (
    compute_call_shares,
    compute_call_weights,
    count_rarer_errors,
    find_drawn_limit,
    probability_threshold_grid,
)
from reportgen.metrics.rows import Classes

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
    """Return the curve, with what it costs to flag nobody and to flag everybody."""
    grid = share_grid(rows, weight)
    cost = cumulative_cost(rows, Batch.from_weights(weight), grid)[0]
    if not np.isfinite(cost).all():
        return Trace(grid, cost)
    return Trace(grid, cost, marks={"nobody": float(cost[0]), "everybody": float(cost[-1])})


def _unseen_costs(rows: Classes, weight: Vector, grid: Vector) -> UnseenRowEffects:
    """Estimate how rows unlike these could change the mean cost; nan without costs.

    Prices are the mean ones of each class, called and not; of a class that no row has, what all
    rows would cost if they were of it.
    """
    costs, y = rows.cell_costs, rows.y.values > 0
    if costs is None:
        return UnseenRowEffects(*np.full((3, len(grid)), np.nan))
    share = divide(weight[y].sum(keepdims=True), weight.sum(keepdims=True))[0]
    caught = (
        compute_captured_share(rows.score, rows, Batch.from_weights(weight), grid)[0]
        if share > 0
        else 0.0 * grid
    )
    cells, prices = [], []
    for of, size, called in ((y, share, share * caught), (~y, 1 - share, grid - share * caught)):
        by_class = costs_by_flag(np.full(len(y), of is y, dtype=np.float64), costs)
        own = np.where(of, weight, 0.0) if weight[of].any() else weight
        cells += [called, size - called]
        prices += [divide(own @ each, own.sum()) for each in by_class]
    fixed = np.repeat(np.asarray(prices)[:, None], len(grid), axis=1)
    return estimate_unseen_costs(np.clip(cells, 0.0, 1.0), fixed, kish_effective_rows(weight))


_cost_curve = partial(curve, task="binary", x_unit="share", is_monotone=False, is_on_request=True)


@_cost_curve(
    title="Cumulative cost",
    needs="order",
    x_label="Share of the rows flagged, from the highest scores down",
    y_label="Mean cost of a row",
    y_unit="cost",
    bounds=(-np.inf, np.inf),
    cite=ELKAN,
    grid=share_grid,
    trace=_cost_trace,
    thin=count_thinner_rows,
    rarest=count_rarest_cell,
    unseen=_unseen_costs,
    shown=Presentation(
        "Cumulative cost: what so many flagged rows cost",
        FROM_TOP,
        "mean cost of a row",
        reading="What a row costs on average if so large a share is flagged, by the declared "
        "costs. Left nobody is flagged, right everyone; the lowest point is the number of flagged "
        "rows that costs least on these rows.",
        place=22,
        marks={"nobody": "nobody is flagged", "everybody": "everyone is flagged"},
        is_compared=True,
        difference="A difference below zero is a saving.",
        is_better_below=True,
        is_paired=True,
        stretch="shares",
    ),
)
def cumulative_cost(rows: Classes, batch: Batch, grid: Vector) -> Matrix:
    """Mean cost of a row where the rows with the highest scores are flagged, at each share of them.

    Rows on the edge of a share are flagged in part. Undefined where no costs are declared.
    """
    costs = rows.cell_costs
    if costs is None:
        return np.full((batch.size, len(grid)), np.nan)
    if_called, if_not = costs_by_flag(rows.y.values, costs)
    changed = cumulate_to_shares(grid, sort_descending(rows), if_called - if_not, batch)
    return divide(weighted_sums(batch, if_not[:, None]) + changed, batch.totals[:, None])


def _costs_of_errors(rows: Classes, weight: Vector) -> Vector:
    return np.linspace(0.0, 1.0, PLACES)


_cost_line = partial(
    _cost_curve,
    needs="order",
    x_label="Share of the cost of all errors that missed positives make",
    y_label="Cost over that of every row classified wrongly",
    y_unit="1",
    bounds=(0.0, 0.5),
    cite=DRUMMOND,
    grid=_costs_of_errors,
)
_OF_MISSES = "share that missed positives have in the cost of classifying every row wrongly"


def _count_errors_at_best(rows: Classes, weight: Vector, grid: Vector) -> Vector:
    """Count the best threshold's errors of the rarer kind, as equally weighted rows."""
    y = rows.y.values > 0
    of_class = kish_effective_rows(weight[y]), kish_effective_rows(weight[~y])

    def fewest(cells: ScoreCells, weights: ClassWeights) -> Matrix:
        upper, lower = fit_isotonic_blocks(weights)
        missed = divide(upper, upper.sum(axis=1, keepdims=True))
        alarms = divide(lower, lower.sum(axis=1, keepdims=True))
        each = []
        for x in grid:
            is_called = (1 - x) * alarms < x * missed
            each.append(
                np.minimum(
                    of_class[0] * (missed * ~is_called).sum(axis=1),
                    of_class[1] * (alarms * is_called).sum(axis=1),
                )
            )
        return np.stack(each, axis=1)

    found = compute_over_cells(rows, Batch.from_weights(weight), f"errors at {len(grid)}", fewest)
    return np.asarray(np.nan_to_num(found[0]))


def _line_trace(rows: Classes, weight: Vector) -> Trace:
    grid = _costs_of_errors(rows, weight)
    cost = cost_lines(rows, Batch.from_weights(weight), grid)[0]
    return Trace(grid, cost, marks={"area": float(np.trapezoid(cost, grid))})


@_cost_line(
    title="Cost lines",
    trace=_line_trace,
    thin=_count_errors_at_best,
    shown=Presentation(
        "Cost lines: the least cost at each ratio of the two errors",
        _OF_MISSES,
        "cost, over that of every row classified wrongly",
        reading="Each threshold is a straight line from its false positive rate, left, to its "
        "false negative rate, right; drawn is the lowest of them at each place, the best threshold "
        "for these rows. The same decision for all rows costs the smaller of the share and its "
        "rest.",
        place=23,
        noted={"area": "area below the curve"},
        is_compared=True,
        difference="A difference below zero is a saving.",
        is_better_below=True,
        is_paired=True,
        has_error_lines=True,
    ),
)
def cost_lines(rows: Classes, batch: Batch, grid: Vector) -> Matrix:
    """Least cost over all thresholds, over that of only wrong decisions, by what errors cost.

    At x a missed positive, times the share of positives, makes x of that cost, a false positive the
    rest. Thresholds are the best of the same rows: what a perfect choice of them could reach.
    """

    def lowest(cells: ScoreCells, weights: ClassWeights) -> Matrix:
        upper, lower = fit_isotonic_blocks(weights)
        totals = upper.sum(axis=1, keepdims=True), lower.sum(axis=1, keepdims=True)
        missed, alarms = divide(upper, totals[0]), divide(lower, totals[1])
        # Each block of the rising fit is flagged where that costs less than to miss it.
        each = [np.minimum(x * missed, (1 - x) * alarms).sum(axis=1) for x in grid]
        return np.stack(each, axis=1)

    return np.maximum(compute_over_cells(rows, batch, f"cost lines at {len(grid)}", lowest), 0.0)


@_cost_line(
    title="Cost of the same decision for all rows",
    is_of_target=True,
    has_band=False,
    shown=Presentation(
        "the same decision for all rows",
        _OF_MISSES,
        "cost, over that of every row classified wrongly",
        place=24,
        onto="cost_lines",
    ),
)
def cost_of_one_call(rows: Classes, batch: Batch, grid: Vector) -> Matrix:
    """The same where every row is flagged, or none is, whichever costs less."""  # noqa: D401
    is_known = np.isfinite(divide(rows.y.values @ batch.weights, batch.totals))
    return np.where(is_known[:, None], np.minimum(grid, 1 - grid), np.nan)


def _thresholds(rows: Classes, weight: Vector) -> Vector:
    """Both ends, and the thresholds between them."""
    return np.concatenate([[0.0], probability_threshold_grid(rows, weight), [1.0]])


def _brier_trace(rows: Classes, weight: Vector) -> Trace:
    """Return the curve, its exact area (the Brier score), and how far there is anything to see."""
    grid = _thresholds(rows, weight)
    batch = Batch.from_weights(weight)
    area = divide(brier(rows.y.values, rows.score.values) @ batch.weights, batch.totals)
    marks = {"area": float(area[0]), **find_drawn_limit(rows, weight, grid)}
    return Trace(grid, brier_curve(rows, batch, grid)[0], marks=marks)


def _unseen_losses(rows: Classes, weight: Vector, grid: Vector) -> UnseenRowEffects:
    """Estimate how rows unlike these could change the loss."""
    nothing = np.zeros(len(grid))
    prices = np.stack([nothing, 2 * grid, 2 * (1 - grid), nothing])
    return estimate_unseen_costs(
        compute_call_shares(rows, weight, grid), prices, kish_effective_rows(weight)
    )


@_cost_curve(
    title="Brier curve",
    aliases=("murphy",),
    needs="probability",
    x_label="Threshold",
    y_label="Mean loss of a row, false positives at 2 × the threshold, misses at the rest of 2",
    y_unit="1",
    bounds=(0.0, 2.0),
    cite=HERNANDEZ,
    grid=_thresholds,
    trace=_brier_trace,
    thin=count_rarer_errors,
    unseen=_unseen_losses,
    shown=Presentation(
        "Brier curve: the loss where the threshold is what costs ask for",
        "threshold: share that a false positive has in the costs of both errors",
        "mean loss of a row",
        reading="Each row is flagged where its probability is at least the threshold. The area "
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
)
def brier_curve(rows: Classes, batch: Batch, grid: Vector) -> Matrix:
    """Mean loss where a false positive costs 2t, a missed positive 2 − 2t, calls from t on.

    The Murphy diagram of probabilities. Its area is the Brier score.
    """
    tp, fp, classes = compute_call_weights(rows, batch, grid)
    missed = classes[:, 1:] - tp
    return divide(2 * (grid * fp + (1 - grid) * missed), batch.totals[:, None])


SIMEL = (
    "Simel, Samsa & Matchar (1991), Likelihood ratios with confidence: sample size estimation for "
    "diagnostic test studies, Journal of Clinical Epidemiology 44; "
    "doi:10.1016/0895-4356(91)90128-V"
)
RAREST, MOST_FREQUENT, PREVALENCES = 0.001, 0.9, 120
HALF = 0.5  # rows that are added to each cell before the ratio of two shares is judged


class _CallCounts(NamedTuple):
    """Numbers of equally weighted rows that are flagged rightly and wrongly, and of each class."""

    caught: float
    alarms: float
    positives: float
    negatives: float


def _prevalences(rows: Classes, weight: Vector, *, at: str) -> Vector:
    """Shares of positives, evenly spaced on a scale of logs."""
    return np.geomspace(RAREST, MOST_FREQUENT, PREVALENCES)


def _select_cutoff(rows: Classes, at: str) -> DecisionRule:
    return rows.find_rule(at) if at else Threshold(THRESHOLD)


def _count_calls(rows: Classes, weight: Vector, at: str) -> _CallCounts:
    table = compute_confusion_shares(_select_cutoff(rows, at), rows, Batch.from_weights(weight))[0]
    of_class = [
        kish_effective_rows(weight[(rows.y.values > 0) == upper]) for upper in (True, False)
    ]
    sizes = np.array([table[TP] + table[FN], table[FP] + table[TN]])
    each = np.nan_to_num(divide(table[[TP, FP]], sizes)) * of_class
    return _CallCounts(float(each[0]), float(each[1]), *of_class)


def _count_rarer_calls(rows: Classes, weight: Vector, grid: Vector, *, at: str) -> Vector:
    """Return how many rows are found or false positives, whichever are fewer, at every place.

    Of two false positives nobody knows how rare they are, and with none every flag would be right.
    """
    calls = _count_calls(rows, weight, at)
    return np.full(len(grid), min(calls.caught, calls.alarms))


def _count_equivalent_rows(rows: Classes, weight: Vector, grid: Vector, *, at: str) -> Vector:
    """Count the rows on which a share would be as sure as this precision, by its log odds.

    These are the log odds of the prevalence and log (recall / false positive rate), whose variance
    is 1/TP − 1/P + 1/FP − 1/N (Simel, Samsa and Matchar 1991).
    """
    calls = _count_calls(rows, weight, at)
    caught, alarms = calls.caught + HALF, calls.alarms + HALF
    positives, negatives = calls.positives + 2 * HALF, calls.negatives + 2 * HALF
    variance = 1 / caught - 1 / positives + 1 / alarms - 1 / negatives
    share = _compute_precision(caught / positives, alarms / negatives, grid)
    return np.asarray(1 / (max(variance, 1e-300) * share * (1 - share)))


def _compute_precision(recall: float, false: float, grid: Vector) -> Vector:
    right = grid * recall
    return np.asarray(right / (right + (1 - grid) * false))


def _trace(rows: Classes, weight: Vector, *, at: str) -> Trace:
    """Return the curve, and the share of positives among the rows at hand."""
    grid = _prevalences(rows, weight, at=at)
    held = divide(rows.y.values @ weight[:, None], weight.sum(keepdims=True))
    y = precision_by_prevalence(rows, Batch.from_weights(weight), grid, at=at)[0]
    return Trace(grid, y, marks={"held": float(held[0])})


@_cost_curve(
    title="Precision by prevalence",
    needs="call",
    x_label="Share of positives",
    y_label="Precision",
    y_unit="share",
    bounds=(0.0, 1.0),
    is_monotone=True,
    cite=f"{POWERS}; {SIMEL}",
    fields_for=lambda at: {"needs": find_threshold_needs(at)},
    grid=_prevalences,
    trace=_trace,
    thin=_count_rarer_calls,
    among=_count_equivalent_rows,
    rarest=_count_rarer_calls,
    undefined="no row is flagged, or all are of one class",
    shown=Presentation(
        "Precision of the flagged rows {point}, where more or fewer are positive",
        "share of positives",
        "precision",
        reading="How often a flagged row is positive where so large a share is, with recall and "
        "the false positive rate as on these rows. The rarer the positives, the more of the "
        "flagged rows are false positives, whatever the model.",
        place=35,
        noted={"held": "share of positives on these rows"},
        x_scale="log",
        is_compared=True,
        difference="Above zero more of the candidate's flagged rows are positive.",
        is_paired=True,
    ),
)
def precision_by_prevalence(rows: Classes, batch: Batch, grid: Vector, *, at: str = "") -> Matrix:
    """Precision of the calls at an operating point, by what share of the rows is positive.

    Recall and the false positive rate are those on these rows, which other shares of the classes
    leave as they are as long as each class looks the same. Undefined where no row is flagged or all
    are of one class.
    """
    table = compute_confusion_shares(_select_cutoff(rows, at), rows, batch)
    recall = divide(table[:, [TP]], table[:, [TP]] + table[:, [FN]])
    false = divide(table[:, [FP]], table[:, [FP]] + table[:, [TN]])
    return divide(grid * recall, grid * recall + (1 - grid) * false)
