"""From a config and its rows to what is resampled."""

from dataclasses import replace

import numpy as np
import pytest

from reportgen.analysis.plan import Segment
from reportgen.analysis.run import analyze_dataset
from reportgen.config.loading import read_config
from reportgen.data.sample import Codes, ModelColumns, ResamplingUnits, SamplingColumns, Times
from reportgen.planning.loading import build_vocabulary
from reportgen.planning.plan import build_analysis_plan
from reportgen.planning.resampling import choose_block_length
from tests.samples import make_sample

CONFIG = """
version: 1
report: {title: Test}
datasets:
  test: {path: t.csv, id: id, target: y, time: t}
task: regression
models:
  old: {column: a, role: baseline}
  new: {column: b}
metrics: [mae, kendall]
primary: {metric: mae}
bootstrap: {replicates: 99}
outputs: [json]
"""
N = 80


@pytest.fixture
def config(tmp_path):
    """The config above with a piece of its text changed."""

    def read(was="", now=""):
        assert was in CONFIG
        path = tmp_path / "test.yaml"
        path.write_text(CONFIG.replace(was, now, 1), encoding="utf-8")
        return read_config(path, build_vocabulary(), environ={}).config

    return read


def sample(**more):
    draw = np.random.default_rng(4)
    y = draw.gamma(2, 5, N)
    drift = np.cumsum(draw.normal(size=N))
    return make_sample(y, {"old": y + drift, "new": y + draw.normal(size=N)}, **more)


def times(order):
    return Times(np.asarray(order, dtype=np.int64), np.arange(float(N)))


def codes(numbers):
    return Codes(tuple(map(str, np.unique(numbers))), np.asarray(numbers))


def test_time_gives_blocks_as_long_as_the_baselines_losses_ask_for(config):
    order = np.arange(N)[::-1].copy()
    rows = sample(time=times(order))
    design = build_analysis_plan(config(), rows).sampling.design
    loss = np.abs(rows.models["old"].score - rows.y)[::-1]
    assert design.kind == "time blocks"
    assert design.unit.tolist() == order.tolist()
    assert design.block == choose_block_length(loss - loss.mean()) > 2


def test_a_declared_block_is_taken(config):
    found = build_analysis_plan(
        config("replicates: 99", "replicates: 99, block: 12"), sample(time=times(np.arange(N)))
    )
    assert found.sampling.design.block == 12


def test_another_metric_or_model_leaves_the_blocks(config):
    rows = sample(time=times(np.arange(N)))
    block = build_analysis_plan(config(), rows).sampling.design.block
    assert (
        build_analysis_plan(
            config("[mae, kendall]", "[rmse, mae, kendall]"), rows
        ).sampling.design.block
        == block
    )
    third = replace(rows, models={**rows.models, "third": ModelColumns(rows.y + 1)})
    more = config("  new: {column: b}", "  third: {column: c}\n  new: {column: b}")
    assert build_analysis_plan(more, third).sampling.design.block == block


def test_without_a_primary_metric_the_first_one_decides(config):
    rows = sample(time=times(np.arange(N)))
    declared = build_analysis_plan(config(), rows).sampling.design
    first = build_analysis_plan(config("primary: {metric: mae}\n"), rows).sampling.design
    assert first.block == declared.block


def test_clusters_and_queries_come_before_time(config):
    shop = ResamplingUnits("cluster", "shop", codes(np.arange(N) // 8))
    query = ResamplingUnits("query", "search", codes(np.arange(N) // 4))
    both = build_analysis_plan(
        config(), sample(time=times(np.arange(N)), units=shop)
    ).sampling.design
    assert (both.kind, both.units, both.block) == ("clusters", 10, None)
    alone = build_analysis_plan(
        config(), sample(time=times(np.arange(N)), units=query)
    ).sampling.design
    assert (alone.kind, alone.units, alone.block) == ("queries", 20, None)


def test_the_stratum_of_a_unit_is_that_of_its_rows(config):
    shop, town = codes(np.arange(N) // 8), codes(np.arange(N) // 40)
    design = build_analysis_plan(
        config(), sample(units=ResamplingUnits("cluster", "shop", shop), strata=town)
    ).sampling.design
    assert design.stratum.tolist() == [0] * 5 + [1] * 5
    assert design.kind == "clusters within strata"


def test_weights_and_what_the_rows_were_used_for_reach_the_answer(config):
    text = "id: id, target: y, used_to_choose: true"
    asked = build_analysis_plan(config("id: id, target: y, time: t", text), sample())
    assert asked.sampling.design.weights_are == "multinomial"
    assert "W110" in {doubt.code for doubt in analyze_dataset(asked).warnings}
    timeless = config(", time: t}", "}")
    weights = timeless.bootstrap.model_copy(update={"weights": "bayesian"})
    found = build_analysis_plan(timeless.model_copy(update={"bootstrap": weights}), sample())
    assert found.sampling.design.weights_are == "bayesian"


def poisson(config):
    """The config with units drawn each on its own."""
    boot = config.bootstrap.model_copy(update={"weights": "poisson"})
    return config.model_copy(update={"bootstrap": boot})


def test_poisson_draws_a_row_by_its_id_and_a_cluster_by_its_name(config):
    asked = poisson(config())
    rows = replace(sample(), ids=tuple(f"r{row}" for row in range(N)))
    half = make_sample(
        rows.y[::2], {name: m.score[::2] for name, m in rows.models.items()}, rows.ids[::2]
    )
    whole, part = (
        build_analysis_plan(asked, each).sampling.design.batch(1) for each in (rows, half)
    )
    assert (part.count == whole.count[::2]).all()
    shop = ResamplingUnits("cluster", "shop", codes(np.arange(N) // 8))
    late = ResamplingUnits("cluster", "shop", Codes(("7", "9"), np.arange(N) // 40))
    clusters = (
        build_analysis_plan(asked, replace(rows, sampling=SamplingColumns(units=shop)))
        .sampling.design.batch(0)
        .count
    )
    others = (
        build_analysis_plan(asked, replace(rows, sampling=SamplingColumns(units=late)))
        .sampling.design.batch(0)
        .count
    )
    assert (others[:40] == clusters[7 * 8]).all()
    assert (others[40:] == clusters[9 * 8]).all()


def test_many_segments_take_more_resamples_of_metrics_than_of_curves(config):
    pairs = tuple(Segment(f"pair={k}", np.array([2 * k, 2 * k + 1])) for k in range(N // 2))

    def count(was, now):
        design = build_analysis_plan(config(was, now), sample(), segments=pairs).sampling.design
        return design.replicates, design.curve_replicates

    declared = "bootstrap: {replicates: 99}"
    assert count(declared, "bootstrap: {interval: percentile}") == (3_198, 1_999)
    assert count(declared, "bootstrap: {replicates: 2500}") == (2_500, 2_500)
    costs = "bootstrap: {interval: percentile}\ncosts: {under: 3, over: 1}"
    assert count(declared, costs) == (3_198, 3_198)
