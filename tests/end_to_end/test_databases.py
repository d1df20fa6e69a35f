"""Rows of a database are those of a file, nothing is written to it, and no password is printed."""

from __future__ import annotations

import json
import os
import socket
import sqlite3
import threading
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from reportgen.config.secrets import list_uri_secrets
from reportgen.data.files import databases
from reportgen.data.files.databases import RowsDigest, check_statement
from reportgen.errors import DataError
from tests.end_to_end.postgres import PASSWORD
from tests.end_to_end.sources import (
    BY_SQL,
    DATASET,
    FILES,
    MODELS,
    make_rows,
    put_duckdb,
    put_sqlite,
    read_numbers,
    run,
    set_keys,
)
from tests.end_to_end.wallet import heard


def test_the_manifest_has_the_statement(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WAREHOUSE", put_sqlite(tmp_path))
    assert run(tmp_path, datasets={"d": BY_SQL}, models=MODELS)[0] == 0
    [rows] = json.loads((tmp_path / "out" / "manifest.json").read_text())["inputs"]
    assert (rows["statement"], rows["connection"]) == (BY_SQL["sql"], "WAREHOUSE")
    assert rows["rows"] == len(make_rows())


def test_a_changed_row_is_found_by_verify(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WAREHOUSE", put_sqlite(tmp_path))
    assert run(tmp_path, datasets={"d": BY_SQL}, models=MODELS)[0] == 0
    with sqlite3.connect(tmp_path / "t.db") as opened:
        opened.execute("update scores set new = 0 where id = 3")
    opened.close()
    code, out, _ = heard("verify", "out", "--inputs", tmp_path, cwd=tmp_path)
    assert (code, out) == (1, "database WAREHOUSE (d): changed\n")


def test_a_statement_may_stand_in_a_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, expected: dict[str, Any]
) -> None:
    monkeypatch.setenv("WAREHOUSE", put_sqlite(tmp_path))
    (tmp_path / "q.sql").write_text(
        "-- all; rows\nwith s as (select * from scores)\nselect * from s;\n"
    )
    source = {key: value for key, value in BY_SQL.items() if key != "sql"} | {"sql_file": "q.sql"}
    assert run(tmp_path, datasets={"d": source}, models=MODELS)[0] == 0
    assert read_numbers(tmp_path) == expected


@pytest.mark.parametrize(
    "statement",
    [
        "select 1; drop table scores",
        "drop table scores",
        "with x as (delete from scores returning id) select * from x",
        "update scores set y = 1",
        "with x as (select 1) insert into scores select 1, 1, 1, 1, 'a'",
        "select * into other from scores",
        "",
    ],
)
def test_a_statement_that_does_more_than_read_is_refused(statement: str) -> None:
    with pytest.raises(DataError):
        check_statement(statement, "d")


@pytest.mark.parametrize(
    "statement",
    [
        "select ';' as into_, \"delete from\" from t -- ; drop",
        "/* ; */ WITH a AS (SELECT 1) SELECT * FROM a;\n",
        "select replace(a, $$;into$$, 'x') from t",
    ],
)
def test_a_statement_that_reads_is_accepted(statement: str) -> None:
    assert check_statement(statement, "d") == statement.rstrip().removesuffix(";")


@pytest.mark.parametrize("kind", FILES)
@pytest.mark.parametrize(
    "change",
    [
        {"sql": "select nope from scores"},
        {"sql": "select * from no"},
        {"sql": "select * from scores; drop table scores"},
        {"sql": "delete from scores"},
    ],
)
def test_a_statement_that_fails_is_one_line(
    kind: str, change: dict[str, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("WAREHOUSE", FILES[kind](tmp_path))
    code, error = run(tmp_path, datasets={"d": BY_SQL | change}, models=MODELS)
    assert code == 3 and error.count("\n") == 1
    assert error.startswith("database WAREHOUSE (d): ")


def test_a_statement_of_duckdb_reads_no_other_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("WAREHOUSE", put_duckdb(tmp_path))
    (tmp_path / "other.csv").write_text("id,y,old,new,day\n1,1,1,1,a\n")
    source = BY_SQL | {"sql": f"select * from read_csv('{tmp_path / 'other.csv'}')"}
    code, error = run(tmp_path, datasets={"d": source}, models=MODELS)
    assert code == 3 and error.count("\n") == 1


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"connection": "postgresql://me:hunter22@h/db"}, "names an environment variable"),
        ({"connection": None}, "add connection: WAREHOUSE"),
        ({"id": None}, "has no 'id', by which rows of a database are sorted"),
        ({"path": "a.csv"}, "has path and sql; keep one of them"),
        ({"sql": None, "path": "a.csv"}, "goes with sql or sql_file"),
        ({"connection": "NO_SUCH_NAME"}, "the environment variable NO_SUCH_NAME is not set"),
        ({"connection": "STRANGE"}, "STRANGE must begin with postgresql://"),
        ({"connection": "GONE"}, "GONE: there is no such database file"),
        ({"sql": None, "sql_file": "no.sql"}, "no statement can be read from 'no.sql'"),
    ],
)
def test_a_wrong_source_is_refused_without_its_uri(
    change: dict[str, Any], message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("WAREHOUSE", put_sqlite(tmp_path))
    monkeypatch.setenv("STRANGE", "mysql://me:hunter22@h/db")
    monkeypatch.setenv("GONE", f"sqlite:///{tmp_path / 'gone.db'}")
    source = {key: value for key, value in (BY_SQL | change).items() if value is not None}
    code, error = run(tmp_path, datasets={"d": source}, models=MODELS)
    assert code == 2 and message in error and "hunter22" not in error, error


def test_a_uri_on_the_command_line_is_refused_without_its_password(tmp_path: Path) -> None:
    uri = "postgresql://me:hunter22@h/db"
    words = ("--set", f"datasets.d.connection={uri}")
    code, error = run(tmp_path, *words, datasets={"d": BY_SQL}, models=MODELS)
    assert code == 2 and "hunter22" not in error


def test_without_permission_no_connection_is_opened(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    reached = threading.Event()
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]

        def wait() -> None:
            try:
                listener.accept()[0].close()
                reached.set()
            except OSError:
                pass

        waiting = threading.Thread(target=wait, daemon=True)
        waiting.start()
        monkeypatch.setenv("WAREHOUSE", f"postgresql://me:hunter22@127.0.0.1:{port}/db")
        code, error = run(tmp_path, datasets={"d": BY_SQL}, models=MODELS)
        assert code == 2 and "add --allow-remote" in error and "hunter22" not in error
        assert not reached.wait(0.2)
        code, error = run(tmp_path, "--allow-remote", datasets={"d": BY_SQL}, models=MODELS)
        assert code == 4 and reached.wait(5) and "hunter22" not in error
        assert error.count("\n") == 1
        waiting.join(5)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (
            (PASSWORD, "wrong-one"),
            "the server refused the user or the password; check the URI in the variable",
        ),
        (
            (f":{PASSWORD}", ":a@b:c#d"),
            "no PostgreSQL server answers; check the host and port of the URI",
        ),
        (
            ("/postgres", "/nothing"),
            "the server has no such user or database; check the URI in the variable",
        ),
    ],
)
def test_a_refused_connection_is_one_line(
    change: tuple[str, str],
    message: str,
    postgres: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    uri = change[1].join(postgres.rsplit(change[0], 1))
    monkeypatch.setenv("WAREHOUSE", uri)
    code, error = run(tmp_path, "--allow-remote", datasets={"d": BY_SQL}, models=MODELS)
    assert (code, error) == (4, f"database WAREHOUSE (d): {message}\n")


@pytest.mark.parametrize(
    ("statement", "code", "message"),
    [
        ("select pg_terminate_backend(pg_backend_pid())", 4, "the connection was lost"),
        ("select nope from scores", 3, 'column "nope" does not exist'),
        ("select nextval('written'), * from scores", 3, "in a read-only transaction"),
        ("select set_config('application_name', 'x', false), id from scores", 2, "no column 'y'"),
        ("select id, y, y old, y as new, at as day from odd", 3, "more digits than a double holds"),
    ],
)
def test_a_statement_that_fails_on_a_server_is_one_line(
    statement: str,
    code: int,
    message: str,
    postgres: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("WAREHOUSE", postgres)
    source = {**BY_SQL, "sql": statement}
    found, error = run(tmp_path, "--allow-remote", datasets={"d": source}, models=MODELS)
    assert found == code and message in error and PASSWORD not in error, error
    assert code == 2 or error.count("\n") == 1


def test_types_of_postgres_are_read(postgres: str, monkeypatch: pytest.MonkeyPatch) -> None:
    from reportgen.data.files.databases import read_database
    from reportgen.data.files.remote import permit_remote
    from reportgen.data.requests import SqlRequest

    monkeypatch.setenv("WAREHOUSE", postgres)
    statement = "select * from odd where id = 1"
    with permit_remote(True):
        file = read_database(SqlRequest(statement, statement, "WAREHOUSE", "id"), "d", ())
    [row] = pa.ipc.open_file(file.data).read_all().to_pylist()
    assert (row["id"], row["y"], row["labels"]) == (1, 0.1, ["a", "b"])
    assert row["at"].isoformat() == "2024-01-01T08:00:00+00:00"


def test_a_missing_driver_names_what_to_install(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import sys

    monkeypatch.setenv("WAREHOUSE", put_sqlite(tmp_path))
    monkeypatch.setitem(sys.modules, "adbc_driver_sqlite.dbapi", None)
    code, error = run(tmp_path, datasets={"d": BY_SQL}, models=MODELS)
    assert code == 3 and "run: pip install 'adbc-driver-sqlite>=1.6'" in error


@pytest.mark.parametrize(
    ("path", "code", "message"),
    [
        ("s3://bucket/nothing/", 4, "there is no such bucket, folder or file"),
        ("s3://key:hunter22@bucket/scores/", 2, "must look like s3://bucket/folder/"),
        ("s3://bucket/*.tsv", 2, "no file matches 's3://bucket/*.tsv'"),
        ("s3://bucket/scores/?.csv", 2, "must look like s3://bucket/folder/"),
    ],
)
def test_a_wrong_path_of_a_bucket_is_one_line(
    path: str,
    code: int,
    message: str,
    bucket: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    set_keys(monkeypatch, bucket)
    source = {"d": {**DATASET, "path": path}}
    found, error = run(tmp_path, "--allow-remote", datasets=source, models=MODELS)
    assert found == code and message in error and error.count("\n") == 1, error
    assert "hunter22" not in error


def test_secrets_of_a_uri_are_its_password_in_all_forms() -> None:
    assert list_uri_secrets("postgresql://u:p%40ss@h/d")[1:] == ["p%40ss", "p@ss"]
    assert list_uri_secrets("postgresql://h/d?user=u&password=pw")[1:] == ["pw"]
    assert list_uri_secrets("postgresql://u:a@b:c@h/d")[1:] == ["a@b:c"]
    assert os.environ.get("WAREHOUSE") is None


def test_validate_and_freeze_know_a_database(
    postgres: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("WAREHOUSE", postgres)
    assert run(tmp_path, datasets={"d": BY_SQL}, models=MODELS)[0] == 2  # writes c.yaml
    validate = ("validate", "c.yaml", "--data")
    code, _, error = heard(*validate, cwd=tmp_path)
    assert code == 2 and "add --allow-remote" in error
    assert heard(*validate, "--allow-remote", cwd=tmp_path)[0] == 0
    assert heard("freeze", "c.yaml", cwd=tmp_path)[0] == 0
    code, _, error = heard("freeze", "c.yaml", "--scores", cwd=tmp_path)
    assert code == 2 and "scores in a database cannot be frozen" in error


def test_a_fault_of_ours_tells_no_password(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(path: str, *_: object) -> None:
        raise KeyError(f"postgresql://me:hunter22@h/{path}")

    monkeypatch.setenv("WAREHOUSE", "postgresql://me:hunter22@h/db")
    monkeypatch.setitem(databases._READERS, "postgresql", fail)
    code, error = run(tmp_path, "--allow-remote", datasets={"d": BY_SQL}, models=MODELS)
    assert code == 101 and "hunter22" not in error


def test_a_column_of_sqlite_may_begin_with_integers(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with sqlite3.connect(tmp_path / "t.db") as opened:
        opened.execute("create table scores (id, y, old, new, day)")
        rows = [(k, k if k < 1500 else k + 0.5, 0, 0, "a") for k in range(3000)]
        opened.executemany("insert into scores values (?, ?, ?, ?, ?)", rows)
        opened.execute("update scores set old = y * 0.8 + id % 11, new = y + id % 7")
    opened.close()
    monkeypatch.setenv("WAREHOUSE", f"sqlite:///{tmp_path / 't.db'}")
    code, error = run(tmp_path, datasets={"d": BY_SQL}, models=MODELS)
    assert code == 0, error
    with sqlite3.connect(tmp_path / "t.db") as opened:
        opened.execute("update scores set y = 'high' where id = 7")
    opened.close()
    code, error = run(tmp_path, datasets={"d": BY_SQL}, models=MODELS)
    assert code == 3 and "has text instead of numbers" in error and error.count("\n") == 1


@pytest.mark.parametrize(
    ("source", "what"),
    [
        (BY_SQL, "datasets.d.sql"),
        ({**DATASET, "path": "s3://bucket/scores/"}, "datasets.d.path"),
    ],
)
def test_dask_reads_parquet_only_and_says_so(
    source: dict[str, Any], what: str, tmp_path: Path
) -> None:
    keys = {"compute": {"engine": {"dask": "tcp://h:1"}}, "bootstrap": {"weights": "poisson"}}
    code, error = run(tmp_path, datasets={"d": source}, models=MODELS, metrics=["mae"], **keys)
    assert code == 2 and error.count("\n") == 1
    way = "is on a server, and Dask reads Parquet files only; use `engine: stream`"
    assert f"{what} {way}" in error


def test_a_long_table_is_not_streamed(tmp_path: Path) -> None:
    keys = {"compute": {"engine": "stream"}, "bootstrap": {"weights": "poisson"}}
    source = {"d": {**DATASET, "model": "m", "score": "p"}}
    code, error = run(tmp_path, datasets=source, models=MODELS, metrics=["mae"], **keys)
    assert code == 2 and error.count("\n") == 1
    assert "datasets.d.model is not offered when streamed" in error


def test_a_driver_is_one_that_is_installed_and_needs_permission(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, expected: dict[str, Any]
) -> None:
    """A driver may connect to any machine, so even a local file of it needs the option."""
    put_sqlite(tmp_path)
    monkeypatch.setenv("WAREHOUSE", f"file:{tmp_path / 't.db'}?mode=ro")
    source = {**BY_SQL, "driver": "adbc_driver_sqlite"}
    code, error = run(tmp_path, datasets={"d": source}, models=MODELS)
    assert code == 2 and "add --allow-remote" in error
    assert run(tmp_path, "--allow-remote", datasets={"d": source}, models=MODELS)[0] == 0
    assert read_numbers(tmp_path) == expected
    verify = ("verify", "out", "--inputs", tmp_path, "--allow-remote")
    assert heard(*verify, cwd=tmp_path)[0] == 0
    for name, message in (
        ("no_such_driver", "database WAREHOUSE (d): cannot be opened"),
        (str(tmp_path / "own.so"), "driver names an installed driver, and no file"),
    ):
        source["driver"] = name
        code, error = run(tmp_path, "--allow-remote", datasets={"d": source}, models=MODELS)
        assert code in (2, 4) and message in error and error.count("\n") == 1, error


def test_a_digest_of_rows_knows_their_values_and_not_their_order() -> None:
    def compute(names: tuple[str, ...], *parts: list[tuple[str | None, ...]]) -> str:
        digest = RowsDigest()
        for rows in parts:
            digest.add(names, [pa.array(c, pa.string()) for c in zip(*rows, strict=True)])
        return digest.compute()

    rows: list[tuple[str | None, ...]] = [("1", "x"), ("2", None), ("3", "x")]
    known = compute(("a", "b"), rows)
    assert compute(("a", "b"), rows[2:], rows[:2]) == known
    assert compute(("b", "a"), [row[::-1] for row in rows]) == known
    others = [("a", "c"), [*rows[:2], ("3", "y")]], [("a", "b"), [*rows, rows[0]]]
    assert known not in [compute(names, found) for names, found in others]  # type: ignore[arg-type]
    assert known != compute(("a", "b"), [("1", "x"), ("2", "null"), ("3", "x")])
