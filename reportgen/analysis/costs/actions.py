"""Actions: a model with a shift of its scores, its cost, and what it saves."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import field, replace
from functools import cached_property
from math import inf, isfinite

import numpy as np
from scipy import special

from reportgen.analysis.costs.cost_model import FITTED_METHODS, CostModel, FeasibleMethod
from reportgen.analysis.costs.rroc_plane import get_amounts
from reportgen.analysis.curves import JointAnalysis
from reportgen.analysis.plan import plan_unlisted_metric
from reportgen.inference.bands import measure_spread
from reportgen.inference.differences import build_contrast
from reportgen.inference.intervals import compute_interval
from reportgen.inference.multiplicity import max_deviation_quantile
from reportgen.inference.sampling_distribution import RootDistribution, SamplingDistribution
from reportgen.kernels.batch import Vector
from reportgen.metrics.losses.loss_functions import compute_signed_costs
from reportgen.records import record
from reportgen.results.costs import IntervalEstimate

CHANGE: tuple[FeasibleMethod, ...] = (
    "none",
    "fitted",
    "polynomial",
    "surface",
    "soft",
)  # least first
ZERO = IntervalEstimate(0.0, 0.0, 0.0)
_SURE = 1 - 1e-12  # past that a level has no quantile


@record
class Action:
    """A model, and the way in which its scores are shifted."""

    model: str
    method: FeasibleMethod


@record(eq=False)
class Actions:
    """Actions in the cost tables, with one interval for each pair of them."""

    joint: JointAnalysis
    cost_model: CostModel
    _known: dict[tuple[Action, int], SamplingDistribution] = field(default_factory=dict)

    def list_methods(self, model: str) -> tuple[FeasibleMethod, ...]:
        """Return the methods of shifting that one model has."""
        has_density = (
            self.cost_model.fitted.density_costs.key,
            model,
        ) in self.joint.part.joint_parts
        return tuple(m for m in self.cost_model.methods if m != "soft" or has_density)

    @cached_property
    def every(self) -> tuple[Action, ...]:
        """Each model with each of its methods."""
        return tuple(
            Action(m, method) for m in self.joint.models for method in self.list_methods(m)
        )

    @cached_property
    def today(self) -> Action | None:
        """The baseline as it is: what is done now."""
        baseline = self.joint.baseline
        return Action(baseline, "none") if baseline else None

    def useful(self, place: int) -> list[Action]:
        """Those that can be put to use, the one that changes least first.

        The best constant knows the answers; what was fitted on the rows that it is judged on is
        no advice; and a cost of one side alone has no best shift.
        """
        methods = self._useful_methods(place)
        found = [a for a in self.every if a.method in methods]
        baseline = self.joint.baseline
        return sorted(found, key=lambda a: (a.model != baseline, CHANGE.index(a.method)))

    def cost(self, action: Action, place: int) -> SamplingDistribution:
        """Return the evidence of an action's cost per 1,000 cases, given its shift."""
        if (action, place) not in self._known:
            self._known[action, place] = self._cost(action, place)
        return self._known[action, place]

    def less(self, first: Action, second: Action, place: int) -> IntervalEstimate:
        """Return how much more the first action costs, with limits; exactly 0 if they never differ.

        The limits are those of the pair's family, in the order of the two names.
        """
        found = self.difference(first, second, place)
        if first == second or (found.value == 0 and not np.any(found.replicates)):
            return ZERO
        return estimate_with_limits(found, self.level(first, second, place))

    def difference(self, first: Action, second: Action, place: int) -> SamplingDistribution:
        """Return the difference's evidence; for one metric of two models, as used everywhere."""
        found = build_contrast(self.cost(first, place), self.cost(second, place), "lower")
        if self.cost_model.is_by_row and first.method == "optimal":
            return found
        if first.method != second.method or first.model == second.model:
            return found
        use = plan_unlisted_metric(self.cost_model.metric(first.method, place))
        analysis, part = self.joint.analysis, self.joint.part
        return self._scale_evidence(found, analysis.decider(part, use, first.model, second.model))

    def _scale_evidence(
        self, evidence: SamplingDistribution, basis: RootDistribution | None
    ) -> SamplingDistribution:
        """Add to the evidence what decides in its place, in money per 1,000 cases."""
        if basis is None or basis.line is None:
            return replace(evidence, basis=basis)
        line = (self.cost_model.of_cases * basis.line[0], self.cost_model.of_cases * basis.line[1])
        return replace(evidence, basis=replace(basis, line=line))

    def level(self, first: Action, second: Action, place: int) -> float:
        """Return the level at which the difference of two actions is assessed on its own."""
        methods = self._useful_methods(place)
        is_useful = first.method in methods and second.method in methods
        if self.today in (first, second):
            return self._of_today[self.judged_with(place)] if is_useful else self._in_hindsight
        return (self._action_pairs if is_useful else self._hindsight_pairs)[place]

    def judged_with(self, place: int) -> tuple[int, ...]:
        """Return the asymmetries that advice at one of them allows for.

        That of the declared unit costs is acted at, and stands alone; the others are looked at.
        """
        is_declared = [alpha == self.cost_model.declared for alpha in self.cost_model.alphas]
        return tuple(k for k in self._places if is_declared[k] == is_declared[place])

    def find_advice(self, place: int) -> tuple[Action | None, list[Action]]:
        """Return the advised action, and all not shown to cost more than the cheapest one.

        What is done now, while it is among these; else, of those shown to save, what changes
        least, and of equal changes the cheapest. None without a model in use, or without its cost.
        """
        known = [a for a in self.useful(place) if isfinite(self.cost(a, place).value)]
        if not known:
            return None, []
        cheapest = min(known, key=lambda a: self.cost(a, place).value)
        level = [a for a in known if not self.less(a, cheapest, place).is_above_zero]
        today = self.today
        if today is None or today in level or today not in known:
            return (today if today in level else None), level
        saving = [a for a in level if self.less(today, a, place).is_above_zero]
        order = (saving[0].model == today.model, saving[0].method)
        return min(
            (a for a in saving if (a.model == today.model, a.method) == order),
            key=lambda a: self.cost(a, place).value,
        ), level

    def _useful_methods(self, place: int) -> Sequence[FeasibleMethod]:
        is_one_sided = self.cost_model.has_alpha and self.cost_model.alphas[place] in (0.0, 1.0)
        ruled_out = FITTED_METHODS if self.cost_model.is_flattered else ()
        return CHANGE[:1] if is_one_sided else [m for m in CHANGE if m not in ruled_out]

    @cached_property
    def _of_today(self) -> Mapping[tuple[int, ...], float]:
        """What can be put to use against the baseline as it is, by the asymmetries together."""
        return {
            places: self._alone([self._from_today(self.useful(k), k) for k in places])
            for places in map(self.judged_with, self._places)
        }

    @cached_property
    def _in_hindsight(self) -> float:
        """What cannot be put to use against the baseline as it is, at all asymmetries."""
        return self._alone([self._from_today(self._useless(k), k) for k in self._places])

    @cached_property
    def _action_pairs(self) -> tuple[float, ...]:
        """At each asymmetry all pairs that can be put to use, without the baseline as it is."""
        found = []
        for place in self._places:
            others = [a for a in self.useful(place) if a != self.today]
            pairs = [self._farthest(a, others[k:], place) for k, a in enumerate(others, 1)]
            found.append(self._alone(pairs))
        return tuple(found)

    @cached_property
    def _hindsight_pairs(self) -> tuple[float, ...]:
        """At each asymmetry all other pairs without the baseline as it is."""
        found = []
        for place in self._places:
            useful = [a for a in self.useful(place) if a != self.today]
            useless = self._useless(place)
            pairs = [
                self._farthest(a, [*useful, *useless[k:]], place) for k, a in enumerate(useless, 1)
            ]
            found.append(self._alone(pairs))
        return tuple(found)

    def _useless(self, place: int) -> list[Action]:
        methods = self._useful_methods(place)
        return [action for action in self.every if action.method not in methods]

    @property
    def _places(self) -> range:
        return range(len(self.cost_model.alphas))

    def _from_today(self, actions: Sequence[Action], place: int) -> tuple[int, Vector]:
        """How many actions differ from the baseline as it is, and how far these are off at most."""
        assert self.today is not None
        return self._farthest(self.today, [a for a in actions if a != self.today], place)

    def _farthest(self, one: Action, others: Sequence[Action], place: int) -> tuple[int, Vector]:
        """How many differences vary, and by how many standard errors each replicate is off."""
        own, columns = self._column(one, place), [self._column(a, place) for a in others]
        if not columns:
            return 0, np.full(len(own[1]), np.nan)
        values = np.array([value for value, _ in columns]) - own[0]
        drawn = np.column_stack([each for _, each in columns]) - own[1][:, None]
        se, farthest = measure_spread(values, drawn)
        return int((se > 0).sum()), farthest

    def _column(self, action: Action, place: int) -> tuple[float, Vector]:
        curve = self.cost_model.cost(action.method)
        value = float(self.joint.value(curve, action.model)[place])
        return value, self.joint.drawn(curve, action.model)[:, place]

    def _alone(self, found: Sequence[tuple[int, Vector]]) -> float:
        """Return the level of each difference at which all of a family hold together."""
        level, df = self.joint.plan.inference.level, self.joint.df
        if sum(members for members, _ in found) <= 1:
            return level
        largest = np.fmax.reduce(np.stack([farthest for _, farthest in found]))
        times = max_deviation_quantile(largest, level, df)
        if not isfinite(times):
            return level
        t = special.ndtr(-times) if df == inf else special.stdtr(df, -times)
        return min(max(1 - 2 * float(t), level), _SURE)

    def _cost(self, action: Action, place: int) -> SamplingDistribution:
        joint, money = self.joint, self.cost_model.of_cases
        metric = self.cost_model.metric(action.method, place)
        influence = self._influence(action, place)
        value, drawn = self._column(action, place)
        found = joint.evidence(
            money * value,
            money * drawn,
            "mean",
            None if influence is None else money * influence,
            (0.0, inf),
        )
        if self.cost_model.is_by_row and action.method == "optimal":
            return found
        return self._scale_evidence(
            found, joint.analysis.root(joint.part, plan_unlisted_metric(metric), action.model)
        )

    def _influence(self, action: Action, place: int) -> Vector | None:
        """Cost less mean cost: that the best shift moves changes nothing to first order."""
        rows, weight = self.joint.part.data[action.model], self.joint.part.weight
        if not self.cost_model.is_by_row or action.method != "optimal":
            return self.cost_model.metric(action.method, place).bind(rows).influence(weight)
        shift = float(self.joint.value(self.cost_model.shifts, action.model)[place])
        given = get_amounts(self.joint, action.model)
        costs = np.abs(compute_signed_costs(given.error.values + shift, given.unit_costs))
        return np.asarray(costs - weight @ costs / weight.sum())


def estimate_with_limits(evidence: SamplingDistribution, level: float) -> IntervalEstimate:
    """Return a value with limits by the method that suits it; without spread there are none."""
    found = compute_interval(evidence, "auto", level)
    return IntervalEstimate.from_limits(evidence.value, found.low, found.high)
