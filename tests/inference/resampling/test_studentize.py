"""Standard errors of replicates from sums, against those of the resampled rows."""

import numpy as np
import pytest

from reportgen.inference.resampling.replicates import iter_kept_columns
from reportgen.inference.resampling.studentize import (
    FrozenStandardError,
    compute_replicate_errors,
    multiply_unit_sums,
    sum_by_unit,
)
from tests.inference.evidence_samples import counts

DRAW = np.random.default_rng(6)
COLUMNS = DRAW.exponential(size=(30, 2))
WEIGHT = DRAW.uniform(0.5, 2.0, size=30)
COUNT = counts(30, 20)


def test_the_error_of_a_mean_is_that_of_the_rows_drawn():
    sums = sum_by_unit(COLUMNS[:, :1], np.ones(30))
    found = compute_replicate_errors(COUNT @ sums, COUNT @ multiply_unit_sums(sums))
    drawn = [np.repeat(COLUMNS[:, 0], m) for m in COUNT]
    assert found == pytest.approx([x.std() / np.sqrt(30) for x in drawn])


def test_the_error_of_a_weighted_ratio_is_its_influence_on_the_rows_drawn():
    sums = sum_by_unit(COLUMNS, WEIGHT)
    found = compute_replicate_errors(
        COUNT @ sums, COUNT @ multiply_unit_sums(sums), lambda m: m[:, 0] / m[:, 1]
    )
    for m, error in zip(COUNT, found, strict=True):
        w, rows = np.repeat(WEIGHT, m), np.repeat(COLUMNS, m, axis=0)
        over, under = w @ rows / w.sum()
        phi = (rows[:, 0] - over / under * rows[:, 1]) / under
        assert error == pytest.approx(np.sqrt(np.sum((w * phi) ** 2)) / w.sum(), rel=1e-10)


def test_clusters_add_up_before_they_are_squared():
    unit = np.arange(30) // 3
    sums = sum_by_unit(COLUMNS[:, :1], WEIGHT, unit, 10)
    m = counts(10, 5)
    found = compute_replicate_errors(m @ sums, m @ multiply_unit_sums(sums))
    mean = (m @ sums)[:, 1] / (m @ sums)[:, 0]
    each = sums[:, 1] - mean[:, None] * sums[:, 0]
    assert found == pytest.approx(np.sqrt((m * each**2).sum(axis=1)) / (m @ sums)[:, 0])


def test_a_replicate_without_weight_has_no_error():
    sums = sum_by_unit(COLUMNS[:, :1], np.ones(30))
    assert np.isnan(compute_replicate_errors(0 * sums[:1], 0 * multiply_unit_sums(sums)[:1]))[0]


@pytest.mark.parametrize(("unit", "kept"), [(None, 1), (np.arange(30) // 3, 0)])
def test_what_clusters_add_is_no_column_of_rows(unit, kept):
    units = 30 if unit is None else 10
    error = FrozenStandardError(np.ones(units), None, np.ones(30), unit)
    assert len(list(iter_kept_columns(error))) == kept
