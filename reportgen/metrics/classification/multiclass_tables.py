"""Metrics that are functions of a multiclass confusion matrix: the machinery."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial
from typing import Any, cast

import numpy as np

from reportgen.kernels.batch import Batch, Index, Matrix, Vector
from reportgen.kernels.cumulative import divide
from reportgen.metrics.count_tables import CellTable, ClassTables, evaluate_tables
from reportgen.metrics.metric import METRICS, BoundMetric, Metric, cellwise
from reportgen.metrics.rows import Classes, LabelSets, Rows
from reportgen.metrics.statistic import Function
from reportgen.metrics.traits import ESTIMANDS, TableShare


def average_over_classes(
    each: Matrix, share: Matrix, average: str, undefined: str = "zero"
) -> Vector:
    """Average a value of each class, (b, k), over the classes that have rows, (b,).

    `share` (b, k) is that of the weight with the class, by which they count if that is the
    average. A class without a value counts 0, or is left out.
    """
    if undefined == "zero":
        each = np.where(np.isnan(each), 0.0, each)
    counts = (share > 0) & ~np.isnan(each)
    weight = share * counts if average == "weighted" else counts.astype(np.float64)
    total = np.sum(np.where(counts, each, 0.0) * weight, axis=1)
    return divide(total, weight.sum(axis=1))


def build_cell_table(rows: Classes) -> CellTable:
    """Build the table of each row's cell: its class and its predicted class."""
    k = len(rows.labels)
    return rows.once("calls", lambda: CellTable.from_classes(rows.code, rows.prediction, k))


def find_class_place(rows: Classes | LabelSets, of: str | None) -> int | None:
    """Find the index of a class by its name; return None if no class is named."""
    if not of:
        return None
    if of not in rows.labels:
        raise ValueError(f"no class is named {of!r}; there are {', '.join(rows.labels)}")
    return rows.labels.index(of)


class BoundTableMetric(BoundMetric):
    """A metric of calls on one model's rows."""

    def __init__(self, metric: Metric, rows: Rows) -> None:
        super().__init__(metric, rows)
        self._table = build_cell_table(cast(Classes, rows))
        self._params = dict(metric.params)
        for name in {"of", "called"} & self._params.keys():
            self._params[name] = find_class_place(
                cast(Classes, rows), str(metric.params[name] or "")
            )
        self._place = cast("int | None", self._params.get("of"))

    @property
    def losses(self) -> Vector | None:
        """The contribution of each row to the value, (n,), where that is a mean; else None."""
        if not self.statistic.has_losses:
            return None
        return self._table.losses(self._value)

    def __call__(self, batch: Batch) -> Vector:
        """Return the value under each weighting, shape (b,); nan where it is undefined."""
        return evaluate_tables(self._value, self._table.tables(batch))

    def define(self, weight: Vector) -> float:
        """Compute the value of the table that is counted row by row."""
        if not weight.any():
            return np.nan
        return float(evaluate_tables(self._value, self._table.table(weight))[0])

    def influence(self, weight: Vector) -> Vector | None:
        """Return the slope in the row's own cell minus the mean slope, (n,); None if unknown."""
        return self._table.influence(self._value, weight, self._alike) if weight.any() else None

    @property
    def _alike(self) -> Index | None:
        """Cells with rows that a metric of one class cannot tell apart, (m,); None of all."""
        if self._place is None:
            return None
        was, called = self._table.sides
        asked = self._params.get("called")
        target = self._place if asked is None else asked
        return np.asarray(2 * (was == self._place) + (called == target), dtype=np.intp)

    @property
    def was_and_called(self) -> tuple[Index, Index]:
        """The places of the class that each row is and of the one that it is called, (n,) each."""
        was, called = np.divmod(self._table.cell, self._table.classes)
        return np.asarray(was), np.asarray(called)

    @property
    def classes_in_table(self) -> int:
        """How many classes there are."""
        return self._table.classes

    @property
    def is_of_one(self) -> bool:
        """True if it is asked of one class."""
        return self._place is not None

    def one_row_more(
        self, weight: Vector, squares: Vector | None = None, *, by_call: bool = False
    ) -> Vector:
        """Return how far the value moves if one row of a class is called otherwise, (k,), by class.

        By the class that is called if `by_call`: then one row of a call is of another class.
        `squares` are the squared weights, unless they are those of the weights.
        """
        known = weight**2 if squares is None else squares
        return self._table.one_row_more(self._value, weight, known, by_call=by_call, of=self._place)

    def leave_one_out(self, weight: Vector) -> Vector:
        """Return the exact value without each row, shape (n,)."""
        return self._table.leave_each_out(self._value, weight)

    @property
    def cells_of(self) -> tuple[TableShare, ...]:
        """The shares of cells that it is made of, by the place of its class."""
        of = self.statistic.portions_of
        if of is None or self._place is None:
            return self.statistic.portions
        more = {k: v for k, v in self._params.items() if k == "called"}
        return of(self._place, self._table.classes, **more)

    def _weight_in(self, cells: tuple[int, ...], weight: Vector) -> Vector:
        return np.asarray(weight * np.isin(self._table.cell, cells))

    def _value(self, tables: ClassTables) -> Vector:
        return np.asarray(self.statistic.function(tables, **self._params))


def multiclass_call_metric(name: str, **about: Any) -> Callable[[Function], Function]:
    """Register f(tables, **params) -> (b,), a metric of calls, to be asked for by a name.

    One that takes `of` is given the place of the class, or None. `titled` f(**params) gives its
    title where that hangs on them. `of_one` is its estimand where a class is named, or f(beta)
    gives it, and `share` f(place, k) the cells of which it is then a share or rises with one.
    `by_class` f(**params) is what it averages over classes, or None.
    """
    return partial(_register, name, about)


def _register(name: str, given: Mapping[str, Any], function: Function) -> Function:
    about = {"bounds": (0.0, 1.0), "unit": "share", **given}
    of_one, share = about.pop("of_one", about["estimand"]), about.pop("share", None)
    title, estimand, image = about["title"], about["estimand"], about.get("image")
    titled, by_class = about.pop("titled", None), about.pop("by_class", None)

    def fields(**params: Any) -> Mapping[str, Any]:
        if not params.get("of"):
            whole = title if titled is None else titled(**params)
            averaged = None if by_class is None else by_class(**params)
            kind = ESTIMANDS["share of cells" if by_class and averaged is None else estimand]
            return {"estimand": kind, "title": whole, "image": image, "class_share": averaged}
        made = {
            "title": f"{title} of {params['of']}",
            "image": None,
            "portions_of": share,
            "class_share": None,
        }
        kind = of_one(params["beta"]) if callable(of_one) else of_one
        return {**made, "estimand": ESTIMANDS[kind]}

    register = partial(cellwise, task="multiclass", kind="decision", needs="label")
    more = {"bound": BoundTableMetric, "fields_for": fields, "asked_as": {"name": name}}
    register(**about, **more, name=metric_name(name, function))(function)
    return function


def make_cell_share_metric(of: str, called: str) -> Metric:
    """Build the metric of a cell: the share of one class's rows that are called some class."""
    recall = METRICS["multiclass_recall"]
    return replace(
        recall,
        name="share_called",
        asked_as={},
        title=f"{of} called {called}",
        function=_share_of_cell,
        parameters=(),
        params={"of": of, "called": called},
        estimand=ESTIMANDS["proportion of some rows"],
        portions_of=_cell_of,
        check=None,
        fields_for=None,
        image=None,
        class_share=None,
    )


def _share_of_cell(tables: ClassTables, *, of: int, called: int) -> Vector:
    cell = np.zeros((tables.classes, tables.classes))
    cell[of, called] = 1
    return divide(tables.sum_costs(cell), tables.truth[:, of])


def _cell_of(place: int, k: int, called: int) -> tuple[TableShare, ...]:
    row = tuple(range(place * k, place * k + k))
    return (TableShare((place * k + called,), row, is_of_y=True),)


def metric_name(name: str, function: Callable[..., Any]) -> str:
    """Return a metric's registered name: its function's, or one with its own task if shared."""
    return name if function.__name__ == name else f"multiclass_{name}"
