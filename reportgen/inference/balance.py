"""How evenly units share the weight: few that weigh much are few units, however many there are.

Kish's effective number (Σw)²/Σw² of units says how many units of equal weight know as much (Kish
1965, Survey Sampling). Where it is small, a standard error from weighted squares is too small and
its t has that many units' degrees of freedom.
"""

from __future__ import annotations

from dataclasses import dataclass

from reportgen.kernels.batch import Vector

FEW = 100  # effective units below which uneven weights widen an interval to speak of
DOMINATING = 0.2  # share of the weight that one of many units may hold


@dataclass(frozen=True)
class Balance:
    """The effective number of so many units, and the largest share of the weight that one holds.

    `excess` is what weighted squares about the weighted mean lack of the variance of that mean,
    beyond the n/(n − 1) that they lack with equal weights.
    """

    units: int
    effective: float
    largest: float
    excess: float

    @property
    def is_uneven(self) -> bool:
        """Whether the weights leave few effective units of many, or one unit dominates."""
        is_few = self.effective < min(FEW, self.units / 2)
        return is_few or self.largest > max(DOMINATING, 3 / max(self.units, 1))


def balance(weight: Vector) -> Balance:
    """The balance of units of some weight each; those without any do not count.

    >>> from numpy import array
    >>> round(balance(array([1.0, 1.0, 0.0, 2.0])).effective, 4)
    2.6667
    """
    weight = weight[weight > 0]
    n = len(weight)
    if not n or float(weight.min()) == float(weight.max()):
        return Balance(n, float(n), 1 / n if n else 1.0, 1.0)
    share = weight / weight.sum()
    squares = share**2
    effective = 1 / float(squares.sum())
    # E Σ h²(d − Σhd)² of independent d of variance 1, where the variance of the mean is Σh².
    left = float(squares @ ((1 - share) ** 2 + (squares.sum() - squares)))
    excess = float(squares.sum()) / left * (n - 1) / n if left > 0 else float("inf")
    return Balance(n, min(effective, float(n)), float(share.max()), excess)
