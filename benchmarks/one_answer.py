"""Count contradictions between metrics that order models alike, on drawn data.

    python benchmarks/one_answer.py --null 1000 --effect 200

Each data set has its own number of rows, ties, zeros, weights or clusters. Two metrics with one
root contradict each other where their verdicts or p-values on a pair differ. None should.
"""

from __future__ import annotations

import argparse
import time
from dataclasses import replace

import numpy as np
from asked import asked

from reportgen.inference.comparisons import comparisons, hypothesis, paired
from reportgen.inference.question import Use
from reportgen.inference.study import study
from reportgen.metrics import METRICS

COST, ASYMMETRIC, PINBALL = (METRICS[m] for m in ("expected_cost", "asymmetric_cost", "pinball"))
PLAIN = ("rmse", "mse", "r2", "error_variance", "aoc", "spearman", "rho_tilde", "kendall_a",
         "tau_tilde", "regression_auc", "mae", "wape", "over", "under", "ranking_last")  # fmt: skip
GIVEN = (
    METRICS["topk_capture"].use(share=0.1),
    COST.use(loss="quadquad", alpha=0.5),
    COST.use(loss="quadquad", alpha=0.5, shift="optimal"),
    *(ASYMMETRIC.use(alpha=alpha) for alpha in (0, 0.5, 0.8, 1)),
    *(PINBALL.use(alpha=alpha) for alpha in (0.5, 0.8)),
    COST.use(under=4, over=1),
)
USES = tuple(
    Use(f"{k} {metric.name}", metric)
    for k, metric in enumerate((*(METRICS[name].use() for name in PLAIN), *GIVEN))
)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--null", type=int, default=1000)
    parser.add_argument("--effect", type=int, default=200)
    parser.add_argument("--seconds", type=float, default=float("inf"))
    options = parser.parse_args()
    for name, runs, effect in (("null", options.null, 0.0), ("effect", options.effect, 0.35)):
        start, pairs, wrong, made = time.monotonic(), 0, 0, 0
        for seed in range(runs):
            if time.monotonic() - start > options.seconds:
                break
            compared, contradicted = contradictions(seed, effect)
            pairs, wrong, made = pairs + compared, wrong + contradicted, made + 1
        print(f"{name}: {made} data sets, {pairs} pairs of metrics, {wrong} contradictions")


def contradictions(seed: int, effect: float) -> tuple[int, int]:
    """How many pairs of metrics ask one question on a drawn data set, and how many disagree."""
    draw = np.random.default_rng([seed, int(100 * effect)])
    n = int(draw.integers(30, 500))
    y = np.where(draw.random(n) < 0.3 * (seed % 2), 0.0, draw.lognormal(1.5, 0.7, n))
    scores = {
        name: np.round(y + draw.normal(0, 3 * (1 + effect * k), n), 1 if seed % 3 else 0)
        for k, name in enumerate(("first", "second"))
    }
    unit = np.arange(n) % (n // 3) if seed % 4 == 3 else None
    question = asked(np.round(y, 1), scores, (("second", "first"),), USES, 199, seed, unit,
                     adjust="holm")  # fmt: skip
    if seed % 4 == 2:
        weight = draw.exponential(1, n) + 0.3
        question = replace(question, design=replace(question.design, weight=weight))
    found = study(question)
    by: dict[object, list[tuple[object, ...]]] = {}
    for use, compared in zip(USES, comparisons(found), strict=True):
        if compared.status == "ok":
            asks = hypothesis(paired(found, found.parts[0], use, "second", "first"))
            said = (compared.verdict, compared.p_value, compared.p_adjusted)
            by.setdefault(asks, []).append(said)
    sizes = [len(said) * (len(said) - 1) // 2 for said in by.values()]
    wrong = sum(a != b for said in by.values() for k, a in enumerate(said) for b in said[:k])
    return sum(sizes), wrong


if __name__ == "__main__":
    main()
