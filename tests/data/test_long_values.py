"""Values of a hundred thousand letters and more: read or refused at once, in a short line."""

import json

import pytest

from reportgen.cli.init.draft import preview_columns
from reportgen.data.codes import is_unit_name
from reportgen.data.dataset import read_dataset
from reportgen.data.requests import ColumnRequest, SegmentRequest
from reportgen.data.table import parse_number
from reportgen.errors import DataError, did_you_mean

LONG = "1" * 400_000


@pytest.mark.parametrize(
    "text",
    [
        LONG + "x",
        LONG + "." + LONG + "x",
        "1e" + LONG + "x",
        "." + LONG + "x",
        "+" + LONG + ",",
        LONG + ",5x",
        "1.111" * 99_999 + ",",
        " " * 400_000 + "x",
    ],
)
def test_a_text_that_begins_as_a_long_number_is_none(text):
    assert parse_number(text) is None


@pytest.mark.parametrize("column", ["id", "y", "a", "k"])
@pytest.mark.parametrize("suffix", ["csv", "jsonl"])
def test_a_cell_of_endless_digits_and_a_letter_is_read_or_refused(column, suffix, tmp_path, asked):
    rows = [{"id": f"r{i}", "y": str(i), "a": str(-i), "b": "0", "k": "c"} for i in range(4)]
    rows[1][column] = LONG + "x"
    lines = [json.dumps(row) for row in rows]
    if suffix == "csv":
        lines = [",".join(rows[0]), *(",".join(row.values()) for row in rows)]
    path = tmp_path / f"t.{suffix}"
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    request = asked.wide(path, segments=(SegmentRequest("k"),), cluster=ColumnRequest("k"))
    if column in ("id", "k"):
        assert read_dataset(request).sample.n == 4
        return
    with pytest.raises(DataError) as refused:
        read_dataset(request)
    assert "has text instead of numbers: '111" in str(refused.value)
    assert len(str(refused.value)) < 300


def test_an_id_twice_and_a_time_are_quoted_in_short(tmp_path, asked):
    path = tmp_path / "t.csv"
    path.write_text(f"id,y,a,b\n{LONG},1,2,3\n{LONG},4,5,6\n", encoding="utf-8")
    with pytest.raises(DataError) as refused:
        read_dataset(asked.wide(path))
    assert len(str(refused.value)) < 400
    path.write_text(f"id,y,a,b,t\n1,1,2,3,{LONG}x\n2,4,5,6,2026\n", encoding="utf-8")
    with pytest.raises(DataError) as refused:
        read_dataset(asked.wide(path, time=ColumnRequest("t")))
    assert len(str(refused.value)) < 300


def test_one_key_twice_among_many_is_found_at_once(tmp_path, asked):
    keys = ", ".join(f'"k{i}": 1' for i in range(60_000))
    path = tmp_path / "t.jsonl"
    path.write_text(f'{{{keys}, "k59999": 2}}\n', encoding="utf-8")
    with pytest.raises(DataError, match="line 1 is not JSON: key 'k59999' occurs twice"):
        read_dataset(asked.wide(path))


@pytest.mark.full
def test_a_file_of_many_columns_is_looked_at_once(tmp_path):
    path = tmp_path / "t.csv"
    names = ",".join(f"c{i}" for i in range(20_000))
    path.write_text(f"{names}\n{names}\n", encoding="utf-8")
    assert len(preview_columns(str(path))) == 20_000


def test_long_names_are_not_compared_letter_by_letter():
    assert did_you_mean("ab" * 50_000, ["ba" * 50_000]).startswith("known: bababa")
    assert len(did_you_mean("x", ["y" * 50_000] * 30)) < 3000
    assert not is_unit_name("a" * 400_000)
