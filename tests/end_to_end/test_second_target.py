"""A second judge of the same rows: agreement, the models beside it, what does not go with it."""

from __future__ import annotations

import csv
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import yaml
from sklearn.metrics import accuracy_score, cohen_kappa_score

from tests.end_to_end.test_binary import put
from tests.end_to_end.wallet import call, heard, results

DATA = {"path": "t.csv", "id": "id", "target": "y", "second_target": "again"}
ASKED: dict[str, Any] = {
    "metrics": ["accuracy"],
    "primary": {"metric": "accuracy"},
    "thresholds": {"half": {"fixed": 0.5}},
}
SEVERAL: dict[str, Any] = {
    "task": "multiclass",
    "models": {
        "a": {"column": "called", "scale": "label", "role": "baseline"},
        "b": {"columns": {"x": "p_x", "y": "p_y", "z": "p_z"}},
    },
    "thresholds": None,
    "primary": None,
}


def judged(folder: Path, n: int = 300, **changes: object) -> Path:
    """Rows whose class a second judge changes for one in ten, and leaves out for one in six."""
    draw = np.random.default_rng(11)
    rows = []
    for k in range(n):
        y = int(draw.random() < 0.4)
        again = 1 - y if draw.random() < 0.1 else y
        p = [round(float(np.clip(c * y + 0.7 * draw.random(), 0, 1)), 3) for c in (0.15, 0.35)]
        rows.append(
            {
                "id": k,
                "y": y,
                "again": "" if k % 6 == 0 else again,
                "p_a": p[0],
                "p_b": p[1],
                "w": 1 + k % 3,
                "none": "",
                "odd": "x",
            }
        )
    return asked(folder, rows, **changes)


def asked(folder: Path, rows: list[dict[str, Any]], **changes: object) -> Path:
    """These rows with a config, in which a change to None takes the key out."""
    keys = {**ASKED, "datasets": {"d": DATA}, **changes}
    path = put(folder, rows, **{key: each for key, each in keys.items() if each is not None})
    text = yaml.safe_load(path.read_text(encoding="utf-8"))
    kept = {key: each for key, each in text.items() if keys.get(key, "") is not None}
    path.write_text(yaml.safe_dump(kept, sort_keys=False), encoding="utf-8")
    return path


def agreements(folder: Path, config: Path) -> dict[str, dict[str, Any]]:
    """What is found of the second judge, by metric."""
    assert call("run", config, "--out", folder / "out", "--quiet", "--no-cache") == 0
    return {each["metric"]: each for each in results(folder / "out")["agreements"]}


def both(folder: Path, *columns: str) -> list[list[str]]:
    """Some columns of the rows that both judges saw."""
    with (folder / "t.csv").open() as file:
        return [[row[c] for c in columns] for row in csv.DictReader(file) if row["again"]]


@pytest.mark.parametrize("is_weighted", [False, True])
def test_agreement_is_that_of_scikit_learn_on_rows_that_both_saw(
    tmp_path: Path, is_weighted: bool
) -> None:
    data = {**DATA, "weight": "w"} if is_weighted else DATA
    found = agreements(tmp_path, judged(tmp_path, datasets={"d": data}))
    rows = both(tmp_path, "y", "again", "p_a", "p_b", "w")
    y, again, *p = ([float(row[k]) for row in rows] for k in range(4))
    w = [float(row[4]) for row in rows] if is_weighted else None
    for metric, truth in (("kappa", cohen_kappa_score), ("accuracy", accuracy_score)):
        one = found[metric]
        assert (one["n"], one["of"], one["point"]) == (250, 300, "half")
        assert one["judge"]["value"] == pytest.approx(truth(y, again, sample_weight=w))
        assert one["judge"]["low"] < one["judge"]["value"] < one["judge"]["high"]
        for each, scores in zip(one["estimates"], p, strict=True):
            called = np.array(scores) >= 0.5
            assert each["value"] == pytest.approx(truth(np.array(y) > 0, called, sample_weight=w))
        for each, own in zip(one["comparisons"], one["estimates"], strict=True):
            assert each["candidate"] == own["model"]
            apart = own["value"] - one["judge"]["value"]
            assert each["difference"] == pytest.approx(apart, abs=1e-9)
            assert each["low"] < apart < each["high"]


def test_a_judge_who_copies_the_target_agrees_with_no_doubt(tmp_path: Path) -> None:
    rows = [{"id": k, "y": k % 2, "again": k % 2, "p_a": 0.3, "p_b": k / 60} for k in range(60)]
    found = agreements(tmp_path, asked(tmp_path, rows))
    assert found["kappa"]["judge"]["value"] == 1 == found["accuracy"]["judge"]["value"]


def test_the_page_tells_of_rows_agreement_and_every_model(tmp_path: Path) -> None:
    agreements(tmp_path, judged(tmp_path))
    page = (tmp_path / "out" / "report.md").read_text(encoding="utf-8")
    said = page.partition("### A second judge")[2].partition("\n###")[0]
    assert "In the column again, a second judge labelled 250 of 300 rows." in said
    assert "The models flag at these thresholds: half." in said
    assert said.count("\n| ") == 5  # a head, a rule, the judge, two models


def test_models_are_held_against_the_judge_wherever_they_call(tmp_path: Path) -> None:
    points = {"low": {"fixed": 0.3}, "high": {"fixed": 0.6}}
    agreements(tmp_path, judged(tmp_path, thresholds=points))
    y, p = (np.array([float(row[k]) for row in both(tmp_path, "y", "p_b")]) for k in range(2))
    found = {(a["point"], a["metric"]): a for a in results(tmp_path / "out")["agreements"]}
    for point, cut in (("low", 0.3), ("high", 0.6)):
        one = found[point, "kappa"]
        [value] = [e["value"] for e in one["estimates"] if e["model"] == "b"]
        assert value == pytest.approx(cohen_kappa_score(y > 0, p >= cut))
        assert one["judge"]["value"] == found["low", "kappa"]["judge"]["value"]
    page = (tmp_path / "out" / "report.md").read_text(encoding="utf-8")
    said = page.partition("### A second judge")[2].partition("\n###")[0]
    assert "The models flag at these thresholds: low and high." in said
    assert said.count("\n| ") == 7  # a head, a rule, the judge, two models at two points


@pytest.mark.parametrize(
    ("judge", "said"),
    [
        (lambda k: 1, "The second judge gave every row the class 1. Agreement"),
        (lambda k: k % 2, "Two judges rarely agree on every one of the rows. The column may be"),
        (lambda k: k % 2 if k < 3 else "", "Only 3 rows were judged twice."),
        (lambda k: k // 7 % 2, "A model that agrees more with the target than the second judge"),
    ],
)
def test_a_judge_who_bounds_nothing_is_called_no_ceiling(
    tmp_path: Path, judge: Callable[[int], object], said: str
) -> None:
    rows = [{"id": k, "y": k % 2, "again": judge(k), "p_a": 0.3, "p_b": k / 60} for k in range(60)]
    agreements(tmp_path, asked(tmp_path, rows))
    page = (tmp_path / "out" / "report.md").read_text(encoding="utf-8")
    assert said in page
    assert ("upper limit for models" in page) != said.startswith("A model")


def test_without_operating_points_the_judge_stands_alone(tmp_path: Path) -> None:
    scores = {
        "a": {"column": "p_a", "scale": "score", "role": "baseline"},
        "b": {"column": "p_b", "scale": "score"},
    }
    order = {"metrics": ["roc_auc"], "primary": None, "thresholds": None, "models": scores}
    found = agreements(tmp_path, judged(tmp_path, **order))
    assert found["kappa"]["judge"]["value"] > 0.5
    assert found["kappa"]["estimates"] == found["kappa"]["comparisons"] == []
    page = (tmp_path / "out" / "report.md").read_text(encoding="utf-8")
    assert "they flag nothing without a threshold" in page


def test_several_classes_have_a_second_judge_too(tmp_path: Path) -> None:
    draw = np.random.default_rng(4)
    rows = []
    for k in range(150):
        y = draw.integers(3)
        raw = draw.random(3) + np.eye(3)[y]
        p = raw / raw.sum()
        again = y if draw.random() < 0.8 else draw.integers(3)
        rows.append(
            {
                "id": k,
                "y": "xyz"[y],
                "again": "xyz"[again] if k % 5 else "",
                "called": "xyz"[draw.integers(3)],
                **{f"p_{c}": float(v) for c, v in zip("xyz", p, strict=True)},
            }
        )
    found = agreements(tmp_path, asked(tmp_path, rows, **SEVERAL))
    y, again, called = (
        [row[k] for row in both(tmp_path, "y", "again", "called")] for k in range(3)
    )
    assert found["kappa"]["judge"]["value"] == pytest.approx(cohen_kappa_score(y, again))
    first = {each["model"]: each["value"] for each in found["kappa"]["estimates"]}
    assert first["a"] == pytest.approx(cohen_kappa_score(y, called))


def test_few_rows_are_kept_to_itself(tmp_path: Path) -> None:
    found = agreements(tmp_path, judged(tmp_path, privacy={"min_segment": 60}))
    assert found == {}  # 50 rows without a second class would follow from those with one


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        (
            {"second_target": "y"},
            "second_target is the target itself; name the column of the other",
        ),
        ({"fold": "w"}, "compared with the models of one fit, but folds have several; remove it"),
        (
            {"labelled": "flagged"},
            "needs the target of every row, and labelled: flagged leaves some out",
        ),
        (
            {"target": "w", "positive": {"above": 1}},
            "names a class, and positive cuts a number in two",
        ),
        ({"second_target": "nobody"}, "t.csv has no column 'nobody'"),
    ],
)
def test_what_does_not_go_with_it_is_told(
    tmp_path: Path, changes: dict[str, object], said: str
) -> None:
    audit = {"metrics": ["precision"], "primary": {"metric": "precision"}, "curves": []}
    config = judged(tmp_path, datasets={"d": {**DATA, **changes}}, **audit)
    code, _, error = heard("run", config, "--out", "out", cwd=tmp_path)
    assert code == 2
    assert said in error


@pytest.mark.parametrize(
    ("column", "said"),
    [
        ("odd", "t.csv: column 'odd' has 'x', not among classes, on "),
        (
            "none",
            "t.csv: column 'none' names no class on any of the 300 rows; a second judge has to",
        ),
    ],
)
def test_a_column_that_names_no_known_class_is_refused(
    tmp_path: Path, column: str, said: str
) -> None:
    config = judged(tmp_path, datasets={"d": {**DATA, "second_target": column}})
    code, _, error = heard("run", config, "--out", "out", cwd=tmp_path)
    assert code == 3
    assert said in error


def test_amounts_have_no_second_judge_and_rows_that_teach_need_none(tmp_path: Path) -> None:
    models = {"a": {"column": "p_a", "role": "baseline"}, "b": {"column": "p_b"}}
    config = judged(
        tmp_path, task="regression", metrics=["mae"], primary=None, thresholds=None, models=models
    )
    code, _, error = heard("validate", config, cwd=tmp_path)
    assert code == 2
    assert "second_target is for task: binary, multiclass; remove it, or set that" in error
    fit = {"d": {**DATA, "second_target": "again"}, "f": {**DATA, "role": "fit"}}
    code, _, error = heard("validate", judged(tmp_path, datasets=fit), cwd=tmp_path)
    assert code == 2
    assert "datasets.f.second_target belongs to test rows, and these are fitting rows" in error
