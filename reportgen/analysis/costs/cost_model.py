"""The cost model: the loss, the asymmetries asked for, and the statistics it needs."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Literal

import numpy as np

from reportgen.kernels.batch import BATCH_SIZE, Batch, Matrix, Vector
from reportgen.kernels.cumulative import divide
from reportgen.metrics import METRICS
from reportgen.metrics.curves import CURVES, Curve
from reportgen.metrics.curves.rroc import CITE
from reportgen.metrics.losses import loss_functions
from reportgen.metrics.losses.expected_cost import (
    average_costs,
    best_constant_shifts,
    costs_of_fitted_shifts,
    expected_loss,
    fit_constant_shifts,
    least_expected_loss,
    shifted_costs,
    shifted_rroc_points,
)
from reportgen.metrics.losses.loss_functions import LOSSES, LossName, linlin
from reportgen.metrics.losses.rroc_geometry import rroc_points
from reportgen.metrics.losses.shifts import (
    apply_fitted_shift,
    best_density_score,
    fit_polynomial,
    fit_polynomial_shift,
)
from reportgen.metrics.metric import Metric
from reportgen.metrics.rows import Amounts, TrainingRows
from reportgen.metrics.statistic import Statistic
from reportgen.records import record
from reportgen.results.costs import CostModelInfo, Shift
from reportgen.results.types import Scalar, round_number
from reportgen.terms import Needs

POSITION = ("over", "under", "bias", "variance", "mse", "over squared", "under squared")
ANY, COST = (-np.inf, np.inf), (0.0, np.inf)
ValueFunction = Callable[[Amounts, Batch, Vector], Matrix]
ConstantShift = Literal["none", "optimal"]
ShiftMethodName = Literal["none", "optimal", "fitted"]


def position_statistic() -> Statistic:
    """Where a model stands: mean over- and under-estimation, mean error, its variance, both.

    Then the means of the squares on each side, the place in the plane of Quad-Quad.
    """
    return build_statistic("position", range(len(POSITION)), compute_positions)


def cost_statistic_at(
    asymmetries: tuple[float, ...], shift: ConstantShift, loss: LossName = "linlin"
) -> Statistic:
    """Build the expected loss at these asymmetries, with unshifted scores or the best constant."""
    of = partial(expected_loss if shift == "none" else least_expected_loss, loss)
    return build_statistic(f"{loss}, shift {shift}", asymmetries, of, COST)


def shift_statistic_at(asymmetries: tuple[float, ...], loss: LossName = "linlin") -> Statistic:
    """Build the statistic of the constant shift that is cheapest at each of these asymmetries."""
    return build_statistic(f"{loss} shifts", asymmetries, partial(best_constant_shifts, loss))


def compute_positions(rows: Amounts, batch: Batch, grid: Vector) -> Matrix:
    """Compute the numbers of `POSITION` under each weighting, shape (b, 7)."""
    over, under = rroc_points(rows, batch)
    squares = rroc_points(rows, batch, power=2)
    error = rows.error.values
    centre = float(np.median(error)) if len(error) else 0.0  # no digits lost to a bias
    about = divide((error - centre) ** 2 @ batch.weights, batch.totals)
    bias = over + under
    variance = np.maximum(about - (bias - centre) ** 2, 0.0)
    return np.stack([over, under, bias, variance, bias**2 + variance, *squares], axis=1)


def row_cost_statistic(method: ShiftMethodName) -> Statistic:
    """Mean cost at each row's own unit costs, with one method of shifting by a constant.

    The best constant is that of each weighting; one fitted on other rows is given.
    """

    def values(rows: Amounts, batch: Batch, grid: Vector) -> Matrix:
        shift: Vector | float = 0.0
        if method == "optimal":
            shift = loss_functions.best_row_cost_shifts(rows, batch)
        elif method == "fitted":
            shift = loss_functions.fit_row_cost_shift(rows)
        return loss_functions.average_row_costs(rows, batch, shift)[:, None]

    return build_statistic(f"costs by row, shift {method}", (0.0,), values, COST)


def row_shift_statistic() -> Statistic:
    """Build the statistic of the constant shift that is cheapest at each row's own unit costs."""
    return build_statistic(
        "shifts by row",
        (0.0,),
        lambda rows, batch, grid: loss_functions.best_row_cost_shifts(rows, batch)[:, None],
    )


def fitted_row_shift_statistic() -> Statistic:
    """Build the same statistic as `row_shift_statistic`, of the resampled training rows."""

    def values(rows: Amounts, batch: Batch, grid: Vector) -> Matrix:
        fit = rows.fit
        if fit is None or not isinstance(fit.rows, Amounts):
            return np.full((batch.size, 1), np.nan)
        found = loss_functions.best_row_cost_shifts(fit.rows, fit.match_batch(batch))
        return np.broadcast_to(found[:, None], (batch.size, 1))

    return build_statistic("fitted constants by row", (0.0,), values)


def build_statistic(
    name: str,
    places: Sequence[float],
    values: ValueFunction,
    bounds: tuple[float, float] = ANY,
    needs: Needs = "amount",
) -> Statistic:
    """Build a number at each of these places; `values` f(rows, batch, places) -> (b, places)."""
    return Statistic(
        name=name,
        title=name,
        task="regression",
        needs=needs,
        bounds=bounds,
        cite=CITE,
        places=tuple(places),
        function=values,
        fast=values,
        parameters=(),
    )


REFITS = 4  # batches of resamples for which a polynomial is fitted anew
MANY = 20_000  # training rows from which on it is not: it hardly moves
FeasibleMethod = Literal["none", "optimal", "fitted", "polynomial", "surface", "soft"]
PolynomialMethod = Literal["polynomial", "surface"]


@record
class ShiftStatistics:
    """A loss at some asymmetries, and the statistics of shifts there; `degree` of polynomials."""

    grid: tuple[float, ...]
    loss: LossName = "linlin"
    degree: int = 0

    @property
    def constants(self) -> Statistic:
        """The constants of the training rows, which are resampled."""
        return self._statistic("fitted constants", self.fitted_shifts, ANY)

    @property
    def distance_from_best(self) -> Statistic:
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
        """Build the statistic of the excess cost of a given polynomial over the best constant."""

        def compute_over(rows: Amounts, batch: Batch, grid: Vector) -> Matrix:
            cost = self.polynomial_cost if method == "polynomial" else self.cost_with_alpha
            return cost(rows, batch, grid) - least_expected_loss("linlin", rows, batch, grid)

        return self._statistic(f"{method} of degree {self.degree} over the best", compute_over, ANY)

    def fitted_shifts(self, rows: Amounts, batch: Batch, grid: Vector) -> Matrix:
        """Best constants for the training rows, in as many resamples of them, (b, g)."""
        fit = get_training_rows(rows)
        found = best_constant_shifts(self.loss, fit.rows, fit.match_batch(batch), grid)
        return np.broadcast_to(found, (batch.size, len(grid)))

    def shifts_apart(self, rows: Amounts, batch: Batch, grid: Vector) -> Matrix:
        """Fitted minus best constant, in resamples of both sets of rows, (b, g)."""
        return self.fitted_shifts(rows, batch, grid) - best_constant_shifts(
            self.loss, rows, batch, grid
        )

    def fitted_cost(self, rows: Amounts, batch: Batch, grid: Vector) -> Matrix:
        """Compute expected loss with the constants of the training rows as they are, (b, g)."""
        return costs_of_fitted_shifts(rows, batch, grid, self.loss)

    def gap(self, rows: Amounts, batch: Batch, grid: Vector) -> Matrix:
        """Cost with the fitted constant minus that with the best, never below 0, (b, g)."""
        costs = shifted_costs(rows, batch, self.fitted_shifts(rows, batch, grid), grid, self.loss)
        return np.maximum(costs - least_expected_loss(self.loss, rows, batch, grid), 0.0)

    def polynomial_cost(self, rows: Amounts, batch: Batch, grid: Vector) -> Matrix:
        """Cost with the polynomial of the training rows as they are, (b, g)."""
        scores = [
            shift_by_polynomial(rows, alpha, self.degree, "polynomial") for alpha in grid.tolist()
        ]
        return self._compute_expected_loss(rows, batch, scores, grid)

    def cost_with_alpha(self, rows: Amounts, batch: Batch, grid: Vector) -> Matrix:
        """Cost with the polynomial of score and α of the training rows as they are, (b, g)."""
        scores = [
            shift_by_polynomial(rows, alpha, self.degree, "surface") for alpha in grid.tolist()
        ]
        return self._compute_expected_loss(rows, batch, scores, grid)

    def polynomial_gap(self, rows: Amounts, batch: Batch, grid: Vector) -> Matrix:
        """Cost with the fitted polynomial minus that with the best constant, (b, g)."""
        found = np.full((batch.size, len(grid)), np.nan)
        fit, score, y = get_training_rows(rows), rows.score.values, rows.y.values
        columns = batch.size
        if batch.index is not None:
            is_refitted = len(fit.rows) <= MANY
            columns = (
                min(columns, max(0, (REFITS - batch.index) * BATCH_SIZE)) if is_refitted else 0
            )
        if columns == 0:
            return found
        drawn, weights = fit.match_batch(batch).weights, batch.weights
        for k, alpha in enumerate(grid.tolist()):
            guess = fit_polynomial(fit, alpha, self.degree) if 0 < alpha < 1 else None
            for column in range(columns if guess else 0):
                shift = fit_polynomial_shift(fit.rows, drawn[:, column], alpha, self.degree, guess)
                found[column, k] = weights[:, column] @ linlin(
                    score + shift.evaluate(score) - y, alpha
                )
        return divide_by_weight(found, batch) - least_expected_loss("linlin", rows, batch, grid)

    def density_cost(self, rows: Amounts, batch: Batch, grid: Vector) -> Matrix:
        """Cost where each row's density says what to say, (b, g)."""
        scores = [best_density_score(rows, LOSSES[self.loss], a) for a in grid.tolist()]
        return self._compute_expected_loss(rows, batch, scores, grid)

    def _compute_expected_loss(
        self, rows: Amounts, batch: Batch, scores: list[Vector], grid: Vector
    ) -> Matrix:
        """Compute expected loss where the k-th scores are used at the k-th asymmetry, (b, g)."""
        of, y = LOSSES[self.loss].of, rows.y.values
        columns = [of(score - y, a) for score, a in zip(scores, grid.tolist(), strict=True)]
        return average_costs(columns, batch)

    def _statistic(
        self, what: str, values: ValueFunction, bounds: tuple[float, float], needs: Needs = "amount"
    ) -> Statistic:
        return build_statistic(f"{what}, {self.loss}", self.grid, values, bounds, needs)


def compute_shift_path(
    rows: Amounts, weight: Vector, alphas: Vector, method: FeasibleMethod, degree: int
) -> Matrix:
    """OVER and UNDER where a method puts a model at each α of Lin-Lin, (2, g)."""
    batch = Batch.from_weights(weight)
    if method == "optimal":
        return np.concatenate(
            shifted_rroc_points(rows, batch, best_constant_shifts("linlin", rows, batch, alphas))
        )
    if method == "fitted":
        return np.concatenate(
            shifted_rroc_points(rows, batch, fit_constant_shifts(rows, alphas)[None, :])
        )
    places = []
    for alpha in alphas.tolist():
        score = rows.score.values
        if method == "soft":
            score = best_density_score(rows, LOSSES["linlin"], alpha)
        elif method in ("polynomial", "surface"):
            score = shift_by_polynomial(rows, alpha, degree, method)
        places.append(np.concatenate(rroc_points(Amounts(rows.y, score), batch)))
    return np.stack(places, axis=1)


def shift_by_polynomial(
    rows: Amounts, alpha: float, degree: int, method: PolynomialMethod
) -> Vector:
    """Return the score shifted by a polynomial of the training rows; nan at α = 0 and 1."""
    score, fit, with_alpha = rows.score.values, get_training_rows(rows), method == "surface"
    return apply_fitted_shift(score, fit, LOSSES["linlin"], alpha, degree, with_alpha=with_alpha)


def get_training_rows(rows: Amounts) -> TrainingRows:
    """Return the training rows, without which nothing here is requested."""
    assert rows.fit is not None
    return rows.fit


def divide_by_weight(sums: Matrix, batch: Batch) -> Matrix:
    """Weighted sums (b, g) as means; nan where nothing weighs or a sum is no number."""
    means = sums / np.where(batch.totals > 0, batch.totals, np.nan)[:, None]
    return np.where(np.isfinite(means), means, np.nan)


CASES = 1000
Target = Literal["bias", "over"]
DEPLOYABLE_SHIFTS: tuple[Shift, Shift] = ("none", "optimal")
POLYNOMIALS: tuple[PolynomialMethod, ...] = ("polynomial", "surface")
FITTED_METHODS: tuple[FeasibleMethod, ...] = ("fitted", *POLYNOMIALS)
METRIC_OF: dict[FeasibleMethod, str] = {
    "none": "expected_cost",
    "optimal": "expected_cost_optimal",
    **dict.fromkeys(FITTED_METHODS, "expected_cost_fitted"),
    "soft": "expected_cost_density",
}


@record
class CostModel:
    """The loss, the asymmetries asked for, and the money that errors cost.

    An asymmetry is α, or c of an exponential loss, whose axis `reaches` so far to both sides.
    `total` is the cost of one unit too low plus that of one too high, in `unit`: of y, or of its
    square for Quad-Quad. At the asymmetry α the first is α·total and the second (1 − α)·total, so
    money is total/2 times the Lin-Lin loss. Without costs of its own the loss itself is the money.
    `declared` is the asymmetry of the unit costs, the one that is acted at; the others are listed.
    A hybrid of two models is wanted for a `target`: a bias, or an OVER. With training rows
    (`is_fitted`) there are fitted shifts: a constant, and a polynomial of this `degree`; one of
    score and α together as well, `with_alpha`. Where the training rows are those judged, number
    for number (`is_own`), the fitted constant is the best one, and no method of its own; where they
    share ids with them (`is_flattered`), what was fitted on them is no advice. `has_densities`
    where some model has a predictive density of each row. Where unit costs differ by row
    (`is_by_row`), `total` is their mean and the one asymmetry that of the means: a name for the
    place, at which no curve is drawn.
    """

    alphas: tuple[float, ...]
    total: float = 2.0
    unit: str = "y"
    is_priced: bool = False
    loss: LossName = "linlin"
    reaches: float | None = None
    target: tuple[Target, float] = ("bias", 0.0)
    is_fitted: bool = False
    degree: int = 0
    with_alpha: bool = False
    is_own: bool = False
    is_flattered: bool = False
    has_densities: bool = False
    declared: float | None = None
    is_by_row: bool = False

    @property
    def methods(self) -> tuple[FeasibleMethod, ...]:
        """The methods of shifting that there are; only some models have a density."""
        density: tuple[FeasibleMethod, ...] = (
            ("soft",) if self.has_densities and self.loss == "linlin" else ()
        )
        return (*self.options, *self.polynomials, *density)

    @property
    def polynomials(self) -> tuple[PolynomialMethod, ...]:
        """The polynomials that are fitted beside the constant, for Lin-Lin."""
        if not self.is_fitted or not self.degree or self.loss != "linlin":
            return ()
        return POLYNOMIALS if self.with_alpha else POLYNOMIALS[:1]

    @property
    def options(self) -> tuple[Shift, ...]:
        """The options that the decision table compares."""
        return (*DEPLOYABLE_SHIFTS, "fitted") if self.has_fitted_constant else DEPLOYABLE_SHIFTS

    @property
    def has_fitted_constant(self) -> bool:
        """Whether a constant was fitted on other rows."""
        return self.is_fitted and not self.is_own

    @property
    def per_case(self) -> float:
        """Money per unit of loss."""
        if not self.is_priced or self.is_by_row:
            return 1.0
        return self.total / LOSSES[self.loss].total

    @property
    def cases(self) -> int:
        """How many cases costs are counted for: 1,000 of money, one of a loss that is none."""
        return CASES if self.is_priced else 1

    @property
    def of_cases(self) -> float:
        """Money per 1,000 cases, per unit of loss; the loss itself where nothing is priced."""
        return self.cases * self.per_case

    @property
    def has_alpha(self) -> bool:
        """Whether the asymmetry is α, not c."""
        return not LOSSES[self.loss].is_exponential

    @property
    def power(self) -> Literal[1, 2]:
        """In which plane of over- and under-estimation equal costs lie on straight lines."""
        return LOSSES[self.loss].power

    @property
    def rroc(self) -> Curve:
        """The RROC curve in that plane."""
        return CURVES["rroc"].use(loss="quadquad" if self.power == 2 else "linlin")

    def model(self, unit: str) -> CostModelInfo:
        """Describe the cost model for the results, for a target of this unit."""
        return CostModelInfo(
            loss=self.loss,
            total=round_number(self.total),
            money=self.unit if self.unit != "y" else unit,
            cases=self.cases,
            is_priced=self.is_priced,
            declared=round_number(self.declared),
            is_by_row=self.is_by_row,
            reaches=round_number(self.reaches),
        )

    def use(self, asymmetry: float) -> dict[str, Scalar]:
        """Return the parameters of an expected cost at this asymmetry."""
        return {"loss": self.loss, "alpha" if self.has_alpha else "c": asymmetry}

    def metric(self, method: FeasibleMethod, place: int) -> Metric:
        """Return the expected cost that a shift method has at one of the asymmetries."""
        if self.is_by_row:
            name = "expected_cost_by_row"
            return METRICS[f"{name}_fitted" if method == "fitted" else name]
        is_polynomial = method in POLYNOMIALS
        return METRICS[METRIC_OF[method]].use(
            **self.use(self.alphas[place]),
            degree=self.degree if is_polynomial else 0,
            with_alpha=method == "surface",
        )

    @property
    def metrics(self) -> tuple[Metric, ...]:
        """Every expected cost that is told of."""
        places = range(len(self.alphas))
        return tuple(self.metric(method, place) for method in self.methods for place in places)

    def pair(self, alpha: float) -> tuple[float, float]:
        """Cost of one unit of y too low, and of one too high."""
        return alpha * self.total, (1 - alpha) * self.total

    @property
    def shifts(self) -> Statistic:
        """The best constants at the asymmetries asked for."""
        if self.is_by_row:
            return row_shift_statistic()
        return shift_statistic_at(self.alphas, self.loss)

    @property
    def fitted(self) -> ShiftStatistics:
        """Shifts fitted on other rows, at the asymmetries asked for."""
        return ShiftStatistics(self.alphas, self.loss, self.degree)

    def costs(self, shift: Shift) -> Statistic:
        """Return the losses at the requested asymmetries."""
        if self.is_by_row:
            return row_cost_statistic(shift)
        if shift == "fitted":
            return self.fitted.costs
        return cost_statistic_at(self.alphas, shift, self.loss)

    def cost(self, method: FeasibleMethod) -> Statistic:
        """Return the cost of a shift method at the requested asymmetries."""
        match method:
            case "soft":
                return self.fitted.density_costs
            case "surface":
                return self.fitted.costs_with_alpha
            case "polynomial":
                return self.fitted.polynomial_costs
        return self.costs(method)

    @property
    def fitted_constants(self) -> Statistic:
        """The constants of the training rows at the asymmetries asked for."""
        return fitted_row_shift_statistic() if self.is_by_row else self.fitted.constants

    @property
    def common_statistics(self) -> tuple[Statistic, ...]:
        """All that is replicated for each model, whether it has a density or not."""
        return (
            position_statistic(),
            self.shifts,
            *(self.cost(method) for method in self.methods if method != "soft"),
            *((self.fitted_constants,) if self.has_fitted_constant else ()),
            *(self.over_alpha(shift) for shift in self.options if not self.is_by_row),
        )

    @property
    def parts(self) -> tuple[Statistic, ...]:
        """All that is replicated."""
        by_density = "soft" in self.methods
        return (
            (*self.common_statistics, self.fitted.density_costs)
            if by_density
            else self.common_statistics
        )

    def over_alpha(self, shift: Shift) -> Curve:
        """Return the curve of the loss against every asymmetry."""
        return CURVES["cost"].use(shift=shift, loss=self.loss, c=self.reaches)
