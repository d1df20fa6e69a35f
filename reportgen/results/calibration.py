"""What is known of the probabilities of one model."""

from __future__ import annotations

from dataclasses import dataclass

from reportgen.results.numbers import Number


@dataclass(frozen=True)
class ModelCalibration:
    """Whether the probabilities of one model may be right, on all rows of a dataset.

    The parts are of the Brier score: the first less the second plus the third. `p_calibrated` is
    the share of `draws` samples of a calibrated model with as much miscalibration, None where rows
    hang together. `spiegelhalter` is a z with its p. Limits of the slope are each at `level`.
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
