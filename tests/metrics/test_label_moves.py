"""How far a row more of a label moves a mean of labels: the value on rows with that one changed."""

import numpy as np
import pytest

from benchmarks.plans import make_plan
from reportgen.analysis.dataset_analysis import compute_hidden_variance
from reportgen.analysis.plan import ModelScores, PlannedMetric
from reportgen.analysis.row_subset import RowSubset
from reportgen.inference.resampling.design import Design
from reportgen.metrics import METRICS
from reportgen.metrics.classification.multilabel_calls import build_label_groups, sum_label_kinds
from reportgen.metrics.rows import LabelSets

NAMES = ("rare", "some", "many")
MEASURES = ["precision", "recall", "f", "jaccard"]


def drawn(n=40, never=()):
    """Rows of which four have the first label; what is never called, by label."""
    draw = np.random.default_rng(3)
    had = draw.random((n, 3)) < (0.0, 0.3, 0.6)
    had[:4, 0] = True
    said = had ^ (draw.random((n, 3)) < (0.05, 0.3, 0.3))
    said[:, list(never)] = False
    return had, said


def bound(had, said, measure, **params):
    rows = LabelSets(had, said.astype(float), NAMES, "label")
    return METRICS[f"multilabel_{measure}"].use(**params).bind(rows)


def value(had, said, measure, **params):
    return bound(had, said, measure, **params).define(np.ones(len(had)))


def moves(had, said, measure, **params):
    """Those of the rows with each label, and of those called so."""
    n, found = len(had), bound(had, said, measure, **params)
    squares = sum_label_kinds(np.ones(n), had, said)
    groups = build_label_groups(found.statistic.finish, [found.columns.mean(axis=0)], squares, n)
    return [each[3] for each in groups]


@pytest.mark.parametrize("average", ["macro", "weighted"])
@pytest.mark.parametrize("measure", MEASURES)
@pytest.mark.parametrize("never", [(), (0,)])
def test_a_row_with_a_label_is_called_otherwise(measure, average, never):
    had, said = drawn(never=never)
    by_row, _ = moves(had, said, measure, average=average)
    for k in range(3):
        right = had[:, k] & said[:, k]
        is_mostly_right = 2 * right.sum() >= had[:, k].sum()
        row = np.flatnonzero(right if is_mostly_right else had[:, k] & ~said[:, k])[0]
        other = said.copy()
        other[row, k] ^= True
        change = value(had, other, measure, average=average) - value(
            had, said, measure, average=average
        )
        assert by_row[k] == pytest.approx(abs(change))


@pytest.mark.parametrize("measure", MEASURES)
def test_a_call_of_a_label_is_of_a_row_without_it(measure):
    had, said = drawn()
    _, by_call = moves(had, said, measure)
    for k in range(3):
        right = had[:, k] & said[:, k]
        assert 2 * right.sum() >= said[:, k].sum(), "most calls are right"
        other, lost, empty = said.copy(), np.flatnonzero(right)[0], ~had[:, k] & ~said[:, k]
        other[lost, k] = False
        other[np.flatnonzero(empty)[0], k] = True
        change = value(had, other, measure) - value(had, said, measure)
        assert by_call[k] == pytest.approx(abs(change))


def test_a_label_that_no_row_has_stays_out_of_the_mean():
    had, said = drawn()
    had[:, 0] = False
    assert said[:, 0].any()
    for each in moves(had, said, "f"):
        assert each[0] == 0.0


def test_a_label_that_is_never_called_has_no_group_of_calls():
    had, said = drawn(never=(0,))
    by_row, by_call = moves(had, said, "precision")
    assert by_row[0] == pytest.approx(1 / 3)
    assert by_call[0] == 0.0


def plan(had, **said):
    models = [
        ModelScores(name, name, LabelSets(had, each.astype(float), NAMES, "label"))
        for name, each in said.items()
    ]
    metrics = tuple(
        PlannedMetric(average, METRICS["multilabel_f"].use(average=average))
        for average in ("macro", "micro", "samples")
    )
    design = Design("sample", len(had), 20, 1)
    return make_plan(models, design, pairs=(("two", "one"),), metrics=metrics)


def test_few_rows_hide_something_of_a_mean_of_labels_and_nothing_of_all_cells():
    had, said = drawn(never=(0,))
    other = said.copy()
    other[5:9, 2] ^= True
    part = RowSubset(plan(had, one=said, two=other), None)
    for models in (("one",), ("two", "one")):
        influence = np.zeros(len(had))
        assert compute_hidden_variance(part, "macro", influence, *models) > (1 / 12) ** 2
        assert compute_hidden_variance(part, "micro", influence, *models) == 0.0
        assert compute_hidden_variance(part, "samples", influence, *models) == 0.0
        assert compute_hidden_variance(part, "macro", None, *models) == 0.0


@pytest.mark.parametrize("models", [("one",), ("two", "one")])
def test_labels_of_many_rows_hide_nothing(models):
    had, said = drawn(4_000)
    had[:, 0], said[:, 0] = had[:, 1], said[:, 1]
    part = RowSubset(plan(had, one=said, two=said[::-1]), None)
    influence = [part.bound["macro", each].influence(part.weight) / 4_000 for each in models]
    assert compute_hidden_variance(part, "macro", influence[0] - sum(influence[1:]), *models) == 0.0
