"""Whether probabilities are right at each height: the rising fit, and shares in bins."""

from __future__ import annotations

import numpy as np

from reportgen.curves.presentation import Presentation
from reportgen.curves.spec import Trace, curve, thinned
from reportgen.kernels.batch import Batch, Matrix, Vector
from reportgen.kernels.cumulative import at_shares, edges_of
from reportgen.kernels.effective import effective_rows
from reportgen.kernels.score_cells import every_score
from reportgen.metrics.classes.calibrated import consistency_band
from reportgen.metrics.classes.corp import CORP, DSC, MCB, UNC, corp_parts
from reportgen.metrics.classes.recalibrated import positives_in, rising, weight_in
from reportgen.metrics.probability import CALSTER
from reportgen.rows import Classes

HEIGHTS = 101


def _heights(rows: Classes, weight: Vector) -> Vector:
    return np.linspace(0.0, 1.0, HEIGHTS)


def _steps(rows: Classes, weight: Vector) -> tuple[Vector, Vector]:
    """Probabilities that weigh something, and the rising fit there."""
    cells = every_score(rows)
    both = weight_in(cells, weight)
    fit, use = rising(positives_in(rows, cells, weight), both), both > 0
    return cells.score[use], fit[use]


def _trace(rows: Classes, weight: Vector) -> Trace:
    if not np.any(weight > 0):
        return Trace(np.empty(0), np.empty(0))
    parts = corp_parts(rows, Batch.of(weight), "brier")[0]
    named = {"miscalibration": MCB, "discrimination": DSC, "uncertainty": UNC}
    marks = {name: float(parts[place]) for name, place in named.items()}
    return Trace(*thinned(*_steps(rows, weight)), marks=marks)


@curve(
    title="Reliability",
    aliases=("calibration", "calibration_curve"),
    task="binary",
    needs="probability",
    x_label="Probability",
    y_label="Share of positives at that probability, by the rising fit",
    x_unit="share",
    y_unit="share",
    bounds=(0.0, 1.0),
    is_monotone=True,
    cite=CORP,
    grid=_heights,
    trace=_trace,
    has_band=False,
    by_chance=consistency_band,
    shown=Presentation(
        "Reliability: what happened at each probability",
        "probability",
        "share of positives",
        reading="The share of positives at each probability, as far as it rises with it. Above the "
        "diagonal more happens than was promised, below it less.",
        place=10,
        has_diagonal=True,
        diagonal="",
        has_equal_axes=True,
        is_apart=True,
    ),
)
def reliability(rows: Classes, batch: Batch, grid: Vector) -> Matrix:
    """Share of positives at each probability, as far as it rises with it: the CORP diagram.

    It needs no bins. The band is where the fit would lie if the probabilities were right.
    """
    values = np.full((batch.size, len(grid)), np.nan)
    for lane, weight in enumerate(batch.weights.T):
        x, fit = _steps(rows, weight)
        if len(x):
            values[lane] = np.interp(grid, x, fit)
    return values


def _mean_probabilities(rows: Classes, weight: Vector, *, bins: int) -> Vector:
    batch = Batch.of(weight)
    if not np.any(weight > 0):
        return np.empty(0)
    sums = np.diff(at_shares(edges_of(bins), rows.score, rows.score.values, batch), axis=1)[0]
    return np.asarray(np.maximum.accumulate(sums * bins / batch.totals))


def _rows_in_bin(rows: Classes, weight: Vector, grid: Vector, *, bins: int) -> Vector:
    return np.full(len(grid), effective_rows(weight) / bins)


@curve(
    title="Reliability in bins",
    task="binary",
    needs="probability",
    x_label="Mean probability of the bin",
    y_label="Share of positives",
    x_unit="share",
    y_unit="share",
    bounds=(0.0, 1.0),
    is_monotone=False,
    cite=CALSTER,
    grid=_mean_probabilities,
    thin=_rows_in_bin,
    among=_rows_in_bin,
    is_on_request=True,
    shown=Presentation(
        "Reliability in bins of equal weight",
        "mean probability of the bin",
        "share of positives",
        reading="Rows by rising probability in bins of equal weight. Above the diagonal "
        "more happens than was promised, below it less.",
        place=11,
        has_diagonal=True,
        diagonal="",
        has_equal_axes=True,
        has_markers=True,
        is_apart=True,
    ),
)
def reliability_bins(rows: Classes, batch: Batch, grid: Vector, *, bins: int = 10) -> Matrix:
    """Share of positives in bins of equal weight by rising probability."""
    sums = np.diff(at_shares(edges_of(bins), rows.score, rows.y.values, batch), axis=1)
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.asarray(sums * bins / batch.totals[:, None])
