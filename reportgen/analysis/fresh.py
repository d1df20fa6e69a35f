"""Metrics on the rows to fit on beside those on fresh rows, and the gap between the two.

Both samples are drawn apart from each other, so limits of a gap come by square-and-add from those
of its ends.
"""

from __future__ import annotations

from collections.abc import Iterator

from reportgen.analysis.dataset_analysis import DatasetAnalysis, replicated
from reportgen.analysis.estimates import estimates_of
from reportgen.analysis.plan import Use
from reportgen.inference.independent import mover
from reportgen.results import Estimate, FreshGap, rounded


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
