"""The gates as an in-toto statement: what it is on, what it says, and who finds it edited."""

import json
from dataclasses import replace
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest

from reportgen.report.layout import build_document
from reportgen.report.render.outputs import render_output
from reportgen.report.render.theme import Theme
from reportgen.results import Results
from reportgen.results.core import Artifact, InputFile
from tests.end_to_end.wallet import WALLET as CONFIG
from tests.end_to_end.wallet import call, heard, put
from tests.worked import results_of

WALLET = results_of("wallet")
DATA = WALLET.datasets[0].inputs[0]


def statement(results: Results) -> dict[str, Any]:
    [content] = render_output("statement", build_document(results), results, Theme()).values()
    found: dict[str, Any] = json.loads(content)
    return found


def ended(**changes: Any) -> dict[str, Any]:
    """What is said where the first gate ended otherwise."""
    first, *others = WALLET.gates
    told = statement(replace(WALLET, gates=(replace(first, **changes), *others)))
    found: dict[str, Any] = told["predicate"]
    return found


def test_it_has_the_fields_that_the_predicate_asks_for() -> None:
    told = statement(WALLET)
    assert told["_type"] == "https://in-toto.io/Statement/v1"
    assert told["predicateType"] == "https://in-toto.io/attestation/test-result/v0.1"
    assert told["predicate"]["result"] == "PASSED"
    assert told["predicate"]["passedTests"] == [gate.name for gate in WALLET.gates]
    assert told["predicate"]["warnedTests"] == told["predicate"]["failedTests"] == []


def test_a_gate_that_fails_fails_the_statement_and_an_open_one_warns() -> None:
    name = WALLET.gates[0].name
    failed, open_ = ended(status="not met"), ended(status="cannot tell", inconclusive="warn")
    assert (failed["result"], failed["failedTests"]) == ("FAILED", [name])
    assert (open_["result"], open_["warnedTests"]) == ("WARNED", [name])
    strict = ended(status="cannot tell", inconclusive="fail")
    assert (strict["result"], strict["failedTests"]) == ("FAILED", [name])


def test_a_gate_that_was_skipped_is_in_no_list() -> None:
    told = ended(status="skipped")
    lists = [*told["passedTests"], *told["warnedTests"], *told["failedTests"]]
    assert WALLET.gates[0].name not in lists


def test_a_warning_that_is_fatal_fails_it() -> None:
    warned = replace(WALLET.warnings[0], is_fatal=True)
    told = statement(replace(WALLET, warnings=(warned,)))["predicate"]
    assert (told["result"], told["failedTests"]) == ("FAILED", [f"warning {warned.code}"])


def test_it_is_on_the_candidates_artifacts_else_on_the_files_of_their_scores() -> None:
    kept, digest = Artifact("ab" * 32, "s3://models/boosted"), "cd" * 32
    inputs = (DATA, InputFile("rfm.csv", "scores of rfm, last91", digest, 9, 9))
    models = tuple(
        replace(m, artifact=kept, version="7") if m.name == "boosted" else m for m in WALLET.models
    )
    datasets = (replace(WALLET.datasets[0], inputs=inputs),)
    told = statement(replace(WALLET, models=models, datasets=datasets))["subject"]
    assert told == [
        {
            "name": "boosted",
            "digest": {"sha256": "ab" * 32},
            "uri": "s3://models/boosted",
            "annotations": {"version": "7"},
        },
        {"name": "rfm.csv", "digest": {"sha256": digest}},
    ]


def test_scores_in_one_table_are_told_once_by_that_table() -> None:
    expected = {"name": DATA.path, "digest": {"sha256": DATA.sha256}}
    assert statement(WALLET)["subject"] == [expected]


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("stated")
    hostile = {**CONFIG["gates"][1], "name": 'a"\n%0A::error::b\u2028</script>'}
    put(folder, outputs=["statement"], gates=[CONFIG["gates"][0], hostile])
    assert heard("run", "wallet.yaml", "--out", "report", "--quiet", cwd=folder)[0] == 0
    return folder / "report"


def test_its_digests_are_those_of_the_files(report: Path) -> None:
    told = json.loads((report / "statement.json").read_bytes())
    files = {"wallet.yaml": report.parent / "wallet.yaml", "results.json": report / "results.json"}
    assert told["predicate"]["configuration"] == [
        {"name": name, "digest": {"sha256": sha256(path.read_bytes()).hexdigest()}}
        for name, path in files.items()
    ]
    data = sha256((report.parent / "wallet.csv").read_bytes()).hexdigest()
    assert told["subject"] == [{"name": "wallet.csv", "digest": {"sha256": data}}]
    assert len(told["predicate"]["passedTests"]) == 2


def test_verify_finds_an_edited_statement_and_a_manifest_that_was_made_to_fit(report: Path) -> None:
    assert call("verify", report, "--deep") == 0
    before = {
        name: (report / name).read_bytes()
        for name in ("statement.json", "manifest.json", "SHA256SUMS")
    }
    edited = before["statement.json"].replace(b"PASSED", b"WARNED")
    assert edited != before["statement.json"]
    (report / "statement.json").write_bytes(edited)
    code, said, _ = heard("verify", report, cwd=report)
    assert (code, said) == (1, "statement.json: changed\n")
    then = sha256(before["statement.json"]).hexdigest().encode()
    now = sha256(edited).hexdigest().encode()
    manifest = before["manifest.json"].replace(then, now)
    sums = (
        before["SHA256SUMS"]
        .replace(then, now)
        .replace(
            sha256(before["manifest.json"]).hexdigest().encode(),
            sha256(manifest).hexdigest().encode(),
        )
    )
    (report / "manifest.json").write_bytes(manifest)
    (report / "SHA256SUMS").write_bytes(sums)
    assert call("verify", report) == 0
    code, said, _ = heard("verify", report, "--deep", cwd=report)
    for name, content in before.items():
        (report / name).write_bytes(content)
    assert code == 1
    assert said.splitlines() == [
        f"{name}: does not say what results.json holds"
        for name in ("SHA256SUMS", "manifest.json", "statement.json")
    ]
