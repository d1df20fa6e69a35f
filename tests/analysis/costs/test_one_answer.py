"""What is cheapest by the text, and every table beside it, tell the same of two models."""

from itertools import combinations

import numpy as np
import pytest

from benchmarks.plans import change_plan
from reportgen.analysis.comparisons import iter_comparisons
from reportgen.analysis.costs.actions import Action, Actions
from reportgen.analysis.costs.cost_model import CostModel
from reportgen.analysis.costs.decisions import cost_statistic
from reportgen.analysis.costs.shift_methods import Methods
from reportgen.analysis.curves import JointAnalysis
from reportgen.analysis.dataset_analysis import draw_replicates
from reportgen.analysis.plan import PlannedMetric
from reportgen.analysis.run import analyze_dataset
from reportgen.inference.intervals import compute_interval
from reportgen.metrics import METRICS
from reportgen.metrics.lookup import find_metric
from reportgen.report.prose.cost_advice import describe_cheapest
from reportgen.report.prose.costs import CostWording, describe_decision
from tests.analysis.asked import but
from tests.analysis.costs.asking import asked
from tests.analysis.costs.test_methods import taught

ALPHAS = (0.2, 0.5, 0.8)
N = 120
CASES = [
    (models, is_all, is_fitted)
    for models in (1, 2, 4)
    for is_all in (False, True)
    for is_fitted in (False, True)
]


def found(models, is_all, is_fitted, seed, *, has_methods=False):
    """Models of nearly one quality, so that little and much is shown; the last is in use."""
    draw = np.random.default_rng(seed)
    y = draw.gamma(2.0, 10.0, N)
    names = [f"m{k}" for k in range(models)]
    bias, sd = draw.normal(0, 1.5, models), draw.choice([3.0, 4.0, 6.0], models)
    scores = {
        m: y + b + s * draw.standard_normal(N) for m, b, s in zip(names, bias, sd, strict=True)
    }
    declared = (None, 0.2, 0.8)[seed % 3]
    cost_model = CostModel(
        ALPHAS,
        total=5.0,
        unit="EUR",
        is_priced=True,
        is_fitted=is_fitted,
        degree=1,
        declared=declared,
    )
    question = asked(y, scores, cost_model, replicates=99, baseline=names[-1])
    if is_fitted:
        who = tuple(
            but(c, fit=taught(y, c.rows.score.values + draw.standard_normal(N), replicates=99))
            for c in question.models
        )
        methods = Methods(cost_model) if has_methods else None
        question = change_plan(
            question, models=who, cost_statistics=(cost_statistic(cost_model, methods),)
        )
    if is_all:
        order = [names[-1], *names[:-1]]
        question = change_plan(question, pairs=tuple((b, a) for a, b in combinations(order, 2)))
    return names[-1], analyze_dataset(question).costs[0]


def of_alpha(rows, alpha):
    return [row for row in rows if row.asymmetry == alpha]


def verdict(ranges, shift, candidate, baseline, alpha):
    """What the ranges say of two models at an asymmetry."""
    pair = (shift, candidate, baseline)
    own = [each for each in ranges if (each.shift, each.candidate, each.baseline) == pair]
    return next((each.verdict for each in own if each.low <= alpha <= each.high), "undetermined")


def cheaper(crossings, shift, pair, alpha):
    """Whom the crossings call cheaper at an asymmetry; None where neither."""
    own = [c for c in crossings if c.shift == shift and {c.first, c.second} == set(pair)]
    if not own or any(c.low is not None and c.low <= alpha <= c.high for c in own):
        return None
    below = [c for c in own if c.low is not None and alpha < c.low]
    return below[0].cheaper_below if below else own[-1].cheaper_above


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize(("models", "is_all", "is_fitted"), CASES)
def test_no_sentence_or_table_contradicts_another(models, is_all, is_fitted, seed):
    today, known = found(models, is_all, is_fitted, seed)
    terms = CostWording("EUR", "y", 1000, 0.95, today, {}, True, is_alone=models == 1)
    for alpha in ALPHAS:
        plain, shifted = of_alpha(known.decisions, alpha)[:2]
        options = of_alpha(known.options, alpha)
        bold = describe_cheapest(options, terms)
        text = " ".join(describe_decision(plain, shifted, terms, known.ranges, known.envelope))
        advised = next(option for option in options if option.is_advised)
        cheapest = min(options, key=lambda option: option.cost.value)
        assert terms.label(cheapest.model) in bold or models == 1
        is_open = "cannot tell whether it costs less" in bold
        is_today = (cheapest.model, cheapest.method) == (today, "none")
        assert is_open == (not cheapest.saving.is_above_zero and not is_today)
        assert advised.saving.low >= 0
        is_best_level = today in (*plain.not_distinguishable, plain.best)
        assert is_best_level == (not plain.cheapest.saving.is_above_zero)
        is_kept = (advised.model, advised.method) == (today, "none")
        if is_kept and plain.best != today:
            assert "cannot tell whether it saves" in text and "as cheap" not in text
            assert verdict(known.ranges, "none", plain.best, today, alpha) != "cheaper"
        for option in options:
            judged = verdict(known.ranges, "none", option.model, today, alpha)
            first = cheaper(known.crossings, "none", (option.model, today), alpha)
            if option.method == "none" and option.model != today:
                assert (judged != "cheaper") or option.saving.is_above_zero
                assert (judged != "dearer") or option.saving.is_below_zero
                assert (first != option.model) or option.saving.is_above_zero
                assert (first != today) or option.saving.is_below_zero


@pytest.mark.parametrize("is_fitted", [False, True])
def test_one_pair_of_actions_has_one_interval_wherever_it_is_printed(is_fitted):
    today, known = found(3, False, is_fitted, 9, has_methods=True)
    assert bool(known.shifts) == is_fitted
    for alpha in ALPHAS:
        saving = {(o.model, o.method): o.saving for o in of_alpha(known.options, alpha)}
        plain = of_alpha(known.decisions, alpha)[0]
        mine = next(each for each in plain.models if each.model == today)
        if plain.best != today:
            assert mine.excess == plain.cheapest.saving
        for each in plain.models:
            assert each.saving == saving[each.model, "none"]
        for each in of_alpha(known.shifts, alpha):
            if each.method != "optimal":
                assert each.saving == saving[each.model, each.method]


ALIKE = {
    ("linlin", "none"): "mae",
    ("quadquad", "none"): "rmse",
    ("quadquad", "optimal"): "error_variance",
}


def two(seed, loss, key, design):
    """Two models at one half: their costs, and one metric that orders models as these do."""
    draw = np.random.default_rng(seed)
    y = draw.lognormal(1.5, 0.7, 80)
    scores = {m: y + (3 + 1.2 * k) * draw.standard_t(3, 80) for k, m in enumerate("ab")}
    weight = draw.exponential(1, 80) + 0.3 if design == "weights" else None
    unit = np.arange(80) % 20 if design == "clusters" else None
    question = asked(
        y, scores, CostModel((0.5,), loss=loss), weight=weight, unit=unit, replicates=99
    )
    return change_plan(question, metrics=(PlannedMetric("metric", METRICS[key].use()),))


def side(low, high):
    return (low > 0) - (high < 0)


@pytest.mark.parametrize("design", ["rows", "weights", "clusters"])
@pytest.mark.parametrize(("loss", "shift"), ALIKE)
def test_costs_leave_zero_out_where_the_metric_of_the_same_order_does(loss, shift, design):
    sides = set()
    for seed in range(25):
        found = draw_replicates(two(seed, loss, ALIKE[loss, shift], design))
        compared = next(iter_comparisons(found))
        actions = Actions(
            JointAnalysis(found, found.plan.costs.statistics[0].parts), CostModel((0.5,), loss=loss)
        )
        cost = actions.difference(Action("b", shift), Action("a", shift), 0)
        own = compute_interval(cost, "auto", 0.95)
        assert side(own.low, own.high) == side(compared.low, compared.high)
        if loss == "linlin":
            assert (own.low, own.high) == pytest.approx((compared.low, compared.high))
        sides.add(side(own.low, own.high))
    assert len(sides) > 1


def test_one_candidate_at_one_asymmetry_is_a_family_of_one():
    answers = [analyze_dataset(two(seed, "linlin", "mae", "rows")) for seed in range(5)]
    for answer in answers:
        saving = next(m for m in answer.costs[0].decisions[0].models if m.model == "b").saving
        only = answer.comparisons[0]
        assert (-saving.high, -saving.low) == pytest.approx((only.low, only.high))


def test_a_cost_has_the_interval_of_the_metric_that_it_is_a_multiple_of():
    y = np.arange(40.0)
    draw = np.random.default_rng(4)
    scores = {m: y + 3 * draw.standard_normal(40) for m in "ab"}
    cost_model = CostModel((0.8,), total=5.0, unit="EUR", is_priced=True, declared=0.8)
    use = PlannedMetric("metric", find_metric("expected_cost", under=4.0, over=1.0))
    answer = analyze_dataset(change_plan(asked(y, scores, cost_model), metrics=(use,)))
    cost = {each.model: each.cost for each in answer.costs[0].decisions[0].models}
    for estimate in answer.estimates:
        own = cost[estimate.model]
        assert (own.low, own.high) == pytest.approx((1000 * estimate.low, 1000 * estimate.high))


def test_savings_are_against_the_model_in_use_whomever_others_are_compared_with():
    today, known = found(3, True, False, 2)
    plain, shifted = of_alpha(known.decisions, 0.5)
    cost = {each.model: each.cost.value for each in plain.models}
    for each in (*plain.models, *shifted.models):
        assert each.saving.value == pytest.approx(cost[today] - each.cost.value)
    assert next(iter(cost)) != today
