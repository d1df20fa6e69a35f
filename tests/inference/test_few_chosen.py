"""Shares of rows that models chose themselves: few rows are no evidence."""

import numpy as np
import pytest
from statsmodels.stats.proportion import confint_proportions_2indep

from reportgen.inference.differences import build_contrast
from reportgen.inference.intervals import compute_interval
from reportgen.inference.significance import assess_significance
from tests.inference.evidence_samples import plain


def _precisions(candidate, baseline):
    """Evidence of the difference of two shares of rows, each so many of so many."""
    sides = [
        plain(
            hits / of,
            np.full(99, hits / of),
            "proportion of some rows",
            (0.0, 1.0),
            portions=((hits / of, float(of)),),
        )
        for hits, of in (candidate, baseline)
    ]
    return build_contrast(*sides, "higher")


@pytest.mark.parametrize(("candidate", "baseline"), [((0, 1), (10, 17)), ((7, 12), (9, 40))])
def test_shares_of_few_chosen_rows_differ_by_square_and_add(candidate, baseline):
    found = compute_interval(_precisions(candidate, baseline), "auto", 0.95)
    theirs = confint_proportions_2indep(*candidate, *baseline, method="newcomb", compare="diff")
    assert found.method == "newcombe"
    assert (found.low, found.high) == pytest.approx(theirs, abs=1e-9)


def test_one_false_alarm_of_one_call_is_no_evidence():
    evidence = _precisions((0, 1), (10, 17))
    found = compute_interval(evidence, "auto", 0.95)
    assert found.low < 0 < found.high
    assert np.isnan(assess_significance(evidence, "auto", 1).p_value)


def test_shares_of_many_chosen_rows_are_compared_as_means_are():
    assert _precisions((7, 20), (9, 40)).portions == ()
