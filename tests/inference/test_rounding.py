"""What rounding leaves of nothing is nothing: no value, no difference, no change of a value."""

import numpy as np
import pytest

from benchmarks.plans import change_plan
from reportgen.analysis.plan import PlannedMetric
from reportgen.analysis.run import analyze_dataset
from reportgen.inference.differences import snap_to_bounds
from reportgen.metrics import METRICS
from reportgen.report.prose.warnings import format_warning
from tests.analysis.asked import but, question, rows


def test_an_exact_end_or_zero_is_one_whatever_rounding_leaves_of_it():
    near = np.array([6e-17, -1.1e-16, 1 - 2e-16, 1e-3])
    assert snap_to_bounds(near, 1e-12, (-1.0, 1.0)).tolist() == [0.0, 0.0, 1.0, 1e-3]


def test_the_bias_of_errors_that_cancel_is_zero_with_no_change_in_percent():
    y = np.linspace(0.0, 1.7, 60)
    score = y + np.tile([0.1, -0.1, 0.2, -0.2], 15)
    assert np.mean(score - y) != 0
    found = analyze_dataset(question(60, 2, ("bias",), data=(y, [score, score + 0.5])))
    (bias,) = (e for e in found.estimates if e.model == "m0")
    assert bias.value == 0.0
    changes = {row.model: row.change for row in found.sensitivity.influence}
    assert changes["m0"] is None and changes["m1"] is not None


def test_a_bias_not_told_from_zero_has_no_change_in_percent():
    y, (score, _) = rows(60, 2)
    score = score - np.mean(score - y) + 0.001
    found = analyze_dataset(question(60, 2, ("bias", "mae"), data=(y, [score, score + 9.0])))
    influence = found.sensitivity.influence
    assert {(row.key, row.model): row.change is None for row in influence} == {
        ("bias", "m0"): True,
        ("bias", "m1"): False,
        ("mae", "m0"): False,
        ("mae", "m1"): False,
    }


@pytest.mark.parametrize(("seed", "key", "model"), [(5, "bias", "m1"), (6, "r2", "m0")])
def test_a_value_whose_interval_holds_zero_has_no_change_in_percent(seed, key, model):
    draw = np.random.default_rng(seed)
    y = draw.standard_t(3, 40)
    scores = [0.3 * y + draw.normal(0, 0.8, 40), draw.normal(0, 0.3, 40)]
    found = analyze_dataset(question(names=("r2", "bias", "kendall"), data=(y, scores)))
    near_zero = {(e.key, e.model) for e in found.estimates if e.low <= 0 <= e.high}
    assert (key, model) in near_zero
    influence = found.sensitivity.influence
    assert {(row.key, row.model) for row in influence if row.change is None} >= near_zero


@pytest.mark.parametrize("offset", [1e12, 1e14])
def test_a_difference_below_the_rounding_of_y_is_none(offset):
    y, (score, _) = rows(60, 2)
    other = score + offset + np.spacing(offset) * (np.arange(60) % 2)
    found = analyze_dataset(
        question(60, 2, ("mae", "bias"), data=(y + offset, [score + offset, other]))
    )
    assert {(c.difference, c.favours, c.word) for c in found.comparisons} == {
        (0.0, None, "cannot tell")
    }


def test_a_bound_is_printed_with_the_digits_that_tell_it_from_the_end():
    for limit, shown in ((0.841886117, "0.84"), (0.9999992267, "0.9999992")):
        said = format_warning("W108", {"bound": 1.0, "exact_low": limit})
        assert f"the exact lower limit is {shown}" in said


@pytest.mark.parametrize("n", [30, 77, 100])
@pytest.mark.parametrize("quantile", [0.05, 0.3, 0.9])
def test_a_quantile_that_every_row_lies_below_is_at_the_end_of_its_range(n, quantile):
    y = np.arange(n) * 0.1
    score = y.max() + 1 + np.arange(n) * 0.3
    asked = question(n, data=(y, [score, score + 1]), names=("mae",))
    parts = {f"q{100 * quantile:g}": score, "q99": score + 1}
    who = tuple(but(c, parts=parts) for c in asked.models)
    use = PlannedMetric("below", METRICS["quantile_coverage"].use(quantile=quantile))
    told = [
        d.code for d in analyze_dataset(change_plan(asked, models=who, metrics=(use,))).warnings
    ]
    assert "W108" in told
