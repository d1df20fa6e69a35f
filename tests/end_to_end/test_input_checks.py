"""Checks of the input that stop a report: what it still prints, and how a run ends."""

from __future__ import annotations

import json
import random
from pathlib import Path
from xml.etree import ElementTree

import yaml

from tests.end_to_end.wallet import heard, write_rows

GATE = {"name": "no worse", "rule": "non_inferior", "metric": "roc_auc", "model": "b"}
GATE |= {"margin": 0.05}
CONFIG = {
    "version": 1,
    "report": {"title": "Fraud"},
    "datasets": {"d": {"path": "t.csv", "id": "id", "target": "y"}},
    "task": "binary",
    "models": {"a": {"column": "p_a", "role": "baseline"}, "b": {"column": "p_b"}},
    "metrics": ["roc_auc", "log_loss", "accuracy"],
    "primary": {"metric": "roc_auc", "margin": 0.01},
    "gates": [GATE],
    "bootstrap": {"replicates": 19},
    "sensitivity": "none",
    "curves": ["roc"],
    "outputs": ["json", "markdown", "junit"],
}


def drawn(count: int = 200, sign: int = 1) -> list[dict[str, object]]:
    """Rows of two classes with two scores that separate them well, or with `sign` −1 reversed."""
    random.seed(7)
    rows = []
    for k in range(count):
        y = int(random.random() < 0.4)
        scores = [0.5 + sign * 0.1 * (2 * y - 1) + random.uniform(-0.3, 0.3) for _ in "ab"]
        rows.append({"id": f"r{k:03}", "y": y, "p_a": scores[0], "p_b": scores[1]})
    return rows


def run(folder: Path, rows, *words: str, **changes: object):
    """Run a config; the exit code, the lines that it said, and results.json."""
    write_rows(folder / "t.csv", rows)
    (folder / "c.yaml").write_text(yaml.safe_dump({**CONFIG, **changes}, sort_keys=False))
    code, said, error = heard("run", "c.yaml", "--out", "o", "--quiet", *words, cwd=folder)
    assert (folder / "o").exists(), error
    return code, said.splitlines(), json.loads((folder / "o" / "results.json").read_text())


def test_a_stop_prints_values_and_no_difference_verdict_or_status(tmp_path: Path) -> None:
    code, said, found = run(tmp_path, drawn(sign=-1))
    assert (code, said[-1]) == (3, "No verdict: every model ranks worse than chance.")
    assert all(e["value"] is not None for e in found["estimates"])
    assert found["curves"]
    differences = [c[key] for c in found["comparisons"] for key in ("difference", "low", "high")]
    assert set(differences) == {None}
    (gate,), (required,) = found["gates"], found["conclusion"]["requirements"]
    assert (gate["status"], gate["value"], required["value"]) == ("not judged", None, None)
    page = (tmp_path / "o" / "report.md").read_text()
    order = [page.index(each) for each in ("No verdict:", "**Likely**", "**Fix**", "**Or**")]
    assert order == sorted(order)
    assert "| **Order of the scores** | 2 models below chance | **Failed** |" in page.replace(
        "both models", "2 models"
    )
    suite = ElementTree.parse(tmp_path / "o" / "junit.xml").getroot().find("testsuite")
    assert [suite.get(key) for key in ("failures", "errors", "skipped")] == ["0", "1", "1"]
    assert "order: ascending" in suite.find("testcase")[0].text


def test_inner_pages_of_a_stopped_report_have_values_and_no_tables_of_nothing(
    tmp_path: Path,
) -> None:
    """Values, intervals and curves stay; no difference and no empty verdict."""
    run(tmp_path, drawn(sign=-1))
    page = (tmp_path / "o" / "report.md").read_text()
    first, inner = page.split("\n## Results")
    assert "| **No model** | 0.500<br>random order |" in first
    assert page.count("no result") == page.count("**no result**: there is") == 1
    assert "differences are from" not in inner and "## Robustness" not in inner
    assert "Values with 95% CIs." in inner and "### Curves" in inner
    assert run(tmp_path, drawn())[0] == 0
    inner = (tmp_path / "o" / "report.md").read_text().split("\n## Results")[1]
    assert "differences are from a" in inner and "## Robustness" in inner


def test_a_build_is_told_at_the_key_that_the_fix_names(tmp_path: Path) -> None:
    _, said, _ = run(tmp_path, drawn(sign=-1), "--ci", "github")
    (line,) = [each for each in said if each.startswith("::error")]
    number = (tmp_path / "c.yaml").read_text().splitlines().index("  d:") + 1
    assert f"line={number},title=no verdict::every model ranks worse than chance." in line


def test_what_is_allowed_is_judged_and_its_reason_printed_twice(tmp_path: Path) -> None:
    code, said, found = run(tmp_path, drawn(sign=-1), allow={"reversed": "a drill"})
    assert code == 0 and not said[-1].startswith("No verdict")
    page = (tmp_path / "o" / "report.md").read_text()
    assert page.count("Allowed: reversed, “a drill”.") == 2
    (check,) = [c for c in found["checks"] if c["name"] == "reversed"]
    assert (check["outcome"], check["reason"]) == ("allowed", "a drill")


def test_an_allow_that_nothing_needs_is_a_warning(tmp_path: Path) -> None:
    models = {**CONFIG["models"], "b": {"column": "p_b", "allow": {"constant": "flat"}}}
    _, _, found = run(tmp_path, drawn(), allow={"reversed": "a drill"}, models=models)
    told = [w["numbers"]["allowed"] for w in found["warnings"] if w["code"] == "W252"]
    assert told == ["reversed", "b: constant"]


def test_stopped_requirements_may_count_as_open_ones(tmp_path: Path) -> None:
    soft = {"checks": {"on_stop": "inconclusive"}}
    assert run(tmp_path, drawn(sign=-1), **soft)[0] == 0
    strict = {"gates": [{**GATE, "inconclusive": "fail"}], **soft}
    code, _, found = run(tmp_path, drawn(sign=-1), **strict)
    assert (code, found["gates"][0]["status"]) == (1, "not judged")


def test_a_stop_on_one_of_several_candidates_leaves_the_others(tmp_path: Path) -> None:
    rows = [{**row, "p_c": int(row["p_b"] > 0.5)} for row in drawn()]
    models = {**CONFIG["models"], "c": {"column": "p_c"}}
    code, said, found = run(tmp_path, rows, models=models, gates=[{**GATE, "model": "c"}])
    assert code == 3 and not said[-1].startswith("No verdict")
    judged = {(c["candidate"], c["key"]): c["word"] for c in found["comparisons"]}
    assert judged["c", "roc_auc"] == judged["c", "log_loss"] == "no result"
    assert judged["c", "accuracy"] != "no result" and judged["b", "roc_auc"] != "no result"
    rows = {row["candidate"]: row for row in found["conclusion"]["rows"]}
    assert (rows["c"]["difference"], rows["c"]["word"]) == (None, "no result")
    assert found["gates"][0]["status"] == "not judged"


def test_a_reversed_candidate_is_named_with_the_way_out(tmp_path: Path) -> None:
    """The page, which judges the others, and the console say the same."""
    rows = [{**row, "p_c": 1 - row["p_b"]} for row in drawn()]
    models = {**CONFIG["models"], "c": {"column": "p_c"}}
    code, said, _ = run(tmp_path, rows, models=models)
    (line,) = [each for each in said if each.startswith("check failed: ")]
    assert code == 0 and "d: c ranks worse than chance. AUC is 0." in line
    fix = "If low scores stand for the best, write `order: ascending` under `models.c`."
    assert fix in line
    page = (tmp_path / "o" / "report.md").read_text()
    assert f"① Set aside: c ranks worse than chance. {fix.replace('`', '')}" in page


def test_a_model_that_flags_nobody_meets_no_requirement_on_decisions(tmp_path: Path) -> None:
    rows = [{**row, "p_b": row["p_b"] / 3} for row in drawn()]
    accurate = {**GATE, "name": "accurate", "metric": "accuracy", "margin": 0.9}
    primary = {"metric": "accuracy", "margin": 0.01}
    code, said, found = run(tmp_path, rows, gates=[accurate, GATE], primary=primary)
    assert code == 1 and said[-1].startswith("No: ")
    decided, ranked = found["gates"]
    assert decided["status"] == "not met"
    assert decided["reason"] == "it makes the same prediction for every row"
    assert ranked["status"] != "not met"


def test_data_that_are_checked_alone_end_with_the_same_code_and_text(tmp_path: Path) -> None:
    _, said, _ = run(tmp_path, drawn(sign=-1))
    (stopped,) = [each for each in said if each.startswith("not judged: ")]
    code, checked, _ = heard("validate", "c.yaml", "--data", cwd=tmp_path)
    (line,) = [each for each in checked.splitlines() if "(reversed)" in each]
    assert code == 3
    assert line.partition("d: ")[2].lower() == f"{stopped[12:]} (reversed)".lower()
    _, _, told = heard("init", "t.csv", "--target", "y", "--models", "p_a,p_b", cwd=tmp_path)
    assert "Every model ranks worse than chance." in told


def test_a_small_class_is_not_counted_where_privacy_hides_it(tmp_path: Path) -> None:
    rows = [row for row in drawn() if not row["y"]][:60] + [row for row in drawn() if row["y"]][:5]
    code, said, found = run(tmp_path, rows, privacy="strict")
    assert code == 3 and said[-1] == "No verdict: the check too_few failed."
    (few,) = [c for c in found["checks"] if c["name"] == "too_few"]
    assert (few["numbers"], few["is_hidden"]) == ({}, True)


def test_an_allow_of_a_model_at_the_top_is_refused_with_its_place(tmp_path: Path) -> None:
    write_rows(tmp_path / "t.csv", drawn())
    (tmp_path / "c.yaml").write_text(yaml.safe_dump({**CONFIG, "allow": {"scale": "no"}}))
    code, _, error = heard("validate", "c.yaml", cwd=tmp_path)
    assert code == 2
    assert "allow: 'scale' is a check of a model; write it under the model" in error
