"""Checks of comparisons of two models, and of the family that they stand in."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from reportgen.checks.check import UNSEEN, Numbers, Read, Subject, check
from reportgen.inference.sampling_distribution import Interval, SamplingDistribution
from reportgen.kernels.batch import Vector
from reportgen.results.sensitivity import AlternativeChoice, Wins
from reportgen.results.verdicts import word_side


class DifferenceSubject(Subject):
    """The difference of two models, whose scores may be the same."""

    difference: SamplingDistribution
    interval: Interval
    is_same_score: bool


class DecisionSubject(Subject):
    """The difference that decides, its interval as adjusted, and the margin if there is one."""

    difference: SamplingDistribution
    interval: Interval
    lines: tuple[float, ...] = (0.0,)


class FamilySubject(Subject):
    """Comparisons that share a level: `tails` of it are counted in resamples, 0 of formulas."""

    replicates: int
    comparisons: int
    level: float
    tails: int
    family: str


class WinsSubject(Subject):
    """Two models compared row by row."""

    wins: Read[Wins] = UNSEEN


class PrimaryWinsSubject(Subject):
    """Two models compared row by row on the primary metric.

    `spread` is how far the order of ties moves the value of one of them, of `other` where that is
    not the candidate, and `error` the standard error of the difference. `sides` say whether the
    candidate gains and loses beyond chance, at 1 − `alpha`.
    """

    spread: Read[float] = UNSEEN
    other: Read[str] = UNSEEN
    error: Read[float] = UNSEEN
    choices: Read[Sequence[AlternativeChoice]] = UNSEEN
    differences: Read[Vector] = UNSEEN
    weight: Read[Vector] = UNSEEN
    wins: Read[Wins] = UNSEEN
    sides: Read[tuple[bool, bool]] = UNSEEN
    alpha: Read[float] = UNSEEN


@check("W109", DifferenceSubject)
def find_no_variance(
    difference: SamplingDistribution, interval: Interval, is_same_score: bool
) -> Numbers | None:
    """Find a difference that no resample changes, as of one model with itself.

    `same_rows` is the number of rows where the scores are equal on all of them, else it is `n`.
    """
    if interval.is_defined or not difference.is_difference or not np.isfinite(difference.value):
        return None
    spreads = (difference.bootstrap_se, difference.influence_se)
    known = [spread for spread in spreads if np.isfinite(spread)]
    if not known or max(known) > difference.rounding:
        return None
    rows = "same_rows" if is_same_score else "n"
    return {"difference": difference.value, rows: difference.n}


@check("W152", DifferenceSubject)
def find_few_effective_times(
    difference: SamplingDistribution, *, fewest: int, share: float
) -> Numbers | None:
    """Find times so alike that they are worth few independent ones: by its error, or by blocks."""
    if difference.block is None:
        return None
    effective = difference.independent
    if difference.long_run is not None:
        effective = min(effective, difference.long_run.effective)
    if effective >= min(fewest, share * difference.units):
        return None
    return {"times": difference.units, "effective": effective}


@check("W113", DecisionSubject)
def find_close_call(
    difference: SamplingDistribution, interval: Interval, lines: tuple[float, ...]
) -> Numbers | None:
    """Find a limit of the interval within Monte-Carlo error (95 %) of zero or of the margin.

    Other seeds could then give another verdict.
    """
    # Imported here, since the names of warnings must not wait for SciPy.
    from reportgen.inference.intervals import monte_carlo_error

    error = monte_carlo_error(difference, interval)
    if not interval.is_defined or error == 0:
        return None
    distance = min(abs(limit - line) for limit in (interval.low, interval.high) for line in lines)
    if distance > 1.96 * error:
        return None
    return {"distance": distance, "error": error, "replicates": len(difference.existing)}


@check("W114", FamilySubject)
def find_few_replicates(
    replicates: int, comparisons: int, level: float, tails: int, family: str
) -> Numbers | None:
    """Find too few replicates for a p-value or limit to reach the level shared by a family.

    B replicates give no p-value below 1/(B + 1), and no limit beyond their first and last;
    `tails` is 1 for the former, 2 for the latter, 0 where nothing is counted.
    """
    from reportgen.inference.resampled_intervals import count_needed_replicates

    needed = count_needed_replicates(tails * comparisons, level)
    if replicates >= needed:
        return None
    numbers = {"replicates": replicates, "needed": needed, "comparisons": comparisons}
    return {**numbers, "family": family}


@check("W132", WinsSubject)
def find_few_differing_rows(
    wins: Wins, *, fewest: int, share: float, fewest_of_few: int, queries: int
) -> Numbers | None:
    """Find few rows that differ, in number or as a share, while most are level.

    With fewer than `fewest` rows, only `fewest_of_few` must differ. Another warning covers fewer
    than `queries` rows.
    """
    differing = wins.ahead + wins.behind
    enough = fewest if wins.n >= fewest else fewest_of_few
    is_few = differing < share * wins.n or (differing < enough and 2 * differing < wins.n)
    if wins.n < queries or not is_few:
        return None
    return {"differing": differing, "of": wins.n}


@check("W135", PrimaryWinsSubject)
def find_deciding_ties(
    spread: float,
    other: str,
    error: float,
    choices: Sequence[AlternativeChoice],
    *,
    of_error: float,
) -> Numbers | None:
    """Find an order of tied documents that moves a value by much of an error, or the verdict."""
    is_changed = any(c.is_other for c in choices if c.choice == "ties")
    if not is_changed and not spread > of_error * error:
        return None
    paired: Numbers = {"other": other} if other else {}
    return {"spread": spread, "error": error, "is_turned": is_changed, **paired}


@check("W136", PrimaryWinsSubject)
def find_dominant_row(
    differences: Vector, weight: Vector, *, variance: float, largest: float
) -> Numbers | None:
    """Find one row with much of the variance of the differences, or of the weight."""
    total = weight.sum()
    if len(differences) < 2 or not total > 0:
        return None
    share = weight / total
    squares = share**2 * (differences - share @ differences) ** 2
    of_all = float(squares.max() / squares.sum()) if squares.sum() > 0 else 0.0
    heaviest = float(share.max())
    if of_all <= variance and heaviest <= largest:
        return None
    return {"share": of_all, "largest_share": heaviest}


@check("W138", PrimaryWinsSubject)
def find_mean_against_majority(
    wins: Wins, sides: tuple[bool, bool], alpha: float
) -> Numbers | None:
    """Find a mean that favours one model and a majority of rows the other, both beyond chance."""
    is_majority = wins.p_value is not None and wins.p_value < alpha
    more = (wins.share_ahead or 0.0) > (wins.share_behind or 0.0)
    gains, loses = sides
    if not is_majority or not ((gains and not more) or (loses and more)):
        return None
    return {"ahead": wins.ahead, "behind": wins.behind, "p": wins.p_value}


@check("W139", PrimaryWinsSubject)
def find_deciding_convention(choices: Sequence[AlternativeChoice]) -> Numbers | None:
    """Find the convention whose verdict is farthest from the declared one.

    `choices` counts every analysis with another verdict, also of other rows, as page one does.
    """
    others = [c for c in choices if c.is_other]
    conventions = [c for c in others if c.kind == "convention"]
    if not conventions:
        return None
    declared = word_side(choices[0].word)
    first = max(conventions, key=lambda c: abs(word_side(c.word) - declared))
    return {
        "choices": len(others),
        "choice": f"{first.choice}: {first.value}",
        "verdict": first.word,
        "declared": choices[0].word,
    }
