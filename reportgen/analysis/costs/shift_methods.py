"""Methods of shifting scores, side by side."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import cached_property

import numpy as np

from reportgen.analysis.costs.actions import Action, Actions, estimate_with_limits
from reportgen.analysis.costs.cost_model import (
    MANY,
    POLYNOMIALS,
    CostModel,
    FeasibleMethod,
    PolynomialMethod,
    ShiftStatistics,
    compute_shift_path,
    get_training_rows,
)
from reportgen.analysis.costs.rroc_plane import COST_GAP, RROC_PATH, build_curve_result, get_amounts
from reportgen.analysis.curves import JointAnalysis
from reportgen.inference.bands import pointwise_limits, simultaneous_band
from reportgen.inference.differences import build_contrast
from reportgen.inference.intervals import compute_interval
from reportgen.inference.sampling_distribution import SamplingDistribution
from reportgen.kernels.batch import Vector
from reportgen.metrics.losses.shifts import ALPHA_GRID
from reportgen.metrics.statistic import Statistic
from reportgen.records import record
from reportgen.results.costs import IntervalEstimate, ShiftCost
from reportgen.results.curves import CurveResult
from reportgen.results.types import Scalar, round_numbers, round_to_ten_digits

ROUNDING = 1e-12  # of a cost: what is less is no gap
PLACES = np.linspace(0.05, 0.95, 19)  # α at which paths are drawn
GRID = tuple(round(float(a), 10) for a in np.linspace(0.02, 0.98, 49))  # and gaps


@record
class Methods:
    """The methods of shifting that a table compares.

    `polynomials_at` are the α at which the gaps of polynomials are found, each with a fit of
    its own.
    """

    cost_model: CostModel
    polynomials_at: tuple[float, ...] = ALPHA_GRID

    @property
    def shifted(self) -> ShiftStatistics:
        """The shifts at the asymmetries asked for."""
        return self.cost_model.fitted

    @property
    def along(self) -> ShiftStatistics:
        """The shifts over all α."""
        return replace(self.shifted, grid=GRID, degree=0)

    def over_best(self, method: PolynomialMethod) -> Statistic:
        """Return the excess cost of a polynomial over the best constant, against α."""
        return replace(self.shifted, grid=self.polynomials_at).over_best(method)

    @property
    def common_statistics(self) -> tuple[Statistic, ...]:
        """What every model has."""
        cost_model, own, along = self.cost_model, self.shifted, self.along
        always = (
            *(cost_model.cost(m) for m in cost_model.methods if m != "soft"),
            cost_model.shifts,
        )
        fits = (
            own.constants,
            own.distance_from_best,
            own.gaps,
            along.gaps,
            along.distance_from_best,
        )
        gaps = [self.over_best(each) for each in cost_model.polynomials]
        again = (own.polynomial_gaps,) if cost_model.polynomials else ()
        return (*always, *(fits if cost_model.has_fitted_constant else ()), *gaps, *again)


def iter_shift_costs(actions: Actions, methods: Methods) -> Iterator[ShiftCost]:
    """Every model with every way of its own, at each asymmetry."""
    for place in range(len(actions.cost_model.alphas)):
        yield from _iter_costs(actions, methods, place)


def iter_shift_curves(actions: Actions, methods: Methods) -> Iterator[CurveResult]:
    """Yield the paths of every shift method in RROC space, and the gaps against α."""
    joint = actions.joint
    for model in joint.models:
        yield from _iter_paths(actions, methods, model)
    if methods.cost_model.has_fitted_constant:
        yield from (_gap_curve(joint, methods, model) for model in joint.models)
    for method in methods.cost_model.polynomials:
        yield from (_polynomial_gap(joint, methods, method, m) for m in joint.models)


@record(eq=False)
class _MethodAtAsymmetry:
    """One model, one way to shift, at one of the asymmetries asked for."""

    actions: Actions
    methods: Methods
    model: str
    method: FeasibleMethod
    place: int

    @property
    def joint(self) -> JointAnalysis:
        """All models."""
        return self.actions.joint

    def evidence(self, method: FeasibleMethod) -> SamplingDistribution:
        """Return the evidence of the cost of another method."""
        return self.actions.cost(Action(self.model, method), self.place)

    @cached_property
    def gap(self) -> tuple[float, float, float, int]:
        """Cost over that of the best constant: value, low, high, and resamples behind them."""
        if self.method == "optimal":
            return 0.0, 0.0, 0.0, 0
        own, best = self.evidence(self.method), self.evidence("optimal")
        value = own.value - best.value
        drawn = self._gaps(own.replicates - best.replicates)
        if not len(drawn):  # the shift is given
            found = compute_interval(build_contrast(own, best, "lower"), "auto", self._level)
            return value, found.low, found.high, 0
        low, high = pointwise_limits(drawn[:, None], self._level)
        is_apart = self.method == "polynomial" or self._is_apart()
        return value, float(low[0]) if is_apart else 0.0, float(high[0]), len(drawn)

    def _gaps(self, given: Vector) -> Vector:
        """Resamples of the gap, also of the training rows; none if the shift is given."""
        if self.method in ("soft", "surface"):
            return np.empty(0)
        if self.method == "none":
            return given[np.isfinite(given)]
        own = self.methods.shifted
        curve = own.gaps if self.method == "fitted" else own.polynomial_gaps
        drawn = self.joint.drawn(curve, self.model)[:, self.place]
        return self.methods.cost_model.of_cases * drawn[np.isfinite(drawn)]

    def _is_apart(self) -> bool:
        """Whether the constant that is added is told from the best one."""
        is_fitted = self.method == "fitted"
        curve = (
            self.methods.shifted.distance_from_best if is_fitted else self.methods.cost_model.shifts
        )
        drawn = self.joint.drawn(curve, self.model)[:, self.place]
        low, high = pointwise_limits(drawn[:, None], self._level)
        return bool(low[0] > 0 or high[0] < 0)

    @property
    def _level(self) -> float:
        return self.joint.plan.inference.level


def _iter_costs(actions: Actions, methods: Methods, place: int) -> Iterator[ShiftCost]:
    costs = {action: actions.cost(action, place) for action in actions.every}
    useful = {
        a: cost.value
        for a, cost in costs.items()
        if a.method != "optimal" and np.isfinite(cost.value)
    }
    best = min(useful, key=lambda a: useful[a], default=None)
    none, today = IntervalEstimate(), actions.today
    for action, cost in costs.items():
        is_told = best is not None and action.method != "optimal"
        *gap, resamples = _MethodAtAsymmetry(
            actions, methods, action.model, action.method, place
        ).gap
        yield ShiftCost(
            asymmetry=round_to_ten_digits(methods.cost_model.alphas[place]),
            model=action.model,
            method=action.method,
            degree=methods.cost_model.degree if action.method in POLYNOMIALS else 0,
            cost=estimate_with_limits(cost, actions.joint.plan.inference.level),
            gap=IntervalEstimate.from_limits(
                *((0.0 if abs(each) <= ROUNDING * cost.value else each) for each in gap)
            ),
            saving=actions.less(today, action, place) if today else none,
            excess=actions.less(action, best, place) if best and is_told else none,
            resamples=resamples,
        )


def _iter_paths(actions: Actions, methods: Methods, model: str) -> Iterator[CurveResult]:
    """Where each way puts the model while α rises, for Lin-Lin."""
    joint = actions.joint
    rows, weight = get_amounts(joint, model), joint.part.weight
    degree = methods.cost_model.degree
    is_large = rows.fit is not None and len(rows.fit.rows) > MANY
    for method in actions.list_methods(model):
        alphas = PLACES[9:10] if method == "none" else PLACES
        alphas = PLACES[::3] if method == "polynomial" and is_large else alphas
        over, under = compute_shift_path(rows, weight, alphas, method, degree)
        params: dict[str, Scalar] = {"method": method}
        if method in POLYNOMIALS:
            params["degree"] = degree
        yield build_curve_result(joint, RROC_PATH, params, over, under, model=model)


def _gap_curve(joint: JointAnalysis, methods: Methods, model: str) -> CurveResult:
    """Build the fitted constant's excess cost over the best one against α, with pointwise limits.

    The limits begin at 0 but where the constants are told apart, all α and models allowed for.
    """
    along, level = methods.along, joint.plan.inference.level
    low, high = pointwise_limits(joint.drawn(along.gaps, model), level)
    value = joint.value(along.gaps, model)
    params: dict[str, Scalar] = {"shift": "fitted", "method": "fitted"}
    made = build_curve_result(joint, COST_GAP, params, np.array(GRID), value, model=model)
    return replace(
        made,
        low=round_numbers(np.where(_find_distinct_alphas(joint, along, model), low, 0.0)),
        high=round_numbers(high),
        method="percentile",
    )


def _polynomial_gap(
    joint: JointAnalysis, methods: Methods, method: PolynomialMethod, model: str
) -> CurveResult:
    """Build a polynomial's excess cost over the best constant, with a band for all α and models."""
    curve, alphas = methods.over_best(method), np.array(methods.polynomials_at)
    value = joint.value(curve, model)
    band = simultaneous_band(
        value,
        joint.drawn(curve, model),
        1 - (1 - joint.plan.inference.level) / len(joint.models),
        joint.part.n * np.minimum(alphas, 1 - alphas),
    )
    params: dict[str, Scalar] = {
        "shift": "fitted",
        "method": method,
        "degree": methods.cost_model.degree,
    }
    made = build_curve_result(joint, COST_GAP, params, alphas, value, model=model)
    low, high = round_numbers(band.low), round_numbers(band.high)
    return replace(made, low=low, high=high, method="sup-t")


def _find_distinct_alphas(joint: JointAnalysis, along: ShiftStatistics, model: str) -> Vector:
    """At which α the fitted constant is told from the best one, for all α and models at once."""
    data = get_amounts(joint, model)
    rows = min(len(data), len(get_training_rows(data).rows))
    grid = np.array(along.grid)
    band = simultaneous_band(
        joint.value(along.distance_from_best, model),
        joint.drawn(along.distance_from_best, model),
        1 - (1 - joint.plan.inference.level) / len(joint.models),
        rows * np.minimum(grid, 1 - grid),
    )
    return np.asarray((band.low > 0) | (band.high < 0))
