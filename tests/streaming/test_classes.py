"""Several classes and labels that are streamed: the numbers of memory, of each class as well."""

import json

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from pyarrow import parquet

from reportgen.errors import ConfigError, DataError
from reportgen.streaming import run
from tests.streaming import configs
from tests.streaming.configs import results_of

N = 3_000
NAMES = ("ant", "bee", "cow")
ONE = """
version: 1
report: {title: Streamed}
task: multiclass
classes: {ant: Ant, bee: Bee, cow: Cow}
datasets: {test: {path: rows.parquet, id: id, target: y, MORE}}
models:
  old: {columns: "old_{class}", role: baseline}
  new: {columns: "new_{class}"}
  named: {column: called, scale: label}
metrics: [accuracy, balanced_accuracy, {name: f, average: micro, as: micro}, f, mcc, kappa,
          log_loss, brier, rps, top_k_accuracy, class_distance, {name: f, of: cow, as: cow}]
primary: {metric: f}
bootstrap: {replicates: 99, weights: poisson}
sensitivity: none
curves: []
compute: {engine: ENGINE}
outputs: [json]
"""
ANY = """
version: 1
report: {title: Streamed}
task: multilabel
classes: {ant: Ant, bee: Bee, cow: Cow}
datasets: {test: {path: rows.parquet, id: id, target: "has_{class}", MORE}}
models:
  old: {columns: "old_{class}", role: baseline}
  new: {columns: "new_{class}"}
thresholds: {some: {fixed: 0.4, by_class: {cow: 0.3}}}
metrics: [f, {name: f, average: micro, as: micro}, {name: f, average: samples, as: samples}, recall,
          {name: precision, average: weighted, as: weighted}, subset_accuracy, hamming_loss, lrap,
          coverage_error, ranking_loss, one_error, log_loss, brier]
primary: {metric: f}
bootstrap: {replicates: 99, weights: poisson}
sensitivity: none
curves: []
compute: {engine: ENGINE}
outputs: [json]
"""


def table():
    """Rows of classes of which one is rare; scores are rounded, so that many are tied."""
    draw = np.random.default_rng(4)
    code = draw.choice(3, N, p=[0.6, 0.38, 0.02])
    columns = {
        "id": np.arange(N),
        "y": np.array(NAMES)[code],
        "w": draw.gamma(2, 1, N),
        "shop": draw.integers(0, 90, N),
    }
    for model, gain in (("old", 0.9), ("new", 1.2)):
        z = draw.normal(0, 1, (N, 3))
        z[np.arange(N), code] += gain
        odds = np.exp(np.round(z, 1))
        for k, name in enumerate(NAMES):
            columns[f"{model}_{name}"] = odds[:, k] / odds.sum(axis=1)
    columns["called"] = np.array(NAMES)[draw.permutation(code)]
    for k, share in enumerate((0.5, 0.3, 0.05)):
        columns[f"has_{NAMES[k]}"] = ((draw.random(N) < share) | (code == k)).astype(int)
    return pa.table(columns)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    path = tmp_path_factory.mktemp("rows")
    parquet.write_table(table(), path / "rows.parquet", row_group_size=701)
    return path


def found(folder, config, engine, more="role: test", *changes):
    return results_of(configs.written(folder, config, engine, more, *changes))


def refuse_difference(stream, memory):
    """All estimates and comparisons are printed alike."""
    of_classes = [c for c in memory.classes if c.metric != "roc_auc"]
    assert [c.n for c in stream.classes] == [c.n for c in of_classes]
    for mine, other in zip(
        [*stream.estimates, *(e for c in stream.classes for e in c.estimates)],
        [*memory.estimates, *(e for c in of_classes for e in c.estimates)],
        strict=True,
    ):
        assert (mine.key, mine.model, mine.value) == (other.key, other.model, other.value)
        assert (mine.method, mine.n) == (other.method, other.n)
        if other.low is not None:
            assert (mine.low, mine.high) == pytest.approx((other.low, other.high), rel=1e-8)
    for mine, other in zip(stream.comparisons, memory.comparisons, strict=True):
        assert (mine.key, mine.difference, mine.units) == (other.key, other.difference, other.units)
        assert (mine.test, mine.method, mine.word) == (other.test, other.method, other.word)
        if other.p_value is not None:
            assert mine.p_value == pytest.approx(other.p_value, rel=1e-6)
        if other.low is not None:
            limits = [(c.low, c.high, c.se) for c in (mine, other)]
            assert limits[0] == pytest.approx(limits[1], rel=1e-8)
    assert stream.confusions == memory.confusions
    assert stream.label_confusions == memory.label_confusions
    told = [
        {
            (w.code, w.model, json.dumps(w.numbers, sort_keys=True))
            for w in each.warnings
            if w.code in ("W101", "W122", "W201", "W202", "W206", "W207")
        }
        for each in (stream, memory)
    ]
    assert told[0] == told[1]


@pytest.mark.parametrize("more", ["role: test", "weight: w"])
@pytest.mark.parametrize("config", [ONE, ANY])
def test_streamed_numbers_allow_for_what_few_rows_hide(tmp_path, config, more):
    few = table().to_pandas()
    few = pd.concat([few[few.y != "cow"][:300], few[few.y == "cow"][:6]])
    few["has_cow"] = (few.y == "cow").astype(int)
    for model, rows in (("new", few.new_cow > few.new_ant), ("old", few.y != "cow")):
        pair = [f"{model}_ant", f"{model}_cow"]  # never called, or where it is there alone
        least, most = few[pair].min(axis=1), few[pair].max(axis=1)
        few.loc[rows, pair] = np.stack([most, least], axis=1)[rows]
    parquet.write_table(pa.table(few), tmp_path / "rows.parquet", row_group_size=101)
    refuse_difference(*(found(tmp_path, config, engine, more) for engine in ("stream", "memory")))


@pytest.mark.parametrize("config", [ONE, ANY])
def test_row_groups_move_no_number_of_several_classes(folder, tmp_path, config):
    first = found(folder, config, "stream", "weight: w")
    parquet.write_table(table(), tmp_path / "rows.parquet", row_group_size=1_999)
    again = found(tmp_path, config, "stream", "weight: w")
    for name in (
        "estimates",
        "comparisons",
        "classes",
        "confusions",
        "confusion_differences",
        "label_confusions",
    ):
        assert getattr(again, name) == getattr(first, name), name


def test_clusters_that_hold_a_class_are_counted_as_in_memory(folder, tmp_path):
    rare = table().to_pandas()
    rare.loc[rare["y"] == "cow", "shop"] = 3
    parquet.write_table(pa.table(rare), tmp_path / "rows.parquet", row_group_size=701)
    told = [
        [
            w.numbers
            for w in found(tmp_path, ONE, engine, "cluster: shop").warnings
            if w.code == "W122"
        ]
        for engine in ("stream", "memory")
    ]
    assert told[0] == told[1] and len(told[0]) == 1


def test_probabilities_are_brought_to_one_in_every_row_group(folder, tmp_path):
    off = table().to_pandas()
    off.loc[[5, 2_000], "old_ant"] /= 2
    parquet.write_table(pa.table(off), tmp_path / "rows.parquet", row_group_size=701)
    with pytest.raises(DataError, match="probabilities of 'old' sum to"):
        found(tmp_path, ONE, "stream")
    change = ('columns: "old_{class}"', 'columns: "old_{class}", sums: normalise')
    each = [found(tmp_path, ONE, e, "role: test", change) for e in ("stream", "memory")]
    refuse_difference(*each)


@pytest.mark.parametrize(
    ("was", "now", "said"),
    [
        ("classes: {ant: Ant, bee: Bee, cow: Cow}\n", "", "classes are to be named under"),
        ("curves: []", "per_class: [f, roc_auc]", "per_class: 'roc_auc' is not a function of sums"),
    ],
)
def test_what_is_not_offered_of_several_classes_is_refused(tmp_path, was, now, said):
    with pytest.raises(ConfigError, match=said):
        found(tmp_path, ONE, "stream", "role: test", (was, now))  # where no rows are


def test_what_is_left_out_of_each_class_is_said(folder):
    (warning,) = [w for w in found(folder, ONE, "stream").warnings if w.code == "W251"]
    assert warning.numbers["of_classes"] == "roc_auc"


def test_memory_for_the_classes_of_each_cluster_is_asked_for(tmp_path, monkeypatch):
    parquet.write_table(table(), tmp_path / "rows.parquet", row_group_size=701)
    path = configs.written(
        tmp_path,
        ONE,
        "stream",
        "cluster: shop",
        ("engine: stream", "engine: stream, memory: 300MB"),
    )

    def least():
        with pytest.raises(ConfigError, match=r"compute.memory is 300MB") as refused:
            results_of(path)
        return float(str(refused.value).split("at least ")[1].split(" MB")[0].replace(",", ""))

    plain = least()
    monkeypatch.setattr(run, "KIND", 10**5)
    cells = table().to_pandas()[["shop", "y", "called"]].drop_duplicates()
    assert least() > plain + len(cells) * 0.1
