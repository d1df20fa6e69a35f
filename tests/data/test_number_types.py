"""A column gives the same answer in every type of number: that of its decimals as text."""

from dataclasses import asdict
from decimal import Decimal
from pathlib import Path
from shutil import copy
from typing import Annotated, Literal, get_args, get_origin

import numpy as np
import pyarrow as pa
import pytest
import yaml
from pyarrow import parquet

import reportgen
from reportgen.config.loading import read_config
from reportgen.config.schema.config import Config
from reportgen.config.schema.fields import MarginKeys, StrictModel
from reportgen.data.arrow import convert_floats
from reportgen.planning.loading import build_vocabulary
from tests.streaming.configs import results_of

FIELD = Path(__file__).parent / "field"
nightly = pytest.mark.full
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
sensitivity:
  also: [{name: many, filter: "0.3 <= v < 0.7 or v in [0.8]"}, {name: wider, margin: 0.1}]
"""
REGRESSION = """
task: regression
datasets: {test: {path: FILE, id: id, target: t, filter: not (v < 0.3 or v == 0.6),
  segments: [{column: u, bins: [0, 0.1, 0.7, 1]}], weight: w}}
models: {a: {column: a, role: baseline}, b: {column: b}}
metrics: [mae, {name: cutoff_auc, above: 0.3}, {name: ranking_first, quantile: 0.3}]
references: [auto, {name: people, value: 0.3}]
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
SCORED = """
task: scored
datasets: {test: {path: FILE, id: item, model: way}}
scores: {c: {bounds: [0.1, 0.9], from: 0.4}, d: {}}
models: {a: {role: baseline}, b: {}}
metrics: [c, d, pass@1, {name: pass_all, of: d, k: 1, least: 0.3}]
sensitivity: none
"""
RANKING = """
task: ranking
datasets: {test: {path: FILE, query: query, id: id, target: t, filter: v >= 0.1}}
models: {a: {column: a, role: baseline}, b: {column: b}}
metrics: [{name: precision_at, k: 3, relevant: 0.7}, {name: ap, relevant: 0.3}]
sensitivity: none
"""
POINTS = """
task: binary
datasets:
  test: {path: FILE, id: id, target: t, positive: {quantile: 0.6}, sample: {n: 100, seed: 3},
    looks: 3}
models: {a: {column: a, role: baseline}, b: {column: b}}
metrics:
  - {name: f, threshold: 0.3, beta: 0.7}
  - {name: log_loss, clip: 0.1}
  - {name: ece, bins: 10}
  - {name: decayed_auc, half_life: 0.3}
  - {name: decayed_average_precision, decay: 0.3}
  - {name: h_measure, severity: ratio, ratio: 0.7}
  - {name: precision_at, recall: 0.7}
  - {name: recall_at, fpr: 0.3}
  - {name: lift, k: 30}
  - {name: capture, budget: 30, cost: 0.7}
  - {name: ranking_first, buckets: 5}
  - {name: misclassification_cost, threshold: 0.7, fp: 0.7, fn: 0.3, tp: 0.1, tn: 0.2}
thresholds:
  share: {share: 0.3}
  few: {k: 20}
  paid: {budget: 7, cost: 0.7}
costs: {fp: 0.7, fn: 0.3, tp: 0.1, tn: 0.2}
primary: {metric: f, margin: 0.1}
gates:
  - {name: level, rule: above, metric: f, model: b, value: 0.7}
  - {name: loss, rule: non_inferior, metric: f, model: b, margin: 10%}
  - {name: gain, rule: no_regression, metric: f, model: b, margin: 0.1}
sensitivity: none
curves: [{name: reliability_bins, bins: 10}]
"""
MOVED = """
task: binary
datasets: {test: {path: FILE, id: id, target: t, positive: {above: 0.4}}}
models: {a: {column: a, role: baseline}, b: {column: b}}
metrics: [brier, {name: recall, threshold: 0.7}, log_loss]
prevalence: {target: 0.1, trained_at: 0.3}
sensitivity: none
"""
AMOUNTS = """
task: regression
datasets:
  test: {path: FILE, id: id, target: t, time: whole, filter: v < 0.3 or v >= 0.6}
  fit: {path: FILE, id: id, target: t, role: fit, filter: 0.3 <= v < 0.6}
models: {a: {column: a, role: baseline}, b: {column: b, transform: {times: 0.7}}}
references: [auto, {name: seasonal, lag: 3}]
metrics:
  - mae
  - {name: deviance, power: 1.5}
  - {name: mean_cost, a: 0.3, b: 0.7}
  - {name: pinball, alpha: 0.7}
  - {name: expected_cost, under: 0.7, over: 0.3}
  - {name: topk_capture, share: 0.3}
  - {name: ranking_first, buckets: 10, quantile: 0.3}
buckets: [5, 10]
costs: {asymmetries: [0.2, 0.8], under: 0.7, over: 0.3, hybrid: {over: 0.3}, degree: 1}
bootstrap: {replicates: 99, seed: 2, level: 0.9, block: 5}
sensitivity: none
curves: [{name: ranking, buckets: 5, quantile: 0.3}, {name: auc_by_cutoff, bins: 10}, cost]
"""
EXPONENTIAL = """
task: regression
datasets: {test: {path: FILE, id: id, target: t}}
models: {a: {columns: {mean: a, sd: s}, role: baseline}, b: {columns: {mean: b, sd: s}}}
metrics: [mae, {name: interval_score, level: 0.9}, {name: expected_cost, loss: linexp, c: 0.3}]
costs: {loss: linexp, c: [0.3, -0.7], hybrid: {bias: 0.1}}
sensitivity: none
curves: [{name: cost, loss: linexp, c: 0.3}]
"""
CLASSES = """
task: multiclass
datasets: {test: {path: FILE, id: id, target: kind, filter: v >= 0.1}}
models: {a: {columns: "p_{class}", role: baseline}, b: {columns: "q_{class}"}}
metrics: [f, {name: top_k_accuracy, k: 2}, {name: log_loss, clip: 0.1}, {name: ece, bins: 10}]
costs: {matrix: {x: {y: 0.7, other: 0.3}, y: {other: 0.1}, z: {x: 0.2}}}
prevalence: {target: {x: 0.3, y: 0.3, z: 0.4}, trained_at: {x: 0.2, y: 0.2, z: 0.6}}
sensitivity: none
"""
LABELS = """
task: multilabel
datasets: {test: {path: FILE, id: id, target: "y_{class}", filter: v >= 0.1}}
classes: [x, y, z]
models: {a: {columns: "p_{class}", role: baseline}, b: {columns: "q_{class}"}}
metrics: [{name: f, beta: 0.7}, {name: log_loss, clip: 0.1}]
thresholds: {own: {fixed: 0.4, by_class: {x: 0.3, y: 0.6}}, other: {fixed: 0.3, by_model: {b: 0.4}}}
sensitivity: none
"""
FOLDS = """
task: binary
datasets: {test: {path: FILE, id: id, target: t, positive: {above: 0.4}, fold: kind}}
models: {a: {column: a, role: baseline}, b: {column: b}}
metrics: [brier, {name: recall, threshold: 0.7}]
folds: {train_share: 0.7}
sensitivity: none
"""
ACROSS = """
task: binary
datasets:
  one: {path: FILE, id: id, target: t, positive: {above: 0.4}, filter: v < 0.3}
  two: {path: FILE, id: id, target: t, positive: {above: 0.4}, filter: 0.3 <= v < 0.7}
  three: {path: FILE, id: id, target: t, positive: {above: 0.4}, filter: v >= 0.7}
models: {a: {column: a, role: baseline}, b: {column: b}}
metrics: [brier]
primary: {metric: brier}
across: {rope: 0.1}
sensitivity: none
"""
LISTS = """
task: ranking
datasets: {test: {path: FILE, query: query, id: id, target: t}}
models: {a: {column: a, role: baseline}, b: {column: b}}
ranking: {relevant: 0.7, depth: 10, top_grade: 1, grade_weights: {"0.3": 0.4, "0.7": 0.6}}
metrics:
  - {name: ndcg, k: 5, base: 3}
  - {name: rbp, p: 0.7}
  - {name: err, top: 2}
  - {name: iprec, recall: 0.3}
  - {name: rr, relevant: 0.3}
  - {name: query_auc, decay: 0.3}
  - gap
primary: {metric: ndcg}
gates: [{name: few, rule: few_harmed, metric: ndcg, model: b, drop: 0.1, value: 0.7}]
sensitivity: none
curves:
  - {name: recall_at_k, k: 10, relevant: 0.7}
  - {name: ndcg_at_k, k: 10, base: 3}
  - {name: f_at_k, k: 10, beta: 0.7}
  - {name: interpolated_precision, levels: 11}
"""
COMMON = """
version: 1
report: {title: Numbers}
bootstrap: {replicates: 99}
curves: []
outputs: [json]
"""
CONFIGS = {
    "binary": BINARY,
    "regression": REGRESSION,
    "finished": FINISHED,
    "scored": SCORED,
    "ranking": RANKING,
    "points": POINTS,
    "moved": MOVED,
    "amounts": AMOUNTS,
    "exponential": EXPONENTIAL,
    "classes": CLASSES,
    "labels": LABELS,
    "folds": FOLDS,
    "across": ACROSS,
    "lists": LISTS,
}


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
    columns["s"] = rng.choice(TENTHS[1:], ROWS)
    for name in "pq":
        first = rng.integers(1, 6, ROWS)
        shares = np.stack([first, 9 - first - (first > 3), 1 + (first > 3)]) / 10
        shares = rng.permuted(shares, axis=0)
        columns |= {f"{name}_{label}": each for label, each in zip("xyz", shares, strict=True)}
    for label in "xyz":
        columns[f"y_{label}"] = rng.integers(0, 2, ROWS)
    return {name: [f"{value:.1f}" for value in values] for name, values in columns.items()}


def write_table(folder, columns, kind):
    """Write columns of decimals as numbers of a type, or as text; return the name of the file."""
    names = {"id": [f"{k:03d}" for k in range(ROWS)], "query": [f"q{k % 8}" for k in range(ROWS)]}
    names["item"] = [f"i{k // 2}" for k in range(ROWS)]
    names["way"] = ["ab"[k % 2] for k in range(ROWS)]
    names["kind"] = ["xyz"[k * 7 % 11 % 3] for k in range(ROWS)]
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
    keys = {**yaml.safe_load(COMMON), **yaml.safe_load(config.replace("FILE", file))}
    path = folder / "config.yaml"
    path.write_text(yaml.safe_dump({**keys, "compute": {"engine": engine}}), encoding="utf-8")
    found = asdict(results_of(path))
    for dataset in found["datasets"]:
        del dataset["inputs"]
    for key in ("meta", "run", "provenance", "manifest", "config", "digests"):
        found.pop(key, None)
    return found


NO_VALUES = {
    "Dataset.skip_rows": "counts lines of a file",
    "Scores.skip_rows": "counts lines of a file",
    "Dataset.max_unpacked": "gigabytes of a file",
    "Scores.max_unpacked": "gigabytes of a file",
    "RankingKeys.grades": "numbers in place of labels, which are text",
    "PrivacyKeys.min_segment": "counts rows",
    "PrivacyKeys.min_cell": "counts rows",
    "NotWorseThanPrevious.margin": "compares two runs, of which each has its cases",
    "InferenceKeys.largest_difference": "bounds differences, of which no column has one",
    "GapBelow.value": "is compared with a gap between segments",
    "GapNoWider.margin": "is compared with a gap between segments",
    "metric season": "counts the times of a season",
    "metric degree": "the degree of a polynomial, which `Costs.degree` shows",
}
"""Numbers of the language that are compared with no value of a column, and why."""


def list_numbers(model, seen):
    """List each key of a model of the config, and of models inside, that takes a number."""
    if model in seen:
        return
    seen.add(model)
    for name, field in model.model_fields.items():
        kinds = set(list_kinds(field.annotation))
        if kinds & {int, float} or MarginKeys in kinds:
            yield f"{model.__name__}.{name}"
        for kind in kinds - {MarginKeys}:
            if isinstance(kind, type) and issubclass(kind, StrictModel):
                yield from list_numbers(kind, seen)


def list_kinds(annotation):
    """List each type that an annotation names."""
    if get_origin(annotation) is Annotated:
        yield from list_kinds(get_args(annotation)[0])
    elif get_origin(annotation) is Literal:
        yield str
    elif inner := get_args(annotation):
        for each in inner:
            yield from list_kinds(each)
    else:
        yield annotation


def list_written(model, numbers):
    """List each key that takes a number, of those that a config sets."""
    for name in model.model_fields_set:
        value = getattr(model, name)
        if f"{type(model).__name__}.{name}" in numbers and has_number(value):
            yield f"{type(model).__name__}.{name}"
        yield from (key for each in list_models(value) for key in list_written(each, numbers))


def list_models(value):
    """List each model in a value of a config."""
    if isinstance(value, StrictModel):
        return [value]
    inner = value.values() if isinstance(value, dict) else value
    return [m for each in inner for m in list_models(each)] if is_many(value) else []


def is_many(value):
    return isinstance(value, dict | tuple | list)


def has_number(value):
    """Tell whether a value is a number, or holds one."""
    if is_many(value):
        return any(map(has_number, value.values() if isinstance(value, dict) else value))
    return isinstance(value, MarginKeys | int | float) and not isinstance(value, bool)


def test_every_number_of_the_language_has_a_case_or_a_reason(tmp_path):
    vocabulary, known = build_vocabulary(), set(list_numbers(Config, set()))
    words = {"metric": [*vocabulary.metrics.values()], "curve": [*vocabulary.curves.values()]}
    words["metric"] += [word for each in vocabulary.homonyms.values() for word in each.values()]
    named = {
        f"{what} {name}"
        for what, listed in words.items()
        for word in listed
        for name, parameter in word.parameters.items()
        if parameter.kind in ("number", "integer")
    }
    written = set()
    for text in CONFIGS.values():
        keys = {**yaml.safe_load(COMMON), **yaml.safe_load(text)}
        path = tmp_path / "config.yaml"
        path.write_text(yaml.safe_dump(keys), encoding="utf-8")
        written |= set(list_written(read_config(path, vocabulary, environ={}).config, known))
        for what, listed in (("metric", keys.get("metrics", [])), ("curve", keys["curves"])):
            uses = [each for each in listed if isinstance(each, dict)]
            written |= {f"{what} {name}" for use in uses for name in use} & named
    assert len(known) > 50 and len(named) > 40
    assert known | named == written | set(NO_VALUES)
    assert not written & set(NO_VALUES)


@pytest.mark.parametrize(
    "config",
    [
        pytest.param(name, marks=() if name in ("binary", "finished", "ranking") else nightly)
        for name in CONFIGS
    ],
)
def test_every_type_gives_the_answer_of_the_decimals(tmp_path, config):
    columns = draw_columns()
    text = CONFIGS[config]
    expected = find_numbers(tmp_path, text, write_table(tmp_path, columns, "text"))
    for kind in TYPES:
        found = find_numbers(tmp_path, text, write_table(tmp_path, columns, kind))
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
