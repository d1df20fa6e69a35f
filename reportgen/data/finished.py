"""Scores that were computed elsewhere: none of them lies where no such score can be."""

from __future__ import annotations

from math import inf

from reportgen.data.aligned import Aligned
from reportgen.data.arrow import Mask
from reportgen.data.request import DatasetRequest
from reportgen.data.table import counted
from reportgen.errors import DataError
from reportgen.text import quoted


def refuse_out_of_range(request: DatasetRequest, columns: tuple[Aligned, ...], kept: Mask) -> None:
    """Report values below the least or above the largest that the scores can be."""
    if request.bounds is None:
        return
    low, high = request.bounds
    faults = []
    for each in columns:
        if each.role != "score" or each.values is None:
            continue
        under = each.values < (-inf if low is None else low)
        bad = kept & (under | (each.values > (inf if high is None else high)))
        if bad.any():
            rows = each.rows(bad)
            faults.append(
                f"{each.table.shown}: column {quoted(each.column)} of model "
                f"{quoted(each.model)} has {counted(len(rows), 'value')} of {int(kept.sum())} "
                f"beyond the bounds of the score (first {each.values[bad][0]:g} at "
                f"{each.table.where(rows[:1])}); mend score.bounds, or the values"
            )
    if faults:
        raise DataError(*faults)
