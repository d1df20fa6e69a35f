"""What stands above the verdict: title, status, data, models, primary metric."""

from __future__ import annotations

from collections.abc import Iterator

from reportgen import wording
from reportgen.document import Header
from reportgen.results import Results
from reportgen.sections.index import Index

_LONG = 200


def header(results: Results) -> Header:
    """The header; the date is the run's own, as provenance recorded it."""
    info = results.report
    return Header(
        title=wording.name(info.title, _LONG),
        id=wording.name(info.id or "", _LONG),
        question=wording.name(info.question or "", 2 * _LONG),
        status=info.status,
        status_reason=wording.name(info.status_reason, _LONG),
        classification=wording.name(info.classification or "", _LONG),
        date=date_of(results),
        facts=tuple(_facts(Index(results))),
    )


def date_of(results: Results) -> str:
    """The time of the run, ISO 8601, as provenance recorded it."""
    return str(results.provenance.get("time", ""))


def _facts(index: Index) -> Iterator[tuple[str, str]]:
    data = index.main
    files = wording.listed([wording.name(f.path.rpartition("/")[2], 40) for f in data.inputs], 2)
    others = len([d for d in index.results.datasets if d.role == "test"]) - 1
    more = f", and {wording.count(others, 'more dataset')}" if others > 0 else ""
    yield "Data", f"{wording.count(data.n, 'row')}{f' of {files}' if files else ''}{more}"
    y = next((c for c in data.columns if c.role == "y"), None)
    zeros = f" ({wording.zeros(y)})" if y and y.n and y.zeros else ""
    unit = f", {wording.name(data.unit)}" if wording.has_unit(data.unit) else ""
    target = wording.name(data.target_label or data.target, 40)
    yield "Target", f"{target}{unit}{zeros}"
    yield "Models", _models(index)
    if index.results.report.audience:
        yield "Written for", wording.name(index.results.report.audience, _LONG)
    yield "Primary", _primary(index)


def _models(index: Index) -> str:
    if index.baseline is None:
        return wording.name(index.results.models[0].label)
    candidates = wording.listed([wording.name(m.label, 40) for m in index.candidates], 3)
    return f"{candidates} against {wording.name(index.baseline.label, 40)}"


def _primary(index: Index) -> str:
    metric = index.primary
    if metric is None:
        return "none declared"
    label = wording.name(metric.label)
    if metric.margin is not None:
        return f"{label}, margin {wording.margin_size(metric.margin, metric)}"
    return f"{label}, margin {metric.margin_text}" if metric.margin_text else f"{label}, no margin"
