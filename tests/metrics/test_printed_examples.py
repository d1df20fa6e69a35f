"""Small examples with the numbers that two widely read introductions print for them."""

import numpy as np
import pytest
from sklearn.metrics import roc_auc_score

from reportgen import metrics

RANKED = [0, 1, 1, 0, 1, 0], [0.1, 0.8, 0.4, 0.2, 0.9, 0.3]  # every positive above every negative


@pytest.mark.parametrize(
    ("probability", "printed"), [(0.5, "0.693147"), (0.9, "0.105361"), (0.1, "2.302585")]
)
def test_log_loss_of_one_row_is_as_printed(probability, printed):
    assert f"{metrics.log_loss([1], [probability]):.6f}" == printed


def test_nine_right_answers_of_ten_are_an_accuracy_of_nine_tenths():
    assert metrics.accuracy([1] * 10, [1.0] * 9 + [0.0]) == 0.9


def test_a_spam_filter_that_finds_nothing_is_right_more_often_than_one_that_works():
    y = [0] * 100 + [1] * 10
    works = [0.0] * 90 + [1.0] * 10 + [1.0] * 5 + [0.0] * 5
    assert metrics.accuracy(y, works) == pytest.approx(0.8636363636363636, abs=1e-15)
    assert metrics.accuracy(y, [0.0] * 110) == pytest.approx(0.9090909090909091, abs=1e-15)


@pytest.mark.parametrize("weight", [None, [0.8**i for i in range(6)]])
def test_a_perfect_order_has_an_area_of_one_whatever_the_weights(weight):
    assert metrics.roc_auc(*RANKED, weight) == 1 == roc_auc_score(*RANKED, sample_weight=weight)


def test_two_results_that_are_not_relevant_change_no_cumulated_gain():
    three, five = ([1, 1, 1], [3, 2, 1]), ([1, 1, 1, 0, 0], [5, 4, 3, 2, 1])
    for graded in (three, five):
        query = np.zeros(len(graded[0]))
        assert metrics.dcg(*graded, query, gain="exp2") == pytest.approx(2.1309297535714578)
        assert metrics.ap(*graded, query) == 1
    second = metrics.dcg([0, 1], [2, 1], [0, 0])
    assert 1 / second == pytest.approx(1.584962500721156)  # log2(3), what the second counts


@pytest.mark.parametrize(("found", "expected"), [(3, 0.6), (5, 1.0)])
def test_average_precision_counts_relevant_documents_that_were_not_found(found, expected):
    y = [1] * 5 + [0] * 5
    score = [9 - k for k in range(found)] + [-20 - k for k in range(10 - found)]
    ap = metrics.ap(y, score, np.zeros(10), k=found, denominator="relevant")
    assert ap == pytest.approx(expected)


def test_f_measured_average_precision_weighs_beta_as_f_itself_does():
    """Of F .6 and AP .4 with beta 2 it is 3/7; a denominator of beta F + AP would give .75."""
    y, score = [0, 1, 0, 1, 1, 0, 0, 0, 0, 1], range(10, 0, -1)  # the tenth is past the first nine
    query = np.zeros(10)
    assert metrics.f_at(y, score, query, k=9, beta=2.0) == pytest.approx(0.6, rel=1e-12)
    assert metrics.ap(y, score, query, k=9) == pytest.approx(0.4, rel=1e-12)
    found = metrics.fap(y, score, query, k=9, beta=2.0)
    assert found == pytest.approx(0.42857142857142866, rel=1e-12)
    assert metrics.fap([1, 1], [2, 1], [0, 0], beta=2.0) == 1
