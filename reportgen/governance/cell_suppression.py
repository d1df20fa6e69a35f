"""Suppress small cells, bins and segments, with the complementary ones that would reveal them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from reportgen.data.sample import Codes, Sample
from reportgen.results.classification import (
    ConfusionDifference,
    ConfusionMatrix,
    LabelConfusion,
    OperatingPoint,
)
from reportgen.results.core import SegmentInfo
from reportgen.results.curves import CurveResult
from reportgen.results.sensitivity import PairedValues, Wins
from reportgen.results.types import round_number

SPREAD = ("distribution_y", "distribution_score", "distribution_error")
OF_BINS = (
    "bucket_calibration",
    "error_by_rank",
    "ranking",
    "reliability_bins",
    "positives_by_bucket",
)
BY_SCORE = tuple(
    """
    calibration decision_curve net_benefit_of_all precision_by_threshold recall_by_threshold
    f_by_threshold flagged_by_threshold cost_by_threshold brier_curve
""".split()
)
BY_CLASS = ("score_density", "score_density_of_negatives")
BY_RATE = ("roc", "det", "precision_recall", "interpolated_precision_recall")
OF_ROWS = ("row_log_loss", "costliest_rows")  # whose points are single rows
OF_CALLS = ("precision_by_prevalence",)  # which tells both shares of calls, that is their cells
PARTS = ("x", "y", "low", "high", "band_low", "band_high", "x_labels", "base")
TO = " to "
SURE = 1e-6  # of a row, by which shares may be rounded


def suppress_curves(
    curves: Sequence[CurveResult], fewest: int, samples: Mapping[str, Sample]
) -> Iterator[CurveResult]:
    """Yield the curves without any bin or step of fewer than `fewest` rows.

    Scores by class are kept only if every bar of both classes has enough rows.
    """
    sparse = {
        (c.dataset, c.model)
        for c in curves
        if c.curve in BY_CLASS and _has_few_rows(c, fewest, samples.get(c.dataset))
    }
    for curve in curves:
        if fewest < 2 or not curve.x:
            yield curve
            continue
        if curve.curve in BY_CLASS:
            if (curve.dataset, curve.model) not in sparse:
                yield curve
            continue
        if curve.curve in (*OF_ROWS, *OF_CALLS):
            continue
        sample = samples.get(curve.dataset)
        rows = count_row_equivalent(curve.n, sample)
        curve = _trim_curve_ends(curve, sample)
        if curve.curve in SPREAD:
            yield _join_bars(curve, rows, fewest)
        elif curve.curve not in OF_BINS:
            yield _pick_points(
                curve, _select_spaced_points(_estimate_rows_before(curve, rows, sample), fewest)
            )
        elif rows / len(curve.x) >= fewest:
            yield curve


def _trim_curve_ends(curve: CurveResult, sample: Sample | None) -> CurveResult:
    """Drop a score curve's points at the lowest and highest score, which belong to single rows."""
    model = None if sample is None else sample.models.get(curve.model)
    if curve.curve not in BY_SCORE or model is None or not len(model.score):
        return curve
    ends = (round_number(float(model.score.min())), round_number(float(model.score.max())))
    return _pick_points(curve, [k for k, x in enumerate(curve.x) if x not in ends])


def count_row_equivalent(n: int, sample: Sample | None) -> float:
    """Return the fewest rows that the sum of weights may come from: sum / largest weight."""
    weight = None if sample is None else sample.sampling.weight
    return float(n if weight is None or not len(weight) else weight.sum() / weight.max())


def _has_few_rows(curve: CurveResult, fewest: int, sample: Sample | None) -> bool:
    """Return whether a bar has too few rows of a class; True if the rows are not known."""
    if sample is None:
        return True
    own = (sample.y > 0) == (curve.curve == BY_CLASS[0])
    weight = sample.weights
    rows = float(weight[own].sum() / max(weight.max(), 1e-300)) if own.any() else 0.0
    return any(0 < (y or 0.0) * rows < fewest - SURE for y in curve.y)


def _join_bars(curve: CurveResult, rows: float, fewest: int) -> CurveResult:
    """Join bars of a distribution that hold too few rows; joined bars have no limits."""
    groups = group_small_bars([(y or 0.0) * rows for y in curve.y], fewest)
    if all(len(group) == 1 for group in groups):
        return curve
    made: dict[str, Any] = {}
    for name in PARTS:
        values = getattr(curve, name)
        made[name] = tuple(
            _merge_bar_part(name, [values[k] for k in group]) for group in groups if values
        )
    marks = dict(curve.marks)
    if "zeros" in marks and "0" not in made["x_labels"]:
        marks["zeros"] = 0.0
    return replace(curve, **made, marks=marks)


def group_small_bars(sizes: Sequence[float], fewest: int) -> list[list[int]]:
    """Group neighbouring bars, from left to right, until each group has enough rows or none.

    >>> group_small_bars([0, 9, 2, 1, 0, 4, 7, 1], 5)
    [[0], [1], [2, 3, 4, 5], [6, 7]]
    """
    groups: list[list[int]] = []
    open_: list[int] = []
    for k, size in enumerate(sizes):
        if not open_ and size < SURE:
            groups.append([k])
            continue
        open_.append(k)
        if sum(sizes[j] for j in open_) >= fewest - SURE:
            groups.append(open_)
            open_ = []
    while open_ and groups:
        open_ = [*groups.pop(), *open_]
        if sum(sizes[j] for j in open_) >= fewest - SURE:
            break
    return [*groups, open_] if open_ else groups


def _merge_bar_part(name: str, values: Sequence[Any]) -> Any:
    if len(values) == 1:
        return values[0]
    if name == "x":
        return round_number((values[0] + values[-1]) / 2)
    if name == "y":
        return round_number(sum(each or 0.0 for each in values))
    if name == "x_labels":
        return f"{values[0].split(TO)[0]}{TO}{values[-1].split(TO)[-1]}"
    return None


def _estimate_rows_before(curve: CurveResult, rows: float, sample: Sample | None) -> list[float]:
    """Estimate how many rows lie before each point of a curve."""
    x, y = (np.array([np.nan if v is None else v for v in part]) for part in (curve.x, curve.y))
    is_of_one = curve.baseline is None and sample is not None
    if curve.curve == "rec" and curve.baseline is None:
        return list(y * rows)
    if is_of_one and sample is not None and curve.curve in BY_RATE:
        upper = float(np.mean(sample.y == sample.y.max())) * rows if sample.n else 0.0
        if curve.curve in ("roc", "det"):
            caught = y if curve.curve == "roc" else 1 - y
            return list(x * (rows - upper) + caught * upper)
        return list(x * upper)
    if is_of_one and sample is not None and curve.curve in BY_SCORE:
        model = sample.models.get(curve.model)
        if model is not None:
            return list(np.searchsorted(np.sort(model.score), x).astype(float))
    if curve.x_unit == "share" and np.nanmin(x) >= 0 and np.nanmax(x) <= 1:
        return list(x * rows)
    return list(np.linspace(0, rows, len(x)))


def _select_spaced_points(places: Sequence[float], fewest: int) -> list[int]:
    """Return indices of the points to keep: first, last, and each far enough from the one before.

    >>> _select_spaced_points([0, 2, 5, 6, 11, 12], 5)
    [0, 2, 5]
    """
    kept = [0]
    for k in range(1, len(places)):
        if not abs(places[k] - places[kept[-1]]) < fewest - SURE:
            kept.append(k)
    last = len(places) - 1
    if kept[-1] != last:
        kept = [*(kept[:-1] if len(kept) > 1 else kept), last]
    return kept


def _pick_points(curve: CurveResult, kept: Sequence[int]) -> CurveResult:
    if len(kept) == len(curve.x):
        return curve
    picked: dict[str, Any] = {
        name: tuple(values[k] for k in kept) if (values := getattr(curve, name)) else values
        for name in PARTS
    }
    marks = dict(curve.marks)
    if (to := marks.get("drawn_to")) is not None:  # the next point that is kept replaces it
        marks["drawn_to"] = min((x for x in picked["x"] if x is not None and x >= to), default=to)
    return replace(curve, **picked, marks=marks)


Samples = Mapping[str, Sample]
Flags = NDArray[np.bool_]


def suppress_operating_points(
    points: Sequence[OperatingPoint], fewest: int, samples: Samples
) -> tuple[OperatingPoint, ...]:
    """Drop every operating point at which any model has a small cell, for all models."""
    few = {(p.dataset, p.name) for p in points if _has_small_cell(p, fewest, samples)}
    return tuple(p for p in points if (p.dataset, p.name) not in few)


def suppress_label_confusions(
    calls: Iterable[LabelConfusion], fewest: int, samples: Samples
) -> tuple[LabelConfusion, ...]:
    """Drop the `LabelConfusion` that have a small cell."""
    return tuple(each for each in calls if not _has_small_cell(each, fewest, samples))


def _has_small_cell(of: OperatingPoint | LabelConfusion, fewest: int, samples: Samples) -> bool:
    cells = (of.true_negatives, of.false_positives, of.false_negatives, of.true_positives)
    known = [each or 0.0 for each in cells]
    size = _build_row_estimate(sum(known), of.dataset, samples)
    return any(0 < size(each) < fewest - SURE for each in known)


def _build_row_estimate(total: float, dataset: str, samples: Samples) -> Callable[[float], float]:
    """Return a function that gives the least number of rows that can have a weight."""
    sample = samples.get(dataset)
    if sample is None or sample.sampling.weight is None or not total:
        return lambda weight: weight
    share = count_row_equivalent(sample.n, sample) / total
    return lambda weight: weight * share


def suppress_confusions(
    matrices: Iterable[ConfusionMatrix], fewest: int, samples: Samples
) -> tuple[ConfusionMatrix, ...]:
    """Return the confusion matrices with None for suppressed cells off the diagonal."""
    return tuple(_mask_matrix(each, fewest, samples) for each in matrices)


def suppress_confusion_differences(
    differences: Iterable[ConfusionDifference],
    matrices: Iterable[ConfusionMatrix],
    classes: Mapping[str, Sequence[str]],
) -> Iterator[ConfusionDifference]:
    """Yield the differences whose cells both models show: a share would give a cell's count."""
    known = {(each.dataset, each.model): each.weight for each in matrices}
    for each in differences:
        names = classes[each.dataset]
        i, j = names.index(each.value), names.index(each.predicted)
        if all(
            known[each.dataset, model][i][j] is not None
            for model in (each.candidate, each.baseline)
        ):
            yield each


def _mask_matrix(matrix: ConfusionMatrix, fewest: int, samples: Samples) -> ConfusionMatrix:
    weight = np.array([[x or 0.0 for x in row] for row in matrix.weight])
    size = _build_row_estimate(float(weight.sum()), matrix.dataset, samples)
    hidden = find_hidden_cells(np.vectorize(size, otypes=[float])(weight), fewest)
    return replace(
        matrix,
        weight=tuple(
            tuple(None if hidden[i, j] else x for j, x in enumerate(row))
            for i, row in enumerate(matrix.weight)
        ),
    )


def find_hidden_cells(rows: NDArray[np.float64], fewest: int) -> Flags:
    """Find the cells off the diagonal to hide so that no small one follows from its line.

    >>> few = np.array([[50.0, 1, 4, 9], [8, 60, 0, 7], [7, 9, 70, 6], [8, 5, 5, 80]])
    >>> find_hidden_cells(few, 5).astype(int)
    array([[0, 1, 1, 0],
           [0, 0, 0, 0],
           [0, 0, 0, 0],
           [0, 1, 1, 0]])
    """
    away = ~np.eye(len(rows), dtype=bool)
    hidden: Flags = away & (rows > 0) & (rows < fewest - SURE)
    before = -1
    while int(hidden.sum()) != before:
        before = int(hidden.sum())
        for line in range(len(rows)):
            _hide_more(rows[line], hidden[line], away[line], fewest)
        for line in range(len(rows)):
            _hide_more(rows[:, line], hidden[:, line], away[:, line], fewest)
    return hidden


def _hide_more(size: NDArray[np.float64], hidden: Flags, away: Flags, fewest: int) -> None:
    """Hide the next smallest cells of a line, in place, while a hidden one follows from sums."""
    while hidden.any() and (hidden.sum() < 2 or size[hidden].sum() < fewest - SURE):
        free = np.flatnonzero(away & ~hidden)
        if not len(free):
            return
        held = free[size[free] > 0]
        among = held if len(held) else free
        hidden[among[np.argmin(size[among])]] = True


def suppress_pairs(pairs: Iterable[PairedValues], fewest: int) -> tuple[PairedValues, ...]:
    """Return the pairs of values in which each box and each bar has no row or enough."""
    return tuple(
        each
        for each in pairs
        if not any(0 < (size or 0.0) < fewest for size in (*each.count, *each.bars))
    )


def suppress_wins(wins: Iterable[Wins], fewest: int) -> Iterator[Wins]:
    """Yield the wins with means over enough rows instead of each row's difference."""
    for each in wins:
        values = [x for x in each.differences if x is not None]
        count = min(len(values), each.n // fewest) if fewest > 1 else len(values)
        if count == len(values):
            yield each
            continue
        parts = np.array_split(np.array(values), count) if count else []
        yield replace(each, differences=tuple(float(f"{part.mean():.10g}") for part in parts))


NO_SEGMENT = (
    1e-6  # rows that a slice and a combination of others differ by, where they are the same
)
Matrix = NDArray[np.float64]


def find_small_segments(segments: Sequence[SegmentInfo], fewest: int) -> Iterator[str]:
    """Yield segments of fewer than `fewest` rows and, per column, the next smallest ones.

    The total less the other segments is the sum over the hidden ones. So of a column that has a
    small segment, at least two are hidden, and together they have `fewest` rows or more.

    >>> three = [SegmentInfo(f"a={k}", "a", str(k), n) for k, n in enumerate((9, 40, 50))]
    >>> [*find_small_segments(three, 30)]
    ['a=0', 'a=1']
    """
    yield from _iter_neighbouring_slices(
        segments, fewest, {s.segment for s in segments if s.n < fewest}
    )


def find_hidden_segments(
    segments: Sequence[SegmentInfo], codes: Mapping[str, Codes], fewest: int
) -> frozenset[str]:
    """Find the segments to hide so that none of them can be derived from those shown."""
    hidden = set(find_small_segments(segments, fewest))
    known = [s for s in segments if s.column in codes and s.value in codes[s.column].labels]
    if not hidden or len({s.column for s in known}) < 2:
        return frozenset(hidden)
    common = _count_shared_rows(known, codes)
    while (more := _find_slice_to_hide(known, common, hidden, fewest)) is not None:
        hidden = set(_iter_neighbouring_slices(segments, fewest, {*hidden, more}))
    return frozenset(hidden)


def _iter_neighbouring_slices(
    segments: Sequence[SegmentInfo], fewest: int, hidden: Iterable[str]
) -> Iterator[str]:
    known = set(hidden)
    for column in dict.fromkeys(each.column for each in segments):
        mine = sorted((s for s in segments if s.column == column), key=lambda s: (s.n, s.segment))
        kept = [s for s in mine if s.segment in known]
        others = (s for s in mine if s.segment not in known)
        while kept and (len(kept) < 2 or sum(s.n for s in kept) < fewest):
            following = next(others, None)
            if following is None:
                break
            kept.append(following)
        yield from (each.segment for each in kept)


def _count_shared_rows(known: Sequence[SegmentInfo], codes: Mapping[str, Codes]) -> Matrix:
    """Count the rows that each two slices share; the last row and column are those of all rows."""
    columns = list(dict.fromkeys(s.column for s in known))
    blocks: list[list[Matrix]] = []
    for a in columns:
        one = codes[a]
        shared = [
            np.bincount(
                one.code * len(codes[b].labels) + codes[b].code,
                minlength=len(one.labels) * len(codes[b].labels),
            ).reshape(len(one.labels), -1)
            for b in columns
        ]
        blocks.append([each.astype(np.float64) for each in shared])
    whole = np.block(blocks)
    starts = dict(
        zip(columns, np.cumsum([0, *(len(codes[c].labels) for c in columns)]), strict=False)
    )
    at = [int(starts[s.column]) + codes[s.column].labels.index(s.value) for s in known]
    inner = whole[np.ix_(at, at)]
    size = np.diag(inner)
    n = float(len(codes[columns[0]].code))
    return np.block([[inner, size[:, None]], [size[None, :], np.array([[n]])]])


def _find_slice_to_hide(
    known: Sequence[SegmentInfo], common: Matrix, hidden: set[str], fewest: int
) -> str | None:
    """Find a shown segment that reveals a hidden one or few rows; None if there is none."""
    away = [k for k, s in enumerate(known) if s.segment in hidden]
    told = [k for k, s in enumerate(known) if s.segment not in hidden]
    if not told:
        return None
    for k in told:
        inside = [
            j
            for j in told
            if j != k and common[j, k] == common[j, j] and 0 < common[k, k] - common[j, j] < fewest
        ]
        if inside:
            return known[inside[0]].segment
    whole = [*told, len(known)]
    inverse = np.linalg.pinv(common[np.ix_(whole, whole)], rcond=1e-12, hermitian=True)
    for h in away:
        shared = common[h, whole]
        if common[h, h] - shared @ inverse @ shared < NO_SEGMENT * max(common[h, h], 1.0):
            return _pick_segment_to_hide(known, common, told, h)
    return None


def _pick_segment_to_hide(
    known: Sequence[SegmentInfo], common: Matrix, told: Sequence[int], h: int
) -> str:
    """Pick the smallest shown segment of the hidden one's column, else one that shares its rows."""
    own = [k for k in told if known[k].column == known[h].column]
    near = own or [k for k in told if common[k, h] > 0] or list(told)
    return known[min(near, key=lambda k: (known[k].n, known[k].segment))].segment
