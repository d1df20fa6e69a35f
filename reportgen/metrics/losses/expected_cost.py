"""The expected cost over asymmetries, as scores are or once they are shifted."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

import numpy as np

from reportgen.kernels.batch import Batch, Column, Index, Matrix, Vector
from reportgen.kernels.cumulative import cumulate_values, cumulate_weight, divide
from reportgen.metrics.losses.loss_functions import (
    LARGEST,
    LOSSES,
    NEAR,
    LossName,
    exp_minus_linear,
    log_minus_linear,
)
from reportgen.metrics.losses.rroc_geometry import (
    best_linlin_shifts,
    costs_as_they_are,
    minimal_costs,
    rroc_points,
)
from reportgen.metrics.rows import Amounts
from reportgen.records import record

MOST = 4_000_000  # numbers in one table of prefix sums
NARROW = 30.0  # c times the range of the errors, up to which exponentials lose no digits
CERTAIN = (
    600.0  # the power of e beyond which only the sign of a slope matters, whatever the weights
)
STEPS = 60  # of Newton's method between two rows; it needs a handful
LossAndShift = tuple[Matrix, Matrix]  # shifts and costs


def expected_loss(loss: LossName, rows: Amounts, batch: Batch, grid: Vector) -> Matrix:
    """Mean loss of the scores as they are, (b, g); nan where it is too large for a number."""
    if LOSSES[loss].is_linear:
        return LOSSES[loss].scale * costs_as_they_are(rows, batch, grid)
    if LOSSES[loss].power == 2:
        over, under = rroc_points(rows, batch, power=2)
        return np.asarray(2 * (1 - grid) * over[:, None] - 2 * grid * under[:, None])
    error = rows.error.values
    return average_costs([LOSSES[loss].of(error, float(c)) for c in grid], batch)


def average_costs(columns: Sequence[Vector | Matrix], batch: Batch) -> Matrix:
    """Mean cost (b, g) of g columns of costs, each (n,), or (n, b) with one of each weighting.

    nan where a row that counts costs no finite number; one that weighs nothing may.
    """
    means = np.empty((batch.size, len(columns)))
    for k, costs in enumerate(columns):
        is_lost = ~np.isfinite(costs)
        means[:, k] = _sum_costs(np.where(is_lost, 0.0, costs), batch)
        if is_lost.any():
            means[_sum_costs(is_lost.astype(float), batch) > 0, k] = np.nan
    return divide(means, batch.totals[:, None])


def _sum_costs(costs: Vector | Matrix, batch: Batch) -> Vector:
    """Weighted sums of costs, shape (b,)."""
    if costs.ndim == 1:
        return np.asarray(batch.weights.T @ costs)
    return np.asarray(np.sum(batch.weights * costs, axis=0))


def least_expected_loss(loss: LossName, rows: Amounts, batch: Batch, grid: Vector) -> Matrix:
    """Mean loss once the best constant for each asymmetry and each weighting is added, (b, g)."""
    if LOSSES[loss].is_linear:
        return LOSSES[loss].scale * minimal_costs(rows, batch, grid)
    return _find_shifts_and_costs(loss, rows, batch, grid)[1]


def best_constant_shifts(loss: LossName, rows: Amounts, batch: Batch, grid: Vector) -> Matrix:
    """Find the constants that, added to every score, minimize the mean loss, (b, g)."""
    if LOSSES[loss].is_linear:
        return best_linlin_shifts(rows, batch, grid)
    return _find_shifts_and_costs(loss, rows, batch, grid)[0]


def scale_by_square(loss: LossName, costs: Matrix, squares: Matrix, grid: Vector) -> Matrix:
    """Costs of an exponential loss times 2/c²: at c = 0 its limit, the squared error.

    So costs at different c can be drawn on one axis. Other losses are left as they are.
    """
    if not LOSSES[loss].is_exponential:
        return costs
    safe = np.where(grid == 0, 1.0, grid)
    return np.where(grid == 0, squares, 2 * costs / safe**2)


def _find_shifts_and_costs(
    loss: LossName, rows: Amounts, batch: Batch, grid: Vector
) -> LossAndShift:
    """Compute a few weightings at a time, so that the tables of many rows fit in memory."""
    find: Callable[[Column, Batch, Vector], LossAndShift] = {
        "quadquad": _quadquad,
        "linexp": _linexp,
        "quadexp": _quadexp,
    }[loss]
    at = np.full((batch.size, len(grid)), np.nan)
    costs = at.copy()
    for part, columns in _parts(batch):
        if len(rows):
            at[columns], costs[columns] = find(rows.error, part, grid)
    is_known = (batch.totals > 0)[:, None] & np.isfinite(costs)
    return np.where(is_known, at, np.nan), np.where(is_known, np.maximum(costs, 0.0), np.nan)


def _parts(batch: Batch) -> Iterator[tuple[Batch, slice]]:
    width = max(MOST // max(len(batch.count), 1), 1)
    for start in range(0, batch.size, width):
        columns = slice(start, start + width)
        yield Batch(batch.count[:, columns], batch.weight), columns


def _quadquad(error: Column, batch: Batch, alphas: Vector) -> LossAndShift:
    """Find the best shift and its loss; the pull is linear between two rows, and solved there."""
    centre = float(np.median(error.values))  # no digits lost to a bias
    e, place = _list_distinct_values(error) - centre, error.values - centre
    mass = cumulate_weight(batch, error)
    moment, square = (cumulate_values(batch, error, place**power) for power in (1, 2))
    up, down = (1 - alphas)[None, :], alphas[None, :]

    def pull(k: Index) -> Matrix:
        """Compute what the rows above the k-th push down, minus what those below push up."""
        value = e[k - 1]
        above = (moment[-1][:, None] - _take_prefix_sums(moment, k)) - value * (
            mass[-1][:, None] - _take_prefix_sums(mass, k)
        )
        return np.asarray(
            up * above + down * (_take_prefix_sums(moment, k) - value * _take_prefix_sums(mass, k))
        )

    k = (
        _bisect_first_group(pull, *_find_weighted_groups(mass, len(alphas))) - 1
    )  # this many groups lie below
    low = [_take_prefix_sums(sums, k) for sums in (mass, moment, square)]
    high = [
        sums[-1][:, None] - under for sums, under in zip((mass, moment, square), low, strict=True)
    ]
    bottom = up * high[0] + down * low[0]
    shift = -np.divide(
        up * high[1] + down * low[1], bottom, out=np.zeros_like(bottom), where=bottom > 0
    )
    is_free = bottom <= 0  # at α = 0 or 1 every row may lie on the side that costs nothing
    shift = np.where(is_free, -e[np.clip(k, 0, len(e) - 1)], shift)
    cost = sum(
        2 * side * (part[2] + 2 * shift * part[1] + shift**2 * part[0])
        for side, part in ((up, high), (down, low))
    )
    return shift - centre, divide(np.asarray(cost), batch.totals[:, None])


def _linexp(error: Column, batch: Batch, cs: Vector) -> LossAndShift:
    """−(1/c) log mean exp(c e); at c = 0 the mean, which costs nothing there."""
    values, weights, totals = error.values, batch.weights, batch.totals
    centre = float(np.median(values))
    about = values - centre
    mean, spread = divide(about @ weights, totals), float(np.ptp(values))
    at, costs = np.empty((batch.size, len(cs))), np.empty((batch.size, len(cs)))
    for k, c in enumerate(cs):
        if c == 0:
            at[:, k], costs[:, k] = -mean - centre, 0.0
            continue
        power = c * about
        if abs(c) * spread <= NARROW:
            bend = divide(exp_minus_linear(power) @ weights, totals)
            at[:, k], costs[:, k] = _narrow_linexp(c * mean, bend)
        else:
            top = float(power.max())
            with np.errstate(divide="ignore"):  # the largest rows may weigh nothing
                log = top + np.log(divide(np.exp(power - top) @ weights, totals))
            at[:, k], costs[:, k] = log, log - c * mean
        at[:, k] = -at[:, k] / c - centre
    return at, costs


def _narrow_linexp(mean: Vector, bend: Vector) -> LossAndShift:
    """Log mean exp(p), and less the mean of p, from the means of p and of exp(p) − 1 − p."""
    grown = mean + bend  # the mean of exp(p) − 1
    log = np.log1p(grown)
    return log, np.where(np.abs(grown) < NEAR, log_minus_linear(grown) + bend, log - mean)


def _quadexp(error: Column, batch: Batch, cs: Vector) -> LossAndShift:
    """Return where the slope of the mean loss is zero, one c after the other."""
    found = [_quadexp_at(error, batch, float(c)) for c in cs]
    if not found:
        return np.empty((batch.size, 0)), np.empty((batch.size, 0))
    at, costs = (np.stack([each[side] for each in found], axis=1) for side in (0, 1))
    return at, np.where(costs > LARGEST, np.nan, costs)


def _quadexp_at(error: Column, batch: Batch, c: float) -> tuple[Vector, Vector]:
    """In powers p = c e and steps t = c·shift: Σ exp(p + t) − 1 above zero, Σ p + t below it."""
    if c == 0:
        mean = divide(error.values @ batch.weights, batch.totals)
        return -mean, np.zeros(batch.size)
    centre = float(np.median(error.values))
    power = Column(c * (error.values - centre))
    p, is_narrow = _list_distinct_values(power), float(np.ptp(power.values)) <= NARROW
    top = 0.0 if is_narrow else float(power.values.max())
    raised = np.expm1(power.values) if is_narrow else np.exp(power.values - top)
    curved = exp_minus_linear(power.values) if is_narrow else raised
    tables = [
        cumulate_weight(batch, power),
        *(cumulate_values(batch, power, each) for each in (power.values, raised, curved)),
    ]
    square = cumulate_values(batch, power, power.values**2)

    def sums(k: Index) -> SideSums:
        """Compute the sums of the rows above the first k groups, and of those below."""
        light, low, *_ = under = [_take_prefix_sums(table, k) for table in tables]
        whole = [table[-1][:, None] for table in tables]
        heavy, high, raised, curved = (a - b for a, b in zip(whole, under, strict=True))
        return SideSums(heavy, high, raised, curved, light, low, top, is_narrow)

    k = (
        _bisect_first_group(
            lambda k: sums(k).slope(-p[k - 1]), *_find_weighted_groups(tables[0], 1)
        )
        - 1
    )
    parts = sums(k)
    t = _newton(parts, -p[np.minimum(k, len(p) - 1)], -p[np.maximum(k - 1, 0)])
    below = (_take_prefix_sums(square, k) + 2 * t * parts.low + t**2 * parts.light) / 2
    cost = divide(parts.cost_above(t) + below, batch.totals[:, None])
    return t[:, 0] / c - centre, cost[:, 0]


@record
class SideSums:
    """Weighted sums over the rows on both sides of a place, (b, 1) each, p = c e the powers.

    Above it weights, p, and exp(p − top), below it weights and p. Where the powers are narrow,
    exp(p) − 1 and exp(p) − 1 − p take the place of exp(p − top): no digit is lost near zero.
    """

    heavy: Matrix
    high: Matrix
    raised: Matrix
    curved: Matrix
    light: Matrix
    low: Matrix
    top: float
    is_narrow: bool

    def rise(self, t: Matrix) -> Matrix:
        """Σ exp(p + t) − 1 above."""
        if self.is_narrow:
            return np.asarray(self.raised * np.exp(t) + self.heavy * np.expm1(t))
        grown = np.maximum(self.raised, 0.0) * np.exp(np.minimum(self.top + t, CERTAIN))
        return np.asarray(grown - self.heavy)

    def slope(self, t: Matrix) -> Matrix:
        """Compute `rise` plus Σ p + t below: the slope of the cost, which rises with t."""
        return self.rise(t) + self.low + t * self.light

    def cost_above(self, t: Matrix) -> Matrix:
        """Σ exp(p + t) − 1 − (p + t) above."""
        if self.is_narrow:
            bend = self.curved * np.exp(t) + self.heavy * exp_minus_linear(t)
            return np.asarray(bend + self.high * np.expm1(t))
        return self.rise(t) - self.high - t * self.heavy


def _newton(parts: SideSums, left: Matrix, right: Matrix) -> Matrix:
    """Find the zero of a rising slope between two limits; halve where a step would leave them."""
    t = (left + right) / 2
    for _ in range(STEPS):
        value = parts.slope(t)
        left, right = np.where(value <= 0, t, left), np.where(value >= 0, t, right)
        steep = parts.rise(t) + parts.heavy + parts.light
        move = t - np.divide(value, steep, out=np.zeros_like(value), where=steep > 0)
        inside = (move >= left) & (move <= right)
        following = np.where(inside, move, (left + right) / 2)
        if np.all(np.abs(following - t) <= 1e-15 * np.maximum(np.abs(left), np.abs(right))):
            break
        t = following
    return t


def _list_distinct_values(column: Column) -> Vector:
    """Return the distinct values, ascending."""
    return np.asarray(column.values[column.order][column.is_last])


def _take_prefix_sums(sums: Matrix, k: Index) -> Matrix:
    """Prefix sums (groups + 1, b) at k groups of each column, k of shape (b, g)."""
    return np.asarray(sums[k, np.arange(sums.shape[1])[:, None]])


def _find_weighted_groups(mass: Matrix, wide: int) -> tuple[Index, Index]:
    """Find each column's first and last group with weight, counted from 1, shape (b, wide)."""
    rises = np.diff(mass, axis=0) > 0
    first = np.argmax(rises, axis=0) + 1
    last = len(rises) - np.argmax(rises[::-1], axis=0)
    return np.tile(first[:, None], (1, wide)), np.tile(last[:, None], (1, wide))


def _bisect_first_group(pull: Callable[[Index], Matrix], first: Index, last: Index) -> Index:
    """Find the first group at which a falling pull is no longer above zero, by bisection."""
    while np.any(first < last):
        middle = (first + last) // 2
        is_past = pull(middle) <= 0
        first, last = np.where(is_past, first, middle + 1), np.where(is_past, middle, last)
        first = np.minimum(first, last)
    return np.asarray(last)


def shifted_rroc_points(rows: Amounts, batch: Batch, shifts: Matrix) -> tuple[Matrix, Matrix]:
    """Mean over- and under-estimation once each constant is added, both (b, g)."""
    values = rows.error.values
    centre = float(np.median(values)) if len(values) else 0.0  # no digits lost to a bias
    weight, sums = (
        cumulate_weight(batch, rows.error),
        cumulate_values(batch, rows.error, values - centre),
    )
    ends = values[rows.error.order][rows.error.is_last]
    shifts = np.broadcast_to(shifts, (batch.size, shifts.shape[1]))
    place = np.searchsorted(ends, -shifts, side="right")
    column = np.arange(batch.size)[:, None]
    below, part, added = weight[place, column], sums[place, column], centre + shifts
    total, whole = weight[-1][:, None], sums[-1][:, None]
    over = divide(whole - part + (total - below) * added, total)
    under = divide(part + below * added, total)
    return np.maximum(over, 0.0), np.minimum(under, 0.0) + 0.0  # no −0


def shifted_costs(
    rows: Amounts, batch: Batch, shifts: Matrix, grid: Vector, loss: LossName = "linlin"
) -> Matrix:
    """Compute the expected loss at each asymmetry with the constant chosen for it, (b, g)."""
    if loss == "linlin":
        over, under = shifted_rroc_points(rows, batch, shifts)
        return np.asarray(2 * (1 - grid) * over - 2 * grid * under)
    of, error = LOSSES[loss].of, rows.error.values[:, None]
    costs = np.empty((batch.size, len(grid)))
    for k, asymmetry in enumerate(grid.tolist()):
        costs[:, [k]] = average_costs([of(error + shifts[:, k], asymmetry)], batch)
    return costs


def fit_constant_shifts(rows: Amounts, grid: Vector, loss: LossName = "linlin") -> Vector:
    """Fit the constants on the training rows as they are, (g,); nan where there are none."""
    if rows.fit is None:
        return np.full(len(grid), np.nan)
    error, best = rows.fit.rows.error, LOSSES[loss].best_shift
    order = error.order[::-1]  # sorted once: each search among them is then quick
    values, weight = error.values[order], rows.fit.weight[order]
    return np.array([best(values, weight, asymmetry) for asymmetry in grid.tolist()])


def costs_of_fitted_shifts(
    rows: Amounts, batch: Batch, grid: Vector, loss: LossName = "linlin"
) -> Matrix:
    """Compute the expected loss with the constants of the training rows held fixed; (b, g)."""
    if rows.fit is None:
        return np.full((batch.size, len(grid)), np.nan)
    name = f"{loss} fitted at {grid.tobytes().hex()}"
    shifts = rows.once(name, lambda: fit_constant_shifts(rows, grid, loss))
    return shifted_costs(rows, batch, shifts[None, :], grid, loss)
