"""Bars, steps and cells of a report that keeps small counts to itself."""

from dataclasses import replace

import numpy as np
import pytest

from reportgen.governance.cell_suppression import (
    find_hidden_cells,
    group_small_bars,
    suppress_curves,
    suppress_operating_points,
    suppress_pairs,
    suppress_wins,
)
from reportgen.results.curves import CurveResult
from reportgen.results.sensitivity import PairedValues, Wins
from tests.samples import make_sample
from tests.worked import results_of

FEWEST = 5


@pytest.mark.parametrize("seed", range(20))
def test_joined_bars_hold_every_row_and_enough_or_none(seed: int) -> None:
    sizes = np.random.default_rng(seed).poisson(3, 25)
    groups = group_small_bars(list(sizes), FEWEST)
    assert [k for group in groups for k in group] == list(range(25))
    held = [int(sizes[group].sum()) for group in groups]
    assert all(each == 0 or each >= FEWEST for each in held)


def curve(name: str, x: list[float], y: list[float], n: int) -> CurveResult:
    one = next(c for c in results_of("wallet").curves if c.curve == "gain")
    return replace(
        one,
        curve=name,
        x=tuple(x),
        y=tuple(y),
        n=n,
        low=(),
        high=(),
        band_low=(),
        band_high=(),
        x_labels=(),
        x_unit="share",
    )


def test_an_error_curve_has_no_step_of_fewer_rows() -> None:
    """Each step of it is one row of a hundred, so all but every fifth point goes."""
    size = np.sort(np.random.default_rng(1).gamma(2, 10, 100))
    whole = curve("rec", [0.0, *size], [0.0, *np.arange(1, 101) / 100], 100)
    [kept] = suppress_curves([whole], FEWEST, {})
    assert len(kept.x) == 21
    assert np.all(np.diff(np.array(kept.y) * 100) > FEWEST - 1e-6)
    assert (kept.x[0], kept.x[-1]) == (0.0, size[-1])


@pytest.mark.parametrize(("n", "is_told"), [(40, False), (49, False), (50, True)])
def test_means_of_bins_are_told_where_each_has_enough_rows(n: int, is_told: bool) -> None:
    ten = curve("bucket_calibration", [float(k) for k in range(10)], [1.0] * 10, n)
    assert bool([*suppress_curves([ten], FEWEST, {})]) == is_told


@pytest.mark.parametrize(("few", "is_told"), [(2, False), (5, True)])
def test_scores_by_class_are_told_where_each_bar_of_both_has_enough_rows(
    few: int, is_told: bool
) -> None:
    sample = make_sample(np.repeat([0.0, 1.0], [60, 40]), {})
    upper = curve("score_density", [0.25, 0.75], [0.5, 0.5], 100)
    lower = curve("score_density_of_negatives", [0.25, 0.75], [few / 60, 1 - few / 60], 100)
    found = [*suppress_curves([upper, lower], FEWEST, {upper.dataset: sample})]
    assert bool(found) == is_told
    assert [*suppress_curves([upper, lower], 1, {})] == [upper, lower]


def test_losses_of_single_rows_are_not_told() -> None:
    rows = [curve(name, [0.1, 0.9], [2.3, 0.1], 100) for name in ("row_log_loss", "costliest_rows")]
    assert [*suppress_curves(rows, FEWEST, {})] == []
    assert [*suppress_curves(rows, 1, {})] == rows


def test_a_point_of_calls_with_a_small_cell_is_left_out_for_every_model() -> None:
    points = results_of("churn").points
    few = replace(points[0], false_positives=3.0)
    kept = suppress_operating_points((few, *points[1:]), FEWEST, {})
    assert few.name not in {p.name for p in kept} and kept
    assert (
        suppress_operating_points(
            (replace(points[0], false_positives=0.0), *points[1:]), FEWEST, {}
        )[1:]
        == (points[1:])
    )


@pytest.mark.parametrize("seed", range(20))
def test_no_line_of_a_confusion_has_one_hidden_cell_or_few_rows_in_them(seed: int) -> None:
    rows = np.random.default_rng(seed).poisson(4, (6, 6)).astype(float)
    np.fill_diagonal(rows, 80)
    hidden = find_hidden_cells(rows, FEWEST)
    away = ~np.eye(6, dtype=bool)
    assert np.all(hidden[away & (rows > 0) & (rows < FEWEST)]) and not hidden[~away].any()
    for cells, told, free in [
        *zip(rows, hidden, away, strict=True),
        *zip(rows.T, hidden.T, away.T, strict=True),
    ]:
        is_all = told.sum() == free.sum()
        assert not told.any() or is_all or (told.sum() > 1 and cells[told].sum() >= FEWEST)


def test_differences_of_single_rows_become_means_of_enough() -> None:
    values = tuple(np.sort(np.random.default_rng(2).normal(size=43)))
    wins = Wins("d", "k", "a", "b", 43, 20, 0, 23, *[0.0] * 14, 0.95, values)  # type: ignore[arg-type]
    [told] = suppress_wins([wins], FEWEST)
    assert len(told.differences) == 8 and not set(told.differences) & set(values)
    assert list(told.differences) == sorted(told.differences)


def test_a_dot_for_each_row_is_not_drawn() -> None:
    dots = PairedValues("d", "k", "a", "b", 9, (0.1,) * 9, (0.2,) * 9, (1.0,) * 9, 0.0, (), ())
    boxes = replace(dots, count=(5.0, 9.0), width=0.1, edges=(0.0, 1.0), bars=(14.0,))
    assert suppress_pairs((dots, boxes), FEWEST) == (boxes,)
