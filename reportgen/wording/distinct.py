"""What the pages call metrics and models: a phrase before a key, and long names told apart."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

from reportgen.results import MetricInfo, ModelInfo, Results
from reportgen.wording.names import name

_CUTS = (24, 30, 40, 60)  # to as many characters names are cut on the pages
_SHORT = 8  # a longer key would itself be cut


def distinctly_named(results: Results) -> Results:
    """The results with names as the pages print them.

    A metric whose label is the short name that the config gave it, to be quoted by, goes by its
    phrase where it has one. Models' names that a cut makes equal have a key or a number before
    them, and so have those that are equal as they were typed.
    """
    results = replace(results, metrics=tuple(map(_phrased, results.metrics)))
    alike = {name for most in _CUTS for name in _alike(results, most)}
    models = tuple(
        _marked(model, place) if model.name in alike else model
        for place, model in enumerate(results.models, 1)
    )
    return replace(results, models=models) if alike else results


def _phrased(metric: MetricInfo) -> MetricInfo:
    """The phrase as label, where the label is a bare key; a key of several words is a label."""
    is_short = metric.label == metric.key and " " not in metric.key and metric.phrase
    return replace(metric, label=metric.phrase) if is_short else metric


def _alike(results: Results, most: int) -> list[str]:
    """Models whose name, cut to a length, is that of another."""
    cut = {model.name: name(model.label, most) for model in results.models}
    times = Counter(cut.values())
    return [model for model, label in cut.items() if times[label] > 1]


def _marked(model: ModelInfo, place: int) -> ModelInfo:
    mark = model.name if len(model.name) <= _SHORT else str(place)
    return replace(model, label=f"{mark}: {model.label}")
