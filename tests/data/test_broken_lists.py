"""A sample of the study of broken judgements and runs: each file is refused in one line."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

BENCHMARKS = str(Path(__file__).parents[2] / "benchmarks")


@pytest.fixture(scope="module")
def broken_lists():
    sys.path.insert(0, BENCHMARKS)
    try:
        import broken_lists

        yield broken_lists
    finally:
        sys.path.remove(BENCHMARKS)


def test_whole_files_go_through(broken_lists, tmp_path: Path) -> None:
    assert broken_lists.told(tmp_path, broken_lists.whole()) == (0, [])


def test_a_file_broken_in_any_way_is_refused_in_a_line_that_names_it(broken_lists) -> None:
    ends, faults = broken_lists.study(len(broken_lists.WAYS) * 2, seed=7)
    assert not faults
    assert sum(n for (_, kind), n in ends.items() if kind == "one line") > len(broken_lists.WAYS)
