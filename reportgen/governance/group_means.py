"""Means of groups of rows in place of the values of single rows."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from functools import cached_property
from typing import Any

import numpy as np

from reportgen.data.sample import Index, Sample, Vector
from reportgen.records import record
from reportgen.results.across_datasets import AcrossComparison, AcrossDatasets
from reportgen.results.classification import OperatingPoint
from reportgen.results.core import ColumnProfile, Comparison, Estimate, MetricInfo
from reportgen.results.costs import CostAnalysis, IntervalEstimate
from reportgen.results.curves import CurveResult
from reportgen.results.sensitivity import CurvePeak
from reportgen.results.types import Number, Numbers, Params, round_number

Samples = Mapping[str, Sample]
LIMITS = ("low", "high", "band_low", "band_high")
BY_SCORE = tuple(
    """
    calibration reliability murphy decision_curve net_benefit_of_all precision_by_threshold
    recall_by_threshold f_by_threshold flagged_by_threshold cost_by_threshold brier_curve
""".split()
)
BY_TARGET = ("murphy", "auc_by_cutoff")
BY_ERROR = ("rec",)
ON_GRID = ("error_density",)  # whose grid begins at a quantile of the errors
OF_QUANTILE = ("median_ae",)  # metrics whose value is that of one row, or of two
OF_TOP = (
    "topk_capture",
    "capture",
    "lift",
    "recall_at",
    "fpr_at",
    "precision_at",
    "fap",
)  # of the first k rows
OF_QUANTILE_LOSS = ("linlin", "pinball")  # whose best constant is the error of a row
TOO_FEW = "hidden: too few rows"


@record(eq=False)
class GroupMeans:
    """Values of rows, sorted and cut into groups of at least `fewest` rows, which have means.

    >>> groups = GroupMeans(np.arange(10.0), 3)
    >>> groups.means
    array([1.5, 5. , 8. ])
    >>> groups.replace_value(0.0), groups.replace_value(5.5), groups.find_quantile(1.0)
    (1.5, 5.0, 8.0)
    """

    values: Vector
    fewest: int

    @cached_property
    def ordered(self) -> Vector:
        """The values in ascending order."""
        return np.sort(self.values[np.isfinite(self.values)])

    @cached_property
    def starts(self) -> Index:
        """The place of the first row of each group; equal values are in one group."""
        n = len(self.ordered)
        count = n // self.fewest
        if not count:
            return np.empty(0, dtype=np.intp)
        even = [int(part[0]) for part in np.array_split(np.arange(n), count)]
        tied = np.searchsorted(self.ordered, self.ordered[even])
        kept: list[int] = []
        for start in tied:
            if not kept or start - kept[-1] >= self.fewest:
                kept.append(int(start))
        if n - kept[-1] < self.fewest and len(kept) > 1:
            kept.pop()
        return np.array(kept, dtype=np.intp)

    @cached_property
    def means(self) -> Vector:
        """The mean of each group."""
        if not len(self.starts):
            return np.empty(0)
        sizes = np.diff(np.append(self.starts, len(self.ordered)))
        return np.asarray(np.add.reduceat(self.ordered, self.starts) / sizes)

    def replace_value(self, value: Number) -> Number:
        """Return the mean of the group that a value lies in, None where there is no group."""
        if value is None or not len(self.starts):
            return None
        group = int(np.searchsorted(self.ordered[self.starts], value, side="right")) - 1
        return round_number(float(self.means[max(group, 0)]))

    def find_quantile(self, share: float) -> Number:
        """Return the mean of the group that holds a quantile."""
        if not len(self.starts):
            return None
        return self.replace_value(float(self.ordered[round(share * (len(self.ordered) - 1))]))

    def find_mode(self) -> tuple[Number, Number]:
        """Return the commonest value and its share, None where too few rows have it."""
        if not len(self.ordered):
            return None, None
        distinct, count = np.unique(self.ordered, return_counts=True)
        most = int(np.argmax(count))
        if count[most] < self.fewest:
            return None, None
        return round_number(float(distinct[most])), round_number(count[most] / len(self.ordered))

    def average(self, x: Vector, y: Vector) -> Numbers:
        """Return the mean of a curve over the rows of each group."""
        if not np.isfinite(y).any():
            return tuple(None for _ in self.starts)
        present = np.isfinite(y) & np.isfinite(x)
        heights = np.interp(self.ordered, x[present], y[present])
        sizes = np.diff(np.append(self.starts, len(self.ordered)))
        return tuple(round_number(float(v)) for v in np.add.reduceat(heights, self.starts) / sizes)


def average_column(
    column: ColumnProfile, values: Vector | None, fewest: int
) -> ColumnProfile | None:
    """Return a profile with means of groups as quantiles; None if it would count few rows.

    It would if few values are 0, or if either of two classes is rare.
    """
    rest = column.n - column.zeros if column.is_flag else 0
    if 0 < column.zeros < fewest or 0 < rest < fewest:
        return None
    groups = GroupMeans(np.empty(0) if values is None else values, fewest)
    mode, mode_share = groups.find_mode()
    return replace(
        column,
        minimum=groups.find_quantile(0.0),
        q25=groups.find_quantile(0.25),
        median=groups.find_quantile(0.5),
        q75=groups.find_quantile(0.75),
        maximum=groups.find_quantile(1.0),
        mode=mode,
        mode_share=mode_share,
    )


def _get_scores(sample: Sample | None, model: str | None) -> Vector | None:
    columns = None if sample is None else sample.models.get(model or "")
    return None if columns is None or not len(columns.score) else columns.score


def _find_positions(curve: CurveResult, sample: Sample | None) -> Vector | None:
    """Find the values of rows that may be positions of a curve's points; None if there are none."""
    if curve.curve not in (*BY_SCORE, *BY_TARGET, *BY_ERROR) or sample is None:
        return None
    scores = [_get_scores(sample, name) for name in (curve.model, curve.baseline) if name]
    present = [each for each in scores if each is not None]
    if curve.curve in BY_ERROR:
        parts = [np.abs(each - sample.y) for each in present]
    else:
        parts = present if curve.curve in BY_SCORE else []
        parts = [*parts, sample.y] if curve.curve in BY_TARGET else parts
    return np.concatenate(parts) if parts else None


def average_curve(curve: CurveResult, sample: Sample | None, fewest: int) -> CurveResult:
    """Return a curve with one point for each group of rows, if its points were single rows.

    The position and the height of a point are means over the group.
    """
    if curve.curve in ON_GRID:
        return _move_to_round_grid(curve)
    values = _find_positions(curve, sample)
    if values is None or not curve.x:
        return curve
    groups = GroupMeans(values, fewest * (2 if curve.baseline or curve.curve in BY_TARGET else 1))
    x = np.array([np.nan if v is None else v for v in curve.x])
    made: dict[str, Any] = {"x": tuple(round_number(float(v)) for v in groups.means)}
    for name in ("y", *LIMITS, "base"):
        if part := getattr(curve, name):
            heights = np.array([np.nan if v is None else v for v in part])
            made[name] = groups.average(x, heights)
    marks = dict(curve.marks)
    for name in ("tolerance", "drawn_to"):
        if name in marks:
            marks[name] = groups.replace_value(marks[name])
    if curve.curve in BY_ERROR:
        marks.pop("area", None)
    return replace(curve, **made, marks=marks)


def _move_to_round_grid(curve: CurveResult) -> CurveResult:
    """Return a curve at multiples of a round number in place of a grid that begins at a row."""
    x = np.array([np.nan if v is None else v for v in curve.x])
    if len(x) < 3 or not np.isfinite(x).all():
        return curve
    step = float(f"{(x[-1] - x[0]) / (len(x) - 1):.0e}")
    grid = step * np.arange(np.ceil(x[0] / step), np.floor(x[-1] / step) + 1)
    made: dict[str, Any] = {"x": tuple(round_number(float(v)) for v in grid)}
    for name in ("y", *LIMITS, "base"):
        if part := getattr(curve, name):
            heights = np.array([np.nan if v is None else v for v in part])
            present = np.isfinite(heights)
            moved = np.interp(grid, x[present], heights[present]) if present.any() else grid * 0
            made[name] = tuple(round_number(float(v)) if present.any() else None for v in moved)
    return replace(curve, **made)


def average_points(
    points: Iterable[OperatingPoint], fewest: int, samples: Samples
) -> tuple[OperatingPoint, ...]:
    """Return operating points with means of groups of scores as learned thresholds."""

    def average_point(point: OperatingPoint) -> OperatingPoint:
        groups = _group_scores(samples.get(point.dataset), point.model, fewest)
        training_scores = _group_scores(
            samples.get(point.learnt_on or point.dataset), point.model, fewest
        )
        made: dict[str, Any] = {"lowest_flagged": groups.replace_value(point.lowest_flagged)}
        if point.rule == "learnt":
            for name in ("threshold", "threshold_low", "threshold_high"):
                made[name] = training_scores.replace_value(getattr(point, name))
        return replace(point, **made)

    return tuple(map(average_point, points))


def _group_scores(sample: Sample | None, model: str, fewest: int) -> GroupMeans:
    scores = _get_scores(sample, model)
    return GroupMeans(np.empty(0) if scores is None else scores, fewest)


def average_peaks(
    peaks: Iterable[CurvePeak], fewest: int, samples: Samples
) -> tuple[CurvePeak, ...]:
    """Return peaks with means of groups of scores as their positions."""

    def average_peak(peak: CurvePeak) -> CurvePeak:
        if peak.curve not in BY_SCORE:
            return peak
        groups = _group_scores(samples.get(peak.learnt_on or peak.dataset), peak.model, fewest)
        x, low, high, highest = map(
            groups.replace_value, (peak.x, peak.x_low, peak.x_high, peak.highest_x)
        )
        return replace(peak, x=x, x_low=low, x_high=high, highest_x=highest)

    return tuple(map(average_peak, peaks))


def average_constants(
    costs: Iterable[CostAnalysis], fewest: int, samples: Samples
) -> tuple[CostAnalysis, ...]:
    """Return costs in which a constant that is the error of a row is a mean of a group."""
    return tuple(
        each
        if each.model.loss not in OF_QUANTILE_LOSS
        else replace(
            each,
            decisions=tuple(
                replace(
                    decision,
                    models=tuple(
                        replace(
                            m,
                            constant=_average_constant(
                                m.constant, m.model, decision.shift, each.dataset, fewest, samples
                            ),
                        )
                        for m in decision.models
                    ),
                )
                for decision in each.decisions
            ),
            options=tuple(
                replace(
                    o,
                    constant=_average_constant(
                        o.constant, o.model, o.method, each.dataset, fewest, samples
                    ),
                )
                for o in each.options
            ),
        )
        for each in costs
    )


def _average_constant(
    constant: IntervalEstimate,
    model: str,
    shift: str,
    dataset: str,
    fewest: int,
    samples: Samples,
) -> IntervalEstimate:
    if shift not in ("optimal", "fitted"):
        return constant
    present = [
        sample.y - scores
        for name, sample in samples.items()
        if (name == dataset) == (shift == "optimal")
        and (scores := _get_scores(sample, model)) is not None
    ]
    groups = GroupMeans(np.concatenate(present) if present else np.empty(0), fewest)
    ends = (constant.value, constant.low, constant.high)
    return IntervalEstimate(*map(groups.replace_value, ends))


def has_bucket_quantile(params: Params) -> bool:
    """Return whether a metric or a curve shows another statistic of buckets than their means."""
    is_of_mean = params.get("statistic", "mean") == "mean" and params.get("quantile") is None
    return "buckets" in params and not is_of_mean


def _is_of_few_first(params: Params, n: int, name: str, fewest: int) -> bool:
    """Return whether a metric uses the first rows, or buckets, of fewer rows than `fewest`.

    A quantile of a bucket is the value of one row, whatever its size.
    """
    if has_bucket_quantile(params):
        return True
    known = {key: value for key, value in params.items() if isinstance(value, int | float)}
    counts = [n / known["buckets"]] if known.get("buckets") else []
    if name in OF_TOP:
        counts += [known["k"]] if "k" in known else []
        counts += [known["share"] * n] if "share" in known else []
        if "budget" in known and known.get("cost"):
            counts.append(known["budget"] / known["cost"])
    return any(count < fewest for count in counts)


def find_metrics_of_few_rows(
    metrics: Iterable[MetricInfo], rows: int, fewest: int, are_lists: bool
) -> frozenset[str]:
    """Find the keys of metrics whose value is that of one row, of two or of the first few."""
    return frozenset(
        m.key
        for m in metrics
        if m.name in OF_QUANTILE
        or (not are_lists and _is_of_few_first(m.params, rows, m.name, fewest))
    )


def _group_errors(
    sample: Sample | None, model: str, segment: str | None, fewest: int
) -> GroupMeans:
    scores = _get_scores(sample, model)
    if sample is None or scores is None:
        return GroupMeans(np.empty(0), fewest)
    errors = np.abs(scores - sample.y)
    column, _, value = (segment or "").partition("=")
    if segment is not None and column in sample.segments:
        codes = sample.segments[column]
        if value in codes.labels:
            errors = errors[codes.code == codes.labels.index(value)]
    return GroupMeans(errors, fewest)


def average_estimates(
    estimates: Iterable[Estimate], fewest: int, samples: Samples, are_lists: bool
) -> tuple[Estimate, ...]:
    """Return estimates without the values of few rows, and with means of groups as medians."""

    def average_estimate(e: Estimate) -> Estimate:
        if not are_lists and _is_of_few_first(e.params, e.n, e.metric, fewest):
            return replace(
                e,
                value=None,
                low=None,
                high=None,
                se=None,
                status="not applicable",
                reason=TOO_FEW,
            )
        if e.metric not in OF_QUANTILE:
            return e
        groups = _group_errors(samples.get(e.dataset), e.model, e.segment, fewest)
        value, low, high = map(groups.replace_value, (e.value, e.low, e.high))
        return replace(e, value=value, low=low, high=high)

    return tuple(map(average_estimate, estimates))


NUMBERS_OF_DIFFERENCE = (
    "difference",
    "low",
    "high",
)


def round_comparisons(
    comparisons: Iterable[Comparison], fewest: int, samples: Samples, are_lists: bool
) -> tuple[Comparison, ...]:
    """Return comparisons without the values of few rows, and with differences of medians rounded.

    They are rounded to the distance between the groups around the median.
    """

    def round_comparison(c: Comparison) -> Comparison:
        if not are_lists and _is_of_few_first(c.params, c.n, c.metric, fewest):
            gone: dict[str, Any] = dict.fromkeys(
                (*NUMBERS_OF_DIFFERENCE, "se", "p_value", "p_adjusted", "probability_better")
            )
            return replace(
                c,
                **gone,
                favours=None,
                word="no result",
                status="not applicable",
                reason=TOO_FEW,
            )
        if c.metric not in OF_QUANTILE:
            return c
        steps = [
            _find_step(_group_errors(samples.get(c.dataset), m, c.segment, fewest))
            for m in (c.candidate, c.baseline)
        ]
        step = max(steps)
        rounded: dict[str, Any] = {
            name: None if v is None or not step else round_number(round(v / step) * step)
            for name in NUMBERS_OF_DIFFERENCE
            for v in [getattr(c, name)]
        }
        return replace(c, **rounded)

    return tuple(map(round_comparison, comparisons))


def round_across(
    across: Iterable[AcrossDatasets], fewest: int, sample: Sample
) -> tuple[AcrossDatasets, ...]:
    """Return comparisons across data sets with rounded limits of signed ranks.

    Such a limit is the mean of the differences of two rows.
    """

    def round_pair(c: AcrossComparison) -> AcrossComparison:
        scores = [_get_scores(sample, name) for name in (c.candidate, c.baseline)]
        step = 0.0
        if scores[0] is not None and scores[1] is not None:
            step = _find_step(GroupMeans(scores[0] - scores[1], fewest))
        difference, low, high = (
            None if v is None or not step else round_number(round(v / step) * step)
            for v in (c.difference, c.low, c.high)
        )
        return replace(c, difference=difference, low=low, high=high)

    return tuple(replace(a, comparisons=tuple(map(round_pair, a.comparisons))) for a in across)


def _find_step(groups: GroupMeans) -> float:
    means = groups.means
    middle = len(means) // 2
    near = np.diff(means[max(middle - 1, 0) : middle + 2])
    if not len(near) or near.max() <= 0:
        return 0.0
    tens = 10.0 ** np.floor(np.log10(near.max()))
    return float(next(k * tens for k in (1, 2, 5, 10) if k * tens >= near.max()))
