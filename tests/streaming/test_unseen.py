"""What page one says was not looked for on streamed rows, against what either engine raises."""

import json

import numpy as np
import pyarrow as pa
import pytest
from pyarrow import parquet

from reportgen.notebook.report import run
from reportgen.report.archive import load_results
from reportgen.report.prose.warnings import describe_warning_plainly
from reportgen.streaming import run as streaming
from tests.streaming.configs import results_of

N = 900
OPTIONS = """
primary: {metric: PRIMARY}
bootstrap: {replicates: 99, weights: poisson}
compute: {engine: ENGINE}
outputs: [json, html, markdown]
"""
ROWS = "path: rows.parquet, id: id, target: y"
TASKS = {
    "regression": f"""
datasets: {{test: {{{ROWS}, MORE}}}}
models: {{old: {{column: old, role: baseline}}, new: {{column: new}}}}
metrics: [mae, rmse]
""",
    "binary": f"""
datasets: {{test: {{{ROWS}, MORE}}}}
models: {{old: {{column: p, scale: probability, role: baseline}},
  new: {{column: sure, scale: probability}}}}
metrics: [log_loss, brier]
""",
    "multiclass": f"""
classes: {{ant: Ant, bee: Bee, cow: Cow}}
datasets: {{test: {{{ROWS}, MORE}}}}
models: {{old: {{columns: "old_{{class}}", role: baseline}}, new: {{columns: "new_{{class}}"}}}}
metrics: [accuracy, log_loss]
""",
    "ranking": """
datasets: {test: {path: rows.parquet, query: topic, id: id, target: grade, MORE}}
models: {old: {column: old, role: baseline}, new: {column: new}}
metrics: [{name: ndcg, k: 10}]
""",
}


def table(task):
    """Rows of which much is to be warned of."""
    draw, number = np.random.default_rng(5), np.arange(N)
    columns = {"id": number, "shop_id": number // 3, "w": draw.gamma(2, 1, N)}
    columns["part"] = number // 9
    if task == "regression":
        y = draw.normal(50, 9, N)
        wave = np.repeat(draw.standard_t(1.5, N // 9), 9)
        return columns | {"y": y, "old": y + draw.normal(0, 4, N), "new": y + wave}
    if task == "binary":
        y = draw.random(N) < 0.3
        p = np.where(y, 0.9, 0.1)
        return columns | {
            "y": y.astype(int),
            "p": p,
            "sure": np.where(draw.random(N) < 0.05, 1.0 * ~y, 0.5),
        }
    if task == "multiclass":
        code = draw.choice(3, N, p=[0.6, 0.39, 0.01])
        for model in ("old", "new"):
            odds = draw.dirichlet([1, 1, 1], N)
            odds[draw.random(N) < 0.1] = [1.0, 0.0, 0.0]
            columns |= {
                f"{model}_{name}": odds[:, k] for k, name in enumerate(("ant", "bee", "cow"))
            }
        return columns | {"y": np.array(["ant", "bee", "cow"])[code]}
    grade = draw.choice(3, N, p=[0.8, 0.1, 0.1])
    return columns | {
        "topic": number // 50,
        "grade": grade,
        "w": 1.0 + number // 50,
        "part": number // 100,
        "old": np.round(grade * 0.1),
        "new": -1.0 * grade + np.round(draw.normal(0, 0.3, N)),
    }


def config(folder, task, engine, more):
    """A config of a task; it and its rows are written."""
    columns = table(task)
    primary = {"regression": "mae", "binary": "brier", "multiclass": "accuracy"}.get(task, "ndcg")
    text = f"version: 1\nreport: {{title: T}}\ntask: {task}" + TASKS[task] + OPTIONS
    text = text.replace("PRIMARY", primary).replace("ENGINE", engine).replace("MORE", more)
    parquet.write_table(pa.table(columns), folder / "rows.parquet", row_group_size=200)
    path = folder / "config.yaml"
    path.write_text(text)
    return path


@pytest.mark.parametrize("more", ["role: test", "weight: w", "cluster: part"])
@pytest.mark.parametrize("task", list(TASKS))
def test_what_memory_alone_raises_is_said_not_to_have_been_looked_for(tmp_path, task, more):
    raised = {}
    for engine in ("stream", "memory"):
        results = results_of(config(tmp_path, task, engine, more))
        raised[engine] = {each.code for each in results.warnings}
        if engine == "stream":
            (told,) = [each.numbers for each in results.warnings if each.code == "W251"]
    unseen = set(told.get("unseen", "").split(", ")) - {""}
    assert not unseen & raised["stream"]
    # A peak of a curve is read off a curve, and curves are left out.
    assert raised["memory"] - raised["stream"] - {"W121"} <= unseen
    assert raised["stream"] - raised["memory"] == {"W251"}


def test_the_rows_here_have_much_to_warn_of(tmp_path):
    found = set()
    for task in TASKS:
        results = results_of(config(tmp_path, task, "memory", "role: test"))
        found |= {each.code for each in results.warnings}
    assert {"W103", "W107", "W111", "W119", "W120", "W123", "W131", "W135", "W137"} <= found


def test_page_one_names_all_of_it_whatever_its_length(tmp_path):
    path = config(tmp_path, "ranking", "stream", "role: test")
    run(path, out=tmp_path / "out", use_cache=False)
    found = load_results(tmp_path / "out" / "results.json")
    (given,) = [each for each in found.warnings if each.code == "W251"]
    assert "one query that dominates, reversed lists" in given.text
    for name in ("report.html", "report.md"):
        assert given.text in (tmp_path / "out" / name).read_text(encoding="utf-8")


def test_measures_from_bins_go_by_their_titles(tmp_path, monkeypatch):
    monkeypatch.setattr(streaming, "MEMORY", 1.0)
    path = config(tmp_path, "binary", "stream", "role: test")
    path.write_text(path.read_text().replace("[log_loss, brier]", "[roc_auc, gini, brier]"))
    results = results_of(path)
    (told,) = [each for each in results.warnings if each.code == "W251"]
    assert told.numbers["binned"] == "roc_auc, gini"
    titles = [metric.label for metric in results.metrics[:2]]
    assert f" {titles[0]} and {titles[1]} come from bins" in told.text
    assert json.dumps(told.text).count("roc_auc") == 0


def test_a_report_that_all_was_looked_for_in_does_not_say_otherwise():
    numbers = {"beside": "curves, single rows, other choices"}
    said = describe_warning_plainly("W251", numbers)
    assert said == "Rows were streamed, so curves, single rows, other choices are left out."
    assert "warnings" in describe_warning_plainly("W251", {"what": "curves"})
