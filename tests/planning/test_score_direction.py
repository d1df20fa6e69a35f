"""Scores of which a low one says more: told as the data have them."""

from dataclasses import replace

import pytest

from reportgen.planning.adjustments import restore_score_direction
from tests.worked import results_of


@pytest.fixture(scope="module")
def churn():
    found = results_of("churn")
    curve = next(c for c in found.curves if c.curve == "score_density" and c.model == "forest")
    own = replace(curve, x=(-3.0, -2.0, -1.0), y=(0.1, 0.2, 0.7))
    other = replace(own, model="boosted")
    roc = next(c for c in found.curves if c.curve == "roc" and c.model == "forest")
    point = next(p for p in found.points if p.model == "forest")
    point = replace(
        point, threshold=-2.5, threshold_low=-3.0, threshold_high=-1.5, lowest_flagged=-2.0
    )
    return replace(found, curves=(own, other, roc), points=(point,))


def falling(results):
    models = tuple(
        replace(m, scale="score", order="ascending" if m.name == "forest" else "descending")
        for m in results.models
    )
    return replace(results, models=models)


def test_positions_along_scores_are_those_of_the_data_in_their_order(churn):
    own, other, roc = restore_score_direction(falling(churn)).curves
    assert (own.x, own.y) == ((1.0, 2.0, 3.0), (0.7, 0.2, 0.1))
    assert (other.x, other.y) == (churn.curves[1].x, churn.curves[1].y)
    assert roc == churn.curves[2]


def test_thresholds_change_their_sign_and_their_limits_their_sides(churn):
    [point] = restore_score_direction(falling(churn)).points
    assert (point.threshold, point.threshold_low, point.threshold_high) == (2.5, 1.5, 3.0)
    assert point.lowest_flagged == 2.0


def test_where_high_scores_say_more_nothing_changes(churn):
    assert restore_score_direction(churn) is churn


def test_thresholds_of_probabilities_of_the_other_class_are_those_of_the_column(churn):
    models = tuple(
        replace(m, scale="probability", order="ascending") if m.name == "forest" else m
        for m in churn.models
    )
    point = replace(
        churn.points[0], threshold=0.2, threshold_low=0.1, threshold_high=0.35, lowest_flagged=0.25
    )
    found = restore_score_direction(replace(churn, models=models, points=(point,)))
    [turned] = found.points
    assert (turned.threshold, turned.threshold_low, turned.threshold_high) == (0.8, 0.65, 0.9)
    assert turned.lowest_flagged == 0.75
    assert found.curves == churn.curves
