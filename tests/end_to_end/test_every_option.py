"""Every key of the language on a small wallet: it runs, and what it says can be read."""

import json
import re
from html import unescape
from math import inf, nan
from pathlib import Path
from xml.etree import ElementTree

import pytest

import reportgen
from reportgen.metrics.lookup import first_metric, list_names
from tests.end_to_end.wallet import (
    TINY,
    WALLET,
    call,
    contents,
    customers,
    dataset,
    put,
    results,
)

NEEDED = {
    "topk_capture": {"k": 10},
    "cutoff_auc": {"above": 0},
    "deviance": {"power": 1},
    "interval_score": {"level": 0.8},
    "quantile_coverage": {"quantile": 0.8},
    "expected_cost": {"alpha": 0.8},
    "pinball": {"alpha": 0.5},
    "asymmetric_cost": {"alpha": 0.8},
}
EVERY = [
    {"name": name, **NEEDED.get(name, {})}
    for name in list_names()
    if first_metric(name).task == "regression" and first_metric(name).needs != "series"
]
ONE = {"clv": {"column": "score_clv_bgnbd_gg"}}
HOLDOUT = dataset()["holdout"]
assert isinstance(HOLDOUT, dict)
CASES: dict[str, dict[str, object]] = {
    "weight": {"datasets": dataset(weight="weight")},
    "cluster": {"datasets": dataset(cluster="cohort"), **TINY},
    "strata": {"datasets": dataset(strata="cohort")},
    "cluster within strata": {"datasets": dataset(cluster="customer_id", strata="segment")},
    "time": {"datasets": dataset(time="cohort"), **TINY},
    "sample": {"datasets": dataset(sample={"n": 60, "seed": 1})},
    "bins": {"datasets": dataset(segments=[{"column": "n_orders", "bins": [1, 2, 100]}])},
    "bins without an end": {
        "datasets": dataset(segments=[{"column": "n_orders", "bins": [-inf, 2, inf]}])
    },
    "one replicate and costs": {
        "bootstrap": {"replicates": 1},
        "costs": {"asymmetries": [0.2, 0.8]},
    },
    "a free number without an end": {"meta": {"a": [inf, -inf, nan]}},
    "two datasets": {"datasets": {"all": HOLDOUT, "again": {**HOLDOUT, "filter": "n_orders >= 2"}}},
    "a dataset to fit": {"datasets": {"fit": {**HOLDOUT, "role": "fit"}, "test": HOLDOUT}},
    "one model": {"models": ONE, "gates": None},
    "no primary": {"primary": None},
    "no gates": {"gates": None},
    "a relative margin": {"primary": {"metric": "mae", "margin": "2%"}},
    "against all": {
        "comparisons": {"against": "all"},
        "gates": [
            {
                "name": "e",
                "rule": "better",
                "metric": "kendall",
                "model": "rfm",
                "against": "boosted",
            }
        ],
    },
    **{
        f"adjust {how}": {"comparisons": {"adjust": how}}
        for how in ("bonferroni", "holm", "bh", "maxt", "none")
    },
    "tests by metric": {"comparisons": {"test": {"kendall": "gaussian", "mae": "sign-flip"}}},
    **{
        f"test {how}": {"comparisons": {"test": how}}
        for how in ("analytic", "bootstrap", "gaussian")
    },
    "in time, two tests": {
        "datasets": dataset(time="recency_days", segments=[]),
        "metrics": ["mae", "rmse", "r2"],
        "primary": {"metric": "rmse"},
        "models": {name: m for name, m in WALLET["models"].items() if name != "rfm"},
        "gates": None,
        "comparisons": {"test": {"rmse": "diebold-mariano"}},
    },
    **{
        f"interval {how}": {
            "metrics": EVERY,
            "bootstrap": {"replicates": 49, "interval": how, "level": 0.9},
            "curves": ["ranking"],
            "datasets": dataset(segments=[]),
        }
        for how in ("auto", "percentile", "basic", "bca", "se", "normal", "studentized", "analytic")
    },
}


@pytest.mark.parametrize("name", CASES)
def test_it_runs_and_every_number_has_an_interval_or_a_reason(name: str, tmp_path: Path) -> None:
    config = put(tmp_path, outputs=["markdown", "junit"], **CASES[name])
    assert call("run", config, "--out", "out", "--quiet") == 0
    found = results(tmp_path / "out")
    for each in found["estimates"]:
        if each["status"] == "ok":
            assert each["value"] is not None
            assert each["low"] is None or each["low"] <= each["high"]  # type: ignore[operator]
        else:
            assert each["value"] is None
            assert each["reason"]
    for each in found["comparisons"]:
        if each["word"] not in ("cannot tell", "no result"):
            assert each["low"] is not None or each["n"] == 1 or each["difference"] is not None
    words = (tmp_path / "out" / "report.md").read_text(encoding="utf-8")
    assert not re.search(r"(?<!\.)\b(nan|inf|NaN)\b|(?<=[:=|] )None\b", words)


@pytest.mark.parametrize("case", ["cluster", "weight"])
def test_no_verdict_rests_on_one_cluster_or_one_row_that_counts(case: str, tmp_path: Path) -> None:
    rows = [{**row, "k": "0" if at else "1", "one": "a"} for at, row in enumerate(customers())]
    changed = dataset(cluster="one") if case == "cluster" else dataset(weight="k")
    config = put(tmp_path, rows, datasets=changed, gates=None)
    assert call("run", config, "--out", "out", "--quiet") == 3
    verdicts = {each["word"] for each in results(tmp_path / "out")["comparisons"]}
    assert verdicts <= {"cannot tell", "no result"}


@pytest.mark.parametrize("how", ["drop", "intersect"])
def test_missing_scores_are_counted_and_all_models_keep_the_same_rows(
    how: str, tmp_path: Path
) -> None:
    rows = customers()
    rows[3]["score_gbm_time"] = rows[40]["score_rfm"] = ""
    config = put(tmp_path, rows, datasets=dataset(missing=how))
    assert call("run", config, "--out", "out", "--quiet") == 0
    found = results(tmp_path / "out")
    assert {each["n"] for each in found["estimates"] if each["segment"] is None} == {118}
    steps = found["datasets"][0]["waterfall"]
    assert sum(step["removed"] for step in steps) == 2  # type: ignore[attr-defined]


def test_json_junit_markdown_and_html_agree_on_gates_and_verdict(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    rules = {"passes": 400, "fails": 1, "is open": 45}
    gates = [
        {"name": name, "rule": "below", "metric": "mae", "model": "clv", "value": value}
        for name, value in rules.items()
    ]
    outputs = ["html", "markdown", "junit"]
    config = put(tmp_path, gates=gates, outputs=outputs, curves=["ranking"])
    assert call("run", config, "--out", "out", "--quiet") == 1
    headline = capfd.readouterr().out.splitlines()[-1]
    found = {gate["name"]: gate for gate in results(tmp_path / "out")["gates"]}
    assert [gate["status"] for gate in found.values()] == ["met", "not met", "cannot tell"]
    files = {name: text.decode() for name, text in contents(tmp_path / "out").items()}
    cases = ElementTree.fromstring(files["junit.xml"]).iter("testcase")
    told = {case.get("name"): {child.tag for child in case} for case in cases}
    assert "failure" in told["fails"]
    assert "skipped" in told["is open"]
    assert told["passes"] & {"failure", "skipped"} == set()
    assert (
        headline.replace("'", "&#39;") in files["report.html"] or headline in files["report.html"]
    )
    assert headline in files["report.md"]
    for name, word in {"passes": "Met", "fails": "Not met", "is open": "Cannot tell"}.items():
        assert re.search(rf"below {rules[name]}\b.*\| \*\*{word}\*\*", files["report.md"])


def test_a_notebook_gets_frames_and_a_view(tmp_path: Path) -> None:
    report = reportgen.run(put(tmp_path, outputs=["html"], curves=["ranking"]), out="out")
    assert len(report.estimates) == len(report.results.estimates)
    assert {"model", "metric", "value", "low", "high"} <= {*report.estimates.columns}
    assert {"candidate", "word", "p_value"} <= {*report.comparisons.columns}
    assert list(report.gates["status"]) == ["met", "met"] or len(report.gates) == 2
    assert report.answer in unescape(report._repr_mimebundle_()["text/html"])
    assert contents(tmp_path / "out") == dict(sorted(report.files.items()))


def test_what_is_wrong_is_raised_in_a_notebook(tmp_path: Path) -> None:
    with pytest.raises(reportgen.ConfigError, match="did you mean 'kendall'"):
        reportgen.run(put(tmp_path, metrics=["kendal"], primary=None, gates=None))
    with pytest.raises(reportgen.DataError, match="1 row of 1 left"):
        reportgen.run(put(tmp_path, customers()[:1]))


def test_junit_says_where_each_gate_is_written(tmp_path: Path) -> None:
    """By the file's path in its repository; outside of one, and of a base, by its name."""
    base = tmp_path / "repository" / "bases" / "gates.yaml"
    base.parent.mkdir(parents=True)
    (tmp_path / "repository" / ".git" / "objects").mkdir(parents=True)
    (tmp_path / "repository" / ".git" / "HEAD").write_text("ref: refs/heads/main\n")
    base.write_text(
        "gates:\n"
        "  - {name: error, rule: below, metric: mae, model: clv, value: 400}\n"
        "  - name: too small\n"
        "    rule: below\n"
        "    metric: mae\n"
        "    model: clv\n"
        "    value: 1\n"
    )
    config = put(tmp_path, gates=None, outputs=["junit"], extends="repository/bases/gates.yaml")
    assert call("run", config, "--out", "out", "--quiet") == 1
    cases = ElementTree.parse(tmp_path / "out" / "junit.xml").iter("testcase")
    assert [(case.get("file"), case.get("line")) for case in cases] == [
        ("bases/gates.yaml", "2"),
        ("bases/gates.yaml", "3"),
    ]
    config = put(tmp_path, outputs=["junit"])
    assert call("run", config, "--out", "out", "--quiet") == 0
    cases = ElementTree.parse(tmp_path / "out" / "junit.xml").iter("testcase")
    lines = config.read_text().splitlines()
    first = lines.index("gates:") + 2
    assert next(cases).attrib.items() >= {"file": "wallet.yaml", "line": str(first)}.items()


def test_a_gate_that_no_file_holds_has_no_line(tmp_path: Path) -> None:
    gate = {"name": "error", "rule": "below", "metric": "mae", "model": "clv", "value": 400}
    config = put(tmp_path, gates=None, outputs=["junit"])
    told = json.dumps([gate])
    assert call("run", config, "--set", f"gates={told}", "--out", "out", "--quiet") == 0
    [case] = ElementTree.parse(tmp_path / "out" / "junit.xml").iter("testcase")
    assert case.get("file") is None
    assert case.get("line") is None
