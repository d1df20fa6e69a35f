"""What a curve shows, in one sentence with numbers: the title of its figure."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Mapping, Sequence

from reportgen import wording
from reportgen.results import CurveResult
from reportgen.sections.curves import peaks
from reportgen.sections.curves.deciles import top_bucket
from reportgen.sections.index import Index
from reportgen.wording.numbers import with_unit

MOST = 4  # models that a title names
TOP, LOWEST = 0.1, 0.8

Told = Callable[[Index, Sequence[CurveResult]], str]


def finding(index: Index, curves: Sequence[CurveResult]) -> str:
    """The sentence, of models that have a colour; nothing where no rule gives one."""
    shown = [c for c in curves if index.role(c.model) != "other"][:MOST]
    told = _TOLD.get(curves[0].curve)
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


def _concentration(index: Index, curves: Sequence[CurveResult]) -> str:
    if not _is_of_amounts(index, curves[0]):
        return ""
    said = [(c, wording.percent(y)) for c in curves if (y := _at(c, LOWEST)) is not None]
    share, rows = wording.percent(LOWEST), _rows(index, curves[0])
    begun = f"The {share} of {rows} with the lowest scores hold"
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
    "lift": _lift,
    "concentration": _concentration,
    "concordance": _concordance,
    "auc_by_cutoff": _mean_auc,
    "f_at_k": peaks.finding,
    "fap_at_k": peaks.finding,
}
