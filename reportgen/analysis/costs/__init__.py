"""Decisions under asymmetric costs: which model, with which shift of its scores."""

from reportgen.analysis.costs.cost_model import DEPLOYABLE_SHIFTS
from reportgen.analysis.costs.decisions import CostModel, cost_statistic
from reportgen.analysis.costs.rroc_plane import LINES
from reportgen.analysis.costs.shift_methods import Methods

__all__ = ["DEPLOYABLE_SHIFTS", "LINES", "CostModel", "Methods", "cost_statistic"]
