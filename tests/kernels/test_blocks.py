"""Blocks of time: the walk taken step by step, and the law of its counts."""

import hashlib

import numpy as np
import pytest

from reportgen.kernels.resample_counts import (
    _ODD,
    derive_column_seeds,
    draw_stationary_blocks,
    draw_words,
)


def walked(moments, lane, key, batch, block):
    """The same walk as a plain loop."""
    seeds = [derive_column_seeds(k, batch)[lane : lane + 1] for k in (key, key ^ _ODD)]
    jumps, places = (draw_words(s, 0, moments)[:, 0] >> np.uint64(32) for s in seeds)
    visits, place = np.zeros(moments, int), 0
    for step in range(moments):
        is_jump = step == 0 or int(jumps[step]) < min(round(2**32 / block), 2**32)
        place = int(places[step]) * moments >> 32 if is_jump else (place + 1) % moments
        visits[place] += 1
    return visits


@pytest.mark.parametrize(
    ("moments", "block"), [(1, 1), (1, 5), (2, 1), (7, 3.3), (50, 4), (2500, 11.5), (1500, 1e9)]
)
def test_the_counts_are_those_of_a_walk_step_by_step(moments, block):
    count = draw_stationary_blocks(moments, 64, 123, 2, block)
    assert count.shape == (moments, 64)
    assert (count.sum(axis=0, dtype=int) == moments).all()
    for lane in (0, 17, 63):
        assert (count[:, lane] == walked(moments, lane, 123, 2, block)).all()


def test_blocks_are_as_long_as_asked_on_average():
    # a moment whose neighbour before is drawn less often starts a block
    count = draw_stationary_blocks(20_000, 64, 5, 0, 25.0).astype(int)
    together = np.mean((count - 1) * (np.roll(count, 1, axis=0) - 1)) / np.mean((count - 1) ** 2)
    assert together == pytest.approx(1 - 1 / 25, abs=0.005)


def test_blocks_of_one_are_independent_draws():
    count = draw_stationary_blocks(20_000, 64, 5, 0, 1.0).astype(int)
    assert count.var() == pytest.approx(1.0, abs=0.01)
    assert np.mean((count - 1) * (np.roll(count, 1, axis=0) - 1)) == pytest.approx(0, abs=0.01)


def test_one_long_block_visits_every_moment_once():
    assert (draw_stationary_blocks(300, 64, 1, 0, 1e12) == 1).all()


def test_the_draws_are_the_golden_ones():
    found = hashlib.sha256(draw_stationary_blocks(1000, 64, 7, 3, 6.5).tobytes()).hexdigest()[:16]
    assert found == "c2e65fe08eb93141"


def test_fewer_replicates_are_the_first_of_many():
    assert (
        draw_stationary_blocks(50, 10, 9, 2, 3.0)
        == draw_stationary_blocks(50, 64, 9, 2, 3.0)[:, :10]
    ).all()
