"""Reasons to trust a number less than its interval says: stable codes with their numbers, no text.

Each function gives a `RaisedWarning` or None. A rule that needs only a value and its limits says
`@of_values` and is asked of all of them; where another is asked stands in `warnings`. W110 (the
test set was used to choose) is something that only a person can declare, so it is not here; nor
are W115 to W117, of the rows on which shifts are fitted.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from math import inf, sqrt

import numpy as np
from scipy import special

from reportgen.analysis.autocorrelation import autocorrelated as autocorrelated
from reportgen.inference.balance import Balance
from reportgen.inference.evidence import Evidence, Interval
from reportgen.inference.intervals import monte_carlo_error
from reportgen.inference.resampled import (
    acceleration,
    bca_places,
    bias_correction,
    fewest_replicates,
)
from reportgen.kernels.batch import Index, Vector
from reportgen.metrics.spec import ESTIMANDS
from reportgen.results import Scalar
from reportgen.results.raised import RaisedWarning

TIED_PAIRS, MODE = 0.01, 0.05
FEW_SCORES = 20  # different ones
FEW_PAYERS = 30  # that pay the larger cost of a loss
TOO_FEW_FOR_A_TAIL = 50  # rows below which no sample shows how heavy its tail is
BUCKETS = 10  # a mean of a bucket rests on a tenth of the rows, or so
TAIL_FROM = 500  # units from which a tail index says anything
TAIL_INDEX = 2.0  # at and below it a distribution has no variance
TAIL_CONFIDENCE = 0.95
TOP = 0.05  # share of the units whose hold on the squared error is judged
ONE_UNIT = 0.25  # share of the squared error that one of many units may hold
BIAS, SKEW = 0.25, 0.1
DEGENERATE = 0.01
FEW_CLUSTERS, DOMINATING = 20, 0.2
REPEATED = 0.05
MONTE_CARLO = 0.1
FOR_SHARES = ("wilson", "newcombe")  # intervals that have a width where no resample varies


OfValue = Callable[[Evidence, Interval], RaisedWarning | None]
OF_VALUES: list[OfValue] = []


def of_values(rule: OfValue) -> OfValue:
    """A rule about one value and its limits: it is asked of every model on every metric."""
    OF_VALUES.append(rule)
    return rule


def ties(values: Vector) -> RaisedWarning | None:
    """W102: over 1 % of the pairs of rows are equal, or one value has over 5 % of the rows."""
    distinct, times = np.unique(values, return_counts=True)
    n = len(values)
    if n < 2:
        return None
    tied = float(np.sum(times * (times - 1.0)) / (n * (n - 1.0)))
    top = int(np.argmax(times))
    # One row is over 5 % of few rows, and no tie.
    share = float(times[top] / n) if times[top] > 1 else 0.0
    if tied <= TIED_PAIRS and share <= MODE:
        return None
    return RaisedWarning(
        "W102", {"share_pairs": tied, "mode": float(distinct[top]), "mode_share": share}
    )


def few_scores(distinct: int) -> RaisedWarning | None:
    """W118: fewer than 20 different scores, so that few thresholds tell anything apart."""
    if distinct >= FEW_SCORES:
        return None
    return RaisedWarning("W118", {"distinct": distinct, "few": FEW_SCORES})


def heavy_tail(
    evidence: Evidence, target: Vector | None = None, error: Vector | None = None
) -> RaisedWarning | None:
    """W103: a few units hold much of what makes the measure vary, so its spread is not known.

    Under 50 rows always: so few cannot show how heavy their tail is (clusters are sums, and
    tamer). Under 500 units the twentieth of them that counts most holds more than in 19 of 20
    samples of Normal errors: of their squares for a measure of squares or a mean of losses, of
    themselves for a signed mean. From 500 the upper confidence bound of the tail index is below 2,
    or one unit holds over a quarter. `target` is what happened, less its mean: where no influence
    is known, as of means of buckets, its tail is judged, up to ten times as many rows. `error`, one
    a unit, stands behind a loss that few rows pay: then its tail must be heavy as well, since of
    the best quantile of Normal data the few rows beyond it pay nearly all.
    """
    found = _heavy_tail(evidence, target)
    if found is None or error is None:
        return found
    of_errors = replace(evidence, influence=error, estimand=ESTIMANDS["mean"], bounds=(-inf, inf))
    return found if _heavy_tail(of_errors, None) else None


def few_payers(payers: int, units: int) -> RaisedWarning | None:
    """W140: under 30 units pay the larger side of a loss."""
    if payers >= FEW_PAYERS:
        return None
    return RaisedWarning("W140", {"payers": payers, "units": units, "few": FEW_PAYERS})


def _heavy_tail(evidence: Evidence, target: Vector | None) -> RaisedWarning | None:
    each = target if evidence.influence is None else evidence.influence
    if each is None or not _may_have_a_tail(evidence) or not np.any(each):
        return None
    n, least = len(each), TAIL_FROM * (1 if evidence.influence is not None else BUCKETS)
    is_few = n < TOO_FEW_FOR_A_TAIL and not evidence.is_clustered
    tail = None if is_few or n < least else _tail(each)
    if tail is not None and not tail:
        return None  # many units, and told before anything else is found of them
    held, usual = _shared_out(evidence, each)
    top_share = _top_share(held)
    numbers: dict[str, Scalar] = {"top_share": top_share, "n": n, **(tail or {})}
    if is_few:
        return RaisedWarning("W103", numbers | {"too_few": TOO_FEW_FOR_A_TAIL})
    return RaisedWarning("W103", numbers) if tail or top_share > usual else None


def _tail(each: Vector) -> dict[str, Scalar]:
    """What a heavy tail of many units is told by; nothing where it is light."""
    sizes = np.abs(each)
    first = len(sizes) - 1 - _in_tail(len(sizes))
    largest_first = np.sort(np.partition(sizes, first)[first:])[::-1]
    bound = tail_index_bound(largest_first, len(sizes))
    # Most tails are light; only of others the sizes are sorted, and added up in their order.
    if bound >= TAIL_INDEX and largest_first[0] ** 2 < ONE_UNIT / 2 * np.sum(sizes**2):
        return {}
    largest = float(largest_first[0] ** 2 / np.sum(np.sort(sizes)[::-1] ** 2))
    if bound >= TAIL_INDEX and largest <= ONE_UNIT:
        return {}
    found: dict[str, Scalar] = {"largest_share": largest}
    return found | ({"tail_index_bound": bound} if bound < inf else {})


def _shared_out(evidence: Evidence, each: Vector) -> tuple[Vector, float]:
    """What the units hold of a measure, largest first, and how much the top twentieth usually has.

    Usually: what 19 of 20 samples of Normal errors stay below, found by drawing them.
    """
    root = sqrt(len(each))
    if evidence.estimand.tails == "squares":
        # The influence of a root of a mean square is that square, less its mean.
        return np.sort(each - each.min())[::-1], 0.28 + 0.6 / root
    if evidence.estimand.tails == "products":  # of two squares, or of y and score
        return np.sort(np.abs(each))[::-1], 0.245 + 0.4 / root
    is_signed = evidence.bounds[0] < 0 < evidence.bounds[1] or evidence.influence is None
    return np.sort(each**2)[::-1], 0.28 + 0.6 / root if is_signed else 0.65 + 1 / root


def tail_index_bound(descending: Vector, n: int | None = None) -> float:
    """Upper 95 % confidence bound of the tail index (Hill 1975), from the n^0.55 largest sizes.

    Infinite where those are all equal. Of n sizes the largest are enough.
    """
    k = _in_tail(len(descending) if n is None else n)
    threshold = descending[k]
    if threshold <= 0:
        return 0.0
    mean = float(np.mean(np.log(descending[:k] / threshold)))
    z = float(special.ndtri(TAIL_CONFIDENCE))
    return (1 + z / sqrt(k)) / mean if mean > 0 else inf


def _in_tail(n: int) -> int:
    """How many of n sizes are looked at."""
    return int(n**0.55)


@of_values
def degenerate_replicates(evidence: Evidence, found: Interval) -> RaisedWarning | None:
    """W105: over 1 % of the replicates do not exist, but some do.

    Where none does there is no interval to doubt, and the estimate says why; nor is there one of
    few rows of a class.
    """
    drawn = len(evidence.replicates)
    missing = drawn - len(evidence.finite)
    if missing == drawn or missing / drawn <= DEGENERATE or evidence.is_of_few_in_a_class:
        return None
    return RaisedWarning(
        "W105", {"missing": missing, "replicates": drawn, "share": missing / drawn}
    )


def few_clusters(weights: Vector) -> RaisedWarning | None:
    """W106: under 20 clusters that weigh anything, or one with over 20 % of the weight.

    `weights` is one a cluster.

    With under 10 there is no p-value (`has_no_p`).
    """
    weights = weights[weights > 0]
    total = float(weights.sum())
    largest = float(weights.max() / total) if total > 0 else 1.0
    if len(weights) >= FEW_CLUSTERS and largest <= DOMINATING:
        return None
    numbers = {"clusters": len(weights), "largest_share": largest}
    return RaisedWarning("W106", {**numbers, "has_no_p": len(weights) < 10})


def uneven_weights(found: Balance) -> RaisedWarning | None:
    """W130: under 100 effective units and under half of all, or one with over 20 % of the weight.

    Of fewer than 15 units, with over three times its even share.
    """
    if not found.is_uneven:
        return None
    numbers = {"effective": found.effective, "units": found.units}
    return RaisedWarning("W130", {**numbers, "largest_share": found.largest})


def repeated_units(code: Index) -> RaisedWarning | None:
    """W107: over 5 % of the rows share the code of a unit with another row.

    Under 20 units the code stands for groups, such as regions, and not for what was sampled.
    """
    _, times = np.unique(code, return_counts=True)
    share = float(times[times > 1].sum() / max(len(code), 1))
    if share <= REPEATED or len(times) < FEW_CLUSTERS:
        return None
    numbers = {"share": share, "largest": int(times.max()), "units": len(times)}
    return RaisedWarning("W107", {**numbers, "n": len(code)})


@of_values
def at_bound(evidence: Evidence, found: Interval) -> RaisedWarning | None:
    """W108: the estimate lies on the end of its range, and not by being cut off there.

    `exact_low` or `exact_high` is the limit on the other side, `rule_of_three` is 3/n, the
    classic answer for a share of n independent rows or clusters.
    """
    if evidence.is_difference or evidence.value not in evidence.bounds:
        return None
    if evidence.estimand.is_cut_off:
        return None  # chance alone puts half of the right models there
    if found.method in FOR_SHARES and found.width > 0 and evidence.estimand.of == "cells":
        return None  # its limits are those of a share, which say what chance leaves
    is_low = evidence.value == evidence.bounds[0]
    limit = found.high if is_low else found.low
    name = "exact_high" if is_low else "exact_low"
    exact = {name: limit} if found.method in ("exact-bound", "wilson") else {}
    n = min(evidence.trials or evidence.n, evidence.independent)
    three = min(3 / n, 1.0) if n else None
    return RaisedWarning("W108", {"bound": evidence.value, "rule_of_three": three, **exact})


def no_variance(evidence: Evidence, is_same_score: bool) -> RaisedWarning | None:
    """W109: a difference that nothing changes, as of the same model twice.

    `same_rows` is the number of rows where the scores are equal on all of them, else it is `n`.
    """
    if not evidence.is_difference or not np.isfinite(evidence.value):
        return None
    spreads = (evidence.bootstrap_se, evidence.influence_se)
    known = [spread for spread in spreads if np.isfinite(spread)]
    if not known or max(known) > evidence.rounding:
        return None
    rows = "same_rows" if is_same_score else "n"
    return RaisedWarning("W109", {"difference": evidence.value, rows: evidence.n})


@of_values
def imprecise_limits(evidence: Evidence, found: Interval) -> RaisedWarning | None:
    """W112: the Monte-Carlo error of a limit is over 10 % of the interval's width."""
    error = monte_carlo_error(evidence, found)
    if not found.is_defined or error <= MONTE_CARLO * found.width:
        return None
    numbers = {"share": error / found.width, "error": error, "width": found.width}
    return RaisedWarning("W112", {**numbers, "replicates": _drawn(evidence)})


@of_values
def unusable_bca(evidence: Evidence, found: Interval) -> RaisedWarning | None:
    """W104: BCa corrects too much (|z0| > .25, |a| > .1) or past the last replicate."""
    if found.method != "bca" or not evidence.has_replicates:
        return None
    z0, a = bias_correction(evidence), acceleration(evidence) or 0.0
    places, drawn = bca_places(evidence, found.level), len(evidence.finite)
    is_past = places is None or places[0] * (drawn + 1) < 1 or places[1] * (drawn + 1) > drawn
    if abs(z0) <= BIAS and abs(a) <= SKEW and not is_past:
        return None
    finite = z0 if np.isfinite(z0) else None
    return RaisedWarning("W104", {"z0": finite, "acceleration": a, "is_past_replicates": is_past})


def few_for_family(
    replicates: int, comparisons: int, level: float, tails: int, family: str
) -> RaisedWarning | None:
    """W114: so few replicates that no p-value or limit reaches the level shared by a family.

    B replicates give no p-value below 1/(B + 1), and no limit beyond their first and last;
    `tails` is 1 for the former, 2 for the latter, 0 where nothing is counted.
    """
    needed = fewest_replicates(tails * comparisons, level)
    if replicates >= needed:
        return None
    numbers = {"replicates": replicates, "needed": needed, "comparisons": comparisons}
    return RaisedWarning("W114", {**numbers, "family": family})


def too_close_to_call(
    evidence: Evidence, found: Interval, margin: float | None
) -> RaisedWarning | None:
    """W113: a limit is within Monte-Carlo error (95 %) of zero or of the margin.

    Other seeds could then give another verdict.
    """
    error = monte_carlo_error(evidence, found)
    if not found.is_defined or error == 0:
        return None
    lines = (0.0,) if margin is None else (0.0, -margin, margin)
    distance = min(abs(limit - line) for limit in (found.low, found.high) for line in lines)
    if distance > 1.96 * error:
        return None
    return RaisedWarning(
        "W113", {"distance": distance, "error": error, "replicates": _drawn(evidence)}
    )


def _top_share(descending: Vector) -> float:
    """Share of the sum that the first twentieth holds, a row on the edge counted in part.

    Of nothing at all it holds nothing: where every loss is zero there is no tail.

    >>> _top_share(np.zeros(40))
    0.0
    """
    sums = np.append(0.0, np.cumsum(descending))
    if sums[-1] == 0:
        return 0.0
    return float(np.interp(len(descending) * TOP, np.arange(len(sums)), sums) / sums[-1])


def _drawn(evidence: Evidence) -> int:
    return len(evidence.finite)


def _may_have_a_tail(evidence: Evidence) -> bool:
    """Whether one row can count without limit: not so in shares of rows or of pairs, and ranks.

    What 1 lacks of a skill has no end where the reference loss is small, but no row makes it so
    unless its losses have tails. Nor does one where y is 0 or 1 and scores are held in a range.
    """
    kind = evidence.estimand
    has_no_end = not np.all(np.isfinite(evidence.bounds)) and kind.scale != "one minus positive"
    is_unbounded = kind.tails == "products" or has_no_end
    return is_unbounded and kind.tails != "none" and kind.of in ("mean", "means", "weights")
