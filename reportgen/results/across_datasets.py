"""Results over several datasets, and training beside test rows."""

from __future__ import annotations

from reportgen.records import record
from reportgen.results.core import Estimate
from reportgen.results.types import Number, Numbers, Word


@record
class PooledDifference:
    """Differences of data sets as draws around a mean (random effects), each with its own error.

    `mean` has limits at `level`, which allows for all pairs of the family; `tau` is the standard
    deviation of the true differences. Between `next_low` and `next_high` lies the true difference
    on another data set of the kind, at the same level.
    """

    mean: Number
    low: Number
    high: Number
    level: float
    tau: Number
    next_low: Number
    next_high: Number


@record
class AcrossComparison:
    """A candidate minus a baseline over data sets: on how many it wins, and by how much.

    `difference` is the Hodges–Lehmann centre of the differences; its limits and p-value are those
    of exact signed ranks, the limits at `level`, which allows for all pairs of the family, as does
    `p_adjusted`. The last three are the posterior of the Bayesian signed-rank test: worse by more
    than `rope`, within it, better by more. None where values are in several units. `pooled` is None
    where no standard error of a data set is known, or one is 0.
    """

    key: str
    candidate: str
    baseline: str
    wins: int
    ties: int
    losses: int
    difference: Number
    low: Number
    high: Number
    level: float
    p_value: Number
    p_adjusted: Number
    margin: Number
    word: Word
    rope: Number = None
    worse: Number = None
    alike: Number = None
    better: Number = None
    pooled: PooledDifference | None = None


@record
class AcrossDatasets:
    """One metric over data sets: mean ranks, 1 the best, and whether any model differs.

    `chi_squared` is Friedman's, `f` Iman and Davenport's; p-values of under six data sets are None.
    `cliques` are models, the best first, of which no two are told apart: by signed ranks of all
    pairs, adjusted by Holm, or by a `critical_distance` between mean ranks, which is Nemenyi's.
    """

    key: str
    datasets: tuple[str, ...]
    models: tuple[str, ...]
    mean_ranks: Numbers
    chi_squared: Number
    p_chi_squared: Number
    f: Number
    p_f: Number
    comparisons: tuple[AcrossComparison, ...]
    cliques: tuple[tuple[str, ...], ...] = ()
    critical_distance: Number = None


@record
class TrainTestGap:
    """One metric of one model on the rows of `fit`, n of them, and on those of `dataset`.

    `difference` is fresh minus fitted, in the metric's unit; its limits, at `level`, are those of
    two independent samples, None where one of both has no interval.
    """

    dataset: str
    fit: str
    n: int
    model: str
    key: str
    fitted: Estimate
    fresh: Estimate
    difference: Number
    low: Number
    high: Number
    level: float
