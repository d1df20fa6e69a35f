"""Plan the resampling design: units, strata, folds, block length, number of replicates."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import starmap
from math import ceil, log10, sqrt
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from reportgen.analysis.plan import (
    FoldAssignment,
    InferencePlan,
    ModelScores,
    PlannedMetric,
    SamplingPlan,
    Segment,
    explain_unsuited,
)
from reportgen.config.schema.config import Config
from reportgen.config.schema.datasets import FoldKeys
from reportgen.data.arrow import compute_keys
from reportgen.data.codes import order_by_number
from reportgen.data.sample import QueryTarget, Sample, SamplingColumns
from reportgen.inference.intervals import DIFFERENCE_RULES, TEST_RULES, select_methods
from reportgen.inference.long_run import estimate_first_correlation
from reportgen.inference.methods import ONE_TAIL_METHODS, TWO_TAIL_METHODS
from reportgen.inference.resampled_intervals import count_needed_replicates
from reportgen.inference.resampling.design import Design
from reportgen.kernels.batch import Index, Vector
from reportgen.metrics.metric import Metric
from reportgen.metrics.rows import Rows
from reportgen.metrics.tasks import TASKS
from reportgen.metrics.traits import NEAREST
from reportgen.planning.segments import list_windows

CALM = 5  # lags in a row without correlation after which there is none
BANDS = 2.0  # standard errors that a correlation must pass to count


def compute_error_series(
    y: Vector, weight: Vector, use: PlannedMetric | None, model: ModelScores | None
) -> Vector:
    """Compute each row's part in the error of one model's metric, shape (n,), whose order matters.

    Where there is no metric, or its influence is not known, what it adds to the mean of y.
    """
    total = float(weight.sum())
    phi = None
    if use is not None and model is not None and not explain_unsuited(use.metric.needs, model):
        phi = use.metric.bind(model.rows).influence(weight)
    if phi is None or not np.all(np.isfinite(phi)):
        phi = y - float(np.add.reduce(weight * y)) / total
    each: Vector = weight * phi / total
    return each


def choose_block_length(values: Vector, moment: Index | None = None) -> float:
    """Choose the mean length of a block, in moments, for a stationary bootstrap of the mean.

    Politis and White (2004) as corrected by Patton, Politis and White (2009), with a flat-top lag
    window: (2 G²/D)^(1/3) n^(1/3), at least 1 and at most 3√n or n/3. Not less than it is of an
    autoregression of order one with the correlation of neighbours: of few times the window misses
    much. `moment` adds up the values of equal times. To six digits, so that no rounding error
    moves a draw.

    >>> choose_block_length(np.tile([1.0, -1.0], 50)) > choose_block_length(np.cos(np.arange(
    ...     100.0) ** 2))
    True
    """
    added = values if moment is None else np.bincount(moment, values).astype(np.float64)
    n = len(added)
    covariance = _autocovariances(added - added.mean())
    if n < 2 * CALM or not covariance[0] > 0:
        return 1.0
    m = min(2 * _last_lag(covariance / covariance[0], n), len(covariance) - 1)
    lag = np.arange(1, m + 1)
    window = np.minimum(1.0, 2 * (1 - lag / m)) * covariance[1 : m + 1]
    spectrum = covariance[0] + 2 * float(np.add.reduce(window))
    slope = 2 * float(np.add.reduce(window * lag))
    first_correlation = estimate_first_correlation(added)
    own = 2 * first_correlation / (1 - first_correlation**2)
    length = max((slope / spectrum) ** 2 if spectrum else 0.0, own**2) * n
    most = ceil(min(3 * sqrt(n), n / 3))
    return float(f"{min(max(length ** (1 / 3), 1.0), most):.6g}")


def _autocovariances(centred: Vector) -> Vector:
    """At lags 0 and on, as many as the rule can ask for; summed in an order of their own."""
    n = len(centred)
    lags = min(ceil(sqrt(n)) + CALM, n - 1)
    sums = [np.add.reduce(centred[k:] * centred[: n - k]) for k in range(lags + 1)]
    return np.array(sums) / n


def _last_lag(correlation: Vector, n: int) -> int:
    """Find the first of five lags in a row without correlation; all lags where there is none."""
    is_calm = np.abs(correlation[1:]) < BANDS * sqrt(log10(n) / n)
    for lag in range(1, len(is_calm) - CALM + 2):
        if is_calm[lag - 1 : lag - 1 + CALM].all():
            return lag
    return len(correlation) - 1


USUAL = 1_999
MOST = 9_999
COUNTED_TESTS = ("bootstrap", "bootstrap-t")


def choose_replicate_count(
    uses: Sequence[PlannedMetric], inference: InferencePlan, segments: int, n: int
) -> int:
    """Return 1,999, or the number that the largest family needs if that is no more than 9,999.

    A family that needs still more is told of, and what it cannot reach stays open. Max-t, which
    serves the primary metric alone, needs no more for many.
    """
    if inference.adjust == "none" or not inference.pairs:
        return USUAL
    unique = {(use.test, use.metric.root(n).metric.identity): use for use in uses}
    first = {(use.test, use.metric.root(n).metric.identity) for use in uses if use.is_primary}
    primary = [use for key, use in unique.items() if key in first]
    others = [use for key, use in unique.items() if key not in first]
    sizes = Counter(starmap(inference.families.name_family, inference.pairs))
    largest = 1 if inference.adjust == "maxt" else max(sizes.values())
    families = [(primary, largest), (others, len(others))]
    families += [([use], segments) for use in unique.values()]
    needed = [_count_replicates_needed(family, size, n, inference) for family, size in families]
    return max([USUAL, *(min(2 * each, MOST) for each in needed if each <= MOST)])


def count_tails(metric: Metric, interval: str, test: str) -> int:
    """In how many tails the replicates of a metric's differences are counted; 0 by formulas."""
    if metric.better in NEAREST:
        return 0
    kind = metric.estimand
    methods = select_methods(kind, DIFFERENCE_RULES) if interval == "auto" else (interval,)
    tests = select_methods(kind, TEST_RULES) if test == "auto" else (test,)
    if set(methods) & set(TWO_TAIL_METHODS):
        return 2
    return 1 if set(methods) & set(ONE_TAIL_METHODS) or set(tests) & set(COUNTED_TESTS) else 0


def _count_replicates_needed(
    uses: Sequence[PlannedMetric], size: int, n: int, inference: InferencePlan
) -> int:
    """Count the replicates with which each of a family can reach its level; 0 for formulas."""
    tails = [count_tails(use.metric.root(n).metric, inference.interval, use.test) for use in uses]
    if size < 2 or not any(tails):
        return 0
    return count_needed_replicates(max(tails) * size, inference.level)


def build_design(
    config: Config,
    sample: Sample,
    judge: tuple[PlannedMetric | None, ModelScores | None],
    replicates: int,
) -> Design:
    """Build the design of what is drawn: clusters, else queries, else blocks of time, else rows."""
    boot, sampling = config.bootstrap, sample.sampling
    design = Design(
        name=sample.dataset,
        n=sample.n,
        replicates=replicates,
        seed=boot.seed,
        weight=sampling.weight,
        unit=sampling.units.codes.code if sampling.units else None,
        stratum=_compute_strata(sampling),
        weights_are=boot.weights,
        together=sampling.units.kind if sampling.units else "cluster",
        keys=_compute_keys(config, sample) if boot.weights == "poisson" else None,
        case="query" if isinstance(sample.target, QueryTarget) else "row",
    )
    if sampling.time is None or sampling.units is not None:
        return design
    moment = np.unique(sampling.time.code, return_inverse=True)[1].reshape(-1)
    block = boot.block or choose_block_length(
        compute_error_series(sample.y, design.weights, *judge), moment
    )
    return replace(design, unit=moment, block=block)


def _compute_keys(config: Config, sample: Sample) -> NDArray[np.uint64] | None:
    """Compute the keys of the units that are drawn: of clusters by name, of rows by id.

    None where an id names several rows, one for each case that it counts.
    """
    if sample.sampling.units is not None:
        return compute_keys(sample.sampling.units.codes.labels)
    is_counted = config.datasets[sample.dataset].count is not None
    return None if is_counted else compute_keys(sample.ids)


def _compute_strata(sampling: SamplingColumns) -> Index | None:
    """Compute the stratum of each resampling unit: as declared, and within the fold it lies in.

    Units that lie in several folds, as in several rounds, are drawn within none of these.
    """
    declared = None if sampling.strata is None else sampling.strata.code
    fold = None if sampling.fold is None else sampling.fold.code
    if sampling.units is None:
        return _cross_strata(declared, fold)
    unit = sampling.units.codes.code
    first = np.unique(unit, return_index=True)[1]
    if fold is not None:
        fold = fold[first] if np.all(fold == fold[first][unit]) else None
    return _cross_strata(None if declared is None else declared[first], fold)


def _cross_strata(one: Index | None, other: Index | None) -> Index | None:
    """Strata of both kinds at once."""
    if one is None or other is None:
        return other if one is None else one
    both = one * (int(other.max()) + 1) + other
    return np.asarray(np.unique(both, return_inverse=True)[1].reshape(-1), dtype=np.intp)


RowsType = TypeVar("RowsType", bound=Rows)


def assign_folds(config: Config, sample: Sample) -> FoldAssignment | None:
    """Assign the folds of every round; None where one fit scored all rows."""
    sampling = sample.sampling
    if sampling.fold is None:
        return None
    dataset, keys = config.datasets[sample.dataset], config.folds or FoldKeys()
    code, names = _number_folds(sampling)
    units, crossing = 0, 0
    if sampling.units is not None:
        units, crossing = count_crossing_units(sampling, sampling.units.codes.code, code)
    return FoldAssignment(
        code=code,
        names=names,
        ratio=_compute_ratio(sampling, code, keys.train_share),
        is_of_procedure=keys.question == "procedure",
        column=dataset.fold or "",
        repeat=dataset.repeat,
        is_pooled=keys.pool,
        is_mean=keys.average == "folds",
        unit=sampling.units.column if sampling.units else "",
        units=units,
        crossing=crossing,
    )


def restrict_to_folds(config: Config, sampling: SamplingColumns, rows: RowsType) -> RowsType:
    """Set the folds that no order of the rows may cross, unless the config pools them."""
    if sampling.fold is not None and not (config.folds or FoldKeys()).pool:
        rows.fold = _number_folds(sampling)[0]
        rows.is_fold_mean = config.folds is not None and config.folds.average == "folds"
    return rows


def _number_folds(sampling: SamplingColumns) -> tuple[Index, tuple[tuple[str, str], ...]]:
    """Compute the fold number of each row, rounds in order, and round and fold by number."""
    assert sampling.fold is not None
    folds = sampling.fold.labels
    rounds = ("",) if sampling.repeat is None else sampling.repeat.labels
    both, code = np.unique(sampling.rounds * len(folds) + sampling.fold.code, return_inverse=True)
    names = tuple((rounds[k // len(folds)], folds[k % len(folds)]) for k in both.tolist())
    return code.reshape(-1).astype(np.intp), names


def _compute_ratio(sampling: SamplingColumns, code: Index, train_share: float | str) -> float:
    """Rows of a fold over those its model was fitted on, by the mean share of a fold in a round."""
    if not isinstance(train_share, str):
        return (1 - train_share) / train_share
    rounds = 1 if sampling.repeat is None else len(sampling.repeat.labels)
    share = rounds / (int(code.max()) + 1)
    return share / (1 - share)


def iter_undeclared_units(sampling: SamplingColumns) -> Iterator[tuple[str, Index]]:
    """Yield the columns that may tell units apart, with the unit of each row of the first round."""
    first = slice(None) if sampling.repeat is None else sampling.repeat.code == 0
    for name, codes in sampling.undeclared.items():
        yield name, codes.code[first]


def count_crossing_units(sampling: SamplingColumns, unit: Index, fold: Index) -> tuple[int, int]:
    """Count the units, and those that lie in several folds of one round."""
    pairs = np.unique(np.column_stack([unit, sampling.rounds, fold]), axis=0)
    of_rounds, folds = np.unique(pairs[:, :2], axis=0, return_counts=True)
    return len(np.unique(unit)), len(np.unique(of_rounds[folds > 1, 0]))


def plan_sampling(
    config: Config,
    sample: Sample,
    models: Sequence[ModelScores],
    metrics: Sequence[PlannedMetric],
    replicates: int,
    segments: tuple[Segment, ...],
) -> SamplingPlan:
    """Plan how the rows of one dataset are resampled."""
    dataset, sampling = config.datasets[sample.dataset], sample.sampling
    # Cases of one row stand together whatever they are, and datasets have no order.
    has_no_order = dataset.count is not None or TASKS[config.task].target == "none"
    is_ordered = has_no_order or sampling.time is not None or sampling.units is not None
    primary = next((use for use in metrics if use.is_primary), None)
    baseline = next((each for each in models if each.name == config.baseline), models[0])
    block_metric = primary, baseline if primary else None  # other models or metrics change no block
    design = build_design(config, sample, block_metric, replicates)
    # No family adjusts bands, so they need no more; costs combine curves with other statistics.
    has_all = config.bootstrap.replicates or config.costs is not None
    return SamplingPlan(
        design=design if has_all else replace(design, most_curve_replicates=USUAL),
        folds=assign_folds(config, sample),
        segments=segments,
        windows=list_windows(sample),
        is_ordered=is_ordered,
        sequence=None if is_ordered else order_by_number(sample.ids),
        repeats=dict(iter_undeclared_units(sampling)),
        is_used_to_choose=dataset.used_to_choose,
    )


def choose_replicates(
    config: Config,
    rows: int,
    metrics: Sequence[PlannedMetric],
    inference: InferencePlan,
    segments: int,
) -> int:
    """Return the number of replicates of the config, or the number that its comparisons need."""
    return config.bootstrap.replicates or choose_replicate_count(metrics, inference, segments, rows)
