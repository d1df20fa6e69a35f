"""Losses that few rows pay: no false alarm of a heavy tail, a true one kept, few payers told of."""

import numpy as np
import pytest

from reportgen.checks.heavy_tails import UnitTails
from reportgen.checks.values import find_few_costly_errors, find_heavy_tail
from reportgen.metrics import METRICS
from reportgen.metrics.rows import Amounts
from tests.inference.evidence_samples import plain

USES = {
    "pinball": ("pinball", {"alpha": 0.95}),
    "cost": ("expected_cost", {"under": 19, "over": 1}),
    "interval": ("interval_score", {"level": 0.9}),
}
IDEAL = {
    "normal": lambda draw, n: draw.normal(size=n),
    "t3": lambda draw, n: draw.standard_t(3, n),
    "lognormal": lambda draw, n: draw.lognormal(0.0, 1.5, n),
}


def rows_of(kind, n, seed):
    """What happened, and the true quantiles of it at 5 and 95%."""
    y = IDEAL[kind](np.random.default_rng([n, seed]), n)
    low, high = np.quantile(IDEAL[kind](np.random.default_rng(1), 200_000), [0.05, 0.95])
    parts = {"q5": np.full(n, low), "q95": np.full(n, high)}
    return Amounts(y, np.full(n, high), parts)


def alarms(use, kind, n, runs):
    name, params = USES[use]
    found = 0
    for seed in range(runs):
        bound = METRICS[name].use(**params).bind(rows_of(kind, n, seed))
        error = bound.sides.error
        evidence = plain(
            1.0, [], "mean", (0.0, np.inf), n=n, influence=bound.influence(np.ones(n)) / n
        )
        tails = UnitTails(evidence, None, (error - error.mean()) / n, is_one_sided=True)
        found += find_heavy_tail(tails) is not None
    return found / runs


@pytest.mark.parametrize("use", USES)
@pytest.mark.parametrize("n", [100, 400, 1000])
def test_the_best_quantiles_of_normal_data_raise_no_alarm_of_a_heavy_tail(use, n):
    assert alarms(use, "normal", n, 60) <= 0.12  # 5% are allowed, and 8 more are chance


@pytest.mark.parametrize("use", USES)
def test_the_heavy_tail_of_a_lognormal_is_told_of(use):
    assert alarms(use, "lognormal", 400, 20) >= 0.9


@pytest.mark.parametrize("use", USES)
def test_who_pays_the_larger_cost_is_counted(use):
    name, params = USES[use]
    y = np.arange(100.0)
    rows = Amounts(y, np.full(100, 94.5), {"q5": np.full(100, 4.5), "q95": np.full(100, 94.5)})
    pays = METRICS[name].use(**params).bind(rows).sides.pays
    few = 10 if use == "interval" else 5
    assert pays.sum() == few
    found = find_few_costly_errors((int(pays.sum()), len(pays)), "row")
    assert found.numbers == {"payers": few, "units": 100, "few": 30, "counted": "row"}
    assert find_few_costly_errors((30, 30), "row") is None


@pytest.mark.parametrize(
    "params", [{"alpha": 0.5}, {"alpha": 0.7}, {"alpha": 0.2, "loss": "quadquad"}]
)
def test_a_loss_whose_sides_cost_about_the_same_has_none(params):
    rows = Amounts(np.arange(9.0), np.zeros(9))
    assert METRICS["expected_cost"].use(**params).bind(rows).sides is None
    assert METRICS["mae"].bind(rows).sides is None
