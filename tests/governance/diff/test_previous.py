"""A run that names the one before: the section, the history, and where there is none yet."""

import json
import re
import shutil
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from reportgen.governance.history import MOST_RUNS, extend_history, is_successor
from reportgen.governance.manifest import digest_bytes
from reportgen.governance.run_diff import Run
from reportgen.report.archive import load_results
from tests.end_to_end.wallet import WALLET, customers, heard, put, put_config, results
from tests.governance.diff.runs import noisy, run

PAGES = ["json", "markdown"]


@pytest.fixture(scope="module")
def here(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("previous")


@pytest.fixture(scope="module")
def first(here: Path) -> Path:
    return run(here, "first", outputs=PAGES, previous={"path": "../none/results.json"})


@pytest.fixture(scope="module")
def second(here: Path, first: Path) -> Path:
    rows = noisy(customers(400), by=8)
    return run(here, "second", rows, outputs=PAGES, previous={"path": "../first/out"})


def page(report: Path) -> str:
    """The section of the Markdown page."""
    text = (report / "report.md").read_text(encoding="utf-8")
    return text.partition("## Since the last run")[2].partition("\n## ")[0]


def told(report: Path) -> Any:
    return results(report)


def test_a_first_run_is_told_as_one(first: Path) -> None:
    assert page(first).strip() == "First run: there is no earlier one to compare with."
    assert (told(first)["changes"], told(first)["history"]) == (None, [])


def test_what_changed_stands_on_the_page(second: Path) -> None:
    text = page(second)
    assert "because of the scores (Boosted): nothing else differs" in text
    assert "worsened" in text
    assert "Earlier runs" in text


def test_the_run_before_is_in_the_history_by_its_digest(first: Path, second: Path) -> None:
    [past] = told(second)["history"]
    assert past["digest"] == digest_bytes((first / "results.json").read_bytes())
    before = {
        e["model"]: [e["value"], e["low"], e["high"]]
        for e in told(first)["estimates"]
        if e["key"] == "kendall" and e["segment"] is None
    }
    assert past["values"] == before
    assert past["gates"] == {gate["name"]: gate["status"] for gate in told(first)["gates"]}
    manifest = json.loads((second / "manifest.json").read_bytes())
    assert manifest["previous"] == past["digest"]


def test_the_page_is_made_again_without_the_earlier_run(
    first: Path, second: Path, tmp_path: Path
) -> None:
    shutil.copy(second / "results.json", tmp_path)
    assert heard("render", "results.json", cwd=tmp_path)[0] == 0
    assert page(tmp_path) == page(second)


def test_the_history_is_that_of_a_year_and_no_longer(first: Path) -> None:
    found = Run(load_results(first / "results.json"), "0" * 64)
    for k in range(60):
        found = Run(replace(found.results, history=extend_history(found)), f"{k:064x}")
    assert len(found.results.history) == MOST_RUNS == 52
    assert found.results.history[-1].digest == f"{58:064x}"


def test_another_run_in_the_place_of_the_last_one_is_reported(
    here: Path, first: Path, second: Path
) -> None:
    assert heard("diff", first, second, cwd=here)[2] == ""
    other = run(here, "other", bootstrap={"replicates": 99, "seed": 3})
    _, _, err = heard("diff", other, second, cwd=here)
    assert err == f"{second}: the last run of its history is not {other}\n"
    assert is_successor(
        Run(load_results(other / "results.json")), load_results(second / "results.json")
    )


def test_a_model_may_have_had_another_name(here: Path, first: Path) -> None:
    """Last week's candidate is this week's baseline."""
    models = {
        "in_use": {**WALLET["models"]["boosted"], "role": "baseline"},
        "rfm": WALLET["models"]["rfm"],
    }
    out = run(
        here,
        "promoted",
        models=models,
        gates=[],
        metrics=["kendall"],
        previous={"path": "../first/out", "models": {"in_use": "boosted"}},
    )
    words = {m["model"]: m["word"] for m in told(out)["changes"]["moves"] if not m["against"]}
    assert words == {"in_use": "same", "rfm": "same"}


def test_a_run_that_is_required_and_not_there_is_asked_for_with_its_place(tmp_path: Path) -> None:
    put(tmp_path, previous={"path": "last/results.json", "required": True})
    code, _, err = heard("run", "wallet.yaml", "--out", "out", "--quiet", cwd=tmp_path)
    assert code == 2
    assert "wallet.yaml:" in err
    assert "no previous run 'last/results.json'; make one, or leave `required` out" in err


def test_a_previous_run_that_cannot_be_read_ends_with_3(tmp_path: Path) -> None:
    put(tmp_path, previous={"path": "last.json"})
    (tmp_path / "last.json").write_text("{}")
    code, _, err = heard("run", "wallet.yaml", "--out", "out", "--quiet", cwd=tmp_path)
    assert code == 3
    assert "last.json: has schema_version None" in err


@pytest.mark.parametrize("missing", ["", "manifest.json"])
@pytest.mark.parametrize(
    "words", ["diff edited other", "diff other edited", "trend .", "run wallet.yaml --out out"]
)
def test_a_run_that_was_edited_is_compared_with_nothing(
    first: Path, tmp_path: Path, words: str, missing: str
) -> None:
    for name in ("edited", "other"):
        shutil.copytree(first, tmp_path / name)
    path = tmp_path / "edited" / "results.json"
    plain = results(first)
    plain["estimates"][0]["value"] += 0.01
    path.write_text(json.dumps(plain), encoding="utf-8")
    named = "SHA256SUMS" if missing else "manifest.json"
    if missing:
        (tmp_path / "edited" / missing).unlink()
    put_config(tmp_path, previous={"path": "edited"})  # without data: it is refused before
    code, said, err = heard(*words.split(), cwd=tmp_path)
    assert (code, said) == (3, "")
    assert re.search(
        rf"edited.results\.json: is not the file that \S*edited.{re.escape(named)} names, so it "
        "was changed after the run; run the config again, or put back the file",
        err,
    )
    assert not (tmp_path / "out").exists()


def test_results_without_a_manifest_are_compared(first: Path, tmp_path: Path) -> None:
    shutil.copy(first / "results.json", tmp_path)
    assert heard("diff", first, tmp_path, cwd=tmp_path)[0] == 0


@pytest.mark.parametrize("is_edited", [False, True])
def test_a_report_whose_files_are_links_is_checked_like_any_other(
    first: Path, tmp_path: Path, is_edited: bool
) -> None:
    kept, linked = tmp_path / "kept", tmp_path / "linked"
    shutil.copytree(first, kept)
    linked.mkdir()
    for name in ("results.json", "manifest.json", "SHA256SUMS"):
        (linked / name).symlink_to(kept / name)
    if is_edited:
        path = kept / "results.json"
        path.write_bytes(path.read_bytes().replace(b'"level": 0.95', b'"level": 0.94', 1))
    assert heard("diff", first, linked, cwd=tmp_path)[0] == (3 if is_edited else 0)
