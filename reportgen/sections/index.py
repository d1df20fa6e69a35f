"""Results by name, with the colour and marker that each model has in every figure."""

from __future__ import annotations

from typing import cast

from reportgen.document import Role, Tone
from reportgen.results import Verdict
from reportgen.selection import Selection
from reportgen.selection import excludes_zero as excludes_zero
from reportgen.selection import gain as gain
from reportgen.selection import with_verdict as with_verdict

TONES: dict[Verdict, Tone] = {
    "better": "good",
    "not worse": "neutral",
    "equivalent": "neutral",
    "worse": "bad",
    "inconclusive": "open",
    "undefined": "open",
    "not applicable": "neutral",
}
_CANDIDATE_ROLES = 9


class Index(Selection):
    """Results, found by name."""

    def role(self, model: str) -> Role:
        """The colour and marker that a model has in every figure."""
        if model in self.models and self.models[model].role == "baseline":
            return "baseline"
        names = [m.name for m in self.candidates]
        place = names.index(model) if model in names else 0
        return cast(Role, f"candidate{place % _CANDIDATE_ROLES + 1}")
