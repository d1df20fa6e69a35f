"""What is told of scores of which a low one says more: turned back to the numbers of the data.

They are turned for the analysis, so that everywhere a higher one says more.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from reportgen.results import CurveResult, Number, OperatingPoint, Results

_ALONG = ("x", "y", "low", "high", "band_low", "band_high", "x_labels", "base")


def turned_back(results: Results) -> Results:
    """The results with the positions of such models in the numbers that the data have."""
    falling = {model.name for model in results.models if model.order != "descending"}
    if not falling:
        return results
    with_scores = {info.curve for info in results.curve_infos if info.has_points}
    along = {i.curve for i in results.curve_infos if {i.curve, i.onto} & with_scores}
    return replace(
        results,
        curves=tuple(
            _backwards(c) if c.curve in along and c.model in falling else c for c in results.curves
        ),
        points=tuple(_point(p) if p.model in falling else p for p in results.points),
    )


def _backwards(curve: CurveResult) -> CurveResult:
    """The curve from its other end, at the scores as they were given."""
    along: dict[str, Any] = {name: getattr(curve, name)[::-1] for name in _ALONG}
    return replace(curve, **{**along, "x": tuple(map(_negative, along["x"]))})


def _point(point: OperatingPoint) -> OperatingPoint:
    return replace(
        point,
        threshold=_negative(point.threshold),
        threshold_low=_negative(point.threshold_high),
        threshold_high=_negative(point.threshold_low),
        lowest_called=_negative(point.lowest_called),
    )


def _negative(value: Number) -> Number:
    return None if value is None else 0.0 - value
