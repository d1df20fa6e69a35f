"""What a report decides, and what it recommends: one rule for the plan and for page one."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from reportgen.records import record
from reportgen.results.types import DecisionKind, Number, Word


@record
class ReportQuestion:
    """What is decided, and the model that it is about; None where it is about all candidates."""

    decision: DecisionKind
    about: str | None


def settle_question(
    declared: DecisionKind | None,
    about: str | None,
    baseline: str | None,
    models: Sequence[str],
) -> ReportQuestion:
    """Settle the question from what is declared and from the candidates, in their order.

    One candidate, or one that is named, replaces the baseline or does not; among several a model
    is chosen. Without another model, one meets its requirements or does not. A replacement by
    one of several that names none is about the first.

    >>> settle_question(None, None, "base", ["c1", "c2"])
    ReportQuestion(decision='choose', about=None)
    >>> settle_question(None, "c2", "base", ["c1", "c2"])
    ReportQuestion(decision='replace', about='c2')
    >>> settle_question(None, None, None, ["only"])
    ReportQuestion(decision='meets', about='only')
    """
    if baseline is None or not models:
        return ReportQuestion("meets", next(iter(models), baseline))
    decision = declared or ("replace" if about is not None or len(models) < 2 else "choose")
    if decision == "replace":
        return ReportQuestion(decision, about or next(iter(models), None))
    return ReportQuestion(decision, about)


Answer = Literal["yes", "no", "cannot tell", "no verdict"]
HoldCode = Literal["conflict", "check", "reference"]
ReasonCode = Literal[
    "stopped",
    "requirement not met",
    "constant",
    "verdict",
    "hold",
    "trade-off",
    "requirement open",
    "qualified",
]
"""The step that decides the answer for one candidate; `qualified` means yes."""


@record
class Stop:
    """A reason to judge nothing: of the data where `model` is None, else of one model.

    `text` is the finding, `detail` its reason, if that is known. A check of the input, of
    which `code` is the name, also has its `evidence`, what is `likely`, the `fix`, and how to
    `allow` it. `metrics` are the kinds of metrics that it stops; empty for all. `file` and
    `line` say where the config has the key that the fix names, the data or the model.
    """

    code: str
    dataset: str
    model: str | None
    text: str
    detail: str = ""
    file: str = ""
    line: int | None = None
    evidence: str = ""
    likely: str = ""
    fix: str = ""
    allow: str = ""
    metrics: tuple[str, ...] = ()

    @property
    def full_text(self) -> str:
        """What was found and why, in one line."""
        joint = " " if self.detail.startswith("where ") else ": "
        return f"{self.text}{joint}{self.detail}" if self.detail else self.text

    @property
    def advice(self) -> str:
        """The finding, its reason, and what to do, in one line."""
        said = [f"{self.full_text}.", self.evidence, self.likely, self.fix, self.allow]
        return " ".join(filter(None, said)) if self.fix else self.full_text

    def covers(self, kind: str) -> bool:
        """Tell whether it stops metrics of a kind."""
        return not self.metrics or kind in self.metrics


@record
class Hold:
    """A reason not to rely on the verdict of a candidate.

    `conflict`: it is worse on `metric`, which is of the same kind as the primary metric.
    `reference`: it is not established to be better than what takes no model. `check`: a check of
    the input failed, by its name.
    """

    code: HoldCode
    metric: str | None = None
    check: str = ""


@record
class CandidateAnswer:
    """The answer for one candidate, and what decides it.

    `word` is its verdict on the primary metric. `losses` are the metrics on which it is worse and
    that no requirement settles.
    """

    model: str
    answer: Answer
    reason: ReasonCode
    word: Word
    holds: tuple[Hold, ...] = ()
    losses: tuple[str, ...] = ()


@record
class DatasetAnswer:
    """The answer on one of several data sets."""

    dataset: str
    answer: Answer
    use: tuple[str, ...]


@record
class NotFor:
    """A metric or a segment on which the model that the answer names is worse."""

    model: str
    metric: str
    segment: str | None = None


@record
class OperatingChoice:
    """The declared operating point of lowest cost, over the models of `use`.

    `cost` is that of one row; `against_everyone` and `against_nobody` are the differences from the
    cost of flagging every row and none.
    """

    point: str
    model: str
    cost: Number
    against_everyone: Number
    against_nobody: Number


@record
class Recommendation:
    """What the report recommends. All outputs read this object.

    `use` are the models to use, best value first; more than one if the data cannot tell which is
    best. `keep` is the model to keep where the answer is not yes. `better` are all candidates that
    are better than the baseline, best value first; `level` are those of them that no other is
    established to beat. `order` are groups of models from best to worst, where a ranking is asked
    for: the data cannot tell apart the models of one group. `correction` is the correction of
    scores that goes with the first model of `use` or with `keep`; empty where none does.
    """

    decision: DecisionKind
    answer: Answer
    use: tuple[str, ...] = ()
    keep: str | None = None
    better: tuple[str, ...] = ()
    level: tuple[str, ...] = ()
    candidates: tuple[CandidateAnswer, ...] = ()
    stops: tuple[Stop, ...] = ()
    not_for: tuple[NotFor, ...] = ()
    order: tuple[tuple[str, ...], ...] = ()
    datasets: tuple[DatasetAnswer, ...] = ()
    operating: OperatingChoice | None = None
    correction: str = ""

    @property
    def is_silent(self) -> bool:
        """True where the data support no verdict on any model."""
        return self.answer == "no verdict"

    def judges(self, model: str, kind: str = "") -> bool:
        """Tell whether the data support a judgement on a model, by metrics of a kind if given."""
        if self.is_silent:
            return False
        mine = [stop for stop in self.stops if stop.model in (None, model)]
        if kind:
            return not any(stop.covers(kind) for stop in mine)
        stopped = {each.model for each in self.candidates if each.reason == "stopped"}
        return model not in stopped and all(stop.metrics for stop in mine)

    def find_stop(self, dataset: str, kind: str, *models: str) -> Stop:
        """Find what forbids to judge models by a metric: a stop on one, on the data, or any."""
        here = [stop for stop in self.stops if stop.dataset == dataset and stop.covers(kind)]
        covering = [*(s for s in here if s.model in models), *(s for s in here if s.model is None)]
        return (*covering, *here, *self.stops)[0]

    @property
    def set_aside(self) -> tuple[str, ...]:
        """The candidates whose verdict another metric of the same kind contradicts."""
        return tuple(
            each.model
            for each in self.candidates
            if any(hold.code == "conflict" for hold in each.holds)
        )
