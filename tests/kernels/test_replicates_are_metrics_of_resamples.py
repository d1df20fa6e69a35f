"""A replicate is the library's own metric on the resample written out, to 1e-12."""

import numpy as np
import pytest
from scipy import stats
from sklearn import metrics

from reportgen.kernels.batch import Batch
from reportgen.kernels.pairs import compute_pair_sums, compute_rank_sums
from reportgen.kernels.resample_counts import draw_multinomial_counts
from reportgen.kernels.sums import weighted_sums
from tests.kernels.conftest import data


def resamples(rows, count):
    """Each replicate's y and score with every row as often as it was drawn."""
    for lane in range(count.shape[1]):
        drawn = np.repeat(np.arange(len(rows)), count[:, lane])
        yield rows.y.values[drawn], rows.score.values[drawn]


@pytest.fixture(params=[(40, "none"), (40, "many"), (700, "some")])
def drawn(request):
    n, ties = request.param
    return data(n, ties), draw_multinomial_counts(n, 64, key=n, batch_index=0)


def test_kendall_is_that_of_the_resample(path, drawn):
    rows, count = drawn
    sums = compute_pair_sums(rows, Batch(count))
    got = sums.difference / np.sqrt(sums.untied_y * sums.untied_score)
    expected = [stats.kendalltau(score, y).statistic for y, score in resamples(rows, count)]
    assert np.abs(got - expected).max() < 1e-12


def test_spearman_is_that_of_the_resample(path, drawn):
    rows, count = drawn
    sums = compute_rank_sums(rows, Batch(count))
    got = sums.score_y / np.sqrt(sums.y_y * sums.score_score)
    expected = [stats.spearmanr(score, y).statistic for y, score in resamples(rows, count)]
    assert np.abs(got - expected).max() < 1e-12


def test_mean_errors_are_those_of_the_resample(path, drawn):
    rows, count = drawn
    error = rows.error.values
    sums = weighted_sums(Batch(count), np.stack([np.abs(error), error**2], axis=1)) / len(rows)
    expected = [
        (metrics.mean_absolute_error(y, score), metrics.mean_squared_error(y, score))
        for y, score in resamples(rows, count)
    ]
    assert np.abs(sums - expected).max() < 1e-12


def test_the_pairs_of_a_resample_are_those_of_rows_and_those_of_copies(path, drawn):
    rows, count = drawn
    sums = compute_pair_sums(rows, Batch(count))
    copies = (sums.squares - sums.weight) / 2  # pairs of copies of one row
    assert (sums.total + copies == len(rows) * (len(rows) - 1) / 2).all()
