"""What counts as a unit, and which units hang together, is the same for costs as for metrics."""

from dataclasses import replace

import numpy as np
import pytest

from benchmarks.plans import change_plan
from reportgen.analysis.costs.cost_model import CostModel
from reportgen.analysis.run import analyze_dataset
from tests.analysis.costs.asking import asked

PRICES = CostModel((0.8,))
N = 120


def scores(seed):
    draw = np.random.default_rng(seed)
    y = draw.gamma(2.0, 10.0, N)
    return y, {"a": y + 4 * draw.standard_normal(N), "b": y + 3 * draw.standard_normal(N)}


def limits(question):
    plain = analyze_dataset(question).costs[0].decisions[0]
    return {each.model: (each.cost.low, each.cost.high) for each in plain.models}


def test_rows_of_weight_zero_are_no_evidence_on_costs():
    y, models = scores(1)
    plain = asked(y, models, PRICES, weight=np.ones(N))
    more = {name: np.append(score, np.full(80, 5.0)) for name, score in models.items()}
    weight = np.append(np.ones(N), np.zeros(80))
    beside = asked(np.append(y, np.full(80, 9.0)), more, PRICES, weight=weight)
    expected = limits(plain)
    for model, found in limits(beside).items():
        assert found == pytest.approx(expected[model], rel=0.02)  # other resamples


def test_costs_of_days_in_blocks_have_the_error_of_blocks():
    y, models = scores(2)
    wave = 8 * np.sin(np.arange(N) / 12)
    models = {name: score + wave for name, score in models.items()}
    question = asked(y, models, PRICES, replicates=399)
    blocks = change_plan(question, design=replace(question.sampling.design, block=10.0))
    alone, joint = limits(question), limits(blocks)
    for model, (low, high) in joint.items():
        assert high - low > 1.3 * (alone[model][1] - alone[model][0])
