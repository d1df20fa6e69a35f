"""Rows that are queries: a list of graded documents each."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Self

from reportgen.kernels.batch import Column, Index
from reportgen.kernels.lists import Lists
from reportgen.rows.rows import Rows, Shown
from reportgen.terms import Scale


class Queries(Rows):
    """One model's lists of graded documents: one row is one query.

    Its outcome is how many documents of the query were judged relevant: have a grade above 0.
    """

    is_costly = True  # a query is a whole list of documents

    def __init__(self, lists: Lists, scale: Scale = "score", outcome: Column | None = None) -> None:
        super().__init__()
        self.lists: Lists = lists
        self.scale = scale
        relevant = Column(lists.judgements.graded) if outcome is None else outcome
        self.outcome = relevant
        self.ranking = Column(lists.ranking)

    def inputs(self) -> tuple[Lists]:
        """The lists, with what was judged."""
        return (self.lists,)

    def _taken(self, index: Index) -> Self:
        """The same model on some of the queries."""
        return type(self)(self.lists.take(index), self.scale, self.outcome.take(index))

    def describe(self, row: int) -> Mapping[str, Shown]:
        """How many documents the query has, and how many are relevant."""
        size = int(self.lists.start[row + 1] - self.lists.start[row])
        return {"documents": size, "relevant": int(self.outcome.values[row])}

    def is_same(self, other: Rows) -> bool:
        """Whether another model gives the same documents the same scores."""
        return isinstance(other, Queries) and self.lists.is_same(other.lists)

    def contents(self) -> Iterator[object]:
        """Sizes, grades, scores and ids of the lists, and what was judged."""
        lists, judged = self.lists, self.lists.judgements
        yield from (lists.start, lists.grade, lists.score, judged.start, judged.grade)
        yield from (() if lists.name is None else (lists.name,))
        yield from judged.levels

    def ties(self) -> Mapping[str, Column]:
        """None: what is tied is a query's documents, not queries."""
        return {}
