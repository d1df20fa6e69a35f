"""The strip of cost ratios: the cheapest model, and where the data cannot decide."""

from dataclasses import replace
from itertools import combinations

import pytest

from reportgen.report.sections.costs.figures import build_strip_figure
from reportgen.report.sections.index import Index
from reportgen.results.costs import CostRange
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


@pytest.mark.parametrize("is_baseline", [False, True])
def test_a_model_is_cheapest_only_where_it_is_told_from_every_other_one(results, is_baseline):
    """Where the costs of neighbours were far apart, it was called the cheapest."""
    (costs,) = results.costs
    neighbours = {e.model for e in costs.envelope if e.shift == "none"}
    near = next(m.name for m in results.models if m.name not in neighbours)
    cheapest = max((e for e in costs.envelope if e.shift == "none"), key=lambda e: e.low).model
    pair = (near, cheapest)[:: -1 if is_baseline else 1]
    ranges = (*costs.ranges, CostRange("none", *pair, "undetermined", 0.8, 0.85))
    figure = drawn(results, ranges=ranges)
    *_, before, undecided, after = figure.panels[0].series
    assert (before.label, undecided.label) == ("Gradient boosting", "undecided")
    assert before.x[1] == undecided.x[0] == pytest.approx(4.0)
    assert after.x[0] == undecided.x[1] == pytest.approx(0.85 / 0.15)
    assert "Gradient boosting from 3.6 : 1 to 4 : 1" in figure.title


def test_where_no_model_is_told_from_another_one_none_is_called_the_cheapest(results):
    pairs = combinations([m.name for m in results.models], 2)
    ranges = tuple(CostRange("none", *pair, "undetermined", 0.0, 1.0) for pair in pairs)
    assert drawn(results, ranges=ranges) is None


def test_where_nothing_is_undecided_models_meet(results):
    labels = [s.label for s in drawn(results, ranges=(), crossings=()).panels[0].series]
    assert labels == ["Spend, last 91 days", "CLV", "Gradient boosting"]


def test_one_model_at_every_ratio_needs_no_strip(results):
    (costs,) = results.costs
    assert drawn(results, envelope=costs.envelope[:1]) is None
    assert drawn(results, envelope=()) is None
