"""The class of each row by a second judge, who may have left rows out."""

from __future__ import annotations

import numpy as np

from reportgen.data.arrow import Index
from reportgen.data.request import ColumnRequest
from reportgen.data.sample import Vector
from reportgen.data.table import FileTable
from reportgen.data.targets import Values, refuse_unknown
from reportgen.errors import DataError


def second_codes(
    table: FileTable, column: ColumnRequest | None, classes: tuple[str, ...], rows: Index
) -> Vector | None:
    """The place of each row's class among those of the target, (n,), nan where it has none.

    None if no column is asked for. A class that the target does not know is an error, and so is a
    column without any class.
    """
    if column is None:
        return None
    kept = np.zeros(table.rows, dtype=bool)
    kept[rows] = True
    values = Values.of(table, column.name, classes)
    refuse_unknown(classes, values, kept, "mend them, or leave the field empty")
    found = values.codes(classes)[rows]
    if np.isnan(found).all():
        raise DataError(
            f"{table.shown}: column {column.name!r} names no class on any of the {len(rows):,} "
            "rows; a second judge has to have judged some of them, or take `second_target:` out"
        )
    return found
