"""The interval of a value or of a paired difference: which method, and what if it fails.

A method that does not apply, or that would give no width, gives way to those of `auto`, and the
interval says which was used. So no interval is silently empty.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from math import isfinite, nan, sqrt

import numpy as np

from reportgen.inference import analytic, folds, multiplier, prices, resampled, shares
from reportgen.inference.coarse import widened
from reportgen.inference.evidence import Basis, Evidence, Interval, Reason
from reportgen.inference.images import carried, decided, slope_of
from reportgen.inference.suited import DIFFERENCE, FORMULAS, ONE_MODEL, methods_of

Method = Callable[[Evidence, float], Interval | None]

METHODS: Mapping[str, Method] = {
    "percentile": resampled.percentile,
    "basic": resampled.basic,
    "bca": resampled.bca,
    "symmetric": resampled.symmetric,
    "se": resampled.standard_error,
    "normal": resampled.standard_error,
    "debiased-se": resampled.debiased_standard_error,
    "size-se": resampled.size_standard_error,
    "studentized": resampled.studentized,
    "symmetric-studentized": resampled.symmetric_studentized,
    "log-studentized": resampled.log_studentized,
    "log-se": resampled.log_standard_error,
    "fisher-z-se": resampled.z_standard_error,
    "multiplier": multiplier.multiplier,
    "t": analytic.student_t,
    "influence": analytic.influence,
    "logit-influence": analytic.logit_influence,
    "log-influence": analytic.log_influence,
    "wilson": analytic.wilson,
    "clopper-pearson": analytic.clopper_pearson,
    "newcombe": prices.square_and_add,
    "fisher-z": analytic.fisher,
    "bonett-wright": analytic.bonett_wright,
    "hollander-wolfe": analytic.hollander_wolfe,
    "noether": analytic.noether,
    "exact-bound": analytic.exact_bound,
    "exact-share": shares.exact_share,
    "tango": shares.tango,
    "corrected-t": folds.corrected_t,
}
SPREADS = (
    "bootstrap-se",
    "debiased-bootstrap-se",
    "size-bootstrap-se",
    "log-bootstrap-se",
    "fisher-z-bootstrap-se",
)
COUNTED_ONCE = ("symmetric", "symmetric-studentized", "fisher-z-studentized")  # both tails together
COUNTED_TWICE = ("percentile", "basic", "bca", "bc", "studentized", "log-studentized")
RESAMPLED = (*COUNTED_TWICE, *COUNTED_ONCE, *SPREADS)
COUNTING_UNITS = (
    "t", "influence", "logit-influence", "log-influence", "fisher-z", "wilson", "size-se", "log-se",
    "fisher-z-se", "exact-share", "newcombe", "debiased-se", "clopper-pearson",
)  # fmt: skip
EXACT = "clopper-pearson"
FOR_FEW_CHANGED = ("tango",)  # of a difference between classes, whatever the smaller one's size
LAST_RESORTS = ("se", "percentile", "influence", "exact-bound")
POSITIVES_FOR_FORMULA = 50  # of the smaller class, for a difference between two models


def interval(evidence: Evidence, method: str, level: float) -> Interval:
    """Limits at `level` by a named method, by `auto` or by `analytic` (a formula).

    The first that applies: the one asked for, those of `auto`, the bootstrap standard error,
    percentiles, influence, and the exact bound of a share at the end of its range. Where units are
    few it holds the coarse one too, whichever was asked for. Of a handful of rows of a class there
    is none that compares them with others. What is a function of something else has the limits of
    that, as far as they decide.
    """
    if not isfinite(evidence.value):
        return _undefined(level, "undefined-value")
    if shares.is_of_the_same(evidence):
        return _undefined(level, "no-variation")
    if evidence.basis is not None:
        return _by_basis(evidence, evidence.basis, method, level)
    if not (evidence.estimand.has_limits or evidence.is_difference):
        return _undefined(level, "chance-adds")
    if evidence.folds is not None:
        of_folds = folds.corrected_t(evidence, level)
        is_short = evidence.folds.df < 1
        return of_folds or _undefined(level, "few-folds" if is_short else "no-variation")
    if evidence.df < 1:
        # One cluster a stratum says nothing of how clusters differ, nor one effective row of rows.
        is_uneven = evidence.units - evidence.strata >= 1
        return _undefined(level, "uneven-weights" if is_uneven else "few-clusters")
    if evidence.is_of_few_in_a_class:
        # At the end of its range the exact bound is honest whatever the number.
        return analytic.exact_bound(evidence, level) or _undefined(level, "few-of-a-class")
    for name in _tried(evidence, method):
        found = METHODS[name](evidence, level)
        if found is not None:
            found = shares.allowing_for_few_changes(evidence, found, level)
            return _as_binned(evidence, widened(evidence, found, level))
    if shares.has_no_change(evidence):
        return shares.tango(evidence, level) or _undefined(level, "no-variation")
    is_short = not evidence.has_replicates and evidence.influence is None
    return _undefined(level, "few-replicates" if is_short else "no-variation")


def _as_binned(evidence: Evidence, found: Interval) -> Interval:
    """The limits further out by as much as the value may be off, where it was found from bins."""
    if not evidence.binning:
        return found
    low, high = evidence.bounds
    return replace(
        found,
        low=max(found.low - evidence.binning, low),
        high=min(found.high + evidence.binning, high),
    )


def automatic(evidence: Evidence) -> tuple[str, ...]:
    """The methods that `auto` tries, in order.

    Where weights are uneven, those that count the effective units.
    """
    suited = _suited(evidence)
    if evidence.balance is None:
        return suited
    return tuple(name for name in suited if name in COUNTING_UNITS)


def _suited(evidence: Evidence) -> tuple[str, ...]:
    """What suits the kind of number."""
    if evidence.signed is not None:
        return ("size-se",)
    # Percentiles do not know how few the clusters are; t(G − 1) does.
    if evidence.is_clustered and evidence.estimand.of in ("weights", "order"):
        own = methods_of(evidence.estimand, DIFFERENCE if evidence.is_difference else ONE_MODEL)
        return tuple(name for name in own if name == "debiased-se")
    if not evidence.is_difference:
        methods = methods_of(evidence.estimand, ONE_MODEL)
        left_out = []
        if evidence.is_clustered and evidence.influence is None:
            left_out.append("bca")
        if EXACT in methods and not analytic.is_of_few_of_a_kind(evidence):
            left_out.append(EXACT)  # it is wide: others hold there
        return tuple(name for name in methods if name not in left_out)
    if evidence.portions:
        return ("newcombe",)
    found = methods_of(evidence.estimand, DIFFERENCE)
    if evidence.estimand.interval == "newcombe" and evidence.estimand.is_mean:
        return ("newcombe", *found)
    if _is_between_classes(evidence) and has_few_of_a_class(evidence):
        return tuple(name for name in found if name in FOR_FEW_CHANGED)
    return found


def tails_of(method: str) -> int:
    """In how many tails a method counts replicates for its limits; 0 where it counts none."""
    return 2 if method in COUNTED_TWICE else int(method in COUNTED_ONCE)


def equivalence_level(level: float) -> float:
    """The level 1 − 2α of the interval that must lie within the margin for equivalence.

    >>> equivalence_level(0.95)
    0.9
    """
    return round(2 * level - 1, 12)


def second_opinion(evidence: Evidence, method: str, level: float) -> Interval | None:
    """An interval of another kind than that by `method`, to see whether a verdict depends on it.

    A formula is checked by percentiles, a resampling method by influence or else percentiles. What
    is a function of something else is checked where that is decided. None where units are few: the
    limits allow for more than one method already.
    """
    if evidence.is_few or evidence.folds is not None or shares.is_of_few(evidence):
        return None
    if evidence.is_of_few_in_a_class:
        return None
    if evidence.is_difference and evidence.portions:
        return None
    if evidence.basis is not None:
        return _second_by_basis(evidence, evidence.basis, method, level)
    used = interval(evidence, method, level).method
    is_resampled = used in RESAMPLED
    names = ("influence", "percentile") if is_resampled else ("percentile", "se")
    each = (METHODS[name](evidence, level) for name in names)
    return next((other for other in each if other is not None and other.method != used), None)


def has_few_of_a_class(evidence: Evidence) -> bool:
    """Whether influence is not to be trusted in a difference: few of a class, or clusters."""
    count = evidence.smaller_class
    return evidence.is_clustered or (count is not None and count < POSITIVES_FOR_FORMULA)


def monte_carlo_error(evidence: Evidence, found: Interval) -> float:
    """Standard error of a limit from drawing B replicates and no more; 0 for a formula.

    The root mean square of both limits'. From order statistics around the limit, or from that of
    a standard deviation, se/√(2B).
    """
    if not found.is_defined or not len(evidence.finite):
        return 0.0
    if found.method in SPREADS:
        return found.width / 2 / sqrt(2 * len(evidence.finite))
    if found.method in ("percentile", "basic", "bca", "bc"):
        places = np.searchsorted(evidence.finite, _limits_among_replicates(evidence, found))
        return sqrt(np.mean([_quantile_error(evidence, float(place)) ** 2 for place in places]))
    is_tail = "studentized" in found.method or found.method == "symmetric"
    return _tail_error(evidence, found) if is_tail else 0.0


def _by_basis(evidence: Evidence, basis: Basis, method: str, level: float) -> Interval:
    """The limits of what it is a function of; or its own, with zero left out where those do."""
    by = interval(basis.evidence, method, level)
    if basis.line is not None:
        return carried(by, basis.line)
    own = interval(replace(evidence, basis=None), method, level)
    if not (own.is_defined and by.is_defined):
        return own if by.is_defined else by
    return _decided(own, by, slope_of(basis, evidence.value))


def _second_by_basis(
    evidence: Evidence, basis: Basis, method: str, level: float
) -> Interval | None:
    """As `_by_basis`, of the second opinions on both."""
    by = second_opinion(basis.evidence, method, level)
    if basis.line is not None:
        return by and carried(by, basis.line)
    own = second_opinion(replace(evidence, basis=None), method, level)
    return own and by and _decided(own, by, slope_of(basis, evidence.value))


def _decided(own: Interval, by: Interval, slope: float) -> Interval:
    low, high = decided((own.low, own.high), (by.low, by.high), slope)
    return replace(own, low=low, high=high)


def _tried(evidence: Evidence, method: str) -> list[str]:
    first: tuple[str, ...] = () if method == "auto" else (method,)
    if method == "analytic":
        # A formula of last resort comes before any resampling: that is what was asked for.
        is_one = not evidence.is_difference
        names = methods_of(evidence.estimand, FORMULAS) if is_one else automatic(evidence)
        first = (*(n for n in names if METHODS[n].__module__ == analytic.__name__), "influence")
    return list(dict.fromkeys((*first, *automatic(evidence), *LAST_RESORTS)))


def _is_between_classes(evidence: Evidence) -> bool:
    kind = evidence.estimand
    return kind.of == "cells" or (kind.of == "pairs" and kind.scale == "share")


def _undefined(level: float, reason: Reason) -> Interval:
    return Interval(nan, nan, level, "", nan, reason)


def _limits_among_replicates(evidence: Evidence, found: Interval) -> tuple[float, float]:
    if found.method == "basic":
        return 2 * evidence.value - found.high, 2 * evidence.value - found.low
    return found.low, found.high


def _quantile_error(evidence: Evidence, place: float) -> float:
    """Half the distance between the order statistics one standard error to either side.

    Where a side lies past the sample, the distance to the other: nothing is known out there.
    """
    drawn = len(evidence.finite)
    p = min(max(place / drawn, 1 / drawn), 1 - 1 / drawn)
    step = sqrt(p * (1 - p) / drawn)
    below, at, above = (resampled.quantile(evidence.finite, p + k * step) for k in (-1, 0, 1))
    if p - step < 1 / (drawn + 1) or p + step > drawn / (drawn + 1):
        return max(at - below, above - at)
    return (above - below) / 2


def _tail_error(evidence: Evidence, found: Interval) -> float:
    """As if t were Normal with the interval's own width: close enough to count replicates."""
    p = (1 - found.level) / 2
    z = resampled.critical(found.level)
    density = float(np.exp(-(z**2) / 2) / np.sqrt(2 * np.pi))
    return sqrt(p * (1 - p) / len(evidence.finite)) / density * found.width / (2 * z)
