"""Confusion matrices as input: rows that stand for several cases, models that name a class alone.

The counts are those of a report that is printed in many courses: 1,100 customers, 159 of whom left.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import yaml

from tests.end_to_end.wallet import TINY, call, heard

# tn, fp, fn, tp
PRINTED = {"one": (915, 26, 120, 39), "other": (914, 27, 119, 40)}
REPORT = {
    "Non-churned": ("0.88", "0.97", "0.93", 941),
    "Churned": ("0.60", "0.25", "0.35", 159),
    "mean": ("0.84", "0.87", "0.84", 1100),
}


def put(folder: Path, matrix: tuple[int, ...], **changes: object) -> Path:
    cells = ("stayed,stayed", "stayed,left", "left,stayed", "left,left")
    lines = (f"{cell},{n}\n" for cell, n in zip(cells, matrix, strict=True))
    (folder / "counts.csv").write_text("churn,called,cases\n" + "".join(lines))
    config: dict[str, object] = {
        "version": 1,
        "report": {"title": "Counts"},
        "datasets": {
            "test": {"path": "counts.csv", "target": "churn", "count": "cases", "positive": "left"}
        },
        "task": "binary",
        "classes": {"stayed": "Non-churned", "left": "Churned"},
        "models": {"model": {"column": "called", "scale": "label"}},
        "metrics": ["accuracy", "precision", "recall", "f"],
        "bootstrap": {"replicates": 99, "seed": 1},
        "outputs": ["json", "markdown"],
        **changes,
    }
    path = folder / "counts.yaml"
    path.write_text(yaml.safe_dump(config))
    return path


def found(folder: Path, config: Path) -> dict[str, object]:
    assert call("run", config, "--out", folder / "out", "--no-cache") == 0
    return json.loads((folder / "out" / "results.json").read_text())


def values(results: dict[str, object]) -> dict[str, float]:
    return {e["key"]: e["value"] for e in results["estimates"] if e["segment"] is None}


@pytest.mark.parametrize("matrix", PRINTED.values(), ids=PRINTED)
@pytest.mark.parametrize("positive", ["left", "stayed"])
def test_a_class_is_reported_as_printed(
    tmp_path: Path, matrix: tuple[int, ...], positive: str
) -> None:
    dataset = {"path": "counts.csv", "target": "churn", "count": "cases", "positive": positive}
    results = found(tmp_path, put(tmp_path, matrix, datasets={"test": dataset}))
    each, [data] = values(results), results["datasets"]
    name = "Churned" if positive == "left" else "Non-churned"
    printed = tuple(f"{each[metric]:.2f}" for metric in ("precision", "recall", "f"))
    n = next(c["n"] for c in data["classes"] if c["name"] == name)
    assert (*printed, n) == REPORT[name]
    assert data["n"] == 1100 and each["accuracy"] == pytest.approx((matrix[0] + matrix[3]) / 1100)


@pytest.mark.parametrize("matrix", PRINTED.values(), ids=PRINTED)
def test_means_over_classes_are_as_printed(tmp_path: Path, matrix: tuple[int, ...]) -> None:
    names = ("precision", "recall", "f")
    results = found(
        tmp_path,
        put(
            tmp_path,
            matrix,
            task="multiclass",
            datasets={"test": {"path": "counts.csv", "target": "churn", "count": "cases"}},
            metrics=[{"name": name, "average": "weighted"} for name in names],
        ),
    )
    each = values(results)
    assert tuple(f"{each[name]:.2f}" for name in names) == REPORT["mean"][:3]


def test_a_classifier_that_calls_nobody_has_no_precision(tmp_path: Path) -> None:
    config = put(tmp_path, (9999, 0, 1, 0), **TINY)
    results = found(tmp_path, config)
    each = {e["key"]: e for e in results["estimates"]}
    assert each["accuracy"]["value"] == 0.9999
    assert each["precision"]["value"] is None and each["precision"]["status"] == "undefined"


def test_a_class_alone_has_no_order_and_raises_no_doubt_of_scores(tmp_path: Path) -> None:
    config = put(tmp_path, PRINTED["one"], metrics=["accuracy", "roc_auc", "log_loss"])
    results = found(tmp_path, config)
    status = {e["key"]: (e["status"], e["reason"]) for e in results["estimates"]}
    assert status["roc_auc"] == ("not applicable", "model names classes and gives no score")
    assert status["log_loss"][0] == "not applicable"
    raised = {warning["code"] for warning in results["warnings"]}
    assert not raised & {"W102", "W111", "W118"}
    assert "as the model classifies them" in (tmp_path / "out" / "report.md").read_text()


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        (
            {"thresholds": {"list": {"k": 10}}},
            "thresholds.list: a number of flagged rows is for scores, and the model 'model' names "
            "classes itself; take another rule, such as fixed:, or leave 'model' out",
        ),
        (
            {"thresholds": {"best": {"maximize": "f", "on": "test"}}},
            "thresholds.best: on: test is for scores, and the model 'model' names classes itself",
        ),
    ],
)
def test_what_a_class_alone_cannot_do_is_one_line(
    tmp_path: Path, changes: dict[str, object], said: str
) -> None:
    put(tmp_path, PRINTED["one"], **changes)
    code, _, told = heard("run", "counts.yaml", "--out", "out", "--quiet", cwd=tmp_path)
    assert code in (2, 3) and said in told


def test_a_class_that_there_is_not_is_refused(tmp_path: Path) -> None:
    put(tmp_path, PRINTED["one"])
    text = (tmp_path / "counts.csv").read_text().replace("left,left", "left,lost")
    (tmp_path / "counts.csv").write_text(text)
    code, _, told = heard("run", "counts.yaml", "--out", "out", "--quiet", cwd=tmp_path)
    assert code == 3
    assert "column 'called' of model 'model' has 'lost', not among classes, on 1 row" in told
