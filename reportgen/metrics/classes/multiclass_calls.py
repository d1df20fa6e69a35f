"""Calls of one of several classes: functions of the table of classes that were and were called.

A row is called the class with the largest score, the first of several. A function of the table is
given the shares of the weight, (b, k, k), a row of the table a class that was, a column a class
that was called; all such metrics of a model are found from one count of its cells.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from reportgen.kernels.batch import Matrix, Vector
from reportgen.metrics.cell_table import CellTable
from reportgen.metrics.spec import Portion, counted
from reportgen.metrics.statistic import Function
from reportgen.metrics.traits import ESTIMANDS
from reportgen.rows import Classes

Average = Literal["macro", "weighted", "micro"]
AverageOfF = Literal["macro", "weighted", "micro", "macro_pr"]
Undefined = Literal["zero", "skip"]
Table = NDArray[np.float64]  # (b, k, k)
Cells = Callable[[int, int], Portion]
GORODKIN = (
    "Gorodkin (2004), Comparing two K-category assignments by a K-category correlation "
    "coefficient, Computational Biology and Chemistry 28; doi:10.1016/j.compbiolchem.2004.09.006"
)
COHEN = (
    "Cohen (1960), A coefficient of agreement for nominal scales, Educational and Psychological "
    "Measurement 20; doi:10.1177/001316446002000104"
)
OPITZ = "Opitz & Burst (2019), Macro F1 and macro F1; arXiv:1911.03347"
EACH = "The mean gives every class the same say, the rarest too."
NO_ROWS = "where no row of the class has weight"
OTHERS = "which class is called in its place, and how sure the model was"


def table_of_calls(rows: Classes) -> CellTable:
    """The cell of each row: the class that it is, and the class that it is called."""
    k = len(rows.labels)
    return rows.once("calls", lambda: CellTable.of(rows.code * k + rows.called, k * k))


def of_calls(**about: Any) -> Callable[[Function], Function]:
    """Register f(table (b, k, k), **params) -> (b,), a metric of calls of several classes.

    One that takes `of`, the name of a class, is given its place, or None. `of_one` are the fields
    that it has then, `portions` f(place, k) the cells of which that share is made.
    """
    return partial(_register, about)


def _register(about: Mapping[str, Any], function: Function) -> Function:
    asked, one, portion = about["asked"], about.get("of_one", {}), about.get("portion")
    also = about.get("by_params")
    fixed = {k: v for k, v in about.items() if k not in ("asked", "of_one", "portion", "by_params")}

    def fields(**params: Any) -> Mapping[str, Any]:
        made: dict[str, Any] = {"estimand": ESTIMANDS[about["estimand"]]}
        made |= {} if also is None else also(**params)
        if params.get("of"):
            made |= one
            made |= {"cells_of": portion} if portion is not None else {}
            made["title"] = f"{about['title']} of {params['of']}"
        return made

    counted(
        **fixed,
        name=f"multiclass_{asked}" if asked != function.__name__ else asked,
        asked_as={"name": asked},
        task="multiclass",
        kind="decision",
        needs="label",
        table=table_of_calls,
        fields_for=fields,
        finish=_finish,
    )(function)
    return function


def _finish(table: Matrix) -> Vector:
    """What is never asked: a table's metric is its function of the table."""
    raise NotImplementedError


def place_of(rows: Classes, of: str | None) -> int | None:
    """The place of a class by its name or value; None where none is named."""
    if not of:
        return None
    if of not in rows.labels:
        raise ValueError(f"no class is called {of!r}; there are {', '.join(rows.labels)}")
    return rows.labels.index(of)
