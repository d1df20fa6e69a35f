"""What checks of the input read of many rows: some of them, the same in every run."""

from dataclasses import dataclass
from math import sqrt

import numpy as np
import pytest

from reportgen.checks.leaks import count_repeats, find_copies, find_doubled
from reportgen.config.schema.datasets import Model
from reportgen.planning import input_evidence
from reportgen.planning.input_evidence import InputEvidence, identify_sample_rows
from tests.samples import make_sample

N = 40_000
DRAW = np.random.default_rng(5)
Y = np.where(DRAW.random(N) < 0.4, 0.0, DRAW.gamma(1.5, 20, N))
SCORE = Y + DRAW.gamma(2, 30, N)


@dataclass
class Asked:
    """What evidence reads of a config."""

    models: dict
    task: str = "regression"


def look(y, *scores):
    names = {f"m{k}": score for k, score in enumerate(scores)}
    asked = Asked({name: Model(column=name, scale="amount") for name in names})
    return InputEvidence(asked, make_sample(y, names))


@pytest.fixture
def few(monkeypatch):
    """As many rows as checks look at."""
    monkeypatch.setattr(input_evidence, "MOST_ROWS", 4_000)
    return 4_000


def test_an_order_and_its_error_are_those_of_the_rows_looked_at(few):
    first, again = (look(Y, SCORE).orders["m0"] for _ in range(2))
    rows = len(look(Y, SCORE).y)
    assert first == again, "the same rows in every run"
    assert rows == pytest.approx(few, abs=6 * sqrt(few))
    assert first.error == 1 / sqrt(rows - 1)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(input_evidence, "MOST_ROWS", N)
        every = look(Y, SCORE)
    assert first.value == pytest.approx(every.orders["m0"].value, abs=6 * first.error)


def test_all_copies_of_a_row_are_looked_at_or_none(few):
    some = look(Y, SCORE).rows_of_some_targets
    assert few / 2 < len(some.y) < N / 2 and some.rows == N
    assert find_copies(some) is None
    again = slice(0, N // 4)
    more = look(np.r_[Y, Y[again]], np.r_[SCORE, SCORE[again]]).rows_of_some_targets
    found = find_copies(more).numbers
    assert found["share"] == pytest.approx(0.4, abs=0.05), "two of five rows are copies"
    assert found["rare"] < len(more.y), "no row of the amount that is common"


def test_rows_that_all_repeat_are_found_among_many(few):
    assert find_doubled(count_repeats(identify_sample_rows(look(Y, SCORE).sample))) is None
    twice = look(np.tile(Y, 2), np.tile(SCORE, 2))
    numbers = find_doubled(count_repeats(identify_sample_rows(twice.sample))).numbers
    assert numbers["times"] == 2 and numbers["rows"] == 2 * N, "all rows are counted"
