"""Metrics and curves bound to models: one model after another, or side by side."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cached_property
from typing import Any

from reportgen.analysis.plan import ModelScores, Use, unsuited
from reportgen.curves.spec import BoundCurve, Curve
from reportgen.metrics.in_folds import bind
from reportgen.metrics.spec import BoundMetric, Metric
from reportgen.rows import Queries, Rows, find_ahead

Mapped = Callable[..., Iterable[Any]]  # `map`, or that of threads


class BoundMetrics:
    """Every metric bound to every model that it can judge, each once."""

    def __init__(
        self,
        uses: Sequence[Use],
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
            (self._data[m.name], [use.metric for use in self._suited(m)] + [*self._checks])
            for m in self._models
        ]
        find_of_queries(asked, mapped)
        deque(mapped(self._of, self._models), maxlen=0)

    @cached_property
    def all(self) -> dict[tuple[str, str], BoundMetric]:
        """By key and model, in the order of the metrics."""
        found = {model.name: self._of(model) for model in self._models}
        keys = ((use.key, name) for use in self._uses for name in found)
        return {(key, name): found[name][key] for key, name in keys if key in found[name]}

    def _of(self, model: ModelScores) -> dict[str, BoundMetric]:
        if model.name not in self._found:
            self._found[model.name] = {
                use.key: bind(use.metric, self._data[model.name]) for use in self._suited(model)
            }
        return self._found[model.name]

    def _suited(self, model: ModelScores) -> list[Use]:
        return [use for use in self._uses if not unsuited(use.metric.needs, model)]


def find_of_queries(asked: Iterable[tuple[Rows, Iterable[Metric]]], mapped: Mapped = map) -> None:
    """Find ahead what metrics say of each query, where rows are queries: all of a model at once."""
    find_ahead(
        [
            (rows, [(metric.function, metric.params) for metric in metrics
                    if metric.shape == "rowwise" and metric.inputs is None])
            for rows, metrics in asked
            if isinstance(rows, Queries)
        ],
        mapped,
    )  # fmt: skip


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
        deque(mapped(self._of, self._models), maxlen=0)
        deque(mapped(_estimate, self._found.values()), maxlen=0)

    def drawn_as(self, curve: Curve, model: str) -> str:
        """The model whose curve stands for that of `model`."""
        if not curve.is_of_target:
            return model
        suited = (c.name for c in self._models if not unsuited(curve.needs, c))
        return next(suited, model)

    @cached_property
    def all(self) -> dict[tuple[str, str], BoundCurve]:
        """By key and model, in the order of the curves."""
        own = {model.name: self._of(model) for model in self._models}
        return {
            (key, model.name): own[self.drawn_as(curve, model.name)][key]
            for key, curve in self._curves.items()
            for model in self._models
            if not unsuited(curve.needs, model)
        }

    def _of(self, model: ModelScores) -> dict[str, BoundCurve]:
        if model.name not in self._found:
            self._found[model.name] = {
                key: self._bind(curve, model.name)
                for key, curve in self._curves.items()
                if not unsuited(curve.needs, model)
                and self.drawn_as(curve, model.name) == model.name
            }
        return self._found[model.name]


def _estimate(curves: Mapping[str, BoundCurve]) -> None:
    """Find curves over queries, whose numbers of each query resamples read as well."""
    deque((each.estimate for each in curves.values() if each.rows.lists is not None), maxlen=0)
