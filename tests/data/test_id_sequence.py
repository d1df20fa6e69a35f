"""The sequence of ids: as numbers where they are numbers, else as their bytes stand."""

import numpy as np
import pyarrow as pa
import pytest

from reportgen.data.arrow import ArrowTexts
from reportgen.data.codes import order_by_number


@pytest.mark.parametrize(
    "ids",
    [
        [str(i) for i in range(120)],
        [f"row {i}" for i in range(8, 1200, 7)],
        [f"{i / 4}" for i in range(4, 90)],
        [str(i) for i in range(-12, 30)],
        [str(10**30 + i) for i in range(-3, 30)] + ["5"],
    ],
    ids=["whole", "after a text", "decimal", "signed", "beyond 64 bits"],
)
def test_ids_that_are_numbers_stand_by_them(ids):
    sorted_ids = sorted(ids)
    order = order_by_number(sorted_ids)
    shared = "row "
    numbers = [float(sorted_ids[k].removeprefix(shared)) for k in order]
    assert np.all(np.diff(numbers) >= 0)


@pytest.mark.parametrize("ids", [[], ["a", "b", "c10"], ["10", "11", "9x"], ["1.2.3", "1.2.4"]])
def test_ids_that_are_no_numbers_stand_as_they_are(ids):
    assert order_by_number(sorted(ids)) is None


@pytest.mark.parametrize(
    "ids",
    [
        [str(i) for i in range(120)],
        [f"ä{i}" for i in range(95, 120)],
        ["1", "01", "2"],
        [str(10**30 + i) for i in range(-3, 30)] + ["5"],
        ["1\n", "10", "2"],
        ["a", "a7"],
        [],
    ],
    ids=["whole", "after a letter", "alike", "beyond 64 bits", "a line", "none", "empty"],
)
def test_ids_of_a_file_stand_as_those_of_a_list(ids):
    expected = order_by_number(sorted(ids))
    order = order_by_number(ArrowTexts(pa.array(sorted(ids), pa.large_string())))
    assert (order is None) == (expected is None)
    assert order is None or np.array_equal(order, expected)
