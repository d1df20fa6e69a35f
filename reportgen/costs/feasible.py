"""Shifts fitted on other rows beside the best ones: what they cost, and the gap between them.

The training rows are `rows.fit`. In a cost the shift is given, as one that is deployed is; in a gap
both sets of rows are resampled, each on its own: resample r of the one meets resample r of the
other. A polynomial or a density moves every row by its own amount, for Lin-Lin; a constant serves
every loss, whose asymmetries are α or c.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from reportgen.costs.statistics import ANY, COST, Values, statistic
from reportgen.kernels.batch import LANES, Batch, Matrix, Vector
from reportgen.losses.expected import least, mean_costs, shifts
from reportgen.losses.losses import LOSSES, LossName, linlin
from reportgen.losses.rroc import points
from reportgen.losses.shifted import fitted_costs, fitted_shifts, shifted_costs, shifted_points
from reportgen.losses.shifts import best_by_density, fitted, fitted_polynomial, polynomial_shift
from reportgen.metrics.statistic import Statistic
from reportgen.rows import Amounts, Fit
from reportgen.terms import Needs

REFITS = 4  # batches of resamples for which a polynomial is fitted anew
MANY = 20_000  # training rows from which on it is not: it hardly moves
Method = Literal["none", "optimal", "fitted", "polynomial", "surface", "soft"]
PolynomialMethod = Literal["polynomial", "surface"]


@dataclass(frozen=True)
class Shifted:
    """A loss at some asymmetries, and the statistics of shifts there; `degree` of polynomials."""

    grid: tuple[float, ...]
    loss: LossName = "linlin"
    degree: int = 0

    @property
    def constants(self) -> Statistic:
        """The constants of the training rows, which are resampled."""
        return self._statistic("fitted constants", self.fitted_shifts, ANY)

    @property
    def apart(self) -> Statistic:
        """The fitted constant minus the best one; both sets of rows are resampled."""
        return self._statistic("constants apart", self.shifts_apart, ANY)

    @property
    def gaps(self) -> Statistic:
        """What the fitted constant costs over the best one; both sets of rows are resampled."""
        return self._statistic("gaps", self.gap, COST)

    @property
    def costs(self) -> Statistic:
        """Expected loss with the fitted constant, which is given."""
        return self._statistic("fitted costs", self.fitted_cost, COST)

    @property
    def polynomial_costs(self) -> Statistic:
        """Expected Lin-Lin loss with the fitted polynomial, which is given."""
        return self._statistic(f"costs of degree {self.degree}", self.polynomial_cost, COST)

    @property
    def polynomial_gaps(self) -> Statistic:
        """What the fitted polynomial costs over the best constant, both sets of rows resampled.

        The polynomial is fitted anew for the first 256 resamples; nan in all others, and in all
        where there are so many training rows that it would take too long.
        """
        return self._statistic(f"gaps of degree {self.degree}", self.polynomial_gap, ANY)

    @property
    def costs_with_alpha(self) -> Statistic:
        """Expected Lin-Lin loss with the fitted polynomial of score and α, which is given."""
        return self._statistic(f"costs with α of degree {self.degree}", self.cost_with_alpha, COST)

    @property
    def density_costs(self) -> Statistic:
        """Expected loss where each row's own density says what to say."""
        return self._statistic("costs by density", self.density_cost, COST, "density")

    def over_best(self, method: PolynomialMethod) -> Statistic:
        """What a polynomial, which is given, costs over the best constant."""

        def over(rows: Amounts, batch: Batch, grid: Vector) -> Matrix:
            cost = self.polynomial_cost if method == "polynomial" else self.cost_with_alpha
            return cost(rows, batch, grid) - least("linlin", rows, batch, grid)

        return self._statistic(f"{method} of degree {self.degree} over the best", over, ANY)

    def fitted_shifts(self, rows: Amounts, batch: Batch, grid: Vector) -> Matrix:
        """Best constants for the training rows, in as many resamples of them, (b, g)."""
        fit = fit_of(rows)
        found = shifts(self.loss, fit.rows, fit.beside(batch), grid)
        return np.broadcast_to(found, (batch.size, len(grid)))

    def shifts_apart(self, rows: Amounts, batch: Batch, grid: Vector) -> Matrix:
        """Fitted minus best constant, in resamples of both sets of rows, (b, g)."""
        return self.fitted_shifts(rows, batch, grid) - shifts(self.loss, rows, batch, grid)

    def fitted_cost(self, rows: Amounts, batch: Batch, grid: Vector) -> Matrix:
        """Expected loss with the constants of the training rows as they are, (b, g)."""
        return fitted_costs(rows, batch, grid, self.loss)

    def gap(self, rows: Amounts, batch: Batch, grid: Vector) -> Matrix:
        """Cost with the fitted constant minus that with the best, never below 0, (b, g)."""
        costs = shifted_costs(rows, batch, self.fitted_shifts(rows, batch, grid), grid, self.loss)
        return np.maximum(costs - least(self.loss, rows, batch, grid), 0.0)

    def polynomial_cost(self, rows: Amounts, batch: Batch, grid: Vector) -> Matrix:
        """Cost with the polynomial of the training rows as they are, (b, g)."""
        scores = [
            polynomial_score(rows, alpha, self.degree, "polynomial") for alpha in grid.tolist()
        ]
        return self._said(rows, batch, scores, grid)

    def cost_with_alpha(self, rows: Amounts, batch: Batch, grid: Vector) -> Matrix:
        """Cost with the polynomial of score and α of the training rows as they are, (b, g)."""
        scores = [polynomial_score(rows, alpha, self.degree, "surface") for alpha in grid.tolist()]
        return self._said(rows, batch, scores, grid)

    def polynomial_gap(self, rows: Amounts, batch: Batch, grid: Vector) -> Matrix:
        """Cost with the fitted polynomial minus that with the best constant, (b, g)."""
        found = np.full((batch.size, len(grid)), np.nan)
        fit, score, y = fit_of(rows), rows.score.values, rows.y.values
        lanes = batch.size
        if batch.index is not None:
            is_refitted = len(fit.rows) <= MANY
            lanes = min(lanes, max(0, (REFITS - batch.index) * LANES)) if is_refitted else 0
        if lanes == 0:
            return found
        drawn, weights = fit.beside(batch).weights, batch.weights
        for k, alpha in enumerate(grid.tolist()):
            guess = fitted_polynomial(fit, alpha, self.degree) if 0 < alpha < 1 else None
            for lane in range(lanes if guess else 0):
                shift = polynomial_shift(fit.rows, drawn[:, lane], alpha, self.degree, guess)
                found[lane, k] = weights[:, lane] @ linlin(score + shift.of(score) - y, alpha)
        return ratio_of(found, batch) - least("linlin", rows, batch, grid)

    def density_cost(self, rows: Amounts, batch: Batch, grid: Vector) -> Matrix:
        """Cost where each row's density says what to say, (b, g)."""
        scores = [best_by_density(rows, LOSSES[self.loss], a) for a in grid.tolist()]
        return self._said(rows, batch, scores, grid)

    def _said(self, rows: Amounts, batch: Batch, scores: list[Vector], grid: Vector) -> Matrix:
        """Expected loss where the k-th scores are said at the k-th asymmetry, (b, g)."""
        of, y = LOSSES[self.loss].of, rows.y.values
        columns = [of(score - y, a) for score, a in zip(scores, grid.tolist(), strict=True)]
        return mean_costs(columns, batch)

    def _statistic(
        self, what: str, values: Values, bounds: tuple[float, float], needs: Needs = "amount"
    ) -> Statistic:
        return statistic(f"{what}, {self.loss}", self.grid, values, bounds, needs)


def path(rows: Amounts, weight: Vector, alphas: Vector, method: Method, degree: int) -> Matrix:
    """OVER and UNDER where a method puts a model at each α of Lin-Lin, (2, g)."""
    batch = Batch.of(weight)
    if method == "optimal":
        return np.concatenate(shifted_points(rows, batch, shifts("linlin", rows, batch, alphas)))
    if method == "fitted":
        return np.concatenate(shifted_points(rows, batch, fitted_shifts(rows, alphas)[None, :]))
    places = []
    for alpha in alphas.tolist():
        score = rows.score.values
        if method == "soft":
            score = best_by_density(rows, LOSSES["linlin"], alpha)
        elif method in ("polynomial", "surface"):
            score = polynomial_score(rows, alpha, degree, method)
        places.append(np.concatenate(points(Amounts(rows.y, score), batch)))
    return np.stack(places, axis=1)


def polynomial_score(rows: Amounts, alpha: float, degree: int, method: PolynomialMethod) -> Vector:
    """The score with a polynomial of the training rows; nan at α = 0 and 1."""
    score, fit, with_alpha = rows.score.values, fit_of(rows), method == "surface"
    return fitted(score, fit, LOSSES["linlin"], alpha, degree, with_alpha=with_alpha)


def fit_of(rows: Amounts) -> Fit:
    """The training rows, without which nothing here is asked for."""
    assert rows.fit is not None
    return rows.fit


def ratio_of(sums: Matrix, batch: Batch) -> Matrix:
    """Weighted sums (b, g) as means; nan where nothing weighs or a sum is no number."""
    means = sums / np.where(batch.totals > 0, batch.totals, np.nan)[:, None]
    return np.where(np.isfinite(means), means, np.nan)
