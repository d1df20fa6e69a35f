"""Several metrics may go by one name of the language, told apart by parameters."""

import pytest

import reportgen.metrics  # noqa: F401  # fills the catalogue
from reportgen.metrics.lookup import (
    explain_misfit,
    find_metric,
    first_metric,
    list_name_parameters,
    list_names,
    spell_parameters,
)
from reportgen.metrics.metric import METRICS


@pytest.mark.parametrize("name", METRICS)
def test_each_metric_is_meant_by_the_name_and_parameters_that_ask_for_it(name):
    needed = {each.name: 0.5 for each in METRICS[name].parameters if each.is_required}
    metric = METRICS[name].use(**needed)
    found = find_metric(metric.request_name, metric.task, **metric.request_params)
    assert found.identity == metric.identity


@pytest.mark.parametrize(
    ("params", "name"),
    [
        ({}, "expected_cost"),
        ({"shift": "optimal"}, "expected_cost_optimal"),
        ({"shift": "fitted"}, "expected_cost_fitted"),
        ({"shift": "soft"}, "expected_cost_density"),
        ({"unit_costs": "by row"}, "expected_cost_by_row"),
        ({"unit_costs": "by row", "shift": "fitted"}, "expected_cost_by_row_fitted"),
    ],
)
def test_an_expected_cost_is_the_metric_that_its_parameters_say(params, name):
    assert find_metric("expected_cost", **params).name == name


def test_a_name_is_listed_once_and_takes_what_any_of_its_metrics_takes():
    assert "expected_cost" in list_names() and "expected_cost_fitted" not in list_names()
    assert first_metric("expected_cost").name == "expected_cost"
    offered = {each.name: each.choices for each in list_name_parameters("expected_cost")}
    assert offered["shift"] == ("none", "optimal", "fitted", "soft")
    assert {"alpha", "degree", "with_alpha", "unit_costs"} <= offered.keys()
    assert {"shift", "degree"}.isdisjoint(METRICS["expected_cost"].params)


@pytest.mark.parametrize(
    ("params", "said"),
    [
        (
            {"unit_costs": "by row", "shift": "optimal"},
            "shift: optimal and unit_costs: by row do not go together",
        ),
        ({"unit_costs": "by row", "alpha": 0.8}, "unit_costs: by row takes no alpha"),
        ({"unit_costs": "by row", "loss": "quadquad"}, "unit_costs: by row takes no loss"),
        ({"alpha": 0.8, "degree": 2}, "shift: none takes no degree"),
        ({"alpha": 0.8, "shift": "soft", "with_alpha": True}, "shift: soft takes no with_alpha"),
        ({"unit_costs": "by row"}, None),
    ],
)
def test_parameters_that_belong_to_another_metric_of_the_name_are_refused(params, said):
    assert explain_misfit("expected_cost", **params) == said


def test_only_a_metric_that_shares_its_name_says_how_it_is_asked_for():
    assert spell_parameters(METRICS["mae"]) == spell_parameters(METRICS["expected_cost"]) == ""
    assert (
        spell_parameters(METRICS["expected_cost_fitted"]) == "{name: expected_cost, shift: fitted}"
    )
