"""Rows that teach shifts, beside those that are judged."""

import numpy as np
import pytest

from reportgen.planning.costs import are_same_rows
from tests.samples import make_sample

ONE = {"y": np.array([1.0, 2.0]), "scores": {"m": np.array([3.0, 4.0])}, "ids": ("a", "b")}
LAST = np.array([1.0, 5.0])


@pytest.mark.parametrize(
    ("changed", "same"),
    [
        ({"dataset": "fit"}, True),
        ({"weight": np.ones(2)}, True),
        ({"weight": LAST}, False),
        ({"ids": ("a", "c")}, False),
        ({"y": LAST}, False),
        ({"scores": {"m": LAST}}, False),
        ({"scores": {}}, False),
    ],
)
def test_rows_are_the_same_where_all_their_numbers_are(changed, same):
    assert are_same_rows(make_sample(**ONE), make_sample(**{**ONE, **changed})) is same
