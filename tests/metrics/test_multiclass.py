"""Metrics of several classes: what scikit-learn says, weighted and tied, and what nobody can."""

from __future__ import annotations

import warnings
from itertools import combinations

import numpy as np
import pytest
from sklearn import metrics as sk

from reportgen.kernels.batch import Batch
from reportgen.metrics import METRICS
from reportgen.metrics.lookup import find_metric
from reportgen.metrics.rows import Classes

K = 4
KINDS = ("plain", "weighted", "tied", "missing class", "two classes")


def drawn(kind: str, n: int = 160, seed: int = 7) -> tuple[Classes, np.ndarray]:
    """Rows of four classes, or two, with probabilities that go with them, and weights."""
    rng = np.random.default_rng(seed)
    k = 2 if kind == "two classes" else K
    code = rng.choice(
        k, n, p=np.array([0.5, 0.3, 0.15, 0.05][:k]) / sum([0.5, 0.3, 0.15, 0.05][:k])
    )
    if kind == "missing class":
        code = np.where(code == 3, 0, code)
    raw = rng.normal(size=(n, k)) + 1.2 * np.eye(k)[code]
    if kind == "tied":
        raw = np.round(raw)
    p = np.exp(raw) / np.exp(raw).sum(axis=1, keepdims=True)
    weight = rng.integers(1, 6, n) / 2 if kind in ("weighted", "tied") else np.ones(n)
    return Classes(code, p, tuple("abcd"[:k])), weight


def present(rows: Classes) -> list[int]:
    return sorted(set(rows.code.tolist()))


def prf(what: str, average: str | None, beta: float = 1.0):
    place = {"precision": 0, "recall": 1, "f": 2}[what]

    def of(rows: Classes, w: np.ndarray) -> float:
        found = sk.precision_recall_fscore_support(
            rows.code,
            rows.prediction,
            beta=beta,
            average=average,
            labels=present(rows),
            sample_weight=w,
            zero_division=0,
        )
        return found[place]

    return of


def one_hot(rows: Classes) -> np.ndarray:
    return np.eye(len(rows.labels))[rows.code]


def area(average: str, **how: str):
    def of(rows: Classes, w: np.ndarray) -> float:
        held = present(rows)
        if len(rows.labels) == 2:
            return sk.roc_auc_score(rows.code, rows.scores[:, 1], sample_weight=w)
        if how["multi_class"] == "ovo":
            return of_pairs(rows, w, held, average)
        each = [sk.roc_auc_score(rows.code == c, rows.scores[:, c], sample_weight=w) for c in held]
        size = [w[rows.code == c].sum() for c in held]
        return float(np.average(each, weights=size if average == "weighted" else None))

    return of


def of_pairs(rows: Classes, w: np.ndarray, held: list[int], average: str) -> float:
    """Of each pair of classes both areas, as scikit-learn finds them without weights alone."""
    areas, size = [], []
    for one, other in combinations(held, 2):
        some = np.isin(rows.code, (one, other))
        both = [
            sk.roc_auc_score(rows.code[some] == c, rows.scores[some, c], sample_weight=w[some])
            for c in (one, other)
        ]
        areas.append(np.mean(both))
        size.append(w[some].sum())
    found = float(np.average(areas, weights=size if average == "weighted" else None))
    if np.all(w == 1) and len(held) == len(rows.labels):
        whole = sk.roc_auc_score(rows.code, rows.scores, multi_class="ovo", average=average)
        assert found == pytest.approx(whole, rel=1e-12)
    return found


def top(k: int):
    return lambda rows, w: sk.top_k_accuracy_score(
        rows.code, rows.scores, k=k, labels=np.arange(len(rows.labels)), sample_weight=w
    )


CASES = {
    "accuracy": ({}, lambda r, w: sk.accuracy_score(r.code, r.prediction, sample_weight=w)),
    "error_rate": ({}, lambda r, w: sk.zero_one_loss(r.code, r.prediction, sample_weight=w)),
    "balanced_accuracy": (
        {},
        lambda r, w: sk.balanced_accuracy_score(r.code, r.prediction, sample_weight=w),
    ),
    "precision macro": ({}, prf("precision", "macro")),
    "precision weighted": ({"average": "weighted"}, prf("precision", "weighted")),
    "recall macro": ({}, prf("recall", "macro")),
    "recall weighted": ({"average": "weighted"}, prf("recall", "weighted")),
    "recall micro": (
        {"average": "micro"},
        lambda r, w: sk.accuracy_score(r.code, r.prediction, sample_weight=w),
    ),
    "f macro": ({}, prf("f", "macro")),
    "f weighted": ({"average": "weighted"}, prf("f", "weighted")),
    "f beta": ({"beta": 2.0}, prf("f", "macro", 2.0)),
    "jaccard macro": (
        {},
        lambda r, w: sk.jaccard_score(
            r.code, r.prediction, average="macro", labels=present(r), sample_weight=w
        ),
    ),
    "jaccard weighted": (
        {"average": "weighted"},
        lambda r, w: sk.jaccard_score(
            r.code, r.prediction, average="weighted", labels=present(r), sample_weight=w
        ),
    ),
    "jaccard micro": (
        {"average": "micro"},
        lambda r, w: sk.jaccard_score(r.code, r.prediction, average="micro", sample_weight=w),
    ),
    "mcc": ({}, lambda r, w: sk.matthews_corrcoef(r.code, r.prediction, sample_weight=w)),
    **{
        f"kappa {weights}": (
            {"weights": weights},
            lambda r, w, v=weights: sk.cohen_kappa_score(
                r.code,
                r.prediction,
                weights=None if v == "none" else v,
                labels=np.arange(len(r.labels)),
                sample_weight=w,
            ),
        )
        for weights in ("none", "linear", "quadratic")
    },
    "log_loss": (
        {},
        lambda r, w: sk.log_loss(
            r.code, r.scores, labels=np.arange(len(r.labels)), sample_weight=w
        ),
    ),
    "brier": ({}, lambda r, w: np.average(((r.scores - one_hot(r)) ** 2).sum(axis=1), weights=w)),
    "brier half": (
        {"half": True},
        lambda r, w: np.average(((r.scores - one_hot(r)) ** 2).sum(axis=1), weights=w) / 2,
    ),
    "roc_auc ovr": ({}, area("macro", multi_class="ovr")),
    "roc_auc ovr_weighted": ({"average": "ovr_weighted"}, area("weighted", multi_class="ovr")),
    "roc_auc ovo": ({"average": "ovo"}, area("macro", multi_class="ovo")),
    "roc_auc ovo_weighted": ({"average": "ovo_weighted"}, area("weighted", multi_class="ovo")),
}


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("case", CASES)
def test_a_value_is_that_of_scikit_learn(case: str, kind: str) -> None:
    rows, weight = drawn(kind)
    params, expected = CASES[case]
    bound = find_metric(case.split()[0], "multiclass", **params).bind(rows)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        want = expected(rows, weight)
    assert bound.define(weight) == pytest.approx(want, rel=1e-12, abs=1e-12)
    assert bound(Batch.from_weights(weight))[0] == pytest.approx(want, rel=1e-12, abs=1e-12)


@pytest.mark.parametrize("kind", KINDS[:2])
@pytest.mark.parametrize("k", [1, 2, 3])
def test_the_first_k_are_those_of_scikit_learn_where_none_is_tied(kind: str, k: int) -> None:
    rows, weight = drawn(kind)
    found = METRICS["top_k_accuracy"].use(k=k).bind(rows).define(weight)
    assert found == pytest.approx(top(k)(rows, weight), rel=1e-12)


@pytest.mark.parametrize("what", ["precision", "recall", "f"])
@pytest.mark.parametrize("kind", KINDS)
def test_a_value_of_one_class_is_that_of_scikit_learn(what: str, kind: str) -> None:
    rows, weight = drawn(kind)
    held = present(rows)
    each = sk.precision_recall_fscore_support(
        rows.code, rows.prediction, labels=held, sample_weight=weight, zero_division=np.nan
    )[{"precision": 0, "recall": 1, "f": 2}[what]]
    for place, want in zip(held, each, strict=True):
        bound = find_metric(what, "multiclass", of=rows.labels[place]).bind(rows)
        assert bound.define(weight) == pytest.approx(want, rel=1e-12, nan_ok=True)


def test_the_auc_of_one_class_is_that_of_it_against_the_rest() -> None:
    rows, weight = drawn("weighted")
    bound = find_metric("roc_auc", "multiclass", of="c").bind(rows)
    want = sk.roc_auc_score(rows.code == 2, rows.scores[:, 2], sample_weight=weight)
    assert bound.define(weight) == pytest.approx(want, rel=1e-12)
    assert bound(Batch.from_weights(weight))[0] == pytest.approx(want, rel=1e-12)
    assert bound.classes().sum() == (rows.code == 2).sum()


def called_as(table: list[list[int]], names: str = "ab") -> tuple[Classes, np.ndarray]:
    """One row a cell, which weighs what the cell holds."""
    k = len(table)
    code, called = np.divmod(np.arange(k * k), k)
    return Classes(code, np.eye(k)[called], tuple(names), "label"), np.ravel(table).astype(float)


def test_both_means_that_are_called_macro_f_are_there_by_name() -> None:
    rows, weight = called_as([[40, 10, 0], [5, 20, 5], [10, 0, 10]], "abc")
    precision, recall = (40 / 55, 20 / 30, 10 / 15), (40 / 50, 20 / 30, 10 / 20)
    p, r = np.mean(precision), np.mean(recall)
    each = [2 * a * b / (a + b) for a, b in zip(precision, recall, strict=True)]
    values = [
        find_metric("f", "multiclass", average=a).bind(rows).define(weight)
        for a in ("macro", "macro_pr")
    ]
    assert values == pytest.approx([np.mean(each), 2 * p * r / (p + r)], rel=1e-12)


def test_a_class_that_is_never_called_counts_0_or_is_left_out() -> None:
    rows, weight = called_as([[8, 0], [2, 0]])
    found = {
        u: find_metric("precision", "multiclass", undefined=u).bind(rows).define(weight)
        for u in ("zero", "skip")
    }
    assert found == pytest.approx({"zero": (8 / 10 + 0) / 2, "skip": 8 / 10})
    alone = find_metric("precision", "multiclass", of="b").bind(rows).define(weight)
    assert np.isnan(alone)


def test_a_classifier_that_says_one_class_is_right_nearly_always_and_has_no_precision() -> None:
    rows, weight = called_as([[99_990, 0], [10, 0]])
    asked = {"accuracy": {}, "recall": {"of": "b"}, "f": {"of": "b"}, "mcc": {}}
    values = {
        n: find_metric(n, "multiclass", **p).bind(rows).define(weight) for n, p in asked.items()
    }
    assert values["accuracy"] == pytest.approx(0.9999, rel=1e-12)
    assert values["recall"] == values["f"] == 0 and np.isnan(values["mcc"])


@pytest.mark.parametrize("cells", [(915, 26, 120, 39), (914, 27, 119, 40)])
def test_a_printed_report_of_churn_comes_digit_for_digit(cells: tuple[int, ...]) -> None:
    """A classification report in print: rows and columns of two decimals, and its averages."""
    tn, fp, fn, tp = cells
    rows, weight = called_as([[tn, fp], [fn, tp]])
    printed = {
        "a": ("0.88", "0.97", "0.93"),
        "b": ("0.60", "0.25", "0.35"),
        "weighted": ("0.84", "0.87", "0.84"),
    }
    for what, of in printed.items():
        how = {"average": what} if what == "weighted" else {"of": what}
        found = [
            find_metric(n, "multiclass", **how).bind(rows).define(weight)
            for n in ("precision", "recall", "f")
        ]
        assert tuple(f"{x:.2f}" for x in found) == of
    assert weight[:2].sum() == 941 and weight[2:].sum() == 159


@pytest.mark.parametrize("name", ["accuracy", "f", "mcc", "kappa", "roc_auc", "recall"])
@pytest.mark.parametrize("kind", KINDS[:4])
def test_influence_is_the_slope_in_each_weight(name: str, kind: str) -> None:
    rows, weight = drawn(kind, n=60)
    averages = ("ovr", "ovr_weighted", "ovo", "ovo_weighted") if name == "roc_auc" else ("",)
    for average in averages:
        params = {"average": average} if average else {}
        bound, step = find_metric(name, "multiclass", **params).bind(rows), 1e-6
        phi = bound.influence(weight)
        shifts = step * np.eye(len(weight))
        slope = [(bound.define(weight + e) - bound.define(weight - e)) / (2 * step) for e in shifts]
        assert phi @ weight == pytest.approx(0, abs=1e-9 * weight.sum())
        np.testing.assert_allclose(phi, np.array(slope) * weight.sum(), rtol=1e-4, atol=1e-5)


def test_resamples_are_the_definition_of_each_weighting() -> None:
    rows, weight = drawn("tied")
    batch = Batch(np.random.default_rng(1).poisson(1, (len(weight), 70)).astype(np.uint8), weight)
    for name in ("accuracy", "f", "kappa", "roc_auc", "log_loss"):
        bound = find_metric(name, "multiclass").bind(rows)
        each = [bound.define(w) for w in batch.weights.T]
        np.testing.assert_allclose(bound(batch), each, rtol=1e-12)


def test_of_two_classes_the_ranked_probability_score_is_that_of_brier() -> None:
    rows, weight = drawn("two classes")
    want = METRICS["brier"].bind(rows).define(weight)
    assert METRICS["rps"].bind(rows).define(weight) == pytest.approx(want, rel=1e-12)


def test_a_class_further_away_costs_more_where_classes_have_an_order() -> None:
    code, near, far = np.array([0]), np.array([[0.5, 0.5, 0.0]]), np.array([[0.5, 0.0, 0.5]])
    found = [
        METRICS["rps"].bind(Classes(code, p, ("a", "b", "c"))).define(np.ones(1))
        for p in (near, far)
    ]
    assert found == pytest.approx([0.25 / 2, (0.25 + 0.25) / 2])


def test_a_name_that_is_no_class_is_refused() -> None:
    rows, _ = drawn("plain")
    with pytest.raises(ValueError, match="no class is named 'z'; there are a, b, c, d"):
        find_metric("recall", "multiclass", of="z").bind(rows)
