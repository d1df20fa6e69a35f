"""Metrics against other people's programs on real data: 23,570 customers, 70 % of them at zero."""

from pathlib import Path

import numpy as np
import pytest
from scipy import special, stats
from sklearn import metrics as sk

from reportgen.kernels.batch import Batch
from reportgen.metrics import METRICS
from reportgen.metrics.rows import Amounts

CDNOW = Path(__file__).parents[2] / "configs" / "data" / "cdnow.csv"
SCORES = ("score_clv_bgnbd_gg", "score_gbm_time", "score_rfm", "score_last91")


@pytest.fixture(scope="module")
def wallet():
    columns = ("y_spend_hold", "weight", *SCORES)
    table = np.genfromtxt(CDNOW, delimiter=",", names=True, usecols=columns)
    return {name: np.ascontiguousarray(table[name]) for name in columns}


def pairwise_auc(y, score):
    """Right pairs plus half the tied ones, over the pairs with different y, block by block."""
    right = pairs = 0
    for start in range(0, len(y), 500):
        higher = y[start : start + 500, None] > y
        above = score[start : start + 500, None]
        right += 2 * (higher & (above > score)).sum() + (higher & (above == score)).sum()
        pairs += higher.sum()
    return right / 2 / pairs


TRUTHS = {
    "kendall": lambda y, score: stats.kendalltau(y, score).statistic,
    "spearman": lambda y, score: stats.spearmanr(y, score).statistic,
    "pearson": lambda y, score: stats.pearsonr(y, score).statistic,
    "mae": sk.mean_absolute_error,
    "mse": sk.mean_squared_error,
    "rmse": sk.root_mean_squared_error,
    "r2": sk.r2_score,
    "median_ae": sk.median_absolute_error,
    "regression_auc": pairwise_auc,
}


@pytest.mark.parametrize("score", SCORES)
@pytest.mark.parametrize("name", TRUTHS)
def test_the_value_is_that_of_scipy_or_scikit_learn(wallet, name, score):
    y, score = wallet["y_spend_hold"], wallet[score]
    found = METRICS[name].bind(Amounts(y, score))(Batch.from_weights(np.ones(len(y))))[0]
    assert found == pytest.approx(TRUTHS[name](y, score), rel=1e-12, abs=1e-12)


@pytest.mark.parametrize("name", TRUTHS)
def test_whole_weights_are_repeated_rows(wallet, name):
    y, score = wallet["y_spend_hold"][::5], wallet["score_gbm_time"][::5]
    times = wallet["weight"][::5].astype(int)
    repeated = y.repeat(times), score.repeat(times)
    found = METRICS[name].bind(Amounts(y, score)).define(times.astype(float))
    assert found == pytest.approx(TRUTHS[name](*repeated), rel=1e-12, abs=1e-12)


@pytest.mark.parametrize("alpha", [0.1, 0.5, 0.8])
def test_pinball_is_scikit_learns_with_weights(wallet, alpha):
    y, score, weight = (wallet[c] for c in ("y_spend_hold", "score_gbm_time", "weight"))
    found = METRICS["pinball"].use(alpha=alpha).bind(Amounts(y, score)).define(weight)
    truth = sk.mean_pinball_loss(y, score, sample_weight=weight, alpha=alpha)
    assert found == pytest.approx(truth, rel=1e-12)


SKLEARN = {
    "mape": lambda *rows, **w: 100 * sk.mean_absolute_percentage_error(*rows, **w),
    "wape": lambda y, score, sample_weight: (
        100
        * sk.mean_absolute_error(y, score, sample_weight=sample_weight)
        / np.average(np.abs(y), weights=sample_weight)
    ),
    "rmsle": sk.root_mean_squared_log_error,
}


@pytest.mark.parametrize("name", SKLEARN)
def test_relative_errors_are_scikit_learns_with_weights(wallet, name):
    kept = wallet["y_spend_hold"] > 0
    y, score, weight = (wallet[c][kept] for c in ("y_spend_hold", SCORES[0], "weight"))
    found = METRICS[name].bind(Amounts(y, score)).define(weight)
    assert found == pytest.approx(SKLEARN[name](y, score, sample_weight=weight), rel=1e-12)


@pytest.mark.parametrize("power", [-1.0, 1.0, 1.5, 1.9, 2.0, 3.0])
def test_deviance_is_scikit_learns_with_weights(wallet, power):
    y, score, weight = (wallet[c] for c in ("y_spend_hold", SCORES[0], "weight"))
    kept = (score > 0) & ((y > 0) | (power < 2))
    y, score, weight = y[kept], score[kept], weight[kept]
    found = METRICS["deviance"].use(power=power).bind(Amounts(y, score)).define(weight)
    truth = sk.mean_tweedie_deviance(y, score, sample_weight=weight, power=power)
    assert found == pytest.approx(truth, rel=1e-11)


def test_scores_of_distributions_are_those_of_another_program():
    # scoringrules 0.10.0, weighted by w: crps_normal(y, mean, sd), and crps_quantile(y, q, levels),
    # which is the weighted interval score of these quantiles
    y = np.array([50, 60, 53, 57, 67, 43, 43, 44, 42, 58, 46, 44.0])
    mean = np.array([54, 49, 55, 50, 46, 41, 57, 51, 44, 56, 53, 59.0])
    sd = np.array([5, 5, 8, 8, 3, 3, 10, 10, 6, 6, 6, 2.0])
    w = np.array([1, 2, 0.5, 1, 1, 3, 1, 1, 0.25, 1, 2, 1])
    levels = np.array([0.025, 0.1, 0.25, 0.5, 0.75, 0.9, 0.975])
    q = np.round(mean[:, None] + special.ndtri(levels) * sd[:, None], 1)
    parts = {"mean": mean, "sd": sd}
    normal = METRICS["crps"].use().bind(Amounts(y, mean, parts))
    assert normal(Batch.from_weights(w))[0] == pytest.approx(5.757352903628258, rel=1e-12)
    named = {f"q{100 * level:.10g}": q[:, k] for k, level in enumerate(levels)}
    use = METRICS["weighted_interval_score"].use(levels="0.5, 0.8, 0.95")
    assert use.bind(Amounts(y, mean, named))(Batch.from_weights(w))[0] == pytest.approx(
        4.737336561743342, rel=1e-12
    )


def test_the_interval_score_is_that_of_another_program():
    # scores 2.7.0: scores.continuous.interval_score(low, high, y, 0.8, weights=w).total
    y, score = np.array([5.0, 9, 2, 4, 7, 1]), np.zeros(6)
    ends = {"q10": np.array([4.0, 4, 3, 1, 7, 0]), "q90": np.array([7.0, 7, 5, 4, 9, 0.5])}
    metric = METRICS["interval_score"].use(level=0.8).bind(Amounts(y, score, ends))
    found = [metric.define(w) for w in (np.ones(6), np.array([1.0, 2, 1, 0.5, 3, 1]))]
    assert found == pytest.approx([97 / 12, 8.705882352941176], rel=1e-14)


@pytest.mark.parametrize("above", [0.0, 100.0])
def test_cutoff_auc_is_scikit_learns_roc_auc_with_weights(wallet, above):
    y, score, weight = (wallet[c] for c in ("y_spend_hold", "score_rfm", "weight"))
    found = METRICS["cutoff_auc"].use(above=above).bind(Amounts(y, score)).define(weight)
    truth = sk.roc_auc_score(y > above, score, sample_weight=weight)
    assert found == pytest.approx(truth, rel=1e-12)


def test_cutoff_auc_at_a_quantile_cuts_there(wallet):
    y, score = wallet["y_spend_hold"], wallet["score_rfm"]
    found = METRICS["cutoff_auc"].use(quantile=0.9).bind(Amounts(y, score)).define(np.ones(len(y)))
    cut = np.quantile(y, 0.9, method="inverted_cdf")
    assert found == pytest.approx(sk.roc_auc_score(y > cut, score), rel=1e-12)


# R 4.2.2, survival 3.5-3: concordance(y ~ score)[concordance, var] on rows 1, 21, 41, …; its
# variance is the infinitesimal jackknife.
CONCORDANCE = {
    "score_clv_bgnbd_gg": (0.732348495409283, 0.000207264110286),
    "score_gbm_time": (0.731907054041717, 0.000190828238903),
    "score_rfm": (0.730174089168423, 0.000186052985307),
    "score_last91": (0.666985105795592, 0.000159931131909),
}
WEIGHTED_CONCORDANCE = (0.786303843065773, 0.000411736712717)


def value_and_variance(y, score, weight):
    auc = METRICS["regression_auc"].bind(Amounts(y, score))
    influence = auc.influence(weight)
    return auc.define(weight), ((weight * influence) ** 2).sum() / weight.sum() ** 2


@pytest.mark.parametrize("score", SCORES)
def test_auc_and_its_influence_variance_are_those_of_rs_concordance(wallet, score):
    y, score_values = wallet["y_spend_hold"][::20], wallet[score][::20]
    found = value_and_variance(y, score_values, np.ones(len(y)))
    assert found == pytest.approx(CONCORDANCE[score], rel=1e-10)


def test_weighted_auc_and_its_influence_variance_are_those_of_rs_concordance(wallet):
    y, score, weight = (wallet[c][::20] for c in ("y_spend_hold", SCORES[0], "weight"))
    assert value_and_variance(y, score, weight) == pytest.approx(WEIGHTED_CONCORDANCE, rel=1e-10)


def test_the_variance_of_a_paired_difference_is_that_of_rs_dfbeta(wallet):
    y, one = wallet["y_spend_hold"][::20], np.ones(1179)
    clv, gbm = (
        METRICS["regression_auc"].bind(Amounts(y, wallet[s][::20])).influence(one)
        for s in SCORES[:2]
    )
    assert np.sqrt(((clv - gbm) ** 2).sum()) / 1179 == pytest.approx(0.0103461008, rel=1e-8)


@pytest.mark.parametrize("score", ("score_clv_bgnbd_gg", "score_rfm"))
@pytest.mark.parametrize("name", ["mae", "r2", "pearson", "kendall", "spearman", "regression_auc"])
def test_leaving_out_a_customer_is_recomputing_without_him(wallet, name, score):
    y, score, weight = (wallet[c] for c in ("y_spend_hold", score, "weight"))
    found = METRICS[name].bind(Amounts(y, score)).leave_one_out(weight)
    for row in (0, int(np.argmax(y)), int(np.argmax(weight)), 23_569):
        rest = METRICS[name].bind(Amounts(np.delete(y, row), np.delete(score, row)))
        assert found[row] == pytest.approx(rest.define(np.delete(weight, row)), rel=1e-12)


@pytest.mark.parametrize("noise", [1.0, 0.01])
def test_influence_of_functions_of_means_has_eleven_digits(noise):
    draw = np.random.default_rng(8)
    y, weight = draw.gamma(1.5, 20, 400), draw.gamma(2, 1, 400)
    score = y + noise * draw.normal(size=400)
    share, square = weight / weight.sum(), (score - y) ** 2
    mean = share @ square
    off = y - share @ y, score - share @ score
    variance = [share @ each**2 for each in off]
    a, b = (each / np.sqrt(of) for each, of in zip(off, variance, strict=True))
    expected = {
        "rmse": (square - mean) / (2 * np.sqrt(mean)),
        "r2": (mean / variance[0] * off[0] ** 2 - square) / variance[0],
        "pearson": a * b - share @ (a * b) * (a**2 + b**2) / 2,
    }
    for name, influence in expected.items():
        found = METRICS[name].bind(Amounts(y, score)).influence(weight)
        assert found == pytest.approx(influence, rel=1e-11, abs=1e-11), name
