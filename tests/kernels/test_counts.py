"""Multiplicities: their law, their golden draws, and that nothing moves them."""

import hashlib

import numpy as np
import pytest
from scipy import stats

from reportgen.data.arrow import compute_keys
from reportgen.kernels.batch import BATCH_SIZE
from reportgen.kernels.resample_counts import (
    derive_column_seeds,
    draw_exponential_weights,
    draw_keyed_poisson_counts,
    draw_multinomial_counts,
    draw_poisson_counts,
    stable_key,
)


def digest(array):
    return hashlib.sha256(np.ascontiguousarray(array).tobytes()).hexdigest()[:16]


def test_a_key_is_the_same_everywhere():
    assert stable_key("rows", 1999) == GOLDEN["key"]
    assert len({stable_key("a", 1), stable_key("a", "1"), stable_key("a1"), stable_key()}) == 4


def test_the_draws_are_the_golden_ones(path):
    assert draw_multinomial_counts(8, 5, 42, 0).tolist() == GOLDEN["multinomial 8"]
    assert draw_poisson_counts(4, 6, 42, 1).tolist() == GOLDEN["poisson 4"]
    assert digest(draw_multinomial_counts(1000, 64, 7, 3)) == GOLDEN["multinomial 1000"]
    assert digest(draw_poisson_counts(1001, 64, 7, 3)) == GOLDEN["poisson 1001"]


def test_a_stream_is_splitmix64():
    # the first outputs for the seed 1234567, as published with the generator's reference code
    from reportgen.kernels.resample_counts import draw_words

    expected = [6457827717110365317, 3203168211198807973, 9817491932198370423]
    assert draw_words(np.array([1234567], np.uint64), 0, 3)[:, 0].tolist() == expected


@pytest.mark.parametrize("n", [0, 1, 2, 3, 15, 16, 17, 1000, 4097])
def test_every_replicate_draws_as_many_as_there_are(path, n):
    count = draw_multinomial_counts(n, 64, 5, 0)
    assert count.shape == (n, 64)
    assert count.dtype == np.uint8
    assert (count.sum(axis=0, dtype=int) == n).all()


def test_fewer_replicates_are_the_first_of_many(path):
    for draw in (
        draw_multinomial_counts,
        draw_poisson_counts,
        draw_exponential_weights,
    ):
        assert (draw(50, 10, 9, 2) == draw(50, 64, 9, 2)[:, :10]).all()


def test_batches_and_keys_have_streams_of_their_own():
    seeds = np.concatenate(
        [derive_column_seeds(key, batch) for key in range(50) for batch in range(50)]
    )
    assert len(np.unique(seeds)) == 50 * 50 * BATCH_SIZE


def test_multinomial_counts_follow_their_law():
    # 16 000 replicates of 5 draws of 5: every one of the 126 outcomes as often as it should be
    draws = np.concatenate([draw_multinomial_counts(5, 64, 11, k) for k in range(250)], axis=1).T
    outcomes, seen = np.unique(draws, axis=0, return_counts=True)
    assert len(outcomes) == 126
    expected = stats.multinomial(5, np.full(5, 0.2)).pmf(outcomes) * len(draws)
    assert stats.chisquare(seen, expected).pvalue > 1e-3


def test_multinomial_counts_of_many_units_follow_theirs():
    counts = np.stack([draw_multinomial_counts(2000, 64, 13, k) for k in range(20)])
    seen = np.bincount(counts.ravel(), minlength=9)[:9]
    expected = stats.binom(2000, 1 / 2000).pmf(np.arange(9)) * counts.size
    assert (np.abs(seen - expected) < 5 * np.sqrt(expected) + 1).all()
    by_unit = counts.sum(axis=(0, 2), dtype=int)  # each unit's total over 1 280 replicates
    assert stats.chisquare(by_unit).pvalue > 1e-3


def test_a_key_is_drawn_alike_wherever_it_stands(path):
    keys = np.arange(700, dtype=np.uint64) * np.uint64(2**40 + 7)
    order = np.random.default_rng(1).permutation(700)
    whole = draw_keyed_poisson_counts(keys, 64, 9, 2)
    assert (draw_keyed_poisson_counts(keys[order], 64, 9, 2) == whole[order]).all()
    assert (draw_keyed_poisson_counts(keys[300:], 10, 9, 2) == whole[300:, :10]).all()
    assert digest(whole) == GOLDEN["keyed 700"]


def test_keyed_counts_follow_their_law_and_lanes_and_neighbours_are_apart():
    mixed = compute_keys([str(row) for row in range(100_000)])
    counts = draw_keyed_poisson_counts(mixed, 64, 17, 0).astype(float)
    expected = stats.poisson(1).pmf(np.arange(8)) * counts.size
    seen = np.bincount(counts.astype(int).ravel(), minlength=8)[:8]
    assert (np.abs(seen - expected) < 5 * np.sqrt(expected)).all()
    between = np.corrcoef(counts.T) - np.eye(64)
    assert np.abs(between).max() < 5 / np.sqrt(len(counts))
    assert abs(np.corrcoef(counts[:-1, 0], counts[1:, 0])[0, 1]) < 5 / np.sqrt(len(counts))


def test_poisson_counts_follow_their_law():
    counts = draw_poisson_counts(100_000, 64, 17, 0)
    seen = np.bincount(counts.ravel(), minlength=8)[:8]
    expected = stats.poisson(1).pmf(np.arange(8)) * counts.size
    assert (np.abs(seen - expected) < 5 * np.sqrt(expected)).all()


def test_exponentials_follow_their_law():
    assert stats.kstest(draw_exponential_weights(1000, 10, 1, 0).ravel(), "expon").pvalue > 1e-3


GOLDEN = {
    "key": 17081969108583340787,
    "multinomial 8": [
        [1, 1, 1, 1, 1],
        [2, 0, 1, 1, 0],
        [1, 1, 0, 1, 2],
        [0, 1, 0, 3, 1],
        [2, 2, 3, 0, 0],
        [1, 1, 1, 1, 3],
        [1, 1, 1, 1, 0],
        [0, 1, 1, 0, 1],
    ],
    "poisson 4": [[0, 0, 0, 1, 0, 1], [1, 1, 2, 1, 2, 1], [0, 1, 0, 0, 0, 0], [4, 0, 1, 3, 1, 0]],
    "multinomial 1000": "3d1b6c845d49b0c6",
    "keyed 700": "42159addacbaa172",
    "poisson 1001": "5a6eaed94742d867",
}
