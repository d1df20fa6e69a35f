"""Gates by table: an interval and a bound in, pass, fail or inconclusive out."""

from dataclasses import replace

import pytest

from reportgen.governance.decision import ResolvedGate, judge_gates
from reportgen.results.core import Comparison, Estimate
from reportgen.terms import Margin
from tests.report.sections import results_factory as made

LEVEL = ResolvedGate(
    name="a gate",
    rule="below",
    dataset="d",
    segment=None,
    key="mae",
    model="new",
    against=None,
    bound=Margin(40.0),
    on="interval",
    inconclusive="warn",
)
PAIR = replace(LEVEL, rule="non_inferior", against="old", bound=Margin(0.5))


def estimate(low, high, model="new", value=None, status="ok"):
    middle = value if value is not None or low is None else (low + high) / 2
    return Estimate(
        dataset="d",
        segment=None,
        model=model,
        key="mae",
        metric="mae",
        params={},
        unit="y",
        value=middle,
        low=low,
        high=high,
        level=0.95,
        method="t",
        se=1.0,
        n=100,
        status=status,
        reason="" if status == "ok" else "every y is equal",
    )


def comparison(low, high, better="lower", candidate="new", baseline="old"):
    middle = None if low is None else (low + high) / 2
    return Comparison(
        dataset="d",
        segment=None,
        key="mae",
        metric="mae",
        params={},
        unit="y",
        better=better,
        candidate=candidate,
        baseline=baseline,
        difference=middle,
        favours=None,
        low=low,
        high=high,
        level=0.95,
        method="t",
        se=1.0,
        p_value=None,
        p_adjusted=None,
        test="t",
        probability_better=None,
        margin=None,
        word="cannot tell",
        n=100,
    )


def status(demand, *found):
    results = replace(
        made.wallet(),
        estimates=tuple(f for f in found if isinstance(f, Estimate)),
        comparisons=tuple(f for f in found if isinstance(f, Comparison)),
    )
    return judge_gates([demand], results)[0].status


@pytest.mark.parametrize(
    ("rule", "low", "high", "expected"),
    [
        ("below", 30, 39, "met"),
        ("below", 30, 41, "cannot tell"),
        ("below", 41, 50, "not met"),
        ("below", 30, 40, "cannot tell"),
        ("above", 41, 50, "met"),
        ("above", 30, 41, "cannot tell"),
        ("above", 30, 40, "not met"),
        ("above", None, None, "cannot tell"),
    ],
)
def test_a_level_gate_rests_on_the_whole_interval(rule, low, high, expected):
    assert status(replace(LEVEL, rule=rule), estimate(low, high)) == expected


@pytest.mark.parametrize(("value", "expected"), [(39.0, "met"), (41.0, "not met")])
def test_on_value_the_interval_does_not_count(value, expected):
    demand = replace(LEVEL, on="value")
    assert status(demand, estimate(0.0, 90.0, value=value)) == expected


def test_on_value_no_interval_is_told():
    found = replace(made.wallet(), estimates=(estimate(0.0, 90.0, value=39.0),), comparisons=())
    (judged,) = judge_gates([replace(LEVEL, on="value")], found)
    assert (judged.low, judged.high) == (None, None)
    assert (judged.value, judged.reason) == (39.0, "")


@pytest.mark.parametrize(
    ("rule", "low", "high", "expected"),
    [
        # the difference of an error: below zero is good
        ("non_inferior", -1.0, 0.4, "met"),
        ("non_inferior", -1.0, 0.6, "cannot tell"),
        ("non_inferior", 0.6, 1.0, "not met"),
        ("better", -2.0, -0.6, "met"),
        ("better", -2.0, -0.4, "cannot tell"),
        ("better", -0.4, 1.0, "not met"),
        ("no_regression", -1.0, 9.0, "no harm seen"),
        ("no_regression", 0.4, 9.0, "no harm seen"),
        ("no_regression", -9.0, 0.4, "met"),
        ("no_regression", 0.6, 9.0, "not met"),
        ("no_regression", None, None, "cannot tell"),
    ],
)
def test_a_paired_gate_rests_on_the_interval_of_the_difference(rule, low, high, expected):
    assert status(replace(PAIR, rule=rule), comparison(low, high)) == expected


def test_where_more_is_better_the_signs_turn():
    assert status(PAIR, comparison(-0.4, 1.0, better="higher")) == "met"
    assert status(PAIR, comparison(-1.0, -0.6, better="higher")) == "not met"


def test_a_comparison_made_the_other_way_round_is_turned():
    turned = comparison(-0.4, 1.0, candidate="old", baseline="new")
    assert status(PAIR, turned) == "met"


def test_a_relative_margin_is_a_share_of_the_baseline():
    demand = replace(PAIR, bound=Margin(0.02, is_relative=True))
    baseline = estimate(40, 60, model="old")  # 2% of 50 is 1
    assert status(demand, baseline, comparison(-1.0, 0.9)) == "met"
    assert status(demand, baseline, comparison(-1.0, 1.1)) == "cannot tell"


def test_what_is_undefined_never_passes_nor_fails():
    assert status(LEVEL, estimate(None, None, status="undefined")) == "cannot tell"


def test_the_reason_says_why_there_is_no_number():
    results = replace(made.wallet(), estimates=(estimate(None, None, status="undefined"),))
    assert judge_gates([LEVEL], results)[0].reason == "every y is equal"
    where = replace(results.estimates[0], reason="where no row is called positive")
    (found,) = judge_gates([LEVEL], replace(results, estimates=(where,)))
    assert found.reason == "the value is undefined where no row is called positive"


@pytest.mark.parametrize(
    ("policy", "is_failure"), [("pass", False), ("warn", False), ("fail", True)]
)
def test_an_open_gate_counts_as_its_config_says(policy, is_failure):
    results = replace(made.wallet(), estimates=(estimate(30, 41),))
    found = judge_gates([replace(LEVEL, inconclusive=policy)], results)[0]
    assert found.is_failure is is_failure


@pytest.mark.parametrize("rule", ["non_inferior", "no_regression"])
@pytest.mark.parametrize("bound", [0.0, 2.0])
def test_a_difference_that_is_zero_on_every_unit_is_no_loss(rule, bound):
    same = replace(comparison(None, None), difference=0.0, is_same=True, reason="no interval")
    asked = replace(PAIR, rule=rule, bound=Margin(bound), inconclusive="fail")
    assert status(asked, same, estimate(30, 31, model="old")) == "met"
    assert status(replace(asked, rule="better"), same, estimate(30, 31)) != "met"


@pytest.mark.parametrize(
    ("low", "high", "expected"),
    [(-11, -10, "not met"), (-0.5, 0.6, "met"), (-0.5, 1.2, "cannot tell"), (0.2, 0.4, "met")],
)
def test_a_bound_on_what_is_best_at_zero_means_its_size(low, high, expected):
    results = made.wallet()
    metrics = tuple(replace(m, key="mae", better="zero") for m in results.metrics[:1])
    results = replace(results, metrics=metrics, estimates=(estimate(low, high),))
    assert judge_gates([replace(LEVEL, bound=Margin(1.0))], results)[0].status == expected


@pytest.mark.parametrize("rule", ["better", "non_inferior", "no_regression"])
@pytest.mark.parametrize(("low", "high"), [(0.0, 2.0), (-2.0, 0.0)])
def test_an_interval_that_reaches_zero_decides_no_gate_without_a_margin(rule, low, high):
    demand = replace(PAIR, rule=rule, bound=Margin(0.0))
    is_passed = rule == "no_regression"  # which asks for evidence of harm
    assert status(demand, comparison(low, high)) == ("no harm seen" if is_passed else "cannot tell")
    sure = comparison(low + 0.1 * (low == 0), high - 0.1 * (high == 0))
    assert status(demand, sure) == ("met" if sure.high < 0 else "not met")


def test_a_gate_quotes_the_interval_of_its_comparison_bit_for_bit():
    given = replace(comparison(-1.2345678901, -0.1234567891), family="choice", family_size=5)
    results = replace(made.wallet(), comparisons=(given,))
    (found,) = judge_gates([replace(PAIR, rule="better", bound=Margin(0.0))], results)
    assert (found.low, found.high, found.level) == (given.low, given.high, given.level)


def of_tail(found, **tail):
    return replace(found, **tail)


@pytest.mark.parametrize(
    ("rule", "low", "high", "tail", "expected"),
    [
        ("below", 30, 39, {"tail_reach": 0.9}, "met"),
        ("below", 30, 39, {"tail_reach": 1.1}, "cannot tell"),
        ("below", 30, 39, {"is_decided_by_few": True}, "cannot tell"),
        ("above", 41, 50, {"tail_reach": 0.9}, "met"),
        ("above", 41, 50, {"tail_reach": 1.1}, "cannot tell"),
        ("below", 41, 50, {"is_decided_by_few": True}, "not met"),
        ("below", 30, 41, {"tail_reach": 5.0}, "cannot tell"),
        ("above", None, None, {"is_decided_by_few": True}, "cannot tell"),
    ],
)
def test_a_level_that_a_few_units_decide_is_met_only_beyond_their_reach(
    rule, low, high, tail, expected
):
    found = of_tail(estimate(low, high), **tail)
    assert status(replace(LEVEL, rule=rule), found) == expected


@pytest.mark.parametrize(
    ("rule", "bound", "low", "high", "expected"),
    [
        ("non_inferior", 0.5, -2.0, 0.3, "cannot tell"),
        ("non_inferior", 0.5, -2.0, 0.1, "met"),
        ("better", 0.5, -2.0, -0.7, "cannot tell"),
        ("better", 0.0, -2.0, -0.1, "met"),  # against zero both tails are alike
        ("no_regression", 0.5, -2.0, 0.3, "no harm seen"),  # it asks for evidence of harm alone
        ("no_regression", 0.5, 0.6, 2.0, "not met"),
    ],
)
def test_a_margin_is_kept_only_beyond_the_reach_of_a_few_units(rule, bound, low, high, expected):
    found = of_tail(comparison(low, high), tail_reach=0.3)
    demand = replace(PAIR, rule=rule, bound=Margin(bound))
    assert status(demand, found) == expected
    turned = of_tail(comparison(-high, -low, candidate="old", baseline="new"), tail_reach=0.3)
    assert status(demand, turned) == expected


def test_a_heavy_tail_that_the_config_allows_leaves_nothing_open():
    found = of_tail(estimate(30, 39), is_decided_by_few=True)
    assert status(replace(LEVEL, allows_heavy_tail=True), found) == "met"
    assert status(replace(LEVEL, on="value"), found) == "met"


def test_what_a_heavy_tail_leaves_open_says_so_and_keeps_its_numbers():
    found = of_tail(estimate(30, 39), is_decided_by_few=True)
    results = replace(made.wallet(), estimates=(found,), datasets=made.wallet().datasets[:1])
    dataset = results.datasets[0].name
    results = replace(results, estimates=(replace(found, dataset=dataset),))
    (judged,) = judge_gates([replace(LEVEL, dataset=dataset)], results)
    assert judged.held_by == "heavy_tail" and (judged.low, judged.high) == (30, 39)
    assert judged.reason.startswith("a few ") and "heavy tail" in judged.reason
