"""ROC, DET and precision–recall curves."""

from __future__ import annotations

from functools import partial

import numpy as np

from reportgen.kernels.batch import Batch, Matrix, Vector
from reportgen.kernels.class_curves import (
    SLACK,
    compute_cell_class_heights,
    compute_class_heights,
    compute_class_sums,
    interpolate_other_class,
)
from reportgen.kernels.columns import kish_effective_rows
from reportgen.kernels.cumulative import divide
from reportgen.metrics.classification.precision_recall import DAVIS, SAITO, compute_precisions
from reportgen.metrics.classification.roc import NO_POSITIVE, ONE_CLASS
from reportgen.metrics.curves.curve import (
    Presentation,
    Trace,
    count_positives,
    count_thinner_negatives,
    count_thinner_positives,
    curve,
    select_line_points,
    thin_line,
)
from reportgen.metrics.regression.concordance import HANLEY
from reportgen.metrics.retrieval.counts import MANNING
from reportgen.metrics.rows import Classes

PLACES = 101
LEAST_RATE = 0.001  # from which on errors are told on an axis of Normal quantiles
MARTIN = (
    "Martin, Doddington, Kamm, Ordowski & Przybocki (1997), The DET curve in assessment of "
    "detection task performance, Eurospeech"
)


def false_positive_rate_grid(rows: Classes, weight: Vector) -> Vector:
    """Return where the ROC curve has its band: denser near 0, where thresholds mostly lie."""
    return np.asarray(np.linspace(0.0, 1.0, PLACES) ** 2)


def recall_band_grid(rows: Classes, weight: Vector) -> Vector:
    """Return where precision has its band: from the first hundredth of the positives on."""
    return np.linspace(0.0, 1.0, PLACES)[1:]


def _count_called_rows(rows: Classes, weight: Vector, grid: Vector) -> Vector:
    """Return how many rows are flagged where the curve stands, as equally weighted ones."""
    batch = Batch.from_weights(weight)
    tp, fp = compute_class_sums(rows, batch)
    at = grid[:, None] * tp[-1]
    called = (at + interpolate_other_class(tp, fp, at, is_fewest=True))[:, 0]
    return np.asarray(called / max(float(weight.sum()), 1e-300) * kish_effective_rows(weight))


def _roc_trace(rows: Classes, weight: Vector) -> Trace:
    tp, fp = (each[:, 0] for each in compute_class_sums(rows, Batch.from_weights(weight)))
    x, y = (divide(each[None, :], each[None, -1:])[0] for each in (fp, tp))
    if not (np.isfinite(x).all() and np.isfinite(y).all()):
        return Trace(np.array([0.0, 1.0]), np.full(2, np.nan))
    return Trace(*thin_line(x, y), marks={"area": float(np.trapezoid(y, x))})


def _space_rates(rows: Classes, weight: Vector) -> Vector:
    """Even places of the Normal quantile, as far as its axis goes."""
    from scipy.special import ndtr, ndtri  # here, since a list of curves must not wait for it

    return np.asarray(ndtr(np.linspace(ndtri(LEAST_RATE), -ndtri(LEAST_RATE), PLACES)))


def _det_trace(rows: Classes, weight: Vector) -> Trace:
    found = _roc_trace(rows, weight)
    return Trace(found.x, 1 - found.y)


def _det_by_cells(rows: Classes, batch: Batch, grid: Vector) -> Matrix:
    return 1 - _roc_by_cells(rows, batch, grid)


def _precision_trace(rows: Classes, weight: Vector) -> Trace:
    tp, fp = (each[1:, 0] for each in compute_class_sums(rows, Batch.from_weights(weight)))
    if not len(tp) or not tp[-1] > 0:
        return Trace(np.array([0.0, 1.0]), np.full(2, np.nan))
    grid = np.union1d(recall_band_grid(rows, weight), tp[tp > 0] / tp[-1])
    x, y = thin_line(grid, precision_recall(rows, Batch.from_weights(weight), grid)[0])
    return Trace(x, y, marks={"share of positives": float(tp[-1] / (tp[-1] + fp[-1]))})


def _compute_recall(tp: Matrix, positive: Vector, negative: Vector) -> Matrix:
    """Recall, (b, g), from their weights there (g, b) and both totals."""
    return np.where(negative[:, None] > 0, divide(tp.T, positive[:, None]), np.nan)


def _pure(fp: Matrix, positive: Vector, grid: Vector) -> Matrix:
    """Share of the calls that are positive at shares of the positives, (b, g)."""
    at = grid[:, None] * positive
    return divide(at.T, (at + fp).T)


def _roc_by_cells(rows: Classes, batch: Batch, grid: Vector) -> Matrix:
    found, fp, tp = compute_cell_class_heights(
        rows, batch, grid, of_positives=False, is_fewest=False
    )
    return _compute_recall(found, tp, fp)


def _precision_by_cells(rows: Classes, batch: Batch, grid: Vector) -> Matrix:
    found, tp, _ = compute_cell_class_heights(rows, batch, grid, of_positives=True, is_fewest=True)
    return _pure(found, tp, grid)


_roc_curve = partial(
    curve,
    task="binary",
    needs="order",
    x_unit="share",
    y_unit="share",
    bounds=(0.0, 1.0),
    is_monotone=True,
)


@_roc_curve(
    title="ROC curve",
    x_label="False positive rate",
    y_label="True positive rate (recall)",
    cite=HANLEY,
    grid=false_positive_rate_grid,
    trace=_roc_trace,
    undefined=ONE_CLASS,
    thin=count_thinner_negatives,
    among=count_positives,
    by_grid=_roc_by_cells,
    shown=Presentation(
        "ROC curve",
        "false positive rate",
        "recall",
        reading="The further up and left, the better: more positives are found at the same share "
        "of false positives among negatives.",
        place=1,
        has_diagonal=True,
        diagonal="a random order",
        noted={"area": "area under the curve"},
        has_equal_axes=True,
        is_compared=True,
        difference="Above zero the candidate finds more at that false positive rate.",
        is_paired=True,
    ),
)
def roc(rows: Classes, batch: Batch, grid: Vector) -> Matrix:
    """Recall at each false positive rate."""
    found, fp, tp = compute_class_heights(rows, batch, grid, of_positives=False, is_fewest=False)
    return _compute_recall(found, tp, fp)


@_roc_curve(
    title="Detection error trade-off",
    x_label="False positive rate",
    y_label="False negative rate",
    cite=MARTIN,
    grid=_space_rates,
    trace=_det_trace,
    undefined=ONE_CLASS,
    thin=count_thinner_negatives,
    among=count_positives,
    by_grid=_det_by_cells,
    is_on_request=True,
    shown=Presentation(
        "Detection error trade-off",
        "false positive rate",
        "false negative rate",
        reading="The further down and left, the better: fewer positives are missed at the same "
        "share of false positives among negatives. Both axes are spaced as the quantiles of a "
        "Normal distribution, so that Normal scores of equal spread give a straight line.",
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
    """Share of the positives that are missed, at each share of the negatives that are flagged."""
    return 1 - roc(rows, batch, grid)


@_roc_curve(
    title="Precision and recall",
    x_label="Recall",
    y_label="Precision",
    is_monotone=False,
    cite=f"{SAITO}; {DAVIS}",
    grid=recall_band_grid,
    trace=_precision_trace,
    undefined=NO_POSITIVE,
    thin=count_thinner_positives,
    among=_count_called_rows,
    by_grid=_precision_by_cells,
    shown=Presentation(
        "Precision at each recall",
        "recall",
        "precision",
        reading="Precision at each recall. The line is "
        "the share of positives, which a random order has throughout.",
        place=2,
        marks={"share of positives": "share of positives"},
        is_compared=True,
        difference="Above zero the precision of the candidate is higher at that recall.",
        is_paired=True,
        stretch="values of recall",
    ),
)
def precision_recall(rows: Classes, batch: Batch, grid: Vector) -> Matrix:
    """Precision at each recall."""
    found, tp, _ = compute_class_heights(rows, batch, grid, of_positives=True, is_fewest=True)
    return _pure(found, tp, grid)


def _heights(rows: Classes, batch: Batch) -> tuple[Matrix, Matrix, Matrix]:
    """Weight of the positives from each score up, raw and interpolated precision: (m, b)."""
    tp, fp = compute_class_sums(rows, batch)
    raw = compute_precisions(tp, fp)
    return tp[1:], raw, np.maximum.accumulate(raw[::-1], axis=0)[::-1]


def _interpolate_at_recalls(tp: Matrix, heights: Matrix, grid: Vector) -> Matrix:
    """Heights where so large a share of the positives is called by the fewest calls, (b, g)."""
    found = np.full((tp.shape[1], len(grid)), np.nan)
    for b in range(tp.shape[1]):
        of = tp[:, b]
        if len(of) and of[-1] > 0:
            reached = np.searchsorted(of, np.maximum(grid - SLACK, SLACK) * of[-1])
            found[b] = heights[np.minimum(reached, len(of) - 1), b]
    return found


def compute_raw_precision(rows: Classes, batch: Batch, grid: Vector) -> Matrix:
    """Share of the calls that are positive, where the fewest calls reach each recall: (b, g)."""
    tp, raw, _ = _heights(rows, batch)
    return _interpolate_at_recalls(tp, raw, grid)


def _trace(rows: Classes, weight: Vector) -> Trace:
    """Return the corners of both staircases, and the areas under them."""
    tp, raw, best = (each[:, 0] for each in _heights(rows, Batch.from_weights(weight)))
    if not len(tp) or not tp[-1] > 0:
        return Trace(np.array([0.0, 1.0]), np.full(2, np.nan))
    gained = np.diff(tp, prepend=0.0)
    steps = gained > SLACK * tp[-1]
    areas = [float(gained @ each / tp[-1]) for each in (raw, best)]
    x, low, high = (each.repeat(2) for each in (tp[steps] / tp[-1], raw[steps], best[steps]))
    x = np.append(0.0, x[:-1])
    places = select_line_points(x, low)
    marks = {"raw": areas[0], "interpolated": areas[1], "added": areas[1] - areas[0]}
    return Trace(x[places], high[places], marks=marks, base=low[places])


@_roc_curve(
    title="Interpolated precision and recall",
    x_label="Recall",
    y_label="Precision",
    has_band=False,
    is_on_request=True,
    cite=MANNING,
    grid=recall_band_grid,
    trace=_trace,
    base=compute_raw_precision,
    undefined=NO_POSITIVE,
    shown=Presentation(
        "Precision at each recall, raw and interpolated",
        "recall",
        "precision",
        reading="The lower line is the precision of the fewest flagged rows that hold so many of "
        "the positives, the upper one the highest precision of these or of more rows. The shaded "
        "area between them, its size in brackets, is what interpolation adds: it never lowers a "
        "precision, and so favours every model, most of all on few positives.",
        place=3,
        is_apart=True,
        base="raw",
        noted={"raw": "area under the raw precision (average precision)"},
    ),
)
def interpolated_precision_recall(rows: Classes, batch: Batch, grid: Vector) -> Matrix:
    """The highest share of calls that are positive, of so large a share of positives or larger."""  # noqa: D401
    tp, _, best = _heights(rows, batch)
    return _interpolate_at_recalls(tp, best, grid)
