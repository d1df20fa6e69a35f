"""Tests of calibration, and consistency bands of calibrated models."""

from __future__ import annotations

from collections.abc import Iterator
from math import erfc, isfinite, nan, sqrt

import numpy as np

from reportgen.kernels.batch import Batch, Index, Matrix, Vector
from reportgen.kernels.calibration_fits import find_overlaps, fit_isotonic_blocks
from reportgen.kernels.columns import kish_effective_rows
from reportgen.kernels.score_cells import ClassWeights
from reportgen.metrics.classification.calibration import calibration_slope, log_odds
from reportgen.metrics.classification.decomposition import (
    DSC,
    MCB,
    UNC,
    corp_decomposition,
    draw_cell_outcomes,
    draw_outcomes,
    isotonic_loss,
    make_even_variance_cells,
    outcome_cells,
    positives_by_cell,
    weight_by_cell,
)
from reportgen.metrics.classification.multiclass_scores import top_label_rows
from reportgen.metrics.metric import METRICS
from reportgen.metrics.rows import Classes, LabelSets
from reportgen.records import record
from reportgen.terms import LIMITS

FEWEST_CLUSTERS = 10  # clusters
CLUSTER_BINS = 5  # at most: more of them reject right probabilities too often
PER_BIN, RARER = 20, 40  # clusters, and rows of the rarer class, that a bin takes


def hotelling_p_value(y: Vector, p: Vector, weight: Vector, unit: Index) -> float:
    """Return how often right probabilities are as far off, by Hotelling's F of the bins' residuals.

    `y` (n,) is 1 where it happened, `unit` (n,) the cluster of each row. nan under ten clusters, or
    where no residual varies between them.

    >>> y, unit = np.tile([1.0, 0.0], 40), np.repeat(np.arange(20), 4)
    >>> round(hotelling_p_value(y, np.where(unit < 10, 0.45, 0.55), np.ones(80), unit), 3)
    1.0
    """
    use = weight > 0
    y, p, weight, unit = y[use], p[use], weight[use], np.unique(unit[use], return_inverse=True)[1]
    units = int(unit.max(initial=-1)) + 1
    if units < FEWEST_CLUSTERS:
        return nan
    fewer = min(kish_effective_rows(weight[y > 0]), kish_effective_rows(weight[y <= 0]))
    bins = max(1, min(CLUSTER_BINS, units // PER_BIN, int(fewer // RARER)))
    place = _assign_bins(p, weight, bins)
    sums = np.bincount(place * units + unit, weights=weight * (y - p), minlength=bins * units)
    return _test_zero_mean(np.asarray(sums, dtype=np.float64).reshape(bins, units))


def _assign_bins(p: Vector, weight: Vector, bins: int) -> Index:
    """Return each row's bin: equal p share one, and bins have the same variance implied by p."""
    values, code = np.unique(p, return_inverse=True)
    chance = np.clip(values, 0.0, 1.0)
    mass = np.bincount(code, weights=weight) * (chance * (1 - chance) + 1e-12)
    middle = (np.cumsum(mass) - mass / 2) / mass.sum()
    place: Index = np.minimum((middle * bins).astype(np.intp), bins - 1)
    return np.asarray(place[code])


def _test_zero_mean(sums: Matrix) -> float:
    """Return whether the mean of the columns of (g, n) sums is zero."""
    from scipy import special  # here, since a list of metrics must not wait

    kept = sums[np.ptp(sums, axis=1) > 0]
    g, n = kept.shape
    if not g or n <= g:
        return nan
    mean = kept.mean(axis=1)
    spread = np.atleast_2d(np.cov(kept))
    squared = n * float(mean @ np.linalg.pinv(spread, hermitian=True) @ mean)
    return float(special.fdtrc(g, n - g, (n - g) / (g * (n - 1)) * squared))


CONSISTENCY_DRAWS, CONSISTENCY_SEED = 999, 15_073
CLIP = 1e-6
CELLS_AT_ONCE = 1000
NO_SPREAD = 1e-9
LITTLE = 0.05  # of the usual width of the draws: what a cell has where they are all alike


@record
class CalibrationSummary:
    """Summary of one model's probabilities; nan where a number does not exist.

    `hotelling_p_value` is the test where rows hang together, nan where they do not.

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


@record
class OverallCalibration:
    """The share of positives that probabilities predict over all rows, and the observed one.

    `se` is the standard error of their difference, of independent rows or of units of them; `p` is
    how often a calibrated model is as far off, rows being independent, nan if it says 0 or 1 alone.
    """

    said: float
    happened: float
    se: float
    p: float


def assess_overall_calibration(
    y: Vector, p: Vector, weight: Vector, unit: Index | None = None
) -> OverallCalibration:
    """Assess n rows with weights; the test allows for whole counts, and for their skewness.

    >>> found = assess_overall_calibration(np.array([1.0, 0.0, 0.0, 0.0]), np.full(4, 0.5), np.ones(
    ...     4))
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


def assess_calibration(
    rows: Classes, weight: Vector, unit: Index | None = None
) -> CalibrationSummary:
    """Assess one model on rows with weights; `unit` (n,) says which belong together."""
    y, p = rows.y.values, rows.score.values
    parts = corp_decomposition(rows, Batch.from_weights(weight), "brier")[0]
    z = spiegelhalter_z(y, p, weight)
    inner = np.where(np.minimum(p, 1 - p) < CLIP, 0.0, weight)
    error = METRICS["calibration_error"].bind(rows).define(weight)
    return CalibrationSummary(
        miscalibration=float(parts[MCB]),
        discrimination=float(parts[DSC]),
        uncertainty=float(parts[UNC]),
        p_calibrated=_simulate_p_value(rows, weight),
        draws=CONSISTENCY_DRAWS,
        spiegelhalter=z,
        p_spiegelhalter=erfc(abs(z) / sqrt(2)),
        slope=calibration_slope(y, p, weight),
        slope_se=_slope_se(rows, weight, unit),
        error=error,
        separates=_has_separated_classes(rows, weight),
        fewer=min(kish_effective_rows(weight[y > 0]), kish_effective_rows(weight[y <= 0])),
        inner_slope=calibration_slope(y, p, inner),
        inner_slope_se=_slope_se(rows, inner, unit),
        total=assess_overall_calibration(y, p, weight, unit),
        p_in_clusters=nan if unit is None else hotelling_p_value(y, p, weight, unit),
    )


def spiegelhalter_z(y: Vector, p: Vector, weight: Vector) -> float:
    """Spiegelhalter's z: the Brier score less what the probabilities promise of it, over its se.

    nan where all probabilities are 0, ½ or 1.

    >>> round(spiegelhalter_z(np.array([1.0, 0.0]), np.array([0.8, 0.2]), np.ones(2)), 3)
    -0.707
    """
    tilt = 1 - 2 * p
    spread = float(np.sqrt((weight**2) @ (tilt**2 * p * (1 - p))))
    return float(weight @ ((y - p) * tilt)) / spread if spread > 0 else nan


def draw_consistency_band(
    rows: Classes, weight: Vector, at: Vector, level: float
) -> tuple[Vector, Vector]:
    """Limits at rising probabilities between which rising fits of calibrated models lie.

    A share `level` of the samples of a calibrated model lies within them over their whole length.
    """
    cells, fits, _ = _simulate_calibrated_models(rows, weight)
    if not len(fits) or not len(at):
        return np.full(len(at), nan), np.full(len(at), nan)
    centre = np.median(fits, axis=0)
    below, above = _find_band_reach(fits, centre, level)
    low, high = (np.interp(at, cells, end) for end in (centre - below, centre + above))
    return np.clip(low, 0.0, 1.0), np.clip(high, 0.0, 1.0)


def _find_band_reach(fits: Matrix, centre: Vector, level: float) -> tuple[Vector, Vector]:
    """Return how far below and above the centre limits lie in each cell, for all cells at once.

    They are as many times the reach of the draws, cell by cell, as a share `level` of the draws
    stays within: that is asked of each half by the reach of the other. A reach follows what chance
    does at the ends, where most draws are alike and a few are far off; limits in standard
    deviations, which those few set, are too wide everywhere else.
    """
    halves = fits[: len(fits) // 2], fits[len(fits) // 2 :]
    ends = [_find_draw_reach(half, centre) for half in halves]
    largest = np.concatenate(
        [
            _find_largest_excursions(half, centre, other)
            for half, other in zip(halves, ends[::-1], strict=True)
        ]
    )
    place = min(int(np.ceil(level * (len(fits) + 1))), len(fits)) - 1
    times = float(np.sort(largest)[place])
    below, above = (np.mean(pair, axis=0) for pair in zip(*ends, strict=True))
    return times * below, times * above


def _find_draw_reach(fits: Matrix, centre: Vector) -> tuple[Vector, Vector]:
    """Return how far draws reach below and above the centre, plus a little where few leave it.

    No draw that is right leaves it where next to nothing is promised, or nothing else.
    """
    below, above = centre - fits.min(axis=0), fits.max(axis=0) - centre
    spread = np.sqrt(centre * (1 - centre))
    least = LITTLE * float(np.median(below + above)) * spread / max(float(np.median(spread)), 1e-3)
    return below + least + NO_SPREAD, above + least + NO_SPREAD


def _find_largest_excursions(fits: Matrix, centre: Vector, ends: tuple[Vector, Vector]) -> Vector:
    """Return how many times the reach each draw leaves the centre by, where it does most, (d,)."""
    largest = np.zeros(len(fits))
    for start in range(0, len(centre), CELLS_AT_ONCE):
        some = slice(start, start + CELLS_AT_ONCE)
        away = fits[:, some] - centre[some]
        times = np.maximum(away / ends[1][some], -away / ends[0][some])
        largest = np.maximum(largest, times.max(axis=1, initial=0.0))
    return largest


def _simulate_p_value(rows: Classes, weight: Vector) -> float:
    """Compare rows and draws in the cells of the draws: in wider cells a fit finds less."""
    p, _, drawn = _simulate_calibrated_models(rows, weight)
    if not len(drawn):
        return nan
    cells = outcome_cells(rows)
    both = weight_by_cell(cells, weight)
    use = both > 0
    happened = positives_by_cell(rows, cells, weight)[None, use]
    (measured,) = _miscalibration(happened, both[use], p, _fit_draws(happened, both[use]))
    return (1 + int((drawn >= measured * (1 - 1e-12)).sum())) / (len(drawn) + 1)


def _simulate_calibrated_models(rows: Classes, weight: Vector) -> tuple[Vector, Matrix, Vector]:
    """Probabilities of the cells with weight, and of each draw its fit there and miscalibration."""

    def simulate() -> tuple[Vector, Vector, Matrix, Vector]:
        cells = outcome_cells(rows)
        both = weight_by_cell(cells, weight)
        use = both > 0
        chance = np.clip(cells.score, 0.0, 1.0)
        promised = weight_by_cell(cells, weight * np.clip(rows.score.values, 0.0, 1.0))
        np.divide(promised, both, out=chance, where=use)
        p = chance[use]
        fits, losses = [np.empty((0, len(p)))], [np.empty(0)]
        outcomes = draw_outcomes(rows, weight, chance, CONSISTENCY_DRAWS, CONSISTENCY_SEED)
        for upper in outcomes if len(p) else ():
            blocks = _fit_draws(upper[:, use], both[use])
            fits.append(_expand_blocks(blocks, both[use]))
            losses.append(_miscalibration(upper[:, use], both[use], p, blocks))
        return weight.copy(), p, np.concatenate(fits), np.concatenate(losses)

    kept = rows.once("right models", simulate)
    if not np.array_equal(kept[0], weight):
        kept = simulate()
    return kept[1:]


def _expand_blocks(blocks: tuple[Matrix, Matrix], both: Vector) -> Matrix:
    """Return the isotonic fit of each draw in each cell, (b, c): the share of its block.

    `both`, (c,), are the cells' weights, all above 0, so the middle of each cell lies within its
    block.
    """
    upper, total = blocks[0], blocks[0] + blocks[1]
    share = np.divide(upper, total, out=np.zeros(upper.shape), where=total > 0)
    past = np.searchsorted(np.cumsum(both) - both / 2, np.cumsum(total, axis=1), side="right")
    past[:, -1] = len(both)  # though the weight of the last cells may be lost in rounding
    counts = np.diff(past, axis=1, prepend=0)
    return np.repeat(share.ravel(), counts.ravel()).reshape(len(upper), len(both))


def _slope_se(rows: Classes, weight: Vector, unit: Index | None) -> float:
    phi = METRICS["calibration_slope"].bind(rows).influence(weight) if weight.any() else None
    if phi is None:
        return nan
    each: Vector = weight * phi
    if unit is not None:
        each = np.asarray(np.bincount(unit, weights=each), dtype=np.float64)
    return float(np.sqrt(each @ each) / weight.sum())


def _has_separated_classes(rows: Classes, weight: Vector) -> bool:
    """Return whether both classes are there, and some probability has each on a side of its own."""
    y, x = rows.y.values, log_odds(rows.score.values, CLIP)
    upper, lower = (np.ascontiguousarray((weight * side)[None]) for side in (y, 1 - y))
    has_both = upper.any() and lower.any()
    return bool(has_both and np.ptp(x[weight > 0]) > 0 and not find_overlaps(x, upper, lower)[0])


DRAWS, SEED = 499, 15_079
MOST_CELLS = 200
FEWEST_ROWS = (
    1.0  # rows, by the probabilities, that a part has of either kind: under it none is a draw
)
SURE_P = LIMITS["W120"]["p"]  # under it chance hardly makes a model that is right so wrong


@record
class PredictedClassCalibration:
    """The mean probability of the class that each row is called, and the share it is right for."""

    said: float
    right: float


@record
class MiscalibratedPart:
    """A part whose probabilities chance hardly makes so wrong, and by how much they are.

    It is that of a label, or without one that of the class which each row is called.
    """

    label: str | None
    error: float
    calls: PredictedClassCalibration | None = None


@record
class JointCalibration:
    """The test of all parts of a model together, and those that are not right.

    `p` is the share of models that are right with a part as far off as the farthest one here; nan
    where no part can be judged.
    """

    p: float
    parts: tuple[MiscalibratedPart, ...]


def assess_joint_calibration(
    rows: Classes | LabelSets, weight: Vector, unit: Index | None = None
) -> JointCalibration:
    """Return all parts of one model, on rows with weights; `unit` (n,) says which hang together.

    Where some do each part is tested by their residuals, its p times the number of parts.

    >>> draw = np.random.default_rng(1)
    >>> code = draw.integers(0, 3, 300)
    >>> sure = np.where(np.arange(3) == code[:, None], 0.2, 0.4)
    >>> found = assess_joint_calibration(Classes(code, sure, ("a", "b", "c")), np.ones(300))
    >>> found.p, [part.label for part in found.parts]
    (0.002, [None, 'a', 'b', 'c'])
    """
    if unit is not None:
        return _test_in_clusters(rows, weight, unit)
    rng = np.random.default_rng(SEED)
    parts, found, drawn = [], [], []
    for label, part in _iter_parts(rows):
        away = _standardize_miscalibration(part, weight, rng)
        if away is not None:
            parts.append((label, part))
            found.append(away[0])
            drawn.append(away[1])
    if not parts:
        return JointCalibration(nan, ())
    largest = np.max(drawn, axis=0)
    chance = np.array([_compute_p_value(largest, each) for each in found])
    off = (each for each, p in zip(parts, chance, strict=True) if p < SURE_P)
    return JointCalibration(
        float(chance.min()),
        tuple(_describe_miscalibration(label, part, weight) for label, part in off),
    )


def iter_class_calibration(
    rows: Classes | LabelSets, weight: Vector
) -> Iterator[tuple[str | None, float, float]]:
    """Yield, for the top class (None) and each class or label, the mean prediction and target."""
    total = max(float(weight.sum()), 1e-300)
    for label, part in _iter_parts(rows):
        said, happened = (float(weight @ v) / total for v in (part.score.values, part.y.values))
        yield label, said, happened


def count_if_all_right(rows: Classes | LabelSets, weight: Vector) -> int:
    """Count the rows if every prediction is right; return 0 if one is not, or all are alike.

    >>> rows = Classes(np.array([0, 1]), np.array([[0.9, 0.1], [0.2, 0.8]]), ("a", "b"))
    >>> count_if_all_right(rows, np.ones(2))
    2
    """
    use = weight > 0
    if isinstance(rows, LabelSets):
        parts = [rows.isolate(place) for place in range(len(rows.labels))]
        happened = np.stack([part.y.values[use] > 0 for part in parts], axis=1)
        said = np.stack([part.score.values[use] >= 0.5 for part in parts], axis=1)
        is_right = np.array_equal(happened, said)
        varies = len(np.unique(happened, axis=0)) > 1
    else:
        is_right = bool((top_label_rows(rows).y.values[use] > 0).all())
        varies = len(np.unique(rows.code[use])) > 1
    return int(use.sum()) if is_right and varies else 0


def _test_in_clusters(rows: Classes | LabelSets, weight: Vector, unit: Index) -> JointCalibration:
    parts = list(_iter_parts(rows))
    each = [hotelling_p_value(part.y.values, part.score.values, weight, unit) for _, part in parts]
    judged = np.array([p for p in each if isfinite(p)])
    if not len(judged):
        return JointCalibration(nan, ())
    off = [pair for pair, p in zip(parts, each, strict=True) if p * len(judged) < SURE_P]
    least = min(1.0, float(judged.min()) * len(judged))
    return JointCalibration(
        least, tuple(_describe_miscalibration(label, part, weight) for label, part in off)
    )


def _describe_miscalibration(label: str | None, part: Classes, weight: Vector) -> MiscalibratedPart:
    error = METRICS["calibration_error"].bind(part).define(weight)
    if label is not None:
        return MiscalibratedPart(label, error)
    said, right = (float(weight @ v / weight.sum()) for v in (part.score.values, part.y.values))
    return MiscalibratedPart(label, error, PredictedClassCalibration(said, right))


def _iter_parts(rows: Classes | LabelSets) -> Iterator[tuple[str | None, Classes]]:
    if isinstance(rows, Classes):
        yield None, top_label_rows(rows)
    for place, label in enumerate(rows.labels):
        yield label, rows.isolate(place)


def _compute_p_value(largest: Vector, found: float) -> float:
    return (1 + int((largest >= found * (1 - 1e-12)).sum())) / (len(largest) + 1)


def _standardize_miscalibration(
    part: Classes, weight: Vector, rng: np.random.Generator
) -> tuple[float, Vector] | None:
    """Return how far a part is from right, and as far samples of a right one, in their deviations.

    None where its probabilities promise no row of a kind.
    """
    said = np.clip(part.score.values, 0.0, 1.0)
    promised = float(weight @ said)
    heaviest = float(weight.max(initial=0.0))
    if not min(promised, float(weight.sum()) - promised) >= FEWEST_ROWS * heaviest > 0:
        return None
    cells = make_even_variance_cells(part, MOST_CELLS)
    both = weight_by_cell(cells, weight)
    chance = weight_by_cell(cells, weight * said) / np.where(both > 0, both, 1.0)
    drawn = draw_cell_outcomes(cells, weight, chance, DRAWS, rng)
    happened = weight_by_cell(cells, weight * part.y.values)
    upper = np.concatenate([happened[None], drawn])
    found = _miscalibration(upper, both, chance, _fit_draws(upper, both))
    spread = float(found[1:].std())
    if not spread > 0:
        return None
    scaled = (found - found[1:].mean()) / spread
    return float(scaled[0]), scaled[1:]


def _fit_draws(upper: Matrix, both: Vector) -> tuple[Matrix, Matrix]:
    """Fit each draw isotonically, (b, m): the weight of each class in each block."""
    return fit_isotonic_blocks(ClassWeights.from_classes(upper, np.maximum(both - upper, 0.0)))


def _miscalibration(
    upper: Matrix, both: Vector, chance: Vector, blocks: tuple[Matrix, Matrix]
) -> Vector:
    """Compute the excess of the Brier score over that of the rising fit, (b,)."""
    lower = np.maximum(both - upper, 0.0)
    own = (upper @ (1 - chance) ** 2 + lower @ chance**2) / both.sum()
    return np.asarray(own - isotonic_loss(*blocks, "brier"))
