"""An audit: the class is known of rows alone that some model calls, as somebody looked at them."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.end_to_end.test_binary import put
from tests.end_to_end.wallet import call, heard

ASKED = {
    "metrics": ["precision", "fdr"],
    "primary": {"metric": "precision"},
    "thresholds": {"half": {"fixed": 0.5}},
}


def audit(folder: Path, lacks_called: bool = False, **changes: object) -> Path:
    """200 rows; the class of those that neither model calls from 0.5 on is left empty."""
    draw = np.random.default_rng(8)
    rows = []
    for k in range(200):
        y = draw.random() < 0.4
        a, b = (round(float(np.clip(0.3 * y + 0.7 * draw.random(), 0, 1)), 3) for _ in range(2))
        is_known = max(a, b) >= 0.5
        rows.append({"id": k, "y": int(y) if is_known else "", "p_a": a, "p_b": b})
    if lacks_called:
        next(row for row in rows if row["p_b"] >= 0.5)["y"] = ""
    dataset = {"path": "t.csv", "id": "id", "target": "y", "labelled": "flagged"}
    return put(folder, rows, **{**ASKED, "datasets": {"d": dataset}, **changes})


def test_precision_of_each_model_is_that_of_its_called_rows(tmp_path: Path) -> None:
    config = audit(tmp_path)
    assert call("run", config, "--out", tmp_path / "out", "--quiet", "--no-cache") == 0
    results = json.loads((tmp_path / "out" / "results.json").read_text())
    with (tmp_path / "t.csv").open() as file:
        rows = list(csv.DictReader(file))
    for each in (e for e in results["estimates"] if e["key"] == "precision"):
        called = [r["y"] for r in rows if float(r[f"p_{each['model']}"]) >= 0.5]
        assert each["value"] == pytest.approx(called.count("1") / len(called))
    unknown = sum(not r["y"] for r in rows)
    assert results["datasets"][0]["unlabelled"] == unknown > 20
    for point in results["points"]:
        assert point["false_negatives"] is None and point["true_negatives"] is None
        assert {o["metric"] for o in point["outcomes"]} == {"flagged", "found", "false_positives"}
    page = (tmp_path / "out" / "report.md").read_text()
    assert f"class is known only for the {200 - unknown} of 200 rows that a model flags" in page
    assert "Per 1,000 rows. " in page and "Found (of" not in page
    assert "The values are those at “half”. What was missed is unknown." in page
    assert not results["calibrations"] and not results["curves"]


def test_a_row_that_is_called_and_has_no_class_is_refused(tmp_path: Path) -> None:
    audit(tmp_path, lacks_called=True)
    code, _, told = heard("run", "c.yaml", "--out", "out", "--quiet", cwd=tmp_path)
    assert code == 3 and "that 'b' flags at 'half' have no 'y' (first '" in told
    assert "labelled: flagged needs one on every flagged row" in told


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        (
            {"metrics": ["precision", "recall"]},
            "recall needs the class of every row; flagged rows tell precision, fdr, flagged, "
            "found and false_positives (datasets.d has labelled: flagged)",
        ),
        (
            {"thresholds": {"list": {"k": 10}}},
            "thresholds.list flags other rows in each resample, and their class is not known; take "
            "fixed",
        ),
        ({"curves": ["roc"]}, "the curve roc needs the class of every row; write curves: []"),
        (
            {"task": "regression", "thresholds": {}, "metrics": ["mae"], "primary": None},
            "labelled: flagged is for task: binary, multiclass, multilabel; remove it",
        ),
    ],
)
def test_what_called_rows_do_not_tell_is_one_line(
    tmp_path: Path, changes: dict[str, object], said: str
) -> None:
    audit(tmp_path, **changes)
    code, _, told = heard("run", "c.yaml", "--out", "out", "--quiet", cwd=tmp_path)
    assert code == 2 and said in told


def test_old_names_are_read_with_a_warning_and_give_the_same_numbers(tmp_path: Path) -> None:
    """`called`, `caught` and `false_alarms` have new names, in every place of a config."""
    runs = []
    for name, words in (
        ("old", ("called", "caught", "false_alarms")),
        ("new", ("flagged", "found", "false_positives")),
    ):
        flagged, found, wrong = words
        folder = tmp_path / name
        folder.mkdir()
        config = audit(
            folder,
            metrics=["precision", flagged, found, wrong],
            primary={"metric": found},
            gates=[{"name": "few", "rule": "below", "metric": wrong, "value": 900, "model": "b"}],
        )
        text = config.read_text().replace("labelled: flagged", f"labelled: {flagged}")
        config.write_text(text)
        assert call("run", config, "--out", folder / "out", "--quiet", "--no-cache") == 0
        runs.append(json.loads((folder / "out" / "results.json").read_text()))
    old, new = runs
    for key in ("estimates", "comparisons", "points", "gates"):
        assert old[key] == new[key]
    said = [each["text"] for each in old["warnings"] if each["code"] == "W238"]
    assert len(said) == 6 and not [w for w in new["warnings"] if w["code"] == "W238"]
    assert said[0] == "datasets.d.labelled: called is now flagged; write flagged."
    assert "gates[0].metric: false_alarms is now false_positives; write false_positives." in said


KINDS = ("spam", "scam", "other")


def review(folder: Path, lacks: str = "", **changes: object) -> tuple[Path, list[dict[str, Any]]]:
    """300 letters of three kinds; nobody looks at those that no model predicts as spam or scam."""
    draw = np.random.default_rng(5)
    rows: list[dict[str, Any]] = []
    for k in range(300):
        kind = KINDS[int(draw.choice(3, p=[0.2, 0.2, 0.6]))]
        a, b = (kind if draw.random() < right else str(draw.choice(KINDS)) for right in (0.5, 0.7))
        is_known = {a, b} != {"other"}
        rows.append({"id": k, "y": kind if is_known else "", "a": a, "b": b})
    if lacks:
        next(row for row in rows if row["b"] == lacks)["y"] = ""
    dataset = {"path": "t.csv", "id": "id", "target": "y", "labelled": "flagged"}
    asked = {
        "task": "multiclass",
        "classes": list(KINDS),
        "datasets": {"d": dataset},
        "models": {
            "a": {"column": "a", "scale": "label", "role": "baseline"},
            "b": {"column": "b", "scale": "label"},
        },
        "metrics": [{"name": "precision", "of": "spam", "as": "spam right"}],
        "primary": {"metric": "spam right"},
    }
    return put(folder, rows, **{**asked, **changes}), rows


def test_precision_of_classes_that_somebody_looked_at_is_known_and_of_others_not(
    tmp_path: Path,
) -> None:
    config, rows = review(tmp_path)
    assert call("run", config, "--out", tmp_path / "out", "--quiet", "--no-cache") == 0
    results = json.loads((tmp_path / "out" / "results.json").read_text())
    assert {each["value"] for each in results["classes"]} == {"spam", "scam"}
    for each in results["classes"]:
        assert (each["metric"], each["average"]) == ("precision", "")
        for estimate in each["estimates"]:
            said = [row["y"] for row in rows if row[estimate["model"]] == each["value"]]
            right = said.count(each["value"])
            assert estimate["value"] == pytest.approx(right / len(said))
            assert estimate["low"] < right / len(said) < estimate["high"]
    for matrix in results["confusions"]:
        for row, kind in zip(matrix["weight"], KINDS, strict=True):
            found = [r for r in rows if (r["y"], r[matrix["model"]]) == (kind, "spam")]
            assert row[0] == len(found) and row[2] is None
    known = sum(bool(row["y"]) for row in rows)
    counts = {each["value"]: each["n"] for each in results["datasets"][0]["classes"]}
    assert sum(counts.values()) == known < 300
    page = (tmp_path / "out" / "report.md").read_text()
    assert "What was missed is unknown. Precision is unknown for “other”." in page
    assert f"The class is known only for the {known} of 300 rows" in page
    assert "Recall" not in page.partition("## Method")[0]


def test_a_class_of_a_metric_whose_predictions_lack_a_class_is_refused(tmp_path: Path) -> None:
    review(tmp_path, lacks="spam")
    code, _, told = heard("run", "c.yaml", "--out", "out", "--quiet", cwd=tmp_path)
    assert code == 3 and "1 of " in told
    assert "predicts as 'spam' have no 'y' (first '" in told


def tags(folder: Path, lacks: bool = False, **changes: object) -> tuple[Path, list[dict[str, Any]]]:
    """200 rows with two labels, each known where either model flags it from its threshold on."""
    draw = np.random.default_rng(6)
    rows: list[dict[str, Any]] = []
    for k in range(200):
        row: dict[str, Any] = {"id": k}
        for tag, least in (("red", 0.5), ("blue", 0.7)):
            has = draw.random() < 0.4
            scores = [round(float(0.3 * has + 0.69 * draw.random()), 3) for _ in "ab"]
            row |= {f"p_{m}_{tag}": s for m, s in zip("ab", scores, strict=True)}
            row[f"y_{tag}"] = int(has) if max(scores) >= least else ""
        rows.append(row)
    if lacks:
        next(row for row in rows if row["p_b_blue"] >= 0.7)["y_blue"] = ""
    dataset = {"path": "t.csv", "id": "id", "target": "y_{class}", "labelled": "flagged"}
    asked = {
        "task": "multilabel",
        "classes": ["red", "blue"],
        "datasets": {"d": dataset},
        "models": {
            "a": {"columns": "p_a_{class}", "role": "baseline"},
            "b": {"columns": "p_b_{class}"},
        },
        "thresholds": {"tags": {"fixed": 0.5, "by_class": {"blue": 0.7}}},
        "metrics": [{"name": "precision", "average": "micro"}],
        "primary": {"metric": "precision"},
    }
    return put(folder, rows, **{**asked, **changes}), rows


def test_precision_of_labels_is_that_of_flagged_rows_and_what_was_missed_is_unknown(
    tmp_path: Path,
) -> None:
    config, rows = tags(tmp_path)
    assert call("run", config, "--out", tmp_path / "out", "--quiet", "--no-cache") == 0
    results = json.loads((tmp_path / "out" / "results.json").read_text())
    flagged = {
        (model, tag): [r[f"y_{tag}"] for r in rows if r[f"p_{model}_{tag}"] >= least]
        for model in "ab"
        for tag, least in (("red", 0.5), ("blue", 0.7))
    }
    assert {(e["value"], e["metric"]) for e in results["classes"]} == {
        ("red", "precision"),
        ("blue", "precision"),
    }
    for each in results["classes"]:
        for estimate in each["estimates"]:
            said = flagged[estimate["model"], each["value"]]
            assert estimate["value"] == pytest.approx(sum(said) / len(said))
    for each in results["label_confusions"]:
        said = flagged[each["model"], each["value"]]
        assert (each["true_positives"], each["false_positives"]) == (
            sum(said),
            len(said) - sum(said),
        )
        assert each["false_negatives"] is None and each["true_negatives"] is None
    for estimate in results["estimates"]:
        said = [y for (model, _), of in flagged.items() if model == estimate["model"] for y in of]
        assert estimate["value"] == pytest.approx(sum(said) / len(said))
    page = (tmp_path / "out" / "report.md").read_text()
    assert (
        "A label is known only for rows that a model flags for it. What was missed is unknown."
        in page
    )
    assert (
        "Every label is known for" in page and "Missed |" not in page and "without any" not in page
    )


def test_a_label_that_is_flagged_and_unknown_is_refused(tmp_path: Path) -> None:
    tags(tmp_path, lacks=True)
    code, _, told = heard("run", "c.yaml", "--out", "out", "--quiet", cwd=tmp_path)
    assert code == 3 and "rows that 'b' flags for 'blue' at 'tags' have no 'y_blue'" in told


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        (
            {"metrics": ["accuracy"], "primary": {"metric": "accuracy"}},
            "accuracy needs the class of every row; flagged rows tell precision of one class, "
            "{name: precision, of: CLASS} (datasets.d has labelled: flagged)",
        ),
        (
            {"per_class": ["recall"]},
            "per_class: recall needs the class of every row; write per_class: [precision]",
        ),
    ],
)
def test_what_predicted_rows_do_not_tell_of_classes_is_one_line(
    tmp_path: Path, changes: dict[str, object], said: str
) -> None:
    review(tmp_path, **changes)
    code, _, told = heard("run", "c.yaml", "--out", "out", "--quiet", cwd=tmp_path)
    assert code == 2 and said in told


def test_a_list_of_labels_has_no_unknown_ones(tmp_path: Path) -> None:
    dataset = {"path": "t.csv", "id": "id", "target": "y_red", "separator": "|"}
    tags(tmp_path, datasets={"d": {**dataset, "labelled": "flagged"}})
    code, _, told = heard("run", "c.yaml", "--out", "out", "--quiet", cwd=tmp_path)
    assert code == 2 and "labelled: flagged needs a column for each label" in told
