"""What to say instead of a score where errors cost more on one side.

A score is moved by a constant or by a polynomial of itself, both fitted on other rows, or row by
row where a soft model gives a density of each row: `mean` and `sd` (Normal), or quantiles. A
shift that was fitted elsewhere is feasible; the optimal one knows the answers.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from reportgen.kernels.batch import Fit, Matrix, Rows, Vector
from reportgen.metrics.losses import Loss

FEW = 1000  # rows up to which a polynomial is fitted in one go
PARTS = 32  # of the rows, by their scores, each of which stands in a polynomial's fit
TERMS = 6  # coefficients that a polynomial has at most
Mask = NDArray[np.bool_]
Index = NDArray[np.int16]
_QUANTILE = re.compile(r"q(\d+(?:\.\d+)?)")


def fitted(score: Vector, fit: Fit, loss: Loss, asymmetry: float, degree: int = 0) -> Vector:
    """The score moved by what is best on the rows to fit: a constant, or a Lin-Lin polynomial.

    nan where a polynomial is asked for at α = 0 or 1: none is best there.
    """
    if degree and not 0 < asymmetry < 1:
        return np.full(len(score), np.nan)
    if degree:
        return score + polynomial_shift(fit.rows, fit.weight, asymmetry, degree).of(score)
    return score + loss.best_shift(fit.rows.error.values, fit.weight, asymmetry)


@dataclass(frozen=True)
class PolynomialShift:
    """What to add to a score: a polynomial in (score − centre)/scale, lowest power first.

    Beyond `low` and `high`, the outermost scores that it was fitted on, it stays as it is there.
    """

    coefficients: Vector
    centre: float
    scale: float
    low: float
    high: float

    def of(self, score: Vector) -> Vector:
        """The shift of each score."""
        z = (np.clip(score, self.low, self.high) - self.centre) / self.scale
        return np.asarray(np.polynomial.polynomial.polyval(z, self.coefficients))


def polynomial_shift(
    fit: Rows,
    weight: Vector,
    alpha: float,
    degree: int = 2,
    guess: PolynomialShift | None = None,
) -> PolynomialShift:
    """The polynomial of the score that costs least by Lin-Lin on the rows to fit; 0 < α < 1.

    The α-quantile of y − score, given the score (Koenker & Bassett 1978), exactly: a linear
    programme. Of many rows only those near a first guess are in it; those that surely lie on one
    side count by their sum, and it is done again with more rows if one of them did not (Portnoy &
    Koenker 1997, doi:10.1214/ss/1030037960). Without a `guess` it is the fit of every k-th row.
    """
    counted = weight > 0
    score, need, mass = fit.score.values[counted], -fit.error.values[counted], weight[counted]
    if guess is None and degree and len(score) > FEW:
        some = slice(None, None, round(len(score) ** (1 / 4)))
        guess = polynomial_shift(Rows(score[some] + need[some], score[some]), mass[some], alpha,
                                 degree)  # fmt: skip
    centre, scale = float(score.mean()), float(score.std()) or 1.0
    powers = np.vander((score - centre) / scale, degree + 1, increasing=True)
    beside = None if guess is None else need - guess.of(score)
    coefficients = _programme(powers, need, mass, alpha, beside)
    return PolynomialShift(coefficients, centre, scale, float(score.min()), float(score.max()))


def is_soft(parts: Mapping[str, Vector]) -> bool:
    """Whether the columns of a model are a density: a mean and its spread, or two quantiles."""
    return {"mean", "sd"} <= parts.keys() or len(quantile_levels(parts)) > 1


def quantile_levels(names: Mapping[str, object]) -> dict[str, float]:
    """The levels that columns are quantiles at, by name, rising: `q10` is at 0.1.

    >>> quantile_levels({"q97.5": 0, "mean": 0, "q10": 0})
    {'q10': 0.1, 'q97.5': 0.975}
    """
    found = {name: _QUANTILE.fullmatch(name) for name in names}
    levels = {name: float(match[1]) / 100 for name, match in found.items() if match}
    return dict(sorted(levels.items(), key=lambda pair: pair[1]))


def soft_score(rows: Rows, loss: Loss, asymmetry: float) -> Vector:
    """What costs least by each row's own density, shape (n,).

    Lin-Lin: its α-quantile. Of a Normal density also Quad-Quad, its α-expectile, and Lin-Exp,
    mean − c·sd²/2. nan where the density does not tell, or α is 0 or 1.
    """
    parts, alphas = rows.parts, np.array([asymmetry])
    levels = quantile_levels(parts)
    is_inside = loss.parameter == "c" or 0 < asymmetry < 1
    if levels and loss.name == "linlin" and is_inside:
        columns = np.stack([parts[name] for name in levels], axis=1)
        return np.asarray(column_quantiles(np.array([*levels.values()]), columns, alphas)[0])
    if "sd" not in parts or not is_inside or loss.name == "quadexp":
        return np.full(len(rows), np.nan)
    mean, sd = parts["mean"], parts["sd"]
    if loss.name == "linexp":
        return normal_linexp(mean, sd, asymmetry)
    of = normal_quantiles if loss.name == "linlin" else normal_expectiles
    return np.asarray(of(mean, sd, alphas)[0])


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
    from scipy.optimize import brentq  # here, since a list of metrics must not wait for it
    from scipy.special import ndtr

    if not 0 < alpha < 1:
        return -np.inf if alpha <= 0 else np.inf

    def pull(t: float) -> float:
        density = np.exp(-t * t / 2) / np.sqrt(2 * np.pi)
        above = density - t * ndtr(-t)
        return float(alpha * above - (1 - alpha) * (above + t))

    return float(brentq(pull, -40.0, 40.0, xtol=1e-14))


def _programme(
    powers: Matrix, need: Vector, mass: Vector, alpha: float, beside: Vector | None
) -> Vector:
    """Coefficients of the polynomial, from the rows whose side `beside` leaves in doubt."""
    n, width = len(need), 8 * round(np.sqrt(len(need)))
    left = np.zeros(n) if beside is None else beside
    is_whole = beside is None or n <= FEW
    part = np.zeros(0, np.int16) if is_whole else _parts(powers[:, 1])
    rank = np.zeros(n) if is_whole else _ranks(part, np.abs(left))
    above, is_near = left > 0, np.zeros(n, bool)
    slack = 1e-10 * float(np.abs(need).max(initial=0.0))
    while True:
        is_near |= rank < width
        found = _solved(powers, need, mass, alpha, is_near, ~is_near & above, ~is_near & ~above)
        left = need - powers @ found
        is_known = bool(np.isfinite(found).all())
        is_wrong = ~is_near & np.where(above, left < -slack, left > slack)
        if is_near.all() or (is_known and not is_wrong.any()):
            return found
        if is_known:  # a better guess serves more than a wider band about a poor one
            rank, above = _ranks(part, np.abs(left)), left > 0
        else:
            width *= 2
        is_near |= is_wrong


def _parts(score: Vector) -> Index:
    """The number of the part of the rows, by their scores, that each row is in."""
    part = np.empty(len(score), np.int16)  # short, so that it is sorted by counting
    part[np.argsort(score, kind="stable")] = np.arange(len(score)) * PARTS // len(score)
    return part


def _ranks(part: Index, distance: Vector) -> Vector:
    """The order of rows by their distance, nearest first, every part of the rows taken alike.

    Rows with much the same score cannot stand for the others, however near they are.
    """
    order = np.argsort(distance)
    order = order[np.argsort(part[order], kind="stable")]
    first = np.searchsorted(part[order], np.arange(PARTS))
    ranks = np.empty(len(distance))
    ranks[order] = (np.arange(len(distance)) - first[part[order]]) * PARTS
    return ranks


def _solved(
    powers: Matrix,
    need: Vector,
    mass: Vector,
    alpha: float,
    is_near: Mask,
    is_above: Mask,
    is_below: Mask,
) -> Vector:
    """The linear programme of the rows that are near; those above and below pull by their sums.

    Its dual: a variable for each row that is near, but only degree + 1 constraints.
    """
    from scipy.optimize import linprog  # here, since a list of metrics must not wait for it

    near, most = powers[is_near], mass[is_near]
    pull = (1 - alpha) * (mass[is_below] @ powers[is_below])
    pull -= alpha * (mass[is_above] @ powers[is_above])
    found = linprog(
        -need[is_near],
        A_eq=near.T,
        b_eq=pull + (1 - alpha) * (most @ near),
        bounds=[(0.0, top) for top in most.tolist()],
        method="highs",
    )
    if found.eqlin is None or found.status != 0:  # the sums pull beyond what is near
        return np.full(powers.shape[1], np.nan)
    return -np.asarray(found.eqlin.marginals)
