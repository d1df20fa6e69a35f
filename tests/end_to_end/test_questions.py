"""Thirteen questions of a model validator: each has its answer in the files and its heading."""

import json
from collections.abc import Callable
from hashlib import sha256
from io import BytesIO
from pathlib import Path
from typing import Any

import pytest
from pypdf import PdfReader

from tests.end_to_end.wallet import call, customers, dataset, heard, put, results
from tests.governance.diff.runs import noisy

ASKED: dict[str, Any] = {
    "report": {
        "title": "Wallet",
        "question": "May the new model replace the one in use?",
        "limitations": ["One cohort only."],
        "sign_off": [{"role": "Owner", "name": "A. Example"}, {"role": "Validator"}],
    },
    "datasets": dataset(unit="USD", filter="customer_id != '0'"),
    "costs": {"asymmetries": [0.8]},
    "curves": ["bucket_calibration"],
    "bootstrap": {"replicates": 199, "seed": 1},
    "outputs": ["html", "pdf", "markdown"],
    "privacy": "open",
}


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A report that has an earlier one and a rule that was frozen."""
    here = tmp_path_factory.mktemp("asked")
    put(here, noisy(customers(), by=2), **{**ASKED, "outputs": ["json"]})
    assert heard("run", "wallet.yaml", "--out", "last", "--quiet", cwd=here)[0] == 0
    put(here, **ASKED)
    assert heard("freeze", "wallet.yaml", "--out", "frozen.json", cwd=here)[0] == 0
    put(here, **ASKED, previous={"path": "last"}, frozen="frozen.json")
    assert heard("run", "wallet.yaml", "--out", "out", "--quiet", cwd=here)[0] == 0
    return here / "out"


def by_whom_and_when(told: dict[str, Any], manifest: dict[str, Any]) -> bool:
    return bool(
        manifest["time"]
        and manifest["versions"]["reportgen"]
        and manifest["digests"]["code"]
        and manifest["platform"]
    )


def which_decision_and_what_errors_cost(told: dict[str, Any], manifest: dict[str, Any]) -> bool:
    return bool(told["report"]["question"]) and told["costs"][0]["dataset"] == "holdout"


def which_data(told: dict[str, Any], manifest: dict[str, Any]) -> bool:
    [data] = told["datasets"]
    steps = [step["step"] for step in data["waterfall"]]
    files = {(each["path"], each["sha256"], each["rows"]) for each in manifest["inputs"]}
    return "filtered" in steps and len(files) == 1


def on_the_same_rows(told: dict[str, Any], manifest: dict[str, Any]) -> bool:
    counts = {e["n"] for e in told["estimates"] if e["segment"] is None}
    return len(counts) == 1 and bool(manifest["digests"]["datasets"]["holdout"]["rows"])


def better_by_how_much(told: dict[str, Any], manifest: dict[str, Any]) -> bool:
    first = told["comparisons"][0]
    limits = [first[key] for key in ("difference", "low", "high", "margin")]
    frozen = told["frozen"]
    kept = not frozen["differences"] and frozen["digest"] and frozen["time"] <= manifest["time"]
    return None not in limits and first["family_size"] > 1 and kept


def in_which_segments(told: dict[str, Any], manifest: dict[str, Any]) -> bool:
    return {c["segment"] for c in told["comparisons"]} > {None}


def calibrated(told: dict[str, Any], manifest: dict[str, Any]) -> bool:
    return "bucket_calibration" in {c["curve"] for c in told["curves"]}


def how_sensitive(told: dict[str, Any], manifest: dict[str, Any]) -> bool:
    found = told["sensitivity"]
    return len(found["choices"]) > 2 and bool(found["influence"])


def against_what(told: dict[str, Any], manifest: dict[str, Any]) -> bool:
    return [m["name"] for m in told["models"] if m["role"] == "baseline"] == ["clv"]


def what_it_does_not_show(told: dict[str, Any], manifest: dict[str, Any]) -> bool:
    return told["report"]["limitations"] == told["conclusion"]["limits"] == ["One cohort only."]


def what_changed(told: dict[str, Any], manifest: dict[str, Any]) -> bool:
    changed = [cause["name"] for cause in told["changes"]["causes"] if cause["is_changed"]]
    last = told["history"][-1]["digest"]
    return bool(changed) and last == manifest["previous"]


def made_again_and_not_edited(told: dict[str, Any], manifest: dict[str, Any]) -> bool:
    has_digests = all(len(each["sha256"]) == 64 for each in manifest["outputs"])
    return told["provenance"]["command"].startswith("reportgen run") and has_digests


def who_accepts(told: dict[str, Any], manifest: dict[str, Any]) -> bool:
    return [each["role"] for each in told["report"]["sign_off"]] == ["Owner", "Validator"]


Answer = Callable[[dict[str, Any], dict[str, Any]], bool]
QUESTIONS: dict[str, tuple[Answer, str]] = {
    "Who made it, when, with which versions and code?": (by_whom_and_when, "Files"),
    "Which decision, and what do errors cost?": (which_decision_and_what_errors_cost, "Costs"),
    "Which data, what was dropped?": (which_data, "Data"),
    "Were all judged on the same rows?": (on_the_same_rows, "Data"),
    "By how much, how sure, of how many, fixed before?": (better_by_how_much, "Results"),
    "In which segments does it hold?": (in_which_segments, "Where and when"),
    "Is it calibrated?": (calibrated, "Results"),
    "What is it sensitive to?": (how_sensitive, "Robustness"),
    "Against which baseline?": (against_what, "Method"),
    "What does it not show?": (what_it_does_not_show, "Limitations"),
    "What changed since the last time?": (what_changed, "Since the last run"),
    "Can it be made again, was it edited?": (made_again_and_not_edited, "Files"),
    "Who accepts it?": (who_accepts, "Sign-off"),
}


@pytest.mark.parametrize("question", QUESTIONS)
def test_a_question_has_its_answer_in_the_files_and_its_heading(made: Path, question: str) -> None:
    answered, heading = QUESTIONS[question]
    told, manifest = results(made), json.loads((made / "manifest.json").read_text())
    assert answered(told, manifest)
    html = (made / "report.html").read_text(encoding="utf-8")
    assert f">{heading}" in html
    paper = PdfReader(BytesIO((made / "report.pdf").read_bytes()))
    assert any(heading in page.extract_text() for page in paper.pages)


def test_a_report_of_all_answers_is_verified(made: Path) -> None:
    number = sha256((made / "manifest.json").read_bytes()).hexdigest()
    assert len(QUESTIONS) == 13
    assert call("verify", made, "--manifest-sha256", number) == 0
