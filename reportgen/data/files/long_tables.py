"""Bring a long table, a row for each item and model, into the form of a row for each item."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pyarrow as pa

from reportgen.data.arrow import Index, encode_texts
from reportgen.data.names import Spellings
from reportgen.data.requests import LongRequest
from reportgen.data.table import FileRows, FileTable, format_count, parse_number
from reportgen.errors import DataError
from reportgen.text import quote, quote_value

Encoded = tuple[list[str], Index]  # distinct texts, and each row's index into them


def widen_table(
    table: FileTable, long: LongRequest, names: Collection[str], agreeing: Iterable[str]
) -> FileTable:
    """Return a table with a row for each id, in the order of their first rows.

    Its columns are those of the long one, from each id's first row, and the scores of the models
    `names`, missing where an id has no row of a model. Rows of one id must have the same value in
    each of the `agreeing` columns.
    """
    if long.is_loose:
        spellings = Spellings.from_texts(table.texts(long.id.name))
        table = replace(table, spellings={long.id.name: spellings})
    ids, id_code = encode_named(table, long.id.name)
    models, model_code = encode_named(table, long.model.name)
    way = "keep one row of each pair, such as one with the mean of its scores"
    refuse_repeats(table, (ids, id_code), (models, model_code), None, way)
    _, first = np.unique(id_code, return_index=True)
    first = np.sort(first)
    row_of = np.empty(len(ids), np.int64)
    row_of[id_code[first]] = np.arange(len(first))
    for name in agreeing:
        refuse_disagreement(table, long.id.name, name, first[row_of[id_code]], (ids, id_code))
    dropped = {long.model.name, long.score.name}
    columns = {
        name: join_parts(table, name).take(pa.array(first))
        for name in table.parts[0].columns
        if name not in dropped
    }
    scores = (
        table.texts(long.score.name)
        if long.is_text
        else pa.array(table.probabilities(long.score.name), from_pandas=True)
    )
    for name in names:
        own = np.flatnonzero(model_code == models.index(long.models[name]))
        place = np.full(len(first), -1, np.int64)
        place[row_of[id_code[own]]] = own
        columns[name] = scores.take(pa.array(place, mask=place < 0))
    return replace(table, parts=tuple(split_by_part(table, first, columns)))


def encode_named(table: FileTable, name: str) -> Encoded:
    """Encode a column that must have a value on every row."""
    labels, code = encode_texts(table.texts(name))
    if len(lacking := np.flatnonzero(code < 0)):
        raise DataError(
            f"{table.shown}: column {quote(name)} has no value on {len(lacking)} of "
            f"{table.rows} rows (first at {table.where(lacking)}); a long table needs one on each"
        )
    return labels, code.astype(np.intp)


def refuse_repeats(
    table: FileTable, ids: Encoded, models: Encoded, samples: Encoded | None, way: str
) -> None:
    """Refuse two rows of one id and model, and of one sample where these are numbered."""
    keys = ids[1] * len(models[0]) + models[1]
    if samples is not None:
        keys = keys * len(samples[0]) + samples[1]
    order = np.argsort(keys, kind="stable")
    again = order[1:][keys[order[1:]] == keys[order[:-1]]]
    if not len(again):
        return
    row = int(again.min())
    rows = np.flatnonzero(keys == keys[row])
    of_sample = "" if samples is None else f", sample {quote_value(samples[0][samples[1][row]])}"
    raise DataError(
        f"{table.shown}: id {quote_value(ids[0][ids[1][row]])} has {len(rows)} rows of model "
        f"{quote(models[0][models[1][row]])}{of_sample} ({table.where(rows)}; "
        f"{format_count(len(again), 'such repeat')} in all); {way}"
    )


def refuse_disagreement(
    table: FileTable, id_name: str, name: str, first: Index, ids: Encoded
) -> None:
    """Refuse rows whose value of a column is not that of their id's first row."""
    labels, code = encode_texts(table.texts(name))
    other = np.flatnonzero(code != code[first])
    texts = [*labels, ""]
    wrong = [row for row in other if not _are_equal(texts[code[row]], texts[code[first[row]]])]
    if wrong:
        row = int(wrong[0])
        raise DataError(
            f"{table.shown}: id {quote_value(ids[0][ids[1][row]])} has two values of column "
            f"{quote(name)} ({table.where(np.array([first[row], row]))}); all rows of an id in "
            f"column {quote(id_name)} must have the same"
        )


def _are_equal(one: str, other: str) -> bool:
    """Tell whether two texts are the same number."""
    number = parse_number(one)
    return bool(one and other) and number is not None and number == parse_number(other)


def join_parts(table: FileTable, name: str) -> Any:
    """Join a column of all files."""
    columns = []
    for part in table.parts:
        values = part.columns[name]
        is_encoded = pa.types.is_dictionary(values.type)
        columns.append(
            pa.table({name: values.cast(values.type.value_type) if is_encoded else values})
        )
    return pa.concat_tables(columns, promote_options="permissive").column(name)


def split_by_part(table: FileTable, first: Index, columns: dict[str, Any]) -> list[FileRows]:
    """Give each row to the file that its first row stands in, so that messages name its line."""
    parts, before = [], 0
    for part in table.parts:
        start, end = np.searchsorted(first, [before, before + part.rows])
        own = (first[start:end] - before).tolist()
        before += part.rows
        if not own:
            continue

        def count(rows: Sequence[int], part: FileRows = part, own: list[int] = own) -> list[int]:
            return part.count([own[row] for row in rows])

        cut = {name: values.slice(start, end - start) for name, values in columns.items()}
        parts.append(replace(part, rows=len(own), columns=cut, count=count))
    return parts
