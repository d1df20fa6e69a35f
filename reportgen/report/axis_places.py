"""Places of the ticks of an axis: three to six round numbers, with zero if the axis has it."""

from __future__ import annotations

from collections.abc import Iterable
from math import ceil, floor, log10

FEWEST, MOST = 3, 6
_STEPS = (5, 2.5, 2, 1)
_PROBITS = (
    (0.001, 0.01, 0.05, 0.2, 0.5, 0.8, 0.95, 0.99, 0.999),
    (0.001, 0.01, 0.1, 0.5, 0.9, 0.99, 0.999),
    (0.01, 0.1, 0.5, 0.9, 0.99),
)
_NEAR = 1e-9


def find_linear_places(low: float, high: float, most: int = MOST) -> list[float]:
    """Find the multiples of the finest round step of which there are no more than `most`.

    >>> find_linear_places(-265.0, 159.0, 4), find_linear_places(0.24, 0.26, 3)
    ([-200.0, -100.0, 0.0, 100.0], [0.24, 0.25, 0.26])
    """
    if not high > low:
        return [low]
    power = floor(log10(high - low)) + 1
    steps = (step * 10.0**k for k in range(power, power - 4, -1) for step in _STEPS)
    multiples = [(step, _find_multiples(step, low, high)) for step in steps]
    candidates = [(step, places) for step, places in multiples if len(places) >= FEWEST]
    fitting = (each for each in reversed(candidates) if len(each[1]) <= most)
    step, places = next(fitting, candidates[0])
    return [float(f"{k * step:.12g}") for k in places]


def find_log_places(low: float, high: float, most: int = MOST) -> list[float]:
    """Find round numbers between two positive ones, even in ratio where so many can be.

    >>> find_log_places(0.8, 30.0), find_log_places(1.0, 2e6, 4), find_log_places(2.1, 4.2, 5)
    ([1.0, 2.0, 5.0, 10.0, 20.0], [1.0, 100.0, 10000.0, 1000000.0], [2.5, 3.0, 3.5, 4.0])
    """
    first, last = floor(log10(low)), ceil(log10(high))
    every = [
        _select_visible((d * 10.0**p for p in range(first, last + 1) for d in digits), low, high)
        for digits in ((1, 2, 5), (1, 3), (1,))
    ]
    every += [every[-1][::step] for step in range(2, last - first + 1)]
    fitting = (places for places in every if FEWEST <= len(places) <= most)
    return next(fitting, None) or find_linear_places(low, high, most)


def find_symlog_places(low: float, high: float, threshold: float, most: int = MOST) -> list[float]:
    """Find zero and powers of ten of both signs, none in the linear part around zero.

    >>> find_symlog_places(-300.0, 2000.0, 5.0, 5), find_symlog_places(-3.0, 4.0, 5.0, 4)
    ([-10.0, 0.0, 10.0, 1000.0], [-2.0, 0.0, 2.0, 4.0])
    """
    first = ceil(log10(threshold) - _NEAR)
    last = floor(log10(max(abs(low), abs(high), threshold)) + _NEAR)
    for step in range(1, max(last - first, 0) + 2):
        sizes = [10.0**power for power in range(last, first - 1, -step)]
        places = _select_visible([*(-size for size in sizes), 0.0, *sizes[::-1]], low, high)
        if FEWEST <= len(places) <= most:
            return places
    return find_linear_places(low, high, most)


def find_probit_places(low: float, high: float, most: int = MOST) -> list[float]:
    """Find round shares that are about even in Normal quantiles.

    >>> find_probit_places(0.001, 0.999), find_probit_places(0.04, 0.6)
    ([0.01, 0.1, 0.5, 0.9, 0.99], [0.05, 0.2, 0.5])
    """
    every = (_select_visible(places, low, high) for places in _PROBITS)
    fitting = (places for places in every if FEWEST <= len(places) <= most)
    return next(fitting, None) or find_linear_places(low, high, most)


def _find_multiples(step: float, low: float, high: float) -> range:
    return range(ceil(low / step - _NEAR), floor(high / step + _NEAR) + 1)


def _select_visible(places: Iterable[float], low: float, high: float) -> list[float]:
    slack = _NEAR * (high - low)
    return [place for place in places if low - slack <= place <= high + slack]
