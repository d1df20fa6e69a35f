"""A table in memory, and columns aligned to its rows."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import field, replace
from typing import Any, Literal

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from reportgen.data.arrow import (
    TEXT,
    Index,
    Mask,
    combine_chunks,
    convert_floats,
    convert_mask,
    convert_positions,
    encode_texts,
    null_if_empty,
    null_mask,
    print_short_floats,
    take_rows,
)
from reportgen.data.names import Spellings
from reportgen.data.number_styles import (
    MARKS,
    PLAIN,
    NumberRules,
    NumbersInDoubt,
    NumberStyle,
    has_only_groups,
)
from reportgen.data.sample import Vector
from reportgen.errors import DataError
from reportgen.records import record
from reportgen.text import are_values_hidden, mask_number, mask_value, quote, quote_value

LARGEST = 1e50  # in size: beyond it products of a few are no numbers
SMALLEST = 1 / LARGEST  # where no value is larger, products of a few are 0
LARGEST_EXACT = 2**53  # beyond it a float cannot hold every integer

FLAG_WORDS: Mapping[str, float] = {"true": 1.0, "false": 0.0}

_PERCENT = re.compile(r"[+-]?\d[\d.,]*\s*%", re.ASCII)
_DECIMAL_COMMA = re.compile(r"[+-]?(\d{1,3}(\.\d{3})+|\d+),\d+", re.ASCII)
_CODE = re.compile(r"0\d+", re.ASCII)


@record
class FileRows:
    """The rows of one file. `count` turns row positions, from 0, into what `unit` counts.

    `is_typed` says that the file itself tells text from numbers, as Parquet does. Numbers in text
    follow `rules`, None where they are plain; `styles` are those of the columns that were read as
    numbers, `grouped` the columns in which each point stands before three digits, `keys_at` is
    where the config may say more, and `notes` are about the rest of the file. `caveats` are what
    the answer may depend on.
    """

    shown: str
    rows: int
    columns: Mapping[str, Any]
    unit: str
    count: Callable[[Sequence[int]], list[int]]
    is_typed: bool
    rules: NumberRules | None = None
    keys_at: str = ""
    styles: dict[str, NumberStyle] = field(default_factory=dict, compare=False)
    grouped: list[str] = field(default_factory=list, compare=False)
    notes: tuple[str, ...] = ()
    caveats: tuple[str, ...] = ()

    def find_style(self, name: str, labels: Sequence[str]) -> NumberStyle:
        """Find the style of the numbers of a column, by its distinct values."""
        if self.rules is None:
            return PLAIN
        if name not in self.styles:
            try:
                style = self.rules.find_style(labels)
            except NumbersInDoubt as doubt:
                self._refuse_two_marks(is_grouped=str(doubt) == ".")
                raise
            if not (self.rules.decimal or self.rules.thousands):
                is_grouped = style.decimal == "." and has_only_groups(labels)
                if is_grouped:
                    self.grouped.append(name)
                self._refuse_two_marks(is_grouped=is_grouped, has_commas=style.decimal == ",")
            self.styles[name] = style
        return self.styles[name]

    def _refuse_two_marks(self, *, is_grouped: bool, has_commas: bool = False) -> None:
        """Refuse points before three digits in one column where another has decimal commas."""
        commas = [own for own, known in self.styles.items() if known.decimal == ","]
        if is_grouped and commas:
            raise NumbersInDoubt(
                f"has points before three digits, and column {quote(commas[0])} has decimal commas"
            )
        if has_commas and self.grouped:
            raise NumbersInDoubt(
                f"has decimal commas, and column {quote(self.grouped[0])} has points before three "
                "digits"
            )

    def describe_reading(self) -> tuple[str, ...]:
        """List what was skipped or converted when the file was read, with the columns."""
        names: dict[NumberStyle, list[str]] = {}
        for name, style in self.styles.items():
            if not style.is_plain:
                names.setdefault(style, []).append(name)
        notes = [
            f"with {style.describe()} in {', '.join(map(quote, own))}"
            for style, own in names.items()
        ]
        return tuple(f"{self.shown} was read {each}" for each in (*self.notes, *notes))


@record
class FileTable:
    """The rows of all files of one request, in the order of the files.

    Names in a column of `spellings` are spelled as these say.
    """

    shown: str
    parts: tuple[FileRows, ...]
    spellings: Mapping[str, Spellings] = field(default_factory=dict)

    @property
    def rows(self) -> int:
        """The number of rows."""
        return sum(part.rows for part in self.parts)

    @property
    def caveats(self) -> tuple[str, ...]:
        """What the answer may depend on, as the files say."""
        return tuple(caveat for part in self.parts for caveat in part.caveats)

    def describe_reading(self) -> tuple[str, ...]:
        """List what was skipped or converted when the files were read."""
        return tuple(notes for part in self.parts for notes in part.describe_reading())

    def part(self, start: int, rows: int) -> FileTable:
        """Return `rows` rows of a table, from the index `start` on."""
        parts, before = list[FileRows](), 0
        for each in self.parts:
            first, end = max(start - before, 0), min(start + rows - before, each.rows)
            if first < end:
                parts.append(_part_of(each, first, end - first))
            before += each.rows
        return replace(self, parts=tuple(parts) or (_part_of(self.parts[0], 0, 0),))

    def where(self, rows: NDArray[np.intp]) -> str:
        """Say where the first three of some rows stand: `lines 17, 40, 96`."""
        first = [int(row) for row in rows[:3]]
        if len(self.parts) == 1:
            part = self.parts[0]
            plural = "s" if len(first) > 1 else ""
            return f"{part.unit}{plural} " + ", ".join(map(str, part.count(first)))
        return ", ".join(self._place(row) for row in first)

    def texts(self, name: str) -> Any:
        """Return a column as text, null where missing or empty: an array of `large_string`."""
        self._refuse_lists(name)
        texts = pa.concat_arrays([_part_texts(part, name) for part in self.parts])
        return self.spellings[name].apply(texts) if name in self.spellings else texts

    def encode_lists(self, name: str) -> tuple[list[list[str]], NDArray[np.int64]]:
        """Return the different lists of texts in a column of lists, and each row's index, or -1."""
        place: dict[tuple[str, ...], int] = {}
        code = []
        for part in self.parts:
            for each in _part_lists(part, name):
                key = None if each is None else tuple(text or "" for text in each)
                code.append(-1 if key is None else place.setdefault(key, len(place)))
        return list(map(list, place)), np.array(code, np.int64)

    def numbers(self, name: str) -> Vector:
        """Return a column as finite numbers, nan where it is missing; anything else is an error.

        Some of them are at least 1e-50 in size, if not all are 0.
        """
        values = self._finite(name, {})
        largest = np.max(np.abs(values), initial=0.0, where=~np.isnan(values))
        if 0 < largest < SMALLEST:
            place = self.where(np.flatnonzero(np.abs(values) == largest)[:1])
            raise DataError(
                f"{self.shown}: column {quote(name)} has no value of even {SMALLEST:g} in size "
                f"(the largest is {mask_number(largest, '.3g')} at {place}), too small to be "
                "computed with; rescale it"
            )
        return values

    def ordered_numbers(self, name: str) -> tuple[NDArray[Any], Mask]:
        """Return a column of numbers to be sorted by, and where it is missing.

        Integers of any size stay exact.
        """
        columns = [_decode_categories(part.columns[name]) for part in self.parts]
        try:
            arrays = [pc.cast(combine_chunks(each, each.type), pa.int64()) for each in columns]
        except (pa.ArrowInvalid, pa.ArrowNotImplementedError):
            numbers = self.numbers(name)
            return numbers, np.isnan(numbers)
        return np.concatenate([convert_positions(array) for array in arrays]), np.concatenate(
            [null_mask(array) for array in arrays]
        )

    def probabilities(self, name: str) -> Vector:
        """Return a column like `numbers`, of any size: a probability next to 0 is as good as 0."""
        return self._finite(name, {})

    def flags(self, name: str) -> Vector:
        """Return a column like `numbers`, where the words true and false are 1 and 0."""
        return self._finite(name, FLAG_WORDS)

    def _refuse_lists(self, name: str) -> None:
        """Refuse lists of a text file where they are not meant; a typed one says its type."""
        for part in self.parts:
            values = part.columns[name]
            if not part.is_typed and pa.types.is_nested(values.type):
                rows = np.flatnonzero(convert_mask(pc.is_valid(values)))
                place = FileTable(part.shown, (part,)).where(rows[:1])
                raise DataError(
                    f"{part.shown}: column {quote(name)} holds a list or an object at {place} "
                    "instead of text or a number"
                )

    def _finite(self, name: str, words: Mapping[str, float]) -> Vector:
        self._refuse_lists(name)
        parts = [
            _compute_numbers(part, name, self._fault(part, name), words) for part in self.parts
        ]
        self._refuse_two_styles(name, parts)
        values = np.concatenate(parts)
        infinite = np.flatnonzero(np.isinf(values))
        huge = np.flatnonzero(np.abs(values) > LARGEST)
        if len(infinite):
            raise DataError(
                f"{self.shown}: column {quote(name)} has "
                f"{format_count(len(infinite), 'infinite value')} of {len(values)} "
                f"(first at {self.where(infinite)}); correct it, or leave its row out"
            )
        if len(huge):
            raise DataError(
                f"{self.shown}: column {quote(name)} has {format_count(len(huge), 'value')} of "
                f"{len(values)} beyond {LARGEST:g} in size (first at {self.where(huge)}), "
                "too large to be computed with; rescale it"
            )
        return values

    def _refuse_two_styles(self, name: str, parts: Sequence[Vector]) -> None:
        """Refuse decimal commas in one file and decimal points in another."""
        styles = [part.styles.get(name, PLAIN) for part in self.parts]
        has_commas = [
            part.shown
            for part, style in zip(self.parts, styles, strict=True)
            if style.decimal == ","
        ]
        for part, style, values in zip(self.parts, styles, parts, strict=True):
            known = values[np.isfinite(values)]
            if has_commas and style.decimal == "." and (known != np.floor(known)).any():
                raise DataError(
                    f"{part.shown}: column {quote(name)} has decimal points, but "
                    f"{has_commas[0]} has decimal commas; write all files of a dataset alike"
                )

    def amounts(self, name: str) -> Vector:
        """Return a column like `numbers`, to compute with: each is 0 or at least 1e-50 in size.

        What is smaller vanishes once squared, and what is divided by it is no number. Scores may be
        smaller, as they may be an order alone.
        """
        values = self.numbers(name)
        tiny = np.flatnonzero((values != 0) & (np.abs(values) < SMALLEST))
        if len(tiny):
            raise DataError(
                f"{self.shown}: column {quote(name)} has {format_count(len(tiny), 'value')} of "
                f"{len(values)} that {'is' if len(tiny) == 1 else 'are'} not 0, but below "
                f"{SMALLEST:g} in size (first {mask_number(values[tiny[0]], '.3g')} at "
                f"{self.where(tiny)}), too small to be computed with; write 0, or rescale it"
            )
        return values

    def holds_numbers(self, name: str) -> bool:
        """Return whether a column is one of numbers: by its type, or in text files by every value.

        Digits after a leading zero are a code, not a number.
        """
        return all(_holds_numbers(part, name) for part in self.parts)

    def is_of_floats(self, name: str) -> bool:
        """Return whether a typed file holds this column as floating point numbers."""
        return any(pa.types.is_floating(part.columns[name].type) for part in self.parts)

    def is_nested(self, name: str) -> bool:
        """Return whether a typed file holds lists or records in this column."""
        return any(pa.types.is_nested(part.columns[name].type) for part in self.parts)

    def _fault(self, part: FileRows, name: str) -> Callable[[str, NDArray[np.intp]], DataError]:
        def fault(text: str, rows: NDArray[np.intp]) -> DataError:
            place = FileTable(part.shown, (part,)).where(rows[:1]) if len(rows) else ""
            return DataError(f"{part.shown}: column {quote(name)} {text.format(place=place)}")

        return fault

    def _place(self, row: int) -> str:
        for part in self.parts:
            if row < part.rows:
                return f"{part.shown} {part.unit} {part.count([row])[0]}"
            row -= part.rows
        raise IndexError(row)


def format_count(count: int, noun: str, plural: str = "") -> str:
    """Format a count with its noun, whose plural has an s unless it is given.

    >>> format_count(1, "row"), format_count(3, "row"), format_count(3, "query", "queries")
    ('1 row', '3 rows', '3 queries')
    """
    return f"{count} {noun if count == 1 else plural or noun + 's'}"


def parse_number(text: str) -> float | None:
    """Parse a number as text files write it; nan if it says missing, None if it is no number.

    >>> parse_number(" -1.5e3 "), parse_number("NA"), parse_number("1_000")
    (-1500.0, nan, None)
    """
    return PLAIN.parse(text)


def parse_flag(text: str) -> float | None:
    """Parse a number, or true and false in letters of any case as 1 and 0; None if it is neither.

    >>> parse_flag("True"), parse_flag("0"), parse_flag("yes")
    (1.0, 0.0, None)
    """
    return _parse_number(text, FLAG_WORDS)


def _parse_number(
    text: str, words: Mapping[str, float], style: NumberStyle = PLAIN
) -> float | None:
    flag = words.get(text.strip().lower())
    return style.parse(text) if flag is None else flag


def has_decimal_comma(text: str) -> bool:
    """Tell whether a text is a number with a comma for the point, as in 1.234,5."""
    return _DECIMAL_COMMA.fullmatch(text.strip()) is not None


def _part_of(each: FileRows, start: int, rows: int) -> FileRows:
    columns = {name: column.slice(start, rows) for name, column in each.columns.items()}

    def count(places: Sequence[int]) -> list[int]:
        return each.count([start + place for place in places])

    return replace(each, rows=rows, columns=columns, count=count, styles={})


def _part_texts(part: FileRows, name: str) -> Any:
    """One file's column as text, null where it is empty."""
    values = _decode_categories(part.columns[name])
    if pa.types.is_nested(values.type):
        raise DataError(
            f"{part.shown}: column {quote(name)} holds {values.type}, not text or numbers"
        )
    try:
        texts = combine_chunks(values, TEXT)
        texts.validate(full=True)
    except pa.ArrowException:
        raise DataError(f"{part.shown}: column {quote(name)} is not text in UTF-8") from None
    return null_if_empty(texts)


def _part_lists(part: FileRows, name: str) -> list[list[str | None] | None]:
    """One file's column of lists of texts."""
    values = part.columns[name]
    try:
        found: list[list[str | None] | None] = pc.cast(values, pa.list_(TEXT)).to_pylist()
    except (pa.ArrowException, UnicodeDecodeError):
        raise DataError(
            f"{part.shown}: column {quote(name)} holds {values.type}, not lists of labels"
        ) from None
    return found


def _decode_categories(values: Any) -> Any:
    """Return a column with its categories written out as values, half precision as doubles."""
    if pa.types.is_dictionary(values.type):
        values = pc.cast(values, values.type.value_type)
    return print_short_floats(values) if pa.types.is_float16(values.type) else values


def _is_text(kind: Any) -> bool:
    return bool(
        pa.types.is_string(kind) or pa.types.is_large_string(kind) or pa.types.is_string_view(kind)
    )


def _compute_numbers(
    part: FileRows,
    name: str,
    fault: Callable[[str, NDArray[np.intp]], DataError],
    words: Mapping[str, float],
) -> Vector:
    """One file's column as floats, nan where it is missing; `words` stand for numbers."""
    values = _decode_categories(part.columns[name])
    kind = values.type
    if _is_text(kind):
        return _parse_numbers(part, name, values, fault, words)
    if pa.types.is_boolean(kind):
        values = pc.cast(values, pa.int8())
    elif not (
        pa.types.is_integer(kind)
        or pa.types.is_floating(kind)
        or pa.types.is_decimal(kind)
        or pa.types.is_null(kind)
    ):
        raise fault(f"holds {kind} instead of numbers", np.empty(0, np.intp))
    numbers = convert_floats(values)
    if not pa.types.is_floating(kind):
        large = np.flatnonzero(np.abs(numbers) >= LARGEST_EXACT)
        _refuse_lost_digits(take_rows(values, large).to_pylist(), large, numbers, fault)
    return numbers


def _parse_numbers(
    part: FileRows,
    name: str,
    values: Any,
    fault: Callable[[str, NDArray[np.intp]], DataError],
    words: Mapping[str, float],
) -> Vector:
    """Numbers written as text: at once if all are plain, else each different text for itself."""
    if part.rules is None or not (part.rules.decimal or part.rules.thousands):
        try:
            plain = convert_floats(values)
        except pa.ArrowInvalid:
            pass  # a word for missing, a space, or no number: see below
        else:
            if not is_style_doubtful(plain, has_rules=part.rules is not None):
                return plain
    labels, code = encode_texts(combine_chunks(values, TEXT))
    try:
        style = part.find_style(name, [x for x in labels if x.strip().lower() not in words])
    except NumbersInDoubt as doubt:
        mark = str(doubt)
        rows = [k for k in range(len(code)) if code[k] >= 0 and mark in labels[code[k]]]
        raise fault(
            _describe_doubt(mark, labels, part.keys_at), np.array(rows[:1], np.intp)
        ) from None
    parsed = [_parse_number(label, words, style) for label in labels]
    wrong = np.array([number is None for number in parsed] + [False])  # the last is null
    bad = np.flatnonzero(wrong[code])
    if len(bad):
        text = _describe_bad_numbers(labels[code[bad[0]]], len(bad), len(code), words, part)
        raise fault(text, bad)
    numbers = np.array([*parsed, np.nan], dtype=np.float64)[code]
    large = np.flatnonzero(np.abs(numbers) >= LARGEST_EXACT)
    integers = [_parse_integer(labels[code[row]], style) for row in large]
    _refuse_lost_digits(integers, large, numbers, fault)
    return numbers


def is_style_doubtful(numbers: Vector, *, has_rules: bool = True) -> bool:
    """Tell whether numbers that were read as plain may be thousands, or have lost digits.

    Their texts must then be read again. Thousands look like numbers with three decimals and at
    most three digits before the point.

    >>> is_style_doubtful(np.array([1.299, 2, 3])), is_style_doubtful(np.array([1.2995, 2, 3]))
    (True, False)
    """
    with np.errstate(invalid="ignore", over="ignore"):
        size = np.abs(numbers[~np.isnan(numbers)])
        if not has_rules or (size >= LARGEST_EXACT).any():
            return bool((size >= LARGEST_EXACT).any())
        parts = size != np.floor(size)
        if not parts.any() or (parts & ((size < 1) | (size >= 1000))).any():
            return False
        thousandths = size[parts] * 1000
    return bool((np.abs(thousandths - np.rint(thousandths)) < 1e-6).all())


def _parse_integer(text: str, style: NumberStyle) -> int | None:
    """Parse an integer of any size; None for other numbers."""
    digits = re.sub(r"[^\d.,eE+-]", "", text)
    if style.thousands:
        digits = digits.replace(style.thousands, "")
    try:
        return int(digits)
    except ValueError:
        return None


def _refuse_lost_digits(
    exact: Sequence[Any],
    rows: NDArray[np.intp],
    numbers: Vector,
    fault: Callable[[str, NDArray[np.intp]], DataError],
) -> None:
    """Refuse integers that a float cannot hold."""
    lost = [
        (n, row)
        for n, row in zip(exact, rows.tolist(), strict=True)
        if n is not None and n == int(n) and np.isfinite(numbers[row]) and n != int(numbers[row])
    ]
    if lost:
        what = format_count(len(lost), "integer")
        raise fault(
            f"has {what} of {len(numbers)} beyond 2^53 whose last digits would be lost "
            f"({mask_value(str(lost[0][0]))} at {{place}}); subtract a constant, or write fewer "
            "digits",
            np.array([row for _, row in lost]),
        )


def _describe_doubt(mark: str, labels: Sequence[str], keys_at: str) -> str:
    if mark not in MARKS:
        return (
            mark.replace("{", "{{").replace("}", "}}")
            + f'; write `decimal: ","`{keys_at} if the points stand between thousands, or write '
            "both columns alike"
        )
    way = f'thousands or decimals? write `thousands: "{mark}"` or `decimal: "{mark}"`{keys_at}'
    if are_values_hidden():
        return f'has numbers with "{mark}", first at {{place}}: {way}'
    grouped = next(label for label in labels if mark in label)
    number = grouped.strip().replace(mark, "")
    escaped = quote(grouped).replace("{", "{{").replace("}", "}}")
    return (
        f"has numbers such as {escaped}, which may be {number} or "
        f"{grouped.strip().replace(mark, '.')}: {way}"
    )


def _describe_bad_numbers(
    text: str, bad: int, of: int, words: Mapping[str, float], part: FileRows
) -> str:
    escaped = quote_value(text).replace("{", "{{").replace("}", "}}")
    many = f"{escaped} at {{place}} ({format_count(bad, 'such value')} of {of})"
    has_key = bool(part.rules or part.keys_at)
    if has_decimal_comma(text) and (part.is_typed or (has_key and part.rules is None)):
        way = f'; write `decimal: ","`{part.keys_at}' if has_key else "; write 1.5, not 1,5"
        return f"has a decimal comma instead of a decimal point: {many}{way}"
    meant = f"numbers, {' or '.join(words)}" if words else "numbers"
    way = "correct it"
    if _PERCENT.fullmatch(text.strip()):
        way = "remove the percent sign, and divide shares by 100"
    return f"has text instead of {meant}: {many}; {way}"


def _holds_numbers(part: FileRows, name: str) -> bool:
    values = _decode_categories(part.columns[name])
    kind = values.type
    if not _is_text(kind):
        return bool(
            pa.types.is_integer(kind) or pa.types.is_floating(kind) or pa.types.is_decimal(kind)
        )
    if part.is_typed:
        return False
    labels = [x for x in pc.unique(values).to_pylist() if x]
    try:
        style = part.rules.find_style(labels) if part.rules else PLAIN
    except NumbersInDoubt:
        return True
    numbers = [style.parse(label) for label in labels]
    is_any = any(number is not None and number == number for number in numbers)
    return is_any and all(
        number is not None and not _CODE.fullmatch(label)
        for number, label in zip(numbers, labels, strict=True)
    )


Role = Literal["y", "flag", "score", "part", "weight", "count", "cost", "name"]


def find_table_rows(table: FileTable, kept: Mask, position: Index | None) -> Mask:
    """Return a mask of a table's rows that hold `kept` rows of the dataset's own table."""
    if position is None:
        return kept
    found = np.zeros(table.rows, dtype=bool)
    found[position[kept & (position >= 0)]] = True
    return found


@record
class AlignedColumn:
    """A column on the rows of the dataset's own table.

    `values` has nan where it is missing, and is None for a column of names. `position` says
    where each row stands in the `table` it was read from, if that is another one.
    Values of `classes` are their places among these; on rows that are `unknown` nobody knows them.
    `absent` are words in a column of classes that were read as missing.
    """

    role: Role
    column: str
    table: FileTable
    is_missing: Mask
    values: Vector | None = None
    model: str | None = None
    part: str | None = None
    position: Index | None = None
    classes: tuple[str, ...] = ()
    unknown: Mask | None = None
    absent: tuple[str, ...] = ()

    def rows(self, rows: Mask) -> Index:
        """Return where some rows stand in the table that the column was read from."""
        at = np.flatnonzero(rows)
        return at if self.position is None else self.position[at]

    def used(self, rows: Index) -> Vector:
        """Return the values on some rows."""
        assert self.values is not None
        return np.ascontiguousarray(self.values[rows])
