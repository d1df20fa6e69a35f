"""What calls of probabilities are worth from each threshold on."""

from __future__ import annotations

from typing import Any

import numpy as np

from reportgen.curves.presentation import Presentation
from reportgen.curves.spec import Trace, curve
from reportgen.curves.support import Unseen, unseen_prices
from reportgen.kernels.batch import Batch, Matrix, Vector
from reportgen.kernels.cumulative import ratio
from reportgen.kernels.effective import effective_rows
from reportgen.kernels.walks import sums_by_bin
from reportgen.metrics.agreement import VICKERS
from reportgen.rows import Classes

HIGHEST = 99  # hundredths: at a threshold of 1 a false alarm would cost without limit
FEWEST_FALSE = 3  # false calls under which nothing is known of what they cost
FLOOR = 0.25  # shares of the positives that the line of calling everybody goes below zero at most


FINEST = 6  # places after the point at most
STEPS = 90  # between the hundredths at most
FEW_CALLS = 0.05  # of the positives: fewer calls than that leave a curve as if nobody were called
DRAWN_TO = "drawn_to"


def thresholds(rows: Classes, weight: Vector) -> Vector:
    """Each hundredth between 0 and 1, and finer ones near 0 where positives are rare.

    What matters there happens near the share of positives, s: steps are no larger than s / 5.
    """
    total = float(weight.sum())
    share = float(weight[rows.y.values > 0].sum()) / total if total > 0 else 0.0
    digits = next((d for d in range(2, FINEST) if share >= 5 * 0.1**d), FINEST)
    finer = range(3, digits + 1) if share > 0 else range(0)
    step = -(-45 * len(finer) // STEPS) or 1
    every = {round(k * 0.1**d, d) for d in finer for k in range(1, 50, step)}
    return np.asarray(sorted(every.union(hundredths().tolist())))


def hundredths() -> Vector:
    """0.01 to 0.99."""
    return np.arange(1, HIGHEST + 1) / 100


def drawn_to(rows: Classes, weight: Vector, grid: Vector) -> dict[str, float]:
    """The threshold beyond which hardly a row is called: there is nothing more to see.

    False calls count as the odds of the threshold say, both in shares of the positives.
    """
    tp, fp, classes = calls_from(rows, Batch.of(weight), grid)
    calls = (tp + fp * grid / np.maximum(1 - grid, 1 - HIGHEST / 100))[0]
    last = np.flatnonzero(calls > FEW_CALLS * classes[0, 1])
    return {DRAWN_TO: float(grid[min(last[-1] + 1, len(grid) - 1)])} if last.size else {}


def calls_from(rows: Classes, batch: Batch, grid: Vector) -> tuple[Matrix, Matrix, Matrix]:
    """Weights of true and of false calls from each threshold on, (b, g), and of classes, (b, 2).

    Thresholds rise. A row is called where its score is at least the threshold.
    """
    score, code = rows.score.values, (rows.y.values > 0).astype(np.intp)
    place = 2 * np.searchsorted(grid, score, side="right") + code
    sums = sums_by_bin(batch, place, 2 * (len(grid) + 1)).reshape(batch.size, -1, 2)
    above = np.cumsum(sums[:, ::-1], axis=1)[:, ::-1]
    return above[:, 1:, 1], above[:, 1:, 0], above[:, 0]


def net_benefits(rows: Classes, batch: Batch, grid: Vector) -> Matrix:
    """Share of true calls less the odds of the threshold times that of false ones, (b, g)."""
    tp, fp, _ = calls_from(rows, batch, grid)
    return ratio(tp - fp * (grid / (1 - grid)), batch.totals[:, None])


def _trace(rows: Classes, weight: Vector) -> Trace:
    """The curve with the line of calling nobody, which is worth nothing."""
    grid = thresholds(rows, weight)
    marks = {"nobody": 0.0, **drawn_to(rows, weight, grid)}
    return Trace(grid, net_benefits(rows, Batch.of(weight), grid)[0], marks=marks)


def _trace_of_all(rows: Classes, weight: Vector) -> Trace:
    """The line of calling everybody as far as it is not far below that of calling nobody."""
    grid = thresholds(rows, weight)
    value = net_benefit_of_all(rows, Batch.of(weight), grid)[0]
    shown = np.flatnonzero(value >= -FLOOR * value[0])
    return Trace(grid[shown], value[shown])


_SHARED: dict[str, Any] = {
    "task": "binary",
    "needs": "probability",
    "x_label": "Threshold",
    "x_unit": "share",
    "is_monotone": False,
    "grid": thresholds,
}
_BENEFIT = {
    **_SHARED,
    "y_label": "Net benefit of a row",
    "y_unit": "1",
    "bounds": (-np.inf, 1.0),
    "cite": VICKERS,
}


def fewer(rows: Classes, weight: Vector, grid: Vector) -> Vector:
    """How many rows stand on the thinner side of each threshold."""
    scores = np.sort(rows.score.values[weight > 0])
    below = np.searchsorted(scores, grid, side="left")
    return np.asarray(np.minimum(below, len(scores) - below), dtype=np.float64)


def _fewer_if_false(rows: Classes, weight: Vector, grid: Vector) -> Vector:
    """The same, and 0 with under three false calls, which cost the more the higher it is."""
    false = errors_at(rows, weight, grid)[0]
    return np.where(false >= FEWEST_FALSE, fewer(rows, weight, grid), 0.0)


def errors_at(rows: Classes, weight: Vector, grid: Vector) -> tuple[Vector, Vector]:
    """How many rows are falsely called and missed at each threshold, as equally weighted ones."""
    sums, squares = (calls_from(rows, Batch.of(each), grid) for each in (weight, weight**2))
    false = ratio(sums[1] ** 2, squares[1])[0]
    missed = ratio((sums[2][:, 1:] - sums[0]) ** 2, squares[2][:, 1:] - squares[0])[0]
    return np.nan_to_num(false), np.nan_to_num(missed)


def shares_of_calls(rows: Classes, weight: Vector, grid: Vector) -> Matrix:
    """Shares of the rows that are true calls, false ones, missed and let go, (4, g)."""
    tp, fp, classes = calls_from(rows, Batch.of(weight), grid)
    each = np.stack([tp[0], fp[0], classes[0, 1] - tp[0], classes[0, 0] - fp[0]])
    return np.asarray(ratio(each, weight.sum(keepdims=True)))


def _unseen(rows: Classes, weight: Vector, grid: Vector) -> Unseen:
    """What the net benefit leaves open to rows like none of these."""
    nothing = np.zeros(len(grid))
    prices = np.stack([np.ones(len(grid)), -grid / (1 - grid), nothing, nothing])
    return unseen_prices(shares_of_calls(rows, weight, grid), prices, effective_rows(weight))


def rarer_errors(rows: Classes, weight: Vector, grid: Vector) -> Vector:
    """How many rows are wrong in the rarer way at each threshold, as equally weighted ones.

    A loss that hardly any row has so far varies little in resamples, whatever other rows would do.
    """
    return np.minimum(*errors_at(rows, weight, grid))


def rarest_calls(rows: Classes, weight: Vector, grid: Vector) -> Vector:
    """How many rows are in the rarest cell of the calls from each threshold on, likewise."""
    shares = shares_of_calls(rows, weight, grid)
    tp, fp, missed, _ = shares * effective_rows(weight)
    return np.asarray(np.minimum.reduce([tp, fp, missed]))


@curve(
    title="Decision curve",
    trace=_trace,
    thin=_fewer_if_false,
    rarest=rarest_calls,
    unseen=_unseen,
    brings=("net_benefit_of_all",),
    shown=Presentation(
        "Decision curve: what calls are worth at each threshold",
        "threshold from which a row is called",
        "net benefit of a row",
        reading="True calls of a row less false ones, each of these counted as the threshold's "
        "odds say: at 0.2 one false alarm costs a quarter of a true call. A model is of use where "
        "it lies above calling nobody and calling everybody.",
        place=20,
        marks={"nobody": "nobody is called"},
        is_compared=True,
        difference="Above zero the candidate's calls are worth more at that threshold.",
        is_paired=True,
        is_detail=True,
        stretch="thresholds",
    ),
    **_BENEFIT,
)
def decision_curve(rows: Classes, batch: Batch, grid: Vector) -> Matrix:
    """Net benefit of calling from each threshold on: true calls less the odds times false ones.

    A threshold says how many false alarms somebody takes for one true call. Probabilities that are
    too extreme lose here, whatever their order.
    """
    return net_benefits(rows, batch, grid)


@curve(
    title="Decision curve of calling everybody",
    is_of_target=True,
    has_band=False,
    trace=_trace_of_all,
    shown=Presentation(
        "everybody is called",
        "threshold from which a row is called",
        "net benefit of a row",
        place=21,
        onto="decision_curve",
    ),
    **_BENEFIT,
)
def net_benefit_of_all(rows: Classes, batch: Batch, grid: Vector) -> Matrix:
    """Net benefit of calling every row, whatever its score."""
    _, _, classes = calls_from(rows, batch, grid)
    share = ratio(classes[:, 1:], batch.totals[:, None])
    return np.asarray(share - (1 - share) * grid / (1 - grid))
