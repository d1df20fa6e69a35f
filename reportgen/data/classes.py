"""Columns of scores of classes: a probability lies between 0 and 1."""

from __future__ import annotations

from reportgen.data.arrow import Mask
from reportgen.data.columns import Aligned
from reportgen.data.request import DatasetRequest
from reportgen.data.table import counted
from reportgen.errors import DataError


def refuse_bad_classes(request: DatasetRequest, columns: tuple[Aligned, ...], kept: Mask) -> None:
    """Report probabilities that are none."""
    probable = {name for name, model in request.models.items() if model.is_probability}
    faults = []
    for each in columns:
        if each.values is None or each.role != "score" or each.model not in probable:
            continue
        bad = kept & ((each.values < 0) | (each.values > 1))
        if bad.any():
            faults.append(_fault(each, bad, kept))
    if faults:
        raise DataError(*faults)


def _fault(each: Aligned, bad: Mask, kept: Mask) -> str:
    assert each.values is not None
    rows, of = each.rows(bad), f" of model {each.model!r}" if each.model else ""
    return (
        f"{each.table.shown}: column {each.column!r}{of} has {counted(len(rows), 'value')} of "
        f"{int(kept.sum())} outside 0 to 1 (first {each.values[bad][0]:g} at "
        f"{each.table.where(rows[:1])}); give the model scale: score, if it is no probability"
    )
