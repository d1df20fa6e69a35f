"""Warnings of rows that are streamed: those of memory, as far as sums tell them."""

import pickle
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from pyarrow import parquet

from reportgen.checks.check import iter_raised
from reportgen.data.arrow import compute_keys
from reportgen.streaming import states, tails
from reportgen.streaming.findings import describe_repeats
from reportgen.streaming.states import State, count_values, merge_states, merge_value_counts
from reportgen.streaming.tails import TailTerm, build_tails, put_tail
from tests.streaming.configs import results_of, written

N = 4_000
ROUNDED = {"top_share": 5e-4}  # a row at the edge counts as others of its bin
ROWS_AT_ONCE = {"W111", "W251"}
CONFIG = """
version: 1
report: {title: Streamed}
task: regression
datasets: {test: {path: rows.parquet, id: id, target: y, MORE}}
models: {old: {column: old, role: baseline}, new: {column: new}, copy: {column: copy}}
metrics: [mae, bias, rmse, pearson, {name: pinball, alpha: 0.99}]
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
        "id": np.arange(N),
        "y": y,
        "old": y + draw.normal(0, 3.05, N),
        "new": new,
        "copy": new,
        "shop": draw.integers(0, 12, N),
        "w": draw.pareto(0.6, N) + 0.1,
        "part": draw.integers(0, 300, N),
        "few": draw.integers(0, 5, N) * 0.25,
    }


def raised(folder: Path, columns, more, group):
    parquet.write_table(pa.table(columns), folder / "rows.parquet", row_group_size=group)
    found = {}
    for engine in ("stream", "memory"):
        results = results_of(written(folder, CONFIG, engine, more))
        found[engine] = {
            (each.code, each.model, each.key): each.numbers
            for each in results.warnings
            if each.code not in ROWS_AT_ONCE
        }
        found[engine]["rows"] = [
            (s.step, s.rows, s.removed, s.reason) for s in results.datasets[0].waterfall
        ]
        found[engine]["reach"] = [
            -1 if each.tail_reach is None else each.tail_reach
            for each in (*results.estimates, *results.comparisons)
        ]
    assert found["stream"].keys() == found["memory"].keys()
    assert found["stream"].pop("reach") == pytest.approx(found["memory"].pop("reach"), rel=1e-6)
    assert found["stream"].pop("rows") == found["memory"].pop("rows")
    for name, numbers in found["stream"].items():
        other = found["memory"][name]
        for key, value in numbers.items():
            is_number = isinstance(value, float)
            near = ROUNDED.get(key, 1e-6 if name[0] in ("W103", "W107") else 2e-3)
            assert value == (pytest.approx(other[key], rel=near) if is_number else other[key])
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


def heavy(kind):
    """Scores whose errors have heavy tails, each time of another kind."""
    draw, columns = np.random.default_rng(8), table()
    noise = {
        "pareto": draw.pareto(1.5, N),
        "both sides": draw.standard_t(1.7, N),
        "one row": np.where(np.arange(N) == 77, 900.0, draw.normal(0, 1, N)),
        "zeros": draw.pareto(1.2, N) * (draw.random(N) > 0.7),
        "ties": np.round(draw.pareto(1.6, N)),
    }[kind]
    columns["new"] = columns["y"] + noise
    columns["old"] = columns["y"] + draw.normal(0, 3, N)
    return columns


@pytest.mark.full
@pytest.mark.parametrize("kept", [tails.KEPT, 100])
@pytest.mark.parametrize(
    ("kind", "more"),
    [
        ("pareto", "unit: kg"),
        ("both sides", "weight: few"),
        ("one row", "unit: kg"),
        ("zeros", "weight: w"),
        ("ties", 'filter: "y > 40"'),
    ],
)
def test_heavy_tails_are_those_of_memory(tmp_path, monkeypatch, kind, more, kept):
    monkeypatch.setattr(tails, "KEPT", kept)  # of fewer rows all are kept
    assert "W103" in raised(tmp_path, heavy(kind), more, 611)


def test_tails_of_so_few_rows_that_none_is_seen_are_told_of(tmp_path):
    columns = {name: column[:45] for name, column in table().items()}
    assert "W103" in raised(tmp_path, columns, "unit: kg", 10)


def test_tails_of_very_many_rows_are_said_not_to_be_looked_for(tmp_path, monkeypatch):
    monkeypatch.setattr(tails, "MOST_ROWS", N - 1)
    columns = pa.table(heavy("one row"))
    parquet.write_table(columns, tmp_path / "rows.parquet", row_group_size=611)
    found = results_of(written(tmp_path, CONFIG, "stream", "unit: kg"))
    assert "W103" not in {each.code for each in found.warnings}
    (told,) = [each for each in found.warnings if each.code == "W251" and "unseen" in each.numbers]
    assert "W103" in str(told.numbers["unseen"])


def test_the_largest_rows_and_their_bins_are_the_same_however_rows_are_cut():
    draw = np.random.default_rng(2)
    values = np.round(draw.standard_t(2, 5_000), 1)  # many of a size
    look = TailTerm("influence", ("mae", "new"), "sizes", (), 1.0, 300)

    def tail_of(*parts):
        states = []
        for part in parts:
            state = State()
            put_tail(state, look, part)
            states.append(state)
        merged = merge_states(states)
        assert len(pickle.dumps(merged)) < 40_000
        return build_tails(merged, [look]).influence["mae", "new"]

    whole, found = tail_of(values), tail_of(*np.split(values[::-1], [7, 900, 901, 4_000]))
    assert np.array_equal(found.largest, whole.largest)
    assert np.array_equal(found.bins, whole.bins)
    assert np.array_equal(found.held, whole.held)
    assert found.least == whole.least == values.min()
    assert np.array_equal(np.abs(whole.largest), np.sort(np.abs(values))[::-1][:300])


@pytest.mark.parametrize("name", ["customer_id", "patient"])
def test_units_that_repeat_are_told_of(tmp_path, name):
    draw = np.random.default_rng(4)
    units = np.where(draw.random(N) < 0.3, draw.integers(0, 40, N), np.arange(N) + 100)
    columns = {**table(), name: units, "session_id": [f"s{k}" for k in range(N)]}
    assert "W107" in raised(tmp_path, columns, "unit: kg", 611)


def test_a_column_of_units_that_lacks_a_value_tells_nothing(tmp_path):
    columns = {**table(), "user_id": [None, *(k // 9 for k in range(1, N))]}
    assert "W107" not in raised(tmp_path, columns, "unit: kg", 611)


def test_of_very_many_units_a_share_is_counted_whole_and_the_same_in_any_order(monkeypatch):
    draw = np.random.default_rng(6)
    units = np.where(draw.random(60_000) < 0.2, draw.integers(0, 2_000, 60_000), np.arange(60_000))
    keys = compute_keys([str(each) for each in units])
    (exact,) = iter_raised(describe_repeats(count_values(keys), "id"))
    monkeypatch.setattr(states, "MOST_COUNTED", 4_000)
    pieces = [count_values(part) for part in np.split(keys, [3, 20_000, 41_000])]
    one, other = merge_value_counts(pieces), merge_value_counts(pieces[::-1])
    assert np.array_equal(one, other)
    assert 1_500 < one.shape[1] - 1 <= 4_000
    (found,) = iter_raised(describe_repeats(one, "id"))
    assert found.numbers["share"] == pytest.approx(exact.numbers["share"], abs=0.06)  # 125 of 2,000
    assert found.numbers["n"] == 60_000
    assert "largest" not in found.numbers
