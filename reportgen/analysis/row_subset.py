"""All rows, or one segment, of a plan, with every statistic bound to them."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from itertools import combinations
from typing import Any, TypeVar, cast

import numpy as np
from numpy.typing import NDArray

from reportgen.analysis.bound_statistics import (
    BoundCurves,
    BoundMetrics,
    Mapped,
    Pair,
    StandardErrors,
)
from reportgen.analysis.plan import (
    AnalysisPlan,
    FoldAssignment,
    PlannedMetric,
    Segment,
    explain_unsuited,
    find_root_metrics,
    iter_all_curves,
    plan_unlisted_metric,
)
from reportgen.inference.resampling.replicates import ModelKey, Replicated, RowSlice, StatisticKey
from reportgen.inference.resampling.studentize import BoundStandardError, FrozenStandardError
from reportgen.inference.sampling_distribution import FoldValues, WeightBalance, measure_balance
from reportgen.kernels.batch import BATCH_SIZE, Batch, Index, Vector
from reportgen.metrics.curves.curve import BoundCurve, Curve
from reportgen.metrics.folds import bind_curve_in_folds, bind_metric
from reportgen.metrics.influence import KEPT_TO
from reportgen.metrics.metric import BoundMetric, MonotoneImage
from reportgen.metrics.rows import Rows
from reportgen.metrics.statistic import BoundStatistic, Statistic
from reportgen.records import record


class FoldRows:
    """Rows `among` those of a plan (None: all), (n,) of `weight`, as the folds cut them."""

    def __init__(
        self, folding: FoldAssignment, among: Index | None, data: Mapping[str, Rows], weight: Vector
    ) -> None:
        code = folding.code if among is None else folding.code[among]
        self.members = [np.flatnonzero(code == k) for k in range(len(folding.names))]
        self._ratio, self._data, self._weight = folding.ratio, data, weight
        self._rows: dict[str, list[Rows]] = {}
        self._values: dict[tuple[object, str], FoldValues] = {}

    @property
    def sizes(self) -> list[int]:
        """How many rows with weight each fold has."""
        return [int(np.count_nonzero(self._weight[rows] > 0)) for rows in self.members]

    def values(self, bound: BoundMetric, model: str) -> FoldValues:
        """Return a metric of one model on each fold, computed once; nan where it is undefined."""
        key = bound.statistic.identity, model
        if key not in self._values:
            found = [
                self._value(bound, rows, k) for k, rows in enumerate(self._split_by_fold(model))
            ]
            self._values[key] = FoldValues(np.array(found, dtype=np.float64), self._ratio)
        return self._values[key]

    def _value(self, bound: BoundMetric, rows: Rows, fold: int) -> float:
        weight = self._weight[self.members[fold]]
        if not np.any(weight > 0):
            return float("nan")
        return float(bound.statistic.bind(rows)(Batch.from_weights(weight))[0])

    def _split_by_fold(self, model: str) -> list[Rows]:
        """Return the rows of each fold, as rows of one fit."""
        if model not in self._rows:
            found = [self._data[model].take(members) for members in self.members]
            for rows in found:
                rows.fold = None
            self._rows[model] = found
        return self._rows[model]


Each = TypeVar("Each", bound=NDArray[Any] | None)


@record(eq=False)
class RowSubset:
    """Rows of a plan: all (segment None) or one segment, with every statistic bound.

    `judged` (n,) are the rows that a metric judges, where these are not all; the others weigh 0.
    """

    plan: AnalysisPlan
    segment: Segment | None
    judged: NDArray[np.bool_] | None = None

    @property
    def name(self) -> str | None:
        """The segment's name; None for all rows."""
        return self.segment.name if self.segment else None

    @property
    def rows(self) -> Index | None:
        """Which rows of the plan these are; None for all."""
        return self.segment.rows if self.segment else None

    @cached_property
    def weight(self) -> Vector:
        """The rows' own weights, shape (n,)."""
        own = self.plan.sampling.design.weights
        own = own if self.rows is None else own[self.rows]
        return own if self.judged is None else own * self.judged

    @property
    def sample(self) -> Batch:
        """The batch of the rows' own weights; of few rows it is kept, and models share its sums."""
        return self._kept_sample if self.n <= KEPT_TO else Batch.from_weights(self.weight)

    @cached_property
    def _kept_sample(self) -> Batch:
        """The same batch, with all sums computed for it, until the subset goes."""
        return Batch.from_weights(self.weight)

    @property
    def weighing(self) -> int:
        """How many rows weigh anything."""
        return int(np.count_nonzero(self.weight))

    @property
    def total_weight(self) -> float:
        """The sum of the rows' weights."""
        return float(self.weight.sum())

    def is_same(self, one: str, other: str) -> bool:
        """Whether two models say the same of every row."""
        pair = min(one, other), max(one, other)
        known = self._same  # threads may compute a pair twice, but never miss what they put there
        if pair not in known:
            known[pair] = self.find_rows(one).is_same(self.find_rows(other))
        return known[pair]

    @cached_property
    def _same(self) -> dict[tuple[str, str], bool]:
        return {}

    @property
    def judges(self) -> int:
        """How many rows a metric judges."""
        return self.n if self.judged is None else int(np.count_nonzero(self.judged))

    def judging(self, bound: BoundMetric) -> RowSubset:
        """Return the same rows as a metric sees them: those it does not evaluate have no weight."""
        if bound.is_counted is None:
            return self
        name = bound.is_counted.tobytes()
        if name not in self._subsets:
            self._subsets[name] = RowSubset(self.plan, self.segment, bound.is_counted)
        return self._subsets[name]

    @cached_property
    def _subsets(self) -> dict[bytes, RowSubset]:
        return {}

    @cached_property
    def share(self) -> Vector:
        """Each row's share of all weight, shape (n,); of none where nothing weighs."""
        return self.weight / (self.weight.sum() or 1.0)

    @cached_property
    def unit_shares(self) -> Vector:
        """The same of each unit that weighs anything."""
        return self.counting(self.by_unit(self.share))

    @property
    def n(self) -> int:
        """How many rows there are."""
        return len(self.weight)

    @cached_property
    def data(self) -> dict[str, Rows]:
        """Each model's rows; all share what happened, and its order."""
        return {
            c.name: c.rows if self.rows is None else c.rows.take(self.rows)
            for c in self.plan.models
        }

    @cached_property
    def without_model(self) -> dict[str, Rows]:
        """What is predicted without a model, by the names that stand for models."""
        return {
            each.name: each.rows if self.rows is None else each.rows.take(self.rows)
            for each in self.plan.references
            if each.rows is not None
        }

    def find_rows(self, model: str) -> Rows:
        """Find the rows of a model, or of what is predicted without one."""
        return self.data[model] if model in self.data else self.without_model[model]

    @cached_property
    def of_folds(self) -> FoldRows:
        """The same rows fold by fold."""
        assert self.plan.sampling.folds is not None
        data = {**self.data, **self.without_model}
        return FoldRows(self.plan.sampling.folds, self.rows, data, self.weight)

    @property
    def outcome(self) -> Vector:
        """What happened, as one number a row, shape (n,)."""
        return next(iter(self.data.values())).outcome.values

    @cached_property
    def unit(self) -> Index:
        """The resampling unit of each row, numbered from 0 within the part."""
        unit = self.plan.sampling.design.unit
        if unit is None:
            return np.arange(self.n)
        return np.unique(unit if self.rows is None else unit[self.rows], return_inverse=True)[1]

    @property
    def is_clustered(self) -> bool:
        """Whether rows are drawn in clusters."""
        return self.plan.sampling.design.is_clustered

    @cached_property
    def stratum(self) -> Index | None:
        """The stratum of each resampling unit of the part."""
        design = self.plan.sampling.design
        if design.stratum is None or self.rows is None:
            return design.stratum
        units = self.rows if design.unit is None else np.unique(design.unit[self.rows])
        return design.stratum[units]

    @cached_property
    def strata(self) -> int:
        """How many strata the units of the part are drawn within."""
        return 1 if self.stratum is None else max(len(np.unique(self.stratum)), 1)

    @cached_property
    def units(self) -> int:
        """How many resampling units there are."""
        return (
            self.n if self.plan.sampling.design.unit is None else int(self.unit.max(initial=-1)) + 1
        )

    @cached_property
    def metrics(self) -> dict[ModelKey, BoundMetric]:
        """Every metric bound to every model it can judge."""
        return self.bound_metrics.all

    @cached_property
    def bound_metrics(self) -> BoundMetrics:
        """The same, which may be bound over threads before they are asked for."""
        return BoundMetrics(
            self.plan.statistics.metrics,
            self.plan.models,
            self.data,
            self.plan.statistics.order_checks,
        )

    @cached_property
    def roots(self) -> dict[str, tuple[PlannedMetric, MonotoneImage]]:
        """By key of a metric, the one that it is a function of, and how."""
        folding = self.plan.sampling.folds
        in_folds = folding is not None and not folding.is_pooled
        is_mean = folding is not None and folding.is_mean
        every = (*self.plan.statistics.metrics, *self._joint_metrics, *self._at_points)
        return find_root_metrics(every, self.n, in_folds, is_mean)

    @cached_property
    def _joint_metrics(self) -> tuple[PlannedMetric, ...]:
        """The metrics that joint statistics are made of; segments have none."""
        joints = self.plan.costs.statistics if self.segment is None else ()
        return tuple(plan_unlisted_metric(metric) for joint in joints for metric in joint.metrics)

    @cached_property
    def _at_points(self) -> tuple[PlannedMetric, ...]:
        """What is told of operating points; nothing of them in segments."""
        points = self.plan.classes.points if self.segment is None else ()
        return tuple(
            use
            for point in points
            for use in (*point.metrics, *(each.use for each in point.by_class))
        )

    @cached_property
    def _of_classes(self) -> tuple[PlannedMetric, ...]:
        """What is told of single classes; nothing of them in segments."""
        return tuple(each.use for each in self.plan.classes.metrics if self.segment is None)

    @cached_property
    def bound(self) -> dict[ModelKey, BoundMetric]:
        """The metrics, and what is told beside them or decides, which nobody may have asked for."""
        others = (*self._at_points, *self._of_classes, *(root for root, _ in self.roots.values()))
        return (
            self.metrics
            | {
                (root.key, c.name): bind_metric(root.metric, self.data[c.name])
                for root in {root.key: root for root in others}.values()
                for c in self.plan.models
                if (root.key, c.name) not in self.metrics
                and not explain_unsuited(root.metric.needs, c)
            }
            | self._bound_references
        )

    @cached_property
    def _bound_references(self) -> dict[ModelKey, BoundMetric]:
        """The references that models are compared with, and what decides in place of a metric."""
        found: dict[ModelKey, BoundMetric] = {}
        for each in self.plan.references:
            if self.segment is None and each.is_compared and each.rows is not None:
                rows = self.without_model[each.name]
                found[each.key, each.name] = bind_metric(each.metric, rows)
                if each.key in self.roots:
                    root = self.roots[each.key][0]
                    found[root.key, each.name] = bind_metric(root.metric, rows)
        return found

    @cached_property
    def _pairs(self) -> Mapping[str, tuple[tuple[str, str], ...]]:
        """By key of a metric the pairs that are compared on it: all where a joint one needs it."""
        every = tuple(combinations((c.name for c in self.plan.models), 2))
        joint = {self.roots[use.key][0].key for use in self._joint_metrics if use.key in self.roots}
        pairs = {key: every if key in joint else self.plan.inference.pairs for key, _ in self.bound}
        for key, name in self._bound_references:
            pairs[key] = (*pairs[key], *((c.name, name) for c in self.plan.models))
        return pairs

    def errors(
        self, mapped: Mapped = map
    ) -> dict[StatisticKey, BoundStandardError | FrozenStandardError]:
        """Return the standard error of each metric and difference with replicates scaled by it.

        None in blocks of time, whose rows depend on each other. Nobody keeps them: they take much
        room, and are read by the replicates alone.
        """
        if self.plan.sampling.design.block is not None:
            return {}
        asked: dict[StatisticKey, Pair] = {
            name_standard_error(*key): (bound, None) for key, bound in self.bound.items()
        }
        for name, pairs in self._pairs.items():
            for pair in pairs:
                candidate, baseline = (self.bound.get((name, model)) for model in pair)
                if candidate is not None and baseline is not None:
                    asked[name_standard_error(name, pair)] = (candidate, baseline)
        unit = self.unit if self.is_clustered else None
        errors = StandardErrors(self.weight, unit, self.units, self.stratum, self.influence)
        return errors.compute_errors(asked, mapped)

    @cached_property
    def curves(self) -> dict[ModelKey, BoundCurve]:
        """Every curve of every model it can judge, by its key; segments have none."""
        return self.bound_curves.all

    @cached_property
    def bound_curves(self) -> BoundCurves:
        """The same, which may be bound over threads before they are asked for."""
        curves = tuple(iter_all_curves(self.plan)) if self.segment is None else ()
        return BoundCurves(curves, self.plan.models, self._bound_curve)

    def _bound_curve(self, curve: Curve, model: str) -> BoundCurve:
        return bind_curve_in_folds(
            curve, self.data[model], self.weight, self.plan.inference.is_exact
        )

    @cached_property
    def joint_parts(self) -> dict[ModelKey, BoundStatistic[Any]]:
        """Every part of a joint statistic of every model it can judge; segments have none."""
        joints = self.plan.costs.statistics if self.segment is None else ()
        parts = {part.key: part for joint in joints for part in joint.parts}
        return {
            (key, c.name): self.curves.get((key, c.name))
            or BoundStatistic(part, self.data[c.name], np.array(part.places))
            for key, part in parts.items()
            for c in self.plan.models
            if not explain_unsuited(part.needs, c)
        }

    def estimate(self, part: Statistic, model: str) -> Vector:
        """Return the estimates of a joint part on these rows, (g,), computed once."""
        key = part.key, model
        if key not in self._estimates:
            bound = self.joint_parts[key]
            if isinstance(bound, BoundCurve):
                return bound.estimate
            self._estimates[key] = bound(self.sample)[0]
        return self._estimates[key]

    @cached_property
    def _estimates(self) -> dict[ModelKey, Vector]:
        return {}

    def slice(self, mapped: Mapped = map) -> RowSlice:
        """Return what the resamples are to compute on these rows.

        Lines that only bound another curve are not, nor is a curve that is lent its band.
        """
        curves: dict[StatisticKey, BoundCurve] = {
            (key, model): bound
            for (key, model), bound in self.curves.items()
            if bound.statistic.has_band
            and bound.statistic.band_source is None
            and self.bound_curves.drawn_as(bound.statistic, model) == model
        }
        joint: dict[StatisticKey, Replicated] = {
            key: bound for key, bound in self.joint_parts.items() if key not in self.curves
        }
        items = (*self.bound.items(), *self.errors(mapped).items(), *curves.items(), *joint.items())
        statistics: dict[StatisticKey, Replicated] = dict(items)
        return RowSlice(self.rows, statistics)

    def compute_group_losses(self, bound: BoundMetric, value: float) -> Vector | None:
        """Compute what the value loses without each of up to 64 groups of rows, centred.

        For smooth metrics without influence values; None for others and with clusters.
        """
        is_other = bound.statistic.estimand.of == "weights"
        if not is_other or self.is_clustered or not np.isfinite(value):
            return None
        if bound not in self._group_losses:
            groups = min(BATCH_SIZE, self.n)
            # Rows are dealt in turn: each group has rows from everywhere.
            count = np.ones((self.n, groups), np.uint8)
            count[np.arange(self.n), np.arange(self.n) % groups] = 0
            lost = value - bound(
                Batch(count, None if self.plan.sampling.design.weight is None else self.weight)
            )
            self._group_losses[bound] = lost - lost.mean() if np.all(np.isfinite(lost)) else None
        return self._group_losses[bound]

    @cached_property
    def _group_losses(self) -> dict[BoundMetric, Vector | None]:
        return {}

    @cached_property
    def _weighs(self) -> NDArray[np.bool_] | None:
        """Which units weigh anything; None where all do."""
        weighs: NDArray[np.bool_] = self.by_unit(self.weight) > 0
        return None if weighs.all() else weighs

    @property
    def counted(self) -> int:
        """How many units weigh anything: the others are no evidence."""
        return self.units if self._weighs is None else int(self._weighs.sum())

    @cached_property
    def balance(self) -> WeightBalance:
        """How evenly the units share the weight."""
        return measure_balance(self.by_unit(self.weight))

    def counting(self, each: Each) -> Each:
        """Values of the units that weigh anything, from those of all; None stays None."""
        return each if each is None or self._weighs is None else cast(Each, each[self._weighs])

    def by_unit(self, values: Vector) -> Vector:
        """Return sums over the rows of each unit; moments are in their order."""
        if self.plan.sampling.design.unit is None:
            return values
        return np.bincount(self.unit, values, minlength=self.units).astype(np.float64)

    def influence(self, phi: Vector) -> Vector:
        """Return each unit's error term from `phi` by row, centred in strata."""
        each = self.by_unit(self.weight / self.weight.sum() * phi)
        if self.stratum is None:
            return each
        sums, size = np.bincount(self.stratum, each), np.bincount(self.stratum)
        return np.asarray(each - (sums / np.maximum(size, 1))[self.stratum])

    def forget(self) -> None:
        """Let go of what statistics computed of the rows on their way; it takes much room."""
        for rows in (*self.data.values(), *self.without_model.values()):
            rows.forget()


def name_standard_error(key: str, model: str | tuple[str, str]) -> StatisticKey:
    """Under which name the standard error of a metric, or of a difference, is kept."""
    return ("standard error", key), model
