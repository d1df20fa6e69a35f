"""Predicted and observed values by bucket."""

from __future__ import annotations

from collections.abc import Sequence

from reportgen.report import prose
from reportgen.report.document import Axis, Cell, Figure, Mark, Panel, Series, Table
from reportgen.report.prose import curves as curve_texts
from reportgen.report.sections.curves.drawing import list_caption_names
from reportgen.report.sections.index import Index, format_money_axis
from reportgen.report.sections.tables import (
    build_table,
    make_interval_cell,
    make_value_cell,
    model_column,
    number_column,
    word_column,
)
from reportgen.report.wording import numbers
from reportgen.report.wording.names import clean_name
from reportgen.results.curves import CurveResult
from reportgen.results.types import Number

_CURVE = "bucket_calibration"
_OPEN: Mark = "open"
_MOST_PANELS = 4
_MOST_BUCKETS = 20
_LONG = 10.0  # times the lowest that the highest is, from which a logarithmic axis shows both


def build_decile_figure(index: Index, curves: Sequence[CurveResult]) -> Figure | None:
    """One figure of the buckets of all models that predict amounts; None where none does."""
    shown = [c for c in curves if c.curve == _CURVE and c.status == "ok" and _list_pairs(c)]
    shown = _select_coloured_curves(index, shown)
    if not shown or len(shown[0].x) > _MOST_BUCKETS:
        return None
    first, names = shown[0], list_caption_names(index, shown[0])
    is_log, has_zero = _build_scale(shown)
    label = f"mean {names['target']}{names['unit']}"
    scale: Axis = format_money_axis(
        Axis(label, scale="log" if is_log else "linear", has_zero=has_zero), first.y_unit
    )
    id_ = f"deciles-{len(first.x)}"
    return Figure(
        id_,
        "dumbbell",
        describe_top_bucket(index, shown),
        _format_caption(index, curves, shown),
        " ".join(_describe_deciles(index, curve) for curve in shown),
        tuple(_build_panel(index, curve, scale) for curve in shown),
        table=_build_table(index, shown, id_),
        shares_axes=True,
        shares_rows=True,
    )


def _select_coloured_curves(index: Index, curves: Sequence[CurveResult]) -> list[CurveResult]:
    """Select the curves of the main dataset on all rows, of models with their own colour."""
    found = [c for c in curves if c.dataset == index.main.name and c.segment is None]
    buckets = {len(c.x) for c in found}
    found = [c for c in found if len(c.x) == min(buckets)]
    return [c for c in found if index.role(c.model) != "other"][:_MOST_PANELS]


def _list_pairs(curve: CurveResult) -> list[tuple[float, float]]:
    return [
        (x, y) for x, y in zip(curve.x, curve.y, strict=True) if x is not None and y is not None
    ]


def _build_scale(curves: Sequence[CurveResult]) -> tuple[bool, bool]:
    """Tell whether the axis is logarithmic, and whether zeros need a strip at its end."""
    values = [v for c in curves for pair in _list_pairs(c) for v in pair]
    above = [v for v in values if v > 0]
    if not above or min(values) < 0:
        return False, False
    return max(above) > _LONG * min(above), True


def _build_panel(index: Index, curve: CurveResult, x: Axis) -> Panel:
    """Build a panel with the top bucket on top: buckets of a curve rise with the score."""
    count = len(curve.x)
    rows = tuple(float(count - k) for k in range(count))
    role = index.role(curve.model)
    known = len(curve.low) == len(curve.high) == count
    ticks = tuple((float(k + 1), _format_bucket(k, count)) for k in range(count))
    return Panel(
        index.short_label(curve.model),
        x,
        Axis("", ticks=ticks),
        (
            Series(
                "observed",
                role,
                curve.y,
                rows,
                curve.low if known else (),
                curve.high if known else (),
                texts=tuple(_format_difference(curve, k) for k in range(count)),
                has_markers=True,
            ),
            Series(
                "predicted",
                role,
                curve.x,
                rows,
                marks=tuple(_OPEN for _ in range(count)),
                has_markers=True,
            ),
        ),
    )


def _format_bucket(place: int, count: int) -> str:
    """Format the name of a bucket, counted from the top.

    >>> [_format_bucket(k, 4) for k in range(4)]
    ['top 25%', '25 to 50%', '50 to 75%', 'bottom 25%']
    """
    low, high = (
        numbers.choose_declared_precision(100 * k / count).number(100 * k / count)
        for k in (place, place + 1)
    )
    if 100 % count:
        low, high = f"{100 * place / count:.0f}", f"{100 * (place + 1) / count:.0f}"
    if place == 0:
        return f"top {high}%" if count > 1 else "all"
    if place == count - 1:
        return f"bottom {100 / count:.3g}%"
    return f"{low} to {high}%"


def _format_difference(curve: CurveResult, place: int) -> str:
    """Predicted minus observed, signed."""
    x, y = curve.x[place], curve.y[place]
    if x is None or y is None:
        return ""
    forms = [
        numbers.choose_format(1.0, *_compute_limits(curve, k), curve.y_unit)
        for k in range(len(curve.y))
    ]
    decimals = max(min(form.decimals for form in forms), 0)
    return numbers.format_decimal(x - y, decimals, signed=True)


def _compute_limits(curve: CurveResult, place: int) -> tuple[Number, Number]:
    if len(curve.low) != len(curve.y) or len(curve.high) != len(curve.y):
        return None, None
    return curve.low[place], curve.high[place]


def describe_top_bucket(index: Index, curves: Sequence[CurveResult]) -> str:
    """Describe how the top bucket of the model asked about is predicted."""
    curve = next((c for c in curves if c.model == index.about), curves[-1])
    top = len(curve.x) - 1
    return curve_texts.describe_top_bucket(
        index.label(curve.model),
        len(curve.x),
        curve.x[top],
        (curve.y[top], *_compute_limits(curve, top)),
        curve.y_unit,
    )


def _format_caption(
    index: Index, curves: Sequence[CurveResult], shown: Sequence[CurveResult]
) -> str:
    first = shown[0]
    rows = index.datasets[first.dataset].case[1]
    models = {m.name for m in index.results.models}
    missing = [m for m in index.results.models if m.name not in {c.model for c in shown}]
    amounts = {c.model for c in curves if c.curve == _CURVE and c.status == "ok"} & models
    orders = [clean_name(m.label, 30) for m in missing if m.name not in amounts]
    return prose.line(
        "groups.caption",
        cases=clean_name(rows, 30),
        count=len(first.x),
        level=numbers.format_level(first.level) if any(c.low for c in shown) else "",
        orders=orders,
        is_one=len(orders) == 1,
        has_others=len(missing) > len(orders),
        rows=numbers.format_count(first.n),
    )


def _describe_deciles(index: Index, curve: CurveResult) -> str:
    each = ", ".join(
        f"{_format_bucket(k, len(curve.x))} {_format_difference(curve, len(curve.x) - 1 - k)}"
        for k in range(len(curve.x))
    )
    return prose.line("groups.differences", model=index.short_label(curve.model), differences=each)


def _build_table(index: Index, curves: Sequence[CurveResult], id_: str) -> Table:
    def choose_format(row: tuple[CurveResult, int]) -> numbers.NumberFormat:
        return numbers.choose_format(row[0].y[row[1]], *_compute_limits(*row), row[0].y_unit)

    def make_observed_cell(row: tuple[CurveResult, int]) -> Cell:
        return make_interval_cell(choose_format(row), row[0].y[row[1]], *_compute_limits(*row))

    def make_difference_cell(row: tuple[CurveResult, int]) -> Cell:
        x, y = row[0].x[row[1]], row[0].y[row[1]]
        return Cell(_format_difference(*row), value=None if x is None or y is None else x - y)

    return build_table(
        f"{id_}-table",
        prose.line("groups.table"),
        [(curve, k) for curve in curves for k in reversed(range(len(curve.x)))],
        model_column(index, lambda row: row[0].model),
        word_column(
            prose.line("groups.group"),
            lambda row: _format_bucket(len(row[0].x) - 1 - row[1], len(row[0].x)),
        ),
        number_column(
            "Predicted",
            lambda row: make_value_cell(choose_format(row).raise_decimals(0), row[0].x[row[1]]),
        ),
        number_column("Observed", make_observed_cell),
        number_column("Difference", make_difference_cell),
        is_folded=True,
    )
