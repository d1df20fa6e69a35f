"""Statistics of all models at once, each a `Joint` that a question can hold."""

from reportgen.joint.costs import Prices, costs

__all__ = ["Prices", "costs"]
