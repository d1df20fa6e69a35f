"""The conclusion: what page one says."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from reportgen.results.types import (
    Better,
    DecisionKind,
    Number,
    RequirementStatus,
    Status,
    Word,
)

Chosen = Literal["declared", "only candidate", "cheapest", "best", "only model", "none"]


@dataclass(frozen=True)
class HeadlineComparison:
    """One comparison as page one prints it: both values, the difference, its interval, its word.

    `low`, `high` are at `level`, and allow for `adjusted_for` comparisons where that is above 1.
    `contradicted_by` are metrics of the same kind on which the candidate is worse; `care` is the
    number of what is to be read with care; `worst_of` says of how many segments this is the worst.
    """

    dataset: str
    segment: str | None
    key: str
    candidate: str
    baseline: str
    better: Better
    baseline_value: Number
    value: Number
    difference: Number
    low: Number
    high: Number
    level: float
    adjusted_for: int
    margin: Number
    n: int
    word: Word
    status: Status = "ok"
    reason: str = ""
    contradicted_by: tuple[str, ...] = ()
    care: int | None = None
    worst_of: int | None = None


@dataclass(frozen=True)
class HeadlineValue:
    """One value with its interval, where nothing is compared."""

    dataset: str
    key: str
    model: str
    value: Number
    low: Number
    high: Number
    level: float
    status: Status = "ok"
    reason: str = ""


@dataclass(frozen=True)
class Caveat:
    """Point to be read with care: a stable code, the text, and the model it concerns.

    One that is forced stands on page one whatever else does.
    """

    code: str
    title: str
    text: str
    model: str | None = None
    is_forced: bool = False


@dataclass(frozen=True)
class Requirement:
    """A gate as page one prints it.

    `name` says what is required. Value and limits are in the metric's unit or, where
    `is_share_of_rows`, shares. The limits must lie above `needs` where `is_lower_bound`, else below
    it. `decimals` are those of value and limits. Where there is no such number, `needs` is None and
    `reason` says why. `text` has all of it in one sentence.
    """

    name: str
    status: RequirementStatus
    is_failure: bool
    key: str
    needs: Number
    value: Number
    low: Number
    high: Number
    is_difference: bool
    is_lower_bound: bool
    is_share_of_rows: bool
    decimals: int = 0
    reason: str = ""
    text: str = ""


@dataclass(frozen=True)
class TotalDifference:
    """The difference times the rows that it is a mean of, in the metric's unit."""

    cases: int
    value: Number
    low: Number
    high: Number


@dataclass(frozen=True)
class UsableAction:
    """A model and a correction of its scores that can be put to use, beside the baseline as it is.

    `cost` is per case; `difference` is less the cost of the baseline as it is, with limits that
    allow for all of them. `is_level` says that it is not distinguishable from the cheapest.
    """

    model: str
    method: str
    cost: Number
    difference: Number
    low: Number
    high: Number
    is_advised: bool
    is_level: bool


@dataclass(frozen=True)
class BestAction:
    """The model and the correction of its scores that cost least of all that can be put to use.

    `saving`, with limits at `level` that allow for all `options`, is per case and against the
    baseline as it is, `today` what that costs. `level_with` are the others that are not
    distinguishable from the cheapest, each a model and a method. `is_tried` says whether any
    correction could be, `is_primary` whether the primary comparison is of this very action, so
    that its interval is quoted. `actions` has them all, the cheapest first.
    """

    asymmetry: float
    model: str
    method: str
    degree: int
    cost: Number
    saving: Number
    low: Number
    high: Number
    level: float
    options: int
    level_with: tuple[tuple[str, str], ...]
    is_tried: bool
    is_today: bool
    text: str = ""
    today: Number = None
    is_primary: bool = False
    actions: tuple[UsableAction, ...] = ()


@dataclass(frozen=True)
class Conclusion:
    """Page one.

    `about` is the model asked about, `chosen` says why it is that one, `best_of` among how many it
    is the best. `answer` has at most 18 words, `sentence` the number that it rests on; `beside`
    says where that model is worse, and whether another candidate gains more; `sensitivity` in how
    many other analyses the first row has the same verdict.
    """

    question: str
    decision: DecisionKind
    about: str | None
    chosen: Chosen
    best_of: int
    answer: str
    tone: Literal["good", "bad", "open", "neutral"]
    sentence: str
    beside: tuple[str, ...] = ()
    rows: tuple[HeadlineComparison, ...] = ()
    consequences: tuple[HeadlineComparison, ...] = ()
    values: tuple[HeadlineValue, ...] = ()
    cares: tuple[Caveat, ...] = ()
    requirements: tuple[Requirement, ...] = ()
    limits: tuple[str, ...] = ()
    total: TotalDifference | None = None
    action: BestAction | None = None
    sensitivity: str = ""
