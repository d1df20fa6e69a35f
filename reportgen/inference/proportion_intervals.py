"""Intervals from proportions of units: exact, Tango, square-and-add."""

from __future__ import annotations

from dataclasses import replace
from math import isfinite, nan, sqrt

import numpy as np
from scipy import special

from reportgen.inference.analytic_intervals import newcombe_interval, proportion_limits
from reportgen.inference.class_averages import class_average_interval
from reportgen.inference.resampled_intervals import clip_interval, critical_value
from reportgen.inference.sampling_distribution import (
    Interval,
    SamplingDistribution,
    SignShares,
)
from reportgen.kernels.batch import Vector
from reportgen.records import record

LEVEL = 1e-12  # a difference up to this size is none
FEW_CHANGED = 15  # rows that two models count otherwise, under which resamples say too little
FEW_DIFFER = 10  # units that differ under which their sizes are not trusted, or a third of all


def get_unit_differences(evidence: SamplingDistribution) -> Vector | None:
    """Compute each weighted unit's difference, (units,); None where it is no mean over units."""
    if evidence.contributions is None or evidence.shares is None:
        return None
    return np.divide(
        evidence.contributions,
        evidence.shares,
        out=np.zeros(len(evidence.shares)),
        where=evidence.shares > 0,
    )


def compute_sign_shares(evidence: SamplingDistribution) -> SignShares | None:
    """Compute the shares of units above and below zero; None where it is no mean over units."""
    if evidence.signs is not None:
        return evidence.signs
    each, weight = get_unit_differences(evidence), evidence.shares
    if each is None or weight is None or not weight.any():
        return None
    above, below = each > LEVEL, each < -LEVEL
    total = float(weight.sum())
    n = total**2 / float(weight @ weight)
    up, down = (float(weight[which].sum()) / total for which in (above, below))
    return SignShares(up, down, n, int(above.sum()), int(below.sum()))


def clopper_pearson_upper(share: float, n: float, level: float) -> float:
    """Clopper and Pearson's upper limit at a one-sided level of a proportion of n units.

    >>> round(clopper_pearson_upper(0.0, 10, 0.975), 4)  # the rule of three
    0.3085
    """
    hits = share * n
    return 1.0 if hits >= n else float(special.betaincinv(hits + 1, n - hits, level))


def has_few_differing(evidence: SamplingDistribution) -> bool:
    """Return whether some units differ, but fewer than ten and than a third of them.

    Asked only where most units may well be alike, as lists of documents are.
    """
    if (
        evidence.units_are != "queries"
        or not evidence.is_difference
        or not evidence.estimand.is_mean
    ):
        return False
    if _has_many_differing(evidence):
        return False
    found = compute_sign_shares(evidence)
    return found is not None and 0 < found.differing < min(FEW_DIFFER, found.n / 3 - LEVEL)


def _has_many_differing(evidence: SamplingDistribution) -> bool:
    """Return whether of the first units alone so many differ that no more need be looked at."""
    part = slice(100 * FEW_DIFFER)
    if evidence.contributions is None or evidence.shares is None:
        return False
    sizes, shares = np.abs(evidence.contributions[part]), evidence.shares[part]
    # A little more than a share of LEVEL, so that no rounding counts one that is none.
    return bool(np.sum((sizes > 1.01 * LEVEL * shares) & (shares > 0)) >= FEW_DIFFER)


def exact_share_interval(evidence: SamplingDistribution, level: float) -> Interval | None:
    """Multiply the range of the measure by the exact limits of the shares ahead and behind.

    It holds whatever the sizes of differences are. It always holds zero: it can show that a
    difference is small, and never who is ahead. None unless few units differ; nan limits where
    the measure has no range.
    """
    found = compute_sign_shares(evidence) if has_few_differing(evidence) else None
    if found is None:
        return None
    reach, at = evidence.bounds[1], 1 - (1 - level) / 2
    if not isfinite(reach):
        return Interval(nan, nan, level, "", nan, "few-differ")
    high, low = (
        reach * clopper_pearson_upper(share, found.n, at) for share in (found.up, found.down)
    )
    return Interval(-low, high, level, "exact-share", evidence.mean_se)


def count_changed_rows(evidence: SamplingDistribution) -> tuple[int, int, int] | None:
    """Return how many rows only the candidate counts, only the baseline, and of how many in all.

    Of the difference of two shares of the same rows that count alike and are independent; else
    None.
    """
    is_dependent = evidence.is_clustered or evidence.block is not None
    if is_dependent or evidence.is_weighted:
        return None
    if evidence.changed is not None or not evidence.estimand.is_share_of_rows:
        return evidence.changed
    if evidence.hits is not None:
        change = evidence.hits[~np.isnan(evidence.hits)]
    elif evidence.contributions is not None:
        change = evidence.contributions * evidence.n / evidence.bounds[1]
    else:
        return None
    whole = np.rint(change)
    if np.any(np.abs(change - whole) > 1e-6) or np.any(np.abs(whole) > 1):
        return None
    return int(np.sum(whole > 0)), int(np.sum(whole < 0)), len(change)


def is_same_score(evidence: SamplingDistribution) -> bool:
    """Tell whether a difference is of one score with itself, so that no row differs."""
    if not evidence.has_one_score or evidence.value != 0 or evidence.varies:
        return False
    return evidence.influence is None or not np.any(evidence.influence)


def has_no_changed_row(evidence: SamplingDistribution) -> bool:
    """Tell whether both models, of different scores, count the same rows, as far as is known."""
    found = count_changed_rows(evidence) if evidence.is_difference else None
    return found is not None and not found[0] + found[1] and not evidence.has_one_score


def tango_interval(evidence: SamplingDistribution, level: float) -> Interval | None:
    """Tango's score interval of the difference of two shares of the same rows (1998).

    It leaves zero out where McNemar's χ² does: of few rows that changed, where Normal limits hold
    in as little as 90% of samples, it holds in 94% or more. Where no row changed it says how many
    of others may have; None where no row can, as both models have one score.
    """
    found = count_changed_rows(evidence) if evidence.is_difference else None
    if found is None or evidence.has_one_score:
        return None
    return _tango(evidence, found, level)


def widen_for_few_changes(
    evidence: SamplingDistribution, found: Interval, level: float
) -> Interval:
    """Widen by Tango's interval where flagged rows move, few rows changed and it lies further out.

    Resamples repeat the few rows that changed, and know nothing of those to come. Of 20 positives
    in 20,000 rows, the top twentieth called by two models nearly alike, their limits held in 82 to
    90 of 100 samples.
    """
    changed = evidence.changed
    if changed is None or evidence.estimand.is_share_of_rows:
        return found
    wide = _tango(evidence, changed, level) if changed[0] + changed[1] < FEW_CHANGED else None
    if wide is None or (found.low <= wide.low and wide.high <= found.high):
        return found
    return replace(wide, low=min(found.low, wide.low), high=max(found.high, wide.high))


def _tango(
    evidence: SamplingDistribution, changed: tuple[int, int, int], level: float
) -> Interval | None:
    """Compute Tango's limits from the rows changed either way, and the number of all."""
    (gained, lost, n), reach, z = changed, evidence.bounds[1], critical_value(level)
    if not gained + lost:  # the limits tell no standard error: they close as 1/n
        high = z**2 / (n + z**2)
        return clip_interval(evidence, -reach * high, reach * high, level, "tango", nan)
    low, high = -_tango_limit(lost, gained, n, z), _tango_limit(gained, lost, n, z)
    se = sqrt(gained + lost - (gained - lost) ** 2 / n) / n
    return clip_interval(evidence, reach * low, reach * high, level, "tango", reach * se)


def _tango_limit(gained: int, lost: int, n: int, z: float) -> float:
    """Find the maximum difference that the observed one is at most z standard errors below.

    The standard error is that of the most likely shares with this difference.
    """

    def beyond(d: float) -> float:
        b = (2 * n - gained + lost) * d - gained - lost
        q = (sqrt(max(b * b + 8 * n * lost * d * (1 - d), 0.0)) - b) / (4 * n)
        return n * d - (gained - lost) - z * sqrt(max(n * (2 * q + d * (1 - d)), 0.0))

    from scipy.optimize import brentq  # here, since a list of metrics must not wait for it

    start = max((gained - lost) / n, 1e-12 - 1)  # the standard error is 0 at −1, too
    if start >= 1 or beyond(1.0) <= 0:
        return 1.0
    return float(brentq(beyond, start, 1.0, xtol=1e-15))


MOST_PRICES = 9  # prices, or differences of two of three
FEW, FEW_CHANGED_ROWS = 10, 15  # rows of a price, or of a difference, under which it is rarely paid
DIGITS = 10


@record
class CostDistribution:
    """Costs other than the most common one, and their shares of `n` effective rows."""

    common: float
    others: Vector
    shares: Vector
    n: float


def square_and_add_interval(evidence: SamplingDistribution, level: float) -> Interval | None:
    """Square and add the distances to the limits of shares.

    Of the proportions that a sum is made of by Newcombe (1998), or that a mean over classes is; of
    a mean of few prices by Zou,
    Huang and Zhang (2009), with the covariance that shares of the same rows have. None of a mean
    whose prices are all paid often, as that is nearly Normal.
    """
    if evidence.classes is not None:
        return class_average_interval(evidence, level)
    if not evidence.estimand.is_mean:
        return newcombe_interval(evidence, level)
    found = find_rare_costs(evidence)
    if found is None:
        return None
    ends = [proportion_limits(float(p), found.n, level) for p in found.shares]
    down, up = (np.abs(np.array(each) - found.shares) for each in zip(*ends, strict=True))
    cost = found.others - found.common
    falls, rises = np.where(cost > 0, down, up), np.where(cost > 0, up, down)
    low = evidence.value - _add_signed_distances(cost * falls, found.shares)
    high = evidence.value + _add_signed_distances(cost * rises, found.shares)
    square = float(found.shares @ cost**2 - (found.shares @ cost) ** 2)
    return clip_interval(evidence, low, high, level, "newcombe", sqrt(max(square, 0.0) / found.n))


def find_rare_costs(evidence: SamplingDistribution) -> CostDistribution | None:
    """Find the costs of a mean over independent rows, where one is rare; else return None.

    The dearest and the cheapest that there can be count, paid or not; of a difference also what
    the other way round would be.
    """
    is_dependent = evidence.is_clustered or evidence.block is not None or evidence.strata > 1
    each = None if is_dependent else get_unit_differences(evidence)
    if each is None or evidence.shares is None or not len(each):
        return None
    size = float(np.max(np.abs(each)))
    if not size > 0 or len(np.unique(_round_costs(each[:1000], size))) > MOST_PRICES:
        return None
    paid, place = np.unique(_round_costs(each, size), return_inverse=True)
    if len(paid) > MOST_PRICES:
        return None
    total = float(evidence.shares.sum())
    shares = np.bincount(place, weights=evidence.shares) / total
    n = total**2 / float(evidence.shares @ evidence.shares)
    common = float(paid[np.argmax(shares)])
    known = dict(zip(paid.tolist(), shares.tolist(), strict=True))
    for end in (*evidence.bounds, *(-paid if evidence.is_difference else ())):
        if isfinite(end):
            known.setdefault(float(_round_costs(np.array(end), size)), 0.0)
    others = [price for price in known if price != common]
    of_others = np.array([known[price] for price in others])
    few = FEW_CHANGED_ROWS if evidence.is_difference else FEW
    if not others or not np.any(of_others * n < few - 1e-9):
        return None
    return CostDistribution(common, np.array(others), of_others, n)


def _add_signed_distances(each: Vector, shares: Vector) -> float:
    """Compute the root of the summed squared signed distances, with the shares' covariance."""
    odds = np.sqrt(np.divide(shares, 1 - shares, out=np.zeros(len(shares)), where=shares < 1))
    together = float(each @ odds) ** 2 - float((each * odds) @ (each * odds))
    return sqrt(max(float(each @ each) - together, 0.0))


def _round_costs(values: Vector, size: float) -> Vector:
    """Without what division left of prices."""
    grain = 10.0 ** (np.ceil(np.log10(size)) - DIGITS)
    return np.asarray(np.rint(values / grain) * grain)
