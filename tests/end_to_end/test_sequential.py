"""`inference: {sequential: true}`: limits that hold at every analysis, in a report."""

import numpy as np
import pandas as pd
import pytest

from reportgen.errors import ConfigError
from reportgen.governance.study import Options
from reportgen.inference.sequential import Arrivals
from reportgen.pipeline import run_config
from reportgen.progress import SilentProgress
from tests.streaming.configs import results_of, written

CONFIG = """
version: 1
report: {title: Looks}
task: binary
datasets: {test: {path: rows.csv, id: id, target: yMORE}}
models: {old: {column: old, role: baseline}, new: {column: new}}
metrics: [PRIMARY, average_precision]
bootstrap: {replicates: 199BOOT}
inference: {sequential: trueLARGEST}
curves: []
compute: {engine: ENGINE}
outputs: [FILES]
"""


def rows(n=600, seed=3):
    draw = np.random.default_rng(seed)
    logit = draw.normal(0, 2, n)
    y = (draw.random(n) < 1 / (1 + np.exp(-logit))).astype(int)
    new, old = (1 / (1 + np.exp(-(logit + draw.normal(0, s, n)))) for s in (0.2, 1.5))
    return pd.DataFrame({"id": draw.permutation(n), "y": y, "old": old, "new": new})


def judged(
    folder, frame, primary="brier", engine="memory", more="", largest="", boot="", output="json"
):
    frame.to_csv(folder / "rows.csv", index=False)
    changes = [("PRIMARY", primary), ("LARGEST", largest), ("BOOT", boot), ("FILES", output)]
    return results_of(written(folder, CONFIG, engine, more, *changes))


def primary_of(results):
    return next(c for c in results.comparisons if c.key == results.inference.primary)


def test_limits_are_those_of_the_rows_in_the_order_of_the_file(tmp_path):
    frame = rows()
    found = primary_of(judged(tmp_path, frame))
    each = (frame.new - frame.y) ** 2 - (frame.old - frame.y) ** 2
    known = Arrivals(each.to_numpy(), -1.0, 1.0)
    assert (found.low, found.high) == pytest.approx(known.compute_limits(0.95), rel=1e-6)
    assert found.e_value == pytest.approx(known.e_value, rel=1e-6)
    assert found.p_value == pytest.approx(1 / known.e_value, rel=1e-6)
    assert (found.method, found.test, found.word) == ("anytime", "e-value", "better")
    half = 1.9639 * each.std() / np.sqrt(len(each))
    assert found.times_as_wide == pytest.approx((found.high - found.low) / (2 * half), rel=0.05)


def test_rows_come_in_the_order_of_time_where_the_config_has_it(tmp_path):
    frame = rows()
    later = frame.assign(day=np.arange(len(frame))).sample(frac=1, random_state=1)
    one = primary_of(judged(tmp_path, frame))
    other = primary_of(judged(tmp_path, later, more=", time: day"))
    assert (one.low, one.high) == (other.low, other.high)


def test_other_metrics_keep_their_limits(tmp_path):
    found = judged(tmp_path, rows())
    other = next(c for c in found.comparisons if c.key == "average_precision")
    assert other.method != "anytime" and (other.e_value, other.times_as_wide) == (None, None)


def test_a_metric_without_a_largest_value_takes_a_declared_one(tmp_path):
    found = judged(tmp_path, rows(), "log_loss", largest=", largest_difference: 9")
    assert primary_of(found).method == "anytime"
    short = primary_of(judged(tmp_path, rows(), "log_loss", largest=", largest_difference: 0.1"))
    assert (short.word, short.low) == ("no result", None)
    assert "largest_difference" in short.reason


def test_rows_that_are_sorted_have_no_result(tmp_path):
    frame = rows().assign(d=lambda t: (t.new - t.y) ** 2 - (t.old - t.y) ** 2).sort_values("d")
    found = primary_of(judged(tmp_path, frame.drop(columns="d")))
    assert found.word == "no result" and "order in which they came" in found.reason


@pytest.mark.parametrize(
    ("primary", "more", "said"),
    [
        ("roc_auc", "", "is not one; choose one such as brier, accuracy, "),
        ("log_loss", "", "largest_difference"),
        ("brier_skill", "", "is not one; choose"),
        ("brier", ", cluster: id", "cluster does not go with inference.sequential"),
        ("brier", ", weight: old", "weight does not go with"),
        ("brier", ", fold: id", "fold does not go with"),
        ("brier", ", looks: 5", "looks does not go with"),
    ],
)
def test_what_does_not_suit_is_refused_with_a_way_out(tmp_path, primary, more, said):
    with pytest.raises(ConfigError, match=said):
        judged(tmp_path, rows(50), primary, more=more)


def test_it_is_refused_of_streamed_rows(tmp_path):
    with pytest.raises(ConfigError, match=r"inference.sequential is not offered when streamed"):
        judged(tmp_path, rows(50), engine="stream", boot=", weights: poisson")


def test_the_page_says_that_limits_hold_at_every_analysis(tmp_path):
    frame = rows()
    frame.to_csv(tmp_path / "rows.csv", index=False)
    changes = [("PRIMARY", "brier"), ("LARGEST", ""), ("BOOT", ""), ("FILES", "markdown")]
    made = run_config(
        written(tmp_path, CONFIG, "memory", "", *changes), Options(), SilentProgress()
    )
    text = made.files["report.md"].decode()
    assert "The CIs hold at every analysis, however often rows are added." in text
    assert (
        "CIs of differences on Brier score hold at every analysis" in text
        and "times as wide as one for a single" in text
    )
