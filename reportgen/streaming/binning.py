"""Which bins the rows of a dataset are sorted into, from a sample of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from reportgen.kernels.batch import Vector
from reportgen.streaming.grids import ScoreBins, edges_of
from reportgen.streaming.ranked import Binning


def binning_of(models: Sequence[str], sampled: Mapping[str, Vector]) -> Binning:
    """The bins of the scores of models, from those of sampled rows."""
    return ScoreBins({model: edges_of(sampled.get(model, np.empty(0))) for model in models})
