"""Two classes through the whole program, on customers who left or stayed: as scikit-learn has it.

Then every way in which such data and configs go wrong, each one line with its place, and the data
on which a metric says little: a rare class, one class, ties, scores that are all the same.
"""

import csv
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest
import yaml
from sklearn.metrics import accuracy_score, log_loss, roc_auc_score

from reportgen.kernels.batch import Batch
from reportgen.metrics import METRICS
from reportgen.metrics.rows import Classes
from tests.end_to_end.wallet import ROOT, TINY, call, heard, results, write_rows

CONFIG = ROOT / "configs" / "churn.yaml"
COLUMNS = {"logistic": "p_logreg", "forest": "p_rf", "boosted": "p_gbm"}
KEYS = ("roc_auc", "log_loss", "accuracy", "accuracy_30")
Row = dict[str, object]


def customers(plan: str | None = None) -> tuple[np.ndarray, dict[str, np.ndarray]]:
    with (ROOT / "configs" / "data" / "churn.csv").open(encoding="utf-8", newline="") as file:
        rows = [r for r in csv.DictReader(file) if plan in (None, r["international_plan"])]
    scores = {m: np.array([float(r[c]) for r in rows]) for m, c in COLUMNS.items()}
    return np.array([int(r["y_test"]) for r in rows]), scores


def expected(key: str, y: np.ndarray, p: np.ndarray, weight: np.ndarray | None = None) -> float:
    """What scikit-learn says."""
    if key == "roc_auc":
        return float(roc_auc_score(y, p, sample_weight=weight))
    if key == "log_loss":
        return float(log_loss(y, p, sample_weight=weight))
    threshold = 0.3 if key == "accuracy_30" else 0.5
    return float(accuracy_score(y, p >= threshold, sample_weight=weight))


@pytest.fixture(scope="module")
def ran(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("churn") / "out"
    words = ("--quiet", "--no-cache", "--set", "bootstrap.replicates=99")
    outputs = "outputs=[json, markdown, junit]"
    assert call("run", CONFIG, "--out", folder, *words, "--set", outputs) == 0
    return folder


@pytest.mark.parametrize("model", COLUMNS)
@pytest.mark.parametrize("key", KEYS)
@pytest.mark.parametrize("is_weighted", [False, True])
def test_a_value_is_that_of_scikit_learn(key: str, model: str, is_weighted: bool) -> None:
    y, scores = customers()
    weight = 0.5 + np.arange(len(y)) % 7 if is_weighted else np.ones(len(y))
    params = {"threshold": 0.3} if key == "accuracy_30" else {}
    rows = Classes(y.astype(np.intp), scores[model][:, None], ("0", "1"))
    found = METRICS[key.removesuffix("_30")].use(**params).bind(rows)(Batch.from_weights(weight))[0]
    assert found == pytest.approx(expected(key, y, scores[model], weight), rel=1e-12, abs=0)


@pytest.mark.parametrize("plan", [None, "0", "1"])
def test_results_hold_these_values_on_all_rows_and_in_segments(ran: Path, plan: str | None) -> None:
    y, scores = customers(plan)
    segment = None if plan is None else f"international_plan={plan}"
    found = [e for e in results(ran)["estimates"] if e["segment"] == segment]
    assert {(e["key"], e["model"]) for e in found} == {(k, m) for k in KEYS for m in COLUMNS}
    for e in found:
        want = expected(str(e["key"]), y, scores[str(e["model"])])
        assert e["value"] == pytest.approx(want, rel=1e-9)


def test_gates_stand_in_junit_with_the_place_of_each(ran: Path) -> None:
    cases = ElementTree.parse(ran / "junit.xml").getroot().findall(".//testcase")
    assert [case.get("name") for case in cases] == [
        "better order",
        "order not worse",
        "log loss in bounds",
        "as good for both plans",
    ]
    lines = CONFIG.read_text(encoding="utf-8").splitlines()
    for case in cases:
        assert str(case.get("name")) in lines[int(str(case.get("line"))) - 1]
        assert not case.findall("failure")


def test_the_page_speaks_of_classes_and_not_of_amounts(ran: Path) -> None:
    page = (ran / "report.md").read_text(encoding="utf-8")
    assert "(14% ones)" in page
    assert "The target is 1 on 14% of the customers and 0 on the others." in page
    said = page.partition("What the warnings mean")[0].lower()
    for word in ("too high", "too low", "unit of y", "over-estimat", "zeros)"):
        assert word not in said


def drawn(n: int = 300, **columns: object) -> list[Row]:
    """Rows with drawn probabilities; some columns may be given as f(row number)."""
    drawn = np.random.default_rng(3).random((n, 3))
    rows: list[Row] = [
        {"id": k, "y": int(a < 0.3), "p_a": round(b, 3), "p_b": round(c, 3)}
        for k, (a, b, c) in enumerate(drawn)
    ]
    return [{**row, **{c: f(k) for c, f in columns.items()}} for k, row in enumerate(rows)]  # type: ignore[operator]


def put(folder: Path, rows: list[Row], a: str = "", **changes: object) -> Path:
    """Write rows and a config of two models into a folder; `a` is the scale of the first."""
    write_rows(folder / "t.csv", rows)  # type: ignore[arg-type]
    config = {
        "version": 1,
        "report": {"title": "Two classes"},
        "datasets": {"d": {"path": "t.csv", "id": "id", "target": "y"}},
        "task": "binary",
        "models": {
            "a": {"column": "p_a", "role": "baseline", **({"scale": a} if a else {})},
            "b": {"column": "p_b"},
        },
        "metrics": ["roc_auc", "log_loss", "accuracy"],
        "primary": {"metric": "roc_auc", "margin": 0.01},
        "bootstrap": {"replicates": 99, "seed": 1},
        "outputs": ["json", "markdown"],
        **changes,
    }
    path = folder / "c.yaml"
    path.write_text(yaml.safe_dump(config, sort_keys=False), encoding="utf-8")
    return path


def page(folder: Path, rows: list[Row], code: int = 0, **changes: object) -> str:
    """The Markdown of a run that ends with the code."""
    config = put(folder, rows, **changes)  # type: ignore[arg-type]
    assert call("run", config, "--out", folder / "out", "--quiet", "--no-cache") == code
    return (folder / "out" / "report.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("words", [("false", "true"), ("False", "True"), ("0.0", "1.0")])
def test_true_and_false_are_one_and_zero(tmp_path: Path, words: tuple[str, str]) -> None:
    values = []
    for name, of in (("words", words), ("numbers", (0, 1))):
        (tmp_path / name).mkdir()
        page(tmp_path / name, drawn(y=lambda k, of=of: of[k % 3 == 0]))
        values.append([e["value"] for e in results(tmp_path / name / "out")["estimates"]])
    assert values[0] == values[1]


@pytest.mark.parametrize("words", [("no", "yes"), ("2", "1"), ("TRUE", "FALSE"), ("é b", "A & B")])
def test_a_positive_value_is_one_and_its_names_stand_on_the_page(
    tmp_path: Path, words: tuple[str, str]
) -> None:
    values = []
    for name, of_, more in (("words", words, {"positive": words[1]}), ("numbers", (0, 1), {})):
        (tmp_path / name).mkdir()
        called = {"classes": {words[0]: "stayed", words[1]: "left"}} if more else {}
        rows = drawn(y=lambda k, of=of_: of[k % 3 == 0])
        page(tmp_path / name, rows, datasets=of(**more), **called)
        values.append([e["value"] for e in results(tmp_path / name / "out")["estimates"]])
    assert values[0] == values[1]
    said = (tmp_path / "words" / "out" / "report.md").read_text(encoding="utf-8")
    assert "The target is left on 33% of the rows and stayed on the others." in said
    assert "The target is left on 33%" in said
    classes = results(tmp_path / "words" / "out")["datasets"][0]["classes"]
    assert [(c["value"], c["name"], c["n"]) for c in classes] == [
        (words[0], "stayed", 200),
        (words[1], "left", 100),
    ]


GATE = {"name": "g", "metric": "log_loss"}


def YES(k: int) -> str:
    return "yes" if k % 3 == 0 else "no"


def of(**more: object) -> dict[str, object]:
    return {"d": {"path": "t.csv", "id": "id", "target": "y", **more}}


@pytest.mark.parametrize(
    ("low", "high", "more", "code"),
    [
        ("a: b", "null", {"positive": "null"}, 0),
        (" no", "no", {"positive": " no", "match": "exact"}, 0),
        ("yes", "yes", {"positive": "OTHER", "classes": ["yes", "OTHER"]}, 3),  # of one class
    ],
)
def test_a_class_that_a_message_advises_is_taken(
    tmp_path: Path, low: str, high: str, more: dict[str, object], code: int
) -> None:
    changes = {"classes": more["classes"]} if "classes" in more else {}
    put(
        tmp_path,
        drawn(y=lambda k: (low, high)[k % 3 == 0]),
        **changes,
        datasets=of(**{key: more[key] for key in ("positive", "match") if key in more}),
    )
    assert heard("run", "c.yaml", "--out", "out", "--quiet", cwd=tmp_path)[0] == code
    assert (tmp_path / "out" / "results.json").is_file()


@pytest.mark.parametrize(
    ("rows", "changes", "said"),
    [
        (
            drawn(y=lambda k: k % 3),
            {},
            "t.csv: column 'y' has 3 values ('0', '1', '2'; '2' first "
            "at lines 4, 7, 10); two classes are needed here: correct it, leave such rows out by "
            "`filter:` under datasets.d, or take task: multiclass for all of them",
        ),
        (
            drawn(y=YES),
            {},
            "c.yaml:8:13: 'y' has the values 'no' and 'yes'; say positive: no or "
            "positive: yes under datasets.d",
        ),
        (
            drawn(y=lambda k: "yes"),
            {},
            "'y' has the value 'yes' alone; say positive: yes under "
            "datasets.d, or positive: OTHER and classes: [yes, OTHER] if that class has no row "
            "here",
        ),
        (
            drawn(y=YES),
            {"datasets": of(positive=1)},
            "c.yaml:9:15: no row of 'y' that is used "
            "has '1', only 'no' and 'yes'; write positive: no or positive: yes under datasets.d",
        ),
        (
            drawn(y=YES),
            {"datasets": of(positive="yess")},
            "no row of 'y' that is used has "
            "'yess', only 'no' and 'yes'; write positive: yes under datasets.d",
        ),
        (
            drawn(y=lambda k: ("a: b", "null")[k % 2]),
            {},
            "'y' has the values 'a: b' and 'null'; "
            'say positive: "a: b" or positive: "null" under datasets.d',
        ),
        (
            drawn(y=lambda k: ("no", "yes", "maybe")[k % 3]),
            {"datasets": of(positive="no", filter="y != 'no'")},
            "no row of 'y' that is used has 'no', only "
            "'maybe' and 'yes'; write positive: maybe or positive: yes under datasets.d",
        ),
        (
            drawn(y=lambda k: ("no", "yes", "maybe")[k % 3]),
            {},
            "two classes are needed here, and "
            "`positive:` under datasets.d to say which is looked for: correct it",
        ),
        (
            drawn(y=lambda k: ("no", "yes", "maybe")[k % 3]),
            {"datasets": of(positive="No")},
            "; no row has 'No', and two classes are needed here: correct it",
        ),
        (
            drawn(y=lambda k: ""),
            {"datasets": of(positive="no")},
            "t.csv: column 'y' has 300 missing values of 300",
        ),
        (
            drawn(y=lambda k: ("NA", "1")[k % 2]),
            {},
            "'NA' is read as missing; if it is a class, "
            "name all classes in quotes under `classes:` and one of them as `positive:` under "
            "datasets.d, otherwise `missing: drop` under datasets.d leaves such rows out",
        ),
        (
            drawn(y=YES),
            {"classes": ["null", "yes"], "datasets": of(positive=None)},
            "datasets.d.positive: YAML reads null as no value; for the class put it in quotes",
        ),
        (
            drawn(y=YES),
            {"classes": ["no", "yes"], "datasets": of(positive=None)},
            "does not say which of the classes is the positive one; write positive: no or",
        ),
        (drawn(y=YES), {"classes": ["null", "yes"]}, 'write positive: "null" or positive: yes'),
        (
            drawn(y=lambda k: ("no", "yes", "maybe")[min(k % 40, 2)]),
            {"datasets": of(positive="no")},
            "t.csv: column 'y' has 3 values ('maybe', 'no', 'yes'; 'yes' first at ",
        ),
        (
            drawn(y=lambda k: ("yes", "maybe", "no")[min(k % 40, 2)]),
            {"datasets": of(positive="yes")},
            "('maybe', 'no', 'yes'; 'maybe' first at ",
        ),
        (
            drawn(y=YES),
            {"classes": ["no", "yes"]},
            "c.yaml:5:3: datasets.d does not say which of "
            "the classes is the positive one; write positive: no or positive: yes",
        ),
        (
            drawn(y=YES),
            {"classes": ["no", "yes"], "datasets": of(positive="ye")},
            "datasets.d.positive: 'ye' is not among classes; did you mean 'yes'?",
        ),
        (
            drawn(y=YES),
            {"classes": {0: "stayed", 1: "left"}},
            "t.csv: column 'y' has 'no' and "
            "'yes', not among classes, on 300 rows (first at lines 2, 3, 4); known: 0, 1; write "
            "the values of the column: classes: [no, yes], and positive: no or positive: yes under "
            "datasets.d",
        ),
        (
            drawn(),
            {"classes": {0: "stayed", 2: "left"}, "datasets": of(positive=2)},
            "has '1', not "
            "among classes, on 74 rows (first at lines 2, 5, 14); known: 0, 2; write the values of "
            "the column: classes: [0, 1], and positive: 0 or positive: 1 under datasets.d",
        ),
        (
            drawn(y=YES),
            {"classes": ["no", "yep"], "datasets": of(positive="no")},
            "did you mean 'yep'? Write the values of the column: classes: [no, yes]",
        ),
        (
            drawn(),
            {"classes": {1: "left"}},
            "classes has 1 value, and two are needed; add the missing one",
        ),
        (
            drawn(),
            {"classes": [0, 1, 2]},
            "classes has 3 values, and two are needed; task: multiclass takes more",
        ),
        (
            drawn(),
            {"classes": {0: "a", 1: "a"}},
            "classes '0' and '1' are both called 'a'; give each its own name",
        ),
        (
            drawn(),
            {"classes": {"1": "a", "1.0": "b"}},
            "classes has '1' and '1.0', which are the same value; remove one",
        ),
        (
            drawn(),
            {"task": "regression", "classes": [0, 1], "metrics": ["mae"], "primary": None},
            "classes is for task: binary, multiclass, multilabel; remove it, or set that",
        ),
        (
            drawn(p_a=lambda k: k / 200),
            {},
            "t.csv: column 'p_a' of model 'a' has 99 values of 300 "
            "outside 0 to 1 (first 1.005 at line 203); give the model scale: score, if it is no "
            "probability",
        ),
        (
            drawn(p_a=lambda k: k),
            {"models": {"name" * 200: {"column": "p_a"}}, "primary": None},
            f"'{'name' * 9}…",
        ),
        (
            drawn(p_a=lambda k: "true"),
            {},
            "t.csv: column 'p_a' has text instead of numbers: "
            "'true' at line 2 (300 such values of 300)",
        ),
        (
            drawn(),
            {"a": "amount"},
            "c.yaml:14:12: models.a.scale cannot be 'amount' with task: "
            "binary; known: label, probability, rank, score",
        ),
        (
            drawn(),
            {"costs": {"asymmetries": [0.3]}},
            "costs: {under, over} is for task: regression; remove it here",
        ),
        (
            drawn(),
            {"metrics": ["sensitivity"], "primary": None},
            "unknown metric 'sensitivity'; here it is called 'recall'",
        ),
        (
            drawn(),
            {"metrics": [{"name": "net_benefit", "threshold": 1}], "primary": None},
            "threshold is 1, but must be below it",
        ),
        (
            drawn(),
            {"metrics": ["mae"], "primary": None},
            "'mae' is for task: regression, this "
            "config's task is 'binary'; remove it, or change the task",
        ),
        (
            drawn(),
            {"a": "score", "gates": [{**GATE, "rule": "below", "model": "a", "value": 1}]},
            "gates[0]: the metric 'log_loss' needs probabilities, and the model 'a' has scale: "
            "score; use a metric of order, such as roc_auc",
        ),
        (
            drawn(),
            {"a": "score", "gates": [{**GATE, "rule": "better", "model": "b"}]},
            "gates[0]: the metric 'log_loss' needs probabilities, and the model 'a' has scale: "
            "score; use a metric of order, such as roc_auc",
        ),
    ],
)
def test_what_does_not_fit_two_classes_is_one_line_with_its_place(
    tmp_path: Path, rows: list[Row], changes: dict[str, object], said: str
) -> None:
    put(tmp_path, rows, **changes)  # type: ignore[arg-type]
    code, _, told = heard("run", "c.yaml", "--out", "out", "--quiet", cwd=tmp_path)
    assert code in (2, 3)
    assert len(told.splitlines()) == 1 and said in told
    assert told.startswith(("c.yaml:", "t.csv:"))


def test_a_score_that_is_no_probability_has_no_log_loss_and_says_why(tmp_path: Path) -> None:
    report = {"title": "Two classes", "length": "full"}
    said = page(tmp_path, drawn(), a="score", primary={"metric": "log_loss"}, report=report)
    assert "There is no result on log loss: a is a score, not a probability." in said
    status = {(e["key"], e["model"]): e["status"] for e in results(tmp_path / "out")["estimates"]}
    assert status["log_loss", "a"] == "not applicable" and status["roc_auc", "a"] == "ok"


@pytest.mark.parametrize(
    ("rows", "said"),
    [
        (
            drawn(1000, y=lambda k: int(k % 112 == 7)),
            "There is no result for b on AUC.",
        ),
        (
            drawn(p_a=lambda k: 0.3, p_b=lambda k: 0.5),
            "a: 100% of the pairs of rows have the same score, and 100% of the rows have the "
            "value 0.300.",
        ),
        (drawn(p_a=lambda k: k % 2 / 2), "a: 50% of the pairs of rows have the same score"),
    ],
)
def test_data_on_which_a_metric_says_little_are_named(
    tmp_path: Path, rows: list[Row], said: str
) -> None:
    assert said in page(tmp_path, rows)


@pytest.mark.parametrize("only", [0, 1])
def test_a_target_of_one_class_gives_no_verdict_and_code_3(tmp_path: Path, only: int) -> None:
    above = {"name": "high", "rule": "above", "metric": "roc_auc", "model": "b", "value": 0.5}
    files = ["json", "markdown", "junit"]
    said = page(tmp_path, drawn(y=lambda k: only), code=3, gates=[above], outputs=files)
    assert said.index("No verdict: every row has the same target.") < said.index("Not judged")
    assert f"Every row has the same target, {only}. W201" in said
    (gate,) = results(tmp_path / "out")["gates"]
    assert gate["status"] == "not judged"
    suite = ElementTree.parse(tmp_path / "out" / "junit.xml").getroot().find("testsuite")
    assert suite is not None
    assert [suite.get(of) for of in ("failures", "errors", "skipped")] == ["0", "1", "1"]
    stopped, skipped = suite.iter("testcase")
    assert (stopped.get("name"), stopped[0].tag) == ("input", "error")
    assert skipped[0].get("message", "").startswith("not judged: every row has the same target")


def test_a_check_of_the_data_tells_what_the_report_will_warn_of(tmp_path: Path) -> None:
    page(tmp_path, drawn(y=lambda k: 1), code=3)
    code, said, _ = heard("validate", "c.yaml", "--data", cwd=tmp_path)
    warned, stopped = said.splitlines()
    assert (code, warned) == (3, "c.yaml: d: Every row has the same target, 1. (W201)")
    assert stopped.startswith(
        "c.yaml: d: Every row has the same target. The column `y` has the same"
    )
    assert stopped.endswith(
        "The report then gives a verdict and prints your reason here. (one_class)"
    )


def test_scores_that_are_missing_in_a_whole_fold_are_said_to_be(tmp_path: Path) -> None:
    rows = drawn(fold=lambda k: k % 4, p_a=lambda k: "" if k % 4 == 2 else k / 999)
    write_rows(tmp_path / "t.csv", rows)  # type: ignore[arg-type]
    datasets = {"d": {"path": "t.csv", "id": "id", "target": "y", "fold": "fold"}}
    (tmp_path / "c.yaml").write_text(
        yaml.safe_dump(
            {
                "version": 1,
                "report": {"title": "T"},
                "task": "binary",
                "datasets": datasets,
                "metrics": ["roc_auc"],
                "models": {"a": {"column": "p_a"}},
                "primary": {"metric": "roc_auc"},
            }
        ),
        encoding="utf-8",
    )
    code, _, error = heard("run", "c.yaml", cwd=tmp_path)
    assert code == 3, error
    assert "; all rows of fold '2'); `missing: drop`" in error


def test_a_constant_score_has_an_auc_of_one_half(tmp_path: Path) -> None:
    page(tmp_path, drawn(p_a=lambda k: 0.3))
    found = {(e["key"], e["model"]): e["value"] for e in results(tmp_path / "out")["estimates"]}
    assert found["roc_auc", "a"] == 0.5


def test_init_drafts_the_task_from_a_target_of_two_classes(tmp_path: Path) -> None:
    for words in ((0, 1), ("False", "True")):
        write_rows(tmp_path / "t.csv", drawn(y=lambda k, of=words: of[k % 3 == 0]))  # type: ignore[arg-type]
        assert call("init", tmp_path / "t.csv", "--out", tmp_path / "n.yaml") == 0
        config = yaml.safe_load((tmp_path / "n.yaml").read_text(encoding="utf-8"))
        assert config["task"] == "binary"
        assert {m: c["column"] for m, c in config["models"].items()} == {"a": "p_a", "b": "p_b"}
        assert config["metrics"] == ["roc_auc", "log_loss", "average_precision", "brier"]
        assert call("validate", tmp_path / "n.yaml", "--data") == 0
        (tmp_path / "n.yaml").unlink()


def test_init_gives_scores_that_are_no_probabilities_their_scale(tmp_path: Path) -> None:
    rows = [{**row, "score_a": 9 * k, "score_b": k / 999} for k, row in enumerate(drawn())]
    rows = [{k: v for k, v in row.items() if not k.startswith("p_")} for row in rows]
    write_rows(tmp_path / "t.csv", rows)  # type: ignore[arg-type]
    assert call("init", tmp_path / "t.csv", "--out", tmp_path / "n.yaml") == 0
    config = yaml.safe_load((tmp_path / "n.yaml").read_text(encoding="utf-8"))
    assert config["models"]["a"]["scale"] == "score" and "scale" not in config["models"]["b"]
    assert config["metrics"] == ["roc_auc", "average_precision"]
    assert call("validate", tmp_path / "n.yaml", "--data") == 0


def test_every_metric_of_calls_stands_on_the_page_with_its_interval_and_its_test(
    tmp_path: Path,
) -> None:
    calls = [name for name, metric in METRICS.items() if metric.cells]
    # What happened goes with the first score, so that no cell is empty.
    page(
        tmp_path,
        drawn(600, y=lambda k: int(k % 3 == 0)),
        metrics=calls,
        primary={"metric": "recall"},
    )
    found = results(tmp_path / "out")
    for e in found["estimates"]:
        assert e["status"] == "ok" and e["low"] < e["value"] < e["high"], e["key"]
    tests = {c["key"]: (c["test"], c["p_value"]) for c in found["comparisons"]}
    one_answer = (
        {"recall", "fnr", "found", "missed"},
        {"precision", "fdr", "lr_positive"},
        {"npv", "lr_negative"},
        {"f", "jaccard"},
        {"balanced_accuracy", "youden"},
        {"specificity", "fpr", "false_positives"},
        {"accuracy", "net_benefit"},
    )
    for alike in one_answer:
        assert len({tests[key] for key in alike}) == 1, alike
    assert {tests[key][0] for key in ("recall", "fpr", "accuracy", "flagged")} == {"mcnemar"}
    assert {tests[key][0] for key in ("precision", "f", "mcc", "kappa")} == {"influence z"}


def test_a_metric_is_found_by_its_other_names(capsys: pytest.CaptureFixture[str]) -> None:
    assert call("explain", "sensitivity") == 0
    said = capsys.readouterr().out
    assert said.startswith("metric recall: Recall") and "sensitivity, tpr," in said


def test_a_rare_class_is_told_where_false_positive_rates_hide_it(tmp_path: Path) -> None:
    """Both find the same positives; one of them with ten times as many false alarms."""

    def said(k: int, alarms: int) -> float:
        return 0.9 if k < 45 or 50 <= k < 50 + alarms else 0.1

    rows = drawn(
        5000, y=lambda k: int(k < 50), p_a=lambda k: said(k, 200), p_b=lambda k: said(k, 20)
    )
    told = page(tmp_path, rows, thresholds={"half": {"fixed": 0.5}})
    assert (
        "Where both find 90% of the positives, b and a differ by only 0.0364 in false "
        "positive rate. Yet of 100 rows that b flags, 69 are positive, against 18 for a. The "
        "reason is that 99% of all rows are negative." in told
    )
    [found] = results(tmp_path / "out")["rare_classes"]
    assert found["precisions"] == pytest.approx([45 / 65, 45 / 245])
    assert found["false_positive_rates"] == pytest.approx([20 / 4950, 200 / 4950])
    # Limits beside those of the same counts drawn apart; all scores below 0.9 are one tie.
    draws = np.random.default_rng(1).multinomial(5000, [0.009, 0.001, 0.004, 0.036, 0.95], 20_000)
    tp, fn, both, only_a, rest = draws.T
    caught = 0.9 * (tp + fn)
    precision = []
    for above, below in ((both, only_a + rest), (both + only_a, rest)):
        tied = np.maximum(caught - tp, 0) / np.maximum(fn, 1) * below
        precision.append(caught / (caught + above * np.minimum(caught / tp, 1) + tied))
    limits = np.quantile(precision[0] - precision[1], [0.025, 0.975])
    assert [found["low"], found["high"]] == pytest.approx(list(limits), abs=0.02)
    assert "The difference is +" in told


def test_a_rare_class_is_not_told_where_resamples_do_not_show_it(tmp_path: Path) -> None:
    def said(k: int, alarms: int) -> float:
        return 0.9 if k < 3 or 5 <= k < 5 + alarms else 0.1

    rows = drawn(400, y=lambda k: int(k < 5), p_a=lambda k: said(k, 4), p_b=lambda k: said(k, 3))
    told = page(tmp_path, rows, thresholds={"half": {"fixed": 0.5}}, **TINY)
    assert results(tmp_path / "out")["rare_classes"] == []
    assert "What the ROC curve hides" not in told


GATE = [{"name": "enough", "rule": "above", "metric": "recall", "model": "a", "value": 0.1}]


def test_a_score_is_judged_at_a_gate_by_calls_from_a_point_on(tmp_path: Path) -> None:
    asked = {"metrics": ["recall"], "primary": None, "gates": GATE}
    config = put(tmp_path, drawn(), "score", thresholds={"list": {"share": 0.3}}, **asked)
    assert call("run", config, "--out", tmp_path / "out", "--quiet", "--no-cache") == 0
    put(tmp_path, drawn(), "score", **asked)
    code, _, told = heard("run", "c.yaml", "--out", "out", "--quiet", cwd=tmp_path)
    assert code == 2 and "model 'a' has scale: score" in told
    assert "or name a threshold of its score: at: NAME" in told


def test_what_would_change_a_verdict_names_both_models_of_several_pairs(tmp_path: Path) -> None:
    models = {name: {"column": f"p_{name}"} for name in "ab"}
    models = {**models, "c": {"column": "p_c"}}
    models["a"] = {"column": "p_a", "role": "baseline"}
    rows = drawn(p_c=lambda k: k % 97 / 97)
    told = page(tmp_path, rows, models=models, comparisons={"against": "all"})
    part = told.partition("**What would change the verdict**")[2]
    for pair in ("b against a", "c against a", "c against b"):
        assert f"- {pair.capitalize()}: " in part or f"- {pair}: " in part
