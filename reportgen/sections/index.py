"""Results by name, with the colour and marker that each model has in every figure."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from typing import cast

from reportgen import wording
from reportgen.conclusion.rows import contradicting
from reportgen.document import Role, Tone
from reportgen.results import Comparison, MetricInfo, ModelCalibration, OperatingPoint, Verdict
from reportgen.results.literals import OpenWords
from reportgen.selection import Selection
from reportgen.selection import excludes_zero as excludes_zero
from reportgen.selection import gain as gain
from reportgen.selection import with_verdict as with_verdict
from reportgen.wording.bases import base_of

TONES: Mapping[Verdict, Tone] = OpenWords({
    "better": "good",
    "not worse": "neutral",
    "equivalent": "neutral",
    "worse": "bad",
    "inconclusive": "open",
    "undefined": "open",
    "not applicable": "neutral",
}, "neutral")  # fmt: skip
_CANDIDATE_ROLES = 9
MOST_IN_COLOUR = 4
"""Models that each have a colour; of more, the baseline, the leader and the one asked about do."""


class Index(Selection):
    """Results, found by name."""

    def role(self, model: str) -> Role:
        """The colour and marker that a model has in every figure."""
        if model in self.models and self.models[model].role == "baseline":
            return "baseline"
        names = [m.name for m in self.results.models if m.role != "baseline"]
        if len(self.results.models) > MOST_IN_COLOUR:
            names = self._in_front
            if model not in names:
                return "other"
        place = names.index(model) if model in names else 0
        return cast(Role, f"candidate{place % _CANDIDATE_ROLES + 1}")

    def tone(self, found: Comparison) -> Tone:
        """The tone of a verdict: no green where another metric of the same kind contradicts it."""
        metric = self.primary
        is_decided_on = metric is not None and found.key == metric.key and found.segment is None
        if found.verdict == "better" and metric is not None and is_decided_on:
            worse = contradicting(self, found.candidate, metric)
            if any(c.baseline == found.baseline and c.dataset == found.dataset for c in worse):
                return "open"
        return "neutral" if found.is_same else TONES[found.verdict]

    @property
    def others(self) -> str:
        """What the models that have no colour of their own are called together."""
        count = sum(self.role(model.name) == "other" for model in self.results.models)
        return wording.count(count, "other model") if count else ""

    @property
    def about(self) -> str | None:
        """The candidate that the report is about: the one page one answers for, else the first."""
        conclusion = self.results.conclusion
        said = conclusion.about if conclusion is not None else None
        names = [m.name for m in self.candidates]
        return said if said in names else next(iter(names), None)

    @cached_property
    def main_points(self) -> list[OperatingPoint]:
        """The operating points of each model on the dataset that decides."""
        return [each for each in self.results.points if each.dataset == self.main.name]

    @property
    def unit_across(self) -> tuple[str, str]:
        """What counts as one where models are compared over data sets: one of them, and several."""
        if len(self.tests) > 1:
            return "dataset", "datasets"
        return self.main.case if self.main.clusters is None else ("cluster", "clusters")

    @cached_property
    def main_calibrations(self) -> list[ModelCalibration]:
        """What the probabilities of each model are like, on the dataset that decides."""
        return [each for each in self.results.calibrations if each.dataset == self.main.name]

    def called_at(self, metric: MetricInfo) -> str:
        """At which operating point a metric judges calls, and from where on; "" if at none."""
        at = metric.params.get("at")
        declared = self.results.config.get("thresholds")
        own = declared.get(str(at)) if isinstance(declared, dict) else None
        points = [point for point in self.main_points if point.name == at]
        return wording.at_point(str(at), own, points) if at else ""

    @cached_property
    def base(self) -> int:
        """Of how many rows the page tells what comes of calls."""
        return base_of(self.main_points)

    @cached_property
    def _in_front(self) -> list[str]:
        """The candidate asked about and the one with the best value, of more than have colours."""
        names = [m.name for m in self.candidates]
        found = dict.fromkeys((self.about, self.best(self.leading.key)))
        return [name for name in found if name in names]
