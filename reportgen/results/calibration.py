"""What is known of the probabilities of one model."""

from __future__ import annotations

from dataclasses import dataclass

from reportgen.results.numbers import Number


@dataclass(frozen=True)
class ModelCalibration:
    """Whether the probabilities of one model may be right, on all rows of a dataset.

    The parts are of the Brier score: the first less the second plus the third. `p_calibrated` is
    the share of `draws` samples of a calibrated model with as much miscalibration, None where rows
    hang together. `spiegelhalter` is a z with its p. Limits are each at `level`. Of all rows
    together the probabilities say that the share `said` is positive, where `happened` was: limits
    are those of the one over the other, `p_total` is a test of their being the same.
    """

    dataset: str
    model: str
    n: int
    miscalibration: Number
    discrimination: Number
    uncertainty: Number
    slope: Number
    slope_low: Number
    slope_high: Number
    level: float
    spiegelhalter: Number = None
    p_spiegelhalter: Number = None
    p_calibrated: Number = None
    draws: int = 0
    said: Number = None
    happened: Number = None
    ratio_low: Number = None
    ratio_high: Number = None
    p_total: Number = None


@dataclass(frozen=True)
class ClassCalibration:
    """What one model says of a class, or label, on average over all rows, and what happened.

    `label` None is the class that each row is called: how probable it is said, how often it is
    right. `is_off` says that the one test of all of them finds this one's probabilities not right,
    None where there is no test.
    """

    dataset: str
    model: str
    label: str | None
    said: Number
    happened: Number
    is_off: bool | None
