"""Facts about what is to be had without a model."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal

from reportgen.report.facts.fact import Fact

ReferenceWord = Literal[
    "amount",
    "median",
    "mean",
    "quantile",
    "best",
    "distribution",
    "share",
    "order",
    "chance",
    "everyone",
    "nobody",
    "class",
    "commonest",
    "class shares",
    "common labels",
    "every label",
    "label set",
    "label shares",
    "last value",
    "seasonal",
    "popularity",
]

AMOUNTS: dict[str, ReferenceWord] = {
    "median": "median",
    "relative median": "quantile",
    "mean": "mean",
    "log mean": "mean",
    "quantile": "quantile",
    "best constant": "best",
    "zero": "amount",
}
ALIKE: dict[str, ReferenceWord] = {
    "class shares": "class shares",
    "common labels": "common labels",
    "every label": "every label",
    "labels": "common labels",
    "label set": "label set",
    "label shares": "label shares",
    "distribution": "distribution",
    "normal": "distribution",
    "popularity": "popularity",
    "last_value": "last value",
    "seasonal": "seasonal",
    "random order": "order",
}
SHARES_OF_RIGHT = ("accuracy", "error_rate")
"""Metrics on which flagging all or none is told as always predicting one class."""


@dataclass(frozen=True)
class ReferenceLabel(Fact):
    """What is predicted without a model, as a cell says it."""

    message: ClassVar[str] = "reference_label.{kind}"
    kind: ReferenceWord
    value: str


@dataclass(frozen=True)
class ReferencePhrase(Fact):
    """What is predicted without a model, as it goes on after “better than”."""

    message: ClassVar[str] = "reference_phrase.{kind}"
    kind: ReferenceWord
    value: str
