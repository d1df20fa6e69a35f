"""How a metric lays out its columns moves no digit of what it gives."""

import numpy as np
import pytest

from reportgen.metrics import METRICS
from reportgen.metrics.influence import influence_of_means
from reportgen.metrics.rows import Amounts


@pytest.mark.parametrize("name", ["pearson", "r2", "rmse"])
def test_influence_is_summed_row_by_row_however_columns_lie(name):
    draw = np.random.default_rng(1)
    y, weight = draw.gamma(2.0, 5.0, 5000), draw.random(5000)
    by_column = METRICS[name].use().bind(Amounts(y, y + 1 / (1 + y)))
    assert by_column.columns.flags.f_contiguous
    by_row = np.ascontiguousarray(by_column.columns)
    found = influence_of_means(by_row, weight, by_column._finish_means, by_column._scale)
    assert np.array_equal(by_column.influence(weight), found)
