"""Every metric against values that a reader can check."""

import pytest

from reportgen.kernels.batch import Batch
from reportgen.metrics import METRICS
from tests.metrics.cases import CASES


@pytest.mark.parametrize("case", CASES, ids=str)
def test_a_metric_gives_the_value_in_its_table_row(case):
    bound = METRICS[case.metric].use(**case.params).bind(case.rows)
    assert bound.define(case.weights) == pytest.approx(
        case.expected, rel=1e-12, abs=1e-12, nan_ok=True
    ), case.source
    assert bound(Batch.from_weights(case.weights))[0] == pytest.approx(
        case.expected, rel=1e-12, abs=1e-12, nan_ok=True
    )


@pytest.mark.parametrize("name", METRICS)
def test_a_metric_has_a_table_row(name):
    assert name in {case.metric for case in CASES}


@pytest.mark.parametrize("name", METRICS)
def test_a_metric_says_what_it_is(name):
    metric = METRICS[name]
    assert metric.description.endswith(".") and len(metric.description) <= 110
    assert metric.title and metric.formula and metric.cite


@pytest.mark.parametrize("case", CASES, ids=str)
def test_parameters_of_the_table_pass_their_own_check(case):
    metric = METRICS[case.metric].use(**case.params)
    assert metric.check is None or metric.check(**metric.params) is None
