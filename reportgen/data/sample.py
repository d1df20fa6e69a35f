"""The sample: the rows on which all models are judged, as arrays."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from reportgen.data.requests import UnitKind

Vector = NDArray[np.float64]
Index = NDArray[np.intp]


@dataclass(frozen=True)
class Codes:
    """A column of names as numbers: row i belongs to `labels[code[i]]`.

    Labels are sorted: names by their letters, bins by their edges, `(missing)` last.
    """

    labels: tuple[str, ...]
    code: NDArray[np.int64]


@dataclass(frozen=True)
class ResamplingUnits:
    """Rows that are resampled together: of which kind, by which column, and each row's unit."""

    kind: UnitKind
    column: str
    codes: Codes


@dataclass(frozen=True, eq=False)
class ModelLists:
    """The answers of one model: query q has the documents `start[q]` to `start[q + 1]`.

    `grade` (documents,) is nan where a document was not judged; `name` is the place of its id
    among all ids in the order of their bytes, None where documents have no ids.
    """

    start: Index
    grade: Vector
    score: Vector
    name: Index | None = None


@dataclass(frozen=True, eq=False)
class JudgedLists:
    """Judgements of each query, whatever a model found: grades, (judged,)."""

    start: Index
    grade: Vector


@dataclass(frozen=True)
class Sample:
    """n rows, sorted by the bytes of their id, the same for every model.

    `scores` has one vector a model, `parts` its further columns by name. `weight` is None where
    every row counts alike. `time` is ordinal: equal times share a number. `unnamed` are columns
    that the request does not name, but whose names say that they tell units apart. Where no column
    names the rows, `ids` are their numbers in the files that `numbered_in` tells by their hashes.
    `fold` says which fit scored each row, of each round of `repeat` if there are several.
    `costs` are the unit costs that differ by row, by their side: `under`, `over`. Where a row is a
    query, `lists` are the answers by model, `judged` what they are held against, y how many
    documents are relevant, and a score that of the best document; `unanswered` (n,) are those that
    some model has no line for. Of classes y is the place in
    `classes`, their values; where a row may have any number of them `flags` (n, k) say which, and y
    is how many. Where `unknown` (n,) is true nobody knows the class, and y is that of the lower.
    `subsets` (n,) say which rows are looked at alone, by name. `second` (n,) is the class by a
    second judge, nan where that one left a row out.
    """

    dataset: str
    ids: Sequence[str]
    y: Vector
    scores: Mapping[str, Vector]
    weight: Vector | None = None
    parts: Mapping[str, Mapping[str, Vector]] = field(default_factory=dict)
    together: ResamplingUnits | None = None
    strata: Codes | None = None
    fold: Codes | None = None
    repeat: Codes | None = None
    time: NDArray[np.int64] | None = None
    segments: Mapping[str, Codes] = field(default_factory=dict)
    unnamed: Mapping[str, Codes] = field(default_factory=dict)
    numbered_in: str = ""
    costs: Mapping[str, Vector] = field(default_factory=dict)
    lists: Mapping[str, ModelLists] = field(default_factory=dict)
    judged: JudgedLists | None = None
    unanswered: NDArray[np.bool_] | None = None
    classes: tuple[str, ...] = ()
    flags: NDArray[np.bool_] | None = None
    unknown: NDArray[np.bool_] | None = None
    subsets: Mapping[str, NDArray[np.bool_]] = field(default_factory=dict)
    second: Vector | None = None

    @property
    def n(self) -> int:
        """How many rows there are."""
        return len(self.y)
