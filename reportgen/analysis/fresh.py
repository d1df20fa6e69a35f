"""Metrics on the rows to fit on beside those on fresh rows, and the gap between the two.

Both samples are drawn apart from each other, so limits of a gap come by square-and-add from those
of its ends.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import isfinite

from reportgen.analysis.dataset_analysis import DatasetAnalysis, replicated
from reportgen.analysis.estimates import estimates_of
from reportgen.analysis.plan import Use
from reportgen.inference.independent import mover
from reportgen.results import Estimate, FreshGap, rounded
from reportgen.results.raised import RaisedWarning

LARGE, NOTABLE = 0.2, 0.01  # of what is missing to the best value, and of a measure's range


def fresh_gaps(analysis: DatasetAnalysis) -> Iterator[FreshGap]:
    """Every metric of every model that has a value on both; nothing without rows to fit on."""
    plan = analysis.plan.fitted
    if plan is None:
        return
    found = replicated(plan)
    for use in analysis.plan.uses:
        both = zip(_on_all(found, use), _on_all(analysis, use), strict=True)
        for fitted, fresh in both:
            if fitted.value is not None and fresh.value is not None:
                yield _gap(fitted, fresh, plan.design.n)


def worse_on_fresh(analysis: DatasetAnalysis, gaps: Sequence[FreshGap]) -> Iterator[RaisedWarning]:
    """W144: a model is shown to be far worse on fresh rows, on the first metric where it is.

    By more than the margin, or, where none is declared, than a fifth of what is missing to the best
    value and a hundredth of the range of values.
    """
    order = sorted(analysis.plan.uses, key=lambda use: not use.is_primary)
    told: set[str] = set()
    for use in order:
        for gap in gaps:
            if gap.key == use.key and gap.model not in told and _is_large(use, gap):
                told.add(gap.model)
                numbers = {"fit": gap.fit, "on_fresh": gap.fresh.value,
                           "on_fitted": gap.fitted.value}  # fmt: skip
                yield RaisedWarning("W144", numbers, key=use.key, model=gap.model)


def _is_large(use: Use, gap: FreshGap) -> bool:
    """Whether even the limit of the gap nearest to zero is large, on the bad side of it."""
    metric, fresh = use.metric, gap.fresh.value
    sign = {"higher": 1.0, "lower": -1.0}.get(metric.better)
    if sign is None or fresh is None or gap.low is None or gap.high is None:
        return False
    harm = min(-sign * gap.low, -sign * gap.high)
    if use.margin is not None:
        return harm > use.margin.against(fresh)
    low, high = metric.bounds
    best = high if sign > 0 else low
    missing = abs(best - fresh) if isfinite(best) else abs(fresh)
    least = NOTABLE * (high - low) if isfinite(high - low) else 0.0
    return harm > 0 and harm >= max(LARGE * missing, least)


def _on_all(analysis: DatasetAnalysis, use: Use) -> Iterator[Estimate]:
    return estimates_of(analysis, analysis.parts[0], use)


def _gap(fitted: Estimate, fresh: Estimate, n: int) -> FreshGap:
    assert fitted.value is not None and fresh.value is not None
    low, high = None, None
    ends = fitted.low, fitted.high, fresh.low, fresh.high
    if None not in ends:
        low, high = mover((fresh.value, fresh.low, fresh.high),  # type: ignore[arg-type]
                          (fitted.value, fitted.low, fitted.high))  # type: ignore[arg-type]  # fmt: skip
    return FreshGap(
        dataset=fresh.dataset,
        fit=fitted.dataset,
        n=n,
        model=fresh.model,
        key=fresh.key,
        fitted=fitted,
        fresh=fresh,
        difference=rounded(fresh.value - fitted.value),
        low=rounded(low),
        high=rounded(high),
        level=fresh.level,
    )
