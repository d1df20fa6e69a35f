"""Metrics that order models alike have one test and one verdict, and a verdict has its p-value."""

from dataclasses import replace
from functools import partial

import numpy as np
import pytest

from benchmarks.plans import change_plan
from reportgen.analysis.comparisons import iter_comparisons
from reportgen.analysis.dataset_analysis import draw_replicates
from reportgen.analysis.plan import PlannedMetric
from reportgen.analysis.run import analyze_dataset
from reportgen.analysis.sensitivity.alternatives import compute_alternatives
from reportgen.metrics import METRICS
from reportgen.metrics.lookup import find_metric
from reportgen.terms import Margin
from tests.analysis.asked import question, rows

COST = partial(find_metric, "expected_cost")
ALIKE = {
    "squares": ("rmse", "r2", "mse", COST(loss="quadquad", alpha=0.5)),
    "variance": (
        "error_variance",
        "aoc",
        METRICS["aoc"].use(raw=True),
        COST(loss="quadquad", alpha=0.5, shift="optimal"),
    ),
    "ranks": ("spearman", "rho_tilde"),
    "pairs": ("kendall_a", "tau_tilde", "regression_auc"),
    "sizes": (
        "mae",
        "wape",
        METRICS["asymmetric_cost"].use(alpha=0.5),
        METRICS["pinball"].use(alpha=0.5),
        COST(under=3, over=3),
    ),
    "too high": ("over", METRICS["over"].use(raw=True), METRICS["asymmetric_cost"].use(alpha=0)),
    "too low": ("under", METRICS["pinball"].use(alpha=1)),
    "sides": (
        METRICS["asymmetric_cost"].use(alpha=0.8),
        METRICS["pinball"].use(alpha=0.8),
        COST(under=4, over=1),
    ),
    "top": (METRICS["ranking_last"].use(buckets=5), METRICS["topk_capture"].use(share=0.2)),
    "halves": tuple(
        METRICS[f"ranking_{what}"].use(buckets=2)
        for what in ("first", "last", "difference", "slope")
    ),
}
DESIGNS = ("rows", "weights", "clusters", "blocks")
DECIDED = ("better", "worse")


def asked_of(names, seed=0, shift=0.0, design="rows", n=80, **more):
    """Two or more models that are equally good, or one of them worse, on tied and skewed rows."""
    draw = np.random.default_rng(seed)
    y = np.round(np.where(draw.random(n) < 0.2, 0.0, draw.lognormal(1.5, 0.7, n)), 1)
    scores = [
        np.round(y * draw.normal(1, 0.1) + draw.normal(0, 2.5 + shift * k, n), 1)
        for k in range(more.get("models", 2))
    ]
    how = {
        "rows": {},
        "weights": {"weight": draw.exponential(1, n) + 0.3},
        "clusters": {"unit": np.arange(n) % (n // 4)},
        "blocks": {"unit": np.arange(n), "block": 3.0},
    }[design]
    found = question(n, data=(y, scores), names=("mae",), **({"replicates": 199} | how | more))
    metrics = [METRICS[m].use() if isinstance(m, str) else m for m in names]
    return change_plan(
        found, metrics=tuple(PlannedMetric(f"{k} {m.name}", m) for k, m in enumerate(metrics))
    )


def one_answer(compared):
    """Whether comparisons of one pair say the same, each in its own direction and unit."""
    decided = {c.word for c in compared}
    p = {c.p_value for c in compared} - {None}
    return len(decided) == 1 and len(p) <= 1 and len({c.test for c in compared}) == 1


@pytest.mark.parametrize("design", DESIGNS)
@pytest.mark.parametrize("names", ALIKE.values(), ids=ALIKE)
def test_metrics_that_order_models_alike_have_one_verdict_and_one_p_value(names, design):
    for seed in range(3):
        asked = asked_of(names, seed, shift=0.9 * (seed % 2), design=design)
        found = [c for c in analyze_dataset(asked).comparisons if c.status == "ok"]
        assert one_answer(found), [(c.key, c.word, c.p_value) for c in found]


@pytest.mark.parametrize("names", ALIKE.values(), ids=ALIKE)
def test_zero_is_within_the_limits_of_all_or_of_none(names):
    for seed in range(12):
        found = analyze_dataset(asked_of(names, seed, shift=0.45)).comparisons
        assert len({c.low > 0 or c.high < 0 for c in found}) == 1
        assert all((c.difference > 0) == (c.low > 0) for c in found if c.low > 0 or c.high < 0)


@pytest.mark.parametrize("names", [ALIKE["squares"][:3], ALIKE["sizes"][:2]])
def test_a_second_method_disagrees_with_all_or_with_none(names):
    marked = []
    for seed in range(24):
        found = analyze_dataset(asked_of(names, seed, shift=0.45)).comparisons
        (mark,) = {c.is_method_sensitive for c in found}
        marked.append(mark)
    assert names[0] == "mae" or any(marked)


def test_a_line_of_a_metric_has_its_limits_carried_over():
    found = {
        e.metric: e for e in analyze_dataset(asked_of(ALIKE["ranks"])).estimates if e.model == "m0"
    }
    rho, share = found["spearman"], found["rho_tilde"]
    assert share.method == rho.method == "fisher-z"
    assert (share.low, share.high) == pytest.approx(((1 + rho.low) / 2, (1 + rho.high) / 2))


def test_one_question_counts_once_in_its_family():
    alone = analyze_dataset(asked_of(("rmse", "median_ae"))).comparisons[0]
    beside = analyze_dataset(asked_of(("rmse", "r2", "median_ae"))).comparisons
    assert beside[0].p_adjusted == alone.p_adjusted
    assert beside[1].family_size == beside[0].family_size == alone.family_size
    assert beside[1].p_adjusted in (None, alone.p_adjusted)


def test_a_metric_that_asks_what_the_primary_one_asks_is_judged_with_it():
    asked = asked_of(("error_variance", "kendall", "aoc", "spearman"), shift=0.45)
    first, *rest = asked.statistics.metrics
    found = analyze_dataset(
        change_plan(asked, metrics=(replace(first, is_primary=True), *rest))
    ).comparisons
    by_metric = {c.metric: c for c in found}
    assert by_metric["aoc"].family == "choice"
    assert by_metric["aoc"].p_adjusted == by_metric["aoc"].p_value
    assert by_metric["spearman"].family == "metrics"


@pytest.mark.parametrize("adjust", ["bonferroni", "holm", "maxt", "none"])
@pytest.mark.parametrize("replicates", [39, 99, 199])
@pytest.mark.parametrize("design", ["rows", "clusters"])
def test_no_verdict_stands_beside_an_adjusted_p_value_above_its_level(adjust, replicates, design):
    names = ("rmse", "pearson", "bias", "median_ae", "kendall", "topk_capture")
    metrics = [METRICS[n].use(share=0.2) if n == "topk_capture" else n for n in names]
    asked = asked_of(metrics, 3, 0.7, design, replicates=replicates, adjust=adjust, models=5)
    found = analyze_dataset(asked).comparisons
    decided = [c for c in found if c.word in DECIDED]
    assert decided or adjust != "none"
    assert all(c.p_adjusted is None or c.p_adjusted <= 0.05 for c in decided)
    assert all(
        c.p_adjusted is None or c.p_adjusted <= 0.05 or c.low is None or c.low <= 0 <= c.high
        for c in found
    )


def test_neither_is_equivalence_shown_by_limits_that_are_not_known():
    y, scores = rows(200, 2, seed=4)
    parts = [(f"s{k}", np.arange(200) % 7 == k) for k in range(7)]
    asked = question(200, data=(y, [scores[0], scores[0] + 1e-3]), replicates=39, segments=parts)
    use = PlannedMetric("rmse", METRICS["rmse"].use(), Margin(5.0), True)
    found = analyze_dataset(change_plan(asked, metrics=(use,))).comparisons
    assert [c.word for c in found if c.segment is None] == ["equivalent"]
    within = [c for c in found if c.segment]
    assert {(c.word, c.low, c.high) for c in within} == {("no result", None, None)}
    assert all("too few resamples" in c.reason for c in within)


def test_the_declared_choice_has_the_verdict_of_the_comparison_where_resamples_lack():
    y, (best, _) = rows(200, 2, seed=4)
    noise = np.random.default_rng(6).normal(size=(4, 200))
    scores = [best, *(best + k * each for k, each in zip((0.01, 1, 2, 3), noise, strict=True))]
    asked = question(200, len(scores), ("rmse",), 99, data=(y, scores), interval="percentile")
    analysis = draw_replicates(change_plan(asked, is_varied=True))
    found = {c.candidate: c for c in iter_comparisons(analysis)}
    declared = {c.candidate: c for c in compute_alternatives(analysis) if c.kind == "declared"}
    assert {m: c.word for m, c in declared.items()} == {m: c.word for m, c in found.items()}
    assert any(c.replicates_to_settle for c in found.values())


def test_two_models_that_say_the_same_of_every_row_are_the_same():
    y, (score, other) = rows(60, 2)
    found = analyze_dataset(question(60, data=(y, [score, score.copy()]))).comparisons
    assert all(c.is_same and c.difference == 0 for c in found)
    assert not any(
        c.is_same for c in analyze_dataset(question(60, data=(y, [score, other]))).comparisons
    )


def test_what_is_left_of_two_equal_numbers_is_no_difference():
    y, (score, _) = rows(60, 2)
    found = analyze_dataset(
        question(60, data=(y, [score, score * (1 + 1e-16) + 1e-15]))
    ).comparisons
    assert {c.difference for c in found} == {0.0} and {c.favours for c in found} == {None}


@pytest.mark.parametrize("design", DESIGNS)
def test_differences_of_sizes_have_one_method_in_every_design(design):
    (found,) = analyze_dataset(asked_of(("bias",), design=design)).comparisons
    assert (found.method, found.test) == ("size-bootstrap-se", "size z")


def test_a_p_value_stands_only_beside_the_interval_of_its_own_method():
    """Another test may reject zero where the printed interval holds it."""
    kept = asked_of(("mae", "kendall"), design="rows")
    named = change_plan(
        kept,
        metrics=tuple(replace(use, test="sign-flip") for use in kept.statistics.metrics),
    )
    for c in analyze_dataset(kept).comparisons:
        assert (c.method, c.test) in PAIRED and 0 < c.p_value <= c.p_adjusted
    mean = analyze_dataset(named).comparisons[0]
    assert (mean.method, mean.test) == ("t", "sign flip")
    assert mean.low is not None and (mean.p_value, mean.p_adjusted) == (None, None)


PAIRED = (("t", "paired t"), ("influence", "influence z"))
