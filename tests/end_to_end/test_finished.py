"""A table of scores that were computed elsewhere, through the whole program: a row is a data set.

The worked config's numbers are those of scipy, scikit-posthocs and baycomp on the same table.
"""

from __future__ import annotations

import csv
import json
from pathlib import Path

import numpy as np
import pytest
import yaml

from reportgen.inference.across_datasets import critical_distance, find_cliques
from tests.end_to_end.wallet import ROOT, TINY, call, heard

CONFIG = ROOT / "configs" / "auc-matrix.yaml"
TABLE = ROOT / "configs" / "data" / "auc-matrix.csv"
MODELS = ("logreg", "gnb", "tree", "rf", "hgb")


@pytest.fixture(scope="module")
def worked(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("auc") / "out"
    words = ("--quiet", "--no-cache", "--set", "bootstrap.replicates=99")
    assert call("run", CONFIG, "--out", folder, *words, "--set", "outputs=[json, markdown]") == 0
    return folder


def told(folder: Path) -> dict[str, list[dict[str, object]]]:
    return json.loads((folder / "results.json").read_text())  # type: ignore[no-any-return]


def pair(folder: Path, candidate: str, baseline: str) -> dict[str, object]:
    [across] = told(folder)["across"]
    return next(
        c
        for c in across["comparisons"]  # type: ignore[attr-defined]
        if (c["candidate"], c["baseline"]) == (candidate, baseline)
    )


def test_the_tests_of_all_models_are_those_of_scipy(worked: Path) -> None:
    [across] = told(worked)["across"]
    assert across["mean_ranks"] == [1.25, 3.4375, 4.375, 3.0, 2.9375]
    assert across["chi_squared"] == pytest.approx(32.95)
    assert across["f"] == pytest.approx(15.917874, abs=1e-6)
    assert across["p_f"] == pytest.approx(6.2014e-9, rel=1e-4)


def test_a_pair_is_compared_by_exact_signed_ranks_and_its_posterior(worked: Path) -> None:
    found = pair(worked, "hgb", "logreg")
    assert found["p_value"] == pytest.approx(9.155e-5, rel=1e-3)
    assert found["p_adjusted"] == pytest.approx(4 * 9.155e-5, rel=1e-3)  # four candidates
    assert found["difference"] == pytest.approx(-0.02004725)
    posterior = [found[name] for name in ("worse", "alike", "better")]
    assert posterior == pytest.approx([0.998, 0.002, 0], abs=5e-3)
    assert pair(worked, "hgb", "rf")["p_value"] == pytest.approx(0.7436, abs=1e-4)


def test_a_value_is_the_mean_over_the_table(worked: Path) -> None:
    with TABLE.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    found = {e["model"]: e["value"] for e in told(worked)["estimates"]}
    expected = {m: float(np.mean([float(row[m]) for row in rows])) for m in MODELS}
    assert found == pytest.approx(expected)


def test_models_that_no_pair_tells_apart_are_joined(worked: Path) -> None:
    [across] = told(worked)["across"]
    assert across["cliques"] == [["hgb", "rf", "gnb"], ["gnb", "tree"]]
    assert across["critical_distance"] is None


def test_the_page_speaks_of_tables_and_of_no_target(worked: Path) -> None:
    page = (worked / "report.md").read_text(encoding="utf-8")
    assert "on the same 16 tables.\n" in page and "target" not in page
    assert "Each of 16 tables counts once" in page
    assert "Logistic regression has the best mean rank. The data cannot tell " in page


def put(folder: Path, **changes: object) -> Path:
    rows = "".join(f"d{k},{0.7 + k / 90},{0.6 + k / 80},{0.5 + k / 70}\n" for k in range(8))
    (folder / "t.csv").write_text("table,a,b,c\n" + rows)
    config: dict[str, object] = {
        "version": 1,
        "report": {"title": "Table"},
        "datasets": {"t": {"path": "t.csv", "id": "table"}},
        "task": "finished",
        "models": {
            "a": {"column": "a", "role": "baseline"},
            "b": {"column": "b"},
            "c": {"column": "c"},
        },
        "bootstrap": {"replicates": 59, "seed": 1},
        "outputs": ["json", "markdown"],
        **changes,
    }
    (folder / "c.yaml").write_text(yaml.safe_dump(config, sort_keys=False))
    return folder / "c.yaml"


def test_lower_may_be_better(tmp_path: Path) -> None:
    config = put(tmp_path, score={"title": "seconds", "better": "lower", "unit": "s"})
    assert call("run", config, "--out", tmp_path / "out", "--quiet", "--no-cache") == 0
    [across] = told(tmp_path / "out")["across"]
    assert across["mean_ranks"] == [3, 2, 1]
    [metric] = told(tmp_path / "out")["metrics"]
    assert (metric["label"], metric["better"], metric["unit"]) == ("seconds", "lower", "s")


def test_a_model_that_is_level_on_every_table_does_not_differ(tmp_path: Path) -> None:
    config = put(tmp_path)
    level = "".join(f"d{k},{0.7 + k / 90},{0.6 + k / 80},{0.7 + k / 90}\n" for k in range(8))
    (tmp_path / "t.csv").write_text("table,a,b,c\n" + level)
    assert call("run", config, "--out", tmp_path / "out") == 0
    [row] = [
        line
        for line in (tmp_path / "out" / "report.md").read_text().splitlines()
        if "0, 8, 0" in line and line.startswith("| **c**")
    ]
    assert row.endswith("| Equivalent |")


@pytest.mark.parametrize(("tables", "is_few"), [(5, True), (6, False)])
def test_no_verdict_rests_on_fewer_tables_than_signed_ranks_can_tell_anything_of(
    tables: int, is_few: bool, tmp_path: Path
) -> None:
    few = TINY if is_few else {}
    config = put(tmp_path, primary={"metric": "finished_score", "margin": 0.01}, **few)
    rows = "".join(f"d{k},0.7,{0.74 + k / 999},{0.7 + k % 3 / 50}\n" for k in range(tables))
    (tmp_path / "t.csv").write_text("table,a,b,c\n" + rows)
    assert call("run", config, "--out", tmp_path / "out", "--quiet", "--no-cache") == 0
    found = {c["candidate"]: c for c in told(tmp_path / "out")["comparisons"]}
    assert (found["b"]["word"] == "no result") is is_few
    page = (tmp_path / "out" / "report.md").read_text(encoding="utf-8")
    assert ("A verdict on b needs at least" in page) is is_few
    assert not is_few or "takes about" not in page


def test_nemenyi_joins_by_the_distance_of_mean_ranks(tmp_path: Path) -> None:
    config = put(tmp_path, across={"cliques": "nemenyi"})
    assert call("run", config, "--out", tmp_path / "out", "--quiet", "--no-cache") == 0
    [across] = told(tmp_path / "out")["across"]
    assert across["critical_distance"] == pytest.approx(critical_distance(3, 8, 0.95))
    assert across["cliques"] == [["a", "b"], ["b", "c"]]
    assert "Nemenyi's critical distance of 1.17" in (tmp_path / "out" / "report.md").read_text()


@pytest.mark.parametrize(("models", "q"), [(2, 1.960), (3, 2.343), (5, 2.728), (10, 3.164)])
def test_the_critical_distance_is_that_of_the_printed_table(models: int, q: float) -> None:
    """Demšar (2006), Table 5(a)."""
    distance = q * np.sqrt(models * (models + 1) / (6 * 20))
    assert critical_distance(models, 20, 0.95) == pytest.approx(distance, rel=5e-4)


def test_a_run_that_another_holds_is_not_told_again() -> None:
    apart = np.zeros((4, 4), dtype=bool)
    apart[0, 3] = apart[3, 0] = True
    assert find_cliques(np.array([1.0, 2, 3, 4]), apart) == [(0, 1, 2), (1, 2, 3)]


REFUSED = [
    (
        {"datasets": {"t": {"path": "t.csv", "id": "table", "target": "a"}}},
        2,
        "datasets.t.target: scores that were computed elsewhere have no target; remove it",
    ),
    (
        {"datasets": {"t": {"path": "t.csv", "id": "table", "count": "a"}}},
        2,
        "datasets.t.count: a row is one dataset; remove it",
    ),
    (
        {"datasets": {"t": {"path": "t.csv"}, "u": {"path": "t.csv"}}},
        2,
        "task: finished has one dataset, as each row of its table is a dataset",
    ),
    (
        {"score": {"bounds": [0, 0.75]}},
        3,
        "column 'a' of model 'a' has 3 values of 8 beyond the bounds of the score",
    ),
    ({"score": {"bounds": [1, 0]}}, 2, "low 1 must be below high 0"),
    ({"score": {"better": "best"}}, 2, "score.better"),
    ({"thresholds": {"p": {"fixed": 0.5}}}, 2, "thresholds are for task"),
    ({"classes": ["a", "b"]}, 2, "classes is for task"),
    (
        {
            "task": "regression",
            "score": {"title": "x"},
            "datasets": {"t": {"path": "t.csv", "target": "a"}},
            "metrics": ["mae"],
        },
        2,
        "score is for task: finished; remove it",
    ),
]


@pytest.mark.parametrize(("changes", "code", "said"), REFUSED)
def test_what_a_table_of_scores_is_not_is_one_line(
    tmp_path: Path, changes: dict[str, object], code: int, said: str
) -> None:
    put(tmp_path, **changes)
    found, _, error = heard("run", "c.yaml", "--out", "out", "--quiet", cwd=tmp_path)
    assert (found, said in error) == (code, True), error


BARE = """
version: 1
report: {title: x}
task: finished
datasets: {d: {path: t.csv, id: set}}
models: {a: {column: a, role: baseline}, b: {column: b}}
"""


@pytest.mark.parametrize(
    ("keys", "said"),
    [
        ("metrics: [roc_auc]", "its table holds the score: write score: {title: roc_auc}"),
        ("score: roc_auc", "8:8: score needs a map of keys; write score: {title: roc_auc}"),
        (
            "score: {title: ROC AUC}\nprimary: {metric: roc_auc}",
            "primary.metric: the score of the table is called 'ROC AUC', not 'roc_auc'",
        ),
    ],
)
def test_a_score_that_is_named_like_a_metric_is_told_its_key(
    tmp_path: Path, keys: str, said: str
) -> None:
    (tmp_path / "c.yaml").write_text(BARE.lstrip() + "\n" * 2 + keys + "\n")
    code, _, told = heard("validate", "c.yaml", cwd=tmp_path)
    assert code == 2 and said in told and told.count("c.yaml:") == 1, told


def test_data_sets_of_one_cluster_count_as_one(tmp_path: Path) -> None:
    """Signed ranks over rows that hang together would call a winner the data cannot support."""
    rng = np.random.default_rng(3)
    base, shared = rng.uniform(0.6, 0.9, 24), np.repeat(rng.normal(0.01, 0.02, 8), 3)
    rows = [["dataset", "lab", "old", "new"]]
    rows += [
        [f"d{k}", f"L{k // 3}", f"{b:.3f}", f"{b + g + 0.001 * (k % 3):.3f}"]
        for k, (b, g) in enumerate(zip(base, shared, strict=True))
    ]
    with (tmp_path / "scores.csv").open("w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows(rows)
    config = tmp_path / "labs.yaml"
    written = {
        "version": 1,
        "report": {"title": "Labs"},
        "datasets": {"tables": {"path": "scores.csv", "id": "dataset", "cluster": "lab"}},
        "task": "finished",
        "score": {"title": "AUC", "better": "higher", "bounds": [0, 1]},
        "models": {"old": {"column": "old", "role": "baseline"}, "new": {"column": "new"}},
        "primary": {"metric": "AUC"},
        "outputs": ["json", "markdown"],
    }
    config.write_text(yaml.safe_dump(written), encoding="utf-8")
    assert call("run", config, "--out", tmp_path / "out", "--quiet", "--no-cache") == 0
    [across] = told(tmp_path / "out")["across"]
    assert across["datasets"] == [f"L{k}" for k in range(8)]
    values = np.array([[float(old), float(new)] for _, _, old, new in rows[1:]])
    means = values.reshape(8, 3, 2).mean(axis=1)
    from scipy import stats

    found = stats.wilcoxon(means[:, 1] - means[:, 0], method="exact")
    [compared] = across["comparisons"]  # type: ignore[misc]
    assert compared["p_value"] == pytest.approx(found.pvalue)  # type: ignore[index]
    page = (tmp_path / "out" / "report.md").read_text(encoding="utf-8")
    assert "Each of 8 clusters counts once, with the means of its datasets" in page
    assert "The comparison uses 8 clusters." in page
