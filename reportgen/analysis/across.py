"""Models over several data sets: each data set is one unit, whatever its number of rows."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from math import isfinite, nan
from typing import Any

import numpy as np
from numpy.typing import NDArray

from reportgen.analysis.plan import Use
from reportgen.inference.across import (
    FEWEST,
    cliques,
    critical_distance,
    differences_of,
    hodges_lehmann,
    omnibus,
    signed_rank_limits,
    signed_rank_p,
    signed_rank_posterior,
)
from reportgen.inference.intervals import equivalence_level
from reportgen.inference.multiplicity import Adjust, bh, holm
from reportgen.inference.random_effects import random_effects
from reportgen.inference.significance import verdict
from reportgen.kernels.batch import Matrix, Vector
from reportgen.metrics.spec import NEAREST
from reportgen.results import (
    AcrossComparison,
    AcrossDatasets,
    Comparison,
    Estimate,
    PooledDifference,
    rounded,
)
from reportgen.results.raised import RaisedWarning


@dataclass(frozen=True)
class AcrossPlan:
    """What is asked of several data sets: who is compared, and how sure to be.

    `rope` is the half width of a difference on the primary metric that does not matter, None for
    its margin; other metrics have none. Models that are not told apart are joined by Nemenyi's
    critical distance, or else by signed ranks of all pairs.
    """

    datasets: tuple[str, ...]
    models: tuple[str, ...]
    pairs: tuple[tuple[str, str], ...]
    uses: tuple[Use, ...]
    adjust: Adjust
    level: float
    seed: int
    rope: float | None = None
    is_nemenyi: bool = False


@dataclass(frozen=True, eq=False)
class _Gap:
    use: Use
    candidate: str
    baseline: str
    differences: Vector
    margin: float | None
    is_comparable: bool
    errors: Vector

    @property
    def is_told(self) -> bool:
        """Whether it is asked of the data sets at all: not of a model and its copy."""
        return self.is_comparable and bool(np.any(self.differences))


@dataclass(frozen=True, eq=False)
class ValuesOver:
    """The values of a metric over data sets, (datasets, models), and whether in one unit.

    `errors` are the standard errors of the differences of pairs, (datasets,) each.
    """

    use: Use
    values: Matrix
    is_comparable: bool = True
    errors: Mapping[tuple[str, str], Vector] = field(default_factory=dict)


def values_over(
    plan: AcrossPlan, estimates: Sequence[Estimate], comparisons: Sequence[Comparison] = ()
) -> Iterator[ValuesOver]:
    """What each model has on each data set, metric by metric; nan where it has no value."""
    known = {(e.key, e.dataset, e.model): e for e in estimates if e.segment is None}
    se = {
        (c.key, c.dataset, c.candidate, c.baseline): nan if c.se is None else c.se
        for c in comparisons
        if c.segment is None
    }
    for use in plan.uses:
        each = [[known.get((use.key, d, m)) for m in plan.models] for d in plan.datasets]
        values = np.array([[nan if e is None or e.value is None else e.value for e in row]
                           for row in each])  # fmt: skip
        units = {e.unit for row in each for e in row if e is not None}
        errors = {
            pair: np.array([se.get((use.key, name, *pair), nan) for name in plan.datasets])
            for pair in plan.pairs
        }
        yield ValuesOver(use, values, len(units) == 1, errors)


def means_of_groups(values: Matrix, group: NDArray[np.integer[Any]]) -> Matrix:
    """The mean of each group of rows of (n, k) values, (groups, k); every row counts alike.

    >>> means_of_groups(np.array([[0.5], [0.7], [0.9]]), np.array([0, 0, 1]))
    array([[0.6],
           [0.9]])
    """
    return np.asarray([values[group == each].mean(axis=0) for each in np.unique(group)])


def across(plan: AcrossPlan, given: Iterable[ValuesOver]) -> tuple[AcrossDatasets, ...]:
    """Every metric that each model has a value of on every data set."""
    found = [
        (each.use, _as_judged(each.use, each.values),
         _pairs(plan, each))
        for each in given
        if np.isfinite(each.values).all()
    ]  # fmt: skip
    by_family = {is_first: _family(plan, [pair for use, _, pairs in found for pair in pairs
                                          if use.is_primary == is_first])
                 for is_first in (True, False)}  # fmt: skip
    return tuple(
        _told(plan, use, values, [by_family[use.is_primary][id(pair)] for pair in pairs])
        for use, values, pairs in found
    )


def few_datasets(plan: AcrossPlan) -> Iterator[RaisedWarning]:
    """W126 where there are too few data sets for a p-value."""
    if len(plan.datasets) < FEWEST:
        yield RaisedWarning("W126", {"datasets": len(plan.datasets)})


def _as_judged(use: Use, values: Matrix) -> Matrix:
    """The values, or how far they are from what is best."""
    best = NEAREST.get(use.metric.better)
    return values if best is None else np.abs(values - best)


def _pairs(plan: AcrossPlan, given: ValuesOver) -> list[_Gap]:
    place = {name: k for k, name in enumerate(plan.models)}
    use, judged = given.use, _as_judged(given.use, given.values)
    unknown = np.full(len(judged), nan)
    made = []
    for candidate, baseline in plan.pairs:
        first, second = (judged[:, place[name]] for name in (candidate, baseline))
        margin = None if use.margin is None else use.margin.against(float(second.mean()))
        each = differences_of(first, second)
        errors = given.errors.get((candidate, baseline), unknown)
        is_comparable = given.is_comparable
        made.append(_Gap(use, candidate, baseline, each, margin, is_comparable, errors))
    return made


def _family(plan: AcrossPlan, pairs: Sequence[_Gap]) -> Mapping[int, AcrossComparison]:
    """The pairs of one family, allowed for together."""
    p = np.array([signed_rank_p(each.differences) if each.is_told else nan
                  for each in pairs])  # fmt: skip
    raised = p if plan.adjust == "none" else bh(p) if plan.adjust == "bh" else holm(p)
    members = sum(each.is_told for each in pairs)
    found = 1
    if plan.adjust == "bh":
        found = max(int(np.sum(raised <= 1 - plan.level)), 1)
    shared = 1 if plan.adjust == "none" else max(members, 1) / found
    level = 1 - (1 - plan.level) / shared
    return {
        id(pair): _compared(plan, pair, float(own), float(strict), level)
        for pair, own, strict in zip(pairs, p, raised, strict=True)
    }


def _compared(
    plan: AcrossPlan, pair: _Gap, p: float, raised: float, level: float
) -> AcrossComparison:
    better, each = pair.use.metric.better, pair.differences
    sign = 1.0 if better == "higher" else -1.0
    low = high = centre = nan
    said, beyond = verdict(nan, nan, nan, nan, None, better)
    rope = plan.rope if plan.rope is not None and pair.use.is_primary else pair.margin
    posterior = None
    if pair.is_comparable:
        centre, (low, high) = hodges_lehmann(each), signed_rank_limits(each, level)
        equal = signed_rank_limits(each, equivalence_level(level))
        said, beyond = verdict(low, high, *equal, pair.margin, better)
        posterior = signed_rank_posterior(sign * each, rope or 0.0, plan.seed)
    return AcrossComparison(
        pair.use.key,
        pair.candidate,
        pair.baseline,
        int(np.sum(sign * each > 0)),
        int(np.sum(each == 0)),
        int(np.sum(sign * each < 0)),
        rounded(centre),
        rounded(low) if isfinite(low) else None,
        rounded(high) if isfinite(high) else None,
        level,
        rounded(p),
        rounded(raised),
        rounded(pair.margin),
        said,
        beyond,
        rounded(rope or 0.0),
        None if posterior is None else rounded(posterior.below),
        None if posterior is None else rounded(posterior.within),
        None if posterior is None else rounded(posterior.above),
        _pooled(pair, level) if pair.is_comparable else None,
    )


def _pooled(pair: _Gap, level: float) -> PooledDifference | None:
    """The differences with their standard errors, where each is known."""
    found = random_effects(pair.differences, pair.errors, level)
    if found is None:
        return None
    return PooledDifference(
        rounded(found.mean),
        rounded(found.low),
        rounded(found.high),
        level,
        rounded(found.tau),
        rounded(found.next_low),
        rounded(found.next_high),
    )


def _told(
    plan: AcrossPlan, use: Use, values: Matrix, compared: Sequence[AcrossComparison]
) -> AcrossDatasets:
    found = omnibus(values, use.metric.better == "higher")
    has_p = len(plan.datasets) >= FEWEST
    distance = nan
    if plan.is_nemenyi:
        distance = critical_distance(len(plan.models), len(plan.datasets), plan.level)
        apart = np.abs(np.subtract.outer(found.mean_ranks, found.mean_ranks)) >= distance
    else:
        apart = _apart(values, 1 - plan.level)
    joined = cliques(found.mean_ranks, apart) if has_p and len(plan.models) > 2 else []
    return AcrossDatasets(
        use.key,
        plan.datasets,
        plan.models,
        tuple(rounded(float(rank)) for rank in found.mean_ranks),
        rounded(found.chi_squared),
        rounded(found.p_chi_squared) if has_p else None,
        rounded(found.f),
        rounded(found.p_f) if has_p else None,
        tuple(compared),
        tuple(tuple(plan.models[place] for place in each) for each in joined),
        rounded(distance),
    )


def _apart(values: Matrix, alpha: float) -> NDArray[np.bool_]:
    """Which models signed ranks of all pairs tell apart, adjusted by Holm, (k, k)."""
    k = values.shape[1]
    pairs = list(combinations(range(k), 2))
    p = holm(np.array([signed_rank_p(differences_of(*values[:, pair].T)) for pair in pairs]))
    found = np.zeros((k, k), dtype=bool)
    for (one, other), each in zip(pairs, p, strict=True):
        found[one, other] = found[other, one] = each <= alpha
    return found
