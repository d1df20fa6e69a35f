"""A row may stand for several cases: a table of counts is read as the cases that it counts."""

from __future__ import annotations

from pathlib import Path

import pytest

from reportgen.data.dataset import read_dataset
from reportgen.data.requests import ColumnRequest
from reportgen.errors import DataError

COUNT = ColumnRequest("n", ("datasets", "test", "count"))
TABLE = "id,y,a,b,n\nx,1,5,6,2\ny,0,7,8,0\nz,4,1,2,3\n"


def put(folder: Path, text: str) -> Path:
    path = folder / "t.csv"
    path.write_text(text, encoding="utf-8")
    return path


def test_a_row_is_read_as_often_as_it_counts(tmp_path, asked):
    found = read_dataset(asked.wide(put(tmp_path, TABLE), count=COUNT))
    assert found.sample.ids == ("x", "x", "z", "z", "z")
    assert found.sample.y.tolist() == [1, 1, 4, 4, 4]
    assert found.sample.models["second"].score.tolist() == [6, 6, 2, 2, 2]
    assert found.info.n == 5
    steps = [(s.step, s.rows, s.removed, s.reason) for s in found.info.waterfall]
    assert steps[-2:] == [("counted", 5, 0, "3 rows stand for 'n' cases each"), ("used", 5, 0, "")]


@pytest.mark.parametrize(
    ("value", "said"),
    [
        ("2.5", "count column 'n' has 1 value of 3 below 0 or not whole"),
        ("-1", "(first -1 at line 3); parts of a case are a weight: name the column there"),
        ("1e12", "counts 1000000000005 cases; at most 50,000,000 are read; use weight:"),
        ("", "column 'n' has 1 missing value of 3"),
    ],
)
def test_a_count_that_is_none_is_refused(value, said, tmp_path, asked):
    text = TABLE.replace("8,0", f"8,{value}")
    with pytest.raises(DataError) as error:
        read_dataset(asked.wide(put(tmp_path, text), count=COUNT))
    assert said in str(error.value)


def test_no_cases_at_all_are_refused(tmp_path, asked):
    text = TABLE.replace("6,2\n", "6,0\n").replace("2,3\n", "2,1\n")
    with pytest.raises(DataError, match="counts 1 case; two are the least"):
        read_dataset(asked.wide(put(tmp_path, text), count=COUNT))
