"""Measures of ranks as sums: tables made of bins tell what each row adds to one.

Rows are sorted into bins once. From the weight in the bins come the value of a measure, how far it
can be off, and the influence of a row by its bins, which then adds up as any other column does.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from reportgen.kernels.batch import Vector
from reportgen.metrics.spec import Metric, Scalar
from reportgen.rows import Rows
from reportgen.streaming.checkpoints import State
from reportgen.streaming.layout import Summand


class RankTable(Protocol):
    """What bins tell of a measure of ranks of one model."""

    @property
    def level(self) -> float:
        """What the mean of the influence is added to, to give the value."""

    @property
    def bound(self) -> float:
        """How far the value can be from that of all rows."""

    @property
    def largest(self) -> float:
        """The largest influence that a row can have."""

    def of(self, rows: Rows) -> Vector:
        """The influence of each row, (n,)."""


RankTables = Mapping[tuple[str, str], RankTable]
"""By measure and model."""


class RunningCounts(Protocol):
    """The weight in bins of all row groups so far."""

    def add(self, part: Any) -> None:
        """Take in that of a row group."""

    def state(self) -> State:
        """The same as arrays by name."""

    def resume(self, state: State) -> None:
        """Take in a state that was kept."""

    def tables(self) -> RankTables:
        """What it tells of each measure of each model."""


class Binning(Protocol):
    """How rows fall into bins: what is found of a piece of rows, of a row group and of all."""

    def of_piece(self, data: Mapping[str, Rows], whole: Vector) -> Any:
        """What is found of some rows by model, with their weights as whole numbers."""

    def of_group(self, pieces: Sequence[Any]) -> Any:
        """What is found of all pieces of a row group."""

    def running(self) -> RunningCounts:
        """What is known before the first row group."""


@dataclass(frozen=True)
class Line:
    """A metric, with such parameters, as a straight line of a measure that bins tell."""

    measure: str
    level: float = 0.0
    slope: float = 1.0
    params: tuple[tuple[str, Scalar], ...] = ()


LINES: Mapping[str, Line] = {
    "roc_auc": Line("roc_auc"),
    "gini": Line("roc_auc", -1.0, 2.0),
    "kendall": Line("kendall"),
    "kendall_a": Line("kendall_a"),
    "tau_tilde": Line("kendall_a", 0.5, 0.5),
    "regression_auc": Line("regression_auc", params=(("ties", "half"),)),
    "spearman": Line("spearman"),
    "rho_tilde": Line("spearman", 0.5, 0.5),
}


def line_of(metric: Metric) -> Line | None:
    """The line of a measure from bins that a metric is; None if it is none."""
    line = LINES.get(metric.name) if metric.shape == "whole" else None
    is_it = line is not None and all(metric.params.get(k) == v for k, v in line.params)
    return line if is_it else None


def asked_otherwise(metric: Metric) -> str:
    """The parameters with which alone a metric is found from bins; none if it is, or never is."""
    line = LINES.get(metric.name) if metric.shape == "whole" else None
    if line is None or line_of(metric) is not None:
        return ""
    return ", ".join(f"{name}: {value}" for name, value in line.params)


def is_binned(metric: Metric) -> bool:
    """Whether a metric can be found from bins."""
    return line_of(metric) is not None


@dataclass(frozen=True, eq=False)
class BinnedSummand(Summand):
    """A measure from bins: its value, and the influence of a row as its one column."""

    table: RankTable
    line: Line

    @property
    def level(self) -> float:
        """What the mean of the influence is added to."""
        return self.line.level + self.line.slope * self.table.level

    @property
    def bound(self) -> float:
        """How far the value can be off."""
        return abs(self.line.slope) * self.table.bound

    def columns(self, rows: Rows) -> tuple[list[Vector], float]:
        """The influence of each row; no row lacks it."""
        return [self.line.slope * self.table.of(rows)], 0.0

    @property
    def largest(self) -> float:
        """The largest influence that a row can have."""
        return abs(self.line.slope) * self.table.largest


def binned_summand(metric: Metric, place: int, model: str, tables: RankTables) -> BinnedSummand:
    """The summand of a metric of a model, whose column stands at a place."""
    line = line_of(metric)
    assert line is not None
    at, table = slice(place, place + 1), tables[line.measure, model]
    return BinnedSummand(metric, at, np.zeros(1), False, table, line)
