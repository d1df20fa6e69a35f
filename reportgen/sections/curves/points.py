"""Operating points in figures of curves: at which score calls begin, or what their errors cost."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from reportgen import wording
from reportgen.document import Reference, Series
from reportgen.results import CurveResult, OperatingPoint
from reportgen.sections.curves.drawn import Drawn

MOST_LINES = 6  # more lines of points hide the curves
_FEW_PANELS = 2  # beside each other, in which names have room
_Place = tuple[float, ...]


def operating_lines(drawn: Drawn, curve: CurveResult) -> list[Reference]:
    """A line at the lowest score that each operating point calls, those at one score together."""
    longest = 24 if len(drawn.curves) <= _FEW_PANELS else 14
    own = (p for p in _points(drawn, curve.dataset) if p.model == curve.model)
    named = _joined((p, at) for p in own if (at := _lowest(p)) is not None)
    return [Reference(_listed(points, longest), x=place) for place, points in sorted(named.items())]


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
    labels = [wording.name(drawn.index.label(model), 30) for model in shown]
    whose = f" of {wording.listed(labels)}" if len(shown) < len(_models(drawn)) else ""
    return (
        f"Thin straight lines are the operating points{whose}: from the false positive rate, left, "
        "to the false negative rate, right."
    )


def _models_with_lines(drawn: Drawn) -> list[str]:
    """The model that is asked about, the baseline, then others, as many as there is room for."""
    models = _models(drawn)
    baseline = drawn.index.baseline.name if drawn.index.baseline else None
    wanted = [m for m in (drawn.index.about, baseline) if m in models]
    names = {p.name for p in _points(drawn, drawn.curves[0].dataset)}
    room = max(1, MOST_LINES // max(len(names), 1))
    return list(dict.fromkeys([*filter(None, wanted), *models]))[:room]


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
