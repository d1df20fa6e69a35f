"""Of how many rows counts of calls are told: of so many that even a rare class has some."""

from __future__ import annotations

from collections.abc import Sequence

from reportgen.results import OperatingPoint

BASES = (1_000, 10_000, 100_000, 1_000_000)
FEWEST = 20  # positives among so many rows


def base_of(points: Sequence[OperatingPoint]) -> int:
    """The fewest rows of `BASES` of which at least `FEWEST` are positive, the same for all points.

    1,000 where that is not known, and where no row is positive.

    >>> point = OperatingPoint("d", "half", "fixed", "a", 9990, 0, 10, 0, (), {})
    >>> base_of([point])
    100000
    """
    known = [(upper, all_) for upper, all_ in map(positives, points) if upper]
    if not known:
        return BASES[0]
    share = max(upper / all_ for upper, all_ in known)
    return next((base for base in BASES if base * share >= FEWEST * (1 - 1e-9)), BASES[-1])


def per(base: int) -> str:
    """What a number of so many rows is followed by.

    >>> per(10_000)
    'per 10,000'
    """
    return f"per {base:,}"


def positives(point: OperatingPoint) -> tuple[float | None, float]:
    """How much the positives and all rows weigh; None where positives are not known."""
    if point.false_negatives is None or point.true_negatives is None:
        return None, 0.0
    upper = (point.true_positives or 0.0) + point.false_negatives
    return upper, upper + point.true_negatives + (point.false_positives or 0.0)
