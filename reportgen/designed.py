"""How the rows of a dataset are drawn: what is resampled together, and within what."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from reportgen.analysis.block_length import block_length, series
from reportgen.analysis.plan import ModelScores, Use
from reportgen.config import Config
from reportgen.data.keys import keys_of
from reportgen.data.sample import Sample
from reportgen.kernels.batch import Index
from reportgen.resampling.design import Design


def design_of(
    config: Config,
    sample: Sample,
    judge: tuple[Use | None, ModelScores | None],
    replicates: int,
) -> Design:
    """What is drawn: clusters, or queries, or blocks of time, or rows, in this order."""
    boot, together = config.bootstrap, sample.together
    design = Design(
        name=sample.dataset,
        n=sample.n,
        replicates=replicates,
        seed=boot.seed,
        weight=sample.weight,
        unit=together.codes.code if together else None,
        stratum=_strata(sample),
        weights_are=boot.weights,
        together=together.kind if together else "cluster",
        keys=_keys(config, sample) if boot.weights == "poisson" else None,
        case="query" if sample.judged is not None else "row",
    )
    if sample.time is None or together is not None:
        return design
    moment = np.unique(sample.time, return_inverse=True)[1].reshape(-1)
    block = boot.block or block_length(series(sample.y, design.weights, *judge), moment)
    return replace(design, unit=moment, block=block)


def _keys(config: Config, sample: Sample) -> NDArray[np.uint64] | None:
    """The keys of the units that are drawn: of clusters by their names, of rows by their ids.

    None where an id names several rows, one for each case that it counts.
    """
    if sample.together is not None:
        return keys_of(sample.together.codes.labels)
    is_counted = config.datasets[sample.dataset].count is not None
    return None if is_counted else keys_of(sample.ids)


def _strata(sample: Sample) -> Index | None:
    """The stratum of each resampling unit: as declared, and within the fold that it lies in.

    Units that lie in several folds, as in several rounds, are drawn within none of these.
    """
    declared = None if sample.strata is None else sample.strata.code
    if sample.together is None:
        return _crossed(declared, None if sample.fold is None else sample.fold.code)
    unit = sample.together.codes.code
    first = np.unique(unit, return_index=True)[1]
    fold = None
    if sample.fold is not None and np.all(sample.fold.code == sample.fold.code[first][unit]):
        fold = sample.fold.code[first]
    return _crossed(None if declared is None else declared[first], fold)


def _crossed(one: Index | None, other: Index | None) -> Index | None:
    """Strata of both kinds at once."""
    if one is None or other is None:
        return other if one is None else one
    both = one * (int(other.max()) + 1) + other
    return np.asarray(np.unique(both, return_inverse=True)[1].reshape(-1), dtype=np.intp)
