"""Limits of a difference of two values that know nothing of each other."""

from __future__ import annotations

from math import hypot

Limited = tuple[float, float, float]


def mover(new: Limited, old: Limited) -> tuple[float, float]:
    """Limits for new − old from (value, low, high) of two independent values, by square-and-add.

    (MOVER; Zou and Donner 2008, doi:10.1002/sim.3095.)

    >>> mover((5.0, 2.0, 8.0), (1.0, -3.0, 5.0))
    (-1.0, 9.0)
    """
    change = new[0] - old[0]
    return change - hypot(new[0] - new[1], old[2] - old[0]), change + hypot(
        new[2] - new[0], old[0] - old[1]
    )
