"""What a metric says of itself, in closed lists: its task, its direction, the kind of its value."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Task = Literal["regression", "binary", "multiclass", "multilabel", "ranking"]
Better = Literal["higher", "lower", "zero"]
Estimand = Literal[
    "mean",         # a weighted mean of one loss a row
    "log mean",     # a mean of squares or its root, best studentized on the log scale: RMSE
    "log function", # any other positive function of means, best studentized there too: WAPE
    "log residual", # 1 minus such a function: R squared
    "proportion",   # a share of rows
    "kendall",      # a ratio of pair sums between -1 and 1
    "kendall_a",    # the same over all pairs
    "auc",          # a share of pairs
    "spearman",
    "pearson",
    "smooth",       # any other smooth function of the weights
    "quantile",     # not smooth: medians, bucket medians
]  # fmt: skip
Withstands = Literal[
    "",         # nothing is known
    "nothing",  # one row moves it without limit
    "range",    # one row may move it over most of its range
    "rows",     # one row moves it by 1/n of its range
    "pairs",    # one row is in 2/n of the pairs
    "ranks",    # one row moves a rank by up to n, and all others by 1
    "half",     # it stays among the right rows until half of them are wrong
]  # fmt: skip
POSITIVE: tuple[Estimand, ...] = ("log mean", "log function")  # judged by their logarithms


@dataclass(frozen=True)
class Question:
    """What somebody wants to know of a model, and when it is the question to ask."""

    text: str
    when: str
