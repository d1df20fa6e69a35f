"""Statistics of a bucket that a file of the user's brings: in metrics, in curves, in the config."""

from pathlib import Path

import numpy as np
import pytest

from reportgen.errors import ConfigError
from reportgen.kernels.batch import Batch
from reportgen.metrics import METRICS
from reportgen.metrics.curves import CURVES
from reportgen.metrics.rows import Amounts
from reportgen.metrics.statistic import STATISTICS
from reportgen.planning.loading import build_vocabulary, load_plugins

PLUGIN = """
import numpy as np
import reportgen
from reportgen.metrics.curves.curve import curve

@reportgen.bucket_statistic
def average(y, weight):
    "The mean again, to be held against it."
    assert np.all(weight > 0)
    return float(np.average(y, weights=weight))

@reportgen.bucket_statistic
def largest(y, weight):
    return float(y.max())

@curve(title="Ours", task="regression", needs="order", x_label="x", y_label="y", x_unit="1",
       y_unit="1", bounds=(0, 1), is_monotone=False, cite="ours", grid=lambda rows, weight: rows.y)
def ours(rows, batch, grid):
    "A curve of our own."
    return np.zeros((batch.size, len(grid)))
"""


@pytest.fixture
def brought(tmp_path):
    (tmp_path / "ours.py").write_text(PLUGIN)
    with load_plugins([(Path(tmp_path / "ours.py"), "ours.py", "x.yaml:1:1")], is_allowed=True):
        yield


def sample(n=60):
    draw = np.random.default_rng(8)
    y = np.round(draw.gamma(2, 5, n))
    return Amounts(y, np.round(y + draw.normal(0, 4, n))), draw.uniform(0.5, 2, n)


@pytest.mark.usefixtures("brought")
@pytest.mark.parametrize("name", ["first", "last", "difference"])
def test_a_metric_of_the_ends_asks_for_no_bucket_between(monkeypatch, name):
    rows, weight = sample()
    calls = []

    def counted(y, weight):
        calls.append(len(y))
        return float(y.max())

    monkeypatch.setitem(STATISTICS, "largest", counted)
    metric = METRICS[f"ranking_{name}"].use(buckets=7, statistic="largest")
    metric.bind(rows)(Batch.from_weights(weight))
    assert len(calls) == 2  # one call for each end, kept for all metrics of the ends


@pytest.mark.usefixtures("brought")
@pytest.mark.parametrize("edges", ["fractional", "integer"])
@pytest.mark.parametrize("name", ["last", "first", "difference", "slope"])
def test_a_mean_of_ones_own_is_the_mean(name, edges):
    rows, weight = sample()
    metric = METRICS[f"ranking_{name}"]
    own, mean = (
        metric.use(buckets=7, statistic=s, edges=edges).bind(rows)(Batch.from_weights(weight))
        for s in ("average", "mean")
    )
    np.testing.assert_allclose(own, mean, rtol=1e-12)


@pytest.mark.usefixtures("brought")
def test_the_curve_of_a_mean_of_ones_own_is_that_of_the_mean():
    rows, weight = sample()
    own, mean = (
        CURVES["ranking"].use(buckets=7, statistic=s).bind(rows, weight)
        for s in ("average", "mean")
    )
    np.testing.assert_allclose(
        own(Batch.from_weights(weight)), mean(Batch.from_weights(weight)), rtol=1e-12
    )
    assert own.trace(weight).marks["random"] == pytest.approx(mean.trace(weight).marks["random"])


@pytest.mark.usefixtures("brought")
def test_the_largest_y_of_the_last_of_two_buckets():
    rows = Amounts(np.array([1.0, 9.0, 4.0, 2.0]), np.array([1.0, 2.0, 3.0, 4.0]))
    metric = METRICS["ranking_last"].use(buckets=2, statistic="largest")
    assert metric.bind(rows)(Batch.from_weights(np.ones(4))).tolist() == [4.0]


@pytest.mark.usefixtures("brought")
def test_what_is_the_users_own_is_never_kept():
    rows, weight = sample()
    for statistic, is_kept in (("mean", True), ("average", False)):
        bound = METRICS["ranking_last"].use(statistic=statistic).bind(rows)
        drawn = CURVES["ranking"].use(statistic=statistic).bind(rows, weight)
        assert (bound.identity is not None, drawn.identity is not None) == (is_kept, is_kept)


@pytest.mark.usefixtures("brought")
def test_the_config_may_name_it():
    for words, name in (
        (build_vocabulary().metrics, "ranking_last"),
        (build_vocabulary().curves, "ranking"),
    ):
        assert words[name].parameters["statistic"].choices == (
            "mean",
            "median",
            "average",
            "largest",
        )


def test_nothing_is_left_of_a_plugin_after_its_run(tmp_path):
    (tmp_path / "ours.py").write_text(PLUGIN)
    before = dict(METRICS), dict(CURVES), dict(STATISTICS)
    for _ in range(2):
        with load_plugins([(tmp_path / "ours.py", "ours.py", "x.yaml:1:1")], is_allowed=True):
            assert "ours" in CURVES and "largest" in STATISTICS
    assert before == (METRICS, CURVES, STATISTICS)
    assert build_vocabulary().metrics["ranking_last"].parameters["statistic"].choices == (
        "mean",
        "median",
    )


def test_a_statistic_needs_permission_and_a_name_of_its_own(tmp_path):
    (tmp_path / "ours.py").write_text(PLUGIN.replace("def average", "def median"))
    at = [(tmp_path / "ours.py", "ours.py", "x.yaml:1:1")]
    with (
        pytest.raises(ConfigError, match="add --allow-plugins"),
        load_plugins(at, is_allowed=False),
    ):
        pass
    said = "'median' of a bucket is already registered"
    with pytest.raises(ConfigError, match=said), load_plugins(at, is_allowed=True):
        pass
    assert STATISTICS == {}
