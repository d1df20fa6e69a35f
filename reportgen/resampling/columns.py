"""The columns whose weighted sums many statistics are found from, each of them once.

A metric and its standard error, or a loss of several metrics, have columns in common; others are
products of what is there anyway, and a product is made while it is summed. So of a million rows
little more is kept than what the rows themselves are.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import combinations_with_replacement

import numpy as np

from reportgen.kernels.batch import Index, Vector
from reportgen.kernels.sums import Size, Term

LOOKED_AT = 64  # rows by which two columns are told apart before all rows are looked at


class Columns:
    """Columns, their sizes and products; `place` says where one of them stands, and adds new ones.

    `there` are columns that are kept by others anyway: whatever equals one of them, the size
    of one, or a product of two, takes no room.
    """

    def __init__(self, there: Iterable[Vector]) -> None:
        self.kept: list[Term] = []
        self._alike: dict[bytes, list[Vector]] = {}
        self._where: dict[int, int] = {}  # of a column of `there` or of its own, by its id
        self._products: dict[tuple[int, int], int] = {}
        self._factors: dict[bytes, tuple[Vector, Vector]] = {}
        self._sizes: dict[int, int] = {}  # of the size of such a column
        self._beside: list[Vector] = []  # new columns of the statistic that is looked at
        plain: list[Vector] = []
        for column in there:
            if self._known(column) is None:
                self._alike.setdefault(_look(column), []).append(column)
                plain.append(column)
        self._signed = {_look(Size(column)): column for column in plain}
        for pair in combinations_with_replacement(plain, 2):
            self._factors.setdefault(_look(pair), pair)

    def places(self, terms: Sequence[Term]) -> Index:
        """Where the columns of a statistic stand; products are those of columns before them."""
        self._beside = []
        return np.array([self.place(term) for term in terms], dtype=np.intp)

    def place(self, term: Term) -> int:
        """Where a column, or the product of two, stands among the sums."""
        if isinstance(term, tuple):
            return self._product(self.place(term[0]), self.place(term[1]))
        if isinstance(term, Size):
            return self._size(term.of)
        known = self._known(term)
        if known is not None:
            return self._at(known)
        factors = self._factors.get(_look(term))
        if factors is not None and np.array_equal(factors[0] * factors[1], term):
            return self._product(self._at(factors[0]), self._at(factors[1]))
        signed = self._signed.get(_look(term))
        if signed is not None and np.array_equal(np.abs(signed), term):
            return self._size(signed)
        own = np.ascontiguousarray(term)
        own = own if own.base is None else own.copy()  # what it is a part of need not be kept
        self._alike.setdefault(_look(own), []).append(own)
        self._beside.append(own)
        for other in self._beside:
            self._factors.setdefault(_look((other, own)), (other, own))
        return self._at(own)

    def _known(self, column: Vector) -> Vector | None:
        alike = self._alike.get(_look(column), ())
        return next((each for each in alike if np.array_equal(each, column)), None)

    def _at(self, column: Vector) -> int:
        if id(column) not in self._where:
            self._where[id(column)] = self._put(column)
        return self._where[id(column)]

    def _size(self, column: Vector) -> int:
        if id(column) not in self._sizes:
            self._sizes[id(column)] = self._put(Size(column))
        return self._sizes[id(column)]

    def _product(self, first: int, second: int) -> int:
        key = min(first, second), max(first, second)
        if key not in self._products:
            self._products[key] = self._put((self.kept[first], self.kept[second]))
        return self._products[key]

    def _put(self, term: Term) -> int:
        self.kept.append(term)
        return len(self.kept) - 1


def _look(term: Term) -> bytes:
    """Some of its values, by which it is looked up."""
    if isinstance(term, Size):
        return np.abs(np.frombuffer(_look(term.of))).tobytes()
    if isinstance(term, tuple):
        first, second = (np.frombuffer(_look(each)) for each in term)
        with np.errstate(over="ignore", invalid="ignore"):
            return (first * second).tobytes()
    return np.ascontiguousarray(term[:: max(1, len(term) // LOOKED_AT)]).tobytes()
