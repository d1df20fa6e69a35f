"""How far the scores at the top of a model are off, where that is shown."""

from __future__ import annotations

from reportgen import wording
from reportgen.results import CurveResult, Number
from reportgen.selection import Selection

_CURVE = "error_by_rank"


def top_error(found: Selection, curve: CurveResult) -> str:
    """By how much the top bin is off on average, shown or not; "" where rows are too few."""
    if len(curve.x) != curve.params.get("bins") or not curve.x:
        return ""
    error = (curve.y[-1], *_limits(curve))
    return wording.of_top_error(found.label(curve.model), len(curve.x), error, curve.y_unit)


def shown_top_error(found: Selection, model: str) -> str:
    """The same of a model on the main dataset, where the interval leaves out zero; else ""."""
    for curve in found.results.curves:
        mine = (curve.curve, curve.model, curve.baseline, curve.dataset, curve.segment)
        if mine == (_CURVE, model, None, found.main.name, None):
            low, high = _limits(curve)
            is_shown = low is not None and high is not None and (low > 0 or high < 0)
            return top_error(found, curve) if is_shown else ""
    return ""


def _limits(curve: CurveResult) -> tuple[Number, Number]:
    low, high = (bound[-1] if bound else None for bound in (curve.low, curve.high))
    return low, high
