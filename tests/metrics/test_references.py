"""What is to be had without a model equals scikit-learn's dummies, or a brute force."""

from __future__ import annotations

from itertools import permutations

import numpy as np
import pytest
from scipy.optimize import minimize_scalar
from sklearn import metrics as sk
from sklearn.dummy import DummyClassifier, DummyRegressor

from reportgen.kernels.batch import Batch
from reportgen.kernels.ranked_lists import Judgements, Lists
from reportgen.metrics import METRICS
from reportgen.metrics.references import (
    KnownRows,
    Prediction,
    pool_documents,
    predict_without_model,
    rank_by_popularity,
)
from reportgen.metrics.rows import Amounts, Classes, LabelSets, Queries, Rows
from reportgen.metrics.tasks import TASKS, Predictions
from tests.metrics.cases import past

N = 400
DRAW = np.random.default_rng(20261128)
WEIGHT = DRAW.uniform(0.2, 3.0, N)
Y = np.round(DRAW.lognormal(1.0, 1.2, N), 2)
NOTHING = np.zeros((N, 1))
FLAG = (DRAW.random(N) < 0.23).astype(np.intp)
CLASS = DRAW.choice(4, N, p=[0.2, 0.45, 0.25, 0.1])
LABELS = DRAW.random((N, 3)) < [0.7, 0.3, 0.1]


def amounts() -> Amounts:
    return Amounts(Y, DRAW.normal(size=N))


def binary() -> Classes:
    return Classes(FLAG, DRAW.random((N, 1)), ("0", "1"))


def multiclass() -> Classes:
    return Classes(CLASS, DRAW.dirichlet(np.ones(4), N), ("a", "b", "c", "d"))


def label_sets() -> LabelSets:
    return LabelSets(LABELS, DRAW.random((N, 3)), ("x", "y", "z"))


def predict(name: str, rows: Rows, weight: np.ndarray = WEIGHT, **params: object) -> Prediction:
    found = predict_without_model(METRICS[name].use(**params), rows, [KnownRows(rows, weight)])
    assert found is not None
    return found


def value(name: str, rows: Rows, weight: np.ndarray = WEIGHT, **params: object) -> float:
    return predict(name, rows, weight, **params).value(weight)


@pytest.mark.guard
@pytest.mark.parametrize("name", METRICS)
def test_every_metric_has_a_reference_or_says_why_not(name: str) -> None:
    metric = METRICS[name]
    said = [bool(metric.reference), metric.chance is not None, bool(metric.no_reference)]
    assert sum(said) == 1, f"{name}: give it one of reference=, chance= and no_reference="


@pytest.mark.parametrize(
    ("name", "params", "strategy"),
    [
        ("mae", {}, {"strategy": "median"}),
        ("rmse", {}, {"strategy": "mean"}),
        ("r2", {}, {"strategy": "mean"}),
        ("pinball", {"alpha": 0.8}, {"strategy": "quantile", "quantile": 0.8}),
    ],
)
def test_amounts_are_those_of_the_dummies(name: str, params: dict, strategy: dict) -> None:
    dummy = DummyRegressor(**strategy).fit(NOTHING, Y).predict(NOTHING)
    truth = {
        "mae": lambda: sk.mean_absolute_error(Y, dummy),
        "rmse": lambda: sk.root_mean_squared_error(Y, dummy),
        "r2": lambda: sk.r2_score(Y, dummy),
        "pinball": lambda: sk.mean_pinball_loss(Y, dummy, alpha=0.8),
    }[name]()
    assert value(name, amounts(), np.ones(N), **params) == pytest.approx(truth, abs=1e-9)


@pytest.mark.parametrize(
    ("name", "params", "loss"),
    [
        ("mae", {}, lambda c: np.abs(c - Y)),
        ("rmse", {}, lambda c: (c - Y) ** 2),
        (
            "asymmetric_cost",
            {"alpha": 0.7},
            lambda c: np.where(c < Y, 1.4 * (Y - c), 0.6 * (c - Y)),
        ),
        ("mape", {}, lambda c: 100 * np.abs(c - Y) / Y),
        ("rmsle", {}, lambda c: (np.log1p(c) - np.log1p(Y)) ** 2),
        (
            "expected_cost",
            {"loss": "quadquad", "alpha": 0.8},
            lambda c: np.where(c < Y, 2 * 0.8, 2 * 0.2) * (c - Y) ** 2,
        ),
    ],
)
def test_no_other_constant_is_better(name: str, params: dict, loss) -> None:
    """By a search that knows nothing of quantiles."""
    found = predict(name, amounts(), **params)
    best = minimize_scalar(
        lambda c: WEIGHT @ loss(c), bounds=(0, 200), method="bounded", options={"xatol": 1e-10}
    )
    constant = float(found.constants[0][0])
    assert WEIGHT @ loss(constant) <= best.fun * (1 + 1e-9)


def test_the_constants_of_the_others_predict_each_fold() -> None:
    rows, fold = amounts(), np.arange(N) % 4
    known = [
        KnownRows(
            rows.take(np.flatnonzero(fold != k)), WEIGHT[fold != k], np.flatnonzero(fold == k)
        )
        for k in range(4)
    ]
    found = predict_without_model(METRICS["rmse"].use(), rows, known)
    assert found is not None
    means = np.array([np.average(Y[fold != k], weights=WEIGHT[fold != k]) for k in range(4)])
    truth = sk.root_mean_squared_error(Y, means[fold], sample_weight=WEIGHT)
    assert found.value(WEIGHT) == pytest.approx(truth, abs=1e-9)


def test_a_segment_is_judged_by_the_constant_of_all_rows() -> None:
    part = np.flatnonzero(Y > 3)
    found = predict("mae", amounts())
    inside = Prediction("median", found.rows.take(part), found.metric)
    median = float(found.constants[0][0])
    truth = np.average(np.abs(Y[part] - median), weights=WEIGHT[part])
    assert inside.value(WEIGHT[part]) == pytest.approx(truth, abs=1e-9)


def test_the_share_of_positives_is_that_of_the_prior() -> None:
    dummy = DummyClassifier(strategy="prior").fit(NOTHING, FLAG, WEIGHT).predict_proba(NOTHING)
    given = {"sample_weight": WEIGHT}
    assert value("log_loss", binary()) == pytest.approx(sk.log_loss(FLAG, dummy, **given), abs=1e-9)
    brier = sk.brier_score_loss(FLAG, dummy[:, 1], **given)
    assert value("brier", binary()) == pytest.approx(brier, abs=1e-9)
    assert value("brier_skill", binary()) == pytest.approx(0.0, abs=1e-9)


@pytest.mark.parametrize(
    ("name", "params", "truth"),
    [
        ("accuracy", {}, sk.accuracy_score),
        ("f", {}, lambda *a, **k: sk.f1_score(*a, zero_division=0, **k)),
        ("precision", {}, lambda *a, **k: sk.precision_score(*a, zero_division=0, **k)),
        ("jaccard", {}, lambda *a, **k: sk.jaccard_score(*a, zero_division=0, **k)),
    ],
)
def test_flagging_all_or_none_is_the_better_of_two_dummies(name, params, truth) -> None:
    dummies = [np.zeros(N, np.intp), np.ones(N, np.intp)]
    best = max(truth(FLAG, each, sample_weight=WEIGHT) for each in dummies)
    assert value(name, binary(), **params) == pytest.approx(best, abs=1e-9)


def test_a_cost_takes_the_cheaper_of_flagging_all_and_none() -> None:
    share = np.average(FLAG, weights=WEIGHT)
    for fp, fn in ((1.0, 2.0), (1.0, 9.0)):
        found = predict("misclassification_cost", binary(), fp=fp, fn=fn)
        assert found.value(WEIGHT) == pytest.approx(min(fp * (1 - share), fn * share), abs=1e-9)
        assert found.kind == ("everyone" if fp * (1 - share) < fn * share else "nobody")


def test_net_benefit_is_that_of_treating_all_or_none_at_every_threshold() -> None:
    share = np.average(FLAG, weights=WEIGHT)
    for threshold in (0.0, 0.1, 0.9):
        all_ = share - (1 - share) * threshold / (1 - threshold)
        found = value("net_benefit", binary(), threshold=threshold)
        assert found == pytest.approx(max(all_, 0.0), abs=1e-9)


def test_average_precision_in_random_order_is_the_share_of_positives() -> None:
    share = np.average(FLAG, weights=WEIGHT)
    assert value("average_precision", binary()) == pytest.approx(share, abs=1e-9)
    assert METRICS["capture"].use(share=0.2).chance == 0.2
    assert value("capture", binary(), k=80) == pytest.approx(0.2, abs=1e-9)


@pytest.mark.parametrize(
    ("name", "params"),
    [
        ("partial_auc", {"low": 0.0, "high": 0.3}),
        ("binary_recall_at", {"fpr": 0.2}),
        ("fpr_at", {"recall": 0.7}),
        ("binary_fap", {"share": 0.3}),
        ("roc_auc", {}),
    ],
)
def test_a_random_order_has_what_random_scores_have_on_average(name: str, params: dict) -> None:
    metric, draw = METRICS[name].use(**params), np.random.default_rng(3)
    flag = (draw.random(4_000) < 0.3).astype(np.intp)
    rows = [Classes(flag, draw.random((4_000, 1)), ("0", "1")) for _ in range(60)]
    one = Batch.from_weights(np.ones(4_000))
    mean = np.mean([metric.bind(each)(one)[0] for each in rows])
    expected = metric.chance
    if expected is None:
        expected = value(name, rows[0], np.ones(4_000), **params)
    assert expected == pytest.approx(mean, abs=0.02)


@pytest.mark.parametrize(
    ("name", "params", "truth"),
    [
        ("multiclass_accuracy", {}, sk.accuracy_score),
        ("multiclass_balanced_accuracy", {}, sk.balanced_accuracy_score),
        (
            "multiclass_f",
            {},
            lambda *a, **k: sk.f1_score(*a, average="macro", zero_division=0, **k),
        ),
        (
            "multiclass_precision",
            {"of": "c"},
            lambda y, _, **k: sk.precision_score(
                y, np.full(N, 2), labels=[2], average="macro", **k
            ),
        ),
    ],
)
def test_the_commonest_class_is_that_of_the_dummy(name: str, params: dict, truth) -> None:
    dummy = DummyClassifier(strategy="most_frequent").fit(NOTHING, CLASS, WEIGHT).predict(NOTHING)
    expected = truth(CLASS, dummy, sample_weight=WEIGHT)
    assert value(name, multiclass(), **params) == pytest.approx(expected, abs=1e-9)


def test_the_shares_of_the_classes_are_those_of_the_prior() -> None:
    dummy = DummyClassifier(strategy="prior").fit(NOTHING, CLASS, WEIGHT).predict_proba(NOTHING)
    given = {"sample_weight": WEIGHT}
    found = value("multiclass_log_loss", multiclass())
    assert found == pytest.approx(sk.log_loss(CLASS, dummy, **given), abs=1e-9)
    two = sk.top_k_accuracy_score(CLASS, dummy, k=2, **given)
    assert value("top_k_accuracy", multiclass(), k=2) == pytest.approx(two, abs=1e-9)


def test_the_best_class_costs_least() -> None:
    rows = multiclass()
    prices = np.array([[0, 1, 2, 3], [5, 0, 1, 1], [1, 1, 0, 9], [2, 2, 2, 0.0]])
    rows.prices = prices
    each = [np.average(prices[CLASS, k], weights=WEIGHT) for k in range(4)]
    assert value("multiclass_misclassification_cost", rows) == pytest.approx(min(each), abs=1e-9)


def test_the_majority_by_label_is_that_of_the_dummies() -> None:
    dummies = [
        DummyClassifier(strategy="most_frequent").fit(NOTHING, of, WEIGHT).predict(NOTHING)
        for of in LABELS.T
    ]
    wrong = np.stack(dummies, axis=1) != LABELS
    truth = np.average(wrong.mean(axis=1), weights=WEIGHT)
    assert value("hamming_loss", label_sets()) == pytest.approx(truth, abs=1e-9)


def test_f_by_label_is_that_of_every_label_where_it_is_better() -> None:
    share = np.average(LABELS, axis=0, weights=WEIGHT)
    truth = np.mean(2 * share / (1 + share))
    assert value("multilabel_f", label_sets()) == pytest.approx(truth, abs=1e-9)


def test_the_commonest_set_is_right_as_often_as_it_occurs() -> None:
    _, which = np.unique(LABELS, axis=0, return_inverse=True)
    truth = np.bincount(which.reshape(-1), WEIGHT).max() / WEIGHT.sum()
    assert value("subset_accuracy", label_sets()) == pytest.approx(truth, abs=1e-9)


def test_labels_by_frequency_are_what_sklearn_makes_of_their_shares() -> None:
    shares = np.tile(np.average(LABELS, axis=0, weights=WEIGHT), (N, 1))
    given = {"sample_weight": WEIGHT}
    for name, truth in (
        ("lrap", sk.label_ranking_average_precision_score),
        ("coverage_error", sk.coverage_error),
        ("ranking_loss", sk.label_ranking_loss),
    ):
        found = value(name, label_sets())
        assert found == pytest.approx(truth(LABELS, shares, **given), abs=1e-9), name


GRADES = ((2.0, np.nan, 0.0), (1.0, np.nan))  # of each query's list
JUDGED = ((2.0, 1.0, 0.0), (1.0, 0.0))  # with one document each that no list names
NAMES = ((7, 8, 9), (7, 6))


def ranked_lists() -> Queries:
    start = np.array([0, 3, 5])
    judged = np.concatenate(JUDGED)
    judgements = Judgements.from_grades(np.array([0, 3, 5]), judged, 3)
    grade, name = np.concatenate(GRADES), np.concatenate(NAMES)
    return Queries(Lists(start, grade, -np.arange(5.0), judgements, name))


def test_the_pool_has_every_document_that_was_judged_or_listed() -> None:
    pool = pool_documents([ranked_lists().lists])
    assert np.diff(pool.start).tolist() == [4, 3]
    assert np.isnan(pool.grade).sum() == 2


@pytest.mark.parametrize(
    ("name", "params"),
    [("ndcg", {"k": 1}), ("ap", {}), ("precision_at", {"k": 1}), ("rr", {}), ("err", {"k": 1})],
)
def test_a_random_order_of_the_pool_is_the_mean_over_all_orders(name: str, params: dict) -> None:
    rows = ranked_lists()
    metric = METRICS[name].use(**params)
    each = []
    for query in (0, 1):
        judged = rows.lists.judgements.take(np.array([query]))
        pool = [*JUDGED[query], np.nan]
        every = [
            metric.bind(
                Queries(
                    Lists(
                        np.array([0, len(pool)]),
                        np.array(order),
                        -np.arange(float(len(pool))),
                        judged,
                    )
                )
            )(Batch.from_weights(np.ones(1)))[0]
            for order in permutations(pool)
        ]
        each.append(np.mean(every))
    weight = np.array([1.0, 2.0])
    found = value(name, rows, weight, **params)
    assert found == pytest.approx(np.average(each, weights=weight), abs=1e-9)


def test_a_cut_that_holds_half_of_the_pool_has_no_reference() -> None:
    rows = ranked_lists()
    known = [KnownRows(rows, np.ones(2))]
    assert predict_without_model(METRICS["recall_at"].use(k=3), rows, known) is None


def test_popularity_counts_only_the_other_queries() -> None:
    found = rank_by_popularity([ranked_lists().lists])
    assert np.diff(found.start).tolist() == [4, 3]
    first = dict(zip(found.grade[:4].tolist(), found.score[:4].tolist(), strict=True))
    assert first[2.0] == 1.0  # document 7 is relevant to the other query, too
    assert first[1.0] == -1.0  # judged, but in no list: it has no name


@pytest.mark.parametrize("name", [n for n, m in METRICS.items() if m.reference])
def test_every_reference_has_a_value_on_rows_of_its_task(name: str) -> None:
    metric = METRICS[name]
    given = {"alpha": 0.7, "level": 0.8, "k": 5, "fp": 1.0, "fn": 4.0, "power": 1.5}
    required = {p.name for p in metric.parameters if p.is_required}
    wanted = required | ({"k"} if "share" in metric.params else set())
    params = {key: given[key] for key in wanted if key in given}
    if {"under", "over"} <= metric.params.keys():
        params |= {"alpha": 0.7}
    if "half_life" in metric.params:
        params |= {"half_life": 0.5}
    if name == "misclassification_cost":
        params |= {"fp": 1.0, "fn": 4.0}
    rows: Rows = {
        "regression": amounts,
        "binary": binary,
        "multiclass": multiclass,
        "multilabel": label_sets,
        "ranking": ranked_lists,
    }[metric.task]()
    if metric.needs == "series":
        rows.past = past(len(rows))
    if name == "multiclass_misclassification_cost":
        rows.prices = 1.0 - np.eye(4)
    if name.startswith("expected_cost_by_row"):
        pytest.skip("needs unit costs of each row, which the worked configs have")
    if metric.task == "ranking":
        params |= {"k": 1} if "k" in metric.params else {}
    weight = np.ones(len(rows))
    found = predict_without_model(metric.use(**params), rows, [KnownRows(rows, weight)])
    assert found is not None
    assert np.isfinite(found.value(weight))


def test_tasks_make_rows_of_an_outcome_alone() -> None:
    """As rows to fit on are: nothing is known of what models say of them."""
    from reportgen.kernels.batch import Column

    made = TASKS["multiclass"].rows(
        Column(CLASS.astype(float)),
        Predictions(
            np.zeros(N), "probability", {c: np.zeros(N) for c in "abcd"}, classes=tuple("abcd")
        ),
    )
    assert (
        predict("multiclass_accuracy", made).constants[0].argmax()
        == np.bincount(CLASS, WEIGHT).argmax()
    )
