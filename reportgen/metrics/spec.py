"""What a metric is: a name, a direction, a unit, a source, and one pure function.

It is a statistic of one number, written in one of three shapes:

    rowwise   f(y, score) -> (n,) or (n, k) numbers a row; weighted means, then `finish`,
              then times `scale` of the total weight where the value is a sum; nan for a row
              that the metric does not allow: its value is undefined where such a row weighs, or,
              if it `leaves_out`, is that of the other rows
    counted   f(y, score) -> (n,) numbers from 0, the cell of a small table in which each row
              falls; `finish` makes the value of the shares of the weight in the cells, (b, cells)
    whole     f(y, score, weight) -> one number, for metrics that are not means

A `whole` metric may add fast and exact forms of itself:

    fast            f(rows, batch) -> (b,)
    influence       f(rows, weight) -> (n,), phi_i = W * d theta / d w_i; its weighted sum is zero
    leave_one_out   f(rows, weight) -> (n,), the value without row i
    smoothed        f(rows, weight) -> (n,), phi_i of a statistic with an edge, with what stands
                    at the edge taken from its neighbours: for standard errors alone
    bias            f(rows, weight) -> by how much these rows flatter it

Those between may return None where no exact form is known. A share of pairs of two classes may name
them: `classes` f(rows) -> (n,), which rows are of the upper one, or None. Any metric may `derive`
f(rows, **params) -> rows the rows that it judges (a score that was moved), name by `inputs` f(rows,
**params) what its function is called with in place of y and score, and say by `why` f(rows,
**params) which of the causes that `undefined` lists holds. A metric that orders models as another
one does, whatever the rows, says so by `image` f(n, **params) -> Image or None, on n rows: one
question then has one answer. `caveat` is what a reader should know before trusting it. `answers` is
the question that it is for, `kind` what it judges, by default what it needs of a score; one that
`is_partial` looks at one side of that alone. `asks` is what its value says to a reader who knows no
statistics, after "MAE says", and `blind` what it is blind to. This file knows no model nor page.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property, partial
from types import MappingProxyType
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from reportgen.kernels.batch import Batch, Matrix, Vector
from reportgen.kernels.sums import weighted_sums
from reportgen.metrics.call_table import CallTable
from reportgen.metrics.left_out import values_without_each
from reportgen.metrics.of_means import Finish, Summed, influence_of_means, keeps, of_some
from reportgen.metrics.parameters import Parameter as Parameter
from reportgen.metrics.parameters import Scalar as Scalar
from reportgen.metrics.sides import Sides
from reportgen.metrics.statistic import BoundStatistic, Function, Statistic, entered
from reportgen.metrics.traits import ESTIMANDS as ESTIMANDS
from reportgen.metrics.traits import NEAREST as NEAREST
from reportgen.metrics.traits import Better as Better
from reportgen.metrics.traits import Estimand as Estimand
from reportgen.metrics.traits import Kind as Kind
from reportgen.metrics.traits import Portion as Portion
from reportgen.metrics.traits import Question as Question
from reportgen.metrics.traits import Withstands as Withstands
from reportgen.metrics.traits import estimand_of as estimand_of
from reportgen.rows import Rows

Shape = Literal["rowwise", "counted", "whole"]
Shares = tuple[tuple[float, float], ...]

METRICS: dict[str, Metric] = {}


@dataclass(frozen=True)
class Image:
    """What a metric is a monotone function of on the same rows, so that both prefer one model.

    `line` is (level, slope) where its value is level + slope · that of `metric` under any weights.
    """

    metric: Metric
    line: tuple[float, float] | None = None


@dataclass(frozen=True, kw_only=True)
class Metric(Statistic):
    """One entry of the catalogue of metrics.

    `is_led_by_a_loss`: the model with the smaller mean of the first column is better. `portions`
    are the shares of some cells that a counted metric is made of: one is it, or what it rises with;
    of more it is the sum, brought to its range; `portions_of` f(place, k) gives them for one of k
    classes, `shares` where scores choose rows. `calls` f(rows, weight) is the table of a metric of
    calls. `bound` binds one whose table is as large as the rows say. `shows_random_order`: the page
    prints its value in random order. All rows give the parameters `from_all_rows` that a config
    does not. `aliases` are other names; `asked_as` is what a config asks for it by.
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
    bias: Callable[..., float] | None = None
    derive: Callable[..., Rows] | None = None
    inputs: Callable[..., tuple[NDArray[Any], ...]] | None = None
    why: Callable[..., str] | None = None
    classes: Callable[..., NDArray[np.bool_] | None] | None = None
    image: Callable[..., Image | None] | None = None
    sides: Callable[..., Sides | None] | None = None
    is_led_by_a_loss: bool = False
    is_partial: bool = False
    leaves_out: bool = False
    from_all_rows: tuple[str, ...] = ()
    shows_random_order: bool = False
    kind: Kind = "amount"
    cells: int = 0
    portions: tuple[Portion, ...] = ()
    shares: Callable[..., Shares] | None = None
    portions_of: Callable[..., tuple[Portion, ...]] | None = None
    calls: Callable[..., CallTable | None] | None = None
    bound: Callable[..., BoundMetric] | None = None
    aliases: tuple[str, ...] = ()
    asked_as: Mapping[str, Scalar] = field(default_factory=lambda: MappingProxyType({}))

    @cached_property
    def asked_name(self) -> str:
        """The name by which a config asks for it: its own, or one that it shares."""
        return str(self.asked_as.get("name", self.name))

    @property
    def asked_params(self) -> Mapping[str, Scalar]:
        """The parameters by which a config asks for it: its own, and what tells it from others."""
        return {**self.params, **{k: v for k, v in self.asked_as.items() if k != "name"}}

    @property
    def withstands(self) -> Withstands:
        """What rows with a wrong y can do to it at most, by its kind and its range."""
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
        """Whether two models are compared by the mean of one loss a row, its first column."""
        is_mean = self.estimand.of == "mean" or self.is_led_by_a_loss
        return self.shape != "whole" and is_mean and self.better not in NEAREST

    @property
    def is_share_of_some_rows(self) -> bool:
        """Whether it counts rows among some that are the same for all models: recall."""
        is_one = len(self.portions) == 1 and self.portions[0].is_of_y
        return is_one and self.estimand.is_share_of_rows

    @property
    def is_sum(self) -> bool:
        """Whether the value grows with the total weight, as a raw sum does."""
        return self.scale is not None and self.scale(np.array([2.0]), **self.params)[0] != 1

    def root(self, n: int) -> Image:
        """The metric that decides which of two models is better on n rows: often itself."""
        step = None if self.image is None else self.image(n, **self.params)
        if step is None:
            return Image(self, (0.0, 1.0))
        found = step.metric.root(n)
        if step.line is None or found.line is None:
            return Image(found.metric)
        (level, slope), (start, rise) = step.line, found.line
        return Image(found.metric, (level + slope * start, slope * rise))

    def bind(self, rows: Rows) -> BoundMetric:
        """This metric on one model's rows: a function of weights."""
        return (self.bound or BoundMetric)(self, rows)


class BoundMetric(BoundStatistic[Metric]):
    """A metric on one model's rows."""

    def __init__(self, metric: Metric, rows: Rows) -> None:
        super().__init__(metric, metric.derive(rows, **metric.params) if metric.derive else rows)
        made, can_lack = partial(_columns, metric, self.rows), metric.shape == "rowwise"
        self._summed = None if metric.bound or metric.shape == "whole" else Summed(
            made, is_kept=keeps(self.rows), can_lack=can_lack, leaves_out=metric.leaves_out
        )  # fmt: skip

    @property
    def is_of_means(self) -> bool:
        """Whether its value is a function of weighted means of `columns`."""
        return self._summed is not None

    @property
    def judged(self) -> NDArray[np.bool_] | None:
        """Which rows count, where some are left out."""
        return None if self._summed is None else self._summed.judged

    @property
    def columns(self) -> Matrix | None:
        """What each row adds to the sums that it is found from, (n, k); None if it is no mean.

        Of many rows made anew each time: kept, those of all metrics take more room than all else.
        """
        return None if self._summed is None else self._summed.columns

    def summed(self) -> list[Vector]:
        """The same as single columns."""
        assert self._summed is not None
        return list(self._summed.columns.T)

    @property
    def losses(self) -> Vector | None:
        """One loss a row whose mean decides between two models, (n,); None where there is none."""
        columns = self.columns if self.statistic.has_losses else None
        if columns is None or self.statistic.shape == "rowwise":
            return None if columns is None else columns[:, 0]
        return self._finished(columns)  # what a mean of cells is, each cell adds

    def portions(self, share: Vector) -> Shares:
        """The shares of rows that it is made of, each with Kish's number, from shares of weight."""
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
        """Whether each row counts in the one share of cells that it is: 1, 0, or nan outside it."""
        is_share = self.statistic.estimand.is_share_of_rows
        if not is_share or [each.is_of_y for each in self.cells_of] != [True]:
            return None
        (portion,), ones = self.cells_of, np.ones(len(self.rows))
        inside, among = self._weight_in(portion.part, ones), self._weight_in(portion.among, ones)
        return np.where(among > 0, inside, np.nan)

    def _weight_in(self, cells: tuple[int, ...], weight: Vector) -> Vector:
        """What each row weighs in some cells of the table, (n,)."""
        columns = self.columns
        assert columns is not None
        return np.asarray(weight * columns[:, list(cells)].sum(axis=1))

    @property
    def cells_of(self) -> tuple[Portion, ...]:
        """The shares of cells that it is made of."""
        return self.statistic.portions

    @property
    def terms(self) -> Matrix:
        """The columns whose weighted sums give the value by `from_sums`."""
        assert self._summed is not None
        return self._summed.terms

    def __call__(self, batch: Batch) -> Vector:
        """The value under each weighting, shape (b,); nan where it does not exist."""
        if self.is_of_means:
            return self.from_sums(weighted_sums(batch, self.terms), batch.totals)
        return super().__call__(batch)

    @property
    def sides(self) -> Sides | None:
        """The errors behind a loss that weighs their sides unevenly; None of any other metric."""
        of = self.statistic.sides
        return None if of is None else of(self.rows, **self.statistic.params)

    def define(self, weight: Vector) -> float:
        """The value by the definition alone, slowly: the truth that fast forms must meet."""
        if self.is_of_means:
            sums = (weight @ np.ascontiguousarray(self.terms))[None, :]
            return float(self.from_sums(sums, np.array([weight.sum()]))[0])
        return float(self.statistic.function(*self._inputs, weight, **self.statistic.params))

    def from_sums(self, sums: Matrix, totals: Vector) -> Vector:
        """The values of a rowwise metric from weighted sums of `terms`, (b, k), and totals (b,)."""
        is_whole = totals > 0
        if self._summed is not None and self._summed.is_refusing:
            is_whole, sums = is_whole & (sums[:, -1] == 0), sums[:, :-1]
        means = np.full(sums.shape, np.nan)
        np.divide(sums, totals[:, None], out=means, where=is_whole[:, None])
        return self._finished(means) * self._scale(totals)

    def why_undefined(self, weight: Vector) -> str:
        """Why it has no value under this weighting, as it goes on after "it is undefined"."""
        if not np.any(weight > 0):
            return "where no row has weight"
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
            return influence_of_means(self._summed.columns, weight, self._finished, self._scale)
        of = self.statistic.influence
        return None if of is None else of(self.rows, weight, **self.statistic.params)

    def smoothed_influence(self, weight: Vector) -> Vector | None:
        """phi_i of a statistic with an edge, (n,); None where it has none or none is known."""
        of = self.statistic.smoothed
        return None if of is None else of(self.rows, weight, **self.statistic.params)

    def bias(self, weight: Vector) -> float | None:
        """By how much the rows at hand flatter it; None where that is not known of itself."""
        of = self.statistic.bias
        return None if of is None else of(self.rows, weight, **self.statistic.params)

    def leave_one_out(self, weight: Vector) -> Vector | None:
        """The exact value without each row, shape (n,); None where no fast form is known."""
        if self.is_of_means:
            return values_without_each(weight[:, None] * self.terms, weight, self.from_sums)
        if self.statistic.leave_one_out is None:
            return None
        return self.statistic.leave_one_out(self.rows, weight, **self.statistic.params)

    def classes(self) -> NDArray[np.bool_] | None:
        """Which rows are of the upper of two classes, shape (n,); None where there are none."""
        of = self.statistic.classes
        return None if of is None else of(self.rows, **self.statistic.params)

    @property
    def _inputs(self) -> tuple[NDArray[Any], ...]:
        return _inputs(self.statistic, self.rows)

    @property
    def finish(self) -> Finish | None:
        """What makes the values of means of `columns`, (b, k); None if that is the first mean."""
        finish = self.statistic.finish
        return finish if self.judged is None else partial(of_some, finish)

    def _finished(self, means: Matrix) -> Vector:
        return means[:, 0] if self.finish is None else self.finish(means)

    def _scale(self, totals: Vector) -> Vector:
        if self.statistic.scale is None:
            return np.ones(len(totals))
        return self.statistic.scale(totals, **self.statistic.params)


def _inputs(metric: Metric, rows: Rows) -> tuple[NDArray[Any], ...]:
    """What the function is called with, before weights."""
    return rows.inputs() if metric.inputs is None else metric.inputs(rows, **metric.params)


def _columns(metric: Metric, rows: Rows) -> Matrix:
    """What each row adds to the sums of a metric that is a function of means, (n, k)."""
    found = rows.each(metric.function, metric.params, metric.inputs)
    if metric.shape == "counted":
        return np.asarray(np.eye(metric.cells)[found])
    columns = np.asarray(found, dtype=np.float64)
    return columns[:, None] if columns.ndim == 1 else columns


def rowwise(**about: Any) -> Callable[[Function], Function]:
    """Register f(y, score, **params) -> (n,) or (n, k)."""
    return partial(_register, "rowwise", about)


def counted(**about: Any) -> Callable[[Function], Function]:
    """Register f(y, score, **params) -> (n,) cells from 0 to `cells` − 1, with its `finish`."""
    return partial(_register, "counted", about)


def whole(**about: Any) -> Callable[[Function], Function]:
    """Register f(y, score, weight, **params) -> float."""
    return partial(_register, "whole", about)


def _register(shape: Shape, about: dict[str, Any], function: Function) -> Function:
    needs = about.get("needs", "amount")
    about.setdefault("kind", "probability" if needs == "density" else needs)
    if "estimand" in about:
        about["estimand"] = estimand_of(about["estimand"])
    entered(Metric, METRICS, function, shape=shape, **about)
    return function
