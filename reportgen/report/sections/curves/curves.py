"""The section on curves."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from reportgen.report import prose
from reportgen.report.document import (
    Axis,
    Block,
    Bullets,
    Figure,
    Panel,
    Reference,
    Section,
    Series,
)
from reportgen.report.prose.curves import (
    describe_capture,
    describe_capture_differences,
    describe_top_bias,
)
from reportgen.report.sections.curves.deciles import build_decile_figure
from reportgen.report.sections.curves.drawing import (
    FigureExtra,
    find_curve_info,
    list_caption_names,
)
from reportgen.report.sections.curves.figures import build_curve_figures
from reportgen.report.sections.curves.findings import add_peak_tables
from reportgen.report.sections.index import Index, fold_for_full_report
from reportgen.report.wording.names import clean_name
from reportgen.report.wording.numbers import format_percent
from reportgen.results import Results
from reportgen.results.core import MetricInfo
from reportgen.results.curves import CurveResult
from reportgen.results.types import Number

LEVELS = (0.1, 0.2, 0.4, 0.6, 0.8)
USUAL = (5, 10, 20, 50)
_POINTS = 60  # of a line of equal value
_Pair = tuple[CurveResult, CurveResult]
_Points = list[tuple[float, float, float]]


def iter_plane_figures(index: Index) -> Iterator[Figure]:
    """Yield the figure if precision and recall are known for the same model and cut-offs."""
    pairs = list(_iter_pairs(index))
    if not pairs:
        return
    pairs.sort(key=lambda pair: index.role(pair[0].model) == "other")
    cuts = _list_cutoffs(index, pairs)
    yield Figure(
        "precision-recall-plane",
        "line",
        prose.line("plane.title", ranks=[f"{k:,}" for k in cuts]),
        prose.line("plane.caption", cases=clean_name(index.main.case[1])),
        " ".join(_describe_rank_points(index, pair, cuts) for pair in pairs),
        tuple(
            _build_panel(index, pairs, cuts, prose.term("plane_lines", name), precision)
            for name, precision in _KINDS
        ),
        has_equal_axes=True,
        others=index.others,
    )


def compute_equal_f_precision(recall: float, level: float) -> float:
    """Return the precision at which F is `level` at this recall.

    >>> compute_equal_f_precision(0.5, 0.5)
    0.5
    """
    return level * recall / (2 * recall - level)


def compute_equal_ap_precision(recall: float, level: float) -> float:
    """Return the precision at which precision times recall is `level`.

    >>> compute_equal_ap_precision(0.5, 0.25)
    0.5
    """
    return level / recall


def compute_equal_fap_precision(recall: float, level: float) -> float:
    """Return the precision at which the harmonic mean of F and precision times recall is `level`.

    That mean is 4pr/(2 + p + r).

    >>> p = compute_equal_fap_precision(0.5, 0.25)
    >>> f, ap = 2 * p * 0.5 / (p + 0.5), p * 0.5
    >>> round(2 * f * ap / (f + ap), 12)
    0.25
    """
    return level * (2 + recall) / (4 * recall - level)


_KINDS: tuple[tuple[str, Callable[[float, float], float]], ...] = (
    ("f", compute_equal_f_precision),
    ("ap", compute_equal_ap_precision),
    ("fap", compute_equal_fap_precision),
)


def _iter_pairs(index: Index) -> Iterator[_Pair]:
    """Precision and recall of each model that has both, on all rows of the main dataset."""
    whole = {
        (c.model, c.curve): c
        for c in index.results.curves
        if c.dataset == index.main.name
        and c.segment is None
        and c.baseline is None
        and c.status == "ok"
    }
    for model in index.results.models:
        recall = whole.get((model.name, "recall_at_k"))
        precision = whole.get((model.name, "precision_at_k"))
        if recall is None or precision is None:
            continue
        if recall.x == precision.x and recall.params == precision.params:
            yield recall, precision


def _list_cutoffs(index: Index, pairs: list[_Pair]) -> list[int]:
    """Return the metrics' cut-offs and the usual ones, as far as the curves have them."""
    known = {x for recall, _ in pairs for x in recall.x}
    own = [k for m in index.metrics if isinstance(k := m.params.get("k"), int)]
    found = sorted({k for k in (*own, *USUAL) if float(k) in known})
    return found or sorted(int(x) for x in known if x is not None)[-1:]


def _list_rank_points(pair: _Pair) -> _Points:
    recall, precision = pair
    return [
        (x, r, p)
        for x, r, p in zip(recall.x, recall.y, precision.y, strict=True)
        if x is not None and r is not None and p is not None
    ]


def _build_panel(
    index: Index,
    pairs: list[_Pair],
    cuts: list[int],
    title: str,
    precision: Callable[[float, float], float],
) -> Panel:
    series: list[Series] = []
    for pair in pairs:
        points, role = _list_rank_points(pair), index.role(pair[0].model)
        label = index.short_label(pair[0].model)
        found, pure = tuple(r for _, r, _ in points), tuple(p for *_, p in points)
        series.append(Series(label, role, found, pure))
        if role != "other":
            is_cut = [x in cuts for x, *_ in points]  # what lies between the marks is left out
            at, up_to = (
                [v if c else None for v, c in zip(side, is_cut, strict=True)]
                for side in (found, pure)
            )
            series.append(Series("", role, tuple(at), tuple(up_to), has_markers=True))
    across, up = (Axis(name, low=0.0, high=1.0, unit="share") for name in ("recall", "precision"))
    return Panel(title, across, up, tuple(series), tuple(_build_line(precision, v) for v in LEVELS))


def _build_line(precision: Callable[[float, float], float], level: float) -> Reference:
    """Build a line of equal value, from where its precision is 1 to where its recall is 1."""
    last = precision(1.0, level)  # all three are the same with precision and recall exchanged
    steps = [last + (1 - last) * k / _POINTS for k in range(_POINTS + 1)]
    return Reference(f"{level:g}", tuple(steps), tuple(precision(r, level) for r in steps))


def _describe_rank_points(index: Index, pair: _Pair, cuts: list[int]) -> str:
    said = [
        (format_percent(p), format_percent(r), f"{x:,.0f}")
        for x, r, p in _list_rank_points(pair)
        if x in cuts
    ]
    return prose.line("plane.points", model=index.short_label(pair[0].model), each=said)


_CURVE, _METRIC, _ERRORS = "gain", "topk_capture", "error_by_rank"


def make_capture_extra(index: Index) -> FigureExtra:
    """Build the line at the share a capture metric names, its values and differences in words."""

    def is_marked(curve: CurveResult) -> bool:
        return curve.curve == _CURVE and curve.segment is None

    def find_metric(curve: CurveResult) -> tuple[MetricInfo, float] | None:
        return _find_capture_metric(index, curve.dataset) if is_marked(curve) else None

    def title(curves: Sequence[CurveResult]) -> str:
        if curves[0].curve == _ERRORS and curves[0].baseline is None:
            return _top_error(index, curves)
        at = find_metric(curves[0])
        if at is None or curves[0].baseline is not None:
            return ""
        held = [
            (index.label(curve.model), value)
            for curve in _select_coloured_curves(index, curves)
            if (value := _format_value(index, curve, at[0]))
        ]
        dataset = index.datasets[curves[0].dataset]
        target = dataset.target_label or dataset.target
        return describe_capture(at[1], target, dataset.case[1], held)

    def references(curves: Sequence[CurveResult]) -> tuple[Reference, ...]:
        at = find_metric(curves[0])
        if at is None:
            return ()
        label = "" if curves[0].baseline else (format_percent(at[1]))
        return (Reference(label, x=(at[1],)),)

    def note(curve: CurveResult) -> str:
        at = find_metric(curve)
        if at is None or index.role(curve.model) == "other":
            return ""
        return _format_value(index, curve, at[0])

    def end_title(curves: Sequence[CurveResult]) -> str:
        at = find_metric(curves[0])
        return "" if at is None else f"at {(format_percent(at[1]))}"

    def describe(curves: Sequence[CurveResult]) -> str:
        at = find_metric(curves[0])
        if at is None:
            return ""
        shown = [
            (index.label(curve.model), difference)
            for curve in _select_coloured_curves(index, curves)
            if (difference := index.comparison(curve.model, at[0].key, curve.dataset))
        ]
        return describe_capture_differences(
            at[1], index.baseline, shown, index.choose_form(at[0], index.main.name)
        )

    return FigureExtra(title, references, note=note, end_title=end_title, said=describe)


def _top_error(index: Index, curves: Sequence[CurveResult]) -> str:
    """Describe how far the top scores of the model asked about are off; "" where rows are few."""
    about = next((c for c in curves if c.model == index.about), curves[0])
    if len(about.x) != about.params.get("bins") or not about.x:
        return ""
    mine = index.baseline.name if index.baseline is not None else ""
    other = next((c for c in curves if c.model == mine and c is not about and c.x), None)
    baseline = None if other is None else (index.label(mine), _get_last_error(other))
    label = index.label(about.model)
    return describe_top_bias(label, len(about.x), _get_last_error(about), about.y_unit, baseline)


def _get_last_error(curve: CurveResult) -> tuple[Number, Number, Number]:
    low, high = (bound[-1] if bound else None for bound in (curve.low, curve.high))
    return curve.y[-1], low, high


def _find_capture_metric(index: Index, dataset: str) -> tuple[MetricInfo, float] | None:
    """Find the first capture metric, and the share of all weight that its top is."""
    info = index.datasets[dataset]
    for metric in index.metrics:
        share, top = metric.params.get("share"), metric.params.get("k")
        if metric.name == _METRIC and isinstance(share, float | int):
            return metric, float(share)
        if metric.name == _METRIC and isinstance(top, float | int) and not info.weight and info.n:
            return metric, min(float(top) / info.n, 1.0)
    return None


def _select_coloured_curves(index: Index, curves: Sequence[CurveResult]) -> list[CurveResult]:
    """Select the curves that have a colour of their own."""
    return [curve for curve in curves if index.role(curve.model) != "other"]


def _format_value(index: Index, curve: CurveResult, metric: MetricInfo) -> str:
    """Format what a model captures, or its difference from the baseline; empty where unknown."""
    if curve.baseline is None:
        estimate = index.estimate(curve.model, metric.key, curve.dataset)
        if estimate is None or estimate.value is None:
            return ""
        return index.choose_form(metric, curve.dataset).number(estimate.value)
    if index.baseline is None or curve.baseline != index.baseline.name:
        return ""
    difference = index.comparison(curve.model, metric.key, curve.dataset)
    if difference is None or difference.difference is None:
        return ""
    return index.choose_form(metric, curve.dataset).bare(difference.difference, signed=True)


TOPICS = ("ranking", "curves")


def build_curves_section(results: Results) -> Section | None:
    """`ranking` where a curve judges the order of amounts, else `curves`."""
    index = Index(results)
    is_ranked = any(
        find_curve_info(index, each.curve).topic == "ranking" for each in results.curves
    )
    home = "ranking" if is_ranked else "curves"
    found = build_curve_figures(index, TOPICS, make_capture_extra(index))
    found = add_peak_tables(index, found)
    found += fold_for_full_report(prose.line("plane.fold"), iter_plane_figures(index))
    found += _list_undefined_curves(index)
    if not found:
        return None
    deciles = build_decile_figure(index, results.curves)
    if deciles is not None:
        found += fold_for_full_report(deciles.title, [deciles])
    return Section(home, "Ranking" if home == "ranking" else "Curves", tuple(found))


def _list_undefined_curves(index: Index) -> list[Block]:
    """List the curves that have no value anywhere, of any model: they are named and not drawn."""
    whole = [c for c in index.results.curves if c.segment is None and c.baseline is None]
    shown = {c.curve for c in whole if c.status != "undefined"}
    lost = {c.curve: c for c in whole if c.curve not in shown}
    lines = [
        prose.phrase(
            "curve_caption.undefined",
            curve=info.title.format_map(list_caption_names(index, curve)),
            reason=curve.reason if curve.reason.startswith("where") else "",
        )
        for name, curve in lost.items()
        if (info := find_curve_info(index, name)).topic in TOPICS
    ]
    return [Bullets(tuple(lines))] if lines else []
