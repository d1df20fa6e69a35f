"""A class, and a label, of one row that both models get right: the others decide."""

from pathlib import Path

import pytest
from pyarrow import csv, parquet

from tests.end_to_end.wallet import call, results

pytestmark = pytest.mark.full
FIELD = Path(__file__).parents[1] / "data" / "field"
CONFIG = """
version: 1
report: {{title: One row}}
{asked}
bootstrap: {{replicates: 99, weights: poisson}}
sensitivity: none
curves: []
compute: {{engine: {engine}}}
outputs: [json]
"""
CLASSES = """
task: multiclass
classes: [A, B, C, D]
datasets: {w: {path: rare_class.parquet, id: id, target: y, role: test}}
models: {m1: {column: a, role: baseline}, m2: {column: b}}
metrics: [balanced_accuracy, precision, f]
primary: {metric: balanced_accuracy}
"""
LABELS = """
task: multilabel
classes: [a, b, c, rare]
datasets: {w: {path: rare_label.parquet, id: id, target: "y_{class}", role: test}}
models:
  m1: {columns: "p_{class}", scale: label, role: baseline}
  m2: {columns: "q_{class}", scale: label}
metrics: [f, recall, precision, jaccard]
primary: {metric: f}
"""


def found(folder: Path, asked: str, engine: str = "memory"):
    for name in ("rare_class.csv", "rare_label.csv"):
        table = csv.read_csv(FIELD / name)
        parquet.write_table(table, folder / f"{Path(name).stem}.parquet")
    config = folder / "config.yaml"
    config.write_text(CONFIG.format(asked=asked, engine=engine), encoding="utf-8")
    assert call("run", config, "--out", folder / "out", "--quiet", "--no-cache") == 0
    told = results(folder / "out")
    key = told["comparisons"][0]["key"]
    values = {e["model"]: e for e in told["estimates"] if e["key"] == key}
    return values, {c["key"]: c for c in told["comparisons"]}


def test_a_class_of_one_row_keeps_the_interval_within_what_it_can_move(tmp_path):
    values, apart = found(tmp_path, CLASSES)
    assert values["m1"]["value"] == pytest.approx(0.9155272, abs=1e-7)
    assert values["m2"]["value"] == pytest.approx(0.9894813, abs=1e-7)
    # One class of four moves the mean by at most a quarter; the others are nearly all right.
    assert values["m2"]["value"] - 0.25 < values["m2"]["low"] < 0.85
    assert values["m2"]["value"] < values["m2"]["high"] < 1
    for each in apart.values():
        assert 0.04 < each["low"] < each["high"] < 0.17
        assert each["word"] == "better"


@pytest.mark.parametrize("engine", ["memory", "stream"])
def test_a_label_that_both_get_right_decides_nothing(tmp_path, engine):
    values, apart = found(tmp_path, LABELS, engine)
    assert values["m1"]["value"] == pytest.approx(0.8119917, abs=1e-7)
    assert values["m2"]["value"] == pytest.approx(0.9349346, abs=1e-7)
    assert (apart["f"]["low"], apart["f"]["high"]) == pytest.approx((0.09, 0.16), abs=0.01)
    assert {each["word"] for each in apart.values()} == {"better"}
