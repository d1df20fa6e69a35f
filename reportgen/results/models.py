"""Models as the config declares them, the files that were read, and what models were trained on."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from reportgen.terms import Scale


@dataclass(frozen=True)
class InputFile:
    """A file that was read: its path as the config wrote it, and what it held."""

    path: str
    role: str
    sha256: str
    rows: int
    size_bytes: int


@dataclass(frozen=True)
class Artifact:
    """The file that a model is kept in, as the config says; it is not opened."""

    sha256: str
    uri: str | None = None


@dataclass(frozen=True)
class TrainedOn:
    """The ids that a model was trained on, and how many of each dataset's are among them.

    `ids` counts different ones. A dataset whose rows have no ids is not in `shared`,
    nor is one that is `hidden`, as too few rows, or all but too few, are in both.
    """

    files: tuple[InputFile, ...]
    ids: int
    shared: dict[str, int] = field(default_factory=dict)
    hidden: tuple[str, ...] = ()


@dataclass(frozen=True)
class ModelInfo:
    """A model as the config declares it; `scale` says whether its score is an amount or a rank.

    A `benchmark` is a simple model, which is compared but never recommended. `version`, `owner`
    and `artifact` are what the config says. In the `order` ascending or rank a low score says more.
    """

    name: str
    label: str
    role: Literal["baseline", "candidate", "benchmark"]
    scale: Scale
    version: str | None = None
    owner: str | None = None
    artifact: Artifact | None = None
    trained_on: TrainedOn | None = None
    order: Literal["descending", "ascending", "rank"] = "descending"
