"""Rows with a value of each model that was found elsewhere, and nothing that happened beside it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Self

import numpy as np

from reportgen.kernels.batch import Column, Index, Vector
from reportgen.rows.rows import Rows, Shown
from reportgen.terms import Scale


class FinishedScores(Rows):
    """One number a row, (n,): how good a model was on a data set, as somebody measured it.

    `outcome` holds zeros: nothing is known of the rows but what each model reached.
    """

    is_of_datasets = True

    def __init__(self, outcome: Column, score: Column | Vector, scale: Scale = "amount") -> None:
        super().__init__()
        self.outcome, self.scale = outcome, scale
        self.score = self.ranking = score if isinstance(score, Column) else Column(score)

    def inputs(self) -> tuple[Vector, ...]:
        """The values, (n,)."""
        return (self.score.values,)

    def _taken(self, index: Index) -> Self:
        """The same model on some of the rows."""
        return type(self)(self.outcome.take(index), self.score.values[index], self.scale)

    def describe(self, row: int) -> Mapping[str, Shown]:
        """The value."""
        return {"score": float(self.score.values[row])}

    def is_same(self, other: Rows) -> bool:
        """Whether another model has the same values."""
        return isinstance(other, FinishedScores) and np.array_equal(
            self.score.values, other.score.values
        )

    def contents(self) -> Iterator[object]:
        """The values."""
        yield self.score.values

    def orders(self) -> tuple[Column, ...]:
        """By value."""
        return (self.score,)

    def ties(self) -> Mapping[str, Column]:
        """None: a value is a result, and puts nothing in order."""
        return {}

    def largest(self) -> float:
        """The size of the largest value."""
        return float(np.max(np.abs(self.score.values))) if len(self) else 0.0
