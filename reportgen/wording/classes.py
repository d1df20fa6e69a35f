"""Sentences about classes: what is shown of which, and what is taken for what."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from reportgen.results import DatasetInfo
from reportgen.wording.names import Case, listed, name
from reportgen.wording.numbers import count, percent

MOST = 6


@dataclass(frozen=True)
class Words:
    """What the classes of a target are called: one, several, and means over them."""

    one: str
    many: str
    averages: Mapping[str, str]


AVERAGES: Mapping[str, str] = {
    "macro": "Mean of the classes",
    "weighted": "Weighted by rows",
    "micro": "All rows together",
    "macro_pr": "F of mean precision and recall",
    "ovr": "Mean of the classes",
    "ovr_weighted": "Weighted by rows",
    "ovo": "Mean of pairs",
    "ovo_weighted": "Pairs weighted by rows",
}
"""What a mean over classes is called in a report."""
CLASSES = Words("class", "classes", AVERAGES)
LABELS = Words(
    "label",
    "labels",
    {
        "macro": "Mean of the labels",
        "weighted": "Weighted by rows",
        "micro": "All labels together",
        "samples": "Mean of the rows",
    },
)


def words_of(dataset: DatasetInfo) -> Words:
    """Classes, of which a row has one, or labels, of which it may have any number."""
    return CLASSES if dataset.labels_per_row is None else LABELS


def shown(
    label: str,
    against: str,
    metric: str,
    by_verdict: Mapping[str, Sequence[str]],
    classes: int,
    words: Words = CLASSES,
    *,
    left_out: int = 0,
) -> str:
    """On which of the classes that could be judged a candidate is shown better or worse.

    `left_out` counts those that could not: they have too few rows, or none.

    >>> shown("B", "A", "F", {"better": ["cat"], "worse": []}, 3)
    'B is shown better than A in F on cat; no difference is shown on the other 2 classes.'
    >>> shown("B", "A", "F", {"better": [], "worse": []}, 3)
    'No class of 3 shows a difference in F between B and A.'
    >>> shown("B", "A", "F", {"better": [], "worse": []}, 1, left_out=2)
    'The one class that could be judged shows no difference in F between B and A.'
    >>> shown("B", "A", "F", {"better": ["cat", "dog"], "worse": []}, 2, left_out=1)
    'B is shown better than A in F on each of the 2 classes that could be judged, of 3.'
    >>> shown("B", "A", "F", {"better": ["cat"], "worse": ["dog"]}, 3, left_out=1)
    ... # doctest: +NORMALIZE_WHITESPACE
    'B is shown better than A in F on cat and worse on dog; no difference is shown on the other
    class that could be judged.'
    """
    better, worse = by_verdict["better"], by_verdict["worse"]
    judged = f"the {count(classes, words.one, words.many)} that could be judged"
    if not better and not worse:
        no = f"No {words.one} of {classes}"
        if left_out:
            is_one = classes == 1
            no = f"The one {words.one} that could be judged" if is_one else f"None of {judged}"
            verb = "shows no" if is_one else "shows a"
            return f"{no} {verb} difference in {metric} between {label} and {against}."
        return f"{no} shows a difference in {metric} between {label} and {against}."
    every = f"every {words.one}"
    if left_out:
        which = f"each of {judged}" if classes > 1 else f"the one {words.one} that could be judged"
        every = f"{which}, of {classes + left_out}"
    said: list[str] = []
    for verb, names in (("better", better), ("worse", worse)):
        if names:
            of = every if len(names) == classes else _some(names)
            whom = "" if said else f" than {against} in {metric}"
            said.append(f"{verb}{whom} on {of}")
    rest = classes - len(better) - len(worse)
    end = ""
    if rest:
        others = words.one if rest == 1 else f"{count(rest)} {words.many}"
        end = f"; no difference is shown on the other {others}"
        end += " that could be judged" if left_out else ""
    return f"{label} is shown {' and '.join(said)}{end}."


def _some(names: Sequence[str]) -> str:
    more = len(names) - MOST
    return f"{', '.join(names[:MOST])} and {more} more" if more > 0 else listed(list(names))


def too_few(names: Sequence[str], case: Case) -> str:
    """Which classes are too small to judge."""
    return f"Too few {name(case[1])} to judge: {_some(names)}."


def untold(names: Sequence[str], words: Words = CLASSES) -> str:
    """Of which classes the number of rows is not told.

    >>> untold(["dodo", "moa"])
    'How many rows are of a class is not told of dodo and moa: too few are of one of them.'
    """
    if words is LABELS:
        return (
            f"How many rows have a label is not told of {_some(names)}: too few have one of them."
        )
    return (
        f"How many rows are of a class is not told of {_some(names)}: too few are of one of them."
    )


def absent(names: Sequence[str], case: Case, words: Words = CLASSES) -> str:
    """Which classes have no rows.

    >>> absent(["dodo"], ("row", "rows"), LABELS)
    'No row has the label dodo; macro averages leave it out.'
    """
    if words is LABELS:
        return f"No {name(case[0])} has the label {_some(names)}; macro averages leave it out."
    return f"No {name(case[0])} is of class {_some(names)}; macro averages leave it out."


def label_errors(
    label: str, missed: tuple[str, float] | None, vain: tuple[str, float] | None, case: Case
) -> str:
    """Which label a model misses most often, and which it calls in vain.

    >>> label_errors("A", ("cat", 0.906), ("dog", 0.79), ("row", "rows"))
    'A misses cat most often, on 91% of the rows with it, and errs most where it calls dog: 79%.'
    """
    said: list[str] = []
    if missed is not None:
        of = f"{percent(missed[1])} of the {name(case[1])} with it"
        said.append(f"misses {missed[0]} most often, on {of}")
    if vain is not None:
        said.append(f"errs most where it calls {vain[0]}: {percent(vain[1])}")
    return f"{label} {', and '.join(said)}." if said else ""


def calls_of(label: str, point: str, is_weighted: bool, case: Case) -> str:
    """What a table of the calls of labels holds."""
    where = f" at {name(point, 40)}" if point else ""
    what = f"the weight of {name(case[1])}" if is_weighted else name(case[1])
    return (
        f"Calls of {label}{where}: {what} with each label, called so, rightly, in vain and not. "
        "Shares are of the calls, of what is missed of those with the label."
    )


NOT_TOLD = "not told"
HIDDEN = (
    "A blank cell holds nothing, or is not told: see Privacy under Method. Shares are of what is "
    "told."
)


def reading(case: Case, counts: str) -> str:
    """How a confusion matrix is read."""
    rows = name(case[1])
    said = f"Rows are what {rows} are, columns what they are called; the diagonal is right."
    more = f", {counts}" if counts else ""
    return f"{said} The shade is the share of the row{more}."


def others(number: int) -> str:
    """What the classes that share one row and one column of a matrix are called.

    >>> others(21)
    '21 others'
    """
    return f"{number} others"


def joined(title: str) -> str:
    """Which classes share a row and a column.

    >>> joined("21 others")
    'The 21 others are the classes of which fewest rows are, taken together.'
    """
    return f"The {title} are the classes of which fewest rows are, taken together."


def most(label: str, cells: Sequence[tuple[str, str, float]], has_hidden: bool = False) -> str:
    """The most frequent confusion of a model.

    >>> most("Forest", [("8", "1", 0.052)])
    'Forest takes 8 for 1 most often by number: 5.2% of them.'
    """
    if not cells:
        if has_hidden:
            return f"Which classes {label} takes for others is not told."
        return f"{label} takes no class for another."
    [(is_, called, share)] = cells
    return f"{label} takes {is_} for {called} most often by number: {percent(share)} of them."


def moved(
    label: str, against: str, cells: Sequence[tuple[str, str, float]], has_hidden: bool = False
) -> str:
    """What is shown to differ between two confusion matrices, some of whose cells may be hidden."""
    wrong = [(is_, called, d) for is_, called, d in cells if is_ != called]
    if not cells:
        which = "confusion that is told" if has_hidden else "confusion"
        return f"No {which} is shown to differ between {label} and {against}."
    if not wrong:
        names = [is_ for is_, _, _ in cells]
        return f"{label} and {against} differ on how much of {_some(names)} is called right."
    each = [f"{is_} for {called} {'more' if d > 0 else 'less'} often" for is_, called, d in wrong]
    return f"{label} takes {_some(each)} than {against}."


def difference_reading(label: str, against: str, level: str) -> str:
    """How the difference of two confusion matrices is read."""
    return (
        f"{label} less {against}, percentage points of each row. In the colour of {label}: better, "
        "more on the diagonal or less beside it; in rust: worse. A dot stands where the "
        f"{level} interval, allowing for all cells, leaves out zero."
    )


def worst(
    shown: int, of: int, case: Case, has_hidden: bool = False, *, is_weighted: bool = False
) -> str:
    """What the list of confusions holds; of some that are not told no more can be said."""
    rows = f"weight of {name(case[1])}" if is_weighted else name(case[1])
    which = f"The {shown} most frequent of {of} confusions" if of > shown else "All confusions"
    return f"{which}{' that are told' * has_hidden}: {rows}, and the share of the class under them."
