"""What one figure of curves draws, and the names that its words are filled with."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from reportgen import wording
from reportgen.document import Axis, Reference, Strip
from reportgen.results import CurveInfo, CurveResult
from reportgen.sections.cells import shown
from reportgen.sections.index import Index
from reportgen.wording import calls
from reportgen.wording.orders import in_order

LAST = 1000  # after all that claim a place
_MOST_CUT = 0.5  # of an axis from 0 to 1
_SHIFTS = {
    "none": "scores as they are",
    "optimal": "each with its best constant",
    "fitted": "each with its fitted constant",
}
_MIDDLES = {
    "linlin": "at 1 : 1 it is the mean absolute error",
    "pinball": "at 1 : 1 it is half of the mean absolute error",
    "quadquad": "at 1 : 1 it is the mean squared error",
    "linexp": "at c = 0 it is the mean squared error",
    "quadexp": "at c = 0 it is the mean squared error",
}


@dataclass(frozen=True)
class Extra:
    """What a section adds to its figures: a title (or ""), lines to read, how far axes reach.

    `note` is what stands after the name of a curve, under `end_title`; `said` closes the caption.
    `turned` is a curve as it is drawn, on the axis of x that `x_axis` gives; None for its own.
    """

    title: Callable[[Sequence[CurveResult]], str]
    references: Callable[[Sequence[CurveResult]], tuple[Reference, ...]]
    window: Callable[[Sequence[CurveResult]], tuple[float, float] | None] = lambda curves: None
    note: Callable[[CurveResult], str] = lambda curve: ""
    end_title: Callable[[Sequence[CurveResult]], str] = lambda curves: ""
    said: Callable[[Sequence[CurveResult]], str] = lambda curves: ""
    strips: Callable[[Sequence[CurveResult]], tuple[Strip, ...]] = lambda curves: ()
    turned: Callable[[CurveResult], CurveResult] = lambda curve: curve
    x_axis: Callable[[CurveResult], Axis | None] = lambda curve: None


@dataclass(frozen=True)
class Drawn:
    """What one figure draws: the curves of the models, lines drawn onto them, a panel beneath."""

    index: Index
    words: CurveInfo
    names: dict[str, str]
    curves: Sequence[CurveResult]
    onto: Sequence[CurveResult]
    beneath: Sequence[CurveResult]
    id: str
    extra: Extra | None = None
    paired: Sequence[CurveResult] = ()

    @property
    def x_label(self) -> str:
        """What stands at the axis of x."""
        axis = self.extra.x_axis(self.curves[0]) if self.extra else None
        return axis.label if axis else self.said(self.words.x_label)

    @property
    def x_high(self) -> float | None:
        """How far to the right it is drawn; to the end if None."""
        return self.words.x_high if self.words.x_high is not None else self.cut_at

    @property
    def cut_at(self) -> float | None:
        """The round number up to which there is anything to see, if that is half of x at most."""
        to = max((c.marks.get("drawn_to") or 1.0 for c in self.curves), default=1.0)
        round_ = (step * 10.0**k for k in range(-6, 0) for step in (1, 1.5, 2, 3, 4, 5, 6, 8))
        return next((each for each in round_ if to <= each <= _MOST_CUT), None)

    def said(self, template: str) -> str:
        """A template of the curve's words with its names filled in."""
        dataset = self.index.datasets.get(self.curves[0].dataset, self.index.main)
        text = wording.of_cases(template, dataset.case, is_template=True).format_map(self.names)
        models = {c.model: self.index.models.get(c.model) for c in self.curves}
        return in_order(text, [model.order for model in models.values() if model is not None])

    @property
    def baselines(self) -> tuple[str, ...]:
        """What differences are differences from, the report's baseline first; else nothing."""
        named = dict.fromkeys(curve.baseline for curve in self.curves if curve.baseline)
        main = self.index.baseline.name if self.index.baseline else ""
        return tuple(sorted(named, key=lambda name: name != main))

    @property
    def is_detail(self) -> bool:
        """Whether short reports leave the figure out: a hindsight shift restates the scores."""
        return self.words.is_detail or self.curves[0].params.get("shift") == "optimal"

    @property
    def apart(self) -> Sequence[CurveResult]:
        """What is drawn onto the panels of single models."""
        return self.onto if self.words.is_apart else ()

    def title_of(self, curve: CurveResult) -> str:
        """What a curve is called that is drawn onto others."""
        return self.said(words_of(self.index, curve.curve).title)

    def against(self, baseline: str) -> Drawn:
        """The same figure, with the differences from one baseline alone."""
        return replace(
            self,
            curves=[curve for curve in self.curves if curve.baseline == baseline],
            beneath=[curve for curve in self.beneath if curve.baseline == baseline],
        )

    def label(self, curve: CurveResult, most: int = 40) -> str:
        """The model of a curve, or both of a difference where there are several baselines."""
        if curve.baseline is None or len(self.baselines) < 2:
            return self.model(curve, most)
        return f"{self.model(curve, most)} − {wording.name(self.index.label(curve.baseline), most)}"

    def model(self, curve: CurveResult, most: int = 40) -> str:
        """The model of a curve; the target where the curve is the same for every model."""
        if self.words.of_target or not curve.model:
            return self.names["target"]
        return wording.name(self.index.label(curve.model), most)


def words_of(index: Index, curve: str) -> CurveInfo:
    """How a curve is told and drawn; plainly, where the results do not say."""
    plain = curve.replace("_", " ")
    return index.curve_infos.get(curve) or CurveInfo(
        curve, "curves", LAST, plain, "x", plain, is_compared=True
    )


def is_by_threshold(words: CurveInfo) -> bool:
    """Whether positions are thresholds, on which a score of a unit of its own has its own axis."""
    return words.has_points and words.drawing == "line"


def names_in(index: Index, curve: CurveResult) -> dict[str, str]:
    """What the words of a curve may name: the target, units, parameters."""
    dataset = index.datasets.get(curve.dataset, index.main)
    unit = dataset.unit if wording.has_unit(dataset.unit) else ""
    classes = [wording.name(each.name, 30) for each in dataset.classes]
    classes = classes if len(classes) == 2 else ["negatives", "positives"]
    statistic = shown(curve.params.get("statistic", "mean"))
    if statistic == "quantile":
        statistic = f"{shown(curve.params.get('quantile'))} quantile of"
    return {
        "target": wording.name(dataset.target_label or dataset.target, 40),
        "unit": f", {wording.name(unit, 20)}" if unit else "",
        "positive": classes[-1],
        "negative": classes[0],
        "statistic": statistic,
        "shift": _SHIFTS.get(str(curve.params.get("shift")), ""),
        "buckets": shown(curve.params.get("buckets", len(curve.x))),
        "point": _point(str(curve.params.get("at", ""))),
        **_names_of_loss(curve),
    }


def _point(name: str) -> str:
    """Where calls begin: at an operating point, or from one half on where none is named."""
    return f"at {calls.quoted(name)}" if name else "from 0.5 on"


def _names_of_loss(curve: CurveResult) -> dict[str, str]:
    """What the words of a curve of costs say of its loss."""
    loss = str(curve.params.get("loss", "linlin"))
    unit = curve.y_unit if wording.has_unit(curve.y_unit) else ""
    is_exponential = loss in ("linexp", "quadexp")
    axis = "asymmetry c: above 0, too high grows exponentially, below 0 too low"
    return {
        "loss": f"{wording.LOSSES.get(loss, loss)}{', times 2/c²' * is_exponential}",
        "cost_unit": f", {wording.name(unit, 20)}" if unit else "",
        "sums": " in sums" if curve.params.get("raw") else "",
        "of_rows": ", all rows" if curve.params.get("raw") else " a row",
        "mean": "squared " if loss == "quadquad" else "",
        "asymmetry": axis if is_exponential else "asymmetry α: the weight of under-estimation",
        "middle": _MIDDLES.get(loss, _MIDDLES["linlin"]),
    }
