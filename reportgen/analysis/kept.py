"""Which replicates are kept between runs, and under which name each."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import permutations

from reportgen.analysis.plan import AnalysisPlan
from reportgen.resampling.cache import code_digest, digest
from reportgen.resampling.replicates import Slice, What, Where


def names_of(plan: AnalysisPlan, slices: Mapping[Where, Slice]) -> dict[tuple[Where, What], str]:
    """What each array of replicates is kept under: all that it depends on, if that is known."""
    ground = digest(code_digest(), *plan.design.identity, plan.outcome.values)
    each = {c.name: digest(*c.rows.contents()) for c in plan.models}
    scores: dict[str | tuple[str, str], str] = dict(each.items())
    scores |= {pair: digest(*(each[name] for name in pair)) for pair in permutations(each, 2)}
    return {
        (where, key): digest(ground, part.rows, scores[key[1]], *statistic.identity)
        for where, part in slices.items()
        for key, statistic in part.statistics.items()
        if statistic.identity is not None
    }
