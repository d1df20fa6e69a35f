"""The family of each comparison, counted by hand, and the one interval that it has."""

from collections import Counter
from itertools import pairwise

import numpy as np
import pytest
from scipy.stats import t as student

from benchmarks.plans import change_plan
from reportgen.analysis.dataset_analysis import draw_replicates
from reportgen.analysis.plan import FamilyPlan
from reportgen.analysis.run import analyze_dataset
from reportgen.planning.resampling import choose_replicate_count
from tests.analysis.asked import question, rows

NAMES = ("mae", "kendall", "rmse", "median_ae")
SEGMENTS = [("s=1", np.arange(60) < 20), ("s=2", (np.arange(60) >= 20)), ("t=1", np.arange(60) % 2)]


def planned(models, decision="choose", about=None, *, names=NAMES, **more):
    """A question about `models` candidates and the baseline m0."""
    families = {key: more.pop(key) for key in ("benchmarks", "required") if key in more}
    asked = question(
        models=models + 1, data=rows(60, models + 1), names=names, adjust="bonferroni", **more
    )
    plan = FamilyPlan(decision, about, "m0", **families)
    return change_plan(asked, families=plan, baseline="m0")


def sizes(plan):
    """How many comparisons there are of each family and size."""
    found = analyze_dataset(plan)
    return Counter((c.family, c.family_size) for c in found.comparisons)


PRIMARY = [
    ("replace", "m1", 1, {("asked", 1): 1}),
    ("replace", "m1", 2, {("asked", 1): 1, ("others", 1): 1}),
    ("replace", "m3", 5, {("asked", 1): 1, ("others", 4): 4}),
    ("choose", None, 1, {("choice", 1): 1}),
    ("choose", None, 2, {("choice", 2): 2}),
    ("rank", None, 5, {("choice", 5): 5}),
    ("enough", None, 2, {("choice", 2): 2}),
    ("shift", None, 5, {("choice", 5): 5}),
]


@pytest.mark.parametrize(("decision", "about", "models", "expected"), PRIMARY)
def test_the_decision_says_what_the_primary_comparisons_allow_for(
    decision, about, models, expected
):
    """Three other metrics are a family of each candidate, whatever is decided."""
    found = sizes(planned(models, decision, about))
    assert found == Counter({**expected, ("metrics", 3): 3 * models})


def test_segments_are_a_family_of_each_metric_and_candidate():
    found = sizes(planned(2, segments=SEGMENTS))
    assert found["segments", 3] == 3 * len(NAMES) * 2


def test_what_a_requirement_names_stands_alone_and_is_not_counted():
    required = frozenset(
        [
            (None, "kendall", frozenset(("m1", "m0"))),
            (None, "mae", frozenset(("m1", "m0"))),  # of the choice, which keeps its own interval
            ("s=1", "mae", frozenset(("m2", "m0"))),
        ]
    )
    found = sizes(planned(2, segments=SEGMENTS, required=required))
    assert found["declared", 1] == 2 and found["choice", 2] == 2
    assert (found["metrics", 2], found["metrics", 3]) == (2, 3)
    assert (found["segments", 2], found["segments", 3]) == (2, 3 * 4 * 2 - 3)


def test_no_choice_allows_for_a_benchmark():
    found = sizes(planned(3, benchmarks=frozenset(["m2"])))
    assert (found["choice", 2], found["others", 1]) == (2, 1)


def test_pairs_of_candidates_are_no_part_of_the_choice():
    plan = planned(2)
    every = (*plan.inference.pairs, ("m2", "m1"))
    found = sizes(change_plan(plan, pairs=every))
    assert (found["choice", 2], found["best", 1]) == (2, 1)


@pytest.mark.parametrize("models", [1, 2, 5])
def test_the_interval_of_a_mean_is_that_of_student_by_bonferroni(models):
    plan = planned(models, names=("mae",))
    y = plan.outcome.values
    errors = [np.abs(np.asarray(m.rows.score.values) - y) for m in plan.models]
    for place, c in enumerate(analyze_dataset(plan).comparisons, 1):
        difference = errors[place] - errors[0]
        half = student.ppf(1 - 0.025 / models, 59) * difference.std(ddof=1) / np.sqrt(60)
        assert c.family_size == models
        assert (c.low, c.high) == pytest.approx(
            (difference.mean() - half, difference.mean() + half), rel=1e-8
        )


@pytest.mark.parametrize("models", [1, 2, 5])
def test_percentile_limits_are_quantiles_of_the_resamples_by_bonferroni(models):
    plan = planned(models, names=("kendall",), interval="percentile", replicates=1999)
    found = draw_replicates(plan)
    for c in analyze_dataset(plan).comparisons:
        drawn = (
            found.replicates[None, ("kendall", c.candidate)]
            - found.replicates[None, ("kendall", "m0")]
        )
        tail = 0.025 / models
        place = (len(drawn) + 1) * tail  # the rank of the limit, which need not be whole
        low, high = np.sort(drawn)[[int(place) - 1, -int(place)]]
        near = np.sort(drawn)[[int(np.ceil(place)), -int(np.ceil(place)) - 1]]
        assert min(low, 0) - 1e-9 <= c.low <= near[0] + 1e-9
        assert near[1] - 1e-9 <= c.high <= max(high, 0) + 1e-9


def test_without_adjustment_each_stands_alone():
    plan = change_plan(planned(5), adjust="none")
    assert {size for _, size in sizes(plan)} == {1}


def good(count, seed=1):
    """A poor baseline, and better models, the first of them the best."""
    draw = np.random.default_rng(seed)
    y = draw.gamma(2.0, 5.0, 400)
    spread = [9.0, *(2.0 + 0.05 * k for k in range(count))]
    return y, [y + draw.normal(0, sd, 400) for sd in spread]


def pairs_of(models, decision, **more):
    asked = question(
        models=models + 1, data=good(models), names=("mae",), adjust="bonferroni", **more
    )
    families = FamilyPlan(decision, None, "m0")
    return analyze_dataset(change_plan(asked, families=families, baseline="m0"))


@pytest.mark.parametrize("decision", ["choose", "enough"])
def test_the_best_of_the_better_models_is_compared_with_each_of_them(decision):
    found = pairs_of(4, decision)
    values = {e.model: e.value for e in found.estimates if e.segment is None}
    order = sorted(["m1", "m2", "m3", "m4"], key=values.__getitem__)
    assert {c.word for c in found.comparisons} == {"better"}
    assert [(p.first, p.family, p.family_size) for p in found.pairs] == [(order[0], "best", 3)] * 3
    assert {p.second for p in found.pairs} == set(order[1:])
    for pair in found.pairs:
        assert pair.difference == pytest.approx(values[pair.first] - values[pair.second])
        assert pair.low < pair.difference < pair.high


def test_fewer_than_two_better_models_have_no_pairs():
    assert pairs_of(1, "choose").pairs == ()
    y, scores = good(1)
    asked = question(models=3, data=(y, [*scores, scores[0]]), names=("mae",))
    asked = change_plan(asked, families=FamilyPlan("choose", None, "m0"), baseline="m0")
    assert analyze_dataset(asked).pairs == ()


def test_a_ranking_compares_neighbours_and_keeps_the_intervals_with_the_baseline():
    found = pairs_of(3, "rank")
    values = {e.model: e.value for e in found.estimates if e.segment is None}
    order = sorted(values, key=values.__getitem__)
    assert order[-1] == "m0"
    assert [(p.first, p.second) for p in found.pairs] == list(pairwise(order))
    *others, last = found.pairs
    assert {(p.family, p.family_size) for p in others} == {("best", 2)}
    (own,) = [c for c in found.comparisons if c.candidate == last.first]
    assert (last.low, last.high, last.family, last.family_size) == (own.low, own.high, "choice", 3)


def test_a_pair_with_the_baseline_in_front_is_turned():
    y, scores = good(2)
    asked = question(models=3, data=(y, [scores[1], scores[0], scores[2]]), names=("mae",))
    asked = change_plan(asked, families=FamilyPlan("rank", None, "m0"), baseline="m0")
    found = analyze_dataset(asked)
    turned = next(p for p in found.pairs if p.first == "m0")
    (own,) = [c for c in found.comparisons if c.candidate == turned.second]
    assert (turned.low, turned.high) == (-own.high, -own.low)
    assert (turned.word, own.word) in {("better", "worse"), ("cannot tell", "cannot tell")}


@pytest.mark.parametrize("decision", ["replace", "choose"])
def test_re_analyses_stand_in_the_same_families(decision):
    plan = planned(3, decision, "m2" if decision == "replace" else None)
    plan = change_plan(plan, is_varied=True)
    found = analyze_dataset(plan)
    printed = {c.candidate: c for c in found.comparisons if c.key == "mae"}
    declared = [c for c in found.sensitivity.choices if c.choice == "as declared"]
    assert len(declared) == 3
    for choice in declared:
        own = printed[choice.candidate]
        assert (choice.low, choice.high, choice.word) == (own.low, own.high, own.word)
        assert choice.family_size == own.family_size
    assert {c.family_size for c in found.sensitivity.choices if c.candidate == "m2"} == {
        1 if decision == "replace" else 3
    }


def test_as_many_resamples_are_drawn_as_the_largest_family_needs():
    plan = planned(5, interval="percentile")
    uses, n = plan.statistics.metrics, 60
    # 2 tails of 0.05/5 each: 999 resamples at least, and 1,999 are usual.
    assert choose_replicate_count(uses, plan.inference, 0, n) == 1_999
    # 2 tails of 0.05/60 each: 2,399 at least, twice as many are drawn.
    assert choose_replicate_count(uses, plan.inference, 60, n) == 2 * 2_399
    assert choose_replicate_count(uses, change_plan(plan, adjust="none").inference, 60, n) == 1_999
