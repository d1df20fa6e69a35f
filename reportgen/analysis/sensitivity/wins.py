"""Wins, ties and losses of single rows, and the warnings about them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import ceil, nan, sqrt

import numpy as np

from reportgen.analysis.bound_statistics import Mapped
from reportgen.analysis.dataset_analysis import DatasetAnalysis
from reportgen.analysis.plan import PlannedMetric
from reportgen.analysis.row_subset import RowSubset
from reportgen.checks.check import Subject, iter_raised
from reportgen.checks.comparisons import PrimaryWinsSubject, WinsSubject
from reportgen.checks.models import JudgedListsSubject, ListsSubject, OrderSubject
from reportgen.checks.rows import QueriesSubject
from reportgen.inference.analytic_intervals import proportion_limits
from reportgen.inference.proportion_intervals import LEVEL
from reportgen.inference.resampled_intervals import critical_value
from reportgen.inference.significance import (
    FEWEST_CLUSTERS,
    sign_test_from_counts,
    sign_test_from_sums,
)
from reportgen.kernels.batch import Index, Vector
from reportgen.kernels.ranked_lists import Flags
from reportgen.metrics.questions import POOL
from reportgen.records import record
from reportgen.results.sensitivity import (
    ExtremeRow,
    Harm,
    JudgementCoverage,
    NamedRow,
    PairedValues,
    RowValues,
    Sensitivity,
    Wins,
)
from reportgen.results.types import Number, Params, RaisedWarning, round_number, round_numbers

WORST = 0.05  # share of the rows whose mean loss is told
KEPT = 200  # differences at most that are drawn
DOTS = 400  # rows of which each is a dot
BOXES = 32  # along a side, where rows are more
BARS = 40  # of the differences
EXTREMES = 10  # rows named on either side
RISK = 1.0  # how much more a loss counts than a gain


@record(eq=False)
class PairedDifferences:
    """Differences of rows that a metric judges, (n,), more is better, with weight and cluster."""

    rows: Index
    difference: Vector
    weight: Vector
    unit: Index | None


def iter_wins(analysis: DatasetAnalysis, mapped: Mapped = map) -> Iterator[Wins]:
    """Every pair on every metric whose value is a mean over rows, of which it judges any."""
    plan = analysis.plan
    asked = [(use, *pair) for use in plan.statistics.metrics for pair in plan.inference.pairs]
    found = mapped(lambda each: _count_wins(analysis, *each), asked)
    yield from (each for each in found if each is not None)


def iter_harms(analysis: DatasetAnalysis) -> Iterator[Harm]:
    """Yield the shares of rows that lose more than the requested drop."""
    parts, level = {part.name: part for part in analysis.parts}, analysis.plan.inference.level
    uses = {use.key: use for use in analysis.plan.statistics.metrics}
    for key, candidate, baseline, drop, segment in analysis.plan.sensitivity.harms:
        found = pair_rows(parts[segment], uses[key], candidate, baseline)
        if found is None:
            continue
        share, low, high = compute_weighted_share(found, found.difference < -drop - LEVEL, level)
        n = len(found.rows)
        yield Harm(
            analysis.plan.dataset,
            key,
            candidate,
            baseline,
            drop,
            round_number(share),
            round_number(low),
            round_number(high),
            level,
            n,
            segment,
        )


def iter_row_pairs(analysis: DatasetAnalysis) -> Iterator[PairedValues]:
    """Yield both models' values for each pair on the primary metric, as far as they are drawn."""
    whole = analysis.parts[0]
    for use in (u for u in analysis.plan.statistics.metrics if u.is_primary):
        for candidate, baseline in analysis.plan.inference.pairs:
            found = pair_rows(whole, use, candidate, baseline)
            if found is not None and len(found.rows):
                yield _row_pairs(analysis, use, candidate, baseline, found)


def iter_extreme_rows(analysis: DatasetAnalysis) -> Iterator[ExtremeRow]:
    """Yield the rows won and lost by most on the primary metric; none where no row may be named."""
    ids, whole = analysis.plan.row_names.shown, analysis.parts[0]
    for use in (u for u in analysis.plan.statistics.metrics if u.is_primary and ids is not None):
        for candidate, baseline in analysis.plan.inference.pairs:
            found = pair_rows(whole, use, candidate, baseline)
            if found is not None:
                yield from _iter_extremes(analysis, use, candidate, baseline, found)


def iter_row_values(analysis: DatasetAnalysis) -> Iterator[RowValues]:
    """Yield the value of every row on every metric, where they are kept."""
    plan, whole = analysis.plan, analysis.parts[0]
    for (key, model), bound in whole.metrics.items() if plan.row_names.kept else ():
        values = bound.losses
        if values is not None and plan.row_names.kept is not None:
            seen = values if bound.is_counted is None else np.where(bound.is_counted, values, nan)
            yield RowValues(plan.dataset, key, model, plan.row_names.kept, round_numbers(seen))


def pair_rows(
    part: RowSubset, use: PlannedMetric, candidate: str, baseline: str
) -> PairedDifferences | None:
    """Return the differences of the rows with weight on which both models are evaluated.

    None where the value is no mean over rows.
    """
    bound = [part.metrics.get((use.key, name)) for name in (candidate, baseline)]
    if any(each is None or each.losses is None for each in bound):
        return None
    first, second = bound
    assert first is not None and second is not None
    assert first.losses is not None and second.losses is not None
    weight = np.minimum(part.judging(first).weight, part.judging(second).weight)
    rows = np.flatnonzero(weight > 0)
    sign = 1.0 if use.metric.better == "higher" else -1.0
    unit = part.unit[rows] if part.is_clustered else None
    return PairedDifferences(rows, sign * (first.losses - second.losses)[rows], weight[rows], unit)


def compute_weighted_share(
    found: PairedDifferences, flags: Flags, level: float
) -> tuple[float, float, float]:
    """Compute a share of the weight with limits: a proportion's with Kish's n, or t over clusters.

    Of no rows it is nan: a metric may leave out every one.
    Where fewer than ten clusters have any such row, or lack one, t knows too little of how far
    they spread: the limits are then of a proportion as well, of as many rows as there are clusters.
    """
    if not len(found.rows):
        return nan, nan, nan
    weight = found.weight / found.weight.sum()
    hit = np.asarray(flags, dtype=np.float64)
    share = float(weight @ hit)
    if found.unit is None:
        return share, *proportion_limits(share, 1 / float(weight @ weight), level)
    sums = np.bincount(found.unit, weight * (hit - share))
    groups = len(np.unique(found.unit))
    if groups < FEWEST_CLUSTERS:
        return share, nan, nan
    few = min(len(np.unique(found.unit[flags])), len(np.unique(found.unit[~flags])))
    if few < FEWEST_CLUSTERS:
        return share, *proportion_limits(share, float(groups), level)
    half = critical_value(level, groups - 1) * sqrt(float(sums @ sums) * groups / (groups - 1))
    return share, max(share - half, 0.0), min(share + half, 1.0)


def sign_test_p_value(found: PairedDifferences, seed: int) -> Number:
    """Compute the sign test's p-value: exact where rows count equally, else of their units' sums.

    None under ten units, or where none is ahead or behind.
    """
    sign = np.sign(found.difference) * (np.abs(found.difference) > LEVEL)
    above, below = int((sign > 0).sum()), int((sign < 0).sum())
    if found.unit is None and len(np.unique(found.weight)) <= 1:
        is_tested = above + below > 0 and len(sign) >= FEWEST_CLUSTERS
        return round_number(sign_test_from_counts(above, below).p_value) if is_tested else None
    unit = np.arange(len(sign)) if found.unit is None else found.unit
    sums = np.bincount(unit, found.weight * sign).astype(np.float64)
    if len(np.unique(unit)) < FEWEST_CLUSTERS or not sums.any():
        return None
    return round_number(sign_test_from_sums(sums, seed).p_value)


def _count_wins(
    analysis: DatasetAnalysis, use: PlannedMetric, candidate: str, baseline: str
) -> Wins | None:
    plan = analysis.plan
    found = pair_rows(analysis.parts[0], use, candidate, baseline)
    if found is None or not len(found.rows):
        return None
    p = sign_test_p_value(found, plan.sampling.design.seed)
    return _build_wins(plan.dataset, use, candidate, baseline, found, plan.inference.level, p)


def _build_wins(
    dataset: str,
    use: PlannedMetric,
    candidate: str,
    baseline: str,
    found: PairedDifferences,
    level: float,
    p_value: Number,
) -> Wins:
    d = found.difference
    up, down = d > LEVEL, d < -LEVEL
    ahead, behind = (
        compute_weighted_share(found, up, level),
        compute_weighted_share(found, down, level),
    )
    above, below = int(up.sum()), int(down.sum())
    worst_of = max(ceil(WORST * len(d)), 1)
    risk = _mean_limits(found, np.maximum(d, 0.0) + (1 + RISK) * np.minimum(d, 0.0), level)
    return Wins(
        dataset=dataset,
        key=use.key,
        candidate=candidate,
        baseline=baseline,
        n=len(d),
        ahead=above,
        level=len(d) - above - below,
        behind=below,
        share_ahead=round_number(ahead[0]),
        ahead_low=round_number(ahead[1]),
        ahead_high=round_number(ahead[2]),
        share_behind=round_number(behind[0]),
        behind_low=round_number(behind[1]),
        behind_high=round_number(behind[2]),
        gain=_compute_mean(found, np.flatnonzero(up)),
        loss=_compute_mean(found, np.flatnonzero(down)),
        worst=_compute_mean(found, _find_smallest(d, worst_of)),
        worst_of=worst_of,
        risk=risk[0],
        risk_low=risk[1],
        risk_high=risk[2],
        p_value=p_value,
        confidence=level,
        differences=round_numbers(_compute_quantiles(d)),
    )


def _row_pairs(
    analysis: DatasetAnalysis,
    use: PlannedMetric,
    candidate: str,
    baseline: str,
    found: PairedDifferences,
) -> PairedValues:
    metrics = analysis.parts[0].metrics
    values = [metrics[use.key, name].losses for name in (baseline, candidate)]
    assert values[0] is not None and values[1] is not None
    x, y, count, width = bin_points(values[0][found.rows], values[1][found.rows])
    apart = found.difference[np.abs(found.difference) > LEVEL]
    end = float(np.abs(apart).max(initial=0.0)) or 1.0
    bars, edges = np.histogram(apart, bins=BARS, range=(-end, end))
    return PairedValues(
        analysis.plan.dataset,
        use.key,
        candidate,
        baseline,
        len(found.rows),
        round_numbers(x),
        round_numbers(y),
        round_numbers(count),
        width,
        round_numbers(edges),
        round_numbers(bars.astype(np.float64)),
    )


def bin_points(x: Vector, y: Vector) -> tuple[Vector, Vector, Vector, float]:
    """Points as they are, how many lie there, and 0; of many the boxes that hold any, and a side.

    Boxes are squares of one side, as many as fit the range of both.
    """
    if len(x) <= DOTS:
        return x, y, np.ones(len(x)), 0.0
    low, high = min(x.min(), y.min()), max(x.max(), y.max())
    width = float(high - low) / BOXES or 1.0
    at = np.minimum(np.stack([x - low, y - low]) / width, BOXES - 1).astype(np.intp)
    code, count = np.unique(at[0] * BOXES + at[1], return_counts=True)
    across, up = (low + (place + 0.5) * width for place in divmod(code, BOXES))
    return across, up, count.astype(np.float64), width


def _find_smallest(values: Vector, number: int) -> Index:
    """Return where the smallest values stand, in their order; of equal ones the first."""
    most = np.partition(values, number - 1)[number - 1]
    some = np.flatnonzero(values <= most)
    return some[np.argsort(values[some], kind="stable")[:number]]


def _compute_mean(found: PairedDifferences, which: Index) -> Number:
    """Compute the weighted mean of some differences; None of none."""
    own = found.weight[which]
    return round_number(float(own @ found.difference[which] / own.sum())) if own.sum() > 0 else None


def _mean_limits(
    found: PairedDifferences, each: Vector, level: float
) -> tuple[Number, Number, Number]:
    """Compute the weighted mean of one number per row, and its t limits over rows or clusters."""
    return compute_mean_limits(each, found.weight, found.unit, level)


def compute_mean_limits(
    each: Vector, weight: Vector, unit: Index | None, level: float
) -> tuple[Number, Number, Number]:
    """Compute a weighted mean over rows, and its t limits over rows or clusters; None of none."""
    if not len(each):
        return None, None, None
    share = weight / weight.sum()
    mean = float(share @ each)
    parts = share * (each - mean)
    if unit is not None:
        parts = np.bincount(np.unique(unit, return_inverse=True)[1], parts).astype(np.float64)
    n = len(parts) if unit is not None else 1 / float(share @ share)
    if n < 2:
        return round_number(mean), None, None
    half = critical_value(level, n - 1) * sqrt(float(parts @ parts) * n / (n - 1))
    return round_number(mean), round_number(mean - half), round_number(mean + half)


def _compute_quantiles(d: Vector) -> Vector:
    """Return the ascending differences; of many, their quantiles at even steps, ends included."""
    ordered = np.sort(d)
    if len(d) <= KEPT:
        return ordered
    return np.asarray(ordered[np.linspace(0, len(d) - 1, KEPT).round().astype(int)])


def _iter_extremes(
    analysis: DatasetAnalysis,
    use: PlannedMetric,
    candidate: str,
    baseline: str,
    found: PairedDifferences,
) -> Iterator[ExtremeRow]:
    plan, part = analysis.plan, analysis.parts[0]
    order = np.argsort(found.difference, kind="stable")
    lost, won = order[:EXTREMES], order[::-1][:EXTREMES]
    at = [k for k in won if found.difference[k] > LEVEL]
    at += [k for k in lost if found.difference[k] < -LEVEL]
    values = [part.metrics[use.key, name].losses for name in (candidate, baseline)]
    for k in at:
        row = int(found.rows[k])
        shown: Params = dict(part.data[candidate].describe(row))
        assert plan.row_names.shown is not None and values[0] is not None and values[1] is not None
        yield ExtremeRow(
            dataset=plan.dataset,
            key=use.key,
            candidate=candidate,
            baseline=baseline,
            row=NamedRow(plan.row_names.shown[row], shown),
            value=round_number(float(values[0][row])),
            baseline_value=round_number(float(values[1][row])),
            difference=round_number(float(found.difference[k])),
        )


def iter_row_warnings(analysis: DatasetAnalysis, found: Sensitivity) -> Iterator[RaisedWarning]:
    """Every warning of rows, lists and conventions; none where rows are not told apart."""
    plan = analysis.plan
    if not plan.sensitivity.has_wins:
        return
    primary = next((use for use in plan.statistics.metrics if use.is_primary), None)
    yield from iter_query_warnings(analysis)
    has_trec_ties = primary is not None and primary.metric.params.get("ties") == "trec"
    yield from iter_raised(*iter_pool_subjects(found.pools, has_trec_ties))
    yield from iter_raised(*_iter_order_subjects(analysis))
    for use in plan.statistics.metrics:
        mine = [row for row in found.wins if row.key == use.key]
        if use.metric.answers != POOL:  # of which models shall have as much
            yield from iter_raised(
                *(WinsSubject(key=row.key, model=row.candidate, wins=row) for row in mine)
            )
        if use is primary:
            yield from _warn_of_primary(analysis, use, mine, found)


def _warn_of_primary(
    analysis: DatasetAnalysis, use: PlannedMetric, mine: Sequence[Wins], found: Sensitivity
) -> Iterator[RaisedWarning]:
    whole, plan = analysis.parts[0], analysis.plan
    spread = {pool.model: pool.ties or 0.0 for pool in found.pools}
    for row in mine:
        pair = row.candidate, row.baseline
        if whole.is_same(*pair):  # nothing decides between them
            continue
        evidence, _ = analysis.difference(whole, use, *pair)
        limits = plan.inference.compute_interval(evidence)
        choices = [c for c in found.choices if (c.candidate, c.baseline) == pair]
        most = max(pair, key=lambda model: spread.get(model, 0.0))
        differences, weight = _compute_columns(analysis, use, pair)
        sides = limits.low > 0, limits.high < 0
        yield from iter_raised(
            PrimaryWinsSubject(
                key=use.key,
                model=row.candidate,
                spread=spread.get(most, 0.0),
                other="" if most == row.candidate else most,
                error=evidence.mean_se,
                choices=choices,
                differences=differences,
                weight=weight,
                wins=row,
                sides=sides if use.metric.better == "higher" else sides[::-1],
                alpha=1 - plan.inference.level,
            )
        )


def iter_query_warnings(analysis: DatasetAnalysis) -> Iterator[RaisedWarning]:
    """Yield the warnings of few queries, or of few that a metric evaluates."""
    whole, uses = analysis.parts[0], analysis.plan.statistics.metrics
    judged = {use.key: min(_iter_judged_counts(whole, use), default=whole.n) for use in uses}
    raised = iter_raised(
        *(
            QueriesSubject(key=key, evaluated=n, left_out=whole.n - n)
            for key, n in judged.items()
            if n < whole.n
        )
    )
    fewer = tuple(raised)
    yield from fewer
    if len(fewer) < max(len(judged), 1):
        yield from iter_raised(QueriesSubject(evaluated=whole.n))


def _iter_judged_counts(whole: RowSubset, use: PlannedMetric) -> Iterator[int]:
    """How many rows a metric judges of each model."""
    for model in whole.data:
        if (use.key, model) in whole.bound:
            yield whole.judging(whole.bound[use.key, model]).judges


def iter_pool_subjects(
    pools: Sequence[JudgementCoverage], has_trec_ties: bool = False
) -> Iterator[Subject]:
    """Yield the lists of each model, those with the least judgements first."""
    known = sorted((pool for pool in pools if pool.judged is not None), key=lambda p: p.judged or 0)
    for pool in known:
        most = max(known, key=lambda p: p.judged or 0.0)
        yield JudgedListsSubject(
            model=pool.model,
            covered=pool.judged,
            k=pool.k,
            least=known[0].judged or 0.0,
            most=most.judged or 0.0,
            other="" if most is pool else most.model,
        )
    for pool in pools:
        yield ListsSubject(
            model=pool.model,
            short=pool.short,
            k=pool.k,
            deepest=pool.deepest,
            equal_scores=pool.single if has_trec_ties else None,
        )


def _iter_order_subjects(analysis: DatasetAnalysis) -> Iterator[OrderSubject]:
    plan, whole = analysis.plan, analysis.parts[0]
    for metric in plan.statistics.order_checks:
        for model, rows in whole.data.items():
            bound = metric.bind(rows)
            if bound.losses is None:
                continue
            judging = whole.judging(bound).weight
            kept = np.flatnonzero(judging > 0)
            unit = whole.unit[kept] if whole.is_clustered else None
            auc, _, most = compute_mean_limits(
                bound.losses[kept], judging[kept], unit, plan.inference.level
            )
            if auc is not None and most is not None:
                yield OrderSubject(model=model, in_order=(auc, most))


def _compute_columns(
    analysis: DatasetAnalysis, use: PlannedMetric, pair: tuple[str, str]
) -> tuple[Vector, Vector]:
    found = pair_rows(analysis.parts[0], use, *pair)
    if found is None:
        return np.empty(0), np.empty(0)
    return found.difference, found.weight
