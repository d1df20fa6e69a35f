"""What errors cost where too low and too high do not cost the same, and what is read of it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from reportgen.curves import CURVES, Curve
from reportgen.curves.decision import costs_at, position, shifts_at
from reportgen.curves.feasible import Shifted

CASES = 1000
Shift = Literal["none", "optimal", "fitted"]
SHIFTS: tuple[Shift, Shift] = ("none", "optimal")


@dataclass(frozen=True)
class Prices:
    """The asymmetries asked for, and the money that errors cost.

    `total` is the cost of one unit of y too low plus that of one too high, in `unit`. At the
    asymmetry α the first is α·total and the second (1 − α)·total: money is total/2 times the
    Lin-Lin loss. Without costs of its own, total is 2 and the loss itself is the money. With rows
    to fit (`is_fitted`) there are fitted shifts: a constant, and a polynomial of this `degree`.
    """

    alphas: tuple[float, ...]
    total: float = 2.0
    unit: str = "y"
    is_priced: bool = False
    is_fitted: bool = False
    degree: int = 0

    @property
    def ways(self) -> tuple[Shift, ...]:
        """The ways to act that the decision table compares."""
        return (*SHIFTS, "fitted") if self.is_fitted else SHIFTS

    @property
    def a_case(self) -> float:
        """Money per unit of Lin-Lin loss."""
        return self.total / 2

    @property
    def of_cases(self) -> float:
        """Money per 1,000 cases, per unit of Lin-Lin loss."""
        return CASES * self.a_case

    def pair(self, alpha: float) -> tuple[float, float]:
        """Cost of one unit of y too low, and of one too high."""
        return alpha * self.total, (1 - alpha) * self.total

    @property
    def shifts(self) -> Curve:
        """The best constants at the asymmetries asked for."""
        return shifts_at(self.alphas)

    @property
    def fitted(self) -> Shifted:
        """Shifts that other rows taught, at the asymmetries asked for."""
        return Shifted(self.alphas, degree=self.degree)

    def costs(self, shift: Shift) -> Curve:
        """The losses at the asymmetries asked for."""
        if shift == "fitted":
            return self.fitted.costs
        return costs_at(self.alphas, shift)

    @property
    def parts(self) -> tuple[Curve, ...]:
        """All that is replicated for each model."""
        return (
            position(),
            self.shifts,
            *(self.costs(shift) for shift in self.ways),
            *((self.fitted.constants,) if self.is_fitted else ()),
            *(over_alpha(shift) for shift in SHIFTS),
        )


def over_alpha(shift: Shift) -> Curve:
    """The loss against every asymmetry."""
    return CURVES["cost"].use(shift=shift)
