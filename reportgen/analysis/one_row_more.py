"""What groups of few rows may hide of a metric of calls: what one row more of each would show.

Groups are the rows of each class or label, and those that are called so. Of one model's metric of
one class nothing is added: limits of a proportion are made for few rows.
"""

from __future__ import annotations

from typing import cast

import numpy as np

from reportgen.analysis.subset import RowSubset
from reportgen.inference.within_classes import unseen
from reportgen.kernels.batch import Matrix, Vector
from reportgen.metrics.classes.label_calls import MeanOfLabels
from reportgen.metrics.classes.label_moves import groups_of, kinds_of
from reportgen.metrics.classes.of_calls import BoundTable
from reportgen.metrics.in_folds import FoldMetric
from reportgen.metrics.spec import BoundMetric
from reportgen.rows import LabelSets


def hidden(part: RowSubset, key: str, influence: Vector | None, *models: str) -> float:
    """The variance that few rows hide of one model's value, or of the first minus the second.

    `influence` is that of the rows that weigh, which are independent. 0 of a mean over rows, and of
    any metric but one of the calls of several classes or labels.
    """
    bound = [part.bound[key, model] for model in models]
    weight = part.judging(bound[0]).weight
    if influence is None or bound[0].statistic.has_losses or not weight.any():
        return 0.0
    tables = [each for each in bound if isinstance(each, BoundTable)]
    if len(tables) == len(bound):
        return _of_classes(tables, influence, weight)
    finish = bound[0].statistic.finish
    if isinstance(finish, MeanOfLabels) and not isinstance(bound[0], FoldMetric):
        return _of_labels(finish, bound, weight)
    return 0.0


def _of_classes(bound: list[BoundTable], influence: Vector, weight: Vector) -> float:
    if bound[0].is_of_one and len(bound) == 1:
        return 0.0
    held = weight > 0
    was, _ = bound[0].was_and_called
    moves = np.maximum.reduce([each.one_row_more(weight) for each in bound])
    groups = [(was, moves)]
    groups += [(each.was_and_called[1], each.one_row_more(weight, by_call=True)) for each in bound]
    return sum(unseen(code[held], influence, weight[held], each) for code, each in groups)


def _of_labels(finish: MeanOfLabels, bound: list[BoundMetric], weight: Vector) -> float:
    if finish.average == "micro":
        return 0.0
    rows, total = cast(LabelSets, bound[0].rows), float(weight.sum())
    k = len(rows.labels)
    columns = [cast(Matrix, each.columns)[:, : 3 * k] for each in bound]
    said = [each[:, k : 2 * k].astype(np.bool_) for each in columns]
    squares = kinds_of(weight**2, rows.flags, *said)
    means = [weight @ each / total for each in columns]
    return sum(unseen(*each) for each in groups_of(finish, means, squares, total))
