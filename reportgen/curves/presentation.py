"""How a curve is told and drawn: data that stands beside its definition and travels with it.

Titles, labels and readings are templates. What they may name in braces is filled in by whoever
draws the curve: `target`, `unit`, `positive`, `negative` (names of two classes), `statistic`,
`buckets`, `point` (where calls begin), and of curves of costs `loss`, `shift`, `asymmetry`,
`middle`, `cost_unit`, `sums`, `of_rows` and `mean`. `row` and `rows` become the nouns that rows go
by. This file knows no page.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

BY_RANK = "share of rows, from the lowest scores to the highest"
FROM_TOP = "share of rows, from the highest scores down"
Topic = Literal["ranking", "curves", "costs", "data"]
Drawing = Literal["line", "steps", "histogram"]
Scale = Literal["linear", "log", "symlog", "probit"]
LAST = 1000  # the place of a curve that claims none


@dataclass(frozen=True)
class Presentation:
    """A curve's figure: its topic, heading, axes, and how to read it.

    Figures of a topic stand in the order of `place`. `reading` says how to read the figure,
    `reading_of_one` where one model is drawn. `finding` begins a title that quotes each model's
    last point. `marks` names the curve's own marks that are lines to read against, `noted` those
    that the caption quotes. A curve drawn `onto` another is a line in its figure, called `title`,
    or only points if `is_points`. A curve `under` another is a panel beneath the differences of
    that one. The differences of `is_compared` have a figure of their own, read as `difference`
    says. A curve that `is_detail` restates others or is for the specialist: short reports leave it
    out unless the config names it. `x_high` is how far its figure reaches, to the end if None. Of
    one that `is_paired` the differences are a panel beneath the curves. `diagonal` is the name
    of the diagonal where it `has_diagonal`. `x_scale` and `y_scale` are those of the axes. Each
    model of one that `is_apart` has a panel of its own. `stretch` is what positions are called
    in a title that says where a candidate is ahead. Of one that `has_points` positions are scores,
    and the model's operating points are lines to read against; of one that `has_error_lines` each
    is a line from its false positive rate, left, to its false negative rate, right. Of a curve that
    `is_better_below` the lower of two is the better, and differences are drawn downwards. `base` is
    what the heights are called from which the area up to the curve is shaded.
    """

    title: str
    x_label: str
    y_label: str
    reading: str = ""
    topic: Topic = "curves"
    place: int = LAST
    drawing: Drawing = "line"
    finding: str = ""
    marks: Mapping[str, str] = field(default_factory=dict)
    reading_of_one: str = ""
    noted: Mapping[str, str] = field(default_factory=dict)
    onto: str = ""
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
    x_scale: Scale = "linear"
    y_scale: Scale = "linear"
    is_paired: bool = False
    is_apart: bool = False
    has_points: bool = False
    has_error_lines: bool = False
    stretch: str = ""
    is_better_below: bool = False
    base: str = ""
