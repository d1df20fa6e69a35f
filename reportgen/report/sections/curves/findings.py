"""What a curve shows, in one sentence with numbers."""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence

from reportgen.report.document import Block, Cell, Figure, Table
from reportgen.report.prose import classes
from reportgen.report.sections.curves.deciles import describe_top_bucket
from reportgen.report.sections.curves.drawing import find_curve_info
from reportgen.report.sections.index import Index
from reportgen.report.sections.tables import (
    build_table,
    make_interval_cell,
    make_value_cell,
    model_column,
    number_column,
    share_column,
)
from reportgen.report.wording import numbers
from reportgen.report.wording.names import clean_name, join_list, lower_first_word
from reportgen.report.wording.numbers import add_unit
from reportgen.report.wording.operating_points import describe_in_order
from reportgen.report.wording.verdicts import choose_values_format
from reportgen.results.curves import CurveResult
from reportgen.results.sensitivity import CurvePeak
from reportgen.results.types import Number

_BINS = "reliability_bins"
MOST_DEPARTURES = (
    0.6  # share of what lies between the first and the last stretch, from which it is one
)
_LEAST = 0.01  # how wide a stretch must be to be named


def describe_departures(index: Index, curves: Sequence[CurveResult]) -> str:
    """Describe the probabilities shown too high or too low; nothing where no band is known.

    Of several stretches on one side the widest is named, if it is a percentage point or more, or
    the whole from the first to the last where they hold most of it. A
    model whose probabilities the page doubts as a whole is not said to be right. Nothing is said
    of a model that has no band, and that nothing doubts.
    """
    known = [curve for curve in curves if any(v is not None for v in curve.band_low)]
    if not known:
        return ""
    off = {curve.model: _describe_departures(curve) for curve in known}
    names = {curve.model: index.short_label(curve.model, 30) for curve in known}
    clauses = [f"{names[model]} {where}" for model, where in off.items() if where]
    doubted = _find_doubted_calibrations(index)
    whole = [model for model, where in off.items() if not where and model in doubted]
    calm = [names[model] for model, where in off.items() if not where and model not in doubted]
    is_binned = known[0].curve == _BINS
    place = "in no one bin" if is_binned else "at no one stretch"
    leaning = {
        how: [names[model] for model in whole if doubted[model] == how]
        for how in dict.fromkeys(doubted[model] for model in whole)
    }
    if leaning:
        said = [f"{join_list(mine)} {_choose_verb(mine)} {how}" for how, mine in leaning.items()]
        clauses.append(f"{', and '.join(said)} as a whole, but {place} alone")
    # Of many models some have no band: of these only what holds as a whole is known.
    bare = [c.model for c in curves if c.model in doubted and c.model not in off]
    if bare:
        mine = [index.short_label(model, 30) for model in dict.fromkeys(bare)]
        also = "too" if leaning else "as a whole"
        clauses.append(f"{join_list(mine, 3)} {_choose_verb(mine)} off {also}")
    where = "in any bin" if is_binned else "over a stretch of 1 point or more"
    has_all = all(curve.model in off for curve in curves)
    if len(calm) > 1 and not clauses and has_all:
        return f"No model is clearly off {where}"
    if calm:
        clauses.append(f"{join_list(calm)} {_choose_verb(calm)} not clearly off {where}")
    return "; ".join(clauses)


def _find_doubted_calibrations(index: Index) -> dict[str | None, str]:
    """Find how models are off by a warning, by the test of calibration or by the slope.

    Of one the slope alone may say that it is too extreme, or not enough.
    """
    main = index.main.name
    found: dict[str | None, str] = {
        c.model: classes.describe_lean(c) or "off"
        for c in index.main_calibrations
        if classes.is_called_miscalibrated(c)
    }
    warned = {
        w.model for w in index.results.warnings if w.code == "W120" and w.dataset in (None, main)
    }
    return found | dict.fromkeys(warned, "off")


def _choose_verb(models: Sequence[str]) -> str:
    return "is" if len(models) == 1 else "are"


def _describe_departures(curve: CurveResult) -> str:
    """On which probabilities one model is too high and on which too low."""
    said = []
    for sign, word in ((-1, "over"), (1, "under")):
        ends = max(_iter_stretches(curve, sign), key=lambda pair: pair[1] - pair[0], default=None)
        if ends is None or (curve.curve != _BINS and ends[1] - ends[0] < _LEAST):
            continue
        every = list(_iter_stretches(curve, sign))
        whole = every[0][0], every[-1][1]
        held = sum(high - low for low, high in every)
        is_most = len(every) > 1 and held > MOST_DEPARTURES * (whole[1] - whole[0])
        shown = dict.fromkeys(map(numbers.format_percent, whole if is_most else ends))
        most = "most probabilities from " if is_most else ""
        said.append(f"{word}-predicts at {most}{' to '.join(shown)}")
    return join_list(said)


def _iter_stretches(curve: CurveResult, sign: int) -> Iterator[tuple[float, float]]:
    """Yield the stretches on which what happened lies on one side of what the probabilities say."""
    start: Number = None
    last: Number = None
    for x, own in zip(curve.x, _iter_sides(curve), strict=True):
        if own == sign and x is not None:
            start, last = (x if start is None else start), x
        elif start is not None and last is not None:
            yield start, last
            start = None
    if start is not None and last is not None:
        yield start, last


def _iter_sides(curve: CurveResult) -> Iterator[int]:
    """1 where more happened than the probabilities say, -1 where less, 0 where neither is shown.

    The band of bins is around what happened; the other is around what a right model would have.
    """
    is_around_it = curve.curve == _BINS
    for x, y, low, high in zip(curve.x, curve.y, curve.band_low, curve.band_high, strict=True):
        if x is None or y is None or low is None or high is None:
            yield 0
        elif is_around_it:
            yield (low > x) - (high < x)
        else:
            yield (y > high) - (y < low)


_SHARE = "share"


def add_peak_tables(index: Index, blocks: Sequence[Block]) -> list[Block]:
    """Return the figures, that of each curve with a peak followed by the table of its peaks."""
    tables = dict(iter_peak_tables(index))
    made: list[Block] = []
    for block in blocks:
        made.append(block)
        curve = next((name for name in tables if _is_of(block, name)), None)
        made += [tables.pop(curve)] if curve is not None else []
    return [*made, *tables.values()]


def iter_peak_tables(index: Index) -> Iterator[tuple[str, Table]]:
    """Yield the name of each curve with the table of its peaks on the main dataset."""
    mine = [peak for peak in index.sensitivity.peaks if peak.dataset == index.main.name]
    for curve in dict.fromkeys(peak.curve for peak in mine):
        yield curve, _build_table(index, [peak for peak in mine if peak.curve == curve])


def describe_peaks(index: Index, curves: Sequence[CurveResult]) -> str:
    """At which rank the curve of each model is highest, as the title of its figure."""
    said = [
        (numbers.format_count(x), index.short_label(curve.model, 30))
        for curve in curves
        if (x := curve.marks.get("peak")) is not None
    ]
    is_one = len({rank for rank, _ in said}) == 1 and len(curves) == len(said) > 1
    each = [f"{said[0][0]} for every model"] if is_one else [f"{k} for {of}" for k, of in said]
    what = find_curve_info(index, curves[0].curve).title.removesuffix(" by depth")
    return f"{what} is highest at rank {join_list(each)}" if each else ""


def _is_of(block: Block, curve: str) -> bool:
    return isinstance(block, Figure) and block.id.startswith(f"{curve.replace('_', '-')}-curve")


def _build_table(index: Index, peaks: Sequence[CurvePeak]) -> Table:
    is_same = peaks[0].learnt_on == peaks[0].dataset
    title = find_curve_info(index, peaks[0].curve).title.removesuffix(" by depth")
    what = lower_first_word(title) if not title.isupper() else title
    many = clean_name(index.main.case[1])
    level = numbers.format_level(peaks[0].level)
    how = (
        f"It was chosen on the {many} that it is judged on, anew in each resample for the "
        f"interval: on other {many} expect less than the {what} printed here."
        if is_same
        else f"It was chosen on the {many} of {clean_name(peaks[0].learnt_on)}, of which "
        "the "
        f"resamples are, and the {what} there is that of the {many} judged."
    )
    form = choose_values_format([(p.value, p.low, p.high) for p in peaks], _SHARE)
    return build_table(
        f"{peaks[0].curve.replace('_', '-')}-peaks",
        f"The rank at which {what} is highest: how many results to show. {how}",
        peaks,
        model_column(index, lambda p: p.model),
        number_column(
            "Rank to cut at",
            lambda p: Cell(_format_rank(p.x), note=_describe_peak_range(p), value=p.x),
            note="95% of resamples",
        ),
        share_column("Resamples with that rank", lambda p: p.share),
        number_column(
            f"{title} there",
            lambda p: make_interval_cell(form, p.value, p.low, p.high),
            note=f"{level} interval",
        ),
        None
        if is_same
        else number_column(
            f"Highest on these {many}",
            lambda p: make_value_cell(form, p.highest, _format_rank(p.highest_x)),
            note="at rank",
        ),
    )


def _format_rank(x: float | None) -> str:
    return numbers.MISSING if x is None else numbers.format_count(x)


def _describe_peak_range(peak: CurvePeak) -> str:
    if peak.x_low is None or peak.x_high is None:
        return ""
    if peak.x_low == peak.x_high:
        return f"{_format_rank(peak.x_low)} alone"
    return f"{_format_rank(peak.x_low)} to {_format_rank(peak.x_high)}"


MOST = 4  # models that a title names
TOP, LOWEST, HALF = 0.1, 0.8, 0.5
LEAST = 0.001  # of an area that is printed as a number
DUST = 1e-12  # of an area: what rounding leaves of none

Told = Callable[[Index, Sequence[CurveResult]], str]


def describe_curve(index: Index, curves: Sequence[CurveResult]) -> str:
    """Describe the curves of models that have a colour; empty where no rule gives a sentence."""
    shown = [c for c in curves if index.role(c.model) != "other"][:MOST]
    describe = _TOLD.get(curves[0].curve)
    return describe(index, shown) if describe is not None and shown else ""


def describe_curve_estimates(index: Index, curves: Sequence[CurveResult]) -> str:
    """Describe curves whose differences come first, where no difference is known."""
    shown = [c for c in curves if index.role(c.model) != "other"][:MOST]
    describe = _TOLD_ALONE.get(curves[0].curve)
    return describe(index, shown) if describe is not None and shown else ""


def _describe_half_error(index: Index, curves: Sequence[CurveResult]) -> str:
    """Describe the error that half of the rows stay below."""
    said = []
    for curve in curves:
        place = bisect_left([y or 0.0 for y in curve.y], 0.5)
        if place < len(curve.x):
            form = numbers.choose_format(curve.x[place], None, None, curve.x_unit)
            said.append((curve, form.amount(curve.x[place])))
    rows = _format_rows(index, curves[0])
    return _describe_by_model(f"Half of the {rows} are predicted to within", index, said)


def _format_lift(index: Index, curves: Sequence[CurveResult]) -> str:
    if not _is_of_amounts(index, curves[0]):
        return ""
    said = [
        (c, numbers.format_decimal(y, 1))
        for c in curves
        if (y := _find_value_at_share(c, TOP)) is not None
    ]
    top, rows = numbers.format_percent(TOP), _format_rows(index, curves[0])
    end = f" times the mean {_format_target(index, curves[0])} of all {rows}"
    return _describe_by_model(f"The top {top} of {rows} have", index, said, end)


def _list_percents(
    curves: Sequence[CurveResult], shares: Sequence[Number]
) -> list[tuple[CurveResult, str]]:
    """List the curves that have a share, with that in percent."""
    pairs = zip(curves, shares, strict=True)
    return [(curve, numbers.format_percent(share)) for curve, share in pairs if share is not None]


def _describe_rank_lift(index: Index, curves: Sequence[CurveResult]) -> str:
    """Describe how near each order comes to the best one, of the lead of that on a random order."""
    said = _list_percents(curves, [c.marks.get("share of best") for c in curves])
    begun = "Of the rank lift that the best order has over a random one,"
    return _describe_by_model(begun, index, said, " is reached")


def _describe_held_share(index: Index, curves: Sequence[CurveResult]) -> str:
    if not _is_of_amounts(index, curves[0]):
        return ""
    said = _list_percents(curves, [_find_value_at_share(c, TOP) for c in curves])
    top, rows = numbers.format_percent(TOP), _format_rows(index, curves[0])
    return _describe_by_model(
        f"The top {top} of {rows} hold", index, said, f" of {_format_target(index, curves[0])}"
    )


def _format_concentration(index: Index, curves: Sequence[CurveResult]) -> str:
    if not _is_of_amounts(index, curves[0]):
        return ""
    said = _list_percents(curves, [_find_value_at_share(c, LOWEST) for c in curves])
    share, rows = numbers.format_percent(LOWEST), _format_rows(index, curves[0])
    begun = f"The {share} of {rows} with the lowest scores hold"
    begun = describe_in_order(begun, [index.models[c.model].order for c in curves])
    return _describe_by_model(begun, index, said, f" of {_format_target(index, curves[0])}")


def _format_concordance(index: Index, curves: Sequence[CurveResult]) -> str:
    said = _list_percents(curves, [c.marks.get("area") for c in curves])
    case = clean_name(index.datasets[curves[0].dataset].case[0], 30)
    return _describe_by_model(
        f"On average a {case} is in the right order with", index, said, " of the others"
    )


def _describe_mean_auc(index: Index, curves: Sequence[CurveResult]) -> str:
    said = [
        (c, numbers.format_decimal(area, 3))
        for c in curves
        if (area := c.marks.get("area")) is not None
    ]
    return _describe_by_model(
        f"Over every cut-off of {_format_target(index, curves[0])} the mean AUC is",
        index,
        said,
        by="for",
    )


def _describe_roc_area(index: Index, curves: Sequence[CurveResult]) -> str:
    said = [
        (c, numbers.format_decimal(area, 3))
        for c in curves
        if (area := c.marks.get("area")) is not None
    ]
    return _describe_by_model("The area under the ROC curve is", index, said, by="for")


def _describe_found_share(index: Index, curves: Sequence[CurveResult]) -> str:
    said = _list_percents(curves, [_find_value_at_share(c, TOP) for c in curves])
    top, rows = numbers.format_percent(TOP), _format_rows(index, curves[0])
    return _describe_by_model(
        f"The {top} of {rows} first flagged hold", index, said, " of the positives"
    )


def _format_precision(index: Index, curves: Sequence[CurveResult]) -> str:
    said = _list_percents(curves, [_find_value_at_share(c, HALF) for c in curves])
    begun = f"Where {numbers.format_percent(HALF)} of the positives are found, the precision is"
    return _describe_by_model(begun, index, said, by="for")


def _describe_interpolation(index: Index, curves: Sequence[CurveResult]) -> str:
    """Describe what interpolation adds to the area under each model's precision."""
    said = [
        (c, describe_small_area(added))
        for c in curves
        if (added := c.marks.get("added")) is not None
    ]
    end = " to the area under precision and recall"
    return _describe_by_model("Interpolation adds", index, said, end, by="for")


def describe_small_area(area: float, short: bool = False) -> str:
    """Describe what is added to an area, maybe too little to print, in words or in few letters."""
    if area >= LEAST:
        return numbers.format_decimal(area, 3, signed=short)
    if area > DUST:
        return f"<{LEAST}" if short else f"less than {LEAST}"
    return "+0" if short else "nothing"


def _describe_highest_worth(index: Index, curves: Sequence[CurveResult]) -> str:
    """At how many thresholds the calls of each model are worth most; none of equal ones is."""
    best: Counter[int] = Counter()
    for values in zip(*(c.y for c in curves), strict=True):
        known = [v for v in values if v is not None]
        if known and values.count(max(known)) == 1:
            best[values.index(max(known))] += 1
    points = len(curves[0].x)
    said = [
        (c, f"{best[k]}{f' of {points} thresholds' if not j else ''}")
        for j, (k, c) in enumerate(enumerate(curves))
    ]
    return (
        _describe_by_model("By the estimates flags are worth most at", index, said)
        if len(curves) > 1
        else ""
    )


def _describe_over_and_under(index: Index, curves: Sequence[CurveResult]) -> str:
    """Describe how much each model predicts too high and too low, as means of a row or as sums."""
    case = clean_name(index.datasets[curves[0].dataset].case[0], 30)
    of_one, of_all = f"per {case}", "in all"
    said: list[tuple[CurveResult, str]] = []
    for curve in curves:
        over, under = curve.marks.get("over"), curve.marks.get("under")
        if over is None or under is None:
            continue
        form = min(
            (numbers.choose_format(v, None, None, curve.y_unit) for v in (over, -under)),
            key=lambda each: each.decimals,
        )
        ends = ("", "")
        if not said:
            ends = (" too high", f" too low {of_all if curve.params.get('raw') else of_one}")
        each = f"{form.amount(over)}{ends[0]} and {form.amount(-under)}{ends[1]}"
        said.append((curve, each))
    is_squared = curves[0].params.get("loss") == "quadquad"
    return _describe_by_model(
        f"{'Squared errors' if is_squared else 'Errors'} come to", index, said
    )


def _describe_commonest_error(index: Index, curves: Sequence[CurveResult]) -> str:
    """Describe the error at which each density is highest, as finely as its points allow."""
    said = []
    for curve in curves:
        known = [(y, k) for k, y in enumerate(curve.y) if y is not None]
        if not known:
            continue
        place = max(known)[1]
        low, high = curve.x[max(place - 1, 0)], curve.x[min(place + 1, len(curve.x) - 1)]
        form = numbers.choose_format(curve.x[place], low, high, curve.x_unit)
        said.append((curve, form.amount(curve.x[place], signed=True)))
    return _describe_by_model("By the estimates the commonest error is", index, said, by="for")


def _format_slope(index: Index, curves: Sequence[CurveResult]) -> str:
    """Describe how outcomes follow the prediction; who over-predicts the top has a figure above."""
    unit = curves[0].y_unit
    said = [
        (c, numbers.choose_format(slope, None, None, unit).amount(slope))
        for c in curves
        if (slope := c.marks.get("slope")) is not None
    ]
    begun = f"Per {add_unit('1', unit)} more predicted, {_format_target(index, curves[0])} is up by"
    return _describe_by_model(begun, index, said, by="for") or describe_top_bucket(index, curves)


def _is_of_amounts(index: Index, curve: CurveResult) -> bool:
    """Return whether shares of the target's sum mean something: no value of it is below zero."""
    columns = index.datasets[curve.dataset].columns
    least = next((column.minimum for column in columns if column.role == "y"), None)
    return least is not None and least >= 0


def _describe_by_model(
    begun: str, index: Index, said: Sequence[tuple[CurveResult, str]], end: str = "", by: str = "by"
) -> str:
    """One value a model; `end` follows the first."""
    if not said:
        return ""
    if len(said) > 1 and len({value for _, value in said}) == 1:
        return f"{begun} {said[0][1]}{end} {by} every model"
    each = [
        f"{value}{end if k == 0 else ''} {by} {index.short_label(curve.model, 30)}"
        for k, (curve, value) in enumerate(said)
    ]
    return f"{begun} {join_list(each)}"


def _find_value_at_share(curve: CurveResult, share: float) -> float | None:
    """Return the value at a share of the rows, or None where the curve has no point there."""
    near = [
        y for x, y in zip(curve.x, curve.y, strict=True) if x is not None and abs(x - share) < 1e-9
    ]
    return near[0] if near else None


def _format_rows(index: Index, curve: CurveResult) -> str:
    return clean_name(index.datasets[curve.dataset].case[1], 30)


def _format_target(index: Index, curve: CurveResult) -> str:
    dataset = index.datasets[curve.dataset]
    return clean_name(dataset.target_label or dataset.target, 40)


_TOLD: Mapping[str, Told] = {
    "bucket_calibration": _format_slope,
    "roc": _describe_roc_area,
    "cumulative_gains": _describe_found_share,
    "rec": _describe_half_error,
    "interpolated_precision_recall": _describe_interpolation,
    "lift": _format_lift,
    "concentration": _format_concentration,
    "concordance": _format_concordance,
    "auc_by_cutoff": _describe_mean_auc,
    "f_at_k": describe_peaks,
    "fap_at_k": describe_peaks,
    "gain": _describe_held_share,
    "rank_lift": _describe_rank_lift,
    "reliability": describe_departures,
    "reliability_bins": describe_departures,
    "rroc": _describe_over_and_under,
    "error_density": _describe_commonest_error,
}
_TOLD_ALONE: Mapping[str, Told] = {
    "precision_recall": _format_precision,
    "decision_curve": _describe_highest_worth,
}
