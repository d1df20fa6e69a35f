"""Models that are no better than what takes no model: what page one and a build say of them."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import yaml

from tests.end_to_end.wallet import call

LEAVERS = {"tn": 914, "fp": 27, "fn": 119, "tp": 40}


def write_rows(folder: Path, columns: dict[str, Any]) -> None:
    with (folder / "rows.csv").open("w", newline="") as file:
        rows = csv.writer(file)
        rows.writerow(columns)
        rows.writerows(zip(*columns.values(), strict=True))


def write_config(folder: Path, **changes: Any) -> Path:
    config: dict[str, Any] = {
        "version": 1,
        "report": {"title": "Leavers"},
        "datasets": {"test": {"path": "rows.csv", "target": "y"}},
        "task": "binary",
        "classes": {0: "stayed", 1: "left"},
        "metrics": ["accuracy"],
        "bootstrap": {"replicates": 199},
        "outputs": ["json", "markdown"],
    } | changes
    config["models"] = {name: {"column": name, **each} for name, each in config["models"].items()}
    config = {key: value for key, value in config.items() if value is not None}
    path = folder / "c.yaml"
    path.write_text(yaml.safe_dump(config, sort_keys=False))
    return path


def run(folder: Path, **changes: Any) -> tuple[int, dict[str, Any], str]:
    config = write_config(folder, **changes)
    code = call("run", config, "--out", folder / "out", "--no-cache")
    results = json.loads((folder / "out" / "results.json").read_text())
    return code, results, (folder / "out" / "report.md").read_text()


def put_leavers(folder: Path) -> None:
    """A model that finds a few leavers, one that says “stayed” of all, and one that nearly does."""
    counts = [LEAVERS[cell] for cell in ("tn", "fp", "fn", "tp")]
    y, flagged = np.repeat([0, 0, 1, 1], counts), np.repeat([0, 1, 0, 1], counts)
    draw = np.random.default_rng(1)
    write_rows(
        folder,
        {
            "y": y,
            "model": np.where(flagged, 0.8, 0.2).round(2),
            "stays": np.full(len(y), 0.1),
            "low": draw.uniform(0.01, 0.4, len(y)).round(4),
        },
    )


@pytest.mark.parametrize("candidate", ["stays", "low"])
def test_a_model_that_flags_nobody_does_not_pass_as_not_worse(
    tmp_path: Path, candidate: str
) -> None:
    """Its accuracy, 85.5%, is within the margin of the model's 86.7%: its scores tell nothing."""
    put_leavers(tmp_path)
    gate = {"name": "no worse", "rule": "non_inferior", "metric": "accuracy", "margin": 0.05}
    code, results, page = run(
        tmp_path,
        models={"model": {"role": "baseline"}, candidate: {"label": "Stays"}},
        gates=[{**gate, "model": candidate}],
    )
    assert code == 1
    assert results["conclusion"]["recommendation"]["answer"] == "no"
    assert results["gates"][0]["status"] == "not met"
    assert "always “stayed”" in page


def test_an_accuracy_below_that_of_the_commoner_class_is_said_on_page_one(tmp_path: Path) -> None:
    y = np.repeat([0, 1], [1_000, 100])
    right = np.concatenate([np.arange(1_000) >= 100, np.arange(100) >= 50])
    said = np.where(right, y, 1 - y)
    write_rows(tmp_path, {"y": y, "filter": np.where(said, 0.9, 0.1)})
    code, results, page = run(
        tmp_path, classes={0: "not spam", 1: "spam"}, models={"filter": {"label": "Filter"}}
    )
    assert code == 0
    made = results["conclusion"]
    assert made["recommendation"]["answer"] == "no"
    assert made["answer"] == "No: Filter is not better than always predicting “not spam”."
    assert "86.4% against 90.9%" in made["drawback"][0]
    assert "90.9%" in page


def test_one_model_without_requirements_is_judged_by_what_takes_no_model(tmp_path: Path) -> None:
    draw = np.random.default_rng(5)
    y = (draw.random(600) < 0.3).astype(int)
    write_rows(tmp_path, {"y": y, "good": (0.2 + 0.5 * y + draw.normal(0, 0.1, 600)).clip(0, 1)})
    _, results, page = run(tmp_path, models={"good": {}}, metrics=["roc_auc"])
    made = results["conclusion"]
    assert made["question"] == "Is good better than random order?"
    assert page.startswith("# Is good better than random order?") and "Leavers" in page
    assert made["recommendation"]["answer"] == "yes"
    assert made["answer"] == "Yes: good is better than random order."
    assert "random order scores 0.5" in made["key_line"]


def test_one_model_with_requirements_is_asked_whether_it_is_good_enough(tmp_path: Path) -> None:
    draw = np.random.default_rng(5)
    y = (draw.random(600) < 0.3).astype(int)
    write_rows(tmp_path, {"y": y, "good": (0.2 + 0.5 * y + draw.normal(0, 0.1, 600)).clip(0, 1)})
    gate = {"name": "order", "rule": "above", "metric": "roc_auc", "model": "good", "value": 0.6}
    given: dict[str, Any] = {"models": {"good": {}}, "metrics": ["roc_auc"], "gates": [gate]}
    _, results, page = run(tmp_path, **given)
    assert results["conclusion"]["question"] == "Is good good enough?"
    assert page.startswith("# Is good good enough?")
    own = {"title": "Leavers", "question": "May it be used?"}
    assert run(tmp_path, **given, report=own)[2].startswith("# May it be used?")


def test_a_requirement_can_name_the_reference_and_a_reason_waives_the_hold(tmp_path: Path) -> None:
    draw = np.random.default_rng(5)
    y = (draw.random(400) < 0.3).astype(int)
    noise = draw.random(400).round(3)
    write_rows(tmp_path, {"y": y, "base": draw.random(400).round(3), "noise": noise})
    gate = {"name": "any skill", "rule": "better", "metric": "roc_auc", "model": "noise"}
    models: dict[str, Any] = {"base": {"role": "baseline"}, "noise": {}}
    given = {"metrics": ["roc_auc"], "gates": [{**gate, "against": "reference"}]}
    _, results, _ = run(tmp_path, models=models, **given)
    assert results["gates"][0]["status"] == "cannot tell"
    assert results["gates"][0]["against"] == "reference"
    (needed,) = results["conclusion"]["requirements"]
    assert needed["name"] == "noise better than random order on AUC"
    made = results["conclusion"]
    assert made["drawback"][0].startswith(
        "The data cannot tell whether noise is better than random"
    )
    held = made["recommendation"]["candidates"][0]["holds"]
    assert [each["code"] for each in held] == ["reference"]
    models["noise"] = {"allow": {"reference": "an exercise"}}
    _, results, _ = run(tmp_path, models=models, **given)
    assert results["conclusion"]["recommendation"]["candidates"][0]["holds"] == []
    assert "Allowed: reference, “an exercise”." in results["conclusion"]["allowed"]


def test_models_that_are_known_to_be_no_better_than_a_constant_are_not_called_open(
    tmp_path: Path,
) -> None:
    draw = np.random.default_rng(4)
    y = draw.gamma(2, 20, 500).round(2)
    off = {name: (y + draw.normal(0, sd, 500)).round(2) for name, sd in (("far", 90), ("near", 60))}
    write_rows(tmp_path, {"y": y, **off})
    gate = {"name": "small", "rule": "below", "metric": "mae", "model": "near", "value": 30}
    given: dict[str, Any] = {
        "task": "regression",
        "classes": None,
        "models": {"far": {"role": "baseline"}, "near": {}},
        "metrics": ["mae"],
        "report": {"title": "Amounts", "decision": "choose"},
    }
    _, results, _ = run(tmp_path, **given)
    made = results["conclusion"]
    assert made["recommendation"]["candidates"][0]["reason"] == "hold"
    assert "near is no better than always predicting" in made["answer"]
    assert made["drawback"][0].startswith("Neither near nor far is better than always predicting")
    assert "it is no better than always predicting" in made["set_aside"][0]["note"]
    _, results, _ = run(tmp_path, **given, gates=[gate])
    assert "it does not meet a requirement" in results["conclusion"]["set_aside"][0]["note"]


def test_constants_come_from_rows_to_fit_on(tmp_path: Path) -> None:
    draw = np.random.default_rng(2)
    y = draw.normal(10, 2, 300).round(2)
    part = np.repeat(["train", "test"], [200, 100])
    columns = {"y": y, "part": part, "m": (y + draw.normal(0, 0.5, 300)).round(2)}
    write_rows(tmp_path, columns)
    where = {"path": "rows.csv", "target": "y"}
    _, results, _ = run(
        tmp_path,
        task="regression",
        classes={},
        datasets={
            "test": {**where, "filter": "part == 'test'"},
            "train": {**where, "filter": "part == 'train'", "role": "fit"},
        },
        models={"m": {}},
        metrics=["mae"],
    )
    (found,) = results["references"]
    assert found["source"] == "train"
    assert found["constant"] == pytest.approx(np.median(y[:200]), abs=1e-9)
    error = np.abs(y[200:] - np.median(y[:200])).mean()
    assert found["value"] == pytest.approx(error, abs=1e-9)


def test_the_last_value_and_that_of_a_season_are_of_earlier_rows_of_the_series(
    tmp_path: Path,
) -> None:
    draw = np.random.default_rng(4)
    y = draw.normal(20, 5, 80).round(2)
    shop = np.tile(["a", "b"], 40)
    day = np.repeat([f"2026-0{1 + k // 28}-{1 + k % 28:02d}" for k in range(40)], 2)
    columns = {"y": y, "day": day, "shop": shop, "m": (y + draw.normal(0, 1, 80)).round(2)}
    write_rows(tmp_path, columns)
    found = {}
    for name, lag in (("last_value", 1), ("seasonal", 7)):
        given = {"name": name, "by": "shop"} | ({"lag": lag} if name == "seasonal" else {})
        _, results, _ = run(
            tmp_path,
            task="regression",
            classes={},
            datasets={
                "test": {"path": "rows.csv", "target": "y", "time": "day", "segments": ["shop"]}
            },
            models={"m": {}},
            metrics=["mae"],
            references=[given],
        )
        (each,) = results["references"]
        found[name] = each["value"]
        said = np.where(shop == "a", np.median(y[shop == "a"]), np.median(y[shop == "b"]))
        said[2 * lag :] = y[: -2 * lag]
        assert each["value"] == pytest.approx(np.abs(y - said).mean(), abs=1e-9)
    assert found["last_value"] != found["seasonal"]
