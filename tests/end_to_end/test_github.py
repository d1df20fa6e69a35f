"""What a run tells GitHub Actions, held against the limits that GitHub documents."""

import json
import os
import re
import subprocess
import sys
import tomllib
from dataclasses import replace
from pathlib import Path
from shutil import which
from xml.etree import ElementTree as Xml

import pytest
import yaml
from packaging.requirements import Requirement

from reportgen.cli.messages import LARGEST_SUMMARY, iter_annotations, write_github_outputs
from reportgen.governance.manifest import digest_bytes
from reportgen.governance.outputs import Outcome
from reportgen.report.layout import build_document
from reportgen.report.render.markdown import LARGEST
from reportgen.report.render.outputs import render_output
from reportgen.report.render.theme import Theme
from reportgen.results import Results
from reportgen.results.core import GateResult, SegmentInfo
from reportgen.results.recommendation import Stop
from reportgen.results.sensitivity import Sensitivity
from tests.end_to_end.wallet import ROOT, WALLET, customers, heard, put
from tests.worked import results_of

COMMAND = re.compile(r"::(error|warning) ((?:\w+=[^:,]*,?)+)::(.*)")


@pytest.fixture
def runner(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The files of a runner."""
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(tmp_path / "summary"))
    monkeypatch.setenv("GITHUB_OUTPUT", str(tmp_path / "output"))
    return tmp_path


def run(folder: Path, **changes: object) -> tuple[int, str]:
    put(folder, curves=[], **{"outputs": ["markdown"], **changes})
    code, said, err = heard(
        "run", "wallet.yaml", "--out", "out", "--quiet", "--ci", "github", cwd=folder
    )
    assert "Traceback" not in err
    return code, said


def gates(value: float) -> list[dict[str, object]]:
    return [{**WALLET["gates"][1], "value": value}]


def test_a_failed_gate_is_an_error_at_its_line(runner: Path) -> None:
    code, said = run(runner, gates=gates(0.5))
    assert code == 1
    [found] = [each for each in said.splitlines() if each.startswith("::")]
    match = COMMAND.fullmatch(found)
    assert match is not None
    assert match[1] == "error"
    place = dict(each.split("=") for each in match[2].split(","))
    text = (runner / "wallet.yaml").read_text().splitlines()[int(place["line"]) - 1]
    assert "name: error" in text
    assert (place["file"], place["title"]) == ("wallet.yaml", "gate error")


def test_the_summary_is_the_page_and_the_outputs_say_how_it_ended(runner: Path) -> None:
    (runner / "summary").write_text("before\n")
    code, said = run(runner)
    assert code == 0
    assert not [each for each in said.splitlines() if each.startswith("::error")]
    page = (runner / "out" / "report.md").read_text(encoding="utf-8")
    assert (runner / "summary").read_text(encoding="utf-8") == f"before\n{page}"
    told = dict(each.split("=", 1) for each in (runner / "output").read_text().splitlines())
    assert told["gates-failed"] == "0"
    assert told["manifest-sha256"] == digest_bytes((runner / "out" / "manifest.json").read_bytes())
    assert told["verdict"] in said
    assert told["page"] == "out/report.md"
    (runner / "output").unlink()
    run(runner, outputs=["json"])
    assert "page=\n" in (runner / "output").read_text()


def test_a_summary_that_would_be_dropped_is_left_as_it_is(runner: Path) -> None:
    (runner / "summary").write_bytes(b"x" * LARGEST_SUMMARY)
    _, said = run(runner)
    assert (runner / "summary").stat().st_size == LARGEST_SUMMARY
    assert "GITHUB_STEP_SUMMARY would be larger than 900,000 bytes" in said


def test_without_a_runner_it_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("GITHUB_STEP_SUMMARY", "GITHUB_OUTPUT"):
        monkeypatch.delenv(name, raising=False)
    code, said = run(tmp_path)
    assert code == 0
    assert "GITHUB_OUTPUT is not set, so it is not written" in said


def finding(name: str, status: str = "not met") -> GateResult:
    return replace(
        results_of("wallet").gates[0],
        name=name,
        status=status,
        file="a,b:c.yaml",
        line=3,
        reason="100 % of it\n::error::no",
    )


ABOVE = {"rule": "above", "metric": "kendall", "value": 0.9}
CASES = {  # scores that are the same for every customer, the code, places of errors, last line
    "clean": ({}, 0, [], "Cannot tell: "),
    "not met": ({}, 1, ["- rule: above"], "Cannot tell: "),
    "one stopped": ({"score_rfm": "1"}, 3, ["  rfm:", "- rule: above"], "Cannot tell: "),
    "all stopped": (
        {"score_rfm": "1", "score_gbm_time": "1"},
        3,
        ["  boosted:", "  rfm:"],
        "No verdict: Kendall's τ-b of Boosted is undefined; the same holds for RFM.",
    ),
    "target": (
        {"y_spend_hold": "0"},
        3,
        ["    target: y_spend_hold"],
        "No verdict: every row has the same target.",
    ),
}


def put_case(folder: Path, case: str) -> None:
    """Write data on which a stop fires, with a requirement on two of the models."""
    gates = [{**ABOVE, "name": "high", "model": "clv"}, {**ABOVE, "name": "r", "model": "rfm"}]
    if case == "clean":
        gates = [{**ABOVE, "name": "high", "model": "clv", "value": -1}]
    elif case == "not met":
        gates = gates[:1]
    rows = [{**row, **CASES[case][0]} for row in customers()]
    put(folder, rows, gates=gates, curves=[], outputs=["json", "markdown", "junit"])


@pytest.mark.parametrize("case", CASES)
def test_each_stop_is_an_error_at_the_model_or_the_data(runner: Path, case: str) -> None:
    """No model that is stopped is lost, and each requirement names the stop of its own model."""
    _, code, places, last = CASES[case]
    put_case(runner, case)
    words = ("run", "wallet.yaml", "--out", "out", "--quiet", "--ci", "github")
    ended, said, _ = heard(*words, cwd=runner)
    lines = said.splitlines()
    assert ended == code and lines[-1].startswith(last)
    found = [match for line in lines if (match := COMMAND.fullmatch(line))]
    written = (runner / "wallet.yaml").read_text(encoding="utf-8").splitlines()
    at = [int(dict(p.split("=") for p in m[2].split(","))["line"]) for m in found]
    assert [(m[1], written[k - 1]) for m, k in zip(found, at, strict=True)] == [
        ("error", next(line for line in written if line.endswith(place))) for place in places
    ]
    told = dict(each.split("=", 1) for each in (runner / "output").read_text().splitlines())
    assert (told["verdict"], told["gates-failed"]) == (
        lines[-1],
        str(places.count("- rule: above")),
    )
    suite = Xml.parse(runner / "out" / "junit.xml").getroot()
    assert len(suite.findall(".//testcase[@name='input']/error")) == (code == 3)
    skipped = {
        c.get("name"): s.get("message", "")
        for c in suite.iter("testcase")
        for s in c
        if s.tag == "skipped"
    }
    why = "not judged: every row" if case == "target" else "not judged: Kendall's τ-b"
    assert all(text.startswith(why) for text in skipped.values())
    if case in ("one stopped", "all stopped"):
        assert skipped["r"].startswith("not judged: Kendall's τ-b of RFM is undefined where")
    page = (runner / "out" / "report.md").read_text(encoding="utf-8").split("## Decision")[1]
    assert page.lstrip().startswith(f"### {last}")


def test_stops_leave_room_for_requirements() -> None:
    """GitHub shows ten errors of a step: many stops share one that names them all."""
    found = results_of("wallet")
    assert found.conclusion is not None
    stops = tuple(
        Stop("undefined", "holdout", f"m{k}", f"m{k} is undefined", file="a.yaml", line=k + 1)
        for k in range(12)
    )
    made = replace(found.conclusion.recommendation, stops=stops)
    every = tuple(finding(f"g{k}") for k in range(40))
    lines = list(
        iter_annotations(
            replace(found, gates=every, conclusion=replace(found.conclusion, recommendation=made))
        )
    )
    assert len(lines) == 10
    assert lines[0].startswith("::error file=a.yaml,line=1,title=not judged::")
    assert all(f"m{k} is undefined" in lines[0] for k in range(12))
    assert lines[-1] == "::error::and 32 more gates; see the report"


@pytest.mark.full
@pytest.mark.skipif(which("jq") is None or which("bash") is None, reason="runners have both")
@pytest.mark.parametrize("case", CASES)
def test_the_steps_of_the_action_run_one_after_the_other(tmp_path: Path, case: str) -> None:
    """The first step ends as the run does; the second one comments the page all the same."""
    put_case(tmp_path, case)
    (tmp_path / "gh").write_text(GH)
    (tmp_path / "gh").chmod(0o755)
    (tmp_path / "comments.json").write_text("[]")
    steps = yaml.safe_load((ROOT / "action.yml").read_text(encoding="utf-8"))["runs"]["steps"]
    steps = [each for each in steps if "CONFIG" in each.get("env", {})]
    places = {name: str(tmp_path / name) for name in ("GITHUB_OUTPUT", "GITHUB_STEP_SUMMARY")}
    environ = {
        **os.environ,
        **places,
        "PATH": f"{tmp_path}:{Path(sys.executable).parent}:{os.environ['PATH']}",
        "CONFIG": "wallet.yaml",
        "OUT": "report",
        "COMMENT": "true",
        "JOB": "CI/report",
        "REPOSITORY": "o/r",
        "NUMBER": "7",
        "RUNNER_TEMP": str(tmp_path),
        "CALLS": str(tmp_path / "calls"),
        "COMMENTS": str(tmp_path / "comments.json"),
    }

    def step(k: int, **more: str) -> int:
        words = ["bash", "-e", "-o", "pipefail", "-c", steps[k]["run"]]
        return subprocess.run(words, env={**environ, **more}, cwd=tmp_path).returncode

    assert step(0) == CASES[case][1]
    lines = (tmp_path / "GITHUB_OUTPUT").read_text(encoding="utf-8").splitlines()
    told = dict(line.split("=", 1) for line in lines)
    assert told["verdict"].startswith(CASES[case][3])
    manifest = (tmp_path / "report" / "manifest.json").read_bytes()
    assert told["manifest-sha256"] == digest_bytes(manifest)
    assert step(1, PAGE=told["page"]) == 0
    assert "--method POST" in (tmp_path / "calls").read_text()
    page = (tmp_path / "report" / "report.md").read_text(encoding="utf-8")
    assert (tmp_path / "comment.md").read_text(encoding="utf-8").endswith(page)


def test_a_name_cannot_become_a_command() -> None:
    results = replace(results_of("wallet"), gates=(finding("a%0A::error::b"),))
    [found] = iter_annotations(results)
    assert "\n" not in found
    assert found.count("::error") == 1 + found.partition("::")[2].partition("::")[2].count(
        "::error"
    )
    assert found.startswith(
        "::error file=a%2Cb%3Ac.yaml,line=3,title=gate a%250A%3A%3Aerror%3A%3Ab::"
    )
    assert "100 %25 of it" in found


@pytest.mark.parametrize(
    ("count", "lines", "last"),
    [
        (10, 10, "gate g9"),
        (11, 10, "and 2 more gates"),
        (40, 10, "and 31 more gates"),
    ],
)
def test_at_most_ten_of_a_kind(count: int, lines: int, last: str) -> None:
    every = tuple(finding(f"g{k}") for k in range(count))
    found = list(iter_annotations(replace(results_of("wallet"), gates=every)))
    assert len(found) == lines
    assert last in found[-1]


def test_open_gates_only_warn() -> None:
    open_ = replace(finding("thin", "cannot tell"), inconclusive="warn")
    [found] = iter_annotations(replace(results_of("wallet"), gates=(open_,)))
    assert found.startswith("::warning ")


def test_the_action_is_sound_yaml_whose_steps_name_inputs_that_exist() -> None:
    told = yaml.safe_load((ROOT / "action.yml").read_text(encoding="utf-8"))
    assert told["runs"]["using"] == "composite"
    text = (ROOT / "action.yml").read_text(encoding="utf-8")
    named = set(re.findall(r"\$\{\{ inputs\.([\w-]+) \}\}", text))
    assert named == set(told["inputs"])
    for step in told["runs"]["steps"]:
        assert "run" not in step or step["shell"] == "bash"
        assert "${{ inputs" not in step.get("run", "")  # only through the environment


GH = """#!/bin/sh
case "$*" in
*user*) exit 1 ;;
*--paginate*) cat "$COMMENTS" ;;
*) echo "$*" >> "$CALLS" ;;
esac
"""


@pytest.mark.skipif(which("jq") is None or which("bash") is None, reason="runners have both")
def test_the_action_replaces_its_own_comment_alone(tmp_path: Path) -> None:
    """A comment with the same first line by somebody else is left, and so is a page not written."""
    told = yaml.safe_load((ROOT / "action.yml").read_text(encoding="utf-8"))
    (tmp_path / "gh").write_text(GH)
    (tmp_path / "gh").chmod(0o755)
    (tmp_path / "report.md").write_text("the page")
    calls, comments = tmp_path / "calls", tmp_path / "comments.json"
    comments.write_text("[]")

    def comment(**environ: str) -> str:
        calls.unlink(missing_ok=True)
        known = {
            "PATH": f"{tmp_path}:{os.environ['PATH']}",
            "PAGE": str(tmp_path / "report.md"),
            "COMMENT": "true",
            "CONFIG": "a/config.yaml",
            "JOB": "CI/report",
            "REPOSITORY": "o/r",
            "NUMBER": "7",
            "RUNNER_TEMP": str(tmp_path),
            "CALLS": str(calls),
            "COMMENTS": str(comments),
        }
        script = told["runs"]["steps"][-1]["run"]
        subprocess.run(["bash", "-c", script], env={**known, **environ}, check=True)
        return calls.read_text() if calls.exists() else ""

    assert "--method POST repos/o/r/issues/7/comments" in comment()
    body = (tmp_path / "comment.md").read_text()
    assert body.endswith("the page") and len(body) - len("the page") + LARGEST < 65_536
    written = [
        {"id": k, "user": {"login": login}, "body": body}
        for k, login in enumerate(("somebody", "github-actions[bot]"))
    ]
    comments.write_text(json.dumps(written))
    assert "--method PATCH repos/o/r/issues/comments/1" in comment()
    assert "--method POST" in comment(CONFIG="b/config.yaml")
    (tmp_path / "report.md").write_text("é" * 40_000, encoding="utf-8")  # of `length: full`
    assert "--method" in comment()
    body = (tmp_path / "comment.md").read_text(encoding="utf-8")
    assert len(body) < 65_536 and "é\n\n*The comment ends here: the whole page is " in body
    assert comment(PAGE="") == ""


def test_the_image_is_made_of_pinned_parts_and_no_repository() -> None:
    lines = (ROOT / "Dockerfile").read_text().splitlines()
    bases = [line for line in lines if line.startswith("FROM")]
    assert all(re.search(r":\d+\.\d+\.\d+-slim-\w+( AS \w+)?$", base) for base in bases)
    assert not [line for line in lines if re.match(r"COPY \. ", line)]
    pinned = (ROOT / "constraints.txt").read_text().lower().splitlines()
    assert all(re.fullmatch(r"[\w.-]+==[\w.]+", line) for line in pinned)
    known = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["dependencies"]
    for dependency in known:
        needed = Requirement(dependency)
        [version] = [line.split("==")[1] for line in pinned if line.startswith(f"{needed.name}==")]
        assert needed.specifier.contains(version)


def test_several_configs_are_validated_at_once(tmp_path: Path) -> None:
    put(tmp_path)
    (tmp_path / "broken.yaml").write_text("version: 2\n")
    code, said, err = heard("validate", "broken.yaml", "wallet.yaml", cwd=tmp_path)
    assert (code, said) == (2, "wallet.yaml: fine\n")
    assert "broken.yaml:1" in err
    assert heard("validate", "wallet.yaml", cwd=tmp_path)[0] == 0


HOSTILE = ("a|b `c`<img src=x>", "@somebody", "[l](http://x.y)![i](z)", "a\n\n# H", "::error::x")


def many() -> Results:
    """The wallet's report as if of 10 models, 40 metrics and 60 slices, with hostile gates."""
    wallet = results_of("wallet")
    models = [f"m{k}" for k in range(10)]
    metric, [first, *_] = wallet.metrics[0], wallet.datasets
    metrics = [
        replace(metric, key=f"{metric.key} {k}", label=f"Metric {k}", is_primary=not k)
        for k in range(40)
    ]
    slices = [SegmentInfo(f"part=p{k}", "part", f"p{k}", 400) for k in range(60)]
    value, compared = wallet.estimates[0], wallet.comparisons[0]
    where = [(m.key, segment) for m in metrics for segment in (None, *(s.segment for s in slices))]
    gates = tuple(
        replace(wallet.gates[0], name=name, model="m1", against="m0", key=metrics[0].key)
        for name in HOSTILE
    )
    return replace(
        wallet,
        models=tuple(
            replace(wallet.models[min(k, 1)], name=m, label=f"{HOSTILE[k % len(HOSTILE)]} {k}")
            for k, m in enumerate(models)
        ),
        metrics=tuple(metrics),
        datasets=(replace(first, segments=tuple(slices)),),
        estimates=tuple(
            replace(value, key=key, segment=segment, model=m)
            for key, segment in where
            for m in models
        ),
        comparisons=tuple(
            replace(compared, key=key, segment=segment, candidate=m, baseline="m0")
            for key, segment in where
            for m in models[1:]
        ),
        curves=(),
        gates=gates,
        sensitivity=Sensitivity(),
        conclusion=None,
    )


@pytest.mark.full
def test_the_summary_of_a_large_report_is_within_the_limit_and_no_name_is_markup(
    runner: Path,
) -> None:
    results = many()
    assert len(results.estimates) == 40 * 61 * 10
    page = render_output("markdown", build_document(results), results, Theme())["report.md"]
    outcome = Outcome(results, {"report.md": page, "manifest.json": b"{}"}, (), "a\nverdict=b")
    assert [
        *write_github_outputs(outcome, Path("out"), os.environ)
    ] == []  # all passed, and both files could be written
    summary = (runner / "summary").read_text(encoding="utf-8")
    assert 20_000 < len(summary.encode()) < LARGEST_SUMMARY
    assert "This short version leaves out" in summary
    shown = [line for line in summary.splitlines() if "&gt; −0.01 | +0.018" in line]
    assert len(shown) == len(HOSTILE)
    for markup in ("a|b", "`c`", "<img", "@somebody", "](http://x", "![i]", "\n# H", "::error::"):
        assert markup not in summary, markup
    output = (runner / "output").read_text(encoding="utf-8").splitlines()
    assert [each.split("=")[0] for each in output] == [
        "verdict",
        "gates-failed",
        "manifest-sha256",
        "page",
    ]
