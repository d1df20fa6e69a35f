"""The tasks: what a target holds, what models predict, and the rows made of both."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import field
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from reportgen.kernels.batch import Column, UnitCosts, Vector
from reportgen.kernels.ranked_lists import Lists
from reportgen.kernels.thresholds import DecisionRule
from reportgen.metrics.rows import (
    Amounts,
    Classes,
    ExternalScores,
    ItemScores,
    LabelSets,
    PastTargets,
    Queries,
    Rows,
    TrainingRows,
)
from reportgen.records import record
from reportgen.terms import Scale

TaskName = Literal[
    "regression", "binary", "multiclass", "multilabel", "ranking", "finished", "scored"
]
Target = Literal["amount", "flag", "class", "labels", "grades", "none"]


@record(eq=False)
class Predictions:
    """Predictions of one model: its score (n,), further columns, the kind of score.

    `fit` is the same model on the rows that shifts are fitted on, if any; `unit_costs` what errors
    cost where that differs by row; `past` what naive forecasts repeat, by the column of series;
    `lists` its documents where a row is a query. Where a row is of
    one of two classes `rules` say which rows are flagged, by the name of an operating point, and
    `cell_costs` (n, 4) what a row costs in each cell of the confusion matrix, in the order TN, FP,
    FN, TP; `classes` are what the classes are called: one a part. Where a row may have several of
    them `flags` (n, k) say which, and `points` from which score on each is called, (k,), by the
    name of an operating point. `prices` (k, k) are what a class costs, a row, that is called
    another, a column.
    """

    score: Vector
    scale: Scale
    parts: Mapping[str, Vector] = field(default_factory=dict)
    fit: TrainingRows | None = None
    unit_costs: UnitCosts | None = None
    lists: Lists | None = None
    rules: Mapping[str, DecisionRule] = field(default_factory=dict)
    cell_costs: NDArray[np.float64] | None = None
    classes: tuple[str, ...] = ()
    flags: NDArray[np.bool_] | None = None
    points: Mapping[str, Vector] = field(default_factory=dict)
    prices: NDArray[np.float64] | None = None
    past: Mapping[str, PastTargets] = field(default_factory=dict)


@record
class FirstConfig:
    """Proposal for a first config.

    `metrics` by name, the first of which decides, each with a remark; `label_metrics` where models
    give classes alone. `loose_scale` is the kind of score that gives an order alone, and `loose`
    says what it is. `gate` is an example: its name, its rule with a metric, and a value.
    """

    metrics: Mapping[str, str]
    loose_scale: Scale
    loose: str
    gate: tuple[str, str, str]
    label_metrics: Mapping[str, str] = field(default_factory=dict)


@record
class Task:
    """Task of the models.

    `target` says what the target column holds: an `amount`, or a `flag`, one of two classes, or a
    `class`, one of several, or `labels`, any of several, or the `grades` of the documents of each
    row, which is a query, or `none`: scores were computed elsewhere, one for each dataset if
    `has_rows_of_datasets`.
    `scales` are the kinds of score that a model may have, the default first; `rows`
    f(outcome, predictions) makes what statistics see of a model, where models share `outcome`.
    `has_side_costs` says that an error costs by its side and size, as `costs: {under, over}`
    declares; `has_densities` that further columns of a model may hold what it predicts of each row:
    a mean and sd, or quantiles; `has_wins` that a row is an answer of its own, so that it is told
    on how many a model is ahead. `per_class` are metrics that are found of each class, too.
    `checks` are metrics under one half of which scores are upside down. `first` is what a config
    proposes that is written for somebody.
    """

    name: TaskName
    target: Target
    scales: tuple[Scale, ...]
    rows: Callable[[Column, Predictions], Rows]
    first: FirstConfig
    has_side_costs: bool = False
    has_densities: bool = False
    has_wins: bool = False
    per_class: tuple[str, ...] = ()
    checks: tuple[str, ...] = ()
    has_rows_of_datasets: bool = False

    @property
    def has_items(self) -> bool:
        """True if a row is an item, with scores of the answers to it."""
        return self.target == "none" and not self.has_rows_of_datasets

    @property
    def has_classes(self) -> bool:
        """True if the target names classes: one a row, or any number."""
        return self.target in ("flag", "class", "labels")

    @property
    def has_several_classes(self) -> bool:
        """True if it names classes of which a score each is wanted."""
        return self.target in ("class", "labels")


def _make_binary_rows(outcome: Column, found: Predictions) -> Classes:
    code = outcome.once("code", lambda: outcome.values.astype(np.intp))
    beside = None, outcome, found.rules, found.cell_costs
    return Classes(code, found.score[:, None], ("0", "1"), found.scale, *beside)


BINARY = Task(
    name="binary",
    target="flag",
    scales=("probability", "score", "rank", "label"),
    rows=_make_binary_rows,
    first=FirstConfig(
        metrics={
            "roc_auc": "do the scores tell the two classes apart?",
            "log_loss": "are the probabilities right?",
            "average_precision": "are the highest scores those of positive rows?",
            "brier": "how far are the probabilities from the outcome?",
        },
        loose_scale="score",
        loose="a score instead of a probability",
        gate=("order good enough", "above, metric: roc_auc", "0.7"),
        label_metrics={
            "f": "are positive rows found, and few others flagged?",
            "accuracy": "how often is the class right?",
            "precision": "",
            "recall": "",
            "mcc": "",
        },
    ),
    per_class=("precision", "recall", "f"),
)


def _make_external_rows(outcome: Column, found: Predictions) -> ExternalScores:
    return ExternalScores(outcome, found.score, found.scale)


EXTERNAL_SCORES_TASK = Task(
    name="finished",
    target="none",
    scales=("amount",),
    rows=_make_external_rows,
    first=FirstConfig(
        metrics={"finished_score": "how good is each model on a data set, on average?"},
        loose_scale="amount",
        loose="a score for each data set",
        gate=("no worse", "non_inferior, metric: finished_score", "0.01"),
    ),
    has_rows_of_datasets=True,
)


def _make_item_rows(outcome: Column, given: Predictions) -> ItemScores:
    return ItemScores(outcome, given.score, given.scale, given.parts)


ITEM_SCORES_TASK = Task(
    name="scored",
    target="none",
    scales=("amount",),
    rows=_make_item_rows,
    first=FirstConfig(
        metrics={"item_score": "how good are the answers, on average?"},
        loose_scale="amount",
        loose="a score for each item",
        gate=("no worse", "non_inferior, metric: item_score", "0.02"),
    ),
)


def _make_multiclass_rows(outcome: Column, found: Predictions) -> Classes:
    code = outcome.once("code", lambda: outcome.values.astype(np.intp))
    if found.scale == "label":
        scores = np.eye(len(found.classes))[found.score.astype(np.intp)]
    else:
        scores = np.stack([found.parts[name] for name in found.parts], axis=1)
    return Classes(code, scores, found.classes, found.scale, prices=found.prices)


MULTICLASS = Task(
    name="multiclass",
    target="class",
    scales=("probability", "score", "label"),
    rows=_make_multiclass_rows,
    first=FirstConfig(
        metrics={
            "accuracy": "how often is the class right?",
            "f": "the same class by class, the rare ones counting alike",
            "log_loss": "are the probabilities right?",
            "roc_auc": "do the scores tell each class from the others?",
        },
        loose_scale="label",
        loose="the class alone",
        gate=("right often enough", "above, metric: accuracy", "0.8"),
    ),
    per_class=("precision", "recall", "f", "roc_auc"),
)


def _make_label_rows(outcome: Column, found: Predictions) -> LabelSets:
    assert found.flags is not None
    scores = np.stack([found.parts[name] for name in found.parts], axis=1)
    return LabelSets(found.flags, scores, found.classes, found.scale, found.points, outcome)


MULTILABEL = Task(
    name="multilabel",
    target="labels",
    scales=("probability", "score", "label"),
    rows=_make_label_rows,
    first=FirstConfig(
        metrics={
            "f": "the mean of the labels, the rare ones counting alike",
            "hamming_loss": "how often is a label wrong?",
            "lrap": "do the labels of a row have its highest scores?",
        },
        loose_scale="label",
        loose="1 or 0 for each label",
        gate=("labels good enough", "above, metric: f", "0.5"),
    ),
    per_class=("precision", "recall", "f", "roc_auc"),
)


def _make_query_rows(outcome: Column, found: Predictions) -> Queries:
    assert found.lists is not None
    return Queries(found.lists, found.scale, outcome)


RANKING = Task(
    name="ranking",
    target="grades",
    scales=("score",),
    rows=_make_query_rows,
    first=FirstConfig(
        metrics={
            "nDCG@10": "are the best documents the first?",
            "AP": "how far do relevant documents stand above the others?",
            "RR": "how early does the first relevant document stand?",
        },
        loose_scale="score",
        loose="a score",
        gate=("order good enough", "above, metric: ndcg", "0.5"),
    ),
    has_wins=True,
    checks=("query_auc",),
)


def _make_amount_rows(outcome: Column, found: Predictions) -> Amounts:
    others = found.fit, found.scale, found.unit_costs, found.past
    return Amounts(outcome, found.score, found.parts, *others)


REGRESSION = Task(
    name="regression",
    target="amount",
    scales=("amount", "rank"),
    rows=_make_amount_rows,
    first=FirstConfig(
        metrics={
            "mae": "how far off, on average, in the target's unit?",
            "rmse": "the same, large errors counting more",
            "r2": "the share of the variation that is predicted",
            "spearman": "does the order agree?",
        },
        loose_scale="rank",
        loose="an order and no amount",
        gate=("error in bounds", "below, metric: mae", "40"),
    ),
    has_side_costs=True,
    has_densities=True,
)

TASKS: dict[str, Task] = {
    task.name: task
    for task in (
        REGRESSION,
        BINARY,
        MULTICLASS,
        MULTILABEL,
        RANKING,
        EXTERNAL_SCORES_TASK,
        ITEM_SCORES_TASK,
    )
}
PLANNED_TASKS: tuple[str, ...] = ()
"""Tasks that the language has a name for, but that are not built yet."""
_AVERAGES = ("macro", "micro", "weighted")


def _expand_averages(theirs: str, own: str) -> dict[str, dict[str, str]]:
    """Map each kind of average to what it averages over classes or labels."""
    ways = {way: ("multiclass", "multilabel") for way in _AVERAGES} | {"samples": ("multilabel",)}
    return {
        f"{theirs}_{way}": dict.fromkeys(tasks, f"{{name: {own}, average: {way}}}")
        for way, tasks in ways.items()
    }


def _map_names(task: str, **names: str) -> dict[str, dict[str, str]]:
    return {theirs: {task: own} for theirs, own in names.items()}


SCORERS: Mapping[str, Mapping[str, str]] = {
    **_expand_averages("f1", "f"),
    **_expand_averages("precision", "precision"),
    **_expand_averages("recall", "recall"),
    **_expand_averages("jaccard", "jaccard"),
    "f1": dict.fromkeys(("binary", "multiclass", "multilabel"), "f"),
    "matthews_corrcoef": dict.fromkeys(("binary", "multiclass"), "mcc"),
    "neg_log_loss": dict.fromkeys(("binary", "multiclass"), "log_loss"),
    "qwk": {"multiclass": "{name: kappa, weights: quadratic}"},
    "neg_brier_score": dict.fromkeys(("binary", "multiclass"), "brier"),
    **_map_names(
        "binary",
        d2_brier_score="brier_skill",
        d2_log_loss_score="log_loss_skill",
        positive_likelihood_ratio="lr_positive",
        neg_negative_likelihood_ratio="lr_negative",
    ),
    **_map_names(
        "multiclass",
        roc_auc_ovr="{name: roc_auc, average: ovr}",
        roc_auc_ovr_weighted="{name: roc_auc, average: ovr_weighted}",
        roc_auc_ovo="{name: roc_auc, average: ovo}",
        roc_auc_ovo_weighted="{name: roc_auc, average: ovo_weighted}",
    ),
    **_map_names(
        "regression",
        neg_mean_absolute_error="mae",
        neg_mean_squared_error="mse",
        neg_root_mean_squared_error="rmse",
        neg_median_absolute_error="median_ae",
        neg_mean_absolute_percentage_error="mape",
        neg_root_mean_squared_log_error="rmsle",
        neg_mean_poisson_deviance="{name: deviance, power: 1}",
        neg_mean_gamma_deviance="{name: deviance, power: 2}",
    ),
}
"""Of each scorer that has another name here, by task what a config lists under `metrics`."""
