"""Rows with several labels through the whole program: as scikit-learn has it, and what is wrong."""

import csv
import gzip
from pathlib import Path

import numpy as np
import pytest
import yaml
from sklearn import metrics as sk

from tests.end_to_end.wallet import ROOT, call, heard, results, write_rows

CONFIG = ROOT / "configs" / "movies.yaml"
GENRES = ("Action", "Animation", "Comedy", "Drama", "Documentary", "Romance", "Short")
FROM = np.array([0.3, 0.3, 0.5, 0.5, 0.3, 0.3, 0.5])
Row = dict[str, object]


@pytest.fixture(scope="module")
def ran(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("movies") / "out"
    words = ("--quiet", "--no-cache", "--set", "bootstrap.replicates=99")
    assert call("run", CONFIG, "--out", folder, *words, "--set", "outputs=[json, markdown]") == 0
    return folder


@pytest.fixture(scope="module")
def films() -> tuple[np.ndarray, dict[str, np.ndarray]]:
    with gzip.open(ROOT / "configs" / "data" / "movies.csv.gz", "rt", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    had = np.array([[r[f"y_{g}"] == "1" for g in GENRES] for r in rows])
    scores = {
        m: np.array([[float(r[f"p_{m}_{g}"]) for g in GENRES] for r in rows])
        for m in ("logreg", "hgb")
    }
    return had, scores


def test_results_hold_what_scikit_learn_says(ran: Path, films) -> None:
    had, scores = films
    found = {
        (e["key"], e["model"]): e["value"]
        for e in results(ran)["estimates"]
        if e["segment"] is None
    }
    for model, p in scores.items():
        called = p >= FROM
        want = {
            "f": sk.f1_score(had, called, average="macro"),
            "f of all tags": sk.f1_score(had, called, average="micro"),
            "f of a film": sk.f1_score(had, called, average="samples", zero_division=0),
            "Films exactly right": sk.accuracy_score(had, called),
            "hamming_loss": sk.hamming_loss(had, called),
            "genre ranking": sk.label_ranking_average_precision_score(had, p),
            "ranking_loss": sk.label_ranking_loss(had, p),
            "coverage_error": sk.coverage_error(had, p),
            "roc_auc": sk.roc_auc_score(had, p, average="macro"),
        }
        assert {key: found[key, model] for key in want} == pytest.approx(want, rel=1e-9)


def test_each_label_has_its_report(ran: Path, films) -> None:
    had, scores = films
    report = sk.classification_report(
        had, scores["hgb"] >= FROM, target_names=GENRES, output_dict=True, zero_division=0
    )
    names = {"precision": "precision", "recall": "recall", "f": "f1-score"}
    rows = {
        "macro": "macro avg",
        "weighted": "weighted avg",
        "micro": "micro avg",
        "samples": "samples avg",
    }
    seen = 0
    for each in results(ran)["classes"]:
        if each["metric"] in names:
            value = next(e["value"] for e in each["estimates"] if e["model"] == "hgb")
            row = report[each["value"] or rows[each["average"]]]
            assert value == pytest.approx(row[names[each["metric"]]], rel=1e-9)
            assert each["average"] or each["n"] == row["support"]
            seen += 1
    assert seen == 3 * (7 + 4)


def test_the_calls_of_each_label_are_counted_from_its_own_threshold(ran: Path, films) -> None:
    had, scores = films
    found = results(ran)
    assert not found["confusions"] and len(found["label_confusions"]) == 2 * 7
    for each in found["label_confusions"]:
        k = GENRES.index(each["value"])
        assert (each["point"], each["threshold"]) == ("tags", FROM[k])
        want = sk.confusion_matrix(had[:, k], scores[each["model"]][:, k] >= FROM[k]).ravel()
        cells = ("true_negatives", "false_positives", "false_negatives", "true_positives")
        assert [each[cell] for cell in cells] == want.tolist()


def test_the_page_speaks_of_labels(ran: Path) -> None:
    page = (ran / "report.md").read_text(encoding="utf-8")
    assert "## Labels" in page and "## Classes" not in page
    assert "from 1 to 4 of 7 labels, 1.41 on average. The most frequent is Drama" in page
    assert "Gradient boosting misses Romance most often: 91% of the films with this label" in page
    assert "Average over labels" in page and "Average over films" in page
    assert "confuses no classes" not in page


NAMES = ("rock", "cat dog", "é|<b>", "7")


def drawn(n: int = 200, k: int = 4, separator: str = ";", **columns: object) -> list[Row]:
    """Rows with any of some labels, one of which half of the rows have, and two models."""
    rng = np.random.default_rng(8)
    names = NAMES if k == 4 else tuple(f"kind {j:02}" for j in range(k))
    had = rng.random((n, k)) < np.linspace(0.5, 0.15, k)
    had[0] = False
    rows: list[Row] = []
    p = [1 / (1 + np.exp(-(rng.normal(size=(n, k)) + (1 + m) * (2 * had - 1)))) for m in range(2)]
    for i in range(n):
        row: Row = {"id": i, "tags": separator.join(names[j] for j in range(k) if had[i, j])}
        row["says"] = f" {separator} ".join(names[j] for j in range(k) if p[0][i, j] >= 0.5)
        for j, label in enumerate(names):
            row[f"y {label}"] = int(had[i, j])
            row |= {f"p_{m} {label}": f"{p[q][i, j]:.9f}" for q, m in enumerate("ab")}
        rows.append(row)
    return [{**row, **{c: f(i) for c, f in columns.items()}} for i, row in enumerate(rows)]  # type: ignore[operator]


MODELS: dict[str, dict[str, object]] = {
    "a": {"columns": "p_a {class}", "role": "baseline"},
    "b": {"columns": "p_b {class}"},
}
WIDE = {"path": "t.csv", "id": "id", "target": "y {class}"}
LISTED = {"path": "t.csv", "id": "id", "target": "tags", "separator": ";"}


def put(folder: Path, rows: list[Row], **changes: object) -> Path:
    write_rows(folder / "t.csv", rows)  # type: ignore[arg-type]
    config = {
        "version": 1,
        "report": {"title": "Tags"},
        "datasets": {"d": WIDE},
        "task": "multilabel",
        "classes": list(NAMES),
        "models": MODELS,
        "metrics": ["f", "subset_accuracy", "lrap", "log_loss"],
        "primary": {"metric": "f"},
        "bootstrap": {"replicates": 49, "seed": 1},
        "outputs": ["json", "markdown"],
        **changes,
    }
    path = folder / "c.yaml"
    config = {key: value for key, value in config.items() if value != "none"}
    path.write_text(yaml.safe_dump(config, sort_keys=False, allow_unicode=True), encoding="utf-8")
    return path


def ran_on(folder: Path, rows: list[Row], **changes: object) -> str:
    config = put(folder, rows, **changes)
    assert call("run", config, "--out", folder / "out", "--quiet", "--no-cache") == 0
    return (folder / "out" / "report.md").read_text(encoding="utf-8")


def values(folder: Path) -> dict[tuple[str, str], float]:
    return {(e["key"], e["model"]): e["value"] for e in results(folder / "out")["estimates"]}


def test_a_list_of_labels_is_a_column_for_each(tmp_path: Path) -> None:
    (tmp_path / "wide").mkdir()
    (tmp_path / "listed").mkdir()
    ran_on(tmp_path / "wide", drawn())
    ran_on(tmp_path / "listed", drawn(), datasets={"d": LISTED})
    assert values(tmp_path / "wide") == values(tmp_path / "listed")
    info = [results(tmp_path / each / "out")["datasets"][0] for each in ("wide", "listed")]
    assert info[0]["classes"] == info[1]["classes"]
    assert info[0]["labels_per_row"][1] == 0  # the first row has none


def test_labels_that_nobody_declares_are_found_in_the_lists(tmp_path: Path) -> None:
    models = {**MODELS, "c": {"column": "says"}}
    ran_on(tmp_path, drawn(), datasets={"d": LISTED}, classes="none", models=models)
    found = results(tmp_path / "out")
    labels = [c["value"] for c in found["datasets"][0]["classes"]]
    assert labels == ["7", "cat dog", "rock", "é|<b>"]
    all_ = values(tmp_path)
    assert all_["f", "a"] == all_["f", "c"]  # the same calls
    [why] = {e["reason"] for e in found["estimates"] if e["key"] == "log_loss" and e["reason"]}
    assert why == "c names classes and gives no probability"
    assert {c["threshold"] for c in found["label_confusions"] if c["model"] == "c"} == {None}


def test_a_model_may_name_labels_by_a_column_for_each(tmp_path: Path) -> None:
    rows = drawn()
    for row in rows:
        row |= {f"says {n}": str(float(str(row[f"p_a {n}"])) >= 0.5).lower() for n in NAMES}
    models = {**MODELS, "c": {"columns": "says {class}", "scale": "label"}}
    ran_on(tmp_path, rows, models=models, metrics=["f", "hamming_loss"])
    assert values(tmp_path)["f", "a"] == values(tmp_path)["f", "c"]


def test_a_score_calls_from_a_declared_point_on_alone(tmp_path: Path) -> None:
    models = {"a": {"columns": "p_a {class}", "scale": "score"}}
    changes = {"models": models, "metrics": ["f", "lrap"], "primary": "none"}
    put(tmp_path, drawn(), **changes)
    code, _, told = heard("run", "c.yaml", "--out", "out", "--quiet", cwd=tmp_path)
    assert code == 2 and "f needs a threshold: no model here has probabilities" in told
    both = {**models, "b": {"columns": "p_b {class}", "role": "baseline"}}
    ran_on(tmp_path, drawn(), **{**changes, "models": both})
    whys = {
        e["model"]: e["reason"] for e in results(tmp_path / "out")["estimates"] if e["key"] == "f"
    }
    assert whys["a"] == "a is a score, and no operating point says which labels it predicts"
    ran_on(tmp_path, drawn(), **changes, thresholds={"p": {"fixed": 0.4, "by_class": {7: 0.6}}})
    assert values(tmp_path)["f", "a"] is not None
    found = {c["value"]: c["threshold"] for c in results(tmp_path / "out")["label_confusions"]}
    assert found == {"rock": 0.4, "cat dog": 0.4, "é|<b>": 0.4, "7": 0.6}


def test_a_label_that_no_row_has_is_told_and_left_out_of_means(tmp_path: Path) -> None:
    rows = drawn(**{"y dodo": lambda i: 0, "p_a dodo": lambda i: 0.1, "p_b dodo": lambda i: 0.2})
    page = ran_on(tmp_path, rows, classes=[*NAMES, "dodo"])
    (tmp_path / "less").mkdir()
    ran_on(tmp_path / "less", drawn())
    assert values(tmp_path)["f", "a"] == values(tmp_path / "less")["f", "a"]
    assert "There are no rows with the label dodo. Macro averages leave it out." in page
    codes = {(w["code"], w["numbers"].get("class")) for w in results(tmp_path / "out")["warnings"]}
    assert ("W207", "dodo") in codes


def test_a_model_twice_has_no_limits_in_any_average(tmp_path: Path) -> None:
    rows = [{**row, **{f"p_c {n}": row[f"p_a {n}"] for n in NAMES}} for row in drawn(40)]
    models = {m: {"columns": f"p_{m} {{class}}"} for m in "ac"}
    models["a"]["role"] = "baseline"
    averages = ("macro", "weighted", "micro", "samples")
    metrics = [{"name": "f", "average": each, "as": each} for each in averages]
    metrics += [{"name": "precision", "of": NAMES[0], "as": "of one"}]
    ran_on(
        tmp_path,
        rows,
        models=models,
        metrics=metrics,
        primary={"metric": "macro"},
        thresholds={"p": {"fixed": 0.55}},
    )
    found = results(tmp_path / "out")["comparisons"]
    assert {c["key"] for c in found} == {*averages, "of one"}
    assert all((c["difference"], c["low"], c["p_value"]) == (0.0, None, None) for c in found)


def test_segments_weights_clusters_and_missing_values_go_as_they_do_elsewhere(
    tmp_path: Path,
) -> None:
    rows = drawn(weight=lambda k: 1 + k % 3, owner=lambda k: k % 40, place=lambda k: "xy"[k % 2])
    rows[5]["p_b rock"], rows[9]["y rock"] = "", ""
    dataset = {
        **WIDE,
        "weight": "weight",
        "cluster": "owner",
        "segments": ["place"],
        "missing": "drop",
    }
    ran_on(tmp_path, rows, datasets={"d": dataset}, metrics=["f", "roc_auc", "one_error"])
    found = results(tmp_path / "out")
    assert found["datasets"][0]["n"] == 198 and found["datasets"][0]["clusters"] == 40
    assert {e["segment"] for e in found["estimates"]} == {None, "place=x", "place=y"}
    assert all(e["low"] is not None for e in found["estimates"] if e["status"] == "ok")


def test_thirty_labels_stand_in_one_table(tmp_path: Path) -> None:
    names = [f"kind {j:02}" for j in range(30)]
    page = ran_on(
        tmp_path,
        drawn(300, 30),
        classes=names,
        metrics=["f"],
        per_class=["f"],
        bootstrap={"replicates": 19},
    )
    assert "The 20 worst of 30 labels that clearly differ, of 30." in page
    rows = [line for line in page.splitlines() if line.startswith("| **kind 23**")]
    assert len(rows) == 3  # page one, the calls and the report of b; the full report has more


def test_a_filter_leaves_out_the_rows_with_a_label_that_is_none(tmp_path: Path) -> None:
    rows = drawn(tags=lambda k: "rock;fly" if k < 2 else ("7", "rock")[k % 2])
    asked = {**LISTED, "filter": "tags != 'rock;fly'"}
    put(tmp_path, rows, datasets={"d": asked}, classes=["7", "rock"])
    code, _, told = heard("run", "c.yaml", "--out", "out", "--quiet", cwd=tmp_path)
    assert code == 0, told


@pytest.mark.parametrize(
    ("rows", "changes", "said"),
    [
        (
            drawn(**{"y rock": lambda k: 2 * (k == 3)}),
            {},
            "t.csv: column 'y rock' has 1 value of "
            "200 other than 1 and 0 (first 2 at line 5); a label is there or not",
        ),
        (
            drawn(**{"y rock": lambda k: "maybe"}),
            {},
            "column 'y rock' has text instead of numbers, true or false: 'maybe'",
        ),
        (drawn(**{"p_b rock": lambda k: 1.7}), {}, "outside 0 to 1 (first 1.7 at line 2)"),
        (
            drawn(**{"y rock": lambda k: "" if k < 2 else 1}),
            {},
            "column 'y rock' has 2 missing "
            "values of 200 (first at lines 2, 3); `missing: drop` under datasets.d leaves such "
            "rows out",
        ),
        (
            drawn(tags=lambda k: "rock;fly" if k < 2 else "7"),
            {"datasets": {"d": LISTED}, "classes": "none"},
            "t.csv: column 'tags' has 'fly' on 2 rows (first at lines 2, 3), and "
            "models 'a' and 'b' have no column for it ('p_a fly'); correct them, or write "
            "classes: [7, rock] and leave",
        ),
        (drawn(), {"classes": ["rock", "jazz"]}, "t.csv has no column 'y jazz'"),
        (
            drawn(),
            {"datasets": {"d": LISTED}, "classes": ["rock", "cat dog", "7"]},
            "column 'tags' has the label 'é|<b>', not among classes, on ",
        ),
        (
            drawn(),
            {"datasets": {"d": {**WIDE, "target": "tags"}}},
            "datasets.d: 'tags' is one column, and a row may have several labels; write target: ",
        ),
        (
            drawn(),
            {"datasets": {"d": {**WIDE, "separator": ";"}}},
            "datasets.d: separator goes with one column that lists labels",
        ),
        (
            drawn(),
            {"classes": "none"},
            "datasets.d: the pattern 'y {class}' needs the labels by "
            "name; write classes: [a, b, c]",
        ),
        (
            drawn(),
            {"models": {"a": {"columns": "y {class}"}}},
            "models.a reads the target 'y {class}' as its score; name the column with its scores",
        ),
        (
            drawn(),
            {"report": {"title": "x", "headline": ["roc_auc"]}, "metrics": ["f"], "primary": None},
            "headline[0]: 'roc_auc' is not among this config's metrics; add it under `metrics`",
        ),
        (drawn(), {"models": {"a": {"columns": "p_a"}}}, "models.a: columns 'p_a' has no {class}"),
        (
            drawn(),
            {"models": {"a": {"column": "says"}}},
            "models.a has one column, and a row may have several labels; write columns: ",
        ),
        (
            drawn(),
            {"models": {"a": {"columns": "p_a {class}", "sums": "normalise"}}},
            "sums is for task: multiclass",
        ),
        (
            drawn(),
            {"thresholds": {"p": {"share": 0.1}}},
            "thresholds.p: share is for two classes; labels take fixed, with by_class",
        ),
        (
            drawn(),
            {"thresholds": {"p": {"fixed": 0.5, "by_class": {"rok": 0.3}}}},
            "by_class: there is no class 'rok'; did you mean 'rock'?",
        ),
        (drawn(), {"thresholds": {"p": {"by_class": {"rock": 0.3}}}}, "has no rule"),
        (
            drawn(),
            {
                "thresholds": {
                    "p": {"fixed": 0.5, "by_class": {"rock": 0.3}, "by_model": {"a": 0.2}}
                }
            },
            "keep one",
        ),
        (
            drawn(),
            {"metrics": [{"name": "f", "of": "rok"}]},
            "of: there is no class 'rok'; did you mean 'rock'?",
        ),
        (
            drawn(),
            {"metrics": [{"name": "f", "of": "rock", "average": "micro"}]},
            "average: micro is of all labels, and of: rock names one",
        ),
        (
            drawn(),
            {"metrics": ["accuracy"], "primary": {"metric": "accuracy"}},
            "'accuracy' is for task: binary or multiclass, this config's task is 'multilabel'",
        ),
        (
            drawn(),
            {"metrics": ["exact_match"], "primary": "none"},
            "here it is called 'subset_accuracy'",
        ),
        (
            drawn(),
            {"task": "multiclass"},
            "datasets.d: a pattern of targets is for task: multilabel",
        ),
        (
            drawn(),
            {"datasets": {"d": {**WIDE, "positive": "rock"}}},
            "positive is for task: binary",
        ),
        (
            drawn(),
            {
                "metrics": ["kendall"],
                "primary": "none",
                "gates": [
                    {"name": "g", "rule": "above", "metric": "kendall", "model": "a", "value": 0}
                ],
            },
            "'kendall' is for task: regression, this config's task is 'multilabel'",
        ),
    ],
)
def test_what_does_not_fit_labels_is_one_line_with_its_place(
    tmp_path: Path, rows: list[Row], changes: dict[str, object], said: str
) -> None:
    put(tmp_path, rows, **changes)
    code, _, told = heard("run", "c.yaml", "--out", "out", "--quiet", cwd=tmp_path)
    assert code in (2, 3), told
    assert said in told and told.startswith(("c.yaml:", "t.csv:")), told
