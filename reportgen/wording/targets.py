"""What the values of a target are: shares of zeros of an amount, of ones of two classes."""

from __future__ import annotations

from collections.abc import Sequence

from reportgen.results import ClassInfo, ColumnProfile, DatasetInfo
from reportgen.wording.names import ROWS, Case, capital, name
from reportgen.wording.numbers import count, form_of, percent


def positive(dataset: DatasetInfo) -> str:
    """What rows of the upper of two classes are: `positive`, or `of class left`."""
    return f"of class {name(dataset.classes[-1].name, 40)}" if dataset.classes else "positive"


def zeros(column: ColumnProfile, classes: Sequence[ClassInfo] = ()) -> str:
    """How many values are zero, or of 0 and 1 how many are one: `86% zeros`, `14% ones`."""
    if column.is_flag:
        of = name(classes[-1].name, 40) if classes else "ones"
        return f"{percent(1 - column.zeros / column.n)} {of}"
    return f"{percent(column.zeros / column.n)} zeros"


def labelled(dataset: DatasetInfo) -> str:
    """Which rows have a class, where some have none."""
    many = name(dataset.case[1])
    known = count(dataset.n - (dataset.unlabelled or 0))
    return (
        f"The class of {known} of {count(dataset.n)} {many} is known: of those that a model calls."
    )


def target_values(
    column: ColumnProfile, case: Case = ROWS, classes: Sequence[ClassInfo] = ()
) -> str:
    """The same as a sentence, with the share of pairs of rows that are tied."""
    share, tied = column.zeros / column.n, percent(column.tied_pairs)
    if column.is_flag:
        low, high = (name(each.name, 40) for each in classes) if classes else ("0", "1")
        on = f"on {percent(1 - share)} of the {name(case[1])}"
        return f"The target is {high} {on} and {low} on the others."
    return f"{percent(share)} of the target are zero; {tied} of its pairs are tied."


def classes_of(dataset: DatasetInfo) -> str:
    """How many classes the target has, the largest and the smallest that has rows."""
    held = sorted((each for each in dataset.classes if each.n), key=lambda each: -each.n)
    if dataset.labels_per_row is not None:
        return _labels_of(dataset, [(name(each.name, 40), each.n) for each in held])
    said = count(len(dataset.classes), "class", "classes")
    if any(each.is_hidden for each in dataset.classes):
        said += ", some with too few rows to tell how many"
    if not held:
        return f"{said}." if "," in said else f"{said}, none with rows."
    ends = [f"{name(each.name, 40)} ({count(each.n)})" for each in (held[0], held[-1])]
    return f"{said}; the largest is {ends[0]}, the smallest {ends[1]}."


def _labels_of(dataset: DatasetInfo, held: Sequence[tuple[str, int]]) -> str:
    """How many labels there are and a row has, the most frequent and the rarest."""
    said = count(len(dataset.classes), "label")
    if any(each.is_hidden for each in dataset.classes):
        return f"{said}, some on too few rows to tell how many."
    if not held or dataset.labels_per_row is None:
        return f"{said}, which no {name(dataset.case[0])} has."
    ends = [f"{label} ({count(n)})" for label, n in (held[0], held[-1])]
    mean, least, most = dataset.labels_per_row
    each = f"a {name(dataset.case[0])} has {form_of(mean, None, None).number(mean)} on average"
    between = f"{count(least)} to {count(most)}"
    return f"{said}; {each}, {between}. The most frequent is {ends[0]}, the rarest {ends[1]}."


def counts(column: ColumnProfile, case: Case) -> str:
    """How many of something each row has: on average, at least and at most; and how many none."""
    one, many = map(name, case)
    what, form = name(column.column), form_of(column.mean, None, None)
    ends = [count(end) for end in (column.minimum, column.maximum)]
    said = f"{capital(what)} of a {one}: {form.number(column.mean)} on average, "
    said += ends[0] if ends[0] == ends[1] else f"{ends[0]} to {ends[1]}"
    return f"{said}; {count(column.zeros, one, many)} without any." if column.zeros else f"{said}."
