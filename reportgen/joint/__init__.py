"""Statistics of all models at once, each a `Joint` that a question can hold."""

from reportgen.joint.costs import Prices, costs
from reportgen.joint.prices import SHIFTS

__all__ = ["SHIFTS", "Prices", "costs"]
