"""Estimates with their intervals, rounded: what enters the results from a study."""

from __future__ import annotations

from collections.abc import Iterator
from math import nan

import numpy as np

from reportgen.analysis.part import Part
from reportgen.analysis.plan import Contestant, Use, unsuited
from reportgen.analysis.study import Study
from reportgen.inference.evidence import NO_INTERVAL, Interval
from reportgen.inference.intervals import interval
from reportgen.metrics.units import unit_of
from reportgen.results import Estimate, Status, rounded


def estimates(study: Study) -> Iterator[Estimate]:
    """Every metric of every model on every part, with its interval."""
    for part in study.parts:
        for use in study.question.uses:
            yield from estimates_of(study, part, use)


def estimates_of(study: Study, part: Part, use: Use) -> Iterator[Estimate]:
    """One metric of every model on one part."""
    for contestant in study.question.contestants:
        yield _estimate(study, part, use, contestant)


def _estimate(study: Study, part: Part, use: Use, contestant: Contestant) -> Estimate:
    question = study.question
    status: Status = "ok"
    value, found = nan, Interval(nan, nan, question.level, "", nan)
    reason = unsuited(use.metric.needs, contestant)
    if reason:
        status = "not applicable"
    else:
        evidence = study.evidence(part, use, contestant.name)
        value, found = evidence.value, interval(evidence, question.interval, question.level)
        if not np.isfinite(value):
            status = "undefined"
            reason = part.metrics[use.key, contestant.name].why_undefined(part.weight)
        else:
            reason = NO_INTERVAL[found.reason]
    return Estimate(
        dataset=question.dataset,
        segment=part.name,
        model=contestant.name,
        key=use.key,
        metric=use.metric.name,
        params=dict(use.metric.params),
        unit=unit_of(use.metric.unit, question.unit, question.currency),
        value=rounded(value),
        low=rounded(found.low),
        high=rounded(found.high),
        level=found.level,
        method=found.method,
        se=rounded(found.se),
        n=part.n,
        status=status,
        reason=reason,
    )
