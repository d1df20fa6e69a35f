"""How y, the scores and the errors are spread: shares of the weight in bins, zeros apart.

The edges of the bins are round numbers, fixed from the full data: evenly spaced, or, where a tail
is long, about even in ratio (1, 2, 5, 10 …) on both sides of zero. Exact zeros stand in a bin of
their own, so that a bar at zero is never mistaken for a bar near zero.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from reportgen.curves.presentation import Presentation
from reportgen.curves.spec import Trace, curve
from reportgen.kernels.batch import Batch, Column, Index, Matrix, Places, Vector
from reportgen.kernels.cumulative import ratio, weight_up_to
from reportgen.kernels.effective import effective_rows
from reportgen.kernels.walks import Short, short, sums_between, sums_by_bin
from reportgen.rows import Amounts

# Even bins cannot show both ends of data whose largest size is this many times the median size.
LONG_TAIL = 15.0
# Of data that spans more powers of ten than this, the smallest share one bin next to zero.
DECADES = 6
EVEN_BINS = 30
FEW = (1.0, 2.0, 5.0)
MANY = (1.0, 1.5, 2.0, 3.0, 5.0, 7.0)
NOTHING = 1e-290  # what is smaller stands with the zeros: no step between such numbers is left
ROUNDING = 1e-12  # of the size of the errors: a spread below it is none
AT_ONCE = 1 << 16  # values that are put in bins at a time
Pick = Callable[[Amounts], Column]


@dataclass(frozen=True)
class Bins:
    """Bins from low to high: `low` <= value < `high`, the last one with its end; zeros apart.

    `centre` is where each stands, `labels` what to call it. Where `has_zeros`, one bin holds
    exact zeros only: `low`, `high` and `centre` are 0 there and its label is "0".
    """

    low: Vector
    high: Vector
    centre: Vector
    labels: tuple[str, ...]
    has_zeros: bool
    is_log: bool

    def of(self, values: Vector) -> Places | Short:
        """The number of each value's bin."""
        numbers = short(np.zeros(len(values), np.int32), len(self.centre))
        for first in range(0, len(values), AT_ONCE):
            some = slice(first, first + AT_ONCE)
            numbers[some] = self._of_some(values[some])
        return numbers

    def _of_some(self, values: Vector) -> Index:
        is_zeros, values = (self.low == 0) & (self.high == 0), _without_dust(values)
        numbers = np.searchsorted(self.low[~is_zeros][1:], values, side="right")
        if self.has_zeros:
            at = int(np.argmax(is_zeros))
            numbers = np.where(values == 0, at, numbers + (numbers >= at))
        return numbers


def bins_of(values: Vector) -> Bins:
    """Bins for these values: at most 200, empty for no values."""
    values = _without_dust(values)
    size = np.abs(values[values != 0])
    has_zeros = len(size) < len(values)
    is_log = len(size) > 1 and float(size.max()) > LONG_TAIL * float(np.median(size))
    edges = np.empty(0)
    if len(size):
        edges = _log_edges(values, size) if is_log else even_edges(values)
    return _bins(edges, has_zeros, is_log)


def _without_dust(values: Vector) -> Vector:
    return np.where(np.abs(values) < NOTHING, 0.0, values)


def even_edges(values: Vector, most: int = EVEN_BINS) -> Vector:
    """Round edges a round step apart, from below the lowest value to above the highest.

    Between the lowest and the highest value lie about `most` steps, or fewer.

    >>> even_edges(np.array([0.1, 0.7]), most=3)
    array([0. , 0.2, 0.4, 0.6, 0.8])
    """
    low, high = float(values.min()), float(values.max())
    span = (high - low) or abs(high)
    steps = _round_numbers(span / most, span, FEW)
    step = float(steps[np.searchsorted(steps, span / most)])
    first, last = np.floor(low / step), np.floor(high / step)
    return np.asarray(step * np.arange(first, last + 2))


def _log_edges(values: Vector, size: Vector) -> Vector:
    """Edges even in ratio on each side of zero that has values, and at zero between them."""
    top = float(size.max())
    near = max(float(np.quantile(size, 0.01)), top / 10**DECADES)
    steps = _round_numbers(near, top, MANY if top < 1e4 * near else FEW)
    steps = steps[np.searchsorted(steps, near, side="right") - 1 :]
    sides = [
        sign * steps[: np.searchsorted(steps, (sign * values).max(), side="right") + 1]
        for sign in (-1.0, 1.0)
        if (sign * values).max() > 0
    ]
    return np.unique(np.concatenate([np.zeros(1), *sides]))


def _round_numbers(low: float, high: float, digits: tuple[float, ...]) -> Vector:
    """These digits times powers of ten, from below `low` to above `high`."""
    powers = np.arange(np.floor(np.log10(low)) - 1, np.floor(np.log10(high)) + 2)
    return np.outer(10.0**powers, digits).ravel()


def _bins(edges: Vector, has_zeros: bool, is_log: bool) -> Bins:
    low, high = edges[:-1], edges[1:]
    labels = [f"{_short(a)} to {_short(b)}" for a, b in zip(low, high, strict=True)]
    centre = (low + high) / 2
    if has_zeros:
        at = int(np.searchsorted(centre, 0.0, side="left"))
        low, high, centre = (np.insert(ends, at, 0.0) for ends in (low, high, centre))
        labels.insert(at, "0")
    return Bins(low, high, centre, tuple(labels), has_zeros, is_log)


def _short(value: float) -> str:
    return f"{value + 0.0:.6g}".replace("-", "−")


def _shares(pick: Pick, rows: Amounts, batch: Batch) -> Matrix:
    bins, column = _bins_once(pick, rows), pick(rows)
    numbers = rows.once(f"bin numbers of {id(column)}", lambda: bins.of(column.values))
    shares = sums_by_bin(batch, numbers, len(bins.centre))
    return ratio(shares, batch.totals[:, None])


def _bins_once(pick: Pick, rows: Amounts) -> Bins:
    column = pick(rows)
    bins: Bins = rows.once(f"bins of {id(column)}", lambda: bins_of(column.values))
    return bins


def _trace(pick: Pick, rows: Amounts, weight: Vector) -> Trace:
    bins = _bins_once(pick, rows)
    shares = _shares(pick, rows, Batch.of(weight))[0]
    zeros = float(shares[bins.labels.index("0")]) if bins.has_zeros else 0.0
    marks = {"zeros": zeros, "is_log": float(bins.is_log)}
    return Trace(bins.centre, shares, bins.labels, marks)


def _distribution(pick: Pick, what: str) -> dict[str, Any]:
    """What the distributions of y, score and error have in common."""
    return {
        "title": f"Distribution of {what}",
        "task": "regression",
        "x_label": what[0].upper() + what[1:],
        "y_label": "Share of the rows",
        "x_unit": "y",
        "y_unit": "share",
        "bounds": (0.0, 1.0),
        "is_monotone": False,
        "cite": "",
        "exempt_from": {
            "weight 0 = row gone": "the bins are made from every row, whatever it weighs"
        },
        "grid": lambda rows, weight: _bins_once(pick, rows).centre,
        "trace": lambda rows, weight: _trace(pick, rows, weight),
    }


def _y(rows: Amounts) -> Column:
    return rows.y


def _score(rows: Amounts) -> Column:
    return rows.score


def _error(rows: Amounts) -> Column:
    return rows.error


@curve(
    needs="order",
    is_of_target=True,
    shown=Presentation(
        topic="data",
        place=10,
        title="Distribution of {target}",
        x_label="{target}{unit}",
        y_label="share of rows",
        reading="Bars are shares of all rows.",
        drawing="histogram",
    ),
    **_distribution(_y, "y"),
)
def distribution_y(rows: Amounts, batch: Batch, grid: Vector) -> Matrix:
    """Share of the weight in each bin of y; exact zeros have a bin of their own."""
    return _shares(_y, rows, batch)


@curve(
    needs="order",
    shown=Presentation(
        topic="data",
        place=20,
        is_detail=True,
        title="Distribution of the scores",
        x_label="score",
        y_label="share of rows",
        reading="Bars are shares of all rows.",
        drawing="histogram",
    ),
    **_distribution(_score, "the score"),
)
def distribution_score(rows: Amounts, batch: Batch, grid: Vector) -> Matrix:
    """Share of the weight in each bin of the score; exact zeros have a bin of their own."""
    return _shares(_score, rows, batch)


@curve(
    needs="amount",
    shown=Presentation(
        topic="data",
        place=30,
        is_detail=True,
        title="Distribution of the errors",
        x_label="score minus {target}{unit}",
        y_label="share of rows",
        reading="Bars are shares of all rows; right of zero the model predicts too high.",
        drawing="histogram",
    ),
    **_distribution(_error, "the error (score minus y)"),
)
def distribution_error(rows: Amounts, batch: Batch, grid: Vector) -> Matrix:
    """Share of the weight in each bin of the error, score minus y; exact zeros apart."""
    return _shares(_error, rows, batch)


def _density_grid(rows: Amounts, weight: Vector) -> Vector:
    """Places half a kernel's width apart, over all but the outer two percent on each side."""
    column, batch = rows.error, Batch.of(weight)
    up = weight_up_to(batch, column)
    if not len(column) or not up[-1, 0] > 0:
        return np.empty(0)
    ends = column.values[column.order][column.is_last]
    low, q25, q75, high = (
        float(ends[np.searchsorted(up[1:, 0], share * up[-1, 0] * (1 - 1e-12))])
        for share in (0.02, 0.25, 0.75, 0.98)
    )
    centred = column.values - weight @ column.values / weight.sum()
    sd = float(np.sqrt(weight @ centred**2 / weight.sum()))
    spread = min(sd, (q75 - q25) / 1.34) or sd
    if not spread > ROUNDING * max(abs(low), abs(high)):
        return np.empty(0)
    width = max(0.9 * spread * effective_rows(weight) ** -0.2, (high - low) / 90)
    return np.arange(low - 2 * width, high + 2.5 * width, width / 2)


@curve(
    title="Density of the error",
    task="regression",
    needs="amount",
    x_label="Error (score minus y)",
    y_label="Density",
    x_unit="y",
    y_unit="1/y",
    bounds=(0.0, np.inf),
    is_monotone=False,
    cite="doi:10.1016/j.patcog.2013.06.014",
    grid=_density_grid,
    exempt_from={"weight 2 = row twice": "the width of the kernel follows the number of rows"},
    shown=Presentation(
        topic="costs",
        place=60,
        is_detail=True,
        title="Density of the errors",
        x_label="score minus {target}{unit}",
        y_label="density",
        reading="How errors are spread, smoothed; right of zero the model predicts too high.",
    ),
)
def error_density(rows: Amounts, batch: Batch, grid: Vector) -> Matrix:
    """How errors are spread, smoothed: a Normal kernel of Silverman's width, as a density.

    Each error is first shared between two places a sixteenth of that width apart. Undefined if
    all errors are equal.
    """
    if len(grid) < 2:
        return np.full((batch.size, len(grid)), np.nan)
    key = f"density on {grid[0]!r} to {grid[-1]!r} by {len(grid)}"
    places: _Places = rows.once(key, lambda: _Places.of(rows.error.values, grid))
    sums = sums_between(batch, places.between, len(places.kernel) + 2)
    # The first and the last bin lie beyond all kernels.
    density: Matrix = ratio(sums[:, 1:-1], batch.totals[:, None]) @ places.kernel
    return density


@dataclass(frozen=True)
class _Places:
    """Fine places along the errors, `step` apart, and the kernel at each, (places, g)."""

    values: Vector
    first: float
    step: float
    kernel: Matrix

    @classmethod
    def of(cls, values: Vector, grid: Vector) -> _Places:
        """From the errors and the grid, which is half a kernel's width a step."""
        width = 2 * float(grid[1] - grid[0])
        middles = np.arange(grid[0] - 5 * width, grid[-1] + 5 * width, width / 16)
        kernel = np.exp(-(((grid[None, :] - middles[:, None]) / width) ** 2) / 2)
        kernel /= width * np.sqrt(2 * np.pi)
        return cls(values, float(middles[0]), width / 16, kernel)

    def between(self, rows: slice) -> tuple[Places, Vector]:
        """The place left of some rows, -1 before the first, and how far they lie to its right."""
        place = (self.values[rows] - self.first) / self.step
        left = np.clip(np.floor(place), -1, len(self.kernel) - 1)
        return left.astype(np.int32), np.clip(place - left, 0.0, 1.0)
