"""Measures of ranking by query against their definitions, over all orders of tied documents."""

from __future__ import annotations

from itertools import combinations, product
from math import exp, log, nan

import numpy as np
import pytest
from scipy import stats
from sklearn.metrics import dcg_score, ndcg_score

from reportgen.kernels.batch import Batch
from reportgen.kernels.ranked_lists import Judgements, Lists, compute_grade_shares, summarize_pool
from reportgen.metrics import METRICS
from reportgen.metrics.retrieval.average_precision import (
    average_over_tie_orders,
    expected_precision_sum,
)
from reportgen.metrics.retrieval.counts import expected_hits
from reportgen.metrics.rows import Queries
from tests.metrics import retrieval_definitions as definitions

RANKED = sorted(name for name, metric in METRICS.items() if metric.task == "ranking")
TIES = ("trec", "optimistic", "pessimistic")
PARAMS = {
    "precision_at": ({"k": 3}, {}, {"k": 3, "relevant": 2.0}),
    "recall_at": ({"k": 3}, {}, {"k": 2, "relevant": 2.0}),
    "f_at": ({"k": 3, "beta": 2.0}, {}),
    "r_precision": ({}, {"relevant": 2.0}),
    "success_at": ({"k": 1}, {"k": 3}, {"k": 3, "relevant": 2.0}),
    "rr": ({}, {"k": 2}, {"k": 3, "relevant": 2.0}),
    "judged_at": ({"k": 3}, {"k": 9}),
    "cg": ({"k": 3}, {"gain": "exp2"}),
    "dcg": ({"k": 3}, {"gain": "exp2"}, {"k": 4, "discount": "original", "base": 3.0}),
    "ndcg": (
        {"k": 3},
        {"gain": "exp2"},
        {"k": 4, "discount": "original", "base": 3.0},
        {"k": 3, "ideal": "retrieved"},
    ),
    "err": ({}, {"k": 3, "top": 4.0}, {"k": 4, "mapping": "linear"}),
    "rbp": ({}, {"p": 0.5, "k": 3}, {"relevant": 2.0}),
    "rbp_residual": ({}, {"p": 0.5, "k": 3}),
    "ap": (
        {},
        {"k": 3},
        {"k": 3, "denominator": "k"},
        {"k": 2, "denominator": "min"},
        {"relevant": 2.0},
        {"decay": 0.8},
        {"decay": 0.5, "k": 2, "normalise": True},
        {"normalise": True},
    ),
    "gap": ({}, {"k": 3}),
    "bpref": ({}, {"relevant": 2.0}),
    "query_auc": ({}, {"relevant": 2.0}, {"decay": 0.7}, {"decay": 0.2, "relevant": 2.0}),
    "tau_ap": ({},),
    "fap": ({}, {"k": 3, "beta": 2.0}, {"relevant": 2.0}),
    "iprec": ({}, {"recall": 0.0}, {"recall": 1.0, "relevant": 2.0}),
    "eleven_point": ({}, {"relevant": 2.0}),
}
RANKS = ("query_kendall", "query_spearman")
CORRELATIONS = (*RANKS, "query_pearson")  # ties are part of them
PAIRS = ("tau_ap", *CORRELATIONS)
USES = [(name, params) for name, each in PARAMS.items() for params in each]


def query(grades, scores, missing=(), levels=(1.0, 2.0, 3.0)) -> Lists:
    """One list with its scores; `missing` are grades of judged documents that it lacks."""
    grade = np.array([nan if g is None else g for g in grades], dtype=float)
    judged = np.append(grade[~np.isnan(grade)], missing)
    of = Judgements.from_grades(np.array([0, len(judged)]), judged)
    return Lists(
        np.array([0, len(grade)]),
        grade,
        np.array(scores, float),
        Judgements(of.start, of.grade, levels),
    )


def drawn(count=40, most=6):
    """Short lists with ties, unjudged documents and relevant ones that were not found."""
    rng = np.random.default_rng(20261122)
    for _ in range(count):
        n = int(rng.integers(0, most + 1))
        grades = [None if g < 0 else float(g) for g in rng.integers(-1, 4, n)]
        scores = rng.integers(0, 3, n).astype(float).tolist()
        missing = [float(g) for g in rng.integers(0, 4, int(rng.integers(0, 3)))]
        yield grades, scores, missing
    yield [3.0, None, 0.0, 1.0, 1.0, 2.0, 0.0], [1.0] * 7, []
    yield [0.0, 0.0, 1.0], [3.0, 3.0, 3.0], [2.0]


SAMPLES = list(drawn())


def value(name, lists, **params):
    """What the metric gives of each query, before any weight."""
    metric = METRICS[name].use(**params)
    found = metric.function(lists, **metric.params)
    assert found.shape == (len(lists),)
    return found


def defined(name, order, judged, **params):
    """The value by the definition, nan where there is nothing to find."""
    if name in ("judged_at", "rbp_residual"):
        return definitions.expected(getattr(definitions, name), *order, judged, **params)
    if name in PAIRS and len(set(judged)) < 2:
        return nan
    least = params.get("relevant", 1.0) if name not in PAIRS else 0.0
    right = sum(g >= least for g in judged)
    if not right or (name == "query_auc" and right == len(judged)):
        return nan
    extra = {"gap": {"levels": (1.0, 2.0, 3.0)}, "err": {"largest": 3.0}}.get(name, {})
    measure = getattr(definitions, name)
    return definitions.expected(measure, *order, judged, **params, **extra)


@pytest.mark.parametrize(("name", "params"), USES)
def test_a_value_is_the_mean_over_all_orders_of_tied_documents(name, params):
    for grades, scores, missing in SAMPLES:
        judged = [g for g in grades if g is not None] + missing
        want = defined(name, (grades, scores), judged, **params)
        found = value(name, query(grades, scores, missing), **params)[0]
        assert found == pytest.approx(want, rel=1e-12, abs=1e-12, nan_ok=True), (grades, scores)


@pytest.mark.parametrize("name", RANKED)
def test_every_measure_has_a_definition_here(name):
    assert name in ("gmap", *CORRELATIONS) or hasattr(definitions, name)


def several() -> Lists:
    """All samples as the queries of one model."""
    return joined([query(*sample) for sample in SAMPLES])


def joined(each) -> Lists:
    start = np.cumsum([0, *(len(one.grade) for one in each)])
    judged = np.cumsum([0, *(len(one.judgements.grade) for one in each)])
    grades = np.concatenate([one.judgements.grade for one in each])
    names = np.concatenate([np.arange(len(one.grade)) for one in each])
    return Lists(
        start,
        np.concatenate([one.grade for one in each]),
        np.concatenate([one.score for one in each]),
        Judgements(judged, grades, (1.0, 2.0, 3.0)),
        names,
    )


@pytest.mark.parametrize(("name", "params"), USES)
def test_a_query_has_the_same_bits_whatever_stands_beside_it(name, params):
    together = value(name, several(), **params)
    alone = [value(name, query(*sample), **params)[0] for sample in SAMPLES]
    np.testing.assert_array_equal(together, alone)
    some = np.array([7, 3, 40, 3])
    np.testing.assert_array_equal(value(name, several().take(some), **params), together[some])


@pytest.mark.parametrize(("name", "params"), USES)
def test_only_the_order_of_scores_counts(name, params):
    lists = several()
    for score in (lists.score * 7 - 3, np.exp(lists.score), np.arctan(lists.score)):
        moved = Lists(lists.start, lists.grade, score, lists.judgements, lists.name)
        np.testing.assert_array_equal(value(name, moved, **params), value(name, lists, **params))


@pytest.mark.parametrize(("name", "params"), USES)
def test_the_order_of_documents_in_the_file_changes_nothing(name, params):
    lists = several()
    at = np.lexsort((np.random.default_rng(4).random(len(lists.grade)), lists.query))
    moved = Lists(lists.start, lists.grade[at], lists.score[at], lists.judgements, lists.name[at])
    for ties in ("expected", *TIES):
        one, other = (value(name, each, **params, ties=ties) for each in (lists, moved))
        np.testing.assert_allclose(one, other, rtol=0, atol=1e-15)


@pytest.mark.parametrize(("name", "params"), USES)
def test_the_expected_value_lies_between_the_worst_and_the_best_order(name, params):
    if name in ("judged_at", "rbp_residual"):
        pytest.skip("grades say nothing of who was judged")
    worst, middle, best = (
        value(name, several(), **params, ties=ties)
        for ties in ("pessimistic", "expected", "optimistic")
    )
    is_there = ~np.isnan(middle)
    assert (worst <= middle + 1e-12)[is_there].all() and (middle <= best + 1e-12)[is_there].all()


@pytest.mark.parametrize("name", sorted({*PARAMS} - {"judged_at", "rbp_residual", "cg", "dcg"}))
def test_the_best_order_of_all_judged_documents_has_the_best_value(name):
    lists = query([3.0, 2.0, 2.0, 1.0], [4, 3, 2, 1])
    if name == "query_auc":
        lists = query([3.0, 2.0, 0.0, 0.0], [4, 3, 2, 1])
    if name == "tau_ap":
        lists = query([3.0, 2.0, 1.0, 0.0], [4, 3, 2, 1])
    most = {"rbp": 1 - 0.8**4, "err": value("err", lists)[0]}.get(name, 1.0)
    params = {"k": 4} if "k" in METRICS[name].use().params else {}
    assert value(name, lists, **params)[0] == pytest.approx(most, abs=1e-12)


@pytest.mark.parametrize("name", sorted({*PARAMS} - {"judged_at", "rbp_residual"}))
def test_whether_a_query_is_left_out_depends_on_what_was_judged_alone(name):
    one, other = (query(g, [2, 1], [0.0]) for g in ([0.0, None], [None, None]))
    assert np.isnan(value(name, one)).all() and np.isnan(value(name, other)).all()
    assert value(name, one, no_relevant="zero") == value(name, other, no_relevant="zero") == 0
    best = 0.0 if name in ("cg", "dcg") else 1.0
    assert value(name, one, no_relevant="one") == best


WITHOUT_K = ("bpref", "query_auc", "tau_ap")  # of pairs
CUT_USES = [use for use in USES if use[0] not in WITHOUT_K and "ideal" not in use[1]]  # as there


@pytest.mark.parametrize("depth", [1, 3])
@pytest.mark.parametrize(("name", "params"), CUT_USES)
def test_past_the_depth_nothing_counts_inside_a_group_of_ties_too(name, params, depth):
    measure = getattr(definitions, name)
    extra = {"gap": {"levels": (1.0, 2.0, 3.0)}, "err": {"largest": 3.0}}.get(name, {})
    for grades, scores, missing in SAMPLES:
        judged = [g for g in grades if g is not None] + missing
        found = value(name, query(grades, scores, missing).truncate(depth), **params)[0]
        if not np.isnan(found):
            cut = [order[:depth] for order in definitions.orders(grades, scores)] or [[]]
            want = np.mean([measure(one, judged, **params, **extra) for one in cut])
            assert found == pytest.approx(want, rel=1e-12, abs=1e-12), (grades, scores)


@pytest.mark.parametrize("depth", [1, 3])
@pytest.mark.parametrize(("name", "params"), USES)
def test_ties_that_are_put_in_order_end_at_the_depth(name, params, depth):
    for grades, scores, missing in SAMPLES:
        judged = [g for g in grades if g is not None] + missing
        for ties, sign in (("optimistic", -1), ("pessimistic", 1)):
            at = sorted(
                range(len(grades)),
                key=lambda k: (-scores[k], sign * (-1 if grades[k] is None else grades[k])),
            )
            cut = [grades[k] for k in at[:depth]]
            lists = query(grades, scores, missing).truncate(depth)
            found = value(name, lists, **params, ties=ties)[0]
            want = defined(name, (cut, list(range(len(cut), 0, -1))), judged, **params)
            assert found == pytest.approx(want, rel=1e-12, abs=1e-12, nan_ok=True), (grades, scores)


@pytest.mark.parametrize("name", [*WITHOUT_K, *CORRELATIONS])
def test_measures_of_pairs_see_all_of_a_group_that_goes_on_past_the_depth(name):
    for grades, scores, missing in SAMPLES:
        within = [sum(other > score for other in scores) < 2 for score in scores]
        kept = [k for k, is_in in enumerate(within) if is_in]
        lost = [g for g, is_in in zip(grades, within, strict=True) if not is_in and g is not None]
        parts = [grades[k] for k in kept], [scores[k] for k in kept]
        one, other = query(grades, scores, missing).truncate(2), query(*parts, missing + lost)
        np.testing.assert_array_equal(value(name, one), value(name, other))


def test_scores_equal_in_single_precision_alone_are_tied_at_the_depth_for_ids_alone():
    grade, score = np.array([1.0, 0.0]), np.array([1.0 + 1e-9, 1.0])
    of = Judgements.from_grades(np.array([0, 2]), grade)
    lists = Lists(np.array([0, 2]), grade, score, of, np.array([0, 1])).truncate(1)
    assert value("rr", lists, ties="trec")[0] == 0 and value("rr", lists)[0] == 1
    for name, seen in (("bpref", 1), ("query_auc", 1), ("query_pearson", 0)):
        assert value(name, lists)[0] == seen, name  # the second document is lacking


def test_what_was_judged_is_counted_down_to_the_depth():
    lists = query([1.0, None, 0.0, 2.0], [2, 1, 1, 1]).truncate(2)
    found = summarize_pool(lists, 10)
    assert found["judged"] == pytest.approx((1 + 2 / 3) / 2)
    assert found["deepest"] == 2 and found["short"] == 1
    assert compute_grade_shares(lists, 3, np.ones(1))[2.0].tolist() == [0, pytest.approx(1 / 3), 0]


def test_lists_end_at_the_depth_where_ids_break_ties():
    lists = several().truncate(2)
    full = several().order_documents("trec")
    cut = lists.order_documents("trec")
    assert np.diff(cut.start).tolist() == np.minimum(np.diff(full.start), 2).tolist()
    np.testing.assert_array_equal(cut.grade, full.grade[full.rank <= 2])
    cut = several().truncate(2)
    assert cut.take(np.array([3, 7])).depth == 2 and cut.only_judged().depth == 2


def test_weights_of_grades_are_chances_of_the_lowest_relevant_one():
    lists = several()
    one = value("gap", lists, weights="2: 1")
    np.testing.assert_allclose(one, value("ap", lists, relevant=2.0), rtol=1e-12)
    even = value("gap", lists, weights="1: 3, 2: 3, 3: 3")
    np.testing.assert_allclose(even, value("gap", lists), rtol=1e-12)
    check = METRICS["gap"].check
    assert "such as '1: 0.5, 2: 0.5'" in check(weights="high: 1")
    assert "grades above 0" in check(weights="0: 1") and "all 0" in check(weights="1: 0")
    assert check(weights="1: 0, 2: 1") is None


def test_ids_break_ties_as_trec_eval_does():
    """Scores in single precision, then the last id by its bytes first."""
    grade, score = np.array([0.0, 1.0, 0.0]), np.array([1.0, 1.0 + 1e-9, 1.0])
    judged = Judgements.from_grades(np.array([0, 3]), grade)
    for name, rank in (([0, 1, 2], 2), ([0, 2, 1], 1), ([2, 0, 1], 3)):
        lists = Lists(np.array([0, 3]), grade, score, judged, np.array(name))
        assert value("rr", lists, ties="trec")[0] == 1 / rank
    assert value("rr", lists)[0] == 1  # in double precision nothing is tied


def test_a_query_without_relevant_documents_changes_no_mean():
    """Nor does it count for a paired comparison."""
    some, none = query([1.0, 0.0, None], [1, 2, 3]), query([0.0, None], [1, 2])
    for name in {*PARAMS} - {"judged_at", "rbp_residual"}:
        metric = METRICS[name]
        one = metric.bind(Queries(joined([some, some])))
        two = metric.bind(Queries(joined([some, none, some])))
        weight = np.array([1.0, 5.0, 3.0])
        assert two.define(weight) == pytest.approx(one.define(weight[[0, 2]]), rel=1e-14), name
        found = [
            metric(Batch.from_weights(w))[0] for metric, w in ((one, weight[[0, 2]]), (two, weight))
        ]
        assert found[0] == pytest.approx(found[1], rel=1e-14), name
        assert two.is_counted is not None and two.is_counted.tolist() == [True, False, True]
        np.testing.assert_allclose(
            two.influence(weight)[[0, 2]] * 4 / 9, one.influence(weight[[0, 2]]), atol=1e-9
        )


def test_geometric_map_is_that_of_average_precision():
    found = value("ap", several())
    weight = 1 + np.arange(len(found)) % 3
    logs = np.log(np.maximum(found, 1e-5))
    is_there = ~np.isnan(found)
    want = exp(np.average(logs[is_there], weights=weight[is_there]))
    metric = METRICS["gmap"].bind(Queries(several()))
    assert metric.define(weight.astype(float)) == pytest.approx(want, rel=1e-12)


@pytest.mark.parametrize("k", [1, 3, 10])
def test_dcg_and_ndcg_are_those_of_scikit_learn_with_ties(k):
    rng = np.random.default_rng(8)
    for _ in range(50):
        grade = rng.integers(0, 4, 12).astype(float)
        score = rng.integers(0, 5, 12).astype(float)
        lists = query(grade.tolist(), score.tolist())
        want = dcg_score([grade], [score], k=k)
        assert value("dcg", lists, k=k)[0] == pytest.approx(want, rel=1e-12)
        want = ndcg_score([grade], [score], k=k)
        assert value("ndcg", lists, k=k)[0] == pytest.approx(want, rel=1e-12)
        lacking = query(grade.tolist(), score.tolist(), [3.0, 2.0])
        found = value("ndcg", lacking, k=k, ideal="retrieved")[0]
        assert found == pytest.approx(want, rel=1e-12)
        assert value("ndcg", lacking, k=k)[0] <= found


def test_values_that_lightgbm_prints():
    """LightGBM 4.6, `ndcg@3` of grades 0, 1, 3 in this order, `map@3` of 1 0 1 with 5 relevant."""
    of_ndcg = query([0.0, 1.0, 3.0], [3, 2, 1])
    assert value("ndcg", of_ndcg, k=3, gain="exp2")[0] == pytest.approx(0.54134, abs=5e-6)
    of_map = query([1.0, 0.0, 1.0], [3, 2, 1], [1.0] * 3)
    assert value("ap", of_map, k=3, denominator="min")[0] == pytest.approx(5 / 9)


def test_the_logarithm_of_the_original_discount_starts_at_its_base():
    lists = query([1.0, 1.0, 1.0, 1.0], [4, 3, 2, 1])
    found = value("dcg", lists, k=4, discount="original")[0]
    assert found == pytest.approx(1 + 1 + log(2) / log(3) + log(2) / log(4), rel=1e-14)


def test_correlations_of_a_query_are_those_of_scipy_with_ties():
    """Documents that the list lacks stand behind all others, tied; unjudged ones do not count."""
    for grades, scores, missing in SAMPLES:
        known = [(g, s) for g, s in zip(grades, scores, strict=True) if g is not None]
        y = [g for g, _ in known] + missing
        score = [s for _, s in known] + [-1.0] * len(missing)
        for name, theirs in zip(RANKS, (stats.kendalltau, stats.spearmanr), strict=True):
            found = value(name, query(grades, scores, missing))[0]
            if len(set(y)) < 2:
                assert np.isnan(found)
            else:
                want = theirs(y, score).statistic if len(set(score)) > 1 else 0.0
                assert found == pytest.approx(want, abs=1e-12), (name, grades, scores, missing)


def test_pearsons_correlation_of_a_query_is_that_of_scipy():
    """What the list lacks has its lowest score; unjudged documents do not count."""
    for grades, scores, missing in SAMPLES:
        known = [(g, s) for g, s in zip(grades, scores, strict=True) if g is not None]
        y = [g for g, _ in known] + missing
        score = [s for _, s in known] + [min(scores, default=0.0)] * len(missing)
        for moved in (1.0, 1e6 / 3):
            own = [moved + s / 3 for s in scores]
            found = value("query_pearson", query(grades, own, missing))[0]
            if len(set(y)) < 2:
                assert np.isnan(found)
            elif len(set(score)) < 2:
                assert found == 0
            else:
                want = stats.pearsonr(y, score).statistic
                assert found == pytest.approx(want, abs=1e-9), (grades, scores, missing)


@pytest.mark.parametrize("name", PAIRS)
def test_a_correlation_of_a_query_is_the_same_beside_others(name):
    together = value(name, several())
    np.testing.assert_array_equal(together, [value(name, query(*each))[0] for each in SAMPLES])


@pytest.mark.parametrize("name", CORRELATIONS)
def test_a_list_turned_round_has_the_opposite_correlation(name):
    full = [query(*sample) for sample in SAMPLES if not sample[2]]
    turned = [Lists(one.start, one.grade, -one.score, one.judgements) for one in full]
    found = [[value(name, one)[0] for one in each] for each in (full, turned)]
    np.testing.assert_allclose(found[0], -np.array(found[1]), atol=1e-12)


@pytest.mark.parametrize(
    ("name", "params"), [("fap", {"k": 12}), ("eleven_point", {}), ("iprec", {"recall": 0.4})]
)
def test_of_long_ties_the_mean_is_near_and_the_same_whatever_documents_are_called(name, params):
    """256 of the 14,400 patterns are drawn: the mean is off by less than the error of so many."""
    ten = [[float(rank in at) for rank in range(10)] for at in combinations(range(10), 3)]
    grade, score = np.array(ten[0] + ten[0]), np.repeat([2.0, 1.0], 10)
    measure, judged = getattr(definitions, name), grade.tolist()
    every = [measure(one + other, judged, **params) for one, other in product(ten, repeat=2)]
    found = value(name, query(judged, score.tolist()), **params)[0]
    assert len(every) == 14_400 and 0 < abs(found - np.mean(every)) < np.std(every) / 16
    at = np.random.default_rng(3).permutation(20)
    moved = query(grade[at].tolist(), score[at].tolist())
    assert value(name, moved, **params)[0] == found


@pytest.mark.parametrize(("name", "params"), USES)
def test_a_grade_below_0_counts_as_0(name, params):
    rng = np.random.default_rng(5)
    for grades, scores, missing in SAMPLES:
        below = [-float(rng.integers(1, 4)) if g == 0 else g for g in grades]
        for ties in TIES if "ties" in METRICS[name].params else ():
            one, other = (query(each, scores, missing) for each in (grades, below))
            found = [value(name, each, **params, ties=ties) for each in (one, other)]
            np.testing.assert_array_equal(*found)
        found = [value(name, query(each, scores, missing), **params) for each in (grades, below)]
        np.testing.assert_array_equal(*found)


def test_drawn_patterns_give_the_exact_mean_of_what_is_put_right():
    """Of a measure that is linear in hits and average precision nothing is left to chance."""
    grade = (np.arange(40) % 3 == 0).astype(float)
    lists = query(grade.tolist(), [1.0] * 20 + [0.0] * 20)
    found = lists.order_documents()

    def measure(each):
        ap = (each.marks * each.precision * (each.rank <= 12)).sum(axis=1)
        return (2 + 3 * ap - (each.marks[:, :12]).sum(axis=1))[:, None]

    want = 2 + 3 * expected_precision_sum(found, 1.0, 12) - expected_hits(found, 12, 1.0)
    np.testing.assert_allclose(
        average_over_tie_orders(found, 1.0, 12, measure)[:, 0], want, rtol=1e-12
    )


@pytest.mark.parametrize("name", ["ap", "query_auc"])
def test_a_decay_that_is_no_share_is_refused(name):
    check, params = METRICS[name].check, METRICS[name].params
    assert "decay is 1.5, but must be above 0" in check(**{**params, "decay": 1.5})
    assert check(**{**params, "decay": 0.9}) is None


def test_f_measured_average_precision_falls_with_what_is_added():
    """Three relevant documents and nothing else have 1; two more results make it 6/7."""
    three = query([1.0] * 3, [3, 2, 1])
    more = query([1.0, 1.0, 1.0, 0.0, 0.0], [5, 4, 3, 2, 1])
    assert value("fap", three)[0] == 1 and value("fap", more)[0] == pytest.approx(6 / 7)


def test_ap_correlation_of_the_example_of_the_r_package_ircor():
    """Version 1.0, tauAP(x, y); then y in tenths, whose ties are means over their orders."""
    x = [0.67, 0.45, 0.29, 0.12, 0.57, 0.24, 0.94, 0.75, 0.08, 0.54]
    y = [0.48, 0.68, 0.32, 0.09, 0.06, 0.61, 0.87, 0.22, 0.44, 0.84]
    assert value("tau_ap", query(x, y))[0] == pytest.approx(0.3928571, abs=5e-8)
    assert value("tau_ap", query(x, np.round(y, 1)))[0] == pytest.approx(0.3990300, abs=5e-8)
