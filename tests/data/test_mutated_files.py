"""Whatever happens to the bytes of a file, it is read or refused in words."""

import csv
import gzip
import io
import json

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from pyarrow import feather, parquet

from reportgen.cli.init.draft import preview_columns
from reportgen.data.dataset import read_dataset
from reportgen.data.requests import ColumnRequest, SegmentRequest
from reportgen.errors import ConfigError, DataError

ROWS = [
    {"id": f"{i:03d}", "y": i / 7, "a": i, "b": -i, "s": "uv"[i % 2], "t": 2000 + i}
    for i in range(12)
]
CSV = "\n".join([",".join(ROWS[0]), *(",".join(map(str, row.values())) for row in ROWS)]).encode()
JSON = "\n".join(map(json.dumps, ROWS)).encode()
SPICE = [
    b'"',
    b",",
    b"\n",
    b"\r",
    b"\x00",
    b"\xff",
    b"\xef\xbb\xbf",
    b"NA",
    b"inf",
    b"1e999",
    b";",
    b"{",
    b"}",
    b"[" * 50,
    b"-",
    b"\t",
    b"\xed\xa0\x80",
    b"\\ud800",
    b"9" * 400,
    b'""',
    b" ",
]


@st.composite
def mutated(draw, data):
    """The same bytes after a few cuts, insertions and swaps."""
    for _ in range(draw(st.integers(0, 4))):
        start = draw(st.integers(0, len(data)))
        stop = min(len(data), start + draw(st.integers(0, 12)))
        put = draw(st.sampled_from([b"", *SPICE]) | st.binary(max_size=6))
        data = data[:start] + put + data[stop:]
    return data[: draw(st.integers(0, len(data)))] if draw(st.booleans()) else data


def read_or_refuse(path, asked):
    request = asked.wide(
        path,
        missing="intersect",
        weight=ColumnRequest("y"),
        time=ColumnRequest("t"),
        segments=(SegmentRequest("s"), SegmentRequest("a", (-1e9, 5.0, 1e9))),
        filter="t > 1999 and s != 'w'",
    )
    for attempt in (lambda: read_dataset(request), lambda: preview_columns(str(path))):
        try:
            found = attempt()
        except (DataError, ConfigError) as refused:
            assert str(refused).strip()
        else:
            assert found
            if hasattr(found, "sample"):
                assert all(np.isfinite(each.score).all() for each in found.sample.models.values())


often = settings(max_examples=300, suppress_health_check=[HealthCheck.function_scoped_fixture])


def test_a_file_whose_first_line_is_empty_is_refused(tmp_path, asked):
    (tmp_path / "t.csv").write_bytes(b"\n000,000\n001,")
    read_or_refuse(tmp_path / "t.csv", asked)


@often
@given(mutated(CSV))
def test_a_mutated_csv_file_is_read_or_refused(tmp_path, asked, data):
    path = tmp_path / "t.csv"
    path.write_bytes(data)
    read_or_refuse(path, asked)


@often
@given(st.integers(0, len(CSV)), st.integers(0, 2), st.sampled_from([*b'0123456789-.,"\n\r ex+']))
def test_what_is_read_of_a_mutated_csv_file_is_what_it_says(tmp_path, asked, at, cut, put):
    path = tmp_path / "t.csv"
    path.write_bytes(CSV[:at] + bytes([put]) + CSV[at + cut :])
    try:
        sample = read_dataset(asked.wide(path)).sample
    except (DataError, ConfigError):
        return
    text = io.StringIO(path.read_bytes().decode().lstrip("\r\n"), newline="")
    rows = {row["id"]: row for row in csv.DictReader(text)}
    assert sample.ids == tuple(sorted(rows))
    assert sample.y.tolist() == [float(rows[name]["y"]) for name in sample.ids]
    assert sample.models["second"].score.tolist() == [float(rows[name]["b"]) for name in sample.ids]


def test_what_is_mutated_is_well_to_begin_with(tmp_path, asked):
    for name, data in (("t.csv", CSV), ("t.jsonl", JSON)):
        (tmp_path / name).write_bytes(data)
        assert read_dataset(asked.wide(tmp_path / name)).sample.n == 12
    for name in ("t.parquet", "t.feather"):
        typed(name, tmp_path)
        assert read_dataset(asked.wide(tmp_path / name)).sample.n == 12


@often
@given(mutated(JSON))
def test_a_mutated_file_of_json_lines_is_read_or_refused(tmp_path, asked, data):
    path = tmp_path / "t.jsonl"
    path.write_bytes(data)
    read_or_refuse(path, asked)


@settings(often, max_examples=60)
@given(mutated(gzip.compress(CSV, mtime=0)))
def test_a_mutated_gzip_file_is_read_or_refused(tmp_path, asked, data):
    path = tmp_path / "t.csv.gz"
    path.write_bytes(data)
    read_or_refuse(path, asked)


def typed(name, folder):
    write = parquet.write_table if name.endswith("parquet") else feather.write_feather
    write(pa.Table.from_pylist(ROWS), folder / name)
    return (folder / name).read_bytes()


@pytest.mark.parametrize("name", ["t.parquet", "t.feather"])
@settings(often, max_examples=60)
@given(data=st.data())
def test_a_mutated_typed_file_is_read_or_refused(name, tmp_path, asked, data):
    path = tmp_path / name
    path.write_bytes(data.draw(mutated(typed(name, tmp_path))))
    read_or_refuse(path, asked)
