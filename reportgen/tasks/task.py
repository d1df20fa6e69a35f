"""What a task is: what its target holds, what its models say, and the rows that come of both."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from reportgen.kernels.batch import Column, Vector
from reportgen.kernels.cuts import Calls
from reportgen.kernels.lists import Lists
from reportgen.kernels.unit_costs import UnitCosts
from reportgen.rows import Fit, Rows
from reportgen.terms import Scale

TaskName = Literal["regression", "binary", "multiclass", "multilabel", "ranking", "finished"]
Target = Literal["amount", "flag", "class", "labels", "grades", "none"]


@dataclass(frozen=True, eq=False)
class Predictions:
    """What one model says of rows: its score (n,), further columns, what kind of score it is.

    `fit` is the same model on the rows that shifts are fitted on, if any; `unit_costs` what errors
    cost where that differs by row; `lists` its documents where a row is a query; `calls` where its
    calls begin, where a row is of a class, and `classes` what the classes are called: one a part.
    Where a row may have several of them `flags` (n, k) say which, and `points` from which score on
    each is called, (k,), by the name of an operating point. `prices` (k, k) are what a class costs,
    a row, that is called another, a column.
    """

    score: Vector
    scale: Scale
    parts: Mapping[str, Vector] = field(default_factory=dict)
    fit: Fit | None = None
    unit_costs: UnitCosts | None = None
    lists: Lists | None = None
    calls: Calls = field(default_factory=Calls)
    classes: tuple[str, ...] = ()
    flags: NDArray[np.bool_] | None = None
    points: Mapping[str, Vector] = field(default_factory=dict)
    prices: NDArray[np.float64] | None = None


@dataclass(frozen=True)
class FirstConfig:
    """What a first config proposes.

    `metrics` by name, the first of which decides, each with a remark; `loose_scale` is the kind of
    score that gives an order alone, and `loose` says what it is. `gate` is an example: its name,
    its rule with a metric, and a value.
    """

    metrics: Mapping[str, str]
    loose_scale: Scale
    loose: str
    gate: tuple[str, str, str]


@dataclass(frozen=True)
class Task:
    """What models do.

    `target` says what the target column holds: an `amount`, or a `flag`, one of two classes, or a
    `class`, one of several, or `labels`, any of several, or the `grades` of the documents of each
    row, which is a query, or `none`: models are told by scores that were computed elsewhere.
    `scales` are the kinds of score that a model may have, the default first; `rows`
    f(outcome, predictions) makes what statistics see of a model, where models share `outcome`.
    `has_side_costs` says that an error costs by its side and size, as `costs: {under, over}`
    declares; `has_densities` that further columns of a model may hold what it predicts of each row:
    a mean and sd, or quantiles; `has_wins` that a row is an answer of its own, so that it is told
    on how many a model is ahead. `per_class` are metrics that are found of each class, too.
    `checks` are metrics under one half of which scores are upside down. `first` is what a config
    proposes that is written for somebody.
    """

    name: TaskName
    target: Target
    scales: tuple[Scale, ...]
    rows: Callable[[Column, Predictions], Rows]
    first: FirstConfig
    has_side_costs: bool = False
    has_densities: bool = False
    has_wins: bool = False
    per_class: tuple[str, ...] = ()
    checks: tuple[str, ...] = ()

    @property
    def has_classes(self) -> bool:
        """Whether the target names classes: one a row, or any number."""
        return self.target in ("flag", "class", "labels")

    @property
    def has_several_classes(self) -> bool:
        """Whether it names classes of which a score each is wanted."""
        return self.target in ("class", "labels")
