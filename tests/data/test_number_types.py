"""A column gives the same answer in every type of number: that of its decimals as text."""

from dataclasses import asdict
from decimal import Decimal
from pathlib import Path
from shutil import copy

import numpy as np
import pyarrow as pa
import pytest
import yaml
from pyarrow import parquet

import reportgen
from reportgen.data.arrow import convert_floats
from tests.streaming.configs import results_of

FIELD = Path(__file__).parent / "field"
ROWS = 120
TENTHS = [k / 10 for k in range(11)]
TYPES = {
    "float16": pa.float16(),
    "float32": pa.float32(),
    "float64": pa.float64(),
    "decimal": pa.decimal128(5, 2),
    "integer": pa.int16(),
}

BINARY = """
task: binary
datasets:
  test:
    {path: FILE, id: id, target: t, positive: {above: 0.4}, filter: v != 0.9 and u >= 0.2,
     segments: [{column: v, bins: [0, 0.3, 0.7, 1]}, whole], weight: w, missing: error}
  fit: {path: FILE, id: id, target: t, positive: {above: 0.4}, filter: v == 0.9 or u < 0.2,
    role: fit}
models: {a: {column: a, role: baseline}, b: {column: b}}
metrics:
  - {name: recall, threshold: 0.7}
  - {name: f, threshold: 0.3}
  - {name: net_benefit, threshold: 0.6}
  - {name: capture, share: 0.3}
  - {name: misclassification_cost, threshold: 0.7, fp: 1, fn: 3}
  - {name: partial_auc, low: 0.1, high: 0.7}
thresholds:
  own: {fixed: 0.7, by_model: {b: 0.6}}
  learnt: {reach: {recall: 0.7}}
  cheapest: {cost: true}
costs: {fp: 7, fn: 3}
primary: {metric: f}
sensitivity: {also: [{name: many, filter: "0.3 <= v < 0.7 or v in [0.8]"}]}
"""
REGRESSION = """
task: regression
datasets: {test: {path: FILE, id: id, target: t, filter: not (v < 0.3 or v == 0.6),
  segments: [{column: u, bins: [0, 0.1, 0.7, 1]}], weight: w}}
models: {a: {column: a, role: baseline}, b: {column: b}}
metrics: [mae, {name: cutoff_auc, above: 0.3}, {name: ranking_first, quantile: 0.3}]
costs: {under: {column: u}, over: 0.3, asymmetries: []}
sensitivity: none
"""
FINISHED = """
task: finished
datasets: {test: {path: FILE, id: id, filter: v >= 0.9}}
score: {bounds: [0.1, 0.9]}
models: {a: {column: c, role: baseline}, b: {column: d}}
sensitivity: none
"""
RANKING = """
task: ranking
datasets: {test: {path: FILE, query: query, id: id, target: t, filter: v >= 0.1}}
models: {a: {column: a, role: baseline}, b: {column: b}}
metrics: [{name: precision_at, k: 3, relevant: 0.7}, {name: ap, relevant: 0.3}]
sensitivity: none
"""
COMMON = """
version: 1
report: {title: Numbers}
bootstrap: {replicates: 99}
curves: []
outputs: [json]
"""


def draw_columns():
    """Columns in tenths, by name, and one of whole numbers."""
    rng = np.random.default_rng(7)
    happened = rng.choice(TENTHS, ROWS)
    noise = rng.integers(-3, 4, (2, ROWS)) / 10
    scores = np.round(np.clip(happened + noise, 0, 1), 1)
    columns = {"t": happened, "a": scores[0], "b": scores[1]}
    columns["c"], columns["d"] = np.clip(scores, 0.1, 0.9)
    columns |= {"v": rng.choice(TENTHS, ROWS), "u": rng.choice(TENTHS, ROWS)}
    columns |= {"w": np.full(ROWS, 0.7), "whole": rng.integers(1, 4, ROWS)}
    return {name: [f"{value:.1f}" for value in values] for name, values in columns.items()}


def write_table(folder, columns, kind):
    """Write columns of decimals as numbers of a type, or as text; return the name of the file."""
    names = {"id": [f"{k:03d}" for k in range(ROWS)], "query": [f"q{k % 8}" for k in range(ROWS)]}
    if kind == "text":
        lines = zip(*names.values(), *columns.values(), strict=True)
        text = "\n".join(",".join(line) for line in [(*names, *columns), *lines])
        (folder / "text.csv").write_text(text + "\n", encoding="utf-8")
        return "text.csv"
    numbers = {name: convert_type(texts, TYPES[kind]) for name, texts in columns.items()}
    parquet.write_table(pa.table({**names, **numbers}), folder / f"{kind}.parquet")
    return f"{kind}.parquet"


def convert_type(texts, kind):
    """An array of a type; a type of whole numbers is for those alone."""
    if pa.types.is_decimal(kind):
        return pa.array([Decimal(text) for text in texts], kind)
    if pa.types.is_integer(kind):
        whole = all(float(text).is_integer() for text in texts)
        return pa.array(list(map(float, texts))).cast(kind if whole else pa.float32())
    return pa.array(np.array(texts, dtype=kind.to_pandas_dtype()))


def find_numbers(folder, config, file, engine="memory"):
    """All that is printed of the rows of a file: without the names and digests of files."""
    keys = yaml.safe_load(COMMON + config.replace("FILE", file))
    path = folder / "config.yaml"
    path.write_text(yaml.safe_dump({**keys, "compute": {"engine": engine}}), encoding="utf-8")
    found = asdict(results_of(path))
    for dataset in found["datasets"]:
        del dataset["inputs"]
    for key in ("meta", "run", "provenance", "manifest", "config", "digests"):
        found.pop(key, None)
    return found


@pytest.mark.parametrize("config", [BINARY, REGRESSION, FINISHED, RANKING])
def test_every_type_gives_the_answer_of_the_decimals(tmp_path, config):
    columns = draw_columns()
    expected = find_numbers(tmp_path, config, write_table(tmp_path, columns, "text"))
    for kind in TYPES:
        found = find_numbers(tmp_path, config, write_table(tmp_path, columns, kind))
        differing = [key for key in expected if found[key] != expected[key]]
        assert not differing, (kind, differing)


@pytest.mark.parametrize("kind", ["float16", "float32", "decimal"])
def test_streamed_rows_give_the_answer_of_doubles(tmp_path, kind):
    columns = draw_columns()
    config = """
task: binary
datasets: {test: {path: FILE, id: id, target: y, filter: v != 0.9 and u >= 0.2}}
models: {a: {column: a, role: baseline}, b: {column: b}}
metrics: [{name: recall, threshold: 0.7}, {name: f, threshold: 0.3}]
bootstrap: {replicates: 99, weights: poisson}
sensitivity: none
"""
    columns["y"] = [str(int(float(text) > 0.4)) for text in columns["t"]]
    numbers = [
        find_numbers(tmp_path, config, write_table(tmp_path, columns, each), "stream")
        for each in ("float64", kind)
    ]
    assert numbers[0]["estimates"] == numbers[1]["estimates"]
    assert numbers[0]["comparisons"] == numbers[1]["comparisons"]


def test_a_threshold_finds_scores_of_single_precision(tmp_path):
    values = {}
    for name in ("f32.csv", "f32.parquet"):
        copy(FIELD / name, tmp_path)
        config = """
task: binary
datasets: {w: {path: FILE, id: id, target: y}}
models: {a: {column: a, role: baseline}, b: {column: b}}
metrics: [{name: recall, threshold: 0.7}, {name: precision, threshold: 0.7}]
"""
        found = find_numbers(tmp_path, config, name)
        values[name] = [each["value"] for each in found["estimates"]]
    assert values["f32.csv"] == values["f32.parquet"]
    assert values["f32.csv"][:4] == pytest.approx([0.5, 0.8142857, 0.3846154, 0.7402597])


def test_a_filter_finds_values_of_single_precision(tmp_path):
    copy(FIELD / "v32.parquet", tmp_path)
    config = """
task: binary
datasets: {w: {path: FILE, id: id, target: y, filter: "v == 0.7"}}
models: {a: {column: a, role: baseline}, b: {column: b}}
metrics: [brier]
"""
    found = find_numbers(tmp_path, config, "v32.parquet")
    assert found["datasets"][0]["n"] == 40
    brier = [each["value"] for each in found["estimates"]]
    assert brier == pytest.approx([0.3291139, 0.1031013], abs=1e-7)


def test_numbers_are_those_that_are_printed():
    bits = np.random.default_rng(3).integers(0, 2**32, 20_000, dtype=np.uint32)
    single = bits.view(np.float32)
    half = np.arange(2**16, dtype=np.uint16).view(np.float16)
    for values in (single[np.isfinite(single)], half[np.isfinite(half)]):
        expected = [float(str(value)) for value in values]
        assert convert_floats(pa.array(values)).tolist() == expected
    decimals = [Decimal(k).scaleb(-k % 7) for k in range(2_000)]
    expected = [float(str(each)) for each in decimals]
    assert convert_floats(pa.array(decimals)).tolist() == expected


def test_missing_values_stay_missing():
    for kind in (pa.float16(), pa.float32(), pa.decimal128(5, 2)):
        values = pa.array([None, 1, None]).cast(pa.float64()).cast(kind)
        assert np.isnan(convert_floats(values)).tolist() == [True, False, True]
        assert np.isnan(convert_floats(pa.chunked_array([values]))).tolist() == [True, False, True]


@pytest.mark.parametrize("precision", [np.float16, np.float32, np.float64])
def test_functions_of_arrays_compare_decimals(precision):
    y, score = np.array([0, 1, 1, 0]), np.array([0.7, 0.7, 0.6, 0.1], precision)
    assert reportgen.metrics.recall(y, score, threshold=0.7) == 0.5
    assert reportgen.metrics.precision(y, score, threshold=0.7) == 0.5
