"""Whether scores are right as means: the rising fit of y on them, and losses of every kind."""

from __future__ import annotations

from dataclasses import asdict

import numpy as np

from reportgen.curves.presentation import Presentation
from reportgen.curves.spec import Trace, curve, thinned
from reportgen.kernels.batch import Batch, Column, Matrix, Vector
from reportgen.kernels.cumulative import ratio, weight_up_to
from reportgen.kernels.isotonic import rising_fit, rising_fits
from reportgen.kernels.walks import sums_by_bin
from reportgen.metrics.calibration import CORP, parts_of
from reportgen.rows import Amounts

EHM = (
    "Ehm, Gneiting, Jordan & Krüger (2016), Of quantiles and expectiles: consistent scoring "
    "functions, Choquet representations and forecast rankings, Journal of the Royal Statistical "
    "Society B 78; doi:10.1111/rssb.12154"
)
ENDS = 0.05  # share of the weight at each end of y where a threshold has no limits
PLACES = 100  # positions by shares of the weight, and as many again at even distances


def even_quantiles(column: Column, weight: Vector) -> Vector:
    """Values that share the weight evenly, the lowest and the highest among them; rising."""
    up = weight_up_to(Batch.of(weight), column)[1:, 0]
    if not len(up) or up[-1] <= 0:
        return np.empty(0)
    shares = np.linspace(0.0, 1.0, PLACES) * (1 - 1e-12)
    first = np.searchsorted(up, 0.0, side="right")
    reached = np.maximum(np.searchsorted(up, shares * up[-1]), first)
    return np.asarray(column.values[column.order][column.is_last][np.unique(reached)])


def _scores(rows: Amounts, weight: Vector) -> Vector:
    return even_quantiles(rows.score, weight)


def _rows_beside(rows: Amounts, weight: Vector, grid: Vector) -> Vector:
    """Rows up to each score, or from it on, whichever are fewer."""
    values = np.sort(rows.score.values[weight > 0])
    up_to = np.searchsorted(values, grid, side="right")
    return np.minimum(up_to, len(values) - np.searchsorted(values, grid, side="left")).astype(float)


def _calibration_trace(rows: Amounts, weight: Vector) -> Trace:
    if not np.any(weight > 0):
        return Trace(np.empty(0), np.empty(0))
    fit = rising_fit(rows, weight)
    return Trace(*thinned(fit.score, fit.fit), marks=asdict(parts_of(rows, weight)))


@curve(
    title="Calibration",
    task="regression",
    needs="amount",
    x_label="Score",
    y_label="Mean y at that score, by the rising fit",
    x_unit="y",
    y_unit="y",
    bounds=(-np.inf, np.inf),
    is_monotone=True,
    cite=CORP,
    grid=_scores,
    trace=_calibration_trace,
    thin=_rows_beside,
    is_level_of_y=True,
    is_on_request=True,
    shown=Presentation(
        topic="ranking",
        place=30,
        title="Calibration",
        x_label="score{unit}",
        y_label="mean {target} at that score{unit}",
        reading="The mean of {target} at each score, as far as it rises with the score. Above the "
        "diagonal scores are too low, below it too high. The mean squared error is "
        "miscalibration (what better calibrated scores would save) less discrimination (what "
        "their order saves) plus uncertainty; on few rows the first two are too large.",
        noted={
            "miscalibration": "miscalibration",
            "discrimination": "discrimination",
            "uncertainty": "uncertainty",
        },
        has_diagonal=True,
        has_equal_axes=True,
    ),
)
def calibration(rows: Amounts, batch: Batch, grid: Vector) -> Matrix:
    """Mean of y at each score, as far as it rises with the score: on the diagonal if right.

    The rising (isotonic) fit needs no bins. Beside it stand the parts of the mean squared error:
    miscalibration, discrimination and uncertainty, of which it is the first less the second plus
    the third. They have no interval: the fit follows the chance of these rows, so that on few rows
    the first two are too large.
    """
    values = np.full((batch.size, len(grid)), np.nan)
    for lane, fit in enumerate(rising_fits(rows, batch)):
        if len(fit.fit):
            values[lane] = np.interp(grid, fit.score, fit.fit)
    return values


def _places(rows: Amounts, weight: Vector) -> Vector:
    """Places over the range of y, the same for every score: evenly apart, and by its quantiles."""
    quantiles = even_quantiles(rows.y, weight)
    if not len(quantiles):
        return quantiles
    return np.unique(np.append(np.linspace(quantiles[0], quantiles[-1], PLACES), quantiles))


def _thresholds(rows: Amounts, weight: Vector) -> Vector:
    """Those between the lowest and the highest twentieth of y: beyond, too few rows say much."""
    quantiles, places = even_quantiles(rows.y, weight), _places(rows, weight)
    if not len(quantiles):
        return quantiles
    up = weight_up_to(Batch.of(weight), rows.y)[1:, 0]
    ends = np.searchsorted(up, np.array([ENDS, 1 - ENDS]) * up[-1])
    low, high = rows.y.values[rows.y.order][rows.y.is_last][ends]
    return np.asarray(places[(places >= low) & (places <= high)])


def _murphy_trace(rows: Amounts, weight: Vector) -> Trace:
    places = _places(rows, weight)
    return Trace(places, murphy(rows, Batch.of(weight), places)[0])


def _rows_between(rows: Amounts, weight: Vector, grid: Vector) -> Vector:
    """Rows whose score and y lie on different sides of each threshold."""
    counted = weight > 0
    low, high = _span(rows)
    return np.asarray(_running(Batch.of(counted.astype(float)), low, high, grid, None)[0])


@curve(
    title="Murphy diagram",
    task="regression",
    needs="amount",
    x_label="Threshold",
    y_label="Mean elementary loss",
    x_unit="y",
    y_unit="y",
    bounds=(0.0, np.inf),
    is_monotone=False,
    cite=EHM,
    grid=_thresholds,
    trace=_murphy_trace,
    thin=_rows_between,
    is_level_of_loss=True,
    is_on_request=True,
    shown=Presentation(
        topic="ranking",
        place=40,
        title="Murphy diagram: the loss at every threshold",
        x_label="threshold of {target}{unit}",
        y_label="mean elementary loss{unit}",
        reading="How far {target} lies from the threshold, where the score lies on its other "
        "side. A model that is lower at every threshold is better under every loss whose "
        "best score is the mean.",
        is_compared=True,
        difference="Below zero the candidate is better at that threshold. All below zero, it "
        "is better under every loss whose best score is the mean.",
        is_better_below=True,
    ),
)
def murphy(rows: Amounts, batch: Batch, grid: Vector) -> Matrix:
    """Mean distance from y to a threshold, over the rows whose score is on its other side.

    Every loss whose best score is the mean is a mixture of these losses over the thresholds: a
    model that is lower everywhere is better by all of them. The area under the curve, over all
    thresholds, is half the mean squared error. It is drawn over the range of y, with a band over
    the middle nine tenths of it.
    """
    (low, high), y = _span(rows), rows.y.values
    sign = np.where(rows.score.values > y, 1.0, -1.0)
    centre = float(np.median(y)) if len(y) else 0.0
    sides = _running(batch, low, high, grid, sign)
    amounts = _running(batch, low, high, grid, sign * (y - centre))
    losses = (grid - centre)[None, :] * sides - amounts
    return ratio(np.maximum(losses, 0.0), batch.totals[:, None])


def _span(rows: Amounts) -> tuple[Vector, Vector]:
    y, score = rows.y.values, rows.score.values
    return np.minimum(y, score), np.maximum(y, score)


def _running(
    batch: Batch, low: Vector, high: Vector, grid: Vector, values: Vector | None
) -> Matrix:
    """Weighted sum of `values` (of ones) over the rows with low <= threshold < high; (b, g)."""
    size = len(grid) + 1
    begun, ended = (
        np.cumsum(
            sums_by_bin(batch, np.searchsorted(grid, ends, side="left"), size, values), axis=1
        )
        for ends in (low, high)
    )
    return np.asarray((begun - ended)[:, :-1])
