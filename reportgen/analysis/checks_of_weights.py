"""When the weights of rows leave so few to decide that a value leans to one side."""

from __future__ import annotations

from math import sqrt

import numpy as np

from reportgen.inference.evidence import Evidence, Interval
from reportgen.results.raised import RaisedWarning

LEANS = 0.125  # standard errors that the resamples may lie to one side of the value
CENTRED = ("bca", "debiased-se", "wilson", "clopper-pearson", "newcombe")
"""Intervals whose limits allow for it, or need not."""


def leaning(
    evidence: Evidence, found: Interval, is_weighted: bool, is_of_classes: bool
) -> RaisedWarning | None:
    """W127: under weights resamples lie over an eighth of a standard error to one side of a value.

    Few rows of the class that weighs more then decide. Where 200 of 400 rows are positive and are
    weighted to 1%, limits of the average precision held in 50 of 100 samples, and the resamples
    leant by half a standard error; weighted to 20% by a tenth, and 95 held.
    """
    if not (is_weighted and is_of_classes) or found.method in CENTRED:
        return None
    drawn = evidence.finite
    if not evidence.has_replicates or not evidence.bootstrap_se > 0:
        return None
    leans = float(np.mean(drawn) - evidence.value) / evidence.bootstrap_se
    if abs(leans) <= max(LEANS, 2 / sqrt(len(drawn))):
        return None
    return RaisedWarning("W127", {"leans": abs(leans)})
