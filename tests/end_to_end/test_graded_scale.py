"""Graded average precision on a scale of which a grade is absent: which grades count."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import yaml

from tests.end_to_end.wallet import call, results

NAMES = {0: "none", 1: "some", 2: "much", 3: "all"}


def ran(folder: Path, *, named: bool = False, **ranking: Any) -> tuple[dict[str, Any], float]:
    """The metric, and the value of the run, of 40 queries without a document of grade 2."""
    draw = np.random.default_rng(6)
    lines = ["query,id,grade,old,new"]
    for query in range(40):
        for document in range(5):
            grade = int(draw.choice([0, 1, 3]))
            told = NAMES[grade] if named else grade
            scores = ",".join(f"{each:.4f}" for each in grade + draw.normal(0, 2, 2))
            lines.append(f"q{query},d{document},{told},{scores}")
    (folder / "rows.csv").write_text("\n".join(lines) + "\n")
    config = {
        "version": 1,
        "report": {"title": "Grades"},
        "task": "ranking",
        "datasets": {"test": {"path": "rows.csv", "query": "query", "id": "id", "target": "grade"}},
        "models": {"old": {"column": "old", "role": "baseline"}, "new": {"column": "new"}},
        "metrics": ["gap"],
        "bootstrap": {"replicates": 99},
        "curves": [],
        "outputs": ["json"],
        **({"ranking": ranking} if ranking else {}),
    }
    (folder / "c.yaml").write_text(yaml.safe_dump(config))
    assert call("run", folder / "c.yaml", "--out", folder / "out", "--quiet", "--no-cache") == 0
    found = results(folder / "out")
    (value,) = (e["value"] for e in found["estimates"] if e["model"] == "new")
    return found["metrics"][0], value


def test_without_weights_the_page_says_which_grades_count(tmp_path: Path) -> None:
    metric, _ = ran(tmp_path)
    assert metric["caveat"].startswith("Each grade above 0 that occurs counts alike: 1, 3. If")
    declared, _ = ran(tmp_path, grade_weights={"1": 1, "3": 1})
    assert "counts alike" not in declared["caveat"]


def test_declared_grades_fix_the_scale_with_those_that_are_absent(tmp_path: Path) -> None:
    grades = {label: grade for grade, label in NAMES.items()}
    metric, value = ran(tmp_path, named=True, grades=grades)
    assert metric["params"]["weights"] == "1: 1, 2: 1, 3: 1"
    _, by_weights = ran(tmp_path, grade_weights={"1": 1, "2": 1, "3": 1})
    _, of_two = ran(tmp_path)
    assert value == pytest.approx(by_weights) and value != pytest.approx(of_two)
    own = {"1": 1, "3": 2}
    metric, _ = ran(tmp_path, named=True, grades=grades, grade_weights=own)
    assert metric["params"]["weights"] == "1: 1, 3: 2"
