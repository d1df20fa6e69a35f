"""Rows that are queries: a list of graded documents each."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any, Self

from numpy.typing import NDArray

from reportgen.kernels.batch import Column, Index
from reportgen.kernels.lists import Lists
from reportgen.kernels.pieces import Mapped, over_pieces, over_queries
from reportgen.rows.rows import Inputs, Rows, Shown
from reportgen.terms import Scale

Asked = tuple[Callable[..., Any], Mapping[str, Any]]  # a measure and its parameters


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
        self._known: dict[Hashable, NDArray[Any]] = {}

    def inputs(self) -> tuple[Lists]:
        """The lists, with what was judged."""
        return (self.lists,)

    def each(
        self, function: Callable[..., Any], params: Mapping[str, Any], inputs: Inputs | None = None
    ) -> Any:
        """What a measure says of each query; taken if it was found ahead."""
        if inputs is not None:
            return super().each(function, params, inputs)
        known = self._known.get(_key(function, params))
        return over_queries(partial(function, **params), self.lists) if known is None else known

    def forget(self) -> None:
        """Let go of what was found ahead, too."""
        super().forget()
        self._known.clear()

    def _taken(self, index: Index) -> Self:
        """The same model on some of the queries, of which no measure says anything else."""
        found = type(self)(self.lists.take(index), self.scale, self.outcome.take(index))
        found._known = {key: values[index] for key, values in self._known.items()}
        return found

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


def find_ahead(asked: Sequence[tuple[Queries, Iterable[Asked]]], mapped: Mapped = map) -> None:
    """Find what measures say of each query of several models at once.

    All measures look at a piece of the queries while what they share of it is at hand. What was
    found is taken when it is asked for.
    """
    wanted: list[tuple[Lists, dict[Hashable, Callable[..., Any]]]] = [
        (rows.lists, {
            key: partial(function, **params) for function, params in measures
            if (key := _key(function, params)) not in rows._known
        })
        for rows, measures in asked
    ]  # fmt: skip
    for (rows, _), found in zip(asked, over_pieces(wanted, mapped), strict=True):
        rows._known |= found


def _key(function: Callable[..., Any], params: Mapping[str, Any]) -> Hashable:
    return function, *sorted(params.items())
