"""What a statistic is: a name, parameters, what it needs of a score, and one pure function.

A metric is a statistic of one number, which has a direction; a curve is one of many, on a grid
that the data may choose. What is told of all models at once is made of plain statistics, of one
number at each of their `places`; they stand in no catalogue.
Bound to one model's rows either is a function of weights alone, so whoever holds it asks for an
estimate, a replicate, a jackknife value or a slice in the same way: by choosing weights.

Any statistic may say by `fields_for` f(**params) -> {field: value} which of its fields depend on
its parameters (a unit, bounds), and by `check` f(**params) what is wrong with them, in one
sentence, or None. `fast` f(rows, batch, **params) gives the values under many weightings at once;
that of a curve is also given its grid, that of a plain statistic its places. `exempt_from` names
the laws of the tests that do not hold for it, each with the reason.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass, field, fields, replace
from functools import partial
from types import MappingProxyType
from typing import Any, Generic, Self, TypeVar

import numpy as np
from numpy.typing import NDArray

from reportgen.kernels.batch import Batch, Vector
from reportgen.metrics.bucket_statistics import brought
from reportgen.metrics.parameters import Parameter, Scalar, parameters_of
from reportgen.rows import Rows
from reportgen.tasks import TaskName
from reportgen.terms import Needs

Function = TypeVar("Function", bound=Callable[..., Any])
Kind = TypeVar("Kind", bound="Statistic")


@dataclass(frozen=True, kw_only=True)
class Statistic:
    """One entry of a catalogue. `function` is the definition; all else describes or speeds it."""

    name: str
    title: str
    task: TaskName
    needs: Needs
    bounds: tuple[float, float]
    cite: str
    function: Callable[..., Any]
    parameters: tuple[Parameter, ...]
    params: Mapping[str, Scalar] = field(default_factory=lambda: MappingProxyType({}))
    check: Callable[..., str | None] | None = None
    fields_for: Callable[..., Mapping[str, Any]] | None = None
    fast: Callable[..., NDArray[np.float64]] | None = None
    exempt_from: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))
    places: tuple[float, ...] = ()

    @property
    def key(self) -> str:
        """Its kind, name, parameters and places: what tells it from all others."""
        given = ", ".join(f"{name}={value}" for name, value in sorted(self.params.items()))
        at = f" at {self.places}" if self.places else ""
        return f"{type(self).__name__.lower()} {self.name}({given}){at}"

    @property
    def description(self) -> str:
        """What it is, in one sentence: the first lines of the function's docstring."""
        return (inspect.getdoc(self.function) or "").partition("\n\n")[0].replace("\n", " ")

    @property
    def identity(self) -> tuple[Hashable, ...]:
        """What tells it from others of its kind: its name and its parameters."""
        return (self.name, *sorted(self.params.items()))

    @property
    def is_built_in(self) -> bool:
        """Whether each function of it is the package's own: what others depend on nobody knows."""
        own = (getattr(self, each.name) for each in fields(self))
        return are_built_in(*filter(callable, own), *brought(self.params))

    def use(self, **params: Scalar) -> Self:
        """The same statistic with its parameters fixed, defaults spelled out."""
        given = {p.name: params.get(p.name, p.default) for p in self.parameters}
        depending = self.fields_for(**given) if self.fields_for else {}
        return replace(self, params=MappingProxyType(given), **depending)


class BoundStatistic(Generic[Kind]):
    """A statistic on one model's rows. Call it with a batch: one value, or row of values, each.

    `grid` holds the positions at which it has values, (g,); none where it has one alone.
    """

    def __init__(self, statistic: Kind, rows: Rows, *grid: Vector) -> None:
        self.statistic, self.rows, self._grid = statistic, rows, grid

    @property
    def shape(self) -> tuple[int, ...]:
        """The shape of its values under one weighting: (), or (g,) on a grid."""
        return tuple(map(len, self._grid))

    @property
    def identity(self) -> tuple[object, ...] | None:
        """What tells it from others on the same rows: its name, its parameters and its grid.

        None where any function of it is not the package's own: what a file of the user's reads,
        imports or was changed to is known to nobody.
        """
        statistic = self.statistic
        return (*statistic.identity, *self._grid) if statistic.is_built_in else None

    def __call__(self, batch: Batch) -> NDArray[np.float64]:
        """Values under each weighting, (b,) or (b, g); nan where they do not exist."""
        statistic = self.statistic
        if statistic.fast is not None:
            return statistic.fast(self.rows, batch, *self._grid, **statistic.params)
        return np.array([self.define(weight) for weight in batch.weights.T], dtype=np.float64)

    def define(self, weight: Vector) -> Any:
        """The value by the definition alone, slowly: the truth that fast forms must meet."""
        raise NotImplementedError


def are_built_in(*functions: Callable[..., Any]) -> bool:
    """Whether the package's own sources define all functions, partly applied or not."""
    plain = (f.func if isinstance(f, partial) else f for f in functions)
    return all(str(getattr(f, "__module__", "")).startswith("reportgen.") for f in plain)


def entered(
    of: type[Kind], catalogue: dict[str, Kind], function: Callable[..., Any], /, **about: Any
) -> Kind:
    """A new entry of a catalogue under the name of its function, or that given; a name is free."""
    name = about.pop("name", function.__name__)
    if name in catalogue:
        one, known = of.__name__.lower(), catalogue[name].function
        raise ValueError(f"{one} {name!r} is already registered by {known}")
    parameters = parameters_of(function)
    defaults = MappingProxyType({p.name: p.default for p in parameters})
    found = of(name=name, function=function, parameters=parameters, params=defaults, **about)
    return catalogue.setdefault(name, found)
