"""Rows with any number of labels each."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Self

import numpy as np
from numpy.typing import NDArray

from reportgen.kernels.batch import Column, Index, Matrix, Vector
from reportgen.kernels.cuts import Calls, Threshold
from reportgen.rows.classes import Classes
from reportgen.rows.rows import Rows, Shown
from reportgen.terms import Needs, Scale

Flags = NDArray[np.bool_]


class LabelSets(Rows):
    """The labels that each row has, any of k, as `flags` (n, k), and their `scores` (n, k).

    A row is called every label whose score is at least a threshold: one for all of them, or those
    of an operating point, of which `points` holds one a label, (k,), by name. Scores of the scale
    `label` are 1 where a model names the label, else 0. The outcome is how many labels a row has.
    """

    def __init__(
        self,
        flags: Flags,
        scores: Matrix,
        labels: tuple[str, ...],
        scale: Scale = "probability",
        points: Mapping[str, Vector] | None = None,
        outcome: Column | None = None,
    ) -> None:
        super().__init__()
        self.flags, self.scores, self.labels, self.scale = flags, scores, labels, scale
        self.points = dict(points or {})
        count = Column(flags.sum(axis=1).astype(np.float64)) if outcome is None else outcome
        self.outcome = count
        self.ranking = Column(scores.sum(axis=1))

    def called(self, threshold: float, at: str = "") -> Flags:
        """Which labels each row is called, (n, k): from a threshold on, or at a named point."""
        if at and at not in self.points:
            raise ValueError(f"there is no operating point {at!r}; give a threshold")
        return np.asarray(self.scores >= (self.points[at] if at else threshold))

    def of(self, label: int) -> Classes:
        """The same rows as one label, had or not, with its operating points."""
        names = (f"not {self.labels[label]}", self.labels[label])
        cuts = {name: Threshold(float(each[label])) for name, each in self.points.items()}

        def found() -> Classes:
            code = self.flags[:, label].astype(np.intp)
            return Classes(code, self.scores[:, [label]], names, self.scale, calls=Calls(cuts))

        return self.once(f"label {label}", found)

    def inputs(self) -> tuple[Matrix, Matrix]:
        """Flags as 0 and 1, and scores, (n, k) each."""
        return self.flags.astype(np.float64), self.scores

    def _taken(self, index: Index) -> Self:
        """The same model on some of the rows; a label that none of them has stays a label."""
        flags, scores, outcome = self.flags[index], self.scores[index], self.outcome.take(index)
        return type(self)(flags, scores, self.labels, self.scale, self.points, outcome)

    def describe(self, row: int) -> Mapping[str, Shown]:
        """The labels that the row has."""
        had = (name for name, has in zip(self.labels, self.flags[row], strict=True) if has)
        return {"y": ", ".join(had) or "none"}

    def is_same(self, other: Rows) -> bool:
        """Whether another model says the same of every label of every row."""
        return isinstance(other, LabelSets) and np.array_equal(self.scores, other.scores)

    def contents(self) -> Iterator[object]:
        """Flags, labels, scores and operating points."""
        yield from (self.flags, *self.labels, self.scores)
        for name, each in self.points.items():
            yield from (name, each)

    def lacks(self, needs: Needs) -> str:
        """A score in any unit calls nothing until a point says from where on."""
        lack = super().lacks(needs)
        if not lack and needs == "label" and self.scale == "score" and not self.points:
            return "is a score, and no operating point says which labels it calls"
        return lack

    def ties(self) -> Mapping[str, Column]:
        """None: a row has no single score."""
        return {}
