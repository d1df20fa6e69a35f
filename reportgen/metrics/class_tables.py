"""Tables of classes that were and were called, by what metrics read of them.

Most metrics need the sums of rows and columns and the diagonal alone, which take k numbers a table
where its cells take k². What needs all cells gets them a few tables at a time.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np

from reportgen.kernels.batch import Index, Matrix, Vector
from reportgen.kernels.lanes import ordered_sum

AT_ONCE = 2_000_000  # numbers of tables that stand side by side
Wholes = Callable[[], Iterator[Matrix]]  # tables (., k, k), a few at a time


@dataclass(frozen=True, eq=False)
class ClassTables:
    """b tables of k classes, each a row of `right`, `truth` and `calls`, (b, k).

    These are the shares of the weight that are of a class and called so, of it, and called so.
    """

    right: Matrix
    truth: Matrix
    calls: Matrix
    wholes: Wholes

    @classmethod
    def of(cls, wholes: Wholes) -> ClassTables:
        """The tables that are given whole, a few at a time."""
        parts = [_margins(some) for some in wholes()]
        right, truth, calls = (np.concatenate(each) for each in zip(*parts, strict=True))
        return cls(right, truth, calls, wholes)

    @property
    def size(self) -> int:
        """How many tables there are."""
        return len(self.truth)

    @property
    def classes(self) -> int:
        """How many classes each has."""
        return int(self.truth.shape[1])

    def over(self, total: Vector) -> ClassTables:
        """The same, each over its own total, (b,); nan over 0."""

        def wholes() -> Iterator[Matrix]:
            at = 0
            for some in self.wholes():
                yield some / total[at : at + len(some), None, None]
                at += len(some)

        right, truth, calls = (x / total[:, None] for x in (self.right, self.truth, self.calls))
        return ClassTables(right, truth, calls, wholes)

    def weighed(self, cost: Matrix) -> Vector:
        """The sum of the cells of each table, each times its own cost, (k, k)."""
        each = (np.einsum("bjk,jk->b", some, cost) for some in self.wholes())
        return np.concatenate([np.empty(0), *each])


def replaced(whole: Matrix, was: Index, called: Index, values: Vector) -> ClassTables:
    """A table (k, k) again and again, each time with one cell set anew, (q,).

    Sums of rows and columns are found anew for that cell alone, in the order of all others.
    """
    each = np.arange(len(values))

    def wholes() -> Iterator[Matrix]:
        size = at_once(len(whole) ** 2)
        for part in (slice(k, k + size) for k in range(0, len(values), size)):
            some = np.repeat(whole[None], len(values[part]), axis=0)
            some[np.arange(len(some)), was[part], called[part]] = values[part]
            yield some

    right, truth, calls = (np.repeat(each, len(values), axis=0) for each in _margins(whole[None]))
    rows, columns = whole[was], np.ascontiguousarray(whole[:, called])
    rows[each, called] = columns[was, each] = values
    truth[each, was], calls[each, called] = rows.sum(axis=1), ordered_sum(columns)
    is_right = was == called
    right[each[is_right], was[is_right]] = values[is_right]
    return ClassTables(right, truth, calls, wholes)


def at_once(cells: int) -> int:
    """How many tables of so many cells stand side by side."""
    return max(AT_ONCE // cells, 1)


def _margins(some: Matrix) -> tuple[Matrix, Matrix, Matrix]:
    """The diagonals, and the sums of rows and of columns, of tables (b, k, k)."""
    return np.diagonal(some, axis1=1, axis2=2), some.sum(axis=2), some.sum(axis=1)
