"""The rows of page one: comparisons that were made, each with its word."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from reportgen.results import Comparison, MetricInfo, rounded
from reportgen.results.conclusion import Alone, Judged, Total
from reportgen.results.literals import NEAREST
from reportgen.selection import Selection, gain
from reportgen.wording import is_unadjusted
from reportgen.wording.words import printed, side_of, word

MOST_VALUES = 6


def forest(found: Selection, about: str) -> tuple[Judged, ...]:
    """Every candidate on the primary metric: the one asked about, then the others, best first."""
    metric = found.primary
    if metric is None:
        return ()
    compared = [found.comparison(model.name, metric.key) for model in found.candidates]
    known = [c for c in compared if c is not None]
    known.sort(key=lambda c: (c.candidate != about, c.difference is None, -_gain(c)))
    return tuple(_contradicted(found, judged(found, c), metric) for c in known)


def consequences(found: Selection, about: str) -> tuple[Judged, ...]:
    """What else would change with the model asked about.

    One metric of each other kind or those that the config names, another of such a kind that is
    worse where that one is not, the primary one on the other datasets, and in the segment where it
    is worst.
    """
    of_kinds = tuple(_of_kinds(found, about))
    return (
        *of_kinds,
        *_worse_beside(found, about, of_kinds),
        *_elsewhere(found, about),
        *_worst_segment(found, about),
    )


def values(found: Selection, model: str) -> tuple[Alone, ...]:
    """One model's values where nothing is compared: the primary one, then one of each kind."""
    chosen = [m for m in (found.primary,) if m is not None]
    chosen += [m for m in shown_metrics(found) if m not in chosen]
    made = []
    for metric in chosen[:MOST_VALUES]:
        e = found.estimate(model, metric.key)
        if e is not None:
            made.append(
                Alone(
                    e.dataset, e.key, e.model, e.value, e.low, e.high, e.level, e.status, e.reason
                )
            )
    return tuple(made)


def shown_metrics(found: Selection) -> list[MetricInfo]:
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


def judged(found: Selection, c: Comparison, worst_of: int | None = None) -> Judged:
    """A comparison as page one prints it."""
    low, high, level = printed(c)
    ends = [found.estimate(m, c.key, c.dataset, c.segment) for m in (c.baseline, c.candidate)]
    baseline_value, value = (e.value if e is not None else None for e in ends)
    return Judged(
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
        level=level,
        adjusted_for=_family_size(found, c),
        margin=c.margin,
        n=c.n,
        verdict=c.verdict,
        word=word(c),
        status=c.status,
        reason=c.reason,
        worst_of=worst_of,
    )


def total(found: Selection, row: Judged, metric: MetricInfo) -> Total | None:
    """What a cost per case comes to over all rows; None where they weigh, or it is no such cost."""
    is_cost = metric.kind == "cost" and " per " in metric.unit
    dataset = found.datasets[row.dataset]
    if not is_cost or dataset.weight is not None or side_of(row.word) == 0:
        return None
    each = (None if x is None else rounded(x * row.n) for x in (row.difference, row.low, row.high))
    return Total(row.n, *each)


def contradicting(found: Selection, candidate: str, metric: MetricInfo) -> list[Comparison]:
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
    return [c for c in pairs if c is not None and c.verdict == "worse"]


def _of_kinds(found: Selection, about: str) -> Iterator[Judged]:
    for metric in shown_metrics(found):
        c = found.comparison(about, metric.key)
        if c is not None and c.status != "not applicable":
            yield judged(found, c)


def _worse_beside(found: Selection, about: str, shown: Sequence[Judged]) -> Iterator[Judged]:
    """The first metric of each other kind that is worse, where no row of the kind says so."""
    if found.results.report.headline or found.primary is None:
        return
    metrics = {metric.key: metric for metric in found.results.metrics}
    told = {metrics[row.key].kind for row in shown if side_of(row.word) < 0} | {found.primary.kind}
    for metric in metrics.values():
        c = found.comparison(about, metric.key)
        if metric.kind not in told and c is not None and c.verdict == "worse":
            told.add(metric.kind)
            yield judged(found, c)


def _elsewhere(found: Selection, about: str) -> Iterator[Judged]:
    metric = found.primary
    for dataset in found.tests[1:]:
        c = None if metric is None else found.comparison(about, metric.key, dataset.name)
        if c is not None:
            yield judged(found, c)


def _worst_segment(found: Selection, about: str) -> Iterator[Judged]:
    metric = found.primary
    inside = [] if metric is None else found.in_segments(about, metric.key)
    known = [c for c in inside if c.status == "ok" and c.difference is not None]
    if known:
        yield judged(found, known[0], worst_of=len(known))


def _contradicted(found: Selection, row: Judged, metric: MetricInfo) -> Judged:
    """A row that is better here alone says so: it is worse on another metric of the same kind."""
    worse = contradicting(found, row.candidate, metric) if side_of(row.word) > 0 else []
    if not worse:
        return row
    return replace(
        row, word="Better on this metric only", contradicted_by=tuple(c.key for c in worse)
    )


def _family_size(found: Selection, c: Comparison) -> int:
    """How many comparisons the printed interval allows for; 0 where several stand unadjusted."""
    family = [
        other
        for other in found.results.comparisons
        if (other.dataset, other.family) == (c.dataset, c.family)
        and other.low is not None
        and other.counted_with is None
    ]
    is_plain = found.results.inference.adjust == "none" or is_unadjusted(c)
    return 0 if is_plain and len(family) > 1 else max(len(family), 1)


def _gain(c: Comparison) -> float:
    return 0.0 if c.difference is None else gain(c)
