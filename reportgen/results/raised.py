"""A warning as it is raised: a stable code, what it is about, and its numbers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from math import isfinite

from reportgen.results.numbers import Scalar, ten_digits


@dataclass(frozen=True)
class RaisedWarning:
    """A code with the numbers that are its evidence, rounded; the words are found elsewhere.

    `segment`, `key` (of a metric) and `model` say what it is about; None where it is about all.
    """

    code: str
    numbers: Mapping[str, Scalar] = field(default_factory=dict)
    segment: str | None = None
    key: str | None = None
    model: str | None = None

    def __post_init__(self) -> None:
        numbers = {
            name: ten_digits(value) if isinstance(value, float) and isfinite(value) else value
            for name, value in self.numbers.items()
        }
        object.__setattr__(self, "numbers", numbers)


def bound_name(key: str, model: str) -> str:
    """The name, among the numbers of W251, of how far a value can be off as it comes from bins."""
    return f"bound of {key}, {model}"
