"""Statistics of all models at once, each a `JointStatistic` that a plan can hold."""

from reportgen.costs.cost_model import SHIFTS
from reportgen.costs.costs import CostModel, costs
from reportgen.costs.lines import LINES
from reportgen.costs.methods import Methods

__all__ = ["LINES", "SHIFTS", "CostModel", "Methods", "costs"]
