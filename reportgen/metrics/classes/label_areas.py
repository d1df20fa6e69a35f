"""How well scores tell the rows with a label from those without: areas of one label, or of all."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import Any, Literal

import numpy as np

from reportgen.kernels.batch import Batch, Matrix, Vector
from reportgen.kernels.sums import weighted_sums
from reportgen.metrics import questions
from reportgen.metrics.binary import DELONG
from reportgen.metrics.classes.averages import averaged
from reportgen.metrics.classes.of_labels import fields_of, one_average
from reportgen.metrics.classes.precision_areas import SAITO
from reportgen.metrics.cutoff import HANLEY
from reportgen.metrics.spec import METRICS, BoundMetric, whole
from reportgen.metrics.statistic import Function
from reportgen.rows import Classes, LabelSets

Average = Literal["macro", "weighted", "micro"]
EACH = (
    "macro: the mean of the labels that have one; weighted: each by the weight that has it; micro: "
    "all cells of rows and labels as rows of one label."
)


def cells_of(rows: LabelSets) -> Classes:
    """Every row with every label as a row of its own, (n k,), row by row."""

    def found() -> Classes:
        code = rows.flags.ravel().astype(np.intp)
        return Classes(code, rows.scores.reshape(-1, 1), ("not there", "there"), rows.scale)

    return rows.once("cells", found)


def row_of_cell(rows: LabelSets) -> np.ndarray[Any, np.dtype[np.intp]]:
    """The row of each cell, (n k,)."""
    return np.repeat(np.arange(len(rows)), len(rows.labels))


def _each(name: str, rows: LabelSets) -> Iterator[BoundMetric]:
    """The metric of two classes on each label."""
    return (METRICS[name].bind(rows.of(k)) for k in range(len(rows.labels)))


def _shares(rows: LabelSets, batch: Batch) -> Matrix:
    """The share of the weight with each label, (b, k)."""
    with np.errstate(invalid="ignore", divide="ignore"):
        sums = weighted_sums(batch, rows.flags.astype(np.float64))
        return np.asarray(sums / batch.totals[:, None])


def _fast(name: str, rows: LabelSets, batch: Batch, *, average: str, **_: Any) -> Vector:
    if average == "micro":
        return METRICS[name].bind(cells_of(rows))(batch.slice(row_of_cell(rows)))
    each = np.stack([bound(batch) for bound in _each(name, rows)], axis=1)
    return np.clip(averaged(each, _shares(rows, batch), average, "skip"), 0.0, 1.0)


def _define(name: str, rows: LabelSets, weight: Vector, average: str) -> float:
    if average == "micro":
        return METRICS[name].bind(cells_of(rows)).define(weight[row_of_cell(rows)])
    each = np.array([[bound.define(weight) for bound in _each(name, rows)]])
    total = weight.sum()
    share = (weight @ rows.flags / total if total else np.zeros(len(rows.labels)))[None, :]
    return float(averaged(each, share, average, "skip")[0])


def _influence(
    name: str, rows: LabelSets, weight: Vector, *, average: str, **_: Any
) -> Vector | None:
    """Each row's pull on every area, and where they are weighted on what each counts for."""
    if average == "micro":
        phi = METRICS[name].bind(cells_of(rows)).influence(weight[row_of_cell(rows)])
        return None if phi is None else np.asarray(phi.reshape(len(rows), -1).mean(axis=1))
    share = (weight @ rows.flags) / weight.sum()
    pulls, total = [], 0.0
    for k, bound in enumerate(_each(name, rows)):
        area, phi = float(bound(Batch.of(weight))[0]), bound.influence(weight)
        if np.isnan(area) or phi is None or not share[k]:
            continue
        counts = float(share[k]) if average == "weighted" else 1.0
        moves = rows.flags[:, k] - share[k] if average == "weighted" else np.zeros(len(rows))
        pulls.append((counts, area, phi, moves))
        total += counts
    if not pulls:
        return None
    mean = sum(counts * area for counts, area, _, _ in pulls) / total
    parts = [counts * phi + moves * (area - mean) for counts, area, phi, moves in pulls]
    return np.asarray(np.sum(parts, axis=0) / total)


def of_areas(**about: Any) -> Callable[[Function], Function]:
    """Register f(rows, weight, average, of), the metric of two classes of each label, or of all."""
    return partial(_register, about)


def _register(about: Mapping[str, Any], function: Function) -> Function:
    own = function.__name__
    two = own.removeprefix("multilabel_")
    whole(
        **about,
        asked_as={"name": two},
        task="multilabel",
        better="higher",
        bounds=(0.0, 1.0),
        unit="1",
        estimand="share of an area",
        needs="order",
        inputs=lambda rows, **_: (rows,),
        check=one_average,
        fields_for=lambda **params: fields_of(own, two, params),
        fast=partial(_fast, two),
        influence=partial(_influence, two),
        answers=questions.CLASSES,
        blind="whether the probabilities are right, and which labels are called",
    )(function)
    return function


@of_areas(
    aliases=("auc", "auroc", "c_statistic"),
    title="AUC",
    cite=f"{HANLEY}; {DELONG}",
    formula=f"of a label: Σ w_i w_j ([score_i > score_j] + ½[tied]) / Σ w_i w_j, i has it, j does "
    f"not. {EACH}",
    undefined="where no label is there on some rows and missing on others",
    caveat="In micro, scores of one label are held against those of another: a common label that "
    "is scored high makes it high.",
    asks="how well the scores of a label tell the rows with it from those without (one half is "
    "chance)",
)
def multilabel_roc_auc(
    rows: LabelSets, weight: Vector, *, average: Average = "macro", of: str | None = None
) -> float:
    """Chance that a row with a label has a higher score of it than one without, on average."""
    return _define("roc_auc", rows, weight, average)


@of_areas(
    aliases=("auprc_steps", "pr_auc_steps"),
    title="Average precision",
    cite=SAITO,
    formula="of a label: Σ over thresholds of the gain in recall times the precision there. "
    f"{EACH}",
    undefined="where no row has a label",
    caveat="Of a label it rises with the share of rows that have it, which is what a random order "
    "has.",
    asks="how clean the rows called a label stay as more of those with it are found",
)
def multilabel_average_precision(
    rows: LabelSets, weight: Vector, *, average: Average = "macro", of: str | None = None
) -> float:
    """Mean precision of the calls of a label along recall, on average over labels."""
    return _define("average_precision", rows, weight, average)
