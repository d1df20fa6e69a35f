"""Lines to read curves against: levels, and operating points by score or by their errors."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from math import isfinite

from reportgen import wording
from reportgen.document import Reference, Series
from reportgen.results import CurveResult, OperatingPoint
from reportgen.sections.curves.drawn import Drawn

MOST_LINES = 6  # more lines of points hide the curves
_FEW_PANELS = 2  # beside each other, in which names have room
_Place = tuple[float, ...]


def references(drawn: Drawn, curves: Sequence[CurveResult]) -> tuple[Reference, ...]:
    """Levels, operating points at their scores and the diagonal; of differences the line at 0."""
    curve = curves[0]
    if curve.baseline is not None:
        return (Reference("no difference", y=(0.0,)),)
    lines = []
    for key, label in drawn.words.marks.items():
        level = curve.marks.get(key)
        if level is not None:
            text = wording.form_of(level, None, None, curve.y_unit).amount(level)
            lines.append(Reference(f"{label}: {text}", y=(level,)))
    if drawn.words.has_points:
        lines += operating_lines(drawn, curves)
    if drawn.words.has_diagonal:
        ends = [v for c in drawn.curves for v in (*c.x, *c.y) if v is not None and isfinite(v)]
        if drawn.words.x_scale == "log":
            ends = [v for v in ends if v > 0] or ends
        reach = (min(ends, default=0.0), max(ends, default=1.0))
        lines.append(Reference(drawn.said(drawn.words.diagonal), x=reach, y=reach))
    return tuple(lines)


def operating_lines(drawn: Drawn, curves: Sequence[CurveResult]) -> list[Reference]:
    """A line at the lowest score that each operating point calls, those at one score together.

    Of several models a point has its name alone where it is at one score of all.
    """
    longest = 24 if len(drawn.curves) <= _FEW_PANELS else 14
    told = _models_with_scores(drawn, curves)
    own = [p for p in _points(drawn, curves[0].dataset) if p.model in told]
    scores = {name: {_lowest(p) for p in own if p.name == name} for name in (p.name for p in own)}
    placed: dict[_Place, dict[str, None]] = {}
    for point in own:
        said = wording.name(point.name, longest)
        if len(told) > 1 and len(scores[point.name]) > 1:
            said += f" of {wording.name(drawn.index.label(point.model), 14)}"
        if (at := _lowest(point)) is not None and _is_seen(at[0], curves[0]):
            placed.setdefault(at, {})[said] = None
    return [Reference(", ".join(said), x=place) for place, said in sorted(placed.items())]


def _is_seen(score: float, curve: CurveResult) -> bool:
    """Whether a score lies where bars are drawn; those that are cut do not reach every score."""
    known = [x for x in curve.x if x is not None]
    if not curve.marks.get("cut") or len(known) < 2:
        return True
    half = (known[1] - known[0]) / 2
    return known[0] - half <= score <= known[-1] + half


def said_of_scores(drawn: Drawn) -> str:
    """What the lines at scores are, and of which models where others have points as well."""
    shown = _models_with_scores(drawn, drawn.curves)
    if not shown:
        return ""
    whose = _of_some(drawn, shown, [c.model for c in drawn.curves])
    falling = [m for m in shown if drawn.index.models[m].order != "descending"]
    if len(falling) == len(shown):
        side = "left"
    else:
        labels = [wording.name(drawn.index.label(model), 30) for model in falling]
        side = f"right, of {wording.listed(labels)} to the left," if falling else "right"
    return f"Broken lines are operating points{whose}: what lies to the {side} is called."


def _models_with_scores(drawn: Drawn, curves: Sequence[CurveResult]) -> list[str]:
    """Models whose points have a score, as many as have no more lines than there is room for."""
    points = _points(drawn, curves[0].dataset)
    scores = {
        c.model: {
            at for p in points if p.model == c.model and (at := _lowest(p)) and _is_seen(at[0], c)
        }
        for c in curves
    }
    found: list[str] = []
    for model in _in_order(drawn, [name for name, each in scores.items() if each]):
        if not found or len(set().union(*(scores[m] for m in [*found, model]))) <= MOST_LINES:
            found.append(model)
    return found


def error_lines(drawn: Drawn) -> list[Series]:
    """Each point as a line from its false positive rate, at 0, to its false negative rate, at 1.

    Points of one model with the same errors share a line.
    """
    lines = []
    models = _models_with_lines(drawn)
    for model in models:
        own = [p for p in _points(drawn, drawn.curves[0].dataset) if p.model == model]
        whose = f", {wording.name(drawn.index.label(model), 20)}" if len(models) > 1 else ""
        for rates, points in _joined((p, _rates(p)) for p in own[:MOST_LINES]).items():
            said = f"{_listed(points, 14)}{whose}"
            role = drawn.index.role(model)
            lines.append(Series(said, role, (0.0, 1.0), rates, is_thin=True))
    return lines


def said_of_lines(drawn: Drawn) -> str:
    """What the lines of errors are, and of which models where others have points, too."""
    shown = _models_with_lines(drawn)
    if not shown:
        return ""
    whose = _of_some(drawn, shown, _models(drawn))
    return (
        f"Thin straight lines are the operating points{whose}: from the false positive rate, left, "
        "to the false negative rate, right."
    )


def _models_with_lines(drawn: Drawn) -> list[str]:
    """The model that is asked about, the baseline, then others, as many as there is room for."""
    names = {p.name for p in _points(drawn, drawn.curves[0].dataset)}
    room = max(1, MOST_LINES // max(len(names), 1))
    return _in_order(drawn, _models(drawn))[:room]


def _in_order(drawn: Drawn, models: Sequence[str]) -> list[str]:
    """The model that is asked about, the baseline, then the others."""
    baseline = drawn.index.baseline.name if drawn.index.baseline else None
    first = [model for model in (drawn.index.about, baseline) if model in models]
    return list(dict.fromkeys([*filter(None, first), *models]))


def _of_some(drawn: Drawn, shown: Sequence[str], every: Sequence[str]) -> str:
    """Whose points are drawn, where others have some as well."""
    labels = [wording.name(drawn.index.label(model), 30) for model in shown]
    return f" of {wording.listed(labels)}" if len(shown) < len(set(every)) else ""


def _models(drawn: Drawn) -> list[str]:
    """The models of the figure whose points have both rates."""
    known = {p.model for p in _points(drawn, drawn.curves[0].dataset)
             if None not in (p.false_positive_rate, p.false_negative_rate)}  # fmt: skip
    return [curve.model for curve in drawn.curves if curve.model in known]


def _points(drawn: Drawn, dataset: str) -> list[OperatingPoint]:
    return [point for point in drawn.index.results.points if point.dataset == dataset]


def _lowest(point: OperatingPoint) -> _Place | None:
    at = point.lowest_called if point.threshold is None else point.threshold
    return None if at is None else (at,)


def _rates(point: OperatingPoint) -> _Place:
    return point.false_positive_rate or 0.0, point.false_negative_rate or 0.0


def _joined(
    placed: Iterable[tuple[OperatingPoint, _Place]],
) -> dict[_Place, list[OperatingPoint]]:
    found: dict[_Place, list[OperatingPoint]] = {}
    for point, place in placed:
        found.setdefault(place, []).append(point)
    return found


def _listed(points: Sequence[OperatingPoint], longest: int) -> str:
    return ", ".join(wording.name(point.name, longest) for point in points)
