"""Metrics that order models alike on the same rows are found by computing, and must say so."""

from itertools import combinations

import numpy as np
import pytest

from reportgen.kernels.batch import Batch
from reportgen.metrics import METRICS
from reportgen.metrics.lookup import explain_misfit, find_metric
from tests.metrics.cases import CASES, rows_of

MODELS = 24
# Beside those of the table of cases: parameters at which one metric becomes another.
ASKED = (
    *(
        {"name": "expected_cost", "loss": "quadquad", "alpha": 0.5, "shift": s}
        for s in ("none", "optimal")
    ),
    {"name": "expected_cost", "loss": "pinball", "alpha": 0.8},
    {"name": "expected_cost", "under": 4, "over": 1},
    {"name": "expected_cost", "under": 0.3, "over": 0.1, "shift": "optimal"},
    {"name": "expected_cost", "alpha": 0.75, "shift": "optimal"},
    *({"name": "asymmetric_cost", "alpha": alpha} for alpha in (0, 0.5, 0.8, 1)),
    *({"name": "pinball", "alpha": alpha} for alpha in (0.5, 0.8)),
    *(
        {"name": name, "buckets": q}
        for q in (2, 3, 10)
        for name in METRICS
        if name.startswith("ranking_")
    ),
    *({"name": "topk_capture", "share": share} for share in (0.1, 0.5, 0.9, 0.25)),
    {"name": "topk_capture", "k": 12},
)


def asked():
    """Every metric of rows with every set of parameters in the table of cases, and those above."""
    written = [{"name": c.metric, **c.params} for c in CASES] + list(ASKED)
    plain = [
        {"name": name}
        for name, m in METRICS.items()
        if not any(p.is_required for p in m.parameters)
    ]
    found = {}
    for each in written + plain:
        given = dict(each)
        name = given.pop("name")
        if explain_misfit(name, **given) is None:
            metric = find_metric(name, **given)
            found[metric.name, *sorted(metric.params.items())] = metric
    return [metric for metric in found.values() if metric.task != "ranking"]


def grounds():
    """Rows on which many models differ in every way that a metric could see."""
    for seed, n in ((1, 120), (2, 60)):
        draw = np.random.default_rng(seed)
        y = np.round(draw.lognormal(2, 0.8, n), 1 if seed == 1 else 0)
        scores = []
        for k in range(MODELS):
            wild = draw.standard_t(3, n) * draw.uniform(0.5, 6)
            score = draw.normal(0, 5) + draw.uniform(-0.2, 1.5) * y + wild
            scores.append(np.abs(np.round(score, k % 3 - 1)) + 0.1)  # as some ask amounts above 0
        yield y, scores, draw.exponential(1, n) + 0.2


def bound(metric, y, score):
    """A metric on these amounts; of two classes on the larger y, and on the score as a chance."""
    if metric.task == "binary":
        y, score = (y > np.median(y)) * 1.0, 1 / (1 + np.exp(-(score - 8) / 10))
    if metric.task == "multiclass":
        y, score = np.digitize(y, np.quantile(y, [0.4, 0.75])) * 1.0, three_chances(score)
    if metric.task == "multilabel":
        y = np.stack([y > np.median(y), np.round(y) % 2, np.round(y) % 3 == 1], axis=1) * 1.0
        wave = np.cos(np.outer(score, (3, 5, 7)))
        score = 1 / (1 + np.exp(wave - (score[:, None] - np.array([4.0, 9.0, 18.0])) / 6))
    return metric.bind(rows_of(metric.name, y, score))


def three_chances(score):
    """A probability of each of three classes, which lie one above another."""
    raw = np.exp(-np.abs(score[:, None] - np.array([4.0, 9.0, 18.0])) / 6)
    raw += 0.05 * (1 + np.cos(np.outer(score, (3, 5, 7))))
    return raw / raw.sum(axis=1, keepdims=True)


def merits(metric):
    """How good each model is on each ground, more being better; None where it has no values."""
    found = []
    for y, scores, weight in grounds():
        binds = [bound(metric, y, score) for score in scores]
        found.append(np.array([float(b(Batch.from_weights(weight))[0]) for b in binds]))
    values = np.stack(found)
    if not np.isfinite(values).all() or np.ptp(values) == 0:
        return None
    return values if metric.better == "higher" else -np.abs(values)


def order(values):
    """Which of two models is ahead, for all pairs on all grounds; level within rounding."""
    gaps = [values[:, a] - values[:, b] for a, b in combinations(range(MODELS), 2)]
    slack = 1e-9 * np.abs(values).max()
    return np.sign(np.where(np.abs(gaps) < slack, 0.0, gaps))


for_each = pytest.mark.parametrize("metric", asked(), ids=lambda m: str((m.name, dict(m.params))))


def root(metric):
    """The root on both grounds: k rows are another share of other rows."""
    found = [metric.root(len(y)).metric for y, _, _ in grounds()]
    return [(m.name, *sorted(m.params.items())) for m in found]


@pytest.mark.full
def test_metrics_that_order_models_alike_have_one_root():
    alike = {}
    for metric in asked():
        values = merits(metric)
        if values is not None:
            # Metrics of different tasks never order the same models.
            alike.setdefault((metric.task, order(values).tobytes()), []).append(metric)
    assert len(alike) > 50
    several = [
        [(m.name, dict(m.params)) for m in metrics]
        for metrics in alike.values()
        if any(root(m) != root(metrics[0]) for m in metrics)
    ]
    assert not several, "order models alike: declare the `image` of all but one"


@for_each
def test_a_metric_is_the_function_of_its_root_that_it_declares(metric):
    for y, scores, weight in grounds():
        found = metric.root(len(y))
        counts = np.random.default_rng(3).poisson(1.0, (len(y), 5)).astype(np.uint8)
        batch = Batch(counts, weight)
        for score in scores[:6] if found.line is not None else ():
            own, of = (bound(m, y, score)(batch) for m in (metric, found.metric))
            level, slope = found.line
            np.testing.assert_allclose(own, level + slope * of, rtol=1e-9)


@for_each
def test_a_metric_orders_models_as_its_root(metric):
    for y, scores, weight in grounds():
        found = metric.root(len(y)).metric
        orders = []
        for each in (metric, found):
            values = [float(bound(each, y, s)(Batch.from_weights(weight))[0]) for s in scores]
            turned = np.array(values) if each.better == "higher" else -np.abs(values)
            orders.append(order(turned[None]) if np.isfinite(turned).all() else None)
        if orders[0] is not None:
            assert np.array_equal(*orders)
