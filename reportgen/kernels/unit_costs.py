"""What errors cost where that differs by row."""

from __future__ import annotations

from dataclasses import dataclass

from reportgen.kernels.batch import Index, Vector


@dataclass(frozen=True, eq=False)
class UnitCosts:
    """What one unit too low, and one too high, costs on each row: at least 0, (n,) each."""

    under: Vector
    over: Vector

    def take(self, index: Index) -> UnitCosts:
        """Those of some of the rows."""
        return UnitCosts(self.under[index], self.over[index])
