"""Metrics of flags for each of two classes, and their means over both."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from reportgen.kernels.batch import Matrix, Vector
from reportgen.kernels.thresholds import CELLS, FN, FP, TN, TP
from reportgen.metrics.classification.confusion import derive_flag_metric
from reportgen.metrics.classification.multiclass_tables import average_over_classes
from reportgen.metrics.count_tables import Finish
from reportgen.metrics.metric import Metric
from reportgen.metrics.traits import ESTIMANDS, TableShare

CLASS_PLACES = ("0", "1")
"""The lower and the upper of two classes, whatever their values in the data are."""
MEANS = ("macro", "weighted")


def make_class_metric(metric: Metric, of: str) -> Metric:
    """Build the metric of one class: of the upper it is as it was.

    Of the lower class, the rows that are not flagged are those predicted as it.
    """
    params = {**metric.params, "of": of}
    if of == CLASS_PLACES[1]:
        return derive_flag_metric(metric, _get_finish(metric), params)
    portions = tuple(_exchange_cells(each) for each in metric.portions)
    finish = partial(_finish_lower, _get_finish(metric))
    return derive_flag_metric(metric, finish, params, portions=portions)


def make_mean_metric(metric: Metric, average: str) -> Metric:
    """Build the mean over both classes: each alike (`macro`), or by its rows (`weighted`).

    A class without a value counts 0, one without rows does not count.
    """
    about: dict[str, Any] = {"estimand": ESTIMANDS["share of cells"], "portions": (), "image": None}
    if metric.name == "recall" and average == "weighted":  # the share of rows that are right
        about["estimand"] = ESTIMANDS["proportion"]
    elif metric.name in ("precision", "recall") and average == "macro":
        both = (*map(_exchange_cells, metric.portions), *metric.portions)
        about |= {"estimand": ESTIMANDS["mean of proportions"], "portions": both}
    finish = partial(_finish_mean, _get_finish(metric), average)
    return derive_flag_metric(metric, finish, {**metric.params, "average": average}, **about)


def _get_finish(metric: Metric) -> Finish:
    assert metric.finish is not None
    return metric.finish


def _finish_lower(finish: Finish, tables: Matrix) -> Vector:
    """Evaluate a function of tables with the two classes exchanged."""
    return finish(tables[:, ::-1])


def _finish_mean(finish: Finish, average: str, tables: Matrix) -> Vector:
    each = np.stack([_finish_lower(finish, tables), finish(tables)], axis=1)
    rows = np.stack([tables[:, TN] + tables[:, FP], tables[:, FN] + tables[:, TP]], axis=1)
    return average_over_classes(each, rows, average)


def _exchange_cells(share: TableShare) -> TableShare:
    part, among = (tuple(CELLS - 1 - cell for cell in cells) for cells in (share.part, share.among))
    return TableShare(part, among, share.is_of_y)
