"""Which models the data tell apart from the best one: direct, paired and of all at once."""

import numpy as np
import pytest
from scipy.stats import norm

from benchmarks.plans import change_plan
from reportgen.analysis.dataset_analysis import draw_replicates
from reportgen.analysis.run import analyze_dataset
from reportgen.analysis.sensitivity.ranks import iter_differences_from_best
from reportgen.inference.intervals import compute_interval
from tests.analysis.asked import but, question


def records(asked):
    found = draw_replicates(asked)
    return [
        row for use in asked.statistics.metrics for row in iter_differences_from_best(found, use)
    ]


def alike(n=400, seed=11):
    """A poor baseline whose errors are its own, and two good models with nearly the same errors."""
    draw = np.random.default_rng(seed)
    y = draw.gamma(2.0, 5.0, n)
    noise, own = draw.normal(0, 4, n), draw.normal(0, 0.4, (2, n))
    return y, [y + draw.normal(0, 9, n), y + noise + own[0], y + 1.15 * noise + own[1]]


def test_two_candidates_are_judged_by_their_own_difference():
    asked = question(models=3, names=("mae",), data=alike())
    assert ("m2", "m1") not in asked.inference.pairs
    rows = {r.model: r for r in records(asked)}
    compared = {c.candidate: c for c in analyze_dataset(asked).comparisons}
    # Against the baseline their intervals overlap widely; against each other they do not.
    assert compared["m1"].high > compared["m2"].low and compared["m2"].high > compared["m1"].low
    assert set(rows) == {"m0", "m2"} and all(r.best == "m1" for r in rows.values())
    assert rows["m2"].is_distinguishable and rows["m2"].low > 0


def test_the_level_allows_for_all_models_of_the_metric():
    asked = question(models=3)
    assert {r.level for r in records(asked)} == {0.975}
    found = draw_replicates(asked)
    for row in records(asked):
        use = next(use for use in asked.statistics.metrics if use.key == row.key)
        pair = (row.model, row.best)
        if pair in asked.inference.pairs:
            evidence, _ = found.difference(found.parts[0], use, *pair)
            limits = compute_interval(evidence, asked.inference.interval, 0.975)
            assert (row.low, row.high) == pytest.approx((limits.low, limits.high), rel=1e-9)


def test_a_comparison_the_other_way_round_is_turned():
    asked = question(models=3, data=alike())
    turned = change_plan(asked, pairs=tuple((b, a) for a, b in asked.inference.pairs))
    # Without each replicate's own error only methods that do not read it agree.
    for one, two in zip(records(asked), records(turned), strict=True):
        assert one.difference == pytest.approx(two.difference)
        assert one.low <= one.difference <= one.high
        assert two.low <= two.difference <= two.high


def test_the_size_decides_where_zero_is_best():
    y = np.linspace(1, 30, 90)
    scores = [y + 5, y - 1 + 0.1 * np.sin(y), y - 3 + 0.1 * np.cos(y)]
    rows = {r.model: r for r in records(question(models=3, names=("bias",), data=(y, scores)))}
    assert {r.best for r in rows.values()} == {"m1"}
    assert rows["m2"].difference == pytest.approx(2, abs=0.05) and rows["m2"].is_distinguishable


def test_a_model_without_amounts_takes_no_part_in_errors():
    asked = question(models=3, names=("mae", "kendall"))
    ranks = but(asked.models[2], scale="rank")
    rows = records(change_plan(asked, models=(*asked.models[:2], ranks)))
    assert [r.level for r in rows if r.key == "mae"] == [0.95]
    assert [r.level for r in rows if r.key == "kendall"] == [0.975, 0.975]


def test_the_same_scores_are_not_separated():
    y, scores = alike()
    asked = question(models=3, names=("mae",), data=(y, [scores[1], scores[1], scores[0]]))
    rows = {r.model: r for r in records(asked)}
    assert (rows["m1"].difference, rows["m1"].is_distinguishable) == (0.0, False)


def test_two_models_have_a_comparison_instead():
    assert records(question(models=2)) == []
    assert analyze_dataset(question(models=2)).sensitivity.from_best == ()


def test_how_many_units_would_tell_a_model_from_the_best_is_known_where_it_is_not():
    n, draw = 200, np.random.default_rng(7)
    y = draw.gamma(2.0, 5.0, n)
    scores = [y + draw.normal(0, sd, n) for sd in (9.0, 4.0, 4.2)]
    found = records(question(models=3, names=("mae",), data=(y, scores)))
    open_ = [row for row in found if not row.is_distinguishable and row.difference]
    assert open_ and all(row.n_to_settle is None for row in found if row.is_distinguishable)
    for row in open_:
        # Half the interval is z(level) standard errors; with power 80% it takes z(level) + z(0.8).
        times = norm.ppf(1 - (1 - row.level) / 2)
        se = (row.high - row.low) / 2 / times
        expected = n * ((times + norm.ppf(0.8)) * se / row.difference) ** 2
        assert row.n_to_settle == pytest.approx(expected, rel=0.1)
