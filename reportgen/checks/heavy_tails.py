"""The rule for heavy tails: a few units hold much of the variance of a metric."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial
from math import inf, log, sqrt
from typing import Literal

import numpy as np

from reportgen.inference.sampling_distribution import SamplingDistribution
from reportgen.inference.unit_values import sum_squares, summarise_units
from reportgen.kernels.batch import Index, Vector
from reportgen.metrics.traits import ESTIMANDS, Estimand
from reportgen.records import record
from reportgen.results.types import Scalar
from reportgen.terms import LIMITS

TOO_FEW_FOR_A_TAIL = 50  # rows below which no sample shows how heavy its tail is
BUCKETS = 10  # a mean of a bucket rests on a tenth of the rows, or so
TAIL_FROM = 500  # units from which a tail index says anything
TAIL_INDEX = 2.0  # at and below it a distribution has no variance
TAIL_CONFIDENCE = 0.95
TOP = LIMITS["W103"]["top"]  # share of the units whose hold on the squared error is judged
ONE_UNIT = 0.25  # share of the squared error that one of many units may hold
MISSING = 3  # units as extreme as the most extreme one that may be missing
OF_A_DIFFERENCE = 0.45  # of the squares of a difference between means, at least
FEW_AT_AN_END = 20  # rows at the ends under which skewness alone makes limits of their means miss
SKEWNESS_AT_AN_END = 5.0  # of y, times the root of its number: of 96 in 100 Normal samples less
SKEWNESS = 6.0  # of errors, times the root of their number
ErrorShares = Literal["above the least", "sizes", "squares"]


@record(eq=False)
class UnitSizes:
    """Summary of very many units: their number, largest sizes in order, and sum of all squares.

    `share_of_largest` f(by what each holds of a measure) is the share that a twentieth of them
    holds.
    """

    n: int
    largest: Vector
    squares: float
    top_share: Callable[[ErrorShares], float]


@record(eq=False)
class UnitTails:
    """The parts of rows or clusters in memory in a measure, by its influence.

    `target` is what happened, less its mean: where no influence is known, as of means of buckets,
    its tail counts, up to ten times as many rows. `error`, one a unit, is how far an amount was
    off, less its mean; behind a loss that few rows pay (`is_one_sided`) its tail must be heavy as
    well. `counted` says what a unit is. A difference `is_of_amounts` if its two values are.
    """

    evidence: SamplingDistribution
    target: Vector | None = None
    error: Vector | None = None
    counted: str = ""
    is_one_sided: bool = False
    is_of_amounts: bool = False


@record(eq=False)
class ManyTails:
    """The same of 500 or more independent units that are not in memory."""

    estimand: Estimand
    units: UnitSizes
    error: UnitSizes | None = None
    counted: str = ""


def describe_heavy_tail(tail: UnitTails | ManyTails) -> Mapping[str, Scalar] | None:
    """Describe a few units that hold much of what makes a measure vary; None where none do.

    Under 50 rows always: so few cannot show how heavy their tail is (clusters are sums, and
    tamer). Under 500 units the twentieth of them that counts most holds more than in 19 of 20
    samples of Normal errors: of their squares for a measure of squares or a mean of losses, of
    themselves for a signed mean. From 500 the upper confidence bound of the tail index is below 2,
    or one unit holds over a quarter. Where the errors of amounts are known, they speak too: a mean
    of losses needs less where their tail is heavy, squares nothing more where they are skewed.
    Behind a loss that few rows pay the tail of errors must be heavy as well or, under 500 units,
    skewed, since of the best quantile of Normal data the few rows beyond it pay nearly all.
    """
    numbers = _find_tail(tail) if isinstance(tail, UnitTails) else _find_tail_of_many(tail)
    return numbers and {**numbers, **({"counted": tail.counted} if tail.counted else {})}


def measure_tail_reach(tail: UnitTails | ManyTails | None, se: float) -> float | None:
    """Measure how far three more units like the most extreme one would move a measure.

    None where its tail is light, infinite for squares and products: no interval of those holds,
    as the units that decide them are seldom among few. `se` is the root of the summed squares of
    the influence, in the unit of the measure.
    """
    if isinstance(tail, ManyTails):
        if not _find_tail_of_many(tail):
            return None
        kind, largest = tail.estimand, float(tail.units.largest[0] ** 2 / tail.units.squares)
    else:
        each = None if tail is None else tail.evidence.influence
        shares = None if tail is None or each is None else _measure_shares(tail)
        if tail is None or each is None or shares is None or not _is_heavy(tail, shares):
            return None
        kind, largest = tail.evidence.estimand, _measure_largest_share(each)
    return inf if choose_error_shares(kind) != "squares" else MISSING * sqrt(largest) * se


def _measure_largest_share(each: Vector) -> float:
    """Measure the share of the largest unit in the sum of squares."""
    largest = summarise_units(each, "largest square", lambda units: float((units**2).max()))
    return largest / sum_squares(each)


@record
class _Shares:
    """What the twentieth of the units that counts most holds, and its limit in a light tail.

    `numbers` are those of a heavy tail of many units, which is known without these.
    """

    n: int
    top: float
    limit: float
    numbers: Mapping[str, Scalar]
    is_few: bool

    @property
    def is_heavy(self) -> bool:
        return bool(self.numbers) or self.top > self.limit


def _find_tail(tail: UnitTails) -> dict[str, Scalar] | None:
    shares = _measure_shares(tail)
    if shares is None:
        return None
    numbers: dict[str, Scalar] = {"top_share": shares.top, "n": shares.n, **shares.numbers}
    if shares.is_few:
        return numbers | {"too_few": TOO_FEW_FOR_A_TAIL}
    return numbers if _is_heavy(tail, shares) else None


def _is_heavy(tail: UnitTails, shares: _Shares) -> bool:
    """Tell whether the tail is heavy, as the errors say too where they are known."""
    if tail.error is None:
        return shares.is_heavy or _is_skewed_behind_few(tail)
    if shares.is_heavy and not tail.is_one_sided:
        return True
    of_errors = replace(
        tail.evidence,
        influence=tail.error,
        estimand=ESTIMANDS["mean"],
        bounds=(-inf, inf),
        is_difference=False,
    )
    errors = _measure_shares(UnitTails(of_errors))
    is_error_heavy = errors is not None and errors.is_heavy
    if shares.n >= TAIL_FROM:
        return shares.is_heavy and is_error_heavy
    is_skewed = _is_skewed(tail.error)
    if choose_error_shares(tail.evidence.estimand) != "squares":
        return shares.is_heavy or is_skewed
    is_held = shares.is_heavy or shares.top > limit_share_of_mean(shares.n)
    return is_held and (is_error_heavy or is_skewed)


def limit_share_of_mean(n: int) -> float:
    """Limit what the top twentieth may hold of the squares behind a mean loss of amounts.

    Its interval bears heavier tails on more rows. In simulations, upper limits of the mean miss
    in under 5% of samples up to this share.

    >>> round(limit_share_of_mean(100), 3), round(limit_share_of_mean(400), 3)
    (0.4, 0.622)
    """
    return 0.4 + 0.16 * log(max(n, 100) / 100)


def limit_share_at_an_end(n: int, *, is_of_sum: bool) -> float:
    """Limit what the top twentieth may hold of the squares of y behind the end of a ranking.

    In about 95 of 100 samples of lognormal amounts with σ = 1.4, whose limits miss, it holds more;
    with σ = 0.7, whose limits hold from 200 rows on, it holds less in most, from there on.

    >>> round(limit_share_at_an_end(100, is_of_sum=False), 2)
    0.5
    """
    least, slope = (0.52, 0.15) if is_of_sum else (0.5, 0.18)
    return min(least + slope * log(max(n, 100) / 100), 0.7)


def _is_skewed_behind_few(tail: UnitTails) -> bool:
    """Tell whether y is skewed behind the mean of under twenty rows at an end of the ranking."""
    df, target = tail.evidence.edge_df, tail.target
    is_few = df is not None and df < FEW_AT_AN_END - 1
    return (
        is_few
        and tail.evidence.estimand.tails != "sum"
        and target is not None
        and _is_skewed(target, SKEWNESS_AT_AN_END)
    )


def _is_skewed(error: Vector, least: float = SKEWNESS) -> bool:
    """Tell whether errors are skewed: by default more than in 98 of 100 samples of Normal ones."""
    squares, cubes = float(np.mean(error**2)), float(np.mean(error**3))
    return squares > 0 and abs(cubes) > least / sqrt(len(error)) * squares**1.5


def _find_tail_of_many(tail: ManyTails) -> dict[str, Scalar] | None:
    numbers = _describe_streamed_tail(tail.units)
    if not numbers or (tail.error is not None and not _describe_streamed_tail(tail.error)):
        return None
    top = tail.units.top_share(choose_error_shares(tail.estimand))
    return {"top_share": top, "n": tail.units.n, **numbers}


def is_tail_heavy(units: UnitSizes) -> bool:
    """Return whether the tail of 500 units or more is heavy."""
    return bool(_describe_streamed_tail(units))


def _describe_streamed_tail(units: UnitSizes) -> dict[str, Scalar]:
    bound = hill_upper_bound(units.largest, units.n)
    return _describe_tail(bound, float(units.largest[0] ** 2 / units.squares))


def can_have_heavy_tail(kind: Estimand, bounds: tuple[float, float]) -> bool:
    """Tell whether one row can count without limit: in shares of rows or pairs, or ranks, none can.

    What a skill misses to 1 has no end where the reference loss is small, but no row makes it so
    unless its losses have tails. Nor does one where y is 0 or 1 and scores are held in a range.
    """
    has_no_end = not np.all(np.isfinite(bounds)) and kind.scale != "one minus positive"
    is_unbounded = kind.tails in ("products", "sum") or has_no_end
    return is_unbounded and kind.tails != "none" and kind.of in ("mean", "means", "weights")


def _measure_shares(tail: UnitTails) -> _Shares | None:
    """Measure the shares of the units; None where no tail is looked for, or many have a light one.

    Where it is light is known of many before anything else is computed of them.
    """
    evidence = tail.evidence
    each = tail.target if evidence.influence is None else evidence.influence
    if each is None or not can_have_heavy_tail(evidence.estimand, evidence.bounds):
        return None
    if not summarise_units(each, "any", lambda units: bool(np.any(units))):
        return None
    n, least = len(each), TAIL_FROM * (1 if evidence.influence is not None else BUCKETS)
    is_few = n < TOO_FEW_FOR_A_TAIL and not evidence.is_clustered
    numbers = {} if is_few or n < least else summarise_units(each, "tail", _describe_unit_tail)
    if not numbers and not is_few and n >= least:
        return None
    shared = choose_error_shares(evidence.estimand)
    if shared == "above the least" and evidence.is_difference:
        shared = "sizes"
    top = summarise_units(each, f"top share {shared}", partial(_measure_top_share, shared=shared))
    return _Shares(n, top, _limit_top_share(tail, n, shared), numbers, is_few)


def _describe_unit_tail(each: Vector) -> dict[str, Scalar]:
    """Describe the heavy tail of many units; empty where it is light."""
    sizes = np.abs(each)
    first = len(sizes) - 1 - tail_size(len(sizes))
    sizes.partition(first)
    largest_first = np.sort(sizes[first:])[::-1]
    bound = hill_upper_bound(largest_first, len(sizes))
    # Most tails are light; only of others the sizes are sorted, and added up in their order.
    if bound >= TAIL_INDEX and largest_first[0] ** 2 < ONE_UNIT / 2 * (sizes @ sizes):
        return {}
    sizes.sort()
    return _describe_tail(bound, float(largest_first[0] ** 2 / np.sum(sizes[::-1] ** 2)))


def _describe_tail(bound: float, largest: float) -> dict[str, Scalar]:
    """Describe a tail by the bound of its index and the share of the largest unit."""
    if bound >= TAIL_INDEX and largest <= ONE_UNIT:
        return {}
    numbers: dict[str, Scalar] = {"largest_share": largest}
    return numbers | ({"tail_index_bound": bound} if bound < inf else {})


def _measure_top_share(each: Vector, shared: ErrorShares) -> float:
    """Measure what the twentieth of the units that counts most holds of a measure."""
    if shared == "above the least":
        held = each - each.min()
    else:
        held = np.abs(each) if shared == "sizes" else each**2
    return share_of_largest(np.sort(held)[::-1])


def _limit_top_share(tail: UnitTails, n: int, shared: ErrorShares) -> float:
    """Limit the top twentieth's share: 19 of 20 simulated samples of Normal errors stay below."""
    evidence, root = tail.evidence, sqrt(n)
    if shared == "above the least":
        return 0.28 + 0.6 / root
    if shared == "sizes":
        return 0.245 + 0.4 / root
    if evidence.edge_df is not None:
        return limit_share_at_an_end(n, is_of_sum=evidence.estimand.tails == "sum")
    if evidence.is_difference:
        limit = max(limit_share_of_mean(n), OF_A_DIFFERENCE)
        return limit if tail.is_of_amounts else 0.65 + 1 / root
    is_signed = evidence.bounds[0] < 0 < evidence.bounds[1] or evidence.influence is None
    return 0.28 + 0.6 / root if is_signed else 0.65 + 1 / root


def choose_error_shares(kind: Estimand) -> ErrorShares:
    """How much of a measure a unit holds, by what it adds to its error.

    The influence of a root of a mean square is that square, less its mean; that of a product of
    two squares, or of y and score, counts by its size.
    """
    shares: dict[str, ErrorShares] = {"squares": "above the least", "products": "sizes"}
    return shares.get(kind.tails, "squares")


def hill_upper_bound(descending: Vector, n: int | None = None) -> float:
    """Upper 95 % confidence bound of the tail index (Hill 1975), from the n^0.55 largest sizes.

    Infinite where those are all equal. Of n sizes the largest are enough.
    """
    k = tail_size(len(descending) if n is None else n)
    threshold = descending[k]
    if threshold <= 0:
        return 0.0
    mean = float(np.mean(np.log(descending[:k] / threshold)))
    from scipy import special  # here, since the names of warnings must not wait for it

    z = float(special.ndtri(TAIL_CONFIDENCE))
    return (1 + z / sqrt(k)) / mean if mean > 0 else inf


def tail_size(n: int) -> int:
    """How many of n sizes are looked at."""
    return int(n**0.55)


def share_of_largest(descending: Vector, count: Index | None = None) -> float:
    """Share of the sum that the first twentieth holds, a row on the edge counted in part.

    Each stands for so many rows, or for one. Of nothing at all it holds nothing: where every loss
    is zero there is no tail.

    >>> share_of_largest(np.zeros(40)), share_of_largest(np.array([3.0, 1.0]), np.array([1, 19]))
    (0.0, 0.13636363636363635)
    """
    many = np.ones(len(descending)) if count is None else count.astype(np.float64)
    sums, rows = (np.append(0.0, np.cumsum(each)) for each in (many * descending, many))
    if sums[-1] == 0:
        return 0.0
    return float(np.interp(rows[-1] * TOP, rows, sums) / sums[-1])
