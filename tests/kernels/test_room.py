"""Room is handed out again, and never to two at once."""

import gc
import tracemalloc
from concurrent.futures import ThreadPoolExecutor

import numpy as np

from reportgen.kernels import buffers
from reportgen.kernels.batch import Batch
from reportgen.kernels.buffers import (
    KEPT,
    LINE,
    SMALL,
    aligned,
    release,
    room,
    room_for,
    spent,
)
from reportgen.kernels.counts import multinomial
from reportgen.kernels.pairs import pair_sums
from reportgen.kernels.ranks import rank_sums
from tests.kernels.conftest import data


def test_nested_rooms_are_apart():
    with room((SMALL,), np.uint8) as one, room((SMALL,), np.uint8) as other:
        one[:] = 1
        other[:] = 2
        assert (one == 1).all()


def test_room_comes_back_when_its_owner_is_gone():
    owner = Batch(np.ones((2, 2), np.uint8))
    address = room_for(owner, (3 * SMALL,), np.uint8).ctypes.data
    with room((3 * SMALL,), np.uint8) as other:
        assert other.ctypes.data != address
    del owner, other
    gc.collect()
    with room((3 * SMALL,), np.uint8) as one, room((3 * SMALL,), np.uint8) as two:
        assert address in (one.ctypes.data, two.ctypes.data)


def test_a_batch_is_freed_without_the_collector():
    import weakref

    rows = data(100, "some")
    batch = Batch(multinomial(100, 64, 1, 0))
    rank_sums(rows, batch), pair_sums(rows, batch)
    gone = weakref.ref(batch)
    gc.disable()
    del batch
    gc.enable()
    assert gone() is None


def test_threads_get_the_numbers_that_one_gets(path):
    def replicates(k):
        batch = Batch(multinomial(3000, 64, 1, k))
        pairs, ranks = pair_sums(rows, batch), rank_sums(rows, batch)
        return np.stack([pairs.discordant, pairs.untied_score, ranks.score_y])

    rows = data(3000, "some")
    alone = [replicates(k) for k in range(12)]
    with ThreadPoolExecutor(4) as pool:
        assert np.array_equal(list(pool.map(replicates, range(12))), alone)


def test_room_that_was_spent_is_taken_again_and_starts_at_a_cache_line():
    first = aligned((1000, 200), np.uint8)
    place = first.ctypes.data
    spent(first)
    others = [aligned((999, 200), np.uint8) for _ in range(KEPT)]  # whatever else lies idle
    assert place in [each.ctypes.data for each in others]
    assert place % LINE == 0


def test_an_array_that_owns_its_memory_is_never_lent():
    mine = np.zeros((1000, 200), np.uint8)
    spent(mine)
    assert not np.shares_memory(aligned((1000, 200), np.uint8), mine)


def traced():
    """The bytes that the module of rooms holds of what it took since tracing began."""
    own = tracemalloc.Filter(True, buffers.__file__)
    return sum(each.size for each in tracemalloc.take_snapshot().filter_traces([own]).traces)


def test_room_that_is_released_goes_back_to_the_system():
    size = 50 * SMALL
    release()  # or a buffer of an earlier test, which was not traced, may be taken again
    tracemalloc.start()
    with room((size,), np.uint8):
        pass
    held = traced()
    assert held >= size
    release()
    assert traced() <= held - size
    tracemalloc.stop()
