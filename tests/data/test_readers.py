"""Every format that a file may have is read, and has a small file here."""

import json
from io import BytesIO
from pathlib import Path
from typing import get_args
from zipfile import ZipFile

import pyarrow as pa
import pytest
from openpyxl import Workbook
from pyarrow import feather, parquet

from reportgen.data.files.opening import Format
from reportgen.data.files.source import COMPRESSIONS, FORMATS, READERS, open_source
from reportgen.data.requests import TableRequest
from reportgen.errors import ConfigError

TABLE = pa.table({"id": ["a", "b"], "y": [1.5, 2.0]})


def packed(write) -> bytes:
    buffer = BytesIO()
    write(TABLE, buffer)
    return buffer.getvalue()


def make_workbook(*rows: list[object]) -> bytes:
    """Make a workbook of one sheet."""
    book, file = Workbook(), BytesIO()
    for row in rows:
        book.active.append(row)
    book.save(file)
    return file.getvalue()


def make_log(*values: object) -> bytes:
    """A zipped log of Inspect, with a sample for each value of a score."""
    samples = [
        {"id": k, "epoch": 1, "scores": {"match": {"value": value}}, "metadata": {}}
        for k, value in enumerate(values)
    ]
    content = BytesIO()
    with ZipFile(content, "w") as log:
        log.writestr("header.json", json.dumps({"version": 2, "eval": {"model": "m"}}))
        log.writestr("summaries.json", json.dumps(samples))
    return content.getvalue()


CASES = {  # name, content, fields that the config says it has, column, its values
    "csv": ("t.csv", b"id,y\na,1.5\nb,2\n", (), "y", [1.5, 2]),
    "tsv": ("t.tsv", b"id\ty\na\t1.5\nb\t2\n", (), "y", [1.5, 2]),
    "jsonl": ("t.jsonl", b'{"id": "a", "y": 1.5}\n{"id": "b", "y": 2}\n', (), "y", [1.5, 2]),
    "records": ("t.json", b'[{"id": "a", "y": 1.5}, {"id": "b", "y": 2}]', (), "y", [1.5, 2]),
    "parquet": ("t.parquet", packed(parquet.write_table), (), "y", [1.5, 2]),
    "feather": ("t.feather", packed(feather.write_feather), (), "y", [1.5, 2]),
    "workbook": ("t.xlsx", make_workbook(["id", "y"], ["a", 1.5], ["b", 2]), (), "y", [1.5, 2]),
    "spaced": ("t.pred", b"1.5\n2\n", ("score",), "score", [1.5, 2]),
    "nested": ("t.json", b'{"q": {"a": 1.5, "b": 2}}', ("query", "score"), "score", [1.5, 2]),
    "letor": (
        "t.txt",
        b"1 qid:q 1:0.5\n0 qid:q 1:0.7\n",
        ("query", "document", "grade"),
        "grade",
        [1, 0],
    ),
    "log": ("t.eval", make_log("C", 0.5), (), "match", [1, 0.5]),
}


@pytest.mark.guard
@pytest.mark.parametrize("name", get_args(Format))
def test_a_format_is_read(name: str, tmp_path: Path) -> None:
    if name not in READERS:
        pytest.fail(
            f"format {name} has no reader: add a row to READERS in reportgen/data/files/source.py"
        )
    if name not in CASES:
        pytest.fail(f"format {name} has no case: add it to CASES in tests/data/test_readers.py")
    file, content, fields, column, values = CASES[name]
    path = tmp_path / file
    path.write_bytes(content)
    request = TableRequest(str(path), file, fields=fields, may_be_logs=name == "log")
    opened = open_source(request)
    assert opened.files[0].format == name
    assert opened.read({column}, {column}).numbers(column).tolist() == values


def test_no_two_formats_have_the_same_suffix() -> None:
    suffixes = [s for each in READERS.values() for s in (*each.suffixes, *each.further_suffixes)]
    assert len(suffixes) == len(set(suffixes)) == len(FORMATS)
    assert not set(suffixes) & set(COMPRESSIONS)


def test_the_message_on_an_unknown_file_lists_what_can_be_read(tmp_path: Path) -> None:
    path = tmp_path / "t.docx"
    path.write_bytes(b"")
    with pytest.raises(ConfigError) as refused:
        open_source(TableRequest(str(path), "t.docx"))
    assert str(refused.value) == (
        "cannot tell what 't.docx' is; known: .csv, .tsv, .jsonl, .ndjson "
        "(each also .gz, .zst, .bz2, .xz, .zip), .parquet, .feather, .xlsx"
    )
