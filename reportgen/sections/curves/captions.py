"""What a figure of curves is called and how it is read: its title and its caption."""

from __future__ import annotations

import re
from collections.abc import Sequence

from reportgen import wording
from reportgen.results import CurveResult, Number
from reportgen.sections.curves.drawn import Drawn, is_by_threshold, words_of
from reportgen.sections.curves.findings import estimates, finding
from reportgen.sections.curves.points import said_of_lines, said_of_scores
from reportgen.sections.curves.tables import leads

MOST_BESTS = 4  # more lines of the best possible than models hide the models
MOST_PANELS = 10
MOST_TOLD = 2  # candidates in a title
_SHARES = ("top", "held")  # marks that are shares


def title(drawn: Drawn) -> str:
    """The finding where there is one to quote, else what is drawn."""
    plain = wording.capital(drawn.said(drawn.words.title))
    if len(drawn.baselines) > 1:
        return title(drawn.against(drawn.baselines[0]))
    own = drawn.extra.title(drawn.curves) if drawn.extra else ""
    if own:
        return own
    if drawn.baselines:
        return _difference_title(drawn, plain)
    if told := finding(drawn.index, drawn.curves):
        return told
    if drawn.words.drawing == "histogram":
        return _zeros_title(drawn, plain)
    if drawn.words.stretch and any(_is_banded(curve) for curve in drawn.paired):
        return f"{plain.partition(':')[0]}: {_all_stretches(drawn)}"
    if told := estimates(drawn.index, drawn.curves):
        return told
    if not drawn.words.finding:
        return plain
    ends = wording.listed([f"{_last(c)} for {drawn.label(c, 30)}" for c in drawn.curves])
    names = drawn.names
    return f"{drawn.words.finding} the {names['statistic']} {names['target']} is {ends}"


def counted(drawn: Drawn) -> str:
    """What tells a figure from others of its curve: the number of buckets, or its only model."""
    first = drawn.curves[0]
    models = {c.model for c in drawn.index.results.curves if c.curve == first.curve}
    if is_by_threshold(drawn.words) and len(drawn.curves) == 1:
        return f": {drawn.label(first)}" if len(models) > 1 else ""
    counts = {c.params.get("buckets") for c in drawn.index.results.curves if c.curve == first.curve}
    return f" ({drawn.names['buckets']} buckets)" if len(counts) > 1 else ""


def _all_stretches(drawn: Drawn) -> str:
    """Who is higher or lower and where: models with a colour first, as far as they can be told.

    Of those the one that is asked about leads, then the farthest away.
    """

    def place(curve: CurveResult) -> tuple[bool, bool, float]:
        is_pale = drawn.index.role(curve.model) == "other"
        away = abs(sum(filter(None, curve.y)) / max(len(curve.y), 1))
        return is_pale, curve.model != drawn.index.about, -away

    in_front = sorted(drawn.paired, key=place)
    apart = {drawn.model(curve, 30): _stretches(drawn, curve) for curve in in_front}
    told = [f"{who} is {where}" for who, where in apart.items() if where]
    if told:
        rest = len(told) - MOST_TOLD
        are = "is" if rest == 1 else "are"
        more = [f"{wording.count(rest, 'other')} {are} higher or lower in places"] * (rest > 0)
        return wording.listed([*told[:MOST_TOLD], *more])
    who = "no candidate is" if len(apart) > 1 else f"{next(iter(apart))} is nowhere"
    return f"{who} clearly apart"


def _stretches(drawn: Drawn, curve: CurveResult) -> str:
    """From which position to which the simultaneous band of a difference leaves out zero, or "".

    Where it does not at every position in between, at how many it does.
    """
    signs = [
        1 if low is not None and low > 0 else -1 if high is not None and high < 0 else 0
        for low, high in zip(curve.band_low, curve.band_high, strict=True)
    ]
    said = []
    for sign, word in ((1, "higher"), (-1, "lower")):
        at = [x for x, own in zip(curve.x, signs, strict=True) if own == sign and x is not None]
        if at:
            shown = [wording.percent(x) if curve.x_unit == "share" else f"{x:g}" for x in at]
            ends = shown[0] if len(at) == 1 else f"{shown[0]} to {shown[-1]}"
            places = drawn.words.stretch
            if len(at) == 1:
                places = re.sub(r"s\b", "", places, count=1)
            elif len(at) <= _last_of(signs, sign) - signs.index(sign):
                places = f"{len(at)} of {len(signs)} {places} from"
            said.append(f"{word} at {places} {ends}")
    return " and ".join(said)


def _last_of(signs: Sequence[int], sign: int) -> int:
    """The last place of a sign."""
    return len(signs) - 1 - signs[::-1].index(sign)


def _is_banded(curve: CurveResult) -> bool:
    return any(limit is not None for limit in (*curve.band_low, *curve.band_high))


def _difference_title(drawn: Drawn, plain: str) -> str:
    """Where the simultaneous band of a difference leaves out zero: a count of points."""
    said = []
    for curve in drawn.curves:
        low, high = curve.band_low or curve.low, curve.band_high or curve.high
        above = sum(v is not None and v > 0 for v in low)
        below = sum(v is not None and v < 0 for v in high)
        who = drawn.label(curve, 30)
        counts = f"higher at {above} and lower at {below}"
        if drawn.words.is_better_below:
            counts = f"better at {below} and worse at {above}"
        apart = f"{who} is {counts} of {len(curve.x)} points"
        said.append(apart if above or below else f"{who} is nowhere clearly apart")
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


def _lacks_bands(curves: Sequence[CurveResult]) -> bool:
    """Whether bands were looked for, and none was found anywhere."""
    return any(c.band_low for c in curves) and all(x is None for c in curves for x in c.band_low)


def caption(drawn: Drawn) -> str:
    """How to read the figure, numbers that belong beside it, what its bands are, n."""
    first, words = drawn.curves[0], drawn.words
    reading = (len(drawn.curves) == 1 and words.reading_of_one) or words.reading
    reading = words.difference if first.baseline and words.difference else reading
    said = [drawn.said(reading)] if reading else []
    said += _noted(drawn) if first.baseline is None else leads_of(drawn)
    if first.baseline is None:
        lines = [said_of_scores(drawn)] if words.has_points else []
        lines += [said_of_lines(drawn)] if words.has_error_lines else []
        said += filter(None, lines)
    per_model = [o for o in drawn.onto if not words_of(drawn.index, o.curve).of_target]
    if (
        len(drawn.curves) > MOST_BESTS
        and not words.is_apart
        and any(not words_of(drawn.index, o.curve).is_points for o in per_model)
    ):
        said.append(f"The best possible of each model is drawn for up to {MOST_BESTS} models.")
    level, is_of_all = wording.level(first.level), "all pairs" in first.method
    whole = "the differences of all that is compared" if is_of_all else "the whole curve"
    if first.method == "consistency band":
        said.append(
            f"Of a model that is right, {level} of samples of this size lie within its band."
        )
    elif any(c.band_low for c in drawn.curves) and not any(c.low for c in drawn.curves):
        if any(v is not None for c in drawn.curves for v in c.band_low):
            said.append(f"The band holds {whole} at once with {level} ({first.method}).")
    elif first.baseline is not None and _lacks_bands(drawn.curves):
        said.append("Too few rows stand behind the difference for a band.")
    elif any(c.band_low for c in drawn.curves):
        said.append(
            f"The wide band holds {whole} at once, the narrow one each point, "
            f"with {level} ({first.method})."
        )
    elif any(c.low for c in drawn.curves):
        said.append(f"Bands are {level} intervals of each point ({first.method}).")
    if drawn.cut_at is not None:
        rows = wording.name(drawn.index.main.case[1])
        to = wording.percent(drawn.cut_at) if first.x_unit == "share" else f"{drawn.cut_at:g}"
        said.append(f"Drawn up to {to}: beyond, hardly any {rows} are "
                    "called.")  # fmt: skip
    if any(c.marks.get("cut") for c in drawn.curves):
        said.append("The outermost bars also hold scores that lie further out.")
    if any(c.marks.get("zeros") for c in drawn.curves):
        said.append("Zeros are counted apart and not drawn.")
    if len(sides(drawn)) < len(drawn.baselines):
        said.append(f"The other {len(drawn.baselines) - len(sides(drawn))} baselines are in the "
                    "table of points.")  # fmt: skip
    if drawn.extra and (closing := drawn.extra.said(drawn.curves)):
        said.append(closing)
    where = ""
    if len(drawn.index.results.datasets) > 1:
        where = f"; dataset {wording.name(first.dataset)}"
    if first.segment is not None:
        where += (
            f"; only {wording.segment_name(drawn.index.datasets[first.dataset], first.segment)}"
        )
    said.append(f"n = {wording.count(first.n)}{where}.")
    return " ".join(said)


def leads_of(drawn: Drawn) -> list[str]:
    """Where each candidate is ahead in nearly all resamples, against the first baseline."""
    if len(drawn.baselines) > 1:
        return leads_of(drawn.against(drawn.baselines[0]))
    against = wording.name(drawn.index.label(drawn.curves[0].baseline or ""), 30)
    return leads(drawn.beneath, [drawn.label(curve, 30) for curve in drawn.beneath], against)


def _noted(drawn: Drawn) -> list[str]:
    """Numbers that belong beside the curves, one sentence each kind."""
    lines = []
    for key, label in drawn.words.noted.items():
        known = [(c, c.marks[key]) for c in drawn.curves if c.marks.get(key) is not None]
        unit = drawn.curves[0].y_unit if key in ("over", "under") else ""
        unit = "share" if key in _SHARES else unit
        values = [f"{_mark(drawn, v, unit)} for {drawn.label(c, 30)}" for c, v in known]
        if len(known) > 1 and len({v for _, v in known}) == 1:
            values = [f"{_mark(drawn, known[0][1], unit)} for every model"]
        if values:
            lines.append(f"{wording.capital(drawn.said(label))}: {wording.listed(values)}.")
    return lines


def _mark(drawn: Drawn, value: Number, unit: str) -> str:
    """A number beside a curve; a rank is printed as the whole number that it is."""
    if drawn.words.stretch == "ranks" and value is not None and float(value).is_integer():
        return wording.count(int(value))
    return wording.form_of(value, None, None, unit).amount(value)


def _last(curve: CurveResult) -> str:
    """The last point that exists, with its unit."""
    place = max((i for i, y in enumerate(curve.y) if y is not None), default=None)
    if place is None:
        return "undefined"
    low, high = (bounds[place] if len(bounds) == len(curve.y) else None
                 for bounds in (curve.low, curve.high))  # fmt: skip
    return wording.form_of(curve.y[place], low, high, curve.y_unit).amount(curve.y[place])


def sides(drawn: Drawn) -> tuple[str, ...]:
    """The baselines that there is room for."""
    return drawn.baselines[: MOST_PANELS // (2 if drawn.beneath else 1)]
