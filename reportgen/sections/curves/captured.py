"""What a report adds to the figure of gain: the share that a campaign takes, and what it holds."""

from __future__ import annotations

from collections.abc import Sequence

from reportgen import wording
from reportgen.conclusion.top import top_error
from reportgen.document import Reference
from reportgen.results import CurveResult, MetricInfo
from reportgen.sections.curves.drawn import Extra
from reportgen.sections.index import Index

_CURVE, _METRIC, _ERRORS = "gain", "topk_capture", "error_by_rank"


def extra(index: Index) -> Extra:
    """The line at the share that a capture metric names, its values and differences in words."""

    def is_marked(curve: CurveResult) -> bool:
        return curve.curve == _CURVE and curve.segment is None

    def found(curve: CurveResult) -> tuple[MetricInfo, float] | None:
        return _captured(index, curve.dataset) if is_marked(curve) else None

    def title(curves: Sequence[CurveResult]) -> str:
        if curves[0].curve == _ERRORS and curves[0].baseline is None:
            return _top_error(index, curves)
        at = found(curves[0])
        if at is None or curves[0].baseline is not None:
            return ""
        held = [
            (index.label(curve.model), value)
            for curve in _in_front(index, curves)
            if (value := _value(index, curve, at[0]))
        ]
        dataset = index.datasets[curves[0].dataset]
        target = dataset.target_label or dataset.target
        return wording.captured(at[1], target, dataset.case[1], held)

    def references(curves: Sequence[CurveResult]) -> tuple[Reference, ...]:
        at = found(curves[0])
        if at is None:
            return ()
        label = "" if curves[0].baseline else (wording.percent(at[1]))
        return (Reference(label, x=(at[1],)),)

    def note(curve: CurveResult) -> str:
        at = found(curve)
        if at is None or index.role(curve.model) == "other":
            return ""
        return _value(index, curve, at[0])

    def end_title(curves: Sequence[CurveResult]) -> str:
        at = found(curves[0])
        return "" if at is None else f"at {(wording.percent(at[1]))}"

    def said(curves: Sequence[CurveResult]) -> str:
        at = found(curves[0])
        if at is None:
            return ""
        shown = [
            (index.label(curve.model), difference)
            for curve in _in_front(index, curves)
            if (difference := index.comparison(curve.model, at[0].key, curve.dataset))
        ]
        return wording.captured_differences(at[1], index.baseline, shown, _decimals(index, at[0]))

    return Extra(title, references, note=note, end_title=end_title, said=said)


def _top_error(index: Index, curves: Sequence[CurveResult]) -> str:
    """By how much the scores at the top of the model asked about are off; "" where rows are few."""
    about = next((c for c in curves if c.model == index.about), curves[0])
    return top_error(index, about)


def _captured(index: Index, dataset: str) -> tuple[MetricInfo, float] | None:
    """The first metric of capture, and which share of all weight its top is."""
    info = index.datasets[dataset]
    for metric in index.metrics:
        share, top = metric.params.get("share"), metric.params.get("k")
        if metric.name == _METRIC and isinstance(share, float | int):
            return metric, float(share)
        if metric.name == _METRIC and isinstance(top, float | int) and not info.weight and info.n:
            return metric, min(float(top) / info.n, 1.0)
    return None


def _in_front(index: Index, curves: Sequence[CurveResult]) -> list[CurveResult]:
    """The curves that have a colour of their own."""
    return [curve for curve in curves if index.role(curve.model) != "other"]


def _value(index: Index, curve: CurveResult, metric: MetricInfo) -> str:
    """What a model captures, or its difference from the baseline; nothing where that is unknown."""
    if curve.baseline is None:
        estimate = index.estimate(curve.model, metric.key, curve.dataset)
        if estimate is None or estimate.value is None:
            return ""
        return _form(index, metric).number(estimate.value)
    if index.baseline is None or curve.baseline != index.baseline.name:
        return ""
    difference = index.comparison(curve.model, metric.key, curve.dataset)
    if difference is None or difference.difference is None:
        return ""
    return wording.points(difference.difference, _decimals(index, metric))


def _form(index: Index, metric: MetricInfo) -> wording.Form:
    """As many decimals as the least precise value allows."""
    found = [e for e in index.results.estimates if e.key == metric.key and e.segment is None]
    forms = [wording.form_of(e.value, e.low, e.high, "share") for e in found]
    return min(forms, key=lambda form: form.decimals)


def _decimals(index: Index, metric: MetricInfo) -> int:
    """The same of the differences, tenths of a point at least: page one has two digits."""
    found = (index.comparison(model.name, metric.key) for model in index.candidates)
    return max(min((wording.form_for(c, metric).decimals for c in found if c), default=1), 1)
