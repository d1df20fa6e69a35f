"""Measures of pairs and of ranks from bins of target and score: bounds hold, influence is right."""

import numpy as np
import pyarrow as pa
import pytest
from pyarrow import parquet

from reportgen.errors import ConfigError
from reportgen.metrics.metric import METRICS
from reportgen.metrics.rows import Amounts
from reportgen.notebook.report import run
from reportgen.report import archive
from reportgen.report.wording.numbers import format_bin_bound
from reportgen.results.types import name_bin_bound
from reportgen.streaming import pair_tables, rank_bins, survey
from reportgen.streaming import run as streamed
from reportgen.streaming.pair_tables import (
    MarginalWeights,
    _count,
    build_pair_bins,
    sum_unresolved_pairs,
)
from reportgen.streaming.rank_bins import build_axis
from tests.streaming.configs import results_of, written

MEASURES = ("kendall", "kendall_a", "regression_auc", "spearman")
KINDS = ("normal", "ties", "atoms", "constant", "sorted", "two rows", "tails", "both", "opposite")


def drawn(kind, draw):
    """Targets, scores and whole weights."""
    n = 2 if kind == "two rows" else int(draw.integers(3, 400))
    y = draw.normal(0, 1, n)
    score = {
        "normal": lambda: y + draw.normal(0, draw.choice([0.1, 1, 5]), n),
        "ties": lambda: np.rint(2 * y + draw.normal(0, 2, n)),
        "atoms": lambda: np.where(draw.random(n) < 0.6, 0.0, y + draw.random(n)),
        "constant": lambda: np.full(n, 0.3),
        "sorted": lambda: np.sort(draw.random(n)),
        "two rows": lambda: draw.random(n),
        "tails": lambda: y + draw.standard_cauchy(n),
        "both": lambda: np.round(y, 1),
        "opposite": lambda: -(y**3),
    }[kind]()
    if kind in ("ties", "both") or draw.random() < 0.2:
        y = np.maximum(np.round(y, int(draw.integers(0, 2))), 0.0)
    if kind == "sorted" or draw.random() < 0.1:
        y = np.sort(y)
    weight = draw.integers(0, 5, n).astype(float) if draw.random() < 0.4 else np.ones(n)
    weight[:2] = np.maximum(weight[:2], 1)
    return y, score, weight


def tables(y, score, weight, sampled, coarse=64, fine=8):
    rows, is_weighted = Amounts(y, score), bool((weight != 1).any())
    samples = {"": y[sampled], "model": score[sampled]}
    bins = build_pair_bins(["model"], samples, is_weighted, coarse, fine)
    running = bins.running()
    for part in np.array_split(np.arange(len(y)), 3):
        piece = bins.of_piece({"model": Amounts(y[part], score[part])}, weight[part])
        running.add(bins.of_group([piece]))
    return {name: table for (name, _), table in running.tables().items()}, rows


def value_of(table, rows, weight):
    """The value as it is summed: what rows add, and the level."""
    return table.level + float(weight @ table.of(rows)) / weight.sum()


def exact(name, rows, weight):
    return METRICS[name].use().function(rows.y.values, rows.score.values, weight)


def test_the_bounds_hold_on_200_data_sets_whatever_bins_there_are(monkeypatch):
    draw, off = np.random.default_rng(12), dict.fromkeys(MEASURES, 0)
    for number in range(200):
        y, score, weight = drawn(KINDS[number % len(KINDS)], draw)
        monkeypatch.setattr(rank_bins, "MOST_AXIS_EDGES", int(draw.integers(1, 60)))
        size = int(draw.integers(0, len(y) + 1)) if number % 3 else len(y)
        sampled = draw.choice(len(y), size, replace=False)
        coarse, fine = int(draw.integers(4, 14)), int(draw.integers(1, 6))
        found, rows = tables(y, score, weight, sampled, coarse, fine)
        for name in MEASURES:
            truth, table = exact(name, rows, weight), found[name]
            value = value_of(table, rows, weight)
            if np.isnan(truth):
                assert np.isnan(value) or table.bound >= 0.5, (number, name)
                continue
            assert abs(value - truth) <= table.bound + 1e-12, (number, name)
            assert np.abs(table.of(rows)).max() <= table.largest * (1 + 1e-12)
            off[name] += abs(value - truth) > 1e-9
    assert min(off.values()) > 60  # or nothing was tried


def not_told(plane, y, score, weight):
    """Pair by pair, what the tables do not tell and what is not tied for sure."""
    codes = plane.y.codes_of(y), plane.score.codes_of(score)
    both = zip((plane.y, plane.score), codes, strict=True)
    ends = [(axis.coarse[c], axis.within[c]) for axis, c in both]
    (by_y, in_y), (by_score, in_score) = ends
    found = 0.0
    for one in range(len(y)):
        for other in range(one):
            same_y, same_score = by_y[one] == by_y[other], by_score[one] == by_score[other]
            tied = any(c[one] == c[other] and c[one] % 2 for c in codes)
            groups = plane.score_groups[by_y, by_score], plane.y_groups[by_score, by_y]
            if tied or not (same_y or same_score):
                continue
            if same_y and not same_score:
                told = in_y[one] != in_y[other] and groups[0][one] != groups[0][other]
            elif same_score and not same_y:
                told = in_score[one] != in_score[other] and groups[1][one] != groups[1][other]
            else:
                told = False
            found += 0.0 if told else weight[one] * weight[other]
    return found


@pytest.mark.parametrize("kind", ["normal", "atoms", "ties"])
def test_pairs_that_are_not_told_are_those_that_a_look_at_each_pair_finds(kind, monkeypatch):
    draw, shares = np.random.default_rng(3), []
    for _ in range(4):
        y, score, _ = drawn(kind, draw)
        y, score, weight = y[:90], score[:90], np.ones(len(y[:90]))
        monkeypatch.setattr(rank_bins, "MOST_AXIS_EDGES", 50)
        bins = build_pair_bins(["m"], {"": y[::2], "m": score[::2]}, False, 9, 3)
        plane, cells = bins.planes["m"], bins.planes["m"].empty()
        _count(plane, cells, plane.y.codes_of(y), plane.score.codes_of(score), weight.astype(int))
        margins = MarginalWeights(plane.y, cells.y), MarginalWeights(plane.score, cells.score)
        found, truth = (
            sum_unresolved_pairs(*margins, cells, plane),
            not_told(plane, y, score, weight),
        )
        assert found >= truth
        shares.append(found / max(truth, 1))
    assert np.median(shares) < (1.01 if kind == "normal" else 1.6)


@pytest.mark.parametrize("is_weighted", [False, True])
def test_influence_is_that_of_all_rows_where_each_value_has_a_bin(is_weighted):
    draw = np.random.default_rng(10)
    y = draw.integers(0, 20, 300).astype(float)
    score = np.round(y + draw.normal(0, 4, 300))
    weight = draw.integers(0, 4, 300).astype(float) if is_weighted else np.ones(300)
    found, rows = tables(y, score, weight, np.arange(300), 128, 4)
    for name in MEASURES:
        metric, table = METRICS[name].use(), found[name]
        assert table.bound == 0
        assert value_of(table, rows, weight) == pytest.approx(exact(name, rows, weight), abs=1e-12)
        truth, own = metric.influence(rows, weight, **metric.params), table.of(rows)
        own = own - weight @ own / weight.sum()
        # Of all pairs the influence of a weight has its own pair too, one in so many rows.
        near = 2e-2 if is_weighted and name == "kendall_a" else 1e-9
        assert own[weight > 0] == pytest.approx(truth[weight > 0], abs=near)


def test_influence_of_many_different_values_is_near_that_of_all_rows():
    draw = np.random.default_rng(4)
    y = np.maximum(draw.normal(0, 1, 6_000), 0)
    score = 0.7 * y + draw.normal(0, 0.5, 6_000)
    weight = np.ones(6_000)
    found, rows = tables(y, score, weight, np.arange(0, 6_000, 2), 256, 16)
    for name in MEASURES:
        metric, table = METRICS[name].use(), found[name]
        truth, own = metric.influence(rows, weight, **metric.params), table.of(rows)
        assert np.corrcoef(truth, own)[0, 1] > 0.9999
        assert own.std() == pytest.approx(truth.std(), rel=2e-3)


def test_rows_are_counted_the_same_in_any_order_and_from_any_state():
    draw = np.random.default_rng(5)
    y, score, weight = draw.normal(0, 1, 900), draw.normal(0, 1, 900), draw.integers(0, 2**30, 900)
    bins = build_pair_bins(["a", "b"], {"": y, "a": score, "b": y + score}, True, 20, 4)

    def part(rows):
        data = {"a": Amounts(y[rows], score[rows]), "b": Amounts(y[rows], (y + score)[rows])}
        return bins.of_piece(data, weight[rows].astype(float))

    whole, pieces = bins.running(), bins.running()
    whole.add(bins.of_group([part(np.arange(900))]))
    orders = np.array_split(draw.permutation(900), [3, 500])
    pieces.add(bins.of_group([part(orders[0]), part(orders[1])]))
    resumed = bins.running()
    resumed.resume(pieces.state())
    resumed.add(bins.of_group([part(orders[2])]))
    assert sum(int(a.sum()) for n, a in resumed.state() if n[-1] == "grid") == 2 * weight.sum()
    for (name, array), (other, same) in zip(whole.state(), resumed.state(), strict=True):
        assert name == other and (array == same).all()
    tables = whole.tables(), resumed.tables()
    assert all(t.bound == tables[1][of].bound for of, t in tables[0].items())


def test_a_value_that_fills_a_coarse_bin_stands_alone_in_it():
    draw = np.random.default_rng(6)
    values = np.where(draw.random(5_000) < 0.6, 0.0, draw.random(5_000))
    axis = build_axis(values, 32, 8)
    at = axis.coarse[axis.codes_of(np.zeros(1))[0]]
    assert (axis.coarse == at).sum() == 1
    share = np.bincount(axis.coarse[axis.codes_of(values[values > 0])]).max() / (values > 0).sum()
    assert share < 2 / 29
    for bins in (axis.coarse, axis.bins):
        assert (np.diff(bins) >= 0).all()


CONFIG = """
version: 1
report: {title: Streamed}
task: regression
datasets: {test: {path: rows.parquet, id: id, target: y, MORE}}
models:
  old: {column: old, role: baseline}
  new: {column: new}
metrics: [kendall, regression_auc, spearman, tau_tilde, mae]
primary: {metric: kendall}
bootstrap: {replicates: 199, weights: poisson}
sensitivity: none
curves: []
compute: {engine: ENGINE}
outputs: [json, markdown]
"""


@pytest.fixture
def few_bins(monkeypatch):
    """As many bins as few rows fill, which are made sooner."""
    monkeypatch.setattr(pair_tables, "COARSE", 256)
    monkeypatch.setattr(pair_tables, "FINE", 16)


def table(n=5_000):
    draw = np.random.default_rng(7)
    y = np.sort(draw.gamma(1.5, 20, n) * (draw.random(n) > 0.4))
    return {
        "id": draw.permutation(n),
        "y": y,
        "old": y + draw.normal(0, 30, n),
        "new": np.round(y + draw.normal(0, 25, n)),
        "w": draw.integers(0, 4, n).astype(float),
        "shop": draw.integers(0, 200, n),
    }


def found(folder, engine, more="role: test", group=701, *changes):
    parquet.write_table(pa.table(table()), folder / "rows.parquet", row_group_size=group)
    path = written(folder, CONFIG, engine, more, *changes)
    run(path, out=folder / "out", use_cache=False)
    return archive.load_results(folder / "out" / "results.json")


def bounds_of(results):
    (told,) = [w for w in results.warnings if w.code == "W251"]
    return lambda key, *models: sum(told.numbers.get(name_bin_bound(key, m), 0.0) for m in models)


@pytest.mark.parametrize("more", ["role: test", "weight: w", "cluster: shop"])
def test_streamed_measures_of_pairs_are_those_of_memory(tmp_path, few_bins, more):
    stream, memory = (found(tmp_path, engine, more) for engine in ("stream", "memory"))
    bound = bounds_of(stream)
    for mine, other in zip(stream.estimates, memory.estimates, strict=True):
        off = bound(mine.key, mine.model)
        assert abs(mine.value - other.value) <= off + 1e-9
        assert off < 0.05 * other.se
        if "cluster" not in more:
            assert mine.method == other.method
            limits = other.low - off, other.high + off
            assert (mine.low, mine.high) == pytest.approx(limits, abs=off + 2e-3 * other.se)
    for mine, other in zip(stream.comparisons, memory.comparisons, strict=True):
        off = bound(mine.key, mine.candidate, mine.baseline)
        assert mine.word == other.word
        assert mine.difference == pytest.approx(other.difference, abs=off + 1e-9)
        assert mine.se == pytest.approx(other.se, rel=0.12 if "cluster" in more else 3e-3)
    text = (tmp_path / "out" / "report.md").read_text(encoding="utf-8")
    assert "by the bins" not in text


def test_row_groups_and_pieces_move_no_byte(tmp_path, few_bins, monkeypatch):
    first = found(tmp_path, "stream", "weight: w", 5_000)
    monkeypatch.setattr(streamed, "PIECE", 777)
    again = found(tmp_path, "stream", "weight: w", 401)
    for name in ("estimates", "comparisons", "warnings", "sensitivity"):
        assert repr(getattr(again, name)) == repr(getattr(first, name))


def test_few_bins_widen_intervals_and_stand_beside_each_number(tmp_path, few_bins, monkeypatch):
    exact_ones = found(tmp_path, "memory")
    monkeypatch.setattr(survey, "SAMPLED", 100)
    few = found(tmp_path, "stream")
    bound = bounds_of(few)
    for wide, plain in zip(few.estimates, exact_ones.estimates, strict=True):
        off = bound(wide.key, wide.model)
        assert abs(wide.value - plain.value) <= off
        if wide.key != "mae":
            assert off > 1e-3 and wide.low < plain.low < plain.high < wide.high
    text = (tmp_path / "out" / "report.md").read_text(encoding="utf-8")
    assert format_bin_bound(bound("kendall", "new")).replace("\xa0", " ") in text
    assert "comes from bins of values: it is off by" in text


@pytest.mark.parametrize(
    ("was", "now", "said"),
    [
        (
            "regression_auc,",
            "{name: regression_auc, ties: strict},",
            "found from bins with `ties: half` alone, is not offered when streamed",
        ),
        ("primary:", "comparisons: {adjust: maxt}\nprimary:", "maxt with metric 'kendall', which"),
    ],
)
def test_what_bins_do_not_tell_is_refused(tmp_path, was, now, said):
    parquet.write_table(pa.table(table()), tmp_path / "rows.parquet")
    with pytest.raises(ConfigError, match=said):
        results_of(written(tmp_path, CONFIG, "stream", "role: test", (was, now)))
