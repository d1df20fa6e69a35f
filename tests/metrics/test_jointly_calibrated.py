"""One test of the probabilities of several classes, or of labels."""

import numpy as np
import pytest

from reportgen.metrics.classification.calibration_tests import (
    assess_calibration,
    assess_joint_calibration,
)
from reportgen.metrics.classification.multiclass_scores import top_label_rows
from reportgen.metrics.rows import Classes, LabelSets


def of_classes(seed, n, k, extreme=1.0, twist=0.0):
    """Classes drawn with probabilities, and a model that says them more extreme, or twisted."""
    draw = np.random.default_rng(seed)
    odds = draw.normal(size=(n, k)) * 1.5 - np.linspace(0, 3, k)
    right = np.exp(odds) / np.exp(odds).sum(axis=1, keepdims=True)
    code = (draw.random(n)[:, None] > np.cumsum(right, axis=1)).sum(axis=1).clip(0, k - 1)
    said = np.exp(odds * extreme)
    said[:, 1] *= np.exp(twist)
    said /= said.sum(axis=1, keepdims=True)
    return Classes(code.astype(np.intp), said, tuple(f"c{i}" for i in range(k)))


def of_labels(seed, n, k, off=0.0):
    """Labels drawn with probabilities, of which a model moves the log odds of the second."""
    draw = np.random.default_rng(seed)
    odds = draw.normal(size=(n, k)) + draw.normal(size=(n, 1)) - np.linspace(0, 3, k)
    flags = draw.random((n, k)) < 1 / (1 + np.exp(-odds))
    odds[:, 1] += off
    return LabelSets(flags, 1 / (1 + np.exp(-odds)), tuple(f"l{i}" for i in range(k)))


@pytest.mark.full
@pytest.mark.parametrize("uneven", [False, True])
@pytest.mark.parametrize("made", [of_classes, of_labels])
def test_right_models_are_rejected_no_more_often_than_asked_whatever_their_classes(made, uneven):
    draw = np.random.default_rng(5)
    tried = 50
    p = []
    for seed in range(tried):
        weight = draw.exponential(size=400) + 0.05 if uneven else np.ones(400)
        p.append(assess_joint_calibration(made(seed, 400, 8), weight).p)
    # 5% of right models; with eight parts each on its own it would be a third of them.
    assert np.mean(np.array(p) < 0.05) < 0.17 and 0.3 < np.median(p) < 0.7


def test_too_extreme_probabilities_of_many_classes_are_found_with_how_far_they_are_off():
    rows = of_classes(3, 2000, 60, extreme=3.0)
    found = assess_joint_calibration(rows, np.ones(2000))
    assert found.p == 1 / 500
    top = found.parts[0]
    assert top.label is None and top.calls is not None
    assert top.calls.right == pytest.approx(np.mean(rows.prediction == rows.code))
    assert top.calls.said == pytest.approx(rows.scores.max(axis=1).mean())
    assert (
        top.error == pytest.approx(top.calls.said - top.calls.right, abs=0.05) and top.error > 0.2
    )


def test_a_class_or_label_that_alone_is_off_is_named():
    for rows, name in (
        (of_classes(4, 4000, 12, twist=1.0), "c1"),
        (of_labels(4, 2000, 6, 1), "l1"),
    ):
        found = assess_joint_calibration(rows, np.ones(len(rows)))
        worst = max((part for part in found.parts if part.label), key=lambda part: part.error)
        assert found.p < 0.01 and worst.label == name
        alone = assess_calibration(rows.isolate(1), np.ones(len(rows)))
        assert worst.error == alone.error and alone.p_calibrated < 0.01
    assert [part.label for part in found.parts] == ["l1"]  # the other labels are right


def test_the_class_that_is_called_is_judged_as_by_the_test_of_two_classes():
    for extreme in (0.8, 1.0, 1.3):
        rows = of_classes(6, 1500, 3, extreme)
        alone = assess_calibration(top_label_rows(rows), np.ones(1500)).p_calibrated
        together = assess_joint_calibration(rows, np.ones(1500))
        is_off = any(part.label is None for part in together.parts)
        assert is_off is (alone < 0.01)


def test_probabilities_that_promise_no_row_of_a_kind_are_not_tested():
    never = Classes(np.zeros(50, np.intp), np.tile([1.0, 0.0, 0.0], (50, 1)), ("a", "b", "c"))
    found = assess_joint_calibration(never, np.ones(50))
    assert np.isnan(found.p) and found.parts == ()
    assert np.isnan(assess_joint_calibration(never, np.zeros(50)).p)
