"""On how many rows a number rests whose variance comes from kinds of rows, some of them rare."""

from __future__ import annotations

import numpy as np

from reportgen.kernels.batch import Vector


def rows_that_decide(slope: Vector, share: Vector, rows: Vector) -> float:
    """How many rows the standard error of a function of shares rests on; nan if it has none.

    `share` (k,) is what each kind of row weighs of all, `slope` (k,) how the value moves with it
    and `rows` (k,) how many equally weighted rows are of it. Each kind adds slope² · share² / rows
    to the variance and knows that as well as its rows can say; together they know it as so many
    rows do (Satterthwaite 1946).

    >>> one_in_ten = np.array([0.1, 0.9])  # a share of rows rests on those of the rarer kind
    >>> round(rows_that_decide(np.array([1.0, 0.0]), one_in_ten, np.array([5.0, 45.0])), 1)
    6.2
    """
    about = slope - float(slope @ share) / float(share.sum())
    with np.errstate(divide="ignore", invalid="ignore"):
        added = np.where(rows > 0, (about * share) ** 2 / rows, 0.0)
        known = np.where(rows > 0, added**2 / rows, 0.0)
    return float(added.sum() ** 2 / known.sum()) if known.sum() > 0 else np.nan
