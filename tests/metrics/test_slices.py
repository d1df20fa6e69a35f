"""Quantiles of many slices at once have the bits of a loop over the buckets."""

import numpy as np
import pytest

from reportgen.kernels.batch import Batch
from reportgen.metrics import METRICS, statistic
from reportgen.metrics.regression.buckets import compute_bucket_values
from reportgen.metrics.rows import Amounts

KINDS = ("all different", "some tied", "all tied")
WEIGHTS = ("counts", "amounts", "one is most", "half are dust")


def scores(kind, n, draw):
    if kind == "all tied":
        return np.zeros(n)
    return draw.normal(size=n) if kind == "all different" else np.round(draw.normal(size=n))


def weights(kind, n, draw):
    if kind == "counts":
        return draw.poisson(1.0, n).astype(float)
    weight = draw.uniform(0.1, 3.0, n)
    if kind == "one is most":
        weight[n // 2] = 1e6
    elif kind == "half are dust":
        weight[::2] *= 1e-14
    return weight


@pytest.mark.parametrize("most", [1, 500, 1_000_000])
@pytest.mark.parametrize("edges", ["fractional", "integer"])
@pytest.mark.parametrize("weighted", WEIGHTS)
@pytest.mark.parametrize("kind", KINDS)
def test_the_bits_are_those_of_a_loop(monkeypatch, kind, weighted, edges, most):
    monkeypatch.setattr(statistic, "MOST", most)
    draw = np.random.default_rng(3)
    for n, buckets in ((1, 2), (2, 5), (34, 200), (90, 7), (90, 90)):
        y = np.round(draw.gamma(1, 4, n)) * draw.choice([-1.0, 1.0], n)
        rows, weight = Amounts(y, scores(kind, n, draw)), weights(weighted, n, draw)
        if not weight.any():
            continue
        for how in ({"statistic": "median"}, {"quantile": 0.9}, {"quantile": 1e-13}):
            expected = compute_bucket_values(
                y, rows.score.values, weight, buckets, edges=edges, **how
            )
            for name, value in (
                ("first", expected[0]),
                ("last", expected[-1]),
                ("difference", expected[-1] - expected[0]),
            ):
                metric = METRICS[f"ranking_{name}"].use(buckets=buckets, edges=edges, **how)
                found = metric.bind(rows)(Batch.from_weights(weight))
                np.testing.assert_array_equal(found, [value])
            here = statistic.WeightSlices(rows, weight)
            cuts = np.linspace(0, here.total, buckets + 1)
            if edges == "integer":
                cuts = np.floor(cuts * (1 + 1e-12))
            q = how.get("quantile", 0.5)
            np.testing.assert_array_equal(here.quantiles(cuts[:-1], cuts[1:], q), expected)
