"""Values at other shares of the classes than those of the rows."""

from pathlib import Path

import numpy as np
import pytest
import yaml
from sklearn.metrics import average_precision_score, log_loss

from tests.end_to_end.every_key_of_classes import SEVERAL, put_calls
from tests.end_to_end.test_operating_points import put
from tests.end_to_end.wallet import call, heard, results

HALF = {"half": {"fixed": 0.5}}
EVEN = {"a": 1 / 3, "b": 1 / 3, "c": 1 / 3}
METRICS = ["recall", "precision", "roc_auc", "average_precision", "log_loss"]


def told(folder: Path, **changes: object) -> dict[str, object]:
    """The results of a run on rows of which about 30% are positive."""
    config = put(folder, HALF, **{"metrics": METRICS, **changes})
    assert call("run", config, "--out", folder / "out", "--quiet", "--no-cache") == 0
    return results(folder / "out")


def values(found: dict[str, object], model: str = "b") -> dict[str, float]:
    """What each metric is on all rows."""
    rows = found["estimates"]
    return {
        e["metric"]: e["value"]
        for e in rows  # type: ignore[attr-defined]
        if e["model"] == model and e["segment"] is None
    }


def columns(folder: Path) -> tuple[np.ndarray, np.ndarray]:
    """What happened, and the probability of the better model."""
    rows = np.genfromtxt(folder / "t.csv", delimiter=",", names=True)
    return rows["y"] > 0, rows["p_b"]


def test_precision_follows_from_rates_and_the_declared_share(tmp_path: Path) -> None:
    found = values(told(tmp_path, prevalence={"target": 0.02}))
    y, p = columns(tmp_path)
    recall, fpr = np.mean(p[y] >= 0.5), np.mean(p[~y] >= 0.5)
    assert found["recall"] == pytest.approx(recall)
    assert found["precision"] == pytest.approx(0.02 * recall / (0.02 * recall + 0.98 * fpr))
    weight = np.where(y, 0.02 / y.mean(), 0.98 / (1 - y.mean()))
    expected = average_precision_score(y, p, sample_weight=weight)
    assert found["average_precision"] == pytest.approx(expected)


def test_what_asks_of_one_class_alone_stays(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    (tmp_path / "b").mkdir()
    plain, moved = told(tmp_path / "a"), told(tmp_path / "b", prevalence={"target": 0.02})
    for metric in ("recall", "roc_auc"):
        assert values(moved)[metric] == pytest.approx(values(plain)[metric], abs=1e-9)


def test_probabilities_are_moved_by_their_odds(tmp_path: Path) -> None:
    found = values(told(tmp_path, prevalence={"target": 0.02, "trained_at": 0.3}))
    y, p = columns(tmp_path)
    upper, lower = p * 0.02 / 0.3, (1 - p) * 0.98 / 0.7
    moved = upper / (upper + lower)
    weight = np.where(y, 0.02 / y.mean(), 0.98 / (1 - y.mean()))
    expected = log_loss(y, np.clip(moved, 2.2e-16, 1 - 2.2e-16), sample_weight=weight)
    assert found["log_loss"] == pytest.approx(expected)


def test_every_resample_has_the_declared_share(tmp_path: Path) -> None:
    found = told(tmp_path, prevalence={"target": 0.02}, metrics=["recall"])
    missed = [
        o
        for p in found["points"]
        for o in p["outcomes"]  # type: ignore[attr-defined]
        if o["metric"] in ("found", "missed") and p["model"] == "b"
    ]
    caught, left = sorted(missed, key=lambda each: each["metric"])
    assert caught["value"] + left["value"] == pytest.approx(20)
    assert caught["high"] + left["low"] == pytest.approx(20, abs=0.5)
    assert caught["high"] - caught["low"] < 20 * 0.25, "as sure as the recall of 120 positives"


def test_the_page_says_at_which_share(tmp_path: Path) -> None:
    told(tmp_path, prevalence={"target": 0.02, "trained_at": 0.5})
    page = (tmp_path / "out" / "report.md").read_text(encoding="utf-8")
    assert "weighted to 2.0% positive" in page
    assert "The odds of all probabilities are converted from 50% positive to these shares." in page
    assert "Found (of 20)" in page.replace("\\", "")


def test_a_number_of_calls_is_a_share_of_the_weight(tmp_path: Path) -> None:
    told(tmp_path, prevalence={"target": 0.02}, thresholds={"list": {"k": 40}})
    page = (tmp_path / "out" / "report.md").read_text(encoding="utf-8")
    assert "highest scores, 10% of all" in page and "40 highest scores" not in page


def test_few_rows_left_by_the_weights_are_warned_of(tmp_path: Path) -> None:
    few = {"filter": "y == 0 or id < 100"}
    for folder, share, is_raised in (("a", 0.1, False), ("b", 0.9, True)):
        (tmp_path / folder).mkdir()
        found = told(tmp_path / folder, prevalence={"target": share}, test=few, metrics=["recall"])
        assert ("W127" in [w["code"] for w in found["warnings"]]) == is_raised  # type: ignore[attr-defined]


@pytest.mark.parametrize("share", [None, 0.01])
def test_a_precision_that_few_negatives_decide_is_warned_of(
    tmp_path: Path, share: float | None
) -> None:
    changes = {} if share is None else {"prevalence": {"target": share}}
    found = told(tmp_path, **changes)
    leans = {w["key"] for w in found["warnings"] if w["code"] == "W127"}  # type: ignore[attr-defined]
    assert leans == (set() if share is None else {"average_precision"})
    page = (tmp_path / "out" / "report.md").read_text(encoding="utf-8")
    assert ("standard errors from the value" in page) == (share is not None)


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        (
            {"prevalence": {"target": {"0": 0.9, "1": 0.1}}},
            "prevalence.target: task: binary needs the share of the positive class, such as 0.05",
        ),
        (
            {"prevalence": {"target": 0.1}, "test": {"weight": "w"}},
            "datasets.d.weight: prevalence weights the rows itself; remove one of the two",
        ),
        (
            {"prevalence": {"target": 0.1}, "test": {"cluster": "w"}},
            "datasets.d.cluster: prevalence draws rows within their class",
        ),
        (
            {"prevalence": {"target": 0.1}, "bootstrap": {"weights": "poisson", "seed": 1}},
            "poisson does not; write multinomial",
        ),
        ({"prevalence": {"target": 1.5}}, "prevalence.target"),
    ],
)
def test_what_does_not_go_with_it_is_told(
    tmp_path: Path, changes: dict[str, object], said: str
) -> None:
    config = put(tmp_path, HALF, **{"metrics": ["recall"], **changes})
    code, _, error = heard("validate", config, cwd=tmp_path)
    assert code == 2
    assert said in error


def test_several_classes_each_have_their_share(tmp_path: Path) -> None:
    put_calls(tmp_path)
    shares = {"a": 0.6, "b": 0.3, "c": 0.1}
    config = {
        **SEVERAL,
        "version": 1,
        "report": {"title": "Animals"},
        "outputs": ["json"],
        "metrics": ["accuracy"],
        "prevalence": {"target": shares, "trained_at": EVEN},
        "bootstrap": {"replicates": 99, "seed": 1},
    }
    config = {key: value for key, value in config.items() if value is not None}
    path = tmp_path / "c.yaml"
    path.write_text(yaml.safe_dump(config), encoding="utf-8")
    assert call("run", path, "--out", tmp_path / "out", "--quiet", "--no-cache") == 0
    rows = np.genfromtxt(tmp_path / "animals.csv", delimiter=",", names=True, dtype=None)
    p = np.stack([rows[f"p_{name}"] for name in "abc"], axis=1) * list(shares.values())
    right = np.array(list("abc"))[p.argmax(axis=1)] == rows["kind"]
    recall = {name: np.mean(right[rows["kind"] == name]) for name in "abc"}
    expected = sum(share * recall[name] for name, share in shares.items())
    assert values(results(tmp_path / "out"))["accuracy"] == pytest.approx(expected)


def test_a_class_without_a_share_is_told(tmp_path: Path) -> None:
    put_calls(tmp_path)
    config = {
        **SEVERAL,
        "version": 1,
        "report": {"title": "Animals"},
        "metrics": ["accuracy"],
        "prevalence": {"target": {"a": 0.6, "b": 0.4}},
    }
    config = {key: value for key, value in config.items() if value is not None}
    (tmp_path / "c.yaml").write_text(yaml.safe_dump(config), encoding="utf-8")
    code, _, error = heard("run", "c.yaml", cwd=tmp_path)
    assert code == 2
    assert "prevalence.target has no share for the class 'c'; add it" in error
