"""The names that a config may use, as the registries tell them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import field, replace
from typing import Literal, Protocol

from reportgen.config.yaml.tree import Value
from reportgen.records import record
from reportgen.terms import NAMES, USUAL, Needs


class ParameterLike(Protocol):
    """One parameter of a metric or a curve."""

    @property
    def kind(self) -> Literal["number", "integer", "text", "flag"]:
        """The kind of its values."""

    @property
    def default(self) -> Value:
        """Its value when the config is silent; None may also mean `none`."""

    @property
    def choices(self) -> tuple[str, ...]:
        """The texts it may be; empty if any."""

    @property
    def is_required(self) -> bool:
        """True if the config must give it."""


@record
class Word:
    """A metric or a curve as the language knows it.

    `check` gets all parameters by name and says what is wrong with them, or None. `tests` are those
    that its differences can have; None if that is not known. `is_best_at_zero` says that its size
    is what counts, `is_best_low` that less of it is better, `bounds` f(**params) the range of its
    values; None if that is not known. `is_on_request` says that a curve is drawn only where it is
    named. `aliases` are names that it has elsewhere, to be refused with its own. `has_losses` says
    that it is a mean of one number a row, of which each row's own can be looked at; `no_reference`
    why it has no value without a model. `row_bounds` f(**params) is the range of one row's loss,
    None of what is no mean of such.
    """

    task: str
    needs: Needs
    parameters: Mapping[str, ParameterLike] = field(default_factory=dict)
    description: str = ""
    check: Callable[..., str | None] | None = None
    tests: tuple[str, ...] | None = None
    is_best_at_zero: bool = False
    is_best_low: bool = False
    bounds: Callable[..., tuple[float, float]] | None = None
    is_on_request: bool = False
    aliases: tuple[str, ...] = ()
    has_losses: bool = True
    no_reference: str = ""
    row_bounds: Callable[..., tuple[float, float] | None] | None = None


class FirstConfigLike(Protocol):
    """Choices that a first config proposes for a task."""

    @property
    def metrics(self) -> Mapping[str, str]:
        """Metrics by name, the first of which decides, each with a remark."""

    @property
    def loose_scale(self) -> str:
        """The kind of score that gives an order alone."""

    @property
    def loose(self) -> str:
        """A description of such a score."""

    @property
    def gate(self) -> tuple[str, str, str]:
        """An example: its name, its rule with a metric, and a value."""


@record
class TaskWord:
    """A task as the language knows it.

    `scales` are the kinds of score that its models may have, the default first, each with what a
    metric may need of one. `has_side_costs` says whether `costs: {under, over}` means something,
    `has_densities` whether columns of a model may hold a mean and sd, or quantiles, `is_of_flags`
    that the target is one of two classes, `has_classes` that it is of classes, `is_of_labels` that
    a row may have any number of them,
    `is_of_lists` that it grades documents of queries, `is_of_values` that a row holds scores that
    were computed elsewhere, `is_of_items` those of answers to an item; `per_class` are metrics that
    are given for each class; `first` is what a first config proposes.
    """

    scales: Mapping[str, frozenset[Needs]]
    has_side_costs: bool = False
    has_densities: bool = False
    is_of_flags: bool = False
    is_of_lists: bool = False
    is_of_values: bool = False
    is_of_items: bool = False
    has_classes: bool = False
    is_of_labels: bool = False
    per_class: tuple[str, ...] = ()
    first: FirstConfigLike | None = None

    @property
    def has_several_classes(self) -> bool:
        """True if the target names classes of which a score each is wanted."""
        return self.has_classes and not self.is_of_flags


@record
class Vocabulary:
    """Names that a config may use. A name of the language not listed here is not built yet.

    `homonyms` are metrics by task that share their name with one of another task. `scorers`
    are names in scikit-learn, with what a config of a task lists for each.
    """

    metrics: Mapping[str, Word]
    curves: Mapping[str, Word] = field(default_factory=dict)
    outputs: tuple[str, ...] = NAMES
    usual_outputs: tuple[str, ...] = USUAL
    sections: tuple[str, ...] = ("decision",)
    tasks: Mapping[str, TaskWord] = field(default_factory=dict)
    planned_tasks: tuple[str, ...] = ()
    intervals: tuple[str, ...] = ("auto",)
    tests: tuple[str, ...] = ("auto",)
    adjustments: tuple[str, ...] = ("bonferroni",)
    losses: tuple[str, ...] = ("linlin",)
    warnings: tuple[str, ...] = ()
    homonyms: Mapping[str, Mapping[str, Word]] = field(default_factory=dict)
    scorers: Mapping[str, Mapping[str, str]] = field(default_factory=dict)

    def select_task(self, task: object) -> Vocabulary:
        """Return the vocabulary as the configs of a task mean it."""
        return replace(self, metrics={**self.metrics, **self.homonyms.get(str(task), {})})
