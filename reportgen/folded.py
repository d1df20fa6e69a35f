"""Which fit scored each row, from the config and the data."""

from __future__ import annotations

from typing import TypeVar

import numpy as np

from reportgen.analysis.plan import Folding
from reportgen.config import Config
from reportgen.config.datasets import FoldKeys
from reportgen.data.sample import Sample
from reportgen.kernels.batch import Index
from reportgen.rows import Rows

OfRows = TypeVar("OfRows", bound=Rows)


def folding_of(config: Config, sample: Sample) -> Folding | None:
    """The folds of every round; None where one fit scored all rows."""
    if sample.fold is None:
        return None
    dataset, keys = config.datasets[sample.dataset], config.folds or FoldKeys()
    code, names = _numbered(sample)
    units, crossing = _crossing(sample, code)
    return Folding(
        code=code,
        names=names,
        ratio=_ratio(sample, code, keys.train_share),
        is_of_procedure=keys.question == "procedure",
        column=dataset.fold or "",
        repeat=dataset.repeat,
        is_pooled=keys.pool,
        is_mean=keys.average == "folds",
        unit=sample.together.column if sample.together else "",
        units=units,
        crossing=crossing,
    )


def within_folds(config: Config, sample: Sample, rows: OfRows) -> OfRows:
    """The rows with the folds that no order of them may cross, unless the config pools them."""
    if sample.fold is not None and not (config.folds or FoldKeys()).pool:
        rows.fold = _numbered(sample)[0]
        rows.is_fold_mean = config.folds is not None and config.folds.average == "folds"
    return rows


def _numbered(sample: Sample) -> tuple[Index, tuple[tuple[str, str], ...]]:
    """The number of the fold of each row, rounds in their order, and round and fold by number."""
    assert sample.fold is not None
    folds = sample.fold.labels
    of_round = np.zeros(sample.n, np.intp) if sample.repeat is None else sample.repeat.code
    rounds = ("",) if sample.repeat is None else sample.repeat.labels
    both, code = np.unique(of_round * len(folds) + sample.fold.code, return_inverse=True)
    names = tuple((rounds[k // len(folds)], folds[k % len(folds)]) for k in both.tolist())
    return code.reshape(-1).astype(np.intp), names


def _ratio(sample: Sample, code: Index, train_share: float | str) -> float:
    """Rows of a fold over those its model was fitted on, by the mean share of a fold in a round."""
    if not isinstance(train_share, str):
        return (1 - train_share) / train_share
    rounds = 1 if sample.repeat is None else len(sample.repeat.labels)
    share = rounds / (int(code.max()) + 1)
    return share / (1 - share)


def _crossing(sample: Sample, code: Index) -> tuple[int, int]:
    """How many clusters there are, and how many lie in several folds of one round."""
    if sample.together is None:
        return 0, 0
    of_round = np.zeros(sample.n, np.intp) if sample.repeat is None else sample.repeat.code
    unit = sample.together.codes.code
    pairs = np.unique(np.column_stack([unit, of_round, code]), axis=0)
    _, folds = np.unique(pairs[:, :2], axis=0, return_counts=True)
    units = np.unique(pairs[:, :2], axis=0)[:, 0]
    return len(np.unique(unit)), len(np.unique(units[folds > 1]))
