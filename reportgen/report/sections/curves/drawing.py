"""What a figure of curves draws, and the same as a table."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from reportgen.records import record
from reportgen.report import prose
from reportgen.report.document import Axis, Cell, Reference, Strip, Table, TableColumn
from reportgen.report.prose.operating_points import describe_in_order
from reportgen.report.sections.cells import format_setting
from reportgen.report.sections.index import Index
from reportgen.report.wording import numbers
from reportgen.report.wording.names import capitalize, clean_name, fill_case_nouns
from reportgen.results.curves import CurveInfo, CurveResult
from reportgen.results.types import Number

_MOST_ACROSS = 5
_MOST_POINTS = 12
_MOST_ROWS, _FEWEST_POINTS = 24, 5  # of all curves, and of each
_MOST_LEADS = 3
_NEARLY_ALWAYS = 0.95


def build_points_table(
    curves: Sequence[CurveResult],
    labels: Sequence[str],
    id_: str,
    axes: tuple[str, str],
    base: str = "",
) -> Table:
    """Models side by side where they share their points, else below one another; long ones thinned.

    Under each value stands the band of the whole curve, or the height called `base` below it.
    """
    is_shared = len(curves) <= _MOST_ACROSS and len({curve.x for curve in curves}) == 1
    most = _MOST_POINTS if is_shared else max(_MOST_ROWS // len(curves), _FEWEST_POINTS)
    is_thinned = max(len(curve.x) for curve in curves) > most
    x_column = TableColumn(capitalize(axes[0]))
    caption = prose.line("points_table.caption", axis=axes[1], base=base, is_thinned=is_thinned)
    if is_shared:
        columns = (x_column, *(TableColumn(label) for label in labels))
        rows = tuple(
            (_make_x_cell(curves[0], i), *(_make_y_cell(c, i, base) for c in curves))
            for i in _choose_points(len(curves[0].x), most)
        )
    else:
        columns = (
            TableColumn("Model", is_numeric=False),
            x_column,
            TableColumn(capitalize(axes[1])),
        )
        rows = tuple(
            (Cell(label), _make_x_cell(c, i), _make_y_cell(c, i, base))
            for c, label in zip(curves, labels, strict=True)
            for i in _choose_points(len(c.x), most)
        )
    return Table(f"{id_}-table", caption, columns, rows, is_folded=True)


def _choose_points(count: int, most: int) -> Sequence[int]:
    """Choose at most `most` points: the first, others at equal steps from it, and the last.

    >>> _choose_points(3, 5), _choose_points(200, 5)
    ([0, 1, 2], [0, 50, 100, 150, 199])
    """
    step = max(-(-(count - 1) // (most - 1)), 1)
    return sorted({*range(0, count, step), *range(count)[-1:]})


def describe_line(curve: CurveResult, label: str, right: Number = None, down: Number = None) -> str:
    """Describe where a curve starts, ends, and how far it reaches within the axes of its figure.

    They end at `right` and begin at `down`, or reach as far as the curve does.
    """
    ys = [
        y
        for x, y in zip(curve.x, curve.y, strict=True)
        if y is not None
        and (right is None or x is None or x <= right)
        and (down is None or y >= down)
    ]
    if not ys:
        return prose.line("curve_says.undefined", model=label)
    form = numbers.choose_format(max(ys, key=abs), min(ys), max(ys), curve.y_unit)
    fine = replace(form, decimals=form.decimals + 1)
    return prose.line(
        "curve_says.line",
        model=label,
        first=fine.number(ys[0]),
        last=fine.number(ys[-1]),
        low=fine.number(min(ys)),
        high=fine.number(max(ys)),
    )


def list_leads(shares: Sequence[CurveResult], labels: Sequence[str], against: str) -> list[str]:
    """At how many points a candidate, or the other, is ahead in nearly all resamples."""
    said = []
    for curve, label in list(zip(shares, labels, strict=True))[:_MOST_LEADS]:
        known = [y for y in curve.y if y is not None]
        up = sum(y >= _NEARLY_ALWAYS for y in known)
        down = sum(y <= 1 - _NEARLY_ALWAYS for y in known)
        said.append(
            prose.line(
                "curve_says.lead",
                model=label,
                against=against,
                share=numbers.format_percent(_NEARLY_ALWAYS),
                up=up,
                down=down,
                points=len(known),
            )
        )
    left = len(shares) - _MOST_LEADS
    return [*said, prose.line("curve_says.more_leads", count=left)] if left > 0 else said


def drop_zero_bar(curve: CurveResult) -> CurveResult:
    """Drop the bar of exact zeros from a distribution, and space bars that have names evenly.

    Bars of uneven width, as on a logarithmic axis, are drawn evenly: their names say the width.
    """
    kept = [i for i in range(len(curve.x)) if i >= len(curve.x_labels) or curve.x_labels[i] != "0"]
    names = ("x", "y", "low", "high", "band_low", "band_high", "x_labels", "base")
    cut: dict[str, Any] = {name: _pick_values(getattr(curve, name), kept) for name in names}
    if len(cut["x_labels"]) == len(kept):
        cut["x"] = tuple(float(i) for i in range(len(kept)))
    return replace(curve, **cut)


def _pick_values(values: tuple[Any, ...], kept: Sequence[int]) -> tuple[Any, ...]:
    return tuple(values[i] for i in kept if i < len(values))


def _make_x_cell(curve: CurveResult, place: int) -> Cell:
    x = curve.x[place]
    if place < len(curve.x_labels):
        return Cell(clean_name(curve.x_labels[place]), value=x)
    form = numbers.choose_format(x, None, None, curve.x_unit)
    if curve.x_unit != "share" and x is not None and x.is_integer():
        form = numbers.NumberFormat(0)
    return Cell(form.number(x), value=x)


_MOST_DECIMALS = 3  # of a share in percent


def _make_y_cell(curve: CurveResult, place: int, base: str = "") -> Cell:
    y = curve.y[place]
    if base and (below := _get_bound(curve.base, place, curve)) is not None:
        form = numbers.choose_format(y, below, None, curve.y_unit)
        return Cell(form.number(y), note=f"{base} {form.number(below)}", value=y)
    low = _get_bound(curve.band_low or curve.low, place, curve)
    high = _get_bound(curve.band_high or curve.high, place, curve)
    own = _get_bound(curve.low, place, curve), _get_bound(curve.high, place, curve)
    finest = numbers.choose_format(y, *own, curve.y_unit)  # its decimals beside its own interval
    form = numbers.choose_format(y, low, high, curve.y_unit).raise_decimals(finest.decimals)
    if curve.y_unit == "share":  # a band can be as narrow as rounding
        form = replace(form, decimals=min(form.decimals, _MOST_DECIMALS), least=0)
    band = form.interval(low, high)
    return Cell(form.number(y), note="" if band == numbers.MISSING else band, value=y)


def _get_bound(bounds: tuple[Number, ...], place: int, curve: CurveResult) -> Number:
    return bounds[place] if len(bounds) == len(curve.x) else None


LAST = 1000  # after all that claim a place
_MOST_CUT = 0.5  # of an axis from 0 to 1


@record
class FigureExtra:
    """Additions of a section to its figures: a title (or ""), lines to read, limits of the axes.

    `note` is what stands after the name of a curve, under `end_title`; `said` closes the caption.
    `transform` gives a curve as it is drawn, on the axis of `x_axis`; None for its own.
    """

    title: Callable[[Sequence[CurveResult]], str]
    references: Callable[[Sequence[CurveResult]], tuple[Reference, ...]]
    window: Callable[[Sequence[CurveResult]], tuple[float, float] | None] = lambda curves: None
    note: Callable[[CurveResult], str] = lambda curve: ""
    end_title: Callable[[Sequence[CurveResult]], str] = lambda curves: ""
    said: Callable[[Sequence[CurveResult]], str] = lambda curves: ""
    strips: Callable[[Sequence[CurveResult]], tuple[Strip, ...]] = lambda curves: ()
    transform: Callable[[CurveResult], CurveResult] = lambda curve: curve
    x_axis: Callable[[CurveResult], Axis | None] = lambda curve: None


@record
class FigureContent:
    """Content of one figure: the curves of the models, lines drawn onto them, a panel beneath."""

    index: Index
    words: CurveInfo
    names: dict[str, str]
    curves: Sequence[CurveResult]
    onto: Sequence[CurveResult]
    beneath: Sequence[CurveResult]
    id: str
    extra: FigureExtra | None = None
    paired: Sequence[CurveResult] = ()

    @property
    def x_label(self) -> str:
        """The label of the axis of x."""
        axis = self.extra.x_axis(self.curves[0]) if self.extra else None
        return axis.label if axis else self.fill_words(self.words.x_label)

    @property
    def x_high(self) -> float | None:
        """The end of what is drawn at the right; None for all of it."""
        return self.words.x_high if self.words.x_high is not None else self.cut_at

    @property
    def cut_at(self) -> float | None:
        """The round number up to which there is anything to see, if that is half of x at most."""
        to = max((c.marks.get("drawn_to") or 1.0 for c in self.curves), default=1.0)
        round_ = (step * 10.0**k for k in range(-6, 0) for step in (1, 1.5, 2, 3, 4, 5, 6, 8))
        return next((each for each in round_ if to <= each <= _MOST_CUT), None)

    def fill_words(self, template: str) -> str:
        """Fill in the placeholders of a template of the curve's words."""
        dataset = self.index.datasets.get(self.curves[0].dataset, self.index.main)
        text = fill_case_nouns(template, dataset.case, is_template=True).format_map(self.names)
        models = {c.model: self.index.models.get(c.model) for c in self.curves}
        return describe_in_order(
            text, [model.order for model in models.values() if model is not None]
        )

    @property
    def baselines(self) -> tuple[str, ...]:
        """The models that differences are taken from, the report's baseline first; else nothing."""
        named = dict.fromkeys(curve.baseline for curve in self.curves if curve.baseline)
        main = self.index.baseline.name if self.index.baseline else ""
        return tuple(sorted(named, key=lambda name: name != main))

    @property
    def is_detail(self) -> bool:
        """True where short reports leave the figure out: a hindsight shift restates the scores."""
        return self.words.is_detail or self.curves[0].params.get("shift") == "optimal"

    @property
    def panel_curves(self) -> Sequence[CurveResult]:
        """The curves that are drawn onto the panels of single models."""
        return self.onto if self.words.is_apart else ()

    def title_of(self, curve: CurveResult) -> str:
        """Return the title of a curve that is drawn onto others."""
        return self.fill_words(find_curve_info(self.index, curve.curve).title)

    def against(self, baseline: str) -> FigureContent:
        """Return the same figure with the differences from one baseline alone."""
        return replace(
            self,
            curves=[curve for curve in self.curves if curve.baseline == baseline],
            beneath=[curve for curve in self.beneath if curve.baseline == baseline],
        )

    def label(self, curve: CurveResult, most: int = 40) -> str:
        """Format the model of a curve, or both of a difference if there are several baselines."""
        baselines = {each.baseline for each in (*self.curves, *self.paired) if each.baseline}
        if curve.baseline is None or len(baselines) < 2:
            return self.model(curve, most)
        return f"{self.model(curve, most)} − {self.index.short_label(curve.baseline, most)}"

    def model(self, curve: CurveResult, most: int = 40) -> str:
        """Format the model of a curve; the target if the curve is the same for every model."""
        if self.words.of_target or not curve.model:
            return self.names["target"]
        return self.index.short_label(curve.model, most)


def find_curve_info(index: Index, curve: str) -> CurveInfo:
    """Find how a curve is described and drawn; plainly, where the results do not say."""
    plain = curve.replace("_", " ")
    return index.curve_infos.get(curve) or CurveInfo(
        curve, "curves", LAST, plain, "x", plain, is_compared=True
    )


def is_threshold_curve(words: CurveInfo) -> bool:
    """Tell whether positions are thresholds.

    A score of a unit of its own then has its own axis.
    """
    return words.has_points and words.drawing == "line"


def list_caption_names(index: Index, curve: CurveResult) -> dict[str, str]:
    """Return the placeholder values of a curve's words: the target, units, parameters."""
    dataset = index.datasets.get(curve.dataset, index.main)
    unit = dataset.unit if numbers.has_unit(dataset.unit) else ""
    classes = [clean_name(each.name, 30) for each in dataset.classes]
    classes = classes if len(classes) == 2 else ["negatives", "positives"]
    statistic = format_setting(curve.params.get("statistic", "mean"))
    if statistic == "quantile":
        quantile = format_setting(curve.params.get("quantile"))
        statistic = prose.line("curve_axis.quantile", quantile=quantile)
    return {
        "target": clean_name(dataset.target_label or dataset.target, 40),
        "unit": f", {clean_name(unit, 20)}" if unit else "",
        "positive": classes[-1],
        "negative": classes[0],
        "statistic": statistic,
        "shift": prose.term("curve_shift", curve.params.get("shift", "")),
        "buckets": format_setting(curve.params.get("buckets", len(curve.x))),
        "point": _format_point(str(curve.params.get("at", ""))),
        **_list_loss_names(curve),
    }


def _format_point(name: str) -> str:
    """Format where calls begin: at an operating point, or from one half on where none is named."""
    return prose.line("curve_axis.point", point=clean_name(name, 40))


def _list_loss_names(curve: CurveResult) -> dict[str, str]:
    """Return the placeholder values of a cost curve's words for its loss."""
    loss = str(curve.params.get("loss", "linlin"))
    unit = curve.y_unit if numbers.has_unit(curve.y_unit) else ""
    is_exponential = loss in ("linexp", "quadexp")
    return {
        "loss": f"{prose.term('loss', loss)}{', times 2/c²' * is_exponential}",
        "cost_unit": f", {clean_name(unit, 20)}" if unit else "",
        "sums": f" {prose.line('curve_axis.sums')}" if curve.params.get("raw") else "",
        "of_rows": prose.line("curve_axis.all") if curve.params.get("raw") else " a row",
        "mean": "squared " if loss == "quadquad" else "",
        "asymmetry": prose.line("curve_axis.asymmetry", is_exponential=is_exponential),
        "middle": prose.term("cost_middle", loss),
    }
