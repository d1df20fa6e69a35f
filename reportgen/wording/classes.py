"""Sentences about classes: what is shown of which, and what is taken for what."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from reportgen.wording.names import Case, listed, name
from reportgen.wording.numbers import percent

OTHER = "other"
MOST = 6
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


def shown(
    label: str, against: str, metric: str, by_verdict: Mapping[str, Sequence[str]], classes: int
) -> str:
    """On which classes a candidate is shown better or worse.

    >>> shown("B", "A", "F", {"better": ["cat"], "worse": []}, 3)
    'B is shown better than A in F on cat, and worse on no class.'
    >>> shown("B", "A", "F", {"better": [], "worse": []}, 3)
    'No class of 3 shows a difference in F between B and A.'
    """
    better, worse = by_verdict["better"], by_verdict["worse"]
    if not better and not worse:
        return (
            f"No class of {classes} shows a difference in {metric} between {label} and {against}."
        )
    if not better:
        return f"{label} is shown worse than {against} in {metric} on {_some(worse, classes)}."
    said = f"{label} is shown better than {against} in {metric} on {_some(better, classes)}"
    return f"{said}, and worse on {_some(worse, classes) if worse else 'no class'}."


def _some(names: Sequence[str], classes: int) -> str:
    if len(names) == classes:
        return "every class"
    more = len(names) - MOST
    return f"{', '.join(names[:MOST])} and {more} more" if more > 0 else listed(list(names))


def too_few(names: Sequence[str], case: Case) -> str:
    """Which classes are too small to judge."""
    return f"Too few {name(case[1])} to judge: {_some(names, 0)}."


def absent(names: Sequence[str], case: Case) -> str:
    """Which classes have no rows."""
    return f"No {name(case[0])} is of class {_some(names, 0)}; means over classes leave it out."


def reading(case: Case, counts: str) -> str:
    """How a confusion matrix is read."""
    rows = name(case[1])
    said = f"Rows are what {rows} are, columns what they are called; the diagonal is right."
    more = f", {counts}" if counts else ""
    return f"{said} The shade is the share of the row{more}."


def most(label: str, cells: Sequence[tuple[str, str, float]]) -> str:
    """The most frequent confusion of a model.

    >>> most("Forest", [("8", "1", 0.052)])
    'Forest takes 8 for 1 most often: 5.2% of them.'
    """
    if not cells:
        return f"{label} takes no class for another."
    [(is_, called, share)] = cells
    return f"{label} takes {is_} for {called} most often: {percent(share)} of them."


def moved(label: str, against: str, cells: Sequence[tuple[str, str, float]]) -> str:
    """What is shown to differ between two confusion matrices."""
    wrong = [(is_, called, d) for is_, called, d in cells if is_ != called]
    if not cells:
        return f"No confusion is shown to differ between {label} and {against}."
    if not wrong:
        names = [is_ for is_, _, _ in cells]
        return f"{label} and {against} differ on how much of {_some(names, 0)} is called right."
    each = [f"{is_} for {called} {'more' if d > 0 else 'less'} often" for is_, called, d in wrong]
    return f"{label} takes {_some(each, 0)} than {against}."


def difference_reading(label: str, against: str, level: str) -> str:
    """How the difference of two confusion matrices is read."""
    return (
        f"{label} less {against}, percentage points of each row. In the colour of {label}: better, "
        "more on the diagonal or less beside it; in rust: worse. A dot stands where the "
        f"{level} interval, allowing for all cells, leaves out zero."
    )


def worst(shown: int, of: int, case: Case) -> str:
    """What the list of confusions holds."""
    rows = name(case[1])
    which = f"The {shown} most frequent of {of} confusions" if of > shown else "All confusions"
    return f"{which}: {rows}, and the share of the class under them."
