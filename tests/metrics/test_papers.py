"""Numbers that were printed, from data made as their authors made it; and identities they state."""

import numpy as np
import pytest

from reportgen.kernels.row_pairs import compute_row_pairs
from reportgen.metrics import METRICS
from reportgen.metrics.rows import Amounts

AS_PRINTED = {"buckets": 10, "edges": "integer"}
# "Evaluating ranking in regression": what it prints as MAE is the root mean squared error.
PRINTED = {
    "rmse": ({}, ("58.205", "2.242", "1.400")),
    "spearman": ({}, ("0.99759", "0.94718", "0.01447")),
    "kendall": ({}, ("0.96163", "0.80227", "0.00976")),
    "regression_auc": ({"ties": "strict"}, ("0.98081", "0.90113", "0.50488")),
    "ranking_last": (AS_PRINTED, ("1.79617", "1.70048", "0.12308")),
    "ranking_first": (AS_PRINTED, ("-1.76345", "-1.70674", "0.07232")),
    "ranking_difference": (AS_PRINTED, ("3.55962", "3.40723", "0.05076")),
    "ranking_slope": (AS_PRINTED, ("0.34367", "0.32808", "0.00722")),
}


@pytest.fixture(scope="module")
def article():
    """The article's y and its three scores, by its own code."""
    seeds = np.random.RandomState(42).randint(low=0, high=2**32 - 1, size=4)
    y, *noise = (np.random.RandomState(seed).normal(size=1000) for seed in seeds)
    return y, (np.exp(3 + y) + noise[0], 3 * y + noise[1], noise[2])


@pytest.mark.parametrize("name", PRINTED)
def test_the_article_printed_these_numbers(article, name):
    y, scores = article
    params, printed = PRINTED[name]
    for score, text in zip(scores, printed, strict=True):
        value = METRICS[name].use(**params).bind(Amounts(y, score)).define(np.ones(1000))
        assert f"{value:.{len(text.partition('.')[2])}f}" == text


def tied_rows(n=80):
    rng = np.random.default_rng(8)
    y = np.maximum(np.round(rng.normal(size=n), 1), 0)
    return y, np.round(y + rng.normal(size=n)), rng.exponential(1, n)


def value(name, y, score, weight, **params):
    return METRICS[name].use(**params).bind(Amounts(y, score)).define(weight)


def test_auc_is_tau_rescaled_where_nothing_is_tied(article):
    y, scores = article
    for score in scores:
        tau = value("kendall", y, score, np.ones(1000))
        assert value("kendall_a", y, score, np.ones(1000)) == pytest.approx(tau, rel=1e-12)
        auc = value("regression_auc", y, score, np.ones(1000))
        assert auc == pytest.approx((1 + tau) / 2, rel=1e-12)


def test_strict_auc_lacks_half_of_the_tied_share():
    y, score, weight = tied_rows()
    tied = value("tied_scores", y, score, weight)
    half, strict = (value("regression_auc", y, score, weight, ties=t) for t in ("half", "strict"))
    assert half - strict == pytest.approx(tied / 2, rel=1e-12)


def test_tau_tilde_is_the_mean_share_of_concordant_rows():
    y, score, weight = tied_rows()
    pairs = compute_row_pairs(Amounts(y, score), weight)
    credit = pairs.concordant + (pairs.tied_y + pairs.tied_score + pairs.tied_both) / 2
    share, others = credit / (weight.sum() - weight), weight * (weight.sum() - weight)
    assert value("tau_tilde", y, score, weight) == pytest.approx(
        share @ others / others.sum(), rel=1e-12
    )


def test_raw_aoc_is_the_half_sum_of_squared_differences_of_errors():
    y, score, weight = tied_rows()
    error = score - y
    pairs = np.outer(weight, weight) * (error[:, None] - error) ** 2
    aoc = value("aoc", y, score, weight, raw=True)
    assert aoc == pytest.approx(pairs.sum() / 4, rel=1e-12)
    variance = value("error_variance", y, score, weight)
    assert aoc == pytest.approx(weight.sum() ** 2 / 2 * variance, rel=1e-12)


def test_mean_squared_error_is_squared_bias_plus_error_variance():
    rows = tied_rows()
    parts = value("bias", *rows) ** 2 + value("error_variance", *rows)
    assert value("rmse", *rows) ** 2 == pytest.approx(parts, rel=1e-12)


def test_asymmetric_cost_is_a_line_through_over_and_under():
    rows = tied_rows()
    for alpha in (0.0, 0.3, 1.0):
        line = 2 * (1 - alpha) * value("over", *rows) - 2 * alpha * value("under", *rows)
        cost = value("asymmetric_cost", *rows, alpha=alpha)
        assert cost == pytest.approx(line, rel=1e-12)
        assert 2 * value("pinball", *rows, alpha=alpha) == pytest.approx(cost, rel=1e-12)


def test_bucket_means_are_the_mean_over_all_orders_of_ties():
    y, score = np.arange(23.0) ** 2 % 17, np.arange(23) // 5.0
    rng, one, found = np.random.default_rng(0), np.ones(23), []
    for _ in range(4000):
        order = rng.permutation(23)
        untied = np.argsort(np.lexsort((order, score))).astype(float)
        found.append(value("ranking_last", y, untied, one, buckets=4))
    expected = value("ranking_last", y, score, one, buckets=4)
    assert np.mean(found) == pytest.approx(expected, abs=4 * np.std(found) / np.sqrt(4000))
    assert np.std(found) > 0
