"""Build the requests for the files of a config."""

from __future__ import annotations

from dataclasses import replace

from reportgen.config.loading import LoadedConfig
from reportgen.config.schema.config import Dataset
from reportgen.config.schema.datasets import Scores
from reportgen.config.schema.fields import TextFileKeys
from reportgen.config.yaml.tree import Node, Scalar, build_plain_data, get_child
from reportgen.data.arrow import encode_texts
from reportgen.data.files.opening import GB
from reportgen.data.files.source import open_source
from reportgen.data.requests import ColumnRequest, FileOptions, SqlRequest, TableRequest
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
    return SqlRequest(statement, shown, connection, id_name, name)


def list_long_models(name: str, node: Node) -> dict[str, str]:
    """List the models of a long table, each with its role: the first or one so named is baseline.

    `node` is what the config says of the dataset of this name.
    """
    path, column = get_child(node, "path"), get_child(node, "model")
    assert isinstance(path, Scalar) and isinstance(column, Scalar)
    text = str(path.value)
    keys = build_plain_data(node)
    assert isinstance(keys, dict)
    known = {key: keys[key] for key in FILE_KEYS if key in keys}
    at = ("datasets", name)
    request = TableRequest(
        text if text.startswith(BUCKET) else str(path.mark.source.folder / text),
        path.safe_text,
        at=(*at, "path"),
        options=_build_file_options((Dataset.model_construct(**known),), None, is_of_rows=True),
        is_hidden=path.secret is not None,
    )
    model_column = ColumnRequest(column.safe_text, (*at, "model"), str(column.value))
    try:
        source = open_source(request, {model_column.name: model_column.source})
        if problem := source.problem_with(model_column):
            raise ConfigError([problem])
    except ConfigError as error:
        places = {"path": str(path.mark), "model": str(column.mark)}
        raise ConfigError(
            [replace(p, place=places[str(p.at[-1])]) for p in error.problems]
        ) from None
    texts = source.read({model_column.name}, set()).texts(model_column.name)
    models = [text for text in encode_texts(texts)[0] if text is not None]
    if not 0 < len(models) <= MOST_MODELS:
        text = f"column {quote(model_column.name)} of {source.shown} has {len(models):,} values"
        text += "; name the models to compare under `models:`"
        raise ConfigError([Problem(text, model_column.at, str(column.mark))])
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
