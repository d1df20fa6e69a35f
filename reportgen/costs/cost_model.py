"""What errors cost where too low and too high do not cost the same, and what is read of it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from reportgen.costs.feasible import Method, PolynomialMethod, Shifted
from reportgen.costs.statistics import (
    costs_at,
    costs_by_row,
    fitted_by_row,
    position,
    shifts_at,
    shifts_by_row,
)
from reportgen.curves import CURVES, Curve
from reportgen.losses.losses import LOSSES, LossName
from reportgen.metrics import METRICS
from reportgen.metrics.spec import Metric
from reportgen.metrics.statistic import Statistic
from reportgen.results import CostModelInfo, Scalar, Shift, rounded

CASES = 1000
Target = Literal["bias", "over"]
SHIFTS: tuple[Shift, Shift] = ("none", "optimal")
POLYNOMIALS: tuple[PolynomialMethod, ...] = ("polynomial", "surface")
FITTED: tuple[Method, ...] = ("fitted", *POLYNOMIALS)
METRIC_OF: dict[Method, str] = {
    "none": "expected_cost",
    "optimal": "expected_cost_optimal",
    **dict.fromkeys(FITTED, "expected_cost_fitted"),
    "soft": "expected_cost_density",
}


@dataclass(frozen=True)
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
    def methods(self) -> tuple[Method, ...]:
        """The methods of shifting that there are; only some models have a density."""
        density: tuple[Method, ...] = (
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
        return (*SHIFTS, "fitted") if self.has_fitted_constant else SHIFTS

    @property
    def has_fitted_constant(self) -> bool:
        """Whether a constant was fitted on other rows."""
        return self.is_fitted and not self.is_own

    @property
    def per_case(self) -> float:
        """Money per unit of loss."""
        if not self.is_priced or self.is_by_row:
            return 1.0
        return self.total / (1 if self.loss == "pinball" else 2)

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
        return LOSSES[self.loss].parameter == "alpha"

    @property
    def power(self) -> Literal[1, 2]:
        """In which plane of over- and under-estimation equal costs lie on straight lines."""
        return 2 if self.loss == "quadquad" else 1

    @property
    def rroc(self) -> Curve:
        """The RROC curve in that plane."""
        return CURVES["rroc"].use(loss="quadquad" if self.power == 2 else "linlin")

    def model(self, unit: str) -> CostModelInfo:
        """What the results say of it, for a target of this unit."""
        return CostModelInfo(
            loss=self.loss,
            total=rounded(self.total),
            money=self.unit if self.unit != "y" else unit,
            cases=self.cases,
            is_priced=self.is_priced,
            declared=rounded(self.declared),
            is_by_row=self.is_by_row,
            reaches=rounded(self.reaches),
        )

    def use(self, asymmetry: float) -> dict[str, Scalar]:
        """The parameters of an expected cost at this asymmetry."""
        return {"loss": self.loss, "alpha" if self.has_alpha else "c": asymmetry}

    def metric(self, method: Method, place: int) -> Metric:
        """The expected cost that a way to shift has at one of the asymmetries."""
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
            return shifts_by_row()
        return shifts_at(self.alphas, self.loss)

    @property
    def fitted(self) -> Shifted:
        """Shifts fitted on other rows, at the asymmetries asked for."""
        return Shifted(self.alphas, self.loss, self.degree)

    def costs(self, shift: Shift) -> Statistic:
        """The losses at the asymmetries asked for."""
        if self.is_by_row:
            return costs_by_row(shift)
        if shift == "fitted":
            return self.fitted.costs
        return costs_at(self.alphas, shift, self.loss)

    def cost(self, method: Method) -> Statistic:
        """What a way to shift costs at the asymmetries asked for."""
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
        return fitted_by_row() if self.is_by_row else self.fitted.constants

    @property
    def shared(self) -> tuple[Statistic, ...]:
        """All that is replicated for each model, whether it has a density or not."""
        return (
            position(),
            self.shifts,
            *(self.cost(method) for method in self.methods if method != "soft"),
            *((self.fitted_constants,) if self.has_fitted_constant else ()),
            *(self.over_alpha(shift) for shift in self.options if not self.is_by_row),
        )

    @property
    def parts(self) -> tuple[Statistic, ...]:
        """All that is replicated."""
        by_density = "soft" in self.methods
        return (*self.shared, self.fitted.density_costs) if by_density else self.shared

    def over_alpha(self, shift: Shift) -> Curve:
        """The loss against every asymmetry."""
        return CURVES["cost"].use(shift=shift, loss=self.loss, c=self.reaches)
