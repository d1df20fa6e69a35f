"""Sample facts: every kind of fact in every shape, so that all messages can be read and checked."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import fields
from itertools import product
from types import UnionType
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

from reportgen.report.facts import Fact, Limits, Quantity, list_key_fields
from reportgen.report.wording.numbers import NumberFormat

_TEXTS: Mapping[str, str] = {
    "candidate": "Gradient boosting",
    "model": "Gradient boosting",
    "baseline": "CLV",
    "metric": "mean absolute error",
    "heading": "Mean absolute error",
    "rows": "customers",
    "needs": "< $40",
    "answer_model": "RFM",
    "where": "repeat customers",
    "gain": "is better on customer ranking",
    "case": "customer",
    "cases": "customers",
    "units": "queries",
    "one": "customer",
    "many": "customers",
    "label": "churned",
    "verdict": "clearly better",
    "purpose": "ranking customers",
    "ranked": "customers",
    "other": "mean absolute error",
    "other_verdict": "worse",
    "other_purpose": "predicting amounts",
    "requirement": "its error is below 28 min",
    "name": "error in bounds",
    "reference": "always predicting $0",
    "problem": "RFM makes no errors",
    "share": "30%",
    "metrics": "metric",
}
_LEFT_OUT = ("where", "share")
"""Texts that may be missing."""
_COUNT = 3


def list_kinds() -> list[type[Fact]]:
    """List all kinds of facts, in reading order."""
    return Fact.__subclasses__()


def make_samples(kind: type[Fact]) -> Iterator[Fact]:
    """Make a kind of fact in each of its shapes.

    For each message: with all that may be missing, without it, and with one field changed at a
    time: each flag, each other word, each count at 0 and 1, each list with one item.
    """
    hints = get_type_hints(kind)
    names = list_key_fields(kind)
    order = [field.name for field in fields(kind)]  # type: ignore[arg-type]
    for chosen in product(*(get_args(hints[name]) for name in names)):
        own = dict(zip(names, chosen, strict=True))
        full, bare = (
            {name: own.get(name, _make_value(name, hints[name], is_full=is_full)) for name in order}
            for is_full in (True, False)
        )
        changed = (
            {**full, name: other}
            for name in full
            if name not in own
            for other in _list_other_values(hints[name], full[name])
        )
        for values in (full, bare, *changed):
            if values.get("is_size"):  # only a metric of which 0 is best has an absolute value
                values = {**values, "metric": "bias"}
            with suppress(ValueError):
                yield kind(**values)


def _list_other_values(hint: Any, value: Any) -> tuple[Any, ...]:
    if hint is bool:
        return (False,)
    if hint is int:
        return (0, 1)
    if get_origin(hint) is Literal:
        return tuple(each for each in get_args(hint) if each != value)
    if type(None) in get_args(hint):
        return (None,)
    return (value[:1],) if isinstance(value, tuple) else ()


def _make_value(name: str, hint: Any, *, is_full: bool) -> Any:
    """Make a realistic value of a field; nothing where it may be missing and `is_full` is False."""
    if get_origin(hint) in (Union, UnionType):
        inner = next(each for each in get_args(hint) if each is not type(None))
        return _make_value(name, inner, is_full=True) if is_full else None
    if get_origin(hint) is Literal:
        return get_args(hint)[0]
    if get_origin(hint) is tuple and issubclass(get_args(hint)[0], Fact):
        return tuple(make_samples(get_args(hint)[0]))[:_COUNT]
    if get_origin(hint) is tuple:
        return tuple(f"{_TEXTS.get(name, name)} {number}" for number in (1, 2, 3))
    if isinstance(hint, type) and issubclass(hint, Fact):
        return next(make_samples(hint))
    form = NumberFormat(2, "$")
    simple: Mapping[Any, Any] = {
        str: _TEXTS.get(name, name)
        if is_full or (name in _TEXTS and name not in _LEFT_OUT)
        else "",
        bool: is_full,
        int: _COUNT,
        Quantity: Quantity(5.3, form),
        Limits: Limits(-1.2, 2.4, form),
    }
    return simple[hint]
