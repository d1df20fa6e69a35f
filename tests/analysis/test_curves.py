"""Which curves are drawn again and again, and which only once."""

import numpy as np
import pytest

from benchmarks.plans import make_plan
from reportgen.analysis.curves import iter_curve_results
from reportgen.analysis.dataset_analysis import DatasetAnalysis, draw_replicates
from reportgen.analysis.plan import ModelScores
from reportgen.inference.resampling.design import Design
from reportgen.metrics.curves import CURVES
from reportgen.metrics.curves import queries as query_curves
from reportgen.metrics.rows import Amounts, Classes
from tests.analysis.sensitivity.lists import analysis as queries
from tests.analysis.sensitivity.lists import lists
from tests.metrics.curves.test_classes import rows_of

NAMES = (
    "concordance",
    "concordance_envelope",
    "rank_lift",
    "rank_lift_best",
    "lorenz",
    "rec",
    "auc_by_cutoff",
)


@pytest.fixture(scope="module")
def found() -> DatasetAnalysis:
    random = np.random.default_rng(4)
    y = random.exponential(size=150).round(1)
    amount, rank = y + random.normal(size=150), y + random.normal(size=150)
    return draw_replicates(
        make_plan(
            dataset="holdout",
            unit="USD",
            models=(
                ModelScores("order", "order", Amounts(y, rank, scale="rank")),
                ModelScores("amount", "amount", Amounts(y, amount)),
                ModelScores("other", "other", Amounts(y, amount[::-1].copy())),
            ),
            pairs=(("amount", "order"),),
            curves=tuple(CURVES[name].use() for name in NAMES),
            design=Design("holdout", 150, 199, 1),
        )
    )


def results(found, curve):
    return [result for result in iter_curve_results(found) if result.curve == curve]


def drawn_again(found):
    """Each curve that has replicates, by name, with its model."""
    names = {curve.key: curve.name for curve in found.plan.statistics.curves}
    return [(names[key], model) for _, (key, model) in found.replicates]


def test_a_line_that_bounds_another_is_drawn_without_a_band(found):
    for name in ("concordance_envelope", "rank_lift_best"):
        for result in results(found, name):
            assert result.status == "ok" and len(result.x) == len(result.y) > 0
            assert result.low == result.high == result.band_low == result.band_high == ()


def test_lines_that_bound_are_neither_resampled_nor_compared(found):
    drawn = {curve for curve, _ in drawn_again(found)}
    assert drawn == {"concordance", "rank_lift", "lorenz", "rec", "auc_by_cutoff"}
    assert not [r for r in results(found, "concordance_envelope") if r.baseline]
    assert [r.model for r in results(found, "concordance") if r.baseline] == ["amount"]


def test_a_curve_of_the_target_is_resampled_once_and_given_to_every_model(found):
    assert [model for curve, model in drawn_again(found) if curve == "lorenz"] == ["order"]
    first, second, third = results(found, "lorenz")
    assert [r.model for r in (first, second, third)] == ["order", "amount", "other"]
    assert first.y == second.y == third.y and len(first.low) == len(first.x)
    assert first.band_low == second.band_low == third.band_low


def test_a_model_that_a_curve_cannot_judge_has_no_replicates_of_it(found):
    assert [model for curve, model in drawn_again(found) if curve == "rec"] == ["amount", "other"]
    assert results(found, "rec")[0].status == "not applicable"


def test_beside_a_difference_stands_the_share_of_replicates_ahead(found):
    (lead,) = results(found, "auc_by_cutoff_ahead")
    assert (lead.model, lead.baseline) == ("amount", "order")
    key = CURVES["auc_by_cutoff"].use().key
    first, second = (found.replicates[None, (key, name)] for name in ("amount", "order"))
    expected = (first > second).mean(axis=0) + (first == second).mean(axis=0) / 2
    assert lead.y == pytest.approx(expected, abs=1e-4)
    assert lead.x == next(d for d in results(found, "auc_by_cutoff") if d.baseline).x


def test_curves_over_queries_are_found_once_and_outlive_what_they_were_found_from(monkeypatch):
    asked, found = [], query_curves.map_queries
    monkeypatch.setattr(query_curves, "map_queries", lambda *of: asked.append(of) or found(*of))
    curves = tuple(CURVES[name].use(k=5) for name in ("ndcg_at_k", "recall_at_k"))
    study = queries(lists([1, 2, 3] * 10), lists([2, 3, 1] * 10), curves=curves)
    for part in study.parts:
        part.forget()
    drawn = list(iter_curve_results(study))
    assert len(drawn) == 6 and len(asked) == 4  # a curve of a model each


def test_no_share_is_what_rounding_leaves_of_zero():
    random = np.random.default_rng(5)
    y = (random.random(150) < 0.3).astype(float)
    first, second = (np.round(y * c + random.normal(size=150), 1) for c in (2.4, 3.0))
    curves = tuple(CURVES[name].use() for name in ("precision_recall", "positives_by_bucket"))
    models = tuple(ModelScores(m, m, rows_of(y, s)) for m, s in (("a", first), ("b", second)))
    weight = random.random(150) * 3
    design = Design("holdout", 150, 99, 1, weight=weight)
    plan = make_plan(
        dataset="holdout",
        unit="",
        models=models,
        pairs=(("b", "a"),),
        curves=curves,
        design=design,
    )
    values = [
        abs(v)
        for c in iter_curve_results(draw_replicates(plan))
        for part in (c.y, c.low, c.high, c.band_low, c.band_high)
        for v in part
        if v
    ]
    assert len(values) > 200 and min(values) > 1e-12


def of_two_classes(name):
    """A curve of two models that both tell most of 400 positives from 400 negatives."""
    random = np.random.default_rng(5)
    y = np.arange(800) % 2
    costs = np.tile([0.0, 1.0, 5.0, 0.0], (800, 1))
    odds = {
        m: apart * (y - 0.5) + random.normal(size=800) for m, apart in (("new", 3.0), ("old", 2.2))
    }
    models = tuple(
        ModelScores(
            m,
            m,
            Classes(
                y,
                1 / (1 + np.exp(-x))[:, None],
                ("0", "1"),
                "probability",
                cell_costs=costs,
            ),
        )
        for m, x in odds.items()
    )
    plan = make_plan(
        dataset="rows",
        models=models,
        pairs=(("new", "old"),),
        curves=(CURVES[name].use(),),
        design=Design("rows", 800, 99, 1),
    )
    return {
        c.model if c.baseline is None else "difference": c
        for c in iter_curve_results(draw_replicates(plan))
        if c.curve == name
    }


@pytest.mark.parametrize("name", ["roc", "det", "cumulative_gains", "cumulative_cost"])
def test_a_difference_has_no_band_where_hardly_a_row_decides(name):
    found = of_two_classes(name)["difference"]
    known = np.array([each is not None for each in found.band_low])
    width = np.array(
        [
            high - low
            for low, high in zip(found.band_low, found.band_high, strict=True)
            if low is not None
        ]
    )
    x = np.array(found.x)
    assert known[(x > 0.3) & (x < 0.5)].any() and np.all(width > 0)
    assert not known[(x > 0.97) & (x < 1)].any(), "both models have all positives there"


@pytest.mark.parametrize("name", ["decision_curve", "brier_curve"])
def test_a_curve_over_thresholds_has_no_band_where_hardly_a_call_is_false(name):
    found = of_two_classes(name)["new"]
    known = {x for x, low in zip(found.x, found.band_low, strict=True) if low is not None}
    assert 0.5 in known and 0.99 not in known
