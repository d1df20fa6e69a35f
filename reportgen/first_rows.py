"""Counts of first rows, such as the 100 highest scores: no more than there are rows."""

from __future__ import annotations

from collections.abc import Iterator

from reportgen.config import Config
from reportgen.data.sample import Sample
from reportgen.errors import DataError
from reportgen.metrics.names import first

COUNTED = {"k", "share", "budget"}
"""The parameters of a metric whose k is a number of rows, whatever else they may be k of."""


def refuse_more_than_all(config: Config, sample: Sample) -> None:
    """Stop where the first k rows of fewer are asked for: that is a slip, and the metric is empty.

    A budget that is enough for all rows is one, and a segment may have fewer rows than k.
    """
    dataset = config.datasets[sample.dataset]
    rows = f"{sample.n:,} {dataset.case.nouns[1] if dataset.case else 'rows'}"
    faults = [
        f"{dataset.file}: {where} asks for the first {k:,} of {rows}; give a k below "
        f"{sample.n:,}, or a share"
        for where, k in _counts(config)
        if k > sample.n
    ]
    if faults:
        raise DataError(*faults)


def _counts(config: Config) -> Iterator[tuple[str, int]]:
    """Where a config counts rows, and how many."""
    for name, point in config.thresholds.items():
        if point.k is not None:
            yield f"thresholds.{name}.k", point.k
    for use in config.metrics:
        k = use.params.get("k")
        own = {parameter.name for parameter in first(use.name, config.task).parameters}
        if isinstance(k, int) and own >= COUNTED:
            yield f"k of {use.name!r}", k
