"""A target of classes: texts, numbers or codes that name the class of each row.

Two texts are one value where both are the same number (1, 1.0), or both say true or false; all
others are one where they are written alike.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from reportgen.data.arrow import Index, Mask, encoded
from reportgen.data.files.source import open_source
from reportgen.data.request import ClassRequest, ColumnRequest, DatasetRequest, TableRequest
from reportgen.data.table import MISSING, FileTable, counted
from reportgen.errors import ConfigError, DataError, Problem, did_you_mean, nearest
from reportgen.text import class_value as value_of
from reportgen.text import in_yaml, quoted

LISTED = 10  # values that a message names
MOST_WRONG = 3  # of those that are no classes


@dataclass(frozen=True, eq=False)
class Values:
    """The different values of a column: as written first, and the place of each row's, or -1.

    `absent` are the words that were read as missing.
    """

    table: FileTable
    column: str
    texts: tuple[str, ...]
    code: NDArray[np.int64]
    absent: tuple[str, ...] = ()

    @classmethod
    def of(cls, table: FileTable, column: str, classes: Collection[str] = ()) -> Values:
        """The values of a column.

        Words that say missing are none, unless the others are texts, or they are among the
        `classes` that the config names.
        """
        labels, code = encoded(table.texts(column))
        words = set(MISSING).difference(classes)
        is_plain = all(isinstance(value_of(x), float) for x in labels if x not in MISSING)
        absent = tuple(x for x in labels if is_plain and x in words)
        kept = [x for x in labels if x not in absent]
        known = set(kept)
        first: dict[float | str, int] = {}
        texts: list[str] = []
        for label in kept:
            if value_of(label) not in first:
                first[value_of(label)] = len(texts)
                texts.append(label)
        places = [first[value_of(x)] if x in known else -1 for x in labels]
        return cls(table, column, tuple(texts), np.array([*places, -1], np.int64)[code], absent)

    @cached_property
    def places(self) -> dict[float | str, int]:
        """The place of each value."""
        return {value_of(text): place for place, text in enumerate(self.texts)}

    def used(self, kept: Mask) -> list[str]:
        """The values on some rows, in order: numbers by their size, else texts by their letters."""
        found = np.unique(self.code[kept & (self.code >= 0)])
        return in_order([self.texts[place] for place in found])

    def codes(self, classes: Sequence[str]) -> NDArray[np.float64]:
        """The place of each row's value among some, nan where it is missing or none of them."""
        place = {value_of(text): k for k, text in enumerate(classes)}
        found = [float(place.get(value_of(text), np.nan)) for text in self.texts]
        return np.array([*found, np.nan])[self.code]

    def first(self, text: str, kept: Mask) -> str:
        """Where a value stands first."""
        return self.table.where(np.flatnonzero(kept & (self.code == self.places[value_of(text)])))


def peeked(tables: Iterable[tuple[TableRequest, ColumnRequest]]) -> dict[str, str]:
    """The values that columns of classes hold, in their order, each as its own name.

    What cannot be read is left out: it is told where the rows are read.
    """
    found: dict[float | str, str] = {}
    for request, column in tables:
        try:
            source = open_source(request, {column.name: column.source or column.name})
            values = Values.of(source.read({column.name}, set()), column.name)
        except (ConfigError, DataError, KeyError):
            continue
        for text in values.texts:
            found.setdefault(value_of(text), text)
    return {text: text for text in in_order(list(found.values()))}


def in_order(texts: Sequence[str]) -> list[str]:
    """Values of classes in their usual order: numbers by their size, before texts by letters.

    >>> in_order(["10", "9", "b", "a"])
    ['9', '10', 'a', 'b']
    """
    return sorted(texts, key=lambda text: (isinstance(value_of(text), str), value_of(text)))


def classes_of(request: DatasetRequest, found: Values, kept: Mask, way: str) -> tuple[str, ...]:
    """The values that classes have, in the order of their codes; of two the positive one last.

    `way` is the way out where a row is of no class that is declared.
    """
    asked = request.classes
    assert asked is not None
    used = found.used(kept)
    if asked.names:
        refuse_unknown(asked.names, found, kept, _renaming(request, used) or way)
        declared = tuple(asked.names)
        return _positive_last(declared, asked) if asked.is_two else declared
    return _two(request, found, used, kept) if asked.is_two else tuple(used)


def refuse_unknown(
    names: Iterable[str], found: Values, kept: Mask, way: str, model: str | None = None
) -> None:
    """Stop at values that are not declared as classes; `way` is the way out."""
    known = {value_of(text) for text in names}
    wrong = [text for text in found.used(kept) if value_of(text) not in known]
    if wrong:
        places = [found.places[value_of(text)] for text in wrong]
        rows = np.flatnonzero(kept & np.isin(found.code, places))
        if model and 2 * len(rows) > np.count_nonzero(kept):
            way = "name the column with its classes, or write them as those of the target are"
        raise DataError(unknown_fault((found.table, found.column, model), wrong, rows, names, way))


def unknown_fault(
    column: tuple[FileTable, str, str | None],
    wrong: Sequence[str],
    rows: Index,
    names: Iterable[str],
    way: str,
    what: str = "",
) -> str:
    """Say that a column, of a model or of nobody, has values on some rows that are no classes."""
    table, name, model = column
    of = f" of model {quoted(model)}" if model else ""
    hint = did_you_mean(wrong[0], names)
    hint += f" {way[0].upper()}{way[1:]}" if hint.endswith("?") else f"; {way}"
    has = f"column {quoted(name)}{of} has {what}{listed(wrong)}, not among classes"
    on = f"on {counted(len(rows), 'row')} (first at {table.where(rows)})"
    return f"{table.shown}: {has}, {on}; {hint}"


def listed(values: Sequence[str]) -> str:
    """Values in quotes, the first three and how many more.

    >>> listed(["a", "b"]), listed(["a", "b", "c", "d", "e"])
    ("'a' and 'b'", "'a', 'b', 'c' and 2 more")
    """
    shown = [quoted(text) for text in values[:MOST_WRONG]]
    if len(values) > MOST_WRONG:
        shown.append(f"{len(values) - MOST_WRONG} more")
    return f"{', '.join(shown[:-1])} and {shown[-1]}" if shown[1:] else shown[0]


def way_out(request: DatasetRequest, table: FileTable, main: FileTable) -> str:
    """What to do where a column holds what is no class; more classes only where they may be."""
    asked = request.classes
    ways = ["mend them"]
    is_listed = asked is not None and asked.names and not (asked.is_two or asked.are_found)
    if is_listed and all(model.is_label for model in request.models.values()):
        ways.append("name them under `classes:`")
    if table is main:
        ways.append(f"leave such rows out by `filter:` under datasets.{request.name}")
    return f"{', '.join(ways[:-1])}, or {ways[-1]}" if ways[1:] else f"mend them in {table.shown}"


def _renaming(request: DatasetRequest, used: Sequence[str]) -> str:
    """What to write where the classes are not what the target holds; nothing elsewhere.

    So it is where no value is among them, or where there are two values for two classes.
    """
    asked = request.classes
    assert asked is not None
    values, written = {value_of(text) for text in used}, [*map(in_yaml, used)]
    said = f"write the values of the column: classes: [{', '.join(written)}]"
    if asked.is_two and len(used) == 2:
        positive = value_of(asked.positive.source) if asked.positive else 1.0
        return said if positive in values else f"{said}, and {_positive(request, used)}"
    is_other = not values & {value_of(text) for text in asked.names}
    return said if is_other and not asked.is_two and len(used) <= LISTED else ""


def _positive_last(declared: tuple[str, ...], request: ClassRequest) -> tuple[str, ...]:
    wanted = value_of(request.positive.source) if request.positive else 1.0
    return tuple(sorted(declared, key=lambda text: value_of(text) == wanted))


def _two(request: DatasetRequest, found: Values, used: list[str], kept: Mask) -> tuple[str, ...]:
    """The two values of a column, the positive one last."""
    positive = request.classes.positive if request.classes else None
    values = {value_of(text) for text in used}
    if positive is None:
        if values <= {0.0, 1.0}:
            return ("0", "1")
        _refuse_more(request, found, used, kept)
        raise ConfigError([Problem(_which(request, used), request.target.at)])
    wanted = value_of(positive.source)
    others = [text for text in used if value_of(text) != wanted]
    if wanted not in values:
        _refuse_more(request, found, used, kept, f"no row has {quoted(positive.name)}, and ")
        if len(used) == 2 or (used and wanted not in found.places):
            raise ConfigError([Problem(_meant(request, positive.name, used), positive.at)])
    _refuse_more(request, found, used, kept)
    upper = found.texts[found.places[wanted]] if wanted in found.places else positive.source
    return (others[0] if others else f"not {positive.name}", upper)


def _refuse_more(
    request: DatasetRequest, found: Values, used: list[str], kept: Mask, beside: str = ""
) -> None:
    """Stop at more than two values; `beside` is what else is wrong."""
    if len(used) <= 2:
        return
    held = ", ".join(map(quoted, used[:LISTED])) + ", …" * (len(used) > LISTED)
    count = np.bincount(found.code[kept & (found.code >= 0)], minlength=len(found.texts))
    positive = request.classes.positive if request.classes else None
    meant = value_of(positive.source) if positive else None
    others = [text for text in used[::-1] if value_of(text) != meant]
    fewest = min(others, key=lambda text: count[found.places[value_of(text)]])
    raise DataError(
        f"{found.table.shown}: column {quoted(found.column)} has {len(used)} values ({held}; "
        f"{quoted(fewest)} first at {found.first(fewest, kept)}); {beside}two classes are wanted "
        f"here{_naming(request, used)}: mend it, leave such rows out by `filter:` under "
        f"datasets.{request.name}, or take task: multiclass for all of them"
    )


def _naming(request: DatasetRequest, used: Sequence[str]) -> str:
    """That one of two classes has to be named, where none is and they are not 0 and 1."""
    is_named = request.classes is not None and request.classes.positive is not None
    if is_named or {0.0, 1.0} <= {value_of(text) for text in used}:
        return ""
    return f", and `positive:` under datasets.{request.name} to say which is looked for"


def _which(request: DatasetRequest, used: Sequence[str]) -> str:
    """Ask which of the values is the positive class."""
    said = f"{quoted(request.target.name)} has the value{'s' * (len(used) > 1)} "
    said += " and ".join(map(quoted, used))
    if len(used) > 1:
        return f"{said}; say {_positive(request, used)}"
    return f"{said} alone; say {_positive(request, used)}, or {_both(used[0], 'OTHER')}"


def _meant(request: DatasetRequest, positive: str, used: Sequence[str]) -> str:
    """Say that no row has the positive value, and which it may be."""
    near = [text for text in used if text in nearest(positive, used)[:1]]
    said = f"no row of {quoted(request.target.name)} that is used has {quoted(positive)}, only "
    said += " and ".join(map(quoted, used))
    hint = f"{said}; write {_positive(request, near or used)}"
    return hint if len(used) > 1 else f"{hint}, or {_both(used[0], positive)}"


def _positive(request: DatasetRequest, values: Sequence[str]) -> str:
    ways = " or ".join(f"positive: {in_yaml(value)}" for value in values)
    return f"{ways} under datasets.{request.name}"


def _both(value: str, other: str) -> str:
    """What to write where the other class is the positive one, and has no row."""
    written, names = in_yaml(other), f"[{in_yaml(value)}, {in_yaml(other)}]"
    return f"positive: {written} and classes: {names} if that class has no row here"
