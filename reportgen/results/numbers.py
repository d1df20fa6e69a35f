"""What results are made of: numbers that may be missing, and how they are rounded."""

from __future__ import annotations

from collections.abc import Iterable
from math import isfinite
from typing import Literal

Number = float | None
Scalar = str | float | int | bool | None
Numbers = tuple[Number, ...]
Params = dict[str, Scalar]
Plain = dict[str, object]

Status = Literal["ok", "undefined", "not applicable"]


def rounded(value: float | None) -> Number:
    """Round to ten significant digits; what is not finite becomes None.

    >>> rounded(1 / 3)
    0.3333333333
    >>> rounded(float("nan")) is None
    True
    """
    return None if value is None or not isfinite(value) else ten_digits(value)


def ten_digits(value: float) -> float:
    """Round a finite number, as `rounded` does."""
    return float(f"{value:.9e}")


def rounded_all(values: Iterable[float]) -> Numbers:
    """Round each, as `rounded` does."""
    return tuple(rounded(float(value)) for value in values)
