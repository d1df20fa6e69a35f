"""Shifts of scores: constants, polynomials (quantile regression), predictive densities."""

from __future__ import annotations

from math import ceil

import numpy as np
from numpy.typing import NDArray

from reportgen.kernels.batch import Index, Matrix, Vector
from reportgen.metrics.losses.loss_functions import Loss
from reportgen.metrics.rows import Amounts, TrainingRows, parse_quantile_levels
from reportgen.records import record

FEW = 1000  # rows up to which all are in one programme
PARTS = 32  # of the rows, by their scores, each of which stands in the programme
Mask = NDArray[np.bool_]
RowIndex = NDArray[np.int16]


def fit_quantile_regression(
    terms: Matrix,
    need: Vector,
    mass: Vector,
    alpha: Vector,
    score: Vector,
    residual: Vector | None = None,
) -> Vector:
    """Coefficients of `terms` (n, k) of which the Lin-Lin loss is least, each row at its own α.

    Exact. Of many rows only those near a first guess are in the programme; those that surely lie
    on one side, as their `residual` from it says, count by their sum, and it is done again with
    more rows if one of them did not (Portnoy & Koenker 1997, doi:10.1214/ss/1030037960). Rows are
    taken alike from every part of the range of `score`.
    """
    if residual is None or len(need) <= FEW:
        near, aside = np.ones(len(need), bool), np.zeros(len(need), bool)
        return _solve_linear_programme(terms, need, mass, alpha, near, aside, aside)
    return _solve_near_rows(terms, need, mass, alpha, _assign_parts(score), residual)


def _solve_near_rows(
    terms: Matrix, need: Vector, mass: Vector, alpha: Vector, part: RowIndex, left: Vector
) -> Vector:
    """Solve the same for rows near a guess that leaves `left`, and more until none is misjudged."""
    width, is_near = 8 * round(np.sqrt(len(need))), np.zeros(len(need), bool)
    rank, above = _rank_by_distance(part, np.abs(left)), left > 0
    slack = 1e-10 * float(np.abs(need).max(initial=0.0))
    while True:
        is_near |= rank < width
        found = _solve_linear_programme(
            terms, need, mass, alpha, is_near, ~is_near & above, ~is_near & ~above
        )
        left = need - terms @ found
        is_known = bool(np.isfinite(found).all())
        is_wrong = ~is_near & np.where(above, left < -slack, left > slack)
        if is_near.all() or (is_known and not is_wrong.any()):
            return found
        if is_known:  # a better guess serves more than a wider band about a poor one
            rank, above = _rank_by_distance(part, np.abs(left)), left > 0
        else:
            width *= 2
        is_near |= is_wrong


def _assign_parts(score: Vector) -> RowIndex:
    """Return the number of the part of the rows, by score, that each row is in."""
    part = np.empty(len(score), np.int16)  # short, so that it is sorted by counting
    part[np.argsort(score, kind="stable")] = np.arange(len(score)) * PARTS // len(score)
    return part


def _rank_by_distance(part: RowIndex, distance: Vector) -> Vector:
    """Rank rows by distance, nearest first, with every part of the rows represented alike.

    Rows with much the same score cannot stand for the others, however near they are.
    """
    order = np.argsort(distance)
    order = order[np.argsort(part[order], kind="stable")]
    first = np.searchsorted(part[order], np.arange(PARTS))
    ranks = np.empty(len(distance))
    ranks[order] = (np.arange(len(distance)) - first[part[order]]) * PARTS
    return ranks


def _solve_linear_programme(
    terms: Matrix,
    need: Vector,
    mass: Vector,
    alpha: Vector,
    is_near: Mask,
    is_above: Mask,
    is_below: Mask,
) -> Vector:
    """Solve the linear programme of the near rows; those above and below pull by their sums.

    Its dual: a variable for each row that is near, but only a constraint for each coefficient.
    """
    from scipy.optimize import linprog  # here, since a list of metrics must not wait for it

    near, most = terms[is_near], mass[is_near]
    pull = ((1 - alpha) * mass)[is_below] @ terms[is_below]
    pull -= (alpha * mass)[is_above] @ terms[is_above]
    found = linprog(
        -need[is_near],
        A_eq=near.T,
        b_eq=pull + ((1 - alpha[is_near]) * most) @ near,
        bounds=[(0.0, top) for top in most.tolist()],
        method="highs",
    )
    if found.eqlin is None or found.status != 0:  # the sums pull beyond what is near
        return np.full(terms.shape[1], np.nan)
    return -np.asarray(found.eqlin.marginals)


TERMS = 6  # coefficients that a polynomial of the score has at most
MOST = 10_000  # rows that a polynomial in α is fitted on; of more, one of every k
ALPHA_GRID = tuple(round(float(a), 10) for a in np.linspace(0.02, 0.98, 25))  # α of its fit
GOLDEN = (5**0.5 - 1) / 2  # its multiples, less their whole parts, fill 0 to 1 evenly


def apply_fitted_shift(
    score: Vector,
    fit: TrainingRows,
    loss: Loss,
    asymmetry: float,
    degree: int = 0,
    *,
    with_alpha: bool = False,
) -> Vector:
    """Move the score by what is best on the training rows: a constant, or a Lin-Lin polynomial.

    The polynomial is fitted at this α alone, or `with_alpha` as part of the one in score and α.
    nan where a polynomial is asked for at α = 0 or 1: none is best there.
    """
    if degree and not 0 < asymmetry < 1:
        return np.full(len(score), np.nan)
    if degree:
        return score + fit_polynomial(fit, asymmetry, degree, with_alpha=with_alpha).evaluate(score)
    return score + loss.best_shift(fit.rows.error.values, fit.weight, asymmetry)


def fit_polynomial(
    fit: TrainingRows, alpha: float, degree: int, *, with_alpha: bool = False
) -> PolynomialShift:
    """Fit the polynomial on the training rows as they are, and only once; 0 < α < 1."""
    if with_alpha:
        name = f"surface of degree {degree}"
        return fit.rows.once(
            name, lambda: fit_polynomial_in_alpha(fit.rows, fit.weight, degree)
        ).fix_alpha(alpha)
    name = f"polynomial at {alpha}, degree {degree}"
    return fit.rows.once(name, lambda: fit_polynomial_shift(fit.rows, fit.weight, alpha, degree))


@record
class PolynomialShift:
    """Shift of a score: a polynomial in (score − centre)/scale, lowest power first.

    Beyond `low` and `high`, the outermost scores that it was fitted on, it stays as it is there.
    """

    coefficients: Vector
    centre: float
    scale: float
    low: float
    high: float

    def evaluate(self, score: Vector) -> Vector:
        """Return the shift of each score."""
        z = (np.clip(score, self.low, self.high) - self.centre) / self.scale
        return np.asarray(np.polynomial.polynomial.polyval(z, self.coefficients))


@record
class PolynomialInAlpha:
    """Shift of a score at any α: a polynomial in both, of this total degree.

    In (score − centre)/scale and 2α − 1; of the score alone the power is `of_score` at most. Beyond
    the outermost scores and α that it was fitted on it stays as it is there.
    """

    coefficients: Vector
    degree: int
    of_score: int
    centre: float
    scale: float
    low: float
    high: float

    def fix_alpha(self, alpha: float) -> PolynomialShift:
        """Return the polynomial of the score at one α."""
        across = 2 * float(np.clip(alpha, ALPHA_GRID[0], ALPHA_GRID[-1])) - 1
        own, powers = np.zeros(self.of_score + 1), _powers(self.degree, self.of_score)
        for (power, times), value in zip(powers, self.coefficients, strict=True):
            own[power] += value * across**times
        return PolynomialShift(own, self.centre, self.scale, self.low, self.high)


def fit_polynomial_shift(
    fit: Amounts,
    weight: Vector,
    alpha: float,
    degree: int = 2,
    guess: PolynomialShift | None = None,
) -> PolynomialShift:
    """Fit the polynomial of the score with minimum Lin-Lin cost on the training rows; 0 < α < 1.

    The α-quantile of y − score, given the score (Koenker & Bassett 1978): a linear programme. Its
    degree is lower where there are no more different scores than that. Of many rows those near a
    first guess suffice; without a `guess` it is the fit of every k-th row. nan if no row weighs.
    """
    known = _WeightedTrainingRows.from_rows(fit, weight, degree)
    if not known.n:  # a resample of few training rows can leave all of them out
        return PolynomialShift(np.array([np.nan]), 0.0, 1.0, 0.0, 0.0)
    if guess is None and known.degree and known.n > FEW:
        guess = fit_polynomial_shift(*known.some(known.n ** (1 / 4)), alpha, degree)
    powers = np.vander(known.z, known.degree + 1, increasing=True)
    residual = None if guess is None else known.need - guess.evaluate(known.score)
    found = fit_quantile_regression(
        powers, known.need, known.mass, np.full(known.n, alpha), known.z, residual
    )
    return PolynomialShift(found, known.centre, known.scale, *known.ends)


def fit_polynomial_in_alpha(fit: Amounts, weight: Vector, degree: int) -> PolynomialInAlpha:
    """Fit the polynomial of score and α with minimum Lin-Lin cost, on average over α.

    One linear programme in which every row to fit stands once for each α of `ALPHA_GRID`. Few
    different scores lower the power of the score, and not that of α. Of more than 10,000 rows one
    of every k neighbours by score is taken.
    """
    known = _WeightedTrainingRows.from_rows(fit, weight, degree)
    if known.n > MOST:
        known = _WeightedTrainingRows.from_rows(*known.one_of(ceil(known.n / MOST)), degree)
    is_long = known.n > 10 * TERMS**2  # shorter programmes are solved as soon without a guess
    guess = fit_polynomial_in_alpha(*known.some(4), degree) if is_long else None
    alphas = np.repeat(ALPHA_GRID, known.n)
    z, need, mass = (np.tile(each, len(ALPHA_GRID)) for each in (known.z, known.need, known.mass))
    powers = _powers(degree, known.degree)
    terms = [z**power * (2 * alphas - 1) ** times for power, times in powers]
    residual = None
    if guess is not None:
        residual = np.concatenate(
            [known.need - guess.fix_alpha(a).evaluate(known.score) for a in ALPHA_GRID]
        )
    found = fit_quantile_regression(np.stack(terms, axis=1), need, mass, alphas, z, residual)
    return PolynomialInAlpha(found, degree, known.degree, known.centre, known.scale, *known.ends)


def _powers(degree: int, of_score: int) -> list[tuple[int, int]]:
    """Every power of the score, and of α next to it, that together are of this degree at most."""
    return [(i, j) for i in range(of_score + 1) for j in range(degree + 1 - i)]


@record(eq=False)
class _WeightedTrainingRows:
    """The rows that count: scores, what each lacks, what it weighs.

    `degree` is that of a polynomial of the score: as asked, or as their different scores bear.
    """

    score: Vector
    need: Vector
    mass: Vector
    degree: int

    @classmethod
    def from_rows(cls, fit: Amounts, weight: Vector, degree: int) -> _WeightedTrainingRows:
        """Select the rows of positive weight."""
        counted = weight > 0
        score = fit.score.values[counted]
        is_met = np.zeros(fit.score.groups, bool)
        is_met[fit.score.group[counted]] = True  # of resamples the groups are found but once
        need, mass = -fit.error.values[counted], weight[counted]
        return cls(score, need, mass, max(min(degree, int(is_met.sum()) - 1), 0))

    def some(self, step: float) -> tuple[Amounts, Vector]:
        """Every k-th row, and what it weighs."""
        return self._pick_rows(np.arange(0, self.n, round(step)))

    def one_of(self, step: int) -> tuple[Amounts, Vector]:
        """One of every k neighbours by score, then need, and what it weighs.

        Its place among them changes by a share of k that no period meets, so that it matters
        neither in which order the rows come nor what repeats along the scores.
        """
        order = np.lexsort((self.mass, self.need, self.score))
        first = np.arange(0, self.n, step)
        place = first + (np.arange(len(first)) * GOLDEN % 1 * step).astype(int)
        return self._pick_rows(order[place[place < self.n]])

    def _pick_rows(self, each: Index) -> tuple[Amounts, Vector]:
        return Amounts(self.score[each] + self.need[each], self.score[each]), self.mass[each]

    @property
    def n(self) -> int:
        """The number of rows."""
        return len(self.score)

    @property
    def ends(self) -> tuple[float, float]:
        """The outermost scores."""
        return float(self.score.min()), float(self.score.max())

    @property
    def centre(self) -> float:
        """The mean score."""
        return float(self.score.mean())

    @property
    def scale(self) -> float:
        """The spread of the scores, 1 where there is none."""
        return float(self.score.std()) or 1.0

    @property
    def z(self) -> Vector:
        """The scores in their own units."""
        return (self.score - self.centre) / self.scale


def best_density_score(rows: Amounts, loss: Loss, asymmetry: float) -> Vector:
    """Compute the score of minimum cost by each row's own density, shape (n,).

    Lin-Lin: its α-quantile. Of a Normal density also Quad-Quad, its α-expectile, and Lin-Exp,
    mean − c·sd²/2. nan where the density does not tell, or α is 0 or 1.
    """
    parts, alphas = rows.parts, np.array([asymmetry])
    levels = parse_quantile_levels(parts)
    is_inside = loss.is_exponential or 0 < asymmetry < 1
    if levels and loss.name == "linlin" and is_inside:
        columns = np.stack([parts[name] for name in levels], axis=1)
        return np.asarray(
            interpolate_quantile_columns(np.array([*levels.values()]), columns, alphas)[0]
        )
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


def interpolate_quantile_columns(levels: Vector, columns: Matrix, alphas: Vector) -> Matrix:
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
    """Find the standard Normal's expectile: α·E(X − t)₊ = (1 − α)·E(t − X)₊; ±∞ at 0 and 1."""
    from scipy.optimize import brentq  # here, since a list of metrics must not wait for it
    from scipy.special import ndtr

    if not 0 < alpha < 1:
        return -np.inf if alpha <= 0 else np.inf

    def pull(t: float) -> float:
        density = np.exp(-t * t / 2) / np.sqrt(2 * np.pi)
        above = density - t * ndtr(-t)
        return float(alpha * above - (1 - alpha) * (above + t))

    return float(brentq(pull, -40.0, 40.0, xtol=1e-14))
