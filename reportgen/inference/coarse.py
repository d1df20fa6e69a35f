"""Limits that hold where units are few: the value and Student's t times its standard error.

Of two rows resamples are one row, the other, or both: their quantiles, or a logarithm's Normal
limits, claim more than two numbers can tell. Under ten units no interval lies within this one.
"""

from __future__ import annotations

from dataclasses import replace
from math import isfinite, sqrt

from reportgen.inference.evidence import Evidence, Interval
from reportgen.inference.resampled import bounded, critical

METHOD = "few-units"
FOR_FEW = ("t", "wilson", "clopper-pearson", "exact-bound", "exact-share")  # made for few units


def widened(evidence: Evidence, found: Interval, level: float) -> Interval:
    """The interval, and the coarse one with it where units are few and it lies further out."""
    is_open = evidence.is_few and found.method not in FOR_FEW
    wide = coarse(evidence, level) if is_open else None
    if wide is None or (found.low <= wide.low and wide.high <= found.high):
        return found
    return replace(wide, low=min(found.low, wide.low), high=max(found.high, wide.high))


def coarse(evidence: Evidence, level: float) -> Interval | None:
    """The value ± t times the larger standard error, by influence or replicates; None without.

    Degrees of freedom are the units, or blocks of them, less the strata, and never under one.
    """
    lost = evidence.units / max(evidence.units - evidence.strata, 1)
    spread = evidence.bootstrap_se * (1.0 if evidence.is_clustered else sqrt(lost))
    known = [se for se in (spread, evidence.mean_se) if isfinite(se)]
    se = max(known, default=0.0)
    if not se > evidence.rounding:
        return None
    df = max(min(evidence.unit_df, evidence.independent - evidence.strata), 1.0)
    half = critical(level, df) * se
    return bounded(evidence, evidence.value - half, evidence.value + half, level, METHOD, se)
