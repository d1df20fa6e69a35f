"""Pairs of rows of two classes, by the scores of one of them, for all pairs of several classes.

The scores of a class are walked along once, from the lowest up, and meet every other class on the
way: k walks give the pairs of k classes, in O(n k) where pair by pair it would take k² walks.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from reportgen.kernels import native
from reportgen.kernels.auc import AucSums
from reportgen.kernels.batch import Batch, Column, Index, Matrix
from reportgen.kernels.lanes import Lanes, ordered_running, ordered_sum, over_lanes
from reportgen.kernels.ties import Groups, groups_of

Codes = NDArray[np.int32]


def class_pairs(code: Codes, scores: Sequence[Column], batch: Batch) -> Iterator[AucSums]:
    """Of each class, by its score, the pairs of its rows and those of every class, (k, b) each.

    `code` (n,) is the place of each row's class among the `scores`. What stands at the place of the
    class itself says nothing.

    >>> score = Column(np.array([0.2, 0.1, 0.3]))
    >>> code = np.array([1, 0, 0], dtype=np.int32)
    >>> first, _ = class_pairs(code, [score, score], Batch.of(np.ones(3)))
    >>> first.won[1], first.lost[1], first.positive[1], first.negative[1]
    (array([1.]), array([1.]), array([2.]), array([1.]))
    """
    classes = len(scores)
    for along, column in enumerate(scores):
        groups = groups_of(column)

        def found(lanes: Lanes, along: int = along, groups: Groups = groups) -> Matrix:
            if native.is_native():
                return _compiled(lanes, groups, code, classes, along)
            return np.concatenate(_plain(lanes, groups, code, classes, along))

        total, won, lost = over_lanes(batch, found).reshape(3, classes, -1)
        yield AucSums(won, lost, np.broadcast_to(total[along], total.shape), total)


def _compiled(lanes: Lanes, groups: Groups, code: Codes, classes: int, along: int) -> Matrix:
    total, won, lost = out = np.empty((3, classes, lanes.width))
    where = (lanes.weight, groups.order, groups.last, code, len(code), classes, along)
    if lanes.is_bytes:
        native.run("whole_class_pairs", *where, total, won, lost)
    else:
        native.run("real_class_pairs", lanes.width, *where, total, won, lost)
    return out.reshape(3 * classes, lanes.width)


def _plain(
    lanes: Lanes, groups: Groups, code: Codes, classes: int, along: int
) -> tuple[Matrix, Matrix, Matrix]:
    """The whole weight of each class, and the pairs that rows of `along` win and lose to it."""
    weight, start = lanes.weight[groups.order], groups.start
    places = _places(code[groups.order], classes)
    running = [ordered_running(weight[at]) for at in places]
    mine = places[along]

    def over(those: Index, low: Index, below: Matrix) -> Matrix:
        """Each of some rows times the weight of others in groups before its own."""
        return ordered_sum(weight[those] * below[np.searchsorted(low, start[those])])

    return (
        np.stack([each[-1] for each in running]),
        np.stack([over(mine, *other) for other in zip(places, running, strict=True)]),
        np.stack([over(other, mine, running[along]) for other in places]),
    )


def _places(code: Codes, classes: int) -> list[Index]:
    """Where the rows of each class stand."""
    ends = np.cumsum(np.bincount(code, minlength=classes))[:-1]
    return np.split(np.argsort(code, kind="stable").astype(np.intp), ends)
