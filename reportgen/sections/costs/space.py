"""RROC space as a figure: models with their regions, constants, the hull, lines of equal cost."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from reportgen import wording
from reportgen.document import Axis, Cell, Figure, Panel, Reference, Series, Table
from reportgen.results import CurveResult, Number
from reportgen.sections.axes import in_money
from reportgen.sections.costs.cells import axis_of, numbers, words
from reportgen.sections.index import Index

_CONSTANTS = ("mean", "median", "zero")
_FEW = 3  # models whose scores in random order are all drawn; of more that of the baseline is
_Places = dict[str, tuple[float, float]]


def space_figure(index: Index, dataset: str, id_: str) -> Figure | None:
    """None where no model's place is known."""
    curves = [c for c in index.results.curves if c.dataset == dataset and c.segment is None]
    regions = [c for c in curves if c.curve == "rroc_region"]
    if not regions:
        return None
    lines = [c for c in curves if c.curve == "rroc_isometric"]
    hull = [c for c in curves if c.curve == "rroc_points_hull"]
    constants = next((c for c in curves if c.curve == "rroc_constant"), None)
    squared = "squared " if _is_squared(index, regions[0]) else ""
    of = regions[0].y_unit
    unit = f", {of}" if wording.has_unit(of) else ""
    references = _places(constants) | _shuffled(index, regions)
    right, down = window(hull)
    left = hull[0].marks.get("left") if hull else None
    panel = Panel(
        "",
        in_money(Axis(f"{squared}over-estimation a row{unit}", low=left, high=right), of),
        in_money(Axis(f"{squared}under-estimation a row{unit}", low=down, high=0.0), of),
        (
            *(Series("", "reference", each.x, each.y) for each in hull),
            *_references(references, right, down),
            *_models(index, regions),
        ),
        (*_isometrics(lines), Reference("", x=(0.0, right), y=(0.0, -right))),
    )
    return Figure(
        id_,
        "line",
        _title(index, dataset) if len(regions) > 1 else _of_one(index, regions[0]),
        _caption(index, regions, lines, _outside(references, right, down)),
        " ".join(_said(index, region) for region in regions),
        (panel,),
        table=_points(index, regions, id_),
        has_equal_axes=True,
    )


def _models(index: Index, regions: Sequence[CurveResult]) -> list[Series]:
    """Each model's point and the outline of its region; its name stands beside the figure."""
    made = []
    for region in regions:
        role, name = index.role(region.model), wording.name(index.label(region.model), 40)
        made.append(Series("", role, *_known(region)))
        place = (region.marks.get("over"),), (region.marks.get("under"),)
        made.append(Series(name, role, *place, has_markers=True))
    return made


def _references(places: _Places, right: float, down: float) -> list[Series]:
    """Grey points; one outside the window on its edge, named by the caption alone."""
    named: dict[tuple[float, float], list[str]] = {}
    for name, (over, under) in places.items():
        inside = [] if over > right or under < down else [name]
        named.setdefault((min(over, right), max(under, down)), []).extend(inside)
    return [
        Series("", "reference", (x,), (y,), texts=(wording.listed(names),) if names else (),
               has_markers=True)
        for (x, y), names in named.items()
    ]  # fmt: skip


def _outside(places: _Places, right: float, down: float) -> str:
    """A sentence on the references beyond the window."""
    said = []
    for name, (over, under) in places.items():
        if over > right or under < down:
            form = wording.form_of(min(under, -over), None, None)
            said.append(f"{name} at ({form.number(over)}, {form.number(under)})")
    return f" On the edge are those further out: {wording.listed(said)}." if said else ""


def _places(curve: CurveResult | None) -> _Places:
    """Over- and under-estimation of each constant, where both exist."""
    marks = {} if curve is None else curve.marks
    return _both({name: (marks.get(f"over of {name}"), marks.get(f"under of {name}"))
                  for name in _CONSTANTS})  # fmt: skip


def _shuffled(index: Index, regions: Sequence[CurveResult]) -> _Places:
    """The same of the models' scores in random order; of many models that of the baseline."""
    shown = [r for r in regions if len(regions) <= _FEW or index.role(r.model) == "baseline"]
    return _both({
        f"{wording.name(index.label(each.model), 40)} in random order":
            (each.marks.get("over in random order"), each.marks.get("under in random order"))
        for each in shown
    })  # fmt: skip


def _both(found: Mapping[str, tuple[Number, Number]]) -> _Places:
    return {
        name: (over, under)
        for name, (over, under) in found.items()
        if over is not None and under is not None
    }


def window(hull: Sequence[CurveResult]) -> tuple[float, float]:
    """How far right and down RROC space is drawn: as far as the line of the hull reaches."""
    right = max((x for c in hull for x in c.x if x is not None), default=1.0)
    down = min((y for c in hull for y in c.y if y is not None), default=-1.0)
    return right, down


def _isometrics(lines: Sequence[CurveResult]) -> list[Reference]:
    """Each line of equal cost with its asymmetry."""
    alphas = [line.params.get("alpha") for line in lines]
    return [
        Reference(wording.ALPHA.place(alpha) if isinstance(alpha, float) else "", *_known(line))
        for alpha, line in zip(alphas, lines, strict=True)
    ]


def _known(curve: CurveResult) -> tuple[tuple[float, ...], tuple[float, ...]]:
    pairs = [(x, y) for x, y in zip(curve.x, curve.y, strict=True)
             if x is not None and y is not None]  # fmt: skip
    return tuple(x for x, _ in pairs), tuple(y for _, y in pairs)


def _title(index: Index, dataset: str) -> str:
    """Which models are on the hull, with the range of α of each."""
    costs = index.costs.get(dataset)
    points = () if costs is None else costs.points
    said = [wording.name(index.label(p.name), 40) for p in points if p.is_on_hull]
    out = [wording.name(index.label(p.name), 40) for p in points if p.is_on_hull is False]
    if not said:
        return "No model has a cost that is a number"
    each = "" if len(said) == 1 else " each"
    verb = "is" if len(said) == 1 else "are"
    some = "cost ratio" if axis_of(index, dataset).has_ratio else "c"
    title = f"{wording.listed(said)} {verb}{each} the cheapest for some {some}"
    return (
        f"{title}; {wording.listed(out)} {'is' if len(out) == 1 else 'are'} for none" * bool(out)
        or title
    )


def _of_one(index: Index, region: CurveResult) -> str:
    """Where the only model stands: there is none that it could be cheaper than."""
    said = [
        wording.form_of(abs(value), None, None, region.y_unit).amount(abs(value))
        for value in (region.marks.get("over"), region.marks.get("under"))
        if value is not None
    ]
    name = wording.name(index.label(region.model), 40)
    if len(said) < 2:
        return f"{name} in RROC space"
    squared = "squared, " if _is_squared(index, region) else ""
    return f"{name} is too high by {said[0]} a row and too low by {said[1]}, {squared}on average"


def _is_squared(index: Index, curve: CurveResult) -> bool:
    """Whether errors count squared: the plane in which equal Quad-Quad costs lie on lines."""
    return curve.y_unit.endswith("²") and curve.y_unit != index.datasets[curve.dataset].unit


def _caption(
    index: Index, regions: Sequence[CurveResult], lines: Sequence[CurveResult], outside: str
) -> str:
    region, is_alone = regions[0], len(regions) == 1
    level = wording.level(index.results.inference.level)
    outline = (
        f"An outline holds both coordinates with {level}. "
        if region.x
        else "Too few rows for regions around the points. "
    )
    isometrics = (
        "Every point of a line marked α costs the same at that asymmetry, and the line touches the "
        f"{'model' if is_alone else 'cheapest model'}. "
        if lines
        else ""
    )
    squares = (
        "Errors count squared, so that equal Quad-Quad costs lie on straight lines. "
        if _is_squared(index, region)
        else ""
    )
    never = "never the cheapest" if lines else "never the cheapest under Lin-Lin costs"
    below = "another model" if is_alone else "a model"
    shown = "The model as it is" if is_alone else "Models as they are"
    return (
        f"{shown}: the nearer the upper left corner, the better; on the diagonal too "
        f"high and too low even out. {squares}{outline}{isometrics}The broken line is the hull: "
        f"{below} below it is {never}. Grey squares need no model (the target's mean, its "
        "median and zero) or no order (a model's scores in random order, on average over all "
        f"pairs of a score and a row).{outside} n = {wording.count(region.n)}."
    )


def _said(index: Index, region: CurveResult) -> str:
    over, under = region.marks.get("over"), region.marks.get("under")
    form = wording.form_of(under, None, None, region.y_unit)
    name = wording.name(index.label(region.model), 40)
    return f"{name}: over-estimation {form.number(over)}, under-estimation {form.number(under)}."


def _points(index: Index, regions: Sequence[CurveResult], id_: str) -> Table:
    form = wording.form_of(regions[0].marks.get("under"), None, None, regions[0].y_unit)
    rows = tuple(
        (
            Cell(wording.name(index.label(r.model), 40)),
            Cell(form.number(r.marks.get("over")), value=r.marks.get("over")),
            Cell(form.number(r.marks.get("under")), value=r.marks.get("under")),
        )
        for r in regions
    )
    unit = regions[0].y_unit
    columns = (words("Model"), numbers("Over-estimation", unit), numbers("Under-estimation", unit))
    return Table(f"{id_}-table", "The points of the models.", columns, rows, is_folded=True)
