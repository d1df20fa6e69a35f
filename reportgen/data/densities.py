"""Columns that give a density with each score: a spread is not negative, quantiles rise."""

from __future__ import annotations

import re
from itertools import pairwise

from reportgen.data.arrow import Mask
from reportgen.data.columns import Aligned
from reportgen.data.table import counted
from reportgen.errors import DataError
from reportgen.text import quoted

_QUANTILE = re.compile(r"q(\d+(?:\.\d+)?)")


def refuse_bad_densities(columns: tuple[Aligned, ...], kept: Mask) -> None:
    """Report every model whose `sd` is negative or whose quantile columns cross."""
    parts = [each for each in columns if each.role == "part" and each.values is not None]
    faults = [fault for each in parts if each.part == "sd" if (fault := _negative(each, kept))]
    for model in dict.fromkeys(each.model for each in parts):
        levels = [(float(m[1]), each) for each in parts if each.model == model
                  if (m := _QUANTILE.fullmatch(each.part or ""))]  # fmt: skip
        ordered = [each for _, each in sorted(levels, key=lambda pair: pair[0])]
        faults += [fault for pair in pairwise(ordered) if (fault := _crossed(*pair, kept))]
    if faults:
        raise DataError(*faults)


def _negative(each: Aligned, kept: Mask) -> str:
    assert each.values is not None
    bad = kept & (each.values < 0)
    if not bad.any():
        return ""
    rows = each.rows(bad)
    return (
        f"{each.table.shown}: column {quoted(each.column)}, the sd of model "
        f"{quoted(each.model)}, has {counted(len(rows), 'negative value')} of {int(kept.sum())} "
        f"(first {each.values[bad][0]:g} at {each.table.where(rows[:1])}); a standard deviation "
        "is 0 or more"
    )


def _crossed(low: Aligned, high: Aligned, kept: Mask) -> str:
    assert low.values is not None and high.values is not None
    bad = kept & (low.values > high.values)
    if not bad.any():
        return ""
    rows = low.rows(bad)
    return (
        f"{low.table.shown}: quantiles of model {quoted(low.model)} cross: {low.part} (column "
        f"{quoted(low.column)}) is above {high.part} (column {quoted(high.column)}) in "
        f"{counted(len(rows), 'row')} of {int(kept.sum())} (first {low.values[bad][0]:g} above "
        f"{high.values[bad][0]:g} at {low.table.where(rows[:1])}); sort them within each row"
    )
