"""MASE in a report: where its scale comes from, and what it is refused for."""

import numpy as np
import pandas as pd
import pytest

from reportgen.errors import ConfigError
from tests.streaming.configs import results_of, written

CONFIG = """
version: 1
report: {title: Demand}
task: regression
datasets:
  test: {path: test.csv, id: id, target: yMORE}
models: {old: {column: old, role: baseline}, new: {column: new}}
metrics: [mae, {name: mase, season: 1PARAMS}]
bootstrap: {replicates: 99}
curves: []
compute: {engine: ENGINE}
outputs: [json]
"""
TRAIN = "\n  train: {path: train.csv, id: id, target: y, time: week, role: fit}"


def frame(n, first, seed):
    draw = np.random.default_rng(seed)
    y = 50 + 10 * np.sin(np.arange(first, first + n)) + draw.normal(0, 3, n)
    week = np.arange(first, first + n)
    table = {"id": draw.permutation(n) + 10_000 * seed, "week": week, "y": y}
    noise = {name: y + draw.normal(0, s, n) for name, s in (("old", 8), ("new", 4))}
    return pd.DataFrame({**table, **noise}).sample(frac=1, random_state=seed)


def judged(folder, more, params="", train=False, test=None):
    test = frame(80, 300, 1) if test is None else test
    test.to_csv(folder / "test.csv", index=False)
    frame(300, 0, 2).to_csv(folder / "train.csv", index=False)
    text = CONFIG.replace("yMORE}", "yMORE}" + TRAIN) if train else CONFIG
    return results_of(written(folder, text, "memory", more, ("PARAMS", params)))


def scale_of(table):
    return np.abs(np.diff(table.sort_values("week").y)).mean()


@pytest.mark.parametrize("train", [False, True])
def test_the_scale_is_that_of_the_rows_to_fit_on_or_else_of_the_same_rows(tmp_path, train):
    found = judged(tmp_path, ", time: week", train=train)
    of = {(e.key, e.model): e.value for e in found.estimates}
    table = frame(300, 0, 2) if train else frame(80, 300, 1)
    assert of["mae", "new"] / of["mase", "new"] == pytest.approx(scale_of(table), rel=1e-9)


def test_the_rows_are_compared_with_those_to_fit_on(tmp_path):
    found = judged(tmp_path, ", time: week", train=True, test=frame(80, 300, 1).assign(y=120.0))
    assert not judged(tmp_path, ", time: week").shifts
    target = next(s for s in found.shifts if s.kind == "target")
    assert (target.dataset, target.since, target.measure) == ("test", "train", "ks")
    assert target.distance == 1.0 and target.now == 120.0 and target.relative > 1


def test_series_are_told_by_the_cluster(tmp_path):
    both = pd.concat([frame(80, 0, 3).assign(shop="a"), frame(80, 0, 4).assign(shop="b")])
    both.loc[both.shop == "b", ["y", "old", "new"]] *= 100
    found = judged(tmp_path, ", time: week, cluster: shop", ", by: shop", test=both)
    value = next(e.value for e in found.estimates if (e.key, e.model) == ("mase", "new"))
    each = [(np.abs(t.y - t.new) / scale_of(t)).mean() for _, t in both.groupby("shop")]
    assert value == pytest.approx(np.mean(each), rel=1e-9)


def test_a_constant_series_gives_no_result_with_its_reason(tmp_path):
    flat = frame(80, 0, 4).assign(shop="b", y=7.0)
    both = pd.concat([frame(80, 0, 3).assign(shop="a"), flat])
    segment = ", time: week, segments: [shop]"
    found = judged(tmp_path, segment, ", by: shop", test=both)
    compared = next(c for c in found.comparisons if c.key == "mase")
    assert compared.word == "no result" and "constant" in compared.reason


@pytest.mark.parametrize(
    ("more", "params", "said"),
    [
        ("", "", "needs an order of the rows in time; add time: under datasets.test"),
        (", time: week", ", by: shop", "neither the cluster nor a segment"),
    ],
)
def test_it_is_refused_in_one_line(tmp_path, more, params, said):
    with pytest.raises(ConfigError, match=said):
        judged(tmp_path, more, params)
