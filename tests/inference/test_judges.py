"""Judges against humans: values of other packages and of papers, and coverage of the intervals."""

from __future__ import annotations

from math import sqrt

import numpy as np
import pytest
from scipy import stats
from sklearn.metrics import cohen_kappa_score
from statsmodels.stats.inter_rater import cohens_kappa

from reportgen.inference.answer_samples import compute_variance_within, split_variance
from reportgen.inference.judges import (
    LabelledItems,
    compare_judge_errors,
    compute_ac1,
    compute_kappa,
    compute_sensitivity,
    compute_specificity,
    correct_mean,
    estimate_agreement,
    find_unlike_groups,
    find_unlike_score,
)


def items_of(
    judge: np.ndarray, human: np.ndarray, cluster: np.ndarray | None = None
) -> LabelledItems:
    """One labelled sample of each item."""
    j, h = judge.astype(float), human.astype(float)
    own = np.arange(len(j)) if cluster is None else cluster
    cells = (j * h, j * (1 - h), (1 - j) * h, (1 - j) * (1 - h))
    return LabelledItems(*cells, j, h, np.ones(len(j)), own)


def draw(n: int, seed: int = 1) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    human = rng.random(n) < 0.6
    return np.where(human, rng.random(n) < 0.9, rng.random(n) < 0.25), human


def test_kappa_is_that_of_scikit_learn_and_statsmodels() -> None:
    judge, human = draw(300)
    counts = items_of(judge, human).table.sum(axis=0)
    assert compute_kappa(counts) == pytest.approx(cohen_kappa_score(judge, human))
    square = counts[[0, 1, 2, 3]].reshape(2, 2)
    assert compute_kappa(counts) == pytest.approx(cohens_kappa(square).kappa)


def test_the_error_of_kappa_is_that_of_statsmodels() -> None:
    """Fleiss, Cohen and Everitt (1969), but for a factor of n/(n − 1)."""
    judge, human = draw(300)
    items = items_of(judge, human)
    found = estimate_agreement(items, compute_kappa, 0.95, is_share=False)
    theirs = cohens_kappa(items.table.sum(axis=0).reshape(2, 2)).std_kappa
    assert found.se == pytest.approx(theirs * sqrt(300 / 299), rel=1e-6)


def test_ac1_is_that_of_the_paper() -> None:
    """Gwet (2002), on 125 subjects: 118, 5, 2 and 0 give κ −0.0234 and AC1 0.9408."""
    counts = np.array([118.0, 5, 2, 0])
    assert compute_ac1(counts) == pytest.approx(0.9408, abs=5e-5)
    assert compute_kappa(counts) == pytest.approx(-0.0234, abs=5e-5)


def test_the_error_of_ac1_is_gwets_for_two_raters() -> None:
    """His variance for two categories, written out from the paper, with its sampling fraction 0."""
    judge, human = draw(400, 3)
    found = estimate_agreement(items_of(judge, human), compute_ac1, 0.95, is_share=False)
    n, same = len(judge), (judge == human).astype(float)
    share = (judge.mean() + human.mean()) / 2
    chance = 2 * share * (1 - share)
    value = (same.mean() - chance) / (1 - chance)
    own = (judge.astype(float) + human) / 2
    expected = own * (1 - share) + (1 - own) * share
    each = (same - chance) / (1 - chance) - 2 * (1 - value) * (expected - chance) / (1 - chance)
    assert found.value == pytest.approx(value)
    assert found.se == pytest.approx(sqrt(((each - value) ** 2).sum() / (n * (n - 1))), rel=1e-6)


def test_shares_are_those_of_labels() -> None:
    judge, human = draw(200, 5)
    counts = items_of(judge, human).table.sum(axis=0)
    assert compute_sensitivity(counts) == pytest.approx(judge[human].mean())
    assert compute_specificity(counts) == pytest.approx((~judge[~human]).mean())


def test_limits_of_a_share_are_wilsons_without_clusters() -> None:
    judge, human = draw(5000, 7)
    items = items_of(judge, human)
    found = estimate_agreement(items, compute_sensitivity, 0.95, is_share=True)
    hits, trials = int((judge & human).sum()), int(human.sum())
    wilson = stats.binomtest(hits, trials).proportion_ci(method="wilson")
    assert (found.low, found.high) == pytest.approx((wilson.low, wilson.high), abs=2e-4)


@pytest.mark.parametrize(
    ("judge", "human", "measure"),
    [
        ([1, 1, 1], [1, 1, 1], compute_kappa),
        ([1, 0, 1], [0, 0, 0], compute_kappa),
        ([1, 1, 1], [0, 1, 0], compute_kappa),
        ([1, 0, 1], [0, 0, 0], compute_sensitivity),
        ([1, 0, 1], [1, 1, 1], compute_specificity),
    ],
)
def test_what_labels_cannot_say_has_a_reason(judge, human, measure) -> None:
    items = items_of(np.array(judge), np.array(human))
    found = estimate_agreement(items, measure, 0.95, is_share=False)
    assert np.isnan(found.value) and "passes all, or none" in found.reason


@pytest.mark.parametrize("measure", [compute_kappa, compute_ac1])
def test_agreement_that_does_not_vary_has_no_interval(measure) -> None:
    human = np.arange(300) % 3 > 0
    found = estimate_agreement(items_of(human, human), measure, 0.95, is_share=False)
    assert (found.value, found.reason) == (1.0, "agreement does not vary")
    assert np.isnan([found.low, found.high]).all()


def test_no_agreement_is_0_and_no_rounding() -> None:
    """Every cell has the count of chance, and κ rounds to −1.1e-16."""
    judge = np.repeat([1, 1, 0, 0], [8, 10, 4, 5])
    human = np.repeat([1, 0, 1, 0], [8, 10, 4, 5])
    items = items_of(judge, human)
    assert compute_kappa(items.table.sum(axis=0)) != 0
    found = estimate_agreement(items, compute_kappa, 0.95, is_share=False)
    assert found.value == 0 and found.low == -found.high < -0.05


def test_a_judge_that_differs_by_rounding_favours_none() -> None:
    """0.1 + 0.2 is not 0.3, and that is no favour."""
    human, none = np.full(40, 0.3), np.zeros(40)
    items = [
        LabelledItems(none, none, none, none, judge, human, np.ones(40), np.arange(40))
        for judge in (np.full(40, 0.1 + 0.2), human)
    ]
    found = compare_judge_errors(*items, 0.95)
    assert (found.value, found.low, found.high) == (0, 0, 0)


def test_one_cluster_has_no_limits() -> None:
    judge, human = draw(30)
    items = items_of(judge, human, np.zeros(30, int))
    found = estimate_agreement(items, compute_kappa, 0.95, is_share=False)
    assert np.isfinite(found.value) and np.isnan(found.low) and "two clusters" in found.reason


def test_items_that_are_doubled_in_clusters_know_no_more() -> None:
    judge, human = draw(200, 9)
    single = estimate_agreement(items_of(judge, human), compute_kappa, 0.95, is_share=False)
    twice = items_of(np.tile(judge, 2), np.tile(human, 2), np.tile(np.arange(200), 2))
    doubled = estimate_agreement(twice, compute_kappa, 0.95, is_share=False)
    assert doubled.se == pytest.approx(single.se)


def test_a_judge_that_overrates_one_model_favours_it() -> None:
    rng = np.random.default_rng(2)
    human = rng.random(500) < 0.5
    fair, kind = human.copy(), human | (rng.random(500) < 0.4)
    found = compare_judge_errors(items_of(kind, human), items_of(fair, human), 0.95)
    error = kind.astype(float) - fair
    assert found.value == pytest.approx(error.mean()) and found.low > 0
    assert found.se == pytest.approx(error.std(ddof=1) / sqrt(500))


def ppi(f: np.ndarray, h: np.ndarray, labelled: np.ndarray) -> tuple[float, float, float]:
    """PPI++ by its formulas."""
    n, others = labelled.sum(), (~labelled).sum()
    weight = np.cov(h[labelled], f[labelled])[0, 1] / ((1 + n / others) * f.var(ddof=1))
    gap = h[labelled] - weight * f[labelled]
    value = weight * f[~labelled].mean() + gap.mean()
    error = weight**2 * f[~labelled].var(ddof=1) / others + gap.var(ddof=1) / n
    return value, sqrt(error), weight


def test_a_corrected_mean_follows_the_formulas() -> None:
    judge, human = (each.astype(float) for each in draw(400, 4))
    labelled = np.arange(400) < 120
    found = correct_mean(judge, human, labelled, np.arange(400), 0.95)
    value, se, weight = ppi(judge, human, labelled)
    assert found.corrected.value == pytest.approx(value)
    assert (found.corrected.se, found.weight) == pytest.approx((se, weight))
    assert found.corrected.high - value == pytest.approx(stats.t.ppf(0.975, 119) * se)


def test_a_corrected_mean_is_that_of_the_authors_package() -> None:
    """ppi_py 0.2.3 on these rows, which divides by n, not n − 1, in its variances."""
    ppi_py = pytest.importorskip("ppi_py")
    judge, human = (each.astype(float) for each in draw(400, 4))
    labelled = np.arange(400) < 120
    found = correct_mean(judge, human, labelled, np.arange(400), 0.95)
    theirs = ppi_py.ppi_mean_pointestimate(human[labelled], judge[labelled], judge[~labelled])
    assert found.corrected.value == pytest.approx(float(theirs[0]), abs=2e-3)


def test_a_useless_judge_is_not_trusted() -> None:
    rng = np.random.default_rng(8)
    human, judge = rng.random(300), rng.random(300)
    labelled = np.arange(300) < 100
    found = correct_mean(1 - human, human, labelled, np.arange(300), 0.95)
    assert found.weight == 0 and found.corrected.se == pytest.approx(found.human.se)
    constant = correct_mean(np.ones(300), human, labelled, np.arange(300), 0.95)
    assert constant.corrected.value == pytest.approx(human[:100].mean())
    assert correct_mean(judge, human, labelled, np.arange(300), 0.95).weight < 0.3


@pytest.mark.parametrize("labelled", [0, 1, 299, 300])
def test_too_few_labels_or_others_have_a_reason(labelled: int) -> None:
    judge, human = (each.astype(float) for each in draw(300))
    found = correct_mean(judge, human, np.arange(300) < labelled, np.arange(300), 0.95)
    assert np.isnan(found.corrected.low) and "or more" in found.corrected.reason


def test_clusters_of_both_kinds_add_their_covariance() -> None:
    """Rows that are all there twice, labelled and not, are no more than half as many."""
    judge, human = (each.astype(float) for each in draw(300, 6))
    labelled = np.arange(300) < 100
    pairs = np.tile(np.arange(300), 2)
    single = correct_mean(judge, human, labelled, np.arange(300), 0.95)
    twice = correct_mean(*(np.tile(a, 2) for a in (judge, human, labelled)), pairs, 0.95)
    assert twice.corrected.se == pytest.approx(single.corrected.se, rel=0.02)


def test_the_corrected_mean_covers_the_truth_in_clusters() -> None:
    """400 runs of 40 passages of 10 items, of which a third is labelled: 95% ± 2.2% by chance."""
    rng, hits, plain = np.random.default_rng(11), 0, 0
    for _ in range(400):
        passage = np.repeat(np.arange(40), 10)
        chance = 1 / (1 + np.exp(-(0.3 + rng.normal(0, 1.5, 40)[passage])))
        human = (rng.random(400) < chance).astype(float)
        judge = np.where(human == 1, rng.random(400) < 0.92, rng.random(400) < 0.18).astype(float)
        labelled = rng.permutation(400) < 130
        found = correct_mean(judge, human, labelled, passage, 0.95).corrected
        rows = correct_mean(judge, human, labelled, np.arange(400), 0.95).corrected
        hits += found.low <= TRUTH <= found.high
        plain += rows.low <= TRUTH <= rows.high
    assert 0.92 <= hits / 400 <= 0.98
    assert plain < hits


NODES, WEIGHTS = np.polynomial.hermite_e.hermegauss(80)
TRUTH = float(WEIGHTS @ (1 / (1 + np.exp(-(0.3 + 1.5 * NODES)))) / WEIGHTS.sum())


def test_labelled_items_that_are_easier_are_unlike_the_others() -> None:
    rng = np.random.default_rng(3)
    score = rng.random(600)
    alike, easier = rng.random(600) < 0.3, rng.random(600) < score
    assert (find_unlike_score(score, alike, np.arange(600)) or 0) > 0.01
    assert (find_unlike_score(score, easier, np.arange(600)) or 1) < 0.001
    code = rng.integers(0, 3, 600)
    assert (find_unlike_groups(code, alike) or 0) > 0.01
    assert (find_unlike_groups(code, rng.random(600) < 0.1 + 0.3 * code) or 1) < 0.001


def test_a_variance_is_split_into_items_and_samples() -> None:
    """Drawn with variances of 0.09 between items and 0.25 in each model within them."""
    rng = np.random.default_rng(4)
    item = rng.normal(0, 0.3, 4000)
    values = [rng.normal(0, 0.5, (4000, 5)) + part for part in (item[:, None], 0)]
    means = [each.mean(axis=1) for each in values]
    spreads = [((e - m[:, None]) ** 2).sum(axis=1) for e, m in zip(values, means, strict=True)]
    k = np.full(4000, 5.0)
    se = float((means[0] - means[1]).std(ddof=1) / sqrt(4000))
    parts = split_variance(se, (k, k), (spreads[0], spreads[1]))
    assert parts.within == pytest.approx(0.5, rel=0.03)
    assert parts.between == pytest.approx(0.09, rel=0.1)
    assert parts.predict_se(4000, 5) == pytest.approx(se)
    assert compute_variance_within(k, spreads[0]) == pytest.approx(
        float(np.mean(values[0].var(axis=1, ddof=1)))
    )


def test_one_sample_of_each_item_splits_nothing() -> None:
    one, none = np.ones(9), np.zeros(9)
    parts = split_variance(0.1, (one, one), (none, none))
    assert (parts.between, parts.within, parts.predict_se(9, 2)) == (None, None, None)
