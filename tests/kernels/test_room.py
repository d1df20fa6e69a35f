"""Room is handed out again, and never to two at once."""

import gc
import tracemalloc
from concurrent.futures import ThreadPoolExecutor

import numpy as np

from reportgen.kernels import buffers
from reportgen.kernels.batch import Batch
from reportgen.kernels.buffers import (
    LINE,
    MOST_KEPT_BYTES,
    SMALL,
    allocate_aligned,
    allocate_for_owner,
    borrow_buffer,
    release_idle,
    return_buffer,
)
from reportgen.kernels.pairs import compute_pair_sums, compute_rank_sums
from reportgen.kernels.resample_counts import draw_multinomial_counts
from tests.kernels.conftest import data


def test_nested_rooms_are_apart():
    with borrow_buffer((SMALL,), np.uint8) as one, borrow_buffer((SMALL,), np.uint8) as other:
        one[:] = 1
        other[:] = 2
        assert (one == 1).all()


def test_room_comes_back_when_its_owner_is_gone():
    owner = Batch(np.ones((2, 2), np.uint8))
    address = allocate_for_owner(owner, (3 * SMALL,), np.uint8).ctypes.data
    with borrow_buffer((3 * SMALL,), np.uint8) as other:
        assert other.ctypes.data != address
    del owner, other
    gc.collect()
    with borrow_buffer((3 * SMALL,), np.uint8) as one, borrow_buffer((3 * SMALL,), np.uint8) as two:
        assert address in (one.ctypes.data, two.ctypes.data)


def test_a_batch_is_freed_without_the_collector():
    import weakref

    rows = data(100, "some")
    batch = Batch(draw_multinomial_counts(100, 64, 1, 0))
    compute_rank_sums(rows, batch), compute_pair_sums(rows, batch)
    gone = weakref.ref(batch)
    gc.disable()
    del batch
    gc.enable()
    assert gone() is None


def test_threads_get_the_numbers_that_one_gets(path):
    def replicates(k):
        batch = Batch(draw_multinomial_counts(3000, 64, 1, k))
        pairs, ranks = compute_pair_sums(rows, batch), compute_rank_sums(rows, batch)
        return np.stack([pairs.discordant, pairs.untied_score, ranks.score_y])

    rows = data(3000, "some")
    alone = [replicates(k) for k in range(12)]
    with ThreadPoolExecutor(4) as pool:
        assert np.array_equal(list(pool.map(replicates, range(12))), alone)


def test_room_that_was_spent_is_taken_again_and_starts_at_a_cache_line():
    first = allocate_aligned((1000, 200), np.uint8)
    place = first.ctypes.data
    return_buffer(first)
    others = [
        allocate_aligned((999, 200), np.uint8) for _ in range(MOST_KEPT_BYTES)
    ]  # whatever else lies idle
    assert place in [each.ctypes.data for each in others]
    assert place % LINE == 0


def test_an_array_that_owns_its_memory_is_never_lent():
    mine = np.zeros((1000, 200), np.uint8)
    return_buffer(mine)
    assert not np.shares_memory(allocate_aligned((1000, 200), np.uint8), mine)


def traced():
    """The bytes that the module of rooms holds of what it took since tracing began."""
    own = tracemalloc.Filter(True, buffers.__file__)
    return sum(each.size for each in tracemalloc.take_snapshot().filter_traces([own]).traces)


def test_room_that_is_released_goes_back_to_the_system():
    size = 50 * SMALL
    release_idle()  # or a buffer of an earlier test, which was not traced, may be taken again
    tracemalloc.start()
    with borrow_buffer((size,), np.uint8):
        pass
    held = traced()
    assert held >= size
    release_idle()
    assert traced() <= held - size
    tracemalloc.stop()
