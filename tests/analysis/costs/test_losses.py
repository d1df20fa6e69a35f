"""The decision, its ranges and the plane under every loss; hybrids on the hull."""

import numpy as np
import pytest

from reportgen.analysis.costs.cost_model import CostModel
from reportgen.metrics.losses.loss_functions import LOSSES
from reportgen.metrics.losses.rroc_geometry import Point
from reportgen.results.costs import IntervalEstimate
from tests.analysis.costs.asking import analysis, curves

ROWS = 300
PRICES = {
    "linlin": CostModel((0.2, 0.8)),
    "pinball": CostModel((0.2, 0.8), total=1.0, loss="pinball"),
    "quadquad": CostModel((0.2, 0.8), loss="quadquad"),
    "linexp": CostModel((0.05, -0.05), loss="linexp", reaches=0.1),
    "quadexp": CostModel((0.05, -0.05), loss="quadexp", reaches=0.1),
}


def models(seed=4):
    """One says too little with small errors, one too much with larger ones."""
    draw = np.random.default_rng(seed)
    y = draw.gamma(2.0, 10.0, ROWS)
    noise = draw.standard_normal((2, ROWS))
    return y, {"low": y - 4 + 3 * noise[0], "high": y + 3 + 4 * noise[1]}


@pytest.mark.parametrize(
    "weight", [None, np.random.default_rng(1).gamma(1.0, 1.0, ROWS)], ids=["plain", "weighted"]
)
@pytest.mark.parametrize("loss", LOSSES)
def test_the_table_has_the_mean_loss_before_and_after_the_best_constant(loss, weight):
    y, scores = models()
    w = np.ones(ROWS) if weight is None else weight
    decisions = analysis(y, scores, PRICES[loss], weight=weight).decisions
    every = [(made, each) for made in decisions for each in made.models]
    assert len(every) == 8
    for made, each in every:
        error, constant = scores[each.model] - y, each.constant.value
        cost = LOSSES[loss].mean(error, w, made.asymmetry, constant)
        assert each.cost.value == pytest.approx(cost)
        assert each.cost.low < each.cost.value < each.cost.high
        if made.shift == "optimal":
            others = np.linspace(constant - 3, constant + 3, 241)
            assert all(
                LOSSES[loss].mean(error, w, made.asymmetry, other) >= cost * (1 - 1e-9)
                for other in others
            )


@pytest.mark.parametrize("loss", LOSSES)
def test_the_envelope_names_the_cheapest_at_every_asymmetry(loss):
    y, scores = models()
    found = [e for e in analysis(y, scores, PRICES[loss]).envelope if e.shift == "none"]
    assert [each.model for each in found] == (
        ["low", "high"] if PRICES[loss].has_alpha else ["high", "low"]
    )
    for each in found:
        middle = (each.low + each.high) / 2
        costs = {m: LOSSES[loss].mean(s - y, np.ones(ROWS), middle) for m, s in scores.items()}
        assert min(costs, key=costs.get) == each.model


@pytest.mark.parametrize("loss", LOSSES)
def test_the_crossing_is_where_both_cost_the_same(loss):
    y, scores = models()
    (found,) = [c for c in analysis(y, scores, PRICES[loss]).crossings if c.shift == "none"]
    assert found.low < found.asymmetry < found.high
    first, second = (
        LOSSES[loss].mean(s - y, np.ones(ROWS), found.asymmetry) for s in scores.values()
    )
    assert first == pytest.approx(second, rel=1e-3)


def test_in_the_plane_of_squares_a_line_of_equal_cost_touches_the_cheapest():
    y, scores = models()
    lines = [c for c in curves(y, scores, PRICES["quadquad"]) if c.curve == "rroc_isometric"]
    assert [c.params["alpha"] for c in lines] == [0.2, 0.8]
    for line in lines:
        alpha = line.params["alpha"]
        best = min(LOSSES["quadquad"].mean(s - y, np.ones(ROWS), alpha) for s in scores.values())
        costs = [Point(x, u).cost(alpha) for x, u in zip(line.x, line.y, strict=True)]
        assert costs == pytest.approx([best] * len(costs))
        assert line.y_unit == "USD²"


def test_an_exponential_loss_has_no_line_of_equal_cost():
    assert not [c for c in curves(*models(), PRICES["linexp"]) if c.curve == "rroc_isometric"]


@pytest.mark.parametrize("target", [("bias", 0.0), ("over", 2.0)])
def test_a_hybrid_meets_its_target_in_expectation(target):
    y, scores = models()
    (mixture,) = analysis(y, scores, CostModel((0.5,), target=target)).mixtures
    assert (mixture.first, mixture.second) == ("low", "high")
    share = mixture.share
    assert 0 < share.low < share.value < share.high < 1
    assert (mixture.quantity, mixture.target) == target
    found = mixture.over + mixture.under if target[0] == "bias" else mixture.over
    assert found == pytest.approx(target[1], abs=1e-9)
    draw = np.random.default_rng(9)
    is_first = draw.random((4000, ROWS)) < share.value
    error = np.where(is_first, scores["low"] - y, scores["high"] - y)
    mixed = error if target[0] == "bias" else np.maximum(error, 0)
    assert mixed.mean() == pytest.approx(target[1], abs=0.02)


def test_a_target_between_no_two_models_is_met_by_no_mixture():
    (mixture,) = analysis(*models(), CostModel((0.5,), target=("bias", 50.0))).mixtures
    assert mixture.share == IntervalEstimate()


@pytest.mark.parametrize("loss", ["linexp", "quadexp"])
def test_a_loss_too_large_for_a_number_is_none_with_no_word_from_numpy(loss):
    y, scores = models()
    cost_model = CostModel((30.0,), loss=loss, reaches=60.0)
    plain, shifted = analysis(y, scores, cost_model).decisions
    assert plain.cheapest.cost == IntervalEstimate()
    assert shifted.shift == "optimal"
