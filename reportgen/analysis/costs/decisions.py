"""The cheapest model at each asymmetry, and the range over which that holds."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from itertools import combinations
from math import nan, sqrt

import numpy as np

from reportgen.analysis.costs.actions import ZERO, Action, Actions, estimate_with_limits
from reportgen.analysis.costs.cost_model import POLYNOMIALS, CostModel
from reportgen.analysis.costs.rroc_space import (
    iter_constant_lines,
    iter_error_decompositions,
    iter_mixtures,
    iter_rroc_points,
    iter_space_curves,
)
from reportgen.analysis.costs.shift_methods import Methods, iter_shift_costs, iter_shift_curves
from reportgen.analysis.curves import (
    JointAnalysis,
    Sign,
    SignRange,
    compute_curve_difference,
    compute_win_shares,
    find_sign_ranges,
)
from reportgen.analysis.plan import JointStatistic
from reportgen.inference.bands import measure_spread, sup_t_quantile
from reportgen.inference.resampled_intervals import critical_value
from reportgen.inference.sampling_distribution import SamplingDistribution
from reportgen.kernels.batch import Matrix, Vector
from reportgen.metrics.curves import Curve
from reportgen.metrics.losses.rroc_geometry import Line, find_crossings, lower_envelope
from reportgen.records import record
from reportgen.results.costs import (
    CheapestRange,
    CostAnalysis,
    CostDecision,
    CostOption,
    CostRange,
    Crossing,
    IntervalEstimate,
    ModelCost,
    RangeVerdict,
    Shift,
)
from reportgen.results.curves import CurveResult
from reportgen.results.types import round_number, round_numbers, round_to_ten_digits


@record(eq=False)
class CostComparison:
    """Comparison of all models at one asymmetry, with or without their constants."""

    actions: Actions
    place: int
    shift: Shift

    @property
    def joint(self) -> JointAnalysis:
        """All models."""
        return self.actions.joint

    @property
    def cost_model(self) -> CostModel:
        """What errors cost."""
        return self.actions.cost_model

    @property
    def alpha(self) -> float:
        """The asymmetry."""
        return self.cost_model.alphas[self.place]

    def cost(self, model: str, shift: Shift | None = None) -> SamplingDistribution:
        """Return the evidence of a model's cost per 1,000 cases."""
        return self.actions.cost(Action(model, shift or self.shift), self.place)

    def estimate_saving(self, instead: Action | None, model: str) -> IntervalEstimate:
        """Return what a model with this shift saves in place of an action."""
        if instead is None:
            return IntervalEstimate()
        return self.actions.less(instead, Action(model, self.shift), self.place)

    def constant(self, model: str) -> IntervalEstimate:
        """Return the constant to add; exactly 0 for scores as they are."""
        if self.shift == "none":
            return ZERO
        curve = (
            self.cost_model.fitted_constants if self.shift == "fitted" else self.cost_model.shifts
        )
        value = float(self.joint.value(curve, model)[self.place]) + 0.0  # never −0
        drawn = self.joint.drawn(curve, model)[:, self.place]
        if np.all(drawn == value):
            return IntervalEstimate.from_limits(value, value, value)
        evidence = self.joint.evidence(value, drawn, "quantile")
        return estimate_with_limits(evidence, self.joint.plan.inference.level)

    def shares(self) -> Vector:
        """In which share of the replicates each model is the cheapest; nan of few units."""
        curve = self.cost_model.costs(self.shift)
        joint = self.joint
        if any(self.cost(model).is_few for model in joint.models):
            return np.full(len(joint.models), np.nan)
        return compute_win_shares(
            np.stack([joint.drawn(curve, m)[:, self.place] for m in joint.models])
        )

    def best(self, shift: Shift | None = None) -> str:
        """Return the cheapest model; of equal ones the first of the config."""
        values = [self.cost(m, shift).value for m in self.joint.models]
        return self.joint.models[int(np.argmin(np.where(np.isfinite(values), values, np.inf)))]


def iter_decisions(actions: Actions) -> Iterator[CostDecision]:
    """One for each way to act at each asymmetry, with every model in it."""
    for place in range(len(actions.cost_model.alphas)):
        for shift in actions.cost_model.options:
            yield _build_decision(CostComparison(actions, place, shift))


def iter_options(actions: Actions) -> Iterator[CostOption]:
    """All that can be put to use at each asymmetry, the one that changes least first."""
    for place in range(len(actions.cost_model.alphas)):
        yield from _iter_options(actions, place)


def _build_decision(way: CostComparison) -> CostDecision:
    best, baseline, level = way.best(), way.joint.baseline, way.joint.plan.inference.level
    models = tuple(_iter_models(way, best))
    under, over = way.cost_model.pair(way.alpha) if way.cost_model.has_alpha else (None, None)
    share = next(each.share_best for each in models if each.model == best)
    others = (each for each in models if each.model != best)
    rivals = tuple(each.model for each in others if not each.is_distinguishable)
    return CostDecision(
        asymmetry=round_to_ten_digits(way.alpha),
        under=round_number(under),
        over=round_number(over),
        shift=way.shift,
        best=best,
        before=estimate_with_limits(way.cost(best, "none"), level),
        saving_same_shift=way.estimate_saving(
            Action(baseline, way.shift) if baseline else None, best
        ),
        saving_by_shift=way.estimate_saving(Action(way.best("none"), "none"), best),
        saving_share=_share_saved(way.actions, Action(best, way.shift), way.place),
        is_stable=share is not None and share >= level and not rivals,
        not_distinguishable=rivals,
        models=models,
    )


def _iter_models(way: CostComparison, best: str) -> Iterator[ModelCost]:
    cheapest = Action(best, way.shift)
    for model, share in zip(way.joint.models, way.shares(), strict=True):
        excess = way.actions.less(Action(model, way.shift), cheapest, way.place)
        yield ModelCost(
            model=model,
            constant=way.constant(model),
            cost=estimate_with_limits(way.cost(model), way.joint.plan.inference.level),
            saving=way.estimate_saving(way.actions.today, model),
            excess=excess,
            saving_by_shift=way.estimate_saving(Action(model, "none"), model),
            share_best=round_number(share),
            is_distinguishable=excess.is_above_zero,
        )


def _iter_options(actions: Actions, place: int) -> Iterator[CostOption]:
    cost_model, today, fitted = (
        actions.cost_model,
        actions.today,
        CostComparison(actions, place, "fitted"),
    )
    advised, rivals = actions.find_advice(place)
    cheapest = min(rivals, key=lambda a: actions.cost(a, place).value, default=None)
    for action in actions.useful(place):
        is_fitted, none = action.method == "fitted", IntervalEstimate()
        yield CostOption(
            asymmetry=round_to_ten_digits(cost_model.alphas[place]),
            model=action.model,
            method=action.method,
            degree=cost_model.degree if action.method in POLYNOMIALS else 0,
            constant=fitted.constant(action.model) if is_fitted else none,
            cost=estimate_with_limits(
                actions.cost(action, place), actions.joint.plan.inference.level
            ),
            saving=actions.less(today, action, place) if today else none,
            saving_share=_share_saved(actions, action, place),
            excess=actions.less(action, cheapest, place) if cheapest else none,
            is_distinguishable=action not in rivals,
            is_advised=action == advised,
        )


def _share_saved(actions: Actions, action: Action, place: int) -> IntervalEstimate:
    """Compute the saving as a share of the unshifted baseline's cost, with Fieller's limits.

    The share s at which s·before − saved may be zero: that of nothing saved is left out where
    zero is left out of the interval of what is saved, and only there. In blocks of time there are
    no limits: products of influences of one time miss what it shares with its neighbours.
    """
    today = actions.today
    if today is None or not (before := actions.cost(today, place)).value > 0:
        return IntervalEstimate()
    less = actions.less(today, action, place)
    if less.value is None or less == ZERO:
        return less
    cost, saved = actions.cost(action, place), less.value
    share = round_number(saved / before.value)
    has_limits = before.block is None and before.unit_df >= 1
    if before.influence is None or cost.influence is None or not has_limits:
        return IntervalEstimate(share)
    times = critical_value(actions.level(today, action, place), before.unit_df)
    size = max(before.value, abs(saved))  # costs of any currency have squares in units of it
    value, gain, se = before.value / size, saved / size, before.mean_se / size
    of, own = before.influence / size, (before.influence - cost.influence) / size
    spread = float(of @ of)
    factor = times**2 * se**2 / spread if spread > 0 else 0.0
    square = value**2 - factor * spread
    half = value * gain - factor * float(of @ own)
    rest = gain**2 - factor * float(own @ own)
    if not square > 0:
        return IntervalEstimate(share)
    root = sqrt(max(half**2 - square * rest, 0.0))
    low, high = (half - root) / square, (half + root) / square
    return IntervalEstimate(share, round_number(low), round_number(high))


MOST_MODELS = 6  # up to which every pair is looked at
VERDICTS: Mapping[Sign, RangeVerdict] = {-1: "cheaper", 0: "undetermined", 1: "dearer"}
ALL_PAIRS = "sup-t of all pairs"
Band = tuple[tuple[str, str], Vector, Vector, Vector, Vector | None]


def compute_cost_differences(
    joint: JointAnalysis, curve: Curve, first: str, second: str
) -> tuple[Vector, Vector, Matrix, Vector | None]:
    """α, the first model's cost minus the second's, its replicates, and the rows behind each α."""
    bound = joint.bound(curve, first)
    value = joint.value(curve, first) - joint.value(curve, second)
    drawn = joint.drawn(curve, first) - joint.drawn(curve, second)
    return bound.grid, value, drawn, bound.count_thinner_rows(joint.part.weight)


def iter_cheapest_ranges(actions: Actions) -> Iterator[CheapestRange]:
    """Yield the cheapest model over each range of α, by the estimates, for every shift."""
    joint = actions.joint
    for shift in actions.cost_model.options:
        curve = actions.cost_model.over_alpha(shift)
        lines = {m: (joint.bound(curve, m).grid, joint.value(curve, m)) for m in joint.models}
        for stretch in lower_envelope(lines).stretches:
            low, high = round_to_ten_digits(stretch.low), round_to_ten_digits(stretch.high)
            yield from (CheapestRange(shift, model, low, high) for model in stretch.models)


def iter_range_curves(actions: Actions) -> Iterator[CurveResult]:
    """Yield cost differences over the asymmetry, with the band that the ranges are read from."""
    joint = actions.joint
    for shift in actions.cost_model.options:
        curve, bands = actions.cost_model.over_alpha(shift), list(_iter_bands(actions, shift))
        for pair, _, value, half, _ in bands:
            found = compute_curve_difference(joint.analysis, joint.part, curve, *pair)
            if found is not None:
                low, high = round_numbers(value - half), round_numbers(value + half)
                method = ALL_PAIRS if len(bands) > 1 else found.method
                yield replace(found, band_low=low, band_high=high, method=method)


def iter_cost_ranges(actions: Actions) -> Iterator[CostRange]:
    """Where the band of a difference leaves out zero; it holds for all pairs and α at once."""
    for shift in actions.cost_model.options:
        for pair, x, value, half, rows in _iter_bands(actions, shift):
            for found in find_sign_ranges(x, value - half, value + half, rows):
                low, high = round_to_ten_digits(found.low), round_to_ten_digits(found.high)
                yield CostRange(shift, *pair, VERDICTS[found.sign], low, high)


def _iter_bands(actions: Actions, shift: Shift) -> Iterator[Band]:
    """Each pair that is compared, with α, the difference, half its band, and the rows behind it."""
    joint, curve = actions.joint, actions.cost_model.over_alpha(shift)
    pairs = [pair for pair in joint.plan.inference.pairs if set(pair) <= set(joint.models)]
    largest = [
        measure_spread(*compute_cost_differences(joint, curve, *pair)[1:])[1] for pair in pairs
    ]
    times = (
        sup_t_quantile(np.fmax.reduce(np.stack(largest)), joint.plan.inference.level)
        if pairs
        else nan
    )
    for pair in pairs:
        x, value, drawn, rows = compute_cost_differences(joint, curve, *pair)
        se, _ = measure_spread(value, drawn, rows)
        half = np.fmax(times, _compute_band_factor(actions, shift, pair, x, value, se)) * se
        yield pair, x, value, half, rows


def _compute_band_factor(
    actions: Actions, shift: Shift, pair: tuple[str, str], x: Vector, value: Vector, half: Vector
) -> float:
    """How many times `half` reaches as far as the decision's own limits, where it has any.

    These allow for other things than all α, and what they leave open a band must not decide.
    """
    times, cost_model = 0.0, actions.cost_model
    first, second = (Action(model, shift) for model in pair)
    for place, at in enumerate(cost_model.alphas):
        less, known = actions.less(first, second, place), np.isfinite(half)
        whole, low, high = less.value, less.low, less.high
        if whole is None or low is None or high is None or not known.any():
            continue
        money = cost_model.of_cases * (1.0 if cost_model.has_alpha else at**2 / 2)
        own = money * float(np.interp(at, x[known], half[known]))
        off = abs(money * float(np.interp(at, x, value)) - whole)
        times = max(times, (max(whole - low, high - whole) + off) / own) if own > 0 else times
    return times


def iter_model_crossings(actions: Actions) -> Iterator[Crossing]:
    """Each pair's crossings: {α: the interval of the paired difference holds 0}, piece by piece.

    A set of one piece has one row, an empty one a row without bounds.
    """
    for shift in actions.cost_model.options:
        for first, second in _list_pairs(actions.joint):
            yield from _iter_crossings(actions, shift, first, second)


def _iter_crossings(actions: Actions, shift: Shift, first: str, second: str) -> Iterator[Crossing]:
    joint, curve = actions.joint, actions.cost_model.over_alpha(shift)
    x, value, drawn, rows = compute_cost_differences(joint, curve, first, second)
    half = joint.limits(value, drawn)[1] - value
    half = half * max(_compute_band_factor(actions, shift, (first, second), x, value, half), 1.0)
    found = find_sign_ranges(x, value - half, value + half, rows)
    if not found:
        return
    line: Line = (x, value)
    at = find_crossings(line, (x[[0, -1]], np.zeros(2)))
    ends = (round_number(found[0].low), round_number(found[-1].high))
    names = {-1: first, 0: None, 1: second}
    held = [k for k, each in enumerate(found) if each.sign == 0]
    if not held:
        only = names[found[0].sign]
        yield Crossing(shift, first, second, None, None, None, only, only, *ends)
    for k in held:
        below = names[found[k - 1].sign] if k > 0 else None
        above = names[found[k + 1].sign] if k + 1 < len(found) else None
        limits = (round_number(found[k].low), round_number(found[k].high))
        for alpha in _list_crossings_inside(at, found[k]):
            yield Crossing(shift, first, second, alpha, *limits, below, above, *ends)


def _list_crossings_inside(at: Vector, piece: SignRange) -> list[float | None]:
    """Return the estimated crossings within a piece; one None if there is none."""
    inside = [round_number(float(a)) for a in at if piece.low <= a <= piece.high]
    return inside or [None]


def _list_pairs(joint: JointAnalysis) -> list[tuple[str, str]]:
    if len(joint.models) <= MOST_MODELS:
        return list(combinations(joint.models, 2))
    known = set(joint.models)
    return [pair for pair in joint.plan.inference.pairs if set(pair) <= known]


def cost_statistic(cost_model: CostModel, methods: Methods | None = None) -> JointStatistic:
    """All that is found of costs, and of methods to shift, for the models of amounts."""
    beside = () if methods is None else methods.common_statistics

    def find(asked: JointAnalysis) -> Iterator[CostAnalysis | CurveResult]:
        joint = replace(asked, parts=(*cost_model.common_statistics, *beside))
        if not joint.models:
            return
        actions = Actions(joint, cost_model)
        yield _build_analysis(actions, methods)
        yield from _iter_curves(actions)
        if methods is not None:
            yield from iter_shift_curves(actions, methods)

    return JointStatistic((*cost_model.parts, *beside), find, cost_model.metrics)


def _build_analysis(actions: Actions, methods: Methods | None) -> CostAnalysis:
    joint, cost_model = actions.joint, actions.cost_model
    plan = joint.plan
    found = CostAnalysis(
        dataset=plan.dataset,
        model=cost_model.model(plan.statistics.unit),
        decisions=tuple(iter_decisions(actions)),
        options=tuple(iter_options(actions)),
        decompositions=tuple(iter_error_decompositions(joint)),
        shifts=() if methods is None else tuple(iter_shift_costs(actions, methods)),
    )
    if cost_model.is_by_row:  # no asymmetry is that of all rows, so nothing runs over it
        return found
    return replace(
        found,
        envelope=tuple(iter_cheapest_ranges(actions)),
        ranges=tuple(iter_cost_ranges(actions)),
        crossings=tuple(iter_model_crossings(actions)),
        points=tuple(iter_rroc_points(joint, cost_model)),
        mixtures=tuple(iter_mixtures(joint, cost_model)),
    )


def _iter_curves(actions: Actions) -> Iterator[CurveResult]:
    joint, cost_model = actions.joint, actions.cost_model
    if cost_model.is_by_row:
        yield from iter_constant_lines(joint, cost_model)
        return
    yield from iter_space_curves(joint, cost_model)
    yield from iter_range_curves(actions)
