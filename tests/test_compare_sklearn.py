"""`compare` on scikit-learn's data: each call gives what the same comparison by a config gives."""

from pathlib import Path

import nbformat
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from nbclient import NotebookClient
from sklearn.datasets import (
    load_breast_cancer,
    load_diabetes,
    load_wine,
    make_multilabel_classification,
)
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import Lasso, LogisticRegression, Ridge, RidgeClassifier
from sklearn.model_selection import (
    KFold,
    RepeatedKFold,
    ShuffleSplit,
    TimeSeriesSplit,
    cross_validate,
)
from sklearn.multioutput import MultiOutputClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import reportgen

FEW = {"bootstrap": {"replicates": 99}}
REGRESSORS = {"ridge": Ridge(), "lasso": Lasso()}


def compare(*args, **changes):
    return reportgen.compare(*args, **{"config": FEW, "use_cache": False, **changes})


def fit_halves(load, **models):
    """Fit models on the even rows; return the features and the outcome of the odd ones."""
    X, y = load(return_X_y=True)
    return X[1::2], y[1::2], {name: each.fit(X[::2], y[::2]) for name, each in models.items()}


def by_config(tmp_path, made):
    """Run the config that a comparison writes, and return its results."""
    return reportgen.run(made.to_config(tmp_path / "same.yaml"), use_cache=False).results


def logistic():
    return make_pipeline(StandardScaler(), LogisticRegression())


CALLS = {
    "regression": lambda: regression(),
    "binary probabilities": lambda: binary(),
    "binary text": lambda: binary(text=True),
    "binary labels": lambda: binary(method="predict"),
    "binary scores": lambda: binary(method="decision_function"),
    "multiclass": lambda: multiclass(),
    "multiclass labels": lambda: multiclass(method="predict"),
    "multilabel": lambda: multilabel(),
    "ranking": lambda: ranking(),
    "density": lambda: density(),
    "folds": lambda: folds(),
    "rounds": lambda: folds(RepeatedKFold(n_splits=5, n_repeats=2, random_state=0)),
    "splits": lambda: folds(ShuffleSplit(6, test_size=0.2, random_state=0)),
}


def regression():
    X, y, models = fit_halves(load_diabetes, **REGRESSORS)
    return compare(y, {name: each.predict(X) for name, each in models.items()}), "mae", "regression"


def binary(method="predict_proba", *, text=False):
    X, y, models = fit_halves(
        load_breast_cancer,
        logreg=logistic(),
        ridge=make_pipeline(StandardScaler(), RidgeClassifier()),
    )
    if method != "predict_proba":
        predictions = {name: getattr(each, method)(X) for name, each in models.items()}
    else:
        forest = RandomForestClassifier(20, random_state=0)
        data = load_breast_cancer(return_X_y=True)
        models = {"logreg": models["logreg"], "forest": forest.fit(data[0][::2], data[1][::2])}
        predictions = {name: each.predict_proba(X) for name, each in models.items()}
    if text:
        y = np.where(y == 1, "yes", "no")
    first = "f" if method == "predict" else "roc_auc"
    return compare(y, predictions), first, "binary"


def multiclass(method="predict_proba"):
    X, y, models = fit_halves(
        load_wine, logreg=logistic(), forest=RandomForestClassifier(20, random_state=0)
    )
    predictions = {name: getattr(each, method)(X) for name, each in models.items()}
    return compare(y, predictions), "accuracy", "multiclass"


def multilabel():
    X, y = make_multilabel_classification(300, n_classes=4, random_state=0)
    near, far = (
        MultiOutputClassifier(LogisticRegression(C=c)).fit(X[::2], y[::2]) for c in (1.0, 0.001)
    )
    predictions = {"far": far.predict_proba(X[1::2]), "near": near.predict_proba(X[1::2])}
    return compare(y[1::2], predictions), "f", "multilabel"


def ranking():
    draw = np.random.default_rng(0)
    grade = draw.integers(0, 3, 600)
    predictions = {"a": grade + draw.normal(size=600), "b": grade + 2 * draw.normal(size=600)}
    return compare(grade, predictions, query=np.repeat(np.arange(60), 10)), "nDCG@10", "ranking"


def density():
    X, y, models = fit_halves(load_diabetes, **REGRESSORS)
    predictions = {
        name: {"mean": each.predict(X), "sd": np.full(len(y), 50.0 + 5 * len(name))}
        for name, each in models.items()
    }
    return compare(y, predictions, metrics="crps"), "crps", "regression"


def folds(cv=None):
    X, y = load_diabetes(return_X_y=True)
    return compare(y, estimators=REGRESSORS, X=X, cv=cv or 5), "mae", "regression"


@pytest.mark.parametrize("call", CALLS)
def test_each_call_infers_its_task_and_equals_its_config(tmp_path, call):
    made, first, task = CALLS[call]()
    assert made.results.config["task"] == task
    assert made.results.metrics[0].key == first
    assert any(each.startswith("baseline") for each in made.inferred)
    assert made.results.comparisons and made.results.comparisons[0].difference is not None
    same = by_config(tmp_path, made)
    assert same.estimates == made.results.estimates
    assert same.comparisons == made.results.comparisons


def nadeau_bengio(X, y, splits):
    """Return the mean difference over splits and its standard error, from the definition."""
    each = []
    for train, test in splits:
        losses = [
            np.abs(model.fit(X[train], y[train]).predict(X[test]) - y[test]).mean()
            for model in (Lasso(), Ridge())
        ]
        each.append(losses[0] - losses[1])
    ratio = np.mean([len(test) / len(train) for train, test in splits])
    return np.mean(each), np.sqrt((1 / len(each) + ratio) * np.var(each, ddof=1))


@pytest.mark.parametrize(
    ("cv", "published"),
    [
        (ShuffleSplit(10, test_size=0.2, random_state=0), 0.791004),
        (KFold(10, shuffle=True, random_state=0), 0.928701),
        (RepeatedKFold(n_splits=5, n_repeats=3, random_state=0), 0.779662),
    ],
    ids=["shuffled splits", "folds", "rounds"],
)
def test_folds_have_the_standard_error_of_nadeau_and_bengio(cv, published):
    X, y = load_diabetes(return_X_y=True)
    made = compare(y, estimators=REGRESSORS, X=X, cv=cv, metrics="mae", baseline="ridge")
    (found,) = made.results.comparisons
    _, error = nadeau_bengio(X, y, list(cv.split(X)))
    assert found.se == pytest.approx(published, abs=4e-6)
    # Folds of 44 and 45 rows count by their rows in the report, and alike in the definition.
    assert found.se == pytest.approx(error, rel=3e-3)


def test_results_of_cross_validate_are_taken_with_their_own_folds():
    X, y = load_diabetes(return_X_y=True)
    splitter = KFold(5, shuffle=True, random_state=1)
    scored = {
        name: cross_validate(each, X, y, cv=splitter, return_estimator=True, return_indices=True)
        for name, each in REGRESSORS.items()
    }
    given = compare(y, estimators=scored, X=X, metrics="mae").results.comparisons
    own = compare(y, estimators=REGRESSORS, X=X, cv=splitter, metrics="mae").results.comparisons
    assert given == own
    bare = {name: cross_validate(each, X, y) for name, each in REGRESSORS.items()}
    with pytest.raises(reportgen.UsageError, match="return_estimator=True"):
        compare(y, estimators=bare, X=X)


def test_predictions_out_of_fold_give_what_estimators_with_the_same_folds_give():
    X, y = load_diabetes(return_X_y=True)
    splitter, fold = KFold(5), np.empty(len(y), int)
    predictions = {name: np.empty(len(y)) for name in REGRESSORS}
    for k, (train, test) in enumerate(splitter.split(X)):
        fold[test] = k
        for name, each in REGRESSORS.items():
            predictions[name][test] = each.fit(X[train], y[train]).predict(X[test])
    own = compare(y, estimators=REGRESSORS, X=X, cv=splitter, metrics="mae").results
    for way in ({"folds": fold}, {"cv": splitter}):
        found = compare(y, predictions, metrics="mae", **way).results
        assert found.comparisons == own.comparisons


@pytest.mark.parametrize("library", ["pandas", "polars", "pyarrow"])
def test_the_summary_is_a_frame_of_the_library_that_y_came_in(library):
    X, y, models = fit_halves(load_diabetes, **REGRESSORS)
    predictions = {name: each.predict(X) for name, each in models.items()}
    make = {"pandas": pd.Series, "polars": lambda v: pl.Series("y", v), "pyarrow": pa.array}[
        library
    ]
    frames = {"pandas": pd.DataFrame, "polars": pl.DataFrame, "pyarrow": pa.table}[library]
    outcome = pa.chunked_array([y]) if library == "pyarrow" else make(y)
    made = compare(outcome, frames(predictions))
    kind = {"pandas": pd.DataFrame, "polars": pl.DataFrame, "pyarrow": pa.Table}[library]
    assert isinstance(made.summary(), kind)
    assert made.results.comparisons == compare(y, predictions).results.comparisons


X, Y = load_diabetes(return_X_y=True)
THREE = load_wine()
P4 = np.full((len(THREE.target), 4), 0.25)


@pytest.mark.parametrize(
    ("call", "says"),
    [
        (lambda: compare(None, {"a": Y}), "give y, the outcome of each row"),
        (lambda: compare(Y), "give predictions, or estimators with X; one of the two"),
        (lambda: compare(Y, {"a": Y[:10]}), "predictions['a'] has 10 rows, but y has 442"),
        (
            lambda: compare(THREE.target, P4),
            "predictions has 4 columns, but y has 3 classes: give classes= in the order of the "
            "columns, as in estimator.classes_",
        ),
        (
            lambda: compare(Y, estimators={"ridge": Ridge()}, X=X),
            "estimators['ridge'] is not fitted; fit it on other rows than X, or give cv=5",
        ),
        (
            lambda: compare(Y, estimators=REGRESSORS, X=X, cv=TimeSeriesSplit(5)),
            "the splits have 77 to 369 training rows",
        ),
        (
            lambda: compare(np.where(Y > 100, 250.0, 0.0), {"a": Y}),
            "y holds two numbers, 0 and 250: give task='binary' or task='regression'",
        ),
        (lambda: compare(Y, {"a": Y}, task="regresion"), "did you mean 'regression'?"),
        (lambda: compare(Y, {"a": Y}, base="a"), "compare has no argument 'base'"),
        (
            lambda: compare(Y > 100, np.c_[Y / 800, Y / 900]),
            "the rows of predictions do not sum to 1, so they are no probabilities of the classes; "
            "divide each row by its sum, or, if its columns are several models, give a map such as "
            "{'ridge': p1, 'boost': p2}",
        ),
        (lambda: compare(Y, [Y, Y + 1]), "predictions is a list of columns; if its columns are"),
        (lambda: compare(Y, {"a": Y}, metrics="mase"), "needs an order of the rows in time; give "),
        (
            lambda: compare(Y > 100, {"a": np.where(Y > 300, np.inf, Y)}),
            "column 'a' has",
        ),
        (lambda: compare(np.repeat("no", 30), {"a": Y[:30]}), "y has one class, no"),
        (
            lambda: compare(Y > 100, {"a": Y}, pos_label="yes"),
            "pos_label: y has no 'yes'",
        ),
    ],
)
def test_errors_speak_of_the_arguments(call, says):
    with pytest.raises(reportgen.ReportgenError) as raised:
        call()
    assert says in str(raised.value) and "\n" not in str(raised.value)


def test_earlier_names_of_arguments_work_with_a_warning():
    with pytest.warns(DeprecationWarning, match="weight= is now sample_weight="):
        made = compare(Y, {"a": Y + 1}, weight=np.ones(len(Y)))
    assert made.results.datasets[0].weight == "sample_weight"


def test_scorers_of_scikit_learn_are_metrics():
    y = load_breast_cancer().target
    names = ["neg_log_loss", "f1", "roc_auc", "average_precision"]
    made = compare(y, {"a": np.clip(y * 0.6 + 0.2, 0, 1)}, metrics=names)
    assert [each.name for each in made.results.metrics] == [
        "log_loss",
        "f",
        "roc_auc",
        "average_precision",
    ]
    made = compare(Y, {"a": Y + 1.0}, metrics=["r2_score", "neg_mean_absolute_error"])
    assert [each.name for each in made.results.metrics] == ["r2", "mae"]


def test_a_cell_with_twelve_models_is_light():
    draw = np.random.default_rng(0)
    models = {f"model {k}": Y + draw.normal(0, 20 + k, len(Y)) for k in range(12)}
    cell = compare(Y, models)._repr_mimebundle_()["text/html"]
    assert len(cell.encode()) < 20_000
    assert (
        "<iframe" not in cell
        and "<script" not in cell
        and "http" not in cell.replace("http://www.w3.org/2000/svg", "")
    )


def test_a_mistyped_call_in_a_notebook_shows_three_lines_at_most(tmp_path):
    cells = [
        "import numpy as np, reportgen\ny = np.arange(50.0)",
        "reportgen.compare(y, {'a': y[:10]})",
        "reportgen.compare(y, {'a': y}, metrics='maee', use_cache=False)",
    ]
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(each) for each in cells])
    resources = {"metadata": {"path": str(tmp_path)}}
    client = NotebookClient(notebook, timeout=120, allow_errors=True, resources=resources)
    for cell in client.execute().cells[1:]:
        (error,) = cell.outputs
        assert len(error.traceback) <= 3


def test_intervals_of_pandas_are_segments():
    age = pd.cut(np.linspace(20, 80, len(Y)), [0, 40, 100])
    made = compare(Y, {"a": Y + 1.0, "b": Y + 2.0}, segments={"age": age}).results
    assert {e.segment for e in made.estimates} == {None, "age=(0, 40]", "age=(40, 100]"}
    print_ = str(compare(Y, {"a": Y + 1.0, "b": Y + 2.0}, segments={"age": age}))
    assert "\\" not in print_


@pytest.mark.full
def test_each_call_is_shown_in_a_notebook(tmp_path):
    """Run every call by a kernel: the cell has a figure and stays light, and the answer is text."""
    cells = [f"import sys\nsys.path.insert(0, {str(Path(__file__).parents[1])!r})"]
    cells += ["from tests.test_compare_sklearn import CALLS"]
    cells += [f"CALLS[{name!r}]()[0]" for name in CALLS]
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(each) for each in cells])
    resources = {"metadata": {"path": str(tmp_path)}}
    ran = NotebookClient(notebook, timeout=300, resources=resources).execute()
    for name, cell in zip(CALLS, ran.cells[2:], strict=True):
        shown = next(each for each in cell.outputs if each.output_type == "execute_result")
        assert "<svg" in shown.data["text/html"], name
        assert len(shown.data["text/html"].encode()) < 20_000, name
        assert "Inferred: task" in shown.data["text/plain"], name
