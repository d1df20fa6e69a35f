"""Checks of names: of predicted classes, of documents and queries, and of units in folds."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from reportgen.checks.check import UNSEEN, Numbers, Read, check
from reportgen.checks.inputs import OfModel
from reportgen.text import simplify_class


@dataclass(frozen=True)
class NamedClasses:
    """How many rows are of each class, and how many a model predicts as each."""

    rows: Mapping[str, int]
    predicted: Mapping[str, int]


class NamesSubject(OfModel):
    """A model that names classes, or lists documents of queries.

    `answered` counts the queries that it lists documents for, of `queries`.
    """

    classes: Read[NamedClasses] = UNSEEN
    answered: Read[int] = UNSEEN
    queries: int = 0


class SplitUnitsSubject(OfModel):
    """Units of a column, of which `crossing` have rows in several folds of one round."""

    what: str
    crossing: Read[int] = UNSEEN
    units: int = 0


@check("W303", NamesSubject)
def find_labels(classes: NamedClasses, *, unseen: float, rows: int) -> Numbers | None:
    """Find predicted classes that no row has: misspelt ones, or nearly all."""
    known = [name for name, count in classes.rows.items() if count]
    if len(known) < 2:
        return None
    strange = {k: n for k, n in classes.predicted.items() if n and not classes.rows.get(k)}
    plain = {simplify_class(name): name for name in known}
    total = sum(classes.predicted.values())
    near = {name: plain[simplify_class(name)] for name in strange if simplify_class(name) in plain}
    if near:
        # Imported here, since the names of checks must not wait for files.
        from reportgen.data.names import describe_difference, find_match

        written, name = next(iter(near.items()))
        loose = find_match([written], [name])
        return {
            "written": written,
            "class": name,
            "count": sum(strange[each] for each in near),
            "of": total,
            "more": len(near) - 1,
            "difference": describe_difference(written, name) if loose else "",
        }
    if total < rows or sum(strange.values()) < unseen * total:
        return None
    return {
        "written": next(iter(strange)),
        "class": "",
        "count": sum(strange.values()),
        "of": total,
        "more": len(strange) - 1,
        "difference": "",
    }


@check("W313", NamesSubject)
def find_unmatched(answered: int, queries: int, *, share: float) -> Numbers | None:
    """Find that a model lists no document for many queries."""
    if queries - answered < share * queries:
        return None
    return {"lacking": queries - answered, "queries": queries}


@check("W320", SplitUnitsSubject)
def find_split_units(crossing: int, units: int, what: str, *, share: float) -> Numbers | None:
    """Find units with rows in several folds of a round: models were fitted on some of them."""
    if crossing < max(share * units, 1):
        return None
    return {"crossing": crossing, "units": units, "share": crossing / units, "what": what}
