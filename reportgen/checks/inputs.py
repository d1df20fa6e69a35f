"""Checks of the input: whether the data, or a model, support a judgement at all.

A rule stands under the code that `INPUT_CHECKS` of terms.py has under its name. Among the numbers
that it returns, `metrics` may list the kinds of metrics that it is about; without them it is about
all.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

from reportgen.checks.check import UNSEEN, Numbers, Read, Subject, check
from reportgen.records import record
from reportgen.text import simplify_class

UnitKind = Literal["row", "cluster", "query", "time", "fold", "dataset"]


class OfData(Subject):
    """Base of what checks read of all rows and models of a data set."""


class OfModel(Subject):
    """Base of what checks read of one model."""


class DataSubject(OfData):
    """The rows of a data set.

    `units` counts what varies between resamples. `class_rows` counts the rows of each class by its
    value; it is empty where the target is no single class.
    """

    rows: int
    units: Mapping[UnitKind, int]
    class_rows: Mapping[str, int]
    is_constant: Read[bool] = UNSEEN


class ScoreSubject(OfModel):
    """The scores of one model on the rows of a data set.

    `distinct` counts the scores that differ; `twin` is an earlier model with the same scores, "" if
    none has. A `predicted` class takes the place of scores.
    """

    rows: int
    predicted: bool = False
    distinct: Read[int] = UNSEEN
    twin: Read[str] = ""


@check("W306", DataSubject)
def find_one_class(is_constant: bool) -> Numbers | None:
    """Find a target that has one value."""
    return {} if is_constant else None


@check("W307", DataSubject)
def find_too_few(
    units: Mapping[UnitKind, int],
    class_rows: Mapping[str, int],
    *,
    row: int,
    group: int,
    fold: int,
    dataset: int,
    rarer: int,
) -> Numbers | None:
    """Find units too few for an interval, or rows of a class too few to rank or to decide on."""
    fewest = {"row": row, "fold": fold, "dataset": dataset}
    fewest |= dict.fromkeys(("cluster", "query", "time"), group)
    for unit, count in units.items():
        if count < fewest[unit]:
            return {"unit": unit, "count": count, "fewest": fewest[unit]}
    if len(class_rows) == 2:
        rarest = min(class_rows, key=lambda name: class_rows[name])
        if 0 < class_rows[rarest] < rarer:
            count = class_rows[rarest]
            of = {"class": rarest, "metrics": "order decision"}
            return {"unit": "class", "count": count, "fewest": rarer, **of}
    return None


@check("W318", ScoreSubject)
def find_constant(distinct: int, rows: int, predicted: bool, *, fewest: int) -> Numbers | None:
    """Find a model that gives every row the same score, or predicts one class for all."""
    if distinct != 1 or rows < fewest:
        return None
    return {"predicted": True} if predicted else {}


@check("W319", ScoreSubject)
def find_identical(twin: str, distinct: int, *, fewest: int) -> Numbers | None:
    """Find a model that has the scores of another."""
    return {"other": twin} if twin and distinct >= fewest else None


@record
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
