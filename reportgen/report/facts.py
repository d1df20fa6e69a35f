"""What a report says, without its words: a fact names the message that says it."""

from __future__ import annotations

from dataclasses import fields
from string import Formatter
from typing import Any, ClassVar, Literal, get_args

from reportgen.records import record
from reportgen.report.wording.numbers import NumberFormat
from reportgen.results.input_checks import HoldingCheck
from reportgen.results.types import GateRule, Kind, Number, RequirementStatus
from reportgen.terms import CheckKind


class Fact:
    """One thing that a report says; subclasses are frozen dataclasses.

    `message` is the key of its message. A field in braces is a part of the key: with
    `status.{status}` each member of a closed list has a message of its own.
    """

    message: ClassVar[str]

    @property
    def key(self) -> str:
        """The key of the message that says this fact."""
        chosen = {name: getattr(self, name) for name in list_key_fields(type(self))}
        return fill_key(self.message, chosen)

    @property
    def values(self) -> dict[str, object]:
        """The values that the message may name: fields and properties of the fact."""
        return {name: getattr(self, name) for name in list_names(type(self))}


def fill_key(message: str, chosen: dict[str, Any]) -> str:
    """Fill the fields of a key.

    >>> fill_key("status.{status}", {"status": "not met"})
    'status.not_met'
    """
    parts = {name: str(value).replace(" ", "_") for name, value in chosen.items()}
    return message.format_map(parts)


def refuse_impossible(is_impossible: bool) -> None:
    """Raise ValueError for values that no results can have."""
    if is_impossible:
        raise ValueError("no results can have these values")


def list_names(kind: type[Fact]) -> tuple[str, ...]:
    """List the fields and the properties of a kind of fact."""
    own = [
        name
        for each in kind.__mro__
        if each not in (Fact, object)
        for name, value in vars(each).items()
        if isinstance(value, property)
    ]
    return (*(field.name for field in fields(kind)), *own)  # type: ignore[arg-type]


def list_key_fields(kind: type[Fact]) -> tuple[str, ...]:
    """List the fields that choose the message."""
    return tuple(name for _, name, _, _ in Formatter().parse(kind.message) if name)


@record
class Quantity:
    """A number and how it is printed."""

    value: Number
    form: NumberFormat


@record
class Limits:
    """Two limits and how they are printed; None where there is no limit to that side."""

    low: Number
    high: Number
    form: NumberFormat


FindingKind = Literal[
    "clearly better",
    "better",
    "equivalent",
    "identical",
    "constant",
    "same decisions",
    "not worse",
    "not better",
    "cannot tell",
    "cannot tell which",
    "worse",
    "clearly worse",
    "no result",
    "few",
    "conflict",
    "check",
    "reference",
    "trade-off",
    "requirement open",
    "requirements open",
]


@record
class Finding(Fact):
    """What the data say of one candidate.

    `gain` is what a better model does, `reference` what takes no model (`is_beaten`: it is known to
    be no better), `other` a metric on which it is worse, `requirement` what an open one asks.
    """

    message: ClassVar[str] = "finding.{kind}"
    kind: FindingKind
    candidate: str
    baseline: str
    metric: str
    gain: str
    problem: str
    case: str
    units: str
    fewest: int
    verdict: str
    purpose: str
    other: str
    other_verdict: str
    other_purpose: str
    requirement: str
    count: int
    margin: Quantity
    reference: str
    is_beaten: bool

    def __post_init__(self) -> None:
        """Refuse a failed check without its problem, or a missed reference without its name."""
        refuse_impossible(self.kind == "reference" and not self.reference)
        refuse_impossible(self.kind == "check" and not self.problem)


@record
class Purpose(Fact):
    """What a model is used for where a metric of this kind decides."""

    message: ClassVar[str] = "purpose.{kind}"
    kind: Kind
    cases: str


@record
class OpenRequirement(Fact):
    """What a requirement asks of a model, as the end of a sentence."""

    message: ClassVar[str] = "open_requirement.{rule}"
    rule: Literal["below", "above", "other"]
    name: str
    metric: str
    bound: Quantity
    where: str
    is_size: bool


@record
class SameForAll(Fact):
    """What a model makes the same for every row: its scores, or its decisions at the threshold."""

    message: ClassVar[str] = "note.same_{what}"
    what: Literal["scores", "decisions"]
    case: str


WeightyCode = Literal[
    "W109",
    "W110",
    "W115",
    "W117",
    "W121",
    "W131",
    "W138",
    "W142",
    "W143",
    "W144",
    "W201",
    "W204",
    "W206",
    "W207",
    "W231",
    "W251",
]


@record
class WeightyWarning(Fact):
    """A warning that weighs on the answer; `model` is empty where it is not about one model."""

    message: ClassVar[str] = "unsure_warning.{code}"
    code: WeightyCode
    share: str
    model: str


WEIGHTY_CODES = frozenset(get_args(WeightyCode))

RowsKind = Literal[
    "without the largest errors",
    "without the largest targets",
    "largest targets capped",
]
SettingKind = Literal[
    "ties expected",
    "ties trec",
    "ties optimistic",
    "ties pessimistic",
    "ties for the candidate",
    "ties for the baseline",
    "gain linear",
    "gain exp2",
    "denominator relevant",
    "denominator k",
    "denominator min",
    "no relevant skip",
    "no relevant zero",
    "no relevant one",
    "unjudged not relevant",
    "unjudged drop",
    "missing document unretrieved",
    "missing document last",
    "missing query zero",
    "missing query drop",
    "negative pooled",
    "negative not relevant",
]


@record
class AnalysisRows(Fact):
    """The rows that a re-analysis changes."""

    message: ClassVar[str] = "analysis_rows.{rows}"
    rows: RowsKind


@record
class AnalysisSetting(Fact):
    """The setting of a ranking metric that a re-analysis changes."""

    message: ClassVar[str] = "analysis_setting.{setting}"
    setting: SettingKind


ReferenceWord = Literal[
    "amount",
    "median",
    "mean",
    "quantile",
    "best",
    "distribution",
    "share",
    "order",
    "chance",
    "everyone",
    "nobody",
    "class",
    "commonest",
    "class shares",
    "common labels",
    "every label",
    "label set",
    "label shares",
    "last value",
    "seasonal",
    "popularity",
]

AMOUNTS: dict[str, ReferenceWord] = {
    "median": "median",
    "relative median": "quantile",
    "mean": "mean",
    "log mean": "mean",
    "quantile": "quantile",
    "best constant": "best",
    "zero": "amount",
}
ALIKE: dict[str, ReferenceWord] = {
    "class shares": "class shares",
    "common labels": "common labels",
    "every label": "every label",
    "labels": "common labels",
    "label set": "label set",
    "label shares": "label shares",
    "distribution": "distribution",
    "normal": "distribution",
    "popularity": "popularity",
    "last_value": "last value",
    "seasonal": "seasonal",
    "random order": "order",
}
SHARES_OF_RIGHT = ("accuracy", "error_rate")
"""Metrics on which flagging all or none is told as always predicting one class."""


@record
class ReferenceLabel(Fact):
    """What is predicted without a model, as a cell says it."""

    message: ClassVar[str] = "reference_label.{kind}"
    kind: ReferenceWord
    value: str


@record
class ReferencePhrase(Fact):
    """What is predicted without a model, as it goes on after “better than”."""

    message: ClassVar[str] = "reference_phrase.{kind}"
    kind: Literal[ReferenceWord, "hidden"]
    value: str


@record
class RequirementText(Fact):
    """The text of a requirement.

    `heading` is the metric at the start of a sentence, `ranked` the rows that a metric of order
    ranks, `drop` the loss on one row that counts as
    harm, `groups` the segments between which a gap lies.
    """

    message: ClassVar[str] = "requirement.{rule}"
    rule: GateRule
    metric: str
    heading: str
    model: str
    baseline: str
    bound: Quantity
    drop: Quantity
    rows: str
    where: str
    ranked: str
    is_named: bool
    is_size: bool
    groups: str = ""

    @property
    def has_bound(self) -> bool:
        """True if the bound is not zero."""
        return bool(self.bound.value)


@record
class StatusCount(Fact):
    """The number of requirements with a status."""

    message: ClassVar[str] = "status_count"
    count: int
    status: RequirementStatus

    def __post_init__(self) -> None:
        """Refuse a status that no requirement has."""
        refuse_impossible(self.count < 1)


@record
class RequirementsSummary(Fact):
    """The outcome of all requirements.

    `answer_model` is the model that the answer names and that no requirement is about.
    """

    message: ClassVar[str] = "requirements.{outcome}"
    outcome: Literal["all met", "all met without gain", "mixed"]
    total: int
    counts: tuple[StatusCount, ...]
    answer_model: str | None

    def __post_init__(self) -> None:
        """Refuse a summary of nothing."""
        refuse_impossible(self.total < 1)


@record
class HeldRequirement(Fact):
    """Why a check of the input decides a requirement in place of the numbers."""

    message: ClassVar[str] = "requirement.{check}"
    check: HoldingCheck
    case: str
    cases: str


@record
class UnitsCounted(Fact):
    """Units that are counted: rows of a class, or what rows are drawn in."""

    message: ClassVar[str] = "counted.{unit}"
    unit: Literal["class", "cluster", "query", "time", "fold", "dataset"]
    count: int
    one: str
    many: str
    label: str


@record
class CheckEffect(Fact):
    """What follows where a check fails."""

    message: ClassVar[str] = "effect.{kind}"
    kind: CheckKind
    name: str
    is_of_model: bool


@record
class HowToAllow(Fact):
    """What to write where the failure of a check is intended; `at` is the key of the model."""

    message: ClassVar[str] = "allow.{scope}"
    scope: Literal["data", "model"]
    name: str
    at: str

    def __post_init__(self) -> None:
        """Refuse a model without its key."""
        refuse_impossible(self.scope == "model" and not self.at)


ClassAverage = Literal[
    "macro",
    "ovr",
    "ovo",
    "weighted",
    "ovr_weighted",
    "ovo_weighted",
    "micro",
    "macro_pr",
    "samples",
]


@record
class ClassMean(Fact):
    """A mean over the classes, or labels, of a target."""

    message: ClassVar[str] = "class_mean.{average}"
    average: ClassAverage
    many: str
    cases: str


FamilyName = Literal["asked", "choice", "others", "best", "declared", "metrics", "segments"]


@record
class FamilySize(Fact):
    """The size of the largest family of a kind."""

    message: ClassVar[str] = "family.{family}"
    family: FamilyName
    size: int


Withstands = Literal[
    "nothing",
    "range",
    "rows",
    "pairs",
    "ranks",
    "half",
    "weighted",
    "tied_pairs",
    "tied_ranks",
]
"""What a metric withstands; the last three where rows do not all count alike."""


@record
class WorstCase(Fact):
    """What wrong rows can do to metrics at most; `share` is of the range of a metric."""

    message: ClassVar[str] = "worst.{withstands}"
    withstands: Withstands
    metrics: tuple[str, ...]
    share: str
    half: int
    case: str
    cases: str
