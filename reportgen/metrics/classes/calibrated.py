"""Whether the probabilities of a model may be right: tests, and what a right model would show.

Outcomes are drawn with the model's own probabilities, on the same rows with the same weights. The
rising fit of each draw is what chance alone makes of a calibrated model: 95 % of them lie within
the consistency band, and the share of them with as much miscalibration is the p-value.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import erfc, nan, sqrt

import numpy as np

from reportgen.kernels.batch import Batch, Index, Matrix, Vector
from reportgen.kernels.effective import effective_rows
from reportgen.kernels.logistic import overlaps
from reportgen.metrics.classes.calibrated_in_clusters import p_in_clusters
from reportgen.metrics.classes.calibration import calibration_slope, log_odds
from reportgen.metrics.classes.corp import DSC, MCB, UNC, corp_parts, least_loss
from reportgen.metrics.classes.recalibrated import (
    drawn_from,
    draws,
    positives_in,
    rising,
    weight_in,
)
from reportgen.metrics.spec import METRICS
from reportgen.rows import Classes

DRAWS, SEED = 999, 15_073
CLIP = 1e-6
CELLS_AT_ONCE = 1000
NO_SPREAD = 1e-9
LITTLE = 0.05  # of the usual width of the draws: what a cell has where they are all alike


@dataclass(frozen=True)
class Calibration:
    """What is known of one model's probabilities; nan where it does not exist.

    `p_in_clusters` is the test where rows hang together, nan where they do not.

    The parts are of the Brier score. `p_calibrated` is the share of calibrated models of this size
    with as much miscalibration. `slope_se` is that of independent rows, or units of them.
    `separates` says that one threshold divides the classes without error. `fewer` is how many rows
    of the smaller class weigh, as equally weighted ones. `inner_slope` is that of the rows whose
    log odds are not what a clip makes of a probability near 0 or 1. `total` is what is said of
    all rows together.
    """

    miscalibration: float
    discrimination: float
    uncertainty: float
    p_calibrated: float
    draws: int
    spiegelhalter: float
    p_spiegelhalter: float
    slope: float
    slope_se: float
    error: float
    separates: bool
    fewer: float
    inner_slope: float
    inner_slope_se: float
    total: OverallCalibration
    p_in_clusters: float = nan


@dataclass(frozen=True)
class OverallCalibration:
    """What the probabilities say of all rows together, and what happened: two shares of them.

    `se` is the standard error of their difference, of independent rows or of units of them; `p` is
    how often a calibrated model is as far off, rows being independent, nan if it says 0 or 1 alone.
    """

    said: float
    happened: float
    se: float
    p: float


def total_of(y: Vector, p: Vector, weight: Vector, unit: Index | None = None) -> OverallCalibration:
    """Of n rows with weights; the test allows for counts that are whole, and for their skewness.

    >>> found = total_of(np.array([1.0, 0.0, 0.0, 0.0]), np.full(4, 0.5), np.ones(4))
    >>> found.said, found.happened, round(found.p, 3)
    (0.5, 0.25, 0.617)
    """
    mass = float(weight.sum())
    if not mass > 0:
        return OverallCalibration(nan, nan, nan, nan)
    off: Vector = weight * (y - p)
    spread = float(np.sqrt((weight**2) @ (p * (1 - p))))
    step = float(weight @ weight) / mass / 2
    z = nan
    if spread > 0:
        gap = float(off.sum())
        z = max(abs(gap) - step, 0.0) / spread
        skew = float((weight**3) @ (p * (1 - p) * (1 - 2 * p))) / spread**3
        z = max(z - (skew if gap > 0 else -skew) * (z**2 - 1) / 6, 0.0)  # Cornish and Fisher
    of_units = off if unit is None else np.bincount(unit, weights=off)
    se = float(np.sqrt(of_units @ of_units)) / mass
    return OverallCalibration(
        float(weight @ p) / mass, float(weight @ y) / mass, se, erfc(z / sqrt(2))
    )


def calibration_of(rows: Classes, weight: Vector, unit: Index | None = None) -> Calibration:
    """All of it for one model on rows with weights; `unit` (n,) says which belong together."""
    y, p = rows.y.values, rows.score.values
    parts = corp_parts(rows, Batch.of(weight), "brier")[0]
    z = spiegelhalter(y, p, weight)
    inner = np.where(np.minimum(p, 1 - p) < CLIP, 0.0, weight)
    error = METRICS["calibration_error"].bind(rows).define(weight)
    return Calibration(
        miscalibration=float(parts[MCB]),
        discrimination=float(parts[DSC]),
        uncertainty=float(parts[UNC]),
        p_calibrated=_p_of(rows, weight),
        draws=DRAWS,
        spiegelhalter=z,
        p_spiegelhalter=erfc(abs(z) / sqrt(2)),
        slope=calibration_slope(y, p, weight),
        slope_se=_slope_se(rows, weight, unit),
        error=error,
        separates=_separates(rows, weight),
        fewer=min(effective_rows(weight[y > 0]), effective_rows(weight[y <= 0])),
        inner_slope=calibration_slope(y, p, inner),
        inner_slope_se=_slope_se(rows, inner, unit),
        total=total_of(y, p, weight, unit),
        p_in_clusters=nan if unit is None else p_in_clusters(y, p, weight, unit),
    )


def spiegelhalter(y: Vector, p: Vector, weight: Vector) -> float:
    """Spiegelhalter's z: the Brier score less what the probabilities promise of it, over its se.

    nan where all probabilities are 0, ½ or 1.

    >>> round(spiegelhalter(np.array([1.0, 0.0]), np.array([0.8, 0.2]), np.ones(2)), 3)
    -0.707
    """
    tilt = 1 - 2 * p
    spread = float(np.sqrt((weight**2) @ (tilt**2 * p * (1 - p))))
    return float(weight @ ((y - p) * tilt)) / spread if spread > 0 else nan


def consistency_band(
    rows: Classes, weight: Vector, at: Vector, level: float
) -> tuple[Vector, Vector]:
    """Limits at rising probabilities between which rising fits of calibrated models lie.

    A share `level` of the samples of a calibrated model lies within them over their whole length.
    """
    cells, fits, _ = _of_right_models(rows, weight)
    if not len(fits) or not len(at):
        return np.full(len(at), nan), np.full(len(at), nan)
    centre = np.median(fits, axis=0)
    below, above = _reach(fits, centre, level)
    low, high = (np.interp(at, cells, end) for end in (centre - below, centre + above))
    return np.clip(low, 0.0, 1.0), np.clip(high, 0.0, 1.0)


def _reach(fits: Matrix, centre: Vector, level: float) -> tuple[Vector, Vector]:
    """How far below and above the centre limits lie in each cell, for all cells at once.

    They are as many times the reach of the draws, cell by cell, as a share `level` of the draws
    stays within: that is asked of each half by the reach of the other. A reach follows what chance
    does at the ends, where most draws are alike and a few are far off; limits in standard
    deviations, which those few set, are too wide everywhere else.
    """
    halves = fits[: len(fits) // 2], fits[len(fits) // 2 :]
    ends = [_ends(half, centre) for half in halves]
    largest = np.concatenate(
        [_times(half, centre, other) for half, other in zip(halves, ends[::-1], strict=True)]
    )
    place = min(int(np.ceil(level * (len(fits) + 1))), len(fits)) - 1
    times = float(np.sort(largest)[place])
    below, above = (np.mean(pair, axis=0) for pair in zip(*ends, strict=True))
    return times * below, times * above


def _ends(fits: Matrix, centre: Vector) -> tuple[Vector, Vector]:
    """The reach of some draws below and above the centre, and a little where few leave it.

    No draw that is right leaves it where next to nothing is promised, or nothing else.
    """
    below, above = centre - fits.min(axis=0), fits.max(axis=0) - centre
    spread = np.sqrt(centre * (1 - centre))
    least = LITTLE * float(np.median(below + above)) * spread / max(float(np.median(spread)), 1e-3)
    return below + least + NO_SPREAD, above + least + NO_SPREAD


def _times(fits: Matrix, centre: Vector, ends: tuple[Vector, Vector]) -> Vector:
    """How many times the reach each draw leaves the centre by, where it does most, (d,)."""
    largest = np.zeros(len(fits))
    for start in range(0, len(centre), CELLS_AT_ONCE):
        some = slice(start, start + CELLS_AT_ONCE)
        away = fits[:, some] - centre[some]
        times = np.maximum(away / ends[1][some], -away / ends[0][some])
        largest = np.maximum(largest, times.max(axis=1, initial=0.0))
    return largest


def _p_of(rows: Classes, weight: Vector) -> float:
    """Of the rows as of the draws in the cells of the draws: in wider cells a fit finds less."""
    p, _, drawn = _of_right_models(rows, weight)
    if not len(drawn):
        return nan
    cells = drawn_from(rows)
    both = weight_in(cells, weight)
    use = both > 0
    _, found = _fitted(positives_in(rows, cells, weight)[use], both[use], p)
    return (1 + int((drawn >= found * (1 - 1e-12)).sum())) / (len(drawn) + 1)


def _of_right_models(rows: Classes, weight: Vector) -> tuple[Vector, Matrix, Vector]:
    """Probabilities of the cells with weight, and of each draw its fit there and miscalibration."""

    def found() -> tuple[Vector, Vector, Matrix, Vector]:
        cells = drawn_from(rows)
        both = weight_in(cells, weight)
        use = both > 0
        chance = np.clip(cells.score, 0.0, 1.0)
        promised = weight_in(cells, weight * np.clip(rows.score.values, 0.0, 1.0))
        np.divide(promised, both, out=chance, where=use)
        p = chance[use]
        fits, losses = [], []
        for upper in draws(rows, weight, chance, DRAWS, SEED):
            for one in upper[:, use]:
                fit, loss = _fitted(one, both[use], p)
                fits.append(fit)
                losses.append(loss)
        return weight.copy(), p, np.array(fits).reshape(-1, len(p)), np.array(losses)

    kept = rows.once("right models", found)
    if not np.array_equal(kept[0], weight):
        kept = found()
    return kept[1:]


def _fitted(upper: Vector, both: Vector, p: Vector) -> tuple[Vector, float]:
    """The rising fit in cells with weight, and by how much p is worse by the Brier score."""
    fit, share, happened = rising(upper, both), both / max(float(both.sum()), 1e-300), upper / both
    own = share @ (happened * (1 - p) ** 2 + (1 - happened) * p**2)
    return fit, float(own - share @ least_loss(fit, "brier"))


def _slope_se(rows: Classes, weight: Vector, unit: Index | None) -> float:
    phi = METRICS["calibration_slope"].bind(rows).influence(weight) if weight.any() else None
    if phi is None:
        return nan
    each: Vector = weight * phi
    if unit is not None:
        each = np.asarray(np.bincount(unit, weights=each), dtype=np.float64)
    return float(np.sqrt(each @ each) / weight.sum())


def _separates(rows: Classes, weight: Vector) -> bool:
    """Whether both classes are there, and some probability has each on a side of its own."""
    y, x = rows.y.values, log_odds(rows.score.values, CLIP)
    upper, lower = (np.ascontiguousarray((weight * side)[None]) for side in (y, 1 - y))
    has_both = upper.any() and lower.any()
    return bool(has_both and np.ptp(x[weight > 0]) > 0 and not overlaps(x, upper, lower)[0])
