"""Metrics of rows with any number of labels: what scikit-learn says, weighted, tied and lacking."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from sklearn import metrics as sk

from reportgen import metrics
from reportgen.kernels.batch import Batch
from reportgen.metrics.lookup import find_metric
from reportgen.metrics.rows import LabelSets

K = 5
KINDS = ("plain", "weighted", "tied", "missing label", "label of all")


def drawn(kind: str, n: int = 150, seed: int = 5) -> tuple[LabelSets, np.ndarray]:
    """Rows of five labels, some of which have none or all, with scores and weights."""
    rng = np.random.default_rng(seed)
    had = rng.random((n, K)) < np.array([0.6, 0.4, 0.3, 0.2, 0.1])
    had[:4], had[4:8] = False, True
    if kind in ("missing label", "label of all"):
        had[:, 2] = kind == "label of all"
    scores = 1 / (1 + np.exp(-(rng.normal(size=(n, K)) + 1.5 * (had - 0.5))))
    scores = np.round(scores, 1) if kind == "tied" else scores
    weight = rng.integers(1, 6, n) / 2 if kind in ("weighted", "tied") else np.ones(n)
    return LabelSets(had, scores, tuple("abcde")), weight


def held(rows: LabelSets) -> list[int]:
    return [k for k in range(len(rows.labels)) if rows.flags[:, k].any()]


def prf(what: str, average: str, beta: float = 1.0, undefined: float = 0.0):
    place = {"precision": 0, "recall": 1, "f": 2}[what]

    def of(rows: LabelSets, w: np.ndarray) -> float:
        some = held(rows) if average == "macro" else None
        return sk.precision_recall_fscore_support(
            rows.flags,
            rows.flag_labels(0.5),
            beta=beta,
            average=average,
            labels=some,
            sample_weight=w,
            zero_division=undefined,
        )[place]

    return of


def jaccard(average: str):
    def of(rows: LabelSets, w: np.ndarray) -> float:
        some = held(rows) if average == "macro" else None
        return sk.jaccard_score(
            rows.flags,
            rows.flag_labels(0.5),
            average=average,
            labels=some,
            sample_weight=w,
            zero_division=0,
        )

    return of


def area(score, average: str):
    def of(rows: LabelSets, w: np.ndarray) -> float:
        some = [
            k for k in held(rows) if score is not sk.roc_auc_score or not rows.flags[:, k].all()
        ]
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)
            if average == "micro":
                return score(
                    rows.flags.ravel(),
                    rows.scores.ravel(),
                    sample_weight=np.repeat(w, len(rows.labels)),
                )
            each = [score(rows.flags[:, k], rows.scores[:, k], sample_weight=w) for k in some]
            size = [w @ rows.flags[:, k] for k in some]
        return float(np.average(each, weights=size if average == "weighted" else None))

    return of


def scored(function):
    return lambda rows, w: function(rows.flags.astype(int), rows.scores, sample_weight=w)


def mean_of_labels(function):
    def of(rows: LabelSets, w: np.ndarray) -> float:
        p = np.clip(rows.scores, 1e-300, 1)
        return np.mean([function(rows.flags[:, k], p[:, k], w) for k in range(len(rows.labels))])

    return of


CASES = {
    **{
        f"{what} {average}": ({"average": average}, prf(what, average))
        for what in ("precision", "recall", "f")
        for average in ("macro", "micro", "weighted", "samples")
    },
    **{
        f"jaccard {average}": ({"average": average}, jaccard(average))
        for average in ("macro", "micro", "weighted", "samples")
    },
    "f 2": ({"beta": 2.0}, prf("f", "macro", 2.0)),
    "f 2 samples": ({"beta": 2.0, "average": "samples"}, prf("f", "samples", 2.0)),
    "precision skipped samples": (
        {"average": "samples", "undefined": "skip"},
        prf("precision", "samples", undefined=np.nan),
    ),
    "recall skipped samples": (
        {"average": "samples", "undefined": "skip"},
        prf("recall", "samples", undefined=np.nan),
    ),
    "subset_accuracy": (
        {},
        lambda r, w: sk.accuracy_score(r.flags, r.flag_labels(0.5), sample_weight=w),
    ),
    "hamming_loss": (
        {},
        lambda r, w: sk.hamming_loss(r.flags, r.flag_labels(0.5), sample_weight=w),
    ),
    "lrap": ({}, scored(sk.label_ranking_average_precision_score)),
    "coverage_error": ({}, scored(sk.coverage_error)),
    "ranking_loss": ({}, scored(sk.label_ranking_loss)),
    **{
        f"roc_auc {average}": ({"average": average}, area(sk.roc_auc_score, average))
        for average in ("macro", "weighted", "micro")
    },
    **{
        f"average_precision {a}": ({"average": a}, area(sk.average_precision_score, a))
        for a in ("macro", "weighted", "micro")
    },
    "log_loss": (
        {},
        mean_of_labels(lambda y, p, w: sk.log_loss(y, p, sample_weight=w, labels=[False, True])),
    ),
    "brier": (
        {},
        mean_of_labels(lambda y, p, w: sk.brier_score_loss(y, p, sample_weight=w, pos_label=True)),
    ),
}


@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("kind", KINDS)
def test_a_metric_is_that_of_scikit_learn(kind: str, case: str) -> None:
    params, of = CASES[case]
    rows, weight = drawn(kind)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        want = of(rows, weight)
    bound = find_metric(case.split()[0], "multilabel", **params).bind(rows)
    assert bound.define(weight) == pytest.approx(want, rel=1e-12, abs=1e-12)
    assert bound(Batch.from_weights(weight))[0] == pytest.approx(want, rel=1e-12, abs=1e-12)


def test_all_averages_of_an_area_are_those_that_scikit_learn_finds_itself() -> None:
    rows, weight = drawn("weighted")
    for average in ("macro", "weighted", "micro"):
        for name, of in (
            ("roc_auc", sk.roc_auc_score),
            ("average_precision", sk.average_precision_score),
        ):
            want = of(rows.flags, rows.scores, average=average, sample_weight=weight)
            found = find_metric(name, "multilabel", average=average).bind(rows).define(weight)
            assert found == pytest.approx(want, rel=1e-12)


@pytest.mark.parametrize(
    "name", ["precision", "recall", "f", "jaccard", "roc_auc", "average_precision", "brier"]
)
def test_a_value_of_one_label_is_that_of_two_classes(name: str) -> None:
    rows, weight = drawn("tied")
    for k, label in enumerate(rows.labels):
        bound = find_metric(name, "multilabel", of=label).bind(rows)
        want = find_metric(name, "binary").bind(rows.isolate(k))
        assert bound.define(weight) == want.define(weight)
        np.testing.assert_array_equal(bound.influence(weight), want.influence(weight))
        assert bound.statistic.estimand == want.statistic.estimand
        assert bound.statistic.title.endswith(f" of {label}")


def test_a_named_label_leaves_the_mean_of_all_as_it_was() -> None:
    rows, weight = drawn("plain")
    for name in ("f", "roc_auc"):
        plain = find_metric(name, "multilabel")
        again = plain.use(of="b").use()
        assert again.bind(rows).define(weight) == plain.bind(rows).define(weight)
        assert (again.title, again.estimand) == (plain.title, plain.estimand)


def test_a_point_has_a_threshold_for_each_label() -> None:
    rows, weight = drawn("plain")
    points = {"call": np.array([0.5, 0.5, 0.5, 0.2, 0.3])}
    some = LabelSets(rows.flags, rows.scores, rows.labels, points=points)
    called = rows.scores >= points["call"]
    found = {
        a: find_metric("f", "multilabel", at="call", **a_of(a)).bind(some).define(weight)
        for a in ("macro", "samples", "of d")
    }
    assert found["macro"] == pytest.approx(sk.f1_score(rows.flags, called, average="macro"))
    assert found["samples"] == pytest.approx(
        sk.f1_score(rows.flags, called, average="samples", zero_division=0)
    )
    assert found["of d"] == pytest.approx(sk.f1_score(rows.flags[:, 3], called[:, 3]))
    with pytest.raises(ValueError, match="there is no operating point 'other'"):
        find_metric("f", "multilabel", at="other").bind(some).define(weight)


def a_of(text: str) -> dict[str, str]:
    return {"of": text[3:]} if text.startswith("of ") else {"average": text}


def test_a_score_calls_no_label_until_a_point_says_from_where() -> None:
    rows, _ = drawn("plain")
    score = LabelSets(rows.flags, rows.scores, rows.labels, "score")
    assert (
        score.lacks("label") == "is a score, and no operating point says which labels it predicts"
    )
    assert not LabelSets(rows.flags, rows.scores, rows.labels, "score", {"p": np.ones(K)}).lacks(
        "label"
    )
    named = LabelSets(rows.flags, 1.0 * rows.flag_labels(0.5), rows.labels, "label")
    assert not named.lacks("label") and named.lacks("order")
    assert find_metric("f", "multilabel").bind(named).define(np.ones(len(rows))) == pytest.approx(
        find_metric("f", "multilabel").bind(rows).define(np.ones(len(rows)))
    )


PARAMS = [
    ("f", {}),
    ("f", {"average": "weighted"}),
    ("f", {"average": "micro"}),
    ("precision", {}),
    ("roc_auc", {}),
    ("roc_auc", {"average": "weighted"}),
    ("roc_auc", {"average": "micro"}),
    ("average_precision", {"average": "weighted"}),
    ("average_precision", {"average": "micro"}),
    ("jaccard", {"average": "samples"}),
]


@pytest.mark.parametrize(("name", "params"), PARAMS)
@pytest.mark.parametrize("kind", KINDS[:4])
def test_influence_of_a_row_sums_over_its_labels(name, params, kind: str) -> None:
    rows, weight = drawn(kind, n=60)
    bound, step = find_metric(name, "multilabel", **params).bind(rows), 1e-6
    phi = bound.influence(weight)
    shifts = step * np.eye(len(weight))
    slope = [(bound.define(weight + e) - bound.define(weight - e)) / (2 * step) for e in shifts]
    assert phi @ weight == pytest.approx(0, abs=1e-9 * weight.sum())
    np.testing.assert_allclose(phi, np.array(slope) * weight.sum(), rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize(("name", "params"), [*PARAMS, ("lrap", {}), ("log_loss", {"of": "c"})])
def test_resamples_are_the_definition_of_each_weighting(name, params) -> None:
    rows, weight = drawn("tied")
    batch = Batch(np.random.default_rng(1).poisson(1, (len(weight), 70)).astype(np.uint8), weight)
    bound = find_metric(name, "multilabel", **params).bind(rows)
    np.testing.assert_allclose(bound(batch), [bound.define(w) for w in batch.weights.T], rtol=1e-12)


WRONG = (
    ((np.ones((3, 2)), np.ones((3, 3))), "y has the shape (3, 2) and score (3, 3)"),
    ((np.ones(3), np.ones(3)), "y has the shape (3,) and score (3,)"),
    ((2 * np.ones((3, 2)), np.ones((3, 2))), "y must hold 0 and 1 alone"),
    ((np.ones((3, 2)), 2 * np.ones((3, 2))), "score must hold probabilities, between 0 and 1"),
)


@pytest.mark.parametrize(("given", "said"), WRONG)
def test_what_is_wrong_with_arrays_of_labels_is_told(given, said: str) -> None:
    with pytest.raises(ValueError) as error:
        metrics.hamming_loss(*given)
    assert said in str(error.value)


def test_one_error_shares_a_tie_out() -> None:
    had, scores = [[1, 0, 0], [0, 0, 0]], [[3.0, 3.0, 1.0], [1.0, 2.0, 2.0]]
    assert metrics.one_error(had, scores) == pytest.approx((1 / 2 + 1) / 2)
