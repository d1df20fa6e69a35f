"""Rows that are streamed: the numbers of memory, and the same bytes however they are cut."""

import json
from math import fsum

import numpy as np
import pyarrow as pa
import pytest
from pyarrow import parquet

from reportgen.config.loading import read_config
from reportgen.data.arrow import compute_row_number_keys, count_repeated_keys, select_held_keys
from reportgen.errors import ConfigError, DataError
from reportgen.inference.resampling.design import CountsByKey
from reportgen.kernels import native
from reportgen.kernels.resample_counts import draw_keyed_poisson_counts
from reportgen.notebook.report import run
from reportgen.planning.loading import build_vocabulary
from reportgen.progress import SilentProgress
from reportgen.streaming import restrictions
from reportgen.streaming import run as engine
from reportgen.streaming.sums import (
    carry_halves,
    column_grains,
    iter_blocks,
    reshape_by_resample,
    split_to_grain,
    sum_own,
    sum_resampled,
    to_real,
)
from tests.end_to_end.wallet import call
from tests.streaming import configs
from tests.streaming.configs import results_of

N = 5_500
CONFIG = """
version: 1
report: {title: Streamed}
task: regression
datasets: {test: {path: rows.parquet, target: y, MORE}}
models: {old: {column: old, role: baseline}, new: {column: new}}
metrics: [mae, rmse, bias, r2, pearson, wape, {name: pinball, alpha: 0.8},
          {name: asymmetric_cost, alpha: 0.7}]
primary: {metric: mae}
bootstrap: {replicates: 99, weights: poisson}
sensitivity: none
curves: []
compute: {engine: ENGINE}
outputs: [json]
gates: [{name: lower, rule: better, metric: mae, model: new}]
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A file of some row groups, of amounts of which four in ten are zero."""
    path, draw = tmp_path_factory.mktemp("rows"), np.random.default_rng(1)
    y = draw.gamma(1.5, 20, N) * (draw.random(N) > 0.4)
    table = pa.table(
        {
            "id": np.arange(N),
            "y": y,
            "old": 0.8 * y + draw.gamma(2, 5, N),
            "new": 0.9 * y + draw.gamma(2, 4.8, N),
            "w": draw.integers(0, 5, N).astype(float),
            "shop": draw.integers(0, 60, N),
        }
    )
    parquet.write_table(table, path / "rows.parquet", row_group_size=1_999)
    return path


def written(folder, engine, more="id: id", *changes):
    return configs.written(folder, CONFIG, engine, more, *changes)


def found(folder, engine, more="id: id", threads=1):
    return results_of(written(folder, engine, more), threads)


def test_a_level_far_above_the_spread_hides_no_digit(folder, tmp_path):
    table = parquet.read_table(folder / "rows.parquet").to_pandas()
    table[["y", "old", "new"]] = 1e6 + table[["y", "old", "new"]] / 20
    parquet.write_table(pa.table(table), tmp_path / "rows.parquet", row_group_size=1_999)
    changes = (("[mae, rmse, bias, r2, pearson, wape,", "[mae, r2, pearson, error_variance,"),)
    stream, memory = (
        results_of(written(tmp_path, engine, "id: id", *changes)) for engine in ("stream", "memory")
    )
    for mine, other in zip(stream.estimates, memory.estimates, strict=True):
        assert (mine.key, mine.method) == (other.key, other.method)
        found = [(e.value, e.low, e.high, e.se) for e in (mine, other)]
        assert found[0] == pytest.approx(found[1], rel=1e-9)


def test_pieces_and_threads_move_no_bit(folder, monkeypatch):
    def told(piece, threads):
        monkeypatch.setattr(engine, "PIECE", piece)
        loaded = read_config(written(folder, "stream"), build_vocabulary(), environ={})
        data, findings = engine.stream_dataset(loaded, threads, SilentProgress())
        return repr(
            (findings.estimates, findings.comparisons, findings.sensitivity.ranks, data.info)
        )

    first = told(50_000, 1)
    assert told(777, 1) == told(400, 2) == first


def test_sums_are_the_same_in_any_order_and_without_compiled_code():
    draw = np.random.default_rng(2)
    values = np.stack([draw.standard_cauchy(6_000), draw.normal(1e6, 1, 6_000)])
    keys = draw.integers(0, 2**63, 6_000).astype(np.uint64)
    cell = draw.integers(0, 3, 6_000)
    grain = column_grains(np.abs(values).max(axis=1))

    def summed(rows):
        own, drawn = np.zeros((2, 2), np.int64), np.zeros((2, 2, 5, 64), np.int64)
        for block in (rows[some] for some in iter_blocks(len(rows))):
            parts = split_to_grain(values[:, block], grain)
            plain, draws = sum_own(parts), [CountsByKey(keys[block], 7, k) for k in (0, 1)]
            own += plain
            drawn += sum_resampled(parts, plain, np.arange(2), draws, [(cell[block], 3)])
        return carry_halves(own), carry_halves(reshape_by_resample(drawn))

    own, drawn = summed(np.arange(6_000))
    parts = np.array_split(draw.permutation(6_000), [1, 2_500, 2_503, 5_000])
    pieces = [summed(rows) for rows in parts]
    all_grains = grain[[0, 1, 0, 0, 0]]
    for whole, place, each in ((own, 0, grain), (drawn, 1, all_grains)):
        total = sum(piece[place] for piece in pieces)
        assert (to_real(total, each) == to_real(whole, each)).all()
    with native.use_numpy():
        assert (summed(np.arange(6_000))[1] == drawn).all()
    exact = [fsum(column) for column in values]
    assert to_real(own, grain) == pytest.approx(exact, rel=1e-15)
    counts = np.hstack([draw_keyed_poisson_counts(keys, 64, 7, index) for index in (0, 1)]).astype(
        float
    )
    columns = [*values, *(np.where(cell == k, values[0], 0) for k in range(3))]
    under = [[fsum(column * count) for column in columns] for count in counts.T]
    # Beside the largest value, not beside the sum: large values of either sign cancel.
    size = 1e-19 * np.abs(values).max()
    assert np.abs(to_real(drawn, all_grains) - under).max() < max(size, 1e-15 * np.abs(under).max())


@pytest.mark.parametrize(
    ("was", "now", "said"),
    [
        ("weights: poisson", "seed: 2", "streamed rows need `bootstrap: {weights: poisson}`"),
        ("id: id", "id: id, strata: shop", "strata is not offered when streamed"),
        (
            "sensitivity: none",
            "sensitivity: {also: [{name: dear, filter: 'y > 3'}]}",
            "sensitivity.also, here 'dear', is not offered when streamed",
        ),
    ],
)
def test_what_is_not_offered_is_refused_with_its_place(folder, was, now, said):
    path = written(folder, "stream", "id: id", (was, now))
    with pytest.raises(ConfigError, match=said) as refused:
        results_of(path)
    assert "config.yaml:" in str(refused.value)


@pytest.mark.parametrize(
    ("was", "now"),
    [
        ("datasets: {", "datasets: {NAME"),
        ("[mae, rmse", "[{name: mae, as: NAME}, mae"),
    ],
)
def test_a_long_name_is_refused_in_a_line_that_can_be_read(folder, was, now):
    long = (was, now.replace("NAME", 900 * "m"))
    path = written(folder, "stream", "id: id, strata: shop", long)
    with pytest.raises(ConfigError, match="when streamed") as refused:
        results_of(path)
    assert max(map(len, str(refused.value).splitlines())) < 300


def test_an_id_of_two_row_groups_is_refused_whatever_resamples_rows(folder, tmp_path):
    table = parquet.read_table(folder / "rows.parquet")
    ids = np.arange(N)
    ids[[2_500, 5_200]] = 3, 4
    table = table.set_column(0, "id", pa.array(ids))
    parquet.write_table(table, tmp_path / "rows.parquet", row_group_size=1_999)
    for more in ("id: id", "id: id, cluster: shop"):
        with pytest.raises(DataError, match="id column 'id' has 2 ids more than once"):
            found(tmp_path, "stream", more)
    others = 'id: id, filter: "id > 4"'
    assert found(tmp_path, "stream", others).datasets[0].n == N - 7


def test_ids_held_of_very_many_rows_are_about_as_many_as_allowed_and_the_same_each_time():
    keys = compute_row_number_keys(1, 20_000, 5)
    some = select_held_keys(keys, 20_000, 1_000)
    assert 900 < len(some) < 1_100
    assert count_repeated_keys([some]) == 0
    again = select_held_keys(keys[5_000:6_000], 20_000, 1_000)
    assert count_repeated_keys([some, again]) == len(again) > 20


def test_a_report_of_streamed_rows_says_so(folder):
    results = found(folder, "stream")
    assert results.datasets[0].is_streamed
    assert [w.code for w in results.warnings if w.code == "W251"]
    assert json.dumps(results.config["compute"]).count("stream") == 1


def test_page_one_says_which_warnings_were_not_looked_for(folder, tmp_path):
    changes = (
        ("curves: []", "curves: [lorenz]"),
        ("outputs: [json]", "outputs: [json, html, markdown]"),
    )
    run(written(folder, "stream", "id: id", *changes), out=tmp_path, use_cache=False)
    said = "warnings about neighbouring rows were not checked"
    for name in ("report.html", "report.md"):
        text = (tmp_path / name).read_text(encoding="utf-8")
        assert said in text, name
        assert "Some checks were skipped, because the rows were streamed." in text, name
    found = json.loads((tmp_path / "results.json").read_text())["warnings"]
    (given,) = (each for each in found if each["code"] == "W251")
    assert "Of the curves that the config names, the report leaves out lorenz." in given["text"]


def test_curves_that_nobody_named_are_not_called_the_configs(folder):
    path = written(folder, "stream", "id: id", ("curves: []\n", ""))
    results = results_of(path)
    (warning,) = [w for w in results.warnings if w.code == "W251"]
    assert results.config["curves"]
    assert "named" not in warning.numbers


def test_too_little_memory_is_refused_with_what_would_do(folder):
    change = ("engine: stream", "engine: stream, memory: 300MB")
    path = written(folder, "stream", "id: id", change)
    with pytest.raises(ConfigError, match=r"compute.memory is 300MB.* at least \d+ MB"):
        results_of(path)


def test_less_memory_moves_no_number(folder):
    change = ("engine: stream", "engine: stream, memory: 0.44GB")
    path = written(folder, "stream", "id: id", change)
    small = results_of(path)
    assert small.estimates == found(folder, "stream").estimates


def test_very_many_rows_are_not_held_unless_the_config_says_so(folder, monkeypatch):
    assert found(folder, "auto").datasets[0].n == N
    monkeypatch.setattr(restrictions, "MOST_HELD", N - 1)
    with pytest.raises(ConfigError, match=r"5,500 rows, more than 5,499, .*engine: stream"):
        found(folder, "auto")
    assert call("run", written(folder, "auto"), "--out", folder / "refused") == 2
    assert not (folder / "refused").exists()
    assert not found(folder, "memory").datasets[0].is_streamed
    assert found(folder, "stream").datasets[0].is_streamed
