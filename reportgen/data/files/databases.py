"""Read the rows that one statement selects from PostgreSQL, SQLite or DuckDB."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager, suppress
from decimal import Decimal
from hashlib import sha256, shake_256
from importlib import import_module
from itertools import chain
from pathlib import Path
from typing import Any
from urllib.parse import quote as quote_url
from uuid import UUID

import pyarrow as pa
import pyarrow.compute as pc
from pyarrow import parquet

from reportgen.data.arrow import TEXT, combine_chunks
from reportgen.data.files.opening import ReadFile
from reportgen.data.files.remote import require_remote
from reportgen.data.requests import SqlRequest
from reportgen.errors import ConfigError, ConfigPath, DatabaseError, DataError, Problem
from reportgen.results.core import InputFile
from reportgen.text import format_foreign_error, quote
from reportgen.version import describe_missing_package

_QUOTED = re.compile(
    r"""--[^\n]*|/\*.*?\*/|'(?:[^']|'')*'|"(?:[^"]|"")*"|\$(?P<tag>\w*)\$.*?\$(?P=tag)\$""",
    re.DOTALL,
)
_READS = re.compile(r"\s*(select|with)\b", re.IGNORECASE)
_WRITES = re.compile(r"\binto\b|\bdelete\s+from\b|\bupdate\s+\S+\s+set\b", re.IGNORECASE)
MOST_ROWS = 10**9
BYTES_OF_A_HASH = 256
ROWS_OF_A_PART = 1 << 17
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
    with _open_rows(sql, statement, shown, at) as reader:
        table = reader.read_all()
    table, texts = _convert_rows(table, sql.id, shown)
    key = table.column_names.index(sql.id) if sql.id in table.column_names else 0
    rows = table.take(_sort_rows([texts[key], *texts[:key], *texts[key + 1 :]]))
    sink = pa.BufferOutputStream()
    with pa.ipc.new_file(sink, rows.schema) as writer:
        writer.write_table(rows)
    data = sink.getvalue().to_pybytes()
    digest = RowsDigest()
    digest.add(table.column_names, texts)
    return ReadFile(
        shown,
        "feather",
        data,
        digest.compute(),
        rows.nbytes,
        len(data),
        statement=sql.shown,
        connection=sql.name or sql.connection,
        driver=sql.driver_name or None,
    )


def copy_database(sql: SqlRequest, shown: str, at: ConfigPath, path: Path) -> InputFile:
    """Copy the rows of a statement, sorted by id, to a Parquet file; never all are in memory."""
    statement = check_statement(sql.statement, shown)
    kind, _, _ = os.environ.get(sql.connection, "").partition("://")
    order = _ORDERS.get("" if sql.driver else kind, "{}")
    name = '"{}"'.format(sql.id.replace('"', '""'))
    statement = f"select * from (\n{statement}\n) as each_row order by {order.format(name)}"
    digest, size, count = RowsDigest(), 0, 0
    with _open_rows(sql, statement, shown, at) as reader, ExitStack() as stack:
        writer = None
        empty = pa.Table.from_batches([], reader.schema)
        for part in chain(_iter_parts(reader), [empty]):
            if not part.num_rows and writer is not None:
                continue
            rows, texts = _convert_rows(part, sql.id, shown, before=count)
            writer = writer or stack.enter_context(parquet.ParquetWriter(path, rows.schema))
            writer.write_table(rows)
            digest.add(rows.column_names, texts)
            size, count = size + rows.nbytes, count + rows.num_rows
    about = (sql.shown, sql.name or sql.connection, sql.driver_name or None)
    return InputFile(shown, "data", digest.compute(), count, size, *about)


def _iter_parts(reader: Any) -> Iterator[Any]:
    """Yield tables of a fixed number of rows, however many a driver sends at a time."""
    held = pa.Table.from_batches([], reader.schema)
    for batch in reader:
        held = pa.concat_tables([held, pa.Table.from_batches([batch])])
        while held.num_rows >= ROWS_OF_A_PART:
            yield held.slice(0, ROWS_OF_A_PART).combine_chunks()
            held = held.slice(ROWS_OF_A_PART)
    if held.num_rows:
        yield held.combine_chunks()


def compute_rows_digest(shown: str, statement: str, connection: str, driver: str) -> str:
    """Run a statement again, and return the digest of its rows, in whatever order they come."""
    sql = SqlRequest(statement, statement, connection, driver=driver)
    return read_database(sql, shown, ()).sha256


def _convert_rows(table: Any, key: str, shown: str, before: int = 0) -> tuple[Any, list[Any]]:
    """Convert rows of a database to plain columns, and to the text of each column."""
    table = table.replace_schema_metadata()
    plain = [_make_plain(column) for column in table.columns]
    names = [str(name) for name in table.schema.names]
    columns = [
        column if name == key else _build_numbers(column, field.type, name, shown, before)
        for name, field, column in zip(names, table.schema, plain, strict=True)
    ]
    return pa.Table.from_arrays(columns, names=names), [_format_texts(column) for column in plain]


@contextmanager
def _open_rows(sql: SqlRequest, statement: str, shown: str, at: ConfigPath) -> Iterator[Any]:
    """Connect to the database that the environment names; yield a reader of Arrow batches."""
    uri = os.environ.get(sql.connection, "")
    kind, _, rest = uri.partition("://")
    name = sql.name or sql.connection
    path = rest.removeprefix("/")
    place = (*at[:2], "connection")
    if not uri or (kind not in _READERS and not sql.driver):
        fact = (
            "is not set; set it to the URI of the database"
            if not uri
            else "must begin with postgresql://, sqlite:/// or duckdb:///, unless driver: is set"
        )
        raise ConfigError([Problem(f"the environment variable {name} {fact}", place)])
    if sql.driver or kind in ("postgresql", "postgres"):
        require_remote(f"connection: {name}", place)
    elif not Path(path).is_file():
        text = f"{name}: there is no such database file; check the path after the ///"
        raise ConfigError([Problem(text, place)])
    if sql.driver:
        opened = _open_by_driver(sql.driver, uri, statement, shown, place)
    else:
        opened = _READERS[kind](uri, path, statement, shown)
    with opened as reader:
        yield reader


def _open_postgres(uri: str, path: str, statement: str, shown: str) -> Opened:
    driver = _import_driver("adbc_driver_postgresql", "postgres", shown)
    statements = ["set transaction read only", statement]
    return _open_by_adbc(driver, shown, statements, _explain_refusal, {"uri": uri})


def _open_sqlite(uri: str, path: str, statement: str, shown: str) -> Opened:
    driver = _import_driver("adbc_driver_sqlite", "sqlite", shown)
    # A column has the type of its first rows, so all rows are the first ones.
    every = {"adbc.sqlite.query.batch_rows": str(MOST_ROWS)}
    given = {"uri": f"file:{quote_url(path)}?mode=ro"}
    return _open_by_adbc(driver, shown, [statement], None, given, **every)


def _open_by_driver(name: str, uri: str, statement: str, shown: str, at: ConfigPath) -> Opened:
    """Open a database by a driver that is installed: a package of Python, or of the system."""
    manager = _import_driver("adbc_driver_manager", "", shown)
    with suppress(ImportError, AttributeError):
        name = import_module(name)._driver_path()  # noqa: SLF001
    given = {"driver": name, "db_kwargs": {"uri": uri}}
    return _open_by_adbc(manager, shown, [statement], None, given)


@contextmanager
def _open_duckdb(uri: str, path: str, statement: str, shown: str) -> Iterator[Any]:
    try:
        import duckdb
    except ImportError:
        raise DataError(describe_missing_package(shown, "duckdb", "duckdb")) from None
    try:
        # Without external access a statement reads this file alone, and no other file or server.
        options = {"enable_external_access": "false"}
        with duckdb.connect(path, read_only=True, config=options) as opened:
            yield pa.RecordBatchReader.from_stream(opened.sql(statement))
    except duckdb.Error as fault:
        raise DataError(f"{shown}: {format_foreign_error(fault)}") from None


Opened = AbstractContextManager[Any]
_READERS: dict[str, Callable[[str, str, str, str], Opened]] = {
    "postgresql": _open_postgres,
    "postgres": _open_postgres,
    "sqlite": _open_sqlite,
    "duckdb": _open_duckdb,
}
_ORDERS = {  # as Arrow orders texts: byte by byte
    "postgresql": 'cast({} as text) collate "C"',
    "postgres": 'cast({} as text) collate "C"',
    "sqlite": "cast({} as text) collate binary",
    "duckdb": "cast({} as varchar)",
}


def _import_driver(name: str, extra: str, shown: str) -> Any:
    try:
        return import_module(f"{name}.dbapi")
    except ImportError:
        package = name.replace("_", "-")
        raise DataError(describe_missing_package(shown, package, extra)) from None


@contextmanager
def _open_by_adbc(
    driver: Any,
    shown: str,
    statements: Sequence[str],
    explain: Callable[[str], str] | None,
    given: Mapping[str, Any],
    **options: str,
) -> Iterator[Any]:
    """Run statements in one transaction, and yield a reader of the rows of the last one.

    What a driver says of a connection may hold parts of its URI, so it is not repeated.
    """
    try:
        connection = driver.connect(**given)
    except driver.Error as fault:
        why = explain(str(fault)) if explain else "cannot be opened"
        raise DatabaseError(f"{shown}: {why}") from None
    try:
        with connection, connection.cursor() as cursor:
            cursor.adbc_statement.set_options(**options)
            for statement in statements:
                cursor.execute(statement)
            yield cursor.fetch_record_batch()
            connection.rollback()
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


class RowsDigest:
    """A digest of rows in whatever order they come: of names, texts and nulls.

    The sum of a hash of each row, modulo 2^2048 (AdHash, Bellare and Micciancio 1997).
    """

    def __init__(self) -> None:
        self._names: list[str] = []
        self._sum = self._count = 0

    def add(self, names: Sequence[str], texts: Sequence[Any]) -> None:
        """Add rows: the texts of each column."""
        places = sorted(range(len(names)), key=lambda place: names[place])
        self._names = [names[place] for place in places]
        for row in zip(*(texts[place].to_pylist() for place in places), strict=True):
            text = json.dumps(row, ensure_ascii=True).encode()
            self._sum += int.from_bytes(shake_256(text).digest(BYTES_OF_A_HASH))
            self._count += 1
        self._sum %= 1 << 8 * BYTES_OF_A_HASH

    def compute(self) -> str:
        """Compute the digest of the rows added so far."""
        text = json.dumps([self._names, self._count, f"{self._sum:x}"], ensure_ascii=True)
        return sha256(text.encode()).hexdigest()


def _build_numbers(column: Any, kind: Any, name: str, shown: str, before: int) -> Any:
    """Build floats from PostgreSQL's `numeric`; refuse digits that a float does not hold."""
    if getattr(kind, "type_name", "") != "numeric":
        return column
    texts = [None if text in (None, "NaN") else text for text in column.to_pylist()]
    lost = [row for row, text in enumerate(texts, 1) if text is not None and not _is_held(text)]
    if lost:
        first = before + lost[0]
        raise DataError(
            f"{shown}: column {quote(name)} has {len(lost):,} of {len(texts):,} values with more "
            f"digits than a double holds (first at row {first}); round them in the statement, "
            f"or cast them: {name}::float8"
        )
    return pa.array([None if text is None else float(text) for text in texts], pa.float64())


def _is_held(text: str) -> bool:
    """Tell whether a float, written in its shortest form, has all digits of a number."""
    return Decimal(repr(float(text))) == Decimal(text)
