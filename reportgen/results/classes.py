"""What is found of each class: values, differences, and what is called in its place."""

from __future__ import annotations

from dataclasses import dataclass

from reportgen.results.core import Comparison, Estimate
from reportgen.results.numbers import Number, Numbers


@dataclass(frozen=True)
class ClassValues:
    """One metric of one class, or of all of them together, for every model.

    `value` is the class, "" where `average` says over which classes the mean is. `metric` and
    `title` are those of the metric whatever the class. `n` counts the rows of the class that weigh
    anything; where they are too few to judge there are no `comparisons`, which have a family of
    their own: all classes, metrics and pairs.
    """

    dataset: str
    value: str
    average: str
    metric: str
    title: str
    n: int
    estimates: tuple[Estimate, ...]
    comparisons: tuple[Comparison, ...] = ()


@dataclass(frozen=True)
class ConfusionMatrix:
    """The weight of the rows of each class, (k, k), by the class that one model calls them.

    Rows and columns are in the order of the dataset's `classes`.
    """

    dataset: str
    model: str
    weight: tuple[Numbers, ...]


@dataclass(frozen=True)
class LabelCalls:
    """What comes of one model's calls of a label, `value`, that a row may have beside others.

    The cells are sums of weights: counts of rows where no weight is declared. `threshold` is the
    score from which the label is called, None of a model that names labels without scores, and
    `point` the operating point that says so, "" where none is declared.
    """

    dataset: str
    model: str
    value: str
    point: str
    threshold: Number
    true_negatives: Number
    false_positives: Number
    false_negatives: Number
    true_positives: Number


@dataclass(frozen=True)
class ConfusionDifference:
    """Of the rows of class `value`, how much more of them a candidate calls `called`: a share.

    Limits allow for all cells and candidates; `is_shown` says that they leave out zero.
    """

    dataset: str
    value: str
    called: str
    candidate: str
    baseline: str
    difference: Number
    low: Number
    high: Number
    is_shown: bool
