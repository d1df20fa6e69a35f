"""Names of intervals, tests and adjustments; a list of them must not wait for the functions."""

from __future__ import annotations

from collections.abc import Mapping

from reportgen.metrics.metric import Metric
from reportgen.metrics.traits import NEAREST

CHOOSING_WORDS: Mapping[str, str] = {
    "auto": "The one that suits the metric, the sample and the way rows are drawn; the report says "
    "which, and why.",
    "analytic": "A formula instead of resamples, the one that suits the metric, where it has one.",
}
"""Names that stand for a choice among the others."""

INTERVAL_NAMES: tuple[str, ...] = (
    *CHOOSING_WORDS,
    "percentile",
    "basic",
    "bca",
    "symmetric",
    "se",
    "normal",
    "debiased-se",
    "size-se",
    "studentized",
    "symmetric-studentized",
    "log-studentized",
    "log-se",
    "fisher-z-se",
    "multiplier",
    "t",
    "edge-t",
    "edge-wilson",
    "influence",
    "logit-influence",
    "log-influence",
    "wilson",
    "clopper-pearson",
    "newcombe",
    "fisher-z",
    "bonett-wright",
    "hollander-wolfe",
    "noether",
    "exact-bound",
    "exact-share",
    "tango",
    "corrected-t",
)
"""The names of `INTERVAL_METHODS`, in its order."""
TEST_NAMES: tuple[str, ...] = (
    *CHOOSING_WORDS,
    "bootstrap",
    "bootstrap-t",
    "gaussian",
    "bootstrap-z",
    "size-z",
    "influence",
    "delong",
    "t",
    "sign-flip",
    "sign",
    "multiplier",
    "wilcoxon",
    "diebold-mariano",
    "mcnemar",
    "corrected-t",
)
ADJUSTMENT_NAMES: tuple[str, ...] = ("bonferroni", "maxt", "holm", "bh", "none")


def list_tests(metric: Metric) -> tuple[str, ...]:
    """Return the tests that a paired difference of this metric can have, `auto` first.

    They are those of the metric that it is a function of, which is what is tested. Any can be
    tested by replicates. Tests of losses need a loss a row whose mean decides; a
    metric that is best nearest to some value has none, as the difference of two sizes is no mean.
    """
    metric = metric.root(1).metric
    kind = metric.estimand
    is_positive = kind.scale == "positive" and kind.of != "cells"
    is_studentized = is_positive or kind.is_correlation_of_means
    asked = {
        "bootstrap-t": is_studentized and not metric.is_sum,
        "size-z": metric.better in NEAREST,
        "influence": metric.shape != "whole" or metric.influence is not None,
        "delong": metric.classes is not None and kind.of == "pairs",
        "t": metric.has_losses and kind.is_mean,
        "sign-flip": metric.has_losses,
        "sign": metric.has_losses,
        "multiplier": metric.smoothed is not None or metric.class_share is not None,
        "wilcoxon": metric.has_losses,
        "diebold-mariano": metric.has_losses,
        "corrected-t": False,  # of folds, which have no other
        "mcnemar": kind.is_share_of_rows and (metric.has_losses or metric.is_share_of_some_rows),
    }
    return tuple(name for name in TEST_NAMES if asked.get(name, True))
