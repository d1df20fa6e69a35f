"""Axes of amounts: money has its sign at every number, any other unit stands after the label."""

from __future__ import annotations

from dataclasses import replace

from reportgen import wording
from reportgen.document import Axis


def in_money(axis: Axis, unit: str) -> Axis:
    """The axis with a currency sign at its numbers in place of its label, if the unit is one.

    An axis that has another unit already, or names in place of numbers, stays as it is.
    """
    sign = wording.currency(unit)
    if not sign or axis.unit or axis.ticks:
        return axis
    return replace(axis, label=axis.label.replace(f", {sign}", "", 1), unit=sign)
