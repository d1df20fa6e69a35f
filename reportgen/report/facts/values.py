"""Values of facts: numbers and limits with their format."""

from __future__ import annotations

from dataclasses import dataclass

from reportgen.report.wording.numbers import NumberFormat
from reportgen.results.types import Number


@dataclass(frozen=True)
class Quantity:
    """A number and how it is printed."""

    value: Number
    form: NumberFormat


@dataclass(frozen=True)
class Limits:
    """Two limits and how they are printed; None where there is no limit to that side."""

    low: Number
    high: Number
    form: NumberFormat
