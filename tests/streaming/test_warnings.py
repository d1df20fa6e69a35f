"""Warnings of rows that are streamed: those of memory, as far as sums tell them."""

from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from pyarrow import parquet

from tests.streaming.configs import results_of, written

N = 4_000
ROWS_AT_ONCE = {"W103", "W107", "W111", "W251"}
CONFIG = """
version: 1
report: {title: Streamed}
task: regression
datasets: {test: {path: rows.parquet, id: id, target: y, MORE}}
models: {old: {column: old, role: baseline}, new: {column: new}, copy: {column: copy}}
metrics: [mae, bias, {name: pinball, alpha: 0.99}]
primary: {metric: mae}
bootstrap: {replicates: 99, weights: poisson}
sensitivity: none
curves: []
compute: {engine: ENGINE}
outputs: [json]
"""


def table():
    draw = np.random.default_rng(3)
    y = draw.normal(50, 9, N)
    new = y + draw.normal(0, 3, N)
    return {
        "id": np.arange(N), "y": y, "old": y + draw.normal(0, 3.05, N), "new": new, "copy": new,
        "shop": draw.integers(0, 12, N), "w": draw.pareto(0.6, N) + 0.1,
        "part": draw.integers(0, 300, N), "few": draw.integers(0, 5, N) * 0.25,
    }  # fmt: skip


def raised(folder: Path, columns, more, group):
    parquet.write_table(pa.table(columns), folder / "rows.parquet", row_group_size=group)
    found = {}
    for engine in ("stream", "memory"):
        results = results_of(written(folder, CONFIG, engine, more))
        found[engine] = {
            (each.code, each.model, each.key): each.numbers
            for each in results.warnings
            if each.code not in ROWS_AT_ONCE
            # With clusters the standard errors of streamed rows are those of resamples.
            and not ("cluster" in more and each.code == "W112")
        }
        found[engine]["rows"] = [(s.step, s.rows, s.removed, s.reason)
                                 for s in results.datasets[0].waterfall]  # fmt: skip
    assert found["stream"].keys() == found["memory"].keys()
    assert found["stream"].pop("rows") == found["memory"].pop("rows")
    for name, numbers in found["stream"].items():
        other = found["memory"][name]
        for key, value in numbers.items():
            is_number = isinstance(value, float)
            assert value == (pytest.approx(other[key], rel=2e-3) if is_number else other[key])
    return {code for code, _, _ in found["stream"]}


@pytest.mark.parametrize(
    ("more", "codes"),
    [
        ("weight: w", {"W130", "W202"}),
        ("cluster: shop", {"W106", "W202"}),
        ("cluster: part, weight: w", {"W130"}),
        ("weight: few", {"W202"}),
        ('used_to_choose: true, filter: "y > 40"', {"W110", "W202"}),
    ],
)
def test_warnings_of_rows_and_their_weights_are_those_of_memory(tmp_path, more, codes):
    found = raised(tmp_path, table(), more, 1_111)
    assert codes <= found


def test_a_single_target_is_told_of(tmp_path):
    columns = table()
    columns["y"] = np.full(N, 7.0)
    assert "W201" in raised(tmp_path, columns, "unit: kg", 900)


def test_a_model_without_error_and_few_that_pay_are_told_of(tmp_path):
    columns = table()
    columns["old"] = columns["y"] + np.where(np.arange(N) % 200, 1.0, -1.0)
    columns["new"] = columns["y"].copy()
    columns["copy"] = columns["y"] + np.where(np.arange(N) % 200, 1.0, -1.0)
    assert {"W108", "W140"} <= raised(tmp_path, columns, "unit: kg", 777)


def test_ties_of_the_target_and_of_a_score_are_told_of(tmp_path):
    columns = table()
    columns["y"] = np.where(columns["id"] % 3, np.round(columns["y"], 6), 0.0)
    columns["old"] = np.round(columns["old"] / 7)
    assert "W102" in raised(tmp_path, columns, "unit: kg", 1_000)


def test_missing_values_are_told_column_by_column_in_their_order(tmp_path):
    columns = table()
    for name, rows in (("new", [3_999, 2_000, 5]), ("old", [3_000, 5]), ("w", [7, 3_500])):
        columns[name] = np.array(columns[name])
        columns[name][rows] = np.nan
    codes = raised(tmp_path, columns, 'missing: drop, weight: w, filter: "id > 5"', 1_000)
    assert {"W204", "W130"} <= codes
