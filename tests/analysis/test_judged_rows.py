"""Two models that are judged on different rows: a row without labels or calls has no share."""

import numpy as np
import pytest

from benchmarks.plans import change_plan, make_plan
from reportgen.analysis.comparisons import iter_comparisons
from reportgen.analysis.dataset_analysis import draw_replicates
from reportgen.analysis.folds import select_fold_question
from reportgen.analysis.plan import AnalysisPlan, FoldAssignment, ModelScores, PlannedMetric
from reportgen.analysis.sensitivity.wins import pair_rows
from reportgen.inference.intervals import compute_interval
from reportgen.inference.resampling.design import Design
from reportgen.inference.sampling_distribution import SamplingDistribution
from reportgen.inference.significance import assess_significance
from reportgen.metrics import METRICS
from reportgen.metrics.rows import LabelSets

N, LABELS = 90, ("a", "b", "c")
DRAW = np.random.default_rng(12)
HAD = DRAW.random((N, 3)) < [0.4, 0.3, 0.2]
SCORES = [np.where(HAD, 0.3, 0.1) + 0.6 * DRAW.random((N, 3)) for _ in range(2)]
WEIGHT = DRAW.choice([0.0, 1.0, 2.0, 2.5], N)
CLUSTER = np.arange(N) // 3
NAMES = ("precision", "recall", "f", "jaccard")
DESIGNS = pytest.mark.parametrize(
    ("weight", "unit"),
    [(None, None), (WEIGHT, None), (None, CLUSTER), (WEIGHT, CLUSTER)],
    ids=["plain", "weights", "clusters", "weights and clusters"],
)


def shares(name: str, had: np.ndarray, called: np.ndarray) -> np.ndarray:
    """A share of each row's own labels, nan where it has no denominator."""
    right, calls, there = ((had & called).sum(1), called.sum(1), had.sum(1))
    above, below = {
        "precision": (right, calls),
        "recall": (right, there),
        "f": (2 * right, calls + there),
        "jaccard": (right, calls + there - right),
    }[name]
    return np.where(below > 0, above / np.maximum(below, 1), np.nan)


def gap(name: str, weight: np.ndarray) -> float:
    """The mean of the second model over its rows, less that of the first over its own."""
    means = []
    for score in SCORES:
        each = shares(name, HAD, score >= 0.5)
        kept = ~np.isnan(each)
        means.append(np.average(each[kept], weights=weight[kept]))
    return float(means[1] - means[0])


def asked(name: str, weight: np.ndarray | None, unit: np.ndarray | None) -> AnalysisPlan:
    metric = METRICS[f"multilabel_{name}"].use(average="samples", undefined="skip")
    models = tuple(
        ModelScores(f"m{k}", f"m{k}", LabelSets(HAD, score, LABELS))
        for k, score in enumerate(SCORES)
    )
    design = Design("rows", N, 99, 1, weight, unit)
    return make_plan(
        dataset="rows",
        unit="1",
        models=models,
        pairs=(("m1", "m0"),),
        metrics=(PlannedMetric(name, metric, None, True),),
        design=design,
        adjust="holm",
    )


def difference(plan: AnalysisPlan) -> SamplingDistribution:
    found = draw_replicates(plan)
    return found.difference(found.parts[0], plan.statistics.metrics[0], "m1", "m0")[0]


@DESIGNS
@pytest.mark.parametrize("name", NAMES)
def test_the_error_of_a_difference_is_that_of_every_row_that_either_is_judged_on(
    name: str, weight: np.ndarray | None, unit: np.ndarray | None
) -> None:
    plan, own = asked(name, weight, unit), np.ones(N) if weight is None else weight
    found = difference(plan)
    assert found.value == pytest.approx(gap(name, own), rel=1e-12)
    slopes = np.empty(N)  # what a little more of each row does to the difference, by its share
    for row in range(N):
        step = np.zeros(N)
        step[row] = 1e-5
        ends = gap(name, own + step), gap(name, np.maximum(own - step, 0.0))
        width = 2e-5 if own[row] else 1e-5
        slopes[row] = own[row] * (ends[0] - ends[1]) / width
    each = slopes if unit is None else np.bincount(unit, slopes)
    assert found.influence is not None
    wanted = sorted(x for x in each if abs(x) > 1e-12)
    assert sorted(x for x in found.influence if abs(x) > 1e-12) == pytest.approx(wanted, abs=1e-7)


@DESIGNS
def test_each_replicate_is_the_gap_of_two_means_each_of_its_own_rows(
    weight: np.ndarray | None, unit: np.ndarray | None
) -> None:
    plan, own = asked("precision", weight, unit), np.ones(N) if weight is None else weight
    found = difference(plan)
    for r in range(3):
        drawn = own * plan.sampling.design.batch(0).count[:, r]
        assert found.replicates[r] == pytest.approx(gap("precision", drawn), rel=1e-12)


def test_the_limits_and_the_test_are_those_of_a_difference_of_two_ratios() -> None:
    found = difference(asked("precision", None, None))
    judged = [~np.isnan(shares("precision", HAD, score >= 0.5)) for score in SCORES]
    either = int((judged[0] | judged[1]).sum())
    assert either > max(each.sum() for each in judged)
    assert found.units == found.n == either
    assert found.influence is not None
    error = np.sqrt(np.sum(found.influence**2) * either / (either - 1))
    limits = compute_interval(found, "auto", 0.95)
    assert limits.method == "t"
    assert (limits.low + limits.high) / 2 == pytest.approx(found.value)
    assert limits.se == pytest.approx(error)
    assert assess_significance(found).test == "paired t"
    # No row has a difference of its own whose sign could be flipped, or that could be ranked.
    assert (
        assess_significance(found, "sign-flip").test == assess_significance(found, "wilcoxon").test
    )


def test_a_comparison_counts_the_rows_of_either_and_its_wins_those_of_both() -> None:
    plan = asked("precision", None, None)
    analysis = draw_replicates(plan)
    judged = [~np.isnan(shares("precision", HAD, score >= 0.5)) for score in SCORES]
    (found,) = iter_comparisons(analysis)
    assert found.n == found.units == (judged[0] | judged[1]).sum()
    rows = pair_rows(analysis.parts[0], plan.statistics.metrics[0], "m1", "m0")
    assert rows is not None
    each = [shares("precision", HAD, score >= 0.5) for score in SCORES]
    assert rows.rows.tolist() == np.flatnonzero(judged[0] & judged[1]).tolist()
    assert rows.difference == pytest.approx((each[1] - each[0])[rows.rows])


@pytest.mark.parametrize(("folds", "lacks"), [(2, "folds"), (3, "")])
def test_in_folds_the_folds_vary_and_the_rows_of_either_are_counted_behind_them(
    folds: int, lacks: str
) -> None:
    names = tuple(("", str(k)) for k in range(folds))
    folding = FoldAssignment(np.arange(N) % folds, names, 1 / (folds - 1), True, "fold")
    analysis = select_fold_question(
        draw_replicates(change_plan(asked("precision", None, None), folds=folding))
    )
    found, _ = analysis.difference(
        analysis.parts[0], analysis.plan.statistics.metrics[0], "m1", "m0"
    )
    judged = [~np.isnan(shares("precision", HAD, score >= 0.5)) for score in SCORES]
    assert (found.units, found.behind) == (folds, (judged[0] | judged[1]).sum())
    assert found.lacks == lacks
    assert compute_interval(found, "auto", 0.95).method == "corrected-t"
