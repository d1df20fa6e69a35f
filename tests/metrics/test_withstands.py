"""What rows with a wrong y can do to a metric at most, held against such rows."""

import numpy as np
import pytest

from reportgen.metrics import METRICS
from tests.metrics.cases import rows_of, suited

PARAMS = {
    "quantile_coverage": {"quantile": 0.9},
    "pinball": {"alpha": 0.8},
    "ranking_last": {"buckets": 5},
}
N = 40
LIMITS = {"rows": lambda k: k / N, "pairs": lambda k: 2 * k / N, "ranks": lambda k: 3 * k / (N + 1)}


def values(name, y, score):
    parts = {"mean": score, "sd": np.ones(N)}
    rows = rows_of(name, *suited(name, y, score), parts)
    return METRICS[name].use(**PARAMS.get(name, {})).bind(rows).define(np.ones(N))


def named(*kinds):
    uses = {name: m.use(**PARAMS[name]) if name in PARAMS else m for name, m in METRICS.items()}
    return [name for name, metric in uses.items() if metric.withstands in kinds]


def test_the_kinds_are_those_of_the_paper():
    assert {"kendall", "kendall_a", "tau_tilde", "regression_auc"} <= set(named("pairs"))
    assert set(named("ranks")) == {"spearman", "rho_tilde"}
    assert named("half") == ["median_ae"]
    assert {"mae", "mse", "rmse", "r2", "bias", "mape", "wape"} <= set(named("nothing"))
    calls = {
        "accuracy",
        "error_rate",
        "flagged",
        "found",
        "missed",
        "false_positives",
        "net_benefit",
    }
    calls |= {"brier", "calibration_bias", "multiclass_accuracy", "multiclass_error_rate"}
    calls |= {"multiclass_brier", "top_k_accuracy", "rps"}
    calls |= {"hamming_loss", "subset_accuracy", "lrap", "ranking_loss", "one_error"}
    calls |= {"multilabel_brier"}
    calls |= {"pass_at", "pass_all"}
    assert {"smape", "quantile_coverage", "judged_at", "rbp_residual", *calls} == set(named("rows"))
    assert {"pearson", "topk_capture"} <= set(named("range"))


@pytest.mark.parametrize("k", [1, 4])
@pytest.mark.parametrize("name", named("rows", "pairs", "ranks"))
def test_no_wrong_rows_do_more_than_is_said(name, k):
    metric = METRICS[name].use(**PARAMS.get(name, {}))
    limit = LIMITS[metric.withstands](k) * (metric.bounds[1] - metric.bounds[0])
    for seed in range(30):
        rng = np.random.default_rng(seed)
        y = rng.normal(size=N)
        score = y + rng.normal(size=N) * rng.choice([0.0, 0.5, 3.0])
        wrong = y.copy()
        wrong[np.argsort(y)[:k]] = 1e6 * rng.random(k) + 1e6
        assert abs(values(name, wrong, score) - values(name, y, score)) <= limit + 1e-12


@pytest.mark.parametrize("name", ["mae", "mse", "rmse", "bias", "wape", "pinball", "ranking_last"])
def test_one_wrong_row_moves_a_mean_of_losses_without_limit(name):
    y = np.linspace(1.0, 2.0, N)
    wrong = y.copy()
    wrong[-1] = 1e12
    assert abs(values(name, wrong, y)) > 50 * abs(values(name, y, y)) + 50


def test_half_of_the_rows_cannot_move_a_median_past_the_others():
    y = np.linspace(1.0, 2.0, N)
    score = y + 0.1
    wrong = y.copy()
    wrong[: N // 2 - 1] = 1e12
    assert values("median_ae", wrong, score) == pytest.approx(0.1)
