"""What holds for an answer as a whole, whatever is asked."""

from collections import Counter
from dataclasses import replace

import numpy as np
from threadpoolctl import ThreadpoolController

from benchmarks.plans import change_plan
from reportgen.analysis.plan import PlannedMetric
from reportgen.analysis.run import analyze_dataset
from reportgen.metrics import METRICS
from tests.analysis.asked import but, question, rows

KENDALL = METRICS["kendall"].use()


def asked_with(influence):
    return change_plan(
        question(n=40),
        metrics=(
            PlannedMetric("kendall", replace(KENDALL, influence=influence), None, is_primary=True),
        ),
    )


def test_all_products_are_made_on_one_thread():
    found = []

    def seen(rows, weight):
        info = ThreadpoolController().info()
        found.extend(each["num_threads"] for each in info if each["user_api"] == "blas")
        return KENDALL.influence(rows, weight)

    with ThreadpoolController().limit(limits=2, user_api="blas"):
        analyze_dataset(asked_with(seen))
    assert set(found) == {1}


def test_what_many_tables_ask_of_a_model_is_found_once_for_all_of_them():
    found = []

    def seen(rows, weight):
        found.append(rows)
        return KENDALL.influence(rows, weight)

    analyze_dataset(asked_with(seen))
    # Once for the tables of the metric, and once more where few rows are left out after them.
    assert max(Counter(id(rows) for rows in found).values()) <= 2


def test_a_number_without_an_interval_says_why():
    y, (score, *_) = rows(60, 3)
    alike = analyze_dataset(question(data=(y, [score, score, score]), names=("mae",)))
    assert alike.comparisons[0].low is None
    assert alike.comparisons[0].reason == "no interval: it does not vary over the resamples"
    exact = analyze_dataset(question(data=(y, [y, score, score]), names=("mae",)))
    assert [e.reason == "" for e in exact.estimates] == [e.low is not None for e in exact.estimates]


def test_few_rows_settle_nothing_of_models_with_one_score_and_other_quantiles():
    y, parts = (
        np.arange(5.0),
        [{"q5": np.arange(5.0) - k, "q95": np.arange(5.0) + k} for k in (1, 2)],
    )
    asked = question(5, data=(y, [y, y]), names=("mae",))
    who = tuple(but(c, parts=p) for c, p in zip(asked.models, parts, strict=True))
    use = PlannedMetric("width", METRICS["interval_score"].use(level=0.9))
    (found,) = analyze_dataset(change_plan(asked, models=who, metrics=(use,))).comparisons
    assert (found.difference, found.word, found.is_same) == (2.0, "no result", False)
