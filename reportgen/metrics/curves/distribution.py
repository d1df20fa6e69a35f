"""Distributions of y, scores and errors; score densities of both classes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from reportgen.kernels.batch import Batch, Column, Index, Matrix, Places, Vector
from reportgen.kernels.columns import kish_effective_rows
from reportgen.kernels.cumulative import cumulate_weight, divide
from reportgen.kernels.curve_heights import (
    Short,
    compute_bin_sums,
    compute_sums_between,
    shorten_bins,
)
from reportgen.metrics.curves.curve import Presentation, Trace, curve
from reportgen.metrics.rows import Amounts, Classes
from reportgen.records import record

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
ValuePicker = Callable[[Amounts], Column]


@record
class HistogramBins:
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

    def number_bins(self, values: Vector) -> Places | Short:
        """Return the number of each value's bin."""
        numbers = shorten_bins(np.zeros(len(values), np.int32), len(self.centre))
        for first in range(0, len(values), AT_ONCE):
            some = slice(first, first + AT_ONCE)
            numbers[some] = self._number_some(values[some])
        return numbers

    def _number_some(self, values: Vector) -> Index:
        is_zeros, values = (self.low == 0) & (self.high == 0), _zero_tiny_values(values)
        numbers = np.searchsorted(self.low[~is_zeros][1:], values, side="right")
        if self.has_zeros:
            at = int(np.argmax(is_zeros))
            numbers = np.where(values == 0, at, numbers + (numbers >= at))
        return numbers


def choose_bins(values: Vector) -> HistogramBins:
    """Bins for these values: at most 200, empty for no values."""
    values = _zero_tiny_values(values)
    size = np.abs(values[values != 0])
    has_zeros = len(size) < len(values)
    is_log = len(size) > 1 and float(size.max()) > LONG_TAIL * float(np.median(size))
    edges = np.empty(0)
    if len(size):
        edges = _log_edges(values, size) if is_log else compute_even_edges(values)
    return _bins(edges, has_zeros, is_log)


def _zero_tiny_values(values: Vector) -> Vector:
    return np.where(np.abs(values) < NOTHING, 0.0, values)


def compute_even_edges(values: Vector, most: int = EVEN_BINS) -> Vector:
    """Round edges a round step apart, from below the lowest value to above the highest.

    Between the lowest and the highest value lie about `most` steps, or fewer.

    >>> compute_even_edges(np.array([0.1, 0.7]), most=3)
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
    """Return these digits times powers of ten, from below `low` to above `high`."""
    powers = np.arange(np.floor(np.log10(low)) - 1, np.floor(np.log10(high)) + 2)
    return np.outer(10.0**powers, digits).ravel()


def _bins(edges: Vector, has_zeros: bool, is_log: bool) -> HistogramBins:
    low, high = edges[:-1], edges[1:]
    labels = [f"{_format_edge(a)} to {_format_edge(b)}" for a, b in zip(low, high, strict=True)]
    centre = (low + high) / 2
    if has_zeros:
        at = int(np.searchsorted(centre, 0.0, side="left"))
        low, high, centre = (np.insert(ends, at, 0.0) for ends in (low, high, centre))
        labels.insert(at, "0")
    return HistogramBins(low, high, centre, tuple(labels), has_zeros, is_log)


def _format_edge(value: float) -> str:
    return f"{value + 0.0:.6g}".replace("-", "−")


def _bin_shares(pick: ValuePicker, rows: Amounts, batch: Batch) -> Matrix:
    bins, column = _bins_once(pick, rows), pick(rows)
    numbers = rows.once(f"bin numbers of {id(column)}", lambda: bins.number_bins(column.values))
    shares = compute_bin_sums(batch, numbers, len(bins.centre))
    return divide(shares, batch.totals[:, None])


def _bins_once(pick: ValuePicker, rows: Amounts) -> HistogramBins:
    column = pick(rows)
    bins: HistogramBins = rows.once(f"bins of {id(column)}", lambda: choose_bins(column.values))
    return bins


def _trace_distribution(pick: ValuePicker, rows: Amounts, weight: Vector) -> Trace:
    bins = _bins_once(pick, rows)
    shares = _bin_shares(pick, rows, Batch.from_weights(weight))[0]
    zeros = float(shares[bins.labels.index("0")]) if bins.has_zeros else 0.0
    marks = {"zeros": zeros, "is_log": float(bins.is_log)}
    return Trace(bins.centre, shares, bins.labels, marks)


def _distribution(pick: ValuePicker, what: str) -> dict[str, Any]:
    """Return the fields that the distributions of y, score and error have in common."""
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
        "trace": lambda rows, weight: _trace_distribution(pick, rows, weight),
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
    return _bin_shares(_y, rows, batch)


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
    return _bin_shares(_score, rows, batch)


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
    return _bin_shares(_error, rows, batch)


def _density_grid(rows: Amounts, weight: Vector) -> Vector:
    """Places half a kernel's width apart, over all but the outer two percent on each side."""
    column, batch = rows.error, Batch.from_weights(weight)
    up = cumulate_weight(batch, column)
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
    width = max(0.9 * spread * kish_effective_rows(weight) ** -0.2, (high - low) / 90)
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
    places: _Places = rows.once(key, lambda: _Places.from_grid(rows.error.values, grid))
    sums = compute_sums_between(batch, places.between, len(places.kernel) + 2)
    # The first and the last bin lie beyond all kernels.
    density: Matrix = divide(sums[:, 1:-1], batch.totals[:, None]) @ places.kernel
    return density


@record
class _Places:
    """Fine places along the errors, `step` apart, and the kernel at each, (places, g)."""

    values: Vector
    first: float
    step: float
    kernel: Matrix

    @classmethod
    def from_grid(cls, values: Vector, grid: Vector) -> _Places:
        """Build the places from the errors and the grid, which is half a kernel's width a step."""
        width = 2 * float(grid[1] - grid[0])
        middles = np.arange(grid[0] - 5 * width, grid[-1] + 5 * width, width / 16)
        kernel = np.exp(-(((grid[None, :] - middles[:, None]) / width) ** 2) / 2)
        kernel /= width * np.sqrt(2 * np.pi)
        return cls(values, float(middles[0]), width / 16, kernel)

    def between(self, rows: slice) -> tuple[Places, Vector]:
        """Return the index left of some rows, -1 before the first, and how far past it they lie."""
        place = (self.values[rows] - self.first) / self.step
        left = np.clip(np.floor(place), -1, len(self.kernel) - 1)
        return left.astype(np.int32), np.clip(place - left, 0.0, 1.0)


FEWEST_BINS = 5
NO_VALUES = 1e-290  # spans that are smaller have no steps
HEAVY = 0.75  # of the rows in one bin, from which on tails are cut
FENCE = 3.0  # interquartile ranges from the quartiles: Tukey's outer fences


def _edges(rows: Classes) -> Vector:
    """Return the edges of about 2 n^(1/3) bins (Rice's rule), at most 30; none without rows.

    Where nearly all rows would lie in one, they end at the outer fences, and outer bins hold more.
    """
    return rows.once("edges of bins by class", lambda: _choose_density_grid(rows.score.values))


def _choose_density_grid(score: Vector) -> Vector:
    if not len(score):
        return np.empty(0)
    low, high = float(score.min()), float(score.max())
    if not np.isfinite(high - low):
        return np.array([low, high])
    if high - low <= 1e-12 * max(abs(low), abs(high)) or high - low < NO_VALUES:
        half = 0.5 * max(abs(low), abs(high)) or 0.5
        return np.array([low - half, high + half])
    most = int(np.clip(np.ceil(2 * len(score) ** (1 / 3)), FEWEST_BINS, EVEN_BINS))
    edges = _choose_even_edges(score, most)
    if np.histogram(score, edges)[0].max() <= HEAVY * len(score):
        return edges
    inner = _clip_to_fences(score)
    return edges if inner.min() == inner.max() else _choose_even_edges(inner, most)


def _choose_even_edges(score: Vector, most: int) -> Vector:
    edges = compute_even_edges(score, most)
    is_needless = len(edges) > 2 and edges[-2] == score.max()  # the last bin holds its upper end
    return edges[:-1] if is_needless else edges


def _clip_to_fences(score: Vector) -> Vector:
    """Scores beyond Tukey's outer fences moved to these; of equal quartiles, to 5% and 95%.

    >>> float(_clip_to_fences(np.array([1.0, 2.0, 3.0, 4.0, 1000.0])).max())
    10.0
    """
    low, high = np.quantile(score, (0.25, 0.75))
    reach = FENCE * (high - low)
    if not reach > 0:
        low, high = np.quantile(score, (0.05, 0.95))
    return np.asarray(np.clip(score, low - reach, high + reach))


def _middles(rows: Classes, weight: Vector) -> Vector:
    edges = _edges(rows)
    return np.asarray((edges[1:] + edges[:-1]) / 2)


def _trace_class_density(rows: Classes, weight: Vector) -> Trace:
    """Return the bars of the positives, and whether outer ones hold scores beyond them."""
    edges, score = _edges(rows), rows.score.values
    is_cut = len(edges) and (score.min() < edges[0] or score.max() > edges[-1])
    marks = {"cut": 1.0} if is_cut else {}
    return Trace(
        _middles(rows, weight),
        _class_shares(rows, Batch.from_weights(weight), True)[0],
        marks=marks,
    )


def _class_shares(rows: Classes, batch: Batch, is_upper: bool) -> Matrix:
    """Share of a class's weight in each bin, (b, g); nan where the class weighs nothing."""
    edges = _edges(rows)
    if not len(edges):
        return np.empty((batch.size, 0))
    count = len(edges) - 1
    place = np.clip(np.searchsorted(edges, rows.score.values, side="right") - 1, 0, count - 1)
    code = (rows.y.values > 0) != is_upper
    sums = compute_bin_sums(batch, (place + count * code).astype(np.int32), 2 * count)[:, :count]
    return divide(sums, sums.sum(axis=1)[:, None])


_SHARED: dict[str, Any] = {
    "task": "binary",
    "needs": "order",
    "x_label": "Score",
    "y_label": "Share of the class",
    "x_unit": "1",
    "y_unit": "share",
    "bounds": (0.0, 1.0),
    "is_monotone": False,
    "cite": "",
    "has_band": False,
    "grid": _middles,
    "exempt_from": {
        "weight 0 = row gone": "the bins are made from every row, whatever it weighs",
        "weight 2 = row twice": "the number of bins follows the number of rows",
    },
}


@curve(
    title="Scores by class",
    shown=Presentation(
        "Scores of each class",
        "score",
        "share of the class",
        reading="How the scores of each class are spread. Outlined: {positive}; grey areas: "
        "{negative}. The bars of each class add up to 100%. The less the two overlap, the better "
        "the score tells them apart.",
        place=15,
        is_detail=True,
        drawing="histogram",
        is_apart=True,
        has_points=True,
    ),
    trace=_trace_class_density,
    brings=("score_density_of_negatives",),
    **_SHARED,
)
def score_density(rows: Classes, batch: Batch, grid: Vector) -> Matrix:
    """Share of the positives in each bin of the score; undefined without positives.

    Operating points stand as lines in the figure: what lies right of one is called. Of the
    positives that is the recall there, of the negatives the false positive rate.
    """
    return _class_shares(rows, batch, True)


@curve(
    title="Scores of the negatives",
    shown=Presentation(
        "{negative}",
        "score",
        "share of the class",
        place=16,
        drawing="histogram",
        onto="score_density",
    ),
    **_SHARED,
)
def score_density_of_negatives(rows: Classes, batch: Batch, grid: Vector) -> Matrix:
    """Share of the negatives in each bin of the score; undefined without negatives."""
    return _class_shares(rows, batch, False)
