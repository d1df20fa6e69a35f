"""The worked report on customers who left, number by number against the rows themselves."""

from __future__ import annotations

import csv
from pathlib import Path

import numpy as np
import pytest

from tests.end_to_end.wallet import ROOT, call, results

COLUMNS = {"logistic": "p_logreg", "forest": "p_rf", "boosted": "p_gbm"}
CAUGHT = {"logistic": 56, "forest": 103, "boosted": 103}  # of 159 who left, with 110 flagged
COST = {"logistic": 7.58, "forest": 7.35, "boosted": 6.53}  # of a customer, flagged from 1/21 on


@pytest.fixture(scope="module")
def ran(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("churn") / "out"
    cost = "{name: misclassification_cost, at: break-even}"
    choices = (
        "bootstrap.replicates=99",
        "outputs=[json]",
        "comparisons.against=all",
        "curves=[]",
        f"metrics=[roc_auc, brier, log_loss, {cost}]",
        "report.headline=[]",
    )
    given = [each for choice in choices for each in ("--set", choice)]
    config = ROOT / "configs" / "churn.yaml"
    assert call("run", config, "--out", folder, "--quiet", "--no-cache", *given) == 0
    return folder


def rows() -> tuple[np.ndarray, dict[str, np.ndarray]]:
    """Who left, and what each model says of them."""
    with (ROOT / "configs" / "data" / "churn.csv").open() as file:
        read = list(csv.DictReader(file))
    scores = {m: np.array([float(row[c]) for row in read]) for m, c in COLUMNS.items()}
    return np.array([int(row["y_test"]) for row in read]), scores


@pytest.mark.parametrize("model", COLUMNS)
def test_of_110_calls_as_many_catch_somebody_as_the_rows_say(ran: Path, model: str) -> None:
    [point] = [p for p in results(ran)["points"] if (p["name"], p["model"]) == ("call list", model)]
    y, scores = rows()
    cut = np.sort(scores[model])[-110]
    sure, tied = scores[model] > cut, scores[model] == cut
    by_hand = y[sure].sum() + y[tied].sum() / tied.sum() * (110 - sure.sum())
    assert point["true_positives"] == pytest.approx(by_hand) == CAUGHT[model]
    assert point["false_positives"] == pytest.approx(110 - by_hand)
    assert tied.sum() == (4 if model == "forest" else 1)


@pytest.mark.parametrize("model", COLUMNS)
def test_calls_where_one_costs_what_it_saves_cost_what_their_errors_add_up_to(
    ran: Path, model: str
) -> None:
    at = ("break-even", model)
    [point] = [p for p in results(ran)["points"] if (p["name"], p["model"]) == at]
    assert point["threshold"] == pytest.approx(10 / 210)
    y, scores = rows()
    flagged = scores[model] >= 10 / 210
    by_hand = (10 * (flagged & (y == 0)).sum() + 200 * (~flagged & (y == 1)).sum()) / len(y)
    [cost] = [
        e["value"]
        for e in results(ran)["estimates"]
        if e["model"] == model and e["metric"] == "misclassification_cost" and e["segment"] is None
    ]
    assert cost == pytest.approx(by_hand) and round(cost, 2) == COST[model]


def test_two_models_in_the_same_order_differ_by_their_probabilities(ran: Path) -> None:
    found = {
        c["key"]: c
        for c in results(ran)["comparisons"]
        if c["segment"] is None and {c["candidate"], c["baseline"]} == {"forest", "boosted"}
    }
    order, probability = found["roc_auc"], found["brier"]
    assert order["p_value"] == pytest.approx(0.9585187286362, abs=1e-6)  # pROC 1.18
    assert order["word"] not in ("better", "worse")
    assert probability["favours"] == "boosted"
    assert probability["word"] == ("better" if probability["candidate"] == "boosted" else "worse")
