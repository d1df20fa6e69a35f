"""Laws of every kind of rows: what holds of units, whatever a unit is."""

import numpy as np
import pytest

from reportgen.kernels.batch import Column
from reportgen.kernels.ranked_lists import Judgements, Lists
from reportgen.metrics.rows import Amounts, Classes, LabelSets, Queries

DRAW = np.random.default_rng(3)
N = 12
SCORES = DRAW.random((N, 3))
SIZES = np.array([2, 0, 3, 1, 4, 2, 5, 1, 1, 2, 3, 2])
START = np.append(0, np.cumsum(SIZES))
GRADE = np.arange(START[-1]) % 3.0
JUDGED = Judgements.from_grades(START, GRADE)


def lists(scores) -> Lists:
    return Lists(START, GRADE, scores.repeat(3)[: START[-1]], JUDGED)


KINDS = {
    "amounts": lambda s: Amounts(np.arange(N) * 1.0, s[:, 0], {"sd": s[:, 1]}),
    "two classes": lambda s: Classes(np.arange(N) % 2, s[:, [0]], ("0", "1")),
    "three classes": lambda s: Classes(np.arange(N) % 3, s, ("a", "b", "c")),
    "label sets": lambda s: LabelSets(SCORES > 0.5, s, ("a", "b", "c")),
    "queries": lambda s: Queries(lists(s)),
}
for_each = pytest.mark.parametrize("make", KINDS.values(), ids=KINDS)


@for_each
def test_some_rows_of_some_rows_are_those_rows(make):
    rows, first, second = make(SCORES), np.array([7, 2, 9, 4, 11]), np.array([3, 1])
    twice, once = rows.take(first).take(second), rows.take(first[second])
    assert len(twice) == 2
    assert [twice.describe(k) for k in range(2)] == [once.describe(k) for k in range(2)]
    assert [once.describe(k) for k in range(2)] == [rows.describe(k) for k in (4, 2)]
    for one, other in zip(twice.contents(), once.contents(), strict=True):
        np.testing.assert_array_equal(one, other)
    np.testing.assert_array_equal(once.outcome.values, rows.outcome.values[[4, 2]])
    np.testing.assert_array_equal(once.ranking.values, rows.ranking.values[[4, 2]])


@for_each
def test_a_model_is_the_same_as_itself_and_no_other(make):
    rows = make(SCORES)
    assert rows.is_same(make(SCORES.copy())) and not rows.is_same(make(SCORES[::-1].copy()))
    assert not rows.is_same(make(np.roll(SCORES, 1)))
    assert not any(
        rows.is_same(other(SCORES))
        for other in KINDS.values()
        if other is not make and not isinstance(other(SCORES), type(rows))
    )


@for_each
def test_all_orders_are_of_all_rows(make):
    rows = make(SCORES)
    assert {len(column) for column in rows.orders()} == {N} == {len(rows)}
    assert {len(column) for column in rows.ties().values()} <= {N}


def test_a_query_without_documents_is_a_row():
    rows = KINDS["queries"](SCORES)
    assert rows.describe(1) == {"documents": 0, "relevant": 0}
    assert rows.take(np.array([1, 1])).lists.start.tolist() == [0, 0, 0]


def test_a_class_against_the_rest_is_the_class():
    rows = KINDS["three classes"](SCORES).isolate(1)
    assert rows.y.values.tolist() == [0, 1, 0] * 4
    np.testing.assert_array_equal(rows.score.values, SCORES[:, 1])
    label = KINDS["label sets"](SCORES).isolate(2)
    np.testing.assert_array_equal(label.y.values, SCORES[:, 2] > 0.5)


def test_models_share_what_happened_on_some_rows_too():
    y, some = Column(np.arange(9.0)), np.array([1, 5])
    one, other = (Amounts(y, DRAW.random(9)).take(some) for _ in range(2))
    assert one.y is other.y
    again = Amounts(y, DRAW.random(9)).take(some.copy())
    assert again.y is not one.y and again.y.values.tolist() == [1, 5]


@pytest.mark.parametrize(
    ("scale", "needs", "lack"),
    [
        ("rank", "amount", "is a rank score, not an amount"),
        ("rank", "order", ""),
        ("amount", "amount", ""),
        ("amount", "density", "has no density: no columns mean and sd, and no quantiles"),
    ],
)
def test_amounts_say_what_they_lack(scale, needs, lack):
    assert Amounts(np.ones(2), np.ones(2), scale=scale).lacks(needs) == lack


def test_a_score_that_is_no_probability_says_so():
    rows = Classes(np.array([0, 1]), np.array([[3.0], [7.0]]), ("0", "1"), "score")
    assert rows.lacks("probability") == "is a score, not a probability"
    assert rows.lacks("order") == ""
