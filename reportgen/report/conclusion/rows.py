"""The rows of page one: comparisons and values."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from reportgen.report.conclusion.recommendation import WORSE
from reportgen.report.selection import Selection, orient_difference
from reportgen.results.conclusion import HeadlineComparison, HeadlineValue
from reportgen.results.core import Comparison, MetricInfo
from reportgen.results.types import NEAREST, copy_fields
from reportgen.terms import LIMITS

MOST_VALUES = 6


def build_forest_rows(found: Selection, about: str) -> tuple[HeadlineComparison, ...]:
    """Every candidate on the primary metric: the one asked about, then the others, best first."""
    metric = found.leading
    compared = [found.comparison(model.name, metric.key) for model in found.candidates]
    known = [c for c in compared if c is not None]
    known.sort(key=lambda c: (c.candidate != about, c.difference is None, -_compute_gain(c)))
    return tuple(build_comparison_row(found, c) for c in known)


def build_consequences(found: Selection, about: str) -> tuple[HeadlineComparison, ...]:
    """Return what else would change with the model asked about.

    One metric of each other kind or those that the config names, another of such a kind that is
    worse where that one is not, the primary one on the other datasets, and in the segment where it
    is worst.
    """
    of_kinds = tuple(_iter_rows_by_kind(found, about))
    return (
        *of_kinds,
        *_iter_other_losses(found, about, of_kinds),
        *_iter_other_datasets(found, about),
        *_iter_worst_segment(found, about),
    )


def build_value_rows(found: Selection, model: str) -> tuple[HeadlineValue, ...]:
    """One model's values where nothing is compared: the primary one, then one of each kind."""
    chosen = [found.leading]
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
        return [metric for metric in declared if metric is not found.leading]
    seen = {found.leading.question}
    chosen = []
    for metric in sorted(metrics.values(), key=lambda m: m.is_partial or m.better in NEAREST):
        if metric.question not in seen and metric is not found.leading:
            seen.add(metric.question)
            chosen.append(metric)
    return [metric for metric in metrics.values() if metric in chosen]


def build_comparison_row(
    found: Selection, c: Comparison, worst_of: int | None = None
) -> HeadlineComparison:
    """Build a comparison as page one prints it."""
    ends = [found.estimate(m, c.key, c.dataset, c.segment) for m in (c.baseline, c.candidate)]
    baseline_value, value = (e.value if e is not None else None for e in ends)
    adjusted_for = _count_family(found, c)
    return copy_fields(
        HeadlineComparison,
        c,
        baseline_value=baseline_value,
        value=value,
        adjusted_for=adjusted_for,
        worst_of=worst_of,
    )


def find_contradictions(
    found: Selection, candidate: str, metric: MetricInfo, dataset: str | None = None
) -> list[Comparison]:
    """Comparisons on metrics of the same kind, on all rows, in which the candidate is worse."""
    others = [
        m
        for m in found.results.metrics
        if m.kind == metric.kind
        and m.key != metric.key
        and not m.is_partial
        and m.better not in NEAREST
    ]
    pairs = [found.comparison(candidate, m.key, dataset) for m in others]
    return [c for c in pairs if c is not None and c.word in WORSE]


def _iter_rows_by_kind(found: Selection, about: str) -> Iterator[HeadlineComparison]:
    for metric in list_shown_metrics(found):
        c = found.comparison(about, metric.key)
        if c is not None and c.status != "not applicable":
            yield build_comparison_row(found, c)


def _iter_other_losses(
    found: Selection, about: str, shown: Sequence[HeadlineComparison]
) -> Iterator[HeadlineComparison]:
    """Iterate over metrics that are worse, one of each other kind without such a row."""
    if found.results.report.headline or found.leading is None:
        return
    metrics = {metric.key: metric for metric in found.results.metrics}
    covered_kinds = {metrics[row.key].kind for row in shown if row.word in WORSE} | {
        found.leading.kind
    }
    for metric in metrics.values():
        c = found.comparison(about, metric.key)
        if metric.kind not in covered_kinds and c is not None and c.word in WORSE:
            covered_kinds.add(metric.kind)
            yield build_comparison_row(found, c)


def _iter_other_datasets(found: Selection, about: str) -> Iterator[HeadlineComparison]:
    """Iterate over the other data sets: the primary metric, then others that are worse there."""
    for dataset in found.tests[1:]:
        for metric in (found.leading, *list_shown_metrics(found)):
            c = found.comparison(about, metric.key, dataset.name)
            if c is not None and (metric is found.leading or c.word in WORSE):
                yield build_comparison_row(found, c)


def _iter_worst_segment(found: Selection, about: str) -> Iterator[HeadlineComparison]:
    metric = found.leading
    inside = [] if metric is None else found.list_segment_comparisons(about, metric.key)
    large = {each.segment for each in found.main.segments if each.n >= LIMITS["W203"]["fewest"]}
    with_value = [c for c in inside if c.status == "ok" and c.difference is not None]
    compared = [c for c in with_value if c.word != "no result"] or with_value
    known = [c for c in compared if c.segment in large] or compared
    if known:
        yield build_comparison_row(found, known[0], worst_of=len(known))


def _count_family(found: Selection, c: Comparison) -> int:
    """Count the comparisons that the printed interval allows for; 0 where none may be adjusted."""
    is_alone = c.family in ("asked", "declared")
    return 0 if found.results.inference.adjust == "none" and not is_alone else c.family_size


def _compute_gain(c: Comparison) -> float:
    return 0.0 if c.difference is None else orient_difference(c)
