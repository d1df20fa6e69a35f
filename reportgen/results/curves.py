"""Results of curves."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from typing import Literal

from reportgen.records import record
from reportgen.results.types import Number, Numbers, Params, Status


@record
class CurveInfo:
    """Wording and drawing of the curves of one name, as the definition of the curve gives them.

    `topic` is empty where another figure draws it and words it. Figures of a topic stand in the
    order of `place`. Titles, labels and readings are templates that may name the target, units
    and parameters in braces. `reading` says how to read the figure, `reading_of_one` where one
    model is drawn. `finding` begins a title that quotes each model's last point. `marks` names the
    curve's own marks that are lines to read against, `noted` those that the caption quotes. A
    curve drawn `onto` another is a line in its figure, called `title`, or only points if
    `is_points`. A curve `under` another is a panel beneath the differences of that one. A curve
    `of_target` is the same for every model, and is drawn once. The differences of `is_compared`
    have a figure of their own, read as `difference` says. A curve that `is_detail` is printed in
    the full report, and where the config names it. `x_high` is how far its figure reaches, to the
    end if None. Of one that `is_paired` the differences are a panel beneath the curves. `diagonal`
    is the name of the diagonal where it `has_diagonal`. `x_scale` and `y_scale` are those of the
    axes. `stretch` is what positions are called in a title that says where a candidate is ahead.
    Of one that `has_points` positions are scores, and operating points are lines to read against;
    of one that `has_error_lines` they run from their false positive to their false negative rate.
    Of a curve that `is_better_below` the lower of two is the better, and differences are drawn
    downwards. `base` is what the heights are called from which the area up to the curve is shaded.
    """

    curve: str
    topic: Literal["", "ranking", "curves", "costs", "data"] = ""
    place: int = 0
    title: str = ""
    x_label: str = ""
    y_label: str = ""
    reading: str = ""
    drawing: Literal["line", "steps", "histogram"] = "line"
    finding: str = ""
    marks: Mapping[str, str] = field(default_factory=dict)
    reading_of_one: str = ""
    noted: Mapping[str, str] = field(default_factory=dict)
    onto: str = ""
    of_target: bool = False
    is_compared: bool = False
    difference: str = ""
    has_diagonal: bool = False
    diagonal: str = "diagonal"
    has_markers: bool = False
    has_equal_axes: bool = False
    is_points: bool = False
    under: str = ""
    is_detail: bool = False
    x_high: float | None = None
    x_scale: Literal["linear", "log", "symlog", "probit"] = "linear"
    y_scale: Literal["linear", "log", "symlog", "probit"] = "linear"
    is_paired: bool = False
    stretch: str = ""
    is_apart: bool = False
    has_points: bool = False
    has_error_lines: bool = False
    is_better_below: bool = False
    base: str = ""


@record
class CurveResult:
    """One curve of one model (or of a difference, when `baseline` is set), with its bands.

    `low`, `high` bound each point on its own; `band_low`, `band_high` bound the whole curve at
    once. `x_labels` names the points where x is a category. `marks` are numbers that belong
    beside the curve, such as the level of a random order. Beyond `drawn_to` nothing is to be seen.
    From `base` up to y the area is shaded; it is empty where nothing is.
    """

    dataset: str
    segment: str | None
    curve: str
    params: Params
    model: str
    baseline: str | None
    x: Numbers
    y: Numbers
    low: Numbers
    high: Numbers
    band_low: Numbers
    band_high: Numbers
    level: float
    method: str
    n: int
    x_unit: str = "1"
    y_unit: str = "1"
    x_labels: tuple[str, ...] = ()
    marks: dict[str, Number] = field(default_factory=dict)
    status: Status = "ok"
    reason: str = ""
    base: Numbers = ()
