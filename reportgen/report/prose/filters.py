"""Filters of messages: how a message prints the values of a fact."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace

from jinja2 import Undefined

from reportgen.report.facts import Limits, Quantity
from reportgen.report.prose.marks import Marked, escape_marks
from reportgen.report.wording import names, numbers


def format_amount(quantity: Quantity) -> str:
    """Format a number with its unit."""
    return quantity.form.amount(quantity.value)


def format_number(quantity: Quantity) -> str:
    """Format a number without the name of its unit."""
    return quantity.form.number(quantity.value)


def format_plain(quantity: Quantity) -> str:
    """Format a number with a sign such as $ or %, but without the name of its unit."""
    unit = numbers.find_currency(quantity.form.unit.partition(" per ")[0])
    if not unit:
        return format_number(quantity)
    return replace(quantity.form, unit=unit).amount(quantity.value)


def format_signed(quantity: Quantity) -> str:
    """Format a number with its unit and always with its sign."""
    return quantity.form.amount(quantity.value, signed=True)


def format_size(quantity: Quantity) -> str:
    """Format how large a difference is, without its sign."""
    value = quantity.value
    return numbers.format_size(quantity.form, None if value is None else abs(value))


def format_limits(limits: Limits) -> str:
    """Format both limits."""
    return limits.form.plain_interval(limits.low, limits.high)


def format_signed_limits(limits: Limits) -> str:
    """Format both limits with their signs."""
    return limits.form.plain_interval(limits.low, limits.high, signed=True)


def join_items(items: Iterable[object], most: int = 4) -> Marked:
    """Join items with commas and an "and"; more than `most` end with a count."""
    return Marked(names.join_list([escape_marks(item) for item in items], most))


def capitalize_text(text: str) -> str:
    r"""Return a text with its first letter large; marked text stays marked.

    >>> type(capitalize_text(Marked(r"without \*a\*"))).__name__
    'Marked'
    """
    made = names.capitalize(text)
    return Marked(made) if isinstance(text, Marked) else made


def join_choices(items: Iterable[object]) -> Marked:
    """Join items of which one is to be chosen."""
    *first, last = [escape_marks(item) for item in items]
    return Marked(f"{', '.join(first)} or {last}" if first else last)


def join_groups(groups: Iterable[Iterable[object]]) -> Marked:
    """Join groups in their order; the members of a group are joined by "and"."""
    return Marked(", then ".join(join_items(group, 9) for group in groups))


def join_by_model(each: Sequence[tuple[str, str]], end: str = "", by: str = "by") -> Marked:
    """Join one value a model; `end` follows the first: `3 hours by A and 4 by B`."""
    first = escape_marks(end)
    if len(each) > 1 and len({value for value, _ in each}) == 1:
        return Marked(f"{escape_marks(each[0][0])}{first} {by} every model")
    said = [
        f"{escape_marks(value)}{first if k == 0 else ''} {by} {escape_marks(model)}"
        for k, (value, model) in enumerate(each)
    ]
    return Marked(names.join_list(said))


def join_models_first(
    each: Sequence[tuple[str, str]],
    before: str = "",
    verb: str = "",
    end: str = "",
    apart: str = "",
) -> Marked:
    """Join one value a model, the model first: `by A hold 3 hours; by B 4 and by C 5`.

    `verb` and `end` stand around the first value only. `apart` separates values that have an "and"
    of their own.
    """

    def tell(value: str, model: str, verb: str = "", end: str = "") -> str:
        parts = (before, model, verb, value)
        return " ".join(escape_marks(part) for part in parts if part) + escape_marks(end)

    (value, model), *others = each
    said = [tell(value, model, verb, end), *(tell(*other) for other in others)]
    if apart:
        return Marked(apart.join(said))
    if before and others:
        return Marked("; ".join((said[0], names.join_list(said[1:]))))
    return Marked(names.join_list(said))


def count_all(count: int) -> str:
    """Format all of several: `both`, `all 3`."""
    return "both" if count == 2 else f"all {numbers.format_count(count)}"


def format_places(value: float, decimals: int) -> str:
    """Format a bare number with so many decimals."""
    return numbers.format_decimal(value, decimals)


class Zero(str):
    """The text of a number that is 0."""


def is_given(value: object) -> bool:
    """Tell whether there is a value."""
    return not isinstance(value, Undefined)


def is_some(value: object) -> bool:
    """Tell whether there is a value, and it is not 0."""
    return is_given(value) and not isinstance(value, Zero)


def format_points(share: float) -> str:
    """Format a share as percentage points."""
    return f"{100 * share:g}"


def format_odds(share: float) -> str:
    """Format a small share as odds: `1 in 1000`."""
    return f"1 in {1 / share:g}"


_FRACTIONS = {
    0.01: "a hundredth",
    0.1: "a tenth",
    0.125: "an eighth",
    0.2: "a fifth",
    0.25: "a quarter",
    0.5: "half",
    5: "five",
}
TESTS: Mapping[str, Callable[..., bool]] = {"given": is_given, "some": is_some}
FILTERS: Mapping[str, Callable[..., object]] = {
    "amount": format_amount,
    "count": numbers.format_count,
    "percent": numbers.format_percent,
    "points": format_points,
    "odds": format_odds,
    "fraction": _FRACTIONS.__getitem__,
    "decimals": format_places,
    "signed": format_signed,
    "number": format_number,
    "plain": format_plain,
    "size": format_size,
    "limits": format_limits,
    "signed_limits": format_signed_limits,
    "listed": join_items,
    "all_of": count_all,
    "by_model": join_by_model,
    "models": join_models_first,
    "either": join_choices,
    "in_order": join_groups,
    "start": names.start_with_name,
    "capital": capitalize_text,
}
