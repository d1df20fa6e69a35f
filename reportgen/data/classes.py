"""Columns of classes: the target is 1 or 0, and a probability lies between 0 and 1."""

from __future__ import annotations

import numpy as np

from reportgen.data.arrow import Mask
from reportgen.data.columns import Aligned
from reportgen.data.request import DatasetRequest
from reportgen.data.table import counted
from reportgen.errors import DataError


def refuse_bad_classes(request: DatasetRequest, columns: tuple[Aligned, ...], kept: Mask) -> None:
    """Report a target of two classes with other values, and probabilities that are none."""
    probable = {name for name, model in request.models.items() if model.is_probability}
    faults = []
    for each in columns:
        if each.values is None:
            continue
        if each.role == "y" and request.is_flag:
            bad = kept & ~np.isin(each.values, (0.0, 1.0))
            said = (
                "other than 0 and 1",
                "a target of two classes is 1 (or true) where it happened, else 0",
            )
        elif each.role == "score" and each.model in probable:
            bad = kept & ((each.values < 0) | (each.values > 1))
            said = "outside 0 to 1", "give the model scale: score, if it is no probability"
        else:
            continue
        if bad.any():
            faults.append(_fault(each, bad, kept, *said))
    if faults:
        raise DataError(*faults)


def _fault(each: Aligned, bad: Mask, kept: Mask, what: str, way: str) -> str:
    assert each.values is not None
    rows, of = each.rows(bad), f" of model {each.model!r}" if each.model else ""
    return (
        f"{each.table.shown}: column {each.column!r}{of} has {counted(len(rows), 'value')} of "
        f"{int(kept.sum())} {what} (first {each.values[bad][0]:g} at "
        f"{each.table.where(rows[:1])}); {way}"
    )
