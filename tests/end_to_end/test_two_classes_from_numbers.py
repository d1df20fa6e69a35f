"""A number as target that is cut in two, and scores of which a low one says more."""

from pathlib import Path

import numpy as np
import pytest
from sklearn.metrics import roc_auc_score

from tests.end_to_end.test_operating_points import put
from tests.end_to_end.test_prevalence import values
from tests.end_to_end.wallet import call, heard, results

COUNTED = {"list": {"k": 40}}


def told(folder: Path, **changes: object) -> dict[str, object]:
    """The results of a run on 400 rows."""
    config = put(folder, COUNTED, **{"metrics": ["roc_auc"], **changes})
    assert call("run", config, "--out", folder / "out", "--quiet", "--no-cache") == 0
    return results(folder / "out")


@pytest.mark.parametrize("cut", [{"above": 1}, {"quantile": 0.5}])
def test_rows_above_a_number_are_positive(tmp_path: Path, cut: dict[str, float]) -> None:
    found = told(tmp_path, test={"target": "w", "positive": cut})
    rows = np.genfromtxt(tmp_path / "t.csv", delimiter=",", names=True)
    limit = cut.get("above", np.quantile(rows["w"], 0.5))
    expected = roc_auc_score(rows["w"] > limit, rows["p_b"])
    assert values(found)["roc_auc"] == pytest.approx(expected)
    name = "above 1" if "above" in cut else "top 50%"
    assert name in (tmp_path / "out" / "report.md").read_text(encoding="utf-8")


def test_a_predicted_amount_calls_at_the_amount_with_its_matrix_and_its_costs(
    tmp_path: Path,
) -> None:
    cost = {"name": "misclassification_cost", "at": "over"}
    found = told(tmp_path, test={"target": "w", "positive": {"above": 1}},
                 models={"a": {"column": "p_a", "scale": "score", "role": "baseline"},
                         "b": {"column": "p_b", "scale": "score"}},
                 costs={"fp": 10, "fn": 60, "currency": "EUR"},
                 thresholds={"over": {"fixed": 0.6}}, metrics=[cost])  # fmt: skip
    rows = np.genfromtxt(tmp_path / "t.csv", delimiter=",", names=True)
    y, called = rows["w"] > 1, rows["p_b"] >= 0.6
    [point] = [p for p in found["points"] if p["model"] == "b"]  # type: ignore[attr-defined]
    cells = (point["true_positives"], point["false_positives"], point["false_negatives"])
    assert cells == ((called & y).sum(), (called & ~y).sum(), (~called & y).sum())
    expected = (10 * cells[1] + 60 * cells[2]) / len(y)
    assert values(found)["misclassification_cost"] == pytest.approx(expected)
    page = (tmp_path / "out" / "report.md").read_text(encoding="utf-8")
    assert "| **w**<br>target; 1 is above 1 |" in page


@pytest.mark.parametrize("order", ["ascending", "rank"])
def test_a_low_score_may_say_more(tmp_path: Path, order: str) -> None:
    place = {"column": "w", "scale": "rank", "order": order, "role": "baseline"}
    found = told(tmp_path, models={"a": place, "b": {"column": "p_b"}})
    rows = np.genfromtxt(tmp_path / "t.csv", delimiter=",", names=True)
    assert values(found, "a")["roc_auc"] == pytest.approx(roc_auc_score(rows["y"], -rows["w"]))


@pytest.mark.parametrize(("changes", "said"), [
    ({"models": {"a": {"column": "p_a", "order": "ascending"}}},
     "models.a.order: a probability has none; remove it, or say scale: score"),
    ({"models": {"a": {"column": "p_a", "scale": "score", "order": "ascending"}},
      "thresholds": {"half": {"fixed": 0.5}}},
     "calls are counted: take share, k or budget"),
    ({"test": {"positive": {"above": 1, "quantile": 0.5}}},
     "datasets.d.positive wants above: 100, or quantile: 0.9, and not both"),
    ({"test": {"positive": {"above": "x"}}}, "datasets.d.positive.above wants a number, not 'x'"),
    ({"test": {"positive": {"above": 1}}, "classes": ["no", "yes"]},
     "positive cuts a number into the classes 0 and 1; name those"),
])  # fmt: skip
def test_what_cannot_be_is_told(tmp_path: Path, changes: dict[str, object], said: str) -> None:
    config = put(tmp_path, COUNTED, **{"metrics": ["roc_auc"], **changes})
    code, _, error = heard("validate", config, cwd=tmp_path)
    assert code == 2
    assert said in error
