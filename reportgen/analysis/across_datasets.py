"""Models over several datasets, where each dataset is one unit."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import field
from itertools import combinations
from math import isfinite, nan
from typing import Any

import numpy as np
from numpy.typing import NDArray

from reportgen.analysis.plan import FamilyPlan, PlannedMetric
from reportgen.inference.across_datasets import (
    FEWEST_FOR_RANK_TESTS,
    compute_differences,
    critical_distance,
    find_cliques,
    fit_random_effects,
    friedman_test,
    hodges_lehmann,
    hodges_lehmann_limits,
    signed_rank_posterior,
    wilcoxon_p_value,
)
from reportgen.inference.multiplicity import Adjust, adjust_p_values, holm_p_values
from reportgen.kernels.batch import Matrix, Vector
from reportgen.metrics.traits import NEAREST
from reportgen.records import record
from reportgen.results.across_datasets import AcrossComparison, AcrossDatasets, PooledDifference
from reportgen.results.core import Comparison, Estimate
from reportgen.results.types import RaisedWarning, Word, round_number
from reportgen.results.verdicts import decide_verdict


@record
class AcrossPlan:
    """Plan of a comparison across datasets: the models to compare, and the level.

    `rope` is the half width of a difference on the primary metric that does not matter, None for
    its margin; other metrics have none. Models that are not told apart are joined by Nemenyi's
    critical distance, or else by signed ranks of all pairs.
    """

    datasets: tuple[str, ...]
    models: tuple[str, ...]
    pairs: tuple[tuple[str, str], ...]
    uses: tuple[PlannedMetric, ...]
    adjust: Adjust
    level: float
    seed: int
    families: FamilyPlan
    rope: float | None = None
    is_nemenyi: bool = False


@record(eq=False)
class _PairDifferences:
    use: PlannedMetric
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


@record(eq=False)
class DatasetValues:
    """The values of a metric over data sets, (datasets, models), and whether in one unit.

    `errors` are the standard errors of the differences of pairs, (datasets,) each.
    """

    use: PlannedMetric
    values: Matrix
    is_comparable: bool = True
    errors: Mapping[tuple[str, str], Vector] = field(default_factory=dict)


def iter_dataset_values(
    plan: AcrossPlan, estimates: Sequence[Estimate], comparisons: Sequence[Comparison] = ()
) -> Iterator[DatasetValues]:
    """Yield each model's values on each dataset, metric by metric; nan where it has no value."""
    known = {(e.key, e.dataset, e.model): e for e in estimates if e.segment is None}
    se = {
        (c.key, c.dataset, c.candidate, c.baseline): nan if c.se is None else c.se
        for c in comparisons
        if c.segment is None
    }
    for use in plan.uses:
        each = [[known.get((use.key, d, m)) for m in plan.models] for d in plan.datasets]
        values = np.array(
            [[nan if e is None or e.value is None else e.value for e in row] for row in each]
        )
        units = {e.unit for row in each for e in row if e is not None}
        errors = {
            pair: np.array([se.get((use.key, name, *pair), nan) for name in plan.datasets])
            for pair in plan.pairs
        }
        yield DatasetValues(use, values, len(units) == 1, errors)


def compute_group_means(values: Matrix, group: NDArray[np.integer[Any]]) -> Matrix:
    """Compute the mean of each group of rows of (n, k) values, (groups, k); rows count equally.

    >>> compute_group_means(np.array([[0.5], [0.7], [0.9]]), np.array([0, 0, 1]))
    array([[0.6],
           [0.9]])
    """
    return np.asarray([values[group == each].mean(axis=0) for each in np.unique(group)])


def compare_across_datasets(
    plan: AcrossPlan, given: Iterable[DatasetValues]
) -> tuple[AcrossDatasets, ...]:
    """Every metric that each model has a value of on every data set."""
    found = [
        (each.use, _orient_values(each.use, each.values), _list_pairs(plan, each))
        for each in given
        if np.isfinite(each.values).all()
    ]
    families: dict[Hashable, list[_PairDifferences]] = {}
    for _, _, pairs in found:
        for pair in pairs:
            families.setdefault(_identify_family(plan, pair), []).append(pair)
    compared: dict[int, AcrossComparison] = {}
    for members in families.values():
        compared |= _collect_family(plan, members)
    return tuple(
        _assemble_metric_results(plan, use, values, [compared[id(pair)] for pair in pairs])
        for use, values, pairs in found
    )


def _identify_family(plan: AcrossPlan, pair: _PairDifferences) -> Hashable:
    models = pair.candidate, pair.baseline
    return plan.families.name_family(*models) if pair.use.is_primary else models


def warn_few_datasets(plan: AcrossPlan) -> Iterator[RaisedWarning]:
    """W126 where there are too few data sets for a p-value."""
    if len(plan.datasets) < FEWEST_FOR_RANK_TESTS:
        yield RaisedWarning("W126", {"datasets": len(plan.datasets)})


def _orient_values(use: PlannedMetric, values: Matrix) -> Matrix:
    """Return the values, or their distances from the best value where the metric has one."""
    best = NEAREST.get(use.metric.better)
    return values if best is None else np.abs(values - best)


def _list_pairs(plan: AcrossPlan, given: DatasetValues) -> list[_PairDifferences]:
    place = {name: k for k, name in enumerate(plan.models)}
    use, judged = given.use, _orient_values(given.use, given.values)
    unknown = np.full(len(judged), nan)
    made = []
    for candidate, baseline in plan.pairs:
        first, second = (judged[:, place[name]] for name in (candidate, baseline))
        margin = None if use.margin is None else use.margin.at(float(second.mean()))
        each = compute_differences(first, second)
        errors = given.errors.get((candidate, baseline), unknown)
        is_comparable = given.is_comparable
        made.append(_PairDifferences(use, candidate, baseline, each, margin, is_comparable, errors))
    return made


def _collect_family(
    plan: AcrossPlan, pairs: Sequence[_PairDifferences]
) -> dict[int, AcrossComparison]:
    """Compare the pairs of one family, each allowing for the others."""
    p = np.array([wilcoxon_p_value(each.differences) if each.is_told else nan for each in pairs])
    members = max(sum(each.is_told for each in pairs), 1)
    raised = p if plan.adjust == "none" else adjust_p_values(p, members, plan.adjust)
    level = plan.level if plan.adjust == "none" else 1 - (1 - plan.level) / members
    return {
        id(pair): _compare_pair(plan, pair, float(own), float(strict), level)
        for pair, own, strict in zip(pairs, p, raised, strict=True)
    }


def _compare_pair(
    plan: AcrossPlan, pair: _PairDifferences, p: float, raised: float, level: float
) -> AcrossComparison:
    better, each = pair.use.metric.better, pair.differences
    sign = 1.0 if better == "higher" else -1.0
    low = high = centre = nan
    rope = plan.rope if plan.rope is not None and pair.use.is_primary else pair.margin
    posterior = None
    word: Word = "no result"
    if pair.is_comparable:
        centre, (low, high) = hodges_lehmann(each), hodges_lehmann_limits(each, level)
        is_same = not np.any(each)
        word = "equivalent" if is_same else decide_verdict(low, high, pair.margin, better)
        posterior = signed_rank_posterior(sign * each, rope or 0.0, plan.seed)
    return AcrossComparison(
        pair.use.key,
        pair.candidate,
        pair.baseline,
        int(np.sum(sign * each > 0)),
        int(np.sum(each == 0)),
        int(np.sum(sign * each < 0)),
        round_number(centre),
        round_number(low) if isfinite(low) else None,
        round_number(high) if isfinite(high) else None,
        level,
        round_number(p),
        round_number(raised),
        round_number(pair.margin),
        word,
        round_number(rope or 0.0),
        None if posterior is None else round_number(posterior.below),
        None if posterior is None else round_number(posterior.within),
        None if posterior is None else round_number(posterior.above),
        _pool_differences(pair, level) if pair.is_comparable else None,
    )


def _pool_differences(pair: _PairDifferences, level: float) -> PooledDifference | None:
    """Pool the differences with their standard errors, where each is known."""
    found = fit_random_effects(pair.differences, pair.errors, level)
    if found is None:
        return None
    return PooledDifference(
        round_number(found.mean),
        round_number(found.low),
        round_number(found.high),
        level,
        round_number(found.tau),
        round_number(found.next_low),
        round_number(found.next_high),
    )


def _assemble_metric_results(
    plan: AcrossPlan, use: PlannedMetric, values: Matrix, compared: Sequence[AcrossComparison]
) -> AcrossDatasets:
    found = friedman_test(values, use.metric.better == "higher")
    has_p = len(plan.datasets) >= FEWEST_FOR_RANK_TESTS
    distance = nan
    if plan.is_nemenyi:
        distance = critical_distance(len(plan.models), len(plan.datasets), plan.level)
        apart = np.abs(np.subtract.outer(found.mean_ranks, found.mean_ranks)) >= distance
    else:
        apart = _find_distinct_models(values, 1 - plan.level)
    joined = find_cliques(found.mean_ranks, apart) if has_p and len(plan.models) > 2 else []
    return AcrossDatasets(
        use.key,
        plan.datasets,
        plan.models,
        tuple(round_number(float(rank)) for rank in found.mean_ranks),
        round_number(found.chi_squared),
        round_number(found.p_chi_squared) if has_p else None,
        round_number(found.f),
        round_number(found.p_f) if has_p else None,
        tuple(compared),
        tuple(tuple(plan.models[place] for place in each) for each in joined),
        round_number(distance),
    )


def _find_distinct_models(values: Matrix, alpha: float) -> NDArray[np.bool_]:
    """Which models signed ranks of all pairs tell apart, adjusted by Holm, (k, k)."""
    k = values.shape[1]
    pairs = list(combinations(range(k), 2))
    p = holm_p_values(
        np.array([wilcoxon_p_value(compute_differences(*values[:, pair].T)) for pair in pairs])
    )
    found = np.zeros((k, k), dtype=bool)
    for (one, other), each in zip(pairs, p, strict=True):
        found[one, other] = found[other, one] = each <= alpha
    return found
