"""DRAFT and FINAL, a rule fixed beforehand, and looks at the same rows."""

import json
import os
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.end_to_end.wallet import customers, dataset, heard, put, results

FINAL: dict[str, Any] = {
    "report": {
        "title": "Wallet",
        "status": "FINAL",
        "limitations": ["One year only."],
        "sign_off": [{"role": "Owner"}, {"role": "Validator"}],
    },
    "bootstrap": {"replicates": 999, "seed": 1, "level": 0.9},
    "metrics": ["kendall"],
    "gates": [],
    "curves": [],
    "outputs": ["json", "markdown"],
    "models": {
        "clv": {"column": "score_clv_bgnbd_gg", "role": "baseline"},
        "rfm": {"column": "score_rfm", "scale": "rank"},
    },
    "datasets": dataset(segments=None),
    "privacy": "standard",
}


def run(folder: Path, *options: str) -> tuple[int, str, dict[str, Any]]:
    """The exit code, what was said wrong, and the results of a run; {} if there are none."""
    shutil.rmtree(folder / "out", ignore_errors=True)
    code, _, error = heard("run", "wallet.yaml", "--out", "out", "--quiet", *options, cwd=folder)
    return code, error, results(folder / "out") if (folder / "out").exists() else {}


def without(key: str) -> dict[str, Any]:
    report = {name: value for name, value in FINAL["report"].items() if name != key}
    return {**FINAL, "report": report}


def test_what_has_everything_is_final(tmp_path: Path) -> None:
    put(tmp_path, **FINAL)
    code, error, found = run(tmp_path, "--allow-no-git", "--final")
    assert (code, found["report"]["status"], found["report"]["lacking"]) == (0, "FINAL", []), error
    assert found["provenance"]["without_git"] is True


CONDITIONS = {
    "a seed in the config": {**FINAL, "bootstrap": {"replicates": 999, "level": 0.9}},
    "a primary metric": {**FINAL, "metrics": ["kendall", "mae"], "primary": None},
    "a margin": {**FINAL, "primary": {"metric": "kendall"}},
    "limitations": without("limitations"),
    "a level of privacy": {**FINAL, "privacy": None},
    "two roles that sign off": {
        **FINAL,
        "report": {**FINAL["report"], "sign_off": [{"role": "Owner"}]},
    },
}


@pytest.mark.parametrize("lacking", CONDITIONS)
def test_each_condition_alone_keeps_it_a_draft_and_is_named(tmp_path: Path, lacking: str) -> None:
    put(tmp_path, **CONDITIONS[lacking])
    code, _, found = run(tmp_path, "--allow-no-git")
    assert code == 0
    assert found["report"]["status"] == "DRAFT" and lacking in found["report"]["lacking"]
    others = {"a margin"} if lacking == "a primary metric" else set()
    assert set(found["report"]["lacking"]) - {lacking} == others
    assert "W241" in {w["code"] for w in found["warnings"]}
    page = (tmp_path / "out" / "report.md").read_text(encoding="utf-8")
    assert f"DRAFT: FINAL lacks {lacking}" in page
    code, error, _ = run(tmp_path, "--allow-no-git", "--final")
    assert code == 2 and f"--final: the report lacks {lacking}" in error


def test_final_needs_a_commit_and_a_clean_tree(tmp_path: Path) -> None:
    here = tmp_path / "repository"
    here.mkdir()
    put(here, **FINAL)
    assert "a commit" in run(here)[2]["report"]["lacking"][0]

    def git(*words: str) -> None:
        named = ("-c", "user.name=a", "-c", "user.email=a@example.org")
        subprocess.run(["git", *named, *words], cwd=here, check=True, capture_output=True)

    git("init")
    git("add", "wallet.yaml", "wallet.csv")
    git("commit", "-m", "Add the wallet")
    assert run(here)[2]["report"]["lacking"] == []
    (here / "wallet.yaml").write_text((here / "wallet.yaml").read_text() + "\n# changed\n")
    assert run(here)[2]["report"]["lacking"] == ["a clean working tree"]


def test_a_fatal_warning_keeps_it_a_draft_and_a_failed_gate_does_not(tmp_path: Path) -> None:
    gate = {"name": "g", "rule": "above", "metric": "kendall", "model": "rfm", "value": 0.99}
    put(tmp_path, **{**FINAL, "gates": [gate]})
    code, _, found = run(tmp_path, "--allow-no-git", "--final")
    assert (code, found["report"]["status"]) == (1, "FINAL")
    put(tmp_path, **{**FINAL, "warnings": {"fatal": ["W102"]}})
    code, _, found = run(tmp_path, "--allow-no-git", "--final")
    assert (code, found["report"]["lacking"]) == (1, ["a report without fatal warnings"])


FITTING = {**FINAL["datasets"]["holdout"], "role": "fit"}
TWO_CLASSES: dict[str, Any] = {
    "task": "binary",
    "metrics": ["roc_auc"],
    "primary": {"metric": "roc_auc", "margin": 0.01},
    "datasets": {"holdout": {**FINAL["datasets"]["holdout"], "target": "is_back"}},
    "models": {"clv": {"column": "p_clv", "role": "baseline"}, "rfm": {"column": "p_rfm"}},
    "costs": {"fp": 1, "fn": 4},
}
WARNED: dict[str, tuple[str, dict[str, Any]]] = {
    "W110": (
        "a report without W110",
        {
            "datasets": {"holdout": {**FINAL["datasets"]["holdout"], "used_to_choose": True}},
        },
    ),
    "W115": (
        "a report without W115",
        {
            "costs": {"asymmetries": [0.8]},
            "datasets": {
                "holdout": {**FINAL["datasets"]["holdout"], "used_to_fit": True},
                "earlier": FITTING,
            },
        },
    ),
    "W121": (
        "a report without W121",
        {
            **TWO_CLASSES,
            "thresholds": {"best": {"maximize": "f", "on": "test"}},
        },
    ),
    "W114": (
        "enough resamples for all comparisons (W114)",
        {
            "bootstrap": {"replicates": 9, "seed": 1, "interval": "percentile"},
        },
    ),
}


def callable_customers() -> list[dict[str, str]]:
    """Customers who came back or did not, with scores that are probabilities."""
    rows = customers()
    return [
        {
            **row,
            "is_back": str(int(float(row["y_spend_hold"]) > 0)),
            "p_clv": str((at * 37 % 100) / 100),
            "p_rfm": str((at * 61 % 100) / 100),
        }
        for at, row in enumerate(rows)
    ]


@pytest.mark.parametrize("code", WARNED)
def test_each_of_these_warnings_alone_keeps_it_a_draft_and_is_named(
    tmp_path: Path, code: str
) -> None:
    lacking, changes = WARNED[code]
    put(tmp_path, callable_customers(), **{**FINAL, **changes})
    ended, error, found = run(tmp_path, "--allow-no-git")
    assert ended == 0, error
    assert (found["report"]["status"], found["report"]["lacking"]) == ("DRAFT", [lacking])
    page = (tmp_path / "out" / "report.md").read_text(encoding="utf-8")
    assert f"DRAFT: FINAL lacks {lacking}" in page
    assert run(tmp_path, "--allow-no-git", "--final")[0] == 1


def test_without_the_rule_at_a_threshold_two_classes_are_final(tmp_path: Path) -> None:
    put(tmp_path, callable_customers(), **{**FINAL, **TWO_CLASSES})
    assert run(tmp_path, "--allow-no-git", "--final")[2]["report"]["lacking"] == []


def test_a_frozen_rule_that_is_kept_is_told(tmp_path: Path) -> None:
    put(tmp_path, **FINAL)
    assert heard("freeze", "wallet.yaml", "--scores", "--out", "frozen.json", cwd=tmp_path)[0] == 0
    put(tmp_path, **FINAL, frozen="frozen.json", theme={"accent": "#112233"})
    _, _, found = run(tmp_path, "--allow-no-git")
    assert found["report"]["status"] == "FINAL"
    frozen = json.loads((tmp_path / "frozen.json").read_text())
    assert found["frozen"]["digest"] == frozen["digest"]
    assert found["frozen"]["differences"] == found["frozen"]["scores"] == []
    page = (tmp_path / "out" / "report.md").read_text(encoding="utf-8")
    assert "fixed before this run (digest" in page


def test_a_rule_that_was_changed_is_exploratory_key_by_key(tmp_path: Path) -> None:
    put(tmp_path, **FINAL)
    assert heard("freeze", "wallet.yaml", "--out", "frozen.json", cwd=tmp_path)[0] == 0
    put(
        tmp_path,
        **{**FINAL, "frozen": "frozen.json", "primary": {"metric": "kendall", "margin": 0.02}},
    )
    _, _, found = run(tmp_path, "--allow-no-git")
    [change] = found["frozen"]["differences"]
    assert (change["key"], change["before"], change["now"]) == ("primary.margin", "0.01", "0.02")
    assert found["report"]["lacking"] == ["the rule that was frozen"]
    assert {"W142", "W241"} <= {w["code"] for w in found["warnings"]}
    page = (tmp_path / "out" / "report.md").read_text(encoding="utf-8")
    assert "exploratory" in page.partition("\n## ")[0] + page.partition("\n## ")[2][:3000]
    assert "primary.margin: 0.01 → 0.02" in page


def test_other_scores_than_those_frozen_are_told(tmp_path: Path) -> None:
    put(tmp_path, **FINAL)
    assert heard("freeze", "wallet.yaml", "--scores", "--out", "frozen.json", cwd=tmp_path)[0] == 0
    text = (tmp_path / "wallet.csv").read_text()
    (tmp_path / "wallet.csv").write_text(text + "\n")
    written = yaml.safe_load((tmp_path / "wallet.yaml").read_text())
    (tmp_path / "wallet.yaml").write_text(yaml.safe_dump({**written, "frozen": "frozen.json"}))
    _, _, found = run(tmp_path, "--allow-no-git")
    assert found["frozen"]["scores"] == ["wallet.csv"]


def test_no_line_of_a_frozen_rule_can_be_changed(tmp_path: Path) -> None:
    put(tmp_path, **FINAL)
    assert heard("freeze", "wallet.yaml", "--scores", "--out", "frozen.json", cwd=tmp_path)[0] == 0
    original = (tmp_path / "frozen.json").read_text()
    put(tmp_path, **FINAL, frozen="frozen.json")
    known = json.loads(original)
    [(path, digest)] = known["scores"].items()
    for changes in (
        {"time": "2020-01-01T00:00:00Z"},
        {"scores": {path: digest[::-1]}},
        {"scores": {}},
        {"note": "approved"},
    ):
        (tmp_path / "frozen.json").write_text(json.dumps(known | changes))
        code, error, _ = run(tmp_path)
        assert code == 2 and "is not as `reportgen freeze` of this version wrote it" in error


def test_a_pipe_is_not_waited_for(tmp_path: Path) -> None:
    put(tmp_path, **FINAL, frozen="frozen.json")
    os.mkfifo(tmp_path / "frozen.json")
    code, error, _ = run(tmp_path)
    assert code == 2 and "no frozen rule 'frozen.json': Not a regular file" in error
    put(tmp_path, **FINAL)
    (tmp_path / "wallet.csv").unlink()
    os.mkfifo(tmp_path / "wallet.csv")
    code, _, error = heard("freeze", "wallet.yaml", "--scores", cwd=tmp_path)
    assert code == 2 and "'wallet.csv' cannot be read: Not a regular file" in error


@pytest.mark.parametrize(
    "text",
    [
        "[]",
        "{",
        "[" * 100_000,
        '{"schema": "urn:reportgen:frozen:1", "rule": {}}',
        '{"schema": "urn:reportgen:frozen:2", "rule": {"a": NaN}, "digest": ""}',
        '{"schema": "urn:reportgen:frozen:2", "rule": {"a": 1e999}, "digest": ""}',
        '{"schema": "urn:reportgen:frozen:2", "rule": {"a": ' + "[" * 900 + "]" * 900 + "}}",
    ],
)
def test_a_file_that_freeze_did_not_write_is_refused(tmp_path: Path, text: str) -> None:
    put(tmp_path, **FINAL, frozen="frozen.json")
    (tmp_path / "frozen.json").write_text(text)
    code, error, _ = run(tmp_path)
    assert code == 2 and "is not as `reportgen freeze` of this version wrote it" in error


def test_freezing_reads_no_data(tmp_path: Path) -> None:
    put(tmp_path, **FINAL)
    (tmp_path / "wallet.csv").unlink()
    code, said, _ = heard("freeze", "wallet.yaml", cwd=tmp_path)
    assert code == 0 and json.loads(said)["rule"]["primary"]["margin"] == 0.01
    code, _, error = heard("freeze", "wallet.yaml", "--scores", cwd=tmp_path)
    assert code == 2 and "wallet.csv" in error


def test_looks_at_the_same_rows_are_counted_and_warned_of(tmp_path: Path) -> None:
    put(tmp_path, **FINAL, previous={"path": "last"})
    for look in range(1, 6):
        _, _, found = run(tmp_path, "--allow-no-git")
        assert found["looks"]["count"] == look
        assert ("W141" in {w["code"] for w in found["warnings"]}) == (look == 5)
        shutil.rmtree(tmp_path / "last", ignore_errors=True)
        (tmp_path / "out").rename(tmp_path / "last")
    [warning] = [w for w in found["warnings"] if w["code"] == "W141"]
    assert warning["numbers"]["by_chance"] == pytest.approx(5 * 0.1 / 2)


def test_planned_looks_share_the_error(tmp_path: Path) -> None:
    planned = {"holdout": {**FINAL["datasets"]["holdout"], "looks": 2}}
    asked = {**FINAL, "datasets": planned, "previous": {"path": "last"}}
    put(tmp_path, **asked)
    for look in range(1, 4):
        _, _, found = run(tmp_path, "--allow-no-git")
        assert found["comparisons"][0]["level"] == pytest.approx(1 - 0.1 / 2)
        lacking = [each for each in found["report"]["lacking"] if "look 3 of 2" in each]
        assert bool(lacking) == (look == 3)
        shutil.rmtree(tmp_path / "last", ignore_errors=True)
        (tmp_path / "out").rename(tmp_path / "last")
    page = (tmp_path / "last" / "report.md").read_text(encoding="utf-8")
    assert "analysis 3 of 2 planned" in page


def test_looks_are_planned_at_the_rows_that_decide(tmp_path: Path) -> None:
    two = {
        "holdout": FINAL["datasets"]["holdout"],
        "late": {**FINAL["datasets"]["holdout"], "looks": 2},
    }
    put(tmp_path, **{**FINAL, "datasets": two})
    code, _, error = heard("validate", "wallet.yaml", cwd=tmp_path)
    assert code == 2 and "only looks at the rows that decide are planned" in error
