"""The small language of `filter:`, parsed and evaluated on columns."""

from __future__ import annotations

import ast
import operator
import re
from collections.abc import Callable, Mapping
from typing import Any
from warnings import catch_warnings

import numpy as np
import pyarrow.compute as pc

from reportgen.data.arrow import Mask, build_texts, convert_mask, null_mask
from reportgen.data.sample import Vector
from reportgen.data.table import FileTable
from reportgen.errors import DataError
from reportgen.records import record
from reportgen.text import LONGEST_QUOTE, shorten

LONGEST = 2000
DEEPEST = 60
GRAMMAR = "compare columns with values: ==, !=, <, <=, >, >=, in [...], is missing; and, or, not"

_BACKTICKS = re.compile(r"""`([^`]+)`|'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*\"""")
_NUMBERS: dict[type[ast.cmpop], Callable[[Any, Any], Any]] = {
    ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
}
_TEXTS: dict[type[ast.cmpop], str] = {
    ast.Eq: "equal",
    ast.NotEq: "not_equal",
    ast.Lt: "less",
    ast.LtE: "less_equal",
    ast.Gt: "greater",
    ast.GtE: "greater_equal",
}
_TURNED: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Lt: ast.Gt,
    ast.LtE: ast.GtE,
    ast.Gt: ast.Lt,
    ast.GtE: ast.LtE,
}


class FilterError(Exception):
    """An expression that is not of the language; the text says what is wrong."""


@record
class TruthMask:
    """Rows for which a claim is true, and for which it is false; missing values give neither."""

    true: Mask
    false: Mask


@record
class RowFilter:
    """An expression that was understood, and the columns it speaks of.

    `columns` are the names that the table goes by, each with what the file calls it; those in
    `as_text` are compared with texts. `asked` is the text that it was made of, and how it is shown.
    """

    text: str
    columns: Mapping[str, str]
    claim: Callable[[FileTable], TruthMask]
    as_text: frozenset[str] = frozenset()
    asked: tuple[str, str | None] = ("", None)

    def __reduce__(self) -> tuple[Callable[..., RowFilter], tuple[str, str | None]]:
        """Pickled it is its text, and is understood anew."""
        return parse_filter, self.asked

    @property
    def key(self) -> str:
        """The key of the config with the text that may be printed, as a message quotes it."""
        return f"`filter: {shorten(self.text, LONGEST_QUOTE)}`"

    def rows(self, table: FileTable) -> Mask:
        """Return a mask of the rows for which the expression is true."""
        return self.claim(table).true

    def hint(self, table: FileTable) -> str:
        """Return the fix where comparing numbers with text keeps no row, or an empty text."""
        numbers = [repr(name) for name in sorted(self.as_text) if table.holds_numbers(name)]
        if not numbers:
            return ""
        held = (
            f"column {numbers[0]} holds"
            if len(numbers) == 1
            else (f"columns {' and '.join(numbers)} hold")
        )
        return f"; {held} numbers, but the filter compares with text: write numbers without quotes"


def parse_filter(text: str, shown: str | None = None) -> RowFilter:
    """Understand an expression, or say why not.

    `shown` is what is printed in place of the text; a column that it does not name is printed by
    its place among the columns.

    >>> [*parse_filter("age >= 18 and `home town` != 'Ulm'").columns]
    ['age', 'home town']
    >>> parse_filter("age >= 18 and town != 'Ulm'", "age >= 18 and ${WHERE}").columns
    {'age': 'age', 'column 2 of age >= 18 and ${WHERE}': 'town'}
    >>> parse_filter("open('x')")
    Traceback (most recent call last):
    reportgen.data.filters.FilterError: open('x') is not understood; compare columns with values: \
==, !=, <, <=, >, >=, in [...], is missing; and, or, not
    """
    if len(text) > LONGEST:
        raise FilterError(f"is {len(text)} letters long; at most {LONGEST} are allowed")
    quoted: list[str] = []
    try:
        parser_text = _replace_backticks(text, quoted).strip()
        with catch_warnings(action="ignore"):  # of odd escapes: they mean what they say
            tree = ast.parse(parser_text, mode="eval")
        if _compute_depth(tree) > DEEPEST:
            raise FilterError(f"is nested more than {DEEPEST} deep")
        parser = _Parser(quoted, shown)
        claim = parser.claim(tree.body)
    except (SyntaxError, ValueError, RecursionError, MemoryError) as fault:
        raise FilterError(f"{text!r} is not understood{_format_hint(text)}; {GRAMMAR}") from fault
    as_text = frozenset(parser.as_text)
    shown_text = text if shown is None else shown
    return RowFilter(shown_text, parser.columns, claim, as_text, (text, shown))


def _replace_backticks(text: str, quoted: list[str]) -> str:
    """Replace each name in backticks by a plain word; what is inside quotes stays."""

    def word(match: re.Match[str]) -> str:
        if match.group(1) is None:
            return match.group(0)
        quoted.append(match.group(1))
        return f" _quoted_{len(quoted) - 1}_ "

    return _BACKTICKS.sub(word, text)


def _compute_depth(node: ast.AST) -> int:
    return 1 + max(map(_compute_depth, ast.iter_child_nodes(node)), default=0)


def _format_hint(text: str) -> str:
    if re.search(r"(?<![=!<>])=(?!=)", text):
        return " (equality is `==`)"
    if re.search(r"\b(AND|OR|NOT|IN|IS)\b|&&|\|\|", text):
        return " (write and, or, not, in, is in small letters)"
    return ""


class _Parser:
    """Translator of a syntax tree into a function of a table, which collects columns on its way."""

    def __init__(self, quoted: list[str], shown: str | None) -> None:
        self.columns: dict[str, str] = {}
        self.as_text: set[str] = set()
        self._shown = shown
        self._names = {f"_quoted_{i}_": name for i, name in enumerate(quoted)}

    def claim(self, node: ast.expr) -> Callable[[FileTable], TruthMask]:
        if isinstance(node, ast.BoolOp):
            claims = [self.claim(value) for value in node.values]
            join = _combine_all if isinstance(node.op, ast.And) else _combine_any
            return lambda table: join([claim(table) for claim in claims])
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
            inner = self.claim(node.operand)
            return lambda table: _negate(inner(table))
        if isinstance(node, ast.Compare):
            sides = [node.left, *node.comparators]
            steps = [
                self._comparison(left, op, right)
                for left, op, right in zip(sides[:-1], node.ops, sides[1:], strict=True)
            ]
            return lambda table: _combine_all([step(table) for step in steps])
        raise self._not_understood(node)

    def _comparison(
        self, left: ast.expr, op: ast.cmpop, right: ast.expr
    ) -> Callable[[FileTable], TruthMask]:
        if not isinstance(left, ast.Name) and isinstance(right, ast.Name):
            left, right = right, left
            if isinstance(op, (ast.In, ast.NotIn, ast.Is, ast.IsNot)):
                raise self._not_understood(right)
            op = _TURNED.get(type(op), type(op))()
        if not isinstance(left, ast.Name):
            raise self._not_understood(left)
        column = self._column(left)
        if isinstance(op, (ast.Is, ast.IsNot)):
            if not (isinstance(right, ast.Name) and right.id == "missing"):
                raise FilterError("`is` is followed by `missing` or `not missing`")
            return _build_missing_test(column, isinstance(op, ast.Is))
        if isinstance(op, (ast.In, ast.NotIn)):
            found = _build_any([self._compare(column, ast.Eq, each) for each in self._list(right)])
            return found if isinstance(op, ast.In) else lambda table: _negate(found(table))
        return self._compare(column, type(op), self._value(right))

    def _compare(
        self, column: str, op: type[ast.cmpop], value: str | float
    ) -> Callable[[FileTable], TruthMask]:
        if isinstance(value, str):
            self.as_text.add(column)
        return _build_comparison(column, op, value)

    def _column(self, node: ast.Name) -> str:
        source = self._names.get(node.id, node.id)
        known = next((name for name, own in self.columns.items() if own == source), None)
        name = known or self._name_column(source)
        self.columns[name] = source
        return name

    def _name_column(self, source: str) -> str:
        """Return a column's name if the printed expression has it as well, else its number."""
        if self._shown is None:
            return source
        literal = re.sub(r"\$\{[^}]*\}", "${}", self._shown)
        if re.search(rf"(?<![\w$]){re.escape(source)}(?!\w)", literal):
            return source
        return f"column {len(self.columns) + 1} of {self._shown}"

    def _list(self, node: ast.expr) -> list[str | float]:
        if not isinstance(node, (ast.List, ast.Tuple, ast.Set)) or not node.elts:
            raise FilterError("`in` is followed by a list of values, such as ['north', 'east']")
        return [self._value(item) for item in node.elts]

    def _value(self, node: ast.expr) -> str | float:
        if isinstance(node, ast.Name):
            raise FilterError(
                f"{self._names.get(node.id, node.id)} stands in place of a value; put a text "
                "in quotes"
            )
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, (ast.USub, ast.UAdd)):
            value = self._value(node.operand)
            if not isinstance(value, str):
                return -value if isinstance(node.op, ast.USub) else value
        if isinstance(node, ast.Constant) and not isinstance(node.value, bool):
            if isinstance(node.value, str):
                return node.value.encode("utf-8", "replace").decode()
            if isinstance(node.value, (int, float)):
                return _finite(node.value)
        raise self._not_understood(node)

    def _not_understood(self, node: ast.expr) -> FilterError:
        text = ast.unparse(node)
        for word, name in self._names.items():
            text = text.replace(word, f"`{name}`")
        return FilterError(f"{text} is not understood; {GRAMMAR}")


def _finite(value: float) -> float:
    try:
        number = float(value)
    except OverflowError:
        number = float("inf")
    if not np.isfinite(number):
        raise FilterError("a number is too large")
    return number


def _build_comparison(
    column: str, op: type[ast.cmpop], value: str | float
) -> Callable[[FileTable], TruthMask]:
    if isinstance(value, str):
        compare, other = getattr(pc, _TEXTS[op]), build_texts([value])[0]

        def compare_texts(table: FileTable) -> TruthMask:
            found = compare(table.texts(column), other)
            return TruthMask(convert_mask(found), convert_mask(pc.invert(found)))

        return compare_texts

    def compare_numbers(table: FileTable) -> TruthMask:
        numbers = _compute_numbers(table, column)
        is_known = ~np.isnan(numbers)
        found = _NUMBERS[op](numbers, value)
        return TruthMask(found & is_known, ~found & is_known)

    return compare_numbers


def _compute_numbers(table: FileTable, column: str) -> Vector:
    try:
        return table.numbers(column)
    except DataError as fault:
        if table.is_nested(column) or table.holds_numbers(column):
            raise
        way = "the filter compares it with a number: put the value in quotes to compare texts"
        raise DataError(*(f"{line}; {way}" for line in fault.lines)) from None


def _build_missing_test(column: str, is_wanted: bool) -> Callable[[FileTable], TruthMask]:
    def claim(table: FileTable) -> TruthMask:
        if table.holds_numbers(column):
            is_missing = np.isnan(table.numbers(column))
        else:
            is_missing = null_mask(table.texts(column))
        return TruthMask(is_missing == is_wanted, is_missing != is_wanted)

    return claim


def _combine_all(claims: list[TruthMask]) -> TruthMask:
    return TruthMask(
        np.logical_and.reduce([claim.true for claim in claims]),
        np.logical_or.reduce([claim.false for claim in claims]),
    )


def _combine_any(claims: list[TruthMask]) -> TruthMask:
    return _negate(_combine_all([_negate(claim) for claim in claims]))


def _build_any(claims: list[Callable[[FileTable], TruthMask]]) -> Callable[[FileTable], TruthMask]:
    return lambda table: _combine_any([claim(table) for claim in claims])


def _negate(claim: TruthMask) -> TruthMask:
    return TruthMask(claim.false, claim.true)
