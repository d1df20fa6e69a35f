"""Find names that differ only in spelling, or give them one spelling."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any
from unicodedata import normalize

import pyarrow as pa
import pyarrow.compute as pc

from reportgen.data.arrow import TEXT, Index, build_texts, convert_positions, take_rows
from reportgen.records import record


def _replace(pattern: str, kept: str) -> Callable[[Any], Any]:
    return lambda texts: pc.replace_substring_regex(texts, pattern, kept)


WAYS: Mapping[str, Callable[[Any], Any]] = {
    "Unicode form": lambda texts: pc.utf8_normalize(texts, form="NFC"),
    "blanks at the ends": pc.utf8_trim_whitespace,
    "upper and lower case": pc.utf8_lower,
    "a time of midnight": _replace(
        r"^(\d{4}-\d\d-\d\d)[ Tt]00:00(:00(\.0+)?)?([Zz]|\+00:00)?$", r"\1"
    ),
    "a trailing .0": _replace(r"^([+-]?\d+)\.0+$", r"\1"),
    "leading zeros": _replace(r"^([+-]?)0+(\d+)$", r"\1\2"),
}
"""Each way in which spellings of one name may differ, with the function that removes it."""


def normalize_names(texts: Any, without: str = "") -> Any:
    """Normalize the spelling of an array of names, in every way but `without`.

    >>> normalize_names(pa.array(["Cat ", "007", "7.0", "2024-03-01 00:00:00"])).to_pylist()
    ['cat', '7', '7', '2024-03-01']
    """
    for way, remove in WAYS.items():
        if way != without:
            texts = remove(texts)
    return texts


def describe_difference(one: str, other: str) -> str:
    """Describe how two names differ that `normalize_names` makes equal.

    >>> describe_difference("Cat ", "cat"), describe_difference("07", "7")
    ('blanks at the ends, upper and lower case', 'leading zeros')
    """
    pair = build_texts([one, other])
    parts = [normalize_names(pair, way) for way in WAYS]
    return ", ".join(
        way for way, (first, second) in zip(WAYS, parts, strict=True) if first != second
    )


def find_pattern_columns(
    pattern: str, values: Sequence[str], columns: Iterable[str]
) -> dict[str, str]:
    """Map each class to the one column that differs from the pattern only in spelling.

    >>> find_pattern_columns("p_{class}", ["cat", "7", "ox"], ["P_Cat ", "p_7.0", "p_OX", "p_Ox"])
    {'cat': 'P_Cat ', '7': 'p_7.0'}
    """
    head, _, tail = (_simplify(part) for part in pattern.partition("{class}"))
    middles: dict[str, str] = {}
    for column in columns:
        text = _simplify(column).strip()
        if len(text) > len(head + tail) and text.startswith(head) and text.endswith(tail):
            middles[column] = text[len(head) : len(text) - len(tail)]
    keys = normalize_names(build_texts([*values, *middles.values()])).to_pylist()
    by_key: dict[str, list[str]] = {}
    for column, key in zip(middles, keys[len(values) :], strict=True):
        by_key.setdefault(key, []).append(column)
    near = {value: by_key.get(key, []) for value, key in zip(values, keys, strict=False)}
    return {value: names[0] for value, names in near.items() if len(names) == 1}


def _simplify(text: str) -> str:
    return normalize("NFC", text).lower()


@record
class Spellings:
    """One spelling for each normalized name: the first of those that are alike."""

    normal: Any
    spelled: Any

    @classmethod
    def from_texts(cls, texts: Any, declared: Iterable[str] = ()) -> Spellings:
        """Spell names as declared, else as most of the texts do, else as the first by letters."""
        known = pc.value_counts(texts.drop_null())
        table = pa.table({"text": known.field("values"), "count": known.field("counts")})
        table = table.sort_by([("count", "descending"), ("text", "ascending")])
        found = table.column("text").cast(TEXT).chunks
        spelled = pa.concat_arrays([build_texts(declared), *found])
        return cls(normalize_names(spelled), spelled)

    def find(self, texts: Any) -> Index:
        """Find the place of each text's spelling, -1 where it has none."""
        return convert_positions(pc.index_in(normalize_names(texts), value_set=self.normal))

    def apply(self, texts: Any) -> Any:
        """Replace each text by its spelling; a text without one stays."""
        at = pc.index_in(normalize_names(texts), value_set=self.normal)
        return pc.if_else(pc.is_valid(at), self.spelled.take(at), texts)

    def spell(self, texts: Sequence[str]) -> list[str]:
        """Replace each name by its spelling; a name without one stays."""
        spelled: list[str] = self.apply(build_texts(texts)).to_pylist()
        return spelled


def find_twins(texts: Any) -> tuple[str, str] | None:
    """Find the first two names in an array that differ only in spelling.

    >>> find_twins(pa.array(["dog", "Cat", "cat "])), find_twins(pa.array(["dog", "cat"]))
    (('Cat', 'cat '), None)
    """
    names = pc.unique(texts).drop_null()
    normal = normalize_names(names)
    if len(pc.unique(normal)) == len(names):
        return None
    first: dict[str, str] = {}
    for name, key in zip(names.to_pylist(), normal.to_pylist(), strict=True):
        if first.setdefault(key, name) != name:
            return first[key], name
    return None


def find_match(wrong: Sequence[str], names: Iterable[str]) -> tuple[str, str] | None:
    """Find the first wrong name that differs from one of the names only in spelling."""
    spellings = Spellings.from_texts(build_texts([]), names)
    at = spellings.find(build_texts(wrong))
    for name, place in zip(wrong, at.tolist(), strict=True):
        if place >= 0:
            return name, str(spellings.spelled[place])
    return None


def suggest_loose(one: str, other: str, dataset: str) -> str:
    """Suggest `match: loose` for two names that differ only in spelling, without showing them.

    >>> suggest_loose("Cat ", "Cat", "test")
    'differ only in blanks at the ends: write `match: loose` under datasets.test if they are the \
same'
    """
    return (
        f"differ only in {describe_difference(one, other)}: write `match: loose` under "
        f"datasets.{dataset} if they are the same"
    )


OTHERWISE = ", `match: exact` if not"


def find_near_rows(texts: Any, rows: Index, known: Any) -> tuple[Index, str, str] | None:
    """Find the rows whose names differ only in spelling from known ones, and one such pair."""
    spellings = Spellings(normalize_names(known), known)
    some = take_rows(texts, rows)
    at = spellings.find(some)
    near = (at >= 0).nonzero()[0]
    if not len(near):
        return None
    first = int(near[0])
    return rows[near], str(some[first]), str(known[int(at[first])])
