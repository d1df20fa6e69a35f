"""What is to be inferred on one dataset: models, metrics, curves, and how sure to be."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Literal

from reportgen.curves.spec import Curve
from reportgen.inference.design import Design
from reportgen.inference.multiplicity import Adjust
from reportgen.kernels.batch import Fit, Index, Vector
from reportgen.metrics.spec import Metric
from reportgen.results import CurveResult, TableResult


@dataclass(frozen=True)
class Margin:
    """The smallest difference that matters: in the metric's unit, or as a share of a value."""

    size: float
    is_relative: bool = False

    def against(self, value: float) -> float:
        """The margin in the metric's unit, given the baseline's value."""
        return self.size * abs(value) if self.is_relative else self.size


@dataclass(frozen=True)
class Use:
    """A metric with its parameters fixed, under the key that names it everywhere.

    `test` is how its differences are tested.
    """

    key: str
    metric: Metric
    margin: Margin | None = None
    is_primary: bool = False
    test: str = "auto"


@dataclass(frozen=True)
class Contestant:
    """One model's scores; `label` is for reasons that a reader sees, `fit` for fitted shifts."""

    name: str
    label: str
    scale: Literal["amount", "rank"]
    score: Vector
    parts: Mapping[str, Vector] = field(default_factory=dict)
    fit: Fit | None = None


@dataclass(frozen=True)
class Segment:
    """A slice of rows under the name `column=value`."""

    name: str
    rows: Index


@dataclass(frozen=True)
class Joint:
    """A statistic of all models at once.

    `parts` are replicated for each model; `find` f(together) reads the values and replicates of
    all of them (`inference.joint.Together`) and gives tables and curves.
    """

    parts: tuple[Curve, ...]
    find: Callable[..., Iterable[TableResult | CurveResult]]


@dataclass(frozen=True)
class Doubt:
    """A coded warning with its numbers; the words are found elsewhere."""

    code: str
    numbers: Mapping[str, str | float | int | bool | None]
    segment: str | None = None
    key: str | None = None
    model: str | None = None


@dataclass(frozen=True)
class Question:
    """Everything that is asked of one dataset.

    `is_ordered` says that the config declares how rows hang together: by time or by cluster;
    `is_used_to_choose` that a model was chosen or tuned on these rows; `doubts` are known before
    any number. `repeats` are codes of units by the name of a column that the config does not
    declare. `sequence` is the order of the rows by their ids, numbers as numbers, where it is not
    that in which they stand. `ids` names the rows; None where no report may name a single one.
    `currency` is that of unit costs, "" where none is declared. `baseline` is the model in use,
    whomever others are compared with.
    """

    dataset: str
    unit: str
    y: Vector
    contestants: tuple[Contestant, ...]
    pairs: tuple[tuple[str, str], ...]
    uses: tuple[Use, ...]
    curves: tuple[Curve, ...]
    segments: tuple[Segment, ...]
    design: Design
    level: float
    interval: str
    adjust: Adjust
    is_ordered: bool = False
    is_used_to_choose: bool = False
    doubts: tuple[Doubt, ...] = ()
    joints: tuple[Joint, ...] = ()
    repeats: Mapping[str, Index] = field(default_factory=dict)
    sequence: Index | None = None
    ids: tuple[str, ...] | None = None
    currency: str = ""
    baseline: str | None = None


def unit_of(template: str, unit: str, currency: str = "") -> str:
    """The metric's unit with y's own unit in it; of a cost the money that a case costs.

    >>> unit_of("y", "dollars"), unit_of("y²", "dollars"), unit_of("y²", "USD/day")
    ('dollars', 'dollars²', '(USD/day)²')
    >>> unit_of("1", "dollars"), unit_of("cost", "dollars", "EUR"), unit_of("cost", "dollars")
    ('1', 'EUR per case', 'per case')
    """
    if template == "cost":
        return f"{currency} per case".lstrip()
    if not template.startswith("y"):
        return template
    is_one_word = unit.isalpha() or len(unit) == 1
    return template.replace("y", unit if template == "y" or is_one_word else f"({unit})")
