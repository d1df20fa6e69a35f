"""Columns of scores of classes: probabilities lie between 0 and 1, and those of a row sum to 1."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from reportgen.data.arrow import Mask
from reportgen.data.columns import Aligned
from reportgen.data.request import DatasetRequest
from reportgen.data.sample import Vector
from reportgen.data.table import counted
from reportgen.errors import DataError
from reportgen.results import rounded
from reportgen.results.raised import RaisedWarning
from reportgen.text import quoted

ROUNDING = 1e-6  # by which probabilities may miss 1, for each class


def refuse_bad_classes(request: DatasetRequest, columns: tuple[Aligned, ...], kept: Mask) -> None:
    """Report probabilities that are none."""
    probable = {name for name, model in request.models.items() if model.is_probability}
    seen = {each.model for each in columns if each.role == "part"}
    faults = []
    for each in columns:
        is_one = each.role == "part" or (each.role == "score" and each.model not in seen)
        if each.values is None or not is_one or each.model not in probable:
            continue
        bad = kept & ((each.values < 0) | (each.values > 1))
        if bad.any():
            faults.append(_fault(each, bad, kept))
    if faults:
        raise DataError(*faults)


def with_sums(
    request: DatasetRequest, columns: tuple[Aligned, ...], kept: Mask
) -> tuple[tuple[Aligned, ...], tuple[RaisedWarning, ...]]:
    """The columns with the probabilities of each row brought to 1 where that is asked for.

    W206 tells of rows that were not; rows that no config forgives are an error.
    """
    changed, raised, faults = {}, [], []
    for name, model in request.models.items():
        parts = [c for c in columns if c.model == name and c.role == "part"]
        own = [(each, each.values) for each in parts if each.values is not None]
        if not model.is_probability or not own or request.classes is None or request.has_labels:
            continue
        total = np.sum([values for _, values in own], axis=0)
        off = kept & ~(np.abs(total - 1) <= ROUNDING * len(own))
        if not off.any():
            continue
        if model.sums == "error" or (total[off] <= 0).any():
            is_short = request.classes.are_found and bool((total[kept] < 1).all())
            faults.append(_not_one(own[0][0], name, total, off, is_short))
            continue
        divisor = np.where(off, total, 1.0)
        changed.update({id(each): values / divisor for each, values in own})
        worst = float(total[off][np.argmax(np.abs(total[off] - 1))])
        numbers = {"rows": int(off.sum()), "of": int(kept.sum()), "sum": rounded(worst)}
        raised.append(RaisedWarning("W206", numbers, model=name))
    if faults:
        raise DataError(*faults)
    made = (replace(c, values=changed[id(c)]) if id(c) in changed else c for c in columns)
    return tuple(made), tuple(raised)


def absent_classes(request: DatasetRequest, counts: dict[str, int]) -> Iterator[RaisedWarning]:
    """W207: a class that is declared, or found elsewhere, has no row here."""
    if request.classes is None or request.classes.is_two:
        return
    others = sum(n > 0 for n in counts.values())
    for value, n in counts.items():
        if not n:
            name = request.classes.names.get(value, value)
            yield RaisedWarning("W207", {"class": name, "others": others})


def _not_one(each: Aligned, model: str, total: Vector, off: Mask, is_short: bool) -> str:
    rows = each.rows(off)
    return (
        f"{each.table.shown}: probabilities of {quoted(model)} sum to {total[off][0]:.8g} at "
        f"{each.table.where(rows[:1])} (of {counted(len(rows), 'row')} that are off); "
        + "a class that no row has is left out unless classes: names it; else "
        * is_short
        + "sums: normalise in the model divides them by their sum, which is not what the model "
        "said, or scale: score judges their order alone"
    )


def _fault(each: Aligned, bad: Mask, kept: Mask) -> str:
    assert each.values is not None
    rows, of = each.rows(bad), f" of model {quoted(each.model)}" if each.model else ""
    return (
        f"{each.table.shown}: column {quoted(each.column)}{of} has {counted(len(rows), 'value')} "
        f"of {int(kept.sum())} outside 0 to 1 (first {each.values[bad][0]:g} at "
        f"{each.table.where(rows[:1])}); give the model scale: score, if it is no probability"
    )
