"""Values a reader can check: one row a case, with its source; the laws run over the same rows."""

from __future__ import annotations

from dataclasses import dataclass, field
from math import erf, exp, hypot, log, nan, pi, sqrt

import numpy as np

from reportgen.kernels.batch import Batch, Column, UnitCosts
from reportgen.kernels.ranked_lists import Judgements, Lists
from reportgen.metrics import METRICS
from reportgen.metrics.rows import (
    Amounts,
    Classes,
    LabelSets,
    PastTargets,
    Queries,
    Rows,
    TrainingRows,
)
from reportgen.metrics.tasks import TASKS, Predictions

BY_HAND = "by hand"
RROC = "Hernández-Orallo (2013), Table 1"
LOSSES = "Hernández-Orallo (2013), equation (1) on Table 1"


@dataclass(frozen=True)
class Case:
    """A metric with parameters on a few rows, what it must give there, and who says so.

    `exempt_from` names laws that do not hold for these parameters, `insists` laws that the metric
    is exempt from for some parameters but that do hold for these. `parts` are further
    score columns.
    """

    metric: str
    y: tuple[float, ...]
    score: tuple[float, ...]
    expected: float
    source: str = BY_HAND
    weight: tuple[float, ...] = ()
    params: dict = field(default_factory=dict)
    exempt_from: frozenset[str] = frozenset()
    insists: frozenset[str] = frozenset()
    parts: dict = field(default_factory=dict)

    @property
    def rows(self) -> Rows:
        """The rows that the metric judges."""
        if METRICS[self.metric].task == "ranking":
            return Queries(lists_of(self.y, self.score))
        parts = {name: np.array(column, dtype=float) for name, column in self.parts.items()}
        return rows_of(self.metric, np.array(self.y, float), np.array(self.score, float), parts)

    @property
    def weights(self) -> np.ndarray:
        """One for every row, unless the case says otherwise."""
        return np.array(self.weight or (1,) * len(self.y), dtype=float)

    def __str__(self) -> str:
        return ", ".join([self.metric, *(f"{k}={v}" for k, v in self.params.items())])


def rows_of(name, y, score, parts=None) -> Rows:
    """Rows of the metric's task; what it would call a class or a probability is given as such."""
    task = TASKS[METRICS[name].task]
    if task.target == "grades":
        return task.rows(*documents_of(y, score))
    if task.target == "class":
        return classes_of(y, score)
    if task.target == "labels":
        return labels_of(y, score)
    costs = UnitCosts(1 + np.abs(y), np.full(len(y), 2.0))
    said = Predictions(score, task.scales[0], parts or {}, training(), costs, past=past(len(y)))
    return task.rows(Column(y), said)


def classes_of(y, score) -> Classes:
    """Rows of classes by their numbers: with a probability of each, or called one."""
    code, score = y.astype(int), np.asarray(score)
    if score.ndim == 1:
        k = int(max(code.max(), score.max())) + 1
        scores, names = np.eye(k)[score.astype(int)], tuple(map(str, range(k)))
        return Classes(code, scores, names, "label", prices=prices(k))
    names = tuple(map(str, range(score.shape[1])))
    return Classes(code, score, names, prices=prices(len(names)))


def prices(k):
    """A step too low costs 2, a step too high 1."""
    step = np.subtract.outer(np.arange(k), np.arange(k))
    return np.where(step > 0, 2.0 * step, -step)


def labels_of(y, score) -> LabelSets:
    """Rows of labels by their numbers, each with a probability."""
    had, score = np.asarray(y) > 0, np.asarray(score, dtype=float)
    return LabelSets(had, score, tuple(map(str, range(had.shape[1]))))


def three_labels(y, score):
    """Any of three labels, often none, and probabilities of each that are tied now and then."""
    had = np.floor(np.outer(np.abs(y), (1.0, 0.7, 0.4))) % 2
    return had, np.round(1 / (1 + np.exp(-np.cos(np.outer(score, (1, 2, 3))))), 1)


def of_three(y, score):
    """One of three classes, and probabilities of all that are tied now and then."""
    raw = np.round(np.cos(np.outer(score, (1, 2, 3))), 1)
    p = np.exp(raw)
    return np.floor(np.abs(y)) % 3, p / p.sum(axis=1, keepdims=True)


def training() -> TrainingRows:
    """Four rows that a model was not judged on; its errors there are 1, 2, 2.5 and 6."""
    y, ones = np.zeros(4), np.ones(4)
    rows = Amounts(y, np.array([1.0, 2.0, 2.5, 6.0]), unit_costs=UnitCosts(ones, 3 * ones))
    return TrainingRows(rows, ones, lambda index: Batch.from_weights(ones))


def past(n):
    """Four earlier targets, whatever y: steps of 1, 2 and 1, with the mean 4/3."""
    known = np.array([0, 4], np.intp), np.array([0.0, 1.0, 3.0, 2.0])
    return {"": PastTargets(np.zeros(n, np.intp), *known)}


def documents_of(y, score):
    """A query for each row, of five documents whose grades follow from y and scores from score."""
    grades = np.floor(np.abs(np.outer(y, (0, 2, 3, 5, 7)))) % 4
    grades = np.where(np.floor(np.outer(np.abs(y), (0, 1, 1, 3, 3))) % 5 == 4, np.nan, grades)
    scores = np.round(np.cos(np.outer(score, (1, 2, 3, 4, 5))), 1)
    lists = lists_of(grades, scores)
    return Column(lists.judgements.positive_grade_counts), Predictions(
        lists.ranking, "score", lists=lists
    )


def lists_of(grades, scores) -> Lists:
    """One list a query: its grades, nan where not judged, and scores."""
    start = np.cumsum([0, *map(len, scores)])
    grade, score = (np.array([x for each in of for x in each], float) for of in (grades, scores))
    is_judged = ~np.isnan(grade)
    judged = np.append(0, np.cumsum(is_judged))[start]
    of = Judgements.from_grades(judged, grade[is_judged])
    return Lists(start, grade, score, Judgements(of.start, of.grade, (1.0, 2.0, 3.0)))


def suited(name, y, score):
    """Any amounts as what the metric's task holds: above 1 or not, and probabilities."""
    target = TASKS[METRICS[name].task].target
    if target == "class":
        return of_three(y, score)
    if target == "labels":
        return three_labels(y, score)
    if target != "flag":
        return y, score
    return (y > 1) * 1.0, 1 / (1 + np.exp(-score / 4))


def case(metric, y, score, expected, source=BY_HAND, weight=(), parts=None, **params) -> Case:
    laws = (frozenset(params.pop(key, ())) for key in ("exempt_from", "insists"))
    more = params, *laws, parts or {}
    return Case(metric, tuple(y), tuple(score), expected, source, tuple(weight), *more)


# Ten true values and the predictions of three models, as printed in the paper.
Y = (0.211, 2.725, 1.933, 3.242, 7.858, 6.061, 7.173, 3.082, 0.894, 1.203)
M1 = (-0.082, 3.323, 2.320, 1.080, 7.893, 4.983, 5.121, 3.442, 2.083, 1.112)
M2 = (0.786, 2.078, 0.587, 1.676, 9.052, 5.875, 6.885, 3.038, 4.097, 0.308)
M3 = (1.253, 4.232, 1.734, 5.325, 6.842, 9.325, 8.232, 3.525, 1.352, 1.778)

# Errors 1, −2, 4, and with the weights (1, 1, 2).
Y3, S3, W3 = (1, 5, 3), (2, 3, 7), (1, 1, 2)

RESIDUAL = (
    case("mae", Y3, S3, (1 + 2 + 4) / 3),
    case("mae", Y3, S3, (1 + 2 + 2 * 4) / 4, weight=W3),
    case("mae", Y, M1, 0.8245, RROC),
    case("mae", Y, M2, 0.9944, RROC),
    case("mae", Y, M3, 1.1646, RROC),
    case("mse", Y3, S3, (1 + 4 + 16) / 3),
    case("mse", Y3, S3, (1 + 4 + 2 * 16) / 4, weight=W3),
    case("mse", Y, M2, 1.7618652, RROC),
    case("rmse", Y3, S3, sqrt((1 + 4 + 16) / 3)),
    case("rmse", Y3, S3, sqrt((1 + 4 + 2 * 16) / 4), weight=W3),
    case("rmse", Y, M1, sqrt(1.2193081), RROC),
    case("rmse", Y, M2, sqrt(1.7618652), RROC),
    case("rmse", Y, M3, sqrt(2.1279374), RROC),
    case("r2", Y3, S3, 1 - (1 + 4 + 16) / (4 + 4 + 0)),
    case("r2", Y3, S3, 1 - (1 + 4 + 32) / (4 + 4 + 0), weight=W3),
    case("r2", (1, 2), (1, 2), 1),
    case("r2", (2, 2, 2), (1, 2, 3), nan),
    case("median_ae", Y3, S3, 2),
    case("median_ae", Y3, S3, (2 + 4) / 2, weight=W3),
    case("median_ae", (0, 0, 0), (1, 2, 9), 9, weight=(1, 1, 3)),
    case("bias", Y3, S3, (1 - 2 + 4) / 3),
    case("bias", Y3, S3, (1 - 2 + 8) / 4, weight=W3),
    case("error_variance", Y3, S3, (1 + 4 + 16) / 3 - 1),
    case("error_variance", Y3, S3, (1 + 4 + 32) / 4 - (7 / 4) ** 2, weight=W3),
    case("error_variance", Y, M1, 1.12277361, RROC),
)

# In percent of y 100, 40 and 400/3; of the middle of y and score 200/3, 50 and 80.
RELATIVE = (
    case("mape", Y3, S3, (100 + 40 + 400 / 3) / 3),
    case("mape", Y3, S3, (100 + 40 + 2 * 400 / 3) / 4, weight=W3),
    case("mape", (-2, 4), (-1, 4), 100 * (1 / 2 + 0) / 2),
    case("mape", (0, 5), (1, 5), nan),
    case("mape", (0, 5), (1, 4), 20, weight=(0, 1)),
    case("wape", Y3, S3, 100 * (1 + 2 + 4) / 9),
    case("wape", Y3, S3, 100 * (1 + 2 + 8) / 12, weight=W3),
    case("wape", (0, -5), (1, -4), 100 * (1 + 1) / 5),
    case("wape", (0, 0), (1, 2), nan),
    case("mase", Y3, S3, (1 + 2 + 4) / 3 / (4 / 3)),
    case("mase", Y3, S3, (1 + 2 + 2 * 4) / 4 / (4 / 3), weight=W3),
    case("mase", Y3, S3, (1 + 2 + 4) / 3 / 2, season=2),
    case("mase", Y3, S3, nan, season=4),
    case("smape", Y3, S3, (200 / 3 + 50 + 80) / 3),
    case("smape", Y3, S3, (200 / 3 + 50 + 160) / 4, weight=W3),
    case("smape", (0, 0, -2, 3), (0, 4, 2, 3), (0 + 200 + 200 + 0) / 4),
    case("rmsle", (0, exp(2) - 1), (exp(1) - 1, exp(2) - 1), sqrt(1 / 2)),
    case("rmsle", (0, 0), (exp(1) - 1, exp(2) - 1), sqrt((3 * 1 + 4) / 4), weight=(3, 1)),
    case("rmsle", (0, -1), (1, 1), nan),
    case("rmsle", (0, 1), (-1, 1), nan),
    case("rmsle", (0, 7), (-1, 7), 0, weight=(0, 1)),
)

DEVIANCE = (
    case("deviance", (1, 2), (2, 2), (2 * (2 - 1 - log(2)) + 0) / 2, power=1.0),
    case("deviance", (1, 0), (2, 3), (3 * 2 * (1 - log(2)) + 6) / 4, weight=(3, 1), power=1.0),
    case("deviance", (1, 2), (2, 2), (2 * (log(2) + 1 / 2 - 1)) / 2, power=2.0),
    # 2(1/(−½ · ½) + 1/(½ · 2) + 2/½) for y = 1 and ŷ = 4; for y = 0 the last term alone.
    case("deviance", (1, 0), (4, 4), (2 * (-4 + 1 + 4) + 2 * 4) / 2, power=1.5),
    case("deviance", (2, 1), (1, 1), ((2 - 1) ** 2 / (2 * 1**2) + 0) / 2, power=3.0),
    case("deviance", (1, 2), (0, 2), nan, power=1.0),
    case("deviance", (-1, 2), (1, 2), nan, power=1.5),
    case("deviance", (0, 2), (1, 2), nan, power=2.0),
    case("deviance", (0, 2), (1, 2), 0, weight=(0, 1), power=2.0),
)

# Intervals from 4 to 7 and from 1 to 5 for y = 5 and 9: α = 0.2, so that a miss costs tenfold.
ENDS = {"q10": (4, 1), "q50": (5, 2), "q90": (7, 5)}
NORMAL = {"mean": (0, 0), "sd": (1, 2)}
# At z = 0 and sd 1, then at z = 1 and sd 2.
CRPS_OF_TWO = (
    (sqrt(2) - 1) / sqrt(pi) + 2 * (erf(sqrt(0.5)) + (sqrt(2) * exp(-0.5) - 1) / sqrt(pi))
) / 2
Z90 = 1.2815515655446004
PREDICTED = (
    case("interval_score", (5, 9), (5, 2), (3 + 4 + 10 * 4) / 2, parts=ENDS, level=0.8),
    case("interval_score", (5, 9), (5, 2), (9 + 44) / 4, weight=(3, 1), parts=ENDS, level=0.8),
    case("interval_score", (3, 1), (5, 2), (3 + 10 * 1 + 4) / 2, parts=ENDS, level=0.8),
    case("interval_score", (5, 9), (5, 2), nan, parts=ENDS, level=0.9),
    case("interval_score", (0, 2), (0, 0), 2 * Z90 * (1 + 2) / 2, parts=NORMAL, level=0.8),
    # Twice the pinball losses of 5 and 9 against 4, 5, 7 and 1, 2, 5 at .1, .5, .9, over three.
    case(
        "weighted_interval_score",
        (5, 9),
        (5, 2),
        2 * ((0.1 + 0 + 0.2) + (0.8 + 3.5 + 3.6)) / 3 / 2,
        parts=ENDS,
        levels="0.8",
    ),
    case(
        "weighted_interval_score",
        (5, 9),
        (5, 2),
        2 * (3 * 0.3 + 7.9) / 3 / 4,
        weight=(3, 1),
        parts=ENDS,
        levels="0.8",
    ),
    case("weighted_interval_score", (5, 9), (5, 2), nan, parts=ENDS, levels="0.8, 0.9"),
    case("crps", (0, 2), (0, 0), CRPS_OF_TWO, parts=NORMAL),
    case("crps", (5, 9), (5, 2), nan, parts=ENDS),
    case("quantile_coverage", (7, 9), (5, 2), 1 / 2 - 0.9, parts=ENDS, quantile=0.9),
    case("quantile_coverage", (7, 9), (5, 2), 3 / 4 - 0.9, weight=(3, 1), parts=ENDS, quantile=0.9),
    case("quantile_coverage", (3, 1), (5, 2), 1 - 0.1, parts=ENDS, quantile=0.1),
    case("quantile_coverage", (7, 9), (5, 2), nan, parts=ENDS, quantile=0.25),
    case("quantile_coverage", (1, 3), (0, 0), 1 / 2 - 0.9, parts=NORMAL, quantile=0.9),
)

# Of the six pairs (1, 2) is tied in y; (1, 3) is right; (1, 4) and (2, 3) are tied in score; (2, 4)
# and (3, 4) are wrong. With the weights they weigh 1; 2; 3 and 2; 3 and 6.
YT, ST, WT = (0, 0, 1, 2), (0, 1, 1, 0), (1, 1, 2, 3)

CONCORDANCE = (
    case("kendall", (1, 2, 3, 4), (1, 3, 2, 4), (5 - 1) / 6),
    case("kendall", YT, ST, (1 - 2) / sqrt(5 * 4)),
    case("kendall", YT, ST, (2 - 9) / sqrt(16 * 12), weight=WT),
    case("kendall", (1, 1), (1, 2), nan),
    case("kendall", (1, 2), (1, 1), nan),
    case("kendall_a", YT, ST, (1 - 2) / 6),
    case("kendall_a", YT, ST, (2 - 9) / 17, weight=WT),
    case("kendall_a", (1,), (1,), nan),
    case("tau_tilde", YT, ST, (1 - 1 / 6) / 2),
    case("tau_tilde", (1, 2, 3), (1, 2, 3), 1),
    case("regression_auc", (0, 0, 1, 1), (0, 1, 1, 2), 3.5 / 4),
    case("regression_auc", (0, 0, 1, 1), (0, 1, 1, 2), 3 / 4, ties="strict"),
    case("regression_auc", (0, 1), (1, 1), 1 / 2, ties="half"),
    case("regression_auc", (0, 1), (1, 1), 0, ties="strict"),
    case("regression_auc", YT, ST, (2 + 5 / 2) / 16, weight=WT),
    case("regression_auc", YT, ST, 2 / 16, weight=WT, ties="strict"),
    case("regression_auc", (3, 3, 3), (1, 2, 3), nan),
    case("tied_scores", YT, ST, 2 / 5),
    case("tied_scores", YT, ST, (3 + 2) / 16, weight=WT),
    case("cutoff_auc", (0, 1, 5, 9), (1, 3, 2, 4), 3 / 4, above=1.0),
    case("cutoff_auc", (0, 1, 5, 9), (1, 3, 3, 4), 3.5 / 4, above=1.0),
    case("cutoff_auc", (0, 1, 5, 9), (1, 3, 2, 4), 7 / 8, weight=(1, 1, 1, 3), above=1.0),
    case("cutoff_auc", (0, 1, 5, 9), (1, 3, 2, 4), 3 / 4, quantile=0.5),
    case("cutoff_auc", (0, 1, 5, 9), (1, 3, 2, 4), 3 / 3, quantile=0.75),
    case("cutoff_auc", (0, 1), (0, 1), nan, above=2.0),
)

CORRELATION = (
    case("spearman", (1, 2, 3), (1, 3, 2), 1 - 6 * (0 + 1 + 1) / (3 * 8)),
    case("spearman", (1, 1, 2), (1, 2, 3), (0.5 + 0 + 1) / sqrt(1.5 * 2)),
    case("spearman", (1, 2, 3), (1, 3, 2), (2.25 - 0.75) / 4.5, weight=W3),
    case("spearman", (1, 1), (1, 2), nan),
    case("spearman", (1, 2), (1, 1), nan),
    case("rho_tilde", (1, 2, 3), (1, 3, 2), (1 + 0.5) / 2),
    case("pearson", (1, 2, 3), (1, 3, 2), 0.5),
    case("pearson", (0, 0, 3), (0, 3, 3), (2 - 1 + 2) / sqrt(6 * 6)),
    case("pearson", (1, 2, 3), (1, 3, 2), 1 / sqrt(2.75 * 2), weight=W3),
    case("pearson", (0.1, 0.1, 0.1), (1, 2, 3), nan),
)

COST = (
    case("pinball", Y3, S3, (0.2 * 1 + 0.8 * 2 + 0.2 * 4) / 3, alpha=0.8),
    case("pinball", Y3, S3, (0.2 * 1 + 0.8 * 2 + 0.2 * 8) / 4, weight=W3, alpha=0.8),
    case("asymmetric_cost", Y3, S3, (1 + 2 + 4) / 3, alpha=0.5),
    case("asymmetric_cost", Y3, S3, 2 * (1 + 4) / 3, alpha=0.0),
    case("asymmetric_cost", Y, M1, 10.1092 / 10, LOSSES, alpha=0.8),
    case("asymmetric_cost", Y, M2, 9.944 / 10, LOSSES, alpha=0.8),
    case("asymmetric_cost", Y, M1, 10.1092, LOSSES, alpha=0.8, raw=True),
    case("asymmetric_cost", Y, M3, 6.1164, LOSSES, alpha=0.8, raw=True),
    case("asymmetric_cost", Y, M3, 6.1164 / 10, LOSSES, alpha=0.8),
    case("over", Y3, S3, (1 + 2 * 4) / 4, weight=W3, insists=["scale"]),
    case("over", Y, M1, 2.569, RROC, raw=True),
    case("over", Y, M2, 4.972, RROC, raw=True),
    case("over", Y, M3, 10.431, RROC, raw=True),
    case("heaven_distance", Y3, S3, hypot(9 / 4, 2 / 4), weight=W3),
    case("heaven_distance", Y, M1, hypot(2.569, 5.676), RROC, raw=True),
    case("heaven_distance", Y, M2, hypot(4.972, 4.972), RROC, raw=True),
    case("heaven_distance", Y, M3, hypot(10.431, 1.215), RROC, raw=True),
    case("under", Y3, S3, -2 / 4, weight=W3, insists=["scale"]),
    case("under", Y, M1, -5.676, RROC, raw=True),
    case("under", Y, M2, -4.972, RROC, raw=True),
    case("under", Y, M3, -1.215, RROC, raw=True),
    case("aoc", Y3, S3, ((1 + 4 + 16) / 3 - 1) / 2, insists=["scale"]),
    case("aoc", Y, M1, 56.1386805, "Hernández-Orallo (2013): 56.1387", raw=True),
    case("aoc", Y, M2, 88.09326, "Hernández-Orallo (2013): 88.0933", raw=True),
    case("aoc", Y, M3, 63.929542, "Hernández-Orallo (2013): 63.9295", raw=True),
)

ZEROS = (0.0, 0.0)
EXPECTED_COST = (
    case("expected_cost", Y, M1, 10.1092 / 10, LOSSES, alpha=0.8),
    case("expected_cost", Y, M1, 10.1092, LOSSES, alpha=0.8, raw=True),
    case("expected_cost", Y3, S3, 1 + 4 * 2 + 2 * 4, weight=W3, under=4.0, over=1.0, raw=True),
    case("expected_cost_optimal", Y, M1, 7.1852 / 10, LOSSES, alpha=0.8),
    case("expected_cost_optimal", Y, M2, 5.824 / 10, LOSSES, alpha=0.8),
    case("expected_cost_optimal", Y, M3, 6.1164 / 10, LOSSES, alpha=0.8),
    case("expected_cost", Y, M1, (4 * 5.676 + 2.569) / 10, RROC, under=4.0, over=1.0),
    case("expected_cost", Y3, S3, (1 + 4 * 2 + 2 * 4) / 4, weight=W3, under=4.0, over=1.0),
    case("expected_cost", Y3, S3, (0.4 + 1.6 * 4 + 0.4 * 16) / 3, alpha=0.8, loss="quadquad"),
    # The expectile m of 2, −1, −4 at ½ is their mean: shift −1, errors 0, −3, 3.
    case("expected_cost_optimal", Y3, S3, (0 + 9 + 9) / 3, alpha=0.5, loss="quadquad"),
    case("expected_cost", ZEROS, (0, log(2)), (1 - log(2)) / 2, loss="linexp", c=1.0),
    case("expected_cost", (0, 0, 0), (0, 9, -9), nan, loss="linexp", c=150.0),
    # The mean of exp(e) is 3/2, so the shift is −log(3/2), and the loss minus the mean error.
    case(
        "expected_cost_optimal",
        ZEROS,
        (0, log(2)),
        log(1.5) - log(2) / 2,
        loss="linexp",
        c=1.0,
    ),
    case("expected_cost", ZEROS, (-1, log(2)), (1 / 2 + 1 - log(2)) / 2, loss="quadexp", c=1.0),
    case("expected_cost_optimal", ZEROS, (2, 2), 0, loss="quadexp", c=-0.5),
    # Of the errors 1, 2, 2.5 and 6 on other rows the 1/5 quantile is 1, so that 1 is taken off.
    case("expected_cost_fitted", Y3, S3, (0.4 * 0 + 1.6 * 3 + 0.4 * 3) / 3, alpha=0.8),
    case("expected_cost_fitted", Y3, S3, nan, alpha=1.0, degree=1),
    # The 4/5 quantile of each row lies half-way from its 7/10 to its 9/10 quantile: score + 2.
    case(
        "expected_cost_density",
        Y3,
        S3,
        (0.4 * 3 + 1.6 * 0 + 0.4 * 6) / 3,
        alpha=0.8,
        parts={"q70": tuple(s + 1 for s in S3), "q90": tuple(s + 3 for s in S3)},
    ),
    case("expected_cost_by_row", Y3, S3, (1 * 2 + 2 * (1 + Y3[1]) + 4 * 2) / 3),
    # At the unit costs 1 and 3 of other rows the 3/4 quantile of the errors is taken off.
    case("expected_cost_by_row_fitted", ZEROS, (2.5, 4.5), (2 * 0 + 2 * 2) / 2),
)

# As they are, scores cost what they do at the mean α; of three errors 1, −2, 4 the mean distance
# of all pairs, each row with itself too, is 2(3 + 3 + 6)/9, and half of it the area of least costs.
MEAN_COST = (
    case("mean_cost", Y3, S3, (1 + 2 + 4) / 3),
    case("mean_cost", Y3, S3, (0.4 + 1.6 * 2 + 0.4 * 4) / 3, weighting="beta", a=8.0, b=2.0),
    case("mean_cost", Y3, S3, (3 + 3 + 6) / 9, shift="optimal"),
    case("mean_cost", Y3, S3, (3 + 2 * 3 + 2 * 6) / 16, shift="optimal", weight=W3),
    # Of errors 0 and 2 the least cost is 2·min(α, 1 − α); Beta(2, 2) has 6α(1 − α).
    case("mean_cost", ZEROS, (0, 2), 24 * (1 / 24 - 1 / 64), weighting="beta", shift="optimal"),
)

Y4, S4 = (1, 5, 3, 7), (1, 2, 3, 4)
Y5, S5 = (0, 3, 6), (1, 2, 3)
INTEGER = {"edges": "integer", "exempt_from": ["scale"]}
BUCKETS = (
    case("ranking_last", Y4, S4, (3 + 7) / 2, buckets=2),
    case("ranking_last", Y4, S4, (5 + 3 + 7) / 3, weight=(3, 1, 1, 1), buckets=2),
    case("ranking_last", Y5, S5, (3 / 2 + 6) / (3 / 2), buckets=2),
    case("ranking_last", Y5, S5, (3 + 6) / 2, buckets=2, **INTEGER),
    case("ranking_last", Y5, S5, 6, buckets=2, statistic="median"),
    case("ranking_last", Y5, S5, 3, buckets=2, quantile=0.25),
    case("ranking_last", (0, 4, 8, 8), (1, 1, 1, 1), (0 + 4 + 8 + 8) / 4, buckets=2),
    case("ranking_last", (2,), (1,), 2),
    case("ranking_first", Y4, S4, (1 + 5) / 2, buckets=2),
    case("ranking_first", Y4, (1, 2, 2, 4), (1 + (5 + 3) / 2) / 2, buckets=2),
    case("ranking_first", Y5, S5, 0, buckets=2, **INTEGER),
    case("ranking_first", (2,), (1,), nan, buckets=2, **INTEGER),
    case("ranking_difference", Y4, S4, (3 + 7) / 2 - (1 + 5) / 2, buckets=2),
    case("ranking_difference", Y4, S4, 7 - 1, buckets=4),
    case("ranking_slope", Y4, S4, (-1.5 * 1 - 0.5 * 5 + 0.5 * 3 + 1.5 * 7) / 5, buckets=4),
    case("ranking_slope", Y4, S4, 2, buckets=2),
)

YK, SK = (0, 10, 30, 60), (1, 2, 4, 3)
TOP = (
    case("topk_capture", YK, SK, 30 / 100, k=1),
    case("topk_capture", YK, SK, 90 / 100, k=2),
    case("topk_capture", YK, SK, 1, k=9),
    case("topk_capture", YK, (1, 2, 3, 3), (30 + 60) / 2 / 100, k=1),
    case("topk_capture", YK, SK, (30 + 30) / 100, share=0.375, insists=["duplicate", "zero"]),
    case("topk_capture", YK, SK, 60 / 70, weight=(1, 1, 2, 0), share=0.5),
    case("topk_capture", YK, SK, 90 / 100, budget=250.0, cost=100.0),
    case("topk_capture", (0, 0), (1, 2), nan, share=0.5),
    case("topk_capture", (-1, 2), (1, 2), nan, share=0.5),
)

FLAGS, CHANCES = (0, 1, 1, 0), (0.2, 0.7, 0.4, 0.5)
PAIRS = (0.1, 0.1, 0.9, 0.9)
# At 0.5: three true positives, one false one, two false negatives, four true negatives.
T3, P3 = (1, 1, 1, 0, 1, 1, 0, 0, 0, 0), (0.9, 0.8, 0.5, 0.6, 0.4, 0.1, 0.4, 0.3, 0.2, 0.1)
HEAVY = (2, 1, 1, 3, 1, 1, 1, 1, 1, 1)  # four, three, two and four
CALLS = (
    case("error_rate", T3, P3, 3 / 10),
    case("error_rate", T3, P3, 5 / 13, weight=HEAVY),
    case("precision", T3, P3, 3 / 4),
    case("precision", T3, P3, 4 / 7, weight=HEAVY),
    case("precision", T3, P3, 2 / 2, threshold=0.7),
    case("precision", T3, P3, nan, threshold=1.0),
    case("recall", T3, P3, 3 / 5),
    case("recall", T3, P3, 4 / 6, weight=HEAVY),
    case("recall", (0, 0), (0.2, 0.7), nan),
    case("specificity", T3, P3, 4 / 5),
    case("specificity", T3, P3, 4 / 7, weight=HEAVY),
    case("specificity", (1, 1), (0.2, 0.7), nan),
    case("npv", T3, P3, 4 / 6),
    case("npv", T3, P3, nan, threshold=0.0),
    case("fpr", T3, P3, 1 / 5),
    case("fnr", T3, P3, 2 / 5),
    case("fdr", T3, P3, 1 / 4),
    case("flagged", T3, P3, 4 / 10),
    case("found", T3, P3, 300),
    case("found", T3, P3, 4000 / 13, weight=HEAVY),
    case("missed", T3, P3, 200),
    case("false_positives", T3, P3, 100),
    case("f", T3, P3, 2 * 0.75 * 0.6 / (0.75 + 0.6)),
    case("f", T3, P3, 5 * 0.75 * 0.6 / (4 * 0.75 + 0.6), beta=2.0),
    case("f", T3, P3, 0, threshold=1.0),
    case("f", (0, 0), (0.2, 0.3), nan),
    case("jaccard", T3, P3, 3 / 6),
    case("fowlkes_mallows", T3, P3, sqrt(0.75 * 0.6)),
    case("g_mean", T3, P3, sqrt(0.6 * 0.8)),
    case("balanced_accuracy", T3, P3, (0.6 + 0.8) / 2),
    case("youden", T3, P3, 0.6 + 0.8 - 1),
    case("markedness", T3, P3, 3 / 4 + 4 / 6 - 1),
    case("markedness", T3, P3, nan, threshold=1.0),
    case("mcc", T3, P3, (3 * 4 - 1 * 2) / sqrt(4 * 5 * 5 * 6)),
    case("mcc", T3, P3, nan, threshold=1.0),
    # Right by chance: 4/10 · 5/10 + 6/10 · 5/10.
    case("kappa", T3, P3, (0.7 - 0.5) / (1 - 0.5)),
    case("kappa", (1, 1), (0.7, 0.8), nan),
    case("lr_positive", T3, P3, 0.6 / 0.2),
    case("lr_positive", T3, P3, nan, threshold=0.7),
    case("lr_negative", T3, P3, 0.4 / 0.8),
    case("odds_ratio", T3, P3, 3 * 4 / (1 * 2)),
    case("odds_ratio", T3, P3, nan, threshold=0.7),
    case("net_benefit", T3, P3, 3 / 10 - 1 / 10),
    case("net_benefit", T3, P3, (3 - 1) / 5, standardized=True),
    case("net_benefit", (0, 0), (0.2, 0.7), nan, standardized=True),
    case("misclassification_cost", T3, P3, (1 * 10 + 2 * 200) / 10, fp=10.0, fn=200.0),
    case(
        "misclassification_cost",
        T3,
        P3,
        (10 + 400 - 3 * 7 + 4 * 2) / 10,
        fp=10.0,
        fn=200.0,
        tp=-7.0,
        tn=2.0,
    ),
    case("misclassification_cost", T3, P3, nan),
    case(
        "net_benefit", T3, P3, 4 / 10 - 1 / 10 * (0.4 / 0.6) - 1 / 10 * (0.4 / 0.6), threshold=0.4
    ),
)
ORDER, FALLING = (1, 0, 1, 0), (0.9, 0.8, 0.7, 0.1)
BY_ROW = {"decay": 0.3, "exempt_from": ["scale"]}
BINARY = (
    case("accuracy", FLAGS, CHANCES, 2 / 4),
    case("accuracy", FLAGS, CHANCES, 3 / 4, threshold=0.6),
    case("accuracy", FLAGS, CHANCES, (2 + 1) / 5, weight=(2, 1, 1, 1)),
    case("accuracy", (1, 0), (0.5, 0.5), 1 / 2),
    *CALLS,
    case("roc_auc", FLAGS, CHANCES, (2 + 1) / 4),
    case("roc_auc", FLAGS, (0.2, 0.7, 0.5, 0.5), (2 + 1 + 1 / 2) / 4),
    case("roc_auc", FLAGS, CHANCES, (2 * (2 + 1) + 1 * 1) / (3 * 3), weight=(2, 1, 2, 1)),
    case("roc_auc", (1, 1), (0.2, 0.7), nan),
    case("gini", FLAGS, CHANCES, 2 * 3 / 4 - 1),
    case("gini", FLAGS, (0.2, 0.7, 0.5, 0.5), 2 * 3.5 / 4 - 1),
    case("gini", FLAGS, CHANCES, 2 * 7 / 9 - 1, weight=(2, 1, 2, 1)),
    # By falling score 1, 0, 1, 0: precisions 1 and 2/3 where recall is gained.
    case("average_precision", (1, 0, 1, 0), (0.9, 0.8, 0.7, 0.1), (1 + 2 / 3) / 2),
    case("average_precision", (1, 0, 1, 0), (0.5, 0.5, 0.5, 0.5), 2 / 4),
    case("average_precision", (1, 0), (0.2, 0.7), 3 / 4, weight=(3, 1)),
    case("average_precision", (0, 0), (0.2, 0.7), nan),
    # Recall ½ above the first negative, 1 above the second.
    case("decayed_auc", ORDER, FALLING, (1 / 2 + 1 * 0.3) / 1.3, **BY_ROW),
    case("decayed_auc", ORDER, FALLING, (1 / 2 + 1 / 2) / (1 + 1 / 2), half_life=0.5),
    case("decayed_auc", ORDER, FALLING, 3 / 4, decay=1.0),
    case("decayed_auc", ORDER, FALLING, (1 / 2 + 0.3) / 2, normalise=False, **BY_ROW),
    # Ranks 2 and 4 of all rows; beside them 3 and 4 of the perfect order, which counts less.
    case(
        "decayed_auc", ORDER, FALLING, (0.3 / 2 + 0.3**3) / (0.3 + 0.3**3), on="trapezia", **BY_ROW
    ),
    case(
        "decayed_auc",
        ORDER,
        FALLING,
        (0.3 / 2 + 0.3**3) / 2,
        on="trapezia",
        normalise=False,
        **BY_ROW,
    ),
    case(
        "decayed_auc",
        (1, 1, 0, 0),
        FALLING,
        (0.3**2 + 0.3**3) / 2,
        on="trapezia",
        normalise=False,
        **BY_ROW,
    ),
    case(
        "decayed_auc",
        ORDER,
        FALLING,
        (1.0 * (0.3 + 0.3**3) + 0.3**2 * 0.3**3) / ((1 + 0.3**2) * (0.3 + 0.3**3)),
        on="rows",
        **BY_ROW,
    ),
    # Recall rises from 0 to 1 while the weight falls from 1 to ½.
    case("decayed_auc", (1, 0), (0.5, 0.5), (1 - (1 + log(2)) / 2) / (log(2) / 2), half_life=1.0),
    # The rows of the page that asks for it are in a perfect order.
    case(
        "decayed_auc",
        (0, 1, 1, 0, 1, 0),
        (0.1, 0.8, 0.4, 0.2, 0.9, 0.3),
        1,
        on="rows",
        weight=(1, 0.8, 0.8**2, 0.8**3, 0.8**4, 0.8**5),
        decay=0.8,
        exempt_from=["scale"],
    ),
    case("decayed_auc", (1, 1), (0.2, 0.7), nan),
    # Precision 1 at rank 1 and 2/3 at rank 3.
    case("decayed_average_precision", ORDER, FALLING, (1 + 0.3**2 * 2 / 3) / 1.3, **BY_ROW),
    case(
        "decayed_average_precision",
        ORDER,
        FALLING,
        (1 + 0.3**2 * 2 / 3) / 2,
        normalise=False,
        **BY_ROW,
    ),
    case(
        "decayed_average_precision", ORDER, FALLING, (1 + 2 / 3 / 2) / (1 + 2**-0.5), half_life=0.5
    ),
    case("decayed_average_precision", (0, 0), (0.2, 0.7), nan),
    # One tied group has the same precision throughout.
    case("pr_auc", (1, 0, 1, 0), (0.5, 0.5, 0.5, 0.5), 2 / 4),
    # After one of each, a positive and a negative tied: from 1/2 on nothing changes.
    case("pr_auc", (1, 0, 1, 0), (0.9, 0.9, 0.7, 0.7), 1 / 2),
    # After a positive two tied rows, one of each: ∫ (1 + t) / (1 + 2t) dt from 0 to 1.
    case("pr_auc", (1, 1, 0), (0.9, 0.7, 0.7), (1 + 1 / 2 + log(3) / 4) / 2),
    case("pr_auc", (0, 0), (0.2, 0.7), nan),
    # Average precision, and with precision raised to what a higher recall still has.
    case("pr_auc", (0, 1, 1), (0.9, 0.8, 0.7), (1 / 2 + 2 / 3) / 2, interpolation="step"),
    case("pr_auc", (0, 1, 1), (0.9, 0.8, 0.7), 2 / 3, interpolation="max"),
    case("pr_auc", (1, 0, 0, 1, 1), (5, 4, 3, 2, 1), (1 + 3 / 5 + 3 / 5) / 3, interpolation="max"),
    # On the ROC curve from (0, 1/2) along to (1/2, 1/2), up to (1/2, 1).
    case("binary_recall_at", (1, 0, 1, 0), (0.9, 0.8, 0.7, 0.1), 1 / 2, fpr=0.25),
    case("binary_recall_at", (1, 0, 1, 0), (0.9, 0.8, 0.7, 0.1), 1, fpr=0.5),
    case("binary_recall_at", (1, 0, 1, 0), (0.5, 0.5, 0.5, 0.5), 0.3, fpr=0.3),
    case("binary_recall_at", (1, 1), (0.9, 0.8), nan),
    case("fpr_at", (1, 0, 1, 0), (0.9, 0.8, 0.7, 0.1), 0, recall=0.5),
    case("fpr_at", (1, 0, 1, 0), (0.9, 0.8, 0.7, 0.1), 1 / 2, recall=0.75),
    case("fpr_at", (1, 0, 1, 0), (0.9, 0.8, 0.7, 0.1), 3 / 4, recall=0.75, weight=(1, 3, 1, 1)),
    case("fpr_at", (1, 0, 1, 0), (0.5, 0.5, 0.5, 0.5), 0.8),
    case("fpr_at", (1, 1), (0.9, 0.8), nan),
    case("binary_precision_at", (1, 0, 1, 0), (0.9, 0.8, 0.7, 0.1), 1.5 / 2.5, recall=0.75),
    case("binary_precision_at", (1, 0, 0, 0), (0.5, 0.5, 0.5, 0.5), 1 / 4),
    case("binary_precision_at", (0, 0), (0.9, 0.8), nan),
    case("binary_ranking_last", (0, 0, 1, 1), (1, 2, 3, 4), 1, buckets=2),
    case("binary_ranking_last", (0, 1, 1), (1, 2, 2), 1, buckets=2),
    case("binary_ranking_first", (0, 1, 1), (1, 2, 2), (1 / 2) / (3 / 2), buckets=2),
    case("binary_ranking_first", (0, 0, 1, 1), (1, 1, 1, 1), 1 / 2, buckets=4),
    case("binary_ranking_difference", (0, 1, 1), (1, 2, 2), 2 / 3, buckets=2),
    case("binary_ranking_difference", (1, 1, 0), (1, 2, 3), -1, buckets=3),
    # Shares 0, 0, 1, 1 against 0, 1, 2, 3.
    case("binary_ranking_slope", (0, 0, 1, 1), (1, 2, 3, 4), 2 / 5, buckets=4),
    case("capture", (1, 0, 1, 0), (0.9, 0.8, 0.7, 0.1), 1 / 2, k=2),
    case("capture", (1, 0, 1, 0), (0.9, 0.8, 0.7, 0.1), 3 / 4, share=0.625),
    case("capture", (1, 0, 1, 0), (0.5, 0.5, 0.5, 0.5), 0.3, share=0.3),
    case("capture", (0, 0), (0.9, 0.8), nan, share=0.5),
    # Of the first three F = 2 · 2/(2 + 3) and AP = (1 + 2/3)/2; of two tied ones F and AP 1/2.
    case("binary_fap", (1, 0, 1, 0), (4, 3, 2, 1), 2 * (4 / 5) * (5 / 6) / (4 / 5 + 5 / 6), k=3),
    case("binary_fap", (1, 0, 1, 0), (2, 2, 1, 1), 2 * (1 / 2) * (1 / 4) / (3 / 4), share=0.5),
    case("binary_fap", (0, 1), (2, 1), 2 * (2 / 3) * (1 / 2) / (2 / 3 + 1 / 2)),
    case("binary_fap", (0, 1), (2, 1), 0, share=0.5),
    case("binary_fap", (0, 0), (0.9, 0.8), nan),
    case("lift", (1, 0, 1, 0), (0.9, 0.8, 0.7, 0.1), 2, share=0.25),
    case("lift", (1, 0, 1, 0), (0.9, 0.8, 0.7, 0.1), (2 / 3) / (1 / 2), budget=7.0, cost=2.0),
    case("lift", (0, 0), (0.9, 0.8), nan, share=0.5),
    case("partial_auc", (1, 0, 1, 0), (0.9, 0.8, 0.7, 0.1), 1 / 2, high=0.5),
    case(
        "partial_auc",
        (1, 0, 1, 0),
        (0.9, 0.8, 0.7, 0.1),
        1 / 2 * 0.25,
        high=0.25,
        standardize="none",
    ),
    case("partial_auc", (1, 0, 1, 0), (0.9, 0.8, 0.7, 0.1), 3 / 4, high=1.0, standardize="mcclish"),
    case("partial_auc", (1, 0, 1, 0), (0.9, 0.8, 0.7, 0.1), 1 / 2, low=0.5, high=1.0, along="tpr"),
    case("partial_auc", (1, 1), (0.9, 0.8), nan),
    case("ks", (1, 0, 1, 0), (0.9, 0.8, 0.7, 0.1), 1 / 2),
    case("ks", (1, 0, 1, 0), (0.5, 0.5, 0.5, 0.5), 0),
    case("ks", (1, 0, 1), (0.9, 0.8, 0.7), 3 / 4, weight=(3, 1, 1)),
    case("ks", (1, 1), (0.9, 0.8), nan),
    case("h_measure", (1, 1, 0, 0), (0.9, 0.8, 0.7, 0.1), 1),
    case("h_measure", (1, 0, 1, 0), (0.5, 0.5, 0.5, 0.5), 0),
    case("h_measure", (0, 0, 1, 1), (0.9, 0.8, 0.7, 0.1), 0),
    case("h_measure", (1, 1), (0.9, 0.8), nan),
    # Precision 1, 1, 1/2, 2/3 at recall 0, 1/2, 1/2, 1.
    case(
        "pr_auc", (1, 0, 1), (0.9, 0.8, 0.7), 1 / 2 + (1 / 2 + 2 / 3) / 4, interpolation="trapezoid"
    ),
    case("pr_auc", (1, 0), (0.5, 0.5), (1 + 1 / 2) / 2, interpolation="trapezoid"),
    # With 6c(1 − c) the false alarms of rows up to q cost 2q³ − 3q⁴/2: 5/32 at ½, 8/27 at ⅔.
    case(
        "h_measure",
        (0, 1, 1),
        (1.0, 1.0, 2.0),
        1 - (2 / 3 * 5 / 32) / (8 / 81 + 2 / 3 / 18),
        severity="ratio",
        ratio=1.0,
    ),
    case("log_loss", FLAGS, CHANCES, -(log(0.8) + log(0.7) + log(0.4) + log(0.5)) / 4),
    case("log_loss", (1, 0), (1.0, 0.5), (-log(1 - 2.0**-52) + log(2)) / 2),
    case("log_loss", (1,), (0.0,), 52 * log(2)),
    case("log_loss", (1, 0), (0.001, 0.2), -(log(0.01) + log(0.8)) / 2, clip=0.01),
    case("brier", FLAGS, CHANCES, (0.04 + 0.09 + 0.36 + 0.25) / 4),
    case("brier", FLAGS, CHANCES, (2 * 0.04 + 0.09 + 0.36 + 0.25) / 5, weight=(2, 1, 1, 1)),
    case("brier_skill", FLAGS, CHANCES, 1 - 0.74 / 4 / 0.25),
    case("brier_skill", (1, 1), (0.2, 0.7), nan),
    case("log_loss_skill", FLAGS, CHANCES, 1 + log(0.8 * 0.7 * 0.4 * 0.5) / (4 * log(2))),
    case("log_loss_skill", (0, 0), (0.2, 0.7), nan),
    # By rising chance 0, 1, 0, 1: the rising fit is 0, 1/2, 1/2, 1.
    case("miscalibration", FLAGS, CHANCES, (0.04 + 0.09 + 0.36 + 0.25) / 4 - 2 * 0.25 / 4),
    case("discrimination", FLAGS, CHANCES, 0.25 - 2 * 0.25 / 4),
    case(
        "miscalibration",
        FLAGS,
        CHANCES,
        -log(0.8 * 0.7 * 0.4 * 0.5) / 4 - log(2) / 2,
        loss="log_loss",
    ),
    case("discrimination", FLAGS, CHANCES, log(2) - log(2) / 2, loss="log_loss"),
    # One positive of four at even odds, three of four at three to one: from -ln 3 to ln 3.
    case("calibration_slope", (1, 0, 0, 0, 1, 1, 1, 0), 4 * (0.5,) + 4 * (0.75,), 2),
    case("calibration_slope", FLAGS, (0.2, 0.7, 0.8, 0.5), nan),
    case("calibration_slope", FLAGS, 4 * (0.5,), nan),
    case("calibration_slope", (1, 1), (0.2, 0.7), nan),
    case("calibration_intercept", (1, 1, 1, 0), 4 * (0.5,), log(3)),
    case("calibration_intercept", (1, 0), (0.5, 0.5), log(3), weight=(3, 1)),
    case("calibration_intercept", (1, 1), (0.2, 0.7), nan),
    case("oe_ratio", FLAGS, CHANCES, 2 / 1.8),
    case("oe_ratio", FLAGS, 4 * (0.0,), nan),
    # Two bins: 0.9 and 0.1 away, and no chance where all are positive.
    case("calibration_error", (1, 1, 1, 1), PAIRS, sqrt((0.81 + 0.01) / 2), bins=2),
    # 0.16 away less 1/4 of chance, 0.01 away less none.
    case("calibration_error", (0, 1, 1, 1), PAIRS, 0, bins=2),
    case("calibration_error", FLAGS, CHANCES, nan),
    case("ece", (0, 1, 1, 1), PAIRS, (0.4 + 0.1) / 2, bins=2),
    case("ece", (0, 1, 1, 1), PAIRS, 0.4, bins=2, norm="max"),
    case("ece", (0, 1, 1, 1), PAIRS, (0.4 + 0.1) / 2, width="equal"),
    case("ece", (0, 1, 1), (0.1, 0.1, 0.9), 2 / 3 * 0.4 + 1 / 3 * 0.1, width="equal"),
    # Errors of one sign, or of rows in one place, are as large however they are smoothed.
    case("smooth_ece", (1,), (0.3,), 0.7),
    case("smooth_ece", (0, 1, 1, 0), (0.2, 1.0, 1.0, 0.5), (0.2 + 0.5) / 4),
    case("smooth_ece", (1, 0, 1, 1), (0.5, 0.5, 0.5, 0.5), 0.25),
    case("smooth_ece", (1, 0), (0.5, 0.5), 0.0),
    case("calibration_bias", FLAGS, CHANCES, (1.8 - 2) / 4),
    case("calibration_bias", FLAGS, CHANCES, (2.0 - 2) / 5, weight=(2, 1, 1, 1)),
)

# Called right 3 of 4, 1 of 2, 1 of 1; the calls of the classes are 3, 2 and 2.
T7, C7 = (0, 0, 0, 0, 1, 1, 2), (0, 0, 0, 1, 1, 2, 2)
W7 = (1, 1, 1, 3, 1, 1, 1)
CHANCES3 = ((0.7, 0.2, 0.1), (0.3, 0.4, 0.3), (0.2, 0.2, 0.6), (0.5, 0.25, 0.25))
IS4 = (0, 0, 2, 1)
R7, P7 = (3 / 4, 1 / 2, 1), (1, 1 / 2, 1 / 2)
F7 = (6 / 7, 1 / 2, 2 / 3)
CLASSES = (
    case("multiclass_accuracy", T7, C7, 5 / 7),
    case("multiclass_accuracy", T7, C7, 5 / 9, weight=W7),
    case("multiclass_error_rate", T7, C7, 2 / 7),
    case("multiclass_balanced_accuracy", T7, C7, sum(R7) / 3),
    case("multiclass_recall", T7, C7, sum(R7) / 3),
    case("multiclass_recall", T7, C7, 3 / 4, of="0"),
    case("multiclass_recall", T7, C7, 3 / 6, weight=W7, of="0"),
    case("multiclass_recall", T7, C7, 5 / 7, average="weighted"),
    case("multiclass_precision", T7, C7, sum(P7) / 3),
    case("multiclass_precision", T7, C7, (4 * 1 + 2 / 2 + 1 / 2) / 7, average="weighted"),
    case("multiclass_precision", T7, C7, 1 / 4, weight=W7, of="1"),
    case("multiclass_precision", (0, 1), (0, 0), nan, of="1"),
    case("multiclass_precision", (0, 1), (0, 0), 1 / 4),
    case("multiclass_precision", (0, 1), (0, 0), 1 / 2, undefined="skip"),
    case("multiclass_f", T7, C7, sum(F7) / 3),
    case("multiclass_f", T7, C7, 6 / 7, of="0"),
    case("multiclass_f", T7, C7, 5 / 7, average="micro"),
    case("multiclass_f", T7, C7, 2 * (2 / 3) * (3 / 4) / (2 / 3 + 3 / 4), average="macro_pr"),
    case("multiclass_f", T7, C7, 5 * 3 / (4 * 4 + 3), beta=2.0, of="0"),
    case("multiclass_jaccard", T7, C7, (3 / 4 + 1 / 3 + 1 / 2) / 3),
    case("multiclass_jaccard", T7, C7, 5 / 9, average="micro"),
    # Shares by chance: (4·3 + 2·2 + 1·2)/49 = 18/49 of 5/7.
    case("multiclass_misclassification_cost", (0, 0, 2), (2, 0, 1), (2 + 2) / 3),
    case("multiclass_misclassification_cost", (0, 0, 2), (2, 0, 1), (4 + 2) / 4, weight=(2, 1, 1)),
    case("multiclass_misclassification_cost", (1, 0), ((0.6, 0.4), (0.6, 0.4)), (0 + 1) / 2),
    case(
        "multiclass_misclassification_cost",
        (1, 0),
        ((0.6, 0.4), (0.6, 0.4)),
        (2 + 0) / 2,
        calls="largest",
    ),
    case("class_distance", T7, C7, (1 + 1) / 7),
    case("class_distance", (0, 0, 2), (2, 0, 1), 3 / 3),
    case("class_distance", (0, 0, 2), (2, 0, 1), (4 + 1) / 4, weight=(2, 1, 1)),
    # Up to the first and the second class: 0.7, 0.9 where 1, 1 is right; 0.2, 0.4 where 0, 0 is.
    case("rps", (0, 2), CHANCES3[::2], ((0.09 + 0.01) / 2 + (0.04 + 0.16) / 2) / 2),
    case("rps", (0, 0), ((1.0, 0, 0), (0, 0, 1.0)), (0 + 1) / 2),
    case("multiclass_kappa", T7, C7, (35 / 49 - 18 / 49) / (1 - 18 / 49)),
    case("multiclass_kappa", T7, C7, 1 - (2 / 7) / (42 / 49), weights="linear"),
    case("multiclass_kappa", (1, 1, 0), (1, 1, 0), nan, weight=(1, 1, 0)),
    case("multiclass_mcc", T7, C7, (35 - 18) / sqrt((49 - 17) * (49 - 21))),
    case("multiclass_mcc", (0, 1), (0, 0), nan),
    case("multiclass_log_loss", IS4, CHANCES3, -log(0.7 * 0.3 * 0.6 * 0.25) / 4),
    case("multiclass_log_loss", (1,), ((1.0, 0.0),), 52 * log(2)),
    case("multiclass_log_loss", (1,), ((1.0, 0.0),), -log(0.1), clip=0.1),
    case("multiclass_brier", (0, 2), CHANCES3[:2], (0.14 + (0.09 + 0.16 + 0.49)) / 2),
    # The most probable classes have 0.4 and 0.5, both wrong, then 0.6 and 0.7, both right.
    case("multiclass_ece", IS4, CHANCES3, (0.45 + 0.35) / 2, bins=2),
    case("multiclass_ece", IS4, CHANCES3, 0.45, bins=2, norm="max"),
    # Of the classes 0.7 and 0.3 for 1, 0; 0.2 and 0.4 for 0, 0; 0.1 and 0.3 for 0, 1.
    case(
        "multiclass_ece",
        (0, 2),
        CHANCES3[:2],
        ((0.3 + 0.3) / 2 + (0.2 + 0.4) / 2 + (0.1 + 0.7) / 2) / 3,
        bins=2,
        average="classwise",
    ),
    case("multiclass_brier", (0, 2), CHANCES3[:2], (0.14 + 0.74) / 4, half=True),
    # Of the second row two classes tie for the second place, of the last for it as well.
    case("top_k_accuracy", IS4, CHANCES3, (1 + 1 / 2 + 1 + 1 / 2) / 4),
    case("top_k_accuracy", IS4, CHANCES3, 1, k=3),
    # Of 0: .7 and .3 over .2, and one over .5: 3 of 4. Of 1: .25 over .2 twice: 2 of 3. Of 2: all.
    case("multiclass_roc_auc", IS4, CHANCES3, (3 / 4 + 2 / 3 + 1) / 3),
    case("multiclass_roc_auc", IS4, CHANCES3, (2 * 3 / 4 + 2 / 3 + 1) / 4, average="ovr_weighted"),
    case("multiclass_roc_auc", IS4, CHANCES3, 2 / 3, of="1"),
    case("multiclass_roc_auc", (0, 0), CHANCES3[:2], nan),
    # 0 and 1: 1 of 2 both ways; 0 and 2: all; 1 and 2: .25 over .2, .6 over .25.
    case("multiclass_roc_auc", IS4, CHANCES3, (1 / 2 + 1 + 1) / 3, average="ovo"),
)
# Of each label called rightly 1, 1, 1, called 1, 2, 2, there 2, 2, 1; the last row has none.
HAD = ((1, 0, 1), (0, 1, 0), (1, 1, 0), (0, 0, 0))
SAID = ((0.9, 0.2, 0.6), (0.3, 0.3, 0.1), (0.4, 0.8, 0.8), (0.1, 0.7, 0.2))
LABELS = (
    case("multilabel_precision", HAD, SAID, (1 + 1 / 2 + 1 / 2) / 3),
    case("multilabel_precision", HAD, SAID, (2 * 1 + 2 / 2 + 1 / 2) / 5, average="weighted"),
    case("multilabel_precision", HAD, SAID, 3 / 5, average="micro"),
    case("multilabel_precision", HAD, SAID, (1 + 0 + 1 / 2 + 0) / 4, average="samples"),
    case(
        "multilabel_precision",
        HAD,
        SAID,
        (1 + 1 / 2) / 3,
        average="samples",
        undefined="skip",
        exempt_from=("zero",),
    ),
    case("multilabel_precision", HAD, SAID, 1 / 2, of="1"),
    case("multilabel_precision", HAD, SAID, 2 / 3, weight=(1, 1, 2, 1), of="1"),
    case("multilabel_precision", HAD, SAID, 1 / 3, threshold=0.85),
    case("multilabel_precision", HAD, SAID, 1, threshold=0.85, undefined="skip"),
    case("multilabel_recall", HAD, SAID, (1 / 2 + 1 / 2 + 1) / 3),
    case("multilabel_recall", HAD, SAID, 3 / 5, average="weighted"),
    case("multilabel_recall", HAD, SAID, (1 + 1 / 2) / 4, average="samples"),
    case("multilabel_recall", HAD, SAID, 1, of="2"),
    case("multilabel_recall", HAD, SAID, (1 / 3 + 2 / 3 + 1) / 3, weight=(1, 1, 2, 9)),
    case("multilabel_f", HAD, SAID, (2 / 3 + 1 / 2 + 2 / 3) / 3),
    case("multilabel_f", HAD, SAID, 3 / 5, average="micro"),
    case("multilabel_f", HAD, SAID, (1 + 0 + 1 / 2 + 0) / 4, average="samples"),
    case("multilabel_f", HAD, SAID, 5 / (4 * 2 + 1), of="0", beta=2.0),
    case("multilabel_f", HAD[1:2], SAID[1:2], 0),
    case("multilabel_jaccard", HAD, SAID, (1 / 2 + 1 / 3 + 1 / 2) / 3),
    case("multilabel_jaccard", HAD, SAID, 3 / 7, average="micro"),
    case("multilabel_jaccard", HAD, SAID, (1 + 1 / 3) / 4, average="samples"),
    case("subset_accuracy", HAD, SAID, 1 / 4),
    case("subset_accuracy", HAD, SAID, 3 / 6, weight=(3, 1, 1, 1)),
    case("hamming_loss", HAD, SAID, (0 + 1 + 2 + 1) / 12),
    case("coverage_error", HAD, SAID, (2 + 2 + 3 + 0) / 4),
    case("lrap", HAD, SAID, (1 + 1 / 2 + (2 / 3 + 1 / 2) / 2 + 1) / 4),
    case("ranking_loss", HAD, SAID, (0 + 1 / 2 + 2 / 2 + 0) / 4),
    case("ranking_loss", HAD, SAID, (1 / 2 + 2 * 2 / 2) / 5, weight=(1, 1, 2, 1)),
    case("one_error", HAD, SAID, (0 + 1 / 2 + 1 / 2 + 1) / 4),
    case("multilabel_log_loss", HAD[:2], SAID[:2], -log(0.9 * 0.8 * 0.6 * 0.7 * 0.3 * 0.9) / 6),
    case("multilabel_log_loss", HAD[:2], SAID[:2], -log(0.9 * 0.7) / 2, of="0"),
    case("multilabel_log_loss", ((1, 0),), ((0.05, 0.5),), -log(0.1 * 0.5) / 2, clip=0.1),
    case("multilabel_brier", HAD[:2], SAID[:2], (0.01 + 0.04 + 0.16 + 0.09 + 0.49 + 0.01) / 6),
    # Of 0 all pairs; of 1 .3 over .2, .8 over both; of 2 .6 over .1 and .2.
    case("multilabel_roc_auc", HAD, SAID, (1 + 3 / 4 + 2 / 3) / 3),
    case("multilabel_roc_auc", HAD, SAID, (2 * 1 + 2 * 3 / 4 + 2 / 3) / 5, average="weighted"),
    case("multilabel_roc_auc", HAD, SAID, (7 + 5 + 4.5 + 5 + 6.5) / 35, average="micro"),
    case("multilabel_roc_auc", HAD, SAID, 3 / 4, of="1"),
    case("multilabel_roc_auc", HAD[3:], SAID[3:], nan),
    case("multilabel_average_precision", HAD, SAID, (1 + (1 + 2 / 3) / 2 + 1 / 2) / 3),
    case("multilabel_average_precision", HAD, SAID, 1 / 2, of="2"),
)
AMOUNTS = (*RESIDUAL, *RELATIVE, *DEVIANCE, *PREDICTED)
# Documents of grades 0, 1, 3 in this order; 1 1 1 of five relevant ones; two tied groups.
UP, LEFT, TIED = ((0, 1, 3), (3, 2, 1)), ((1, 1, 1), (3, 2, 1)), ((1, 0, nan, 1), (5, 5, 5, 1))
TWO = ((1, 0), (0, 1)), ((2, 1), (2, 1))
NONE = ((0, nan),), ((2, 1),)


def of_one(metric, lists, expected, source=BY_HAND, **params) -> Case:
    """A metric of a single query."""
    return case(metric, lists[:1], lists[1:], expected, source, **params)


YILMAZ = "Yilmaz, Aslam & Robertson (2008), section 4"
MANNING = "Manning, Raghavan & Schütze (2008), section 8.4"
KEKALAINEN = "Järvelin & Kekäläinen (2002), section 2"
RANKING = (
    of_one("precision_at", UP, 2 / 10, k=10),
    of_one("precision_at", UP, 1 / 3, relevant=2.0),
    of_one("precision_at", TIED, 1 / 3, k=1),
    case("precision_at", *TWO, 1 / 4, k=1, weight=(1, 3)),
    case("precision_at", *NONE, nan),
    of_one("recall_at", UP, 1 / 2, k=2),
    of_one("recall_at", TIED, 2 / 3 * 1 / 2, k=2),
    of_one("f_at", LEFT, 2 * 3 / (3 + 5), k=5),
    of_one("f_at", UP, 5 * 1 / (4 * 2 + 2), k=2, beta=2.0),
    of_one("r_precision", UP, 1 / 2),
    of_one("r_precision", TIED, 2 / 3 * 1 / 2),
    of_one("success_at", TIED, 2 / 3, k=2),
    of_one("success_at", UP, 0, k=1),
    case("success_at", *TWO, 3 / 4, k=1, weight=(3, 1)),
    of_one("rr", UP, 1 / 2),
    of_one("rr", UP, 0, k=1),
    of_one("rr", TIED, (1 + 1 / 2 + 1 / 3) / 3),
    case("rr", *TWO, (1 + 1 / 2) / 2),
    of_one("judged_at", TIED, (2 / 3 * 2) / 2, k=2),
    of_one("cg", UP, 4),
    of_one("cg", UP, 8, gain="exp2"),
    of_one("dcg", LEFT, 2.1309297535714578, "Burges et al. (2005), formula of DCG", gain="exp2"),
    of_one("dcg", UP, 1 + 3 * log(2) / log(3), KEKALAINEN, discount="original"),
    of_one("ndcg", UP, 0.58688267143572, "trec_eval 9.0.8, scikit-learn 1.9.1"),
    of_one("ndcg", UP, 0.5413402936435214, "gdeval, LightGBM 4.6", gain="exp2"),
    of_one(
        "ndcg",
        TIED,
        (1 / 3 * (1 + log(2) / log(3) + 1 / 2) + log(2) / log(5)) / (1 + log(2) / log(3)),
    ),
    of_one("err", UP, 0.16796875, "gdeval", top=4.0),
    of_one(
        "err", ((0, 0.5, 1), (3, 2, 1)), 1 / 2 * 1 / 2 + 1 / 3 * 1 / 2, mapping="linear", top=1.0
    ),
    of_one("rbp", UP, 0.5 * (0.5 + 0.25), p=0.5),
    of_one("rbp_residual", TIED, 0.5 * (1 + 0.5 + 0.25) / 3 + 0.5**4, p=0.5),
    of_one("ap", UP, (1 / 2 + 2 / 3) / 2),
    of_one("ap", ((0, 0, 1), (3, 2, 1)), 1 / 3 * 1 / 3, k=3, denominator="k"),
    of_one("ap", ((1, 0, 0), (3, 2, 1)), 1 / 3, k=3, denominator="k"),
    of_one("ap", LEFT, 1, k=3, denominator="k"),
    of_one("ap", ((0, 0, 1), (3, 2, 1)), 1 / 3, denominator="min"),  # of all ranks: relevant
    of_one("ap", TIED, ((1 + 1 / 2 + 1 / 3) / 3 + 2 / 4) / 2),
    of_one("gmap", UP, (1 / 2 + 2 / 3) / 2),
    case("gmap", *TWO, sqrt(1 * 1 / 2)),
    of_one(
        "gap",
        ((0, 1, 2, 3), (4, 3, 2, 1)),
        (1 / 2 + 2 / 3 + 3 / 4 + 1 / 3 + 2 / 4 + 1 / 4) / (3 + 2 + 1),
    ),
    of_one("bpref", UP, 0),
    of_one("bpref", TIED, (1 / 2 + 0) / 2),
    of_one("bpref", LEFT, 1),
    of_one("query_auc", ((0, 1, 0, 3), (4, 3, 2, 1)), 1 / 4),
    of_one("query_auc", TIED, (1 / 2 + 0) / 2),
    of_one("query_auc", LEFT, nan),
    of_one("ap", UP, (0.8 / 2 + 0.8**2 * 2 / 3) / 2, decay=0.8),
    of_one(
        "query_auc",
        ((0, 1, 0, 1, 0), (5, 4, 3, 2, 1)),
        (0.5 * 1 + 0.25 * 2) / 2 / (1 + 0.5 + 0.25),
        decay=0.5,
    ),
    of_one("query_pearson", ((0, 1, 3), (1, 2, 3)), 3 / sqrt(2 * 14 / 3)),
    of_one("query_kendall", ((0, 2, 1), (3, 2, 1)), (1 - 2) / 3),
    of_one("query_spearman", ((0, 2, 1), (3, 2, 1)), -1 / 2),
    of_one("tau_ap", ((0, 2, 1), (3, 2, 1)), (-1 / 1 + (1 - 1) / 2) / 2, YILMAZ),
    of_one("fap", ((1, 1, 1, 0, 0), (5, 4, 3, 2, 1)), 6 / 7),
    of_one("iprec", UP, 2 / 3, MANNING, recall=0.5),
    of_one("eleven_point", UP, 2 / 3, MANNING),
)

FINISHED = (
    Case("finished_score", (0, 0, 0), (0.5, 0.75, 1), 0.75),
    Case("finished_score", (0, 0), (2, 8), 4, weight=(2, 1), params={"better": "lower", "low": 0}),
)

SCORED = (
    Case("item_score", (0, 0, 0), (0.5, 0.75, 1), 0.75),
    Case("item_score", (0, 0), (2, 8), 4, weight=(2, 1), params={"better": "lower", "low": 0}),
    Case("pass_at", (0, 0, 0, 0), (1, 0, 0.5, 1), 0.5),
    Case("pass_at", (0, 0, 0, 0), (1, 0, 0.5, 1), 0.75, params={"least": 0.5}),
    Case("pass_at", (0, 0), (1, 1), nan, params={"k": 2}),
    Case("pass_all", (0, 0, 0, 0), (1, 0, 0.5, 1), 0.75, params={"least": 0.5}),
)

CASES = (
    *FINISHED,
    *SCORED,
    *AMOUNTS,
    *CONCORDANCE,
    *CORRELATION,
    *COST,
    *EXPECTED_COST,
    *MEAN_COST,
    *BUCKETS,
    *TOP,
    *BINARY,
    *CLASSES,
    *LABELS,
    *RANKING,
)
