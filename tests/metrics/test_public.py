"""Metrics as functions of arrays, and as scorers of a search over hyperparameters."""

import inspect
import math
import pickle
import subprocess
import sys

import numpy as np
import pytest
from scipy import stats
from sklearn import metrics as sk
from sklearn.base import BaseEstimator, RegressorMixin
from sklearn.linear_model import Ridge
from sklearn.model_selection import GridSearchCV

import reportgen
from reportgen import metrics
from reportgen.metrics import METRICS
from tests.metrics.cases import CASES

Y, SCORE = np.array([1.0, 2, 3, 4, 8]), np.array([1.5, 1.0, 4, 3, 6])


# Three read training rows, two the unit costs of rows, one a matrix of costs: a function of arrays
# is given none of them.
BESIDE = {
    "mase",
    "expected_cost_fitted",
    "expected_cost_by_row",
    "expected_cost_by_row_fitted",
    "multiclass_misclassification_cost",
}
GIVEN = [case for case in CASES if case.metric not in BESIDE]


@pytest.mark.parametrize("case", GIVEN, ids=str)
def test_the_function_gives_the_value_in_the_table_row(case):
    score = case.parts or case.score
    given = [case.y, score, case.weight or None]
    if METRICS[case.metric].task == "ranking":
        size = [len(scores) for scores in case.score]
        grades, scores = ([x for each in of for x in each] for of in (case.y, case.score))
        query = np.repeat(np.arange(len(size)), size)
        given = [grades, scores, query, case.weights.repeat(size)]
    found = getattr(metrics, case.metric)(*given, **case.params)
    assert found == pytest.approx(case.expected, rel=1e-12, abs=1e-12, nan_ok=True)
    assert type(found) is float


def test_a_list_an_array_and_a_frames_column_are_all_rows():
    import pandas as pd

    expected = stats.kendalltau(Y, SCORE).statistic
    for kind in (list, np.array, pd.Series):
        assert metrics.kendall(kind(Y), kind(SCORE)) == pytest.approx(expected)


@pytest.mark.parametrize("name", METRICS)
def test_no_file_of_the_package_takes_the_name_of_a_metric(name):
    assert callable(getattr(metrics, name))
    assert not inspect.ismodule(getattr(metrics, name))


def test_the_function_tells_its_parameters_and_its_caveat():
    assert list(inspect.signature(metrics.pinball).parameters) == ["y", "score", "weight", "alpha"]
    assert inspect.signature(metrics.ranking_last).parameters["buckets"].default == 10
    assert "Rows with y near 0 decide it" in metrics.mape.__doc__
    assert "nan where a y is 0." in metrics.mape.__doc__


WRONG = (
    (("kendall", Y, SCORE[:4]), {}, "score has 4 rows, but y has 5"),
    (("kendall", Y, SCORE, [1.0]), {}, "weight has 1 rows, but y has 5"),
    (("kendall", Y, SCORE, -Y), {}, "weight is below 0 at row 0"),
    (("kendall", [[1.0]], [1.0]), {}, "y has 2 dimensions, but must have one number a row"),
    (("mae", [1.0, math.nan], [1.0, 2.0]), {}, "y has 1 values that are no finite number, first"),
    (("mae", ["a"], [1.0]), {}, "y must hold numbers"),
    (("mae", Y, SCORE), {"alpha": 1.0}, "mae has no parameter 'alpha'; it has none"),
    (("pinball", Y, SCORE), {}, "pinball needs alpha"),
    (("pinball", Y, SCORE), {"alpha": 1.4}, "pinball: alpha is 1.4, but must be between 0 and 1"),
    (("pinball", Y, SCORE), {"alpha": "x"}, "alpha of pinball is 'x', but must be number"),
    (
        ("ranking_last", Y, SCORE),
        {"edges": "soft"},
        "edges of ranking_last is 'soft', but must be 'fractional' or 'integer'",
    ),
    (("ndcg", Y, SCORE, [1.0, 1.0, math.nan, 2.0, 2.0]), {}, "query has no name at row 2"),
    (("ndcg", Y, SCORE, ["a", "a", "b", None, "b"]), {}, "query has no name at row 3"),
    (("interval_score", Y, SCORE), {"level": 0.9}, "judges predicted quantiles: give them by name"),
)


def test_a_grade_below_0_counts_as_0_and_no_value_leaves_its_range():
    assert metrics.ndcg([-1, 1], [2, 1]) == metrics.ndcg([0, 1], [2, 1]) > 0


@pytest.mark.parametrize("given, params, said", WRONG)
def test_what_is_wrong_is_told(given, params, said):
    name, *arrays = given
    with pytest.raises((ValueError, TypeError)) as error:
        getattr(metrics, name)(*arrays, **params)
    assert said in str(error.value)


def test_an_unknown_name_is_no_attribute():
    with pytest.raises(AttributeError):
        _ = metrics.kendal
    with pytest.raises(ValueError, match="no metric is called 'kendal'"):
        metrics.scorer("kendal")


def test_the_package_hands_out_its_metrics():
    assert reportgen.metrics.mae(Y, SCORE) == sk.mean_absolute_error(Y, SCORE)


@pytest.mark.parametrize(
    "name, value",
    [
        ("kendall", stats.kendalltau(Y, SCORE).statistic),
        ("mae", -sk.mean_absolute_error(Y, SCORE)),
        ("bias", -abs(np.mean(SCORE - Y))),
    ],
)
def test_a_scorer_is_higher_for_the_better_model(name, value):
    class Said(RegressorMixin, BaseEstimator):
        def predict(self, rows):
            return SCORE

    assert metrics.scorer(name)(Said(), None, Y) == pytest.approx(value)


def test_a_search_chooses_by_a_scorer_and_its_weights():
    rng = np.random.default_rng(5)
    rows = rng.normal(size=(60, 5))
    y = rows @ [1.0, 0, 2, 0, 0] + rng.normal(size=60)
    grid = {"alpha": [0.1, 10.0, 1000.0]}
    for ours, theirs in (("mse", "neg_mean_squared_error"), ("mae", "neg_mean_absolute_error")):
        found = [
            GridSearchCV(Ridge(), grid, scoring=scoring, cv=3).fit(rows, y)
            for scoring in (metrics.scorer(ours), theirs)
        ]
        first, second = (each.cv_results_["mean_test_score"] for each in found)
        assert first == pytest.approx(second)
    weights = rng.exponential(1, 60)
    model = Ridge().fit(rows, y)
    weighted = metrics.scorer("mae")(model, rows, y, sample_weight=weights)
    expected = sk.mean_absolute_error(y, model.predict(rows), sample_weight=weights)
    assert weighted == pytest.approx(-expected)


def test_a_scorer_can_be_sent_to_another_process():
    scored = metrics.scorer("pinball", alpha=0.8)
    again = pickle.loads(pickle.dumps(scored))
    model = Ridge().fit(Y[:, None], SCORE)
    assert again(model, Y[:, None], Y) == scored(model, Y[:, None], Y)


def test_a_scorer_needs_what_predict_gives():
    with pytest.raises(ValueError, match="judges predicted quantiles, which no `predict` gives"):
        metrics.scorer("interval_score", level=0.9)


def test_a_scorer_says_that_a_test_set_that_chooses_is_none():
    assert "used to choose is no test set" in " ".join(metrics.scorer.__doc__.split())


def test_the_metrics_do_not_load_scikit_learn():
    code = (
        "import sys, reportgen.metrics as m; m.mae([1.0], [2.0]); print('sklearn' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"


def test_a_scorer_prints_its_metric() -> None:
    assert "kendall" in repr(metrics.scorer("kendall"))


def test_columns_of_pandas_in_another_order_are_refused():
    pandas = pytest.importorskip("pandas")
    y = pandas.Series([1.0, 2.0, 3.0], index=["a", "b", "c"])
    turned = y.iloc[::-1]
    value = reportgen.metrics.mae
    assert value(y, y) == value(y, turned.loc[y.index]) == value(y, [1.0, 2.0, 3.0]) == 0
    assert value(y, turned.to_numpy()) == pytest.approx(4 / 3)
    with pytest.raises(ValueError, match="score names its rows by another index than y"):
        value(y, turned)
    with pytest.raises(ValueError, match="weight names its rows by another index than y"):
        value(y, [1.0, 2.0, 3.0], turned)
    with pytest.raises(ValueError, match="score 'q95' names its rows by another index than y"):
        reportgen.metrics.interval_score(y, {"q5": y, "q95": turned}, level=0.9)
