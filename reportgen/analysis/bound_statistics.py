"""Metrics and curves bound to models, and the standard errors of their replicates."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cached_property
from typing import Any

import numpy as np

from reportgen.analysis.plan import ModelScores, PlannedMetric, explain_unsuited
from reportgen.inference.resampling.replicates import StatisticKey
from reportgen.inference.resampling.studentize import (
    BoundStandardError,
    FrozenStandardError,
    bind_difference_standard_error,
    bind_standard_error,
    is_difference_studentized,
    is_studentized,
)
from reportgen.kernels.batch import Index, Vector
from reportgen.metrics.curves.curve import BoundCurve, Curve
from reportgen.metrics.folds import bind_metric
from reportgen.metrics.metric import BoundMetric, Metric
from reportgen.metrics.rows import Queries, Rows, precompute_queries
from reportgen.records import record

Mapped = Callable[..., Iterable[Any]]  # `map`, or that of threads


class BoundMetrics:
    """Every metric bound to every model that it can judge, each once."""

    def __init__(
        self,
        uses: Sequence[PlannedMetric],
        models: Sequence[ModelScores],
        data: Mapping[str, Rows],
        checks: Iterable[Metric] = (),
    ) -> None:
        self._uses, self._models, self._data = uses, models, data
        self._checks = tuple(checks)
        self._found: dict[str, dict[str, BoundMetric]] = {}

    def bind(self, mapped: Mapped) -> None:
        """Bind them now, models side by side."""
        asked = [
            (
                self._data[m.name],
                [use.metric for use in self._list_suited_metrics(m)] + [*self._checks],
            )
            for m in self._models
        ]
        precompute_query_values(asked, mapped)
        deque(mapped(self._bind_model, self._models), maxlen=0)

    @cached_property
    def all(self) -> dict[tuple[str, str], BoundMetric]:
        """By key and model, in the order of the metrics."""
        found = {model.name: self._bind_model(model) for model in self._models}
        keys = ((use.key, name) for use in self._uses for name in found)
        return {(key, name): found[name][key] for key, name in keys if key in found[name]}

    def _bind_model(self, model: ModelScores) -> dict[str, BoundMetric]:
        if model.name not in self._found:
            self._found[model.name] = {
                use.key: bind_metric(use.metric, self._data[model.name])
                for use in self._list_suited_metrics(model)
            }
        return self._found[model.name]

    def _list_suited_metrics(self, model: ModelScores) -> list[PlannedMetric]:
        return [use for use in self._uses if not explain_unsuited(use.metric.needs, model)]


def precompute_query_values(
    asked: Iterable[tuple[Rows, Iterable[Metric]]], mapped: Mapped = map
) -> None:
    """Find ahead what metrics say of each query, where rows are queries: all of a model at once."""
    precompute_queries(
        [
            (
                rows,
                [
                    (metric.function, metric.params)
                    for metric in metrics
                    if metric.shape == "rowwise" and metric.inputs is None
                ],
            )
            for rows, metrics in asked
            if isinstance(rows, Queries)
        ],
        mapped,
    )


class BoundCurves:
    """Every curve bound to every model that it can judge, by its key.

    A curve of the target is bound once, to the first of the models, and is the same for all.
    """

    def __init__(
        self,
        curves: Sequence[Curve],
        models: Sequence[ModelScores],
        bind: Callable[[Curve, str], BoundCurve],
    ) -> None:
        self._curves = {curve.key: curve for curve in curves}
        self._models, self._bind = models, bind
        self._found: dict[str, dict[str, BoundCurve]] = {}

    def bind(self, mapped: Mapped) -> None:
        """Bind them now, models side by side; of lists also find them, as that takes long."""
        deque(mapped(self._bind_model, self._models), maxlen=0)
        deque(mapped(_precompute_query_curves, self._found.values()), maxlen=0)

    def drawn_as(self, curve: Curve, model: str) -> str:
        """Return the model whose curve represents that of `model`."""
        if not curve.is_of_target:
            return model
        suited = (c.name for c in self._models if not explain_unsuited(curve.needs, c))
        return next(suited, model)

    @cached_property
    def all(self) -> dict[tuple[str, str], BoundCurve]:
        """By key and model, in the order of the curves."""
        own = {model.name: self._bind_model(model) for model in self._models}
        return {
            (key, model.name): own[self.drawn_as(curve, model.name)][key]
            for key, curve in self._curves.items()
            for model in self._models
            if not explain_unsuited(curve.needs, model)
        }

    def _bind_model(self, model: ModelScores) -> dict[str, BoundCurve]:
        if model.name not in self._found:
            self._found[model.name] = {
                key: self._bind(curve, model.name)
                for key, curve in self._curves.items()
                if not explain_unsuited(curve.needs, model)
                and self.drawn_as(curve, model.name) == model.name
            }
        return self._found[model.name]


def _precompute_query_curves(curves: Mapping[str, BoundCurve]) -> None:
    """Find curves over queries, whose numbers of each query resamples read as well."""
    deque((each.estimate for each in curves.values() if each.rows.lists is not None), maxlen=0)


Pair = tuple[BoundMetric, BoundMetric | None]  # a metric, and that of the baseline if there is one
Influences = Mapping[BoundMetric, Vector | None]


@record(eq=False)
class StandardErrors:
    """Standard errors on some rows of weight (n,).

    `unit` numbers the rows' clusters, if they have such; `units` counts the units, and `stratum`
    numbers their strata. `centred` f(phi) says what each unit adds to the error, from what each
    row does.
    """

    weight: Vector
    unit: Index | None
    units: int
    stratum: Index | None
    centred: Callable[[Vector], Vector | None]

    def compute_errors(
        self, asked: Mapping[StatisticKey, Pair], mapped: Mapped
    ) -> dict[StatisticKey, BoundStandardError | FrozenStandardError]:
        """Return the standard error of each metric and difference that has one."""
        known = {key: pair for key, pair in asked.items() if _has_error(pair)}
        frozen = (pair for pair in known.values() if self._is_frozen(pair))
        read = {each: None for pair in frozen for each in pair if each is not None}
        phis = dict(zip(read, mapped(lambda each: each.influence(self.weight), read), strict=True))
        found = mapped(lambda pair: self._error(pair, phis), known.values())
        return {key: error for key, error in zip(known, found, strict=True) if error is not None}

    def _is_frozen(self, pair: Pair) -> bool:
        """Return whether an error is found from influence values of the full data.

        Within strata a mean is no mean of like units, but its influence is centred in each.
        """
        return self.stratum is not None or not _is_of_means(pair)

    def _error(
        self, pair: Pair, phis: Influences
    ) -> BoundStandardError | FrozenStandardError | None:
        bound, baseline = pair
        if self._is_frozen(pair):
            influence = self._influence(pair, phis)
            if influence is None:
                return None
            return FrozenStandardError(
                influence, bound.identity, self.weight, self.unit, self.stratum
            )
        if baseline is None:
            return bind_standard_error(bound, self.weight, self.unit, self.units)
        return bind_difference_standard_error(bound, baseline, self.weight, self.unit, self.units)

    def _influence(self, pair: Pair, phis: Influences) -> Vector | None:
        """Compute what each unit adds to the error of a value, or of a difference if both exist."""
        total = np.zeros(len(self.weight))
        for sign, each in zip((1.0, -1.0), pair, strict=True):
            if each is None:
                continue
            phi = phis[each]
            if phi is None or not np.all(np.isfinite(phi)):
                return None
            total += sign * phi
        return self.centred(total)


def _has_error(pair: Pair) -> bool:
    """Return whether replicates are measured in their error."""
    return pair[0].statistic.estimand.is_correlation_of_means or _is_of_means(pair)


def _is_of_means(pair: Pair) -> bool:
    """Return whether the error of a metric, or of a difference, is made of sums."""
    bound, baseline = pair
    return is_studentized(bound) if baseline is None else is_difference_studentized(bound)
