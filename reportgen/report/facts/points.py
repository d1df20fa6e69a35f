"""Facts about the points under the answer."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal, get_args

from reportgen.report.facts.fact import Fact

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


@dataclass(frozen=True)
class WeightyWarning(Fact):
    """A warning that weighs on the answer."""

    message: ClassVar[str] = "unsure_warning.{code}"
    code: WeightyCode
    share: str


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


@dataclass(frozen=True)
class AnalysisRows(Fact):
    """The rows that a re-analysis changes."""

    message: ClassVar[str] = "analysis_rows.{rows}"
    rows: RowsKind


@dataclass(frozen=True)
class AnalysisSetting(Fact):
    """The setting of a ranking metric that a re-analysis changes."""

    message: ClassVar[str] = "analysis_setting.{setting}"
    setting: SettingKind
