"""Smallest detectable difference, and the number of units that detects a given one."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import lru_cache
from math import ceil, floor, inf, isfinite, nan, sqrt

import numpy as np
from scipy import special

from reportgen.inference import intervals
from reportgen.inference.analytic_intervals import estimate_df_of_squares
from reportgen.inference.resampled_intervals import critical_value
from reportgen.inference.sampling_distribution import Interval, SamplingDistribution
from reportgen.records import record

POWER = 0.8
FEWEST_FOR_A_NUMBER = 30  # units from which a number is within 1.8 times of the right one
_TAILS = (0.025, 0.975)
NEARLY_NORMAL = 300  # degrees of freedom from which a Normal of the right spread does
_Z = np.linspace(-8.5, 8.5, 545)
_DENSITY = np.exp(-(_Z**2) / 2) * (_Z[1] - _Z[0]) / sqrt(2 * np.pi)
MOST_UNITS = 10**15
HALVINGS = 60  # of a range, which reach the precision of a double
FARTHEST = 1e100  # standard errors beyond which limits tell of no difference at all


@record
class UnitsToDetect:
    """About how many units it takes; `low` and `high` where that is hardly known, else None."""

    about: int
    low: int | None = None
    high: int | None = None


@record
class DifferencePrecision:
    """The standard error of a difference, the units that it rests on, its degrees of freedom.

    `per_unit` is how many degrees of freedom a further unit brings, `error_df` how many the
    standard error itself has. `grows` says that with more units it would be known better, as it
    would not with more folds of the same rows.
    """

    se: float
    units: int
    df: float = inf
    per_unit: float = 1.0
    error_df: float = inf
    grows: bool = True

    @property
    def fewest(self) -> int:
        """The fewest units that leave a degree of freedom."""
        if self.df == inf:
            return 1
        return max(self.units - floor((self.df - min(self.df, 1.0)) / self.per_unit), 1)

    def scale_to(self, units: int) -> tuple[float, float]:
        """Return the standard error and degrees of freedom of `units` units of the same kind."""
        df = self.df + (units - self.units) * self.per_unit
        return self.se * sqrt(self.units / units), df


def measure_precision(evidence: SamplingDistribution, found: Interval) -> DifferencePrecision:
    """Return how well a difference is known by its interval, counted in what was resampled."""
    is_of_units = found.method in ("t", intervals.COARSE_METHOD) or "studentized" in found.method
    df = evidence.unit_df if is_of_units else evidence.df
    effective = evidence.units if evidence.balance is None else evidence.balance.effective
    return DifferencePrecision(
        found.se,
        evidence.units,
        df,
        per_unit=effective / max(evidence.units, 1),
        error_df=_measure_error_df(evidence),
        grows=evidence.folds is None,
    )


def _measure_error_df(evidence: SamplingDistribution) -> float:
    """Return the degrees of freedom of the squared standard error itself.

    Units less one, or blocks of them in time. Fewer where a few units decide it, by their fourth
    powers (Satterthwaite 1946): they hold for heavy tails too, where units alone promise too much.
    """
    most = min(evidence.unit_df, evidence.independent - 1)
    if evidence.influence is None:
        return most
    df = estimate_df_of_squares(evidence.influence)
    return most if df is None else min(most, df)


def smallest_detectable(
    precision: DifferencePrecision, level: float, power: float = POWER
) -> float:
    """Compute the true difference that such a sample shows at `level` with `power`; or nan."""
    if not (isfinite(precision.se) and precision.df > 0 and level < 1):
        return float("nan")
    return _noncentrality(level, precision.df, power) * precision.se


def count_units_to_detect(
    gain: float, precision: DifferencePrecision, level: float, power: float = POWER
) -> UnitsToDetect | None:
    """Count the units of the same kind that show a true difference of `gain` with that power.

    Nothing is taken from the estimated difference, only from its standard error. Where that is
    known from the equivalent of fewer than 30 units, its 95% limits give a range. None where no
    number would do.
    """
    if not (isfinite(precision.se) and precision.se > 0 and gain > 0 and precision.grows):
        return None
    if not (precision.df > 0 and level < 1):
        return None

    def count(factor: float) -> int | None:
        known = replace(precision, se=precision.se * sqrt(factor))
        return _count_units(gain, known, level, power)

    about, df = count(1.0), precision.error_df
    if about is None or df >= FEWEST_FOR_A_NUMBER or not df > 0:
        return None if about is None else UnitsToDetect(about)
    ends = (df / float(special.chdtri(df, tail)) for tail in _TAILS)
    return UnitsToDetect(about, *map(count, ends))


def _count_units(
    gain: float, precision: DifferencePrecision, level: float, power: float
) -> int | None:
    """Count the units that show a true difference of `gain`; None if more than can be counted."""
    normal = (critical_value(level, inf) + float(special.ndtri(power))) * precision.se / gain
    least = max(ceil(precision.units * normal**2), precision.fewest)

    def is_enough(units: int) -> bool:
        se, df = precision.scale_to(units)
        return power_of_shift(gain / se, df, critical_value(level, df)) >= power

    return None if least > MOST_UNITS else _find_smallest_enough(is_enough, least)


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


@lru_cache(maxsize=4096)
def _noncentrality(level: float, df: float, power: float) -> float:
    """Find the difference, in standard errors, that is shown with that power; nan if none is."""
    times = critical_value(level, df)
    if not times < FARTHEST:
        return nan
    if df == inf:
        return times + float(special.ndtri(power))
    if df > NEARLY_NORMAL:
        spread = sqrt(1 + times**2 / (2 * df))
        return times * (1 - 1 / (4 * df)) + spread * float(special.ndtri(power))
    low, high = 0.0, times + 10.0
    while power_of_shift(high, df, times) < power:
        low, high = high, 2 * high
    for _ in range(HALVINGS):
        middle = (low + high) / 2
        is_enough = power_of_shift(middle, df, times) >= power
        low, high = (low, middle) if is_enough else (middle, high)
    return (low + high) / 2


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
