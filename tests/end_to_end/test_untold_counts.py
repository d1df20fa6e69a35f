"""Counts of few rows, those of a class and of rows a model was trained on, in every output."""

import copy
import csv
import json
import random
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.end_to_end.wallet import WALLET, customers, dataset, heard, put, results

KINDS = {"ash": 3, "birch": 41, "cedar": 53, "dogwood": 83}


def of_classes(folder: Path, privacy: str) -> dict[str, Any]:
    """The results of a run on four classes, of which one has three rows."""
    folder.mkdir()
    draw = random.Random(1)
    names = [kind for kind, n in KINDS.items() for _ in range(n)]
    with (folder / "trees.csv").open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["id", "kind", *(f"{m}_{k}" for m in "ab" for k in KINDS)])
        for row, kind in enumerate(names):
            values = []
            for _ in "ab":
                sizes = [draw.random() + 1.5 * (each == kind) for each in KINDS]
                values += [f"{size / sum(sizes):.9f}" for size in sizes]
            writer.writerow([row, kind, *values])
    models: dict[str, Any] = {
        m: {"scale": "probability", "columns": f"{m}_{{class}}"} for m in "ab"
    }
    models["a"]["role"] = "baseline"
    config = {
        "version": 1,
        "report": {"id": "TREES", "title": "Trees"},
        "task": "multiclass",
        "privacy": privacy,
        "datasets": {"wood": {"path": "trees.csv", "id": "id", "target": "kind"}},
        "models": models,
        "metrics": ["accuracy", "f", "log_loss"],
        "bootstrap": {"replicates": 99, "seed": 1},
        "outputs": ["json", "markdown", "html"],
    }
    (folder / "trees.yaml").write_text(yaml.safe_dump(config, sort_keys=False))
    code, _, error = heard("run", "trees.yaml", "--out", "out", "--quiet", cwd=folder)
    assert code in (0, 1), error
    return results(folder / "out")


def test_a_small_class_and_the_next_have_no_count_anywhere(tmp_path: Path) -> None:
    told = of_classes(tmp_path / "open", "open")
    assert {c["value"]: c["n"] for c in told["datasets"][0]["classes"]} == KINDS
    kept = of_classes(tmp_path / "kept", "standard")
    classes = kept["datasets"][0]["classes"]
    assert [(c["n"], c["is_hidden"]) for c in classes] == [
        (0, True),
        (0, True),
        (53, False),
        (83, False),
    ]
    for matrix in kept["confusions"]:
        assert [all(x is None for x in row) for row in matrix["weight"]] == [True, True] + [
            False
        ] * 2
    assert {c["value"] for c in kept["classes"]} <= {"", "cedar", "dogwood"}
    counted = [w for w in told["warnings"] if w["numbers"].get("class") == "ash"]
    assert counted
    assert not [w for w in kept["warnings"] if "class" in w["numbers"]]
    page = (tmp_path / "kept" / "out" / "report.md").read_text(encoding="utf-8")
    assert "The report hides how many rows are in ash and birch" in page
    assert "no rows in class ash" not in page  # it is not absent
    before = (tmp_path / "open" / "out" / "report.md").read_text(encoding="utf-8")
    assert "ash (3)" in before and "ash (3)" not in page


@pytest.mark.parametrize(("shared", "is_told"), [(0, True), (3, False), (60, True), (117, False)])
def test_how_many_rows_were_trained_on_is_not_told_of_few_or_all_but_few(
    tmp_path: Path, shared: int, is_told: bool
) -> None:
    rows = customers()
    assert len(rows) == 120
    ids = [row["customer_id"] for row in rows]
    known = [*ids[:shared], *(f"new {k}" for k in range(50))]
    (tmp_path / "training.csv").write_text("\n".join(["customer_id", *known, ""]))
    models = copy.deepcopy(WALLET["models"])
    models["clv"]["trained_on"] = {"path": "training.csv", "id": "customer_id"}
    put(
        tmp_path,
        rows,
        datasets=dataset(),
        models=models,
        privacy="standard",
        outputs=["json", "markdown"],
    )
    code, _, error = heard("run", "wallet.yaml", "--out", "out", "--quiet", cwd=tmp_path)
    assert code in (0, 1), error
    found = results(tmp_path / "out")
    trained = next(m for m in found["models"] if m["name"] == "clv")["trained_on"]
    name = found["datasets"][0]["name"]
    assert (trained["shared"], trained["hidden"]) == (
        ({name: shared}, []) if is_told else ({}, [name])
    )
    warned = [w for w in found["warnings"] if w["code"] == "W143"]
    assert bool(warned) == bool(shared)
    if shared and not is_told:
        assert warned[0]["numbers"] == {}
        assert not any(letter.isdigit() for letter in warned[0]["text"])
        page = (tmp_path / "out" / "report.md").read_text(encoding="utf-8")
        assert "hides how many test rows have one of these ids, because too few have" in page
        assert f"{shared} of" not in json.dumps(found["models"])
