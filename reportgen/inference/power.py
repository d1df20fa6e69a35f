"""Smallest detectable difference and required sample size."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from math import inf, isfinite, nan, sqrt

import numpy as np
from scipy import optimize, special

from reportgen.inference import intervals
from reportgen.inference.resampled_intervals import critical_value
from reportgen.inference.sampling_distribution import Interval, SamplingDistribution
from reportgen.metrics.traits import Better

POWER = 0.8
NEARLY_NORMAL = 300  # degrees of freedom from which a Normal of the right spread does
_Z = np.linspace(-8.5, 8.5, 545)
_DENSITY = np.exp(-(_Z**2) / 2) * (_Z[1] - _Z[0]) / sqrt(2 * np.pi)
MOST_UNITS = 10**15
FARTHEST = 1e100  # standard errors beyond which limits tell of no difference at all


@dataclass(frozen=True)
class DifferencePrecision:
    """The standard error of a difference, the units that it rests on, its degrees of freedom.

    `per_unit` is how many degrees of freedom a further unit brings. `grows` says that with more
    units it would be known better, as it would not with more folds of the same rows.
    """

    se: float
    units: int
    df: float = inf
    per_unit: float = 1.0
    grows: bool = True

    def scale_to(self, units: int) -> tuple[float, float]:
        """Return the standard error and degrees of freedom of `units` units of the same kind."""
        df = self.df + (units - self.units) * self.per_unit
        return self.se * sqrt(self.units / units), df


def measure_precision(evidence: SamplingDistribution, found: Interval) -> DifferencePrecision:
    """Return how well a difference is known by its interval, counted in what was resampled."""
    is_of_units = found.method in ("t", intervals.COARSE_METHOD) or "studentized" in found.method
    df = evidence.unit_df if is_of_units else evidence.df
    effective = evidence.units if evidence.balance is None else evidence.balance.effective
    per_unit = effective / max(evidence.units, 1)
    return DifferencePrecision(found.se, evidence.units, df, per_unit, evidence.folds is None)


def smallest_detectable(
    precision: DifferencePrecision, level: float, power: float = POWER
) -> float:
    """Compute the true difference that such a sample shows at `level` with `power`; or nan."""
    if not (isfinite(precision.se) and precision.df > 0 and level < 1):
        return float("nan")
    return _noncentrality(level, precision.df, power) * precision.se


def compute_required_units(
    difference: float,
    precision: DifferencePrecision,
    margin: float | None,
    level: float = 0.95,
    better: Better = "higher",
    power: float = POWER,
) -> int | None:
    """Units of the kind that are counted that would settle the verdict with that power.

    If the difference is really what it seems: the fewest for any of better, worse, equivalent and
    not worse, and more than there are. None where no number would do.
    """
    if not (isfinite(precision.se) and precision.se > 0 and isfinite(difference)):
        return None
    if not precision.grows:
        return None

    def is_enough(units: int) -> bool:
        return (
            _power_to_settle(difference, precision.scale_to(units), margin, level, better) >= power
        )

    return _find_smallest_enough(is_enough, precision.units + 1)


def power_of_shift(shift: float, df: float, times: float) -> float:
    """Compute the chance that an estimate lies over `times` estimated standard errors above zero.

    `shift` is the true difference in true standard errors: P(T > times) of the noncentral t.

    >>> round(power_of_shift(2.8016, inf, 1.959964), 4), round(power_of_shift(16.334, 1, 12.706), 3)
    (0.8, 0.8)
    """
    if df == inf or times == 0:  # whether it lies above zero depends on no standard error
        return float(special.ndtr(shift - times))
    if df > NEARLY_NORMAL:
        # Abramowitz and Stegun 26.7.10.
        z = (shift - times * (1 - 1 / (4 * df))) / sqrt(1 + times**2 / (2 * df))
        return float(special.ndtr(z))
    # P(s < (shift + Z) / times), s the ratio of the estimated to the true standard error.
    reach = np.maximum(_Z + shift, 0.0) / times
    return float(special.gammainc(df / 2, df / 2 * reach**2) @ _DENSITY)


def _power_to_settle(
    difference: float,
    known: tuple[float, float],
    margin: float | None,
    level: float,
    better: Better,
) -> float:
    """Return the best of the chances that limits say better, worse, not worse or equivalent."""
    se, df = known
    good = difference if better == "higher" else -difference
    times = critical_value(level, df)
    chances = [power_of_shift(abs(good) / se, df, times)]
    if margin is not None:
        chances.append(power_of_shift((good + margin) / se, df, times))
        one_sided = critical_value(2 * level - 1, df)
        sides = [power_of_shift((margin + sign * good) / se, df, one_sided) for sign in (1, -1)]
        chances.append(sum(sides) - 1)
    return max(chances)


@lru_cache(maxsize=4096)
def _noncentrality(level: float, df: float, power: float) -> float:
    """Find the difference, in standard errors, that is shown with that power; nan if none is."""
    times = critical_value(level, df)
    if not times < FARTHEST:
        return nan
    highest = times + 10.0
    while power_of_shift(highest, df, times) < power:
        highest *= 2
    return float(
        optimize.brentq(lambda shift: power_of_shift(shift, df, times) - power, 0.0, highest)
    )


def _find_smallest_enough(is_enough: Callable[[int], bool], least: int) -> int | None:
    """Find the smallest number from `least` on that is enough, as all above are; None if too large.

    >>> _find_smallest_enough(lambda n: n >= 37, 5), _find_smallest_enough(lambda n: False, 5)
    (37, None)
    """
    if is_enough(least):
        return least
    below, above = least, 2 * least
    while not is_enough(above):
        if above > MOST_UNITS:
            return None
        below, above = above, 2 * above
    while above - below > 1:
        middle = (below + above) // 2
        below, above = (below, middle) if is_enough(middle) else (middle, above)
    return above
