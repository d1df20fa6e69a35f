"""The keyword arguments of a metric or a curve, as the YAML may give them."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal, get_args, get_origin, get_type_hints

Scalar = str | float | int | bool | None


@dataclass(frozen=True)
class Parameter:
    """One keyword argument of a metric, as the YAML may give it."""

    name: str
    kind: Literal["number", "integer", "text", "flag"]
    default: Scalar
    choices: tuple[str, ...] = ()
    is_required: bool = False


def parameters_of(function: Callable[..., Any]) -> tuple[Parameter, ...]:
    """The keyword-only arguments of a metric's function, with kinds and choices from its types."""
    hints = get_type_hints(function)
    return tuple(
        _parameter(name, argument, hints[name])
        for name, argument in inspect.signature(function).parameters.items()
        if argument.kind is inspect.Parameter.KEYWORD_ONLY
    )


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
