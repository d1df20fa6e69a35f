"""The walk over cuts of y that takes 32 or 64 lanes at once finds what the others find."""

import numpy as np
import pytest

from reportgen.kernels import native
from reportgen.kernels.batch import Batch
from reportgen.kernels.curve_heights import BLOCK, MOST, can_compute_wide, compute_cutoff_heights
from reportgen.kernels.pairs import compute_rank_sums
from reportgen.kernels.resample_counts import draw_multinomial_counts
from reportgen.metrics.rows import Amounts
from tests.kernels.conftest import KINDS, TIES, data, on_path

SHARES = np.linspace(0, 1, 12)
pytestmark = pytest.mark.skipif(not native.list_kinds(), reason="the kernels were not built")


def with_an_atom(n):
    """Scores of which one value fills more than a block."""
    draw = np.random.default_rng(n)
    y = draw.normal(size=n).round(2)
    return Amounts(y, np.maximum(y + draw.normal(size=n), 0.3))


def with_zeros(n):
    """Two thirds of y are 0, a sixth of them with one score."""
    draw = np.random.default_rng(n)
    y = np.where(draw.random(n) < 2 / 3, 0.0, draw.normal(size=n).round(2))
    return Amounts(y, np.where(draw.random(n) < 1 / 6, 0.1, draw.normal(size=n).round(3)))


ROWS = {"an atom": with_an_atom, "zeros": with_zeros}


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("ties", [*TIES, *ROWS])
@pytest.mark.parametrize("size", [9, 64, 70])
def test_blocks_and_slices_are_joined_without_a_seam(kind, ties, size):
    n = 2 * BLOCK + 77
    rows = ROWS[ties](n) if ties in ROWS else data(n, ties)
    count = np.concatenate([draw_multinomial_counts(n, 64, 1, k) for k in range(2)], axis=1)[
        :, :size
    ]
    with on_path(kind):
        wide = compute_cutoff_heights(rows, Batch(count), SHARES)
        assert can_compute_wide(Batch(count))
    with native.use_numpy():
        plain = compute_cutoff_heights(rows, Batch(count), SHARES)
    for name, values in vars(plain).items():
        assert np.array_equal(getattr(wide, name), values), name


@pytest.mark.parametrize("ties", [*TIES, *ROWS])
def test_the_walk_leaves_the_products_of_ranks(ties):
    rows = ROWS[ties](700) if ties in ROWS else data(700, ties)
    batch = Batch(draw_multinomial_counts(700, 64, 1, 0))
    compute_cutoff_heights(rows, batch, SHARES)
    after, alone = compute_rank_sums(rows, batch), compute_rank_sums(rows, Batch(batch.count))
    for name, values in vars(alone).items():
        assert np.array_equal(getattr(after, name), values), name


def test_counts_too_large_for_small_ranks_go_another_way():
    count = draw_multinomial_counts(700, 64, 1, 0)
    count[5, 3] = MOST + 1
    assert not can_compute_wide(Batch(count))
    rows = data(700, "some")
    found = compute_cutoff_heights(rows, Batch(count), SHARES)
    with native.use_numpy():
        assert np.array_equal(
            found.height, compute_cutoff_heights(rows, Batch(count), SHARES).height
        )
