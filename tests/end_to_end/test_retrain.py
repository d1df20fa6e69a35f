"""The worked story of a retrain: each run of configs/retrain, and what it says since the first."""

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from tests.end_to_end.wallet import ROOT, heard, results

STORY = ("fresh-rows", "same-rows", "wider-margin")


@pytest.fixture(scope="module")
def told(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Each report of the story by its name."""
    here = tmp_path_factory.mktemp("story")
    shutil.copytree(ROOT / "configs" / "retrain", here / "configs" / "retrain")
    for name in ("first", *STORY):
        code, _, error = heard(
            "run",
            f"configs/retrain/{name}.yaml",
            "--out",
            f"reports/{name}",
            "--quiet",
            "--set",
            "outputs=[json,markdown]",
            "--set",
            "curves=[]",
            cwd=here,
        )
        assert code == (1 if name == "fresh-rows" else 0), error
    return here / "reports"


def changes(told: Path, name: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((told / name / "results.json").read_bytes())["changes"]
    return found


def test_on_fresh_rows_no_cause_is_named_and_the_gate_that_fell_is(told: Path) -> None:
    found = changes(told, "fresh-rows")
    assert found["rule"] == [] and "no cause is named" in found["because"]
    [gate] = found["gates"]
    assert (gate["name"], gate["before"], gate["now"]) == (
        "error in bounds",
        "cannot tell",
        "not met",
    )
    assert {m["method"] for m in found["moves"]} == {"square-and-add"}


def test_a_model_fitted_again_is_the_one_cause_and_named_with_its_versions(told: Path) -> None:
    found = changes(told, "same-rows")
    assert found["rule"] == []
    assert found["because"] == (
        "What moved, moved because of the scores (the retrained model, 2013-04 → 2013-05): "
        "nothing else differs."
    )
    moved = [m for m in found["moves"] if m["change"]]
    assert {m["model"] for m in moved} == {"new"}
    assert {m["method"] for m in moved} == {"paired"}


def test_a_wider_margin_is_the_first_line_and_moves_nothing(told: Path) -> None:
    found = changes(told, "wider-margin")
    assert [(c["key"], c["before"], c["now"]) for c in found["rule"]] == [
        ("primary.margin", "0.2", "1")
    ]
    assert not any(m["change"] for m in found["moves"])


def test_it_shows_models_that_are_stated_a_benchmark_and_a_finding(told: Path) -> None:
    found = results(told / "first")
    models = {m["name"]: m for m in found["models"]}
    assert [models[m]["version"] for m in ("in_use", "new")] == ["2013-03", "2013-04"]
    assert models["new"]["trained_on"]["ids"] == 105_475
    assert set(models["new"]["trained_on"]["shared"].values()) == {0}
    page = (told / "first" / "report.md").read_text(encoding="utf-8")
    every = page[page.index("## Results") : page.index("## Robustness")]
    assert "| the retrained model is | Median of the airline is" in every.replace("<br>", " ")
    method = page[page.index("## Method") :]
    assert "Median of the airline is a simple benchmark" in method
    assert "V-3" in page.partition("## Results")[0]
    assert found["conclusion"]["about"] == "new"
