"""The conclusion: what page one says."""

from __future__ import annotations

from reportgen.records import record
from reportgen.results.recommendation import Recommendation
from reportgen.results.types import (
    Better,
    Number,
    RequirementStatus,
    Status,
    Word,
)


@record
class HeadlineComparison:
    """One comparison as page one prints it: both values, the difference, its interval, its word.

    `low`, `high` are at `level`, and allow for `adjusted_for` comparisons where that is above 1.
    `note` is the number of the note that sets the candidate aside; `worst_of` says of how many
    segments this is the worst.
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
    note: int | None = None
    worst_of: int | None = None


@record
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


@record
class Requirement:
    """A gate as page one prints it.

    `name` says what is required of the `model`, `gate` is the name in the config. Value and limits
    are in the metric's unit or, where `is_share_of_rows`, shares. The limits must lie above `needs`
    where `is_lower_bound`, else below it; where `is_within` also above its negative. `decimals` are
    those of value and limits. Where there is no such number, `needs` is None and `reason` says why.
    `text` has all of it in one sentence.
    """

    name: str
    gate: str
    model: str
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
    is_within: bool = False
    is_of_gap: bool = False


@record
class UsableAction:
    """A model and a correction of its scores that can be put to use, beside the baseline as it is.

    `cost` is per case; `difference` is less the cost of the baseline as it is, with limits that
    allow for all of them. `is_level` says that the data cannot tell it apart from the cheapest.
    """

    model: str
    method: str
    cost: Number
    difference: Number
    low: Number
    high: Number
    is_advised: bool
    is_level: bool


@record
class SetAside:
    """A candidate that is set aside, with the number of its mark and the note under the figure."""

    number: int
    model: str
    note: str


@record
class Conclusion:
    """Page one.

    `recommendation` is what the report recommends; all else says why. `about` is the model whose
    values stand beside the baseline's. `answer` has at most 28 words, `key_line` the number that it
    rests on; `gain`, `drawback` and `unsure` are the sentences of the points under it. `allowed`
    says which checks of the input the config allows to fail, and why.
    """

    question: str
    recommendation: Recommendation
    about: str
    answer: str
    key_line: str
    gain: tuple[str, ...] = ()
    drawback: tuple[str, ...] = ()
    unsure: tuple[str, ...] = ()
    rows: tuple[HeadlineComparison, ...] = ()
    consequences: tuple[HeadlineComparison, ...] = ()
    values: tuple[HeadlineValue, ...] = ()
    set_aside: tuple[SetAside, ...] = ()
    requirements: tuple[Requirement, ...] = ()
    limits: tuple[str, ...] = ()
    allowed: tuple[str, ...] = ()
    actions: tuple[UsableAction, ...] = ()
