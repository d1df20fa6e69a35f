"""Rows that are resampled together must be of one stratum."""

import pytest

from reportgen.data.dataset import read_dataset
from reportgen.data.requests import ColumnRequest
from reportgen.errors import DataError

TABLE = "id,y,a,b,shop,town\n" + "".join(
    f"{i},{i},{i},{i},s{i // 2},{town}\n" for i, town in enumerate("AABBAB")
)


@pytest.mark.parametrize(("key", "word"), [("cluster", "cluster"), ("query", "query")])
def test_a_unit_in_two_strata_is_refused(tmp_path, asked, key, word):
    (tmp_path / "t.csv").write_text(TABLE, encoding="utf-8")
    columns = {key: ColumnRequest("shop"), "strata": ColumnRequest("town")}
    with pytest.raises(DataError) as caught:
        read_dataset(asked.wide(tmp_path / "t.csv", **columns))
    assert caught.value.exit_code == 3
    assert str(caught.value) == (
        f"t.csv: {word} 's2' of column 'shop' lies in 2 strata of column 'town' ('A', 'B'; "
        "lines 6, 7), as do 1 of 3 in all; rows that are resampled together must lie in one "
        "stratum: remove `strata:`, or name a column that is constant within each"
    )


def test_units_within_strata_are_read(tmp_path, asked):
    (tmp_path / "t.csv").write_text(TABLE.replace("5,s2,B", "5,s2,A"), encoding="utf-8")
    columns = {"cluster": ColumnRequest("shop"), "strata": ColumnRequest("town")}
    sample = read_dataset(asked.wide(tmp_path / "t.csv", **columns)).sample
    assert sample.sampling.strata.code.tolist() == [0, 0, 1, 1, 0, 0]
