"""Precision, recall, F and net benefit by threshold."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from reportgen.kernels.batch import Batch, Matrix, Vector
from reportgen.kernels.columns import kish_effective_rows
from reportgen.kernels.cumulative import divide
from reportgen.kernels.curve_heights import compute_bin_sums
from reportgen.kernels.sums import weighted_sums
from reportgen.metrics.classification.agreement import VICKERS
from reportgen.metrics.classification.confusion import POWERS
from reportgen.metrics.classification.costs import ELKAN, costs_by_flag
from reportgen.metrics.curves.curve import (
    Presentation,
    Trace,
    UnseenRowEffects,
    count_positives,
    count_rows,
    curve,
    estimate_unseen_costs,
)
from reportgen.metrics.rows import Classes

HIGHEST = 99  # hundredths: at a threshold of 1 a false positive would cost without limit
FEWEST_FALSE = 3  # false calls under which nothing is known of what they cost
FLOOR = 0.25  # shares of the positives that the line of flagging everyone goes below zero at most


FINEST = 6  # places after the point at most
STEPS = 90  # between the hundredths at most
FEW_CALLS = 0.05  # of the positives: fewer calls than that leave a curve as if nobody were flagged
DRAWN_TO = "drawn_to"


def probability_threshold_grid(rows: Classes, weight: Vector) -> Vector:
    """Each hundredth between 0 and 1, and finer ones near 0 where positives are rare.

    What matters there happens near the share of positives, s: steps are no larger than s / 5.
    """
    total = float(weight.sum())
    share = float(weight[rows.y.values > 0].sum()) / total if total > 0 else 0.0
    digits = next((d for d in range(2, FINEST) if share >= 5 * 0.1**d), FINEST)
    finer = range(3, digits + 1) if share > 0 else range(0)
    step = -(-45 * len(finer) // STEPS) or 1
    every = {round(k * 0.1**d, d) for d in finer for k in range(1, 50, step)}
    return np.asarray(sorted(every.union(hundredth_grid().tolist())))


def hundredth_grid() -> Vector:
    """0.01 to 0.99."""
    return np.arange(1, HIGHEST + 1) / 100


def find_drawn_limit(rows: Classes, weight: Vector, grid: Vector) -> dict[str, float]:
    """Find the threshold beyond which hardly a row is flagged and nothing more is to be seen.

    False calls count as the odds of the threshold say, both in shares of the positives.
    """
    tp, fp, classes = compute_call_weights(rows, Batch.from_weights(weight), grid)
    calls = (tp + fp * grid / np.maximum(1 - grid, 1 - HIGHEST / 100))[0]
    last = np.flatnonzero(calls > FEW_CALLS * classes[0, 1])
    return {DRAWN_TO: float(grid[min(last[-1] + 1, len(grid) - 1)])} if last.size else {}


def compute_call_weights(
    rows: Classes, batch: Batch, grid: Vector
) -> tuple[Matrix, Matrix, Matrix]:
    """Weights of true and of false calls from each threshold on, (b, g), and of classes, (b, 2).

    Thresholds rise. A row is flagged where its score is at least the threshold.
    """
    score, code = rows.score.values, (rows.y.values > 0).astype(np.intp)
    place = 2 * np.searchsorted(grid, score, side="right") + code
    sums = compute_bin_sums(batch, place, 2 * (len(grid) + 1)).reshape(batch.size, -1, 2)
    above = np.cumsum(sums[:, ::-1], axis=1)[:, ::-1]
    return above[:, 1:, 1], above[:, 1:, 0], above[:, 0]


def compute_net_benefits(rows: Classes, batch: Batch, grid: Vector) -> Matrix:
    """Share of true calls less the odds of the threshold times that of false ones, (b, g)."""
    tp, fp, _ = compute_call_weights(rows, batch, grid)
    return divide(tp - fp * (grid / (1 - grid)), batch.totals[:, None])


def _trace(rows: Classes, weight: Vector) -> Trace:
    """Return the curve with the line of flagging nobody, which is worth nothing."""
    grid = probability_threshold_grid(rows, weight)
    marks = {"nobody": 0.0, **find_drawn_limit(rows, weight, grid)}
    return Trace(grid, compute_net_benefits(rows, Batch.from_weights(weight), grid)[0], marks=marks)


def _trace_of_all(rows: Classes, weight: Vector) -> Trace:
    """Return the line of flagging everybody, as far as it is not far below flagging nobody."""
    grid = probability_threshold_grid(rows, weight)
    value = net_benefit_of_all(rows, Batch.from_weights(weight), grid)[0]
    shown = np.flatnonzero(value >= -FLOOR * value[0])
    return Trace(grid[shown], value[shown])


_net_benefit_curve = partial(
    curve,
    task="binary",
    needs="probability",
    x_label="Threshold",
    y_label="Net benefit of a row",
    x_unit="share",
    y_unit="1",
    bounds=(-np.inf, 1.0),
    is_monotone=False,
    cite=VICKERS,
    grid=probability_threshold_grid,
)


def count_thinner_side(rows: Classes, weight: Vector, grid: Vector) -> Vector:
    """Return how many rows stand on the thinner side of each threshold."""
    scores = np.sort(rows.score.values[weight > 0])
    below = np.searchsorted(scores, grid, side="left")
    return np.asarray(np.minimum(below, len(scores) - below), dtype=np.float64)


def _count_supporting_rows(rows: Classes, weight: Vector, grid: Vector) -> Vector:
    """Count the same, but 0 with under three false flags, which cost more at a high threshold."""
    false = count_errors(rows, weight, grid)[0]
    return np.where(false >= FEWEST_FALSE, count_thinner_side(rows, weight, grid), 0.0)


def count_errors(rows: Classes, weight: Vector, grid: Vector) -> tuple[Vector, Vector]:
    """Count false positives and misses at each threshold, as equally weighted rows."""
    sums, squares = (
        compute_call_weights(rows, Batch.from_weights(each), grid) for each in (weight, weight**2)
    )
    false = divide(sums[1] ** 2, squares[1])[0]
    missed = divide((sums[2][:, 1:] - sums[0]) ** 2, squares[2][:, 1:] - squares[0])[0]
    return np.nan_to_num(false), np.nan_to_num(missed)


def compute_call_shares(rows: Classes, weight: Vector, grid: Vector) -> Matrix:
    """Shares of the rows that are true calls, false ones, missed and let go, (4, g)."""
    tp, fp, classes = compute_call_weights(rows, Batch.from_weights(weight), grid)
    each = np.stack([tp[0], fp[0], classes[0, 1] - tp[0], classes[0, 0] - fp[0]])
    return np.asarray(divide(each, weight.sum(keepdims=True)))


def _unseen(rows: Classes, weight: Vector, grid: Vector) -> UnseenRowEffects:
    """Estimate how rows unlike these could change the net benefit."""
    nothing = np.zeros(len(grid))
    prices = np.stack([np.ones(len(grid)), -grid / (1 - grid), nothing, nothing])
    return estimate_unseen_costs(
        compute_call_shares(rows, weight, grid), prices, kish_effective_rows(weight)
    )


def count_rarer_errors(rows: Classes, weight: Vector, grid: Vector) -> Vector:
    """Return how many rows are wrong in the rarer way at each threshold, as equally weighted ones.

    A loss that hardly any row has so far varies little in resamples, whatever other rows would do.
    """
    return np.minimum(*count_errors(rows, weight, grid))


def count_rarest_calls(rows: Classes, weight: Vector, grid: Vector) -> Vector:
    """Return how many rows are in the rarest cell of the calls from each threshold on, likewise."""
    shares = compute_call_shares(rows, weight, grid)
    tp, fp, missed, _ = shares * kish_effective_rows(weight)
    return np.asarray(np.minimum.reduce([tp, fp, missed]))


@_net_benefit_curve(
    title="Decision curve",
    trace=_trace,
    thin=_count_supporting_rows,
    rarest=count_rarest_calls,
    unseen=_unseen,
    brings=("net_benefit_of_all",),
    shown=Presentation(
        "Decision curve: what flags are worth at each threshold",
        "threshold from which a row is flagged",
        "net benefit of a row",
        reading="True positives of a row less false ones, each of these counted as the threshold's "
        "odds say: at 0.2 one false positive costs a quarter of a true positive. A model is of use "
        "where it lies above flagging nobody and flagging everyone.",
        place=20,
        marks={"nobody": "nobody is flagged"},
        is_compared=True,
        difference="Above zero the candidate's flags are worth more at that threshold.",
        is_paired=True,
        is_detail=True,
        stretch="thresholds",
    ),
)
def decision_curve(rows: Classes, batch: Batch, grid: Vector) -> Matrix:
    """Net benefit of calling from each threshold on: true calls less the odds times false ones.

    A threshold says how many false positives somebody takes for one true positive. Probabilities
    that are too extreme lose here, whatever their order.
    """
    return compute_net_benefits(rows, batch, grid)


@_net_benefit_curve(
    title="Decision curve of flagging everyone",
    is_of_target=True,
    has_band=False,
    trace=_trace_of_all,
    shown=Presentation(
        "everyone is flagged",
        "threshold from which a row is flagged",
        "net benefit of a row",
        place=21,
        onto="decision_curve",
    ),
)
def net_benefit_of_all(rows: Classes, batch: Batch, grid: Vector) -> Matrix:
    """Net benefit of flagging every row, whatever its score."""
    _, _, classes = compute_call_weights(rows, batch, grid)
    share = divide(classes[:, 1:], batch.totals[:, None])
    return np.asarray(share - (1 - share) * grid / (1 - grid))


MOST_SCORES = 199  # that are each a threshold; of more, even steps and hundredths of the weight
SCORE_STEPS, SLACK = 101, 1e-12
_FROM = "threshold from which a row is flagged"


def threshold_grid(rows: Classes, weight: Vector) -> Vector:
    """Return the thresholds of a probability; for a score in its own unit, at most 200 values.

    Where there are more, even steps from the lowest to the highest, and those below which each
    hundredth of the weight lies.
    """
    if not rows.lacks("probability"):
        return probability_threshold_grid(rows, weight)
    held = weight > 0
    score, mass = rows.score.values[held], weight[held]
    distinct, place = np.unique(score, return_inverse=True)
    if len(distinct) <= MOST_SCORES:
        return distinct
    below = np.cumsum(np.bincount(place, mass)) / mass.sum()
    at = np.searchsorted(below, hundredth_grid() * (1 - SLACK))
    return np.union1d(np.linspace(distinct[0], distinct[-1], SCORE_STEPS), distinct[at])


def _count_called_rows(rows: Classes, weight: Vector, grid: Vector) -> Vector:
    """Return how many rows are flagged from each threshold on, as equally weighted ones."""
    tp, fp, _ = compute_call_weights(rows, Batch.from_weights(weight), grid)
    each = (tp + fp)[0]
    return np.asarray(each / max(float(weight.sum()), 1e-300) * kish_effective_rows(weight))


def _register_threshold_curve(
    values: Callable[[Classes, Batch, Vector], Matrix], **about: Any
) -> Any:
    """Build a curve along thresholds, drawn on request, and as far as any row is flagged."""

    def trace(rows: Classes, weight: Vector) -> Trace:
        grid = threshold_grid(rows, weight)
        marks = {} if rows.lacks("probability") else find_drawn_limit(rows, weight, grid)
        return Trace(grid, values(rows, Batch.from_weights(weight), grid)[0], marks=marks)

    return curve(
        task="binary",
        needs="order",
        x_label="Threshold",
        x_unit="1",
        is_monotone=False,
        grid=threshold_grid,
        trace=trace,
        thin=count_thinner_side,
        is_on_request=True,
        **about,
    )(values)


def _register_share_curve(
    title: str, height: str, reading: str, place: int
) -> Callable[[Any], Any]:
    """Build a decorator for the curve of a share of flags along thresholds."""
    of = {"Precision": _count_called_rows, "Recall": count_positives, "Share flagged": count_rows}
    among: dict[str, Any] = {"among": of[title]} if title in of else {}
    shown = Presentation(
        f"{title} at each threshold",
        _FROM,
        height,
        reading=reading,
        place=place,
        is_compared=True,
        difference=f"Above zero the candidate's {height} is higher at that threshold.",
        is_paired=True,
        has_points=True,
    )
    return partial(
        _register_threshold_curve,
        title=f"{title} by threshold",
        y_label=title,
        y_unit="share",
        bounds=(0.0, 1.0),
        cite=POWERS,
        shown=shown,
        **among,
    )


@_register_share_curve(
    "Precision", "precision", "How often a row that is flagged from there on is positive.", 30
)
def precision_by_threshold(rows: Classes, batch: Batch, grid: Vector) -> Matrix:
    """Share of the rows flagged from each threshold on that are positive."""
    tp, fp, _ = compute_call_weights(rows, batch, grid)
    return divide(tp, tp + fp)


@_register_share_curve("Recall", "recall", "How many of the positives are found from there on.", 31)
def recall_by_threshold(rows: Classes, batch: Batch, grid: Vector) -> Matrix:
    """Share of the positive rows that are flagged from each threshold on."""
    tp, _, classes = compute_call_weights(rows, batch, grid)
    return divide(tp, classes[:, 1:])


@_register_share_curve("Share flagged", "share flagged", "How much work the flagged rows make.", 33)
def flagged_by_threshold(rows: Classes, batch: Batch, grid: Vector) -> Matrix:
    """Share of the rows that are flagged from each threshold on."""
    tp, fp, _ = compute_call_weights(rows, batch, grid)
    return divide(tp + fp, batch.totals[:, None])


@_register_share_curve(
    "F", "F", "Precision and recall in one number, both errors counting alike.", 32
)
def f_by_threshold(rows: Classes, batch: Batch, grid: Vector) -> Matrix:
    """F1 of the calls from each threshold on."""
    tp, fp, classes = compute_call_weights(rows, batch, grid)
    return divide(2 * tp, tp + fp + classes[:, 1:])


@partial(
    _register_threshold_curve,
    title="Cost by threshold",
    y_label="Mean cost of a row",
    y_unit="cost",
    bounds=(-np.inf, np.inf),
    cite=ELKAN,
    rarest=count_rarer_errors,
    shown=Presentation(
        "Cost at each threshold",
        _FROM,
        "mean cost of a row",
        reading="What a row costs on average where all from there on are flagged, by the declared "
        "costs.",
        place=34,
        is_compared=True,
        difference="A difference below zero is a saving.",
        is_better_below=True,
        is_paired=True,
        has_points=True,
    ),
)
def cost_by_threshold(rows: Classes, batch: Batch, grid: Vector) -> Matrix:
    """Mean cost of a row, by the declared costs, where rows are flagged from each threshold on.

    Undefined where no costs are declared.
    """
    costs = rows.cell_costs
    if costs is None:
        return np.full((batch.size, len(grid)), np.nan)
    if_called, if_not = costs_by_flag(rows.y.values, costs)
    place = np.searchsorted(grid, rows.score.values, side="right")
    changed = compute_bin_sums(batch, place, len(grid) + 1, if_called - if_not)
    above = np.cumsum(changed[:, ::-1], axis=1)[:, ::-1][:, 1:]
    return divide(weighted_sums(batch, if_not[:, None]) + above, batch.totals[:, None])
