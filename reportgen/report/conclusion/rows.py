"""The rows of page one: comparisons and values."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from reportgen.report.selection import Selection, orient_difference
from reportgen.report.wording import answers, operating_points
from reportgen.report.wording.answers import use_case_unit
from reportgen.report.wording.names import clean_name, format_segment
from reportgen.report.wording.verdicts import (
    choose_printed_limits,
    choose_row_format,
    is_unadjusted,
)
from reportgen.results.conclusion import HeadlineComparison, HeadlineValue, TotalDifference
from reportgen.results.core import Comparison, MetricInfo
from reportgen.results.types import NEAREST, DecisionKind, round_number
from reportgen.results.verdicts import word_side

MOST_VALUES = 6


def build_forest_rows(found: Selection, about: str) -> tuple[HeadlineComparison, ...]:
    """Every candidate on the primary metric: the one asked about, then the others, best first."""
    metric = found.primary
    if metric is None:
        return ()
    compared = [found.comparison(model.name, metric.key) for model in found.candidates]
    known = [c for c in compared if c is not None]
    known.sort(key=lambda c: (c.candidate != about, c.difference is None, -_compute_gain(c)))
    return tuple(_mark_contradiction(found, build_comparison_row(found, c), metric) for c in known)


def build_consequences(found: Selection, about: str) -> tuple[HeadlineComparison, ...]:
    """Return what else would change with the model asked about.

    One metric of each other kind or those that the config names, another of such a kind that is
    worse where that one is not, the primary one on the other datasets, and in the segment where it
    is worst.
    """
    of_kinds = tuple(_iter_rows_by_kind(found, about))
    return (
        *of_kinds,
        *_worse_beside(found, about, of_kinds),
        *_elsewhere(found, about),
        *_worst_segment(found, about),
    )


def build_value_rows(found: Selection, model: str) -> tuple[HeadlineValue, ...]:
    """One model's values where nothing is compared: the primary one, then one of each kind."""
    chosen = [m for m in (found.primary,) if m is not None]
    chosen += [m for m in list_shown_metrics(found) if m not in chosen]
    made = []
    for metric in chosen[:MOST_VALUES]:
        e = found.estimate(model, metric.key)
        if e is not None:
            made.append(
                HeadlineValue(
                    e.dataset, e.key, e.model, e.value, e.low, e.high, e.level, e.status, e.reason
                )
            )
    return tuple(made)


def list_shown_metrics(found: Selection) -> list[MetricInfo]:
    """The metrics that page one has a row for, in the order of the config."""
    metrics = {metric.key: metric for metric in found.results.metrics}
    declared = [metrics[key] for key in found.results.report.headline if key in metrics]
    if declared:
        return [metric for metric in declared if metric is not found.primary]
    seen = set() if found.primary is None else {found.primary.kind}
    chosen = []
    for metric in sorted(metrics.values(), key=lambda m: m.is_partial or m.better in NEAREST):
        if metric.kind not in seen and metric is not found.primary:
            seen.add(metric.kind)
            chosen.append(metric)
    return [metric for metric in metrics.values() if metric in chosen]


def build_comparison_row(
    found: Selection, c: Comparison, worst_of: int | None = None
) -> HeadlineComparison:
    """Build a comparison as page one prints it."""
    low, high = choose_printed_limits(c)
    ends = [found.estimate(m, c.key, c.dataset, c.segment) for m in (c.baseline, c.candidate)]
    baseline_value, value = (e.value if e is not None else None for e in ends)
    return HeadlineComparison(
        dataset=c.dataset,
        segment=c.segment,
        key=c.key,
        candidate=c.candidate,
        baseline=c.baseline,
        better=c.better,
        baseline_value=baseline_value,
        value=value,
        difference=c.difference,
        low=low,
        high=high,
        level=c.level,
        adjusted_for=_family_size(found, c),
        margin=c.margin,
        n=c.n,
        word=c.word,
        status=c.status,
        reason=c.reason,
        worst_of=worst_of,
    )


def compute_total(
    found: Selection, row: HeadlineComparison, metric: MetricInfo
) -> TotalDifference | None:
    """Return a cost per case over all rows; None where they have weights, or it is no such cost."""
    is_cost = metric.kind == "cost" and " per " in metric.unit
    dataset = found.datasets[row.dataset]
    if not is_cost or dataset.weight is not None or word_side(row.word) == 0:
        return None
    each = (
        None if x is None else round_number(x * row.n) for x in (row.difference, row.low, row.high)
    )
    return TotalDifference(row.n, *each)


def find_contradictions(found: Selection, candidate: str, metric: MetricInfo) -> list[Comparison]:
    """Comparisons on metrics of the same kind, on all rows, in which the candidate is worse."""
    others = [
        m
        for m in found.results.metrics
        if m.kind == metric.kind
        and m.key != metric.key
        and not m.is_partial
        and m.better not in NEAREST
    ]
    pairs = [found.comparison(candidate, m.key) for m in others]
    return [c for c in pairs if c is not None and word_side(c.word) < 0]


def _iter_rows_by_kind(found: Selection, about: str) -> Iterator[HeadlineComparison]:
    for metric in list_shown_metrics(found):
        c = found.comparison(about, metric.key)
        if c is not None and c.status != "not applicable":
            yield build_comparison_row(found, c)


def _worse_beside(
    found: Selection, about: str, shown: Sequence[HeadlineComparison]
) -> Iterator[HeadlineComparison]:
    """The first metric of each other kind that is worse, where no row of the kind says so."""
    if found.results.report.headline or found.primary is None:
        return
    metrics = {metric.key: metric for metric in found.results.metrics}
    covered_kinds = {metrics[row.key].kind for row in shown if word_side(row.word) < 0} | {
        found.primary.kind
    }
    for metric in metrics.values():
        c = found.comparison(about, metric.key)
        if metric.kind not in covered_kinds and c is not None and word_side(c.word) < 0:
            covered_kinds.add(metric.kind)
            yield build_comparison_row(found, c)


def _elsewhere(found: Selection, about: str) -> Iterator[HeadlineComparison]:
    metric = found.primary
    for dataset in found.tests[1:]:
        c = None if metric is None else found.comparison(about, metric.key, dataset.name)
        if c is not None:
            yield build_comparison_row(found, c)


def _worst_segment(found: Selection, about: str) -> Iterator[HeadlineComparison]:
    metric = found.primary
    inside = [] if metric is None else found.list_segment_comparisons(about, metric.key)
    known = [c for c in inside if c.status == "ok" and c.difference is not None]
    if known:
        yield build_comparison_row(found, known[0], worst_of=len(known))


def _mark_contradiction(
    found: Selection, row: HeadlineComparison, metric: MetricInfo
) -> HeadlineComparison:
    """Note in a row that is better the metrics of its kind on which the model is worse."""
    worse = find_contradictions(found, row.candidate, metric) if word_side(row.word) > 0 else []
    if not worse:
        return row
    return replace(row, contradicted_by=tuple(c.key for c in worse))


def _family_size(found: Selection, c: Comparison) -> int:
    """Count the comparisons that the printed interval allows for.

    0 where several stand unadjusted.
    """
    family = [
        other
        for other in found.results.comparisons
        if (other.dataset, other.family) == (c.dataset, c.family)
        and other.low is not None
        and other.counted_with is None
    ]
    is_plain = found.results.inference.adjust == "none" or is_unadjusted(c)
    return 0 if is_plain and len(family) > 1 else max(len(family), 1)


def _compute_gain(c: Comparison) -> float:
    return 0.0 if c.difference is None else orient_difference(c)


def list_omissions(
    found: Selection,
    decision: DecisionKind,
    rows: Sequence[HeadlineComparison],
    consequences: Sequence[HeadlineComparison],
    answer: str,
) -> tuple[str, ...]:
    """List where the model asked about is worse.

    Also a candidate that gains more, and what order cannot say.
    """
    if not rows or rows[0].difference is None:
        return ()
    said = [_worse(found, rows[0], consequences, answer)] if word_side(rows[0].word) >= 0 else []
    if decision == "replace":
        said.append(_gains_more(found, rows))
    said.append(_order_alone(found, rows[0]))
    said.append(_describe_operating_point(found))
    return tuple(filter(None, said))


def _describe_operating_point(found: Selection) -> str:
    """At which operating point the primary metric judges calls, where there are several."""
    points = {point.name for point in found.results.points if point.dataset == found.main.name}
    at = None if found.primary is None else found.primary.params.get("at")
    if found.primary is None or at not in points or len(points) < 2:
        return ""
    return operating_points.describe_point_of_metric(found.primary.label, str(at))


def _order_alone(found: Selection, row: HeadlineComparison) -> str:
    """Say that a primary metric of order does not judge probabilities, where models have them."""
    scales = {
        model.scale for model in found.results.models if model.name in (row.candidate, row.baseline)
    }
    if found.primary is None or found.primary.kind != "order" or "probability" not in scales:
        return ""
    return answers.describe_order_only(found.primary, found.main.case)


def _worse(
    found: Selection,
    row: HeadlineComparison,
    consequences: Sequence[HeadlineComparison],
    answer: str,
) -> str:
    """On which metrics and where, as far as the answer does not say it."""
    worse = [other for other in consequences if word_side(other.word) < 0]
    far = {
        id(other): answers.describe_multiple(other, _build_metric(found, other)) for other in worse
    }
    places = [
        f"{place}{far[id(other)]}"
        for other in worse
        for place in [_format_place(found, other)]
        if place not in answer or far[id(other)]
    ]
    return answers.describe_worse(found.label(row.candidate), places)


def _build_metric(found: Selection, row: HeadlineComparison) -> MetricInfo:
    metric = next(m for m in found.results.metrics if m.key == row.key)
    return use_case_unit(metric, found.datasets[row.dataset])


def _format_place(found: Selection, row: HeadlineComparison) -> str:
    dataset = found.datasets[row.dataset]
    if row.segment is not None:
        return f"for {format_segment(dataset, row.segment)}"
    if dataset is not found.main:
        return f"on dataset {clean_name(row.dataset, 40)}"
    return f"on {answers.metric_phrase(_build_metric(found, row))}"


def _gains_more(found: Selection, rows: Sequence[HeadlineComparison]) -> str:
    """The candidate with the best value of those not asked about, and where it is worse."""
    asked, metric = rows[0], found.primary
    if metric is None:
        return ""
    ahead = [
        row
        for row in rows[1:]
        if word_side(row.word) > 0
        and not row.contradicted_by
        and orient_difference(row) > orient_difference(asked)
    ]
    if not ahead:
        return ""
    worse = [
        answers.metric_phrase(other)
        for other in list_shown_metrics(found)
        for c in [found.comparison(ahead[0].candidate, other.key)]
        if c is not None and word_side(c.word) < 0
    ]
    form = choose_row_format(ahead[0], use_case_unit(metric, found.main), asked)
    names = found.label(ahead[0].candidate), found.label(ahead[0].baseline)
    return answers.describe_larger_gain(ahead[0], form, *names, worse)
