"""Metrics that count how far classes are apart: their order is declared, or that of numbers."""

from __future__ import annotations

import csv
from pathlib import Path

import numpy as np
import pytest
import yaml

from tests.end_to_end.wallet import call

GRADES = ("none", "mild", "severe")
QUIET = ("--quiet", "--no-cache")


def put(folder: Path, values: tuple[str, ...], **more: object) -> Path:
    draw = np.random.default_rng(4)
    code = draw.integers(0, 3, 120)
    columns = [f"{m}_{v}" for m in "ab" for v in values]
    with (folder / "t.csv").open("w", newline="", encoding="utf-8") as file:
        rows = csv.writer(file)
        rows.writerow(["id", "grade", *columns])
        for k, of in enumerate(code):
            said = [draw.dirichlet(1.0 + 3.0 * (np.arange(3) == of)) for _ in "ab"]
            rows.writerow([k, values[of], *np.concatenate(said).round(12)])
    config = {
        "version": 1,
        "report": {"title": "Grades"},
        "datasets": {"test": {"path": "t.csv", "id": "id", "target": "grade"}},
        "task": "multiclass",
        "models": {
            "a": {"columns": "a_{class}", "role": "baseline"},
            "b": {"columns": "b_{class}"},
        },
        "metrics": [{"name": "kappa", "weights": "quadratic"}],
        "primary": {"metric": "kappa"},
        "outputs": ["json", "markdown"],
        **more,
    }
    path = folder / "c.yaml"
    path.write_text(yaml.safe_dump(config, sort_keys=False), encoding="utf-8")
    return path


@pytest.mark.parametrize(
    "metric", [{"name": "kappa", "weights": "linear"}, "rps", "class_distance"]
)
def test_texts_have_no_order_until_one_is_declared(
    metric: object, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    name = metric if isinstance(metric, str) else "kappa"
    config = put(tmp_path, GRADES, metrics=[metric], primary={"metric": name})
    assert call("run", config, "--out", tmp_path / "out", *QUIET) == 2
    told = capsys.readouterr().err
    assert "write classes: [mild, none, severe] in their order" in told
    assert not (tmp_path / "out").exists()


def test_a_declared_order_and_that_of_numbers_are_taken(tmp_path: Path) -> None:
    asked = put(tmp_path, GRADES, classes=list(GRADES))
    assert call("run", asked, "--out", tmp_path / "out", *QUIET) == 0
    page = (tmp_path / "out" / "report.md").read_text(encoding="utf-8")
    assert " quadratic-weighted kappa: " in page.lower()  # and not Cohen's, which is another number
    assert call("run", put(tmp_path, ("1", "2", "3")), "--out", tmp_path / "two", *QUIET) == 0


def test_a_class_called_other_makes_a_matrix_of_costs_ambiguous(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    costs = {"matrix": {"mild": {"other": 5}}}
    asked = put(
        tmp_path,
        ("none", "mild", "other"),
        classes=["none", "mild", "other"],
        metrics=["misclassification_cost"],
        costs=costs,
        primary={"metric": "misclassification_cost"},
    )
    assert call("run", asked, "--out", tmp_path / "out", *QUIET) == 2
    assert "other is a class here" in capsys.readouterr().err
