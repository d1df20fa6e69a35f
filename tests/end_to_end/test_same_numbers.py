"""The numbers do not depend on the files' shape, and are those of other libraries."""

import random
from pathlib import Path

import numpy as np
import pytest
from scipy import stats
from sklearn import metrics as reference

from benchmarks.plans import make_plan
from reportgen.analysis.dataset_analysis import DatasetAnalysis, draw_replicates
from reportgen.analysis.plan import ModelScores, PlannedMetric
from reportgen.inference.resampling.design import Design
from reportgen.kernels.batch import BATCH_SIZE, Batch, Vector
from reportgen.metrics import METRICS
from reportgen.metrics.rows import Amounts
from reportgen.report.archive import load_results
from reportgen.results.types import round_number
from tests.end_to_end.wallet import call, customers, dataset, put, put_config, results, write_rows

FIVE = ("kendall", "spearman", "mae", "rmse", "regression_auc")
MODELS = {
    "clv": "score_clv_bgnbd_gg",
    "boosted": "score_gbm_time",
    "last91": "score_last91",
}


def columns(count: int = 400) -> tuple[Vector, dict[str, Vector]]:
    rows = customers(count)
    y = np.array([float(row["y_spend_hold"]) for row in rows])
    return y, {m: np.array([float(row[c]) for row in rows]) for m, c in MODELS.items()}


@pytest.mark.full
def test_a_wide_table_and_shuffled_files_of_labels_and_scores_give_the_same_digits(
    tmp_path: Path,
) -> None:
    metrics = list(FIVE)
    assert call("run", put(tmp_path, metrics=metrics, curves=None), "--out", "wide", "--quiet") == 0
    rows = customers()
    shuffle = random.Random(7).sample
    named = {"clv": "score_clv_bgnbd_gg", "boosted": "score_gbm_time", "rfm": "score_rfm"}
    kept = ("customer_id", "segment", "y_spend_hold")
    labels = [{key: row[key] for key in kept} for row in shuffle(rows, len(rows))]
    write_rows(tmp_path / "labels.csv", labels)
    models = {}
    for name, column in named.items():
        scores = [{"who": r["customer_id"], "score": r[column]} for r in shuffle(rows, len(rows))]
        write_rows(tmp_path / f"{name}.csv", scores)
        models[name] = {
            "scores": {"path": f"{name}.csv", "id": "who", "column": "score"},
            "scale": "rank" if name == "rfm" else "amount",
            "role": "baseline" if name == "clv" else "candidate",
            "label": {"clv": "CLV", "boosted": "Boosted", "rfm": "RFM"}[name],
        }
    split = dataset(path=None, labels={"path": "labels.csv"})
    config = put_config(tmp_path, metrics=metrics, datasets=split, models=models, curves=None)
    assert call("run", config, "--out", "split", "--quiet", "--no-cache") == 0
    one, other = results(tmp_path / "wide"), results(tmp_path / "split")
    for gate in (*one["gates"], *other["gates"]):
        assert gate.pop("line"), "each is written in its own config"
    for part in ("estimates", "comparisons", "curves", "gates"):
        assert one[part]
        assert one[part] == other[part]


def expected(metric: str, y: Vector, score: Vector) -> float:
    if metric == "kendall":
        return float(stats.kendalltau(y, score).statistic)
    if metric == "spearman":
        return float(stats.spearmanr(y, score).statistic)
    if metric == "mae":
        return float(reference.mean_absolute_error(y, score))
    if metric == "rmse":
        return float(reference.root_mean_squared_error(y, score))
    # Somers' D of the score given y counts the pairs that differ in y, ties in the score as half.
    return (1 + float(stats.somersd(y, score).statistic)) / 2


@pytest.mark.parametrize("metric", FIVE)
def test_a_metric_is_that_of_scipy_and_scikit_learn(metric: str) -> None:
    y, scores = columns()
    for score in scores.values():
        value = (
            METRICS[metric].use().bind(Amounts(y, score))(Batch.from_weights(np.ones(len(y))))[0]
        )
        assert value == pytest.approx(expected(metric, y, score), rel=1e-12, abs=1e-12)


def test_results_json_holds_those_values_rounded_to_ten_digits(tmp_path: Path) -> None:
    config = put(tmp_path, customers(400), metrics=list(FIVE), gates=None)
    assert call("run", config, "--out", "out", "--quiet") == 0
    y, scores = columns()
    found = {
        (e["model"], e["metric"]): e["value"]
        for e in results(tmp_path / "out")["estimates"]
        if e["segment"] is None
    }
    for model in ("clv", "boosted"):
        for metric in FIVE:
            meant = round_number(expected(metric, y, scores[model]))
            assert found[model, metric] == pytest.approx(meant, rel=2e-10)
            assert found[model, metric] == round_number(found[model, metric])  # type: ignore[arg-type]


def asked(weight: Vector | None, unit: np.ndarray | None = None) -> DatasetAnalysis:
    y, scores = columns(150)
    design = Design("holdout", len(y), 70, 20261121, weight=weight, unit=unit)
    question = make_plan(
        dataset="holdout",
        unit="USD",
        models=tuple(ModelScores(m, m, Amounts(y, s)) for m, s in scores.items()),
        pairs=(("boosted", "clv"),),
        metrics=tuple(PlannedMetric(name, METRICS[name].use()) for name in FIVE),
        design=design,
        adjust="holm",
    )
    return draw_replicates(question)


@pytest.mark.parametrize("metric", FIVE)
@pytest.mark.parametrize("case", ["rows", "weights", "clusters"])
def test_a_replicate_is_the_metric_of_the_expanded_resample(metric: str, case: str) -> None:
    rows = customers(150)
    weight = np.array([float(row["weight"]) for row in rows]) if case == "weights" else None
    codes = np.unique([row["n_orders"] for row in rows], return_inverse=True)[1]
    found = asked(weight, codes if case == "clusters" else None)
    y, scores = columns(150)
    for model, score in scores.items():
        replicates = found.replicates[None, (metric, model)]
        for r in (0, 1, 63, 64, 69):  # of the first batch and of the second
            batch = found.plan.sampling.design.batch(r // BATCH_SIZE)
            times = batch.weights[:, r % BATCH_SIZE].astype(int)
            meant = expected(metric, np.repeat(y, times), np.repeat(score, times))
            assert replicates[r] == pytest.approx(meant, rel=1e-12, abs=1e-12)


def test_only_a_config_that_shows_ids_names_rows_that_matter(tmp_path: Path) -> None:
    ids = {row["customer_id"] for row in customers()}
    for is_shown in (False, True):
        report = {"title": "Wallet", "length": "full", "show_ids": is_shown}
        config = put(tmp_path, report=report, outputs=["json", "markdown"])
        assert call("run", config, "--out", "out", "--quiet") == 0
        found = load_results(tmp_path / "out" / "results.json").sensitivity
        assert found.influence and found.deletions and found.ranks and found.tails
        assert {row.row is not None and row.row.id in ids for row in found.influence} == {is_shown}
        sets = [each for deletion in found.deletions for each in deletion.sets]
        assert {each.ids is not None and set(each.ids) <= ids for each in sets} == {is_shown}
        assert ("; row " in (tmp_path / "out" / "report.md").read_text()) == is_shown
