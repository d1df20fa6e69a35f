"""Whether the columns of a file are about classes: a target of few values, and scores by value."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Protocol

EACH = "{class}"
FEWEST, MOST = 3, 100  # values of a target that may name several classes
SAYS = re.compile(r"pred|says|called|class|label|guess", re.IGNORECASE)
TARGET = re.compile(
    r"^(y|y_.*|(target|actual|observed)s?(_.*)?|.*_(target|actual|observed|true)|label|truth|"
    r"class|outcome|species|category|kind|digit)$",
    re.IGNORECASE,
)


class Described(Protocol):
    """A column with its name and, if they are few, its values."""

    @property
    def name(self) -> str:
        """What the column is called."""

    @property
    def values(self) -> tuple[str, ...]:
        """Its different values, where they are few."""


def target_of_classes(
    columns: Sequence[Described], named: str | None
) -> tuple[str, dict[str, str]] | None:
    """A target of several classes and the models with a score for each; None where none is found.

    Models are columns by name: a pattern of columns, or the column that names the class.
    """
    for each in columns:
        is_meant = each.name == named if named is not None else bool(TARGET.search(each.name))
        if is_meant and FEWEST <= len(each.values) <= MOST:
            found = patterns(columns, each) | labels(columns, each)
            if found:
                return each.name, found
    return None


def patterns(columns: Sequence[Described], target: Described) -> dict[str, str]:
    """The patterns of columns that have one for each value of the target, by model.

    >>> from types import SimpleNamespace as Column
    >>> names = ("p_a_x", "p_a_y", "p_a_z", "p_b_x", "p_b_y")
    >>> columns = [Column(name=name, values=()) for name in names]
    >>> patterns(columns, Column(name="kind", values=("x", "y", "z")))
    {'a': 'p_a_{class}'}
    """
    names = {each.name for each in columns}
    first = target.values[0]
    made: dict[str, None] = {}
    for name in sorted(names - {target.name}):
        for at in _places(name, first):
            pattern = name[:at] + EACH + name[at + len(first) :]
            if all(pattern.replace(EACH, value) in names for value in target.values):
                made.setdefault(pattern, None)
    return _named(made)


def labels(columns: Sequence[Described], target: Described) -> dict[str, str]:
    """The columns that name the class: they say so, and their values are among the target's."""
    known = set(target.values)
    found = (
        each.name
        for each in columns
        if each.name != target.name and SAYS.search(each.name)
        if len(each.values) > 1 and known.issuperset(each.values)
    )
    return {name: name for name in found}


def _places(name: str, value: str) -> list[int]:
    return [at for at in range(len(name)) if name.startswith(value, at)]


def _named(found: Mapping[str, object]) -> dict[str, str]:
    """Short names for models: what stands between the usual beginnings and the class."""
    made = {}
    for pattern in found:
        bare = pattern.replace(EACH, "").strip("_-. ")
        short = re.sub(r"^(p|prob|proba|probability|score|pred)[_-]", "", bare) or bare or "model"
        made[short if short not in made else pattern.replace(EACH, "")] = pattern
    return made
