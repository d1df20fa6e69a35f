"""The base of all facts: a fact names the message that says it."""

from __future__ import annotations

from dataclasses import fields
from string import Formatter
from typing import Any, ClassVar


class Fact:
    """One thing that a report says; subclasses are frozen dataclasses.

    `message` is the key of its message. A field in braces is a part of the key: with
    `status.{status}` each member of a closed list has a message of its own.
    """

    message: ClassVar[str]

    @property
    def key(self) -> str:
        """The key of the message that says this fact."""
        chosen = {name: getattr(self, name) for name in list_key_fields(type(self))}
        return fill_key(self.message, chosen)

    @property
    def values(self) -> dict[str, object]:
        """The values that the message may name: fields and properties of the fact."""
        return {name: getattr(self, name) for name in list_names(type(self))}


def fill_key(message: str, chosen: dict[str, Any]) -> str:
    """Fill the fields of a key.

    >>> fill_key("status.{status}", {"status": "not met"})
    'status.not_met'
    """
    parts = {name: str(value).replace(" ", "_") for name, value in chosen.items()}
    return message.format_map(parts)


def refuse_impossible(is_impossible: bool) -> None:
    """Raise ValueError for values that no results can have."""
    if is_impossible:
        raise ValueError("no results can have these values")


def list_names(kind: type[Fact]) -> tuple[str, ...]:
    """List the fields and the properties of a kind of fact."""
    own = [
        name
        for each in kind.__mro__
        if each not in (Fact, object)
        for name, value in vars(each).items()
        if isinstance(value, property)
    ]
    return (*(field.name for field in fields(kind)), *own)  # type: ignore[arg-type]


def list_key_fields(kind: type[Fact]) -> tuple[str, ...]:
    """List the fields that choose the message."""
    return tuple(name for _, name, _, _ in Formatter().parse(kind.message) if name)
