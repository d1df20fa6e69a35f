"""What is known of classes, found by name: on the main dataset, in the words of the report."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

from reportgen import wording
from reportgen.results import (
    ClassInfo,
    ClassValues,
    Comparison,
    ConfusionMatrix,
    LabelCalls,
    MetricInfo,
)
from reportgen.sections.index import Index
from reportgen.wording import classes as said

FEWEST = 10  # rows of a class under which it is too small to judge


class FoundClasses:
    """The classes of the main dataset, their values and what each model takes for what."""

    def __init__(self, index: Index) -> None:
        self.index = index
        self.results = index.results
        self.classes: Sequence[ClassInfo] = index.main.classes
        self.names = {each.value: wording.name(each.name, 24) for each in self.classes}

    @cached_property
    def values(self) -> list[ClassValues]:
        """The values of classes and of means over them, on the main dataset."""
        return [each for each in self.results.classes if each.dataset == self.index.main.name]

    @cached_property
    def metrics(self) -> list[MetricInfo]:
        """The metrics that are told of each class."""
        return list(self.results.class_metrics)

    @property
    def leading(self) -> MetricInfo:
        """The metric by which classes are compared: what sees both errors, if it is there."""
        both = [metric for metric in self.metrics if metric.name == "f"]
        return (both or self.metrics)[0]

    @property
    def few(self) -> list[ClassInfo]:
        """Classes that have rows, but too few of them."""
        return [each for each in self.classes if 0 < each.n < FEWEST]

    def of(self, metric: str, value: str, average: str = "") -> ClassValues | None:
        """One metric of one class, or of an average."""
        wanted = (metric, value, average)
        return next((v for v in self.values if (v.metric, v.value, v.average) == wanted), None)

    def comparisons(self, metric: str, candidate: str) -> list[tuple[str, Comparison]]:
        """The comparisons of a candidate on a metric, by class, the worst first."""
        found = [
            (each.value, c)
            for each in self.values
            if each.metric == metric and each.value
            for c in each.comparisons
            if c.candidate == candidate and c.difference is not None
        ]
        metric_info = next(m for m in self.metrics if m.name == metric)
        sign = -1.0 if metric_info.better == "lower" else 1.0
        return sorted(found, key=lambda pair: sign * (pair[1].difference or 0.0))

    @property
    def words(self) -> said.Words:
        """What they are called: classes, or labels where a row may have any number."""
        return said.words_of(self.index.main)

    def calls(self, model: str) -> list[LabelCalls]:
        """What comes of a model's calls of each label; none where a row is of one class."""
        main = self.index.main.name
        return [c for c in self.results.label_calls if (c.dataset, c.model) == (main, model)]

    def matrix(self, model: str) -> ConfusionMatrix | None:
        """What one model takes for what."""
        main = self.index.main.name
        found = (m for m in self.results.confusions if (m.dataset, m.model) == (main, model))
        return next(found, None)

    @property
    def shown(self) -> list[str]:
        """The models whose confusions are drawn: the baseline, and the one asked about."""
        baseline = self.index.baseline
        first = [baseline.name] if baseline is not None else []
        names = [*first, *([self.index.about] if self.index.about else [])]
        return names or [self.results.models[0].name]
