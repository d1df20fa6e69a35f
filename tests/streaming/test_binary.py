"""Two classes that are streamed: counted metrics at thresholds and losses of probabilities."""

import json

import numpy as np
import pyarrow as pa
import pytest
from pyarrow import parquet

from reportgen.errors import ConfigError
from reportgen.notebook.report import run
from tests.streaming import configs
from tests.streaming.configs import results_of

N = 6_000
CONFIG = """
version: 1
report: {title: Streamed}
task: binary
datasets: {test: {path: rows.parquet, id: id, target: y, MORE}}
models:
  old: {column: old, scale: probability, role: baseline}
  new: {column: new, scale: probability}
metrics: [accuracy, {name: recall, threshold: 0.3}, precision, {name: f, at: strict}, mcc, log_loss,
          brier, brier_skill, log_loss_skill, calibration_bias, {name: specificity, at: strict}]
primary: {metric: log_loss}
thresholds: {strict: {fixed: 0.4}, cheapest: {cost: true}}
costs: {fp: 10, fn: 200}
bootstrap: {replicates: 99, weights: poisson}
sensitivity: none
curves: []
compute: {engine: ENGINE}
outputs: [json]
gates: [{name: lower, rule: better, metric: log_loss, model: new}]
"""


def table():
    """Rows of which one in four is of the upper class; the first row group has none."""
    draw = np.random.default_rng(7)
    z = draw.normal(-1.2, 1, N)
    z[:700] = -4
    y = (draw.random(N) < 1 / (1 + np.exp(-1.3 * z))) & (np.arange(N) >= 700)
    noise = draw.normal(0, 0.8, N)
    return pa.table(
        {
            "id": np.arange(N),
            "y": y.astype(int),
            "old": 1 / (1 + np.exp(-z - noise)),
            "new": 1 / (1 + np.exp(-1.2 * z)),
            "w": draw.integers(0, 4, N).astype(float),
            "shop": draw.integers(0, 60, N),
            "word": np.where(y, "left", "stayed"),
        }
    )


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    path = tmp_path_factory.mktemp("rows")
    parquet.write_table(table(), path / "rows.parquet", row_group_size=701)
    return path


def written(folder, engine, more="role: test", *changes):
    return configs.written(folder, CONFIG, engine, more, *changes)


def found(folder, engine, more="role: test", *changes):
    return results_of(written(folder, engine, more, *changes))


def test_two_words_that_are_declared_are_classes_in_every_row_group(folder):
    changes = [
        ("target: y", "target: word, positive: left"),
        ("primary:", "classes: {left: Left, stayed: Stayed}\nprimary:"),
    ]
    stream, memory = (found(folder, e, "role: test", *changes) for e in ("stream", "memory"))
    assert stream.datasets[0].classes == memory.datasets[0].classes
    values = [[e.value for e in each.estimates] for each in (stream, memory)]
    assert values[0] == pytest.approx(values[1], rel=1e-9)


def test_few_scores_and_few_of_a_class_are_told_of(folder, tmp_path):
    table = parquet.read_table(folder / "rows.parquet").to_pandas()
    table["y"] = (table.index % 300 == 7).astype(int)
    table["old"] = np.arange(N) % 7 / 7
    parquet.write_table(pa.table(table), tmp_path / "rows.parquet", row_group_size=1_000)
    told = [
        {
            (w.code, w.model, w.key, json.dumps(w.numbers))
            for w in found(tmp_path, engine).warnings
            if w.code in ("W101", "W118")
        }
        for engine in ("stream", "memory")
    ]
    assert told[0] == told[1]
    assert {each[0] for each in told[0]} == {"W101", "W118"}


def test_the_report_of_streamed_classes_is_made(folder, tmp_path):
    outputs = ("outputs: [json]", "outputs: [json, html, markdown]")
    run(written(folder, "stream", "role: test", outputs), out=tmp_path, use_cache=False)
    text = (tmp_path / "report.md").read_text(encoding="utf-8")
    assert "Rows were streamed" in text and "strict" in text


@pytest.mark.parametrize(
    ("was", "now", "said"),
    [
        ("fixed: 0.4", "share: 0.1", "thresholds.strict, which is not fixed, is not offered"),
        ("target: y", "target: word, positive: left", "positive without `classes:`"),
    ],
)
def test_what_is_not_offered_of_classes_is_refused_before_rows_are_read(tmp_path, was, now, said):
    path = written(tmp_path, "stream", "role: test", (was, now))  # where no rows are
    with pytest.raises(ConfigError, match=said):
        results_of(path)


@pytest.mark.parametrize(
    ("task", "more", "scale", "metric", "said"),
    [
        ("binary", "labelled: flagged", "probability", "precision", "labelled: flagged is not"),
        (
            "multiclass",
            "role: test",
            "label",
            "accuracy",
            "classes are to be named under `classes:`",
        ),
    ],
)
def test_other_classes_are_refused_before_rows_are_read(tmp_path, task, more, scale, metric, said):
    text = "\n".join(
        [
            "version: 1",
            "report: {title: A}",
            f"task: {task}",
            f"datasets: {{test: {{path: rows.parquet, id: id, target: y, {more}}}}}",
            f"models: {{old: {{column: old, scale: {scale}}}}}",
            f"metrics: [{metric}]",
            "bootstrap: {weights: poisson}",
            "compute: {engine: stream}",
        ]
    )
    (tmp_path / "config.yaml").write_text(text, encoding="utf-8")
    with pytest.raises(ConfigError, match=said):
        results_of(tmp_path / "config.yaml")


def test_few_rows_of_a_class_are_told_alike(tmp_path):
    """What compares the classes has no interval, proportions of rows keep theirs."""
    draw, n = np.random.default_rng(5), 2_000
    z = draw.normal(-2.0, 1, n)
    y = np.arange(n) % 500 == 3
    odds = {"old": z + y, "new": z + 2 * y}
    scores = {name: 1 / (1 + np.exp(-x)) for name, x in odds.items()}
    table = pa.table({"id": np.arange(n), "y": y.astype(int), **scores})
    parquet.write_table(table, tmp_path / "rows.parquet", row_group_size=701)
    stream, memory = (found(tmp_path, engine) for engine in ("stream", "memory"))
    for mine, other in zip(stream.estimates, memory.estimates, strict=True):
        assert (mine.key, mine.method, mine.reason) == (other.key, other.method, other.reason)
    for mine, other in zip(stream.comparisons, memory.comparisons, strict=True):
        assert (mine.key, mine.word, mine.reason) == (other.key, other.word, other.reason)
    short = {e.key for e in stream.estimates if "only 4 rows are of one class" in e.reason}
    assert short == {"mcc"}
