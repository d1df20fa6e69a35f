"""100,000 streamed rows: the numbers of memory, and the same bytes however files are cut."""

import pytest

from reportgen.streaming import run
from tests.streaming.many_rows import N, many_rows, told


@pytest.fixture(scope="module")
def table():
    return many_rows()


@pytest.mark.full
def test_row_groups_files_and_threads_move_no_byte(tmp_path, table):
    first = told(tmp_path / "0", table, [50_000], threads=1)
    assert first["datasets"][0]["n"] < N
    for place, groups in enumerate(([77_777], [N], [333, 20_000], [6_000]), 1):
        assert told(tmp_path / str(place), table, groups) == first


@pytest.mark.full
def test_the_size_of_pieces_moves_no_byte(tmp_path, table, monkeypatch):
    first = told(tmp_path / "0", table, [N])
    for place, piece in enumerate((7_001, 100_000), 1):
        monkeypatch.setattr(run, "PIECE", piece)
        assert told(tmp_path / str(place), table, [N]) == first


AS_IT_IS = ("word", "test", "family", "family_size")


def test_numbers_are_those_of_memory(tmp_path, table):
    stream, memory = (told(tmp_path / e, table, [9_999], e) for e in ("stream", "memory"))
    assert stream["datasets"][0]["waterfall"] == memory["datasets"][0]["waterfall"]
    for mine, other in zip(stream["estimates"], memory["estimates"], strict=True):
        assert mine["value"] == pytest.approx(other["value"], rel=1e-11)
        assert mine["method"] == other["method"]
        assert (mine["low"], mine["high"]) == pytest.approx((other["low"], other["high"]), rel=1e-9)
    for mine, other in zip(stream["comparisons"], memory["comparisons"], strict=True):
        keys = ("difference", "low", "high")
        numbers = [[each[key] for key in keys] for each in (mine, other)]
        assert numbers[0] == pytest.approx(numbers[1], rel=1e-9)
        assert [mine[key] for key in AS_IT_IS] == [other[key] for key in AS_IT_IS]
