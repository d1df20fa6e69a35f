"""What the pages call metrics, models and classes: a phrase before a key, names told apart."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

from reportgen.results import ClassInfo, MetricInfo, ModelInfo, Results
from reportgen.wording.names import name

_CUTS = (24, 30, 40, 60)  # to as many characters names are cut on the pages
_ORDINARY_WORDS = ("all", "any", "both", "every", "no class", "none", "nothing", "other", "others")
_SHORT = 8  # a longer key would itself be cut


def distinctly_named(results: Results) -> Results:
    """The results with names as the pages print them.

    A metric whose label is the short name that the config gave it, to be quoted by, goes by its
    phrase where it has one. Models' names that a cut makes equal have a key or a number before
    them, and so have those that are equal as they were typed, and classes. A class that is called
    by an ordinary word such as none has quotes.
    """
    results = replace(
        results,
        metrics=tuple(map(_phrased, results.metrics)),
        datasets=tuple(replace(d, classes=_told_apart(d.classes)) for d in results.datasets),
    )
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


def _told_apart(classes: tuple[ClassInfo, ...]) -> tuple[ClassInfo, ...]:
    """Classes with names that stay different where they are cut.

    >>> ends = ("Stage II, confirmed", "Stage III, confirmed")
    >>> long = tuple(ClassInfo(e, f"Carcinoma of the ascending colon, {e}", 9) for e in ends)
    >>> [each.name[:16] for each in _told_apart(long)]
    ['1: Carcinoma of ', '2: Carcinoma of ']
    >>> _told_apart((ClassInfo("none", "none", 9),))[0].name
    '“none”'
    """
    alike = set()
    for most in _CUTS:
        cut = [name(each.name, most) for each in classes]
        times = Counter(cut)
        alike |= {k for k, label in enumerate(cut) if times[label] > 1}
    return tuple(
        replace(each, name=f"{k + 1}: {each.name}") if k in alike
        else replace(each, name=f"“{each.name}”") if each.name.lower() in _ORDINARY_WORDS
        else each
        for k, each in enumerate(classes)
    )  # fmt: skip


def _alike(results: Results, most: int) -> list[str]:
    """Models whose name, cut to a length, is that of another."""
    cut = {model.name: name(model.label, most) for model in results.models}
    times = Counter(cut.values())
    return [model for model, label in cut.items() if times[label] > 1]


def _marked(model: ModelInfo, place: int) -> ModelInfo:
    mark = model.name if len(model.name) <= _SHORT else str(place)
    return replace(model, label=f"{mark}: {model.label}")
