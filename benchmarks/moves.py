"""How often a move between two runs on fresh rows is called where nothing moved.

    python benchmarks/moves.py [RUNS]

Two runs of the same two models, each on rows of its own from one population; the move of each
value and each difference is judged by square-and-add from both printed intervals. Counted is how
often the 95 % interval of a move leaves zero out (one move, before Holm), and how often any move of
a page is called (the family, after Holm). Bounds: 5 % ± 1.5 for one move, 6 % for the family.
"""

from __future__ import annotations

import sys
from dataclasses import replace

import numpy as np
from plans import make_plan

from reportgen.analysis.plan import ModelScores, PlannedMetric
from reportgen.analysis.run import analyze_dataset
from reportgen.governance.run_diff import compute_moves
from reportgen.inference.resampling.design import Design
from reportgen.metrics import METRICS
from reportgen.metrics.rows import Amounts
from reportgen.results import Results
from tests.worked import results_of

N, DRAWN, RUNS = 300, 199, 2_000
NAMES = ("mae", "rmse", "kendall")


def main() -> None:
    runs = int(sys.argv[1]) if len(sys.argv) > 1 else RUNS
    template = results_of("wallet")
    infos = {each.key: each for each in template.metrics}
    shown = tuple(replace(infos["mae"], key=name, name=name, is_primary=False) for name in NAMES)
    template = replace(template, metrics=shown, digests=None)
    one: dict[str, list[bool]] = {}
    family = []
    for k in range(runs):
        found = compute_moves(run(template, 2 * k), run(template, 2 * k + 1))
        assert all(move.method == "square-and-add" for move in found)
        for move in found:
            kind = f"{move.key} {'difference' if move.against else 'value'}"
            out = move.low is not None and not move.low <= 0 <= (move.high or 0.0)
            one.setdefault(kind, []).append(out)
        family.append(any(move.word in ("improved", "worsened") for move in found))
    for kind, called in one.items():
        print(f"{kind}: {100 * np.mean(called):.2f} % of {len(called)} moves")
    every = [out for called in one.values() for out in called]
    print(f"one move: {100 * np.mean(every):.2f} % of {len(every)} in {runs} pairs of runs")
    print(f"any of a page, after Holm: {100 * np.mean(family):.2f} %")


def run(template: Results, seed: int) -> Results:
    """One run on rows of its own."""
    draw = np.random.default_rng(seed)
    y = draw.gamma(2.0, 10.0, N)
    scores = {name: y + draw.normal(0, spread, N) for name, spread in (("a", 8.0), ("b", 7.0))}
    plan = make_plan(
        dataset="holdout",
        models=tuple(ModelScores(name, name, Amounts(y, s)) for name, s in scores.items()),
        pairs=(("b", "a"),),
        metrics=tuple(PlannedMetric(name, METRICS[name].use()) for name in NAMES),
        design=Design("holdout", N, DRAWN, seed),
        adjust="holm",
    )
    found = analyze_dataset(plan)
    return replace(template, estimates=found.estimates, comparisons=found.comparisons)


if __name__ == "__main__":
    main()
