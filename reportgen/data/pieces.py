"""Part of the rows of a dataset, checked and aligned as all of them are when read at once.

Rows stay in the order of the file: nothing that is found of pieces depends on it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from reportgen.data.arrow import TEXT, Mask, is_null, taken
from reportgen.data.classes import refuse_bad_classes, with_sums
from reportgen.data.columns import Aligned, align, complete, refuse_bad_weights
from reportgen.data.dataset import sample_of
from reportgen.data.densities import refuse_bad_densities
from reportgen.data.keys import Keys, keys_of_array, keys_of_numbers
from reportgen.data.request import DatasetRequest
from reportgen.data.rows import LostRows, Matched, Waterfall
from reportgen.data.sample import Sample
from reportgen.data.table import FileTable, counted
from reportgen.data.tables import Tables
from reportgen.errors import DataError
from reportgen.results import WaterfallStep
from reportgen.results.raised import RaisedWarning

Told = tuple[str, str | None]


@dataclass(frozen=True, eq=False)
class Piece:
    """Some rows with the keys by which they are drawn: of their clusters, or of their ids.

    `ids` are those of the rows themselves. `steps` say which rows went, `losses` why; `asked` are
    all columns that may lack values, each with its model, in their order. `of_sums` tell of
    probabilities that were divided by their sum, `told` counts what
    there is to tell of queries, by model. `units` are keys of units by the name of a column that
    the config does not declare; None where a row lacks one.
    """

    sample: Sample
    keys: Keys
    ids: Keys
    steps: tuple[WaterfallStep, ...]
    losses: tuple[LostRows, ...]
    asked: tuple[tuple[str, str | None], ...]
    of_sums: tuple[RaisedWarning, ...] = ()
    told: Mapping[Told, int] = field(default_factory=dict)
    units: Mapping[str, Keys | None] = field(default_factory=dict)

    @property
    def weight(self) -> NDArray[np.float64]:
        """The weight of each row, (n,)."""
        sample = self.sample
        return np.ones(sample.n) if sample.weight is None else sample.weight


def piece_of(request: DatasetRequest, tables: Tables, before: int, of: int) -> Piece:
    """The rows of a part of the table, the first of which is the one after `before` of `of`."""
    table, waterfall = tables.main, Waterfall(tables.main.rows)
    if tables.filter is not None:
        waterfall.keep("filtered", tables.filter.rows(table), tables.filter.text)
    ids = _ids(request, table, waterfall.kept, before, of)
    matched = Matched(None, waterfall, {})
    columns = align(request, tables, matched)
    complete(request, columns, matched)
    kept = waterfall.kept
    if _weigh(columns, kept):
        refuse_bad_weights(columns, kept)
    refuse_bad_densities(columns, kept)
    refuse_bad_classes(request, columns, kept)
    columns, of_sums = with_sums(request, columns, kept)
    rows = np.flatnonzero(kept)
    nameless = pa.repeat(pa.scalar("", TEXT), table.rows)
    sample = sample_of(request, replace(tables, unnamed=()), columns, nameless, rows)
    keys = own = ids[rows]
    if request.together is not None:
        keys = keys_of_array(taken(table.texts(request.together[1].name), rows))
    asked = tuple((each.column, each.model) for each in columns)
    lost = tuple(waterfall.losses)
    units = dict(_units(table, tables.unnamed, rows))
    return Piece(sample, keys, own, waterfall.finish(), lost, asked, of_sums, units=units)


def _units(
    table: FileTable, names: tuple[str, ...], rows: NDArray[np.intp]
) -> Iterator[tuple[str, Keys | None]]:
    """The columns that may tell units apart."""
    for name in names:
        if not table.is_nested(name) and not table.is_of_floats(name):
            texts = taken(table.texts(name), rows)
            yield name, None if texts.null_count else keys_of_array(texts)


def _ids(request: DatasetRequest, table: FileTable, kept: Mask, before: int, of: int) -> Keys:
    """The keys of the ids of all rows; without a column of ids those of their numbers."""
    column = request.table.id
    if column is None:
        return keys_of_numbers(before + 1, table.rows, len(str(of)))
    if table.is_of_floats(column.name):
        raise DataError(
            f"{table.shown}: id column {column.name!r} holds floating point numbers, which cannot "
            "tell large ids apart; save it as text or as integers"
        )
    texts = table.texts(column.name)
    if (lacking := np.flatnonzero(is_null(texts) & kept)).size:
        many = counted(len(lacking), "missing id")
        raise DataError(
            f"{table.shown}: id column {column.name!r} has {many} "
            f"(first at {table.where(lacking)}); a row without an id cannot be drawn"
        )
    return keys_of_array(texts)


def _weigh(columns: tuple[Aligned, ...], kept: Mask) -> bool:
    """Whether any row of a part weighs: in all of the data some must."""
    weights = [each.values for each in columns if each.role == "weight"]
    return all(values is not None and bool((values[kept] != 0).any()) for values in weights)
