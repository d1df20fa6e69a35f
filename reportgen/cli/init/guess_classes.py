"""Guess whether the columns of a file are about classes."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet
from typing import Protocol

EACH = "{class}"
SIZES = re.compile(r"^(n|n_?rows|rows|size|count)$", re.IGNORECASE)
MOST_TABLES = 200  # rows that may be data sets
SCORED = re.compile(r"^(p|prob|proba|probability|pred|prediction)_|_(pred|prob|proba)$", re.I)
FEWEST, MOST = 3, 100  # values of a target that may name several classes
CLASS_COLUMN_NAMES = re.compile(r"pred|says|called|class|label|guess", re.IGNORECASE)
TARGET = re.compile(
    r"^(y|y_.*|(target|actual|observed)s?(_.*)?|.*_(target|actual|observed|true)|label|truth|"
    r"class|outcome|species|category|kind|digit)$",
    re.IGNORECASE,
)


LABEL = re.compile(r"((?:y|target|actual|true|truth|label|has|is)[_. -])(.+)", re.IGNORECASE)
SEPARATE = 2  # labels from which on columns of 1 and 0 are labels of one row


class DescribedColumn(Protocol):
    """A column with its name and, if they are few, its values."""

    @property
    def name(self) -> str:
        """The name of the column."""

    @property
    def values(self) -> tuple[str, ...]:
        """Its different values, where they are few."""

    @property
    def is_flag(self) -> bool:
        """True if it holds 1 and 0 alone, or true and false."""


class MeasuredColumn(DescribedColumn, Protocol):
    """A column whose numbers were looked at, too."""

    @property
    def kind(self) -> str:
        """Its content: numbers or text."""

    @property
    def distinct(self) -> int:
        """The number of different values."""

    @property
    def is_key(self) -> bool:
        """True if each row has a value of its own."""

    @property
    def is_share(self) -> bool:
        """True if it holds numbers from 0 to 1."""


def find_score_tables(
    columns: Sequence[MeasuredColumn], models: Sequence[str] = ()
) -> tuple[str, list[str]] | None:
    """Find the column that names data sets and the models' scores on them; None if there are none.

    The first column names few rows by texts, and all others hold numbers from 0 to 1, none of
    which is called a target or is 1 and 0 alone.

    >>> from types import SimpleNamespace as Column
    >>> name = Column(name="set", kind="text", is_key=True, distinct=9, is_flag=False)
    >>> scores = [Column(name=n, kind="number", is_share=True, is_flag=False) for n in ("a", "b")]
    >>> find_score_tables([name, *scores])
    ('set', ['a', 'b'])
    """
    if len(columns) < 3:
        return None
    first, *rest = (each for each in columns if not SIZES.search(each.name))
    is_of_tables = first.kind == "text" and first.is_key and first.distinct <= MOST_TABLES
    if not is_of_tables or not all(c.kind == "number" and c.is_share for c in rest):
        return None
    if any(c.is_flag or TARGET.search(c.name) or SCORED.search(c.name) for c in rest):
        return None
    names = [c.name for c in rest]
    if not set(models) <= set(names):
        return None
    return first.name, list(models) or names


def find_class_target(
    columns: Sequence[DescribedColumn], named: str | None, models: Sequence[str] = ()
) -> tuple[str, dict[str, str]] | None:
    """Find a target of several classes and the models with a score for each; None if none is found.

    Models are columns by name: a pattern of columns, or the column that names the class. Of those
    that are named every one must be such a model; their columns need not say so.
    """
    for each in columns:
        is_meant = each.name == named if named is not None else bool(TARGET.search(each.name))
        if is_meant and FEWEST <= len(each.values) <= MOST:
            found = (
                _match_named_models(columns, each, models)
                if models
                else find_patterns(columns, each) | find_label_columns(columns, each)
            )
            if found:
                return each.name, found
    return None


def find_class_positions(
    columns: Sequence[DescribedColumn], named: str | None
) -> tuple[str, dict[str, dict[str, str]]] | None:
    """Find a target of several classes and models with a column for the place of each class.

    >>> from types import SimpleNamespace as Column
    >>> columns = [Column(name=name, values=()) for name in ("rf_0", "rf_1", "rf_2")]
    >>> find_class_positions([Column(name="species", values=("a", "b", "c")), *columns], None)
    ('species', {'rf': {'a': 'rf_0', 'b': 'rf_1', 'c': 'rf_2'}})
    """
    names = {each.name for each in columns}
    for each in columns:
        is_meant = each.name == named if named is not None else bool(TARGET.search(each.name))
        if not is_meant or not FEWEST <= len(each.values) <= MOST:
            continue
        stems = dict.fromkeys(name[:-2] for name in sorted(names) if name.endswith("_0"))
        models = {
            re.sub(r"_(p|prob|proba|probability)$", "", stem): {
                value: f"{stem}_{place}" for place, value in enumerate(each.values)
            }
            for stem in stems
            if all(f"{stem}_{place}" in names for place in range(len(each.values)))
        }
        if models:
            return each.name, models
    return None


def _match_named_models(
    columns: Sequence[DescribedColumn], target: DescribedColumn, models: Sequence[str]
) -> dict[str, str]:
    """Match the named models to their columns; empty if one of them does not fit the classes."""
    names, known = {each.name for each in columns}, set(target.values)
    of_classes = {
        each.name
        for each in columns
        if each.name != target.name and len(each.values) > 1 and known.issuperset(each.values)
    }
    for model in models:
        is_pattern = EACH in model and all(model.replace(EACH, v) in names for v in target.values)
        if not is_pattern and model not in of_classes:
            return {}
    return {name: name for name in models if EACH not in name} | _shorten_model_names(
        dict.fromkeys(name for name in models if EACH in name)
    )


def find_label_target(
    columns: Sequence[DescribedColumn],
) -> tuple[str, tuple[str, ...], dict[str, str]] | None:
    """Find a pattern of columns of 1 and 0, their labels, and the models with a score for each.

    >>> from types import SimpleNamespace as Column
    >>> columns = [Column(name=n, values=(), is_flag=n[0] == "y") for n in
    ...            ("y_rock", "y_jazz", "p_a_rock", "p_a_jazz", "p_b_rock")]
    >>> find_label_target(columns)
    ('y_{class}', ('rock', 'jazz'), {'a': 'p_a_{class}'})
    """
    groups: dict[str, list[str]] = {}
    for each in columns:
        found = LABEL.fullmatch(each.name) if each.is_flag else None
        if found:
            groups.setdefault(found[1], []).append(found[2])
    for prefix, labels in groups.items():
        rest = [each for each in columns if not each.is_flag]
        models = _collect_patterns({each.name for each in rest}, labels)
        if len(labels) >= SEPARATE and models:
            return prefix + EACH, tuple(labels), models
    return None


def find_patterns(columns: Sequence[DescribedColumn], target: DescribedColumn) -> dict[str, str]:
    """Find the patterns of columns that have one for each value of the target, by model.

    >>> from types import SimpleNamespace as Column
    >>> names = ("p_a_x", "p_a_y", "p_a_z", "p_b_x", "p_b_y")
    >>> columns = [Column(name=name, values=()) for name in names]
    >>> find_patterns(columns, Column(name="kind", values=("x", "y", "z")))
    {'a': 'p_a_{class}'}
    """
    return _collect_patterns({each.name for each in columns} - {target.name}, target.values)


def _collect_patterns(names: AbstractSet[str], values: Sequence[str]) -> dict[str, str]:
    first = values[0]
    made: dict[str, None] = {}
    for name in sorted(names):
        for at in _list_places(name, first):
            pattern = name[:at] + EACH + name[at + len(first) :]
            if all(pattern.replace(EACH, value) in names for value in values):
                made.setdefault(pattern, None)
    return _shorten_model_names(made)


def find_label_columns(
    columns: Sequence[DescribedColumn], target: DescribedColumn
) -> dict[str, str]:
    """Find columns that name the class: their values are the target's.

    Where they lack one of these, their names must say so.
    """
    known = set(target.values)
    found = (
        each.name
        for each in columns
        if each.name != target.name and len(each.values) > 1 and known.issuperset(each.values)
        if CLASS_COLUMN_NAMES.search(each.name) or known == set(each.values)
    )
    return {name: name for name in found}


def find_equal_classes(columns: Sequence[DescribedColumn]) -> list[str]:
    """Find the columns that have the same three classes or more; those of most columns."""
    groups: dict[frozenset[str], list[str]] = {}
    for each in columns:
        if FEWEST <= len(each.values) <= MOST:
            groups.setdefault(frozenset(each.values), []).append(each.name)
    return max(groups.values(), key=len, default=[])


def _list_places(name: str, value: str) -> list[int]:
    return [at for at in range(len(name)) if name.startswith(value, at)]


def _shorten_model_names(found: Mapping[str, object]) -> dict[str, str]:
    """Short names for models: what stands between the usual beginnings and the class."""
    made = {}
    for pattern in found:
        bare = pattern.replace(EACH, "").strip("_-. ")
        short = re.sub(r"^(p|prob|proba|probability|score|pred)[_-]", "", bare) or bare or "model"
        made[short if short not in made else pattern.replace(EACH, "")] = pattern
    return made
