"""Functions of intervals, and what their limits rest on: a row for each method."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Literal

from reportgen.inference import (
    analytic_intervals,
    differences,
    proportion_intervals,
    resampled_intervals,
)
from reportgen.inference.sampling_distribution import Interval, SamplingDistribution
from reportgen.records import record


@record
class IntervalMethod:
    """Function of an interval, and what its limits rest on.

    It counts replicates in so many `tails`, the values' own if `is_quantile`, or reads their
    standard deviation alone (`is_spread`). `is_formula`: it needs none. `counts_units`: it allows
    for few effective units. `reports` are the names that its intervals carry, if not its own.
    """

    compute: Callable[[SamplingDistribution, float], Interval | None]
    tails: Literal[0, 1, 2] = 0
    is_quantile: bool = False
    is_spread: bool = False
    is_formula: bool = False
    counts_units: bool = False
    reports: tuple[str, ...] = ()


_quantiles = partial(IntervalMethod, tails=2, is_quantile=True)
_spread = partial(IntervalMethod, is_spread=True)
_formula = partial(IntervalMethod, is_formula=True)
_counting_formula = partial(_formula, counts_units=True)

INTERVAL_METHODS: Mapping[str, IntervalMethod] = {
    "percentile": _quantiles(resampled_intervals.percentile_interval),
    "basic": _quantiles(resampled_intervals.basic_interval),
    "bca": _quantiles(resampled_intervals.bca_interval, reports=("bca", "bc")),
    "symmetric": IntervalMethod(resampled_intervals.symmetric_interval, tails=1),
    "se": _spread(resampled_intervals.standard_error_interval, reports=("bootstrap-se",)),
    "normal": _spread(resampled_intervals.standard_error_interval, reports=("bootstrap-se",)),
    "debiased-se": _spread(
        resampled_intervals.bias_corrected_interval,
        counts_units=True,
        reports=("debiased-bootstrap-se",),
    ),
    "size-se": _spread(
        resampled_intervals.size_interval, counts_units=True, reports=("size-bootstrap-se",)
    ),
    "studentized": IntervalMethod(resampled_intervals.studentized_interval, tails=2),
    "symmetric-studentized": IntervalMethod(
        resampled_intervals.symmetric_studentized_interval,
        tails=1,
        reports=("symmetric-studentized", "fisher-z-studentized"),
    ),
    "log-studentized": IntervalMethod(resampled_intervals.log_studentized_interval, tails=2),
    "log-se": _spread(
        resampled_intervals.log_standard_error_interval,
        counts_units=True,
        reports=("log-bootstrap-se",),
    ),
    "fisher-z-se": _spread(
        resampled_intervals.fisher_z_standard_error_interval,
        counts_units=True,
        reports=("fisher-z-bootstrap-se",),
    ),
    "multiplier": IntervalMethod(resampled_intervals.multiplier_interval),
    "t": _counting_formula(analytic_intervals.t_interval),
    "edge-t": _counting_formula(analytic_intervals.edge_interval),
    "edge-wilson": IntervalMethod(
        analytic_intervals.edge_share_interval,
        counts_units=True,
        reports=("edge-wilson", "bootstrap-se"),
    ),
    "influence": _counting_formula(analytic_intervals.influence_interval),
    "logit-influence": _counting_formula(analytic_intervals.logit_influence_interval),
    "log-influence": _counting_formula(analytic_intervals.log_influence_interval),
    "wilson": _counting_formula(analytic_intervals.wilson_interval),
    "clopper-pearson": _counting_formula(analytic_intervals.clopper_pearson_interval),
    "newcombe": IntervalMethod(proportion_intervals.square_and_add_interval, counts_units=True),
    "fisher-z": _counting_formula(analytic_intervals.fisher_interval),
    "bonett-wright": _formula(analytic_intervals.bonett_wright_interval),
    "hollander-wolfe": _formula(analytic_intervals.hollander_wolfe_interval),
    "noether": _formula(analytic_intervals.noether_interval),
    "exact-bound": _formula(analytic_intervals.exact_bound_interval),
    "exact-share": IntervalMethod(proportion_intervals.exact_share_interval, counts_units=True),
    "tango": IntervalMethod(proportion_intervals.tango_interval),
    "corrected-t": IntervalMethod(differences.corrected_t_interval),
}


def _list_reported(is_chosen: Callable[[IntervalMethod], bool]) -> tuple[str, ...]:
    """List the names that intervals of some methods carry."""
    chosen = ((name, row) for name, row in INTERVAL_METHODS.items() if is_chosen(row))
    return tuple(dict.fromkeys(each for name, row in chosen for each in row.reports or (name,)))


QUANTILE_METHODS = _list_reported(lambda row: row.is_quantile)
SPREAD_METHODS = _list_reported(lambda row: row.is_spread)
ONE_TAIL_METHODS = _list_reported(lambda row: row.tails == 1)  # both tails together
TWO_TAIL_METHODS = _list_reported(lambda row: row.tails == 2)
RESAMPLED_METHODS = (*TWO_TAIL_METHODS, *ONE_TAIL_METHODS, *SPREAD_METHODS)
