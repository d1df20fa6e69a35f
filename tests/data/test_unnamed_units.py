"""Columns that the request does not name, but whose names say that they tell units apart."""

import pytest

from reportgen.data.dataset import read_dataset
from reportgen.data.requests import ColumnRequest

HEAD = "id,y,a,b,customer_id,visit"
ROWS = "\n".join(f"{i},{i},{i},{i + 1},c{i // 2},{i}" for i in range(1, 9))


@pytest.fixture
def path(tmp_path):
    path = tmp_path / "visits.csv"
    path.write_text(f"{HEAD}\n{ROWS}\n", encoding="utf-8")
    return path


def test_a_column_of_units_comes_with_the_rows(asked, path):
    sample = read_dataset(asked.wide(path)).sample
    assert list(sample.sampling.undeclared) == ["customer_id"]
    assert sample.sampling.undeclared["customer_id"].code.tolist() == [0, 1, 1, 2, 2, 3, 3, 4]


@pytest.mark.parametrize("key", ["cluster", "query", "time"])
def test_not_where_the_config_says_how_rows_hang_together(asked, path, key):
    request = asked.wide(path, **{key: ColumnRequest("visit")})
    assert not read_dataset(request).sample.sampling.undeclared


def test_not_one_that_is_named_for_something_else(asked, path):
    request = asked.wide(path, strata=ColumnRequest("customer_id"))
    assert not read_dataset(request).sample.sampling.undeclared


def test_not_one_with_rows_of_no_unit(asked, path):
    path.write_text(path.read_text(encoding="utf-8").replace("c2", ""), encoding="utf-8")
    assert not read_dataset(asked.wide(path)).sample.sampling.undeclared
