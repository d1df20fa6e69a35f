"""Precision over recall beside what interpolation makes of it.

Both are steps: at each recall stands the precision of the fewest calls that reach it (raw), and the
highest precision of these or of more calls (interpolated). Tied scores are called together. The
area under the first is the average precision; what lies between the two, interpolation adds.
"""

from __future__ import annotations

import numpy as np

from reportgen.curves.classes import recalls
from reportgen.curves.presentation import Presentation
from reportgen.curves.spec import Trace, curve, kept_of_line
from reportgen.kernels.batch import Batch, Matrix, Vector
from reportgen.kernels.class_sums import SLACK, class_sums
from reportgen.metrics.classes.order import NO_POSITIVE
from reportgen.metrics.classes.precision_areas import precisions
from reportgen.metrics.retrieval import MANNING
from reportgen.rows import Classes


def _heights(rows: Classes, batch: Batch) -> tuple[Matrix, Matrix, Matrix]:
    """Weight of the positives called from each score up, raw and interpolated precision: (m, b)."""
    tp, fp = class_sums(rows, batch)
    raw = precisions(tp, fp)
    return tp[1:], raw, np.maximum.accumulate(raw[::-1], axis=0)[::-1]


def _at_recalls(tp: Matrix, heights: Matrix, grid: Vector) -> Matrix:
    """Heights where so large a share of the positives is called by the fewest calls, (b, g)."""
    found = np.full((tp.shape[1], len(grid)), np.nan)
    for lane in range(tp.shape[1]):
        of = tp[:, lane]
        if len(of) and of[-1] > 0:
            reached = np.searchsorted(of, np.maximum(grid - SLACK, SLACK) * of[-1])
            found[lane] = heights[np.minimum(reached, len(of) - 1), lane]
    return found


def raw_heights(rows: Classes, batch: Batch, grid: Vector) -> Matrix:
    """Share of the calls that are positive, where the fewest calls reach each recall: (b, g)."""
    tp, raw, _ = _heights(rows, batch)
    return _at_recalls(tp, raw, grid)


def _trace(rows: Classes, weight: Vector) -> Trace:
    """The corners of both staircases, and the areas under them."""
    tp, raw, best = (each[:, 0] for each in _heights(rows, Batch.of(weight)))
    if not len(tp) or not tp[-1] > 0:
        return Trace(np.array([0.0, 1.0]), np.full(2, np.nan))
    gained = np.diff(tp, prepend=0.0)
    steps = gained > SLACK * tp[-1]
    areas = [float(gained @ each / tp[-1]) for each in (raw, best)]
    x, low, high = (each.repeat(2) for each in (tp[steps] / tp[-1], raw[steps], best[steps]))
    x = np.append(0.0, x[:-1])
    places = kept_of_line(x, low)
    marks = {"raw": areas[0], "interpolated": areas[1], "added": areas[1] - areas[0]}
    return Trace(x[places], high[places], marks=marks, base=low[places])


@curve(
    title="Interpolated precision and recall",
    task="binary",
    needs="order",
    x_label="Recall",
    y_label="Precision",
    x_unit="share",
    y_unit="share",
    bounds=(0.0, 1.0),
    is_monotone=True,
    has_band=False,
    is_on_request=True,
    cite=MANNING,
    grid=recalls,
    trace=_trace,
    base=raw_heights,
    undefined=NO_POSITIVE,
    shown=Presentation(
        "Precision at each recall, raw and interpolated",
        "recall",
        "precision",
        reading="The lower line is the precision of the fewest calls that catch so many of the "
        "positives, the upper one the highest precision of these or of more calls. The shaded area "
        "between them, its size in brackets, is what interpolation adds: it never lowers a "
        "precision, and so favours every model, most of all on few positives.",
        place=3,
        is_apart=True,
        base="raw",
        noted={"raw": "area under the raw precision (average precision)"},
    ),
)
def interpolated_precision_recall(rows: Classes, batch: Batch, grid: Vector) -> Matrix:
    """The highest share of calls that are positive, of so large a share of positives or larger."""
    tp, _, best = _heights(rows, batch)
    return _at_recalls(tp, best, grid)
