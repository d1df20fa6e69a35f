"""Changes between runs, and governance."""

from __future__ import annotations

from dataclasses import field
from typing import Literal

from reportgen.records import record
from reportgen.results.types import Better, Number

MoveMethod = Literal[
    "same rows and scores", "paired", "as if independent", "square-and-add", "not comparable", ""
]
MoveWord = Literal["improved", "worsened", "moved", "within the margin", "same", ""]


@record
class RunStamp:
    """A run as another tells it; `digest` is that of its results.json, where it was a file."""

    title: str
    time: str
    verdict: str
    digest: str = ""
    version: str = ""


@record
class RuleChange:
    """A key of the rule and its values, each as one line; "" where a run does not have it."""

    key: str
    before: str
    now: str


@record
class Cause:
    """Something that can move a number, and whether it did change; None where nobody can tell."""

    name: str
    is_changed: bool | None
    detail: str = ""


@record
class GateChange:
    """A gate by its name, with its status in both runs; "" in the run that does not have it."""

    name: str
    before: str
    now: str
    is_failure: bool = False


@record
class ValueChange:
    """Change of a value, now minus before: of a model, or of its difference from another.

    `low`, `high` are at `level`, by `method`; None where there is no interval. `p_adjusted` allows
    for all moves of the page that have a p-value (Holm). `word` is "" where nothing is shown.
    """

    dataset: str
    key: str
    label: str
    unit: str
    better: Better
    model: str
    against: str | None
    before: Number
    now: Number
    change: Number
    low: Number = None
    high: Number = None
    level: float = 0.95
    method: MoveMethod = ""
    p_value: Number = None
    p_adjusted: Number = None
    margin: Number = None
    word: MoveWord = ""
    note: str = ""


@record
class WarningChange:
    """A warning that only one of the runs gave."""

    code: str
    about: str
    is_new: bool


ShiftKind = Literal["target", "score", "segment"]
ShiftMeasure = Literal["ks", "tv", ""]


@record
class DataShift:
    """How far a distribution of `dataset` is from an earlier one: of the target, scores, segments.

    It is compared with the dataset `since` of the same run, or with the earlier run where that is
    empty. `name` is the column. `distance` is by `measure` Kolmogorov and Smirnov's, known to
    within `resolution`, or the total variation of shares. `change` is that of the mean, `relative`
    the same as a share of the earlier mean. Limits are at `level`, unadjusted, for independent
    rows. `stability_index` is the PSI. `has_same_rows`: no row is new, so that no chance is in it.
    """

    dataset: str
    since: str
    kind: ShiftKind
    name: str
    model: str | None
    unit: str
    n_before: int
    n_now: int
    level: float
    measure: ShiftMeasure = ""
    distance: Number = None
    distance_low: Number = None
    distance_high: Number = None
    resolution: Number = None
    before: Number = None
    now: Number = None
    change: Number = None
    low: Number = None
    high: Number = None
    relative: Number = None
    relative_low: Number = None
    relative_high: Number = None
    stability_index: Number = None
    has_same_rows: bool = False


PresenceKind = Literal["metric", "model", "dataset"]


@record
class PresenceChange:
    """A metric, model or dataset that only one of the runs has, by its name or label."""

    kind: PresenceKind
    name: str
    is_new: bool


@record
class Changes:
    """Changes from an earlier run to this one.

    `because` names the one cause where exactly one differs, else says why nobody can tell. `moves`
    are of all rows of each dataset, of values and of differences; `family` is how many of them the
    p-values are adjusted for. `presence` lists the metrics, models and datasets that only one run
    has. `shifts` say what changed in the data.
    """

    before: RunStamp
    now: RunStamp
    rule: tuple[RuleChange, ...] = ()
    causes: tuple[Cause, ...] = ()
    because: str = ""
    gates: tuple[GateChange, ...] = ()
    moves: tuple[ValueChange, ...] = ()
    family: int = 0
    warnings: tuple[WarningChange, ...] = ()
    renamed: dict[str, str] = field(default_factory=dict)
    presence: tuple[PresenceChange, ...] = ()
    shifts: tuple[DataShift, ...] = ()


@record
class PastRun:
    """An earlier run in the history that a report carries; values are of the primary metric."""

    time: str
    digest: str
    verdict: str
    rows: str
    decision: str
    gates: dict[str, str]
    metric: str
    unit: str
    values: dict[str, tuple[Number, Number, Number]]


@record
class FrozenRule:
    """A rule that was fixed before this run, and what differs from it.

    `digest` is that of the fixed rule, `time` when it was fixed, as its file says: the proof of
    that is outside. `scores` are files whose scores are not those that were fixed.
    """

    digest: str
    time: str
    differences: tuple[RuleChange, ...] = ()
    scores: tuple[str, ...] = ()

    @property
    def is_kept(self) -> bool:
        """True where rule and scores are those that were fixed."""
        return not self.differences and not self.scores


@record
class LookCount:
    """Count of looks at the rows that decide, this one included; `planned` is None if none are.

    Only runs that name each other by `previous:` are counted. `level` is what limits would hold
    without the looks that are planned. `is_anytime`: those of the primary metric's differences hold
    at every look, however many there are.
    """

    dataset: str
    count: int
    planned: int | None = None
    level: float = 0.95
    is_anytime: bool = False
