"""Rows that stand for several cases: a table of counts, read as the cases that it counts."""

from __future__ import annotations

import numpy as np

from reportgen.data.aligned import Aligned
from reportgen.data.arrow import Index
from reportgen.data.rows import Waterfall
from reportgen.data.table import counted
from reportgen.errors import DataError
from reportgen.text import quoted

MOST = 50_000_000  # cases; more of them take more memory than a count column lets one expect


def cases_of(columns: tuple[Aligned, ...], rows: Index, waterfall: Waterfall) -> Index:
    """The places of rows, each as often as it stands for a case; as they are without counts."""
    each = next((c for c in columns if c.role == "count"), None)
    if each is None:
        return rows
    assert each.values is not None
    kept = np.zeros(len(each.values), dtype=bool)
    kept[rows] = True
    bad = kept & ((each.values < 0) | (each.values != np.floor(each.values)))
    if bad.any():
        at = each.rows(bad)
        raise DataError(
            f"{each.table.shown}: count column {quoted(each.column)} has "
            f"{counted(len(at), 'value')} of {len(rows)} below 0 or not whole (first "
            f"{each.values[bad][0]:g} at {each.table.where(at[:1])}); parts of a case are "
            "a weight: name the column there"
        )
    total = float(each.values[rows].sum())
    if not 2 <= total <= MOST:
        cases = counted(int(total), "case")
        way = "two are the least" if total < 2 else f"at most {MOST:,} are read; use weight:"
        raise DataError(
            f"{each.table.shown}: count column {quoted(each.column)} counts {cases}; {way}"
        )
    found = np.repeat(rows, each.values[rows].astype(np.int64))
    waterfall.count(len(found), f"{len(rows):,} rows stand for {quoted(each.column)} cases each")
    return np.asarray(found, dtype=np.intp)
