"""Shares told so finely that two which lie near each other are told apart."""

from __future__ import annotations

from math import floor, log10

from reportgen.wording.numbers import percent


def fine_percent(share: float) -> str:
    r"""A share in [0, 1] as percent with three digits, for two that lie near each other.

    >>> fine_percent(0.1745), fine_percent(0.000612), fine_percent(1.0), fine_percent(0.0)
    ('17.4%', '0.0612%', '100%', '0%')
    """
    if not 0 < share < 1:
        return percent(share, 0)
    return percent(share, min(max(0, 2 - floor(log10(100 * share))), 6))
