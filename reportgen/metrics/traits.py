"""Traits of a metric: direction, estimand, scale, unit."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Literal

from reportgen.records import record

Better = Literal["higher", "lower", "zero", "one"]
NEAREST: Mapping[str, float] = MappingProxyType({"zero": 0.0, "one": 1.0})
"""What is best of a metric that neither end of its range is best of."""
Kind = Literal[
    "order",  # how well the scores order the rows
    "amount",  # how far the scores lie from what happened
    "cost",  # what errors cost where their side counts
    "probability",  # how good the probabilities are
    "decision",  # what comes of acting on the scores: on the top of them, or from a threshold on
    "answers",  # how good answers to items are
    "samples",  # what comes of several answers to one item
    "expense",  # what answers take: tokens, time, money
]
"""What a metric judges: of one kind are those that answer one question with other weights."""
Scale = Literal[
    "share",  # between 0 and 1, judged by its logit
    "correlation",  # between -1 and 1, judged by Fisher's z
    "positive",  # judged by its logarithm
    "one minus positive",  # judged by the logarithm of what it lacks of 1
    "real",  # judged as it stands
]
Of = Literal[
    "mean",  # a weighted mean of one number a row
    "means",  # a function of such means
    "cells",  # a function of the shares of the weight in the cells of a small table
    "classes",  # a mean over classes of a share of the rows of each
    "pairs",  # a ratio of sums over pairs of rows
    "ranks",  # of ranks, which every other row moves
    "weights",  # any other smooth function of the weights
    "order",  # not smooth: a median, what hangs on which row comes next
]
Robustness = Literal[
    "",  # nothing is known
    "nothing",  # one row moves it without limit
    "range",  # one row may move it over most of its range
    "rows",  # one row moves it by 1/n of its range
    "pairs",  # one row is in 2/n of the pairs
    "ranks",  # one row moves a rank by up to n, and all others by 1
    "half",  # it stays among the right rows until half of them are wrong
]


@record
class Estimand:
    """Properties of a value that inference needs to know.

    `scale` is the one on which its error is judged, `of` what it is made of. `tails` says that
    a few wild rows rule it as they rule squares, products of two numbers a row, or a `sum` of
    which it is a share; or that `none` can. `interval` names a method of its own for one model's
    value, tried before those of the scale. `odds` is what the odds of a share of rows are
    multiplied by to give its own odds: 2 for F1, which is made of the rows that are called right
    among those that are called
    or should be. `window` says on which share of the positives, and of the negatives, it rests,
    `doubt` which share of its bias, found from a fit to the rows, counts as a standard error.
    Where chance adds more to the value of one model than any limits allow for, it has none: not
    `has_limits`. One that `is_cut_off` lies at the end of its range by chance, as
    what would lie beyond is told as the end.
    """

    scale: Scale
    of: Of
    tails: Literal["", "squares", "products", "sum", "none"] = ""
    interval: str = ""
    odds: float = 1.0
    window: tuple[float, float] = (1.0, 1.0)
    doubt: float = 0.0
    has_limits: bool = True
    is_cut_off: bool = False

    @property
    def is_smooth(self) -> bool:
        """True if a small change of the weights moves it by a small amount."""
        return self.of != "order"

    @property
    def is_mean(self) -> bool:
        """True if it is a mean of losses, judged as it stands."""
        return self.of == "mean" and self.scale == "real"

    @property
    def is_share_of_rows(self) -> bool:
        """True if it counts rows, of all or of some: a proportion."""
        return self.is_made_of_a_share and self.odds == 1

    @property
    def is_made_of_a_share(self) -> bool:
        """True if it is a proportion, or rises with one whose odds are a multiple of its own."""
        is_of_rows = self.of == "mean" or (self.of == "cells" and self.interval == "wilson")
        return self.scale == "share" and (is_of_rows or self.is_of_rows_at_an_end)

    @property
    def is_of_rows_at_an_end(self) -> bool:
        """True if it is a share of the rows with the highest or the lowest scores."""
        return self.interval == "clopper-pearson"

    @property
    def is_logged(self) -> bool:
        """True if it, or what it lacks of 1, is judged by a logarithm."""
        return self.scale in ("positive", "one minus positive")

    @property
    def is_correlation_of_means(self) -> bool:
        """True if it is a correlation of numbers, not of ranks or of pairs."""
        return self.of == "means" and self.scale == "correlation"


ESTIMANDS: Mapping[str, Estimand] = MappingProxyType(
    {
        # Of rows.
        "proportion": Estimand("share", "mean", interval="wilson"),
        # Of the rows in some cells of a table: precision, recall.
        "proportion of some rows": Estimand("share", "cells", interval="wilson"),
        # Of odds that are twice those of such a proportion: F1.
        "twice the odds of some rows": Estimand("share", "cells", interval="wilson", odds=2.0),
        # The mean of such proportions, or their sum less one.
        "mean of proportions": Estimand("share", "cells", interval="newcombe"),
        "sum of proportions": Estimand("correlation", "cells", interval="newcombe"),
        # The mean over classes of such a share: balanced accuracy, macro F.
        "mean over classes": Estimand("share", "classes", interval="newcombe"),
        # Any other function of a table's cells.
        "share of cells": Estimand("share", "cells"),
        "correlation of cells": Estimand("correlation", "cells"),
        "ratio of cells": Estimand("positive", "cells"),
        "function of cells": Estimand("real", "cells", interval="influence"),
        # Of calls that begin where the weight says: what stands at the edge moves too.
        "share of a cut that moves": Estimand("real", "weights", interval="edge-wilson"),
        # Of the rows at an end of the ranking, as many as the weight says.
        "proportion of rows at an end": Estimand("share", "weights", interval="clopper-pearson"),
        # An area under precision over recall: smooth, and a share.
        "share of an area": Estimand("share", "weights"),
        # The best of all thresholds or of all rising lines, which the rows at hand flatter.
        "best of many": Estimand("real", "weights", interval="debiased-se"),
        "fitted": Estimand("real", "weights", interval="debiased-se", doubt=0.5),
        # A distance from which chance is taken away, so that it may be 0.
        "debiased distance": Estimand("real", "weights", interval="percentile", is_cut_off=True),
        # A distance that chance adds to: one model's has no limits that hold.
        "distance with chance": Estimand("real", "weights", has_limits=False),
        # Best judged by its own influence, whatever replicates say.
        "slope of a fit": Estimand("real", "weights", "none", interval="influence"),
        "share of pairs": Estimand("share", "pairs"),
        "correlation of pairs": Estimand("correlation", "pairs"),
        # Over all pairs, tied ones too.
        "mean sign of pairs": Estimand("real", "pairs", interval="hollander-wolfe"),
        "correlation of ranks": Estimand("correlation", "ranks"),
        "correlation of numbers": Estimand("correlation", "means", "products"),
        # A weighted mean of one loss a row.
        "mean": Estimand("real", "mean"),
        # The same of a few prices: no row can be wilder than the dearest.
        "mean of prices": Estimand("real", "mean", "none", interval="newcombe"),
        # The same where each row may have prices of its own.
        "mean of costs": Estimand("real", "mean", interval="newcombe"),
        # A mean of squares or its root, best studentized on the log scale: RMSE.
        "log mean": Estimand("positive", "means", "squares"),
        # Any other positive function of means, best studentized there too: WAPE.
        "log function": Estimand("positive", "means"),
        # 1 minus such a function: R squared.
        "log residual": Estimand("one minus positive", "means", "products"),
        # The same of losses that no single row can make large: Brier skill.
        "log residual of bounded losses": Estimand("one minus positive", "means"),
        # Any other smooth function of the weights.
        "smooth": Estimand("real", "weights"),
        # Of the amounts in some buckets of the ranking: few rows decide it.
        "mean at an edge": Estimand("real", "weights", interval="edge-t"),
        # The share that some rows have in a sum over all: one row may be most of it.
        "share of a sum": Estimand("real", "weights", "sum", interval="edge-t"),
        # Not smooth: medians, bucket medians.
        "quantile": Estimand("real", "order"),
    }
)
"""Estimands that many metrics share, by the name that a metric may give in place of its traits."""


def find_estimand(given: Estimand | str) -> Estimand:
    """Find the traits that a name stands for; raise a ValueError listing the names if unknown."""
    if isinstance(given, Estimand):
        return given
    if given not in ESTIMANDS:
        raise ValueError(f"no estimand is called {given!r}; there are {', '.join(ESTIMANDS)}")
    return ESTIMANDS[given]


@record
class TableShare:
    """The share that the weight in some cells of a table has in that of more of its cells.

    `is_of_y` says that what happened alone decides which rows are among these, so that all models
    have the same.
    """

    part: tuple[int, ...]
    among: tuple[int, ...]
    is_of_y: bool = False


ReferenceKind = Literal[
    "",  # none is made: the metric has a value by chance, or says why there is none
    "median",  # of y
    "mean",  # of y
    "quantile",  # of y, at the metric's α
    "relative median",  # of y, each row weighing 1/|y|
    "log mean",  # exp of the mean of log(1 + y), less 1
    "best constant",  # the constant at which the metric is best
    "distribution",  # the quantiles of y
    "normal",  # the mean and standard deviation of y
    "random order",  # all rows, or all documents of a query, tied
    "share",  # the share of positives
    "everyone",  # every row is flagged
    "nobody",  # no row is flagged
    "everyone or nobody",  # whichever is better by the metric
    "commonest class",
    "best class",  # the class that is best by the metric for every row
    "class shares",  # the share of each class
    "labels",  # the labels that most rows have, or every label, whichever is better
    "label set",  # the commonest set of labels
    "label shares",  # the share of the rows that have each label
]
"""What is predicted without a model, to hold a metric's value against."""


@record
class Question:
    """Question about a model, and when it is the one to ask."""

    text: str
    when: str


_AT = " at under + over = "


def unit_at_scale(unit: str, total: float) -> str:
    """Format the unit of a loss whose costs of one unit too low and one too high sum to `total`.

    >>> unit_at_scale("y²", 2)
    'y² at under + over = 2'
    """
    return f"{unit}{_AT}{total:g}"


def strip_scale(unit: str) -> str:
    """Return the unit alone, without its scale.

    >>> strip_scale("y² at under + over = 2"), strip_scale("y")
    ('y²', 'y')
    """
    return unit.partition(_AT)[0]


def fill_unit(template: str, unit: str, currency: str | None = None) -> str:
    """Put the unit of y into the metric's unit; for a cost, return the money per case.

    `currency` is that of the declared unit costs, "" if they have none, None without any.

    >>> fill_unit("y", "dollars"), fill_unit("y²", "dollars"), fill_unit("y²", "USD/day")
    ('dollars', 'dollars²', '(USD/day)²')
    >>> fill_unit("1", "dollars"), fill_unit("cost", "dollars", "EUR"), fill_unit("cost", "dollars")
    ('1', 'EUR per case', 'per case')

    A loss is told from money on another scale, where there is such money.

    >>> loss = unit_at_scale("y", 2)
    >>> fill_unit(loss, "EUR"), fill_unit(loss, "EUR", "EUR"), fill_unit(loss, "y", "EUR")
    ('EUR', 'EUR at under + over = 2', 'at under + over = 2')
    """
    if template == "cost":
        return f"{currency or ''} per case".lstrip()
    plain, at, total = template.partition(_AT)
    if not plain.startswith("y"):
        return plain
    is_one_word = unit.isalpha() or len(unit) == 1
    named = plain.replace("y", unit if plain == "y" or is_one_word else f"({unit})")
    if not at or currency is None:
        return named
    return f"{'' if unit == 'y' else named}{at}{total}".lstrip()
