"""The strip of cost ratios: the cheapest model, and where the data cannot decide."""

from dataclasses import replace

import pytest

from reportgen.report.sections.costs.figures import build_strip_figure
from reportgen.report.sections.index import Index
from tests.worked import results_of


@pytest.fixture(scope="module")
def results():
    return results_of("wallet-costs")


def drawn(results, **changed):
    (costs,) = results.costs
    return build_strip_figure(Index(results), replace(costs, **changed), "costs-strip")


def test_stretches_follow_one_another_without_a_gap(results):
    spans = [series.x for series in drawn(results).panels[0].series]
    assert spans[0][0] == 0.1 and spans[-1][1] == 10.0
    assert [high for _, high in spans[:-1]] == [low for low, _ in spans[1:]]


def test_between_two_models_lies_what_is_undecided(results):
    labels = [series.label for series in drawn(results).panels[0].series]
    assert labels == [
        "Spend, last 91 days",
        "undecided",
        "CLV",
        "undecided",
        "Gradient boosting",
    ]
    assert drawn(results).title.startswith("Spend, last 91 days is cheapest up to 1.")


def test_where_nothing_is_undecided_models_meet(results):
    labels = [s.label for s in drawn(results, ranges=(), crossings=()).panels[0].series]
    assert labels == ["Spend, last 91 days", "CLV", "Gradient boosting"]


def test_one_model_at_every_ratio_needs_no_strip(results):
    (costs,) = results.costs
    assert drawn(results, envelope=costs.envelope[:1]) is None
    assert drawn(results, envelope=()) is None
