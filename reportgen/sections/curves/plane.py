"""Precision over recall at every cut-off, on lines of equal F, of equal AP and of equal FAP."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from reportgen import wording
from reportgen.document import Axis, Figure, Panel, Reference, Series
from reportgen.results import CurveResult
from reportgen.sections.index import Index

LEVELS = (0.1, 0.2, 0.4, 0.6, 0.8)
USUAL = (5, 10, 20, 50)
_POINTS = 60  # of a line of equal value
_Pair = tuple[CurveResult, CurveResult]
_Points = list[tuple[float, float, float]]


def plane(index: Index) -> Iterator[Figure]:
    """The figure, where precision and recall are known of the same model and cut-offs."""
    pairs = list(_pairs(index))
    if not pairs:
        return
    pairs.sort(key=lambda pair: index.role(pair[0].model) == "other")
    cuts = _cuts(index, pairs)
    ranks = f"rank{'s' * (len(cuts) > 1)} {wording.listed([f'{k:,}' for k in cuts])}"
    lines = "lines join points of equal value, 0.1, 0.2, 0.4, 0.6 and 0.8 from the lower left"
    yield Figure(
        "precision-recall-plane",
        "line",
        f"Precision over recall as lists grow longer, marked at {ranks}",
        "Each list is cut off at each rank; precision and recall are means over all "
        f"{wording.name(index.main.case[1])}, and the further right, the longer the lists. Broken "
        f"{lines}: of F; of the average precision (AP) of a list as pure all the way down, "
        "which is precision times recall; of FAP, the harmonic mean of both.",
        " ".join(_told(index, pair, cuts) for pair in pairs),
        tuple(_panel(index, pairs, cuts, *kind) for kind in _KINDS),
        has_equal_axes=True,
        others=index.others,
    )


def equal_f(recall: float, level: float) -> float:
    """The precision at which F has a value.

    >>> equal_f(0.5, 0.5)
    0.5
    """
    return level * recall / (2 * recall - level)


def equal_ap(recall: float, level: float) -> float:
    """The precision at which precision times recall has a value.

    >>> equal_ap(0.5, 0.25)
    0.5
    """
    return level / recall


def equal_fap(recall: float, level: float) -> float:
    """The precision at which the harmonic mean of F and precision times recall has a value.

    That mean is 4pr/(2 + p + r).

    >>> p = equal_fap(0.5, 0.25)
    >>> f, ap = 2 * p * 0.5 / (p + 0.5), p * 0.5
    >>> round(2 * f * ap / (f + ap), 12)
    0.25
    """
    return level * (2 + recall) / (4 * recall - level)


_KINDS: tuple[tuple[str, Callable[[float, float], float]], ...] = (
    ("lines of equal F", equal_f),
    ("lines of equal AP", equal_ap),
    ("lines of equal FAP", equal_fap),
)


def _pairs(index: Index) -> Iterator[_Pair]:
    """Precision and recall of each model that has both, on all rows of the main dataset."""
    whole = {
        (c.model, c.curve): c
        for c in index.results.curves
        if c.dataset == index.main.name and c.segment is None and c.baseline is None
        and c.status == "ok"
    }  # fmt: skip
    for model in index.results.models:
        recall = whole.get((model.name, "recall_at_k"))
        precision = whole.get((model.name, "precision_at_k"))
        if recall is None or precision is None:
            continue
        if recall.x == precision.x and recall.params == precision.params:
            yield recall, precision


def _cuts(index: Index, pairs: list[_Pair]) -> list[int]:
    """The cut-offs of the metrics and the usual ones, as far as the curves have them."""
    known = {x for recall, _ in pairs for x in recall.x}
    own = [k for m in index.metrics if isinstance(k := m.params.get("k"), int)]
    found = sorted({k for k in (*own, *USUAL) if float(k) in known})
    return found or sorted(int(x) for x in known if x is not None)[-1:]


def _at(pair: _Pair) -> _Points:
    recall, precision = pair
    return [
        (x, r, p)
        for x, r, p in zip(recall.x, recall.y, precision.y, strict=True)
        if x is not None and r is not None and p is not None
    ]


def _panel(
    index: Index,
    pairs: list[_Pair],
    cuts: list[int],
    title: str,
    precision: Callable[[float, float], float],
) -> Panel:
    series: list[Series] = []
    for pair in pairs:
        points, role = _at(pair), index.role(pair[0].model)
        label = wording.name(index.label(pair[0].model), 40)
        found, pure = tuple(r for _, r, _ in points), tuple(p for *_, p in points)
        series.append(Series(label, role, found, pure))
        if role != "other":
            is_cut = [x in cuts for x, *_ in points]  # what lies between the marks is left out
            at, up_to = ([v if c else None for v, c in zip(side, is_cut, strict=True)]
                         for side in (found, pure))  # fmt: skip
            series.append(Series("", role, tuple(at), tuple(up_to), has_markers=True))
    across, up = (Axis(name, low=0.0, high=1.0, unit="share") for name in ("recall", "precision"))
    return Panel(title, across, up, tuple(series), tuple(_line(precision, v) for v in LEVELS))


def _line(precision: Callable[[float, float], float], level: float) -> Reference:
    """A line of equal value, from where its precision is 1 to where its recall is."""
    last = precision(1.0, level)  # all three are the same with precision and recall exchanged
    steps = [last + (1 - last) * k / _POINTS for k in range(_POINTS + 1)]
    return Reference(f"{level:g}", tuple(steps), tuple(precision(r, level) for r in steps))


def _told(index: Index, pair: _Pair, cuts: list[int]) -> str:
    said = [
        f"precision {wording.percent(p)} and recall {wording.percent(r)} at rank {x:,.0f}"
        for x, r, p in _at(pair)
        if x in cuts
    ]
    return f"{wording.name(index.label(pair[0].model), 40)}: {wording.listed(said)}."
