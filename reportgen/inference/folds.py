"""Intervals and tests from the values of folds, which share most of the rows they learnt from.

They are not independent: a plain t test over folds finds a difference between equal recipes far too
often, the more so with several rounds. The variance of their mean is corrected for what they share
(Nadeau and Bengio 2003, doi:10.1023/A:1024068626366).
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from scipy import special

from reportgen.inference.evidence import Evidence, FoldValues, Interval
from reportgen.inference.resampled import bounded, critical
from reportgen.kernels.batch import Matrix, Vector

FEWEST_FOR_TEST = 5  # values of folds under which there is no p-value


def corrected_t(evidence: Evidence, level: float) -> Interval | None:
    """The value and Student's t times the corrected standard error of the folds."""
    folds = evidence.folds
    if folds is None or folds.df < 1:
        return None
    half = critical(level, folds.df) * folds.se
    low, high = evidence.value - half, evidence.value + half
    return bounded(evidence, low, high, level, "corrected-t", folds.se)


def of_folds(evidence: Evidence, folds: FoldValues) -> Evidence:
    """The same value where folds are what varies: nothing that is known of rows is left.

    `replicates` are to be those of `replicates_of`.
    """
    return replace(
        evidence,
        units=len(folds.known),
        behind=evidence.units,
        influence=None,
        grouped=None,
        smoothed=None,
        replicate_se=None,
        contributions=None,
        shares=None,
        positives=None,
        rarer=None,
        trials=None,
        portions=(),
        hits=None,
        block=None,
        strata=1,
        is_clustered=False,
        balance=None,
        folds=folds,
    )


def draws(folds: int, replicates: int, seed: int) -> Matrix:
    """Normal numbers that models and metrics share, (replicates, folds)."""
    return np.random.default_rng([seed, folds]).standard_normal((replicates, folds))


def replicates_of(value: float, folds: FoldValues, drawn: Matrix) -> Vector:
    """The value plus as much Normal error as it has, by draws that all values share, (B,).

    Differences of two values then have the corrected error of the differences on folds, so that
    whatever is read from replicates of all models at once holds for new fits.
    """
    known = np.isfinite(folds.values)
    if folds.df < 1 or not np.isfinite(value):
        return np.full(len(drawn), np.nan)
    centred = folds.values[known] - folds.known.mean()
    factor = (1 / len(folds.known) + folds.ratio) / folds.df
    return np.asarray(value + np.sqrt(factor) * (drawn[:, known] @ centred))


def ahead(evidence: Evidence) -> float:
    """How probable it is that the value is above zero, if all were alike before; nan if unknown.

    The posterior of the correlated t test (Corani and Benavoli 2015,
    doi:10.1007/s10994-015-5486-z).
    """
    folds = evidence.folds
    if folds is None or folds.df < 1 or not folds.se > evidence.rounding:
        return float("nan")
    return float(special.stdtr(folds.df, evidence.value / folds.se))
