"""AUC and average precision = those of scikit-learn on the resample, or with sample weights."""

import numpy as np
import pytest
from sklearn import metrics

from reportgen.kernels.auc import compute_auc_sums, compute_average_precision
from reportgen.kernels.batch import Batch
from reportgen.metrics.rows import Amounts
from tests.kernels.conftest import BATCHES, SIZES, TIES, batch_of, data


def labelled(n, ties):
    rows = data(n, ties)
    return Amounts(
        (rows.y.values + np.random.default_rng(n).normal(size=n) > 0.8) * 1.0, rows.score
    )


@pytest.mark.parametrize("kind", BATCHES)
@pytest.mark.parametrize("ties", TIES)
def test_pairs_won_and_lost_are_sums_over_all_pairs(path, kind, ties):
    for n in SIZES:
        rows, batch = labelled(n, ties), batch_of(n, kind)
        sums = compute_auc_sums(rows, batch)
        higher = np.sign(rows.score.values[:, None] - rows.score.values)
        mixed = (rows.y.values[:, None] == 1) & (rows.y.values == 0)
        for lane in range(0, batch.size, 17):
            weight = batch.weights[:, lane]
            pair = weight[:, None] * weight * mixed
            allowed = 1e-12 * max(weight.sum() ** 2, 1e-300)
            assert abs(sums.won[lane] - pair[higher > 0].sum()) <= allowed
            assert abs(sums.lost[lane] - pair[higher < 0].sum()) <= allowed
            assert abs(sums.tied[lane] - pair[higher == 0].sum()) <= 4 * allowed


@pytest.mark.parametrize("kind", BATCHES)
@pytest.mark.parametrize("ties", TIES)
def test_both_are_those_of_scikit_learn_under_weights(path, kind, ties):
    for n in (16, 64, 300):
        rows, batch = labelled(n, ties), batch_of(n, kind)
        auc, precision = compute_auc_sums(rows, batch).auc, compute_average_precision(rows, batch)
        for lane in range(0, batch.size, 17):
            weight = batch.weights[:, lane]
            seen = weight > 0
            y, score, w = rows.y.values[seen], rows.score.values[seen], weight[seen]
            if len(np.unique(y)) < 2:
                assert np.isnan(auc[lane])
                assert np.isnan(precision[lane]) or y.any()
                continue
            expected = metrics.roc_auc_score(y, score, sample_weight=w)
            assert abs(auc[lane] - expected) < 1e-12
            expected = metrics.average_precision_score(y, score, sample_weight=w)
            assert abs(precision[lane] - expected) < 1e-12


def test_a_single_class_has_no_auc(path):
    rows = Amounts(np.ones(20), np.arange(20.0))
    batch = Batch(np.ones((20, 64), np.uint8))
    assert np.isnan(compute_auc_sums(rows, batch).auc).all()
    assert (compute_average_precision(rows, batch) == 1).all()
