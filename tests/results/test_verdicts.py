"""The nine verdicts: one word for one interval and one margin."""

from itertools import product
from typing import get_args

import pytest

from reportgen.results.types import Word
from reportgen.results.verdicts import decide_verdict, word_side

M = 2.0
ENDS = (-3.0, -M, -1.0, 0.0, 1.0, M, 3.0)
INTERVALS = [(low, high) for low, high in product(ENDS, ENDS) if low <= high]
MIRROR = {
    "clearly better": "clearly worse",
    "better": "worse",
    "not worse": "not better",
    "equivalent": "equivalent",
    "cannot tell": "cannot tell",
    "no result": "no result",
}
MIRROR |= {there: here for here, there in MIRROR.items()}
# low, high, margin -> the verdict where more is better
CASES = [
    (2.1, 3.0, M, "clearly better"),
    (2.0, 3.0, M, "clearly better"),
    (0.1, 2.0, M, "better"),
    (0.1, 1.9, M, "equivalent"),
    (-1.9, 1.9, M, "equivalent"),
    (-1.9, 2.0, M, "not worse"),
    (0.0, 2.5, M, "not worse"),
    (-2.0, 1.9, M, "not better"),
    (-2.5, 0.0, M, "not better"),
    (-2.0, 2.0, M, "cannot tell"),
    (0.1, 9.0, None, "better"),
    (0.1, 9.0, 0.0, "better"),
    (0.0, 1.0, None, "cannot tell"),
    (0.0, 0.0, None, "cannot tell"),
    (0.0, 0.0, M, "equivalent"),
    (None, 1.0, M, "no result"),
    (float("nan"), float("nan"), M, "no result"),
]


def reference(low, high, margin):
    """All that the interval establishes, and the verdict that says it."""
    m = margin or 0.0
    gain, loss = low > 0, high < 0
    no_loss_of_m, no_gain_of_m = m > 0 and low > -m, m > 0 and high < m
    if no_loss_of_m and no_gain_of_m:
        return "equivalent"
    if gain or loss:
        is_clear = m > 0 and (low >= m or high <= -m)
        return "clearly " * is_clear + ("better" if gain else "worse")
    return "not worse" if no_loss_of_m else "not better" if no_gain_of_m else "cannot tell"


@pytest.mark.parametrize(("low", "high", "margin", "word"), CASES)
def test_a_verdict_is_the_first_that_holds(low, high, margin, word):
    assert decide_verdict(low, high, margin, "higher") == word


@pytest.mark.parametrize("margin", [None, 0.0, 1.0, M])
def test_every_interval_has_the_verdict_of_what_it_establishes(margin):
    found = {ends: decide_verdict(*ends, margin, "higher") for ends in INTERVALS}
    assert found == {ends: reference(*ends, margin) for ends in INTERVALS}


def test_an_interval_and_its_mirror_image_have_mirrored_verdicts():
    for (low, high), margin in product(INTERVALS, (None, M)):
        word = decide_verdict(low, high, margin, "higher")
        turned = decide_verdict(-high, -low, margin, "higher")
        assert turned == MIRROR[word] and word_side(turned) == -word_side(word)


@pytest.mark.parametrize("better", ["lower", "zero"])
def test_where_lower_is_better_the_difference_is_oriented(better):
    for (low, high), margin in product(INTERVALS, (None, M)):
        word = decide_verdict(low, high, margin, "higher")
        assert decide_verdict(-high, -low, margin, better) == word


def test_every_verdict_occurs_and_no_other():
    ends = [*INTERVALS, (None, None)]
    assert {decide_verdict(*each, M, "higher") for each in ends} == {*get_args(Word)}
