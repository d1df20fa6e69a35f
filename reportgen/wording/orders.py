"""Which scores are called first: the highest, or the lowest where a low one says more."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

_LOW: Mapping[str, str] = {
    "from the highest scores down": "from the lowest scores up",
    "from the lowest scores up": "from the highest scores down",
    "from the lowest scores to the highest": "from the highest scores to the lowest",
    "with the highest scores": "with the lowest scores",
    "with the lowest scores": "with the highest scores",
}
_MIXED: Mapping[str, str] = {
    "from the highest scores down": "from what each model puts first",
    "from the lowest scores up": "from what each model puts last",
    "from the lowest scores to the highest": "from what each model puts last to what it puts first",
    "with the highest scores": "that each model puts first",
    "with the lowest scores": "that each model puts last",
}
_USUAL = re.compile("|".join(map(re.escape, _LOW)))


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
    >>> in_order("bucket of rows, from the lowest scores to the highest", ["rank"])
    'bucket of rows, from the highest scores to the lowest'
    >>> in_order("share of rows, from the highest scores down", ["ascending", "descending"])
    'share of rows, from what each model puts first'
    """
    are_low = {order != "descending" for order in orders}
    if True not in are_low:
        return text
    others = _LOW if are_low == {True} else _MIXED
    return _USUAL.sub(lambda usual: others[usual[0]], text)
