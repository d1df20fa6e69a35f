"""The rows that a metric judges, as far as intervals ask: how many, how they share the weight."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from reportgen.inference.balance import Balance, balance
from reportgen.kernels.batch import Vector


@dataclass(frozen=True, eq=False)
class JudgedRows:
    """The rows that a metric judges: how many, how many weigh, Σ w, Σ w², Σ w³, the largest w.

    `clusters` (g,) are the weights of their clusters, if rows are in such.
    """

    rows: int
    weighing: int
    weight: float
    squares: float
    cubes: float
    heaviest: float
    clusters: Vector | None

    @property
    def units(self) -> int:
        """How many units there are."""
        return self.weighing if self.clusters is None else len(self.clusters)

    @cached_property
    def balance(self) -> Balance:
        """How evenly the units share the weight."""
        if self.clusters is not None:
            return balance(self.clusters)
        n, w1 = self.weighing, self.weight
        if not w1 > 0:
            return Balance(n, 0.0, 1.0, 1.0)
        squares, cubes = self.squares / w1**2, self.cubes / w1**3
        if abs(n * squares - 1) < 1e-9:
            return Balance(n, float(n), 1 / n, 1.0)
        left = squares - 2 * cubes + squares**2
        excess = squares / left * (n - 1) / n if left > 0 else float("inf")
        return Balance(n, min(1 / squares, float(n)), self.heaviest / w1, float(excess))
