"""The class `Curve`, its presentation, and how many rows support each point."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import field
from functools import partial
from heapq import heappop, heappush
from typing import Any, Literal, NamedTuple

import numpy as np

from reportgen.kernels.batch import Batch, Index, Matrix, Memo, Vector
from reportgen.kernels.columns import kish_effective_rows
from reportgen.kernels.cumulative import CumulativeReads
from reportgen.metrics.rows import Classes, Rows
from reportgen.metrics.statistic import BoundStatistic, Function, Statistic, register_statistic
from reportgen.records import record

BY_RANK = "share of rows, from the lowest scores to the highest"
FROM_TOP = "share of rows, from the highest scores down"
Topic = Literal["ranking", "curves", "costs", "data"]
Drawing = Literal["line", "steps", "histogram"]
Scale = Literal["linear", "log", "symlog", "probit"]
LAST = 1000  # the place of a curve that claims none


@record
class Presentation:
    """A curve's figure: its topic, heading, axes, and how to read it.

    Figures of a topic stand in the order of `place`. `reading` says how to read the figure,
    `reading_of_one` where one model is drawn. `finding` begins a title that quotes each model's
    last point. `marks` names the curve's own marks that are lines to read against, `noted` those
    that the caption quotes. A curve drawn `onto` another is a line in its figure, called `title`,
    or only points if `is_points`. A curve `under` another is a panel beneath the differences of
    that one. The differences of `is_compared` have a figure of their own, read as `difference`
    says. A curve that `is_detail` restates others or is for the specialist: short reports leave it
    out unless the config names it. `x_high` is how far its figure reaches, to the end if None. Of
    one that `is_paired` the differences are a panel beneath the curves. `diagonal` is the name
    of the diagonal where it `has_diagonal`. `x_scale` and `y_scale` are those of the axes. Each
    model of one that `is_apart` has a panel of its own. `stretch` is what positions are called
    in a title that says where a candidate is ahead. Of one that `has_points` positions are scores,
    and the model's operating points are lines to read against; of one that `has_error_lines` each
    is a line from its false positive rate, left, to its false negative rate, right. Of a curve that
    `is_better_below` the lower of two is the better, and differences are drawn downwards. `base` is
    what the heights are called from which the area up to the curve is shaded.
    """

    title: str
    x_label: str
    y_label: str
    reading: str = ""
    topic: Topic = "curves"
    place: int = LAST
    drawing: Drawing = "line"
    finding: str = ""
    marks: Mapping[str, str] = field(default_factory=dict)
    reading_of_one: str = ""
    noted: Mapping[str, str] = field(default_factory=dict)
    onto: str = ""
    is_compared: bool = False
    difference: str = ""
    has_diagonal: bool = False
    diagonal: str = "diagonal"
    has_markers: bool = False
    has_equal_axes: bool = False
    is_points: bool = False
    under: str = ""
    is_detail: bool = False
    x_high: float | None = None
    x_scale: Scale = "linear"
    y_scale: Scale = "linear"
    is_paired: bool = False
    is_apart: bool = False
    has_points: bool = False
    has_error_lines: bool = False
    stretch: str = ""
    is_better_below: bool = False
    base: str = ""


ranking_figure = partial(Presentation, topic="ranking")


ADDED = 2  # rows that are added to each cell of a table before its spread is judged


class UnseenRowEffects(NamedTuple):
    """Possible effects of rows unlike those at hand at each point of a curve, (g,) each.

    `error` is the least standard error; `below` and `above` are how far such rows may move the
    height down and up.
    """

    error: Vector
    below: Vector
    above: Vector


def count_class_rows(rows: Classes, weight: Vector, *, upper: bool) -> float:
    """Return those of one class."""
    return kish_effective_rows(weight[(rows.y.values > 0) == upper])


def count_positives(rows: Classes, weight: Vector, grid: Vector) -> Vector:
    """Count the positives, the same at every point of the curve, which is a share of them."""
    return np.full(len(grid), count_class_rows(rows, weight, upper=True))


def count_rows(rows: Classes, weight: Vector, grid: Vector) -> Vector:
    """Return all of them, wherever the curve stands: it is a share of these."""
    return np.full(len(grid), kish_effective_rows(weight))


def count_thinner_positives(rows: Classes, weight: Vector, grid: Vector) -> Vector:
    """Count the positives on the thinner side of each share of them."""
    return count_class_rows(rows, weight, upper=True) * np.minimum(grid, 1 - grid)


def count_thinner_negatives(rows: Classes, weight: Vector, grid: Vector) -> Vector:
    """Count the negatives on the thinner side of each share of them."""
    return count_class_rows(rows, weight, upper=False) * np.minimum(grid, 1 - grid)


def count_thinner_rows(rows: Classes, weight: Vector, grid: Vector) -> Vector:
    """Return those on the thinner side of each share of the rows."""
    return kish_effective_rows(weight) * np.minimum(grid, 1 - grid)


def estimate_unseen_costs(shares: Matrix, prices: Matrix, rows: float) -> UnseenRowEffects:
    """Estimate how rows unlike these could change a mean cost of so many independent rows.

    `shares` (k, g) of the rows have each of the `prices` (k, g). Two rows more of each price stand
    for those that other samples would have, as in Agresti and Coull's limits of a proportion (1998,
    doi:10.1080/00031305.1998.10480550): a call that nobody made yet varies in no resample. Those
    that cost more than the mean move it up, the others down. The error is that of the rows at hand,
    which is wider than that of as many with those added. `rows` is what weights leave of them;
    that clusters are worth fewer is not counted.

    >>> found = estimate_unseen_costs(np.array([[0.0], [1.0]]), np.array([[1.0], [0.0]]), 96.0)
    >>> found.error.round(4), found.below, found.above
    (array([0.0143]), array([0.]), array([0.02]))
    """
    total = rows + ADDED * len(shares)
    held, own = (shares * rows + ADDED) / total, (shares * prices).sum(axis=0)
    mean = (held * prices).sum(axis=0)
    squares = (held * prices**2).sum(axis=0) - mean**2
    error = np.sqrt(np.maximum(squares, 0.0) / max(rows, 1.0))
    moved = ADDED / total * (prices - own)
    below, above = np.maximum(-moved, 0.0).sum(axis=0), np.maximum(moved, 0.0).sum(axis=0)
    return UnseenRowEffects(error, below, above)


MANY_ROWS = 50_000  # from which on curves that have such a form are replicated by a grid

CURVES: dict[str, Curve] = {}


@record
class Trace:
    """A curve's exact points for one weighting, and numbers that belong beside it.

    `x` and `y` have shape (p,), thinned to at most 400 points; `labels` names the points where
    x is a category; `marks` are single numbers (an area, the level of a random order). From `base`
    (p,) up to y the area is shaded; it is empty where nothing is.
    """

    x: Vector
    y: Vector
    labels: tuple[str, ...] = ()
    marks: Mapping[str, float] = field(default_factory=dict)
    base: Vector = field(default_factory=lambda: np.empty(0))


@record
class BorrowedBand:
    """The curve that gives another one its band.

    `limits` f(grid, low, high, x) -> (low, high) draws the band at its own positions back into the
    plane of the other.
    """

    curve: Curve
    limits: Callable[[Vector, Vector, Vector, Vector], tuple[Vector, Vector]]


@record(kw_only=True)
class Curve(Statistic):
    """One entry of the catalogue of curves. `function` is f(rows, batch, grid) -> (b, g).

    `grid` f(rows, weight) -> (g,) positions, at most 200, where the band is found. `trace` f(rows,
    weight) -> Trace draws the curve itself; None draws the values on the grid. `thin` f(rows,
    weight, grid) -> (g,) counts the rows on the thinner side of each position, and `among` likewise
    the rows that the height is a share of, where it is one, or a `multiple` of one: f(grid) ->
    (g,), how many times the share. `rarest` counts the rows of the rarest kind that heights differ
    by, where these are not those on either side of the share, and `unseen` f(rows, weight,
    grid) -> Unseen tells what rows like none at hand leave open. `band_from`
    f(**params) -> LentBand says which other curve's band is drawn back into this one's plane, if it
    has none of its own. `is_of_target` says that it is the same for every score, `is_level_of_y`
    that its values are typical values of y, `is_level_of_loss` that they are mean losses, never
    below 0, `has_band` that it is inferred (a line that bounds another curve is only drawn),
    `is_on_request` that it is drawn only where the config names it. `reads` f(rows, grid)
    -> Reads says what it asks `at_shares` for, which curves along one column then find together.
    `by_grid` f(rows, batch, grid) -> (b, g) is nearly the function, from rows in the cells of a
    grid: of many rows it tells how far each replicate lies from the curve.

    `by_chance` f(rows, weight, x, level) -> (low, high) is a band around what it would be if a
    model were right, which stands in place of one around what it is. `has_peak` says that the
    position where it is highest is a choice to make, such as how many results to show. `judges`
    f(rows) -> n says how many rows it is a mean of, where it may leave some out. `base` f(rows,
    batch, grid) -> (b, g) are the heights from which the area up to it is shaded. `aliases` are
    names that it has elsewhere, to be refused with its own. `undefined` says where it has no value
    anywhere. What it `brings` is drawn onto it, and its words speak of it: who asks for it by name
    is given both.

    `shown` is how its figure is told and drawn; without it the figure has the title and the labels
    of the catalogue, and says nothing of how to read it. `lead` is so for who is ahead at each
    position, where higher is better and that is worth knowing.
    """

    x_label: str
    y_label: str
    x_unit: str
    y_unit: str
    is_monotone: bool
    grid: Callable[..., Vector]
    trace: Callable[..., Trace] | None = None
    is_of_target: bool = False
    is_level_of_y: bool = False
    has_band: bool = True
    shown: Presentation | None = None
    lead: Presentation | None = None
    is_on_request: bool = False
    is_level_of_loss: bool = False
    thin: Callable[..., Vector] | None = None
    among: Callable[..., Vector] | None = None
    rarest: Callable[..., Vector] | None = None
    unseen: Callable[..., UnseenRowEffects] | None = None
    multiple: Callable[[Vector], Vector] | None = None
    reads: Callable[..., CumulativeReads | None] | None = None
    by_grid: Callable[..., Matrix] | None = None
    band_from: Callable[..., BorrowedBand] | None = None
    by_chance: Callable[..., tuple[Vector, Vector]] | None = None
    has_peak: bool = False
    judges: Callable[..., int] | None = None
    base: Callable[..., Matrix] | None = None
    undefined: str = ""
    brings: tuple[str, ...] = ()
    aliases: tuple[str, ...] = ()

    @property
    def presentation(self) -> Presentation:
        """The texts and style of its figure: title and labels alone where its author gave none."""
        if self.shown is not None:
            return self.shown
        title, x_label, y_label = map(_escape_braces, (self.title, self.x_label, self.y_label))
        return Presentation(title, x_label, y_label, is_compared=True)

    @property
    def band_source(self) -> BorrowedBand | None:
        """The band that another curve gives this one; None if it has its own."""
        return self.band_from(**self.params) if self.band_from else None

    def bind(self, rows: Rows, weight: Vector, is_exact: bool = False) -> BoundCurve:
        """Bind this curve to one model's rows, its grid fixed from the full data."""
        return BoundCurve(self, rows, weight, is_exact)


class BoundCurve(BoundStatistic[Curve]):
    """A curve on one model's rows, on a grid from the full data, shape (g,).

    From 50,000 rows on its replicates are found `by_grid`, where that can be, unless `is_exact`.
    """

    def __init__(self, curve: Curve, rows: Rows, weight: Vector, is_exact: bool = False) -> None:
        self.grid: Vector = curve.grid(rows, weight, **curve.params)
        super().__init__(curve, rows, self.grid)
        self._weight, self._kept = weight, Memo()
        self.is_by_grid = curve.by_grid is not None and len(rows) >= MANY_ROWS and not is_exact

    @property
    def identity(self) -> tuple[object, ...] | None:
        """The identity of any statistic; one of other replicates differs."""
        identity = super().identity
        return identity and (*identity, "by grid") if self.is_by_grid else identity

    @property
    def estimate(self) -> Vector:
        """The curve itself on its grid, shape (g,)."""
        return self._kept("estimate", lambda: self(Batch.from_weights(self._weight))[0])

    def replicates(self, batch: Batch) -> Matrix:
        """Its values under the weightings of resamples, (b, g)."""
        if not self.is_by_grid:
            return self(batch)
        near = self._kept("near", lambda: self._evaluate_by_grid(Batch.from_weights(self._weight)))
        return self.estimate + (self._evaluate_by_grid(batch) - near)

    def _evaluate_by_grid(self, batch: Batch) -> Matrix:
        assert self.statistic.by_grid is not None
        return self.statistic.by_grid(self.rows, batch, self.grid, **self.statistic.params)

    def count_thinner_rows(self, weight: Vector) -> Vector | None:
        """Count the rows on the thinner side of each position; None if they do not matter."""
        thin = self.statistic.thin
        return thin(self.rows, weight, self.grid, **self.statistic.params) if thin else None

    def rows_among(self, weight: Vector) -> Vector | None:
        """Count the rows that the height of each position is a share of; None if it is no share."""
        among = self.statistic.among
        return among(self.rows, weight, self.grid, **self.statistic.params) if among else None

    def rows_of_the_rarest_kind(self, weight: Vector) -> Vector | None:
        """Count the rows of the rarest kind that heights differ by; None if not known."""
        rarest, among = self.statistic.rarest, self.rows_among(weight)
        if rarest is not None:
            return rarest(self.rows, weight, self.grid, **self.statistic.params)
        return None if among is None else among * np.minimum(self.estimate, 1 - self.estimate)

    def estimate_unseen_effects(self, weight: Vector) -> UnseenRowEffects | None:
        """Estimate how rows unlike those at hand could change the curve; None if unknown."""
        unseen = self.statistic.unseen
        return unseen(self.rows, weight, self.grid, **self.statistic.params) if unseen else None

    @property
    def reads(self) -> CumulativeReads | None:
        """The reads along a column at shares of the weight; None if they are not known."""
        reads = self.statistic.reads
        return None if reads is None else reads(self.rows, self.grid, **self.statistic.params)

    def trace(self, weight: Vector) -> Trace:
        """Return the curve itself, as it is drawn; cached for the weight of the full data."""
        if weight is self._weight:
            return self._kept("trace", lambda: self._trace(weight))
        return self._trace(weight)

    def _trace(self, weight: Vector) -> Trace:
        if self.statistic.trace is not None:
            return self.statistic.trace(self.rows, weight, **self.statistic.params)
        own = weight is self._weight
        return Trace(self.grid, self.estimate if own else self(Batch.from_weights(weight))[0])


def curve(**about: Any) -> Callable[[Function], Function]:
    """Register f(rows, batch, grid, **params) -> (b, g). Its docstring describes the curve."""
    return partial(_register, about)


def _register(about: dict[str, Any], function: Function) -> Function:
    register_statistic(Curve, CURVES, function, fast=function, **about)
    return function


def find_peaks(grid: Vector, heights: Matrix) -> Vector:
    """Find the first position at which each curve is highest, nan without values; (b, g).

    >>> find_peaks(np.array([1.0, 2.0, 5.0]), np.array([[0.1, 0.4, 0.4], [np.nan] * 3]))
    array([ 2., nan])
    """
    known = np.isfinite(heights)
    place = np.argmax(np.where(known, heights, -np.inf), axis=1)
    return np.where(known.any(axis=1), grid[place], np.nan)


def thin_line(x: Vector, y: Vector, most: int = 400) -> tuple[Vector, Vector]:
    """Keep at most `most` points of a line, those that hold its shape, its ends among them.

    The line starts as one chord; the point furthest from its chord, in shares of the range of x
    and of y, is added next (Douglas and Peucker's rule, with a number of points for tolerance).
    """
    if len(x) <= most:
        return x, y
    places = select_line_points(x, y, most)
    return x[places], y[places]


def select_line_points(x: Vector, y: Vector, most: int = 400) -> Index:
    """Select the indices of the points that `thin_line` keeps."""
    if len(x) <= most:
        return np.arange(len(x))
    shape = np.stack([_scale_to_unit_range(x), _scale_to_unit_range(y)])
    kept = [0, len(x) - 1]
    chords = [_find_furthest_point(shape, 0, len(x) - 1)]
    while len(kept) < most and chords:
        _, point, first, last = heappop(chords)
        kept.append(point)
        for ends in ((first, point), (point, last)):
            if ends[1] - ends[0] > 1:
                heappush(chords, _find_furthest_point(shape, *ends))
    return np.sort(kept)


def _escape_braces(text: str) -> str:
    """Escape the braces of a text, so that it is a template that names nothing."""
    return text.replace("{", "{{").replace("}", "}}")


def _scale_to_unit_range(values: Vector) -> Vector:
    low, high = values.min(), values.max()
    return (values - low) / (high - low) if high > low else np.zeros(len(values))


def _find_furthest_point(shape: Matrix, first: int, last: int) -> tuple[float, int, int, int]:
    """Find the inner point furthest from a chord, as a heap entry with the furthest first."""
    start, end = shape[:, first, None], shape[:, last, None]
    inner = shape[:, first + 1 : last] - start
    along = end - start
    length = float(np.hypot(*along[:, 0]))
    if length > 0:
        distance = np.abs(along[0] * inner[1] - along[1] * inner[0]) / length
    else:
        distance = np.hypot(inner[0], inner[1])
    point = int(np.argmax(distance))
    return -float(distance[point]), first + 1 + point, first, last
