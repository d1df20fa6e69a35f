"""What models reach on rows to fit on, beside what they reach on fresh ones."""

from __future__ import annotations

from dataclasses import dataclass

from reportgen.results.core import Estimate
from reportgen.results.numbers import Number


@dataclass(frozen=True)
class FreshGap:
    """One metric of one model on the rows of `fit`, n of them, and on those of `dataset`.

    `difference` is fresh minus fitted, in the metric's unit; its limits, at `level`, are those of
    two independent samples, None where one of both has no interval.
    """

    dataset: str
    fit: str
    n: int
    model: str
    key: str
    fitted: Estimate
    fresh: Estimate
    difference: Number
    low: Number
    high: Number
    level: float
