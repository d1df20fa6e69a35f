"""Metrics that ask for every row: on held columns those of memory, on cells within bounds."""

from contextlib import nullcontext
from dataclasses import replace
from unittest.mock import patch

import numpy as np
import pyarrow as pa
import pytest
from pyarrow import parquet

from reportgen.errors import ConfigError
from reportgen.inference.intervals import compute_interval
from reportgen.inference.sampling_distribution import SamplingDistribution
from reportgen.inference.significance import assess_significance
from reportgen.kernels.batch import Batch
from reportgen.metrics.lookup import first_metric
from reportgen.metrics.rows import Amounts, Classes
from reportgen.metrics.traits import ESTIMANDS
from reportgen.notebook.report import run
from reportgen.report import archive
from reportgen.report.wording.numbers import format_bin_bound, format_bin_offset
from reportgen.results.types import name_bin_bound
from reportgen.streaming import cells, survey
from reportgen.streaming import run as streaming
from reportgen.streaming.cells import ALL_PAIRS, ORDER_METRICS, Cells
from reportgen.streaming.cells import measure_cells as measure
from reportgen.streaming.passes import ThreadEngine
from tests.streaming.configs import results_of, written

TWO_CLASSES = ("roc_auc", "gini")
AMOUNTS = tuple(sorted((ORDER_METRICS | ALL_PAIRS.keys()) - {*TWO_CLASSES}))
KINDS = ("normal", "ties", "atoms", "constant", "sorted", "two rows", "tails", "both", "opposite")


def drawn(kind, draw, task):
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
    if task == "binary":
        y = (y > draw.choice([0, 1.5])).astype(float)
        y[:2] = 0, 1
    elif kind in ("ties", "both") or draw.random() < 0.2:
        y = np.maximum(np.round(y, int(draw.integers(0, 2))), 0.0)
    weight = draw.integers(0, 5, n).astype(float) if draw.random() < 0.4 else np.ones(n)
    weight[:2] = np.maximum(weight[:2], 1)
    return y, score, weight


def rows_of(y, score, task):
    if task == "regression":
        return Amounts(y, score)
    return Classes(y.astype(np.intp), score[:, None], ("0", "1"), "score")


def cells_of(rows, weight, sampled, most):
    samples = {"": rows.outcome.values[sampled], "model": rows.ranking.values[sampled]}
    is_of_classes = isinstance(rows, Classes)
    with patch.object(cells, "EDGES", most):
        plane = cells.build_planes(["model"], samples, is_of_classes=is_of_classes)["model"]
    key, place = np.unique(plane.find_cells(rows), return_inverse=True)
    return Cells(plane, key, np.bincount(place, weight), float(weight @ weight), is_of_classes)


@pytest.mark.parametrize(
    ("task", "names"), [("regression", AMOUNTS), ("binary", TWO_CLASSES)], ids=["pairs", "areas"]
)
def test_the_bounds_hold_on_200_data_sets_whatever_edges_there_are(task, names):
    draw, off = np.random.default_rng(12), dict.fromkeys(names, 0)
    metrics = {name: first_metric(name, task) for name in names}
    for number in range(200):
        y, score, weight = drawn(KINDS[number % len(KINDS)], draw, task)
        size = int(draw.integers(1, len(y) + 1)) if number % 3 else len(y)
        rows = rows_of(y, score, task)
        sampled = draw.choice(len(y), size, replace=False)
        made = cells_of(rows, weight, sampled, int(draw.integers(2, 60)))
        for name, metric in metrics.items():
            truth = float(metric.bind(rows)(Batch.from_weights(weight))[0])
            found = measure(made, metric)
            if np.isnan(truth) or np.isnan(found.value):
                assert np.isnan(found.value) or found.bound >= 0.5, (number, name)
                continue
            assert abs(found.value - truth) <= found.bound + 1e-12, (number, name)
            off[name] += abs(found.value - truth) > 1e-9
    assert min(off.values()) > 60, off  # or nothing was tried


def influence_of_rows(found, rows):
    keys = found.cells.plane.find_cells(rows)
    return found.influence[np.searchsorted(found.cells.key, keys)]


@pytest.mark.parametrize("is_weighted", [False, True])
@pytest.mark.parametrize("name", [*AMOUNTS, *TWO_CLASSES])
def test_influence_is_that_of_all_rows_where_each_value_is_an_edge(name, is_weighted):
    task = "binary" if name in TWO_CLASSES else "regression"
    draw = np.random.default_rng(10)
    y = draw.integers(0, 2 if task == "binary" else 20, 300).astype(float)
    rows = rows_of(y, np.round(y + draw.normal(0, 4, 300)), task)
    weight = draw.integers(0, 4, 300).astype(float) if is_weighted else np.ones(300)
    metric = first_metric(name, task)
    found, bound = measure(cells_of(rows, weight, np.arange(300), 300), metric), metric.bind(rows)
    assert found.value == pytest.approx(float(bound(Batch.from_weights(weight))[0]), abs=1e-12)
    assert found.bound == pytest.approx(0, abs=1e-12)
    own, truth = influence_of_rows(found, rows), bound.influence(weight)
    # A row's own weight is in the pairs of equal rows: known of cells as a mean alone.
    near = 2e-2 if is_weighted and name in ALL_PAIRS else 1e-9
    assert own[weight > 0] == pytest.approx(truth[weight > 0], abs=near)


@pytest.mark.parametrize("name", AMOUNTS)
def test_influence_of_many_different_values_is_near_that_of_all_rows(name):
    draw, weight = np.random.default_rng(4), np.ones(6_000)
    y = np.maximum(draw.normal(0, 1, 6_000), 0)
    rows = rows_of(y, 0.7 * y + draw.normal(0, 0.5, 6_000), "regression")
    metric = first_metric(name, "regression")
    made = cells_of(rows, weight, np.arange(0, 6_000, 2), 1_000)
    own = influence_of_rows(measure(made, metric), rows)
    truth = metric.bind(rows).influence(weight)
    assert np.corrcoef(truth, own)[0, 1] > 0.9999
    assert own.std() == pytest.approx(truth.std(), rel=2e-3)


def test_a_single_class_has_no_area():
    rows = rows_of(np.ones(3), np.arange(3.0), "binary")
    made = cells_of(rows, np.ones(3), np.arange(3), 10)
    assert np.isnan(measure(made, first_metric("roc_auc", "binary")).value)


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


PAIRS = """
version: 1
report: {title: Streamed}
task: regression
datasets: {test: {path: rows.parquet, id: id, target: y, MORE}}
models: {old: {column: old, role: baseline}, new: {column: new}}
metrics: [kendall, regression_auc, spearman, tau_tilde, median_ae, mae]
primary: {metric: kendall}
bootstrap: {replicates: 199, weights: poisson}
sensitivity: none
curves: []
compute: {engine: ENGINE}
outputs: [json, markdown]
"""
AREAS = PAIRS.replace("regression\n", "binary\n").replace(
    "column: old", "column: old, scale: score"
)
AREAS = AREAS.replace("column: new", "column: new, scale: score").replace("kendall}", "roc_auc}")
AREAS = AREAS.replace(
    "[kendall, regression_auc, spearman, tau_tilde, median_ae, mae]", "[roc_auc, gini]"
)
CONFIGS = {"pairs": PAIRS, "areas": AREAS}
ON_CELLS = ("median_ae, ", "")


def table(kind, n=5_000):
    draw = np.random.default_rng(7)
    own = {"w": draw.integers(0, 4, n).astype(float), "shop": draw.integers(0, 200, n)}
    if kind == "pairs":
        y = np.sort(draw.gamma(1.5, 20, n) * (draw.random(n) > 0.4))
        old, new = y + draw.normal(0, 30, n), np.round(y + draw.normal(0, 25, n))
    else:
        z = draw.normal(-1, 1, n)
        y = (draw.random(n) < 1 / (1 + np.exp(-1.3 * z))).astype(int)
        old, new = z + draw.normal(0, 1.6, n), np.round(z + draw.normal(0, 1, n), 3)
    return {"id": draw.permutation(n), "y": y, "old": old, "new": new, **own}


def found(folder, kind, engine, more="role: test", group=701, *changes):
    parquet.write_table(pa.table(table(kind)), folder / "rows.parquet", row_group_size=group)
    path = written(folder, CONFIGS[kind], engine, more, *changes)
    run(path, out=folder / "out", use_cache=False)
    return archive.load_results(folder / "out" / "results.json")


@pytest.fixture
def few_bytes(monkeypatch):
    """Columns that do not fit in memory."""
    monkeypatch.setattr(streaming, "MEMORY", 1.0)


def bounds_of(results):
    (warning,) = [w for w in results.warnings if w.code == "W251"]
    numbers = warning.numbers
    return lambda key, *models: sum(numbers.get(name_bin_bound(key, m), 0.0) for m in models)


def test_resamples_of_the_influence_stand_for_those_that_would_not_fit(tmp_path, monkeypatch):
    made, analyze = [], streaming.analyze_held_rows

    def record(*given, **named):
        made.append(analyze(*given, **named))
        return made[-1]

    monkeypatch.setattr(streaming, "analyze_held_rows", record)
    exact = found(tmp_path, "pairs", "stream", "role: test", 701, ON_CELLS)
    monkeypatch.setattr(streaming, "MEMORY", 5_000 * 300.0)
    close = found(tmp_path, "pairs", "stream", "role: test", 701, ON_CELLS)
    for mine, other in zip(close.estimates, exact.estimates, strict=True):
        assert mine.value == other.value
    assert [c.word for c in close.comparisons] == [c.word for c in exact.comparisons]
    true, linear = (analysis.replicates for analysis in made)
    for key in ("kendall", "spearman", "regression_auc", "tau_tilde"):
        one, other = (each[None, (key, "new")] for each in (true, linear))
        assert not np.array_equal(one, other)
        assert np.corrcoef(one, other)[0, 1] > 0.999
        assert other.std() == pytest.approx(one.std(), rel=0.02)


@pytest.mark.parametrize("kind", CONFIGS)
@pytest.mark.parametrize("more", ["role: test", "weight: w", "cluster: shop"])
def test_measures_on_cells_are_those_of_memory_within_their_bounds(tmp_path, few_bytes, kind, more):
    change = (ON_CELLS,) if kind == "pairs" else ()
    stream, memory = (
        found(tmp_path, kind, engine, more, 701, *change) for engine in ("stream", "memory")
    )
    bound = bounds_of(stream)
    for mine, other in zip(stream.estimates, memory.estimates, strict=True):
        off = bound(mine.key, mine.model)
        assert abs(mine.value - other.value) <= off + 1e-9
        assert mine.method == other.method
        limits = other.low - off, other.high + off
        assert (mine.low, mine.high) == pytest.approx(limits, abs=off + 2e-3 * other.se)
    for mine, other in zip(stream.comparisons, memory.comparisons, strict=True):
        off = bound(mine.key, mine.candidate, mine.baseline)
        assert mine.word == other.word
        assert mine.difference == pytest.approx(other.difference, abs=off + 1e-9)
        assert mine.se == pytest.approx(other.se, rel=1e-2 if "cluster" in more else 3e-3)


def test_row_groups_and_pieces_move_no_byte(tmp_path, few_bytes, monkeypatch):
    first = found(tmp_path, "pairs", "stream", "weight: w", 5_000, ON_CELLS)
    monkeypatch.setattr(streaming, "PIECE", 777)
    again = found(tmp_path, "pairs", "stream", "weight: w", 401, ON_CELLS)
    for name in ("estimates", "comparisons", "warnings", "sensitivity"):
        assert repr(getattr(again, name)) == repr(getattr(first, name))


def test_few_edges_widen_intervals_and_stand_beside_each_number(tmp_path, few_bytes, monkeypatch):
    exact = found(tmp_path, "pairs", "memory", "role: test", 701, ON_CELLS)
    monkeypatch.setattr(survey, "SAMPLED", 100)
    few = found(tmp_path, "pairs", "stream", "role: test", 701, ON_CELLS)
    bound = bounds_of(few)
    for wide, plain in zip(few.estimates, exact.estimates, strict=True):
        off = bound(wide.key, wide.model)
        assert abs(wide.value - plain.value) <= off
        if wide.key != "mae":
            assert off > 1e-3 and wide.low < plain.low < plain.high < wide.high
    text = (tmp_path / "out" / "report.md").read_text(encoding="utf-8")
    assert format_bin_bound(bound("kendall", "new")).replace("\xa0", " ") in text
    largest = format_bin_offset(max(bound("kendall", model) for model in ("old", "new")))
    assert f"comes from bins of values: it is off by at most {largest}" in text
    assert "once for counts and the largest values, once for bins of values, and once" in text


def test_a_comparison_that_cells_alone_keep_open_is_named(tmp_path, few_bytes, monkeypatch):
    monkeypatch.setattr(survey, "SAMPLED", 60)
    results = found(tmp_path, "areas", "stream")
    assert {each.word for each in results.comparisons} == {"cannot tell"}
    raised = [w for w in results.warnings if w.code == "W151"]
    assert {(w.key, w.model, w.numbers["verdict"]) for w in raised} == {
        ("roc_auc", "new", "better"),
        ("gini", "new", "better"),
    }
    text = (tmp_path / "out" / "report.md").read_text(encoding="utf-8")
    assert "“cannot tell” only because of the bins" in text


def test_an_area_below_one_half_raises_the_warning_of_memory(tmp_path):
    columns = {**table("areas"), "old": -table("areas")["old"]}
    parquet.write_table(pa.table(columns), tmp_path / "rows.parquet", row_group_size=701)
    codes = []
    for engine in ("stream", "memory"):
        results = results_of(written(tmp_path, AREAS, engine, "role: test"))
        codes.append({(w.code, w.key, w.model) for w in results.warnings if w.code == "W124"})
    assert codes[0] == codes[1] == {("W124", "roc_auc", "old")}


@pytest.mark.parametrize(
    ("was", "now", "said"),
    [
        ("kendall,", "kendall,", "metric 'median_ae' asks for all 5,000 rows at once"),
        (
            "regression_auc,",
            "{name: regression_auc, ties: strict},",
            "metric 'regression_auc' asks for all 5,000 rows at once, which take about",
        ),
        ("primary:", "comparisons: {adjust: maxt}\nprimary:", "adjust: maxt asks for all 5,000"),
    ],
)
def test_what_cells_do_not_tell_is_refused_where_columns_do_not_fit(
    tmp_path, few_bytes, was, now, said
):
    parquet.write_table(pa.table(table("pairs")), tmp_path / "rows.parquet")
    with pytest.raises(ConfigError, match=said) as refused:
        results_of(written(tmp_path, PAIRS, "stream", "role: test", (was, now)))
    assert "config.yaml:" in str(refused.value)


def test_a_limit_that_is_too_low_is_refused_with_the_metrics_that_need_the_memory(
    tmp_path, monkeypatch
):
    """A cell of each of the 5,000 rows and both models."""
    monkeypatch.setattr(streaming, "CELL", 30_000)
    parquet.write_table(pa.table(table("pairs")), tmp_path / "rows.parquet")
    path = written(tmp_path, PAIRS, "stream, memory: 300MB", "role: test", ON_CELLS)
    with pytest.raises(ConfigError, match=r"compute.memory is 300MB") as refused:
        results_of(path)
    named = "metrics 'kendall', 'regression_auc', 'spearman', 'tau_tilde'"
    assert f", 300 MB of it for {named}; allow as much" in str(refused.value)


@pytest.mark.parametrize("engine", ["stream", "{dask: 'tcp://127.0.0.1:1'}"])
def test_segments_of_measures_on_cells_are_refused_in_a_line_with_the_engine_that_can(
    tmp_path, few_bytes, engine, monkeypatch
):
    monkeypatch.setattr(streaming, "connect_cluster", lambda *_: nullcontext(ThreadEngine(1)))
    parquet.write_table(pa.table(table("pairs")), tmp_path / "rows.parquet")
    with pytest.raises(ConfigError) as refused:
        segments = "segments: [{column: shop, bins: [0, 99, 500]}]"
        results_of(written(tmp_path, PAIRS, engine, segments, ON_CELLS))
    (line,) = str(refused.value).splitlines()
    assert line.startswith(f"{tmp_path / 'config.yaml'}:5:")
    named = "'kendall', 'regression_auc', 'spearman', 'tau_tilde'"
    assert f"segments of metrics {named} ask for all 5,000 rows at once, which take about" in line
    assert line.endswith(
        "set compute.memory to more than that, use `engine: memory`, or remove them"
    )


CLASSES = """
version: 1
report: {title: Streamed}
task: multiclass
classes: [a, b, c]
datasets: {test: {path: rows.parquet, id: id, target: y, MORE}}
models: {old: {columns: "old_{class}", role: baseline}, new: {columns: "new_{class}"}}
metrics: [roc_auc, ece, accuracy]
primary: {metric: roc_auc}
bootstrap: {replicates: 99, weights: poisson}
sensitivity: none
curves: []
compute: {engine: ENGINE}
outputs: [json]
"""


def test_columns_of_several_classes_are_held_too(tmp_path):
    draw, n = np.random.default_rng(8), 2_000
    y = draw.integers(0, 3, n)
    columns = {"id": np.arange(n), "y": np.array(list("abc"))[y]}
    for model, noise in (("old", 2.0), ("new", 1.5)):
        scores = np.exp(np.eye(3)[y] + draw.normal(0, noise, (n, 3)))
        scores /= scores.sum(axis=1, keepdims=True)
        columns |= {f"{model}_{name}": scores[:, k] for k, name in enumerate("abc")}
    parquet.write_table(pa.table(columns), tmp_path / "rows.parquet", row_group_size=701)
    stream, memory = (
        results_of(written(tmp_path, CLASSES, engine, "role: test"))
        for engine in ("stream", "memory")
    )
    for mine, other in zip(stream.estimates, memory.estimates, strict=True):
        assert mine.value == pytest.approx(other.value, rel=1e-8)
        assert (mine.low or 0.0) == pytest.approx(other.low or 0.0, rel=1e-8)
    assert [c.word for c in stream.comparisons] == [c.word for c in memory.comparisons]
