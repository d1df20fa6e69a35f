"""Where a model's probabilities leave what would happen if they were right, in one sentence."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from reportgen import wording
from reportgen.results import CurveResult, Number
from reportgen.sections.index import Index
from reportgen.wording import calibrations

_BINS = "reliability_bins"
MOST = 0.6  # share of what lies between the first and the last stretch, from which it is one
_LEAST = 0.01  # how wide a stretch is that is told


def finding(index: Index, curves: Sequence[CurveResult]) -> str:
    """Which probabilities are shown too high or too low; nothing where no band is known.

    Of several stretches on one side the widest is told, if it is a percentage point or more, or
    the whole from the first to the last where they hold most of it. A
    model whose probabilities the page doubts as a whole is not said to be right. Nothing is said
    of a model that has no band, and that nothing doubts.
    """
    known = [curve for curve in curves if any(v is not None for v in curve.band_low)]
    if not known:
        return ""
    off = {curve.model: _off(curve) for curve in known}
    names = {curve.model: wording.name(index.label(curve.model), 30) for curve in known}
    told = [f"{names[model]} {where}" for model, where in off.items() if where]
    doubted = _doubted(index)
    whole = [model for model, where in off.items() if not where and model in doubted]
    calm = [names[model] for model, where in off.items() if not where and model not in doubted]
    is_binned = known[0].curve == _BINS
    place = "in no one bin" if is_binned else "at no one stretch"
    leaning = {
        how: [names[model] for model in whole if doubted[model] == how]
        for how in dict.fromkeys(doubted[model] for model in whole)
    }
    if leaning:
        said = [f"{wording.listed(mine)} {_be(mine)} {how}" for how, mine in leaning.items()]
        told.append(f"{', and '.join(said)} as a whole, but {place} alone")
    # Of many models some have no band: of these only what holds as a whole is known.
    bare = [c.model for c in curves if c.model in doubted and c.model not in off]
    if bare:
        mine = [wording.name(index.label(model), 30) for model in dict.fromkeys(bare)]
        also = "too" if leaning else "as a whole"
        told.append(f"{wording.listed(mine, 3)} {_be(mine)} off {also}")
    where = "in any bin" if is_binned else "over a stretch of 1 point or more"
    has_all = all(curve.model in off for curve in curves)
    if len(calm) > 1 and not told and has_all:
        return f"No model is shown to be off {where}"
    if calm:
        told.append(f"{wording.listed(calm)} {_be(calm)} not shown to be off {where}")
    return "; ".join(told)


def _doubted(index: Index) -> dict[str | None, str]:
    """How the models are off of which a warning, the test of calibration or the slope says so.

    One of which the slope alone says it is too timid or too extreme, and not shown to be off.
    """
    main = index.main.name
    found: dict[str | None, str] = {
        c.model: calibrations.leaning(c) or "off"
        for c in index.main_calibrations
        if calibrations.is_doubted(c)
    }
    warned = {w.model for w in index.results.warnings
              if w.code == "W120" and w.dataset in (None, main)}  # fmt: skip
    return found | dict.fromkeys(warned, "off")


def _be(models: Sequence[str]) -> str:
    return "is" if len(models) == 1 else "are"


def _off(curve: CurveResult) -> str:
    """On which probabilities one model is too high and on which too low."""
    said = []
    for sign, word in ((-1, "over"), (1, "under")):
        ends = max(_stretches(curve, sign), key=lambda pair: pair[1] - pair[0], default=None)
        if ends is None or (curve.curve != _BINS and ends[1] - ends[0] < _LEAST):
            continue
        every = list(_stretches(curve, sign))
        whole = every[0][0], every[-1][1]
        held = sum(high - low for low, high in every)
        is_most = len(every) > 1 and held > MOST * (whole[1] - whole[0])
        shown = dict.fromkeys(map(wording.percent, whole if is_most else ends))
        most = "most probabilities from " if is_most else ""
        said.append(f"{word}-predicts at {most}{' to '.join(shown)}")
    return wording.listed(said)


def _stretches(curve: CurveResult, sign: int) -> Iterator[tuple[float, float]]:
    """From where to where what happened lies on one side of what the probabilities say."""
    start: Number = None
    last: Number = None
    for x, own in zip(curve.x, _sides(curve), strict=True):
        if own == sign and x is not None:
            start, last = (x if start is None else start), x
        elif start is not None and last is not None:
            yield start, last
            start = None
    if start is not None and last is not None:
        yield start, last


def _sides(curve: CurveResult) -> Iterator[int]:
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
