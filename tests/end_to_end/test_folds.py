"""Scores of several fits through the whole program: questions, gates, warnings, errors."""

import csv
import gzip
import json
import re
from collections import defaultdict
from pathlib import Path

import numpy as np
import pytest
import yaml
from scipy import stats
from sklearn.metrics import f1_score, log_loss, roc_auc_score

from tests.end_to_end.wallet import ROOT, TINY, call, heard, results, write_rows

CONFIG = ROOT / "configs" / "folds.yaml"
QUIET = ("--quiet", "--no-cache")


def on_folds() -> list[list[dict[str, str]]]:
    """The rows of the worked config by round and fold."""
    found = defaultdict(list)
    with gzip.open(ROOT / "configs" / "data" / "folds.csv.gz", "rt", encoding="utf-8") as file:
        for row in csv.DictReader(file):
            found[row["round"], row["fold"]].append(row)
    return list(found.values())


def values(measure, column: str) -> np.ndarray:
    return np.array(
        [
            measure([int(r["malignant"]) for r in rows], [float(r[column]) for r in rows])
            for rows in on_folds()
        ]
    )


@pytest.fixture(scope="module")
def ran(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("folds") / "out"
    choices = ("--set", "bootstrap.replicates=99", "--set", "outputs=[json, markdown]")
    assert call("run", CONFIG, "--out", folder, *QUIET, *choices) == 0
    return folder


def found(folder: Path, key: str, candidate: str, **more: object) -> dict[str, object]:
    rows = results(folder)["fold_comparisons" if more else "comparisons"]
    (one,) = (
        r
        for r in rows
        if r["key"] == key and r["candidate"] == candidate and more.items() <= r.items()
    )
    return one


@pytest.mark.parametrize("key", ["roc_auc", "log_loss"])
@pytest.mark.parametrize(("model", "column"), [("forest", "p_rf"), ("boosted", "p_gbm")])
def test_the_interval_is_nadeau_and_bengios(ran: Path, key: str, model: str, column: str) -> None:
    measure = {"roc_auc": roc_auc_score, "log_loss": log_loss}[key]
    each = values(measure, column) - values(measure, "p_logreg")
    se = np.sqrt(each.var(ddof=1) * (1 / 15 + 1 / 4))
    one = found(ran, key, model)
    assert one["se"] == pytest.approx(se, rel=1e-6)
    half = stats.t.ppf(1 - 0.025 / one["family_size"], 14) * se  # type: ignore[operator]
    assert one["high"] - one["low"] == pytest.approx(2 * half, rel=1e-6)  # type: ignore[operator]
    centre = one["difference"]
    assert one["p_value"] == pytest.approx(2 * stats.t.sf(abs(centre / se), 14), rel=1e-6)  # type: ignore[operator]


def test_auc_is_the_mean_over_folds_by_their_rows(ran: Path) -> None:
    sizes = [len(rows) for rows in on_folds()]
    expected = np.average(values(roc_auc_score, "p_rf"), weights=sizes)
    (one,) = (
        e for e in results(ran)["estimates"] if e["key"] == "roc_auc" and e["model"] == "forest"
    )
    assert one["value"] == pytest.approx(expected)


def test_both_questions_stand_side_by_side_and_one_decides(ran: Path) -> None:
    asked = found(ran, "log_loss", "forest", question="procedure")
    other = found(ran, "log_loss", "forest", question="fitted")
    assert (asked["is_asked"], other["is_asked"]) == (True, False)
    printed = found(ran, "log_loss", "forest")
    assert printed["family_size"] == 2 and printed["low"] < asked["low"]  # type: ignore[operator]
    assert other["test"] == "paired t"
    assert other["high"] - other["low"] < asked["high"] - asked["low"]  # type: ignore[operator]


def test_gates_rest_on_the_question_that_is_asked(ran: Path) -> None:
    (gate,) = (g for g in results(ran)["gates"] if g["name"] == "forest not worse")
    one = found(ran, "log_loss", "forest")
    se, centre = one["se"], one["difference"]
    upper = centre + stats.t.ppf(1 - 0.025 / 2, 14) * se  # type: ignore[operator]
    assert gate["high"] == pytest.approx(upper, rel=1e-6) == one["high"]


def test_the_page_says_what_its_intervals_are_about(ran: Path) -> None:
    page = (ran / "report.md").read_text(encoding="utf-8")
    assert not re.search(r"\d\.\d{10}", page), "numbers are rounded as everywhere"
    front = page.partition("## Results")[0]
    assert "Intervals are for models retrained on the same number of new rows." in front
    assert "The model trained on all rows was not tested." in page
    assert "5 folds in each of 3 rounds (columns fold and round)" in page
    assert "Rows are ranked only within folds" in page


def test_curves_of_other_fits_have_no_band(ran: Path) -> None:
    curves = [c for c in results(ran)["curves"] if c["curve"] == "roc"]
    assert curves
    assert all(c["y"] and not c["band_low"] and c["baseline"] is None for c in curves)


def rows(n: int = 60, folds: int = 5) -> list[dict[str, object]]:
    draw = np.random.default_rng(8).random((n, 3))
    return [
        {
            "id": k,
            "y": int(a < 0.4),
            "p_a": round(0.2 * (a < 0.4) + 0.6 * b, 3),
            "p_b": round(c, 3),
            "fold": k % folds,
            "patient": k // 2,
            "half": int(k >= n // 2),
        }
        for k, (a, b, c) in enumerate(draw)
    ]


def put(folder: Path, data: list[dict[str, object]], dataset=None, **changes: object) -> Path:
    write_rows(folder / "t.csv", data)  # type: ignore[arg-type]
    named = {"path": "t.csv", "id": "id", "target": "y", "fold": "fold", **(dataset or {})}
    config = {
        "version": 1,
        "report": {"title": "Folds"},
        "datasets": {"d": {k: v for k, v in named.items() if v is not None}},
        "task": "binary",
        "models": {"a": {"column": "p_a", "role": "baseline"}, "b": {"column": "p_b"}},
        "metrics": ["roc_auc", "log_loss"],
        "primary": {"metric": "log_loss"},
        "bootstrap": {"replicates": 99, "seed": 1},
        "curves": [],
        "outputs": ["json", "markdown"],
        **changes,
    }
    (folder / "c.yaml").write_text(yaml.safe_dump(config, sort_keys=False), encoding="utf-8")
    return folder / "c.yaml"


def run(folder: Path, *given: object, **changes: object) -> dict[str, list[dict[str, object]]]:
    config = put(folder, *given, **changes)  # type: ignore[arg-type]
    assert call("run", config, "--out", folder / "out", *QUIET) == 0
    return json.loads((folder / "out" / "results.json").read_text())  # type: ignore[no-any-return]


def codes(told: dict[str, list[dict[str, object]]]) -> list[object]:
    return [w["code"] for w in told["warnings"]]


def test_a_function_of_counts_may_be_a_mean_over_folds(tmp_path: Path) -> None:
    data = rows(120)
    told = run(
        tmp_path,
        data,
        metrics=["f", "accuracy"],
        primary={"metric": "f"},
        thresholds={"half": {"fixed": 0.5}},
        folds={"average": "folds"},
    )
    found = {e["metric"]: e["value"] for e in told["estimates"] if e["model"] == "a"}
    y, p, fold = (np.array([row[key] for row in data]) for key in ("y", "p_a", "fold"))
    each = [f1_score(y[fold == k], p[fold == k] >= 0.5) for k in range(5)]
    assert found["f"] == pytest.approx(np.mean(each))
    assert found["accuracy"] == pytest.approx(np.mean((p >= 0.5) == (y > 0)))
    assert found["f"] != pytest.approx(f1_score(y, p >= 0.5))


def test_models_that_learn_from_a_tenth_have_the_larger_correction_and_the_page_says_so(
    tmp_path: Path,
) -> None:
    data = rows(200, 10)
    plain, few = (run(tmp_path, data, folds={"train_share": s}) for s in (0.9, 0.1))
    each = [next(c for c in told["comparisons"] if c["key"] == "log_loss") for told in (plain, few)]
    expected = (1 / 10 + 0.9 / 0.1) / (1 / 10 + 0.1 / 0.9)
    assert each[1]["se"] == pytest.approx(each[0]["se"] * np.sqrt(expected))
    page = (tmp_path / "out" / "report.md").read_text(encoding="utf-8")
    assert "trained on rows of other folds (10% of all rows) scored each row" in page
    assert "most of the rows they learn from" not in page


def test_ranks_across_folds_and_means_over_them_do_not_go_together(tmp_path: Path) -> None:
    config = put(tmp_path, rows(), folds={"average": "folds", "pool": True})
    code, _, error = heard("validate", config, cwd=tmp_path)
    assert code == 2
    assert "folds has average: folds beside pool: true; keep one of the two" in error


def test_the_fitted_models_are_told_from_rows_within_folds(tmp_path: Path) -> None:
    told = run(tmp_path, rows(), folds={"question": "fitted"})
    assert told["datasets"][0]["design"] == "rows within strata"
    (one,) = (c for c in told["comparisons"] if c["key"] == "log_loss")
    assert one["test"] == "paired t"
    page = (tmp_path / "out" / "report.md").read_text(encoding="utf-8")
    assert "about the models that made these scores, on other rows" in page


@pytest.mark.full
def test_scores_of_one_fold_may_be_on_a_scale_of_their_own(tmp_path: Path) -> None:
    def auc(folder: Path, data: list[dict[str, object]], **changes: object) -> object:
        folder.mkdir()
        told = run(folder, data, metrics=["roc_auc"], primary={"metric": "roc_auc"}, **changes)
        return told["estimates"][0]["value"]

    raised = [
        {**r, "p_a": round(float(str(r["p_a"])) * (1 if r["fold"] else 0.1), 4)} for r in rows()
    ]
    assert auc(tmp_path / "1", raised) == pytest.approx(auc(tmp_path / "2", rows()))
    pooled = auc(tmp_path / "3", raised, folds={"pool": True})
    assert pooled != pytest.approx(auc(tmp_path / "4", raised))
    page = (tmp_path / "3" / "out" / "report.md").read_text(encoding="utf-8")
    assert "rows of all folds are ranked together" in page


def test_few_folds_raise_w126_and_have_no_p_value(tmp_path: Path) -> None:
    told = run(tmp_path, rows(folds=3))
    assert "W126" in codes(told)
    assert all(c["p_value"] is None for c in told["comparisons"])


def test_two_folds_keep_within_what_is_possible_and_are_said_to_tell_next_to_nothing(
    tmp_path: Path,
) -> None:
    told = run(tmp_path, rows(folds=2), metrics=["roc_auc", "recall", "brier", "log_loss"], **TINY)
    (few,) = (w for w in told["warnings"] if w["code"] == "W126")
    assert few["numbers"] == {"folds": 2, "differences": 1}
    page = (tmp_path / "out" / "report.md").read_text(encoding="utf-8")
    assert "The spread between folds comes from 1 difference alone" in page
    ends = ("low", "high", "smallest_detectable")
    shares = [c for c in told["comparisons"] if c["key"] != "log_loss"]
    assert all(abs(c[end] or 0.0) <= 1 for c in shares for end in ends)  # type: ignore[arg-type]
    assert any(c["smallest_detectable"] is None and c["se"] for c in shares)
    assert not any("resamples" in str(c["reason"]) for c in told["comparisons"])


def test_fitted_models_on_few_rows_raise_w126(tmp_path: Path) -> None:
    assert "W126" in codes(run(tmp_path, rows(), folds={"question": "fitted"}))


def test_enough_folds_raise_no_w126(tmp_path: Path) -> None:
    assert not {"W125", "W126", "W128"} & set(codes(run(tmp_path, rows())))


def test_a_cluster_in_two_folds_raises_w125(tmp_path: Path) -> None:
    told = run(tmp_path, rows(), {"cluster": "patient"})
    (one,) = (w for w in told["warnings"] if w["code"] == "W125")
    assert one["numbers"] == {"count": 30, "units": 30, "column": "patient"}


def test_a_fold_of_one_class_raises_w128_and_is_left_out(tmp_path: Path) -> None:
    data = [{**r, "y": 0 if r["fold"] == 2 else r["y"]} for r in rows()]
    told = run(tmp_path, data)
    w128 = [w for w in told["warnings"] if w["code"] == "W128"]
    assert {w["key"] for w in w128} == {"roc_auc"}
    assert w128[0]["numbers"] == {"count": 1, "folds": 5, "others": 4}


def test_a_pooled_value_keeps_the_rows_of_a_fold_without_one(tmp_path: Path) -> None:
    """Recall is undefined in fold 2, whose rows are in the value over all and not in its spread."""
    data = [{**r, "y": 0 if r["fold"] == 2 else r["y"]} for r in rows()]
    told = run(
        tmp_path, data, metrics=["recall", "accuracy"], primary={"metric": "accuracy"}, gates=[]
    )
    (one, _) = (w for w in told["warnings"] if w["code"] == "W128")
    assert one["numbers"] == {"count": 1, "folds": 5, "read": 4}
    assert one["text"].endswith("its spread comes from the other 4 folds.")
    caught = [float(str(r["p_a"])) >= 0.5 for r in data if r["y"]]
    (value,) = (e["value"] for e in told["estimates"] if e["key"] == "recall" and e["model"] == "a")
    assert value == pytest.approx(np.mean(caught))


def test_rounds_have_each_id_in_each_and_are_drawn_by_id(tmp_path: Path) -> None:
    data = [
        {**r, "round": k, "fold": (int(str(r["id"])) + k) % 5} for k in range(3) for r in rows()
    ]
    told = run(tmp_path, data, {"repeat": "round"})
    (info,) = told["datasets"]
    assert (info["rounds"], info["folds"], info["clusters"]) == (3, 5, 60)
    assert info["case"] == ["score", "scores"]  # a row has one in each round
    assert len({(v["round"], v["fold"]) for v in told["fold_values"]}) == 15
    assert "W125" not in codes(told)


SCORES = {"scores": {"d": {"path": "t.csv", "id": "id", "column": "p_b"}}}


@pytest.mark.parametrize(
    ("dataset", "changes", "said"),
    [
        ({"fold": None}, {"folds": {"question": "fitted"}}, "no dataset says which fit scored"),
        ({"repeat": "half", "fold": None}, {}, "datasets.d.repeat needs `fold:`"),
        ({"repeat": "half", "id": None}, {}, "datasets.d.repeat needs `id:`"),
        (
            {"repeat": "half"},
            {"models": {"a": {"column": "p_a", "role": "baseline"}, "b": SCORES}},
            "needs all scores in one table",
        ),
        ({}, {"comparisons": {"test": {"log_loss": "wilcoxon"}}}, "folds: {question: fitted}"),
        ({}, {"comparisons": {"test": "bootstrap"}}, "takes rows for independent"),
        ({}, {"bootstrap": {"interval": "bca"}}, "bootstrap.interval: 'bca' takes rows"),
    ],
)
def test_what_does_not_go_together_is_told_with_its_place(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], dataset, changes, said: str
) -> None:
    config = put(tmp_path, rows(), dataset, **changes)
    assert call("run", config, "--out", tmp_path / "out", *QUIET) == 2
    heard_ = capsys.readouterr().err
    assert said in heard_ and "c.yaml:" in heard_


def test_folds_beside_rows_to_fit_are_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    config = put(tmp_path, rows())
    written = yaml.safe_load(config.read_text())
    written["datasets"]["f"] = {"path": "t.csv", "id": "id", "target": "y", "role": "fit"}
    config.write_text(yaml.safe_dump(written, sort_keys=False))
    assert call("run", config, "--out", tmp_path / "out", *QUIET) == 2
    assert "'f' has role: fit; drop one" in capsys.readouterr().err


def test_a_single_fold_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert call("run", put(tmp_path, rows(folds=1)), "--out", tmp_path / "out", *QUIET) == 3
    said = capsys.readouterr().err
    assert "fold '0' is the only one" in said and "or remove `fold:`" in said


def test_folds_stand_in_the_order_of_their_numbers(tmp_path: Path) -> None:
    told = run(tmp_path, rows(120, folds=12))
    folds = dict.fromkeys(str(v["fold"]) for v in told["fold_values"])
    assert list(folds) == [str(k) for k in range(12)]


def test_an_id_in_two_rounds_without_rounds_says_what_to_name(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert call("run", put(tmp_path, rows() * 2), "--out", tmp_path / "out", *QUIET) == 3
    assert "name the column of its rounds: repeat:" in capsys.readouterr().err
