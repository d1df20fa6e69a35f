"""How often the checks of inputs fire on honest data, and how often they find broken data.

    python benchmarks/input_checks.py [--runs 40] [--only CHECK]
    python benchmarks/input_checks.py --table

Honest data are models without skill, with some and with much, on targets of many shapes. Each run
draws its own data, with seeds that were not used to choose the limits of the checks. Writes
results/input_checks.jsonl, and from it the page results/input_checks.md.
"""

from __future__ import annotations

import argparse
import json
from collections import defaultdict
from collections.abc import Callable, Iterator
from itertools import product
from pathlib import Path
from typing import Any
from zlib import crc32

import numpy as np
from scipy.special import expit, logit, ndtri
from scipy.stats import beta

from reportgen.checks.inputs import NamedClasses, find_labels
from reportgen.checks.leaks import (
    Errors,
    ScoreColumns,
    count_errors_at_best,
    count_repeats,
    find_certain_part,
    find_copies,
    find_doubled,
    find_target_copy,
    find_too_good,
    identify_rows,
    measure_certainty,
)
from reportgen.checks.orders import (
    ChanceOrder,
    RowDesign,
    build_class_table,
    find_below_chance,
    find_permuted,
    find_reversed,
    measure_auc,
    measure_query_auc,
    measure_spearman,
)
from reportgen.checks.scales import (
    LeftOutRows,
    compute_losses,
    find_hard_labels,
    find_left_out,
    find_scale,
)
from reportgen.data.totals import find_sums
from reportgen.kernels.batch import Column, Index, Vector

HERE = Path(__file__).parent
RESULTS = HERE / "results" / "input_checks.jsonl"
PAGE = HERE / "results" / "input_checks.md"
Rng = np.random.Generator
Found = Iterator[tuple[str, bool]]
Ground = Callable[..., Found]


def is_reversed(orders: list[ChanceOrder | None]) -> bool:
    """Whether all models that have an order are reversed."""
    known = [each for each in orders if each is not None]
    return bool(known) and find_reversed(known, ("", ""), 0.0) is not None


def draw_two_classes(
    rng: Rng, n: int, share: float, area: float, models: int, unit: Index | None = None
) -> tuple[Vector, list[Vector]]:
    """Draw two classes and probabilities of binormal scores; clusters share their level."""
    apart = np.sqrt(2) * ndtri(area)
    while True:
        own = rng.normal(size=n)
        if unit is not None:
            own = np.sqrt(0.4) * rng.normal(size=unit.max() + 1)[unit] + np.sqrt(0.6) * own
        y = (own < ndtri(share)).astype(np.float64)
        if 1 < y.sum() < n - 1:
            break
    common, scores = rng.normal(size=n), []
    for _ in range(models):
        noise = np.sqrt(0.7) * common + np.sqrt(0.3) * rng.normal(size=n)
        if unit is not None:
            noise = np.sqrt(0.4) * rng.normal(size=unit.max() + 1)[unit] + np.sqrt(0.6) * noise
        p = expit(apart * (apart * y + noise - apart / 2) + logit(share) + 0.3 * noise)
        scores.append(np.round(p * 20) / 20 if rng.random() < 0.4 else p)
    return y, scores


def two_classes(rng: Rng, n: int, share: float, area: float, models: int) -> Found:
    """Two classes, plain rows."""
    y, scores = draw_two_classes(rng, n, share, area, models)
    of = Column(y)
    columns = [Column(each) for each in scores]
    yield "reversed", is_reversed([measure_auc(of, each) for each in columns])
    yield "doubled", find_doubled(count_repeats(identify_rows([y, *scores]))) is not None
    yield "hard_labels", any(find_hard_labels(s[:, None]) for s in scores)
    if area <= 0.98:
        errors = [
            Errors(
                n, int(min(y.sum(), n - y.sum())), count_errors_at_best(of, each), area_of(of, each)
            )
            for each in columns
        ]
        yield "too_good", any(find_too_good(each) for each in errors)


def area_of(y: Column, score: Column) -> float:
    """The AUC."""
    found = measure_auc(y, score)
    return 0.5 if found is None else found.value


def two_classes_by_design(rng: Rng, kind: str, n: int, share: float, area: float) -> Found:
    """Two classes in clusters, with weights or with both."""
    unit = np.arange(n) % max(n // 10, 10) if "clusters" in kind else None
    y, scores = draw_two_classes(rng, n, share, area, 1, unit)
    weight = np.exp(rng.normal(size=n)) if "weights" in kind else None
    design = RowDesign(weight, unit)
    yield "reversed", is_reversed([measure_auc(Column(y), Column(each), design) for each in scores])


def fit_by_fold(x: np.ndarray, y: Vector, fold: Index, ridge: float) -> Vector:
    """Predict each fold by a ridge regression on the others."""
    found = np.empty(len(y))
    design = np.column_stack([np.ones(len(y)), x])
    penalty = ridge * np.eye(design.shape[1])
    penalty[0, 0] = 0
    for k in range(fold.max() + 1):
        rest = fold != k
        a = design[rest]
        found[~rest] = design[~rest] @ np.linalg.solve(a.T @ a + penalty, a.T @ y[rest])
    return found


def folds(rng: Rng, kind: str, n: int, share: float, features: int, skill: float) -> Found:
    """Cross-validated ridge regressions, most of them without skill."""
    x = rng.normal(size=(n, features))
    y = (rng.random(n) < expit(logit(share) + skill * x[:, 0])).astype(np.float64)
    if not 3 <= y.sum() <= n - 3:
        return
    fold = rng.permutation(n) % (5 if "stratified" in kind else 10)
    if "stratified" in kind:
        for each in (0, 1):
            rows = np.flatnonzero(y == each)
            fold[rng.permutation(rows)] = np.arange(len(rows)) % 5
    score = Column(fit_by_fold(x, y, fold, 1.0))
    yield "reversed, with fold:", is_reversed([measure_auc(Column(y), score, RowDesign(fold=fold))])
    label = "no skill" if skill == 0 else "weak skill" if skill < 0.5 else "skill"
    yield (
        f"reversed, folds pooled without fold: ({label})",
        is_reversed([measure_auc(Column(y), score)]),
    )
    amount = skill * x[:, 0] + rng.normal(size=n)
    score = Column(fit_by_fold(x, amount, fold, 1.0))
    order = measure_spearman(Column(amount), score, RowDesign(fold=fold))
    yield "reversed, with fold:", is_reversed([order])


SHAPES = ("normal", "centred", "lognormal0.5", "lognormal1.0", "lognormal1.5", "lognormal2.2")
SHAPES += ("zeros0", "zeros-1.5", "zeros-3", "zeros-4.5", "counts", "share")


def draw_amounts(rng: Rng, shape: str, n: int, r2: float) -> tuple[Vector, dict[str, Vector]]:
    """Draw a target and honest predictions of it: its mean, its median, and less exact ones."""
    x, e, other = rng.normal(size=(3, n))
    b, c = np.sqrt(r2), np.sqrt(1 - r2)
    if shape in ("normal", "centred"):
        mean = median = (5 if shape == "normal" else 0) + b * x
        y = mean + c * e
    elif shape.startswith("lognormal"):
        s = float(shape[9:])
        y, median = np.exp(s * (b * x + c * e)), np.exp(s * b * x)
        mean = median * np.exp((s * c) ** 2 / 2)
    elif shape.startswith("zeros"):
        p, s = expit(float(shape[5:]) + 1.5 * b * x), 1.5
        y = np.where(rng.random(n) < p, np.exp(3 + s * (b * x + c * e)), 0.0)
        median = np.where(p > 0.5, np.exp(3 + s * b * x), 0.0)
        mean = p * np.exp(3 + s * b * x + (s * c) ** 2 / 2)
    elif shape == "counts":
        mean = np.exp(0.5 + b * x)
        y, median = rng.poisson(mean).astype(np.float64), np.maximum(np.floor(mean + 0.3), 0)
    else:
        y, mean = expit(1.5 * (b * x + c * e)), expit(1.5 * b * x)
        median = mean
    noisy = mean + 0.3 * other if shape == "centred" else mean * np.exp(0.3 * other)
    return y, {
        "mean": mean,
        "median": median,
        "shrunk": mean.mean() + 0.5 * (mean - mean.mean()),
        "30% too high": 1.3 * mean,
        "25% too low": 0.75 * mean,
        "noisy": noisy,
        "rounded": np.round(mean, 1),
    }


def amounts(rng: Rng, shape: str, n: int, r2: float) -> Found:
    """Amounts with honest predictions."""
    y, models = draw_amounts(rng, shape, n, r2)
    of = Column(y)
    columns = {name: Column(each) for name, each in models.items()}
    for score in columns.values():
        yield "scale", find_scale(of, score) is not None
        yield "target_copy", find_target_copy(of, score) is not None
    pair = [columns["mean"], columns["noisy"]]
    orders = [measure_spearman(of, each) for each in pair]
    yield "reversed", is_reversed(orders)
    yield "reversed", is_reversed(orders[:1])
    values = [each.values for each in pair]
    yield "doubled", find_doubled(count_repeats(identify_rows([y, *values]))) is not None
    yield "copies", find_copies(ScoreColumns(of, values, len(of))) is not None
    yield "total_row", find_sums([y, *values]) is not None
    whole = [np.round(models["mean"])]
    yield "total_row", find_sums([y, *whole]) is not None


def coarse(rng: Rng, kind: str, n: int, values: int) -> Found:
    """Two models that know two features of few values, so that many of their scores are equal."""
    f, g = rng.integers(0, values, size=(2, n))
    t = f - 0.5 * g
    y = {
        "binary": (rng.random(n) < 0.3).astype(np.float64),
        "counts": rng.poisson(np.exp(t / values)).astype(np.float64),
        "continuous": t + rng.normal(size=n),
        "zeros": np.where(rng.random(n) < 0.7, 0, np.round(np.exp(2 + rng.normal(size=n)), 2)),
        "cents": np.round(np.exp(2 + 0.3 * t + 0.2 * rng.normal(size=n))),
    }[kind]
    scores = [1.1 * t + 0.3, f.astype(np.float64)]
    yield "doubled", find_doubled(count_repeats(identify_rows([y, *scores]))) is not None
    yield "copies", find_copies(ScoreColumns(Column(y), scores, len(y))) is not None


def classes(rng: Rng, kinds: int, n: int, skill: float, is_clustered: bool) -> Found:
    """Several classes, predicted by name; models prefer classes that are common, or others."""
    share = rng.dirichlet(np.ones(kinds) * rng.choice([0.5, 3.0]))
    unit = np.arange(n) % max(n // 8, 10) if is_clustered else None
    code = rng.choice(kinds, n, p=share)
    if unit is not None:
        code = np.where(rng.random(n) < 0.5, rng.choice(kinds, unit.max() + 1, p=share)[unit], code)
    own = share if rng.random() < 0.5 else rng.dirichlet(np.ones(kinds))
    guess = rng.choice(kinds, n, p=own)
    if unit is not None:
        guess = np.where(rng.random(n) < 0.5, rng.choice(kinds, unit.max() + 1, p=own)[unit], guess)
    predicted = np.where(rng.random(n) < skill, code, guess)
    table = build_class_table(code, predicted, kinds, RowDesign(unit=unit))
    assert table is not None
    yield "below_chance", find_below_chance([table]) is not None
    yield "permuted", find_permuted(table) is not None
    names = [f"class_{k}" for k in range(kinds)]
    counts = [np.bincount(each, minlength=kinds).tolist() for each in (code, predicted)]
    of_names = NamedClasses(*(dict(zip(names, each, strict=True)) for each in counts))
    yield "labels", find_labels(of_names) is not None


def draw_lists(
    rng: Rng, queries: int, documents: int, relevant: float, skill: float, models: int
) -> list[Vector]:
    """Draw for each model the share of pairs in the right order, by query; nan without pairs."""
    level = relevant * np.exp(0.7 * rng.normal(size=(queries, 1)))
    is_relevant = rng.random((queries, documents)) < np.minimum(level, 0.9)
    hard = skill * np.exp(0.5 * rng.normal(size=(queries, 1)))
    common = rng.normal(size=(queries, documents))
    found, m = [], is_relevant.sum(axis=1)
    pairs = m * (documents - m)
    for _ in range(models):
        noise = np.sqrt(0.6) * common + np.sqrt(0.4) * rng.normal(size=common.shape)
        rank = np.argsort(np.argsort(hard * is_relevant + noise, axis=1), axis=1) + 1
        won = (rank * is_relevant).sum(axis=1) - m * (m + 1) / 2
        found.append(np.divide(won, pairs, out=np.full(queries, np.nan), where=pairs > 0))
    return found


def order_lists(values: Vector) -> ChanceOrder:
    """The order of the queries that have pairs."""
    return measure_query_auc(np.nan_to_num(values), (~np.isnan(values)).astype(np.float64))


def lists(
    rng: Rng, queries: int, documents: int, relevant: float, skill: float, models: int
) -> Found:
    """Ranked lists."""
    found = draw_lists(rng, queries, documents, relevant, skill, models)
    if all((~np.isnan(each)).sum() >= 10 for each in found):
        yield "reversed", is_reversed([order_lists(each) for each in found])


def strong(rng: Rng, rarer: int, others: int, area: float) -> Found:
    """Strong models of two classes, whose true AUC is at most .995."""
    y = np.r_[np.ones(rarer), np.zeros(others)]
    score = Column(rng.normal(size=len(y)) + np.sqrt(2) * ndtri(area) * y)
    of = Column(y)
    errors = Errors(len(y), rarer, count_errors_at_best(of, score), area_of(of, score))
    name = "too_good" if area <= 0.995 else f"too_good, true AUC {area}"
    yield name, find_too_good(errors) is not None


def draw_strong(
    rng: Rng, kind: str, n: int, share: float, apart: float, slope: float
) -> tuple[Index, Vector]:
    """Draw two classes and probabilities, calibrated if the slope is 1."""
    code = (rng.random(n) < share).astype(np.intp)
    noise = {
        "normal": lambda: rng.normal(size=n),
        "t": lambda: rng.standard_t(3, n),
        "uniform": lambda: rng.uniform(-1.7, 1.7, n),
        "skewed": lambda: rng.exponential(1, n) - 1,
        "mixed": lambda: rng.normal(size=n) * np.where(rng.random(n) < 0.3, 2.5, 0.7),
    }[kind]()
    p = expit(slope * apart * (apart * code + noise - apart / 2) + logit(share))
    return code, np.round(p, 2) if kind == "uniform" else p


def certain(rng: Rng, kind: str, n: int, share: float, apart: float, slope: float) -> Found:
    """Probabilities of weak to very strong models, some too extreme or not extreme enough."""
    code, p = draw_strong(rng, kind, n, share, apart, slope)
    found = measure_certainty(code, p[:, None])
    yield "certain_part", find_certain_part(found) is not None


def certain_classes(rng: Rng, kinds: int, n: int, apart: float, slope: float) -> Found:
    """The same of several classes."""
    code = rng.choice(kinds, n, p=rng.dirichlet(np.full(kinds, 3.0)))
    odds = rng.normal(size=(n, kinds)) * apart
    odds[np.arange(n), code] += apart**2
    odds = np.exp(slope * (odds - odds.max(axis=1, keepdims=True)))
    found = measure_certainty(code, odds / odds.sum(axis=1, keepdims=True))
    yield "certain_part", find_certain_part(found) is not None


def left_out(rng: Rng, kind: str, n: int, share: float, is_hard: bool) -> Found:
    """A model as good as its baseline that has no score for some rows, by chance or the hard ones.

    Its own part of the errors makes it better on the rows that are kept where hard rows lack one.
    """
    level = rng.normal(size=n)
    noise = rng.normal(size=(2, n))
    if kind == "probability":
        y = (rng.random(n) < expit(2 * level)).astype(np.float64)
        base, own = (expit(2 * level + 0.7 * each) for each in noise)
    else:
        y = np.exp(level + 0.5 * rng.normal(size=n))
        base, own = (np.exp(level + 0.5 * each) for each in noise)
    losses = [compute_losses(y, each, is_probability=kind == "probability") for each in (base, own)]
    hardness = losses[1] + losses[0] if is_hard else rng.random(n)
    gone = hardness >= np.quantile(hardness, 1 - share)
    kept = LeftOutRows(
        losses[1][~gone],
        losses[0][~gone],
        losses[0][gone],
        1.0 if kind == "probability" else float(max(losses[1][~gone].max(), losses[0][gone].max())),
    )
    if not is_hard or kept.model.mean() < kept.baseline.mean():
        yield "left_out", find_left_out(kept) is not None


HONEST: dict[str, tuple[Ground, tuple[tuple[object, ...], ...], float]] = {
    "two classes": (
        two_classes,
        ((20, 50, 200, 1000), (0.05, 0.2, 0.5), (0.5, 0.55, 0.7, 0.9, 0.98), (1, 2)),
        5,
    ),
    "clusters and weights": (
        two_classes_by_design,
        (
            ("weights", "clusters", "clusters, weights"),
            (100, 300, 1000),
            (0.1, 0.5),
            (0.5, 0.6, 0.8),
        ),
        10,
    ),
    "folds": (
        folds,
        (("plain", "stratified"), (40, 100, 300), (0.1, 0.3, 0.5), (1, 5, 20), (0.0, 0.4, 1.0)),
        5,
    ),
    "amounts": (amounts, (SHAPES, (20, 50, 200, 2000), (0.0, 0.02, 0.2, 0.6, 0.95)), 2),
    "coarse scores": (
        coarse,
        (("binary", "counts", "continuous", "zeros", "cents"), (50, 200, 2000, 20000), (3, 6, 12)),
        2,
    ),
    "several classes": (
        classes,
        ((2, 3, 5, 10, 30), (20, 50, 200, 1000), (0.0, 0.05, 0.3, 0.8), (False, True)),
        5,
    ),
    "lists": (
        lists,
        ((10, 30, 100, 1000), (5, 10, 50), (0.1, 0.3), (0.0, 0.3, 1.5), (1, 2, 3)),
        3,
    ),
    "strong": (
        strong,
        ((100, 200, 400, 1000), (400, 1000, 4000), (0.95, 0.98, 0.99, 0.995, 0.998)),
        5,
    ),
    "certain": (
        certain,
        (
            ("normal", "t", "uniform", "skewed", "mixed"),
            (200, 600, 3000),
            (0.03, 0.1, 0.2, 0.5),
            (1, 2, 3, 4, 5),
            (0.5, 1, 2, 3),
        ),
        1,
    ),
    "scores missing by chance": (
        left_out,
        (("probability", "amount"), (100, 400, 2000), (0.02, 0.1, 0.3), (False,)),
        10,
    ),
    "certain, classes": (
        certain_classes,
        ((3, 10), (200, 600, 3000), (1, 1.5, 2, 3, 4), (0.5, 1, 2, 3)),
        2,
    ),
}
"""By name the ground, its factors, and how many times the runs each cell gets."""


def flipped(rng: Rng, n: int, area: float) -> Found:
    """Two models whose scores say the opposite."""
    y, scores = draw_two_classes(rng, n, 0.2, area, 2)
    y = 1 - y
    yield "reversed", is_reversed([measure_auc(Column(y), Column(each)) for each in scores])


def flipped_clusters(rng: Rng, n: int, area: float) -> Found:
    """The same in clusters of ten rows."""
    unit = np.arange(n) % (n // 10)
    y, scores = draw_two_classes(rng, n, 0.2, area, 2, unit)
    design = RowDesign(unit=unit)
    orders = [measure_auc(Column(1 - y), Column(each), design) for each in scores]
    yield "reversed", is_reversed(orders)


def flipped_amounts(rng: Rng, n: int, r2: float) -> Found:
    """Two models of amounts whose scores say the opposite."""
    y, models = draw_amounts(rng, "lognormal1.0", n, r2)
    scores = (models["mean"], models["noisy"])
    yield "reversed", is_reversed([measure_spearman(Column(y), Column(-each)) for each in scores])


def flipped_lists(rng: Rng, queries: int, skill: float) -> Found:
    """Two systems that list the worst documents first."""
    found = draw_lists(rng, queries, 20, 0.2, skill, 2)
    yield "reversed", is_reversed([order_lists(1 - each) for each in found])


def other_scale(rng: Rng, n: int, name: str) -> Found:
    """Good predictions of prices in another unit."""
    x, e = rng.normal(size=(2, n))
    y, s = np.exp(11.9 + 0.45 * x + 0.3 * e), 1.04 * np.exp(11.9 + 0.45 * x)
    if name == "Fahrenheit":
        y, s = 15 + 8 * x + 2 * e, 1.8 * (15 + 8 * x) + 32
    change: dict[str, Callable[[Vector], Vector]] = {
        "log": np.log,
        "cents": lambda v: 100 * v,
        "thousands": lambda v: v / 1000,
        "standardised": lambda v: (v - v.mean()) / v.std(),
        "pounds for kg": lambda v: 2.2 * v,
        "Fahrenheit": lambda v: v,
    }
    found = find_scale(Column(y), Column(change[name](s)))
    yield "scale", found is not None
    wanted = {"log": "exp", "cents": "{times: 0.01}", "thousands": "{times: 1000}"}.get(name)
    if wanted and found is not None:
        yield "scale, right transform named", found.numbers.get("transform") == wanted


def shifted(rng: Rng, kinds: int, n: int) -> Found:
    """Predicted classes that are shifted by one."""
    code = rng.integers(0, kinds, n)
    right = np.where(rng.random(n) < 0.85, code, rng.integers(0, kinds, n))
    table = build_class_table(code, (right + 1) % kinds, kinds)
    assert table is not None
    yield "permuted", find_permuted(table) is not None
    yield "below_chance", find_below_chance([table]) is not None


def repeated(rng: Rng, n: int) -> Found:
    """Rows that occur twice, some that do, a row of totals, and a copied target."""
    y, scores = draw_two_classes(rng, n, 0.3, 0.8, 2)
    twice = identify_rows([np.r_[y, y], *(np.r_[each, each] for each in scores)])
    yield "doubled", find_doubled(count_repeats(twice)) is not None
    v = rng.gamma(1, 50, n)
    s = v * np.exp(0.3 * rng.normal(size=n))
    k = n // 3
    yield (
        "copies",
        find_copies(ScoreColumns(Column(np.r_[v, v[:k]]), [np.r_[s, s[:k]]], n + k)) is not None,
    )
    total = find_sums([np.r_[v, v.sum()], np.r_[s, s.sum()]])
    yield "total_row", total is not None
    yield "target_copy", find_target_copy(Column(v), Column(v.copy())) is not None
    yield (
        "target_copy",
        find_target_copy(Column(v), Column(-np.log(v))) is not None,
    )
    yield "hard_labels", find_hard_labels((s > v)[:, None] * 1.0) is not None


def leaked(rng: Rng, n: int, share: float, area: float, leak: float) -> Found:
    """A model that knows the target of some rows, and of the others as much as it should."""
    code, p = draw_strong(rng, "normal", n, share, np.sqrt(2) * ndtri(area), 1)
    p = np.where(rng.random(n) < leak, np.where(code > 0, 0.998, 0.002), p)
    found = measure_certainty(code, p[:, None])
    yield "certain_part", find_certain_part(found) is not None


def one_flipped(rng: Rng, n: int, share: float) -> Found:
    """A model that knows the target of every row but one, whose label is flipped."""
    y = (rng.random(n) < share).astype(np.float64)
    score = Column(y + rng.random(n) / 2)
    y[0] = 1 - y[0]
    of = Column(y)
    errors = Errors(
        n, int(min(y.sum(), n - y.sum())), count_errors_at_best(of, score), area_of(of, score)
    )
    yield "too_good", find_too_good(errors) is not None


BROKEN: dict[str, tuple[Ground, tuple[tuple[object, ...], ...], float]] = {
    "flipped scores": (flipped, ((100, 300, 1000), (0.7, 0.8, 0.9)), 5),
    "flipped scores in clusters": (flipped_clusters, ((300, 1000), (0.7, 0.8, 0.9)), 5),
    "flipped amounts": (flipped_amounts, ((50, 300), (0.1, 0.3, 0.6)), 5),
    "flipped lists": (flipped_lists, ((30, 100, 300), (0.5, 1.0, 1.5)), 5),
    "other scale": (
        other_scale,
        ((50, 300), ("log", "cents", "thousands", "standardised", "Fahrenheit", "pounds for kg")),
        5,
    ),
    "shifted classes": (shifted, ((3, 10), (100, 1000)), 5),
    "repeated rows": (repeated, ((60, 300),), 5),
    "leaked rows": (
        leaked,
        ((300, 600, 3000), (0.1, 0.2, 0.5), (0.75, 0.9, 0.96), (0.1, 0.25, 0.5)),
        2,
    ),
    "scores missing on hard rows": (
        left_out,
        (("probability", "amount"), (100, 400, 2000), (0.02, 0.1, 0.3), (True,)),
        5,
    ),
    "one flipped label": (one_flipped, ((600,), (0.2, 0.5)), 5),
}


def run_ground(name: str, runs: int, *, is_broken: bool) -> Iterator[dict[str, object]]:
    """Run all cells of a ground, and count how often each check fires."""
    ground, factors, times = (BROKEN if is_broken else HONEST)[name]
    for cell in product(*factors):
        counts: dict[str, list[int]] = defaultdict(lambda: [0, 0])
        for run in range(round(runs * times)):
            rng = np.random.default_rng([4, crc32(f"{name} {cell}".encode()), run])
            for check, fired in ground(rng, *cell):
                counts[check][0] += bool(fired)
                counts[check][1] += 1
        yield {"ground": name, "cell": cell, "is_broken": is_broken, "counts": counts}


def upper_limit(fired: int, runs: int) -> float:
    """The upper limit of a share, one-sided 95 % (Clopper and Pearson)."""
    return float(beta.ppf(0.95, fired + 1, runs - fired)) if fired < runs else 1.0


def main() -> None:
    """Run the study, or make its page from the counts."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--runs", type=float, default=40)
    parser.add_argument("--only", nargs="*")
    parser.add_argument("--out", type=Path, default=RESULTS)
    parser.add_argument("--table", action="store_true")
    parser.add_argument("--page", type=Path, default=PAGE)
    options = parser.parse_args()
    if not options.table:
        lines = _read_other_lines(options.out, options.only)
        for grounds, is_broken in ((HONEST, False), (BROKEN, True)):
            for name in grounds:
                if not options.only or name in options.only:
                    found = list(run_ground(name, options.runs, is_broken=is_broken))
                    lines += [json.dumps(each) for each in found]
                    print_ground(name, found)
        options.out.write_text("\n".join(lines) + "\n", encoding="utf-8")
    if options.table or options.out == RESULTS:
        options.page.write_text(build_page(RESULTS), encoding="utf-8")


def _read_other_lines(path: Path, only: list[str] | None) -> list[str]:
    """Read the counts of the grounds that are not run again."""
    if not only or not path.exists():
        return []
    lines = path.read_text(encoding="utf-8").splitlines()
    return [line for line in lines if json.loads(line)["ground"] not in only]


INTRODUCTION = """# How often the checks of inputs are wrong

A [check of the input](../../docs/reference.md#checks) that stops a report must not fire on honest
data. Here is how often each fires on honest models, weak and strong, and how often it finds broken
data. Runs draw
their data from populations of many shapes and sizes: `benchmarks/input_checks.py` makes them,
`benchmarks/results/input_checks.jsonl` has the counts of every cell. The limits of the checks
were chosen on other seeds.

`one_class`, `too_few`, `unmatched`, `constant` and `identical` hold by definition, and so does
`split_units`, which counts units of a column that lie in several folds.

## Honest data

The upper limit is that of a one-sided 95% interval (Clopper and Pearson). *Worst* is the cell
that fires most.

| Check | Fired | Runs | Share | Upper limit | Worst cell |
|---|--:|--:|--:|--:|---|
"""
BROKEN_HEAD = """
## Broken data

| What is broken | Check | Cell | Found |
|---|---|---|--:|
"""
NOTES = """
- Scores that are pooled over the folds of a cross-validation without `fold:` rank below chance
  where models have no skill: each is fitted on rows with slightly more of the other class. So the
  advice of `reversed` asks for `fold:`. With `fold:`, only pairs within a fold are compared.
- `too_good` fires on models that really are this good: at a true AUC of 0.998 in the share above.
  It is a hold, which asks for a look and stops nothing.
- `certain_part` misses leaks of models that are strong anyway (AUC 0.96), as nothing lies between
  the rows that they know and those that they are sure of; and leaks of a tenth of the rows.
- `reversed` misses flipped scores of weak models on few rows, and in few clusters.
- Pounds for kilograms are a bias and no other scale.
"""


def list_counts(path: Path) -> list[dict[str, Any]]:
    """Read the counts of every cell."""
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def build_page(path: Path) -> str:
    """Build the page from the counts."""
    cells = list_counts(path)
    honest = [each for each in cells if not each["is_broken"]]
    lines = []
    for check in sorted({name for each in honest for name in each["counts"]}):
        own = [(e["counts"][check], e) for e in honest if check in e["counts"]]
        fired, runs = (sum(counts[k] for counts, _ in own) for k in (0, 1))
        worst, at = max(own, key=lambda pair: pair[0][0] / pair[0][1])
        where = (
            f"{at['ground']}: {write_cell(at['cell'])}, {worst[0]} of {worst[1]}"
            if worst[0]
            else ""
        )
        most = upper_limit(fired, runs)
        share = f"{fired / runs:.3%} | {most:.3%}"
        lines.append(f"| {write_check(check)} | {fired:,} | {runs:,} | {share} | {where} |")
    pooled: dict[tuple[str, str, str], list[int]] = defaultdict(lambda: [0, 0])
    for each in cells:
        if each["is_broken"]:
            for check, counts in each["counts"].items():
                total = pooled[each["ground"], check, write_factors(each["ground"], each["cell"])]
                total[0] += counts[0]
                total[1] += counts[1]
    found = [
        f"| {ground} | {write_check(check)} | {cell} | {fired / runs:.0%} |"
        for (ground, check, cell), (fired, runs) in pooled.items()
        if runs
    ]
    return INTRODUCTION + "\n".join(lines) + "\n" + NOTES + BROKEN_HEAD + "\n".join(found) + "\n"


FACTORS: dict[str, tuple[str, ...]] = {
    "flipped scores": ("{} rows", "AUC {}"),
    "flipped scores in clusters": ("{} rows", "AUC {}"),
    "flipped amounts": ("{} rows", "R² {}"),
    "flipped lists": ("{} queries", "skill {}"),
    "other scale": ("{} rows", "{}"),
    "shifted classes": ("{} classes", "{} rows"),
    "repeated rows": ("{} rows",),
    "leaked rows": ("{} rows", "", "AUC {} elsewhere", "{:.0%} leaked"),
    "scores missing on hard rows": ("{}", "{} rows", "{:.0%} missing", ""),
    "one flipped label": ("{} rows", "{:.0%} positive"),
}
"""What the page says of the factors of broken data; an empty one is pooled."""


def write_factors(ground: str, cell: list[Any]) -> str:
    """Write the factors of a cell in words."""
    pairs = zip(FACTORS[ground], cell, strict=True)
    return ", ".join(text.format(each) for text, each in pairs if text)


def write_check(name: str) -> str:
    """Write a check's name as code, and what follows it as text."""
    head, mark, rest = name.partition(",")
    return f"`{head}`{mark}{rest}"


def write_cell(cell: list[object]) -> str:
    """Write the factors of a cell."""
    return ", ".join(str(each) for each in cell if not isinstance(each, bool))


def print_ground(name: str, found: list[dict[str, object]]) -> None:
    """Print the counts of a ground, and its worst cells."""
    totals: dict[str, list[int]] = defaultdict(lambda: [0, 0])
    for each in found:
        for check, (fired, runs) in each["counts"].items():
            totals[check][0] += fired
            totals[check][1] += runs
    for check, (fired, runs) in totals.items():
        cells = [(e["counts"][check], e["cell"]) for e in found if check in e["counts"]]
        worst = sorted(((c[0] / c[1], of) for c, of in cells if c[1]), reverse=True, key=str)[:3]
        shown = f"{fired} of {runs} ({fired / runs:.3%}, at most {upper_limit(fired, runs):.3%})"
        print(name, "|", check, shown, [w for w in worst if w[0]], flush=True)


if __name__ == "__main__":
    main()
