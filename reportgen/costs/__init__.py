"""Statistics of all models at once, each a `JointStatistic` that a plan can hold."""

from reportgen.costs.costs import Prices, costs
from reportgen.costs.lines import LINES
from reportgen.costs.methods import Methods
from reportgen.costs.prices import SHIFTS

__all__ = ["LINES", "SHIFTS", "Methods", "Prices", "costs"]
