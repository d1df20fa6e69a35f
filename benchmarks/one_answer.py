"""Count contradictions between metrics that order models alike, on drawn data.

    python benchmarks/one_answer.py --null 1000 --effect 200

Each data set has its own number of rows, ties, zeros, weights or clusters. Two metrics with one
root contradict each other where their verdicts or p-values on a pair differ. None should. The
section on costs contradicts a metric with the root of its loss where one leaves zero out of the
interval of the difference and the other does not. It should not either.
"""

from __future__ import annotations

import argparse
import time
from dataclasses import replace
from functools import partial

import numpy as np
from asked import asked
from plans import change_plan

from reportgen.analysis.comparisons import build_pair, identify_hypothesis, iter_comparisons
from reportgen.analysis.costs.actions import Action, Actions
from reportgen.analysis.costs.cost_model import CostModel
from reportgen.analysis.costs.decisions import cost_statistic
from reportgen.analysis.curves import JointAnalysis
from reportgen.analysis.dataset_analysis import DatasetAnalysis, draw_replicates
from reportgen.analysis.plan import PlannedMetric
from reportgen.inference.intervals import compute_interval
from reportgen.inference.sampling_distribution import Interval
from reportgen.metrics import METRICS
from reportgen.metrics.lookup import find_metric
from reportgen.results.costs import Shift

COST = partial(find_metric, "expected_cost")
ASYMMETRIC, PINBALL = METRICS["asymmetric_cost"], METRICS["pinball"]
PLAIN = (
    "rmse",
    "mse",
    "r2",
    "error_variance",
    "aoc",
    "spearman",
    "rho_tilde",
    "kendall_a",
    "tau_tilde",
    "regression_auc",
    "mae",
    "wape",
    "over",
    "under",
    "ranking_last",
)
GIVEN = (
    METRICS["topk_capture"].use(share=0.1),
    COST(loss="quadquad", alpha=0.5),
    COST(loss="quadquad", alpha=0.5, shift="optimal"),
    *(ASYMMETRIC.use(alpha=alpha) for alpha in (0, 0.5, 0.8, 1)),
    *(PINBALL.use(alpha=alpha) for alpha in (0.5, 0.8)),
    COST(under=4, over=1),
)
PRICES = CostModel((0.5,)), CostModel((0.5,), loss="quadquad")
BESIDE: tuple[tuple[CostModel, Shift, str], ...] = (
    (PRICES[0], "none", "mae"),
    (PRICES[1], "none", "rmse"),
    (PRICES[1], "none", "mse"),
    (PRICES[1], "none", "r2"),
    (PRICES[1], "optimal", "error_variance"),
    (PRICES[1], "optimal", "aoc"),
)
USES = tuple(
    PlannedMetric(f"{k} {metric.name}", metric)
    for k, metric in enumerate((*(METRICS[name].use() for name in PLAIN), *GIVEN))
)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--null", type=int, default=1000)
    parser.add_argument("--effect", type=int, default=200)
    parser.add_argument("--seconds", type=float, default=float("inf"))
    options = parser.parse_args()
    for name, runs, effect in (("null", options.null, 0.0), ("effect", options.effect, 0.35)):
        start, pairs, wrong, beside, made = time.monotonic(), 0, 0, np.zeros(2, int), 0
        for seed in range(runs):
            if time.monotonic() - start > options.seconds:
                break
            compared, contradicted, of_costs = contradictions(seed, effect)
            pairs, wrong, made = pairs + compared, wrong + contradicted, made + 1
            beside += of_costs
        print(
            f"{name}: {made} data sets, {pairs} pairs of metrics, {wrong} contradictions; "
            f"{beside[0]} costs beside a metric, {beside[1]} contradictions"
        )


def contradictions(seed: int, effect: float) -> tuple[int, int, tuple[int, int]]:
    """How many pairs of metrics ask one question on a drawn data set, and how many disagree.

    Then the same of costs, each held against a metric that orders models as it does.
    """
    draw = np.random.default_rng([seed, int(100 * effect)])
    n = int(draw.integers(30, 500))
    y = np.where(draw.random(n) < 0.3 * (seed % 2), 0.0, draw.lognormal(1.5, 0.7, n))
    scores = {
        name: np.round(y + draw.normal(0, 3 * (1 + effect * k), n), 1 if seed % 3 else 0)
        for k, name in enumerate(("first", "second"))
    }
    unit = np.arange(n) % (n // 3) if seed % 4 == 3 else None
    question = asked(
        np.round(y, 1), scores, (("second", "first"),), USES, 199, seed, unit, adjust="holm"
    )
    if seed % 4 == 2:
        weight = draw.exponential(1, n) + 0.3
        question = change_plan(question, design=replace(question.sampling.design, weight=weight))
    found = draw_replicates(
        change_plan(
            question, cost_statistics=tuple(cost_statistic(cost_model) for cost_model in PRICES)
        )
    )
    by: dict[object, list[tuple[object, ...]]] = {}
    for use, compared in zip(USES, iter_comparisons(found), strict=True):
        if compared.status == "ok":
            asks = identify_hypothesis(build_pair(found, found.parts[0], use, "second", "first"))
            said = (compared.word, compared.p_value, compared.p_adjusted)
            by.setdefault(asks, []).append(said)
    sizes = [len(said) * (len(said) - 1) // 2 for said in by.values()]
    wrong = sum(a != b for said in by.values() for k, a in enumerate(said) for b in said[:k])
    return sum(sizes), wrong, (len(BESIDE), sum(_is_contradicted(found, *each) for each in BESIDE))


def _is_contradicted(
    found: DatasetAnalysis, cost_model: CostModel, shift: Shift, name: str
) -> bool:
    """Whether a cost and a metric differ in whether zero is in the interval of the difference."""
    use = next(use for use in USES if use.key.endswith(f" {name}"))
    difference, _ = found.difference(found.parts[0], use, "second", "first")
    together = JointAnalysis(found, cost_model.parts)
    cost = Actions(together, cost_model).difference(
        Action("second", shift), Action("first", shift), 0
    )
    way = 1 if use.metric.better == "lower" else -1
    return way * _side(compute_interval(difference, "auto", 0.95)) != _side(
        compute_interval(cost, "auto", 0.95)
    )


def _side(limits: Interval) -> int:
    return int(limits.low > 0) - int(limits.high < 0)


if __name__ == "__main__":
    main()
