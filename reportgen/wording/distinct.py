"""Long model names that would read alike once they are cut, told apart."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

from reportgen.results import ModelInfo, Results
from reportgen.wording.names import name

_CUTS = (24, 30, 40, 60)  # to as many characters names are cut on the pages
_SHORT = 8  # a longer key would itself be cut


def distinctly_named(results: Results) -> Results:
    """The results with a key or a number before the models' names that a cut makes equal.

    Names that are equal as they were typed are told apart in the same way.
    """
    alike = {name for most in _CUTS for name in _alike(results, most)}
    models = tuple(
        _marked(model, place) if model.name in alike else model
        for place, model in enumerate(results.models, 1)
    )
    return replace(results, models=models) if alike else results


def _alike(results: Results, most: int) -> list[str]:
    """Models whose name, cut to a length, is that of another."""
    cut = {model.name: name(model.label, most) for model in results.models}
    times = Counter(cut.values())
    return [model for model, label in cut.items() if times[label] > 1]


def _marked(model: ModelInfo, place: int) -> ModelInfo:
    mark = model.name if len(model.name) <= _SHORT else str(place)
    return replace(model, label=f"{mark}: {model.label}")
