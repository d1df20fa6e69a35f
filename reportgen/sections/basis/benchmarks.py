"""What a simple model reaches, which the others should beat to be worth their trouble."""

from __future__ import annotations

from collections.abc import Iterator

from reportgen import wording
from reportgen.document import Phrase, phrase
from reportgen.results import MetricInfo, ModelInfo
from reportgen.sections.index import Index


def lines(index: Index) -> Iterator[Phrase]:
    """A sentence on each benchmark: its value, and its difference from the baseline."""
    for model in index.results.models:
        if model.role == "benchmark":
            yield phrase(_line(index, model, index.leading))


def _line(index: Index, model: ModelInfo, metric: MetricInfo) -> str:
    label = wording.name(model.label, 40)
    head = f"{label} is a simple benchmark and not to be chosen"
    found = index.comparison(model.name, metric.key)
    if found is None or found.difference is None or index.baseline is None:
        return f"{head}."
    form = wording.form_for(found, metric)
    said = wording.lowered(wording.name(metric.label))
    baseline = wording.name(index.baseline.label, 40)
    size = f"{form.number(found.difference, signed=True)} ({wording.interval_text(found, form)})"
    return f"{head}: its {said} differs from that of {baseline} by {size}, {found.verdict}."
