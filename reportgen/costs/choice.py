"""The decision: at each asymmetry the cheapest model, its shift, its cost, what it saves.

Costs are money per 1,000 cases. A model `as it is` and a model with its best constant are two
ways to act, and there is a decision for each; a third is the constant that was fitted on other
rows, which is what can really be put to use. The options are all that can be, polynomials and
densities too, and which of it is advised.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from math import sqrt

import numpy as np

from reportgen.analysis.joint import JointAnalysis, wins
from reportgen.costs.actions import ZERO, Action, Actions, estimated
from reportgen.costs.cost_model import POLYNOMIALS, CostModel
from reportgen.inference.evidence import Evidence
from reportgen.inference.resampled import critical
from reportgen.kernels.batch import Vector
from reportgen.results import (
    CostDecision,
    CostOption,
    IntervalEstimate,
    ModelCost,
    Shift,
    rounded,
    ten_digits,
)


@dataclass(frozen=True, eq=False)
class Way:
    """All models at one asymmetry, with or without their constants."""

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

    def cost(self, model: str, shift: Shift | None = None) -> Evidence:
        """What is known of a model's cost per 1,000 cases."""
        return self.actions.cost(Action(model, shift or self.shift), self.place)

    def saved(self, instead: Action | None, model: str) -> IntervalEstimate:
        """What a model saves, treated this way, in place of an action."""
        if instead is None:
            return IntervalEstimate()
        return self.actions.less(instead, Action(model, self.shift), self.place)

    def constant(self, model: str) -> IntervalEstimate:
        """The constant to add; exactly 0 as it is."""
        if self.shift == "none":
            return ZERO
        curve = (
            self.cost_model.fitted_constants if self.shift == "fitted" else self.cost_model.shifts
        )
        value = float(self.joint.value(curve, model)[self.place]) + 0.0  # never −0
        drawn = self.joint.drawn(curve, model)[:, self.place]
        if np.all(drawn == value):
            return IntervalEstimate.of(value, value, value)
        evidence = self.joint.evidence(value, drawn, "quantile")
        return estimated(evidence, self.joint.plan.level)

    def shares(self) -> Vector:
        """In which share of the replicates each model is the cheapest; nan of few units."""
        curve = self.cost_model.costs(self.shift)
        joint = self.joint
        if any(self.cost(model).is_few for model in joint.models):
            return np.full(len(joint.models), np.nan)
        return wins(np.stack([joint.drawn(curve, m)[:, self.place] for m in joint.models]))

    def best(self, shift: Shift | None = None) -> str:
        """The cheapest model; of equal ones the first of the config."""
        values = [self.cost(m, shift).value for m in self.joint.models]
        return self.joint.models[int(np.argmin(np.where(np.isfinite(values), values, np.inf)))]


def decisions(actions: Actions) -> Iterator[CostDecision]:
    """One for each way to act at each asymmetry, with every model in it."""
    for place in range(len(actions.cost_model.alphas)):
        for shift in actions.cost_model.options:
            yield _decision(Way(actions, place, shift))


def options(actions: Actions) -> Iterator[CostOption]:
    """All that can be put to use at each asymmetry, the one that changes least first."""
    for place in range(len(actions.cost_model.alphas)):
        yield from _options(actions, place)


def _decision(way: Way) -> CostDecision:
    best, baseline, level = way.best(), way.joint.baseline, way.joint.plan.level
    models = tuple(_models(way, best))
    under, over = way.cost_model.pair(way.alpha) if way.cost_model.has_alpha else (None, None)
    share = next(each.share_best for each in models if each.model == best)
    others = (each for each in models if each.model != best)
    rivals = tuple(each.model for each in others if not each.is_distinguishable)
    return CostDecision(
        asymmetry=ten_digits(way.alpha),
        under=rounded(under),
        over=rounded(over),
        shift=way.shift,
        best=best,
        before=estimated(way.cost(best, "none"), level),
        saving_same_shift=way.saved(Action(baseline, way.shift) if baseline else None, best),
        saving_by_shift=way.saved(Action(way.best("none"), "none"), best),
        saving_share=_share_saved(way.actions, Action(best, way.shift), way.place),
        is_stable=share is not None and share >= level and not rivals,
        not_distinguishable=rivals,
        models=models,
    )


def _models(way: Way, best: str) -> Iterator[ModelCost]:
    cheapest = Action(best, way.shift)
    for model, share in zip(way.joint.models, way.shares(), strict=True):
        excess = way.actions.less(Action(model, way.shift), cheapest, way.place)
        yield ModelCost(
            model=model,
            constant=way.constant(model),
            cost=estimated(way.cost(model), way.joint.plan.level),
            saving=way.saved(way.actions.today, model),
            excess=excess,
            saving_by_shift=way.saved(Action(model, "none"), model),
            share_best=rounded(share),
            is_distinguishable=excess.is_above_zero,
        )


def _options(actions: Actions, place: int) -> Iterator[CostOption]:
    cost_model, today, fitted = actions.cost_model, actions.today, Way(actions, place, "fitted")
    advised, rivals = actions.advised(place)
    cheapest = min(rivals, key=lambda a: actions.cost(a, place).value, default=None)
    for action in actions.useful(place):
        is_fitted, none = action.method == "fitted", IntervalEstimate()
        yield CostOption(
            asymmetry=ten_digits(cost_model.alphas[place]),
            model=action.model,
            method=action.method,
            degree=cost_model.degree if action.method in POLYNOMIALS else 0,
            constant=fitted.constant(action.model) if is_fitted else none,
            cost=estimated(actions.cost(action, place), actions.joint.plan.level),
            saving=actions.less(today, action, place) if today else none,
            saving_share=_share_saved(actions, action, place),
            excess=actions.less(action, cheapest, place) if cheapest else none,
            is_distinguishable=action not in rivals,
            is_advised=action == advised,
        )


def _share_saved(actions: Actions, action: Action, place: int) -> IntervalEstimate:
    """What is saved as a share of the cost of the baseline as it is, with Fieller's limits.

    The share s at which s·before − saved may be zero: that of nothing saved is left out where
    zero is left out of the interval of what is saved, and only there.
    """
    today = actions.today
    if today is None or not (before := actions.cost(today, place)).value > 0:
        return IntervalEstimate()
    less = actions.less(today, action, place)
    if less.value is None or less == ZERO:
        return less
    cost, saved = actions.cost(action, place), less.value
    share = rounded(saved / before.value)
    if before.influence is None or cost.influence is None or before.unit_df < 1:
        return IntervalEstimate(share)
    times = critical(actions.level(today, action, place), before.unit_df)
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
    return IntervalEstimate(share, rounded(low), rounded(high))
