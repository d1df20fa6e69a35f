"""Rows with an amount each and a score for it, and other rows of the same model."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Self

import numpy as np

from reportgen.kernels.batch import Batch, Column, Index, Vector
from reportgen.kernels.unit_costs import UnitCosts
from reportgen.rows.rows import Rows, Shown
from reportgen.terms import Needs, Scale

_QUANTILE = re.compile(r"q(\d+(?:\.\d+)?)")


class Amounts(Rows):
    """What happened and what one model said, as amounts; a `rank` score is an order alone.

    `parts` holds further score columns by name (a standard deviation, quantiles); `fit` the
    other rows, if any, on which a shift of the score is fitted; `unit_costs` what errors cost
    where that differs by row.
    """

    def __init__(
        self,
        y: Column | Vector,
        score: Column | Vector,
        parts: Mapping[str, Vector] | None = None,
        fit: Fit | None = None,
        scale: Scale = "amount",
        unit_costs: UnitCosts | None = None,
    ) -> None:
        super().__init__()
        self.unit_costs = unit_costs
        self.y = self.outcome = y if isinstance(y, Column) else Column(y)
        self.score = self.ranking = score if isinstance(score, Column) else Column(score)
        self.parts = dict(parts or {})
        self.fit = fit
        self.scale = scale

    @cached_property
    def error(self) -> Column:
        """Score minus y."""
        return Column(self.score.values - self.y.values)

    @cached_property
    def absolute_error(self) -> Column:
        """Size of the error."""
        return Column(np.abs(self.score.values - self.y.values))

    @property
    def has_densities(self) -> bool:
        """Whether the model gives a density of each row: a mean and its spread, or quantiles."""
        return is_density(self.parts)

    @property
    def drawn_beside(self) -> int:
        """The rows that shifts are fitted on."""
        return 0 if self.fit is None else len(self.fit.rows)

    def inputs(self) -> tuple[Vector, ...]:
        """Y and the score, (n,) each."""
        return self.y.values, self.score.values

    def _taken(self, index: Index) -> Self:
        """The same model on some of the rows; shifts stay fitted on all the training rows."""
        parts = {name: part[index] for name, part in self.parts.items()}
        y, score = self.y.take(index), self.score.values[index]
        costs = None if self.unit_costs is None else self.unit_costs.take(index)
        return type(self)(y, score, parts, self.fit, self.scale, costs)

    def describe(self, row: int) -> Mapping[str, Shown]:
        """Y and the score."""
        return {"y": float(self.y.values[row]), "score": float(self.score.values[row])}

    def is_same(self, other: Rows) -> bool:
        """Whether another model says the same of every row, in every column."""
        return (
            isinstance(other, Amounts)
            and self.parts.keys() == other.parts.keys()
            and np.array_equal(self.score.values, other.score.values)
            and all(np.array_equal(self.parts[name], other.parts[name]) for name in self.parts)
        )

    def contents(self) -> Iterator[object]:
        """The score, its further columns and the training rows."""
        yield self.score.values
        for name, part in self.parts.items():
            yield from (name, part)
        if self.fit is not None:
            rows = self.fit.rows
            yield from (rows.y.values, rows.score.values, *self.fit.identity)
            yield from rows.priced()
        yield from self.priced()

    def priced(self) -> Iterator[Vector]:
        """The unit costs of the rows, if they differ."""
        if self.unit_costs is not None:
            yield from (self.unit_costs.under, self.unit_costs.over)

    def lacks(self, needs: Needs) -> str:
        """A rank is no amount, and a single number no density."""
        lack = super().lacks(needs)
        if not lack and needs == "density" and not self.has_densities:
            return "has no density: no columns mean and sd, and no quantiles"
        return lack

    def orders(self) -> tuple[Column, ...]:
        """By y, by score and by the size of the error."""
        return self.y, self.score, self.absolute_error

    def errors(self) -> Vector | None:
        """Score minus y, (n,); None for a rank."""
        return self.error.values if self.scale == "amount" else None

    def largest(self) -> float:
        """The size of the largest y or score."""
        if not len(self):
            return 0.0
        return max(float(np.max(np.abs(c.values))) for c in (self.y, self.score))


@dataclass(frozen=True, eq=False)
class Fit:
    """Rows of the same model that are not judged: what is fitted on them is applied elsewhere.

    `draw` f(k, lanes) gives so many resamples of them from their k-th batch on, which know nothing
    of the resamples of the rows that are judged. `identity` is all that those draws depend on.
    """

    rows: Amounts
    weight: Vector
    draw: Callable[..., Batch]
    identity: tuple[object, ...] = ()

    def beside(self, batch: Batch) -> Batch:
        """As many weightings as a batch of the judged rows has: resamples for resamples.

        One weighting, the rows' own weights, where the judged rows are not resampled either.
        """
        return Batch.of(self.weight) if batch.index is None else self.draw(batch.index, batch.size)


def is_density(parts: Mapping[str, object]) -> bool:
    """Whether the columns of a model are a density: a mean and its spread, or two quantiles."""
    return {"mean", "sd"} <= parts.keys() or len(quantile_levels(parts)) > 1


def quantile_levels(names: Mapping[str, object]) -> dict[str, float]:
    """The levels that columns are quantiles at, by name, rising: `q10` is at 0.1.

    >>> quantile_levels({"q97.5": 0, "mean": 0, "q10": 0})
    {'q10': 0.1, 'q97.5': 0.975}
    """
    found = {name: _QUANTILE.fullmatch(name) for name in names}
    levels = {name: float(match[1]) / 100 for name, match in found.items() if match}
    return dict(sorted(levels.items(), key=lambda pair: pair[1]))
