"""Rows of queries in row groups: which of them belong together, and who reads those on a border.

The rows of a query stand together, in the order of the files. One that a row group cuts is read as
a whole with the row group that it begins in; one that comes back later is refused.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import accumulate, pairwise

import numpy as np

from reportgen.data.arrow import Index, is_null
from reportgen.data.groups import GroupedTable, RowGroup
from reportgen.data.keys import Keys, keys_of_array
from reportgen.data.table import FileTable, counted
from reportgen.errors import DataError
from reportgen.text import quoted

TOGETHER = (
    "when streamed, the rows of a query stand together; sort the file by this column, or use "
    "`engine: memory`"
)


@dataclass(frozen=True, eq=False)
class QueryRuns:
    """The queries of a row group: the key of each run of rows, and where it begins, (runs,)."""

    keys: Keys
    begins: Index

    @property
    def head(self) -> int:
        """How many rows the first run has before another begins, or all."""
        return int(self.begins[1])


def runs_in(table: GroupedTable, group: RowGroup, column: str) -> QueryRuns:
    """The queries of a row group; `begins` ends with how many rows there are."""
    texts = table.texts_of(group, column)
    shown = table.locations[group.file].shown
    if (lacking := np.flatnonzero(is_null(texts))).size:
        raise DataError(
            f"{shown}: column {quoted(column)} has {counted(len(lacking), 'missing name')} (first "
            f"at row {group.in_file + int(lacking[0]) + 1}); a query needs one on "
            "every row when streamed"
        )
    keys = keys_of_array(texts)
    begins = begins_of(keys)
    runs = QueryRuns(keys[begins], np.append(begins, len(keys)))
    again = _first_again(runs.keys)
    if again is not None:
        row = int(begins[again])
        raise _again(shown, column, texts[row].as_py(), group.in_file + row + 1)
    return runs


def begins_of(keys: Keys) -> Index:
    """Where a run of equal keys begins, (runs,)."""
    return np.flatnonzero(np.append(True, keys[1:] != keys[:-1]))


def whole_queries(
    table: GroupedTable, runs: Sequence[QueryRuns], column: str
) -> tuple[RowGroup, ...]:
    """The row groups with the rows of each query in one; those that have none left are gone."""
    groups = table.groups
    goes_on = [False, *(a.keys[-1] == b.keys[0] for a, b in pairwise(runs))]
    _refuse_again(table, runs, goes_on, column)
    skips = [each.head if is_on else 0 for each, is_on in zip(runs, goes_on, strict=True)]
    found = []
    for place, group in enumerate(groups):
        if skips[place] == group.rows:
            continue
        more = []
        for later in range(place + 1, len(groups)):
            if not goes_on[later]:
                break
            more.append((groups[later], skips[later]))
            if skips[later] < groups[later].rows:
                break
        rows = group.rows - skips[place] + sum(count for _, count in more)
        # Of a row group that follows some rows are kept, but its first pages are read.
        size = group.size + sum(other.size * count // other.rows for other, count in more)
        size += max((other.size for other, _ in more), default=0) // 3
        parted = replace(group, rows=rows, skip=skips[place], more=tuple(more), size=size)
        found.append(parted)
    before = accumulate((group.rows for group in found), initial=0)
    return tuple(replace(g, before=b) for g, b in zip(found, before, strict=False))


def longest(runs: Sequence[QueryRuns]) -> int:
    """The most rows that a query has, those on both sides of a border together."""
    most = before = 0
    key = None
    for each in runs:
        sizes = np.diff(each.begins)
        if key is not None and each.keys[0] == key:
            sizes[0] += before
        most = max(most, int(sizes.max()))
        key, before = each.keys[-1], int(sizes[-1])
    return most


def last_begin(texts: object) -> int:
    """Where the last query of some rows begins."""
    return int(begins_of(keys_of_array(texts))[-1])


def pieces_of_queries(table: FileTable, column: str, most: int) -> list[tuple[int, int]]:
    """Whole queries of about so many rows: where each piece begins, and how many rows it has."""
    keys = keys_of_array(table.texts(column))
    if not len(keys):
        return []
    ends = np.append(begins_of(keys)[1:], len(keys))
    found, start = list[tuple[int, int]](), 0
    while start < len(keys):
        place = max(int(np.searchsorted(ends, start + most, side="right")) - 1, 0)
        end = int(ends[place])
        if end <= start:
            end = int(ends[np.searchsorted(ends, start, side="right")])
        found.append((start, end - start))
        start = end
    return found


def _refuse_again(
    table: GroupedTable, runs: Sequence[QueryRuns], goes_on: Sequence[bool], column: str
) -> None:
    """Stop at a query that comes back after others."""
    starts = [each.keys[int(is_on) :] for each, is_on in zip(runs, goes_on, strict=True)]
    again = _first_again(np.concatenate(starts))
    if again is None:
        return
    ends = np.cumsum([len(each) for each in starts])
    place = int(np.searchsorted(ends, again, side="right"))
    group, run = table.groups[place], again - int(ends[place]) + len(starts[place])
    row = int(runs[place].begins[run + int(goes_on[place])])
    name = table.texts_of(group, column)[row].as_py()
    raise _again(table.locations[group.file].shown, column, name, group.in_file + row + 1)


def _first_again(keys: Keys) -> int | None:
    """The place of the first key that was there before; None where each is there once."""
    _, first = np.unique(keys, return_index=True)
    if len(first) == len(keys):
        return None
    is_first = np.zeros(len(keys), bool)
    is_first[first] = True
    return int(np.flatnonzero(~is_first)[0])


def _again(shown: str, column: str, name: str, row: int) -> DataError:
    return DataError(
        f"{shown}: query {quoted(name)} of column {quoted(column)} comes back at row {row:,} "
        f"after rows of others; {TOGETHER}"
    )
