"""What stands between the fields of a CSV file: found from its lines, or named."""

from dataclasses import replace

import pytest

from reportgen.data.dataset import read_dataset
from reportgen.data.requests import ColumnRequest, FileOptions

ROWS = [["id", "y", "a", "b"], ["1", "10", "1.5", "2"], ["2", "20", "3", "4"]]


def written(path, sign, rows=ROWS):
    path.write_text("".join(sign.join(row) + "\n" for row in rows), encoding="utf-8")
    return path


@pytest.mark.parametrize("sign", [",", ";", "\t"])
@pytest.mark.parametrize("suffix", ["csv", "tsv"])
def test_a_usual_delimiter_is_found(sign, suffix, tmp_path, asked):
    sample = read_dataset(asked.wide(written(tmp_path / f"t.{suffix}", sign))).sample
    assert sample.ids == ("1", "2") and sample.y.tolist() == [10, 20]


def test_a_name_may_hold_what_stands_between_others(tmp_path, asked):
    rows = [["id", "y", "a;x;y;z", "b"], *ROWS[1:]]
    request = asked.wide(written(tmp_path / "t.csv", ",", rows))
    model = replace(request.models["first"], column=ColumnRequest("a;x;y;z"))
    found = read_dataset(replace(request, models={"first": model})).sample
    assert found.models["first"].score.tolist() == [1.5, 3]


@pytest.mark.parametrize("sign", [";", "|"])
def test_a_delimiter_that_is_named_is_the_one(sign, tmp_path, asked):
    request = asked.wide(written(tmp_path / "t.csv", sign))
    request = replace(request, table=replace(request.table, options=FileOptions(delimiter=sign)))
    assert read_dataset(request).sample.n == 2


def test_one_column_needs_no_delimiter(tmp_path, asked):
    request = asked.wide(written(tmp_path / "t.csv", ",", [["y"], ["1"], ["2"]]))
    request = replace(
        request,
        table=replace(request.table, id=None),
        models={"m": replace(request.models["first"], column=ColumnRequest("y"))},
        target=ColumnRequest("y"),
    )
    loaded = read_dataset(request)
    assert loaded.sample.ids == ("1", "2") and loaded.info.is_numbered
