"""What all kinds of rows have in common: the questions that they answer."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping
from typing import Any, Self, TypeVar

import numpy as np

from reportgen.kernels.batch import Column, Index, Kept, Vector
from reportgen.kernels.lists import Lists
from reportgen.terms import Needs, Scale

Shown = str | float | int
# What each kind of score gives a statistic; a density asks for further columns beside an amount.
# A label is a class that is called, by whatever says so; a call is one by a threshold on what lies
# between 0 and 1, or without one.
OFFERS: Mapping[Scale, frozenset[Needs]] = {
    "amount": frozenset(("order", "amount", "density")),
    "probability": frozenset(("order", "probability", "label", "call")),
    "score": frozenset(("order", "label")),
    "rank": frozenset(("order", "label")),
    "label": frozenset(("label", "call")),
}
Result = TypeVar("Result")
Inputs = Callable[..., tuple[Any, ...]]


class Rows(ABC):
    """Units of analysis with what happened and what one model said of each.

    `outcome` is what happened as one number a row, and `ranking` the order that the model puts
    the rows in, both of shape (n,). `scale` says what its scores are. `is_costly` says that
    what a metric finds of one row takes long to find, so that it is kept rather than found anew.
    `lists` are the documents of each row, where it has any. `fold` (n,) numbers the fits that the
    scores come from, where the rows of each fit were scored by a model fitted on the other rows.
    `is_fold_mean` says that a function of counts, too, is the mean of its values on them.
    `is_of_called` says that what happened is known of rows alone that a model calls.
    `is_of_datasets` says that each row is a data set.
    """

    outcome: Column
    ranking: Column
    scale: Scale
    lists: Lists | None = None
    is_costly = False
    fold: Index | None = None
    is_fold_mean = False
    is_of_called = False
    is_of_datasets = False

    def __init__(self) -> None:
        self._kept = Kept()

    def __len__(self) -> int:
        return len(self.outcome)

    @property
    def drawn_beside(self) -> int:
        """How many other rows are resampled whenever these are."""
        return 0

    @abstractmethod
    def inputs(self) -> tuple[Any, ...]:
        """What a metric's definition is called with, before weights."""

    def each(
        self, function: Callable[..., Any], params: Mapping[str, Any], inputs: Inputs | None = None
    ) -> Any:
        """What a function says of each row, for which it reads no other row.

        `inputs` f(rows, **params) gives what it is called with, where that is not the usual.
        """
        given = self.inputs() if inputs is None else inputs(self, **params)
        return function(*given, **params)

    def take(self, index: Index) -> Self:
        """The same model on some of the rows."""
        found = self._taken(index)
        found.fold = None if self.fold is None else self.fold[index]
        found.is_fold_mean = self.is_fold_mean
        found.is_of_called = self.is_of_called
        return found

    @abstractmethod
    def _taken(self, index: Index) -> Self:
        """The same model on some of the rows, whatever their folds."""

    @property
    def folds(self) -> list[tuple[Index, Self]]:
        """The places and the rows of each fold that has any, as rows of one fit."""
        return self.once("folds", self._by_fold)

    def _by_fold(self) -> list[tuple[Index, Self]]:
        assert self.fold is not None
        members = (np.flatnonzero(self.fold == number) for number in np.unique(self.fold))
        return [(each, self._taken(each)) for each in members]

    @abstractmethod
    def describe(self, row: int) -> Mapping[str, Shown]:
        """What a reader is shown of a single row, by name."""

    @abstractmethod
    def is_same(self, other: Rows) -> bool:
        """Whether another model says the same of every row, in every column."""

    @abstractmethod
    def contents(self) -> Iterator[object]:
        """All that a number of these rows comes from, but `outcome`."""

    def lacks(self, needs: Needs) -> str:
        """Why these rows do not give a statistic what it needs, after the model's name; or ""."""
        if self.is_of_called and needs not in ("label", "call"):
            return "is judged on called rows alone"
        if needs in OFFERS[self.scale]:
            return ""
        wanted = {"probability": "a probability", "call": "a probability", "order": "a score"}.get(
            needs, "an amount"
        )
        if self.scale == "label":
            return f"names classes and gives no {wanted.split()[-1]}"
        said = "rank score" if self.scale == "rank" else self.scale
        return f"is a {said}, not {wanted}"

    def orders(self) -> tuple[Column, ...]:
        """The orders in which a statistic may depend on a row's neighbours."""
        return self.outcome, self.ranking

    def ties(self) -> Mapping[str, Column]:
        """The columns whose equal values make measures of order disagree, by `y` or `score`."""
        return {"y": self.outcome, "score": self.ranking}

    def errors(self) -> Vector | None:
        """How far the score is from what happened, (n,), in the unit of y; None if it is none."""
        return None

    def largest(self) -> float:
        """The size of the largest amount, in the unit of y; 0 where there are no amounts."""
        return 0.0

    def once(self, name: str, compute: Callable[[], Result]) -> Result:
        """Return what `compute` gave the first time: for tables that kernels prepare."""
        return self._kept(name, compute)

    def forget(self) -> None:
        """Let go of what was computed once but orders and groups; it is made again if asked for."""
        self._kept.keep()
        for column in self.orders():
            column.forget()
