"""Measures of ranks from bins of scores: the bound holds, and every interval has it."""

from dataclasses import replace

import numpy as np
import pyarrow as pa
import pytest
from pyarrow import parquet

from reportgen.errors import ConfigError
from reportgen.inference.intervals import compute_interval
from reportgen.inference.sampling_distribution import SamplingDistribution
from reportgen.inference.significance import assess_significance
from reportgen.kernels.batch import Column
from reportgen.metrics.classification.roc import roc_auc
from reportgen.metrics.rows import Classes
from reportgen.metrics.traits import ESTIMANDS
from reportgen.notebook.report import run
from reportgen.report import archive
from reportgen.report.wording.numbers import format_bin_bound, format_bin_offset
from reportgen.streaming import rank_bins, survey
from reportgen.streaming.rank_bins import binned_auc, choose_edges, sum_weight_by_bin
from tests.streaming.configs import results_of, written

KINDS = ("normal", "ties", "atoms", "constant", "sorted", "two rows", "tails")
CONFIG = """
version: 1
report: {title: Streamed}
task: binary
datasets: {test: {path: rows.parquet, id: id, target: y, MORE}}
models:
  old: {column: old, scale: score, role: baseline}
  new: {column: new, scale: score}
metrics: [roc_auc, gini]
primary: {metric: roc_auc}
bootstrap: {replicates: 199, weights: poisson}
sensitivity: none
curves: []
compute: {engine: ENGINE}
outputs: [json, markdown]
"""


def drawn(kind, draw):
    n = 2 if kind == "two rows" else int(draw.integers(2, 900))
    y = draw.random(n) < draw.choice([0.03, 0.5])
    y[0], y[-1] = True, False
    score = {
        "normal": lambda: draw.normal(y, 1.5),
        "ties": lambda: np.rint(draw.normal(3 * y, 2)),
        "atoms": lambda: np.where(draw.random(n) < 0.6, 0.0, draw.random(n)),
        "constant": lambda: np.full(n, 0.3),
        "sorted": lambda: np.sort(draw.random(n)),
        "two rows": lambda: draw.random(n),
        "tails": lambda: draw.standard_cauchy(n),
    }[kind]()
    weight = draw.integers(0, 5, n).astype(float) if draw.random() < 0.5 else np.ones(n)
    weight[0] = weight[-1] = 1.0
    return y, score, weight


def test_the_bound_holds_on_200_data_sets_whatever_edges_there_are(monkeypatch):
    draw, off = np.random.default_rng(9), 0
    for number in range(200):
        y, score, weight = drawn(KINDS[number % len(KINDS)], draw)
        monkeypatch.setattr(rank_bins, "EDGES", int(draw.integers(2, 40)))
        edges = choose_edges(draw.choice(score, int(draw.integers(1, len(y) + 1))))
        rows = Classes(y.astype(np.intp), score[:, None], ("0", "1"), "score")
        found = binned_auc(edges, sum_weight_by_bin(edges, rows, weight))
        truth = roc_auc(y.astype(float), score, weight)
        assert abs(found.value - truth) <= found.bound + 1e-12
        off += abs(found.value - truth) > 1e-12
    assert off > 60  # or nothing was tried


def test_influence_is_that_of_all_rows_where_each_score_is_an_edge():
    draw = np.random.default_rng(10)
    y, score, weight = drawn("ties", draw)
    rows = Classes(y.astype(np.intp), score[:, None], ("0", "1"), "score")
    edges = choose_edges(score)
    found = binned_auc(edges, sum_weight_by_bin(edges, rows, weight))
    assert found.bound == 0
    small = 1e-4
    for row in range(0, len(y), 7):
        ends = []
        for step in (small, -small):
            moved = weight.copy()
            moved[row] += step
            ends.append(roc_auc(y.astype(float), score, moved))
        slope = weight.sum() * (ends[0] - ends[1]) / (2 * small)
        if weight[row] > 0:
            assert found.of(rows)[row] == pytest.approx(slope, rel=1e-3, abs=1e-3)
    assert weight @ found.of(rows) == pytest.approx(0, abs=1e-9)


def test_the_bound_is_added_to_limits_and_taken_from_what_is_tested():
    influence = np.tile([0.01, -0.01], 50)
    plain = SamplingDistribution(
        value=0.2,
        replicates=np.empty(0),
        estimand=ESTIMANDS["share of pairs"],
        bounds=(-1.0, 1.0),
        n=100,
        units=100,
        influence=influence,
        is_difference=True,
    )
    wide = replace(plain, binning=0.05)
    first, second = (compute_interval(each, "auto", 0.95) for each in (plain, wide))
    assert (second.low, second.high) == pytest.approx((first.low - 0.05, first.high + 0.05))
    near = replace(plain, value=0.15)
    assert assess_significance(wide).p_value == pytest.approx(assess_significance(near).p_value)
    hidden = replace(plain, binning=0.3)
    assert assess_significance(hidden).p_value == pytest.approx(1)


def table(n=6_000, shift=0.25):
    draw = np.random.default_rng(7)
    z = draw.normal(-1, 1, n)
    y = draw.random(n) < 1 / (1 + np.exp(-1.3 * z))
    return {
        "id": np.arange(n),
        "y": y.astype(int),
        "old": z + draw.normal(0, 1 + shift, n),
        "new": np.round(z + draw.normal(0, 1, n), 3),
        "w": draw.integers(0, 4, n).astype(float),
        "shop": draw.integers(0, 200, n),
    }


def found(folder, engine, more="role: test", group=701, *changes):
    parquet.write_table(pa.table(table()), folder / "rows.parquet", row_group_size=group)
    path = written(folder, CONFIG, engine, more, *changes)
    run(path, out=folder / "out", use_cache=False)
    return archive.load_results(folder / "out" / "results.json")


@pytest.mark.parametrize("more", ["role: test", "weight: w", "cluster: shop"])
def test_areas_of_few_rows_are_those_of_memory(tmp_path, more):
    stream, memory = (found(tmp_path, engine, more) for engine in ("stream", "memory"))
    for mine, other in zip(stream.estimates, memory.estimates, strict=True):
        assert mine.value == pytest.approx(other.value, abs=1e-10)
        if "cluster" not in more:
            assert (mine.low, mine.high) == pytest.approx((other.low, other.high), abs=2e-5)
    for mine, other in zip(stream.comparisons, memory.comparisons, strict=True):
        assert mine.difference == pytest.approx(other.difference, abs=1e-10)
        assert mine.word == other.word
        assert mine.se == pytest.approx(other.se, rel=0.12 if "cluster" in more else 3e-3)
    (told,) = [w for w in stream.warnings if w.code == "W251"]
    assert (told.numbers["binned"], told.numbers["bound"]) == ("roc_auc, gini", 0.0)


def test_few_edges_widen_intervals_by_their_bound_and_move_no_byte(tmp_path, monkeypatch):
    exact = found(tmp_path, "stream")
    monkeypatch.setattr(survey, "SAMPLED", 500)
    few = found(tmp_path, "stream")
    assert repr(few.estimates) == repr(found(tmp_path, "stream", "role: test", 5_000).estimates)
    (told,) = [w for w in few.warnings if w.code == "W251"]
    assert 0 < told.numbers["bound"] < 0.01
    for wide, plain in zip(few.estimates, exact.estimates, strict=True):
        assert wide.low < plain.low < plain.high < wide.high
        assert abs(wide.value - plain.value) <= told.numbers["bound"]


def test_a_comparison_that_bins_alone_keep_open_is_told_of(tmp_path, monkeypatch):
    monkeypatch.setattr(survey, "SAMPLED", 40)
    results = found(tmp_path, "stream")
    assert {each.word for each in results.comparisons} == {"cannot tell"}
    told = [w for w in results.warnings if w.code == "W151"]
    assert {(w.key, w.model, w.numbers["verdict"]) for w in told} == {
        ("roc_auc", "new", "better"),
        ("gini", "new", "better"),
    }


def test_the_bound_stands_beside_each_number_that_it_widens(tmp_path, monkeypatch):
    monkeypatch.setattr(survey, "SAMPLED", 60)
    results = found(tmp_path, "stream")
    (told,) = [w for w in results.warnings if w.code == "W251"]
    bounds = {model: told.numbers[f"bound of roc_auc, {model}"] for model in ("old", "new")}
    assert max(bounds.values()) < told.numbers["bound"]  # Gini's is twice as large
    text = (tmp_path / "out" / "report.md").read_text(encoding="utf-8")
    lines = [line for line in text.splitlines() if line.startswith("| **AUC**")]
    scores = next(line for line in lines if "†" in line)
    both = (*bounds.values(), sum(bounds.values()))
    beside = [format_bin_bound(bound).replace("\xa0", " ") for bound in both]
    assert all(said in scores for said in beside), scores
    assert scores.endswith("open by the bins alone |")
    assert (
        f"off by {format_bin_offset(sum(bounds.values()))} at most, which intervals include" in text
    )
    largest = format_bin_offset(max(bounds.values()))
    assert f"AUC comes from bins of values: it is off by {largest} at most" in text
    assert "once for counts and the largest values, once for bins of values, and once" in text


def test_no_bound_stands_beside_what_is_exact(tmp_path):
    found(tmp_path, "stream")
    assert "by the bins" not in (tmp_path / "out" / "report.md").read_text(encoding="utf-8")


def test_an_area_below_one_half_is_told_of_as_in_memory(tmp_path):
    columns = {**table(), "old": -table()["old"]}
    parquet.write_table(pa.table(columns), tmp_path / "rows.parquet", row_group_size=701)
    codes = []
    for engine in ("stream", "memory"):
        results = results_of(written(tmp_path, CONFIG, engine, "role: test"))
        codes.append({(w.code, w.key, w.model) for w in results.warnings if w.code == "W124"})
    assert codes[0] == codes[1] == {("W124", "roc_auc", "old")}


def test_max_t_with_bins_is_refused(tmp_path):
    change = ("primary:", "comparisons: {adjust: maxt}\nprimary:")
    with pytest.raises(ConfigError, match="maxt with metric 'roc_auc', which is found from bins"):
        found(tmp_path, "stream", "role: test", 701, change)


def test_a_single_class_has_no_area():
    rows = Classes(np.ones(3, np.intp), np.arange(3.0)[:, None], ("0", "1"), "score")
    edges = choose_edges(Column(np.arange(3.0)).values)
    assert np.isnan(binned_auc(edges, sum_weight_by_bin(edges, rows, np.ones(3))).value)
