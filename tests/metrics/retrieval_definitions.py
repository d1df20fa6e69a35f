"""Measures of one query by their definitions, in plain loops: one order, no ties.

`order` is the grades of a list from the first to the last, None where a document was not judged;
`judged` the grades of all judged documents of the query, found or not.
"""

from __future__ import annotations

from itertools import permutations, product
from math import inf, log


def _hits(order, k, relevant):
    return sum(g is not None and g >= relevant for g in order[: _end(order, k)])


def _end(order, k):
    return len(order) if k is None else k


def _total(judged, relevant):
    return sum(g >= relevant for g in judged)


def precision_at(order, judged, k=None, relevant=1):
    size = len(order) if k is None else k
    return _hits(order, k, relevant) / size if size else 0.0


def recall_at(order, judged, k=None, relevant=1):
    return _hits(order, k, relevant) / _total(judged, relevant)


def f_at(order, judged, k=None, beta=1.0, relevant=1):
    p, r = precision_at(order, judged, k, relevant), recall_at(order, judged, k, relevant)
    return (1 + beta**2) * p * r / (beta**2 * p + r) if p + r else 0.0


def r_precision(order, judged, relevant=1):
    total = _total(judged, relevant)
    return _hits(order, total, relevant) / total


def success_at(order, judged, k=10, relevant=1):
    return float(_hits(order, k, relevant) > 0)


def rr(order, judged, k=None, relevant=1):
    for n, g in enumerate(order[: _end(order, k)], 1):
        if g is not None and g >= relevant:
            return 1 / n
    return 0.0


def judged_at(order, judged, k=10):
    return sum(g is not None for g in order[:k]) / k


def _gain(g, gain):
    g = g or 0.0
    return g if gain == "linear" else 2**g - 1


def cg(order, judged, k=None, gain="linear"):
    return sum(_gain(g, gain) for g in order[: _end(order, k)])


def dcg(order, judged, k=None, gain="linear", base=2.0, discount="standard"):
    total = 0.0
    for n, g in enumerate(order[: _end(order, k)], 1):
        if discount == "standard":
            total += _gain(g, gain) / (log(n + 1) / log(base))
        else:
            total += _gain(g, gain) / max(1.0, log(n) / log(base))
    return total


def ndcg(order, judged, k=None, ideal="judged", **params):
    best = sorted(judged if ideal == "judged" else [g or 0.0 for g in order], reverse=True)
    most = dcg(best, judged, k, **params)
    return dcg(order, judged, k, **params) / most if most else 0.0


def err(order, judged, k=20, mapping="exp2", top=None, largest=1.0):
    top = largest if top is None else top
    total, left = 0.0, 1.0
    for n, g in enumerate(order[: _end(order, k)], 1):
        g = min(g or 0.0, top)
        chance = g / top if mapping == "linear" else (2**g - 1) / 2**top
        total += left * chance / n
        left *= 1 - chance
    return total


def rbp(order, judged, p=0.8, k=None, relevant=1):
    seen = order[: _end(order, k)]
    return (1 - p) * sum(p**n for n, g in enumerate(seen) if g is not None and g >= relevant)


def rbp_residual(order, judged, p=0.8, k=None):
    seen = order[: _end(order, k)]
    return (1 - p) * sum(p**n for n, g in enumerate(seen) if g is None) + p ** len(seen)


def ap(order, judged, k=None, denominator="relevant", relevant=1, decay=1.0, normalise=False):
    total, right = 0.0, 0
    for n, g in enumerate(order[: _end(order, k)], 1):
        if g is not None and g >= relevant:
            right += 1
            total += decay ** (n - 1) * right / n
    found = _total(judged, relevant)
    if normalise:
        return total / sum(decay**n for n in range(min(found, k or inf)))
    return total / {"relevant": found, "k": k, "min": min(found, k or inf)}[denominator]


def gap(order, judged, k=None, levels=()):
    above = sum(
        ap(order, judged, k, relevant=c) * _total(judged, c) for c in levels if _total(judged, c)
    )
    return above / sum(_total(judged, c) for c in levels)


def bpref(order, judged, relevant=1):
    total = _total(judged, relevant)
    other, wrong, value = len(judged) - total, 0, 0.0
    for g in order:
        if g is not None and g < relevant:
            wrong += 1
        elif g is not None:
            value += 1 - min(wrong, total) / min(total, other) if other else 1
    return value / total


def query_auc(order, judged, relevant=1, decay=1.0):
    """Pairs in the right order; what was not found stands last, all tied."""
    if decay < 1:
        return decayed_auc(order, judged, decay, relevant)
    right, other = _total(judged, relevant), len(judged) - _total(judged, relevant)
    place = [(n, g) for n, g in enumerate(order) if g is not None]
    missing = list(judged)
    for _, g in place:
        missing.remove(g)
    place += [(len(order), g) for g in missing]
    pairs = [
        (n < m) + (n == m) / 2 for (n, g), (m, h) in product(place, repeat=2) if g >= relevant > h
    ]
    return sum(pairs) / (right * other)


def orders(grades, scores):
    """All orders of a list that its scores allow, each as likely."""
    groups = [
        [g for g, s in zip(grades, scores, strict=True) if s == score]
        for score in sorted(set(scores), reverse=True)
    ]
    for parts in product(*map(permutations, groups)):
        yield [g for part in parts for g in part]


def expected(measure, grades, scores, judged, **params):
    """The mean of a measure over all orders that the scores allow."""
    values = [measure(order, judged, **params) for order in orders(grades, scores)]
    return sum(values) / len(values) if values else measure([], judged, **params)


def _with_missing(order, judged):
    """Places and grades of judged documents; what was not found stands last, all tied."""
    place = [(n, g) for n, g in enumerate(order) if g is not None]
    missing = list(judged)
    for _, g in place:
        missing.remove(g)
    return place, missing


def tau_ap(order, judged):
    """The mean over the orders of what was not found."""
    place, missing = _with_missing(order, judged)
    values = []
    for rest in permutations(missing):
        grades = [g for _, g in place] + list(rest)
        total = sum(
            sum((a > b) - (a < b) for a in grades[:n]) / n for n, b in enumerate(grades) if n
        )
        values.append(total / (len(grades) - 1))
    return sum(values) / len(values)


def decayed_auc(order, judged, decay, relevant=1):
    """Area under the ROC curve, each step weighing less than the one before; over the best."""
    place, missing = _with_missing(order, judged)
    best = sorted(judged, reverse=True)
    values = [
        _steps([g for _, g in place] + list(rest), decay, relevant)
        for rest in permutations(missing)
    ]
    return sum(values) / len(values) / _steps(best, decay, relevant)


def _steps(grades, decay, relevant):
    total, right, passed = 0.0, 0, 0
    for g in grades:
        if g >= relevant:
            right += 1
        else:
            total += decay**passed * right
            passed += 1
    return total


def fap(order, judged, k=None, beta=1.0, relevant=1):
    f, a = f_at(order, judged, k, beta, relevant), ap(order, judged, k, relevant=relevant)
    return (1 + beta**2) * f * a / (beta**2 * f + a) if f + a else 0.0


def iprec(order, judged, recall=0.5, relevant=1):
    total, right, best = _total(judged, relevant), 0, 0.0
    for n, g in enumerate(order, 1):
        right += g is not None and g >= relevant
        if right >= max(1, recall * total - 1e-9):
            best = max(best, right / n)
    return best


def eleven_point(order, judged, relevant=1):
    return sum(iprec(order, judged, level / 10, relevant) for level in range(11)) / 11
