"""Statistics of all models at once, each a `Joint` that a question can hold."""

from reportgen.joint.costs import Prices, costs
from reportgen.joint.methods import Methods, shift_methods
from reportgen.joint.prices import SHIFTS

__all__ = ["SHIFTS", "Methods", "Prices", "costs", "shift_methods"]
