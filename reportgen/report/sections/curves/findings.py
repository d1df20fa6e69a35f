"""What a curve shows, in one sentence with numbers."""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence

from reportgen.report import prose
from reportgen.report.document import Block, Cell, Figure, Table
from reportgen.report.prose import classes
from reportgen.report.prose.filters import join_by_model
from reportgen.report.prose.operating_points import describe_in_order
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
from reportgen.report.wording.verdicts import choose_values_format
from reportgen.results.curves import CurveResult
from reportgen.results.sensitivity import CurvePeak
from reportgen.results.types import Number

_BINS = "reliability_bins"
MOST_DEPARTURES = (
    0.6  # share of what lies between the first and the last stretch, from which it is one
)


def describe_departures(index: Index, curves: Sequence[CurveResult]) -> str:
    """Describe the probabilities shown too high or too low; nothing where no band is known.

    A band holds at all probabilities at once, so a single point outside it counts. Of several
    stretches on one side, the widest is named with the number of the others. If they hold most of
    what lies between the first and the last, all of it is named. A model whose probabilities the
    page doubts as a whole is not called right. A model without a band, and without doubts, is left
    out.
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
    leaning = {
        how: [names[model] for model in whole if doubted[model] == how]
        for how in dict.fromkeys(doubted[model] for model in whole)
    }
    if leaning:
        named = [(mine, len(mine) == 1, how) for how, mine in leaning.items()]
        is_average = named[-1][2].endswith("on average")
        clauses.append(
            prose.line("departs.whole", leaning=named, is_average=is_average, is_binned=is_binned)
        )
    # Of many models some have no band: of these only what holds as a whole is known.
    bare = [c.model for c in curves if c.model in doubted and c.model not in off]
    if bare:
        mine = [index.short_label(model, 30) for model in dict.fromkeys(bare)]
        clauses.append(
            prose.line("departs.bare", models=mine, is_one=len(mine) == 1, is_too=bool(leaning))
        )
    has_all = all(curve.model in off for curve in curves)
    if len(calm) > 1 and not clauses and has_all:
        return prose.line("departs.none", is_binned=is_binned)
    if calm:
        is_one = len(calm) == 1
        clauses.append(prose.line("departs.calm", models=calm, is_one=is_one, is_binned=is_binned))
    return "; ".join(clauses)


def _find_doubted_calibrations(index: Index) -> dict[str | None, str]:
    """Find how models are off by a warning, by the test of calibration or by the slope.

    Of one the slope alone may say that it is too extreme, or not enough.
    """
    main = index.main.name
    found: dict[str | None, str] = {
        c.model: classes.describe_lean(c) or "miscalibrated"
        for c in index.main_calibrations
        if classes.is_called_miscalibrated(c)
    }
    warned = {
        w.model for w in index.results.warnings if w.code == "W120" and w.dataset in (None, main)
    }
    return found | dict.fromkeys(warned, "miscalibrated")


def _describe_departures(curve: CurveResult) -> str:
    """On which probabilities one model is too high and on which too low."""
    said, has_others = [], False
    for sign in (-1, 1):
        every = list(_iter_stretches(curve, sign))
        if not every:
            continue
        ends = max(every, key=lambda pair: pair[1] - pair[0])
        whole = every[0][0], every[-1][1]
        held = sum(high - low for low, high in every)
        is_most = len(every) > 1 and held > MOST_DEPARTURES * (whole[1] - whole[0])
        others = 0 if is_most else len(every) - 1
        has_others = has_others or others > 0
        low, *high = dict.fromkeys(map(numbers.format_percent, whole if is_most else ends))
        said.append(
            prose.line(
                "departs.at",
                is_over=sign == -1,
                is_most=is_most,
                low=low,
                high="".join(high),
                others=others,
            )
        )
    return ", and ".join(said) if has_others else join_list(said)


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
    if not said:
        return ""
    return prose.line(
        "peaks.title",
        curve=find_curve_info(index, curves[0].curve).title.removesuffix(" by depth"),
        rank=said[0][0] if is_one else "",
        each=said,
    )


def _is_of(block: Block, curve: str) -> bool:
    return isinstance(block, Figure) and block.id.startswith(f"{curve.replace('_', '-')}-curve")


def _build_table(index: Index, peaks: Sequence[CurvePeak]) -> Table:
    is_same = peaks[0].learnt_on == peaks[0].dataset
    title = find_curve_info(index, peaks[0].curve).title.removesuffix(" by depth")
    what = lower_first_word(title) if not title.isupper() else title
    many = clean_name(index.main.case[1])
    level = numbers.format_level(peaks[0].level)
    form = choose_values_format([(p.value, p.low, p.high) for p in peaks], _SHARE)
    return build_table(
        f"{peaks[0].curve.replace('_', '-')}-peaks",
        prose.line(
            "peaks.caption",
            metric=what,
            cases=many,
            learnt_on="" if is_same else clean_name(peaks[0].learnt_on),
        ),
        peaks,
        model_column(index, lambda p: p.model),
        number_column(
            prose.line("peaks.cut"),
            lambda p: Cell(_format_rank(p.x), note=_describe_peak_range(p), value=p.x),
            note=prose.line("peaks.cut_note"),
        ),
        share_column(prose.line("peaks.share"), lambda p: p.share),
        number_column(
            prose.line("peaks.there", metric=title),
            lambda p: make_interval_cell(form, p.value, p.low, p.high),
            note=prose.line("peaks.interval", level=level),
        ),
        None
        if is_same
        else number_column(
            prose.line("peaks.highest", cases=many),
            lambda p: make_value_cell(form, p.highest, _format_rank(p.highest_x)),
            note=prose.line("peaks.at"),
        ),
    )


def _format_rank(x: float | None) -> str:
    return numbers.MISSING if x is None else numbers.format_count(x)


def _describe_peak_range(peak: CurvePeak) -> str:
    if peak.x_low is None or peak.x_high is None:
        return ""
    if peak.x_low == peak.x_high:
        return prose.line("peaks.alone", rank=_format_rank(peak.x_low))
    low, high = _format_rank(peak.x_low), _format_rank(peak.x_high)
    return prose.line("stretch.ends", low=low, high=high)


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
    if not said:
        return ""
    return prose.line("curve_says.half_error", each=_name_models(index, said))


def _format_lift(index: Index, curves: Sequence[CurveResult]) -> str:
    if not _is_of_amounts(index, curves[0]):
        return ""
    said = [
        (c, numbers.format_decimal(y, 1))
        for c in curves
        if (y := _find_value_at_share(c, TOP)) is not None
    ]
    if not said:
        return ""
    return prose.line(
        "curve_says.lift",
        top=numbers.format_percent(TOP),
        cases=_format_rows(index, curves[0]),
        target=_format_target(index, curves[0]),
        each=_name_models(index, said),
    )


def _list_percents(
    curves: Sequence[CurveResult], shares: Sequence[Number]
) -> list[tuple[CurveResult, str]]:
    """List the curves that have a share, with that in percent."""
    pairs = zip(curves, shares, strict=True)
    return [(curve, numbers.format_percent(share)) for curve, share in pairs if share is not None]


def _describe_rank_lift(index: Index, curves: Sequence[CurveResult]) -> str:
    """Describe how near each order comes to the best one, of the lead of that on a random order."""
    said = _list_percents(curves, [c.marks.get("share of best") for c in curves])
    if not said:
        return ""
    return prose.line("curve_says.rank_lift", each=_name_models(index, said))


def _describe_held_share(index: Index, curves: Sequence[CurveResult]) -> str:
    if not _is_of_amounts(index, curves[0]):
        return ""
    said = _list_percents(curves, [_find_value_at_share(c, TOP) for c in curves])
    if not said:
        return ""
    return prose.line(
        "curve_says.held",
        top=numbers.format_percent(TOP),
        cases=_format_rows(index, curves[0]),
        target=_format_target(index, curves[0]),
        each=_name_models(index, said),
    )


def _format_concentration(index: Index, curves: Sequence[CurveResult]) -> str:
    if not _is_of_amounts(index, curves[0]):
        return ""
    said = _list_percents(curves, [_find_value_at_share(c, LOWEST) for c in curves])
    share, rows = numbers.format_percent(LOWEST), _format_rows(index, curves[0])
    begun = prose.line("curve_says.lowest_held", share=share, cases=rows)
    begun = describe_in_order(begun, [index.models[c.model].order for c in curves])
    each = join_by_model(_name_models(index, said), f" of {_format_target(index, curves[0])}")
    return f"{begun} {each}" if said else ""


def _format_concordance(index: Index, curves: Sequence[CurveResult]) -> str:
    said = _list_percents(curves, [c.marks.get("area") for c in curves])
    case = clean_name(index.datasets[curves[0].dataset].case[0], 30)
    if not said:
        return ""
    return prose.line("curve_says.concordance", case=case, each=_name_models(index, said))


def _describe_mean_auc(index: Index, curves: Sequence[CurveResult]) -> str:
    said = [
        (c, numbers.format_decimal(area, 3))
        for c in curves
        if (area := c.marks.get("area")) is not None
    ]
    if not said:
        return ""
    target = _format_target(index, curves[0])
    return prose.line("curve_says.mean_auc", target=target, each=_name_models(index, said))


def _describe_roc_area(index: Index, curves: Sequence[CurveResult]) -> str:
    said = [
        (c, numbers.format_decimal(area, 3))
        for c in curves
        if (area := c.marks.get("area")) is not None
    ]
    return prose.line("curve_says.roc_area", each=_name_models(index, said)) if said else ""


def _describe_found_share(index: Index, curves: Sequence[CurveResult]) -> str:
    said = _list_percents(curves, [_find_value_at_share(c, TOP) for c in curves])
    if not said:
        return ""
    return prose.line(
        "curve_says.found",
        top=numbers.format_percent(TOP),
        cases=_format_rows(index, curves[0]),
        each=_name_models(index, said),
    )


def _format_precision(index: Index, curves: Sequence[CurveResult]) -> str:
    said = _list_percents(curves, [_find_value_at_share(c, HALF) for c in curves])
    if not said:
        return ""
    half = numbers.format_percent(HALF)
    return prose.line("curve_says.precision", half=half, each=_name_models(index, said))


def _describe_interpolation(index: Index, curves: Sequence[CurveResult]) -> str:
    """Describe what interpolation adds to the area under each model's precision."""
    said = [
        (c, describe_small_area(added))
        for c in curves
        if (added := c.marks.get("added")) is not None
    ]
    return prose.line("curve_says.interpolation", each=_name_models(index, said)) if said else ""


def describe_small_area(area: float, short: bool = False) -> str:
    """Describe what is added to an area, maybe too little to print, in words or in few letters."""
    if area >= LEAST:
        return numbers.format_decimal(area, 3, signed=short)
    if area > DUST:
        return f"<{LEAST}" if short else prose.line("curve_says.small_area", area=LEAST)
    return "+0" if short else prose.line("curve_says.small_area", area=0)


def _describe_highest_worth(index: Index, curves: Sequence[CurveResult]) -> str:
    """At how many thresholds the calls of each model are worth most; none of equal ones is."""
    best: Counter[int] = Counter()
    for values in zip(*(c.y for c in curves), strict=True):
        known = [v for v in values if v is not None]
        if known and values.count(max(known)) == 1:
            best[values.index(max(known))] += 1
    if len(curves) < 2:
        return ""
    said = [(c, str(best[k])) for k, c in enumerate(curves)]
    points = len(curves[0].x)
    return prose.line("curve_says.worth", points=points, each=_name_models(index, said))


def _describe_over_and_under(index: Index, curves: Sequence[CurveResult]) -> str:
    """Describe how much each model predicts too high and too low, as means of a row or as sums."""
    case = clean_name(index.datasets[curves[0].dataset].case[0], 30)
    said: list[tuple[CurveResult, str]] = []
    for curve in curves:
        over, under = curve.marks.get("over"), curve.marks.get("under")
        if over is None or under is None:
            continue
        form = min(
            (numbers.choose_format(v, None, None, curve.y_unit) for v in (over, -under)),
            key=lambda each: each.decimals,
        )
        each = prose.line(
            "curve_says.over_and_under",
            over=form.amount(over),
            under=form.amount(-under),
            is_first=not said,
        )
        said.append((curve, each))
    if not said:
        return ""
    return prose.line(
        "curve_says.errors",
        case="" if said[0][0].params.get("raw") else case,
        is_squared=curves[0].params.get("loss") == "quadquad",
        each=_name_models(index, said),
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
    return prose.line("curve_says.commonest", each=_name_models(index, said)) if said else ""


def _format_slope(index: Index, curves: Sequence[CurveResult]) -> str:
    """Describe how outcomes follow the prediction; who overpredicts the top has a figure above."""
    unit = curves[0].y_unit
    said = [
        (c, numbers.NumberFormat(2, unit, least=2).amount(slope))
        for c in curves
        if (slope := c.marks.get("slope")) is not None
    ]
    if not said:
        return describe_top_bucket(index, curves)
    return prose.line(
        "curve_says.slope",
        one=add_unit("1", unit),
        target=_format_target(index, curves[0]),
        each=_name_models(index, said),
    )


def _is_of_amounts(index: Index, curve: CurveResult) -> bool:
    """Return whether shares of the target's sum mean something: no value of it is below zero."""
    columns = index.datasets[curve.dataset].columns
    least = next((column.minimum for column in columns if column.role == "y"), None)
    return least is not None and least >= 0


def _name_models(index: Index, said: Sequence[tuple[CurveResult, str]]) -> list[tuple[str, str]]:
    """Return each value with the name of its model."""
    return [(value, index.short_label(curve.model, 30)) for curve, value in said]


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
