"""An audit: the class is known of rows alone that some model calls, as somebody looked at them."""

from __future__ import annotations

import csv
import json
from pathlib import Path

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
    assert f"class of {200 - unknown} of 200 rows is known: of those that a model flags" in page
    assert "Of 1,000 rows, " in page and "of them are positive" not in page
    assert not results["calibrations"] and not results["curves"]


def test_a_row_that_is_called_and_has_no_class_is_refused(tmp_path: Path) -> None:
    audit(tmp_path, lacks_called=True)
    code, _, told = heard("run", "c.yaml", "--out", "out", "--quiet", cwd=tmp_path)
    assert code == 3 and "that 'b' flags at 'half' have no 'y' (first '" in told
    assert "labelled: flagged wants one on every flagged row" in told


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
            "labelled: flagged is for task: binary; remove it",
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
