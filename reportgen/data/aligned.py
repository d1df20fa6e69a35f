"""A column on the rows of a dataset's own table."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from reportgen.data.arrow import Index, Mask
from reportgen.data.sample import Vector
from reportgen.data.table import FileTable

Role = Literal["y", "flag", "score", "part", "weight", "count", "cost", "name"]


def rows_of(table: FileTable, kept: Mask, position: Index | None) -> Mask:
    """The rows of a table where some rows of the dataset's own stand; they may be the same."""
    if position is None:
        return kept
    found = np.zeros(table.rows, dtype=bool)
    found[position[kept & (position >= 0)]] = True
    return found


@dataclass(frozen=True)
class Aligned:
    """A column on the rows of the dataset's own table.

    `values` has nan where it is missing, and is None for a column of names. `position` says
    where each row stands in the `table` it was read from, if that is another one.
    Values of `classes` are their places among these; on rows that are `unknown` nobody knows them.
    `absent` are words in a column of classes that were read as missing.
    """

    role: Role
    column: str
    table: FileTable
    is_missing: Mask
    values: Vector | None = None
    model: str | None = None
    part: str | None = None
    position: Index | None = None
    classes: tuple[str, ...] = ()
    unknown: Mask | None = None
    absent: tuple[str, ...] = ()

    def rows(self, rows: Mask) -> Index:
        """Where some rows stand in the table that the column was read from."""
        at = np.flatnonzero(rows)
        return at if self.position is None else self.position[at]

    def used(self, rows: Index) -> Vector:
        """The values on some rows."""
        assert self.values is not None
        return np.ascontiguousarray(self.values[rows])
