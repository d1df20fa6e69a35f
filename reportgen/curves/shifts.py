"""What to say at each asymmetry: scores moved by a constant, a polynomial, or row by row.

A shift fitted on other rows is feasible; the optimal one knows the answers. Each function gives
scores of shape (g, n), one row for each α, whose cost `chosen_costs` finds.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from reportgen.kernels.batch import Matrix, Rows, Vector
from reportgen.metrics.losses import linlin_shift


def constant_shifts(fit: Rows, weight: Vector, alphas: Vector) -> Vector:
    """The best constant to add at each α, by Lin-Lin on the rows to fit, shape (g,)."""
    return np.array([linlin_shift(fit.error.values, weight, float(alpha)) for alpha in alphas])


def shifted(score: Vector, shifts: Vector) -> Matrix:
    """The score with each constant added, shape (g, n)."""
    moved: Matrix = score[None, :] + shifts[:, None]
    return moved


@dataclass(frozen=True)
class PolynomialShift:
    """What to add to a score: a polynomial in (score − centre)/scale, lowest power first."""

    coefficients: Vector
    centre: float
    scale: float

    def of(self, score: Vector) -> Vector:
        """The shift of each score."""
        z = (score - self.centre) / self.scale
        return np.asarray(np.polynomial.polynomial.polyval(z, self.coefficients))


def polynomial_shift(fit: Rows, weight: Vector, alpha: float, degree: int = 2) -> PolynomialShift:
    """The polynomial of the score that costs least by Lin-Lin on the rows to fit; 0 < α < 1.

    Found exactly, as a linear programme: the α-quantile of y − score, given the score.
    """
    from scipy.optimize import linprog  # here, since a list of curves must not wait for it

    counted = weight > 0
    score, need, mass = fit.score.values[counted], -fit.error.values[counted], weight[counted]
    centre, scale = float(score.mean()), float(score.std()) or 1.0
    powers = np.vander((score - centre) / scale, degree + 1, increasing=True)
    # The dual: as many variables as rows, but only degree + 1 constraints.

    found = linprog(
        -need,
        A_eq=powers.T,
        b_eq=(1 - alpha) * (mass @ powers),
        bounds=[(0.0, most) for most in mass.tolist()],
        method="highs",
    )
    return PolynomialShift(-np.asarray(found.eqlin.marginals), centre, scale)


def normal_quantiles(mean: Vector, sd: Vector, alphas: Vector) -> Matrix:
    """For Lin-Lin: each row's α-quantile, its density being Normal, shape (g, n).

    >>> normal_quantiles(np.array([2.0]), np.array([1.5]), np.array([0.8])).round(6)
    array([[3.262432]])
    """
    from scipy.special import ndtri

    return np.asarray(mean[None, :] + ndtri(alphas)[:, None] * sd[None, :])


def normal_expectiles(mean: Vector, sd: Vector, alphas: Vector) -> Matrix:
    """For Quad-Quad: each row's α-expectile, its density being Normal, shape (g, n)."""
    steps = np.array([_normal_expectile(float(alpha)) for alpha in alphas])
    return np.asarray(mean[None, :] + steps[:, None] * sd[None, :])


def normal_linexp(mean: Vector, sd: Vector, c: float) -> Vector:
    """For Lin-Exp: mean − c·sd²/2, each row's best score, its density being Normal.

    >>> normal_linexp(np.array([2.0]), np.array([1.5]), 1.0)
    array([0.875])
    """
    return mean - c * sd**2 / 2


def column_quantiles(levels: Vector, columns: Matrix, alphas: Vector) -> Matrix:
    """Each row's α-quantile between its quantile columns (n, k) at rising levels, shape (g, n).

    Straight between two columns, and the outer column beyond; columns that cross are sorted.
    """
    ascending = np.sort(columns, axis=1)
    place = np.clip(np.interp(alphas, levels, np.arange(len(levels))), 0, len(levels) - 1)
    left = np.minimum(place.astype(int), max(len(levels) - 2, 0))
    right = np.minimum(left + 1, len(levels) - 1)
    share = place - left
    return np.asarray((ascending[:, left] * (1 - share) + ascending[:, right] * share).T)


def _normal_expectile(alpha: float) -> float:
    """The standard Normal's: α·E(X − t)₊ = (1 − α)·E(t − X)₊; infinite at 0 and 1."""
    from scipy.optimize import brentq
    from scipy.special import ndtr

    if not 0 < alpha < 1:
        return -np.inf if alpha <= 0 else np.inf

    def pull(t: float) -> float:
        density = np.exp(-t * t / 2) / np.sqrt(2 * np.pi)
        above = density - t * ndtr(-t)
        return float(alpha * above - (1 - alpha) * (above + t))

    return float(brentq(pull, -40.0, 40.0, xtol=1e-14))
