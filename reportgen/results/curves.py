"""Curves: many numbers on a grid, with their bands."""

from __future__ import annotations

from dataclasses import dataclass, field

from reportgen.results.numbers import Number, Numbers, Params, Status


@dataclass(frozen=True)
class CurveResult:
    """One curve of one model (or of a difference, when `baseline` is set), with its bands.

    `low`, `high` bound each point on its own; `band_low`, `band_high` bound the whole curve at
    once. `x_labels` names the points where x is a category. `marks` are numbers that belong
    beside the curve, such as the level of a random order.
    """

    dataset: str
    segment: str | None
    curve: str
    params: Params
    model: str
    baseline: str | None
    x: Numbers
    y: Numbers
    low: Numbers
    high: Numbers
    band_low: Numbers
    band_high: Numbers
    level: float
    method: str
    n: int
    x_unit: str = "1"
    y_unit: str = "1"
    x_labels: tuple[str, ...] = ()
    marks: dict[str, Number] = field(default_factory=dict)
    status: Status = "ok"
    reason: str = ""
