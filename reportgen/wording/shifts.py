"""Ways to choose a shift, in words."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from reportgen.results import Scalar
from reportgen.wording.asymmetries import ALPHA
from reportgen.wording.costs import CostTerms
from reportgen.wording.names import listed
from reportgen.wording.numbers import form_of, level

Row = Mapping[str, Scalar]
METHODS = {
    "none": "as it is",
    "optimal": "best constant",
    "fitted": "fitted constant",
    "polynomial": "fitted polynomial",
    "surface": "polynomial with α",
    "soft": "own density",
}
FEASIBLE = tuple(method for method in METHODS if method != "optimal")
TAUGHT = ("fitted", "polynomial", "surface")
FLATTERED = (
    "Shifts were fitted on ids that they are judged on: what a fitted shift saves is flattered as "
    "far as their rows are alike."
)
_MOST = 3


def method(row: Row) -> str:
    """A way to shift, with the degree of a polynomial.

    >>> method({"method": "polynomial", "degree": 2}), method({"method": "none", "degree": 0})
    ('fitted polynomial, degree 2', 'as it is')
    """
    name = METHODS[str(row["method"])]
    return f"{name}, degree {row['degree']}" if row["degree"] else name


def cheapest(rows: Iterable[Row]) -> Row | None:
    """The way that costs least of those that can be put to use, by the estimates."""
    known = [row for row in rows if row["method"] in FEASIBLE and row["cost"] is not None]
    return min(known, key=lambda row: _number(row["cost"]), default=None)


def cheapest_way(row: Row, terms: CostTerms) -> str:
    """Who with what, in a few words: for the title of a figure."""
    how = " as it is" if row["method"] == "none" else f" with its {METHODS[str(row['method'])]}"
    return f"{terms.label(row['model'])}{how}"


def level_with(best: Row, rows: Iterable[Row], terms: CostTerms) -> str:
    """The ways that are not told from the cheapest, the next cheapest first; empty if none is."""
    ordered = sorted(_rivals(best, rows), key=lambda row: _number(row["cost"]))
    return listed([cheapest_way(row, terms) for row in ordered], most=_MOST)


def least_title(rows: Sequence[Row], terms: CostTerms, *, is_short: bool = False) -> str:
    """Which way costs least at one asymmetry and what it is level with, for a figure.

    `is_short` where more follows: how many it is level with, not which.
    """
    best = cheapest(rows)
    if best is None:
        return ""
    rivals, many = level_with(best, rows, terms), len(_rivals(best, rows))
    if is_short and many > 1:
        rivals = f"{many} other ways"
    level_too = f", level with {rivals}" if rivals else ""
    at = ALPHA.place(_number(best["alpha"]))
    return f"at {at} {cheapest_way(best, terms)} costs least{level_too}"


def ways(rows: Sequence[Row], terms: CostTerms) -> tuple[str, ...]:
    """Sentences of one asymmetry: the cheapest way, its rivals, and the best constant beside it.

    Each follows from the interval of a paired difference.
    """
    best = cheapest(rows)
    if best is None:
        return ()
    cost, reach = _quoted(best, "cost", terms)
    rivals = level_with(best, rows, terms)
    first = (
        f"At {ALPHA.place(_number(best['alpha']))}, of the ways that can be put to use "
        f"{cheapest_way(best, terms)} costs least: {cost} {terms.per} "
        f"({level(terms.level)} interval {reach}){_saving(best, terms)}."
    )
    second = f"Level with it: {rivals}." if rivals else ""
    return tuple(filter(None, (first, _against_best(best, terms), second)))


def _rivals(best: Row, rows: Iterable[Row]) -> list[Row]:
    return [
        row
        for row in rows
        if row is not best and row["method"] in FEASIBLE and row["cost"] is not None
        and not _number(row["excess_low"]) > 0
    ]  # fmt: skip


def _saving(row: Row, terms: CostTerms) -> str:
    """What the way saves against the baseline as it is."""
    is_baseline = row["model"] == terms.baseline and row["method"] == "none"
    if terms.baseline is None or is_baseline or row["saved"] is None:
        return ""
    baseline = terms.label(terms.baseline)
    if not _number(row["saved_low"]) > 0:
        return f", which is not shown to be less than {baseline} as it is"
    value, reach = _quoted(row, "saved", terms)
    return f", {value} less than {baseline} as it is ({reach})"


def _against_best(row: Row, terms: CostTerms) -> str:
    low, high = row["gap_low"], row["gap_high"]
    value, reach = _quoted(row, "gap", terms, is_size=True)
    than = "the best constant for these rows, which nobody knows beforehand"
    if isinstance(high, float) and high < 0:
        return f"That is {value} less than with {than} ({reach})."
    if isinstance(low, float) and low > 0:
        return f"That is {value} more than with {than} ({reach})."
    return f"Its cost is not told from that with {than}: the difference is {_signed(row, terms)}."


def _signed(row: Row, terms: CostTerms) -> str:
    value, low, high = (_known(row[key]) for key in ("gap", "gap_low", "gap_high"))
    form = form_of(value, low, high, terms.money, (0.0,))
    return f"{form.amount(value, signed=True)} ({form.interval(low, high, signed=True)})"


def _quoted(row: Row, key: str, terms: CostTerms, *, is_size: bool = False) -> tuple[str, str]:
    """A number with its unit, and its interval; of a saving the size of both."""
    value, low, high = (_known(row[name]) for name in (key, f"{key}_low", f"{key}_high"))
    if is_size and value is not None and value < 0:
        value, low, high = (-value, None if high is None else -high, None if low is None else -low)
    form = form_of(value, low, high, terms.money, (0.0,))
    return form.amount(value), form.interval(low, high, signed=(low or 0.0) < 0)


def _known(value: Scalar) -> float | None:
    return float(value) if isinstance(value, int | float) else None


def _number(value: Scalar) -> float:
    return _known(value) or 0.0
