"""How far a mean of labels moves if one row of a label is called otherwise, and by which rows.

The rows of a label are of eight kinds, or of four of one model: those that have it or not, and that
each model calls so or not. Those that have it are one group, and those that a model calls so.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from reportgen.kernels.batch import Index, Vector
from reportgen.metrics.classes.label_calls import MeanOfLabels
from reportgen.metrics.of_means import STEP
from reportgen.rows.label_sets import Flags

Kinds = NDArray[np.float64]
"""Sums over rows of each label by whether they have it and each model calls it, (k, 2, 2, …)."""
Groups = tuple[Index, Vector, Vector, Vector]
"""Of kinds of rows: their group, influence, and root of squared weights; of groups: the moves."""


def kinds_of(squares: Vector, had: Flags, *said: Flags) -> Kinds:
    """The sums of squared weights, (k, 2, 2, …), from what rows have and are called, (n, k)."""
    code = had.astype(np.intp)
    for each in said:
        code = np.asarray(2 * code + each)
    size = 2 ** (1 + len(said))
    found = np.array([np.bincount(column, squares, size) for column in code.T])
    return found.reshape(-1, *(2,) * (1 + len(said))).astype(np.float64)


def groups_of(
    finish: MeanOfLabels, means: Sequence[Vector], squares: Kinds, total: float
) -> list[Groups]:
    """Groups of rows of one model, or of the difference of two; `means` (3k,) are those of each."""
    k = len(squares)
    shape = squares.shape[1:]
    had, *said = np.indices(shape)
    slope = np.zeros(squares.shape)
    for sign, mean, is_said in zip((1.0, -1.0), means, said, strict=False):
        right, called, there = np.split(_slopes(finish, mean), 3)
        of_kind = (right[:, None] * (had * is_said).ravel() + called[:, None] * is_said.ravel()
                   + there[:, None] * had.ravel())  # fmt: skip
        slope += sign * of_kind.reshape(squares.shape)
    root = np.sqrt(squares) / total
    label = np.broadcast_to(np.arange(k).reshape(-1, *(1,) * len(shape)), squares.shape)
    moves = np.maximum.reduce([_moves(finish, m, squares, total, None) for m in means])
    found = [(had == 1, moves)]
    found += [(s == 1, _moves(finish, m, squares, total, at))
              for at, (s, m) in enumerate(zip(said, means, strict=True))]  # fmt: skip
    return [(label[:, of].ravel(), (slope * root)[:, of].ravel(), root[:, of].ravel(), each)
            for of, each in found]  # fmt: skip


def _slopes(finish: MeanOfLabels, means: Vector) -> Vector:
    """Central differences in each mean, (3k,); 0 where it is 0, as no row is of that kind."""
    steps = np.diag(STEP * means)
    ends = finish(means + steps) - finish(means - steps)
    return np.divide(ends, 2 * STEP * means, out=np.zeros(len(means)), where=means > 0)


def _moves(
    finish: MeanOfLabels, means: Vector, squares: Kinds, total: float, call: int | None
) -> Vector:
    """By how much one row more moves the value, (k,): one that has a label, or is called so.

    One that has it goes from the more frequent of called and not called to the other, one that is
    called so from the more frequent of right and wrong. 0 of a label without such rows, and of one
    that no row has, which the mean leaves out.
    """
    k = len(squares)
    right, said, had = np.split(means, 3)
    axes = tuple(range(1, squares.ndim))
    own = (squares[:, 1] if call is None else np.take(squares, 1, axis=2 + call)).sum(
        axis=axes[:-1]
    )
    held = had if call is None else said
    row = np.divide(own, held * total**2, out=np.zeros(k), where=held > 0)
    step = np.where(2 * right >= held, -row, row)
    more = right + step
    moved = np.repeat(means[None], k, axis=0)
    each = np.arange(k)
    moved[each, each] = more
    if call is None:
        moved[each, k + each] = np.maximum(said + step, 0.0)
    moved[each, 2 * k + each] = np.maximum(had, more)
    change = np.nan_to_num(finish(moved) - finish(means[None]))
    return np.where((row > 0) & (had > 0), np.abs(change), 0.0)
