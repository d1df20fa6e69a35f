"""Columns of names as integer codes: clusters, folds, segments, times."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from datetime import UTC, datetime
from itertools import pairwise, takewhile
from typing import Any

import numpy as np
import pyarrow.compute as pc

from reportgen.data.arrow import ArrowTexts, Index, encode_texts, parse_shared_numbers, take_rows
from reportgen.data.requests import SegmentRequest
from reportgen.data.sample import Codes, Times
from reportgen.data.table import FileTable, format_count
from reportgen.errors import ConfigError, DataError, Problem
from reportgen.text import mask_value, quote, quote_value

UNITS = tuple(
    """
    account client customer device household member patient person policy store student subject user
    vehicle
""".split()
)
MISSING_LABEL = "(missing)"
MOST_SEGMENTS = 200
MOST_CODES = 30  # different whole numbers that are slices without bins
LARGEST_CODE = 2.0**53  # beyond it two whole numbers may be one
LONGEST_TIME = 50
_NUMBER = re.compile(r"[+-]?\d{1,300}(\.\d{1,300})?", re.ASCII)
_CAMEL_ID = re.compile(r"[a-z0-9](Id|ID)$")


def is_unit_name(name: str) -> bool:
    """Tell whether the name of a column says that its values distinguish units.

    In capitals alone an end on ID tells nothing, unless a mark stands before it.

    >>> [is_unit_name(name) for name in ("customer_id", "userId", "shopID", "SHOP_ID", "Patient")]
    [True, True, True, True, True]
    >>> [is_unit_name(name) for name in ("paid", "period", "AMOUNT_PAID", "VALID", "BID", "Paid")]
    [False, False, False, False, False, False]
    """
    plain = name.strip().lower()
    has_id = plain == "id" or plain.endswith(("_id", " id", "-id", ".id"))
    return has_id or _CAMEL_ID.search(name.strip()) is not None or plain in UNITS


def order_by_number(ids: Sequence[str]) -> Index | None:
    """Return the order of sorted ids by the number that follows the prefix all of them share.

    None where that is the order they stand in, or where an id is no such number.

    >>> order_by_number(["1", "10", "2"]), order_by_number(["r-1", "r-2"]), order_by_number(["a",
    ...     "b7"])
    (array([0, 2, 1]), None, None)
    """
    if not ids:
        return None
    same = takewhile(lambda pair: pair[0] == pair[1], zip(ids[0], ids[-1], strict=False))
    shared = "".join(first for first, _ in same).rstrip("0123456789.")
    if isinstance(ids, ArrowTexts) and (numbers := parse_shared_numbers(ids, shared)) is not None:
        places = np.int32 if len(ids) < 2**31 else np.intp  # half the room
        return _drop_identity_order(np.argsort(numbers, kind="stable").astype(places))
    rest = [text.removeprefix(shared) for text in ids]
    if not all(map(_NUMBER.fullmatch, rest)):
        return None
    if all(map(str.isdecimal, rest)):
        order = sorted(range(len(rest)), key=list(map(int, rest)).__getitem__)
    else:
        order = sorted(range(len(rest)), key=list(map(float, rest)).__getitem__)
    return _drop_identity_order(np.array(order, dtype=np.intp))


def _drop_identity_order(found: Index) -> Index | None:
    return None if np.array_equal(found, np.arange(len(found))) else found


def encode(texts: Any) -> Codes:
    """Encode a column without nulls as codes with sorted labels."""
    labels, code = encode_texts(texts)
    order = sorted(range(len(labels)), key=labels.__getitem__)
    rank = np.empty(len(labels), dtype=np.int64)
    rank[order] = np.arange(len(labels))
    return Codes(tuple(labels[i] for i in order), rank[code] if len(code) else code)


def sort_codes_by_number(found: Codes | None) -> Codes | None:
    """Sort codes by the numbers that their labels end in: fold 2 before fold 10.

    >>> sort_codes_by_number(Codes(("1", "10", "2"), np.array([0, 1, 2])))
    Codes(labels=('1', '2', '10'), code=array([0, 2, 1]))
    """
    order = None if found is None else order_by_number(found.labels)
    if found is None or order is None:
        return found
    return Codes(tuple(found.labels[place] for place in order), np.argsort(order)[found.code])


def encode_segment(table: FileTable, request: SegmentRequest, rows: Index) -> Codes:
    """Encode the slices of one column on some rows; rows without a value form their own slice.

    Bins come in the order of their edges, empty ones included; the missing come last. Numbers
    without bins are codes where few whole ones occur, in their order.
    """
    if request.bins is not None:
        return _bin_segment_column(table, request.column, request.bins, rows)
    if table.holds_numbers(request.column):
        return _whole_numbers(table, request, rows)
    texts = take_rows(table.texts(request.column), rows)
    found = encode(pc.fill_null(texts, MISSING_LABEL) if texts.null_count else texts)
    labels = order_segment_labels(table.shown, request, found.labels, is_of_numbers=False)
    rank = {label: place for place, label in enumerate(labels)}
    ranks = np.array([rank[label] for label in found.labels], dtype=np.int64)
    return Codes(labels, ranks[found.code] if len(ranks) else found.code)


def order_segment_labels(
    shown: str, request: SegmentRequest, labels: Collection[str], *, is_of_numbers: bool
) -> tuple[str, ...]:
    """Order the labels of a column's slices, the missing last, and refuse too many.

    >>> request = SegmentRequest("size", None, (), "")
    >>> order_segment_labels("x", request, {"10", "(missing)", "9"}, is_of_numbers=True)
    ('9', '10', '(missing)')
    """
    known = [label for label in labels if label != MISSING_LABEL]
    if request.bins is not None:
        ordered = format_bin_labels(request.bins)
    elif is_of_numbers:
        _refuse_many_numbers(shown, request, len(known))
        ordered = tuple(sorted(known, key=float))
    else:
        if len(labels) > MOST_SEGMENTS:
            raise DataError(
                f"{shown}: segment column {quote(request.column)} has {len(labels)} "
                f"different values; at most {MOST_SEGMENTS} are allowed"
            )
        ordered = tuple(sorted(known))
    return (*ordered, MISSING_LABEL) if MISSING_LABEL in labels else ordered


def _whole_numbers(table: FileTable, request: SegmentRequest, rows: Index) -> Codes:
    values = table.numbers(request.column)[rows]
    is_missing = np.isnan(values)
    found, code = np.unique(values[~is_missing], return_inverse=True)
    is_whole = bool((found == np.floor(found)).all() and (np.abs(found) <= LARGEST_CODE).all())
    _refuse_many_numbers(table.shown, request, len(found), is_whole=is_whole)
    codes = np.full(len(values), len(found), dtype=np.int64)
    codes[~is_missing] = code.reshape(-1)
    labels = tuple(f"{value:.0f}" for value in found + 0.0)  # no minus before zero
    return Codes((*labels, MISSING_LABEL) if is_missing.any() else labels, codes)


def _refuse_many_numbers(
    shown: str, request: SegmentRequest, count: int, *, is_whole: bool = True
) -> None:
    if not is_whole or count > MOST_CODES:
        what = "" if is_whole else ", not all of them whole codes"
        text = (
            f"segment column {quote(request.column)} of {shown} holds "
            f"{count:,} different numbers{what}: give `bins:`; only up to "
            f"{MOST_CODES} whole numbers are segments by themselves"
        )
        raise ConfigError([Problem(text, request.at)])


def encode_times(table: FileTable, name: str, rows: Index) -> Times:
    """Encode times by their order: 0 for the earliest; equal times share a number.

    Numbers are ordered by size, and are dates if each is one by its eight digits, as 20260331;
    texts must be ISO 8601 dates or times, years or months.
    """
    if table.holds_numbers(name):
        values = table.ordered_numbers(name)[0][rows]
        different, place = np.unique(values, return_inverse=True)
        dates = [_parse_date(number) for number in different]
        known_dates = [date for date in dates if date is not None]
        is_dated = len(known_dates) == len(dates)
        return Times(place.reshape(-1).astype(np.int64), known_dates if is_dated else different)
    labels, code = encode_texts(take_rows(table.texts(name), rows))
    moments = [_parse_time(label) for label in labels]
    wrong = [i for i, moment in enumerate(moments) if moment is None]
    if wrong:
        bad = rows[code == wrong[0]]
        raise DataError(
            f"{table.shown}: time column {name!r} has neither numbers nor ISO 8601 dates: "
            f"{quote_value(labels[wrong[0]])} at {table.where(bad[:1])} "
            f"({format_count(int(np.isin(code, wrong).sum()), 'such value')} of {len(code)}); "
            "write YYYY-MM-DD"
        )
    known = sorted({moment for moment in moments if moment is not None})
    rank = {moment: i for i, moment in enumerate(known)}
    ranks = np.array([rank[moment] for moment in moments if moment is not None], dtype=np.int64)
    return Times(ranks[code] if len(code) else code, known)


def format_bin_labels(edges: tuple[float, ...]) -> tuple[str, ...]:
    """Name the bins between edges.

    >>> format_bin_labels((0, 10, 50, float("inf")))
    ('[0, 10)', '[10, 50)', '[50, ∞)')
    >>> format_bin_labels((0, 0.5, 1))
    ('[0, 0.5)', '[0.5, 1]')
    """
    names = [_format_edge(edge) for edge in edges]
    last = len(edges) - 2
    return tuple(
        ("(" if np.isinf(edges[i]) else "[")
        + f"{low}, {high}"
        + ("]" if i == last and not np.isinf(edges[i + 1]) else ")")
        for i, (low, high) in enumerate(pairwise(names))
    )


def _bin_segment_column(
    table: FileTable, name: str, edges: tuple[float, ...], rows: Index
) -> Codes:
    values = table.numbers(name)[rows]
    is_missing = np.isnan(values)
    outside = ~is_missing & ((values < edges[0]) | (values > edges[-1]))
    if outside.any():
        first = int(np.flatnonzero(outside)[0])
        raise DataError(
            f"{table.shown}: segment column {name!r} has "
            f"{format_count(int(outside.sum()), 'value')} outside its bins, "
            f"{_format_edge(edges[0])} to {_format_edge(edges[-1])} (first "
            f"{mask_value(_format_edge(values[first]))} at "
            f"{table.where(rows[first : first + 1])}); widen `bins:`, -.inf and .inf are allowed"
        )
    labels = format_bin_labels(edges)
    code = np.searchsorted(np.array(edges), values, side="right") - 1
    code = np.minimum(code, len(labels) - 1)
    if is_missing.any():
        code[is_missing] = len(labels)
        labels = (*labels, MISSING_LABEL)
    return Codes(labels, code.astype(np.int64))


def _format_edge(value: float) -> str:
    if np.isinf(value):
        return "∞" if value > 0 else "−∞"
    return f"{value:.15g}"


def _parse_date(number: float) -> datetime | None:
    """Parse a date of eight digits, from the year 1900 to 2199."""
    if not 19000101 <= number <= 21991231:
        return None
    try:
        return datetime.strptime(f"{number:.15g}", "%Y%m%d").replace(tzinfo=UTC)
    except ValueError:
        return None


def is_iso_time(text: str) -> bool:
    """Return whether a text is a date or time of ISO 8601, and no bare number."""
    return "-" in text and _parse_time(text) is not None


def _parse_time(text: str) -> datetime | None:
    """Parse a date, time, month or year; without a zone it is taken as universal time."""
    bare = text.strip()
    if len(bare) > LONGEST_TIME:  # Python would read the beginning of some
        return None
    for candidate in (bare, f"{bare}-01", f"{bare}-01-01"):
        try:
            moment = datetime.fromisoformat(candidate)
        except ValueError:
            continue
        return moment if moment.tzinfo else moment.replace(tzinfo=UTC)
    return None
