"""The worked evaluation, and the steps of its workflow for a better and a worse model."""

from __future__ import annotations

import os
import re
import runpy
import shutil
import subprocess
import sys
from pathlib import Path
from shutil import which
from typing import Any

import pytest
import yaml

from tests.end_to_end.wallet import ROOT, call, results

PAGE = ROOT / "docs" / "evaluation-logs.md"
BUILD = runpy.run_path(str(ROOT / "configs" / "data" / "build_evals.py"))


def steps() -> list[dict[str, Any]]:
    """The steps of the page's workflow that run reportgen."""
    [text] = re.findall(r"^```yml\n(.*?)^```$", PAGE.read_text("utf-8"), re.M | re.S)
    every = yaml.safe_load(text)["jobs"]["report"]["steps"]
    return [each for each in every if str(each.get("run", "")).startswith("reportgen")]


def put(folder: Path, model: str) -> None:
    """The worked config with the log of one model as that of the candidate."""
    logs = folder / "data" / "evals"
    logs.mkdir(parents=True)
    shutil.copy(ROOT / "configs" / "data" / "evals" / "current.eval", logs)
    BUILD["write_log"](logs / "candidate.eval", model, "candidate")
    config = yaml.safe_load((ROOT / "configs" / "evals.yaml").read_text("utf-8"))
    config["outputs"], config["bootstrap"]["replicates"] = ["json", "markdown", "junit"], 199
    (folder / "evals.yaml").write_text(yaml.safe_dump(config, sort_keys=False))


@pytest.mark.skipif(which("bash") is None, reason="runners have it")
@pytest.mark.parametrize(("model", "code"), [("candidate", 0), ("worse", 1)])
def test_the_steps_of_the_workflow_fail_for_a_worse_model_alone(
    tmp_path: Path, model: str, code: int
) -> None:
    put(tmp_path, model)
    places = {name: str(tmp_path / name) for name in ("GITHUB_OUTPUT", "GITHUB_STEP_SUMMARY")}
    path = f"{Path(sys.executable).parent}:{os.environ['PATH']}"
    environ = {**os.environ, **places, "PATH": path, "PYTHONPATH": str(ROOT)}
    ends = [
        subprocess.run(["bash", "-e", "-c", step["run"]], env=environ, cwd=tmp_path).returncode
        for step in steps()
    ]
    assert ends == [0, code]
    gate = results(tmp_path / "report")["gates"][0]
    assert gate["status"] == ("met" if code == 0 else "not met")
    assert (gate["low"] > -0.03) is (code == 0) and gate["high"] > gate["low"]


def test_the_logs_are_those_of_the_script(tmp_path: Path) -> None:
    for model in ("current", "candidate"):
        BUILD["write_log"](tmp_path / "log", model)
        kept = ROOT / "configs" / "data" / "evals" / f"{model}.eval"
        assert (tmp_path / "log").read_bytes() == kept.read_bytes()


def test_page_one_of_the_worked_evaluation(tmp_path: Path) -> None:
    words = ("--quiet", "--no-cache", "--set", "outputs=[markdown]")
    config = ROOT / "configs" / "evals.yaml"
    sets = ("--set", "bootstrap.replicates=199")
    assert call("run", config, "--out", tmp_path / "out", *words, *sets) == 0
    page = (tmp_path / "out" / "report.md").read_text("utf-8").partition("## Results")[0]
    assert "New model is clearly better than Current model" in page
    assert "240 questions over 59 articles, 3 samples each. Margin 3 points." in page
    assert "| **All 3 right** |" in page and "labelled items, the judge's difference is" in page
