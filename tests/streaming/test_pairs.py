"""Measures of pairs and of ranks from bins of target and score: bounds hold, influence is right."""

import numpy as np
import pyarrow as pa
import pytest
from pyarrow import parquet
from scipy import stats

from reportgen import archive
from reportgen.errors import ConfigError
from reportgen.metrics.spec import METRICS
from reportgen.report import run
from reportgen.rows import Amounts
from reportgen.streaming import axes
from reportgen.streaming.axes import axis_of
from reportgen.streaming.pair_bins import pair_bins_of
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
        "constant": lambda: np.full(n, 0.3), "sorted": lambda: np.sort(draw.random(n)),
        "two rows": lambda: draw.random(n), "tails": lambda: y + draw.standard_cauchy(n),
        "both": lambda: np.round(y, 1), "opposite": lambda: -(y**3),
    }[kind]()  # fmt: skip
    if kind in ("ties", "both") or draw.random() < 0.2:
        y = np.maximum(np.round(y, int(draw.integers(0, 2))), 0.0)
    if kind == "sorted" or draw.random() < 0.1:
        y = np.sort(y)
    weight = draw.integers(0, 5, n).astype(float) if draw.random() < 0.4 else np.ones(n)
    weight[:2] = np.maximum(weight[:2], 1)
    return y, score, weight


def tables(y, score, weight, sampled, coarse=axes.COARSE, fine=axes.FINE):
    rows, is_weighted = Amounts(y, score), bool((weight != 1).any())
    samples = {"": y[sampled], "model": score[sampled]}
    bins = pair_bins_of(["model"], samples, is_weighted, coarse, fine)
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
        monkeypatch.setattr(axes, "EDGES", int(draw.integers(1, 60)))
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
