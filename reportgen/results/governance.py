"""Whether the rule was fixed beforehand, how often the rows were looked at, what FINAL lacks."""

from __future__ import annotations

from dataclasses import dataclass

from reportgen.results.changes import RuleChange


@dataclass(frozen=True)
class Frozen:
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
        """Whether rule and scores are those that were fixed."""
        return not self.differences and not self.scores


@dataclass(frozen=True)
class Looks:
    """How often the rows that decide were judged, this time counted; `planned` is None if not.

    Only runs that name each other by `previous:` are counted. `level` is what limits would hold
    without the looks that are planned.
    """

    dataset: str
    count: int
    planned: int | None = None
    level: float = 0.95
