"""The lines of costs that belong to all models, and how each is told and drawn.

A line without a title is drawn by a figure of its own, which words it.
"""

from __future__ import annotations

from reportgen.results import CurveInfo

RROC_CONSTANT = CurveInfo(
    "rroc_constant",
    topic="costs",
    place=20,
    title="any constant",
    onto="rroc",
    of_target=True,
)
RROC_HULL = CurveInfo(
    "rroc_hull",
    topic="costs",
    place=30,
    title="hull of all",
    onto="rroc",
    of_target=True,
)
COST_CONSTANT = CurveInfo(
    "cost_constant",
    topic="costs",
    place=50,
    title="any constant",
    onto="cost",
    of_target=True,
)
COST_ENVELOPE = CurveInfo("cost_envelope")
RROC_PATH = CurveInfo("rroc_path")
COST_GAP = CurveInfo("cost_gap")
RROC_REGION = CurveInfo("rroc_region")
RROC_ISOMETRIC = CurveInfo("rroc_isometric")
RROC_POINTS_HULL = CurveInfo("rroc_points_hull")

LINES = (
    RROC_CONSTANT,
    RROC_HULL,
    COST_CONSTANT,
    COST_ENVELOPE,
    RROC_PATH,
    COST_GAP,
    RROC_REGION,
    RROC_ISOMETRIC,
    RROC_POINTS_HULL,
)
