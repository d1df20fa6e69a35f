"""Curves of two classes over all thresholds: ROC, and precision over recall.

Both walk along one class from the highest score down and tell what stands of the other. Rows with
tied scores come in together: the ROC curve runs straight there, precision along a hyperbola.
"""

from __future__ import annotations

import numpy as np

from reportgen.curves.presentation import Presentation
from reportgen.curves.spec import Trace, curve, thinned
from reportgen.curves.support import negatives_beside, positives_among, positives_beside
from reportgen.kernels.batch import Batch, Matrix, Vector
from reportgen.kernels.class_areas import classes_along
from reportgen.kernels.class_cells import classes_along_cells
from reportgen.kernels.class_sums import along, class_sums
from reportgen.kernels.cumulative import ratio
from reportgen.kernels.effective import effective_rows
from reportgen.metrics.classes.order import NO_POSITIVE, ONE_CLASS
from reportgen.metrics.classes.precision_areas import DAVIS, SAITO
from reportgen.metrics.cutoff import HANLEY
from reportgen.rows import Classes

PLACES = 101
LEAST_RATE = 0.001  # from which on errors are told on an axis of Normal quantiles
MARTIN = (
    "Martin, Doddington, Kamm, Ordowski & Przybocki (1997), The DET curve in assessment of "
    "detection task performance, Eurospeech"
)


def false_positive_rates(rows: Classes, weight: Vector) -> Vector:
    """Where the ROC curve has its band: denser near 0, where thresholds mostly lie."""
    return np.asarray(np.linspace(0.0, 1.0, PLACES) ** 2)


def recalls(rows: Classes, weight: Vector) -> Vector:
    """Where precision has its band: from the first hundredth of the positives on."""
    return np.linspace(0.0, 1.0, PLACES)[1:]


def _called_among(rows: Classes, weight: Vector, grid: Vector) -> Vector:
    """How many rows are called where the curve stands, as equally weighted ones."""
    batch = Batch.of(weight)
    tp, fp = class_sums(rows, batch)
    at = grid[:, None] * tp[-1]
    called = (at + along(tp, fp, at, is_fewest=True))[:, 0]
    return np.asarray(called / max(float(weight.sum()), 1e-300) * effective_rows(weight))


def _roc_trace(rows: Classes, weight: Vector) -> Trace:
    tp, fp = (each[:, 0] for each in class_sums(rows, Batch.of(weight)))
    x, y = (ratio(each[None, :], each[None, -1:])[0] for each in (fp, tp))
    if not (np.isfinite(x).all() and np.isfinite(y).all()):
        return Trace(np.array([0.0, 1.0]), np.full(2, np.nan))
    return Trace(*thinned(x, y), marks={"area": float(np.trapezoid(y, x))})


def _spaced_rates(rows: Classes, weight: Vector) -> Vector:
    """Even places of the Normal quantile, as far as its axis goes."""
    from scipy.special import ndtr, ndtri  # here, since a list of curves must not wait for it

    return np.asarray(ndtr(np.linspace(ndtri(LEAST_RATE), -ndtri(LEAST_RATE), PLACES)))


def _det_trace(rows: Classes, weight: Vector) -> Trace:
    found = _roc_trace(rows, weight)
    return Trace(found.x, 1 - found.y)


def _det_by_cells(rows: Classes, batch: Batch, grid: Vector) -> Matrix:
    return 1 - _roc_by_cells(rows, batch, grid)


def _precision_trace(rows: Classes, weight: Vector) -> Trace:
    tp, fp = (each[1:, 0] for each in class_sums(rows, Batch.of(weight)))
    if not len(tp) or not tp[-1] > 0:
        return Trace(np.array([0.0, 1.0]), np.full(2, np.nan))
    grid = np.union1d(recalls(rows, weight), tp[tp > 0] / tp[-1])
    x, y = thinned(grid, precision_recall(rows, Batch.of(weight), grid)[0])
    return Trace(x, y, marks={"share of positives": float(tp[-1] / (tp[-1] + fp[-1]))})


def _caught(tp: Matrix, positive: Vector, negative: Vector) -> Matrix:
    """Share of the positives caught, (b, g), from their weights there (g, b) and both totals."""
    return np.where(negative[:, None] > 0, ratio(tp.T, positive[:, None]), np.nan)


def _pure(fp: Matrix, positive: Vector, grid: Vector) -> Matrix:
    """Share of the calls that are positive at shares of the positives, (b, g)."""
    at = grid[:, None] * positive
    return ratio(at.T, (at + fp).T)


def _roc_by_cells(rows: Classes, batch: Batch, grid: Vector) -> Matrix:
    found, fp, tp = classes_along_cells(rows, batch, grid, of_positives=False, is_fewest=False)
    return _caught(found, tp, fp)


def _precision_by_cells(rows: Classes, batch: Batch, grid: Vector) -> Matrix:
    found, tp, _ = classes_along_cells(rows, batch, grid, of_positives=True, is_fewest=True)
    return _pure(found, tp, grid)


@curve(
    title="ROC curve",
    task="binary",
    needs="order",
    x_label="False positive rate",
    y_label="True positive rate (recall)",
    x_unit="share",
    y_unit="share",
    bounds=(0.0, 1.0),
    is_monotone=True,
    cite=HANLEY,
    grid=false_positive_rates,
    trace=_roc_trace,
    undefined=ONE_CLASS,
    thin=negatives_beside,
    among=positives_among,
    by_grid=_roc_by_cells,
    shown=Presentation(
        "ROC curve",
        "false positive rate",
        "recall",
        reading="The further up and left, the better: more positives are caught at the same share "
        "of false alarms among negatives.",
        place=1,
        has_diagonal=True,
        diagonal="a random order",
        noted={"area": "area under the curve"},
        has_equal_axes=True,
        is_compared=True,
        difference="Above zero the candidate catches more at that false positive rate.",
        is_paired=True,
    ),
)
def roc(rows: Classes, batch: Batch, grid: Vector) -> Matrix:
    """Share of the positives that are caught, at each share of the negatives that are called."""
    found, fp, tp = classes_along(rows, batch, grid, of_positives=False, is_fewest=False)
    return _caught(found, tp, fp)


@curve(
    title="Detection error trade-off",
    task="binary",
    needs="order",
    x_label="False positive rate",
    y_label="False negative rate",
    x_unit="share",
    y_unit="share",
    bounds=(0.0, 1.0),
    is_monotone=True,
    cite=MARTIN,
    grid=_spaced_rates,
    trace=_det_trace,
    undefined=ONE_CLASS,
    thin=negatives_beside,
    among=positives_among,
    by_grid=_det_by_cells,
    is_on_request=True,
    shown=Presentation(
        "Detection error trade-off",
        "false positive rate",
        "false negative rate",
        reading="The further down and left, the better: fewer positives are missed at the same "
        "share of false alarms among negatives. Both axes are spaced as the quantiles of a Normal "
        "distribution, so that Normal scores of equal spread give a straight line.",
        place=1,
        x_scale="probit",
        y_scale="probit",
        is_compared=True,
        difference="Above the line of no difference the candidate misses fewer at that false "
        "positive rate.",
        is_better_below=True,
    ),
)
def det(rows: Classes, batch: Batch, grid: Vector) -> Matrix:
    """Share of the positives that are missed, at each share of the negatives that are called."""
    return 1 - roc(rows, batch, grid)


@curve(
    title="Precision and recall",
    task="binary",
    needs="order",
    x_label="Recall",
    y_label="Precision",
    x_unit="share",
    y_unit="share",
    bounds=(0.0, 1.0),
    is_monotone=False,
    cite=f"{SAITO}; {DAVIS}",
    grid=recalls,
    trace=_precision_trace,
    undefined=NO_POSITIVE,
    thin=positives_beside,
    among=_called_among,
    by_grid=_precision_by_cells,
    shown=Presentation(
        "Precision at each recall",
        "recall",
        "precision",
        reading="How pure the calls are when this share of the positives is caught. The line is "
        "the share of positives, which a random order has throughout.",
        place=2,
        marks={"share of positives": "share of positives"},
        is_compared=True,
        difference="Above zero the calls of the candidate are purer at that recall.",
        is_paired=True,
        stretch="recalls",
    ),
)
def precision_recall(rows: Classes, batch: Batch, grid: Vector) -> Matrix:
    """Share of the calls that are positive, where so large a share of the positives is called."""
    found, tp, _ = classes_along(rows, batch, grid, of_positives=True, is_fewest=True)
    return _pure(found, tp, grid)
