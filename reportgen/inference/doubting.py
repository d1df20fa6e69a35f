"""Which doubts a study raises: each check of `doubts`, where it applies."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from reportgen.inference import doubts as checks
from reportgen.inference.evidence import Evidence, contrast
from reportgen.inference.intervals import interval
from reportgen.inference.question import Doubt, Use
from reportgen.inference.study import Part, Study
from reportgen.kernels.batch import Vector


def doubts(study: Study) -> Iterator[Doubt]:
    """Every doubt about the rows, the estimates and the comparisons, once each."""
    whole = study.parts[0]
    yield from _of_rows(study, whole)
    for (key, model), _ in whole.metrics.items():
        use = next(use for use in study.question.uses if use.key == key)
        yield from _of_estimate(study, whole, use, model)
    for use in study.question.uses:
        for candidate, baseline in study.question.pairs:
            if {(use.key, candidate), (use.key, baseline)} <= whole.metrics.keys():
                yield from _of_pair(study, whole, use, candidate, baseline)


def _of_rows(study: Study, part: Part) -> Iterator[Doubt]:
    """Ties of y and of each score; clusters."""
    yield from _told(checks.ties(part.y.values), what="y")
    for contestant in study.question.contestants:
        yield from _told(checks.ties(contestant.score), model=contestant.name, what="score")
    if part.is_clustered:
        yield from _told(checks.few_clusters(part.by_unit(part.weight)))


def _of_estimate(study: Study, part: Part, use: Use, model: str) -> Iterator[Doubt]:
    evidence = study.evidence(part, use, model)
    found = interval(evidence, study.question.interval, study.question.level)
    yield from _told(checks.heavy_tail(evidence), use.key, model)
    yield from _told(checks.degenerate_replicates(evidence), use.key, model)
    yield from _told(checks.at_bound(evidence, found), use.key, model)
    yield from _told(checks.imprecise_limits(evidence, found), use.key, model)
    if found.method == "bca":
        level = study.question.level
        yield from _told(checks.unusable_bca(evidence, level), use.key, model)
    if _is_in_doubtful_order(study, evidence):
        yield from _told(checks.autocorrelated(_losses(evidence)), use.key, model)


def _of_pair(study: Study, part: Part, use: Use, candidate: str, baseline: str) -> Iterator[Doubt]:
    first, second = (study.evidence(part, use, name) for name in (candidate, baseline))
    difference = contrast(first, second, use.metric.better)
    yield from _told(checks.no_variance(difference), use.key, candidate)
    if use.is_primary:
        found = interval(difference, study.question.interval, study.question.level)
        margin = use.margin.against(second.value) if use.margin else None
        yield from _told(checks.too_close_to_call(difference, found, margin), use.key, candidate)


def _is_in_doubtful_order(study: Study, evidence: Evidence) -> bool:
    """Whether losses stand row by row and nothing is declared about how rows hang together."""
    return evidence.contributions is not None and not study.question.is_ordered


def _losses(evidence: Evidence) -> Vector:
    assert evidence.contributions is not None
    return np.asarray(evidence.contributions * evidence.n)


def _told(
    doubt: checks.Doubt | None, key: str | None = None, model: str | None = None, what: str = ""
) -> Iterator[Doubt]:
    if doubt is not None:
        numbers = {**doubt.numbers, "what": what} if what else dict(doubt.numbers)
        yield Doubt(doubt.code, numbers, None, key, model)
