"""The studies that are published say what was counted, and mix no older counts with newer ones."""

import json
import subprocess
import sys
from pathlib import Path

from reportgen.terms import INPUT_CHECKS

ROOT = Path(__file__).parent.parent


def run(*words: object) -> str:
    command = [sys.executable, ROOT / "benchmarks" / "coverage.py", *words]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def block(first: int, held: int, *metrics: str) -> str:
    methods = ("auto", "percentile", "bca", "se")
    counts = {"runs": 100, "held": held, "left": 100 - held, "t": 100, "warned": 0}
    cells = {f"{metric} one {method}": counts for metric in metrics for method in methods}
    return json.dumps({"first": first, "runs": 100, "replicates": 999, "cells": cells}) + "\n"


def test_the_page_on_coverage_says_what_was_counted(tmp_path):
    run("--table", "--page", tmp_path / "page.md")
    published = (ROOT / "benchmarks" / "results" / "coverage.md").read_text(encoding="utf-8")
    assert (tmp_path / "page.md").read_text(encoding="utf-8") == published


def test_the_page_on_checks_of_inputs_says_what_was_counted(tmp_path):
    study = ROOT / "benchmarks" / "input_checks.py"
    command = [sys.executable, study, "--table", "--page", tmp_path / "page.md"]
    subprocess.run(command, check=True)
    page = (tmp_path / "page.md").read_text("utf-8")
    assert page == (ROOT / "benchmarks" / "results" / "input_checks.md").read_text("utf-8")
    rows = [line.split("|") for line in page.splitlines() if line.startswith("| `")]
    limits = {row[1].strip(): float(row[5].strip(" %")) for row in rows}
    stops = [f"`{name}`" for name, each in INPUT_CHECKS.items() if each.kind == "stop"]
    assert len(stops) > 10 and max(limits.get(name, 0.0) for name in stops) <= 0.5
    assert limits["`reversed`, with fold:"] <= 0.5


def test_counts_that_come_out_otherwise_replace_all_older_ones(tmp_path):
    older, newer = tmp_path / "older", tmp_path / "newer"
    for folder in (older, newer):
        folder.mkdir()
    known = block(0, 80, "mae", "rmse") + block(100, 80, "mae", "rmse")
    (older / "normal-100.jsonl").write_text(known)
    again = json.loads(block(0, 95, "rmse", "mse"))
    again["cells"] |= json.loads(block(0, 80, "mae"))["cells"]
    (newer / "normal-100.jsonl").write_text(json.dumps(again))
    page = run("--merge", newer, "--out", older)
    assert "| mae | one model | t | 80.0 |" in page  # the same again: all of its runs stay
    assert "| rmse (100 runs) | one model | t | 95.0 |" in page
    assert "| mse (100 runs) | one model | t | 95.0 |" in page


def held(metric: str) -> list[float]:
    """Coverage of its differences between unequal models, on each ground of skewed amounts."""
    found = []
    folder = ROOT / "benchmarks" / "results" / "coverage"
    for path in (*folder.glob("lognormal-*.jsonl"), *folder.glob("zeros-*.jsonl")):
        blocks = (json.loads(line)["cells"] for line in path.read_text().splitlines())
        cells = [each for cells in blocks if (each := cells.get(f"{metric} unequal auto"))]
        runs = sum(each["runs"] for each in cells)
        found += [100 * sum(each.get("held", 0) for each in cells) / runs] if runs else []
    return found


def test_the_page_of_limits_quotes_the_study_of_squares():
    page = (ROOT / "docs" / "what-is-not-claimed.md").read_text(encoding="utf-8")
    page = " ".join(page.split())
    squares = held("mse") + held("aoc")
    assert f"{min(squares):.0f} to {max(squares):.0f} % hold the truth where 95 % should" in page
    assert "the difference of the RMSE holds within four points" in page
    assert min(held("rmse")) > 91
