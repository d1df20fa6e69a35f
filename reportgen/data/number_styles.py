"""Styles of numbers: currency signs, decimal commas, separators of thousands."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence

from reportgen.records import record

MISSING_WORDS = ("", "NA", "N/A", "n/a", "NaN", "nan", "NULL", "null", "None", "#N/A")
MARKS = (".", ",")
BLANKS = " \u00a0\u202f'\u2019"  # further signs between thousands
SMALL_DIGITS = 3  # an integer of so many digits needs no separator
FEWEST_SMALL = 2  # such integers, next to numbers with one mark before three digits: doubt

_NUMBER = re.compile(r"[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d+)?", re.ASCII)
_INFINITE = re.compile(r"[+-]?inf(inity)?", re.IGNORECASE)
_GROUPED = re.compile(r"[+-]?[1-9]\d{0,2}([.,])\d{3}", re.ASCII)
_SEVERAL = re.compile(rf"[+-]?[1-9]\d{{0,2}}([.,{BLANKS}])\d{{3}}(\1\d{{3}})+", re.ASCII)
_INTEGER = re.compile(r"[+-]?\d+", re.ASCII)


class NumbersInDoubt(Exception):
    """A column with a mark that may stand before decimals or between thousands.

    The argument is the mark, or says which other column it does not agree with.
    """


@record
class NumberStyle:
    """The style of the numbers of a column; `thousands` and `currency` may be empty."""

    decimal: str = "."
    thousands: str = ""
    currency: str = ""

    @property
    def is_plain(self) -> bool:
        """True if the numbers have no currency sign and only a decimal point."""
        return self == PLAIN

    def parse(self, text: str) -> float | None:
        """Parse a number: nan if it is missing, None if it is not in this style.

        >>> NumberStyle(",", ".", "€").parse("1.299,5 €"), NumberStyle(",", ".").parse("12.99")
        (1299.5, None)
        """
        bare = text.strip()
        if bare in MISSING_WORDS:
            return float("nan")
        if self.currency:
            if self.currency not in bare:
                return None
            bare = _remove_currency(bare, self.currency)
        if self.thousands:
            integer, mark, part = bare.partition(self.decimal)
            first, *groups = re.split(f"[{re.escape(self.thousands)}]", integer)
            if groups and not (
                re.fullmatch(r"[+-]?[1-9]\d{0,2}", first, re.ASCII)
                and all(re.fullmatch(r"\d{3}", group, re.ASCII) for group in groups)
            ):
                return None
            bare = "".join((first, *groups)) + mark + part
        if self.decimal != ".":
            if "." in bare:
                return None
            bare = bare.replace(self.decimal, ".")
        if _NUMBER.fullmatch(bare) or _INFINITE.fullmatch(bare):
            return float(bare)
        return None

    def describe(self) -> str:
        """Describe what is unusual about the style."""
        words = {".": "points", ",": "commas"}
        parts = ["decimal commas"] if self.decimal == "," else []
        if self.thousands:
            parts.append(f"{words.get(self.thousands, 'blanks')} between thousands")
        return " and ".join([*parts, *([f"the sign {self.currency}"] if self.currency else [])])


PLAIN = NumberStyle()


@record
class NumberRules:
    """The marks that the config names; the values decide the others if `is_auto`.

    `has_semicolons` tells that semicolons separate the fields, as they do where commas are decimal.
    """

    decimal: str | None = None
    thousands: str | None = None
    is_auto: bool = True
    has_semicolons: bool = False

    def find_style(self, labels: Sequence[str]) -> NumberStyle:
        """Find the style of the distinct values of a column; plain where no style fits.

        >>> NumberRules().find_style(["$1,299.50", "$816.00"])
        NumberStyle(decimal='.', thousands=',', currency='$')
        >>> NumberRules().find_style(["409,21", "98,1"]).decimal
        ','
        >>> NumberRules().find_style(["1.299", "2.816", "816", "3"])
        Traceback (most recent call last):
        reportgen.data.number_styles.NumbersInDoubt: .
        """
        bare = [text for label in labels if (text := label.strip()) not in MISSING_WORDS]
        currency = _find_currency(bare) if self.is_auto else ""
        numbers = [_remove_currency(text, currency) for text in bare] if currency else bare
        for marks in self._list_marks(numbers):
            style = NumberStyle(*marks, currency)
            if all(style.parse(label) is not None for label in labels):
                return style
        is_named = self.decimal or self.thousands
        return NumberStyle(self.decimal or _other(str(self.thousands))) if is_named else PLAIN

    def _list_marks(self, numbers: Sequence[str]) -> list[tuple[str, str]]:
        """List possible marks for decimals and thousands, the likeliest first."""
        blanks = BLANKS if any(c in text for text in numbers for c in BLANKS) else ""
        if self.decimal or self.thousands in MARKS:
            decimal = self.decimal or (_other(str(self.thousands)))
            return [(decimal, ""), (decimal, self.thousands or _other(decimal)), (decimal, blanks)]
        present = [mark for mark in MARKS if any(mark in text for text in numbers)]
        if self.thousands:
            return [(mark, self.thousands) for mark in present or (".",)]
        if len(present) < 2:
            return self._list_marks_of_one(numbers, present, blanks)
        return [(_find_decimal(numbers), _other(_find_decimal(numbers)))] if self.is_auto else []

    def _list_marks_of_one(
        self, numbers: Sequence[str], present: Sequence[str], blanks: str
    ) -> list[tuple[str, str]]:
        mark = present[0] if present else "."
        marked = [text for text in numbers if mark in text]
        if blanks and self.is_auto:
            return [(mark, blanks)]
        if any(_SEVERAL.fullmatch(text) for text in marked):
            return [(_other(mark), mark)] if self.is_auto else []
        if not marked or any(not _GROUPED.fullmatch(text) for text in marked):
            return [(mark, "")] if self.is_auto or mark == "." else []
        integers = [text for text in numbers if _INTEGER.fullmatch(text)]
        if len(integers) + len(marked) == len(numbers):
            small = sum(len(text.lstrip("+-0")) <= SMALL_DIGITS for text in integers)
            is_likely = self.has_semicolons and len(marked) > 1
            if mark == "," or small >= FEWEST_SMALL or is_likely:
                raise NumbersInDoubt(mark)
        return [(mark, "")]


def has_only_groups(labels: Sequence[str]) -> bool:
    """Return whether some numbers have a point, and each such point stands before three digits.

    >>> has_only_groups(["24.730", "816"]), has_only_groups(["0.75", "24.730"])
    (True, False)
    """
    marked = [text.strip() for text in labels if "." in text]
    return bool(marked) and all(map(_GROUPED.fullmatch, marked))


AS_DECLARED = NumberRules(is_auto=False)  # plain numbers, unless the config names marks


def _other(mark: str) -> str:
    return "," if mark == "." else "."


def _find_decimal(numbers: Sequence[str]) -> str:
    """Find the decimal mark of two: the last of a number, or one not before three digits."""
    for text in numbers:
        if all(mark in text for mark in MARKS):
            return max(MARKS, key=text.rfind)
    for text in numbers:
        if _SEVERAL.fullmatch(text):
            return _other(next(mark for mark in MARKS if mark in text))
    for text in numbers:
        mark = next((each for each in MARKS if each in text), None)
        if mark and not _GROUPED.fullmatch(text):
            return mark
    raise NumbersInDoubt(".")


def _find_currency(texts: Sequence[str]) -> str:
    """Find the currency sign that all values have; an empty text if there is none."""
    signs = {c for c in texts[0] if unicodedata.category(c) == "Sc"} if texts else set()
    return next((sign for sign in signs if all(text.count(sign) == 1 for text in texts)), "")


def _remove_currency(text: str, sign: str) -> str:
    """Remove a sign that stands before or behind a number, or between it and its minus.

    >>> _remove_currency("-$ 5", "$"), _remove_currency("5 €", "€")
    ('-5', '5')
    """
    minus = text[:1] if text[:1] in ("-", "+") else ""
    rest = text[len(minus) :].strip()
    if rest.startswith(sign) or rest.endswith(sign):
        return minus + rest.removeprefix(sign).removesuffix(sign).strip()
    return text
