"""How often intervals hold of calls: from learnt thresholds, of several classes, and of labels.

    python benchmarks/coverage_calls.py [--runs 200]    goes on where it stopped
    python benchmarks/coverage_calls.py --table         writes the page of what has been run

Thresholds: 50 or 500 rows with a fifth positive teach each model the threshold that makes the most
of F or costs least, or the highest with a recall of 0.8; 400 other rows judge it. The truth is that
of the threshold which was taught, by the Normal distributions of the scores. Classes and labels: as
many rows of each are expected as its size says, with a score of each; the truth is from 400,000
rows. Blocks of runs are lines of benchmarks/results/coverage_calls.jsonl.
"""

from __future__ import annotations

import argparse
from collections import Counter
from dataclasses import dataclass
from functools import cache
from math import sqrt
from pathlib import Path
from zlib import crc32

import numpy as np
from blocks_of_runs import Cells, by_ground, go_on, read, summed
from class_grounds import COSTS, Ground, rows_of
from class_page import table_of
from coverage_classes import REPLICATES, Values, counted
from plans import make_plan
from scipy.special import expit, logit, ndtr, ndtri, softmax

from reportgen.analysis.classes import iter_class_warnings
from reportgen.analysis.dataset_analysis import draw_replicates
from reportgen.analysis.plan import AnalysisPlan, ModelScores, PlannedClassMetric, PlannedMetric
from reportgen.analysis.warnings import iter_warnings
from reportgen.inference.resampling.design import Design
from reportgen.kernels.batch import Batch, Column, Vector
from reportgen.kernels.thresholds import (
    BestThreshold,
    Threshold,
)
from reportgen.metrics import METRICS
from reportgen.metrics.classification.costs import list_cell_costs
from reportgen.metrics.rows import Classes, LabelSets, Rows

RESULTS = Path(__file__).parent / "results" / "coverage_calls.jsonl"
PAGE = Path(__file__).parent / "results" / "coverage_calls.md"
BLOCK, LARGE, JUDGED, SHARE, AUC = 20, 400_000, 400, 0.2, 0.87
POINTS = ("most F", "least cost", "recall 0.8")
PAIRS = (("second", "first"), ("third", "first"))
OF_CLASSES = (
    ("F, macro", "multiclass_f", {}),
    ("F, weighted", "multiclass_f", {"average": "weighted"}),
    ("F of the first", "multiclass_f", {"of": "0"}),
    ("recall of the first", "multiclass_recall", {"of": "0"}),
    ("balanced accuracy", "multiclass_balanced_accuracy", {}),
    ("mcc", "multiclass_mcc", {}),
    ("kappa", "multiclass_kappa", {}),
    ("accuracy", "multiclass_accuracy", {}),
    ("log loss", "multiclass_log_loss", {}),
)
PRECISION = ("precision, macro", "multiclass_precision", {})
OF_LABELS = (
    ("F, macro", "multilabel_f", {}),
    ("F, weighted", "multilabel_f", {"average": "weighted"}),
    ("F, micro", "multilabel_f", {"average": "micro"}),
    ("F, samples", "multilabel_f", {"average": "samples"}),
    ("precision, macro", "multilabel_precision", {}),
    ("recall, macro", "multilabel_recall", {}),
    ("jaccard, macro", "multilabel_jaccard", {}),
    ("F of the first", "multilabel_f", {"of": "0"}),
)


def goals() -> dict[str, BestThreshold]:
    """What a threshold is to reach, by the name of its point."""
    f, recall = (METRICS[name].use().finish for name in ("f", "recall"))
    assert f is not None and recall is not None
    price = list_cell_costs(**COSTS)
    return {
        "most F": BestThreshold(("f",), f),
        "least cost": BestThreshold(("cost",), lambda tables: -(tables @ price)),
        "recall 0.8": BestThreshold(
            ("recall",), lambda t: np.where(recall(t) >= 0.8 - 1e-12, 1.0, np.nan)
        ),
    }


@dataclass(frozen=True)
class Taught:
    """Rows to fit that teach thresholds, and rows that judge what comes of them."""

    fit: int

    @property
    def name(self) -> str:
        """It in words."""
        return f"thresholds taught by {self.fit} rows, {JUDGED} rows to judge"

    def sampled(self, run: int) -> tuple[AnalysisPlan, Values]:
        """A sample with what is asked of it, and what is true of its thresholds."""
        rng = np.random.default_rng([crc32(self.name.encode()), run])
        ground = Ground(round(JUDGED * SHARE), SHARE, AUC)
        fit, rows = ground.draw(self.fit, rng), ground.draw(JUDGED, rng)
        uses = tuple(
            PlannedMetric(f"{name} at {point}", METRICS[name].use(at=point, **prices))
            for point in POINTS
            for name, prices in (
                ("recall", {}),
                ("precision", {}),
                ("f", {}),
                ("misclassification_cost", COSTS),
            )
        )
        models, true, outcome = [], {}, Column(rows.y)
        costs = np.tile(list_cell_costs(**COSTS), (JUDGED, 1))
        for model, p in rows.models.items():
            teaching, one = rows_of(fit.y, fit.models[model]), Batch.from_weights(np.ones(self.fit))
            cuts = {
                point: float(goal.find_thresholds(teaching, one)[0])
                for point, goal in goals().items()
            }
            judged = Classes(
                rows.y.astype(np.intp),
                p[:, None],
                ("0", "1"),
                "probability",
                outcome=outcome,
                rules={point: Threshold(t) for point, t in cuts.items()},
                cell_costs=costs,
            )
            models.append(ModelScores(model, model, judged))
            for point, t in cuts.items():
                for name, value in of_threshold(t, model).items():
                    true[f"{name} at {point}", model] = value
        return _plan(models, (PAIRS[1],), uses, run), true


def of_threshold(t: float, model: str) -> dict[str, float]:
    """What comes of calls from a probability on, by the Normal distributions of the scores."""
    apart = sqrt(2) * float(ndtri(AUC)) * (0.7 if model == "third" else 1.0)
    x = (logit(t) - logit(SHARE)) / apart + apart / 2
    tp, fp = SHARE * ndtr(apart - x), (1 - SHARE) * ndtr(-x)
    return {
        "recall": tp / SHARE,
        "precision": tp / (tp + fp),
        "f": 2 * tp / (tp + fp + SHARE),
        "misclassification_cost": COSTS["fn"] * (SHARE - tp) + COSTS["fp"] * fp,
    }


Measured = tuple[tuple[str, str, dict[str, str]], ...]


@dataclass(frozen=True, eq=False)
class Several:
    """Rows of several classes, or with several labels, of which the first is rare."""

    title: str
    sizes: tuple[int, ...]
    rows: int
    measures: Measured
    apart: float = 2.5
    are_labels: bool = False

    @property
    def name(self) -> str:
        """It in words."""
        return f"{self.title}, {self.rows} rows, {self.sizes[0]} of the first"

    def drawn(self, n: int, rng: np.random.Generator) -> tuple[Vector, dict[str, Rows]]:
        """The class or the labels of each row, and what three models say."""
        share, labels = np.array(self.sizes) / self.rows, tuple(map(str, range(len(self.sizes))))
        models: dict[str, Rows] = {}
        if self.are_labels:
            is_own = rng.random((n, len(share))) < share
        else:
            code = rng.choice(len(share), size=n, p=share)
            is_own = code[:, None] == np.arange(len(share))
        noise = rng.normal(size=is_own.shape)
        for name, part in (("first", 1.0), ("second", 1.0), ("third", 0.8)):
            d = part * self.apart
            x = d * is_own + sqrt(0.5) * (noise + rng.normal(size=is_own.shape))
            models[name] = (
                LabelSets(is_own, expit(d * (x - d / 2) + logit(share)), labels)
                if self.are_labels
                else Classes(code, softmax(d * x + np.log(share), axis=1), labels)
            )
        return is_own, models

    def sampled(self, run: int) -> tuple[AnalysisPlan, Values]:
        """A sample with what is asked of it, and what is true."""
        rng = np.random.default_rng([crc32(self.name.encode()), run])
        is_own, rows = self.drawn(self.rows, rng)
        models = [ModelScores(name, name, each) for name, each in rows.items()]
        kind = "multilabel" if self.are_labels else "multiclass"
        of_class = tuple(
            PlannedClassMetric(
                str(k),
                "",
                "",
                "F",
                PlannedMetric(f"f of {k}", METRICS[f"{kind}_f"].use(of=str(k))),
                is_own[:, k],
            )
            for k in range(len(self.sizes))
        )
        return _plan(models, PAIRS, self.uses(), run, of_class), true_of(self)

    def uses(self) -> tuple[PlannedMetric, ...]:
        """What is asked."""
        return tuple(
            PlannedMetric(key, METRICS[name].use(**params)) for key, name, params in self.measures
        )


@cache
def true_of(ground: Several) -> Values:
    """Values of every measure on many rows; the second model is as good as the first."""
    _, rows = ground.drawn(LARGE, np.random.default_rng(10))
    one = Batch.from_weights(np.ones(LARGE))
    return {
        (use.key, model): float(use.metric.bind(rows[model])(one)[0])
        for model in ("first", "third")
        for use in ground.uses()
    }


def _plan(
    models: list[ModelScores],
    pairs: tuple[tuple[str, str], ...],
    uses: tuple[PlannedMetric, ...],
    run: int,
    class_uses: tuple[PlannedClassMetric, ...] = (),
) -> AnalysisPlan:
    return make_plan(
        dataset="sample",
        models=tuple(models),
        pairs=pairs,
        metrics=uses,
        design=Design("sample", len(models[0].rows), REPLICATES, run),
        class_metrics=class_uses,
    )


GROUNDS = (
    Taught(50),
    Taught(500),
    Several("ten classes", (8, *[44] * 9), 404, OF_CLASSES),
    Several("four classes", (7, 200, 200, 100), 507, (*OF_CLASSES, PRECISION), 2.0),
    Several("four labels", (6, 20, 60, 120), 300, OF_LABELS, 2.0, are_labels=True),
    Several("three labels", (3, 5, 9), 30, OF_LABELS, 2.0, are_labels=True),
)


def one(ground: Taught | Several, run: int) -> dict[str, Counter[str]]:
    """One sample, judged."""
    plan, true = ground.sampled(run)
    found = draw_replicates(plan)
    return counted(found, true, (*iter_warnings(found), *iter_class_warnings(found)))


def block(place: int, first: int) -> Cells:
    """Counts of some runs by cell."""
    return summed(one(GROUNDS[place], run) for run in range(first, first + BLOCK))


HEAD = f"""# Coverage of intervals of calls: learnt thresholds, several classes, and labels

Made by `python benchmarks/coverage_calls.py`, then `--table`; {REPLICATES} resamples of each
sample, columns as in [the study of two classes](coverage_classes.md). Of fifty rows ten are
positive; W129 tells then that they are few. It stands at the threshold and not in this count.
"""


def table() -> str:
    """All that has been run, as a page."""
    total = by_ground(read(RESULTS))
    parts = [HEAD]
    for ground in GROUNDS:
        if ground.name in total:
            parts.append(f"\n## {ground.name[0].upper()}{ground.name[1:]}\n\n")
            parts.append(table_of(total[ground.name]))
    return "".join(parts)


def main() -> None:
    """Run what is not there yet, or write the page."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--runs", type=int, default=200)
    parser.add_argument("--table", action="store_true")
    options = parser.parse_args()
    if options.table:
        PAGE.write_text(table(), encoding="utf-8")
        return
    jobs = {
        (place, first): {"ground": ground.name, "first": first, "replicates": REPLICATES}
        for first in range(0, options.runs, BLOCK)
        for place, ground in enumerate(GROUNDS)
    }
    go_on(RESULTS, jobs, block)


if __name__ == "__main__":
    main()
