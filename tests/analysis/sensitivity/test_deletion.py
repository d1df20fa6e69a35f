"""Few rows that decide a verdict: planted ones are found, and what is said of them is exact."""

import tracemalloc
from dataclasses import asdict, replace

import numpy as np
import pytest

from benchmarks.plans import change_plan
from reportgen.analysis import comparisons
from reportgen.analysis.dataset_analysis import draw_replicates
from reportgen.analysis.run import analyze_dataset
from reportgen.analysis.sensitivity.case_deletion import (
    MANY_ROWS,
    choose_deletion_sizes,
    search_case_deletion,
)
from reportgen.analysis.sensitivity.robustness import (
    compute_error_tails,
    compute_rank_shares,
    orient_higher_better,
)
from reportgen.results.sensitivity import Sensitivity
from reportgen.terms import Margin
from tests.analysis.asked import question, rows

PLANTED = [7, 70, 140, 210, 280]


def columns(asked_):
    """Y, and each model's score."""
    return [asked_.outcome.values, *(c.rows.score.values for c in asked_.models)]


def planted(n=300, planted_rows=PLANTED):
    """The candidate is a little better on every row but a few, on which it is far out."""
    y, (base, _) = rows(n, 2)
    candidate = y + 0.8 * (base - y)
    candidate[planted_rows] = y[planted_rows] + n / 5
    return y, [base, candidate]


def asked(name="mae", **more):
    return question(names=(name,), data=more.pop("data", None) or planted(), **more)


def found(question_, threads=1):
    return list(search_case_deletion(draw_replicates(question_), threads).sets)


def test_a_planted_set_is_found_by_its_ids():
    told = change_plan(asked(), shown=tuple(f"r{i}" for i in range(300)))
    (five,) = [r for r in found(told) if r.rows == 5 and r.in_favour_of == "m1"]
    assert set(five.ids) == {f"r{i}" for i in PLANTED}
    assert (five.word_before, five.word) == ("cannot tell", "better")
    assert five.is_changed and five.is_turned


@pytest.mark.parametrize("name", ["mae", "rmse", "kendall", "spearman", "median_ae"])
@pytest.mark.parametrize("interval", ["auto", "percentile"])
def test_the_comparison_without_a_set_is_that_of_the_other_rows(name, interval):
    told = change_plan(asked(name, interval=interval), shown=tuple(map(str, range(300))))
    assert found(told)
    for record in found(told):
        gone = [int(i) for i in record.ids]
        rest = [np.delete(v, gone) for v in columns(told)]
        (alone,) = analyze_dataset(
            asked(name, interval=interval, data=(rest[0], rest[1:]))
        ).comparisons
        assert record.difference == pytest.approx(alone.difference, abs=1e-9)
        assert record.is_turned == (alone.favours != analyze_dataset(told).comparisons[0].favours)
        if alone.method in ("influence", "t"):  # the resamples are those of all rows
            assert (record.low, record.high) == pytest.approx((alone.low, alone.high))
            assert record.word == alone.word


@pytest.mark.parametrize("test", ["auto", "bootstrap", "gaussian", "bootstrap-z"])
@pytest.mark.parametrize("interval", ["influence", "percentile"])
@pytest.mark.parametrize("adjust", ["holm", "maxt"])
def test_a_comparison_without_a_set_is_tested_as_the_first_was(monkeypatch, test, interval, adjust):
    told = asked(interval=interval, adjust=adjust)
    told = change_plan(told, metrics=(replace(told.statistics.metrics[0], test=test),))
    seen = []

    def judged(*family):
        seen.append([(c.method, c.test) for c in comparisons.judge_primary(*family)])
        return comparisons.judge_primary(*family)

    monkeypatch.setattr("reportgen.analysis.sensitivity.case_deletion.judge_primary", judged)
    assert found(told) and len(seen) > 1
    assert all(each == seen[0] for each in seen)


def test_weights_and_clusters_are_those_of_the_rows_that_stay():
    draw = np.random.default_rng(2)
    weight, unit = draw.uniform(0.5, 2.0, 300), np.arange(300) // 5
    told = change_plan(
        asked("kendall", weight=weight, unit=unit), shown=tuple(map(str, range(300)))
    )
    record = found(told)[-1]
    gone = [int(i) for i in record.ids]
    rest = [np.delete(v, gone) for v in columns(told)]
    kept = np.unique(np.delete(unit, gone), return_inverse=True)[1]
    other = asked("kendall", data=(rest[0], rest[1:]), weight=np.delete(weight, gone), unit=kept)
    (alone,) = analyze_dataset(other).comparisons
    limits = [record.difference, record.low, record.high]
    assert limits == pytest.approx([alone.difference, alone.low, alone.high], abs=1e-9)


def test_a_clear_winner_hangs_on_no_few_rows():
    y, (base, _) = rows(400, 2)
    said = found(asked(data=(y, [base, y + 0.1 * (base - y)])))
    assert [r.rows for r in said] == [1, 4, 5]
    assert {r.in_favour_of for r in said} == {"m0"}
    assert not any(r.is_changed or r.is_turned for r in said)


def test_a_margin_is_looked_at_from_both_sides_unless_it_is_passed():
    told = asked()
    inside = change_plan(told, metrics=(replace(told.statistics.metrics[0], margin=Margin(50.0)),))
    assert {r.in_favour_of for r in found(inside)} == {"m0", "m1"}


def test_a_verdict_that_would_be_stronger_without_a_row_does_not_change():
    y, (base, _) = rows(60, 2)
    errors = 0.5 * (base - y)
    errors[7] = 60.0  # the candidate's one wild row
    told = asked(data=(y, [base + 9.0, y + errors]))
    (all_rows,) = analyze_dataset(told).comparisons
    assert all_rows.word == "better"
    margin = Margin(-all_rows.high + 0.2)
    told = change_plan(told, metrics=(replace(told.statistics.metrics[0], margin=margin),))
    stronger = [r for r in found(told) if r.word == "clearly better"]
    assert stronger and not any(r.is_changed for r in stronger)
    assert all(r.is_stronger for r in stronger)
    assert {r.word_before for r in stronger} == {"better"}


def test_among_many_rows_only_the_difference_is_looked_at():
    n = MANY_ROWS + 1
    told = asked(data=planted(n), replicates=19)
    said = found(told)
    assert [r.rows for r in said] == [1, 5, 501, 1, 5]  # no more rows help m1
    assert all(r.word is None and r.low is None for r in said)
    assert any(r.is_turned for r in said)
    kept = np.delete(np.arange(n), PLANTED)
    y, *scores = columns(told)
    mae = [np.abs(score - y)[kept].mean() for score in scores]
    five = next(r for r in said if r.rows == 5 and r.in_favour_of == "m1")
    assert five.difference == pytest.approx(mae[1] - mae[0], rel=1e-9)


def alike_but_for(rows_, n):
    """Two models that say the same on all rows but a few, on which the baseline is right."""
    y, (score, _) = rows(n, 2)
    candidate, base = score.copy(), score.copy()
    candidate[rows_], base[rows_] = y[rows_] + 1, y[rows_]
    return y, [base, candidate]


@pytest.mark.parametrize("n", [60, MANY_ROWS + 1])
def test_a_difference_that_is_gone_is_in_favour_of_nobody(n):
    said = found(asked(data=alike_but_for([7], n), replicates=99))
    one = next(r for r in said if r.in_favour_of == "m1")
    assert (one.rows, one.difference) == (1, 0.0)
    assert (one.is_turned, one.is_lost) == (False, True)


@pytest.mark.parametrize("n", [2100, MANY_ROWS + 1])
def test_a_difference_that_is_undefined_is_in_favour_of_nobody(n):
    y, base = np.zeros(n), np.random.default_rng(4).normal(size=n)
    y[:5] = [1, 2, 3, 4, 5]  # the rest are tied: no order is left without these
    base[:5], candidate = 10 + y[:5], base.copy()
    candidate[:5] = -10 - y[:5]
    said = found(asked("kendall", data=(y, [base, candidate]), replicates=19))
    one, five = (r for r in said if r.rows <= 5)
    assert one.difference < 0 and not one.is_lost
    assert five.difference is None and not five.is_turned and five.is_lost
    assert five.word in ("no result", None)


def test_a_difference_of_exactly_zero_can_be_turned_but_not_lost():
    y, errors = np.zeros(40), np.repeat([1.0, 3.0], 20)
    said = found(asked(data=(y, [errors, errors[::-1]]), replicates=99))
    assert {r.in_favour_of for r in said} == {"m0", "m1"}
    assert all(r.is_turned and not r.is_lost for r in said)


@pytest.mark.full
def test_memory_does_not_grow_with_the_pairs():
    def peak(models):
        draw = np.random.default_rng(3)
        y = draw.normal(size=4000)
        scores = [y + draw.normal(size=4000) for _ in range(models)]
        told = draw_replicates(
            question(models=models, names=("r2",), data=(y, scores), replicates=64)
        )
        tracemalloc.start()
        search_case_deletion(told)
        most = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        return most

    peak(2)  # what a process finds once and keeps
    assert peak(9) < 1.5 * peak(3)


def test_limits_that_would_need_many_slow_values_are_not_found():
    told = asked("median_ae")
    slow = replace(
        told.statistics.metrics[0],
        metric=replace(told.statistics.metrics[0].metric, fast=None, smoothed=None),
    )
    said = found(change_plan(told, metrics=(slow,)))
    assert said and all(r.word is None for r in said)
    quick = found(told)
    assert all(r.word is not None for r in quick)


def test_of_many_pairs_the_first_are_searched():
    y, scores = rows(60, 14)
    told = question(models=14, names=("mae",), data=(y, scores), replicates=19)
    table = search_case_deletion(draw_replicates(told))
    assert (table.pairs, table.searched) == (13, 12)
    assert {each.candidate for each in table.sets} == {f"m{k}" for k in range(1, 13)}


def test_sizes_are_few():
    assert choose_deletion_sizes(1_000_000) == (1, 5, 10_000)
    assert choose_deletion_sizes(4) == ()


def test_the_order_of_the_rows_moves_nothing():
    y, scores = planted()
    shuffled = np.random.default_rng(1).permutation(300)
    for name in ("mae", "kendall"):
        one, other = (
            analyze_dataset(
                change_plan(asked(name, data=data), shown=tuple(map(str, ids)))
            ).sensitivity
            for data, ids in (
                ((y, scores), np.arange(300)),
                ((y[shuffled], [s[shuffled] for s in scores]), shuffled),
            )
        )
        assert one.influence and one.tails and one.deletions
        for kind in ("influence", "tails", "deletions"):  # for ranks, rows are drawn by their place
            _assert_close(asdict(one)[kind], asdict(other)[kind])


def _assert_close(one, other):
    """That two tables agree, the ids of a set in any order."""
    if isinstance(one, dict):
        assert one.keys() == other.keys()
        for key, value in one.items():
            is_set = key == "ids"
            _assert_close(*((sorted(value), sorted(other[key])) if is_set else (value, other[key])))
    elif isinstance(one, list | tuple):
        for value, again in zip(one, other, strict=True):
            _assert_close(value, again)
    else:
        assert one == (pytest.approx(other, rel=1e-9) if isinstance(one, float) else other)


def test_threads_move_nothing():
    told = asked("rmse", interval="percentile", replicates=150)
    one, two = (analyze_dataset(told, threads) for threads in (1, 2))
    assert one == two


def test_no_table_names_a_row_unless_it_may():
    plain = analyze_dataset(asked()).sensitivity
    named = analyze_dataset(
        change_plan(asked(), shown=tuple(f"row-{i}" for i in range(300)))
    ).sensitivity
    assert "row-" not in str(plain) and "row-" in str(named)
    assert plain.influence == tuple(replace(row, row=None) for row in named.influence)
    (sets,) = ([replace(each, ids=None) for each in d.sets] for d in named.deletions)
    assert [list(d.sets) for d in plain.deletions] == [sets]


def test_one_model_has_influence_alone():
    found = analyze_dataset(question(models=1)).sensitivity
    assert found == Sensitivity(influence=found.influence, tails=found.tails)
    assert found.influence and found.tails


def test_influence_tells_of_every_metric_and_model():
    found = analyze_dataset(question(models=3)).sensitivity.influence
    assert len({(row.key, row.model) for row in found}) == len(found) == 18
    value, without = found[0].value, found[0].without
    assert found[0].change == pytest.approx((without - value) / abs(value))


def test_tails_are_shares_of_all_error():
    y = np.zeros(200)
    score = np.array([99.0, 101.0, *[1.0] * 198])
    (row,) = compute_error_tails(
        draw_replicates(question(models=1, names=("mae",), data=(y, [score])))
    )
    assert (row.model, row.rows) == ("m0", 2)
    assert (row.absolute_error, row.squared_error) == pytest.approx(
        (200 / 398, (99**2 + 101**2) / (99**2 + 101**2 + 198))
    )


def test_places_of_each_metric_share_out_all_resamples():
    found = analyze_dataset(question(models=3)).sensitivity.ranks
    for key in {row.key for row in found}:
        shares = np.array([row.shares for row in found if row.key == key])
        np.testing.assert_allclose(shares.sum(axis=0), 1, atol=1e-9)
        np.testing.assert_allclose(shares.sum(axis=1), 1, atol=1e-9)


def test_models_that_say_the_same_share_their_places():
    y, (score, _) = rows(80, 2)
    found = analyze_dataset(question(names=("mae",), data=(y, [score, score]))).sensitivity.ranks
    assert {row.shares for row in found} == {(0.5, 0.5)}


def test_near_zero_is_first_where_zero_is_best():
    values = np.array([[-3.0, 2.0], [0.5, -1.0]])
    np.testing.assert_array_equal(
        compute_rank_shares(orient_higher_better(values, "zero")), [[0.5, 0.5], [0.5, 0.5]]
    )
    np.testing.assert_array_equal(
        compute_rank_shares(orient_higher_better(values, "lower"))[0], [0.5, 0.5]
    )
    np.testing.assert_array_equal(
        compute_rank_shares(orient_higher_better(values[:1], "higher")), [[0, 1], [1, 0]]
    )
