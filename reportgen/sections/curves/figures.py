"""A figure from the curves of one name: every model in one pair of axes, bands drawn."""

from __future__ import annotations

from collections.abc import Sequence
from math import isfinite

from reportgen import wording
from reportgen.document import Axis, Block, Figure, Panel, Reference, Series
from reportgen.results import CurveResult
from reportgen.sections.curves.drawn import Drawn, Extra, names_in, words_of
from reportgen.sections.curves.tables import description, leads, points_table, without_zeros
from reportgen.sections.folding import in_full
from reportgen.sections.index import Index

_MOST_PANELS = 10
_MOST_BESTS = 4  # more lines of the best possible than models hide the models
_MOST_TICKS = 7
_FEW_ROWS = 30  # of which every corner of a curve is marked
_Key = tuple[object, ...]


def figures(index: Index, topics: Sequence[str], extra: Extra | None = None) -> list[Block]:
    """The figures of some topics, topic by topic in the order of their places, details folded."""
    made = _made(index, topics, extra)
    shown: list[Block] = [figure for figure, is_detail in made if not is_detail]
    return shown + in_full("Further curves", (figure for figure, is_detail in made if is_detail))


def _made(index: Index, topics: Sequence[str], extra: Extra | None) -> list[tuple[Figure, bool]]:
    """Each figure, and whether it is a detail."""
    groups: dict[_Key, list[CurveResult]] = {}
    onto: dict[_Key, list[CurveResult]] = {}
    beneath: dict[_Key, list[CurveResult]] = {}
    ok = [c for c in index.results.curves if c.status == "ok"]
    present = {_key(c, c.curve) for c in ok}
    compared = {_key(c, c.curve) for c in ok if c.baseline is not None}
    for curve in index.results.curves:
        words = words_of(index, curve.curve)
        if words.topic not in topics or curve.status != "ok" or not curve.x:
            continue
        if curve.baseline is not None and not words.is_compared:
            continue
        if words.onto and _key(curve, words.onto) in present:
            onto.setdefault(_key(curve, words.onto), []).append(curve)
        elif words.under and _key(curve, words.under) in compared:
            beneath.setdefault(_key(curve, words.under), []).append(curve)
        else:
            groups.setdefault((*_key(curve, curve.curve), *_setting(curve)), []).append(curve)

    def rank(curves: Sequence[CurveResult]) -> tuple[int, int]:
        words = words_of(index, curves[0].curve)
        return topics.index(words.topic), words.place

    all_drawn = [
        _drawn(index, curves, (onto, beneath), place, extra)
        for place, curves in enumerate(sorted(groups.values(), key=rank), 1)
    ]
    # Of values that are all zero nothing is left to draw.
    return [
        (_figure(drawn), drawn.is_detail)
        for drawn in all_drawn
        if any(curve.x for curve in drawn.curves)
    ]


def _key(curve: CurveResult, name: str) -> _Key:
    return curve.dataset, curve.segment, name


def _setting(curve: CurveResult) -> _Key:
    return tuple(sorted(curve.params.items())), curve.baseline is None


def _drawn(
    index: Index,
    curves: Sequence[CurveResult],
    others: tuple[dict[_Key, list[CurveResult]], dict[_Key, list[CurveResult]]],
    place: int,
    extra: Extra | None,
) -> Drawn:
    key, words = _key(curves[0], curves[0].curve), words_of(index, curves[0].curve)
    onto, beneath = (
        [o for o in each.get(key, ()) if _is_of(index, curves[0], o)] for each in others
    )
    if words.of_target:
        curves = curves[:1]
    if curves[0].baseline is not None:
        onto = []
    else:
        beneath = []
    if words.drawing == "histogram":
        curves = [without_zeros(curve) for curve in curves]
    id_ = f"{curves[0].curve.replace('_', '-')}-curve-{place}"
    return Drawn(index, words, names_in(index, curves[0]), curves, onto, beneath, id_, extra)


def _is_of(index: Index, curve: CurveResult, other: CurveResult) -> bool:
    """Whether a curve belongs to another: it has no parameter that says otherwise.

    Points that are drawn onto a curve have a grid of their own, however fine.
    """
    is_free = {"bins"} if words_of(index, other.curve).is_points else set()
    return all(curve.params.get(k, v) == v for k, v in other.params.items() if k not in is_free)


def _figure(drawn: Drawn) -> Figure:
    words, first = drawn.words, drawn.curves[0]
    is_square = words.has_equal_axes and first.baseline is None
    return Figure(
        drawn.id,
        words.drawing,
        f"{_title(drawn)}{_counted(drawn)}",
        _caption(drawn),
        " ".join([*(description(c, drawn.label(c)) for c in drawn.curves), *_leads(drawn)]),
        _panels(drawn),
        width="half" if is_square else "full",
        table=points_table(
            (*drawn.curves, *drawn.beneath),
            [
                *(drawn.label(curve) for curve in drawn.curves),
                *(f"{drawn.label(curve)}, share ahead" for curve in drawn.beneath),
            ],
            drawn.id,
            (drawn.said(words.x_label), _y_label(drawn)),
        ),
        is_stacked=bool(drawn.beneath) and len(drawn.baselines) == 1,
        has_equal_axes=is_square,
        others=drawn.index.others,
    )


def _panels(drawn: Drawn) -> tuple[Panel, ...]:
    """All models in one; a histogram has a panel for each, differences one for each baseline."""
    if drawn.words.drawing == "histogram":
        known = [curve for curve in drawn.curves if curve.x][:_MOST_PANELS]
        return tuple(_panel(drawn, [curve], drawn.label(curve)) for curve in known)
    if len(drawn.baselines) < 2:
        return (_panel(drawn, drawn.curves, ""), *_beneath(drawn))
    sides = [(drawn.against(name), f"against {wording.name(drawn.index.label(name), 30)}")
             for name in _sides(drawn)]  # fmt: skip
    above = tuple(_panel(side, side.curves, title) for side, title in sides)
    below = tuple(panel for side, title in sides for panel in _beneath(side, title))
    return (*above, *below)


def _sides(drawn: Drawn) -> tuple[str, ...]:
    """The baselines that there is room for."""
    return drawn.baselines[: _MOST_PANELS // (2 if drawn.beneath else 1)]


def _beneath(drawn: Drawn, title: str = "") -> tuple[Panel, ...]:
    """The panel under the differences: in how many resamples each candidate is ahead."""
    if not drawn.beneath:
        return ()
    words = words_of(drawn.index, drawn.beneath[0].curve)
    return (
        Panel(
            title,
            Axis(drawn.said(words.x_label)),
            Axis(drawn.said(words.y_label), low=-0.03, high=1.03),
            tuple(_series(drawn, curve) for curve in drawn.beneath),
            tuple(Reference("", y=(level,)) for level in (0.05, 0.5, 0.95)),
        ),
    )


def _panel(drawn: Drawn, curves: Sequence[CurveResult], title: str) -> Panel:
    lines = tuple(_series(drawn, curve) for curve in curves)
    right, down = (drawn.extra.window(curves) if drawn.extra else None) or (None, None)
    return Panel(
        title,
        Axis(
            "" if drawn.beneath else drawn.said(drawn.words.x_label),
            low=None if right is None else 0.0,
            high=right,
            ticks=_ticks(curves[0]),
        ),
        Axis(_y_label(drawn), low=down, high=None if down is None else 0.0),
        (*_onto(drawn), *lines),
        (*_references(drawn, curves[0]), *(drawn.extra.references(curves) if drawn.extra else ())),
    )


def _ticks(curve: CurveResult) -> tuple[tuple[float, str], ...]:
    """Names of points where x is a category, as many as there is room for."""
    named = [(x, label) for x, label in zip(curve.x, curve.x_labels, strict=False)
             if x is not None]  # fmt: skip
    step = -(-len(named) // _MOST_TICKS) or 1
    return tuple((x, wording.name(label, 30)) for x, label in named[::step])


def _y_label(drawn: Drawn) -> str:
    label = drawn.said(drawn.words.y_label)
    return label if drawn.curves[0].baseline is None else f"difference in {label}"


def _series(drawn: Drawn, curve: CurveResult) -> Series:
    is_shared = drawn.words.of_target or not curve.model
    return Series(
        drawn.model(curve),
        "reference" if is_shared else drawn.index.role(curve.model),
        curve.x,
        curve.y,
        curve.low,
        curve.high,
        curve.band_low,
        curve.band_high,
        has_markers=drawn.words.has_markers or _has_corners(curve),
    )


def _has_corners(curve: CurveResult) -> bool:
    """Whether a curve is straight between few corners, each of which is marked."""
    is_broken = curve.curve == "rroc" and curve.params.get("loss") == "linlin"
    return is_broken and curve.n <= _FEW_ROWS


def _onto(drawn: Drawn) -> tuple[Series, ...]:
    """Lines such as the best possible curve: one for the target, or one a model; points too."""
    made: dict[str, Series] = {}
    is_crowded = len({curve.model for curve in drawn.curves}) > _MOST_BESTS
    for curve in drawn.onto:
        if curve.baseline is not None:
            continue
        words = words_of(drawn.index, curve.curve)
        if words.is_points:
            role = drawn.index.role(curve.model)
            points = Series("", role, curve.x, curve.y, has_markers=True, has_line=False)
            made[f"{curve.curve} {curve.model}"] = points
            continue
        if is_crowded and not words.of_target:
            continue
        of = "" if words.of_target else f" for {drawn.label(curve, 30)}"
        label, key = f"{drawn.said(words.title)}{of}", "" if words.of_target else curve.model
        made.setdefault(f"{label} {key}", Series(label, "reference", curve.x, curve.y))
    return tuple(made.values())


def _references(drawn: Drawn, curve: CurveResult) -> tuple[Reference, ...]:
    if curve.baseline is not None:
        return (Reference("no difference", y=(0.0,)),)
    lines = []
    for key, label in drawn.words.marks.items():
        level = curve.marks.get(key)
        if level is not None:
            text = wording.form_of(level, None, None, curve.y_unit).amount(level)
            lines.append(Reference(f"{label}: {text}", y=(level,)))
    if drawn.words.has_diagonal:
        ends = [v for c in drawn.curves for v in (*c.x, *c.y) if v is not None and isfinite(v)]
        reach = (min(ends, default=0.0), max(ends, default=1.0))
        lines.append(Reference("diagonal", x=reach, y=reach))
    return tuple(lines)


def _title(drawn: Drawn) -> str:
    """The finding where there is one to quote, else what is drawn."""
    plain = wording.capital(drawn.said(drawn.words.title))
    if len(drawn.baselines) > 1:
        return _title(drawn.against(drawn.baselines[0]))
    own = drawn.extra.title(drawn.curves) if drawn.extra else ""
    if own:
        return own
    if drawn.baselines:
        return _difference_title(drawn, plain)
    if drawn.words.drawing == "histogram":
        return _zeros_title(drawn, plain)
    if not drawn.words.finding:
        return plain
    ends = wording.listed([f"{_last(c)} for {drawn.label(c, 30)}" for c in drawn.curves])
    names = drawn.names
    return f"{drawn.words.finding} the {names['statistic']} {names['target']} is {ends}"


def _counted(drawn: Drawn) -> str:
    """The number of buckets, where the same curve is drawn with other numbers as well."""
    first = drawn.curves[0]
    counts = {c.params.get("buckets") for c in drawn.index.results.curves if c.curve == first.curve}
    return f" ({drawn.names['buckets']} buckets)" if len(counts) > 1 else ""


def _difference_title(drawn: Drawn, plain: str) -> str:
    """Where the simultaneous band of a difference leaves out zero: a count of points."""
    said = []
    for curve in drawn.curves:
        low, high = curve.band_low or curve.low, curve.band_high or curve.high
        above = sum(v is not None and v > 0 for v in low)
        below = sum(v is not None and v < 0 for v in high)
        who = drawn.label(curve, 30)
        apart = f"{who} above at {above} and below at {below} of {len(curve.x)} points"
        said.append(apart if above or below else f"{who} nowhere clearly apart")
    against = wording.name(drawn.index.label(drawn.curves[0].baseline or ""), 30)
    return f"{plain}, against {against}: {wording.listed(said)}"


def _zeros_title(drawn: Drawn, plain: str) -> str:
    zeros = [
        f"{wording.percent(c.marks['zeros'])} are zero"
        + ("" if drawn.words.of_target else f" ({drawn.label(c, 30)})")
        for c in drawn.curves
        if c.marks.get("zeros")
    ]
    return f"{plain}: {wording.listed(zeros)}" if zeros else plain


def _caption(drawn: Drawn) -> str:
    first, words = drawn.curves[0], drawn.words
    reading = (len(drawn.curves) == 1 and words.reading_of_one) or words.reading
    reading = words.difference if first.baseline and words.difference else reading
    said = [drawn.said(reading)] if reading else []
    said += _noted(drawn) if first.baseline is None else _leads(drawn)
    per_model = [o for o in drawn.onto if not words_of(drawn.index, o.curve).of_target]
    if len(drawn.curves) > _MOST_BESTS and any(
        not words_of(drawn.index, o.curve).is_points for o in per_model
    ):
        said.append(f"The best possible of each model is drawn for up to {_MOST_BESTS} models.")
    level, is_of_all = wording.level(first.level), "all pairs" in first.method
    whole = "the differences of all that is compared" if is_of_all else "the whole curve"
    if any(c.band_low for c in drawn.curves) and not any(c.low for c in drawn.curves):
        if any(v is not None for c in drawn.curves for v in c.band_low):
            said.append(f"The band holds {whole} at once with {level} ({first.method}).")
    elif any(c.band_low for c in drawn.curves):
        said.append(
            f"The wide band holds {whole} at once, the narrow one each point, "
            f"with {level} ({first.method})."
        )
    elif any(c.low for c in drawn.curves):
        said.append(f"Bands are {level} intervals of each point ({first.method}).")
    if any(c.marks.get("zeros") for c in drawn.curves):
        said.append("Zeros are counted apart and not drawn.")
    if len(_sides(drawn)) < len(drawn.baselines):
        said.append(f"The other {len(drawn.baselines) - len(_sides(drawn))} baselines are in the "
                    "table of points.")  # fmt: skip
    where = ""
    if len(drawn.index.results.datasets) > 1:
        where = f"; dataset {wording.name(first.dataset)}"
    if first.segment is not None:
        where += f"; only {wording.name(first.segment)}"
    said.append(f"n = {wording.count(first.n)}{where}.")
    return " ".join(said)


def _leads(drawn: Drawn) -> list[str]:
    if len(drawn.baselines) > 1:
        return _leads(drawn.against(drawn.baselines[0]))
    against = wording.name(drawn.index.label(drawn.curves[0].baseline or ""), 30)
    return leads(drawn.beneath, [drawn.label(curve, 30) for curve in drawn.beneath], against)


def _noted(drawn: Drawn) -> list[str]:
    """Numbers that belong beside the curves, one sentence each kind."""
    lines = []
    for key, label in drawn.words.noted.items():
        known = [(c, c.marks[key]) for c in drawn.curves if c.marks.get(key) is not None]
        unit = drawn.curves[0].y_unit if key in ("over", "under") else ""
        values = [f"{wording.form_of(v, None, None, unit).amount(v)} for {drawn.label(c, 30)}"
                  for c, v in known]  # fmt: skip
        if len(known) > 1 and len({v for _, v in known}) == 1:
            same = known[0][1]
            values = [f"{wording.form_of(same, None, None, unit).amount(same)} for every model"]
        if values:
            lines.append(f"{wording.capital(label)}: {wording.listed(values)}.")
    return lines


def _last(curve: CurveResult) -> str:
    """The last point that exists, with its unit."""
    place = max((i for i, y in enumerate(curve.y) if y is not None), default=None)
    if place is None:
        return "undefined"
    low, high = (bounds[place] if len(bounds) == len(curve.y) else None
                 for bounds in (curve.low, curve.high))  # fmt: skip
    return wording.form_of(curve.y[place], low, high, curve.y_unit).amount(curve.y[place])
