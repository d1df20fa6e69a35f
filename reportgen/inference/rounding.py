"""What is left of numbers that cancel is no number: the ends of a range and zero, as they are.

A sum of errors that is zero comes out as 1e-16, and the share of no pair as 6e-17. A value nearer
to such a place than its terms are known is there.
"""

from __future__ import annotations

from dataclasses import replace
from math import isfinite

import numpy as np

from reportgen.inference.evidence import ROUNDING, Evidence
from reportgen.kernels.batch import Vector
from reportgen.metrics.units import without_scale
from reportgen.rows import Rows

TERMS = 4  # roundings of the larger of y and score in one error


def settled(evidence: Evidence, unit: str, rows: Rows) -> Evidence:
    """The evidence with rounding taken off its value and replicates."""
    return settled_to(evidence, unit, rows.largest() if without_scale(unit) == "y" else 0.0)


def settled_to(evidence: Evidence, unit: str, largest: float) -> Evidence:
    """The same where the largest y or score is of this size."""
    known, bounds = _grain(unit, largest, evidence.bounds), evidence.bounds
    return replace(
        evidence,
        value=float(at_places(np.array([evidence.value]), known, bounds)[0]),
        replicates=at_places(evidence.replicates, known, bounds),
        grain=known,
    )


def at_places(values: Vector, grain: float, bounds: tuple[float, float]) -> Vector:
    """The values, with those that are an end of the range or zero but for rounding put there.

    >>> at_places(np.array([6e-17, 0.5, 1 - 1e-16]), 1e-12, (0.0, 1.0))
    array([0. , 0.5, 1. ])
    """
    if not grain:
        return values
    for place in {0.0, *filter(isfinite, bounds)}:
        values = np.where(np.abs(values - place) <= grain, place, values)
    return values


def _grain(unit: str, largest: float, bounds: tuple[float, float]) -> float:
    """How far rounding alone moves a value in this unit: of amounts, as far as an error is known.

    A value within a range is known to 1e-12 of it; of any other nothing is said, 0.
    """
    low, high = bounds
    if isfinite(low) and isfinite(high):
        return ROUNDING * (high - low)
    if without_scale(unit) != "y":
        return 0.0
    return TERMS * float(np.finfo(np.float64).eps) * largest if isfinite(largest) else 0.0
