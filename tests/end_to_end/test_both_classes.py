"""Two classes through the whole program: counts by class, precision, recall and F of each."""

import csv
import json
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
import yaml
from sklearn.metrics import classification_report, confusion_matrix

from tests.end_to_end.wallet import call, results, write_rows

MEANS = {"macro": "macro avg", "weighted": "weighted avg"}
THEIR_NAMES = {"precision": "precision", "recall": "recall", "f": "f1-score"}
CHURN = {(0, 0): 914, (0, 1): 27, (1, 0): 119, (1, 1): 40}
"""The churn report of the fifth document: rows by true and predicted class."""
CELLS = (
    "true_negatives",
    "false_positives",
    "false_negatives",
    "true_positives",
)
PRINTED = [
    *((metric, "0", "") for metric in THEIR_NAMES),
    *((metric, "1", "") for metric in THEIR_NAMES),
    *((metric, "", "weighted") for metric in THEIR_NAMES),
]


def put(folder: Path, rows: list[dict[str, Any]], models: dict[str, str], **changes: Any) -> Path:
    """Rows, and a config of models that name the class or give its probability."""
    write_rows(folder / "t.csv", rows)
    config = {
        "version": 1,
        "report": {"title": "Both classes"},
        "datasets": {"d": {"path": "t.csv", "id": "id", "target": "y", **changes.pop("d", {})}},
        "task": "binary",
        "models": {n: {"column": n, "scale": s} for n, s in models.items()},
        "primary": {"metric": "accuracy"},
        "metrics": ["accuracy"],
        "thresholds": {"half": {"fixed": 0.5}},
        "bootstrap": {"replicates": 199, "seed": 1},
        "outputs": ["json", "markdown", "tables"],
        **changes,
    }
    config["models"][next(iter(models))]["role"] = "baseline"
    path = folder / "c.yaml"
    path.write_text(yaml.safe_dump(config, sort_keys=False), encoding="utf-8")
    return path


def run(config: Path) -> Path:
    out = config.parent / "out"
    assert call("run", config, "--out", out, "--quiet", "--no-cache") in (0, 1, 3)
    return out


def churn() -> list[dict[str, Any]]:
    """Rows with the printed counts; `stays` names class 0 for every one."""
    each = [cell for cell, count in CHURN.items() for _ in range(count)]
    return [{"id": k, "y": y, "lr": said, "stays": 0} for k, (y, said) in enumerate(each)]


def values(found: dict[str, Any], model: str, point: str) -> dict[tuple[str, str, str], Any]:
    """The values of one model at a point, by metric, class and mean."""
    return {
        (each["metric"], each["value"], each["average"]): estimate
        for each in found["classes"]
        if each["point"] == point
        for estimate in each["estimates"]
        if estimate["model"] == model
    }


def check_against_scikit_learn(
    found: dict[tuple[str, str, str], Any],
    y: Any,
    said: Any,
    weight: Any = None,
    tolerance: float = 1e-9,
) -> None:
    """Every value is that of the report of scikit-learn, in which an undefined one counts 0."""
    theirs = classification_report(
        y, said, sample_weight=weight, output_dict=True, zero_division=0.0
    )
    assert len(found) == 12
    for (metric, value, average), estimate in found.items():
        wanted = theirs[value or MEANS[average]][THEIR_NAMES[metric]]
        own = estimate["value"]
        assert own == pytest.approx(wanted, abs=tolerance) or (own is None and wanted == 0)
        assert own is None or (estimate["low"] <= own + 1e-9 and own <= estimate["high"] + 1e-9)


def test_the_printed_churn_report_has_its_counts_and_shares_with_intervals(tmp_path: Path) -> None:
    rows = churn()
    models = {"lr": "label", "stays": "label"}
    out = run(put(tmp_path, rows, models))
    found = json.loads((out / "results.json").read_text())
    [lr, stays] = found["points"]
    assert [lr[cell] for cell in CELLS] == [914, 27, 119, 40]
    assert [stays[cell] for cell in CELLS] == [941, 0, 159, 0]
    y = [row["y"] for row in rows]
    for model in models:
        own = values(found, model, "half")
        check_against_scikit_learn(own, y, [row[model] for row in rows])
    lr_values = values(found, "lr", "half")
    printed = [round(lr_values[m, v, a]["value"], 2) for m, v, a in PRINTED]
    assert printed == [0.88, 0.97, 0.93, 0.60, 0.25, 0.35, 0.84, 0.87, 0.84]
    never = values(found, "stays", "half")["precision", "1", ""]
    assert (never["status"], never["reason"]) == ("undefined", "where no row is flagged")
    page = (out / "report.md").read_text(encoding="utf-8")
    assert "**At “half”, stays flags no row**" in page
    assert "At “half”, lr finds 40 of 159 positives, with 27 false positives" in page
    for line in ("| **lr** | 0 | 914 | 27 |", "| **lr** | 1 | 119 | 40 |"):
        assert line in page
    with (out / "tables" / "classes-1.csv").open(encoding="utf-8") as file:
        table = list(csv.DictReader(file))
    assert float(table[0]["Precision"]) == lr_values["precision", "0", ""]["value"]
    assert table[0]["Rows"] == "941" and len(table) == 8


def weighted_rows(n: int = 300) -> list[dict[str, Any]]:
    """Rows of two probabilities with weights, of which some are 0."""
    draw = np.random.default_rng(3)
    y = draw.random(n) < 0.3
    a, b = (np.round(c * y + 0.69 * draw.random(n), 2) for c in (0.15, 0.3))
    return [
        {"id": k, "y": "yes" if y[k] else "no", "a": a[k], "b": b[k], "w": k % 4} for k in range(n)
    ]


def test_weights_count_at_thresholds_and_at_a_share_of_the_rows(tmp_path: Path) -> None:
    rows = weighted_rows()
    points = {"half": {"fixed": 0.5}, "nobody": {"fixed": 1.0}, "fifth": {"share": 0.2}}
    dataset = {"weight": "w", "positive": "yes"}
    models = dict.fromkeys("ab", "probability")
    found = results(run(put(tmp_path, rows, models, thresholds=points, d=dataset)))
    y, weight = [row["y"] for row in rows], [row["w"] for row in rows]
    for model in models:
        for point, least in (("half", 0.5), ("nobody", 1.0)):
            said = ["yes" if row[model] >= least else "no" for row in rows]
            own = values(found, model, point)
            check_against_scikit_learn(own, y, said, weight)
            [at] = [p for p in found["points"] if (p["model"], p["name"]) == (model, point)]
            counts = confusion_matrix(y, said, sample_weight=weight, labels=["no", "yes"])
            assert [at[cell] for cell in CELLS] == pytest.approx(counts.ravel())
        fifth = values(found, model, "fifth")
        [at] = [p for p in found["points"] if (p["model"], p["name"]) == (model, "fifth")]
        tn, fn = at["true_negatives"], at["false_negatives"]
        assert fifth["precision", "no", ""]["value"] == pytest.approx(tn / (tn + fn))
        assert fifth["recall", "no", ""]["low"] < fifth["recall", "no", ""]["high"]
    counts = {each["value"]: each["n"] for each in found["classes"] if each["value"]}
    assert counts["yes"] == sum(row["y"] == "yes" and row["w"] > 0 for row in rows)


def test_streamed_rows_have_the_same_values_as_those_in_memory(tmp_path: Path) -> None:
    reports = []
    for engine in ("memory", "stream"):
        folder = tmp_path / engine
        folder.mkdir()
        config = put(
            folder,
            weighted_rows(2000),
            dict.fromkeys("ab", "probability"),
            d={"path": "t.parquet", "weight": "w", "positive": "yes"},
            classes={"no": "Stays", "yes": "Leaves"},
            bootstrap={"replicates": 199, "seed": 1, "weights": "poisson"},
            compute={"engine": engine},
        )
        pd.DataFrame(weighted_rows(2000)).to_parquet(folder / "t.parquet")
        reports.append(results(run(config)))
    memory, streamed = reports
    assert [p["true_negatives"] for p in memory["points"]] == pytest.approx(
        [p["true_negatives"] for p in streamed["points"]]
    )
    for model in "ab":
        own, theirs = (values(found, model, "half") for found in (memory, streamed))
        assert own.keys() == theirs.keys() and len(own) == 12
        for key, estimate in own.items():
            assert theirs[key]["value"] == pytest.approx(estimate["value"], abs=1e-9)
            assert theirs[key]["low"] == pytest.approx(estimate["low"], abs=0.01)
    sizes = [[each["n"] for each in found["classes"]] for found in reports]
    assert sizes[0] == sizes[1]


def test_a_point_that_is_hidden_hides_its_classes(tmp_path: Path) -> None:
    points = {"half": {"fixed": 0.5}, "few": {"fixed": 0.95}}
    rows = weighted_rows()
    config = put(
        tmp_path,
        rows,
        dict.fromkeys("ab", "probability"),
        thresholds=points,
        d={"positive": "yes"},
        privacy={"min_cell": 10},
    )
    found = results(run(config))
    assert {each["name"] for each in found["points"]} == {"half"}
    assert {each["point"] for each in found["classes"]} == {"half"}


def test_metrics_of_each_class_are_those_that_the_config_names(tmp_path: Path) -> None:
    models = dict.fromkeys("ab", "probability")
    config = put(tmp_path, weighted_rows(), models, d={"positive": "yes"}, per_class=["recall"])
    found = results(run(config))
    assert {each["metric"] for each in found["classes"]} == {"recall"}
    page = (tmp_path / "out" / "report.md").read_text(encoding="utf-8")
    assert "| Class | Model | Recall | Rows |" in page
