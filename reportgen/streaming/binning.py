"""Which bins the rows of a dataset are sorted into, from a sample of them."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from reportgen.kernels.batch import Vector
from reportgen.metrics.spec import Metric
from reportgen.streaming.grids import ScoreBins, edges_of
from reportgen.streaming.layout import Of
from reportgen.streaming.pair_bins import bytes_of_pairs, pair_bins_of
from reportgen.streaming.ranked import Binning, line_of


def is_of_pairs(ranked: Mapping[Of, Metric]) -> bool:
    """Whether metrics are found from bins of target and score."""
    lines = (line_of(metric) for metric in ranked.values())
    return any(line is not None and line.measure != "roc_auc" for line in lines)


def bytes_of(ranked: Mapping[Of, Metric], is_weighted: bool) -> float:
    """About how many bytes the bins take in which rows are counted, whatever the rows."""
    models = len({model for _, model in ranked})
    return bytes_of_pairs(models, is_weighted) if is_of_pairs(ranked) else 0.0


def binning_of(
    ranked: Mapping[Of, Metric], sampled: Mapping[str, Vector], is_weighted: bool
) -> Binning:
    """The bins of each model that metrics of it are found from, as values of sampled rows cut them.

    Two classes ask for bins of the score, amounts for bins of target and score.
    """
    models = list(dict.fromkeys(model for _, model in ranked))
    if is_of_pairs(ranked):
        return pair_bins_of(models, sampled, is_weighted)
    return ScoreBins({model: edges_of(sampled.get(model, np.empty(0))) for model in models})
