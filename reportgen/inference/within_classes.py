"""What rows of one class say of a number, apart from those of others."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from reportgen.kernels.batch import Index, Vector


@dataclass(frozen=True, eq=False)
class OneRowMore:
    """By how much a value moves if one row of a class is called otherwise, (k,), by class.

    `code` (n,) is the class of each row. A class none of whose few rows differs from another shows
    no variance, and is not known the better for that: it may hold as much as one row more.
    """

    code: Index
    moves: Vector

    def unseen(self, influence: Vector) -> float:
        """The variance of one row more in each class, as far as its own rows show less.

        >>> one_of_two = OneRowMore(np.array([0, 0, 1, 1]), np.array([0.25, 0.25]))
        >>> one_of_two.unseen(np.array([0.25, -0.25, 0.0, 0.0]))
        0.0625
        """
        size = np.maximum(np.bincount(self.code, minlength=len(self.moves)), 1)
        mean = np.bincount(self.code, influence, len(size)) / size
        shown = np.bincount(self.code, (influence - mean[self.code]) ** 2, len(size))
        return float(np.maximum(self.moves**2 - shown, 0.0).sum())

    def beside(self, other: OneRowMore) -> OneRowMore:
        """The same of a difference: one row more in which the two differ."""
        return OneRowMore(self.code, np.maximum(self.moves, other.moves))


def spread(squares: Vector) -> float:
    """The sum of squares with m/(m − 1); nan of less than two."""
    m = len(squares)
    return float(squares.sum()) * m / (m - 1) if m > 1 else np.nan
