"""Rows of classes: one of several a row."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cached_property
from typing import Self

import numpy as np
from numpy.typing import NDArray

from reportgen.kernels.batch import Column, Index, Matrix
from reportgen.kernels.cuts import Calls
from reportgen.rows.rows import Rows, Shown
from reportgen.terms import Scale


class Classes(Rows):
    """The class of each row and what one model says of the classes.

    `code` (n,) is the place of a row's class in `labels`. `scores` is (n, k), a column a class, or
    (n, 1) where a model scores only the second of two. `upper` is the class that is told from the
    rest where two are: `y` is 1 on its rows and 0 on others, `score` its column. Models may share
    that y, as `outcome`. `calls` says from which score on the upper class is called, and `prices`
    (k, k) what a class costs, a row, that is called another, a column.

    With a score for each class the row is called the class with the largest, the first of several;
    it is then in the order of that score.
    """

    def __init__(
        self,
        code: Index,
        scores: Matrix,
        labels: tuple[str, ...],
        scale: Scale = "probability",
        upper: int | None = None,
        outcome: Column | None = None,
        calls: Calls = Calls(),  # noqa: B008  # nothing changes it
        prices: Matrix | None = None,
    ) -> None:
        super().__init__()
        self.code, self.scores, self.labels, self.scale = code, scores, labels, scale
        self.calls, self.prices = calls, prices
        self.upper = len(labels) - 1 if upper is None else upper
        y = Column((code == self.upper).astype(np.float64)) if outcome is None else outcome
        self.y = self.outcome = y
        self.score = self.ranking = Column(scores[:, min(self.upper, scores.shape[1] - 1)])
        if len(labels) > 2:
            self.outcome = Column(code.astype(np.float64))
            self.ranking = Column(scores.max(axis=1))

    @cached_property
    def called(self) -> Index:
        """The place of the class that each row is called, (n,)."""
        return np.asarray(np.argmax(self.scores, axis=1), dtype=np.intp)

    def of(self, upper: int) -> Classes:
        """The same rows as one class against the rest, (n, 1) scores of it."""
        code = (self.code == upper).astype(np.intp)
        labels = (f"not {self.labels[upper]}", self.labels[upper])
        return self.once(
            f"class {upper}", lambda: Classes(code, self.scores[:, [upper]], labels, self.scale)
        )

    def inputs(self) -> tuple[NDArray[np.float64 | np.intp], ...]:
        """Of two classes y and the score, (n,) each; of more the code (n,) and scores (n, k)."""
        if len(self.labels) == 2:
            return self.y.values, self.score.values
        return self.code, self.scores

    def _taken(self, index: Index) -> Self:
        """The same model on some of the rows; a class that none of them has stays a class."""
        code, scores, outcome = self.code[index], self.scores[index], self.y.take(index)
        calls = self.calls.take(index)
        beside = self.upper, outcome, calls, self.prices
        return type(self)(code, scores, self.labels, self.scale, *beside)

    def describe(self, row: int) -> Mapping[str, Shown]:
        """The class and the score of the upper of two; of more the class that it is called."""
        if len(self.labels) > 2:
            called, score = self.called[row], self.scores[row].max()
            return {"class": self.labels[self.code[row]], "called": self.labels[called],
                    "score": float(score)}  # fmt: skip
        return {"y": self.labels[self.code[row]], "score": float(self.score.values[row])}

    def is_same(self, other: Rows) -> bool:
        """Whether another model says the same of every class of every row."""
        return isinstance(other, Classes) and np.array_equal(self.scores, other.scores)

    def contents(self) -> Iterator[object]:
        """Codes, labels and scores."""
        yield from (self.code, *self.labels, self.upper, self.scores, *self.calls.contents())
        if self.prices is not None:
            yield self.prices

    def ties(self) -> Mapping[str, Column]:
        """The score alone: that classes repeat is what they are for. Of many scores none."""
        is_scored = len(self.labels) == 2 and self.scale != "label"
        return {"score": self.ranking} if is_scored else {}
