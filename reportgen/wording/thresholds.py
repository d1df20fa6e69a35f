"""The operating point of a metric in few words."""

from __future__ import annotations

from collections.abc import Collection, Mapping

from reportgen.results import Number, OperatingPoint
from reportgen.wording.calls import exact
from reportgen.wording.names import name

_PLAIN = "threshold"  # what the one threshold of a config is called


def at_point(named: str, declared: object, points: Collection[OperatingPoint]) -> str:
    """At which operating point, and its threshold where that is one for all models and labels.

    `declared` is what the config says of it, `points` what came of it.

    >>> at_point("threshold", {"fixed": 0.5, "by_model": {}}, [])
    'at threshold 0.5'
    >>> at_point("half", {"fixed": 0.5}, [])
    'at half (threshold 0.5)'
    >>> at_point("half", {"fixed": 0.5, "by_model": {"a": 0.4}}, [])
    'at half'
    """
    said = f"at {name(named, 40)}"
    value = _one(declared if isinstance(declared, Mapping) else {}, points)
    if value is None:
        return said
    return f"{said} {exact(value)}" if named == _PLAIN else f"{said} (threshold {exact(value)})"


def _one(declared: Mapping[str, object], points: Collection[OperatingPoint]) -> Number:
    """The threshold of all; None where each has its own, or it moves with the rows."""
    fixed = declared.get("fixed")
    if isinstance(fixed, int | float):
        is_of_all = not (declared.get("by_model") or declared.get("by_class"))
        return fixed if is_of_all else None
    known = {point.threshold for point in points if point.rule == "cost"}
    return known.pop() if len(known) == 1 else None
