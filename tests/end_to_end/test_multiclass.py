"""Several classes through the whole program: as scikit-learn has them, and what goes wrong."""

import csv
import gzip
import re
from functools import cache
from pathlib import Path

import numpy as np
import pytest
import yaml
from sklearn import metrics as sk

from tests.end_to_end.wallet import ROOT, call, results, write_rows

CONFIG = ROOT / "configs" / "digits.yaml"
COLUMNS = {"logreg": "logreg", "forest": "rf", "bayes": "nb"}
Row = dict[str, object]


@pytest.fixture(scope="module")
def ran(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("digits") / "out"
    words = ("--quiet", "--no-cache", "--set", "bootstrap.replicates=99")
    assert call("run", CONFIG, "--out", folder, *words, "--set", "outputs=[json, markdown]") == 0
    return folder


@pytest.fixture(scope="module")
def digits() -> tuple[np.ndarray, dict[str, np.ndarray]]:
    with gzip.open(ROOT / "configs" / "data" / "digits.csv.gz", "rt", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    scores = {
        m: np.array([[float(r[f"p_{c}_{k}"]) for k in range(10)] for r in rows])
        for m, c in COLUMNS.items()
    }
    return np.array([int(r["digit"]) for r in rows]), scores


def test_results_hold_what_scikit_learn_says(ran: Path, digits) -> None:
    y, scores = digits
    found = {(e["key"], e["model"]): e["value"] for e in results(ran)["estimates"]}
    for model, p in scores.items():
        called = p.argmax(axis=1)
        want = {
            "accuracy": sk.accuracy_score(y, called),
            "f": sk.f1_score(y, called, average="macro"),
            "right in two guesses": None,
        }
        for key, value in want.items():
            if value is not None:
                assert found[key, model] == pytest.approx(value, rel=1e-9)


def test_each_class_has_its_report(ran: Path, digits) -> None:
    y, scores = digits
    report = sk.classification_report(y, scores["forest"].argmax(axis=1), output_dict=True)
    names = {"precision": "precision", "recall": "recall", "f": "f1-score"}
    seen = 0
    for each in results(ran)["classes"]:
        value = next(e["value"] for e in each["estimates"] if e["model"] == "forest")
        row = {"": each["value"], "macro": "macro avg", "weighted": "weighted avg"}.get(
            each["average"]
        )
        if row is None:
            continue
        assert value == pytest.approx(report[row][names[each["metric"]]], rel=1e-9)
        assert each["average"] or each["n"] == report[row]["support"]
        seen += 1
    assert seen == 3 * (10 + 2)


def test_differences_of_classes_are_a_family_of_their_own(ran: Path) -> None:
    found = results(ran)
    compared = [c for each in found["classes"] for c in each["comparisons"]]
    assert len(compared) == 3 * 10 * 2 and {c["family"] for c in compared} == {"classes"}
    tested = [c for c in compared if c["p_value"] is not None]
    assert all(c["p_adjusted"] >= c["p_value"] for c in tested)
    assert all(c["family"] != "classes" for c in found["comparisons"])


def test_the_confusion_matrix_is_that_of_scikit_learn(ran: Path, digits) -> None:
    y, scores = digits
    for each in results(ran)["confusions"]:
        want = sk.confusion_matrix(y, scores[each["model"]].argmax(axis=1))
        np.testing.assert_array_equal(np.array(each["weight"]), want)
    page = (ran / "report.md").read_text(encoding="utf-8")
    assert "mistakes class 8 for class 1" in page
    assert "10 classes; the largest is 3 (183), the smallest 8 (174)." in page
    assert "Average over classes" in page and "F of mean precision and recall" in page


NAMES = ("ant", "bee", "cat dog", "é|<b>")


def drawn(n: int = 240, **columns: object) -> list[Row]:
    """Rows of four classes with two models' probabilities and a third that names the class."""
    rows = draw_rows(n)
    return [{**row, **{c: f(k) for c, f in columns.items()}} for k, row in enumerate(rows)]  # type: ignore[operator]


@cache
def draw_rows(n: int) -> list[Row]:
    rng = np.random.default_rng(4)
    code = rng.choice(4, n, p=(0.5, 0.25, 0.2, 0.05))
    rows: list[Row] = []
    parts = []
    for model in range(2):
        raw = np.exp(rng.normal(size=(n, 4)) + (1 + model) * np.eye(4)[code])
        parts.append(raw / raw.sum(axis=1, keepdims=True))
    for k in range(n):
        row: Row = {"id": k, "kind": NAMES[code[k]]}
        for name, p in zip("ab", parts, strict=True):
            row |= {f"p_{name}_{label}": f"{p[k, j]:.9f}" for j, label in enumerate(NAMES)}
        row["c_says"] = NAMES[parts[0][k].argmax()]
        rows.append(row)
    return rows


MODELS: dict[str, dict[str, object]] = {
    "a": {"columns": "p_a_{class}", "role": "baseline"},
    "b": {"columns": "p_b_{class}"},
    "c": {"column": "c_says"},
}


def put(folder: Path, rows: list[Row], **changes: object) -> Path:
    write_rows(folder / "t.csv", rows)  # type: ignore[arg-type]
    config = {
        "version": 1,
        "report": {"title": "Animals"},
        "datasets": {"d": {"path": "t.csv", "id": "id", "target": "kind"}},
        "task": "multiclass",
        "models": MODELS,
        "metrics": ["accuracy", "f", "log_loss"],
        "primary": {"metric": "accuracy"},
        "bootstrap": {"replicates": 49, "seed": 1},
        "outputs": ["json", "markdown"],
        **changes,
    }
    path = folder / "c.yaml"
    path.write_text(yaml.safe_dump(config, sort_keys=False, allow_unicode=True), encoding="utf-8")
    return path


def ran_on(folder: Path, rows: list[Row], **changes: object) -> str:
    config = put(folder, rows, **changes)
    assert call("run", config, "--out", folder / "out", "--quiet", "--no-cache") == 0
    return (folder / "out" / "report.md").read_text(encoding="utf-8")


def test_labels_may_be_any_texts_and_a_model_may_name_the_class(tmp_path: Path) -> None:
    ran_on(tmp_path, drawn())
    found = results(tmp_path / "out")
    assert [c["value"] for c in found["datasets"][0]["classes"]] == sorted(NAMES)
    status = {(e["key"], e["model"]): e["status"] for e in found["estimates"]}
    assert status["log_loss", "c"] == "not applicable" and status["accuracy", "c"] == "ok"
    values = {(e["key"], e["model"]): e["value"] for e in found["estimates"]}
    assert values["accuracy", "a"] == values["accuracy", "c"]  # the same calls
    [why] = {e["reason"] for e in found["estimates"] if e["status"] == "not applicable"}
    assert why == "c names classes and gives no probability"


def test_names_stand_on_the_page_and_the_order_is_that_of_the_config(tmp_path: Path) -> None:
    called = {"bee": "Biene", "ant": "Ameise", "cat dog": "Katze", "é|<b>": "Vogel"}
    page = ran_on(tmp_path, drawn(), classes=called)
    classes = results(tmp_path / "out")["datasets"][0]["classes"]
    assert [(c["value"], c["name"]) for c in classes] == list(called.items())
    assert "Biene" in page and "cat dog" not in page.partition("Classes of the target")[0]


def test_a_small_class_is_too_small_to_judge_and_is_named(tmp_path: Path) -> None:
    rows = [row for row in drawn() if row["kind"] != "bee"] + [
        {**row, "id": 900 + k}
        for k, row in enumerate(r for r in drawn() if r["kind"] == "bee")
        if k < 3
    ]
    page = ran_on(tmp_path, rows)
    found = results(tmp_path / "out")
    few = [each for each in found["classes"] if each["value"] == "bee"]
    assert few and all(each["n"] == 3 and not each["comparisons"] for each in few)
    assert "Too few rows to judge: bee (3)" in page
    codes = {(w["code"], w["numbers"].get("class")) for w in found["warnings"]}
    assert {("W101", "bee"), ("W122", "bee")} <= codes


def test_a_class_without_rows_is_told_and_left_out_of_means(tmp_path: Path) -> None:
    classes = [*sorted(NAMES), "dodo"]
    models = {"c": {"column": "c_says"}}
    page = ran_on(tmp_path, drawn(), classes=classes, models=models, metrics=["f"], primary=None)
    codes = {(w["code"], w["numbers"].get("class")) for w in results(tmp_path / "out")["warnings"]}
    assert ("W207", "dodo") in codes
    assert "There are no rows in class dodo. Macro averages leave it out." in page


def test_probabilities_that_are_off_are_divided_where_that_is_asked_for(tmp_path: Path) -> None:
    rows = drawn(**{"p_b_ant": lambda k: 0.9 if k < 3 else drawn()[k]["p_b_ant"]})
    models = {**MODELS, "b": {"columns": "p_b_{class}", "sums": "normalise"}}
    ran_on(tmp_path, rows, models=models)
    found = [w for w in results(tmp_path / "out")["warnings"] if w["code"] == "W206"]
    assert [(w["model"], w["numbers"]["rows"]) for w in found] == [("b", 3)]


CODES = dict(zip(NAMES, ("NA", "null", "1", "2"), strict=True))


def coded() -> list[Row]:
    """The same rows with classes that are called as what is missing, or by numbers."""
    rows = drawn()
    for row in rows:
        row |= {"kind": CODES[str(row["kind"])], "c_says": CODES[str(row["c_says"])]}
        row |= {
            f"p_{m}_{code}": row.pop(f"p_{m}_{name}") for m in "ab" for name, code in CODES.items()
        }
    return rows


def test_a_class_called_as_what_is_missing_is_a_class_where_it_is_named(tmp_path: Path) -> None:
    ran_on(tmp_path, drawn(), classes=list(NAMES))
    plain = {(e["key"], e["model"]): e["value"] for e in results(tmp_path / "out")["estimates"]}
    ran_on(tmp_path, coded(), classes=list(CODES.values()))
    found = {(e["key"], e["model"]): e["value"] for e in results(tmp_path / "out")["estimates"]}
    assert found == plain


def test_a_filter_leaves_out_the_rows_that_a_model_calls_by_no_class(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rows = drawn(c_says=lambda k: ("ant", "antt")[k % 4 == 0])
    asked = {"path": "t.csv", "id": "id", "target": "kind", "filter": "c_says != 'antt'"}
    put(tmp_path, rows, classes=list(NAMES), datasets={"d": asked})
    monkeypatch.chdir(tmp_path)
    assert call("run", "c.yaml", "--out", "out", "--quiet") == 0
    assert results(tmp_path / "out")["datasets"][0]["n"] == 180


@pytest.mark.parametrize(
    ("rows", "changes", "said"),
    [
        (drawn(**{"p_b_ant": lambda k: 0.9}), {}, "t.csv: probabilities of 'b' sum to "),
        (
            drawn(kind=lambda k: ("7", "8", "NA")[k % 3], c_says=lambda k: "7"),
            {"models": {"a": {"column": "c_says"}}, "classes": ["7", "8"]},
            "t.csv: column 'kind' has 80 missing values of 240 (first at lines 4, 7, 10): 'NA' is "
            "read as missing; if it is a class, name all classes in quotes under `classes:`, "
            "otherwise `missing: drop` under datasets.d leaves such rows out",
        ),
        (
            drawn(**{"p_b_ant": lambda k: float(drawn()[k]["p_b_ant"]) + 2e-5 * (k == 4)}),
            {},
            "sum to 1.00002 at line 6 (of 1 row that are off)",
        ),
        (
            drawn(kind=lambda k: "ant" if k % 2 else "bee"),
            {
                "models": {
                    "a": {"columns": "p_a_{class}", "role": "baseline"},
                    "b": {"columns": "p_b_{class}"},
                }
            },
            "a class that no row has is left out unless classes: names it; else sums: normalise",
        ),
        (drawn(**{"p_b_ant": lambda k: 1.7}), {}, "outside 0 to 1 (first 1.7 at line 2)"),
        (
            drawn(),
            {"classes": ["ant", "bee", "cat dog"]},
            "column 'kind' has 'é|<b>', not among "
            "classes, on 15 rows (first at lines 4, 16, 18); known: ant, bee, cat dog; "
            "correct them, "
            "or leave such rows out by `filter: \"kind != 'é|<b>'\"` under datasets.d",
        ),
        (
            drawn(c_says=lambda k: "antt"),
            {"classes": list(NAMES)},
            "column 'c_says' of "
            "model 'c' has 'antt', not among classes, on 240 rows (first at lines 2, 3, 4); did "
            "you "
            "mean 'ant'? In t.csv, write them as those of the target are",
        ),
        (
            drawn(c_says=lambda k: ("ant", "ant", "antt")[k % 3]),
            {"classes": list(NAMES)},
            "did you mean 'ant'? Correct them, or leave such rows out by "
            "`filter: \"c_says != 'antt'\"` under datasets.d",
        ),
        (
            drawn(c_says=lambda k: ("ant", "ant", "antt")[k % 3]),
            {"classes": list(NAMES), "models": {"c": {"column": "c_says", "scale": "label"}}},
            "did you mean 'ant'? Correct them, name "
            "them under `classes:`, or leave such rows out by "
            "`filter: \"c_says != 'antt'\"` under datasets.d",
        ),
        (
            drawn(),
            {"classes": ["NA", None]},
            "c.yaml:32:3: classes[1]: YAML reads null as no "
            'value; if a class is called so, put it in quotes: "null"',
        ),
        (
            drawn(),
            {"classes": {"ant": "NA", "bee": None}},
            "classes.bee: YAML reads null as no "
            'value; if a class is called so, put it in quotes: "null"',
        ),
        (
            drawn(),
            {"classes": ["ant", ["bee"]]},
            "classes[1] needs the value of a class, not a list; names stand in a map",
        ),
        (
            drawn(),
            {"classes": ["ant", "null"], "metrics": ["accuracy", {"name": "f", "of": None}]},
            'metrics[1].of: YAML reads null as no value; for the class put it in quotes: "null"',
        ),
        (
            drawn(),
            {"models": {"a": {"columns": "q_{class}"}}},
            "t.csv has no column 'q_ant', nor 3 more of 'q_{class}'; did you mean 'p_b_ant'?",
        ),
        (
            drawn(),
            {"classes": [*NAMES, "dog", "emu"], "models": {"a": MODELS["a"]}},
            "t.csv has no column 'p_a_dog', nor 1 more of 'p_a_{class}'; ",
        ),
        (
            drawn(kind=lambda k: "fly" if k in (3, 8) else NAMES[k % 4]),
            {},
            "c.yaml:12:14: t.csv: "
            "column 'kind' has 'fly' on 2 rows (first at lines 5, 10), and models 'a' and 'b' have "
            "no "
            "column for it ('p_a_fly'); correct them, or write classes: [ant, bee, \"cat dog\", "
            '"é|<b>"] and leave such rows out by `filter:` under datasets.d',
        ),
        (
            drawn(c_says=lambda k: ("fly", "yak", "ant")[min(k, 2)]),
            {},
            "column 'c_says' of model "
            "'c' has 'fly' and 'yak', not among classes, on 2 rows (first at lines 2, 3); known: "
            "ant, bee, cat dog, é|<b>; correct them",
        ),
        (
            drawn(kind=lambda k: "fly" if k in (3, 8) else "bee"),
            {"models": {"a": {"columns": {"bee": "p_a_bee", "ant": "p_a_ant"}}}},
            "models.a: columns has none "
            "for the class 'fly' in the data; add it, correct such rows, or write classes: "
            "[bee, ant] "
            "and leave such rows out by `filter:`",
        ),
        (
            drawn(),
            {"models": {"a": {"columns": {"ant": "p_a_ant"}}}, "classes": list(NAMES)},
            "models.a: columns has none for the class 'bee'",
        ),
        (drawn(), {"models": {"a": {"columns": "p_a"}}}, "models.a: columns 'p_a' has no {class}"),
        (
            drawn(),
            {"models": {"a": {"column": "c_says", "scale": "probability"}}},
            "models.a has scale: probability, which needs columns, one a class",
        ),
        (
            drawn(),
            {"per_class": ["log_loss"]},
            "per_class: 'log_loss' is not a metric of one class",
        ),
        (
            drawn(),
            {"metrics": [{"name": "recall", "of": "bea"}], "primary": None},
            "of: there is no class 'bea'; did you mean 'bee'?",
        ),
        (
            drawn(),
            {"metrics": [{"name": "recall", "of": "bee", "average": "micro"}], "primary": None},
            "average: micro is of all classes, and of: bee names one",
        ),
        (
            drawn(),
            {"metrics": ["specificity"], "primary": None},
            "'specificity' is for task: binary, this config's task is 'multiclass'",
        ),
        (
            drawn(),
            {
                "gates": [
                    {"name": "g", "rule": "below", "metric": "log_loss", "model": "c", "value": 1}
                ]
            },
            "gates[0]: the metric 'log_loss' needs probabilities, "
            "and the model 'c' has scale: label; use a metric, such as f",
        ),
        (
            drawn(),
            {
                "metrics": ["accuracy", "roc_auc"],
                "gates": [
                    {"name": "g", "rule": "above", "metric": "roc_auc", "model": "c", "value": 0.5}
                ],
            },
            "gates[0]: the metric 'roc_auc' needs scores, and the model 'c' has scale: label",
        ),
        (drawn(), {"thresholds": {"half": {"fixed": 0.5}}}, "thresholds are for task: binary"),
        (
            drawn(),
            {
                "datasets": {
                    "d": {"path": "t.csv", "id": "id", "target": "kind", "delimiter": ";"}
                },
                "models": {"a": {"columns": {n: f"p_a_{n}" for n in NAMES}}},
            },
            "line 1 has commas between the names instead of semicolons",
        ),
        (
            drawn(),
            {"datasets": {"d": {"path": "t.csv", "id": "id", "target": "kind", "positive": "bee"}}},
            "positive is for task: binary",
        ),
    ],
)
def test_what_does_not_fit_several_classes_is_one_line_with_its_place(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
    rows: list[Row],
    changes: dict[str, object],
    said: str,
) -> None:
    put(tmp_path, rows, **changes)
    monkeypatch.chdir(tmp_path)
    code = call("run", "c.yaml", "--out", "out", "--quiet")
    told = capfd.readouterr().err
    assert code in (2, 3)
    assert said in told and told.startswith(("c.yaml:", "t.csv:")), told


def test_the_filter_of_the_message_works_when_it_is_pasted(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    rows = drawn(c_says=lambda k: ("ant", "bee", "antt")[k % 3])
    config = put(tmp_path, rows, classes=list(NAMES))
    assert call("run", config, "--out", tmp_path / "out", "--quiet") == 3
    line = re.search(r"`(filter: .*)` under datasets\.d$", capfd.readouterr().err.strip())
    assert line is not None
    text = config.read_text(encoding="utf-8")
    place = re.search(r"^( +)path: t\.csv", text, re.MULTILINE)
    assert place is not None
    pasted = f"{place[1]}{line[1]}\n"
    config.write_text(text[: place.start()] + pasted + text[place.start() :], encoding="utf-8")
    assert call("run", config, "--out", tmp_path / "out", "--quiet") == 0
    assert results(tmp_path / "out")["datasets"][0]["n"] == 160


def test_segments_weights_clusters_and_missing_values_go_as_they_do_elsewhere(
    tmp_path: Path,
) -> None:
    rows = drawn(weight=lambda k: 1 + k % 3, owner=lambda k: k % 40, place=lambda k: "xy"[k % 2])
    rows[5]["p_b_bee"] = ""
    dataset = {
        "path": "t.csv",
        "id": "id",
        "target": "kind",
        "weight": "weight",
        "cluster": "owner",
        "segments": ["place"],
        "missing": "drop",
    }
    ran_on(tmp_path, rows, datasets={"d": dataset}, metrics=["accuracy", "roc_auc", "mcc"])
    found = results(tmp_path / "out")
    assert found["datasets"][0]["n"] == 239 and found["datasets"][0]["clusters"] == 40
    assert {e["segment"] for e in found["estimates"]} == {None, "place=x", "place=y"}
    assert all(e["low"] is not None for e in found["estimates"] if e["status"] == "ok")


def test_thirty_classes_are_drawn_without_counts_and_listed(tmp_path: Path) -> None:
    rng = np.random.default_rng(9)
    names = [f"kind {k:02}" for k in range(30)]
    code = rng.choice(30, 900)
    raw = rng.random((900, 30)) + 1.1 * np.eye(30)[code] + 0.5 * np.eye(30)[(code + 1) % 30]
    p = raw / raw.sum(axis=1, keepdims=True)
    rows = [
        {
            "id": k,
            "kind": names[code[k]],
            "says": names[p[k].argmax()],
            **{f"p {n}": f"{x:.9f}" for n, x in zip(names, p[k], strict=True)},
        }
        for k in range(900)
    ]
    models = {"a": {"column": "says", "role": "baseline"}, "b": {"columns": "p {class}"}}
    page = ran_on(
        tmp_path,
        rows,
        models=models,
        metrics=["accuracy"],
        per_class=["f"],
        bootstrap={"replicates": 19},
    )
    assert "The 15 most frequent of" in page and "The 20 worst of 30 classes." in page
    assert not results(tmp_path / "out")["confusion_differences"]


def test_init_drafts_the_task_from_a_target_of_several_classes(tmp_path: Path) -> None:
    write_rows(tmp_path / "t.csv", drawn())  # type: ignore[arg-type]
    assert call("init", tmp_path / "t.csv", "--out", tmp_path / "n.yaml") == 0
    config = yaml.safe_load((tmp_path / "n.yaml").read_text(encoding="utf-8"))
    assert config["task"] == "multiclass"
    assert config["models"] == {
        "a": {"columns": "p_a_{class}", "role": "baseline"},
        "b": {"columns": "p_b_{class}"},
        "c_says": {"column": "c_says"},
    }
    assert config["metrics"] == ["accuracy", "f", "log_loss", "roc_auc"]
    assert call("validate", tmp_path / "n.yaml", "--data") == 0


def test_init_asks_for_no_probabilities_where_models_only_name_the_class(tmp_path: Path) -> None:
    kept = ("id", "kind", "c_says")
    rows = [{key: row[key] for key in kept} for row in drawn()]
    write_rows(tmp_path / "t.csv", rows)  # type: ignore[arg-type]
    assert call("init", tmp_path / "t.csv", "--out", tmp_path / "n.yaml") == 0
    config = yaml.safe_load((tmp_path / "n.yaml").read_text(encoding="utf-8"))
    assert config["metrics"] == ["accuracy", "f"]
    assert call("validate", tmp_path / "n.yaml", "--data") == 0


def test_probabilities_that_underflow_are_taken_as_they_are(tmp_path: Path) -> None:
    draw = np.random.default_rng(1)
    rows: list[Row] = []
    for k in range(120):
        y = int(draw.integers(0, 3))
        called = y if k % 4 else (y + 1) % 3
        p = [1e-60] * 3
        p[called] = 1.0
        rows.append(
            {
                "id": k,
                "kind": y,
                **{f"a_{j}": p[j] for j in range(3)},
                **{f"b_{j}": (0.8 if j == y else 0.1) for j in range(3)},
            }
        )
    ran_on(
        tmp_path,
        rows,
        classes=["0", "1", "2"],
        models={
            "a": {"columns": "a_{class}", "role": "baseline"},
            "b": {"columns": "b_{class}"},
        },
        metrics=["log_loss", "brier"],
        primary={"metric": "brier"},
    )
    found = {(e["key"], e["model"]): e["value"] for e in results(tmp_path / "out")["estimates"]}
    # 30 of 120 rows are wholly sure of what did not happen, and count as the least probability.
    assert found["log_loss", "a"] == pytest.approx(0.25 * -np.log(np.finfo(float).eps), rel=1e-6)
    assert found["brier", "a"] == pytest.approx(0.5)


def test_a_class_whose_probabilities_all_underflow_is_taken_as_it_is(tmp_path: Path) -> None:
    rows: list[Row] = [
        {
            "id": k,
            "kind": k % 3,
            "a_0": 0.2,
            "a_1": 0.8,
            "a_2": 1e-60,
            "b_0": 1e-60,
            "b_1": 0.6,
            "b_2": 0.4,
        }
        for k in range(90)
    ]
    ran_on(
        tmp_path,
        rows,
        classes=["0", "1", "2"],
        models={
            "a": {"columns": "a_{class}", "role": "baseline"},
            "b": {"columns": "b_{class}"},
        },
        metrics=["brier"],
        primary={"metric": "brier"},
    )
    found = {e["model"]: e["value"] for e in results(tmp_path / "out")["estimates"]}
    assert found["a"] == pytest.approx((0.64 + 0.64 + 0.04 + 0.04 + 1.0 + 0.04 + 0.64) / 3)


def test_a_class_of_six_rows_on_which_models_agree_decides_nothing(
    tmp_path: Path,
) -> None:
    rows: list[Row] = []
    for k in range(606):
        y = "xy"[k % 2] if k < 600 else "rare"
        other = "yx"[k % 2]
        rows.append(
            {
                "id": k,
                "kind": y,
                "a": other if k % 8 < 2 or y == "rare" else y,
                "b": other if k % 12 < 2 or y == "rare" else y,
            }
        )
    ran_on(
        tmp_path,
        rows,
        classes=["x", "y", "rare"],
        models={
            "a": {"column": "a", "scale": "label", "role": "baseline"},
            "b": {"column": "b", "scale": "label"},
        },
        metrics=["balanced_accuracy", "accuracy"],
        primary={"metric": "balanced_accuracy"},
    )
    found = results(tmp_path / "out")
    verdicts = {c["key"]: c["word"] for c in found["comparisons"]}
    assert verdicts == {"balanced_accuracy": "better", "accuracy": "better"}
    formulas = [c for c in found["sensitivity"]["choices"] if c["kind"] in ("formula", "declared")]
    assert formulas and {c["word"] for c in formulas} == {"better"}
