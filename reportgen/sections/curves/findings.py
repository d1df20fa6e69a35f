"""What a curve shows, in one sentence with numbers: the title of its figure."""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Callable, Mapping, Sequence

from reportgen import wording
from reportgen.results import CurveResult
from reportgen.sections.curves import departures, peaks
from reportgen.sections.curves.deciles import top_bucket
from reportgen.sections.index import Index
from reportgen.wording.numbers import with_unit
from reportgen.wording.orders import in_order

MOST = 4  # models that a title names
TOP, LOWEST, HALF = 0.1, 0.8, 0.5
LEAST = 0.001  # of an area that is told as a number
DUST = 1e-12  # of an area: what rounding leaves of none

Told = Callable[[Index, Sequence[CurveResult]], str]


def finding(index: Index, curves: Sequence[CurveResult]) -> str:
    """The sentence, of models that have a colour; nothing where no rule gives one."""
    shown = [c for c in curves if index.role(c.model) != "other"][:MOST]
    told = _TOLD.get(curves[0].curve)
    return told(index, shown) if told is not None and shown else ""


def estimates(index: Index, curves: Sequence[CurveResult]) -> str:
    """The sentence of curves whose differences are told first, where no difference is known."""
    shown = [c for c in curves if index.role(c.model) != "other"][:MOST]
    told = _TOLD_ALONE.get(curves[0].curve)
    return told(index, shown) if told is not None and shown else ""


def _within(index: Index, curves: Sequence[CurveResult]) -> str:
    """The error that half of the rows stay below."""
    said = []
    for curve in curves:
        place = bisect_left([y or 0.0 for y in curve.y], 0.5)
        if place < len(curve.x):
            form = wording.form_of(curve.x[place], None, None, curve.x_unit)
            said.append((curve, form.amount(curve.x[place])))
    rows = _rows(index, curves[0])
    return _by(f"Half of the {rows} are predicted to within", index, said)


def _lift(index: Index, curves: Sequence[CurveResult]) -> str:
    if not _is_of_amounts(index, curves[0]):
        return ""
    said = [(c, f"{y:.1f}") for c in curves if (y := _at(c, TOP)) is not None]
    top, rows = wording.percent(TOP), _rows(index, curves[0])
    end = f" times the mean {_target(index, curves[0])} of all {rows}"
    return _by(f"The top {top} of {rows} have", index, said, end)


def _rank_lift(index: Index, curves: Sequence[CurveResult]) -> str:
    """How near each order comes to the best one, of what that gains on a random order."""
    key = "share of best"
    said = [(c, wording.percent(best)) for c in curves if (best := c.marks.get(key)) is not None]
    begun = "Of the rank lift that the best order has over a random one,"
    return _by(begun, index, said, " is reached")


def _held(index: Index, curves: Sequence[CurveResult]) -> str:
    if not _is_of_amounts(index, curves[0]):
        return ""
    said = [(c, wording.percent(y)) for c in curves if (y := _at(c, TOP)) is not None]
    top, rows = wording.percent(TOP), _rows(index, curves[0])
    return _by(f"The top {top} of {rows} hold", index, said, f" of {_target(index, curves[0])}")


def _concentration(index: Index, curves: Sequence[CurveResult]) -> str:
    if not _is_of_amounts(index, curves[0]):
        return ""
    said = [(c, wording.percent(y)) for c in curves if (y := _at(c, LOWEST)) is not None]
    share, rows = wording.percent(LOWEST), _rows(index, curves[0])
    begun = f"The {share} of {rows} with the lowest scores hold"
    begun = in_order(begun, [index.models[c.model].order for c in curves])
    return _by(begun, index, said, f" of {_target(index, curves[0])}")


def _concordance(index: Index, curves: Sequence[CurveResult]) -> str:
    said = [(c, wording.percent(area)) for c in curves if (area := c.marks.get("area")) is not None]
    case = wording.name(index.datasets[curves[0].dataset].case[0], 30)
    return _by(f"On average a {case} is in the right order with", index, said, " of the others")


def _mean_auc(index: Index, curves: Sequence[CurveResult]) -> str:
    said = [(c, f"{area:.3f}") for c in curves if (area := c.marks.get("area")) is not None]
    return _by(
        f"Over every cut-off of {_target(index, curves[0])} the mean AUC is", index, said, by="for"
    )


def _roc(index: Index, curves: Sequence[CurveResult]) -> str:
    said = [(c, f"{area:.3f}") for c in curves if (area := c.marks.get("area")) is not None]
    return _by("The area under the ROC curve is", index, said, by="for")


def _caught(index: Index, curves: Sequence[CurveResult]) -> str:
    said = [(c, wording.percent(y)) for c in curves if (y := _at(c, TOP)) is not None]
    top, rows = wording.percent(TOP), _rows(index, curves[0])
    return _by(f"The {top} of {rows} called first hold", index, said, " of the positives")


def _precision(index: Index, curves: Sequence[CurveResult]) -> str:
    said = [(c, wording.percent(y)) for c in curves if (y := _at(c, HALF)) is not None]
    begun = f"Where {wording.percent(HALF)} of the positives are called, the precision is"
    return _by(begun, index, said, by="for")


def _added(index: Index, curves: Sequence[CurveResult]) -> str:
    """What interpolation adds to the area under each model's precision."""
    said = [(c, small_area(added)) for c in curves if (added := c.marks.get("added")) is not None]
    end = " to the area under precision and recall"
    return _by("Interpolation adds", index, said, end, by="for")


def small_area(area: float, short: bool = False) -> str:
    """What is added to an area, which may be too little to print, in words or in few letters."""
    if area >= LEAST:
        return f"{'+' * short}{area:.3f}"
    if area > DUST:
        return f"<{LEAST}" if short else f"less than {LEAST}"
    return "+0" if short else "nothing"


def _worth(index: Index, curves: Sequence[CurveResult]) -> str:
    """At how many thresholds the calls of each model are worth most; none of equal ones is."""
    best: Counter[int] = Counter()
    for values in zip(*(c.y for c in curves), strict=True):
        known = [v for v in values if v is not None]
        if known and values.count(max(known)) == 1:
            best[values.index(max(known))] += 1
    points = len(curves[0].x)
    said = [(c, f"{best[k]}{f' of {points} thresholds' if not j else ''}")
            for j, (k, c) in enumerate(enumerate(curves))]  # fmt: skip
    return _by("By the estimates calls are worth most at", index, said) if len(curves) > 1 else ""


def _both_ways(index: Index, curves: Sequence[CurveResult]) -> str:
    """How much each model predicts too high and too low, as means of a row or as sums."""
    case = wording.name(index.datasets[curves[0].dataset].case[0], 30)
    of_one, of_all = f"per {case}", "in all"
    said: list[tuple[CurveResult, str]] = []
    for curve in curves:
        over, under = curve.marks.get("over"), curve.marks.get("under")
        if over is None or under is None:
            continue
        form = min(
            (wording.form_of(v, None, None, curve.y_unit) for v in (over, -under)),
            key=lambda each: each.decimals,
        )
        ends = ("", "")
        if not said:
            ends = (" too high", f" too low {of_all if curve.params.get('raw') else of_one}")
        each = f"{form.amount(over)}{ends[0]} and {form.amount(-under)}{ends[1]}"
        said.append((curve, each))
    is_squared = curves[0].params.get("loss") == "quadquad"
    return _by(f"{'Squared errors' if is_squared else 'Errors'} come to", index, said)


def _commonest(index: Index, curves: Sequence[CurveResult]) -> str:
    """The error at which each density is highest, as fine as the places it is known at."""
    said = []
    for curve in curves:
        known = [(y, k) for k, y in enumerate(curve.y) if y is not None]
        if not known:
            continue
        place = max(known)[1]
        low, high = curve.x[max(place - 1, 0)], curve.x[min(place + 1, len(curve.x) - 1)]
        form = wording.form_of(curve.x[place], low, high, curve.x_unit)
        said.append((curve, form.amount(curve.x[place], signed=True)))
    return _by("By the estimates the commonest error is", index, said, by="for")


def _slope(index: Index, curves: Sequence[CurveResult]) -> str:
    """How what happened follows the prediction; who over-predicts the top has a figure above."""
    unit = curves[0].y_unit
    said = [(c, with_unit(f"{slope:.2f}", unit)) for c in curves
            if (slope := c.marks.get("slope")) is not None]  # fmt: skip
    begun = f"Per {with_unit('1', unit)} more predicted, {_target(index, curves[0])} is up by"
    return _by(begun, index, said, by="for") or top_bucket(index, curves)


def _is_of_amounts(index: Index, curve: CurveResult) -> bool:
    """Whether shares of the target's sum mean something: no value of it is below zero."""
    columns = index.datasets[curve.dataset].columns
    least = next((column.minimum for column in columns if column.role == "y"), None)
    return least is not None and least >= 0


def _by(
    begun: str, index: Index, said: Sequence[tuple[CurveResult, str]], end: str = "", by: str = "by"
) -> str:
    """One value a model; `end` follows the first."""
    if not said:
        return ""
    if len(said) > 1 and len({value for _, value in said}) == 1:
        return f"{begun} {said[0][1]}{end} {by} every model"
    each = [f"{value}{end if k == 0 else ''} {by} {wording.name(index.label(curve.model), 30)}"
            for k, (curve, value) in enumerate(said)]  # fmt: skip
    return f"{begun} {wording.listed(each)}"


def _at(curve: CurveResult, share: float) -> float | None:
    """The value at a share of the rows, where the curve has a point there."""
    near = [y for x, y in zip(curve.x, curve.y, strict=True)
            if x is not None and abs(x - share) < 1e-9]  # fmt: skip
    return near[0] if near else None


def _rows(index: Index, curve: CurveResult) -> str:
    return wording.name(index.datasets[curve.dataset].case[1], 30)


def _target(index: Index, curve: CurveResult) -> str:
    dataset = index.datasets[curve.dataset]
    return wording.name(dataset.target_label or dataset.target, 40)


_TOLD: Mapping[str, Told] = {
    "bucket_calibration": _slope,
    "roc": _roc,
    "cumulative_gains": _caught,
    "rec": _within,
    "interpolated_precision_recall": _added,
    "lift": _lift,
    "concentration": _concentration,
    "concordance": _concordance,
    "auc_by_cutoff": _mean_auc,
    "f_at_k": peaks.finding,
    "fap_at_k": peaks.finding,
    "gain": _held,
    "rank_lift": _rank_lift,
    "reliability": departures.finding,
    "reliability_bins": departures.finding,
    "rroc": _both_ways,
    "error_density": _commonest,
}
_TOLD_ALONE: Mapping[str, Told] = {"precision_recall": _precision, "decision_curve": _worth}
