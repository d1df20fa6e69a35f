"""How often reports advise to change models where none is better, and how often where one is.

Run by hand, not in the tests. Each run draws rows and models, finds the tables of costs as a run
does, and looks at the bold sentences that are printed of them. Under the null all models are
equally good, so that every change that is advised is a false one; with a gain one candidate has
that share less of its own error. Beside it stands what advice on the best of many, each on its own
interval, would have said. Where unit costs declare one of the asymmetries, advice at that one is
counted alone too: it is the one that is acted at.

    python benchmarks/advice.py --runs 400 --candidates 1 3 6

One line a cell goes to `benchmarks/results/advice.jsonl`.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator
from dataclasses import asdict, dataclass, replace
from math import sqrt
from pathlib import Path

import numpy as np
from plans import make_plan
from scipy import stats

from reportgen.analysis.costs.cost_model import CostModel
from reportgen.analysis.costs.decisions import cost_statistic
from reportgen.analysis.plan import AnalysisPlan, ModelScores
from reportgen.analysis.run import analyze_dataset
from reportgen.inference.resampling.design import Design
from reportgen.kernels.batch import Matrix, Vector
from reportgen.metrics.losses.loss_functions import linlin
from reportgen.metrics.rows import Amounts, TrainingRows
from reportgen.report.prose.cost_advice import advise
from reportgen.report.prose.costs import CostWording

ALPHAS = (0.1, 0.3, 0.5, 0.7, 0.9)
RESULTS = Path(__file__).parent / "results" / "advice.jsonl"


@dataclass(frozen=True)
class Cell:
    """One ground: how many candidates, what the first gains, and what is asked of the rows."""

    candidates: int
    gain: float
    is_fitted: bool
    is_priced: bool
    rows: int
    declared: float | None = None
    replicates: int = 499

    @property
    def names(self) -> list[str]:
        """The model in use, then the candidates."""
        return ["a", *(f"b{k}" for k in range(self.candidates))]

    @property
    def cost_model(self) -> CostModel:
        """Five asymmetries; a polynomial of degree 1 where there are rows to fit."""
        cost_model = CostModel(ALPHAS, is_fitted=self.is_fitted, degree=int(self.is_fitted))
        if not self.is_priced:
            return cost_model
        return replace(cost_model, total=5.0, unit="EUR", is_priced=True, declared=self.declared)


def drawn(cell: Cell, draw: np.random.Generator) -> tuple[Vector, Matrix]:
    """Skewed amounts, many of them zero, and scores of models that err alike and on their own."""
    latent = draw.normal(size=cell.rows)
    spend = np.exp(1 + latent + 0.8 * draw.normal(size=cell.rows))
    y = np.where(draw.random(cell.rows) < 0.3, 0.0, spend)
    noise = 0.5 * draw.normal(size=(len(cell.names), cell.rows))
    noise[1:2] *= 1 - cell.gain
    return y, np.exp(0.7 + 0.7 * latent + noise)


def asked(cell: Cell, seed: int) -> AnalysisPlan:
    """One draw of the ground, and what a config would ask of it."""
    draw = np.random.default_rng([seed, 11])
    (y, scores), fit = drawn(cell, draw), drawn(cell, draw) if cell.is_fitted else None
    taught = Design("fit", cell.rows, cell.replicates, seed)
    return make_plan(
        dataset="test",
        models=tuple(
            ModelScores(
                name,
                name,
                Amounts(
                    y,
                    scores[k],
                    {},
                    None
                    if fit is None
                    else TrainingRows(
                        Amounts(fit[0], fit[1][k], {}),
                        np.ones(cell.rows),
                        taught.batch,
                        taught.identity,
                    ),
                ),
            )
            for k, name in enumerate(cell.names)
        ),
        pairs=tuple((name, "a") for name in cell.names[1:]),
        design=Design("test", cell.rows, cell.replicates, seed),
        adjust="holm",
        cost_statistics=(cost_statistic(cell.cost_model),),
        baseline="a",
    )


def printed(cell: Cell, question: AnalysisPlan) -> Iterator[str]:
    """The bold sentences, one an asymmetry."""
    (found,) = analyze_dataset(question).costs
    model = found.model
    terms = CostWording(model.money, "y", model.cases, 0.95, "a", {}, model.is_priced)
    for shifted in [made for made in found.decisions if made.shift == "optimal"]:
        options = [each for each in found.options if each.asymmetry == shifted.asymmetry]
        yield advise(options, terms, found.ranges, shifted)


def one_by_one(question: AnalysisPlan) -> bool:
    """Whether at some asymmetry the best candidate's own interval against the first leaves zero."""
    scores = np.array([each.rows.score.values for each in question.models])
    for alpha in ALPHAS:
        cost = linlin(scores - question.outcome.values, alpha)
        less = cost[0] - cost[np.argmin(cost.mean(axis=1))]
        error = less.std(ddof=1) / sqrt(len(less))
        if less.mean() > stats.t.ppf(0.975, len(less) - 1) * error > 0:
            return True
    return False


def main() -> None:
    """Every cell asked for, one line each."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=400)
    parser.add_argument("--rows", type=int, default=300)
    parser.add_argument("--candidates", type=int, nargs="+", default=[1, 3, 6])
    parser.add_argument("--gain", type=float, nargs="+", default=[0.0])
    parser.add_argument("--fitted", type=int, nargs="+", default=[0, 1])
    parser.add_argument("--priced", type=int, nargs="+", default=[1])
    parser.add_argument("--declared", type=float, choices=ALPHAS)
    given = parser.parse_args()
    for cell in (
        Cell(candidates, gain, bool(fitted), bool(priced), given.rows, given.declared)
        for gain in given.gain
        for fitted in given.fitted
        for priced in given.priced
        for candidates in given.candidates
    ):
        questions = (asked(cell, seed) for seed in range(given.runs))
        acted = [alpha == given.declared for alpha in ALPHAS]
        found = np.array(
            [
                (any(changes), any(c and a for c, a in zip(changes, acted, strict=True)), alone)
                for changes, alone in (
                    ([" in place of " in said for said in printed(cell, each)], one_by_one(each))
                    for each in questions
                )
            ]
        )
        share, declared, alone = found.mean(axis=0)
        line = {
            **asdict(cell),
            "runs": len(found),
            "advised": round(float(share), 4),
            "error": round(sqrt(share * (1 - share) / len(found)), 4),
            "advised_at_declared": round(float(declared), 4) if given.declared else None,
            "one_by_one": round(float(alone), 4),
        }
        print(json.dumps(line), flush=True)
        with RESULTS.open("a", encoding="utf-8") as file:
            file.write(json.dumps(line) + "\n")


if __name__ == "__main__":
    main()
