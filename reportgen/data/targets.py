"""Targets of classes and of label sets, and those of a second rater."""

from __future__ import annotations

import re
from ast import literal_eval
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import replace
from functools import cache, cached_property, partial
from keyword import iskeyword

import numpy as np
from numpy.typing import NDArray

from reportgen.data.arrow import Index, Mask, build_texts, encode_texts
from reportgen.data.files.source import open_source
from reportgen.data.names import OTHERWISE, Spellings, find_match, find_twins, suggest_loose
from reportgen.data.number_styles import MISSING_WORDS
from reportgen.data.requests import ClassRequest, ColumnRequest, DatasetRequest, TableRequest
from reportgen.data.sample import Vector
from reportgen.data.table import (
    AlignedColumn,
    FileTable,
    Role,
    find_table_rows,
    format_count,
)
from reportgen.errors import ConfigError, DataError, Problem, did_you_mean, find_nearest
from reportgen.records import record
from reportgen.text import (
    are_values_hidden,
    format_yaml_value,
    mask_number,
    mask_value,
    parse_class_value,
    quote,
)

MOST_LISTED = 10  # values that a message names
MOST_WRONG = 3  # of those that are no classes
SEPARATORS = (",", ";", "|", " ")  # usual ones between labels


@record(eq=False)
class ClassValuesColumn:
    """The different values of a column: as written first, and the place of each row's, or -1.

    `absent` are the words that were read as missing.
    """

    table: FileTable
    column: str
    texts: tuple[str, ...]
    code: NDArray[np.int64]
    absent: tuple[str, ...] = ()

    @classmethod
    def from_table(
        cls, table: FileTable, column: str, classes: Collection[str] = ()
    ) -> ClassValuesColumn:
        """Return the values of a column.

        Words that say missing are none, unless the others are texts, or they are among the
        `classes` that the config names.
        """
        labels, code = encode_texts(table.texts(column))
        words = set(MISSING_WORDS).difference(classes)
        is_plain = all(
            isinstance(parse_class_value(x), float) for x in labels if x not in MISSING_WORDS
        )
        absent = tuple(x for x in labels if is_plain and x in words)
        kept = [x for x in labels if x not in absent]
        known = set(kept)
        first: dict[float | str, int] = {}
        texts: list[str] = []
        for label in kept:
            if parse_class_value(label) not in first:
                first[parse_class_value(label)] = len(texts)
                texts.append(label)
        places = [first[parse_class_value(x)] if x in known else -1 for x in labels]
        return cls(table, column, tuple(texts), np.array([*places, -1], np.int64)[code], absent)

    @cached_property
    def places(self) -> dict[float | str, int]:
        """The place of each value."""
        return {parse_class_value(text): place for place, text in enumerate(self.texts)}

    def used(self, kept: Mask) -> list[str]:
        """Return the values on some rows, sorted: numbers by size, else texts by their letters."""
        found = np.unique(self.code[kept & (self.code >= 0)])
        return sort_class_values([self.texts[place] for place in found])

    def codes(self, classes: Sequence[str]) -> NDArray[np.float64]:
        """Return the index of each row's value among `classes`, nan if missing or not in them."""
        place = {parse_class_value(text): k for k, text in enumerate(classes)}
        found = [float(place.get(parse_class_value(text), np.nan)) for text in self.texts]
        return np.array([*found, np.nan])[self.code]

    def locate(self, texts: Sequence[str]) -> str:
        """Say where values first stand, if messages do not show them; else return an empty text."""
        if not are_values_hidden():
            return ""
        places = [self.places[v] for v in map(parse_class_value, texts) if v in self.places]
        rows = [int(np.flatnonzero(self.code == place)[0]) for place in places]
        return f" ({self.table.shown}: {self.table.where(np.sort(rows))})" if rows else ""

    def first(self, text: str, kept: Mask) -> str:
        """Return where a value stands first."""
        return self.table.where(
            np.flatnonzero(kept & (self.code == self.places[parse_class_value(text)]))
        )


def preview_class_values(
    tables: Iterable[tuple[TableRequest, ColumnRequest]],
    is_loose: bool,
    separator: str | None = None,
) -> dict[str, str]:
    """Return the values that columns of classes hold, in their order, each as its own name.

    With a `separator` they are the labels that the columns list. If `is_loose`, of those that
    differ only in how they are written the first by letters. What cannot be read is left out: it is
    reported where the rows are read.
    """
    found: dict[float | str, str] = {}
    for request, column in tables:
        try:
            source = open_source(request, {column.name: column.source or column.name})
            table = source.read({column.name}, set())
            if separator is None:
                texts = ClassValuesColumn.from_table(table, column.name).texts
            else:
                labels = LabelListColumn.from_table(table, column.name, separator).labels()
                texts = tuple(labels)
        except (ConfigError, DataError, KeyError):
            continue
        for text in texts:
            found.setdefault(parse_class_value(text), text)
    return _name_classes(list(found.values()), is_loose)


def _name_classes(found: list[str], is_loose: bool) -> dict[str, str]:
    if is_loose:
        found = list(dict.fromkeys(Spellings.from_texts(build_texts(found)).spell(found)))
    return {text: text for text in sort_class_values(found)}


def sort_class_values(texts: Sequence[str]) -> list[str]:
    """Values of classes in their usual order: numbers by their size, before texts by letters.

    >>> sort_class_values(["10", "9", "b", "a"])
    ['9', '10', 'a', 'b']
    """
    return sorted(
        texts, key=lambda text: (isinstance(parse_class_value(text), str), parse_class_value(text))
    )


def choose_class_order(
    request: DatasetRequest, found: ClassValuesColumn, kept: Mask, way: str
) -> tuple[str, ...]:
    """Return the values of the classes in the order of their codes; of two the positive one last.

    `way` is the way out where a row is of no class that is declared.
    """
    asked = request.classes
    assert asked is not None
    used = found.used(kept)
    if asked.are_found or not asked.names:
        refuse_twins(request, found, [*(n for n in asked.names if n not in asked.misspelt), *used])
    if asked.names:
        way = _suggest_class_values(request, used) or way
        check_class_values(asked.names, found, kept, way, dataset=request.in_doubt)
        declared = tuple(asked.names)
        return _sort_positive_last(declared, asked) if asked.is_two else declared
    return _find_two_classes(request, found, used, kept) if asked.is_two else tuple(used)


def refuse_twins(
    request: DatasetRequest, found: ClassValuesColumn | LabelListColumn, names: Sequence[str]
) -> None:
    """Stop at two classes of the data that differ only in how they are written."""
    texts = [text for text in names if isinstance(parse_class_value(text), str)]
    if request.in_doubt and (pair := find_twins(build_texts(texts))):
        raise DataError(
            f"{found.table.shown}: column {quote(found.column)} has the classes "
            f"{mask_value(format_values(pair))}{found.locate(pair)}, which "
            f"{suggest_loose(*pair, request.name)}{OTHERWISE}"
        )


_FILTER = "by `filter:` under"


def check_class_values(
    names: Iterable[str],
    found: ClassValuesColumn,
    kept: Mask,
    way: str,
    model: str | None = None,
    dataset: str = "",
) -> None:
    """Stop at values that are not declared as classes; `way` is the way out.

    Of a `dataset` those that are classes but for how they are written may be matched.
    """
    known = {parse_class_value(text) for text in names}
    wrong = [text for text in found.used(kept) if parse_class_value(text) not in known]
    if wrong:
        places = [found.places[parse_class_value(text)] for text in wrong]
        rows = np.flatnonzero(kept & np.isin(found.code, places))
        if model and 2 * len(rows) > np.count_nonzero(kept):
            way = f"in {found.table.shown}, write them as those of the target are"
        column = (found.table, found.column, model)
        raise DataError(describe_unknown_classes(column, wrong, rows, names, (way, dataset)))


def describe_unknown_classes(
    column: tuple[FileTable, str, str | None],
    wrong: Sequence[str],
    rows: Index,
    names: Iterable[str],
    way_out: tuple[str, str],
    what: str = "",
    sure: str = "",
) -> str:
    """Say that a column, of a model or of nobody, has values on some rows that are no classes.

    `sure` is the way out, if it is known to settle all of them.
    """
    (table, name, model), (way, dataset) = column, way_out
    of = f" of model {quote(model)}" if model else ""
    hint, near = did_you_mean(wrong[0], names), dataset and find_match(wrong, names)
    hint += f" {way[0].upper()}{way[1:]}" if hint.endswith("?") else f"; {way}"
    if are_values_hidden():
        hint = way
    elif expression := _write_filter(table, name, wrong):
        hint = hint.replace(_FILTER, f'by `filter: "{expression}"` under')
    if near:
        hint = f"{mask_value(format_values(near))} {suggest_loose(*near, dataset)}"
    hint = sure or hint
    has = (
        f"column {quote(name)}{of} has {what}{mask_value(format_values(wrong))}, not among classes"
    )
    on = f"on {format_count(len(rows), 'row')} (first at {table.where(rows)})"
    return f"{table.shown}: {has}, {on}; {hint}"


def _write_filter(table: FileTable, column: str, wrong: Sequence[str]) -> str:
    """Write the filter that leaves out rows with these values; empty if it would be long."""
    if len(wrong) > MOST_WRONG or re.search(r"[`'\"\\\n]", "".join([column, *wrong])):
        return ""
    is_plain = re.fullmatch(r"[A-Za-z_]\w*", column) and not iskeyword(column)
    name = column if is_plain else f"`{column}`"
    mark = "" if table.holds_numbers(column) else "'"
    return " and ".join(f"{name} != {mark}{text}{mark}" for text in wrong)


def format_values(values: Sequence[str]) -> str:
    """Values in quotes, the first three and how many more.

    >>> format_values(["a", "b"]), format_values(["a", "b", "c", "d", "e"])
    ("'a' and 'b'", "'a', 'b', 'c' and 2 more")
    """
    shown = [quote(text) for text in values[:MOST_WRONG]]
    if len(values) > MOST_WRONG:
        shown.append(f"{len(values) - MOST_WRONG} more")
    return f"{', '.join(shown[:-1])} and {shown[-1]}" if shown[1:] else shown[0]


def suggest_fix(request: DatasetRequest, table: FileTable, main: FileTable) -> str:
    """Suggest what to do with values that are no class; more classes only where allowed."""
    asked = request.classes
    ways = ["correct them"]
    is_listed = asked is not None and asked.names and not asked.is_two
    if is_listed and all(model.is_label for model in request.models.values()):
        is_found = asked is not None and asked.are_found
        ways.append(f"name {'all classes' if is_found else 'them'} under `classes:`")
    if table is main:
        by = "by one more condition in the `filter:` under" if request.filter else _FILTER
        ways.append(f"leave such rows out {by} datasets.{request.name}")
    return (
        f"{', '.join(ways[:-1])}, or {ways[-1]}" if ways[1:] else f"correct them in {table.shown}"
    )


def _suggest_class_values(request: DatasetRequest, used: Sequence[str]) -> str:
    """Return what to write where the classes are not those that the target holds; else nothing.

    So it is where no value is among them, or where there are two values for two classes.
    """
    asked = request.classes
    assert asked is not None
    values = {parse_class_value(text) for text in used}
    written = f": classes: [{', '.join(map(format_yaml_value, used))}]"
    said = (
        f"write the values of the column{' under `classes:`' if are_values_hidden() else written}"
    )
    if asked.is_two and len(used) == 2:
        positive = parse_class_value(asked.positive.source) if asked.positive else 1.0
        return said if positive in values else f"{said}, and {_suggest_positive(request, used)}"
    is_other = not values & {parse_class_value(text) for text in asked.names}
    return said if is_other and not asked.is_two and len(used) <= MOST_LISTED else ""


def _sort_positive_last(declared: tuple[str, ...], request: ClassRequest) -> tuple[str, ...]:
    wanted = parse_class_value(request.positive.source) if request.positive else 1.0
    return tuple(sorted(declared, key=lambda text: parse_class_value(text) == wanted))


def _find_two_classes(
    request: DatasetRequest, found: ClassValuesColumn, used: list[str], kept: Mask
) -> tuple[str, ...]:
    """Return the two values of a column, the positive one last."""
    positive = request.classes.positive if request.classes else None
    values = {parse_class_value(text) for text in used}
    if positive is None:
        if values <= {0.0, 1.0}:
            return ("0", "1")
        _check_two_values(request, found, used, kept)
        raise ConfigError([Problem(_ask_positive_class(request, found, used), request.target.at)])
    wanted = parse_class_value(positive.source)
    others = [text for text in used if parse_class_value(text) != wanted]
    if wanted not in values:
        _check_two_values(request, found, used, kept, f"no row has {quote(positive.name)}, and ")
        if len(used) == 2 or (used and wanted not in found.places):
            raise ConfigError(
                [Problem(_describe_absent_positive(request, found, used), positive.at)]
            )
    _check_two_values(request, found, used, kept)
    upper = found.texts[found.places[wanted]] if wanted in found.places else positive.source
    return (others[0] if others else f"not {positive.name}", upper)


def _check_two_values(
    request: DatasetRequest,
    found: ClassValuesColumn,
    used: list[str],
    kept: Mask,
    addition: str = "",
) -> None:
    """Stop at more than two values; `addition` is what else is wrong."""
    if len(used) <= 2:
        return
    held = mask_value(", ".join(map(quote, used[:MOST_LISTED]))) + ", …" * (len(used) > MOST_LISTED)
    count = np.bincount(found.code[kept & (found.code >= 0)], minlength=len(found.texts))
    positive = request.classes.positive if request.classes else None
    meant = parse_class_value(positive.source) if positive else None
    others = [text for text in used[::-1] if parse_class_value(text) != meant]
    fewest = min(others, key=lambda text: count[found.places[parse_class_value(text)]])
    raise DataError(
        f"{found.table.shown}: column {quote(found.column)} has {len(used)} values ({held}; "
        f"{'the rarest' if are_values_hidden() else quote(fewest)} first at "
        f"{found.first(fewest, kept)}); {addition}two classes are needed "
        f"here{_suggest_naming_positive(request, used)}: correct it, leave such rows out by "
        "`filter:` under "
        f"datasets.{request.name}, or take task: multiclass for all of them"
    )


def _suggest_naming_positive(request: DatasetRequest, used: Sequence[str]) -> str:
    """Return the advice to name one of two classes if none is named and they are not 0 and 1."""
    is_named = request.classes is not None and request.classes.positive is not None
    if is_named or {0.0, 1.0} <= {parse_class_value(text) for text in used}:
        return ""
    return f", and `positive:` under datasets.{request.name} to say which is looked for"


def _ask_positive_class(
    request: DatasetRequest, column: ClassValuesColumn, used: Sequence[str]
) -> str:
    """Ask which of the values is the positive class."""
    said = f"{quote(request.target.name)} has the value{'s' * (len(used) > 1)} "
    said += f"{mask_value(' and '.join(map(quote, used)))}{column.locate(used)}"
    if len(used) > 1:
        return f"{said}; say {_suggest_positive(request, used)}"
    return (
        f"{said} alone; say {_suggest_positive(request, used)}, or "
        f"{_suggest_other_positive(used[0], 'OTHER')}"
    )


def _describe_absent_positive(
    request: DatasetRequest, column: ClassValuesColumn, used: Sequence[str]
) -> str:
    """Say that no row has the positive value, and which it may be."""
    assert request.classes is not None and request.classes.positive is not None
    positive = request.classes.positive.name
    near = [text for text in used if text in find_nearest(positive, used)[:1]]
    said = f"no row of {quote(request.target.name)} that is used has {quote(positive)}, only "
    said += f"{mask_value(' and '.join(map(quote, used)))}{column.locate(used)}"
    hint = f"{said}; write {_suggest_positive(request, near or used)}"
    return hint if len(used) > 1 else f"{hint}, or {_suggest_other_positive(used[0], positive)}"


def _suggest_positive(request: DatasetRequest, values: Sequence[str]) -> str:
    ways = " or ".join(f"positive: {format_yaml_value(value)}" for value in values)
    if are_values_hidden():
        ways = "which it is by `positive:`"
    return f"{ways} under datasets.{request.name}"


def _suggest_other_positive(value: str, other: str) -> str:
    """Return what to write where the other class is the positive one, and has no row."""
    own = "THIS ONE" if are_values_hidden() else format_yaml_value(value)
    written = format_yaml_value(other)
    return f"positive: {written} and classes: [{own}, {written}] if that class has no row here"


Read = Callable[[], AlignedColumn]
Where = tuple[FileTable, str | None, Index | None]  # a table, whose it is, the place of each row


@record(eq=False)
class LabelListColumn:
    """A column that lists the labels of each row: its different lists, and the place of each row's.

    A row without a list has no label. `separator` is empty where the lists are not split by it.
    """

    table: FileTable
    column: str
    lists: tuple[tuple[str, ...], ...]
    code: NDArray[np.int64]
    separator: str = ""

    @classmethod
    def from_table(cls, table: FileTable, column: str, separator: str) -> LabelListColumn:
        """Build the lists of a column of lists, or of texts: lists, or divided by a separator."""
        split_by = ""
        if table.is_nested(column):
            found, code = table.encode_lists(column)
        else:
            texts, code = encode_texts(table.texts(column))
            parsed = _parse_list_texts(table, column, texts, code)
            split_by = separator if parsed is None else ""
            found = [text.split(separator) for text in texts] if parsed is None else parsed
        lists = [tuple(filter(None, map(str.strip, each))) for each in found]
        if column in table.spellings:
            labels = list(dict.fromkeys(label for each in lists for label in each))
            spelled = dict(zip(labels, table.spellings[column].spell(labels), strict=True))
            lists = [tuple(spelled[label] for label in each) for each in lists]
        return cls(table, column, (*lists, ()), np.where(code < 0, len(lists), code), split_by)

    def labels(self) -> list[str]:
        """Return the distinct labels, sorted: numbers by size, else texts by their letters."""
        found: dict[float | str, str] = {}
        for label in (label for each in self.lists for label in each):
            found.setdefault(parse_class_value(label), label)
        return sort_class_values(list(found.values()))

    def flags(self, label: str) -> NDArray[np.float64]:
        """Return whether each row has a label, 1 or 0."""
        value = parse_class_value(label)
        has = [value in {parse_class_value(one) for one in each} for each in self.lists]
        return np.array(has, dtype=np.float64)[self.code]

    def locate(self, labels: Sequence[str]) -> str:
        """Say where labels first stand, if messages do not show them; else return an empty text."""
        if not are_values_hidden():
            return ""
        rows = [int(self.rows_with({parse_class_value(label)})[0]) for label in labels]
        return f" ({self.table.shown}: {self.table.where(np.sort(rows))})"

    def rows_with(self, values: AbstractSet[float | str]) -> Index:
        """Find the rows that have at least one label among `values`."""
        has = [any(parse_class_value(one) in values for one in each) for each in self.lists]
        return np.flatnonzero(np.array(has)[self.code])

    def suggest_separator(
        self, is_known: Callable[[str], bool], dataset: str, kept: Mask | None = None
    ) -> str:
        """Suggest the separator by which all labels of some rows are known, or nothing."""
        lists = [self.lists[k] for k in np.unique(self.code if kept is None else self.code[kept])]
        if not self.separator or any(len(each) > 1 for each in lists):
            return ""
        for other in SEPARATORS:
            parts = {part.strip() for each in lists for text in each for part in text.split(other)}
            if all(map(is_known, parts - {""})):
                return f'write `separator: "{other}"` under datasets.{dataset}'
        return ""

    def refuse_unknown(
        self, request: DatasetRequest, kept: Mask, way_out: tuple[str, str], model: str | None
    ) -> None:
        """Stop at labels on some rows that are not declared; with the way out, and the dataset."""
        assert request.classes is not None
        names, used = list(request.classes.names), np.unique(self.code[kept])
        known = {parse_class_value(name) for name in names}
        wrong = sort_class_values(
            list(
                dict.fromkeys(
                    label
                    for k in used
                    for label in self.lists[k]
                    if parse_class_value(label) not in known
                )
            )
        )
        if wrong:
            rows = self.rows_with({parse_class_value(label) for label in wrong})
            rows = rows[kept[rows]]
            column = (self.table, self.column, model)
            sure = ""
            if model is None:
                sure = self.suggest_separator(
                    lambda label: parse_class_value(label) in known, request.name, kept
                )
            said = describe_unknown_classes(column, wrong, rows, names, way_out, "the label ", sure)
            raise DataError(said)


_ITEM = r"""(?:'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*"|[+-]?[\d.]+|None|null|nan)"""
_LIST = re.compile(rf"\[\s*(?:{_ITEM}(?:[\s,]+{_ITEM})*)?[\s,]*\]")
_ITEMS = re.compile(_ITEM)


def _parse_list_texts(
    table: FileTable, column: str, texts: Sequence[str], code: NDArray[np.int64]
) -> list[list[str]] | None:
    """Parse texts that are lists as Python or JSON writes them; None if they are not."""
    are_lists = [_LIST.fullmatch(text.strip()) is not None for text in texts]
    if not any(are_lists):
        return None
    if not all(are_lists):
        other = np.flatnonzero(code == are_lists.index(False))
        raise DataError(
            f"{table.shown}: column {quote(column)} has lists in brackets, and another text at "
            f"{table.where(other[:1])}; write all rows in one way"
        )
    return [[_parse_item(item) for item in _ITEMS.findall(text)] for text in texts]


def _parse_item(item: str) -> str:
    """Parse an item of a list: what is in quotes, or a number; nothing where it is missing."""
    if item[0] in "'\"":
        return str(literal_eval(item))
    return "" if item in ("None", "null", "nan") else item


def iter_label_readers(request: DatasetRequest, main: FileTable, kept: Mask) -> Iterator[Read]:
    """One call a label, which reads the rows that have it."""
    assert request.classes is not None
    where = (main, None, None)
    way = (kept, (suggest_fix(request, main, main), request.in_doubt))
    yield from _iter_readers(request, "flag", request.target, request.classes.columns, where, way)


def iter_predicted_label_readers(
    request: DatasetRequest, main: FileTable, kept: Mask, name: str, where: Where
) -> Iterator[Read]:
    """Yield one reader per label that a model names, which reads the rows that have it."""
    model = request.models[name]
    fix = (suggest_fix(request, where[0], main), request.in_doubt)
    way = (find_table_rows(where[0], kept, where[2]), fix)
    yield from _iter_readers(request, "part", model.column, model.parts, where, way)


def _iter_readers(
    request: DatasetRequest,
    role: Role,
    column: ColumnRequest,
    columns: Mapping[str, ColumnRequest],
    where: Where,
    way: tuple[Mask, tuple[str, str]],
) -> Iterator[Read]:
    assert request.classes is not None
    names, separator, table = list(request.classes.names), request.classes.separator, where[0]
    if columns or separator is None:
        may_lack = role == "flag" and request.classes.is_of_flagged
        yield from (
            partial(_build_flag_column, role, columns[label], label, where, may_lack=may_lack)
            for label in names
        )
        return

    @cache
    def read_lists() -> LabelListColumn:
        found = LabelListColumn.from_table(table, column.name, separator)
        if role == "flag" and request.classes and request.classes.are_found:
            refuse_twins(request, found, names)
        found.refuse_unknown(request, *way, where[1])
        return found

    if not names:  # what was wrong with the lists was not said when their labels were looked for

        def refuse_lists() -> AlignedColumn:
            found = LabelListColumn.from_table(table, column.name, separator)
            raise DataError(f"{table.shown}: column {quote(found.column)} lists no label")

        yield refuse_lists
    yield from (partial(_align_listed_labels, role, read_lists, label, where) for label in names)


def _build_flag_column(
    role: Role, column: ColumnRequest, label: str, where: Where, *, may_lack: bool
) -> AlignedColumn:
    """Build a column of flags from values of 1 and 0, or true and false.

    One that `may_lack` values has rows of which nobody knows whether they have the label.
    """
    table = where[0]
    values = table.flags(column.name)
    bad = np.flatnonzero(~np.isnan(values) & (values != 0) & (values != 1))
    if len(bad):
        raise DataError(
            f"{table.shown}: column {column.name!r} has {format_count(len(bad), 'value')} of "
            f"{len(values)} other than 1 and 0 (first {mask_number(values[bad[0]])} at "
            f"{table.where(bad[:1])}); a label is there or not: 1 or 0, true or false"
        )
    aligned = _align_values(role, column.name, label, values, where)
    if not may_lack:
        return aligned
    unknown = aligned.is_missing
    known = np.where(unknown, 0.0, values)
    return replace(aligned, is_missing=np.zeros_like(unknown), values=known, unknown=unknown)


def _align_listed_labels(
    role: Role, lists: Callable[[], LabelListColumn], label: str, where: Where
) -> AlignedColumn:
    found = lists()
    return _align_values(role, found.column, label, found.flags(label), where)


def _align_values(
    role: Role, column: str, label: str, values: NDArray[np.float64], where: Where
) -> AlignedColumn:
    table, model, position = where
    if position is not None:
        values = np.where(position < 0, np.nan, values[position])
    return AlignedColumn(role, column, table, np.isnan(values), values, model, label, position)


def encode_second_target(
    request: DatasetRequest, table: FileTable, classes: tuple[str, ...], rows: Index
) -> Vector | None:
    """Return the index of each row's second class among the classes, (n,), nan where it has none.

    None if no column is asked for. A class that the target does not know is an error, and so is a
    column without any class.
    """
    column = request.second_target
    if column is None:
        return None
    kept = np.zeros(table.rows, dtype=bool)
    kept[rows] = True
    values = ClassValuesColumn.from_table(table, column.name, classes)
    way = "correct them, or leave the field empty"
    check_class_values(classes, values, kept, way, dataset=request.in_doubt)
    found = values.codes(classes)[rows]
    if np.isnan(found).all():
        raise DataError(
            f"{table.shown}: column {column.name!r} names no class on any of the {len(rows):,} "
            "rows; a second judge has to have judged some of them, or take `second_target:` out"
        )
    return found
