"""Which scores are called first: the highest, or the lowest where a low one says more."""

from __future__ import annotations

from collections.abc import Iterable

_LOW = (
    ("from the highest scores down", "from the lowest scores up"),
    ("with the highest scores", "with the lowest scores"),
)
_MIXED = (
    ("from the highest scores down", "from what each model puts first"),
    ("with the highest scores", "that each model puts first"),
)


def first_called(orders: Iterable[str]) -> tuple[str, str]:
    """What one of the rows is that are called first, and several; `orders` are those of the models.

    >>> first_called(["descending"]), first_called(["ascending", "rank"])
    (('highest score', 'highest scores'), ('lowest score', 'lowest scores'))
    >>> first_called(["descending", "rank"])
    ('row that each model puts first', 'rows that each model puts first')
    """
    are_low = {order != "descending" for order in orders}
    if are_low == {True}:
        return "lowest score", "lowest scores"
    if len(are_low) > 1:
        return "row that each model puts first", "rows that each model puts first"
    return "highest score", "highest scores"


def in_order(text: str, orders: Iterable[str]) -> str:
    """A text on the highest scores, as it is where low ones say more.

    >>> in_order("share of rows, from the highest scores down", ["ascending"])
    'share of rows, from the lowest scores up'
    >>> in_order("share of rows, from the highest scores down", ["ascending", "descending"])
    'share of rows, from what each model puts first'
    """
    are_low = {order != "descending" for order in orders}
    if True in are_low:
        for usual, other in _LOW if are_low == {True} else _MIXED:
            text = text.replace(usual, other)
    return text
