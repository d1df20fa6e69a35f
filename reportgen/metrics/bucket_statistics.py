"""Statistics of a bucket beside the mean and the median: those that a file of the user's brings."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from reportgen.kernels.batch import Vector
from reportgen.metrics.parameters import Parameter

Statistic = Callable[[Vector, Vector], float]
BUILT_IN = ("mean", "median")
STATISTICS: dict[str, Statistic] = {}


def bucket_statistic(function: Statistic) -> Statistic:
    """Register f(y, weight) -> float as a `statistic` of metrics and curves of buckets.

    It is called with the y of the rows in a bucket, shape (n,), and the weights that they have
    there, all above zero: a row on an edge has a part of its weight on each side. nan where it does
    not exist.
    """
    name = function.__name__
    if name in BUILT_IN or name in STATISTICS:
        raise ValueError(f"the statistic {name!r} of a bucket is already registered")
    STATISTICS[name] = function
    return function


def offered(parameter: Parameter) -> Parameter:
    """A parameter with the statistics that were registered among its choices, if it is theirs."""
    if parameter.choices != BUILT_IN:
        return parameter
    return replace(parameter, choices=(*BUILT_IN, *STATISTICS))


def brought(params: Mapping[str, Any]) -> list[Statistic]:
    """The functions of the user's that parameters name."""
    return [STATISTICS[name] for name in params.values() if name in STATISTICS]
