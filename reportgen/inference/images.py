"""Intervals of what is a monotone function of something else: one question, one answer.

Half of a variance, or a correlation brought to 0 to 1, has the limits of what it is a function of,
carried over. A difference in R² is no such function of one in RMSE, but on the same rows it is zero
where that is, and has its sign: whether zero is left out is then decided there, once, and all other
values are judged by the difference itself.
"""

from __future__ import annotations

from dataclasses import replace

from reportgen.inference.evidence import Basis, Interval

Limits = tuple[float, float]


def carried(found: Interval, line: tuple[float, float]) -> Interval:
    """The interval of level + slope · θ from that of θ.

    >>> carried(Interval(0.2, 0.6, 0.95, "t", 0.1), (0.5, -0.5)).low
    0.2
    """
    low, high = on_line((found.low, found.high), line)
    return replace(found, low=low, high=high, se=abs(line[1]) * found.se)


def on_line(limits: Limits, line: tuple[float, float]) -> Limits:
    """Limits of level + slope · θ from those of θ, the lower one first."""
    level, slope = line
    low, high = (level + slope * end for end in limits)
    return (low, high) if slope >= 0 else (high, low)


def decided(own: Limits, by: Limits, slope: float, is_open: bool = False) -> Limits:
    """Limits that leave zero out where the others do, and on the same side.

    `by` are the limits of the difference that decides, `slope` turns them into the unit of `own`,
    `is_open` says that a limit of theirs at zero leaves it out. Where the two disagree, the limit
    next to zero is the one of theirs.

    >>> decided((0.1, 0.9), (-2.0, 30.0), 0.02), decided((-0.1, 0.9), (2.0, 30.0), 0.02)
    ((-0.04, 0.9), (0.04, 0.9))
    >>> decided((0.1, 0.9), (3.0, 30.0), 0.02)
    (0.1, 0.9)
    """
    low, high = on_line(by, (0.0, slope))
    theirs, mine = side((low, high), is_open), side(own)
    if theirs == mine:
        return own
    if theirs * mine < 0:
        return low, high
    if (theirs or mine) > 0:
        return low, max(own[1], low)
    return min(own[0], high), high


def side(limits: Limits, is_open: bool = False) -> int:
    """1 where zero is left out below, −1 above, 0 where it is not."""
    low, high = limits
    if low > 0 or (is_open and low == 0 < high):
        return 1
    return -1 if high < 0 or (is_open and low < 0 == high) else 0


def slope_of(basis: Basis, value: float) -> float:
    """What turns a difference that decides into the unit of one with this value."""
    if basis.line is not None:
        return basis.line[1]
    by = basis.evidence.value
    return value / by if by and value * by * basis.sign > 0 else basis.sign
