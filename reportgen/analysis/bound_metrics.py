"""Metrics bound to models: one model after another, or side by side."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cached_property
from typing import Any

from reportgen.analysis.plan import ModelScores, Use, unsuited
from reportgen.metrics.in_folds import bind
from reportgen.metrics.spec import BoundMetric
from reportgen.rows import Rows


class BoundMetrics:
    """Every metric bound to every model that it can judge, each once."""

    def __init__(
        self, uses: Sequence[Use], models: Sequence[ModelScores], data: Mapping[str, Rows]
    ) -> None:
        self._uses, self._models, self._data = uses, models, data
        self._found: dict[str, dict[str, BoundMetric]] = {}

    def bind(self, mapped: Callable[..., Iterable[Any]]) -> None:
        """Bind them now, models side by side over a `map` of threads."""
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
                use.key: bind(use.metric, self._data[model.name])
                for use in self._uses
                if not unsuited(use.metric.needs, model)
            }
        return self._found[model.name]
