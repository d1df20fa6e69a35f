"""Preview the columns of a file that nobody has described yet."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from reportgen.data.arrow import encode_texts
from reportgen.data.files.source import open_source
from reportgen.data.requests import TableRequest
from reportgen.data.table import MISSING_WORDS, FileTable, has_decimal_comma, parse_flag
from reportgen.data.targets import sort_class_values

MOST_VALUES = 100
Kind = Literal["number", "text", "decimal comma"]


@dataclass(frozen=True)
class ColumnPreview:
    """Summary of what a column holds: how many distinct values, how many missing ones.

    `is_key` says that each row has a value of its own, and none that is half a number; `is_flag`
    that it holds 1 and 0, or true and false, and nothing else; `is_share` numbers from 0 to 1.
    `values` are the different ones, numbers by their size and texts by letters, if they are few.
    """

    name: str
    kind: Kind
    distinct: int
    missing: int
    is_key: bool
    is_flag: bool = False
    is_share: bool = False
    values: tuple[str, ...] = ()


def preview_columns(path: str) -> tuple[ColumnPreview, ...]:
    """Preview each column of a file, in the order of the file; columns of lists are left out."""
    source = open_source(TableRequest(path, path))
    names = list(source.single)
    table = source.read(set(names), set())
    return tuple(_inspect_column(table, name) for name in names if not table.is_nested(name))


def farthest_sum_from_one(path: str, groups: Mapping[str, Sequence[str]]) -> dict[str, float]:
    """Return how far the sum of some columns is from 1 at most, over all rows.

    Rows that lack a value are left out, and so are groups with a column that holds no numbers.
    """
    names = {column for columns in groups.values() for column in columns}
    table = open_source(TableRequest(path, path)).read(names, set())
    found = {}
    for name, columns in groups.items():
        if all(table.holds_numbers(column) for column in columns):
            total = np.sum([table.probabilities(column) for column in columns], axis=0)
            found[name] = float(np.nanmax(np.abs(total - 1), initial=0.0))
    return found


def _inspect_column(table: FileTable, name: str) -> ColumnPreview:
    labels, code = encode_texts(table.texts(name))
    kind: Kind = "number" if table.holds_numbers(name) else "text"
    if kind == "text" and labels and all(map(has_decimal_comma, labels)):
        kind = "decimal comma"
    absent = {k for k, label in enumerate(labels) if kind == "number" and label in MISSING_WORDS}
    missing = int(sum(place < 0 or place in absent for place in code.tolist()))
    distinct = len(labels) - len(absent)
    is_key = distinct == table.rows and not table.is_of_floats(name)
    held = {parse_flag(label) for label in labels if label not in MISSING_WORDS}
    is_share = kind == "number" and all(x is not None and 0 <= x <= 1 for x in held)
    texts = tuple(label for label in labels if kind != "number" or label not in MISSING_WORDS)
    values = tuple(sort_class_values(texts)) if len(texts) <= MOST_VALUES else ()
    return ColumnPreview(
        name, kind, distinct, missing, is_key, held == {0.0, 1.0}, is_share, values
    )
