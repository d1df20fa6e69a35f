"""Lists cut between queries: the pieces say what the whole does, and are not kept."""

import gc
import weakref
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from reportgen.kernels import ranked_lists
from reportgen.kernels.batch import Batch
from reportgen.kernels.ranked_lists import Judgements, Lists, compute_grade_shares, summarize_pool
from reportgen.metrics import METRICS
from reportgen.metrics.curves import CURVES
from reportgen.metrics.rows import Queries, precompute_queries

RANKED = sorted(name for name, metric in METRICS.items() if metric.task == "ranking")
OVER = sorted(name for name, curve in CURVES.items() if curve.task == "ranking")
N = 60


def drawn(order: bool = False) -> Lists:
    """Lists with ties, unjudged documents, empty ones, and one far longer than a piece."""
    rng = np.random.default_rng(7)
    size = rng.integers(0, 12, N)
    size[20] = 90
    start = np.append(0, np.cumsum(size))
    grade = rng.integers(-1, 4, start[-1]).astype(float)
    grade[grade < 0] = np.nan
    score = np.round(rng.normal(size=start[-1]), 1)
    if order:
        at = np.lexsort((-score, np.repeat(np.arange(N), size)))
        grade, score = grade[at], score[at]
    beside = rng.integers(0, 3, N)
    known = [
        np.append(grade[a:b][~np.isnan(grade[a:b])], np.ones(more))
        for a, b, more in zip(start[:-1], start[1:], beside, strict=True)
    ]
    of = Judgements.from_grades(np.cumsum([0, *map(len, known)]), np.concatenate(known), 90)
    return Lists(start, grade, score, of, np.arange(start[-1]))


@pytest.fixture
def small(monkeypatch):
    """Pieces of a few queries."""
    monkeypatch.setattr(ranked_lists, "PIECE", 40)


def test_a_query_is_never_cut_and_a_long_one_begins_a_piece(small):
    sizes = ranked_lists.map_pieces([(drawn(), {"": lambda p: np.array([len(p)])})])[0][""]
    assert sizes.sum() == N and len(sizes) > 10 and 20 in np.cumsum(sizes)


@pytest.mark.parametrize("name", RANKED)
def test_pieces_on_any_threads_give_the_bits_of_the_whole(name, small):
    """But for sums over patterns, which are as wide as the longest list beside them."""
    metric, most = METRICS[name].use(), 4e-16 if name == "fap" else 0.0
    whole = metric.function(drawn(), **metric.params)
    for threads in (1, 3):
        rows = Queries(drawn())
        with ThreadPoolExecutor(threads) as over:
            precompute_queries([(rows, [(metric.function, metric.params)])], over.map)
        found = rows.each(metric.function, metric.params)
        np.testing.assert_allclose(found, whole, rtol=most, atol=0)
    found = Queries(drawn()).each(metric.function, metric.params)
    np.testing.assert_allclose(found, whole, rtol=most, atol=0)


@pytest.mark.parametrize("name", OVER)
def test_curves_of_pieces_are_those_of_the_whole(name, monkeypatch):
    weight = np.arange(N) % 4 * 1.0
    curve = CURVES[name].use()
    whole = curve.bind(Queries(drawn()), weight)(Batch.from_weights(weight))
    monkeypatch.setattr(ranked_lists, "PIECE", 40)
    found = curve.bind(Queries(drawn()), weight)(Batch.from_weights(weight))
    np.testing.assert_allclose(found, whole, rtol=1e-15 if name == "fap_at_k" else 0, atol=0)


def test_pools_of_pieces_are_those_of_the_whole(monkeypatch):
    weight = np.arange(N) % 4 * 1.0
    whole = (
        summarize_pool(drawn(), 5, weight),
        compute_grade_shares(drawn(), 5, weight / weight.sum()),
    )
    monkeypatch.setattr(ranked_lists, "PIECE", 40)
    found = (
        summarize_pool(drawn(), 5, weight),
        compute_grade_shares(drawn(), 5, weight / weight.sum()),
    )
    assert found[0] == whole[0]
    for grade, chances in whole[1].items():
        np.testing.assert_allclose(found[1][grade], chances, rtol=1e-13)


def test_what_was_found_ahead_is_taken_and_not_found_again():
    asked = []

    def measure(lists, *, k):
        asked.append(len(lists))
        return np.diff(lists.start) * k

    rows = Queries(drawn())
    precompute_queries([(rows, [(measure, {"k": 2}), (measure, {"k": 3})])])
    precompute_queries([(rows, [(measure, {"k": 2})])])
    some = rows.take(np.array([5, 20]))
    assert rows.each(measure, {"k": 3})[20] == 270
    assert some.each(measure, {"k": 2}).tolist() == [2 * np.diff(drawn().start)[5], 180]
    assert asked == [N, N]
    rows.forget()
    rows.each(measure, {"k": 3})
    assert asked == [N, N, N]


@pytest.mark.parametrize("order", [False, True])
def test_nothing_of_a_piece_is_kept_once_it_is_done(order, small):
    seen = []

    def measure(lists):
        lists.order_documents("optimistic"), lists.order_documents()
        seen.append(weakref.ref(lists))
        return np.zeros(len(lists))

    gc.disable()
    try:
        ranked_lists.map_queries(measure, drawn(order))
        assert len(seen) > 10 and not any(each() is not None for each in seen)
    finally:
        gc.enable()


@pytest.mark.parametrize("longest", [0, 1, 4, 30])
@pytest.mark.parametrize("is_even", [True, False], ids=["one length", "any length"])
def test_values_are_sorted_within_queries_as_a_stable_sort_of_all_does(longest, is_even):
    rng = np.random.default_rng(longest)
    size = np.full(N, longest) if is_even else rng.integers(0, longest + 1, N)
    values = rng.choice([0.0, -0.0, 1.0, 2.5, -1.0, np.inf, np.nan], size.sum())
    start = np.append(0, np.cumsum(size))
    found = ranked_lists.sort_within_queries(start, values)
    assert found.tolist() == np.lexsort((values, np.repeat(np.arange(N), size))).tolist()
