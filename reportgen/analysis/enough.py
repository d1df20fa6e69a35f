"""How many replicates a plan needs, where the config does not say.

Where p-values or limits come from counting replicates, m comparisons at level 1 − α share it: the
strictest of them asks for one replicate in m/α, or in 2m/α where each tail is counted on its own.
So the usual number is raised to twice that, as the outermost replicate alone makes a poor limit.
It follows from the plan, not from any number that is found.
"""

from __future__ import annotations

from collections.abc import Sequence

from reportgen.analysis.plan import Use
from reportgen.inference.intervals import COUNTED_ONCE, COUNTED_TWICE
from reportgen.inference.multiplicity import Adjust
from reportgen.inference.resampled import fewest_replicates
from reportgen.inference.suited import DIFFERENCE, TESTS, methods_of
from reportgen.metrics.spec import NEAREST, Metric

USUAL = 1_999
MOST = 9_999
COUNTED_TESTS = ("bootstrap", "bootstrap-t")


def enough(
    uses: Sequence[Use],
    pairs: int,
    segments: int,
    n: int,
    *,
    adjust: Adjust,
    interval: str,
    level: float,
) -> int:
    """The usual 1,999, or as many as the largest family needs if that is no more than 9,999.

    A family that needs still more is told of, and what it cannot reach stays open.
    """
    if adjust not in ("holm", "bh"):
        return USUAL
    asked = {(use.test, use.metric.root(n).metric.identity): use for use in uses}
    first = {(use.test, use.metric.root(n).metric.identity) for use in uses if use.is_primary}
    families = (
        ([use for key, use in asked.items() if key in first], pairs),
        ([use for key, use in asked.items() if key not in first], pairs),
        (list(asked.values()), pairs * segments),
    )
    needed = [_needed(family, times, n, interval, level) for family, times in families]
    return max([USUAL, *(min(2 * each, MOST) for each in needed if each <= MOST)])


def tails_counted(metric: Metric, interval: str, test: str) -> int:
    """In how many tails the replicates of a metric's differences are counted; 0 by formulas."""
    if metric.better in NEAREST:
        return 0
    kind = metric.estimand
    methods = methods_of(kind, DIFFERENCE) if interval == "auto" else (interval,)
    tests = methods_of(kind, TESTS) if test == "auto" else (test,)
    if set(methods) & set(COUNTED_TWICE):
        return 2
    return 1 if set(methods) & set(COUNTED_ONCE) or set(tests) & set(COUNTED_TESTS) else 0


def _needed(family: Sequence[Use], times: int, n: int, interval: str, level: float) -> int:
    """The fewest replicates with which each of the family can reach its level; 0 for formulas."""
    tails = [tails_counted(use.metric.root(n).metric, interval, use.test) for use in family]
    members = len(family) * times
    if members < 2 or not any(tails):
        return 0
    return fewest_replicates(max(tails) * members, level)
