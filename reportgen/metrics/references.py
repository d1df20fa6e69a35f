"""Predictions made without a model, to which a metric's own code is bound."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from reportgen.kernels.batch import Batch, Index, Vector
from reportgen.kernels.quantiles import weighted_quantile
from reportgen.kernels.ranked_lists import Judgements, Lists
from reportgen.metrics.folds import bind_metric
from reportgen.metrics.metric import METRICS, Metric
from reportgen.metrics.regression.asymmetric_cost import find_quantile_levels
from reportgen.metrics.rows import Amounts, Classes, LabelSets, Queries, Rows
from reportgen.metrics.traits import NEAREST
from reportgen.records import record

Constant = NDArray[np.float64]
"""What is predicted for every row: one number, or one a class or label."""
FLAGGED, NOT_FLAGGED = 2.0, -1.0  # at every threshold from 0 to 1
STEPS = 100  # of a search that leaves 0.62 of the range at each
GOLDEN = (np.sqrt(5) - 1) / 2


@record(eq=False)
class KnownRows:
    """Rows that constants come from, with their weights, and the `places` they predict.

    None of `places` are all.
    """

    rows: Rows
    weight: Vector
    places: Index | None = None


@record(eq=False)
class Prediction:
    """What is predicted of each row without a model, and the metric that is bound to it.

    `constants` are those of each of the known rows that they come from.
    """

    kind: str
    rows: Rows
    metric: Metric
    constants: tuple[Constant, ...] = ()

    def value(self, weight: Vector) -> float:
        """Compute the metric's value under a weighting."""
        return float(bind_metric(self.metric, self.rows)(Batch.from_weights(weight))[0])


def predict_without_model(
    metric: Metric, rows: Rows, known: Sequence[KnownRows]
) -> Prediction | None:
    """Predict what the metric's reference is; None where it has none that is bound to rows.

    `rows` are those of any model, of which only what happened is read.
    """
    if metric.reference == "random order":
        if isinstance(rows, Queries) and _takes_in_the_pool(metric, rows.lists):
            return None
        return Prediction("random order", tie_rows(rows), _fix_conventions(metric))
    if metric.reference not in _CONSTANTS:
        return None
    pairs = [_CONSTANTS[metric.reference](metric, each.rows, each.weight) for each in known]
    kinds = list(dict.fromkeys(kind for kind, _ in pairs))
    constants = tuple(constant for _, constant in pairs)
    kind = kinds[0] if len(kinds) == 1 else metric.reference
    made = _predict(rows, constants, known, _name_parts(metric))
    return Prediction(kind, made, _fix_conventions(metric), constants)


def predict_amounts(kind: str, metric: Metric, rows: Amounts, score: Vector) -> Prediction:
    """Predict an amount of each row that the config says how to find, such as the last value."""
    return Prediction(kind, _copy(rows, score), _fix_conventions(metric))


def choose_best(made: Sequence[Prediction], weight: Vector) -> Prediction:
    """Choose the prediction that is best by its metric; the first of equals."""
    values = [_orient(each.metric, each.value(weight)) for each in made]
    return made[int(np.argmax(values))]


def find_amount(kind: str, rows: Rows, weight: Vector) -> float:
    """Find a constant that no metric is needed for: zero, mean or median of y."""
    y = rows.outcome.values
    if kind == "zero":
        return 0.0
    return float(weight @ y / weight.sum()) if kind == "mean" else weighted_quantile(y, weight, 0.5)


def tie_rows(rows: Rows) -> Rows:
    """Return the same rows, all with one score; of queries all documents of the pool."""
    if isinstance(rows, Queries):
        return _copy_folds(rows, Queries(pool_documents([rows.lists]), "score", rows.outcome))
    scores = rows.scores if isinstance(rows, Classes | LabelSets) else rows.ranking.values
    return _copy(rows, np.full_like(scores, 0.5))


def pool_documents(models: Sequence[Lists]) -> Lists:
    """Return every document that was evaluated, or that a list names, all tied.

    Ids tell which lists name the same document that nobody evaluated; where there are none, the
    longest list has them all.
    """
    first = models[0]
    evaluated, sizes = first.judgements, _count_pools(models)
    start = np.append(0, np.cumsum(sizes)).astype(np.intp)
    grade = np.full(int(start[-1]), np.nan)
    place = np.arange(len(evaluated.grade)) + (start[:-1] - evaluated.start[:-1])[evaluated.query]
    grade[place] = evaluated.grade
    return Lists(start, grade, np.zeros(len(grade)), evaluated, None, first.depth)


def _count_pools(models: Sequence[Lists]) -> NDArray[np.intp]:
    """Count the documents of each query that were evaluated, or that a list names."""
    return np.asarray(np.diff(models[0].judgements.start) + _count_unjudged(models), np.intp)


def _takes_in_the_pool(metric: Metric, lists: Lists) -> bool:
    """Tell whether the first k ranks hold half of what the queries' lists and judgements name.

    Of a larger collection the pool is then too few documents to say what a random order would find.
    Where the lists have all documents that were evaluated, these are what is to be ranked.
    """
    k = metric.params.get("k")
    sizes = _count_pools([lists])
    if np.array_equal(sizes, np.diff(lists.start)):
        return False
    return k is not None and len(sizes) > 0 and float(k) > float(np.median(sizes)) / 2


def rank_by_popularity(models: Sequence[Lists]) -> Lists:
    """Rank the documents that lists name by how many other queries they are relevant to.

    Documents that were evaluated but stand in no list have no name here: they come last.
    """
    first, evaluated = models[0], models[0].judgements
    query = np.concatenate([each.query for each in models])
    name = np.concatenate([each.name for each in models])
    grade = np.concatenate([each.grade for each in models])
    _, at = np.unique(np.stack([query, name]), axis=1, return_index=True)
    query, name, grade = query[at], name[at], grade[at]
    is_relevant = grade > 0
    score = np.bincount(name, is_relevant)[name] - is_relevant
    left_query, left_grade = _leave_listed(evaluated, query, grade)
    query = np.concatenate([query, left_query])
    order = np.argsort(query, kind="stable")
    grade = np.concatenate([grade, left_grade])[order]
    score = np.concatenate([score, np.full(len(left_grade), -1.0)])[order]
    start = np.append(0, np.cumsum(np.bincount(query, minlength=len(first)))).astype(np.intp)
    return Lists(start, grade, score, evaluated, None, first.depth)


def _leave_listed(evaluated: Judgements, query: Index, grade: Vector) -> tuple[Index, Vector]:
    """Return query and grade of each judgement of a document that no list names."""
    known = ~np.isnan(grade)
    listed = np.stack([query[known], np.maximum(grade[known], 0.0)])
    every = np.stack([evaluated.query, evaluated.grade])
    pairs, code = np.unique(np.concatenate([every, listed], axis=1), axis=1, return_inverse=True)
    sign = np.repeat([1.0, -1.0], [every.shape[1], listed.shape[1]])
    left = np.maximum(np.bincount(code.reshape(-1), sign), 0.0).astype(np.intp)
    return np.repeat(pairs[0], left).astype(np.intp), np.repeat(pairs[1], left)


def _count_unjudged(models: Sequence[Lists]) -> NDArray[np.intp]:
    """Count the documents of each query that some list names and nobody evaluated."""
    n, unknown = len(models[0]), [np.isnan(each.grade) for each in models]
    if any(each.name is None for each in models):
        counts = [
            np.bincount(each.query[lack], minlength=n)
            for each, lack in zip(models, unknown, strict=True)
        ]
        return np.asarray(np.max(counts, axis=0), dtype=np.intp)
    pairs = [
        np.stack([each.query[lack], np.asarray(each.name)[lack]])
        for each, lack in zip(models, unknown, strict=True)
    ]
    value = np.unique(np.concatenate(pairs, axis=1), axis=1)[0]
    return np.bincount(value.astype(np.intp), minlength=n).astype(np.intp)


def _predict(
    rows: Rows,
    constants: Sequence[Constant],
    known: Sequence[KnownRows],
    names: Sequence[str],
) -> Rows:
    """Predict for each row the constant of the known rows that are to predict it."""
    each = np.empty((len(rows), constants[0].size))
    for constant, source in zip(constants, known, strict=True):
        each[slice(None) if source.places is None else source.places] = constant
    if isinstance(rows, Amounts):
        parts = {name: each[:, k] for k, name in enumerate(names)}
        return _copy(rows, each[:, 0].copy(), parts)
    return _copy(rows, each)


def _copy(rows: Rows, scores: NDArray[np.float64], parts: Mapping[str, Vector] = {}) -> Rows:
    """Return the same rows with other scores."""
    made: Rows
    if isinstance(rows, Amounts):
        made = Amounts(rows.y, scores, parts, rows.fit, "amount", rows.unit_costs, rows.past)
    elif isinstance(rows, Classes):
        others = rows.upper, rows.y, rows.rules, rows.cell_costs, rows.prices
        made = Classes(rows.code, scores, rows.labels, "probability", *others)
    else:
        assert isinstance(rows, LabelSets)
        made = LabelSets(rows.flags, scores, rows.labels, "probability", rows.points, rows.outcome)
    return _copy_folds(rows, made)


def _copy_folds(rows: Rows, made: Rows) -> Rows:
    made.fold, made.is_fold_mean = rows.fold, rows.is_fold_mean
    return made


def _fix_conventions(metric: Metric) -> Metric:
    """Return the metric that judges a constant as the metric itself judges a model.

    Rows are flagged by the constant, not by an operating point; ties count as a random order, and
    no constant is shifted to a better one.
    """
    params = dict(metric.params)
    if metric.asked_as.get("name") == "expected_cost" and "alpha" not in params:
        return METRICS["expected_cost_by_row"].use()
    if metric.asked_as.get("name") == "expected_cost":
        own = {p.name for p in METRICS["expected_cost"].parameters}
        return METRICS["expected_cost"].use(**{k: v for k, v in params.items() if k in own})
    if metric.name == "mean_cost":
        params["shift"] = "none"
    if "at" in params:
        params["at"], params["threshold"] = "", 0.5
    if "moves" in params:
        params["moves"] = False
    if "ties" in params and metric.task == "ranking":
        params["ties"] = "expected"
    return metric.use(**params) if params != metric.params else metric


def _orient(metric: Metric, value: float) -> float:
    """Return a value of which more is better; undefined is worst."""
    if np.isnan(value):
        return -np.inf
    if metric.better in NEAREST:
        return -abs(value - NEAREST[metric.better])
    return value if metric.better == "higher" else -value


def _choose(
    metric: Metric, rows: Rows, weight: Vector, named: Mapping[str, Constant]
) -> NamedConstant:
    """Choose the constant with the best value on the known rows."""
    known = [KnownRows(rows, weight)]
    fixed = _fix_conventions(metric)
    made = [
        Prediction(kind, _predict(rows, [constant], known, ()), fixed, (constant,))
        for kind, constant in named.items()
    ]
    best = choose_best(made, weight)
    return best.kind, best.constants[0]


NamedConstant = tuple[str, Constant]


def _median(metric: Metric, rows: Rows, weight: Vector) -> NamedConstant:
    return "median", _scalar(find_amount("median", rows, weight))


def _mean(metric: Metric, rows: Rows, weight: Vector) -> NamedConstant:
    return "mean", _scalar(find_amount("mean", rows, weight))


def _quantile(metric: Metric, rows: Rows, weight: Vector) -> NamedConstant:
    alpha = float(metric.params["alpha"])  # type: ignore[arg-type]
    return "quantile", _scalar(weighted_quantile(rows.outcome.values, weight, alpha))


def _relative_median(metric: Metric, rows: Rows, weight: Vector) -> NamedConstant:
    y = rows.outcome.values
    relative = np.divide(weight, np.abs(y), out=np.zeros(len(y)), where=y != 0)
    return "relative median", _scalar(weighted_quantile(y, relative, 0.5))


def _log_mean(metric: Metric, rows: Rows, weight: Vector) -> NamedConstant:
    with np.errstate(invalid="ignore", divide="ignore"):
        value = np.expm1(weight @ np.log1p(rows.outcome.values) / weight.sum())
    return "log mean", _scalar(float(value))


def _best_constant(metric: Metric, rows: Rows, weight: Vector) -> NamedConstant:
    """Search for the constant of least loss, which falls and then rises; then among y near it."""
    assert isinstance(rows, Amounts)
    fixed, batch = _fix_conventions(metric), Batch.from_weights(weight)

    def loss(constant: float) -> float:
        made = _copy(rows, np.full(len(rows), constant))
        return -_orient(fixed, float(bind_metric(fixed, made)(batch)[0]))

    y = np.unique(rows.y.values[weight > 0])
    low, high = float(y[0]), float(y[-1])
    for _ in range(STEPS):
        left, right = high - GOLDEN * (high - low), low + GOLDEN * (high - low)
        low, high = (low, right) if loss(left) <= loss(right) else (left, high)
        if high - low <= 1e-12 * max(abs(low), abs(high), float(y[-1] - y[0])):
            break
    middle = (low + high) / 2
    at = int(np.searchsorted(y, middle))
    near = [middle, *map(float, y[max(at - 2, 0) : at + 2])]
    return "best constant", _scalar(min(near, key=loss))


def _distribution(metric: Metric, rows: Rows, weight: Vector) -> NamedConstant:
    y = rows.outcome.values
    levels = _list_quantiles(metric)
    return "distribution", np.array([weighted_quantile(y, weight, level) for level in levels])


def _normal(metric: Metric, rows: Rows, weight: Vector) -> NamedConstant:
    y, share = rows.outcome.values, weight / weight.sum()
    mean = float(share @ y)
    return "normal", np.array([mean, np.sqrt(float(share @ (y - mean) ** 2))])


def _name_parts(metric: Metric) -> tuple[str, ...]:
    """Return the names of the columns that a metric of predicted distributions reads."""
    if metric.reference == "normal":
        return ("mean", "sd")
    if metric.reference != "distribution":
        return ()
    return tuple(f"q{100 * level:.10g}" for level in _list_quantiles(metric))


def _list_quantiles(metric: Metric) -> tuple[float, ...]:
    """List the levels of the quantiles that a metric reads."""
    levels = metric.params.get("levels", metric.params.get("level"))
    if isinstance(levels, str):
        return find_quantile_levels(levels)
    level = float(levels)  # type: ignore[arg-type]
    return (1 - level) / 2, (1 + level) / 2


def _share(metric: Metric, rows: Rows, weight: Vector) -> NamedConstant:
    return "share", _scalar(float(weight @ rows.outcome.values / weight.sum()))


def _everyone(metric: Metric, rows: Rows, weight: Vector) -> NamedConstant:
    return "everyone", _scalar(FLAGGED)


def _nobody(metric: Metric, rows: Rows, weight: Vector) -> NamedConstant:
    return "nobody", _scalar(NOT_FLAGGED)


def _everyone_or_nobody(metric: Metric, rows: Rows, weight: Vector) -> NamedConstant:
    named = {"nobody": _scalar(NOT_FLAGGED), "everyone": _scalar(FLAGGED)}
    return _choose(metric, rows, weight, named)


def _commonest_class(metric: Metric, rows: Rows, weight: Vector) -> NamedConstant:
    """Predict the commonest class; for a metric of one class, this one."""
    assert isinstance(rows, Classes)
    of = metric.params.get("of")
    at = rows.labels.index(str(of)) if of is not None else int(np.argmax(_shares(rows, weight)))
    return "class", np.eye(len(rows.labels))[at]


def _best_class(metric: Metric, rows: Rows, weight: Vector) -> NamedConstant:
    assert isinstance(rows, Classes)
    named = dict(zip(rows.labels, np.eye(len(rows.labels)), strict=True))
    return "class", _choose(metric, rows, weight, named)[1]


def _class_shares(metric: Metric, rows: Rows, weight: Vector) -> NamedConstant:
    assert isinstance(rows, Classes)
    return "class shares", _shares(rows, weight)


def _shares(rows: Classes, weight: Vector) -> Constant:
    counted = np.bincount(rows.code, weight, len(rows.labels))
    return np.asarray(counted / counted.sum(), dtype=np.float64)


def _label_shares(metric: Metric, rows: Rows, weight: Vector) -> NamedConstant:
    assert isinstance(rows, LabelSets)
    return "label shares", np.asarray(weight @ rows.flags / weight.sum(), dtype=np.float64)


def _labels(metric: Metric, rows: Rows, weight: Vector) -> NamedConstant:
    """Predict the labels that most rows have, or every label if that is better."""
    _, share = _label_shares(metric, rows, weight)
    common = np.where(share > 0.5, FLAGGED, NOT_FLAGGED)
    named = {"common labels": common, "every label": np.full(len(share), FLAGGED)}
    return _choose(metric, rows, weight, named)


def _label_set(metric: Metric, rows: Rows, weight: Vector) -> NamedConstant:
    assert isinstance(rows, LabelSets)
    sets, which = np.unique(rows.flags, axis=0, return_inverse=True)
    best = sets[int(np.argmax(np.bincount(which.reshape(-1), weight, len(sets))))]
    return "label set", np.where(best, FLAGGED, NOT_FLAGGED)


def _scalar(value: float) -> Constant:
    return np.array([value])


_CONSTANTS: Mapping[str, Callable[[Metric, Rows, Vector], NamedConstant]] = {
    "median": _median,
    "mean": _mean,
    "quantile": _quantile,
    "relative median": _relative_median,
    "log mean": _log_mean,
    "best constant": _best_constant,
    "distribution": _distribution,
    "normal": _normal,
    "share": _share,
    "everyone": _everyone,
    "nobody": _nobody,
    "everyone or nobody": _everyone_or_nobody,
    "commonest class": _commonest_class,
    "best class": _best_class,
    "class shares": _class_shares,
    "labels": _labels,
    "label set": _label_set,
    "label shares": _label_shares,
}
