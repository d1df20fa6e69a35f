"""Clusters that lie in more than one stratum, which can be drawn within neither; a single fold."""

from __future__ import annotations

import numpy as np

from reportgen.data.request import DatasetRequest
from reportgen.data.sample import Sample
from reportgen.data.table import FileTable
from reportgen.errors import DataError
from reportgen.text import quoted


def refuse_crossing(request: DatasetRequest, table: FileTable, sample: Sample) -> None:
    """Rows that are resampled together are of one stratum."""
    together = sample.together
    if together is None or request.strata is None or sample.strata is None:
        return
    pairs = np.unique(np.column_stack([together.codes.code, sample.strata.code]), axis=0)
    units, strata = np.unique(pairs[:, 0], return_counts=True)
    crossing = units[strata > 1]
    if not len(crossing):
        return
    labels = together.codes.labels
    first = labels[crossing[0]]
    seen = [sample.strata.labels[code] for unit, code in pairs if unit == crossing[0]]
    raise DataError(
        f"{table.shown}: {together.kind} {quoted(first)} of column {quoted(together.column)} lies "
        f"in {len(seen)} strata of column {request.strata.name!r} "
        f"({', '.join(map(quoted, seen[:3]))}{', …' if len(seen) > 3 else ''}), as do "
        f"{len(crossing)} of {len(labels)} in all; rows that are resampled together "
        "must lie in one stratum: remove `strata:`, or name a column that is constant within each"
    )


def refuse_one_fold(table: FileTable, sample: Sample) -> None:
    """Each round has two folds or more: a model was fitted on the rows of the others."""
    if sample.fold is None:
        return
    of_round = np.zeros(sample.n, np.intp) if sample.repeat is None else sample.repeat.code
    for number in np.unique(of_round):
        seen = np.unique(sample.fold.code[of_round == number])
        if len(seen) > 1:
            continue
        where = "" if sample.repeat is None else f" of round {quoted(sample.repeat.labels[number])}"
        raise DataError(
            f"{table.shown}: fold {quoted(sample.fold.labels[seen[0]])}{where} is the only one; a "
            "column of folds says which model scored each row, fitted on the rows of the others: "
            "keep the rows of two folds or more, or remove `fold:`"
        )
