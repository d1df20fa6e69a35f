"""Rows without a class, where it is known of called rows alone: none of them may be called."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import numpy as np
from numpy.typing import NDArray

from reportgen.config import Config
from reportgen.data.sample import Sample
from reportgen.errors import DataError
from reportgen.kernels.cuts import Cutoff, Threshold
from reportgen.text import quoted


def refuse_unlabelled(
    config: Config, sample: Sample, cuts: Mapping[str, Mapping[str, Cutoff]]
) -> None:
    """Stop where a model calls a row whose class nobody knows."""
    if sample.unknown is None:
        return
    faults = [
        f"{config.datasets[sample.dataset].file}: {int(lacks.sum())} of {int(called.sum())} rows "
        f"that {quoted(model)} calls{where} have no "
        f"{quoted(config.datasets[sample.dataset].target)} (first "
        f"{quoted(str(sample.ids[int(np.flatnonzero(lacks)[0])]))}); labelled: called wants one "
        "on every called row"
        for model, where, called in _called(config, sample, cuts)
        for lacks in [called & sample.unknown]
        if lacks.any()
    ]
    if faults:
        raise DataError(*faults)


def _called(
    config: Config, sample: Sample, cuts: Mapping[str, Mapping[str, Cutoff]]
) -> Iterator[tuple[str, str, NDArray[np.bool_]]]:
    """Which rows each model calls, (n,), at each point and at the thresholds of metrics."""
    for model, each in cuts.items():
        score = sample.scores[model]
        for name, cut in each.items():
            if isinstance(cut, Threshold):
                yield model, f" at {quoted(name)}", score >= cut.value
        for use in config.metrics:
            if not use.params.get("at"):
                value = float(use.params.get("threshold", 0.5))
                yield model, f" from {value:g} on", score >= value
