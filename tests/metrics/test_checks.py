"""What is said of parameters that cannot be."""

import pytest

from reportgen.metrics.lookup import explain_misfit

WRONG = (
    ("deviance", {"power": 0.0}, "power: 0 is the mean squared error; use mse"),
    (
        "deviance",
        {"power": 0.5},
        "power is 0.5, but no distribution has one strictly between 0 and 1",
    ),
    ("deviance", {"power": 12.0}, "power is 12.0, but must be between -10 and 10"),
    ("interval_score", {"level": 1.0}, "level is 1.0, but must lie strictly between 0 and 1"),
    (
        "quantile_coverage",
        {"quantile": 0.0},
        "quantile is 0.0, but must lie strictly between 0 and 1",
    ),
    ("pinball", {"alpha": 1.4}, "alpha is 1.4, but must be between 0 and 1"),
    ("pinball", {}, "give alpha, such as alpha: 0.8"),
    ("asymmetric_cost", {"alpha": -0.1}, "alpha is -0.1, but must be between 0 and 1"),
    ("asymmetric_cost", {"alpha": float("nan")}, "alpha is nan, but must be between 0 and 1"),
    ("cutoff_auc", {}, "give one of above, quantile (such as above: 0)"),
    (
        "cutoff_auc",
        {"above": 1.0, "quantile": 0.5},
        "above and quantile are both given; give one of them",
    ),
    ("cutoff_auc", {"quantile": 1.0}, "quantile is 1.0, but must lie strictly between 0 and 1"),
    ("ranking_last", {"buckets": 1}, "buckets is 1, but must be at least 2"),
    (
        "ranking_slope",
        {"quantile": 0.0},
        "quantile is 0.0, but must lie strictly between 0 and 1",
    ),
    (
        "ranking_first",
        {"statistic": "median", "quantile": 0.9},
        "statistic: median and quantile are both given; give one of them",
    ),
    (
        "topk_capture",
        {},
        "give one of k, share, the pair of budget and cost (such as share: 0.1)",
    ),
    ("topk_capture", {"k": 5, "share": 0.1}, "k and share are both given; give one of them"),
    ("topk_capture", {"k": 0}, "k is 0, but must be at least 1"),
    ("topk_capture", {"share": 0.0}, "share is 0.0, but must be above 0 and at most 1"),
    ("topk_capture", {"share": 1.5}, "share is 1.5, but must be above 0 and at most 1"),
    (
        "topk_capture",
        {"budget": 100.0},
        "budget and cost (of one case) belong together; give both",
    ),
    (
        "topk_capture",
        {"budget": 5.0, "cost": 9.0},
        "a budget of 5.0 pays for no case at a cost of 9.0",
    ),
    (
        "expected_cost",
        {},
        "give one of alpha, the pair of under and over (such as alpha: 0.8)",
    ),
    ("expected_cost", {"alpha": 2.0}, "alpha is 2.0, but must be between 0 and 1"),
    ("expected_cost", {"under": 4.0}, "under and over are a pair of unit costs; give both"),
    (
        "expected_cost",
        {"under": -4.0, "over": 1.0},
        "under is -4.0 and over is 1.0; costs are 0 or more, and not both are 0",
    ),
    (
        "expected_cost",
        {"alpha": 0.5, "under": 4.0, "over": 1.0},
        "alpha and the pair of under and over are both given; give one of them",
    ),
    (
        "expected_cost",
        {"loss": "linexp", "alpha": 0.5},
        "linexp takes c, not alpha or unit costs",
    ),
    ("expected_cost", {"loss": "quadexp", "c": 0.0}, "c is 0.0, but must be a number other than 0"),
    (
        "expected_cost",
        {"alpha": 0.5, "c": 1.0},
        "c belongs to linexp and quadexp; linlin takes alpha, or under and over",
    ),
)


@pytest.mark.parametrize(("name", "params", "sentence"), WRONG)
def test_a_parameter_that_cannot_be_is_said_in_one_sentence(name, params, sentence):
    assert explain_misfit(name, **params) == sentence
