"""What metrics and curves share: name, parameters, needs, identity."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Hashable, Iterable, Mapping
from dataclasses import field, fields, replace
from functools import cache, partial
from types import MappingProxyType, SimpleNamespace
from typing import Any, Generic, Literal, Self, TypeVar, get_args, get_origin, get_type_hints

import numpy as np
from numpy.typing import NDArray

from reportgen.errors import did_you_mean
from reportgen.kernels.batch import Batch, Column, Index, Vector
from reportgen.kernels.quantiles import SLACK
from reportgen.metrics.rows import Amounts, Rows
from reportgen.metrics.tasks import TaskName
from reportgen.records import record
from reportgen.terms import Needs

Scalar = str | float | int | bool | None


@record
class Parameter:
    """One keyword argument of a metric, as the YAML may give it."""

    name: str
    kind: Literal["number", "integer", "text", "flag"]
    default: Scalar
    choices: tuple[str, ...] = ()
    is_required: bool = False


def inspect_parameters(function: Callable[..., Any]) -> tuple[Parameter, ...]:
    """Return a metric function's keyword-only arguments, with kinds and choices from its types."""
    named = inspect.signature(function).parameters.values()
    keywords = [each for each in named if each.kind is inspect.Parameter.KEYWORD_ONLY]
    hints = resolve_types(function, [each.name for each in keywords])
    return tuple(_parameter(each.name, each, hints[each.name]) for each in keywords)


def resolve_types(function: Callable[..., Any], names: Iterable[str]) -> dict[str, Any]:
    """Resolve the types of these arguments alone: resolving those of arrays takes long."""
    known = function.__annotations__
    written = {name: known[name] for name in names if name in known}
    if not written:  # as of most metrics
        return {}
    scope = getattr(inspect.unwrap(function), "__globals__", {})
    return get_type_hints(SimpleNamespace(__annotations__=written), scope)


def adopt_parameters(
    value: Callable[..., Any], like: Callable[..., Any], *sources: Callable[..., Any]
) -> None:
    """Give a function the name and description of another, and the sources' keyword parameters.

    A family of metrics makes one so of a function that computes only what its own share is: it
    adds the parameters that all of them take.
    """
    keywords: dict[str, inspect.Parameter] = {}
    hints = dict(value.__annotations__)
    for source in sources:
        named = inspect.signature(source).parameters.values()
        added = {p.name: p for p in named if p.kind is inspect.Parameter.KEYWORD_ONLY}
        keywords |= added
        hints |= resolve_types(source, added)
    own = inspect.signature(value).parameters.values()
    positional = [p for p in own if p.kind is inspect.Parameter.POSITIONAL_OR_KEYWORD]
    parameters = [*positional, *keywords.values()]
    signature = inspect.signature(value).replace(parameters=parameters)
    value.__signature__ = signature  # type: ignore[attr-defined]
    value.__annotations__ = hints
    value.__name__, value.__qualname__ = like.__name__, like.__qualname__
    value.__doc__, value.__module__ = like.__doc__, like.__module__


def _parameter(name: str, argument: inspect.Parameter, hint: Any) -> Parameter:
    required = argument.default is inspect.Parameter.empty
    default = None if required else argument.default
    if get_origin(hint) is Literal:
        return Parameter(name, "text", default, get_args(hint), required)
    options = set(get_args(hint)) or {hint}
    for kind, python in (("flag", bool), ("number", float), ("integer", int), ("text", str)):
        if python in options:
            return Parameter(name, kind, default, (), required)  # type: ignore[arg-type]
    raise TypeError(f"{name}: a parameter is a number, a text, a flag or a Literal, not {hint}")


DUST = 1e-12  # a share of the total weight that is rounding
MOST = 1_000_000  # rows of all slices that are looked at together


class WeightSlices:
    """The rows of one score under one weighting, shape (n,), to be cut by weight."""

    def __init__(self, rows: Amounts, weight: Vector) -> None:
        self.y, self.weight = rows.y.values, weight
        self.score: Column = rows.score
        self.tied = np.bincount(self.score.group, weights=weight, minlength=self.score.groups)
        self.high = np.cumsum(self.tied)
        self.low = np.append(0.0, self.high[:-1])
        self.total = float(self.high[-1])
        self._by_y: Index = rows.once("by y, then by score", lambda: _order_by_y(rows))
        self._rank: Index = rows.once("rank by y", lambda: np.argsort(self._by_y))

    def quantiles(self, start: Vector, stop: Vector, q: float) -> Vector:
        """Compute the q-quantile of y between each `start` and `stop` (k,), weights of rows below.

        The middle of the interval of all q-quantiles; nan where a slice has no rows.
        """
        first, last = self._ranges(start, stop)
        if len(start) > 1 and len(start) * (last - first).max() > MOST:
            half = len(start) // 2
            parts = (slice(half), slice(half, None))
            return np.concatenate([self.quantiles(start[p], stop[p], q) for p in parts])
        which, row = self._sort_by_slice(first, last)
        inside = self.weight[row] * self._shares(
            which, self.score.group[row].astype(np.intp), start, stop
        )
        counted = inside > 0
        which, row, inside = which[counted], row[counted], inside[counted]
        return _quantiles(which, self.y[row], inside, len(start), q)

    def _ranges(self, start: Vector, stop: Vector) -> tuple[Index, Index]:
        """Return the first index by score of each slice's rows, and the one past the last."""
        reach = np.searchsorted(self.high, start, side="right")
        which, group = _expand_ranges(reach, np.searchsorted(self.low, stop, side="left"))
        enough = self._overlap(which, group, start, stop) > DUST * self.total
        which, group = which[enough], group[enough]
        each = np.arange(len(start))
        begin, end = (np.searchsorted(which, each, side=side) for side in ("left", "right"))
        ends = np.flatnonzero(self.score.is_last) + 1
        begins = np.append(0, ends[:-1])
        found, first, last = begin < end, np.zeros_like(each), np.zeros_like(each)
        first[found] = begins[group[begin[found]]]
        last[found] = ends[group[end[found] - 1]]
        return first, last

    def _sort_by_slice(self, first: Index, last: Index) -> tuple[Index, Index]:
        """Return the slice and the row of each position, sorted by slice and then by y."""
        which, place = _expand_ranges(first, last)
        n = len(self.y)
        which, rank = np.divmod(np.sort(which * n + self._rank[self.score.order[place]]), n)
        return which, self._by_y[rank]

    def _overlap(self, which: Index, group: Index, start: Vector, stop: Vector) -> Vector:
        high, low = np.minimum(self.high[group], stop[which]), self.low[group]
        return np.asarray(high - np.maximum(low, start[which]))

    def _shares(self, which: Index, group: Index, start: Vector, stop: Vector) -> Vector:
        """Return the share of each tied group that lies in the slice."""
        tied = self.tied[group]
        part = self._overlap(which, group, start, stop) / np.where(tied > 0, tied, 1.0)
        return np.asarray(part.clip(min=0.0))


def _order_by_y(rows: Amounts) -> Index:
    """Rows from the lowest y to the highest; those of equal y keep their order by score."""
    order = rows.score.order
    return order[np.argsort(rows.y.values[order], kind="stable")].astype(np.intp)


def _expand_ranges(first: Index, last: Index) -> tuple[Index, Index]:
    """Each range first … last - 1 written out: the number of its range, and the places."""
    sizes = np.maximum(last - first, 0)
    which = np.repeat(np.arange(len(first)), sizes)
    before = np.cumsum(sizes) - sizes
    return which, np.arange(len(which)) - before[which] + first[which]


def _quantiles(which: Index, y: Vector, weight: Vector, slices: int, q: float) -> Vector:
    """Compute the q-quantile of each slice, of rows by slice and then y, with weights above 0."""
    sizes = np.bincount(which, minlength=slices)
    before = np.cumsum(sizes) - sizes
    shares = np.zeros((slices, max(int(sizes.max(initial=0)), 1)))
    shares[which, np.arange(len(which)) - before[which]] = weight
    shares = np.cumsum(shares, axis=1)
    found, values = sizes > 0, np.full(slices, np.nan)
    shares, before, last = shares[found], before[found], sizes[found] - 1
    shares /= shares[:, -1:]
    low = y[before + np.minimum((shares < q - SLACK).sum(axis=1), last)]
    high = y[before + np.minimum((shares <= q + SLACK).sum(axis=1), last)]
    values[found] = low + (high - low) / 2
    return values


BucketStatistic = Callable[[Vector, Vector], float]
BucketCut = Callable[[float], Vector]
Average = Literal["mean", "median"]
BUILT_IN = get_args(Average)
STATISTICS: dict[str, BucketStatistic] = {}


def bucket_statistic(function: BucketStatistic) -> BucketStatistic:
    """Register f(y, weight) -> float as a `statistic` of metrics and curves of buckets.

    It is called with the y of the rows in a bucket, shape (n,), and the weights that they have
    there, all above zero: a row on an edge has a part of its weight on each side. nan where it does
    not exist.
    """
    name = function.__name__
    if name in BUILT_IN or name in STATISTICS:
        raise ValueError(f"the statistic {name!r} of a bucket is already registered")
    STATISTICS[name] = function
    return function


def compute_bucket_statistics(
    y: Vector, score: Vector, weight: Vector, found: BucketStatistic, cut: BucketCut, wanted: Index
) -> Vector:
    """Evaluate `found` f(y, weight) on the rows in each `wanted` bucket; nan where there are none.

    `cut` f(total) -> (buckets + 1,) gives the edges, as weights of the rows below them.
    """
    column = Column(score)
    tied = np.bincount(column.group, weights=weight, minlength=column.groups)
    high = np.cumsum(tied)
    low = np.append(0.0, high[:-1])
    last = np.flatnonzero(column.is_last) + 1
    first = np.append(0, last[:-1])
    edges = cut(high[-1])
    values = np.full(len(wanted), np.nan)
    for b, (start, stop) in enumerate(zip(edges[wanted], edges[wanted + 1], strict=True)):
        overlap = np.minimum(high, stop) - np.maximum(low, start)
        inside = np.flatnonzero(overlap > DUST * high[-1])
        if len(inside):
            rows = column.order[first[inside[0]] : last[inside[-1]]]
            group = column.group[rows]
            part = overlap[group] / np.where(tied[group] > 0, tied[group], 1.0)
            inside = weight[rows] * part.clip(min=0.0)
            counted = inside > 0
            values[b] = found(y[rows][counted], inside[counted])
    return values


def extend_choices(parameter: Parameter) -> Parameter:
    """Add the registered statistics to the choices of a parameter that takes statistics."""
    if parameter.choices != BUILT_IN:
        return parameter
    return replace(parameter, choices=(*BUILT_IN, *STATISTICS))


def list_user_statistics(params: Mapping[str, Any]) -> list[BucketStatistic]:
    """List the user's functions that parameters name."""
    return [STATISTICS[name] for name in params.values() if name in STATISTICS]


Function = TypeVar("Function", bound=Callable[..., Any])
Kind = TypeVar("Kind", bound="Statistic")


@record(kw_only=True)
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
        """The first sentence of the function's docstring."""
        return (inspect.getdoc(self.function) or "").partition("\n\n")[0].replace("\n", " ")

    @property
    def identity(self) -> tuple[Hashable, ...]:
        """The name and the parameters, which distinguish it from others of its kind."""
        return (self.name, *sorted(self.params.items()))

    @property
    def is_built_in(self) -> bool:
        """True if each function of it is the package's own: what others depend on nobody knows."""
        own = (getattr(self, each.name) for each in fields(self))
        return are_built_in(*filter(callable, own), *list_user_statistics(self.params))

    def use(self, **params: Scalar) -> Self:
        """Return the same statistic with its parameters fixed and defaults spelled out."""
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
        """The name, parameters and grid, which distinguish it from others on the same rows.

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
        """Compute the value slowly, by the definition alone, which the fast forms must match."""
        raise NotImplementedError


def are_built_in(*functions: Callable[..., Any]) -> bool:
    """Return whether the package's own sources define all functions, partly applied or not."""
    plain = (f.func if isinstance(f, partial) else f for f in functions)
    return all(str(getattr(f, "__module__", "")).startswith("reportgen.") for f in plain)


def _check_words(of: Any, name: str, about: Mapping[str, Any]) -> None:
    """Refuse an unknown argument, and a word that its field does not allow."""
    words = _collect_words(of)
    for key, value in about.items():
        if key not in words:
            raise TypeError(f"{name!r} has no argument {key!r}; {did_you_mean(key, words)}")
        if words[key] and value not in words[key]:
            hint = did_you_mean(str(value), map(str, words[key]))
            raise ValueError(f"{key} of {name!r} cannot be {value!r}; {hint}")


@cache
def _collect_words(of: Any) -> dict[str, tuple[Any, ...]]:
    """Collect the fields of an entry, each with the words that it allows, if it has a list."""
    hints = get_type_hints(of)
    return {
        each.name: get_args(hints[each.name]) if get_origin(hints[each.name]) is Literal else ()
        for each in fields(of)
    }


def register_statistic(
    of: type[Kind], catalogue: dict[str, Kind], function: Callable[..., Any], /, **about: Any
) -> Kind:
    """Register a catalogue entry by its function's name, or a given one, if the name is free."""
    name = about.pop("name", function.__name__)
    if name in catalogue:
        one, known = of.__name__.lower(), catalogue[name].function
        raise ValueError(f"{one} {name!r} is already registered by {known}")
    _check_words(of, name, about)
    parameters = inspect_parameters(function)
    defaults = MappingProxyType({p.name: p.default for p in parameters})
    found = of(name=name, function=function, parameters=parameters, params=defaults, **about)
    return catalogue.setdefault(name, found)
