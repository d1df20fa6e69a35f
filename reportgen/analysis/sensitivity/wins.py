"""On how many rows a candidate is ahead, level and behind, and what the worst-hit rows lose.

A mean says by how much; these say on how many, which any rescaling of the measure leaves as it is.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from math import ceil, nan, sqrt

import numpy as np

from reportgen.analysis.binding import Mapped
from reportgen.analysis.dataset_analysis import DatasetAnalysis
from reportgen.analysis.plan import Use
from reportgen.analysis.subset import RowSubset
from reportgen.inference.analytic import share_limits
from reportgen.inference.resampled import critical
from reportgen.inference.shares import LEVEL
from reportgen.inference.significance import FEWEST_CLUSTERS, sign_test, sign_test_of_sums
from reportgen.kernels.batch import Index, Vector
from reportgen.kernels.lists import Flags
from reportgen.results import (
    Extreme,
    Harm,
    NamedRow,
    Number,
    PairedValues,
    Params,
    RowValues,
    Wins,
    rounded,
    rounded_all,
)

WORST = 0.05  # share of the rows whose mean loss is told
KEPT = 200  # differences at most that are drawn
DOTS = 400  # rows of which each is a dot
BOXES = 32  # along a side, where rows are more
BARS = 40  # of the differences
EXTREMES = 10  # rows named on either side
RISK = 1.0  # how much more a loss counts than a gain


@dataclass(frozen=True, eq=False)
class Paired:
    """Differences of rows that a metric judges, (n,), more is better, with weight and cluster."""

    rows: Index
    difference: Vector
    weight: Vector
    unit: Index | None


def wins(analysis: DatasetAnalysis, mapped: Mapped = map) -> Iterator[Wins]:
    """Every pair on every metric whose value is a mean over rows, of which it judges any."""
    plan = analysis.plan
    asked = [(use, *pair) for use in plan.uses for pair in plan.pairs]
    found = mapped(lambda each: _of_pair(analysis, *each), asked)
    yield from (each for each in found if each is not None)


def harms(analysis: DatasetAnalysis) -> Iterator[Harm]:
    """The shares of rows that lose more than is asked about."""
    parts, level = {part.name: part for part in analysis.parts}, analysis.plan.level
    uses = {use.key: use for use in analysis.plan.uses}
    for key, candidate, baseline, drop, segment in analysis.plan.harms:
        found = paired_rows(parts[segment], uses[key], candidate, baseline)
        if found is None:
            continue
        share, low, high = share_of(found, found.difference < -drop - LEVEL, level)
        n = len(found.rows)
        yield Harm(analysis.plan.dataset, key, candidate, baseline, drop, rounded(share),
                   rounded(low), rounded(high), level, n, segment)  # fmt: skip


def row_pairs(analysis: DatasetAnalysis) -> Iterator[PairedValues]:
    """The values of both models of each pair on the primary metric, as far as they are drawn."""
    whole = analysis.parts[0]
    for use in (u for u in analysis.plan.uses if u.is_primary):
        for candidate, baseline in analysis.plan.pairs:
            found = paired_rows(whole, use, candidate, baseline)
            if found is not None and len(found.rows):
                yield _row_pairs(analysis, use, candidate, baseline, found)


def extremes(analysis: DatasetAnalysis) -> Iterator[Extreme]:
    """The rows won and lost most on the primary metric; none where no row may be named."""
    ids, whole = analysis.plan.ids, analysis.parts[0]
    for use in (u for u in analysis.plan.uses if u.is_primary and ids is not None):
        for candidate, baseline in analysis.plan.pairs:
            found = paired_rows(whole, use, candidate, baseline)
            if found is not None:
                yield from _extremes(analysis, use, candidate, baseline, found)


def row_values(analysis: DatasetAnalysis) -> Iterator[RowValues]:
    """The value of every row on every metric, where they are kept."""
    plan, whole = analysis.plan, analysis.parts[0]
    for (key, model), bound in whole.metrics.items() if plan.row_names else ():
        values = bound.losses
        if values is not None and plan.row_names is not None:
            seen = values if bound.judged is None else np.where(bound.judged, values, nan)
            yield RowValues(plan.dataset, key, model, plan.row_names, rounded_all(seen))


def paired_rows(part: RowSubset, use: Use, candidate: str, baseline: str) -> Paired | None:
    """The differences of the rows with weight that both are judged on.

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
    return Paired(rows, sign * (first.losses - second.losses)[rows], weight[rows], unit)


def share_of(found: Paired, flags: Flags, level: float) -> tuple[float, float, float]:
    """A share of the weight with limits: those of a proportion with Kish's n, or t over clusters.

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
        return share, *share_limits(share, 1 / float(weight @ weight), level)
    sums = np.bincount(found.unit, weight * (hit - share))
    groups = len(np.unique(found.unit))
    if groups < FEWEST_CLUSTERS:
        return share, nan, nan
    few = min(len(np.unique(found.unit[flags])), len(np.unique(found.unit[~flags])))
    if few < FEWEST_CLUSTERS:
        return share, *share_limits(share, float(groups), level)
    half = critical(level, groups - 1) * sqrt(float(sums @ sums) * groups / (groups - 1))
    return share, max(share - half, 0.0), min(share + half, 1.0)


def p_of_signs(found: Paired, seed: int) -> Number:
    """The p-value of the sign test: exact where rows count alike, else of their units' sums.

    None under ten units, or where none is ahead or behind.
    """
    sign = np.sign(found.difference) * (np.abs(found.difference) > LEVEL)
    above, below = int((sign > 0).sum()), int((sign < 0).sum())
    if found.unit is None and len(np.unique(found.weight)) <= 1:
        is_tested = above + below > 0 and len(sign) >= FEWEST_CLUSTERS
        return rounded(sign_test(above, below).p_value) if is_tested else None
    unit = np.arange(len(sign)) if found.unit is None else found.unit
    sums = np.bincount(unit, found.weight * sign).astype(np.float64)
    if len(np.unique(unit)) < FEWEST_CLUSTERS or not sums.any():
        return None
    return rounded(sign_test_of_sums(sums, seed).p_value)


def _of_pair(analysis: DatasetAnalysis, use: Use, candidate: str, baseline: str) -> Wins | None:
    plan = analysis.plan
    found = paired_rows(analysis.parts[0], use, candidate, baseline)
    if found is None or not len(found.rows):
        return None
    p = p_of_signs(found, plan.design.seed)
    return _wins(plan.dataset, use, candidate, baseline, found, plan.level, p)


def _wins(
    dataset: str,
    use: Use,
    candidate: str,
    baseline: str,
    found: Paired,
    level: float,
    p_value: Number,
) -> Wins:
    d = found.difference
    up, down = d > LEVEL, d < -LEVEL
    ahead, behind = share_of(found, up, level), share_of(found, down, level)
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
        share_ahead=rounded(ahead[0]),
        ahead_low=rounded(ahead[1]),
        ahead_high=rounded(ahead[2]),
        share_behind=rounded(behind[0]),
        behind_low=rounded(behind[1]),
        behind_high=rounded(behind[2]),
        gain=_mean(found, np.flatnonzero(up)),
        loss=_mean(found, np.flatnonzero(down)),
        worst=_mean(found, np.argsort(d, kind="stable")[:worst_of]),
        worst_of=worst_of,
        risk=risk[0],
        risk_low=risk[1],
        risk_high=risk[2],
        p_value=p_value,
        confidence=level,
        differences=rounded_all(_quantiles(d)),
    )


def _row_pairs(
    analysis: DatasetAnalysis, use: Use, candidate: str, baseline: str, found: Paired
) -> PairedValues:
    metrics = analysis.parts[0].metrics
    values = [metrics[use.key, name].losses for name in (baseline, candidate)]
    assert values[0] is not None and values[1] is not None
    x, y, count, width = boxed(values[0][found.rows], values[1][found.rows])
    apart = found.difference[np.abs(found.difference) > LEVEL]
    end = float(np.abs(apart).max(initial=0.0)) or 1.0
    bars, edges = np.histogram(apart, bins=BARS, range=(-end, end))
    return PairedValues(
        analysis.plan.dataset, use.key, candidate, baseline, len(found.rows), rounded_all(x),
        rounded_all(y), rounded_all(count), width, rounded_all(edges),
        rounded_all(bars.astype(np.float64)),
    )  # fmt: skip


def boxed(x: Vector, y: Vector) -> tuple[Vector, Vector, Vector, float]:
    """Points as they are, how many lie there, and 0; of many the boxes that hold any, and a side.

    Boxes are squares of one side, as many as fit the range of both.
    """
    if len(x) <= DOTS:
        return x, y, np.ones(len(x)), 0.0
    low, high = min(x.min(), y.min()), max(x.max(), y.max())
    width = float(high - low) / BOXES or 1.0
    at = np.minimum(np.stack([x - low, y - low]) / width, BOXES - 1).astype(np.intp)
    places, count = np.unique(at, axis=1, return_counts=True)
    middle = low + (places + 0.5) * width
    return middle[0], middle[1], count.astype(np.float64), width


def _mean(found: Paired, which: Index) -> Number:
    """The weighted mean of some differences; None of none."""
    own = found.weight[which]
    return rounded(float(own @ found.difference[which] / own.sum())) if own.sum() > 0 else None


def _mean_limits(found: Paired, each: Vector, level: float) -> tuple[Number, Number, Number]:
    """The weighted mean of a number a row, and its t limits over rows or clusters."""
    return limits_of_mean(each, found.weight, found.unit, level)


def limits_of_mean(
    each: Vector, weight: Vector, unit: Index | None, level: float
) -> tuple[Number, Number, Number]:
    """A weighted mean over rows, and its t limits over rows or clusters; None of none."""
    if not len(each):
        return None, None, None
    share = weight / weight.sum()
    mean = float(share @ each)
    parts = share * (each - mean)
    if unit is not None:
        parts = np.bincount(np.unique(unit, return_inverse=True)[1], parts).astype(np.float64)
    n = len(parts) if unit is not None else 1 / float(share @ share)
    if n < 2:
        return rounded(mean), None, None
    half = critical(level, n - 1) * sqrt(float(parts @ parts) * n / (n - 1))
    return rounded(mean), rounded(mean - half), rounded(mean + half)


def _quantiles(d: Vector) -> Vector:
    """The differences ascending; of many their quantiles at even steps, the ends among them."""
    ordered = np.sort(d)
    if len(d) <= KEPT:
        return ordered
    return np.asarray(ordered[np.linspace(0, len(d) - 1, KEPT).round().astype(int)])


def _extremes(
    analysis: DatasetAnalysis, use: Use, candidate: str, baseline: str, found: Paired
) -> Iterator[Extreme]:
    plan, part = analysis.plan, analysis.parts[0]
    order = np.argsort(found.difference, kind="stable")
    lost, won = order[:EXTREMES], order[::-1][:EXTREMES]
    at = [k for k in won if found.difference[k] > LEVEL]
    at += [k for k in lost if found.difference[k] < -LEVEL]
    values = [part.metrics[use.key, name].losses for name in (candidate, baseline)]
    for k in at:
        row = int(found.rows[k])
        shown: Params = dict(part.data[candidate].describe(row))
        assert plan.ids is not None and values[0] is not None and values[1] is not None
        yield Extreme(
            dataset=plan.dataset,
            key=use.key,
            candidate=candidate,
            baseline=baseline,
            row=NamedRow(plan.ids[row], shown),
            value=rounded(float(values[0][row])),
            baseline_value=rounded(float(values[1][row])),
            difference=rounded(float(found.difference[k])),
        )
