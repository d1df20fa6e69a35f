"""Read the rows that one statement selects from PostgreSQL, SQLite or DuckDB."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable, Sequence
from decimal import Decimal
from hashlib import sha256
from pathlib import Path
from typing import Any
from urllib.parse import quote as quote_url
from uuid import UUID

import pyarrow as pa
import pyarrow.compute as pc

from reportgen.data.arrow import TEXT, combine_chunks
from reportgen.data.files.opening import ReadFile
from reportgen.data.files.remote import require_remote
from reportgen.data.requests import SqlRequest
from reportgen.errors import ConfigError, ConfigPath, DatabaseError, DataError, Problem
from reportgen.text import format_foreign_error, quote
from reportgen.version import format_install_command

_QUOTED = re.compile(
    r"""--[^\n]*|/\*.*?\*/|'(?:[^']|'')*'|"(?:[^"]|"")*"|\$(?P<tag>\w*)\$.*?\$(?P=tag)\$""",
    re.DOTALL,
)
_READS = re.compile(r"\s*(select|with)\b", re.IGNORECASE)
_WRITES = re.compile(r"\binto\b|\bdelete\s+from\b|\bupdate\s+\S+\s+set\b", re.IGNORECASE)
MOST_ROWS = 10**9
LOST = ("no connection to the server", "server closed the connection", "terminating connection")


def check_statement(statement: str, shown: str) -> str:
    """Return a statement without its last semicolon; refuse what is not one that only reads."""
    plain = _QUOTED.sub(lambda found: " " if found[0][0] in "-/" else "''", statement)
    body = plain.rstrip().rstrip(";")
    if ";" in body:
        raise DataError(f"{shown}: holds more than one statement; keep one `select`")
    if not _READS.match(body) or _WRITES.search(body):
        raise DataError(f"{shown}: must be one `select` or `with … select`, and must not write")
    return statement.rstrip().removesuffix(";")


def read_database(sql: SqlRequest, shown: str, at: ConfigPath) -> ReadFile:
    """Run a statement and return its rows, sorted by id, as an Arrow file."""
    statement = check_statement(sql.statement, shown)
    table = _read_rows(sql, statement, shown, at).replace_schema_metadata()
    names = [str(name) for name in table.schema.names]
    plain = [_make_plain(column) for column in table.columns]
    texts = [_format_texts(column) for column in plain]
    key = names.index(sql.id) if sql.id in names else 0
    order = _sort_rows([texts[key], *texts[:key], *texts[key + 1 :]])
    is_id = [name == sql.id for name in names]
    columns = [
        column
        if is_id[place]
        else _build_numbers(column, table.field(place).type, names[place], shown)
        for place, column in enumerate(each.take(order) for each in plain)
    ]
    rows = pa.Table.from_arrays(columns, names=names)
    sink = pa.BufferOutputStream()
    with pa.ipc.new_file(sink, rows.schema) as writer:
        writer.write_table(rows)
    data = sink.getvalue().to_pybytes()
    return ReadFile(
        shown,
        "feather",
        data,
        _compute_digest(names, texts),
        rows.nbytes,
        len(data),
        statement=sql.shown,
        connection=sql.name or sql.connection,
    )


def compute_rows_digest(shown: str, statement: str, connection: str) -> str:
    """Run a statement again, and return the digest of its rows, in whatever order they come."""
    return read_database(SqlRequest(statement, statement, connection), shown, ()).sha256


def _read_rows(sql: SqlRequest, statement: str, shown: str, at: ConfigPath) -> Any:
    """Connect to the database that the environment names, and run a statement."""
    uri = os.environ.get(sql.connection, "")
    kind, _, rest = uri.partition("://")
    name = sql.name or sql.connection
    if kind not in _READERS:
        fact = (
            "is not set; set it to the URI of the database"
            if not uri
            else "must begin with postgresql://, sqlite:/// or duckdb:///"
        )
        text = f"the environment variable {name} {fact}"
        raise ConfigError([Problem(text, (*at[:2], "connection"))])
    if kind in ("postgresql", "postgres"):
        require_remote(f"connection: {name}", (*at[:2], "connection"))
    elif not Path(rest.removeprefix("/")).is_file():
        raise ConfigError(
            [
                Problem(
                    f"{name}: there is no such database file; check the path after the ///",
                    (*at[:2], "connection"),
                )
            ]
        )
    return _READERS[kind](uri, rest.removeprefix("/"), statement, shown)


def _read_postgres(uri: str, path: str, statement: str, shown: str) -> Any:
    driver = _import_driver("adbc_driver_postgresql", "postgres", shown)
    return _read_by_adbc(
        driver, uri, ["set transaction read only", statement], shown, _explain_refusal
    )


def _read_sqlite(uri: str, path: str, statement: str, shown: str) -> Any:
    driver = _import_driver("adbc_driver_sqlite", "sqlite", shown)
    # A column has the type of its first rows, so all rows are the first ones.
    every = {"adbc.sqlite.query.batch_rows": str(MOST_ROWS)}
    return _read_by_adbc(
        driver, f"file:{quote_url(path)}?mode=ro", [statement], shown, None, **every
    )


def _read_duckdb(uri: str, path: str, statement: str, shown: str) -> Any:
    try:
        import duckdb
    except ImportError:
        raise _build_lacking_error("duckdb", shown) from None
    try:
        # Without external access a statement reads this file alone, and no other file or server.
        options = {"enable_external_access": "false"}
        with duckdb.connect(path, read_only=True, config=options) as opened:
            return opened.sql(statement).to_arrow_table()
    except duckdb.Error as fault:
        raise DataError(f"{shown}: {format_foreign_error(fault)}") from None


_READERS: dict[str, Callable[[str, str, str, str], Any]] = {
    "postgresql": _read_postgres,
    "postgres": _read_postgres,
    "sqlite": _read_sqlite,
    "duckdb": _read_duckdb,
}


def _import_driver(name: str, extra: str, shown: str) -> Any:
    from importlib import import_module

    try:
        return import_module(f"{name}.dbapi")
    except ImportError:
        raise _build_lacking_error(extra, shown) from None


def _build_lacking_error(extra: str, shown: str) -> DataError:
    return DataError(f"{shown}: needs a driver; run: {format_install_command(extra)}")


def _read_by_adbc(
    driver: Any,
    uri: str,
    statements: Sequence[str],
    shown: str,
    explain: Callable[[str], str] | None,
    **options: str,
) -> Any:
    """Run statements in one transaction, and return the rows of the last one.

    What a driver says of a connection may hold parts of its URI, so it is not repeated.
    """
    try:
        connection = driver.connect(uri)
    except driver.Error as fault:
        why = explain(str(fault)) if explain else "cannot be opened"
        raise DatabaseError(f"{shown}: {why}") from None
    try:
        with connection, connection.cursor() as cursor:
            cursor.adbc_statement.set_options(**options)
            for statement in statements:
                cursor.execute(statement)
            table = cursor.fetch_arrow_table()
            connection.rollback()
            return table
    except (driver.Error, pa.ArrowException, OSError) as fault:  # the last while rows arrive
        text = format_foreign_error(fault)
        if any(sign in str(fault) for sign in LOST):
            raise DatabaseError(f"{shown}: the connection was lost; run it again") from None
        raise DataError(f"{shown}: {text}") from None


def _explain_refusal(fault: str) -> str:
    """Say why PostgreSQL refused a connection, without what the driver says of the URI."""
    if "authentication failed" in fault or "no password supplied" in fault:
        return "the server refused the user or the password; check the URI in the variable"
    if "does not exist" in fault:
        return "the server has no such user or database; check the URI in the variable"
    return "no PostgreSQL server answers; check the host and port of the URI"


def _make_plain(column: Any) -> Any:
    """Return a column of a type of a database's own, such as `numeric` or `uuid`, as text."""
    kind = column.type
    if not isinstance(kind, pa.BaseExtensionType):
        return column
    chunks = [chunk.storage for chunk in column.chunks]
    stored = pa.chunked_array(chunks, kind.storage_type)
    if kind.extension_name == "arrow.uuid":
        return pa.chunked_array(
            [
                pa.array(
                    [None if v is None else str(UUID(bytes=v)) for v in stored.to_pylist()], TEXT
                )
            ]
        )
    return stored


def _format_texts(column: Any) -> Any:
    """Return a column as text, by which rows are sorted and compared."""
    try:
        return combine_chunks(column, TEXT)
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError):
        values = column.to_pylist()
        return pa.array([None if v is None else json.dumps(v, default=str) for v in values], TEXT)


def _sort_rows(texts: Sequence[Any]) -> Any:
    names = [str(place) for place in range(len(texts))]
    keys = [(name, "ascending") for name in names]
    return pc.sort_indices(pa.Table.from_arrays(list(texts), names=names), sort_keys=keys)


def _compute_digest(names: Sequence[str], texts: Sequence[Any]) -> str:
    """Compute the digest of rows in whatever order they come: of names, texts and nulls."""
    places = sorted(range(len(names)), key=lambda place: names[place])
    order = _sort_rows([texts[place] for place in places])
    digest = sha256()
    for place in places:
        values = texts[place].take(order).to_pylist()
        digest.update(json.dumps([names[place], values], ensure_ascii=True).encode())
    return digest.hexdigest()


def _build_numbers(column: Any, kind: Any, name: str, shown: str) -> Any:
    """Build floats from PostgreSQL's `numeric`; refuse digits that a float does not hold."""
    if getattr(kind, "type_name", "") != "numeric":
        return column
    texts = [None if text in (None, "NaN") else text for text in column.to_pylist()]
    lost = [row for row, text in enumerate(texts, 1) if text is not None and not _is_held(text)]
    if lost:
        raise DataError(
            f"{shown}: column {quote(name)} has {len(lost):,} of {len(texts):,} values with more "
            f"digits than a double holds (first at row {lost[0]}); round them in the statement, "
            f"or cast them: {name}::float8"
        )
    return pa.array([None if text is None else float(text) for text in texts], pa.float64())


def _is_held(text: str) -> bool:
    """Tell whether a float, written in its shortest form, has all digits of a number."""
    return Decimal(repr(float(text))) == Decimal(text)
