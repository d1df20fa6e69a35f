"""Build the requests for the files of a config."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from reportgen.config.item_shorthand import ItemPreview
from reportgen.config.loading import LoadedConfig
from reportgen.config.schema.config import Dataset
from reportgen.config.schema.datasets import Scores
from reportgen.config.schema.fields import TextFileKeys
from reportgen.config.yaml.tree import Node, Scalar, build_plain_data, get_child, iter_scalars
from reportgen.data.arrow import encode_texts
from reportgen.data.files.evaluations.answers import EXPENSES
from reportgen.data.files.opening import GB
from reportgen.data.files.source import SAMPLE, OpenedSource, open_source
from reportgen.data.requests import ColumnRequest, FileOptions, SqlRequest, TableRequest
from reportgen.data.sample import Vector
from reportgen.data.table import FileTable
from reportgen.errors import ConfigError, ConfigPath, Problem
from reportgen.paths import BUCKET, open_regular
from reportgen.planning.guesses import guess_baseline
from reportgen.text import quote

FILE_KEYS = (*TextFileKeys.model_fields, "delimiter", "columns")
LONGEST_STATEMENT = 1 << 20  # bytes
MOST_MODELS = 30  # in a long table, where the config names none


def build_table_request(
    loaded: LoadedConfig,
    at: ConfigPath,
    id_column: ColumnRequest | None,
    *written: Dataset | Scores,
    fields: tuple[str, ...] = (),
    columns: tuple[str, ...] | None = None,
) -> TableRequest:
    """Build the request for a table; what the first of `written` omits, the next one supplies.

    `columns` name those of a file of `fields`, if they are others and the file does not name them.
    """
    sql = _build_sql_request(loaded, at) if at[-1] in ("sql", "sql_file") else None
    if sql is not None:
        shown = f"database {sql.name} ({at[1]})"
        return TableRequest(".".join(map(str, at)), shown, id_column, at, printed=shown, sql=sql)
    most = next((each.max_unpacked for each in written if each.max_unpacked is not None), None)
    return TableRequest(
        path=loaded.locate(at),
        shown=loaded.format_value(at),
        id=id_column,
        at=at,
        max_unpacked=None if most is None else round(most * GB),
        options=_build_file_options(written, columns, is_of_rows=not fields),
        printed=loaded.format_file(at),
        is_hidden=loaded.is_hidden(at),
        fields=fields,
    )


def find_table_place(dataset: Dataset, at: ConfigPath) -> ConfigPath:
    """Find the place in the config of a dataset's own table."""
    if dataset.labels:
        return (*at, "labels", "path")
    key = "sql" if dataset.sql else "sql_file" if dataset.sql_file else "path"
    return (*at, key)


def _build_sql_request(loaded: LoadedConfig, at: ConfigPath) -> SqlRequest:
    """Build the request for rows of a database."""
    statement, shown = loaded.get_true_text(at), loaded.format_value(at)
    if at[-1] == "sql_file":
        try:
            with open_regular(loaded.file(at)) as file:
                statement = shown = file.read(LONGEST_STATEMENT).decode("utf-8")
        except (OSError, ValueError) as fault:
            text = f"no statement can be read from {loaded.format_value(at)!r}"
            why = f": {fault.strerror}" if isinstance(fault, OSError) else ", which is not UTF-8"
            raise ConfigError([Problem(text + why, at, loaded.place(at))]) from None
    connection, id_name = (loaded.get_true_text((*at[:2], key)) for key in ("connection", "id"))
    name = loaded.format_value((*at[:2], "connection"))
    place = (*at[:2], "driver")
    driver = (loaded.get_true_text(place), loaded.format_value(place))
    return SqlRequest(statement, shown, connection, id_name, name, *driver)


def list_long_models(name: str, node: Node) -> dict[str, str]:
    """List the models of a long table, each with its role: the first or one so named is baseline.

    `node` is what the config says of the dataset of this name.
    """
    request, marks = _build_preview_request(name, node)
    column = get_child(node, "model")
    assert isinstance(column, Scalar)
    model_column = ColumnRequest(column.safe_text, ("datasets", name, "model"), str(column.value))
    with _place_problems({**marks, "model": str(column.mark)}):
        source = open_source(request, {model_column.name: model_column.source})
        if problem := source.problem_with(model_column):
            raise ConfigError([problem])
        return _list_models(source, model_column)


def preview_items(name: str, node: Node) -> ItemPreview:
    """List the models of a file of answers, with their roles, and its scores from 0 to 1.

    Scores are the columns of numbers that the config does not name otherwise.
    """
    request, marks = _build_preview_request(name, node)
    column = get_child(node, "model")
    text = str(column.value) if isinstance(column, Scalar) else "model"
    model_column = ColumnRequest(text, ("datasets", name, "model"), text)
    if isinstance(column, Scalar):
        marks["model"] = str(column.mark)
    with _place_problems(marks):
        source = open_source(replace(request, may_be_logs=True), {})
        if problem := source.problem_with(model_column):
            raise ConfigError([problem])
        models = _list_models(source, model_column)
        item = get_child(node, "id")
        names = {text, SAMPLE, *EXPENSES}
        id_name = str(item.value) if isinstance(item, Scalar) else "id"
        return ItemPreview(models, _find_scores(source, node, names, id_name))


def _find_scores(
    source: OpenedSource, node: Node, named: set[str], id_name: str
) -> tuple[str, ...]:
    """Find the columns of numbers from 0 to 1 that the config names nowhere.

    In a table, a column with one value for each item is known of the item, and is no score.
    """
    texts = {str(each.value) for _, each in iter_scalars(node)}
    names = [each for each in source.single if each not in named | texts]
    table = source.read({*names}, set())
    shares = [each for each in names if each and _is_share(table, each)]
    if source.is_of_logs or id_name not in source.single:
        return tuple(shares)
    ids = encode_texts(source.read({id_name}, set()).texts(id_name))[1]
    return tuple(each for each in shares if varies_within_items(table.flags(each), ids))


def varies_within_items(values: Vector, item: NDArray[np.int64]) -> bool:
    """Tell whether some item, by its number, has two values; where each has one row, any may be."""
    order = np.argsort(item, kind="stable")
    value, code = values[order], item[order]
    is_next = code[1:] == code[:-1]
    return not is_next.any() or bool((is_next & (value[1:] != value[:-1])).any())


def _is_share(table: FileTable, name: str) -> bool:
    if table.is_nested(name) or not table.holds_numbers(name):
        return False
    values = table.flags(name)
    known = values[~np.isnan(values)]
    is_mostly_there = 2 * len(known) > len(values)  # labels of a human are few
    return is_mostly_there and bool(((known >= 0) & (known <= 1)).all())


def _build_preview_request(name: str, node: Node) -> tuple[TableRequest, dict[str, str]]:
    """Build the request for a file before its config is checked, and the places of its keys."""
    path, keys = get_child(node, "path"), build_plain_data(node)
    assert isinstance(path, Scalar) and isinstance(keys, dict)
    text = str(path.value)
    known = {key: keys[key] for key in FILE_KEYS if key in keys}
    most = keys.get("max_unpacked")
    request = TableRequest(
        text if text.startswith(BUCKET) else str(path.mark.source.folder / text),
        path.safe_text,
        at=("datasets", name, "path"),
        max_unpacked=round(float(most) * GB) if isinstance(most, int | float) else None,
        options=_build_file_options((Dataset.model_construct(**known),), None, is_of_rows=True),
        is_hidden=path.secret is not None,
    )
    return request, {"path": str(path.mark)}


@contextmanager
def _place_problems(marks: Mapping[str, str]) -> Iterator[None]:
    """Say where in the config a problem lies, by the last key of its path."""
    try:
        yield
    except ConfigError as error:
        placed = (replace(p, place=marks.get(str(p.at[-1]), p.place)) for p in error.problems)
        raise ConfigError(list(placed)) from None


def _list_models(source: OpenedSource, column: ColumnRequest) -> dict[str, str]:
    """List the values of the column of models, with their roles."""
    texts = source.read({column.name}, set()).texts(column.name)
    models = [text for text in encode_texts(texts)[0] if text is not None]
    if not 0 < len(models) <= MOST_MODELS:
        text = f"column {quote(column.name)} of {source.shown} has {len(models):,} values"
        text += "; name the models to compare under `models:`"
        raise ConfigError([Problem(text, column.at)])
    baseline, _ = guess_baseline(models)
    return {
        name: "baseline" if name == baseline and len(models) > 1 else "candidate" for name in models
    }


def _build_file_options(
    written: tuple[Dataset | Scores, ...], columns: tuple[str, ...] | None, is_of_rows: bool
) -> FileOptions:
    """Build the options of a file: only the delimiter may come from what is written elsewhere."""
    own = written[0]
    delimiter = next((each.delimiter for each in written if each.delimiter is not None), None)
    if is_of_rows:
        columns = own.columns if isinstance(own, Dataset) else own.header
    return FileOptions(
        format=own.format if is_of_rows else None,
        encoding=own.encoding,
        delimiter="\t" if delimiter == "tab" else delimiter,
        decimal=own.decimal,
        thousands=own.thousands,
        columns=columns or (),
        skip_rows=(own.skip_rows or 0) if is_of_rows else 0,
        sheet=own.sheet if is_of_rows else None,
        is_first_of_equals=isinstance(own, Dataset) and own.duplicates == "first",
    )
