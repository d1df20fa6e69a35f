"""The same rows give the same numbers wherever they come from."""

from __future__ import annotations

import json
import random
import sys
from collections.abc import Callable
from datetime import datetime
from functools import partial
from pathlib import Path, PurePath
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from openpyxl import Workbook
from pyarrow import parquet

from reportgen.data.files import databases
from reportgen.data.files.partitions import find_partitions
from reportgen.data.files.source import open_source
from reportgen.data.requests import TableRequest
from tests.end_to_end.postgres import PASSWORD
from tests.end_to_end.sources import (
    BY_SQL,
    DATASET,
    FILES,
    MODELS,
    format_csv,
    make_rows,
    put_csv_parts,
    put_file_of_model,
    put_hive_folder,
    put_long_table,
    put_open_document,
    put_workbook,
    read_numbers,
    run,
    set_keys,
)
from tests.end_to_end.wallet import heard

SOURCES: dict[str, Callable[[Path], dict[str, Any]]] = {
    "file of a model": put_file_of_model,
    "long table": put_long_table,
    "Hive folder": put_hive_folder,
    "Hive folder of CSV": partial(put_hive_folder, suffix="csv"),
    "folder of CSV": put_csv_parts,
    "workbook": put_workbook,
    "OpenDocument": put_open_document,
}


REMOTE = {
    "S3 folder": "s3://bucket/scores/",
    "S3 file": "s3://bucket/one.csv",
    "S3 glob": "s3://bucket/sc*/**/*.csv",
}


@pytest.mark.parametrize("source", [*SOURCES, *FILES, "PostgreSQL", *REMOTE])
def test_a_source_gives_the_numbers_of_the_csv_file(
    source: str,
    tmp_path: Path,
    expected: dict[str, Any],
    monkeypatch: pytest.MonkeyPatch,
    request: pytest.FixtureRequest,
) -> None:
    keys: dict[str, Any] = {"models": MODELS}
    words = ("--allow-remote",) if source in ("PostgreSQL", *REMOTE) else ()
    if source in SOURCES:
        keys = SOURCES[source](tmp_path)
    elif source in REMOTE:
        set_keys(monkeypatch, request.getfixturevalue("bucket"))
        keys["datasets"] = {"d": {**DATASET, "path": REMOTE[source]}}
    else:
        uri = FILES[source](tmp_path) if source in FILES else request.getfixturevalue("postgres")
        monkeypatch.setenv("WAREHOUSE", uri)
        keys["datasets"] = {"d": BY_SQL}
    if words:
        code, error = run(tmp_path, **keys)
        assert code == 2 and "add --allow-remote" in error
    code, error = run(tmp_path, *words, **keys)
    assert code == 0, error
    assert read_numbers(tmp_path) == expected
    assert heard("verify", "out", "--inputs", tmp_path, *words, cwd=tmp_path)[0] == 0
    for file in (tmp_path / "out").iterdir():
        assert not any(each.encode() in file.read_bytes() for each in (PASSWORD, "hunter22"))


STREAMED = {
    "compute": {"engine": "stream"},
    "metrics": ["mae"],
    "bootstrap": {"replicates": 99, "weights": "poisson"},
}


def test_a_streamed_hive_folder_gives_the_numbers_of_the_file(tmp_path: Path) -> None:
    keys = put_hive_folder(tmp_path)
    days = sorted((tmp_path / "scores").glob("day=*/part.parquet"))
    tables = [parquet.read_table(day, partitioning=None) for day in days]
    names = [
        pa.array([day.parent.name[4:]] * table.num_rows)
        for day, table in zip(days, tables, strict=True)
    ]
    joined = [table.append_column("day", name) for table, name in zip(tables, names, strict=True)]
    parquet.write_table(pa.concat_tables(joined), tmp_path / "wide.parquet")
    wide = {"d": {**DATASET, "path": "wide.parquet"}}
    assert run(tmp_path, **STREAMED, datasets=wide, models=MODELS)[0] == 0
    of_file = read_numbers(tmp_path)
    assert run(tmp_path, **STREAMED, **keys)[0] == 0
    assert read_numbers(tmp_path) == of_file


@pytest.mark.parametrize("source", [*FILES, "PostgreSQL", "S3"])
def test_streamed_rows_of_a_server_give_the_numbers_of_rows_in_memory(
    source: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest
) -> None:
    words = ("--allow-remote",)
    if source == "S3":
        set_keys(monkeypatch, request.getfixturevalue("bucket"))
        keys: dict[str, Any] = {"d": {**DATASET, "path": "s3://bucket/parquet/**/p*.parquet"}}
    else:
        uri = FILES[source](tmp_path) if source in FILES else request.getfixturevalue("postgres")
        monkeypatch.setenv("WAREHOUSE", uri)
        keys = {"d": BY_SQL}
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.setattr("tempfile.tempdir", None)
    found = []
    for engine in ("memory", "stream"):
        of_engine = {**STREAMED, "compute": {"engine": engine}}
        code, error = run(tmp_path, *words, **of_engine, datasets=keys, models=MODELS)
        assert code == 0, error
        manifest = json.loads((tmp_path / "out" / "manifest.json").read_text())
        numbers = read_numbers(tmp_path)
        inputs = [{**each, "size_bytes": 0} for each in manifest["inputs"]]
        found.append((inputs, numbers["estimates"], numbers["comparisons"]))
        assert not list(tmp_path.glob("reportgen-*"))
    assert found[0] == found[1]
    assert heard("verify", "out", "--inputs", tmp_path, *words, cwd=tmp_path)[0] == 0


def test_a_copy_has_parts_of_one_size_however_its_rows_arrive(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(databases, "ROWS_OF_A_PART", 4)
    sizes = [3, 1, 0, 9, 2]
    schema = pa.schema([("a", pa.int64())])
    batches = [pa.record_batch([pa.array(range(n), pa.int64())], schema=schema) for n in sizes]
    reader = pa.RecordBatchReader.from_batches(schema, batches)
    parts = [part.column("a").to_pylist() for part in databases._iter_parts(reader)]
    assert [len(part) for part in parts] == [4, 4, 4, 3]
    assert [k for part in parts for k in part] == [k for n in sizes for k in range(n)]


LONG = ("id", "model", "y", "p")
LONG_ROWS = [(at, model, at % 7, at % 5) for at in range(40) for model in ("a", "b")]
OF_LONG = {"path": "l.csv", "id": "id", "target": "y", "model": "model", "score": "p"}


def run_long(folder: Path, rows: list[tuple[Any, ...]], **keys: Any) -> tuple[int, str]:
    """Run a config for a long table."""
    (folder / "l.csv").write_text(format_csv(LONG, rows), encoding="utf-8")
    return run(folder, **{"datasets": {"d": OF_LONG}, "metrics": ["mae"], **keys})


def test_a_long_table_gives_its_own_models(tmp_path: Path) -> None:
    rows = [(i, {"a": "new", "b": "baseline"}[model], y, p + y) for i, model, y, p in LONG_ROWS]
    assert run_long(tmp_path, rows)[0] == 0
    config = json.loads((tmp_path / "out" / "results.json").read_text())["config"]
    assert {name: each["role"] for name, each in config["models"].items()} == {
        "new": "candidate",
        "baseline": "baseline",
    }


@pytest.mark.parametrize(
    ("rows", "keys", "message"),
    [
        (
            [*LONG_ROWS, (3, "b", 3, 9)],
            {},
            "l.csv: id '3' has 2 rows of model 'b' (lines 9, 82; 1 such repeat in all)",
        ),
        ([*LONG_ROWS[:-1], (39, "b", 8, 9)], {}, "two values of column 'y' (lines 80, 81)"),
        ([*LONG_ROWS, (99, "", 3, 9)], {}, "column 'model' has no value on 1 of 81 rows"),
        ([*LONG_ROWS[:-1], (39, "b", 4, "x")], {}, "text instead of numbers: 'x' at line 81"),
        (
            LONG_ROWS,
            {"models": {"a": {"role": "baseline"}, "other": {"is": "c"}}},
            "l.csv: column 'model' has no row of model 'c'; known: a, b",
        ),
        ([(at, at, 1, 1) for at in range(31)], {}, "has 31 values; name the models to compare"),
        (
            LONG_ROWS,
            {"datasets": {"d": {**OF_LONG, "model": "m"}}},
            "l.csv has no column 'm'; known: id",
        ),
    ],
)
def test_a_wrong_long_table_is_refused_in_one_line(
    rows: list[tuple[Any, ...]], keys: dict[str, Any], message: str, tmp_path: Path
) -> None:
    code, error = run_long(tmp_path, rows, **keys)
    assert code in (2, 3) and message in error
    assert error.count("\n") == 1


def test_ids_of_a_long_table_may_be_spelled_otherwise(tmp_path: Path) -> None:
    rows = [(i, "a", row[1], row[2]) for i, row in enumerate(make_rows())]
    rows += [(f" {i}", "b", row[1], row[3]) for i, row in enumerate(make_rows())]
    assert run_long(tmp_path, rows)[0] == 3
    code, error = run_long(tmp_path, rows, datasets={"d": {**OF_LONG, "match": "loose"}})
    assert code == 0, error
    [found] = json.loads((tmp_path / "out" / "results.json").read_text())["datasets"]
    assert found["n"] == len(make_rows())


def test_repeated_samples_are_named(tmp_path: Path) -> None:
    _, error = run_long(tmp_path, [*LONG_ROWS, (3, "b", 3, 9)], privacy="standard")
    assert "such repeat" in error and "'3'" not in error


def test_a_folder_of_two_kinds_is_refused(tmp_path: Path) -> None:
    keys = put_csv_parts(tmp_path)
    (tmp_path / "parts" / "more.jsonl").touch()
    code, error = run(tmp_path, **keys)
    assert code == 3
    assert "is a folder of .csv and .jsonl files; name those of one kind by a glob" in error


@pytest.mark.parametrize(
    ("keys", "message"),
    [
        ({}, "has 2 sheets; write `sheet: NAME` under datasets.d; sheets: Sheet, Scores"),
        ({"sheet": "scores"}, "has no sheet 'scores'; sheets: Sheet, Scores"),
        ({"sheet": "Sheet"}, "has no column 'y'; known: notes"),
        ({"sheet": "Scores", "columns": ["a", "b"]}, "has 5 columns where `columns:` names 2"),
    ],
)
def test_a_workbook_is_refused_in_one_line(
    keys: dict[str, Any], message: str, tmp_path: Path
) -> None:
    source = put_workbook(tmp_path)["datasets"]["d"]
    of_sheet = {key: value for key, value in source.items() if key != "sheet"} | keys
    code, error = run(tmp_path, datasets={"d": of_sheet}, models=MODELS)
    assert code in (2, 3) and message in error, error


def test_a_workbook_without_its_package_names_what_to_install(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "python_calamine", None)
    code, error = run(tmp_path, **put_workbook(tmp_path))
    assert code == 3 and error.count("\n") == 1
    assert (
        "needs python-calamine, which is not installed; run: pip install 'python-calamine>=0.4'"
        in error
    )


def test_cells_become_what_a_csv_file_would_hold(tmp_path: Path) -> None:
    book = Workbook()
    for row in (
        ["id", "flag", "n", "when", "mixed"],
        [],
        ["007", True, 3, datetime(2024, 1, 2, 3, 4), 1.0],
        ["8", False, 2.5, datetime(2024, 1, 3), "x"],
    ):
        book.active.append(row)
    book.save(tmp_path / "t.xlsx")
    source = open_source(TableRequest(str(tmp_path / "t.xlsx"), "t.xlsx"))
    table = source.read({*source.names}, set())
    assert [table.texts(name).to_pylist() for name in ("id", "flag", "when", "mixed")] == [
        ["007", "8"],
        ["true", "false"],
        ["2024-01-02T03:04:00", "2024-01-03"],
        ["1", "x"],
    ]
    assert table.numbers("n").tolist() == [3, 2.5]
    assert table.where(np.array([1])) == "row 4"


def test_a_partition_of_integers_is_a_column_of_integers() -> None:
    found = find_partitions([PurePath("n=7/a"), PurePath("n=__HIVE_DEFAULT_PARTITION__/a")])
    assert found == [(("n", 7),), (("n", None),)]
    assert find_partitions([PurePath("n=07/a")]) == [(("n", "07"),)]


def test_a_long_table_may_hold_classes(tmp_path: Path) -> None:
    draw = random.Random(2)
    rows = []
    for at in range(90):
        truth = "abc"[at % 3]
        for model, right in (("one", 0.5), ("two", 0.9)):
            said = truth if draw.random() < right else draw.choice("abc")
            rows.append((at, model, truth, said))
    code, error = run_long(tmp_path, rows, task="multiclass", metrics=["accuracy"])
    assert code == 0, error
    found = json.loads((tmp_path / "out" / "results.json").read_text())
    assert found["datasets"][0]["n"] == 90
    values = {each["model"]: each["value"] for each in found["estimates"]}
    assert values["one"] < 0.8 < values["two"]
