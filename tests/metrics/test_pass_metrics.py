"""pass@k and pass^k against their true values, and against arithmetic on few samples."""

from __future__ import annotations

from math import comb

import numpy as np
import pytest

from reportgen.kernels.batch import Batch, Column
from reportgen.metrics import METRICS
from reportgen.metrics.rows import ItemScores
from reportgen.terms import DERIVED


def rows_of(passed: np.ndarray, samples: np.ndarray) -> ItemScores:
    """Rows of one score, of which so many samples pass."""
    parts = {
        "s": passed / samples,
        f"s{DERIVED}samples": samples.astype(float),
        f"s{DERIVED}passes 1": passed.astype(float),
    }
    return ItemScores(Column(np.zeros(len(passed))), passed / samples, parts=parts)


def value_of(name: str, rows: ItemScores, k: int) -> float:
    bound = METRICS[name].use(of="s", k=k).bind(rows)
    return float(bound(Batch.from_weights(np.ones(len(rows))))[0])


CHANCE = np.random.default_rng(1).beta(0.8, 1.2, 200_000)
PASSED = np.random.default_rng(2).binomial(5, CHANCE)
FIVE = np.full(len(PASSED), 5)


@pytest.mark.parametrize("k", [1, 2, 3, 5])
def test_both_are_without_bias_and_the_plug_in_is_not(k: int) -> None:
    """200,000 items with five samples each: the standard error is below 0.001."""
    rows = rows_of(PASSED, FIVE)
    at_least, every = value_of("pass_at", rows, k), value_of("pass_all", rows, k)
    assert at_least == pytest.approx((1 - (1 - CHANCE) ** k).mean(), abs=0.003)
    assert every == pytest.approx((CHANCE**k).mean(), abs=0.003)
    if k > 1:
        assert abs((1 - (1 - PASSED / 5) ** k).mean() - at_least) > 0.02
        assert abs(((PASSED / 5) ** k).mean() - every) > 0.02


def test_the_known_numbers() -> None:
    """pass@5 of the beta is 0.7437, its plug-in 0.6645; pass^3 is 0.1672, its plug-in 0.2113."""
    rows = rows_of(PASSED, FIVE)
    assert value_of("pass_at", rows, 5) == pytest.approx(0.7437, abs=0.003)
    assert value_of("pass_all", rows, 3) == pytest.approx(0.1672, abs=0.003)
    assert (1 - (1 - PASSED / 5) ** 5).mean() == pytest.approx(0.6645, abs=0.003)
    assert ((PASSED / 5) ** 3).mean() == pytest.approx(0.2113, abs=0.003)


@pytest.mark.parametrize("samples", [3, 4, 7])
@pytest.mark.parametrize("k", [1, 2, 3])
def test_each_item_chooses_among_its_samples(samples: int, k: int) -> None:
    passed = np.arange(samples + 1)
    rows = rows_of(passed, np.full(samples + 1, samples))
    ways = comb(samples, k)
    expected = [1 - comb(samples - c, k) / ways for c in passed]
    assert value_of("pass_at", rows, k) == pytest.approx(np.mean(expected))
    assert value_of("pass_all", rows, k) == pytest.approx(
        np.mean([comb(c, k) / ways for c in passed])
    )


def test_an_item_with_too_few_samples_has_no_value() -> None:
    rows = rows_of(np.array([1, 2]), np.array([2, 3]))
    assert np.isnan(value_of("pass_at", rows, 3)) and np.isnan(value_of("pass_all", rows, 3))
