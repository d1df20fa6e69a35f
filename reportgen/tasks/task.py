"""What a task is: what its target holds, what its models say, and the rows that come of both."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Literal

from reportgen.kernels.batch import Column, Vector
from reportgen.kernels.unit_costs import UnitCosts
from reportgen.rows import Fit, Rows, Scale

TaskName = Literal["regression", "binary", "multiclass", "multilabel", "ranking"]
Target = Literal["amount", "flag"]


@dataclass(frozen=True, eq=False)
class Predictions:
    """What one model says of rows: its score (n,), further columns, what kind of score it is.

    `fit` is the same model on the rows that shifts are fitted on, if any; `unit_costs` what errors
    cost where that differs by row.
    """

    score: Vector
    scale: Scale
    parts: Mapping[str, Vector] = field(default_factory=dict)
    fit: Fit | None = None
    unit_costs: UnitCosts | None = None


@dataclass(frozen=True)
class Task:
    """What models do.

    `target` says what the target column holds: an `amount`, or a `flag`, 0 or 1. `scales` are the
    kinds of score that a model may have, the default first; `rows` f(outcome, predictions) makes
    what statistics see of a model, where models share `outcome`. `has_side_costs` says that an
    error costs by its side and size, as `costs: {under, over}` declares.
    """

    name: TaskName
    target: Target
    scales: tuple[Scale, ...]
    rows: Callable[[Column, Predictions], Rows]
    has_side_costs: bool = False
