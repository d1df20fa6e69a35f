"""Differences that vanish with their argument, with all their digits however small it is.

Subtracting would leave rounding alone: of exp(1e-9) − 1 − 1e-9 no digit is right.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Numbers = NDArray[np.float64]
NEAR = 0.5  # in size; beyond it a difference keeps its digits
TERMS = 16  # of each series: what follows is below one rounding


def exp_less_line(x: Numbers) -> Numbers:
    """exp(x) − 1 − x, of any shape.

    >>> [f"{x:.9g}" for x in exp_less_line(np.array([0.0, 1e-9, 1.0]))]
    ['0', '5e-19', '0.718281828']
    """
    is_near = np.abs(x) < NEAR
    small = np.where(is_near, x, 0.0)
    return np.where(is_near, small**2 * _exp_rest(small), np.expm1(x) - x)


def exp_rest(x: Numbers) -> Numbers:
    """(exp(x) − 1 − x)/x², and its limit ½ at 0.

    >>> exp_rest(np.array([0.0, 1.0])).round(12).tolist()
    [0.5, 0.718281828459]
    """
    is_near = np.abs(x) < NEAR
    far = np.where(is_near, 1.0, x)
    return np.where(is_near, _exp_rest(np.where(is_near, x, 0.0)), (np.expm1(far) - far) / far**2)


def log_less_line(x: Numbers) -> Numbers:
    """log(1 + x) − x for x above −1, of any shape.

    >>> log_less_line(np.array([0.0, 1e-9])).round(25).tolist()
    [0.0, -5e-19]
    """
    is_near = np.abs(x) < NEAR
    small = np.where(is_near, x, 0.0)
    ratio = small / (2 + small)  # log(1 + x) = 2(r + r³/3 + r⁵/5 + …)
    square, rest = ratio**2, np.zeros_like(small)
    for term in range(2 * TERMS + 1, 1, -2):
        rest = square * (1 / term + rest)
    return np.where(is_near, ratio * (2 * rest - small), np.log1p(x) - x)


def _exp_rest(x: Numbers) -> Numbers:
    """The sum of 1/2!, x/3!, x²/4! and so on."""
    rest = np.ones_like(x)
    for term in range(TERMS + 2, 2, -1):
        rest = 1 + x / term * rest
    return np.asarray(rest / 2)
