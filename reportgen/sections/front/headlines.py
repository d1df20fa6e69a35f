"""Headline cards: at most four numbers, each with its difference from the baseline."""

from __future__ import annotations

from reportgen import wording
from reportgen.document import Card, Cards, Section
from reportgen.results import MetricInfo, ModelInfo, Results
from reportgen.sections.cells import whisker
from reportgen.sections.index import TONES, Index, gain

_MOST = 4


def section(results: Results) -> Section:
    """One candidate: the first metrics. Several: the primary metric of those furthest ahead."""
    index = Index(results)
    if len(index.candidates) > 1 and index.baseline is not None:
        cards = _of_candidates(index)
    else:
        model = (index.candidates or list(results.models))[0]
        cards = [_card(index, model, m, wording.name(m.label)) for m in index.metrics[:_MOST]]
    return Section("headlines", "Headline numbers", (Cards(tuple(cards)),))


def _of_candidates(index: Index) -> list[Card]:
    metric = index.leading
    pairs = [(m, index.comparison(m.name, metric.key)) for m in index.candidates]
    order = sorted(pairs, key=lambda p: -gain(p[1]) if p[1] and p[1].status == "ok" else 1e300)
    label = wording.name(metric.label, 40)
    return [
        _card(index, model, metric, f"{wording.name(model.label, 40)}: {wording.lowered(label)}")
        for model, _ in order[:_MOST]
    ]


def _card(index: Index, model: ModelInfo, metric: MetricInfo, title: str) -> Card:
    estimate = index.estimate(model.name, metric.key)
    if estimate is None or estimate.status != "ok" or estimate.value is None:
        status = estimate.status if estimate is not None else "not computed"
        return Card(title, status, estimate.reason if estimate is not None else "", "open")
    form = wording.form_of(estimate.value, estimate.low, estimate.high, metric.unit)
    value = form.amount(estimate.value)
    compared = index.comparison(model.name, metric.key)
    if compared is None or compared.difference is None or index.baseline is None:
        interval = form.interval(estimate.low, estimate.high)
        return Card(title, value, f"{wording.level(estimate.level)} interval {interval}")
    signed = wording.form_for(compared, metric).amount(compared.difference, signed=True)
    against = wording.name(index.baseline.label, 40)
    note = f"{signed} against {against}: {compared.verdict}"
    return Card(title, value, note, TONES[compared.verdict], whisker(compared, metric))
