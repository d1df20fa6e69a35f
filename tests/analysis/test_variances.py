"""The variance of a value by resamples, next to that of a formula."""

import numpy as np
import pytest
from scipy import stats

from reportgen.analysis.dataset_analysis import draw_replicates
from reportgen.analysis.estimates import iter_estimates
from reportgen.results.core import Estimate
from tests.analysis.asked import question

N = 60


def estimates_of(*names: str, **more: object) -> dict[str, Estimate]:
    """The estimates of one model of Normal rows without ties."""
    draw = np.random.default_rng(8)
    y = draw.normal(size=N)
    data = (y, [y + draw.normal(size=N), y])
    found = draw_replicates(question(data=data, names=names, replicates=1999, **more))
    return {each.key: each for each in iter_estimates(found) if each.model == "m0"}


def test_the_formula_of_tau_is_the_one_that_was_published() -> None:
    """8/(n²(n − 1)²) · [2 Σ c² − Σ c − (2n − 3)/(n(n − 1)) (Σ c)²], c the pairs that agree."""
    draw = np.random.default_rng(8)
    y = draw.normal(size=N)
    score = y + draw.normal(size=N)
    agree = (np.sign(y[:, None] - y) * np.sign(score[:, None] - score)) > 0
    c = agree.sum(axis=1)
    braces = 2 * c @ c - c.sum() - (2 * N - 3) / (N * (N - 1)) * c.sum() ** 2
    found = estimates_of("kendall_a")["kendall_a"]
    assert found.value == pytest.approx(stats.kendalltau(y, score).statistic)
    assert found.variance_formula == "noether"
    assert found.formula_variance == pytest.approx(8 / (N * (N - 1)) ** 2 * braces, rel=1e-8)
    assert 1 < found.bootstrap_variance / found.formula_variance < 1.6  # a row drawn twice ties


def test_other_values_have_the_variance_of_their_influence() -> None:
    found = estimates_of("mae", "median_ae")
    draw = np.random.default_rng(8)
    errors = np.abs(draw.normal(size=(2, N))[1])
    assert found["mae"].variance_formula == "influence"
    assert found["mae"].formula_variance == pytest.approx(errors.var() / N, rel=1e-8)
    assert found["median_ae"].formula_variance is None


def test_clusters_count_as_units_and_segments_have_no_variances() -> None:
    unit, half = np.arange(N) // 2, np.arange(N) < N // 2
    data = (np.zeros(N), [np.random.default_rng(1).normal(size=N), np.zeros(N)])
    asked = question(data=data, names=("mae",), unit=unit, segments=(("half", half),))
    found = {e.segment: e for e in iter_estimates(draw_replicates(asked)) if e.model == "m0"}
    sums = np.bincount(unit, np.abs(data[1][0]))
    assert found[None].formula_variance == pytest.approx(30 / 29 * sums.var() * 30 / N**2, rel=1e-8)
    assert found[None].bootstrap_variance == pytest.approx(found[None].formula_variance, rel=0.3)
    assert found["half"].formula_variance is None and found["half"].se is not None
