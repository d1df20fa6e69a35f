"""Reasons to trust a number less than its interval says: stable codes with their numbers, no text.

Each function gives a `RaisedWarning` or None. A rule that needs only a value and its limits says
`@of_values` and is asked of all of them; where another is asked stands in `warnings`. W110 (the
test set was used to choose) is something that only a person can declare, so it is not here; nor
are W115 to W117, of the rows on which shifts are fitted.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from reportgen.analysis.autocorrelation import autocorrelated as autocorrelated
from reportgen.analysis.heavy_tails import heavy_tail as heavy_tail
from reportgen.analysis.heavy_tails import tail_index_bound as tail_index_bound
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
from reportgen.results.raised import RaisedWarning

TIED_PAIRS, MODE = 0.01, 0.05
FEW_SCORES = 20  # different ones
FEW_PAYERS = 30  # that pay the larger cost of a loss
BIAS, SKEW = 0.25, 0.1
DEGENERATE = 0.01
FEW_CLUSTERS, DOMINATING = 20, 0.2
REPEATED = 0.05
MONTE_CARLO = 0.1
FOR_SHARES = ("wilson", "clopper-pearson", "newcombe")
"""Intervals that have a width where no resample varies."""


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


def few_payers(payers: int, units: int) -> RaisedWarning | None:
    """W140: under 30 units pay the larger side of a loss."""
    if payers >= FEW_PAYERS:
        return None
    return RaisedWarning("W140", {"payers": payers, "units": units, "few": FEW_PAYERS})


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
    return units_that_repeat(np.unique(code, return_counts=True)[1])


def units_that_repeat(times: Index) -> RaisedWarning | None:
    """The same, from how many rows each unit has."""
    n = int(times.sum())
    share = float(times[times > 1].sum() / max(n, 1))
    if share <= REPEATED or len(times) < FEW_CLUSTERS:
        return None
    numbers = {"share": share, "largest": int(times.max()), "units": len(times)}
    return RaisedWarning("W107", {**numbers, "n": n})


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
    if found.method in FOR_SHARES and found.width > 0 and evidence.estimand.of != "mean":
        return None  # its limits are those of a share, which say what chance leaves
    is_low = evidence.value == evidence.bounds[0]
    limit = found.high if is_low else found.low
    name = "exact_high" if is_low else "exact_low"
    exact = {name: limit} if found.method in ("exact-bound", "wilson") else {}
    n = min(evidence.trials or evidence.n, evidence.independent)
    three = min(3 / n, 1.0) if n else None
    return RaisedWarning("W108", {"bound": evidence.value, "rule_of_three": three, **exact})


def no_variance(evidence: Evidence, found: Interval, is_same_score: bool) -> RaisedWarning | None:
    """W109: a difference without limits, since nothing changes it, as of the same model twice.

    `same_rows` is the number of rows where the scores are equal on all of them, else it is `n`.
    """
    if found.is_defined or not evidence.is_difference or not np.isfinite(evidence.value):
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


def _drawn(evidence: Evidence) -> int:
    return len(evidence.finite)
