"""Dataclasses that are imported faster than frozen ones."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, fields
from operator import attrgetter
from typing import Any, TypeVar, dataclass_transform, overload

Kind = TypeVar("Kind")


@overload
@dataclass_transform(frozen_default=True, field_specifiers=(field,))
def record(kind: type[Kind], /) -> type[Kind]: ...


@overload
def record(*, eq: bool = True, kw_only: bool = False) -> Callable[[type[Kind]], type[Kind]]: ...


def record(kind: Any = None, /, *, eq: bool = True, kw_only: bool = False) -> Any:
    """Make a class a dataclass whose fields should not change once they are set.

    The type checker refuses an assignment to a field; nothing does at run time. A frozen dataclass
    compiles six methods when it is imported. A record compiles one, `__init__`, and shares the
    others. With `eq=False`, two records are equal only if they are the same object.

    >>> @record
    ... class Point:
    ...     x: float
    ...     y: float = 0.0
    >>> Point(1.0), Point(1.0) == Point(1.0, 0.0), len({Point(1.0), Point(1.0)})
    (Point(x=1.0, y=0.0), True, 1)
    """

    def make(kind: type[Kind]) -> type[Kind]:
        kind.__doc__ = kind.__doc__ or kind.__name__  # dataclass would print a signature there
        made = dataclass(eq=False, repr=False, kw_only=kw_only)(kind)
        if "__repr__" not in vars(kind):
            made.__repr__ = _format_record  # type: ignore[method-assign]
        compared = [each.name for each in fields(made) if each.compare]  # type: ignore[arg-type]
        if eq:
            _compare_by_values(made, _make_getter(compared))
        return made

    return make if kind is None else make(kind)


def _make_getter(names: Sequence[str]) -> Callable[[object], tuple[object, ...]]:
    """Make a function that returns these values of an object as a tuple."""
    if len(names) > 1:
        return attrgetter(*names)
    return lambda each: tuple(getattr(each, name) for name in names)


def _format_record(self: Any) -> str:
    shown = (f"{f.name}={getattr(self, f.name)!r}" for f in fields(self) if f.repr)
    return f"{type(self).__qualname__}({', '.join(shown)})"


def _compare_by_values(kind: type, values: Callable[[object], object]) -> None:
    """Give the class equality and a hash by these values, where it has none of its own."""

    def is_equal(self: object, other: object) -> Any:
        return values(self) == values(other) if type(other) is type(self) else NotImplemented

    def compute_hash(self: object) -> int:
        return hash(values(self))

    own = set(vars(kind))
    if "__eq__" not in own:
        kind.__eq__ = is_equal  # type: ignore[method-assign, assignment]
    if "__hash__" not in own:
        kind.__hash__ = compute_hash  # type: ignore[method-assign, assignment]
