"""Which models these are, what they were trained on, simple benchmarks, and open findings."""

from pathlib import Path
from typing import Any

import pytest

from tests.end_to_end.wallet import WALLET, customers, heard, put, results, write_rows

SHA = 64 * "a"
STATED = {
    "version": "2026-11",
    "owner": "Pricing",
    "artifact": {"uri": "s3://m.pkl", "sha256": SHA},
}


def run(folder: Path, boosted: dict[str, Any], **changes: Any) -> tuple[dict[str, Any], str]:
    """The results and the Markdown of a run whose second model says more of itself."""
    models = {**WALLET["models"], "boosted": {**WALLET["models"]["boosted"], **boosted}}
    put(folder, models=changes.pop("models", models), outputs=["json", "markdown"], **changes)
    code, _, error = heard("run", "wallet.yaml", "--out", "out", "--quiet", cwd=folder)
    assert code == 0, error
    return results(folder / "out"), (folder / "out" / "report.md").read_text(encoding="utf-8")


def test_version_owner_and_artifact_stand_in_files_and_report(tmp_path: Path) -> None:
    found, page = run(tmp_path, STATED)
    told = next(m for m in found["models"] if m["name"] == "boosted")
    assert {key: told[key] for key in STATED} == STATED
    assert all(word in page for word in ("2026-11", "Pricing", "s3://m.pkl", SHA))
    assert page.count("not stated") == 2 * 4  # of the other two models


@pytest.mark.parametrize("shared", [0, 7])
def test_ids_of_the_training_are_counted_and_warned_of(tmp_path: Path, shared: int) -> None:
    rows = [{"who": row["customer_id"]} for row in customers()[:shared]]
    write_rows(tmp_path / "trained.csv", [*rows, *({"who": f"x{k}"} for k in range(30))])
    found, page = run(tmp_path, {"trained_on": {"path": "trained.csv", "id": "who"}})
    told = next(m for m in found["models"] if m["name"] == "boosted")["trained_on"]
    assert (told["ids"], told["shared"]) == (30 + shared, {"holdout": shared})
    assert [f["path"] for f in told["files"]] == ["trained.csv"]
    warned = [w for w in found["warnings"] if w["code"] == "W143"]
    assert [(w["model"], w["numbers"]) for w in warned] == (
        [("boosted", {"shared": 7, "rows": 120})] if shared else []
    )
    said = (
        "7 of the 120 rows tested here have" if shared else "None of the 120 rows tested here has"
    )
    assert said in page


def test_rows_without_ids_cannot_be_held_against_a_training(tmp_path: Path) -> None:
    write_rows(tmp_path / "trained.csv", [{"who": "1"}, {"who": "2"}])
    one = {k: v for k, v in WALLET["datasets"]["holdout"].items() if k != "id"}
    found, page = run(
        tmp_path, {"trained_on": {"path": "trained.csv", "id": "who"}}, datasets={"holdout": one}
    )
    assert found["models"][1]["trained_on"]["shared"] == {}
    assert "have no ids, so the report cannot check whether" in page


def test_a_file_of_training_that_is_not_there_is_told_at_its_place(tmp_path: Path) -> None:
    for trained, said in (
        ({"path": "no.csv", "id": "who"}, "no.csv"),
        ({"path": "wallet.csv", "id": "customer"}, "'customer_id'"),
    ):
        models = {**WALLET["models"], "rfm": {**WALLET["models"]["rfm"], "trained_on": trained}}
        put(tmp_path, models=models)
        code, _, error = heard("run", "wallet.yaml", "--out", "out", "--quiet", cwd=tmp_path)
        assert code == 2 and error.startswith("wallet.yaml:") and said in error


def test_a_benchmark_is_compared_and_never_recommended(tmp_path: Path) -> None:
    """The best score here: page one is about it while it is a candidate."""
    rows = [
        {**row, "score_best": str(float(row["y_spend_hold"]) + float(row["score_rfm"]))}
        for row in customers()
    ]
    best = {"label": "Best", "column": "score_best"}
    models = {"clv": WALLET["models"]["clv"], "boosted": WALLET["models"]["boosted"]}
    asked: dict[str, Any] = {
        "rows": rows,
        "gates": [],
        "report": {"title": "Wallet", "decision": "choose"},
    }
    found, _ = run(tmp_path, {}, models={**models, "best": best}, **asked)
    assert found["conclusion"]["about"] == "best"
    benchmark = {**best, "role": "benchmark"}
    found, page = run(tmp_path, {}, models={**models, "best": benchmark}, **asked)
    assert found["conclusion"]["about"] == "boosted"
    assert {c["candidate"] for c in found["comparisons"]} == {"boosted", "best"}
    assert "Best is a simple benchmark, not a candidate. On " in page


def test_a_report_of_benchmarks_alone_is_refused(tmp_path: Path) -> None:
    models = {
        "clv": WALLET["models"]["clv"],
        "rfm": {**WALLET["models"]["rfm"], "role": "benchmark"},
    }
    put(tmp_path, models=models, gates=[])
    code, _, error = heard("validate", "wallet.yaml", cwd=tmp_path)
    assert code == 2 and "at least one is a candidate" in error
    models["boosted"] = WALLET["models"]["boosted"]
    put(tmp_path, models=models, gates=[], report={"title": "Wallet", "about": "rfm"})
    code, _, error = heard("validate", "wallet.yaml", cwd=tmp_path)
    assert code == 2 and "'rfm' is a benchmark, which is not chosen" in error


def test_findings_stand_among_the_limitations(tmp_path: Path) -> None:
    findings = [{"id": "F-1", "severity": "high", "due": "2026-12-31", "status": "open"}]
    found, page = run(tmp_path, {}, report={"title": "Wallet", "findings": findings})
    [told] = found["report"]["findings"]
    assert {key: told[key] for key in findings[0]} == findings[0]
    line = page[page.index("Finding F") :].partition("\n")[0].replace("\\", "")
    assert all(value in line for value in findings[0].values())


def test_a_training_is_not_held_against_rows_that_are_streamed(tmp_path: Path) -> None:
    """No ids are kept of them, so that none would seem to be shared."""
    trained = {"path": "wallet.csv", "id": "customer_id"}
    models = {**WALLET["models"], "rfm": {**WALLET["models"]["rfm"], "trained_on": trained}}
    put(tmp_path, models=models, compute={"engine": "stream"})
    code, _, error = heard("run", "wallet.yaml", "--out", "out", "--quiet", cwd=tmp_path)
    assert code == 2 and "models.rfm.trained_on is not offered when streamed" in error
