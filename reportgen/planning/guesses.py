"""Guess what no key states: the positive class of two, the baseline among models, the metrics."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping, Sequence

from reportgen.metrics.lookup import first_metric
from reportgen.metrics.rows import OFFERS
from reportgen.metrics.tasks import TASKS

BASELINE_NAMES = re.compile(
    r"(^|[_/])(baseline|base|benchmark|current|champion|incumbent|prod|production|old|alt|dummy|naive)"
    r"(_|$)",
    re.IGNORECASE,
)
POSITIVE = frozenset(
    """
    1 true t yes y positive pos bad default defaulted fraud spam churn churned left lost event ill
    sick malignant click clicked bought ja wahr oui vrai si sim
""".split()
)
NEGATIVE = frozenset(
    """
    0 false f no n negative neg good none ham stayed kept well healthy benign paid nein falsch non
    faux não nao
""".split()
)


def guess_positive_class(values: Sequence[str]) -> tuple[str, bool]:
    """Guess which of two values is the positive class, and tell whether its name says so.

    >>> guess_positive_class(("no", "yes")), guess_positive_class(("left",
    ...     "stayed")), guess_positive_class(("a", "b"))
    (('yes', True), ('left', True), ('b', False))
    """
    words = [value.strip().lower() for value in values]
    positive = [v for v, word in zip(values, words, strict=True) if word in POSITIVE]
    not_negative = [v for v, word in zip(values, words, strict=True) if word not in NEGATIVE]
    known = next((each for each in (positive, not_negative) if len(each) == 1), None)
    return (known[0], True) if known else (values[-1], False)


def guess_baseline(names: Collection[str]) -> tuple[str, bool]:
    """Guess which model is the baseline, the first unless a name says so; tell whether one does.

    >>> guess_baseline(["new", "old"]), guess_baseline(["ridge", "boost"])
    (('old', True), ('ridge', False))
    >>> guess_baseline(["org/next", "org/current"])
    ('org/current', True)
    """
    named = next((name for name in names if BASELINE_NAMES.search(name)), None)
    return (next(iter(names)), False) if named is None else (named, True)


def choose_metrics(task: str, scales: Iterable[str]) -> Mapping[str, str]:
    """Choose the metrics that every model can have, each with a remark; the first one decides.

    >>> [*choose_metrics("binary", ["score"])], [*choose_metrics("binary", ["label"])][:2]
    (['roc_auc', 'average_precision'], ['f', 'accuracy'])
    """
    first, kinds = TASKS[task].first, set(scales)
    offered = frozenset.intersection(*(offer for scale, offer in OFFERS.items() if scale in kinds))
    every = first.metrics if "order" in offered or not first.label_metrics else first.label_metrics
    return {
        name: remark
        for name, remark in every.items()
        if task == "ranking" or first_metric(name, task).needs in offered
    }
