"""What a shift costs that was fitted on other rows, beside the best one: statistics at given α.

The rows to fit are `rows.fit`. Where the uncertainty of a shift is asked for they are resampled
too, on their own: resample r of the judged rows meets resample r of the rows to fit.
"""

from __future__ import annotations

from typing import Literal

import numpy as np

from reportgen.curves.decision import best_shifts, statistic
from reportgen.curves.rroc import minimal_costs, moved_costs, moved_points, points
from reportgen.curves.spec import Curve
from reportgen.kernels.batch import Batch, Fit, Matrix, Rows, Vector
from reportgen.metrics.losses import LOSSES, linlin
from reportgen.metrics.shifts import (
    PolynomialShift,
    constant_shifts,
    fitted,
    polynomial_shift,
    soft_score,
)

REFITS = 4  # batches of resamples for which a polynomial is fitted anew
LINLIN = LOSSES["linlin"]
Method = Literal["none", "optimal", "fitted", "polynomial", "soft"]


def fitted_shifts_at(alphas: tuple[float, ...]) -> Curve:
    """The constant to add at each α, from the rows to fit, which are resampled."""
    return statistic(f"fitted shifts at {alphas}", np.array(alphas), fitted_shifts, _ANY)


def apart_at(alphas: tuple[float, ...]) -> Curve:
    """The fitted constant minus the best one at each α; both sets of rows are resampled."""
    return statistic(f"shifts apart at {alphas}", np.array(alphas), shifts_apart, _ANY)


def gaps_at(alphas: tuple[float, ...]) -> Curve:
    """What the fitted constant costs over the best one; both sets of rows are resampled."""
    return statistic(f"gaps at {alphas}", np.array(alphas), gaps, (0.0, np.inf))


def polynomial_costs_at(alphas: tuple[float, ...], degree: int) -> Curve:
    """Expected Lin-Lin loss with the fitted polynomial, which is given."""

    def costs(rows: Rows, batch: Batch, grid: Vector) -> Matrix:
        return _each(rows, batch, [_polynomial(rows, float(a), degree) for a in grid], grid)

    return statistic(f"costs at {alphas}, degree {degree}", np.array(alphas), costs, _COST)


def polynomial_gaps_at(alphas: tuple[float, ...], degree: int) -> Curve:
    """What a fitted polynomial costs over the best constant, both sets of rows resampled.

    The polynomial is fitted anew for the first 256 resamples; nan in all others.
    """

    def excess(rows: Rows, batch: Batch, grid: Vector) -> Matrix:
        return polynomial_gaps(rows, batch, grid, degree)

    return statistic(f"gaps at {alphas}, degree {degree}", np.array(alphas), excess, _ANY)


def soft_costs_at(alphas: tuple[float, ...]) -> Curve:
    """Expected Lin-Lin loss where each row's own density says what to say."""

    def costs(rows: Rows, batch: Batch, grid: Vector) -> Matrix:
        return _each(rows, batch, [soft_score(rows, LINLIN, float(a)) for a in grid], grid)

    return statistic(f"soft costs at {alphas}", np.array(alphas), costs, _COST, "density")


def fitted_shifts(rows: Rows, batch: Batch, alphas: Vector) -> Matrix:
    """The α-quantiles of y − score among the rows to fit, in as many resamples, (b, g)."""
    fit = _fit(rows)
    shifts = best_shifts(fit.rows, fit.beside(batch), alphas)
    return np.broadcast_to(shifts, (batch.size, len(alphas)))


def shifts_apart(rows: Rows, batch: Batch, alphas: Vector) -> Matrix:
    """Fitted minus best constant, in resamples of both sets of rows, (b, g)."""
    return fitted_shifts(rows, batch, alphas) - best_shifts(rows, batch, alphas)


def gaps(rows: Rows, batch: Batch, alphas: Vector) -> Matrix:
    """Cost with the fitted constant minus that with the best, never below 0, (b, g)."""
    costs = moved_costs(rows, batch, fitted_shifts(rows, batch, alphas), alphas)
    return np.maximum(costs - minimal_costs(rows, batch, alphas), 0.0)


def polynomial_gaps(rows: Rows, batch: Batch, alphas: Vector, degree: int) -> Matrix:
    """Cost with the fitted polynomial minus that with the best constant, (b, g)."""
    found = np.full((batch.size, len(alphas)), np.nan)
    if batch.index is not None and batch.index >= REFITS:
        return found
    fit, score, y = _fit(rows), rows.score.values, rows.y.values
    drawn, weights = fit.beside(batch).weights, batch.weights
    for k, alpha in enumerate(alphas.tolist()):
        if not 0 < alpha < 1:
            continue
        first = _known(rows, alpha, degree)
        for lane in range(batch.size):
            shift = polynomial_shift(fit.rows, drawn[:, lane], alpha, degree, first)
            losses = linlin(score + shift.of(score) - y, alpha)
            found[lane, k] = weights[:, lane] @ losses
    found /= np.where(batch.totals > 0, batch.totals, np.nan)[:, None]
    return found - minimal_costs(rows, batch, alphas)


def path(rows: Rows, weight: Vector, alphas: Vector, method: Method, degree: int) -> Matrix:
    """OVER and UNDER where a method puts a model at each α, (2, g); nan where it cannot."""
    batch = Batch.of(weight)
    if method in ("optimal", "fitted"):
        own = (rows, weight) if method == "optimal" else (_fit(rows).rows, _fit(rows).weight)
        over, under = moved_points(rows, batch, constant_shifts(*own, alphas)[None, :])
        return np.concatenate([over, under])
    places = []
    for alpha in alphas.tolist():
        score = rows.score.values
        if method == "soft":
            score = soft_score(rows, LINLIN, alpha)
        elif method == "polynomial":
            score = _polynomial(rows, alpha, degree)
        places.append(np.concatenate(points(Rows(rows.y, score), batch)))
    return np.stack(places, axis=1)


def _polynomial(rows: Rows, alpha: float, degree: int) -> Vector:
    if not 0 < alpha < 1:
        return fitted(rows.score.values, _fit(rows), LINLIN, alpha, degree)
    return rows.score.values + _known(rows, alpha, degree).of(rows.score.values)


def _known(rows: Rows, alpha: float, degree: int) -> PolynomialShift:
    """The polynomial of the rows to fit as they are, fitted once."""
    fit = _fit(rows)
    return fit.rows.once(
        f"polynomial at {alpha}, degree {degree}",
        lambda: polynomial_shift(fit.rows, fit.weight, alpha, degree),
    )


def _each(rows: Rows, batch: Batch, scores: list[Vector], alphas: Vector) -> Matrix:
    """Expected Lin-Lin loss where the k-th scores are said at the k-th α, (b, g)."""
    columns = [linlin(s - rows.y.values, float(a)) for s, a in zip(scores, alphas, strict=True)]
    sums = batch.weights.T @ np.stack(columns, axis=1)
    return np.asarray(sums / np.where(batch.totals > 0, batch.totals, np.nan)[:, None])


def _fit(rows: Rows) -> Fit:
    assert rows.fit is not None  # nothing here is asked for without
    return rows.fit


_ANY = (-np.inf, np.inf)
_COST = (0.0, np.inf)
