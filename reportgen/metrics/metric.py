"""The class `Metric` and the decorators that register one: @rowwise, @cellwise, @whole."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import field
from functools import cached_property, partial
from types import MappingProxyType
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from reportgen.kernels.batch import Batch, Matrix, Vector
from reportgen.kernels.sums import weighted_sums
from reportgen.metrics.class_shares import ClassShare
from reportgen.metrics.count_tables import CallTable
from reportgen.metrics.influence import (
    Finish,
    SummedColumns,
    divide_by_last_mean,
    finish_means,
    influence_of_means,
    is_worth_keeping,
    values_without_each,
)
from reportgen.metrics.rows import Amounts, Rows
from reportgen.metrics.statistic import (
    BoundStatistic,
    Function,
    Scalar,
    Statistic,
    register_statistic,
)
from reportgen.metrics.traits import (
    NEAREST,
    Better,
    Estimand,
    Kind,
    Question,
    ReferenceKind,
    Robustness,
    TableShare,
    find_estimand,
)
from reportgen.records import record

STEEP_RATIO = 0.8  # the larger of α and 1 − α from which one side costs four times the other


@record(eq=False)
class LossSides:
    """Each row's error, shape (n,), in any unit; and whether it `pays` the larger cost."""

    error: Vector
    pays: NDArray[np.bool_]


def find_loss_sides(rows: Amounts, *, alpha: float, **_: Any) -> LossSides | None:
    """Find who pays the larger side of a loss in straight lines; None below four times the other.

    Above α = ½ under-estimation costs more.
    """
    if max(alpha, 1 - alpha) < STEEP_RATIO:
        return None
    error = rows.error.values
    return LossSides(error, error < 0 if alpha > 0.5 else error > 0)


Shape = Literal["rowwise", "counted", "whole"]
Shares = tuple[tuple[float, float], ...]

METRICS: dict[str, Metric] = {}


@record
class MonotoneImage:
    """Metric that another is a monotone function of on the same rows: both prefer one model.

    `line` is (level, slope) where its value is level + slope · that of `metric` under any weights.
    """

    metric: Metric
    line: tuple[float, float] | None = None


@record(kw_only=True)
class Metric(Statistic):
    """One entry of the catalogue of metrics.

    `is_led_by_a_loss`: the model with the smaller mean of the first column is better. `portions`
    are the shares of some cells that a counted metric is made of: one is it, or what it rises with;
    of more it is the sum, brought to its range; `portions_of` f(place, k) gives them for one of k
    classes, `shares` where scores choose rows. `class_share` is what it averages over classes, each
    with the same say. `calls` f(rows, weight) is the table of a metric of calls. `bound` binds one
    whose table is as large as the rows say. All rows give the parameters `from_all_rows` that a
    config does not. `edge_df` counts the rows at an end that decide it. `reference`
    is what is predicted without a model, `chance` the value of anything without skill;
    `no_reference` says why there is neither.
    `aliases` are other names; `asked_as` is what a config asks for it by.
    """

    better: Better
    unit: str
    estimand: Estimand
    shape: Shape
    undefined: str = ""
    formula: str = ""
    caveat: str = ""
    answers: Question | None = None
    asks: str = ""
    blind: str = ""
    finish: Finish | None = None
    scale: Callable[..., Vector] | None = None
    influence: Callable[..., Vector | None] | None = None
    leave_one_out: Callable[..., Vector | None] | None = None
    smoothed: Callable[..., Vector | None] | None = None
    edge_df: Callable[..., float] | None = None
    bias: Callable[..., float] | None = None
    derive: Callable[..., Rows] | None = None
    inputs: Callable[..., tuple[NDArray[Any], ...]] | None = None
    why: Callable[..., str] | None = None
    classes: Callable[..., NDArray[np.bool_] | None] | None = None
    image: Callable[..., MonotoneImage | None] | None = None
    sides: Callable[..., LossSides | None] | None = None
    is_led_by_a_loss: bool = False
    is_partial: bool = False
    leaves_out: bool = False
    from_all_rows: tuple[str, ...] = ()
    reference: ReferenceKind = ""
    chance: float | None = None
    no_reference: str = ""
    kind: Kind = "amount"
    cells: int = 0
    portions: tuple[TableShare, ...] = ()
    shares: Callable[..., Shares] | None = None
    portions_of: Callable[..., tuple[TableShare, ...]] | None = None
    class_share: ClassShare | None = None
    calls: Callable[..., CallTable | None] | None = None
    bound: Callable[..., BoundMetric] | None = None
    aliases: tuple[str, ...] = ()
    asked_as: Mapping[str, Scalar] = field(default_factory=lambda: MappingProxyType({}))

    @cached_property
    def request_name(self) -> str:
        """The name by which a config asks for it: its own, or one that it shares."""
        return str(self.asked_as.get("name", self.name))

    @property
    def request_params(self) -> Mapping[str, Scalar]:
        """The parameters by which a config asks for it: its own, and what tells it from others."""
        return {**self.params, **{k: v for k, v in self.asked_as.items() if k != "name"}}

    @property
    def withstands(self) -> Robustness:
        """The most that rows with a wrong y can do to it, by its kind and its range."""
        is_bounded = bool(np.isfinite(self.bounds).all())
        if not self.estimand.is_smooth:
            return "half"
        if self.leaves_out:
            return ""  # a wrong row may be one that it should not have judged
        if self.estimand.of == "ranks":
            return "ranks"
        if self.estimand.of == "pairs":
            return "pairs" if self.classes is None else ""
        if self.shape != "whole" and self.estimand.of == "mean" and is_bounded:
            return "rows"
        if self.params.get("statistic") == "median" or self.params.get("quantile") is not None:
            return ""  # a quantile of some rows alone
        return "range" if is_bounded else "nothing"

    @property
    def has_losses(self) -> bool:
        """True if two models are compared by the mean of one loss a row, its first column."""
        is_mean = self.estimand.of == "mean" or self.is_led_by_a_loss
        return self.shape != "whole" and is_mean and self.better not in NEAREST

    @property
    def is_share_of_some_rows(self) -> bool:
        """True if it counts rows among some that are the same for all models: recall."""
        is_one = len(self.portions) == 1 and self.portions[0].is_of_y
        return is_one and self.estimand.is_share_of_rows

    @property
    def is_sum(self) -> bool:
        """True if the value grows with the total weight, as a raw sum does."""
        return self.scale is not None and self.scale(np.array([2.0]), **self.params)[0] != 1

    def root(self, n: int) -> MonotoneImage:
        """Return the metric that decides which of two models is better on n rows: often itself."""
        step = None if self.image is None else self.image(n, **self.params)
        if step is None:
            return MonotoneImage(self, (0.0, 1.0))
        found = step.metric.root(n)
        if step.line is None or found.line is None:
            return MonotoneImage(found.metric)
        (level, slope), (start, rise) = step.line, found.line
        return MonotoneImage(found.metric, (level + slope * start, slope * rise))

    def bind(self, rows: Rows) -> BoundMetric:
        """Bind this metric to one model's rows, as a function of weights."""
        return (self.bound or BoundMetric)(self, rows)


def is_of_amounts(metric: Metric) -> bool:
    """Tell whether a metric is one of amounts, or of products of them."""
    return metric.needs in ("amount", "series") or metric.estimand.tails == "products"


def find_amount_error(metric: Metric, rows: Rows) -> Vector | None:
    """Find how far the amount of each row is off; None where amounts play no part."""
    if not isinstance(rows, Amounts) or not is_of_amounts(metric):
        return None
    return np.asarray(rows.score.values - rows.y.values)


class BoundMetric(BoundStatistic[Metric]):
    """A metric on one model's rows."""

    def __init__(self, metric: Metric, rows: Rows) -> None:
        super().__init__(metric, metric.derive(rows, **metric.params) if metric.derive else rows)
        made, can_lack = partial(_columns, metric, self.rows), metric.shape == "rowwise"
        self._summed = (
            None
            if metric.bound or metric.shape == "whole"
            else SummedColumns(
                made,
                is_kept=is_worth_keeping(self.rows),
                can_lack=can_lack,
                leaves_out=metric.leaves_out,
            )
        )

    @property
    def is_of_means(self) -> bool:
        """True if its value is a function of weighted means of `columns`."""
        return self._summed is not None

    @property
    def is_counted(self) -> NDArray[np.bool_] | None:
        """The flags of the rows that count, where some are left out."""
        return None if self._summed is None else self._summed.is_counted

    @property
    def columns(self) -> Matrix | None:
        """The contributions of each row to the sums that it comes from, (n, k); None for no mean.

        Of many rows made anew each time: kept, those of all metrics take more room than all else.
        """
        return None if self._summed is None else self._summed.columns

    def list_columns(self) -> list[Vector]:
        """Return the same contributions as single columns."""
        assert self._summed is not None
        return list(self._summed.columns.T)

    @property
    def losses(self) -> Vector | None:
        """One loss a row whose mean decides between two models, (n,); None where there is none."""
        columns = self.columns if self.statistic.has_losses else None
        if columns is None or self.statistic.shape == "rowwise":
            return None if columns is None else columns[:, 0]
        return self._finish_means(columns)  # what a mean of cells is, each cell adds

    def portions(self, share: Vector) -> Shares:
        """Return the shares of rows it consists of, each with Kish's number, from weight shares."""
        if self.statistic.shares is not None:
            return self.statistic.shares(self.rows, share, **self.statistic.params)
        found = []
        for portion in self.cells_of:
            inside = self._weight_in(portion.part, share)
            among = self._weight_in(portion.among, share)
            if not among.any():
                return ()
            found.append((inside.sum() / among.sum(), among.sum() ** 2 / (among @ among)))
        return tuple((float(p), float(trials)) for p, trials in found)

    @property
    def hits(self) -> Vector | None:
        """True if each row counts in the one share of cells that it is: 1, 0, or nan outside it."""
        is_share = self.statistic.estimand.is_share_of_rows
        if not is_share or [each.is_of_y for each in self.cells_of] != [True]:
            return None
        (portion,), ones = self.cells_of, np.ones(len(self.rows))
        inside, among = self._weight_in(portion.part, ones), self._weight_in(portion.among, ones)
        return np.where(among > 0, inside, np.nan)

    def _weight_in(self, cells: tuple[int, ...], weight: Vector) -> Vector:
        """Return the weight of each row in some cells of the table, (n,)."""
        columns = self.columns
        assert columns is not None
        return np.asarray(weight * columns[:, list(cells)].sum(axis=1))

    @property
    def cells_of(self) -> tuple[TableShare, ...]:
        """The shares of cells that it is made of."""
        return self.statistic.portions

    @property
    def terms(self) -> Matrix:
        """The columns whose weighted sums give the value by `compute_from_sums`."""
        assert self._summed is not None
        return self._summed.terms

    def __call__(self, batch: Batch) -> Vector:
        """Return the value under each weighting, shape (b,); nan where it is undefined."""
        if self.is_of_means:
            return self.compute_from_sums(weighted_sums(batch, self.terms), batch.totals)
        return super().__call__(batch)

    @property
    def sides(self) -> LossSides | None:
        """The errors behind a loss that weighs their sides unevenly; None of any other metric."""
        of = self.statistic.sides
        return None if of is None else of(self.rows, **self.statistic.params)

    def define(self, weight: Vector) -> float:
        """Compute the value slowly, by the definition alone, which the fast forms must match."""
        if self.is_of_means:
            sums = (weight @ np.ascontiguousarray(self.terms))[None, :]
            return float(self.compute_from_sums(sums, np.array([weight.sum()]))[0])
        return float(self.statistic.function(*self._inputs, weight, **self.statistic.params))

    def compute_from_sums(self, sums: Matrix, totals: Vector) -> Vector:
        """Compute a rowwise metric from weighted sums of `terms`, (b, k), and totals (b,)."""
        is_whole = totals > 0
        if self._summed is not None and self._summed.is_refusing:
            is_whole, sums = is_whole & (sums[:, -1] == 0), sums[:, :-1]
        means = np.full(sums.shape, np.nan)
        np.divide(sums, totals[:, None], out=means, where=is_whole[:, None])
        return self._finish_means(means) * self._scale(totals)

    def why_undefined(self, weight: Vector) -> str:
        """Why it has no value under this weighting, as it goes on after "it is undefined"."""
        if not np.any(weight > 0):
            return "where no row has weight"
        if np.isinf(self(Batch.from_weights(weight))[0]):
            return "its value is too large for a number (overflow)"
        if self.statistic.why is not None:
            return self.statistic.why(self.rows, **self.statistic.params)
        return self.statistic.undefined or "it does not exist on these rows"

    def influence(self, weight: Vector) -> Vector | None:
        """phi_i = W * d theta / d w_i for each row, shape (n,); None where no form is known.

        Nor is one known where no row weighs, or where the value exists but not a small step away.
        For sums (a metric with `scale`) W is held fixed: phi is W times that of the mean.
        """
        if not weight.any():
            return None
        if self._summed is not None:  # nobody else holds the columns, which take much room
            return influence_of_means(self._summed.columns, weight, self._finish_means, self._scale)
        of = self.statistic.influence
        return None if of is None else of(self.rows, weight, **self.statistic.params)

    def smoothed_influence(self, weight: Vector) -> Vector | None:
        """phi_i of a statistic with an edge, (n,); None where it has none or none is known."""
        of = self.statistic.smoothed
        return None if of is None else of(self.rows, weight, **self.statistic.params)

    def edge_df(self, weight: Vector) -> float | None:
        """Degrees of freedom of the rows at an end of the ranking, where a value rests on these."""
        of = self.statistic.edge_df
        return None if of is None else of(self.rows, weight, **self.statistic.params)

    def bias(self, weight: Vector) -> float | None:
        """Estimate by how much the rows at hand flatter it; None where that is not known."""
        of = self.statistic.bias
        return None if of is None else of(self.rows, weight, **self.statistic.params)

    def leave_one_out(self, weight: Vector) -> Vector | None:
        """Return the exact value without each row, shape (n,); None if no fast form is known."""
        if self.is_of_means:
            return values_without_each(weight[:, None] * self.terms, weight, self.compute_from_sums)
        if self.statistic.leave_one_out is None:
            return None
        return self.statistic.leave_one_out(self.rows, weight, **self.statistic.params)

    def classes(self) -> NDArray[np.bool_] | None:
        """Return flags of the rows of the upper of two classes, (n,); None where there are none."""
        of = self.statistic.classes
        return None if of is None else of(self.rows, **self.statistic.params)

    @property
    def _inputs(self) -> tuple[NDArray[Any], ...]:
        return _inputs(self.statistic, self.rows)

    @property
    def finish(self) -> Finish | None:
        """The function from means of `columns`, (b, k), to values; None for the first mean."""
        finish = self.statistic.finish
        return finish if self.is_counted is None else partial(divide_by_last_mean, finish)

    def _finish_means(self, means: Matrix) -> Vector:
        return finish_means(self.finish, means)

    def _scale(self, totals: Vector) -> Vector:
        if self.statistic.scale is None:
            return np.ones(len(totals))
        return self.statistic.scale(totals, **self.statistic.params)


def _inputs(metric: Metric, rows: Rows) -> tuple[NDArray[Any], ...]:
    """Return the arguments of the metric's function that come before the weights."""
    return rows.inputs() if metric.inputs is None else metric.inputs(rows, **metric.params)


def _columns(metric: Metric, rows: Rows) -> Matrix:
    """Return what each row adds to the sums of a metric that is a function of means, (n, k)."""
    found = rows.each(metric.function, metric.params, metric.inputs)
    if metric.shape == "counted":
        return np.asarray(np.eye(metric.cells)[found])
    columns = np.asarray(found, dtype=np.float64)
    return columns[:, None] if columns.ndim == 1 else columns


def rowwise(**about: Any) -> Callable[[Function], Function]:
    """Register f(y, score, **params) -> (n,) or (n, k)."""
    return partial(_register, "rowwise", about)


def cellwise(**about: Any) -> Callable[[Function], Function]:
    """Register f(y, score, **params) -> (n,) cells from 0 to `cells` − 1, with its `finish`."""
    return partial(_register, "counted", about)


def whole(**about: Any) -> Callable[[Function], Function]:
    """Register f(y, score, weight, **params) -> float."""
    return partial(_register, "whole", about)


def _register(shape: Shape, about: dict[str, Any], function: Function) -> Function:
    needs = about.get("needs", "amount")
    about.setdefault("kind", "probability" if needs == "density" else needs)
    if "estimand" in about:
        about["estimand"] = find_estimand(about["estimand"])
    register_statistic(Metric, METRICS, function, shape=shape, **about)
    return function
