"""Queries that are streamed: whole whatever cuts their rows, with the numbers of memory."""

import json

import numpy as np
import pyarrow as pa
import pytest
from pyarrow import parquet

from reportgen.data.row_groups import QueryRuns, compute_max_query_rows, split_query_pieces
from reportgen.data.table import FileRows, FileTable
from reportgen.errors import ConfigError, DataError
from reportgen.streaming import run
from tests.streaming import configs
from tests.streaming.configs import results_of

QUERIES = 400
CONFIG = """
version: 1
report: {title: Streamed}
task: ranking
datasets: {test: {path: rows.parquet, query: topic, id: doc, target: grade, MORE}}
models: {old: {column: old, role: baseline}, new: {column: new}}
ranking: {missing_document: unretrieved}
metrics: [{name: ndcg, k: 10}, ap, rr, {name: recall_at, k: 5, no_relevant: zero}, judged_at, bpref,
          gmap, {name: err, top: 3}, {name: rr, ties: trec, as: by_id}]
primary: {metric: ndcg}
bootstrap: {replicates: 99, weights: poisson}
sensitivity: none
curves: []
compute: {engine: ENGINE}
outputs: [json]
"""


def table():
    """Queries in no order of their names, one of many documents and some of one.

    Some grades are missing or below 0, some queries are judged nowhere or lacked by a model.
    """
    draw = np.random.default_rng(6)
    size = np.minimum(draw.geometric(0.12, QUERIES), 60)
    size[7], size[20:24] = 1_200, 1
    place = np.repeat(np.arange(QUERIES), size)
    grade = draw.choice(4, len(place), p=[0.7, 0.2, 0.07, 0.03]).astype(float)
    grade[draw.random(len(place)) < 0.05] = np.nan
    grade[place % 11 == 0] = 0.0
    grade[place % 97 == 5] = np.nan
    grade[draw.random(len(place)) < 0.01] = -1.0
    known = np.nan_to_num(grade)
    old = np.round(0.6 * known + draw.normal(0, 1, len(place)), 1)
    old[place % 50 == 3] = np.nan
    return pa.table(
        {
            "topic": [f"q{k}" for k in draw.permutation(QUERIES)[place]],
            "doc": np.arange(len(place)) * 7_919 % 99_991,
            "grade": grade,
            "old": old,
            "new": np.round(0.8 * known + draw.normal(0, 1, len(place)), 1),
            "w": draw.integers(0, 4, QUERIES)[place].astype(float),
            "shop": draw.integers(0, 40, QUERIES)[place],
        }
    )


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Row groups of 500 rows, of which two lie within one query."""
    path = tmp_path_factory.mktemp("rows")
    parquet.write_table(table(), path / "rows.parquet", row_group_size=500)
    return path


def found(folder, engine, more="role: test", *changes):
    return results_of(configs.written(folder, CONFIG, engine, more, *changes))


DROPPED = ("unretrieved", "unretrieved, missing_query: drop")


@pytest.mark.parametrize(
    ("more", "changes"),
    [
        ("role: test", ()),
        ("weight: w", ()),
        ("role: test", (DROPPED,)),
        ("cluster: shop", ()),
        ('filter: "new != 0.3"', ()),
    ],
)
def test_warnings_about_streamed_queries_are_those_of_memory(folder, more, changes):
    stream, memory = (found(folder, engine, more, *changes) for engine in ("stream", "memory"))
    told = [
        {
            (w.code, w.model, json.dumps(w.numbers))
            for w in each.warnings
            if w.code in ("W106", "W130", "W231", "W232", "W233", "W234")
        }
        for each in (stream, memory)
    ]
    assert told[0] == told[1]
    assert {each[0] for each in told[0]} >= {"W231", "W232", "W233", "W234"}


@pytest.mark.parametrize("size", [97, 333, 10**6])
def test_row_groups_and_files_that_cut_queries_move_no_number(folder, tmp_path, size):
    first, rows = found(folder, "stream", "weight: w"), table()
    half = len(rows) // 2
    (tmp_path / "rows").mkdir()
    parquet.write_table(rows.slice(0, half), tmp_path / "rows" / "a.parquet", row_group_size=size)
    parquet.write_table(rows.slice(half), tmp_path / "rows" / "b.parquet", row_group_size=size)
    change = ("path: rows.parquet", "path: rows/*.parquet")
    again = found(tmp_path, "stream", "weight: w", change)
    for name in ("estimates", "comparisons"):
        assert getattr(again, name) == getattr(first, name)


@pytest.mark.parametrize("size", [900, 10**6])
def test_a_query_that_comes_back_is_refused_by_its_name_and_row(tmp_path, size):
    rows = table()
    names = rows["topic"].to_pylist()
    begins = next(k for k in range(2_000, 3_000) if names[k] != names[k - 1])
    parts = [rows.slice(0, begins), rows.slice(0, 2), rows.slice(begins)]
    parquet.write_table(pa.concat_tables(parts), tmp_path / "rows.parquet", row_group_size=size)
    said = rf"query '{names[0]}' of column 'topic' comes back at row {begins + 1:,} .* sort"
    with pytest.raises(DataError, match=said):
        found(tmp_path, "stream")


def test_a_row_without_a_query_is_refused(tmp_path):
    rows = table().to_pandas()
    rows.loc[41, "topic"] = None
    parquet.write_table(pa.table(rows), tmp_path / "rows.parquet", row_group_size=900)
    with pytest.raises(DataError, match=r"'topic' has 1 missing name .first at row 42"):
        found(tmp_path, "stream")


@pytest.mark.parametrize(
    ("was", "now", "said"),
    [
        ("{name: err, top: 3}", "err", "metric 'err' without top, which is then found from all"),
        ("judged_at,", "gap,", "metric 'gap' without weights, which is then found from all rows"),
        ("target: grade", "target: grade, strata: shop", "datasets.test.strata is not offered"),
    ],
)
def test_what_is_not_offered_of_queries_is_refused_before_rows_are_read(tmp_path, was, now, said):
    with pytest.raises(ConfigError, match=said):
        found(tmp_path, "stream", "role: test", (was, now))


def test_pieces_hold_whole_queries():
    def cut(sizes, most):
        names = pa.array(
            [f"q{k}" for k, size in enumerate(sizes) for _ in range(size)], pa.string()
        )
        columns = {"topic": pa.chunked_array([names])}
        part = FileRows("rows", len(names), columns, "row", list, True)
        return split_query_pieces(FileTable("rows", (part,)), "topic", most)

    assert cut([2, 3, 1], 4) == [(0, 2), (2, 4)]
    assert cut([9, 1, 1], 4) == [(0, 9), (9, 2)]


def test_the_longest_query_is_counted_across_row_groups():
    def runs(*named):
        keys = np.array([key for key, _ in named], np.uint64)
        return QueryRuns(keys, np.cumsum([0, *(size for _, size in named)]))

    assert compute_max_query_rows([runs((1, 5), (2, 3)), runs((2, 4)), runs((2, 1), (3, 7))]) == 8
    assert compute_max_query_rows([runs((1, 5), (2, 3)), runs((3, 4))]) == 5


def test_memory_for_a_query_of_many_row_groups_is_asked_for(folder, monkeypatch):
    change = ("engine: stream", "engine: stream, memory: 300MB")

    def least():
        with pytest.raises(ConfigError, match=r"compute.memory is 300MB") as refused:
            found(folder, "stream", "role: test", change)
        return float(str(refused.value).split("at least ")[1].split(" MB")[0].replace(",", ""))

    plain = least()
    monkeypatch.setattr(run, "DOCUMENT", 10**5)  # of its 1,200 rows
    assert least() == pytest.approx(plain + 1_200 * 0.1, abs=1.5)
