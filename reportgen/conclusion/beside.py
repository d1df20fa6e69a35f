"""What the sentence of page one leaves out and a reader of that page alone must not miss."""

from __future__ import annotations

from collections.abc import Sequence

from reportgen import wording
from reportgen.conclusion.rows import shown_metrics
from reportgen.results import DecisionKind, MetricInfo
from reportgen.results.conclusion import Judged
from reportgen.selection import Selection, gain
from reportgen.wording import answers, calls
from reportgen.wording.rows import row_form
from reportgen.wording.words import side_of


def beside(
    found: Selection,
    decision: DecisionKind,
    rows: Sequence[Judged],
    consequences: Sequence[Judged],
    answer: str,
) -> tuple[str, ...]:
    """Where the model asked about is worse, a candidate that gains more, what order cannot say."""
    if not rows or rows[0].difference is None:
        return ()
    said = [_worse(found, rows[0], consequences, answer)] if side_of(rows[0].word) >= 0 else []
    if decision == "replace":
        said.append(_gains_more(found, rows))
    said.append(_order_alone(found, rows[0]))
    said.append(_at_point(found))
    return tuple(filter(None, said))


def _at_point(found: Selection) -> str:
    """At which operating point the primary metric judges calls, where there are several."""
    points = {point.name for point in found.results.points if point.dataset == found.main.name}
    at = None if found.primary is None else found.primary.params.get("at")
    if found.primary is None or at not in points or len(points) < 2:
        return ""
    return calls.at_point(found.primary.label, str(at))


def _order_alone(found: Selection, row: Judged) -> str:
    """That a primary metric of order does not judge probabilities, where models have them."""
    scales = {model.scale for model in found.results.models
              if model.name in (row.candidate, row.baseline)}  # fmt: skip
    if found.primary is None or found.primary.kind != "order" or "probability" not in scales:
        return ""
    return answers.order_alone(found.primary, found.main.case)


def _worse(found: Selection, row: Judged, consequences: Sequence[Judged], answer: str) -> str:
    """On which metrics and where, as far as the answer does not say it."""
    worse = [other for other in consequences if side_of(other.word) < 0]
    far = {id(other): answers.times_as_large(other, _metric(found, other)) for other in worse}
    places = [
        f"{place}{far[id(other)]}"
        for other in worse
        for place in [_place(found, other)]
        if place not in answer or far[id(other)]
    ]
    return answers.worse(found.label(row.candidate), places)


def _metric(found: Selection, row: Judged) -> MetricInfo:
    metric = next(m for m in found.results.metrics if m.key == row.key)
    return wording.per_case(metric, found.datasets[row.dataset])


def _place(found: Selection, row: Judged) -> str:
    dataset = found.datasets[row.dataset]
    if row.segment is not None:
        return f"for {wording.segment_name(dataset, row.segment)}"
    if dataset is not found.main:
        return f"on dataset {wording.name(row.dataset, 40)}"
    return f"on {answers.phrase_of(_metric(found, row))}"


def _gains_more(found: Selection, rows: Sequence[Judged]) -> str:
    """The candidate with the best value of those not asked about, and where it is worse."""
    asked, metric = rows[0], found.primary
    if metric is None:
        return ""
    ahead = [
        row
        for row in rows[1:]
        if row.word in ("Better", "Better; size unclear") and gain(row) > gain(asked)
    ]
    if not ahead:
        return ""
    worse = [
        answers.phrase_of(other)
        for other in shown_metrics(found)
        for c in [found.comparison(ahead[0].candidate, other.key)]
        if c is not None and c.verdict == "worse"
    ]
    form = row_form(rows, wording.per_case(metric, found.main).unit, has_values=False)
    names = found.label(ahead[0].candidate), found.label(ahead[0].baseline)
    return answers.gains_more(ahead[0], form, *names, worse)
