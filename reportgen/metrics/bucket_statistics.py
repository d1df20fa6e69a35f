"""Statistics of a bucket beside the mean and the median: those that a file of the user's brings."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any, Literal, get_args

import numpy as np

from reportgen.kernels.batch import Column, Index, Vector
from reportgen.metrics.parameters import Parameter
from reportgen.metrics.slices import DUST

BucketStatistic = Callable[[Vector, Vector], float]
Cut = Callable[[float], Vector]
Average = Literal["mean", "median"]
BUILT_IN = get_args(Average)
STATISTICS: dict[str, BucketStatistic] = {}


def bucket_statistic(function: BucketStatistic) -> BucketStatistic:
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


def of_each_bucket(
    y: Vector, score: Vector, weight: Vector, found: BucketStatistic, cut: Cut, wanted: Index
) -> Vector:
    """What `found` f(y, weight) gives of the rows in each of the `wanted` buckets; nan if none is.

    `cut` f(total) -> (buckets + 1,) gives the edges, as weights of the rows below them.
    """
    column = Column(score)
    tied = np.bincount(column.group, weights=weight, minlength=column.groups)
    high = np.cumsum(tied)
    low = np.append(0.0, high[:-1])
    last = np.flatnonzero(column.is_last) + 1
    first = np.append(0, last[:-1])
    edges = cut(high[-1])
    values = np.full(len(wanted), np.nan)
    for b, (start, stop) in enumerate(zip(edges[wanted], edges[wanted + 1], strict=True)):
        overlap = np.minimum(high, stop) - np.maximum(low, start)
        inside = np.flatnonzero(overlap > DUST * high[-1])
        if len(inside):
            rows = column.order[first[inside[0]] : last[inside[-1]]]
            group = column.group[rows]
            part = overlap[group] / np.where(tied[group] > 0, tied[group], 1.0)
            inside = weight[rows] * part.clip(min=0.0)
            counted = inside > 0
            values[b] = found(y[rows][counted], inside[counted])
    return values


def offered(parameter: Parameter) -> Parameter:
    """A parameter with the statistics that were registered among its choices, if it is theirs."""
    if parameter.choices != BUILT_IN:
        return parameter
    return replace(parameter, choices=(*BUILT_IN, *STATISTICS))


def brought(params: Mapping[str, Any]) -> list[BucketStatistic]:
    """The functions of the user's that parameters name."""
    return [STATISTICS[name] for name in params.values() if name in STATISTICS]
