"""One set of rows in every form that a config can read, and the numbers of a report."""

from __future__ import annotations

import csv
import io
import json
import random
import sqlite3
import zipfile
from collections.abc import Callable
from datetime import date
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
import yaml
from pyarrow import parquet

from tests.end_to_end.wallet import heard

COLUMNS = ("id", "y", "old", "new", "day")
DATASET = {"path": "wide.csv", "id": "id", "target": "y", "segments": ["day"]}
MODELS = {"old": {"role": "baseline", "column": "old"}, "new": {"column": "new"}}
CONFIG: dict[str, Any] = {
    "version": 1,
    "report": {"title": "Sources"},
    "task": "regression",
    "metrics": ["mae", "kendall"],
    "bootstrap": {"replicates": 99},
    "curves": [],
    "outputs": ["json"],
}


def make_rows(count: int = 80) -> list[tuple[Any, ...]]:
    """Rows of COLUMNS: an amount, its two predictions, and one of two days."""
    draw = random.Random(5)
    rows = []
    for at in range(count):
        y = round(draw.gauss(20, 4), 3)
        near, far = (round(y + draw.gauss(0, sd), 3) for sd in (1, 2))
        rows.append((at + 1, y, far, near, f"2024-01-0{1 + at % 2}"))
    return rows


def format_csv(names: tuple[str, ...], rows: list[tuple[Any, ...]]) -> str:
    """Format rows as a CSV file."""
    text = io.StringIO()
    writer = csv.writer(text)
    writer.writerow(names)
    writer.writerows(rows)
    return text.getvalue()


def run(folder: Path, *words: object, **keys: Any) -> tuple[int, str]:
    """Run a config with some keys; return its exit code and what it printed as an error."""
    path = folder / "c.yaml"
    path.write_text(yaml.safe_dump({**CONFIG, **keys}, sort_keys=False), encoding="utf-8")
    code, _, error = heard("run", path, "--quiet", "--out", folder / "out", *words, cwd=folder)
    return code, error


def read_numbers(folder: Path) -> dict[str, Any]:
    """Read the numbers of a report: values, intervals and p-values of models and segments."""
    results = json.loads((folder / "out" / "results.json").read_text("utf-8"))
    kept = ("estimates", "comparisons", "references", "stability", "sensitivity")
    numbers = {key: results[key] for key in kept}
    [found] = results["datasets"]
    profiles = [{**column, "column": ""} for column in found["columns"]]
    return {**numbers, "n": found["n"], "segments": found["segments"], "columns": profiles}


def put_file_of_model(folder: Path) -> dict[str, Any]:
    """Put the scores of one model into a file of its own, in another order."""
    rows = make_rows()
    labels = [(i, y, old, day) for i, y, old, _, day in rows]
    (folder / "labels.csv").write_text(format_csv(("id", "y", "old", "day"), labels))
    scores = [(i, new) for i, _, _, new, _ in reversed(rows)]
    (folder / "new.csv").write_text(format_csv(("id", "p"), scores))
    models = {**MODELS, "new": {"path": "new.csv", "column": "p"}}
    return {"datasets": {"d": {**DATASET, "path": "labels.csv"}}, "models": models}


def put_long_table(folder: Path) -> dict[str, Any]:
    """Put a row for each id and model into two files."""
    rows = make_rows()
    names = ("id", "model", "y", "day", "p")
    for name, place in (("org/old", 2), ("new", 3)):
        part = [(row[0], name, row[1], row[4], row[place]) for row in rows]
        text = format_csv(names, part[::-1] if place == 3 else part)
        (folder / f"long-{place}.csv").write_text(text)
    long = {**DATASET, "path": "long-*.csv", "model": "model", "score": "p"}
    models = {"old": {"role": "baseline", "is": "org/old"}, "new": {}}
    return {"datasets": {"d": long}, "models": models}


def put_hive_folder(folder: Path, suffix: str = "parquet") -> dict[str, Any]:
    """Put the rows into a folder for each day, which is no column of the files."""
    for day in ("2024-01-01", "2024-01-02"):
        rows = [row[:-1] for row in make_rows() if row[-1] == day]
        part = folder / "scores" / f"day={day}" / f"part.{suffix}"
        part.parent.mkdir(parents=True)
        if suffix == "csv":
            part.write_text(format_csv(COLUMNS[:-1], rows))
        else:
            columns = dict(zip(COLUMNS, zip(*rows, strict=True), strict=False))
            parquet.write_table(pa.table({k: list(v) for k, v in columns.items()}), part)
    (folder / "scores" / "_SUCCESS").touch()
    return {"datasets": {"d": {**DATASET, "path": "scores"}}, "models": MODELS}


def put_csv_parts(folder: Path) -> dict[str, Any]:
    """Put the rows into a folder of CSV files."""
    (folder / "parts").mkdir()
    for at in range(3):
        part = folder / "parts" / f"{at}.csv"
        part.write_text(format_csv(COLUMNS, make_rows()[at::3]))
    return {"datasets": {"d": {**DATASET, "path": "parts"}}, "models": MODELS}


def put_workbook(folder: Path) -> dict[str, Any]:
    """Put the rows into the second sheet of a workbook, as Excel types them."""
    from openpyxl import Workbook

    book = Workbook()
    book.active.append(["notes"])
    sheet = book.create_sheet("Scores")
    sheet.append(list(COLUMNS))
    for *values, day in make_rows():
        sheet.append([*map(float, values), date.fromisoformat(day)])
    book.save(folder / "scores.xlsx")
    (folder / "scores.xlsx").rename(folder / "scores.csv")  # the content decides
    return {
        "datasets": {"d": {**DATASET, "path": "scores.csv", "sheet": "Scores"}},
        "models": MODELS,
    }


def put_open_document(folder: Path) -> dict[str, Any]:
    """Put the rows into a sheet of OpenDocument."""

    def cell(value: Any) -> str:
        kind = "string" if isinstance(value, str) else "float"
        given = "" if kind == "string" else f' office:value="{value}"'
        text = f"<text:p>{value}</text:p>"
        return f'<table:table-cell office:value-type="{kind}"{given}>{text}</table:table-cell>'

    lines = "".join(
        f"<table:table-row>{''.join(map(cell, row))}</table:table-row>"
        for row in (COLUMNS, *make_rows())
    )
    names = " ".join(
        f'xmlns:{each}="urn:oasis:names:tc:opendocument:xmlns:{each}:1.0"'
        for each in ("office", "table", "text")
    )
    body = f'<office:spreadsheet><table:table table:name="a">{lines}</table:table>'
    body += "</office:spreadsheet>"
    content = f"<office:document-content {names}><office:body>{body}</office:body>"
    with zipfile.ZipFile(folder / "scores.ods", "w") as archive:
        archive.writestr("mimetype", "application/vnd.oasis.opendocument.spreadsheet")
        space = "urn:oasis:names:tc:opendocument:xmlns:manifest:1.0"
        archive.writestr("META-INF/manifest.xml", f'<m:manifest xmlns:m="{space}"/>')
        archive.writestr("content.xml", f"{content}</office:document-content>")
    return {"datasets": {"d": {**DATASET, "path": "scores.ods"}}, "models": MODELS}


OF_SQL = {"connection": "WAREHOUSE", "sql": "select * from scores"}
BY_SQL = {key: value for key, value in DATASET.items() if key != "path"} | OF_SQL
KINDS = {"id": "integer", "y": "float8", "old": "float8", "new": "numeric", "day": "date"}
TYPES = ", ".join(f"{name} {kind}" for name, kind in KINDS.items())


def put_sqlite(folder: Path) -> str:
    """Write the rows to a file of SQLite, and return its URI."""
    with sqlite3.connect(folder / "t.db") as opened:
        opened.execute("create table scores (id integer, y real, old real, new real, day text)")
        opened.executemany("insert into scores values (?, ?, ?, ?, ?)", make_rows()[::-1])
    opened.close()
    return f"sqlite:///{folder / 't.db'}"


def put_duckdb(folder: Path) -> str:
    """Write the rows to a file of DuckDB, and return its URI."""
    import duckdb

    with duckdb.connect(str(folder / "t.duckdb")) as opened:
        opened.execute(f"create table scores ({TYPES.replace('numeric', 'decimal(9,3)')})")
        opened.executemany("insert into scores values (?, ?, ?, ?, ?)", make_rows()[::-1])
    return f"duckdb:///{folder / 't.duckdb'}"


FILES: dict[str, Callable[[Path], str]] = {"SQLite": put_sqlite, "DuckDB": put_duckdb}


def set_keys(monkeypatch: pytest.MonkeyPatch, server: str) -> None:
    """Set what the environment says of S3."""
    monkeypatch.setenv("AWS_ENDPOINT_URL", server)
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "key")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "hunter22")
