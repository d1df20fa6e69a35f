"""Shares of rows of each class, whose mean over classes a metric is, and what rows add to them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal, Protocol

import numpy as np
from numpy.typing import NDArray

from reportgen.kernels.batch import Index, Matrix, Vector
from reportgen.kernels.cumulative import divide
from reportgen.records import record

Undefined = Literal["zero", "skip"]


@record
class ClassShare:
    """A share of each class: `times` · right / (`had` · had + `called` · called + `right` · right).

    These are the weights of the rows that are of the class and predicted as it, of those that are
    of it, and of those predicted as it. Its odds are `odds` times those of a proportion of rows.
    In a mean over classes one without a value counts 0, or is left out if `undefined` says so.
    """

    had: float = 0.0
    called: float = 0.0
    right: float = 0.0
    times: float = 1.0
    odds: float = 1.0
    undefined: Undefined = "zero"

    def values(self, sums: Matrix) -> Vector:
        """Return the share of each class, (k,), from right, called and had, (3, k); or nan."""
        return divide(self.times * sums[0], self._below(sums))

    def slopes(self, sums: Matrix) -> Matrix:
        """Return how each share moves with right, called and had, (3, k); 0 where it has none."""
        each = np.nan_to_num(self.values(sums))
        on = np.stack([self.times - self.right * each, -self.called * each, -self.had * each])
        return np.nan_to_num(divide(on, np.broadcast_to(self._below(sums), on.shape)))

    def trials(self, weight: Matrix, squares: Matrix) -> Vector:
        """Return Kish's number of the rows that each share is of, (k,), from (3, k); or 0."""
        is_of = np.array([0.0, self.called > 0, self.had > 0])
        is_of[0] = -is_of[1] * is_of[2]
        return np.nan_to_num(divide((is_of @ weight) ** 2, is_of @ squares))

    def _below(self, sums: Matrix) -> Vector:
        return np.asarray(np.array([self.right, self.called, self.had]) @ sums)


PRECISION, RECALL = ClassShare(called=1.0), ClassShare(had=1.0)
JACCARD = ClassShare(had=1.0, called=1.0, right=-1.0)


def make_f_share(beta: float) -> ClassShare:
    """Build F of a class; with β = 1 its odds are twice those of the Jaccard index."""
    return ClassShare(beta**2, 1.0, times=1 + beta**2, odds=2.0 if beta == 1 else 1.0)


def sum_right_called_had(was: Index, called: Index, weight: Vector, classes: int) -> Matrix:
    """Sum the weights of the rows of each class: right, predicted as it, and of it, (3, k)."""
    is_right = was == called
    return np.stack(
        [
            np.bincount(was[is_right], weight[is_right], classes),
            np.bincount(called, weight, classes),
            np.bincount(was, weight, classes),
        ]
    )


class ChangedRows(Protocol):
    """What rows add to each class, in squares, where one or two models predict them."""

    def sum_together(self, slopes: Matrix) -> Matrix:
        """Sum the products of what each row adds to two classes of one model, (k, k)."""

    def sum_changed(self) -> tuple[Vector, Vector]:
        """Sum the rows that one of two models alone predicts as a class, right and wrong, (k,)."""

    def list_changes(self, adds: Matrix, row: float) -> Vector:
        """Return how much each effective row that changed adds to the difference of all classes.

        `adds` (2, k) is what one that is predicted as a class adds to it, right and wrong, by its
        weight; `row` is the squared weight of an effective row.
        """


@record(eq=False)
class ClassKinds:
    """Kinds of rows by the class that was and that one or two models predict, (m,) each.

    `squares` (m,) are sums of squared weights, `classes` is how many classes there are.
    """

    was: Index
    called: tuple[Index, ...]
    squares: Vector
    classes: int

    @classmethod
    def of_rows(
        cls, was: Index, called: tuple[Index, ...], squares: Vector, classes: int
    ) -> ClassKinds:
        """Count rows of each kind."""
        code = was
        for each in called:
            code = code * classes + each
        kinds, place = np.unique(code, return_inverse=True)
        summed = np.bincount(place.reshape(-1), squares, len(kinds)).astype(np.float64)
        parts: list[Index] = []
        for _ in called:
            kinds, last = np.divmod(kinds, classes)
            parts.insert(0, last)
        return cls(kinds, tuple(parts), summed, classes)

    def sum_together(self, slopes: Matrix) -> Matrix:
        """Sum products of what rows add to two classes."""
        on_right, on_called, on_had = slopes
        was, called, k = self.was, self.called[0], self.classes
        found, is_right = np.zeros((k, k)), was == called
        own, away = was[is_right], ~is_right
        both = (on_right + on_called + on_had)[own]
        np.add.at(found, (own, own), self.squares[is_right] * both**2)
        w, c, squares = was[away], called[away], self.squares[away]
        np.add.at(found, (w, w), squares * on_had[w] ** 2)
        np.add.at(found, (c, c), squares * on_called[c] ** 2)
        product = squares * on_had[w] * on_called[c]
        np.add.at(found, (w, c), product)
        np.add.at(found, (c, w), product)
        return found

    def sum_changed(self) -> tuple[Vector, Vector]:
        """Sum the rows that one model alone predicts as a class."""
        found = np.zeros((2, self.classes))
        is_changed = self.called[0] != self.called[1]
        for each in self.called:
            at = (self.was != each).astype(np.intp)[is_changed], each[is_changed]
            np.add.at(found, at, self.squares[is_changed])
        return found[0], found[1]

    def list_changes(self, adds: Matrix, row: float) -> Vector:
        """Return how much each changed row adds to the difference: the same for rows of a kind."""
        one, other = (adds[(self.was != each).astype(np.intp), each] for each in self.called)
        is_changed = self.called[0] != self.called[1]
        squares = self.squares[is_changed]
        return _repeat_rows(squares / row, squares * (one - other)[is_changed] ** 2)


MOST_SIGNS = 200  # rows of a kind from which the sum of their signs is Normal


def _repeat_rows(counts: Vector, squares: Vector) -> Vector:
    """Return numbers of rows whose squares sum to these, by about as many as there are rows."""
    kept = np.clip(np.rint(counts), 1.0, MOST_SIGNS) * (squares > 0)
    each = np.sqrt(np.divide(squares, kept, out=np.zeros(len(kept)), where=kept > 0))
    return np.repeat(each, kept.astype(np.intp))


def list_label_changes(
    adds: Matrix, row: float, changed: tuple[Vector, Vector], sum_squares: Callable[[Matrix], float]
) -> Vector:
    """Return `ChangedRows.list_changes` of labels, as if no row changed in two of them.

    Rows of a label add alike; all together have the squares that those of whole rows sum to, which
    `sum_squares` f(adds) gives.
    """
    right, wrong = changed
    total = right * np.abs(adds[0]) + wrong * np.abs(adds[1])
    squares = right * adds[0] ** 2 + wrong * adds[1] ** 2
    found = _repeat_rows(np.nan_to_num(divide(total**2, squares * row)), squares)
    alone = float(found @ found)
    return found * np.sqrt(sum_squares(adds) / alone) if alone > 0 else found


@record(eq=False)
class LabelRows:
    """Rows with the labels that they have, and that one or two models predict, (n, k) each."""

    had: NDArray[np.bool_]
    called: tuple[NDArray[np.bool_], ...]
    squares: Vector

    def sum_together(self, slopes: Matrix) -> Matrix:
        """Sum products of what rows add to two labels."""
        called = self.called[0]
        each = (self.had & called) * slopes[0] + called * slopes[1] + self.had * slopes[2]
        return np.asarray((each.T * self.squares) @ each)

    def sum_changed(self) -> tuple[Vector, Vector]:
        """Sum the rows for which one model alone predicts a label."""
        changed = self.called[0] ^ self.called[1]
        return self.squares @ (changed & self.had), self.squares @ (changed & ~self.had)

    def list_changes(self, adds: Matrix, row: float) -> Vector:
        """Return how much each changed row adds to the difference."""
        return list_label_changes(adds, row, self.sum_changed(), self._sum_squares)

    def _sum_squares(self, adds: Matrix) -> float:
        change = self.called[0].astype(np.float64) - self.called[1]
        each = np.sum(change * np.where(self.had, adds[0], adds[1]), axis=1)
        return float(self.squares @ each**2)
