"""Counts of first rows, such as the 100 highest scores: no more than there are rows."""

from __future__ import annotations

from collections.abc import Iterator

from reportgen.config import Config, Loaded
from reportgen.data.sample import Sample
from reportgen.errors import ConfigError, Path, Problem
from reportgen.metrics.names import first

COUNTED = {"k", "share", "budget"}
"""The parameters of a metric whose k is a number of rows, whatever else they may be k of."""


def refuse_more_than_all(loaded: Loaded, sample: Sample) -> None:
    """Stop where the first k rows of fewer are asked for: that is a slip, and the metric is empty.

    A budget that is enough for all rows is one, and a segment may have fewer rows than k.
    """
    dataset = loaded.config.datasets[sample.dataset]
    rows = f"{sample.n:,} {dataset.case.nouns[1] if dataset.case else 'rows'}"
    faults = [
        Problem(
            f"{where} asks for the first {k:,}, and {dataset.file} has {rows}; give a k of at most "
            f"{sample.n:,}, or a share",
            at,
            loaded.place(at),
        )
        for where, k, at in _counts(loaded.config)
        if k > sample.n
    ]
    if faults:
        raise ConfigError(faults)


def _counts(config: Config) -> Iterator[tuple[str, int, Path]]:
    """Where a config counts rows, and how many."""
    for name, point in config.thresholds.items():
        if point.k is not None:
            yield f"thresholds.{name}.k", point.k, ("thresholds", name, "k")
    for index, use in enumerate(config.metrics):
        k = use.params.get("k")
        own = {parameter.name for parameter in first(use.name, config.task).parameters}
        if isinstance(k, int) and own >= COUNTED:
            yield f"k of {use.name!r}", k, ("metrics", index, "params", "k")
