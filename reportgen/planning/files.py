"""Build the requests for the files of a config."""

from __future__ import annotations

from reportgen.config.loading import LoadedConfig
from reportgen.config.schema.config import Dataset
from reportgen.config.schema.datasets import Scores
from reportgen.data.files.opening import GB
from reportgen.data.requests import ColumnRequest, FileOptions, TableRequest
from reportgen.errors import ConfigPath


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
    most = next((each.max_unpacked for each in written if each.max_unpacked is not None), None)
    return TableRequest(
        path=str(loaded.file(at)),
        shown=loaded.format_value(at),
        id=id_column,
        at=at,
        max_unpacked=None if most is None else round(most * GB),
        options=_build_file_options(written, columns, is_of_rows=not fields),
        printed=loaded.format_file(at),
        is_hidden=loaded.is_hidden(at),
        fields=fields,
    )


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
        is_first_of_equals=isinstance(own, Dataset) and own.duplicates == "first",
    )
