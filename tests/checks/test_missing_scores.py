"""Rows left out that are harder, and that could reverse an advantage."""

import numpy as np
import pytest

from reportgen.checks.scales import LeftOutRows, compute_losses, find_left_out

DRAW = np.random.default_rng(7)


def left_out(model, baseline, lost, most=1.0):
    found = find_left_out(LeftOutRows(model, baseline, lost, most, "b"))
    return found and found.numbers


def test_losses_are_squares_of_probabilities_and_sizes_of_errors():
    y, score = np.array([1.0, 0.0]), np.array([0.75, 0.5])
    assert compute_losses(y, score, is_probability=True).tolist() == [0.0625, 0.25]
    assert compute_losses(y, score, is_probability=False).tolist() == [0.25, 0.5]


def test_hard_rows_that_could_reverse_the_advantage_are_found():
    kept, lost = DRAW.random(400) * 0.2, 0.3 + DRAW.random(50) * 0.2
    found = left_out(kept - 0.01, kept, lost)
    gain, worst = 0.01, (400 * 0.01 + 50 * (lost.mean() - 1)) / 450
    assert found["gain"] == pytest.approx(gain) and found["worst"] == pytest.approx(worst)
    assert found["left_out"] == 50 and found["share"] == pytest.approx(50 / 450)
    assert found["best"] == pytest.approx((4 + 50 * lost.mean()) / 450)


def test_rows_that_are_no_harder_or_cannot_reverse_it_are_not():
    kept, lost = DRAW.random(400) * 0.2, 0.3 + DRAW.random(50) * 0.2
    assert left_out(kept - 0.01, kept, kept[:50]) is None, "as hard as the others"
    assert left_out(kept - 0.2, kept, lost) is None, "the advantage is larger than that"
    assert left_out(kept + 0.01, kept, lost) is None, "there is no advantage"
    assert left_out(kept - 0.01, kept, lost[:9]) is None, "too few rows"
