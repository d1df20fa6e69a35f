"""Ways to choose a shift, in words."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from reportgen.results import Scalar
from reportgen.wording.asymmetries import ALPHA
from reportgen.wording.costs import CostTerms
from reportgen.wording.numbers import count, form_of, level

Row = Mapping[str, Scalar]
METHODS = {
    "none": "as it is",
    "optimal": "best constant",
    "fitted": "fitted constant",
    "polynomial": "fitted polynomial",
    "soft": "own density",
}
FEASIBLE = tuple(method for method in METHODS if method != "optimal")


def method(row: Row) -> str:
    """A way to shift, with the degree of a polynomial.

    >>> method({"method": "polynomial", "degree": 2}), method({"method": "none", "degree": 0})
    ('fitted polynomial, degree 2', 'as it is')
    """
    name = METHODS[str(row["method"])]
    return f"{name}, degree {row['degree']}" if row["method"] == "polynomial" else name


def cheapest(rows: Iterable[Row]) -> Row | None:
    """The way that costs least of those that can be put to use, by the estimates."""
    known = [row for row in rows if row["method"] in FEASIBLE and row["cost"] is not None]
    return min(known, key=lambda row: _number(row["cost"]), default=None)


def cheapest_way(row: Row, terms: CostTerms) -> str:
    """Who with what, in a few words: for the title of a figure."""
    how = " as it is" if row["method"] == "none" else f" with its {METHODS[str(row['method'])]}"
    return f"{terms.label(row['model'])}{how}"


def ways(rows: Iterable[Row], terms: CostTerms) -> tuple[str, ...]:
    """Two sentences of one asymmetry: the cheapest way, and how it compares with the best constant.

    The second follows from the interval of the gap.
    """
    best = cheapest(rows)
    if best is None:
        return ()
    cost, reach = _quoted(best, "cost", terms)
    first = (
        f"At {ALPHA.place(_number(best['alpha']))}, of the ways that can be put to use "
        f"{cheapest_way(best, terms)} costs least: {cost} per {count(terms.cases)} cases "
        f"({level(terms.level)} interval {reach})."
    )
    return first, _against_best(best, terms)


def _against_best(row: Row, terms: CostTerms) -> str:
    low, high = row["gap_low"], row["gap_high"]
    value, reach = _quoted(row, "gap", terms, is_size=True)
    than = "the best constant for these rows, which nobody knows beforehand"
    if isinstance(high, float) and high < 0:
        return f"That is {value} less than with {than} ({reach})."
    if isinstance(low, float) and low > 0:
        return f"That is {value} more than with {than} ({reach})."
    return f"It is not told from {than}: the difference is {_signed(row, terms)}."


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
