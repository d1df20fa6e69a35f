"""Text from outside, made safe to print: the one cleaning that every output has.

Names, values of data, file names and the messages of other libraries may hold what no line should:
signs that command a terminal or turn the direction of what follows, signs that nobody sees, line
breaks that forge a line, and no end. A page drops such signs (`clean_text`, `collapse_blanks`); a
line on a terminal shows them by their codes, since there they may be what is wrong (`format_line`).
"""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar

JOINERS = {0x200C, 0x200D}
"""Zero-width joiners: Persian and Indic words need them, so readers' fonts get them."""
_RIGHT_TO_LEFT = "\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc"
_RIGHT_TO_LEFT_NAME = re.compile(
    rf"[{_RIGHT_TO_LEFT}](?:[{_RIGHT_TO_LEFT}\d .'\"…/&_-]*[{_RIGHT_TO_LEFT}])?"
    r"(?: \d+(?:[.,]\d+)*(?!\w))?"
)
LONGEST_LINE = 1000
"""The letters of one line on a terminal: enough for a place, a fact and a way out."""
LONGEST_QUOTE = 200
"""The letters of what another library says."""
LONGEST_VALUE = 60
"""The letters of a value or a name that a message quotes."""
HIDDEN = "[hidden]"
"""The mark for values of rows that the privacy level hides from messages."""
_ARE_VALUES_HIDDEN: ContextVar[bool] = ContextVar("are_values_hidden", default=False)
_HIDE: ContextVar[Callable[[str], str]] = ContextVar("hide", default=lambda text: text)
_NUMBER = re.compile(r"[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d+)?", re.ASCII)
_PLAIN = re.compile(r"\w[\w./-]*")  # what YAML reads as it stands
_RUNNER_COMMAND = re.compile(r"#(?=#\[)|(?<!\S):(?=:)")
"""Signs that GitHub's runner takes for a command: `##[` anywhere in a line, `::` at its start."""
_PASSWORD = re.compile(r"(://[^\s:/@]*):[^\s]*@")  # of a URI
_BLANKS = re.compile(r"[^\S\n]{2,}")


def clean_text(text: str) -> str:
    r"""Remove control, bidirectional and other invisible characters, and lone surrogates.

    A tab becomes a space; a line break stays.

    >>> clean_text("a\u202eb\x00c\td")
    'abc d'
    """
    if text.isascii() and text.isprintable():
        return text
    kept = (sign for sign in text.replace("\t", " ") if sign == "\n" or is_printable(sign))
    return "".join(kept)


def isolate_names(text: str) -> str:
    r"""Isolate names written from right to left, so that they reorder no neighbouring number.

    A number that follows such a name after a blank is taken for a part of it.

    >>> isolate_names("zone: \u05d0\u05d1 7 (140)")
    'zone: \u2068\u05d0\u05d1 7\u2069 (140)'
    """
    if text.isascii():
        return text
    return _RIGHT_TO_LEFT_NAME.sub("\u2068\\g<0>\u2069", text)


def parse_class_value(text: str) -> float | str:
    """Return the class value that a text means: a number, 1 or 0 for true or false, or the text.

    Two texts are one value where these are equal.

    >>> parse_class_value("1.0"), parse_class_value("True"), parse_class_value(
    ...     "yes"), parse_class_value("1_0")
    (1.0, 1.0, 'yes', '1_0')
    """
    bare = text.strip()
    if _NUMBER.fullmatch(bare):
        return float(bare)
    return {"true": 1.0, "false": 0.0}.get(bare.lower(), text)


def simplify_class(text: str) -> str:
    """Return the text of a class without what often differs between two ways to write it.

    >>> simplify_class(" 'Class_0' "), simplify_class("class 0.0")
    ('class 0', 'class 0')
    """
    plain = unicodedata.normalize("NFKC", text).strip().casefold().removesuffix(".0")
    return plain.replace("_", " ").replace("-", " ").strip("\"'[] ")


def collapse_blanks(text: str) -> str:
    """Return the text, cleaned, with every run of blanks as one space.

    >>> collapse_blanks("a" + " " * 10_000 + "b")
    'a b'
    """
    return _BLANKS.sub(" ", clean_text(text))


def format_line(text: str, longest: int = LONGEST_LINE) -> str:
    r"""Format the text as one line for a terminal or a message, its ends kept if it is too long.

    Nothing in it is a command to the runner of a build that keeps the line.

    >>> format_line("a\x1b[31m\u202eb\nc"), format_line("::error::x ##[group]y")
    ('a\\x1b[31m\\u202eb\\nc', '\\x3a:error::x \\x23#[group]y')
    """
    text = _PASSWORD.sub(r"\1:…@", _HIDE.get()(text))
    text = shorten(text, 2 * longest)  # what is cut away below need not be spelled first
    if not (text.isascii() and text.isprintable()):
        text = "".join(sign if _is_shown(sign) else _escape(sign) for sign in text)
    return shorten(_RUNNER_COMMAND.sub(lambda sign: f"\\x{ord(sign[0]):x}", text), longest)


@contextmanager
def hide_in_messages(hide: Callable[[str], str]) -> Iterator[None]:
    """Within it `hide` passes over every message before it is cut.

    Half of a text that must not be printed would not be found after the cut.
    """
    token = _HIDE.set(hide)
    try:
        yield
    finally:
        _HIDE.reset(token)


def quote(value: object, longest: int = LONGEST_VALUE) -> str:
    r"""Quote a value or a name as a message shows it, with only its two ends if it is long.

    >>> quote("it's"), quote("9" * 100_000, 9)
    ('"it\'s"', "'99999…999'")
    """
    return repr(shorten(str(value), longest))


@contextmanager
def hide_values(are_hidden: bool = True) -> Iterator[None]:
    """Hide ids and other values of rows in messages of the block, if `are_hidden`."""
    token = _ARE_VALUES_HIDDEN.set(are_hidden)
    try:
        yield
    finally:
        _ARE_VALUES_HIDDEN.reset(token)


def are_values_hidden() -> bool:
    """Return whether messages show no values of rows."""
    return _ARE_VALUES_HIDDEN.get()


def mask_value(text: str) -> str:
    """Return a text that shows values of rows, or `[hidden]` if values are hidden.

    >>> with hide_values():
    ...     mask_value("'Smith' and 'Jones'")
    '[hidden]'
    """
    return HIDDEN if are_values_hidden() else text


def mask_number(number: float, style: str = "g") -> str:
    """Format a number of a row, or mask it.

    >>> mask_number(0.123456789, ".3g")
    '0.123'
    """
    return mask_value(format(number, style))


def quote_value(value: object) -> str:
    """Quote a value of a row as `quote` does a name, or mask it.

    >>> quote_value("Smith")
    "'Smith'"
    """
    return mask_value(quote(value))


def quote_first(value: object, way: str) -> str:
    """Quote the first of several values, or say how to find it if values are hidden."""
    return way if are_values_hidden() else f"first {quote(value)}"


def format_foreign_error(fault: object) -> str:
    r"""Return the first line of an error of another library, cut to a readable length.

    >>> format_foreign_error(ValueError("bad byte\x07 here\nmore of it"))
    'bad byte\\x07 here'
    """
    text = _HIDE.get()(str(fault))
    first = next((part for part in text.splitlines() if part.strip()), type(fault).__name__)
    return format_line(first.strip(), LONGEST_QUOTE)


def format_read_error(fault: BaseException) -> str:
    """Format the error of another library that read a file; only its type if values are hidden.

    >>> with hide_values():
    ...     format_read_error(ValueError("expected 3 columns, got 'Smith'"))
    'ValueError'
    """
    return type(fault).__name__ if are_values_hidden() else format_foreign_error(fault)


def escape_json(text: str) -> str:
    r"""JSON with every sign that is not printed as its escape: the same values, safe to look at.

    >>> escape_json('["a\u202eb", "\U000e0041"]')
    '["a\\u202eb", "\\udb40\\udc41"]'
    """
    text = text.replace("##[", "#\\u0023[")  # a command to GitHub's runner
    if text.isascii():
        return text
    unseen = [sign for sign in set(text) if sign != "\n" and not is_printable(sign)]
    if not unseen:
        return text
    return text.translate({ord(sign): json.dumps(sign)[1:-1] for sign in unseen})


def format_yaml_value(text: str) -> str:
    r"""Format the value of a class as a config writes it, in quotes only where it needs them.

    >>> format_yaml_value("bad"), format_yaml_value("1.0"), format_yaml_value(
    ...     "null"), format_yaml_value('no: "x"')
    ('bad', '1.0', '"null"', '"no: \\"x\\""')
    """
    if _PLAIN.fullmatch(text) and text.lower() != "null":
        return text
    return quote_yaml(shorten(text, LONGEST_VALUE))


def quote_yaml(text: str) -> str:
    r"""Quote a text so that YAML reads it back.

    >>> quote_yaml("${a}\t")
    '"$${a}\\U00000009"'
    """
    quoted = "".join(map(_escape_quoted, text.replace("${", "$${")))
    return '"' + quoted.replace("##[", r"#\x23[") + '"'


def shorten(text: str, longest: int) -> str:
    """Shorten a text to at most `longest` characters, as its two ends around an ellipsis.

    Both ends are kept because names in a series often differ only at the end. No word is cut but a
    long one. A text that was shortened before keeps one ellipsis.

    >>> shorten("a_very_long_name_2", 11), shorten("Toys and…children", 11)
    ('a_very…me_2', 'Toys…dren')
    >>> shorten("gradient boosted trees…v26", 20)
    'gradient…v26'
    """
    if len(text) <= longest:
        return text
    tail = (longest - 1) * 2 // 5
    left = cut_at_word(text, longest - 1 - tail).partition("…")[0]
    right = cut_at_word(text[: -tail - 2 : -1], tail)[::-1].rpartition("…")[2]
    return f"{left.rstrip(' ,')}…{right.lstrip()}"


def cut_at_word(text: str, longest: int) -> str:
    """Keep the first `longest` characters, without the word that ends later if it is no long one.

    >>> cut_at_word("Toys and children", 8), cut_at_word("Toys and children", 12)
    ('Toys and', 'Toys and')
    >>> cut_at_word("an_identifier of rows", 8)
    'an_ident'
    """
    first, words = text[:longest], text[: longest + 1].rpartition(" ")[0]
    return words if 2 * len(words) >= len(first) else first


def is_printable(sign: str) -> bool:
    """Return whether a page prints a character, or needs it to print others."""
    code = ord(sign)
    if code in JOINERS:
        return True
    if code & 0xFFFE == 0xFFFE or 0xFDD0 <= code <= 0xFDEF or 0xFE00 <= code <= 0xFE0F:
        return False  # not characters at all, or selectors between variants of one
    return unicodedata.category(sign) not in {"Cc", "Cf", "Cs", "Zl", "Zp"}


def _is_shown(sign: str) -> bool:
    return sign.isprintable() or unicodedata.category(sign) == "Zs"


def _escape_quoted(sign: str) -> str:
    if sign in '"\\':
        return "\\" + sign
    return sign if sign.isprintable() else f"\\U{ord(sign):08X}"


def _escape(sign: str) -> str:
    return sign.encode("unicode_escape").decode()


def align_rows(rows: Iterable[tuple[str, ...]]) -> str:
    """Align the cells of rows in columns, a line for each row.

    >>> align_rows([("a", "one"), ("bcd", "two")]).splitlines()
    ['a    one', 'bcd  two']
    """
    table = list(rows)
    widths = [max(map(len, column)) for column in zip(*table, strict=True)]
    return "\n".join(
        "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()
        for row in table
    )
