"""A first look at a file that nobody has described yet, to draft a config from."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import pyarrow.compute as pc

from reportgen.data.request import TableRequest
from reportgen.data.source import open_source
from reportgen.data.table import MISSING, Table

Kind = Literal["id", "number", "text"]


@dataclass(frozen=True)
class ColumnGuess:
    """What a column seems to be, and how many different values it has, missing ones aside."""

    name: str
    kind: Kind
    distinct: int


def peek(path: str) -> tuple[ColumnGuess, ...]:
    """Guess what each column of a file is, in the order of the file.

    A column of ids has a different value on every row, and is one of text, or of digits after a
    leading zero, or the first column of the file. Columns of lists are left out.
    """
    source = open_source(TableRequest(path, path))
    names = list(source.single)
    table = source.read(set(names), set())
    flat = [name for name in names if not table.is_nested(name)]
    return tuple(_guess(table, name, is_first=name == names[0]) for name in flat)


def _guess(table: Table, name: str, *, is_first: bool) -> ColumnGuess:
    is_number = table.holds_numbers(name)
    values = set(pc.unique(table.texts(name)).to_pylist()) - {None}
    distinct = len(values - set(MISSING) if is_number else values)
    may_be_id = not is_number or (is_first and not table.is_of_floats(name))
    if distinct == table.rows and may_be_id:
        return ColumnGuess(name, "id", distinct)
    return ColumnGuess(name, "number" if is_number else "text", distinct)
