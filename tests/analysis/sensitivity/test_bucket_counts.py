"""Metrics of buckets with several numbers of buckets: the same numbers as each has alone."""

import pytest

from benchmarks.plans import change_plan
from reportgen.analysis.plan import PlannedMetric
from reportgen.analysis.run import analyze_dataset
from reportgen.metrics import METRICS
from tests.analysis.asked import question

LAST = METRICS["ranking_last"]


def counted(counts=(10, 5), **more):
    asked = change_plan(
        question(n=200, names=("ranking_last", "mae"), **more), bucket_counts=counts
    )
    return analyze_dataset(asked).sensitivity.bucket_counts


def test_each_number_of_buckets_has_the_interval_of_a_metric_with_that_number():
    rows = counted()
    for row in rows:
        use = PlannedMetric("last", LAST.use(buckets=row.buckets), None, True)
        (alone,) = analyze_dataset(change_plan(question(n=200), metrics=(use,))).comparisons
        assert (row.value, row.low, row.high) == (alone.difference, alone.low, alone.high)
    assert [(row.key, row.model, row.baseline, row.buckets) for row in rows] == [
        ("ranking_last", "m1", "m0", 5),
        ("ranking_last", "m1", "m0", 10),
    ]


def test_without_a_comparison_the_values_are_told():
    rows = counted(models=1)
    assert [(row.key, row.model, row.baseline, row.buckets) for row in rows] == [
        ("ranking_last", "m0", None, 5),
        ("ranking_last", "m0", None, 10),
    ]


def test_the_number_of_the_metric_itself_is_among_them():
    use = PlannedMetric("last", LAST.use(buckets=4), None, True)
    asked = change_plan(question(n=200), metrics=(use,), bucket_counts=(10, 5))
    rows = analyze_dataset(asked).sensitivity.bucket_counts
    assert [row.buckets for row in rows] == [4, 5, 10]


@pytest.mark.parametrize("counts", [(), (10,)])
def test_one_number_of_buckets_has_no_table(counts):
    assert counted(counts) == ()


def test_several_numbers_of_buckets_move_no_other_number():
    plain, several = (
        analyze_dataset(
            change_plan(question(n=200, names=("ranking_last", "mae")), bucket_counts=counts)
        )
        for counts in ((), (10, 5))
    )
    assert plain.comparisons == several.comparisons and plain.estimates == several.estimates
    assert plain.warnings == several.warnings
